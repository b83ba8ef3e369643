//! Output of `--json`, validated against the schemas in `docs/schemas/`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Collects what is wrong with a value. Knows as much of JSON Schema as the schemas use, and refuses the rest.
pub fn validate(schema: &Value, value: &Value, place: &str, wrong: &mut Vec<String>) {
    let schema = schema.as_object().unwrap();
    for (key, rule) in schema {
        match key.as_str() {
            "$schema" | "title" | "description" => {}
            "type" => {
                let types: Vec<&str> = match rule {
                    Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
                    one => vec![one.as_str().unwrap()],
                };
                let is_a = |name: &&str| match *name {
                    "string" => value.is_string(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "number" => value.is_number(),
                    "boolean" => value.is_boolean(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                };
                if !types.iter().any(is_a) {
                    wrong.push(format!("{place}: {value} is no {types:?}"));
                }
            }
            "enum" => {
                if !rule.as_array().unwrap().contains(value) {
                    wrong.push(format!("{place}: {value} is not one of {rule}"));
                }
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(rule, item, &format!("{place}[{number}]"), wrong);
                }
            }
            "required" => {
                let Some(object) = value.as_object() else { continue };
                let names = rule.as_array().unwrap().iter().filter_map(Value::as_str);
                wrong
                    .extend(names.filter(|name| !object.contains_key(*name)).map(|name| format!("{place}: no {name}")));
            }
            "properties" => {
                for (name, inner) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(rule) => validate(rule, inner, &format!("{place}.{name}"), wrong),
                        None if schema.get("additionalProperties") == Some(&Value::Bool(true)) => {}
                        None => wrong.push(format!("{place}: {name} is not in the schema")),
                    }
                }
            }
            "additionalProperties" => assert!(rule.is_boolean()),
            "minItems" => {
                if value.as_array().is_some_and(|items| (items.len() as u64) < rule.as_u64().unwrap()) {
                    wrong.push(format!("{place}: fewer than {rule}"));
                }
            }
            "uniqueItems" => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                if items.iter().enumerate().any(|(number, item)| items[..number].contains(item)) {
                    wrong.push(format!("{place}: equal items"));
                }
            }
            "oneOf" => {
                let fits = |schema: &&Value| {
                    let mut wrong = Vec::new();
                    validate(schema, value, place, &mut wrong);
                    wrong.is_empty()
                };
                if rule.as_array().unwrap().iter().filter(fits).count() != 1 {
                    wrong.push(format!("{place}: {value} fits not one of {rule}"));
                }
            }
            "format" => {
                let shape = |c: char| if c.is_ascii_digit() { '0' } else { c };
                let text: String = value.as_str().unwrap_or_default().chars().map(shape).collect();
                let is_time = rule == "date-time" && text.starts_with("0000-00-00T00:00:00") && text.ends_with('Z');
                if !is_time {
                    wrong.push(format!("{place}: {value} is no {rule}"));
                }
            }
            other => panic!("{other} in a schema"),
        }
    }
}

fn schema(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let text = fs::read_to_string(folder.join(format!("{name}.schema.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Asserts that a text is JSON as a schema says. Returns the value.
pub fn valid_text(name: &str, text: &str) -> Value {
    let value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"));
    let mut wrong = Vec::new();
    validate(&schema(name), &value, name, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new(), "{value:#}");
    value
}

/// Runs the program and validates its output. Returns it.
fn valid(name: &str, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_pentalith")).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    valid_text(name, &text)
}

/// Command lines and the schemas of what they print. `games.pgn` is a record of three engines.
const COMMANDS: [(&str, &str); 18] = [
    ("analyze", "analyze markane:3x3 --nodes 300 --json"),
    ("analyze", "analyze markane:3x3 --nodes 300 --json --reproducible"),
    ("analyze", "analyze markane:2x1 --moves startpos/moves/a1/b1 --json"),
    ("balance-compare", "balance compare inversion:2 order=mover,single --strength 0 --games 40 --json"),
    ("balance-compare", "balance compare markane:3x3 pie=on,off --strength 0 --games 40 --format json"),
    ("balance-komi", "balance komi inversion:2 --strength 0 --games 40 --json"),
    ("balance-swap", "balance swap markane:3x3 --strength 0 --games 40 --json"),
    ("ladder", "ladder markane:3x3 --max-nodes 4 --games 8 --json"),
    ("openings", "openings markane:3x3 --count 2 --json"),
    ("openings", "openings markane:3x3 --data games.pgn --balance 0.5 --json"),
    ("rate", "rate games.pgn --json"),
    ("replay", "replay games.pgn --json"),
    ("replay", "replay wrong.pgn --json"),
    ("review", "review games.pgn --game 1 --nodes 60 --json"),
    ("solve", "solve markane:2x2 --each-move --json"),
    ("solve", "solve invector:3x2 --goal all --json"),
    ("stats", "stats games.pgn --json"),
    ("stats", "stats pairs.pgn --sprt 0,50 --json"),
];

#[test]
fn json_of_games_is_as_its_schema_says() {
    let folder = crate::matches::folder("schemas");
    let run = |line: &str| {
        let output = crate::matches::run(&folder, line);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        text
    };
    let limits = "--nodes 20 --seed 3";
    run(&format!(
        "match markane:3x3 --engine a=uct --engine b=pvs --engine c=puct {limits} --games 12 --record games.pgn"
    ));
    run(&format!(
        "match markane:3x3 --engine a=uct --engine b=pvs {limits} --games 8 --record pairs.pgn --json r.json"
    ));
    fs::write(
        folder.join("wrong.pgn"),
        "[Variant \"markane:2x1\"]\n[Result \"0-1\"]\n\n1. a1 b1 0-1\n\n[Variant \"chess\"]\n\n1. e4 *\n",
    )
    .unwrap();
    for (name, line) in COMMANDS {
        let words = line
            .split(' ')
            .map(|word| if word.contains('/') { format!("'{}'", word.replace('/', " ")) } else { word.to_owned() });
        valid_text(name, &run(&words.collect::<Vec<_>>().join(" ")));
    }
    for line in fs::read_to_string(folder.join("r.json")).unwrap().lines() {
        valid_text("record", line);
    }
    let study = "study markane:3x3 --strength 0:20 --no-balance --quiet --out study";
    valid_text("study", &run(&format!("{study} --json")));
    // The same rows, for people.
    let tables = [
        ("stats games.pgn", "variant,engine,opponent,games,", "| engine | opponent | games |"),
        ("rate games.pgn", "player,rating,low,high,games,", "| player | rating |"),
        ("balance komi inversion:2 --strength 0 --games 8", "variant,strength,fair_komi,", "| variant | strength |"),
        ("balance swap markane:3x3 --strength 0 --games 40", "strength,move,score,", "| strength | move |"),
        ("balance compare inversion:2 order=mover,single --strength 0 --games 8", "strength,variant,", "| strength |"),
        ("ladder markane:3x3 --max-nodes 4 --games 8", "variant,rung,nodes,", "| variant | rung |"),
        (study, "strength,games,score,", "| strength | games | score |"),
    ];
    for (line, csv, markdown) in tables {
        let table = run(&format!("{line} --csv"));
        assert!(table.starts_with(csv), "{line}: {table}");
        assert_eq!(run(&format!("{line} --format csv")), table, "{line}");
        let columns = |line: &str| line.matches(',').count();
        assert!(table.lines().count() > 1, "{line}: {table}");
        assert!(table.contains('"') || table.lines().all(|row| columns(row) == columns(csv_head(&table))), "{table}");
        let table = run(&format!("{line} --markdown"));
        assert!(table.contains(markdown), "{line}: {table}");
        assert_eq!(run(&format!("{line} --format markdown")), table, "{line}");
    }
}

fn csv_head(table: &str) -> &str {
    table.lines().next().unwrap()
}

#[test]
fn json_is_as_its_schema_says() {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let perft = valid("perft", &["perft", "markane:3x3", "2", "--json"]);
    assert_eq!((&perft["count"], &perft["steps"][0]["count"]), (&72.into(), &8.into()));
    let games = valid("games", &["games", "--json"]);
    assert_eq!(games.as_array().unwrap().len(), pentalith::games::GAMES.len());
    for command in ["legal", "score", "position"] {
        let value = valid("position", &[command, "markane:3x3", "--moves", "b2 a1", "--json"]);
        assert_eq!((&value["over"], &value["side"]), (&false.into(), &"black".into()));
    }
    let over = valid("position", &["legal", "markane:2x1", "--moves", "a1 b1", "--json"]);
    assert_eq!((&over["over"], &over["legal"]), (&true.into(), &Value::Array(Vec::new())));
    for engine in [&["sh", "-c", "exit 3"][..], &[program, "ugi", "markane:2x1"]] {
        valid("check", &[&["check", "--only", "answered", "--json", "--"], engine].concat());
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("same", "> protocol_version\n< = 2\n"),
        ("different", "> name\n< = x\n> legal\n< = [legal]\n"),
        ("broken", "x\n"),
        ("ended", "# protocol: gtp\n> quit\n< =\n> name\n"),
    ] {
        fs::write(folder.path().join(format!("{name}.transcript")), text).unwrap();
    }
    let game = folder.path().join("game.pgn");
    fs::write(&game, "markane:6x6\n1. c3 d6 2. a2\n").unwrap();
    let review = valid("review", &["review", game.to_str().unwrap(), "--nodes", "100", "--json"]);
    assert_eq!(review[0]["moves"].as_array().unwrap().len(), 3);
    fs::remove_file(game).unwrap();
    let proof = folder.path().join("proof.txt");
    valid("solve", &["solve", "inversion:2", "--json", "--goal", "score", "--proof", proof.to_str().unwrap()]);
    for (file, status) in [(&proof, 0), (&folder.path().join("same.transcript"), 1)] {
        let output = Command::new(env!("CARGO_BIN_EXE_pentalith-verify")).arg("--json").arg(file).output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        valid_text("verify", &String::from_utf8(output.stdout).unwrap());
    }
    fs::remove_file(proof).unwrap();
    let folder = folder.path().to_str().unwrap();
    let run =
        valid("transcript", &["transcript", "run", folder, "--format", "json", "--", program, "gtp", "markane:2x1"]);
    assert_eq!((&run["same"], &run["different"], &run["failed"]), (&1.into(), &1.into(), &2.into()));
}

#[test]
fn every_schema_is_tested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_by_key(|name| name.replace(".schema.json", ""));
    let others = [
        "analyze-answer",
        "analyze-query",
        "check",
        "games",
        "perft",
        "position",
        "record",
        "study",
        "transcript",
        "verify",
    ];
    let mut known: Vec<String> = COMMANDS.iter().map(|(name, _)| *name).chain(others).map(str::to_owned).collect();
    known.sort();
    known.dedup();
    let names: Vec<&str> = names.iter().map(|name| name.strip_suffix(".schema.json").unwrap()).collect();
    assert_eq!(names, known);
}

#[test]
fn questions_about_a_position_have_one_answer_a_line() {
    let run = |arguments: &[&str]| crate::transcripts::run(arguments, b"");
    assert_eq!(run(&["legal", "markane:2x1", "--moves", "a1"]), "b1\n");
    assert_eq!(run(&["legal", "markane:2x1", "--moves", "a1 b1"]), "");
    assert_eq!(run(&["score", "markane:2x1", "--moves", "a1 b1"]), "w+ reason=stalemate b=1 w=1\n");
    assert_eq!(run(&["position", "markane:3x3", "--moves", "b2"]), ".../.b./... w 1 2\n");
    assert_eq!(
        run(&["position", "markane:3x3", "--position", ".../.b./... w 1 2", "--moves", "a1"]),
        ".../.b./w.. b 1 3\n"
    );
}

#[test]
fn other_protocols_of_that_kind_are_told_which_one_this_is() {
    let said = crate::transcripts::run(&[], b"uci\nquit\n");
    assert_eq!(said, "info string \"uci\" is another protocol: expected ugi\n");
}
