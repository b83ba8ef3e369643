//! The command `board`: the board in the browser.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use crossbeam_channel::select;
use tempfile::{Builder, TempDir};

use super::engine_options::{EngineOptions, help_with_default};
use super::game_page;
use super::given_position;
use super::open_session::open;
use super::signals::stops;
use super::{CliError, usage};
use crate::games::GAMES;
use crate::search::SystemClock;
use crate::table::{Action, Player, Table};
use crate::web::Server;

/// Memory of a board's search in MiB, if the command line gives none: several boards may be open.
const DEFAULT_HASH: u64 = 128;

/// Maximum number of connections that wait to be accepted. The system may allow fewer.
#[cfg(unix)]
const QUEUE: libc::c_int = 4096;

#[derive(Args, Debug)]
#[command(mut_arg("hash", |hash| hash.help(help_with_default("Hash", Some(DEFAULT_HASH)))))]
pub(super) struct BoardArgs {
    /// Variant to begin with, or a recorded game to show: FILE, FILE#GAME, or FILE#GAME:MOVE [default: invector]
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
    share_free_memory();
    let mut engine = arguments.engine;
    engine.hash = engine.hash.or(Some(DEFAULT_HASH));
    // Errors in the variant and the options come before anything is opened.
    let variant = arguments.variant.as_deref().filter(|given| !given.is_empty());
    let given = given_position::read(variant.unwrap_or(GAMES[0].name), None, [])?;
    let mut session = open(Some(given.variant.clone()), Arc::new(SystemClock::default()))?;
    engine.apply(&mut session)?;
    let game = given.game(session.variant().clone());
    let mut table = Table::new(session, [Player::Person; 2], Arc::new(SystemClock::default()));
    if let Err(refusal) = table.apply(Action::Load(Box::new(game.clone()))) {
        return usage(refusal);
    }
    drop(table);
    let (wanted, listener) = (arguments.port, TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)));
    let listener = listener.or_else(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            usage(format!("--port {wanted} is in use by another program: expected a free port, or 0 for any"))
        }
        _ => usage(format!("--port {wanted} can't be opened: {error}")),
    })?;
    lengthen_queue(&listener);
    let port = listener.local_addr()?.port();
    let configure = move |session: &mut crate::session::Session| {
        if let Err(error) = engine.apply(session) {
            log::error!("an engine option is lost: {error}");
        }
    };
    let server = Arc::new(Server::new(port, game, Arc::new(configure), game_page::page_of)?);
    let address = server.address();
    writeln!(output, "{address}")?;
    output.flush()?;
    let [stopped] = stops(false);
    server.start(listener)?;
    // Standard error may be closed.
    let _ = writeln!(errors, "The board is at the address above, for this computer alone. Ctrl-C ends the program.");
    if !arguments.no_open {
        match open_in_browser(&address) {
            // The file is needed until the browser has read it.
            Ok(_folder) => select! {
                recv(server.visited()) -> _ => {}
                recv(stopped) -> _ => {}
            },
            Err(error) => {
                let _ = writeln!(errors, "pentalith: no browser can be opened ({error}): open the address yourself");
            }
        }
    }
    // Closed by a signal.
    let _ = stopped.recv();
    Ok(ExitCode::SUCCESS)
}

/// Opens an address in the browser. Returns the folder with a file that the browser reads.
///
/// Other users of this computer can see the arguments of a program, so the address with its secret is in the file.
fn open_in_browser(address: &str) -> io::Result<TempDir> {
    let folder = private_folder()?;
    let file = folder.path().join("board.html");
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
         <title>pentalith</title>\n<p><a href=\"{address}\">Open the board</a></p>\n"
    );
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&file)?.write_all(page.as_bytes())?;
    ::open::that_detached(&file)?;
    Ok(folder)
}

/// Creates a folder that only this user can read.
fn private_folder() -> io::Result<TempDir> {
    let mut folder = Builder::new();
    let folder = folder.prefix("pentalith-board-");
    #[cfg(unix)]
    let folder = folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    // Under Linux, confined browsers (snap) can't read temporary files.
    let home = std::env::home_dir().filter(|home| cfg!(target_os = "linux") && home.is_absolute());
    let in_home = home.map(|home: PathBuf| folder.tempdir_in(home));
    in_home.and_then(Result::ok).map_or_else(|| folder.tempdir(), Ok)
}

/// Lets more connections wait to be accepted than the standard library does: the system drops further ones, and their
/// clients try again after a second or more.
fn lengthen_queue(listener: &TcpListener) {
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "the standard library has no such function")]
    // SAFETY: the listener is open, and to listen again only changes the length.
    unsafe {
        libc::listen(std::os::fd::AsRawFd::as_raw_fd(listener), QUEUE);
    }
    #[cfg(not(unix))]
    let _ = listener;
}

/// Lets all threads share one pool of free memory.
///
/// The C library would reserve 64 MiB of address space for each thread, and little would be left for boards where that
/// is limited (`ulimit -v`).
fn share_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the standard library has no such function")]
    // SAFETY: sets a number that malloc reads when a thread first allocates.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
