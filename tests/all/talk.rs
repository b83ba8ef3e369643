//! A conversation line by line, with the program or with a dialect inside this process.

use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pentalith::games;
use pentalith::protocol::{Detect, gtp::Gtp, serve, ugi::Ugi};
use pentalith::search::SystemClock;
use pentalith::session::Session;

/// Time limit for one line. After it the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// Works on each item on its own thread: programs that wait leave the processors to each other.
pub fn side_by_side<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let work = &work;
    thread::scope(|scope| {
        for item in items {
            scope.spawn(move || work(item));
        }
    });
}

/// A new game.
pub fn session(variant: &str) -> Session {
    let variant = games::parse_variant(variant).unwrap();
    Session::new(&variant, Arc::new(SystemClock::default())).unwrap()
}

/// Starts the program, which reads and writes pipes.
pub fn start(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Who answers.
enum Other {
    Program(Child),
    Service(JoinHandle<io::Result<()>>),
}

/// A conversation. What is said is sent at once, and what is answered is read as it comes.
pub struct Talk {
    input: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    other: Other,
}

impl Talk {
    /// With the real program.
    pub fn program(arguments: &[&str]) -> Self {
        let mut program = start(arguments);
        Self {
            input: Some(Box::new(program.stdin.take().unwrap())),
            lines: lines(program.stdout.take().unwrap()),
            other: Other::Program(program),
        }
    }

    fn service(serve: impl FnOnce(PipeReader, PipeWriter) -> io::Result<()> + Send + 'static) -> Self {
        let (their_input, input) = io::pipe().unwrap();
        let (output, their_output) = io::pipe().unwrap();
        Self {
            input: Some(Box::new(input)),
            lines: lines(output),
            other: Other::Service(thread::spawn(move || serve(their_input, their_output))),
        }
    }

    /// With UGI in this process.
    pub fn ugi(variant: &str) -> Self {
        let session = session(variant);
        Self::service(|input, output| serve(Ugi::new(session), input, output))
    }

    /// With GTP in this process.
    pub fn gtp(variant: &str) -> Self {
        let session = session(variant);
        Self::service(|input, output| serve(Gtp::new(session), input, output))
    }

    /// With whatever the first command chooses.
    pub fn detect(variant: &str) -> Self {
        let session = session(variant);
        Self::service(|input, output| serve(Detect::new(session), input, output))
    }

    /// Sends text as it is.
    pub fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Sends lines.
    pub fn say(&mut self, lines: &str) {
        self.write(&format!("{lines}\n"));
    }

    /// The next line; `None` when no more can come.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line comes"),
        }
    }

    /// The lines up to one that begins with this, which is the last one.
    pub fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
            if lines.last().unwrap().starts_with(beginning) {
                return lines;
            }
        }
        panic!("{beginning} does not come: {lines:?}");
    }

    /// Sends lines and gives what is answered up to a line that begins with this.
    pub fn ask(&mut self, lines: &str, until: &str) -> Vec<String> {
        self.say(lines);
        self.until(until)
    }

    /// Says no more, and gives the rest of what is answered. The other must be content.
    pub fn end(mut self) -> Vec<String> {
        self.input = None;
        self.rest()
    }

    /// Returns the answers up to the end, which the other reaches by itself, with success.
    pub fn rest(mut self) -> Vec<String> {
        let mut rest = Vec::new();
        while let Some(line) = self.line() {
            rest.push(line);
        }
        match self.other {
            Other::Program(mut program) => assert!(program.wait().unwrap().success()),
            Other::Service(service) => service.join().unwrap().unwrap(),
        }
        rest
    }
}

/// Reads lines on a thread, so that no one has to wait for good.
fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}
