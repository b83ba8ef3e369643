//! The command `analyze`: the best moves of a position, as a table for people or JSON for programs.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use crossbeam_channel::{Receiver, never, select};

use super::analyze_picture::{Picture, Proposal};
use super::format::write_json;
use super::given_position;
use super::open_session::open_at;
use super::pictures::StyleArgs;
use super::standard_streams::StandardStreams;
use super::{CliError, INTERRUPTED, stops, usage};
use crate::analysis::{self, Analysis, Defaults, Line, Proven, ServerEnd};
use crate::games;
use crate::protocol::counted;
use crate::rules::Color;
use crate::search::Clock;
use crate::session::{DEFAULT_TIME, Event, Go, Score, SearchResult, Session, TimeLimit};
use crate::study::pool::processors;

/// Maximum of `--movetime`, in milliseconds: one year.
const MAX_TIME: u64 = 1000 * 86_400 * 365;

/// Maximum length of a move in the table, in characters: in Gravel and Invictus a move has many steps.
const MAX_MOVE: usize = 20;

/// Default of `--hash`, in MiB.
const HASH: u32 = 256;

/// Default of `--hash` where several positions are searched at once.
const HASH_OF_JOBS: u32 = 64;

#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// Variant, or a recorded game: FILE, FILE#GAME, or FILE#GAME:MOVE, as in games.pgn#3:17 for game 3 after move 17
    #[arg(required_unless_present = "stdin")]
    variant: Option<String>,

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

    /// Maximum memory of a search, in MiB [default: 256, with --stdin 64]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=65536))]
    hash: Option<u32>,

    /// Answer queries in JSON, one per line, until the input ends
    ///
    /// Each names positions of a game by an id, which the answers repeat. The variant and limits here are those of
    /// queries that have none. docs/schemas describes queries and answers.
    #[arg(long, conflicts_with_all = ["position", "moves", "json", "svg"])]
    pub(super) stdin: bool,

    /// Number of positions that --stdin searches at once [default: one for each core]
    #[arg(long, value_name = "N", requires = "stdin", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,

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

/// Searches a position and prints its best lines.
pub(super) fn analyze(
    arguments: AnalyzeArgs,
    timed: bool,
    clock: Arc<dyn Clock>,
    input: impl Read + Send + 'static,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let AnalyzeArgs { json, lines, nodes, .. } = arguments;
    if arguments.stdin {
        return answer_queries(arguments, timed, clock, input, output);
    }
    if !timed && (nodes.is_none() || arguments.threads > 1) {
        return usage("--reproducible needs --nodes, and one thread: other searches find other lines in each run");
    }
    let given = arguments.variant.as_deref().unwrap_or_default();
    let from = given_position::read(given, arguments.position.as_deref(), arguments.moves.as_deref())?;
    let mut session = open_at(&from, clock)?;
    let (svg, style) = arguments.style.with_svg(arguments.svg.as_deref())?;
    let picture = svg.map(|file| Picture::new(file, style, &from, &session)).transpose()?;
    let options = [
        ("Threads", arguments.threads.to_string()),
        ("Hash", arguments.hash.unwrap_or(HASH).to_string()),
        // No client waits for the answer.
        ("MoveOverhead", "0".to_owned()),
    ];
    for (name, value) in options {
        let set = session.set_option(name, &value);
        set.or_else(usage)?;
    }
    // Before anything is printed: whoever sees the board may press Ctrl-C.
    let [interrupt] = stops(false);
    if !json {
        // A person looks at the board while the search runs.
        writeln!(output, "{}\n", session.diagram())?;
        output.flush()?;
    }
    if session.outcome().is_some() {
        let analysis = Analysis { seconds: timed.then_some(0.0), ..Analysis::new(&mut session, None) };
        if json {
            write_json(&analysis, output)?
        } else {
            writeln!(output, "The game is over: no move is left to analyze.")?
        }
        if let Some(picture) = picture {
            picture.write(&proposals(&analysis))?;
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
    let mut analysis = Analysis::new(&mut session, Some(&found.progress));
    analysis.seconds = analysis.seconds.filter(|_| timed);
    if json {
        write_json(&analysis, output)?
    } else {
        write!(output, "{}", table(&analysis, session.side()))?;
        let count = counted(&found.progress.statistics);
        let time = match nodes {
            // Where nodes limit the search, every machine prints the same.
            Some(_) => String::new(),
            None => format!(" in {:.1} s", analysis.seconds.unwrap_or_default()),
        };
        let end = if interrupted { ", interrupted" } else { "" };
        writeln!(output, "\n{count}{time}{end}")?;
    }
    if let Some(picture) = picture {
        output.flush()?;
        picture.write(&proposals(&analysis))?;
    }
    Ok(if interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Answers queries in JSON until the input ends.
fn answer_queries(
    arguments: AnalyzeArgs,
    timed: bool,
    clock: Arc<dyn Clock>,
    input: impl Read + Send + 'static,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    if !timed && arguments.threads > 1 {
        return usage("--reproducible needs searches of one thread: expected --jobs, and no --threads");
    }
    let defaults = Defaults {
        variant: arguments.variant.as_deref().map(games::parse_variant).transpose()?,
        nodes: arguments.nodes,
        time: arguments.movetime.map(Duration::from_millis),
        lines: arguments.lines,
        jobs: arguments.jobs.map_or_else(processors, usize::from),
        options: vec![
            ("Threads", arguments.threads.to_string()),
            ("Hash", arguments.hash.unwrap_or(HASH_OF_JOBS).to_string()),
            ("MoveOverhead", "0".to_owned()),
        ],
        timed,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let [interrupt] = stops(true);
    let end = analysis::serve(defaults, clock, input, output, &interrupt)?;
    Ok(match end {
        ServerEnd::Complete => ExitCode::SUCCESS,
        ServerEnd::Interrupted if StandardStreams::new().output_is_gone() => ExitCode::SUCCESS,
        ServerEnd::Interrupted => ExitCode::from(INTERRUPTED),
    })
}

/// Runs a search until its limit or a stop signal. Returns what it found, and true after a signal.
fn search(
    session: &mut Session,
    go: &Go,
    mut interrupt: Receiver<()>,
    errors: &mut impl Write,
) -> Result<(SearchResult, bool), CliError> {
    let events = session.search(go);
    let events = events.or_else(usage)?;
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

/// Returns the lines as a picture shows them.
fn proposals(analysis: &Analysis) -> Vec<Proposal<'_>> {
    let proposals = analysis.lines.iter().map(|line| {
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

/// Returns the lines as a table for people.
fn table(analysis: &Analysis, side: Color) -> String {
    // A column has its head and a field for each line, all of one width.
    let column = |head: &str, is_number: bool, field: &dyn Fn(usize, &Line) -> String| {
        let fields = analysis.lines.iter().enumerate().map(|(place, line)| field(place, line));
        let fields: Vec<String> = std::iter::once(head.to_owned()).chain(fields).collect();
        let width = fields.iter().map(|field| field.chars().count()).max().unwrap_or(0);
        let aligned = |field| if is_number { format!("{field:>width$}") } else { format!("{field:<width$}") };
        fields.into_iter().map(aligned).collect::<Vec<String>>()
    };
    let mut columns = vec![
        column("rank", true, &|place, _| (place + 1).to_string()),
        column("move", false, &|_, line| shortened(line)),
        column(&format!("{side} scores"), true, &|_, line| line.percentage()),
        column("depth", true, &|_, line| line.depth.to_string()),
        column("nodes", true, &|_, line| line.nodes.to_string()),
        column("line", false, &|_, line| line.line.join(" ")),
    ];
    if analysis.lines.iter().any(|line| line.proof.is_some()) {
        columns.insert(3, column("proven", false, &|_, line| proof_text(line)));
    }
    let row = |row: usize| {
        let fields: Vec<&str> = columns.iter().filter_map(|column| column.get(row)).map(String::as_str).collect();
        format!("{}\n", fields.join("  ").trim_end())
    };
    let mut table: String = (0..=analysis.lines.len()).map(row).collect();
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
