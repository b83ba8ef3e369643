//! A sixth game: Breakthrough, the template in `docs/`. Everything that works for the five must work for it.

#[path = "../../docs/breakthrough.rs"]
mod breakthrough;

use std::sync::Arc;

use pentalith::board::{Board64, Portable};
use pentalith::protocol::{gtp::Gtp, serve};
use pentalith::rules::perft::Perft;
use pentalith::rules::{Board, Opened, Variant};
use pentalith::search::SystemClock;
use pentalith::session::Session;

use crate::laws;
use breakthrough::{Breakthrough, INFO};

fn open(variant: &str) -> Box<dyn Board> {
    let variant = Variant::parse(variant, &[&INFO]).unwrap();
    Box::new(Opened::new(&variant, Breakthrough::<Board64>::new(&variant), Portable))
}

/// Worked out by a slow program apart from this one.
#[test]
fn its_perft_is_right() {
    let tables: [(&str, &[u64]); 2] =
        [("breakthrough", &[22, 484, 11132, 256036]), ("breakthrough:5x5", &[13, 156, 1924, 23084, 289828])];
    for (variant, counts) in tables {
        let board = open(variant);
        for (depth, &expected) in (1..).zip(counts) {
            let counted = Perft::default().count(&*board, depth, &|| false);
            assert_eq!(counted, Some(expected), "{variant} depth {depth}");
        }
    }
}

#[test]
fn the_laws_hold_for_it() {
    for seed in 0..20 {
        laws::walk(&*open("breakthrough:6x7"), None, None, seed);
    }
}

#[test]
fn it_is_played_over_gtp() {
    let session = Session::on(open("breakthrough:5x5"), Arc::new(SystemClock::default()));
    let input = "set Nodes 200\nvariant\nplay b c2b3\nplay b a1a9\nundo\n".to_owned()
        + &"genmove b\ngenmove w\n".repeat(40)
        + "score\n";
    let mut output = Vec::new();
    serve(Gtp::new(session), std::io::Cursor::new(input.into_bytes()), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("= breakthrough:5x5\n"));
    assert!(output.contains("reason=breakthrough"), "{output}");
}

#[test]
fn the_template_is_short() {
    assert!(include_str!("../../docs/breakthrough.rs").lines().count() <= 180);
}

#[test]
fn its_text_is_explained() {
    let mut board = open("breakthrough:5x5");
    let error = |board: &dyn Board, text: &str| board.read_step(text).unwrap_err().to_string();
    assert_eq!(error(&*board, "b4b3"), "b4b3: b4 is an enemy stone, not a stone of Black's");
    assert_eq!(error(&*board, "b1b2"), "b1b2: b2 holds a stone of Black's own");
    assert_eq!(error(&*board, "b2c4"), "b2c4: a stone goes one rank forward, and captures diagonally only");
    assert!(error(&*board, "pass").starts_with("pass: a player who has a step may not pass; expected a step such as "));
    let errors = board.set_position("..b../...../..w../...../..... b 3").unwrap_err().to_string();
    assert!(errors.ends_with("board (column 1): the side to move has already won"), "{errors}");
    board.set_position("...../..b../.w.w./...../..... b 9").unwrap();
    let step = board.read_step("c4b5").unwrap();
    assert_eq!(board.narrate(step).clause, "the stone on c4 goes to b5");
    board.make(step);
    assert_eq!(board.explain_result(), "Black has reached the other side");
    assert_eq!(board.position(), ".b.../...../.w.w./...../..... w 10");
    assert_eq!(board.planes().unwrap().pieces.map(u128::count_ones), [1, 2]);
}
