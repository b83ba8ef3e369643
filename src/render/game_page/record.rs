//! The positions and moves of a game, noted step by step.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;

use super::SearchNote;
use super::sheet::Sheet;
use super::text::{isolated, safe};
use crate::board::Cell;
use crate::render::layout::Layout;
use crate::render::svg::Svg;
use crate::render::{Letters, Theme, caption, last_move, marks};
use crate::rules::{Board, Color, Piece, Step};
use crate::session::{LastMove, Score};

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
    variations: Vec<Variation>,
    /// The cells where steps of the present turn ended, and of the turn before if it left a choice to this player.
    earlier: Vec<Cell>,
    /// The number of them that came before the present choice.
    before_choice: usize,
}

/// A position, as the difference from the one before.
#[derive(Clone, Debug)]
struct Scene {
    /// The step that led here; empty at the start.
    step: String,
    changes: Vec<(usize, Option<Piece>)>,
    headline: String,
    status: String,
    is_over: bool,
    /// The fields of the position's text behind the board.
    fields: String,
    to_set: Option<Piece>,
    /// Marks of the step and of the cells that can be chosen, as parts of SVG: below the lines of the board, and above
    /// its pieces.
    frames: Vec<String>,
    signs: Vec<String>,
}

#[derive(Clone, Debug)]
struct Move {
    side: Color,
    turn: u32,
    steps: usize,
    note: Option<SearchNote>,
    /// Signs such as `?`, and a remark.
    sign: String,
    comment: String,
}

/// Another line from the position before a move.
#[derive(Clone, Debug)]
struct Variation {
    /// Index of the move.
    before: usize,
    comment: String,
    line: GameLine,
}

/// The pieces and marks of a board that occur in the games of a page, in the order of their numbers.
#[derive(Clone, Default, Debug)]
pub(super) struct Parts {
    pieces: Vec<Piece>,
    marks: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Parts {
    fn add(&mut self, piece: Piece) {
        let order = |piece: &Piece| (piece.color.index(), piece.value);
        if let Err(place) = self.pieces.binary_search_by_key(&order(&piece), order) {
            self.pieces.insert(place, piece);
        }
    }

    fn add_mark(&mut self, mark: &str) {
        if !self.numbers.contains_key(mark) {
            self.numbers.insert(mark.to_owned(), self.marks.len());
            self.marks.push(mark.to_owned());
        }
    }

    /// Returns the numbers of marks.
    fn numbers(&self, marks: &[String]) -> Vec<usize> {
        marks.iter().filter_map(|mark| self.numbers.get(mark).copied()).collect()
    }

    /// Returns the marks, in the order of their numbers.
    pub(super) fn marks(&self) -> &[String] {
        &self.marks
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }

    fn index(&self, piece: Piece) -> Option<usize> {
        self.pieces.iter().position(|&known| known == piece)
    }

    /// Returns the number of what stands on a cell: 0 for nothing, else one more than the index of the piece.
    fn number(&self, piece: Option<Piece>) -> usize {
        let index = piece.and_then(|piece| self.index(piece));
        index.map_or(0, |index| index + 1)
    }
}

/// A game for the script, which finds the texts of the steps in the page. Columns are compressed better than rows.
#[derive(Serialize)]
pub(super) struct LineData {
    /// For each cell at the start 0, or one more than the index of the piece there.
    start: Vec<usize>,
    /// For each step pairs of a cell and what stands there now.
    changes: Vec<Vec<usize>>,
    /// Texts of the start and of the position behind each step, as [`words`] writes them.
    headlines: Vec<String>,
    status: Vec<String>,
    fields: Vec<String>,
    /// For the same positions 0, or one more than the index of the piece to be set. Empty if there are none in the game.
    to_set: Vec<usize>,
    /// For the same positions the marks below the lines and above the pieces, by their numbers.
    frames: Vec<Vec<usize>>,
    signs: Vec<Vec<usize>>,
    /// For each move the side, how much larger its turn is than the last one, and the number of steps.
    sides: Vec<usize>,
    turns: Vec<u32>,
    lengths: Vec<usize>,
    /// For each move what is known of its search. Without a time it was not searched.
    times: Vec<Option<u64>>,
    clocks: Vec<Option<u64>>,
    depths: Vec<Option<u32>>,
    nodes: Vec<Option<u64>>,
    /// Centipawns, or the number of moves to the end as text.
    scores: Vec<Option<ScoreData>>,
    /// For each move its sign, and a remark. Empty if there are none in the game.
    marks: Vec<String>,
    comments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variations: Vec<VariationData>,
}

#[derive(Serialize)]
struct VariationData {
    /// Index of the move before which it leaves the line.
    before: usize,
    comment: String,
    steps: Vec<String>,
    line: LineData,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ScoreData {
    Cp(i32),
    Mate(String),
}

impl GameLine {
    /// Starts at the position of a board.
    pub(super) fn new(sheet: usize, board: &dyn Board) -> Self {
        let cells: Vec<Option<Piece>> = pieces(board).collect();
        Self {
            sheet,
            start: cells.clone(),
            scenes: vec![Scene::new(board, "", Vec::new(), Vec::new(), signs(board, &LastMove::default()))],
            cells,
            moves: Vec::new(),
            variations: Vec::new(),
            earlier: Vec::new(),
            before_choice: 0,
        }
    }

    /// Begins a move in the position of a board.
    pub fn begin_move(&mut self, board: &dyn Board) {
        let (side, turn) = (board.side(), board.turn());
        // A turn may be recorded in two parts.
        if self.moves.last().is_none_or(|last| (last.side, last.turn) != (side, turn)) {
            let gone = if board.pending().is_empty() { self.earlier.len() } else { self.before_choice };
            self.earlier.drain(..gone.min(self.earlier.len()));
            self.before_choice = 0;
        }
        self.moves.push(Move { side, turn, steps: 0, note: None, sign: String::new(), comment: String::new() });
    }

    /// Sets the sign and the remark of the present move.
    pub fn annotate(&mut self, sign: String, comment: String) {
        if let Some(last) = self.moves.last_mut() {
            (last.sign, last.comment) = (sign, comment);
        }
    }

    /// Adds another line from the position before the present move. It must be of the same page.
    pub fn add_variation(&mut self, comment: String, line: GameLine) {
        let before = self.moves.len().saturating_sub(1);
        self.variations.push(Variation { before, comment, line });
    }

    /// Sets what is known of the search for the present move.
    pub fn note_move(&mut self, note: SearchNote) {
        if let Some(last) = self.moves.last_mut() {
            last.note = Some(note);
        }
    }

    /// Plays a legal step of the present move.
    pub fn play(&mut self, board: &mut dyn Board, step: Step) {
        let was_choice = !board.pending().is_empty();
        let mut last = LastMove::default();
        last.play(board, step);
        let mut changes = Vec::new();
        for ((index, piece), known) in pieces(board).enumerate().zip(&mut self.cells) {
            if *known != piece {
                changes.push((index, piece));
                *known = piece;
            }
        }
        let layout = &Layout::new(board.shape(), true);
        let mut frames = Vec::new();
        for kind in last_move::frames(&last, &self.earlier) {
            frames.extend(kind.cells.iter().map(|&cell| drawn(|svg| kind.draw(svg, layout, &[cell]))));
        }
        if !was_choice && !board.pending().is_empty() {
            self.before_choice = self.earlier.len();
        }
        let text = last.steps.first().map_or("", |step| step.text.as_str());
        self.scenes.push(Scene::new(board, text, changes, frames, signs(board, &last)));
        self.earlier.extend(last.targets());
        if let Some(last) = self.moves.last_mut() {
            last.steps += 1;
        }
    }

    /// Returns the number of moves.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Returns true if the game ends by the rules.
    pub(super) fn is_over(&self) -> bool {
        self.scenes.last().is_some_and(|end| end.is_over)
    }

    /// Adds every piece and mark of the game.
    pub(super) fn collect(&self, parts: &mut Parts) {
        let changed = self.scenes.iter().flat_map(|scene| &scene.changes);
        let changed = changed.filter_map(|&(_, piece)| piece);
        let to_set = self.scenes.iter().filter_map(|scene| scene.to_set);
        let start = self.start.iter().flatten().copied();
        start.chain(changed).chain(to_set).for_each(|piece| parts.add(piece));
        let marks = self.scenes.iter().flat_map(|scene| scene.frames.iter().chain(&scene.signs));
        marks.for_each(|mark| parts.add_mark(mark));
        self.variations.iter().for_each(|variation| variation.line.collect(parts));
    }

    pub(super) fn data(&self, parts: &Parts) -> LineData {
        let (scenes, steps) = (&self.scenes, self.scenes.get(1..).unwrap_or_default());
        let changes = |scene: &Scene| {
            let pairs = scene.changes.iter();
            pairs.flat_map(|&(cell, piece)| [cell, parts.number(piece)]).collect()
        };
        let mut turn = 0;
        let turns = self.moves.iter().map(|one| one.turn - std::mem::replace(&mut turn, one.turn));
        LineData {
            start: self.start.iter().map(|&piece| parts.number(piece)).collect(),
            changes: steps.iter().map(changes).collect(),
            headlines: words(scenes.iter().map(|scene| scene.headline.as_str())),
            status: words(scenes.iter().map(|scene| scene.status.as_str())),
            fields: words(scenes.iter().map(|scene| scene.fields.as_str())),
            to_set: column(scenes, |scene| parts.number(scene.to_set), |&number| number > 0),
            frames: scenes.iter().map(|scene| parts.numbers(&scene.frames)).collect(),
            signs: scenes.iter().map(|scene| parts.numbers(&scene.signs)).collect(),
            sides: self.moves.iter().map(|one| one.side.index()).collect(),
            turns: turns.collect(),
            lengths: self.moves.iter().map(|one| one.steps).collect(),
            times: self.notes(|note| Some(note.time_ms)),
            clocks: self.notes(|note| note.clock_ms),
            depths: self.notes(|note| note.depth),
            nodes: self.notes(|note| note.nodes),
            scores: self.notes(|note| note.score.map(score_data)),
            marks: column(&self.moves, |one| safe(&one.sign), |text| !text.is_empty()),
            comments: column(&self.moves, |one| safe(&one.comment), |text| !text.is_empty()),
            variations: self.variations.iter().map(|variation| variation.data(parts)).collect(),
        }
    }

    fn notes<T>(&self, of: impl Fn(&SearchNote) -> Option<T>) -> Vec<Option<T>> {
        let value = |one: &Move| one.note.as_ref().and_then(&of);
        column(&self.moves, value, Option::is_some)
    }

    /// Writes the final position and the moves as HTML.
    pub(super) fn write_end(&self, body: &mut String, sheet: &Sheet, parts: &Parts) {
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
            if let Some(index) = piece.and_then(|piece| parts.index(piece)) {
                let (x, y) = sheet.middle(cell);
                let _ = write!(body, "<use href=\"#b{board}p{index}\" x=\"{x}\" y=\"{y}\"/>");
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

    /// Returns the moves, with the number of the turn before the first one and every tenth turn.
    fn movetext(&self) -> String {
        let mut steps = self.scenes.iter().skip(1);
        let moves = self.moves.iter().enumerate().map(|(index, one)| {
            let steps = steps.by_ref().take(one.steps);
            let steps: Vec<&str> = steps.map(|scene| scene.step.as_str()).collect();
            let steps = steps.join(",");
            if index == 0 || one.turn % 10 == 1 { format!("{}. {steps}", one.turn) } else { steps }
        });
        let moves: Vec<String> = moves.collect();
        moves.join(" ")
    }
}

impl Variation {
    fn data(&self, parts: &Parts) -> VariationData {
        let steps = self.line.scenes.iter().skip(1).map(|scene| scene.step.clone());
        VariationData {
            before: self.before,
            comment: safe(&self.comment),
            steps: steps.collect(),
            line: self.line.data(parts),
        }
    }
}

impl Scene {
    fn new(
        board: &dyn Board,
        step: &str,
        changes: Vec<(usize, Option<Piece>)>,
        frames: Vec<String>,
        signs: Vec<String>,
    ) -> Self {
        Self {
            step: step.to_owned(),
            changes,
            headline: caption::headline(board),
            is_over: board.is_over(),
            status: board.caption().join("\n"),
            fields: board.write_fields(),
            to_set: board.value_to_set().map(|value| Piece { color: board.side(), value: Some(value) }),
            frames,
            signs,
        }
    }
}

/// Draws what lies above the pieces: arrows, signs of captured pieces, and the cells that can be chosen.
fn signs(board: &dyn Board, last: &LastMove) -> Vec<String> {
    let layout = &Layout::new(board.shape(), true);
    let all = drawn(|svg| {
        last_move::draw_signs(svg, layout, board, last);
        marks::draw_choices(svg, layout, board);
    });
    // A part is a whole group.
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0);
    for line in all.split_inclusive('\n') {
        part.push_str(line);
        depth += i32::from(line.starts_with("<g ")) - i32::from(line.starts_with("</g>"));
        if depth == 0 {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts
}

/// Returns the SVG that a function draws.
pub(super) fn drawn(draw: impl FnOnce(&mut Svg)) -> String {
    let mut svg = Svg::new(Theme::Auto, Letters::Text);
    draw(&mut svg);
    svg.finish()
}

fn pieces(board: &dyn Board) -> impl Iterator<Item = Option<Piece>> {
    board.shape().cells().map(|cell| board.piece(cell))
}

fn score_data(score: Score) -> ScoreData {
    match score {
        Score::Cp(cp) => ScoreData::Cp(cp),
        Score::Mate(moves) => ScoreData::Mate(moves.to_string()),
    }
}

/// Returns a value for each item; no values if none of them says anything.
fn column<'a, I, T>(items: &'a [I], value: impl Fn(&'a I) -> T, says: impl Fn(&T) -> bool) -> Vec<T> {
    let values: Vec<T> = items.iter().map(value).collect();
    if values.iter().any(says) { values } else { Vec::new() }
}

/// Writes texts as differences from those before, word by word.
///
/// An empty word is the same as in the text before, `^` is a number larger by one, and `^^` stands before every other
/// word that is empty or begins with `^`.
fn words<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut before: Vec<&str> = Vec::new();
    let number = |word: &str| word.parse::<u32>().ok().filter(|_| !word.starts_with(['0', '+']));
    let differences = texts.map(|text| {
        let words: Vec<&str> = text.split(' ').collect();
        let code = |(index, &word): (usize, &&str)| match before.get(index) {
            Some(&known) if known == word => String::new(),
            Some(known) if number(word).is_some_and(|now| known.parse() == Ok(now - 1)) => "^".to_owned(),
            _ if word.is_empty() || word.starts_with('^') => format!("^^{word}"),
            _ => word.to_owned(),
        };
        let codes: Vec<String> = words.iter().enumerate().map(code).collect();
        before = words;
        codes.join(" ")
    });
    differences.collect()
}
