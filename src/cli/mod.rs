//! Floor 7: the command line.

mod ends;
mod log_file;
mod openings;
mod progress;
mod show;
mod signals;
mod talk;
mod tournament;
mod tune;
mod weights;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{CommandFactory, Parser, Subcommand};
use thiserror::Error;

use crate::arena::record::{FileGames, ReadError};
use crate::arena::tournament::MatchError;
use crate::check::{self, CheckError, Settings};
use crate::client::{self, Protocol};
use crate::games;
use crate::lab;
use crate::notation::VariantError;
use crate::protocol::{Detect, gogui::Gogui, gtp::Gtp, serve_while, ugi::Ugi};
use crate::rules::perft::Perft;
use crate::rules::{PositionErrors, Variant};
use crate::search::SystemClock;
use crate::text::{counted, quote};
use ends::{Ends, end_with_output};
use signals::stops;
use talk::{greet, open, open_or_refuse, refused};

const HELP: &str = "\
A VARIANT is a game, or a game with a size and options: invector, invector:5x4, markane:6x6,pie=on.
`pentalith games` shows what there is. Without a command it speaks UGI if the first line says `ugi`, else GTP. Try:

    printf 'showboard\\ngenmove b\\nlegal\\nquit\\n' | pentalith gtp invector:5x4";

/// An engine for new abstract board games, for GTP and UGI clients
///
/// It reads commands line by line on standard input and answers on standard output.
#[derive(Parser, Debug)]
#[command(version, after_help = HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    /// The game to begin with
    variant: Option<String>,

    /// Add a log of every line in and out to a file
    #[arg(long, value_name = "FILE", global = true)]
    log: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Speak GTP, version 2
    ///
    /// `list_commands` shows the commands. Answers begin with `=`, errors with `?`, and an empty line ends each.
    Gtp {
        /// The game to begin with
        variant: Option<String>,
    },

    /// Speak GTP for GoGui: one click a play
    ///
    /// GoGui starts this command line several times, so the game must stand on it.
    Gogui {
        /// The game
        variant: Option<String>,
    },

    /// Speak UGI, the protocol of chess engines for any game
    ///
    /// `ugi` shows the options; `position startpos`, `go movetime 1000` makes it find a move.
    Ugi {
        /// The game to begin with
        variant: Option<String>,
    },

    /// Count the sequences of DEPTH legal steps
    ///
    /// The usual check that two implementations of a game have the same rules. Prints the count, then the speed and
    /// how it was counted. Of the last steps it is enough to know how many there are; `--every-leaf` plays them.
    Perft {
        /// The game
        variant: String,

        /// How many steps
        #[arg(value_parser = clap::value_parser!(u32).range(0..=99))]
        depth: u32,

        /// Begin here instead of at the start; quote it, for it holds spaces
        #[arg(long)]
        position: Option<String>,

        /// Print the count behind each first step, too
        #[arg(long)]
        divide: bool,

        /// Play the last step of every sequence, too
        #[arg(long)]
        every_leaf: bool,

        /// How many threads count
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
        threads: u16,

        /// Keep counts of positions that are reached in several ways, in so many megabytes
        #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=65536))]
        hash: Option<u32>,
    },

    /// Show the games: names, authors, sizes and options
    Games,

    /// Search a fixed amount in every game and show node counts and speed
    ///
    /// The node counts are the same on every run and every machine. They change where the search behaves
    /// differently, so that a change that should only be faster can be told from one that plays other moves.
    Bench {
        #[command(subcommand)]
        what: Option<BenchCommand>,
    },

    /// Check whether an engine, anybody's and for any game, keeps to its protocol
    ///
    /// Prints a table of checks, and below each failure the lines that prove it: `>` to the engine, `<` from it,
    /// `!` its standard error. Status 0: nothing failed; 1: something did; 2: the engine can't be started.
    Check {
        /// What the engine speaks: gtp or ugi; without it that is found out
        #[arg(long, value_parser = protocol)]
        protocol: Option<Protocol>,

        /// What the engine plays, where it is one of our games: then our rules judge its moves
        #[arg(long)]
        variant: Option<String>,

        /// How long each answer may take
        #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
        timeout: Duration,

        /// Show the lines behind every check
        #[arg(long)]
        verbose: bool,

        /// The engine's command line
        #[arg(last = true, required = true, value_names = ["COMMAND", "ARGS"])]
        engine: Vec<OsString>,
    },

    /// Play engines against each other: ours, or anybody's that speak GTP or UGI
    ///
    /// The report goes to standard output, what happens on the way to standard error. Run again with the same record,
    /// a match goes on where it ended. Status 0: complete, or the SPRT has accepted H1; 3: an engine failed too often;
    /// 4: H0 is accepted; 5: the SPRT is undecided; 130: interrupted; 1 and 2 as ever.
    Match(Box<tournament::MatchArgs>),

    /// Make balanced random openings, or pick the even ones of played games, one a line
    Openings(openings::MakeOpeningsArgs),

    /// Show the statistics of records, of several files together
    Stats(tournament::StatsArgs),

    /// Check every move and result of a record by the rules, and show its positions
    Replay(tournament::ReplayArgs),

    /// Find the weights of a game's evaluation by games of the program against itself
    ///
    /// Prints them as the text of a table in the game's folder. How far it is goes to standard error.
    Tune(tune::TuneArgs),

    /// Print the weights of a game's evaluation, network and all, as text
    Weights(weights::WeightsArgs),
}

impl Command {
    /// Whether all that it does is to write to standard output, and it has no input by whose end it would know that
    /// nobody wants more.
    fn is_for_output(&self) -> bool {
        match self {
            Self::Perft { .. }
            | Self::Games
            | Self::Bench { .. }
            | Self::Openings(_)
            | Self::Stats(_)
            | Self::Replay(_) => true,
            Self::Tune(arguments) => arguments.is_for_output(),
            Self::Weights(arguments) => arguments.is_for_output(),
            // These have an input, or processes to end.
            Self::Gtp { .. }
            | Self::Gogui { .. }
            | Self::Ugi { .. }
            | Self::Check { .. }
            | Self::Match(_) => false,
        }
    }
}

#[derive(Subcommand, Debug)]
enum BenchCommand {
    /// Play games to their end at random, with one thread and without a search
    ///
    /// The last line is `playouts/s` and their number.
    Playouts {
        /// The game
        variant: String,

        /// For how long
        #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
        seconds: Duration,

        /// Begin here instead of at the start; quote it, for it holds spaces
        #[arg(long)]
        position: Option<String>,
    },
}

/// Why the program ended early.
#[derive(Error, Debug)]
enum CliError {
    #[error("bad variant: {0} (pentalith --help shows the commands)")]
    Variant(#[from] VariantError),
    #[error("bad position: {0}")]
    Position(#[from] PositionErrors),
    #[error("a variant stands behind the command: {0}")]
    Misplaced(String),
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    #[error("can't write to {}: {}", .0.display(), .1)]
    Log(PathBuf, io::Error),
    #[error("can't write to {}: {}", .0.display(), .1)]
    NotWritten(PathBuf, io::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0} of the checks failed")]
    ChecksFailed(usize),
    #[error(transparent)]
    Check(CheckError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Match(#[from] MatchError),
    #[error(transparent)]
    Record(#[from] ReadError),
}

/// The status of what was interrupted, as a shell says of a program that Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

impl CliError {
    /// 2 where nothing could begin: a command line, a file or an engine can't be used. 1 where something was done and
    /// failed then.
    fn status(&self) -> ExitCode {
        match self {
            Self::Check(CheckError::Interrupted) => ExitCode::from(INTERRUPTED),
            Self::Io(_)
            | Self::NotWritten(..)
            | Self::ChecksFailed(_)
            | Self::Record(ReadError::NotWritten(..))
            | Self::Match(
                MatchError::File(ReadError::NotWritten(..))
                | MatchError::Broken
                | MatchError::Thread(_),
            ) => ExitCode::FAILURE,
            _ => ExitCode::from(2),
        }
    }
}

/// The error of a command line that can't be used.
fn usage<T>(why: impl Into<String>) -> Result<T, CliError> {
    Err(CliError::Usage(why.into()))
}

impl Command {
    /// The files that it reads and writes.
    fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Match(arguments) => arguments.files().collect(),
            Self::Openings(arguments) => arguments.data.clone(),
            Self::Stats(arguments) => arguments.files.clone(),
            Self::Replay(arguments) => vec![arguments.file.clone()],
            Self::Tune(arguments) => arguments.files().cloned().collect(),
            Self::Weights(arguments) => arguments.files(),
            _ => Vec::new(),
        }
    }
}

impl From<CheckError> for CliError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Io(error) => Self::Io(error),
            error => Self::Check(error),
        }
    }
}

fn protocol(text: &str) -> Result<Protocol, &'static str> {
    match text {
        "gtp" => Ok(Protocol::Gtp),
        "ugi" => Ok(Protocol::Ugi),
        _ => Err("a protocol is gtp or ugi"),
    }
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().filter(|s| (0.01..=3600.0).contains(s));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or("a number of seconds from 0.01 to 3600")
}

/// Tells of records that end within a game, which is left out.
fn tell_of_cut(paths: &[PathBuf], files: &[FileGames], mut errors: impl Write) {
    for (path, file) in paths.iter().zip(files).filter(|(_, file)| file.is_cut) {
        let (path, games) = (
            path.display(),
            counted(file.games.len() as u64, "whole game"),
        );
        // Without standard error there is no one to tell.
        let _ = writeln!(
            errors,
            "pentalith: {path}: behind {games} one was not written to its end and is left out"
        );
    }
}

/// Reads the command line.
///
/// # Errors
/// Gives the status with which the program ends where there is nothing to do, once it has said why.
pub fn parse(
    words: impl IntoIterator<Item = OsString>,
    errors: &mut impl Write,
) -> Result<Cli, ExitCode> {
    let words: Vec<OsString> = words.into_iter().collect();
    Cli::try_parse_from(&words).map_err(|error| {
        let meant = first_word(&words)
            .filter(|_| error.use_stderr())
            .and_then(meant_command);
        // Without standard error there is no one to tell.
        let _ = match meant {
            Some(meant) => writeln!(errors, "pentalith: {meant}"),
            None => error.print(),
        };
        ExitCode::from(if error.use_stderr() { 2 } else { 0 })
    })
}

/// The first word behind the name of the program and options.
fn first_word(words: &[OsString]) -> Option<&str> {
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    loop {
        match words.next()? {
            "--log" => drop(words.next()),
            option if option.starts_with('-') => {}
            word => return Some(word),
        }
    }
}

/// Does what the command line asks for. `errors` opens standard error.
pub fn run<E: Write + IsTerminal + Send + 'static>(
    cli: Cli,
    input: impl Read + IsTerminal + Send + 'static,
    mut output: impl Write,
    errors: impl Fn() -> E,
) -> ExitCode {
    let (live, log_errors) = (errors(), errors());
    let mut errors = errors();
    let done = match log_file::start(&cli, log_errors) {
        Ok(()) => start(cli, input, &mut output, &mut errors, live),
        Err(error) => Err(error),
    };
    match done {
        Ok(status) => status,
        // Whoever read the output has seen enough.
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no one to tell.
            let _ = writeln!(errors, "pentalith: {error}");
            error.status()
        }
    }
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
    let talk = |done: io::Result<()>| done.map(|()| ExitCode::SUCCESS).map_err(CliError::Io);
    let ends = Ends::new();
    // A client that still listens is answered, whatever it does with our input.
    let wanted = move |ended: bool| {
        let nobody = ends.output_is_gone() && (ended || ends.input_has_ended());
        !nobody
    };
    if cli.command.as_ref().is_some_and(Command::is_for_output) {
        end_with_output();
    }
    match cli.command {
        None => {
            if let Some(meant) = cli.variant.as_deref().and_then(meant_command) {
                return usage(meant);
            }
            let session = open(cli.variant, clock)?;
            greet(&session, "commands of GTP or UGI", &input, errors)?;
            talk(serve_while(Detect::new(session), input, output, &wanted))
        }
        Some(Command::Gtp { variant }) => {
            let (session, refusal) = open_or_refuse(variant, clock, &input, errors)?;
            if let Some(why) = refusal {
                return refused(Gtp::new(session).refusing(why), input, output);
            }
            greet(
                &session,
                "GTP commands: list_commands shows them",
                &input,
                errors,
            )?;
            talk(serve_while(Gtp::new(session), input, output, &wanted))
        }
        Some(Command::Gogui { variant }) => {
            let (session, refusal) = open_or_refuse(variant, clock, &input, errors)?;
            if let Some(why) = refusal {
                return refused(Gogui::new(session, live).refusing(why), input, output);
            }
            greet(
                &session,
                "clicks by GTP: list_commands shows its commands",
                &input,
                errors,
            )?;
            // Pictures of a running search are the only thing besides logs that goes to standard error.
            talk(serve_while(
                Gogui::new(session, live),
                input,
                output,
                &wanted,
            ))
        }
        Some(Command::Ugi { variant }) => {
            let (session, refusal) = open_or_refuse(variant, clock, &input, errors)?;
            if let Some(why) = refusal {
                return refused(Ugi::refusing(session, why), input, output);
            }
            greet(
                &session,
                "UGI commands: ugi shows the options",
                &input,
                errors,
            )?;
            talk(serve_while(Ugi::new(session), input, output, &wanted))
        }
        Some(Command::Perft {
            variant,
            depth,
            position,
            divide,
            every_leaf,
            threads,
            hash,
        }) => {
            let variant = games::parse_variant(&variant)?;
            let mut board = games::open(&variant).ok_or(CliError::NotOpened(variant))?;
            if let Some(text) = position {
                board.set_position(&text)?;
            }
            let perft = Perft {
                every_leaf,
                threads: threads.into(),
                memory: hash.map_or(0, |megabytes| (megabytes as usize) << 20),
            };
            let lines = show::count(&*board, depth, divide, &perft, &*clock);
            talk(writeln!(output, "{lines}"))
        }
        Some(Command::Games) => talk(show::games(output)),
        Some(Command::Bench { what: None }) => talk(show::bench(&*clock, output)),
        Some(Command::Bench {
            what:
                Some(BenchCommand::Playouts {
                    variant,
                    seconds,
                    position,
                }),
        }) => {
            let variant = games::parse_variant(&variant)?;
            let play_out = lab::PlayOut {
                position,
                time: seconds,
                clock: &*clock,
            };
            let (counts, time) = play_out
                .run(&variant)
                .ok_or(CliError::NotOpened(variant))??;
            talk(show::playouts(&counts, time, output))
        }
        Some(Command::Match(arguments)) => tournament::play(*arguments, output, live, errors),
        Some(Command::Openings(arguments)) => openings::make_openings(&arguments, output, errors),
        Some(Command::Stats(arguments)) => tournament::stats(&arguments, output, errors),
        Some(Command::Replay(arguments)) => tournament::replay(&arguments, output),
        Some(Command::Weights(arguments)) => weights::weights(&arguments, output),
        Some(Command::Tune(arguments)) => tune::tune(arguments, &*clock, output, live, errors),
        Some(Command::Check {
            protocol,
            variant,
            timeout,
            verbose,
            engine,
        }) => {
            let variant = variant.as_deref().map(games::parse_variant).transpose()?;
            let settings = Settings {
                engine: client::Command::new(engine),
                protocol,
                variant,
                timeout,
                verbose,
                interrupt: {
                    let [interrupt] = stops(true);
                    interrupt
                },
            };
            match check::run(settings, output) {
                Ok(summary) => match summary.failed {
                    0 => Ok(ExitCode::SUCCESS),
                    failed => Err(CliError::ChecksFailed(failed)),
                },
                Err(CheckError::Interrupted) if Ends::new().output_is_gone() => {
                    Err(CliError::Io(io::ErrorKind::BrokenPipe.into()))
                }
                Err(error) => Err(error.into()),
            }
        }
    }
}

/// Which command somebody may have meant whose first word is neither a command nor a variant, but nearly a command.
fn meant_command(word: &str) -> Option<String> {
    if games::parse_variant(word).is_ok() {
        return None;
    }
    let lower = word.to_lowercase();
    let mut cli = Cli::command();
    // With it come the commands that clap itself adds.
    cli.build();
    if cli.find_subcommand(word).is_some() {
        return None;
    }
    let names = cli.get_subcommands().map(|command| command.get_name());
    // One letter in three may be wrong.
    let near = names
        .map(|name| (strsim::damerau_levenshtein(name, &lower), name))
        .filter(|(distance, name)| *distance <= name.len() / 3);
    let (_, meant) = near.min()?;
    Some(format!(
        "{} is no command and no variant: did you mean {}? (pentalith --help shows the commands)",
        quote(word),
        quote(meant)
    ))
}
