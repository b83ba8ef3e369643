//! GoGui's dialect: GTP with the rules extension of Rémi Coulom's version, in which a `play`, a `genmove` and an `undo` are
//! one click each (`protocol/gogui.md`).

mod commands;
mod graphics;
mod live;
mod mouse;

pub use commands::COMMANDS;
pub(super) use graphics::thoughts;
pub(super) use live::Live;
pub(super) use mouse::{Mouse, found};

use super::gtp;

/// The commands of the dialect: its own, and those of GTP that it does not change.
pub(super) fn commands() -> Vec<&'static gtp::Command> {
    let changed = |name| COMMANDS.iter().any(|command| command.name == name);
    let kept = gtp::COMMANDS
        .iter()
        .filter(|command| !changed(command.name));
    kept.chain(COMMANDS).collect()
}
