//! Checks a certificate of `pentalith solve`: replays the strategies in it against every answer, and says what they
//! prove. Shares no code with the program that found them.

pub mod certificate;
pub mod replay;
pub mod rules;
mod visited;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::time::Instant;

use replay::Proof;
use rules::{half_points, name};

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

/// Runs the program: reads the command line, checks a file and prints what is proven.
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let has = |name| arguments.iter().any(|argument| argument == name);
    if has("--help") || has("-h") {
        return print(io::stdout(), USAGE, 0);
    }
    if has("--version") || has("-V") {
        return print(io::stdout(), concat!("pentalith-verify ", env!("CARGO_PKG_VERSION"), "\n"), 0);
    }
    let (json, memory, file) = match read_arguments(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return print(io::stderr(), &format!("pentalith-verify: {error}\n\n{USAGE}"), 2),
    };
    let began = Instant::now();
    let mut proof = Proof::default();
    let result = check(&file, memory, &mut proof);
    let seconds = began.elapsed().as_secs_f64();
    let (error, status) = match result {
        Ok(()) => (None, 0),
        Err(Error::Refused(error)) => (Some(error), 1),
        Err(Error::Failed(error)) => (Some(error), 2),
    };
    match error {
        error if json => print(io::stdout(), &object(&proof, error, seconds), status),
        None => print(io::stdout(), &sentence(&proof, seconds), status),
        Some(error) => print(io::stderr(), &format!("pentalith-verify: {}: {error}\n", file.display()), status),
    }
}

fn print(mut to: impl Write, text: &str, status: u8) -> ExitCode {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

fn read_arguments(arguments: Vec<OsString>) -> Result<(bool, usize, OsString), String> {
    let (mut json, mut memory, mut file) = (false, 16_384, None);
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match &*text {
            "--json" => json = true,
            "--memory" => {
                let value = rest.next().unwrap_or_default();
                let number = value.to_str().and_then(|value| value.parse().ok());
                let number = number.filter(|number| (1..=1 << 24).contains(number));
                memory = number.ok_or_else(|| format!("`--memory` takes a number of MB, not `{}`", value.display()))?;
            }
            option if option.starts_with('-') => return Err(format!("there is no option `{option}`")),
            second if file.is_some() => return Err(format!("one FILE at a time; `{second}` is a second one")),
            _ => file = Some(argument),
        }
    }
    let file = file.ok_or("which FILE shall be checked?")?;
    Ok((json, memory, file))
}

fn check(file: &OsString, memory: usize, proof: &mut Proof) -> Result<(), Error> {
    let file = File::open(file).map_err(|error| Error::Failed(error.to_string()))?;
    let reader = BufReader::with_capacity(1 << 16, file);
    certificate::check(reader, memory << 20, proof).inspect_err(|_| proof.claims = [None; 2])
}

/// Says in one sentence what is proven.
fn sentence(proof: &Proof, seconds: f64) -> String {
    let Proof { variant, position, positions, first, .. } = proof;
    let (p1, p2) = (format!("{} (p1)", name(*first)), format!("{} (p2)", name(-first)));
    let points = |halves: i64| format!("{} point{}", half_points(halves), if halves == 2 { "" } else { "s" });
    let mut claim = match proof.results() {
        [1, _] => format!("{p1} wins"),
        [_, -1] => format!("{p2} wins"),
        [0, 0] => "the game is a draw".to_owned(),
        [0, _] => format!("{p1} has at least a draw"),
        [_, 0] => format!("{p2} has at least a draw"),
        _ => "both sides may still win".to_owned(),
    };
    claim += &match proof.margins() {
        [Some(low), Some(high)] if low == high && low != 0 => format!(" by {}", points(low.abs())),
        [low, high] if low == high => String::new(),
        [low, high] => {
            let bound = |word, bound: Option<i64>| bound.map(|bound| format!("{word} {}", points(bound)));
            let bounds: Vec<String> = [bound("at least", low), bound("at most", high)].into_iter().flatten().collect();
            format!(", and {p1} leads by {} in the end", bounds.join(" and "))
        }
    };
    let place = if proof.from_start { "the start".to_owned() } else { format!("`{position}`") };
    format!("Proven: in {variant} from {place}, {claim}. ({positions} positions checked in {seconds:.1} s)\n")
}

/// Writes one object. Scores are p1's points less p2's.
fn object(proof: &Proof, error: Option<String>, seconds: f64) -> String {
    let value = |result: i8| quoted(["p2win", "draw", "p1win"].get((result + 1) as usize).unwrap_or(&"unknown"));
    let number = |halves: Option<i64>| halves.map_or("null".to_owned(), half_points);
    let ([least, most], [low, high]) = (proof.results(), proof.margins());
    let results = format!("[{}, {}]", value(least), value(most));
    let scores = format!("[{}, {}]", number(low), number(high));
    let mut fields = vec![
        ("variant", quoted(&proof.variant)),
        ("position", quoted(&proof.position)),
        ("value", value(if least == most { least } else { 2 })),
        ("score", number(low.filter(|_| low == high))),
        ("bounds", format!("{{\"value\": {results}, \"score\": {scores}}}")),
        ("positions", proof.positions.to_string()),
        ("seconds", format!("{seconds:.3}")),
    ];
    fields.extend(error.map(|error| ("error", quoted(&error))));
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("{{{}}}\n", fields.join(", "))
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
