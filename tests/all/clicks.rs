//! Whole games by clicks, as GoGui plays them.

use std::io;
use std::sync::Arc;

use pentalith::games;
use pentalith::protocol::gogui::Gogui;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::{Dialect, Line};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) fn session(variant: &str) -> Session {
    let variant = games::parse_variant(variant).unwrap();
    Session::new(&variant, Arc::new(SystemClock::default())).unwrap()
}

/// Asks without a search.
struct Client(Box<dyn Dialect>);

impl Client {
    fn new(variant: &str) -> Self {
        Self(Box::new(Gogui::new(session(variant), io::sink())))
    }

    /// The answer's text, or the error's.
    fn try_ask(&mut self, line: &str) -> Result<String, String> {
        let mut output = Vec::new();
        self.0.line(&Line::Whole(line.to_owned()), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let answer = output.strip_suffix("\n\n").unwrap();
        assert!(!answer.contains("\n\n"), "{line}: one frame");
        match answer.split_at(1) {
            ("=", text) => Ok(text.trim_start().to_owned()),
            ("?", text) => Err(text.trim_start().to_owned()),
            _ => panic!("{line}: {answer}"),
        }
    }

    fn ask(&mut self, line: &str) -> String {
        self.try_ask(line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn points(&mut self) -> Vec<String> {
        let points = self.ask("gogui-rules_legal_moves");
        points.split_whitespace().map(str::to_owned).collect()
    }
}

/// Plays one game of random clicks, then the same again at once, then back to the start.
fn play(variant: &str, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut client = Client::new(variant);
    let mut plays: Vec<String> = Vec::new();
    // Before each click: the position, and where one could click.
    let mut before: Vec<(String, Vec<String>)> = Vec::new();
    loop {
        let points = client.points();
        let position = client.ask("position");
        if points.is_empty() || plays.len() == 600 {
            break;
        }
        let legal = client.ask("legal");
        assert!(!legal.is_empty());
        let (side, other) = match client.ask("gogui-rules_side_to_move").as_str() {
            "black" => ("b", "w"),
            _ => ("w", "b"),
        };
        let n = random.next_u32() as usize % points.len();
        let point = &points[n];
        // What is not offered, and what the other player clicks, changes nothing.
        assert!(client.try_ask(&format!("play {other} {point}")).is_err());
        let size = client.ask("gogui-rules_board_size");
        let size: u8 = size.split(' ').next().unwrap().parse().unwrap();
        let x = pentalith::board::column_letter(random.next_u32() as u8 % size).to_ascii_uppercase();
        let anywhere = format!("{x}{}", 1 + random.next_u32() as u8 % size);
        if !points.contains(&anywhere) {
            assert!(client.try_ask(&format!("play {side} {anywhere}")).is_err());
        }
        assert_eq!(client.ask("position"), position);
        assert_eq!(client.points(), points);
        let click = format!("play {side} {point}");
        client.ask(&click);
        plays.push(click);
        before.push((position, points));
    }
    let (end, moves) = (client.ask("position"), client.ask("moves"));
    // The moves that they make lead to the same position in plain GTP.
    let mut plain = Client(Box::new(Gtp::new(session(variant))));
    let mut side = games::parse_variant(variant).unwrap().info().first;
    for text in moves.split_whitespace() {
        plain.ask(&format!("play {} {text}", side.letter()));
        side = !side;
    }
    assert_eq!(plain.ask("position"), end);

    let mut again = Client::new(variant);
    again.ask("clear_board");
    let sequence: Vec<&str> = plays.iter().map(|play| &play["play ".len()..]).collect();
    let bad = format!("gogui-play_sequence {} b Z9", sequence.join(" "));
    assert!(again.try_ask(&bad).is_err());
    assert_eq!(again.ask("moves"), "");
    if !sequence.is_empty() {
        again.ask(&format!("gogui-play_sequence {}", sequence.join(" ")));
    }
    assert_eq!((again.ask("position"), again.ask("moves")), (end, moves));
    for (position, points) in before.iter().rev() {
        again.ask("undo");
        assert_eq!(&again.ask("position"), position);
        assert_eq!(&again.points(), points);
    }
    assert!(again.try_ask("undo").is_err());
}

/// Small boards of all games, with the options that change the clicks.
pub(crate) const VARIANTS: [&str; 10] = [
    "invector:5x4",
    "invector:3x4,pie=off",
    "gravel:3,x=3,pie=on",
    "gravel:4,x=2",
    "markane:6x4,pie=on",
    "markane:5x5",
    "inversion:3",
    "inversion:3,order=alternate,pie=on",
    "inversion:3,order=single,komi=0.5",
    "invictus:stall=9",
];

#[test]
fn random_clicks_play_whole_games_and_go_back_one_by_one() {
    for variant in VARIANTS {
        for seed in 0..4 {
            play(variant, seed);
        }
    }
}

/// The engine hands out its moves one click at a time, and goes on from what has been clicked.
#[test]
fn an_engine_and_a_person_share_turns_click_by_click() {
    for variant in ["invector:5x4", "gravel:3,x=3", "markane:5x5", "inversion:3", "invictus:stall=5"] {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let variant_of_game = games::parse_variant(variant).unwrap();
        let mut side = variant_of_game.info().first;
        let mut input = String::from("set Nodes 20\n");
        // Searches run on threads: a game is built up, and asked for again with one click more each time.
        let ask =
            |input: &str| answers(variant, &format!("{input}gogui-rules_side_to_move\ngogui-rules_legal_moves\n"));
        let mut client = ask(&input);
        for _ in 0..60 {
            let points: Vec<&str> = client[client.len() - 1].split_whitespace().skip(1).collect();
            if points.is_empty() {
                break;
            }
            let color = side.letter();
            input += &match random.next_u32() % 3 {
                0 => format!("play {color} {}\n", points[random.next_u32() as usize % points.len()]),
                _ => format!("genmove {color}\n"),
            };
            let next = ask(&input);
            let [.., clicked, mover, _] = &next[..] else { panic!("{next:?}") };
            let point = clicked.strip_prefix("=").expect("a click that is taken").trim();
            assert!(point.is_empty() || points.contains(&point), "{point} of {points:?}");
            side = match mover.as_str() {
                "= black" => pentalith::rules::Color::Black,
                _ => pentalith::rules::Color::White,
            };
            client = next;
        }
    }
}

/// The answers to a whole input.
fn answers(variant: &str, input: &str) -> Vec<String> {
    let mut output = Vec::new();
    let input = io::Cursor::new(input.to_owned().into_bytes());
    pentalith::protocol::serve(Gogui::new(session(variant), io::sink()), input, &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    crate::transcripts::answers(&output).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_refused_command_leaves_clicks_alone() {
    let mut client = Client::new("invector:5x4");
    client.ask("play b A1");
    let points = client.points();
    assert!(client.try_ask("position junk").is_err());
    assert_eq!(client.points(), points);
    client.ask("undo");
}
