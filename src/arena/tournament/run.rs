//! A whole match: its games are played on several threads, and written in order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, select, tick, unbounded};
use thiserror::Error;

use super::engine::Engine;
use super::failures;
use super::openings::{OpeningSource, Openings};
use super::referee::Conditions;
use super::schedule::{Format, Part, Scheduled, schedule};
use super::worker::{Message, Shared, Worker, described};
use crate::arena::record::{Cause, GameRecord, ReadError, Records};
use crate::arena::statistics::{Decision, Sprt, Statistics};
use crate::game::Color;
use crate::notation::{Variant, VariantError};

/// How often whoever watches is told that time passes.
const TICK: Duration = Duration::from_millis(250);

/// What to play, and how.
pub struct Match {
    /// The players, at least two.
    pub engines: Vec<Engine>,
    /// What holds for every game.
    pub conditions: Conditions,
    /// Who meets whom.
    pub format: Format,
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
    /// The command line that plays a game of this match again, without its number.
    pub command: String,
    /// After so many failed games of one engine in a row the match ends.
    pub give_up: u32,
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
    /// A bundle can't be written.
    #[error("{}: {}", .0.display(), .1)]
    Bundle(PathBuf, std::io::Error),
    /// There is no thread to play on.
    #[error("no thread to play on: {0}")]
    Thread(std::io::Error),
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
    /// A failed game's bundle lies there.
    Bundle(&'a std::path::Path),
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
    let games = schedule(
        setup.engines.len(),
        setup.format,
        setup.games,
        setup.paired,
        setup.part,
    );
    let openings = Openings::new(setup.openings.clone(), &variant, setup.seed);
    let mut openings = openings.ok_or_else(|| MatchError::NotOpened(variant.clone()))?;

    let order = games.iter().map(|game| game.game).collect();
    let mut records = Records::open(setup.record.as_deref(), setup.json.as_deref(), order)?;
    for (number, record) in records.played() {
        let place = games.binary_search_by_key(number, |game| game.game);
        let scheduled = place.ok().and_then(|place| games.get(place));
        same_match(&setup, &mut openings, scheduled, record)?;
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
    let shared = Shared::new(setup, todo, openings, interrupts.abort.clone());
    let shared = Arc::new(shared);
    if progress.statistics.decision().is_some() {
        shared.stop.store(true, Ordering::Relaxed);
    }
    let (sender, messages) = unbounded();
    let mut workers = Vec::new();
    for _ in 0..concurrency {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        let worker = thread::Builder::new().name("game".to_owned());
        let worker = worker.spawn(move || Worker::new(&shared).work(&sender));
        workers.push(worker.map_err(MatchError::Thread)?);
    }
    drop(sender);
    let ending = collect(
        &shared,
        &messages,
        interrupts,
        &mut records,
        &mut progress,
        watch,
    );
    shared.stop.store(true, Ordering::Relaxed);
    for worker in workers {
        // One that broke has said so on its way.
        let _ = worker.join();
    }
    let ending = ending?;
    Ok((progress.statistics, ending))
}

/// Whether a game that was recorded is the one of the schedule.
fn same_match(
    setup: &Match,
    openings: &mut Openings,
    scheduled: Option<&Scheduled>,
    record: &GameRecord,
) -> Result<(), MatchError> {
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
        return differs("its place in the schedule", &record.game, &"none");
    };
    differs("the seed", &record.seed, &setup.seed)?;
    differs("the pair", &record.pair, &scheduled.pair)?;
    for (color, engine) in seats(variant, scheduled) {
        let (seat, Some(engine)) = (record.seat(color), setup.engines.get(engine)) else {
            continue;
        };
        let now = described(engine, &seat.version);
        differs("the name of an engine", &seat.name, &now.name)?;
        differs("an engine", &seat.engine, &now.engine)?;
        differs("an engine's options", &seat.options, &now.options)?;
        differs("an engine's limit", &seat.limit, &now.limit)?;
    }
    let (was, is) = (record.opening(), openings.get(scheduled.pair));
    differs("the opening", &was, &is)
}

/// Which engine has which colour in a game.
fn seats(variant: &Variant, game: &Scheduled) -> [(Color, usize); 2] {
    let first = variant.info().first;
    [(first, game.first), (!first, game.second)]
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

/// Takes in what the threads say until all of them have ended.
fn collect(
    shared: &Shared,
    messages: &Receiver<Message>,
    interrupts: &Interrupts,
    records: &mut Records,
    progress: &mut Progress,
    watch: &mut dyn FnMut(News<'_>, &State<'_>),
) -> Result<Ending, MatchError> {
    let ticks = tick(TICK);
    let mut finish = interrupts.finish.clone();
    let mut ending = progress.statistics.decision().map(Ending::Decided);
    let mut aborted = 0;
    loop {
        let message = select! {
            recv(messages) -> message => match message {
                Ok(message) => message,
                Err(_) => break,
            },
            recv(finish) -> _ => {
                // Closed, it would be ready for ever.
                finish = crossbeam_channel::never();
                shared.stop.store(true, Ordering::Relaxed);
                ending = Some(Ending::Interrupted { aborted: 0 });
                watch(News::Finishing, &progress.state());
                continue;
            },
            recv(ticks) -> _ => {
                watch(News::Tick, &progress.state());
                continue;
            },
        };
        let (game, bundle) = match message {
            Message::Played(game, bundle) => (*game, bundle),
            Message::Aborted => {
                aborted += 1;
                continue;
            }
            Message::Failed(error) => return Err(error),
        };
        if let (Some(bundle), Some(folder)) = (bundle, &shared.setup.failures) {
            let written = failures::write(&bundle, folder, &game, &shared.setup.command);
            let path = written.map_err(|error| MatchError::Bundle(folder.clone(), error))?;
            watch(News::Bundle(&path), &progress.state());
        }
        progress.now += 1;
        watch(News::Game(&game), &progress.state());
        for game in records.add(game)? {
            progress.statistics.add(&game)?;
            if let Some(decision) = progress.statistics.decision() {
                shared.stop.store(true, Ordering::Relaxed);
                ending.get_or_insert(Ending::Decided(decision));
            }
        }
    }
    let ending = ending.or_else(|| shared.gave_up());
    // A match that was to stop when its last games were running is complete all the same.
    let complete = progress.before + progress.now == progress.scheduled;
    Ok(match ending {
        Some(Ending::Interrupted { .. }) if !complete => Ending::Interrupted { aborted },
        Some(ending @ (Ending::Decided(_) | Ending::GaveUp { .. })) => ending,
        _ => Ending::Complete,
    })
}
