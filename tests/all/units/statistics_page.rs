//! The page of statistics: well-formed, without a program, and with the text of strangers as text.

use pentalith::render::{
    CourseMark, CrossTableRow, Estimate, Pairing, Score, Seat, StatisticsPage, VariantStatistics,
};
use roxmltree::{Document, Node};

const STRANGE: &str = "<script>alert('1')</script>\"&\u{1}";

fn estimate(mean: u32, wide: u32) -> Estimate {
    Estimate {
        mean,
        low: mean.saturating_sub(wide),
        high: (mean + wide).min(10_000),
    }
}

fn score(wins: u64, draws: u64, losses: u64) -> Score {
    let games = wins + draws + losses;
    let mean = (2 * wins + draws) * 5_000 / games.max(1);
    Score {
        wins,
        draws,
        losses,
        estimate: (games > 0).then(|| estimate(mean as u32, 1_000)),
    }
}

fn course(games: u64, points: u64) -> Vec<CourseMark> {
    let mark = |place: u64| CourseMark {
        games: games * place / points,
        estimate: estimate(5_000 + 7 * place as u32, 4_000 / place as u32),
        ratio: Some(place as i64 * 5 - 30),
    };
    (1..=points).map(mark).collect()
}

fn pairing(names: [&str; 2], games: u64, points: u64) -> Pairing {
    Pairing {
        names: names.map(str::to_owned),
        score: score(games / 2, games / 4, games - games / 2 - games / 4),
        lines: vec![("Elo".to_owned(), "+1.0".to_owned())],
        course: course(games, points),
        bounds: Some((-294, 294)),
    }
}

fn variant(engines: &[&str], games: u64, points: u64) -> VariantStatistics {
    let mut pairings = Vec::new();
    for (place, first) in engines.iter().enumerate() {
        for second in &engines[place + 1..] {
            pairings.push(pairing([first, second], games, points));
        }
    }
    let text = |text: &str| text.to_owned();
    VariantStatistics {
        variant: text("invector:5x4"),
        games: text("10000 games, 25.0 moves each"),
        facts: vec![(text("conditions"), text(STRANGE))],
        engines: engines
            .iter()
            .map(|name| [name, STRANGE, "", "1", "nodes 5"].map(str::to_owned))
            .collect(),
        cross_table: engines
            .iter()
            .map(|name| CrossTableRow {
                name: text(name),
                totals: ["1.0/2", "50.0 %", "1-0-1"].map(str::to_owned),
                against: vec![Some(text("1-0-1")), None],
            })
            .collect(),
        pairings,
        seats: vec![
            Seat {
                name: String::new(),
                color: text("Black (moves first)"),
                score: score(3, 0, 1),
            },
            Seat {
                name: text(engines[0]),
                color: text("White"),
                score: score(0, 0, 0),
            },
        ],
        outcomes: ["Black wins", "draw", "White wins"].map(str::to_owned),
        lengths: (10..90).map(|length| (length, [length, 3, 1])).collect(),
        causes: vec![(text("normal"), 9), (text("time (a 1)"), 1)],
        reasons: vec![(text(STRANGE), 9)],
        notes: vec![text(STRANGE)],
    }
}

fn page(variants: Vec<VariantStatistics>) -> String {
    StatisticsPage { variants }.html()
}

/// The content of a page, as XML.
fn main_of(html: &str) -> &str {
    let from = html.find("<main>").unwrap();
    let to = html.find("</main>").unwrap();
    &html[from..to + "</main>".len()]
}

fn text_of(node: &Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    texts.filter_map(|node| node.text()).collect()
}

#[test]
fn a_page_is_well_formed_and_says_everything_in_words() {
    let html = page(vec![variant(&["a", STRANGE, "c"], 400, 60)]);
    let document = Document::parse(main_of(&html)).unwrap();
    let figures = document
        .descendants()
        .filter(|node| node.has_tag_name("figure"));
    let figures: Vec<Node<'_, '_>> = figures.collect();
    // Results, colors, lengths, reasons, causes; score and test of three pairings.
    assert_eq!(figures.len(), 5 + 2 * 3);
    let mut ids = std::collections::HashSet::new();
    for figure in figures {
        let all: Vec<Node<'_, '_>> = figure.descendants().collect();
        let picture = all
            .iter()
            .find(|node| node.attribute("role") == Some("img"))
            .unwrap();
        let labels = picture.attribute("aria-labelledby").unwrap();
        for label in labels.split(' ') {
            assert!(ids.insert(label.to_owned()), "{label}");
            let found = all.iter().find(|node| node.attribute("id") == Some(label));
            assert!(!text_of(found.unwrap()).is_empty());
        }
        let details = all
            .iter()
            .find(|node| node.has_tag_name("details"))
            .unwrap();
        let mut rows = details.descendants().filter(|node| node.has_tag_name("tr"));
        assert!(rows.nth(1).is_some());
        // Integers alone within the picture: the same bytes on every machine.
        let bounds: Vec<i64> = picture
            .attribute("viewBox")
            .unwrap()
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        for node in picture.descendants() {
            for attribute in node.attributes() {
                let (name, value) = (attribute.name(), attribute.value());
                if ["x", "y", "width", "height", "cx", "cy", "r"].contains(&name) {
                    let number: i64 = value.parse().unwrap();
                    assert!((0..=bounds[3].max(bounds[2])).contains(&number), "{node:?}");
                }
                if name == "d" {
                    let numbers = value.split(|c: char| c.is_ascii_alphabetic() || c == ' ');
                    for number in numbers.filter(|number| !number.is_empty()) {
                        number.parse::<i64>().unwrap();
                    }
                }
            }
        }
    }
    // Draws have a pattern, and not a color alone.
    assert!(html.contains(".draw { fill: url(#hatch)"));
    assert!(html.contains("<pattern id=\"hatch\""));
}

#[test]
fn the_text_of_strangers_stays_text() {
    let html = page(vec![variant(&[STRANGE, "b", STRANGE], 20, 5)]);
    assert!(!html.contains("<script"));
    assert!(!html.contains("alert('"));
    let document = Document::parse(main_of(&html)).unwrap();
    let text = text_of(&document.root());
    assert!(
        text.contains("<script>alert('1')</script>\"&\u{fffd}"),
        "{text}"
    );
    // Nothing is loaded, and nothing is a link.
    for bad in ["http", " src=", " href=", "@import", "onload"] {
        assert!(!main_of(&html).contains(bad), "{bad}");
    }
}

#[test]
fn a_page_of_many_games_or_engines_is_small() {
    let two = page(vec![variant(
        &["first-engine", "second-engine"],
        10_000,
        120,
    )]);
    assert!(two.len() < 60_000, "{}", two.len());
    let names: Vec<String> = (1..=12).map(|number| format!("engine-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let twelve = page(vec![variant(&names, 10_000, 8)]);
    assert!(twelve.len() < 200_000, "{}", twelve.len());
    assert!(twelve.contains("42 more pairings have no plot."));
    Document::parse(main_of(&twelve)).unwrap();
}

#[test]
fn extreme_figures_draw_without_error() {
    let nothing = VariantStatistics::default();
    let mut one = variant(&["a", "b"], 1, 1);
    one.lengths = vec![(7, [1, 0, 0])];
    let mut huge = variant(&["a", "b"], 1 << 50, 3);
    huge.lengths = vec![(0, [1 << 50, 0, 0]), (u64::from(u32::MAX), [0, 0, 1])];
    huge.reasons = vec![("much".to_owned(), 1 << 51), ("one".to_owned(), 1)];
    huge.pairings[0].course[1].ratio = Some(i64::from(i32::MIN));
    for html in [
        page(Vec::new()),
        page(vec![nothing]),
        page(vec![one.clone()]),
        page(vec![huge, one]),
    ] {
        Document::parse(main_of(&html)).unwrap();
        assert!(html.contains("<h1>Statistics of "));
    }
}

#[test]
fn a_page_has_the_same_bytes_everywhere() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    let mut small = variant(&["first", "second"], 40, 4);
    small.cross_table.clear();
    small.lengths = vec![(18, [4, 0, 9]), (20, [3, 1, 0]), (25, [13, 9, 1])];
    insta::assert_snapshot!("page-of-statistics", main_of(&page(vec![small])));
}
