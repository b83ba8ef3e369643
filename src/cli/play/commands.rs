//! The commands that a person may type.

use super::Side;
use super::editor::{Argument, Vocabulary};
use super::game::{CommandError, Game, refuse};
use super::reading::examples;
use crate::rules::Color;
use crate::session::{Level, Score, Variation};
use crate::table::Action;
use crate::text::{counted, cut, list, quote};

/// Returns the names of the levels of the engine, from weak to strong.
fn levels() -> Vec<String> {
    Level::all().map(|level| level.to_string()).collect()
}

/// A command.
pub(super) struct Command {
    name: &'static str,
    aliases: &'static [&'static str],
    argument: Argument,
    /// The argument, as the list of commands shows it.
    shown: &'static str,
    about: &'static str,
    run: fn(&mut Game<'_>, &str) -> Result<(), CommandError>,
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Says why it can't be done.
    pub(super) fn run(&self, game: &mut Game<'_>, rest: &str) -> Result<(), CommandError> {
        if self.argument == Argument::None && !rest.is_empty() {
            return refuse(format!("{} takes nothing after it, but {} follows.", self.name, quote(rest)));
        }
        (self.run)(game, rest)
    }

    /// Returns the line of the list of commands.
    fn line(&self) -> String {
        let words = format!("{} {}", self.name, self.shown);
        format!("  {words:<15} {}", self.about)
    }
}

/// A command without other names and without an argument, to fill the rows of the table.
const PLAIN: Command =
    Command { name: "", aliases: &[], argument: Argument::None, shown: "", about: "", run: |_, _| Ok(()) };

/// All commands, in the order of the list.
static COMMANDS: &[Command] = &[
    Command {
        name: "help",
        aliases: &["?", "h", "commands"],
        argument: Argument::Command,
        shown: "[COMMAND]",
        about: "list the commands, and how moves are typed",
        run: help,
    },
    Command { name: "rules", about: "show the rules of the game", run: |game, _| game.show_rules(), ..PLAIN },
    Command {
        name: "board",
        aliases: &["show", "showboard", "d"],
        about: "show the board",
        run: |game, _| {
            game.is_shown = false;
            Ok(())
        },
        ..PLAIN
    },
    Command {
        name: "legal",
        aliases: &["list"],
        argument: Argument::Cell,
        shown: "[CELL]",
        about: "list the legal steps: all of them, or those of a cell",
        run: |game, rest| game.list_legal(rest),
    },
    Command {
        name: "hint",
        about: "show the move that the engine would play for you, at its best",
        run: |game, _| hint(game),
        ..PLAIN
    },
    Command {
        name: "eval",
        aliases: &["score"],
        about: "say who is ahead, without a move",
        run: |game, _| eval(game),
        ..PLAIN
    },
    Command {
        name: "undo",
        aliases: &["u", "back"],
        argument: Argument::Number,
        shown: "[N]",
        about: "take back your last turn and the engine's answer, or within a turn your last step; N times",
        run: |game, rest| game.undo(times("undo", rest)?),
    },
    Command {
        name: "redo",
        argument: Argument::Number,
        shown: "[N]",
        about: "play again what undo took back; N times",
        run: |game, rest| game.redo(times("redo", rest)?),
        ..PLAIN
    },
    Command {
        name: "goto",
        argument: Argument::Number,
        shown: "N",
        about: "go to the position after move N: back, or forward through what was taken back",
        run: |game, rest| game.go_to(rest),
        ..PLAIN
    },
    Command {
        name: "go",
        aliases: &["genmove"],
        about: "let the engine play this turn, to its end",
        run: |game, _| go(game),
        ..PLAIN
    },
    Command {
        name: "position",
        about: "show the position as a line of text, for --position",
        run: |game, _| {
            let position = game.session().position();
            Ok(game.say(&position)?)
        },
        ..PLAIN
    },
    Command { name: "moves", about: "list the moves of the game", run: |game, _| moves(game), ..PLAIN },
    Command {
        name: "review",
        about: "find the moves that decided the game, and what was better",
        run: |game, _| game.review(),
        ..PLAIN
    },
    Command {
        name: "level",
        argument: Argument::Level,
        shown: "[LEVEL]",
        about: "make the engine weaker or stronger: 1 (beginner) to 6 (best)",
        run: level,
        ..PLAIN
    },
    Command {
        name: "as",
        aliases: &["side"],
        argument: Argument::Side,
        shown: "SIDE",
        about: "choose your side: b, w, both or none",
        run: side,
    },
    Command {
        name: "save",
        argument: Argument::File,
        shown: "FILE",
        about: "write the game to a file",
        run: |game, rest| game.save(rest),
        ..PLAIN
    },
    Command {
        name: "load",
        argument: Argument::File,
        shown: "FILE [N]",
        about: "go on with a game from a file: its only one, or number N",
        run: |game, rest| game.load(rest),
        ..PLAIN
    },
    Command { name: "resign", about: "give the game up", run: |game, _| resign(game), ..PLAIN },
    Command {
        name: "new",
        argument: Argument::Variant,
        shown: "[VARIANT]",
        about: "begin another game, of this variant or another one, such as markane:6x6,pie=on; size and options \
                alone change this variant",
        run: |game, rest| game.begin(rest),
        ..PLAIN
    },
    Command {
        name: "quit",
        aliases: &["q", "exit", "bye"],
        about: "end the program",
        run: |game, _| {
            game.has_left = true;
            Ok(())
        },
        ..PLAIN
    },
];

/// Returns the command that a line begins with, and the rest of the line.
pub(super) fn find(line: &str) -> Option<(&'static Command, &str)> {
    let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let is_named = |command: &&Command| {
        let mut names = std::iter::once(&command.name).chain(command.aliases);
        names.any(|name| name.eq_ignore_ascii_case(word))
    };
    COMMANDS.iter().find(is_named).map(|command| (command, rest.trim()))
}

/// Returns what completion needs to know of the commands.
pub(super) fn vocabulary() -> Vocabulary {
    Vocabulary { commands: names(), argument: |word| find(word).map(|(command, _)| command.argument), levels: levels() }
}

fn names() -> Vec<&'static str> {
    COMMANDS.iter().map(|command| command.name).collect()
}

/// Suggests a command for a mistyped word.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let near = names().into_iter().map(|name| (strsim::damerau_levenshtein(name, &word), name));
    // Accept one wrong letter in three, and one in the shortest names.
    let (_, name) = near.filter(|(distance, name)| *distance <= (name.len() / 3).max(1)).min()?;
    // A cell of one letter and one digit is no mistyped word.
    word.chars().all(char::is_alphabetic).then_some(name)
}

fn help(game: &mut Game<'_>, rest: &str) -> Result<(), CommandError> {
    if !rest.is_empty() {
        let Some((command, _)) = find(rest) else {
            return refuse(format!("{} is not a command; help lists them.", quote(rest)));
        };
        return Ok(game.say_indented(&command.line(), 18)?);
    }
    let mut lines: Vec<String> = COMMANDS.iter().flat_map(|command| game.wrapped(&command.line(), 18)).collect();
    let examples = examples(game.session());
    if !examples.is_empty() {
        let examples = list(&examples, "or");
        let text = format!(
            "A step is typed as {examples}. If a move has several steps, type them one by one, or together with \
             commas between them. Capitals do not matter."
        );
        lines.append(&mut game.wrapped(&text, 0));
    }
    lines.append(&mut game.wrapped("An empty line shows the board again.", 0));
    game.page(&lines)
}

/// Reads how many times a command is to be done.
fn times(name: &str, rest: &str) -> Result<u32, CommandError> {
    match rest.parse::<u32>() {
        _ if rest.is_empty() => Ok(1),
        Ok(times) if times > 0 => Ok(times),
        _ => refuse(format!("{name} {}: expected a number from 1.", quote(rest))),
    }
}

fn hint(game: &mut Game<'_>) -> Result<(), CommandError> {
    let found = game.search()?;
    let side = game.session().side();
    let text = found.text();
    let told = game.in_words(&text);
    game.narrate_advice(&told)?;
    if let Some(best) = found.progress.variations.first() {
        let mut line = format!("Then {}", standing(side, best));
        let later: Vec<String> = best.moves.iter().skip(1).take(4).map(|steps| steps.join(",")).collect();
        if !later.is_empty() {
            let mut later = later.into_iter();
            let reply = later.next().unwrap_or_default();
            line.push_str(&format!(". The engine expects {reply} in reply"));
            let rest = later.collect::<Vec<_>>().join(" ");
            if !rest.is_empty() {
                line.push_str(&format!(", then {}", cut(&rest)));
            }
        }
        line.push('.');
        game.say(&line)?;
    }
    Ok(())
}

fn eval(game: &mut Game<'_>) -> Result<(), CommandError> {
    let found = game.search()?;
    let side = game.session().side();
    if let Some(best) = found.progress.variations.first() {
        let mut words = standing(side, best);
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let depth = counted(best.depth() as u64, "step");
        game.say(&format!("{words} (the engine looked {depth} ahead)."))?;
    }
    Ok(())
}

/// Says how a side stands in a variation.
fn standing(side: Color, best: &Variation) -> String {
    match (best.score(), &best.proof) {
        (Score::Mate(own), Some(proof)) => {
            let winner = if own > 0 { side } else { !side };
            let within = match proof.moves {
                0 | 1 => "with the next move".to_owned(),
                moves => format!("within {moves} moves, counting those of both players"),
            };
            format!("{winner} wins {within}, which is proven")
        }
        (_, Some(_)) => "the game is a draw, which is proven".to_owned(),
        (_, None) => {
            let share = 100.0 * best.expected_score;
            let (ahead, share) = if share >= 50.0 { (side, share) } else { (!side, 100.0 - share) };
            if share < 52.5 {
                format!("the game is even ({ahead} wins {share:.0} % of such games)")
            } else {
                format!("{ahead} is ahead and wins {share:.0} % of such games")
            }
        }
    }
}

fn go(game: &mut Game<'_>) -> Result<(), CommandError> {
    if game.table.is_over() {
        return refuse("The game is over. new begins another game, undo goes back.");
    }
    game.engine_moves()
}

fn moves(game: &mut Game<'_>) -> Result<(), CommandError> {
    let moves = game.session().moves();
    if moves.is_empty() {
        return refuse("No move has been played.");
    }
    let numbered = moves.iter().enumerate();
    let numbered: Vec<String> = numbered.map(|(i, text)| format!("{}. {text}", i + 1)).collect();
    Ok(game.say_indented(&numbered.join(" "), 2)?)
}

fn level(game: &mut Game<'_>, rest: &str) -> Result<(), CommandError> {
    let names = levels().join(", ");
    if rest.is_empty() {
        let now = game.table.level();
        return Ok(game.say(&format!("The level is {now}. Levels from 1 to 6: {names}."))?);
    }
    let number = rest.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let numbered = number.and_then(|number| Level::all().nth(number));
    let Some(level) = numbered.or_else(|| rest.parse::<Level>().ok()) else {
        return refuse(format!("No level {}: expected a number from 1 to 6, or one of {names}.", quote(rest)));
    };
    game.apply(Action::Level(level))?;
    Ok(game.say(&format!("The level is {level} now."))?)
}

fn side(game: &mut Game<'_>, rest: &str) -> Result<(), CommandError> {
    let chosen = <Side as clap::ValueEnum>::from_str(rest, true);
    let Ok(chosen) = chosen else {
        return refuse(format!("No side {}: expected b, w, both or none.", quote(rest)));
    };
    game.apply(Action::Seats(chosen.players()))?;
    let words = match chosen {
        Side::Both => "You play both sides",
        Side::None => "The engine plays both sides; Ctrl-C stops the game",
        Side::Black => "You are Black",
        Side::White => "You are White",
    };
    // The result of a finished game is not told again: it would be that of the side that was not played.
    let words = if game.table.is_over() {
        format!("{words} from now on. new begins another game, undo goes back.")
    } else {
        game.is_shown = false;
        format!("{words}.")
    };
    Ok(game.say(&words)?)
}

fn resign(game: &mut Game<'_>) -> Result<(), CommandError> {
    if game.table.is_over() {
        return refuse("The game is over already.");
    }
    game.apply(Action::Resign)?;
    game.note_change();
    Ok(())
}
