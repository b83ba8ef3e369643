//! A page of statistics: tables and plots of the games of records, for a browser. Its one script saves figures.

mod contents;
mod counts;
mod figure;
mod history;
mod rating_tables;
mod scores;
mod study_page;
mod tables;

pub use rating_tables::rating_page;
pub use study_page::{Band, RangeRow, Ranges, StudyFigure, StudyPage, StudySection, Term};

use super::svg::escape;
use crate::intervals::{Estimate, Results};
use crate::record::Cause;
use crate::statistics::{
    Details, HeadToHead, HistoryPoint, Ratings, Sprt, Statistics, Tally, ends_line, faults, first_mover_verdict,
    games_line, notes, reason_counts,
};
use crate::text::cut;
use contents::{folded, report};
use figure::isolated;

/// Statistics to be shown, by variant.
#[derive(Clone, Default, Debug)]
pub struct StatisticsPage<'a> {
    /// The variants, in the order of the page.
    pub variants: Vec<VariantStatistics<'a>>,
    /// Ratings of three engines and more.
    pub ratings: Option<Ratings>,
}

/// Statistics of the games of one variant.
#[derive(Clone, Copy, Debug)]
pub struct VariantStatistics<'a> {
    /// Name of the variant.
    pub variant: &'a str,
    /// Counts of its games.
    pub tally: &'a Tally,
    /// Their lengths, histories and conditions.
    pub details: &'a Details,
    /// A sequential test of the first engine of each pairing.
    pub sprt: Option<&'a Sprt>,
}

/// Results of two engines against each other.
struct Pairing<'a> {
    /// Names of both.
    names: [String; 2],
    head_to_head: &'a HeadToHead,
    /// The first one's score over the games.
    history: Vec<HistoryPoint>,
    /// The same up to the end of the test.
    tested: Vec<HistoryPoint>,
    sprt: Option<&'a Sprt>,
}

/// Results with the estimate of the score.
#[derive(Clone, Copy)]
struct Score {
    results: Results,
    estimate: Option<Estimate>,
}

/// Number of points of all histories of a variant together, and of each one at least and at most.
const POINTS: usize = 240;
const MIN_POINTS: usize = 8;
const MAX_POINTS: usize = 120;

/// Number of pairings above which their tables and histories are folded up.
const MAX_UNFOLDED: usize = 6;

/// Maximum number of pairings with a plot of their history.
const MAX_COURSES: usize = 24;

impl<'a> StatisticsPage<'a> {
    /// Returns the page of statistics and the details of each variant.
    pub fn new(statistics: &'a Statistics, details: &'a [Details]) -> Self {
        let sprt = statistics.sprt();
        let variants = statistics.variants().iter().zip(details);
        let variants = variants.map(|((variant, tally), details)| VariantStatistics { variant, tally, details, sprt });
        Self { variants: variants.collect(), ratings: statistics.ratings() }
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let mut ids = Ids(0);
        let mut body = self.ratings.as_ref().map_or_else(String::new, rating_tables::ratings);
        if let [one] = self.variants.as_slice() {
            let notes = one.notes();
            let mut answers = match &self.ratings {
                Some(ratings) => ratings.answers(),
                None => one.verdict().into_iter().collect(),
            };
            answers.truncate(1);
            answers.insert(0, one.games());
            answers.extend(one.first_mover());
            let body = notes + &body + &one.parts(2, &mut ids);
            return report(&format!("Statistics of {}", one.variant), &answers, &body);
        }
        for variant in &self.variants {
            body += &format!("<h2>{}</h2>\n", escape(variant.variant));
            let answers = [Some(variant.games()), variant.verdict(), variant.first_mover()];
            for answer in answers.into_iter().flatten() {
                body += &format!("<p>{}</p>\n", escape(&answer));
            }
            body += &variant.notes();
            // Each variant has the same parts: folded up, the page stays short, and the contents list the variants alone.
            let parts = variant.parts(3, &mut ids);
            body += &folded(&format!("Tables and plots of {}", variant.variant), &parts);
        }
        let answers = self.ratings.as_ref().map(Ratings::answers).unwrap_or_default();
        report(&format!("Statistics of {} variants", self.variants.len()), &answers, &body)
    }
}

/// The pattern of draws, which all pictures of the page share.
const PATTERNS: &str = "<svg class=\"shared\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\
    <pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
    <rect class=\"hatch-ground\" width=\"5\" height=\"5\"/><path class=\"hatch-line\" d=\"M1 0V5\"/></pattern>\
    </defs></svg>\n";

/// Numbers of the pictures on a page.
struct Ids(u32);

impl Ids {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }
}

impl<'a> VariantStatistics<'a> {
    /// Returns the number of games, as a sentence.
    fn games(&self) -> String {
        format!("{}.", games_line(self.tally))
    }

    /// Returns which of two engines is stronger, as a sentence; `None` for several pairings.
    fn verdict(&self) -> Option<String> {
        let mut met = self.tally.head_to_heads.iter();
        let (&(a, b), head_to_head) = met.next()?;
        if met.next().is_some() {
            return None;
        }
        let Estimate { value, low, high } = head_to_head.estimate()?;
        let [first, second] = [a, b].map(|place| isolated(&name(self.tally, place)));
        let verdict = match () {
            () if low > 0.5 => format!("{first} is the stronger one"),
            () if high < 0.5 => format!("{second} is the stronger one"),
            () => "these games do not tell which is the stronger one".to_owned(),
        };
        let [value, low, high] = [value, low, high].map(|share| format!("{:.1}", 100.0 * share));
        Some(format!("{first} scores {value} % against {second} (95 % interval {low} to {high} %): {verdict}."))
    }

    /// Returns whether moving first is an advantage, as a sentence.
    fn first_mover(&self) -> Option<String> {
        let score = self.tally.first_mover_estimate()?;
        let verdict = first_mover_verdict(&score);
        let Estimate { value, low, high } = score;
        let [value, low, high] = [value, low, high].map(|share| format!("{:.1}", 100.0 * share));
        let first = self.tally.first;
        Some(format!("{first}, who moves first, scores {value} % (95 % interval {low} to {high} %): {verdict}."))
    }

    /// Returns what a reader should know about the games.
    fn notes(&self) -> String {
        let mut body = String::new();
        if let Some(ends) = ends_line(self.tally) {
            body += &format!("<p class=\"lead\"><strong>{}.</strong></p>\n", escape(&ends));
        }
        for note in notes(self.tally) {
            body += &format!("<p class=\"note\">Note: {}</p>\n", escape(&note));
        }
        body
    }

    /// Returns the tables and plots, with headings of this level and below.
    fn parts(&self, level: u8, ids: &mut Ids) -> String {
        let Self { tally, details, .. } = self;
        let mut body = String::new();
        body += &tables::facts(&tables::conditions(details));
        body += &tables::engines(tally, level);
        body += &tables::cross_table(tally, level);
        let pairings = self.pairings();
        let cards = pairings.iter().map(|pairing| tables::pairing(pairing, level + 1)).collect::<String>();
        let cards = format!("<div class=\"cards\">\n{cards}</div>\n");
        let many = pairings.len() > MAX_UNFOLDED;
        body += &format!("<h{level}>Pairings</h{level}>\n");
        body += &if many { folded("All pairings", &cards) } else { cards };

        body += &format!("<h{level}>Plots</h{level}>\n<div class=\"plots\">\n");
        body += &scores::results(&pairings, ids);
        body += &scores::seats(tally, ids);
        let lengths = details.lengths.iter().map(|(&length, of)| (length, [of.wins, of.draws, of.losses]));
        let first = tally.first;
        let outcomes = [format!("{first} (moves first) wins"), "draw".to_owned(), format!("{} wins", !first)];
        body += &counts::lengths(&lengths.collect::<Vec<_>>(), &outcomes, ids);
        let reasons = if tally.causes.contains_key(&Cause::Normal) { reason_counts(tally) } else { Vec::new() };
        body += &counts::counts("Reasons of games that ended by the rules", "reason", &reasons, ids);
        body += &counts::counts("Causes of the end", "cause", &causes(tally), ids);
        body += "</div>\n";
        let histories = pairings.iter().take(MAX_COURSES).map(|pairing| {
            let history = history::history(pairing, ids);
            history + &history::ratio(pairing, ids)
        });
        let histories = histories.collect::<String>();
        if histories.is_empty() {
            return body;
        }
        body += &format!("<h{level}>Over the games</h{level}>\n");
        let histories = format!("<div class=\"plots\">\n{histories}</div>\n");
        body += &if many { folded("Score over the games, by pairing", &histories) } else { histories };
        if pairings.len() > MAX_COURSES {
            let more = pairings.len() - MAX_COURSES;
            body += &format!("<p class=\"note\">{more} more pairings have no plot.</p>\n");
        }
        body
    }

    fn pairings(&self) -> Vec<Pairing<'a>> {
        let Self { tally, details, sprt, .. } = *self;
        let most = (POINTS / tally.head_to_heads.len().max(1)).clamp(MIN_POINTS, MAX_POINTS);
        let pairing = |(&(a, b), head_to_head): (&(usize, usize), &'a HeadToHead)| {
            let history = details.histories.get(&(a, b));
            let points = |games| history.map_or_else(Vec::new, |history| history.points(most, games, sprt));
            // The history of a test stops where it ends.
            let end = head_to_head.decided.map_or(u64::MAX, |end| end.games);
            Pairing {
                names: [a, b].map(|place| name(tally, place)),
                head_to_head,
                history: points(u64::MAX),
                tested: points(end),
                sprt,
            }
        };
        tally.head_to_heads.iter().map(pairing).collect()
    }
}

/// Returns the name of an engine, cut if it is long.
fn name(tally: &Tally, place: usize) -> String {
    tally.names.get(place).map_or(String::new(), |name| cut(name))
}

/// Counts games by the cause of their end, with the engines at fault.
fn causes(tally: &Tally) -> Vec<(String, u64)> {
    let causes = tally.causes.iter().map(|(&cause, &count)| {
        let faults = faults(tally, cause);
        let label = if faults.is_empty() { cause.to_string() } else { format!("{cause} ({})", cut(&faults)) };
        (label, count)
    });
    causes.collect()
}

impl Score {
    fn new(results: Results, estimate: Option<Estimate>) -> Self {
        Self { results, estimate }
    }

    /// Returns the score over all games, as text.
    fn percent(&self) -> Option<String> {
        let Results { wins, draws, .. } = self.results;
        let (twice, games) = (2 * u128::from(wins) + u128::from(draws), u128::from(self.results.games()));
        let share = (twice * 10_000 + games).checked_div(2 * games)?;
        u32::try_from(share).ok().map(percent)
    }
}

/// Returns a share in ten-thousandths.
fn ten_thousandths(share: f64) -> u32 {
    (10_000.0 * share).round() as u32
}

/// Returns a number in hundredths.
fn in_hundredths(number: f64) -> i64 {
    (100.0 * number).round() as i64
}

/// Formats ten-thousandths as percent.
fn percent(share: u32) -> String {
    let tenths = (share + 5) / 10;
    // A number keeps its sign where lines break.
    format!("{}.{}\u{a0}%", tenths / 10, tenths % 10)
}

/// Formats hundredths.
fn hundredths(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let size = number.unsigned_abs();
    format!("{sign}{}.{:02}", size / 100, size % 100)
}
