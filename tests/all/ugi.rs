//! UGI while a search runs: what is answered at once, what stops it, and one `bestmove` for every `go`.

use pentalith::protocol::ugi::Ugi;
use pentalith::protocol::{Dialect, Line, MAX_LINE, Next};
use pentalith::session::Event;

use crate::talk::{Talk, session};

/// The lines without those that tell how far a search is.
fn without_info(lines: Vec<String>) -> Vec<String> {
    let told = |line: &String| !line.starts_with("info depth");
    lines.into_iter().filter(told).collect()
}

fn count(lines: &[String], beginning: &str) -> usize {
    let begins = |line: &&String| line.starts_with(beginning);
    lines.iter().filter(begins).count()
}

#[test]
fn what_can_not_wait_is_answered_while_a_search_runs() {
    let mut talk = Talk::ugi("markane:8x8");
    talk.say("go infinite");
    for (line, last) in [
        ("isready", "readyok"),
        ("query fen", "response ......../"),
        ("query p1turn", "response true"),
        ("query result", "response none"),
        ("query nothing", "info error query"),
        ("d", "Black to move"),
        ("ugi", "ugiok"),
        ("nonsense", "info string unknown command"),
        ("\n\nisready", "readyok"),
    ] {
        let lines = talk.ask(line, last);
        assert_eq!(count(&lines, "bestmove"), 0, "{line}: {lines:?}");
    }
    let lines = talk.ask("stop", "bestmove ");
    assert_eq!(without_info(lines).len(), 1);
    assert_eq!(talk.end(), Vec::<String>::new());
}

#[test]
fn what_changes_something_stops_the_search_first() {
    for (change, fen) in [
        ("position startpos moves a1 c3", "c3"),
        ("setoption name Variant value markane:3x3", "3x3"),
        ("setoption name MultiPV value 2", "start"),
        ("uginewgame", "start"),
        ("position startpos moves a1 a1", "start"),
        ("setoption name Hash value none", "start"),
    ] {
        let mut talk = Talk::ugi("markane:4x4");
        // Both in one write, and one after the other.
        talk.say(&format!("go infinite\n{change}\nquery fen"));
        let together = without_info(talk.until("response"));
        talk.say("position startpos\nsetoption name Variant value markane:4x4\ngo infinite");
        assert_eq!(talk.ask("isready", "readyok").last().unwrap(), "readyok");
        let apart = without_info(talk.ask(&format!("{change}\nquery fen"), "response"));
        assert_eq!(together.len(), apart.len());
        for lines in [together, apart] {
            assert!(lines[0].starts_with("bestmove "), "{change}: {lines:?}");
            let expected = match fen {
                "c3" => "response ..../..w./..../b... b 1 3",
                "3x3" => "response .../.../... b 1 1",
                _ => "response ..../..../..../.... b 1 1",
            };
            assert_eq!(lines.last().unwrap(), expected, "{change}");
            let error = change.ends_with("a1 a1") || change.ends_with("none");
            assert_eq!(lines.len(), if error { 3 } else { 2 }, "{lines:?}");
            assert_eq!(lines[1].starts_with("info error"), error);
        }
        assert_eq!(talk.end(), Vec::<String>::new());
    }
}

#[test]
fn a_go_ends_the_one_before_it() {
    let mut talk = Talk::ugi("invector:8x7");
    talk.say("go infinite\ngo infinite searchmoves a1b1\ngo infinite\ngo nodes 20");
    talk.say("go perft 9\ngo perft 2\ngo infinite");
    let mut lines = talk.ask("isready\nstop\nisready", "readyok");
    lines.extend(talk.until("readyok"));
    let found: Vec<&String> = lines.iter().filter(|l| l.starts_with("bestmove")).collect();
    assert_eq!(found.len(), 7, "{lines:?}");
    assert_eq!(found[1], "bestmove a1b1");
    assert_eq!([found[4], found[5]], ["bestmove none", "bestmove none"]);
    assert!(lines.contains(&"info error perft was stopped".to_owned()));
    assert_eq!(talk.end(), Vec::<String>::new());
}

#[test]
fn a_search_is_about_the_position_in_front_of_it() {
    let mut talk = Talk::ugi("markane:4x4");
    let mut input = String::new();
    for (number, cell) in ["a1", "b2", "c3", "d4", "a4", "d1"].iter().enumerate() {
        input += &format!("position startpos moves {cell}\nquery fen\ngo infinite\nquery fen\n");
        // A search that runs is stopped by the next position, or by this.
        input += if number % 2 == 0 { "" } else { "stop\n" };
    }
    let lines = without_info(talk.ask(&(input + "stop\nisready"), "readyok"));
    let fens: Vec<&String> = lines.iter().filter(|l| l.starts_with("response")).collect();
    assert_eq!((fens.len(), count(&lines, "bestmove")), (12, 6));
    for pair in fens.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    assert_eq!(fens[2], "response ..../..../.b../.... w 1 2");
    assert_eq!(fens[11], "response ..../..../..../...b w 1 2");
}

#[test]
fn stop_is_one_answer_or_none() {
    let mut talk = Talk::ugi("markane:8x8");
    assert_eq!(talk.ask("stop\nstop\nisready", "readyok"), ["readyok"]);
    let lines = without_info(talk.ask("go infinite\nstop\nstop\nisready", "readyok"));
    assert_eq!(lines.len(), 2, "{lines:?}");
    let lines = without_info(talk.ask("stop\ngo nodes 5\nstop\nisready", "readyok"));
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(talk.end(), Vec::<String>::new());
}

/// UGI by hand: lines in, and events only when the test hands them over, so that nothing depends on time.
struct ByHand(Ugi);

impl ByHand {
    fn say(&mut self, line: &str) -> String {
        let mut output = Vec::new();
        let line = Line::Whole(line.to_owned());
        self.0.line(&line, &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    /// Begins a search that must end by itself, and gives what is said until it has ended.
    fn search(&mut self, line: &str) -> String {
        let mut output = Vec::new();
        let line = Line::Whole(line.to_owned());
        let Next::Wait(events) = self.0.line(&line, &mut output).unwrap() else {
            panic!("no search");
        };
        loop {
            match events.recv().unwrap() {
                Event::Progress(progress) => self.0.progress(&progress, &mut output).unwrap(),
                done => {
                    self.0.done(Some(done), &mut output).unwrap();
                    return String::from_utf8(output).unwrap();
                }
            }
        }
    }
}

#[test]
fn an_infinite_search_that_knows_the_result_waits_for_stop() {
    // Proven; with one legal step; drawn; at a limit; with one move to look at.
    for (variant, position, go) in [
        ("markane:3x3", "startpos moves b2 a1", "go infinite"),
        ("invector:5x4", "fen ...../..b../...../w...w b 21", "go infinite"),
        ("gravel:2,x=2", "startpos moves b1,a1 a2", "go infinite searchmoves b2"),
        ("markane:4x4", "startpos", "go infinite nodes 50"),
        ("markane:4x4", "startpos", "go depth 1 infinite"),
    ] {
        for release in [
            "stop",
            "position startpos",
            "position nowhere",
            "setoption name Hash value 20",
            "uginewgame",
            "go perft 1",
            "quit",
            "",
        ] {
            let mut ugi = ByHand(Ugi::new(session(variant)));
            assert_eq!(ugi.say(&format!("position {position}")), "");
            let said = ugi.search(go);
            assert!(!said.contains("bestmove"), "{go}: {said}");
            assert_eq!(ugi.say("isready"), "readyok\n");
            for line in ["query fen", "query gameover", "d", "ugi", "huh", "", " "] {
                assert!(!ugi.say(line).contains("bestmove"), "{line}");
            }
            let mut output = Vec::new();
            if release.is_empty() {
                ugi.0.end_of_input(&mut output).unwrap();
            } else {
                output = ugi.say(release).into_bytes();
            }
            let output = String::from_utf8(output).unwrap();
            let lines: Vec<&str> = output.lines().collect();
            assert!(lines[0].starts_with("info depth "), "{release}: {output}");
            assert!(lines[1].starts_with("bestmove "), "{release}: {output}");
            assert_eq!(output.matches("bestmove").count(), 1);
            // It is said once.
            assert_eq!(ugi.say("stop"), "");
        }
    }
}

#[test]
fn the_end_of_the_input_ends_an_infinite_search_and_no_other() {
    let mut talk = Talk::program(&["ugi", "invector:8x7"]);
    talk.say("go infinite");
    assert_eq!(talk.ask("isready", "readyok").last().unwrap(), "readyok");
    let lines = without_info(talk.end());
    assert_eq!((lines.len(), count(&lines, "bestmove ")), (1, 1));
    // All at once, and without the end of the last line.
    for go in ["go infinite", "go nodes 3000", "go infinite\ngo nodes 3000"] {
        let mut talk = Talk::program(&["ugi", "invector:8x7"]);
        // Playouts are counted one by one.
        let search = "setoption name Search value uct";
        talk.write(&format!("{search}\n{go}\nquery fen\n{go}"));
        let lines = talk.end();
        let searches = 2 * go.lines().count();
        assert_eq!(count(&lines, "bestmove "), searches, "{lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove "));
        // Without a stop a search with a limit goes on to it.
        let last = lines[lines.len() - 2].contains(" nodes 3000 ");
        assert_eq!(last, go.ends_with("nodes 3000"), "{lines:?}");
    }
}

#[test]
fn quit_ends_the_process_when_the_search_has_answered() {
    for (input, responses) in
        [("go infinite\nquit", 0), ("go infinite\nquery fen\nquit\nquery fen\ngo infinite", 1), ("go perft 9\nquit", 0)]
    {
        let mut talk = Talk::program(&["ugi", "invector:8x7"]);
        talk.say(input);
        // The input stays open.
        let lines = talk.rest();
        assert_eq!(count(&lines, "bestmove "), 1, "{input}: {lines:?}");
        assert!(lines.last().unwrap().starts_with("bestmove "));
        assert_eq!(count(&lines, "response"), responses);
    }
    let mut talk = Talk::program(&["ugi"]);
    talk.say("quit");
    assert_eq!(talk.rest(), Vec::<String>::new());
}

#[test]
fn the_input_may_end_in_the_middle_of_a_line() {
    let mut talk = Talk::ugi("markane:3x3");
    talk.write("isready\nquery f");
    let lines = talk.end();
    assert_eq!(lines[0], "readyok");
    assert!(lines[1].starts_with("info error query \"f\""), "{lines:?}");
    assert_eq!(lines[2..], ["response none"]);
    let mut talk = Talk::ugi("markane:3x3");
    talk.write("query fen\rquery\r\nis");
    talk.write("read");
    talk.write("y");
    let lines = talk.end();
    // A carriage return alone is no end of a line.
    assert!(lines[0].starts_with("info error query \"fenquery\""));
    assert_eq!(lines[1..], ["response none", "readyok"]);
    let mut talk = Talk::gtp("markane:3x3");
    talk.write("1 name\n2 nam");
    let lines = talk.end();
    assert_eq!(lines[0], "=1 pentalith");
    assert!(lines[2].starts_with("?2 unknown command: \"nam\""));
}

#[test]
fn lines_that_are_too_long_are_answered_by_their_first_word() {
    let mut talk = Talk::ugi("markane:3x3");
    let x = "x".repeat(MAX_LINE + 1);
    let error = "info error line too long: expected at most 1048576 bytes, found ";
    let lines = talk.ask(&format!("go searchmoves {x}"), "bestmove");
    assert!(lines[0].starts_with(error) && lines[1] == "bestmove none");
    let lines = talk.ask(&format!("{x}\nquery gameover"), "response");
    assert!(lines[0].starts_with(error) && lines[1] == "response false");
    talk.say("position startpos moves a1");
    let input = format!("position startpos moves {x}\nquery gameover\nquery result\nquery fen");
    let lines = talk.ask(&input, "response .");
    assert!(lines[0].starts_with(error), "{}", lines[0]);
    assert_eq!(lines[1..3], ["response true", "response none"]);
    assert_eq!(lines[3], "response .../.../b.. w 1 2");
    // A search that runs ends before them.
    let input = format!("position startpos\ngo infinite\ngo {x}\ngo infinite\nposition {x}\nisready");
    let lines = without_info(talk.ask(&input, "readyok"));
    let kinds: Vec<&str> = lines.iter().map(|line| &line[..7]).collect();
    let kinds = kinds.join(",");
    assert_eq!(kinds, "bestmov,info er,bestmov,bestmov,info er,readyok");
    assert_eq!(lines[2], "bestmove none");
    assert_eq!(talk.end(), Vec::<String>::new());
}

#[test]
fn the_first_command_chooses_the_dialect() {
    for input in
        ["ugi", "  ugi", "\tugi\r", "\n \n# a comment\n  # ugi\nugi", "\u{feff}ugi", "ugi please", "ugi # or not"]
    {
        let mut talk = Talk::detect("markane:3x3");
        let lines = talk.ask(input, "ugiok");
        assert!(lines[0].starts_with("id name "), "{input:?}: {lines:?}");
        assert_eq!(talk.ask("query p1turn", "response"), ["response true"]);
        assert_eq!(talk.end(), Vec::<String>::new());
    }
    for (input, answer) in [
        ("1 ugi", "?1 unknown command: \"ugi\""),
        ("UGI", "? unknown command: \"UGI\""),
        ("ugiok", "? unknown command: \"ugiok\""),
        ("isready\nugi", "? unknown command: \"isready\""),
        ("7 name", "=7 pentalith"),
        ("\n# ugi\n\nname # ugi\nugi", "= pentalith"),
        ("#\n5", "?5 syntax error"),
    ] {
        let mut talk = Talk::detect("markane:3x3");
        talk.say(input);
        let lines = talk.ask("99 known_command ugi", "=99 ");
        assert!(lines[0].starts_with(answer), "{input:?}: {lines:?}");
        assert_eq!(lines.last().unwrap(), "=99 false");
        assert_eq!(talk.end(), [""]);
    }
    for input in ["", "\n\n", "# ugi\n", " "] {
        let mut talk = Talk::program(&["markane:3x3"]);
        talk.write(input);
        assert_eq!(talk.end(), Vec::<String>::new());
    }
    let mut talk = Talk::program(&["markane:3x3"]);
    let lines = talk.ask("\nugi\nquery variant", "response");
    assert_eq!(lines.last().unwrap(), "response markane:3x3");
    assert_eq!(talk.end(), Vec::<String>::new());
}

#[test]
fn every_query_gets_a_response() {
    let mut talk = Talk::ugi("markane:3x3");
    for (query, expected) in [
        ("islegal a1", "response true"),
        ("islegal A1", "response true"),
        ("\tislegal \t a1  ", "response true"),
        ("islegal swap", "response false"),
        ("islegal z9", "response false"),
        ("islegal a1,b1", "response false"),
        ("islegal a1 b1", "response false"),
        ("islegal 0000", "response false"),
        ("islegal", "response none"),
        ("islegalx a1", "response none"),
        ("ISLEGAL a1", "response none"),
        ("p2turn", "response none"),
        ("gameover now", "response none"),
        ("", "response none"),
    ] {
        let lines = talk.ask(&format!("query {query}"), "response");
        assert_eq!(lines.last().unwrap(), expected, "{query}");
        let is_error = expected == "response none";
        assert_eq!(lines.len(), 1 + usize::from(is_error), "{lines:?}");
        assert!(!is_error || lines[0].starts_with("info error query "), "{lines:?}");
    }
    // While a search runs, too, and after a history that is not legal.
    talk.say("go infinite");
    assert_eq!(without_info(talk.ask("query islegal b2", "response")), ["response true"]);
    talk.ask("stop", "bestmove");
    talk.ask("position startpos moves a1 a1", "info error");
    assert_eq!(talk.ask("query islegal b2", "response"), ["response false"]);
    // A whole move, or the beginning of one.
    let mut talk = Talk::ugi("gravel:3");
    for (step, legal) in [("a1", true), ("a1,end", true), ("a1,b1,c1,a2", true), ("end", false), ("a1,xb1", false)] {
        let expected = format!("response {legal}");
        assert_eq!(talk.ask(&format!("query islegal {step}"), "response"), [expected], "{step}");
    }
    // A line that is too long is no reason to wait either.
    let long = format!("query islegal {}", "a1,".repeat(400_000));
    assert_eq!(talk.ask(&long, "response").last().unwrap(), "response none");
    // In a finished game nothing is legal.
    let mut talk = Talk::ugi("markane:2x1");
    let over = "position startpos moves a1 b1";
    assert_eq!(talk.ask(&format!("{over}\nquery gameover"), "response"), ["response true"]);
    assert_eq!(talk.ask("query islegal a1", "response"), ["response false"]);
}
