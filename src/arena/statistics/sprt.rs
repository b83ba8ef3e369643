//! The sequential probability ratio test of two differences in Elo, over pairs of games.

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::{map_opt, opt, recognize};
use nom::sequence::preceded;

use super::sample::{Sample, score};
use crate::notation::ParseError;
use crate::notation::pieces::{Parsed, expect, read};

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
        let elo = |input| {
            expect(
                "a difference in Elo",
                map_opt(decimal, |elo| (elo.abs() <= 2000.0).then_some(elo)),
            )
            .parse(input)
        };
        let comma = |input| expect("a comma", char(',')).parse(input);
        let error = |input| {
            expect(
                "a probability between 0 and 0.5",
                map_opt(decimal, |error| {
                    (error > 0.0 && error < 0.5).then_some(error)
                }),
            )
            .parse(input)
        };
        let errors = opt((preceded(comma, error), preceded(comma, error)));
        let above = |(elo0, elo1, errors): (f64, f64, Option<(f64, f64)>)| {
            let (alpha, beta) = errors.unwrap_or((0.05, 0.05));
            (elo0 < elo1).then_some(Self {
                elo0,
                elo1,
                alpha,
                beta,
            })
        };
        let all = (elo, preceded(comma, elo), errors);
        read(
            text,
            expect(
                "two differences in Elo, the smaller one first",
                map_opt(all, above),
            ),
        )
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

fn decimal(input: &str) -> Parsed<'_, f64> {
    let decimal = recognize((opt(char('-')), digit1, opt((char('.'), digit1))));
    map_opt(decimal, |text: &str| text.parse().ok()).parse(input)
}
