//! A whole match: its games are played on several threads, and written in order.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded, never, select, tick, unbounded};
use thiserror::Error;

use super::engine::Engine;
use super::failures::{self, Bundle};
use super::openings::{OpeningSource, Openings};
use super::referee::Conditions;
use super::schedule::{Part, Scheduled, TournamentFormat, schedule};
use super::worker::{Message, Shared, Worker, described};
use crate::arena::record::{Cause, GameRecord, ReadError, Records, check_record};
use crate::arena::replay::{NotByTheRules, Replay};
use crate::arena::statistics::{Decision, Sprt, Statistics};
use crate::files;
use crate::notation::VariantError;
use crate::rules::{Color, Variant};
use crate::search::STACK;
use crate::threads::hold;

/// How often whoever watches is told that time passes.
const TICK: Duration = Duration::from_millis(250);

/// How much memory must be left for the games that are played at once, in bytes.
const REST: usize = 256 << 20;

/// Memory for a game beside that of its thread, in bytes: the stacks, tables and networks of two searches.
const A_GAME: usize = 64 << 20;

/// What to play, and how.
pub struct Match {
    /// The players, at least two.
    pub engines: Vec<Engine>,
    /// What holds for every game.
    pub conditions: Conditions,
    /// Who meets whom.
    pub format: TournamentFormat,
    /// Games of every two that meet.
    pub games: u64,
    /// Whether every opening is played twice, with seats exchanged.
    pub paired: bool,
    /// Which part of the schedule to play.
    pub part: Part,
    /// What random openings and the engines' random numbers begin with.
    pub seed: u64,
    /// Where games begin.
    pub openings: OpeningSource,
    /// How many games are played at once.
    pub concurrency: usize,
    /// Ends the match when one of two strengths is sure enough.
    pub sprt: Option<Sprt>,
    /// Where records are kept.
    pub record: Option<PathBuf>,
    /// Where they are kept as JSON.
    pub json: Option<PathBuf>,
    /// Where the exchange of failed games is kept.
    pub failures: Option<PathBuf>,
    /// The command line that plays a game of this match again: what stands before the game's number and behind it.
    pub command: [String; 2],
    /// After so many failed games of one engine in a row the match ends.
    pub max_failures: u32,
}

impl Match {
    /// What holds for every game beside who plays and what, as records have it: time-outs are for engines that hang.
    pub fn conditions(&self) -> String {
        let Conditions {
            time_margin,
            max_moves,
            resignation,
            ..
        } = &self.conditions;
        let mut words = vec![format!("time-margin {}", time_margin.as_millis())];
        if let OpeningSource::Random { bound, .. } = self.openings {
            words.push(format!("balance {bound}"));
        }
        words.extend(max_moves.map(|moves| format!("max-moves {moves}")));
        words.extend(resignation.map(|rule| format!("resign {rule}")));
        words.join(" ")
    }

    /// The games to be played, in order.
    pub fn schedule(&self) -> Vec<Scheduled> {
        let engines = self.engines.len();
        schedule(engines, self.format, self.games, self.paired, self.part)
    }
}

/// What closes when the user wants an end: of the match, and then at once.
pub struct Interrupts {
    /// Running games are finished.
    pub finish: Receiver<()>,
    /// Nothing is.
    pub abort: Receiver<()>,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Every game has been played.
    Complete,
    /// The test has accepted a hypothesis.
    Decided(Decision),
    /// An engine failed too often, and how the last time.
    GaveUp {
        /// Its name.
        name: String,
        /// What it did.
        cause: Cause,
        /// The same in words.
        why: String,
    },
    /// The user wanted it; so many running games are lost.
    Interrupted {
        /// How many.
        aborted: u64,
    },
}

/// Why a match can't be played, or not go on.
#[derive(Error, Debug)]
pub enum MatchError {
    /// A file can't be read or written.
    #[error(transparent)]
    File(#[from] ReadError),
    /// Something can't be written that will have to be.
    #[error("{}: {}", .0.display(), .1)]
    NotWritable(PathBuf, io::Error),
    /// A file holds a game that can't have been played.
    #[error("{}: {}", .0.display(), .1)]
    NotByTheRules(PathBuf, NotByTheRules),
    /// A file holds games of another match.
    #[error(
        "game {game} of the record is another match's: {what} was {was} and is now {is}; take another file or the same settings"
    )]
    OtherMatch {
        /// The game.
        game: u64,
        /// What differs.
        what: &'static str,
        /// As recorded.
        was: String,
        /// As it would be.
        is: String,
    },
    /// An engine can't take part.
    #[error("{name} can't play this match: {why}")]
    Unfit {
        /// Its name.
        name: String,
        /// Why not.
        why: String,
    },
    /// The variant can't be opened.
    #[error("{0} can't be opened")]
    NotOpened(Variant),
    /// A record is of no known variant.
    #[error(transparent)]
    Variant(#[from] VariantError),
    /// A thread of the match has ended by a fault of this program.
    #[error("a game was broken off by a fault of this program; the same command goes on")]
    Broken,
    /// There is no thread to play on.
    #[error("no thread to play on: {0}")]
    Thread(io::Error),
}

/// How far a match is.
pub struct State<'a> {
    /// How many games the schedule has.
    pub scheduled: u64,
    /// How many have been played, before this run, too.
    pub played: u64,
    /// How many in this run, and in what time.
    pub played_now: (u64, Duration),
    /// What they say.
    pub statistics: &'a Statistics,
}

/// What is seen of a running match.
pub enum News<'a> {
    /// Time has passed.
    Tick,
    /// A game is over.
    Game(&'a GameRecord),
    /// What is left of the last failed game lies there, or could not be written.
    Bundle(io::Result<PathBuf>),
    /// No more games begin.
    Finishing,
}

/// Plays a match.
///
/// # Errors
/// Where an engine can't play, or a file can't be read or written. What has been played is in the files then.
pub fn run(
    setup: Match,
    interrupts: &Interrupts,
    watch: &mut dyn FnMut(News<'_>, &State<'_>),
) -> Result<(Statistics, Ending), MatchError> {
    let variant = setup.conditions.variant.clone();
    let games = setup.schedule();
    let openings = Openings::new(setup.openings.clone(), &variant, setup.seed);
    let mut openings = openings.ok_or_else(|| MatchError::NotOpened(variant.clone()))?;

    // Everything is checked before anything is made.
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
        // That it is of another match is said first.
        replay.referee(record).map_err(|wrong| {
            let file = setup.record.as_ref().or(setup.json.as_ref());
            MatchError::NotByTheRules(file.cloned().unwrap_or_default(), wrong)
        })?;
    }
    let todo: Vec<Scheduled> = games
        .iter()
        .filter(|game| !records.played().contains_key(&game.game))
        .copied()
        .collect();
    let mut progress = Progress {
        scheduled: games.len() as u64,
        before: records.played().len() as u64,
        now: 0,
        began: Instant::now(),
        statistics: Statistics::new(setup.sprt),
    };
    for game in records.begin()? {
        progress.statistics.add(&game)?;
    }
    let concurrency = setup.concurrency.clamp(1, todo.len().max(1));
    // Closed by the user's second signal, or when the match can't go on.
    let (abort_sender, abort) = bounded(0);
    let finish = interrupts.finish.clone();
    let shared = Shared::new(setup, todo, openings, Interrupts { finish, abort });
    let shared = Arc::new(shared);
    if progress.statistics.decision().is_some() {
        shared.stop.store(true, Ordering::Relaxed);
    }
    let (sender, messages) = unbounded();
    let mut collector = Collector {
        shared: &shared,
        interrupts,
        abort: Some(abort_sender),
        records,
        progress,
        error: None,
        interrupted: false,
        aborted: 0,
        watch,
    };
    let mut workers = Vec::new();
    // Closes when the first thread has met every engine.
    let (met, all_met) = bounded::<()>(0);
    let mut met = Some(met);
    // What the games will need is not given to the threads of others.
    let mut kept_free = Vec::new();
    for _ in 0..concurrency {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        let (first, all_met) = (met.take(), all_met.clone());
        let work = move || match first {
            Some(met) => Worker::new(&shared).begin(&sender, met),
            None => {
                let _ = all_met.recv();
                Worker::new(&shared).work(&sender);
            }
        };
        // A search that gets no thread of its own is made on this one.
        let thread = thread::Builder::new()
            .name("game".to_owned())
            .stack_size(STACK);
        let held = match workers.is_empty() {
            true => Ok(Box::default()),
            false => hold(REST).and_then(|_rest| hold(A_GAME)),
        };
        match held.and_then(|held| Ok((held, thread.spawn(work)?))) {
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
    drop((sender, kept_free));
    collector.collect(&messages);
    for worker in workers {
        if worker.join().is_err() {
            collector.error.get_or_insert(MatchError::Broken);
        }
    }
    collector.ending()
}

/// Makes sure that a game that was recorded is the one of the schedule; false where that is interrupted.
fn same_match(
    setup: &Match,
    openings: &mut Openings,
    scheduled: Option<&Scheduled>,
    record: &GameRecord,
    interrupt: &Receiver<()>,
) -> Result<bool, MatchError> {
    let differs = |what, was: &dyn ToString, is: &dyn ToString| {
        let (was, is) = (was.to_string(), is.to_string());
        match was == is {
            true => Ok(()),
            false => Err(MatchError::OtherMatch {
                game: record.game,
                what,
                was,
                is,
            }),
        }
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
        differs("what holds for every game", conditions, &setup.conditions())?;
    }
    Ok(true)
}

struct Progress {
    scheduled: u64,
    before: u64,
    now: u64,
    began: Instant,
    statistics: Statistics,
}

impl Progress {
    fn state(&self) -> State<'_> {
        State {
            scheduled: self.scheduled,
            played: self.before + self.now,
            played_now: (self.now, self.began.elapsed()),
            statistics: &self.statistics,
        }
    }
}

/// Takes in what the threads say.
struct Collector<'a> {
    shared: &'a Shared,
    interrupts: &'a Interrupts,
    /// Running games end when it is dropped.
    abort: Option<Sender<()>>,
    records: Records,
    progress: Progress,
    /// Why the match can't go on.
    error: Option<MatchError>,
    /// Whether the user wants an end.
    interrupted: bool,
    /// How many running games are lost.
    aborted: u64,
    watch: &'a mut dyn FnMut(News<'_>, &State<'_>),
}

impl Collector<'_> {
    /// Listens until all threads have ended.
    fn collect(&mut self, messages: &Receiver<Message>) {
        let ticks = tick(TICK);
        let (mut finish, mut abort) = (
            self.interrupts.finish.clone(),
            self.interrupts.abort.clone(),
        );
        loop {
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Played(game, bundle)) => {
                        if let Err(error) = self.played(&game, bundle) {
                            self.max_failures(error);
                        }
                    }
                    Ok(Message::Aborted) => self.aborted += 1,
                    Ok(Message::Failed(error)) => self.max_failures(error),
                    Err(_) => {
                        // It may have closed since the last look.
                        self.interrupted |= finish.try_recv() == Err(TryRecvError::Disconnected);
                        return;
                    }
                },
                // Closed, these would be ready for ever.
                recv(finish) -> _ => {
                    finish = never();
                    self.interrupted = true;
                    self.shared.stop.store(true, Ordering::Relaxed);
                    (self.watch)(News::Finishing, &self.progress.state());
                },
                recv(abort) -> _ => {
                    abort = never();
                    self.abort = None;
                },
                recv(ticks) -> _ => (self.watch)(News::Tick, &self.progress.state()),
            }
        }
    }

    /// Ends the match at once.
    fn max_failures(&mut self, error: MatchError) {
        self.error.get_or_insert(error);
        self.shared.stop.store(true, Ordering::Relaxed);
        self.abort = None;
    }

    /// Takes in a game.
    fn played(&mut self, game: &GameRecord, bundle: Option<Bundle>) -> Result<(), MatchError> {
        for written in self.records.add(game.clone())? {
            self.progress.statistics.add(&written)?;
            if self.progress.statistics.decision().is_some() {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
        }
        self.progress.now += 1;
        (self.watch)(News::Game(game), &self.progress.state());
        let setup = &self.shared.setup;
        if let (Some(bundle), Some(folder)) = (bundle, &setup.failures) {
            let written = failures::write(&bundle, folder, game, &setup.command);
            (self.watch)(News::Bundle(written), &self.progress.state());
        }
        Ok(())
    }

    /// How the match ended, once it has.
    fn ending(self) -> Result<(Statistics, Ending), MatchError> {
        if let Some(error) = self.error {
            return Err(error);
        }
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
