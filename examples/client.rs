//! A client of UGI: lets an engine play a game against itself, 100 nodes per move.
//!
//! `cargo run --example client -- pentalith ugi invector:5x4`

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Lines, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

struct Engine {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    /// Sends a command and returns the first line that begins with a word, without that word.
    fn ask(&mut self, command: &str, word: &str) -> Result<String, Box<dyn Error>> {
        writeln!(self.input, "{command}")?;
        for line in self.output.by_ref() {
            // Other lines, such as `info`, may come before it.
            if let Some(rest) = line?.strip_prefix(word) {
                return Ok(rest.trim().to_owned());
            }
        }
        Err(format!("the engine has ended without {word}").into())
    }
}

/// Plays a game, and writes its moves and its result.
pub fn run(words: impl IntoIterator<Item = OsString>, output: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let mut words = words.into_iter();
    let program = words.next().ok_or("expected the command line of an engine")?;
    let mut process = Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = process.stdin.take().ok_or("no pipe")?;
    let lines = BufReader::new(process.stdout.take().ok_or("no pipe")?).lines();
    let mut engine = Engine { input, output: lines };
    engine.ask("ugi", "ugiok")?;
    let mut position = "position startpos moves".to_owned();
    while engine.ask(&format!("{position}\nquery gameover"), "response")? != "true" {
        let best = engine.ask("go nodes 100", "bestmove")?;
        writeln!(output, "{best}")?;
        position.push_str(&format!(" {best}"));
    }
    writeln!(output, "{}", engine.ask("query result", "response")?)?;
    writeln!(engine.input, "quit")?;
    process.wait()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args_os().skip(1), &mut io::stdout().lock())
}
