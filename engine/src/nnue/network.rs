//! A network with one hidden layer, in the layout that a search reads.
//!
//! It is efficiently updatable (Nasu 2018): a step changes few features, whose weights are added to the accumulator or
//! subtracted from it.
#![expect(
    clippy::indexing_slicing,
    reason = "features and output buckets are those of the weights that the network was made from"
)]

use std::sync::Arc;

use super::weights::{MAX_ACTIVATION, Weights};

/// Sums of feature weights: one for each output bucket, and one for each neuron.
///
/// The sums of neurons are taken before their activation. `BUCKETS` is the number of output buckets, or 0 where
/// features feed nothing but neurons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Accumulator<const BUCKETS: usize, const NEURONS: usize> {
    values: [i32; BUCKETS],
    neurons: [i16; NEURONS],
}

impl<const BUCKETS: usize, const NEURONS: usize> Default for Accumulator<BUCKETS, NEURONS> {
    fn default() -> Self {
        Self { values: [0; BUCKETS], neurons: [0; NEURONS] }
    }
}

impl<const BUCKETS: usize, const NEURONS: usize> Accumulator<BUCKETS, NEURONS> {
    /// Returns the weights of one feature.
    fn of_feature(weights: &Weights, feature: usize) -> Self {
        let (values, neurons) = weights.feature(feature).split_at(weights.buckets());
        Self {
            values: std::array::from_fn(|bucket| values[bucket]),
            neurons: std::array::from_fn(|neuron| neurons[neuron] as i16),
        }
    }

    /// Adds the weights of a feature.
    #[inline(always)]
    pub fn add(&mut self, feature: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] += feature.values[bucket];
        }
        for neuron in 0..NEURONS {
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(feature.neurons[neuron]);
        }
    }

    /// Subtracts the weights of a feature.
    #[inline(always)]
    pub fn remove(&mut self, feature: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] -= feature.values[bucket];
        }
        for neuron in 0..NEURONS {
            self.neurons[neuron] = self.neurons[neuron].wrapping_sub(feature.neurons[neuron]);
        }
    }

    /// Subtracts the weights of one feature and adds those of another.
    #[inline(always)]
    pub fn replace(&mut self, removed: &Self, added: &Self) {
        for bucket in 0..BUCKETS {
            self.values[bucket] += added.values[bucket] - removed.values[bucket];
        }
        for neuron in 0..NEURONS {
            let change = added.neurons[neuron].wrapping_sub(removed.neurons[neuron]);
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(change);
        }
    }
}

/// Feature weights, biases and output weights of a network.
pub struct Network<const BUCKETS: usize, const NEURONS: usize> {
    features: Vec<Accumulator<BUCKETS, NEURONS>>,
    bias: Accumulator<BUCKETS, NEURONS>,
    /// By output bucket and neuron, the output weight.
    outputs: Vec<[i16; NEURONS]>,
}

impl<const BUCKETS: usize, const NEURONS: usize> Network<BUCKETS, NEURONS> {
    /// Returns the network of a table of weights, which must have `NEURONS` neurons.
    ///
    /// Copies of the table share one network.
    pub fn of(weights: &Weights) -> Arc<Self> {
        let make = || Arc::new(Self::new(weights));
        let shared = weights.network().0.get_or_init(|| make());
        Arc::clone(shared).downcast().unwrap_or_else(|_| make())
    }

    fn new(weights: &Weights) -> Self {
        let output = |bucket, neuron| weights.weight(weights.neuron_feature(neuron), bucket) as i16;
        let outputs = |bucket| std::array::from_fn(|neuron| output(bucket, neuron));
        Self {
            features: (0..weights.layer().inputs).map(|feature| Accumulator::of_feature(weights, feature)).collect(),
            bias: Accumulator { values: [0; BUCKETS], ..Accumulator::of_feature(weights, weights.bias_feature()) },
            outputs: (0..weights.buckets()).map(outputs).collect(),
        }
    }

    /// Returns the accumulator of a position without features.
    #[inline(always)]
    pub fn bias(&self) -> Accumulator<BUCKETS, NEURONS> {
        self.bias
    }

    /// Returns the weights of a feature.
    #[inline(always)]
    pub fn feature(&self, feature: u16) -> &Accumulator<BUCKETS, NEURONS> {
        &self.features[usize::from(feature)]
    }

    /// Returns the value in an output bucket, on the scale of [`Weights`].
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
