//! Records as text, with tags and moves as in PGN, so that rating tools can read the results.

use std::fmt::Write as _;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{escaped_transform, is_not, tag, take_till, take_till1, take_while1};
use nom::character::complete::{char, digit1, multispace0, multispace1};
use nom::combinator::{eof, map_opt, opt, peek, value};
use nom::multi::many0;
use nom::sequence::{delimited, preceded, terminated};

use thiserror::Error;

use super::{GameRecord, GameResult, MoveRecord, Score, SearchInformation, Seat};
use crate::files::BYTE_ORDER_MARK;
use crate::notation::pieces::{Expected, Parsed, expect, read_prefix};
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
        tag("Round", &self.game.to_string());
        tag("White", &self.white.name);
        tag("Black", &self.black.name);
        tag("Result", &self.result.to_string());
        tag("Variant", &self.variant);
        if let Some(start) = &self.start {
            tag("SetUp", "1");
            tag("FEN", start);
        }
        tag("Opening", &self.opening().to_string());
        tag("Pair", &self.pair.to_string());
        tag("Seed", &self.seed.to_string());
        if let Some(conditions) = &self.conditions {
            tag("Conditions", conditions);
        }
        for (color, seat) in [("White", &self.white), ("Black", &self.black)] {
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
        for (i, made) in self.moves.iter().enumerate() {
            if i % 2 == 0 {
                words.push(format!("{}.", i / 2 + 1));
            }
            words.push(made.text.clone());
            let comment = made.information.map_or_else(|| format!("{{{BOOK}}}"), comment_of);
            words.extend(comment.split(' ').map(str::to_owned));
            if let Some(remark) = &made.comment {
                words.extend(format!("{{{}}}", self::remark(remark)).split_whitespace().map(str::to_owned));
            }
        }
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

/// A syntax error in a record.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct RecordError {
    /// Line number, from 1.
    pub line: usize,
    /// Expected input.
    pub expected: String,
    /// Input found.
    pub found: String,
    /// True if it is the beginning of an incomplete game.
    pub is_unfinished: bool,
}

/// Parses games up to the first error.
pub fn parse_games(text: &str) -> Games {
    let mut read = Games::default();
    loop {
        let rest = text.get(read.end..).unwrap_or_default();
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
        if rest.is_empty() {
            return read;
        }
        match read_prefix(rest, game) {
            Ok((behind, game)) => {
                read.games.push(game);
                read.end = text.len() - behind.len();
            }
            Err((behind, expected)) => {
                let before = text.get(..text.len() - behind.len()).unwrap_or(text);
                // An incomplete game of this program, not somebody's notes.
                let is_ours = rest.starts_with(BEGINNING) || BEGINNING.starts_with(rest);
                let more = ["\n[Event ", "\n\u{feff}[Event "];
                let is_last = is_ours && !more.iter().any(|more| rest.contains(more));
                let ends_early = behind.trim().is_empty() || !text.ends_with("\n\n");
                read.error = Some(RecordError {
                    line: 1 + before.matches('\n').count(),
                    expected,
                    found: behind.split_whitespace().next().map_or("the end".to_owned(), quote),
                    is_unfinished: is_last && ends_early,
                });
                return read;
            }
        }
    }
}

fn game(input: &str) -> Parsed<'_, GameRecord> {
    let (movetext, tags) = many0(terminated(tag_pair, multispace0)).parse(input)?;
    let find = |name: &str| {
        let found = tags.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    };
    // Missing and wrong tags are reported at the end of the tags.
    let need = |name: &'static str| {
        let missing = || nom::Err::Error(Expected::new(movetext, format!("the tag {name} before")));
        find(name).ok_or_else(missing)
    };
    let number = |name: &'static str| {
        let text = need(name)?;
        let bad = |_| nom::Err::Error(Expected::new(movetext, format!("a number in the tag {name} before")));
        text.parse::<u64>().map_err(bad)
    };
    let text = |name: &'static str| need(name).map(str::to_owned);
    let seat = |name, engine, options, version, limit| -> Result<Seat, nom::Err<Expected<'_>>> {
        Ok(Seat {
            name: text(name)?,
            engine: text(engine)?,
            options: text(options)?,
            version: text(version)?,
            limit: text(limit)?,
        })
    };
    let result = tag_value(movetext, "Result", need("Result")?, result_of)?;
    let record = GameRecord {
        game: number("Round")?,
        pair: number("Pair")?,
        variant: text("Variant")?,
        date: text("Date")?,
        seed: number("Seed")?,
        conditions: find("Conditions").map(str::to_owned),
        start: find("FEN").map(str::to_owned),
        black: seat("Black", "BlackEngine", "BlackOptions", "BlackVersion", "BlackLimit")?,
        white: seat("White", "WhiteEngine", "WhiteOptions", "WhiteVersion", "WhiteLimit")?,
        result,
        cause: tag_value(movetext, "Termination", need("Termination")?, |text| text.parse().ok())?,
        reason: text("Reason")?,
        fault: find("Fault").map(str::to_owned),
        moves: Vec::new(),
        tags: Vec::new(),
    };
    let event = format!("{EVENT}{}", record.variant);
    let last = result.to_string();
    // The last game of a file is whole without a line end.
    let end = terminated(tag(last.as_str()), alt((multispace1, eof)));
    let end = expect(format!("a move or {result}"), end);
    let (rest, (moves, _)) = (many0(one_move), end).parse(movetext)?;
    let is_foreign = |(name, value): &(&str, String)| match *name {
        "Event" => *value != event,
        "Site" => value != SITE,
        name => !TAGS.contains(&name),
    };
    let tags = tags.into_iter().filter(is_foreign).map(|(name, value)| (name.to_owned(), value)).collect();
    Ok((rest, GameRecord { moves, tags, ..record }))
}

pub(super) fn result_of(text: &str) -> Option<GameResult> {
    let all = [GameResult::Black, GameResult::White, GameResult::Draw, GameResult::Unfinished];
    all.into_iter().find(|result| result.to_string() == text)
}

/// Parses the value of a tag. Reports an error at the end of the tags.
fn tag_value<'a, T>(
    rest: &'a str,
    name: &str,
    value: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T, nom::Err<Expected<'a>>> {
    let why = || format!("another value than {} in the tag {name} before", quote(value));
    read(value).ok_or_else(|| nom::Err::Error(Expected::new(rest, why())))
}

/// Parses `[Name "value"]`, with `\"` and `\\` in the value.
pub(super) fn tag_pair(input: &str) -> Parsed<'_, (&str, String)> {
    let name = take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let text = escaped_transform(is_not("\"\\\n"), '\\', alt((tag("\""), tag("\\"))));
    let text = opt(text).map(Option::unwrap_or_default);
    let quoted = delimited(char('"'), text, expect("\"", char('"')));
    delimited(char('['), (terminated(name, multispace1), quoted), expect("]", char(']'))).parse(input)
}

/// A comment in braces.
enum Comment {
    Information(SearchInformation),
    Remark(String),
}

/// Parses a move, with an optional number before it and comments after it. The first one may be what is known of its
/// search, or `book`.
fn one_move(input: &str) -> Parsed<'_, MoveRecord> {
    let number = (digit1, take_while1(|c| c == '.'), multispace0);
    let text = take_till1(|c: char| c.is_whitespace() || "{}[]\"".contains(c));
    let text = map_opt(text, |text: &str| result_of(text).is_none().then(|| text.to_owned()));
    let remark = take_till(|c| c == '}').map(|text: &str| Comment::Remark(remark(text)));
    let comment = alt((terminated(information.map(Comment::Information), peek(char('}'))), remark));
    let comment = delimited(char('{'), comment, char('}'));
    let comments = many0(terminated(comment, multispace0));
    let parts = (preceded(opt(number), text), multispace1, comments);
    parts.map(|(text, _, comments)| made(text, comments)).parse(input)
}

fn made(text: String, comments: Vec<Comment>) -> MoveRecord {
    let mut made = MoveRecord::new(text, None);
    let mut remarks = Vec::new();
    for (place, comment) in comments.into_iter().enumerate() {
        match comment {
            Comment::Information(information) if place == 0 => made.information = Some(information),
            // Somebody has written what looks like one of ours.
            Comment::Information(information) => {
                let text = comment_of(information);
                remarks.push(text.trim_matches(['{', '}']).to_owned());
            }
            Comment::Remark(text) if place == 0 && text == BOOK => {}
            Comment::Remark(text) => remarks.push(text),
        }
    }
    remarks.retain(|remark| !remark.is_empty());
    made.comment = (!remarks.is_empty()).then(|| remarks.join(" "));
    made
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
