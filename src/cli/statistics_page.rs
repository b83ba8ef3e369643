//! The page of `stats --html`: the figures of the report as plain data.

use crate::arena::statistics::{
    CrossTable, Details, Meeting, Results, Sample, Sprt, Statistics, Tally, ends_line, faults, games_line,
    meeting_lines, notes, reason_counts,
};
use crate::record::{self, Cause};
use crate::render::{
    CourseMark, CrossTableRow, Estimate, Pairing, Score, Seat, StatisticsPage, TestMark, VariantStatistics,
};
use crate::text::{counted, cut};

/// Number of points of all courses of a variant together, and of each one at least and at most.
const POINTS: usize = 240;
const MIN_POINTS: usize = 8;
const MAX_POINTS: usize = 120;

/// Most engines whose results against each other are in the cross-table.
const MAX_ENGINES: usize = 24;

/// Most different settings that are listed.
const MAX_SETTINGS: usize = 6;

/// Returns the page of these statistics.
pub(super) fn page(statistics: &Statistics, details: &[Details]) -> StatisticsPage {
    let sprt = statistics.sprt();
    let variants = statistics.variants().iter().zip(details);
    let variants = variants.map(|((name, tally), details)| variant(name, tally, details, sprt)).collect();
    StatisticsPage { variants }
}

fn variant(name: &str, tally: &Tally, details: &Details, sprt: Option<&Sprt>) -> VariantStatistics {
    let first = tally.first;
    let causes = tally.causes.iter().map(|(&cause, &count)| {
        let faults = faults(tally, cause);
        let label = match faults.is_empty() {
            true => cause.to_string(),
            false => format!("{cause} ({})", cut(&faults)),
        };
        (label, count)
    });
    let lengths = details.lengths.iter().map(|(&length, results)| {
        let counts = [results.wins, results.draws, results.losses];
        (length, counts)
    });
    VariantStatistics {
        variant: name.to_owned(),
        games: games_line(tally),
        ends: ends_line(tally),
        facts: facts(details),
        engines: (0..tally.names.len()).flat_map(|place| engines(tally, place)).collect(),
        cross_table: cross_table(tally),
        pairings: pairings(tally, details, sprt),
        seats: seats(tally),
        outcomes: [format!("{first} (moves first) wins"), "draw".to_owned(), format!("{} wins", !first)],
        lengths: lengths.collect(),
        causes: causes.collect(),
        reasons: match tally.causes.contains_key(&Cause::Normal) {
            true => reason_counts(tally),
            false => Vec::new(),
        },
        notes: notes(tally),
    }
}

/// Joins settings, of which a record of strangers may have any number.
fn listed<T: ToString>(settings: impl ExactSizeIterator<Item = T>) -> String {
    let more = settings.len().saturating_sub(MAX_SETTINGS);
    let shown = settings.take(MAX_SETTINGS);
    let mut shown: Vec<String> = shown.map(|setting| cut(&setting.to_string())).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// Returns the conditions of the games.
fn facts(details: &Details) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    if let Some((first, last)) = &details.dates {
        let played = match first == last {
            true => cut(first),
            false => format!("{} to {}", cut(first), cut(last)),
        };
        facts.push(("played".to_owned(), played));
    }
    if !details.conditions.is_empty() {
        let conditions = listed(details.conditions.iter());
        facts.push(("conditions".to_owned(), conditions));
    }
    let seeds = if details.seeds.len() == 1 { "seed" } else { "seeds" };
    facts.push((seeds.to_owned(), listed(details.seeds.iter())));
    facts
}

/// Returns the engines behind a name.
fn engines(tally: &Tally, place: usize) -> Vec<[String; 5]> {
    let name = tally.names.get(place).map_or(String::new(), |name| cut(name));
    let row = |seat: &record::Seat| {
        let [engine, options] = [&seat.engine, &seat.options].map(|text| cut(text));
        [name.clone(), engine, options, cut(&seat.version), cut(&seat.limit)]
    };
    let mut rows: Vec<[String; 5]> = tally.seats_of(place).take(MAX_SETTINGS).map(row).collect();
    let more = tally.seats_of(place).count().saturating_sub(MAX_SETTINGS);
    if rows.is_empty() {
        rows.push([name, String::new(), String::new(), String::new(), String::new()]);
    } else if more > 0 {
        let engine = format!("and {}", counted(more as u64, "other setting"));
        rows.push([name, engine, String::new(), String::new(), String::new()]);
    }
    rows
}

fn cross_table(tally: &Tally) -> Vec<CrossTableRow> {
    if tally.names.len() <= 2 {
        return Vec::new();
    }
    let table = CrossTable::new(tally);
    let has_cells = table.rows.len() <= MAX_ENGINES;
    let rows = table.rows.into_iter().map(|row| CrossTableRow {
        name: cut(&row.name),
        totals: [
            format!("{}/{}", row.all.points(), row.all.games()),
            format!("{:.1} %", 100.0 * row.all.share()),
            row.all.counts(),
        ],
        against: match has_cells {
            true => {
                let against = row.against.into_iter();
                against.map(|cell| cell.map(Results::counts)).collect()
            }
            false => Vec::new(),
        },
    });
    rows.collect()
}

fn pairings(tally: &Tally, details: &Details, sprt: Option<&Sprt>) -> Vec<Pairing> {
    let points = (POINTS / tally.meetings.len().max(1)).clamp(MIN_POINTS, MAX_POINTS);
    let pairing = |(&(a, b), meeting): (&(usize, usize), &Meeting)| {
        let name = |place: usize| tally.names.get(place).map_or(String::new(), |name| cut(name));
        let course = details.courses.get(&(a, b));
        let points_to = |games: u64| {
            let points = course.map(|course| course.points(points, games, sprt));
            points.into_iter().flatten()
        };
        let marks = points_to(u64::MAX)
            .map(|point| CourseMark { games: point.games, estimate: estimate(point.mean, point.interval) });
        // The course of a test stops where it ends.
        let end = meeting.decided.map(|end| TestMark {
            games: end.games,
            ratio: hundredths(end.ratio),
            accepted: end.decision.to_string(),
        });
        let tested = points_to(end.as_ref().map_or(u64::MAX, |end| end.games));
        let ratios = tested.filter_map(|point| Some((point.games, hundredths(point.ratio?))));
        let lines = meeting_lines(meeting, sprt).into_iter();
        Pairing {
            names: [name(a), name(b)],
            score: score(meeting.results(), &meeting.sample()),
            lines: lines.map(|(label, value)| (label.to_owned(), value)).collect(),
            course: marks.collect(),
            ratios: ratios.collect(),
            bounds: sprt.map(|sprt| {
                let (low, high) = sprt.bounds();
                (hundredths(low), hundredths(high))
            }),
            decided: end,
        }
    };
    tally.meetings.iter().map(pairing).collect()
}

/// Returns the score of the first mover, and that of each engine by seat.
fn seats(tally: &Tally) -> Vec<Seat> {
    let first = tally.first;
    let all = score(tally.first_mover, &tally.first_mover_sample());
    let mut seats = vec![Seat { name: String::new(), color: format!("{first} (moves first)"), score: all }];
    for (place, name) in tally.names.iter().enumerate() {
        let mut by_seat = [Results::default(); 2];
        for (&(a, b), meeting) in &tally.meetings {
            let own = match () {
                () if a == place => [meeting.moving_first, meeting.moving_second],
                () if b == place => [meeting.moving_second, meeting.moving_first].map(Results::reversed),
                () => continue,
            };
            for (all, own) in by_seat.iter_mut().zip(own) {
                *all = all.with(own);
            }
        }
        for (color, results) in [first, !first].into_iter().zip(by_seat) {
            seats.push(Seat { name: cut(name), color: color.to_string(), score: score(results, &results.sample()) });
        }
    }
    seats
}

fn score(results: Results, sample: &Sample) -> Score {
    let estimate = sample.mean().zip(sample.interval()).map(|(mean, interval)| estimate(mean, interval));
    Score { wins: results.wins, draws: results.draws, losses: results.losses, estimate }
}

fn estimate(mean: f64, (low, high): (f64, f64)) -> Estimate {
    // From 0 to 1 before, so that nothing is cut off.
    let [mean, low, high] = [mean, low, high].map(|share| (10_000.0 * share).round() as u32);
    Estimate { mean, low, high }
}

fn hundredths(number: f64) -> i64 {
    (100.0 * number).round() as i64
}
