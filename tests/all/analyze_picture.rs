//! `pentalith analyze --svg`: what the picture shows, that it repeats, and what is refused.

use std::fs;
use std::path::Path;

use roxmltree::Document;
use serde_json::Value;

use crate::analyze::{BEFORE_THREE_STEPS, analyze, failure};

/// Calls with `--svg`. Returns what stands on standard output, and the picture, which any picture must fit.
fn picture(arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a picture.svg");
    let svg = ["--svg", file.to_str().unwrap()];
    let said = analyze(arguments[0], &[&arguments[1..], &svg].concat());
    let picture = fs::read_to_string(&file).unwrap();
    assert!(picture.len() < 30_000, "{arguments:?}: {}", picture.len());
    assert!(!picture.contains("NaN"), "{arguments:?}");
    Document::parse(&picture).unwrap();
    (said, picture)
}

/// The texts in a picture that stand on cells or below the board, without the coordinates.
fn words(picture: &str) -> String {
    let picture = Document::parse(picture).unwrap();
    let texts = picture.descendants().filter(|node| node.has_tag_name("text"));
    let texts = texts.filter_map(|node| node.text());
    let is_coordinate = |text: &&str| {
        text.chars().all(|c| c.is_ascii_lowercase()) && text.len() == 1
            || text.parse::<u32>().is_ok_and(|number| number < 10)
    };
    let texts: Vec<&str> = texts.filter(|text| !is_coordinate(text)).collect();
    texts.join(" | ")
}

#[test]
fn a_picture_shows_the_moves_of_every_game() {
    let gravel = "...../.b1b1../b2w1w1b1./.w1w1w1./..... b - 0,0 5 6";
    let dice = "........./..w4..b5.../.w2.....w6./.....w1.../...w3b4..../..b3...w2../.......b1./b6......../......... b 9,12 - 0 41";
    let calls: [&[&str]; 8] = [
        &["invector:5x4", "--moves", "c3c4", "--nodes", "2000"],
        &["invector", "--nodes", "2000", "--lines", "8"],
        &["gravel:5", "--position", gravel, "--nodes", "3000"],
        &["markane:6x6", "--moves", "c3 e5", "--nodes", "2000"],
        &["markane:4x4", "--moves", BEFORE_THREE_STEPS, "--nodes", "5000"],
        &["inversion:3", "--position", "ww./bw.w/wbbww/w.bw/.b. w - 15", "--nodes", "2000"],
        &["invictus", "--position", dice, "--moves", "c4d5", "--nodes", "2000"],
        &["invictus", "--nodes", "500", "--lines", "500"],
    ];
    let shown = calls.map(|call| {
        let (said, svg) = picture(call);
        assert_eq!((said, svg.clone()), picture(call), "{call:?}");
        words(&svg)
    });
    insta::assert_snapshot!(shown.join("\n"), @"
    33 | 33 | White to move, turn 2 | stones: Black 10, White 9 | White scores 66.0 % with swap
    38 | 38 | 38 | 34 | 34 | 34 | 34 | 34 | Black to move, turn 1 | stones: Black 28, White 28 | Black scores 38.0 % with a5b5
    ≤92 | ≤92 | ≤92 | 90 | 92 | Black to move, turn 6 | White: 8 in the Pool, 0 lost | Black: 8 in the Pool, 0 lost | not shown: 1: xb3, 3: b3 | Black scores 91.6 % with xb3,xc3,b3,d3b3
    47 | 36 | 36 | 36 | 33 | Black to move, turn 3 | stones: Black 1, White 1 | owed: 1 placement | Black scores 46.6 % with f6
    100 | 100 | 100 | 100 | Black to move, turn 9 | stones: Black 4, White 4 | owed: 1 placement | Black scores 100.0 % with d1,d3,c2,c4, | win in 1
    ≤0 | ≤0 | White to move, turn 15 | stones: White 9, Black 5 | White scores 0.0 % with c1, loss in 3
    62 | 58 | 58 | 58 | 57 | White to move, turn 42 | Black: 14 points, 9 off the board | White: 14 points, 12 off the board | White has to set again: 2 | White scores 61.7 % with 2@h6,g4h3
    53 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | Black to move, turn 1 | Black: 0 points, 0 off the board | White: 0 points, 0 off the board | Black has to set up: 6 | Black scores 52.5 % with | 6@c3,6@j2,6@j3,5@d3,…
    ");
}

#[test]
fn a_picture_of_many_lines_stays_a_small_file() {
    let board = "b1w1".repeat(12) + "b1/" + &"w1b1".repeat(12) + "w1/";
    let full = board.repeat(12) + &".".repeat(25) + " w - 0,0 0 901";
    let calls: [&[&str]; 3] = [
        &["invector:25x24", "--nodes", "1000", "--lines", "500"],
        &["gravel:25,x=4", "--position", &full, "--nodes", "1000", "--lines", "500"],
        &["markane:25x25", "--nodes", "2000", "--lines", "500", "--letters", "strokes"],
    ];
    for call in calls {
        // The size is checked where the picture is read.
        let (_, svg) = picture(call);
        let document = Document::parse(&svg).unwrap();
        let marked = document.descendants().filter(|node| {
            let class = node.parent().and_then(|group| group.attribute("class"));
            class == Some("heat") && node.has_tag_name("polygon")
        });
        let marked = marked.count();
        assert!((1..=40).contains(&marked), "{call:?}: {marked}");
    }
}

#[test]
fn the_best_move_stands_out() {
    let (said, svg) = picture(&["markane:6x6", "--moves", "c3 e5", "--nodes", "2000"]);
    let table = analyze("markane:6x6", &["--moves", "c3 e5", "--nodes", "2000"]);
    assert_eq!(said, table);
    let document = Document::parse(&svg).unwrap();
    let opacities = |class: &str, name: &str| -> Vec<f64> {
        let groups = document.descendants();
        let groups = groups.filter(|node| node.attribute("class") == Some(class));
        // Equally strong marks are in one group.
        let marks = groups.flat_map(|group| {
            let opacity: f64 = group.attribute(name).unwrap().parse().unwrap();
            let marks = group.children().filter(|node| node.is_element());
            marks.map(move |_| opacity)
        });
        marks.collect()
    };
    let shades = opacities("heat", "fill-opacity");
    assert_eq!(shades.len(), 5);
    assert_eq!(shades[0], 0.5);
    assert!(shades[1..].iter().all(|&shade| shade < 0.31), "{shades:?}");
    let rings = opacities("circles", "stroke-opacity");
    assert_eq!((rings.len(), rings[4]), (5, 0.99));
    assert!(rings[..4].iter().all(|&ring| ring < 0.8), "{rings:?}");
    // The last move has its frame, and screen readers hear the values.
    assert_eq!(svg.matches("class=\"last\"").count(), 1);
    let desc = document.descendants().find(|node| node.has_tag_name("desc"));
    let desc = desc.unwrap().text().unwrap();
    assert!(desc.contains("Proposed: "), "{desc}");
}

#[test]
fn a_picture_goes_with_json_and_with_a_finished_game() {
    let over = format!("{BEFORE_THREE_STEPS} d1,d3,c4");
    let (said, svg) = picture(&["markane:4x4", "--moves", &over, "--json"]);
    assert_eq!(said.lines().count(), 1);
    assert!(svg.contains("Black wins: annihilation"));
    assert!(!svg.contains("class=\"heat\"") && !svg.contains("Proposed"));
    let (said, svg) = picture(&["markane:3x3", "--nodes", "300", "--json"]);
    let object: Value = serde_json::from_str(&said).unwrap();
    let best = object["lines"][0]["move"].as_str().unwrap();
    assert!(svg.contains(&format!(" with {best}</text>")), "{svg}");
    // A step without a cell stands below the board.
    let one = ["invector:5x4", "--position", "...../...../b..../..... b 41"];
    let (_, svg) = picture(&[&one[..], &["--nodes", "50"]].concat());
    assert!(svg.contains("Black wins"), "{svg}");
    let swap = ["markane:4x4,pie=on", "--moves", "c3", "--nodes", "3000"];
    let (_, svg) = picture(&[&swap[..], &["--lines", "99"]].concat());
    assert!(svg.contains(" with swap"), "{svg}");
}

#[test]
fn a_picture_has_the_look_that_is_asked_for() {
    let call = ["markane:3x3", "--nodes", "100", "--theme", "dark"];
    let more = ["--size", "240", "--letters", "strokes", "--coordinates", "off"];
    let (_, svg) = picture(&[&call[..], &more].concat());
    assert!(svg.contains("\"240\"") && svg.contains("#16181c") && !svg.contains("<text"));
}

#[test]
fn a_picture_that_cannot_be_written_is_refused_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.svg");
    let (folder, file) = (folder.path().to_str().unwrap(), file.to_str().unwrap());
    let long = ["markane", "--movetime", "600000"];
    let with = |more: &[&str]| {
        let error = failure(&[&long[..], more].concat());
        error.replace(folder, "DIR")
    };
    let said = [
        with(&["--svg", "picture.png"]),
        with(&["--svg", "no/such/folder/picture.svg"]),
        with(&["--svg", file, "--log", file]),
        with(&["--theme", "dark"]),
    ];
    assert!(!Path::new(file).exists());
    insta::assert_snapshot!(said.join("\n"), @r#"
    2: pentalith: --svg "picture.png": expected FILE.svg
    2: pentalith: can't write to no/such/folder/picture.svg: no such folder: no/such/folder
    2: pentalith: --log DIR/log.svg is also read or written by this command as DIR/log.svg: expected another file
    2: pentalith: --coordinates, --size, --theme and --letters need --svg FILE.svg
    "#);
}
