//! Invector, from the sheet by Mark Steere.

use super::{
    BLACK, Board, Cell, Color, Fields, Key, Outcome, Position, Step, Variant, WHITE, check_side,
    ensure, letter, turn_digit,
};

#[derive(Clone)]
pub struct Invector {
    columns: i8,
    ranks: i8,
    pie: bool,
    stones: Board,
    side: Color,
    turn: i64,
}

/// The starting board: a checkerboard pattern, black on a1.
fn checkerboard(columns: i8, ranks: i8) -> Board {
    let mut stones = Board::rectangle(columns, ranks);
    for (x, y) in stones.clone().cells() {
        stones.put((x, y), if (x + y) % 2 == 0 { BLACK } else { WHITE });
    }
    stones
}

impl Invector {
    /// "closer to center, Manhattan distance": the steps to the nearest of the two centre pits. One dimension is odd
    /// and has one middle, the other is even and has two.
    fn distance(&self, (x, y): Cell) -> i8 {
        let aside = |place: i8, length: i8| (2 * place - (length - 1)).abs() / 2;
        aside(x, self.columns) + aside(y, self.ranks)
    }
}

impl Position for Invector {
    fn start(variant: &Variant) -> Self {
        let (columns, ranks, pie) = (variant.columns, variant.ranks, variant.pie);
        let stones = checkerboard(columns, ranks);
        Self {
            columns,
            ranks,
            pie,
            stones,
            side: BLACK,
            turn: 1,
        }
    }

    fn read(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.stones.read(fields.text("board")?, false, 1)?;
        self.side = fields.side()?;
        self.turn = fields.number("turn")?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check_side(BLACK, self.side, self.turn)?;
        let most = i64::from(self.columns) * i64::from(self.ranks) / 2;
        for color in [BLACK, WHITE] {
            let fits = self.stones.count(color) <= most;
            ensure(fits, || {
                format!("{} has more than {most} stones", letter(color))
            })?;
        }
        ensure(self.stones.has(BLACK) || self.stones.has(WHITE), || {
            "the board has no stones".to_owned()
        })?;
        let start = checkerboard(self.columns, self.ranks).text(false);
        ensure(self.turn > 1 || self.stones.text(false) == start, || {
            "turn 1 is the start".to_owned()
        })
    }

    fn text(&self) -> String {
        format!(
            "{} {} {}",
            self.stones.text(false),
            letter(self.side),
            self.turn
        )
    }

    fn key(&self, key: &mut Key) {
        self.stones.key(1, key);
        key.push(turn_digit(self.turn), 5);
    }

    fn side(&self) -> Color {
        self.side
    }

    fn legal(&self, steps: &mut Vec<Step>) {
        if self.outcome().is_some() {
            return;
        }
        let before = steps.len();
        for from in self
            .stones
            .cells()
            .filter(|&from| self.stones.at(from) == self.side)
        {
            for to in self.stones.neighbors(from) {
                // "You can move to capture an orthogonally adjacent enemy stone in any direction", or "to an
                // orthogonally adjacent, unoccupied pit, closer to center".
                let stone = self.stones.at(to);
                if stone == -self.side || stone == 0 && self.distance(to) < self.distance(from) {
                    steps.push(Step::Move(from, to));
                }
            }
        }
        if steps.len() == before {
            // "if you don't have a legal move available, your turn is skipped"
            steps.push(Step::Pass);
        } else if self.pie && self.turn == 2 {
            steps.push(Step::Swap);
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Move(from, to) => {
                self.stones.put(to, self.side);
                self.stones.put(from, 0);
            }
            Step::Swap => self.stones.exchange_colors(),
            _ => {}
        }
        self.side = -self.side;
        self.turn += 1;
    }

    /// "When you have removed all enemy stones from the board, you win."
    fn outcome(&self) -> Option<Outcome> {
        let lost = [BLACK, WHITE]
            .into_iter()
            .find(|&color| !self.stones.has(color))?;
        Some(Outcome::win(-lost, "annihilation"))
    }
}
