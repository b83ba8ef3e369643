//! Plays a strategy against every answer.

use std::io::BufRead;

use super::Error;
use super::certificate::Choices;
use super::rules::{Color, Key, Position, Step, Variant, half_points, name};
use super::visited::{DONE, OPEN, Visited};

/// The result that a strategy is said to reach, whatever the other side does.
#[derive(Clone, Copy)]
pub enum Claim {
    /// It wins.
    Win,
    /// At least a draw.
    Draw,
    /// At least this many half points more than the other side.
    Margin(i64),
}

/// Says what a strategy claims, and for whom.
pub struct Strategy {
    /// The side that follows the strategy.
    pub side: Color,
    /// The result that it reaches.
    pub claim: Claim,
    /// Side and claim as the file has them.
    pub name: String,
}

impl Claim {
    /// The least result of the side: 1 for a win, 0 for a draw, -1 for a loss.
    pub fn result(self) -> i8 {
        match self {
            Self::Win => 1,
            Self::Draw => 0,
            Self::Margin(margin) => margin.signum() as i8,
        }
    }

    /// Returns the margin that is claimed, in half points; `None` if the claim is about the winner alone.
    pub fn margin(self) -> Option<i64> {
        if let Self::Margin(margin) = self { Some(margin) } else { None }
    }
}

/// The claims that a certificate proves, and what they are about.
#[derive(Default)]
pub struct Proof {
    /// The variant, as the file names it.
    pub variant: String,
    /// The position that the claims are about, as a position line.
    pub position: String,
    /// True if this is the position at the start.
    pub from_start: bool,
    /// The color of p1.
    pub first: Color,
    /// The claims of p1 and of p2.
    pub claims: [Option<Claim>; 2],
    /// Positions that were visited.
    pub positions: usize,
}

impl Proof {
    /// The least and the greatest result for p1 that are still possible.
    pub fn results(&self) -> [i8; 2] {
        let [p1, p2] = self.claims.map(|claim| claim.map_or(-1, Claim::result));
        [p1, -p2]
    }

    /// The same of p1's points less p2's, in half points.
    pub fn margins(&self) -> [Option<i64>; 2] {
        let [p1, p2] = self.claims.map(|claim| claim.and_then(Claim::margin));
        [p1, p2.map(|margin| -margin)]
    }
}

/// A position on the path, and its steps that are still to be played.
struct Frame {
    position: Position,
    /// Where its steps begin, in the steps of the whole path.
    first: usize,
    /// The next of them.
    next: usize,
}

/// A walk through a strategy.
struct Walk<'a, 'b, R> {
    variant: &'a Variant,
    strategy: &'a Strategy,
    number: usize,
    choices: &'a mut Choices<'b, R>,
    memory: usize,
    visited: Visited,
    path: Vec<Frame>,
    /// The steps of all frames, one frame's behind the other's.
    steps: Vec<Step>,
    key: Key,
}

/// Plays a strategy from a position against every answer, depth first, and returns the number of positions in which
/// the game went on.
pub fn replay<R: BufRead>(
    variant: &Variant,
    start: &Position,
    number: usize,
    strategy: &Strategy,
    choices: &mut Choices<R>,
    memory: usize,
) -> Result<usize, Error> {
    let mut key = Key::default();
    key.set(variant, start);
    let visited = Visited::new(key.bytes.len());
    let (path, steps) = (Vec::new(), Vec::new());
    let mut walk = Walk { variant, strategy, number, choices, memory, visited, path, steps, key };
    walk.enter(start.clone())?;
    while let Some(frame) = walk.path.last_mut() {
        match walk.steps.get(frame.next) {
            Some(&step) => {
                frame.next += 1;
                let mut position = frame.position.clone();
                (variant.rules.play)(variant, &mut position, step);
                walk.enter(position)?;
            }
            None => walk.leave(),
        }
    }
    Ok(walk.visited.used)
}

impl<R: BufRead> Walk<'_, '_, R> {
    /// Comes to a position: puts it onto the path unless nothing is left to be done there.
    fn enter(&mut self, position: Position) -> Result<(), Error> {
        self.key.set(self.variant, &position);
        match self.visited.state(&self.key.bytes) {
            OPEN => return Err(self.refused(&position, "this position was on the way here: the play goes round")),
            DONE => return Ok(()),
            _ => {}
        }
        let first = self.steps.len();
        (self.variant.rules.legal)(self.variant, &position, &mut self.steps);
        if self.steps.len() == first {
            return self.check_claim(&position);
        }
        let path = self.path.capacity() * size_of::<Frame>() + self.steps.capacity() * size_of::<Step>();
        if !self.visited.make_room(self.memory.saturating_sub(path)) {
            let (positions, megabytes) = (self.visited.used, self.memory >> 20);
            return Err(Error::Failed(format!("{positions} positions fill {megabytes} MB; `--memory` allows more")));
        }
        self.visited.mark(&self.key.bytes, OPEN);
        if position.side == self.strategy.side && self.steps.len() > first + 1 {
            self.choose(&position, first)?;
        }
        self.path.push(Frame { position, first, next: first });
        Ok(())
    }

    /// Keeps of the steps from `first` on the one that the strategy chooses.
    fn choose(&mut self, position: &Position, first: usize) -> Result<(), Error> {
        let legal = self.steps.len() - first;
        let why = match self.choices.read()? {
            Ok(choice) if choice < legal as u64 => {
                self.steps.swap(first, first + choice as usize);
                self.steps.truncate(first + 1);
                return Ok(());
            }
            Ok(choice) => format!("the choice is {choice}, and there are {legal} legal steps, counted from 0"),
            Err(why) => why,
        };
        Err(self.refused(position, &why))
    }

    /// Leaves the last position of the path.
    fn leave(&mut self) {
        if let Some(frame) = self.path.pop() {
            self.steps.truncate(frame.first);
            self.key.set(self.variant, &frame.position);
            self.visited.mark(&self.key.bytes, DONE);
        }
    }

    fn check_claim(&self, position: &Position) -> Result<(), Error> {
        let Some(outcome) = (self.variant.rules.outcome)(self.variant, position) else {
            return Err(self.refused(position, "there is no legal step, and the game is not over"));
        };
        let side = self.strategy.side;
        let holds = match self.strategy.claim {
            Claim::Win => outcome.winner == side,
            Claim::Draw => outcome.winner != -side,
            Claim::Margin(margin) => outcome.margin.is_some_and(|black| black * i64::from(side) >= margin),
        };
        if holds {
            return Ok(());
        }
        let result =
            if outcome.winner == 0 { "the game is a draw" } else { &format!("{} has won", name(outcome.winner)) };
        let margin = outcome.margin.map_or(String::new(), |margin| format!(" by {}", half_points(margin.abs())));
        Err(self.refused(position, &format!("the claim fails: {result}{margin} ({})", outcome.reason)))
    }

    /// Names the place.
    fn refused(&self, position: &Position, why: &str) -> Error {
        let mut moves = String::new();
        let mut before = None;
        for frame in &self.path {
            let side = frame.position.side;
            if let Some(step) = self.steps.get(frame.next - 1) {
                let between = if before.replace(side) == Some(side) { "," } else { " " };
                moves += &format!("{between}{step}");
            }
        }
        Error::Refused(format!(
            "strategy {} ({}), choice {} of {}, byte {}: {why}\nposition: {}\nmoves to it:{}",
            self.number,
            self.strategy.name,
            self.choices.number,
            self.choices.count,
            self.choices.offset(),
            position.text(self.variant),
            if moves.is_empty() { " none" } else { &moves },
        ))
    }
}
