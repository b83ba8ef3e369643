//! Runs a study: plays what is missing in its folder.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::balance::{Answers, Asked, BalanceError, Kept, Runner, answer, check_kept, questions};
use super::figures::Study;
use super::folder::{BALANCE, Folder, JSON, REPORT, Shard, StudyError};
use super::ledger::Ledger;
use super::plan::{Part, Plan, Series, Wish};
use super::player::{self, Conditions, Job, MAX_REPEATED, PlayEnd, PlayEvent};
use super::report;
use crate::files;
use crate::search::Clock;

/// Cost of a move beside its search, in nodes.
const OVERHEAD: u64 = 200;

/// A study to be played.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The study that is asked for.
    pub wish: &'a Wish,
    /// The folder, which is created if there is none.
    pub folder: &'a Path,
    /// The part of the games to be played; `None` for all.
    pub shard: Option<Shard>,
    /// Number of games played at once.
    pub threads: usize,
    /// True to ask the questions of balance that fit the variant, once the games are complete.
    pub balance: bool,
}

/// A part of a study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Games of the study; the part of the next one.
    Games(Part),
    /// Games of a question of balance, by its name, at a strength.
    Question(String, u64),
}

/// Progress of a study.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// Number of games of the study or of the shard, or largest number of those of a question.
    pub games: u64,
    /// Number of games that are there, from earlier runs or from this one.
    pub played: u64,
    /// The part that is being played.
    pub stage: Stage,
    /// Share of the work of this run that is done, in units of about a node.
    pub done: u64,
    /// Rest of the work of this run.
    pub left: u64,
    /// Time since the first game of this run, or of the question, began.
    pub elapsed: Duration,
}

/// End of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// All games are there.
    Complete,
    /// It was stopped. Games that have ended are kept.
    Stopped,
}

impl Run<'_> {
    /// Plays the games that are missing. `watch` is told the progress, and returns false to stop.
    ///
    /// # Errors
    /// If the folder is no study's or another one's, or can't be written to. Games that have ended are kept.
    pub fn play(
        &self,
        stop: &AtomicBool,
        clock: &dyn Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(Plan, RunEnd), StudyError> {
        let folder = Folder::read(self.folder)?;
        let plan = folder.plan(self.wish)?.ok_or_else(|| StudyError::Empty(self.folder.to_owned()))?;
        repeat(&folder, &plan, stop, clock)?;
        let mut ledger = folder.open(&plan, self.shard)?;
        ledger.begin()?;
        let end = play_missing(&mut ledger, &plan, self.threads, stop, clock, watch)?;
        if end == RunEnd::Stopped {
            return Ok((plan, end));
        }
        ledger.finish()?;
        let end = match self.balance && self.shard.is_none() {
            true => self.ask(&plan, stop, clock, watch)?,
            false => end,
        };
        Ok((plan, end))
    }

    /// Plays the games of the questions of balance.
    fn ask(
        &self,
        plan: &Plan,
        stop: &AtomicBool,
        clock: &dyn Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<RunEnd, StudyError> {
        let questions = questions(&plan.variant, &plan.strengths, plan.random_steps);
        if questions.is_empty() {
            return Ok(RunEnd::Complete);
        }
        let path = self.folder.join(BALANCE);
        let mut kept = Kept::open(&path)?;
        check_kept(&kept, &path, &plan.variant, plan.seed)?;
        // Set when the caller stops.
        let ended = AtomicBool::new(false);
        for asked in questions {
            let began = clock.now();
            let mut on_progress = |played: u64, left: u64| {
                let goes_on = watch(RunProgress {
                    games: played + left,
                    played,
                    stage: Stage::Question(asked.question.clone(), asked.nodes),
                    done: played,
                    left,
                    elapsed: clock.now().saturating_sub(began),
                });
                if !goes_on || stop.load(Ordering::Relaxed) {
                    ended.store(true, Ordering::Relaxed);
                }
            };
            let mut runner = Runner {
                threads: self.threads,
                stop: &ended,
                clock,
                on_progress: &mut on_progress,
                kept: Some(&mut kept),
            };
            let one = std::slice::from_ref(&asked);
            // Whoever computes the results searches choices: here games are played.
            match answer(&plan.variant, one, plan.seed, false, &mut runner) {
                Err(BalanceError::Interrupted) => return Ok(RunEnd::Stopped),
                answered => answered?,
            };
        }
        Ok(RunEnd::Complete)
    }
}

/// Plays the first games of weak strengths again, and compares them with the records.
fn repeat(folder: &Folder, plan: &Plan, stop: &AtomicBool, clock: &dyn Clock) -> Result<(), StudyError> {
    let weak = folder.known();
    for (part, known) in weak.filter(|(part, _)| part.nodes <= MAX_REPEATED) {
        let Some((game, place)) = known.games.values().next() else {
            continue;
        };
        let played = player::play(&plan.conditions(part), game.game, stop, clock);
        if played.is_some_and(|played| played != *game) {
            return Err(StudyError::OtherProgram { path: folder.path_of(*place), game: game.game });
        }
    }
    Ok(())
}

fn play_missing(
    ledger: &mut Ledger,
    plan: &Plan,
    threads: usize,
    stop: &AtomicBool,
    clock: &dyn Clock,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<RunEnd, StudyError> {
    let missing = ledger.missing();
    let parts = plan.parts().into_iter();
    let conditions: Vec<(Part, Conditions)> = parts.map(|(part, _)| (part, plan.conditions(part))).collect();
    let jobs = missing.iter().filter_map(|&(part, number)| {
        let (_, conditions) = conditions.iter().find(|(known, _)| *known == part)?;
        Some(Job { conditions, number })
    });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let cost = |job: &Job<'_>| job.conditions.nodes + OVERHEAD;
    let all: u64 = jobs.iter().map(cost).sum();
    let (games, began) = (ledger.games(), clock.now());
    let before = games.saturating_sub(jobs.len() as u64);
    let last = missing.last().map_or(Part { series: Series::Play, nodes: 0 }, |(part, _)| *part);
    let (mut delivered, mut done) = (0_usize, 0);
    let mut failed = None;
    let end = player::play_all(&jobs, threads, stop, clock, &mut |event| {
        if let PlayEvent::Game(place, game) = event {
            let (Some(job), Some(&(part, _))) = (jobs.get(place), missing.get(place)) else {
                return false;
            };
            if let Err(error) = ledger.add(part, *game) {
                failed = Some(error);
                return false;
            }
            delivered += 1;
            done += cost(job);
        }
        watch(RunProgress {
            games,
            played: before + delivered as u64,
            stage: Stage::Games(missing.get(delivered).map_or(last, |(part, _)| *part)),
            done,
            left: all - done,
            elapsed: clock.now().saturating_sub(began),
        })
    });
    if let Some(error) = failed {
        return Err(error);
    }
    match end.map_err(StudyError::Thread)? {
        PlayEnd::Complete => Ok(RunEnd::Complete),
        PlayEnd::Stopped => Ok(RunEnd::Stopped),
        PlayEnd::Failed => Err(StudyError::Broken),
    }
}

/// Computes the figures of a folder from its records and writes them, as JSON and as a report.
///
/// `warn` is given each file whose last game is incomplete and therefore left out.
///
/// # Errors
/// If the folder has no games, or games are missing, or a record is wrong, or a file can't be written.
pub fn results(path: &Path, wish: &Wish, clock: &dyn Clock, warn: &mut dyn FnMut(&Path)) -> Result<Study, StudyError> {
    let folder = Folder::read(path)?;
    let plan = folder.plan(wish)?.filter(|_| folder.known().next().is_some());
    let plan = plan.ok_or_else(|| StudyError::Empty(path.to_owned()))?;
    folder.cut.iter().for_each(|path| warn(path));
    folder.check_complete(&plan)?;
    let answers = answers(path, &plan, clock, warn)?;
    let study = Study::of(&folder, &plan, answers)?;
    let page = report::page(&study, &plan);
    let write = |name: &str, what: &str, text: String| {
        let path: PathBuf = path.join(name);
        let written = files::write(&path, what, text.as_bytes());
        written.map_err(|error| StudyError::NotWritten(path, error))
    };
    write(JSON, "the figures", study.json())?;
    write(REPORT, "the report", page.html())?;
    Ok(study)
}

/// Answers the questions of balance of a folder from its games. Returns no answers if none were asked.
fn answers(folder: &Path, plan: &Plan, clock: &dyn Clock, warn: &mut dyn FnMut(&Path)) -> Result<Answers, StudyError> {
    let path = folder.join(BALANCE);
    if !path.exists() {
        return Ok(Answers::default());
    }
    let mut kept = Kept::read(&path)?;
    if kept.is_cut {
        warn(&path);
    }
    check_kept(&kept, &path, &plan.variant, plan.seed)?;
    let mut asked = kept.asked().to_vec();
    asked.sort_by_cached_key(Asked::order);
    let stop = AtomicBool::new(false);
    let mut runner =
        Runner { threads: processors(), stop: &stop, clock, on_progress: &mut |_, _| (), kept: Some(&mut kept) };
    Ok(answer(&plan.variant, &asked, plan.seed, true, &mut runner)?)
}

/// Returns the number of processors that this program may use.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}
