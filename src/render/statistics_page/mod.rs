//! A page of statistics: tables and plots of the games of records, for a browser and without a program in it.

mod counts;
mod courses;
mod figure;
mod scores;
mod study_page;
mod tables;

pub use study_page::{Band, RangeRow, Ranges, StudyFigure, StudyPage, StudySection, Term};

use super::html::Page;
use super::svg::escape;

/// Statistics to be shown, by variant.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StatisticsPage {
    /// The variants, in the order of the page.
    pub variants: Vec<VariantStatistics>,
}

/// Statistics of the games of one variant.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VariantStatistics {
    /// Name of the variant.
    pub variant: String,
    /// Number of games, and their mean length.
    pub games: String,
    /// Ends of the games, if not all by the rules.
    pub ends: Option<String>,
    /// Conditions of the games, each with its label.
    pub facts: Vec<(String, String)>,
    /// Engines: name, engine, options, version and limit.
    pub engines: Vec<[String; 5]>,
    /// Results of everyone against everyone, the highest score first; empty for two engines.
    pub cross_table: Vec<CrossTableRow>,
    /// Results of two engines each.
    pub pairings: Vec<Pairing>,
    /// Scores by color.
    pub seats: Vec<Seat>,
    /// The three results of games: a win of the first mover, a draw, a loss.
    pub outcomes: [String; 3],
    /// Number of games with each of the three results, by length in moves, the shortest first.
    pub lengths: Vec<(u64, [u64; 3])>,
    /// Number of games by cause of their end.
    pub causes: Vec<(String, u64)>,
    /// Number of games by reason, for games that ended by the rules.
    pub reasons: Vec<(String, u64)>,
    /// Notes about the sample.
    pub notes: Vec<String>,
}

/// An engine in a cross-table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CrossTableRow {
    /// Its name.
    pub name: String,
    /// Its points, score and results, as text.
    pub totals: [String; 3],
    /// Its results against the engine of each row.
    pub against: Vec<Option<String>>,
}

/// Results of two engines against each other.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pairing {
    /// Names of both.
    pub names: [String; 2],
    /// Score of the first one.
    pub score: Score,
    /// Further figures, each with its label.
    pub lines: Vec<(String, String)>,
    /// Score of the first one over the games.
    pub course: Vec<CourseMark>,
    /// Log-likelihood ratio of a test after numbers of games, in hundredths, up to its end.
    pub ratios: Vec<(u64, i64)>,
    /// Log-likelihood ratios at which a test accepts H0 and H1, in hundredths.
    pub bounds: Option<(i64, i64)>,
    /// The end of the test.
    pub decided: Option<TestMark>,
}

/// The end of a test, at the first crossing of a bound.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TestMark {
    /// Number of games up to there.
    pub games: u64,
    /// Log-likelihood ratio, in hundredths.
    pub ratio: i64,
    /// Name of the accepted hypothesis.
    pub accepted: String,
}

/// The score of an engine with one color.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Seat {
    /// Name of the engine; empty for all engines.
    pub name: String,
    /// The color.
    pub color: String,
    /// The score.
    pub score: Score,
}

/// A number of games won, drawn and lost, with the score.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Score {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Estimate of the score.
    pub estimate: Option<Estimate>,
}

/// A score with its 95 % interval, in ten-thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Estimate {
    pub mean: u32,
    pub low: u32,
    pub high: u32,
}

/// Estimate of a score after some games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CourseMark {
    /// Number of games.
    pub games: u64,
    /// Estimate of the score.
    pub estimate: Estimate,
}

/// Number of pairings above which their tables and courses are folded up.
const MAX_UNFOLDED: usize = 6;

/// Most pairings with a plot of their course.
const MAX_COURSES: usize = 24;

impl StatisticsPage {
    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let title = match self.variants.as_slice() {
            [one] => format!("Statistics of {}", one.variant),
            several => format!("Statistics of {} variants", several.len()),
        };
        let mut body = format!("<h1>{}</h1>\n{PATTERNS}", escape(&title));
        let mut ids = Ids(0);
        for variant in &self.variants {
            if self.variants.len() > 1 {
                body += &format!("<h1>{}</h1>\n", escape(&variant.variant));
            }
            variant.write(&mut body, &mut ids);
        }
        Page { title, style: include_str!("statistics.css"), body, script: "" }.html()
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

impl VariantStatistics {
    fn write(&self, body: &mut String, ids: &mut Ids) {
        *body += &format!("<p class=\"lead\">{}</p>\n", escape(&self.games));
        if let Some(ends) = &self.ends {
            *body += &format!("<p class=\"lead\"><strong>{}.</strong></p>\n", escape(ends));
        }
        for note in &self.notes {
            *body += &format!("<p class=\"note\">Note: {}</p>\n", escape(note));
        }
        *body += &tables::facts(&self.facts);
        *body += &tables::engines(&self.engines);
        *body += &tables::cross_table(&self.cross_table);
        let cards = self.pairings.iter().map(tables::pairing).collect::<String>();
        let cards = format!("<div class=\"cards\">\n{cards}</div>\n");
        let many = self.pairings.len() > MAX_UNFOLDED;
        *body += "<h2>Pairings</h2>\n";
        *body += &folded(many, "All pairings", &cards);

        *body += "<h2>Plots</h2>\n<div class=\"plots\">\n";
        *body += &scores::results(&self.pairings, ids);
        *body += &scores::seats(&self.seats, ids);
        *body += &counts::lengths(&self.lengths, &self.outcomes, ids);
        *body += &counts::counts("Reasons of games that ended by the rules", "reason", &self.reasons, ids);
        *body += &counts::counts("Causes of the end", "cause", &self.causes, ids);
        *body += "</div>\n";
        let courses = self.pairings.iter().take(MAX_COURSES).map(|pairing| {
            let course = courses::course(pairing, ids);
            course + &courses::ratio(pairing, ids)
        });
        let courses = courses.collect::<String>();
        if courses.is_empty() {
            return;
        }
        *body += "<h2>Over the games</h2>\n";
        let courses = format!("<div class=\"plots\">\n{courses}</div>\n");
        *body += &folded(many, "Score over the games, by pairing", &courses);
        if self.pairings.len() > MAX_COURSES {
            let more = self.pairings.len() - MAX_COURSES;
            *body += &format!("<p class=\"note\">{more} more pairings have no plot.</p>\n");
        }
    }
}

/// Folds up a part of the page if it is long.
fn folded(many: bool, summary: &str, content: &str) -> String {
    match many {
        true => format!("<details><summary>{summary}</summary>\n{content}</details>\n"),
        false => content.to_owned(),
    }
}

impl Score {
    /// Returns the number of games.
    fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the score over all games, as text.
    fn percent(&self) -> Option<String> {
        let twice = 2 * u128::from(self.wins) + u128::from(self.draws);
        let games = u128::from(self.games());
        let share = (twice * 10_000 + games).checked_div(2 * games)?;
        u32::try_from(share).ok().map(percent)
    }
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
