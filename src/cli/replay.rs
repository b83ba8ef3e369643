//! The command `replay`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{CliError, game_page, usage};
use crate::arena::replay::Replay;
use crate::record::{GameRecord, read_files};
use crate::render::GamePage;
use crate::text::counted;

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Record file, text or JSON
    file: PathBuf,

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
    let files = read_files(std::slice::from_ref(&arguments.file))?;
    let is_cut = files.iter().any(|file| file.is_cut);
    let games = files.into_iter().flat_map(|file| file.games);
    let mut games: Vec<GameRecord> = games.collect();
    if let Some(number) = arguments.game {
        games.retain(|game| game.game == number);
        if games.is_empty() {
            return usage(format!("{} has no game {number}", arguments.file.display()));
        }
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
    Ok(match wrong == 0 && !is_cut {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
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
