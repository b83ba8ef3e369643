//! Options of the look of pictures, and the cells of moves, for all commands that draw.

use std::path::Path;

use clap::{ArgAction, Args};

use super::given_position::GivenPosition;
use super::output_file::OutputFile;
use super::{CliError, usage};
use crate::games;
use crate::render::{Annotations, Letters, Style, Theme};
use crate::rules::Board;
use crate::session::{LastMove, Session};
use crate::text::quote;

/// The options that say how a picture looks.
#[derive(Args, Debug)]
pub(super) struct StyleArgs {
    /// Draw column letters and rank numbers, or not
    #[arg(long, value_name = "on|off", action = ArgAction::Set, default_value = "on", value_parser = switch)]
    coordinates: bool,

    /// Longer side of the picture, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = Style::DEFAULT_SIZE, value_parser = clap::value_parser!(u32).range(16..=10_000))]
    size: u32,

    /// Colors: light, dark, auto (as the reader's system prefers), or print (black and white)
    #[arg(long, default_value = "light", value_parser = theme)]
    theme: Theme,

    /// Letters: text, or strokes that need no font and look the same everywhere
    #[arg(long, default_value = "text", value_parser = letters)]
    letters: Letters,
}

fn switch(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off"),
    }
}

fn letters(text: &str) -> Result<Letters, &'static str> {
    match text {
        "text" => Ok(Letters::Text),
        "strokes" => Ok(Letters::Strokes),
        _ => Err("expected text or strokes"),
    }
}

fn theme(text: &str) -> Result<Theme, String> {
    let found = Theme::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, theme)| *theme).ok_or_else(|| {
        let names = Theme::ALL.map(|(name, _)| name);
        format!("expected one of {}", names.join(", "))
    })
}

impl StyleArgs {
    /// Returns the look that the options ask for.
    pub(super) fn style(&self) -> Style {
        Style { theme: self.theme, size: self.size, coordinates: self.coordinates, letters: self.letters }
    }

    /// Returns the file of the option `--svg`, after checking that it can be written, and the look of its picture.
    pub(super) fn with_svg(&self, svg: Option<&Path>) -> Result<(Option<OutputFile>, Style), CliError> {
        let style = self.style();
        let Some(path) = svg else {
            if style != Style::default() {
                return usage("--coordinates, --size, --theme and --letters need --svg FILE.svg");
            }
            return Ok((None, style));
        };
        let end = path.extension().and_then(|end| end.to_str());
        if !end.is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
            let name = quote(&path.display().to_string());
            return usage(format!("--svg {name}: expected FILE.svg"));
        }
        Ok((Some(OutputFile::open(path, "the picture")?), style))
    }
}

/// Plays the moves to a position, which a session has read. Returns the board, and the cells of each step and of the last
/// move.
pub(super) fn played(from: &GivenPosition, session: &Session) -> Result<(Box<dyn Board>, Annotations), CliError> {
    let variant = session.variant();
    let mut board = games::open(variant).ok_or_else(|| CliError::NotOpened(variant.clone()))?;
    if let Some(text) = &from.start {
        board.set_position(text)?;
    }
    let mut annotations = Annotations::default();
    for text in session.moves() {
        annotations.last_move = played_move(&mut *board, &text)?;
        annotations.steps.extend_from_slice(&annotations.last_move.steps);
    }
    Ok((board, annotations))
}

/// Plays the steps of a move.
pub(super) fn played_move(board: &mut dyn Board, text: &str) -> Result<LastMove, CliError> {
    let mut last_move = LastMove::default();
    for text in text.split(',') {
        let step = board.read_step(text).or_else(usage)?;
        last_move.play(board, step);
    }
    Ok(last_move)
}
