//! Parser of engine output in GTP and UGI. Any white space separates words.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till1, take_while1};
use nom::character::complete::{char, digit0, digit1, one_of};
use nom::combinator::{eof, opt, recognize, rest, value};
use nom::multi::separated_list0;
use nom::sequence::{preceded, terminated};

use crate::notation::pieces::{Expected, Parsed, expect, half_points, read};
use crate::rules::{Color, HalfPoints};
use crate::session::{Score, SearchInformation};
use crate::text::{ParseError, quote};

fn word(input: &str) -> Parsed<'_, &str> {
    expect("a word", take_till1(char::is_whitespace)).parse(input)
}

fn blank(input: &str) -> Parsed<'_, &str> {
    expect("a blank", take_while1(char::is_whitespace)).parse(input)
}

fn whole_number(input: &str) -> Parsed<'_, &str> {
    expect("a whole number", recognize((opt(char('-')), digit1))).parse(input)
}

/// The first line of a GTP answer.
pub struct Head {
    /// True for `=`, false for `?`.
    pub ok: bool,
    /// Id of the command, or empty.
    pub id: String,
    /// Rest of the line.
    pub text: String,
}

/// Parses the first line of an answer: `=` or `?`, an optional id, a space or tab, the text.
pub fn head(line: &str) -> Option<Head> {
    let mut parts = (one_of::<_, _, Expected<'_>>("=?"), digit0, opt(one_of(" \t")), rest);
    let (_, (mark, id, _, text)) = parts.parse(line).ok()?;
    Some(Head { ok: mark == '=', id: id.to_owned(), text: text.to_owned() })
}

/// Returns the first word of a line, or an empty text.
pub fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Returns the second word of a line, or an empty text.
pub fn second_word(line: &str) -> &str {
    line.split_whitespace().nth(1).unwrap_or_default()
}

/// Returns the rest of a line that starts with the given words.
pub fn behind<'a>(line: &'a str, words: &[&str]) -> Option<&'a str> {
    let mut rest = line.trim();
    for word in words {
        let behind = rest.strip_prefix(word)?;
        rest = behind.trim_start();
        if rest.len() == behind.len() && !rest.is_empty() {
            return None;
        }
    }
    Some(rest)
}

/// Parses a line of two words, of which the first is known. Returns the second.
fn two_words(line: &str, first: &'static str) -> Result<String, ParseError> {
    let first = expect(first, tag(first));
    let words = preceded((opt(blank), first, blank), word);
    read(line, terminated(words, opt(blank))).map(str::to_owned)
}

/// Parses `bestmove MOVE`.
pub fn bestmove(line: &str) -> Result<String, ParseError> {
    two_words(line, "bestmove")
}

/// Parses `response WORD`.
pub fn response(line: &str) -> Result<String, ParseError> {
    two_words(line, "response")
}

/// Returns true if words are separated by anything but one space. Free text is ignored.
pub fn is_spaced_oddly(line: &str) -> bool {
    if matches!(first_word(line), "id" | "option") {
        return line.trim() != line || line.contains('\t');
    }
    let mut plain = String::new();
    for word in line.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
        if matches!(word, "string" | "error") && first_word(line) == "info" {
            return !line.starts_with(&plain);
        }
    }
    plain != line
}

/// Search information from `info` lines, about the principal variation.
///
/// Only exact scores count: a bound may be far from the score, on either side of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SearchInfo {
    /// Depth, in steps.
    pub depth: Option<u32>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Score for the side to move.
    pub score: Option<Score>,
}

impl From<SearchInfo> for SearchInformation {
    fn from(info: SearchInfo) -> Self {
        Self { time_ms: 0, score: info.score, depth: info.depth, nodes: info.nodes }
    }
}

impl SearchInfo {
    /// Updates the information from a line. Lines about other variations are ignored.
    pub fn take(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        let mut seen = Self::default();
        let mut is_bound = false;
        while let Some(word) = words.next() {
            match word {
                "pv" | "string" | "error" => break,
                "multipv" if words.next() != Some("1") => return,
                // They follow the score, but other keys may stand between.
                "lowerbound" | "upperbound" => is_bound = true,
                "depth" => seen.depth = words.next().and_then(|word| word.parse().ok()),
                "nodes" => seen.nodes = words.next().and_then(|word| word.parse().ok()),
                "score" => {
                    seen.score = match (words.next(), words.next().and_then(|word| word.parse().ok())) {
                        (Some("cp"), Some(cp)) => Some(Score::Cp(sane(cp))),
                        (Some("mate"), Some(moves)) => Some(Score::Mate(sane(moves))),
                        _ => None,
                    }
                }
                _ => {}
            }
        }
        if is_bound {
            // The depth belongs to the score.
            seen = Self { nodes: seen.nodes, ..Self::default() };
        }
        *self = Self {
            depth: seen.depth.or(self.depth),
            nodes: seen.nodes.or(self.nodes),
            score: seen.score.or(self.score),
        };
    }
}

/// Parses a score that a record can hold.
fn sane(score: i64) -> i32 {
    score.clamp(-1_000_000, 1_000_000) as i32
}

/// Result of a finished game, as an engine reports it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FinalScore {
    /// Winner; `None` for a draw.
    pub winner: Option<Color>,
    /// Margin in points, if given.
    pub margin: Option<HalfPoints>,
    /// True if it has GTP's form: points or nothing after `+`.
    pub is_standard: bool,
}

/// Parses an answer to `final_score`: `B+7`, `W+0.5`, `B+`, `0`, and the common `W+Resign`, `draw`, `jigo`.
pub fn final_score(text: &str) -> Option<FinalScore> {
    let win = |letter, color| value((Some(color), true), (tag_no_case(letter), char('+')));
    let draw = value((None, true), alt((tag("0"), tag_no_case("draw"))));
    let jigo = value((None, false), tag_no_case("jigo"));
    let mut result = alt(((alt((win("b", Color::Black), win("w", Color::White))), rest), (alt((draw, jigo)), eof)));
    let ((winner, is_standard), behind) = read(text, |input| result.parse(input)).ok()?;
    let margin = read(behind, half_points).ok();
    Some(FinalScore { winner, margin, is_standard: is_standard && (behind.is_empty() || margin.is_some()) })
}

/// An option declared by an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Name.
    pub name: String,
    /// Type: `spin`, `combo`, `check`, `string` or `button`.
    pub kind: String,
    /// Default value.
    pub default: Option<String>,
    /// Minimum of a `spin`.
    pub min: Option<String>,
    /// Maximum of a `spin`.
    pub max: Option<String>,
    /// Values of a `combo`.
    pub vars: Vec<String>,
}

impl EngineOption {
    /// Returns the bounds of a `spin`.
    fn bounds(&self) -> Option<(i128, i128)> {
        let bound = |text: &Option<String>| text.as_deref()?.parse().ok();
        Some((bound(&self.min)?, bound(&self.max)?))
    }

    /// Maps a number into the bounds of a `spin`.
    pub fn within(&self, number: u32) -> i128 {
        let number = i128::from(number);
        match self.bounds() {
            Some((min, max)) if min <= max => {
                let count = max.saturating_sub(min).saturating_add(1);
                min + number.saturating_sub(min).rem_euclid(count)
            }
            _ => number,
        }
    }

    /// Returns a value as the engine writes it: UGI has no answer to `setoption`, and some engines compare the case.
    ///
    /// # Errors
    /// Describes the valid values.
    pub fn value(&self, value: &str) -> Result<String, String> {
        match self.kind.as_str() {
            "spin" => {
                let Some((min, max)) = self.bounds() else {
                    return Ok(value.to_owned());
                };
                let number = value.parse::<i128>().ok().filter(|number| (min..=max).contains(number));
                let number = number.ok_or_else(|| format!("a number from {min} to {max}"))?;
                Ok(number.to_string())
            }
            "combo" => {
                let known = one_of_words(&self.vars, value);
                known.ok_or_else(|| format!("one of {}", self.vars.join(", ")))
            }
            "check" => {
                let known = one_of_words(&["true", "false"], value);
                known.ok_or_else(|| "true or false".to_owned())
            }
            "button" if !value.is_empty() => Err("nothing behind =, because it is a button".to_owned()),
            _ => Ok(value.to_owned()),
        }
    }
}

/// Returns the word that a value names: the same one, or else one that differs in case.
fn one_of_words<T: AsRef<str>>(words: &[T], value: &str) -> Option<String> {
    let find = |is_it: fn(&str, &str) -> bool| words.iter().map(AsRef::as_ref).find(|word| is_it(word, value));
    find(|word, value| word == value).or_else(|| find(str::eq_ignore_ascii_case)).map(str::to_owned)
}

/// Parses `option name N type T …`, where names and values may have several words.
pub fn option(line: &str) -> Result<EngineOption, String> {
    let mut option = EngineOption {
        name: String::new(),
        kind: String::new(),
        default: None,
        min: None,
        max: None,
        vars: Vec::new(),
    };
    let mut key = "";
    for word in line.split_whitespace().skip(1) {
        let is_key = ["name", "type", "default", "min", "max", "var"].contains(&word);
        // `type` ends a name, and the other keys follow the type.
        if is_key && (key != "name" || word == "type") {
            key = word;
            match key {
                "default" => option.default = Some(String::new()),
                "var" => option.vars.push(String::new()),
                _ => {}
            }
            continue;
        }
        let value = match key {
            "name" => &mut option.name,
            "type" => &mut option.kind,
            "default" => option.default.get_or_insert_default(),
            "min" => option.min.get_or_insert_default(),
            "max" => option.max.get_or_insert_default(),
            "var" => match option.vars.last_mut() {
                Some(var) => var,
                None => return Err("var without a value".to_owned()),
            },
            _ => return Err(format!("{} where name is expected", quote(word))),
        };
        if !value.is_empty() {
            value.push(' ');
        }
        value.push_str(word);
    }
    well_formed(&option).map(|()| option)
}

fn well_formed(option: &EngineOption) -> Result<(), String> {
    if option.name.is_empty() {
        return Err("the name is missing".to_owned());
    }
    let name = quote(&option.name);
    match option.kind.as_str() {
        "spin" => {
            let number = |what: &str, text: &Option<String>| {
                let number = text.as_deref().and_then(|text| text.parse::<i128>().ok());
                number.ok_or_else(|| format!("{name} is a spin without {what}"))
            };
            let default = number("default", &option.default)?;
            let (min, max) = (number("min", &option.min)?, number("max", &option.max)?);
            if (min..=max).contains(&default) {
                Ok(())
            } else {
                Err(format!("{name}: {default} is not from {min} to {max}"))
            }
        }
        "check" => match option.default.as_deref() {
            Some("true" | "false") => Ok(()),
            _ => Err(format!("{name} is a check without default true or false")),
        },
        "combo" => match &option.default {
            Some(default) if option.vars.contains(default) => Ok(()),
            _ => Err(format!("{name} is a combo whose default is none of its vars")),
        },
        "string" => match &option.default {
            Some(_) => Ok(()),
            None => Err(format!("{name} is a string without default")),
        },
        "button" => Ok(()),
        other => Err(format!("{name} is of no known type: {}", quote(other))),
    }
}

/// Keys of an `info` line that are followed by one number.
const NUMBERS: &[&str] = &[
    "depth",
    "seldepth",
    "time",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "tthits",
    "multipv",
    "cpuload",
    "currmovenumber",
];

/// Checks an `info` line: known keys need numbers, and text after `string` or `error` is free.
pub fn info(line: &str) -> Result<(), ParseError> {
    fn score(input: &str) -> Parsed<'_, ()> {
        let unit = expect("cp or mate", alt((tag("cp"), tag("mate"))));
        let bound = alt((tag("lowerbound"), tag("upperbound")));
        let value = (unit, blank, whole_number, opt((blank, bound)));
        value.map(|_| ()).parse(input)
    }
    fn item(input: &str) -> Parsed<'_, ()> {
        let (behind, key) = word(input)?;
        let free = rest::<&str, Expected<'_>>.map(|_| ());
        match key {
            "string" | "error" | "pv" | "currline" | "refutation" => {
                let mut free = free;
                free.parse(behind)
            }
            "score" => (blank, score).map(|_| ()).parse(behind),
            "wdl" => (blank, whole_number, blank, whole_number, blank, whole_number).map(|_| ()).parse(behind),
            _ if NUMBERS.contains(&key) => (blank, whole_number).map(|_| ()).parse(behind),
            // A key of this engine alone, or its value.
            _ => Ok((behind, ())),
        }
    }
    let info = (opt(blank), expect("info", tag("info")), blank);
    let items = (info, separated_list0(blank, item), opt(blank));
    read(line, items.map(|_| ()))
}
