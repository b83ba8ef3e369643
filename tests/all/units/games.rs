//! The features of the evaluations, and the levels of the catalogue.

use pentalith::board::{Bitboard, Board64, Board128, Cell, Pext, Shape, Zobrist};
use pentalith::games::inversion::evaluation::hexes::board_hexes;
use pentalith::games::{self, GAMES};

/// The cells of a hex are read alike with and without an instruction for it.
fn hexes_are_read_alike<B: Bitboard>() {
    let shape = Shape::hexagon(5);
    let hex = |cell| {
        let near = shape.neighbors(cell);
        (near.count() == 6).then(|| B::from_cells(shape.neighbors(cell).chain([cell])))
    };
    let hexes: Vec<Option<B>> = shape.cells().map(hex).collect();
    let hexes = board_hexes(&shape, &hexes);
    for seed in 0..50 {
        let bits = Zobrist::state_key(seed).0;
        let held = |cell: &Cell| bits >> cell.index() & 1 == 1;
        let set = B::from_cells(shape.cells().filter(held));
        for hex in &hexes {
            let cells = hex.cells.cells().zip(0..);
            let expected: usize = cells.map(|(cell, place)| usize::from(set.has(cell)) << place).sum();
            for pext in [None, Pext::detect()] {
                assert_eq!(hex.bits(set, pext), expected, "{pext:?}");
            }
        }
    }
}

#[test]
fn hexes_are_read_alike_everywhere() {
    hexes_are_read_alike::<Board64>();
    hexes_are_read_alike::<Board128>();
}

/// Returns the names of the features of all dice with Black to move, each with the color of its die in front.
fn die_features(board: &str) -> Vec<String> {
    let mut invictus = games::open(&games::parse_variant("invictus").unwrap()).unwrap();
    invictus.set_position(&format!("{board} b 0,0 - 0 41")).unwrap();
    let weights = invictus.weights();
    let all = weights.with_values(vec![1; weights.len()]).write();
    let names: Vec<&str> = all.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let mut features = Vec::new();
    invictus.terms(&mut |feature, _, _| {
        // `own.6.b3`, `enemy.6.2.-l.o.h`, and what is no die.
        let (side, name) = names[feature].split_once('.').unwrap_or_default();
        match side {
            "own" => features.push(format!("b.{name}")),
            "enemy" => features.push(format!("w.{name}")),
            _ => {}
        }
    });
    features.sort_unstable();
    features
}

#[test]
fn features_are_named_after_the_dice() {
    // Black's 4 on h5 sees a lower die and an equal one, an enemy before it, and a 5 behind it.
    let board = "........./........./........./......w3w1w4/.......b4./......b5../........./........./.........";
    let expected = [
        "b.4.b5",
        "b.4.2.le.x.h",
        "b.5.c4",
        "b.5.2.-o.-.-",
        "w.1.b4",
        "w.1.2.--.x.-",
        "w.3.c4",
        "w.3.2.-h.-.-",
        "w.4.a4",
        "w.4.2.#e.-.-",
    ];
    let mut expected = expected.map(str::to_owned);
    expected.sort_unstable();
    assert_eq!(die_features(board), expected);
    // On the own first rank a die may be set, and nothing is behind it.
    assert_eq!(
        die_features("........./........./........./........./........./........./........./........./b2........"),
        ["b.2.1.#-.-.-", "b.2.a1",]
    );
}

#[test]
fn weaker_levels_look_at_fewer_nodes() {
    for info in GAMES {
        assert!(info.levels.is_sorted_by(|stronger, weaker| stronger > weaker), "{}", info.name);
        assert!(info.levels.iter().all(|&nodes| nodes > 0), "{}", info.name);
    }
}
