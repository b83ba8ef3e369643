//! The rules once more: those of `pentalith-verify`, which share nothing with the library, as text.

#[path = "../../src/bin/pentalith-verify/rules/mod.rs"]
pub mod rules;

use rules::{Position, Variant, Visit, letter};

/// A position in the slow rules.
pub trait Reference {
    fn legal(&self) -> Vec<String>;
    fn play(&mut self, step: &str);
    fn text(&self) -> String;
    /// `none`, or the winner and the reason: `b annihilation`.
    fn outcome(&self) -> String;
    fn copy(&self) -> Box<dyn Reference>;
}

struct Boxed;

impl Visit for Boxed {
    type Result = Box<dyn Reference>;

    fn visit<P: Position + 'static>(self, position: P) -> Self::Result {
        Box::new(Slow(position))
    }
}

/// Opens a position of a variant, or its start.
pub fn open(variant: &str, position: Option<&str>) -> Box<dyn Reference> {
    rules::open(&Variant::read(variant).unwrap(), position, Boxed).unwrap()
}

struct Slow<P>(P);

impl<P: Position> Slow<P> {
    fn steps(&self) -> Vec<rules::Step> {
        let mut steps = Vec::new();
        self.0.legal(&mut steps);
        steps
    }
}

impl<P: Position + 'static> Reference for Slow<P> {
    fn legal(&self) -> Vec<String> {
        self.steps().iter().map(|step| step.to_string()).collect()
    }

    fn play(&mut self, text: &str) {
        let step = self
            .steps()
            .into_iter()
            .find(|step| step.to_string() == text);
        self.0.play(step.unwrap());
    }

    fn text(&self) -> String {
        self.0.text()
    }

    fn outcome(&self) -> String {
        match self.0.outcome() {
            None => "none".to_owned(),
            Some(end) if end.winner == 0 => format!("draw {}", end.reason),
            Some(end) => format!("{} {}", letter(end.winner), end.reason),
        }
    }

    fn copy(&self) -> Box<dyn Reference> {
        Box::new(Slow(self.0.clone()))
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
