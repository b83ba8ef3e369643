//! Numbers as they are shown, tables of weights and their files.

use pentalith::nnue::{HiddenLayers, Network, Term, Weights};
use pentalith::rules::HalfPoints;
use pentalith::rules::perft::{format_count, saturating_sum};

#[test]
fn halves_print_as_the_specification_says() {
    let cases = [(0, "0"), (1, "0.5"), (-1, "-0.5"), (6, "3"), (-7, "-3.5")];
    for (half_points, text) in cases {
        assert_eq!(HalfPoints(half_points).to_string(), text);
    }
}

#[test]
fn more_than_the_largest_number_is_shown_as_such() {
    assert_eq!(format_count(saturating_sum([2, 3].into_iter())), "5");
    let more = saturating_sum([u64::MAX, 1].into_iter());
    assert_eq!(format_count(more), "18446744073709551615 or more");
}

fn table() -> Weights {
    let names = ["stone", "--o/e--", "none"].map(str::to_owned).to_vec();
    Weights::zeros(names, 2, HiddenLayers::default())
}

#[test]
fn a_table_is_read_as_it_was_written() {
    let text = "stone 100 -7\n--o/e-- 0 3\n";
    let weights = table().parse(text).unwrap();
    assert_eq!(weights.write(), text);
    assert_eq!([0, 1, 3, 4, 6].map(|index| weights.get(index)), [100, -7, 3, 0, 0]);
    let other = weights.with_values(vec![1, 2, 3, 4, 5, 6]);
    assert_eq!(weights.parse(&other.write()), Ok(other));
    assert_eq!(weights.parse("# stone 5\n\n"), Ok(table()));
}

/// Returns a hidden layer of two inputs and two neurons; `neuron_only` of the inputs feed neurons alone.
fn layer(neuron_only: usize) -> HiddenLayers {
    HiddenLayers { neuron_only, inputs: 2, neurons: 2, second: 0 }
}

#[test]
fn what_only_feeds_neurons_has_no_buckets() {
    let names = ["stone", "die", "none"].map(str::to_owned).to_vec();
    let text = "stone 32 -64\ndie 0 3 64 256\nbias 0 0 16 0\nunit.0 0 80\n";
    let weights = Weights::from_text(names, 2, layer(1), text).unwrap();
    assert_eq!(weights.write(), text);
    assert_eq!(weights.feature(0), [0, 0, 32, -64]);
    assert_eq!(weights.value(&[(0, 1, 2)]), 80 * 5 / 8);
    for line in ["stone 1", "stone 1 2 3 4"] {
        let error = weights.parse(line).unwrap_err().to_string();
        assert!(error.ends_with("wrong number of weights: expected 2"), "{error}");
    }
}

#[test]
fn a_network_adds_the_outputs_of_its_neurons() {
    let names = ["stone", "die", "none"].map(str::to_owned).to_vec();
    let text = "stone 100 -7 32 -64\ndie 0 3 64 256\nnone 5 6\nbias 0 0 16 0\nunit.0 0 80\nunit.1 40 -10\n";
    let weights = Weights::from_text(names, 2, layer(0), text).unwrap();
    assert_eq!(weights.write(), text);
    assert_eq!((weights.neuron_feature(1), weights.feature(5)), (5, &[40, -10, 0, 0][..]));
    let value = |terms: &[Term]| weights.value(terms);
    assert_eq!(value(&[(2, 1, 1)]), 6 + 80 / 8, "the bias alone");
    assert_eq!(value(&[(2, 1, 1), (0, 1, 2)]), 6 - 2 * 7 + 80 * 5 / 8, "activation ends at 0");
    assert_eq!(value(&[(2, 0, 1), (1, 0, 1)]), 5 + 40, "activation ends at its maximum");
    assert_eq!(value(&[(0, 1, 1), (1, 1, -1)]), -10, "nothing of either, -10");
    for line in ["none 1 2 3 4", "unit.0 1 2 3 4"] {
        let error = weights.parse(line).unwrap_err().to_string();
        assert!(error.ends_with("wrong number of weights: expected 2"), "{error}");
    }
    for line in ["stone 4 5 6", "stone 4", "die 1 2 3 4 5", "bias 0 0 1"] {
        let error = weights.parse(line).unwrap_err().to_string();
        assert!(error.ends_with("expected 2 or 4"), "{error}");
    }
}

#[test]
fn a_second_layer_adds_what_its_neurons_make_of_the_first() {
    let names = ["stone", "die", "none"].map(str::to_owned).to_vec();
    let text = "stone 0 0 32 -64\ndie 0 0 64 128\nnone 5 6\nbias 0 0 16 0\nunit.0 0 80\nsecond.0 0 200\n\
                second.0.bias 0 -20\nsecond.0.bucket.1 256 -64\nsecond.1 -30 0\nsecond.1.bucket.0 0 128\n";
    let layers = HiddenLayers { second: 2, ..layer(0) };
    let weights = Weights::from_text(names, 2, layers, text).unwrap();
    assert_eq!(weights.write(), text);
    let value = |terms: &[Term]| weights.value(terms);
    // Activations of the first layer, in 128ths, are 16 and 0, then 48 and 0, then 80 and 128.
    assert_eq!(value(&[(2, 1, 1)]), 6 + 80 * 16 / 128 + 200 * (2 * 16 - 20) / 128);
    assert_eq!(value(&[(2, 1, 1), (0, 1, 1)]), 6 + 80 * 48 / 128 + 200 * (2 * 48 - 20) / 128);
    assert_eq!(value(&[(2, 1, 1), (1, 1, 1)]), 6 + 80 * 80 / 128 + 200 * (2 * 80 - 64 - 20) / 128);
    assert_eq!(value(&[(2, 0, 1), (1, 0, 2)]), 5 - 30, "activation ends at its maximum");
    let file = weights.pack("a test", &[]);
    assert_eq!(weights.with_values(Vec::new()).unpack("a test", &file).unwrap().write(), text);
    for (line, count) in [("second.0.bucket.0 1", "2"), ("second.0 1 2 3 4", "2")] {
        let error = weights.parse(line).unwrap_err().to_string();
        assert!(error.ends_with(&format!("wrong number of weights: expected {count}")), "{error}");
    }
}

/// The layout that a search reads has the second layer in blocks; no number of neurons may change the value.
#[test]
fn a_network_with_any_second_layer_has_the_value_of_its_table() {
    for second in [0, 1, 8, 11] {
        let names = ["line", "stone", "die"].map(str::to_owned).to_vec();
        let layers = HiddenLayers { neuron_only: 1, inputs: 3, neurons: 2, second };
        let empty = Weights::from_text(names, 2, layers, "").unwrap();
        let number = |index: usize| (index as i32 * 7_919 + 13) % 301 - 150;
        let mut values: Vec<i32> = (0..empty.len()).map(number).collect();
        values[..2].fill(0);
        let weights = empty.with_values(values);
        let network = Network::<2, 2>::of(&weights);
        for bucket in 0..2 {
            for counts in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 2, 1]] {
                let mut accumulator = network.bias();
                (0..counts[0]).for_each(|_| accumulator.add_neurons(network.neuron_only(0)));
                (0..counts[1]).for_each(|_| accumulator.add(network.feature(0)));
                (0..counts[2]).for_each(|_| accumulator.add(network.feature(1)));
                let value = network.output(&accumulator, bucket) + network.second_output(&accumulator, bucket);
                let terms: Vec<Term> = (0..3).map(|feature| (feature, bucket, counts[feature])).collect();
                assert_eq!(value, weights.value(&terms), "{second} neurons, {counts:?}");
            }
        }
    }
}

#[test]
fn a_line_that_is_no_feature_is_quoted() {
    let name = "unknown feature, or one that an earlier line has";
    let form = "expected the name of a feature and whole numbers, separated by spaces";
    let cases = [
        ("stone", form),
        ("stone x 1", form),
        (" stone 1 2", form),
        ("stone 4 5 6", "wrong number of weights: expected 2"),
        ("stone 4", "wrong number of weights: expected 2"),
        ("other 1 2", name),
        ("none 1 2", name),
        ("stone 20001 0", "a weight is out of range: expected -20000 to 20000"),
    ];
    for (line, reason) in cases {
        let error = table().parse(&format!("none 0 1\n{line}\n")).unwrap_err();
        assert_eq!(error.to_string(), format!("line 2, {line:?}: {reason}"));
    }
}

fn network() -> Weights {
    let names = ["stone", "die", "none"].map(str::to_owned).to_vec();
    let layer = HiddenLayers { neuron_only: 0, inputs: 2, neurons: 2, second: 0 };
    let text = "stone 100 -7 32 -64\ndie 0 3 64 -20000\nbias 0 0 16 0\nunit.0 0 80\n";
    Weights::from_text(names, 2, layer, text).unwrap()
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let (table, remarks) = (network(), ["Columns: early, late."]);
    let file = table.pack("a test", &remarks);
    let read = table.with_values(Vec::new()).unpack("a test", &file).unwrap();
    assert_eq!(read.write(), table.write());
    assert!(read.write_with_remarks().starts_with("# for a test\n# Columns: early, late.\n# rows 6 "));
    assert_eq!(read.repack(), file);
}

#[test]
fn a_file_that_does_not_fit_is_an_error() {
    let table = network();
    let file = table.pack("a test", &[]);
    let error = |file: &[u8]| table.unpack("a test", file).unwrap_err().to_string();
    assert!(error(b"stone 1 2\n").contains("expected a file that begins with"));
    let other = table.pack("another", &[]);
    assert_eq!(error(&other), "the file does not fit: expected the line \"for a test\", found \"for another\"");
    let names = ["stone", "dice", "none"].map(str::to_owned).to_vec();
    let renamed = Weights::from_text(names, 2, table.layers(), "").unwrap();
    assert!(error(&renamed.pack("a test", &[])).contains("expected the line \"rows 6"));
    assert!(error(&file[..file.len() - 1]).ends_with("damaged: can't inflate them"));
    let longer = [&file[..], &[2]].concat();
    assert!(error(&longer).ends_with("damaged: can't inflate them"));
    // Any other number is another table.
    let first = file.len() - 8;
    for place in first..file.len() {
        let mut changed = file.clone();
        changed[place] ^= 4;
        error(&changed);
    }
}
