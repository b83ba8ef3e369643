//! Gravel, from its sheet, which names no author.

use std::collections::HashSet;

use super::{
    BLACK, Board, Cell, Color, Fields, Key, Outcome, Position, Step, Variant, WHITE, check_side,
    ensure, letter, number, of, of_mut, turn_digit,
};

#[derive(Clone)]
pub struct Gravel {
    /// "each player takes a number of pieces equal to HALF the number of spaces on the grid, plus 1"
    starting_pieces: i64,
    /// "the players decide on a value of X"
    x: i64,
    pie: bool,
    stall_limit: i64,
    spaces: Board,
    side: Color,
    used: Used,
    /// "Keep track of the total number of removed enemy pieces": the losses of Black and of White.
    removed: [i64; 2],
    stall: i64,
    turn: i64,
}

/// The actions of the turn so far.
#[derive(Clone, Copy, PartialEq, Default)]
struct Used {
    placed: i64,
    removed: i64,
    removed_first: bool,
}

impl Used {
    fn all(self) -> i64 {
        self.placed + self.removed
    }
}

impl Gravel {
    fn occupied(&self, color: Color) -> i64 {
        self.spaces.count(color)
    }

    fn pool(&self, color: Color) -> i64 {
        self.starting_pieces - of(self.removed, color) - self.spaces.pieces(color)
    }

    /// "A player *controls* a given space if they have pieces in at least 2 spaces orthogonally adjacent to that space,
    /// and which pieces form a majority of all the pieces in all the spaces that are orthogonally adjacent to that space
    /// (but not in the space itself!)."
    fn controls(&self, color: Color, space: Cell) -> bool {
        let own = self
            .spaces
            .neighbors(space)
            .filter(|&at| self.spaces.of(at, color) > 0)
            .count();
        let majority: i32 = self
            .spaces
            .neighbors(space)
            .map(|at| i32::from(self.spaces.at(at) * color))
            .sum();
        own >= 2 && majority > 0
    }

    /// "the two may not be mixed": a placement is legal unless placements were finished, by a removal after them.
    fn may_place(&self) -> bool {
        self.used.removed == 0 || self.used.removed_first
    }

    /// Likewise a removal. And "at the very least, a player must place 1 piece during their turn", so the last of the X
    /// actions is no removal if nothing is placed by then.
    fn may_remove(&self) -> bool {
        match self.used.placed {
            0 => self.used.all() + 1 < self.x,
            _ => !self.used.removed_first,
        }
    }

    fn removable(&self, space: Cell) -> bool {
        self.spaces.of(space, -self.side) > 0
            && self.may_remove()
            && self.controls(self.side, space)
    }

    /// The steps that place, of the player to move, beginning with this space.
    fn placements(&self, space: Cell, pool: i64, steps: &mut Vec<Step>) {
        if !self.may_place() {
            return;
        }
        let full = |at: Cell| i64::from(self.spaces.of(at, self.side)) >= self.x;
        // "A piece that has not yet been placed on the grid may be placed in a vacant space or a friendly-occupied
        // space. No piece may be placed in an enemy-occupied space." And "no more than X pieces may be stacked in a
        // single space".
        if pool > 0 && self.spaces.of(space, -self.side) == 0 && !full(space) {
            steps.push(Step::At(space));
        }
        // "A piece that is already on the grid may be picked up and placed **either** in another friendly-occupied
        // space **or** placed back in the Pool."
        if self.spaces.of(space, self.side) > 0 {
            let friendly = self
                .spaces
                .cells()
                .filter(|&to| self.spaces.of(to, self.side) > 0 && !full(to));
            steps.extend(
                friendly
                    .filter(|&to| to != space)
                    .map(|to| Step::Move(space, to)),
            );
            steps.push(Step::Back(space));
        }
    }

    fn end_turn(&mut self) {
        self.stall = if self.used.removed > 0 {
            0
        } else {
            self.stall + 1
        };
        self.used = Used::default();
        self.side = -self.side;
        self.turn += 1;
    }

    /// Does what a step says, but leaves the turn open.
    fn act(&mut self, step: Step) {
        let side = self.side;
        let mut add =
            |space: Cell, piece: i8| self.spaces.put(space, self.spaces.at(space) + piece);
        match step {
            Step::At(space) => add(space, side),
            Step::Back(space) => add(space, -side),
            Step::Move(from, to) => {
                add(from, -side);
                add(to, side);
            }
            Step::Remove(space) => {
                add(space, side);
                *of_mut(&mut self.removed, -side) += 1;
                self.used.removed_first |= self.used.placed == 0;
                self.used.removed += 1;
                return;
            }
            _ => return,
        }
        self.used.placed += 1;
    }

    /// A player "able to expand or remove": some legal turn of theirs from here, whoever is to move, would leave them
    /// occupying more spaces or remove an enemy piece. All turns are tried, action by action.
    fn able(&self, color: Color) -> bool {
        let start = Self {
            side: color,
            used: Used::default(),
            ..self.clone()
        };
        let mut seen = HashSet::new();
        let mut fringe = vec![start];
        let mut steps = Vec::new();
        let mut key = Key::default();
        while let Some(state) = fringe.pop() {
            // A turn that removes can be completed: what is still to be placed, if anything, is at least a piece of
            // those that control the space, back in the Pool.
            if state.spaces.cells().any(|space| state.removable(space)) {
                return true;
            }
            steps.clear();
            let pool = state.pool(color);
            state
                .spaces
                .cells()
                .for_each(|space| state.placements(space, pool, &mut steps));
            for &step in &steps {
                let mut next = state.clone();
                next.act(step);
                // The turn may end here, as something was placed.
                if next.occupied(color) > self.occupied(color) {
                    return true;
                }
                key.set(&next);
                if next.used.all() < self.x && seen.insert(key.bytes.clone()) {
                    fringe.push(next);
                }
            }
        }
        false
    }

    /// A quick look whether somebody is able, for most positions: one piece from the Pool, or from a stack by way of
    /// the Pool, into a vacant space.
    fn soon_able(&self, color: Color) -> bool {
        let vacant = self.spaces.cells().any(|space| self.spaces.at(space) == 0);
        let stacked = self.spaces.pieces(color) > self.occupied(color);
        vacant && (self.pool(color) > 0 || stacked)
    }

    /// The loss condition that a player satisfies.
    fn loss(&self, color: Color) -> Option<&'static str> {
        let removed = of(self.removed, color);
        if 2 * removed > self.starting_pieces {
            // "more than **half** of the player's starting pieces have been removed"
            Some("attrition")
        } else if self.occupied(color) < removed {
            // "the player's pieces are occupying fewer spaces than the number of their pieces that have been removed"
            Some("territory")
        } else {
            None
        }
    }

    fn used_text(&self) -> String {
        let Used {
            placed,
            removed,
            removed_first,
        } = self.used;
        match (placed, removed) {
            (0, 0) => "-".to_owned(),
            (_, 0) => format!("p{placed}"),
            (0, _) => format!("r{removed}"),
            _ if removed_first => format!("r{removed}p{placed}"),
            _ => format!("p{placed}r{removed}"),
        }
    }

    fn read_used(&mut self, text: &str) -> Result<(), String> {
        if text == "-" {
            return Ok(());
        }
        self.used.removed_first = text.starts_with('r');
        let second = text.rfind(['p', 'r']).unwrap_or(0);
        for part in [text.get(..second), text.get(second..)]
            .into_iter()
            .flatten()
        {
            match (part.get(..1), part.get(1..)) {
                (Some("p"), Some(count)) => self.used.placed = number(count, "used")?,
                (Some("r"), Some(count)) => self.used.removed = number(count, "used")?,
                (None, _) => {}
                _ => return Err(format!("`used` is like `p1r2`, not `{text}`")),
            }
        }
        Ok(())
    }
}

impl Position for Gravel {
    fn start(variant: &Variant) -> Self {
        let size = variant.columns;
        Self {
            starting_pieces: i64::from(size) * i64::from(size) / 2 + 1,
            x: variant.x,
            pie: variant.pie,
            stall_limit: variant.stall,
            spaces: Board::rectangle(size, size),
            side: WHITE,
            used: Used::default(),
            removed: [0, 0],
            stall: 0,
            turn: 1,
        }
    }

    fn read(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.spaces
            .read(fields.text("board")?, true, self.x as i8)?;
        self.side = fields.side()?;
        self.read_used(fields.text("used")?)?;
        self.removed = fields.pair("removed")?;
        self.stall = fields.number("stall")?;
        self.turn = fields.number("turn")?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check_side(WHITE, self.side, self.turn)?;
        for color in [BLACK, WHITE] {
            ensure(self.pool(color) >= 0, || {
                format!("{} has too many pieces", letter(color))
            })?;
        }
        ensure(self.used.all() < self.x, || {
            "a turn ends with the last of its actions".to_owned()
        })?;
        let lost = of(self.removed, -self.side);
        ensure(self.used.removed <= lost, || {
            "the enemy has lost fewer pieces than were removed".to_owned()
        })?;
        // The limit is checked only after the second player's turn.
        let most = (self.stall_limit + 1).min(self.turn - 1);
        ensure(self.stall <= most, || {
            format!("`stall` is at most {most} here")
        })
    }

    fn text(&self) -> String {
        let (board, side, used, [black, white]) = (
            self.spaces.text(true),
            letter(self.side),
            self.used_text(),
            self.removed,
        );
        format!(
            "{board} {side} {used} {black},{white} {} {}",
            self.stall, self.turn
        )
    }

    fn key(&self, key: &mut Key) {
        self.spaces.key(self.x as i8, key);
        key.push(i64::from(self.side == BLACK), 2);
        key.push(self.used.placed, self.x + 1);
        key.push(self.used.removed, self.x + 1);
        key.push(i64::from(self.used.removed_first), 2);
        let [black, white] = self.removed;
        key.push(black, self.starting_pieces + 1);
        key.push(white, self.starting_pieces + 1);
        key.push(self.stall, 20_000);
        key.push(turn_digit(self.turn), 5);
    }

    fn side(&self) -> Color {
        self.side
    }

    fn legal(&self, steps: &mut Vec<Step>) {
        if self.outcome().is_some() {
            return;
        }
        let pool = self.pool(self.side);
        for space in self.spaces.cells() {
            self.placements(space, pool, steps);
            if self.removable(space) {
                steps.push(Step::Remove(space));
            }
        }
        if self.used.placed > 0 {
            steps.push(Step::End);
        }
        if self.pie && self.turn == 2 && self.used == Used::default() {
            steps.push(Step::Swap);
        }
    }

    fn play(&mut self, step: Step) {
        if step == Step::Swap {
            self.spaces.exchange_colors();
            self.removed.reverse();
        }
        self.act(step);
        if [Step::End, Step::Swap].contains(&step) || self.used.all() == self.x {
            self.end_turn();
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        // "Check for game end at the end of each game turn", that is, after the second player's.
        let turn_over = self.side == WHITE && self.used == Used::default() && self.turn >= 3;
        // "a player must place 1 piece during their turn": who cannot is judged at once.
        let stuck =
            || self.used.placed == 0 && self.occupied(self.side) == 0 && self.pool(self.side) == 0;
        if !turn_over && !stuck() {
            return None;
        }
        match (self.loss(BLACK), self.loss(WHITE)) {
            // "If both players are satisfying one or both conditions at this time, the game ends in a draw."
            (Some(_), Some(_)) => return Some(Outcome::win(0, "mutual")),
            (Some(reason), None) => return Some(Outcome::win(WHITE, reason)),
            (None, Some(reason)) => return Some(Outcome::win(BLACK, reason)),
            (None, None) => {}
        }
        // "The game also ends in a draw if both players are both unable to expand their territory and remove any enemy
        // pieces."
        let soon_able = self.soon_able(BLACK) || self.soon_able(WHITE);
        if !soon_able && !self.able(BLACK) && !self.able(WHITE) {
            return Some(Outcome::win(0, "deadlock"));
        }
        (self.stall >= self.stall_limit).then(|| Outcome::win(0, "stall"))
    }
}
