//! The command `replay`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::{CliError, game_page, usage};
use crate::arena::replay::Replay;
use crate::files;
use crate::games;
use crate::record::{FileGames, GameRecord, ReadError, ReadOptions, read_damaged};
use crate::render::GamePage;
use crate::rules::Variant;
use crate::text::counted;

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Record file: text, as people write it, or JSON
    file: PathBuf,

    /// Variant of the games that don't name theirs
    #[arg(long, value_parser = games::parse_variant)]
    variant: Option<Variant>,

    /// Take the readable beginning of games that can't be read to their end
    #[arg(long)]
    partial: bool,

    /// Replay only the game with this number
    #[arg(long, value_name = "N")]
    game: Option<u64>,

    /// Print the position after every move
    #[arg(long)]
    positions: bool,

    /// Print a diagram after every move
    #[arg(long, conflicts_with = "positions")]
    diagrams: bool,

    /// Write a web page that shows the games on a board, step by step
    #[arg(long, value_name = "OUT", conflicts_with_all = ["positions", "diagrams"])]
    html: Option<PathBuf>,
}

impl ReplayArgs {
    /// Returns true if the command has no other result than what it prints.
    pub(super) fn is_for_output(&self) -> bool {
        self.html.is_none()
    }

    /// Returns the files that are read and written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let file = Some(&self.file);
        file.into_iter().chain(&self.html).cloned().collect()
    }
}

/// Replays the games of a record and prints the errors in them.
pub fn replay(arguments: &ReplayArgs, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let html = arguments.html.as_deref();
    let target = html.map(|page| game_page::target(page, &arguments.file));
    let target = target.transpose()?;
    let Recorded { mut games, is_cut, unread } =
        read_recorded(&arguments.file, arguments.variant.clone(), arguments.partial, output)?;
    if let Some(number) = arguments.game {
        games.retain(|game| game.game == number);
        if games.is_empty() {
            return usage(format!("{} has no game {number}", arguments.file.display()));
        }
    }
    if games.is_empty() && unread > 0 {
        return Ok(ExitCode::FAILURE);
    }
    if games.is_empty() && html.is_some() {
        return usage(format!("{} has no game that --html could show", arguments.file.display()));
    }
    let mut replay = Replay::default();
    let mut page = GamePage::default();
    let (mut moves, mut wrong) = (0, 0);
    for game in &games {
        moves += game.moves.len();
        let checked = replay_one(&mut replay, game, arguments, output)?;
        if html.is_some() {
            let error = checked.as_ref().err();
            game_page::add_game(&mut page, &mut replay, game, error.map(String::as_str));
        }
        if let Err(why) = checked {
            wrong += 1;
            writeln!(output, "game {}: {why}", game.game)?;
        }
    }
    if let Some((path, target)) = html.zip(target) {
        let written = target.replace(page.html().as_bytes());
        written.map_err(|error| CliError::NotWritten(path.to_owned(), error))?;
    }
    let all = format!("{}, {}", counted(games.len() as u64, "game"), counted(moves as u64, "move"));
    match wrong {
        0 if is_cut => writeln!(output, "{all}: all as the rules say, but the game after them is incomplete")?,
        0 => writeln!(output, "{all}: all as the rules say")?,
        _ => writeln!(output, "{all}: {} not as the rules say", counted(wrong, "game"))?,
    }
    Ok(if wrong == 0 && !is_cut && unread == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The games that a command reads from a file of any origin.
pub(super) struct Recorded {
    pub(super) games: Vec<GameRecord>,
    /// True if an incomplete game of a match follows them.
    pub(super) is_cut: bool,
    /// Number of games that can't be read as a whole.
    pub(super) unread: usize,
}

/// Reads games, and prints what is wrong with those that can't be read. With `partial` their beginnings are among the
/// games.
pub(super) fn read_recorded(
    path: &Path,
    variant: Option<Variant>,
    partial: bool,
    output: &mut impl Write,
) -> Result<Recorded, CliError> {
    let text = files::read_text(path).map_err(|error| ReadError::Io(path.to_owned(), error))?;
    let FileGames { mut games, is_cut, damaged } = read_damaged(&text, &ReadOptions { variant });
    let unread = damaged.len();
    // Not a record: notes, say.
    if let Some(first) = damaged.first().and_then(|game| game.errors.first())
        && games.is_empty()
        && damaged.iter().all(|game| game.partial.as_ref().is_none_or(|part| part.moves.is_empty()))
    {
        return Err(ReadError::Text(path.to_owned(), first.clone()).into());
    }
    for game in &damaged {
        for error in &game.errors {
            writeln!(output, "{}, {error}", path.display())?;
        }
    }
    let parts = damaged.iter().filter_map(|game| game.partial.as_ref()).filter(|game| !game.moves.is_empty());
    if !partial && unread > 0 {
        let readable = parts.map(|game| game.moves.len()).sum::<usize>();
        let offer = match readable {
            0 => String::new(),
            _ => format!("; --partial takes the {} before the errors", counted(readable as u64, "move")),
        };
        writeln!(output, "{} can't be read{offer}", counted(unread as u64, "game"))?;
    } else {
        // From the last one on, so that the places of the others stay.
        for game in damaged.into_iter().rev() {
            let part = game.partial.filter(|part| !part.moves.is_empty());
            part.into_iter().for_each(|part| games.insert(game.place.min(games.len()), part));
        }
    }
    Ok(Recorded { games, is_cut, unread })
}

fn replay_one(
    replay: &mut Replay,
    game: &GameRecord,
    arguments: &ReplayArgs,
    output: &mut impl Write,
) -> io::Result<Result<(), String>> {
    let mut written = Ok(());
    if arguments.positions || arguments.diagrams {
        let (black, white) = (&game.black.name, &game.white.name);
        writeln!(output, "game {}: {}, Black {black}, White {white}", game.game, game.variant)?;
    }
    let checked = replay.check(game, |shown| {
        let text = shown.text.unwrap_or("start");
        let write = match (arguments.positions, arguments.diagrams) {
            (true, _) => writeln!(output, "{text}  {}", shown.position()),
            (_, true) => writeln!(output, "{text}\n{}\n", shown.diagram()),
            _ => Ok(()),
        };
        if written.is_ok() {
            written = write;
        }
    });
    written?;
    if arguments.positions || arguments.diagrams {
        writeln!(output, "{} {}: {}", game.result, game.cause, game.reason)?;
    }
    Ok(checked)
}
