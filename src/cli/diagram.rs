//! The command `diagram`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use nom::Parser;
use nom::character::complete::char;
use nom::sequence::separated_pair;

use super::pictures::{StyleArgs, played};
use super::{CliError, usage};
use crate::board::{Cell, Shape};
use crate::files;
use crate::games;
use crate::notation::pieces::{Expected, cell, expect, read};
#[cfg(feature = "png")]
use crate::render;
use crate::render::{LastMove, svg};
use crate::search::Clock;
use crate::text::quote;

/// Most characters of a value in a heat file: more are illegible on a cell.
const MAX_VALUE: usize = 8;

#[derive(Args, Debug)]
pub(super) struct DiagramArgs {
    /// Variant to draw
    variant: String,

    /// Position to draw, or to play the moves from, quoted because it holds spaces [default: the start of the variant]
    #[arg(long)]
    position: Option<String>,

    /// Moves to play first, whole ones or single steps
    ///
    /// One quoted argument with spaces between the moves, or several arguments. A first step that begins with a hyphen
    /// needs `--moves=`.
    #[arg(long, value_name = "MOVE", num_args = 1..)]
    moves: Vec<String>,

    /// Frame the cells of the last move, with arrows from where pieces were and signs of what was captured
    #[arg(long, requires = "moves")]
    last: bool,

    /// Mark cells with a diamond, as for what is allowed
    #[arg(long, value_name = "CELL,…")]
    marks: Option<String>,

    /// Mark cells with a cross, as for what is forbidden
    #[arg(long, value_name = "CELL,…")]
    crosses: Option<String>,

    /// Number the steps of the moves on their cells
    #[arg(long, requires = "moves")]
    numbers: bool,

    /// Draw arrows, as in a1-b2,c3-c4; an arrow from a cell to itself is a circle
    #[arg(long, value_name = "CELL-CELL,…")]
    arrows: Option<String>,

    /// Shade cells by the values in a file, a line for each: the cell, a space, the number
    #[arg(long, value_name = "FILE")]
    heat: Option<PathBuf>,

    #[command(flatten)]
    style: StyleArgs,

    /// File to write instead of standard output; FILE.png, too, if the program was built with the feature `png`
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
}

impl DiagramArgs {
    /// Returns true if the picture goes to standard output.
    pub(super) fn is_for_output(&self) -> bool {
        self.output.is_none()
    }

    /// Returns the files that are read and written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.heat.iter().chain(&self.output).cloned().collect()
    }
}

/// Draws a position.
pub(super) fn diagram(
    arguments: &DiagramArgs,
    clock: Arc<dyn Clock>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    if let Some(path) = &arguments.output {
        Format::of(path)?;
    }
    let variant = games::parse_variant(&arguments.variant)?;
    let mut board = games::open(&variant).ok_or_else(|| CliError::NotOpened(variant.clone()))?;
    if let Some(text) = &arguments.position {
        board.set_position(text)?;
    }
    let moves = arguments.moves.iter();
    let moves: Vec<&str> = moves.flat_map(|text| text.split_whitespace()).collect();
    let mut annotations = played(&mut *board, &moves, clock)?;
    if !arguments.last {
        annotations.last_move = LastMove::default();
    }
    if !arguments.numbers {
        annotations.steps.clear();
    }
    let shape = board.shape();
    annotations.marks = cells(shape, "--marks", arguments.marks.as_deref())?;
    annotations.crosses = cells(shape, "--crosses", arguments.crosses.as_deref())?;
    annotations.arrows = arrows(shape, arguments.arrows.as_deref())?;
    if let Some(path) = &arguments.heat {
        annotations.heat = heat(shape, path)?;
    }
    let style = arguments.style.style();
    let draw = || svg(&*board, &annotations, &style).into_bytes();
    match &arguments.output {
        None => output.write_all(&draw())?,
        Some(path) => {
            let picture = match Format::of(path)? {
                Format::Svg => draw(),
                #[cfg(feature = "png")]
                Format::Png => render::png(&*board, &annotations, &style).or_else(|error| usage(error.to_string()))?,
            };
            files::write(path, "the picture", &picture).map_err(|error| CliError::NotWritten(path.clone(), error))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The format of a file.
enum Format {
    Svg,
    #[cfg(feature = "png")]
    Png,
}

impl Format {
    /// Returns the format that the name of a file asks for.
    fn of(path: &Path) -> Result<Self, CliError> {
        const EXPECTED: &str = match cfg!(feature = "png") {
            true => "FILE.svg or FILE.png",
            false => "FILE.svg (FILE.png needs the feature png)",
        };
        let end = path.extension().and_then(|end| end.to_str());
        match end.map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Self::Png),
            _ => {
                let name = quote(&path.display().to_string());
                usage(format!("--output {name}: expected {EXPECTED}"))
            }
        }
    }
}

/// Reads a list of cells.
fn cells(shape: &Shape, option: &str, text: Option<&str>) -> Result<Vec<Cell>, CliError> {
    list(option, text, || cell(shape))
}

/// Reads a list of arrows.
fn arrows(shape: &Shape, text: Option<&str>) -> Result<Vec<(Cell, Cell)>, CliError> {
    list("--arrows", text, || separated_pair(cell(shape), expect("a hyphen", char('-')), cell(shape)))
}

/// Reads what stands between the commas of a list.
fn list<'a, T, P>(option: &str, text: Option<&'a str>, parser: impl Fn() -> P) -> Result<Vec<T>, CliError>
where
    P: Parser<&'a str, Output = T, Error = Expected<'a>>,
{
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let items = text.split(',').map(|item| read(item.trim(), parser()));
    let items: Result<Vec<T>, _> = items.collect();
    items.or_else(|error| usage(format!("{option}: {error}")))
}

/// Reads a heat file.
fn heat(shape: &Shape, path: &Path) -> Result<Vec<(Cell, f64, String)>, CliError> {
    let text = files::read_text(path);
    let text = text.or_else(|error| usage(format!("can't read {}: {error}", path.display())))?;
    let mut heat: Vec<(Cell, f64, String)> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let (label, value) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let bad = |why: String| usage(format!("{}, line {number}: {why}", path.display()));
        let cell = match read(label, cell(shape)) {
            Ok(cell) => cell,
            Err(error) => return bad(error.to_string()),
        };
        let value = value.trim();
        let Some(parsed) = finite(value) else {
            let why = format!(
                "{}: expected a cell and a number of at most {MAX_VALUE} characters, such as {label} 0.25, found {}",
                quote(line),
                if value.is_empty() { "no number".to_owned() } else { quote(value) }
            );
            return bad(why);
        };
        if heat.iter().any(|&(other, ..)| other == cell) {
            return bad(format!("{}: the cell has a value already", quote(line)));
        }
        heat.push((cell, parsed, value.to_owned()));
    }
    Ok(heat)
}

/// Reads a plain decimal number: digits, perhaps with a sign and a point.
fn finite(text: &str) -> Option<f64> {
    let is_plain = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    let fits = text.len() <= MAX_VALUE && text.chars().all(is_plain);
    text.parse().ok().filter(|_| fits)
}
