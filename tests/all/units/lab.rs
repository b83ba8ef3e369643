//! Training of weights and networks on samples.

use std::sync::atomic::AtomicBool;

use pentalith::lab::network_training::{Schedule, loss, train};
use pentalith::lab::regression::{Samples, logistic};
use pentalith::nnue::{HiddenLayers, Weights};

/// Returns samples with three features, and the targets that these weights predict.
fn samples(weights: [f64; 3]) -> Samples {
    let mut samples = Samples::default();
    for i in 0..5_i32 {
        for j in -2..3 {
            let counts = [i - 2, j, i * j];
            let sum: f64 = weights.iter().zip(counts).map(|(w, n)| w * f64::from(n)).sum();
            let visit = |add: &mut dyn FnMut(usize, i32)| {
                // In parts, some of which cancel out.
                counts.iter().enumerate().for_each(|(index, &count)| {
                    add(index, count + 1);
                    add(index, -1);
                });
            };
            samples.push(visit, logistic(sum));
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
fn no_weights_have_less_than_the_minimum_loss() {
    let weights = [0.5, -1.25, 0.125];
    let soft = samples(weights);
    assert!((soft.loss(&weights) - soft.minimum_loss()).abs() < 1e-9);
    assert!(soft.loss(&[0.5, -1.0, 0.125]) > soft.minimum_loss() + 1e-4);
    let mut certain = Samples::default();
    for target in [0.0, 1.0] {
        certain.push(|add| add(0, 1), target);
    }
    assert_eq!(certain.minimum_loss(), 0.0);
}

#[test]
fn weights_of_features_without_samples_stay_at_their_prior() {
    let mut samples = samples([1.0, 0.0, 0.0]);
    let count = samples.count();
    samples.append(samples.clone());
    assert_eq!(samples.count(), 2 * count);
    let found = samples.fit(&[0.0; 4], &[0.0, 0.0, 0.0, 7.0], 1e3, &AtomicBool::new(false));
    let found = found.unwrap();
    assert!((found[3] - 7.0).abs() < 1e-6);
    assert!(found[0] > 0.0 && found[0] < 0.5, "regularized towards 0");
}

/// Returns samples with two features: either alone has a high target, both together or none a low one.
fn either_alone(weights: &Weights, count: usize) -> Samples {
    let mut samples = Samples::default();
    for i in 0..count {
        let counts = [i % 2, usize::from(i % 3 == 0)];
        let target = if counts[0] == counts[1] { 0.1 } else { 0.9 };
        samples.push(
            |add| {
                add(weights.index(2, 1), 1);
                (0..2).for_each(|feature| {
                    add(weights.index(feature, 1), counts[feature] as i32);
                });
            },
            target,
        );
    }
    samples
}

#[test]
fn a_network_learns_what_no_sum_can() {
    for second in [0, 2] {
        learns_what_no_sum_can(second);
    }
}

/// Checks what a network with this number of neurons in its second layer learns.
fn learns_what_no_sum_can(second: usize) {
    let names = ["one", "other", "rest", "never"].map(str::to_owned).to_vec();
    let layers = HiddenLayers { neuron_only: 1, inputs: 4, neurons: 4, second };
    let initial = Weights::from_text(names, 2, layers, "other 0 5\n").unwrap();
    let schedule = Schedule::default();
    let fit = |samples: &Samples, seed| train(samples, &initial, schedule, seed, &AtomicBool::new(false)).unwrap();
    let few = either_alone(&initial, 2_000);
    assert_eq!(fit(&few, 1), fit(&few, 1));
    assert_ne!(fit(&few, 2), fit(&few, 1));
    let samples = either_alone(&initial, 300_000);
    let found = fit(&samples, 1);
    let (before, after) = (loss(&samples, &initial), loss(&samples, &found));
    // The loss of the best weighted sum is about 0.65.
    assert!(before > 0.69 && after < 0.45, "{before} {after}");
    assert_eq!(found.weight(0, 0), 0, "the other output bucket");
    assert_eq!(found.feature(3), [0; 6], "without samples");
    assert_eq!(found.feature(0)[..2], [0; 2], "feeds neurons alone");
    for neuron in 0..second {
        let first = found.second_feature(neuron);
        let changed = |row: usize, columns: std::ops::Range<usize>| {
            found.feature(first + row)[columns.clone()] != initial.feature(first + row)[columns]
        };
        assert!(changed(0, 1..2) && changed(1, 1..2) && changed(3, 2..6), "neuron {neuron} of the output bucket");
    }
}
