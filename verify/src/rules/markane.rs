//! Markane, from the sheet by Mark Steere.

use super::*;

pub const RULES: Rules = Rules { name: "markane", first: BLACK, fields: &[Field::Owed], check, legal, play, outcome };

fn check(variant: &Variant, position: &Position) -> Result<(), String> {
    let Position { ref board, owed, turn, .. } = *position;
    // Every turn adds one stone to the board; a swap adds none.
    let sum = board.count(BLACK) + board.count(WHITE) + owed;
    let swapped = variant.pie && turn >= 3;
    let fits = sum == turn || swapped && sum + 1 == turn;
    ensure(fits, || format!("{sum} stones and owed placements do not fit turn {turn}"))?;
    let few = if turn < 3 { owed == 1 } else { owed >= 1 };
    ensure(few, || format!("{owed} owed placements do not fit turn {turn}"))?;
    let last = i64::from(variant.columns) * i64::from(variant.ranks) + 1 + i64::from(variant.pie);
    ensure(turn <= last, || format!("no turn comes after {last} on this board"))
}

fn adjacencies(position: &Position, pit: Cell, color: Color) -> usize {
    position.board.neighbors(pit).filter(|&pit| position.board.at(pit) == color).count()
}

/// "remove each enemy stone that has two adjacencies with your stones": the stones to remove, anywhere.
fn captured(position: &Position) -> Vec<Cell> {
    let enemies = position.board.cells_of(-position.side);
    enemies.filter(|&pit| adjacencies(position, pit, position.side) >= 2).collect()
}

/// Tells if a stone may be placed in an empty pit. `captures` says that any placement captures, as an enemy stone has
/// two adjacencies already.
fn may_place(position: &Position, pit: Cell, captures: bool) -> bool {
    let Position { ref board, side, .. } = *position;
    let mut enemies = board.neighbors(pit).filter(|&pit| board.at(pit) == -side);
    if captures || enemies.any(|enemy| adjacencies(position, enemy, side) >= 1) {
        return true;
    }
    // "You cannot place a stone adjacent to any friendly stones, unless in doing so you capture"; "Your placed stone
    // cannot have two or more adjacencies with enemy stones, unless your placement captures".
    adjacencies(position, pit, side) == 0 && adjacencies(position, pit, -side) <= 1
}

fn annihilated(position: &Position) -> bool {
    position.turn >= 3 && !position.board.has(-position.side)
}

fn legal(variant: &Variant, position: &Position, steps: &mut Vec<Step>) {
    if annihilated(position) {
        return;
    }
    let before = steps.len();
    let captures = !captured(position).is_empty();
    let pits = position.board.empty_cells().filter(|&pit| may_place(position, pit, captures));
    steps.extend(pits.map(Step::At));
    if variant.pie && position.turn == 2 && steps.len() > before {
        steps.push(Step::Swap);
    }
}

fn play(_: &Variant, position: &mut Position, step: Step) {
    position.owed -= 1;
    if let Step::At(pit) = step {
        position.board.put(pit, position.side);
        // "place another friendly stone for every enemy stone removed"
        for captured in captured(position) {
            position.board.put(captured, 0);
            position.owed += 1;
        }
    } else {
        position.swap();
    }
    if position.owed == 0 {
        (position.side, position.owed) = (-position.side, 1);
        position.turn += 1;
    }
}

fn outcome(variant: &Variant, position: &Position) -> Option<Outcome> {
    if annihilated(position) {
        // "If, at any time during your turn, you have removed all enemy stones from the board, you immediately win."
        return Some(Outcome::win(position.side, "annihilation"));
    }
    // "If you don't have a legal placement available, at any time during your turn, [...] you lose."
    let mut steps = Vec::new();
    legal(variant, position, &mut steps);
    steps.is_empty().then(|| Outcome::win(-position.side, "stalemate"))
}
