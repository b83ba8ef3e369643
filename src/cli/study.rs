//! The command `study`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::format::{Format, FormatArgs};
use super::progress::{Bar, with_time_left};
use super::signals::stop_flag;
use super::{CliError, INTERRUPTED, usage};
use crate::files;
use crate::games;
use crate::search::Clock;
use crate::statistics::Grid;
use crate::study::balance::{MAX_SEEDS, command};
use crate::study::figures::Study;
use crate::study::folder::{JSON, REPORT, Shard};
use crate::study::plan::{Request, Series, default_strengths};
use crate::study::pool::processors;
use crate::study::wording::strength_name;
use crate::study::{Run, RunEnd, RunProgress, Stage, results};
use crate::text::counted;

/// Maximum number of nodes per move.
const MAX_NODES: u64 = 1_000_000_000;

/// Maximum number of games at a strength.
const MAX_GAMES: u64 = 10_000_000;

/// Nodes in a unit of work, so that the sum of any study fits.
const UNIT: u64 = 100;

/// Columns of the table of other formats.
const COLUMNS: [(&str, &str); 7] = [
    ("strength", "/strength"),
    ("games", "/games"),
    ("score", "/first_mover/value"),
    ("low", "/first_mover/low"),
    ("high", "/first_mover/high"),
    ("draws", "/draws/value"),
    ("moves", "/moves/mean/value"),
];

#[derive(Args, Debug)]
pub(super) struct StudyArgs {
    /// Variant to study; --from-records takes it from the records
    #[arg(required_unless_present = "from_records")]
    variant: Option<String>,

    /// Strength in nodes per move, 0 for random play; with `:GAMES` also its number of games; may be repeated [default: 0,
    /// 32, 1024, 32768 and 262144]
    #[arg(long, value_name = "NODES[:GAMES]", value_parser = strength, conflicts_with = "from_records")]
    strength: Vec<(u64, Option<u64>)>,

    /// Number of games at each strength [default: 400 up to 1024 nodes, then 100, and 20 above 32768]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES), conflicts_with = "from_records")]
    games: Option<u64>,

    /// Random steps at the start of a game, continued until both players have had equally many random turns [default: 2]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=1000))]
    random_steps: Option<u32>,

    /// First turn of random steps; earlier turns are searched [default: 3 with the pie, else 1]
    #[arg(long, value_name = "TURN", value_parser = clap::value_parser!(u32).range(1..=1000))]
    random_from: Option<u32>,

    /// Number of games played at once, which changes no result [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,

    /// Seed of the random numbers; equal seeds give equal games [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Play only shard I of N; the same command without --shard then merges the shards of the folder
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with = "from_records")]
    shard: Option<Shard>,

    /// Folder of the records and results [default: study-, the variant, and the seed unless it is 1]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Play nothing: compute the results again from the records of the folder
    #[arg(long)]
    from_records: bool,

    /// Leave out the questions of balance: the fair komi, rules side by side, and the pie
    ///
    /// They are asked after the games, where the variant has a komi, a pie or rules that are worth comparing.
    #[arg(long, conflicts_with_all = ["from_records", "shard"])]
    no_balance: bool,

    /// Number of seeds of the games for the fair komi, from --seed on; their answers are pooled
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_SEEDS), conflicts_with_all = ["from_records", "shard", "no_balance"])]
    seeds: u64,

    #[command(flatten)]
    format: FormatArgs,

    /// Show no progress
    #[arg(long)]
    quiet: bool,
}

fn strength(text: &str) -> Result<(u64, Option<u64>), String> {
    let wrong = || format!("expected nodes from 0 to {MAX_NODES}, or NODES:GAMES as in 1024:100");
    let (nodes, games) = match text.split_once(':') {
        None => (text, None),
        Some((nodes, games)) => (nodes, Some(games)),
    };
    let number = |text: &str, least: u64, most: u64| {
        let number = text.parse::<u64>().ok();
        number.filter(|number| (least..=most).contains(number)).ok_or_else(wrong)
    };
    let games = games.map(|games| number(games, 1, MAX_GAMES)).transpose()?;
    Ok((number(nodes, 0, MAX_NODES)?, games))
}

fn shard(text: &str) -> Result<Shard, &'static str> {
    let read = text.split_once('/').and_then(|(number, of)| {
        let (number, of) = (number.parse().ok()?, of.parse().ok()?);
        (number >= 1 && number <= of).then_some(Shard { number, of })
    });
    read.ok_or("expected I/N with I from 1 to N, as in 1/4")
}

impl StudyArgs {
    fn request(&self) -> Result<Request, CliError> {
        let mut seen = Vec::new();
        for (nodes, _) in &self.strength {
            if seen.contains(nodes) {
                return usage(format!("--strength {nodes} is given twice: expected each strength once"));
            }
            seen.push(*nodes);
        }
        let variant = self.variant.as_deref().map(games::parse_variant).transpose()?;
        Ok(Request {
            variant,
            strengths: if self.strength.is_empty() && !self.from_records {
                default_strengths(self.games)
            } else {
                self.strength.clone()
            },
            games: self.games,
            random_steps: self.random_steps,
            random_from: self.random_from,
            seed: self.seed,
        })
    }

    fn folder(&self, request: &Request) -> Result<PathBuf, CliError> {
        match (&self.out, &request.variant) {
            (Some(folder), _) if folder.as_os_str() == files::STANDARD => {
                usage("--out - can't be standard output: a study is a folder, as in --out study")
            }
            (Some(folder), _) => Ok(folder.clone()),
            (None, Some(variant)) => {
                let name: String = variant.to_string().replace([':', ',', '='], "-");
                // The studies of several seeds are kept apart.
                let seed = self.seed.filter(|&seed| seed != 1);
                let seed = seed.map(|seed| format!("-seed-{seed}")).unwrap_or_default();
                Ok(PathBuf::from(format!("study-{name}{seed}")))
            }
            (None, None) => usage("--from-records needs to know where: expected a variant, or --out FOLDER"),
        }
    }
}

/// Plays what is missing of a study, and writes its results.
pub(super) fn study<E: Write + IsTerminal>(
    arguments: &StudyArgs,
    clock: &dyn Clock,
    output: &mut impl Write,
    errors: E,
    mut live: impl Write,
) -> Result<ExitCode, CliError> {
    let request = arguments.request()?;
    let folder = arguments.folder(&request)?;
    let mut warn = |path: &Path| {
        // Standard error may be closed.
        let _ = writeln!(live, "pentalith: {}: its last game is incomplete and is left out", path.display());
    };
    if arguments.from_records {
        let study = results(&folder, &request, clock, &mut warn)?;
        return print_answers(&study, &folder, arguments.format.format(), output);
    }
    let stop = stop_flag();
    let run = Run {
        request: &request,
        folder: &folder,
        shard: arguments.shard,
        threads: arguments.threads.map_or_else(processors, usize::from),
        balance: (!arguments.no_balance).then_some(arguments.seeds),
    };
    let is_terminal = errors.is_terminal();
    let mut bar = Bar::new(errors, is_terminal && !arguments.quiet);
    let played = run.play(&stop, clock, &mut |progress| {
        if !arguments.quiet {
            show(&mut bar, progress);
        }
        true
    });
    bar.end();
    let (plan, end) = played?;
    let shown = folder.display();
    if end == RunEnd::Stopped {
        let _ =
            writeln!(live, "pentalith: interrupted; finished games are kept in {shown}, and the same command resumes");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if let Some(Shard { number, of }) = arguments.shard {
        writeln!(
            output,
            "shard {number}/{of} of {} is complete in {shown}; when all shards are there, merge them with\n{} --out {}",
            plan.variant,
            command(&plan, (!arguments.no_balance).then_some(1)),
            shlex::try_quote(&shown.to_string()).unwrap_or_default()
        )?;
        output.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let study = results(&folder, &request, clock, &mut warn)?;
    print_answers(&study, &folder, arguments.format.format(), output)
}

fn show<E: Write>(bar: &mut Bar<E>, progress: RunProgress) {
    let RunProgress { games, played, stage, done, left, elapsed } = progress;
    let message = || {
        let (question, nodes) = match &stage {
            Stage::Games(part) => match part.series {
                Series::Play => (String::new(), part.nodes),
                Series::Mirroring => ("mirroring: ".to_owned(), part.nodes),
            },
            Stage::Question(question, nodes) => (format!("{question}: "), *nodes),
        };
        let work = format!("{question}{}", strength_name(nodes));
        match stage {
            Stage::Games(_) => with_time_left(work, done.div_ceil(UNIT), elapsed, left / UNIT, false),
            Stage::Question(..) => with_time_left(work, done, elapsed, left, true),
        }
    };
    bar.show(played, games, message);
}

/// Prints the answers and the scores.
fn print_answers(study: &Study, folder: &Path, format: Format, output: &mut impl Write) -> Result<ExitCode, CliError> {
    let grid = || Grid::of_rows(&COLUMNS, &study.strengths);
    match format {
        Format::Text => {}
        Format::Json => write!(output, "{}", study.json())?,
        Format::Csv => write!(output, "{}", grid().csv())?,
        Format::Markdown => {
            let mut grid = grid();
            grid.caption = study.summary.join(" ");
            write!(output, "{}", grid.markdown())?;
        }
    }
    if format != Format::Text {
        output.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let games: u64 = study.strengths.iter().map(|figures| figures.games).sum();
    writeln!(output, "{}: {}\n", study.variant, counted(games, "game"))?;
    for sentence in &study.summary {
        writeln!(output, "{sentence}")?;
    }
    writeln!(
        output,
        "\n{:>9}  {:>6}  {:>11}  {:>16}  {:>7}  {:>6}",
        "nodes", "games", "first mover", "95 % interval", "draws", "moves"
    )?;
    for figures in &study.strengths {
        let score = &figures.first_mover.estimate;
        let interval = format!("{:.1} to {:.1} %", 100.0 * score.low, 100.0 * score.high);
        writeln!(
            output,
            "{:>9}  {:>6}  {:>9.1} %  {interval:>16}  {:>5.1} %  {:>6.1}",
            figures.strength,
            figures.games,
            100.0 * score.value,
            100.0 * figures.draws.value,
            figures.moves.mean.value
        )?;
    }
    writeln!(output, "\n{}", folder.join(JSON).display())?;
    writeln!(output, "{}", folder.join(REPORT).display())?;
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
