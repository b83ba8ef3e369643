//! Balance: intervals cover at their stated rate, and what is known of small boards is found.

use pentalith::rules::HalfPoints;
use pentalith::study::balance::curve::normal;
use pentalith::study::balance::komi::KomiSearch;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A player whose margin without komi is odd and normally distributed, and who plays differently at each komi.
struct Simulated {
    fair: f64,
    spread: f64,
}

impl Simulated {
    fn play(&self, komi: HalfPoints, random: &mut Xoshiro256PlusPlus) -> (usize, f64) {
        let komi = f64::from(komi.0) / 2.0;
        // The largest odd margin below a normally distributed number, or the smallest above it.
        let quantile = uniform(random);
        let mut margin = -61.0;
        while margin < 61.0 && normal((margin + 1.0 - self.fair) / self.spread) < quantile {
            margin += 2.0;
        }
        let score = match margin.total_cmp(&komi) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        };
        (score, margin)
    }
}

#[test]
fn intervals_of_the_fair_komi_cover_it() {
    const RUNS: u64 = 1000;
    let (mut covered, mut precise, mut games) = (0, 0, 0);
    for run in 0..RUNS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(run);
        let player = Simulated {
            fair: 20.0 * uniform(&mut random) - 6.0,
            spread: 1.0 + 4.0 * uniform(&mut random),
        };
        let mut search = KomiSearch::new((HalfPoints(-122), HalfPoints(122)), 1500, 0.5);
        loop {
            let komis = search.next();
            if komis.is_empty() {
                break;
            }
            for komi in komis {
                let (score, margin) = player.play(komi, &mut random);
                search.add(komi, score, Some(margin));
            }
        }
        let fair = search.fair();
        covered += u64::from(fair.contains(player.fair));
        precise += u64::from(fair.width() <= 1.0);
        games += search.curve().games();
        if run % 100 == 0 {
            eprintln!(
                "{run} {player} {fair:?} {} {:.2}",
                search.curve().games(),
                search.crossing().spread,
                player = player.fair
            );
        }
    }
    eprintln!("{covered} {precise} {games}");
    assert!((930..=990).contains(&covered), "{covered}");
    assert!(precise > 950, "{precise}");
}
