//! The referee: plays one game by the rules, from its opening to its end.

use std::time::{Duration, Instant};

use super::adjudication::{Resignation, ScoreHistory};
use super::engine::TimeControl;
use super::player::{Answer, Budget, Failure, Player, Setting};
use crate::client::adjudicator::Adjudicator;
use crate::client::pauses::paused_since;
use crate::record::{Cause, GameResult, MoveRecord, Opening, RESIGNATION, Score, SearchInformation};
use crate::rules::{Color, Outcome, Variant};
use crate::session::GameClock;
use crate::text::counted;

/// Conditions of every game of a match.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Variant.
    pub variant: Variant,
    /// Grace period after the time limit of an answer.
    pub time_margin: Duration,
    /// Additional time before an engine counts as stalled, and time limit of an answer that needs no search.
    pub timeout: Duration,
    /// Time limit of a move that is limited by nodes.
    pub move_timeout: Duration,
    /// Number of moves of both players after which a game is a draw.
    pub max_moves: Option<u64>,
    /// Rule for adjudicating a loss.
    pub resignation: Option<Resignation>,
}

/// A finished game.
#[derive(Debug)]
pub struct Played {
    /// Result.
    pub result: GameResult,
    /// Cause of the end.
    pub cause: Cause,
    /// Reason by the rules, or description of the failure.
    pub reason: String,
    /// All moves.
    pub moves: Vec<MoveRecord>,
    /// Player at fault, if the game did not end by the rules.
    pub culprit: Option<Color>,
    /// Players whose process must be restarted.
    pub broken: Option<Color>,
}

/// The player that failed before the game could start, and its failure.
pub type NotReady = (Color, Failure);

/// One side of a game.
pub struct Side<'a> {
    /// Player.
    pub player: &'a mut dyn Player,
    /// Time control.
    pub limit: TimeControl,
}

/// A game being played.
struct Game<'a> {
    conditions: &'a Conditions,
    rules: &'a mut Adjudicator,
    /// Black and White.
    sides: [Side<'a>; 2],
    /// The clocks of each player's own time control, if it has one.
    clocks: [Option<GameClock>; 2],
    moves: Vec<MoveRecord>,
    views: ScoreHistory,
}

/// Way in which a game ended.
enum End {
    /// It has not started.
    NotReady(Color, Failure),
    Over,
    Length,
    Resigned(Color),
    Adjudicated(Color, Resignation),
    Failed(Color, Failure),
    /// The answer came, but loses the game.
    Forfeit(Color, Cause, String),
}

/// Time that a referee with clocks may sleep without voiding the game. It is not charged to the player.
const SHORT_PAUSE: Duration = Duration::from_secs(1);

/// Verdict on the time of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timing {
    /// The answer came in time.
    Kept,
    /// The answer came late, whatever happened in pauses.
    Late,
    /// The answer may have come in time: this program did not run meanwhile.
    Unknown,
}

impl Timing {
    /// Judges an answer that was read after `took`, of which this program did not run for `paused`.
    pub fn of(took: Duration, paused: Duration, allowed: Option<Duration>, has_clock: bool) -> Self {
        match allowed {
            Some(allowed) if took.saturating_sub(paused) > allowed => Self::Late,
            Some(allowed) if took > allowed => Self::Unknown,
            // Nobody knows what the clock showed when the answer came.
            _ if has_clock && paused > SHORT_PAUSE => Self::Unknown,
            _ => Self::Kept,
        }
    }
}

/// Plays a game between Black and White. Calls `ready` for each player that is ready.
///
/// # Errors
/// If a player is not ready or can't play at all, or the match is interrupted.
pub fn play<'a>(
    conditions: &'a Conditions,
    rules: &'a mut Adjudicator,
    opening: &Opening,
    seed: u32,
    sides: [Side<'a>; 2],
    ready: &mut dyn FnMut(Color),
) -> Result<Played, NotReady> {
    let clocks = sides.each_ref().map(|side| side.limit.settings().map(GameClock::new));
    let mut game = Game { conditions, rules, sides, clocks, moves: Vec::new(), views: ScoreHistory::default() };
    let end = match game.begin(opening, seed, ready) {
        Ok(()) => game.go_on(),
        Err(end) => end,
    };
    game.result(end)
}

impl<'a> Game<'a> {
    fn side(&mut self, color: Color) -> &mut Side<'a> {
        let [black, white] = &mut self.sides;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    fn begin(&mut self, opening: &Opening, seed: u32, ready: &mut dyn FnMut(Color)) -> Result<(), End> {
        let variant = &self.conditions.variant;
        let setting = Setting { variant, opening, seed };
        // First of all: the rules still hold the end of the previous game.
        let begun = self.rules.begin(opening.start.as_deref());
        let side = self.rules.side();
        // Openings were checked against the same rules.
        let unfit = |why: String| End::Failed(side, Failure::Unfit(why));
        begun.map_err(|error| unfit(error.to_string()))?;
        for color in Color::BOTH {
            let Side { player, limit } = self.side(color);
            let begun = player.begin(&setting, *limit);
            begun.map_err(|failure| End::NotReady(color, failure))?;
            ready(color);
        }
        for text in &opening.moves {
            let mover = self.rules.side();
            self.rules.play(text).map_err(unfit)?;
            self.played(mover, None, false)?;
        }
        Ok(())
    }

    /// Records the move that the rules have accepted, or appends it to the unfinished move, and tells both players.
    fn played(&mut self, mover: Color, information: Option<SearchInformation>, goes_on: bool) -> Result<(), End> {
        let text = self.rules.last_play();
        let made = MoveRecord::new(text.clone(), information);
        match self.moves.last_mut().filter(|_| goes_on) {
            Some(whole) => whole.join(made),
            None => self.moves.push(made),
        }
        for color in Color::BOTH {
            let own = color == mover && information.is_some();
            let heard = self.side(color).player.hear(mover, &text, own);
            heard.map_err(|failure| End::Failed(color, failure))?;
        }
        Ok(())
    }

    fn go_on(&mut self) -> End {
        let mut mover = None;
        while !self.rules.is_over() {
            let side = self.rules.side();
            let goes_on = mover == Some(side);
            let max_moves = self.conditions.max_moves.unwrap_or(u64::MAX);
            if !goes_on && self.moves.len() as u64 >= max_moves {
                return End::Length;
            }
            if !goes_on
                && let Some(rule) = self.conditions.resignation
                && let Some(loser) = self.views.loser(rule)
            {
                return End::Adjudicated(loser, rule);
            }
            if let Err(end) = self.one_answer(side, goes_on) {
                return end;
            }
            mover = Some(side);
        }
        End::Over
    }

    /// Gets a move from a player, or a part of one. A player that answers a part is asked again.
    fn one_answer(&mut self, side: Color, goes_on: bool) -> Result<(), End> {
        let budget = self.budget(side);
        let failed = |failure| End::Failed(side, failure);
        let player = &mut *self.side(side).player;
        player.prepare(side, &budget).map_err(failed)?;
        let began = Instant::now();
        let (answer, mut information) = player.think(side, &budget).map_err(failed)?;
        let (took, paused) = (began.elapsed(), paused_since(began));
        let allowed = self.allowed(side);
        let timing = Timing::of(took, paused, allowed, self.clock(side).is_some());
        let took = took.saturating_sub(paused);
        information.time_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        if information.nodes.is_some_and(|nodes| nodes <= 1)
            && self.rules.is_forced()
            && !matches!(information.score, Some(Score::Mate(_)))
        {
            // A single legal step needs no search, so its score means nothing, unless the result was known before.
            information.score = None;
        }
        let forfeit = |cause, why| Err(End::Forfeit(side, cause, why));
        match (timing, allowed) {
            (Timing::Late, Some(allowed)) => {
                let (took, allowed) = (took.as_secs_f64(), allowed.as_secs_f64());
                return forfeit(Cause::Time, format!("{took:.3} s for a move that may take {allowed:.3} s"));
            }
            (Timing::Unknown, _) => return Err(End::Failed(side, Failure::Paused(paused))),
            _ => {}
        }
        let text = match answer {
            Answer::Resign => return Err(End::Resigned(side)),
            Answer::Move(text) => text,
        };
        if let Err(why) = self.rules.play(&text) {
            return forfeit(Cause::IllegalMove, why);
        }
        let passed = self.rules.side() != side;
        if let Some(clock) = self.clock(side) {
            clock.spend_play(side, took, passed);
        }
        self.played(side, Some(information), goes_on)?;
        if let Some(rule) = self.conditions.resignation.filter(|_| passed)
            && let Some(whole) = self.moves.last().and_then(|made| made.information)
        {
            self.views.add(side, &whole, rule);
        }
        Ok(())
    }

    fn clock(&mut self, color: Color) -> Option<&mut GameClock> {
        let [black, white] = &mut self.clocks;
        match color {
            Color::Black => black.as_mut(),
            Color::White => white.as_mut(),
        }
    }

    /// Returns the time limit of an answer; `None` if time does not matter.
    fn allowed(&mut self, side: Color) -> Option<Duration> {
        let left = self.clock(side).map(|clock| clock.left(side).time);
        let allowed = match self.side(side).limit {
            TimeControl::MoveTime(time) => time,
            TimeControl::Clock { .. } => left?,
            TimeControl::Nodes(_) => return None,
        };
        Some(allowed + self.conditions.time_margin)
    }

    fn budget(&mut self, side: Color) -> Budget {
        let thinking = self.allowed(side).unwrap_or(self.conditions.move_timeout);
        let clocks = Color::BOTH.map(|color| {
            let TimeControl::Clock { increment, .. } = self.side(color).limit else {
                return None;
            };
            Some((self.clock(color)?.left(color).time, increment))
        });
        let [black, white] = clocks;
        let clock = |own: Option<_>, other: Option<_>| own.or(other).unwrap_or_default();
        Budget {
            limit: self.side(side).limit,
            clocks: [clock(black, white), clock(white, black)],
            within: thinking + self.conditions.timeout,
        }
    }

    fn result(mut self, end: End) -> Result<Played, NotReady> {
        let outcome = self.rules.outcome();
        let lost_by = |color: Color| GameResult::of(Some(!color));
        let (result, cause, reason, culprit, broken) = match (end, outcome) {
            (End::Over, Some(outcome)) => {
                let (cause, reason, culprit, broken) = self.last_words(outcome)?;
                (GameResult::of(outcome.winner), cause, reason, culprit, broken)
            }
            // After the end by the rules, a failing player does not change the result.
            (End::Failed(color, Failure::Lost(cause, why)), Some(outcome)) => {
                let reason = format!("{color} after the end ({}): {why}", outcome.reason);
                let result = GameResult::of(outcome.winner);
                (result, cause, reason, Some(color), Some(color))
            }
            (End::Failed(color, Failure::Lost(cause, why)), None) => {
                (lost_by(color), cause, why, Some(color), Some(color))
            }
            (End::Forfeit(color, cause, why), _) => (lost_by(color), cause, why, Some(color), None),
            (End::Resigned(color), _) => {
                let reason = RESIGNATION.to_owned();
                (lost_by(color), Cause::Normal, reason, None, None)
            }
            (End::Adjudicated(color, rule), _) => {
                let Resignation { centipawns, moves } = rule;
                let reason = format!(
                    "{color} is {} or more behind, as both say for {}",
                    counted(centipawns.into(), "centipawn"),
                    counted(moves.into(), "move")
                );
                (lost_by(color), Cause::Adjudication, reason, None, None)
            }
            (End::Length, _) => {
                let reason = counted(self.moves.len() as u64, "move");
                (GameResult::Draw, Cause::Length, reason, None, None)
            }
            (End::NotReady(color, failure) | End::Failed(color, failure), _) => {
                return Err((color, failure));
            }
            (End::Over, None) => return Err((Color::Black, Failure::Interrupted)),
        };
        Ok(Played { result, cause, reason, moves: self.moves, culprit, broken })
    }

    /// Compares the results that the players report with the rules. Returns cause, reason, player at fault and players
    /// to restart.
    fn last_words(&mut self, outcome: Outcome) -> Result<(Cause, String, Option<Color>, Option<Color>), NotReady> {
        let result = GameResult::of(outcome.winner);
        let rules = outcome.reason;
        for color in Color::BOTH {
            match self.side(color).player.claim() {
                Ok(Some(claim)) if claim.winner != outcome.winner => {
                    let text = claim.text;
                    let reason = format!("{color} says {text}, but by the rules it is {result} ({rules})");
                    return Ok((Cause::Disagreement, reason, Some(color), None));
                }
                Ok(_) => {}
                Err(Failure::Lost(cause, why)) => {
                    let reason = format!("{color} after the end ({rules}): {why}");
                    return Ok((cause, reason, Some(color), Some(color)));
                }
                Err(_) => return Err((color, Failure::Interrupted)),
            }
        }
        Ok((Cause::Normal, rules.to_owned(), None, None))
    }
}
