//! The positions and moves of a game, noted step by step.

use std::fmt::Write;

use serde::Serialize;

use super::SearchNote;
use super::sheet::Sheet;
use super::text::isolated;
use crate::board::Cell;
use crate::render::caption;
use crate::rules::{Board, Color, Piece};

/// A game as a page shows it: each position, and the step that led to it.
#[derive(Clone, Debug)]
pub struct GameLine {
    /// Index of the board among those of the page.
    pub(super) sheet: usize,
    start: Vec<Option<Piece>>,
    /// The board behind the last step.
    cells: Vec<Option<Piece>>,
    /// The start position, and the one behind each step.
    scenes: Vec<Scene>,
    moves: Vec<Move>,
}

/// A position, as the difference from the one before.
#[derive(Clone, Debug)]
struct Scene {
    /// The step that led here; empty at the start.
    step: String,
    /// The cells that the step names.
    cells: Vec<usize>,
    changes: Vec<(usize, Option<Piece>)>,
    headline: String,
    status: String,
    /// What a position's text has behind the board.
    fields: String,
    pending: Vec<usize>,
    to_set: Option<Piece>,
}

#[derive(Clone, Debug)]
struct Move {
    side: Color,
    turn: u32,
    steps: usize,
    note: Option<SearchNote>,
}

/// The pieces of a board that occur in the games of a page, in the order of their numbers.
#[derive(Clone, Default, Debug)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    fn add(&mut self, piece: Piece) {
        let order = |piece: &Piece| (piece.color.index(), piece.value);
        if let Err(place) = self.0.binary_search_by_key(&order(&piece), order) {
            self.0.insert(place, piece);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter()
    }

    fn index(&self, piece: Piece) -> Option<usize> {
        self.0.iter().position(|&known| known == piece)
    }

    /// Returns the number of what stands on a cell: 0 for nothing, else one more than the index of the piece.
    fn number(&self, piece: Option<Piece>) -> usize {
        let index = piece.and_then(|piece| self.index(piece));
        index.map_or(0, |index| index + 1)
    }
}

/// A game for the script. Columns, as they are compressed better than rows.
#[derive(Serialize)]
pub(super) struct LineData<'a> {
    /// What stands on each cell at the start: 0, or one more than the index of a piece.
    start: Vec<usize>,
    /// Texts of the steps.
    steps: Vec<&'a str>,
    /// For each step the cells that it names.
    cells: Vec<&'a [usize]>,
    /// For each step pairs of a cell and what stands there now.
    changes: Vec<Vec<usize>>,
    /// From here on for the start, and for each step. 0 stands for the same text as before.
    headlines: Vec<Repeated<'a>>,
    status: Vec<Repeated<'a>>,
    fields: Vec<Repeated<'a>>,
    pending: Vec<&'a [usize]>,
    /// 0, or one more than the index of the piece to be set.
    to_set: Vec<usize>,
    /// For each move the side, the turn, the number of steps, and what is known of its search.
    moves: Vec<(usize, u32, usize, Option<NoteData<'a>>)>,
}

/// A text, or 0 for the same text as before.
#[derive(Serialize)]
#[serde(untagged)]
enum Repeated<'a> {
    New(&'a str),
    Same(u8),
}

#[derive(Serialize)]
struct NoteData<'a> {
    time: u64,
    clock: Option<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    score: Option<&'a str>,
    /// Expected score of Black, in thousandths.
    black: Option<u32>,
}

impl GameLine {
    /// Starts at the position of a board.
    pub(super) fn new(sheet: usize, board: &dyn Board) -> Self {
        let cells: Vec<Option<Piece>> = pieces(board).collect();
        Self {
            sheet,
            start: cells.clone(),
            scenes: vec![Scene::new(board, "", &[], Vec::new())],
            cells,
            moves: Vec::new(),
        }
    }

    /// Begins a move in the position of a board.
    pub fn begin_move(&mut self, board: &dyn Board) {
        self.moves.push(Move {
            side: board.side(),
            turn: board.turn(),
            steps: 0,
            note: None,
        });
    }

    /// Sets what is known of the search for the present move.
    pub fn note_move(&mut self, note: SearchNote) {
        if let Some(last) = self.moves.last_mut() {
            last.note = Some(note);
        }
    }

    /// Adds a step of the present move.
    ///
    /// `cells` are those that the step names, and `board` has the position behind it.
    pub fn add_step(&mut self, step: &str, cells: &[Cell], board: &dyn Board) {
        let mut changes = Vec::new();
        for ((index, piece), known) in pieces(board).enumerate().zip(&mut self.cells) {
            if *known != piece {
                changes.push((index, piece));
                *known = piece;
            }
        }
        self.scenes.push(Scene::new(board, step, cells, changes));
        if let Some(last) = self.moves.last_mut() {
            last.steps += 1;
        }
    }

    /// Returns the number of moves.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Adds every piece of the game.
    pub(super) fn collect(&self, pieces: &mut Pieces) {
        let changed = self.scenes.iter().flat_map(|scene| &scene.changes);
        let changed = changed.filter_map(|&(_, piece)| piece);
        let to_set = self.scenes.iter().filter_map(|scene| scene.to_set);
        let start = self.start.iter().flatten().copied();
        start
            .chain(changed)
            .chain(to_set)
            .for_each(|piece| pieces.add(piece));
    }

    pub(super) fn data(&self, pieces: &Pieces) -> LineData<'_> {
        let (scenes, steps) = (&self.scenes, self.scenes.get(1..).unwrap_or_default());
        let changes = |scene: &Scene| {
            let pairs = scene.changes.iter();
            pairs
                .flat_map(|&(cell, piece)| [cell, pieces.number(piece)])
                .collect()
        };
        LineData {
            start: self
                .start
                .iter()
                .map(|&piece| pieces.number(piece))
                .collect(),
            steps: steps.iter().map(|scene| scene.step.as_str()).collect(),
            cells: steps.iter().map(|scene| scene.cells.as_slice()).collect(),
            changes: steps.iter().map(changes).collect(),
            headlines: repeated(scenes.iter().map(|scene| scene.headline.as_str())),
            status: repeated(scenes.iter().map(|scene| scene.status.as_str())),
            fields: repeated(scenes.iter().map(|scene| scene.fields.as_str())),
            pending: scenes
                .iter()
                .map(|scene| scene.pending.as_slice())
                .collect(),
            to_set: scenes
                .iter()
                .map(|scene| pieces.number(scene.to_set))
                .collect(),
            moves: self.moves.iter().map(Move::data).collect(),
        }
    }

    /// Writes the final position and the moves as HTML.
    pub(super) fn write_end(&self, body: &mut String, sheet: &Sheet, pieces: &Pieces) {
        let (board, (width, height)) = (self.sheet, sheet.size());
        let Some(end) = self.scenes.last() else {
            return;
        };
        // Writing to a string can't fail.
        let _ = writeln!(
            body,
            "<svg class=\"end\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Final position\">\
             <use href=\"#b{board}-ground\"/><use href=\"#b{board}-lines\"/>"
        );
        for (cell, &piece) in self.cells.iter().enumerate() {
            if let Some(index) = piece.and_then(|piece| pieces.index(piece)) {
                let (x, y) = sheet.middle(cell);
                let _ = write!(
                    body,
                    "<use href=\"#b{board}p{index}\" x=\"{x}\" y=\"{y}\"/>"
                );
            }
        }
        let texts = [end.headline.as_str(), &end.status];
        let texts = texts.into_iter().flat_map(str::lines);
        let texts: Vec<String> = texts.map(isolated).collect();
        let position = isolated(&sheet.position(&self.cells, &end.fields));
        let _ = writeln!(
            body,
            "</svg>\n<p>{}<br><code>{position}</code></p>\n<p class=\"moves\">{}</p>",
            texts.join("<br>"),
            isolated(&self.movetext())
        );
    }

    /// Returns the moves with the numbers of their turns.
    fn movetext(&self) -> String {
        let mut steps = self.scenes.iter().skip(1);
        let moves = self.moves.iter().map(|one| {
            let steps = steps.by_ref().take(one.steps);
            let steps: Vec<&str> = steps.map(|scene| scene.step.as_str()).collect();
            format!("{}. {}", one.turn, steps.join(","))
        });
        let moves: Vec<String> = moves.collect();
        moves.join(" ")
    }
}

impl Scene {
    fn new(
        board: &dyn Board,
        step: &str,
        cells: &[Cell],
        changes: Vec<(usize, Option<Piece>)>,
    ) -> Self {
        let indexes = |cells: &[Cell]| cells.iter().map(|cell| cell.index()).collect();
        Self {
            step: step.to_owned(),
            cells: indexes(cells),
            changes,
            headline: caption::headline(board),
            status: board.status().join("\n"),
            fields: board.write_fields(),
            pending: indexes(&board.pending()),
            to_set: board.value_to_set().map(|value| Piece {
                color: board.side(),
                value: Some(value),
            }),
        }
    }
}

impl Move {
    fn data(&self) -> (usize, u32, usize, Option<NoteData<'_>>) {
        let note = self.note.as_ref().map(|note| NoteData {
            time: note.time_ms,
            clock: note.clock_ms,
            depth: note.depth,
            nodes: note.nodes,
            score: note.score.as_deref(),
            black: note
                .expected_score_black
                .map(|share| (share.clamp(0.0, 1.0) * 1000.0).round() as u32),
        });
        (self.side.index(), self.turn, self.steps, note)
    }
}

fn pieces(board: &dyn Board) -> impl Iterator<Item = Option<Piece>> {
    board.shape().cells().map(|cell| board.piece(cell))
}

fn repeated<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Repeated<'a>> {
    let mut last = None;
    let encoded = texts.map(|text| match last.replace(text) == Some(text) {
        true => Repeated::Same(0),
        false => Repeated::New(text),
    });
    encoded.collect()
}
