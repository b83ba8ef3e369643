//! Options of the look of pictures, and the cells of moves, for all commands that draw.

use std::path::Path;
use std::sync::Arc;

use clap::{ArgAction, Args};

use super::{CliError, usage};
use crate::files::Target;
use crate::render::{Annotations, Letters, Style, Theme};
use crate::rules::Board;
use crate::search::Clock;
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
}

/// Checks that the picture of the option `--svg` can be written, before what takes long.
pub(super) fn svg_target(path: &Path) -> Result<(&Path, Target), CliError> {
    let end = path.extension().and_then(|end| end.to_str());
    if !end.is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
        let name = quote(&path.display().to_string());
        return usage(format!("--svg {name}: expected FILE.svg"));
    }
    let target = Target::new(path, "the picture");
    let target = target.or_else(|error| usage(format!("can't write to {}: {error}", path.display())))?;
    Ok((path, target))
}

/// Plays moves, and notes the cells of each step and of the last move.
pub(super) fn played(board: &mut dyn Board, moves: &[&str], clock: Arc<dyn Clock>) -> Result<Annotations, CliError> {
    let mut annotations = Annotations::default();
    // The session reads moves as UGI does, and says what is wrong with them.
    let mut session = Session::on(board.fork(), clock);
    let start = board.position();
    let read = session.set_history(Some(&start), moves);
    read.or_else(|error| usage(error.to_string()))?;
    let moves = session.moves();
    for text in &moves {
        annotations.last_move = played_move(board, text)?;
        annotations.steps.extend_from_slice(&annotations.last_move.steps);
    }
    Ok(annotations)
}

/// Plays the steps of a move.
pub(super) fn played_move(board: &mut dyn Board, text: &str) -> Result<LastMove, CliError> {
    let mut last_move = LastMove::default();
    for text in text.split(',') {
        let step = board.read_step(text).or_else(|error| usage(error.to_string()))?;
        last_move.play(board, step);
    }
    Ok(last_move)
}
