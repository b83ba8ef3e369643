//! The command `review`: what each move of a game lost, and what was better.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::progress::Bar;
use super::replay::{Recorded, read_recorded};
use super::tune::stop_flag;
use super::{CliError, INTERRUPTED, game_page, usage};
use crate::arena::replay::Replay;
use crate::files;
use crate::games;
use crate::render::GamePage;
use crate::review::{Budget, Review, ReviewError, ReviewedMove, Settings, review};
use crate::rules::{Color, Variant};
use crate::search::Proof;
use crate::study::error::StudyError;
use crate::study::pool::processors;
use crate::text::counted;

/// Default time for a position, in milliseconds: a game of forty moves takes about a minute on two cores.
const TIME_MS: u64 = 1500;

/// Number of mistakes in the short answer.
const SHORT: usize = 3;

#[derive(Args, Debug)]
pub(super) struct ReviewArgs {
    /// Record file: text, as people write it, or JSON
    file: PathBuf,

    /// Variant of the games that don't name theirs
    #[arg(long, value_parser = games::parse_variant)]
    variant: Option<Variant>,

    /// Review the readable beginning of games that can't be read to their end
    #[arg(long)]
    partial: bool,

    /// Review only the game with this number
    #[arg(long, value_name = "N")]
    game: Option<u64>,

    /// Nodes for each position: the output is the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    nodes: Option<u64>,

    /// Time for each position, in milliseconds [default: 1500]
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,

    /// Number of positions searched at once [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Maximum memory of each search, in MiB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=65536))]
    hash: u32,

    /// Print JSON, an array with an object for each game, instead of text
    #[arg(long)]
    json: bool,

    /// Write a web page that shows the games, with the expected scores as a graph
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,

    /// Write a record with scores, marks, remarks and better lines
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ReviewArgs {
    /// Returns the files that are read and written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        [&self.file].into_iter().chain(&self.html).chain(&self.output).cloned().collect()
    }
}

/// Reviews the games of a record.
pub(super) fn review_games(
    arguments: &ReviewArgs,
    output: &mut impl Write,
    mut live: impl Write + IsTerminal,
) -> Result<ExitCode, CliError> {
    let page_target = arguments.html.as_deref().map(|page| game_page::target(page, &arguments.file)).transpose()?;
    let record_target = match &arguments.output {
        Some(path) if files::is_same(path, &arguments.file) => {
            return usage(format!("--output {} would replace the record: expected another file", path.display()));
        }
        Some(path) => {
            let target = files::Target::new(path, "a record");
            Some(target.or_else(|error| usage(format!("can't write to {}: {error}", path.display())))?)
        }
        None => None,
    };
    let read = read_recorded(&arguments.file, arguments.variant.clone(), arguments.partial, &mut live)?;
    let Recorded { mut games, unread, .. } = read;
    if let Some(number) = arguments.game {
        games.retain(|game| game.game == number);
    }
    if games.is_empty() {
        return match arguments.game {
            Some(number) => usage(format!("{} has no game {number}", arguments.file.display())),
            None => usage(format!("{} has no game to review", arguments.file.display())),
        };
    }
    let settings = Settings {
        budget: match (arguments.nodes, arguments.movetime) {
            (Some(nodes), _) => Budget::Nodes(nodes),
            (None, time) => Budget::Time(Duration::from_millis(time.unwrap_or(TIME_MS))),
        },
        jobs: arguments.threads.map_or_else(processors, usize::from),
        hash: arguments.hash,
    };
    let stop = stop_flag();
    let is_terminal = live.is_terminal();
    let mut reviews = Vec::new();
    for (place, game) in games.iter().enumerate() {
        let mut bar = Bar::of(&mut live, is_terminal, "positions");
        let (place, count) = (place + 1, games.len());
        let reviewed = review(game, &settings, &stop, &mut |done, all| {
            let message = || format!("of game {place} of {count}");
            bar.set(done as u64, all as u64, message);
            bar.tick(done as u64, all as u64, message);
        });
        bar.end();
        match reviewed {
            Ok(reviewed) => reviews.push(reviewed),
            Err(ReviewError::Search(StudyError::Interrupted)) => return Ok(ExitCode::from(INTERRUPTED)),
            Err(error) => return usage(format!("game {}: {error}", game.game)),
        }
    }
    if arguments.json {
        let games: Vec<JsonGame<'_>> = reviews.iter().map(JsonGame::of).collect();
        writeln!(output, "{}", serde_json::to_string(&games).map_err(io::Error::from)?)?;
    } else {
        for (place, review) in reviews.iter().enumerate() {
            if place > 0 {
                writeln!(output)?;
            }
            write_review(review, &settings, output)?;
        }
    }
    if let Some((path, target)) = arguments.output.as_ref().zip(record_target) {
        let text: String = reviews.iter().map(|review| review.annotated().to_text()).collect();
        let written = target.replace(text.as_bytes());
        written.map_err(|error| CliError::NotWritten(path.clone(), error))?;
    }
    if let Some((path, target)) = arguments.html.as_ref().zip(page_target) {
        let (mut page, mut replay) = (GamePage::default(), Replay::default());
        for review in &reviews {
            game_page::add_game(&mut page, &mut replay, &review.annotated(), None);
        }
        let written = target.replace(page.html().as_bytes());
        written.map_err(|error| CliError::NotWritten(path.clone(), error))?;
    }
    Ok(if unread == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A game as `--json` prints it.
#[derive(Serialize)]
struct JsonGame<'a> {
    variant: String,
    moves: Vec<JsonMove<'a>>,
    /// Turns of the mistakes, the greatest loss first.
    mistakes: Vec<u32>,
}

#[derive(Serialize)]
struct JsonMove<'a> {
    turn: u32,
    side: String,
    #[serde(rename = "move")]
    text: &'a str,
    before: f64,
    after: f64,
    loss: f64,
    best: &'a str,
    line: &'a [String],
    only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_before: Option<JsonProof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_after: Option<JsonProof>,
}

/// A proven result for the side that moved, and the maximum number of moves of both players to the end.
#[derive(Serialize)]
struct JsonProof {
    result: &'static str,
    moves: u32,
}

impl JsonProof {
    fn of(proof: Proof, side: Color) -> Self {
        Self { result: proven(proof, side), moves: proof.moves }
    }
}

fn proven(proof: Proof, side: Color) -> &'static str {
    match proof.winner {
        None => "draw",
        Some(winner) if winner == side => "win",
        Some(_) => "loss",
    }
}

/// Rounds to six digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

impl<'a> JsonGame<'a> {
    fn of(review: &'a Review) -> Self {
        let moves = review.moves.iter().map(|made| JsonMove {
            turn: made.turn,
            side: made.side.to_string().to_lowercase(),
            text: &made.text,
            before: rounded(made.before),
            after: rounded(made.after),
            loss: rounded(made.loss),
            best: &made.best,
            line: &made.line,
            only: made.is_only,
            proof_before: made.proof_before.map(|proof| JsonProof::of(proof, made.side)),
            proof_after: made.proof_after.map(|proof| JsonProof::of(proof, made.side)),
        });
        Self {
            variant: review.variant.to_string(),
            moves: moves.collect(),
            mistakes: review.mistakes().iter().map(|made| made.turn).collect(),
        }
    }
}

fn write_review(review: &Review, settings: &Settings, output: &mut impl Write) -> io::Result<()> {
    let record = &review.record;
    let (black, white) = (&record.black.name, &record.white.name);
    let moves = counted(review.moves.len() as u64, "move");
    writeln!(
        output,
        "game {}: {}, Black {black}, White {white}, {moves}, {}",
        record.game, review.variant, record.result
    )?;
    let mistakes = review.mistakes();
    match mistakes.as_slice() {
        [] => writeln!(output, "No mistake was found.")?,
        all => {
            writeln!(output, "\nWhat decided it:")?;
            for made in all.iter().take(SHORT) {
                write_mistake(made, output)?;
            }
        }
    }
    writeln!(output, "\n{:<8}{:>10}{:>10}{:>10}  average loss per move", "", "opening", "middle", "end")?;
    for color in Color::BOTH {
        let mut row = format!("{:<8}", color.to_string());
        let third = review.moves.len().div_ceil(3).max(1);
        for phase in 0..3 {
            let moves = review.moves.iter().skip(phase * third).take(third).filter(|made| made.side == color);
            let losses: Vec<f64> = moves.map(|made| made.loss).collect();
            match losses.len() {
                0 => row.push_str(&format!("{:>10}", "-")),
                count => row.push_str(&format!("{:>8.1} %", 100.0 * losses.iter().sum::<f64>() / count as f64)),
            }
        }
        writeln!(output, "{row}")?;
    }
    writeln!(output, "\nturn  side   scores   loss  move, and what was better")?;
    for made in &review.moves {
        let mark = if made.is_mistake { "?" } else { " " };
        let only = if made.is_only { " (only move)" } else { "" };
        let better = match made.loss {
            loss if loss >= 0.005 => format!("; {}", made.best),
            _ => String::new(),
        };
        writeln!(
            output,
            "{:>4}  {:<5} {:>5.1} % {:>4.1} %{mark} {}{only}{better}{}",
            made.turn,
            made.side.to_string(),
            100.0 * made.after,
            100.0 * made.loss,
            made.text,
            proof_text(made),
        )?;
    }
    let depths: Vec<usize> = review.moves.iter().map(|made| made.depth).collect();
    let (least, most) = (depths.iter().min().unwrap_or(&0), depths.iter().max().unwrap_or(&0));
    let budget = match settings.budget {
        Budget::Nodes(nodes) => format!("{nodes} nodes"),
        Budget::Time(time) => format!("{} ms", time.as_millis()),
    };
    writeln!(output, "\n{budget} per position, twice as much for mistakes; lines of {least} to {most} steps")
}

/// Returns the proven result behind a move, as in `, proven loss within 5 moves`.
fn proof_text(made: &ReviewedMove) -> String {
    match made.proof_after {
        Some(proof) => {
            let moves = counted(proof.moves.into(), "move");
            format!(", proven {} within {moves}", proven(proof, made.side))
        }
        None => String::new(),
    }
}

fn write_mistake(made: &ReviewedMove, output: &mut impl Write) -> io::Result<()> {
    let (before, after) = (100.0 * made.before, 100.0 * made.after);
    let was = if made.is_only { "The only good move was" } else { "Better was" };
    let better = match made.told.as_slice() {
        [told] => format!("{}: {}", told.step, told.clause),
        _ => made.best.clone(),
    };
    let later: Vec<&str> = made.line.iter().skip(1).take(4).map(String::as_str).collect();
    let later = if later.is_empty() { String::new() } else { format!(" Then perhaps {}.", later.join(" ")) };
    writeln!(
        output,
        "  turn {}, {} {}: {before:.1} % became {after:.1} %{}.\n    {was} {better}.{later}",
        made.turn,
        made.side,
        made.text,
        proof_text(made)
    )
}
