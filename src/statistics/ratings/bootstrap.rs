//! Intervals of ratings by resampling pairs of games.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Game;
use super::fit::{Cell, Fit, Model, at};
use super::rated::cells_of;

/// Shares of resamples below the ends of a 95 % interval.
const ENDS: [f64; 2] = [0.025, 0.975];

/// Returns the 95 % interval of each parameter over resamples of the pairs, in logits. `shift` moves the parameters of each
/// resample to their scale.
pub(super) fn intervals(
    model: &Model,
    fit: &Fit,
    games: &[Game],
    (resamples, seed): (u32, u64),
    shift: impl Fn(&mut Vec<f64>),
) -> Vec<[f64; 2]> {
    let mut clusters: Vec<Vec<Game>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for game in games {
        let place = *places.entry(game.cluster).or_insert_with(|| {
            clusters.push(Vec::new());
            clusters.len() - 1
        });
        if let Some(cluster) = clusters.get_mut(place) {
            cluster.push(*game);
        }
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); fit.values.len()];
    for _ in 0..resamples {
        let drawn = (0..clusters.len()).filter_map(|_| clusters.get(below(&mut random, clusters.len())));
        let cells: Vec<Cell> = cells_of(drawn.flatten().copied());
        let Some(fit) = model.fit(&cells, Some(&fit.values)) else {
            continue;
        };
        let mut values = fit.values;
        shift(&mut values);
        for (list, value) in found.iter_mut().zip(values) {
            list.push(value);
        }
    }
    // Resamples scatter a little less than games do, by the part of them that the parameters take up.
    let count = clusters.len() as f64;
    let free = count - fit.values.len() as f64;
    let factor = if free > 0.0 { (count / free).sqrt() } else { 1.0 };
    let mut best = fit.values.clone();
    shift(&mut best);
    let found = found.into_iter().zip(best);
    found.map(|(list, value)| ends(list).map(|end| value + factor * (end - value))).collect()
}

/// Draws a number below a count.
fn below(random: &mut Xoshiro256PlusPlus, count: usize) -> usize {
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

/// Returns the 2.5 % and the 97.5 % quantile: places between which a further resample lies in 95 of 100 cases, which
/// quantiles of the sample itself are too near to each other for.
fn ends(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    ENDS.map(|share| {
        let place = (share * (values.len() + 1) as f64 - 1.0).clamp(0.0, last);
        let (low, part) = (place.floor() as usize, place.fract());
        let (below, above) = (at(&values, low), at(&values, (low + 1).min(last as usize)));
        below + part * (above - below)
    })
}
