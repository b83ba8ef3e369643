//! Random playouts and walks over all steps ask for no memory. Apart from all else, for what counts it makes every large piece of memory slow.

use std::hint::black_box;

use pentalith::games;

#[test]
fn a_playout_allocates_nothing() {
    let variants = [
        "invector",
        "invector:12x11",
        "invector:25x24",
        "gravel",
        "gravel:9",
        "markane",
        "markane:25x25",
        "inversion",
        "inversion:13",
        "invictus",
    ];
    for variant in variants {
        let board = games::open(&games::parse_variant(variant).unwrap()).unwrap();
        let run = || {
            black_box(board.perft(2, false, &|| false));
            let mut left = 3;
            let mut goes_on = || {
                left -= 1;
                left >= 0
            };
            black_box(board.playouts(&mut goes_on));
        };
        assert_eq!(allocation_counter::measure(run).count_total, 0, "{variant}");
    }
}
