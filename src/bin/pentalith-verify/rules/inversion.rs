//! Inversion, from the sheet by Zack Lasner.

use super::{
    BLACK, Board, Cell, Color, Fields, Key, Order, Outcome, Position, Step, Variant, WHITE, cell,
    check_side, ensure, label, letter, turn_digit,
};

#[derive(Clone)]
pub struct Inversion {
    side_length: i8,
    komi: i64,
    order: Order,
    pie: bool,
    stones: Board,
    side: Color,
    /// The centres of the completed hexes that wait for a choice, in cell order.
    pending: Vec<Cell>,
    turn: i64,
}

/// "Players move alternatingly, starting with White."
fn placer(turn: i64) -> Color {
    if turn % 2 == 1 { WHITE } else { BLACK }
}

/// "hex is any set of seven cells consisting of one center cell and its six surrounding cells."
fn hex((x, y): Cell) -> [Cell; 7] {
    [
        (x, y),
        (x - 1, y),
        (x + 1, y),
        (x, y - 1),
        (x, y + 1),
        (x + 1, y + 1),
        (x - 1, y - 1),
    ]
}

impl Inversion {
    /// A centre has all its neighbours on the board.
    fn is_centre(&self, centre: Cell) -> bool {
        hex(centre).into_iter().all(|cell| self.stones.inside(cell))
    }

    fn is_full(&self, centre: Cell) -> bool {
        hex(centre)
            .into_iter()
            .all(|cell| self.stones.at(cell) != 0)
    }

    /// "If the player's stone occupies the last empty cell in a hex": the full hexes that the stone lies in.
    fn completed_by(&self, stone: Cell) -> Vec<Cell> {
        let mut centres = Vec::from(hex(stone));
        centres.sort_by_key(|&(x, y)| (y, x));
        centres.retain(|&centre| self.is_centre(centre) && self.is_full(centre));
        centres
    }

    /// "the stones of the dominant color in that hex are replaced by stones of the non-dominant color."
    fn invert(&mut self, centre: Cell) {
        // "The dominant color of a hex is the color occupying four or more of the seven cells."
        let sum: i8 = hex(centre)
            .into_iter()
            .map(|cell| self.stones.at(cell))
            .sum();
        for cell in hex(centre) {
            self.stones.put(cell, -sum.signum());
        }
    }

    fn count(&self) -> i64 {
        self.stones.count(BLACK) + self.stones.count(WHITE)
    }
}

impl Position for Inversion {
    fn start(variant: &Variant) -> Self {
        Self {
            side_length: variant.columns,
            komi: variant.komi,
            order: variant.order,
            pie: variant.pie,
            stones: Board::hexagon(variant.columns),
            side: WHITE,
            pending: Vec::new(),
            turn: 1,
        }
    }

    fn read(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.stones.read(fields.text("board")?, false, 1)?;
        self.side = fields.side()?;
        let pending = fields.text("pending")?;
        if pending != "-" {
            let centres: Option<Vec<Cell>> = pending.split('+').map(cell).collect();
            self.pending =
                centres.ok_or_else(|| format!("`pending` is not a list of cells: `{pending}`"))?;
        }
        self.turn = fields.number("turn")?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let choosing = !self.pending.is_empty();
        // Where players take turns choosing, either may be to move.
        let side = if choosing && self.order == Order::Alternate {
            placer(self.turn)
        } else {
            self.side
        };
        check_side(WHITE, side, self.turn)?;
        // Every turn places one stone, but a swap; while hexes are pending the turn has placed its own.
        let (stones, expected) = (self.count(), self.turn - i64::from(!choosing));
        let swapped = self.pie && self.turn >= 3;
        let fits = stones == expected || swapped && stones + 1 == expected;
        ensure(fits, || {
            format!("{stones} stones do not fit turn {}", self.turn)
        })?;
        let sorted = self.pending.is_sorted_by_key(|&(x, y)| (y, x));
        let full = self
            .pending
            .iter()
            .all(|&centre| self.is_centre(centre) && self.is_full(centre));
        let common = self.stones.cells().any(|cell| {
            self.pending
                .iter()
                .all(|&centre| hex(centre).contains(&cell))
        });
        let mut different = self.pending.clone();
        different.dedup();
        let fits = sorted
            && full
            && common
            && different.len() == self.pending.len()
            && self.pending.len() != 1;
        ensure(fits, || {
            "`pending` is not the full hexes of one stone in cell order".to_owned()
        })
    }

    fn text(&self) -> String {
        let centres: Vec<String> = self.pending.iter().map(|&centre| label(centre)).collect();
        let pending = if centres.is_empty() {
            "-".to_owned()
        } else {
            centres.join("+")
        };
        format!(
            "{} {} {pending} {}",
            self.stones.text(false),
            letter(self.side),
            self.turn
        )
    }

    fn key(&self, key: &mut Key) {
        self.stones.key(1, key);
        for centre in self.stones.cells().filter(|&cell| self.is_centre(cell)) {
            key.push(i64::from(self.pending.contains(&centre)), 2);
        }
        key.push(i64::from(self.side == BLACK), 2);
        key.push(turn_digit(self.turn), 5);
    }

    fn side(&self) -> Color {
        self.side
    }

    fn legal(&self, steps: &mut Vec<Step>) {
        // "the player may choose the order in which to invert the hexes."
        if !self.pending.is_empty() {
            steps.extend(self.pending.iter().map(|&centre| Step::At(centre)));
            return;
        }
        // "The player must first place a stone of his or her color in any empty cell."
        let before = steps.len();
        steps.extend(
            self.stones
                .cells()
                .filter(|&cell| self.stones.at(cell) == 0)
                .map(Step::At),
        );
        if self.pie && self.turn == 2 && steps.len() > before {
            steps.push(Step::Swap);
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::At(cell) if self.pending.is_empty() => {
                self.stones.put(cell, self.side);
                self.pending = self.completed_by(cell);
            }
            Step::At(chosen) => {
                // "Each of the completed hexes must be inverted once and only once."
                self.invert(chosen);
                self.pending.retain(|&centre| centre != chosen);
                match self.order {
                    Order::Mover => {}
                    // "Or maybe no more than one hex should be inverted per turn."
                    Order::Single => self.pending.clear(),
                    // "Maybe players should alternate choosing which hex to invert [...] let the player who placed
                    // the stone choose" first.
                    Order::Alternate => self.side = -self.side,
                }
            }
            _ => self.stones.exchange_colors(),
        }
        // The last one leaves no choice.
        if let [last] = *self.pending.as_slice() {
            self.invert(last);
            self.pending.clear();
        }
        if self.pending.is_empty() {
            self.turn += 1;
            self.side = placer(self.turn);
        }
    }

    /// "to occupy more cells with your own stones than your opponent when there are no legal moves remaining. This
    /// occurs when all cells have been occupied."
    fn outcome(&self) -> Option<Outcome> {
        let side = i64::from(self.side_length);
        let full = self.count() == 3 * side * (side - 1) + 1;
        let difference = self.stones.count(BLACK) - self.stones.count(WHITE);
        (full && self.pending.is_empty())
            .then(|| Outcome::points(2 * difference + self.komi, "majority"))
    }
}
