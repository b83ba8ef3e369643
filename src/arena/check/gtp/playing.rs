//! Moves and positions.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::char;
use nom::combinator::{opt, value};
use nom::sequence::separated_pair;

use super::super::{Fault, GAME, MOVES, NO_MOVE, Run, Verdict, failed, passed, skipped};
use super::Gtp;
use crate::arena::judge::Judge;
use crate::notation::pieces::{Expected, halves, read};
use crate::rules::{Color, Halves};
use crate::text::{counted, quote};

const NO_DIAGRAM: &str = "the engine has no showboard";

/// Says where two diagrams differ; `None` where they don't.
pub fn difference(before: &str, after: &str) -> Option<String> {
    let mut lines = 1..;
    let mut after_lines = after.lines();
    for before in before.lines() {
        let (after, line) = (after_lines.next().unwrap_or(""), lines.next()?);
        if before != after {
            let (before, after) = (quote(before), quote(after));
            return Some(format!("line {line}: {before} is now {after}"));
        }
    }
    let more = after_lines.next()?;
    Some(format!("a line more: {}", quote(more)))
}

pub(super) fn generated_move(gtp: &mut Gtp) -> Run {
    let (color, text) = match gtp.opening()? {
        Ok(made) => made,
        Err(why) => return failed(format!("genmove is refused: {why}")),
    };
    if text.is_empty() || text.contains(char::is_whitespace) {
        return failed(format!("{} is not one word", quote(&text)));
    }
    if text.eq_ignore_ascii_case("resign") {
        return skipped("the engine resigns at the start");
    }
    gtp.demand("clear_board")?;
    gtp.demand(&format!("play {} {text}", color.letter()))?;
    passed(format!("{color} {text}"))
}

pub(super) fn colors(gtp: &mut Gtp) -> Run {
    let (color, text) = gtp.first_move()?;
    let words = match color {
        Color::Black => ["b", "B", "black", "BLACK", "Black"],
        Color::White => ["w", "W", "white", "WHITE", "White"],
    };
    for word in words {
        gtp.demand("clear_board")?;
        gtp.demand(&format!("play {word} {text}"))?;
    }
    passed("")
}

pub(super) fn move_case(gtp: &mut Gtp) -> Run {
    let (color, text) = gtp.first_move()?;
    for text in [text.to_lowercase(), text.to_uppercase()] {
        gtp.demand("clear_board")?;
        gtp.demand(&format!("play {} {text}", color.letter()))?;
    }
    passed("")
}

/// Plays what must be refused, and compares the position before and after.
fn refused(gtp: &mut Gtp, command: &str) -> Run {
    let before = gtp.diagram()?;
    let answer = gtp.ask(command)?;
    if answer.ok {
        return failed(format!("{} is accepted", quote(command)));
    }
    let (Some(before), Some(after)) = (before, gtp.diagram()?) else {
        return passed(format!("an error; {NO_DIAGRAM}"));
    };
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("the position has changed: {what}")),
    }
}

pub(super) fn nonsense(gtp: &mut Gtp) -> Run {
    let (color, _) = gtp.first_move()?;
    for side in [!color, color] {
        let run = refused(gtp, &format!("play {} {NO_MOVE}", side.letter()))?;
        if !matches!(run, Verdict::Passed(_)) {
            return Ok(run);
        }
    }
    passed("")
}

pub(super) fn illegal_move(gtp: &mut Gtp) -> Run {
    let Some(variant) = gtp.bench.settings.variant.clone() else {
        return skipped("which moves are illegal is only known with --variant");
    };
    let (_, text) = gtp.first_move()?;
    let Some(mut judge) = Judge::new(Some(&variant)) else {
        return skipped("the variant can't be opened");
    };
    if let Err(why) = judge.play(&text) {
        return failed(why);
    }
    match judge.illegal_step(&variant) {
        Some(step) => refused(gtp, &format!("play {} {step}", judge.side().letter())),
        None => skipped("no illegal step is at hand"),
    }
}

pub(super) fn clear_board(gtp: &mut Gtp) -> Run {
    gtp.new_game()?;
    let Some(before) = gtp.diagram()? else {
        return skipped(NO_DIAGRAM);
    };
    let (_, text) = gtp.first_move()?;
    gtp.demand("clear_board")?;
    let after = gtp.diagram()?.unwrap_or_default();
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("not the start, after {text}: {what}")),
    }
}

pub(super) fn undo(gtp: &mut Gtp) -> Run {
    if !gtp.has("undo")? {
        return skipped("the engine has no undo");
    }
    gtp.new_game()?;
    let before = gtp.diagram()?;
    let (_, text) = gtp.first_move()?;
    gtp.demand("undo")?;
    let (Some(before), Some(after)) = (before, gtp.diagram()?) else {
        return passed(format!("accepted; {NO_DIAGRAM}"));
    };
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("{text} is not quite taken back: {what}")),
    }
}

pub(super) fn undo_at_the_start(gtp: &mut Gtp) -> Run {
    if !gtp.has("undo")? {
        return skipped("the engine has no undo");
    }
    gtp.demand("clear_board")?;
    let answer = gtp.ask("undo")?;
    match answer.ok {
        true => failed("accepted"),
        false if answer.text.starts_with("cannot undo") => passed(""),
        false => failed(format!("another error: {}", answer.quoted())),
    }
}

pub(super) fn reg_genmove(gtp: &mut Gtp) -> Run {
    if !gtp.has("reg_genmove")? {
        return skipped("the engine has no reg_genmove");
    }
    let (color, _) = gtp.first_move()?;
    let before = gtp.diagram()?;
    let answer = gtp.ask(&format!("reg_genmove {}", (!color).letter()))?;
    if !answer.ok {
        return failed(format!("refused: {}", answer.quoted()));
    }
    let (Some(before), Some(after)) = (before, gtp.diagram()?) else {
        return skipped(NO_DIAGRAM);
    };
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("the position has changed: {what}")),
    }
}

pub(super) fn whole_game(gtp: &mut Gtp) -> Run {
    let Some(mut judge) = Judge::new(gtp.bench.settings.variant.as_ref()) else {
        return skipped("the rules are only known with --variant");
    };
    let limit = gtp.bench.limit(GAME);
    gtp.new_game()?;
    let mut moves = 0;
    while !judge.is_over() && moves < MOVES && !limit.is_past() {
        let text = gtp.demand(&format!("genmove {}", judge.side().letter()))?;
        let text = text.trim();
        if text.eq_ignore_ascii_case("resign") {
            return passed(format!(
                "{}, then {} resigns",
                counted(moves as u64, "move"),
                judge.side()
            ));
        }
        if let Err(why) = judge.play(text) {
            return failed(format!("move {}: {why}", moves + 1));
        }
        moves += 1;
    }
    if !judge.is_over() {
        return passed(format!(
            "{}, and not over yet",
            counted(moves as u64, "move")
        ));
    }
    gtp.game = Some(judge);
    passed(counted(moves as u64, "move"))
}

/// A result: the winner and the margin where there is one.
pub type Score = (Option<Color>, Option<Halves>);

/// Reads `0`, `B+7`, `W+0.5`, `B+`.
pub fn score(text: &str) -> Option<Score> {
    let color = alt((
        value(Color::Black, tag_no_case::<_, _, Expected<'_>>("b")),
        value(Color::White, tag_no_case("w")),
    ));
    let won = separated_pair(color, char('+'), opt(halves)).map(|(color, by)| (Some(color), by));
    let draw = value((None, None), alt((tag_no_case("draw"), tag_no_case("0"))));
    read(text, alt((won, draw))).ok()
}

pub(super) fn final_score(gtp: &mut Gtp) -> Run {
    let Some(judge) = gtp.game.take() else {
        return skipped("no whole game has come to its end");
    };
    if !gtp.has("final_score")? {
        return skipped("the engine has no final_score");
    }
    // The game is still on the engine's board.
    let text = gtp.demand("final_score")?;
    let text = text.trim();
    let Some((winner, margin)) = score(text) else {
        return failed(format!("{} is no score, like B+7.5, W+ or 0", quote(text)));
    };
    let Some((expected, by)) = judge.score() else {
        return Err(Fault::Malformed("the game is not over".to_owned()));
    };
    let name = |winner: Option<Color>| winner.map_or("nobody".to_owned(), |c| c.to_string());
    if winner != expected {
        let expected = name(expected);
        return failed(format!("{}, but {expected} has won", quote(text)));
    }
    match (margin, by) {
        (Some(margin), Some(by)) if winner.is_some() && margin != by => {
            failed(format!("{}, but it is won by {by}", quote(text)))
        }
        _ => passed(text),
    }
}
