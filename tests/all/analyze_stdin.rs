//! `pentalith analyze --stdin`: queries and answers in JSON, one per line.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::schemas::valid_text;
use crate::talk::start;

/// Nodes that no test waits for.
const ENDLESS: u64 = 1_000_000_000_000;

/// The program, which waits for queries.
struct Server {
    program: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn new(arguments: &[&str]) -> Self {
        let mut program = start(&[&["analyze", "--stdin"], arguments].concat());
        let (input, output) = (program.stdin.take(), BufReader::new(program.stdout.take().unwrap()));
        Self { program, input, output }
    }

    fn send(&mut self, query: &Value) {
        if query.get("action").is_none() {
            valid_text("analyze-query", &query.to_string());
        }
        writeln!(self.input.as_mut().unwrap(), "{query}").unwrap();
    }

    /// Reads an answer; `None` at the end.
    fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        (self.output.read_line(&mut line).unwrap() > 0).then(|| valid_text("analyze-answer", &line))
    }

    /// Ends the input, and returns the answers that are left. The program must be content.
    fn end(mut self) -> Vec<Value> {
        self.input = None;
        let answers = std::iter::from_fn(|| self.answer()).collect();
        assert!(self.program.wait().unwrap().success());
        answers
    }
}

#[test]
fn each_position_is_answered_by_its_id() {
    let mut server = Server::new(&["markane:3x3", "--nodes", "50", "--jobs", "2"]);
    server.send(&json!({"id": "last", "moves": "b2 a1"}));
    server.send(&json!({"id": 7, "moves": ["b2", "a1"], "after": [0, 2], "lines": 2, "nodes": 80}));
    server.send(&json!({"id": "other", "variant": "invector:5x4", "position": "startpos", "depth": 2}));
    server.send(&json!({"id": "line", "position": "startpos moves b2", "search_moves": "a1"}));
    server.send(&json!({"id": "over", "variant": "markane:2x1", "moves": "a1 b1"}));
    server.send(&json!({"id": "k", "moves": ["b2"], "analyzeTurns": [1], "maxVisits": 30}));
    server.send(&json!({"id": "v", "action": "query_version"}));
    let answers = server.end();
    let of = |id: Value, after: u64| {
        let found: Vec<&Value> =
            answers.iter().filter(|answer| answer["id"] == id && answer["after"] == after).collect();
        assert_eq!(found.len(), 1, "{id} {after}: {answers:#?}");
        found[0]
    };
    let last = of(json!("last"), 2);
    assert_eq!((&last["position"], &last["side"]), (&json!(".../.b./w.. b 1 3"), &json!("black")));
    assert_eq!((&last["during_search"], &last["result"]), (&json!(false), &Value::Null));
    assert!(last["lines"].as_array().unwrap().len() > 1 && last.get("cancelled").is_none());
    assert_eq!(of(json!(7), 0)["position"], json!(".../.../... b 1 1"));
    assert_eq!(of(json!(7), 2)["lines"].as_array().unwrap().len(), 2);
    assert_eq!(of(json!("other"), 0)["variant"], json!("invector:5x4"));
    let line = of(json!("line"), 1);
    assert_eq!((line["lines"].as_array().unwrap().len(), &line["lines"][0]["move"]), (1, &json!("a1")));
    let over = of(json!("over"), 2);
    assert_eq!((&over["result"]["winner"], &over["lines"]), (&json!("white"), &json!([])));
    assert!(of(json!("k"), 1)["nodes"].as_u64().unwrap() > 0);
    let version = answers.iter().find(|answer| answer["id"] == json!("v")).unwrap();
    assert_eq!(version["version"], json!(env!("CARGO_PKG_VERSION")));
    assert_eq!(answers.len(), 8);
}

#[test]
fn answers_do_not_depend_on_the_number_of_jobs() {
    let run = |jobs: &str| {
        let mut server = Server::new(&["markane:4x4", "--jobs", jobs, "--reproducible"]);
        for (number, moves) in ["", "b2", "b2 a1", "c3 swap"].into_iter().enumerate() {
            server.send(&json!({"id": number, "variant": "markane:4x4,pie=on", "moves": moves, "nodes": 700}));
        }
        server.send(&json!({"id": "all", "moves": "b2 a1 c3", "after": [3, 0, 2, 1], "nodes": 300}));
        let mut answers: Vec<String> = server.end().iter().map(Value::to_string).collect();
        answers.sort();
        answers
    };
    let one = run("1");
    assert_eq!(one.len(), 8);
    assert!(one.iter().all(|answer| !answer.contains("seconds")));
    assert_eq!(run("3"), one);
}

#[test]
fn queries_are_cancelled_and_put_before_others() {
    let mut server = Server::new(&["markane:6x6", "--jobs", "1"]);
    server.send(&json!({"id": "long", "nodes": ENDLESS, "report_every": 0.02}));
    let report = server.answer().unwrap();
    assert_eq!((&report["id"], &report["during_search"]), (&json!("long"), &json!(true)));
    server.send(&json!({"id": "late", "nodes": 20}));
    server.send(&json!({"id": "soon", "nodes": 20, "priority": 3}));
    server.send(&json!({"id": "both", "nodes": 20, "moves": "a1", "after": [0, 1], "priorities": [-1, 9]}));
    server.send(&json!({"id": "never", "nodes": ENDLESS}));
    server.send(&json!({"id": "long", "nodes": 1}));
    server.send(&json!({"id": "x", "action": "terminate", "terminate_id": "never"}));
    server.send(&json!({"id": "y", "action": "terminate", "terminate_id": "nothing"}));
    server.send(&json!({"id": "z", "action": "terminate", "terminate_id": "long", "after": [0]}));
    let answers = server.end();
    let ends = answers.iter().filter(|answer| answer.get("during_search") != Some(&json!(true)));
    let ends: Vec<String> = ends
        .map(|answer| {
            let cancelled = answer.get("cancelled").map(Value::to_string).unwrap_or_default();
            let field = answer.get("field").map(Value::to_string).unwrap_or_default();
            format!(
                "{}{}{cancelled}{field}",
                answer["id"].as_str().unwrap(),
                answer.get("after").unwrap_or(&Value::Null)
            )
        })
        .collect();
    assert_eq!(
        ends,
        ["longnull\"id\"", "never0true", "xnull1", "ynull0", "z[0]1", "long0true", "both1", "soon0", "late0", "both0"]
    );
    // A cancelled search says what it has found.
    let long =
        answers.iter().find(|answer| answer["id"] == json!("long") && answer.get("cancelled").is_some()).unwrap();
    assert!(!long["lines"].as_array().unwrap().is_empty());
}

#[test]
fn errors_name_the_query_and_the_field() {
    let mut server = Server::new(&["--nodes", "10"]);
    let lines = [
        ("{", "null", ""),
        ("[1]", "null", ""),
        ("{\"moves\":\"\"}", "null", "id"),
        ("{\"id\":1.5}", "null", "id"),
        ("{\"id\":\"a\"}", "\"a\"", "variant"),
        ("{\"id\":\"a\",\"variant\":\"chess\"}", "\"a\"", "variant"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"node\":1}", "\"a\"", "node"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"nodes\":0}", "\"a\"", "nodes"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"nodes\":1,\"maxVisits\":1}", "\"a\"", "maxVisits"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"moves\":\"b2 z9\"}", "\"a\"", "moves"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"moves\":\"b2 b2\"}", "\"a\"", "moves"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"position\":\"b2\"}", "\"a\"", "position"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"after\":[1]}", "\"a\"", "after"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"moves\":\"b2\",\"analyzeTurns\":[1,1]}", "\"a\"", "analyzeTurns"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"after\":[0],\"priorities\":[1,2]}", "\"a\"", "priorities"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"report_every\":-1}", "\"a\"", "report_every"),
        ("{\"id\":\"a\",\"variant\":\"markane:3x3\",\"search_moves\":\"z9\"}", "\"a\"", "search_moves"),
        ("{\"id\":9,\"action\":\"explode\"}", "9", "action"),
        ("{\"id\":9,\"action\":\"terminate\"}", "9", "terminate_id"),
    ];
    for (line, id, field) in lines {
        writeln!(server.input.as_mut().unwrap(), "{line}").unwrap();
        let answer = server.answer().unwrap();
        let found = |name: &str| answer.get(name).cloned().unwrap_or_default();
        let expected = if field.is_empty() { Value::Null } else { json!(field) };
        assert_eq!((found("id").to_string(), found("field")), (id.to_owned(), expected), "{line}: {answer}");
        assert!(!answer["error"].as_str().unwrap().is_empty());
    }
    writeln!(server.input.as_mut().unwrap(), "{}\n", "x".repeat((1 << 20) + 1)).unwrap();
    assert!(server.answer().unwrap()["error"].as_str().unwrap().contains("longer than 1 MiB"));
    // It goes on.
    server.send(&json!({"id": "a", "variant": "markane:3x3"}));
    assert_eq!(server.end().len(), 1);
}

#[test]
fn a_closed_output_ends_it() {
    let mut server = Server::new(&["markane:6x6", "--jobs", "1"]);
    server.send(&json!({"id": "long", "nodes": ENDLESS}));
    let Server { mut program, input, output } = server;
    drop(output);
    assert!(program.wait().unwrap().success());
    drop(input);
}
