//! Records from outside: damaged games, and those of AbstractPlay, in every command that reads records.

use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Arc;

use pentalith::arena::replay::Replay;
use pentalith::games::parse_variant;
use pentalith::record::{
    AbstractPlayRecord, Cause, FileGames, GameRecord, GameResult, ReadOptions, Seat, read_damaged,
};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::matches::{folder, run, text};
use crate::schemas::validate;

/// Whole games and damaged ones.
const MIXED: &str = "[Variant \"markane:6x6\"]\n[Round \"1\"]\n\n1. c3 d6 0-1\n\n\
                     [Variant \"markane:6x6\"]\n[Round \"2\"]\n\n1. c3 d6 2. c3 a1 0-1\n\n\
                     [Variant \"chess\"]\n[Round \"3\"]\n\n1. e4 e5 1-0\n\n\
                     [Variant \"markane:6x6\"]\n[Round \"4\"]\n\n1. a1 {<b>bold</b> & <!--} f6 1-0\n\n\
                     [Variant \"invector:5x4\"]\n[Round \"5\"]\n\n1. c3c4 1-0\n\n\
                     [Variant \"markane:6x6\"]\n[Round \"6\"]\n\n1. b1 (c1 (f5 0-1\n\n\
                     [Variant \"markane:6x6\"]\n[Round \"7\"]\n\n1. c3 f6 1/2-1/2\n";

/// Errors in [`MIXED`], the beginning of a line each.
const ERRORS: [&str; 3] = [
    "mixed.pgn, line 9, column 13: \"c3\": illegal move for Black: ",
    "mixed.pgn, line 11, column 1: \"chess\": game chess: expected one of invector",
    "mixed.pgn, line 31, column 1: expected ) behind a variation, found \"[Variant\"",
];

fn assert_fails(output: &Output, status: i32, parts: &[&str]) {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{errors}");
    for part in parts {
        assert!(errors.contains(part), "{part}: {errors}");
    }
}

fn mixed(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("mixed.pgn"), MIXED).unwrap();
    folder
}

#[test]
fn a_damaged_game_hides_no_other_one() {
    let folder = mixed("damaged");
    let stats = run(&folder, "stats mixed.pgn");
    assert_fails(&stats, 1, &ERRORS);
    assert!(text(&stats.stdout).contains("markane:6x6: 3 games"), "{stats:?}");
    let openings = run(&folder, "openings markane:6x6 --balance 0.5 --data mixed.pgn");
    assert_fails(&openings, 1, &ERRORS);
    assert!(text(&openings.stdout).starts_with("# markane:6x6: 1 of 1 opening, 3 games"), "{openings:?}");
    let position = |place: &str| run(&folder, &format!("position 'mixed.pgn#{place}'"));
    assert!(text(&position("4").stdout).ends_with(" b 1 3\n"), "{:?}", position("4"));
    assert!(text(&position("2:2").stdout).ends_with(" b 1 3\n"), "{:?}", position("2:2"));
    assert_fails(&position("2"), 2, &[ERRORS[0], "; 2 moves of game 2 can be read"]);
    assert_fails(&position("2:3"), 2, &[ERRORS[0]]);
    assert_fails(&position("9"), 2, &["mixed.pgn has no game 9"]);
    for file in ["no.pgn", "no/such"] {
        assert_fails(&run(&folder, &format!("position {file}")), 2, &[file, "o such file"]);
    }
    // A variant with a mistake is none the less a variant.
    assert_fails(&run(&folder, "position inversion:5,komi=7.x"), 2, &["bad variant: ", "7.x"]);
    // Rating needs no more than players, variant and result.
    let rate = run(&folder, "rate mixed.pgn");
    assert!(!rate.status.success(), "{rate:?}");
}

#[test]
fn a_game_of_a_damaged_file_is_loaded() {
    let folder = mixed("load-damaged");
    let lines = "load mixed.pgn\nload mixed.pgn 2\nload mixed.pgn 4\nmoves\n";
    fs::write(folder.join("lines"), lines).unwrap();
    let program = env!("CARGO_BIN_EXE_pentalith");
    let input = fs::File::open(folder.join("lines")).unwrap();
    let mut command = std::process::Command::new(program);
    command.args(["play", "markane:6x6", "--as", "both"]).stdin(input).current_dir(&folder);
    let output = command.output().unwrap();
    let said = text(&output.stdout).replace('\n', " ");
    for part in [
        "mixed.pgn has 7 games: choose one by its number, as in mixed.pgn#1",
        "Not loaded: mixed.pgn, line 9, column 13: \"c3\": illegal move",
        "1. a1 2. f6",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn errors_are_counted_where_they_are_many() {
    let folder = folder("many-damaged");
    let game = "[Variant \"markane:6x6\"]\n\n1. c3 c3 *\n\n";
    fs::write(folder.join("many.pgn"), game.repeat(10_000) + "[Variant \"markane:6x6\"]\n\n1. c3 0-1\n").unwrap();
    let stats = run(&folder, "stats many.pgn");
    let left_out = "pentalith: many.pgn: 10000 games can't be read and are left out\n";
    assert_fails(&stats, 1, &["many.pgn, line 79, column 7: ", "many.pgn: 9980 errors more\n", left_out]);
    assert_eq!(text(&stats.stderr).lines().count(), 22, "{stats:?}");
    assert!(text(&stats.stdout).starts_with("markane:6x6: 1 game"), "{stats:?}");
}

/// A record as the site writes it, in which Bob has taken Ann's seat.
fn pied() -> Value {
    json!({
        "header": {
            "game": {"name": "Invector", "variants": ["5x6 board"]},
            "event": "Spring", "round": "2",
            "site": {"name": "Abstract Play", "gameid": "6f9b"},
            "date-start": "2026-07-01T10:00:00.000Z",
            "date-end": "2026-07-04T10:00:00.000Z",
            "date-generated": "2026-07-05T10:00:00.000Z",
            "pie-invoked": true,
            "players": [
                {"name": "Bob", "userid": "u2", "is_ai": false, "result": 0},
                {"name": "Ann", "userid": "u1", "result": 1},
            ],
        },
        "moves": [["a1-a2", "b1-b2"], [{"move": "C1-C2", "result": [{"type": "move"}]}, "d1-d2"], ["resign"]],
    })
}

fn read(json: &Value) -> GameRecord {
    let FileGames { mut games, damaged, is_cut } = read_damaged(&json.to_string(), &ReadOptions::default());
    assert!(damaged.is_empty() && !is_cut && games.len() == 1, "{damaged:?}");
    games.remove(0)
}

/// Writes a record of AbstractPlay, which its schema must allow.
fn write(game: &GameRecord) -> Value {
    let record = AbstractPlayRecord::of(game, "2026-11-28T12:00:00Z").unwrap();
    let json = serde_json::to_value(record).unwrap();
    let schema = fs::read_to_string("tests/abstract-play.schema.json").unwrap();
    let mut wrong = Vec::new();
    validate(&serde_json::from_str(&schema).unwrap(), &json, "record", &mut wrong);
    assert_eq!(wrong, [""; 0], "{json}");
    json
}

#[test]
fn seats_of_the_end_become_players_with_a_swap() {
    let game = read(&pied());
    let moves: Vec<&str> = game.moves.iter().map(|made| made.text.as_str()).collect();
    assert_eq!(moves, ["a1a2", "swap", "b1b2", "c1c2", "d1d2"]);
    assert_eq!((game.variant.as_str(), game.date.as_str()), ("invector:6x5", "2026.07.01"));
    // Ann moved first, and won.
    assert_eq!((game.black.name.as_str(), game.white.name.as_str(), game.result), ("Ann", "Bob", GameResult::Black));
    assert_eq!((game.cause, game.reason.as_str()), (Cause::Normal, "resignation"));
    assert_eq!(Replay::default().check(&game, |_| {}), Ok(()));
    let again = write(&game);
    assert_eq!(again["header"]["players"][0]["name"], "Bob");
    assert_eq!((&again["header"]["pied"], &again["header"]["game"]["variants"][0]), (&json!(true), &json!("size-6")));
    assert_eq!(again["moves"], json!([["a1-a2", "b1-b2"], ["c1-c2", "d1-d2"], ["resign", null]]));
    assert_eq!((&again["header"]["site"]["gameid"], &again["header"]["round"]), (&json!("6f9b"), &json!("2")));
    assert_eq!(read(&again), game);
    // As text it is kept, too.
    let FileGames { games, .. } = read_damaged(&game.to_text(), &ReadOptions::default());
    assert_eq!(write(&games[0])["moves"], again["moves"]);
}

#[test]
fn boards_columns_and_ends_are_those_of_abstract_play() {
    for (variants, expected) in [
        (json!([]), "invector:8x7"),
        (json!(["7x8 board"]), "invector:8x7"),
        (json!(["size-10"]), "invector:10x9"),
        (json!(["11x12 board"]), "invector:12x11"),
        (json!(["size-14"]), "invector:14x13"),
        (json!(["size-16"]), "invector:16x15"),
    ] {
        let mut json = pied();
        json["header"]["game"]["variants"] = variants;
        json["moves"] = json!([]);
        assert_eq!(read(&json).variant, expected);
    }
    for (end, results, expected) in [
        ("resign", [1, 0], (GameResult::Black, Cause::Normal, "resignation")),
        ("timeout", [0, 1], (GameResult::White, Cause::Time, "timeout")),
        ("draw", [1, 1], (GameResult::Draw, Cause::Normal, "agreement")),
        ("abandoned", [0, 0], (GameResult::Unfinished, Cause::Aborted, "abandoned")),
    ] {
        let mut json = pied();
        json["header"]["pie-invoked"] = json!(false);
        json["header"]["game"]["variants"] = json!(["size-10"]);
        for (player, result) in results.into_iter().enumerate() {
            json["header"]["players"][player]["result"] = json!(result);
        }
        // Their i and j are our j and k.
        json["moves"] = json!([["i1-i2", "j1-j2"], [end]]);
        let game = read(&json);
        assert_eq!((game.result, game.cause, game.reason.as_str()), expected);
        assert_eq!((game.moves[0].text.as_str(), game.moves[1].text.as_str()), ("j1j2", "k1k2"));
        assert_eq!(Replay::default().check(&game, |_| {}), Ok(()));
        let again = write(&game);
        assert_eq!(again["moves"], json!([["i1-i2", "j1-j2"], [end, null]]));
        assert_eq!(read(&again), game);
    }
}

/// Plays at random. Returns the game as a record.
pub fn random_game(variant: &str, seed: u64) -> GameRecord {
    let variant = parse_variant(variant).unwrap();
    let mut session = Session::new(&variant, Arc::new(SystemClock::default())).unwrap();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    while session.outcome().is_none() {
        let legal = session.legal();
        let last = &legal[legal.len() - 1];
        let step =
            if last == "swap" && seed % 2 == 1 { last } else { &legal[random.next_u32() as usize % legal.len()] };
        session.play(session.side(), &step.clone(), false).unwrap();
    }
    let text = format!("{variant}\n{}\n", session.moves().join(" "));
    read_damaged(&text, &ReadOptions::default()).games.remove(0)
}

#[test]
fn games_of_all_kinds_are_kept_by_records_of_abstract_play() {
    for variant in [
        "invector:12x11",
        "gravel:3,x=3,pie=on",
        "gravel:10,stall=8",
        "markane:12x5,pie=on",
        "inversion:5,pie=on",
        "inversion:4,order=alternate",
        "invictus:stall=20",
    ] {
        for seed in 0..4 {
            let mut game = random_game(variant, seed);
            for (seat, name) in [(&mut game.black, "A"), (&mut game.white, "A")] {
                *seat = Seat::person(name.to_owned());
                seat.engine = String::new();
            }
            game.moves[0].comment = Some("a remark".to_owned());
            let json = write(&game);
            assert!(!json["moves"].to_string().contains("swap"), "{json}");
            assert_eq!(read(&json), game, "{json}");
        }
    }
    // White begins in the middle of a game.
    let begun = "markane:6x6\nposition ....../....../....../..b.../....../...... w 1 2 moves d6 a1 *";
    let mut game = read_damaged(begun, &ReadOptions::default()).games.remove(0);
    (game.result, game.cause, game.reason) = (GameResult::Draw, Cause::Normal, "agreement".to_owned());
    let json = write(&game);
    assert_eq!(json["moves"], json!([[null, "d6"], ["a1", "draw"]]));
    assert_eq!(read(&json), game);
    let unfinished = GameRecord { result: GameResult::Unfinished, ..game };
    assert!(AbstractPlayRecord::of(&unfinished, "").is_err());
}

#[test]
fn files_of_abstract_play_are_read_whatever_is_wrong_in_them() {
    let folder = folder("abstract-play");
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut json = pied();
        change(&mut json);
        json
    };
    let illegal = wrong(&|json| json["moves"][1][0] = json!("a1-a9"));
    let alone = wrong(&|json| json["header"]["players"] = json!([{"name": "Ann", "result": 1}]));
    let other = wrong(&|json| json["header"]["game"]["name"] = json!("Havannah"));
    let broken = pied().to_string().replace("\"moves\":[[", "\"moves\":[[oops,");
    let open = pied().to_string().replace("]]}", "");
    let good = pied();
    let file = format!("[\n{good},\n{illegal},\n{alone},\n{other},\n{broken},\n{open},\n{good}\n]\n");
    fs::write(folder.join("site.json"), &file).unwrap();
    let converted = run(&folder, "replay site.json --to text");
    assert_fails(
        &converted,
        1,
        &[
            "site.json, line 3, column 1: \"a1-a9\": illegal move for White: ",
            "site.json, line 4, column 1: expected two players in the header, found 1",
            "site.json, line 5, column 1: ",
            "havannah",
            "site.json, line 6, column ",
            "site.json, line 7, column ",
            "5 games can't be read; --partial takes the 3 moves before the errors",
        ],
    );
    assert_eq!(text(&converted.stdout).matches("[White \"Bob\"]").count(), 2, "{converted:?}");
    let partial = run(&folder, "replay site.json --to json --partial");
    assert_eq!(text(&partial.stdout).lines().count(), 3, "{partial:?}");
    assert_fails(&partial, 1, &["site.json, line 3, column 1: "]);
    // The last object is cut off.
    let cut = format!("[{good},{good}");
    fs::write(folder.join("cut.json"), &cut[..cut.len() - 40]).unwrap();
    let stats = run(&folder, "stats cut.json");
    assert!(text(&stats.stdout).starts_with("invector:6x5: 1 game"), "{stats:?}");
    // Other games are rated, too.
    fs::write(folder.join("other.json"), format!("[{good}, {other}]")).unwrap();
    let rated = run(&folder, "rate other.json");
    assert!(rated.status.success() && text(&rated.stdout).contains("havannah (5x6 board)"), "{rated:?}");
    let several = run(&folder, "replay site.json --to abstractplay");
    let records: Value = serde_json::from_slice(&several.stdout).unwrap();
    assert_eq!(records.as_array().unwrap().len(), 2);
    let one = run(&folder, "replay site.json --game 1 --to abstractplay");
    let record: Value = serde_json::from_slice(&one.stdout).unwrap();
    assert_eq!(record["header"]["site"]["gameid"], "6f9b");
}
