//! The format of the output of commands whose tables other programs read, or people paste.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::CliError;

/// A format of the output.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// Comma-separated values: the table alone
    Csv,
    /// Markdown
    Markdown,
    /// JSON
    Json,
}

/// The options that choose a format.
#[derive(Args, Debug)]
pub(super) struct FormatArgs {
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Same as --format json
    #[arg(long, conflicts_with_all = ["format", "csv", "markdown"])]
    json: bool,

    /// Same as --format csv
    #[arg(long, conflicts_with_all = ["format", "markdown"])]
    csv: bool,

    /// Same as --format markdown
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
}

impl FormatArgs {
    /// Returns the format that the options ask for.
    pub(super) fn format(&self) -> Format {
        match self {
            Self { json: true, .. } => Format::Json,
            Self { csv: true, .. } => Format::Csv,
            Self { markdown: true, .. } => Format::Markdown,
            Self { format, .. } => *format,
        }
    }
}

/// Prints a value as JSON, on one line.
pub(super) fn write_json<T: Serialize + ?Sized>(value: &T, output: &mut impl Write) -> Result<(), CliError> {
    let json = serde_json::to_string(value).map_err(io::Error::from)?;
    Ok(writeln!(output, "{json}")?)
}
