//! Reads games as people write them: what they leave out is completed by the rules, what is wrong is named by its place.

use std::sync::Arc;

use super::lexer::{Lexer, Place, Token};
use super::parser::{ParsedGame, move_list, next_game, variant_in};
use super::text::{is_cut_off, seat, with_moves};
use super::{AGREEMENT, Cause, GameRecord, GameResult, Line, MoveRecord, RESIGNATION, RecordError, UNFINISHED};
use crate::games;
use crate::rules::{Color, Outcome, Variant};
use crate::search::SystemClock;
use crate::session::Session;
use crate::text::quote;

/// Number of variants whose boards are kept.
const BOARDS: usize = 8;

/// Value of tags that PGN has for an unknown name.
const UNKNOWN: &str = "?";

/// Date that PGN has for an unknown one.
pub(super) const UNKNOWN_DATE: &str = "????.??.??";

/// Reason of what could be read of a game.
const UNREADABLE: &str = "the rest can't be read";

/// Settings of a reader.
#[derive(Clone, Default, Debug)]
pub struct ReadOptions {
    /// Variant of the games whose tags name none.
    pub variant: Option<Variant>,
    /// True if a game of JSON whose variant is unknown counts as damaged. In text it always does.
    pub needs_variant: bool,
}

/// The games of a file.
#[derive(Debug)]
pub struct FileGames {
    /// Complete games, in order.
    pub games: Vec<GameRecord>,
    /// True if an incomplete game follows them.
    pub is_cut: bool,
    /// Games that can't be read as a whole.
    pub damaged: Vec<DamagedGame>,
}

/// A game that can't be read as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DamagedGame {
    /// Number of the game.
    pub number: u64,
    /// Number of whole games before it.
    pub place: usize,
    /// Its errors, at least one.
    pub errors: Vec<RecordError>,
    /// The part that could be read: the moves up to the first error, if they are of a known variant.
    pub partial: Option<GameRecord>,
    /// True if it is a game of a match that was cut off, at the end of the text.
    pub(super) is_cut: bool,
}

/// Places of the parts of a game.
pub(super) struct Places {
    pub(super) begin: Place,
    /// Place of the position where it begins.
    pub(super) start: Place,
    /// Places of all moves, in the order of the text.
    pub(super) moves: Vec<Place>,
}

/// Reads the games of a text, and completes them.
pub(super) struct Reader<'a> {
    pub(super) options: &'a ReadOptions,
    sessions: Vec<Session>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(options: &'a ReadOptions) -> Self {
        Self { options, sessions: Vec::new() }
    }

    /// Reads all games.
    pub(super) fn read(&mut self, text: &str) -> (Vec<GameRecord>, Vec<DamagedGame>) {
        let mut lexer = Lexer::new(text);
        let (mut games, mut damaged): (Vec<GameRecord>, Vec<DamagedGame>) = (Vec::new(), Vec::new());
        // A variant that stands alone is that of the games behind it.
        let mut heading: Option<Variant> = None;
        while let Some(mut parsed) = next_game(&mut lexer) {
            if let Some((_, variant)) = &parsed.variant {
                heading = Some(variant.clone());
            }
            let number = number_of(&parsed).unwrap_or((games.len() + damaged.len()) as u64 + 1);
            let is_cut = is_cut_off(text, &parsed);
            let record = self.complete(&mut parsed, number, heading.as_ref());
            match record {
                Some(record) if !is_cut && parsed.errors.is_empty() => games.push(record),
                partial => {
                    let place = games.len();
                    damaged.push(DamagedGame { number, place, errors: parsed.errors, partial, is_cut });
                }
            }
        }
        (games, damaged)
    }

    /// Completes a game by the rules; `None` if its variant or its start is unknown.
    fn complete(&mut self, parsed: &mut ParsedGame<'_>, number: u64, heading: Option<&Variant>) -> Option<GameRecord> {
        let tag = |name: &str| parsed.tag(name);
        let integer = |name: &str| tag(name).and_then(|text| text.parse::<u64>().ok());
        let text = |name: &str, unknown: &str| tag(name).unwrap_or(unknown).to_owned();
        let cause = tag("Termination").and_then(|text| text.parse().ok());
        let mut record = GameRecord {
            game: number,
            pair: integer("Pair").unwrap_or(number),
            variant: String::new(),
            date: text("Date", UNKNOWN_DATE),
            seed: integer("Seed").unwrap_or_default(),
            conditions: tag("Conditions").map(str::to_owned),
            start: None,
            black: seat(parsed, Color::Black, tag("Black").unwrap_or(UNKNOWN)),
            white: seat(parsed, Color::White, tag("White").unwrap_or(UNKNOWN)),
            result: GameResult::Unfinished,
            cause: cause.unwrap_or(Cause::Aborted),
            reason: text("Reason", ""),
            fault: tag("Fault").map(str::to_owned),
            comment: None,
            moves: Vec::new(),
            tags: Vec::new(),
        };
        let needed = ["Variant", "Result", "Reason", "Pair", "Seed", "PlyCount"];
        let is_whole = cause.is_some() && needed.iter().all(|&name| tag(name).is_some());
        let said = text("Termination", "");
        record.result = result(parsed);
        let variant = self.variant(parsed, heading);
        let start = parsed.tag_with_place("FEN").or_else(|| parsed.tag_with_place("Position"));
        let start = start.map(|(place, text)| (place, text.to_owned())).or_else(|| parsed.start.clone());
        record.start = start.as_ref().map(|(_, text)| text.clone());
        let variant = match variant {
            Ok(variant) => variant,
            Err(error) => {
                parsed.errors.push(error);
                return None;
            }
        };
        // The text of another program is kept as it is where it names the same variant.
        record.variant = match parsed.tag("Variant") {
            Some(text) if is_whole && games::parse_variant(text).is_ok() => text.to_owned(),
            _ => variant.to_string(),
        };
        let places = std::mem::take(&mut parsed.places);
        let mut record = with_moves(record, parsed);
        let has_variations = record.moves.iter().any(|made| !made.variations.is_empty());
        if is_whole && !has_variations && parsed.errors.is_empty() {
            return Some(record);
        }
        let start = start.map_or(parsed.begin, |(place, _)| place);
        let places = Places { begin: parsed.begin, start, moves: places };
        let outcome = self.play(&mut record, &variant, places, &mut parsed.errors)?;
        if parsed.errors.is_empty() && !is_whole {
            finish(&mut record, cause, &said, outcome);
        }
        Some(record)
    }

    /// Plays the moves of a record, which are completed. Of a game with errors the beginning is left. Returns the outcome
    /// by the rules, or `None` if no move can be played.
    pub(super) fn play(
        &mut self,
        record: &mut GameRecord,
        variant: &Variant,
        places: Places,
        errors: &mut Vec<RecordError>,
    ) -> Option<Option<Outcome>> {
        let Some(session) = self.session(variant) else {
            errors.push(RecordError::new(places.begin, format!("{variant} can't be opened")));
            return None;
        };
        if let Err(why) = session.set_history(record.start.as_deref(), &[]) {
            errors.push(RecordError::new(places.start, why.to_string()));
            return None;
        }
        let mut walk = Walk { session, begin: places.begin, places: places.moves.into_iter(), errors };
        let (moves, outcome) = walk.line(std::mem::take(&mut record.moves));
        record.moves = moves;
        if !errors.is_empty() {
            // The result is that of a game of which the end is missing, unless the moves end it.
            (record.result, record.cause, record.reason) = match outcome {
                Some(Outcome { winner, reason }) => (GameResult::of(winner), Cause::Normal, reason.to_owned()),
                None => (GameResult::Unfinished, Cause::Aborted, UNREADABLE.to_owned()),
            };
            record.fault = None;
        }
        Some(outcome)
    }

    /// Returns the variant of a game.
    fn variant(&self, parsed: &ParsedGame<'_>, heading: Option<&Variant>) -> Result<Variant, RecordError> {
        let given = parsed.variant.as_ref().map(|(_, variant)| variant).or(self.options.variant.as_ref());
        if let Some((place, text)) = parsed.tag_with_place("Variant") {
            let read = games::parse_variant(text).ok().or_else(|| variant_in(text));
            return match (read, given, games::parse_variant(text)) {
                (Some(variant), _, _) => Ok(variant),
                (None, Some(given), _) => Ok(given.clone()),
                (None, None, Err(why)) => Err(RecordError::new(place, why.to_string())),
                (None, None, Ok(variant)) => Ok(variant),
            };
        }
        let in_tag = |name: &str| parsed.tag(name).and_then(variant_in);
        let in_comment = || parsed.line.comment.as_deref().and_then(variant_in);
        let found = in_tag("Game").or_else(|| given.cloned()).or_else(|| heading.cloned());
        let found = found.or_else(|| in_tag("Event")).or_else(in_comment);
        found.ok_or_else(|| {
            let why = "the game is not named: expected a tag such as [Variant \"markane:6x6\"], or --variant";
            RecordError::new(parsed.begin, why)
        })
    }

    /// Returns a session of a variant.
    fn session(&mut self, variant: &Variant) -> Option<&mut Session> {
        let known = self.sessions.iter().position(|session| session.variant() == variant);
        let session = match known {
            Some(place) => self.sessions.remove(place),
            None => Session::new(variant, Arc::new(SystemClock::default()))?,
        };
        self.sessions.truncate(BOARDS - 1);
        self.sessions.insert(0, session);
        self.sessions.first_mut()
    }
}

/// Returns the number that the tags give a game.
fn number_of(parsed: &ParsedGame<'_>) -> Option<u64> {
    ["Round", "Pair"].into_iter().find_map(|name| parsed.tag(name)?.parse().ok())
}

/// Returns the result of a game as far as it says one. The moves may end with `*` where a tag has the result.
fn result(parsed: &mut ParsedGame<'_>) -> GameResult {
    let (tag, behind) = (parsed.result_by_tag(), parsed.result.map(|(place, (result, _))| (place, result)));
    match (tag.filter(|&tag| tag != GameResult::Unfinished), behind) {
        (Some(tag), Some((place, behind))) if behind != GameResult::Unfinished && behind != tag => {
            parsed
                .errors
                .push(RecordError::new(place, format!("the result is {behind} here, and {tag} in the tag Result")));
            GameResult::Unfinished
        }
        (Some(tag), _) => tag,
        (None, behind) => behind.map_or(GameResult::Unfinished, |(_, result)| result),
    }
}

/// Completes the end of a game by the rules. `said` is what the tag Termination says.
pub(super) fn finish(record: &mut GameRecord, cause: Option<Cause>, said: &str, outcome: Option<Outcome>) {
    if let Some(Outcome { winner, reason }) = outcome {
        // Another result is an error, which shows when the game is replayed.
        if record.result == GameResult::Unfinished {
            record.result = GameResult::of(winner);
        }
        (record.cause, record.reason) = (Cause::Normal, reason.to_owned());
        return;
    }
    if cause.is_some_and(|cause| cause != Cause::Normal && cause != Cause::Aborted) && !record.reason.is_empty() {
        return;
    }
    let loser = match record.result {
        GameResult::Black => Some(&record.white.name),
        GameResult::White => Some(&record.black.name),
        GameResult::Draw | GameResult::Unfinished => None,
    };
    let said_lower = said.to_ascii_lowercase();
    let is_named = record.black.name != record.white.name;
    (record.cause, record.reason) = match (record.result, loser) {
        (GameResult::Unfinished, _) => (Cause::Aborted, UNFINISHED.to_owned()),
        (_, Some(loser)) if said_lower.contains("time") && is_named => {
            record.fault = Some(loser.clone());
            (Cause::Time, said.to_owned())
        }
        (_, Some(_)) if said_lower.contains("adjudicat") => (Cause::Adjudication, said.to_owned()),
        (_, Some(_)) => (Cause::Normal, RESIGNATION.to_owned()),
        (_, None) => (Cause::Normal, AGREEMENT.to_owned()),
    };
}

/// A walk through the tree of a game's moves.
struct Walk<'a> {
    session: &'a mut Session,
    /// Place of moves whose own one is not known.
    begin: Place,
    /// Places of the moves, in the order of the text.
    places: std::vec::IntoIter<Place>,
    errors: &'a mut Vec<RecordError>,
}

impl Walk<'_> {
    /// Plays a line, with the variations in it, and takes it back. Returns it up to the first move that is not legal,
    /// its moves as the notation writes them, and the outcome behind it.
    fn line(&mut self, moves: Vec<MoveRecord>) -> (Vec<MoveRecord>, Option<Outcome>) {
        let mut line: Vec<MoveRecord> = Vec::with_capacity(moves.len());
        let mut plays = 0_usize;
        let mut is_part = false;
        let mut moves = moves.into_iter();
        while let Some(mut made) = moves.next() {
            let place = self.places.next().unwrap_or(self.begin);
            let side = self.session.side();
            made.text = match self.session.play_text(side, &made.text, true) {
                Ok(text) => text,
                Err(why) => {
                    self.errors.push(RecordError::new(
                        place,
                        format!("{}: illegal move for {side}: {why}", quote(&made.text)),
                    ));
                    self.skip(&made.variations);
                    let rest: Vec<MoveRecord> = moves.collect();
                    self.skip_moves(&rest);
                    break;
                }
            };
            plays += 1;
            if !made.variations.is_empty() {
                self.session.undo();
                plays -= 1;
                let variations = std::mem::take(&mut made.variations);
                for Line { comment, moves } in variations {
                    let (moves, _) = self.line(moves);
                    if !moves.is_empty() || comment.is_some() {
                        made.variations.push(Line { comment, moves });
                    }
                }
                // It was legal before.
                if self.session.play(side, &made.text, false).is_err() {
                    break;
                }
                plays += 1;
            }
            match line.last_mut().filter(|_| is_part) {
                Some(last) => last.join(made),
                None => line.push(made),
            }
            is_part = self.session.side() == side && self.session.outcome().is_none();
        }
        let outcome = self.session.outcome();
        for _ in 0..plays {
            self.session.undo();
        }
        (line, outcome)
    }

    /// Skips the places of moves that are not played.
    fn skip_moves(&mut self, moves: &[MoveRecord]) {
        for made in moves {
            self.places.next();
            self.skip(&made.variations);
        }
    }

    fn skip(&mut self, variations: &[Line]) {
        for line in variations {
            self.skip_moves(&line.moves);
        }
    }
}

/// Reads a list of moves as people write it: with numbers, comments and signs, which are left out.
///
/// # Errors
/// Names the place of a bracket without its other one, and of anything behind the moves. Whether a word is a move, the
/// rules say.
pub fn read_move_list(text: &str) -> Result<Vec<String>, RecordError> {
    let mut lexer = Lexer::new(text);
    let Some(mut parsed) = move_list(&mut lexer) else {
        return Ok(Vec::new());
    };
    if !parsed.errors.is_empty() {
        return Err(parsed.errors.swap_remove(0));
    }
    if let Some((place, token)) = lexer.next() {
        let what = if matches!(token, Token::Tag(..)) { "a tag" } else { "another game" };
        return Err(RecordError::new(place, format!("expected a move, found {what}")));
    }
    Ok(parsed.line.moves.into_iter().map(|made| made.text).collect())
}
