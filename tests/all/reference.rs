//! The rules once more: those of `pentalith-verify`, which share nothing with the library, as text.

use crate::verifier::rules::{Position, Step, Variant, letter};

/// A position in the slow rules.
pub trait Reference {
    fn legal(&self) -> Vec<String>;
    fn play(&mut self, step: &str);
    fn text(&self) -> String;
    /// `none`, or the winner and the reason: `b annihilation`.
    fn outcome(&self) -> String;
    fn copy(&self) -> Box<dyn Reference>;
}

struct Slow(Variant, Position);

/// Opens a position of a variant, or its start.
pub fn open(variant: &str, position: Option<&str>) -> Box<dyn Reference> {
    let variant = Variant::read(variant).unwrap();
    let start = || variant.start();
    let position = position.map_or_else(start, |line| Position::read(&variant, line).unwrap());
    Box::new(Slow(variant, position))
}

/// Returns the legal steps of a position.
pub fn steps(variant: &Variant, position: &Position) -> Vec<Step> {
    let mut steps = Vec::new();
    (variant.rules.legal)(variant, position, &mut steps);
    steps
}

impl Reference for Slow {
    fn legal(&self) -> Vec<String> {
        let steps = steps(&self.0, &self.1);
        steps.iter().map(|step| step.to_string()).collect()
    }

    fn play(&mut self, text: &str) {
        let mut steps = steps(&self.0, &self.1).into_iter();
        let step = steps.find(|step| step.to_string() == text).unwrap();
        (self.0.rules.play)(&self.0, &mut self.1, step);
    }

    fn text(&self) -> String {
        self.1.text(&self.0)
    }

    fn outcome(&self) -> String {
        match (self.0.rules.outcome)(&self.0, &self.1) {
            None => "none".to_owned(),
            Some(end) if end.winner == 0 => format!("draw {}", end.reason),
            Some(end) => format!("{} {}", letter(end.winner), end.reason),
        }
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(Slow(self.0.clone(), self.1.clone()))
    }
}

pub fn perft(position: &dyn Reference, depth: usize) -> u64 {
    let steps = position.legal();
    if depth == 1 {
        return steps.len() as u64;
    }
    let mut total = 0;
    for step in steps {
        let mut next = position.copy();
        next.play(&step);
        total += perft(next.as_ref(), depth - 1);
    }
    total
}
