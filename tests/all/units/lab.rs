//! Tuning by results.

use std::sync::atomic::AtomicBool;

use pentalith::lab::fit::{Samples, logistic};
use pentalith::lab::network_fit::{self, loss};
use pentalith::nnue::{Layer, Weights};

/// Samples of three things that are seen now and then, with the results that some weights make likely.
fn samples(weights: [f64; 3]) -> Samples {
    let mut samples = Samples::default();
    for i in 0..5_i32 {
        for j in -2..3 {
            let seen = [i - 2, j, i * j];
            let sum: f64 = weights
                .iter()
                .zip(seen)
                .map(|(w, n)| w * f64::from(n))
                .sum();
            let show = |add: &mut dyn FnMut(usize, i32)| {
                // In parts, some of which cancel out.
                seen.iter().enumerate().for_each(|(place, &times)| {
                    add(place, times + 1);
                    add(place, -1);
                });
            };
            samples.push(show, logistic(sum));
        }
    }
    samples
}

#[test]
fn weights_are_found_from_results() {
    let weights = [0.5, -1.25, 0.125];
    let samples = samples(weights);
    let found = samples.fit(&[2.0; 3], &[0.0; 3], 1e-6, &AtomicBool::new(false));
    let found = found.unwrap();
    for (found, weight) in found.iter().zip(weights) {
        assert!((found - weight).abs() < 1e-3, "{found} {weight}");
    }
    assert!(samples.loss(&found) < samples.loss(&[0.0; 3]));
}

#[test]
fn no_weights_have_less_than_the_least_loss() {
    let weights = [0.5, -1.25, 0.125];
    let soft = samples(weights);
    assert!((soft.loss(&weights) - soft.least_surprise()).abs() < 1e-9);
    assert!(soft.loss(&[0.5, -1.0, 0.125]) > soft.least_surprise() + 1e-4);
    let mut certain = Samples::default();
    for target in [0.0, 1.0] {
        certain.push(|add| add(0, 1), target);
    }
    assert_eq!(certain.least_surprise(), 0.0);
}

#[test]
fn what_was_never_seen_stays_where_it_is_drawn_to() {
    let mut samples = samples([1.0, 0.0, 0.0]);
    let begun = samples.count();
    samples.append(samples.clone());
    assert_eq!(samples.count(), 2 * begun);
    let found = samples.fit(
        &[0.0; 4],
        &[0.0, 0.0, 0.0, 7.0],
        1e3,
        &AtomicBool::new(false),
    );
    let found = found.unwrap();
    assert!((found[3] - 7.0).abs() < 1e-6);
    assert!(found[0] > 0.0 && found[0] < 0.5, "drawn to 0");
}

/// Two things, of which either alone is good, and both together or none bad.
fn either_alone(weights: &Weights, count: usize) -> Samples {
    let mut samples = Samples::default();
    for i in 0..count {
        let seen = [i % 2, usize::from(i % 3 == 0)];
        let target = if seen[0] == seen[1] { 0.1 } else { 0.9 };
        samples.push(
            |add| {
                add(weights.place(2, 1), 1);
                (0..2).for_each(|row| add(weights.place(row, 1), seen[row] as i32));
            },
            target,
        );
    }
    samples
}

#[test]
fn a_network_learns_what_no_sum_can() {
    let rows = ["one", "other", "rest", "never"]
        .map(str::to_owned)
        .to_vec();
    let layer = Layer {
        only: 1,
        features: 4,
        neurons: 4,
    };
    let begun = Weights::from_text(rows, 2, layer, "other 0 5\n").unwrap();
    let fit = |samples: &Samples, seed| {
        network_fit::fit(samples, &begun, seed, &AtomicBool::new(false)).unwrap()
    };
    let few = either_alone(&begun, 2_000);
    assert_eq!(fit(&few, 1), fit(&few, 1));
    assert_ne!(fit(&few, 2), fit(&few, 1));
    let samples = either_alone(&begun, 300_000);
    let found = fit(&samples, 1);
    let (before, after) = (loss(&samples, &begun), loss(&samples, &found));
    // The best sum of what is seen comes to about 0.65.
    assert!(before > 0.69 && after < 0.45, "{before} {after}");
    assert_eq!(found.at(0, 0), 0, "the other column");
    assert_eq!(found.row(3), [0; 6], "never seen");
    assert_eq!(found.row(0)[..2], [0; 2], "only fills units");
}
