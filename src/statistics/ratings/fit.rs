//! The most likely ratings: the maximum of a concave likelihood, by Newton's method.
//!
//! Strengths are in logits here: a difference of `y` wins with probability `1 / (1 + e^-y)`.

use super::matrix::{Factor, Symmetric};

/// Maximum number of steps.
const STEPS: u32 = 200;

/// Largest change of a parameter in one step.
const LARGEST_STEP: f64 = 3.0;

/// Change of a parameter below which the maximum is reached.
const SMALL_STEP: f64 = 1e-10;

/// Size beyond which a parameter has no finite maximum: 5,000 Elo.
pub(super) const UNBOUNDED: f64 = 30.0;

/// Share of draws between equals that the prior expects.
const PRIOR_DRAWS: f64 = 1.0 / 3.0;

/// Games of a variant between the same players with the same seats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cell {
    /// Player who moved first.
    pub(super) first: usize,
    /// Player who moved second.
    pub(super) second: usize,
    /// Variant.
    pub(super) variant: usize,
    /// Number of games by the half points of the first mover.
    pub(super) games: [f64; 3],
}

/// Number of parameters of a fit, and its assumptions.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Model {
    /// Number of players.
    pub(super) players: usize,
    /// Number of variants.
    pub(super) variants: usize,
    /// True if draws have a share of their own, after Davidson; false if each is half a win and half a loss.
    pub(super) has_draws: bool,
    /// Number of drawn games against an average player that each player is given, and each advantage of the first mover.
    pub(super) prior: f64,
    /// Players whose mean is 0, without a prior.
    pub(super) centered: Vec<Vec<usize>>,
}

/// Most likely parameters.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// Strengths of the players, advantages of the first mover, and logarithms of the weight of a draw.
    pub(super) values: Vec<f64>,
    /// Factor of the negative Hessian of the log-likelihood.
    pub(super) factor: Factor,
}

/// The probabilities of a game at a difference of strength, and derivatives of the logarithm of their likelihood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    /// Probabilities of the half points of the player whose advantage it is.
    pub(super) of: [f64; 3],
    has_draws: bool,
}

impl Chances {
    /// Returns the chances at a difference in logits. `draws` is the logarithm of the weight of a draw.
    pub(super) fn new(difference: f64, draws: Option<f64>) -> Self {
        let Some(draws) = draws else {
            let win = 1.0 / (1.0 + libm::exp(-difference));
            let loss = 1.0 / (1.0 + libm::exp(difference));
            return Self { of: [loss, 0.0, win], has_draws: false };
        };
        let half = 0.5 * difference;
        let most = half.abs().max(draws);
        let [loss, draw, win] = [-half, draws, half].map(|exponent| libm::exp(exponent - most));
        let sum = loss + draw + win;
        Self { of: [loss / sum, draw / sum, win / sum], has_draws: true }
    }

    /// Returns the expected score.
    pub(super) fn score(&self) -> f64 {
        let [_, draw, win] = self.of;
        win + 0.5 * draw
    }

    /// Returns the information of a game on the difference.
    pub(super) fn information(&self) -> f64 {
        let [loss, _, win] = self.of;
        if self.has_draws { 0.25 * (win + loss) - 0.25 * (win - loss) * (win - loss) } else { win * loss }
    }

    /// Returns the slope of the log-likelihood of a game with this score.
    pub(super) fn slope(&self, score: f64) -> f64 {
        score - self.score()
    }
}

impl Model {
    fn parameters(&self) -> usize {
        self.players + self.variants * if self.has_draws { 2 } else { 1 }
    }

    /// Returns the place of the advantage of a variant.
    pub(super) fn advantage(&self, variant: usize) -> usize {
        self.players + variant
    }

    fn draws(&self, variant: usize) -> Option<usize> {
        self.has_draws.then_some(self.players + self.variants + variant)
    }

    /// Returns the logarithm of the weight of a draw, if draws have one.
    pub(super) fn draw_weight(&self, values: &[f64], variant: usize) -> Option<f64> {
        self.draws(variant).map(|place| at(values, place))
    }

    /// Returns the chances of the first mover.
    pub(super) fn chances(&self, values: &[f64], cell: &Cell) -> Chances {
        let advantage = at(values, self.advantage(cell.variant));
        let difference = at(values, cell.first) - at(values, cell.second) + advantage;
        Chances::new(difference, self.draw_weight(values, cell.variant))
    }

    /// Returns the logarithm of the likelihood with the prior.
    fn log_likelihood(&self, cells: &[Cell], values: &[f64]) -> f64 {
        let mut sum = 0.0;
        for cell in cells {
            let [loss, draw, win] = self.chances(values, cell).of.map(|chance| chance.max(1e-300).ln());
            let [losses, draws, wins] = cell.games;
            sum += losses * loss + wins * win;
            sum += draws * if self.has_draws { draw } else { 0.5 * (loss + win) };
        }
        if self.prior > 0.0 {
            for value in values.iter().take(self.players + self.variants) {
                let [loss, _, win] = Chances::new(*value, None).of;
                sum += 0.5 * self.prior * (loss.max(1e-300).ln() + win.max(1e-300).ln());
            }
            for value in values.iter().skip(self.players + self.variants) {
                let [loss, draw, win] = Chances::new(0.0, Some(*value)).of;
                let decided = 0.5 * (1.0 - PRIOR_DRAWS);
                sum += self.prior * (PRIOR_DRAWS * draw.max(1e-300).ln() + decided * (loss.ln() + win.ln()));
            }
        } else {
            for group in &self.centered {
                let total: f64 = group.iter().map(|&player| at(values, player)).sum();
                sum -= 0.5 * total * total;
            }
        }
        sum
    }

    /// Returns the gradient of the logarithm of the likelihood, and its negative Hessian.
    fn derivatives(&self, cells: &[Cell], values: &[f64]) -> (Vec<f64>, Symmetric) {
        let size = self.parameters();
        let mut gradient = vec![0.0; size];
        let mut hessian = Symmetric::zeros(size);
        let mut push = |place: usize, value: f64| {
            if let Some(element) = gradient.get_mut(place) {
                *element += value;
            }
        };
        for cell in cells {
            let chances = self.chances(values, cell);
            let [losses, draws, wins] = cell.games;
            let games = losses + draws + wins;
            let slope = wins + 0.5 * draws - games * chances.score();
            let information = games * chances.information();
            let advantage = self.advantage(cell.variant);
            let signs = [(advantage, 1.0), (cell.first, 1.0), (cell.second, -1.0)];
            // Against itself only the seat of a player matters.
            let count = if cell.first == cell.second { 1 } else { signs.len() };
            let signs = signs.iter().take(count);
            for (index, &(place, sign)) in signs.clone().enumerate() {
                push(place, sign * slope);
                for &(other, other_sign) in signs.clone().take(index + 1) {
                    hessian.add(place, other, sign * other_sign * information);
                }
            }
            if let Some(weight) = self.draws(cell.variant) {
                let [loss, draw, win] = chances.of;
                push(weight, draws - games * draw);
                hessian.add(weight, weight, games * draw * (1.0 - draw));
                for &(place, sign) in signs {
                    hessian.add(weight, place, -sign * games * draw * 0.5 * (win - loss));
                }
            }
        }
        if self.prior > 0.0 {
            for (place, value) in values.iter().enumerate() {
                let (slope, information) = if place < self.players + self.variants {
                    let chances = Chances::new(*value, None);
                    (chances.slope(0.5), chances.information())
                } else {
                    let [_, draw, _] = Chances::new(0.0, Some(*value)).of;
                    (PRIOR_DRAWS - draw, draw * (1.0 - draw))
                };
                push(place, self.prior * slope);
                hessian.add(place, place, self.prior * information);
            }
        } else {
            for group in &self.centered {
                let total: f64 = group.iter().map(|&player| at(values, player)).sum();
                for (index, &player) in group.iter().enumerate() {
                    push(player, -total);
                    for &other in group.iter().take(index + 1) {
                        hessian.add(player, other, 1.0);
                    }
                }
            }
        }
        // What no game is about stays where it is.
        for place in 0..size {
            if hessian.get(place, place) == 0.0 {
                hessian.add(place, place, 1.0);
            }
        }
        (gradient, hessian)
    }

    /// Finds the most likely parameters, from these on; `None` if the likelihood has no single maximum.
    pub(super) fn fit(&self, cells: &[Cell], start: Option<&[f64]>) -> Option<Fit> {
        let mut values = start.map_or_else(|| vec![0.0; self.parameters()], <[f64]>::to_vec);
        let mut likelihood = self.log_likelihood(cells, &values);
        for _ in 0..STEPS {
            let (gradient, hessian) = self.derivatives(cells, &values);
            let factor = hessian.factor()?;
            let step = factor.solve(&gradient);
            let largest = step.iter().fold(0.0_f64, |largest, change| largest.max(change.abs()));
            if largest < SMALL_STEP || values.iter().any(|value| value.abs() > UNBOUNDED) {
                return Some(Fit { values, factor });
            }
            let mut scale = (LARGEST_STEP / largest).min(1.0);
            loop {
                let next: Vec<f64> = values.iter().zip(&step).map(|(value, change)| value + scale * change).collect();
                let found = self.log_likelihood(cells, &next);
                // Below the precision of the sum every step is as good.
                if found >= likelihood - 1e-9 * (1.0 + likelihood.abs()) || scale < 1e-6 {
                    (values, likelihood) = (next, found);
                    break;
                }
                scale *= 0.5;
            }
        }
        let (_, hessian) = self.derivatives(cells, &values);
        Some(Fit { values, factor: hessian.factor()? })
    }
}

/// Returns a number of a list, or 0.
pub(super) fn at(values: &[f64], place: usize) -> f64 {
    values.get(place).copied().unwrap_or(0.0)
}
