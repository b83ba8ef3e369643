//! Reviews as annotations of records.

use super::{Proven, Review, ReviewedMove};
use crate::record::{ANNOTATOR, GameRecord, Line, MoveRecord};
use crate::search::Proof;
use crate::session::Score;

/// Losses from which on a move gets `?!`, `?` and `??`, with their numbers in PGN, the greatest first.
const GLYPHS: [(f64, u8); 3] = [(0.2, 4), (0.1, 2), (super::MISTAKE, 6)];

/// Beginning of the name of the annotator, where this program has reviewed the game.
pub const REVIEWER: &str = "pentalith review";

/// Maximum number of moves of a better line.
const LINE: usize = 6;

impl Review {
    /// Returns the name of the annotator, with the budget.
    pub(super) fn annotator(&self) -> String {
        format!("{REVIEWER}, {} per position", self.budget)
    }

    /// Returns the game with expected scores, and with marks, remarks and better lines at its mistakes.
    pub fn annotated(&self) -> GameRecord {
        let mut record = self.record.clone();
        record.tags.retain(|(name, _)| name != ANNOTATOR);
        record.tags.push((ANNOTATOR.to_owned(), self.annotator()));
        for (made, reviewed) in record.moves.iter_mut().zip(&self.moves) {
            mark(made, reviewed);
        }
        record
    }
}

/// Adds what a review says of a move.
pub(super) fn mark(made: &mut MoveRecord, reviewed: &ReviewedMove) {
    let mut information = made.information.unwrap_or_default();
    // Of the side that moved, as the player of a match gives it.
    let proof = reviewed.proof_after.and_then(|Proven { winner, moves }| Some(Proof { winner, moves: moves? }));
    information.score = Some(Score::of(reviewed.after, proof));
    information.depth = reviewed.depth.try_into().ok();
    information.nodes = Some(reviewed.nodes);
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
    let better = if reviewed.best == reviewed.text { String::new() } else { format!("; better is {}", reviewed.best) };
    let remark = format!("{before:.1} % became {after:.1} %{better}");
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
    if reviewed.best == reviewed.text {
        return;
    }
    made.variations.push(Line { comment: Some("better".to_owned()), moves });
}
