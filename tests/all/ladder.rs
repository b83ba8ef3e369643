//! The ladder: its rungs, its levels, and its games in a file.

use pentalith::games;
use pentalith::intervals::Estimate;
use pentalith::record::read_finished;
use pentalith::rules::Color;
use pentalith::study::ladder::{Ladder, LadderEnd, Level, Rung, TestedLevel};
use serde_json::Value;

use crate::balance::{LADDER, LADDER_QUESTION, interval, program, refusal};

#[test]
fn rungs_score_three_in_five() {
    let rungs: Vec<Value> = serde_json::from_slice(&LADDER).unwrap();
    assert!(rungs.len() >= 3, "{rungs:?}");
    assert_eq!(rungs[0]["searched"], 0.0);
    assert!(rungs[0]["score"].is_null());
    for (number, rung) in rungs.iter().enumerate() {
        assert_eq!(rung["rung"], number);
        assert!(rung["nodes"].as_u64().unwrap() <= 64);
        if number > 0 {
            let [low, value, high] = interval(&rung["score"]);
            assert!(low < value && value < high, "{rung}");
            // Games that contradict the rung would not confirm it.
            assert!(low <= 0.63 && high >= 0.57, "{rung}");
            assert!((1..=4).contains(&rung["tries"].as_u64().unwrap()), "{rung}");
        }
    }
    let heights = rungs.iter().map(|rung| (rung["nodes"].as_u64(), rung["searched"].as_f64()));
    let heights: Vec<_> = heights.collect();
    assert!(heights.is_sorted(), "{heights:?}");
}

/// A rung is confirmed once: its score is that of the last games with its level, which did not choose it.
#[test]
fn scores_of_rungs_are_those_of_games_that_did_not_choose_them() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("ladder.txt");
    let output = program(&format!("{LADDER_QUESTION} --record {}", record.display()));
    let rungs: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut games = read_finished(&[record]).unwrap().remove(0).games;
    games.sort_by_key(|game| game.pair);
    let level = |rung: &Value| {
        let (searched, nodes) = (rung["searched"].as_f64().unwrap(), rung["nodes"].as_u64().unwrap());
        format!("{} (", Level { searched, nodes })
    };
    for pair in rungs.windows(2) {
        let [below, rung] = [0, 1].map(|place| level(&pair[place]));
        let scores = games.iter().filter_map(|game| {
            let (black, white) = (&game.black.name, &game.white.name);
            if black.starts_with(&rung) && white.starts_with(&below) {
                Some(game.half_points(Color::Black))
            } else if black.starts_with(&below) && white.starts_with(&rung) {
                Some(game.half_points(Color::White))
            } else {
                None
            }
        });
        let scores: Vec<usize> = scores.collect();
        let count = pair[1]["games"].as_u64().unwrap() as usize;
        let last: usize = scores[scores.len() - count..].iter().sum();
        let [_, value, _] = interval(&pair[1]["score"]);
        assert!((value - last as f64 / (2 * count) as f64).abs() < 1e-4, "{rung}: {last} of {}", 2 * count);
    }
}

#[test]
fn levels_lie_between_rungs() {
    let rung = |searched: f64, nodes: u64, score: f64| Rung {
        level: Level { searched, nodes },
        score: Some(Estimate { value: score, low: score, high: score }),
        games: 100,
        tries: 1,
    };
    // Each rung with twice the nodes, and half the strength of a level.
    let half = 3_f64.sqrt() / (1.0 + 3_f64.sqrt());
    let mut rungs = vec![rung(0.5, 8, half)];
    rungs.extend((3..9).map(|power| rung(1.0, 1 << power, half)));
    let ladder = Ladder {
        variant: games::parse_variant("inversion:3").unwrap(),
        rungs,
        games: 0,
        end: LadderEnd::Top,
        tested: Vec::new(),
    };
    assert_eq!(ladder.levels(), [256, 64, 16]);
}

#[test]
fn a_ladder_keeps_its_games_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("ladder.txt");
    let kept = format!("{LADDER_QUESTION} --record {}", record.display());
    // Stopped before a rung is complete, it says so, and the rungs until then are those of the whole ladder.
    let part = program(&format!("{kept} --max-games 200"));
    assert!(part.status.success());
    let said = String::from_utf8_lossy(&part.stderr).into_owned();
    assert!(said.contains("stopped at --max-games 200"), "{said}");
    let rungs = |json: &[u8]| serde_json::from_slice::<Vec<Value>>(json).unwrap();
    let (first, all) = (rungs(&part.stdout), rungs(&LADDER));
    assert!(!first.is_empty() && first.len() < all.len());
    assert_eq!(first, all[..first.len()]);
    let games = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("[Pair ").count();
    let played = games(&std::fs::read(&record).unwrap());
    assert!((100..=200).contains(&played), "{played}");
    // The rest is added. A second time nothing is.
    assert_eq!(program(&kept).stdout, *LADDER);
    let whole = std::fs::read(&record).unwrap();
    assert!(games(&whole) > played);
    assert_eq!(program(&kept).stdout, *LADDER);
    assert_eq!(std::fs::read(&record).unwrap(), whole);
    // What a kill cut off is played again, to the same bytes.
    std::fs::write(&record, &whole[..whole.len() - whole.len() / 9]).unwrap();
    assert_eq!(program(&kept).stdout, *LADDER);
    assert_eq!(std::fs::read(&record).unwrap(), whole);
    // A ladder of another variant or seed is refused, and so are other games and those of another program.
    let other_program = String::from_utf8(whole.clone()).unwrap();
    let other_program = other_program.replace(concat!("pentalith ", env!("CARGO_PKG_VERSION")), "pentalith 0.0.1");
    for (question, content, expected) in [
        (kept.replace("inversion:3", "inversion:4"), whole.clone(), "not all of the ladder of inversion:4"),
        (format!("{kept} --seed 2"), whole.clone(), "with seed 2: take another file"),
        (kept.clone(), other_program.into_bytes(), "the games are another version's"),
        (kept.clone(), b"no games".to_vec(), "ladder.txt, line 1"),
    ] {
        std::fs::write(&record, &content).unwrap();
        let message = refusal(&question);
        assert!(message.contains(expected), "{question}: {message}");
        assert_eq!(std::fs::read(&record).unwrap(), content);
    }
    std::fs::remove_file(&record).unwrap();
    let swap = format!("balance swap inversion:3 --strength 4 --games 20 --record {}", record.display());
    assert!(program(&swap).status.success());
    assert!(refusal(&kept).contains("not all of the ladder"));
}

#[test]
fn a_ladder_says_the_levels_of_strength() {
    let question = "ladder inversion:3,order=single,komi=1 --max-nodes 1024 --games 40 --seed 4";
    let output = String::from_utf8(program(question).stdout).unwrap();
    let levels = output.lines().skip_while(|line| !line.starts_with("level "));
    let levels: Vec<&str> = levels.collect();
    assert!(levels.len() >= 3, "{output}");
    let strong: Vec<&str> = levels[1].split_whitespace().collect();
    let [name, nodes, score, "%", .., games] = strong.as_slice() else {
        panic!("{output}");
    };
    assert_eq!((*name, *games), ("strong", "40"));
    let nodes: u64 = nodes.replace(',', "").parse().unwrap();
    assert!((2..=1024).contains(&nodes), "{output}");
    assert!((40.0..=100.0).contains(&score.parse::<f64>().unwrap()), "{output}");
    assert!(levels[2].starts_with("good "), "{output}");
}

#[test]
fn a_row_of_the_catalogue_has_five_levels() {
    let tested = [65_536, 24_576, 8_192, 3_584, 24].map(|nodes| TestedLevel { nodes, score: None, games: 0 });
    let mut ladder = Ladder {
        variant: games::parse_variant("inversion:3").unwrap(),
        rungs: Vec::new(),
        games: 0,
        end: LadderEnd::Top,
        tested: tested.to_vec(),
    };
    let row = ladder.catalogue_row();
    assert_eq!(row.as_deref(), Some("levels: [65_536, 24_576, 8_192, 3_584, 24],"));
    ladder.tested.pop();
    assert_eq!(ladder.catalogue_row(), None);
}

#[test]
fn a_ladder_stops_when_its_time_is_over() {
    // Without the limit it would take hours.
    let output = program("ladder invictus --max-nodes 262144 --games 1000000 --time 1");
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("stopped after --time 1: 0 rungs"), "{said}");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("0 rungs of 60 % above random play"), "{table}");
}
