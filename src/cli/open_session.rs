//! Opens the session of a protocol command, or refuses a bad variant in the protocol.

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use super::CliError;
use super::given_position::GivenPosition;
use crate::games::{self, GAMES};
use crate::protocol::{Dialect, serve};
use crate::search::Clock;
use crate::session::Session;

/// Opens a session of a variant, or of the first game in the catalogue.
pub(super) fn open(variant: Option<String>, clock: Arc<dyn Clock>) -> Result<Session, CliError> {
    let variant = variant.as_deref().unwrap_or(GAMES[0].name);
    let variant = games::parse_variant(variant)?;
    Session::new(&variant, clock).ok_or(CliError::NotOpened(variant))
}

/// Opens a session of a variant at a position.
pub(super) fn open_at(from: &GivenPosition, clock: Arc<dyn Clock>) -> Result<Session, CliError> {
    let mut session = open(Some(from.variant.clone()), clock)?;
    let moves: Vec<&str> = from.moves.iter().map(String::as_str).collect();
    session.set_history(from.start.as_deref(), &moves)?;
    Ok(session)
}

/// Opens a session of a variant. For a bad variant, opens the default game and returns the error for the client.
///
/// A person at a terminal gets the error at once instead. It also goes to standard error.
pub(super) fn open_or_refuse(
    variant: Option<String>,
    clock: Arc<dyn Clock>,
    input: &impl IsTerminal,
    errors: &mut impl Write,
) -> Result<(Session, Option<String>), CliError> {
    match open(variant, clock.clone()) {
        Ok(session) => Ok((session, None)),
        Err(error @ CliError::Variant(_)) if !input.is_terminal() => {
            // Standard error may be closed.
            let _ = writeln!(errors, "pentalith: {error}");
            Ok((open(None, clock)?, Some(error.to_string())))
        }
        Err(error) => Err(error),
    }
}

/// Serves a dialect that refuses every command. Returns the status of a bad command line.
pub(super) fn refused(
    dialect: impl Dialect,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<ExitCode, CliError> {
    match serve(dialect, input, output) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::from(2)),
    }
}

/// Answer to `help` at a terminal.
pub(super) const TERMINAL_HELP: &str = "\
To play: quit, then
  pentalith play     in the terminal
  pentalith board    in the browser
  pentalith --help   all commands
Here, list_commands lists the commands of GTP, the protocol of Go programs: genmove b, for example,
lets Black move, and showboard shows the board. A first line ugi selects UGI instead.
";

/// Reports to a person at a terminal that the program waits for commands. Returns true if there is one.
pub(super) fn greet(
    session: &Session,
    what: &str,
    input: &impl IsTerminal,
    errors: &mut impl Write,
) -> io::Result<bool> {
    if !input.is_terminal() {
        return Ok(false);
    }
    let (version, variant) = (env!("CARGO_PKG_VERSION"), session.variant());
    writeln!(errors, "pentalith {version} plays {variant}. It waits for {what}; quit ends it.")?;
    Ok(true)
}
