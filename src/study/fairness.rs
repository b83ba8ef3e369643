//! The part of a report about fairness: the answers to the questions of balance.

use super::balance::answers::{ChoicesAnswer, CompareAnswer, KomiAnswer, RuleAnswer, SwapAnswer};
use super::figures::Study;
use super::terms::{self, terms};
use super::wording::{percent, strength_name, tenths};
use crate::intervals::Estimate;
use crate::render::{RangeRow, Ranges, StudyFigure, StudySection};
use crate::text::{counted, grouped};

/// Maximum number of first moves that the page lists: the fairest ones.
const MAX_MOVES: usize = 24;

/// A table: its caption, the heads of its columns, and its rows.
type Table = (String, Vec<String>, Vec<Vec<String>>);

/// Returns the part about fairness; `None` if no question was asked.
pub(super) fn fairness(study: &Study) -> Option<StudySection> {
    let answers = &study.balance;
    if answers.sentences.is_empty() {
        return None;
    }
    let mut tables: Vec<Table> = Vec::new();
    if !answers.komi.is_empty() {
        tables.push(komis(&answers.komi));
    }
    tables.extend(answers.compare.iter().map(rules));
    tables.extend(answers.swap.iter().map(first_moves));
    let map = answers.map.clone();
    Some(StudySection {
        title: "Is it fair?".to_owned(),
        text: vec![format!(
            "These answers come from games of their own, which begin with few random steps and on small boards with \
             none, seed {}. Each strength is one of the searches that played.",
            study.seed
        )],
        figures: answers.komi.last().map(curve).into_iter().collect(),
        tables,
        picture: map.map(|map| (map, "First moves under the pie".to_owned())),
        terms: terms(terms::FAIRNESS),
    })
}

fn table(caption: String, heads: &[&str], rows: Vec<Vec<String>>) -> Table {
    (caption, heads.iter().map(|&head| head.to_owned()).collect(), rows)
}

fn cell(estimate: Option<Estimate>, write: fn(f64) -> String) -> String {
    estimate.map_or_else(
        || "–".to_owned(),
        |Estimate { value, low, high }| format!("{} ({} to {})", write(value), write(low), write(high)),
    )
}

fn komis(answers: &[KomiAnswer]) -> Table {
    let rows = answers.iter().map(|answer| {
        vec![
            strength_name(answer.strength),
            grouped(answer.games),
            cell(Some(answer.fair_komi), tenths),
            tenths(answer.spread),
        ]
    });
    let heads = ["strength", "games", "fair komi", "spread"];
    table("The fair komi".to_owned(), &heads, rows.collect())
}

/// A plot of the first mover's score by komi.
fn curve(answer: &KomiAnswer) -> StudyFigure {
    let rows = answer.curve.iter().filter_map(|point| {
        let score = Estimate::of_counts(&point.results.by_outcome())?;
        Some(RangeRow {
            label: format!("komi {}", point.komi),
            range: [score.value, score.low, score.high],
            words: [percent(score.value), format!("{} to {}", percent(score.low), percent(score.high))],
            games: counted(point.games, "game"),
        })
    });
    StudyFigure::Ranges(Ranges {
        caption: format!("Score of the first mover by komi, at {}", strength_name(answer.strength)),
        head: "komi".to_owned(),
        scale: (1.0, percent(1.0)),
        middle: Some((0.5, percent(0.5))),
        rows: rows.collect(),
    })
}

fn rules(answer: &CompareAnswer) -> Table {
    let has_komi = answer.rules.iter().any(|rule| rule.fair_komi.is_some());
    let has_choices = answer.rules.iter().any(|rule| rule.choices.is_some());
    let mut heads = vec!["variant", "games"];
    if has_komi {
        heads.extend(["fair komi", "spread"]);
    }
    heads.extend(["without help", "first mover", "draws", "moves"]);
    if has_choices {
        heads.extend(["choices in a game", "decisive", "games with one"]);
    }
    let row = |rule: &RuleAnswer| {
        let mut row = vec![rule.variant.clone(), grouped(rule.games)];
        if has_komi {
            row.push(cell(rule.fair_komi, tenths));
            row.push(rule.spread.map_or_else(|| "–".to_owned(), tenths));
        }
        let [low, median, high] = rule.moves;
        row.push(cell(rule.score_without_help, percent));
        row.push(cell(rule.score, percent));
        row.push(percent(rule.draws));
        row.push(format!("{median} ({low} to {high})"));
        if has_choices {
            let choices: Option<&ChoicesAnswer> = rule.choices.as_ref();
            row.push(choices.map_or_else(|| "–".to_owned(), |choices| tenths(choices.number)));
            row.push(cell(choices.map(|choices| choices.decisive_number), tenths));
            row.push(cell(choices.map(|choices| choices.decisive), percent));
        }
        row
    };
    let rows = answer.rules.iter().map(row).collect();
    let caption =
        format!("Rules side by side at {}, each at its fair komi or with the pie", strength_name(answer.strength));
    table(caption, &heads, rows)
}

fn first_moves(answer: &SwapAnswer) -> Table {
    let shown = answer.moves.iter().take(MAX_MOVES).map(|scored| {
        vec![
            scored.text.clone(),
            cell(scored.score, percent),
            cell(scored.score_if_kept, percent),
            cell(scored.score_if_swapped, percent),
            scored.answer.to_owned(),
            grouped(scored.games),
            if scored.fresh { "yes" } else { "no" }.to_owned(),
        ]
    });
    let of = if answer.moves.len() > MAX_MOVES {
        format!(", the {MAX_MOVES} fairest of {}", answer.moves.len())
    } else {
        String::new()
    };
    let drawn = if answer.complete { "" } else { ", drawn at random" };
    let caption = format!("First moves of {} at {}{of}{drawn}", answer.variant, strength_name(answer.strength));
    let heads =
        ["move", "side scores", "first mover if kept", "first mover if swapped", "answer", "games", "fresh games"];
    table(caption, &heads, shown.collect())
}
