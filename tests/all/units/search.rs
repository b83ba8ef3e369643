//! Parts of the searches: threads, memory, tables and the tree.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pentalith::board::Key;
use pentalith::rules::Color;
use pentalith::search::NODE_BYTES;
use pentalith::search::helper_threads::HelperThreads;
use pentalith::search::memory::zeroed_slice;
use pentalith::search::pvs::abdada::AbdadaTable;
use pentalith::search::pvs::transposition::{BUCKET_BYTES, Bound, Entry, MIN_BYTES, TranspositionTable};
use pentalith::search::tree::{NodeIndex, Proven, ROOT, Tree};

#[test]
fn each_helper_has_a_number() {
    for (threads, expected) in [(0, 0), (1, 0), (2, 1), (4, 0b111)] {
        let helper_threads = HelperThreads::new(threads);
        for _ in 0..3 {
            let seen = AtomicU64::new(0);
            let help = |number: u64| {
                seen.fetch_add(1 << (number - 1), Ordering::Relaxed);
            };
            assert_eq!(helper_threads.run(help, || 7), 7);
            assert_eq!(seen.into_inner(), expected, "{threads}");
        }
    }
}

#[test]
fn memory_of_every_size_is_zero() {
    for count in [0, 1, 1000, 1 << 20, (1 << 20) + 1] {
        let slice: Box<[u64]> = zeroed_slice(count, 0);
        assert_eq!(slice.len(), count);
        assert!(slice.iter().all(|&word| word == 0));
    }
    let slice: Box<[u64]> = zeroed_slice(usize::MAX / 8, 3);
    assert!((3..usize::MAX / 8).contains(&slice.len()));
}

#[test]
fn a_position_is_marked_until_its_search_ends() {
    let abdada = AbdadaTable::default();
    let (one, other) = (Key(5 << 20), Key(6 << 20));
    abdada.start_search(one);
    assert!(abdada.is_searching(one) && !abdada.is_searching(other));
    abdada.start_search(other);
    abdada.finish_search(one);
    assert!(!abdada.is_searching(one) && abdada.is_searching(other));
}

#[test]
fn entries_come_back_as_they_were() {
    let mut table = TranspositionTable::new(1 << 12);
    table.ensure_in_use(1 << 12);
    for (i, score) in [0, 1, -1, 1_000_000, -1_000_000].into_iter().enumerate() {
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let entry = Entry { step: (1 << 30) - 1 - i as u32, depth: 99 * i as i32, bound, score };
            let key = Key(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i as u64 + 1));
            table.store(key, entry);
            assert_eq!(table.probe(key), Some(entry));
            assert_eq!(table.probe(Key(key.0 ^ 1)), None);
        }
    }
    assert!(table.hashfull() > 0);
}

#[test]
fn every_bucket_is_one_cache_line() {
    for buckets in [1, 3, 1000] {
        let mut table = TranspositionTable::new((buckets + 1) * BUCKET_BYTES);
        table.ensure_in_use(usize::MAX);
        assert_eq!(table.buckets_in_use(), buckets);
        for cleared in [false, true] {
            for key in [Key(0), Key(1), Key(u64::MAX / 2), Key(u64::MAX)] {
                let address = table.bucket(key).as_ptr().addr();
                assert_eq!(address % BUCKET_BYTES, 0);
                assert_eq!(table.probe(key), None, "{key:?} {cleared}");
                let entry = Entry { step: 1, depth: 1, bound: Bound::Exact, score: 1 };
                table.store(key, entry);
                assert_eq!(table.probe(key), Some(entry));
            }
            table.clear();
            table.ensure_in_use(usize::MAX);
        }
    }
}

#[test]
fn the_part_of_a_table_in_use_never_shrinks() {
    let mut table = TranspositionTable::new(4 * MIN_BYTES + BUCKET_BYTES);
    let used = [0, 1, 20, 15, 1000, 1].map(|tenths| {
        table.ensure_in_use(tenths * MIN_BYTES / 10);
        table.buckets_in_use() * BUCKET_BYTES * 10 / MIN_BYTES
    });
    assert_eq!(used, [10, 10, 20, 20, 40, 40]);
    table.store(Key(1), Entry { step: 1, depth: 1, bound: Bound::Exact, score: 1 });
    assert_eq!(table.hashfull(), 0, "one of many");
}

#[test]
fn a_growing_table_keeps_its_entries() {
    let mut table = TranspositionTable::new(16 * MIN_BYTES);
    table.ensure_in_use(MIN_BYTES);
    let key = |i: u64| Key(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let entry = |i: u64| Entry { step: i as u32, depth: 1, bound: Bound::Exact, score: 0 };
    let found = |table: &TranspositionTable| (1..30_000).filter(|&i| table.probe(key(i)).is_some()).count();
    table.grow(&AtomicBool::new(false));
    assert_eq!(table.buckets_in_use(), MIN_BYTES / BUCKET_BYTES, "it is empty");
    (1..30_000).for_each(|i| table.store(key(i), entry(i)));
    let (before, hashfull) = (found(&table), table.hashfull());
    table.grow(&AtomicBool::new(false));
    assert_eq!(table.buckets_in_use(), MIN_BYTES / BUCKET_BYTES, "not half full");
    (30_000..40_000).for_each(|i| table.store(key(i), entry(i)));
    let kept = found(&table);
    table.grow(&AtomicBool::new(false));
    assert_eq!(table.buckets_in_use(), 4 * MIN_BYTES / BUCKET_BYTES);
    assert!(before > 28_000 && hashfull > 0);
    assert!(found(&table) * 100 > kept * 99, "nearly all are found");
    assert_eq!(table.probe(key(35_000)), Some(entry(35_000)));
}

#[test]
fn old_and_shallow_entries_are_replaced() {
    let mut table = TranspositionTable::new(1);
    let entry = |step, depth| Entry { step, depth, bound: Bound::Exact, score: 0 };
    for i in 0..4 {
        table.store(Key(i + 1), entry(i as u32, 10 + i as i32));
    }
    table.store(Key(9), entry(9, 1));
    assert_eq!(table.probe(Key(1)), None, "the shallowest one");
    assert_eq!(table.probe(Key(9)).map(|entry| entry.step), Some(9));
    table.next_generation();
    table.store(Key(10), entry(10, 1));
    table.store(Key(11), entry(11, 1));
    assert_eq!(table.probe(Key(9)), None);
    assert!(table.probe(Key(10)).is_some(), "of this search");
}

/// Writes the steps of a tree depth first, with brackets.
fn drawn(tree: &Tree, index: NodeIndex) -> String {
    let node = tree.node(index);
    let children: String = tree.children(index).map(|child| drawn(tree, child)).collect();
    format!("({}{children})", node.step().0)
}

#[test]
fn a_new_root_keeps_its_descendants_and_frees_the_rest() {
    let mut tree = Tree::new(NODE_BYTES * 100);
    let add = |tree: &Tree, parent, steps: &[u32]| {
        tree.expand(parent, steps.len() as u32, |add| steps.iter().for_each(|&s| add(s)));
    };
    let nth = |tree: &Tree, parent, n| tree.children(parent).nth(n).unwrap();
    add(&tree, ROOT, &[1, 2, 3]);
    let (first, second) = (nth(&tree, ROOT, 0), nth(&tree, ROOT, 1));
    add(&tree, second, &[20, 21]);
    add(&tree, first, &[10]);
    let (left, right) = (nth(&tree, second, 0), nth(&tree, second, 1));
    add(&tree, right, &[210, 211]);
    add(&tree, left, &[200]);
    let leaf = nth(&tree, right, 0);
    tree.node(leaf).add_virtual_loss(Color::White, 1);
    tree.node(leaf).replace_virtual_loss(Color::White, 1, 1);
    tree.set_proven(right, Proven(None), 3, Color::White);
    assert_eq!(drawn(&tree, ROOT), "(0(1(10))(2(20(200))(21(210)(211)))(3))");
    assert!(!tree.reroot(second, 8, 0));
    assert!(tree.reroot(second, 9, 0));
    assert_eq!(drawn(&tree, ROOT), "(2(20(200))(21(210)(211)))");
    // Five nodes below the root, and a header for each of three with children.
    assert_eq!(tree.used(), 9);
    let right = nth(&tree, ROOT, 1);
    let leaf = tree.node(nth(&tree, right, 0));
    assert_eq!((leaf.step().0, leaf.statistics()), (210, (1, 1)));
    assert_eq!(tree.node(right).proven(), Some(Proven(None)));
    assert_eq!(tree.moves_to_end(right), 3);
    assert_eq!(tree.moves_to_end_by(right, Color::White), 3);
    assert_eq!(tree.moves_to_end_by(right, Color::Black), 4);
}

#[test]
fn a_full_tree_takes_no_more_children() {
    let tree = Tree::new(NODE_BYTES * 4);
    tree.expand(ROOT, 3, |_| panic!("there is room for two and their header"));
    assert!(tree.children(ROOT).is_empty());
    tree.expand(ROOT, 2, |add| [7, 8].into_iter().for_each(add));
    assert_eq!(tree.children(ROOT), 2..4);
    tree.expand(ROOT, 0, |_| panic!("it has children"));
    tree.expand(2, 1, |_| panic!("it is full"));
    assert_eq!(tree.used(), 4);
}
