//! A network with one layer of hidden units, as a search reads it: efficiently updatable (Nasu 2018), for a step changes few
//! inputs, and what they add to the sums is taken off or put on.
#![expect(
    clippy::indexing_slicing,
    reason = "columns and rows are those of the table of weights that it was made from"
)]

use super::weights::{FULL, Weights};

/// What inputs come to: what they are worth in each column, and how far they fill each unit. There are as many worths as
/// columns, or none where inputs only fill units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Sums<const WORTHS: usize, const UNITS: usize> {
    worth: [i32; WORTHS],
    filled: [i16; UNITS],
}

impl<const WORTHS: usize, const UNITS: usize> Default for Sums<WORTHS, UNITS> {
    fn default() -> Self {
        Self {
            worth: [0; WORTHS],
            filled: [0; UNITS],
        }
    }
}

impl<const WORTHS: usize, const UNITS: usize> Sums<WORTHS, UNITS> {
    /// What a row of the table adds.
    fn of_row(weights: &Weights, row: usize) -> Self {
        let (worth, filled) = weights.row(row).split_at(weights.columns());
        Self {
            worth: std::array::from_fn(|column| worth[column]),
            filled: std::array::from_fn(|unit| filled[unit] as i16),
        }
    }

    /// Adds an input.
    #[inline(always)]
    pub fn add(&mut self, input: &Self) {
        for column in 0..WORTHS {
            self.worth[column] += input.worth[column];
        }
        for unit in 0..UNITS {
            self.filled[unit] = self.filled[unit].wrapping_add(input.filled[unit]);
        }
    }

    /// Takes an input off.
    #[inline(always)]
    pub fn remove(&mut self, input: &Self) {
        for column in 0..WORTHS {
            self.worth[column] -= input.worth[column];
        }
        for unit in 0..UNITS {
            self.filled[unit] = self.filled[unit].wrapping_sub(input.filled[unit]);
        }
    }

    /// Puts one input in the place of another.
    #[inline(always)]
    pub fn exchange(&mut self, gone: &Self, come: &Self) {
        for column in 0..WORTHS {
            self.worth[column] += come.worth[column] - gone.worth[column];
        }
        for unit in 0..UNITS {
            let change = come.filled[unit].wrapping_sub(gone.filled[unit]);
            self.filled[unit] = self.filled[unit].wrapping_add(change);
        }
    }
}

/// The weights of a network and of its inputs.
pub struct Network<const WORTHS: usize, const UNITS: usize> {
    inputs: Vec<Sums<WORTHS, UNITS>>,
    bias: Sums<WORTHS, UNITS>,
    /// What units are worth where they are full, by column.
    outputs: Vec<[i16; UNITS]>,
}

impl<const WORTHS: usize, const UNITS: usize> Network<WORTHS, UNITS> {
    /// Reads the table, which has so many units.
    pub fn new(weights: &Weights) -> Self {
        let output = |column, unit| weights.at(weights.unit(unit), column) as i16;
        let outputs = |column| std::array::from_fn(|unit| output(column, unit));
        Self {
            inputs: (0..weights.layer().inputs)
                .map(|row| Sums::of_row(weights, row))
                .collect(),
            bias: Sums {
                worth: [0; WORTHS],
                ..Sums::of_row(weights, weights.bias())
            },
            outputs: (0..weights.columns()).map(outputs).collect(),
        }
    }

    /// The sums where nothing is seen.
    #[inline(always)]
    pub fn nothing(&self) -> Sums<WORTHS, UNITS> {
        self.bias
    }

    /// What an input adds, by its row.
    #[inline(always)]
    pub fn input(&self, row: u16) -> &Sums<WORTHS, UNITS> {
        &self.inputs[usize::from(row)]
    }

    /// What sums are worth in a column.
    #[inline(always)]
    pub fn value(&self, sums: &Sums<WORTHS, UNITS>, column: usize) -> i32 {
        let outputs = &self.outputs[column];
        let mut worth = 0;
        for unit in 0..UNITS {
            let filled = sums.filled[unit].clamp(0, FULL as i16);
            worth += i32::from(filled) * i32::from(outputs[unit]);
        }
        sums.worth.get(column).unwrap_or(&0) + (worth >> FULL.trailing_zeros())
    }
}
