//! A page of a study: answers in words, then figures with their plots, and what each of them means.

use std::fmt::Write;

use super::contents::{folded, report};
use super::figure::{
    BAR_LEFT, BAR_RIGHT, BOTTOM, Figure, HEIGHT, LEFT, RIGHT, TOP, WIDTH, fitted, part, path, polyline, rectangle,
    text, text_width, tick_distance, tick_label,
};
use super::tables::{facts, table};
use super::{Ids, counts};
use crate::render::svg::escape;

/// A page of a study.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct StudyPage {
    /// Title.
    pub title: String,
    /// The answers in words, by paragraph.
    pub summary: Vec<String>,
    /// Conditions, each with its label.
    pub facts: Vec<(String, String)>,
    /// The parts of the page.
    pub sections: Vec<StudySection>,
}

/// A part of the page of a study.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct StudySection {
    /// Title.
    pub title: String,
    /// Paragraphs.
    pub text: Vec<String>,
    /// Plots.
    pub figures: Vec<StudyFigure>,
    /// Tables, each with a caption, the heads of its columns, and its rows.
    pub tables: Vec<(String, Vec<String>, Vec<Vec<String>>)>,
    /// A picture as SVG, with its caption.
    pub picture: Option<(String, String)>,
    /// Meaning of the figures.
    pub terms: Vec<Term>,
}

/// The meaning of a figure.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Term {
    /// Name of the figure.
    pub name: String,
    /// Definition.
    pub definition: String,
    /// Where the definition is from.
    pub source: String,
    /// Known faults.
    pub criticism: String,
}

/// A plot of the page of a study.
#[derive(Clone, PartialEq, Debug)]
pub enum StudyFigure {
    /// Values with intervals.
    Ranges(Ranges),
    /// Medians with a band, over plies.
    Band(Band),
    /// Numbers of games by length, with the number of those that the first mover won, that were drawn, and lost.
    Lengths {
        /// Numbers of games by length in moves, the shortest first.
        lengths: Vec<(u64, [u64; 3])>,
        /// Names of the three results.
        outcomes: [String; 3],
    },
    /// Numbers of games by something.
    Counts {
        /// Caption.
        caption: String,
        /// Name of the labels.
        head: String,
        /// Numbers of games, each with its label.
        counts: Vec<(String, u64)>,
    },
}

/// Values with their intervals on a scale from 0.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Ranges {
    /// Caption.
    pub caption: String,
    /// Name of the labels of the rows.
    pub head: String,
    /// End of the scale, above 0, and the same in words.
    pub scale: (f64, String),
    /// A value of the scale with a line of its own, and the same in words.
    pub middle: Option<(f64, String)>,
    /// The rows.
    pub rows: Vec<RangeRow>,
}

/// A value with its interval.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RangeRow {
    /// Label.
    pub label: String,
    /// Value, and the ends of its interval.
    pub range: [f64; 3],
    /// The same in words: value, and interval.
    pub words: [String; 2],
    /// Number of games, in words.
    pub games: String,
}

/// Medians with a band, over plies.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Band {
    /// Caption.
    pub caption: String,
    /// Name of the values.
    pub values: String,
    /// Meaning of the band.
    pub band: String,
    /// First and last ply of a group, and its value: low, middle, high.
    pub points: Vec<([u32; 2], [u32; 3])>,
}

impl StudyPage {
    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let mut body = String::new();
        let mut ids = Ids(0);
        for section in &self.sections {
            section.write(&mut body, &mut ids);
        }
        let (title, facts) = ("How the games were played", facts(&self.facts));
        let _ = writeln!(body, "<details><summary><h2>{title}</h2></summary>\n{facts}</details>");
        report(&self.title, &self.summary, &body)
    }
}

impl StudySection {
    fn write(&self, body: &mut String, ids: &mut Ids) {
        // Writing to a string can't fail.
        // What has no plots is looked up seldom: its heading opens it.
        let is_folded = self.figures.is_empty();
        let title = escape(&self.title);
        let _ = if is_folded {
            writeln!(body, "<details><summary><h2>{title}</h2></summary>")
        } else {
            writeln!(body, "<section>\n<h2>{title}</h2>")
        };
        for paragraph in &self.text {
            let _ = writeln!(body, "<p>{}</p>", escape(paragraph));
        }
        if self.picture.is_some() || !self.figures.is_empty() {
            *body += "<div class=\"plots\">\n";
            if let Some((svg, caption)) = &self.picture {
                let caption = escape(caption);
                let _ = writeln!(body, "<figure class=\"board\">\n<figcaption>{caption}</figcaption>\n{svg}</figure>");
            }
            for figure in &self.figures {
                *body += &figure.html(ids);
            }
            *body += "</div>\n";
        }
        let mut tables = String::new();
        for (caption, heads, rows) in &self.tables {
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            let _ = writeln!(tables, "<h3>{}</h3>\n{}", escape(caption), table(&heads, rows));
        }
        // Plots show most of the figures; without them the tables are all there is.
        let captions: Vec<&str> = self.tables.iter().map(|(caption, ..)| caption.as_str()).collect();
        match captions.as_slice() {
            [] => {}
            _ if is_folded => *body += &tables,
            captions => *body += &folded(&format!("Tables: {}", captions.join("; ")), &tables),
        }
        if !self.terms.is_empty() {
            let mut terms = String::from("<dl class=\"terms\">\n");
            for term in &self.terms {
                let Term { name, definition, source, criticism } = term;
                let _ = write!(terms, "<div><dt>{}</dt><dd>{}", escape(name), escape(definition));
                if !source.is_empty() {
                    let _ = write!(terms, " <em>Source:</em> {}", escape(source));
                }
                if !criticism.is_empty() {
                    let _ = write!(terms, " <em>Criticism:</em> {}", escape(criticism));
                }
                terms += "</dd></div>\n";
            }
            terms += "</dl>\n";
            let names: Vec<&str> = self.terms.iter().map(|term| term.name.as_str()).collect();
            *body += &folded(&format!("Meaning: {}", names.join(", ")), &terms);
        }
        *body += if is_folded { "</details>\n" } else { "</section>\n" };
    }
}

impl StudyFigure {
    fn html(&self, ids: &mut Ids) -> String {
        match self {
            Self::Ranges(ranges) => ranges.html(ids),
            Self::Band(band) => band.html(ids),
            Self::Lengths { lengths, outcomes } => counts::lengths(lengths, outcomes, ids),
            Self::Counts { caption, head, counts } => counts::counts(caption, head, counts, ids),
        }
    }
}

impl Ranges {
    /// Returns the place of a value on the scale, from `BAR_LEFT` to `BAR_RIGHT`.
    fn place(&self, value: f64) -> i64 {
        let share = (value / self.scale.0).clamp(0.0, 1.0);
        BAR_LEFT + (share * (BAR_RIGHT - BAR_LEFT) as f64).round() as i64
    }

    fn html(&self, ids: &mut Ids) -> String {
        const ROW: i64 = 42;
        if self.rows.is_empty() || self.scale.0 <= 0.0 {
            return String::new();
        }
        let mut shapes = String::new();
        let bottom = ROW * i64::try_from(self.rows.len()).unwrap_or(0);
        if let Some((middle, _)) = &self.middle {
            let x = self.place(*middle);
            path(&mut shapes, "half", &format!("M{x} 4V{bottom}"));
        }
        for (row, place) in self.rows.iter().zip(0..) {
            let top = place * ROW;
            let [value, interval] = &row.words;
            let _ = writeln!(
                shapes,
                "<g><title>{}: {}, {}; {}</title>",
                escape(&row.label),
                escape(value),
                escape(interval),
                escape(&row.games)
            );
            let label = fitted(&row.label, BAR_RIGHT - BAR_LEFT - text_width(value) - 10);
            let words = text_width(&row.label).max(text_width(value)) + 4;
            rectangle(&mut shapes, "ground", (BAR_LEFT, top + 4), (words.min(RIGHT - BAR_LEFT), 14));
            text(&mut shapes, (BAR_LEFT, top + 15), "start", &label);
            text(&mut shapes, (BAR_RIGHT, top + 15), "end", value);
            rectangle(&mut shapes, "rail", (BAR_LEFT, top + 24), (BAR_RIGHT - BAR_LEFT, 10));
            let [middle, low, high] = row.range.map(|value| self.place(value));
            let (from, y, to) = (top + 25, top + 29, top + 33);
            let whisker = format!("M{low} {from}V{to}M{low} {y}H{high}M{high} {from}V{to}");
            path(&mut shapes, "whisker", &whisker);
            let _ = writeln!(shapes, "<circle class=\"mean\" cx=\"{middle}\" cy=\"{y}\" r=\"4\"/>\n</g>");
        }
        let rows = self.rows.iter().map(|row| {
            let [value, interval] = row.words.clone();
            vec![row.label.clone(), value, interval, row.games.clone()]
        });
        let middle = self.middle.as_ref();
        let middle = middle.map_or(String::new(), |(_, words)| format!(", dotted line at {words}"));
        let scale = format!("rail from 0 to {}{middle}", self.scale.1);
        Figure {
            caption: &self.caption,
            description: "A circle for each value, with a line for its 95 % interval.",
            legend: &format!("<p class=\"legend\">circle: value; line: 95 % interval; {}</p>\n", escape(&scale)),
            height: bottom + 4,
            shapes: &shapes,
            figures: &table(&[&self.head, "value", "95 % interval", "games"], &rows.collect::<Vec<_>>()),
        }
        .html(ids)
    }
}

impl Band {
    fn html(&self, ids: &mut Ids) -> String {
        let Some(([_, last], _)) = self.points.last() else {
            return String::new();
        };
        let last = u64::from(*last);
        let most = self.points.iter().map(|(_, [_, _, high])| u64::from(*high)).max();
        let most = most.unwrap_or(1).max(1);
        let x = |plies: [u32; 2]| {
            let [from, to] = plies.map(u64::from);
            LEFT + part(from + to, 2 * last.max(1), RIGHT - LEFT)
        };
        let y = |value: u32| BOTTOM - part(value.into(), most, BOTTOM - TOP);
        let mut shapes = String::new();
        let distance = tick_distance(most);
        for tick in (0..=most / distance).map(|tick| tick * distance) {
            let y = BOTTOM - part(tick, most, BOTTOM - TOP);
            path(&mut shapes, "grid", &format!("M{LEFT} {y}H{RIGHT}"));
            text(&mut shapes, (LEFT - 5, y + 4), "end", &tick_label(tick));
        }
        let line =
            |value: fn(&[u32; 3]) -> u32| self.points.iter().map(move |(plies, values)| (x(*plies), y(value(values))));
        let (low, high) = (line(|[low, _, _]| *low), line(|[_, _, high]| *high));
        let around: Vec<(i64, i64)> = high.collect();
        let below: Vec<(i64, i64)> = low.collect();
        let outline = around.iter().chain(below.iter().rev()).copied();
        path(&mut shapes, "band", &(polyline(outline) + "Z"));
        path(&mut shapes, "edge", &polyline(around));
        path(&mut shapes, "edge", &polyline(below));
        path(&mut shapes, "line", &polyline(line(|[_, middle, _]| *middle)));
        let distance = tick_distance(last);
        for ply in (0..=last / distance).map(|tick| tick * distance) {
            let x = LEFT + part(ply, last, RIGHT - LEFT);
            path(&mut shapes, "axis", &format!("M{x} {BOTTOM}v4"));
            let (x, anchor) = if RIGHT - x < 14 { (WIDTH - 1, "end") } else { (x, "middle") };
            text(&mut shapes, (x, BOTTOM + 17), anchor, &tick_label(ply));
        }
        path(&mut shapes, "axis", &format!("M{LEFT} {BOTTOM}H{RIGHT}"));
        text(&mut shapes, ((LEFT + RIGHT) / 2, BOTTOM + 33), "middle", "steps played");
        let rows = self.points.iter().map(|([from, to], [low, middle, high])| {
            let plies = if from == to { from.to_string() } else { format!("{from} to {to}") };
            vec![plies, low.to_string(), middle.to_string(), high.to_string()]
        });
        Figure {
            caption: &self.caption,
            description: &format!(
                "A line for the median of {} at each step, in a band for {}.",
                self.values, self.band
            ),
            legend: &format!(
                "<p class=\"legend\">line: median of {}; band: {}</p>\n",
                escape(&self.values),
                escape(&self.band)
            ),
            height: HEIGHT,
            shapes: &shapes,
            figures: &table(&["step", "low", "median", "high"], &rows.collect::<Vec<_>>()),
        }
        .html(ids)
    }
}
