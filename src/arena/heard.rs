//! Reads one line of an engine with every parser of engine output.

use super::check::Score;
use super::record::Thought;
use super::tournament::{Claim, claim, take_info};
use super::words;
use crate::rules::Color;
use crate::text::ParseError;

/// The results of all parsers on one line.
#[derive(Clone, PartialEq, Debug)]
pub struct Heard {
    /// The first line of an answer of GTP: whether it begins with `=`, its id, and its text.
    pub answer: Option<(bool, String, String)>,
    /// The result that a match takes from the text of an answer to `final_score`: who won, with `None` for a draw.
    pub claim: Option<Option<Color>>,
    /// The score that `check` takes from the same text: the winner, and the margin where one is said.
    pub score: Option<Score>,
    /// The move of `bestmove`.
    pub bestmove: Result<String, ParseError>,
    /// The word of `response`.
    pub response: Result<String, ParseError>,
    /// An error where `info` lacks a number that a keyword needs.
    pub info: Result<(), ParseError>,
    /// What a match keeps of `info`.
    pub thought: Thought,
    /// The option that is offered: its name, a seed within its bounds, and what it would take instead of the value.
    pub option: Result<(String, i128, Option<String>), String>,
}

/// Reads a line in every way. An option is to be set to the value, or to the seed.
pub fn hear(line: &str, value: &str, seed: u32) -> Heard {
    let answer = words::head(line).map(|head| (head.ok, head.id, head.text));
    let text = answer.as_ref().map_or("", |(_, _, text)| text.trim());
    let mut thought = Thought::default();
    take_info(&mut thought, line);
    let option = words::option(line).map(|option| {
        let (seed, refusal) = (option.within(seed), option.refuses(value));
        (option.name, seed, refusal)
    });
    Heard {
        claim: claim(text).map(|Claim { winner, .. }| winner),
        score: super::check::score(text),
        bestmove: words::bestmove(line.trim_end()),
        response: words::response(line.trim_end()),
        info: words::info(line.trim_end()),
        thought,
        option,
        answer,
    }
}
