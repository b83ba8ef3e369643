//! The table of GTP commands.

use std::time::Duration;

use nom::Parser;
use nom::character::complete::digit1;
use nom::combinator::{cut, opt};
use nom::sequence::{preceded, separated_pair};

use super::analysis::Form;
use super::arguments::{blanks, color, none, parse, sequence, text, word};
use super::{Answer, Command, Gtp, GtpError, Run, Work, analysis, clocks};
use crate::games;
use crate::notation::pieces::{Parsed, expect, half_points, number};
use crate::protocol::score;
use crate::rules::{Color, HalfPoints, Outcome, StepError, Value};
use crate::session::{Go, MAX_TIME_MS, OPTIONS, PlayError, Session};
use crate::text::quote;

/// Maximum depth of `perft`: deeper counts would take longer than a lifetime.
const MAX_PERFT: u32 = 99;

/// All commands, in the order of `list_commands`.
// A static would link everything that it points to into test binaries that never use it.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "protocol_version",
        arguments: "",
        help: "the version of GTP: 2",
        run: |_, arguments| none(arguments, "protocol_version").and(text("2")),
    },
    Command {
        name: "name",
        arguments: "",
        help: "the name of the engine",
        run: |_, arguments| none(arguments, "name").and(text(env!("CARGO_PKG_NAME"))),
    },
    Command {
        name: "version",
        arguments: "",
        help: "the version of the engine",
        run: |_, arguments| none(arguments, "version").and(text(env!("CARGO_PKG_VERSION"))),
    },
    Command {
        name: "known_command",
        arguments: "NAME",
        help: "whether there is such a command: true or false",
        run: |gtp, arguments| {
            let name = parse(arguments, "known_command NAME", word)?;
            text(gtp.names().contains(&name).to_string())
        },
    },
    Command {
        name: "list_commands",
        arguments: "",
        help: "the commands, one on each line",
        run: |gtp, arguments| none(arguments, "list_commands").and(text(gtp.names().join("\n"))),
    },
    Command {
        name: "quit",
        arguments: "",
        help: "ends the process",
        run: |_, arguments| none(arguments, "quit").and(Ok(Answer::Quit)),
    },
    Command {
        name: "variant",
        arguments: "[VARIANT]",
        help: "the canonical variant; with an argument it starts that game",
        run: variant,
    },
    Command {
        name: "boardsize",
        arguments: "N | W H",
        help: "starts the same game on a board of N×N or W×H; changes nothing if N is the larger dimension of the board already",
        run: |gtp, arguments| boardsize(gtp, arguments).and(text("")),
    },
    Command {
        name: "rectangular_boardsize",
        arguments: "W H",
        help: "starts the same game on a board of W columns and H ranks",
        run: |gtp, arguments| rectangular_boardsize(gtp, arguments).and(text("")),
    },
    Command {
        name: "clear_board",
        arguments: "",
        help: "starts the game again",
        run: |gtp, arguments| {
            none(arguments, "clear_board")?;
            gtp.session.restart();
            text("")
        },
    },
    Command {
        name: "komi",
        arguments: "POINTS",
        help: "sets the komi, in games that have one; others ignore it, and say so",
        run: |gtp, arguments| komi(gtp, arguments).and_then(text),
    },
    Command {
        name: "position",
        arguments: "[POSITION]",
        help: "the present position; with an argument it sets it and clears the history",
        run: |gtp, arguments| {
            if arguments.is_empty() {
                return text(gtp.session.position());
            }
            match gtp.session.set_position(arguments) {
                Ok(()) => text(""),
                Err(error) => Err(GtpError::Other(format!("bad position: {error}"))),
            }
        },
    },
    Command {
        name: "showboard",
        arguments: "",
        help: "the position as a diagram",
        run: |gtp, arguments| {
            none(arguments, "showboard")?;
            text(format!("\n{}", gtp.session.diagram()))
        },
    },
    Command {
        name: "legal",
        arguments: "",
        help: "the legal steps on one line, in cell order; empty when the game is over",
        run: |gtp, arguments| none(arguments, "legal").and(text(gtp.session.legal().join(" "))),
    },
    Command {
        name: "play",
        arguments: "COLOR MOVE",
        help: "plays a step, a move, or any part of a move from the present step on; all of it or nothing",
        run: play,
    },
    Command {
        name: "genmove",
        arguments: "COLOR",
        help: "searches, plays and answers a whole move",
        run: |gtp, arguments| genmove(gtp, arguments, "genmove COLOR", true),
    },
    Command {
        name: "reg_genmove",
        arguments: "COLOR",
        help: "searches and answers a whole move without playing it",
        run: |gtp, arguments| genmove(gtp, arguments, "reg_genmove COLOR", false),
    },
    Command {
        name: "analyze",
        arguments: "[COLOR] [CENTISECONDS] [KEY VALUE]…",
        help: "shows the evaluation of the best moves, every second or every CENTISECONDS, until the next input",
        run: |gtp, arguments| analysis::analyze(gtp, arguments, "analyze", Form::LeelaZero),
    },
    Command {
        name: "lz-analyze",
        arguments: "[COLOR] [CENTISECONDS] [KEY VALUE]…",
        help: "the same",
        run: |gtp, arguments| analysis::analyze(gtp, arguments, "lz-analyze", Form::LeelaZero),
    },
    Command {
        name: "kata-analyze",
        arguments: "[COLOR] [CENTISECONDS] [KEY VALUE]…",
        help: "the same, with shares from 0 to 1",
        run: |gtp, arguments| analysis::analyze(gtp, arguments, "kata-analyze", Form::KataGo),
    },
    Command {
        name: "lz-genmove_analyze",
        arguments: "[COLOR] [CENTISECONDS] [KEY VALUE]…",
        help: "genmove that shows the lines of lz-analyze, then play MOVE",
        run: |gtp, arguments| analysis::genmove_analyze(gtp, arguments, "lz-genmove_analyze", Form::LeelaZero),
    },
    Command {
        name: "kata-genmove_analyze",
        arguments: "[COLOR] [CENTISECONDS] [KEY VALUE]…",
        help: "the same with the lines of kata-analyze",
        run: |gtp, arguments| analysis::genmove_analyze(gtp, arguments, "kata-genmove_analyze", Form::KataGo),
    },
    Command {
        name: "gogui-interrupt",
        arguments: "",
        help: "does nothing; announces that # interrupt works",
        run: |_, arguments| none(arguments, "gogui-interrupt").and(text("")),
    },
    Command {
        name: "undo",
        arguments: "",
        help: "takes back the last play or genmove, whole",
        run: |gtp, arguments| {
            none(arguments, "undo")?;
            undo(gtp, 1)
        },
    },
    Command {
        name: "gg-undo",
        arguments: "[N]",
        help: "takes back the last N plays, one without N; all of them or none",
        run: undo_some,
    },
    Command {
        name: "gogui-play_sequence",
        arguments: "COLOR MOVE [COLOR MOVE]…",
        help: "plays one move after the other; all of them or none",
        run: play_sequence,
    },
    Command {
        name: "moves",
        arguments: "",
        help: "the moves since the start or since position, on one line",
        run: |gtp, arguments| none(arguments, "moves").and(text(gtp.session.moves().join(" "))),
    },
    Command {
        name: "score",
        arguments: "",
        help: "the result, its reason, and the numbers that the game counts",
        run: |gtp, arguments| none(arguments, "score").and(text(score(&gtp.session))),
    },
    Command {
        name: "final_score",
        arguments: "",
        help: "the result of a finished game: B+7, W+0.5, B+ where the game has no points, 0 for a draw",
        run: |gtp, arguments| none(arguments, "final_score").and(final_score(&gtp.session)),
    },
    Command {
        name: "perft",
        arguments: "DEPTH",
        help: "the number of sequences of DEPTH legal steps, then nodes/s and how they were counted",
        run: perft,
    },
    Command {
        name: "time",
        arguments: "[MS]",
        help: "the time for a move when no clock is set, in milliseconds",
        run: time,
    },
    Command {
        name: "time_settings",
        arguments: "MAIN PERIOD MOVES",
        help: "sets both clocks, in seconds: main time, then periods for some moves; 0 1 0 removes the clocks",
        run: clocks::time_settings,
    },
    Command {
        name: "time_left",
        arguments: "COLOR SECONDS MOVES",
        help: "what a player has left on the clock, and for how many moves; 0 moves in the main time",
        run: clocks::time_left,
    },
    Command {
        name: "kgs-time_settings",
        arguments: "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD MOVES | fischer MAIN INCREMENT | fischer-capped MAIN INCREMENT LIMIT PER_MOVE",
        help: "sets both clocks, in seconds",
        run: |gtp, arguments| clocks::kgs_time_settings(gtp, arguments, "kgs-time_settings"),
    },
    Command {
        name: "kata-time_settings",
        arguments: "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD MOVES | fischer MAIN INCREMENT | fischer-capped MAIN INCREMENT LIMIT PER_MOVE",
        help: "the same",
        run: |gtp, arguments| clocks::kgs_time_settings(gtp, arguments, "kata-time_settings"),
    },
    Command {
        name: "kata-list_time_settings",
        arguments: "",
        help: "the kinds of clocks that kata-time_settings knows",
        run: |_, arguments| none(arguments, "kata-list_time_settings").and(text(clocks::KINDS.join(" "))),
    },
    Command {
        name: "set",
        arguments: "NAME VALUE",
        help: "sets an engine option",
        run: |gtp, arguments| {
            let (name, value) = parse(arguments, "set NAME VALUE", (word, blanks, word).map(|(n, _, v)| (n, v)))?;
            let set = gtp.session.set_option(name, value);
            set.map_err(|error| GtpError::Other(error.to_string())).and(text(""))
        },
    },
    Command {
        name: "get",
        arguments: "[NAME]",
        help: "the value of an engine option; without an argument all of them, one on each line",
        run: get,
    },
];

fn variant(gtp: &mut Gtp, arguments: &str) -> Run {
    if arguments.is_empty() {
        return text(gtp.session.variant().to_string());
    }
    let variant = games::parse_variant(arguments);
    let variant = variant.map_err(|error| GtpError::Other(format!("bad variant: {error}")))?;
    if gtp.session.set_variant(&variant) {
        text("")
    } else {
        Err(GtpError::Other(format!("{variant} can't be opened")))
    }
}

/// Parses a dimension of a board.
fn dimension(input: &str) -> Parsed<'_, &str> {
    expect("a whole number", digit1).parse(input)
}

/// Converts a dimension. One that overflows is too large for a board anyway.
fn cells(dimension: &str) -> u32 {
    dimension.parse().unwrap_or(u32::MAX)
}

pub(in crate::protocol) fn boardsize(gtp: &mut Gtp, arguments: &str) -> Result<(), GtpError> {
    let sizes = (dimension, opt(preceded(blanks, cut(dimension))));
    let (n, ranks) = parse(arguments, "boardsize N or boardsize W H", sizes)?;
    let (columns, present_ranks) = gtp.session.variant().size().dimensions();
    if ranks.is_none() && cells(n) == u32::from(columns.max(present_ranks)) {
        return Ok(());
    }
    resize(gtp, n, ranks.unwrap_or(n))
}

fn rectangular_boardsize(gtp: &mut Gtp, arguments: &str) -> Result<(), GtpError> {
    let size = separated_pair(dimension, blanks, dimension);
    let (columns, ranks) = parse(arguments, "rectangular_boardsize W H", size)?;
    resize(gtp, columns, ranks)
}

fn resize(gtp: &mut Gtp, columns: &str, ranks: &str) -> Result<(), GtpError> {
    let present = gtp.session.variant();
    let unacceptable = |message| GtpError::UnacceptableSize(format!("{columns}x{ranks}: {message}"));
    let rule = &present.info().size;
    let size = rule.of_dimensions(cells(columns), cells(ranks));
    let variant = present.resized(size.map_err(unacceptable)?);
    if gtp.session.set_variant(&variant) { Ok(()) } else { Err(unacceptable("it can't be opened".to_owned())) }
}

/// Sets the komi. Returns a note about one that is ignored: clients send it in every game, and end if it is an error.
pub(in crate::protocol) fn komi(gtp: &mut Gtp, arguments: &str) -> Result<String, GtpError> {
    let komi = parse(arguments, "komi POINTS", half_points)?;
    let present = gtp.session.variant().clone();
    match present.with("komi", Value::HalfPoints(komi)) {
        Ok(variant) if gtp.session.change_options(&variant) => Ok(String::new()),
        Ok(variant) => Err(GtpError::Other(format!("{variant} can't be opened"))),
        Err(Some(message)) => Err(GtpError::Other(format!("komi {komi}: {message}"))),
        Err(None) if komi == HalfPoints(0) => Ok(String::new()),
        Err(None) => Ok(format!("{} has no komi: {komi} is ignored", present.info().name)),
    }
}

fn play(gtp: &mut Gtp, arguments: &str) -> Run {
    let (color, step) = parse(arguments, "play COLOR MOVE", separated_pair(color, blanks, word))?;
    play_one(gtp, color, step).and(text(""))
}

fn play_one(gtp: &mut Gtp, color: Color, step: &str) -> Result<(), GtpError> {
    match gtp.session.play(color, step, true) {
        Ok(()) => Ok(()),
        // Some controllers play two passes after the end of a game, and take them back by `undo`.
        Err(PlayError::Over) if step.eq_ignore_ascii_case("pass") => {
            gtp.session.pass_after_end();
            Ok(())
        }
        Err(PlayError::Step(error @ StepError::Syntax(_))) => Err(GtpError::Syntax(error.to_string())),
        Err(error @ (PlayError::WrongColor(_) | PlayError::Over)) => {
            Err(GtpError::IllegalMove(format!("{}: {error}", quote(step))))
        }
        Err(error) => Err(GtpError::IllegalMove(error.to_string())),
    }
}

fn undo_some(gtp: &mut Gtp, arguments: &str) -> Run {
    let count = match arguments {
        "" => 1,
        _ => parse(arguments, "gg-undo [N]", number(0, u32::MAX))?,
    };
    undo(gtp, count)
}

fn undo(gtp: &mut Gtp, count: u32) -> Run {
    let played = gtp.session.plays();
    if usize::try_from(count).map_or(true, |count| count > played) {
        return Err(GtpError::CannotUndo(match played {
            0 => "nothing has been played".to_owned(),
            _ => format!("{count} plays: there are only {played}"),
        }));
    }
    for _ in 0..count {
        gtp.session.undo();
    }
    text("")
}

fn play_sequence(gtp: &mut Gtp, arguments: &str) -> Run {
    let usage = "gogui-play_sequence COLOR MOVE [COLOR MOVE]…";
    let plays = parse(arguments, usage, sequence)?;
    let before = gtp.session.plays();
    let played = plays.into_iter().try_for_each(|(color, step)| play_one(gtp, color, step));
    if played.is_err() {
        while gtp.session.plays() > before {
            gtp.session.undo();
        }
    }
    played.and(text(""))
}

fn genmove(gtp: &mut Gtp, arguments: &str, usage: &str, play: bool) -> Run {
    let color = parse(arguments, usage, color)?;
    if gtp.session.outcome().is_some() {
        if play {
            gtp.session.pass_after_end();
        }
        return text("pass");
    }
    if gtp.session.side() != color {
        let error = PlayError::WrongColor(gtp.session.side());
        return Err(GtpError::IllegalMove(format!("{}: {error}", quote(arguments))));
    }
    let events = gtp.session.search(&Go { plays: true, ..Go::default() });
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Move(play.then_some(color))))
}

fn final_score(session: &Session) -> Run {
    let Some(Outcome { winner, .. }) = session.outcome() else {
        let why = "the game is not over; score shows how it stands";
        return Err(GtpError::CannotScore(why));
    };
    let margin = session.margin().map(|margin| margin.to_string());
    text(match winner {
        None => "0".to_owned(),
        Some(color) => {
            format!("{}+{}", color.letter().to_ascii_uppercase(), margin.unwrap_or_default())
        }
    })
}

fn perft(gtp: &mut Gtp, arguments: &str) -> Run {
    let depth = parse(arguments, "perft DEPTH", number(0, MAX_PERFT))?;
    Ok(Answer::Later(gtp.session.perft(depth), Work::Count))
}

fn time(gtp: &mut Gtp, arguments: &str) -> Run {
    if arguments.is_empty() {
        return text(gtp.session.time().as_millis().to_string());
    }
    let time = parse(arguments, "time [MS]", number(0, MAX_TIME_MS))?;
    gtp.session.set_time(Duration::from_millis(time.into()));
    text("")
}

fn get(gtp: &mut Gtp, arguments: &str) -> Run {
    let value = |name| {
        let value = gtp.session.option(name);
        value.map_err(|error| GtpError::Other(error.to_string()))
    };
    if !arguments.is_empty() {
        let name = parse(arguments, "get [NAME]", word)?;
        return text(value(name)?);
    }
    let line = |name| value(name).map(|value| format!("{name} {value}"));
    let lines: Result<Vec<String>, GtpError> = OPTIONS.iter().map(|option| line(option.name)).collect();
    text(lines?.join("\n"))
}
