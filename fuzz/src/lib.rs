//! Feeds every reader of the program, and checks what must hold of the result. The fuzzers call it, and so do the
//! program's own tests, over the same corpus.

mod board_pages;
mod certificates;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pentalith::analysis::{Request, read_request};
use pentalith::arena::replay::Replay;
use pentalith::arena::tournament::{Engine, For, Resignation, TimeControl, parse_engines, read_openings};
use pentalith::client::output::{self, SearchInfo};
use pentalith::files::text_of;
use pentalith::games;
use pentalith::lab::{Schedule, TuneError, Tuner, Tuning};
use pentalith::puzzle::Puzzle;
use pentalith::record::{
    AbstractPlayRecord, Cause, FileGames, GameRecord, GameResult, MoveRecord, ReadOptions, Seat, parse_games, plain,
    read_damaged, read_games, read_move_list, remark,
};
use pentalith::rules::Variant;
use pentalith::rules::{Board, Step};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use pentalith::statistics::{RecordedOpenings, Sprt, Statistics};

pub use board_pages::{reviews, setups};
pub use certificates::certificates;
pub use pentalith_verify as verifier;

/// A name and a reader of what stands in a file.
pub type Target = (&'static str, fn(&[u8]));

/// Every target of the fuzzers.
pub const READERS: [Target; 13] = [
    ("notation", notation),
    ("records", records),
    ("json", json),
    ("openings", openings),
    ("weights", weights),
    ("self_play", self_play),
    ("engines", engines),
    ("settings", settings),
    ("engine_files", engine_files),
    ("certificates", certificates),
    ("queries", queries),
    ("reviews", reviews),
    ("setups", setups),
];

/// Larger boards take too long to open.
const CELLS: u32 = 132;

/// The highest turn that is read.
const HIGHEST: u32 = 999_999_999;

/// TimeControl on the boards kept open.
const KEPT: usize = 64;

/// Maximum number of words, lines and steps of one input.
const MANY: usize = 64;

/// A variant of a board that opens fast, if the text is one. What was read must be written so that it is read again.
fn variant(text: &str) -> Option<Variant> {
    let variant = match games::parse_variant(text) {
        Ok(variant) => variant,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    let again = games::parse_variant(&variant.to_string());
    assert_eq!(again.as_ref(), Ok(&variant));
    let (columns, ranks) = variant.size().dimensions();
    (u32::from(columns) * u32::from(ranks) <= CELLS).then_some(variant)
}

/// A board at the start.
fn open(variant: &Variant) -> Box<dyn Board> {
    thread_local! {
        static BOARDS: RefCell<HashMap<String, Box<dyn Board>>> = RefCell::default();
    }
    BOARDS.with_borrow_mut(|boards| {
        if boards.len() > KEPT {
            boards.clear();
        }
        let board = boards.entry(variant.to_string());
        let board = board.or_insert_with(|| games::open(variant).expect("a game of ours"));
        board.fork()
    })
}

fn text(data: &[u8]) -> String {
    text_of(data.to_vec())
}

/// The first line and the rest.
fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// A line with a variant, one with a position, which may be empty, and steps.
pub fn notation(data: &[u8]) {
    let text = text(data);
    let (name, rest) = first_line(&text);
    let (position, rest) = first_line(rest);
    let Some(variant) = variant(name.trim_end()) else {
        return;
    };
    let mut board = open(&variant);
    let start = board.position();
    let position = match position {
        "" => None,
        position => match board.set_position(position) {
            Ok(()) => Some(position),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(board.position(), start);
                None
            }
        },
    };
    look_at(&mut *board);
    let words: Vec<&str> = rest.split_whitespace().take(MANY).collect();
    let session = Session::on(open(&variant), Arc::new(SystemClock::default()));
    play_moves(session, position, &words);
    for word in words {
        let before = board.position();
        match board.read_step(word) {
            Ok(step) => {
                assert!(board.is_legal(step), "{word} in {before}");
                reads_its_own(&*board, step);
                board.make(step);
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                assert_eq!(board.position(), before);
            }
        }
    }
    look_at(&mut *board);
}

/// Moves of several steps, as every dialect reads them, and clicks.
fn play_moves(mut session: Session, position: Option<&str>, words: &[&str]) {
    if let Some(position) = position {
        session.set_position(position).expect("read before");
    }
    for word in words {
        if let Ok(clicked) = session.click(None, word) {
            assert!(!format!("{clicked:?}").is_empty());
            session.points(Some(word));
            for step in session.steps_from(word) {
                session.check(&step).expect("a step of ours");
            }
        }
        let before = session.position();
        if session.play(session.side(), word, true).is_err() {
            assert_eq!(session.position(), before);
        }
    }
    let (moves, end) = (session.moves(), session.position());
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    let again = session.set_history(position, &moves);
    again.expect("the history is read as it was written");
    assert_eq!(session.position(), end);
}

/// A position must be read as it is written, and everything can be said of it.
fn look_at(board: &mut dyn Board) {
    let text = board.position();
    // A game that begins at the highest turn goes on behind it.
    if board.turn() <= HIGHEST {
        let mut again = board.fork();
        again.restart();
        if let Err(error) = again.set_position(&text) {
            panic!("{text} is not read: {error}");
        }
        assert_eq!(again.position(), text);
        assert_eq!(again.key(), board.key(), "{text}");
        assert_eq!(again.outcome(), board.outcome(), "{text}");
    }
    board.diagram();
    board.status();
    board.counts();
    board.margin();
    board.tally();
    board.pools();
    board.pending();
    board.value_to_set();
    board.pass_alias();
    let mut steps = Vec::new();
    board.steps(&mut steps);
    assert_eq!(board.count(), steps.len(), "{text}");
    assert_eq!(board.outcome().is_some(), steps.is_empty(), "{text}");
    for &step in steps.iter().take(MANY) {
        reads_its_own(board, step);
        board.ordering_score(step);
        board.clicks(step);
        board.look_ahead(step);
    }
    match steps.is_empty() {
        true => assert!((0.0..=1.0).contains(&board.training_target()), "{text}"),
        false => {
            board.evaluate();
            board.moves_left();
            let mut scored = Vec::new();
            board.evaluate_steps(&mut scored);
            assert_eq!(scored.len(), steps.len(), "{text}");
        }
    }
}

/// A step must be read as it is written.
fn reads_its_own(board: &dyn Board, step: Step) {
    let written = board.write_step(step);
    let read = board.read_step(&written);
    assert_eq!(read.ok(), Some(step), "{written} in {}", board.position());
}

/// A file of records, as text.
pub fn records(data: &[u8]) {
    games_of(data);
    let text = text(data);
    if let Err(error) = read_move_list(&text) {
        assert!(!error.to_string().is_empty());
    }
    // Of a file of people every game is either whole or damaged, and what is left of it can be written.
    let options = ReadOptions { variant: games::parse_variant("markane:4x4").ok(), ..ReadOptions::default() };
    let read = read_damaged(&text, &options);
    for game in &read.games {
        if let Ok(puzzle) = Puzzle::of(game) {
            let record = puzzle.record(game.game).expect("legal steps");
            assert_eq!(Puzzle::of(&record), Ok(puzzle));
        }
    }
    for game in read.damaged {
        assert!(!game.errors.is_empty() && game.place <= read.games.len());
        if let Some(part) = game.partial.filter(|part| variant(&part.variant).is_some()) {
            Replay::default().check(&part, |_| {}).expect("the beginning of a game");
            is_kept(&part);
        }
    }
}

/// A file of records, as JSON.
pub fn json(data: &[u8]) {
    games_of(data);
    // What is written for AbstractPlay has the moves and the result of what was read from it.
    let read = |text: &str| read_damaged(text, &ReadOptions::default());
    for game in read(&text(data)).games.iter().take(MANY) {
        let Ok(Ok(json)) =
            AbstractPlayRecord::of(game, "2026-01-31T00:00:00Z").map(|record| serde_json::to_string(&record))
        else {
            continue;
        };
        let again = read(&json);
        if let [first] = again.games.as_slice()
            && let Ok(record) = AbstractPlayRecord::of(first, "2026-01-31T00:00:00Z")
        {
            let twice = serde_json::to_string(&record).expect("a record");
            let [second] = read(&twice).games.try_into().expect("one game");
            assert_eq!((&second.moves, second.result, &second.variant), (&first.moves, first.result, &first.variant));
        }
    }
}

fn games_of(data: &[u8]) {
    let text = text(data);
    is_resumed(&text);
    let games = match read_games(Path::new("games"), &text) {
        Ok(FileGames { games, .. }) => games,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let sprt = Sprt::parse("0,10").expect("a test");
    if let Ok(all) = Statistics::of(vec![games.clone(), games.clone()], Some(sprt)) {
        assert!(!all.to_string().is_empty());
    }
    let mut openings = RecordedOpenings::default();
    games.iter().for_each(|game| openings.add(game));
    openings.even(0.5).for_each(|opening| assert!(!opening.to_string().is_empty()));
    let mut replay = Replay::default();
    for game in games.iter().take(MANY) {
        if variant(&game.variant).is_none() {
            continue;
        }
        let replayed = replay.check(game, |shown| assert!(!shown.diagram().is_empty()));
        match replayed {
            Ok(()) => is_kept(game),
            Err(why) => assert!(!why.is_empty()),
        }
    }
}

/// Checks that the part of a file which a resumed match keeps is read as before.
fn is_resumed(text: &str) {
    let read = parse_games(text);
    let kept = text.get(..read.end).expect("whole characters");
    let again = parse_games(kept);
    assert_eq!((again.games, again.error), (read.games, None));
    assert_eq!(again.end, read.end);
}

/// Checks that a record is read as it is written, in both forms. Text that would break a tag or a comment is written
/// otherwise.
fn is_kept(game: &GameRecord) {
    let text = game.to_text();
    let read = parse_games(&text);
    assert_eq!(read.error, None, "{text}");
    let [again] = read.games.as_slice() else {
        panic!("{} games of one: {text}", read.games.len());
    };
    let mut moves = game.moves.clone();
    for made in &mut moves {
        let comment = made.comment.take().map(|comment| remark(&comment));
        made.comment = comment.filter(|comment| !comment.is_empty());
    }
    assert_eq!(again.moves, moves);
    let (text, plain) = (again.to_text(), read.games);
    assert_eq!(parse_games(&text).games, plain, "{text}");
    let mut line = serde_json::to_string(game).expect("a record");
    line.push('\n');
    let read = read_games(Path::new("games"), &line).expect("what was written");
    assert_eq!(read.games.as_slice(), std::slice::from_ref(game));
}

/// A line with a variant, and a file of openings.
pub fn openings(data: &[u8]) {
    let text = text(data);
    let (name, file) = first_line(&text);
    let Some(variant) = variant(name.trim_end()) else {
        return;
    };
    match read_openings(file, &variant) {
        Ok(openings) => {
            let lines: Vec<String> = openings.iter().map(ToString::to_string).collect();
            let again = read_openings(&lines.join("\n"), &variant);
            assert_eq!(again.as_ref(), Ok(&openings));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A line with a variant, and a file of weights.
pub fn weights(data: &[u8]) {
    let text = text(data);
    let (name, file) = first_line(&text);
    let Some(variant) = variant(name.trim_end()) else {
        return;
    };
    let built_in = open(&variant).weights().clone();
    match built_in.parse(file) {
        Ok(weights) => {
            assert!(weights.is_compatible(&built_in));
            assert_eq!(weights.parse(&weights.write()).as_ref(), Ok(&weights));
            plays_with(&variant, weights);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Any weights can be played with.
fn plays_with(variant: &Variant, weights: pentalith::nnue::Weights) {
    let mut board = games::open(variant).expect("a game of ours");
    assert!(board.set_weights(weights));
    let mut scored = Vec::new();
    for number in [0, 3, 1, 7, 2] {
        if board.is_over() {
            return;
        }
        board.evaluate();
        board.evaluate_steps(&mut scored);
        let place = number % board.count();
        if let Some(step) = board.nth(place) {
            board.make(step);
        }
    }
}

/// A file of games that `tune` has played; the weights are those of the first one's variant.
pub fn self_play(data: &[u8]) {
    let text = text(data);
    let mut variants = Vec::new();
    for line in text.lines().take(MANY) {
        let name = line.split(' ').next().unwrap_or_default();
        if games::parse_variant(name).is_ok() {
            // All that are read must be opened.
            let Some(variant) = variant(name) else { return };
            variants.push(variant);
        }
    }
    variants.truncate(1);
    let played: Vec<&str> = text.lines().take(MANY).collect();
    let tuner = Tuner {
        tuning: Tuning {
            method: None,
            rounds: 0,
            games: 0,
            nodes: 1,
            random_steps: 0,
            l2: 1.0,
            positions: 0,
            lambda: 0.5,
            validation: 0.0,
            schedule: Schedule::default(),
            threads: 1,
            seed: 1,
        },
        variants: &variants,
        initial_weights: None,
        data: &[played.join("\n")],
        clock: &SystemClock::default(),
        on_progress: &|_| {},
        stop: &AtomicBool::new(false),
    };
    match tuner.run() {
        Err(TuneError::Threads(..)) => {}
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(tuned) => panic!("learned from nothing: {tuned:?}"),
    }
}

/// Lines that an engine says. The first one is a value for its options, too.
pub fn engines(data: &[u8]) {
    let text = text(data);
    let value = first_line(&text).0.trim();
    let variant = variant("invector:3x2").expect("a variant");
    let session = Session::on(open(&variant), Arc::new(SystemClock::default()));
    for line in text.lines().take(MANY) {
        let (bestmove, response) = (output::bestmove(line), output::response(line));
        let errors = [&bestmove, &response].map(|read| read.as_ref().err());
        let info = output::info(line).err();
        for error in errors.into_iter().flatten().chain(&info) {
            assert!(!error.to_string().is_empty());
        }
        match output::option(line) {
            Ok(option) => {
                option.within(u32::MAX);
                assert!(option.value(value).err().is_none_or(|expected| !expected.is_empty()));
            }
            Err(why) => assert!(!why.is_empty()),
        }
        let mut information = SearchInfo::default();
        information.take(line);
        let said = output::head(line).map_or(line.to_owned(), |head| head.text);
        output::final_score(said.trim());
        for text in bestmove.iter().chain([&said]) {
            if let Err(error) = session.check(text) {
                assert!(!error.to_string().is_empty());
            }
        }
        // Whatever it says, a record keeps.
        let seat = Seat {
            name: "a".to_owned(),
            engine: plain(value),
            options: String::new(),
            version: plain(&said),
            limit: "nodes 1".to_owned(),
        };
        let record = GameRecord {
            tags: Vec::new(),
            game: 1,
            pair: 1,
            variant: variant.to_string(),
            date: "2026.01.31".to_owned(),
            seed: 1,
            conditions: None,
            start: None,
            black: seat.clone(),
            white: seat,
            result: GameResult::Black,
            cause: Cause::IllegalMove,
            reason: plain(line),
            fault: Some("a".to_owned()),
            comment: None,
            moves: vec![MoveRecord::new("a1b1", Some(information.into()))],
        };
        let read = parse_games(&record.to_text());
        assert_eq!((read.games, read.error), (vec![record], None));
    }
}

/// Lines of which each is a setting of the command line.
pub fn settings(data: &[u8]) {
    // No command line holds a zero byte.
    let text = text(data).replace('\0', "");
    for line in text.lines().take(MANY) {
        match line.parse::<Engine>() {
            Ok(engine) => assert!(!engine.kind.to_string().is_empty()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if let Ok(resignation) = Resignation::parse(line) {
            let again = Resignation::parse(&resignation.to_string());
            assert_eq!(again.as_ref(), Ok(&resignation));
        }
        if let Ok(sprt) = Sprt::parse(line) {
            let (low, high) = sprt.bounds();
            assert!(low < high && low.is_finite() && high.is_finite(), "{line}");
        }
        For::option(line).ok();
        let limits = [For::clock, For::move_time, For::nodes];
        let limits: [Result<For<TimeControl>, _>; 3] = limits.map(|read| read(line));
        for limit in limits {
            match limit {
                Ok(limit) => assert!(!limit.what.to_string().is_empty()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// A file of engines.
pub fn engine_files(data: &[u8]) {
    let path = Path::new("folder/engines.toml");
    match parse_engines(&text(data), path) {
        Ok(engines) => {
            assert!(!engines.is_empty());
            for (engine, limit) in engines {
                assert!(!engine.name.is_empty() && !engine.kind.to_string().is_empty());
                assert!(limit.is_none_or(|limit| !limit.to_string().is_empty()));
            }
        }
        Err(error) => assert!(error.to_string().starts_with("folder/engines.toml: ")),
    }
}

/// Lines of queries for analyses.
pub fn queries(data: &[u8]) {
    for line in text(data).lines().take(MANY) {
        match read_request(line) {
            Ok(Request::Analyze(query)) => {
                assert!(!query.positions.is_empty());
                assert!(query.positions.iter().all(|(after, _)| *after <= query.moves.len()));
                let Some(variant) = query.variant.and_then(|variant| self::variant(&variant.to_string())) else {
                    continue;
                };
                let mut session = Session::on(open(&variant), Arc::new(SystemClock::default()));
                let moves: Vec<&str> = query.moves.iter().map(String::as_str).collect();
                if let Err(error) = session.set_history(query.position.as_deref(), &moves) {
                    assert!(!error.to_string().is_empty());
                }
            }
            Ok(Request::Act { id, .. }) => assert!(!id.is_null()),
            Err(error) => assert!(!error.error.is_empty()),
        }
    }
}
