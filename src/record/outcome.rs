//! Outcomes of games: what ratings need of a record, and no more.
//!
//! They are read from records of any origin: players, variant and result are enough, and moves may be written in any way.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use serde::de::Error as _;
use serde_json::Value;

use super::file::ReadError;
use super::lexer::{Lexer, result_of};
use super::parser::{ParsedGame, next_outline};
use super::text::RecordError;
use super::{GameRecord, GameResult};
use crate::files::{self, without_mark};
use crate::games;
use crate::rules::Color;
use crate::text::quote;

/// The step by which the second player takes the first player's pieces.
const SWAP: &str = "swap";

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

/// The outcomes of a file, and the number of its unfinished games.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcomes {
    /// Outcomes of the finished games.
    pub finished: Vec<Outcome>,
    /// Number of games without a result.
    pub unfinished: u64,
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
/// Names the file and the line.
pub fn read_outcomes(path: &Path) -> Result<Outcomes, ReadError> {
    let text = files::read_text(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
    let text = without_mark(&text);
    if is_json(text) {
        of_json(path, text)
    } else {
        of_text(text).map_err(|error| ReadError::Text(path.to_owned(), error))
    }
}

/// Returns true if a text begins with a JSON object, or an array of objects: a tag begins otherwise.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let is_object = text.starts_with('{') && !Lexer::new(text).begins_with_comment();
    is_object || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', ']']))
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

fn of_text(text: &str) -> Result<Outcomes, RecordError> {
    let mut lexer = Lexer::new(text);
    let mut variants = Variants::default();
    let mut outcomes = Outcomes::default();
    while let Some((game, moves)) = next_outline(&mut lexer) {
        if game.tags.is_empty() && game.errors.is_empty() {
            if moves.is_empty() {
                // A comment before the first game.
                continue;
            }
            let found = quote(game.found.unwrap_or_default());
            return Err(RecordError::new(
                game.movetext,
                format!("expected a tag, such as [Variant \"invector\"], found {found}"),
            ));
        }
        let found = found_in_text(&game, &moves)?;
        let variant = quote(&found.variant);
        match variants.outcome(found) {
            Ok(Some(outcome)) => outcomes.finished.push(outcome),
            Ok(None) => outcomes.unfinished += 1,
            Err(why) => {
                let place = game.tag_with_place("Variant").map_or(game.begin, |(place, _)| place);
                let expected = format!("a variant in the tag Variant of this game ({why})");
                return Err(RecordError::new(place, format!("expected {expected}, found {variant}")));
            }
        }
    }
    Ok(outcomes)
}

fn of_json(path: &Path, text: &str) -> Result<Outcomes, ReadError> {
    let mut variants = Variants::default();
    let mut outcomes = Outcomes::default();
    let mut objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    loop {
        let begin = objects.byte_offset();
        let skipped = text.get(begin..).map_or(0, |rest| rest.len() - rest.trim_start().len());
        let line = 1 + text.get(..begin + skipped).unwrap_or(text).matches('\n').count();
        let error = |why| ReadError::Json { path: path.to_owned(), line, why };
        let value = match objects.next() {
            None => return Ok(outcomes),
            // The last object was cut off.
            Some(Err(why)) if why.is_eof() && begin > 0 => {
                outcomes.unfinished += 1;
                return Ok(outcomes);
            }
            Some(value) => value.map_err(error)?,
        };
        let list = match value {
            Value::Array(list) => list,
            value => vec![value],
        };
        for value in list {
            let outcome = match value.get("header") {
                Some(header) => of_abstract_play(header).map(Some),
                None => found_in(&value).and_then(|found| variants.outcome(found)),
            };
            match outcome.map_err(|why| error(serde_json::Error::custom(why)))? {
                Some(outcome) => outcomes.finished.push(outcome),
                None => outcomes.unfinished += 1,
            }
        }
    }
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

/// Reads the header of a record of AbstractPlay. Its players are listed by their seats at the end of the game: after a pie
/// the second one moved first.
fn of_abstract_play(header: &Value) -> Result<Outcome, String> {
    let game = header.get("game");
    let name = game.and_then(|game| game.get("name")).and_then(Value::as_str);
    let name = name.ok_or("expected the name of the game in the header")?;
    let options = game.and_then(|game| game.get("variants")).and_then(Value::as_array);
    let options: Vec<&str> = options.into_iter().flatten().filter_map(Value::as_str).collect();
    let name = name.to_lowercase();
    let variant = match (options.is_empty(), games::parse_variant(&name)) {
        (true, Ok(variant)) => variant.to_string(),
        (true, Err(_)) => name,
        (false, _) => format!("{name} ({})", options.join(", ")),
    };
    let players = header.get("players").and_then(Value::as_array);
    let players = players.map(Vec::as_slice).unwrap_or_default();
    let [one, two] = players else {
        return Err(format!("expected two players in the header, found {}", players.len()));
    };
    let read = |player: &Value| {
        let name = player.get("name").or_else(|| player.get("userid")).and_then(Value::as_str);
        let result = player.get("result").and_then(Value::as_f64);
        name.map(str::to_owned).zip(result).ok_or("expected the name and the result of each player in the header")
    };
    let (one, two) = (read(one)?, read(two)?);
    let is_set = |name: &str| header.get(name).and_then(Value::as_bool).unwrap_or(false);
    let swapped = is_set("pied") || is_set("pie-invoked");
    let (first, second) = if swapped { (two, one) } else { (one, two) };
    let half_points = match first.1.total_cmp(&second.1) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    let players = [first.0, second.0];
    Ok(Outcome { variant, players, half_points, swapped: Some(swapped), pair: None, identity: None })
}
