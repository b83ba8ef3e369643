//! How spaces are surrounded: what stands on each and next to it decides who controls it, and how much it would take to change that.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each colour, each cell, each kind of space and each code of what is around it"
)]

use once_cell::sync::Lazy;

use super::super::{Gravel, Position};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::rules::Color;

/// Stacks of so many pieces and more are not told apart.
const HIGHEST: u8 = 4;

/// What a space may hold: nothing, a stack of Black by its height, or one of White.
const VACANT: u8 = 0;
const KINDS: usize = 1 + 2 * HIGHEST as usize;

/// How many spaces may be next to one: in a corner, at an edge, inside.
const SIDES: [usize; 3] = [2, 3, 4];

/// So many occupied spaces next to one, and more, are not told apart.
const MOST_STACKS: usize = 3;

/// Nor is it by how many more than so many pieces one player has more around it.
const MOST_DIFFERENCE: i32 = 4;

/// Rows for what is around a space: by own stacks, by enemy ones, and by own pieces more than enemy ones.
const STACKS: usize = MOST_STACKS + 1;
const DIFFERENCES: usize = 2 * MOST_DIFFERENCE as usize + 1;
const AROUND: usize = STACKS * STACKS * DIFFERENCES;

/// Rows for a space.
pub(super) const ROWS: usize = KINDS * SIDES.len() * AROUND;

/// What the rows are called: `o2.3.1.2.-3` for a space with two own pieces, at an edge, next to one own stack and two enemy ones,
/// which have three pieces more. `e` is an enemy stack, `-` a vacant space.
pub(super) fn names() -> impl Iterator<Item = String> {
    let stacks = |who: char| (1..=HIGHEST).map(move |height| format!("{who}{height}"));
    let kinds = std::iter::once("-".to_owned())
        .chain(stacks('o'))
        .chain(stacks('e'));
    kinds.flat_map(|kind| {
        SIDES.into_iter().flat_map(move |sides| {
            let kind = kind.clone();
            (0..AROUND).map(move |around| {
                let (own, enemy) = (around / DIFFERENCES / STACKS, around / DIFFERENCES % STACKS);
                let difference = (around % DIFFERENCES) as i32 - MOST_DIFFERENCE;
                format!("{kind}.{sides}.{own}.{enemy}.{difference}")
            })
        })
    })
}

/// Codes of what is around a space: 1 for each stack of Black, 5 for each of White, and 25 for each piece of Black, less those of
/// White, above the code of nothing.
const WHITE_STACK: i16 = 5;
const PIECE: i16 = 25;
const NOTHING: i16 = PIECE * 512;

/// What a stack adds to the codes of the spaces next to it.
#[inline(always)]
fn share(color: Color, height: u8) -> i16 {
    match (height, color) {
        (0, _) => 0,
        (_, Color::Black) => 1 + PIECE * i16::from(height),
        (_, Color::White) => WHITE_STACK - PIECE * i16::from(height),
    }
}

/// What a space with a stack of that height is.
#[inline(always)]
fn kind(color: Color, height: u8) -> u8 {
    match height {
        0 => VACANT,
        _ => color.index() as u8 * HIGHEST + height.min(HIGHEST),
    }
}

/// For a side, the first row of each kind of space, and which row from there on each code has.
struct Rows {
    kinds: [u16; KINDS],
    around: Vec<u16>,
}

static ROWS_OF: Lazy<[Rows; 2]> = Lazy::new(|| Color::BOTH.map(rows));

fn rows(viewer: Color) -> Rows {
    let seen = |kind: usize| match kind {
        kind if kind == usize::from(VACANT) || viewer == Color::Black => kind,
        kind => (kind - 1 + usize::from(HIGHEST)) % (KINDS - 1) + 1,
    };
    let around = |code: i16| {
        let stacks = [code % WHITE_STACK, code % PIECE / WHITE_STACK]
            .map(|stacks| (stacks as usize).min(MOST_STACKS));
        let more = i32::from(code / PIECE) - i32::from(NOTHING / PIECE);
        let (own, enemy, more) = match viewer {
            Color::Black => (stacks[0], stacks[1], more),
            Color::White => (stacks[1], stacks[0], -more),
        };
        let difference = more.clamp(-MOST_DIFFERENCE, MOST_DIFFERENCE) + MOST_DIFFERENCE;
        ((own * STACKS + enemy) * DIFFERENCES + difference as usize) as u16
    };
    Rows {
        kinds: std::array::from_fn(|kind| (seen(kind) * SIDES.len() * AROUND) as u16),
        around: (0..2 * NOTHING).map(around).collect(),
    }
}

/// What the spaces of a position hold, and what is around each.
#[derive(Default)]
pub(super) struct Surroundings {
    kinds: Vec<u8>,
    around: Vec<i16>,
}

/// The change of a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) space: Cell,
    pub(super) color: Color,
    pub(super) before: u8,
    pub(super) after: u8,
}

impl Surroundings {
    /// Looks at a position.
    #[inline(always)]
    pub(super) fn read<B: Bitboard>(&mut self, game: &Gravel<B>, position: &Position<B>) {
        let Self { kinds, around } = self;
        kinds.clear();
        kinds.resize(game.shape.len(), VACANT);
        around.clear();
        around.resize(game.shape.len(), NOTHING);
        for &color in &Color::BOTH {
            for space in position.spaces[color.index()].cells() {
                let height = position.heights.get(space);
                kinds[space.index()] = kind(color, height);
                for &next in &game.neighbors[space.index()] {
                    around[next.index()] += share(color, height);
                }
            }
        }
    }

    /// Becomes a copy of another one, in the memory that it has.
    #[inline(always)]
    pub(super) fn copy(&mut self, other: &Self) {
        self.kinds.clone_from(&other.kinds);
        self.around.clone_from(&other.around);
    }

    /// Shows the row of each space for a side.
    #[inline(always)]
    pub(super) fn for_each<B: Bitboard>(
        &self,
        game: &Gravel<B>,
        perspective: usize,
        mut show: impl FnMut(u16),
    ) {
        let rows = &ROWS_OF[perspective];
        for space in 0..self.kinds.len() {
            let sides = game.neighbors[space].len();
            show(row(rows, sides, self.kinds[space], self.around[space]));
        }
    }

    /// Shows the rows that change with a stack, for a side: what each was, and what it is then. `GOES_ON` says whether what comes is
    /// seen from there, or again from here.
    #[inline(always)]
    pub(super) fn change<const GOES_ON: bool, B: Bitboard>(
        &mut self,
        game: &Gravel<B>,
        perspective: usize,
        change: Change,
        mut show: impl FnMut([u16; 2]),
    ) {
        let rows = &ROWS_OF[perspective];
        let Change {
            space,
            color,
            before,
            after,
        } = change;
        let neighbors = &game.neighbors[space.index()];
        let (old, new) = (self.kinds[space.index()], kind(color, after));
        if old != new {
            let around = self.around[space.index()];
            let sides = neighbors.len();
            show([row(rows, sides, old, around), row(rows, sides, new, around)]);
            if GOES_ON {
                self.kinds[space.index()] = new;
            }
        }
        let more = share(color, after) - share(color, before);
        for next in neighbors {
            let kind = self.kinds[next.index()];
            let around = &mut self.around[next.index()];
            let sides = game.neighbors[next.index()].len();
            let (gone, come) = (
                row(rows, sides, kind, *around),
                row(rows, sides, kind, *around + more),
            );
            if gone != come {
                show([gone, come]);
            }
            if GOES_ON {
                *around += more;
            }
        }
    }
}

/// The row of a space with so many next to it.
#[inline(always)]
fn row(rows: &Rows, sides: usize, kind: u8, around: i16) -> u16 {
    // Even the smallest board has none with fewer.
    let sides = sides.saturating_sub(SIDES[0]) * AROUND;
    rows.kinds[usize::from(kind)] + sides as u16 + rows.around[around as usize]
}
