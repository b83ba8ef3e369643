//! The command `analyze`: the best moves of a position, as a table for people or JSON for programs.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use crossbeam_channel::{Receiver, never, select};
use serde::Serialize;

use super::analyze_picture::{Picture, Proposal};
use super::given_position;
use super::open_session::open_for_person;
use super::pictures::StyleArgs;
use super::{CliError, INTERRUPTED, stops, usage};
use crate::protocol::counted;
use crate::render::Style;
use crate::rules::{Color, Outcome};
use crate::search::{Clock, Proof};
use crate::session::{DEFAULT_TIME, Event, Go, Score, SearchResult, Session, TimeLimit, Variation};

/// Maximum of `--movetime`, in milliseconds: one year.
const MAX_TIME: u64 = 1000 * 86_400 * 365;

/// Maximum length of a move in the table, in characters: in Gravel and Invictus a move has many steps.
const MAX_MOVE: usize = 20;

#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// Variant, or FILE#GAME:MOVE for a position of a recorded game, as in games.pgn#3:17 for game 3 after its move 17
    variant: String,

    /// Start position, quoted because it holds spaces [default: the start of the variant]
    #[arg(long)]
    position: Option<String>,

    /// Moves from there, with spaces between, as in "c3 e5"
    #[arg(long)]
    moves: Option<String>,

    /// Time of the search, in milliseconds [default: 1000]
    #[arg(long, value_name = "MS", conflicts_with = "nodes", value_parser = clap::value_parser!(u64).range(1..=MAX_TIME))]
    movetime: Option<u64>,

    /// Nodes of the search: with one thread, the output is the same on every machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    nodes: Option<u64>,

    /// Maximum number of lines, each with another first step
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=500))]
    lines: u16,

    /// Number of threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Maximum memory of the search, in MiB
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    hash: u32,

    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,

    /// Also draw the moves in a picture of the board: the best one darkest, each with its expected score in percent
    ///
    /// At most 40 moves are marked, and fewer where the picture would have more than 30,000 bytes, as on a large board
    /// full of pieces.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    style: StyleArgs,
}

impl AnalyzeArgs {
    /// Returns the files that are written.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.svg.iter().cloned().chain(given_position::file_of(&self.variant)).collect()
    }
}

/// Searches a position and prints its best lines.
pub(super) fn analyze(
    arguments: AnalyzeArgs,
    clock: Arc<dyn Clock>,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let AnalyzeArgs { json, lines, nodes, .. } = arguments;
    let from = given_position::read(&arguments.variant, arguments.position.as_deref(), arguments.moves.as_deref())?;
    let advice = |file: &str| format!("{file}#1:12 is the position after move 12 of game 1");
    let mut session = open_for_person(Some(from.variant), clock.clone(), advice)?;
    let moves: Vec<&str> = from.moves.iter().map(String::as_str).collect();
    let position = from.start.as_deref();
    session.set_history(position, &moves)?;
    let style = arguments.style.style();
    let picture = match &arguments.svg {
        Some(path) => {
            let variant = session.variant();
            Some(Picture::new(path, style, variant, position, &moves, clock)?)
        }
        None if style != Style::default() => {
            return usage("--coordinates, --size, --theme and --letters need --svg FILE.svg");
        }
        None => None,
    };
    let options = [
        ("Threads", arguments.threads.to_string()),
        ("Hash", arguments.hash.to_string()),
        // No client waits for the answer.
        ("MoveOverhead", "0".to_owned()),
    ];
    for (name, value) in options {
        let set = session.set_option(name, &value);
        set.or_else(|error| usage(error.to_string()))?;
    }
    // Before anything is printed: whoever sees the board may press Ctrl-C.
    let [interrupt] = stops(false);
    if !json {
        // A person looks at the board while the search runs.
        writeln!(output, "{}\n", session.diagram())?;
        output.flush()?;
    }
    if session.outcome().is_some() {
        let analysis = Analysis::new(&mut session, None);
        if json {
            write_json(&analysis, output)?
        } else {
            writeln!(output, "The game is over: no move is left to analyze.")?
        }
        if let Some(picture) = picture {
            picture.write(&analysis.proposals())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let go = Go {
        time: match (arguments.movetime, nodes) {
            (Some(time), _) => TimeLimit::Fixed(Duration::from_millis(time)),
            (None, Some(_)) => TimeLimit::Unlimited,
            (None, None) => TimeLimit::Fixed(DEFAULT_TIME),
        },
        nodes,
        // A search hardly looks at the only legal step, unless it is asked about that one.
        search_moves: Some(session.legal()).filter(|legal| legal.len() == 1).unwrap_or_default(),
        multi_pv: lines.into(),
        ..Go::default()
    };
    let (found, interrupted) = search(&mut session, &go, interrupt, errors)?;
    let analysis = Analysis::new(&mut session, Some(&found));
    if json {
        write_json(&analysis, output)?
    } else {
        write!(output, "{}", table(&analysis, session.side()))?;
        let count = counted(&found.progress.statistics);
        let time = match nodes {
            // Where nodes limit the search, every machine prints the same.
            Some(_) => String::new(),
            None => format!(" in {:.1} s", analysis.seconds),
        };
        let end = if interrupted { ", interrupted" } else { "" };
        writeln!(output, "\n{count}{time}{end}")?;
    }
    if let Some(picture) = picture {
        output.flush()?;
        picture.write(&analysis.proposals())?;
    }
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Runs a search until its limit or a stop signal. Returns what it found, and true after a signal.
fn search(
    session: &mut Session,
    go: &Go,
    mut interrupt: Receiver<()>,
    errors: &mut impl Write,
) -> Result<(SearchResult, bool), CliError> {
    let events = session.search(go);
    let events = events.or_else(|error| usage(error.to_string()))?;
    for shortage in session.take_shortages() {
        // Standard error may be closed.
        let _ = writeln!(errors, "pentalith: {shortage}");
    }
    let mut interrupted = false;
    loop {
        select! {
            recv(events) -> event => match event {
                Ok(Event::SearchDone(found)) => return Ok((found, interrupted)),
                Ok(_) => {}
                Err(_) => return Err(io::Error::other("the search broke").into()),
            },
            recv(interrupt) -> _ => {
                session.stop();
                interrupted = true;
                interrupt = never();
            }
        }
    }
}

/// The object that `--json` prints, as `docs/play.md` describes it.
#[derive(Serialize)]
struct Analysis {
    variant: String,
    position: String,
    side: String,
    /// The end of the game; `None` while it goes on.
    result: Option<GameEnd>,
    nodes: u64,
    seconds: f64,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct GameEnd {
    /// `None` for a draw.
    winner: Option<String>,
    reason: &'static str,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "move")]
    text: String,
    /// False if the line ends before the move does.
    complete: bool,
    /// Expected score of the side to move, from 0 to 1.
    expected_score: f64,
    /// True if the expected score is an upper bound.
    upper_bound: bool,
    score: Score,
    proof: Option<Proven>,
    /// Number of steps in `line`.
    depth: usize,
    nodes: u32,
    line: Vec<String>,
}

impl Line {
    /// Returns the sign that an upper bound has before its number.
    fn bound(&self) -> &'static str {
        if self.upper_bound { "≤ " } else { "" }
    }

    /// Returns the expected score as in `48.1 %`.
    fn percentage(&self) -> String {
        format!("{}{:.1} %", self.bound(), 100.0 * self.expected_score)
    }
}

#[derive(Serialize)]
struct Proven {
    /// Result for the side to move: `win`, `draw` or `loss`.
    result: &'static str,
    /// Maximum number of moves of both players to the end.
    moves: u32,
}

impl Analysis {
    /// Describes the session's position with what a search found there. Forgets the search of the session.
    fn new(session: &mut Session, found: Option<&SearchResult>) -> Self {
        let statistics = found.map(|found| found.progress.statistics);
        let result = session.outcome().map(|Outcome { winner, reason }| GameEnd { winner: winner.map(name), reason });
        Self {
            variant: session.variant().to_string(),
            position: session.position(),
            side: name(session.side()),
            result,
            nodes: statistics.map_or(0, |statistics| statistics.nodes),
            seconds: rounded(statistics.unwrap_or_default().time.as_secs_f64()),
            lines: found.map_or_else(Vec::new, |found| lines(session, found)),
        }
    }
}

impl Analysis {
    /// Returns the lines as a picture shows them.
    fn proposals(&self) -> Vec<Proposal<'_>> {
        let proposals = self.lines.iter().map(|line| {
            let proof = proof_text(line);
            let comma = if proof.is_empty() { "" } else { ", " };
            Proposal {
                steps: &line.text,
                expected_score: line.expected_score,
                percent: format!("{}{:.0}", line.bound().trim_end(), 100.0 * line.expected_score),
                note: format!("{} with {}{comma}{proof}", line.percentage(), shortened(line)),
            }
        });
        proposals.collect()
    }
}

/// Returns the lines that a search found, the one that it would play first.
fn lines(session: &mut Session, found: &SearchResult) -> Vec<Line> {
    let variations = &found.progress.variations;
    let mut line = |variation: &Variation| {
        let bound = found.progress.upper_bound(variation);
        let known = bound.unwrap_or(variation);
        let moves: Vec<String> = variation.moves.iter().map(|move_| move_.join(",")).collect();
        let text = moves.first().cloned().unwrap_or_default();
        Line {
            complete: moves.len() > 1 || is_complete(session, &text),
            text,
            expected_score: rounded(known.expected_score),
            upper_bound: bound.is_some(),
            score: known.score(),
            proof: known.proof.map(|proof| proven(proof, session.side())),
            depth: variation.depth(),
            nodes: variation.visits,
            line: moves,
        }
    };
    variations.iter().map(&mut line).collect()
}

fn proven(proof: Proof, side: Color) -> Proven {
    let Proof { winner, moves } = proof;
    let result = match winner {
        None => "draw",
        Some(winner) if winner == side => "win",
        Some(_) => "loss",
    };
    Proven { result, moves }
}

/// Returns true if steps of the side to move are a whole move.
fn is_complete(session: &mut Session, steps: &str) -> bool {
    let side = session.side();
    if session.play(side, steps, false).is_err() {
        return false;
    }
    let complete = session.side() != side || session.outcome().is_some();
    session.undo();
    complete
}

/// Returns the name of a side as programs read it.
fn name(color: Color) -> String {
    color.to_string().to_lowercase()
}

/// Rounds to six digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

fn write_json(analysis: &Analysis, output: &mut impl Write) -> Result<(), CliError> {
    let json = serde_json::to_string(analysis).map_err(io::Error::from)?;
    Ok(writeln!(output, "{json}")?)
}

/// Returns the lines as a table for people.
fn table(analysis: &Analysis, side: Color) -> String {
    let is_proven = analysis.lines.iter().any(|line| line.proof.is_some());
    let mut rows = vec![vec![
        Field::Number("rank".to_owned()),
        Field::Text("move".to_owned()),
        Field::Number(format!("{side} scores")),
        Field::Number("depth".to_owned()),
        Field::Number("nodes".to_owned()),
        Field::Text("line".to_owned()),
    ]];
    let lines = analysis.lines.iter().zip(1..);
    rows.extend(lines.map(|(line, rank): (&Line, u32)| {
        vec![
            Field::Number(rank.to_string()),
            Field::Text(shortened(line)),
            Field::Number(line.percentage()),
            Field::Number(line.depth.to_string()),
            Field::Number(line.nodes.to_string()),
            Field::Text(line.line.join(" ")),
        ]
    }));
    if is_proven {
        let column = analysis.lines.iter().map(proof_text);
        let column = std::iter::once("proven".to_owned()).chain(column);
        for (row, text) in rows.iter_mut().zip(column) {
            row.insert(3, Field::Text(text));
        }
    }
    let mut table = aligned(&rows);
    let counts_moves = |line: &Line| {
        let mate = matches!(line.score, Score::Mate(moves) if moves.unsigned_abs() > 1);
        mate && line.proof.is_some()
    };
    if analysis.lines.iter().any(counts_moves) {
        let other = !side;
        table.push_str(&format!("in N: within N moves of {side}, not counting {other}'s\n"));
    }
    table
}

/// Returns the move of a line for its column. Ends it with `,…` if the line has only the beginning of the move, or the
/// column has no room for all of its steps.
fn shortened(line: &Line) -> String {
    let mut shown = line.text.as_str();
    while let Some((head, _)) = shown.rsplit_once(',')
        && shown.len() > MAX_MOVE
    {
        shown = head;
    }
    if line.complete && shown == line.text { line.text.clone() } else { format!("{shown},…") }
}

/// Describes a proven result, as in `win in 3`; counts moves of the side to move.
fn proof_text(line: &Line) -> String {
    match (&line.proof, line.score) {
        (Some(Proven { result, .. }), Score::Mate(moves)) => {
            format!("{result} in {}", moves.unsigned_abs())
        }
        (Some(Proven { result, .. }), Score::Cp(_)) => (*result).to_owned(),
        (None, _) => String::new(),
    }
}

/// A field of a table.
enum Field {
    /// Aligned on the left.
    Text(String),
    /// Aligned on the right.
    Number(String),
}

impl Field {
    fn width(&self) -> usize {
        let (Self::Text(text) | Self::Number(text)) = self;
        text.chars().count()
    }
}

/// Writes rows with aligned columns, two spaces between.
fn aligned(rows: &[Vec<Field>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, field) in widths.iter_mut().zip(row) {
            *width = field.width().max(*width);
        }
    }
    let line = |row: &Vec<Field>| {
        let fields = row.iter().zip(&widths);
        let fields = fields.map(|(field, &width)| match field {
            Field::Text(text) => format!("{text:<width$}"),
            Field::Number(text) => format!("{text:>width$}"),
        });
        let line = fields.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    rows.iter().map(line).collect()
}
