//! Reads variants: `NAME` or `NAME:ITEM,ITEM…` (`protocol/notation.md`).

use nom::Parser;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::{char, digit1};
use nom::combinator::rest;
use nom::sequence::{preceded, separated_pair, terminated};
use thiserror::Error;

use super::pieces::{Expected, expect, half_points, number, read};
use crate::rules::{GameInfo, Size, SizeRule, Value, ValueKind, Variant};
use crate::text::{ParseError, cut, quote};

/// Error of reading a variant.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum VariantError {
    /// The text does not have the form of a variant.
    #[error(transparent)]
    Syntax(#[from] ParseError),

    /// The text has the form of a variant that does not exist.
    #[error("{}: {}: {message}", quote(.input), cut(.item))]
    Value {
        /// The whole text.
        input: String,
        /// The wrong part.
        item: String,
        /// The allowed values.
        message: String,
    },
}

impl Variant {
    /// Reads a variant of one of `games`: `NAME` or `NAME:ITEM,ITEM…`, with the items in any order.
    ///
    /// # Errors
    /// Gives the wrong part and the allowed values.
    pub fn parse(input: &str, games: &[&'static GameInfo]) -> Result<Self, VariantError> {
        let names: Vec<&str> = games.iter().map(|info| info.name).collect();
        let names = names.join(", ");
        let name = take_while1(|c: char| c.is_ascii_alphanumeric());
        let name = expect(format!("the name of a game ({names})"), name);
        let end_of_name = expect(": or the end", nom::combinator::eof);
        let after_name = nom::branch::alt((preceded(char(':'), rest).map(Some), end_of_name.map(|_| None)));
        let (name, items) = read(input, (name, after_name))?;
        let error = |item: String, message: String| VariantError::Value { input: input.to_owned(), item, message };
        let info = *games
            .iter()
            .find(|info| info.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| error(format!("game {name}"), format!("expected one of {names}")))?;

        let mut size = None;
        let mut given: Vec<(usize, Value)> = Vec::new();
        for item in items.into_iter().flat_map(|items| items.split(',')) {
            if let Some(parsed) = read_size(&info.size, item) {
                let parsed = parsed.map_err(|message| error(format!("size {item}"), message))?;
                if size.replace(parsed).is_some() {
                    return Err(error(format!("size {item}"), "the size is given twice".into()));
                }
                continue;
            }
            let key = terminated(take_while1(|c| c != '='), char('='));
            let (_, (key, text)) = (key, rest::<&str, Expected<'_>>)
                .parse(item)
                .map_err(|_| error(format!("item {}", quote(item)), expected_items(info)))?;
            let (i, key) = (info.keys.iter().enumerate())
                .find(|(_, known)| known.name.eq_ignore_ascii_case(key))
                .ok_or_else(|| error(format!("item {}", quote(item)), expected_items(info)))?;
            let value = read_value(&key.kind, text)
                .ok_or_else(|| error(quote(item), format!("{} is {}", key.name, key.kind)))?;
            if given.iter().any(|&(j, _)| j == i) {
                return Err(error(quote(item), format!("{} is given twice", key.name)));
            }
            given.push((i, value));
        }
        Ok(Self::new(info, size.unwrap_or(info.size.default()), &given))
    }
}

/// Reads a board size of a game; `None` if the text does not have the form of a size.
fn read_size(rule: &SizeRule, text: &str) -> Option<Result<Size, String>> {
    // A number that does not fit still has the form of a size, so that the error names the allowed sizes.
    let plain = |digits: &str| match digits {
        "0" => 0,
        digits if digits.starts_with('0') => u8::MAX,
        digits => digits.parse().unwrap_or(u8::MAX),
    };
    let dimension = || digit1::<&str, Expected<'_>>.map(plain);
    let pair = separated_pair(dimension(), tag_no_case("x"), dimension());
    let size = match rule {
        SizeRule::Fixed { .. } => return None,
        SizeRule::Rectangle { .. } => {
            let (w, h) = read(text, pair).ok()?;
            Size::Rectangle(w, h)
        }
        SizeRule::Square { .. } => Size::Square(read(text, dimension()).ok()?),
        SizeRule::Hexagon { .. } => Size::Hexagon(read(text, dimension()).ok()?),
    };
    Some(rule.checked(size))
}

/// Reads a value of an option; `None` if the option does not take it.
fn read_value(kind: &ValueKind, text: &str) -> Option<Value> {
    let value = match kind {
        ValueKind::Switch if text.eq_ignore_ascii_case("on") => Value::Switch(true),
        ValueKind::Switch if text.eq_ignore_ascii_case("off") => Value::Switch(false),
        ValueKind::Switch => return None,
        &ValueKind::Number { min, max } => Value::Number(read(text, number(min, max)).ok()?),
        ValueKind::HalfPoints { .. } => Value::HalfPoints(read(text, half_points).ok()?),
        ValueKind::Choice(words) => {
            let word = words.iter().find(|word| word.eq_ignore_ascii_case(text))?;
            Value::Choice(word)
        }
    };
    kind.allows(value).then_some(value)
}

/// Returns an error message that lists the items that variants of a game take.
fn expected_items(info: &GameInfo) -> String {
    let size = std::iter::once(info.size.to_string());
    let keys = info.keys.iter().map(|key| format!("{} is {}", key.name, key.kind));
    let items: Vec<String> = size.chain(keys).collect();
    format!("expected an item of {}: {}", info.name, items.join("; "))
}
