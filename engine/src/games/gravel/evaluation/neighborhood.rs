//! Neighborhood features: the contents of a space together with the stacks next to it.
//!
//! The stacks next to a space decide who controls it (`protocol/games/gravel.md`).
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each color, space, contents of a space and code of its neighbors"
)]

use once_cell::sync::Lazy;

use super::super::{Gravel, Position};
use crate::board::{Bitboard, Cell, Mailbox};
use crate::rules::Color;

/// Maximum height of a stack in features; higher ones count as this one.
const MAX_HEIGHT: u8 = 4;

/// Contents of a vacant space. Stacks of Black follow by height, then those of White.
const VACANT: u8 = 0;

/// Number of contents of a space.
const CONTENTS: usize = 1 + 2 * MAX_HEIGHT as usize;

/// Numbers of spaces next to one: in a corner, at an edge, inside.
const DEGREES: [usize; 3] = [2, 3, 4];

/// Maximum number of one side's stacks next to a space in features; more count as this many.
const MAX_STACKS: usize = 3;

/// Maximum difference between the two sides' pieces next to a space in features; larger ones count as this one.
const MAX_DIFFERENCE: i32 = 4;

/// Number of counts of one side's stacks next to a space.
const STACKS: usize = MAX_STACKS + 1;

/// Number of differences between own and enemy pieces next to a space.
const DIFFERENCES: usize = 2 * MAX_DIFFERENCE as usize + 1;

/// Number of neighborhoods: by own stacks, enemy stacks and the difference in pieces.
const NEIGHBORHOODS: usize = STACKS * STACKS * DIFFERENCES;

/// Number of features.
pub(super) const COUNT: usize = CONTENTS * DEGREES.len() * NEIGHBORHOODS;

/// Returns the names of the features.
///
/// `o2.3.1.2.-3` is a space with two own pieces, at an edge (three adjacent spaces), next to one own stack and two
/// enemy ones, which have three pieces more. `e` is an enemy stack, `-` a vacant space.
pub(super) fn names() -> impl Iterator<Item = String> {
    let stacks = |side: char| (1..=MAX_HEIGHT).map(move |height| format!("{side}{height}"));
    let contents = std::iter::once("-".to_owned()).chain(stacks('o')).chain(stacks('e'));
    contents.flat_map(|contents| {
        DEGREES.into_iter().flat_map(move |degree| {
            let contents = contents.clone();
            (0..NEIGHBORHOODS).map(move |neighborhood| {
                let stacks = neighborhood / DIFFERENCES;
                let (own, enemy) = (stacks / STACKS, stacks % STACKS);
                let difference = (neighborhood % DIFFERENCES) as i32 - MAX_DIFFERENCE;
                format!("{contents}.{degree}.{own}.{enemy}.{difference}")
            })
        })
    })
}

/// Contribution of a stack of White to the neighborhood code of a space next to it. That of a stack of Black is 1.
const WHITE_STACK: i16 = 5;

/// Contribution of each piece of Black to a neighborhood code. A piece of White subtracts it.
const PIECE: i16 = 25;

/// Neighborhood code of a space without stacks next to it.
const EMPTY_CODE: i16 = PIECE * 512;

/// Returns the contribution of a stack to the neighborhood codes of the spaces next to it.
#[inline(always)]
fn contribution(color: Color, height: u8) -> i16 {
    match (height, color) {
        (0, _) => 0,
        (_, Color::Black) => 1 + PIECE * i16::from(height),
        (_, Color::White) => WHITE_STACK - PIECE * i16::from(height),
    }
}

/// Returns the contents of a space with a stack of this height.
#[inline(always)]
fn contents(color: Color, height: u8) -> u8 {
    match height {
        0 => VACANT,
        _ => color.index() as u8 * MAX_HEIGHT + height.min(MAX_HEIGHT),
    }
}

/// Features as seen from one perspective; a feature is the sum of its two parts and of that of its degree.
struct FeatureTable {
    /// By contents of the space, the first feature.
    contents: [u16; CONTENTS],
    /// By neighborhood code, the offset of the feature.
    neighborhoods: Vec<u16>,
}

/// Tables by perspective, Black first.
static TABLES: Lazy<[FeatureTable; 2]> = Lazy::new(|| Color::BOTH.map(table));

fn table(perspective: Color) -> FeatureTable {
    // White sees its own stacks where Black's are.
    let seen = |contents: usize| match contents {
        _ if contents == usize::from(VACANT) || perspective == Color::Black => contents,
        _ => (contents - 1 + usize::from(MAX_HEIGHT)) % (CONTENTS - 1) + 1,
    };
    let neighborhood = |code: i16| {
        let at_most = |stacks: i16| (stacks as usize).min(MAX_STACKS);
        let black = at_most(code % WHITE_STACK);
        let white = at_most(code % PIECE / WHITE_STACK);
        let lead = i32::from(code / PIECE) - i32::from(EMPTY_CODE / PIECE);
        let (own, enemy, lead) = match perspective {
            Color::Black => (black, white, lead),
            Color::White => (white, black, -lead),
        };
        let difference = lead.clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE) + MAX_DIFFERENCE;
        ((own * STACKS + enemy) * DIFFERENCES + difference as usize) as u16
    };
    let first = |contents| (seen(contents) * DEGREES.len() * NEIGHBORHOODS) as u16;
    FeatureTable {
        contents: std::array::from_fn(first),
        neighborhoods: (0..2 * EMPTY_CODE).map(neighborhood).collect(),
    }
}

/// Contents and neighborhood codes of all spaces of a position.
#[derive(Default)]
pub(super) struct NeighborhoodFeatures {
    /// By space.
    contents: Vec<u8>,
    /// By space.
    codes: Vec<i16>,
}

/// Change of the height of a stack.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) space: Cell,
    pub(super) color: Color,
    pub(super) before: u8,
    pub(super) after: u8,
}

impl NeighborhoodFeatures {
    /// Computes the features of a position.
    #[inline(always)]
    pub(super) fn refresh<B: Bitboard>(&mut self, game: &Gravel<B>, position: &Position<B>) {
        let Self { contents: by_space, codes } = self;
        by_space.clear();
        by_space.resize(game.shape.len(), VACANT);
        codes.clear();
        codes.resize(game.shape.len(), EMPTY_CODE);
        for &color in &Color::BOTH {
            for space in position.spaces[color.index()].cells() {
                let height = position.heights.get(space);
                by_space[space.index()] = contents(color, height);
                for &next in &game.neighbors[space.index()] {
                    codes[next.index()] += contribution(color, height);
                }
            }
        }
    }

    /// Copies another value without allocating.
    #[inline(always)]
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.contents.clone_from(&other.contents);
        self.codes.clone_from(&other.codes);
    }

    /// Visits the feature of each space, from a perspective.
    #[inline(always)]
    pub(super) fn for_each<B: Bitboard>(&self, game: &Gravel<B>, perspective: usize, mut visit: impl FnMut(u16)) {
        let table = &TABLES[perspective];
        for space in 0..self.contents.len() {
            let degree = game.neighbors[space].len();
            visit(feature(table, degree, self.contents[space], self.codes[space]));
        }
    }

    /// Visits the features that a change of a stack replaces, from a perspective: the old and the new one.
    ///
    /// With `ADVANCE` the features become those after the change, else they stay as they are.
    #[inline(always)]
    pub(super) fn update<const ADVANCE: bool, B: Bitboard>(
        &mut self,
        game: &Gravel<B>,
        perspective: usize,
        change: Change,
        mut visit: impl FnMut([u16; 2]),
    ) {
        let table = &TABLES[perspective];
        let Change { space, color, before, after } = change;
        let neighbors = &game.neighbors[space.index()];
        let (old, new) = (self.contents[space.index()], contents(color, after));
        if old != new {
            let code = self.codes[space.index()];
            let degree = neighbors.len();
            visit([feature(table, degree, old, code), feature(table, degree, new, code)]);
            if ADVANCE {
                self.contents[space.index()] = new;
            }
        }
        let difference = contribution(color, after) - contribution(color, before);
        for next in neighbors {
            let contents = self.contents[next.index()];
            let code = &mut self.codes[next.index()];
            let degree = game.neighbors[next.index()].len();
            let (old, new) =
                (feature(table, degree, contents, *code), feature(table, degree, contents, *code + difference));
            if old != new {
                visit([old, new]);
            }
            if ADVANCE {
                *code += difference;
            }
        }
    }
}

/// Returns the feature of a space with this number of adjacent spaces.
#[inline(always)]
fn feature(table: &FeatureTable, degree: usize, contents: u8, code: i16) -> u16 {
    // Every space has at least two adjacent ones, even on the smallest board.
    let degree = degree.saturating_sub(DEGREES[0]) * NEIGHBORHOODS;
    table.contents[usize::from(contents)] + degree as u16 + table.neighborhoods[code as usize]
}
