//! The command `rate`, and the ratings in reports of matches and statistics.

use std::fs;

use serde_json::Value;

use crate::matches::{folder, run, text};

/// Players, variant and results alone, with a comment that looks like a tag.
const PEOPLE: &str = r#"[White "Ann"]
[Black "Bob"]
[Result "0-1"]
[Variant "invector:5x4"]

1. c3d5 {a remark
[White "nobody"]} d5c3 0-1

[White "Bob"]
[Black "Ann"]
[Variant "invector:5x4"]

1. what this program can't read! 1/2-1/2
[White "Ann"]
[Black "Carl"]
[Variant "markane:5x5,pie=on"]
[Result "1-0"]
1. c3 swap 2. d4 1-0

[White "Carl"]
[Black "Ann"]
[Variant "markane:5x5,pie=on"]
[Result "*"]
"#;

#[test]
fn records_of_people_are_rated() {
    let folder = folder("rate-people");
    fs::write(folder.join("people.pgn"), PEOPLE).unwrap();
    let output = run(&folder, "rate people.pgn");
    assert_eq!(text(&output.stderr), "pentalith: \"people.pgn\": 1 unfinished game left out\n");
    insta::assert_snapshot!(text(&output.stdout), @r#"
    3 games, 3 players; Elo, mean 0, prior 1

    player  rating     95 % interval  games   score  above the next  games to show it
    Bob     +131.4  -226.8 to +489.5      2  75.0 %          70.5 %                32
    Ann       +0.0  -311.0 to +311.0      3  50.0 %          64.1 %                33
    Carl    -131.4  -602.9 to +340.1      1   0.0 %               -                 -

    moving first        advantage     95 % interval  games   score
    invector:5x4           +131.4  -309.8 to +572.6      2  75.0 %
    markane:5x5,pie=on     -131.4  -764.5 to +501.8      1   0.0 %
      not swapped         unknown              none      0       -
      swapped              -131.4  -694.7 to +431.9      1   0.0 %

    likelihood that the player of the row is stronger than that of the column
    percent     1     2     3
    1 Bob       -  70.5  74.6
    2 Ann    29.5     -  64.1
    3 Carl   25.4  35.9     -

    expected score of the player of the row against that of the column
    percent     1     2     3
    1 Bob       -  66.0  79.3
    2 Ann    34.0     -  66.0
    3 Carl   20.7  34.0     -
    "#);
    insta::assert_snapshot!(text(&run(&folder, "rate people.pgn --markdown --prior 0").stdout), @r#"
    3 games, 3 players; Elo, mean 0, no prior

    | player | rating | 95 % interval | games | score | above the next | games to show it |
    |---|---:|---:|---:|---:|---:|---:|
    | Bob | +inf | none | 2 | 75.0 % | 100.0 % | none |
    | Ann | -inf | none | 3 | 50.0 % | - | - |
    | Carl | -inf | none | 1 | 0.0 % | - | - |

    | moving first | advantage | 95 % interval | games | score |
    |---|---:|---:|---:|---:|
    | invector:5x4 | +inf | none | 2 | 75.0 % |
    | markane:5x5,pie=on | unknown | none | 1 | 0.0 % |
    |   not swapped | unknown | none | 0 | - |
    |   swapped | unknown | none | 0 | - |

    likelihood that the player of the row is stronger than that of the column

    | percent | 1 | 2 | 3 |
    |---|---:|---:|---:|
    | 1 Bob | - | 100.0 | 100.0 |
    | 2 Ann | 0.0 | - | - |
    | 3 Carl | 0.0 | - | - |

    expected score of the player of the row against that of the column

    | percent | 1 | 2 | 3 |
    |---|---:|---:|---:|
    | 1 Bob | - | - | - |
    | 2 Ann | - | - | - |
    | 3 Carl | - | - | - |

    Note: without a prior these games don't bound the rating of "Bob", "Ann" and "Carl"; a prior above 0 does.
    "#);
    insta::assert_snapshot!(text(&run(&folder, "rate people.pgn --csv --anchor Ann=2000").stdout), @r#"
    player,rating,low,high,games,score,wins,draws,losses,pool
    Bob,2131.3841,1654.2722,2608.4960,2,0.750000,1,1,0,1
    Ann,2000.0000,2000.0000,2000.0000,3,0.500000,1,1,1,1
    Carl,1868.6159,1154.6560,2582.5758,1,0.000000,0,0,1,1
    "#);
}

#[test]
fn the_seat_is_rated_and_not_the_color() {
    // Carl moved first and lost; the swap gave Ann his stones and left him the first mover.
    let folder = folder("rate-seat");
    fs::write(folder.join("people.pgn"), PEOPLE).unwrap();
    // AbstractPlay lists the players by their seats at the end: here Carl has moved first, too.
    let game = r#"{"header": {"game": {"name": "Markane"}, "players": [{"name": "Ann", "result": 1},
        {"name": "Carl", "result": 0}], "pied": true}, "moves": []}"#;
    fs::write(folder.join("site.json"), game).unwrap();
    let output = run(&folder, "rate people.pgn site.json --json");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |variant: &str| {
        let list = json["first_mover"].as_array().unwrap();
        list.iter().find(|of| of["variant"] == variant).unwrap().clone()
    };
    for variant in ["markane:5x5,pie=on", "markane:8x8"] {
        let of = of(variant);
        assert!(of["elo"].as_f64().unwrap() < 0.0 && of["score"] == 0.0, "{of}");
        assert_eq!((&of["swapped"]["games"], &of["not_swapped"]["games"]), (&1.into(), &0.into()));
    }
    let bob = json["players"].as_array().unwrap().iter().find(|player| player["name"] == "Bob").unwrap();
    assert_eq!((&bob["games"], &bob["score"]), (&2.into(), &0.75.into()));
}

#[test]
fn what_is_no_record_is_named_with_its_line() {
    let folder = folder("rate-bad");
    for (content, expected) in [
        ("hello\n", "bad, line 1, column 1: expected a tag"),
        (
            "\n[White \"a\"]\n[Result \"1-0\"]\n",
            "line 2, column 1: expected the tag Variant in the game that begins here",
        ),
        ("[White \"a\"]\n[Black \"b\"]\n[Variant \"invector\"]\n[Result \"2-0\"]\n", "found \"2-0\""),
        ("[White \"a\"]\n[Black \"b\"]\n[Variant \"chess\"]\n[Result \"1-0\"]\n", "found \"chess\""),
        ("[White \"a\"]\n[Black \"b\"\n[Result \"1-0\"]\n", "line 2, column 11: expected ], found the end of the line"),
        ("{\"variant\": \"invector\"}\n", "line 1, column 1: expected the field \"result\""),
        ("{\n\"variant\": 1 2}\n", "line 2, column 14"),
    ] {
        fs::write(folder.join("bad"), content).unwrap();
        let output = run(&folder, "rate bad");
        assert_eq!(output.status.code(), Some(2), "{content}");
        let told = text(&output.stderr);
        assert!(told.contains(expected), "{content}: {told}");
    }
    fs::write(folder.join("bad"), "").unwrap();
    let output = run(&folder, "rate bad");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), "pentalith: bad has no game\n"));
}

#[test]
fn a_match_of_three_is_rated_by_all_commands_alike() {
    let folder = folder("rate-match");
    let played = run(
        &folder,
        "match markane:4x4 --engine a=best --engine b=best --engine c=uct --nodes 20 --nodes b:5 --games 4 --record \
         games.pgn --json games.json --quiet",
    );
    let report = text(&played.stdout);
    assert!(report.contains("\nratings: 12 games, 3 players; Elo, mean 0, prior 1\n"), "{report}");
    let rated = text(&run(&folder, "rate games.pgn").stdout);
    let (players, _) = rated.split_once("\npercent ").unwrap_or((&rated, ""));
    let (_, table) = players.split_once("\n\n").unwrap();
    let (table, _) = table.split_once("\nlikelihood").unwrap();
    assert!(report.contains(table), "{report}\n{table}");
    // Copies count once, in both formats.
    let twice = text(&run(&folder, "rate games.pgn games.json").stdout);
    assert!(twice.contains("note: 12 games given more than once and counted once"), "{twice}");
    let written = run(&folder, "rate games.json --html page.html");
    assert_eq!(written.status.code(), Some(0));
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("<h1>Ratings</h1>") && page.contains("likelihood"), "{page}");
    run(&folder, "stats games.pgn --html stats.html");
    assert!(fs::read_to_string(folder.join("stats.html")).unwrap().contains("\">Ratings</h2>"));
    let refused = run(&folder, "rate games.pgn --html games.pgn");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_comment_without_an_end_hides_no_game() {
    let folder = folder("rate-open-comment");
    let tags = "[White \"Ann\"]\n[Black \"Bob\"]\n[Variant \"invector:5x4\"]\n[Result \"1-0\"]\n\n";
    fs::write(folder.join("open.pgn"), format!("{{a title}}\n{tags}1. c3d5 {{a remark\n\n{tags}1. (what\n\n{tags}"))
        .unwrap();
    let output = run(&folder, "rate open.pgn");
    let rated = text(&output.stdout);
    assert!(rated.starts_with("3 games, 2 players"), "{rated}{}", text(&output.stderr));
}
