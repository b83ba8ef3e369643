//! The clocks of a game, as GTP's `time_settings` and `time_left`, `kgs-time_settings`, and UGI's `go` set them.

use std::time::Duration;

use crate::rules::Color;

/// How many more moves the rest of the main time is shared among.
const MOVES_TO_GO: u32 = 25;

/// The last of a clock is kept for moves that the machine delays.
const CLOCK_RESERVE: Duration = Duration::from_secs(1);

/// How long to think about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeAllotment {
    /// What it should take.
    pub soft: Duration,
    /// What it may take; no more than that, where what is saved would be lost.
    pub hard: Duration,
}

/// What comes after, or on top of, the main time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overtime {
    /// Nothing: whoever has used up the main time has lost.
    None,
    /// Periods for some moves each (Canadian overtime; GTP 2, "Time handling").
    Canadian {
        /// The length of a period.
        period: Duration,
        /// The moves to make in each, at least 1.
        moves: u32,
    },
    /// Some periods, each of which is used up by a move that takes longer.
    ByoYomi {
        /// The length of a period.
        period: Duration,
        /// How many there are.
        periods: u32,
    },
    /// So much more after every move (Fischer).
    Increment(Duration),
}

/// What each player gets for a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// The main time.
    pub main: Duration,
    /// What comes after it.
    pub overtime: Overtime,
}

/// What one player has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeLeft {
    /// How long that is.
    pub time: Duration,
    /// The moves still to be made in it, or in byo-yomi the periods, the present one included; zero in the main time.
    pub count: u32,
}

/// Both players' clocks.
#[derive(Clone, Debug)]
pub struct GameClock {
    settings: TimeSettings,
    left: [TimeLeft; 2],
}

impl GameClock {
    /// Clocks at the beginning of a game.
    pub fn new(settings: TimeSettings) -> Self {
        let left = TimeLeft {
            time: settings.main,
            count: 0,
        };
        Self {
            settings,
            left: [left; 2],
        }
    }

    /// What a player has left.
    pub fn left(&self, color: Color) -> TimeLeft {
        let [black, white] = self.left;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Sets what a player has left; `count` is zero in the main time.
    pub fn set(&mut self, color: Color, time: Duration, count: u32) {
        let [black, white] = &mut self.left;
        let left = match color {
            Color::Black => black,
            Color::White => white,
        };
        *left = TimeLeft { time, count };
    }

    /// The time to think about the next move: never what is needed to get the answer there.
    pub fn allot(&self, color: Color, overhead: Duration) -> TimeAllotment {
        let TimeLeft { time, count } = self.left(color);
        // Whoever says how many moves the time is for knows better than a guess.
        let moves_to_go = if count > 0 { count } else { MOVES_TO_GO };
        let main_share = time / moves_to_go;
        // What a move should take, and what it may take.
        let (share, max) = match (self.settings.overtime, count) {
            (Overtime::None, 0) => (main_share, time / 2),
            (Overtime::None, _) => (main_share, time),
            (Overtime::Canadian { period, moves }, 0) => {
                let period_share = period.checked_div(moves).unwrap_or_default();
                match time.is_zero() {
                    true => (period_share, period),
                    false => (
                        main_share + period_share / 2,
                        time.saturating_add(period) / 2,
                    ),
                }
            }
            // Of a period no more can be left than it has.
            (Overtime::Canadian { period, .. }, moves) => {
                let left = time.min(period);
                (left / moves, left)
            }
            (Overtime::ByoYomi { period, .. }, 0) => match time.is_zero() {
                true => (period, period),
                // A move may run over into the first period.
                false => (main_share + period / 2, time.saturating_add(period) / 2),
            },
            (Overtime::ByoYomi { period, .. }, periods) => {
                let left = time.min(period);
                // Where the present one is as good as over, the next one begins.
                let next = periods > 1 && left < period / 10;
                let left = if next { period } else { left };
                (left, left)
            }
            (Overtime::Increment(increment), _) => {
                let share = main_share + increment * 3 / 4;
                let reserve_share = time.as_secs_f64() / CLOCK_RESERVE.as_secs_f64();
                (share.mul_f64(reserve_share.min(1.0)), time * 3 / 4)
            }
        };
        let share = share.min(max);
        // A period comes again: as with a fixed time for a move, half of a very short one is left to think.
        let is_period = match self.settings.overtime {
            Overtime::None => count > 0,
            Overtime::Increment(_) => false,
            Overtime::Canadian { .. } | Overtime::ByoYomi { .. } => count > 0 || time.is_zero(),
        };
        let max_overhead = if is_period { share / 2 } else { share };
        let soft = share.saturating_sub(overhead.min(max_overhead));
        // What is left of a period is lost; of the main time a hard move may take more, while there is plenty.
        let extension = if is_period || time < CLOCK_RESERVE {
            Duration::ZERO
        } else {
            time / 12
        };
        TimeAllotment {
            soft,
            hard: (soft + extension.min(soft)).min(max.max(soft)),
        }
    }

    /// Takes the time of a move off a player's clock.
    pub fn spend(&mut self, color: Color, spent: Duration) {
        let TimeLeft { time, count } = self.left(color);
        let rest = time.saturating_sub(spent);
        let (time, count) = match self.settings.overtime {
            Overtime::None => (rest, count.saturating_sub(1)),
            Overtime::Increment(increment) => {
                (rest.saturating_add(increment), count.saturating_sub(1))
            }
            Overtime::Canadian { period, moves } => match (count, rest.is_zero()) {
                (0, true) | (1, _) => (period, moves),
                (0, false) => (rest, 0),
                (count, _) => (rest, count - 1),
            },
            Overtime::ByoYomi { period, periods } => match (count, rest.is_zero()) {
                (0, false) => (rest, 0),
                (0, true) => (period, periods.max(1)),
                // The period begins again, unless it has been used up.
                (count, false) => (period, count),
                (count, true) => (period, (count - 1).max(1)),
            },
        };
        self.set(color, time, count);
    }
}
