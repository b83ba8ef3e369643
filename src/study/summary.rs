//! The answers of a study in plain words.

use super::figures::{StrengthFigures, Study};
use super::wording::{percent, strength_name};
use crate::intervals::Estimate;
use crate::statistics::first_mover_verdict;
use crate::text::counted;

/// Minimum number of games from which a sentence draws a conclusion.
const FEW_GAMES: u64 = 10;

/// Names a strength as a condition of a sentence.
fn at(nodes: u64) -> String {
    match nodes {
        0 => "In random play".to_owned(),
        nodes => format!("At {}", strength_name(nodes)),
    }
}

fn interval(estimate: &Estimate) -> String {
    format!("95 % interval {:.1} to {}", 100.0 * estimate.low, percent(estimate.high))
}

/// Returns the answers, most important first.
pub(super) fn summary(study: &Study) -> Vec<String> {
    let mut answers = study.balance.sentences.clone();
    let (Some(weakest), Some(strongest)) = (study.strengths.first(), study.strengths.last()) else {
        return answers;
    };
    // Asked once: the answer about rules counts the same games.
    if study.balance.pooled != Some(strongest.strength) {
        answers.push(first_mover(study, strongest));
    }
    answers.extend(trend(study, weakest, strongest));
    answers.extend(pie(strongest));
    answers.push(ends(strongest));
    answers.push(format!(
        "Such a game takes {:.0} moves of both players together, with {:.0} legal steps to choose from on average.",
        strongest.moves.mean.value, strongest.branching.mean.value
    ));
    answers.extend(tension(strongest));
    let mut strengths = study.strengths.iter().rev();
    answers.extend(strengths.find_map(mirroring));
    if strongest.games < FEW_GAMES {
        answers.push(format!(
            "With {} at the highest strength, all of this is uncertain.",
            counted(strongest.games, "game")
        ));
    }
    answers
}

fn first_mover(study: &Study, figures: &StrengthFigures) -> String {
    let score = &figures.first_mover.estimate;
    let verdict = first_mover_verdict(score);
    format!(
        "{}{}, {}, who moves first, scores {} in {} ({}): {verdict}.",
        at(figures.strength),
        openings(study),
        study.first_mover,
        percent(score.value),
        counted(figures.games, "game"),
        interval(score)
    )
}

/// Names the openings of the games, if other games of the study begin otherwise.
fn openings(study: &Study) -> String {
    match study.opening.random_steps {
        0 => String::new(),
        _ if study.balance.compare.is_empty() => String::new(),
        steps => format!(" and after {}", counted(steps.into(), "random step")),
    }
}

/// Compares random play, or the weakest, with the strongest.
fn trend(study: &Study, weakest: &StrengthFigures, strongest: &StrengthFigures) -> Option<String> {
    if weakest.strength == strongest.strength {
        return None;
    }
    let (from, to) = (&weakest.first_mover.estimate, &strongest.first_mover.estimate);
    let differs = from.high < to.low || to.high < from.low;
    let verdict = if differs {
        "the figure depends on the strength of play"
    } else {
        "these games do not show that it depends on the strength of play"
    };
    let which = if study.balance.pooled == Some(strongest.strength) {
        format!("the score of {}, who moves first,", study.first_mover)
    } else {
        "that score".to_owned()
    };
    Some(format!("{} {which} is {} ({}): {verdict}.", at(weakest.strength), percent(from.value), interval(from)))
}

fn pie(figures: &StrengthFigures) -> Option<String> {
    let (stones, swaps) = (figures.first_stones.as_ref()?, figures.swaps.as_ref()?);
    Some(format!(
        "The second player swaps in {} of the games; the stones that moved first score {} ({}), whoever owns them.",
        percent(swaps.value),
        percent(stones.estimate.value),
        interval(&stones.estimate)
    ))
}

fn ends(figures: &StrengthFigures) -> String {
    let drawn = match figures.draws.value {
        0.0 => format!("No game is drawn ({})", interval(&figures.draws)),
        share => format!("{} of the games are drawn ({})", percent(share), interval(&figures.draws)),
    };
    match figures.ends.first() {
        Some(end) if end.games == figures.games => format!("{drawn}; all end by {}.", end.reason),
        Some(end) => {
            let share = end.games as f64 / figures.games.max(1) as f64;
            format!("{drawn}; the most frequent end is {}, with {}.", end.reason, percent(share))
        }
        None => drawn + ".",
    }
}

/// Says whether mirroring pays.
fn mirroring(figures: &StrengthFigures) -> Option<String> {
    let strategy = figures.mirroring_strategy.as_ref()?;
    let (score, mirrored) = (&strategy.score.estimate, strategy.mirrored.as_ref()?);
    let verdict = match () {
        () if score.low > 0.5 => "mirroring pays",
        () if score.high < 0.5 => "mirroring does not pay",
        () => "these games do not show whether mirroring pays",
    };
    Some(format!(
        "{}, a player who mirrors the opponent's moves where it can, in {} of its replies, scores {} in {} ({}): \
         {verdict}.",
        at(figures.strength),
        percent(mirrored.value),
        percent(score.value),
        counted(strategy.games, "game"),
        interval(score)
    ))
}

fn tension(figures: &StrengthFigures) -> Option<String> {
    let changes = figures.lead_changes.as_ref()?;
    let behind = figures.comebacks.get(1)?;
    let share = behind.estimate.as_ref()?;
    Some(format!(
        "By the players' own expectations the lead changes {:.1} times in a game, and in {} of the decided games the \
         winner once expected less than {:.0} %.",
        changes.value,
        percent(share.value),
        100.0 * behind.below
    ))
}
