//! Connections, paths, and the boards that are open.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use serde::{Deserialize, Serialize};

use super::actions::Action;
use super::auth::Auth;
use super::catalogue;
use super::game::Configure;
use super::game_thread::{GameThread, Reply, Watch, json};
use super::http::{self, Answer, Connection, Events, Head, Method, Refusal, refusal};
use super::link;
use super::places::{Place, Places};
use super::setup;
use crate::record::GameRecord;
use crate::render;
use crate::session::{OPTIONS, OptionKind};
use crate::table::StoredGame;
use crate::text::quote;
use crate::threads;

/// Maximum number of requests at a time. A further one replaces the oldest connection that has sent nothing, or waits.
const MAX_REQUESTS: usize = 40;

/// Stack of the thread of a connection, in bytes.
const STACK: usize = 1 << 20;

/// Maximum number of streams of events at a time. A browser opens six connections to a server for all its windows, and
/// clicks need some. A further stream replaces the oldest one, whose page requests again after a moment: pages take turns.
const MAX_STREAMS: usize = 4;

/// Maximum number of boards at a time: each has a search with its memory.
const MAX_BOARDS: usize = 8;

/// Time after which a silent stream of events is looked at: has its page gone?
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Minimum time between two states of a stream: an engine may play faster than a page can draw.
const FRAME: Duration = Duration::from_millis(30);

/// Memory that must be free for a request, in bytes: a failed small allocation would end the program and all boards.
const REQUEST_MEMORY: usize = 16 << 20;

const PAGE: &str = include_str!("page/board.html");
/// The scripts of the page with their names.
const SCRIPTS: [(&str, &str); 9] = [
    ("board.js", include_str!("page/board.js")),
    ("cells.js", include_str!("page/cells.js")),
    ("connection.js", include_str!("page/connection.js")),
    ("dialogs.js", include_str!("page/dialogs.js")),
    ("picture.js", include_str!("page/picture.js")),
    ("review.js", include_str!("page/review.js")),
    ("setup.js", include_str!("page/setup.js")),
    ("storage.js", include_str!("page/storage.js")),
    ("viewer.js", render::VIEWER_SCRIPT),
];
const STYLE: &str = include_str!("page/board.css");

const JSON: &str = "application/json";

/// The server of the browser board.
pub struct Server {
    auth: Auth,
    game: StoredGame,
    configure: Configure,
    page_of: PageOf,
    tabs: Mutex<Vec<OpenBoard>>,
    requests: Arc<Places>,
    streams: Arc<Places>,
    /// Dropped when the page is first served.
    visit: Mutex<Option<Sender<()>>>,
    visited: Receiver<()>,
}

/// Makes the page of a recorded game.
pub type PageOf = fn(&GameRecord) -> String;

/// A connection with its place among the requests.
type Accepted = (Arc<TcpStream>, Place);

/// A board that is open.
struct OpenBoard {
    id: String,
    tab: GameThread,
    used: Instant,
}

/// The body of `open`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    tab: Option<String>,
    link: Option<String>,
}

impl Server {
    /// Creates the server of a port on the loopback address. Boards begin with the game, `configure` sets their
    /// options, and `page_of` makes the page of a game that is saved.
    ///
    /// # Errors
    /// If the system has no random numbers for the secret in the address.
    pub fn new(port: u16, game: StoredGame, configure: Configure, page_of: PageOf) -> io::Result<Self> {
        let (visit, visited) = bounded(0);
        Ok(Self {
            auth: Auth::new(port).map_err(io::Error::other)?,
            game,
            configure,
            page_of,
            tabs: Mutex::default(),
            requests: Places::new(MAX_REQUESTS),
            streams: Places::new(MAX_STREAMS),
            visit: Mutex::new(Some(visit)),
            visited,
        })
    }

    /// Returns the address of the page, with its secret.
    pub fn address(&self) -> String {
        self.auth.address()
    }

    /// Returns a channel that closes when the page is first served.
    pub fn visited(&self) -> Receiver<()> {
        self.visited.clone()
    }

    /// Starts the threads that serve connections. No further ones are started for requests: the system may refuse them.
    ///
    /// # Errors
    /// If a thread can't be started.
    pub fn start(self: &Arc<Self>, listener: TcpListener) -> io::Result<()> {
        let (accepted, connections) = unbounded();
        for _ in 0..MAX_REQUESTS + MAX_STREAMS {
            let (server, connections) = (Arc::clone(self), connections.clone());
            threads::spawn("connection", STACK, move || server.handle_all(&connections))?;
        }
        let server = Arc::clone(self);
        threads::spawn("server", STACK, move || server.accept_all(&listener, &accepted)).map(drop)
    }

    fn accept_all(&self, listener: &TcpListener, accepted: &Sender<Accepted>) {
        let mut has_failed = false;
        loop {
            let stream = match listener.accept() {
                Ok((stream, _)) => Arc::new(stream),
                Err(error) => {
                    // A client that connects again and again would fill the log.
                    if !std::mem::replace(&mut has_failed, true) {
                        log::warn!("a connection is lost: {error}; further ones are not reported");
                    }
                    // Too many open files, say.
                    self.requests.dismiss_oldest();
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
            };
            let shut = Arc::clone(&stream);
            let place = self.requests.take(Box::new(move || {
                let is_silent = !http::has_unread(&shut);
                if is_silent {
                    let _ = shut.shutdown(Shutdown::Both);
                }
                is_silent
            }));
            if accepted.send((stream, place)).is_err() {
                return;
            }
        }
    }

    fn handle_all(&self, connections: &Receiver<Accepted>) {
        for (stream, place) in connections {
            // The next connection needs the thread.
            match catch_unwind(AssertUnwindSafe(|| self.handle(stream, place))) {
                Ok(Ok(())) => {}
                Ok(Err(error)) => log::debug!("a connection has ended: {error}"),
                Err(_) => log::error!("internal error in a request"),
            }
        }
    }

    /// Answers the request of a connection.
    fn handle(&self, stream: Arc<TcpStream>, request: Place) -> io::Result<()> {
        let mut connection = Connection::new(stream)?;
        let head = match connection.head() {
            None => return Ok(()),
            Some(Ok(head)) => head,
            Some(Err(refused)) => return connection.answer(&error_page(&refused)),
        };
        let path = match self.auth.admit(&head) {
            Ok(path) => path.to_owned(),
            Err(refused) => return connection.answer(&error_page(&refused)),
        };
        request.keep();
        if threads::hold(REQUEST_MEMORY).is_err() {
            return connection.answer(&error_page(&busy("too little memory is left: close other boards")));
        }
        if (head.method, path.as_str()) == (Method::Get, "events") {
            let watch = self.tab(&head).and_then(|tab| tab.watch());
            let Some(watch) = watch else {
                return connection.answer(&gone());
            };
            let (dismiss, dismissed) = bounded(0);
            // A stream does not end by itself, so it must not hold a place among the requests.
            let mut dismiss = Some::<Sender<()>>(dismiss);
            let _stream = self.streams.take(Box::new(move || dismiss.take().is_some()));
            drop(request);
            return follow(&connection.events()?, watch, &dismissed);
        }
        let Some(body) = connection.body(&head) else {
            return Ok(());
        };
        let answer = self.answer(&head, &path, &body);
        if path.is_empty() {
            self.visit.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        connection.answer(&answer.unwrap_or_else(|refused| error_page(&refused)))
    }

    fn answer(&self, head: &Head, path: &str, body: &[u8]) -> Result<Answer, Refusal> {
        let script = SCRIPTS.iter().find(|(name, _)| *name == path);
        if let (Method::Get, Some((_, script))) = (head.method, script) {
            return Ok(Answer::ok("text/javascript; charset=utf-8", *script));
        }
        if let (Method::Get, Some(svg)) = (head.method, path.strip_prefix("pictures/").and_then(render::picture)) {
            return Ok(Answer::ok("image/svg+xml", svg));
        }
        match (head.method, path) {
            (Method::Get, "") => Ok(Answer::ok("text/html; charset=utf-8", PAGE)),
            (Method::Get, "board.css") => {
                let style = [render::PAGE_STYLE, render::VIEWER_STYLE, STYLE, &render::dark_rules()].concat();
                Ok(Answer::ok("text/css; charset=utf-8", style))
            }
            (Method::Get, "record") => {
                let record = self.tab(head).and_then(|tab| tab.record());
                Ok(record.map_or_else(gone, |record| Answer {
                    download: Some(file_name(&record, "pgn")),
                    ..Answer::ok("text/plain; charset=utf-8", record.to_text())
                }))
            }
            (Method::Get, "page") => {
                let record = self.tab(head).and_then(|tab| tab.record());
                Ok(record.map_or_else(gone, |record| Answer {
                    download: Some(file_name(&record, "html")),
                    ..Answer::ok("text/html; charset=utf-8", (self.page_of)(&record))
                }))
            }
            (Method::Get, "frames") => {
                let frames = self.tab(head).and_then(|tab| tab.frames());
                Ok(frames.map_or_else(gone, |frames| Answer::ok(JSON, frames)))
            }
            (Method::Post, "open" | "do" | "setup") if !head.is_json => {
                Err(refusal("415 Unsupported Media Type", "the body must be of the type application/json"))
            }
            (Method::Post, "open") => self.open(read(body)?),
            (Method::Post, "setup") => {
                let change = setup::set_up(&read(body)?);
                Ok(match change {
                    Ok(setup) => Answer::ok(JSON, json(&setup)),
                    Err(error) => error_answer("409 Conflict", &error, None),
                })
            }
            (Method::Post, "do") => {
                let action: Action = read(body)?;
                let reply = self.tab(head).and_then(|tab| tab.act(action));
                Ok(reply.map_or_else(gone, |reply| state_answer(&reply)))
            }
            (_, "" | "board.css" | "record" | "page" | "frames" | "open" | "do" | "setup" | "events") => {
                Err(other_method())
            }
            _ if script.is_some() => Err(other_method()),
            _ => Err(refusal("404 Not Found", format!("there is nothing at {}", quote(path)))),
        }
    }

    /// Continues an open board, or opens one.
    fn open(&self, request: OpenRequest) -> Result<Answer, Refusal> {
        #[derive(Serialize)]
        struct Opened<'a> {
            tab: &'a str,
            games: Vec<catalogue::GameChoice>,
            levels: &'a [&'a str],
        }
        let known = request.tab.and_then(|id| Some((self.find(&id)?, id)));
        let (tab, id) = match known {
            Some(known) => known,
            None => self.open_new(request.link.as_deref())?,
        };
        let reply = tab.state().ok_or_else(ended)?;
        let opened = json(&Opened { tab: &id, games: catalogue::choices(), levels: levels() });
        // The state is JSON already.
        let opened = opened.strip_suffix('}').unwrap_or_default();
        let body = format!("{opened},\"state\":{}}}", reply.state);
        Ok(Answer::ok(JSON, body))
    }

    /// Opens a new board with the game of a link, or of the command line.
    fn open_new(&self, link: Option<&str>) -> Result<(GameThread, String), Refusal> {
        let conflict = |error| refusal("409 Conflict", error);
        let link = link.filter(|text| !text.trim().is_empty());
        let game = match link {
            Some(text) => link::read(text).map_err(conflict)?,
            None => self.game.clone(),
        };
        let tab = GameThread::start(&game.variant, &self.configure).map_err(|error| busy(&error))?;
        if link.is_some() || !game.is_blank() {
            let reply = tab.act(Action::Given(Box::new(game))).ok_or_else(ended)?;
            reply.error.map_or(Ok(()), |error| Err(conflict(error)))?;
        }
        let id = self.keep(&tab)?;
        Ok((tab, id))
    }

    /// Keeps a board under a new name. The one that was left longest ago makes room.
    fn keep(&self, tab: &GameThread) -> Result<String, Refusal> {
        let id = random_name().map_err(|error| busy(&error.to_string()))?;
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        if tabs.len() >= MAX_BOARDS {
            let left = tabs.iter().enumerate();
            let left = left.filter(|(_, open)| !open.tab.is_watched());
            let oldest = left.min_by_key(|(_, open)| open.tab.last_watched().max(Some(open.used)));
            let oldest = oldest.map(|(index, _)| index);
            let Some(oldest) = oldest else {
                return Err(busy(&format!("{MAX_BOARDS} boards are open: close one of them")));
            };
            tabs.remove(oldest);
        }
        tabs.push(OpenBoard { id: id.clone(), tab: tab.clone(), used: Instant::now() });
        Ok(id)
    }

    fn find(&self, id: &str) -> Option<GameThread> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        let open = tabs.iter_mut().find(|open| open.id == id)?;
        open.used = Instant::now();
        Some(open.tab.clone())
    }

    /// Returns the board that the query names.
    fn tab(&self, head: &Head) -> Option<GameThread> {
        self.find(head.query.strip_prefix("tab=")?)
    }
}

/// Returns the name of the file of a game, such as `invector-8x7-2026-01-31.pgn`.
fn file_name(record: &GameRecord, ending: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let name: String = record.variant.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    format!("{name}-{}.{ending}", record.date.replace('.', "-"))
}

/// Sends the newest state after every change, until the page closes the stream or another page needs the place.
fn follow(events: &Events, watch: Watch, dismissed: &Receiver<()>) -> io::Result<()> {
    loop {
        select! {
            recv(watch.changes) -> change => {
                let Some(reply) = change.ok().and_then(|()| watch.tab.state()) else {
                    return Ok(());
                };
                events.send(&reply.state)?;
                let _ = dismissed.recv_timeout(FRAME);
            }
            recv(dismissed) -> _ => {
                watch.expect_back();
                return events.send_name("later");
            }
            default(HEARTBEAT) => if events.is_closed() {
                return Ok(());
            }
        }
    }
}

/// Returns the levels of play, the best first.
fn levels() -> &'static [&'static str] {
    let level = OPTIONS.iter().find(|option| option.name == "Strength");
    match level.map(|option| option.kind) {
        Some(OptionKind::Combo(levels)) => levels,
        _ => &[],
    }
}

fn random_name() -> Result<String, getrandom::Error> {
    let number = getrandom::u64()?;
    Ok(format!("{number:016x}"))
}

/// Reads the JSON of a body.
fn read<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| refusal("400 Bad Request", format!("the body is not what this address takes: {error}")))
}

fn other_method() -> Refusal {
    refusal("405 Method Not Allowed", "this address has another method")
}

fn ended() -> Refusal {
    busy("the board has ended")
}

fn busy(text: &str) -> Refusal {
    refusal("503 Service Unavailable", text)
}

/// Answers an action.
fn state_answer(reply: &Reply) -> Answer {
    match &reply.error {
        None => Answer::ok(JSON, format!("{{\"state\":{}}}", reply.state)),
        Some(error) => error_answer("409 Conflict", error, Some(&reply.state)),
    }
}

fn error_answer(status: &'static str, error: &str, state: Option<&str>) -> Answer {
    let error = json(&error);
    let state = state.map(|state| format!(",\"state\":{state}")).unwrap_or_default();
    Answer { status, ..Answer::ok(JSON, format!("{{\"error\":{error}{state}}}")) }
}

fn gone() -> Answer {
    error_answer("404 Not Found", "this board is not open any more", None)
}

fn error_page(refused: &Refusal) -> Answer {
    error_answer(refused.status, &refused.text, None)
}
