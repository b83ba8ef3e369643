//! The threads of a match: each plays one game after the other, with players of its own.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::engine::Engine;
use super::failures::Bundle;
use super::openings::Openings;
use super::player::{self, Exchange, Failure, Player, Surroundings};
use super::referee::{self, Played, Side};
use super::run::{Ending, Interrupts, Match, MatchError};
use super::schedule::Scheduled;
use crate::arena::record::{Cause, GameRecord, GameResult, MoveRecord, Seat, plain};
use crate::client::adjudicator::Adjudicator;
use crate::rules::{Color, Variant};

/// How long after a crash the end of the match may be noticed that caused it.
const NOTICE: Duration = Duration::from_millis(100);

/// What the threads share.
pub(super) struct Shared {
    pub(super) setup: Match,
    variant: Variant,
    todo: Vec<Scheduled>,
    /// How many of them have been begun.
    next: AtomicUsize,
    /// No more games begin once this is set.
    pub(super) stop: AtomicBool,
    openings: Mutex<Openings>,
    finish: Receiver<()>,
    abort: Receiver<()>,
    patience: Mutex<Patience>,
}

/// How often engines have failed.
#[derive(Default)]
struct Patience {
    /// In how many games in a row, by name.
    in_a_row: HashMap<String, u32>,
    /// The engines whose handshake was completed once, and those that were ready for a game once.
    have_met: HashSet<usize>,
    were_ready: HashSet<usize>,
    /// How the match ends because of it.
    end: Option<Ending>,
}

/// Why a game was not played.
enum Unplayed {
    /// An engine can't play this match at all, and why.
    Unfit(usize, String),
    /// The match is to stop.
    Interrupted,
}

/// What a thread has to say.
pub(super) enum Message {
    Played(Box<GameRecord>, Option<Bundle>),
    Aborted,
    Failed(MatchError),
}

/// An engine as records have it.
pub(super) fn described(engine: &Engine, version: &str) -> Seat {
    let options = engine.options.iter();
    let options: Vec<String> = options
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    Seat {
        name: engine.name.clone(),
        engine: plain(&engine.kind.to_string()),
        options: plain(&options.join(" ")),
        version: plain(version),
        limit: engine.limit.to_string(),
    }
}

/// A thread that plays one game after the other, with players of its own.
pub(super) struct Worker<'a> {
    shared: &'a Shared,
    around: Surroundings,
    players: HashMap<usize, Box<dyn Player>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            around: Surroundings {
                variant: shared.variant.clone(),
                timeout: shared.setup.conditions.timeout,
                interrupt: shared.abort.clone(),
            },
            players: HashMap::new(),
        }
    }

    /// Meets every engine that has a game to play, so that none is scored before all have shown that they can play, and
    /// then plays. The others wait until `met` is dropped.
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
            // The others must see it first.
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

    /// Plays until there is nothing more to play.
    pub(super) fn work(mut self, sender: &Sender<Message>) {
        let Some(mut judge) = Adjudicator::new(Some(&self.shared.variant)) else {
            let error = MatchError::NotOpened(self.shared.variant.clone());
            let _ = sender.send(Message::Failed(error));
            return;
        };
        while !self.shared.stop.load(Ordering::Relaxed) {
            let next = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(game) = self.shared.todo.get(next) else {
                return;
            };
            let message = match self.game(game, &mut judge) {
                Ok((record, bundle)) => {
                    self.shared.note(&record);
                    Message::Played(Box::new(record), bundle)
                }
                Err(unplayed) => self.shared.told(unplayed),
            };
            let last = !matches!(message, Message::Played(..));
            // Nobody listens to a match that can't go on.
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
        judge: &mut Adjudicator,
    ) -> Result<(GameRecord, Option<Bundle>), Unplayed> {
        let shared = self.shared;
        let opening = {
            let openings = shared.openings.lock();
            let mut openings = openings.unwrap_or_else(PoisonError::into_inner);
            let opening = openings.get(game.pair, &shared.abort);
            opening.ok_or(Unplayed::Interrupted)?
        };
        let date = today();
        let (black, white) = (
            self.player(game, Color::Black),
            self.player(game, Color::White),
        );
        let mut players = [black, white];
        let mut played = match &mut players {
            [Ok(black), Ok(white)] => {
                let side = |player, color| Side {
                    player,
                    limit: shared.engine(game, color).limit,
                };
                let sides = [
                    side(black.as_mut(), Color::Black),
                    side(white.as_mut(), Color::White),
                ];
                let seed = seed_of(shared.setup.seed, game.game);
                let conditions = &shared.setup.conditions;
                let mut ready = |color| {
                    let place = shared.place(game, color);
                    shared.patience().were_ready.insert(place);
                };
                let played = referee::play(conditions, judge, &opening, seed, sides, &mut ready);
                match played {
                    Ok(played) => played,
                    Err((color, failure)) => Played {
                        broken: Some(color),
                        ..shared.lost(game, color, &failure)?
                    },
                }
            }
            [Err((failure, _)), _] => shared.lost(game, Color::Black, failure)?,
            [_, Err((failure, _))] => shared.lost(game, Color::White, failure)?,
        };
        // Whoever ends the match may have ended the engines, too, which is not their fault.
        let ended = RecvTimeoutError::Disconnected;
        if played.cause == Cause::Crash && shared.finish.recv_timeout(NOTICE) == Err(ended) {
            return Err(Unplayed::Interrupted);
        }
        // Whoever fails in the opening loses the game that it begins.
        if played.moves.len() < opening.moves.len() {
            let book = opening.moves.iter().map(|text| MoveRecord {
                text: text.clone(),
                thought: None,
            });
            played.moves = book.collect();
        }
        let bundle = played.cause.is_failure().then(|| Bundle {
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
        // A player is kept for its next game, unless it has failed.
        for (color, player) in Color::BOTH.into_iter().zip(players) {
            if let Ok(player) = player
                && played.broken != Some(color)
            {
                self.players.insert(shared.place(game, color), player);
            }
        }
        let [black, white] = seats;
        let fault = played
            .culprit
            .map(|color| shared.engine(game, color).name.clone());
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
            moves: played.moves,
        };
        Ok((record, bundle))
    }

    /// The player of a colour: the one that is here, or a new one.
    fn player(
        &mut self,
        game: &Scheduled,
        color: Color,
    ) -> Result<Box<dyn Player>, (Failure, Exchange)> {
        let place = self.shared.place(game, color);
        match self.players.remove(&place) {
            Some(player) => Ok(player),
            None => self.start(place),
        }
    }

    /// A new player.
    #[expect(
        clippy::indexing_slicing,
        reason = "the schedule was made from these engines"
    )]
    fn start(&mut self, place: usize) -> Result<Box<dyn Player>, (Failure, Exchange)> {
        let player = player::start(&self.shared.setup.engines[place], &self.around)?;
        self.shared.patience().have_met.insert(place);
        Ok(player)
    }
}

/// The seed of a game's random numbers.
fn seed_of(seed: u64, game: u64) -> u32 {
    let mut generator = SplitMix64::seed_from_u64(seed);
    let of_match = generator.next_u64();
    SplitMix64::seed_from_u64(of_match ^ game).next_u32()
}

impl Shared {
    /// Games of a match that are still to be played.
    pub(super) fn new(
        setup: Match,
        todo: Vec<Scheduled>,
        openings: Openings,
        interrupts: Interrupts,
    ) -> Self {
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

    /// How the match ends because an engine failed too often, if it does.
    pub(super) fn too_many_failures(&self) -> Option<Ending> {
        self.patience().end.take()
    }

    /// A game that a player has lost by not being there.
    fn lost(&self, game: &Scheduled, color: Color, failure: &Failure) -> Result<Played, Unplayed> {
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

    /// How an engine loses a game that it was not ready for. One that never was ready for a game can't play at all, which is
    /// the match's business.
    fn forgiven(&self, place: usize, failure: &Failure) -> Result<(Cause, String), Unplayed> {
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
            Failure::Interrupted => return Err(Unplayed::Interrupted),
        };
        Err(Unplayed::Unfit(place, why))
    }

    /// What the match is told of a game that was not played.
    fn told(&self, unplayed: Unplayed) -> Message {
        let ended = Err(RecvTimeoutError::Disconnected);
        match unplayed {
            // Whoever ends the match may have ended the engine, too, which is not its fault.
            Unplayed::Unfit(place, why) if self.finish.recv_timeout(NOTICE) != ended => {
                let engine = self.setup.engines.get(place);
                let name = engine.map_or(String::new(), |engine| engine.name.clone());
                Message::Failed(MatchError::Unfit { name, why })
            }
            Unplayed::Unfit(..) | Unplayed::Interrupted => Message::Aborted,
        }
    }

    fn patience(&self) -> MutexGuard<'_, Patience> {
        let patience = self.patience.lock();
        patience.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the match where an engine has failed too often.
    fn note(&self, game: &GameRecord) {
        let mut patience = self.patience();
        for name in [&game.black.name, &game.white.name] {
            let failed = patience.in_a_row.entry(name.clone()).or_default();
            *failed = match game.fault.as_ref() == Some(name) {
                true => *failed + 1,
                false => 0,
            };
            if *failed == self.setup.max_failures {
                self.stop.store(true, Ordering::Relaxed);
                patience.end = Some(Ending::GaveUp {
                    name: name.clone(),
                    cause: game.cause,
                    why: game.reason.clone(),
                });
            }
        }
    }

    /// Which engine has a colour in a game.
    fn place(&self, game: &Scheduled, color: Color) -> usize {
        game.engine(color == self.variant.info().first)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the schedule was made from these engines"
    )]
    fn engine(&self, game: &Scheduled, color: Color) -> &Engine {
        &self.setup.engines[self.place(game, color)]
    }
}

/// The date in UTC as records have it, such as 2026.03.31.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let (date, _) = now.split_once('T').unwrap_or((&now, ""));
    date.replace('-', ".")
}
