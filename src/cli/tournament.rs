//! The commands for matches: `match`, `stats`, `replay`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::openings::OpeningArgs;
use super::progress::Progress;
use super::{CliError, INTERRUPTED, seconds, stops, tell_of_cut, usage};
use crate::arena::record::{GameRecord, read_files};
use crate::arena::replay::Replay;
use crate::arena::statistics::{Decision, Sprt, Statistics};
use crate::arena::tournament::{
    self, Conditions, Ending, Engine, For, Interrupts, Match, Part, Resignation, TimeControl,
    TournamentFormat,
};
use crate::files;
use crate::games;
use crate::text::{counted, quote};

/// The statuses of `match` that are neither success nor an error.
const GAVE_UP: u8 = 3;
const ACCEPTED_H0: u8 = 4;
const UNDECIDED: u8 = 5;

#[derive(Args, Debug)]
pub struct MatchArgs {
    /// What is played
    variant: String,

    /// A player: NAME=uct, NAME=best:Threads=2,Hash=64, or NAME=[gtp:|ugi:]COMMAND LINE
    #[arg(long = "engine", value_name = "NAME=ENGINE", required = true, value_parser = str::parse::<Engine>)]
    engines: Vec<Engine>,

    /// An option of one engine, or of all
    #[arg(long = "option", value_name = "[ENGINE:]NAME=VALUE", value_parser = For::option)]
    options: Vec<For<(String, String)>>,

    /// How many games every two engines that meet play
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: u64,

    /// The time for each move; 1000 where no limit is said
    #[arg(long, value_name = "[ENGINE:]MS", value_parser = For::move_time)]
    movetime: Vec<For<TimeControl>>,

    /// A clock for each game, in seconds or minutes:seconds, and what is added before the first move and after each one
    #[arg(long, value_name = "[ENGINE:][MINUTES:]SECONDS+INCREMENT", value_parser = For::clock)]
    tc: Vec<For<TimeControl>>,

    /// The nodes for each move, in any time
    #[arg(long, value_name = "[ENGINE:]N", value_parser = For::nodes)]
    nodes: Vec<For<TimeControl>>,

    /// How many games are played at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,

    /// What openings and the engines' random numbers begin with
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    #[command(flatten)]
    openings: OpeningArgs,

    /// Give every game an opening of its own, instead of playing each twice with seats exchanged
    #[arg(long)]
    no_pairs: bool,

    /// Who meets whom; in a gauntlet the first engine meets all others
    #[arg(long, value_enum, default_value = "round-robin")]
    format: FormatArg,

    /// Stop when it is sure enough that the first engine is stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Keep the games in a file; where it exists, go on with its match
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Keep them as JSON, one object a line
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Keep what is left of failed games here [default: RECORD.failures]
    #[arg(long, value_name = "FOLDER")]
    failures: Option<PathBuf>,

    /// Play the I-th of N parts of the schedule
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Part>,

    /// Play one game of the schedule again, without a record
    #[arg(long, value_name = "GAME")]
    only: Option<u64>,

    /// Call a game a draw after so many moves of both players
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_moves: Option<u64>,

    /// Call a game lost for who has seen itself so far behind in so many of its moves in a row, its opponent itself so far ahead
    #[arg(long, value_name = "CENTIPAWNS,MOVES", value_parser = Resignation::parse)]
    resign: Option<Resignation>,

    /// How much longer than its limit a move may take
    #[arg(long, value_name = "MS", default_value = "200")]
    time_margin: u32,

    /// How long an engine may stay silent that should have answered
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// How long a move that is limited in nodes may take
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    move_timeout: Duration,

    /// End the match when an engine has failed in so many games in a row
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    max_failures: u32,

    /// Show nothing but the report
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum FormatArg {
    RoundRobin,
    Gauntlet,
}

#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Files of records, as text or as JSON
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// Also test whether the first engine is stronger by ELO0 or by ELO1
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", value_parser = Sprt::parse, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
}

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A file of records, as text or as JSON
    pub(super) file: PathBuf,

    /// Only the game of this number
    #[arg(long, value_name = "N")]
    game: Option<u64>,

    /// Print the position behind every move
    #[arg(long)]
    positions: bool,

    /// Draw it
    #[arg(long, conflicts_with = "positions")]
    diagrams: bool,
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
    /// The files that are read or written.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let records = self.record.iter().chain(&self.json).cloned();
        records.chain(self.openings.file())
    }

    /// The engines with their options and limits.
    fn players(&self) -> Result<Vec<Engine>, CliError> {
        let mut engines = self.engines.clone();
        if engines.len() < 2 {
            return usage("a match needs two engines: --engine NAME=ENGINE --engine NAME=ENGINE");
        }
        for (i, engine) in engines.iter().enumerate() {
            let before = engines.iter().take(i);
            if before.into_iter().any(|other| other.name == engine.name) {
                return usage(format!("two engines are called {}", quote(&engine.name)));
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
                // Digits may be meant for hours.
                let clock = match name.chars().all(|c| c.is_ascii_digit()) {
                    true => "; a clock is SECONDS+INCREMENT or MINUTES:SECONDS+INCREMENT",
                    false => "",
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
        for engine in &mut engines {
            let mut own = Vec::new();
            for option in &self.options {
                if option
                    .engine
                    .as_ref()
                    .is_none_or(|name| *name == engine.name)
                {
                    own.push(option.what.clone());
                }
            }
            // What is said with the engine itself comes last.
            own.append(&mut engine.options);
            engine.options = own;
            for scope in [None, Some(&engine.name)] {
                let mut said = limits.iter().filter(|limit| limit.engine.as_ref() == scope);
                let Some(limit) = said.next() else { continue };
                if let Some(other) = said.next() {
                    return usage(format!(
                        "{} has two limits: {} and {}",
                        engine.name, limit.what, other.what
                    ));
                }
                engine.limit = limit.what;
            }
        }
        Ok(engines)
    }

    fn setup(self) -> Result<Match, CliError> {
        let variant = games::parse_variant(&self.variant)?;
        let engines = self.players()?;
        if self.sprt.is_some() && engines.len() != 2 {
            return usage("--sprt compares two engines");
        }
        if self.sprt.is_some() && self.shard.is_some() {
            return usage(
                "--sprt needs all games at one place: play the parts without it, then stats --sprt",
            );
        }
        if self.sprt.is_some() && self.no_pairs {
            return usage("--sprt counts pairs: it can't be --no-pairs");
        }
        if let (Some(record), Some(json)) = (&self.record, &self.json)
            && files::is_same(record, json)
        {
            return usage(
                "--record and --json are two files: expected another one for one of them",
            );
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

/// The present command line, from the present folder: up to where another option may stand, and the rest.
fn command() -> [String; 2] {
    let quoted = |text: &str| {
        shlex::try_quote(text).map_or_else(|_| text.to_owned(), |quoted| quoted.into_owned())
    };
    let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
    let words: Vec<String> = words.collect();
    // Behind `--` there are no options.
    let end = words.iter().position(|word| word == "--");
    let (options, rest) = words.split_at(end.unwrap_or(words.len()));
    let mut before = options.join(" ");
    if let Ok(folder) = std::env::current_dir() {
        before = format!("cd {} && {before}", quoted(&folder.to_string_lossy()));
    }
    [before, rest.iter().map(|word| format!(" {word}")).collect()]
}

/// Plays a match, and prints its statistics.
pub fn play<E: Write + IsTerminal>(
    arguments: MatchArgs,
    output: &mut impl Write,
    errors: E,
    mut live: impl Write,
) -> Result<ExitCode, CliError> {
    let quiet = arguments.quiet;
    let setup = arguments.setup()?;
    let tested = setup.sprt.is_some();
    if let Part::Only(game) = setup.part
        && setup.schedule().is_empty()
    {
        return usage(format!("--only {game}: there is no such game"));
    }
    let is_terminal = errors.is_terminal();
    let mut progress = Progress::new(errors, is_terminal && !quiet);
    // A report that nobody reads is not worth games; a record is, and what failed games leave.
    let kept = setup.record.is_some() || setup.json.is_some() || setup.failures.is_some();
    let [finish, abort] = stops(!kept);
    let interrupts = Interrupts { finish, abort };
    let played = tournament::run(setup, &interrupts, &mut |news, state| {
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
            // Without standard error there is no one to tell.
            let _ = writeln!(
                live,
                "pentalith: {name} failed too often; the last time: {cause}: {why}"
            );
            GAVE_UP
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

/// Prints the statistics of records.
pub fn stats(
    arguments: &StatsArgs,
    output: &mut impl Write,
    errors: impl Write,
) -> Result<ExitCode, CliError> {
    let files = read_files(&arguments.files)?;
    tell_of_cut(&arguments.files, &files, errors);
    let games = files.into_iter().map(|file| file.games).collect();
    let statistics = Statistics::of(games, arguments.sprt)?;
    let variants = statistics.variants();
    let are_paired =
        !variants.is_empty() && variants.iter().all(|(_, tally)| tally.is_paired_match());
    if arguments.sprt.is_some() && !are_paired {
        return usage(
            "--sprt compares two engines by pairs of games: expected records of one match that have them",
        );
    }
    write!(output, "{statistics}")?;
    Ok(ExitCode::from(
        match (arguments.sprt, statistics.decision()) {
            (None, _) | (_, Some(Decision::H1)) => 0,
            (Some(_), Some(Decision::H0)) => ACCEPTED_H0,
            (Some(_), None) => UNDECIDED,
        },
    ))
}

/// Plays the games of a record again, and says what is wrong with them.
pub fn replay(arguments: &ReplayArgs, output: &mut impl Write) -> Result<ExitCode, CliError> {
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
    let mut replay = Replay::default();
    let (mut moves, mut wrong) = (0, 0);
    for game in &games {
        moves += game.moves.len();
        let checked = replay_one(&mut replay, game, arguments, output)?;
        if let Err(why) = checked {
            wrong += 1;
            writeln!(output, "game {}: {why}", game.game)?;
        }
    }
    let all = format!(
        "{}, {}",
        counted(games.len() as u64, "game"),
        counted(moves as u64, "move")
    );
    match wrong {
        0 if is_cut => writeln!(
            output,
            "{all}: all as the rules say, but one more was not written to its end"
        )?,
        0 => writeln!(output, "{all}: all as the rules say")?,
        _ => writeln!(
            output,
            "{all}: {} not as the rules say",
            counted(wrong, "game")
        )?,
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
        writeln!(
            output,
            "game {}: {}, Black {black}, White {white}",
            game.game, game.variant
        )?;
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
