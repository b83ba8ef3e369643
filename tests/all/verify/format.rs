//! The text and the numbers of a certificate.

use super::brute_force::blocks;
use super::check;

/// A certificate of a strategy with given bytes of choices.
fn with_choices(line: &str, bytes: &[u8]) -> Vec<u8> {
    let header = "pentalith certificate 1\nvariant invector:3x2,pie=off\nposition wbw/bwb b 1\nstrategies 1\n";
    [header.as_bytes(), line.as_bytes(), b"\n", &blocks(bytes)].concat()
}

#[test]
fn numbers_have_one_form() {
    let error = |line: &str, bytes: &[u8]| {
        let proof = check(&with_choices(line, bytes));
        proof.map(|proof| proof.results()).unwrap_err()
    };
    let found = |line: &str, bytes: &[u8], expected: &str| {
        let error = error(line, bytes);
        assert!(error.contains(expected), "{error}");
    };
    found("strategy p1 win 1", &[0x80, 0], "more bytes than it needs");
    found("strategy p1 win 1", &[0x81, 0x80, 0], "more bytes than it needs");
    found("strategy p1 win 1", &[0x81, 0x80, 0x80, 0x80, 0x80, 1], "more than five bytes");
    found("strategy p1 win 1", &[0xff, 0xff, 0xff, 0xff, 0x7f], "the choice is 34359738367");
    found("strategy p1 win 1", &[7], "the choice is 7, and there are 7 legal steps");
    found("strategy p1 win 1", &[0], "a choice is needed, and the strategy has only 1");
    found("strategy p1 win 0", &[], "a choice is needed, and the strategy has only 0");
    found("strategy p1 win 18446744073709551615", &[0], "the file ends within the choices");
    for line in [
        "strategy p1 win 18446744073709551616",
        "strategy p1 win 01",
        "strategy p1 win +1",
        "strategy p1 win -1",
        "strategy p1 win",
        "strategy p3 win 1",
        "strategy P1 win 1",
        "strategy p1 loss 1",
        "strategy p1  win 1",
        "strategy p1 win 1 ",
        "strategy p1 win 1\r",
    ] {
        found(line, &[0], "expected `p1` or `p2`, a claim and a number of choices");
    }
    found("strategy p1 margin 1 1", &[0], "invector has no points");
    found("Strategy p1 win 1", &[0], "expected a line `strategy …`, found `Strategy p1 win 1`");
    for margin in ["+1", "1.0", "0.25", "-0", "nan", "inf", "1e1", "", "01", ".5"] {
        let header = "pentalith certificate 1\nvariant inversion:2\nposition ../.../.. w - 1\nstrategies 1\n";
        let bytes = format!("{header}strategy p1 margin {margin} 0\n");
        let error = check(bytes.as_bytes()).map(|proof| proof.results()).unwrap_err();
        assert!(error.contains("expected `p1`"), "{margin}: {error}");
    }
}

#[test]
fn headers_that_are_wrong_are_refused() {
    let good = ["pentalith certificate 1", "variant markane:3x3", "position .../.../... b 1 1", "strategies 1"];
    for (at, line, expected) in [
        (0, "pentalith certificate 2", "the certificate is not of version 1"),
        (0, "pentalith certificate", "expected a line `pentalith certificate …`"),
        (0, "", "expected a line"),
        (0, "\u{feff}pentalith certificate 1", "expected a line"),
        (1, "variant markane", "the canonical name of `markane` is `markane:8x8`"),
        (1, "variant markane:3x3,pie=off", "the canonical name of `markane:3x3,pie=off` is `markane:3x3`"),
        (1, "variant Markane:3x3", "`Markane` is none of the five games"),
        (1, "variant markane:3x3,x=2", "markane has no `x=2`"),
        (1, "variant markane:26x3", "is beyond the limits"),
        (1, "variant markane:0x3", "is beyond the limits"),
        (1, "variant markane:300x3", "has no `300x3`"),
        (1, "variant invector:4x4", "is beyond the limits"),
        (1, "variant gravel:1", "is beyond the limits"),
        (1, "variant gravel:5,x=100", "is beyond the limits"),
        (1, "variant gravel:5,stall=0", "is beyond the limits"),
        (1, "variant gravel:5,pie=on,x=3", "the canonical name"),
        (1, "variant inversion:14", "is beyond the limits"),
        (1, "variant inversion:3,komi=999.5", "has no `komi=999.5`"),
        (1, "variant inversion:3,komi=0.3", "has no `komi=0.3`"),
        (1, "variant inversion:3,order=none", "has no `order=none`"),
        (1, "variant invictus:9x9", "the canonical name"),
        (2, "position .../.../.. b 1 1", "not as the notation writes it, which may be `.../.../... b 1 1`"),
        (2, "position .../.../.... b 1 1", "not as the notation writes it"),
        (2, "position .../... b 1 1", "not as the notation writes it"),
        (2, "position .../.../... b 1", "too few fields"),
        (2, "position .../.../... b 1 1 1", "not as the notation writes it"),
        (2, "position .../.../... B 1 1", "not as the notation writes it"),
        (2, "position .../.../... w 1 1", "b is to move at turn 1"),
        (2, "position .../.../... b 1 01", "not as the notation writes it"),
        (2, "position .../.../... b 1 1000000000", "no number from 0 to 999999999"),
        (3, "strategies 3", "a certificate has 1 or 2 strategies"),
        (3, "strategies 0", "a certificate has 1 or 2 strategies"),
        (3, "strategies 01", "a certificate has 1 or 2 strategies"),
    ] {
        let mut lines = good.map(str::to_owned);
        lines[at] = line.to_owned();
        let text = lines.join("\n") + "\nstrategy p1 win 0\n";
        let error = check(text.as_bytes()).map(|proof| proof.results()).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
        assert!(error.starts_with("byte "), "{error}");
    }
    let error = check(&[b'a'; 10_000]).map(|proof| proof.results()).unwrap_err();
    assert!(error.contains("4096 bytes are too many for the line"), "{error}");
}
