//! A network with one hidden layer or two, in the layout that a search reads.
//!
//! It is efficiently updatable (Nasu 2018): a step changes few features, whose weights are added to the accumulator or
//! subtracted from it.
#![expect(
    clippy::indexing_slicing,
    reason = "features and output buckets are those of the weights that the network was made from"
)]

use std::hint::black_box;
use std::sync::Arc;

use super::weights::{HiddenLayers, MAX_ACTIVATION, Weights};

/// Binary logarithm of the full activation.
const SHIFT: u32 = MAX_ACTIVATION.trailing_zeros();

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

    /// Adds the weights of a feature that feeds neurons alone.
    #[inline(always)]
    pub fn add_neurons(&mut self, feature: &Accumulator<0, NEURONS>) {
        for neuron in 0..NEURONS {
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(feature.neurons[neuron]);
        }
    }

    /// Subtracts the weights of one feature that feeds neurons alone, and adds those of another.
    #[inline(always)]
    pub fn replace_neurons(&mut self, removed: &Accumulator<0, NEURONS>, added: &Accumulator<0, NEURONS>) {
        for neuron in 0..NEURONS {
            let change = added.neurons[neuron].wrapping_sub(removed.neurons[neuron]);
            self.neurons[neuron] = self.neurons[neuron].wrapping_add(change);
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
    /// Features that feed neurons alone, where the others feed more.
    neuron_only: Vec<Accumulator<0, NEURONS>>,
    /// The features that follow them.
    features: Vec<Accumulator<BUCKETS, NEURONS>>,
    bias: Accumulator<BUCKETS, NEURONS>,
    /// By output bucket and neuron, the output weight.
    outputs: Vec<[i16; NEURONS]>,
    /// By output bucket, the neurons of the second layer that have output weights.
    second: Vec<Vec<SecondBlock<NEURONS>>>,
}

/// Number of neurons of the second layer that are computed together.
const BLOCK: usize = 8;

/// Neurons of the second layer in one output bucket; past the last one, neurons without weights.
struct SecondBlock<const NEURONS: usize> {
    weights: [[i16; NEURONS]; BLOCK],
    biases: [i32; BLOCK],
    outputs: [i32; BLOCK],
}

impl<const NEURONS: usize> SecondBlock<NEURONS> {
    /// Returns the block of an output bucket that begins with neuron number `first`.
    fn new(weights: &Weights, first: usize, bucket: usize) -> Self {
        let weight = |neuron, row, column| match first + neuron < weights.layers().second {
            true => weights.weight(weights.second_feature(first + neuron) + row, column),
            false => 0,
        };
        let input = |neuron, from| weight(neuron, 2 + bucket, weights.buckets() + from) as i16;
        Self {
            weights: std::array::from_fn(|neuron| std::array::from_fn(|from| input(neuron, from))),
            biases: std::array::from_fn(|neuron| weight(neuron, 1, bucket)),
            outputs: std::array::from_fn(|neuron| weight(neuron, 0, bucket)),
        }
    }

    /// Returns what the neurons add to the value, in parts of full activation.
    #[inline(always)]
    fn output(&self, activations: &[i16; NEURONS]) -> i32 {
        let mut sums = self.biases;
        for neuron in 0..BLOCK {
            // The compiler would widen the activations once, only to narrow them again for each neuron.
            sums[neuron] += dot_product(black_box(activations), &self.weights[neuron]) >> SHIFT;
        }
        let mut value = 0;
        for neuron in 0..BLOCK {
            value += sums[neuron].clamp(0, MAX_ACTIVATION) * self.outputs[neuron];
        }
        value
    }
}

#[inline(always)]
fn dot_product<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let mut sum = 0;
    for i in 0..N {
        sum += i32::from(a[i]) * i32::from(b[i]);
    }
    sum
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
        let HiddenLayers { neuron_only, inputs, second, .. } = weights.layers();
        let first = if BUCKETS > 0 { neuron_only } else { 0 };
        let output = |bucket, neuron| weights.weight(weights.neuron_feature(neuron), bucket) as i16;
        let outputs = |bucket| std::array::from_fn(|neuron| output(bucket, neuron));
        let blocks = |bucket| {
            let blocks = (0..second).step_by(BLOCK).map(|first| SecondBlock::new(weights, first, bucket));
            // Weights from before there was a second layer have none in it.
            blocks.filter(|block| block.outputs != [0; BLOCK]).collect()
        };
        Self {
            neuron_only: (0..first).map(|feature| Accumulator::of_feature(weights, feature)).collect(),
            features: (first..inputs).map(|feature| Accumulator::of_feature(weights, feature)).collect(),
            bias: Accumulator { values: [0; BUCKETS], ..Accumulator::of_feature(weights, weights.bias_feature()) },
            outputs: (0..weights.buckets()).map(outputs).collect(),
            second: (0..weights.buckets()).map(blocks).collect(),
        }
    }

    /// Returns the accumulator of a position without features.
    #[inline(always)]
    pub fn bias(&self) -> Accumulator<BUCKETS, NEURONS> {
        self.bias
    }

    /// Returns the weights of a feature, counted from the first one that feeds more than neurons, if any does.
    #[inline(always)]
    pub fn feature(&self, feature: u16) -> &Accumulator<BUCKETS, NEURONS> {
        &self.features[usize::from(feature)]
    }

    /// Returns the weights of a feature that feeds neurons alone, in a network of others that feed more.
    #[inline(always)]
    pub fn neuron_only(&self, feature: u16) -> &Accumulator<0, NEURONS> {
        &self.neuron_only[usize::from(feature)]
    }

    /// Returns the value in an output bucket, without the second layer, on the scale of [`Weights`].
    #[inline(always)]
    pub fn output(&self, accumulator: &Accumulator<BUCKETS, NEURONS>, bucket: usize) -> i32 {
        let outputs = &self.outputs[bucket];
        let mut value = 0;
        for neuron in 0..NEURONS {
            let activation = accumulator.neurons[neuron].clamp(0, MAX_ACTIVATION as i16);
            value += i32::from(activation) * i32::from(outputs[neuron]);
        }
        accumulator.values.get(bucket).unwrap_or(&0) + (value >> SHIFT)
    }

    /// Returns what the second layer adds to the value in an output bucket, on the scale of [`Weights`].
    ///
    /// It is apart because most games have none, and a loop over nothing would cost them a tenth of their speed.
    #[inline(always)]
    pub fn second_output(&self, accumulator: &Accumulator<BUCKETS, NEURONS>, bucket: usize) -> i32 {
        let blocks = &self.second[bucket];
        if blocks.is_empty() {
            return 0;
        }
        let mut activations = [0; NEURONS];
        for neuron in 0..NEURONS {
            activations[neuron] = accumulator.neurons[neuron].clamp(0, MAX_ACTIVATION as i16);
        }
        let mut value = 0;
        for block in blocks {
            value += block.output(&activations);
        }
        value >> SHIFT
    }
}
