//! The command `match`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::openings::OpeningArgs;
use super::progress::Progress;
use super::{CliError, INTERRUPTED, seconds, stops, usage};
use crate::arena::tournament::{
    self, Conditions, Ending, Engine, For, Interrupts, Match, Part, Resignation, TimeControl, TournamentFormat,
    read_engines,
};
use crate::files;
use crate::games;
use crate::search::Clock;
use crate::statistics::{Decision, Sprt};
use crate::text::quote;

/// Exit statuses of `match` beside success and errors.
const TOO_MANY_FAILURES: u8 = 3;
pub(super) const ACCEPTED_H0: u8 = 4;
pub(super) const UNDECIDED: u8 = 5;

#[derive(Args, Debug)]
pub struct MatchArgs {
    /// Variant to play
    variant: String,

    /// Engine: NAME=best, NAME=uct:Threads=2,Hash=64, or NAME=[gtp:|ugi:]COMMAND LINE; or the NAME of one of --engines
    #[arg(long = "engine", value_name = "NAME=ENGINE", required_unless_present = "engine_file")]
    engines: Vec<String>,

    /// File of engines, as TOML: tables [[engine]] with name, command, protocol, folder, environment, options, and
    /// movetime, tc or nodes; without --engine all of them play
    #[arg(long = "engines", value_name = "FILE")]
    engine_file: Option<PathBuf>,

    /// Option of one engine, or of all
    #[arg(long = "option", value_name = "[ENGINE:]NAME=VALUE", value_parser = For::option)]
    options: Vec<For<(String, String)>>,

    /// Number of games between any two engines that meet
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// Time per move, in milliseconds [default: 1000 if there is no other limit]
    #[arg(long, value_name = "[ENGINE:]MS", value_parser = For::move_time)]
    movetime: Vec<For<TimeControl>>,

    /// Time per game and increment per move, as seconds or minutes:seconds
    #[arg(long, value_name = "[ENGINE:][MINUTES:]SECONDS+INCREMENT", value_parser = For::clock)]
    tc: Vec<For<TimeControl>>,

    /// Nodes per move
    #[arg(long, value_name = "[ENGINE:]N", value_parser = For::nodes)]
    nodes: Vec<For<TimeControl>>,

    /// Number of games played at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    /// Seed of the random openings and the engines
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    #[command(flatten)]
    openings: OpeningArgs,

    /// Play each opening once, instead of twice with seats exchanged
    #[arg(long)]
    no_pairs: bool,

    /// Pairing of the engines; in a gauntlet the first engine meets all others
    #[arg(long, value_enum, default_value = "round-robin")]
    format: FormatArg,

    /// Stop when a sequential test has decided between an Elo difference of ELO0 and one of ELO1
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Save the games to a file; if it exists, resume its match
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Save the games as JSON, one object per line
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Folder for the transcripts of failed games [default: RECORD.failures, if there is a record]
    #[arg(long, value_name = "FOLDER")]
    failures: Option<PathBuf>,

    /// Play part I of N of the schedule
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Part>,

    /// Play only this game of the schedule, without a record
    #[arg(long, value_name = "GAME")]
    only: Option<u64>,

    /// Adjudicate a draw after N moves of both players together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_moves: Option<u64>,

    /// Adjudicate a loss after MOVES moves in a row in which both engines score it at CENTIPAWNS or more
    #[arg(long, value_name = "CENTIPAWNS,MOVES", value_parser = Resignation::parse)]
    resign: Option<Resignation>,

    /// Grace period after the time limit, in milliseconds
    #[arg(long, value_name = "MS", default_value = "200")]
    time_margin: u32,

    /// Time limit for answers that need no search, and grace period before an engine counts as stalled
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// Time limit for a move that is limited by nodes
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    move_timeout: Duration,

    /// End the match after N failed games of one engine in a row
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    max_failures: u32,

    /// Print a line for each finished game: players, result, cause, reason and length
    #[arg(long, conflicts_with = "quiet")]
    verbose: bool,

    /// Print only the report
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum FormatArg {
    RoundRobin,
    Gauntlet,
}

fn shard(text: &str) -> Result<Part, &'static str> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    parts
        .filter(|&(number, of)| (1..=of).contains(&number))
        .map(|(number, of)| Part::Shard { number, of })
        .ok_or("a part is I/N, with I from 1 to N")
}

impl MatchArgs {
    /// Returns the engines that are given, and those that are chosen from the file.
    fn given(&self) -> Result<Vec<(Engine, Option<TimeControl>)>, CliError> {
        let known = self.engine_file.as_deref().map(read_engines).transpose();
        let known = known.or_else(usage)?;
        if self.engines.is_empty() {
            return Ok(known.unwrap_or_default());
        }
        let given = self.engines.iter().map(|text| {
            if !text.contains('=')
                && let Some(known) = &known
            {
                let named = known.iter().find(|(engine, _)| engine.name == *text);
                let names = || known.iter().map(|(engine, _)| engine.name.as_str()).collect::<Vec<_>>().join(", ");
                return match named {
                    Some(engine) => Ok(engine.clone()),
                    None => usage(format!("--engine {}: the file of engines has {}", quote(text), names())),
                };
            }
            match text.parse::<Engine>() {
                Ok(engine) => Ok((engine, None)),
                Err(error) => usage(format!("--engine {error}")),
            }
        });
        given.collect()
    }

    /// Returns the engines with their options and limits.
    fn players(&self) -> Result<Vec<Engine>, CliError> {
        let given = self.given()?;
        let own: Vec<Option<TimeControl>> = given.iter().map(|(_, limit)| *limit).collect();
        let mut engines: Vec<Engine> = given.into_iter().map(|(engine, _)| engine).collect();
        if engines.len() < 2 {
            return usage("a match needs two engines or more: expected --engine NAME=ENGINE --engine NAME=ENGINE");
        }
        for (i, engine) in engines.iter().enumerate() {
            let before = engines.iter().take(i);
            if before.into_iter().any(|other| other.name == engine.name) {
                return usage(format!("two engines are called {}: expected different names", quote(&engine.name)));
            }
        }
        let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
        let limits = self.movetime.iter().chain(&self.tc).chain(&self.nodes);
        let limits: Vec<&For<TimeControl>> = limits.collect();
        let named = limits.iter().map(|limit| (&limit.engine, &limit.text));
        let options = self.options.iter();
        for (name, text) in named.chain(options.map(|option| (&option.engine, &option.text))) {
            if let Some(name) = name
                && !names.contains(name)
            {
                // A name of digits may be meant as hours.
                let clock = if name.chars().all(|c| c.is_ascii_digit()) {
                    "; a clock is SECONDS+INCREMENT or MINUTES:SECONDS+INCREMENT"
                } else {
                    ""
                };
                return usage(format!(
                    "{}: no engine is called {}: there are {}{clock}",
                    quote(text),
                    quote(name),
                    names.join(", ")
                ));
            }
        }
        for clock in &self.tc {
            if let Some(name) = clock.perhaps.as_ref().filter(|name| names.contains(name)) {
                let (clock, text) = (&clock.what, quote(&clock.text));
                return usage(format!(
                    "--tc {text} may be minutes, or a clock of the engine {name}: expected seconds for {clock}, or \
                     minutes:seconds behind {name}:"
                ));
            }
        }
        for (engine, of_file) in engines.iter_mut().zip(own) {
            let mut own = Vec::new();
            for option in &self.options {
                if option.engine.as_ref().is_none_or(|name| *name == engine.name) {
                    own.push(option.what.clone());
                }
            }
            // The engine's own options come last and win.
            own.append(&mut engine.options);
            engine.options = own;
            if let Some((name, value)) = engine.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("variant")) {
                let (set, variant) = (quote(&format!("{name}={value}")), &self.variant);
                return usage(format!(
                    "{}: the option {set} would set another variant than the match: expected the variant once, in the \
                     place of {variant}",
                    engine.name
                ));
            }
            engine.limit = of_file.unwrap_or(engine.limit);
            for scope in [None, Some(&engine.name)] {
                let mut said = limits.iter().filter(|limit| limit.engine.as_ref() == scope);
                let Some(limit) = said.next() else { continue };
                if let Some(other) = said.next() {
                    return usage(format!("{} has two limits: {} and {}", engine.name, limit.what, other.what));
                }
                // A limit for all is that of the engines that have none in the file.
                if scope.is_some() || of_file.is_none() {
                    engine.limit = limit.what;
                }
            }
        }
        Ok(engines)
    }

    fn setup(self) -> Result<Match, CliError> {
        let variant = games::parse_variant(&self.variant)?;
        let engines = self.players()?;
        if self.sprt.is_some() && engines.len() != 2 {
            return usage("--sprt compares two engines: expected two --engine, or the NAMES of two of the file");
        }
        if self.sprt.is_some() && self.shard.is_some() {
            return usage("--sprt needs all games in one place: play the shards without it, then run stats --sprt");
        }
        if self.sprt.is_some() && self.no_pairs {
            return usage("--sprt counts pairs: it can't be --no-pairs");
        }
        if let (Some(record), Some(json)) = (&self.record, &self.json)
            && files::is_same(record, json)
        {
            return usage("--record and --json name the same file: expected two files");
        }
        let openings = self.openings.source(&variant)?;
        let part = match self.only {
            Some(game) => Part::Only(game),
            None => self.shard.unwrap_or_default(),
        };
        let kept = self.only.is_none();
        let failures = self.failures.or_else(|| {
            let record = self.record.as_ref().or(self.json.as_ref());
            let mut name = record?.clone().into_os_string();
            name.push(".failures");
            Some(PathBuf::from(name))
        });
        Ok(Match {
            engines,
            conditions: Conditions {
                variant,
                time_margin: Duration::from_millis(self.time_margin.into()),
                timeout: self.timeout,
                move_timeout: self.move_timeout,
                max_moves: self.max_moves,
                resignation: self.resign,
            },
            format: match self.format {
                FormatArg::RoundRobin => TournamentFormat::RoundRobin,
                FormatArg::Gauntlet => TournamentFormat::Gauntlet,
            },
            games: self.games,
            paired: !self.no_pairs,
            part,
            seed: self.seed,
            openings,
            concurrency: self.concurrency.into(),
            sprt: self.sprt.filter(|_| kept),
            record: self.record.filter(|_| kept),
            json: self.json.filter(|_| kept),
            failures: failures.filter(|_| kept),
            command: command(),
            max_failures: self.max_failures,
        })
    }
}

/// Returns this command line in two parts, between which another option can be inserted.
fn command() -> [String; 2] {
    let quoted = |text: &str| shlex::try_quote(text).map_or_else(|_| text.to_owned(), |quoted| quoted.into_owned());
    let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
    let words: Vec<String> = words.collect();
    // Options end at `--`.
    let end = words.iter().position(|word| word == "--");
    let (options, rest) = words.split_at(end.unwrap_or(words.len()));
    let mut before = options.join(" ");
    if let Ok(folder) = std::env::current_dir() {
        before = format!("cd {} && {before}", quoted(&folder.to_string_lossy()));
    }
    [before, rest.iter().map(|word| format!(" {word}")).collect()]
}

/// Plays a match and prints its statistics.
pub fn play<E: Write + IsTerminal>(
    arguments: MatchArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
    mut live: impl Write,
) -> Result<ExitCode, CliError> {
    let (quiet, verbose) = (arguments.quiet, arguments.verbose);
    let setup = arguments.setup()?;
    let tested = setup.sprt.is_some();
    if let Part::Only(game) = setup.part
        && setup.schedule().is_empty()
    {
        return usage(format!("--only {game}: the schedule has no such game"));
    }
    let is_terminal = errors.is_terminal();
    let mut progress = Progress::new(errors, is_terminal && !quiet, verbose);
    // Without a record or a failures folder, games are played for the report alone.
    let kept = setup.record.is_some() || setup.json.is_some() || setup.failures.is_some();
    let [finish, abort] = stops(!kept);
    let interrupts = Interrupts { finish, abort };
    let played = tournament::run(setup, clock, &interrupts, &mut |news, state| {
        if !quiet {
            progress.show(&news, state);
        }
    });
    progress.end();
    let (statistics, ending) = played?;
    write!(output, "{statistics}")?;
    output.flush()?;
    let status = match &ending {
        Ending::Complete if tested => UNDECIDED,
        Ending::Complete | Ending::Decided(Decision::H1) => 0,
        Ending::Decided(Decision::H0) => ACCEPTED_H0,
        Ending::TooManyFailures { name, cause, why } => {
            // Standard error may be closed.
            let _ = writeln!(live, "pentalith: {name} failed too often; the last time: {cause}: {why}");
            TOO_MANY_FAILURES
        }
        Ending::Interrupted { aborted } => {
            let _ = writeln!(
                live,
                "pentalith: interrupted; {} aborted",
                match aborted {
                    1 => "1 running game was".to_owned(),
                    _ => format!("{aborted} running games were"),
                }
            );
            INTERRUPTED
        }
    };
    Ok(ExitCode::from(status))
}
