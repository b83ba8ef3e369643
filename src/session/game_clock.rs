//! The clocks of a game, as GTP's `time_settings` and `time_left`, `kgs-time_settings`, and UGI's `go` set them.

use std::time::Duration;

use crate::rules::Color;

/// How many more moves the rest of the main time is shared among.
const MOVES_TO_GO: u32 = 25;

/// The last of a clock is kept for moves that the machine delays.
const SPARED: Duration = Duration::from_secs(1);

/// How long to think about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// What it should take.
    pub(super) usual: Duration,
    /// What it may take; no more than that, where what is saved would be lost.
    pub(super) most: Duration,
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
struct Left {
    time: Duration,
    /// The moves still to be made in it, or in byo-yomi the periods, the present one included; zero in the main time.
    count: u32,
}

/// Both players' clocks.
#[derive(Clone, Debug)]
pub(super) struct GameClock {
    settings: TimeSettings,
    left: [Left; 2],
}

impl GameClock {
    /// Clocks at the beginning of a game.
    pub(super) fn new(settings: TimeSettings) -> Self {
        let left = Left {
            time: settings.main,
            count: 0,
        };
        Self {
            settings,
            left: [left; 2],
        }
    }

    fn left(&self, color: Color) -> Left {
        let [black, white] = self.left;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Sets what a player has left; `count` is zero in the main time.
    pub(super) fn set(&mut self, color: Color, time: Duration, count: u32) {
        let [black, white] = &mut self.left;
        let left = match color {
            Color::Black => black,
            Color::White => white,
        };
        *left = Left { time, count };
    }

    /// The time to think about the next move: never what is needed to get the answer there.
    pub(super) fn share(&self, color: Color, overhead: Duration) -> Share {
        let Left { time, count } = self.left(color);
        // Whoever says how many moves the time is for knows better than a guess.
        let to_go = if count > 0 { count } else { MOVES_TO_GO };
        let of_main = time / to_go;
        // What a move should take, and what it may take.
        let (share, safe) = match (self.settings.overtime, count) {
            (Overtime::None, 0) => (of_main, time / 2),
            (Overtime::None, _) => (of_main, time),
            (Overtime::Canadian { period, moves }, 0) => {
                let of_period = period.checked_div(moves).unwrap_or_default();
                match time.is_zero() {
                    true => (of_period, period),
                    false => (of_main + of_period / 2, time.saturating_add(period) / 2),
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
                false => (of_main + period / 2, time.saturating_add(period) / 2),
            },
            (Overtime::ByoYomi { period, .. }, periods) => {
                let left = time.min(period);
                // Where the present one is as good as over, the next one begins.
                let next = periods > 1 && left < period / 10;
                let left = if next { period } else { left };
                (left, left)
            }
            (Overtime::Increment(increment), _) => {
                let share = of_main + increment * 3 / 4;
                let spared = time.as_secs_f64() / SPARED.as_secs_f64();
                (share.mul_f64(spared.min(1.0)), time * 3 / 4)
            }
        };
        let share = share.min(safe);
        // A period comes again: as with a fixed time for a move, half of a very short one is left to think.
        let is_period = match self.settings.overtime {
            Overtime::None => count > 0,
            Overtime::Increment(_) => false,
            Overtime::Canadian { .. } | Overtime::ByoYomi { .. } => count > 0 || time.is_zero(),
        };
        let most = if is_period { share / 2 } else { share };
        let usual = share.saturating_sub(overhead.min(most));
        // What is left of a period is lost; of the main time a hard move may take more, while there is plenty.
        let more = if is_period || time < SPARED {
            Duration::ZERO
        } else {
            time / 12
        };
        Share {
            usual,
            most: (usual + more.min(usual)).min(safe.max(usual)),
        }
    }

    /// Takes the time of a move off a player's clock.
    pub(super) fn spend(&mut self, color: Color, spent: Duration) {
        let Left { time, count } = self.left(color);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock(main: u64, overtime: Overtime) -> GameClock {
        let main = seconds(main);
        GameClock::new(TimeSettings { main, overtime })
    }

    const OVERHEAD: Duration = Duration::from_millis(15);

    /// Thinks for its share, and takes a little more to answer.
    fn move_by(clock: &mut GameClock, color: Color) -> Duration {
        let share = clock.share(color, OVERHEAD).most;
        clock.spend(color, share + Duration::from_millis(2));
        share
    }

    #[test]
    fn hundreds_of_moves_fit_into_any_main_time() {
        for main in [1, 10, 600] {
            let mut clock = clock(main, Overtime::None);
            let mut spent = Duration::ZERO;
            for _ in 0..200 {
                spent += move_by(&mut clock, Color::White);
                assert!(!clock.left(Color::White).time.is_zero());
            }
            assert!(spent > seconds(main) / 4);
            assert_eq!(clock.left(Color::Black).time, seconds(main));
        }
    }

    #[test]
    fn a_hard_move_may_take_more_of_a_main_time() {
        let increment = Overtime::Increment(seconds(2));
        for (main, overtime) in [(600, Overtime::None), (30, Overtime::None), (60, increment)] {
            let clock = clock(main, overtime);
            let Share { usual, most } = clock.share(Color::Black, OVERHEAD);
            assert!(most > usual && most <= 2 * usual, "{main} {overtime:?}");
            assert!(most < seconds(main) / 5, "{main} {overtime:?}");
        }
        let mut late = clock(600, increment);
        late.set(Color::Black, Duration::from_millis(900), 0);
        let Share { usual, most } = late.share(Color::Black, OVERHEAD);
        assert_eq!(usual, most, "the last second is kept");
    }

    #[test]
    fn an_increment_is_used_and_the_clock_never_runs_out() {
        let increment = Duration::from_millis(100);
        let mut clock = clock(1, Overtime::Increment(increment));
        let mut spent = Duration::ZERO;
        for _ in 0..1000 {
            spent += move_by(&mut clock, Color::Black);
            assert!(!clock.left(Color::Black).time.is_zero());
        }
        assert!(spent > 950 * increment, "{spent:?}");
    }

    #[test]
    fn periods_give_their_moves_time_and_begin_again() {
        let canadian = Overtime::Canadian {
            period: seconds(10),
            moves: 5,
        };
        let mut clock = clock(0, canadian);
        // The first move uses up the main time that there is none of, and opens the first period.
        clock.spend(Color::Black, Duration::ZERO);
        for _ in 0..20 {
            let five = (0..5).map(|_| move_by(&mut clock, Color::Black));
            let spent: Duration = five.sum();
            assert!(spent > seconds(9) && spent < seconds(10), "{spent:?}");
        }
        clock.set(Color::Black, seconds(1), 4);
        assert!(clock.share(Color::Black, OVERHEAD).most < Duration::from_millis(250));
        clock.set(Color::White, Duration::ZERO, 3);
        assert_eq!(clock.share(Color::White, OVERHEAD).most, Duration::ZERO);
    }

    #[test]
    fn byo_yomi_gives_every_move_a_period_and_loses_none() {
        let overtime = Overtime::ByoYomi {
            period: seconds(5),
            periods: 3,
        };
        let mut clock = clock(1, overtime);
        for _ in 0..200 {
            move_by(&mut clock, Color::Black);
        }
        let left = Left {
            time: seconds(5),
            count: 3,
        };
        assert_eq!(clock.left(Color::Black), left);
        let share = clock.share(Color::Black, OVERHEAD);
        assert_eq!(share.usual, seconds(5) - OVERHEAD);
        assert_eq!(share.most, share.usual);
    }
}
