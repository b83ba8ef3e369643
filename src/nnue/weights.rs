//! The weights of an evaluation: a table in a text file, one row a line, its name first.

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

/// The largest weight: sums of many, each several times, stay far from the end of the numbers, and each fits an `i16`.
const LARGEST: i32 = 20_000;

/// Activation is a neuron's sum of feature weights, clipped to 0 and this. Sums are kept in an `i16`, which they fit on
/// every board as long as weights are as small as those that were learned; beyond it they wrap, wherever they are made.
pub const MAX_ACTIVATION: i32 = 128;

/// Weights by feature and output bucket: 800 are odds of ten to one, and about 100 a stone.
///
/// A row is a feature, and what a player would name; a bucket is a part of the game in which it may count for more or
/// less. A copy shares the table.
///
/// A table may have a network with one layer of hidden neurons besides ([`Layer`]). Then the rows of its features, which
/// come first, have a number for each neuron behind those for buckets: what they add to it, in 128ths. Behind all other
/// rows comes one called `bias`, the sums of neurons without features, and one for each neuron, `unit.0` and so on: its
/// output weight by bucket, for full activation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Weights {
    rows: Arc<[String]>,
    buckets: usize,
    layer: Layer,
    values: Arc<[i32]>,
    /// What a file says of it: lines that begin with `#`.
    about: Arc<str>,
    network: SharedNetwork,
}

/// The network that is made of a table, for all its copies.
#[derive(Clone, Default)]
pub(super) struct SharedNetwork(pub(super) Arc<OnceLock<Arc<dyn Any + Send + Sync>>>);

impl PartialEq for SharedNetwork {
    /// Equal tables make equal networks.
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

/// What a network consists of.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Layer {
    /// How many rows only feed neurons: the first ones. Their weights in buckets are always 0, and are not written.
    pub only: usize,
    /// How many rows feed neurons, with these.
    pub features: usize,
    /// How many neurons there are.
    pub neurons: usize,
}

/// A feature of a position: the row and the bucket of its weight, and how often the side to move has it more than the other.
pub type Term = (usize, usize, i32);

impl Weights {
    /// A table of zeros. A network adds the rows of its bias and neurons behind the others.
    pub fn empty(mut rows: Vec<String>, buckets: usize, layer: Layer) -> Self {
        if layer.neurons > 0 {
            rows.push("bias".to_owned());
            rows.extend((0..layer.neurons).map(|neuron| format!("unit.{neuron}")));
        }
        let values = vec![0; rows.len() * (buckets + layer.neurons)];
        Self {
            rows: rows.into(),
            buckets,
            layer,
            values: values.into(),
            about: "".into(),
            network: SharedNetwork::default(),
        }
    }

    /// A table as a text says ([`Weights::reread`]).
    ///
    /// # Errors
    /// Says which line is no row of this table with its numbers.
    pub fn from_text(
        rows: Vec<String>,
        buckets: usize,
        layer: Layer,
        text: &str,
    ) -> Result<Self, WeightsError> {
        Self::empty(rows, buckets, layer).reread(text)
    }

    /// The same table, of which a file says this.
    pub(super) fn about(self, about: &str) -> Self {
        Self {
            about: about.into(),
            ..self
        }
    }

    /// What a file says of it, each line behind `#`.
    pub(super) fn said(&self) -> &str {
        &self.about
    }

    /// Where its network is kept.
    pub(super) fn network(&self) -> &SharedNetwork {
        &self.network
    }

    /// The names of the rows.
    pub(super) fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The weights by place.
    pub(super) fn values(&self) -> &[i32] {
        &self.values
    }

    /// Reads the text of another table with the same rows and buckets. Rows that it lacks are 0; lines that begin with
    /// `#` are remarks.
    ///
    /// # Errors
    /// Says which line is no row of this table with its numbers.
    pub fn reread(&self, text: &str) -> Result<Self, WeightsError> {
        let mut rows: HashMap<&str, (usize, &mut [i32])> = HashMap::new();
        let mut values = vec![0; self.values.len()];
        let parts = values.chunks_mut(self.width().max(1));
        rows.extend(self.rows.iter().map(String::as_str).zip((0..).zip(parts)));
        for (line, text) in (1..).zip(text.lines().map(without_mark)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let wrong = |what| WeightsError {
                line,
                text: text.to_owned(),
                what,
            };
            let (name, numbers) = read_row(text).ok_or_else(|| wrong(Wrong::Form))?;
            let (place, row) = rows.remove(name).ok_or_else(|| wrong(Wrong::Name))?;
            let (buckets, neurons) = self.numbers(place);
            // What feeds no neuron may leave that out.
            let fits = [buckets, buckets + neurons].contains(&numbers.len());
            let from = self.buckets - buckets;
            let row = row
                .get_mut(from..from + numbers.len())
                .filter(|_| fits)
                .ok_or_else(|| wrong(Wrong::Count(buckets, neurons)))?;
            if numbers
                .iter()
                .any(|number| number.unsigned_abs() > LARGEST.unsigned_abs())
            {
                return Err(wrong(Wrong::Size));
            }
            row.copy_from_slice(&numbers);
        }
        Ok(self.with(values))
    }

    /// How many buckets a row has, and how many neurons it feeds.
    fn numbers(&self, row: usize) -> (usize, usize) {
        let Layer {
            only,
            features,
            neurons,
        } = self.layer;
        let buckets = if row < only { 0 } else { self.buckets };
        let feeds = neurons > 0 && (row < features || row == self.bias());
        (buckets, if feeds { neurons } else { 0 })
    }

    /// Whether these may stand in the place of others: the same rows, buckets and network.
    pub fn fits(&self, others: &Self) -> bool {
        let form = |weights: &Self| (weights.buckets, weights.layer);
        form(self) == form(others) && self.rows == others.rows
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The weight at a place; 0 past the end.
    #[inline(always)]
    pub fn get(&self, place: usize) -> i32 {
        self.values.get(place).copied().unwrap_or(0)
    }

    /// How many numbers a row has: one for each bucket, then one for each neuron.
    pub fn width(&self) -> usize {
        self.buckets + self.layer.neurons
    }

    /// How many buckets there are.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// The network; one without neurons where there is none.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The row of the neurons' biases.
    pub fn bias(&self) -> usize {
        self.rows.len() - self.layer.neurons - 1
    }

    /// The row of a neuron's output weights.
    pub fn neuron(&self, neuron: usize) -> usize {
        self.rows.len() - self.layer.neurons + neuron
    }

    /// The place of a weight in a row and a bucket, or, behind the buckets, a neuron.
    #[inline(always)]
    pub fn place(&self, row: usize, bucket: usize) -> usize {
        row * self.width() + bucket
    }

    /// Whether there is such a weight.
    pub fn has(&self, row: usize, bucket: usize) -> bool {
        row < self.rows.len() && bucket < self.buckets
    }

    /// The value of some terms, which are all of one bucket where there is a network: what evaluations come to, not how
    /// they are found fast.
    pub fn value(&self, terms: &[Term]) -> i32 {
        let Layer {
            features, neurons, ..
        } = self.layer;
        let weigh = |&(row, bucket, times): &Term| times * self.at(row, bucket);
        let sum: i32 = terms.iter().map(weigh).sum();
        let bucket = terms.first().map_or(0, |&(_, bucket, _)| bucket);
        let sum_of = |neuron: usize| {
            let place = self.buckets + neuron;
            let features = terms.iter().filter(|(row, ..)| *row < features);
            let add = |&(row, _, times): &Term| times * self.at(row, place);
            (self.at(self.bias(), place) + features.map(add).sum::<i32>()) as i16
        };
        let activation = |neuron| i32::from(sum_of(neuron)).clamp(0, MAX_ACTIVATION);
        let output = |neuron| activation(neuron) * self.at(self.neuron(neuron), bucket);
        sum + (0..neurons)
            .map(output)
            .sum::<i32>()
            .div_euclid(MAX_ACTIVATION)
    }

    /// The weights of a row, by bucket and then by neuron; none past the last row.
    pub fn row(&self, row: usize) -> &[i32] {
        let width = self.width();
        self.values
            .get(row * width..(row + 1) * width)
            .unwrap_or(&[])
    }

    /// The weight in a row and a bucket; 0 past the last row.
    #[inline(always)]
    pub fn at(&self, row: usize, bucket: usize) -> i32 {
        self.get(self.place(row, bucket))
    }

    /// A table with the same rows and other values, by place. They are kept within what a weight may be; what is
    /// missing is 0.
    pub fn with(&self, values: Vec<i32>) -> Self {
        let values = values.into_iter().chain(std::iter::repeat(0));
        let values = values.map(|value| value.clamp(-LARGEST, LARGEST));
        Self {
            values: values.take(self.values.len()).collect(),
            network: SharedNetwork::default(),
            ..self.clone()
        }
    }

    /// The table as text, behind what its file says of it.
    pub fn text(&self) -> String {
        format!("{}{}", self.about, self.write())
    }

    /// The table as text. Rows of nothing but 0 are left out.
    pub fn write(&self) -> String {
        let mut text = String::new();
        let rows = self.rows.iter().zip(self.values.chunks(self.width()));
        for (place, (row, values)) in rows.enumerate() {
            let (own, feeding) = values.split_at(self.buckets);
            let is_some = |values: &[i32]| values.iter().any(|&value| value != 0);
            if is_some(values) {
                text.push_str(row);
                let values = match (is_some(feeding), self.numbers(place)) {
                    (true, (0, _)) => feeding,
                    (true, _) => values,
                    (false, _) => own,
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

/// The name and the numbers of a row.
fn read_row(text: &str) -> Option<(&str, Vec<i32>)> {
    let numbers = separated_list1(space1::<_, ()>, i32);
    let row = separated_pair(is_not(" "), space1, terminated(numbers, space0));
    all_consuming(row).parse(text).ok().map(|(_, row)| row)
}

/// What is wrong with a row.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
enum Wrong {
    #[error("a row is a name and whole numbers, with spaces between them")]
    Form,
    #[error("this game's evaluation has no row of that name, or it came before")]
    Name,
    #[error("the row has {} number(s){}", if *.0 > 0 { .0 } else { .1 }, or_more(*.0, *.1))]
    Count(usize, usize),
    #[error("weights go from -{LARGEST} to {LARGEST}")]
    Size,
}

/// How many numbers a row may have instead of one for each bucket.
fn or_more(buckets: usize, neurons: usize) -> String {
    match buckets.min(neurons) {
        0 => String::new(),
        _ => format!(", or {}", buckets + neurons),
    }
}

/// A line that does not fit a table of weights.
#[derive(Error, Clone, PartialEq, Eq, Debug)]
#[error("line {line}, {text:?}: {what}")]
pub struct WeightsError {
    line: usize,
    text: String,
    what: Wrong,
}
