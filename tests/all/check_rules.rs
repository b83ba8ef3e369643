//! `pentalith check --variant`: engines with wrong rules are found, with a small game that shows it.
#![cfg(unix)]

use std::env;
use std::fs;
use std::io::{self, BufRead, Write};
use std::process::Command;

use pentalith::games;
use pentalith::rules::{Board, Color, StepError};
use serde_json::Value;

use crate::talk::side_by_side;

/// Names the variant and the fault of the engine in this binary: `markane:4x4 refuses`.
const WRONG: &str = "PENTALITH_WRONG_ENGINE";

/// An engine by our rules with a fault.
struct Engine {
    board: Box<dyn Board>,
    fault: String,
    /// True after a move of UGI that can't be played.
    is_broken: bool,
    /// Captured stones that it has forgotten to take away.
    ghosts: Vec<String>,
    /// Side that played the last step.
    mover: Option<Color>,
}

impl Engine {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    fn restart(&mut self) {
        self.board.restart();
        self.ghosts.clear();
        self.mover = None;
    }

    /// Returns true if the fault is this one about something, as in `late:stalemate`.
    fn has_about(&self, fault: &str, what: &str) -> bool {
        self.fault.split_once(':').is_some_and(|(name, about)| name == fault && what.contains(about))
    }

    /// Returns true if an illegal step is accepted. It does nothing.
    fn accepts(&self, step: &str, reason: &str) -> bool {
        let is_swap = step == "swap" && self.board.ply() == 2;
        let is_first = self.has("first") && self.board.ply() == 0;
        self.has("accepts") || self.has_about("accepts", reason) || self.has("late swap") && is_swap || is_first
    }

    /// Ends the game too early, when a single legal step is left, or goes on behind an end.
    fn is_over(&self) -> bool {
        let mut steps = Vec::new();
        if self.board.outcome().is_some_and(|outcome| self.has_about("late", outcome.reason)) {
            return false;
        }
        self.board.steps(&mut steps);
        self.board.is_over() || self.has("ends") && steps.len() == 1
    }

    fn play(&mut self, text: &str) -> bool {
        text.split(',').all(|step| self.step(step))
    }

    fn step(&mut self, text: &str) -> bool {
        let is_same_side = self.mover == Some(self.board.side());
        let is_unknown = ["swap", "pass"].iter().any(|word| self.has(word) && text == *word);
        if self.is_over() || is_unknown || self.has("turn") && is_same_side {
            return false;
        }
        let step = match self.board.find_step(text) {
            Ok(step) => step,
            Err(StepError::Illegal { reason, .. }) => return self.accepts(text, &reason),
            Err(StepError::Syntax(_)) => return false,
        };
        if self.ghosts.iter().any(|cell| cell == text) {
            return false;
        }
        let captured = self.board.effects(step).captured;
        // Some captures are illegal for it.
        if self.has("refuses") && !captured.is_empty() {
            return false;
        }
        self.mover = Some(self.board.side());
        self.board.make(step);
        if self.has("forgets") || self.has("chain") {
            let shape = self.board.shape();
            let kept = captured.into_iter().skip(usize::from(self.has("chain")));
            self.ghosts.extend(kept.map(|(cell, _)| shape.label(cell)));
        }
        true
    }

    fn winner(&self) -> Option<Option<Color>> {
        let outcome = self.board.outcome().filter(|_| self.is_over());
        let winner = outcome.map(|outcome| outcome.winner);
        if self.has("komi") {
            let counts = self.board.counts();
            let count = |name: &str| counts.iter().find(|(known, _)| *known == name).unwrap().1.0;
            let more = [Color::Black, Color::White].into_iter().zip([count("b"), count("w")]);
            let most = more.clone().map(|(_, count)| count).max().unwrap();
            let best: Vec<Color> = more.filter(|(_, count)| *count == most).map(|(color, _)| color).collect();
            return winner.map(|_| (best.len() == 1).then(|| best[0]));
        }
        let is_reason = outcome.is_some_and(|outcome| self.has_about("reason", outcome.reason));
        match self.has("result") || is_reason {
            true => winner.map(|winner| winner.map(|color| !color)),
            false => winner,
        }
    }

    fn gtp(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let done = |ok: bool| Some(if ok { "=\n".to_owned() } else { "? illegal move\n".to_owned() });
        match words.as_slice() {
            ["clear_board"] => {
                self.restart();
                done(true)
            }
            ["play", color, text] => {
                let is_turn = color.starts_with(self.board.side().letter());
                let ok = is_turn && self.play(text);
                done(ok)
            }
            ["list_commands"] => Some("= play\nclear_board\nfinal_score\nlist_commands\nname\nquit\n".to_owned()),
            ["final_score"] => Some(match self.winner() {
                None => "? not over\n".to_owned(),
                Some(None) => "= 0\n".to_owned(),
                Some(Some(color)) => format!("= {}+\n", color.letter().to_ascii_uppercase()),
            }),
            ["name"] => Some("= Wrong\n".to_owned()),
            ["quit"] => None,
            _ => Some("? unknown command\n".to_owned()),
        }
    }

    fn ugi(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match words.as_slice() {
            ["ugi"] => "id name Wrong\nid author nobody\nugiok".to_owned(),
            ["isready"] => "readyok".to_owned(),
            ["position", "startpos", moves @ ..] => {
                self.restart();
                self.is_broken = !moves.iter().skip(1).all(|text| self.play(text));
                return Some(String::new());
            }
            ["query", "gameover"] => format!("response {}", self.is_broken || self.is_over()),
            ["query", "p1turn"] => format!("response {}", self.board.side() == self.board.variant().info().first),
            ["query", "result"] => {
                let first = self.board.variant().info().first;
                let result = match self.winner() {
                    None => "none",
                    Some(None) => "draw",
                    Some(Some(color)) if color == first => "p1win",
                    Some(Some(_)) => "p2win",
                };
                format!("response {result}")
            }
            ["go", ..] => "bestmove none".to_owned(),
            ["quit"] => return None,
            _ => return Some(String::new()),
        })
    }
}

/// Not a test: the engine that the tests below check. It is this binary, with a variable set.
#[test]
#[ignore = "an engine for other tests"]
fn wrong_engine() {
    let Ok(wrong) = env::var(WRONG) else { return };
    let (variant, fault) = wrong.split_once(' ').unwrap();
    let board = games::open(&games::parse_variant(variant).unwrap()).unwrap();
    let mut engine = Engine { board, fault: fault.to_owned(), is_broken: false, ghosts: Vec::new(), mover: None };
    let mut output = io::stdout();
    let mut is_ugi = false;
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        is_ugi |= line == "ugi";
        let answer = if is_ugi { engine.ugi(&line) } else { engine.gtp(&line) };
        let Some(answer) = answer else { return };
        if !answer.is_empty() {
            writeln!(output, "{answer}").unwrap();
            output.flush().unwrap();
        }
    }
}

/// Checks the rules of the engine with a fault. Returns the status and the report.
fn checked(protocol: &str, variant: &str, fault: &str, games: &str) -> (i32, Value) {
    let engine = env::current_exe().unwrap();
    let wrong = format!("{WRONG}={variant} {fault}");
    let output = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["check", "--protocol", protocol, "--variant", variant, "--games", games, "--timeout", "60", "--json"])
        .args(["--only", "legal step", "--only", "illegal step", "--only", "in every", "--", "env", &wrong])
        .arg(engine)
        .args(["--ignored", "--exact", "check_rules::wrong_engine", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_str(&text);
    (output.status.code().unwrap(), report.unwrap_or_else(|_| panic!("{text} {:?}", output.stderr)))
}

/// The checks that fail, with their messages and transcripts.
fn failed(report: &Value) -> Vec<(String, String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let rows = report["checks"].as_array().unwrap().iter().filter(|row| row["verdict"] == "fail");
    rows.map(|row| (text(row, "name"), text(row, "message"), text(row, "transcript"))).collect()
}

/// Number of plays in a transcript.
fn plays(transcript: &str) -> usize {
    let moves = transcript.lines().find_map(|line| line.strip_prefix("> position startpos moves "));
    match moves {
        Some(moves) => moves.split(' ').count(),
        None => transcript.lines().filter(|line| line.starts_with("> play ")).count(),
    }
}

/// Asserts that a fault is found by one of some checks, or by any, by a game of a few plays, whose transcript repeats it.
fn is_found(protocol: &str, variant: &str, fault: &str, checks: &[&str], most: usize) {
    let (status, report) = checked(protocol, variant, fault, "20");
    let failed = failed(&report);
    assert_eq!(status, 1, "{protocol} {variant} {fault}: {report:#}");
    let found = failed.iter().find(|(name, ..)| checks.is_empty() || checks.contains(&name.as_str()));
    let Some((_, message, transcript)) = found else {
        panic!("{protocol} {variant} {fault}: {failed:#?}");
    };
    assert!(plays(transcript) <= most, "{protocol} {variant} {fault}: {message}\n{transcript}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.transcript");
    fs::write(&path, transcript).unwrap();
    let run = |engine: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
        let output = program.args(["transcript", "run"]).arg(&path).args(engine).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, output) = run(&[]);
    assert_eq!(status, 1, "{transcript}{output}");
    let (status, output) = run(&["--", env!("CARGO_BIN_EXE_pentalith"), protocol, "{variant}"]);
    assert_eq!(status, 0, "{transcript}{output}");
}

const LEGAL: &str = "every legal step is accepted";
const ILLEGAL: [&str; 2] = ["every illegal step gets an error", "every illegal step is refused"];
const RESULT: [&str; 2] = ["final_score is right in every game", "query result is right in every game"];

#[test]
fn wrong_rules_are_found_with_a_small_game() {
    let faults: [(&str, &str, &[&str], usize); 6] = [
        ("markane:4x4", "refuses", &[LEGAL], 5),
        ("inversion:3", "accepts", &ILLEGAL, 2),
        ("markane:4x4", "forgets", &[LEGAL], 8),
        ("invector:4x3", "swap", &[LEGAL], 2),
        ("inversion:2", "ends", &[LEGAL], 7),
        ("gravel:2,x=2", "result", &RESULT, 40),
    ];
    let all = faults.iter().flat_map(|fault| [("gtp", fault), ("ugi", fault)]);
    side_by_side(all, |(protocol, (variant, fault, checks, most))| {
        is_found(protocol, variant, fault, checks, *most);
    });
}

#[test]
fn other_wrong_rules_are_found_too() {
    let faults: [(&str, &str, &[&str], usize); 10] = [
        ("markane:5x5,pie=on", "late swap", &ILLEGAL, 3),
        ("invector:4x3", "pass", &[LEGAL], 30),
        ("gravel:3,x=2", "accepts:holds", &ILLEGAL, 30),
        ("invictus:stall=9", "accepts:the die to set now", &ILLEGAL, 2),
        ("markane:5x5", "chain", &[], 40),
        ("inversion:3", "turn", &[LEGAL], 20),
        ("inversion:3,komi=3.5", "komi", &RESULT, 60),
        ("markane:4x4", "reason:annihilation", &RESULT, 16),
        ("markane:4x4", "late:stalemate", &[], 16),
        ("invector:5x4", "first", &ILLEGAL, 1),
    ];
    let all = faults.iter().flat_map(|fault| [("gtp", fault), ("ugi", fault)]);
    side_by_side(all, |(protocol, (variant, fault, checks, most))| {
        is_found(protocol, variant, fault, checks, *most);
    });
}

/// It is right but where the points are equal by one of the two komis, and in UGI it tells only who wins.
#[test]
fn an_engine_with_another_komi_is_found() {
    let output = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["check", "--variant", "inversion:3,komi=4", "--timeout", "60", "--only", "in every", "--json", "--"])
        .args([env!("CARGO_BIN_EXE_pentalith"), "ugi", "inversion:3,komi=3"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(failed(&report).iter().any(|(name, ..)| name == RESULT[1]), "{report:#}");
}

#[test]
fn right_rules_pass_in_all_games() {
    let variants =
        ["invector:5x4", "markane:5x4,pie=on", "gravel:3,x=3,pie=on", "inversion:3,pie=on", "invictus:stall=9"];
    let all = variants.iter().flat_map(|variant| [("gtp", *variant), ("ugi", *variant)]);
    side_by_side(all, |(protocol, variant)| {
        let games = if variant.starts_with("invictus") { "1" } else { "4" };
        let output = Command::new(env!("CARGO_BIN_EXE_pentalith"))
            .args(["check", "--variant", variant, "--games", games, "--timeout", "60", "--json", "--only", "step"])
            .args(["--only", "in every", "--only", "perft", "--", env!("CARGO_BIN_EXE_pentalith"), protocol, variant])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((report["failed"].as_u64(), report["skipped"].as_u64()), (Some(0), Some(0)), "{report:#}");
        // The engine without a fault, which lists no steps.
        let (status, report) = checked(protocol, variant, "none", "1");
        assert_eq!(status, 0, "{report:#}");
    });
}

#[test]
fn a_transcript_of_a_wrong_rule_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = format!("{WRONG}=markane:3x3 accepts");
    let output = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(["check", "--protocol", "gtp", "--variant", "markane:3x3", "--timeout", "60", "--only", "illegal step"])
        .arg("--transcripts")
        .arg(folder.path().join("new"))
        .args(["--", "env", &wrong])
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "check_rules::wrong_engine", "--nocapture"])
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let file = folder.path().join("new/every-illegal-step-gets-an-error.transcript");
    assert!(report.contains("the smallest game that shows it, as a transcript:\n        $ env "), "{report}");
    let text = fs::read_to_string(file).unwrap();
    assert!(text.ends_with("< ? [..]\n"), "{text}");
}

/// A run of `check` with options; gives status, output and errors.
fn run(options: &[&str]) -> (i32, String, String) {
    let engine = ["--", "sh", "-c", include_str!("engines/gtp.sh")];
    let engine = if options.contains(&"--list") { &[][..] } else { &engine };
    let output =
        Command::new(env!("CARGO_BIN_EXE_pentalith")).arg("check").args(options).args(engine).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn checks_are_chosen_by_their_names() {
    let (status, report, _) = run(&["--timeout", "60", "--only", "UNDO", "--skip", "at the start"]);
    assert_eq!(status, 0, "{report}");
    let names: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("pass  ")).collect();
    assert_eq!(names.len(), 3, "{report}");
    assert!(names[2].starts_with("undo takes a move back"), "{report}");
    let (status, _, errors) = run(&["--only", "nothing like it"]);
    assert_eq!(status, 2);
    assert!(errors.contains("no check has \"nothing like it\" in its name: check --list lists them"), "{errors}");
    let (status, list, _) = run(&["--list"]);
    assert_eq!(status, 0);
    assert!(list.starts_with("gtp\tthe first command is answered\tfirst of all\t"), "{list}");
    assert!(list.contains("\nugi\tugi is answered with ugiok\t"), "{list}");
}

#[test]
fn reports_are_read_by_other_tools() {
    let options = ["--timeout", "60", "--only", "undo", "--format"];
    let (status, xml, _) = run(&[&options[..], &["junit"]].concat());
    assert_eq!(status, 0);
    let document = roxmltree::Document::parse(&xml).unwrap();
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 4, "{xml}");
    let (_, tap, _) = run(&[&options[..], &["tap"]].concat());
    assert!(tap.starts_with("TAP version 14\n1..4\nok 1 - the first command is answered\n"), "{tap}");
}
