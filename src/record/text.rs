//! Records as text, with tags and moves as in PGN, so that rating tools can read the results.

use std::fmt::Write as _;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, digit1, multispace1};
use nom::combinator::{all_consuming, map_opt, opt, value};
use nom::sequence::{preceded, terminated};
use thiserror::Error;

use super::lexer::{Lexer, Place, result_of};
use super::parser::{ParsedGame, next_game};
use super::{GameRecord, Line, MoveRecord, Score, SearchInformation, Seat};
use crate::notation::pieces::Parsed;
use crate::rules::Color;
use crate::text::quote;

/// Comment on a move of the opening.
const BOOK: &str = "book";

/// Maximum line length of moves, in characters.
const WIDTH: usize = 100;

/// Beginning of the event of our games, before the variant.
const EVENT: &str = "pentalith match ";

/// Beginning of our games.
const BEGINNING: &str = "[Event \"pentalith match ";

/// Site of our games: unknown.
const SITE: &str = "?";

/// Tags that a record has a field for, or computes.
const TAGS: [&str; 26] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "Variant",
    "SetUp",
    "FEN",
    "Opening",
    "Pair",
    "Seed",
    "Conditions",
    "WhiteEngine",
    "WhiteOptions",
    "WhiteVersion",
    "WhiteLimit",
    "BlackEngine",
    "BlackOptions",
    "BlackVersion",
    "BlackLimit",
    "Termination",
    "Reason",
    "Fault",
    "PlyCount",
];

/// Removes characters that would break a line or a tag.
pub fn plain(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.collect::<String>().trim().to_owned()
}

/// Removes what a comment in braces can't hold: control characters, line breaks, and braces.
pub fn remark(text: &str) -> String {
    let text = plain(text).replace('{', "(").replace('}', ")");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl GameRecord {
    /// Formats the record as text that ends with an empty line.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| {
            let value = plain(value).replace('\\', r"\\").replace('"', "\\\"");
            // Writing to a string can't fail.
            let _ = writeln!(text, "[{name} \"{value}\"]");
        };
        let foreign = |name: &str| {
            let found = self.tags.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str())
        };
        tag("Event", foreign("Event").unwrap_or(&format!("{EVENT}{}", self.variant)));
        tag("Site", foreign("Site").unwrap_or(SITE));
        tag("Date", &self.date);
        tag("Round", foreign("Round").unwrap_or(&self.game.to_string()));
        tag("White", &self.white.name);
        tag("Black", &self.black.name);
        tag("Result", &self.result.to_string());
        tag("Variant", &self.variant);
        if let Some(start) = &self.start {
            tag("SetUp", "1");
            tag("FEN", start);
        }
        tag("Opening", foreign("Opening").unwrap_or(&self.opening().to_string()));
        tag("Pair", &self.pair.to_string());
        tag("Seed", &self.seed.to_string());
        if let Some(conditions) = &self.conditions {
            tag("Conditions", conditions);
        }
        for (color, seat) in [("White", &self.white), ("Black", &self.black)] {
            // Of a player by name alone nothing else is known.
            if [&seat.engine, &seat.options, &seat.version, &seat.limit].into_iter().all(String::is_empty) {
                continue;
            }
            tag(&format!("{color}Engine"), &seat.engine);
            tag(&format!("{color}Options"), &seat.options);
            tag(&format!("{color}Version"), &seat.version);
            tag(&format!("{color}Limit"), &seat.limit);
        }
        tag("Termination", &self.cause.to_string());
        tag("Reason", &self.reason);
        if let Some(name) = &self.fault {
            tag("Fault", name);
        }
        tag("PlyCount", &self.moves.len().to_string());
        for (name, value) in self.tags.iter().filter(|(name, _)| !TAGS.contains(&name.as_str())) {
            tag(name, value);
        }
        text.push('\n');

        let mut words = Vec::new();
        words.extend(self.comment.iter().flat_map(|comment| remark_words(comment)));
        add_moves(&mut words, &self.moves, 0);
        words.push(self.result.to_string());
        let mut width = 0;
        for word in words {
            let length = word.chars().count();
            if width > 0 {
                let fits = width + 1 + length <= WIDTH;
                text.push(if fits { ' ' } else { '\n' });
                width = if fits { width + 1 } else { 0 };
            }
            text.push_str(&word);
            width += length;
        }
        text.push_str("\n\n");
        text
    }
}

/// Adds the words of a line whose first move has this number, from 0.
fn add_moves(words: &mut Vec<String>, line: &[MoveRecord], first: usize) {
    // A number says who moves where a line begins, and behind a variation.
    let mut is_resumed = true;
    for (number, made) in (first..).zip(line) {
        match number % 2 {
            0 => words.push(format!("{}.", number / 2 + 1)),
            _ if is_resumed => words.push(format!("{}...", number / 2 + 1)),
            _ => {}
        }
        words.push(made.text.clone());
        words.extend(made.nags.iter().map(|nag| format!("${nag}")));
        // A remark that looks like what is known of the search needs that before it.
        let is_remark = |text: &String| matches!(Annotation::read(&remark(text)), Annotation::Remark);
        match made.information {
            None => words.push(format!("{{{BOOK}}}")),
            Some(information) if information == SearchInformation::default() && made.comment.iter().all(is_remark) => {}
            Some(information) => words.extend(comment_of(information).split(' ').map(str::to_owned)),
        }
        words.extend(made.comment.iter().flat_map(|comment| remark_words(comment)));
        for Line { comment, moves } in &made.variations {
            let mut line: Vec<String> = comment.iter().flat_map(|comment| remark_words(comment)).collect();
            add_moves(&mut line, moves, number);
            if let Some(first) = line.first_mut() {
                first.insert(0, '(');
            }
            if let Some(last) = line.last_mut() {
                last.push(')');
            }
            words.extend(line);
        }
        is_resumed = !made.variations.is_empty();
    }
}

/// Returns a remark as words, with braces. A line of the text must not begin with a bracket within it, as tags do.
fn remark_words(text: &str) -> Vec<String> {
    let text = format!("{{{}}}", remark(text));
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut().filter(|_| word.starts_with('[')) {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Formats `{+0.31/12 0.100s n=5000}`: score in pawns and depth, time, nodes, as far as they are known.
fn comment_of(information: SearchInformation) -> String {
    let SearchInformation { time_ms, score, depth, nodes } = information;
    let mut words = Vec::new();
    let depth = depth.map(|depth| format!("/{depth}")).unwrap_or_default();
    let sign = |negative: bool| if negative { '-' } else { '+' };
    match score {
        Some(Score::Cp(cp)) => {
            let (sign, size) = (sign(cp < 0), cp.unsigned_abs());
            words.push(format!("{sign}{}.{:02}{depth}", size / 100, size % 100));
        }
        Some(Score::Mate(moves)) => {
            let (sign, size) = (sign(moves < 0), moves.unsigned_abs());
            words.push(format!("{sign}M{size}{depth}"));
        }
        None if !depth.is_empty() => words.push(depth),
        None => {}
    }
    words.push(format!("{}.{:03}s", time_ms / 1000, time_ms % 1000));
    words.extend(nodes.map(|nodes| format!("n={nodes}")));
    format!("{{{}}}", words.join(" "))
}

/// Content of a comment behind a move.
pub(super) enum Annotation {
    /// Figures of the search for the move.
    Information(SearchInformation),
    /// The move was not searched: it is of the opening.
    Book,
    /// Anything else.
    Remark,
}

impl Annotation {
    /// Reads the text between the braces of a comment.
    pub(super) fn read(text: &str) -> Self {
        match all_consuming(information).parse(text) {
            Ok((_, information)) => Self::Information(information),
            Err(_) if text == BOOK => Self::Book,
            Err(_) => Self::Remark,
        }
    }
}

/// The games of a text, up to the first error.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Games {
    /// Complete games, in order.
    pub games: Vec<GameRecord>,
    /// Length of the complete games, in bytes.
    pub end: usize,
    /// Error after the complete games, if the text goes on.
    pub error: Option<RecordError>,
}

/// An error in a record.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("line {line}, column {column}: {why}")]
pub struct RecordError {
    /// Line number, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Description of the error, and of valid input there.
    pub why: String,
    /// True if it is the beginning of an incomplete game.
    pub is_unfinished: bool,
}

impl RecordError {
    pub(super) fn new(place: Place, why: impl Into<String>) -> Self {
        Self { line: place.line, column: place.column, why: why.into(), is_unfinished: false }
    }
}

/// Parses the games of a match up to the first error. They have all the tags that [`GameRecord::to_text`] writes.
pub fn parse_games(text: &str) -> Games {
    let mut read = Games::default();
    let mut lexer = Lexer::new(text);
    while let Some(mut parsed) = next_game(&mut lexer) {
        match whole_game(&mut parsed) {
            Ok(game) => {
                read.games.push(game);
                read.end = text.len() - parsed.rest.len();
                // The blank line behind a game belongs to it.
                read.end += parsed.rest.len() - parsed.rest.trim_start().len();
            }
            Err(error) => {
                read.error = Some(RecordError { is_unfinished: is_cut_off(text, &parsed), ..error });
                break;
            }
        }
    }
    read
}

/// Returns true if a game is the last one of a text of ours, and was cut off: it has no result.
pub(super) fn is_cut_off(text: &str, parsed: &ParsedGame<'_>) -> bool {
    let is_ours = parsed.text.starts_with(BEGINNING) || BEGINNING.starts_with(parsed.text.trim_end());
    let result = parsed.result_by_tag().map(|result| result.to_string());
    let is_ended = parsed.result.is_some_and(|(_, (_, written))| result.is_none_or(|result| result == written));
    let is_last = parsed.rest.trim().is_empty();
    is_ours && is_last && !is_ended && (parsed.errors.is_empty() || !text.ends_with("\n\n"))
}

/// Takes a game with all the tags of a match.
fn whole_game(parsed: &mut ParsedGame<'_>) -> Result<GameRecord, RecordError> {
    if !parsed.errors.is_empty() {
        return Err(parsed.errors.swap_remove(0));
    }
    let error = |place: Place, expected: String, found: Option<&str>| {
        let found = found.map_or("the end".to_owned(), quote);
        RecordError::new(place, format!("expected {expected}, found {found}"))
    };
    // Missing and wrong tags are reported at the end of the tags.
    let wrong = |expected: String| error(parsed.movetext, expected, parsed.found);
    let need = |name: &str| parsed.tag(name).ok_or_else(|| wrong(format!("the tag {name} before")));
    let number =
        |name: &str| need(name)?.parse::<u64>().map_err(|_| wrong(format!("a number in the tag {name} before")));
    let value =
        |name: &str, value: &str| wrong(format!("another value than {} in the tag {name} before", quote(value)));
    let result = result_of(need("Result")?).ok_or_else(|| value("Result", need("Result").unwrap_or_default()))?;
    let cause = need("Termination")?;
    let cause = cause.parse().map_err(|()| value("Termination", cause))?;
    let seats = Color::BOTH.map(|color| need(&color.to_string()).map(|name| seat(parsed, color, name)));
    let [black, white] = seats;
    let record = GameRecord {
        // The number of a round is that of the game, unless somebody else has named it.
        game: need("Round").and_then(|_| number("Round").or_else(|_| number("Pair")))?,
        pair: number("Pair")?,
        variant: need("Variant")?.to_owned(),
        date: need("Date")?.to_owned(),
        seed: number("Seed")?,
        conditions: parsed.tag("Conditions").map(str::to_owned),
        start: parsed.tag("FEN").map(str::to_owned),
        black: black?,
        white: white?,
        result,
        cause,
        reason: need("Reason")?.to_owned(),
        fault: parsed.tag("Fault").map(str::to_owned),
        comment: None,
        moves: Vec::new(),
        tags: Vec::new(),
    };
    match parsed.result {
        Some((_, (_, written))) if written == result.to_string() => {}
        Some((place, (_, written))) => return Err(error(place, format!("a move or {result}"), Some(written))),
        None => {
            let found = parsed.rest.split_whitespace().next();
            return Err(error(parsed.end, format!("a move or {result}"), found));
        }
    }
    Ok(with_moves(record, parsed))
}

/// Returns the seat of a color by its tags.
pub(super) fn seat(parsed: &ParsedGame<'_>, color: Color, name: &str) -> Seat {
    let tag = |what: &str| parsed.tag(&format!("{color}{what}")).unwrap_or_default().to_owned();
    Seat {
        name: name.to_owned(),
        engine: tag("Engine"),
        options: tag("Options"),
        version: tag("Version"),
        limit: tag("Limit"),
    }
}

/// Adds the moves of a game, and the tags that the record has no field for.
pub(super) fn with_moves(mut record: GameRecord, parsed: &mut ParsedGame<'_>) -> GameRecord {
    let Line { comment, moves } = std::mem::take(&mut parsed.line);
    record.comment = comment;
    record.moves = moves;
    let opening = record.opening().to_string();
    let event = format!("{EVENT}{}", record.variant);
    let round = record.game.to_string();
    let is_foreign = |(_, name, value): &(Place, &str, String)| match *name {
        "Event" => *value != event,
        "Site" => value != SITE,
        "Opening" => *value != opening,
        "Round" => *value != round,
        name => !TAGS.contains(&name),
    };
    let tags = std::mem::take(&mut parsed.tags).into_iter().filter(is_foreign);
    record.tags = tags.map(|(_, name, value)| (name.to_owned(), value)).collect();
    record
}

fn information(input: &str) -> Parsed<'_, SearchInformation> {
    let score = (opt(one_score), opt(preceded(char('/'), whole)));
    let score = opt(terminated(score, multispace1)).map(Option::unwrap_or_default);
    let time = (terminated(whole::<u64>, char('.')), map_opt(digit1, thousandths));
    let time = terminated(time, char('s')).map(|(whole, part)| whole.saturating_mul(1000).saturating_add(part));
    let nodes = opt(preceded((multispace1, tag("n=")), whole));
    let parts = (score, time, nodes);
    parts.map(|((score, depth), time_ms, nodes)| SearchInformation { time_ms, score, depth, nodes }).parse(input)
}

fn one_score(input: &str) -> Parsed<'_, Score> {
    let sign = || alt((value(1, char('+')), value(-1, char('-'))));
    // The minimum of the type has no opposite.
    let signed = |(sign, size): (i64, i64)| i32::try_from(sign.checked_mul(size)?).ok();
    let mate = (sign(), preceded(char('M'), whole));
    let hundredths = map_opt(digit1, |digits: &str| (digits.len() == 2).then(|| digits.parse().ok())?);
    let cp = (terminated(whole, char('.')), hundredths);
    let cp = map_opt(cp, |(whole, part): (i64, i64)| whole.checked_mul(100)?.checked_add(part));
    let cp = (sign(), cp);
    alt((map_opt(mate, signed).map(Score::Mate), map_opt(cp, signed).map(Score::Cp))).parse(input)
}

fn whole<T: std::str::FromStr>(input: &str) -> Parsed<'_, T> {
    map_opt(digit1, |digits: &str| digits.parse().ok()).parse(input)
}

fn thousandths(digits: &str) -> Option<u64> {
    (digits.len() == 3).then(|| digits.parse().ok())?
}
