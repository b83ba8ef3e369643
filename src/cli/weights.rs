//! The command `weights`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::CliError;
use crate::files::{self, Target};
use crate::games;

#[derive(Args, Debug)]
pub(super) struct WeightsArgs {
    /// Variant whose weights are used
    variant: String,

    /// Use the weights of this text file, as tune writes it [default: built-in weights]
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Write a packed weights file, as the game's folder holds it, instead of printing text
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
}

impl WeightsArgs {
    /// Returns true if the only result is standard output.
    pub(super) fn is_for_output(&self) -> bool {
        self.pack().is_none()
    }

    /// Returns the file that is written; `None` for standard output.
    fn pack(&self) -> Option<&PathBuf> {
        self.pack.as_ref().filter(|path| path.as_os_str() != files::STANDARD)
    }

    /// Returns the files that are read or written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.from.iter().chain(self.pack()).cloned().collect()
    }
}

/// Prints or packs the weights of a variant.
pub(super) fn weights(arguments: &WeightsArgs, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let cannot = |what: &str, path: &PathBuf, error: &dyn std::fmt::Display| {
        CliError::Usage(format!("can't {what} {}: {error}", path.display()))
    };
    let target = arguments.pack().map(|path| {
        let target = Target::new(path, "a file of weights");
        target.map_err(|error| cannot("write to", path, &error))
    });
    let target = target.transpose()?;
    let board = games::open(&variant).ok_or(CliError::NotOpened(variant))?;
    let mut weights = board.weights().clone();
    if let Some(path) = &arguments.from {
        let text = files::read_text(path).map_err(|error| cannot("read", path, &error))?;
        let read = weights.parse(&text);
        weights = read.map_err(|error| cannot("read", path, &error))?;
    }
    match target {
        Some(target) => target.replace(&weights.repack())?,
        None if arguments.pack.is_some() => output.write_all(&weights.repack())?,
        None => output.write_all(weights.write_with_remarks().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
