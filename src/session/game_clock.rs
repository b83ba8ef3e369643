//! The clocks of a game, as GTP's `time_settings` and `time_left` set them.

use std::time::Duration;

use crate::game::Color;

/// How many more moves the rest of the main time is shared among.
const MOVES_TO_GO: u32 = 25;

/// What the way of an answer to the clock may cost.
const OVERHEAD: Duration = Duration::from_millis(15);

/// Main time, then periods of some time for some moves (Canadian overtime, GTP 2, "Time handling").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSettings {
    /// The main time.
    pub main: Duration,
    /// The length of a period; zero where there is none, and the main time is all.
    pub period: Duration,
    /// The moves to make in a period; zero with a period means that time does not matter.
    pub moves: u32,
}

/// What one player has left.
#[derive(Clone, Copy, Debug)]
struct Left {
    time: Duration,
    /// The moves still to be made in it; zero in the main time.
    moves: u32,
}

/// Both players' clocks.
#[derive(Clone, Debug)]
pub(super) struct GameClock {
    settings: TimeSettings,
    left: [Left; 2],
}

impl GameClock {
    /// Clocks at the beginning of a game; `None` where time does not matter.
    pub(super) fn new(settings: TimeSettings) -> Option<Self> {
        let unlimited = !settings.period.is_zero() && settings.moves == 0;
        (!unlimited).then_some(Self {
            settings,
            left: [Left {
                time: settings.main,
                moves: 0,
            }; 2],
        })
    }

    fn left(&self, color: Color) -> Left {
        let [black, white] = self.left;
        match color {
            Color::Black => black,
            Color::White => white,
        }
    }

    /// Sets what a player has left; `moves` is zero in the main time.
    pub(super) fn set(&mut self, color: Color, time: Duration, moves: u32) {
        let [black, white] = &mut self.left;
        let left = match color {
            Color::Black => black,
            Color::White => white,
        };
        *left = Left { time, moves };
    }

    /// The time to think about the next move.
    pub(super) fn share(&self, color: Color) -> Duration {
        let Left { time, moves } = self.left(color);
        let TimeSettings {
            period,
            moves: in_period,
            ..
        } = self.settings;
        let share = match moves {
            0 if time.is_zero() => period.checked_div(in_period).unwrap_or_default(),
            0 => time / MOVES_TO_GO + period.checked_div(in_period).unwrap_or_default() / 2,
            moves => time / moves,
        };
        // Never what is needed to get the answer there.
        let safe = match moves {
            0 if time.is_zero() => period,
            0 => time.saturating_add(period) / 2,
            _ => time,
        };
        share.min(safe).saturating_sub(OVERHEAD)
    }

    /// Takes the time of a move off a player's clock.
    pub(super) fn spend(&mut self, color: Color, spent: Duration) {
        let TimeSettings {
            period,
            moves: in_period,
            ..
        } = self.settings;
        let Left { time, moves } = self.left(color);
        let rest = time.saturating_sub(spent);
        match (moves, rest.is_zero()) {
            (0, true) | (1, _) => self.set(color, period, in_period),
            (0, false) => self.set(color, rest, 0),
            (moves, _) => self.set(color, rest, moves - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock(main: u64, period: u64, moves: u32) -> Option<GameClock> {
        GameClock::new(TimeSettings {
            main: seconds(main),
            period: seconds(period),
            moves,
        })
    }

    #[test]
    fn a_thousand_moves_fit_into_any_main_time() {
        for main in [1, 10, 600] {
            let mut clock = clock(main, 0, 0).unwrap();
            let mut spent = Duration::ZERO;
            for _ in 0..1000 {
                let share = clock.share(Color::White);
                clock.spend(Color::White, share);
                spent += share;
            }
            assert!(spent < seconds(main) && spent > seconds(main) / 4);
            assert_eq!(clock.left(Color::Black).time, seconds(main));
        }
    }

    #[test]
    fn periods_give_their_moves_time_and_begin_again() {
        let mut clock = clock(0, 10, 5).unwrap();
        // The first move uses up the main time that there is none of, and opens the first period.
        clock.spend(Color::Black, Duration::ZERO);
        for _ in 0..20 {
            let mut spent = Duration::ZERO;
            for _ in 0..5 {
                let share = clock.share(Color::Black);
                clock.spend(Color::Black, share);
                spent += share;
            }
            assert!(spent > seconds(9) && spent < seconds(10), "{spent:?}");
        }
        clock.set(Color::Black, seconds(1), 4);
        assert!(clock.share(Color::Black) < Duration::from_millis(250));
        clock.set(Color::White, Duration::ZERO, 3);
        assert_eq!(clock.share(Color::White), Duration::ZERO);
    }

    #[test]
    fn a_period_without_moves_is_no_clock() {
        assert!(clock(0, 1, 0).is_none());
    }
}
