//! Invector, from the sheet by Mark Steere.

use super::*;

pub const RULES: Rules = Rules { name: "invector", first: BLACK, fields: &[], check, legal, play, outcome };

/// The starting board: a checkerboard pattern, black on a1.
pub fn checkerboard(columns: i8, ranks: i8) -> Board {
    let mut board = Board::rectangle(columns, ranks, 1);
    for (x, y) in board.clone().cells() {
        board.put((x, y), if (x + y) % 2 == 0 { BLACK } else { WHITE });
    }
    board
}

/// "closer to center, Manhattan distance": the steps to the nearest of the two center pits. One dimension is odd and
/// has one middle, the other is even and has two.
fn distance(variant: &Variant, (x, y): Cell) -> i8 {
    let aside = |place: i8, length: i8| (2 * place - (length - 1)).abs() / 2;
    aside(x, variant.columns) + aside(y, variant.ranks)
}

fn check(variant: &Variant, position: &Position) -> Result<(), String> {
    let most = i64::from(variant.columns) * i64::from(variant.ranks) / 2;
    for color in [BLACK, WHITE] {
        let fits = position.board.count(color) <= most;
        ensure(fits, || format!("{} has more than {most} stones", letter(color)))?;
    }
    ensure(position.board.has(BLACK) || position.board.has(WHITE), || "the board has no stones".to_owned())?;
    let at_start = position.board.text() == checkerboard(variant.columns, variant.ranks).text();
    ensure(position.turn > 1 || at_start, || "at turn 1 it must be the start".to_owned())
}

fn legal(variant: &Variant, position: &Position, steps: &mut Vec<Step>) {
    let Position { ref board, side, .. } = *position;
    if outcome(variant, position).is_some() {
        return;
    }
    let before = steps.len();
    for from in board.cells_of(side) {
        for to in board.neighbors(from) {
            // "You can move to capture an orthogonally adjacent enemy stone in any direction", or "to an orthogonally
            // adjacent, unoccupied pit, closer to center".
            let stone = board.at(to);
            if stone == -side || stone == 0 && distance(variant, to) < distance(variant, from) {
                steps.push(Step::Move(from, to));
            }
        }
    }
    if steps.len() == before {
        // "if you don't have a legal move available, your turn is skipped"
        steps.push(Step::Pass);
    } else if variant.pie && position.turn == 2 {
        steps.push(Step::Swap);
    }
}

fn play(_: &Variant, position: &mut Position, step: Step) {
    match step {
        Step::Move(from, to) => {
            position.board.put(to, position.side);
            position.board.put(from, 0);
        }
        Step::Swap => position.swap(),
        _ => {}
    }
    position.side = -position.side;
    position.turn += 1;
}

/// "When you have removed all enemy stones from the board, you win."
fn outcome(_: &Variant, position: &Position) -> Option<Outcome> {
    let lost = [BLACK, WHITE].into_iter().find(|&color| !position.board.has(color))?;
    Some(Outcome::win(-lost, "annihilation"))
}
