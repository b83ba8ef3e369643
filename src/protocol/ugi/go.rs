//! The command `go`.

use std::time::Duration;

use nom::Parser;
use nom::character::complete::{char, digit1};
use nom::combinator::{all_consuming, opt};

use super::{Answer, Search, Ugi};
use crate::notation::pieces::Expected;
use crate::rules::Color;
use crate::search::ReportSchedule;
use crate::session::{Go, TimeLimit};
use crate::text::quote;

/// Maximum depth of perft: deeper counts would take longer than a lifetime.
const MAX_PERFT: u64 = 99;

/// Maximum time, in milliseconds: one year.
const MAX_TIME: u64 = 1000 * 86_400 * 365;

/// Interval of `info` lines in a search limited by time.
const INTERVAL: Duration = Duration::from_secs(1);

/// The arguments of `go`.
#[derive(Default)]
struct Words<'a> {
    infinite: bool,
    move_time: Option<u64>,
    /// Remaining time of p1 and p2, in milliseconds.
    left: [Option<u64>; 2],
    increment: [u64; 2],
    depth: Option<u64>,
    nodes: Option<u64>,
    perft: Option<u64>,
    only: Vec<&'a str>,
    /// Messages about ignored words.
    ignored: Vec<String>,
}

/// Parses an integer. A negative one, which some clients send for an expired clock, becomes zero.
fn number(text: &str) -> Option<u64> {
    let (_, (minus, digits)) = all_consuming((opt(char::<&str, Expected<'_>>('-')), digit1)).parse(text).ok()?;
    match minus {
        Some(_) => Some(0),
        // The text has only digits: a number that does not fit is large.
        None => Some(digits.parse().unwrap_or(u64::MAX)),
    }
}

const WORDS: &[&str] =
    &["p1time", "p2time", "p1inc", "p2inc", "movetime", "depth", "nodes", "infinite", "perft", "searchmoves"];

fn read(arguments: &str) -> Words<'_> {
    let mut words = Words::default();
    let mut rest = arguments.split(' ').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = rest.next() {
        match word {
            "infinite" => words.infinite = true,
            "searchmoves" => {
                while let Some(text) = rest.next_if(|word| !WORDS.contains(word)) {
                    words.only.push(text);
                }
            }
            _ if !WORDS.contains(&word) => {
                let known = WORDS.join(", ");
                words.ignored.push(format!("unknown word {}: expected one of {known}", quote(word)));
            }
            _ => match rest.next_if(|word| !WORDS.contains(word)) {
                None => words.ignored.push(format!("{word}: expected a number behind it")),
                Some(text) => match number(text) {
                    Some(number) => words.set(word, number),
                    None => {
                        let text = quote(text);
                        words.ignored.push(format!("{word} {text}: expected a number"));
                    }
                },
            },
        }
    }
    words
}

impl Words<'_> {
    fn set(&mut self, word: &str, number: u64) {
        let [first_left, second_left] = &mut self.left;
        let [first_increment, second_increment] = &mut self.increment;
        match word {
            "p1time" => *first_left = Some(number),
            "p2time" => *second_left = Some(number),
            "p1inc" => *first_increment = number,
            "p2inc" => *second_increment = number,
            "movetime" => self.move_time = Some(number),
            "depth" => self.depth = Some(number),
            // A search for zero nodes would have no limit.
            "nodes" => self.nodes = Some(number.max(1)),
            _ => self.perft = Some(number),
        }
    }

    /// Returns the time limit of `side`, where `first` is p1.
    fn time(&self, side: Color, first: Color) -> TimeLimit {
        let milliseconds = |number: u64| Duration::from_millis(number.min(MAX_TIME));
        let ([p1, p2], [p1_increment, p2_increment]) = (self.left, self.increment);
        let (left, increment) = if side == first { (p1, p1_increment) } else { (p2, p2_increment) };
        match (self.infinite, self.move_time, left) {
            (true, ..) => TimeLimit::Unlimited,
            (_, Some(time), _) => TimeLimit::Fixed(milliseconds(time)),
            (_, _, Some(left)) => TimeLimit::Clock { left: milliseconds(left), increment: milliseconds(increment) },
            _ => TimeLimit::Default,
        }
    }
}

pub(super) fn go(ugi: &mut Ugi, arguments: &str) -> Answer {
    let words = read(arguments);
    let ignored = words.ignored.iter();
    let mut lines: Vec<String> = ignored.map(|why| format!("info string {why}")).collect();
    let none = |mut lines: Vec<String>| {
        lines.push("info depth 0 seldepth 0 time 0 nodes 0 nps 0 hashfull 0".to_owned());
        lines.push("bestmove none".to_owned());
        Answer::Lines(lines)
    };
    // The last `position` was refused, so the session is at another position.
    if ugi.void.is_some() {
        return none(lines);
    }
    if let Some(depth) = words.perft {
        let depth = depth.min(MAX_PERFT) as u32;
        ugi.search = Some(Search { infinite: false, stopped: false, perft: Some(depth) });
        return Answer::Later(lines, ugi.session.perft(depth));
    }
    if ugi.session.outcome().is_some() {
        return none(lines);
    }
    let mut only = Vec::new();
    for text in &words.only {
        match ugi.session.check(text) {
            Ok(()) => only.push((*text).to_owned()),
            Err(error) => lines.push(format!("info error searchmoves: illegal move: {error}")),
        }
    }
    if only.is_empty() && !words.only.is_empty() {
        return none(lines);
    }
    let repeatable = words.nodes.is_some() || words.depth.is_some();
    let go = Go {
        time: words.time(ugi.session.side(), ugi.session.variant().info().first),
        nodes: words.nodes,
        depth: words.depth.map(|depth| depth.min(u32::MAX.into()) as u32),
        search_moves: only,
        plays: !words.infinite,
        multi_pv: 1,
        report_schedule: ReportSchedule {
            on_doubling: true,
            interval: (!repeatable && !ugi.session.has_node_limit()).then_some(INTERVAL),
        },
    };
    match ugi.session.search(&go) {
        Ok(events) => {
            let shortages = ugi.session.take_shortages().into_iter();
            lines.extend(shortages.map(|shortage| format!("info string {shortage}")));
            ugi.search = Some(Search { infinite: words.infinite, stopped: false, perft: None });
            Answer::Later(lines, events)
        }
        Err(error) => {
            lines.push(format!("info error {error}"));
            none(lines)
        }
    }
}
