//! A match on a screen: lines of games, where it resumes, and the page of its statistics.

use std::fs;
use std::path::Path;

use super::{MATCH, folder, games, run, text};

/// The command line of a match that is not quiet.
fn talking(arguments: &str) -> String {
    format!("{MATCH} {arguments}").replace("--quiet", "")
}

fn errors(folder: &Path, arguments: &str) -> Vec<String> {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    let errors = text(&output.stderr);
    // A slow machine also shows progress.
    let lines = errors.lines().filter(|line| !line.contains(" games  elapsed "));
    lines.map(str::to_owned).collect()
}

#[test]
fn each_game_has_a_line_if_wanted() {
    let folder = folder("verbose");
    let mut lines = errors(&folder, &talking("--games 6 --verbose --record games.pgn"));
    // They end in any order.
    lines.sort();
    let expected = games(&folder.join("games.pgn"));
    let expected = expected.iter().map(|game| {
        format!(
            "game {}: {} (White) vs {} (Black): {}, normal: annihilation, {} moves",
            game.game,
            game.white.name,
            game.black.name,
            game.result,
            game.moves.len()
        )
    });
    assert_eq!(lines, expected.collect::<Vec<_>>());
    assert_eq!(errors(&folder, &talking("--games 6")), Vec::<String>::new());
    let both = run(&folder, &format!("{MATCH} --verbose"));
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}

#[test]
fn a_match_says_where_it_resumes() {
    let folder = folder("resumes");
    let none: [&str; 0] = [];
    assert_eq!(errors(&folder, &talking("--games 4 --record a.pgn")), none);
    assert_eq!(errors(&folder, &talking("--games 6 --record a.pgn")), ["resuming at game 5 of 6"]);
    assert_eq!(
        errors(&folder, &talking("--games 6 --record a.pgn")),
        ["nothing is left to play: 6 of 6 games are recorded"]
    );
    let quiet = format!("{MATCH} --games 8 --record a.pgn");
    assert_eq!(errors(&folder, &quiet), none);
    // A part counts its own games.
    let part = "--games 8 --shard 1/2 --record part.pgn";
    errors(&folder, &talking(part));
    let kept = fs::read_to_string(folder.join("part.pgn")).unwrap();
    let second = kept.match_indices("[Event").nth(1).unwrap().0;
    fs::write(folder.join("part.pgn"), &kept[..second]).unwrap();
    assert_eq!(errors(&folder, &talking(part)), ["resuming at game 2 of 4"]);
    // A decided test has nothing left, however many games are scheduled.
    let test = "match invector:5x4 --engine a=uct --engine b=uct --nodes a:500 --nodes b:5 --games 400 --sprt 0,200 \
                --record sprt.pgn";
    assert_eq!(errors(&folder, test), none);
    let played = games(&folder.join("sprt.pgn")).len();
    assert_eq!(errors(&folder, test), [format!("nothing is left to play: the SPRT was decided by {played} games")]);
}

#[test]
fn statistics_have_a_page() {
    let folder = folder("page");
    run(&folder, &format!("{MATCH} --games 30 --record games.pgn"));
    let report = run(&folder, "stats games.pgn");
    let with_page = run(&folder, "stats games.pgn --html games.html");
    assert_eq!(with_page.status.code(), Some(0), "{with_page:?}");
    assert_eq!(with_page.stdout, report.stdout);
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    // The page has the figures of the report.
    for line in text(&report.stdout).lines().skip(3).take(6) {
        let value = line.get(19..).unwrap();
        assert!(page.contains(value), "{value}");
    }
    assert!(page.contains("<h1>Statistics of invector:5x4</h1>"));
    assert!(!page.contains("log-likelihood"));
    // Again, and the bytes are the same.
    run(&folder, "stats games.pgn --html again.html");
    assert_eq!(fs::read_to_string(folder.join("again.html")).unwrap(), page);

    let tested = run(&folder, "stats games.pgn --html games.html --sprt 0,400");
    let line = text(&tested.stdout);
    let line = line.lines().find(|line| line.contains("SPRT")).unwrap();
    let page = fs::read_to_string(folder.join("games.html")).unwrap();
    assert!(page.contains(line.get(19..).unwrap()), "{line}");
    assert!(page.contains("<figcaption>SPRT of a against b</figcaption>"));

    // An interval that is not symmetric stands alone, and a limit of moves in the head.
    assert!(!text(&report.stdout).contains('±') && !page.contains('±'));
    run(&folder, &format!("{MATCH} --games 4 --max-moves 6 --record cut.pgn"));
    run(&folder, "stats cut.pgn --html cut.html");
    let cut = fs::read_to_string(folder.join("cut.html")).unwrap();
    let (head, _) = cut.split_once("<dl>").unwrap();
    assert!(head.contains("<strong>All 4 games reached the limit of moves (--max-moves)"));

    // A record of a stranger: names are text.
    let record = fs::read_to_string(folder.join("games.pgn")).unwrap();
    let record = record.replace("\"b\"", "\"<script>alert(1)</script>\"");
    fs::write(folder.join("strange.pgn"), record).unwrap();
    let strange = run(&folder, "stats strange.pgn --html strange.html");
    assert_eq!(strange.status.code(), Some(0), "{strange:?}");
    let page = fs::read_to_string(folder.join("strange.html")).unwrap();
    assert!(!page.contains("<script>") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

#[test]
fn a_page_that_cannot_be_made_is_refused() {
    let folder = folder("no-page");
    run(&folder, &format!("{MATCH} --games 2 --record games.pgn"));
    let record = fs::read_to_string(folder.join("games.pgn")).unwrap();
    fs::write(folder.join("empty.pgn"), "").unwrap();
    fs::create_dir(folder.join("directory")).unwrap();
    for (arguments, status, why) in [
        ("stats games.pgn --html games.pgn", 2, "--html \"games.pgn\" is one of the records: expected another file"),
        ("stats empty.pgn games.pgn --html ./games.pgn", 2, "is one of the records"),
        ("stats empty.pgn --html page.html", 2, "--html: there are no games to show: expected records with games"),
        ("stats games.pgn --html nowhere/page.html", 2, "can't write to nowhere/page.html: no such folder: nowhere"),
        ("stats games.pgn --html directory", 2, "the page must be a plain file, not a folder"),
        ("stats nowhere.pgn --html page.html", 2, "nowhere.pgn: "),
        ("stats games.pgn --html page.html --log page.html", 2, "page.html"),
    ] {
        let output = run(&folder, arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{arguments}: {errors}");
        assert!(errors.contains(why), "{arguments}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(!folder.join("page.html").exists(), "{arguments}");
    }
    let after = fs::read_to_string(folder.join("games.pgn")).unwrap();
    assert_eq!(after, record);
}
