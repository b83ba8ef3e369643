//! Statistics as text.

use std::fmt::{self, Display};

use super::Statistics;
use super::cross_table::CrossTable;
use super::ratings::Ratings;
use super::sprt::Sprt;
use super::tally::{HeadToHead, Pairs, Tally, TestEnd};
use crate::intervals::{Estimate, Results, Sample, elo};
use crate::record::Cause;
use crate::text::{counted, cut};

/// Maximum number of reasons listed. Our games have fewer, but a record may contain any.
const MAX_REASONS: usize = 12;

impl Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.variants.is_empty() {
            return writeln!(f, "no games");
        }
        let ratings = self.ratings();
        for (i, (variant, tally)) in self.variants.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{variant}: {}", games_line(tally))?;
            let own = ratings.as_ref().filter(|_| self.variants.len() == 1);
            write_tally(f, tally, own, self.sprt.as_ref())?;
        }
        match ratings.filter(|_| self.variants.len() > 1) {
            Some(ratings) => write!(f, "\nall variants, {}", ratings.short_text()),
            None => Ok(()),
        }
    }
}

/// Returns the number of games and their mean length.
pub fn games_line(tally: &Tally) -> String {
    let games = tally.games();
    let length = tally.moves as f64 / games.max(1) as f64;
    format!("{}, {length:.1} moves each", counted(games, "game"))
}

fn write_tally(
    f: &mut fmt::Formatter<'_>,
    tally: &Tally,
    ratings: Option<&Ratings>,
    sprt: Option<&Sprt>,
) -> fmt::Result {
    if tally.names.len() > 2 {
        write!(f, "\n{}", CrossTable::new(tally))?;
    }
    if let Some(ratings) = ratings {
        write!(f, "\n{}", ratings.short_text())?;
    }
    for (&(a, b), head_to_head) in &tally.head_to_heads {
        if let (Some(a), Some(b)) = (tally.names.get(a), tally.names.get(b)) {
            writeln!(f, "\n{a} against {b}")?;
            for (label, value) in head_to_head_lines(head_to_head, sprt) {
                writeln!(f, "  {label:<15}  {value}")?;
            }
        }
    }
    let first = tally.first;
    writeln!(f, "\nfirst mover ({first})  {}", first_mover_line(tally))?;
    writeln!(f, "ends  {}", causes(tally))?;
    if !tally.reasons.is_empty() {
        let reasons = reason_counts(tally).into_iter();
        let reasons: Vec<String> = reasons.map(|(reason, count)| format!("{reason} {count}")).collect();
        writeln!(f, "reasons  {}", reasons.join(", "))?;
    }
    for note in notes(tally) {
        writeln!(f, "note: {note}")?;
    }
    Ok(())
}

/// Returns what a reader should know about the sample.
pub fn notes(tally: &Tally) -> Vec<String> {
    let mut notes = Vec::new();
    match tally.repeated {
        0 => {}
        1 => notes.push("1 game repeats an earlier one move for move: the sample is smaller than it looks".to_owned()),
        games => {
            notes.push(format!("{games} games repeat earlier ones move for move: the sample is smaller than it looks"))
        }
    }
    if tally.given_twice > 0 {
        let games = counted(tally.given_twice, "game");
        notes.push(format!("{games} given more than once and counted once"));
    }
    notes.extend(
        tally.ambiguous().map(|name| format!("{name} stands for engines, versions, options or limits that differ")),
    );
    notes
}

/// Returns the score of the first mover with its interval.
fn first_mover_line(tally: &Tally) -> String {
    let first = results(tally.first_mover);
    match tally.first_mover_estimate() {
        None => first,
        Some(Estimate { low, high, .. }) => {
            format!("{first}, 95 % interval {:.1} to {:.1} %", 100.0 * low, 100.0 * high)
        }
    }
}

/// Returns what the score of the first mover says about moving first, for a sentence.
pub fn first_mover_verdict(score: &Estimate) -> &'static str {
    if score.low > 0.5 {
        "moving first is an advantage"
    } else if score.high < 0.5 {
        "moving first is a disadvantage"
    } else {
        "these games do not show that either player is ahead"
    }
}

/// Returns the lines about two engines that met, each with its label.
pub fn head_to_head_lines(head_to_head: &HeadToHead, sprt: Option<&Sprt>) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("all games", results(head_to_head.results())),
        ("moving first", results(head_to_head.moving_first)),
        ("moving second", results(head_to_head.moving_second)),
    ];
    let [none, half, one, most, two] = head_to_head.pairs;
    if head_to_head.pairs != Pairs::default() {
        let pairs = format!("2: {two}, 1.5: {most}, 1: {one}, 0.5: {half}, 0: {none}");
        lines.push(("pairs", pairs));
        let alone = head_to_head.results().games() - 2 * head_to_head.pairs.iter().sum::<u64>();
        if alone > 0 {
            let games = counted(alone, "game");
            let alone = format!("{games} without the other half of a pair");
            lines.push(("left out below", alone));
        }
    }
    let sample = head_to_head.sample();
    if let (Some(mean), Some(Estimate { low, high, .. })) = (sample.mean(), head_to_head.estimate()) {
        let (mean, low, high) = (elo_text(mean), elo_text(low), elo_text(high));
        lines.push(("Elo", format!("{mean}, 95 % interval {low} to {high}")));
    }
    if let (Some(mean), Some(Estimate { low, high, .. })) = (sample.mean(), head_to_head.estimate()) {
        let games = if head_to_head.pairs == Pairs::default() { 1 } else { 2 };
        let normalized = [mean, low, high].map(|score| sample.normalized_elo(score, games));
        if let [Some(mean), Some(low), Some(high)] = normalized {
            lines.push(("nElo", format!("{mean:+.1}, 95 % interval {low:+.1} to {high:+.1}")));
        }
    }
    if let Some(superiority) = sample.superiority() {
        let superiority = format!("{:.2} % likely", 100.0 * superiority);
        lines.push(("superiority", superiority));
    }
    lines.extend(sprt.map(|sprt| ("SPRT", test_line(head_to_head, sprt))));
    lines
}

fn test_line(head_to_head: &HeadToHead, sprt: &Sprt) -> String {
    let (low, high) = sprt.bounds();
    let now = sprt.log_likelihood_ratio(&Sample::new(&head_to_head.pairs));
    let (ratio, decision) = match head_to_head.decided {
        None => (now, "undecided".to_owned()),
        Some(TestEnd { decision, ratio, games }) => {
            let games = counted(games, "game");
            (ratio, format!("{decision} is accepted after {games}"))
        }
    };
    let Sprt { elo0, elo1, .. } = sprt;
    format!("Elo {elo0} or {elo1}: log-likelihood ratio {ratio:.2} ({low:.2} to {high:.2}), {decision}")
}

/// Returns what a reader should know first, if not all games ended by the rules.
pub fn ends_line(tally: &Tally) -> Option<String> {
    let games = tally.games();
    let of = |cause: Cause| tally.causes.get(&cause).copied().unwrap_or(0);
    let (normal, length) = (of(Cause::Normal), of(Cause::Length));
    if normal == games {
        return None;
    }
    if length == games {
        return Some(match games {
            1 => "The game reached the limit of moves (--max-moves), and counts as a draw".to_owned(),
            _ => format!("All {games} games reached the limit of moves (--max-moves), and count as draws"),
        });
    }
    let mut others = Vec::new();
    if length > 0 {
        others.push(format!("{length} reached the limit of moves (--max-moves)"));
    }
    let causes = tally.causes.iter();
    let causes = causes.filter(|(cause, _)| !matches!(cause, Cause::Normal | Cause::Length));
    others.extend(causes.map(|(cause, count)| format!("{cause} {count}")));
    let others = others.join(", ");
    Some(match normal {
        0 => format!("No game ended by the rules: {others}"),
        _ => format!("{normal} of {games} games ended by the rules; {others}"),
    })
}

fn causes(tally: &Tally) -> String {
    let causes = tally.causes.iter().map(|(&cause, count)| {
        let faults = faults(tally, cause);
        if faults.is_empty() { format!("{cause} {count}") } else { format!("{cause} {count} ({faults})") }
    });
    let causes: Vec<String> = causes.collect();
    causes.join(", ")
}

/// Returns the engines that failed for a cause, each with the number of its failures.
pub fn faults(tally: &Tally, cause: Cause) -> String {
    let faults = tally.faults.iter().filter(|((of, _), _)| *of == cause);
    let faults: Vec<String> = faults.map(|((_, name), count)| format!("{name} {count}")).collect();
    faults.join(", ")
}

/// Counts the reasons of games that ended by the rules, the most frequent first.
pub fn reason_counts(tally: &Tally) -> Vec<(String, u64)> {
    let mut reasons: Vec<(&String, &u64)> = tally.reasons.iter().collect();
    // A stable sort keeps equally frequent ones in alphabetical order.
    reasons.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
    let rest: u64 = reasons.iter().skip(MAX_REASONS).map(|(_, count)| **count).sum();
    reasons.truncate(MAX_REASONS);
    let reasons = reasons.iter();
    let mut reasons: Vec<(String, u64)> = reasons
        .map(|(reason, count)| (if reason.is_empty() { "not said".to_owned() } else { cut(reason) }, **count))
        .collect();
    if rest > 0 {
        reasons.push(("others".to_owned(), rest));
    }
    reasons
}

/// Formats wins, draws, losses and the score.
pub fn results(results: Results) -> String {
    let Results { wins, draws, losses } = results;
    match results.games() {
        0 => "none".to_owned(),
        _ => format!("+{wins} ={draws} -{losses}  {:.1} %", 100.0 * results.share()),
    }
}

/// Formats an Elo difference with its sign, also an infinite one.
pub fn elo_text(score: f64) -> String {
    match elo(score) {
        elo if elo == f64::INFINITY => "+inf".to_owned(),
        elo if elo == f64::NEG_INFINITY => "-inf".to_owned(),
        elo => format!("{elo:+.1}"),
    }
}
