//! The sequential probability ratio test of two differences in Elo, over pairs of games.

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::{cut, map_opt, opt, recognize};
use nom::sequence::preceded;

use super::sample::{Sample, score};
use crate::notation::pieces::{Expected, Parsed, expect, read};
use crate::text::ParseError;

/// A test of two hypotheses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// H0: the first engine is stronger by so much.
    pub elo0: f64,
    /// H1: it is stronger by so much.
    pub elo1: f64,
    /// How likely it may be that H1 is accepted where H0 is true.
    pub alpha: f64,
    /// How likely it may be that H0 is accepted where H1 is true.
    pub beta: f64,
}

/// What a test came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Decision {
    H0,
    H1,
}

impl Sprt {
    /// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`; both errors are 0.05 where nothing is said.
    ///
    /// # Errors
    /// Says what was expected where.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let comma = |input| expect("a comma", char(',')).parse(input);
        let elo = |name| {
            in_range(name, "a difference in Elo from -2000 to 2000", |elo| {
                elo.abs() <= 2000.0
            })
        };
        let error = |name| {
            in_range(
                name,
                "a probability between 0 and 0.5, as 0.05 is",
                |error| error > 0.0 && error < 0.5,
            )
        };
        // Behind a comma nothing but these is right.
        let errors = (error("ALPHA"), comma, error("BETA")).map(|(alpha, _, beta)| (alpha, beta));
        let errors = opt(preceded(char(','), cut(errors)));
        let all = (elo("ELO0"), preceded(comma, elo("ELO1")), errors);
        let (elo0, elo1, errors) = read(text, all)?;
        let (alpha, beta) = errors.unwrap_or((0.05, 0.05));
        match elo0 < elo1 {
            true => Ok(Self {
                elo0,
                elo1,
                alpha,
                beta,
            }),
            false => Err(ParseError {
                input: text.to_owned(),
                column: 1,
                expected: "two differences in Elo, the smaller one first".to_owned(),
            }),
        }
    }

    /// The logarithms at which H0 and H1 are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        let &Self { alpha, beta, .. } = self;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The logarithm of how much likelier pairs of games are under H1 than under H0.
    pub fn log_likelihood_ratio(&self, pairs: &Sample) -> f64 {
        pairs.log_likelihood_ratio(score(self.elo0), score(self.elo1))
    }

    /// Which hypothesis a logarithm decides for.
    pub fn decision(&self, log_likelihood_ratio: f64) -> Option<Decision> {
        let (low, high) = self.bounds();
        match log_likelihood_ratio {
            ratio if ratio <= low => Some(Decision::H0),
            ratio if ratio >= high => Some(Decision::H1),
            _ => None,
        }
    }
}

/// A number within bounds, or an error that names it and them.
fn in_range<'a>(
    name: &'static str,
    what: &'static str,
    fits: impl Fn(f64) -> bool,
) -> impl Parser<&'a str, Output = f64, Error = Expected<'a>> {
    let what = format!("{what}, for {name}");
    expect(
        what,
        map_opt(decimal, move |number| fits(number).then_some(number)),
    )
}

fn decimal(input: &str) -> Parsed<'_, f64> {
    let decimal = recognize((opt(char('-')), digit1, opt((char('.'), digit1))));
    map_opt(decimal, |text: &str| text.parse().ok()).parse(input)
}
