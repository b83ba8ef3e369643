//! Balance: intervals cover at their stated rate, and what is known of small boards is found.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use once_cell::sync::Lazy;
use pentalith::games;
use pentalith::intervals::normal;
use pentalith::rules::HalfPoints;
use pentalith::study::balance::first_moves::{MOST_DRAWN, first_moves};
use pentalith::study::balance::komi::KomiSearch;
use pentalith::study::balance::swap::{Answer, MoveGames, SwapSearch};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

const RUNS: u64 = 1000;

/// A ladder of a small board, played by one thread.
pub static LADDER: Lazy<Vec<u8>> = Lazy::new(|| program(&format!("{LADDER_QUESTION} --threads 1")).stdout);
pub const LADDER_QUESTION: &str = "ladder inversion:3,komi=1 --max-nodes 64 --games 60 --json";

pub fn program(arguments: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let arguments = arguments.split_whitespace();
    Command::new(program).args(arguments).output().unwrap()
}

/// The array that a command prints.
fn answers(arguments: &str) -> Vec<Value> {
    let output = program(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    let answers = serde_json::from_slice(&output.stdout).unwrap();
    let Value::Array(answers) = answers else {
        panic!("{arguments}: {answers}");
    };
    answers
}

/// The message of a command that is refused.
pub fn refusal(arguments: &str) -> String {
    let output = program(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty(), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

pub fn interval(value: &Value) -> [f64; 3] {
    ["low", "value", "high"].map(|end| value[end].as_f64().unwrap())
}

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Plays a game of a simulated player: its margin without komi is odd, and normal around the fair komi.
fn simulated(fair: f64, spread: f64, komi: f64, random: &mut Xoshiro256PlusPlus) -> (usize, f64) {
    let quantile = uniform(random);
    let mut margin = -61.0;
    while margin < 61.0 && normal((margin + 1.0 - fair) / spread) < quantile {
        margin += 2.0;
    }
    let score = match margin.total_cmp(&komi) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Greater => 2,
    };
    (score, margin)
}

/// Runs a search to its end with games that give the first mover's score at a komi and its margin without one.
fn search_with(search: &mut KomiSearch, mut game: impl FnMut(HalfPoints) -> (usize, f64)) {
    loop {
        let komis = search.next();
        if komis.is_empty() {
            break;
        }
        for komi in komis {
            let (score, margin) = game(komi);
            search.add(komi, score, Some(margin));
        }
    }
}

#[test]
fn intervals_of_the_fair_komi_cover_it() {
    const RUNS: u64 = 500;
    let (mut covered, mut below, mut precise) = (0, 0, 0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let fair = 20.0 * uniform(&mut random) - 6.0;
        let spread = 1.5 + 2.0 * uniform(&mut random);
        let mut search = KomiSearch::new((HalfPoints(-122), HalfPoints(122)), 1500, 0.8);
        search_with(&mut search, |komi| simulated(fair, spread, f64::from(komi.0) / 2.0, &mut random));
        let found = search.fair();
        assert!(found.contains(found.value));
        covered += u64::from(found.contains(fair));
        below += u64::from(found.value < fair);
        // Few games must give a shorter interval: it is often short by chance.
        let share = search.curve().games().min(400) as f64 / 400.0;
        precise += u64::from(found.width() <= 1.6 * share.sqrt());
    }
    assert!((465..=492).contains(&covered), "{covered} of {RUNS} intervals cover");
    assert!((215..=285).contains(&below), "{below} of {RUNS} estimates are low");
    assert_eq!(precise, RUNS);
}

/// First mover's score by komi, from 0, as in games of `inversion:5`: steep near the fair komi, flatter than the fitted
/// curve farther away.
const SCORES: [f64; 16] =
    [0.985, 0.95, 0.92, 0.88, 0.82, 0.757, 0.698, 0.545, 0.465, 0.362, 0.313, 0.259, 0.23, 0.2, 0.17, 0.14];

/// Komi at which these scores cross one half.
const FAIR: f64 = 7.5625;

#[test]
fn intervals_cover_a_fair_komi_of_another_curve_than_the_fitted_one() {
    const RUNS: u64 = 200;
    let (mut covered, mut sum) = (0, 0.0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let mut search = KomiSearch::new((HalfPoints(-122), HalfPoints(122)), 4000, 0.5);
        search_with(&mut search, |komi| {
            let outside = if komi.0 < 0 { 0.99 } else { 0.1 };
            let place = usize::try_from(komi.0 / 2).ok();
            let share = place.and_then(|place| SCORES.get(place)).copied();
            let wins = uniform(&mut random) < share.unwrap_or(outside);
            let margin = 20.0 * uniform(&mut random) - 4.0;
            (if wins { 2 } else { 0 }, margin)
        });
        let found = search.fair();
        // One search in two hundred ends with its games, before it is as precise as it should be.
        assert!(found.width() <= 1.1, "{found:?}");
        covered += u64::from(found.contains(FAIR));
        sum += found.value - FAIR;
    }
    assert!(covered >= 184, "{covered} of {RUNS} intervals cover");
    let bias = sum / RUNS as f64;
    assert!(bias.abs() <= 0.15, "estimates are {bias} too high");
}

#[test]
fn a_sure_margin_is_the_fair_komi() {
    // As with best play on a solved board: White wins by 5.
    let mut search = KomiSearch::new((HalfPoints(-40), HalfPoints(40)), 400, 0.5);
    let mut games = 0;
    search_with(&mut search, |komi| {
        games += 1;
        ((10_i32.cmp(&komi.0) as i32 + 1) as usize, 5.0)
    });
    let fair = search.fair();
    assert!(fair.contains(5.0) && fair.width() <= 1.0, "{fair:?}");
    assert!(games <= 200, "{games}");
}

#[test]
fn the_score_of_the_fairest_move_is_not_biased_upward() {
    const MOVES: usize = 24;
    let (mut covered, mut too_high, mut sum) = (0, 0, 0.0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        // No move is fair: who looks for the fairest by its score finds one that was lucky.
        let scores: Vec<f64> = (0..MOVES).map(|_| 0.62 + 0.3 * uniform(&mut random)).collect();
        let mut search = SwapSearch::new(MOVES, 576).unwrap();
        loop {
            let trials = search.next();
            if trials.is_empty() {
                break;
            }
            for trial in trials {
                let side = usize::from(uniform(&mut random) < scores[trial.first_move]);
                let score = match trial.answer {
                    Answer::Keep => 2 * side,
                    Answer::Swap => 2 - 2 * side,
                };
                search.add(trial, score);
            }
            search.end_round();
        }
        assert!(search.played() <= search.games());
        let fairest = search.fairest().unwrap();
        let (games, is_fresh) = search.games_of(fairest);
        assert!(is_fresh);
        // A swap takes the better side.
        let (found, truth) = (games.under_pie(search.are_seats_alike()).unwrap(), 1.0 - scores[fairest]);
        covered += u64::from(found.contains(truth));
        too_high += u64::from(found.low > truth);
        sum += found.value - truth;
    }
    assert!(covered >= 935, "{covered} of {RUNS} intervals cover");
    assert!(too_high <= 40, "{too_high} of {RUNS} intervals are too high");
    assert!(sum / (RUNS as f64) < 0.005, "{}", sum / RUNS as f64);
}

#[test]
fn successive_halving_finds_the_fair_move() {
    const MOVES: usize = 40;
    let mut found = 0;
    for run in 0..100 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let mut search = SwapSearch::new(MOVES, 4000).unwrap();
        loop {
            let trials = search.next();
            if trials.is_empty() {
                break;
            }
            for trial in trials {
                let score = if trial.first_move == 17 { 0.5 } else { 0.8 };
                let side = usize::from(uniform(&mut random) < score);
                let score = match trial.answer {
                    Answer::Keep => 2 * side,
                    Answer::Swap => 2 - 2 * side,
                };
                search.add(trial, score);
            }
            search.end_round();
        }
        found += u32::from(search.fairest() == Some(17));
    }
    assert!(found >= 95, "{found}");
}

/// Plays a round of a comparison of moves whose sides have known scores.
fn play_round(search: &mut SwapSearch, sides: &[f64], random: &mut Xoshiro256PlusPlus) {
    for trial in search.next() {
        let side = usize::from(uniform(random) < sides[trial.first_move]);
        let score = match trial.answer {
            Answer::Keep => 2 * side,
            Answer::Swap => 2 - 2 * side,
        };
        search.add(trial, score);
    }
    search.end_round();
}

#[test]
fn the_truly_fairest_move_survives_the_first_round() {
    const MOVES: usize = 96;
    let (mut with_eight, mut with_four) = (0, 0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let sides: Vec<f64> = (0..MOVES).map(|_| 0.1 + 0.8 * uniform(&mut random)).collect();
        let from_half = |score: f64| (score - 0.5).abs();
        let fairest = (0..MOVES).min_by(|&a, &b| from_half(sides[a]).total_cmp(&from_half(sides[b])));
        let fairest = fairest.unwrap();
        let mut search = SwapSearch::new(MOVES, 4000).unwrap();
        assert_eq!(search.next().len(), 8 * MOVES);
        play_round(&mut search, &sides, &mut random);
        with_eight += u64::from(search.alive().contains(&fairest));
        // As five equal rounds of successive halving would choose, by four games with each move.
        let mut places: Vec<(f64, usize)> = (0..MOVES)
            .map(|place| {
                let wins = (0..4).filter(|_| uniform(&mut random) < sides[place]);
                (from_half(wins.count() as f64 / 4.0), place)
            })
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let kept = &places[..MOVES / 2];
        with_four += u64::from(kept.iter().any(|&(_, place)| place == fairest));
    }
    assert!((600..=710).contains(&with_four), "{with_four} of {RUNS}");
    assert!((880..=950).contains(&with_eight), "{with_eight} of {RUNS}");
}

#[test]
fn the_move_that_leaves_most_is_found_where_the_seat_counts() {
    // The first mover's scores if the second player keeps the sides and if it swaps. Moving first is a disadvantage, by
    // more after some moves than after others. Who looks for the most even side loses 24 points in 100 in the mean.
    const MOVES: usize = 96;
    const COMPARISONS: u64 = 200;
    let (mut lost, mut covered) = (0.0, 0);
    for run in 0..COMPARISONS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let mut scores = || {
            let mean = 0.05 + 0.3 * uniform(&mut random);
            let distance = (2.0 * uniform(&mut random) - 1.0) * mean;
            [mean + distance, mean - distance]
        };
        let scores: Vec<[f64; 2]> = (0..MOVES).map(|_| scores()).collect();
        let left = |first_move: usize| scores[first_move][0].min(scores[first_move][1]);
        let mut search = SwapSearch::new(MOVES, 4000).unwrap();
        loop {
            let trials = search.next();
            if trials.is_empty() {
                break;
            }
            for trial in trials {
                let [kept, swapped] = scores[trial.first_move];
                let score = match trial.answer {
                    Answer::Keep => kept,
                    Answer::Swap => swapped,
                };
                search.add(trial, 2 * usize::from(uniform(&mut random) < score));
            }
            search.end_round();
        }
        let fairest = search.fairest().unwrap();
        let (games, is_fresh) = search.games_of(fairest);
        assert!(is_fresh);
        covered += u64::from(games.under_pie(search.are_seats_alike()).unwrap().contains(left(fairest)));
        lost += (0..MOVES).map(left).fold(0.0, f64::max) - left(fairest);
    }
    let lost = lost / COMPARISONS as f64;
    assert!(lost < 0.09, "{lost}");
    assert!(covered >= 180, "{covered}");
}

#[test]
fn the_pie_is_not_called_fair_where_it_leaves_too_much() {
    // The second player can't win, whoever takes the stone.
    for variant in ["inversion:3,komi=-9", "markane:1x1"] {
        let output = program(&format!("balance swap {variant} --strength 0 --games 200"));
        let told = String::from_utf8(output.stdout).unwrap();
        let headline = told.lines().next().unwrap_or_default();
        assert!(headline.starts_with("The pie does not make "), "{told}");
        assert!(told.contains("more than half either way") || told.contains("less than half either way"), "{told}");
    }
}

#[test]
fn the_lower_of_two_noisy_scores_is_not_too_low() {
    // Even moves leave one half. The lower of two halves of the games was 2 points below.
    let (mut sum, mut covered) = (0.0, 0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let mut games = MoveGames::default();
        for answer in [Answer::Keep, Answer::Swap].into_iter().cycle().take(400) {
            games.add(answer, 2 * usize::from(uniform(&mut random) < 0.5));
        }
        let left = games.under_pie(true).unwrap();
        sum += left.value;
        covered += u32::from(left.contains(0.5));
    }
    let mean = sum / RUNS as f64;
    assert!((0.485..=0.5).contains(&mean), "{mean}");
    assert!((930..=985).contains(&covered), "{covered}");
}

#[test]
fn wrong_answers_are_as_rare_as_they_should_be() {
    const MOVES: usize = 24;
    let (mut wrong, mut told) = (0, 0);
    for run in 0..300 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        // Near one half an answer is easily wrong; moves that look uneven by chance are dropped early.
        let sides: Vec<f64> = (0..MOVES).map(|_| 0.4 + 0.2 * uniform(&mut random)).collect();
        let mut search = SwapSearch::new(MOVES, 1600).unwrap();
        while !search.next().is_empty() {
            play_round(&mut search, &sides, &mut random);
        }
        let answers = sides.iter().enumerate().filter_map(|(first_move, side)| {
            let (games, _) = search.games_of(first_move);
            games.best_answer(search.statements()).map(|answer| (answer == Answer::Swap) == (*side > 0.5))
        });
        let answers: Vec<bool> = answers.collect();
        wrong += u32::from(answers.iter().any(|is_right| !is_right));
        told += answers.len();
    }
    assert!(wrong <= 21, "{wrong} of 300 maps have a wrong answer");
    // What is clear is told.
    let clear: Vec<f64> = (0..MOVES).map(|place| if place == 0 { 0.5 } else { 0.97 }).collect();
    let mut search = SwapSearch::new(MOVES, 1600).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    while !search.next().is_empty() {
        play_round(&mut search, &clear, &mut random);
    }
    let swaps = (1..MOVES).filter(|&first_move| {
        let (games, _) = search.games_of(first_move);
        games.best_answer(search.statements()) == Some(Answer::Swap)
    });
    assert!(swaps.count() >= MOVES / 2, "{told}");
}

#[test]
fn copies_of_a_game_are_counted() {
    // A board with one pit: a game is kept or swapped.
    let [answer] = &answers("balance swap markane:1x1 --strength 0 --games 66 --json")[..] else { panic!() };
    let (games, distinct) = (answer["games"].as_u64().unwrap(), answer["distinct_games"].as_u64().unwrap());
    assert!(0 < distinct && distinct < games, "{answer}");
    let told = String::from_utf8(program("balance swap markane:1x1 --strength 0 --games 66").stdout).unwrap();
    assert!(told.contains(&format!("{games} games, {distinct} of them different")), "{told}");
}

#[test]
fn a_comparison_of_first_moves_keeps_to_its_games() {
    for moves in [1, 2, 3, 6, 7, 12, 28, 52, 96, 400] {
        for factor in 1..=24 {
            let games = factor * SwapSearch::fewest_games(moves);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(games);
            let sides: Vec<f64> = (0..moves).map(|_| uniform(&mut random)).collect();
            let mut search = SwapSearch::new(moves, games).unwrap();
            let first = search.next().len() as u64 / moves as u64;
            while search.fairest().is_none() {
                play_round(&mut search, &sides, &mut random);
            }
            let chosen_by = search.played();
            assert!(5 * chosen_by <= 3 * games, "{moves} moves, {games} games: {chosen_by}");
            while !search.next().is_empty() {
                play_round(&mut search, &sides, &mut random);
            }
            assert!(search.played() <= games && search.played() > chosen_by);
            assert!(first >= 8 || 10 * moves as u64 * 10 > 6 * games, "{moves}: {first}");
            let (_, is_fresh) = search.games_of(search.fairest().unwrap());
            assert!(is_fresh, "{moves} moves, {games} games");
        }
    }
    assert!(SwapSearch::new(96, SwapSearch::fewest_games(96) - 1).is_none());
}

#[test]
fn first_moves_are_one_for_each_class() {
    for (variant, classes) in [
        ("inversion:3", 4),
        ("inversion:2", 2),
        ("markane:4x3", 4),
        ("markane:5x5", 6),
        ("gravel:3,x=2", 0),
        ("invector:4x3", 0),
        ("invector:8x7", 0),
    ] {
        let variant = games::parse_variant(variant).unwrap();
        let board = games::open(&variant).unwrap();
        let found = first_moves(&*board, 1);
        assert!(found.are_all, "{variant}");
        let texts: BTreeSet<&str> = found.moves.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(texts.len(), found.moves.len(), "{variant}");
        if classes > 0 {
            assert_eq!(found.moves.len(), classes, "{variant}");
            let cells: usize = found.moves.iter().map(|m| m.cells.len()).sum();
            assert_eq!(cells, board.shape().len(), "{variant}");
        }
    }
    // 97 captures. The reflection in the middle rank is the only symmetry that keeps colors, and it keeps 7 of them.
    let variant = games::parse_variant("invector:8x7").unwrap();
    let board = games::open(&variant).unwrap();
    assert_eq!(first_moves(&*board, 1).moves.len(), (97 - 7) / 2 + 7);
    let variant = games::parse_variant("gravel:8").unwrap();
    let board = games::open(&variant).unwrap();
    let drawn = first_moves(&*board, 1);
    assert!(!drawn.are_all && drawn.moves.len() == MOST_DRAWN);
    assert_eq!(drawn, first_moves(&*board, 1));
    assert_ne!(drawn, first_moves(&*board, 2));
}

#[test]
fn the_komi_of_a_game_that_chance_can_not_change() {
    // Seven cells are one hex, and White fills the last: four of its stones turn black, so Black always wins by 7.
    for strength in [0, 4] {
        let answers = answers(&format!("balance komi inversion:2 --strength {strength} --games 200 --json"));
        let [answer] = answers.as_slice() else {
            panic!("{answers:?}");
        };
        let [low, value, high] = interval(&answer["fair_komi"]);
        assert!(low <= -7.0 && -7.0 <= high && high - low <= 1.0, "{answer}");
        assert!(low <= value && value <= high);
        assert_eq!(answer["strength"], strength);
        assert!(answer["games"].as_u64().unwrap() <= 200);
        assert_eq!(answer["precise"], true);
    }
}

#[test]
fn threads_change_nothing() {
    for question in [
        "balance komi inversion:3 --strength 0 --strength 4 --games 80 --random-steps 2 --json",
        "balance swap markane:3x3 --strength 4 --games 60 --json",
    ] {
        let [one, two] = ["1", "2"].map(|threads| program(&format!("{question} --threads {threads}")).stdout);
        assert!(!one.is_empty());
        assert_eq!(one, two, "{question}");
    }
    let two = program(&format!("{LADDER_QUESTION} --threads 2")).stdout;
    assert_eq!(*LADDER, two);
}

#[test]
fn equal_seeds_give_equal_answers() {
    let question = "balance komi inversion:3 --strength 0 --games 64 --json --seed";
    let [one, again, other] = ["1", "1", "2"].map(|seed| program(&format!("{question} {seed}")).stdout);
    assert_eq!(one, again);
    assert_ne!(one, other);
}

#[test]
fn the_swap_map_is_complete_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("map.svg");
    let question = format!("balance swap markane:3x3 --strength 8 --games 200 --json --svg {}", picture.display());
    let answers = answers(&question);
    let answer = &answers[0];
    assert_eq!(answer["variant"], "markane:3x3,pie=on");
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    assert_eq!(moves[0]["move"], answer["move"]);
    assert_eq!(moves[0]["fresh"], true);
    assert!(moves.is_sorted_by_key(|of| of["fresh"] == false));
    let [low, value, high] = interval(&answer["score"]);
    assert!(0.0 <= low && low <= value && value <= high && high <= 1.0);
    // The pie leaves the first mover the lower of two scores.
    let either = ["score_if_kept", "score_if_swapped"].map(|key| interval(&answer[key])[1]);
    assert_eq!(value, either[0].min(either[1]));
    for key in ["score_if_kept", "score_if_swapped"] {
        assert_eq!(moves[0][key], answer[key]);
    }
    let games: u64 = moves.iter().map(|of| of["games"].as_u64().unwrap()).sum();
    assert!(games <= answer["games"].as_u64().unwrap() && answer["games"].as_u64().unwrap() <= 200);
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains("markane:3x3,pie=on"));
}

#[test]
fn questions_that_do_not_fit_are_refused() {
    for (question, parts) in [
        ("balance komi invector", ["\"invector:8x7\" has no komi", "pentalith balance swap invector"]),
        ("balance komi invictus", ["\"invictus\" has no komi", "(inversion)"]),
        ("balance komi inversion:3,komi=2", ["komi=2", "expected"]),
        ("balance komi inversion:3,pie=on", ["pie=on", "expected pie=off"]),
        ("balance swap invictus", ["has no pie", "invector, gravel, markane, inversion"]),
        ("balance swap markane:4x4 --games 3", ["--games 3", "expected 10 or more"]),
        ("balance swap markane:4x4 --svg map.png", ["map.png", "expected FILE.svg"]),
        ("balance swap markane:4x4 --theme dark", ["--theme", "need --svg"]),
        ("balance komi nosuch:3", ["bad variant", "nosuch"]),
        ("balance komi inversion:3 --strength x", ["--strength", "'x'"]),
    ] {
        let message = refusal(question);
        for part in parts {
            assert!(message.contains(part), "{question}: {message}");
        }
    }
}

#[test]
fn games_are_kept_and_an_interrupted_question_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("games.txt");
    let questions = [
        "balance komi inversion:2 --strength 0,4 --games 60 --json",
        "balance compare inversion:2 order=mover,single --strength 4 --games 20 --json",
        "balance swap invector:3x2 --strength 4 --games 60 --json",
    ];
    let kept = |question: &str| format!("{question} --record {}", record.display());
    for question in questions {
        let expected = answers(question);
        assert_eq!(answers(&kept(question)), expected);
        // Nothing is played a second time.
        let whole = std::fs::read(&record).unwrap();
        assert_eq!(answers(&kept(question)), expected);
        assert_eq!(std::fs::read(&record).unwrap(), whole);
        // Whatever is missing at the end is played again, to the same bytes.
        std::fs::write(&record, &whole[..whole.len() - whole.len() / 9]).unwrap();
        assert_eq!(answers(&kept(question)), expected);
        assert_eq!(std::fs::read(&record).unwrap(), whole);
    }
    // More games go on from those that are there.
    let more = "balance komi inversion:2 --strength 4 --games 90 --json";
    assert_eq!(answers(&kept(more)), answers(more));
    std::fs::write(&record, "no games").unwrap();
    let refused = refusal(&kept(questions[0]));
    assert!(refused.contains("games.txt, line 1"), "{refused}");
    assert_eq!(std::fs::read(&record).unwrap(), b"no games");
}

#[test]
fn seeds_are_pooled() {
    let question = "balance komi inversion:3 --strength 4 --games 60";
    let pooled = answers(&format!("{question} --json --seeds 3"));
    let [pooled] = pooled.as_slice() else {
        panic!("{pooled:?}");
    };
    let seeds = pooled["seeds"].as_array().unwrap();
    let (mut games, mut inside) = (0, 0);
    let [low, value, high] = interval(&pooled["fair_komi"]);
    for seed in 1..=3 {
        let alone = &answers(&format!("{question} --json --seed {seed}"))[0];
        let of = &seeds[seed - 1];
        assert_eq!(
            (&of["seed"], &of["fair_komi"], &of["games"]),
            (&alone["seed"], &alone["fair_komi"], &alone["games"])
        );
        assert!(alone.get("seeds").is_none());
        games += alone["games"].as_u64().unwrap();
        inside += u32::from((low..=high).contains(&interval(&alone["fair_komi"])[1]));
    }
    assert_eq!((seeds.len(), pooled["games"].as_u64().unwrap()), (3, games));
    assert!(low < value && value < high && inside >= 1, "{pooled}");
    let told = String::from_utf8(program(&format!("{question} --seeds 3")).stdout).unwrap();
    assert!(told.contains("seed 1 to 3, pooled") && told.contains("  seed 2  "), "{told}");
}

#[test]
fn rules_side_by_side_get_a_verdict() {
    // Black always wins by 7, whatever the order; and on one pit who moves first.
    let question = "balance compare inversion:2 order=mover,single --strength 4 --games 40";
    let answer = &answers(&format!("{question} --json"))[0];
    for rule in answer["rules"].as_array().unwrap() {
        assert_eq!(rule["score_without_help"]["value"], 0.0);
    }
    assert_eq!((&answer["fairest"], &answer["rules"][0]["difference"]), (&Value::Null, &Value::Null));
    let [low, value, high] = interval(&answer["rules"][1]["difference"]);
    assert!(low < 0.0 && value == 0.0 && 0.0 < high, "{answer}");
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("At 4 nodes and without komi, the first mover scores 0.0 %"), "{verdict}");
    assert!(verdict.contains("do not tell which rule is nearest to fair; they are equal to within "), "{verdict}");
    let told = String::from_utf8(program(question).stdout).unwrap();
    assert!(told.contains(verdict) && told.contains("  without komi"), "{told}");

    let answer = &answers("balance compare markane size=1x1,3x3 --strength 0 --games 60 --json")[0];
    assert_eq!(answer["fairest"], 1, "{answer}");
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("In random play and without the pie, size=3x3 is nearest to fair"), "{verdict}");
    assert!(verdict.contains("100.0 % with size=1x1"), "{verdict}");
}

#[test]
fn boards_of_different_sizes_have_openings_of_their_own() {
    let question = "balance compare markane size=3x3,6x5 --strength 0 --games 8";
    let output = String::from_utf8(program(question).stdout).unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[0], "strength random");
    let begins = lines.iter().filter(|line| line.starts_with("openings: "));
    let begins: Vec<&&str> = begins.collect();
    assert_eq!(*begins[0], "openings: none; seed 1");
    assert_eq!(*begins[1], "openings: a random step of each player, unfiltered; seed 1");
    let answer = &answers(&format!("{question} --json"))[0];
    assert_eq!(answer["rules"][0]["random_steps"], 0);
    assert_eq!(answer["rules"][1]["random_steps"], 1);
    // Equal boards have equal openings, which are said once.
    let question = "balance compare gravel:3 x=2,3 --strength 0 --games 8";
    let output = String::from_utf8(program(question).stdout).unwrap();
    assert_eq!(output.matches("openings: ").count(), 1, "{output}");
    assert!(output.starts_with("strength random; openings: none"), "{output}");
}

#[test]
fn a_study_without_questions_says_nothing_of_them() {
    let folder = tempfile::tempdir().unwrap();
    for (variant, says) in [("invictus", false), ("inversion:2", true)] {
        let folder = folder.path().join(variant.split(':').next().unwrap());
        let question = format!("study {variant} --strength 0:2 --no-balance --quiet --out {}", folder.display());
        assert!(program(&question).status.success());
        let study = std::fs::read(folder.join("study.json")).unwrap();
        let study: Value = serde_json::from_slice(&study).unwrap();
        let command = study["command"].as_str().unwrap();
        assert_eq!(command.contains("--no-balance"), says, "{command}");
    }
}
