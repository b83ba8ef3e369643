//! The command `rate`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::format::{Format, FormatArgs, write_json};
use super::records::write_errors;
use super::{CliError, usage};
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
    #[arg(long, value_name = "GAMES", default_value = "1", value_parser = prior)]
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
    html: Option<PathBuf>,
}

fn prior(text: &str) -> Result<f64, &'static str> {
    let games = text.parse().ok().filter(|games| (0.0..=1000.0).contains(games));
    games.ok_or("a number of games from 0 to 1000, such as 0.5")
}

impl RateArgs {
    /// Returns true if the command does nothing but print.
    pub(super) fn is_for_output(&self) -> bool {
        self.html.is_none()
    }

    /// Returns the files that are read and written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.iter().chain(&self.html).cloned().collect()
    }

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
        (error, _) => usage(error.to_string()),
    })?;
    if let (Some(target), Some(path)) = (page, &arguments.html) {
        let page = rating_page(&ratings);
        target.replace(page.as_bytes()).map_err(|error| CliError::NotWritten(path.clone(), error))?;
    }
    match arguments.format.format() {
        Format::Json => write_json(&ratings.json(), output)?,
        Format::Csv => write!(output, "{}", ratings.csv())?,
        Format::Markdown => write!(output, "{}", ratings.markdown())?,
        Format::Text => write!(output, "{}", ratings.text())?,
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
