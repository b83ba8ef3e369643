//! A network with one layer of neurons, as a search reads it: efficiently updatable (Nasu 2018), for a step changes few
//! features, and their weights are added to the accumulator or subtracted from it.
#![expect(
    clippy::indexing_slicing,
    reason = "features and buckets are those of the table of weights that it was made from"
)]

use std::sync::Arc;

use super::weights::{MAX_ACTIVATION, Weights};

/// Sums of feature weights: straight for the value, by output bucket, and for each neuron before its activation.
/// There are as many buckets as outputs, or none where features only feed neurons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Accumulator<const BUCKETS: usize, const NEURONS: usize> {
    values: [i32; BUCKETS],
    neurons: [i16; NEURONS],
}

impl<const BUCKETS: usize, const NEURONS: usize> Default for Accumulator<BUCKETS, NEURONS> {
    fn default() -> Self {
        Self {
            values: [0; BUCKETS],
            neurons: [0; NEURONS],
        }
    }
}

impl<const BUCKETS: usize, const NEURONS: usize> Accumulator<BUCKETS, NEURONS> {
    /// The weights of a row of the table.
    fn of_row(weights: &Weights, row: usize) -> Self {
        let (values, neurons) = weights.row(row).split_at(weights.buckets());
        Self {
            values: std::array::from_fn(|bucket| values[bucket]),
            neurons: std::array::from_fn(|neuron| neurons[neuron] as i16),
        }
    }

    /// Adds a feature.
    #[inline(always)]
    pub fn add(&mut self, feature: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] += feature.values[bucket];
        }
        for neuron in 0..NEURONS {
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(feature.neurons[neuron]);
        }
    }

    /// Removes a feature.
    #[inline(always)]
    pub fn remove(&mut self, feature: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] -= feature.values[bucket];
        }
        for neuron in 0..NEURONS {
            self.neurons[neuron] = self.neurons[neuron].wrapping_sub(feature.neurons[neuron]);
        }
    }

    /// Puts one feature in the place of another.
    #[inline(always)]
    pub fn exchange(&mut self, removed: &Self, added: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] += added.values[bucket] - removed.values[bucket];
        }
        for neuron in 0..NEURONS {
            let change = added.neurons[neuron].wrapping_sub(removed.neurons[neuron]);
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(change);
        }
    }
}

/// The weights of a network and of its features.
pub struct Network<const BUCKETS: usize, const NEURONS: usize> {
    features: Vec<Accumulator<BUCKETS, NEURONS>>,
    bias: Accumulator<BUCKETS, NEURONS>,
    /// The weights of fully active neurons, by output bucket.
    outputs: Vec<[i16; NEURONS]>,
}

impl<const BUCKETS: usize, const NEURONS: usize> Network<BUCKETS, NEURONS> {
    /// The network of a table, which has so many neurons. Copies of the table share it.
    pub fn of(weights: &Weights) -> Arc<Self> {
        let make = || Arc::new(Self::new(weights));
        let shared = weights.network().0.get_or_init(|| make());
        Arc::clone(shared).downcast().unwrap_or_else(|_| make())
    }

    fn new(weights: &Weights) -> Self {
        let output = |bucket, neuron| weights.at(weights.neuron(neuron), bucket) as i16;
        let outputs = |bucket| std::array::from_fn(|neuron| output(bucket, neuron));
        Self {
            features: (0..weights.layer().features)
                .map(|row| Accumulator::of_row(weights, row))
                .collect(),
            bias: Accumulator {
                values: [0; BUCKETS],
                ..Accumulator::of_row(weights, weights.bias())
            },
            outputs: (0..weights.buckets()).map(outputs).collect(),
        }
    }

    /// The accumulator without any feature.
    #[inline(always)]
    pub fn bias(&self) -> Accumulator<BUCKETS, NEURONS> {
        self.bias
    }

    /// The weights of a feature.
    #[inline(always)]
    pub fn feature(&self, feature: u16) -> &Accumulator<BUCKETS, NEURONS> {
        &self.features[usize::from(feature)]
    }

    /// The value in an output bucket.
    #[inline(always)]
    pub fn output(&self, accumulator: &Accumulator<BUCKETS, NEURONS>, bucket: usize) -> i32 {
        let outputs = &self.outputs[bucket];
        let mut value = 0;
        for neuron in 0..NEURONS {
            let activation = accumulator.neurons[neuron].clamp(0, MAX_ACTIVATION as i16);
            value += i32::from(activation) * i32::from(outputs[neuron]);
        }
        accumulator.values.get(bucket).unwrap_or(&0) + (value >> MAX_ACTIVATION.trailing_zeros())
    }
}
