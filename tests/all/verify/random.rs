//! Certificates changed at random.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::brute_force::{Seat, Truth, blocks, open};
use super::{check, each_certificate};
use crate::verifier::replay::Proof;

#[test]
fn changes_at_random_prove_nothing_false() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(50);
    let (mut accepted, mut refused) = (0, 0);
    each_certificate(|certificate, board, truth| {
        let bytes = certificate.bytes();
        let tries = if bytes.len() > 2000 { 50 } else { 250 };
        for _ in 0..tries {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.next_u64() % 3 {
                let at = random.next_u64() as usize % changed.len();
                let other = b"\0\n 012bwp/.,-:x=\x80\xff";
                let byte = other[random.next_u64() as usize % other.len()];
                match random.next_u64() % 5 {
                    0 => changed[at] ^= 1 << (random.next_u64() % 8),
                    1 => changed[at] = byte,
                    2 => changed.insert(at, byte),
                    3 => drop(changed.remove(at)),
                    _ => changed[at] = changed[random.next_u64() as usize % changed.len()],
                }
            }
            let changed = with_right_checksums(&changed);
            match check(&changed) {
                Err(_) => refused += 1,
                Ok(proof) => {
                    accepted += 1;
                    // Mostly it is still the same position.
                    let same = proof.variant == certificate.variant && proof.position == certificate.position;
                    let lead = match same {
                        true => truth.of(board, Seat::P1),
                        false => Truth::default().of(&mut *open(&proof.variant, &proof.position), Seat::P1),
                    };
                    is_true(&proof, lead);
                }
            }
        }
    });
    assert!(accepted > 50 && refused > 1000, "{accepted} {refused}");
}

/// Repairs the checksums of a certificate as far as it can be understood.
fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut repaired = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        repaired.extend(line);
        rest = after;
        let text = String::from_utf8_lossy(line);
        let count = text.trim_end().rsplit(' ').next().and_then(|count| count.parse::<usize>().ok());
        if text.starts_with("strategy ") && count.is_some_and(|count| (1..60_000).contains(&count)) {
            let last = rest.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
            let last = last.map(|(at, _)| at).nth(count.unwrap() - 1);
            let Some(last) = last.filter(|last| last + 5 <= rest.len()) else {
                break;
            };
            repaired.extend(blocks(&rest[..=last]));
            rest = &rest[last + 5..];
        }
    }
    repaired.extend(rest);
    repaired
}

/// Compares a proof with the lead of p1 with best play.
fn is_true(proof: &Proof, lead: i32) {
    let [low, high] = proof.results();
    assert!(i32::from(low) <= lead.signum() && lead.signum() <= i32::from(high), "{}", proof.variant);
    let [low, high] = proof.margins();
    assert!(low.is_none_or(|low| low <= i64::from(lead)), "{}", proof.variant);
    assert!(high.is_none_or(|high| high >= i64::from(lead)), "{}", proof.variant);
}
