use super::*;

fn sample<B: Bitboard>(step: usize) -> (B, Vec<usize>) {
    let cells: Vec<usize> = (0..B::CAPACITY).filter(|i| i * i % step == 1).collect();
    let set = B::from_cells(cells.iter().map(|&i| Cell::new(i)));
    (set, cells)
}

fn behaves<B: Bitboard>() {
    for step in [3, 5, 7, 11, 24] {
        let (set, cells) = sample::<B>(step);
        assert_eq!(set.count() as usize, cells.len());
        assert_eq!(set.cells().map(Cell::index).collect::<Vec<_>>(), cells);
        for (n, &cell) in cells.iter().enumerate() {
            assert_eq!(set.nth(n as u32).map(Cell::index), Some(cell));
        }
        assert_eq!(set.nth(set.count()), None);
        let sets = [set.up(1), B::EMPTY, set, !set];
        let both = sets
            .iter()
            .enumerate()
            .flat_map(|(i, set)| set.cells().map(move |c| (i, c)));
        let all: Vec<(usize, Cell)> = both.collect();
        for n in 0..=all.len() {
            assert_eq!(B::nth_of(&sets, n as u32), all.get(n).copied());
        }
        for places in [0, 1, 5, 25, 63] {
            let up = set.up(places).cells().map(Cell::index).collect::<Vec<_>>();
            let moved = cells.iter().map(|i| i + places as usize);
            assert_eq!(up, moved.filter(|&i| i < B::CAPACITY).collect::<Vec<_>>());
            let down = set
                .down(places)
                .cells()
                .map(Cell::index)
                .collect::<Vec<_>>();
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
        for (n, place) in (0..).zip(places) {
            assert_eq!(select_anywhere(word, n), place);
            assert!(processor::select(word, n).is_none_or(|found| found == place));
        }
    }
}

#[test]
fn every_width_behaves_as_a_set_of_numbers() {
    behaves::<Board64>();
    behaves::<Board128>();
    behaves::<BoardWide<3>>();
    behaves::<BoardWide<10>>();
}
