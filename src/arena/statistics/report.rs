//! Statistics as text.

use std::fmt::{self, Display};

use super::Statistics;
use super::sample::{Sample, elo};
use super::sprt::{Decision, Sprt};
use super::tally::{Meeting, Pairs, Results, Tally};
use crate::arena::record::Cause;
use crate::text::{counted, cut};

/// Maximum number of reasons listed. Our games have fewer, but a record may contain any.
const MAX_REASONS: usize = 12;

impl Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.variants.is_empty() {
            return writeln!(f, "no games");
        }
        for (i, (variant, tally)) in self.variants.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            let games = tally.games();
            let length = tally.moves as f64 / games.max(1) as f64;
            writeln!(
                f,
                "{variant}: {}, {length:.1} moves each",
                counted(games, "game")
            )?;
            write_tally(f, tally, self.sprt.as_ref())?;
        }
        Ok(())
    }
}

fn write_tally(f: &mut fmt::Formatter<'_>, tally: &Tally, sprt: Option<&Sprt>) -> fmt::Result {
    if tally.names.len() > 2 {
        write_table(f, tally)?;
    }
    for (&(a, b), meeting) in &tally.meetings {
        if let (Some(a), Some(b)) = (tally.names.get(a), tally.names.get(b)) {
            writeln!(f, "\n{a} against {b}")?;
            write_meeting(f, meeting, sprt)?;
        }
    }
    let first = results(tally.first_mover);
    write!(f, "\nfirst mover ({})  {first}", tally.first)?;
    if let Some((low, high)) = tally.first_mover_sample().interval() {
        write!(
            f,
            ", 95 % interval {:.1} to {:.1} %",
            100.0 * low,
            100.0 * high
        )?;
    }
    writeln!(f)?;
    writeln!(f, "ends  {}", causes(tally))?;
    if !tally.reasons.is_empty() {
        writeln!(f, "reasons  {}", reasons(tally))?;
    }
    match tally.repeated {
        0 => {}
        1 => writeln!(
            f,
            "note: 1 game repeats an earlier one move for move: the sample is smaller than it looks"
        )?,
        games => writeln!(
            f,
            "note: {games} games repeat earlier ones move for move: the sample is smaller than it looks"
        )?,
    }
    if tally.given_twice > 0 {
        let games = counted(tally.given_twice, "game");
        writeln!(f, "note: {games} given more than once and counted once")?;
    }
    for name in tally.ambiguous() {
        writeln!(
            f,
            "note: {name} stands for engines, versions, options or limits that differ"
        )?;
    }
    Ok(())
}

/// Formats the results of every engine against all others.
fn write_table(f: &mut fmt::Formatter<'_>, tally: &Tally) -> fmt::Result {
    let mut rows: Vec<(&String, Results)> = tally
        .names
        .iter()
        .enumerate()
        .map(|(i, name)| (name, tally.results_of(i)))
        .collect();
    rows.sort_by(|(_, a), (_, b)| b.share().total_cmp(&a.share()));
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0);
    writeln!(f)?;
    rows.iter().try_for_each(|(name, all)| {
        writeln!(
            f,
            "{name:<width$}  {:>5} {:<5}  {}",
            all.games(),
            if all.games() == 1 { "game" } else { "games" },
            results(*all)
        )
    })
}

fn write_meeting(
    f: &mut fmt::Formatter<'_>,
    meeting: &Meeting,
    sprt: Option<&Sprt>,
) -> fmt::Result {
    writeln!(f, "  all games        {}", results(meeting.results()))?;
    writeln!(f, "  moving first     {}", results(meeting.moving_first))?;
    writeln!(f, "  moving second    {}", results(meeting.moving_second))?;
    let [none, half, one, most, two] = meeting.pairs;
    if meeting.pairs != Pairs::default() {
        writeln!(
            f,
            "  pairs            2: {two}, 1.5: {most}, 1: {one}, 0.5: {half}, 0: {none}"
        )?;
        let alone = meeting.results().games() - 2 * meeting.pairs.iter().sum::<u64>();
        if alone > 0 {
            let games = counted(alone, "game");
            writeln!(
                f,
                "  left out below   {games} without the other half of a pair"
            )?;
        }
    }
    let sample = meeting.sample();
    if let (Some(mean), Some((low, high))) = (sample.mean(), sample.interval()) {
        let error = sample.elo_error();
        let error = error
            .map(|error| format!(" ± {error:.1}"))
            .unwrap_or_default();
        let (low, high) = (elo_text(low), elo_text(high));
        writeln!(
            f,
            "  Elo              {}{error}, 95 % interval {low} to {high}",
            elo_text(mean)
        )?;
    }
    if let Some(superiority) = sample.superiority() {
        writeln!(f, "  superiority      {:.2} % likely", 100.0 * superiority)?;
    }
    sprt.map_or(Ok(()), |sprt| write_test(f, meeting, sprt))
}

fn write_test(f: &mut fmt::Formatter<'_>, meeting: &Meeting, sprt: &Sprt) -> fmt::Result {
    let (low, high) = sprt.bounds();
    let now = sprt.log_likelihood_ratio(&Sample::new(&meeting.pairs));
    let (ratio, decision) = match meeting.decided {
        None => (now, "undecided"),
        Some((Decision::H0, ratio)) => (ratio, "H0 is accepted"),
        Some((Decision::H1, ratio)) => (ratio, "H1 is accepted"),
    };
    let Sprt { elo0, elo1, .. } = sprt;
    writeln!(
        f,
        "  SPRT             Elo {elo0} or {elo1}: log-likelihood ratio {ratio:.2} ({low:.2} to {high:.2}), {decision}"
    )
}

fn causes(tally: &Tally) -> String {
    let of_cause = |(cause, count): (&Cause, &u64)| {
        let faults = tally.faults.iter().filter(|((of, _), _)| of == cause);
        let faults: Vec<String> = faults
            .map(|((_, name), count)| format!("{name} {count}"))
            .collect();
        match faults.is_empty() {
            true => format!("{cause} {count}"),
            false => format!("{cause} {count} ({})", faults.join(", ")),
        }
    };
    let causes: Vec<String> = tally.causes.iter().map(of_cause).collect();
    causes.join(", ")
}

/// Formats the reasons of games that ended by the rules, the most frequent first.
fn reasons(tally: &Tally) -> String {
    let mut reasons: Vec<(&String, &u64)> = tally.reasons.iter().collect();
    // A stable sort keeps equally frequent ones in alphabetical order.
    reasons.sort_by_key(|&(_, &count)| std::cmp::Reverse(count));
    let rest: u64 = reasons
        .iter()
        .skip(MAX_REASONS)
        .map(|(_, count)| **count)
        .sum();
    reasons.truncate(MAX_REASONS);
    let reasons = reasons.iter();
    let mut reasons: Vec<String> = reasons
        .map(|(reason, count)| match reason.is_empty() {
            true => format!("not said {count}"),
            false => format!("{} {count}", cut(reason)),
        })
        .collect();
    if rest > 0 {
        reasons.push(format!("others {rest}"));
    }
    reasons.join(", ")
}

fn results(results: Results) -> String {
    let Results {
        wins,
        draws,
        losses,
    } = results;
    match results.games() {
        0 => "none".to_owned(),
        _ => format!(
            "+{wins} ={draws} -{losses}  {:.1} %",
            100.0 * results.share()
        ),
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
