//! Records of games that people play, against the engine or each other.

use super::{Cause, GameRecord, GameResult, MoveRecord, RESIGNATION, Seat, today};
use crate::rules::{Color, Outcome};
use crate::session::Session;

/// Reason of a record whose game goes on.
const UNFINISHED: &str = "unfinished";

/// A game between people, or a person and the engine.
pub struct PlayedGame<'a> {
    /// The session that has played it.
    pub session: &'a Session,
    /// True for a side that the engine plays, Black first.
    pub engine: [bool; 2],
    /// Start position; `None` for the start of the variant.
    pub start: Option<String>,
    /// The end for another reason than the rules.
    pub end: Option<EarlyEnd>,
    /// The moves, with what is known of their searches and times.
    pub moves: Vec<MoveRecord>,
}

/// The end of a game for another reason than the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EarlyEnd {
    /// This player resigned.
    Resignation(Color),
    /// This player's clock ran out.
    Time(Color),
}

impl PlayedGame<'_> {
    /// Returns the record of the game, which may be unfinished.
    pub fn record(self) -> GameRecord {
        let lost = |loser: Color| GameResult::of(Some(!loser));
        let (result, cause, reason, late) = match (self.end, self.session.outcome()) {
            (Some(EarlyEnd::Resignation(loser)), _) => (lost(loser), Cause::Normal, RESIGNATION.to_owned(), None),
            (Some(EarlyEnd::Time(loser)), _) => {
                let reason = format!("{loser}'s clock ran out");
                (lost(loser), Cause::Time, reason, Some(loser))
            }
            (None, Some(Outcome { winner, reason })) => {
                let result = GameResult::of(winner);
                (result, Cause::Normal, reason.to_owned(), None)
            }
            (None, None) => {
                let reason = UNFINISHED.to_owned();
                (GameResult::Unfinished, Cause::Aborted, reason, None)
            }
        };
        let [black, white] = Color::BOTH.map(|color| self.seat(color));
        let fault = late.map(|late| match late {
            Color::Black => black.name.clone(),
            Color::White => white.name.clone(),
        });
        let seed = self.session.option("Seed").unwrap_or_default();
        GameRecord {
            game: 1,
            pair: 1,
            variant: self.session.variant().to_string(),
            date: today(),
            seed: seed.parse().unwrap_or_default(),
            conditions: None,
            start: self.start,
            black,
            white,
            result,
            cause,
            reason,
            fault,
            moves: self.moves,
            tags: Vec::new(),
        }
    }

    fn seat(&self, color: Color) -> Seat {
        let is_engine = |color: Color| self.engine.get(color.index()) == Some(&true);
        let option = |name| self.session.option(name).unwrap_or_default();
        // Two of a kind have different names, so that a fault names one of them.
        let name = |kind: &str| match is_engine(color) == is_engine(!color) {
            true => format!("{kind} ({color})"),
            false => kind.to_owned(),
        };
        if !is_engine(color) {
            return Seat {
                name: name("person"),
                engine: "person".to_owned(),
                options: String::new(),
                version: String::new(),
                limit: String::new(),
            };
        }
        Seat {
            name: name("pentalith"),
            engine: "best".to_owned(),
            options: format!("Strength={} Threads={}", option("Strength"), option("Threads")),
            version: format!("pentalith {}", env!("CARGO_PKG_VERSION")),
            limit: match self.session.has_node_limit() {
                true => format!("nodes {}", option("Nodes")),
                false => format!("movetime {}", self.session.time().as_millis()),
            },
        }
    }
}
