//! Inversion, from the sheet by Zack Lasner.

use super::*;

/// "Players move alternatingly, starting with White."
pub const RULES: Rules =
    Rules { name: "inversion", first: WHITE, fields: &[Field::Pending], check, legal, play, outcome };

/// "hex is any set of seven cells consisting of one center cell and its six surrounding cells."
fn hex((x, y): Cell) -> [Cell; 7] {
    [(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1), (x + 1, y + 1), (x - 1, y - 1)]
}

/// Cells at the edge are the center of no hex, as fewer than seven lie on the board.
fn is_full(board: &Board, center: Cell) -> bool {
    hex(center).into_iter().all(|cell| board.at(cell) != 0)
}

fn check(variant: &Variant, position: &Position) -> Result<(), String> {
    let Position { ref board, ref pending, turn, .. } = *position;
    // Every turn places one stone, but a swap; while hexes are pending the turn has placed its own.
    let (stones, expected) = (board.count(BLACK) + board.count(WHITE), turn - i64::from(pending.is_empty()));
    let swapped = variant.pie && turn >= 3;
    let fits = stones == expected || swapped && stones + 1 == expected;
    ensure(fits, || format!("{stones} stones do not fit turn {turn}"))?;
    let sorted = pending.is_sorted_by(|(x, y), (next_x, next_y)| (y, x) < (next_y, next_x));
    let full = pending.iter().all(|&center| is_full(board, center));
    let common = board.cells().any(|cell| pending.iter().all(|&center| hex(center).contains(&cell)));
    let fits = sorted && full && common && pending.len() != 1;
    ensure(fits, || "the pending centers are not those of full hexes with a common cell, in cell order".to_owned())
}

fn legal(variant: &Variant, position: &Position, steps: &mut Vec<Step>) {
    // "the player may choose the order in which to invert the hexes."
    if !position.pending.is_empty() {
        steps.extend(position.pending.iter().map(|&center| Step::At(center)));
        return;
    }
    // "The player must first place a stone of his or her color in any empty cell."
    let before = steps.len();
    steps.extend(position.board.empty_cells().map(Step::At));
    if variant.pie && position.turn == 2 && steps.len() > before {
        steps.push(Step::Swap);
    }
}

/// "the stones of the dominant color in that hex are replaced by stones of the non-dominant color."
fn invert(board: &mut Board, center: Cell) {
    // "The dominant color of a hex is the color occupying four or more of the seven cells."
    let sum: i8 = hex(center).into_iter().map(|cell| board.at(cell)).sum();
    hex(center).into_iter().for_each(|cell| board.put(cell, -sum.signum()));
}

fn play(variant: &Variant, position: &mut Position, step: Step) {
    let Position { board, side, pending, turn, .. } = position;
    match step {
        Step::At(cell) if pending.is_empty() => {
            // "If the player's stone occupies the last empty cell in a hex": the full hexes that the stone lies in.
            board.put(cell, *side);
            pending.extend(hex(cell).into_iter().filter(|&center| is_full(board, center)));
            pending.sort_unstable_by_key(|&(x, y)| (y, x));
        }
        Step::At(chosen) => {
            // "Each of the completed hexes must be inverted once and only once."
            invert(board, chosen);
            pending.retain(|&center| center != chosen);
            match variant.order {
                Order::Mover => {}
                // "Or maybe no more than one hex should be inverted per turn."
                Order::Single => pending.clear(),
                // "Maybe players should alternate choosing which hex to invert [...] let the player who placed the
                // stone choose" first.
                Order::Alternate => *side = -*side,
            }
        }
        _ => board.exchange_colors(),
    }
    // The last one leaves no choice.
    if let [last] = **pending {
        invert(board, last);
        pending.clear();
    }
    if pending.is_empty() {
        *turn += 1;
        *side = if *turn % 2 == 1 { WHITE } else { BLACK };
    }
}

/// "to occupy more cells with your own stones than your opponent when there are no legal moves remaining. This occurs
/// when all cells have been occupied."
fn outcome(variant: &Variant, position: &Position) -> Option<Outcome> {
    let board = &position.board;
    let over = position.pending.is_empty() && board.empty_cells().next().is_none();
    let difference = board.count(BLACK) - board.count(WHITE);
    over.then(|| Outcome::points(2 * difference + variant.komi, "majority"))
}
