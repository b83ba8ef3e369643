//! The page of statistics: well-formed HTML, one script, and engine names that are never read as markup.

use std::collections::BTreeMap;

use pentalith::intervals::Results;
use pentalith::record::{Cause, GameRecord, GameResult, MoveRecord, Seat};
use pentalith::render::{StatisticsPage, VariantStatistics};
use pentalith::statistics::{Decision, Details, History, Pairs, Sprt, Statistics, Tally, TestEnd};
use roxmltree::{Document, Node};

use super::render::assert_texts_fit;

const STRANGE: &str = "<script>alert('1')</script>\"&\u{1}";

/// The statistics of a variant.
#[derive(Clone)]
struct Games {
    tally: Tally,
    details: Details,
    sprt: Sprt,
}

fn results(wins: u64, draws: u64, losses: u64) -> Results {
    Results { wins, draws, losses }
}

/// A quarter of the games drawn, and half of them won.
fn even(games: u64) -> Results {
    results(games / 2, games / 4, games - games / 2 - games / 4)
}

fn course(games: u64, points: u64) -> History {
    let mut course = History::default();
    for place in 1..=points {
        let games = games * place / points;
        let pairs: Pairs = [games / 16, games / 8, games / 8, games / 8, games / 16];
        course.add(even(games), pairs);
    }
    course
}

/// One game of two engines.
fn record(number: u64, names: [&str; 2]) -> GameRecord {
    let [black, white] = names.map(|name| Seat {
        name: name.to_owned(),
        engine: name.to_owned(),
        options: STRANGE.to_owned(),
        version: "1".to_owned(),
        limit: "nodes 5".to_owned(),
    });
    GameRecord {
        tags: Vec::new(),
        game: number,
        pair: number,
        variant: "invector:5x4".to_owned(),
        date: "2026.11.27".to_owned(),
        seed: 1,
        conditions: Some(STRANGE.to_owned()),
        start: None,
        black,
        white,
        result: GameResult::Black,
        cause: Cause::Normal,
        reason: "annihilation".to_owned(),
        fault: None,
        comment: None,
        moves: vec![MoveRecord::new(format!("{number}"), None)],
    }
}

/// Engines that have each played `games` against each other one, with histories of `points`.
fn variant(engines: &[&str], games: u64, points: u64) -> Games {
    let mut records = Vec::new();
    for (place, first) in engines.iter().enumerate() {
        for second in &engines[place + 1..] {
            // In odd games the first mover comes first.
            records.push(record(2 * records.len() as u64 + 1, [first, second]));
        }
    }
    let sprt = Sprt::parse("0,10").unwrap();
    let (statistics, details) = Statistics::detailed(vec![records], Some(sprt)).unwrap();
    let (mut tally, mut details) = (statistics.variants()[0].1.clone(), details[0].clone());
    for (key, head_to_head) in &mut tally.head_to_heads {
        head_to_head.moving_first = even(games);
        details.histories.insert(*key, course(games, points));
    }
    tally.first_mover = results(6, 0, 4);
    tally.causes = BTreeMap::from([(Cause::Normal, 9), (Cause::Time, 1)]);
    tally.faults = BTreeMap::from([((Cause::Time, "a".to_owned()), 1)]);
    tally.reasons = BTreeMap::from([(STRANGE.to_owned(), 9)]);
    details.lengths = (10..90).map(|length| (length, results(length, 3, 1))).collect();
    Games { tally, details, sprt }
}

fn page(games: &[Games]) -> String {
    let variants = games.iter().map(|Games { tally, details, sprt }| VariantStatistics {
        variant: "invector:5x4",
        tally,
        details,
        sprt: Some(sprt),
    });
    StatisticsPage { variants: variants.collect(), ratings: None }.html()
}

/// The content of a page, as XML.
fn main_of(html: &str) -> &str {
    let from = html.find("<main>").unwrap();
    let to = html.find("</main>").unwrap();
    &html[from..to + "</main>".len()]
}

/// Checks the texts of all pictures of a page, in the font size of its style sheet.
fn assert_all_texts_fit(page: &Document<'_>) {
    let pictures = page.descendants().filter(|node| node.attribute("role") == Some("img"));
    pictures.for_each(|picture| assert_texts_fit(picture, "13", "a plot"));
}

fn text_of(node: &Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    texts.filter_map(|node| node.text()).collect()
}

#[test]
fn a_page_is_well_formed_and_says_everything_in_words() {
    let html = page(&[variant(&["a", STRANGE, "c"], 400, 60)]);
    let document = Document::parse(main_of(&html)).unwrap();
    let figures = document.descendants().filter(|node| node.has_tag_name("figure"));
    let figures: Vec<Node<'_, '_>> = figures.collect();
    // Results, colors, lengths, reasons, causes; score and test of three pairings.
    assert_eq!(figures.len(), 5 + 2 * 3);
    let mut ids = std::collections::HashSet::new();
    for figure in figures {
        let all: Vec<Node<'_, '_>> = figure.descendants().collect();
        let picture = all.iter().find(|node| node.attribute("role") == Some("img")).unwrap();
        let labels = picture.attribute("aria-labelledby").unwrap();
        for label in labels.split(' ') {
            assert!(ids.insert(label.to_owned()), "{label}");
            let found = all.iter().find(|node| node.attribute("id") == Some(label));
            assert!(!text_of(found.unwrap()).is_empty());
        }
        let details = all.iter().find(|node| node.has_tag_name("details")).unwrap();
        let mut rows = details.descendants().filter(|node| node.has_tag_name("tr"));
        assert!(rows.nth(1).is_some());
        // Integers alone within the picture: the same bytes on every machine.
        let bounds: Vec<i64> =
            picture.attribute("viewBox").unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
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
    let html = page(&[variant(&[STRANGE, "b", "c"], 20, 5)]);
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!main_of(&html).contains("<script") && !html.contains("alert('"));
    let document = Document::parse(main_of(&html)).unwrap();
    let text = text_of(&document.root());
    assert!(text.contains("<script>alert('1')</script>\"&\\u{1}"), "{text}");
    // Nothing is loaded, and all links stay on the page.
    for bad in ["http", " src=", "@import", "onload"] {
        assert!(!main_of(&html).contains(bad), "{bad}");
    }
    assert_eq!(html.matches(" href=").count(), html.matches(" href=\"#part-").count());
}

#[test]
fn a_page_of_many_games_or_engines_is_small() {
    let two = page(&[variant(&["first-engine", "second-engine"], 10_000, 120)]);
    assert!(two.len() < 60_000, "{}", two.len());
    let names: Vec<String> = (1..=12).map(|number| format!("engine-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let twelve = page(&[variant(&names, 10_000, 8)]);
    assert!(twelve.len() < 260_000, "{}", twelve.len());
    assert!(twelve.contains("42 more pairings have no plot."));
    Document::parse(main_of(&twelve)).unwrap();
}

#[test]
fn extreme_figures_draw_without_error() {
    let mut nothing = variant(&["a", "b"], 0, 0);
    nothing.tally.head_to_heads.clear();
    nothing.tally.causes.clear();
    nothing.details = Details::default();
    let lengths = |lengths: &[(u64, Results)]| lengths.iter().copied().collect();
    let mut many = variant(&["a", "b"], 600_000, 3);
    many.details.lengths = lengths(&[(20, results(200_000, 0, 0)), (4_999, results(0, 300_000, 100_000))]);
    let mut one = variant(&["a", "b"], 1, 1);
    one.details.lengths = lengths(&[(7, results(1, 0, 0))]);
    let mut huge = variant(&["a", "b"], 1 << 50, 3);
    huge.details.lengths = lengths(&[(0, results(1 << 50, 0, 0)), (u64::from(u32::MAX), results(0, 0, 1))]);
    huge.tally.reasons = BTreeMap::from([("much".to_owned(), 1 << 51), ("one".to_owned(), 1)]);
    for html in [page(&[]), page(&[nothing]), page(&[one.clone()]), page(&[huge, one])] {
        Document::parse(main_of(&html)).unwrap();
        assert!(html.contains("<h1>Statistics of "));
    }
    assert_all_texts_fit(&Document::parse(main_of(&page(&[many]))).unwrap());
}

/// The part of a page from the caption of a figure to its end.
fn figure<'a>(html: &'a str, caption: &str) -> &'a str {
    let head = format!("<figcaption>{caption}</figcaption>");
    let (_, figure) = html.split_once(&head).unwrap();
    figure.split_once("</figure>").unwrap().0
}

#[test]
fn bars_of_counts_have_the_scale_of_all_games() {
    let html = page(&[variant(&["a", "b"], 40, 4)]);
    let causes = figure(&html, "Causes of the end");
    assert!(causes.contains("full width: 10 games, 100\u{a0}%"));
    let document = Document::parse(main_of(&html)).unwrap();
    let bars = |label: &str, class: &str| -> Vec<i64> {
        let titles = document.descendants();
        let title =
            titles.filter(|node| node.has_tag_name("title")).find(|node| text_of(node).starts_with(label)).unwrap();
        let row = title.parent().unwrap();
        let bars = row.children().filter(|node| node.attribute("class") == Some(class));
        bars.map(|bar| bar.attribute("width").unwrap().parse().unwrap()).collect()
    };
    let (rail, normal) = (bars("normal: 9", "rail"), bars("normal: 9", "win"));
    assert_eq!((normal[0] * 10 + 5) / rail[0], 9);
    assert_eq!((bars("time (a 1): 1", "win")[0] * 10 + 5) / rail[0], 1);
}

#[test]
fn a_test_ends_at_its_first_crossing() {
    let decided = |games: u64| {
        let mut variant = variant(&["a", "b"], 400, 10);
        for head_to_head in variant.tally.head_to_heads.values_mut() {
            head_to_head.decided = Some(TestEnd { decision: Decision::H1, ratio: 3.01, games });
        }
        page(&[variant])
    };
    // Between two marks, with games behind it.
    let html = decided(130);
    let test = figure(&html, "SPRT of a against b");
    let told =
        "The test ended after 130 of 400 games: H1 is accepted. Later games do not count in it, and are not shown.";
    assert!(test.contains(&format!(" accepted. {told}</p>")), "{test}");
    let rows: Vec<&str> = test.lines().filter(|line| line.contains("<td>")).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows[3].contains(">130<") && rows[3].contains("<td>3.01</td>"));
    // The mark stands where the line ends.
    let (_, circle) = test.split_once("<circle class=\"mean\" cx=\"").unwrap();
    let (x, circle) = circle.split_once("\" cy=\"").unwrap();
    let (y, _) = circle.split_once('"').unwrap();
    assert!(test.contains(&format!("L{x} {y}\"/>")), "{test}");
    assert!(test.contains(">H1 accepted</text>"));
    // The score goes on.
    assert!(figure(&html, "Score of a against b").contains(">400</th>"));

    // The last game ends it: nothing follows.
    let html = decided(400);
    let test = figure(&html, "SPRT of a against b");
    assert!(test.contains("The test ended after 400 games: H1 is accepted.</p>"));
    let html = page(&[variant(&["a", "b"], 400, 10)]);
    let test = figure(&html, "SPRT of a against b");
    assert!(test.contains("The test is undecided.</p>") && !test.contains("<circle"));
}

#[test]
fn legends_name_what_a_picture_has() {
    let mut plain = variant(&["a", "b"], 40, 4);
    plain.tally.head_to_heads.values_mut().for_each(|head_to_head| head_to_head.moving_first = results(3, 0, 1));
    plain.details.lengths = BTreeMap::from([(18, results(4, 0, 9))]);
    let html = page(&[plain.clone()]);
    assert!(!html.contains("</svg> draw</span>"));
    assert!(!html.contains("<rect class=\"draw\""));
    assert_eq!(html.matches("</svg> first engine wins</span>").count(), 1);
    plain.details.lengths.insert(19, results(0, 1, 0));
    let html = page(&[plain]);
    assert_eq!(html.matches("</svg> draw</span>").count(), 1);
}

#[test]
fn the_head_says_how_games_ended() {
    let mut cut = variant(&["a", "b"], 40, 4);
    cut.tally.causes = BTreeMap::from([(Cause::Normal, 10)]);
    // The number of games, who is stronger, and what moving first is worth.
    assert_eq!(page(&[cut.clone()]).matches("class=\"lead\"").count(), 3);
    cut.tally.causes = BTreeMap::from([(Cause::Length, 10)]);
    let html = page(&[cut]);
    let (head, _) = html.split_once("<dl>").unwrap();
    assert!(head.contains("<p class=\"lead\"><strong>All 10 games reached the limit of moves (--max-moves), and"));
}

/// A page of all games stays short: what each has is folded up, below its answers.
#[test]
fn pages_list_their_parts_and_fold_those_of_several_variants() {
    let one = page(&[variant(&["a", "b"], 40, 4)]);
    let links = |html: &str| -> Vec<String> {
        let document = Document::parse(main_of(html)).unwrap();
        let links = document.descendants().filter(|node| node.has_tag_name("a"));
        let links = links.map(|link| {
            let target = link.attribute("href").unwrap().trim_start_matches('#');
            let target = document.descendants().find(|node| node.attribute("id") == Some(target)).unwrap();
            assert_eq!(text_of(&target), text_of(&link));
            text_of(&link)
        });
        links.collect()
    };
    assert_eq!(links(&one), ["Engines", "Pairings", "Plots", "Over the games"]);
    assert!(!one.contains("Tables and plots of"));
    let several = page(&[variant(&["a", "b"], 40, 4), variant(&["a", "b"], 30, 4), variant(&["a", "b"], 20, 4)]);
    assert_eq!(links(&several), ["invector:5x4"; 3]);
    assert_eq!(several.matches("<summary>Tables and plots of invector:5x4</summary>").count(), 3);
    assert_eq!(several.matches("a scores ").count(), 3);
    assert!(several.find("a scores ") < several.find("<summary>"));
}

#[test]
fn names_of_any_length_and_direction_fit() {
    let long = "x".repeat(100);
    let hebrew = "\u{5e9}\u{5dc}\u{5d5}\u{5dd}";
    let wide = "\u{68cb}".repeat(50);
    let names = [long.as_str(), hebrew, &wide];
    let mut variant = variant(&names, 40, 4);
    variant.tally.faults = BTreeMap::from([((Cause::Time, long.clone()), 1)]);
    let html = page(&[variant]);
    let document = Document::parse(main_of(&html)).unwrap();
    assert_all_texts_fit(&document);
    // What runs from right to left keeps to its own place.
    let isolated = format!("\u{2068}{hebrew}\u{2069}");
    assert!(html.contains(&format!(">{isolated} –</text>")));
    assert!(html.contains(&format!(">{isolated} as Black</text>")));
    assert!(html.contains(&format!("<h3>{}… against {isolated}</h3>", &long[..80])));
    // Rows keep their distance: each bar ends well before the words of the next row.
    let results = figure(&html, "Results, score and 95 % interval");
    let tops: Vec<i64> = results
        .split("<rect class=\"ground\" x=\"0\" y=\"")
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0.parse().unwrap())
        .collect();
    let whiskers: Vec<i64> = results
        .split("class=\"whisker\"")
        .skip(1)
        .map(|rest| {
            let path = rest.split_once("/>").unwrap().0;
            let end = path.rsplit('V').next().unwrap();
            end.trim_end_matches('"').parse().unwrap()
        })
        .collect();
    assert_eq!((tops.len(), whiskers.len()), (3, 3));
    for (end, top) in whiskers.iter().zip(&tops[1..]) {
        assert!(top - end >= 14, "{end} {top}");
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
    small.details.lengths = BTreeMap::from([(18, results(4, 0, 9)), (20, results(3, 1, 0)), (25, results(13, 9, 1))]);
    insta::assert_snapshot!("page-of-statistics", main_of(&page(&[small])));
}
