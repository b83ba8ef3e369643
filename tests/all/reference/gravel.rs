//! Gravel, from its sheet, which names no author.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pit, Reference, label, other, pit, two_labels};

#[derive(Clone)]
pub struct Gravel {
    size: i32,
    /// "the players decide on a value of X"
    x: u32,
    pie: bool,
    stall_limit: u32,
    /// The colour and the number of pieces of every occupied space.
    spaces: BTreeMap<Pit, (char, u32)>,
    side: char,
    /// The actions of the turn, a letter each: `p` has placed, `r` has removed.
    used: String,
    /// "Keep track of the total number of removed enemy pieces": the losses of each colour.
    removed: BTreeMap<char, u32>,
    stall: u32,
    turn: u32,
}

impl Gravel {
    pub fn open(size: i32, x: u32, pie: bool, stall_limit: u32, position: Option<&str>) -> Self {
        let mut game = Self {
            size,
            x,
            pie,
            stall_limit,
            spaces: BTreeMap::new(),
            side: 'w',
            used: String::new(),
            removed: BTreeMap::from([('b', 0), ('w', 0)]),
            stall: 0,
            turn: 1,
        };
        if let Some(text) = position {
            let fields: Vec<&str> = text.split(' ').collect();
            for (y, rank) in (0..size).rev().zip(fields[0].split('/')) {
                // A space begins with `.` or a colour; the digits that follow belong to it.
                let mut pieces: Vec<(char, String)> = Vec::new();
                for c in rank.chars() {
                    if c.is_ascii_digit() {
                        pieces.last_mut().unwrap().1.push(c);
                    } else {
                        pieces.push((c, String::new()));
                    }
                }
                for (x, (color, number)) in (0..size).zip(pieces) {
                    if color != '.' {
                        game.spaces.insert((x, y), (color, number.parse().unwrap()));
                    }
                }
            }
            game.side = fields[1].chars().next().unwrap();
            if fields[2] != "-" {
                let mut rest = fields[2];
                while !rest.is_empty() {
                    let next = rest[1..].find(['p', 'r']).map_or(rest.len(), |at| at + 1);
                    let times: usize = rest[1..next].parse().unwrap();
                    game.used += &rest[..1].repeat(times);
                    rest = &rest[next..];
                }
            }
            let (black, white) = fields[3].split_once(',').unwrap();
            game.removed.insert('b', black.parse().unwrap());
            game.removed.insert('w', white.parse().unwrap());
            game.stall = fields[4].parse().unwrap();
            game.turn = fields[5].parse().unwrap();
        }
        game
    }

    fn cells(&self) -> Vec<Pit> {
        let rank = |y| (0..self.size).map(move |x| (x, y));
        (0..self.size).flat_map(rank).collect()
    }

    fn neighbors(&self, (x, y): Pit) -> Vec<Pit> {
        let mut all = vec![(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)];
        all.retain(|&(x, y)| (0..self.size).contains(&x) && (0..self.size).contains(&y));
        all
    }

    /// The number of pieces of a colour in a space.
    fn pieces(&self, space: Pit, color: char) -> u32 {
        match self.spaces.get(&space) {
            Some(&(owner, pieces)) if owner == color => pieces,
            _ => 0,
        }
    }

    /// The number of spaces that a colour occupies.
    fn occupied(&self, color: char) -> u32 {
        let mut spaces = 0;
        for space in self.cells() {
            if self.pieces(space, color) > 0 {
                spaces += 1;
            }
        }
        spaces
    }

    /// "each player takes a number of pieces equal to HALF the number of spaces on the grid, plus 1"
    fn starting_pieces(&self) -> u32 {
        (self.size * self.size / 2 + 1) as u32
    }

    fn pool(&self, color: char) -> u32 {
        let mut pool = self.starting_pieces() - self.removed[&color];
        for space in self.cells() {
            pool -= self.pieces(space, color);
        }
        pool
    }

    /// "A player *controls* a given space if they have pieces in at least 2 spaces orthogonally adjacent to
    /// that space, and which pieces form a majority of all the pieces in all the spaces that are orthogonally
    /// adjacent to that space (but not in the space itself!)."
    fn controls(&self, color: char, space: Pit) -> bool {
        let (mut spaces, mut friendly, mut enemy) = (0, 0, 0);
        for neighbor in self.neighbors(space) {
            if self.pieces(neighbor, color) > 0 {
                spaces += 1;
            }
            friendly += self.pieces(neighbor, color);
            enemy += self.pieces(neighbor, other(color));
        }
        spaces >= 2 && friendly > enemy
    }

    fn add(&mut self, space: Pit, color: char) {
        let pieces = self.pieces(space, color) + 1;
        self.spaces.insert(space, (color, pieces));
    }

    fn take(&mut self, space: Pit, color: char) {
        let pieces = self.pieces(space, color) - 1;
        self.spaces.insert(space, (color, pieces));
        if pieces == 0 {
            self.spaces.remove(&space);
        }
    }

    fn has_placed(&self) -> bool {
        self.used.contains('p')
    }

    fn has_removed(&self) -> bool {
        self.used.contains('r')
    }

    /// "the two may not be mixed": a placement is legal after the actions of the turn unless placements were
    /// finished, by a removal that followed them.
    fn may_place(&self) -> bool {
        !self.used.contains("pr")
    }

    /// Likewise a removal. And "at the very least, a player must place 1 piece during their turn", so the
    /// last of the X actions is no removal if nothing is placed by then.
    fn may_remove(&self) -> bool {
        let last = self.used.len() as u32 + 1 == self.x;
        !self.used.contains("rp") && (self.has_placed() || !last)
    }

    /// The steps that remove, of the player to move.
    fn removals(&self, space: Pit) -> Vec<String> {
        let mut steps = Vec::new();
        let enemy = self.pieces(space, other(self.side)) > 0;
        if self.may_remove() && enemy && self.controls(self.side, space) {
            steps.push(format!("x{}", label(space)));
        }
        steps
    }

    /// The steps that place, of the player to move, beginning with this space.
    fn placements(&self, space: Pit) -> Vec<String> {
        let mut steps = Vec::new();
        if !self.may_place() {
            return steps;
        }
        let friendly = self.pieces(space, self.side);
        // "A piece that has not yet been placed on the grid may be placed in a vacant space or a
        // friendly-occupied space. No piece may be placed in an enemy-occupied space." And "no more than X
        // pieces may be stacked in a single space".
        let enemy = self.pieces(space, other(self.side));
        if self.pool(self.side) > 0 && enemy == 0 && friendly < self.x {
            steps.push(label(space));
        }
        // "A piece that is already on the grid may be picked up and placed **either** in another
        // friendly-occupied space **or** placed back in the Pool."
        if friendly > 0 {
            for to in self.cells() {
                let there = self.pieces(to, self.side);
                if to != space && there > 0 && there < self.x {
                    steps.push(label(space) + &label(to));
                }
            }
            steps.push(format!("-{}", label(space)));
        }
        steps
    }

    /// The legal steps of the player to move, apart from the end of the game.
    fn steps(&self) -> Vec<String> {
        let mut steps = Vec::new();
        for space in self.cells() {
            steps.extend(self.placements(space));
            steps.extend(self.removals(space));
        }
        if self.has_placed() {
            steps.push("end".to_owned());
        }
        if self.pie && self.turn == 2 && self.used.is_empty() {
            steps.push("swap".to_owned());
        }
        steps
    }

    fn end_turn(&mut self) {
        self.stall = if self.has_removed() {
            0
        } else {
            self.stall + 1
        };
        self.used.clear();
        self.side = other(self.side);
        self.turn += 1;
    }

    /// Does what a step says, but leaves the turn open.
    fn act(&mut self, step: &str) {
        let side = self.side;
        let is_letter = |at: usize| step[at..].starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(from) = step.strip_prefix('-') {
            self.take(pit(from), side);
            self.used.push('p');
        } else if is_letter(0) && is_letter(1) {
            // Two letters: not the column x.
            self.take(pit(&step[1..]), other(side));
            *self.removed.get_mut(&other(side)).unwrap() += 1;
            self.used.push('r');
        } else {
            if step[1..].contains(|c: char| c.is_ascii_alphabetic()) {
                let (from, to) = two_labels(step);
                self.take(pit(from), side);
                self.add(pit(to), side);
            } else {
                self.add(pit(step), side);
            }
            self.used.push('p');
        }
    }

    /// A quick look whether a player is able, for most positions: one piece from the Pool, or from a stack by
    /// way of the Pool, into a vacant space; or one removal.
    fn soon_able(&self, color: char) -> bool {
        let vacant = self.spaces.len() < self.cells().len();
        let stacked = self
            .cells()
            .iter()
            .any(|&cell| self.pieces(cell, color) > 1);
        let start = self.start_of_turn(color);
        vacant && (self.pool(color) > 0 || stacked) || start.can_remove()
    }

    fn start_of_turn(&self, color: char) -> Self {
        let mut start = self.clone();
        start.side = color;
        start.used.clear();
        start
    }

    fn can_remove(&self) -> bool {
        let mut cells = self.cells().into_iter();
        cells.any(|space| !self.removals(space).is_empty())
    }

    /// A player "able to expand or remove": some legal turn of theirs from here, whoever is to move, would
    /// leave them occupying more spaces or remove an enemy piece. All turns are tried, action by action.
    fn able(&self, color: char) -> bool {
        let mut seen = BTreeSet::new();
        let mut fringe = vec![self.start_of_turn(color)];
        while !fringe.is_empty() {
            let mut next_fringe = Vec::new();
            for state in fringe {
                if state.used.len() as u32 == self.x {
                    continue;
                }
                // A turn that removes can be completed: what is still to be placed, if anything, is at least a
                // piece of those that control the space, back in the Pool.
                if state.can_remove() {
                    return true;
                }
                for space in state.cells() {
                    for step in state.placements(space) {
                        let mut next = state.clone();
                        next.act(&step);
                        // The turn may end here, as something was placed.
                        if next.occupied(color) > self.occupied(color) {
                            return true;
                        }
                        let key = (next.spaces.clone(), next.pool(color), next.used.clone());
                        if seen.insert(key) {
                            next_fringe.push(next);
                        }
                    }
                }
            }
            fringe = next_fringe;
        }
        false
    }

    /// The loss condition that a player satisfies.
    fn loss(&self, color: char) -> Option<&'static str> {
        let removed = self.removed[&color];
        if 2 * removed > self.starting_pieces() {
            // "more than **half** of the player's starting pieces have been removed"
            Some("attrition")
        } else if self.occupied(color) < removed {
            // "the player's pieces are occupying fewer spaces than the number of their pieces that have been
            // removed"
            Some("territory")
        } else {
            None
        }
    }
}

impl Reference for Gravel {
    fn legal(&self) -> Vec<String> {
        if self.outcome() != "none" {
            return Vec::new();
        }
        self.steps()
    }

    fn play(&mut self, step: &str) {
        match step {
            "end" => self.end_turn(),
            "swap" => {
                for (color, _) in self.spaces.values_mut() {
                    *color = other(*color);
                }
                let (black, white) = (self.removed[&'b'], self.removed[&'w']);
                self.removed = BTreeMap::from([('b', white), ('w', black)]);
                self.end_turn();
            }
            _ => {
                self.act(step);
                if self.used.len() as u32 == self.x {
                    self.end_turn();
                }
            }
        }
    }

    fn text(&self) -> String {
        let mut ranks = Vec::new();
        for y in (0..self.size).rev() {
            let mut rank = String::new();
            for x in 0..self.size {
                match self.spaces.get(&(x, y)) {
                    Some((color, pieces)) => rank += &format!("{color}{pieces}"),
                    None => rank.push('.'),
                }
            }
            ranks.push(rank);
        }
        let mut used = String::new();
        let mut rest = self.used.as_str();
        while !rest.is_empty() {
            let kind = rest.chars().next().unwrap();
            let after = rest.trim_start_matches(kind);
            used += &format!("{kind}{}", rest.len() - after.len());
            rest = after;
        }
        if used.is_empty() {
            used.push('-');
        }
        let (black, white) = (self.removed[&'b'], self.removed[&'w']);
        format!(
            "{} {} {used} {black},{white} {} {}",
            ranks.join("/"),
            self.side,
            self.stall,
            self.turn
        )
    }

    fn outcome(&self) -> String {
        // "Check for game end at the end of each game turn", that is, after the second player's.
        let turn_over = self.side == 'w' && self.used.is_empty() && self.turn >= 3;
        // "a player must place 1 piece during their turn": who cannot is judged at once.
        let stuck =
            !self.has_placed() && self.occupied(self.side) == 0 && self.pool(self.side) == 0;
        if !turn_over && !stuck {
            return "none".to_owned();
        }
        match (self.loss('b'), self.loss('w')) {
            // "If both players are satisfying one or both conditions at this time, the game ends in a draw."
            (Some(_), Some(_)) => return "draw mutual".to_owned(),
            (Some(reason), None) => return format!("w {reason}"),
            (None, Some(reason)) => return format!("b {reason}"),
            (None, None) => {}
        }
        // "The game also ends in a draw if both players are both unable to expand their territory and remove
        // any enemy pieces."
        let soon_able = self.soon_able('b') || self.soon_able('w');
        if !soon_able && !self.able('b') && !self.able('w') {
            return "draw deadlock".to_owned();
        }
        if self.stall >= self.stall_limit {
            return "draw stall".to_owned();
        }
        "none".to_owned()
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
