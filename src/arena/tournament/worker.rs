//! The threads of a match. Each plays one game after another, with its own players.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::engine::Engine;
use super::failures::FailureFiles;
use super::openings::Openings;
use super::player::{self, Exchange, Failure, Player, PlayerContext, Warning};
use super::referee::{self, Played, Side};
use super::run::{Ending, Interrupts, Match, MatchError};
use super::schedule::Scheduled;
use crate::client::adjudicator::Adjudicator;
use crate::record::{Cause, GameRecord, GameResult, MoveRecord, Seat, plain, today};
use crate::rules::{Color, Variant};

/// Maximum time between a crash and the interrupt that caused it.
const NOTICE: Duration = Duration::from_millis(100);

/// State shared by the threads.
pub(super) struct Shared {
    pub(super) setup: Match,
    variant: Variant,
    todo: Vec<Scheduled>,
    /// Number of games started.
    next: AtomicUsize,
    /// Stops further games.
    pub(super) stop: AtomicBool,
    openings: Mutex<Openings>,
    finish: Receiver<()>,
    abort: Receiver<()>,
    patience: Mutex<Patience>,
}

/// Failures of engines.
#[derive(Default)]
struct Patience {
    /// Number of failed games in a row, by engine.
    in_a_row: HashMap<String, u32>,
    /// Engines that completed a handshake, and engines that were ready for a game.
    have_met: HashSet<usize>,
    were_ready: HashSet<usize>,
    /// The ending of the match that the failures cause.
    end: Option<Ending>,
}

/// Reason why a game was not played.
enum NotReady {
    /// An engine can't play this match at all.
    Unfit(usize, String),
    /// The match is interrupted.
    Interrupted,
    /// The game is void: this program did not run for this time.
    Paused(Duration),
}

/// A message of a thread.
pub(super) enum Message {
    Played(Box<GameRecord>, Option<FailureFiles>),
    /// A game is void, and is played again: this program did not run for this time.
    Void(u64, Duration),
    Aborted,
    Failed(MatchError),
}

/// Describes an engine for records.
pub(super) fn described(engine: &Engine, version: &str) -> Seat {
    let options = engine.options.iter();
    let options: Vec<String> = options.map(|(name, value)| format!("{name}={value}")).collect();
    Seat {
        name: engine.name.clone(),
        engine: plain(&engine.kind.to_string()),
        options: plain(&options.join(" ")),
        version: plain(version),
        limit: engine.limit.to_string(),
    }
}

/// A thread that plays one game after another, with its own players.
pub(super) struct Worker<'a> {
    shared: &'a Shared,
    context: PlayerContext,
    players: HashMap<usize, Box<dyn Player>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared, warnings: Sender<Warning>) -> Self {
        Self {
            shared,
            context: PlayerContext {
                variant: shared.variant.clone(),
                timeout: shared.setup.conditions.timeout,
                interrupt: shared.abort.clone(),
                warnings,
            },
            players: HashMap::new(),
        }
    }

    /// Starts every engine that has a game to play, then plays. No game is scored before all engines have shown that
    /// they can play: the other threads wait until `met` is dropped.
    pub(super) fn begin(mut self, sender: &Sender<Message>, met: Sender<()>) {
        let games = self.shared.todo.iter();
        let places: BTreeSet<usize> = games.flat_map(|game| [game.first, game.second]).collect();
        for place in places {
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            let failure = match self.start(place) {
                Ok(player) => {
                    self.players.insert(place, player);
                    continue;
                }
                Err((failure, _)) => failure,
            };
            // The other threads must see the failure first.
            self.shared.stop.store(true, Ordering::Relaxed);
            let _ = sender.send(match self.shared.forgiven(place, &failure) {
                Err(unplayed) => self.shared.told(unplayed),
                Ok(_) => Message::Aborted,
            });
            return;
        }
        drop(met);
        self.work(sender);
    }

    /// Plays until the schedule is complete.
    pub(super) fn work(mut self, sender: &Sender<Message>) {
        let Some(mut rules) = Adjudicator::new(Some(&self.shared.variant)) else {
            let error = MatchError::NotOpened(self.shared.variant.clone());
            let _ = sender.send(Message::Failed(error));
            return;
        };
        while !self.shared.stop.load(Ordering::Relaxed) {
            let next = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = self.shared.todo.get(next) else {
                return;
            };
            let message = loop {
                break match self.game(game, &mut rules) {
                    Ok((record, bundle)) => {
                        self.shared.note(&record);
                        Message::Played(Box::new(record), bundle)
                    }
                    Err(NotReady::Paused(paused)) if !self.shared.stop.load(Ordering::Relaxed) => {
                        let _ = sender.send(Message::Void(game.game, paused));
                        continue;
                    }
                    Err(unplayed) => self.shared.told(unplayed),
                };
            };
            let last = !matches!(message, Message::Played(..));
            // Nobody receives messages of a match that can't go on.
            if sender.send(message).is_err() || last {
                return;
            }
        }
    }
}

impl Worker<'_> {
    fn game(
        &mut self,
        game: &Scheduled,
        rules: &mut Adjudicator,
    ) -> Result<(GameRecord, Option<FailureFiles>), NotReady> {
        let shared = self.shared;
        let opening = {
            let openings = shared.openings.lock();
            let mut openings = openings.unwrap_or_else(PoisonError::into_inner);
            let opening = openings.get(game.pair, &shared.abort);
            opening.ok_or(NotReady::Interrupted)?
        };
        let date = today();
        let (black, white) = (self.player(game, Color::Black), self.player(game, Color::White));
        let mut players = [black, white];
        let mut played = match &mut players {
            [Ok(black), Ok(white)] => {
                let side = |player, color| Side { player, limit: shared.engine(game, color).limit };
                let sides = [side(black.as_mut(), Color::Black), side(white.as_mut(), Color::White)];
                let seed = seed_of(shared.setup.seed, game.game);
                let conditions = &shared.setup.conditions;
                let mut ready = |color| {
                    let place = shared.place(game, color);
                    shared.patience().were_ready.insert(place);
                };
                let played = referee::play(conditions, rules, &opening, seed, sides, &mut ready);
                match played {
                    Ok(played) => played,
                    Err((color, failure)) => Played { broken: Some(color), ..shared.lost(game, color, &failure)? },
                }
            }
            [Err((failure, _)), _] => shared.lost(game, Color::Black, failure)?,
            [_, Err((failure, _))] => shared.lost(game, Color::White, failure)?,
        };
        // An interrupt may also have ended the engines, which is not their fault.
        let ended = RecvTimeoutError::Disconnected;
        if played.cause == Cause::Crash && shared.finish.recv_timeout(NOTICE) == Err(ended) {
            return Err(NotReady::Interrupted);
        }
        // A player that fails in the opening loses the game that starts with it.
        if played.moves.len() < opening.moves.len() {
            let book = opening.moves.iter().map(|text| MoveRecord::new(text, None));
            played.moves = book.collect();
        }
        let bundle = played.cause.is_failure().then(|| FailureFiles {
            exchanges: players.each_ref().map(|player| match player {
                Ok(player) => player.exchange(),
                Err((_, exchange)) => exchange.clone(),
            }),
        });
        let seats = [Color::Black, Color::White].map(|color| {
            let [black, white] = &players;
            let player = if color == Color::Black { black } else { white };
            let version = player.as_ref().map_or("", |player| player.version());
            described(shared.engine(game, color), version)
        });
        // Keeps a player for its next game, unless it failed.
        for (color, player) in Color::BOTH.into_iter().zip(players) {
            if let Ok(player) = player
                && played.broken != Some(color)
            {
                self.players.insert(shared.place(game, color), player);
            }
        }
        let [black, white] = seats;
        let fault = played.culprit.map(|color| shared.engine(game, color).name.clone());
        let record = GameRecord {
            game: game.game,
            pair: game.pair,
            variant: shared.variant.to_string(),
            date,
            seed: shared.setup.seed,
            conditions: Some(shared.setup.conditions()),
            start: opening.start.clone(),
            black,
            white,
            result: played.result,
            cause: played.cause,
            reason: plain(&played.reason),
            fault,
            comment: None,
            moves: played.moves,
            tags: Vec::new(),
        };
        Ok((record, bundle))
    }

    /// Returns the player of a color, and starts it if necessary.
    fn player(&mut self, game: &Scheduled, color: Color) -> Result<Box<dyn Player>, (Failure, Exchange)> {
        let place = self.shared.place(game, color);
        match self.players.remove(&place) {
            Some(player) => Ok(player),
            None => self.start(place),
        }
    }

    /// Starts a player.
    #[expect(clippy::indexing_slicing, reason = "the schedule was made from these engines")]
    fn start(&mut self, place: usize) -> Result<Box<dyn Player>, (Failure, Exchange)> {
        let player = player::start(&self.shared.setup.engines[place], &self.context)?;
        self.shared.patience().have_met.insert(place);
        Ok(player)
    }
}

/// Returns the seed of a game.
fn seed_of(seed: u64, game: u64) -> u32 {
    let mut generator = SplitMix64::seed_from_u64(seed);
    let of_match = generator.next_u64();
    SplitMix64::seed_from_u64(of_match ^ game).next_u32()
}

impl Shared {
    /// Creates the state for the remaining games of a match.
    pub(super) fn new(setup: Match, todo: Vec<Scheduled>, openings: Openings, interrupts: Interrupts) -> Self {
        Self {
            variant: setup.conditions.variant.clone(),
            setup,
            todo,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            openings: Mutex::new(openings),
            finish: interrupts.finish,
            abort: interrupts.abort,
            patience: Mutex::default(),
        }
    }

    /// Returns the ending that too many failures cause.
    pub(super) fn too_many_failures(&self) -> Option<Ending> {
        self.patience().end.take()
    }

    /// Records the loss of a player that was not ready.
    fn lost(&self, game: &Scheduled, color: Color, failure: &Failure) -> Result<Played, NotReady> {
        let (cause, reason) = self.forgiven(self.place(game, color), failure)?;
        Ok(Played {
            result: GameResult::of(Some(!color)),
            cause,
            reason,
            moves: Vec::new(),
            culprit: Some(color),
            broken: None,
        })
    }

    /// Handles an engine that was not ready for a game.
    ///
    /// It loses the game, unless it was never ready: then it can't play the match.
    fn forgiven(&self, place: usize, failure: &Failure) -> Result<(Cause, String), NotReady> {
        let patience = self.patience();
        let was_ready = patience.were_ready.contains(&place);
        let why = match failure {
            Failure::Lost(cause, why) if was_ready => return Ok((*cause, why.clone())),
            Failure::Unfit(why) if was_ready => return Ok((Cause::Crash, why.clone())),
            Failure::Lost(_, why) if patience.have_met.contains(&place) => {
                format!("it was never ready for a game: {why}")
            }
            Failure::Lost(_, why) => format!("its handshake failed: {why}"),
            Failure::Unfit(why) | Failure::NoRoom(why) => why.clone(),
            Failure::Interrupted => return Err(NotReady::Interrupted),
            Failure::Paused(paused) => return Err(NotReady::Paused(*paused)),
        };
        Err(NotReady::Unfit(place, why))
    }

    /// Returns the message about a game that was not played.
    fn told(&self, unplayed: NotReady) -> Message {
        let ended = Err(RecvTimeoutError::Disconnected);
        match unplayed {
            // An interrupt may also have ended the engine, which is not its fault.
            NotReady::Unfit(place, why) if self.finish.recv_timeout(NOTICE) != ended => {
                let engine = self.setup.engines.get(place);
                let name = engine.map_or(String::new(), |engine| engine.name.clone());
                Message::Failed(MatchError::Unfit { name, why })
            }
            NotReady::Unfit(..) | NotReady::Interrupted | NotReady::Paused(_) => Message::Aborted,
        }
    }

    fn patience(&self) -> MutexGuard<'_, Patience> {
        let patience = self.patience.lock();
        patience.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the match if an engine failed too often.
    fn note(&self, game: &GameRecord) {
        let mut patience = self.patience();
        for name in [&game.black.name, &game.white.name] {
            let failed = patience.in_a_row.entry(name.clone()).or_default();
            *failed = if game.fault.as_ref() == Some(name) { *failed + 1 } else { 0 };
            if *failed == self.setup.max_failures {
                self.stop.store(true, Ordering::Relaxed);
                patience.end =
                    Some(Ending::TooManyFailures { name: name.clone(), cause: game.cause, why: game.reason.clone() });
            }
        }
    }

    /// Returns the engine of a color in a game.
    fn place(&self, game: &Scheduled, color: Color) -> usize {
        game.engine(color == self.variant.info().first)
    }

    #[expect(clippy::indexing_slicing, reason = "the schedule was made from these engines")]
    fn engine(&self, game: &Scheduled, color: Color) -> &Engine {
        &self.setup.engines[self.place(game, color)]
    }
}
