//! Weights of evaluations: the files, and the command that finds them.

use std::fs;
use std::path::Path;
use std::process::Command;

use pentalith::games::{self, GAMES};
use pentalith::rules::Variant;

use crate::matches::folder;

/// The weights of a game as the program has them, without the remarks.
fn own_weights(variant: &Variant) -> String {
    games::open(variant).unwrap().weights().write()
}

#[test]
fn every_file_of_weights_is_what_the_program_would_write() {
    let several = ["inversion", "gravel", "invector", "markane"];
    let one_file = GAMES.iter().filter(|info| !several.contains(&info.name));
    let one_file = one_file.map(|info| {
        let file = format!("{}/weights.net", info.name);
        (Variant::default_of(info), file)
    });
    let boards = (2..9).flat_map(|side| {
        ["mover", "alternate", "single"].map(|order| {
            let variant = format!("inversion:{side},order={order}");
            let variant = games::parse_variant(&variant).unwrap();
            let nearest = side.clamp(3, 7);
            (variant, format!("inversion/weights/{order}-{nearest}.net"))
        })
    });
    let spaces = [
        (2, 2, "up-to-4"),
        (4, 7, "up-to-4"),
        (5, 3, "up-to-10"),
        (10, 4, "up-to-10"),
        (11, 4, "up-to-12"),
        (12, 4, "up-to-12"),
        (13, 4, "up-to-16"),
        (16, 4, "up-to-16"),
        (17, 3, "large"),
    ];
    let spaces = spaces.into_iter().map(|(side, x, file)| {
        let variant = games::parse_variant(&format!("gravel:{side},x={x}")).unwrap();
        (variant, format!("gravel/weights/{file}.net"))
    });
    let pits = [
        ("invector:2x1", "small"),
        ("invector:8x7", "small"),
        ("invector:14x13", "small"),
        ("invector:16x15", "large"),
        ("markane:7x7", "small"),
        ("markane:10x5", "large"),
        ("markane", "8x8"),
    ];
    let pits = pits.into_iter().map(|(variant, file)| {
        let variant = games::parse_variant(variant).unwrap();
        let file = format!("{}/weights/{file}.net", variant.info().name);
        (variant, file)
    });
    for (variant, file) in one_file.chain(boards).chain(spaces).chain(pits) {
        let board = games::open(&variant).unwrap();
        let packed = fs::read(format!("engine/src/games/{file}")).unwrap();
        assert!(!board.weights().write().is_empty(), "{file}");
        let (weights, again) = (board.weights(), board.weights().repack());
        assert_eq!(header(&again), header(&packed), "{file}");
        let lines = header(&packed);
        let purpose = lines.lines().find_map(|line| line.strip_prefix("for "));
        assert_eq!(weights.unpack(purpose.unwrap(), &again).as_ref(), Ok(weights), "{file}");
    }
}

/// Returns the header of a file of weights. It ends with a checksum of the numbers.
fn header(file: &[u8]) -> String {
    let lines = file.split_inclusive(|&byte| byte == b'\n');
    let mut header = String::new();
    for line in lines {
        header += std::str::from_utf8(line).unwrap();
        if line.starts_with(b"values ") {
            return header;
        }
    }
    panic!("no checksum behind {header}");
}

/// `weights` prints what it can pack again.
#[test]
fn a_table_is_printed_as_text_and_packed_from_it() {
    let directory = folder("weights");
    for (variant, file) in [
        ("inversion:5", "inversion/weights/mover-5.net"),
        ("gravel:3", "gravel/weights/up-to-4.net"),
        ("markane", "markane/weights/8x8.net"),
    ] {
        let (text, packed) = (path_in(&directory, "text.txt"), path_in(&directory, "packed.net"));
        let weights = |more: &[&str]| {
            let program = env!("CARGO_BIN_EXE_pentalith");
            let mut command = Command::new(program);
            command.args(["weights", variant]).args(more);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let printed = weights(&[]);
        assert!(printed.starts_with("# for "), "{printed:.80}");
        fs::write(&text, &printed).unwrap();
        assert_eq!(weights(&["--from", &text]), printed);
        assert_eq!(weights(&["--from", &text, "--pack", &packed]), "");
        let built_in = fs::read(format!("engine/src/games/{file}")).unwrap();
        assert_eq!(header(&fs::read(&packed).unwrap()), header(&built_in), "{variant}");
    }
    // The mean of several files; halves become even numbers.
    let program = env!("CARGO_BIN_EXE_pentalith");
    let (one, other) = (path_in(&directory, "one.txt"), path_in(&directory, "other.txt"));
    let first = |text: &str| format!("--------- {text}{}\n", " 0".repeat(78));
    fs::write(&one, first("-3 7")).unwrap();
    fs::write(&other, first("4 8")).unwrap();
    let mean = Command::new(program).args(["weights", "markane", "--from", &one, "--from", &other]).output().unwrap();
    let mean = String::from_utf8(mean.stdout).unwrap();
    assert!(mean.ends_with(&format!("\n--------- 0 8{}\n", " 0".repeat(14))), "{mean}");
    let bad = Command::new(program).args(["weights", "markane", "--from", "/no/such/file"]).output().unwrap();
    assert_eq!(bad.status.code(), Some(2));
}

fn path_in(directory: &Path, name: &str) -> String {
    directory.join(name).to_str().unwrap().to_owned()
}

fn tune(arguments: &[&str]) -> (String, String, Option<i32>) {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let output = Command::new(program).arg("tune").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn equal_seeds_give_equal_weights_with_any_number_of_threads() {
    let run = |variants: &[&str], more: &[&str]| {
        let few = ["--rounds", "2", "--games", "6", "--nodes", "40"];
        let (weights, told, status) = tune(&[variants, &few[..], more].concat());
        assert_eq!(status, Some(0), "{told}");
        assert!(told.contains("round 2: loss "), "{told}");
        weights
    };
    let games: [&[&str]; 6] = [
        &["invector:4x3"],
        &["markane:4x4"],
        &["inversion:3", "inversion:7", "inversion:8"],
        &["inversion:3"],
        &["gravel:4"],
        &["invictus"],
    ];
    let mut seen = Vec::new();
    for variants in games {
        let weights = run(variants, &[]);
        assert_eq!(run(variants, &["--threads", "3"]), weights, "{variants:?}");
        if seen.is_empty() {
            // What is asked for reaches the training, whatever the game.
            assert_ne!(run(variants, &["--seed", "2"]), weights);
            assert_eq!(run(variants, &["--lambda", "0.5"]), weights);
            assert_ne!(run(variants, &["--lambda", "0"]), weights);
            assert_ne!(run(variants, &["--positions", "1"]), weights);
            assert_eq!(run(variants, &["--search", "puct"]), weights);
            assert_ne!(run(variants, &["--search", "pvs"]), weights);
        }
        let variant = games::parse_variant(variants[0]).unwrap();
        let own = own_weights(&variant);
        assert_ne!(weights, own, "{variants:?}: nothing was learned");
        assert!(!seen.contains(&weights), "{variants:?}: the other boards count, too");
        seen.push(weights);
    }
    let (_, told, status) = tune(&["invector:4x3", "--lambda", "1.01"]);
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("'1.01'") && told.contains("from 0 to 1"), "{told}");
    let (_, told, status) = tune(&["inversion:5", "inversion:6"]);
    assert_eq!(status, Some(2), "{told}");
    let different = "inversion:5 and inversion:6 have different features";
    assert!(told.contains(different), "{told}");
    let (_, told, status) = tune(&["markane:4x4", "invector:4x3"]);
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("markane:4x4 and invector:4x3 are different games"), "{told}");
}

#[test]
fn a_tuning_begins_where_it_is_told_and_writes_where_it_is_told() {
    let directory = folder("tune");
    let path = |name: &str| path_in(&directory, name);
    let (from, out) = (path("from.txt"), path("out.txt"));
    fs::write(&from, "contact 70 71 72 73\n").unwrap();
    fs::write(&out, "# by hand\nstone 5\n").unwrap();
    let few = ["invector:16x15", "--rounds", "1", "--games", "1", "--nodes", "2", "--l2", "1000000"];
    let (output, told, status) = tune(&[&few[..], &["--from", &from, "--out", &out]].concat());
    assert_eq!((output.as_str(), status), ("", Some(0)), "{told}");
    // One game says little against a million positions.
    let expected = "# by hand\ncontact 70 71 72 73\n";
    assert_eq!(fs::read_to_string(&out).unwrap(), expected);
}

#[test]
fn bad_weights_and_files_are_quoted_and_nothing_is_lost() {
    let directory = folder("bad tune");
    let path = |name: &str| path_in(&directory, name);
    let (from, out) = (path("from.txt"), path("out.txt"));
    fs::write(&from, "contact 1 2 3 4\nstones 7\n").unwrap();
    fs::write(&out, "precious").unwrap();
    let (_, told, status) = tune(&["invector", "--from", &from, "--out", &out]);
    let expected = "line 2, \"stones 7\": unknown feature, or one that an earlier line has";
    assert!(told.contains(expected), "{told}");
    assert_eq!(status, Some(2));
    assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
    let new = path("new.txt");
    tune(&["invector", "--from", &from, "--out", &new]);
    assert!(!fs::exists(&new).unwrap(), "an empty file would be weights of 0");
    let (_, told, status) = tune(&["invector", "--from", &path("none.txt")]);
    assert!(told.contains("none.txt"), "{told}");
    assert_eq!(status, Some(2));
    let (_, told, _) = tune(&["invector", "--out", &path("no/such/folder.txt")]);
    assert!(told.contains("folder.txt"), "{told}");
    for more in [
        &["--out", &out][..],
        &["--record", &new, "--out", &out],
        &["--record", &new, "--rounds", "0"],
        &["--record", &new, "--data", &out],
    ] {
        let (_, told, status) = tune(&[&["invector", "--positions", "0"], more].concat());
        let expected = "--positions 0 plays games and learns nothing: expected --record FILE";
        assert!(told.contains(expected), "{told}");
        assert_eq!(status, Some(2));
        assert_eq!(fs::read_to_string(&out).unwrap(), "precious");
        assert!(!fs::exists(&new).unwrap(), "nothing is recorded");
    }
}

#[test]
fn games_are_kept_and_learned_from_again() {
    let directory = folder("kept games");
    let path = |name: &str| path_in(&directory, name);
    let games: [&[&str]; 3] = [&["gravel:4"], &["invictus"], &["invector:4x3", "invector:5x4"]];
    for (number, variants) in games.into_iter().enumerate() {
        let (kept, more) = (path(&format!("{number}.txt")), path(&format!("{number}+.txt")));
        let play = |positions: &str, seed: &str, out: &str| {
            let few = [
                "--rounds",
                "1",
                "--games",
                "4",
                "--nodes",
                "30",
                "--positions",
                positions,
                "--seed",
                seed,
                "--record",
                out,
            ];
            tune(&[variants, &few[..]].concat())
        };
        let (weights, told, status) = play("400", "5", &kept);
        assert_eq!(status, Some(0), "{told}");
        let (others, ..) = play("400", "6", &more);
        let alone = path(&format!("{number}-.txt"));
        let (output, told, status) = play("0", "5", &alone);
        assert_eq!((output.as_str(), status), ("", Some(0)), "{told}");
        let read = |file| fs::read_to_string(file).unwrap();
        assert_eq!(read(&alone), read(&kept), "{variants:?}");
        let learn = |files: &[&str], seed: &str| {
            let learn = ["--rounds", "0", "--positions", "400", "--seed", seed, "--data"];
            tune(&[variants, &learn[..], files].concat())
        };
        let (again, told, status) = learn(&[&kept], "5");
        assert_eq!(status, Some(0), "{told}");
        assert!(told.starts_with("round 0: loss "), "{told}");
        assert_eq!(again, weights, "{variants:?}");
        let (both, ..) = learn(&[&kept, &more], "5");
        assert_ne!(both, weights, "{variants:?}");
        // What is there stays.
        let before = fs::read_to_string(&kept).unwrap();
        assert_eq!(play("400", "6", &kept).0, others);
        let (kept, more) = (fs::read_to_string(&kept).unwrap(), fs::read_to_string(&more).unwrap());
        assert_eq!(kept, before + &more);
    }
}

#[test]
fn games_that_are_left_out_have_no_part_in_the_fit() {
    let directory = folder("left out games");
    let (kept, fewer) = (path_in(&directory, "all.txt"), path_in(&directory, "fewer.txt"));
    let play = ["invector:4x3", "--rounds", "1", "--games", "10", "--nodes", "30", "--positions", "0"];
    let (_, told, status) = tune(&[&play[..], &["--record", &kept]].concat());
    assert_eq!(status, Some(0), "{told}");
    let games = fs::read_to_string(&kept).unwrap();
    let lines = games.lines().enumerate().filter(|(number, _)| number % 5 != 4);
    fs::write(&fewer, lines.map(|(_, line)| format!("{line}\n")).collect::<String>()).unwrap();
    let fit = |data: &str, more: &[&str]| {
        let fit = ["invector:4x3", "--rounds", "0", "--positions", "400", "--data", data];
        let (weights, told, status) = tune(&[&fit[..], more].concat());
        assert_eq!(status, Some(0), "{told}");
        (weights, told)
    };
    let (weights, told) = fit(&kept, &["--validation", "0.2"]);
    let (expected, expected_told) = fit(&fewer, &[]);
    assert_eq!(weights, expected);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], expected_told.trim_end());
    assert!(lines[1].contains(" of the games left out before, "), "{told}");
    assert_eq!(lines.len(), 2);
    assert_ne!(fit(&fewer, &["--passes", "1"]).0, expected);
    // So small a step changes no rounded weight.
    let own = own_weights(&pentalith::games::parse_variant("invector:4x3").unwrap());
    assert_eq!(fit(&fewer, &["--rate", "0.000001", "--passes", "1"]).0, own);
}

#[test]
fn lines_that_are_no_games_are_quoted() {
    let directory = folder("bad games");
    let path = |name: &str| path_in(&directory, name);
    let (played, good) = (path("played.txt"), path("good.txt"));
    let few = ["invector:2x1", "--rounds", "1", "--games", "1", "--nodes", "1", "--record", &good];
    assert_eq!(tune(&few).2, Some(0));
    let good = fs::read_to_string(&good).unwrap();
    let cases = [
        ("", "\"\": expected a variant and steps"),
        ("invector:2x1 x=2", "\"=2\": expected a variant and steps, each followed by nothing or by a score"),
        ("chess e4", "\"chess\""),
        ("invector:2x1 z9", "step 1: "),
        ("invector:2x1", "the game is not over at the end of the line"),
        ("markane:1x1 a1", "markane:1x1 has not the same features as invector:2x1"),
    ];
    for (line, why) in cases {
        fs::write(&played, format!("{good}{line}\n")).unwrap();
        let (weights, told, status) = tune(&["invector:2x1", "--rounds", "0", "--data", &played]);
        assert_eq!((weights.as_str(), status), ("", Some(2)), "{told}");
        let place = format!("can't use {played}: line 2: ");
        assert!(told.contains(&place) && told.contains(why), "{line}: {told}");
    }
    let (_, told, status) = tune(&["invector:2x1", "--rounds", "0"]);
    assert_eq!(status, Some(2));
    assert!(told.contains("no games to learn from: expected at least one round"), "{told}");
    let (_, told, status) = tune(&["invector:2x1", "--record", &path("no/such/games.txt")]);
    assert_eq!(status, Some(2));
    assert!(told.contains("can't write to") && told.contains("games.txt"), "{told}");
}
