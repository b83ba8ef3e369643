//! Games of the program against itself. A game is a pure function of its conditions and its number.

use std::sync::atomic::{AtomicBool, Ordering};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::reflection::image;
use super::store::{GameKey, Task};
use crate::board::Zobrist;
use crate::games;
use crate::record::{Cause, GameRecord, GameResult, MoveRecord, Score, SearchInformation, Seat};
use crate::rules::{Board, Color, Step, Variant};
use crate::search::{Clock, Limits, Report, SearchRequest, Settings, new_search, random_step};

/// Memory of a search in bytes. It is part of the conditions: another size gives other games.
pub(super) const MEMORY: usize = 16 << 20;

/// Date of every record, as PGN writes one that is unknown: a date would make equal games unequal.
pub(super) const NO_DATE: &str = "????.??.??";

/// Engine of seats that play uniformly random steps.
pub const RANDOM: &str = "random";

/// Purpose of the games of a study.
pub const STUDY: &str = "study";

/// Purpose of the games of a study against a player who mirrors.
pub const MIRRORING: &str = "mirroring";

/// Engine of the seat that mirrors.
pub const MIRROR: &str = "mirror";

/// Text between the purpose of a game and its number of random steps, in the conditions of records.
const RANDOM_STEPS: &str = ", random-steps ";

/// End of a purpose, after the maximum number of games.
const MAX_GAMES: &str = " games at most";

/// Conditions of the games of a study.
#[derive(Clone, PartialEq, Debug)]
pub struct Conditions {
    /// Variant.
    pub variant: Variant,
    /// Nodes of the search of each move; 0 for uniformly random steps.
    pub nodes: u64,
    /// Purpose of the games.
    pub purpose: String,
    /// Maximum number of games, if records name it beside the purpose.
    pub max_games: Option<u64>,
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
            max_games: None,
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
        let most = self.max_games.map_or(String::new(), |games| format!(", {games}{MAX_GAMES}"));
        format!("{}{most}{RANDOM_STEPS}{}", self.purpose, self.beginning())
    }

    /// Describes how the games begin, as records have it.
    fn beginning(&self) -> String {
        let Self { random_steps, random_from, opening_text, .. } = self;
        let after = if opening_text.is_empty() { String::new() } else { format!(", after {opening_text}") };
        format!("{random_steps} from turn {random_from}{after}")
    }

    /// Returns the players of the game with a number, Black first.
    pub fn seats(&self, number: u64) -> [Seat; 2] {
        Color::BOTH.map(|color| self.seat(color, number))
    }

    fn seat(&self, color: Color, number: u64) -> Seat {
        let (engine, options, limit) = match self.nodes {
            0 => (RANDOM, String::new(), String::new()),
            nodes => (
                self.variant.info().method.name(),
                format!("Threads=1 Hash={}", MEMORY >> 20),
                format!("nodes {nodes}"),
            ),
        };
        let engine = if self.mirror(number) == Some(color) { MIRROR } else { engine };
        Seat {
            name: format!("{engine} ({color})"),
            engine: engine.to_owned(),
            options,
            version: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
            limit,
        }
    }
}

/// The conditions of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Description<'a> {
    /// Purpose of the game.
    pub purpose: &'a str,
    /// Maximum number of games for this purpose, if it is named.
    pub max_games: Option<u64>,
    /// The beginning of the game.
    pub beginning: &'a str,
}

impl<'a> Description<'a> {
    /// Reads the conditions of a record ([`Conditions::description`]). `None` if no game for a purpose has them.
    pub fn of(game: &'a GameRecord) -> Option<Self> {
        let (purpose, beginning) = game.conditions.as_deref()?.split_once(RANDOM_STEPS)?;
        let named = purpose.rsplit_once(", ").and_then(|(purpose, most)| {
            let most = most.strip_suffix(MAX_GAMES)?.parse().ok()?;
            Some((purpose, Some(most)))
        });
        let (purpose, max_games) = named.unwrap_or((purpose, None));
        Some(Self { purpose, max_games, beginning })
    }

    /// Describes games for a purpose that begin with these random steps or openings.
    pub fn write(purpose: &str, beginning: &str) -> String {
        format!("{purpose}{RANDOM_STEPS}{beginning}")
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
        let settings = Settings { method: conditions.variant.info().method, threads: 1, memory: MEMORY, seed };
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
            comment: None,
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

/// A game to be played.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Conditions of the game.
    pub conditions: &'a Conditions,
    /// Number of the game, from 1.
    pub number: u64,
}

impl<'a> Task for Job<'a> {
    type Player = Option<Player<'a>>;

    fn play(&self, player: &mut Self::Player, stop: &AtomicBool, clock: &dyn Clock) -> Option<GameRecord> {
        let known = player.take().filter(|player| std::ptr::eq(player.conditions, self.conditions));
        *player = known.or_else(|| Player::new(self.conditions));
        player.as_ref()?.play(self.number, stop, clock)
    }

    fn key(&self) -> GameKey {
        let Conditions { variant, nodes, purpose, seed, .. } = self.conditions;
        GameKey {
            purpose: purpose.clone(),
            nodes: *nodes,
            variant: variant.to_string(),
            opening: self.conditions.beginning(),
            seed: *seed,
            number: self.number,
        }
    }

    fn seats(&self) -> [Seat; 2] {
        self.conditions.seats(self.number)
    }

    fn max_nodes(&self) -> u64 {
        self.conditions.nodes
    }
}
