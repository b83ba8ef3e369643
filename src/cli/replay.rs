//! The command `replay`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::format::write_json;
use super::records::{RecordArgs, Recorded};
use super::{CliError, game_page};
use crate::arena::replay::Replay;
use crate::record::{AbstractPlayRecord, GameRecord};
use crate::render::GamePage;
use crate::text::counted;

#[derive(Args, Debug)]
pub struct ReplayArgs {
    #[command(flatten)]
    record: RecordArgs,

    /// Print the position after every move
    #[arg(long)]
    positions: bool,

    /// Print a diagram after every move
    #[arg(long, conflicts_with = "positions")]
    diagrams: bool,

    /// Print one JSON object, with the position after every move
    #[arg(long, conflicts_with_all = ["positions", "diagrams", "to"])]
    json: bool,

    /// Write a web page that shows the games on a board, step by step
    #[arg(long, value_name = "OUT", conflicts_with_all = ["positions", "diagrams"])]
    pub(super) html: Option<PathBuf>,

    /// Print the games in this format, and what is wrong with them on standard error
    #[arg(long, value_name = "FORMAT", value_enum, conflicts_with_all = ["positions", "diagrams", "html"])]
    to: Option<Format>,
}

/// A format of records.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Format {
    /// Tags and moves, as in PGN
    Text,
    /// One JSON object per line
    Json,
    /// JSON of AbstractPlay: one object, or an array of several
    Abstractplay,
}

/// Replays the games of a record and prints the errors in them, or prints the games in another format.
pub fn replay(arguments: &ReplayArgs, output: &mut impl Write, errors: &mut impl Write) -> Result<ExitCode, CliError> {
    match arguments.to {
        Some(format) => convert(arguments, format, output, errors),
        None => show(arguments, output),
    }
}

fn show(arguments: &ReplayArgs, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let html = arguments.record.output("--html", arguments.html.as_ref(), "the page")?;
    let mut errors = Vec::new();
    let Recorded { mut games, is_cut, unread } = arguments.record.read(&mut errors)?;
    let errors = String::from_utf8_lossy(&errors);
    if !arguments.json {
        write!(output, "{errors}")?;
    }
    if !games.is_empty() {
        arguments.record.choose(&mut games)?;
    }
    if games.is_empty() && unread > 0 && !arguments.json {
        return Ok(ExitCode::FAILURE);
    }
    if games.is_empty() && unread == 0 {
        return Err(CliError::NoGame(arguments.record.file.clone()));
    }
    let mut replay = Replay::default();
    let mut page = GamePage::default();
    let (mut moves, mut wrong, mut replayed) = (0, 0, Vec::new());
    for game in &games {
        moves += game.moves.len();
        let checked = if arguments.json {
            replay_json(&mut replay, game, &mut replayed)
        } else {
            replay_one(&mut replay, game, arguments, output)?
        };
        if html.is_some() {
            let error = checked.as_ref().err();
            game_page::add_game(&mut page, &mut replay, game, error.map(String::as_str));
        }
        if let Err(why) = checked {
            wrong += 1;
            if !arguments.json {
                writeln!(output, "game {}: {why}", game.game)?;
            }
        }
    }
    if let Some(html) = html {
        html.write(page.html())?;
    }
    let all = format!("{}, {}", counted(games.len() as u64, "game"), counted(moves as u64, "move"));
    match wrong {
        _ if arguments.json => {
            let unread: Vec<&str> = errors.lines().collect();
            let object = JsonReplay { games: replayed, moves, wrong, incomplete: is_cut, unread };
            write_json(&object, output)?;
        }
        0 if is_cut => writeln!(output, "{all}: all as the rules say, but the game after them is incomplete")?,
        0 => writeln!(output, "{all}: all as the rules say")?,
        _ => writeln!(output, "{all}: {} not as the rules say", counted(wrong, "game"))?,
    }
    Ok(if wrong == 0 && !is_cut && unread == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct JsonReplay<'a> {
    games: Vec<JsonGame>,
    /// Number of moves of all games.
    moves: usize,
    /// Number of games that are not as the rules say.
    wrong: u64,
    /// True if an incomplete game of a match follows.
    incomplete: bool,
    /// Errors of games that can't be read.
    unread: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonGame {
    game: u64,
    variant: String,
    black: String,
    white: String,
    result: String,
    cause: String,
    reason: String,
    /// Start position; `None` if the variant is unknown.
    start: Option<String>,
    moves: Vec<JsonMove>,
    error: Option<String>,
}

#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    text: String,
    /// Position after the move.
    position: String,
}

/// Replays a game for JSON.
fn replay_json(replay: &mut Replay, game: &GameRecord, games: &mut Vec<JsonGame>) -> Result<(), String> {
    let (mut start, mut moves) = (None, Vec::new());
    let checked = replay.check(game, |shown| match shown.text {
        None => start = Some(shown.position()),
        Some(text) => moves.push(JsonMove { text: text.to_owned(), position: shown.position() }),
    });
    games.push(JsonGame {
        game: game.game,
        variant: game.variant.clone(),
        black: game.black.name.clone(),
        white: game.white.name.clone(),
        result: game.result.to_string(),
        cause: game.cause.to_string(),
        reason: game.reason.clone(),
        start,
        moves,
        error: checked.as_ref().err().cloned(),
    });
    checked
}

/// Prints the games in another format.
fn convert(
    arguments: &ReplayArgs,
    format: Format,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let read = arguments.record.read(errors)?;
    let Recorded { mut games, is_cut, unread } = read;
    if games.is_empty() && unread == 0 {
        return Err(CliError::NoGame(arguments.record.file.clone()));
    }
    arguments.record.choose(&mut games)?;
    let mut replay = Replay::default();
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let mut written: Vec<String> = Vec::new();
    let mut left_out = 0;
    for game in &games {
        let text = replay.check(game, |_| {}).and_then(|()| match format {
            Format::Text => Ok(game.to_text()),
            Format::Json => serde_json::to_string(game).map_err(|error| error.to_string()),
            Format::Abstractplay => AbstractPlayRecord::of(game, &now)
                .and_then(|record| serde_json::to_string(&record).map_err(|error| error.to_string())),
        });
        match text {
            Ok(text) => written.push(text),
            Err(why) => {
                left_out += 1;
                writeln!(errors, "{}, game {} is left out: {why}", arguments.record.file.display(), game.game)?;
            }
        }
    }
    match (format, written.as_slice()) {
        (Format::Text, texts) => texts.iter().try_for_each(|text| write!(output, "{text}"))?,
        (Format::Abstractplay, []) => {}
        (Format::Abstractplay, [_, _, ..]) => writeln!(output, "[\n{}\n]", written.join(",\n"))?,
        (_, lines) => lines.iter().try_for_each(|line| writeln!(output, "{line}"))?,
    }
    Ok(if unread == 0 && left_out == 0 && !is_cut { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
