//! Steps of Gravel, and the legal steps of a position.

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell, Cells, CellsOf, Instructions};
use crate::rules;

/// A step: its kind and up to two spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u32);

/// The action of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Places a piece from the Pool on a space.
    Place(Cell),
    /// Moves a piece from one friendly space to another.
    Relocate(Cell, Cell),
    /// Returns a piece from a space to the Pool.
    Retract(Cell),
    /// Removes an enemy piece from the game.
    Remove(Cell),
    /// Ends the turn.
    End,
    /// Swaps colors (pie rule).
    Swap,
}

// The kinds of steps.
const PLACE: u32 = 0;
const RELOCATE: u32 = 1;
const RETRACT: u32 = 2;
const REMOVE: u32 = 3;
const END: u32 = 4;
const SWAP: u32 = 5;

impl Step {
    /// The step `end`.
    pub(super) const END: Self = Self(END << 20);

    /// The step `swap`.
    pub(super) const SWAP: Self = Self(SWAP << 20);

    // Packed as the kind of step and two spaces of ten bits each.
    #[inline(always)]
    fn new(kind: u32, from: Cell, to: Cell) -> Self {
        Self(kind << 20 | (from.index() as u32) << 10 | to.index() as u32)
    }

    #[inline(always)]
    pub(super) fn action(self) -> Action {
        let from = Cell::new((self.0 >> 10 & 1023) as usize);
        let to = Cell::new((self.0 & 1023) as usize);
        match self.0 >> 20 {
            PLACE => Action::Place(to),
            RELOCATE => Action::Relocate(from, to),
            RETRACT => Action::Retract(to),
            REMOVE => Action::Remove(to),
            END => Action::End,
            _ => Action::Swap,
        }
    }
}

impl From<Action> for Step {
    #[inline(always)]
    fn from(action: Action) -> Self {
        let none = Cell::new(0);
        match action {
            Action::Place(space) => Self::new(PLACE, none, space),
            Action::Relocate(from, to) => Self::new(RELOCATE, from, to),
            Action::Retract(space) => Self::new(RETRACT, none, space),
            Action::Remove(space) => Self::new(REMOVE, none, space),
            Action::End => Self::new(END, none, none),
            Action::Swap => Self::new(SWAP, none, none),
        }
    }
}

impl rules::PackedStep for Step {
    #[inline]
    fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The legal steps of a position.
#[derive(Clone, Copy, Default, Debug)]
pub struct Steps<B> {
    /// The spaces where a piece from the Pool may be placed.
    pub(super) place: B,
    /// The spaces of the side to move, if it may place: sources of relocations and retractions.
    pub(super) own: B,
    /// Those of `own` that have room for one more piece: targets of relocations.
    pub(super) onto: B,
    /// The spaces from which an enemy piece may be removed.
    pub(super) remove: B,
    pub(super) end: bool,
    pub(super) swap: bool,
}

impl<B: Bitboard> Steps<B> {
    /// Returns the number of relocations: onto each space with room, from each other space.
    #[inline(always)]
    fn relocations(&self) -> usize {
        let sources = (self.own.count() as usize).saturating_sub(1);
        self.onto.count() as usize * sources
    }
}

impl<B: Bitboard> rules::Steps for Steps<B> {
    type Step = Step;

    #[inline(always)]
    fn count(&self) -> usize {
        let sets = self.place.count() + self.own.count() + self.remove.count();
        sets as usize + self.relocations() + usize::from(self.end) + usize::from(self.swap)
    }

    #[inline(always)]
    fn nth(&self, n: usize, instructions: impl Instructions) -> Option<Step> {
        let single = [self.place, self.own, self.remove];
        if let Some((i, space)) = B::nth_of(&single, n as u32, instructions) {
            return Some(Step::new([PLACE, RETRACT, REMOVE][i], Cell::new(0), space));
        }
        let [placements, retractions, removals] = single;
        let mut n = n - (placements.count() + retractions.count() + removals.count()) as usize;
        let relocations = self.relocations();
        if n < relocations {
            // In 32 bits, in which processors divide faster.
            let (n, sources) = (n as u32, self.own.count() - 1);
            let to = self.onto.select(n / sources, instructions);
            let from = (self.own & !B::of(to)).select(n % sources, instructions);
            return Some(Action::Relocate(from, to).into());
        }
        n -= relocations;
        match (n, self.end, self.swap) {
            (0, true, _) => Some(Action::End.into()),
            (0, false, true) | (1, true, true) => Some(Action::Swap.into()),
            _ => None,
        }
    }

    #[inline]
    fn visit<T>(&self, mut visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        for space in (self.place | self.own | self.remove).cells() {
            if self.place.has(space) {
                visitor(Action::Place(space).into())?;
            }
            if self.own.has(space) {
                for to in (self.onto & !B::of(space)).cells() {
                    visitor(Action::Relocate(space, to).into())?;
                }
                visitor(Action::Retract(space).into())?;
            }
            if self.remove.has(space) {
                visitor(Action::Remove(space).into())?;
            }
        }
        if self.end {
            visitor(Action::End.into())?;
        }
        if self.swap {
            visitor(Action::Swap.into())?;
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn contains(&self, step: Step) -> bool {
        match step.action() {
            Action::Place(space) => self.place.has(space),
            Action::Retract(space) => self.own.has(space),
            Action::Remove(space) => self.remove.has(space),
            Action::Relocate(from, to) => from != to && self.own.has(from) && self.onto.has(to),
            Action::End => self.end,
            Action::Swap => self.swap,
        }
    }

    #[inline(always)]
    fn for_each_by_kind(&self, mut visitor: impl FnMut(Step)) {
        for space in self.place.cells() {
            visitor(Action::Place(space).into());
        }
        for to in self.onto.cells() {
            for from in (self.own & !B::of(to)).cells() {
                visitor(Action::Relocate(from, to).into());
            }
        }
        for space in self.own.cells() {
            visitor(Action::Retract(space).into());
        }
        for space in self.remove.cells() {
            visitor(Action::Remove(space).into());
        }
        if self.end {
            visitor(Step::END);
        }
        if self.swap {
            visitor(Step::SWAP);
        }
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = Step> + Clone {
        Iter {
            singles: CellsOf::new([self.place, self.own, self.remove]),
            own: self.own,
            onto: self.onto.cells(),
            to: Cell::new(0),
            from: B::EMPTY.cells(),
            end: self.end,
            swap: self.swap,
        }
    }
}

/// Iterator over the steps with one space, the relocations by target, and the steps without a space.
#[derive(Clone)]
struct Iter<B> {
    singles: CellsOf<B, 3>,
    own: B,
    /// The targets that are not yet visited.
    onto: Cells<B>,
    /// The current target.
    to: Cell,
    /// The sources of relocations to it that are not yet returned.
    from: Cells<B>,
    end: bool,
    swap: bool,
}

impl<B: Bitboard> Iterator for Iter<B> {
    type Item = Step;

    #[inline(always)]
    fn next(&mut self) -> Option<Step> {
        if let Some((i, space)) = self.singles.next() {
            return Some(Step::new([PLACE, RETRACT, REMOVE][i], Cell::new(0), space));
        }
        loop {
            if let Some(from) = self.from.next() {
                return Some(Step::new(RELOCATE, from, self.to));
            }
            let Some(to) = self.onto.next() else { break };
            self.to = to;
            self.from = (self.own & !B::of(to)).cells();
        }
        if self.end {
            self.end = false;
            return Some(Step::END);
        }
        if self.swap {
            self.swap = false;
            return Some(Step::SWAP);
        }
        None
    }
}
