//! The steps of Gravel, and the legal ones of a position.

use std::ops::ControlFlow;

use crate::board::{Bitboard, Cell};
use crate::game;

/// A step: its kind and up to two spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step(u32);

/// What a step says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// A piece from the Pool into a space.
    Place(Cell),
    /// A piece from one friendly space to another.
    Relocate(Cell, Cell),
    /// A piece back to the Pool.
    Retract(Cell),
    /// An enemy piece out of the game.
    Remove(Cell),
    /// The end of the turn.
    End,
    /// The pie rule.
    Swap,
}

impl Step {
    // The kind above two spaces of ten bits each.
    fn new(kind: u32, from: Cell, to: Cell) -> Self {
        Self(kind << 20 | (from.index() as u32) << 10 | to.index() as u32)
    }

    pub(super) fn action(self) -> Action {
        let from = Cell::new((self.0 >> 10 & 1023) as usize);
        let to = Cell::new((self.0 & 1023) as usize);
        match self.0 >> 20 {
            0 => Action::Place(to),
            1 => Action::Relocate(from, to),
            2 => Action::Retract(to),
            3 => Action::Remove(to),
            4 => Action::End,
            _ => Action::Swap,
        }
    }
}

impl From<Action> for Step {
    fn from(action: Action) -> Self {
        let none = Cell::new(0);
        match action {
            Action::Place(space) => Self::new(0, none, space),
            Action::Relocate(from, to) => Self::new(1, from, to),
            Action::Retract(space) => Self::new(2, none, space),
            Action::Remove(space) => Self::new(3, none, space),
            Action::End => Self::new(4, none, none),
            Action::Swap => Self::new(5, none, none),
        }
    }
}

impl game::Step for Step {
    fn bits(self) -> u32 {
        self.0
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The legal steps of a position.
#[derive(Clone, Copy, Default, Debug)]
pub struct Steps<B> {
    /// Where a piece from the Pool may go.
    pub(super) place: B,
    /// The spaces of the side to move, if it may place: what stands there may go elsewhere, or to the Pool.
    pub(super) own: B,
    /// Those of them that have room for one more.
    pub(super) onto: B,
    /// From where an enemy piece may be removed.
    pub(super) remove: B,
    pub(super) end: bool,
    pub(super) swap: bool,
}

impl<B: Bitboard> Steps<B> {
    /// How many ways there are to relocate: onto each space with room, from each other one.
    fn relocations(&self) -> usize {
        let sources = (self.own.count() as usize).saturating_sub(1);
        self.onto.count() as usize * sources
    }
}

impl<B: Bitboard> game::Steps for Steps<B> {
    type Step = Step;

    #[inline]
    fn count(&self) -> usize {
        let sets = self.place.count() + self.own.count() + self.remove.count();
        sets as usize + self.relocations() + usize::from(self.end) + usize::from(self.swap)
    }

    #[inline]
    fn nth(&self, n: usize) -> Option<Step> {
        let mut n = n;
        let kinds: [fn(Cell) -> Action; 3] = [Action::Place, Action::Retract, Action::Remove];
        for (set, action) in [self.place, self.own, self.remove].into_iter().zip(kinds) {
            let count = set.count() as usize;
            if n < count {
                return set.nth(n as u32).map(|space| action(space).into());
            }
            n -= count;
        }
        let relocations = self.relocations();
        if n < relocations {
            let sources = self.own.count() as usize - 1;
            let to = self.onto.nth((n / sources) as u32)?;
            let from = (self.own & !B::of(to)).nth((n % sources) as u32)?;
            return Some(Action::Relocate(from, to).into());
        }
        n -= relocations;
        let last = [(self.end, Action::End), (self.swap, Action::Swap)];
        let mut last = last.into_iter().filter(|(legal, _)| *legal);
        last.nth(n).map(|(_, action)| action.into())
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
}
