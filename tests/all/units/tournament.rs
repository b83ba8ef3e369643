//! The settings of a match: engines, limits, adjudication; and its schedule.

use std::time::Duration;

use pentalith::arena::tournament::{
    Engine, EngineKind, For, Pace, Part, Resignation, Scheduled, ScoreHistory, TimeControl, Timing, TournamentFormat,
    schedule,
};
use pentalith::record::{Score, SearchInformation};
use pentalith::rules::Color;

fn information(score: Option<Score>, nodes: u64) -> SearchInformation {
    SearchInformation { score, nodes: Some(nodes), ..SearchInformation::default() }
}

#[test]
fn a_game_is_lost_once_both_have_long_thought_so() {
    let rule = Resignation::parse("500,2").unwrap();
    let mut views = ScoreHistory::default();
    let mut say = |color, score, nodes| {
        views.add(color, &information(score, nodes), rule);
        views.loser(rule)
    };
    let (black, white) = (Color::Black, Color::White);
    let cp = |cp| Some(Score::Cp(cp));
    assert_eq!(say(black, cp(-500), 9), None);
    assert_eq!(say(white, cp(500), 9), None);
    // Not enough, and from the beginning again.
    assert_eq!(say(black, cp(-499), 9), None);
    assert_eq!(say(white, Some(Score::Mate(7)), 9), None);
    assert_eq!(say(black, cp(-700), 9), None);
    // What nobody has thought about says nothing.
    assert_eq!(say(white, cp(0), 0), None);
    assert_eq!(say(black, None, 9), None);
    assert_eq!(say(black, Some(Score::Mate(-3)), 9), Some(black));
    // One of them sees it otherwise.
    assert_eq!(say(white, cp(-900), 9), None);
    assert_eq!(say(white, cp(-900), 9), None);
    assert_eq!(say(black, cp(900), 9), None);
    assert_eq!(say(black, cp(900), 9), Some(white));
}

#[test]
fn an_answer_that_came_while_the_referee_slept_is_not_late() {
    let timing = |took, paused, allowed: Option<u64>, has_clock| {
        let allowed = allowed.map(Duration::from_millis);
        Timing::of(Duration::from_millis(took), Duration::from_millis(paused), allowed, has_clock)
    };
    assert_eq!(timing(200, 0, Some(250), false), Timing::Kept);
    assert_eq!(timing(300, 0, Some(250), false), Timing::Late);
    assert_eq!(timing(3088, 3040, Some(250), false), Timing::Unknown);
    assert_eq!(timing(3088, 2000, Some(250), false), Timing::Late);
    assert_eq!(timing(3088, 3040, Some(5000), false), Timing::Kept);
    // A clock would go on with a time that nobody knows, unless it is short.
    assert_eq!(timing(3088, 3040, Some(60_000), true), Timing::Unknown);
    assert_eq!(timing(300, 200, Some(60_000), true), Timing::Kept);
    assert_eq!(timing(300, 200, Some(250), true), Timing::Unknown);
    // Nodes take as long as they take.
    assert_eq!(timing(3088, 3040, None, false), Timing::Kept);
}

#[test]
fn the_time_that_is_left_comes_from_the_games_that_are_over() {
    let pace = |finished, concurrency, last, elapsed| Pace {
        finished,
        concurrency,
        last: Duration::from_secs(last),
        elapsed: Duration::from_secs(elapsed),
    };
    let left = |pace: Pace, left| pace.remaining(left).map(|time| time.as_secs());
    // Nothing is known before the first game is over, and nothing is left after the last.
    assert_eq!(left(pace(0, 1, 0, 60), 10), None);
    assert_eq!(left(pace(4, 1, 40, 40), 0), None);
    assert_eq!(left(pace(4, 1, 40, 40), 6), Some(60));
    // It shrinks while a game runs, and not below nothing.
    assert_eq!(left(pace(4, 1, 40, 45), 6), Some(55));
    assert_eq!(left(pace(4, 1, 40, 400), 6), Some(0));
    // The first of five games at once ends when the others are half done on average: two games' worth.
    assert_eq!(left(pace(1, 5, 12, 12), 47), Some(180));
    // No more games run than are left.
    assert_eq!(left(pace(9, 5, 90, 90), 1), Some(10));
    assert!(left(pace(1, 1, u64::MAX, u64::MAX), u64::MAX).is_some());
}

#[test]
fn it_takes_centipawns_and_moves() {
    let rule = Resignation { centipawns: 600, moves: 5 };
    assert_eq!(Resignation::parse("600,5"), Ok(rule));
    for text in ["", "600", "600,", "0,5", "600,0", "-600,5", "600,5,1", "600,99999999999", "x,5"] {
        let error = Resignation::parse(text).unwrap_err().to_string();
        assert!(error.contains("expected"), "{error}");
    }
}

#[test]
fn engines_are_read_and_written() {
    let kinds = [
        ("a=uct", "uct"),
        ("a=best:Threads=2,Hash=64", "best"),
        ("a=gtp:gnugo --mode gtp", "gtp:gnugo --mode gtp"),
        ("a=ugi: ./x", "ugi:./x"),
        ("a=uctx --y", "uctx --y"),
        ("a=./a=b:c", "'./a=b:c'"),
    ];
    for (text, kind) in kinds {
        let engine: Engine = text.parse().unwrap();
        assert_eq!((engine.name.as_str(), engine.kind.to_string().as_str()), ("a", kind));
    }
    let engine: Engine = "a=uct:Threads=2,Strength=weak".parse().unwrap();
    let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(engine.options, [option("Threads", "2"), option("Strength", "weak")]);
    let engine: Engine = "a='my engine' 'b c'".parse().unwrap();
    let EngineKind::Process { command, .. } = engine.kind else { panic!() };
    assert_eq!(command.arguments, ["b c"]);
    for text in ["", "a", "=uct", "a=", "a b=uct", "a:b=uct", "a='x", "a=uct:Threads", "a=gtp:"] {
        let error = text.parse::<Engine>().unwrap_err().to_string();
        assert!(error.contains("expected"), "{error}");
    }
}

#[test]
fn limits_are_read_and_written() {
    let clock = For::clock("10+0.1").unwrap();
    assert_eq!((clock.engine, clock.what.to_string().as_str()), (None, "tc 10+0.1"));
    let time = For::move_time("a:0.5").unwrap();
    assert_eq!(time.engine.as_deref(), Some("a"));
    assert_eq!(time.what.to_string(), "movetime 0.5");
    assert_eq!(For::nodes("7").unwrap().what, TimeControl::Nodes(7));
    for (text, engine, clock) in [
        ("5", None, "tc 5+0"),
        ("0+2", None, "tc 0+2"),
        ("1:00+1", None, "tc 60+1"),
        ("1:30.5", None, "tc 90.5+0"),
        ("0:05+0.5", None, "tc 5+0.5"),
        ("90:00", None, "tc 5400+0"),
        ("1.5:0", None, "tc 90+0"),
        ("a:5", Some("a"), "tc 5+0"),
        ("a:1:00+1", Some("a"), "tc 60+1"),
        ("1:0:30+1", Some("1"), "tc 30+1"),
    ] {
        let read = For::clock(text).unwrap();
        let read_as = (read.engine.as_deref(), read.what.to_string());
        assert_eq!(read_as, (engine, clock.to_owned()), "{text}");
    }
    assert_eq!(For::clock("1:00+1").unwrap().perhaps.as_deref(), Some("1"));
    assert_eq!(For::clock("1:0:30+1").unwrap().perhaps, None);
    for text in ["0:00", "1:", ":30", "1:00+", "1:00:00:00", "a:", "40/60", "inf", "5+1+1", "1:-1"] {
        let error = For::clock(text).unwrap_err().to_string();
        assert!(error.contains(text) && error.contains("expected "), "{error}");
    }
    let clock = For::clock("0+2").unwrap().what;
    assert_eq!(clock.settings().unwrap().main, Duration::from_secs(2));
    for text in ["", "0", "x", "-1", "1e9", "99999999999999999999999", "a:b:1", "1 "] {
        assert!(For::move_time(text).is_err(), "{text}");
        assert!(For::clock(text).is_err(), "{text}");
        assert!(For::nodes(text).is_err(), "{text}");
    }
    let option = For::option("a:Threads=2").unwrap();
    assert_eq!(option.what, ("Threads".to_owned(), "2".to_owned()));
    assert_eq!(For::option("X=a:b").unwrap().engine, None);
}

fn seats(format: TournamentFormat, engines: usize, games: u64, paired: bool) -> Vec<(u64, usize, usize)> {
    let games = schedule(engines, format, games, paired, Part::All);
    games.iter().map(|game| (game.pair, game.first, game.second)).collect()
}

#[test]
fn games_come_in_pairs_with_seats_exchanged() {
    let pairs = [(1, 0, 1), (1, 1, 0), (2, 0, 1), (2, 1, 0), (3, 0, 1)];
    assert_eq!(seats(TournamentFormat::RoundRobin, 2, 5, true), pairs);
    let singles = [(1, 0, 1), (2, 1, 0), (3, 0, 1)];
    assert_eq!(seats(TournamentFormat::RoundRobin, 2, 3, false), singles);
    let gauntlet = [(1, 0, 1), (1, 1, 0), (1, 0, 2), (1, 2, 0)];
    assert_eq!(seats(TournamentFormat::Gauntlet, 3, 2, true), gauntlet);
}

#[test]
fn everybody_meets_everybody_equally_often() {
    let games = seats(TournamentFormat::RoundRobin, 5, 6, true);
    assert_eq!(games.len(), 10 * 6);
    for a in 0..5 {
        for b in 0..5 {
            let met = games.iter().filter(|game| (game.1, game.2) == (a, b)).count();
            assert_eq!(met, if a == b { 0 } else { 3 });
        }
    }
}

#[test]
fn shards_are_the_whole_schedule_and_keep_pairs_together() {
    let all = schedule(3, TournamentFormat::RoundRobin, 7, true, Part::All);
    let shard = |number| schedule(3, TournamentFormat::RoundRobin, 7, true, Part::Shard { number, of: 4 });
    let mut merged: Vec<Scheduled> = (1..=4).flat_map(shard).collect();
    merged.sort_by_key(|game| game.game);
    assert_eq!(merged, all);
    for number in 1..=4 {
        let units: Vec<u64> = shard(number).iter().map(|game| game.unit).collect();
        assert!(units.iter().all(|unit| unit % 4 + 1 == number));
    }
    let only = schedule(3, TournamentFormat::RoundRobin, 7, true, Part::Only(9));
    assert_eq!(only.iter().map(|game| game.game).collect::<Vec<_>>(), [9]);
}
