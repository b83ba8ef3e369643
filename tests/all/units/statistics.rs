//! Intervals and tests, against figures of outside programs.

use pentalith::arena::statistics::{Sample, Sprt, elo, score};

/// 95 of 100 values of a chi-squared distribution with one degree of freedom are below.
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// The figures come from a program of its own that follows fishtest's `LLRcalc`.
#[test]
fn ratios_are_those_of_fishtest() {
    let cases: &[(f64, f64, &[u64], f64)] = &[
        (0.0, 10.0, &[10, 20, 200, 30, 15], 1.278_545_870),
        (0.0, 5.0, &[100, 500, 3000, 600, 120], 4.889_085_526),
        (-5.0, 5.0, &[3, 0, 10, 1, 4], 0.106_090_528),
        (0.0, 10.0, &[0, 0, 0, 0, 50], 1.418_463_905),
        (0.0, 10.0, &[1, 0, 0, 0, 0], -0.029_255_446),
        (0.0, 100.0, &[0, 2, 9, 4, 0], -2.621_923_384),
    ];
    for &(elo0, elo1, counts, expected) in cases {
        let ratio = Sample::new(counts).log_likelihood_ratio(score(elo0), score(elo1));
        assert!((ratio - expected).abs() < 1e-6, "{counts:?}: {ratio}");
    }
    assert_eq!(Sample::new(&[0; 5]).log_likelihood_ratio(0.5, 0.6), 0.0);
}

#[test]
fn errors_are_those_of_the_normal_distribution() {
    let close = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-4;
    let sample = Sample::new(&[10, 20, 200, 30, 15]);
    assert!(close(sample.mean().map(elo), 12.639_594));
    assert!(close(sample.elo_error(), 15.119_560));
    // Where there are many games, the likelihood says the same.
    let (low, high) = sample.interval().unwrap();
    assert!((elo(low) + 2.456).abs() < 0.3 && (elo(high) - 27.783).abs() < 0.3);
    assert!((sample.superiority().unwrap() - 0.9496).abs() < 0.001);
}

#[test]
fn few_and_one_sided_results_give_sane_intervals() {
    // A pair won: the best probabilities that explain it with a mean of s have likelihood s.
    let least = (-0.5 * CHI_SQUARED_95).exp();
    let (low, high) = Sample::new(&[0, 0, 0, 0, 1]).interval().unwrap();
    assert!((low - least).abs() < 1e-9 && high == 1.0);
    let (low, high) = Sample::new(&[0, 0, 0, 0, 50]).interval().unwrap();
    assert!((low - least.powf(0.02)).abs() < 1e-9 && high == 1.0);
    let (low, high) = Sample::new(&[7, 0, 0]).interval().unwrap();
    assert!(low == 0.0 && (high - (1.0 - least.powf(1.0 / 7.0))).abs() < 1e-9);
    // A drawn pair says little, and the same in both directions.
    let (low, high) = Sample::new(&[0, 0, 1, 0, 0]).interval().unwrap();
    assert!((low + high - 1.0).abs() < 1e-9 && low < 0.1);
    assert!((Sample::new(&[0, 0, 1, 0, 0]).superiority().unwrap() - 0.5).abs() < 1e-9);
    let sure = Sample::new(&[0, 0, 0, 0, 50]).superiority().unwrap();
    assert!(sure > 0.999_999 && sure <= 1.0);
    for counts in [[0, 0, 0, 0, 1], [0, 0, 1, 0, 0], [50, 0, 0, 0, 0]] {
        assert_eq!(Sample::new(&counts).elo_error(), None);
    }
    assert_eq!(Sample::new(&[0; 3]).interval(), None);
    assert_eq!(Sample::new(&[0; 3]).superiority(), None);
    assert_eq!((elo(1.0), elo(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
}

#[test]
fn intervals_hold_what_they_should() {
    // Every end of an interval is a mean that the counts just contradict, and the mean is inside.
    for counts in [
        [1, 2, 3, 4, 5],
        [0, 0, 3, 0, 1],
        [9, 0, 0, 0, 1],
        [0, 1, 0, 0, 0],
    ] {
        let sample = Sample::new(&counts);
        let (low, high) = sample.interval().unwrap();
        let mean = sample.mean().unwrap();
        assert!(
            0.0 < low && low < mean && mean < high && high < 1.0,
            "{counts:?}"
        );
        for end in [low, high] {
            assert!(
                (sample.deviance(end) - CHI_SQUARED_95).abs() < 1e-6,
                "{counts:?}"
            );
        }
    }
}

#[test]
fn what_is_out_of_range_is_told_from_what_is_no_number() {
    for (text, error) in [
        (
            "0,5,2,3",
            r#"column 5: expected a probability between 0 and 0.5, as 0.05 is, for ALPHA, found "2,3""#,
        ),
        (
            "0,5,0.05,3",
            r#"column 10: expected a probability between 0 and 0.5, as 0.05 is, for BETA, found "3""#,
        ),
        ("0,5,0.5,0.1", "column 5: expected a probability"),
        ("0,5,0,0.1", "column 5: expected a probability"),
        ("0,5,0.05", "column 9: expected a comma, found the end"),
        ("0,5,", "column 5: expected a probability"),
        (
            "3000,4000",
            r#"column 1: expected a difference in Elo from -2000 to 2000, for ELO0, found "3000,4000""#,
        ),
        (
            "0,4000",
            r#"column 3: expected a difference in Elo from -2000 to 2000, for ELO1, found "4000""#,
        ),
        (
            "5,0",
            "column 1: expected two differences in Elo, the smaller one first",
        ),
        ("5", "column 2: expected a comma, found the end"),
        ("0,5,0.1,0.1,1", "column 12: expected the end, found \",1\""),
    ] {
        let found = Sprt::parse(text).unwrap_err().to_string();
        assert!(found.contains(error), "{text}: {found}");
    }
    let sprt = Sprt::parse("-2.5,5,0.1,0.2").unwrap();
    assert_eq!(
        (sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta),
        (-2.5, 5.0, 0.1, 0.2)
    );
    assert_eq!(Sprt::parse("0,5").map(|sprt| sprt.alpha), Ok(0.05));
}
