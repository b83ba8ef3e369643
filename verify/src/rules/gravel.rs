//! Gravel, from its sheet, which names no author.

use std::collections::HashSet;

use super::*;

const FIELDS: &[Field] = &[Field::Used, Field::Removed, Field::Stall];
/// "lighter shade of pieces goes first"
pub const RULES: Rules = Rules { name: "gravel", first: WHITE, fields: FIELDS, check, legal, play, outcome };

/// The actions of the turn until now.
#[derive(Clone, Copy, PartialEq, Default)]
pub struct Used {
    /// Pieces placed from the Pool.
    pub placed: i64,
    /// Enemy pieces removed.
    pub removed: i64,
    /// True if a removal came before anything else.
    pub removed_first: bool,
}

impl Used {
    fn all(self) -> i64 {
        self.placed + self.removed
    }

    /// "the two may not be mixed": a placement is legal unless placements were finished, by a removal after them.
    fn may_place(self) -> bool {
        self.removed == 0 || self.removed_first
    }

    /// Likewise a removal. And "at the very least, a player must place 1 piece during their turn", so the last of the X
    /// actions is no removal if nothing is placed by then.
    fn may_remove(self, x: i64) -> bool {
        if self.placed == 0 { self.removed + 1 < x } else { !self.removed_first }
    }

    /// Writes the kinds in the order of the turn: `r1p2`.
    pub fn text(self) -> String {
        let part = |kind: char, count: i64| if count > 0 { format!("{kind}{count}") } else { String::new() };
        let (placed, removed) = (part('p', self.placed), part('r', self.removed));
        match self.all() {
            0 => "-".to_owned(),
            _ if self.removed_first => removed + &placed,
            _ => placed + &removed,
        }
    }

    /// Reads what `text` writes. What else it reads, `text` writes in another way.
    pub fn read(text: &str) -> Self {
        let after = |kind| text.split_once(kind).map_or("", |(_, after)| after);
        let count = |kind| after(kind).split(['p', 'r']).next().and_then(|count| count.parse::<i32>().ok());
        let [placed, removed] = ['p', 'r'].map(|kind| i64::from(count(kind).unwrap_or(0)));
        Self { placed, removed, removed_first: text.starts_with('r') }
    }
}

/// "each player takes a number of pieces equal to HALF the number of spaces on the grid, plus 1"
fn starting_pieces(variant: &Variant) -> i64 {
    i64::from(variant.columns).pow(2) / 2 + 1
}

fn pool(variant: &Variant, position: &Position, color: Color) -> i64 {
    starting_pieces(variant) - of(position.pair, color) - position.board.pieces(color)
}

fn check(variant: &Variant, position: &Position) -> Result<(), String> {
    let Position { used, turn, .. } = *position;
    for color in [BLACK, WHITE] {
        ensure(pool(variant, position, color) >= 0, || format!("{} has too many pieces", letter(color)))?;
    }
    ensure(used.all() < variant.x, || "a turn ends with the last of its actions".to_owned())?;
    let lost = of(position.pair, -position.side);
    ensure(used.removed <= lost, || "the enemy has lost fewer pieces than were removed".to_owned())?;
    // The limit is checked only after the second player's turn.
    let most = (variant.stall + 1).min(turn - 1);
    ensure(position.stall <= most, || format!("`stall` is at most {most} here"))
}

/// "A player *controls* a given space if they have pieces in at least 2 spaces orthogonally adjacent to that space, and
/// which pieces form a majority of all the pieces in all the spaces that are orthogonally adjacent to that space (but
/// not in the space itself!)."
fn controls(position: &Position, color: Color, space: Cell) -> bool {
    let board = &position.board;
    let own = board.neighbors(space).filter(|&at| board.of(at, color) > 0).count();
    let majority: i32 = board.neighbors(space).map(|at| i32::from(board.at(at) * color)).sum();
    own >= 2 && majority > 0
}

fn removable(variant: &Variant, position: &Position, space: Cell) -> bool {
    let Position { ref board, side, used, .. } = *position;
    board.of(space, -side) > 0 && used.may_remove(variant.x) && controls(position, side, space)
}

/// The steps that place, of the player to move, beginning with this space.
fn placements(variant: &Variant, position: &Position, space: Cell, pool: i64, steps: &mut Vec<Step>) {
    let Position { ref board, side, used, .. } = *position;
    if !used.may_place() {
        return;
    }
    let full = |at: Cell| i64::from(board.of(at, side)) >= variant.x;
    // "A piece that has not yet been placed on the grid may be placed in a vacant space or a friendly-occupied space.
    // No piece may be placed in an enemy-occupied space." And "no more than X pieces may be stacked in a single space".
    if pool > 0 && board.of(space, -side) == 0 && !full(space) {
        steps.push(Step::At(space));
    }
    // "A piece that is already on the grid may be picked up and placed **either** in another friendly-occupied space
    // **or** placed back in the Pool."
    if board.of(space, side) > 0 {
        let others = board.cells_of(side).filter(|&to| to != space && !full(to));
        steps.extend(others.map(|to| Step::Move(space, to)));
        steps.push(Step::Back(space));
    }
}

fn legal(variant: &Variant, position: &Position, steps: &mut Vec<Step>) {
    if outcome(variant, position).is_some() {
        return;
    }
    let pool = pool(variant, position, position.side);
    for space in position.board.cells() {
        placements(variant, position, space, pool, steps);
        if removable(variant, position, space) {
            steps.push(Step::Remove(space));
        }
    }
    if position.used.placed > 0 {
        steps.push(Step::End);
    }
    if variant.pie && position.turn == 2 && position.used.all() == 0 {
        steps.push(Step::Swap);
    }
}

/// Does what a step says, but leaves the turn open.
fn act(position: &mut Position, step: Step) {
    let side = position.side;
    let mut add = |space: Cell, piece: i8| position.board.put(space, position.board.at(space) + piece);
    match step {
        Step::At(space) => add(space, side),
        Step::Back(space) => add(space, -side),
        Step::Move(from, to) => {
            add(from, -side);
            add(to, side);
        }
        Step::Remove(space) => {
            add(space, side);
            add_to(&mut position.pair, -side, 1);
            position.used.removed_first |= position.used.placed == 0;
            position.used.removed += 1;
            return;
        }
        _ => return,
    }
    position.used.placed += 1;
}

fn play(variant: &Variant, position: &mut Position, step: Step) {
    act(position, step);
    if step == Step::Swap {
        position.swap();
    }
    if [Step::End, Step::Swap].contains(&step) || position.used.all() == variant.x {
        position.stall = if position.used.removed > 0 { 0 } else { position.stall + 1 };
        position.used = Used::default();
        position.side = -position.side;
        position.turn += 1;
    }
}

/// The loss condition that a player satisfies.
fn loss(variant: &Variant, position: &Position, color: Color) -> Option<&'static str> {
    let removed = of(position.pair, color);
    // "more than **half** of the player's starting pieces have been removed"
    let attrition = (2 * removed > starting_pieces(variant)).then_some("attrition");
    // "the player's pieces are occupying fewer spaces than the number of their pieces that have been removed"
    attrition.or((position.board.count(color) < removed).then_some("territory"))
}

/// A player "able to expand or remove": some legal turn of theirs from here, whoever is to move, would leave them
/// occupying more spaces or remove an enemy piece. All turns are tried, action by action.
fn able(variant: &Variant, position: &Position, color: Color) -> bool {
    // A quick look, for most positions: one piece from the Pool, or from a stack by way of it, into a vacant space.
    let stacked = position.board.pieces(color) > position.board.count(color);
    if position.board.empty_cells().next().is_some() && (stacked || pool(variant, position, color) > 0) {
        return true;
    }
    let mut fringe = vec![Position { side: color, used: Used::default(), ..position.clone() }];
    let (mut seen, mut steps, mut key) = (HashSet::new(), Vec::new(), Key::default());
    while let Some(state) = fringe.pop() {
        // A turn that removes can be completed: what is still to be placed, if anything, is at least a piece of those
        // that control the space, back in the Pool.
        if state.board.cells().any(|space| removable(variant, &state, space)) {
            return true;
        }
        steps.clear();
        let pool = pool(variant, &state, color);
        state.board.cells().for_each(|space| placements(variant, &state, space, pool, &mut steps));
        for &step in &steps {
            let mut next = state.clone();
            act(&mut next, step);
            // The turn may end here, as something was placed.
            if next.board.count(color) > position.board.count(color) {
                return true;
            }
            key.set(variant, &next);
            if next.used.all() < variant.x && seen.insert(key.bytes.clone()) {
                fringe.push(next);
            }
        }
    }
    false
}

fn outcome(variant: &Variant, position: &Position) -> Option<Outcome> {
    let Position { side, used, turn, .. } = *position;
    // "Check for game end at the end of each game turn", that is, after the second player's.
    let turn_over = side == WHITE && used.all() == 0 && turn >= 3;
    // "a player must place 1 piece during their turn": who cannot is judged at once.
    let stuck = || used.placed == 0 && position.board.count(side) == 0 && pool(variant, position, side) == 0;
    if !turn_over && !stuck() {
        return None;
    }
    match (loss(variant, position, BLACK), loss(variant, position, WHITE)) {
        // "If both players are satisfying one or both conditions at this time, the game ends in a draw."
        (Some(_), Some(_)) => return Some(Outcome::win(0, "mutual")),
        (Some(reason), None) => return Some(Outcome::win(WHITE, reason)),
        (None, Some(reason)) => return Some(Outcome::win(BLACK, reason)),
        (None, None) => {}
    }
    // "The game also ends in a draw if both players are both unable to expand their territory and remove any enemy
    // pieces."
    let able = |color| able(variant, position, color);
    if !able(BLACK) && !able(WHITE) {
        return Some(Outcome::win(0, "deadlock"));
    }
    (position.stall >= variant.stall).then(|| Outcome::win(0, "stall"))
}
