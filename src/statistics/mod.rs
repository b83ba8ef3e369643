//! Statistics of games: strength differences with their uncertainty, for samples of any size.

mod cross_table;
mod details;
mod grid;
mod ratings;
mod recorded_openings;
mod report;
mod sprt;
mod tables;
mod tally;

pub use cross_table::{CrossRow, CrossTable};
pub use details::{Details, History, HistoryPoint};
pub use grid::Grid;
pub use ratings::{
    Anchor, FirstMover, MAX_RATED, Next, RatedPlayer, RatingError, RatingGames, RatingOptions, Ratings, SideAdvantage,
};
pub use recorded_openings::RecordedOpenings;
pub use report::{
    elo_text, ends_line, faults, first_mover_verdict, games_line, head_to_head_lines, notes, reason_counts, results,
};
pub use sprt::{Decision, Sprt};
pub use tally::{HeadToHead, Pairs, Tally, TestEnd};

pub use crate::intervals::{Results, Sample, elo, score};

use crate::games;
use crate::notation::VariantError;
use crate::record::{GameRecord, Outcome};

/// Statistics by variant.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    sprt: Option<Sprt>,
    /// In order of appearance.
    variants: Vec<(String, Tally)>,
    rating_games: RatingGames,
}

/// A game that was added and counts.
struct Added<'a> {
    /// Index of its variant.
    variant: usize,
    /// Tally of the variant with this game.
    tally: &'a Tally,
    /// Indices of the engines, the smaller one first.
    engines: (usize, usize),
}

impl Statistics {
    /// Creates empty statistics. A test processes the pairs in the order in which games are added.
    pub fn new(sprt: Option<Sprt>) -> Self {
        Self { sprt, ..Self::default() }
    }

    /// Computes the statistics of the games of files, in any order.
    ///
    /// # Errors
    /// If a game has an unknown variant.
    pub fn of(files: Vec<Vec<GameRecord>>, sprt: Option<Sprt>) -> Result<Self, VariantError> {
        Self::watched(files, sprt, |_, _| {})
    }

    /// Computes the statistics of the games of files, and the details of each variant.
    ///
    /// # Errors
    /// As [`Statistics::of`].
    pub fn detailed(files: Vec<Vec<GameRecord>>, sprt: Option<Sprt>) -> Result<(Self, Vec<Details>), VariantError> {
        let mut details: Vec<Details> = Vec::new();
        let statistics = Self::watched(files, sprt, |added, game| {
            if details.len() <= added.variant {
                details.resize_with(added.variant + 1, Details::default);
            }
            if let Some(details) = details.get_mut(added.variant) {
                details.add(game, added.tally, added.engines);
            }
        })?;
        Ok((statistics, details))
    }

    /// Adds the games of files in the order of their schedules. `watch` gets each game that counts, once it is added.
    fn watched(
        files: Vec<Vec<GameRecord>>,
        sprt: Option<Sprt>,
        mut watch: impl FnMut(Added<'_>, &GameRecord),
    ) -> Result<Self, VariantError> {
        let numbered = files.into_iter().enumerate();
        let mut games: Vec<(usize, GameRecord)> =
            numbered.flat_map(|(file, games)| games.into_iter().map(move |game| (file, game))).collect();
        games.sort_by_cached_key(|(_, game)| (game.variant.clone(), game.seed, game.game));
        let mut all = Self::new(sprt);
        for (file, game) in &games {
            if let Some(added) = all.add_from(*file, game)? {
                watch(added, game);
            }
        }
        Ok(all)
    }

    /// Adds a game. Games come in the order of the schedule.
    ///
    /// # Errors
    /// If its variant is unknown.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), VariantError> {
        self.add_from(0, game).map(|_| ())
    }

    fn add_from(&mut self, file: usize, game: &GameRecord) -> Result<Option<Added<'_>>, VariantError> {
        let known = self.variants.iter().position(|(name, _)| *name == game.variant);
        if known.is_none() {
            let first = games::parse_variant(&game.variant)?.info().first;
            self.variants.push((game.variant.clone(), Tally::new(first)));
        }
        let place = known.unwrap_or(self.variants.len() - 1);
        let Some((_, tally)) = self.variants.get_mut(place) else {
            return Ok(None);
        };
        let engines = tally.add(game, file, self.sprt.as_ref());
        if engines.is_some() {
            self.rating_games.add(&Outcome::of(game, tally.first));
        }
        Ok(engines.map(|engines| Added { variant: place, tally, engines }))
    }

    /// Returns the tally of each variant.
    pub fn variants(&self) -> &[(String, Tally)] {
        &self.variants
    }

    /// Returns the ratings of three engines and more, with the defaults of `pentalith rate`.
    pub fn ratings(&self) -> Option<Ratings> {
        let players = self.rating_games.players();
        let ratings = (3..=MAX_RATED).contains(&players).then(|| self.rating_games.rate(&RatingOptions::default()));
        ratings?.ok()
    }

    /// Returns the test.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    /// Returns the decision of the test about the first two engines of the first variant.
    pub fn decision(&self) -> Option<Decision> {
        let (_, tally) = self.variants.first()?;
        let head_to_head = tally.head_to_heads.get(&(0, 1))?;
        head_to_head.decided.map(|end| end.decision)
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.variants.iter().map(|(_, tally)| tally.games()).sum()
    }
}
