//! Which of several rules is nearest to fair without help, and how sure that is.

use crate::intervals::{Estimate, Results};
use crate::study::wording::{at_strength, capitalized, percent, tells_share, tenths};
use crate::text::grouped;

/// Times the games that were played, up to which more are worth a hint.
const MOST_MORE: f64 = 100.0;

/// Distance in score below which rules that no number of games tells apart are called equal.
const ALIKE: f64 = 0.15;

/// The first mover's games under a rule, in the order of their openings.
#[derive(Clone, Copy, Debug)]
pub struct Scores<'a> {
    /// Half points of the first mover: 0, 1 or 2.
    pub half_points: &'a [usize],
    /// Number of openings. Game n of every rule begins with the same opening.
    pub openings: usize,
}

/// Difference between the first mover's scores under two rules, from −1 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// The score under the rule less that under the first one.
    pub score: Estimate,
}

/// Verdict of games under several rules.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// Differences from the first rule, of all rules but the first.
    pub differences: Vec<Difference>,
    /// Index of the rule that is nearest to fair, if games tell.
    pub fairest: Option<usize>,
    /// Number of games under each rule that may tell, if these do not.
    pub games_needed: Option<u64>,
    /// Distance in score within which the rules are as fair as each other, if games do not tell.
    pub within: Option<f64>,
    scores: Vec<Estimate>,
    margins: Vec<Estimate>,
}

impl Verdict {
    /// Compares the first mover's scores under two rules or more.
    ///
    /// A rule is nearer to fair than another if `|a − ½| < |b − ½|`: if the difference and the sum of the two scores, less
    /// 1, have the same sign as `b − ½`. Both must be sure, so no correction for two tests is needed; one for the number of
    /// other rules is. Scores with shared openings are compared opening by opening.
    pub fn of(rules: &[Scores<'_>]) -> Option<Self> {
        let scores: Option<Vec<Estimate>> = rules.iter().map(|rule| of(rule.half_points, 1)).collect();
        let scores = scores.filter(|scores| scores.len() > 1)?;
        let (first, others) = rules.split_first()?;
        let differences = others.iter().map(|other| Some(Difference { score: difference(other, first, 1)? }));
        let from_even = |place: usize| scores.get(place).map_or(1.0, |score| (score.value - 0.5).abs());
        let best = (0..rules.len()).min_by(|&a, &b| from_even(a).total_cmp(&from_even(b)))?;
        let of_best = rules.get(best)?;
        let (mut margins, mut is_sure, mut needed, mut within) = (Vec::new(), true, 1.0_f64, 0.0_f64);
        for (place, other) in rules.iter().enumerate().filter(|(place, _)| *place != best) {
            let statements = others.len() as u64;
            let is_above = scores.get(place).is_some_and(|score| score.value > 0.5);
            let toward = |estimate: Estimate| if is_above { estimate } else { reversed(estimate) };
            let both = [difference(other, of_best, statements)?, sum(other, of_best, statements)?].map(toward);
            let [by_difference, by_sum] = both;
            let margin = if by_difference.value < by_sum.value { by_difference } else { by_sum };
            is_sure &= both.iter().all(|estimate| estimate.low > 0.0);
            for estimate in both {
                let half = estimate.value - estimate.low;
                needed = needed.max((half / estimate.value.max(1e-9)).powi(2));
            }
            within = within.max(margin.high);
            margins.push(margin);
        }
        let games = rules.iter().map(|rule| rule.half_points.len()).max().unwrap_or(0) as f64;
        let is_worth = !is_sure && needed <= MOST_MORE;
        Some(Self {
            differences: differences.collect::<Option<_>>()?,
            fairest: is_sure.then_some(best),
            // Half of `--games` are played without help; a tenth more, since these were likely lucky or unlucky.
            games_needed: is_worth.then(|| round_up(2.2 * games * needed)),
            within: (!is_sure).then_some(within),
            scores,
            margins,
        })
    }

    /// Replaces the scores that the sentence gives by those of more games.
    #[must_use]
    pub(super) fn with_scores(self, scores: Vec<Estimate>) -> Self {
        if scores.len() == self.scores.len() { Self { scores, ..self } } else { self }
    }

    /// Returns the verdict as one sentence. `without` names what is left out, such as `komi`; `names` are those of the
    /// rules.
    pub fn sentence(&self, names: &[String], nodes: u64, without: Option<&str>) -> String {
        let at = capitalized(&at_strength(nodes));
        let at = without.map_or(at.clone(), |without| format!("{at} and without {without}"));
        let name = |place: usize| names.get(place).cloned().unwrap_or_default();
        let score = |place: usize| self.scores.get(place).copied();
        let shown = |estimate: Estimate| {
            let Estimate { value, low, high } = estimate;
            format!("{} ({} to {})", percent(value), tenths(100.0 * low), tenths(100.0 * high))
        };
        if let Some((best, of_best)) = self.fairest.and_then(|best| Some((best, score(best)?))) {
            let others = (0..self.scores.len()).filter(|&place| place != best).zip(&self.margins);
            let others = others.filter_map(|(place, margin)| {
                let Estimate { value, low, high } = *margin;
                let points = [value, low, high].map(|share| tenths(100.0 * share));
                let [value, low, high] = points;
                Some(format!(
                    "{} with {}, {value} points farther from even (95 %: {low} to {high})",
                    percent(score(place)?.value),
                    name(place)
                ))
            });
            let others: Vec<String> = others.collect();
            return format!(
                "{at}, {} is nearest to fair: the first mover scores {} with it, and {}.",
                name(best),
                shown(of_best),
                others.join(", and ")
            );
        }
        let each = self.scores.iter().enumerate().map(|(place, &score)| {
            let shown = if tells_share(score) { shown(score) } else { "what these games do not tell".to_owned() };
            format!("{shown} with {}", name(place))
        });
        let each: Vec<String> = each.collect();
        let more = match (self.games_needed, self.within) {
            (Some(games), _) => format!("about {} --games may", grouped(games)),
            (None, Some(within)) if within < ALIKE => {
                format!("they are equal to within {} points in 100 (95 %)", tenths(100.0 * within))
            }
            _ => "far more may".to_owned(),
        };
        format!(
            "{at}, the first mover scores {}: these games do not tell which rule is nearest to fair; {more}.",
            each.join(", ")
        )
    }
}

/// Returns the mean score, with an interval that holds together with those of other statements.
fn of(half_points: &[usize], statements: u64) -> Option<Estimate> {
    let results: Results = half_points.iter().copied().collect();
    Estimate::of_counts_among(&results.by_outcome(), statements)
}

fn reversed(estimate: Estimate) -> Estimate {
    Estimate { value: -estimate.value, low: -estimate.high, high: -estimate.low }
}

/// Estimates the score under a rule less that under another one.
fn difference(rule: &Scores<'_>, other: &Scores<'_>, statements: u64) -> Option<Estimate> {
    combined(rule, other, statements, |a, b| (2 + a).saturating_sub(b), reversed)
}

/// Estimates the sum of the scores under two rules, less 1.
fn sum(rule: &Scores<'_>, other: &Scores<'_>, statements: u64) -> Option<Estimate> {
    let less_one =
        |score: Estimate| Estimate { value: score.value - 1.0, low: score.low - 1.0, high: score.high - 1.0 };
    combined(rule, other, statements, |a, b| a + b, less_one)
}

/// Estimates what two scores give together: opening by opening, where they are shared, as an outcome from 0 to 4; else as
/// the sum of the first and of a function of the second, by the method of variance estimates recovery (Zou and Donner
/// 2008).
fn combined(
    rule: &Scores<'_>,
    other: &Scores<'_>,
    statements: u64,
    outcome: impl Fn(usize, usize) -> usize,
    second: impl Fn(Estimate) -> Estimate,
) -> Option<Estimate> {
    if rule.openings == other.openings && rule.half_points.len() == other.half_points.len() {
        let mut counts = [0; 5];
        for (&a, &b) in rule.half_points.iter().zip(other.half_points) {
            if let Some(count) = counts.get_mut(outcome(a, b)) {
                *count += 1;
            }
        }
        let mean = Estimate::of_counts_among(&counts, statements)?;
        let [value, low, high] = [mean.value, mean.low, mean.high].map(|share| 2.0 * share - 1.0);
        return Some(Estimate { value, low, high });
    }
    let (a, b) = (of(rule.half_points, statements)?, second(of(other.half_points, statements)?));
    let value = a.value + b.value;
    let length = |a: f64, b: f64| a.hypot(b);
    Some(Estimate {
        value,
        low: value - length(a.value - a.low, b.value - b.low),
        high: value + length(a.high - a.value, b.high - b.value),
    })
}

/// Rounds a number of games up to one digit.
fn round_up(games: f64) -> u64 {
    let unit = libm::exp10(libm::log10(games.max(1.0)).floor());
    ((games / unit).ceil() * unit) as u64
}
