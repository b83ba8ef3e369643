//! Engines from a file.

use std::fs;

use super::{PROGRAM, folder, games, run, text};

const ENGINES: &str = r#"
[[engine]]
name = "a"
command = "uct"
nodes = 20

# A script in a folder, which needs a variable.
[[engine]]
name = "b"
command = "./start.sh ugi"
protocol = "ugi"
folder = "bots"
environment = { ENGINE = "PROGRAM" }
options = { Threads = 1, Strength = "best" }
nodes = 10

[[engine]]
name = "c"
command = "pvs"
options = { Threads = 1 }
"#;

#[test]
fn engines_of_a_file_are_chosen_by_their_names() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("engine_file");
    let bots = folder.join("files/bots");
    fs::create_dir_all(&bots).unwrap();
    fs::write(folder.join("files/engines.toml"), ENGINES.replace("PROGRAM", PROGRAM)).unwrap();
    fs::write(bots.join("start.sh"), "#!/bin/sh\ntest -e start.sh && exec \"$ENGINE\" \"$@\"\n").unwrap();
    fs::set_permissions(bots.join("start.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let file = "match markane:2x1 --openings start --quiet --engines files/engines.toml";
    // Two by their names, with their limits; one for all is for those without.
    let output = run(&folder, &format!("{file} --engine b --engine a --nodes 7 --games 2 --record two.pgn"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("b against a"), "{}", text(&output.stdout));
    for game in games(&folder.join("two.pgn")) {
        for (seat, limit) in [(&game.black, "nodes"), (&game.white, "nodes")] {
            assert!(seat.limit.starts_with(limit), "{seat:?}");
            assert_eq!(seat.limit, if seat.name == "a" { "nodes 20" } else { "nodes 10" });
        }
    }
    // All of them, and one that is not in the file.
    let output = run(&folder, &format!("{file} --nodes 5 --games 2 --record all.pgn"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let met: Vec<String> = games(&folder.join("all.pgn")).iter().map(|game| game.black.name.clone()).collect();
    assert_eq!(met.len(), 6);
    let output = run(&folder, &format!("{file} --engine c --engine d=uct --nodes 5 --games 2 --sprt 0,5"));
    assert!(text(&output.stdout).contains("c against d"), "{}", text(&output.stderr));
}

#[test]
fn a_bad_file_of_engines_is_refused() {
    let folder = folder("bad_engine_file");
    let engine = |more: &str| format!("[[engine]]\nname = \"a\"\ncommand = \"uct\"\n{more}\n");
    for (content, more, parts) in [
        (engine(""), "--engine a --engine d", vec!["--engine \"d\"", "the file of engines has a"]),
        (engine(""), "", vec!["needs two engines"]),
        (engine("elo = 5"), "", vec!["engines.toml", "unknown field `elo`"]),
        (engine("nodes = \"x"), "", vec!["engines.toml", "line 4"]),
        (engine("nodes = -3"), "", vec!["engines.toml: engine \"a\": nodes", "a number of nodes"]),
        (engine("nodes = 5\nmovetime = 7"), "", vec!["two limits: movetime 7 and nodes 5"]),
        (engine("folder = \"x\""), "", vec!["uct is built in"]),
        (engine("protocol = \"uci\""), "", vec!["protocol = \"uci\": expected \"gtp\" or \"ugi\""]),
        (engine("tc = \"b:1+1\""), "", vec!["tc", "expected the limit alone"]),
        (String::new(), "", vec!["it has no engines", "[[engine]]"]),
        ("[[engine]]\nname = \"a b\"\ncommand = \"uct\"\n".to_owned(), "", vec!["engine \"a b\""]),
    ] {
        fs::write(folder.join("engines.toml"), &content).unwrap();
        let output = run(&folder, &format!("match markane:2x1 --quiet --engines engines.toml {more}"));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{content}: {errors}");
        for part in parts {
            assert!(errors.contains(part), "{content}: {errors}");
        }
    }
    let output = run(&folder, "match markane:2x1 --engines nowhere.toml");
    assert!(text(&output.stderr).contains("nowhere.toml: No such file"), "{}", text(&output.stderr));
    // Without a file a name alone is no engine.
    let output = run(&folder, "match markane:2x1 --engine a --engine b=uct");
    assert!(text(&output.stderr).contains("as in NAME=uct"), "{}", text(&output.stderr));
}
