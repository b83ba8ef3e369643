//! Checks a certificate of `pentalith solve`: replays the strategies in it against every answer, and says what they
//! prove. Shares no code with the program that found them.

mod certificate;
mod replay;
mod rules;
mod visited;

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::time::Instant;

use replay::Proof;
use rules::half_points;

const USAGE: &str = "\
Checks a certificate, the file of a proof that `pentalith solve --proof FILE` writes, by the rules alone.

Usage: pentalith-verify [--json] [--memory MB] FILE

  --json       print one JSON object
  --memory MB  memory for the positions that were visited, at most (default: 16384)
  --help       print this
  --version    print the version

Exit status: 0 if the certificate proves its claim, 1 if it does not, 2 if nothing can be said: wrong usage, a file that
cannot be read, too little memory.
";

/// Why a certificate proves nothing.
pub enum Error {
    /// It is wrong: exit status 1.
    Refused(String),
    /// Nothing can be said: exit status 2.
    Failed(String),
}

struct Arguments {
    json: bool,
    memory: usize,
    file: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|text| text.to_string_lossy().into_owned())
        .collect();
    let has = |name| arguments.iter().any(|argument| argument == name);
    if has("--help") || has("-h") {
        return print(io::stdout(), USAGE, 0);
    }
    if has("--version") || has("-V") {
        return print(
            io::stdout(),
            concat!("pentalith-verify ", env!("CARGO_PKG_VERSION"), "\n"),
            0,
        );
    }
    let arguments = match read_arguments(&arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            return print(
                io::stderr(),
                &format!("pentalith-verify: {error}\n\n{USAGE}"),
                2,
            );
        }
    };
    let began = Instant::now();
    let mut proof = Proof::default();
    let result = check(&arguments, &mut proof);
    if result.is_err() {
        proof.forget();
    }
    let seconds = began.elapsed().as_secs_f64();
    let (error, status) = match &result {
        Ok(()) => (None, 0),
        Err(Error::Refused(error)) => (Some(error), 1),
        Err(Error::Failed(error)) => (Some(error), 2),
    };
    if arguments.json {
        return print(
            io::stdout(),
            &json(&proof, error.map(String::as_str), seconds),
            status,
        );
    }
    match error {
        None => print(io::stdout(), &sentence(&proof, seconds), status),
        Some(error) => print(
            io::stderr(),
            &format!("pentalith-verify: {}: {error}\n", arguments.file),
            status,
        ),
    }
}

fn print(mut to: impl Write, text: &str, status: u8) -> ExitCode {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

fn read_arguments(arguments: &[String]) -> Result<Arguments, String> {
    let (mut json, mut memory, mut file) = (false, 16_384, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--memory" => {
                let value = rest.next().ok_or("--memory needs a number of MB")?;
                let number = value
                    .parse()
                    .ok()
                    .filter(|number| (1..=1 << 24).contains(number));
                memory = number
                    .ok_or_else(|| format!("--memory is a number of MB from 1, not `{value}`"))?;
            }
            option if option.starts_with('-') => {
                return Err(format!("there is no option `{option}`"));
            }
            _ if file.is_some() => {
                return Err(format!(
                    "one FILE is checked at a time; `{argument}` is a second"
                ));
            }
            _ => file = Some(argument.clone()),
        }
    }
    let file = file.ok_or("which FILE shall be checked?")?;
    Ok(Arguments { json, memory, file })
}

fn check(arguments: &Arguments, proof: &mut Proof) -> Result<(), Error> {
    let file = File::open(&arguments.file).map_err(|error| Error::Failed(error.to_string()))?;
    let reader = BufReader::with_capacity(1 << 16, file);
    certificate::check(reader, arguments.memory << 20, proof)
}

/// Says in one sentence what is proven.
fn sentence(proof: &Proof, seconds: f64) -> String {
    let [p1, p2] = proof.names();
    let points = |halves: i64| {
        format!(
            "{} point{}",
            half_points(halves),
            if halves == 2 { "" } else { "s" }
        )
    };
    let claim = match (proof.margin, proof.value) {
        ([Some(low), Some(high)], _) if low == high && low > 0 => {
            format!("{p1} wins by {}", points(low))
        }
        ([Some(low), Some(high)], _) if low == high && low < 0 => {
            format!("{p2} wins by {}", points(-low))
        }
        (_, [1, _]) => format!("{p1} wins"),
        (_, [_, -1]) => format!("{p2} wins"),
        (_, [0, 0]) => "the game is a draw".to_owned(),
        (_, [0, _]) => format!("{p1} has at least a draw"),
        (_, [_, 0]) => format!("{p2} has at least a draw"),
        _ => "neither side is shown to have a draw".to_owned(),
    };
    let bounds = match proof.margin {
        [low, high] if low == high => String::new(),
        [Some(low), None] => format!("; {p1} has at least {}", points(low)),
        [None, Some(high)] => format!("; {p2} has at least {}", points(-high)),
        [low, high] => format!(
            "; {p1} has {} to {}",
            points(low.unwrap_or(0)),
            points(high.unwrap_or(0))
        ),
    };
    let (place, count) = (proof.subject(), proof.positions);
    format!(
        "Proven: {place}, with best play {claim}{bounds} ({count} positions checked in {seconds:.1} s).\n"
    )
}

fn json(proof: &Proof, error: Option<&str>, seconds: f64) -> String {
    let number = |halves: Option<i64>| halves.map_or("null".to_owned(), half_points);
    let [low, high] = proof.margin;
    let score = if low == high { low } else { None };
    let value = match proof.value {
        [1, _] => "p1win",
        [_, -1] => "p2win",
        [0, 0] => "draw",
        _ => "unknown",
    };
    let name = |value: i8| {
        ["p2win", "draw", "p1win"]
            .get((value + 1) as usize)
            .copied()
            .unwrap_or("unknown")
    };
    let [least, most] = proof.value.map(name);
    let error = error.map_or(String::new(), |error| {
        format!(", \"error\": {}", quoted(error))
    });
    format!(
        "{{\"variant\": {}, \"position\": {}, \"value\": \"{value}\", \"score\": {}, \"bounds\": {{\"value\": \
         [\"{least}\", \"{most}\"], \"score\": [{}, {}]}}, \"positions\": {}, \"seconds\": {seconds:.3}{error}}}\n",
        quoted(&proof.variant),
        quoted(&proof.position),
        number(score),
        number(low),
        number(high),
        proof.positions,
    )
}

fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            c if c.is_control() => quoted += &format!("\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
