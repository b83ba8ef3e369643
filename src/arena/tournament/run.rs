//! A match: games are played on several threads, and recorded in the order of the schedule.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, never, select, tick, unbounded};
use thiserror::Error;

use super::engine::Engine;
use super::failures::{self, FailureFiles};
use super::openings::{OpeningSource, Openings};
use super::pace::Pace;
use super::player::Warning;
use super::referee::Conditions;
use super::schedule::{Part, Scheduled, TournamentFormat, schedule};
use super::worker::{Message, Shared, Worker, described};
use crate::arena::replay::{Replay, RulesViolation};
use crate::files;
use crate::notation::VariantError;
use crate::record::{Cause, GameRecord, ReadError, Records, check_record};
use crate::rules::{Color, Variant};
use crate::search::{Clock, STACK_BYTES};
use crate::statistics::{Decision, Sprt, Statistics};
use crate::threads::{self, hold};

/// Interval of [`MatchEvent::Tick`].
const TICK: Duration = Duration::from_millis(250);

/// Memory that must be left for the games being played, in bytes.
const REST: usize = 256 << 20;

/// Memory per game beside that of its thread, in bytes: stacks, tables and networks of two searches.
const A_GAME: usize = 64 << 20;

/// A match to be played.
pub struct Match {
    /// Engines, at least two.
    pub engines: Vec<Engine>,
    /// Conditions of every game.
    pub conditions: Conditions,
    /// Pairing of the engines.
    pub format: TournamentFormat,
    /// Games between any two engines that meet.
    pub games: u64,
    /// True if every opening is played twice, with seats exchanged.
    pub paired: bool,
    /// Part of the schedule to play.
    pub part: Part,
    /// Seed of random openings and engines.
    pub seed: u64,
    /// Source of openings.
    pub openings: OpeningSource,
    /// Number of games played at once.
    pub concurrency: usize,
    /// Sequential test that may end the match.
    pub sprt: Option<Sprt>,
    /// Record file, as text.
    pub record: Option<PathBuf>,
    /// Record file, as JSON.
    pub json: Option<PathBuf>,
    /// Folder for the files of failed games.
    pub failures: Option<PathBuf>,
    /// Command line that repeats a game of this match: the parts before and after the game's number.
    pub command: [String; 2],
    /// Number of failed games of one engine in a row that ends the match.
    pub max_failures: u32,
}

impl Match {
    /// Returns the conditions that records mention. Time limits for stalled engines are not among them.
    pub fn conditions(&self) -> String {
        let Conditions { time_margin, max_moves, resignation, .. } = &self.conditions;
        let mut words = vec![format!("time-margin {}", time_margin.as_millis())];
        if let OpeningSource::Random { bound, .. } = self.openings {
            words.push(format!("balance {bound}"));
        }
        words.extend(max_moves.map(|moves| format!("max-moves {moves}")));
        words.extend(resignation.map(|rule| format!("resign {rule}")));
        words.join(" ")
    }

    /// Returns the games to be played, in order.
    pub fn schedule(&self) -> Vec<Scheduled> {
        let engines = self.engines.len();
        schedule(engines, self.format, self.games, self.paired, self.part)
    }
}

/// Channels that the user closes to end the match.
pub struct Interrupts {
    /// Closed to finish the running games and end.
    pub finish: Receiver<()>,
    /// Closed to end at once.
    pub abort: Receiver<()>,
}

/// Ending of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games were played.
    Complete,
    /// The sequential test accepted a hypothesis.
    Decided(Decision),
    /// An engine failed too often. The fields describe its last failure.
    TooManyFailures {
        /// Name of the engine.
        name: String,
        /// Cause.
        cause: Cause,
        /// Description.
        why: String,
    },
    /// The user interrupted the match.
    Interrupted {
        /// Number of running games that were aborted.
        aborted: u64,
    },
}

/// Reason why a match can't be played or continued.
#[derive(Error, Debug)]
pub enum MatchError {
    /// A file can't be read or written.
    #[error(transparent)]
    File(#[from] ReadError),
    /// A file that will be needed can't be written.
    #[error("{}: {}", .0.display(), .1)]
    NotWritable(PathBuf, io::Error),
    /// A file holds a game that breaks the rules.
    #[error("{}: {}", .0.display(), .1)]
    RulesViolation(PathBuf, RulesViolation),
    /// A file holds games of another match.
    #[error(
        "game {game} of the record is another match's: {what} was {was} and is now {is}; take another file or the same settings"
    )]
    OtherMatch {
        /// Number of the game.
        game: u64,
        /// The differing field.
        what: &'static str,
        /// Recorded value.
        was: String,
        /// Value of this match.
        is: String,
    },
    /// An engine can't play.
    #[error("{name} can't play this match: {why}")]
    Unfit {
        /// Name of the engine.
        name: String,
        /// Reason.
        why: String,
    },
    /// The variant can't be opened.
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    /// A record has an unknown variant.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// A thread of the match panicked.
    #[error("an internal error stopped a game; run the command again to resume")]
    Broken,
    /// No thread can be started.
    #[error("no thread to play on: {0}")]
    Thread(io::Error),
}

/// Progress of a match.
pub struct State<'a> {
    /// Number of scheduled games.
    pub scheduled: u64,
    /// Number of recorded games, including earlier runs.
    pub played: u64,
    /// Pace of this run.
    pub pace: Pace,
    /// Statistics of all recorded games.
    pub statistics: &'a Statistics,
}

/// An event of a running match.
pub enum MatchEvent<'a> {
    /// The match of a record goes on, or is over already.
    Resumed,
    /// Time has passed.
    Tick,
    /// A game has ended.
    Game(&'a GameRecord),
    /// The files of the last failed game were written to this folder, or could not be written.
    FailureFiles(io::Result<PathBuf>),
    /// A game is void and is played again, because this program did not run for some time.
    Void {
        /// Number of the game.
        game: u64,
        /// Time in which this program did not run.
        paused: Duration,
    },
    /// An engine plays on, but not quite as it should.
    Warning(&'a Warning),
    /// No more games start.
    Finishing,
}

/// Plays a match. `clock` measures its pace.
///
/// # Errors
/// If an engine can't play, or a file can't be read or written. Finished games are in the files.
pub fn run(
    setup: Match,
    clock: &dyn Clock,
    interrupts: &Interrupts,
    watch: &mut dyn FnMut(MatchEvent<'_>, &State<'_>),
) -> Result<(Statistics, Ending), MatchError> {
    let variant = setup.conditions.variant.clone();
    let games = setup.schedule();
    let openings = Openings::new(setup.openings.clone(), &variant, setup.seed);
    let mut openings = openings.ok_or_else(|| MatchError::NotOpened(variant.clone()))?;

    // Check everything before creating any file.
    for path in setup.record.iter().chain(&setup.json) {
        check_record(path)?;
    }
    if let Some(folder) = &setup.failures {
        let checked = files::check_new_folder(folder);
        checked.map_err(|error| MatchError::NotWritable(folder.clone(), error))?;
    }
    let order = games.iter().map(|game| game.game).collect();
    let mut records = Records::open(setup.record.as_deref(), setup.json.as_deref(), order)?;
    if setup.concurrency > 1 {
        records.check_waiting()?;
    }
    let mut replay = Replay::default();
    for (number, record) in records.played() {
        let place = games.binary_search_by_key(number, |game| game.game);
        let scheduled = place.ok().and_then(|place| games.get(place));
        let ended = interrupts.finish.try_recv() == Err(TryRecvError::Disconnected);
        if ended || !same_match(&setup, &mut openings, scheduled, record, &interrupts.finish)? {
            let statistics = Statistics::new(setup.sprt);
            return Ok((statistics, Ending::Interrupted { aborted: 0 }));
        }
        // Report games of another match before other errors.
        replay.referee(record).map_err(|wrong| {
            let file = setup.record.as_ref().or(setup.json.as_ref());
            MatchError::RulesViolation(file.cloned().unwrap_or_default(), wrong)
        })?;
    }
    let todo: Vec<Scheduled> =
        games.iter().filter(|game| !records.played().contains_key(&game.game)).copied().collect();
    let concurrency = setup.concurrency.clamp(1, todo.len().max(1));
    let mut progress = Progress {
        scheduled: games.len() as u64,
        before: records.played().len() as u64,
        now: 0,
        concurrency: concurrency as u64,
        clock,
        began: clock.now(),
        last: Duration::ZERO,
        statistics: Statistics::new(setup.sprt),
    };
    for game in records.begin()? {
        progress.statistics.add(&game)?;
    }
    // Closed by the user's second signal, or if the match can't go on.
    let (abort_sender, abort) = bounded(0);
    let finish = interrupts.finish.clone();
    let shared = Shared::new(setup, todo, openings, Interrupts { finish, abort });
    let shared = Arc::new(shared);
    if progress.statistics.decision().is_some() {
        shared.stop.store(true, Ordering::Relaxed);
    }
    let (sender, messages) = unbounded();
    let (warnings_sender, warnings) = unbounded();
    let mut collector = Collector {
        shared: &shared,
        interrupts,
        abort: Some(abort_sender),
        records,
        progress,
        error: None,
        interrupted: false,
        aborted: 0,
        warned: HashSet::new(),
        watch,
    };
    if collector.progress.before > 0 {
        (collector.watch)(MatchEvent::Resumed, &collector.progress.state());
    }
    let mut workers = Vec::new();
    // Closes when the first thread has started every engine.
    let (met, all_met) = bounded::<()>(0);
    let mut met = Some(met);
    // Reserve the memory of the games, so that thread stacks do not take it.
    let mut kept_free = Vec::new();
    for _ in 0..concurrency {
        let (shared, sender, warnings) = (Arc::clone(&shared), sender.clone(), warnings_sender.clone());
        let (first, all_met) = (met.take(), all_met.clone());
        let work = move || match first {
            Some(met) => Worker::new(&shared, warnings).begin(&sender, met),
            None => {
                let _ = all_met.recv();
                Worker::new(&shared, warnings).work(&sender);
            }
        };
        let held = if workers.is_empty() { Ok(Box::default()) } else { hold(REST).and_then(|_rest| hold(A_GAME)) };
        // Without a thread of its own, a search runs on this one.
        match held.and_then(|held| Ok((held, threads::spawn("game", STACK_BYTES, work)?))) {
            Ok((held, worker)) => {
                kept_free.push(held);
                workers.push(worker);
            }
            Err(error) if workers.is_empty() => {
                collector.max_failures(MatchError::Thread(error));
                break;
            }
            Err(error) => {
                let games = workers.len();
                log::warn!("{games} games at once instead of {concurrency}: {error}");
                break;
            }
        }
    }
    drop((sender, warnings_sender, kept_free));
    collector.collect(&messages, &warnings);
    for worker in workers {
        if worker.join().is_err() {
            collector.error.get_or_insert(MatchError::Broken);
        }
    }
    collector.ending()
}

/// Checks that a recorded game is the one of the schedule. Returns false if interrupted.
fn same_match(
    setup: &Match,
    openings: &mut Openings,
    scheduled: Option<&Scheduled>,
    record: &GameRecord,
    interrupt: &Receiver<()>,
) -> Result<bool, MatchError> {
    let differs = |what, was: &dyn ToString, is: &dyn ToString| {
        let (was, is) = (was.to_string(), is.to_string());
        if was == is { Ok(()) } else { Err(MatchError::OtherMatch { game: record.game, what, was, is }) }
    };
    let variant = &setup.conditions.variant;
    differs("the variant", &record.variant, variant)?;
    let Some(scheduled) = scheduled else {
        return differs("its place in the schedule", &record.game, &"none").map(|()| true);
    };
    differs("the seed", &record.seed, &setup.seed)?;
    differs("the pair", &record.pair, &scheduled.pair)?;
    for color in Color::BOTH {
        let engine = scheduled.engine(color == variant.info().first);
        let (seat, Some(engine)) = (record.seat(color), setup.engines.get(engine)) else {
            continue;
        };
        let now = described(engine, &seat.version);
        differs("the name of an engine", &seat.name, &now.name)?;
        differs("an engine", &seat.engine, &now.engine)?;
        differs("an engine's options", &seat.options, &now.options)?;
        differs("an engine's limit", &seat.limit, &now.limit)?;
    }
    let was = record.opening();
    match openings.take(scheduled.pair, &was, interrupt) {
        None => return Ok(false),
        Some(true) => {}
        Some(false) => differs("the opening", &was, &"another one")?,
    }
    if let Some(conditions) = &record.conditions {
        differs("the conditions of the match", conditions, &setup.conditions())?;
    }
    Ok(true)
}

struct Progress<'a> {
    scheduled: u64,
    /// Number of games of earlier runs, and of this one.
    before: u64,
    now: u64,
    concurrency: u64,
    clock: &'a dyn Clock,
    /// Time of the start.
    began: Duration,
    /// Time from the start to the end of the last game.
    last: Duration,
    statistics: Statistics,
}

impl Progress<'_> {
    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }

    fn state(&self) -> State<'_> {
        State {
            scheduled: self.scheduled,
            played: self.before + self.now,
            pace: Pace { finished: self.now, concurrency: self.concurrency, last: self.last, elapsed: self.elapsed() },
            statistics: &self.statistics,
        }
    }
}

/// Collects the messages of the threads.
struct Collector<'a> {
    shared: &'a Shared,
    interrupts: &'a Interrupts,
    /// Dropping it aborts the running games.
    abort: Option<Sender<()>>,
    records: Records,
    progress: Progress<'a>,
    /// Reason why the match can't go on.
    error: Option<MatchError>,
    /// True once the user has interrupted the match.
    interrupted: bool,
    /// Number of aborted games.
    aborted: u64,
    /// Warnings that were shown.
    warned: HashSet<Warning>,
    watch: &'a mut dyn FnMut(MatchEvent<'_>, &State<'_>),
}

impl Collector<'_> {
    /// Handles messages until all threads have ended.
    fn collect(&mut self, messages: &Receiver<Message>, warnings: &Receiver<Warning>) {
        let ticks = tick(TICK);
        let mut new_warnings = warnings.clone();
        let (mut finish, mut abort) = (self.interrupts.finish.clone(), self.interrupts.abort.clone());
        loop {
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Played(game, bundle)) => {
                        if let Err(error) = self.played(&game, bundle) {
                            self.max_failures(error);
                        }
                    }
                    Ok(Message::Void(game, paused)) => {
                        (self.watch)(MatchEvent::Void { game, paused }, &self.progress.state());
                    }
                    Ok(Message::Aborted) => self.aborted += 1,
                    Ok(Message::Failed(error)) => self.max_failures(error),
                    Err(_) => {
                        // The channel may have closed since it was last checked.
                        self.interrupted |= finish.try_recv() == Err(TryRecvError::Disconnected);
                        warnings.try_iter().for_each(|warning| self.warned(warning));
                        return;
                    }
                },
                recv(new_warnings) -> warning => match warning {
                    Ok(warning) => self.warned(warning),
                    Err(_) => new_warnings = never(),
                },
                // Closed channels would be ready forever.
                recv(finish) -> _ => {
                    finish = never();
                    self.interrupted = true;
                    self.shared.stop.store(true, Ordering::Relaxed);
                    (self.watch)(MatchEvent::Finishing, &self.progress.state());
                },
                recv(abort) -> _ => {
                    abort = never();
                    // Where output has gone, both close at once, and this one may be seen alone.
                    self.interrupted = true;
                    self.shared.stop.store(true, Ordering::Relaxed);
                    self.abort = None;
                },
                recv(ticks) -> _ => (self.watch)(MatchEvent::Tick, &self.progress.state()),
            }
        }
    }

    /// Shows a warning, unless it was shown before.
    fn warned(&mut self, warning: Warning) {
        if self.warned.insert(warning.clone()) {
            (self.watch)(MatchEvent::Warning(&warning), &self.progress.state());
        }
    }

    /// Ends the match at once.
    fn max_failures(&mut self, error: MatchError) {
        self.error.get_or_insert(error);
        self.shared.stop.store(true, Ordering::Relaxed);
        self.abort = None;
    }

    /// Records a game.
    fn played(&mut self, game: &GameRecord, bundle: Option<FailureFiles>) -> Result<(), MatchError> {
        for written in self.records.add(game.clone())? {
            self.progress.statistics.add(&written)?;
            if self.progress.statistics.decision().is_some() {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
        }
        self.progress.now += 1;
        self.progress.last = self.progress.elapsed();
        (self.watch)(MatchEvent::Game(game), &self.progress.state());
        let setup = &self.shared.setup;
        if let (Some(bundle), Some(folder)) = (bundle, &setup.failures) {
            let written = failures::write(&bundle, folder, game, &setup.command);
            (self.watch)(MatchEvent::FailureFiles(written), &self.progress.state());
        }
        Ok(())
    }

    /// Returns the ending of the match, if it has ended.
    fn ending(self) -> Result<(Statistics, Ending), MatchError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.records.check_in_place()?;
        let complete = self.progress.before + self.progress.now == self.progress.scheduled;
        let decided = self.progress.statistics.decision().map(Ending::Decided);
        let ending = decided.or_else(|| self.shared.too_many_failures());
        let aborted = self.aborted;
        let ending = match ending {
            Some(ending) => ending,
            None if complete => Ending::Complete,
            None if self.interrupted => Ending::Interrupted { aborted },
            None => return Err(MatchError::Broken),
        };
        Ok((self.progress.statistics, ending))
    }
}
