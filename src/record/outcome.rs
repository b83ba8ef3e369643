//! Outcomes of games: what ratings need of a record, and no more.
//!
//! They are read from records of any origin: players, variant and result are enough, and moves may be written in any way.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use serde_json::Value;

use super::abstract_play::AbstractPlayRecord;
use super::file::ReadError;
use super::json::{Objects, is_abstract_play, is_json};
use super::lexer::{Lexer, result_of};
use super::parser::{ParsedGame, next_outline};
use super::text::RecordError;
use super::{GameRecord, GameResult, SWAP};
use crate::files::{self, without_mark};
use crate::games;
use crate::rules::Color;
use crate::text::quote;

/// A finished game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Canonical variant; of a game that this program doesn't play, its name.
    pub variant: String,
    /// The player who moved first, and the other one.
    pub players: [String; 2],
    /// Half points of the player who moved first: 0, 1 or 2.
    pub half_points: usize,
    /// True if the players swapped colors by the pie rule; `None` if the moves don't say.
    pub swapped: Option<bool>,
    /// Hash of the pair that the game belongs to.
    pub pair: Option<u64>,
    /// Hash of the whole game, if it is known well enough to tell a copy from another game.
    pub identity: Option<u64>,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl Outcome {
    /// Returns the outcome of a game in which a color moved first, without an identity.
    pub fn of(game: &GameRecord, first: Color) -> Self {
        let names = [first, !first].map(|color| game.seat(color).name.clone());
        Self {
            variant: game.variant.clone(),
            players: names,
            half_points: game.half_points(first),
            swapped: swapped(game.moves.iter().map(|made| made.text.as_str())),
            pair: Some(hash((game.seed, game.pair, game.opening()))),
            identity: None,
        }
    }
}

/// Returns true if a move is a swap; `None` without moves.
fn swapped<'a>(mut moves: impl Iterator<Item = &'a str>) -> Option<bool> {
    let first = moves.next()?;
    // Later moves can't be one.
    Some(first == SWAP || moves.take(2).any(|made| made == SWAP))
}

/// The outcomes of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcomes {
    /// Outcomes of the finished games.
    pub finished: Vec<Outcome>,
    /// Number of games without a result.
    pub unfinished: u64,
    /// Errors in the other games, one each.
    pub errors: Vec<RecordError>,
}

impl Outcomes {
    fn add(&mut self, outcome: Result<Option<Outcome>, RecordError>) {
        match outcome {
            Ok(Some(outcome)) => self.finished.push(outcome),
            Ok(None) => self.unfinished += 1,
            Err(error) => self.errors.push(error),
        }
    }
}

/// A game as it is read, before the order of its players is known.
struct Found {
    variant: String,
    black: String,
    white: String,
    result: GameResult,
    swapped: Option<bool>,
    /// Number, pair and seed of a match.
    place: Option<[u64; 3]>,
    /// Hash of the moves, if there are some.
    moves: Option<u64>,
}

/// Variants by their names, each with the color that moves first.
#[derive(Default)]
struct Variants(HashMap<String, (String, Color)>);

impl Variants {
    fn get(&mut self, name: &str) -> Result<&(String, Color), String> {
        if !self.0.contains_key(name) {
            let variant = games::parse_variant(name).map_err(|error| error.to_string())?;
            self.0.insert(name.to_owned(), (variant.to_string(), variant.info().first));
        }
        self.0.get(name).ok_or_else(|| format!("the variant {} is not known", quote(name)))
    }

    fn outcome(&mut self, found: Found) -> Result<Option<Outcome>, String> {
        let (variant, first) = self.get(&found.variant)?.clone();
        let Found { black, white, result, swapped, place, moves, .. } = found;
        let winner = match result {
            GameResult::Unfinished => return Ok(None),
            GameResult::Draw => None,
            GameResult::Black => Some(Color::Black),
            GameResult::White => Some(Color::White),
        };
        let half_points = winner.map_or(1, |winner| if winner == first { 2 } else { 0 });
        let identity = place.zip(moves).map(|known| hash((&variant, &black, &white, result as u8, known)));
        let pair = place.map(|[_, pair, seed]| hash((pair, seed)));
        let players = if first == Color::Black { [black, white] } else { [white, black] };
        Ok(Some(Outcome { variant, players, half_points, swapped, pair, identity }))
    }
}

/// Reads the outcomes of a file: text with tags, as in PGN; JSON objects of this program; or records of AbstractPlay.
///
/// # Errors
/// If it can't be read, or has an error and no game. Names the file and the line.
pub fn read_outcomes(path: &Path) -> Result<Outcomes, ReadError> {
    let text = files::read_text(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
    let outcomes = if is_json(&text) { of_json(&text) } else { of_text(without_mark(&text)) };
    match outcomes.errors.first() {
        Some(first) if outcomes.finished.is_empty() && outcomes.unfinished == 0 => {
            Err(ReadError::Text(path.to_owned(), first.clone()))
        }
        _ => Ok(outcomes),
    }
}

/// Returns what ratings need of a game of a text, whose moves may be any words.
fn found_in_text(game: &ParsedGame<'_>, moves: &[&str]) -> Result<Found, RecordError> {
    // A tag may be missing because it can't be read.
    let error = |expected: String, found: &str| {
        let error = || RecordError::new(game.begin, format!("expected {expected}, found {found}"));
        game.errors.first().cloned().unwrap_or_else(error)
    };
    let need = |name: &str| {
        let missing = || error(format!("the tag {name} in the game that begins here"), "none");
        game.tag(name).ok_or_else(missing)
    };
    let number = |name| game.tag(name)?.parse::<u64>().ok();
    let result = match (game.tag("Result"), game.result) {
        (None, Some((_, (result, _)))) => result,
        _ => {
            let text = need("Result")?;
            let expected = || "1-0, 0-1, 1/2-1/2 or * in the tag Result of this game".to_owned();
            result_of(text).ok_or_else(|| error(expected(), &quote(text)))?
        }
    };
    let place = number("Round").zip(number("Pair")).zip(number("Seed"));
    Ok(Found {
        variant: need("Variant")?.to_owned(),
        black: need("Black")?.to_owned(),
        white: need("White")?.to_owned(),
        result,
        swapped: swapped(moves.iter().copied()),
        place: place.map(|((game, pair), seed)| [game, pair, seed]),
        moves: (!moves.is_empty()).then(|| hash((game.tag("FEN"), moves))),
    })
}

fn of_text(text: &str) -> Outcomes {
    let mut lexer = Lexer::new(text);
    let mut variants = Variants::default();
    let mut outcomes = Outcomes::default();
    while let Some((game, moves)) = next_outline(&mut lexer) {
        if game.tags.is_empty() && game.errors.is_empty() {
            // Or a comment before the first game.
            if !moves.is_empty() {
                let found = quote(game.found.unwrap_or_default());
                let why = format!("expected a tag, such as [Variant \"invector\"], found {found}");
                outcomes.errors.push(RecordError::new(game.movetext, why));
            }
            continue;
        }
        let outcome = found_in_text(&game, &moves).and_then(|found| {
            let variant = quote(&found.variant);
            variants.outcome(found).map_err(|why| {
                let place = game.tag_with_place("Variant").map_or(game.begin, |(place, _)| place);
                let expected = format!("a variant in the tag Variant of this game ({why})");
                RecordError::new(place, format!("expected {expected}, found {variant}"))
            })
        });
        outcomes.add(outcome);
    }
    outcomes
}

fn of_json(text: &str) -> Outcomes {
    let mut variants = Variants::default();
    let mut outcomes = Outcomes::default();
    for object in Objects::new(text) {
        let outcome = if is_abstract_play(object.text) {
            serde_json::from_str::<AbstractPlayRecord>(object.text)
                .map_err(|error| object.error(&error))
                .and_then(|record| of_abstract_play(&record).map_err(|why| object.fault(why)))
        } else {
            serde_json::from_str::<Value>(object.text).map_err(|error| object.error(&error)).and_then(|value| {
                found_in(&value).and_then(|found| variants.outcome(found)).map_err(|why| object.fault(why))
            })
        };
        // The last game was cut off.
        if outcome.is_err() && object.is_cut {
            outcomes.unfinished += 1;
        } else {
            outcomes.add(outcome);
        }
    }
    outcomes
}

/// Reads an object of this program, of which only players, variant and result are needed.
fn found_in(value: &Value) -> Result<Found, String> {
    let missing = |name: &str| format!("expected the field {name:?} with a text");
    let text = |name: &str| value.get(name).and_then(Value::as_str).ok_or_else(|| missing(name));
    let player = |name: &str| {
        let seat = value.get(name);
        let found = seat.and_then(|seat| seat.as_str().or_else(|| seat.get("name")?.as_str()));
        found.map(str::to_owned).ok_or_else(|| format!("expected the field {name:?} with the name of a player"))
    };
    let result = text("result")?;
    let result = match result {
        "black" => GameResult::Black,
        "white" => GameResult::White,
        "draw" => GameResult::Draw,
        "unfinished" => GameResult::Unfinished,
        other => result_of(other).ok_or_else(|| {
            format!(
                "expected \"black\", \"white\", \"draw\" or \"unfinished\" in the field \"result\", found {other:?}"
            )
        })?,
    };
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    let moves = value.get("moves").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let moves: Vec<&str> =
        moves.iter().filter_map(|made| made.as_str().or_else(|| made.get("move")?.as_str())).collect();
    let place = number("game").zip(number("pair")).zip(number("seed"));
    Ok(Found {
        variant: text("variant")?.to_owned(),
        black: player("black")?,
        white: player("white")?,
        result,
        swapped: swapped(moves.iter().copied()),
        place: place.map(|((game, pair), seed)| [game, pair, seed]),
        moves: (!moves.is_empty()).then(|| hash((value.get("start").and_then(Value::as_str), &moves))),
    })
}

/// Takes the outcome of a record of AbstractPlay, of any game; `None` if the players have left it.
fn of_abstract_play(record: &AbstractPlayRecord) -> Result<Option<Outcome>, String> {
    let [first, second] = record.header.players()?;
    let half_points = match first.result().total_cmp(&second.result()) {
        Ordering::Less => 0,
        Ordering::Equal if record.is_abandoned() => return Ok(None),
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    };
    Ok(Some(Outcome {
        variant: record.header.variant_name(),
        players: [first, second].map(|player| player.name().to_owned()),
        half_points,
        swapped: Some(record.header.is_pied()),
        pair: None,
        identity: None,
    }))
}
