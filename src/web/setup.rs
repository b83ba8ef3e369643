//! Positions that are set up by clicks: the page sends what it has and what is to change, and gets the picture.

use serde::{Deserialize, Serialize};

use super::actions::short;
use super::state::{CellState, cells};
use crate::board::{Cell, Shape};
use crate::games;
use crate::notation::position::write_board;
use crate::render;
use crate::rules::{Board, Color, Piece};
use crate::text::quote;

/// A change of a position that need not be valid yet.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct SetupRequest {
    variant: String,
    /// The position as the notation writes it; nothing for an empty board.
    position: String,
    flipped: bool,
    /// Label of a cell, and what is put there; a cell that holds it already becomes empty.
    cell: Option<String>,
    piece: Option<String>,
}

/// The position behind the change.
#[derive(Serialize)]
pub struct Setup {
    position: String,
    svg: String,
    cells: Vec<CellState>,
    /// Maximum value of a piece; 0 if pieces have none.
    values: u32,
    /// Reason why no game can begin here.
    error: Option<String>,
}

/// Makes a change.
///
/// # Errors
/// If the position has not the form of one of this variant.
pub fn set_up(request: &SetupRequest) -> Result<Setup, String> {
    let variant = games::parse_variant(short(&request.variant)?).map_err(|error| error.to_string())?;
    let mut board = games::open(&variant).ok_or_else(|| format!("{variant} can't be opened"))?;
    let start = board.position();
    let text = short(request.position.trim())?;
    let (ranks, fields) =
        text.split_once(' ').unwrap_or((text, start.split_once(' ').map_or("", |(_, fields)| fields)));
    let mut pieces = read_pieces(board.shape(), ranks)?;
    if let (Some(label), Some(piece)) = (&request.cell, &request.piece) {
        let index = board.shape().cells().position(|cell| board.shape().label(cell) == *label);
        let slot = index.and_then(|index| pieces.get_mut(index));
        let slot = slot.ok_or_else(|| format!("{} is not a cell of {variant}", quote(label)))?;
        let piece = read_piece(piece)?;
        *slot = if *slot == piece { None } else { piece };
    }
    let at = |cell: Cell| pieces.get(cell_index(&*board, cell)).copied().flatten();
    let ranks = write_board(board.shape(), |cell| at(cell).map_or(".".to_owned(), |piece| piece.to_string()));
    let position = format!("{ranks} {fields}");
    let picture = render::setup_svg(&*board, &pieces, request.flipped);
    let cells = cells(&*board, &picture.middles, at);
    let values = if board.value_digits() > 0 { board.cell_contents().saturating_sub(1) / 2 } else { 0 };
    let error = board.set_position(&position).err().map(|error| error.to_string());
    Ok(Setup { position, svg: picture.svg, cells, values, error })
}

fn cell_index(board: &dyn Board, cell: Cell) -> usize {
    board.shape().cells().position(|other| other == cell).unwrap_or(usize::MAX)
}

/// Reads the ranks of a position, whatever stands there. Nothing is an empty board.
fn read_pieces(shape: &Shape, text: &str) -> Result<Vec<Option<Piece>>, String> {
    let mut by_cell = vec![None; shape.cells().count()];
    if text.is_empty() {
        return Ok(by_cell);
    }
    let ranks: Vec<&str> = text.split('/').collect();
    let places: Vec<Cell> = shape.cells().collect();
    for (y, rank) in (0..shape.ranks()).rev().zip(&ranks) {
        let mut rest = *rank;
        for cell in shape.rank(y) {
            let length = 1 + rest.get(1..).unwrap_or_default().bytes().take_while(u8::is_ascii_digit).count();
            let (piece, later) = rest.split_at_checked(length).ok_or_else(|| wrong(text))?;
            rest = later;
            let index = places.iter().position(|&other| other == cell);
            if let Some(slot) = index.and_then(|index| by_cell.get_mut(index)) {
                *slot = read_piece(piece)?;
            }
        }
        if !rest.is_empty() {
            return Err(wrong(text));
        }
    }
    if ranks.len() == usize::from(shape.ranks()) { Ok(by_cell) } else { Err(wrong(text)) }
}

fn wrong(text: &str) -> String {
    format!("{} has not the ranks of this board", quote(text))
}

/// Reads `.`, a stone, or a piece with its value.
fn read_piece(text: &str) -> Result<Option<Piece>, String> {
    let color = match text.get(..1) {
        Some(".") if text.len() == 1 => return Ok(None),
        Some("b") => Color::Black,
        Some("w") => Color::White,
        _ => return Err(format!("{} is not a piece: expected ., b, w, or one of them with a number", quote(text))),
    };
    let value = match text.get(1..).unwrap_or_default() {
        "" => None,
        number => Some(number.parse().map_err(|_| format!("{} is not the value of a piece", quote(number)))?),
    };
    Ok(Some(Piece { color, value }))
}
