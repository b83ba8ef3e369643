//! A file of engines: TOML, a table `[[engine]]` for each.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::engine::{Engine, EngineKind, For, TimeControl};
use crate::files;
use crate::text::{ParseError, quote};

/// An error in a file of engines.
#[derive(Error, Debug)]
pub enum EngineFileError {
    /// It can't be read.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
    /// It is not TOML, or has other keys.
    #[error("{}: {why}; expected tables such as\n[[engine]]\nname = \"old\"\ncommand = \"./old gtp\"", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Description of the error, with its place.
        why: String,
    },
    /// A value is wrong.
    #[error("{}: engine {name}: {why}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Name of the engine, quoted.
        name: String,
        /// Description of the error.
        why: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineFile {
    #[serde(default)]
    engine: Vec<EngineTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineTable {
    name: String,
    /// A built-in search, or a command line; with `gtp:` or `ugi:` as in `--engine`.
    command: String,
    protocol: Option<String>,
    /// Working folder, relative to the file.
    folder: Option<PathBuf>,
    #[serde(default)]
    environment: BTreeMap<String, Scalar>,
    #[serde(default)]
    options: BTreeMap<String, Scalar>,
    movetime: Option<Scalar>,
    tc: Option<Scalar>,
    nodes: Option<Scalar>,
}

/// A value of an option, of whatever type.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Switch(bool),
    Whole(i64),
    Decimal(f64),
    Text(String),
}

impl Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => on.fmt(f),
            Self::Whole(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// Reads a limit.
type Limit = fn(&str) -> Result<For<TimeControl>, ParseError>;

/// Reads the engines of a file, each with its limit if the file gives one.
///
/// # Errors
/// If it can't be read, or is wrong.
pub fn read_engines(path: &Path) -> Result<Vec<(Engine, Option<TimeControl>)>, EngineFileError> {
    let text = files::read_text(path).map_err(|error| EngineFileError::File(path.to_owned(), error))?;
    parse_engines(&text, path)
}

/// Reads the engines of a text, as [`read_engines`] does of a file at a path.
///
/// # Errors
/// If the text is wrong.
pub fn parse_engines(text: &str, path: &Path) -> Result<Vec<(Engine, Option<TimeControl>)>, EngineFileError> {
    let file: EngineFile = basic_toml::from_str(text)
        .map_err(|error| EngineFileError::Syntax { path: path.to_owned(), why: error.to_string() })?;
    if file.engine.is_empty() {
        return Err(EngineFileError::Syntax { path: path.to_owned(), why: "it has no engines".to_owned() });
    }
    let base = path.parent().unwrap_or(Path::new(""));
    let engines = file.engine.into_iter().map(|table| {
        let name = quote(&table.name);
        table.engine(base).map_err(|why| EngineFileError::Value { path: path.to_owned(), name, why })
    });
    engines.collect()
}

impl EngineTable {
    fn engine(self, base: &Path) -> Result<(Engine, Option<TimeControl>), String> {
        let protocol = match self.protocol.as_deref() {
            None => String::new(),
            Some(protocol @ ("gtp" | "ugi")) => format!("{protocol}:"),
            Some(other) => return Err(format!("protocol = {}: expected \"gtp\" or \"ugi\"", quote(other))),
        };
        let read: Result<Engine, _> = format!("{}={protocol}{}", self.name, self.command).parse();
        let mut engine = read.map_err(|error| error.to_string())?;
        match &mut engine.kind {
            EngineKind::Process { command, .. } => {
                let folder = self.folder.map(|folder| base.join(folder));
                // Where a relative path begins must not depend on where the match is started.
                let program = Path::new(&command.program);
                if program.components().nth(1).is_some() {
                    let program = folder.as_deref().unwrap_or(base).join(program);
                    let absolute = std::path::absolute(&program).unwrap_or(program);
                    command.program = OsString::from(absolute);
                }
                command.folder = folder;
                let environment = self.environment.into_iter();
                command.environment = environment.map(|(name, value)| (name, value.to_string())).collect();
            }
            EngineKind::BuiltIn(_) if self.folder.is_some() || !self.environment.is_empty() => {
                return Err(format!("folder and environment are of a command line, and {} is built in", engine.kind));
            }
            EngineKind::BuiltIn(_) => {}
        }
        engine.options.extend(self.options.into_iter().map(|(name, value)| (name, value.to_string())));
        let read = |name: &str, value: Option<Scalar>, read: Limit| {
            let Some(text) = value.map(|value| value.to_string()) else {
                return Ok(None);
            };
            match read(&text) {
                Ok(For { engine: None, what, .. }) => Ok(Some(what)),
                Ok(_) => Err(format!("{name} = {}: expected the limit alone", quote(&text))),
                Err(error) => Err(format!("{name}: {error}")),
            }
        };
        let limits = [
            read("movetime", self.movetime, For::move_time)?,
            read("tc", self.tc, For::clock)?,
            read("nodes", self.nodes, For::nodes)?,
        ];
        let mut limits = limits.into_iter().flatten();
        let limit = limits.next();
        match (limit, limits.next()) {
            (Some(one), Some(other)) => {
                Err(format!("two limits: {one} and {other}; expected one of movetime, tc and nodes"))
            }
            _ => Ok((engine, limit)),
        }
    }
}
