//! The command `weights`.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::CliError;
use super::output_file::OutputFile;
use crate::files;
use crate::games;
use crate::nnue::Weights;

#[derive(Args, Debug)]
pub(super) struct WeightsArgs {
    /// Variant whose weights are used
    variant: String,

    /// Use the weights of this text file, as tune writes it; of several, the mean [default: built-in
    /// weights]
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,

    /// Write a packed weights file, as the game's folder holds it, instead of printing text
    #[arg(long, value_name = "FILE")]
    pack: Option<PathBuf>,
}

impl WeightsArgs {
    /// Returns the file that is written; `None` for standard output.
    pub(super) fn pack(&self) -> Option<&PathBuf> {
        self.pack.as_ref().filter(|path| path.as_os_str() != files::STANDARD)
    }
}

/// Prints or packs the weights of a variant.
pub(super) fn weights(arguments: &WeightsArgs, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let variant = games::parse_variant(&arguments.variant)?;
    let target = arguments.pack().map(|path| OutputFile::open(path, "a file of weights")).transpose()?;
    let board = games::open(&variant).ok_or(CliError::NotOpened(variant))?;
    let built_in = board.weights();
    let read = |path: &PathBuf| {
        let unread = |error: &dyn Display| CliError::Usage(format!("can't read {}: {error}", path.display()));
        let text = files::read_text(path).map_err(|error| unread(&error))?;
        built_in.parse(&text).map_err(|error| unread(&error))
    };
    let given: Vec<Weights> = arguments.from.iter().map(read).collect::<Result<_, _>>()?;
    let weights = given.split_first().map_or_else(|| built_in.clone(), |(first, others)| first.mean(others));
    match target {
        Some(target) => target.write(weights.repack())?,
        None if arguments.pack.is_some() => output.write_all(&weights.repack())?,
        None => output.write_all(weights.write_with_remarks().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}
