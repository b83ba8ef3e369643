//! Certificates of the solver.

use std::sync::atomic::AtomicBool;

use pentalith::lab::solve::search::Limits;
use pentalith::lab::solve::{Solver, Value};
use pentalith::search::SystemClock;

use super::{open, text, variant, verifier};

/// Memory for the positions of a certificate, in bytes.
const CERTIFICATE_MEMORY: usize = 4 << 20;

/// Positions that are searched at most for the truth about a certificate.
const POSITIONS: u64 = 20_000;

/// A certificate. The checksums of its choices are made right before, as far as its lines can be understood.
pub fn certificates(data: &[u8]) {
    for bytes in [data.to_vec(), with_right_checksums(data)] {
        let mut proof = verifier::replay::Proof::default();
        match verifier::certificate::check(&bytes[..], CERTIFICATE_MEMORY, &mut proof) {
            Err(verifier::Error::Refused(why) | verifier::Error::Failed(why)) => {
                assert!(!why.is_empty());
            }
            Ok(()) => is_true(&proof),
        }
    }
}

/// Searches a proven position with the solver, which must not refute the proof.
fn is_true(proof: &verifier::replay::Proof) {
    let Some(variant) = variant(&proof.variant) else {
        return;
    };
    let mut board = open(&variant);
    board.set_position(&proof.position).expect("the verifier's rules are ours");
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let mut solver = Solver::new(&*board, CERTIFICATE_MEMORY).expect("a little memory");
    solver.solve(true, &Limits { stop: &stop, clock: &clock, deadline: None, positions: Some(POSITIONS) });
    let number = |value| match value {
        Value::FirstWins => 1,
        Value::Draw => 0,
        Value::SecondWins => -1,
    };
    let ([low, high], [least, most]) = (proof.results(), solver.bounds().values().map(number));
    let text = format!("{} {}", proof.variant, proof.position);
    assert!(low <= most && least <= high, "{text}");
    let ([low, high], [least, most]) = (proof.margins(), solver.bounds().scores());
    let points = |bound: Option<pentalith::rules::HalfPoints>| bound.map(|bound| i64::from(bound.0));
    assert!(low.zip(points(most)).is_none_or(|(low, most)| low <= most), "{text}");
    assert!(high.zip(points(least)).is_none_or(|(high, least)| least <= high), "{text}");
}

/// Makes the checksums of a certificate right. Blocks end where those of `protocol/certificate.md` do.
fn with_right_checksums(data: &[u8]) -> Vec<u8> {
    let (mut repaired, mut rest) = (Vec::new(), data);
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        repaired.extend(line);
        rest = after;
        let line = text(line);
        let count = line.trim_end().rsplit(' ').next().and_then(|count| count.parse().ok());
        let mut left: u64 = count.filter(|_| line.starts_with("strategy ")).unwrap_or(0);
        while left > 0 {
            let mut length = 0;
            let mut crc = u32::MAX;
            for &byte in rest.iter().take(1 << 16) {
                length += 1;
                crc = (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xedb8_8320 * (crc & 1)));
                left -= u64::from(byte < 0x80);
                if left == 0 {
                    break;
                }
            }
            let (block, after) = rest.split_at(length);
            rest = after.get(4..).unwrap_or_default();
            repaired.extend(block);
            repaired.extend((!crc).to_le_bytes());
            if rest.is_empty() {
                break;
            }
        }
    }
    repaired.extend(rest);
    repaired
}
