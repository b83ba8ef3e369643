//! Markane, from the sheet by Mark Steere.

use super::{
    BLACK, Board, Cell, Color, Fields, Key, Outcome, Position, Step, Variant, WHITE, check_side,
    ensure, letter, turn_digit,
};

#[derive(Clone)]
pub struct Markane {
    pits: i64,
    pie: bool,
    stones: Board,
    side: Color,
    /// Placements that the turn still owes.
    owed: i64,
    turn: i64,
}

impl Markane {
    fn adjacencies(&self, pit: Cell, color: Color) -> usize {
        self.stones
            .neighbors(pit)
            .filter(|&pit| self.stones.at(pit) == color)
            .count()
    }

    /// "remove each enemy stone that has two adjacencies with your stones": the stones to remove, anywhere.
    fn captured(&self) -> Vec<Cell> {
        let enemies = self
            .stones
            .cells()
            .filter(|&pit| self.stones.at(pit) == -self.side);
        enemies
            .filter(|&pit| self.adjacencies(pit, self.side) >= 2)
            .collect()
    }

    /// Whether a stone may be placed in an empty pit. `captures` says that any placement captures, as an enemy stone
    /// has two adjacencies already.
    fn may_place(&self, pit: Cell, captures: bool) -> bool {
        let mut enemies = self
            .stones
            .neighbors(pit)
            .filter(|&pit| self.stones.at(pit) == -self.side);
        if captures || enemies.any(|enemy| self.adjacencies(enemy, self.side) >= 1) {
            return true;
        }
        // "You cannot place a stone adjacent to any friendly stones, unless in doing so you capture"; "Your placed
        // stone cannot have two or more adjacencies with enemy stones, unless your placement captures".
        self.adjacencies(pit, self.side) == 0 && self.adjacencies(pit, -self.side) <= 1
    }

    fn annihilated(&self) -> bool {
        self.turn >= 3 && !self.stones.has(-self.side)
    }
}

impl Position for Markane {
    fn start(variant: &Variant) -> Self {
        let stones = Board::rectangle(variant.columns, variant.ranks);
        let pits = i64::from(variant.columns) * i64::from(variant.ranks);
        Self {
            pits,
            pie: variant.pie,
            stones,
            side: BLACK,
            owed: 1,
            turn: 1,
        }
    }

    fn read(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.stones.read(fields.text("board")?, false, 1)?;
        self.side = fields.side()?;
        self.owed = fields.number("owed")?;
        self.turn = fields.number("turn")?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check_side(BLACK, self.side, self.turn)?;
        // Every turn adds one stone to the board; a swap adds none.
        let sum = self.stones.count(BLACK) + self.stones.count(WHITE) + self.owed;
        let swapped = self.pie && self.turn >= 3;
        let fits = sum == self.turn || swapped && sum + 1 == self.turn;
        ensure(fits, || {
            format!(
                "{sum} stones and owed placements do not fit turn {}",
                self.turn
            )
        })?;
        let owed = self.owed >= 1 && (self.turn >= 3 || self.owed == 1);
        ensure(owed, || {
            format!(
                "{} owed placements do not fit turn {}",
                self.owed, self.turn
            )
        })?;
        let last = self.pits + 1 + i64::from(self.pie);
        ensure(self.turn <= last, || {
            format!("no turn comes after {last} on this board")
        })
    }

    fn text(&self) -> String {
        format!(
            "{} {} {} {}",
            self.stones.text(false),
            letter(self.side),
            self.owed,
            self.turn
        )
    }

    fn key(&self, key: &mut Key) {
        self.stones.key(1, key);
        key.push(self.owed, self.pits + 3);
        key.push(turn_digit(self.turn), 5);
    }

    fn side(&self) -> Color {
        self.side
    }

    fn legal(&self, steps: &mut Vec<Step>) {
        if self.annihilated() {
            return;
        }
        let before = steps.len();
        let captures = !self.captured().is_empty();
        let empty = self.stones.cells().filter(|&pit| self.stones.at(pit) == 0);
        steps.extend(
            empty
                .filter(|&pit| self.may_place(pit, captures))
                .map(Step::At),
        );
        if self.pie && self.turn == 2 && steps.len() > before {
            steps.push(Step::Swap);
        }
    }

    fn play(&mut self, step: Step) {
        self.owed -= 1;
        match step {
            Step::At(pit) => {
                self.stones.put(pit, self.side);
                // "place another friendly stone for every enemy stone removed"
                for captured in self.captured() {
                    self.stones.put(captured, 0);
                    self.owed += 1;
                }
            }
            _ => self.stones.exchange_colors(),
        }
        if self.owed == 0 {
            (self.side, self.owed) = (-self.side, 1);
            self.turn += 1;
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.annihilated() {
            // "If, at any time during your turn, you have removed all enemy stones from the board, you immediately
            // win."
            return Some(Outcome::win(self.side, "annihilation"));
        }
        // "If you don't have a legal placement available, at any time during your turn, [...] you lose."
        let mut steps = Vec::new();
        self.legal(&mut steps);
        steps
            .is_empty()
            .then(|| Outcome::win(-self.side, "stalemate"))
    }
}
