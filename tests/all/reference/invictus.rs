//! Invictus, from the sheet by Rey Alicea.

use std::collections::BTreeMap;

use super::{Pit, Reference, label, other, pit, two_labels};

/// A die: its colour and the value on its top face.
type Die = (char, u32);

#[derive(Clone)]
pub struct Invictus {
    stall_limit: u32,
    at: BTreeMap<Pit, Die>,
    side: char,
    scored: BTreeMap<char, u32>,
    /// "On receiving the captured die from your opponent": the die to be set, already turned.
    hand: Option<Die>,
    stall: u32,
    turn: u32,
}

/// "a 9x9 board", in cell order.
fn spaces() -> Vec<Pit> {
    (0..9).flat_map(|y| (0..9).map(move |x| (x, y))).collect()
}

/// The rank as the player counts it: 1 is the row closest to him, 9 the opponent's first row.
fn rank_for(color: char, (_, y): Pit) -> i32 {
    if color == 'b' { y + 1 } else { 9 - y }
}

impl Invictus {
    pub fn open(stall_limit: u32, position: Option<&str>) -> Self {
        let mut game = Self {
            stall_limit,
            at: BTreeMap::new(),
            side: 'b',
            scored: BTreeMap::from([('b', 0), ('w', 0)]),
            hand: None,
            stall: 0,
            turn: 1,
        };
        if let Some(text) = position {
            let fields: Vec<&str> = text.split(' ').collect();
            for (y, rank) in (0..9).rev().zip(fields[0].split('/')) {
                let mut letters = rank.chars();
                let mut x = 0;
                while let Some(letter) = letters.next() {
                    if letter != '.' {
                        let value = letters.next().unwrap().to_digit(10).unwrap();
                        game.at.insert((x, y), (letter, value));
                    }
                    x += 1;
                }
            }
            game.side = fields[1].chars().next().unwrap();
            let (black, white) = fields[2].split_once(',').unwrap();
            game.scored.insert('b', black.parse().unwrap());
            game.scored.insert('w', white.parse().unwrap());
            if fields[3] != "-" {
                let color = fields[3].chars().next().unwrap();
                game.hand = Some((color, fields[3][1..].parse().unwrap()));
            }
            game.stall = fields[4].parse().unwrap();
            game.turn = fields[5].parse().unwrap();
        }
        game
    }

    fn setting_up(&self) -> bool {
        self.turn <= 2
    }

    fn dice_on_board(&self, color: char) -> u32 {
        self.at.values().filter(|die| die.0 == color).count() as u32
    }

    /// "3 of their 18 dice pieces so that the top faces show all ones then 3-twos, [...] and 3-sixes", set in
    /// the order from the sixes to the ones.
    fn value_to_set_up(&self) -> u32 {
        let order = [6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1];
        order[self.dice_on_board(self.side) as usize]
    }

    /// The empty spaces on the player's own ranks from `first` to `last`.
    fn empty(&self, color: char, first: i32, last: i32) -> Vec<Pit> {
        let mut empty = spaces();
        empty.retain(|space| !self.at.contains_key(space));
        empty.retain(|&space| (first..=last).contains(&rank_for(color, space)));
        empty
    }

    /// The moves and captures that this player has with the dice on the board.
    fn moves(&self, color: char) -> Vec<(Pit, Pit)> {
        let mut moves = Vec::new();
        for from in spaces() {
            let Some(&(owner, value)) = self.at.get(&from) else {
                continue;
            };
            if owner != color {
                continue;
            }
            for to in spaces() {
                let ahead = rank_for(color, to) - rank_for(color, from);
                let aside = (to.0 - from.0).abs();
                let forward = ahead == 1 && aside == 0;
                let sideways = ahead == 0 && aside == 1;
                let diagonal = ahead == 1 && aside == 1;
                let legal = match self.at.get(&to) {
                    // "Move a die one space either forward, left, right or diagonally forward, never
                    // backwards onto an empty space."
                    None => forward || sideways || diagonal,
                    // "Capture a die one space diagonally forward"; "A friendly die may only capture an
                    // opponent's die of equal face value or less".
                    Some(&(enemy, captured)) => diagonal && enemy != color && captured <= value,
                };
                if legal {
                    moves.push((from, to));
                }
            }
        }
        moves
    }

    fn can_step(&self, color: char) -> bool {
        let returned = matches!(self.hand, Some((owner, _)) if owner == color);
        returned || !self.moves(color).is_empty()
    }

    /// "The game ends when a player moves all of his remaining dice onto his opponent's first row."
    fn left_with_nothing(&self, color: char) -> bool {
        let returned = matches!(self.hand, Some((owner, _)) if owner == color);
        self.dice_on_board(color) == 0 && !returned
    }

    fn over(&self) -> bool {
        if self.setting_up() {
            return false;
        }
        let finished = self.left_with_nothing('b') || self.left_with_nothing('w');
        let blocked = !self.can_step('b') && !self.can_step('w');
        finished || blocked || self.stall >= self.stall_limit
    }

    fn add_score(&mut self, color: char, value: u32) {
        *self.scored.get_mut(&color).unwrap() += value;
    }

    fn end_turn(&mut self) {
        self.side = other(self.side);
        self.turn += 1;
    }

    /// "Add up all of the top face values of your dice that reached you're opponents first row, any captured
    /// dice and any of your dice that were within enemy territory."
    fn score(&self, color: char) -> u32 {
        let mut score = self.scored[&color];
        for (&space, &(owner, value)) in &self.at {
            if owner == color && rank_for(color, space) > 5 {
                score += value;
            }
        }
        score
    }
}

impl Reference for Invictus {
    fn legal(&self) -> Vec<String> {
        if self.over() {
            return Vec::new();
        }
        if self.setting_up() {
            // "any space of the second and third rows of the board that are closest to him"
            let value = self.value_to_set_up();
            let empty = self.empty(self.side, 2, 3).into_iter();
            return empty
                .map(|space| format!("{value}@{}", label(space)))
                .collect();
        }
        if let Some((owner, value)) = self.hand {
            // "then place this die onto an empty space on your side of the Divide."
            let empty = self.empty(owner, 1, 4).into_iter();
            return empty
                .map(|space| format!("{value}@{}", label(space)))
                .collect();
        }
        let moves = self.moves(self.side).into_iter();
        let mut steps: Vec<String> = moves.map(|(from, to)| label(from) + &label(to)).collect();
        if steps.is_empty() {
            steps.push("pass".to_owned());
        }
        steps
    }

    fn play(&mut self, step: &str) {
        if step == "pass" {
            self.stall += 1;
            self.end_turn();
            return;
        }
        if let Some((value, space)) = step.split_once('@') {
            let value = value.parse().unwrap();
            self.at.insert(pit(space), (self.side, value));
            if self.setting_up() {
                if self.dice_on_board(self.side) == 18 {
                    self.end_turn();
                }
            } else {
                // The returned die is set; his own turn is still to come.
                assert_eq!(self.hand, Some((self.side, value)));
                self.hand = None;
            }
            return;
        }
        let (from, to) = two_labels(step);
        let (from, to) = (pit(from), pit(to));
        let die = self.at.remove(&from).unwrap();
        let captured = self.at.insert(to, die);
        if let Some((owner, value)) = captured {
            if value == 1 {
                // "Any captured dice that have a face value of (1) are removed from play and kept for scoring"
                self.add_score(self.side, 1);
            } else {
                // "you must turn that die so that the face value of the die now reads one less"
                self.hand = Some((owner, value - 1));
            }
        }
        if rank_for(self.side, to) == 9 {
            // "When any friendly dice reach an opponent's first row, they are removed from play and used in
            // scoring at endgame."
            self.at.remove(&to);
            self.add_score(self.side, die.1);
        }
        if captured.is_some() || rank_for(self.side, to) > rank_for(self.side, from) {
            self.stall = 0;
        } else {
            self.stall += 1;
        }
        self.end_turn();
    }

    fn text(&self) -> String {
        let mut ranks = Vec::new();
        for y in (0..9).rev() {
            let mut rank = String::new();
            for x in 0..9 {
                match self.at.get(&(x, y)) {
                    Some((color, value)) => rank += &format!("{color}{value}"),
                    None => rank += ".",
                }
            }
            ranks.push(rank);
        }
        let hand = match self.hand {
            Some((color, value)) => format!("{color}{value}"),
            None => "-".to_owned(),
        };
        format!(
            "{} {} {},{} {} {} {}",
            ranks.join("/"),
            self.side,
            self.scored[&'b'],
            self.scored[&'w'],
            hand,
            self.stall,
            self.turn
        )
    }

    /// "Highest score wins!"
    fn outcome(&self) -> String {
        if !self.over() {
            return "none".to_owned();
        }
        let (black, white) = (self.score('b'), self.score('w'));
        let winner = if black > white {
            "b"
        } else if white > black {
            "w"
        } else {
            "draw"
        };
        format!("{winner} score")
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
