//! Files of interrupted reviews, and positions that are set up on the board's page.

use std::sync::atomic::AtomicBool;

use pentalith::record::{ReadOptions, parse_games, read_damaged};
use pentalith::review::{Budget, Evaluations, Settings, review};
use pentalith::web::{SetupRequest, set_up};
use serde_json::Value;

use super::{first_line, open, text, variant};

/// A line with a variant, one with moves, and the file of an interrupted review of that game.
pub fn reviews(data: &[u8]) {
    let text = text(data);
    let (name, rest) = first_line(&text);
    let (moves, file) = first_line(rest);
    let mut evaluations = match Evaluations::read(file.as_bytes()) {
        Ok(evaluations) => evaluations,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(evaluations.len() < file.lines().count());
    let Some(variant) = variant(name.trim_end()) else {
        return;
    };
    let game = format!("[Variant \"{variant}\"]\n\n{moves} *\n");
    let Some(record) = read_damaged(&game, &ReadOptions::default()).games.pop() else {
        return;
    };
    let settings = Settings { budget: Budget::Nodes(1), jobs: 1, hash: 1 };
    // What is not in the file is not searched.
    let stop = AtomicBool::new(true);
    match review(&record, &settings, &mut evaluations, &stop, &mut |_, _| {}) {
        Ok(review) => {
            for made in &review.moves {
                assert!(
                    [made.before, made.after, made.loss].iter().all(|share| (0.0..=1.0).contains(share)),
                    "{made:?}"
                );
                assert!(!made.headline().is_empty() && !made.better().is_empty());
            }
            let read = parse_games(&review.annotated().to_text());
            assert_eq!((read.games.len(), read.error), (1, None));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A position that a page sets up by clicks.
pub fn setups(data: &[u8]) {
    let Ok(request) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let Some(variant) = request["variant"].as_str().and_then(variant) else {
        return;
    };
    let send = |request: &Value| {
        let request: SetupRequest = serde_json::from_value(request.clone()).ok()?;
        match set_up(&request) {
            Ok(setup) => Some(serde_json::to_value(setup).expect("JSON")),
            Err(error) => {
                assert!(!error.is_empty());
                None
            }
        }
    };
    let Some(setup) = send(&request) else {
        return;
    };
    let position = setup["position"].as_str().expect("a position");
    // The page sends it back, and a game begins there unless it is told why not.
    let mut again = request.clone();
    for (name, value) in [("position", setup["position"].clone()), ("cell", Value::Null), ("piece", Value::Null)] {
        again[name] = value;
    }
    assert_eq!(send(&again).as_ref(), Some(&setup));
    let begins = open(&variant).set_position(position).is_ok();
    assert_eq!(setup["error"].is_null(), begins, "{position}");
}
