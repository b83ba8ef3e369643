//! The command `board`: the board in the browser.

use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use clap::Args;

use super::engine_options::{EngineOptions, help_with_default};
use super::signals::stops;
use super::talk::open;
use super::{CliError, usage};
use crate::search::SystemClock;
use crate::web::Server;

/// Memory of a board's search in MiB, if the command line gives none: several boards may be open.
const DEFAULT_HASH: u64 = 128;

#[derive(Args, Debug)]
#[command(mut_arg("hash", |hash| hash.help(help_with_default("Hash", Some(DEFAULT_HASH)))))]
pub(super) struct BoardArgs {
    /// Variant to begin with; others can be chosen on the page [default: invector]
    variant: Option<String>,

    /// Print the address only, and open no browser
    #[arg(long)]
    no_open: bool,

    /// Port of the server, on the loopback address alone; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    #[command(flatten)]
    engine: EngineOptions,
}

/// Serves the page until it is interrupted.
pub(super) fn board(
    arguments: BoardArgs,
    output: &mut impl Write,
    errors: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let mut engine = arguments.engine;
    engine.hash = engine.hash.or(Some(DEFAULT_HASH));
    // Errors in the variant and the options come before anything is opened.
    let mut session = open(arguments.variant, Arc::new(SystemClock::default()))?;
    engine.apply(&mut session)?;
    let variant = session.variant().clone();
    drop(session);
    let (wanted, listener) = (arguments.port, TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)));
    let listener = listener.or_else(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            usage(format!("--port {wanted} is in use by another program: expected a free port, or 0 for any"))
        }
        _ => usage(format!("--port {wanted} can't be opened: {error}")),
    })?;
    let port = listener.local_addr()?.port();
    let configure = move |session: &mut crate::session::Session| {
        if let Err(error) = engine.apply(session) {
            log::error!("an engine option is lost: {error}");
        }
    };
    let server = Arc::new(Server::new(port, variant, Arc::new(configure))?);
    let address = server.address();
    writeln!(output, "{address}")?;
    output.flush()?;
    let [stopped] = stops(false);
    let serving = thread::Builder::new().name("server".to_owned());
    serving.spawn(move || server.serve(&listener))?;
    // Without standard error there is no one to tell.
    let _ = writeln!(errors, "The board is at the address above, for this computer alone. Ctrl-C ends the program.");
    if !arguments.no_open
        && let Err(error) = ::open::that_detached(&address)
    {
        let _ = writeln!(errors, "pentalith: no browser can be opened ({error}): open the address yourself");
    }
    // Closed by a signal.
    let _ = stopped.recv();
    Ok(ExitCode::SUCCESS)
}
