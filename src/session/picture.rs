//! Visible parts of a position, for clients that draw it.

use crate::rules::{Board, Equipment, Piece};

/// A cell of a [`Picture`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Square {
    /// Label of the cell.
    pub label: String,
    /// Piece on the cell.
    pub piece: Option<Piece>,
    /// Marked by the board itself, whatever the position.
    pub is_marked: bool,
    /// A landmark that the rules name, whatever the position, such as a center pit.
    pub is_landmark: bool,
    /// Waits for a choice of the side to move.
    pub is_pending: bool,
}

/// Visible part of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// True for a hexagonal board.
    pub is_hexagon: bool,
    /// Cells by rank from rank 1 up, each rank from left to right; `None` off the board.
    pub ranks: Vec<Vec<Option<Square>>>,
    /// Number of the piece to set now, if the rules choose it.
    pub value_to_set: Option<u8>,
    /// Pieces in the Pool of Black and of White, in games that have Pools.
    pub pools: Option<[u32; 2]>,
    /// State that the board does not show, line by line.
    pub status: Vec<String>,
    /// Equipment of the game.
    pub equipment: Equipment,
}

pub(super) fn picture(board: &dyn Board) -> Picture {
    let shape = board.shape();
    let pending = board.pending();
    let landmarks = board.landmarks();
    let square = |cell| Square {
        label: shape.label(cell),
        piece: board.piece(cell),
        is_marked: board.is_marked(cell),
        is_landmark: landmarks.contains(&cell),
        is_pending: pending.contains(&cell),
    };
    let rank = |y| {
        let cells = (0..shape.columns()).map(move |x| shape.cell(x, y));
        cells.map(|cell| cell.map(square)).collect()
    };
    Picture {
        is_hexagon: shape.is_hexagon(),
        ranks: (0..shape.ranks()).map(rank).collect(),
        value_to_set: board.value_to_set(),
        pools: board.pools(),
        status: board.status(),
        equipment: board.equipment(),
    }
}
