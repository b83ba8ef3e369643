//! Statistics as rows for other programs: JSON, CSV, Markdown.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use super::grid::Grid;
use super::report::{games_line, notes, reason_counts, results};
use super::sprt::Sprt;
use super::tally::{HeadToHead, Pairs, Tally};
use super::{Statistics, TestEnd};
use crate::intervals::{DIGITS, Estimate, Results, Sample, elo, rounded};

/// Columns of the rows of two engines, with their places in the JSON.
const PAIRINGS: [(&str, &str); 10] = [
    ("engine", "/engine"),
    ("opponent", "/opponent"),
    ("games", "/games"),
    ("wins", "/wins"),
    ("draws", "/draws"),
    ("losses", "/losses"),
    ("score", "/score"),
    ("elo", "/elo/value"),
    ("elo_low", "/elo/low"),
    ("elo_high", "/elo/high"),
];

/// Results with the number of games and the score.
#[derive(Serialize)]
struct Counts {
    games: u64,
    #[serde(flatten)]
    results: Results,
    /// From 0 to 1; `None` without a game.
    score: Option<f64>,
}

impl Counts {
    fn of(results: Results) -> Self {
        let games = results.games();
        Self { games, results, score: (games > 0).then(|| rounded(results.share(), DIGITS)) }
    }
}

#[derive(Serialize)]
struct Pairing<'a> {
    engine: &'a str,
    opponent: &'a str,
    #[serde(flatten)]
    all: Counts,
    moving_first: Counts,
    moving_second: Counts,
    /// Numbers of pairs by half points of the engine, from 0 to 4.
    pairs: Option<Pairs>,
    elo: Option<Estimate>,
    superiority: Option<f64>,
    sprt: Option<Value>,
}

impl<'a> Pairing<'a> {
    fn of(engine: &'a str, opponent: &'a str, of: &HeadToHead, sprt: Option<&Sprt>) -> Self {
        let sample = of.sample();
        let mean = sample.mean().zip(of.estimate());
        Self {
            engine,
            opponent,
            all: Counts::of(of.results()),
            moving_first: Counts::of(of.moving_first),
            moving_second: Counts::of(of.moving_second),
            pairs: (of.pairs != Pairs::default()).then_some(of.pairs),
            elo: mean.map(|(mean, Estimate { low, high, .. })| {
                let [value, low, high] = [mean, low, high].map(|score| rounded(elo(score), 1));
                Estimate { value, low, high }
            }),
            superiority: sample.superiority().map(|likely| rounded(likely, DIGITS)),
            sprt: sprt.map(|sprt| test(of, sprt)),
        }
    }
}

/// Returns a sequential test: where it began, where it stands, and its decision.
fn test(of: &HeadToHead, sprt: &Sprt) -> Value {
    let (low, high) = sprt.bounds();
    let now = sprt.log_likelihood_ratio(&Sample::new(&of.pairs));
    let end = of.decided.map(|TestEnd { decision, ratio, games }| (decision.to_string(), ratio, games));
    let (decision, ratio, games) = match end {
        None => (None, now, None),
        Some((decision, ratio, games)) => (Some(decision), ratio, Some(games)),
    };
    let [low, high, ratio] = [low, high, ratio].map(|number| rounded(number, DIGITS));
    json!({
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "ratio": ratio,
        "low": low,
        "high": high,
        "decision": decision,
        "games": games,
    })
}

/// Returns the rows of the engines that met.
fn pairings<'a>(tally: &'a Tally, sprt: Option<&Sprt>) -> Vec<Pairing<'a>> {
    let rows = tally.head_to_heads.iter().filter_map(|(&(a, b), of)| {
        let (engine, opponent) = (tally.names.get(a)?, tally.names.get(b)?);
        Some(Pairing::of(engine, opponent, of, sprt))
    });
    rows.collect()
}

/// Returns the statistics of one variant.
fn variant_json(variant: &str, tally: &Tally, sprt: Option<&Sprt>) -> Value {
    let named = |name: &str, count: u64| json!({ "name": name, "games": count });
    let causes = tally.causes.iter().map(|(cause, &count)| named(&cause.to_string(), count));
    let reasons = reason_counts(tally).into_iter().map(|(reason, count)| named(&reason, count));
    let faults = tally
        .faults
        .iter()
        .map(|((cause, name), &count)| json!({ "engine": name, "cause": cause.to_string(), "games": count }));
    json!({
        "variant": variant,
        "games": tally.games(),
        "moves": tally.moves,
        "first": tally.first.to_string().to_lowercase(),
        "first_mover": Counts::of(tally.first_mover),
        "first_mover_interval": tally.first_mover_estimate(),
        "causes": causes.collect::<Vec<Value>>(),
        "reasons": reasons.collect::<Vec<Value>>(),
        "faults": faults.collect::<Vec<Value>>(),
        "notes": notes(tally),
        "pairings": pairings(tally, sprt),
    })
}

impl Statistics {
    /// Returns everything for JSON. Numbers that are not finite become `null`.
    pub fn json(&self) -> Value {
        let variants = self.variants.iter();
        let variants = variants.map(|(variant, tally)| variant_json(variant, tally, self.sprt.as_ref()));
        json!({
            "games": self.games(),
            "variants": variants.collect::<Vec<Value>>(),
            "ratings": self.ratings().map(|ratings| ratings.json()),
        })
    }

    /// Formats a row for each two engines of each variant as CSV.
    pub fn csv(&self) -> String {
        #[derive(Serialize)]
        struct Row<'a> {
            variant: &'a str,
            #[serde(flatten)]
            pairing: Pairing<'a>,
        }
        let columns: Vec<(&str, &str)> = [("variant", "/variant")].into_iter().chain(PAIRINGS).collect();
        let rows = self.variants.iter().flat_map(|(variant, tally)| {
            let rows = pairings(tally, None).into_iter();
            rows.map(move |pairing| Row { variant, pairing })
        });
        Grid::of_rows(&columns, rows).csv()
    }

    /// Formats the tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (variant, tally) in &self.variants {
            let mut grid = Grid::of_rows(&PAIRINGS, pairings(tally, None));
            grid.caption = format!("{variant}: {}", games_line(tally));
            let reasons = reason_counts(tally).into_iter();
            let reasons: Vec<String> = reasons.map(|(reason, count)| format!("{reason} {count}")).collect();
            let gap = if text.is_empty() { "" } else { "\n" };
            // Writing to a string can't fail.
            let _ = write!(
                text,
                "{gap}{}\nFirst mover ({}): {}.",
                grid.markdown(),
                tally.first,
                results(tally.first_mover)
            );
            let _ =
                if reasons.is_empty() { writeln!(text) } else { writeln!(text, " Reasons: {}.", reasons.join(", ")) };
            for note in notes(tally) {
                let _ = writeln!(text, "\nNote: {note}.");
            }
        }
        if let Some(ratings) = self.ratings() {
            let _ = write!(text, "\n{}", ratings.markdown());
        }
        text
    }
}
