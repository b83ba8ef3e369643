//! Connections, paths, and the boards that are open.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use serde::{Deserialize, Serialize};

use super::catalogue;
use super::game::Configure;
use super::gate::Gate;
use super::http::{Answer, Connection, Events, Head, Method, Refusal, refusal};
use super::link;
use super::tab::{Reply, Tab, json};
use super::wishes::Action;
use crate::render;
use crate::rules::Variant;
use crate::session::{OPTIONS, OptionKind};
use crate::text::quote;

/// Most requests at a time. Further ones wait: a client that is slow holds a place for some seconds at most.
const MAX_REQUESTS: usize = 64;

/// Most pages that look on at a time.
const MAX_PAGES: usize = 32;

/// Most boards at a time: each has a search with its memory.
const MAX_TABS: usize = 8;

/// Time after which a silent stream of events is looked at: has its page gone?
const HEARTBEAT: Duration = Duration::from_secs(1);

const PAGE: &str = include_str!("page/board.html");
/// The scripts of the page with their names.
const SCRIPTS: [(&str, &str); 3] = [
    ("board.js", include_str!("page/board.js")),
    ("cells.js", include_str!("page/cells.js")),
    ("dialogs.js", include_str!("page/dialogs.js")),
];
const STYLE: &str = include_str!("page/board.css");

const JSON: &str = "application/json";

/// The server of the browser board.
pub struct Server {
    gate: Gate,
    variant: Variant,
    configure: Configure,
    tabs: Mutex<Vec<OpenTab>>,
    requests: Arc<Places>,
    pages: Arc<Places>,
}

/// A board that is open.
struct OpenTab {
    id: String,
    tab: Tab,
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
    /// Creates the server of a port on the loopback address. Boards begin with the variant, and `configure` sets their
    /// options.
    ///
    /// # Errors
    /// If the system has no random numbers for the secret in the address.
    pub fn new(port: u16, variant: Variant, configure: Configure) -> io::Result<Self> {
        Ok(Self {
            gate: Gate::new(port).map_err(io::Error::other)?,
            variant,
            configure,
            tabs: Mutex::default(),
            requests: Places::new(MAX_REQUESTS),
            pages: Places::new(MAX_PAGES),
        })
    }

    /// Returns the address of the page, with its secret.
    pub fn address(&self) -> String {
        self.gate.address()
    }

    /// Serves connections for ever, each on a thread of its own.
    pub fn serve(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Too many open files, say: others will be closed.
                    log::warn!("a connection is lost: {error}");
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
            };
            // Waits while there are too many: a page that floods gets no further threads.
            let place = self.requests.wait();
            let server = Arc::clone(self);
            let thread = thread::Builder::new().name("connection".to_owned());
            let started = thread.spawn(move || {
                if let Err(error) = server.handle(stream, place) {
                    log::debug!("a connection has ended: {error}");
                }
            });
            if let Err(error) = started {
                log::warn!("no thread for a connection: {error}");
            }
        }
    }

    /// Answers the request of a connection.
    fn handle(&self, stream: TcpStream, request: Place) -> io::Result<()> {
        let mut connection = Connection::new(stream)?;
        let head = match connection.head() {
            None => return Ok(()),
            Some(Ok(head)) => head,
            Some(Err(refused)) => return connection.answer(&error_page(&refused)),
        };
        let path = match self.gate.admit(&head) {
            Ok(path) => path.to_owned(),
            Err(refused) => return connection.answer(&error_page(&refused)),
        };
        if (head.method, path.as_str()) == (Method::Get, "events") {
            let Some(tab) = self.tab(&head) else {
                return connection.answer(&gone());
            };
            // A stream has no end of its own, so it must not hold a place among the requests.
            let Some(_page) = self.pages.take() else {
                let text = format!("{MAX_PAGES} pages look on: close one of them");
                return connection.answer(&error_page(&busy(&text)));
            };
            drop(request);
            return match tab.watch() {
                Some(watch) => follow(connection.events()?, &watch.states),
                None => connection.answer(&gone()),
            };
        }
        let Some(body) = connection.body(&head) else {
            return Ok(());
        };
        let answer = self.answer(&head, &path, &body);
        connection.answer(&answer.unwrap_or_else(|refused| error_page(&refused)))
    }

    fn answer(&self, head: &Head, path: &str, body: &[u8]) -> Result<Answer, Refusal> {
        let script = SCRIPTS.iter().find(|(name, _)| *name == path);
        if let (Method::Get, Some((_, script))) = (head.method, script) {
            return Ok(Answer::ok("text/javascript; charset=utf-8", *script));
        }
        match (head.method, path) {
            (Method::Get, "") => Ok(Answer::ok("text/html; charset=utf-8", PAGE)),
            (Method::Get, "board.css") => {
                let style = [render::PAGE_STYLE, STYLE, &render::dark_rules()].concat();
                Ok(Answer::ok("text/css; charset=utf-8", style))
            }
            (Method::Get, "record") => {
                let record = self.tab(head).and_then(|tab| tab.record());
                Ok(record.map_or_else(gone, |record| Answer {
                    download: Some("game.txt"),
                    ..Answer::ok("text/plain; charset=utf-8", record)
                }))
            }
            (Method::Post, "open" | "do") if !head.is_json => {
                Err(refusal("415 Unsupported Media Type", "the body must be of the type application/json"))
            }
            (Method::Post, "open") => self.open(read(body)?),
            (Method::Post, "do") => {
                let action: Action = read(body)?;
                let reply = self.tab(head).and_then(|tab| tab.act(action));
                Ok(reply.map_or_else(gone, |reply| state_answer(&reply)))
            }
            (_, "" | "board.css" | "record" | "open" | "do" | "events") => Err(other_method()),
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

    /// Opens a new board with the game of a link, or of the variant of the command line.
    fn open_new(&self, link: Option<&str>) -> Result<(Tab, String), Refusal> {
        let conflict = |error| refusal("409 Conflict", error);
        let link = link.filter(|text| !text.trim().is_empty());
        let variant = match link {
            Some(text) => link::read(text).map_err(conflict)?.variant,
            None => self.variant.clone(),
        };
        let tab = Tab::start(&variant, &self.configure).map_err(|error| busy(&error))?;
        if let Some(text) = link {
            let load = Action::Load { text: text.to_owned() };
            let reply = tab.act(load).ok_or_else(ended)?;
            reply.error.map_or(Ok(()), |error| Err(conflict(error)))?;
        }
        let id = self.keep(&tab)?;
        Ok((tab, id))
    }

    /// Keeps a board under a new name. The one that was left longest ago makes room.
    fn keep(&self, tab: &Tab) -> Result<String, Refusal> {
        let id = random_name().map_err(|error| busy(&error.to_string()))?;
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        if tabs.len() >= MAX_TABS {
            let left = tabs.iter().enumerate();
            let left = left.filter(|(_, open)| !open.tab.is_watched());
            let oldest = left.min_by_key(|(_, open)| open.used).map(|(index, _)| index);
            let Some(oldest) = oldest else {
                return Err(busy(&format!("{MAX_TABS} boards are open: close one of them")));
            };
            tabs.remove(oldest);
        }
        tabs.push(OpenTab { id: id.clone(), tab: tab.clone(), used: Instant::now() });
        Ok(id)
    }

    fn find(&self, id: &str) -> Option<Tab> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        let open = tabs.iter_mut().find(|open| open.id == id)?;
        open.used = Instant::now();
        Some(open.tab.clone())
    }

    /// Returns the board that the query names.
    fn tab(&self, head: &Head) -> Option<Tab> {
        self.find(head.query.strip_prefix("tab=")?)
    }
}

/// A number of places that can be taken.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { free: Mutex::new(count), freed: Condvar::new() })
    }

    /// Takes a place, if one is free.
    fn take(self: &Arc<Self>) -> Option<Place> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Place(Arc::clone(self)))
    }

    /// Takes a place as soon as one is free.
    fn wait(self: &Arc<Self>) -> Place {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free == 0);
        let mut free = free.unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(Arc::clone(self))
    }
}

/// A place that was taken, until it is dropped.
struct Place(Arc<Places>);

impl Drop for Place {
    fn drop(&mut self) {
        let mut free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free += 1;
        self.0.freed.notify_one();
    }
}

/// Sends every state to a page, until it goes.
fn follow(mut events: Events, states: &crossbeam_channel::Receiver<Arc<str>>) -> io::Result<()> {
    loop {
        match states.recv_timeout(HEARTBEAT) {
            Ok(state) => events.send(&state)?,
            Err(RecvTimeoutError::Timeout) if !events.is_closed() => {}
            Err(_) => return Ok(()),
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

/// Answers a wish.
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
