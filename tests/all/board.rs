//! `pentalith board`: the server of the browser board, asked by programs that are not its page.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running server.
pub struct Board {
    pub child: Child,
    pub port: u16,
    pub token: String,
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    command.args(["board", "--no-open"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// An answer: its status, its headers in lower case, and its body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Board {
    pub fn start(arguments: &[&str]) -> Self {
        Self::of(command().args(arguments))
    }

    /// Starts a server with less of something than usual, as the words of `ulimit` say.
    #[cfg(target_os = "linux")]
    pub fn limited(limit: &str, arguments: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {limit}; exec \"$PROGRAM\" board --no-open \"$@\""), "sh"]).args(arguments);
        shell.env("PROGRAM", env!("CARGO_BIN_EXE_pentalith")).env_remove("RUST_LOG");
        Self::of(shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    pub fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        Self { child, port: port.parse().unwrap(), token: token.trim_end_matches('/').to_owned() }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and reads the whole answer.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        Self::ask(self.connect(), bytes)
    }

    /// Sends bytes over a connection and reads the whole answer.
    fn ask(mut stream: TcpStream, bytes: &[u8]) -> Answer {
        // The server may answer, and stop reading, before everything is sent.
        let _ = stream.write_all(bytes);
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0),
            headers: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Gets a path behind the secret, with further headers.
    pub fn get(&self, path: &str, headers: &str) -> Answer {
        let (host, token) = (self.host(), &self.token);
        self.raw(format!("GET /{token}/{path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes())
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let (host, token, length) = (self.host(), &self.token, body.len());
        self.raw(
            format!(
                "POST /{token}/{path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Opens a tab. Returns its name and the state.
    pub fn open(&self, link: Option<&str>) -> (String, Value) {
        let answer = self.post("open", &json!({"tab": null, "link": link}).to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        let opened = answer.json();
        (opened["tab"].as_str().unwrap().to_owned(), opened["state"].clone())
    }

    /// Does an action. Returns the state.
    pub fn act(&self, tab: &str, action: Value) -> Value {
        let answer = self.post(&format!("do?tab={tab}"), &action.to_string());
        assert_eq!(answer.status, 200, "{action}: {answer:?}");
        answer.json()["state"].clone()
    }

    /// Has an action refused. Returns the reason.
    fn refused(&self, tab: &str, action: Value) -> String {
        let answer = self.post(&format!("do?tab={tab}"), &action.to_string());
        assert_eq!(answer.status, 409, "{action}: {answer:?}");
        answer.json()["error"].as_str().unwrap().to_owned()
    }

    /// Looks on, until the stream is dropped.
    pub fn watch(&self, tab: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let (host, token) = (self.host(), &self.token);
        let request = format!("GET /{token}/events?tab={tab} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        BufReader::new(stream)
    }
}

/// Reads events until a state is as wanted.
pub fn wait_for(events: &mut BufReader<TcpStream>, mut wanted: impl FnMut(&Value) -> bool) -> Value {
    loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).unwrap() > 0, "the stream has ended");
        if let Some(data) = line.strip_prefix("data: ") {
            let state: Value = serde_json::from_str(data).unwrap();
            if wanted(&state) {
                return state;
            }
        }
    }
}

pub fn two_persons() -> Value {
    json!({"do": "players", "black": "person", "white": "person"})
}

#[test]
fn the_page_is_served_and_protected() {
    let board = Board::start(&[]);
    for (path, kind) in [("", "text/html"), ("board.js", "text/javascript"), ("board.css", "text/css")] {
        let answer = board.get(path, "");
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.headers.contains(&format!("content-type: {kind}")), "{}", answer.headers);
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
        ] {
            assert!(answer.headers.contains(header), "{header}: {}", answer.headers);
        }
        assert!(!answer.headers.contains("access-control"), "{}", answer.headers);
    }
    // Nothing on the page would break the policy.
    let page = board.get("", "").body;
    assert!(!page.contains("style=") && !page.contains("<style") && !page.contains(" onclick"), "{page}");
}

#[test]
fn nobody_else_gets_in() {
    let board = Board::start(&[]);
    let (host, token, port) = (board.host(), board.token.clone(), board.port);
    let ask = |host: &str, path: &str, headers: &str| {
        board.raw(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes())
    };
    let path = format!("/{token}/");
    assert_eq!(ask(&host, &path, "").status, 200);
    assert_eq!(ask(&format!("localhost:{port}"), &path, "").status, 200);
    // Another name for this computer: DNS rebinding.
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "127.0.0.1:1", ""] {
        assert_eq!(ask(host, &path, "").status, 403, "{host}");
    }
    let twice = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n");
    assert_eq!(board.raw(twice.as_bytes()).status, 400);
    let none = format!("GET {path} HTTP/1.1\r\n\r\n");
    assert_eq!(board.raw(none.as_bytes()).status, 403);
    // Pages of other sites.
    for origin in ["http://evil.example", "null", &format!("https://{host}"), "http://127.0.0.1:1"] {
        assert_eq!(ask(&host, &path, &format!("Origin: {origin}\r\n")).status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let headers = format!("Sec-Fetch-Site: {site}\r\n");
        assert_eq!(ask(&host, &path, &headers).status, 403, "{site}");
        // A link to the page may be followed from anywhere, by who knows the secret.
        let link = format!("{headers}Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n");
        assert_eq!(ask(&host, &path, &link).status, 200, "{site}");
        assert_eq!(ask(&host, &format!("/{}/", "0".repeat(token.len())), &link).status, 403, "{site}");
        assert_eq!(ask("evil.example", &path, &link).status, 403, "{site}");
        for path in [format!("{path}board.js"), format!("{path}events?tab=0"), format!("{path}record?tab=0")] {
            assert_eq!(ask(&host, &path, &link).status, 403, "{site} {path}");
        }
        let form = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{link}\r\n");
        assert_eq!(board.raw(form.as_bytes()).status, 403, "{site}");
        for (mode, destination) in
            [("navigate", "iframe"), ("navigate", "embed"), ("no-cors", "script"), ("cors", "empty")]
        {
            let frame = format!("{headers}Sec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {destination}\r\n");
            assert_eq!(ask(&host, &path, &frame).status, 403, "{site} {destination}");
        }
    }
    for site in ["same-origin", "none"] {
        assert_eq!(ask(&host, &path, &format!("Sec-Fetch-Site: {site}\r\n")).status, 200, "{site}");
    }
    // Without the secret, or with another one, there is nothing, and no word of what would be right.
    let wrong = "0".repeat(token.len());
    for path in [
        "/",
        "/board.js",
        &format!("/{wrong}/"),
        &format!("/{token}"),
        &format!("/{}/", &token[1..]),
        "/favicon.ico",
        "*",
    ] {
        let answer = ask(&host, path, "");
        assert!(matches!(answer.status, 403 | 400), "{path}: {answer:?}");
        assert!(!answer.body.contains(&token), "{path}");
    }
    // A form of another site can send plain text only.
    let form = format!(
        "POST /{token}/open HTTP/1.1\r\nHost: {host}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"
    );
    assert_eq!(board.raw(form.as_bytes()).status, 415);
}

#[test]
fn bad_requests_are_named_and_the_next_one_is_served() {
    let board = Board::start(&[]);
    let (host, token) = (board.host(), board.token.clone());
    let with = |rest: &str| format!("POST /{token}/open HTTP/1.1\r\nHost: {host}\r\n{rest}");
    let many = "X-A: b\r\n".repeat(100);
    let long = format!("X-A: {}\r\n\r\n", "b".repeat(20_000));
    let cases: &[(Vec<u8>, u16, &str)] = &[
        (with("Content-Length: 104857600\r\n\r\n").into_bytes(), 413, "longer than 1048576 bytes"),
        (with("Content-Length: 99999999999999999999999\r\n\r\n").into_bytes(), 413, "longer than"),
        (with("Content-Length: -1\r\n\r\n").into_bytes(), 400, "expected a number of bytes"),
        (with("Content-Length: 1\r\nContent-Length: 2\r\n\r\n").into_bytes(), 400, "twice"),
        (with("Transfer-Encoding: chunked\r\n\r\n").into_bytes(), 411, "not in chunks"),
        (with(&format!("{many}\r\n")).into_bytes(), 431, "longer than"),
        (with(&long).into_bytes(), 431, "longer than"),
        (b"\x16\x03\x01\x00\xa5 TLS\r\n\r\n".to_vec(), 400, "not a request in HTTP/1.1"),
        (b"DELETE / HTTP/1.1\r\n\r\n".to_vec(), 405, "expected GET or POST"),
        (b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n".to_vec(), 400, "not text"),
    ];
    for (bytes, status, text) in cases {
        let answer = board.raw(bytes);
        assert_eq!(answer.status, *status, "{}: {answer:?}", String::from_utf8_lossy(bytes));
        assert!(answer.body.contains(text), "{answer:?}");
    }
    for (path, body, status) in [
        ("open", "not JSON", 400),
        ("open", "{\"tab\":null,\"link\":null,\"more\":1}", 400),
        ("do?tab=0", "{\"do\":\"undo\"}", 404),
        ("do", "{\"do\":\"undo\"}", 404),
        ("do?tab=0", "{\"do\":\"dance\"}", 400),
        ("nothing", "{}", 404),
        ("board.js", "{}", 405),
    ] {
        assert_eq!(board.post(path, body).status, status, "{path} {body}");
    }
    for (variant, position, cell, piece, text) in [
        ("chess", "", "a1", "b", "chess"),
        ("markane:3x3", "b", "a1", "b", "ranks"),
        ("markane:3x3", ".../.../.../...", "a1", "b", "ranks"),
        ("markane:3x3", "é../.../... b 1 1", "a1", "b", "ranks"),
        ("markane:3x3", "x../.../... b 1 1", "a1", "b", "not a piece"),
        ("markane:3x3", "", "d1", "b", "not a cell"),
        ("markane:3x3", "", "a1", "b999", "not the value"),
        ("markane:3x3", "", "a1", "", "not a piece"),
    ] {
        let change = json!({"variant": variant, "position": position, "flipped": false, "cell": cell, "piece": piece});
        let answer = board.post("setup", &change.to_string());
        assert_eq!(answer.status, 409, "{change}");
        assert!(answer.body.contains(text), "{change}: {}", answer.body);
    }
    // What is not a position yet is drawn, and the rules say why.
    let change = json!({"variant": "gravel:3,x=2", "position": "", "flipped": true, "cell": "b2", "piece": "w250"});
    let setup = board.post("setup", &change.to_string()).json();
    assert!(setup["position"].as_str().unwrap().starts_with(".../.w250./... "), "{setup}");
    assert!(setup["error"].is_string() && setup["svg"].as_str().unwrap().contains("250"), "{setup}");
    assert_eq!(board.get("events?tab=0", "").status, 404);
    assert_eq!(board.get("do", "").status, 405);
    board.open(None);
}

#[test]
fn floods_and_slow_clients_cost_nothing_lasting() {
    let board = Board::start(&["invector:5x4"]);
    let (tab, _) = board.open(None);
    board.act(&tab, two_persons());
    // Browsers open connections ahead, and use them within some seconds.
    let ahead = board.connect();
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(Board::ask(ahead, b"DELETE / HTTP/1.1\r\n\r\n").status, 405);
    // A hundred clients that say nothing, or half of a request.
    let mut idle = Vec::new();
    for number in 0..100 {
        let mut stream = board.connect();
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET / HTT");
        }
        idle.push(stream);
    }
    drop(idle);
    for _ in 0..2_000 {
        let mut stream = board.connect();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    }
    // A body of 100 MB is refused by its head; whoever sends it all the same soon finds nobody listening.
    let mut stream = board.connect();
    let (host, token) = (board.host(), &board.token);
    let head = format!("POST /{token}/open HTTP/1.1\r\nHost: {host}\r\nContent-Length: 104857600\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let megabyte = vec![b'a'; 1 << 20];
    let sent = (0..100).take_while(|_| stream.write_all(&megabyte).is_ok());
    assert!(sent.count() < 100, "a body of 100 MB was taken");
    // Boards that nobody looks at make room for others; those that somebody looks at do not.
    let mut watched: Vec<_> = (0..8)
        .map(|_| {
            let (tab, _) = board.open(None);
            let mut events = board.watch(&tab);
            wait_for(&mut events, |_| true);
            events
        })
        .collect();
    let full = board.post("open", "{\"tab\":null,\"link\":null}");
    assert_eq!(full.status, 503, "{full:?}");
    assert!(full.body.contains("close one"), "{full:?}");
    watched.pop();
    let begun = Instant::now();
    while board.post("open", "{\"tab\":null,\"link\":null}").status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no room is made");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn clicks_play_and_selections_survive_a_reload() {
    let board = Board::start(&["gravel:3"]);
    let (tab, state) = board.open(None);
    assert_eq!(state["players"], json!({"black": "engine", "white": "person"}));
    board.act(&tab, two_persons());
    let state = board.act(&tab, json!({"do": "click", "point": "b2"}));
    assert_eq!(state["moves"], json!([{"turn": 1, "side": "white", "steps": ["b2"], "plays": [1]}]));
    let selected = board.act(&tab, json!({"do": "click", "point": "b2"}));
    assert_eq!(selected["selected"], "b2");
    assert_eq!(selected["targets"], json!(["pool"]));
    // A reload in the middle of a turn.
    let again = board.post("open", &json!({"tab": tab, "link": "markane"}).to_string()).json();
    assert_eq!(again["tab"], json!(tab));
    assert_eq!(again["state"]["selected"], "b2");
    assert_eq!(again["state"]["variant"], selected["variant"]);
    // A link holds the whole game.
    let (_, linked) = board.open(again["state"]["link"].as_str());
    assert_eq!(linked["position"], selected["position"]);
    // Letting go, the Pool, and the end of the turn.
    let state = board.act(&tab, json!({"do": "click", "point": "b2"}));
    assert_eq!(state["selected"], Value::Null);
    board.act(&tab, json!({"do": "click", "point": "b2"}));
    let state = board.act(&tab, json!({"do": "click", "point": "pool"}));
    assert_eq!(state["moves"][0]["steps"], json!(["b2", "-b2"]));
    let labels = |state: &Value| -> Vec<String> {
        let buttons = state["buttons"].as_array().unwrap().iter();
        buttons.map(|button| button["label"].as_str().unwrap().to_owned()).collect()
    };
    // The Pool may be clicked before a vacant space, too.
    assert_eq!(labels(&state), ["From the Pool", "End turn"]);
    let state = board.act(&tab, json!({"do": "click", "point": "pass"}));
    assert_eq!(state["side"], "black");
    // Undo and redo, step by step.
    let state = board.act(&tab, json!({"do": "undo"}));
    assert_eq!(state["side"], "white");
    assert_eq!(state["plays"], 2);
    // What was taken back stays in the list.
    let moves = json!([{"turn": 1, "side": "white", "steps": ["b2", "-b2", "end"], "plays": [1, 2, 3]}]);
    assert_eq!(state["moves"], moves);
    let state = board.act(&tab, json!({"do": "redo"}));
    assert_eq!(state["side"], "black");
    // Any position of the game can be gone to.
    for plays in [0, 2, 1, 3] {
        let state = board.act(&tab, json!({"do": "goto", "plays": plays}));
        assert_eq!(state["plays"], plays);
        assert_eq!(state["moves"], moves);
    }
    assert_eq!(board.refused(&tab, json!({"do": "goto", "plays": 4})), "there is no play 4: expected 0 to 3");
    assert_eq!(board.refused(&tab, json!({"do": "redo"})), "nothing was taken back");
}

#[test]
fn lines_are_listed_and_the_board_is_turned_around() {
    let board = Board::start(&["gravel:4,x=3"]);
    let (tab, _) = board.open(None);
    let mut state = board.act(&tab, two_persons());
    for point in ["a1", "b2", "c3", "d4", "a4", "b1"] {
        state = board.act(&tab, json!({"do": "click", "point": point}));
    }
    // The last enemy stack may be removed, and an own one moved.
    assert_eq!(state["removals"], json!(["b1"]));
    assert_eq!(state["status"].as_array().unwrap().last().unwrap(), "spaces: Black 3, White 3");
    let wrong = board.refused(&tab, json!({"do": "click", "point": "d4"}));
    assert!(wrong.starts_with("d4: White does not control d4") && wrong.contains("; White may click"), "{wrong}");
    board.act(&tab, json!({"do": "goto", "plays": 4}));
    let state = board.act(&tab, json!({"do": "click", "point": "a3"}));
    let node = state["moves"][1]["variations"][0]["node"].as_u64().unwrap();
    assert_eq!(state["moves"][1]["variations"], json!([{"node": node, "text": "a4 b1"}]));
    let state = board.act(&tab, json!({"do": "variation", "node": node}));
    assert_eq!(state["moves"][1]["steps"], json!(["d4", "a4", "b1"]));
    let other = state["moves"][1]["variations"][0]["node"].as_u64().unwrap();
    board.act(&tab, json!({"do": "promote", "node": other}));
    let state = board.act(&tab, json!({"do": "remove", "node": other}));
    assert_eq!(state["moves"][1]["variations"], Value::Null);
    assert!(board.refused(&tab, json!({"do": "remove", "node": 0})).contains("no such position"));
    assert!(board.refused(&tab, json!({"do": "variation", "node": 99})).contains("no such position"));
    // The first cell is at the left below, or at the right above.
    let place = |state: &Value| (state["cells"][0]["x"].as_i64().unwrap(), state["cells"][0]["y"].as_i64().unwrap());
    let flipped = board.act(&tab, json!({"do": "flip", "on": true}));
    let ((x, y), (flipped_x, flipped_y)) = (place(&state), place(&flipped));
    assert!(x < flipped_x && y > flipped_y);
    assert_eq!(place(&board.act(&tab, json!({"do": "flip", "on": false}))), (x, y));
    let (_, dice) = board.open(Some("invictus"));
    assert!(dice["status"].to_string().contains("dice left to set: 6 6 6 5"), "{}", dice["status"]);
    // A game that came by a link can be reviewed; one that is being played here, when it ends.
    assert_eq!((&dice["review"], &state["review"]), (&Value::Null, &Value::Null));
    let (_, loaded) = board.open(Some("markane:4x4 moves a1 c3"));
    assert_eq!(loaded["review"]["done"], json!(false), "{}", loaded["review"]);
    // The game as a page.
    let page = board.get(&format!("page?tab={tab}"), "");
    assert!(page.headers.contains("filename=\"gravel-4-x-3-"), "{page:?}");
    assert!(page.body.contains("<title>") && page.body.contains("gravel:4,x=3"), "{page:?}");
    // A new game can be taken back.
    board.act(&tab, json!({"do": "new", "variant": "markane:4x4"}));
    let state = board.act(&tab, json!({"do": "undo"}));
    assert_eq!((&state["variant"], &state["plays"]), (&json!("gravel:4,x=3"), &json!(6)));
}

#[test]
fn the_steps_of_the_engine_have_pictures() {
    let board = Board::start(&["gravel:4,x=3", "--nodes", "50"]);
    let (tab, _) = board.open(None);
    let mut events = board.watch(&tab);
    for point in ["a1", "b2", "c3"] {
        board.act(&tab, json!({"do": "click", "point": point}));
    }
    let state = wait_for(&mut events, |state| state["side"] == "white" && state["turn"] == 3);
    let steps = state["moves"][1]["steps"].as_array().unwrap().len();
    assert_eq!(state["replayed"], json!(steps));
    let frames = board.get(&format!("frames?tab={tab}"), "").json();
    assert_eq!(frames.as_array().unwrap().len(), steps);
    assert_eq!(frames[steps - 1], state["svg"]);
    assert_ne!(frames[0], state["svg"]);
}

#[test]
fn the_engine_plays_itself_at_the_pace_that_was_chosen() {
    let board = Board::start(&["markane:4x4", "--nodes", "20"]);
    let (tab, state) = board.open(None);
    assert_eq!(state["pace"], json!(0.7));
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "pace", "seconds": 60}));
    board.act(&tab, json!({"do": "players", "black": "engine", "white": "engine"}));
    wait_for(&mut events, |state| state["plays"] == 1 && state["thinking"] == false);
    // It moves when it is told to, and waits again.
    board.act(&tab, json!({"do": "engine"}));
    wait_for(&mut events, |state| state["plays"] == 2 && state["thinking"] == false);
    board.act(&tab, json!({"do": "pace", "seconds": 0.01}));
    let state = wait_for(&mut events, |state| !state["result"].is_null());
    assert!(state["plays"].as_u64() > Some(4), "{}", state["plays"]);
}

#[test]
fn wrong_actions_are_explained_and_change_nothing() {
    let board = Board::start(&["invector:5x4,pie=on"]);
    let (tab, _) = board.open(None);
    let before = board.act(&tab, two_persons());
    for (action, reason) in [
        (json!({"do": "click", "point": "z9"}), "z9"),
        (json!({"do": "click", "point": "<script>"}), "<script>"),
        (json!({"do": "step", "text": "hello"}), "hello"),
        (json!({"do": "new", "variant": "chess"}), "chess"),
        (json!({"do": "new", "variant": "markane", "seconds": -1}), "expected 0.01 to 3600"),
        (json!({"do": "new", "variant": "markane", "level": "godlike"}), "godlike"),
        (json!({"do": "level", "level": "godlike"}), "godlike"),
        (json!({"do": "seconds", "seconds": 1e300}), "expected 0.01 to 3600"),
        (json!({"do": "pace", "seconds": -0.1}), "expected 0 to 60"),
        (json!({"do": "clocks", "minutes": 0, "increment": 0}), "expected 0.05 to 1440"),
        (json!({"do": "position", "text": "..."}), "bad position"),
        (json!({"do": "load", "text": "<script>alert(1)</script>"}), "<script>"),
        (json!({"do": "load", "text": "invector:5x4 moves a1"}), "a1"),
        (json!({"do": "load", "text": "invector:5x4 play a1"}), "expected position or moves"),
        (json!({"do": "load", "text": "[Event \"pentalith match x\"]"}), ""),
        (json!({"do": "load", "text": ""}), "expected a record"),
        (json!({"do": "undo"}), "this is the start"),
        (json!({"do": "step", "text": "a".repeat(70_000)}), "has more than 65536 bytes"),
    ] {
        let error = board.refused(&tab, action.clone());
        assert!(error.contains(reason), "{action}: {error}");
        assert!(error.len() < 2_000, "{error}");
    }
    let after = board.act(&tab, two_persons());
    for part in ["position", "variant", "players", "level", "seconds", "clocks", "moves"] {
        assert_eq!(before[part], after[part], "{part}");
    }
}

#[test]
fn the_engine_plays_hints_and_analyzes() {
    let board = Board::start(&["invector:5x4,pie=on", "--nodes", "200"]);
    let (tab, state) = board.open(None);
    let mut events = board.watch(&tab);
    let first = state["points"][0].clone();
    let state = board.act(&tab, json!({"do": "click", "point": first}));
    let target = state["targets"][0].clone();
    board.act(&tab, json!({"do": "click", "point": target}));
    let state =
        wait_for(&mut events, |state| state["moves"].as_array().unwrap().len() == 2 && state["side"] == "black");
    assert_eq!(state["thinking"], false);
    // A hint is a legal move, and marked on the board.
    board.act(&tab, json!({"do": "seconds", "seconds": 0.05}));
    board.act(&tab, json!({"do": "hint"}));
    let state = wait_for(&mut events, |state| state["hint"].is_string());
    let hint = state["hint"].as_str().unwrap().to_owned();
    assert!(state["svg"].as_str().unwrap().contains("class=\"arrows\""));
    board.act(&tab, json!({"do": "analysis", "on": true}));
    let state = wait_for(&mut events, |state| !state["analysis"]["lines"].as_array().unwrap().is_empty());
    // Its moves are marked, and the hint no more.
    assert_eq!(state["hint"], Value::Null);
    let expected = state["analysis"]["expected"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&expected));
    // Black is to move: the first line has the same value, and no other line a higher one.
    let lines = state["analysis"]["lines"].as_array().unwrap().iter();
    let values: Vec<f64> = lines.map(|line| line["value"].as_f64().unwrap()).collect();
    assert_eq!(values.first(), Some(&expected));
    assert!(values.iter().all(|&value| value <= expected), "{values:?}");
    board.act(&tab, json!({"do": "step", "text": hint}));
    board.act(&tab, json!({"do": "analysis", "on": false}));
    wait_for(&mut events, |state| state["moves"].as_array().unwrap().len() == 4);
    // Undo goes back to the last decision of the person, and the engine waits.
    let state = board.act(&tab, json!({"do": "undo"}));
    assert_eq!(state["plays"], 2);
    let state = board.act(&tab, json!({"do": "resign"}));
    assert_eq!(state["result"]["winner"], "white");
    assert_eq!(state["points"], json!([]));
    let record = board.get(&format!("record?tab={tab}"), "");
    assert!(record.body.contains("[Result \"1-0\"]"), "{}", record.body);
    assert!(record.headers.contains("attachment"));
}

#[test]
fn a_game_ends_by_the_rules_and_its_record_is_read_again() {
    let board = Board::start(&["markane:3x3"]);
    let (tab, _) = board.open(None);
    let mut state = board.act(&tab, two_persons());
    for _ in 0..200 {
        if !state["result"].is_null() {
            break;
        }
        let point = state["points"][0].clone();
        state = board.act(&tab, json!({"do": "click", "point": point}));
    }
    assert!(state["result"]["text"].as_str().unwrap().contains("wins"), "{}", state["result"]);
    let record = board.get(&format!("record?tab={tab}"), "").body;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    std::fs::write(&file, &record).unwrap();
    let replay = Command::new(env!("CARGO_BIN_EXE_pentalith")).arg("replay").arg(&file).output().unwrap();
    assert!(replay.status.success(), "{record}");
    let loaded = board.act(&tab, json!({"do": "load", "text": record}));
    assert_eq!(loaded["position"], state["position"]);
    assert_eq!(loaded["result"], state["result"]);
}

#[test]
fn a_clock_that_runs_out_ends_the_game() {
    let board = Board::start(&["markane:5x4"]);
    let (tab, _) = board.open(None);
    board.act(&tab, two_persons());
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "clocks", "minutes": 0.05, "increment": 0}));
    let state = board.act(&tab, json!({"do": "click", "point": "a1"}));
    assert_eq!(state["clocks"]["running"], "white");
    let state = wait_for(&mut events, |state| !state["result"].is_null());
    assert_eq!(state["result"]["winner"], "black");
    assert_eq!(state["clocks"]["white"], 0);
    let record = board.get(&format!("record?tab={tab}"), "").body;
    assert!(record.contains("[Termination \"time\"]"), "{record}");
}

#[test]
fn a_search_stops_when_its_page_has_gone() {
    let board = Board::start(&["gravel"]);
    let (tab, _) = board.open(None);
    board.act(&tab, two_persons());
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "analysis", "on": true}));
    wait_for(&mut events, |state| state["analysis"]["nodes"].as_u64().unwrap() > 0);
    drop(events);
    let nodes = || {
        board.post("open", &json!({"tab": tab, "link": null}).to_string()).json()["state"]["analysis"]["nodes"].clone()
    };
    let begun = Instant::now();
    let mut last = nodes();
    loop {
        thread::sleep(Duration::from_secs(2));
        let now = nodes();
        if now == last {
            break;
        }
        last = now;
        assert!(begun.elapsed() < Duration::from_secs(120), "the search goes on");
    }
    // It goes on once somebody looks again, a closed laptop opened, say.
    let mut events = board.watch(&tab);
    wait_for(&mut events, |state| state["analysis"]["nodes"] != last);
}

#[test]
fn a_port_in_use_and_a_missing_browser_are_named() {
    let board = Board::start(&[]);
    let port = board.port.to_string();
    let mut second = command();
    second.stderr(Stdio::piped());
    let second = second.args(["--port", &port]).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    let error = String::from_utf8(second.stderr).unwrap();
    assert!(error.contains(&format!("--port {port} is in use")), "{error}");
    assert!(second.stdout.is_empty());
    for (arguments, text) in
        [(["chess"].as_slice(), "chess"), (&["--port", "70000"], "70000"), (&["--threads", "0"], "0")]
    {
        let mut bad = command();
        let bad = bad.stderr(Stdio::piped()).args(arguments).output().unwrap();
        assert_eq!(bad.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8(bad.stderr).unwrap().contains(text));
    }
    // The board works without a browser that can be opened.
    let mut child = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .arg("board")
        .env_clear()
        .env("PATH", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = errors.by_ref().map_while(Result::ok).find(|line| line.contains("no browser"));
    assert!(said.is_some_and(|line| line.contains("open the address yourself")));
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the record of a tab's game.
fn record(board: &Board, tab: &str) -> String {
    board.get(&format!("record?tab={tab}"), "").body
}

#[test]
fn a_record_comes_back_with_its_players_and_what_others_wrote() {
    let board = Board::start(&["markane:4x4", "--nodes", "50"]);
    let (tab, _) = board.open(None);
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "level", "level": "weak"}));
    board.act(&tab, json!({"do": "players", "black": "person", "white": "engine"}));
    board.act(&tab, json!({"do": "click", "point": "a2"}));
    wait_for(&mut events, |state| state["plays"] == 2);
    let saved = record(&board, &tab);
    assert!(saved.contains("Strength=weak") && saved.contains("[Event \"pentalith match markane:4x4\"]"), "{saved}");
    let saved = saved
        .replacen("pentalith match markane:4x4", "Club evening", 1)
        .replacen("[Black \"person\"]", "[Black \"Ada\"]", 1)
        .replacen("[PlyCount \"2\"]", "[PlyCount \"2\"]\n[Annotator \"B\"]", 1);
    // Another tab, whose person plays White against the best level.
    let (tab, _) = board.open(None);
    board.act(&tab, json!({"do": "players", "black": "engine", "white": "person"}));
    let state = board.act(&tab, json!({"do": "load", "text": saved}));
    assert_eq!(state["players"], json!({"black": "person", "white": "engine"}));
    assert_eq!(state["level"], "weak");
    assert_eq!(record(&board, &tab), saved);
    // The engine answers the next move, and the game is still that of the record.
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "click", "point": state["points"][0]}));
    wait_for(&mut events, |state| state["plays"] == 4);
    let tags = |text: &str| text.split("\n\n").next().unwrap().replace("[PlyCount \"4\"]", "[PlyCount \"2\"]");
    assert_eq!(tags(&record(&board, &tab)), tags(&saved));
}

#[test]
fn a_board_begins_with_a_recorded_game() {
    let folder = crate::matches::folder("board-record");
    let path = folder.join("games.pgn");
    let game = |number: u32, moves: &str| {
        format!(
            "[Variant \"markane:4x4\"]\n[Event \"Club {number}\"]\n[Black \"Ada\"]\n[Result \"*\"]\n\n{moves} *\n\n"
        )
    };
    std::fs::write(&path, game(1, "1. a2 b1") + &game(2, "1. c3 {good} a1 2. d4")).unwrap();
    let path = path.to_str().unwrap();
    for (place, plays, event) in [("#1", 2, true), ("#2", 3, true), ("#2:1", 1, false)] {
        let board = Board::start(&[&format!("{path}{place}")]);
        for _ in 0..2 {
            let (tab, state) = board.open(None);
            assert_eq!(state["plays"], plays, "{place}: {state}");
            let saved = record(&board, &tab);
            assert_eq!(saved.contains("[Event \"Club"), event, "{place}: {saved}");
            assert_eq!(saved.contains("{good}"), place == "#2", "{place}: {saved}");
        }
        // A link counts more, and pages can't give a game in another way.
        let (tab, state) = board.open(Some("markane:5x5 moves c3"));
        assert_eq!((state["variant"].as_str(), state["plays"].as_u64()), (Some("markane:5x5"), Some(1)));
        let answer = board.post(&format!("do?tab={tab}"), &json!({"do": "given"}).to_string());
        assert_eq!(answer.status, 400, "{answer:?}");
    }
    let failed = |given: &str| {
        let output = command().arg(given).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{given}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(failed(path).contains("has 2 games: choose one by its number, as in"), "{}", failed(path));
    assert!(failed(&format!("{path}#3")).contains("has no game 3"));
    assert!(failed(&format!("{path}#x")).contains("expected FILE#GAME or FILE#GAME:MOVE"));
}

#[test]
fn the_engine_goes_on_with_a_game_that_is_loaded() {
    let board = Board::start(&["markane:4x4", "--nodes", "50"]);
    let (tab, _) = board.open(None);
    board.act(&tab, json!({"do": "click", "point": "a2"}));
    // The engine, White, was to move.
    let saved = record(&board, &tab);
    let (tab, _) = board.open(None);
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "load", "text": saved}));
    wait_for(&mut events, |state| state["plays"] == 2);
}

#[test]
fn a_loss_on_time_that_is_taken_back_gives_the_time_back() {
    let board = Board::start(&["markane:5x4"]);
    let (tab, _) = board.open(None);
    board.act(&tab, two_persons());
    let mut events = board.watch(&tab);
    board.act(&tab, json!({"do": "clocks", "minutes": 0.05, "increment": 0}));
    board.act(&tab, json!({"do": "click", "point": "a1"}));
    wait_for(&mut events, |state| !state["result"].is_null());
    let state = board.act(&tab, json!({"do": "undo"}));
    assert_eq!(state["result"], Value::Null);
    assert_eq!(state["clocks"]["white"], 3_000);
    let state = board.act(&tab, json!({"do": "click", "point": "c2"}));
    assert_eq!((&state["result"], &state["plays"]), (&Value::Null, &json!(2)));
}
