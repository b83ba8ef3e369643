//! Runs a study: plays what is missing in its folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::balance::{Answers, OwnGames, answer, asked, first_mover_score, open_questions, questions, read_questions};
use super::error::StudyError;
use super::figures::Study;
use super::folder::{BALANCE, Folder, JSON, REPORT, Shard};
use super::plan::{Part, Request, Series, StudyPlan};
use super::player::{Conditions, Job};
use super::pool::processors;
use super::report;
use super::store::{Runner, Task};
use crate::files;
use crate::search::Clock;

/// Cost of a move apart from its search, in nodes.
const OVERHEAD: u64 = 200;

/// A study to be played.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The study that is asked for.
    pub request: &'a Request,
    /// The folder, which is created if there is none.
    pub folder: &'a Path,
    /// The part of the games to be played; `None` for all.
    pub shard: Option<Shard>,
    /// Number of games played at once.
    pub threads: usize,
    /// Number of seeds of the questions of balance that fit the variant, which are asked once the games are complete;
    /// `None` to ask none.
    pub balance: Option<u64>,
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
    /// Plays the games that are missing. `watch` receives the progress, and returns false to stop.
    ///
    /// # Errors
    /// If the folder is no study's or another one's, or can't be written to. Games that have ended are stored.
    pub fn play(
        &self,
        stop: &AtomicBool,
        clock: &dyn Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(StudyPlan, RunEnd), StudyError> {
        let mut folder = Folder::read(self.folder)?;
        let plan = folder.plan(self.request)?.ok_or_else(|| StudyError::Empty(self.folder.to_owned()))?;
        folder.check_program(&plan, stop, clock)?;
        let played = self.play_missing(&mut folder, &plan, stop, clock, watch).and_then(|()| {
            if self.shard.is_some() {
                return Ok(());
            }
            folder.merge(&plan)?;
            self.balance.map_or(Ok(()), |seeds| self.ask(&plan, seeds, stop, clock, watch))
        });
        match played {
            Ok(()) => Ok((plan, RunEnd::Complete)),
            Err(StudyError::Interrupted) => Ok((plan, RunEnd::Stopped)),
            Err(error) => Err(error),
        }
    }

    fn play_missing(
        &self,
        folder: &mut Folder,
        plan: &StudyPlan,
        stop: &AtomicBool,
        clock: &dyn Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(), StudyError> {
        let order = folder.open(plan, self.shard)?;
        let parts = plan.parts().into_iter();
        let conditions: Vec<(Part, Conditions)> = parts.map(|(part, _)| (part, plan.conditions(part))).collect();
        let jobs = order.iter().filter_map(|&(part, number)| {
            let (_, conditions) = conditions.iter().find(|(known, _)| *known == part)?;
            Some(Job { conditions, number })
        });
        let jobs: Vec<Job<'_>> = jobs.collect();
        // Number and cost of the missing games before each one.
        let (mut missing, mut cost) = (0, 0);
        let mut before = vec![(0, 0)];
        for job in &jobs {
            if folder.store.get(&job.key()).is_none() {
                missing += 1;
                cost += job.conditions.nodes + OVERHEAD;
            }
            before.push((missing, cost));
        }
        let (games, began) = (jobs.len() as u64, clock.now());
        let last = order.last().map_or(Part { series: Series::Play, nodes: 0 }, |(part, _)| *part);
        let mut on_progress = |delivered: u64, _| {
            let delivered = delivered as usize;
            let (played, done) = before.get(delivered).copied().unwrap_or_default();
            watch(RunProgress {
                games,
                played: games + played - missing,
                stage: Stage::Games(order.get(delivered).map_or(last, |(part, _)| *part)),
                done,
                left: cost - done,
                elapsed: clock.now().saturating_sub(began),
            })
        };
        let (threads, store) = (self.threads, &mut folder.store);
        Runner { threads, stop, clock, on_progress: &mut on_progress, store }.play(&jobs, (0, 0), |_, _| ())
    }

    /// Plays the games of the questions of balance.
    fn ask(
        &self,
        plan: &StudyPlan,
        seeds: u64,
        stop: &AtomicBool,
        clock: &dyn Clock,
        watch: &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(), StudyError> {
        let questions = questions(plan, seeds);
        if questions.is_empty() {
            return Ok(());
        }
        let mut store = open_questions(&self.folder.join(BALANCE), &plan.variant, plan.seed)?;
        let mut known = Vec::new();
        for question in questions {
            let began = clock.now();
            let mut on_progress = |played: u64, left: u64| {
                watch(RunProgress {
                    games: played + left,
                    played,
                    stage: Stage::Question(question.name(), question.nodes),
                    done: played,
                    left,
                    elapsed: clock.now().saturating_sub(began),
                })
            };
            let (threads, on_progress, store) = (self.threads, &mut on_progress, &mut store);
            let mut runner = Runner { threads, stop, clock, on_progress, store };
            // The results search choices: here games are played.
            answer(&plan.variant, std::slice::from_ref(&question), false, &mut known, None, &mut runner)?;
        }
        Ok(())
    }
}

/// Computes the figures of a folder from its records and writes them, as JSON and as a report.
///
/// `warn` is given each file whose last game is incomplete and therefore left out.
///
/// # Errors
/// If the folder has no games, or games are missing, or a record is wrong, or a file can't be written.
pub fn results(
    path: &Path,
    request: &Request,
    clock: &dyn Clock,
    warn: &mut dyn FnMut(&Path),
) -> Result<Study, StudyError> {
    let folder = Folder::read(path)?;
    let plan = folder.plan(request)?.filter(|_| !folder.parts().is_empty());
    let plan = plan.ok_or_else(|| StudyError::Empty(path.to_owned()))?;
    folder.cut().for_each(&mut *warn);
    folder.check_complete(&plan)?;
    let answers = answers(path, &folder, &plan, clock, warn)?;
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
fn answers(
    path: &Path,
    folder: &Folder,
    plan: &StudyPlan,
    clock: &dyn Clock,
    warn: &mut dyn FnMut(&Path),
) -> Result<Answers, StudyError> {
    let path = path.join(BALANCE);
    if !path.exists() {
        return Ok(Answers::default());
    }
    let mut store = read_questions(&path, &plan.variant, plan.seed)?;
    store.cut().for_each(&mut *warn);
    let asked = asked(&store, plan.seed);
    let parts = folder.parts().into_iter().filter(|part| part.series == Series::Play);
    let results = parts.map(|part| {
        let scores = folder.games(part).into_iter().map(|(game, _)| first_mover_score(&plan.variant, game));
        (part.nodes, scores.collect())
    });
    let own = OwnGames { random_steps: plan.random_steps, results: results.collect() };
    let (stop, threads, store) = (AtomicBool::new(false), processors(), &mut store);
    let mut runner = Runner { threads, stop: &stop, clock, on_progress: &mut |_, _| true, store };
    answer(&plan.variant, &asked, true, &mut Vec::new(), Some(&own), &mut runner)
}
