//! The table of UGI commands.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till1};
use nom::character::complete::{space0, space1};
use nom::combinator::{all_consuming, eof, opt, rest, value};
use nom::multi::{many0, many1};
use nom::sequence::{preceded, terminated};

use super::go::go;
use super::{Answer, Command, Ugi, Void, split};
use crate::notation::pieces::{Expected, Parsed};
use crate::protocol::score;
use crate::session::{HistoryError, OPTIONS, OptionError, OptionInfo, OptionKind, Session};
use crate::text::quote;

/// All commands.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "ugi",
        arguments: "",
        help: "the name, the author and the options, then `ugiok`",
        at_once: true,
        run: |ugi, _| ugi_lines(&ugi.session),
    },
    Command { name: "isready", arguments: "", help: "`readyok`", at_once: true, run: |_, _| Answer::line("readyok") },
    Command {
        name: "setoption",
        arguments: "name NAME value VALUE",
        help: "sets an option",
        at_once: false,
        run: set_option,
    },
    Command {
        name: "uginewgame",
        arguments: "",
        help: "starts the game again and forgets what was searched",
        at_once: false,
        run: |ugi, _| {
            ugi.session.restart();
            ugi.void = None;
            Answer::nothing()
        },
    },
    Command {
        name: "position",
        arguments: "startpos | fen POSITION [moves MOVE…]",
        help: "sets the position and plays moves, whole ones or single steps",
        at_once: false,
        run: position,
    },
    Command {
        name: "go",
        arguments: "[p1time MS p2time MS p1inc MS p2inc MS | movetime MS | depth STEPS | nodes N | infinite] [searchmoves MOVE…] | perft DEPTH",
        help: "searches and answers `info` lines and `bestmove MOVE`, or counts step sequences",
        at_once: false,
        run: go,
    },
    Command {
        name: "stop",
        arguments: "",
        help: "makes the search answer now",
        at_once: true,
        run: |ugi, _| {
            ugi.stop();
            Answer::Lines(ugi.release())
        },
    },
    Command {
        name: "query",
        arguments: "gameover | p1turn | result | islegal MOVE | legal | fen | score | variant",
        help: "`response` and what was asked for",
        at_once: true,
        run: query,
    },
    Command {
        name: "d",
        arguments: "",
        help: "the position as a diagram",
        at_once: true,
        run: |ugi, _| {
            let diagram = ugi.session.diagram();
            Answer::Lines(diagram.lines().map(str::to_owned).collect())
        },
    },
    Command {
        name: "quit",
        arguments: "",
        help: "ends the process; a search that runs answers before",
        at_once: true,
        run: |_, _| Answer::Quit,
    },
];

fn ugi_lines(session: &Session) -> Answer {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let mut lines = vec![format!("id name {name} {version}"), format!("id author the {name} authors")];
    lines.extend(OPTIONS.iter().map(|option| option_line(option, session)));
    lines.push("ugiok".to_owned());
    Answer::Lines(lines)
}

fn option_line(option: &OptionInfo, session: &Session) -> String {
    let (name, default) = (option.name, session.default_of(option));
    match option.kind {
        OptionKind::Spin { min, max, .. } => {
            format!("option name {name} type spin default {default} min {min} max {max}")
        }
        OptionKind::Combo(words) => {
            format!("option name {name} type combo default {default} var {}", words.join(" var "))
        }
        OptionKind::Variant | OptionKind::File => {
            format!("option name {name} type string default {default}")
        }
    }
}

fn word(input: &str) -> Parsed<'_, &str> {
    take_till1(|c| c == ' ').parse(input)
}

/// Parses a word with the space after it.
fn whole_word<'a>(text: &'static str) -> impl Parser<&'a str, Output = (), Error = Expected<'a>> {
    value((), (tag(text), alt((space1, eof))))
}

/// Parses words up to the word `end`.
fn words_until<'a>(end: &'static str) -> impl Parser<&'a str, Output = Vec<&'a str>, Error = Expected<'a>> {
    let other = nom::combinator::verify(word, move |word: &str| word != end);
    many1(terminated(other, space0))
}

fn set_option(ugi: &mut Ugi, arguments: &str) -> Answer {
    let name = preceded((tag("name"), space1), words_until("value"));
    let value = preceded((tag("value"), space0), rest);
    let read = all_consuming((name, opt(value))).parse(arguments);
    let Ok((_, (name, value))) = read else {
        let usage = "expected setoption name NAME value VALUE";
        return Answer::error(format!("setoption {}: {usage}", quote(arguments)));
    };
    match ugi.session.set_option(&name.join(" "), value.unwrap_or("")) {
        Ok(()) => {
            if name.iter().any(|name| name.eq_ignore_ascii_case("variant")) {
                ugi.void = None;
            }
            Answer::nothing()
        }
        // Arenas also send options of other engines.
        Err(error @ OptionError::Unknown(_)) => Answer::line(format!("info string {error}")),
        Err(error) => Answer::error(error),
    }
}

fn position(ugi: &mut Ugi, arguments: &str) -> Answer {
    // Lists of openings contain `fen startpos` and repeated `moves`.
    let fen = opt(terminated(tag("fen"), space1));
    let start = alt((value(None, whole_word("startpos")), words_until("moves").map(|words| Some(words.join(" ")))));
    let moves = many0(preceded(whole_word("moves"), opt(words_until("moves"))));
    let read = all_consuming((fen, start, moves)).parse(arguments);
    let Ok((_, (_, start, moves))) = read else {
        let usage = "expected position startpos or position fen POSITION, then moves MOVE…";
        ugi.void = Some(Void { loser: None });
        return Answer::error(format!("position {}: {usage}", quote(arguments)));
    };
    let moves: Vec<&str> = moves.into_iter().flatten().flatten().collect();
    match ugi.session.set_history(start.as_deref(), &moves) {
        Ok(()) => {
            ugi.void = None;
            Answer::nothing()
        }
        Err(error) => {
            let loser = match &error {
                HistoryError::Position(_) => None,
                HistoryError::Move { mover, .. } => Some(*mover),
            };
            ugi.void = Some(Void { loser });
            Answer::error(error)
        }
    }
}

fn query(ugi: &mut Ugi, arguments: &str) -> Answer {
    let session = &ugi.session;
    let (what, behind) = split(arguments);
    let first = session.variant().info().first;
    let response = match arguments {
        _ if what == "islegal" && !behind.is_empty() => {
            (ugi.void.is_none() && session.check(behind).is_ok()).to_string()
        }
        "gameover" => (ugi.void.is_some() || session.outcome().is_some()).to_string(),
        "p1turn" => (session.side() == first).to_string(),
        "result" => {
            let winner = match ugi.void {
                Some(Void { loser }) => loser.map(|loser| Some(!loser)),
                None => session.outcome().map(|outcome| outcome.winner),
            };
            let result = match winner {
                None => "none",
                Some(None) => "draw",
                Some(Some(color)) if color == first => "p1win",
                Some(Some(_)) => "p2win",
            };
            result.to_owned()
        }
        "legal" => session.legal().join(" "),
        "fen" => session.position(),
        "score" => score(session),
        "variant" => session.variant().to_string(),
        _ => {
            let known = "gameover, p1turn, result, islegal MOVE, legal, fen, score or variant";
            return unanswered(arguments, known);
        }
    };
    Answer::line(format!("response {response}").trim_end())
}

/// Answer to an invalid query: the client waits for one.
pub(super) const NO_RESPONSE: &str = "response none";

fn unanswered(arguments: &str, expected: &str) -> Answer {
    Answer::Lines(vec![format!("info error query {}: expected {expected}", quote(arguments)), NO_RESPONSE.to_owned()])
}
