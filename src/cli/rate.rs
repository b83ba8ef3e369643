//! The command `rate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::format::{Format, FormatArgs, write_json};
use super::records::write_errors;
use super::{CliError, number_in, usage};
use crate::record::read_outcomes;
use crate::render::rating_page;
use crate::statistics::{Anchor, RatingError, RatingGames, RatingOptions};
use crate::text::{counted, quote};

#[derive(Args, Debug)]
pub struct RateArgs {
    /// Record files: text with tags as in PGN, JSON, or records of AbstractPlay
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Fix the rating of a player; by default the mean is 0. Once for each pool
    #[arg(long, value_name = "NAME=RATING")]
    anchor: Vec<Anchor>,

    /// Number of drawn games against an average player that each player is given; 0 for plain maximum likelihood
    #[arg(
        long, value_name = "GAMES", default_value = "1",
        value_parser = number_in(0.0..=1000.0, "a number of games from 0 to 1000, such as 0.5")
    )]
    prior: f64,

    /// Give draws a share of their own (Davidson's model), instead of half a win each
    #[arg(long)]
    draws: bool,

    /// Compute intervals by N resamples of the pairs of games, instead of from the Hessian
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    bootstrap: u32,

    /// Seed of the resamples
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    format: FormatArgs,

    /// Also write a page for a browser
    #[arg(long, value_name = "OUT.html")]
    pub(super) html: Option<PathBuf>,
}

impl RateArgs {
    fn options(&self) -> RatingOptions {
        RatingOptions {
            prior: self.prior,
            has_draws: self.draws,
            anchors: self.anchor.clone(),
            resamples: self.bootstrap,
            seed: self.seed,
        }
    }
}

/// Prints the ratings of the players of records.
pub fn rate(arguments: &RateArgs, output: &mut impl Write, mut errors: impl Write) -> Result<ExitCode, CliError> {
    let page = super::stats::page(arguments.html.as_deref(), &arguments.files)?;
    let (mut games, mut is_whole) = (RatingGames::default(), true);
    for path in &arguments.files {
        let outcomes = read_outcomes(path)?;
        outcomes.finished.iter().for_each(|outcome| games.add(outcome));
        // Standard error may be closed.
        let _ = write_errors(path, outcomes.errors.iter(), &mut errors);
        is_whole &= outcomes.errors.is_empty();
        if outcomes.unfinished > 0 {
            let (path, left_out) =
                (quote(&path.display().to_string()), counted(outcomes.unfinished, "unfinished game"));
            let _ = writeln!(errors, "pentalith: {path}: {left_out} left out");
        }
    }
    let ratings = games.rate(&arguments.options()).or_else(|error| match (error, arguments.files.as_slice()) {
        (RatingError::NoGames, [file, ..]) => Err(CliError::NoGame(file.clone())),
        (error, _) => usage(error),
    })?;
    if let Some(page) = page {
        page.write(rating_page(&ratings))?;
    }
    match arguments.format.format() {
        Format::Json => write_json(&ratings.json(), output)?,
        Format::Csv => write!(output, "{}", ratings.csv())?,
        Format::Markdown => write!(output, "{}", ratings.markdown())?,
        Format::Text => write!(output, "{}", ratings.text())?,
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
