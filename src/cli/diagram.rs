//! The command `diagram`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use nom::Parser;
use nom::bytes::complete::take_while1;
use nom::character::complete::char;
use nom::combinator::verify;
use nom::sequence::separated_pair;

use super::given_position;
use super::open_session::open_at;
use super::output_file::write_file;
use super::pictures::{StyleArgs, played};
use super::{CliError, usage};
use crate::board::{Cell, Shape};
use crate::files;
use crate::notation::pieces::{Expected, cell, expect, read};
#[cfg(feature = "png")]
use crate::render;
use crate::render::{CaptionText, svg};
use crate::search::Clock;
use crate::session::LastMove;
use crate::text::quote;

/// Maximum length of a value in a heat file, in characters: a longer one is illegible on a cell.
const MAX_VALUE: usize = 8;

/// Maximum length of a label, in characters.
const MAX_LABEL: usize = 3;

#[derive(Args, Debug)]
pub(super) struct DiagramArgs {
    /// Variant to draw, or FILE#GAME:MOVE for a position of a recorded game, as in games.pgn#3:17 for game 3 after its
    /// move 17
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

    /// Frame the cells of the last move, dotted where it only changed them, with arrows from where pieces were and signs
    /// of what was captured
    #[arg(long)]
    last: bool,

    /// Mark cells with a diamond, as for what is allowed
    #[arg(long, value_name = "CELL,…")]
    marks: Option<String>,

    /// Mark cells with a cross, as for what is forbidden
    #[arg(long, value_name = "CELL,…")]
    crosses: Option<String>,

    /// Put labels of up to three characters on cells, as in a1=A,b2=x
    #[arg(long, value_name = "CELL=TEXT,…")]
    labels: Option<String>,

    /// Shade groups of cells with an outline around each, as in a1,a2;c3,d3
    #[arg(long, value_name = "CELL,…;…")]
    regions: Option<String>,

    /// Number the steps of the moves on their cells
    #[arg(long)]
    numbers: bool,

    /// Draw arrows, as in a1-b2,c3-c4; an arrow from a cell to itself is a circle
    #[arg(long, value_name = "CELL-CELL,…")]
    arrows: Option<String>,

    /// Shade cells by the values in a file, a line for each: the cell, a space, the number
    #[arg(long, value_name = "FILE")]
    heat: Option<PathBuf>,

    /// Text below the board instead of whose turn it is and what the rules count; off for none
    #[arg(long, value_name = "TEXT|off", value_parser = caption)]
    caption: Option<CaptionText>,

    #[command(flatten)]
    style: StyleArgs,

    /// File to write, - for standard output, which is the default; also FILE.png if the program was built with the feature `png`
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
}

impl DiagramArgs {
    /// Returns the file that is written; `None` for standard output.
    pub(super) fn target(&self) -> Option<&PathBuf> {
        self.output.as_ref().filter(|path| path.as_os_str() != files::STANDARD)
    }
}

fn caption(text: &str) -> Result<CaptionText, std::convert::Infallible> {
    Ok(match text {
        "off" => CaptionText::Off,
        _ => CaptionText::Own(text.to_owned()),
    })
}

/// Draws a position.
pub(super) fn diagram(
    arguments: &DiagramArgs,
    clock: Arc<dyn Clock>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let target = arguments.target();
    if let Some(path) = target {
        Format::of(path)?;
    }
    let moves = arguments.moves.iter().map(String::as_str);
    let from = given_position::read(&arguments.variant, arguments.position.as_deref(), moves)?;
    let (board, mut annotations) = played(&from, &open_at(&from, clock)?)?;
    let given = [("--last", arguments.last), ("--numbers", arguments.numbers)].into_iter().find(|(_, given)| *given);
    if let Some((option, _)) = given.filter(|_| from.moves.is_empty()) {
        return usage(format!("{option} needs a move: expected --moves, or a record"));
    }
    if !arguments.last {
        annotations.last_move = LastMove::default();
    }
    if !arguments.numbers {
        annotations.steps.clear();
    }
    let shape = board.shape();
    annotations.marks = cells(shape, "--marks", arguments.marks.as_deref())?;
    annotations.crosses = cells(shape, "--crosses", arguments.crosses.as_deref())?;
    annotations.labels = labels(shape, arguments.labels.as_deref())?;
    annotations.regions = regions(shape, arguments.regions.as_deref())?;
    annotations.caption = arguments.caption.clone().unwrap_or_default();
    annotations.arrows = arrows(shape, arguments.arrows.as_deref())?;
    if let Some(path) = &arguments.heat {
        annotations.heat = heat(shape, path)?;
    }
    let style = arguments.style.style();
    let draw = || svg(&*board, &annotations, &style).into_bytes();
    match target {
        None => output.write_all(&draw())?,
        Some(path) => {
            let picture = match Format::of(path)? {
                Format::Svg => draw(),
                #[cfg(feature = "png")]
                Format::Png => render::png(&*board, &annotations, &style).or_else(usage)?,
            };
            write_file(path, "the picture", picture)?;
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
        const EXPECTED: &str =
            if cfg!(feature = "png") { "FILE.svg or FILE.png" } else { "FILE.svg (FILE.png needs the feature png)" };
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

/// Reads labels, of which a cell has at most one.
fn labels(shape: &Shape, text: Option<&str>) -> Result<Vec<(Cell, String)>, CliError> {
    let labels = list("--labels", text, || label(shape))?;
    let is_new =
        |(index, (cell, _)): (usize, &(Cell, String))| labels.iter().take(index).all(|(other, _)| other != cell);
    match labels.iter().enumerate().find(|&label| !is_new(label)) {
        Some((_, (cell, text))) => {
            let item = quote(&format!("{}={text}", shape.label(*cell)));
            usage(format!("--labels: {item}: the cell has a label already"))
        }
        None => Ok(labels),
    }
}

/// Reads a cell and its label.
fn label<'a>(shape: &Shape) -> impl Parser<&'a str, Output = (Cell, String), Error = Expected<'a>> + use<'a, '_> {
    let text = take_while1(|c: char| !c.is_whitespace() && !c.is_control());
    let text = verify(text, |text: &str| text.chars().count() <= MAX_LABEL).map(str::to_owned);
    separated_pair(cell(shape), expect("an equals sign", char('=')), expect("one to three characters", text))
}

/// Reads the cells of each region.
fn regions(shape: &Shape, text: Option<&str>) -> Result<Vec<Vec<Cell>>, CliError> {
    let regions = text.into_iter().flat_map(|text| text.split(';'));
    regions.map(|region| cells(shape, "--regions", Some(region))).collect()
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
        if line.trim().is_empty() || line.starts_with('#') {
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
