//! A whole game in one line, for links: `VARIANT [position POSITION] [moves MOVE…]`.

use std::path::Path;

use crate::games;
use crate::record::read_games;
use crate::table::{StoredGame, Table};
use crate::text::quote;

/// Maximum number of moves of a game that is read. Replaying takes some microseconds per move.
const MAX_MOVES: usize = 20_000;

/// Writes the game of a table, up to its present position.
pub(super) fn write(table: &Table) -> String {
    let mut text = table.session().variant().to_string();
    if let Some(start) = table.start_position() {
        text.push_str(" position ");
        text.push_str(&start);
    }
    let moves = table.session().moves();
    if !moves.is_empty() {
        text.push_str(" moves ");
        text.push_str(&moves.join(" "));
    }
    text
}

/// Reads a link, or the first game of a record in either format.
///
/// # Errors
/// Says what is wrong, and what would be right.
pub(super) fn read(text: &str) -> Result<StoredGame, String> {
    let text = text.trim();
    let game = if text.starts_with(['[', '{']) {
        // The blank line that ends a record is easily lost in a clipboard.
        read_record(&format!("{text}\n\n"))?
    } else {
        read_line(text)?
    };
    if game.moves.len() > MAX_MOVES {
        Err(format!("{} moves are too many: at most {MAX_MOVES} are read", game.moves.len()))
    } else {
        Ok(game)
    }
}

fn read_line(text: &str) -> Result<StoredGame, String> {
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
    Ok(StoredGame::line(variant, position, moves))
}

fn read_record(text: &str) -> Result<StoredGame, String> {
    let read = read_games(Path::new("the record"), text).map_err(|error| error.to_string())?;
    let game = read.games.into_iter().next();
    let game = game.ok_or("the record has no complete game")?;
    let variant = games::parse_variant(&game.variant).map_err(|error| error.to_string())?;
    Ok(StoredGame::of(variant, game))
}
