//! The command `play`: a game in the terminal for a person.

mod begin;
pub mod board;
mod commands;
mod editor;
mod game;
mod input;
mod legal;
mod pager;
mod puzzles;
mod reading;
mod record;
mod repl;
mod review;
mod show;
pub mod terminal;
pub mod text;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::engine_options::EngineOptions;
use super::given_position;
use super::open_session::open_at;
use super::puzzles::read_puzzles;
use super::{CliError, INTERRUPTED, usage};
use crate::files;
use crate::games::GAMES;
use crate::rules::Color;
use crate::search::Clock;
use crate::session::Session;
use crate::table::{Player, StoredGame};
use game::{CommandError, Game, Setup};
use input::Person;
use terminal::Terminal;

/// Arguments of `play`.
#[derive(Args, Debug)]
pub struct PlayArgs {
    /// Variant to play, or a recorded game to go on with: FILE, FILE#GAME, or FILE#GAME:MOVE [default: invector]
    variant: Option<String>,

    /// Side that you play: b, w, both (the engine does not play), or none (you watch) [default: as recorded, or the first
    /// to move]
    #[arg(long = "as", value_name = "SIDE", ignore_case = true)]
    side: Option<Side>,

    /// Start position, quoted because it holds spaces [default: the start of the variant]
    #[arg(long)]
    position: Option<String>,

    /// Moves from there, with spaces between, as in "c3 e5"
    #[arg(long)]
    moves: Option<String>,

    /// Solve the puzzles of this file, which `pentalith puzzles` writes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variant", "side", "position", "moves"])]
    puzzles: Option<PathBuf>,

    #[command(flatten)]
    options: EngineOptions,
}

/// The sides that the person plays.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum Side {
    #[value(name = "b", alias = "black", help = "Black")]
    Black,
    #[value(name = "w", alias = "white", help = "White")]
    White,
    #[value(help = "Both sides: two people, or one who tries things out")]
    Both,
    #[value(help = "No side: the engine plays against itself")]
    None,
}

impl Side {
    fn of(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }

    fn of_players(players: [Player; 2]) -> Self {
        match players {
            [Player::Person, Player::Person] => Self::Both,
            [Player::Person, Player::Engine] => Self::Black,
            [Player::Engine, Player::Person] => Self::White,
            [Player::Engine, Player::Engine] => Self::None,
        }
    }

    /// Returns who plays, Black first.
    fn players(self) -> [Player; 2] {
        match self {
            Self::Both => [Player::Person, Player::Person],
            Self::Black => [Player::Person, Player::Engine],
            Self::White => [Player::Engine, Player::Person],
            Self::None => [Player::Engine, Player::Engine],
        }
    }

    /// Returns the only color that the person plays.
    fn only(self) -> Option<Color> {
        match self {
            Self::Black => Some(Color::Black),
            Self::White => Some(Color::White),
            Self::Both | Self::None => None,
        }
    }
}

/// Plays a game with the person at the terminal.
pub(super) fn play(
    arguments: PlayArgs,
    clock: Arc<dyn Clock>,
    input: impl Read + IsTerminal + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    if let Some(file) = &arguments.puzzles {
        if file.as_os_str() == files::STANDARD {
            return usage("--puzzles - would be standard input, which is this dialogue: expected the name of a file");
        }
        return ask_puzzles(file, clock, input, output);
    }
    let PlayArgs { variant, position, moves, .. } = &arguments;
    let variant = variant.as_deref().filter(|given| !given.is_empty());
    let given = given_position::read(variant.unwrap_or(GAMES[0].name), position.as_deref(), moves.as_deref())?;
    let mut session = open_at(&given, Arc::clone(&clock))?;
    arguments.options.apply(&mut session)?;
    let given = given.game(session.variant().clone());
    let setup = Setup { session, side: arguments.side, given, clock };
    ended(Game::new(setup, person(input)?, output)?.run())
}

/// Asks the person the puzzles of a file.
fn ask_puzzles(
    file: &Path,
    clock: Arc<dyn Clock>,
    input: impl Read + IsTerminal + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let puzzles = read_puzzles(file, output)?;
    let Some(first) = puzzles.first() else {
        return usage(format!("{} has no puzzle", file.display()));
    };
    let session = Session::new(&first.variant, Arc::clone(&clock));
    let session = session.ok_or_else(|| CliError::NotOpened(first.variant.clone()))?;
    let given = StoredGame::line(first.variant.clone(), None, []);
    let setup = Setup { session, side: Some(Side::Both), given, clock };
    ended(Game::new(setup, person(input)?, output)?.run_puzzles(&puzzles))
}

/// Returns the person who types, and the terminal.
fn person(input: impl Read + IsTerminal + Send + 'static) -> io::Result<(Person, Terminal)> {
    let terminal = Terminal::detect();
    Ok((Person::new(input, terminal.is_terminal.then(commands::vocabulary))?, terminal))
}

fn ended(done: Result<(), CommandError>) -> Result<ExitCode, CliError> {
    match done {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(CommandError::Ended) => Ok(ExitCode::from(INTERRUPTED)),
        Err(CommandError::Refused(why)) => Err(io::Error::other(why).into()),
        Err(CommandError::Io(error)) => Err(error.into()),
    }
}
