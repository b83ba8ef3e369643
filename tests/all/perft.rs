//! Perft tables: counts worked out by a slow program that shares nothing with this one.

use std::fs;
use std::thread;

use pentalith::games::{self, GAMES};
use pentalith::rules::perft::Perft;

use crate::reference;

/// The most sequences that are counted in more than one way.
const COUNTED_AGAIN: u64 = 1_000_000;

/// The most sequences, times pits squared, that the slow rules count again.
const SLOW: u64 = 1_000_000;

struct Row {
    variant: String,
    position: Option<String>,
    counts: Vec<u64>,
}

fn rows(file: &str) -> Vec<Row> {
    let path = format!("{}/tests/perft/{file}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            Row {
                variant: columns[0].to_owned(),
                position: (columns[1] != "start").then(|| columns[1].to_owned()),
                counts: columns[2].split(' ').map(|n| n.parse().unwrap()).collect(),
            }
        })
        .collect()
}

/// Counts again in every way.
fn count(row: &Row) {
    let Row { variant, position, counts } = row;
    let mut board = games::open(&games::parse_variant(variant).unwrap()).unwrap();
    if let Some(text) = position {
        board.set_position(text).unwrap();
    }
    for (depth, &expected) in (1..).zip(counts) {
        let counted = Perft::default().count(&*board, depth, &|| false);
        assert_eq!(counted, Some(expected), "{variant} {position:?} depth {depth}");
        if expected > COUNTED_AGAIN {
            continue;
        }
        // The same with every leaf played, with threads, and with a table that is too small to keep everything.
        for perft in
            [Perft { every_leaf: true, ..Perft::default() }, Perft { threads: 2, memory: 1 << 12, ..Perft::default() }]
        {
            let counted = perft.count(&*board, depth, &|| false);
            assert_eq!(counted, Some(expected), "{variant} {position:?} {perft:?}");
        }
    }
}

fn check(game: &str) {
    let rows = rows(game);
    assert!(rows.len() >= 20);
    for row in rows {
        let variant = games::parse_variant(&row.variant).unwrap();
        assert_eq!(variant.to_string(), row.variant, "tables hold canonical variants");
        count(&row);
        let pits = variant.size().shape().len() as u64;
        let slow = reference::open(&row.variant, row.position.as_deref());
        for (depth, &expected) in (1..).zip(&row.counts) {
            if expected * pits * pits <= SLOW {
                assert_eq!(reference::perft(slow.as_ref(), depth), expected);
            }
        }
    }
}

#[test]
fn tables_are_right() {
    thread::scope(|scope| {
        for info in GAMES {
            scope.spawn(|| check(info.name));
        }
    });
}
