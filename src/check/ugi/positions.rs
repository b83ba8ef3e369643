//! Positions, whole games and their results.

use std::time::Duration;

use super::super::{Fault, MOVES, NO_MOVE, Run, Verdict, failed, game_deadline, passed, skipped};
use super::{Game, Ugi};
use crate::client::adjudicator::Adjudicator;
use crate::client::ugi::position as line;
use crate::text::counted;

/// How long the engine thinks about each move of it.
const MOVE_TIME: Duration = Duration::from_millis(20);

pub(super) fn queries(ugi: &mut Ugi) -> Run {
    ugi.new_game()?;
    let (over, first) = (ugi.query_bool("gameover")?, ugi.query_bool("p1turn")?);
    let result = ugi.query_result()?;
    match (over, first, result.as_str()) {
        (false, true, "none") => passed(""),
        _ => failed(format!(
            "gameover {over}, p1turn {first}, result {result}; at the start they are false, true, none"
        )),
    }
}

pub(super) fn played_on(ugi: &mut Ugi) -> Run {
    ugi.new_game()?;
    let first = ugi.think()?;
    let moves = [first.clone()];
    ugi.position(&moves)?;
    if ugi.query_bool("gameover")? {
        return skipped(format!("the game is over after {first}"));
    }
    let p1 = ugi.query_bool("p1turn")?;
    let second = ugi.think()?;
    match p1 {
        true => failed(format!("it is still the first player's turn after {first}")),
        false => passed(format!("{first}, then {second}")),
    }
}

/// Demands that the engine works again from the start.
fn recovers(ugi: &mut Ugi) -> Run {
    ugi.client.ready()?;
    ugi.client.send("position startpos")?;
    if ugi.query_bool("gameover")? {
        return failed("position startpos does not lead back to the start: gameover is true");
    }
    passed(ugi.think()?)
}

/// A move that is illegal after a first one: of our games one that looks right, else a word that is no move.
fn illegal(ugi: &mut Ugi) -> Result<[String; 2], Fault> {
    ugi.new_game()?;
    let first = ugi.think()?;
    let variant = ugi.variant.clone();
    let step = Adjudicator::new(variant.as_ref()).and_then(|mut judge| {
        judge.play(&first).ok()?;
        judge.illegal_step(&variant?)
    });
    Ok([first, step.unwrap_or_else(|| NO_MOVE.to_owned())])
}

pub(super) fn illegal_move(ugi: &mut Ugi) -> Run {
    let moves = illegal(ugi)?;
    ugi.position(&moves)?;
    match recovers(ugi)? {
        Verdict::Passed(_) => passed(moves.join(" ")),
        other => Ok(other),
    }
}

pub(super) fn over_after_illegal_move(ugi: &mut Ugi) -> Run {
    let moves = illegal(ugi)?;
    ugi.position(&moves)?;
    let over = ugi.query_bool("gameover")?;
    let text = ugi.think()?;
    ugi.position(&[])?;
    match over {
        true => passed(format!("bestmove {text}")),
        false => failed(format!("gameover is false after {}", moves.join(" "))),
    }
}

pub(super) fn unreadable(ugi: &mut Ugi) -> Run {
    ugi.new_game()?;
    for position in [
        "fen no/such/position",
        "fen",
        "nowhere",
        "",
        "startpos moves",
    ] {
        ugi.client.send(format!("position {position}").trim_end())?;
    }
    recovers(ugi)
}

pub(super) fn fen(ugi: &mut Ugi) -> Run {
    let Some(mut judge) = Adjudicator::new(ugi.variant.as_ref()) else {
        return skipped("how positions are written is only known with --variant");
    };
    ugi.new_game()?;
    let mut text = ugi.think()?;
    if let Err(why) = judge.play(&text) {
        return failed(why);
    }
    let position = judge.position();
    ugi.client.send(&line(Some(&position), &[]))?;
    if let Some(what) = disagreement(ugi, &judge)? {
        return failed(what);
    }
    if judge.is_over() {
        return passed("");
    }
    text = ugi.think()?;
    if let Err(why) = judge.play(&text) {
        return failed(why);
    }
    ugi.client.send(&line(Some(&position), &[text]))?;
    match disagreement(ugi, &judge)? {
        Some(what) => failed(what),
        None => passed(""),
    }
}

/// Where engine and judge see a position differently.
fn disagreement(ugi: &mut Ugi, judge: &Adjudicator) -> Result<Option<String>, Fault> {
    let over = ugi.query_bool("gameover")?;
    if over != judge.is_over() {
        return Ok(Some(format!("gameover is {over}, but not by the rules")));
    }
    let p1 = ugi.query_bool("p1turn")?;
    if !over && p1 != judge.is_first_players_turn() {
        return Ok(Some(format!("p1turn is {p1}, but not by the rules")));
    }
    Ok(None)
}

pub(super) fn whole_game(ugi: &mut Ugi) -> Run {
    let mut judge = Adjudicator::new(ugi.variant.as_ref()).map(Ok);
    let game = game_deadline(&ugi.client.connection);
    let mut moves: Vec<String> = Vec::new();
    ugi.new_game()?;
    loop {
        ugi.position(&moves)?;
        // The first disagreement is kept for its own check.
        if let Some(Ok(seen)) = &judge
            && let Some(what) = disagreement(ugi, seen)?
        {
            judge = Some(Err(format!(
                "after {} {what}",
                counted(moves.len() as u64, "move")
            )));
        }
        if ugi.query_bool("gameover")? {
            break;
        }
        if moves.len() == MOVES || game.is_past() {
            return skipped(format!(
                "not over after {}",
                counted(moves.len() as u64, "move")
            ));
        }
        ugi.go(&format!("movetime {}", MOVE_TIME.as_millis()))?;
        let text = ugi.bestmove()?;
        if let Some(Ok(seen)) = &mut judge
            && let Err(why) = seen.play(&text)
        {
            judge = Some(Err(format!("move {}: {why}", moves.len() + 1)));
        }
        moves.push(text);
    }
    let result = ugi.query_result()?;
    let summary = format!("{}, {result}", counted(moves.len() as u64, "move"));
    ugi.game = Some(Game {
        moves,
        result,
        judge,
    });
    passed(summary)
}

const NO_GAME: &str = "no whole game has come to its end";

pub(super) fn legal_game(ugi: &mut Ugi) -> Run {
    match &ugi.game {
        None => skipped(NO_GAME),
        Some(Game { judge: None, .. }) => skipped("the rules are only known with --variant"),
        Some(Game {
            judge: Some(Err(why)),
            ..
        }) => failed(why.clone()),
        Some(Game {
            judge: Some(Ok(_)),
            moves,
            ..
        }) => passed(counted(moves.len() as u64, "move")),
    }
}

pub(super) fn result(ugi: &mut Ugi) -> Run {
    let Some(Game { result, judge, .. }) = &ugi.game else {
        return skipped(NO_GAME);
    };
    match judge {
        _ if result == "none" => failed("none, although gameover is true"),
        Some(Ok(judge)) if judge.result() != result => {
            failed(format!("{result}, but by the rules {}", judge.result()))
        }
        Some(Err(_)) => skipped("the game was not legal"),
        _ => passed(result.clone()),
    }
}

pub(super) fn go_when_over(ugi: &mut Ugi) -> Run {
    let Some(Game { moves, .. }) = &ugi.game else {
        return skipped(NO_GAME);
    };
    let moves = moves.clone();
    ugi.position(&moves)?;
    ugi.client.ready()?;
    passed(ugi.think()?)
}
