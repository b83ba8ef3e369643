//! Reviews of the game at a table.

use super::annotate::mark;
use super::{Review, ReviewedMove};
use crate::record::{GameRecord, MoveRecord};
use crate::table::{NodeId, Remark, Table};

/// The game at a table as a review takes it: with what was taken back, and without variations.
#[derive(Clone, Debug)]
pub struct TableGame {
    /// The game.
    pub record: GameRecord,
    /// The plays of each move.
    moves: Vec<Vec<NodeId>>,
}

impl TableGame {
    /// Takes the game of a table.
    pub fn of(table: &Table) -> Self {
        let (mut parts, mut moves) = (Vec::new(), Vec::<Vec<NodeId>>::new());
        let mut last = None;
        for id in table.line() {
            let Some(node) = table.node(id) else {
                break;
            };
            parts.push(MoveRecord::new(&node.text, node.information));
            match moves.last_mut().filter(|_| last == Some(node.color)) {
                Some(plays) => plays.push(id),
                None => moves.push(vec![id]),
            }
            last = Some(node.color);
        }
        Self { record: GameRecord { start: table.start_position(), moves: parts, ..table.record() }, moves }
    }

    /// Returns true if nothing was played.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Returns the plays of a reviewed move, by its index.
    pub fn plays(&self, index: usize) -> &[NodeId] {
        self.moves.get(index).map(Vec::as_slice).unwrap_or_default()
    }

    /// Writes a review into the tree of the table: scores, marks, remarks, and better lines as variations. Returns for
    /// each move the first node of its better line.
    pub fn annotate(&self, table: &mut Table, review: &Review) -> Vec<Option<NodeId>> {
        table.set_annotator(review.annotator());
        let moves = self.moves.iter().zip(&review.moves);
        let annotate = |(plays, reviewed): (&Vec<NodeId>, &ReviewedMove)| {
            let annotated = table.annotate(plays, remark(reviewed));
            annotated.unwrap_or_else(|refusal| {
                log::warn!("a better line can't be kept: {refusal}");
                None
            })
        };
        moves.map(annotate).collect()
    }
}

fn remark(reviewed: &ReviewedMove) -> Remark {
    let mut made = MoveRecord::new(&reviewed.text, None);
    mark(&mut made, reviewed);
    let better = made.variations.pop();
    Remark {
        information: made.information.unwrap_or_default(),
        nags: made.nags,
        comment: made.comment,
        better: better.map(|line| line.moves).unwrap_or_default(),
    }
}
