//! The command line. It owns standard output.

mod analyze;
mod analyze_picture;
mod balance;
mod board;
mod check;
mod completions;
mod diagram;
mod engine_options;
mod error;
mod format;
mod game_page;
mod given_position;
mod ladder;
mod lazy_args;
mod log_file;
mod open_session;
mod openings;
mod output_file;
mod parse;
mod pictures;
pub mod play;
mod position;
pub mod progress;
mod puzzle_page;
mod puzzles;
mod rate;
mod records;
mod replay;
mod review;
mod show;
mod signals;
mod solve;
mod standard_streams;
mod stats;
mod study;
mod tournament;
mod transcript;
mod tune;
mod version;
mod weights;

use std::io::{self, IsTerminal, Read, Stderr, Stdin, Stdout, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::client::Protocol;
use crate::games;
use crate::lab;
use crate::protocol::{Detect, gogui::Gogui, gtp::Gtp, serve_while, ugi::Ugi};
use crate::rules::perft::Perft;
use crate::search::SystemClock;
use engine_options::EngineOptions;
use error::{CliError, INTERRUPTED, usage};
use lazy_args::Lazy;
use open_session::{TERMINAL_HELP, greet, open, open_or_refuse, refused};
use parse::meant_command;
pub use parse::parse;
use position::Question;
use signals::stops;
pub use signals::survive_file_size_limit;
use standard_streams::{StandardStreams, end_with_output};
pub use version::last_commit;

const HELP: &str = "\
A VARIANT is a game, or a game with a size and options: invector, invector:5x4, markane:6x6,pie=on.
`pentalith games` lists them. Without a command it speaks UGI if the first line is `ugi`, else GTP. Try:

    pentalith board markane
    printf 'showboard\\ngenmove b\\nlegal\\nquit\\n' | pentalith gtp invector:5x4";

/// Plays and analyzes five abstract board games, for people and for GTP and UGI clients
///
/// Without a command it reads lines from standard input and answers on standard output.
#[derive(Parser, Debug)]
#[command(version, after_help = HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// Variant to play [default: invector]
    variant: Option<String>,

    /// Append a log of every line received and sent to a file
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,

    /// Leave out what changes from run to run: times and speeds
    #[arg(long, global = true)]
    reproducible: bool,

    /// Files that the command line names, beside the log.
    #[arg(skip)]
    files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
struct ProtocolArgs {
    /// Variant to play [default: invector]
    variant: Option<String>,

    #[command(flatten)]
    options: EngineOptions,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Play on a board in the browser
    ///
    /// The first line of the output is the address, which is for this computer alone: open it, click, and choose the
    /// game and who plays there. Ctrl-C ends the program.
    Board(Lazy<board::BoardArgs>),

    /// Speak GTP, version 2
    ///
    /// `list_commands` lists the commands. Answers begin with `=`, errors with `?`; an empty line ends each.
    Gtp(Lazy<ProtocolArgs>),

    /// Speak GTP for GoGui, one click per `play`
    ///
    /// GoGui starts this command line several times, so name the variant here.
    Gogui(Lazy<ProtocolArgs>),

    /// Speak UGI, the chess protocol UCI for any game
    ///
    /// `ugi` lists the options; `position startpos`, then `go movetime 1000`, searches for a move.
    Ugi(Lazy<ProtocolArgs>),

    /// Play a game in the terminal against the engine
    ///
    /// Shows the board and asks for your moves; `help` lists the commands. Ctrl-C makes the engine move at once.
    Play(Lazy<play::PlayArgs>),

    /// Count the sequences of DEPTH legal steps
    ///
    /// Equal counts are the usual check that two implementations of a game agree on its rules. Prints the count, then
    /// the speed. The last step is counted without playing it, unless `--every-leaf` is given.
    Perft {
        /// Variant to play
        variant: String,

        /// Number of steps
        #[arg(value_parser = clap::value_parser!(u32).range(0..=99))]
        depth: u32,

        /// Start position, quoted because it holds spaces [default: the start of the variant]
        #[arg(long)]
        position: Option<String>,

        /// Also print the count after each first step
        #[arg(long)]
        divide: bool,

        /// Print one JSON object, which is the same in every run; it always has the counts after each first step
        #[arg(long)]
        json: bool,

        /// Play the last step of every sequence instead of counting it
        #[arg(long)]
        every_leaf: bool,

        /// Number of threads
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
        threads: u16,

        /// Size of the table of counted positions, in MiB [default: no table]
        #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=65536))]
        hash: Option<u32>,
    },

    /// List the legal steps of a position, one per line
    Legal(Lazy<position::PositionArgs>),

    /// Print the result of a position, its reason, and the numbers that the game counts
    Score(Lazy<position::PositionArgs>),

    /// Print the position after moves
    Position(Lazy<position::PositionArgs>),

    /// Search a position and print its best moves as a table
    ///
    /// Prints the board, then for each move: the expected score of the side to move, the number of steps and of nodes
    /// behind it, and how the game is expected to go on. Ctrl-C ends the search early, with status 130.
    Analyze(Lazy<analyze::AnalyzeArgs>),

    /// Ask how balanced a game is, and answer by games of the engine against itself
    Balance(balance::BalanceArgs),

    /// Find the exact value of a position, with a proof
    ///
    /// Prints who wins with best play, or that it is a draw. Status 0: solved; 1: not solved in time; 130: interrupted.
    Solve(Lazy<solve::SolveArgs>),

    /// Draw a position as SVG
    ///
    /// The picture goes to standard output, or to the file that `--output` names. Equal positions give equal files.
    Diagram(Lazy<diagram::DiagramArgs>),

    /// Build the longest ladder of levels of which each scores 60 % against the one below
    ///
    /// Begins at random play. The number of rungs says how many levels of play the game has for this engine, at least.
    Ladder(Lazy<ladder::LadderArgs>),

    /// List the games with authors, sizes and options
    Games {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },

    /// Search the first moves of every game and print node counts and speed
    ///
    /// The node counts are the same on every run and every machine. They are a checksum of the search: a change that
    /// only makes it faster leaves them as they are. The last line has their sum.
    Bench {
        #[command(subcommand)]
        what: Option<BenchCommand>,
    },

    /// Check an engine's conformance to GTP or UGI, for any game, and its rules with --variant
    ///
    /// Prints a table of checks. Below each failure stand the lines that prove it: `>` to the engine, `<` from it,
    /// `!` its standard error. Status 0: no check failed; 1: some failed; 2: the engine can't be started.
    Check(Lazy<check::CheckArgs>),

    /// Play a match between engines: built-in ones, or programs that speak GTP or UGI
    ///
    /// The report goes to standard output, progress and failures to standard error. Repeat the command with the same
    /// record to resume. Status 0: complete, or the SPRT accepted H1; 1: a game can't be written; 2: bad command line,
    /// file or engine; 3: an engine failed too often; 4: the SPRT accepted H0; 5: the SPRT is undecided;
    /// 130: interrupted.
    Match(Lazy<tournament::MatchArgs>),

    /// Generate balanced random openings, or list the even openings of records, one per line
    Openings(Lazy<openings::MakeOpeningsArgs>),

    /// Print the statistics of the games in record files
    Stats(Lazy<stats::StatsArgs>),

    /// Rate the players of records on one scale, with intervals and the advantage of the first mover
    ///
    /// Maximum likelihood of all games together, in Elo. A record needs players, variant and result alone. The advantage
    /// belongs to the player who moves first, also after a swap of colors.
    Rate(Lazy<rate::RateArgs>),

    /// Check the moves and results of a record against the rules, show its positions, or write it in another format
    Replay(Lazy<replay::ReplayArgs>),

    /// Review the games of a record: what each move lost, and what was better
    ///
    /// Searches every position. Mistakes are searched again with twice the budget, and printed only where both searches
    /// agree. Status 0: reviewed; 1: some games can't be read; 130: interrupted.
    Review(Lazy<review::ReviewArgs>),

    /// Find puzzles in recorded games: positions with one step alone that wins, or that alone draws
    ///
    /// Each value is proven by the solver. The puzzles are a record, the easiest first by the nodes that a search needs:
    /// the main line is the solution, variations are the other steps with the replies. `play --puzzles` asks them.
    /// Records of self-play come from `match --record`. Status 0: done; 1: some games can't be read; 130: interrupted.
    Puzzles(Lazy<puzzles::PuzzlesArgs>),

    /// Study a game: play the program against itself at several strengths, and report what the games say
    ///
    /// Keeps records, `study.json` and `report.html` in a folder, and plays only what is missing there: repeat the command
    /// to resume, or with more games. Status 0: complete; 1: a file can't be written; 2: bad command line or folder; 130:
    /// interrupted.
    Study(Lazy<study::StudyArgs>),

    /// Regression-test any engine by transcripts of dialogues, in GTP, UGI or other lines
    Transcript(transcript::TranscriptArgs),

    /// Train the weights of an evaluation by self-play
    ///
    /// Prints the weights as text, and progress on standard error.
    Tune(Lazy<tune::TuneArgs>),

    /// Print the weights of an evaluation as text, or pack a text into a weights file
    Weights(Lazy<weights::WeightsArgs>),

    /// Print completions of this command line for a shell
    ///
    /// They complete commands, options, games and files. For bash, write them to
    /// `~/.local/share/bash-completion/completions/pentalith`; for fish, to `~/.config/fish/completions/pentalith.fish`;
    /// for zsh, to a file `_pentalith` in a folder of `$fpath`.
    Completions {
        /// Shell to write for
        shell: Shell,
    },

    /// Write man pages of the program and its commands into a folder, and print their paths
    ///
    /// `man pentalith` finds them in `~/.local/share/man/man1`. The folder is created if there is none; pages that are
    /// there are replaced.
    Man {
        /// Folder to write to
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

impl Command {
    /// Returns true if the command is useless once its output is closed: it only writes to standard output, and has no
    /// input whose end would stop it.
    fn is_for_output(&self) -> bool {
        match self {
            Self::Perft { .. }
            | Self::Legal(_)
            | Self::Score(_)
            | Self::Position(_)
            | Self::Games { .. }
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Bench { .. }
            | Self::Openings(_) => true,
            Self::Analyze(arguments) => !arguments.stdin,
            Self::Balance(arguments) => arguments.is_for_output(),
            Self::Ladder(arguments) => arguments.record.is_none(),
            Self::Rate(arguments) => arguments.html.is_none(),
            Self::Replay(arguments) => arguments.html.is_none(),
            Self::Diagram(arguments) => arguments.target().is_none(),
            Self::Stats(arguments) => arguments.html.is_none(),
            Self::Tune(arguments) => arguments.is_for_output(),
            Self::Weights(arguments) => arguments.pack().is_none(),
            // These have input to wait for, or processes to stop.
            Self::Board(_)
            | Self::Gtp(_)
            | Self::Gogui(_)
            | Self::Ugi(_)
            | Self::Play(_)
            | Self::Solve(_)
            | Self::Check(_)
            | Self::Study(_)
            | Self::Review(_)
            | Self::Puzzles(_)
            | Self::Transcript(_)
            | Self::Match(_) => false,
        }
    }
}

#[derive(Subcommand, Debug)]
enum BenchCommand {
    /// Play random games to their end, in one thread and without a search
    ///
    /// The last line of the output is `playouts/s` and the number.
    Playouts {
        /// Variant to play
        variant: String,

        /// Duration, in seconds
        #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
        seconds: Duration,

        /// Start position, quoted because it holds spaces [default: the start of the variant]
        #[arg(long)]
        position: Option<String>,
    },
}

fn protocol(text: &str) -> Result<Protocol, &'static str> {
    match text {
        "gtp" => Ok(Protocol::Gtp),
        "ugi" => Ok(Protocol::Ugi),
        _ => Err("a protocol is gtp or ugi"),
    }
}

/// Returns a parser of the numbers in a range; `expected` describes them.
fn number_in(range: RangeInclusive<f64>, expected: &'static str) -> impl Fn(&str) -> Result<f64, &'static str> + Clone {
    move |text| text.parse().ok().filter(|number| range.contains(number)).ok_or(expected)
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    number_in(0.01..=3600.0, "a number of seconds from 0.01 to 3600")(text).map(Duration::from_secs_f64)
}

/// Runs the command. `errors` opens standard error.
///
/// The streams have no type parameters: the commands are compiled with the library and not with each of its users.
pub fn run(cli: Cli, input: Stdin, mut output: Stdout, errors: fn() -> Stderr) -> ExitCode {
    let (live, log_errors) = (errors(), errors());
    let mut errors = errors();
    let done = match log_file::start(&cli, log_errors) {
        Ok(()) => start(cli, input, &mut output, &mut errors, live),
        Err(error) => Err(error),
    };
    done.unwrap_or_else(|error| error.report(&mut errors))
}

fn start(
    cli: Cli,
    input: impl Read + IsTerminal + Send + 'static,
    output: &mut impl Write,
    errors: &mut impl Write,
    live: impl Write + IsTerminal + Send + 'static,
) -> Result<ExitCode, CliError> {
    let clock = Arc::new(SystemClock::default());
    if let (Some(variant), Some(_)) = (&cli.variant, &cli.command) {
        return Err(CliError::Misplaced(variant.clone()));
    }
    let timed = !cli.reproducible;
    let done = |result: io::Result<()>| result.map(|()| ExitCode::SUCCESS).map_err(CliError::Io);
    let ends = StandardStreams::new();
    // Go on as long as the client reads, even if it has closed our input.
    let wanted = move |ended: bool| {
        let nobody = ends.output_is_gone() && (ended || ends.input_has_ended());
        !nobody
    };
    if cli.command.as_ref().is_some_and(Command::is_for_output) {
        end_with_output();
    }
    let mut begin = |arguments: Lazy<ProtocolArgs>, what: &str| {
        let ProtocolArgs { variant, options } = arguments.into_inner();
        let (mut session, refusal) = open_or_refuse(variant, clock.clone(), &input, errors)?;
        options.apply(&mut session)?;
        if refusal.is_none() {
            greet(&session, what, &input, errors)?;
        }
        Ok::<_, CliError>((session, refusal))
    };
    match cli.command {
        None => {
            if let Some(meant) = cli.variant.as_deref().and_then(meant_command) {
                return usage(meant);
            }
            let session = open(cli.variant, clock)?;
            let has_person = greet(&session, "GTP or UGI commands", &input, errors)?;
            let mut dialect = Detect::new(session);
            if has_person {
                let play = "To play, run pentalith play, or pentalith board for a browser; help says more.";
                writeln!(errors, "{play}")?;
                dialect = dialect.helping(TERMINAL_HELP);
            }
            done(serve_while(dialect, input, output, &wanted))
        }
        Some(Command::Board(arguments)) => board::board(arguments.into_inner(), output, errors),
        Some(Command::Gtp(arguments)) => {
            let (session, refusal) = begin(arguments, "GTP commands; list_commands lists them")?;
            match refusal {
                Some(why) => refused(Gtp::new(session).refusing(why), input, output),
                None => done(serve_while(Gtp::new(session), input, output, &wanted)),
            }
        }
        Some(Command::Gogui(arguments)) => {
            let (session, refusal) = begin(arguments, "GTP commands from GoGui; list_commands lists them")?;
            // GoGui reads live graphics of a running search from standard error.
            let gogui = Gogui::new(session, live);
            match refusal {
                Some(why) => refused(gogui.refusing(why), input, output),
                None => done(serve_while(gogui, input, output, &wanted)),
            }
        }
        Some(Command::Ugi(arguments)) => {
            let (session, refusal) = begin(arguments, "UGI commands; ugi lists the options")?;
            match refusal {
                Some(why) => refused(Ugi::refusing(session, why), input, output),
                None => done(serve_while(Ugi::new(session), input, output, &wanted)),
            }
        }
        Some(Command::Play(arguments)) => play::play(arguments.into_inner(), clock, input, output),
        Some(Command::Perft { variant, depth, position, divide, json, every_leaf, threads, hash }) => {
            let variant = games::parse_variant(&variant)?;
            let board = given_position::board(&variant, position.as_deref(), clock.clone())?;
            let perft = Perft {
                every_leaf,
                threads: threads.into(),
                memory: hash.map_or(0, |megabytes| (megabytes as usize) << 20),
            };
            let lines = if json {
                show::count_json(&*board, depth, &perft)
            } else {
                show::count(&*board, depth, divide, &perft, timed.then_some(&*clock))
            };
            done(writeln!(output, "{lines}"))
        }
        Some(Command::Analyze(arguments)) => {
            analyze::analyze(arguments.into_inner(), timed, clock, input, output, errors)
        }
        Some(Command::Balance(arguments)) => balance::balance(&arguments, &*clock, output, live),
        Some(Command::Solve(arguments)) => solve::solve(&arguments, timed, clock, output),
        Some(Command::Diagram(arguments)) => diagram::diagram(&arguments, clock, output),
        Some(Command::Completions { shell }) => completions::completions(shell, output).map(|()| ExitCode::SUCCESS),
        Some(Command::Man { folder }) => completions::man(&folder, output).map(|()| ExitCode::SUCCESS),
        Some(Command::Ladder(arguments)) => ladder::print_ladder(&arguments, &*clock, output, live),
        Some(Command::Games { json: false }) => done(show::games(output)),
        Some(Command::Games { json: true }) => done(show::games_json(output)),
        Some(Command::Legal(arguments)) => position::ask(Question::Legal, &arguments, clock, output),
        Some(Command::Score(arguments)) => position::ask(Question::Score, &arguments, clock, output),
        Some(Command::Position(arguments)) => position::ask(Question::Position, &arguments, clock, output),
        Some(Command::Bench { what: None }) => done(show::bench(&*clock, timed, output)),
        Some(Command::Bench { what: Some(BenchCommand::Playouts { variant, seconds, position }) }) => {
            if !timed {
                return usage(
                    "bench playouts measures speed, which changes from run to run: expected no --reproducible",
                );
            }
            let variant = games::parse_variant(&variant)?;
            let board = given_position::board(&variant, position.as_deref(), clock.clone())?;
            let position = Some(board.position());
            let benchmark = lab::PlayoutBenchmark { position, time: seconds, clock: &*clock };
            let (counts, time) = benchmark.run(&variant).ok_or(CliError::NotOpened(variant))??;
            done(show::playouts(&counts, time, output))
        }
        Some(Command::Match(arguments)) => tournament::play(arguments.into_inner(), &*clock, output, live, errors),
        Some(Command::Openings(arguments)) => openings::make_openings(&arguments, output, errors),
        Some(Command::Stats(arguments)) => stats::stats(&arguments, output, errors),
        Some(Command::Rate(arguments)) => rate::rate(&arguments, output, errors),
        Some(Command::Replay(arguments)) => replay::replay(&arguments, output, errors),
        Some(Command::Weights(arguments)) => weights::weights(&arguments, output),
        Some(Command::Tune(arguments)) => tune::tune(arguments.into_inner(), &*clock, output, live, errors),
        Some(Command::Transcript(arguments)) => transcript::transcript(arguments, input, output),
        Some(Command::Puzzles(arguments)) => puzzles::puzzles(&arguments, output, live),
        Some(Command::Review(arguments)) => review::review_games(&arguments, timed, output, live),
        Some(Command::Study(arguments)) => study::study(&arguments, &*clock, output, live, errors),
        Some(Command::Check(arguments)) => check::check(arguments.into_inner(), timed, output),
    }
}
