//! The weights of evaluations as text, and as the packed files that are part of the program.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::CliError;
use crate::files::{self, Target};
use crate::games;

#[derive(Args, Debug)]
pub(super) struct WeightsArgs {
    /// The game
    variant: String,

    /// Take the weights of this text, as `tune` writes it, instead of the game's own
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Write the packed file that stands in the game's folder, instead of printing a text
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
}

impl WeightsArgs {
    /// Whether it leaves nothing but what it prints.
    pub(super) fn is_for_output(&self) -> bool {
        self.pack.is_none()
    }

    /// The files that are read, and those that are written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.from.iter().chain(&self.pack).cloned().collect()
    }
}

/// Prints the weights of a variant, or packs them.
pub(super) fn weights(
    arguments: &WeightsArgs,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let cannot = |what: &str, path: &PathBuf, error: &dyn std::fmt::Display| {
        CliError::Usage(format!("can't {what} {}: {error}", path.display()))
    };
    let target = arguments.pack.as_ref().map(|path| {
        let target = Target::new(path, "a file of weights");
        target.map_err(|error| cannot("write to", path, &error))
    });
    let target = target.transpose()?;
    let board = games::open(&variant).ok_or(CliError::NotOpened(variant))?;
    let mut weights = board.weights().clone();
    if let Some(path) = &arguments.from {
        let text = files::read_text(path).map_err(|error| cannot("read", path, &error))?;
        let read = weights.reread(&text);
        weights = read.map_err(|error| cannot("read", path, &error))?;
    }
    match target {
        Some(target) => target.replace(&weights.repack())?,
        None => output.write_all(weights.text().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
