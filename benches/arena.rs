//! Overhead of a match: processes that answer at once play the same game again and again.
//!
//! `cargo bench -p pentalith-benches --bench arena` prints the time a move, in microseconds, of three runs for each protocol.
#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use pentalith::arena::tournament::{
    Conditions, Ending, Engine, Interrupts, Match, OpeningSource, Part, TimeControl, TournamentFormat, run,
};
use pentalith::games::parse_variant;
use pentalith::search::SystemClock;

/// A whole game of `markane:8x8`.
const GAME: &str = "a5 a3 e3 c2 h7 g7 e1 d7 a2 e8 a7 c5 f5 f6 d6 h5 g2 b8 f7,a4,d8,c3,f8,h3 c4,g1 d4 e6 f6,b4,c3 d1 \
                    f1,g4 h8 c1,g8,h1,d2 e5 e6,b6 f3 f2,c7 g6 g5,h4";

const GAMES: u64 = 200;
const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("ugi") => engine(ugi),
        Some("gtp") => engine(gtp),
        _ => {
            for protocol in ["ugi", "gtp"] {
                let mut runs = Vec::new();
                for _ in 0..RUNS {
                    runs.push(format!("{:.1}", microseconds_a_move(protocol)?));
                }
                println!("{protocol} {} µs/move", runs.join(" "));
            }
        }
    }
    Ok(())
}

/// Plays a match with one game at a time.
fn microseconds_a_move(protocol: &str) -> Result<f64, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let engine = |name: &str| {
        let text = format!("{name}={protocol}:{} {protocol}", program.display());
        text.parse().map(|engine| Engine { limit: TimeControl::MoveTime(Duration::from_secs(10)), ..engine })
    };
    let (_open, never) = bounded(0);
    let interrupts = Interrupts { finish: never.clone(), abort: never };
    let setup = Match {
        engines: vec![engine("a")?, engine("b")?],
        conditions: Conditions {
            variant: parse_variant("markane:8x8")?,
            time_margin: Duration::ZERO,
            timeout: Duration::from_secs(10),
            move_timeout: Duration::from_secs(10),
            max_moves: None,
            resignation: None,
        },
        format: TournamentFormat::RoundRobin,
        games: GAMES,
        paired: true,
        part: Part::All,
        seed: 1,
        openings: OpeningSource::Start,
        concurrency: 1,
        sprt: None,
        record: None,
        json: None,
        failures: None,
        command: Default::default(),
        max_failures: 1,
    };
    let began = Instant::now();
    let (statistics, ending) = run(setup, &SystemClock::default(), &interrupts, &mut |_, _| {})?;
    let took = began.elapsed();
    assert_eq!(ending, Ending::Complete, "{statistics}");
    let moves = GAMES * GAME.split_whitespace().count() as u64;
    Ok(took.as_secs_f64() * 1e6 / moves as f64)
}

/// Answers lines as they come, with what is left of the game.
fn engine(answer: fn(&str, &mut usize) -> Option<String>) {
    let mut played = 0;
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if line == "quit" {
            return;
        }
        if let Some(answer) = answer(&line, &mut played) {
            let written = output.write_all(answer.as_bytes());
            if written.and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    }
}

fn next_move(played: usize) -> &'static str {
    GAME.split_whitespace().nth(played).unwrap_or("none")
}

fn ugi(line: &str, played: &mut usize) -> Option<String> {
    let mut words = line.split(' ');
    Some(match words.next()? {
        "ugi" => "id name script\nugiok\n".to_owned(),
        "isready" => "readyok\n".to_owned(),
        "position" => {
            *played = words.count().saturating_sub(2);
            return None;
        }
        "go" => format!("bestmove {}\n", next_move(*played)),
        _ => return None,
    })
}

fn gtp(line: &str, played: &mut usize) -> Option<String> {
    Some(match line.split(' ').next()? {
        "list_commands" => "= play\ngenmove\nclear_board\n\n".to_owned(),
        "clear_board" => {
            *played = 0;
            "=\n\n".to_owned()
        }
        "play" => {
            *played += 1;
            "=\n\n".to_owned()
        }
        "genmove" => {
            *played += 1;
            format!("= {}\n\n", next_move(*played - 1))
        }
        _ => "=\n\n".to_owned(),
    })
}
