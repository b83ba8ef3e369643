//! Reviews as annotations of records.

use super::{Review, ReviewedMove};
use crate::record::{GameRecord, Line, MoveRecord};
use crate::session::Score;

/// Losses from which on a move gets `?!`, `?` and `??`, with their numbers in PGN, the greatest first.
const GLYPHS: [(f64, u8); 3] = [(0.2, 4), (0.1, 2), (super::MISTAKE, 6)];

/// Maximum number of moves of a better line.
const LINE: usize = 6;

impl Review {
    /// Returns the game with expected scores, and with marks, remarks and better lines at its mistakes.
    pub fn annotated(&self) -> GameRecord {
        let mut record = self.record.clone();
        for (made, reviewed) in record.moves.iter_mut().zip(&self.moves) {
            annotate(made, reviewed);
        }
        record
    }
}

fn annotate(made: &mut MoveRecord, reviewed: &ReviewedMove) {
    let mut information = made.information.unwrap_or_default();
    if information.score.is_none() {
        // Of the side that moved, as the player of a match gives it.
        information.score = Some(Score::of(reviewed.after, reviewed.proof_after));
        information.depth = reviewed.depth.try_into().ok();
        information.nodes = Some(reviewed.nodes);
    }
    made.information = Some(information);
    if !reviewed.is_mistake {
        return;
    }
    if let Some((_, glyph)) = GLYPHS.iter().find(|(loss, _)| reviewed.loss >= *loss)
        && made.nags.is_empty()
    {
        made.nags.push(*glyph);
    }
    let (before, after) = (100.0 * reviewed.before, 100.0 * reviewed.after);
    let remark = format!("{before:.1} % became {after:.1} %; better is {}", reviewed.best);
    made.comment = Some(match made.comment.take() {
        Some(comment) => format!("{comment} {remark}"),
        None => remark,
    });
    // The last move of a line may be incomplete; the best move is whole.
    let later = reviewed.line.iter().skip(1).take(LINE);
    let whole = reviewed.line.len().saturating_sub(2);
    let texts = std::iter::once(&reviewed.best).chain(later.take(whole));
    let continues = reviewed.line.first() == Some(&reviewed.best);
    let texts = texts.take(if continues { LINE } else { 1 });
    let information = Some(Default::default());
    let moves = texts.map(|text| MoveRecord::new(text, information)).collect();
    made.variations.push(Line { comment: Some("better".to_owned()), moves });
}
