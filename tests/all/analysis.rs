//! GTP's `analyze`: what it shows, and that any line ends it and is answered then.

use pentalith::games;
use pentalith::protocol::gtp::Gtp;
use pentalith::protocol::{Dialect, Line, Next};
use pentalith::rules::Color;
use pentalith::session::Event;

use crate::talk::{Talk, session};

/// The fields of one move, each with its name; each must be there, in this order.
fn fields(text: &str) -> Vec<(&str, Vec<&str>)> {
    let names = ["move", "visits", "winrate", "lcb", "order", "pv"];
    let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
    let mut fields = Vec::new();
    for (number, name) in names.iter().enumerate() {
        assert_eq!(words.next(), Some(*name), "{text}");
        let next = names.get(number + 1).copied();
        let mut values = Vec::new();
        while let Some(value) = words.next_if(|&word| Some(word) != next) {
            values.push(value);
        }
        fields.push((*name, values));
    }
    assert_eq!(words.next(), None, "{text}");
    fields
}

/// The moves of a line.
fn moves(line: &str) -> Vec<Vec<(&str, Vec<&str>)>> {
    assert!(line.starts_with("info "), "{line}");
    line.split("info ").skip(1).map(fields).collect()
}

#[test]
fn a_line_shows_the_best_moves_and_goes_on_until_the_next_input() {
    for command in ["analyze 1", "lz-analyze b 1", "analyze black interval 1"] {
        let mut talk = Talk::gtp("invector:5x4");
        talk.say(&format!("7 {command}"));
        assert_eq!(talk.line().unwrap(), "=7");
        for _ in 0..3 {
            let line = talk.line().unwrap();
            let moves = moves(&line);
            assert!((1..=10).contains(&moves.len()), "{line}");
            for (order, fields) in moves.iter().enumerate() {
                for (name, values) in fields {
                    let number = || values[0].parse::<u32>().unwrap();
                    assert!(*name == "pv" || values.len() == 1, "{line}");
                    match *name {
                        "move" => assert_eq!(values[0].len(), 4),
                        "visits" => assert!(number() > 0),
                        "winrate" | "lcb" => assert!(number() <= 10_000),
                        "order" => assert_eq!(number(), order as u32),
                        _ => assert_eq!(values[0], fields[0].1[0]),
                    }
                }
                let (winrate, lcb) = (fields[2].1[0], fields[3].1[0]);
                assert!(winrate.parse::<u32>().unwrap() >= lcb.parse().unwrap());
            }
        }
        let lines = talk.ask("8 position\n9 name", "=9");
        let (shown, rest) = lines.split_at(lines.len() - 4);
        assert!(shown.iter().all(|line| line.starts_with("info move ")));
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        let position = "=8 wbwbw/bwbwb/wbwbw/bwbwb b 1";
        assert_eq!(rest, ["", position, "", "=9 pentalith"]);
        assert_eq!(talk.end(), [""]);
    }
}

const SEARCHED: [&str; 5] = ["markane:6x6", "invector:5x4", "inversion:4", "gravel:4", "invictus"];

#[test]
fn the_order_of_the_moves_is_that_of_their_numbers() {
    for variant in SEARCHED {
        // Some outputs on the way, and one where the limit stops an iteration in its middle.
        for nodes in [30, 500, 1234, 4000] {
            let mut talk = Talk::gtp(variant);
            talk.say(&format!("set Nodes {nodes}\nanalyze 1"));
            for line in talk.end().iter().filter(|line| line.starts_with("info ")) {
                let moves = moves(line);
                let winrates: Vec<u32> = moves.iter().map(|m| m[2].1[0].parse().unwrap()).collect();
                assert!(winrates.is_sorted_by(|a, b| a >= b), "{variant} {nodes}: {line}");
                let mut seen: Vec<&str> = moves.iter().map(|m| m[0].1[0]).collect();
                seen.sort_unstable();
                seen.dedup();
                // A move of several steps may begin like another one.
                assert!(seen.len() == moves.len() || variant == "gravel:4", "{variant}: {line}");
            }
        }
    }
}

/// Returns the score in a line of UGI: wins and losses by their length, beyond all centipawns.
fn worth(line: &str) -> i32 {
    let words: Vec<&str> = line.split(' ').collect();
    let place = words.iter().position(|word| *word == "score").unwrap();
    let number: i32 = words[place + 2].parse().unwrap();
    match words[place + 1] {
        "mate" => number.signum() * 100_000 - number,
        _ => number,
    }
}

#[test]
fn the_order_of_several_variations_is_that_of_their_scores() {
    for variant in SEARCHED {
        for nodes in [30, 500, 1234, 4000] {
            let mut talk = Talk::ugi(variant);
            talk.say("setoption name MultiPV value 8");
            let lines = talk.ask(&format!("go nodes {nodes}"), "bestmove");
            let (best, infos) = lines.split_last().unwrap();
            let mut last = (0, i32::MAX, "");
            for line in infos {
                let (_, place) = line.split_once(" multipv ").unwrap();
                let (place, variation) = place.split_once(" pv ").unwrap();
                let (place, worth) = (place.parse::<u32>().unwrap(), worth(line));
                assert!(place == 1 || place == last.0 + 1, "{lines:?}");
                assert!(place == 1 || worth <= last.1, "{variant} {nodes}: {lines:?}");
                last = (place, worth, if place == 1 { variation } else { last.2 });
            }
            let best = best.strip_prefix("bestmove ").unwrap();
            assert!(last.2.starts_with(best), "{variant} {nodes}: {best} of {}", last.2);
        }
    }
}

/// Splits an answer into the analysis and the text behind the empty line.
fn parted(lines: &[String]) -> (Vec<&str>, Vec<&str>) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let end = lines.iter().position(|line| line.is_empty()).unwrap();
    (lines[..end].to_vec(), lines[end + 1..].to_vec())
}

#[test]
fn any_line_ends_it_and_is_answered_after_it() {
    for (input, answer) in [
        ("8 name\n", vec!["=8 pentalith", ""]),
        ("\n", vec![]),
        ("   # a comment\n", vec![]),
        ("# interrupt\n", vec![]),
        ("9\n", vec!["?9 syntax error", ""]),
        ("8 analyze w\n9 name\n", vec!["?8 ", "", "=9 pentalith", ""]),
        ("quit\n8 name\n", vec!["=", ""]),
        ("8 name", vec!["=8 pentalith", ""]),
        ("", vec![]),
        ("8 play b a1b1\n\n9 moves\n", vec!["=8", "", "=9 a1b1", ""]),
    ] {
        // Behind the first line of an analysis, and in one piece with it.
        for together in [false, true] {
            let mut talk = Talk::program(&["gtp", "invector:8x7"]);
            let mut lines = Vec::new();
            if together {
                talk.write(&format!("7 analyze 1\n{input}"));
            } else {
                talk.say("7 analyze 1");
                lines = talk.until("info move");
                talk.write(input);
            }
            lines.extend(talk.end());
            let (shown, rest) = parted(&lines);
            assert_eq!(shown[0], "=7");
            assert!(shown.len() > 1, "{input}: {lines:?}");
            assert!(shown[1..].iter().all(|line| line.starts_with("info move ")));
            assert_eq!(rest.len(), answer.len(), "{input}: {rest:?}");
            for (line, beginning) in rest.iter().zip(&answer) {
                assert!(line.starts_with(beginning), "{input}: {rest:?}");
            }
        }
    }
}

#[test]
fn an_interrupt_gets_the_end_of_the_answer_at_once() {
    let mut talk = Talk::gtp("invector:8x7");
    talk.say("7 analyze 1");
    talk.until("info move");
    talk.ask("# interrupt", "");
    // Nothing else has been said: the empty line is the answer's end.
    loop {
        let line = talk.line().unwrap();
        if line.is_empty() {
            break;
        }
        assert!(line.starts_with("info move "), "{line}");
    }
    assert_eq!(talk.ask("8 name", "="), ["=8 pentalith"]);
}

#[test]
fn several_analyses_follow_each_other() {
    let mut talk = Talk::gtp("gravel:4");
    let input = "1 analyze\n2 analyze w\n\n3 lz-analyze\n4 analyze 5\n5 name";
    let lines = talk.ask(input, "=5");
    let framed = lines.iter().filter(|line| line.starts_with('='));
    let framed: Vec<&String> = framed.collect();
    assert_eq!(framed, ["=1", "=2", "=3", "=4", "=5 pentalith"]);
    assert_eq!(lines.iter().filter(|line| line.is_empty()).count(), 4);
    assert_eq!(talk.end(), [""]);
}

/// An analysis that ends by itself is over only for the engine: by hand, so that nothing depends on time.
#[test]
fn an_analysis_that_knows_the_result_stays_open() {
    let beginner = games::parse_variant("invictus").unwrap().info().levels;
    for (variant, before, nodes) in [
        ("markane:3x3", "gogui-play_sequence b b2 w a1", None),
        ("invector:5x4", "position ...../..b../...../w...w b 21", None),
        ("markane:4x4", "set Nodes 100", Some(100)),
        ("invictus", "set Strength beginner", beginner.last().copied()),
    ] {
        let mut gtp = Gtp::new(session(variant));
        let say = |gtp: &mut Gtp, line: &str| {
            let mut output = Vec::new();
            let line = Line::Whole(line.to_owned());
            let next = gtp.line(&line, &mut output).unwrap();
            (String::from_utf8(output).unwrap(), next)
        };
        assert_eq!(say(&mut gtp, before).0, "=\n\n");
        let (output, Next::Wait(events)) = say(&mut gtp, "3 analyze 6000") else {
            panic!("no analysis");
        };
        assert_eq!(output, "=3\n");
        let mut output = Vec::new();
        loop {
            let event = events.recv().unwrap();
            if let Event::Progress(progress) = event {
                gtp.progress(&progress, &mut output).unwrap();
                continue;
            }
            if let (Event::SearchDone(found), Some(nodes)) = (&event, nodes) {
                assert!(found.progress.statistics.nodes <= nodes);
            }
            gtp.done(Some(event), &mut output).unwrap();
            break;
        }
        let output = String::from_utf8(output).unwrap();
        assert!(output.starts_with("info move "), "{output}");
        assert_eq!(output.lines().count(), 1, "{output}");
        moves(output.trim_end());
        assert_eq!(say(&mut gtp, "4 name").0, "\n=4 pentalith\n\n");
        assert_eq!(say(&mut gtp, "").0, "");
        let mut end = Vec::new();
        gtp.end_of_input(&mut end).unwrap();
        assert_eq!(end, b"");
    }
}

#[test]
fn winning_chances_are_those_of_the_side_to_move() {
    for (history, side, winrate) in [
        // Black wins with the next move, and White, one move before, has lost.
        ("b b2 w a1", Color::Black, "10000"),
        ("b b2", Color::White, "0"),
    ] {
        let mut talk = Talk::gtp("markane:3x3");
        talk.ask(&format!("gogui-play_sequence {history}"), "=");
        talk.say(&format!("analyze {}", side.letter()));
        let lines = talk.until("info move");
        let first = moves(lines.last().unwrap()).remove(0);
        assert_eq!(first[2].1, [winrate], "{lines:?}");
        assert_eq!(first[3].1, [winrate]);
        assert_eq!(talk.end(), [""]);
    }
}

/// Analyzes `markane:4x4` with a limit in nodes. Returns the moves of the last line.
fn analyzed(command: &str) -> Vec<String> {
    let mut talk = Talk::gtp("markane:4x4");
    talk.ask("set Nodes 600", "=");
    talk.say(&format!("3 {command}"));
    talk.until("=3");
    let lines = talk.until("info move");
    let found = moves(lines.last().unwrap());
    assert_eq!(talk.ask("4 name", "=4").last().unwrap(), "=4 pentalith");
    talk.end();
    found.iter().map(|fields| fields[0].1[0].to_owned()).collect()
}

#[test]
fn arguments_that_other_engines_document_are_understood() {
    let flags = "ownership true movesOwnership false ownershipStdev true pvVisits TRUE pvEdgeVisits true rootInfo true";
    assert_eq!(analyzed(&format!("lz-analyze b 6000 maxmoves 2 {flags}")).len(), 2);
    assert_eq!(analyzed("analyze minmoves 14 interval 6000").len(), 14);
    let mut allowed = analyzed("kata-analyze 6000 allow b b2,C3 1 allow w a1 1 allow b d4 9");
    allowed.sort();
    assert_eq!(allowed, ["b2", "c3", "d4"]);
    let left = analyzed("analyze 6000 minmoves 16 avoid b a1,a2,A3,a4 1 avoid b b1 1 avoid w b2 1");
    assert!(left.len() == 11 && !left.iter().any(|step| step.starts_with('a') || step == "b1"), "{left:?}");
    for (command, expected) in [
        (
            "analyze b 1 red",
            "expected a color, a number of centiseconds from 1 to 8640000, or a key: interval, minmoves",
        ),
        ("analyze maxmoves", "maxmoves"),
        ("analyze maxmoves x", "expected a number from 0 to 10000"),
        ("analyze ownership maybe", "expected true or false"),
        ("analyze avoid b a1", "a space and another argument"),
        ("analyze avoid b a1,a2,b1,b2 1 allow b a1,b2 1", "avoid leaves no move to search"),
        ("kata-analyze w", "it is Black's turn"),
        ("lz-analyze allow b z9 1", "z9"),
    ] {
        let mut talk = Talk::gtp("markane:4x4");
        let answer = talk.ask(command, "?").join("\n");
        assert!(answer.contains(expected), "{command}: {answer}");
        talk.end();
    }
}

#[test]
fn a_move_is_analyzed_while_it_is_searched() {
    for (command, is_share) in [("lz-genmove_analyze b 6000", false), ("kata-genmove_analyze interval 6000", true)] {
        let mut talk = Talk::gtp("markane:4x4");
        talk.ask("set Nodes 1000", "=");
        let lines = talk.ask(&format!("7 {command}"), "play ");
        assert!(lines.contains(&"=7".to_owned()), "{lines:?}");
        let found = moves(&lines[lines.len() - 2]);
        let winrate = found[0][2].1[0];
        assert_eq!(winrate.contains('.'), is_share, "{winrate}");
        assert!(winrate.parse::<f64>().unwrap() <= if is_share { 1.0 } else { 10_000.0 });
        let played = lines.last().unwrap().strip_prefix("play ").unwrap().to_owned();
        assert_eq!(talk.ask("8 moves", "=8").last().unwrap(), &format!("=8 {played}"));
        talk.end();
    }
    let mut talk = Talk::gtp("markane:2x1");
    talk.ask("gogui-play_sequence b a1 w b1", "=");
    assert_eq!(talk.ask("kata-genmove_analyze b", "play").last().unwrap(), "play pass");
    talk.end();
}
