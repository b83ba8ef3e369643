//! Lines in and out, and what dialects make of them.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pentalith::games;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::ugi::Ugi;
use pentalith::protocol::{Dialect, Line, MAX_LINE, Meanwhile, Next, serve};
use pentalith::rules::Color;
use pentalith::search::{Proof, SearchStatistics, SystemClock};
use pentalith::session::{Event, Progress, Session, Variation};

/// Size of the buffer that input is read into, in bytes.
const AHEAD: usize = 16 << 20;

fn session() -> Session {
    let variant = games::parse_variant("invector:5x4").unwrap();
    Session::new(&variant, Arc::new(SystemClock::default())).unwrap()
}

/// Is shown every line until it wants no more.
struct Listener<F>(F);

impl<F: FnMut(&Line) -> bool> Dialect for Listener<F> {
    fn line(&mut self, line: &Line, _: &mut dyn Write) -> io::Result<Next> {
        Ok(if (self.0)(line) { Next::Listen } else { Next::Quit })
    }

    fn meanwhile(&mut self, _: &Line, _: &mut dyn Write) -> io::Result<Meanwhile> {
        Ok(Meanwhile::Later)
    }

    fn progress(&mut self, _: &Progress, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn done(&mut self, _: Option<Event>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn end_of_input(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

fn lines(bytes: impl AsRef<[u8]> + Send + 'static) -> Vec<Line> {
    let mut lines = Vec::new();
    let listener = Listener(|line: &Line| {
        lines.push(line.clone());
        true
    });
    serve(listener, io::Cursor::new(bytes), &mut io::sink()).unwrap();
    lines
}

#[test]
fn lines_come_cleaned_and_in_order() {
    let whole = |text: &str| Line::Whole(text.to_owned());
    assert_eq!(lines(*b"a\tb\r\n\n\x00c\x07\xff\nd"), [whole("a b"), whole(""), whole("c\u{fffd}"), whole("d"),]);
    assert_eq!(lines(*b""), []);
}

#[test]
fn only_so_much_is_read_ahead() {
    /// Counts what is read from it, without end.
    struct Endless(Arc<AtomicUsize>);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.fill(b'x');
            if let Some(last) = buffer.last_mut() {
                *last = b'\n';
            }
            self.0.fetch_add(buffer.len(), Ordering::Relaxed);
            Ok(buffer.len())
        }
    }
    let read = Arc::new(AtomicUsize::new(0));
    let mut taken = 0;
    let take = |line: &Line| {
        let Line::Whole(line) = line else { panic!("a long line") };
        taken += line.len() + 1;
        assert!(read.load(Ordering::Relaxed) <= taken + AHEAD + 2 * MAX_LINE);
        // It goes on only as lines are done.
        taken < 2 * AHEAD
    };
    serve(Listener(take), Endless(Arc::clone(&read)), &mut io::sink()).unwrap();
}

#[test]
fn a_line_of_a_megabyte_comes_whole_and_a_longer_one_is_skipped() {
    let mut bytes = vec![b'x'; MAX_LINE];
    bytes.extend(b"\r\n");
    bytes.extend_from_within(..MAX_LINE);
    bytes.push(b'\n');
    for longer in [1, 2, 3, 2 * MAX_LINE] {
        bytes.extend(vec![b'y'; MAX_LINE + longer]);
        bytes.push(b'\n');
    }
    bytes.extend(b"z\n");
    bytes.extend(vec![b'y'; MAX_LINE + 1]);
    let (whole, long) = ("x".repeat(MAX_LINE), "y".repeat(256));
    let (whole, long) = (Line::Whole(whole), Line::TooLong(long));
    let mut expected = vec![whole.clone(), whole];
    expected.extend(vec![long.clone(); 4]);
    expected.extend([Line::Whole("z".to_owned()), long]);
    assert!(lines(bytes) == expected);
}

/// Repeats a line, and works without end after `work` until it is told to end.
struct Echo(Option<crossbeam_channel::Sender<Event>>);

impl Dialect for Echo {
    fn line(&mut self, line: &Line, output: &mut dyn Write) -> io::Result<Next> {
        let Line::Whole(text) = line else {
            return Ok(Next::Quit);
        };
        writeln!(output, "{text}")?;
        if text == "work" {
            let (sender, receiver) = crossbeam_channel::unbounded();
            self.0 = Some(sender);
            return Ok(Next::Wait(receiver));
        }
        Ok(Next::Listen)
    }

    fn meanwhile(&mut self, line: &Line, _: &mut dyn Write) -> io::Result<Meanwhile> {
        Ok(match line {
            Line::Whole(text) if text == "stop" => {
                self.0 = None;
                Meanwhile::Done
            }
            _ => Meanwhile::Later,
        })
    }

    fn progress(&mut self, _: &Progress, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn done(&mut self, done: Option<Event>, output: &mut dyn Write) -> io::Result<()> {
        assert!(done.is_none());
        writeln!(output, "done")
    }

    fn end_of_input(&mut self, _: &mut dyn Write) -> io::Result<()> {
        self.0 = None;
        Ok(())
    }
}

#[test]
fn a_line_is_seen_behind_any_number_of_waiting_ones() {
    let names = "name\n".repeat(100_000);
    // The second work is never told to stop.
    let input = format!("work\n{names}stop\n{names}work");
    let mut output = Vec::new();
    serve(Echo(None), io::Cursor::new(input), &mut output).unwrap();
    let expected = format!("work\ndone\n{names}{names}work\ndone\n");
    assert!(output == expected.into_bytes());
}

#[test]
fn only_the_comment_interrupt_interrupts() {
    let mut gtp = Gtp::new(session());
    let mut is = |text: &str| {
        let line = Line::Whole(text.to_owned());
        matches!(gtp.meanwhile(&line, &mut io::sink()), Ok(Meanwhile::Done))
    };
    assert!(is("# interrupt") && is("#interrupt") && is("  #  interrupt "));
    assert!(!is("# interrupted games follow") && !is("interrupt") && !is("# no interrupt"));
}

#[test]
fn a_line_is_an_id_a_command_and_arguments() {
    let mut gtp = Gtp::new(session());
    for (line, expected) in [
        ("", ""),
        ("   # only a comment", ""),
        ("protocol_version", "= 2\n\n"),
        ("  12  play b  a1b1 # so", "=12\n\n"),
        ("12", "?12 syntax error: expected a command after the id \"12\"\n\n"),
        ("12legal", "? unknown command: \"12legal\": list_commands lists the commands\n\n"),
        ("007 name", "=007 pentalith\n\n"),
    ] {
        let mut output = Vec::new();
        gtp.line(&Line::Whole(line.to_owned()), &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), expected, "{line}");
    }
}

#[test]
fn scores_and_chances_belong_together() {
    let mut ugi = Ugi::new(session());
    let (black, white) = (Some(Color::Black), Some(Color::White));
    let cases = [
        (0.5, 0.0, None, "wdl 500 0 500 score cp 0"),
        (0.5, 0.2, None, "wdl 400 200 400 score cp 0"),
        (0.1, 0.5, None, "wdl 0 200 800 score cp -382"),
        (1.0, 0.0, None, "wdl 1000 0 0 score cp 9999"),
        (0.0, 0.3, None, "wdl 0 0 1000 score cp -9999"),
        (1.0, 0.3, Some((black, 1)), "wdl 1000 0 0 score mate 1"),
        (1.0, 0.0, Some((black, 5)), "wdl 1000 0 0 score mate 3"),
        (0.0, 0.0, Some((white, 4)), "wdl 0 0 1000 score mate -2"),
        (0.5, 0.0, Some((None, 4)), "wdl 0 1000 0 score cp 0"),
    ];
    for (expected_score, draws, proof, expected) in cases {
        let variation = Variation {
            moves: Vec::new(),
            visits: 1,
            expected_score,
            proof: proof.map(|(winner, moves)| Proof { winner, moves }),
        };
        let statistics = SearchStatistics { draws: Some(draws), ..SearchStatistics::default() };
        let progress = Progress { variations: vec![variation], statistics };
        let mut output = Vec::new();
        ugi.progress(&progress, &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains(&format!(" {expected} multipv 1 ")), "{output}");
    }
}
