//! The command `review`: what each move of a game lost, and what was better.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::format::write_json;
use super::progress::Bar;
use super::records::{RecordArgs, Recorded};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED, game_page, usage};
use crate::arena::replay::Replay;
use crate::intervals::rounded;
use crate::render::GamePage;
use crate::review::{Budget, Evaluations, Proven, Review, ReviewError, Settings, TIME, review};
use crate::rules::Color;
use crate::study::error::StudyError;
use crate::study::pool::processors;
use crate::text::counted;

/// Ending of the file that keeps the searches of an interrupted review.
const PARTIAL: &str = "partial";

/// Digits behind the point of numbers in JSON.
const PLACES: i32 = 6;

#[derive(Args, Debug)]
pub(super) struct ReviewArgs {
    #[command(flatten)]
    record: RecordArgs,

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
    /// Returns the file that keeps the searches while they run: its name is that of the record, or of the page.
    pub(super) fn partial(&self) -> Option<PathBuf> {
        let mut path = self.output.clone().or_else(|| self.html.clone())?.into_os_string();
        path.push(".");
        path.push(PARTIAL);
        Some(path.into())
    }

    /// Opens that file, with the searches of an interrupted review.
    fn evaluations(&self, live: &mut impl Write) -> Result<Evaluations, CliError> {
        let Some(path) = self.partial() else {
            return Ok(Evaluations::default());
        };
        let opened = Evaluations::open(&path);
        let opened = opened.or_else(|error| usage(format!("{}: {error}", path.display())))?;
        if !opened.is_empty() {
            let known = counted(opened.len() as u64, "position");
            // Standard error may be closed.
            let _ = writeln!(live, "resuming: {known} of an interrupted review in {}", path.display());
        }
        Ok(opened)
    }
}

/// Reviews the games of a record.
pub(super) fn review_games(
    arguments: &ReviewArgs,
    timed: bool,
    output: &mut impl Write,
    mut live: impl Write + IsTerminal,
) -> Result<ExitCode, CliError> {
    if !timed && arguments.nodes.is_none() {
        return usage("--reproducible needs --nodes: searches of limited time find other moves in each run");
    }
    let html = arguments.record.output("--html", arguments.html.as_ref(), "the page")?;
    let annotated = arguments.record.output("--output", arguments.output.as_ref(), "a record")?;
    let read = arguments.record.read(&mut live)?;
    let Recorded { mut games, unread, .. } = read;
    arguments.record.choose(&mut games)?;
    if games.is_empty() {
        return Err(CliError::NoGame(arguments.record.file.clone()));
    }
    let settings = Settings {
        budget: match (arguments.nodes, arguments.movetime) {
            (Some(nodes), _) => Budget::Nodes(nodes),
            (None, Some(time)) => Budget::Time(Duration::from_millis(time)),
            (None, None) => Budget::Time(TIME),
        },
        jobs: arguments.threads.map_or_else(processors, usize::from),
        hash: arguments.hash,
    };
    let stop = stop_flag();
    let mut evaluations = arguments.evaluations(&mut live)?;
    let is_terminal = live.is_terminal();
    let mut reviews = Vec::new();
    for (place, game) in games.iter().enumerate() {
        let mut bar = Bar::of(&mut live, is_terminal, "positions");
        let (place, count) = (place + 1, games.len());
        let reviewed = review(game, &settings, &mut evaluations, &stop, &mut |done, all| {
            let message = || format!("of game {place} of {count}");
            bar.show(done as u64, all as u64, message);
        });
        bar.end();
        match reviewed {
            Ok(reviewed) => reviews.push(reviewed),
            Err(ReviewError::Search(StudyError::Interrupted)) => {
                // Standard error may be closed.
                let _ = match arguments.partial() {
                    Some(path) => writeln!(live, "the same command resumes: {} has what is done", path.display()),
                    None => writeln!(live, "nothing is kept: with -o FILE, the same command resumes"),
                };
                return Ok(ExitCode::from(INTERRUPTED));
            }
            Err(error) => return usage(format!("game {}: {error}", game.game)),
        }
    }
    if arguments.json {
        let games: Vec<JsonGame<'_>> = reviews.iter().map(JsonGame::of).collect();
        write_json(&games, output)?;
    } else {
        for (place, review) in reviews.iter().enumerate() {
            if place > 0 {
                writeln!(output)?;
            }
            write_review(review, output)?;
        }
    }
    if let Some(annotated) = annotated {
        let text: String = reviews.iter().map(|review| review.annotated().to_text()).collect();
        annotated.write(text)?;
    }
    if let Some(html) = html {
        let (mut page, mut replay) = (GamePage::default(), Replay::default());
        for review in &reviews {
            game_page::add_game(&mut page, &mut replay, &review.annotated(), None);
        }
        html.write(page.html())?;
    }
    evaluations.remove_file();
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
    forced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_before: Option<JsonProof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof_after: Option<JsonProof>,
}

/// A proven result for the side that moved, and the maximum number of moves of both players to the end.
#[derive(Serialize)]
struct JsonProof {
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u32>,
}

impl JsonProof {
    fn of(proven: Proven, side: Color) -> Self {
        Self { result: proven.word(side), moves: proven.moves }
    }
}

impl<'a> JsonGame<'a> {
    fn of(review: &'a Review) -> Self {
        let moves = review.moves.iter().map(|made| JsonMove {
            turn: made.turn,
            side: made.side.to_string().to_lowercase(),
            text: &made.text,
            before: rounded(made.before, PLACES),
            after: rounded(made.after, PLACES),
            loss: rounded(made.loss, PLACES),
            best: &made.best,
            line: &made.line,
            only: made.is_only,
            forced: made.is_forced,
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

fn write_review(review: &Review, output: &mut impl Write) -> io::Result<()> {
    let record = &review.record;
    let (black, white) = (&record.black.name, &record.white.name);
    let moves = counted(review.moves.len() as u64, "move");
    writeln!(
        output,
        "game {}: {}, Black {black}, White {white}, {moves}, {}",
        record.game, review.variant, record.result
    )?;
    if review.mistakes().is_empty() {
        writeln!(output, "No mistake was found.")?;
    } else {
        writeln!(output, "\nWhat decided it:")?;
        for made in review.decisive() {
            writeln!(output, "  {}.\n    {}", made.headline(), made.better())?;
        }
    }
    writeln!(output, "\n{:<8}{:>10}{:>10}{:>10}  average loss per move", "", "opening", "middle", "end")?;
    for color in Color::BOTH {
        let loss = |loss: Option<f64>| match loss {
            None => format!("{:>10}", "-"),
            Some(loss) => format!("{:>8.1} %", 100.0 * loss),
        };
        writeln!(output, "{:<8}{}", color.to_string(), review.losses(color).map(loss).concat())?;
    }
    writeln!(output, "\nturn  side   scores   loss  move, and what was better")?;
    for made in &review.moves {
        let mark = if made.is_mistake { "?" } else { " " };
        let only = match (made.is_forced, made.is_only && made.best == made.text) {
            (true, _) => " (forced)",
            (_, true) => " (only move)",
            _ => "",
        };
        let better = match made.loss {
            loss if loss >= 0.005 && made.best != made.text => format!("; {}", made.best),
            _ => String::new(),
        };
        let proof = made.proof_words().map(|words| format!(", {words}")).unwrap_or_default();
        writeln!(
            output,
            "{:>4}  {:<5} {:>5.1} % {:>4.1} %{mark} {}{only}{better}{proof}",
            made.turn,
            made.side.to_string(),
            100.0 * made.after,
            100.0 * made.loss,
            made.text,
        )?;
    }
    let depths: Vec<usize> = review.moves.iter().map(|made| made.depth).collect();
    let (least, most) = (depths.iter().min().unwrap_or(&0), depths.iter().max().unwrap_or(&0));
    let budget = review.budget;
    writeln!(output, "\n{budget} per position, twice as much for mistakes; lines of {least} to {most} steps")
}
