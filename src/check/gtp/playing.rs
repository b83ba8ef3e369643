//! Checks of moves and positions.

use super::super::{CheckResult, MOVES, NO_MOVE, NoVerdict, Verdict, failed, game_deadline, passed, skipped};
use super::{Gtp, expect_error};
use crate::client::adjudicator::Adjudicator;
use crate::client::gtp::{genmove, play};
use crate::client::output::{FinalScore, final_score as read_score};
use crate::rules::Color;
use crate::text::{counted, quote};

const NO_DIAGRAM: &str = "the engine has no showboard";

/// Describes the first difference of two diagrams; `None` if they are equal.
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

pub(super) fn generated_move(gtp: &mut Gtp) -> CheckResult {
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
    gtp.client.demand("clear_board")?;
    gtp.client.demand(&play(color, &text))?;
    passed(format!("{color} {text}"))
}

pub(super) fn colors(gtp: &mut Gtp) -> CheckResult {
    let (color, text) = gtp.first_move()?;
    let words = match color {
        Color::Black => ["b", "B", "black", "BLACK", "Black"],
        Color::White => ["w", "W", "white", "WHITE", "White"],
    };
    for word in words {
        gtp.client.demand("clear_board")?;
        gtp.client.demand(&format!("play {word} {text}"))?;
    }
    passed("")
}

pub(super) fn move_case(gtp: &mut Gtp) -> CheckResult {
    let (color, text) = gtp.first_move()?;
    for text in [text.to_lowercase(), text.to_uppercase()] {
        gtp.client.demand("clear_board")?;
        gtp.client.demand(&play(color, &text))?;
    }
    passed("")
}

/// Plays a move that must be refused, and compares the positions before and after.
fn refused(gtp: &mut Gtp, command: &str) -> CheckResult {
    let before = gtp.diagram()?;
    let answer = gtp.client.ask(command)?;
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

pub(super) fn nonsense(gtp: &mut Gtp) -> CheckResult {
    let (color, _) = gtp.first_move()?;
    for side in [!color, color] {
        let run = refused(gtp, &play(side, NO_MOVE))?;
        if !matches!(run, Verdict::Passed(_)) {
            return Ok(run);
        }
    }
    passed("")
}

pub(super) fn illegal_move(gtp: &mut Gtp) -> CheckResult {
    let Some(variant) = gtp.rules.variant.clone() else {
        return skipped("which moves are illegal is only known with --variant");
    };
    let (_, text) = gtp.first_move()?;
    let Some(mut rules) = Adjudicator::new(Some(&variant)) else {
        return skipped("the variant can't be opened");
    };
    if let Err(why) = rules.play(&text) {
        return failed(why);
    }
    match rules.illegal_step(&variant) {
        Some(step) => refused(gtp, &play(rules.side(), &step)),
        None => skipped("no illegal step is at hand"),
    }
}

pub(super) fn clear_board(gtp: &mut Gtp) -> CheckResult {
    gtp.new_game()?;
    let Some(before) = gtp.diagram()? else {
        return skipped(NO_DIAGRAM);
    };
    let (_, text) = gtp.first_move()?;
    gtp.client.demand("clear_board")?;
    let after = gtp.diagram()?.unwrap_or_default();
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("not the start, after {text}: {what}")),
    }
}

pub(super) fn undo(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.has("undo")? {
        return skipped("the engine has no undo");
    }
    gtp.new_game()?;
    let before = gtp.diagram()?;
    let (_, text) = gtp.first_move()?;
    gtp.client.demand("undo")?;
    let (Some(before), Some(after)) = (before, gtp.diagram()?) else {
        return passed(format!("accepted; {NO_DIAGRAM}"));
    };
    match difference(&before, &after) {
        None => passed(""),
        Some(what) => failed(format!("{text} is not quite taken back: {what}")),
    }
}

pub(super) fn undo_at_the_start(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.has("undo")? {
        return skipped("the engine has no undo");
    }
    gtp.client.demand("clear_board")?;
    let answer = gtp.client.ask("undo")?;
    expect_error(&answer, "cannot undo")
}

pub(super) fn reg_genmove(gtp: &mut Gtp) -> CheckResult {
    if !gtp.client.has("reg_genmove")? {
        return skipped("the engine has no reg_genmove");
    }
    let (color, _) = gtp.first_move()?;
    let before = gtp.diagram()?;
    let answer = gtp.client.ask(&format!("reg_genmove {}", (!color).letter()))?;
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

pub(super) fn whole_game(gtp: &mut Gtp) -> CheckResult {
    let Some(mut rules) = Adjudicator::new(gtp.rules.variant.as_ref()) else {
        return skipped("the rules are only known with --variant");
    };
    let deadline = game_deadline(&gtp.client.connection);
    gtp.new_game()?;
    let mut moves = 0;
    while !rules.is_over() && moves < MOVES && !deadline.is_past() {
        let text = gtp.client.demand(&genmove(rules.side()))?;
        let text = text.trim();
        if text.eq_ignore_ascii_case("resign") {
            return passed(format!("{}, then {} resigns", counted(moves as u64, "move"), rules.side()));
        }
        if let Err(why) = rules.play(text) {
            return failed(format!("move {}: {why}", moves + 1));
        }
        moves += 1;
    }
    if !rules.is_over() {
        return passed(format!("{}, and not over yet", counted(moves as u64, "move")));
    }
    gtp.game = Some(rules);
    passed(counted(moves as u64, "move"))
}

pub(super) fn final_score(gtp: &mut Gtp) -> CheckResult {
    let Some(rules) = gtp.game.take() else {
        return skipped("no whole game has come to its end");
    };
    if !gtp.client.has("final_score")? {
        return skipped("the engine has no final_score");
    }
    // The engine still holds the finished game.
    let text = gtp.client.demand("final_score")?;
    let text = text.trim();
    let score = read_score(text).filter(|score| score.is_standard);
    let Some(FinalScore { winner, margin, .. }) = score else {
        return failed(format!("{} is not a score, like B+7.5, W+ or 0", quote(text)));
    };
    let Some((expected, by)) = rules.score() else {
        return Err(NoVerdict::malformed("the game is not over"));
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
