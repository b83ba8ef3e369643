//! `pentalith-verify` accepts what is proven and refuses what is not. The certificates are written here, by brute
//! force over the boards of the library.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pentalith::games;
use pentalith::rules::{Board, Color, Step, Variant as LibraryVariant};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use crate::reference::steps;
use crate::verifier::replay::Proof;
use crate::verifier::rules::{Key, Position, Variant};
use crate::verifier::{Error, certificate};

/// A side of a game in a certificate: p1 or p2.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Seat {
    P1,
    P2,
}

const SEATS: [Seat; 2] = [Seat::P1, Seat::P2];

impl Seat {
    fn name(self) -> &'static str {
        match self {
            Seat::P1 => "p1",
            Seat::P2 => "p2",
        }
    }

    fn color(self, board: &dyn Board) -> Color {
        let first = first(board);
        if self == Seat::P1 { first } else { !first }
    }
}

fn first(board: &dyn Board) -> Color {
    let mut start = board.fork();
    start.restart();
    start.side()
}

/// A claim, with the lead in half points that the side reaches at least; a win without points is a lead of 2.
#[derive(Clone, PartialEq, Debug)]
struct Claim {
    text: String,
    least: i32,
}

fn claim(text: &str) -> Claim {
    let least = match text {
        "win" => 1,
        "draw" => 0,
        margin => {
            let number = margin.strip_prefix("margin ").unwrap();
            (2.0 * number.parse::<f64>().unwrap()) as i32
        }
    };
    Claim {
        text: text.to_owned(),
        least,
    }
}

fn open(variant: &str, position: &str) -> Box<dyn Board> {
    let variant: LibraryVariant = games::parse_variant(variant).unwrap();
    let mut board = games::open(&variant).unwrap();
    if position != "start" {
        board.set_position(position).unwrap();
    }
    board
}

fn legal(board: &dyn Board) -> Vec<Step> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    steps
}

/// A position line with what matters of the turn number.
fn identity(line: &str) -> String {
    let (rest, turn) = line.rsplit_once(' ').unwrap();
    let turn: u32 = turn.parse().unwrap();
    let turn = if turn > 4 { 4 - turn % 2 } else { turn };
    format!("{rest} {turn}")
}

/// The lead of a colour at the end of a game, in half points.
fn lead(board: &dyn Board, color: Color) -> Option<i32> {
    let outcome = board.outcome()?;
    let lead = board.margin().map_or(2, |margin| margin.0);
    Some(match outcome.winner {
        None => 0,
        Some(winner) if winner == color => lead,
        Some(_) => -lead,
    })
}

/// The leads of Black with best play, found by trying everything.
#[derive(Default)]
struct Truth(HashMap<String, i32>);

impl Truth {
    fn black(&mut self, board: &mut dyn Board) -> i32 {
        if let Some(lead) = lead(board, Color::Black) {
            return lead;
        }
        let identity = identity(&board.position());
        if let Some(&lead) = self.0.get(&identity) {
            return lead;
        }
        let side = board.side();
        let leads = legal(board).into_iter().map(|step| {
            board.make(step);
            let lead = self.black(board);
            board.unmake();
            lead
        });
        let best = match side {
            Color::Black => leads.max(),
            Color::White => leads.min(),
        };
        self.0.insert(identity, best.unwrap());
        best.unwrap()
    }

    fn of(&mut self, board: &mut dyn Board, seat: Seat) -> i32 {
        let (color, black) = (seat.color(board), self.black(board));
        if color == Color::Black { black } else { -black }
    }
}

/// Writes the choices of a strategy for `color`: the first step that reaches `least`, or one that loses least.
struct Writer<'a> {
    /// `None`: the first step is always good.
    truth: Option<&'a mut Truth>,
    seat: Seat,
    color: Color,
    least: i32,
    seen: HashSet<String>,
    choices: Vec<u64>,
}

impl Writer<'_> {
    fn walk(&mut self, board: &mut dyn Board) {
        let over = board.is_over();
        if over || !self.seen.insert(identity(&board.position())) {
            return;
        }
        let mut steps = legal(board);
        if board.side() == self.color && steps.len() > 1 {
            let choice = self.choose(board, &steps);
            self.choices.push(choice as u64);
            steps = vec![steps[choice]];
        }
        for step in steps {
            board.make(step);
            self.walk(board);
            board.unmake();
        }
    }
}

impl Writer<'_> {
    fn choose(&mut self, board: &mut dyn Board, steps: &[Step]) -> usize {
        let Some(truth) = &mut self.truth else {
            return 0;
        };
        let lead = |&step: &Step| {
            board.make(step);
            let lead = truth.of(board, self.seat);
            board.unmake();
            lead
        };
        let leads: Vec<i32> = steps.iter().map(lead).collect();
        let good = leads.iter().position(|&lead| lead >= self.least);
        let best = || {
            leads
                .iter()
                .position(|lead| Some(lead) == leads.iter().max())
        };
        good.or_else(best).unwrap()
    }
}

/// Replays choices as plainly as can be, by the library's rules. Tells whether they prove that `color` reaches `least`.
fn proves(board: &mut dyn Board, color: Color, least: i32, choices: &[u64]) -> bool {
    fn walk(
        board: &mut dyn Board,
        color: Color,
        least: i32,
        rest: &mut std::slice::Iter<u64>,
        seen: &mut HashSet<String>,
    ) -> bool {
        if let Some(lead) = lead(board, color) {
            return lead >= least;
        }
        if !seen.insert(identity(&board.position())) {
            return true;
        }
        let mut steps = legal(board);
        if board.side() == color && steps.len() > 1 {
            let step = rest.next().and_then(|&choice| steps.get(choice as usize));
            let Some(&step) = step else {
                return false;
            };
            steps = vec![step];
        }
        steps.into_iter().all(|step| {
            board.make(step);
            let holds = walk(board, color, least, rest, seen);
            board.unmake();
            holds
        })
    }
    let mut rest = choices.iter();
    walk(board, color, least, &mut rest, &mut HashSet::new()) && rest.next().is_none()
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

fn leb128(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Cuts choices into blocks with their checksums.
fn blocks(bytes: &[u8]) -> Vec<u8> {
    let block = |block: &[u8]| [block, &crc32(block).to_le_bytes()].concat();
    bytes.chunks(65_536).flat_map(block).collect()
}

#[derive(Clone)]
struct Strategy {
    seat: Seat,
    claim: Claim,
    choices: Vec<u64>,
}

#[derive(Clone)]
struct Certificate {
    variant: String,
    position: String,
    strategies: Vec<Strategy>,
}

impl Certificate {
    /// Writes the strategies of the given claims, true or not.
    fn new(variant: &str, position: &str, truth: &mut Truth, claims: &[(Seat, Claim)]) -> Self {
        Self::write(variant, position, Some(truth), claims)
    }

    fn write(
        variant: &str,
        position: &str,
        mut truth: Option<&mut Truth>,
        claims: &[(Seat, Claim)],
    ) -> Self {
        let mut board = open(variant, position);
        let strategies = claims.iter().map(|(seat, claim)| {
            let color = seat.color(&*board);
            let mut writer = Writer {
                truth: truth.as_deref_mut(),
                seat: *seat,
                color,
                least: claim.least,
                seen: HashSet::new(),
                choices: Vec::new(),
            };
            writer.walk(&mut *board);
            Strategy {
                seat: *seat,
                claim: claim.clone(),
                choices: writer.choices,
            }
        });
        let strategies = strategies.collect();
        Self {
            variant: variant.to_owned(),
            position: board.position(),
            strategies,
        }
    }

    fn header(&self) -> String {
        format!(
            "pentalith certificate 1\nvariant {}\nposition {}\nstrategies {}\n",
            self.variant,
            self.position,
            self.strategies.len()
        )
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header().into_bytes();
        for strategy in &self.strategies {
            let Strategy {
                seat,
                claim,
                choices,
            } = strategy;
            let line = format!(
                "strategy {} {} {}\n",
                seat.name(),
                claim.text,
                choices.len()
            );
            bytes.extend(line.into_bytes());
            let choices: Vec<u8> = choices.iter().flat_map(|&choice| leb128(choice)).collect();
            bytes.extend(blocks(&choices));
        }
        bytes
    }

    /// Tells whether all strategies prove their claims, by the library's rules.
    fn holds(&self) -> bool {
        let mut board = open(&self.variant, &self.position);
        self.strategies.iter().all(|strategy| {
            let color = strategy.seat.color(&*board);
            proves(&mut *board, color, strategy.claim.least, &strategy.choices)
        })
    }
}

fn check(bytes: &[u8]) -> Result<Proof, String> {
    let mut proof = Proof::default();
    match certificate::check(bytes, 64 << 20, &mut proof) {
        Ok(()) => Ok(proof),
        Err(Error::Refused(error) | Error::Failed(error)) => Err(error),
    }
}

/// Variants and positions that brute force solves in no time, of all games.
const SMALL: &[(&str, &str)] = &[
    ("invector:2x1", "start"),
    ("invector:3x2", "start"),
    ("invector:2x3,pie=off", "start"),
    ("invector:5x2,pie=off", "start"),
    ("markane:3x2,pie=on", "start"),
    ("markane:3x3", "start"),
    ("markane:4x2", "start"),
    ("gravel:2,x=2,stall=2", "start"),
    ("gravel:2,x=2,pie=on,stall=3", "start"),
    ("gravel:3,x=2,stall=5", "w1w1b1/w1b1b1/w1b1. w - 1,1 2 9"),
    ("inversion:2", "start"),
    ("inversion:2,komi=-1.5,pie=on", "start"),
    (
        "inversion:3,order=alternate",
        "wbw/bwb./wbwbw/..bw/.bw b - 16",
    ),
    ("inversion:3,komi=3", "wbw/bwb./wbwbw/..bw/.bw b - 16"),
    (
        "inversion:3,order=single,pie=on",
        "wbw/bwb./wbwbw/..bw/.bw b - 16",
    ),
    (
        "invictus:stall=2",
        "........./...b2...../........./....b1..../........./........./..w3....../.w2....../......... b 3,5 - 0 41",
    ),
];

/// The claims that hold and cannot be improved.
fn best_claims(board: &mut dyn Board, truth: &mut Truth) -> Vec<(Seat, Claim)> {
    let points = board.margin().is_some();
    let mut claims = Vec::new();
    for seat in SEATS {
        let lead = truth.of(board, seat);
        if points {
            claims.push((seat, claim(&format!("margin {}", half_points(lead)))));
        } else if lead >= 0 {
            claims.push((seat, claim(if lead == 0 { "draw" } else { "win" })));
        }
    }
    claims
}

fn half_points(lead: i32) -> String {
    (f64::from(lead) / 2.0).to_string()
}

/// Small positions with their truths.
fn each(mut test: impl FnMut(&str, &str, &mut dyn Board, &mut Truth)) {
    for (variant, position) in SMALL {
        let mut board = open(variant, position);
        test(variant, position, &mut *board, &mut Truth::default());
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
        assert_eq!(proof.value, [value, value], "{}", certificate.header());
        if board.margin().is_some() {
            assert_eq!(proof.margin, [Some(i64::from(p1)); 2]);
        }
        let strategies = certificate.strategies.iter();
        choices += strategies.map(|one| one.choices.len()).sum::<usize>();
        // One strategy alone proves a bound.
        for strategy in &certificate.strategies {
            let mut alone = certificate.clone();
            alone.strategies = vec![strategy.clone()];
            let bound = check(&alone.bytes()).unwrap();
            let [low, high] = bound.value;
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
            for at in (0..count).step_by(1 + count / 60) {
                for value in 0..=12 {
                    let mut certificate = certificate.clone();
                    let choices = &mut certificate.strategies[strategy].choices;
                    if choices[at] == value {
                        continue;
                    }
                    choices[at] = value;
                    let accepted = check(&certificate.bytes());
                    assert_eq!(
                        accepted.is_ok(),
                        certificate.holds(),
                        "{board:?}",
                        board = board.position()
                    );
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
    assert!(
        changed > 2000 && refused > changed / 2,
        "{refused} of {changed}"
    );
}

#[test]
fn another_variant_position_or_claim_is_refused() {
    let refused = |variant: &str, position: &str, claims: &[&str], line: &str, other: &str| {
        let mut truth = Truth::default();
        let seats = SEATS.into_iter().zip(claims.iter().map(|text| claim(text)));
        let seats: Vec<(Seat, Claim)> = seats.collect();
        let certificate = Certificate::new(variant, position, &mut truth, &seats);
        assert!(check(&certificate.bytes()).is_ok(), "{variant} {claims:?}");
        let bytes = replace(&certificate.bytes(), line, other);
        assert_ne!(bytes, certificate.bytes());
        check(&bytes).map(|proof| proof.value).unwrap_err()
    };
    let inversion = "wbw/bwb./wbwbw/..bw/.bw b - 16";
    for (variant, claims, line, other) in [
        (
            "inversion:2",
            &["margin -7", "margin 7"][..],
            "variant inversion:2",
            "variant inversion:2,komi=-3",
        ),
        (
            "inversion:2",
            &["margin -7", "margin 7"],
            "margin -7",
            "margin -6.5",
        ),
        (
            "inversion:2",
            &["margin -7", "margin 7"],
            "p1 margin -7",
            "p1 win",
        ),
        (
            "inversion:2",
            &["margin -7", "margin 7"],
            "p1 margin -7",
            "p1 draw",
        ),
        ("inversion:2", &["margin -7", "margin 7"], "w - 1", "w - 3"),
        (
            "inversion:2",
            &["margin -7", "margin 7"],
            "p2 margin",
            "p1 margin",
        ),
    ] {
        refused(variant, "start", claims, line, other);
    }
    let error = refused(
        "inversion:3",
        inversion,
        &["margin -19"],
        "b - 16",
        "b - 14",
    );
    assert!(error.contains("do not fit turn 14"), "{error}");
}

fn replace(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes
        .windows(old.len())
        .position(|window| window == old.as_bytes());
    let at = at.unwrap_or_else(|| panic!("no {old}"));
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

#[test]
fn cut_and_lengthened_files_are_refused() {
    each_certificate(|certificate, _, _| {
        let bytes = certificate.bytes();
        let step = 1 + bytes.len() / 400;
        for length in (0..bytes.len()).step_by(step).chain([bytes.len() - 1]) {
            let error = check(&bytes[..length])
                .map(|proof| proof.value)
                .unwrap_err();
            assert!(error.contains("the file ends within"), "{error}");
        }
        for more in [&b"\n"[..], b"\0", b"strategy p1 draw 0\n", &bytes] {
            let longer = [&bytes, more].concat();
            let error = check(&longer).map(|proof| proof.value).unwrap_err();
            assert!(
                error.contains("the certificate is over, and the file is not"),
                "{error}"
            );
        }
    });
}

#[test]
fn a_changed_byte_of_a_block_is_found_by_its_checksum() {
    each_certificate(|certificate, _, _| {
        let bytes = certificate.bytes();
        let start = certificate.header().len();
        let line = bytes[start..]
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap();
        let choices = certificate.strategies[0].choices.len();
        for at in (0..choices + 4).step_by(1 + choices / 50) {
            for bit in 0..7 {
                let mut changed = bytes.clone();
                changed[start + line + 1 + at] ^= 1 << bit;
                let error = check(&changed).map(|proof| proof.value).unwrap_err();
                assert!(error.contains("checksum"), "{error}");
            }
        }
    });
}

/// A certificate of a strategy with given bytes of choices.
fn with_choices(line: &str, bytes: &[u8]) -> Vec<u8> {
    let header = "pentalith certificate 1\nvariant invector:3x2,pie=off\nposition wbw/bwb b 1\nstrategies 1\n";
    [header.as_bytes(), line.as_bytes(), b"\n", &blocks(bytes)].concat()
}

#[test]
fn numbers_have_one_form() {
    let error = |line: &str, bytes: &[u8]| {
        let proof = check(&with_choices(line, bytes));
        proof.map(|proof| proof.value).unwrap_err()
    };
    let found = |line: &str, bytes: &[u8], expected: &str| {
        let error = error(line, bytes);
        assert!(error.contains(expected), "{error}");
    };
    found("strategy p1 win 1", &[0x80, 0], "more bytes than it needs");
    found(
        "strategy p1 win 1",
        &[0x81, 0x80, 0],
        "more bytes than it needs",
    );
    found(
        "strategy p1 win 1",
        &[0x81, 0x80, 0x80, 0x80, 0x80, 1],
        "more than five bytes",
    );
    found(
        "strategy p1 win 1",
        &[0xff, 0xff, 0xff, 0xff, 0x7f],
        "the choice is 34359738367",
    );
    found(
        "strategy p1 win 1",
        &[7],
        "the choice is 7, and there are 7 legal steps",
    );
    found(
        "strategy p1 win 1",
        &[0],
        "a choice is needed, and the strategy has only 1",
    );
    found(
        "strategy p1 win 0",
        &[],
        "a choice is needed, and the strategy has only 0",
    );
    found(
        "strategy p1 win 18446744073709551615",
        &[0],
        "the file ends within the choices",
    );
    for line in [
        "strategy p1 win 18446744073709551616",
        "strategy p1 win 01",
        "strategy p1 win +1",
        "strategy p1 win -1",
        "strategy p1 win",
        "strategy p3 win 1",
        "strategy P1 win 1",
        "strategy p1 loss 1",
        "strategy p1  win 1",
        "strategy p1 win 1 ",
        "strategy p1 win 1\r",
    ] {
        found(
            line,
            &[0],
            "expected `p1` or `p2`, a claim and a number of choices",
        );
    }
    found("strategy p1 margin 1 1", &[0], "invector has no points");
    found(
        "Strategy p1 win 1",
        &[0],
        "expected a line `strategy …`, found `Strategy p1 win 1`",
    );
    for margin in [
        "+1", "1.0", "0.25", "-0", "nan", "inf", "1e1", "", "01", ".5",
    ] {
        let header = "pentalith certificate 1\nvariant inversion:2\nposition ../.../.. w - 1\nstrategies 1\n";
        let bytes = format!("{header}strategy p1 margin {margin} 0\n");
        let error = check(bytes.as_bytes())
            .map(|proof| proof.value)
            .unwrap_err();
        assert!(error.contains("expected `p1`"), "{margin}: {error}");
    }
}

#[test]
fn headers_that_are_wrong_are_refused() {
    let good = [
        "pentalith certificate 1",
        "variant markane:3x3",
        "position .../.../... b 1 1",
        "strategies 1",
    ];
    for (at, line, expected) in [
        (
            0,
            "pentalith certificate 2",
            "checks `pentalith certificate 1`, not version `2`",
        ),
        (
            0,
            "pentalith certificate",
            "expected a line `pentalith certificate …`",
        ),
        (0, "", "expected a line"),
        (0, "\u{feff}pentalith certificate 1", "expected a line"),
        (
            1,
            "variant markane",
            "the canonical name of `markane` is `markane:8x8`",
        ),
        (
            1,
            "variant markane:3x3,pie=off",
            "the canonical name of `markane:3x3,pie=off` is `markane:3x3`",
        ),
        (
            1,
            "variant Markane:3x3",
            "`Markane` is none of the five games",
        ),
        (1, "variant markane:3x3,x=2", "markane has no `x=2`"),
        (1, "variant markane:26x3", "is beyond the limits"),
        (1, "variant markane:0x3", "is beyond the limits"),
        (1, "variant markane:300x3", "has no `300x3`"),
        (1, "variant invector:4x4", "is beyond the limits"),
        (1, "variant gravel:1", "is beyond the limits"),
        (1, "variant gravel:5,x=100", "is beyond the limits"),
        (1, "variant gravel:5,stall=0", "is beyond the limits"),
        (1, "variant gravel:5,pie=on,x=3", "the canonical name"),
        (1, "variant inversion:14", "is beyond the limits"),
        (1, "variant inversion:3,komi=999.5", "has no `komi=999.5`"),
        (1, "variant inversion:3,komi=0.3", "has no `komi=0.3`"),
        (1, "variant inversion:3,order=none", "has no `order=none`"),
        (1, "variant invictus:9x9", "the canonical name"),
        (
            2,
            "position .../.../.. b 1 1",
            "rank 1 does not fit the board: `..`",
        ),
        (
            2,
            "position .../.../.... b 1 1",
            "rank 1 does not fit the board",
        ),
        (2, "position .../... b 1 1", "the board has 3 ranks, not 2"),
        (2, "position .../.../... b 1", "too few fields"),
        (2, "position .../.../... b 1 1 1", "too many fields"),
        (
            2,
            "position .../.../... B 1 1",
            "the side to move is `b` or `w`",
        ),
        (2, "position .../.../... w 1 1", "b is to move at turn 1"),
        (
            2,
            "position .../.../... b 1 01",
            "not as the notation writes it",
        ),
        (
            2,
            "position .../.../... b 1 1000000000",
            "no number from 0 to 999999999",
        ),
        (3, "strategies 3", "expected 1 or 2 strategies, found `3`"),
        (3, "strategies 0", "expected 1 or 2 strategies"),
        (3, "strategies 01", "expected 1 or 2 strategies"),
    ] {
        let mut lines = good.map(str::to_owned);
        lines[at] = line.to_owned();
        let text = lines.join("\n") + "\nstrategy p1 win 0\n";
        let error = check(text.as_bytes()).map(|proof| proof.value).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
        assert!(error.starts_with("byte "), "{error}");
    }
    let error = check(&[b'a'; 10_000]).map(|proof| proof.value).unwrap_err();
    assert!(error.contains("longer than 4096 bytes"), "{error}");
}

#[test]
fn changes_at_random_prove_nothing_false() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(50);
    let (mut accepted, mut refused) = (0, 0);
    each_certificate(|certificate, _, _| {
        let bytes = certificate.bytes();
        let tries = if bytes.len() > 2000 { 100 } else { 400 };
        for _ in 0..tries {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.next_u64() % 3 {
                let at = random.next_u64() as usize % changed.len();
                let byte = b"\0\n 012bwp/.,-:x=\x80\xff"[random.next_u64() as usize % 20];
                match random.next_u64() % 5 {
                    0 => changed[at] ^= 1 << (random.next_u64() % 8),
                    1 => changed[at] = byte,
                    2 => changed.insert(at, byte),
                    3 => drop(changed.remove(at)),
                    _ => changed[at] = changed[random.next_u64() as usize % changed.len()],
                }
            }
            let changed = with_right_checksums(&changed);
            match check(&changed) {
                Err(_) => refused += 1,
                Ok(proof) => {
                    accepted += 1;
                    is_true(&proof);
                }
            }
        }
    });
    assert!(accepted > 50 && refused > 1000, "{accepted} {refused}");
}

/// Repairs the checksums of a certificate as far as it can be understood.
fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut repaired = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        repaired.extend(line);
        rest = after;
        let text = String::from_utf8_lossy(line);
        let count = text
            .trim_end()
            .rsplit(' ')
            .next()
            .and_then(|count| count.parse::<usize>().ok());
        if text.starts_with("strategy ") && count.is_some_and(|count| (1..60_000).contains(&count))
        {
            let last = rest.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
            let last = last.map(|(at, _)| at).nth(count.unwrap() - 1);
            let Some(last) = last.filter(|last| last + 5 <= rest.len()) else {
                break;
            };
            repaired.extend(blocks(&rest[..=last]));
            rest = &rest[last + 5..];
        }
    }
    repaired.extend(rest);
    repaired
}

/// Asks brute force whether a proof is true.
fn is_true(proof: &Proof) {
    let mut board = open(&proof.variant, &proof.position);
    let lead = Truth::default().of(&mut *board, Seat::P1);
    let [low, high] = proof.value;
    assert!(
        i32::from(low) <= lead.signum() && lead.signum() <= i32::from(high),
        "{}",
        proof.variant
    );
    let [low, high] = proof.margin;
    assert!(
        low.is_none_or(|low| low <= i64::from(lead)),
        "{}",
        proof.variant
    );
    assert!(
        high.is_none_or(|high| high >= i64::from(lead)),
        "{}",
        proof.variant
    );
}

#[test]
fn keys_are_equal_for_equal_positions_alone() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let more = [
        "gravel:3,x=3",
        "gravel:25,x=99,pie=on",
        "invictus",
        "inversion:3,order=alternate,pie=on",
        "markane:5x4",
    ];
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
                    1 => {
                        changed.insert(at, b"bw.0123456789-+,/ pr"[random.next_u64() as usize % 20])
                    }
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
                assert_eq!(
                    own.is_ok(),
                    fits,
                    "{variant} {changed}\n{:?} {:?}",
                    own.err(),
                    read.err()
                );
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
    // A strategy that only asks to reach -99 points may choose anything.
    let claims = [(Seat::P1, claim("margin -99"))];
    let certificate = Certificate::write("inversion:3", "start", None, &claims);
    let choices = certificate.strategies[0].choices.len();
    assert!(choices > 65_536, "{choices}");
    let bytes = certificate.bytes();
    check(&bytes).unwrap();
    // The checksum of the first block.
    let mut changed = bytes.clone();
    let line = format!("strategy p1 margin -99 {choices}\n");
    let at = certificate.header().len() + line.len() + 65_536;
    changed[at] ^= 1;
    let error = check(&changed).map(|proof| proof.value).unwrap_err();
    assert!(
        error.starts_with(&format!("byte {}: the block of choices", at + 4)),
        "{error}"
    );
}

fn verify(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith-verify"));
    command.args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn the_program_says_what_is_proven() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("proof");
    let path = file.to_str().unwrap();
    let mut truth = Truth::default();
    let claims = [
        (Seat::P1, claim("margin -7")),
        (Seat::P2, claim("margin 7")),
    ];
    let certificate = Certificate::new("inversion:2", "start", &mut truth, &claims);
    fs::write(&file, certificate.bytes()).unwrap();
    let output = verify(&[path]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stdout);
    let start = "Proven: in inversion:2 from the start, Black (p2) wins by 7 points. (";
    assert!(said.starts_with(start), "{said}");
    assert!(output.stderr.is_empty());
    let output = verify(&["--json", path]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["variant"], "inversion:2");
    assert_eq!(json["value"], "p2win");
    assert_eq!(json["score"], -7);
    assert_eq!(json["bounds"], serde_json::json!(["p2win", "p2win"]));
    assert!(json["positions"].as_u64().unwrap() > 10 && json["seconds"].is_number());
    // A bound.
    let certificate = Certificate::new("inversion:2", "start", &mut truth, &claims[..1]);
    fs::write(&file, certificate.bytes()).unwrap();
    let said = verify(&[path]).stdout;
    let bound = "both sides may still win, and White (p1) leads by at least -7 points in the end.";
    assert!(text(&said).contains(bound), "{}", text(&said));
    // A lie.
    let certificate = Certificate::new(
        "inversion:2",
        "start",
        &mut truth,
        &[(Seat::P1, claim("win"))],
    );
    fs::write(&file, certificate.bytes()).unwrap();
    let output = verify(&[path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = text(&output.stderr);
    for part in [
        "strategy 1 (p1 win), choice ",
        ", byte ",
        "the claim fails: Black has won by ",
        "position: ",
        "moves to it: ",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let output = verify(&[path, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["value"], "unknown");
    assert_eq!(json["score"], Value::Null);
    assert!(json["error"].as_str().unwrap().contains("the claim fails"));
}

#[test]
fn files_that_are_none_and_wrong_usage_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let told = |arguments: &[&str], status: i32, expected: &str| {
        let output = verify(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {said}");
        assert!(said.contains(expected), "{arguments:?}: {said}");
    };
    let folder = folder.path().to_str().unwrap();
    told(&[folder], 2, "pentalith-verify: ");
    told(&[&format!("{folder}/none")], 2, "none: ");
    told(&[], 2, "which FILE shall be checked?");
    told(&["a", "b"], 2, "one FILE at a time; `b` is a second one");
    told(&["--fast", "a"], 2, "there is no option `--fast`");
    told(
        &["a", "--memory"],
        2,
        "`--memory` takes a number of MB, not ``",
    );
    told(
        &["a", "--memory", "0"],
        2,
        "`--memory` takes a number of MB, not `0`",
    );
    if Path::new("/dev/zero").exists() {
        told(
            &["/dev/zero"],
            1,
            "the line `pentalith certificate` is longer than 4096 bytes",
        );
        told(
            &["/dev/null"],
            1,
            "the file ends within the line `pentalith certificate`",
        );
    }
    let help = verify(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("Usage: pentalith-verify [--json] [--memory MB] FILE"));
    let version = verify(&["--version"]);
    let expected = format!("pentalith-verify {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&version.stdout), expected);
}

#[test]
fn memory_has_a_limit() {
    let mut truth = Truth::default();
    let mut board = open("gravel:3,x=2,stall=5", SMALL[9].1);
    let claims = best_claims(&mut *board, &mut truth);
    let bytes = Certificate::new("gravel:3,x=2,stall=5", SMALL[9].1, &mut truth, &claims).bytes();
    let mut proof = Proof::default();
    match certificate::check(&bytes[..], 20_000, &mut proof) {
        Err(Error::Failed(error)) => assert!(error.contains("`--memory` allows more"), "{error}"),
        _ => panic!("it fits"),
    }
}
