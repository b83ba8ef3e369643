//! Game clocks and time management, for GTP's `time_settings` and `time_left`, `kgs-time_settings`, and UGI's `go`.

use std::time::Duration;

use crate::rules::{Board, Color};

/// Minimum number of moves of a player that share the rest of the main time: games may last longer than they seem to.
const MIN_MOVES_TO_GO: u32 = 8;

/// Time to keep on a clock for moves that the machine delays.
const CLOCK_RESERVE: Duration = Duration::from_secs(1);

/// Minimum number of moves that share the reserve: it has to last.
const MIN_MOVES_IN_RESERVE: u32 = 25;

/// Time to search for the next move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeAllotment {
    /// Soft limit, at most `hard`.
    pub soft: Duration,
    /// Hard limit. Equal to `soft` where unused time would be lost.
    pub hard: Duration,
}

/// Overtime: what follows, or adds to, the main time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overtime {
    /// None: the main time is all there is.
    None,
    /// Canadian: periods of several moves each (GTP 2, "Time handling").
    Canadian {
        /// Length of a period.
        period: Duration,
        /// Moves to make in a period, at least 1.
        moves: u32,
    },
    /// Byo-yomi: periods, each lost by a move that takes longer than it.
    ByoYomi {
        /// Length of a period.
        period: Duration,
        /// Number of periods.
        periods: u32,
    },
    /// Fischer: an increment after every move.
    Increment(Duration),
    /// Fischer with limits.
    CappedIncrement {
        /// Time added after every move.
        increment: Duration,
        /// Maximum of the time left after an increment.
        limit: Option<Duration>,
        /// Maximum time of a move.
        per_move: Option<Duration>,
    },
}

/// Time control of a game, the same for both players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// Main time.
    pub main: Duration,
    /// Overtime.
    pub overtime: Overtime,
}

/// Returns the number of moves that the side to move will still make, if the game lasts as long as others of its kind.
///
/// A game that lasts longer is taken to have a third of that length to go.
pub fn moves_to_go(board: &dyn Board) -> u32 {
    let cells = board.shape().cells().count() as f32;
    let turns = (board.variant().info().turns_per_cell * cells) as u32;
    let left = turns.saturating_sub(board.turn()).max(turns / 3);
    left.div_ceil(2).max(MIN_MOVES_TO_GO)
}

/// Time left to a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLeft {
    /// Time left, of the main time or of the present period.
    pub time: Duration,
    /// Zero in the main time. In overtime the moves still to make in the period, or the byo-yomi periods left, the
    /// present one included.
    pub count: u32,
}

/// Clocks of both players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    settings: TimeSettings,
    left: [TimeLeft; 2],
}

impl GameClock {
    /// Returns the clocks at the start of a game.
    pub fn new(settings: TimeSettings) -> Self {
        let left = TimeLeft { time: settings.main, count: 0 };
        Self { settings, left: [left; 2] }
    }

    /// Returns the time control.
    pub fn settings(&self) -> TimeSettings {
        self.settings
    }

    /// Returns the time left to a player.
    pub fn left(&self, color: Color) -> TimeLeft {
        let [black, white] = self.left;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Sets the time left to a player; `count` is zero in the main time.
    pub fn set(&mut self, color: Color, time: Duration, count: u32) {
        let [black, white] = &mut self.left;
        let left = match color {
            Color::Black => black,
            Color::White => white,
        };
        *left = TimeLeft { time, count };
    }

    /// Allots time to the next move, less `overhead` for sending the answer.
    ///
    /// `moves_to_go` is the number of moves of the player until the end of the game, [`moves_to_go`].
    pub fn allot(&self, color: Color, moves_to_go: u32, overhead: Duration) -> TimeAllotment {
        let TimeLeft { time, count } = self.left(color);
        // A client that gives the number of moves left knows better than the default.
        let min_moves = if time < CLOCK_RESERVE { MIN_MOVES_IN_RESERVE } else { 1 };
        let moves_to_go = if count > 0 { count } else { moves_to_go.max(min_moves) };
        let main_share = time / moves_to_go;
        // Target and maximum for this move.
        let (share, max) = match (self.settings.overtime, count) {
            (Overtime::None, 0) => (main_share, time / 2),
            (Overtime::None, _) => (main_share, time),
            (Overtime::Canadian { period, moves }, 0) => {
                let period_share = period.checked_div(moves).unwrap_or_default();
                if time.is_zero() {
                    (period_share, period)
                } else {
                    (main_share + period_share / 2, time.saturating_add(period) / 2)
                }
            }
            // The client may report more than a period holds.
            (Overtime::Canadian { period, .. }, moves) => {
                let left = time.min(period);
                (left / moves, left)
            }
            (Overtime::ByoYomi { period, .. }, 0) if time.is_zero() => (period, period),
            // A move may run over into the first period.
            (Overtime::ByoYomi { period, .. }, 0) => (main_share + period / 2, time.saturating_add(period) / 2),
            (Overtime::ByoYomi { period, .. }, periods) => {
                let left = time.min(period);
                // If the present period is almost over, the next one begins during this move.
                let next = periods > 1 && left < period / 10;
                let left = if next { period } else { left };
                (left, left)
            }
            (Overtime::Increment(increment) | Overtime::CappedIncrement { increment, .. }, _) => {
                let share = main_share + increment * 3 / 4;
                let reserve_share = time.as_secs_f64() / CLOCK_RESERVE.as_secs_f64();
                (share.mul_f64(reserve_share.min(1.0)), time * 3 / 4)
            }
        };
        let max = match self.settings.overtime {
            Overtime::CappedIncrement { per_move: Some(most), .. } => max.min(most),
            _ => max,
        };
        let share = share.min(max);
        // A period is renewed. As with a fixed time for a move, the overhead takes at most half of it.
        let is_period = match self.settings.overtime {
            Overtime::None => count > 0,
            Overtime::Increment(_) | Overtime::CappedIncrement { .. } => false,
            Overtime::Canadian { .. } | Overtime::ByoYomi { .. } => count > 0 || time.is_zero(),
        };
        let max_overhead = if is_period { share / 2 } else { share };
        let soft = share.saturating_sub(overhead.min(max_overhead));
        // Unused time of a period is lost, so there is nothing to save. Of the main time a hard move may take more,
        // while there is plenty.
        let extension = if is_period || time < CLOCK_RESERVE { Duration::ZERO } else { time / 12 };
        TimeAllotment { soft, hard: (soft + extension.min(soft)).min(max.max(soft)) }
    }

    /// Subtracts the time of a part of a move from a player's clock.
    pub fn spend_part(&mut self, color: Color, spent: Duration) {
        let TimeLeft { time, count } = self.left(color);
        self.set(color, time.saturating_sub(spent), count);
    }

    /// Subtracts the time of a play, which may end the move, from a player's clock.
    pub fn spend_play(&mut self, color: Color, spent: Duration, ends_move: bool) {
        if ends_move {
            self.spend(color, spent);
        } else {
            self.spend_part(color, spent);
        }
    }

    /// Subtracts the time of a move from a player's clock, then adds increment or period.
    pub fn spend(&mut self, color: Color, spent: Duration) {
        let TimeLeft { time, count } = self.left(color);
        let rest = time.saturating_sub(spent);
        let (time, count) = match self.settings.overtime {
            Overtime::None => (rest, count.saturating_sub(1)),
            Overtime::Increment(increment) => (rest.saturating_add(increment), count.saturating_sub(1)),
            Overtime::CappedIncrement { increment, limit, .. } => {
                let left = rest.saturating_add(increment);
                (limit.map_or(left, |limit| left.min(limit)), count.saturating_sub(1))
            }
            Overtime::Canadian { period, moves } => match (count, rest.is_zero()) {
                (0, true) | (1, _) => (period, moves),
                (0, false) => (rest, 0),
                (count, _) => (rest, count - 1),
            },
            Overtime::ByoYomi { period, periods } => match (count, rest.is_zero()) {
                (0, false) => (rest, 0),
                (0, true) => (period, periods.max(1)),
                // The period is renewed, unless it has been used up.
                (count, false) => (period, count),
                (count, true) => (period, (count - 1).max(1)),
            },
        };
        self.set(color, time, count);
    }
}
