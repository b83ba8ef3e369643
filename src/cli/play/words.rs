//! Says in words what a step does and how a game has ended.

use super::board::cells;
use super::hexes::Hexes;
use crate::notation::form;
use crate::rules::{Color, Equipment, HalfPoints, Outcome, Piece};
use crate::session::{Picture, Square};

/// A step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The step, as the notation writes it.
    pub step: String,
    /// Its effect, as a clause without a subject: `a stone on d1, which captures c1`.
    pub clause: String,
    /// True if it does more than its text says.
    pub has_effects: bool,
}

/// Breaks a text between words into lines of at most `width` characters.
///
/// Lines after the first begin with `indent` blanks. A longer word has lines of its own, which end after commas.
pub fn wrap(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut is_begun = false;
    // A word that fits no line is divided.
    let parts = |word| match str::chars(word).count() + indent > width {
        true => word.split_inclusive(',').collect(),
        false => vec![word],
    };
    // Blanks stay before the word that follows them, unless a line ends there.
    for word in text.split_inclusive(' ').flat_map(parts) {
        let length = line.chars().count() + word.trim_end().chars().count();
        if is_begun && length > width {
            lines.push(line.trim_end().to_owned());
            line = " ".repeat(indent);
        }
        line.push_str(word);
        is_begun |= !word.trim().is_empty();
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Joins words: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String], last: &str) -> String {
    match words.split_last() {
        None => String::new(),
        Some((word, [])) => word.clone(),
        Some((word, others)) => format!("{} {last} {word}", others.join(", ")),
    }
}

/// Finds a cell of a picture.
pub fn square<'a>(picture: &'a Picture, label: &str) -> Option<&'a Square> {
    let mut squares = picture.ranks.iter().flatten().flatten();
    squares.find(|square| square.label == label)
}

/// Returns the noun for a piece.
pub fn noun(equipment: Equipment) -> &'static str {
    match equipment {
        Equipment::Stones | Equipment::Pits => "stone",
        Equipment::Stacks => "piece",
        Equipment::Dice => "die",
    }
}

/// Describes a step of a player by the pictures before and after it.
///
/// Where hexes wait for a choice, the last one is inverted with the one before it, unless `is_single` says that only
/// one is inverted.
pub fn tell(step: &str, side: Color, [before, after]: [&Picture; 2], is_single: bool) -> Told {
    let own_cells = cells(step);
    let piece = |picture: &Picture, label: &str| square(picture, label).and_then(|found| found.piece);
    let first = own_cells.first().map_or("", String::as_str);
    let second = own_cells.get(1).map_or("", String::as_str);
    let noun = noun(before.equipment);
    let is_choice = square(before, first).is_some_and(|found| found.is_pending);
    let mut own_effects = true;
    let mut two_hexes = false;
    let clause = match form(step).as_str() {
        "#" if is_choice => match Hexes::last(before, after, first).filter(|_| !is_single) {
            Some(last) => {
                two_hexes = true;
                format!("inverts the hex around {first}, then the last one, around {last}")
            }
            None => format!("inverts the hex around {first}"),
        },
        "#" => {
            own_effects = false;
            match piece(after, first).and_then(|found| found.value) {
                Some(height) if height > 1 => {
                    format!("a {noun} from the Pool to {first}, which now holds {height}")
                }
                Some(_) => format!("a {noun} from the Pool to {first}"),
                None => format!("a {noun} on {first}"),
            }
        }
        "##" => {
            let (moved, taken) = (piece(before, first), piece(before, second));
            own_effects = taken.is_some() || piece(after, second).is_none();
            relocation(noun, [first, second], moved, taken, side, after)
        }
        "-#" => format!("a {noun} from {first} back to the Pool"),
        "x#" => {
            let left = piece(after, first).and_then(|found| found.value);
            match left {
                Some(left) => format!("removes a {noun} of {}'s from {first}, which still holds {left}", !side),
                None => format!("removes {}'s {noun} from {first}, which is empty now", !side),
            }
        }
        "9@#" => {
            own_effects = false;
            let value = step.split('@').next().unwrap_or_default();
            format!("a {value} on {first}")
        }
        "swap" => format!("every piece changes its colour, so {side} has the position of {}", !side),
        "pass" => format!("{side} has no step"),
        "end" => {
            own_effects = false;
            "the turn ends".to_owned()
        }
        _ => "a step".to_owned(),
    };
    let effects = match step {
        "swap" => Vec::new(),
        // The step names the hex, and its centre turns with the others.
        _ if is_choice => effects(side, &[], before, after),
        _ => {
            let mut all = Vec::new();
            let full = Hexes::completed(before, after, first);
            if !full.is_empty() {
                let hex = if full.len() == 1 { "hex" } else { "hexes" };
                all.push(format!("completes the {hex} around {}", list(&full, "and")));
            }
            all.append(&mut effects(side, &own_cells, before, after));
            all
        }
    };
    let has_effects = own_effects || !effects.is_empty();
    // Two hexes turn some cells twice: what is told is what both have done.
    let link = if two_hexes { "; together this" } else { ", which" };
    let clause = match effects.is_empty() {
        true => clause,
        false => format!("{clause}{link} {}", list(&effects, "and")),
    };
    Told { step: step.to_owned(), clause, has_effects }
}

/// Describes a step from a cell to another.
fn relocation(
    noun: &str,
    [from, to]: [&str; 2],
    moved: Option<Piece>,
    taken: Option<Piece>,
    side: Color,
    after: &Picture,
) -> String {
    // A die is named by its value; of a stack, one piece moves.
    let is_die = after.equipment == Equipment::Dice;
    let name = |piece: Option<Piece>| match piece.and_then(|piece| piece.value) {
        Some(value) if is_die => value.to_string(),
        _ => noun.to_owned(),
    };
    let mover = name(moved);
    let arrived = is_die && square(after, to).is_some_and(|found| found.piece.is_none());
    let mut clause = match taken {
        Some(taken) if taken.color == side => {
            let height = square(after, to).and_then(|found| found.piece?.value);
            let holds = height.map_or(String::new(), |height| format!(", which now holds {height}"));
            return format!("a {noun} from {from} to {to}{holds}");
        }
        Some(_) => format!("the {mover} on {from} takes the {} on {to}", name(taken)),
        None => format!("the {mover} on {from} goes to {to}"),
    };
    match taken.and_then(|taken| taken.value) {
        Some(1) if is_die => clause.push_str(", which leaves play and scores 1"),
        Some(value) if is_die => {
            clause.push_str(&format!(", which {} sets again as a {}", !side, value - 1));
        }
        _ => {}
    }
    if arrived {
        clause.push_str(&format!("; the {mover} arrives and scores {mover}"));
    }
    clause
}

/// Describes what has changed beside the cells of the step.
fn effects(side: Color, own_cells: &[String], before: &Picture, after: &Picture) -> Vec<String> {
    let squares = |picture: &'_ Picture| {
        let squares = picture.ranks.iter().flatten().flatten();
        squares.cloned().collect::<Vec<Square>>()
    };
    let mut captured = Vec::new();
    let mut turned = [Vec::new(), Vec::new()];
    for (old, new) in squares(before).iter().zip(&squares(after)) {
        let is_own = own_cells.contains(&old.label);
        match (old.piece, new.piece) {
            (Some(_), None) if !is_own => captured.push(old.label.clone()),
            (Some(old_piece), Some(piece)) if old_piece.color != piece.color && !is_own => {
                let [black, white] = &mut turned;
                let of_color = match piece.color {
                    Color::Black => black,
                    Color::White => white,
                };
                of_color.push(new.label.clone());
            }
            _ => {}
        }
    }
    // A stone that was placed may turn with the others.
    if let [own] = own_cells
        && let Some(new) = square(after, own).and_then(|found| found.piece)
        && new.color != side
        && square(before, own).is_some_and(|found| found.piece.is_none())
    {
        let [black, white] = &mut turned;
        match new.color {
            Color::Black => black.push(own.clone()),
            Color::White => white.push(own.clone()),
        }
    }
    let mut effects = Vec::new();
    if !captured.is_empty() {
        effects.push(format!("captures {}", list(&captured, "and")));
    }
    for (color, cells) in Color::BOTH.into_iter().zip(turned) {
        if !cells.is_empty() {
            let color = color.to_string().to_lowercase();
            effects.push(format!("turns {} {color}", list(&cells, "and")));
        }
    }
    effects
}

/// Says how a game has ended: the winner, the reason in words and as the notation's word, and the margin.
pub fn result(outcome: Outcome, margin: Option<HalfPoints>) -> String {
    let Outcome { winner, reason } = outcome;
    let by = match margin {
        Some(margin) if winner.is_some() => format!(" by {margin}"),
        _ => String::new(),
    };
    let result = match winner {
        Some(color) => format!("{color} wins{by}"),
        None => "A draw".to_owned(),
    };
    let loser = winner.map_or_else(String::new, |winner| (!winner).to_string());
    let why = match (reason, winner) {
        ("annihilation", _) => format!("{loser} has no stone left"),
        ("stalemate", _) => format!("{loser} has to place a stone and cannot"),
        ("attrition", _) => format!("more than half of {loser}'s pieces have been removed"),
        ("territory", _) => format!("{loser} has lost more pieces than {loser} occupies spaces"),
        ("mutual", _) => "both players have lost".to_owned(),
        ("deadlock", _) => "neither player can expand or remove".to_owned(),
        ("stall", _) => "too many turns in a row without a removal".to_owned(),
        ("majority", Some(_)) => "more stones".to_owned(),
        ("score", Some(_)) => "the higher score".to_owned(),
        ("majority" | "score", None) => "both have the same".to_owned(),
        (reason, _) => return format!("{result}: {reason}."),
    };
    format!("{result}: {why} ({reason}).")
}
