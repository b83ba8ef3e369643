//! Bitboards, grids, shapes and hash keys.

use std::collections::HashSet;

use pentalith::board::{
    Bitboard, Board64, Board128, BoardWide, Cell, Direction, Grid, Instructions, Key, MAX_DIMENSION, MAX_SIDE, Native,
    Portable, Shape, Zobrist, column_letter, column_of_letter, select_portable,
};

fn shifts_follow_the_shape<B: Bitboard>(columns: u8, ranks: u8) {
    let shape = Shape::rectangle(columns, ranks);
    let grid = Grid::<B>::new(&shape);
    for cell in shape.cells() {
        for direction in Direction::ALL {
            let (dx, dy) = direction.offset();
            let expected = B::from_cells(shape.offset(cell, dx, dy));
            assert_eq!(grid.shift(B::of(cell), direction), expected);
        }
    }
    let set: Vec<Cell> = shape.cells().filter(|c| c.index() * 7 % 5 < 2).collect();
    let bits = B::from_cells(set.iter().copied());
    let touching =
        |n| B::from_cells(shape.cells().filter(|&cell| shape.neighbors(cell).filter(|c| set.contains(c)).count() >= n));
    assert_eq!(grid.neighbors(bits), touching(1));
    assert_eq!(grid.double_neighbors(bits), touching(2));
}

#[test]
fn shifts_follow_the_shape_at_every_width() {
    shifts_follow_the_shape::<Board64>(8, 8);
    shifts_follow_the_shape::<Board64>(1, 25);
    shifts_follow_the_shape::<Board64>(25, 2);
    shifts_follow_the_shape::<Board128>(11, 11);
    shifts_follow_the_shape::<BoardWide<4>>(16, 15);
    shifts_follow_the_shape::<BoardWide<10>>(25, 25);
}

#[test]
fn column_letters_skip_i_and_read_back() {
    let letters: String = (0..MAX_DIMENSION).map(column_letter).collect();
    assert_eq!(letters, "abcdefghjklmnopqrstuvwxyz");
    for x in 0..MAX_DIMENSION {
        assert_eq!(column_of_letter(column_letter(x)), Some(x));
        assert_eq!(column_of_letter(column_letter(x).to_ascii_uppercase()), Some(x));
    }
    for letter in ['i', 'I', '1', 'é', '{'] {
        assert_eq!(column_of_letter(letter), None);
    }
}

#[test]
fn a_hexagon_of_side_5_runs_from_a1_to_j9_about_e5() {
    let shape = Shape::hexagon(5);
    let labels: Vec<String> = shape.cells().map(|cell| shape.label(cell)).collect();
    assert_eq!(labels.len(), 61);
    assert_eq!(labels.first().map(String::as_str), Some("a1"));
    assert_eq!(labels.last().map(String::as_str), Some("j9"));
    assert_eq!(labels[30], "e5");
    assert_eq!(shape.cell(5, 0), None);
    let corner: Vec<String> = shape.neighbors(Cell::new(0)).map(|c| shape.label(c)).collect();
    assert_eq!(corner, ["b1", "a2", "b2"]);
}

#[test]
fn hexagons_have_the_centered_hexagonal_numbers_of_cells() {
    for side in 1..=MAX_SIDE {
        let n = usize::from(side);
        assert_eq!(Shape::hexagon(side).len(), 3 * n * (n - 1) + 1);
    }
}

#[test]
fn symmetries_are_as_many_as_they_should_be_and_keep_neighbors() {
    let cases = [
        (Shape::rectangle(8, 7), 4),
        (Shape::rectangle(6, 6), 8),
        (Shape::rectangle(1, 4), 2),
        (Shape::hexagon(2), 12),
        (Shape::hexagon(5), 12),
    ];
    for (shape, count) in cases {
        let symmetries = shape.symmetries();
        assert_eq!(symmetries.len(), count);
        for symmetry in symmetries {
            let mut image = symmetry.clone();
            image.sort();
            assert_eq!(image, shape.cells().collect::<Vec<_>>(), "a permutation");
            for cell in shape.cells() {
                let mut moved: Vec<Cell> = shape.neighbors(cell).map(|c| symmetry[c.index()]).collect();
                moved.sort();
                let there: Vec<Cell> = shape.neighbors(symmetry[cell.index()]).collect();
                assert_eq!(moved, there);
            }
        }
    }
}

#[test]
fn keys_differ_from_each_other_and_from_features() {
    let zobrist = Zobrist::new(2, 625);
    let cells = (0..625).flat_map(|i| [0, 1].map(|kind| zobrist.key(kind, Cell::new(i))));
    let features = (0..100).map(|i| Zobrist::state_key((1 << 32) + i));
    let all: HashSet<Key> = cells.chain(features).collect();
    assert_eq!(all.len(), 1350);
}

fn sample<B: Bitboard>(step: usize) -> (B, Vec<usize>) {
    let cells: Vec<usize> = (0..B::CAPACITY).filter(|i| i * i % step == 1).collect();
    let set = B::from_cells(cells.iter().map(|&i| Cell::new(i)));
    (set, cells)
}

fn behaves<B: Bitboard>(instructions: impl Instructions) {
    for step in [3, 5, 7, 11, 24] {
        let (set, cells) = sample::<B>(step);
        assert_eq!(set.count() as usize, cells.len());
        assert_eq!(set.cells().map(Cell::index).collect::<Vec<_>>(), cells);
        for (n, &cell) in cells.iter().enumerate() {
            assert_eq!(set.nth(n as u32, instructions).map(Cell::index), Some(cell));
        }
        assert_eq!(set.nth(set.count(), instructions), None);
        let sets = [set.shift_up(1), B::EMPTY, set, !set];
        let both = sets.iter().enumerate().flat_map(|(i, set)| set.cells().map(move |c| (i, c)));
        let all: Vec<(usize, Cell)> = both.collect();
        for n in 0..=all.len() {
            assert_eq!(B::nth_of(&sets, n as u32, instructions), all.get(n).copied());
        }
        for places in [0, 1, 5, 25, 63] {
            let up = set.shift_up(places).cells().map(Cell::index).collect::<Vec<_>>();
            let moved = cells.iter().map(|i| i + places as usize);
            assert_eq!(up, moved.filter(|&i| i < B::CAPACITY).collect::<Vec<_>>());
            let down = set.shift_down(places).cells().map(Cell::index).collect::<Vec<_>>();
            let moved = cells.iter().filter_map(|i| i.checked_sub(places as usize));
            assert_eq!(down, moved.collect::<Vec<_>>());
        }
        for place in [0, 1, 63, 64, 70, 128, 500, 700] {
            let window = (0..64).filter(|bit| cells.contains(&(place + bit)));
            let bits: u64 = window.map(|bit| 1 << bit).sum();
            assert_eq!(set.window(place), bits, "{place}");
        }
        assert_eq!((!set).count() as usize, B::CAPACITY - cells.len());
        assert!((set & !set).is_empty() && !(set | !set).is_empty());
    }
}

#[test]
fn the_nth_bit_is_found_alike_by_every_processor() {
    let mut word = 1_u64;
    for _ in 0..2_000 {
        word = word.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        let word = word & word.rotate_left(word as u32 % 64) | 1 << (word % 64);
        let places = (0..64).filter(|place| word >> place & 1 == 1);
        let set = Board64::from_cells(places.clone().map(|place| Cell::new(place as usize)));
        for (n, place) in (0..).zip(places) {
            assert_eq!(select_portable(word, n), place);
            assert_eq!(set.select(n, Portable), Cell::new(place as usize));
            if let Some(native) = Native::detect() {
                assert_eq!(set.select(n, native), Cell::new(place as usize));
            }
        }
    }
}

#[test]
fn every_width_behaves_as_a_set_of_numbers() {
    behaves_on_every_width(Portable);
    if let Some(native) = Native::detect() {
        behaves_on_every_width(native);
    }
}

fn behaves_on_every_width(instructions: impl Instructions) {
    behaves::<Board64>(instructions);
    behaves::<Board128>(instructions);
    behaves::<BoardWide<3>>(instructions);
    behaves::<BoardWide<10>>(instructions);
}
