//! A whole game in one line, for links: `VARIANT [position POSITION] [moves MOVE…]`.

use std::path::Path;

use crate::games;
use crate::record::read_games;
use crate::rules::Variant;
use crate::session::Session;
use crate::text::quote;

/// Most moves of a game that is read. Replaying takes some microseconds a move.
const MAX_MOVES: usize = 20_000;

/// The parts of a link.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) variant: Variant,
    pub(super) position: Option<String>,
    pub(super) moves: Vec<String>,
}

/// Writes the game of a session.
pub(super) fn write(session: &Session) -> String {
    let mut text = session.variant().to_string();
    if let Some(start) = start(session) {
        text.push_str(" position ");
        text.push_str(&start);
    }
    let moves = session.moves();
    if !moves.is_empty() {
        text.push_str(" moves ");
        text.push_str(&moves.join(" "));
    }
    text
}

/// Returns the start position; `None` for that of the variant.
pub(super) fn start(session: &Session) -> Option<String> {
    let start = session.board().fork_at(0).position();
    let usual = games::open(session.variant());
    let is_usual = usual.is_some_and(|board| board.position() == start);
    (!is_usual).then_some(start)
}

/// Reads a link, or the first game of a record in either format.
///
/// # Errors
/// Says what is wrong, and what would be right.
pub(super) fn read(text: &str) -> Result<Link, String> {
    let text = text.trim();
    let link = match text.starts_with(['[', '{']) {
        // The blank line that ends a record is easily lost in a clipboard.
        true => read_record(&format!("{text}\n\n"))?,
        false => read_line(text)?,
    };
    match link.moves.len() > MAX_MOVES {
        true => Err(format!("{} moves are too many: at most {MAX_MOVES} are read", link.moves.len())),
        false => Ok(link),
    }
}

fn read_line(text: &str) -> Result<Link, String> {
    let (variant, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let variant = games::parse_variant(variant)
        .map_err(|error| format!("expected a record, or VARIANT position … moves …: {error}"))?;
    let mut words = rest.split_whitespace().peekable();
    let mut position = None;
    if words.next_if_eq(&"position").is_some() {
        let mut fields = Vec::new();
        while let Some(word) = words.next_if(|word| *word != "moves") {
            fields.push(word);
        }
        position = Some(fields.join(" "));
    }
    let moves = match words.next() {
        None => Vec::new(),
        Some("moves") => words.map(str::to_owned).collect(),
        Some(word) => {
            return Err(format!("{} behind the variant: expected position or moves", quote(word)));
        }
    };
    Ok(Link { variant, position, moves })
}

fn read_record(text: &str) -> Result<Link, String> {
    let read = read_games(Path::new("the record"), text).map_err(|error| error.to_string())?;
    let game = read.games.into_iter().next();
    let game = game.ok_or("the record has no complete game")?;
    let variant = games::parse_variant(&game.variant).map_err(|error| error.to_string())?;
    Ok(Link { variant, position: game.start, moves: game.moves.into_iter().map(|made| made.text).collect() })
}
