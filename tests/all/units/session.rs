//! Game clocks: time allotted to each move.

use std::time::Duration;

use pentalith::games;
use pentalith::rules::Color;
use pentalith::search::random_step;
use pentalith::session::{GameClock, Overtime, TimeAllotment, TimeLeft, TimeSettings, moves_to_go};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn clock(main: u64, overtime: Overtime) -> GameClock {
    let main = seconds(main);
    GameClock::new(TimeSettings { main, overtime })
}

const OVERHEAD: Duration = Duration::from_millis(15);

/// Uses the hard limit of its allotment, for one of 25 moves, and 2 ms more. Returns the hard limit.
fn play_move(clock: &mut GameClock, color: Color) -> Duration {
    play_one_of(25, clock, color)
}

fn play_one_of(moves_to_go: u32, clock: &mut GameClock, color: Color) -> Duration {
    let hard = clock.allot(color, moves_to_go, OVERHEAD).hard;
    clock.spend(color, hard + Duration::from_millis(2));
    hard
}

#[test]
fn a_main_time_lasts_for_200_moves() {
    for (main, moves_to_go) in [(1, 8), (10, 25), (600, 8), (600, 25)] {
        let mut clock = clock(main, Overtime::None);
        let mut spent = Duration::ZERO;
        for _ in 0..200 {
            spent += play_one_of(moves_to_go, &mut clock, Color::White);
            assert!(!clock.left(Color::White).time.is_zero());
        }
        assert!(spent > seconds(main) / 4);
        assert_eq!(clock.left(Color::Black).time, seconds(main));
    }
}

#[test]
fn the_main_time_is_shared_by_the_moves_of_a_typical_game() {
    let moves = |variant: &str, steps: u32| {
        let variant = games::parse_variant(variant).unwrap();
        let mut board = games::open(&variant).unwrap();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        while board.turn() < steps {
            let step = random_step(&mut *board, &mut random).unwrap();
            board.make(step);
        }
        moves_to_go(&*board)
    };
    assert_eq!(moves("markane:8x8", 0), 16);
    assert_eq!(moves("markane:8x8", 10), 11);
    assert_eq!(moves("inversion:5", 1), 30, "one for each empty cell, by two players");
    assert_eq!(moves("gravel:8", 1), 19);
    assert_eq!(moves("gravel:8", 40), 8, "a long game is not about to end");
    assert_eq!(moves("invictus", 100), 20);
}

#[test]
fn a_hard_move_may_take_more_of_a_main_time() {
    let increment = Overtime::Increment(seconds(2));
    for (main, overtime) in [(600, Overtime::None), (30, Overtime::None), (60, increment)] {
        let clock = clock(main, overtime);
        let TimeAllotment { soft, hard } = clock.allot(Color::Black, 25, OVERHEAD);
        assert!(hard > soft && hard <= 2 * soft, "{main} {overtime:?}");
        assert!(hard < seconds(main) / 5, "{main} {overtime:?}");
    }
    let mut late = clock(600, increment);
    late.set(Color::Black, Duration::from_millis(900), 0);
    let TimeAllotment { soft, hard } = late.allot(Color::Black, 25, OVERHEAD);
    assert_eq!(soft, hard, "the last second is kept");
}

#[test]
fn an_increment_is_used_and_the_clock_never_runs_out() {
    let increment = Duration::from_millis(100);
    let mut clock = clock(1, Overtime::Increment(increment));
    let mut spent = Duration::ZERO;
    for _ in 0..1000 {
        spent += play_move(&mut clock, Color::Black);
        assert!(!clock.left(Color::Black).time.is_zero());
    }
    assert!(spent > 950 * increment, "{spent:?}");
}

#[test]
fn an_increment_with_limits_is_capped() {
    let limits = Some(seconds(10));
    let capped = Overtime::CappedIncrement { increment: seconds(2), limit: limits, per_move: Some(seconds(1)) };
    let mut clock = clock(9, capped);
    assert!(clock.allot(Color::Black, 25, OVERHEAD).hard <= seconds(1));
    clock.spend(Color::Black, Duration::ZERO);
    assert_eq!(clock.left(Color::Black).time, seconds(10));
    clock.spend(Color::Black, seconds(3));
    assert_eq!(clock.left(Color::Black).time, seconds(9));
}

#[test]
fn canadian_periods_are_used_and_renewed() {
    let canadian = Overtime::Canadian { period: seconds(10), moves: 5 };
    let mut clock = clock(0, canadian);
    // The first move uses up a main time of zero, and opens the first period.
    clock.spend(Color::Black, Duration::ZERO);
    for _ in 0..20 {
        let five = (0..5).map(|_| play_move(&mut clock, Color::Black));
        let spent: Duration = five.sum();
        assert!(spent > seconds(9) && spent < seconds(10), "{spent:?}");
    }
    clock.set(Color::Black, seconds(1), 4);
    assert!(clock.allot(Color::Black, 25, OVERHEAD).hard < Duration::from_millis(250));
    clock.set(Color::White, Duration::ZERO, 3);
    assert_eq!(clock.allot(Color::White, 25, OVERHEAD).hard, Duration::ZERO);
}

#[test]
fn byo_yomi_uses_every_period_and_loses_none() {
    let overtime = Overtime::ByoYomi { period: seconds(5), periods: 3 };
    let mut clock = clock(1, overtime);
    for _ in 0..200 {
        play_move(&mut clock, Color::Black);
    }
    let left = TimeLeft { time: seconds(5), count: 3 };
    assert_eq!(clock.left(Color::Black), left);
    let allotment = clock.allot(Color::Black, 25, OVERHEAD);
    assert_eq!(allotment.soft, seconds(5) - OVERHEAD);
    assert_eq!(allotment.hard, allotment.soft);
}
