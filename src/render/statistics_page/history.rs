//! Pictures of a pairing over its games: the score, and the log-likelihood ratio of a test.

use std::fmt::Write;

use super::figure::{
    BOTTOM, Figure, HEIGHT, LEFT, RIGHT, TOP, WHOLE, games_axis, isolated, part, path, polyline, text,
};
use super::tables::table;
use super::{Ids, Pairing, hundredths, in_hundredths, percent, ten_thousandths};
use crate::render::svg::escape;
use crate::statistics::TestEnd;

/// Draws the score of a pairing's first engine over the games, with its 95 % interval as a band.
pub(super) fn history(pairing: &Pairing<'_>, ids: &mut Ids) -> String {
    /// A score with its interval after some games, in ten-thousandths.
    struct Mark {
        games: u64,
        mean: u32,
        low: u32,
        high: u32,
    }
    let history = pairing.history.iter().map(|point| {
        let (low, high) = point.interval;
        let [mean, low, high] = [point.mean, low, high].map(ten_thousandths);
        Mark { games: point.games, mean, low, high }
    });
    let history: Vec<Mark> = history.collect();
    let most = history.last().map_or(0, |mark| mark.games);
    if most < 2 {
        return String::new();
    }
    // The view is symmetric about 50 %, and as close as the later part of the games allows.
    let late = history.iter().filter(|mark| mark.games >= most / 4);
    let distance = |share: u32| share.abs_diff(WHOLE / 2);
    let widest = late.map(|mark| distance(mark.low).max(distance(mark.high)));
    let widest = widest.max().unwrap_or(WHOLE / 2);
    let reach = [500, 1000, 2500, 5000];
    let reach = reach.into_iter().find(|reach| widest <= *reach).unwrap_or(5000);
    let (bottom_share, height) = (i64::from(WHOLE / 2 - reach), BOTTOM - TOP);
    let y = |share: u32| {
        let above = u64::try_from(i64::from(share) - bottom_share).unwrap_or(0);
        (BOTTOM - part(above, (2 * reach).into(), height)).max(TOP)
    };
    let x = |games: u64| LEFT + part(games, most, RIGHT - LEFT);

    let mut shapes = String::new();
    for quarter in 0..=4 {
        let share = WHOLE / 2 - reach + quarter * reach / 2;
        let class = if quarter == 2 { "half" } else { "grid" };
        path(&mut shapes, class, &format!("M{LEFT} {}H{RIGHT}", y(share)));
        let label = match share % 100 {
            0 => format!("{} %", share / 100),
            _ => percent(share),
        };
        text(&mut shapes, (LEFT - 5, y(share) + 4), "end", &label);
    }
    let upper = history.iter().map(|mark| (x(mark.games), y(mark.high)));
    let lower = history.iter().map(|mark| (x(mark.games), y(mark.low)));
    let (upper, lower): (Vec<_>, Vec<_>) = (upper.collect(), lower.collect());
    let around = upper.iter().chain(lower.iter().rev()).copied();
    path(&mut shapes, "band", &(polyline(around) + "Z"));
    path(&mut shapes, "edge", &polyline(upper));
    path(&mut shapes, "edge", &polyline(lower));
    let means = history.iter().map(|mark| (x(mark.games), y(mark.mean)));
    path(&mut shapes, "line", &polyline(means));
    games_axis(&mut shapes, most);

    let rows = history.iter().map(|mark| {
        let shares = [mark.mean, mark.low, mark.high].map(percent);
        [mark.games.to_string()].into_iter().chain(shares).collect()
    });
    let [first, second] = pairing.names.each_ref().map(|name| isolated(name));
    let last = history.last().map_or(0, |mark| mark.mean);
    Figure {
        caption: &format!("Score of {first} against {second}"),
        description: &format!(
            "A line for the score after a number of games, in a band for its 95 % interval. After {most} games the \
             score is {}.",
            percent(last)
        ),
        legend: "<p class=\"legend\">line: score; band: 95 % interval, cut at the edges of the picture</p>\n",
        height: HEIGHT,
        shapes: &shapes,
        figures: &table(&["games", "score", "from", "to"], &rows.collect::<Vec<_>>()),
    }
    .html(ids)
}

/// Draws the log-likelihood ratio of a test over the games, between its bounds and up to its end.
pub(super) fn ratio(pairing: &Pairing<'_>, ids: &mut Ids) -> String {
    let played = pairing.history.last().map_or(0, |mark| mark.games);
    let end = pairing.head_to_head.decided;
    let most = end.map_or(played, |end| end.games);
    let ratios = pairing.tested.iter().filter_map(|point| Some((point.games, in_hundredths(point.ratio?))));
    let ratios: Vec<(u64, i64)> = ratios.collect();
    let mut marks: Vec<(u64, i64)> = ratios.iter().copied().filter(|(games, _)| *games < most).collect();
    // The end of the test may lie between two marks.
    let last = match end {
        Some(end) => Some((end.games, in_hundredths(end.ratio))),
        None => ratios.last().copied(),
    };
    marks.extend(last);
    let Some(sprt) = pairing.sprt.filter(|_| most >= 2 && !marks.is_empty()) else {
        return String::new();
    };
    let (low, high) = sprt.bounds();
    let (low, high) = (in_hundredths(low), in_hundredths(high));
    let ratios = marks.iter().map(|(_, ratio)| *ratio);
    let least = ratios.clone().min().unwrap_or(0).min(low);
    let greatest = ratios.max().unwrap_or(0).max(high);
    // Room above and below.
    let room = (greatest - least) / 6 + 1;
    let (least, greatest) = (least - room, greatest + room);
    let span = u64::try_from(greatest - least).unwrap_or(1);
    let y = |ratio: i64| {
        let above = u64::try_from(ratio - least).unwrap_or(0);
        BOTTOM - part(above, span, BOTTOM - TOP)
    };
    let x = |games: u64| LEFT + part(games, most, RIGHT - LEFT);
    let mut shapes = String::new();
    for (class, bound, name) in [("bound", high, "H1"), ("grid", 0, ""), ("bound", low, "H0")] {
        let at = y(bound);
        path(&mut shapes, class, &format!("M{LEFT} {at}H{RIGHT}"));
        text(&mut shapes, (LEFT - 5, at + 4), "end", &hundredths(bound));
        if !name.is_empty() {
            let beside = if bound > 0 { at - 4 } else { at + 13 };
            text(&mut shapes, (LEFT + 4, beside), "start", name);
        }
    }
    let line = marks.iter().map(|&(games, ratio)| (x(games), y(ratio)));
    path(&mut shapes, "line", &polyline(line));
    if let Some(end) = end {
        let (x, y) = (x(end.games), y(in_hundredths(end.ratio)));
        // Writing to a string can't fail.
        let _ = writeln!(shapes, "<circle class=\"mean\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>");
        let beside = if end.ratio > 0.0 { y - 8 } else { y + 17 };
        let accepted = format!("{} accepted", end.decision);
        text(&mut shapes, (RIGHT, beside), "end", &accepted);
    }
    games_axis(&mut shapes, most);
    let rows = marks.iter().map(|&(games, ratio)| vec![games.to_string(), hundredths(ratio)]);
    let told = match end {
        None => "The test is undecided.".to_owned(),
        Some(TestEnd { decision, .. }) if most < played => format!(
            "The test ended after {most} of {played} games: {decision} is accepted. Later games do not count in it, \
             and are not shown."
        ),
        Some(TestEnd { decision, .. }) => {
            format!("The test ended after {most} games: {decision} is accepted.")
        }
    };
    let [first, second] = pairing.names.each_ref().map(|name| isolated(name));
    Figure {
        caption: &format!("SPRT of {first} against {second}"),
        description: &format!(
            "A line for the log-likelihood ratio after a number of games. H0 is accepted at {}, H1 at {}. {told}",
            hundredths(low),
            hundredths(high)
        ),
        legend: &format!(
            "<p class=\"legend\">log-likelihood ratio, and the bounds at which H0 and H1 are accepted. {}</p>\n",
            escape(&told)
        ),
        height: HEIGHT,
        shapes: &shapes,
        figures: &table(&["games", "log-likelihood ratio"], &rows.collect::<Vec<_>>()),
    }
    .html(ids)
}
