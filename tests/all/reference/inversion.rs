//! Inversion, from the sheet by Zack Lasner.

use std::collections::BTreeMap;

use super::{Pit, Reference, label, other, pit};

#[derive(Clone)]
pub struct Inversion {
    side_length: i32,
    komi_halves: i32,
    order: String,
    pie: bool,
    at: BTreeMap<Pit, char>,
    side: char,
    /// The centres of the completed hexes that wait for a choice, in cell order.
    pending: Vec<Pit>,
    turn: u32,
}

/// "Players move alternatingly, starting with White."
fn placer(turn: u32) -> char {
    if turn % 2 == 1 { 'w' } else { 'b' }
}

impl Inversion {
    pub fn open(
        side_length: i32,
        komi_halves: i32,
        order: &str,
        pie: bool,
        position: Option<&str>,
    ) -> Self {
        assert!(["mover", "alternate", "single"].contains(&order));
        let mut game = Self {
            side_length,
            komi_halves,
            order: order.to_owned(),
            pie,
            at: BTreeMap::new(),
            side: 'w',
            pending: Vec::new(),
            turn: 1,
        };
        if let Some(text) = position {
            let fields: Vec<&str> = text.split(' ').collect();
            let ranks = (0..game.grid()).rev();
            for (y, rank) in ranks.zip(fields[0].split('/')) {
                for (cell, stone) in game.rank(y).into_iter().zip(rank.chars()) {
                    if stone != '.' {
                        game.at.insert(cell, stone);
                    }
                }
            }
            game.side = fields[1].chars().next().unwrap();
            if fields[2] != "-" {
                game.pending = fields[2].split('+').map(pit).collect();
            }
            game.turn = fields[3].parse().unwrap();
        }
        game
    }

    /// The grid has as many columns, and as many ranks.
    fn grid(&self) -> i32 {
        2 * self.side_length - 1
    }

    fn inside(&self, (x, y): Pit) -> bool {
        let on_grid = (0..self.grid()).contains(&x) && (0..self.grid()).contains(&y);
        on_grid && (x - y).abs() < self.side_length
    }

    fn rank(&self, y: i32) -> Vec<Pit> {
        let mut cells: Vec<Pit> = (0..self.grid()).map(|x| (x, y)).collect();
        cells.retain(|&cell| self.inside(cell));
        cells
    }

    fn cells(&self) -> Vec<Pit> {
        (0..self.grid()).flat_map(|y| self.rank(y)).collect()
    }

    /// "hex is any set of seven cells consisting of one center cell and its six surrounding cells."
    /// Near the edge there are fewer than seven, and so no hex.
    fn hex(&self, (x, y): Pit) -> Option<Vec<Pit>> {
        let mut cells = vec![
            (x, y),
            (x - 1, y),
            (x + 1, y),
            (x, y - 1),
            (x, y + 1),
            (x + 1, y + 1),
            (x - 1, y - 1),
        ];
        cells.retain(|&cell| self.inside(cell));
        if cells.len() == 7 { Some(cells) } else { None }
    }

    /// "If the player's stone occupies the last empty cell in a hex": the full hexes that the stone lies in.
    fn completed_by(&self, stone: Pit) -> Vec<Pit> {
        let mut centres = Vec::new();
        for centre in self.cells() {
            if let Some(hex) = self.hex(centre) {
                let full = hex.iter().all(|cell| self.at.contains_key(cell));
                if full && hex.contains(&stone) {
                    centres.push(centre);
                }
            }
        }
        centres
    }

    /// "the stones of the dominant color in that hex are replaced by stones of the non-dominant color."
    fn invert(&mut self, centre: Pit) {
        let hex = self.hex(centre).unwrap();
        // "The dominant color of a hex is the color occupying four or more of the seven cells."
        let black = hex.iter().filter(|cell| self.at[cell] == 'b').count();
        let dominant = if black >= 4 { 'b' } else { 'w' };
        for cell in hex {
            if self.at[&cell] == dominant {
                self.at.insert(cell, other(dominant));
            }
        }
    }

    fn count(&self, color: char) -> i32 {
        self.at.values().filter(|&&stone| stone == color).count() as i32
    }

    fn full(&self) -> bool {
        self.cells().iter().all(|cell| self.at.contains_key(cell))
    }
}

impl Reference for Inversion {
    fn legal(&self) -> Vec<String> {
        // "the player may choose the order in which to invert the hexes."
        if !self.pending.is_empty() {
            return self.pending.iter().map(|&centre| label(centre)).collect();
        }
        // "The player must first place a stone of his or her color in any empty cell."
        let mut empty = self.cells();
        empty.retain(|cell| !self.at.contains_key(cell));
        let mut steps: Vec<String> = empty.into_iter().map(label).collect();
        if self.pie && self.turn == 2 && !steps.is_empty() {
            steps.push("swap".to_owned());
        }
        steps
    }

    fn play(&mut self, step: &str) {
        if step == "swap" {
            for stone in self.at.values_mut() {
                *stone = other(*stone);
            }
        } else if self.pending.is_empty() {
            self.at.insert(pit(step), self.side);
            self.pending = self.completed_by(pit(step));
        } else {
            // "Each of the completed hexes must be inverted once and only once."
            let chosen = pit(step);
            assert!(self.pending.contains(&chosen));
            self.invert(chosen);
            self.pending.retain(|&centre| centre != chosen);
            // "Or maybe no more than one hex should be inverted per turn."
            if self.order == "single" {
                self.pending.clear();
            }
            // "Maybe players should alternate choosing which hex to invert [...] let the player who placed
            // the stone choose" first.
            if self.order == "alternate" {
                self.side = other(self.side);
            }
        }
        // The last one leaves no choice.
        if self.pending.len() == 1 {
            let last = self.pending.remove(0);
            self.invert(last);
        }
        if self.pending.is_empty() {
            self.turn += 1;
            self.side = placer(self.turn);
        }
    }

    fn text(&self) -> String {
        let mut ranks = Vec::new();
        for y in (0..self.grid()).rev() {
            let cells = self.rank(y).into_iter();
            let stones = cells.map(|cell| self.at.get(&cell).copied().unwrap_or('.'));
            ranks.push(stones.collect::<String>());
        }
        let mut pending = "-".to_owned();
        if !self.pending.is_empty() {
            let centres: Vec<String> = self.pending.iter().map(|&centre| label(centre)).collect();
            pending = centres.join("+");
        }
        format!(
            "{} {} {} {}",
            ranks.join("/"),
            self.side,
            pending,
            self.turn
        )
    }

    /// "to occupy more cells with your own stones than your opponent when there are no legal moves remaining.
    /// This occurs when all cells have been occupied."
    fn outcome(&self) -> String {
        if !self.full() || !self.pending.is_empty() {
            return "none".to_owned();
        }
        let white = 2 * self.count('w');
        let black = 2 * self.count('b') + self.komi_halves;
        let winner = if white > black {
            "w"
        } else if black > white {
            "b"
        } else {
            "draw"
        };
        format!("{winner} majority")
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
