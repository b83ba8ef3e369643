//! Markane, from the sheet by Mark Steere.

use super::{Pit, Reference, Stones, label, other, pit};

#[derive(Clone)]
pub struct Markane {
    stones: Stones,
    pie: bool,
    side: char,
    owed: u32,
    turn: u32,
}

impl Markane {
    pub fn open(columns: i32, ranks: i32, pie: bool, position: Option<&str>) -> Self {
        let mut game = Self {
            stones: Stones::read(columns, ranks, ""),
            pie,
            side: 'b',
            owed: 1,
            turn: 1,
        };
        if let Some(text) = position {
            let fields: Vec<&str> = text.split(' ').collect();
            game.stones = Stones::read(columns, ranks, fields[0]);
            game.side = fields[1].chars().next().unwrap();
            game.owed = fields[2].parse().unwrap();
            game.turn = fields[3].parse().unwrap();
        }
        game
    }

    fn adjacencies(&self, pit: Pit, color: char) -> usize {
        let neighbors = self.stones.neighbors(pit).into_iter();
        neighbors
            .filter(|&pit| self.stones.at(pit) == color)
            .count()
    }

    /// "remove each enemy stone that has two adjacencies with your stones."
    fn capturable(&self) -> Vec<Pit> {
        let enemies = self.stones.pits().into_iter();
        enemies
            .filter(|&pit| self.stones.at(pit) == other(self.side))
            .filter(|&pit| self.adjacencies(pit, self.side) >= 2)
            .collect()
    }

    fn may_place(&self, pit: Pit) -> bool {
        if self.stones.at(pit) != '.' {
            return false;
        }
        let mut placed = self.clone();
        placed.stones.put(pit, self.side);
        let restriction_1 = self.adjacencies(pit, self.side) > 0;
        let restriction_2 = self.adjacencies(pit, other(self.side)) >= 2;
        !placed.capturable().is_empty() || !(restriction_1 || restriction_2)
    }

    fn annihilated(&self) -> bool {
        self.turn >= 3 && !self.stones.has(other(self.side))
    }
}

impl Reference for Markane {
    fn legal(&self) -> Vec<String> {
        if self.annihilated() {
            return Vec::new();
        }
        let pits = self.stones.pits().into_iter();
        let mut steps: Vec<String> = pits.filter(|&pit| self.may_place(pit)).map(label).collect();
        if self.pie && self.turn == 2 && !steps.is_empty() {
            steps.push("swap".to_owned());
        }
        steps
    }

    fn play(&mut self, step: &str) {
        if step == "swap" {
            self.stones.exchange_colors();
            self.owed = 0;
        } else {
            self.stones.put(pit(step), self.side);
            self.owed -= 1;
            for captured in self.capturable() {
                self.stones.put(captured, '.');
                self.owed += 1;
            }
        }
        if self.owed == 0 {
            self.side = other(self.side);
            self.owed = 1;
            self.turn += 1;
        }
    }

    fn text(&self) -> String {
        let stones = self.stones.text();
        format!("{stones} {} {} {}", self.side, self.owed, self.turn)
    }

    fn outcome(&self) -> String {
        if self.annihilated() {
            format!("{} annihilation", self.side)
        } else if self.legal().is_empty() {
            format!("{} stalemate", other(self.side))
        } else {
            "none".to_owned()
        }
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
