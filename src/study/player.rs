//! Games of the program against itself. A game is a pure function of its conditions and its number.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::mirroring::image;
use crate::board::Zobrist;
use crate::games;
use crate::record::{Cause, GameRecord, GameResult, MoveRecord, Score, SearchInformation, Seat};
use crate::rules::{Board, Color, Method, Step, Variant};
use crate::search::{Clock, Limits, Report, STACK_BYTES, SearchRequest, Settings, new_search, random_step};

/// Memory of a search in bytes. It is part of the conditions: another size gives other games.
pub(super) const MEMORY: usize = 16 << 20;

/// Date of every record, as PGN writes one that is unknown: a date would make equal games unequal.
pub(super) const NO_DATE: &str = "????.??.??";

/// Engine of seats that play uniformly random steps.
pub const RANDOM: &str = "random";

/// Most nodes a move of a kept game that is played again, to see whether this program would play it.
pub(super) const MAX_REPEATED: u64 = 1024;

/// Purpose of the games of a study.
pub const STUDY: &str = "study";

/// Purpose of the games of a study against a player who mirrors.
pub const MIRRORING: &str = "mirroring";

/// Engine of the seat that mirrors.
pub const MIRROR: &str = "mirror";

/// Text between the purpose of a game and its number of random steps, in the conditions of records.
pub const RANDOM_STEPS: &str = ", random-steps ";

/// Interval of [`PlayEvent::Tick`].
const TICK: Duration = Duration::from_millis(250);

/// Conditions of the games of a study.
#[derive(Clone, PartialEq, Debug)]
pub struct Conditions {
    /// Variant.
    pub variant: Variant,
    /// Nodes of the search of each move; 0 for uniformly random steps.
    pub nodes: u64,
    /// Purpose of the games, as records have it.
    pub purpose: String,
    /// Steps at the start of every game.
    pub opening: Vec<Step>,
    /// The same as text, with commas between.
    pub opening_text: String,
    /// Uniformly random steps after them, completed until both players have had equally many random turns.
    pub random_steps: u32,
    /// First turn at which random steps are played. Earlier moves are searched.
    pub random_from: u32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// True if one player mirrors ([`Conditions::mirror`]): it copies each move of the opponent where that is legal.
    pub mirroring: bool,
}

impl Conditions {
    /// Creates conditions without steps at the start. Random steps begin at [`first_random_turn`].
    pub fn new(variant: &Variant, nodes: u64, random_steps: u32, seed: u64) -> Self {
        Self {
            variant: variant.clone(),
            nodes,
            purpose: STUDY.to_owned(),
            opening: Vec::new(),
            opening_text: String::new(),
            random_steps,
            random_from: first_random_turn(variant),
            seed,
            mirroring: false,
        }
    }

    /// Returns the player who mirrors in the game with a number: the one who moves second in odd games, the one who
    /// moves first in even games. `None` if nobody does.
    pub fn mirror(&self, number: u64) -> Option<Color> {
        let first = self.variant.info().first;
        let mirror = if number.is_multiple_of(2) { first } else { !first };
        self.mirroring.then_some(mirror)
    }

    /// Returns the conditions as records have them.
    pub fn description(&self) -> String {
        let Self { purpose, random_steps, random_from, opening_text, .. } = self;
        let after = match opening_text.is_empty() {
            true => String::new(),
            false => format!(", after {opening_text}"),
        };
        format!("{purpose}{RANDOM_STEPS}{random_steps} from turn {random_from}{after}")
    }

    /// Returns the players of the game with a number, Black first.
    pub fn seats(&self, number: u64) -> [Seat; 2] {
        Color::BOTH.map(|color| self.seat(color, number))
    }

    fn seat(&self, color: Color, number: u64) -> Seat {
        let (engine, options, limit) = match self.nodes {
            0 => (RANDOM, String::new(), String::new()),
            nodes => ("pvs", format!("Threads=1 Hash={}", MEMORY >> 20), format!("nodes {nodes}")),
        };
        let engine = match self.mirror(number) == Some(color) {
            true => MIRROR,
            false => engine,
        };
        Seat {
            name: format!("{engine} ({color})"),
            engine: engine.to_owned(),
            options,
            version: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
            limit,
        }
    }
}

/// Returns the first turn for random steps: 3 with the pie, whose moves would mean nothing if they were random, else 1.
pub fn first_random_turn(variant: &Variant) -> u32 {
    if variant.switch("pie") { 3 } else { 1 }
}

/// Player of the games of some conditions.
pub struct Player<'a> {
    conditions: &'a Conditions,
    board: Box<dyn Board>,
}

impl<'a> Player<'a> {
    /// Opens the variant; `None` if the game is not in the catalogue.
    pub fn new(conditions: &'a Conditions) -> Option<Self> {
        let board = games::open(&conditions.variant)?;
        Some(Self { conditions, board })
    }

    /// Plays the game with a number, from 1, to its end.
    ///
    /// Games of equal numbers and conditions are equal on every machine. Where two conditions differ in other things
    /// than `seed`, `opening` and random steps, games of equal numbers share their random opening. Returns `None` if
    /// stopped.
    pub fn play(&self, number: u64, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord> {
        let conditions = self.conditions;
        let seed = Zobrist::state_key(conditions.seed).0.wrapping_add(number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let settings = Settings { method: Method::Pvs, threads: 1, memory: MEMORY, seed };
        let mut search = (conditions.nodes > 0).then(|| new_search(settings));
        let limits = Limits { nodes: Some(conditions.nodes), ..Limits::default() };
        let mut game = Game { board: self.board.fork(), moves: Vec::new() };
        for &step in &conditions.opening {
            if !game.board.is_legal(step) {
                break;
            }
            game.add(&[step], None);
        }
        // Turn at which the random steps began, and their number.
        let mut opening = (conditions.random_steps > 0).then_some((None, 0));
        while game.board.count() > 0 {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if conditions.mirror(number) == Some(game.board.side())
                && let Some(steps) = game.image()
            {
                if let Some(search) = &mut search {
                    steps.iter().for_each(|&step| search.advance(step));
                }
                game.add(&steps, Some(SearchInformation::default()));
                continue;
            }
            let turn = game.board.turn();
            if let Some((begun, played)) = &mut opening
                && turn >= conditions.random_from
            {
                let turns = turn - *begun.get_or_insert(turn);
                if *played < conditions.random_steps || turns % 2 == 1 || game.is_within_turn() {
                    let step = random_step(&mut *game.board, &mut random)?;
                    *played += 1;
                    game.add(&[step], None);
                    continue;
                }
                opening = None;
            }
            let (steps, information) = match &mut search {
                None => (random_move(&*game.board, &mut random), SearchInformation::default()),
                Some(search) => {
                    let request = SearchRequest::new(limits, stop, clock);
                    let report = search.run(&*game.board, &request);
                    // A stopped search has not reached its limit: its result can't be repeated.
                    if stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    let information = information(&report);
                    (report.best_move, information)
                }
            };
            if steps.is_empty() {
                log::error!("{}: game {number}: no move was found", conditions.variant);
                return None;
            }
            if let Some(search) = &mut search {
                steps.iter().for_each(|&step| search.advance(step));
            }
            game.add(&steps, Some(information));
        }
        let outcome = game.board.outcome()?;
        Some(GameRecord {
            game: number,
            pair: number,
            variant: conditions.variant.to_string(),
            date: NO_DATE.to_owned(),
            seed: conditions.seed,
            conditions: Some(conditions.description()),
            start: None,
            black: conditions.seat(Color::Black, number),
            white: conditions.seat(Color::White, number),
            result: GameResult::of(outcome.winner),
            cause: Cause::Normal,
            reason: outcome.reason.to_owned(),
            fault: None,
            moves: game.moves,
            tags: Vec::new(),
        })
    }
}

/// Plays one game ([`Player::play`]). Returns `None` if stopped, or if the game is not in the catalogue.
pub fn play(conditions: &Conditions, number: u64, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord> {
    Player::new(conditions)?.play(number, stop, clock)
}

/// A game being played.
pub(super) struct Game {
    pub(super) board: Box<dyn Board>,
    pub(super) moves: Vec<MoveRecord>,
}

impl Game {
    /// Plays the steps of a move. Without information they belong to the opening, whose steps of one move are joined.
    pub(super) fn add(&mut self, steps: &[Step], information: Option<SearchInformation>) {
        let side = self.board.side();
        let goes_on = information.is_none() && self.board.ply() > 0 && self.board.side_at(self.board.ply() - 1) == side;
        let mut texts = Vec::new();
        for &step in steps {
            texts.push(self.board.write_step(step));
            self.board.make(step);
        }
        let made = MoveRecord::new(texts.join(","), information);
        match self.moves.last_mut().filter(|last| goes_on && last.information.is_none()) {
            Some(last) => last.join(made),
            None => self.moves.push(made),
        }
    }

    /// Returns the steps that mirror the last move, if the other player made it and they are a legal move.
    fn image(&self) -> Option<Vec<Step>> {
        let last = self.board.ply().checked_sub(1)?;
        let made = self.moves.last()?;
        let is_reply = self.board.side_at(last) != self.board.side();
        is_reply.then(|| image(&*self.board, &made.text)).flatten()
    }

    /// Returns true if the last step has not ended its turn.
    fn is_within_turn(&self) -> bool {
        let Some(before) = self.board.ply().checked_sub(1) else {
            return false;
        };
        self.board.fork_at(before).turn() == self.board.turn()
    }
}

/// Returns random steps until the turn passes or the game ends.
fn random_move(board: &dyn Board, random: &mut Xoshiro256PlusPlus) -> Vec<Step> {
    let mut here = board.fork();
    let side = here.side();
    let mut steps = Vec::new();
    while here.side() == side {
        let Some(step) = random_step(&mut *here, random) else {
            break;
        };
        here.make(step);
        steps.push(step);
    }
    steps
}

/// Returns what records keep of a search. Time is left out: it differs from run to run.
pub(super) fn information(report: &Report) -> SearchInformation {
    SearchInformation {
        time_ms: 0,
        score: report.lines.first().map(|line| Score::of(line.expected_score, line.proof)),
        depth: Some(report.statistics.selective_depth),
        nodes: Some(report.statistics.nodes),
    }
}

/// Returns the expected score of a player, from 0 to 1, that a recorded score of this player stands for.
pub fn expected_score(score: Score) -> f64 {
    match score {
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
        Score::Cp(cp) => 1.0 / (1.0 + libm::exp10(f64::from(-cp) / 400.0)),
    }
}

/// A game to be played.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Conditions of the game.
    pub conditions: &'a Conditions,
    /// Number of the game, from 1.
    pub number: u64,
}

/// A game that can be played: a pure function of what the task says.
pub trait Task: Copy + Sync {
    /// State that a thread keeps from one game to the next.
    type Worker: Default;

    /// Plays the game. Returns `None` if stopped, or if it can't be played.
    fn play(&self, worker: &mut Self::Worker, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord>;
}

impl<'a> Task for Job<'a> {
    type Worker = Option<Player<'a>>;

    fn play(&self, worker: &mut Self::Worker, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord> {
        let known = worker.take().filter(|player| std::ptr::eq(player.conditions, self.conditions));
        *worker = known.or_else(|| Player::new(self.conditions));
        worker.as_ref()?.play(self.number, stop, clock)
    }
}

/// An event while games are played.
#[derive(Debug)]
pub enum PlayEvent {
    /// The game of the job at a place of the list has ended.
    Game(usize, Box<GameRecord>),
    /// Time has passed.
    Tick,
}

/// End of [`play_all`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlayEnd {
    /// All games were delivered.
    Complete,
    /// `stop` was set, or `watch` returned false. Games that were not delivered are lost.
    Stopped,
    /// A game could not be played: its variant can't be opened, or the program is at fault.
    Failed,
}

/// Plays games on several threads, and delivers them in the order of the list, whatever the number of threads.
///
/// `watch` returns false to stop. It runs on the caller's thread.
///
/// # Errors
/// If no thread can be started.
pub fn play_all<T: Task>(
    jobs: &[T],
    threads: usize,
    stop: &AtomicBool,
    clock: &dyn Clock,
    watch: &mut dyn FnMut(PlayEvent) -> bool,
) -> io::Result<PlayEnd> {
    let threads = threads.clamp(1, jobs.len().max(1));
    let next = AtomicUsize::new(0);
    // Set when the caller stops, or when a game fails: searches poll this one.
    let ended = AtomicBool::new(false);
    let work = |sender: Sender<(usize, Option<GameRecord>)>| {
        let mut worker = T::Worker::default();
        while !ended.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else {
                break;
            };
            let game = job.play(&mut worker, &ended, clock);
            if sender.send((place, game)).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        let (sender, games) = unbounded();
        let mut workers = Vec::new();
        for started in 0..threads {
            let (sender, work) = (sender.clone(), &work);
            let thread = thread::Builder::new().name("study".to_owned()).stack_size(STACK_BYTES);
            match thread.spawn_scoped(scope, move || work(sender)) {
                Ok(worker) => workers.push(worker),
                Err(error) if started == 0 => return Err(error),
                Err(error) => {
                    log::warn!("{started} games at once instead of {threads}: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let mut waiting: BTreeMap<usize, GameRecord> = BTreeMap::new();
        let mut delivered = 0;
        let mut end = None;
        while end.is_none() && delivered < jobs.len() {
            let goes_on = match games.recv_timeout(TICK) {
                Ok((place, Some(game))) => {
                    waiting.insert(place, game);
                    let mut goes_on = true;
                    while goes_on && let Some(game) = waiting.remove(&delivered) {
                        goes_on = watch(PlayEvent::Game(delivered, Box::new(game)));
                        delivered += 1;
                    }
                    goes_on
                }
                Err(RecvTimeoutError::Timeout) => watch(PlayEvent::Tick),
                // A worker has panicked, or its game is not in the catalogue.
                Ok((_, None)) | Err(RecvTimeoutError::Disconnected) => {
                    end = Some(PlayEnd::Failed);
                    break;
                }
            };
            if !goes_on || stop.load(Ordering::Relaxed) {
                end = Some(PlayEnd::Stopped);
            }
        }
        ended.store(true, Ordering::Relaxed);
        // A scope passes on panics of threads that nobody has joined.
        for worker in workers {
            if worker.join().is_err() {
                end = Some(PlayEnd::Failed);
            }
        }
        Ok(match end {
            Some(end) if delivered < jobs.len() => end,
            _ => PlayEnd::Complete,
        })
    })
}
