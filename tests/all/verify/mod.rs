//! `pentalith-verify` accepts what is proven and refuses what is not. The certificates are written here, by brute
//! force over the boards of the library.

mod brute_force;
mod format;
mod program;
mod random;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use pentalith::rules::Board;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::reference::steps;
use crate::verifier::replay::Proof;
use crate::verifier::rules::{Key, Position, Variant};
use crate::verifier::{Error, certificate};
use brute_force::{
    Certificate, SEATS, SMALL, Seat, Truth, best_claims, blocks, claim, each, half_points, identity, legal, open,
};

pub fn check(bytes: &[u8]) -> Result<Proof, String> {
    let mut proof = Proof::default();
    match certificate::check(bytes, 64 << 20, &mut proof) {
        Ok(()) => Ok(proof),
        Err(Error::Refused(error) | Error::Failed(error)) => Err(error),
    }
}

/// The certificates of the best claims of small positions, with the truth.
fn each_certificate(mut test: impl FnMut(&Certificate, &mut dyn Board, &mut Truth)) {
    each(|variant, position, board, truth| {
        let claims = best_claims(board, truth);
        let certificate = Certificate::new(variant, position, truth, &claims);
        test(&certificate, board, truth);
    });
}

#[test]
fn what_is_true_is_accepted_in_all_games() {
    let mut choices = 0;
    each_certificate(|certificate, board, truth| {
        let proof = check(&certificate.bytes()).unwrap();
        let p1 = truth.of(board, Seat::P1);
        let value = p1.signum() as i8;
        assert_eq!(proof.results(), [value, value], "{}", certificate.header());
        if board.margin().is_some() {
            assert_eq!(proof.margins(), [Some(i64::from(p1)); 2]);
        }
        let strategies = certificate.strategies.iter();
        choices += strategies.map(|one| one.choices.len()).sum::<usize>();
        // One strategy alone proves a bound.
        for strategy in &certificate.strategies {
            let mut alone = certificate.clone();
            alone.strategies = vec![strategy.clone()];
            let bound = check(&alone.bytes()).unwrap();
            let [low, high] = bound.results();
            assert!(low <= value && value <= high);
        }
    });
    assert!(choices > 1000, "{choices}");
}

#[test]
fn what_is_false_is_refused_with_the_place() {
    each(|variant, position, board, truth| {
        for seat in SEATS {
            let lead = truth.of(board, seat);
            let mut claims = vec!["win".to_owned(), "draw".to_owned()];
            if board.margin().is_some() {
                claims.extend([-9, -1, 0, 1, 9].map(|more| {
                    let margin = half_points(lead + more);
                    format!("margin {margin}")
                }));
            }
            for text in claims {
                let claims = [(seat, claim(&text))];
                let certificate = Certificate::new(variant, position, truth, &claims);
                let holds = lead >= claims[0].1.least;
                match check(&certificate.bytes()) {
                    Ok(_) => assert!(holds, "{}", certificate.header()),
                    Err(error) => {
                        assert!(!holds, "{error}");
                        let start = format!("strategy 1 ({} {text}), choice ", seat.name());
                        assert!(error.starts_with(&start), "{error}");
                        place_is_right(&certificate, &error);
                    }
                }
            }
        }
    });
}

/// The moves of the message lead to the position that it names.
fn place_is_right(certificate: &Certificate, error: &str) {
    let line = |name: &str| error.lines().find_map(|line| line.strip_prefix(name));
    let mut board = open(&certificate.variant, &certificate.position);
    let moves = line("moves to it: ").unwrap();
    for step in moves.split([' ', ',']).filter(|&moves| moves != "none") {
        let step = board.find_step(step).unwrap();
        board.make(step);
    }
    assert_eq!(board.position(), line("position: ").unwrap(), "{error}");
}

#[test]
fn changed_choices_are_judged_by_the_rules_alone() {
    let (mut changed, mut refused) = (0, 0);
    each_certificate(|certificate, board, _| {
        for strategy in 0..certificate.strategies.len() {
            let count = certificate.strategies[strategy].choices.len();
            // Large certificates have many alike.
            for at in (0..count).step_by(1 + count / 6) {
                for value in [0, 1, 2, 3, 5, 8, 13] {
                    let mut certificate = certificate.clone();
                    let choices = &mut certificate.strategies[strategy].choices;
                    if choices[at] == value {
                        continue;
                    }
                    choices[at] = value;
                    let accepted = check(&certificate.bytes());
                    assert_eq!(accepted.is_ok(), certificate.holds(), "{board:?}", board = board.position());
                    changed += 1;
                    refused += usize::from(accepted.is_err());
                }
                // A choice is missing, or there is one more.
                let mut fewer = certificate.clone();
                fewer.strategies[strategy].choices.remove(at);
                assert_eq!(check(&fewer.bytes()).is_ok(), fewer.holds());
                let mut more = certificate.clone();
                more.strategies[strategy].choices.insert(at, 0);
                assert_eq!(check(&more.bytes()).is_ok(), more.holds());
            }
        }
    });
    assert!(changed > 500 && refused > changed / 2, "{refused} of {changed}");
}

#[test]
fn another_variant_position_or_claim_is_refused() {
    let refused = |variant: &str, position: &str, claims: &[&str], line: &str, other: &str| {
        let mut truth = Truth::default();
        let seats = SEATS.into_iter().zip(claims.iter().map(|text| claim(text)));
        let seats: Vec<_> = seats.collect();
        let certificate = Certificate::new(variant, position, &mut truth, &seats);
        assert!(check(&certificate.bytes()).is_ok(), "{variant} {claims:?}");
        let bytes = replace(&certificate.bytes(), line, other);
        assert_ne!(bytes, certificate.bytes());
        check(&bytes).map(|proof| proof.results()).unwrap_err()
    };
    let inversion = "wbw/bwb./wbwbw/..bw/.bw b - 16";
    for (variant, claims, line, other) in [
        ("inversion:2", &["margin -7", "margin 7"][..], "variant inversion:2", "variant inversion:2,komi=-3"),
        ("inversion:2", &["margin -7", "margin 7"], "margin -7", "margin -6.5"),
        ("inversion:2", &["margin -7", "margin 7"], "p1 margin -7", "p1 win"),
        ("inversion:2", &["margin -7", "margin 7"], "p1 margin -7", "p1 draw"),
        ("inversion:2", &["margin -7", "margin 7"], "w - 1", "w - 3"),
        ("inversion:2", &["margin -7", "margin 7"], "p2 margin", "p1 margin"),
    ] {
        refused(variant, "start", claims, line, other);
    }
    let error = refused("inversion:3", inversion, &["margin -19"], "b - 16", "b - 14");
    assert!(error.contains("do not fit turn 14"), "{error}");
}

fn replace(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes());
    let at = at.unwrap_or_else(|| panic!("no {old}"));
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

#[test]
fn cut_and_lengthened_files_are_refused() {
    each_certificate(|certificate, _, _| {
        let bytes = certificate.bytes();
        let step = 1 + bytes.len() / 400;
        for length in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
            let error = check(&bytes[..length]).map(|proof| proof.results()).unwrap_err();
            assert!(error.contains("the file ends within"), "{error}");
        }
        for more in [&b"\n"[..], b"\0", b"strategy p1 draw 0\n", &bytes] {
            let longer = [&bytes, more].concat();
            let error = check(&longer).map(|proof| proof.results()).unwrap_err();
            assert!(error.contains("the certificate is over, and the file is not"), "{error}");
        }
    });
}

#[test]
fn a_changed_byte_of_a_block_is_found_by_its_checksum() {
    each_certificate(|certificate, _, _| {
        let bytes = certificate.bytes();
        let start = certificate.header().len();
        let line = bytes[start..].iter().position(|&byte| byte == b'\n').unwrap();
        let choices = certificate.strategies[0].choices.len();
        if choices == 0 {
            return;
        }
        for at in (0..choices + 4).step_by(1 + choices / 50) {
            for bit in 0..7 {
                let mut changed = bytes.clone();
                changed[start + line + 1 + at] ^= 1 << bit;
                let error = check(&changed).map(|proof| proof.results()).unwrap_err();
                assert!(error.contains("checksum"), "{error}");
            }
        }
    });
}

/// The example of the page, and the same with another choice.
#[test]
fn the_example_of_the_page_is_as_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/certificate.md");
    let page = fs::read_to_string(page).unwrap();
    let mut bytes = Vec::new();
    let dump = page.lines().filter_map(|line| line.strip_prefix("000000"));
    for line in dump {
        let hexadecimal = &line[4..43.min(line.len())];
        let digits: String = hexadecimal.split_whitespace().collect();
        let pairs = (0..digits.len()).step_by(2).map(|at| &digits[at..at + 2]);
        bytes.extend(pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()));
    }
    let mut truth = Truth::default();
    let claims = [(Seat::P1, claim("win"))];
    let mut certificate = Certificate::new("markane:4x1", "start", &mut truth, &claims);
    assert_eq!(certificate.bytes(), bytes);
    let proof = check(&bytes).unwrap();
    assert_eq!((proof.results(), proof.positions), ([1, 1], 6));
    certificate.strategies[0].choices[0] = 1;
    let error = check(&certificate.bytes()).map(|proof| proof.positions).unwrap_err();
    assert!(page.contains(&error), "{error}");
}

#[test]
fn keys_are_equal_for_equal_positions_alone() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let more =
        ["gravel:3,x=3", "gravel:25,x=99,pie=on", "invictus", "inversion:3,order=alternate,pie=on", "markane:5x4"];
    let variants = SMALL.iter().map(|(variant, _)| *variant).chain(more);
    for variant in variants {
        let variant = Variant::read(variant).unwrap();
        let mut lines: HashMap<Vec<u8>, String> = HashMap::new();
        let mut keys: HashMap<String, Vec<u8>> = HashMap::new();
        let mut key = Key::default();
        for _ in 0..20 {
            let mut position = variant.start();
            for _ in 0..100 {
                key.set(&variant, &position);
                let identity = identity(&position.text(&variant));
                let line = lines.entry(key.bytes.clone()).or_insert(identity.clone());
                assert_eq!(*line, identity);
                let bytes = keys.entry(identity).or_insert(key.bytes.clone());
                assert_eq!(*bytes, key.bytes);
                let steps = steps(&variant, &position);
                if steps.is_empty() {
                    break;
                }
                let step = steps[random.next_u64() as usize % steps.len()];
                (variant.rules.play)(&variant, &mut position, step);
            }
        }
    }
}

/// Position lines are read exactly as the library reads them, with changes at random too.
#[test]
fn the_same_positions_are_refused_as_by_the_library() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let more = [
        ("gravel:4,pie=on", "start"),
        ("invictus", "start"),
        ("inversion:3,order=alternate,pie=on", "start"),
        ("inversion:3,order=single", "start"),
        ("markane:4x3,pie=on", "start"),
        ("invector:4x3", "start"),
    ];
    let (mut good, mut bad) = (0, 0);
    for (variant, position) in SMALL.iter().copied().chain(more) {
        let slow = Variant::read(variant).unwrap();
        let mut board = open(variant, position);
        let mut reader = open(variant, "start");
        for _ in 0..60 {
            let line = board.position();
            assert_eq!(Position::read(&slow, &line).unwrap().text(&slow), line);
            for _ in 0..20 {
                let mut changed = line.clone().into_bytes();
                let at = random.next_u64() as usize % changed.len();
                match random.next_u64() % 4 {
                    0 => drop(changed.remove(at)),
                    1 => changed.insert(at, b"bw.0123456789-+,/ pr"[random.next_u64() as usize % 20]),
                    2 => {
                        let other = random.next_u64() as usize % changed.len();
                        changed.swap(at, other);
                    }
                    _ => changed[at] = b"bw.0123456789-+,/ pr"[random.next_u64() as usize % 20],
                }
                let changed = String::from_utf8(changed).unwrap();
                let read = reader.set_position(&changed);
                let fits = read.is_ok() && reader.position() == changed;
                let own = Position::read(&slow, &changed);
                assert_eq!(own.is_ok(), fits, "{variant} {changed}\n{:?} {:?}", own.err(), read.err());
                if fits { good += 1 } else { bad += 1 }
            }
            let steps = legal(&*board);
            if steps.is_empty() {
                board = open(variant, position);
            } else {
                board.make(steps[random.next_u64() as usize % steps.len()]);
            }
        }
    }
    assert!(good > 300 && bad > 3000, "{good} {bad}");
}

#[test]
fn choices_of_several_blocks_are_read() {
    let header = "pentalith certificate 1\nvariant inversion:3,pie=on\nposition .../..../...../..../... w - 1\n";
    // The first step anywhere: that is enough for -19 points. How many choices that takes, the refusal says.
    let certificate = |count: usize| {
        let start = format!("{header}strategies 1\nstrategy p2 margin -19 {count}\n");
        (start.len(), [start.into_bytes(), blocks(&vec![0; count])].concat())
    };
    let error = check(&certificate(200_000).1).map(|proof| proof.positions).unwrap_err();
    let (start, needed) = error.split_once(" and needs ").unwrap();
    assert!(start.ends_with("strategy 1 has 200000 choices"), "{error}");
    let count: usize = needed.parse().unwrap();
    assert!(count > 65_536, "{count}");
    let (start, mut bytes) = certificate(count);
    check(&bytes).unwrap();
    // The checksum of the first block.
    let at = start + 65_536;
    bytes[at] ^= 1;
    let error = check(&bytes).map(|proof| proof.positions).unwrap_err();
    assert!(error.starts_with(&format!("byte {}: the block of choices", at + 4)), "{error}");
}

#[test]
fn memory_has_a_limit() {
    let mut truth = Truth::default();
    let mut board = open("markane:4x3", "start");
    let claims = best_claims(&mut *board, &mut truth);
    let bytes = Certificate::new("markane:4x3", "start", &mut truth, &claims).bytes();
    assert!(check(&bytes).is_ok());
    for memory in [0, 1000, 5000] {
        let mut proof = Proof::default();
        match certificate::check(&bytes[..], memory, &mut proof) {
            Err(Error::Failed(error)) => {
                assert!(error.contains("`--memory` allows more"), "{error}")
            }
            _ => panic!("it fits"),
        }
    }
}
