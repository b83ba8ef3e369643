//! Pages of games: what their data says, read again by a second reader, and that the text of strangers stays text.

use miniz_oxide::inflate::decompress_to_vec;
use pentalith::games;
use pentalith::render::{GameLine, GamePage, PageGame, SearchNote};
use pentalith::rules::{Board, Color, Step};
use pentalith::session::Score;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

fn open(variant: &str) -> Box<dyn Board> {
    games::open(&games::parse_variant(variant).unwrap()).unwrap()
}

/// Adds a step, in a move of its own if it begins one.
fn add(line: &mut GameLine, board: &mut dyn Board, step: Step) {
    let begins = match board.ply() {
        0 => true,
        ply => board.side_at(ply - 1) != board.side(),
    };
    if begins {
        line.begin_move(board);
    }
    line.play(board, step);
}

fn game(number: u64, line: Option<GameLine>) -> PageGame {
    PageGame {
        number,
        names: ["first".to_owned(), "second".to_owned()],
        winner: Some(Color::Black),
        is_over: true,
        end: "stalemate".to_owned(),
        details: vec![("date".to_owned(), "2026.01.31".to_owned())],
        is_reviewed: false,
        error: None,
        line,
    }
}

/// The page of random games, with the positions and the texts of the steps of each.
fn random_page(variants: &[&str], random: &mut Xoshiro256PlusPlus) -> (String, Vec<Walk>) {
    let mut page = GamePage::default();
    let mut walks = Vec::new();
    for (variant, number) in variants.iter().zip(1..) {
        let mut board = open(variant);
        let mut line = page.begin_line(&*board);
        let mut walk = Walk { positions: vec![board.position()], ..Walk::default() };
        while !board.is_over() && walk.steps.len() < 600 {
            let count = board.count() as u64;
            let step = board.nth((random.next_u64() % count) as usize).unwrap();
            walk.steps.push(board.write_step(step));
            add(&mut line, &mut *board, step);
            walk.positions.push(board.position());
        }
        page.add_game(game(number, Some(line)));
        walks.push(walk);
    }
    (page.html(), walks)
}

#[derive(Default)]
struct Walk {
    positions: Vec<String>,
    steps: Vec<String>,
}

/// The data of a page.
fn data(html: &str) -> Value {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The unpacked positions and moves of a game.
fn line(game: &Value) -> Value {
    unpack(game["line"].as_str().unwrap())
}

fn unpack(text: &str) -> Value {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    let text = decompress_to_vec(&bytes).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn numbers(value: &Value) -> Vec<usize> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_u64().unwrap() as usize).collect()
}

/// Texts that are written as differences.
fn texts(column: &Value) -> Vec<String> {
    let mut before: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    for text in column.as_array().unwrap() {
        let words = text.as_str().unwrap().split(' ').enumerate();
        let words = words.map(|(index, word)| match word {
            "" => before[index].clone(),
            "^" => (before[index].parse::<u32>().unwrap() + 1).to_string(),
            _ => word.strip_prefix("^^").unwrap_or(word).to_owned(),
        });
        before = words.collect();
        texts.push(before.join(" "));
    }
    texts
}

/// The positions that the data of a page says.
fn positions(board: &Value, line: &Value) -> Vec<String> {
    let pieces: Vec<&str> =
        board["pieces"].as_array().unwrap().iter().map(|piece| piece[0].as_str().unwrap()).collect();
    let rows: Vec<Vec<usize>> = board["rows"].as_array().unwrap().iter().map(numbers).collect();
    let mut cells = numbers(&line["start"]);
    let mut write = |changes: &[usize], fields: &str| {
        for change in changes.chunks(2) {
            cells[change[0]] = change[1];
        }
        let text = |&cell: &usize| match cells[cell] {
            0 => ".",
            piece => pieces[piece - 1],
        };
        let rows: Vec<String> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
        format!("{} {fields}", rows.join("/"))
    };
    let fields = texts(&line["fields"]);
    let changes = line["changes"].as_array().unwrap().iter().map(numbers);
    let start = std::iter::once(Vec::new());
    let positions = start.chain(changes).zip(&fields);
    positions.map(|(changes, fields)| write(&changes, fields)).collect()
}

#[test]
fn the_data_of_a_page_gives_every_position_back() {
    let variants = [
        "invector:5x4",
        "markane:5x5",
        "gravel:4,x=3",
        "inversion:3,komi=0.5",
        "invictus",
        "markane:6x4,pie=on",
        "invector:5x4",
        "gravel:3,x=12",
    ];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let (html, walks) = random_page(&variants, &mut random);
    let data = data(&html);
    assert_eq!(data["boards"].as_array().unwrap().len(), variants.len() - 1);
    for (game, walk) in data["games"].as_array().unwrap().iter().zip(&walks) {
        let board = &data["boards"][game["board"].as_u64().unwrap() as usize];
        let line = line(game);
        assert_eq!(positions(board, &line), walk.positions);
        // The texts of the steps are in the part of the page that needs no script.
        let number = game["number"].as_u64().unwrap();
        let (_, section) = html.split_once(&format!("<section id=\"game={number}\">")).unwrap();
        let (_, moves) = section.split_once("<p class=\"moves\">").unwrap();
        let moves = moves.split_once("</p>").unwrap().0;
        let moves = moves.split(' ').filter(|word| !word.ends_with('.'));
        let steps: Vec<&str> = moves.flat_map(|move_| move_.split(',')).collect();
        assert_eq!(steps, walk.steps);
        assert_eq!(numbers(&line["lengths"]).iter().sum::<usize>(), steps.len());
        // Every mark of a step is among those of the board.
        let marks = unpack(board["marks"].as_str().unwrap()).as_array().unwrap().len();
        for column in ["frames", "signs"] {
            let column = line[column].as_array().unwrap();
            assert_eq!(column.len(), walk.positions.len());
            assert!(column.iter().flat_map(numbers).all(|number| number < marks));
        }
        let last = walk.positions.last().unwrap();
        assert!(section.contains(&format!("<code>{last}</code>")), "{last}");
        let (length, most) = (game["line"].as_str().unwrap().len(), 20 * walk.steps.len() + 600);
        assert!(length < most, "{length} bytes for {} steps", walk.steps.len());
    }
    // The same input, the same bytes.
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    assert_eq!(random_page(&variants, &mut random).0, html);
}

/// Two small games: one to its end, one cut short.
fn small_page() -> GamePage {
    let mut page = GamePage::default();
    for (number, moves) in [(1, "a1 b2 a3 c1"), (2, "b2 a1")] {
        let mut board = open("markane:3x3");
        let mut line = page.begin_line(&*board);
        for (index, text) in moves.split(' ').enumerate() {
            let step = board.read_step(text).unwrap();
            add(&mut line, &mut *board, step);
            if index > 0 {
                line.note_move(SearchNote {
                    time_ms: 250,
                    clock_ms: (number == 1).then_some(9750),
                    depth: Some(7),
                    nodes: Some(1234),
                    score: Some(match index {
                        1 => Score::Cp(-35),
                        _ => Score::Mate(2),
                    }),
                });
            }
        }
        let mut game = game(number, Some(line));
        if number == 2 {
            game.error = Some("move 3, \"a1\": the cell is taken".to_owned());
            game.winner = None;
            game.end = "length: 2 moves".to_owned();
        }
        page.add_game(game);
    }
    page
}

#[test]
fn a_page_of_two_games_is_as_it_was() {
    let html = small_page().html();
    // Style and script are in files of their own.
    let mut shown = html.clone();
    for (begin, end) in [("<style>\n:root", "</style>"), ("<script type=\"module\">", "</script>")] {
        let start = shown.find(begin).unwrap();
        let length = shown[start..].find(end).unwrap();
        shown.replace_range(start..start + length, "…");
    }
    let app = include_str!("../../../src/render/game_page/app.html");
    assert!(shown.contains(app));
    shown = shown.replace(app, "(app.html)\n");
    let data = data(&html);
    for (list, packed) in [("games", "line"), ("boards", "marks")] {
        for part in data[list].as_array().unwrap() {
            let text = part[packed].as_str().unwrap();
            shown = shown.replace(text, &unpack(text).to_string());
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("page-of-two-games", shown));
}

#[test]
fn text_of_strangers_stays_text() {
    let nasty = "</script><script>alert(1)</script>\"'&\u{202e}\u{1}\n<!--";
    let mut page = small_page();
    let line = page.begin_line(&*open("markane:3x3"));
    page.add_game(PageGame {
        number: 3,
        names: [nasty.to_owned(), format!("{nasty} שלום")],
        winner: None,
        is_over: true,
        end: nasty.to_owned(),
        details: vec![(nasty.to_owned(), nasty.to_owned())],
        is_reviewed: false,
        error: Some(nasty.to_owned()),
        line: Some(line),
    });
    let html = page.html();
    let plain = small_page().html();
    let count = |html: &str, what: &str| html.matches(what).count();
    for what in ["<script", "</script", "<!--"] {
        assert_eq!(count(&html, what), count(&plain, what), "{what}");
    }
    let bad = ['\u{202e}', '\u{1}'];
    assert!(!html.contains(bad));
    assert!(html.contains("\\u{202e}"));
    let data = data(&html);
    let game = &data["games"][2];
    let name = game["names"][1].as_str().unwrap();
    assert!(name.starts_with("</script><script>alert(1)</script>\"'&"), "{name}");
    assert!(name.ends_with(" שלום"));
    // Alone on a page its names are in the title.
    let mut page = GamePage::default();
    page.add_game(PageGame { names: [nasty.to_owned(), nasty.to_owned()], ..self::game(1, None) });
    let html = page.html();
    assert!(html.contains("<title>&lt;/script&gt;&lt;script&gt;"), "{html}");
    assert!(!html.contains(bad) && !html.contains("alert(1)</script"));
}

#[test]
fn a_result_that_the_rules_do_not_confirm_is_said_to_be_so() {
    let html = small_page().html();
    let data = data(&html);
    let over = |game: usize| data["games"][game]["over"].as_str().unwrap().to_owned();
    assert_eq!(over(0), "Black wins: stalemate");
    assert_eq!(over(1), "Recorded result, not confirmed: Draw: length: 2 moves");
    assert!(html.contains("<td>Black</td>") && html.contains("<td>draw (not confirmed)</td>"));
}

#[test]
fn numbers_in_links_are_different() {
    let mut page = GamePage::default();
    for number in [7, 9, 7] {
        page.add_game(game(number, None));
    }
    let html = page.html();
    for number in 1..=3 {
        assert!(html.contains(&format!("href=\"#game={number}\"")));
        assert!(html.contains(&format!("<section id=\"game={number}\">")));
    }
    assert!(!html.contains("game=7"));
}
