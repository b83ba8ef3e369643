//! Symmetric matrices by their lower triangle, and their Cholesky factors.

/// A symmetric matrix: row `i` has the columns up to `i`.
#[derive(Clone, Debug)]
pub(super) struct Symmetric(Vec<Vec<f64>>);

impl Symmetric {
    /// Creates a matrix of zeros.
    pub(super) fn zeros(size: usize) -> Self {
        Self((1..=size).map(|length| vec![0.0; length]).collect())
    }

    /// Returns an element.
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        let row = self.0.get(i.max(j));
        row.and_then(|row| row.get(i.min(j))).copied().unwrap_or(0.0)
    }

    /// Adds to an element, which is also the one with row and column exchanged.
    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        let row = self.0.get_mut(i.max(j));
        if let Some(element) = row.and_then(|row| row.get_mut(i.min(j))) {
            *element += value;
        }
    }

    /// Returns the Cholesky factor; `None` unless the matrix is positive definite.
    pub(super) fn factor(self) -> Option<Factor> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(self.0.len());
        for mut row in self.0 {
            for (j, other) in rows.iter().enumerate() {
                let (before, rest) = row.split_at_mut(j);
                let dot = dot(before, other);
                let (element, diagonal) = (rest.first_mut()?, other.last()?);
                *element = (*element - dot) / diagonal;
            }
            let (last, before) = row.split_last_mut()?;
            let square = *last - dot(before, before);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            *last = square.sqrt();
            rows.push(row);
        }
        Some(Factor(rows))
    }
}

/// Returns the sum of products, up to the end of the shorter list.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The lower Cholesky factor of a symmetric matrix.
#[derive(Clone, Debug)]
pub(super) struct Factor(Vec<Vec<f64>>);

impl Factor {
    /// Solves the equations of the matrix with this right side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution: Vec<f64> = Vec::with_capacity(right.len());
        for (row, value) in self.0.iter().zip(right) {
            let diagonal = row.last().copied().unwrap_or(1.0);
            let known = dot(row, &solution);
            solution.push((value - known) / diagonal);
        }
        for (i, row) in self.0.iter().enumerate().rev() {
            let (before, rest) = solution.split_at_mut(i);
            let (Some(value), Some((diagonal, row))) = (rest.first_mut(), row.split_last()) else {
                continue;
            };
            *value /= diagonal;
            for (earlier, element) in before.iter_mut().zip(row) {
                *earlier -= element * *value;
            }
        }
        solution
    }

    /// Returns the inverse of the matrix.
    pub(super) fn inverse(&self) -> Symmetric {
        let size = self.0.len();
        let mut inverse = Symmetric::zeros(size);
        let mut unit = vec![0.0; size];
        for (i, row) in inverse.0.iter_mut().enumerate() {
            if let Some(one) = unit.get_mut(i) {
                *one = 1.0;
            }
            row.copy_from_slice(self.solve(&unit).get(..=i).unwrap_or_default());
            if let Some(one) = unit.get_mut(i) {
                *one = 0.0;
            }
        }
        inverse
    }
}
