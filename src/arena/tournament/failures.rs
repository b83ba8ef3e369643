//! What is left of a failed game, so that its failure can be understood and made to happen again.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::player::Exchange;
use crate::arena::record::GameRecord;
use crate::files;

/// What a failed game leaves beside its record.
#[derive(Debug)]
pub struct Bundle {
    /// What was said to Black and to White, and what came back.
    pub exchanges: [Exchange; 2],
}

/// Writes a folder `game-N` with the record, the exchange of lines with each process and a script that plays the
/// game again.
///
/// # Errors
/// Where it can't be written.
pub fn write(
    bundle: &Bundle,
    folder: &Path,
    game: &GameRecord,
    command: &[String; 2],
) -> io::Result<PathBuf> {
    let folder = folder.join(format!("game-{}", game.game));
    fs::create_dir_all(&folder)?;
    let write = |name: &str, text: &str| {
        files::write(
            &folder.join(name),
            "what is left of a game",
            text.as_bytes(),
        )
    };
    write("record.pgn", &game.to_text())?;
    let mut script = format!(
        "#!/bin/sh\n# Game {} of {}: {}: {}\n",
        game.game, game.variant, game.cause, game.reason
    );
    for (seat, exchange) in [&game.black, &game.white]
        .into_iter()
        .zip(&bundle.exchanges)
    {
        let name = &seat.name;
        for (kind, lines) in [("lines", &exchange.lines), ("errors", &exchange.errors)] {
            if !lines.is_empty() {
                let text = lines.join("\n") + "\n";
                write(&format!("{name}.{kind}"), &text)?;
            }
        }
        if !exchange.lines.is_empty() {
            // Writing to a string can't fail.
            let _ = writeln!(
                script,
                "# What {name} was told: sed -n 's/^[0-9.]* > //p' {name}.lines"
            );
        }
    }
    let _ = writeln!(
        script,
        "# Its positions: pentalith replay --positions record.pgn"
    );
    let [before, behind] = command;
    let _ = writeln!(script, "{before} --only {}{behind}", game.game);
    write("replay.sh", &script)?;
    Ok(folder)
}
