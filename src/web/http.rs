//! One request and one answer a connection: as much of HTTP/1.1 as a page on the same computer needs.
//!
//! Everything is bounded: the head, the body, and the time until both are there. Connections are closed after the
//! answer, so nothing that follows a request is ever read as another one.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum length of a request's first line and headers, in bytes.
const MAX_HEAD: usize = 16 << 10;

/// Maximum number of headers.
const MAX_HEADERS: usize = 64;

/// Maximum length of a body, in bytes.
pub(super) const MAX_BODY: usize = 1 << 20;

/// Time for which a connection may be silent. Browsers open some ahead and close them after 10 s: closing them first
/// fails the request that is about to use one.
const SILENCE: Duration = Duration::from_secs(15);

/// Time within which the head of a request must arrive after its first byte. Browsers send it at once.
const HEAD_PATIENCE: Duration = Duration::from_secs(1);

/// Time within which the body must follow, and within which each part of an answer must be taken.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum size and time of what is read after a refusal: closing at once would discard the answer on its way.
const LINGER: (usize, Duration) = (256 << 10, Duration::from_millis(500));

/// The head of a request.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: Method,
    /// Path without the query, as it was sent.
    pub(super) path: String,
    /// Query without the question mark; empty for none.
    pub(super) query: String,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    /// `Sec-Fetch-Site`: where the page that requests comes from, as browsers tell it.
    pub(super) site: Option<String>,
    /// `Sec-Fetch-Mode` and `Sec-Fetch-Dest`: what the browser will do with the answer.
    pub(super) mode: Option<String>,
    pub(super) destination: Option<String>,
    pub(super) is_json: bool,
    length: usize,
    expects_continue: bool,
}

/// The methods that are answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Method {
    Get,
    Post,
}

/// A request that is answered with an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Refusal {
    pub(super) status: &'static str,
    pub(super) text: String,
}

pub(super) fn refusal(status: &'static str, text: impl Into<String>) -> Refusal {
    Refusal { status, text: text.into() }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    /// Name of the file as which a browser should save it.
    pub(super) download: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status: "200 OK", kind, download: None, body: body.into() }
    }
}

/// Headers of all answers: nothing is cached, embedded, or readable from another origin.
const HEADERS: &str = "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\nCross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; \
    style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n";

/// A connection with what has been read of it beyond the head.
pub(super) struct Connection {
    /// Shared with the place of the connection, which may shut it down.
    stream: Arc<TcpStream>,
    rest: Vec<u8>,
    deadline: Instant,
}

impl Connection {
    pub(super) fn new(stream: Arc<TcpStream>) -> io::Result<Self> {
        stream.set_write_timeout(Some(PATIENCE))?;
        // An answer is written at once: waiting for more would only delay it.
        stream.set_nodelay(true)?;
        Ok(Self { stream, rest: Vec::new(), deadline: Instant::now() + SILENCE })
    }

    /// Reads some bytes before the deadline; 0 at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        (&*self.stream).read(buffer)
    }

    /// Reads the head of a request. `None` if the client has gone, or sends nothing in time.
    pub(super) fn head(&mut self) -> Option<Result<Head, Refusal>> {
        let mut head = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = self.read(&mut buffer).ok().filter(|&count| count > 0)?;
            if head.is_empty() {
                self.deadline = Instant::now() + HEAD_PATIENCE;
            }
            head.extend_from_slice(buffer.get(..count)?);
            match parse(&head) {
                Ok(None) if head.len() > MAX_HEAD => return Some(Err(too_large())),
                Ok(None) => {}
                Ok(Some((parsed, length))) => {
                    self.rest = head.split_off(length);
                    return Some(Ok(parsed));
                }
                Err(refusal) => return Some(Err(refusal)),
            }
        }
    }

    /// Reads the body of a request. `None` if the client has gone, or does not send it in time.
    pub(super) fn body(&mut self, head: &Head) -> Option<Vec<u8>> {
        self.deadline = Instant::now() + PATIENCE;
        let mut body = std::mem::take(&mut self.rest);
        if head.expects_continue && body.len() < head.length {
            (&*self.stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
        }
        let mut buffer = [0; 16 << 10];
        while body.len() < head.length {
            let count = self.read(&mut buffer).ok().filter(|&count| count > 0)?;
            body.extend_from_slice(buffer.get(..count)?);
        }
        body.truncate(head.length);
        Some(body)
    }

    /// Sends an answer and closes the connection.
    pub(super) fn answer(mut self, answer: &Answer) -> io::Result<()> {
        let Answer { status, kind, download, body } = answer;
        let saved = download.as_ref().map(|name| format!("Content-Disposition: attachment; filename=\"{name}\"\r\n"));
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{}{HEADERS}\r\n",
            body.len(),
            saved.unwrap_or_default()
        );
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        (&*self.stream).write_all(&bytes)?;
        self.close();
        Ok(())
    }

    /// Starts an answer without an end: a stream of events.
    pub(super) fn events(self) -> io::Result<Events> {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{HEADERS}\r\n");
        (&*self.stream).write_all(head.as_bytes())?;
        Ok(Events(self.stream))
    }

    /// Closes the connection, and reads what is still on its way, within bounds.
    fn close(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Write);
        let (bytes, time) = LINGER;
        self.deadline = Instant::now() + time;
        let mut buffer = [0; 4096];
        let mut read = 0;
        while read < bytes {
            match self.read(&mut buffer) {
                Ok(count) if count > 0 => read += count,
                _ => return,
            }
        }
    }
}

/// A stream of events to a page.
pub(super) struct Events(Arc<TcpStream>);

impl Events {
    /// Sends the data of an event, which holds no line break.
    pub(super) fn send(&self, data: &str) -> io::Result<()> {
        (&*self.0).write_all(format!("data: {data}\n\n").as_bytes())
    }

    /// Sends a named event without data.
    pub(super) fn send_name(&self, name: &str) -> io::Result<()> {
        (&*self.0).write_all(format!("event: {name}\ndata: null\n\n").as_bytes())
    }

    /// Returns true once the page has closed the stream.
    pub(super) fn is_closed(&self) -> bool {
        let shortly = Some(Duration::from_millis(1));
        if self.0.set_read_timeout(shortly).is_err() {
            return true;
        }
        match self.0.peek(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
            ),
        }
    }
}

/// Returns true if bytes have arrived that were not read yet, where the system can tell.
pub(super) fn has_unread(stream: &TcpStream) -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let mut polled = [PollFd::new(stream, PollFlags::IN)];
        poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }
    #[cfg(not(unix))]
    {
        let _ = stream;
        false
    }
}

fn too_large() -> Refusal {
    refusal("431 Request Header Fields Too Large", format!("the request's headers are longer than {MAX_HEAD} bytes"))
}

/// Reads the head of a request and its length; `None` if it is not complete.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let bad = |text: String| refusal("400 Bad Request", text);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Partial) => return Ok(None),
        Ok(httparse::Status::Complete(length)) => length,
        Err(httparse::Error::TooManyHeaders) => return Err(too_large()),
        Err(error) => return Err(bad(format!("not a request in HTTP/1.1: {error}"))),
    };
    if length > MAX_HEAD {
        return Err(too_large());
    }
    let method = match request.method.unwrap_or_default() {
        "GET" => Method::Get,
        "POST" => Method::Post,
        other => {
            return Err(refusal(
                "405 Method Not Allowed",
                format!("the method {other:?} is not answered: expected GET or POST"),
            ));
        }
    };
    let target = request.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut head = Head {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        host: None,
        origin: None,
        site: None,
        mode: None,
        destination: None,
        is_json: false,
        length: 0,
        expects_continue: false,
    };
    let mut has_length = false;
    for header in request.headers.iter() {
        let value = std::str::from_utf8(header.value)
            .map_err(|_| bad(format!("the header {} is not text", header.name)))?
            .trim();
        let once = |field: &mut Option<String>| match field.replace(value.to_owned()) {
            None => Ok(()),
            Some(_) => Err(bad(format!("the header {} comes twice", header.name))),
        };
        match header.name.to_ascii_lowercase().as_str() {
            "host" => once(&mut head.host)?,
            "origin" => once(&mut head.origin)?,
            "sec-fetch-site" => once(&mut head.site)?,
            "sec-fetch-mode" => once(&mut head.mode)?,
            "sec-fetch-dest" => once(&mut head.destination)?,
            "content-type" => {
                let kind = value.split(';').next().unwrap_or_default().trim();
                head.is_json = kind.eq_ignore_ascii_case("application/json");
            }
            "content-length" => {
                if std::mem::replace(&mut has_length, true) {
                    return Err(bad("the header Content-Length comes twice".to_owned()));
                }
                let is_number = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
                let number = value.parse().ok().filter(|_| is_number);
                // A number that is too long for us is too long a body.
                head.length = match (is_number, number) {
                    (true, number) => number.unwrap_or(usize::MAX),
                    (false, _) => {
                        return Err(bad(format!("Content-Length {value:?}: expected a number of bytes")));
                    }
                };
            }
            "transfer-encoding" => {
                return Err(refusal(
                    "411 Length Required",
                    "the body must come with its Content-Length, not in chunks",
                ));
            }
            "expect" => head.expects_continue = value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
    }
    if head.length > MAX_BODY {
        return Err(refusal("413 Content Too Large", format!("the body is longer than {MAX_BODY} bytes")));
    }
    Ok(Some((head, length)))
}
