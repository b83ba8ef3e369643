//! The record of a game on the board.

use std::time::SystemTime;

use super::game::{Game, Player};
use super::link;
use crate::arena::record::{
    Cause, GameRecord, GameResult, MoveRecord, RESIGNATION, SearchInformation, Seat,
};
use crate::games;
use crate::rules::Color;

/// Returns the record of a finished game. A game that goes on has no record yet: it is one line, as in links.
pub(super) fn write(game: &Game) -> String {
    match record(game) {
        Some(record) => record.to_text(),
        None => format!("{}\n", link::write(&game.session)),
    }
}

fn record(game: &Game) -> Option<GameRecord> {
    let board = game.board();
    let outcome = board.outcome();
    let (winner, cause, reason) = match (&game.ended, outcome) {
        (Some(ended), _) if ended.cause == Cause::Normal => {
            (Some(ended.winner), Cause::Normal, RESIGNATION.to_owned())
        }
        (Some(ended), _) => (Some(ended.winner), ended.cause, ended.text.clone()),
        (None, outcome) => {
            let outcome = outcome?;
            (outcome.winner, Cause::Normal, outcome.reason.to_string())
        }
    };
    let variant = game.session.variant();
    let start = board.fork_at(0).position();
    let is_usual = games::open(variant).is_some_and(|board| board.position() == start);
    let seat = |color: Color| seat(game, color);
    Some(GameRecord {
        game: 1,
        pair: 1,
        variant: variant.to_string(),
        date: date(),
        seed: 0,
        conditions: None,
        start: (!is_usual).then_some(start),
        fault: match cause {
            Cause::Time => winner.map(|winner| seat(!winner).name),
            _ => None,
        },
        black: seat(Color::Black),
        white: seat(Color::White),
        result: GameResult::of(winner),
        cause,
        reason,
        moves: moves(game),
    })
}

/// Returns the date (UTC), as in PGN.
fn date() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.get(..10).unwrap_or_default().replace('-', ".")
}

fn seat(game: &Game, color: Color) -> Seat {
    let is_engine = game.players.get(color.index()) == Some(&Player::Engine);
    let version = concat!("pentalith ", env!("CARGO_PKG_VERSION"));
    Seat {
        // The two names differ, so that a fault can name one of them.
        name: match is_engine {
            true => format!("pentalith ({color})"),
            false => format!("{color}"),
        },
        engine: if is_engine { "built-in" } else { "a person" }.to_owned(),
        options: match is_engine {
            true => format!("Strength={}", game.level),
            false => String::new(),
        },
        version: if is_engine { version } else { "" }.to_owned(),
        limit: match (is_engine, game.session.has_node_limit()) {
            (true, false) => format!("movetime {}", game.session.time().as_millis()),
            _ => String::new(),
        },
    }
}

/// Returns the moves with the time of each, and what the engine said of its own.
fn moves(game: &Game) -> Vec<MoveRecord> {
    let mut notes = game.notes().iter().copied();
    let plays = game.session.play_lengths();
    let mut plays = plays.into_iter();
    let moves = game.session.moves().into_iter().map(|text| {
        let steps = text.split(',').count();
        let mut information = SearchInformation::default();
        let mut covered = 0;
        while covered < steps {
            let Some(length) = plays.next() else {
                break;
            };
            covered += length;
            information.add(notes.next().unwrap_or_default());
        }
        MoveRecord {
            text,
            information: Some(information),
        }
    });
    moves.collect()
}
