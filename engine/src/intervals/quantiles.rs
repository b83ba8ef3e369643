//! Distribution functions and quantiles: of the normal distribution and of Student's t distribution.

use std::f64::consts::SQRT_2;

/// Quantile of the normal distribution for a two-sided 95 % interval.
pub(super) const NORMAL_95: f64 = 1.959_963_984_540_054;

/// 95 % quantile of the chi-squared distribution with one degree of freedom.
pub const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// Quantiles of Student's t distribution for a two-sided 95 % interval, with 1, 2 and 3 degrees of freedom.
const STUDENT_95: [f64; 3] = [12.706_205, 4.302_653, 3.182_446];

/// Returns the distribution function of the normal distribution.
pub fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// Returns the quantile of the normal distribution at a probability between 0 and 1.
pub fn normal_quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        *(if normal(middle) < probability { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// Returns the quantile of Student's t distribution for a two-sided 95 % interval.
pub(super) fn student_95(freedom: usize) -> f64 {
    if let Some(&quantile) = STUDENT_95.get(freedom.wrapping_sub(1)) {
        return quantile;
    }
    // Abramowitz and Stegun 26.7.5.
    let (z, n) = (NORMAL_95, freedom as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * n)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3))
}
