//! The weights of an evaluation, and their text: one line for each feature, its name first.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::{self, Debug, Write};
use std::sync::{Arc, OnceLock};

use nom::Parser;
use nom::bytes::complete::is_not;
use nom::character::complete::{i32, space0, space1};
use nom::combinator::all_consuming;
use nom::multi::separated_list1;
use nom::sequence::{separated_pair, terminated};
use thiserror::Error;

use crate::files::without_mark;

/// Largest absolute value of a weight. Every weight fits an `i16`, and sums of many don't overflow an `i32`.
const MAX_WEIGHT: i32 = 20_000;

/// Full activation of a neuron: its sum of feature weights is clipped to the range from 0 to this (clipped ReLU).
///
/// Sums are `i16`. Those of the built-in weights fit on every board; larger ones wrap around, in the same way in every
/// place that computes them.
pub const MAX_ACTIVATION: i32 = 128;

/// Table of weights by feature and output bucket.
///
/// The unit is that of evaluations: 800 means odds of ten to one, and 100 is about the value of a stone. Output buckets
/// are phases of the game, in which a feature may have different weights. Cloning is cheap: clones share the table.
///
/// A table may also have a network with one hidden layer or two ([`HiddenLayers`]). Its inputs are the first features:
/// each of them has, after its weights by output bucket, a weight for each neuron, in 128ths of full activation. After
/// all other features come pseudo-features: `bias`, whose weights are the sums of the neurons without any feature, and
/// one for each neuron, `unit.0` and so on, with its output weight by output bucket for full activation.
///
/// Neurons of the second layer, of which each output bucket has its own, follow with several pseudo-features each:
/// `second.0` with the output weights, `second.0.bias` with the biases in 128ths of full activation, both by output
/// bucket, and for each output bucket one, `second.0.bucket.0` and so on, with the weight of each neuron of the first
/// layer, also in 128ths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    feature_names: Arc<[String]>,
    buckets: usize,
    layers: HiddenLayers,
    values: Arc<[i32]>,
    /// Lines at the beginning of a file, each with `#` in front.
    remarks: Arc<str>,
    network: SharedNetwork,
}

/// The network made from a table, shared by all clones of the table.
#[derive(Clone, Default)]
pub(super) struct SharedNetwork(pub(super) Arc<OnceLock<Arc<dyn Any + Send + Sync>>>);

impl PartialEq for SharedNetwork {
    /// Returns true: the network is derived from the table, so it never differs.
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for SharedNetwork {}

impl Debug for SharedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedNetwork")
    }
}

/// Dimensions of the hidden layers of a network; all 0 where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HiddenLayers {
    /// Number of features that feed neurons alone; they are the first ones.
    ///
    /// Their weights by output bucket are 0 and not written.
    pub neuron_only: usize,
    /// Number of features that feed neurons, with those that feed neurons alone; they are the first ones.
    pub inputs: usize,
    /// Number of neurons.
    pub neurons: usize,
    /// Number of neurons of the second layer, which the first one feeds; 0 where there is none.
    pub second: usize,
}

/// Active feature of a position, as `(feature, output bucket, count)`.
pub type Term = (usize, usize, i32);

impl Weights {
    /// Returns a table of zeros for features with these names.
    ///
    /// The pseudo-features of a network are added to the names.
    pub fn zeros(mut feature_names: Vec<String>, buckets: usize, layers: HiddenLayers) -> Self {
        if layers.neurons > 0 {
            feature_names.push("bias".to_owned());
            feature_names.extend((0..layers.neurons).map(|neuron| format!("unit.{neuron}")));
            for neuron in 0..layers.second {
                feature_names.extend([format!("second.{neuron}"), format!("second.{neuron}.bias")]);
                feature_names.extend((0..buckets).map(|bucket| format!("second.{neuron}.bucket.{bucket}")));
            }
        }
        let values = vec![0; feature_names.len() * (buckets + layers.neurons)];
        Self {
            feature_names: feature_names.into(),
            buckets,
            layers,
            values: values.into(),
            remarks: "".into(),
            network: SharedNetwork::default(),
        }
    }

    /// Creates a table of features without a network, each with one weight.
    pub fn of_terms(terms: &[(&str, i32)]) -> Self {
        let names = terms.iter().map(|(name, _)| (*name).to_owned()).collect();
        let values = terms.iter().map(|&(_, weight)| weight).collect();
        Self { values, ..Self::zeros(names, 1, HiddenLayers::default()) }
    }

    /// Parses a table from text ([`Weights::parse`]).
    ///
    /// # Errors
    /// Returns the first line that does not fit the table.
    pub fn from_text(
        feature_names: Vec<String>,
        buckets: usize,
        layers: HiddenLayers,
        text: &str,
    ) -> Result<Self, WeightsError> {
        Self::zeros(feature_names, buckets, layers).parse(text)
    }

    /// Returns the same table with other remarks, each line with `#` in front.
    pub(super) fn with_remarks(self, remarks: &str) -> Self {
        Self { remarks: remarks.into(), ..self }
    }

    /// Returns the remarks, each line with `#` in front.
    pub(super) fn remarks(&self) -> &str {
        &self.remarks
    }

    /// Returns the cache of the network made from this table.
    pub(super) fn network(&self) -> &SharedNetwork {
        &self.network
    }

    /// Returns the names of the features, in their order in the table.
    pub(super) fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// Returns all weights by index ([`Weights::index`]).
    pub(super) fn values(&self) -> &[i32] {
        &self.values
    }

    /// Parses the text of another table with the same features and output buckets.
    ///
    /// Features that the text does not name get weights of 0. Lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// Returns the first line that does not fit the table.
    pub fn parse(&self, text: &str) -> Result<Self, WeightsError> {
        let mut features: HashMap<&str, (usize, &mut [i32])> = HashMap::new();
        let mut values = vec![0; self.values.len()];
        let slots = values.chunks_mut(self.width().max(1));
        let names = self.feature_names.iter().map(String::as_str);
        features.extend(names.zip((0..).zip(slots)));
        for (line, text) in (1..).zip(text.lines().map(without_mark)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let wrong = |error| WeightsError { line, text: text.to_owned(), error };
            let (name, weights) = parse_line(text).ok_or_else(|| wrong(LineError::Form))?;
            let known = features.remove(name);
            let (feature, slot) = known.ok_or_else(|| wrong(LineError::Name))?;
            let (buckets, neurons) = self.fan_out(feature);
            // The weights for neurons may be left out.
            let has_count = [buckets, buckets + neurons].contains(&weights.len());
            let from = self.buckets - buckets;
            let slot = slot
                .get_mut(from..from + weights.len())
                .filter(|_| has_count)
                .ok_or_else(|| wrong(LineError::Count(buckets, neurons)))?;
            if weights.iter().any(|weight| weight.unsigned_abs() > MAX_WEIGHT.unsigned_abs()) {
                return Err(wrong(LineError::Size));
            }
            slot.copy_from_slice(&weights);
        }
        Ok(self.with_values(values))
    }

    /// Returns the number of output buckets and the number of neurons that a feature feeds.
    fn fan_out(&self, feature: usize) -> (usize, usize) {
        let HiddenLayers { neuron_only, inputs, neurons, .. } = self.layers;
        if self.row_of_second(feature).is_some_and(|row| row >= 2) {
            return (0, neurons);
        }
        let buckets = if feature < neuron_only { 0 } else { self.buckets };
        let feeds = neurons > 0 && (feature < inputs || feature == self.bias_feature());
        (buckets, if feeds { neurons } else { 0 })
    }

    /// Returns the row of a pseudo-feature among those of its neuron of the second layer; `None` for any other feature.
    fn row_of_second(&self, feature: usize) -> Option<usize> {
        feature.checked_sub(self.second_feature(0)).map(|row| row % (2 + self.buckets))
    }

    /// Returns true for a pseudo-feature that holds the biases of a neuron of the second layer.
    pub fn is_second_bias(&self, feature: usize) -> bool {
        self.row_of_second(feature) == Some(1)
    }

    /// Returns true if both tables have the same features, output buckets and hidden layers.
    pub fn is_compatible(&self, other: &Self) -> bool {
        let form = |weights: &Self| (weights.buckets, weights.layers);
        form(self) == form(other) && self.feature_names == other.feature_names
    }

    /// Returns the number of weights.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no weights.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the weight at an index ([`Weights::index`]); 0 past the end.
    #[inline(always)]
    pub fn get(&self, index: usize) -> i32 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Returns the number of weights of a feature: one for each output bucket, then one for each neuron.
    pub fn width(&self) -> usize {
        self.buckets + self.layers.neurons
    }

    /// Returns the number of output buckets.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Returns the dimensions of the hidden layers; all 0 where there is none.
    pub fn layers(&self) -> HiddenLayers {
        self.layers
    }

    /// Returns the pseudo-feature `bias`, which holds the biases of the neurons.
    pub fn bias_feature(&self) -> usize {
        self.second_feature(0) - self.layers.neurons - 1
    }

    /// Returns the pseudo-feature that holds the output weights of a neuron.
    pub fn neuron_feature(&self, neuron: usize) -> usize {
        self.bias_feature() + 1 + neuron
    }

    /// Returns the first pseudo-feature of a neuron of the second layer, which holds its output weights.
    ///
    /// The next one holds its biases, and those after it, one for each output bucket, the weights of the first layer.
    pub fn second_feature(&self, neuron: usize) -> usize {
        self.feature_names.len() - (self.layers.second - neuron) * (2 + self.buckets)
    }

    /// Returns the index of a feature's weight.
    ///
    /// `column` is an output bucket, or the number of output buckets plus a neuron.
    #[inline(always)]
    pub fn index(&self, feature: usize, column: usize) -> usize {
        feature * self.width() + column
    }

    /// Returns true if there are such a feature and such an output bucket.
    pub fn has(&self, feature: usize, bucket: usize) -> bool {
        feature < self.feature_names.len() && bucket < self.buckets
    }

    /// Returns the value of a position with these terms.
    ///
    /// Where there is a network, all terms must have the same output bucket. This is the slow definition that every
    /// incremental evaluation agrees with.
    pub fn value(&self, terms: &[Term]) -> i32 {
        let HiddenLayers { inputs, neurons, second, .. } = self.layers;
        let weigh = |&(feature, bucket, count): &Term| count * self.weight(feature, bucket);
        let sum: i32 = terms.iter().map(weigh).sum();
        let bucket = terms.first().map_or(0, |&(_, bucket, _)| bucket);
        let sum_of = |neuron: usize| {
            let column = self.buckets + neuron;
            let terms = terms.iter().filter(|(feature, ..)| *feature < inputs);
            let add = |&(feature, _, count): &Term| count * self.weight(feature, column);
            (self.weight(self.bias_feature(), column) + terms.map(add).sum::<i32>()) as i16
        };
        let activation = |neuron| i32::from(sum_of(neuron)).clamp(0, MAX_ACTIVATION);
        let activations: Vec<i32> = (0..neurons).map(activation).collect();
        let weighted = |weight: &dyn Fn(usize) -> i32| {
            let products = (0..).zip(&activations).map(|(neuron, activation)| activation * weight(neuron));
            products.sum::<i32>().div_euclid(MAX_ACTIVATION)
        };
        let second_output = |second| {
            let first = self.second_feature(second);
            let sum = weighted(&|neuron| self.weight(first + 2 + bucket, self.buckets + neuron));
            (self.weight(first + 1, bucket) + sum).clamp(0, MAX_ACTIVATION) * self.weight(first, bucket)
        };
        let of_first = weighted(&|neuron| self.weight(self.neuron_feature(neuron), bucket));
        sum + of_first + (0..second).map(second_output).sum::<i32>().div_euclid(MAX_ACTIVATION)
    }

    /// Returns the weights of a feature, by output bucket and then by neuron; empty past the last feature.
    pub fn feature(&self, feature: usize) -> &[i32] {
        let width = self.width();
        self.values.get(feature * width..(feature + 1) * width).unwrap_or(&[])
    }

    /// Returns the weight of a feature in a column ([`Weights::index`]); 0 past the last feature.
    #[inline(always)]
    pub fn weight(&self, feature: usize, column: usize) -> i32 {
        self.get(self.index(feature, column))
    }

    /// Returns a table with the same features and other weights, by index.
    ///
    /// Weights are clamped to the range that is allowed; missing ones are 0.
    pub fn with_values(&self, values: Vec<i32>) -> Self {
        let values = values.into_iter().chain(std::iter::repeat(0));
        let values = values.map(|value| value.clamp(-MAX_WEIGHT, MAX_WEIGHT));
        Self { values: values.take(self.values.len()).collect(), network: SharedNetwork::default(), ..self.clone() }
    }

    /// Returns a table with the mean of this table's weights and those of others, halves rounded to even numbers.
    ///
    /// The others must have the same features.
    pub fn mean(&self, others: &[Self]) -> Self {
        let count = others.len() as f64 + 1.0;
        let sum =
            |index| f64::from(self.get(index)) + others.iter().map(|other| f64::from(other.get(index))).sum::<f64>();
        self.with_values((0..self.len()).map(|index| (sum(index) / count).round_ties_even() as i32).collect())
    }

    /// Writes the table as text, after the remarks of its file.
    pub fn write_with_remarks(&self) -> String {
        format!("{}{}", self.remarks, self.write())
    }

    /// Writes the table as text, without features whose weights are all 0.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let features = self.feature_names.iter().zip(self.values.chunks(self.width()));
        for (feature, (name, values)) in features.enumerate() {
            let (by_bucket, by_neuron) = values.split_at(self.buckets);
            let is_some = |values: &[i32]| values.iter().any(|&value| value != 0);
            if is_some(values) {
                text.push_str(name);
                let values = match (is_some(by_neuron), self.fan_out(feature)) {
                    (true, (0, _)) => by_neuron,
                    (true, _) => values,
                    (false, _) => by_bucket,
                };
                for value in values {
                    // Writing to a string can't fail.
                    let _ = write!(text, " {value}");
                }
                text.push('\n');
            }
        }
        text
    }
}

/// Parses the name and the weights of a feature.
fn parse_line(text: &str) -> Option<(&str, Vec<i32>)> {
    let weights = separated_list1(space1::<_, ()>, i32);
    let line = separated_pair(is_not(" "), space1, terminated(weights, space0));
    all_consuming(line).parse(text).ok().map(|(_, line)| line)
}

/// Reason why a line does not fit a table.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
enum LineError {
    #[error("expected the name of a feature and whole numbers, separated by spaces")]
    Form,
    #[error("unknown feature, or one that an earlier line has")]
    Name,
    /// Numbers of output buckets and of neurons that the feature feeds.
    #[error("wrong number of weights: expected {}", expected_counts(*.0, *.1))]
    Count(usize, usize),
    #[error("a weight is out of range: expected -{MAX_WEIGHT} to {MAX_WEIGHT}")]
    Size,
}

/// Writes the numbers of weights that a line may have.
fn expected_counts(buckets: usize, neurons: usize) -> String {
    match (buckets, neurons) {
        (0, count) | (count, 0) => count.to_string(),
        _ => format!("{buckets} or {}", buckets + neurons),
    }
}

/// A line of text that does not fit a table of weights.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
#[error("line {line}, {text:?}: {error}")]
pub struct WeightsError {
    line: usize,
    text: String,
    error: LineError,
}
