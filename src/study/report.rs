//! The report of a study: its figures as a page.

use super::choice::choice;
use super::fairness::fairness;
use super::figures::{GameTree, Length, ShortestGame, StrengthFigures, Study};
use super::plan::StudyPlan;
use super::terms::{self, terms};
use super::wording::{percent, strength_name};
use crate::games;
use crate::intervals::Estimate;
use crate::render::{Annotations, Band, RangeRow, Ranges, StudyFigure, StudyPage, StudySection, Style, Theme, svg};
use crate::text::{counted, grouped};

/// Longest text of a shortest game that the page prints, in moves.
const MAX_MOVES: usize = 200;

/// Size of the board on the page, in pixels.
const BOARD: u32 = 320;

/// Returns the page of a study.
pub fn page(study: &Study, plan: &StudyPlan) -> StudyPage {
    let games: u64 = study.strengths.iter().map(|figures| figures.games).sum();
    let strengths = study
        .strengths
        .iter()
        .map(|figures| format!("{} ({})", strength_name(figures.strength), counted(figures.games, "game")));
    let facts = vec![
        ("games".to_owned(), format!("{games}, of the program against itself")),
        ("strengths".to_owned(), strengths.collect::<Vec<_>>().join(", ")),
        ("program".to_owned(), study.program.clone()),
        ("openings".to_owned(), study.opening.text.clone()),
        ("seed".to_owned(), study.seed.to_string()),
        ("repeat".to_owned(), study.command.clone()),
    ];
    StudyPage {
        title: format!("A study of {}", study.variant),
        summary: paragraphs(study),
        facts,
        sections: fairness(study)
            .into_iter()
            .chain([
                balance(study),
                length(study),
                choice(study),
                tension(study),
                complexity(study),
                shortest(study, plan),
            ])
            .collect(),
    }
}

/// Returns the answers in words: each about fairness, then those about the games.
fn paragraphs(study: &Study) -> Vec<String> {
    let about_fairness = study.balance.sentences.len().min(study.summary.len());
    let (fairness, games) = study.summary.split_at(about_fairness);
    fairness.iter().cloned().chain([games.join(" ")]).collect()
}

/// Formats a number with as many decimal places as it deserves.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn interval(estimate: &Estimate, write: fn(f64) -> String) -> String {
    format!("{} to {}", write(estimate.low), write(estimate.high))
}

/// Writes an estimate with its interval for a table; `–` for none.
pub(super) fn cell(estimate: Option<&Estimate>, write: fn(f64) -> String) -> String {
    estimate
        .map_or_else(|| "–".to_owned(), |estimate| format!("{} ({})", write(estimate.value), interval(estimate, write)))
}

/// A plot of one figure by strength.
pub(super) fn ranges(
    study: &Study,
    caption: &str,
    (scale, middle): (Option<f64>, Option<f64>),
    write: fn(f64) -> String,
    of: impl Fn(&StrengthFigures) -> Option<Estimate>,
) -> StudyFigure {
    let rows = study.strengths.iter().filter_map(|figures| {
        let estimate = of(figures)?;
        Some(RangeRow {
            label: strength_name(figures.strength),
            range: [estimate.value, estimate.low, estimate.high],
            words: [write(estimate.value), interval(&estimate, write)],
            games: counted(figures.games, "game"),
        })
    });
    let rows: Vec<RangeRow> = rows.collect();
    let most = rows.iter().flat_map(|row| row.range).fold(0.0, f64::max);
    let scale = scale.unwrap_or_else(|| round_scale(most));
    StudyFigure::Ranges(Ranges {
        caption: caption.to_owned(),
        head: "strength".to_owned(),
        scale: (scale, write(scale)),
        middle: middle.map(|middle| (middle, write(middle))),
        rows,
    })
}

/// Returns a round number that is not below a value.
fn round_scale(most: f64) -> f64 {
    let mut power = 0.01;
    while power < 1e12 {
        for factor in [1.0, 2.0, 5.0] {
            if factor * power >= most {
                return factor * power;
            }
        }
        power *= 10.0;
    }
    power
}

/// A column of a table: its head, and the text of each strength.
pub(super) type Column<'a> = (&'a str, &'a dyn Fn(&StrengthFigures) -> String);

/// A table with a row for each strength.
pub(super) fn by_strength(
    study: &Study,
    caption: &str,
    columns: &[Column<'_>],
) -> (String, Vec<String>, Vec<Vec<String>>) {
    let heads = ["strength", "games"].into_iter().chain(columns.iter().map(|(head, _)| *head));
    let row = |figures: &StrengthFigures| {
        let first = [strength_name(figures.strength), grouped(figures.games)];
        first.into_iter().chain(columns.iter().map(|(_, of)| of(figures))).collect()
    };
    let rows = study.strengths.iter().map(row);
    (caption.to_owned(), heads.map(str::to_owned).collect(), rows.collect())
}

fn balance(study: &Study) -> StudySection {
    let half = (Some(1.0), Some(0.5));
    let first = study.first_mover;
    let mut figures =
        vec![ranges(study, &format!("Score of {first}, who moves first, by strength"), half, percent, |figures| {
            Some(figures.first_mover.estimate)
        })];
    if study.pie {
        figures.push(ranges(study, "Score of the stones that move first, by strength", half, percent, |figures| {
            figures.first_stones.map(|score| score.estimate)
        }));
    }
    figures.push(ranges(study, "Draws, by strength", (Some(1.0), None), percent, |figures| Some(figures.draws)));
    let mut tables = vec![by_strength(
        study,
        "Wins, draws and losses of the first mover",
        &[
            ("results", &|figures| figures.first_mover.results.counts()),
            ("score", &|figures| cell(Some(&figures.first_mover.estimate), percent)),
            ("draws", &|figures| cell(Some(&figures.draws), percent)),
            ("different games", &|figures| grouped(figures.distinct_games)),
            ("different openings", &|figures| grouped(figures.distinct_openings)),
        ],
    )];
    if study.pie {
        let stones =
            |figures: &StrengthFigures| cell(figures.first_stones.as_ref().map(|score| &score.estimate), percent);
        tables.push(by_strength(
            study,
            "The pie",
            &[
                ("swapped", &|figures| cell(figures.swaps.as_ref(), percent)),
                ("score by seat", &|figures| cell(Some(&figures.first_mover.estimate), percent)),
                ("score by color", &stones),
            ],
        ));
    }
    let rows = study.strengths.iter().flat_map(|figures| {
        figures.ends.iter().map(|end| {
            let lost = end.games - end.first_mover_wins - end.draws;
            vec![
                strength_name(figures.strength),
                end.reason.clone(),
                grouped(end.games),
                format!("{}-{}-{lost}", end.first_mover_wins, end.draws),
            ]
        })
    });
    let heads = ["strength", "reason", "games", "results of the first mover"];
    tables.push(("Ends by reason".to_owned(), heads.map(str::to_owned).into(), rows.collect()));
    let repeated = study.strengths.iter().filter(|figures| figures.distinct_games < figures.games);
    let repeated: Vec<String> = repeated.map(|figures| strength_name(figures.strength)).collect();
    let mut text = vec![format!("How the games begin: {}", study.opening.text)];
    if !repeated.is_empty() {
        text.push(format!(
            "Some games repeat another one move for move, so that the intervals are too narrow: {}.",
            repeated.join(", ")
        ));
    }
    StudySection {
        title: "Who wins".to_owned(),
        text,
        figures,
        tables,
        picture: None,
        terms: terms(terms::BALANCE)
            .into_iter()
            .filter(|term| study.pie || !term.definition.contains("swap"))
            .collect(),
    }
}

fn length(study: &Study) -> StudySection {
    let mut figures = vec![
        ranges(study, "Moves in a game, by strength", (None, None), number, |figures| Some(figures.moves.mean)),
        ranges(study, "Legal steps, by strength", (None, None), number, |figures| Some(figures.branching.mean)),
    ];
    if let Some(strongest) = study.strengths.last() {
        let at = strength_name(strongest.strength);
        let lengths = strongest.lengths.iter().map(|&(length, counts)| (length.into(), counts));
        figures.push(StudyFigure::Lengths {
            lengths: lengths.collect(),
            outcomes: [
                format!("{} (moves first) wins", study.first_mover),
                "draw".to_owned(),
                "the other player wins".to_owned(),
            ],
        });
        let points = strongest.branching.by_ply.iter().map(|group| {
            let quantiles = &group.quantiles;
            ([group.from, group.to], [quantiles.p5, quantiles.median, quantiles.p95])
        });
        figures.push(StudyFigure::Band(Band {
            caption: format!("Legal steps over the game, at {at}"),
            values: "the number of legal steps".to_owned(),
            band: "5 to 95 % of the positions".to_owned(),
            points: points.collect(),
        }));
        figures.push(StudyFigure::Counts {
            caption: format!("Ends at {}", strength_name(strongest.strength)),
            head: "reason".to_owned(),
            counts: strongest.ends.iter().map(|end| (end.reason.clone(), end.games)).collect(),
        });
    }
    let quantiles = |length: &Length| {
        let all = &length.quantiles;
        format!("{}, {}, {}, {}, {}, {}, {}", all.minimum, all.p5, all.p25, all.median, all.p75, all.p95, all.maximum)
    };
    StudySection {
        title: "Length, branching and ends".to_owned(),
        text: vec!["Quantiles are the minimum, 5, 25, 50, 75 and 95 %, and the maximum.".to_owned()],
        figures,
        tables: vec![
            by_strength(
                study,
                "Length of a game",
                &[
                    ("moves", &|figures| cell(Some(&figures.moves.mean), number)),
                    ("quantiles of moves", &|figures| quantiles(&figures.moves)),
                    ("steps", &|figures| cell(Some(&figures.steps.mean), number)),
                    ("quantiles of steps", &|figures| quantiles(&figures.steps)),
                ],
            ),
            by_strength(
                study,
                "Legal steps",
                &[
                    ("mean", &|figures| cell(Some(&figures.branching.mean), number)),
                    ("geometric mean", &|figures| cell(Some(&figures.branching.geometric_mean), number)),
                    ("forced steps", &|figures| cell(figures.forced.as_ref(), percent)),
                ],
            ),
        ],
        picture: None,
        terms: terms(terms::LENGTH),
    }
}

fn tension(study: &Study) -> StudySection {
    let comeback = |figures: &StrengthFigures, place: usize| {
        cell(figures.comebacks.get(place).and_then(|comeback| comeback.estimate.as_ref()), percent)
    };
    StudySection {
        title: "Tension".to_owned(),
        text: vec![
            "These figures rest on what each player expects of its own game: random play expects nothing and is left \
             out, and draws have no winner who could come back."
                .to_owned(),
        ],
        figures: vec![
            ranges(study, "Lead changes a game, by strength", (None, None), number, |figures| figures.lead_changes),
            ranges(study, "Drama, by strength", (Some(1.0), None), number, |figures| figures.drama),
            ranges(study, "Decisive moves, by strength", (Some(1.0), None), percent, |figures| figures.decisive_moves),
            ranges(study, "Come-backs from below 25 %, by strength", (Some(1.0), None), percent, |figures| {
                figures.comebacks.get(1).and_then(|comeback| comeback.estimate)
            }),
        ],
        tables: vec![
            by_strength(
                study,
                "Leads",
                &[
                    ("lead changes", &|figures| cell(figures.lead_changes.as_ref(), number)),
                    ("drama", &|figures| cell(figures.drama.as_ref(), number)),
                    ("decisiveness threshold", &|figures| cell(figures.decisiveness_threshold.as_ref(), percent)),
                    ("decisive moves", &|figures| cell(figures.decisive_moves.as_ref(), percent)),
                ],
            ),
            by_strength(
                study,
                "Come-backs",
                &[
                    ("from below 40 %", &|figures| comeback(figures, 0)),
                    ("from below 25 %", &|figures| comeback(figures, 1)),
                    ("from below 10 %", &|figures| comeback(figures, 2)),
                ],
            ),
        ],
        picture: None,
        terms: terms(terms::TENSION),
    }
}

/// Writes a power of ten.
fn power(log: f64) -> String {
    format!("10^{log:.1}")
}

fn complexity(study: &Study) -> StudySection {
    let space = &study.state_space;
    let mut rows = vec![vec![
        "state space".to_owned(),
        "–".to_owned(),
        format!("{} ({} positions in these games)", power(space.log10_at_least), grouped(space.positions_seen)),
        format!(
            "{} ({} cells, {} contents each, two sides)",
            power(space.log10_at_most),
            space.cells,
            space.contents_of_a_cell
        ),
    ]];
    if let Some(tree) = &study.game_tree {
        let GameTree { log10_estimate, log10_at_least, largest_share, games } = tree;
        rows.push(vec![
            "game tree".to_owned(),
            format!(
                "{} ({}; the largest makes up {})",
                power(*log10_estimate),
                counted(*games, "random game"),
                percent(*largest_share)
            ),
            format!("{} (95 %)", power(*log10_at_least)),
            "–".to_owned(),
        ]);
    }
    for figures in study.strengths.iter().rev().take(1) {
        let log = &figures.log10_choices;
        rows.push(vec![
            format!("usual game-tree estimate at {}", strength_name(figures.strength)),
            format!(
                "{} (95 % interval {} to {}; {})",
                power(log.value),
                power(log.low),
                power(log.high),
                counted(figures.games, "game")
            ),
            "–".to_owned(),
            "–".to_owned(),
        ]);
    }
    let heads = ["figure", "estimate", "at least", "at most"];
    StudySection {
        title: "Complexity".to_owned(),
        text: Vec::new(),
        figures: Vec::new(),
        tables: vec![("Estimates and bounds".to_owned(), heads.map(str::to_owned).into(), rows)],
        picture: None,
        terms: terms(terms::COMPLEXITY),
    }
}

fn shortest(study: &Study, plan: &StudyPlan) -> StudySection {
    let mut section = StudySection { title: "The shortest game that was found".to_owned(), ..StudySection::default() };
    let Some(game) = &study.shortest else {
        return section;
    };
    let ShortestGame { strength, game: number, moves, opening_moves, result, reason, text, .. } = game;
    section.text.push(format!(
        "Game {number}, {}: {}, {opening_moves} of them of the random opening; {result} by {reason}.",
        strength_name(*strength),
        counted((*moves).into(), "move"),
    ));
    if text.len() <= MAX_MOVES {
        section.text.push(text.join(" "));
    }
    let Some(mut board) = games::open(&plan.variant) else {
        return section;
    };
    for step in text.iter().flat_map(|text| text.split(',')) {
        let Ok(step) = board.find_step(step) else {
            return section;
        };
        board.make(step);
    }
    let style = Style { theme: Theme::Auto, size: BOARD, ..Style::default() };
    section.picture = Some((svg(&*board, &Annotations::default(), &style), "Its last position".to_owned()));
    section
}
