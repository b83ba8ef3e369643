//! Checks of positions, whole games and results.

use std::time::Duration;

use super::super::{CheckResult, MOVES, NO_MOVE, NoVerdict, Verdict, failed, game_deadline, passed, skipped};
use super::{Game, Ugi};
use crate::client::adjudicator::Adjudicator;
use crate::client::ugi::position as line;
use crate::text::counted;

/// Time limit of each move of the game.
const MOVE_TIME: Duration = Duration::from_millis(20);

pub(super) fn queries(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    let (over, first) = (ugi.query_bool("gameover")?, ugi.query_bool("p1turn")?);
    let result = ugi.query_result()?;
    match (over, first, result.as_str()) {
        (false, true, "none") => passed(""),
        _ => {
            failed(format!("gameover {over}, p1turn {first}, result {result}; at the start they are false, true, none"))
        }
    }
}

pub(super) fn played_on(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    let first = ugi.think()?;
    let moves = [first.clone()];
    ugi.position(&moves)?;
    if ugi.query_bool("gameover")? {
        return skipped(format!("the game is over after {first}"));
    }
    let p1 = ugi.query_bool("p1turn")?;
    let second = ugi.think()?;
    if p1 {
        failed(format!("it is still the first player's turn after {first}"))
    } else {
        passed(format!("{first}, then {second}"))
    }
}

/// Checks that the engine works again from the start position.
fn recovers(ugi: &mut Ugi) -> CheckResult {
    ugi.client.ready()?;
    ugi.client.send("position startpos")?;
    if ugi.query_bool("gameover")? {
        return failed("position startpos does not lead back to the start: gameover is true");
    }
    passed(ugi.think()?)
}

/// Returns an illegal reply to a first move: a plausible one in our games, else a word that is not a move.
fn illegal(ugi: &mut Ugi) -> Result<[String; 2], NoVerdict> {
    ugi.new_game()?;
    let first = ugi.think()?;
    let variant = ugi.rules.variant.clone();
    let step = Adjudicator::new(variant.as_ref()).and_then(|mut rules| {
        rules.play(&first).ok()?;
        rules.illegal_step(&variant?)
    });
    Ok([first, step.unwrap_or_else(|| NO_MOVE.to_owned())])
}

pub(super) fn illegal_move(ugi: &mut Ugi) -> CheckResult {
    let moves = illegal(ugi)?;
    ugi.position(&moves)?;
    match recovers(ugi)? {
        Verdict::Passed(_) => passed(moves.join(" ")),
        other => Ok(other),
    }
}

pub(super) fn over_after_illegal_move(ugi: &mut Ugi) -> CheckResult {
    let moves = illegal(ugi)?;
    ugi.position(&moves)?;
    let over = ugi.query_bool("gameover")?;
    let text = ugi.think()?;
    ugi.position(&[])?;
    if over {
        passed(format!("bestmove {text}"))
    } else {
        failed(format!("gameover is false after {}", moves.join(" ")))
    }
}

pub(super) fn unreadable(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    for position in ["fen no/such/position", "fen", "nowhere", "", "startpos moves"] {
        ugi.client.send(format!("position {position}").trim_end())?;
    }
    recovers(ugi)
}

pub(super) fn fen(ugi: &mut Ugi) -> CheckResult {
    let Some(mut rules) = Adjudicator::new(ugi.rules.variant.as_ref()) else {
        return skipped("how positions are written is only known with --variant");
    };
    ugi.new_game()?;
    let mut text = ugi.think()?;
    if let Err(why) = rules.play(&text) {
        return failed(why);
    }
    let position = rules.position();
    ugi.client.send(&line(Some(&position), &[]))?;
    if let Some(what) = disagreement(ugi, &rules)? {
        return failed(what);
    }
    if rules.is_over() {
        return passed("");
    }
    text = ugi.think()?;
    if let Err(why) = rules.play(&text) {
        return failed(why);
    }
    ugi.client.send(&line(Some(&position), &[text]))?;
    match disagreement(ugi, &rules)? {
        Some(what) => failed(what),
        None => passed(""),
    }
}

/// Describes a difference between the position of the engine and that of the rules.
fn disagreement(ugi: &mut Ugi, rules: &Adjudicator) -> Result<Option<String>, NoVerdict> {
    let over = ugi.query_bool("gameover")?;
    if over != rules.is_over() {
        return Ok(Some(format!("gameover is {over}, but not by the rules")));
    }
    let p1 = ugi.query_bool("p1turn")?;
    if !over && p1 != rules.is_first_players_turn() {
        return Ok(Some(format!("p1turn is {p1}, but not by the rules")));
    }
    Ok(None)
}

pub(super) fn whole_game(ugi: &mut Ugi) -> CheckResult {
    let mut rules = Adjudicator::new(ugi.rules.variant.as_ref()).map(Ok);
    let game = game_deadline(&ugi.client.connection);
    let mut moves: Vec<String> = Vec::new();
    ugi.new_game()?;
    loop {
        ugi.position(&moves)?;
        // Another check reports the first disagreement.
        if let Some(Ok(seen)) = &rules
            && let Some(what) = disagreement(ugi, seen)?
        {
            rules = Some(Err(format!("after {} {what}", counted(moves.len() as u64, "move"))));
        }
        if ugi.query_bool("gameover")? {
            break;
        }
        if moves.len() == MOVES || game.is_past() {
            return skipped(format!("not over after {}", counted(moves.len() as u64, "move")));
        }
        ugi.go(&format!("movetime {}", MOVE_TIME.as_millis()))?;
        let text = ugi.bestmove()?;
        if let Some(Ok(seen)) = &mut rules
            && let Err(why) = seen.play(&text)
        {
            rules = Some(Err(format!("move {}: {why}", moves.len() + 1)));
        }
        moves.push(text);
    }
    let result = ugi.query_result()?;
    let summary = format!("{}, {result}", counted(moves.len() as u64, "move"));
    ugi.game = Some(Game { moves, result, rules });
    passed(summary)
}

const NO_GAME: &str = "no whole game has come to its end";

pub(super) fn legal_game(ugi: &mut Ugi) -> CheckResult {
    match &ugi.game {
        None => skipped(NO_GAME),
        Some(Game { rules: None, .. }) => skipped("the rules are only known with --variant"),
        Some(Game { rules: Some(Err(why)), .. }) => failed(why.clone()),
        Some(Game { rules: Some(Ok(_)), moves, .. }) => passed(counted(moves.len() as u64, "move")),
    }
}

pub(super) fn result(ugi: &mut Ugi) -> CheckResult {
    let Some(Game { result, rules, .. }) = &ugi.game else {
        return skipped(NO_GAME);
    };
    match rules {
        _ if result == "none" => failed("none, although gameover is true"),
        Some(Ok(rules)) if rules.result() != result => failed(format!("{result}, but by the rules {}", rules.result())),
        Some(Err(_)) => skipped("the game was not legal"),
        _ => passed(result.clone()),
    }
}

pub(super) fn go_when_over(ugi: &mut Ugi) -> CheckResult {
    let Some(Game { moves, .. }) = &ugi.game else {
        return skipped(NO_GAME);
    };
    let moves = moves.clone();
    ugi.position(&moves)?;
    ugi.client.ready()?;
    passed(ugi.think()?)
}
