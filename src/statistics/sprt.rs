//! The sequential probability ratio test (SPRT) of two Elo differences, over game pairs.

use std::fmt::{self, Display};

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::{cut, map_opt, opt, recognize};
use nom::sequence::preceded;

use crate::intervals::{Sample, score};
use crate::notation::pieces::{Expected, Parsed, expect, read};
use crate::text::ParseError;

/// A sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// Elo difference under H0.
    pub elo0: f64,
    /// Elo difference under H1.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    pub beta: f64,
}

/// Decision of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Decision {
    H0,
    H1,
}

impl Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
        })
    }
}

impl Sprt {
    /// Parses `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`. Both errors default to 0.05.
    ///
    /// # Errors
    /// Names the column and the expected input.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let comma = |input| expect("a comma", char(',')).parse(input);
        let elo = |name| in_range(name, "a difference in Elo from -2000 to 2000", |elo| elo.abs() <= 2000.0);
        let error =
            |name| in_range(name, "a probability between 0 and 0.5, as 0.05 is", |error| error > 0.0 && error < 0.5);
        // A comma must be followed by both.
        let errors = (error("ALPHA"), comma, error("BETA")).map(|(alpha, _, beta)| (alpha, beta));
        let errors = opt(preceded(char(','), cut(errors)));
        let all = (elo("ELO0"), preceded(comma, elo("ELO1")), errors);
        let (elo0, elo1, errors) = read(text, all)?;
        let (alpha, beta) = errors.unwrap_or((0.05, 0.05));
        if elo0 < elo1 {
            Ok(Self { elo0, elo1, alpha, beta })
        } else {
            Err(ParseError {
                input: text.to_owned(),
                column: 1,
                expected: "two differences in Elo, the smaller one first".to_owned(),
            })
        }
    }

    /// Returns the log-likelihood ratios at which H0 and H1 are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        let &Self { alpha, beta, .. } = self;
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// Returns the log-likelihood ratio of H1 against H0.
    pub fn log_likelihood_ratio(&self, pairs: &Sample) -> f64 {
        pairs.log_likelihood_ratio(score(self.elo0), score(self.elo1))
    }

    /// Returns the hypothesis that a log-likelihood ratio accepts.
    pub fn decision(&self, log_likelihood_ratio: f64) -> Option<Decision> {
        let (low, high) = self.bounds();
        match log_likelihood_ratio {
            ratio if ratio <= low => Some(Decision::H0),
            ratio if ratio >= high => Some(Decision::H1),
            _ => None,
        }
    }
}

/// Parses a number within bounds. The error names it and the bounds.
fn in_range<'a>(
    name: &'static str,
    what: &'static str,
    fits: impl Fn(f64) -> bool,
) -> impl Parser<&'a str, Output = f64, Error = Expected<'a>> {
    let what = format!("{what}, for {name}");
    expect(what, map_opt(decimal, move |number| fits(number).then_some(number)))
}

fn decimal(input: &str) -> Parsed<'_, f64> {
    let decimal = recognize((opt(char('-')), digit1, opt((char('.'), digit1))));
    map_opt(decimal, |text: &str| text.parse().ok()).parse(input)
}
