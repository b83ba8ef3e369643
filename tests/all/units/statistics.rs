//! Intervals and tests, against figures of outside programs.

use pentalith::record::{Cause, GameRecord, GameResult, MoveRecord, Seat};
use pentalith::statistics::{CrossTable, Decision, Sample, Sprt, Statistics, elo, ends_line, score};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// 95 of 100 values of a chi-squared distribution with one degree of freedom are below.
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// The figures come from a program of its own that follows fishtest's `LLRcalc`.
#[test]
fn ratios_are_those_of_fishtest() {
    let cases: &[(f64, f64, &[u64], f64)] = &[
        (0.0, 10.0, &[10, 20, 200, 30, 15], 1.278_545_870),
        (0.0, 5.0, &[100, 500, 3000, 600, 120], 4.889_085_526),
        (-5.0, 5.0, &[3, 0, 10, 1, 4], 0.106_090_528),
        (0.0, 10.0, &[0, 0, 0, 0, 50], 1.418_463_905),
        (0.0, 10.0, &[1, 0, 0, 0, 0], -0.029_255_446),
        (0.0, 100.0, &[0, 2, 9, 4, 0], -2.621_923_384),
    ];
    for &(elo0, elo1, counts, expected) in cases {
        let ratio = Sample::new(counts).log_likelihood_ratio(score(elo0), score(elo1));
        assert!((ratio - expected).abs() < 1e-6, "{counts:?}: {ratio}");
    }
    assert_eq!(Sample::new(&[0; 5]).log_likelihood_ratio(0.5, 0.6), 0.0);
}

#[test]
fn errors_are_those_of_the_normal_distribution() {
    let close = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-4;
    let sample = Sample::new(&[10, 20, 200, 30, 15]);
    assert!(close(sample.mean().map(elo), 12.639_594));
    assert!(close(sample.elo_error(), 15.119_560));
    // Where there are many games, the likelihood says the same.
    let (low, high) = sample.interval().unwrap();
    assert!((elo(low) + 2.456).abs() < 0.3 && (elo(high) - 27.783).abs() < 0.3);
    assert!((sample.superiority().unwrap() - 0.9496).abs() < 0.001);
}

#[test]
fn few_and_one_sided_results_give_sane_intervals() {
    // A pair won: the best probabilities that explain it with a mean of s have likelihood s.
    let least = (-0.5 * CHI_SQUARED_95).exp();
    let (low, high) = Sample::new(&[0, 0, 0, 0, 1]).interval().unwrap();
    assert!((low - least).abs() < 1e-9 && high == 1.0);
    let (low, high) = Sample::new(&[0, 0, 0, 0, 50]).interval().unwrap();
    assert!((low - least.powf(0.02)).abs() < 1e-9 && high == 1.0);
    let (low, high) = Sample::new(&[7, 0, 0]).interval().unwrap();
    assert!(low == 0.0 && (high - (1.0 - least.powf(1.0 / 7.0))).abs() < 1e-9);
    // A drawn pair says little, and the same in both directions.
    let (low, high) = Sample::new(&[0, 0, 1, 0, 0]).interval().unwrap();
    assert!((low + high - 1.0).abs() < 1e-9 && low < 0.1);
    assert!((Sample::new(&[0, 0, 1, 0, 0]).superiority().unwrap() - 0.5).abs() < 1e-9);
    let sure = Sample::new(&[0, 0, 0, 0, 50]).superiority().unwrap();
    assert!(sure > 0.999_999 && sure <= 1.0);
    for counts in [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0], [50, 0, 0, 0, 0]] {
        assert_eq!(Sample::new(&counts).elo_error(), None);
    }
    assert_eq!(Sample::new(&[0; 3]).interval(), None);
    assert_eq!(Sample::new(&[0; 3]).superiority(), None);
    assert_eq!((elo(1.0), elo(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
}

#[test]
fn intervals_hold_what_they_should() {
    // Every end of an interval is a mean that the counts just contradict, and the mean is inside.
    for counts in [[1, 2, 3, 4, 5], [0, 0, 3, 0, 1], [9, 0, 0, 0, 1], [0, 1, 0, 0, 0]] {
        let sample = Sample::new(&counts);
        let (low, high) = sample.interval().unwrap();
        let mean = sample.mean().unwrap();
        assert!(0.0 < low && low < mean && mean < high && high < 1.0, "{counts:?}");
        for end in [low, high] {
            assert!((sample.deviance(end) - CHI_SQUARED_95).abs() < 1e-6, "{counts:?}");
        }
    }
}

#[test]
fn what_is_out_of_range_is_told_from_what_is_no_number() {
    for (text, error) in [
        ("0,5,2,3", r#"column 5: expected a probability between 0 and 0.5, as 0.05 is, for ALPHA, found "2,3""#),
        ("0,5,0.05,3", r#"column 10: expected a probability between 0 and 0.5, as 0.05 is, for BETA, found "3""#),
        ("0,5,0.5,0.1", "column 5: expected a probability"),
        ("0,5,0,0.1", "column 5: expected a probability"),
        ("0,5,0.05", "column 9: expected a comma, found the end"),
        ("0,5,", "column 5: expected a probability"),
        ("3000,4000", r#"column 1: expected a difference in Elo from -2000 to 2000, for ELO0, found "3000,4000""#),
        ("0,4000", r#"column 3: expected a difference in Elo from -2000 to 2000, for ELO1, found "4000""#),
        ("5,0", "column 1: expected two differences in Elo, the smaller one first"),
        ("5", "column 2: expected a comma, found the end"),
        ("0,5,0.1,0.1,1", "column 12: expected the end, found \",1\""),
    ] {
        let found = Sprt::parse(text).unwrap_err().to_string();
        assert!(found.contains(error), "{text}: {found}");
    }
    let sprt = Sprt::parse("-2.5,5,0.1,0.2").unwrap();
    assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta), (-2.5, 5.0, 0.1, 0.2));
    assert_eq!(Sprt::parse("0,5").map(|sprt| sprt.alpha), Ok(0.05));
}

/// A game of Invector, in which Black moves first, without its moves' sense.
fn game(number: u64, [black, white]: [&str; 2], result: GameResult, length: usize) -> GameRecord {
    let seat = |name: &str| Seat {
        name: name.to_owned(),
        engine: "uct".to_owned(),
        options: String::new(),
        version: "1".to_owned(),
        limit: "nodes 5".to_owned(),
    };
    let moves = (0..length).map(|place| MoveRecord::new(format!("{number}-{place}"), None));
    GameRecord {
        tags: Vec::new(),
        game: number,
        pair: number.div_ceil(2),
        variant: "invector".to_owned(),
        date: "2026.11.27".to_owned(),
        seed: 1,
        conditions: None,
        start: Some(number.div_ceil(2).to_string()),
        black: seat(black),
        white: seat(white),
        result,
        cause: Cause::Normal,
        reason: "annihilation".to_owned(),
        fault: None,
        comment: None,
        moves: moves.collect(),
    }
}

/// Two games of each pair of engines: the one that is named later wins both, or one of them.
fn tournament(names: &[&str]) -> Vec<GameRecord> {
    let mut games = Vec::new();
    for (place, first) in names.iter().enumerate() {
        for (other, second) in names.iter().enumerate().skip(place + 1) {
            let number = games.len() as u64 + 1;
            let second_wins = match (place + other) % 2 {
                0 => GameResult::Black,
                _ => GameResult::White,
            };
            games.push(game(number, [first, second], GameResult::White, 5));
            games.push(game(number + 1, [second, first], second_wins, 6));
        }
    }
    games
}

#[test]
fn a_cross_table_fits_on_a_screen() {
    let table = |names: &[&str]| {
        let statistics = Statistics::of(vec![tournament(names)], None).unwrap();
        let (_, tally) = &statistics.variants()[0];
        CrossTable::new(tally)
    };
    let three = table(&["weak", "an-engine-with-a-name-that-is-too-long", "strong"]);
    insta::assert_snapshot!(three.to_string(), @r"
       engine                            points   score    all      1     2     3
    1  strong                             3.0/4  75.0 %  3-0-1      - 1-0-1 2-0-0
    2  an-engine-with-a-name-that-is-t…   2.0/4  50.0 %  2-0-2  1-0-1     - 1-0-1
    3  weak                               1.0/4  25.0 %  1-0-3  0-0-2 1-0-1     -
       1 to 3: wins-draws-losses of the row against the column
    ");
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let long = names.map(|name| name.repeat(30));
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    for count in 3..=12 {
        for names in [&names[..count], &long[..count]] {
            let table = table(names);
            for (place, row) in table.rows.iter().enumerate() {
                assert_eq!(row.against.len(), count);
                assert_eq!(row.against[place], None);
                for (other, against) in row.against.iter().enumerate() {
                    let theirs = table.rows[other].against[place];
                    assert_eq!(theirs.map(|results| results.reversed()), *against);
                }
            }
            let shares: Vec<f64> = table.rows.iter().map(|row| row.all.share()).collect();
            assert!(shares.is_sorted_by(|a, b| a >= b), "{shares:?}");
            for line in table.to_string().lines() {
                assert!(line.chars().count() <= 100, "{line}");
            }
        }
    }
}

#[test]
fn details_are_those_of_the_games_that_count() {
    let games: Vec<GameRecord> = (1..=3000)
        .map(|number| {
            let seats = if number % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
            let result = match number % 5 {
                0 => GameResult::Draw,
                1 | 2 => GameResult::Black,
                _ => GameResult::White,
            };
            game(number, seats, result, 5 + number as usize % 3)
        })
        .collect();
    let sprt = Sprt::parse("0,10").unwrap();
    // The second file repeats games of the first one.
    let files = vec![games.clone(), games[..500].to_vec()];
    let (statistics, details) = Statistics::detailed(files.clone(), Some(sprt)).unwrap();
    let plain = Statistics::of(files, Some(sprt)).unwrap();
    assert_eq!(statistics.to_string(), plain.to_string());
    let (_, tally) = &statistics.variants()[0];
    assert_eq!((tally.games(), tally.given_twice), (3000, 500));
    let [details] = &details[..] else {
        panic!("{details:?}");
    };
    let lengths: Vec<u64> = details.lengths.keys().copied().collect();
    assert_eq!(lengths, [5, 6, 7]);
    let all: u64 = details.lengths.values().map(|results| results.games()).sum();
    assert_eq!(all, 3000);
    for most in [1, 7, 120, 5000] {
        let points = details.histories[&(0, 1)].points(most, u64::MAX, Some(&sprt));
        assert!((1..=most).contains(&points.len()), "{most}: {}", points.len());
        assert!(points.is_sorted_by(|a, b| a.games < b.games));
        // The last point has the figures of the report.
        let (last, head_to_head) = (points[points.len() - 1], &tally.head_to_heads[&(0, 1)]);
        assert_eq!(last.games, 3000);
        assert_eq!(Some(last.mean), head_to_head.sample().mean());
        assert_eq!(Some(last.interval), head_to_head.estimate().map(|estimate| (estimate.low, estimate.high)));
        let ratio = sprt.log_likelihood_ratio(&Sample::new(&head_to_head.pairs));
        assert_eq!(last.ratio, Some(ratio));
        let early = details.histories[&(0, 1)].points(most, 1500, Some(&sprt));
        assert!(early.len() <= most && early.iter().all(|point| point.games <= 1500));
    }
}

/// Intervals of the plain likelihood ratio are too short here.
#[test]
fn intervals_of_few_pairs_cover() {
    for (pairs, win) in [(5, 0.5), (5, 0.8), (10, 0.9), (20, 0.65)] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(pairs);
        let mut won = || (random.next_u64() >> 11) as f64 / ((1_u64 << 53) as f64) < win;
        let covered = (0..500).filter(|_| {
            let games = (1..=2 * pairs).map(|number: u64| {
                let (seats, own, other) = match number % 2 {
                    1 => (["a", "b"], GameResult::Black, GameResult::White),
                    _ => (["b", "a"], GameResult::White, GameResult::Black),
                };
                game(number, seats, if won() { own } else { other }, 0)
            });
            let statistics = Statistics::of(vec![games.collect()], None).unwrap();
            statistics.variants()[0].1.head_to_heads[&(0, 1)].estimate().unwrap().contains(win)
        });
        let covered = covered.count();
        assert!(covered >= 457, "{pairs} pairs, {win}: {covered} of 500");
    }
}

#[test]
fn a_test_remembers_where_it_ended() {
    // The first engine wins 40 games, and then loses all.
    let games = (1..=400).map(|number: u64| {
        let seats = if number % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
        let result = match (number % 2 == 1) == (number <= 40) {
            true => GameResult::Black,
            false => GameResult::White,
        };
        // Moves without information are an opening, which both games of a pair share.
        game(number, seats, result, 0)
    });
    let games: Vec<GameRecord> = games.collect();
    let sprt = Sprt::parse("0,400").unwrap();
    let ended = |games: &[GameRecord]| {
        let statistics = Statistics::of(vec![games.to_vec()], Some(sprt)).unwrap();
        let (_, tally) = &statistics.variants()[0];
        (tally.head_to_heads[&(0, 1)].decided, statistics.to_string())
    };
    let (end, report) = ended(&games);
    let end = end.unwrap();
    assert_eq!(end.decision, Decision::H1);
    assert!(end.ratio >= sprt.bounds().1 && end.games < 40, "{end:?}");
    let line =
        format!("log-likelihood ratio {:.2} (-2.94 to 2.94), H1 is accepted after {} games\n", end.ratio, end.games);
    assert!(report.contains(&line), "{report}");
    // No earlier game ends it.
    let games = &games[..end.games as usize];
    assert_eq!(ended(games).0, Some(end));
    let (none, report) = ended(&games[..games.len() - 2]);
    assert_eq!(none, None);
    assert!(report.contains(", undecided\n"), "{report}");
}

#[test]
fn ends_other_than_by_the_rules_are_told_first() {
    let told = |causes: &[Cause]| {
        let games = causes
            .iter()
            .zip(1..)
            .map(|(&cause, number)| GameRecord { cause, ..game(number, ["a", "b"], GameResult::Draw, 5) });
        let statistics = Statistics::of(vec![games.collect()], None).unwrap();
        ends_line(&statistics.variants()[0].1)
    };
    let (normal, length, time) = (Cause::Normal, Cause::Length, Cause::Time);
    assert_eq!(told(&[normal, normal]), None);
    let lines = [
        vec![length],
        vec![length; 3],
        vec![normal, length, length],
        vec![normal, length, time],
        vec![time, Cause::IllegalMove],
    ];
    let lines = lines.map(|causes| told(&causes).unwrap());
    insta::assert_snapshot!(lines.join("\n"), @r"
    The game reached the limit of moves (--max-moves), and counts as a draw
    All 3 games reached the limit of moves (--max-moves), and count as draws
    1 of 3 games ended by the rules; 2 reached the limit of moves (--max-moves)
    1 of 3 games ended by the rules; 1 reached the limit of moves (--max-moves), time 1
    No game ended by the rules: illegal move 1, time 1
    ");
}
