//! Arguments of commands, and answers to them.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::space0;
use nom::combinator::{cut, rest, value, verify};
use nom::multi::many0;
use nom::sequence::{preceded, separated_pair, terminated};

use super::{Answer, GtpError, Run};
use crate::notation::pieces::{Expected, Parsed, expect, read};
use crate::rules::Color;
use crate::text::quote;

pub(super) fn text(text: impl Into<String>) -> Run {
    Ok(Answer::Text(text.into()))
}

/// Returns an error if a command without arguments has some.
pub(in crate::protocol) fn none(arguments: &str, name: &str) -> Result<(), GtpError> {
    if arguments.is_empty() {
        return Ok(());
    }
    let message = format!("{name} takes no argument, not {}", quote(arguments));
    Err(GtpError::Syntax(message))
}

/// Parses the arguments of a command.
pub(in crate::protocol) fn parse<'a, T>(
    arguments: &'a str,
    usage: &str,
    parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> Result<T, GtpError> {
    read(arguments, parser).map_err(|error| GtpError::Syntax(format!("{usage}: {error}")))
}

pub(in crate::protocol) fn blanks(input: &str) -> Parsed<'_, &str> {
    expect("a space and another argument", take_while1(|c| c == ' ')).parse(input)
}

pub(in crate::protocol) fn word(input: &str) -> Parsed<'_, &str> {
    expect("a word", take_while1(|c| c != ' ')).parse(input)
}

/// Parses colors, each with a word, as in `b c3 w d4`.
pub(in crate::protocol) fn sequence(input: &str) -> Parsed<'_, Vec<(Color, &str)>> {
    let one = || separated_pair(color, blanks, word);
    let more = many0(preceded(blanks, cut(one())));
    let list = (one(), more).map(|(first, more)| std::iter::once(first).chain(more).collect());
    terminated(list, space0).parse(input)
}

/// Parses a color: `b`, `black`, `w` or `white`, in any case.
pub(in crate::protocol) fn color(input: &str) -> Parsed<'_, Color> {
    let black = value(Color::Black, alt((tag_no_case("black"), tag_no_case("b"))));
    let white = value(Color::White, alt((tag_no_case("white"), tag_no_case("w"))));
    let end = verify(nom::combinator::peek(rest), |rest: &str| rest.is_empty() || rest.starts_with(' '));
    let color = (alt((black, white)), end).map(|(color, _)| color);
    expect("a color: b, black, w or white", color).parse(input)
}
