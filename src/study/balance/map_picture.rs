//! The swap map as a picture.

use super::SwapMap;
use crate::board::Cell;
use crate::games;
use crate::render::{Annotations, Style, svg};
use crate::rules::Variant;

/// Meaning of the numbers.
const MEANING: &str = "numbers: what the side that moves there first scores, in percent";

/// Draws the map as SVG: on each cell the score of the fairest first move there. Moves that a swap takes are shaded,
/// others hatched. Below it stand `notes`. Returns `None` if the variant can't be opened.
pub fn swap_picture(variant: &Variant, map: &SwapMap, style: &Style, notes: Vec<String>) -> Option<String> {
    let board = games::open(variant)?;
    let mut heat: Vec<(Cell, f64, String)> = Vec::new();
    // The fairest moves come first.
    for scored in &map.moves {
        let Some(side) = scored.games.side() else {
            continue;
        };
        let text = format!("{:.0}", 100.0 * side.value);
        for &cell in &scored.first_move.cells {
            if heat.iter().all(|(known, ..)| *known != cell) {
                heat.push((cell, side.value - 0.5, text.clone()));
            }
        }
    }
    heat.sort_by_key(|(cell, ..)| *cell);
    let annotations =
        Annotations { heat, notes: notes.into_iter().chain([MEANING.to_owned()]).collect(), ..Annotations::default() };
    Some(svg(&*board, &annotations, style))
}
