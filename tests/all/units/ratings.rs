//! Ratings, against a slow fit of its own and against simulated tournaments.

use pentalith::record::Outcome;
use pentalith::statistics::{Anchor, RatingError, RatingGames, RatingOptions, Ratings};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::coverage::runs;

/// A tournament of players whose strengths are known.
struct Tournament {
    /// Ratings, with a mean of 0.
    ratings: Vec<f64>,
    /// Advantage of the first mover in each variant.
    advantages: Vec<f64>,
    /// Pairs of games of any two players in each variant.
    pairs: u64,
    /// Share of games that are drawn whatever the strengths.
    draws: f64,
    /// Standard deviation of the advantage that an opening of a pair adds.
    openings: f64,
    /// Further games of any two players, in which the same one always moves first.
    further: u64,
}

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(random: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
}

fn chance(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

fn name(player: usize) -> String {
    format!("p{player}")
}

fn outcome(variant: &str, players: [&str; 2], half_points: usize, pair: Option<u64>) -> Outcome {
    let players = players.map(str::to_owned);
    Outcome { variant: variant.to_owned(), players, half_points, swapped: None, pair, identity: None }
}

impl Tournament {
    fn play(&self, seed: u64) -> Vec<Outcome> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut games = Vec::new();
        for (variant, advantage) in self.advantages.iter().enumerate() {
            for a in 0..self.ratings.len() {
                for b in 0..a {
                    for _ in 0..self.further {
                        let elo = self.ratings[a] - self.ratings[b] + advantage;
                        let half_points = 2 * usize::from(uniform(&mut random) < chance(elo));
                        games.push(outcome(&format!("v{variant}"), [&name(a), &name(b)], half_points, None));
                    }
                    for _ in 0..self.pairs {
                        let opening = self.openings * normal(&mut random);
                        let pair = Some(random.next_u64());
                        for (first, second) in [(a, b), (b, a)] {
                            let elo = self.ratings[first] - self.ratings[second] + advantage + opening;
                            let half_points = match uniform(&mut random) < self.draws {
                                true => 1,
                                false if uniform(&mut random) < chance(elo) => 2,
                                false => 0,
                            };
                            let players = [name(first), name(second)];
                            games.push(outcome(&format!("v{variant}"), [&players[0], &players[1]], half_points, pair));
                        }
                    }
                }
            }
        }
        games
    }
}

fn rate(games: &[Outcome], options: &RatingOptions) -> Result<Ratings, RatingError> {
    let mut all = RatingGames::default();
    games.iter().for_each(|game| all.add(game));
    all.rate(options)
}

/// Values by name.
type Named = Vec<(String, f64)>;

/// Climbs the likelihood of the model one coordinate at a time: slow, and with no code of the other.
fn slow_fit(games: &[Outcome], prior: f64) -> (Named, Named) {
    let mut players: Vec<String> = games.iter().flat_map(|game| game.players.clone()).collect();
    let mut variants: Vec<String> = games.iter().map(|game| game.variant.clone()).collect();
    for names in [&mut players, &mut variants] {
        names.sort();
        names.dedup();
    }
    let mut values = vec![0.0; players.len() + variants.len()];
    let known: Vec<[usize; 3]> = games
        .iter()
        .map(|game| {
            let place = |name: &String| players.iter().position(|player| player == name).unwrap();
            let variant = variants.iter().position(|variant| *variant == game.variant).unwrap();
            [place(&game.players[0]), place(&game.players[1]), players.len() + variant]
        })
        .collect();
    for _ in 0..4000 {
        let before = values.clone();
        for place in 0..values.len() {
            let (mut slope, mut bend) = (0.0, 0.0);
            for (game, &[first, second, variant]) in games.iter().zip(&known) {
                let sign = match place {
                    _ if place == first => 1.0,
                    _ if place == second => -1.0,
                    _ if place == variant => 1.0,
                    _ => continue,
                };
                let expected = chance(values[first] - values[second] + values[variant]);
                slope += sign * (0.5 * game.half_points as f64 - expected);
                bend += expected * (1.0 - expected);
            }
            let expected = chance(values[place]);
            slope += prior * (0.5 - expected);
            bend += prior * expected * (1.0 - expected);
            values[place] += slope / bend * 400.0 / 10_f64.ln();
        }
        if before.iter().zip(&values).all(|(a, b)| (a - b).abs() < 1e-9) {
            break;
        }
    }
    let mean = values[..players.len()].iter().sum::<f64>() / players.len() as f64;
    let advantages = variants.iter().cloned().zip(values[players.len()..].to_vec()).collect();
    (players.into_iter().zip(values.iter().map(|value| value - mean)).collect(), advantages)
}

#[test]
fn ratings_are_those_of_a_slow_fit() {
    let tournament = Tournament {
        ratings: vec![-250.0, -100.0, 50.0, 300.0],
        advantages: vec![80.0, -40.0],
        pairs: 12,
        draws: 0.3,
        openings: 100.0,
        further: 0,
    };
    let mut games = tournament.play(7);
    // Seats are unequal: one player moves first in most games.
    games.retain(|game| game.players[1] != "p2" || game.half_points != 1);
    for prior in [0.0, 1.0, 2.5] {
        let ratings = rate(&games, &RatingOptions { prior, ..RatingOptions::default() }).unwrap();
        let (players, advantages) = slow_fit(&games, prior);
        for player in &ratings.players {
            let (_, expected) = players.iter().find(|(name, _)| *name == player.name).unwrap();
            assert!((player.rating.value - expected).abs() < 1e-4, "{}: {expected}, {:?}", player.name, player.rating);
        }
        for of in &ratings.first_mover {
            let (_, expected) = advantages.iter().find(|(name, _)| *name == of.variant).unwrap();
            assert!((of.advantage.value - expected).abs() < 1e-4, "{}: {expected}, {:?}", of.variant, of.advantage);
        }
        let mean = ratings.players.iter().map(|player| player.rating.value).sum::<f64>();
        assert!(mean.abs() < 1e-6, "{mean}");
    }
}

/// Shares of intervals of ratings and of advantages that have the true value, over simulated tournaments.
fn coverage(tournament: &Tournament, options: &RatingOptions, tournaments: u64) -> [f64; 2] {
    let (mut covered, mut all) = ([0.0; 2], [0.0; 2]);
    for seed in 0..tournaments {
        let ratings = rate(&tournament.play(seed), options).unwrap();
        let true_of = |name: &str| tournament.ratings[name[1..].parse::<usize>().unwrap()];
        let players = ratings.players.iter().map(|player| (0, player.rating, true_of(&player.name)));
        let advantages = ratings.first_mover.iter().zip(&tournament.advantages);
        for (kind, estimate, expected) in players.chain(advantages.map(|(of, elo)| (1, of.advantage, *elo))) {
            all[kind] += 1.0;
            covered[kind] += if estimate.contains(expected) { 1.0 } else { 0.0 };
        }
    }
    [0, 1].map(|kind| covered[kind] / all[kind])
}

#[test]
fn coverage_of_ratings() {
    let tournaments = runs(150);
    let mean_0 = |ratings: &[f64]| {
        let mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
        ratings.iter().map(|rating| rating - mean).collect::<Vec<f64>>()
    };
    let near = mean_0(&[-120.0, -60.0, -20.0, 0.0, 30.0, 170.0]);
    let far = mean_0(&[-500.0, -200.0, 0.0, 100.0, 600.0]);
    let first = mean_0(&[-100.0, -50.0, 0.0, 50.0, 500.0]);
    let two = vec![-50.0, 50.0];
    let plain = RatingOptions::default();
    let resampled = RatingOptions { resamples: 200, ..plain.clone() };
    let cases = [
        ("wins and losses", &near, (10, 0), 0.0, 0.0, &plain),
        ("few games", &near, (2, 0), 0.0, 0.0, &plain),
        ("half of the games drawn", &near, (10, 0), 0.5, 0.0, &plain),
        ("openings that favor a seat", &near, (10, 0), 0.0, 300.0, &plain),
        ("unequal seats", &near, (2, 12), 0.0, 0.0, &plain),
        ("far apart", &far, (10, 0), 0.0, 0.0, &plain),
        ("one who wins nearly all games", &first, (2, 0), 0.0, 0.0, &plain),
        ("two players, 50 pairs", &two, (50, 0), 0.3, 0.0, &plain),
        ("two players, 10 pairs", &two, (10, 0), 0.3, 0.0, &plain),
        ("two players, 10 pairs without draws", &two, (10, 0), 0.0, 0.0, &plain),
        ("bootstrap", &near, (10, 0), 0.3, 200.0, &resampled),
        ("bootstrap, unequal seats", &near, (4, 12), 0.0, 0.0, &resampled),
    ];
    for (what, ratings, (pairs, further), draws, openings, options) in cases {
        // Openings flatten the curve: then players must be equal for the truth to be known.
        let ratings = if openings > 0.0 { vec![0.0; ratings.len()] } else { ratings.clone() };
        let advantages = if openings > 0.0 || draws > 0.0 { vec![0.0] } else { vec![60.0, -30.0] };
        let ratings = if draws > 0.0 { vec![0.0; ratings.len()] } else { ratings };
        let tournament = Tournament { ratings, advantages, pairs, draws, openings, further };
        let tournaments = if options.resamples > 0 { runs(30) } else { tournaments };
        let [players, seats] = coverage(&tournament, options, tournaments);
        println!("| {what} | {:.1} | {:.1} |", 100.0 * players, 100.0 * seats);
        let count = tournaments as f64 * 2.0;
        let slack = 2.5 * (0.05 * 0.95 / count).sqrt();
        for share in [players, seats] {
            assert!((0.93 - slack..=0.97 + slack).contains(&share), "{what}: {share}");
        }
    }
}

#[test]
fn draws_with_a_share_of_their_own_leave_odds_of_wins_to_losses() {
    // Equal seats: the odds are those of the wins, however many draws there are.
    let mut games = Vec::new();
    for (players, half_points, count) in
        [(["a", "b"], 2, 30), (["a", "b"], 0, 10), (["a", "b"], 1, 40), (["b", "a"], 0, 30), (["b", "a"], 2, 10)]
    {
        games.extend((0..count).map(|_| outcome("v", players, half_points, None)));
    }
    games.extend((0..40).map(|_| outcome("v", ["b", "a"], 1, None)));
    let options = RatingOptions { prior: 0.0, has_draws: true, ..RatingOptions::default() };
    let ratings = rate(&games, &options).unwrap();
    let [a, b] = &ratings.players[..] else { panic!("{ratings:?}") };
    assert!((a.rating.value - b.rating.value - 400.0 * 3_f64.log10()).abs() < 1e-6, "{a:?} {b:?}");
    assert!((ratings.expected_score(0, 1).unwrap() - 0.625).abs() < 1e-9);
    // Between equals: draws weigh 40 / sqrt(30 · 10) against each decision.
    let weight = 40.0 / 300_f64.sqrt();
    assert!((ratings.first_mover[0].draws.unwrap() - weight / (2.0 + weight)).abs() < 1e-9);
}

#[test]
fn a_player_who_wins_all_games_has_a_finite_rating() {
    let games = |list: &[(&str, &str)]| {
        let both = list.iter().flat_map(|&(winner, loser)| {
            [outcome("v", [winner, loser], 2, None), outcome("v", [loser, winner], 0, None)]
        });
        both.collect::<Vec<_>>()
    };
    let all = games(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "b")]);
    let ratings = rate(&all, &RatingOptions::default()).unwrap();
    let [a, ..] = &ratings.players[..] else { panic!() };
    assert!(a.name == "a" && (100.0..500.0).contains(&a.rating.value) && a.rating.high < 2000.0, "{a:?}");
    // Without a prior the others are rated as if the player had not been there.
    let plain = RatingOptions { prior: 0.0, ..RatingOptions::default() };
    let ratings = rate(&all, &plain).unwrap();
    let values: Vec<f64> = ratings.players.iter().map(|player| player.rating.value).collect();
    assert_eq!(values[0], f64::INFINITY);
    assert!(values[1].abs() < 1e-9 && values[2].abs() < 1e-9, "{values:?}");
    assert_eq!(ratings.superiority(0, 1), Some(1.0));
    assert_eq!(ratings.superiority(2, 0), Some(0.0));
    assert!(ratings.notes()[0].contains(r#"don't bound the rating of "a""#), "{:?}", ratings.notes());
    let json = serde_json::to_value(ratings.json()).unwrap();
    assert!(json["players"][0]["rating"].is_null() && json["players"][1]["rating"].is_f64(), "{json}");
    let anchored = RatingOptions { anchors: vec!["a=100".parse().unwrap()], ..plain };
    let error = rate(&all, &anchored).unwrap_err().to_string();
    assert!(error.contains("can't be an anchor"), "{error}");
}

#[test]
fn pools_without_a_game_between_them_are_named() {
    let mut games = Vec::new();
    for (first, second, half_points) in
        [("a", "b", 2), ("b", "a", 2), ("b", "a", 0), ("c", "d", 2), ("d", "c", 1), ("b", "e", 1)]
    {
        games.push(outcome("v", [first, second], half_points, None));
    }
    let ratings = rate(&games, &RatingOptions::default()).unwrap();
    assert_eq!(ratings.pools, 2);
    let pools: Vec<usize> = ratings.players.iter().map(|player| player.pool).collect();
    assert_eq!(pools, [1, 1, 1, 2, 2]);
    for pool in [1, 2] {
        let own = ratings.players.iter().filter(|player| player.pool == pool);
        assert!(own.map(|player| player.rating.value).sum::<f64>().abs() < 1e-6);
    }
    assert!(ratings.notes()[0].starts_with("there are 2 pools without a game between them"));
    assert_eq!(ratings.superiority(0, 3), None);
    let anchored = |texts: &[&str]| {
        let anchors: Vec<Anchor> = texts.iter().map(|text| text.parse().unwrap()).collect();
        rate(&games, &RatingOptions { anchors, ..RatingOptions::default() })
    };
    let ratings = anchored(&["b=1500", "d=-3.5"]).unwrap();
    let of = |name: &str| ratings.players.iter().find(|player| player.name == name).unwrap().rating;
    assert!((of("b").value - 1500.0).abs() < 1e-9 && of("b").width() < 1e-6);
    assert!((of("d").value + 3.5).abs() < 1e-9 && of("c").width() > 100.0);
    for (texts, expected) in [
        (&["a=0", "b=0"][..], r#""a" and "b" are in one pool: expected one anchor for each pool"#),
        (&["f=0"], r#"no player is called "f": there are "a", "b", "e", "c" and "d""#),
    ] {
        let error = anchored(texts).unwrap_err().to_string();
        assert!(error == expected || error.starts_with("no player is called \"f\""), "{error}");
    }
    assert!("a".parse::<Anchor>().is_err() && "a=x".parse::<Anchor>().is_err() && "a=b=1".parse::<Anchor>().is_ok());
}

#[test]
fn games_needed_are_fewer_the_larger_the_difference_is() {
    let tournament = Tournament {
        ratings: vec![40.0, 0.0, -40.0],
        advantages: vec![0.0],
        pairs: 20,
        draws: 0.0,
        openings: 0.0,
        further: 0,
    };
    let few = rate(&tournament.play(3), &RatingOptions::default()).unwrap();
    let many = rate(&Tournament { pairs: 2000, ..tournament }.play(3), &RatingOptions::default()).unwrap();
    for player in &few.players[..2] {
        let next = player.next.unwrap();
        assert!((0.5..1.0).contains(&next.superiority) && next.games > 0.0, "{player:?}");
    }
    assert!(many.players[..2].iter().all(|player| player.next.unwrap().games == 0.0));
    assert_eq!(many.players[2].next, None);
}

/// Ten thousand games of a hundred players: in a release well below a second.
#[test]
fn many_players_are_rated() {
    let ratings: Vec<f64> = (0..100).map(|player| 8.0 * f64::from(player) - 396.0).collect();
    let tournament = Tournament { ratings, advantages: vec![30.0], pairs: 1, draws: 0.1, openings: 0.0, further: 0 };
    let games = tournament.play(5);
    assert_eq!(games.len(), 9900);
    let found = rate(&games, &RatingOptions::default()).unwrap();
    let inside = found.players.iter().filter(|player| {
        // Draws pull the ratings together by a tenth.
        let true_rating = 0.9 * (8.0 * player.name[1..].parse::<f64>().unwrap() - 396.0);
        player.rating.low - 20.0 < true_rating && true_rating < player.rating.high + 20.0
    });
    assert!(inside.count() >= 93);
}
