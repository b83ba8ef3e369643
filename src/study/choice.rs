//! The part of a report about choice: decisions, forced steps and mirroring.

use super::figures::{StrengthFigures, Study};
use super::mirroring::MirroringStrategy;
use super::report::{by_strength, cell, number, ranges};
use super::score::Score;
use super::terms::{self, terms};
use super::wording::percent;
use crate::render::StudySection;
use crate::text::grouped;

/// Returns the part about choice.
pub(super) fn choice(study: &Study) -> StudySection {
    let mut figures = vec![
        ranges(study, "Decisions a game, by strength", (None, None), number, |figures| Some(figures.decisions)),
        ranges(study, "Forced steps, by strength", (Some(1.0), None), percent, |figures| figures.forced),
    ];
    let mut tables = vec![by_strength(
        study,
        "Decisions and mirroring",
        &[
            ("decisions a game", &|figures| cell(Some(&figures.decisions), number)),
            ("mirroring is legal", &|figures| cell(figures.mirroring.legal.as_ref(), percent)),
            ("and is played", &|figures| cell(figures.mirroring.played.as_ref(), percent)),
            ("longest, in replies", &|figures| figures.mirroring.longest.to_string()),
        ],
    )];
    let mut text = Vec::new();
    let strategy = |figures: &StrengthFigures| figures.mirroring_strategy.is_some();
    if study.strengths.iter().any(strategy) {
        figures.push(ranges(
            study,
            "Score of a player who mirrors, by strength",
            (Some(1.0), Some(0.5)),
            percent,
            |figures| Some(figures.mirroring_strategy.as_ref()?.score.estimate),
        ));
        tables.push(mirroring(study));
    } else {
        text.push(
            "There are no games against a player who mirrors. The command above plays them at strengths up to 32,768 \
             nodes per move."
                .to_owned(),
        )
    }
    StudySection { title: "Choice".to_owned(), text, figures, tables, picture: None, terms: terms(terms::CHOICE) }
}

/// A table of the results of a player who mirrors.
fn mirroring(study: &Study) -> (String, Vec<String>, Vec<Vec<String>>) {
    let of = |figures: &StrengthFigures, write: &dyn Fn(&MirroringStrategy) -> String| {
        let strategy = figures.mirroring_strategy.as_ref();
        strategy.map_or_else(|| "–".to_owned(), write)
    };
    let score = |score: Option<&Score>| cell(score.map(|score| &score.estimate), percent);
    by_strength(
        study,
        "A player who mirrors, against the program at the same strength",
        &[
            ("games of mirroring", &|figures| of(figures, &|strategy| grouped(strategy.games))),
            ("different ones", &|figures| of(figures, &|strategy| grouped(strategy.distinct_games))),
            ("scores", &|figures| of(figures, &|strategy| score(Some(&strategy.score)))),
            ("moving first", &|figures| of(figures, &|strategy| score(strategy.moving_first.as_ref()))),
            ("moving second", &|figures| of(figures, &|strategy| score(strategy.moving_second.as_ref()))),
            ("replies that mirror", &|figures| of(figures, &|strategy| cell(strategy.mirrored.as_ref(), percent))),
            ("longest, in replies", &|figures| of(figures, &|strategy| strategy.longest.to_string())),
        ],
    )
}
