//! Invector, from the sheet by Mark Steere.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Pit, Reference, Stones, label, other, pit, two_labels};

#[derive(Clone)]
pub struct Invector {
    stones: Stones,
    /// "via a series of orthogonally adjacent pits": steps to the nearest centre pit, by flooding outwards.
    distance: Rc<BTreeMap<Pit, i32>>,
    pie: bool,
    side: char,
    turn: u32,
}

impl Invector {
    pub fn open(columns: i32, ranks: i32, pie: bool, position: Option<&str>) -> Self {
        let mut stones = Stones::read(columns, ranks, "");
        for (x, y) in stones.pits() {
            let color = if (x + y) % 2 == 0 { 'b' } else { 'w' };
            stones.put((x, y), color);
        }
        let (mut side, mut turn) = ('b', 1);
        if let Some(text) = position {
            let fields: Vec<&str> = text.split(' ').collect();
            stones = Stones::read(columns, ranks, fields[0]);
            side = fields[1].chars().next().unwrap();
            turn = fields[2].parse().unwrap();
        }
        // The centre pits are those that see as many pits to the left as to the right, and below as above,
        // or one more on one side.
        let centre = |i: i32, n: i32| (i - (n - 1 - i)).abs() <= 1;
        let mut distance = BTreeMap::new();
        let mut edge: Vec<Pit> = stones.pits();
        edge.retain(|&(x, y)| centre(x, columns) && centre(y, ranks));
        assert_eq!(edge.len(), 2, "[There are two center pits.]");
        let mut steps = 0;
        while !edge.is_empty() {
            for &pit in &edge {
                distance.insert(pit, steps);
            }
            let mut next: Vec<Pit> = edge.iter().flat_map(|&pit| stones.neighbors(pit)).collect();
            next.retain(|pit| !distance.contains_key(pit));
            // A pit may be beside two.
            next.sort_unstable();
            next.dedup();
            edge = next;
            steps += 1;
        }
        Self {
            stones,
            distance: Rc::new(distance),
            pie,
            side,
            turn,
        }
    }
}

impl Reference for Invector {
    fn legal(&self) -> Vec<String> {
        if !self.stones.has('b') || !self.stones.has('w') {
            return Vec::new();
        }
        let mut steps = Vec::new();
        for from in self.stones.pits() {
            if self.stones.at(from) != self.side {
                continue;
            }
            for to in self.stones.neighbors(from) {
                let legal = match self.stones.at(to) {
                    '.' => self.distance[&to] < self.distance[&from],
                    stone => stone != self.side,
                };
                if legal {
                    steps.push(label(from) + &label(to));
                }
            }
        }
        if steps.is_empty() {
            steps.push("pass".to_owned());
        } else if self.pie && self.turn == 2 {
            steps.push("swap".to_owned());
        }
        steps
    }

    fn play(&mut self, step: &str) {
        match step {
            "pass" => {}
            "swap" => self.stones.exchange_colors(),
            _ => {
                let (from, to) = two_labels(step);
                self.stones.put(pit(to), self.stones.at(pit(from)));
                self.stones.put(pit(from), '.');
            }
        }
        self.side = other(self.side);
        self.turn += 1;
    }

    fn text(&self) -> String {
        format!("{} {} {}", self.stones.text(), self.side, self.turn)
    }

    fn outcome(&self) -> String {
        for color in ['b', 'w'] {
            if !self.stones.has(color) {
                return format!("{} annihilation", other(color));
            }
        }
        "none".to_owned()
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
