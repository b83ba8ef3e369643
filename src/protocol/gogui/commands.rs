//! The commands that the GoGui dialect adds or replaces.

use nom::sequence::separated_pair;

use super::graphics;
use super::mouse::{self, DRAWN};
use super::points::Points;
use super::{Answer, Command, Gogui, Run, Work, text};
use crate::notation::pieces::{half_points, number};
use crate::protocol::gtp::GtpError;
use crate::protocol::gtp::arguments::{blanks, color, none, parse, sequence, word};
use crate::protocol::gtp::commands;
use crate::rules::Value;
use crate::search::ReportSchedule;
use crate::session::{Go, OPTIONS, OptionKind};

/// Entries of GoGui's Analyze Commands window: type, label and command.
const ANALYZE_COMMANDS: &str = "\
gfx/Best Moves/gogui-best_moves
string/Score/score
string/Legal Steps/legal
string/Moves/moves
string/Position/position
string/Variant/variant
string/Board/showboard
plist/Legal Points/gogui-rules_legal_moves
gfx/Status/gogui-rules_board_gfx
param/Engine Options/gogui-options";

/// The commands of the dialect.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "play",
        arguments: "COLOR POINT",
        help: "makes one click: on a point, or `pass`",
        run: |gogui, arguments| {
            let play = separated_pair(color, blanks, word);
            let play = parse(arguments, "play COLOR POINT", play)?;
            mouse::play(gogui, &[play]).and(text(""))
        },
    },
    Command {
        name: "genmove",
        arguments: "COLOR",
        help: "makes and answers one click: the next one of the move that the engine has in mind, or of one that it searches for",
        run: |gogui, arguments| mouse::genmove(gogui, parse(arguments, "genmove COLOR", color)?, true),
    },
    Command {
        name: "reg_genmove",
        arguments: "COLOR",
        help: "answers one click without making it",
        run: |gogui, arguments| mouse::genmove(gogui, parse(arguments, "reg_genmove COLOR", color)?, false),
    },
    Command {
        name: "undo",
        arguments: "",
        help: "takes back the last click",
        run: |gogui, arguments| {
            none(arguments, "undo")?;
            mouse::undo(gogui, 1).and(text(""))
        },
    },
    Command {
        name: "gg-undo",
        arguments: "[N]",
        help: "takes back the last N clicks, one without N; all of them or none",
        run: |gogui, arguments| {
            let count = match arguments {
                "" => 1,
                _ => parse(arguments, "gg-undo [N]", number(0, u32::MAX))?,
            };
            mouse::undo(gogui, count).and(text(""))
        },
    },
    Command {
        name: "gogui-play_sequence",
        arguments: "COLOR POINT [COLOR POINT]…",
        help: "makes one click after the other; all of them or none",
        run: |gogui, arguments| {
            let usage = "gogui-play_sequence COLOR POINT [COLOR POINT]…";
            let plays = parse(arguments, usage, sequence)?;
            mouse::play(gogui, &plays).and(text(""))
        },
    },
    Command {
        name: "boardsize",
        arguments: "N",
        help: "accepts the size that gogui-rules_board_size answers; others as in GTP",
        run: |gogui, arguments| {
            let size = number(0, u32::MAX);
            let shown = Points::of(&gogui.gtp.session).size();
            match parse(arguments, "boardsize N", size) {
                Ok(size) if usize::try_from(size) == Ok(shown) => text(""),
                _ => commands::boardsize(&mut gogui.gtp, arguments).and(text("")),
            }
        },
    },
    Command {
        name: "komi",
        arguments: "POINTS",
        help: "accepts the komi that the variant has; another one belongs on the command line",
        run: komi,
    },
    Command {
        name: "gogui-rules_game_id",
        arguments: "",
        help: "the game, as one capitalized word",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_game_id")?;
            let name = gogui.gtp.session.variant().info().name;
            let mut letters = name.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            text(first.into_iter().chain(letters).collect::<String>())
        },
    },
    Command {
        name: "gogui-rules_board_size",
        arguments: "",
        help: "the side of the square that holds the board and the Pool, and `hex` where the board is hexagonal",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_board_size")?;
            let is_hexagon = gogui.gtp.session.picture().is_hexagon;
            let hex = if is_hexagon { " hex" } else { "" };
            text(format!("{}{hex}", Points::of(&gogui.gtp.session).size()))
        },
    },
    Command {
        name: "gogui-rules_board",
        arguments: "",
        help: "the board from the top down: `X` Black, `O` White, `.` empty, `?` not on the board",
        run: |gogui, arguments| none(arguments, "gogui-rules_board").and(text(graphics::board(&gogui.gtp.session))),
    },
    Command {
        name: "gogui-rules_board_gfx",
        arguments: "",
        help: "graphics commands for stacks, dice, padding, the Pool, pending hexes, the Divide and the selected point",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_board_gfx")?;
            let selected = mouse::selected(gogui);
            text(graphics::position(&gogui.gtp.session, selected.as_deref()))
        },
    },
    Command {
        name: "gogui-rules_legal_moves",
        arguments: "",
        help: "the points that may be clicked next, the selected one included, and perhaps `pass`; empty when the game is over",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_legal_moves")?;
            let selected = mouse::selected(gogui);
            let session = &gogui.gtp.session;
            let points = Points::of(session);
            let clicks = session.points(selected.as_deref()).into_iter();
            let clicks: Vec<String> = clicks.flat_map(|click| points.write_all(&click)).collect();
            text(clicks.join(" "))
        },
    },
    Command {
        name: "gogui-rules_side_to_move",
        arguments: "",
        help: "black or white: the same until the last click of the move",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_side_to_move")?;
            text(gogui.gtp.session.side().to_string().to_lowercase())
        },
    },
    Command {
        name: "gogui-rules_captured_count",
        arguments: "",
        help: "White's number and then Black's: stones lost in Invector, pieces removed in Gravel, placements owed in Markane, stones in Inversion, points in Invictus",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_captured_count")?;
            let [black, white] = gogui.gtp.session.tally();
            text(format!("{white} {black}"))
        },
    },
    Command {
        name: "gogui-rules_final_result",
        arguments: "",
        help: "the result in a sentence",
        run: |gogui, arguments| {
            none(arguments, "gogui-rules_final_result").and(text(graphics::result(&gogui.gtp.session)))
        },
    },
    Command {
        name: "gogui-analyze_commands",
        arguments: "",
        help: "what the window of analyze commands offers",
        run: |_, arguments| none(arguments, "gogui-analyze_commands").and(text(ANALYZE_COMMANDS)),
    },
    Command {
        name: "gogui-best_moves",
        arguments: "",
        help: "searches, and answers graphics commands for what is thought of the best moves",
        run: best_moves,
    },
    Command {
        name: "gogui-options",
        arguments: "[NAME VALUE]",
        help: "the engine options as GoGui edits them; with arguments it sets one",
        run: options,
    },
];

/// Accepts only the current komi: GoGui sends a komi to only one of the processes that it starts.
fn komi(gogui: &mut Gogui, arguments: &str) -> Run {
    let komi = parse(arguments, "komi POINTS", half_points)?;
    let variant = gogui.gtp.session.variant();
    let same = match variant.with("komi", Value::HalfPoints(komi)) {
        Ok(with_komi) => with_komi == *variant,
        // The game has no komi, or can't have this one: the GTP command says which.
        Err(_) => return commands::komi(&mut gogui.gtp, arguments).and_then(text),
    };
    if same {
        return text("");
    }
    let message = format!("komi {komi}: {variant} is played; another komi belongs on the command line");
    Err(GtpError::Other(message))
}

fn best_moves(gogui: &mut Gogui, arguments: &str) -> Run {
    none(arguments, "gogui-best_moves")?;
    if gogui.gtp.session.outcome().is_some() {
        return text(graphics::position(&gogui.gtp.session, None));
    }
    let selected = mouse::selected(gogui);
    let only = selected.map(|selected| gogui.gtp.session.steps_from(&selected));
    let go = Go {
        search_moves: only.unwrap_or_default(),
        multi_pv: DRAWN,
        report_schedule: ReportSchedule::default(),
        ..Go::default()
    };
    let events = gogui.gtp.session.search(&go);
    let events = events.map_err(|error| GtpError::Other(error.to_string()))?;
    Ok(Answer::Later(events, Work::Graphics))
}

fn options(gogui: &mut Gogui, arguments: &str) -> Run {
    let failed = |error: crate::session::OptionError| GtpError::Other(error.to_string());
    if !arguments.is_empty() {
        let usage = "gogui-options [NAME VALUE]";
        let (name, value) = parse(arguments, usage, separated_pair(word, blanks, word))?;
        return gogui.gtp.session.set_option(name, value).map_err(failed).and(text(""));
    }
    let mut lines = Vec::new();
    for option in OPTIONS {
        let value = gogui.gtp.session.option(option.name).map_err(failed)?;
        match option.kind {
            OptionKind::Spin { .. } | OptionKind::File => lines.push(format!("[string] {} {value}", option.name)),
            OptionKind::Combo(words) => {
                lines.push(format!("[list/{}] {} {value}", words.join("/"), option.name));
            }
            // GoGui starts several processes with one command line: all must play the same variant.
            OptionKind::Variant => {}
        }
    }
    text(lines.join("\n"))
}
