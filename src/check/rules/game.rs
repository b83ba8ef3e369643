//! A game by our rules, and the texts that are steps in it.

use std::collections::BTreeSet;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::games;
use crate::rules::{Board, Color, StepError, Variant};

/// Number of random games whose steps show which forms steps have.
const SAMPLES: u64 = 20;

/// Maximum number of steps of such a game.
const SAMPLE_STEPS: usize = 300;

/// Texts that are steps in some games or variants, whatever is legal in this one.
pub(super) const WORDS: [&str; 3] = ["swap", "pass", "end"];

/// Stands for a cell in the form of a step.
const CELL: char = '\u{1}';

/// A play: a step, or steps of one side joined by commas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::check) struct Play {
    pub(in crate::check) color: Color,
    pub(in crate::check) text: String,
}

/// A game from the start of a variant.
pub(in crate::check) struct Game {
    pub(in crate::check) board: Box<dyn Board>,
    pub(in crate::check) plays: Vec<Play>,
}

/// Returns a random number below a bound.
pub(super) fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    (random.next_u64() % (bound.max(1) as u64)) as usize
}

impl Game {
    /// Starts a game; `None` if the variant belongs to no game of the catalogue.
    pub(in crate::check) fn new(variant: &Variant) -> Option<Self> {
        Some(Self { board: games::open(variant)?, plays: Vec::new() })
    }

    /// Starts a game again and plays; `None` if that is not legal.
    pub(super) fn replayed(variant: &Variant, texts: impl Iterator<Item = String>) -> Option<Self> {
        let mut game = Self::new(variant)?;
        for text in texts {
            if !game.play(&text) {
                return None;
            }
        }
        Some(game)
    }

    /// Plays steps of the side to move. Returns false, with the board changed, if they are not legal.
    pub(super) fn play(&mut self, text: &str) -> bool {
        let color = self.board.side();
        for step in text.split(',') {
            match self.board.find_step(step) {
                Ok(step) if self.board.side() == color => {
                    self.board.make(step);
                }
                _ => return false,
            }
        }
        self.plays.push(Play { color, text: text.to_owned() });
        true
    }

    pub(in crate::check) fn is_over(&self) -> bool {
        self.board.is_over()
    }

    /// Returns the legal steps.
    pub(in crate::check) fn legal(&self) -> Vec<String> {
        let mut steps = Vec::new();
        self.board.steps(&mut steps);
        steps.into_iter().map(|step| self.board.write_step(step)).collect()
    }

    /// Returns the reason why a step is illegal; `None` if it is legal or not a step of the game, or if engines may read
    /// it as another step, which `pass` stands for.
    pub(super) fn reason(&self, step: &str) -> Option<String> {
        // After the end, some engines take passes.
        if step == "pass" && (self.board.pass_alias().is_some() || self.is_over()) {
            return None;
        }
        match self.board.find_step(step) {
            Err(StepError::Illegal { reason, .. }) => Some(reason),
            Err(StepError::Syntax(_)) | Ok(_) => None,
        }
    }

    /// Returns texts like legal steps, each with another cell in place of one of its cells.
    pub(super) fn changed(&self, count: usize, random: &mut Xoshiro256PlusPlus) -> Vec<String> {
        let (legal, shape) = (self.legal(), self.board.shape());
        let cells: Vec<String> = shape.cells().map(|cell| shape.label(cell)).collect();
        let mut changed = |_| {
            let step = legal.get(below(random, legal.len()))?;
            let (form, number) = form(step);
            let own = cells_of(step);
            let place = below(random, number);
            let other = cells.get(below(random, cells.len()))?;
            let mut words = own.iter().enumerate().map(|(at, cell)| if at == place { other } else { cell });
            let with = |part: &str| format!("{}{part}", words.next().map_or("", String::as_str));
            let (first, rest) = form.split_once(CELL)?;
            Some(format!("{first}{}", rest.split(CELL).map(with).collect::<String>()))
        };
        (0..count).filter_map(&mut changed).collect()
    }

    /// Returns the kind of a legal step: its form, and whether it captures or turns a piece.
    pub(super) fn kind(&self, step: &str) -> String {
        let kind = form(step).0.replace(CELL, "cell");
        let Ok(found) = self.board.find_step(step) else {
            return kind;
        };
        let effects = self.board.effects(found);
        let captures = if effects.captured.is_empty() { "" } else { ", captures" };
        let turns = if effects.turned.is_empty() { "" } else { ", turns" };
        format!("{kind}{captures}{turns}")
    }
}

/// Returns the form of a step, with [`CELL`] for each cell, and the number of cells.
fn form(step: &str) -> (String, usize) {
    let mut form = String::new();
    let mut cells = 0;
    let mut chars = step.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_lowercase() && chars.peek().is_some_and(char::is_ascii_digit) {
            while chars.next_if(char::is_ascii_digit).is_some() {}
            form.push(CELL);
            cells += 1;
        } else {
            form.push(c);
        }
    }
    (form, cells)
}

/// Returns the cells in a step.
fn cells_of(step: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut chars = step.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_ascii_lowercase() && chars.peek().is_some_and(char::is_ascii_digit) {
            let mut cell = String::from(c);
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                cell.push(digit);
            }
            cells.push(cell);
        }
    }
    cells
}

/// Returns the kind of rule that a reason names: without cells, numbers, colors and explanations.
pub(super) fn rule(reason: &str) -> String {
    let short = reason.split([';', ':']).next().unwrap_or_default();
    let (form, _) = form(short);
    let mut rule = String::new();
    for c in form.chars() {
        match c {
            CELL => rule.push_str("a cell"),
            c if c.is_ascii_digit() => {
                if !rule.ends_with('N') {
                    rule.push('N');
                }
            }
            c => rule.push(c),
        }
    }
    rule.replace("Black", "a player").replace("White", "a player")
}

/// Returns all texts that have the form of a step of the variant.
pub(super) fn texts(variant: &Variant, random: &mut Xoshiro256PlusPlus) -> Vec<String> {
    let Some(mut game) = Game::new(variant) else {
        return Vec::new();
    };
    let mut forms: BTreeSet<(String, usize)> = WORDS.iter().map(|word| ((*word).to_owned(), 0)).collect();
    for _ in 0..SAMPLES {
        game.board.restart();
        for _ in 0..SAMPLE_STEPS {
            let legal = game.legal();
            forms.extend(legal.iter().map(|step| form(step)));
            let Some(step) = legal.get(below(random, legal.len())) else {
                break;
            };
            let Ok(step) = game.board.find_step(step) else {
                break;
            };
            game.board.make(step);
        }
    }
    let shape = game.board.shape();
    let cells: Vec<String> = shape.cells().map(|cell| shape.label(cell)).collect();
    let mut texts = Vec::new();
    for (form, count) in forms {
        match count {
            0 => texts.push(form),
            1 => texts.extend(cells.iter().map(|cell| form.replacen(CELL, cell, 1))),
            2 => {
                for first in &cells {
                    let rest = form.replacen(CELL, first, 1);
                    texts.extend(cells.iter().map(|second| rest.replacen(CELL, second, 1)));
                }
            }
            _ => {}
        }
    }
    texts
}
