//! The record of a game on the board.

use super::game::Game;
use super::link;
use super::wishes::Player;
use crate::record::{MoveRecord, PlayedGame, SearchInformation};

/// Returns the record of a game, which may be unfinished, as text.
pub(super) fn write(game: &Game) -> String {
    let played = PlayedGame {
        session: &game.session,
        engine: game.players.map(|player| player == Player::Engine),
        start: link::start(&game.session),
        end: game.ended,
        moves: moves(game),
    };
    played.record().to_text()
}

/// Returns the moves with the time of each, and what the engine said of its own.
fn moves(game: &Game) -> Vec<MoveRecord> {
    let mut notes = game.notes.iter().copied();
    let mut plays = game.session.play_lengths().into_iter();
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
        MoveRecord::new(text, Some(information))
    });
    moves.collect()
}
