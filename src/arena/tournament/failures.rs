//! Files about a failed game, for finding and repeating its failure.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::player::Exchange;
use crate::files;
use crate::record::GameRecord;

/// Evidence of a failed game beside its record.
#[derive(Debug)]
pub struct FailureFiles {
    /// Lines exchanged with Black and White.
    pub exchanges: [Exchange; 2],
}

/// Writes a folder `game-N` with the record, the lines exchanged with each process, and a script that repeats the game.
///
/// # Errors
/// If it can't be written.
/// Where it can't be written.
pub fn write(bundle: &FailureFiles, folder: &Path, game: &GameRecord, command: &[String; 2]) -> io::Result<PathBuf> {
    let folder = folder.join(format!("game-{}", game.game));
    fs::create_dir_all(&folder)?;
    let write =
        |name: &str, text: &str| files::write(&folder.join(name), "transcripts of a failed game", text.as_bytes());
    write("record.pgn", &game.to_text())?;
    let mut script = format!("#!/bin/sh\n# Game {} of {}: {}: {}\n", game.game, game.variant, game.cause, game.reason);
    for (seat, exchange) in [&game.black, &game.white].into_iter().zip(&bundle.exchanges) {
        let name = &seat.name;
        for (kind, lines) in [("lines", &exchange.lines), ("errors", &exchange.errors)] {
            if !lines.is_empty() {
                let text = lines.join("\n") + "\n";
                write(&format!("{name}.{kind}"), &text)?;
            }
        }
        if !exchange.lines.is_empty() {
            // Writing to a string can't fail.
            let _ = writeln!(script, "# Input of {name}: sed -n 's/^[0-9.]* > //p' {name}.lines");
        }
    }
    let _ = writeln!(script, "# Its positions: pentalith replay --positions record.pgn");
    let [before, behind] = command;
    let _ = writeln!(script, "{before} --only {}{behind}", game.game);
    write("replay.sh", &script)?;
    Ok(folder)
}
