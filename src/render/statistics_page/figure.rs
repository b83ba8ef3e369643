//! Pictures of the page, each with a table of its figures: the frame, shapes and axes.
//!
//! All coordinates are integers, in units of about a pixel on a telephone. Solid, hatched and empty areas tell wins,
//! draws and losses from each other without color.

use std::fmt::Write;

use super::Ids;
use crate::render::svg::escape;
use crate::text::shortened;

/// Width of a plot.
pub(super) const WIDTH: i64 = 360;

/// Left and right end of plots with labels at the left.
pub(super) const LEFT: i64 = 54;
pub(super) const RIGHT: i64 = WIDTH - 8;

/// Left and right end of bars.
pub(super) const BAR_LEFT: i64 = 14;
pub(super) const BAR_RIGHT: i64 = WIDTH - 14;

/// Top and bottom of plots with axes.
pub(super) const TOP: i64 = 10;
pub(super) const BOTTOM: i64 = 180;

/// Distance of the numbers of an axis: at most five fit.
pub(super) const MAX_TICKS: u64 = 5;

/// The ten-thousandths in one.
pub(super) const WHOLE: u32 = 10_000;

/// A picture with its caption and its figures.
pub(super) struct Figure<'a> {
    pub(super) caption: &'a str,
    /// Description for those who can't see the picture.
    pub(super) description: &'a str,
    /// Signs with their meaning, in HTML.
    pub(super) legend: &'a str,
    pub(super) height: i64,
    /// Content of the picture.
    pub(super) shapes: &'a str,
    /// Table of the figures.
    pub(super) figures: &'a str,
}

impl Figure<'_> {
    pub(super) fn html(&self, ids: &mut Ids) -> String {
        let Self { legend, height, shapes, figures, .. } = self;
        let id = ids.next();
        let (caption, description) = (escape(self.caption), escape(self.description));
        format!(
            "<figure>\n<figcaption>{caption}</figcaption>\n{legend}\
             <svg role=\"img\" aria-labelledby=\"t{id} d{id}\" viewBox=\"0 0 {WIDTH} {height}\">\n\
             <title id=\"t{id}\">{caption}</title>\n<desc id=\"d{id}\">{description}</desc>\n{shapes}</svg>\n\
             <details><summary>Figures</summary>\n{figures}</details>\n</figure>\n"
        )
    }
}

/// Classes of areas: solid, hatched, empty.
pub(super) const AREAS: [&str; 3] = ["win", "draw", "loss"];

/// Writes the legend of areas, without those of which the picture has none.
pub(super) fn legend(meanings: [&str; 3], counts: [u64; 3]) -> String {
    let mut html = String::from("<p class=\"legend\">");
    for ((class, meaning), count) in AREAS.into_iter().zip(meanings).zip(counts) {
        if count == 0 {
            continue;
        }
        let meaning = escape(meaning);
        // Writing to a string can't fail.
        let _ = write!(
            html,
            "<span><svg class=\"swatch\" viewBox=\"0 0 16 12\" aria-hidden=\"true\"><rect class=\"{class}\" x=\"1\" \
             y=\"1\" width=\"14\" height=\"10\"/></svg> {meaning}</span> "
        );
    }
    html + "</p>\n"
}

/// Returns `value` of `whole` as a part of a length, rounded.
pub(super) fn part(value: u64, whole: u64, length: i64) -> i64 {
    let (value, whole) = (i128::from(value), i128::from(whole.max(1)));
    let scaled = (2 * value * i128::from(length) + whole) / (2 * whole);
    i64::try_from(scaled).unwrap_or(length)
}

/// Font size of the plots' texts.
const TEXT: i32 = 13;

/// Returns the width of a text, which no common font exceeds.
pub(super) fn text_width(text: &str) -> i64 {
    crate::render::letters::text_width(text, TEXT).into()
}

/// Cuts a text so that it fits into a width.
pub(super) fn fitted(text: &str, room: i64) -> String {
    let mut most = text.chars().count();
    let mut cut = text.to_owned();
    while most > 1 && text_width(&cut) > room {
        most -= 1;
        cut = shortened(text, most);
    }
    isolated(&cut)
}

/// Marks text of a script that runs from right to left, so that what stands beside it keeps its place.
pub(super) fn isolated(text: &str) -> String {
    let runs_left = |c: char| {
        matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}')
            || matches!(c, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
    };
    if text.contains(runs_left) { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() }
}

/// Writes a text. `anchor` is `start`, `middle` or `end`.
pub(super) fn text(shapes: &mut String, (x, y): (i64, i64), anchor: &str, text: &str) {
    let text = escape(text);
    let anchor = match anchor {
        "start" => String::new(),
        _ => format!(" text-anchor=\"{anchor}\""),
    };
    let _ = writeln!(shapes, "<text x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>");
}

pub(super) fn rectangle(shapes: &mut String, class: &str, (x, y): (i64, i64), (width, height): (i64, i64)) {
    if width > 0 && height > 0 {
        let _ = writeln!(shapes, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    }
}

pub(super) fn path(shapes: &mut String, class: &str, path: &str) {
    let _ = writeln!(shapes, "<path class=\"{class}\" d=\"{path}\"/>");
}

/// Joins points by lines.
pub(super) fn polyline(points: impl IntoIterator<Item = (i64, i64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.into_iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{x} {y}");
    }
    path
}

/// Returns the distance of round numbers of which at most [`MAX_TICKS`] lie between 0 and `most`.
pub(super) fn tick_distance(most: u64) -> u64 {
    let mut power: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            let distance = power.saturating_mul(factor);
            if distance.saturating_mul(MAX_TICKS) >= most {
                return distance;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Writes a number of an axis. A long one is a round number.
pub(super) fn tick_label(number: u64) -> String {
    let mut units = ["", "k", "M", "G", "T", "P", "E"].into_iter();
    let mut short = number;
    let mut unit = units.next();
    while short >= 100_000 && short.is_multiple_of(1000) {
        short /= 1000;
        unit = units.next();
    }
    format!("{short}{}", unit.unwrap_or_default())
}

/// Draws the axis of a number of games from 0 to `most`.
pub(super) fn games_axis(shapes: &mut String, most: u64) {
    let distance = tick_distance(most);
    for games in (0..=most / distance).map(|tick| tick * distance) {
        let x = LEFT + part(games, most, RIGHT - LEFT);
        path(shapes, "axis", &format!("M{x} {BOTTOM}v4"));
        // A number in the corner would leave the picture.
        let anchor = if RIGHT - x < 14 { "end" } else { "middle" };
        let x = if anchor == "end" { WIDTH - 1 } else { x };
        text(shapes, (x, BOTTOM + 17), anchor, &tick_label(games));
    }
    path(shapes, "axis", &format!("M{LEFT} {BOTTOM}H{RIGHT}"));
    text(shapes, ((LEFT + RIGHT) / 2, BOTTOM + 33), "middle", "games");
}

/// Height of plots with axes.
pub(super) const HEIGHT: i64 = BOTTOM + 38;
