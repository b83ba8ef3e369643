//! Parsers (nom) that the notations share, with an error type that says what was expected where.

use std::borrow::Cow;

use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::{anychar, char, digit1, one_of};
use nom::combinator::{all_consuming, map_opt, not, opt, peek, value};
use nom::error::{ErrorKind, ParseError as NomError};
use nom::sequence::{preceded, terminated};
use nom::{Err, IResult, Parser};

use crate::board::{Cell, Shape, column_letter, column_of_letter};
use crate::rules::{Color, HalfPoints};
use crate::text::ParseError;

/// Limit of points in text; no game has as many.
const MAX_POINTS: u32 = 1_000_000;

/// Parser error: a description of what was expected at the start of the unread input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected<'a> {
    rest: &'a str,
    what: Cow<'static, str>,
}

impl<'a> Expected<'a> {
    /// Creates an error: `what` was expected at the start of `rest`.
    pub fn new(rest: &'a str, what: impl Into<Cow<'static, str>>) -> Self {
        let what = what.into();
        Self { rest, what }
    }
}

impl<'a> NomError<&'a str> for Expected<'a> {
    fn from_error_kind(rest: &'a str, kind: ErrorKind) -> Self {
        let what = match kind {
            ErrorKind::Eof => "the end",
            _ => "",
        };
        Self { rest, what: what.into() }
    }

    fn append(_rest: &'a str, _kind: ErrorKind, other: Self) -> Self {
        other
    }

    // Of two failed alternatives, the one that read further is reported; both if they read equally far.
    fn or(self, other: Self) -> Self {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self.rest.len().cmp(&other.rest.len()) {
            Less => self,
            Greater => other,
            Equal if self.what.is_empty() || self.what == other.what => other,
            Equal if other.what.is_empty() => self,
            Equal => Self { what: format!("{} or {}", self.what, other.what).into(), ..self },
        }
    }
}

/// The result type of the parsers of this module.
pub type Parsed<'a, T> = IResult<&'a str, T, Expected<'a>>;

/// Wraps a parser with a name for its input.
///
/// The name replaces an error at the parser's first character and an error without a name.
pub fn expect<'a, T>(
    what: impl Into<Cow<'static, str>>,
    parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> impl Parser<&'a str, Output = T, Error = Expected<'a>> {
    let what = what.into();
    expect_with(move || what.clone(), parser)
}

/// Wraps a parser as [`expect`] does, with a name that is written only for an error.
fn expect_with<'a, T>(
    what: impl Fn() -> Cow<'static, str>,
    mut parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> impl Parser<&'a str, Output = T, Error = Expected<'a>> {
    move |input: &'a str| {
        parser.parse(input).map_err(|error| {
            error.map(|inner: Expected<'a>| {
                if inner.what.is_empty() || inner.rest.len() == input.len() {
                    Expected { rest: input, what: what() }
                } else {
                    inner
                }
            })
        })
    }
}

/// Parses a whole text.
///
/// # Errors
/// Gives the column of the syntax error and what was expected there.
pub fn read<'a, T>(
    input: &'a str,
    parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> Result<T, ParseError> {
    match read_prefix(input, all_consuming(parser)) {
        Ok((_, value)) => Ok(value),
        Err((rest, expected)) => {
            let before = input.len() - rest.len();
            Err(ParseError {
                input: input.to_owned(),
                column: 1 + input.get(..before).unwrap_or(input).chars().count(),
                expected,
            })
        }
    }
}

/// Parses the start of a text. Returns the unread rest and the value.
///
/// # Errors
/// Gives the text from the syntax error on, and what was expected there.
pub fn read_prefix<'a, T>(
    input: &'a str,
    mut parser: impl Parser<&'a str, Output = T, Error = Expected<'a>>,
) -> Result<(&'a str, T), (&'a str, String)> {
    match parser.parse(input) {
        Ok(read) => Ok(read),
        Err(Err::Error(expected) | Err::Failure(expected)) => {
            // The parsers of nom itself have no name for their input.
            let what = match &*expected.what {
                "" => "something else".to_owned(),
                what => what.to_owned(),
            };
            Err((expected.rest, what))
        }
        // Only streaming parsers are incomplete, and there is none here.
        Err(Err::Incomplete(_)) => Err(("", "more".to_owned())),
    }
}

/// Parses a decimal number without sign or leading zeros, from `min` to `max`.
pub fn number<'a>(min: u32, max: u32) -> impl Parser<&'a str, Output = u32, Error = Expected<'a>> {
    expect_with(
        move || format!("a number from {min} to {max}").into(),
        map_opt(digit1, move |digits: &str| {
            let plain = digits == "0" || !digits.starts_with('0');
            let value: u32 = digits.parse().ok()?;
            (plain && (min..=max).contains(&value)).then_some(value)
        }),
    )
}

/// Parses a multiple of 0.5 without leading zeros, as in `3`, `3.0` and `-0.5`.
pub fn half_points(input: &str) -> Parsed<'_, HalfPoints> {
    let fraction = preceded(char('.'), map_opt(digit1, half));
    let number = (opt(char('-')), number(0, MAX_POINTS), opt(fraction));
    let half_points = number.map(|(minus, whole, half)| {
        let half_points = 2 * whole as i32 + i32::from(half.unwrap_or(false));
        HalfPoints(if minus.is_some() { -half_points } else { half_points })
    });
    let end = peek(not(one_of("0123456789.")));
    let what = format!("a multiple of 0.5 up to {MAX_POINTS}, without leading zeros");
    expect(what, terminated(half_points, end)).parse(input)
}

/// Parses the digits after a decimal point: true for one half, false for zero, `None` for anything else.
fn half(digits: &str) -> Option<bool> {
    match digits.trim_end_matches('0') {
        "" => Some(false),
        "5" => Some(true),
        _ => None,
    }
}

/// Parses `b` or `w`.
pub fn color(input: &str) -> Parsed<'_, Color> {
    expect("b or w", alt((value(Color::Black, tag_no_case("b")), value(Color::White, tag_no_case("w"))))).parse(input)
}

/// Parses a word in upper or lower case.
pub fn word<'a>(word: &'static str) -> impl Parser<&'a str, Output = (), Error = Expected<'a>> {
    expect(word, value((), tag_no_case(word)))
}

/// Parses the label of a cell of a board.
pub fn cell<'a>(shape: &Shape) -> impl Parser<&'a str, Output = Cell, Error = Expected<'a>> + use<'a, '_> {
    let last = column_letter(shape.columns() - 1);
    let mut letter = expect_with(
        move || match shape.columns() {
            1 => "column a".into(),
            2..=8 => format!("a column from a to {last}").into(),
            _ => format!("a column from a to {last}, without i").into(),
        },
        map_opt(anychar, |letter| column_of_letter(letter).filter(|&x| x < shape.columns())),
    );
    move |input: &'a str| {
        let (rest, x) = letter.parse(input)?;
        // On a hexagonal board a column has only some of the ranks.
        let ranks = (0..shape.ranks()).filter(|&y| shape.cell(x, y).is_some());
        let (low, high) = (ranks.clone().min(), ranks.max());
        let (low, high) = (low.map_or(0, |y| y + 1), high.map_or(0, |y| y + 1));
        let column = column_letter(x);
        expect_with(
            move || format!("a rank from {low} to {high} in column {column}").into(),
            map_opt(number(1, u32::from(high)), move |rank| shape.cell(x, u8::try_from(rank - 1).ok()?)),
        )
        .parse(rest)
    }
}
