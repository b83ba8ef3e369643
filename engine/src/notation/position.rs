//! Reads and writes positions: fields separated by single spaces, the board first.

use std::fmt::Display;

use nom::character::complete::char;
use nom::combinator::eof;
use nom::multi::many0;
use nom::sequence::{separated_pair, terminated};
use nom::{IResult, Parser};

use super::pieces::{Expected, color, expect, number, read};
use crate::board::{Bitboard, Cell, Shape};
use crate::rules::{Color, Game, PositionError, PositionErrors, Stones};
use crate::text::{ParseError, quote};

/// Largest number in a field: more than any game reaches, and far from overflow.
const HIGHEST: u32 = 999_999_999;

/// Reads the fields of a position one by one and collects all errors.
pub struct PositionReader<'a> {
    input: &'a str,
    /// Name, column in characters from 1, and text of each field.
    fields: Vec<(&'static str, usize, &'a str)>,
    errors: Vec<(usize, PositionError)>,
}

/// An element of the field `board`.
enum Square<P> {
    Empty,
    Piece(P),
    EndOfRank,
}

impl<'a> PositionReader<'a> {
    /// Splits a position into fields with these names.
    ///
    /// # Errors
    /// If the number of fields is wrong.
    pub fn new(input: &'a str, names: &[&'static str]) -> Result<Self, PositionErrors> {
        let mut texts = Vec::new();
        let mut column = 1;
        for text in input.split(' ') {
            if !text.is_empty() {
                texts.push((column, text));
            }
            column += text.chars().count() + 1;
        }
        let mut reader = Self { input, fields: Vec::new(), errors: Vec::new() };
        if texts.len() == names.len() {
            let named = names.iter().zip(texts);
            reader.fields = named.map(|(&name, (column, text))| (name, column, text)).collect();
            return Ok(reader);
        }
        let message = format!("needs {} fields ({}), has {}", names.len(), names.join(", "), texts.len());
        let end = input.trim_end().chars().count() + 1;
        let column = texts.get(names.len()).map_or(end, |&(column, _)| column);
        reader.errors.push((column, PositionError::new("position", message)));
        Err(reader.into_error())
    }

    /// Reads a position of a game: the board, the side to move, `fields`, and the turn.
    ///
    /// `read` reads all of them in this order, so that errors come in it, and puts the position together. The game
    /// then validates it. Of a field that has an error already, further ones are left out.
    ///
    /// # Errors
    /// Lists everything that is wrong.
    pub fn read<G: Game>(
        game: &G,
        input: &'a str,
        fields: &[&'static str],
        read: impl FnOnce(&mut Self) -> Option<G::Position>,
    ) -> Result<G::Position, PositionErrors> {
        let names = [&["board", "side"], fields, &["turn"]].concat();
        let mut reader = Self::new(input, &names)?;
        let position = read(&mut reader);
        if let Some(position) = &position {
            let known: Vec<&str> = reader.errors.iter().map(|(_, error)| error.field).collect();
            let mut errors = game.validate(position);
            errors.retain(|error| !known.contains(&error.field));
            reader.add_errors(errors);
        }
        reader.finish(position)
    }

    /// Reads a position that is nothing but stones, as [`PositionReader::read`] does.
    ///
    /// # Errors
    /// Lists everything that is wrong.
    pub fn read_stones<B: Bitboard, G: Game<Position = Stones<B>>>(
        game: &G,
        shape: &Shape,
        input: &'a str,
    ) -> Result<Stones<B>, PositionErrors> {
        Self::read(game, input, &[], |reader| {
            let (stones, side, turn) = (reader.stones(shape), reader.side(), reader.turn());
            Some(Stones::new(stones?, side?, turn?))
        })
    }

    /// Reads a field with a parser. Returns `None` if it fails, and records the error.
    pub fn field<T>(
        &mut self,
        name: &'static str,
        parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
    ) -> Option<T> {
        let &(_, column, text) = self.fields.iter().find(|field| field.0 == name)?;
        read(text, parser).map_err(|error| self.add_syntax_error(name, column, &error)).ok()
    }

    /// Reads the field `side`.
    pub fn side(&mut self) -> Option<Color> {
        self.field("side", color)
    }

    /// Reads the field `turn`.
    pub fn turn(&mut self) -> Option<u32> {
        self.count("turn", 1)
    }

    /// Reads a field that holds a number of at least `min`.
    pub fn count(&mut self, name: &'static str, min: u32) -> Option<u32> {
        self.field(name, number(min, HIGHEST))
    }

    /// Reads a field that holds a pair of numbers: Black's, then White's.
    pub fn pair(&mut self, name: &'static str) -> Option<[u32; 2]> {
        let pair = separated_pair(number(0, HIGHEST), char(','), number(0, HIGHEST));
        let pair = expect("Black's number, a comma and White's", pair);
        self.field(name, pair).map(|(black, white)| [black, white])
    }

    /// Reads the field `board`. Returns the piece on each cell, in cell order.
    ///
    /// `piece` reads one piece, which errors call `what`; `.` is an empty cell.
    pub fn board<P>(
        &mut self,
        shape: &Shape,
        what: &str,
        mut piece: impl FnMut(&'a str) -> IResult<&'a str, P, Expected<'a>>,
    ) -> Option<Vec<Option<P>>> {
        let &(name, column, text) = self.fields.first()?;
        // Cells and rank separators are read as one flat list, so that a syntax error has its exact column.
        let square = |input: &'a str| match (input.strip_prefix('.'), input.strip_prefix('/')) {
            (Some(rest), _) => Ok((rest, Square::Empty)),
            (_, Some(rest)) => Ok((rest, Square::EndOfRank)),
            _ => piece(input).map(|(rest, piece)| (rest, Square::Piece(piece))),
        };
        let what = format!("{what}, . or /");
        let squares = terminated(many0(square), expect(what, eof));
        let squares = self.field(name, squares)?;
        let mut ranks = vec![Vec::new()];
        for square in squares {
            match (square, ranks.last_mut()) {
                (Square::Empty, Some(rank)) => rank.push(None),
                (Square::Piece(piece), Some(rank)) => rank.push(Some(piece)),
                _ => ranks.push(Vec::new()),
            }
        }
        let before = self.errors.len();
        let height = usize::from(shape.ranks());
        if ranks.len() != height {
            let message = format!("needs {height} ranks, has {}", ranks.len());
            self.errors.push((column, PositionError::new(name, message)));
        } else {
            let mut column = column;
            let texts = text.split('/');
            for ((y, rank), text) in (0..shape.ranks()).rev().zip(&ranks).zip(texts) {
                let width = shape.rank(y).count();
                if rank.len() != width {
                    let message = format!("rank {} needs {width} cells, has {}", y + 1, rank.len());
                    self.errors.push((column, PositionError::new(name, message)));
                }
                column += text.chars().count() + 1;
            }
        }
        (self.errors.len() == before).then(|| ranks.into_iter().rev().flatten().collect())
    }

    /// Reads the field `board` of a game of stones. Returns the cells of Black's stones and of White's.
    pub fn stones<B: Bitboard>(&mut self, shape: &Shape) -> Option<[B; 2]> {
        let cells = self.board(shape, "b, w", color)?;
        let of = |wanted| {
            let held = shape.cells().zip(&cells).filter(|(_, stone)| **stone == Some(wanted));
            B::from_cells(held.map(|(cell, _)| cell))
        };
        Some(Color::BOTH.map(of))
    }

    /// Adds errors that validation found, each with the column of its field.
    pub fn add_errors(&mut self, errors: Vec<PositionError>) {
        for error in errors {
            let field = self.fields.iter().find(|field| field.0 == error.field);
            self.errors.push((field.map_or(1, |field| field.1), error));
        }
    }

    /// Returns the value, if there was no error.
    ///
    /// # Errors
    /// All errors collected.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, PositionErrors> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(self.into_error()),
        }
    }

    fn add_syntax_error(&mut self, name: &'static str, column: usize, error: &ParseError) {
        // Quotes one piece of the board, or the whole rest of any other field.
        let mut rest = error.input.chars().skip(error.column - 1);
        let first = rest.next();
        let is_quoted = |c: &char| name != "board" || c.is_ascii_digit();
        let found: String = first.into_iter().chain(rest.take_while(is_quoted)).collect();
        let found = if found.is_empty() { "the end".to_owned() } else { quote(&found) };
        let message = format!("expected {}, found {found}", error.expected);
        self.errors.push((column + error.column - 1, PositionError::new(name, message)));
    }

    fn into_error(self) -> PositionErrors {
        PositionErrors { input: self.input.to_owned(), errors: self.errors }
    }
}

/// Writes the field `board`: ranks from the top down, separated by `/`, with the text that `piece` gives for each cell.
pub fn write_board<T: Display>(shape: &Shape, piece: impl Fn(Cell) -> T) -> String {
    let ranks = (0..shape.ranks()).rev();
    let ranks: Vec<String> = ranks.map(|y| shape.rank(y).map(|cell| piece(cell).to_string()).collect()).collect();
    ranks.join("/")
}
