//! The network: what each space and what is around it makes of the game, with how far both players are from losing.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each column and each row, and are indexed by those"
)]

use super::super::steps::Action;
use super::super::{Gravel, Position, Step};
use super::surroundings::{self, Change, Surroundings};
use super::{COLUMNS, MARGIN, SPARE, column};
use crate::board::{Bitboard, Cell, Numbers};
use crate::nnue::{Layer, Network, Weights};
use crate::rules::Color;

/// Units of the network.
const UNITS: usize = 32;

/// So many numbers of pieces in a pool are told apart, from none on.
const POOL: usize = 8;

/// What may still be done in a turn, and by so many numbers of actions, from one on.
const MAY: [&str; 3] = ["place", "remove", "both"];
const LEFT: usize = 4;

/// Rows behind those of spaces that are seen or not: of each player the margin, what it has to spare and its pool, and what may
/// still be done.
const OF_SIDE: usize = MARGIN + SPARE + POOL;
const STATES: usize = 2 * OF_SIDE + MAY.len() * LEFT;

/// Rows behind all inputs: of each player its spaces and what it has lost.
const COUNTS: [&str; 4] = ["own.space", "own.removed", "enemy.space", "enemy.removed"];
const OTHERS: usize = STATES + COUNTS.len();

type Sums = crate::nnue::Accumulator<0, UNITS>;

/// A table of weights with a network.
pub(super) fn table(purpose: &str, file: &[u8]) -> Weights {
    let mut rows: Vec<String> = surroundings::names().collect();
    for side in ["own", "enemy"] {
        for (what, numbers) in [("margin", MARGIN), ("spare", SPARE), ("pool", POOL)] {
            rows.extend((0..numbers).map(|number| format!("{side}.{what}.{number}")));
        }
    }
    rows.extend(MAY.iter().flat_map(|may| (1..=LEFT).map(move |left| format!("{may}.{left}"))));
    let layer = Layer { only: surroundings::ROWS, features: rows.len(), neurons: UNITS };
    rows.extend(COUNTS.map(str::to_owned));
    Weights::built_in(rows, COLUMNS, layer, purpose, file)
}

/// The weights as a search reads them.
pub(super) struct Worths {
    network: Network<0, UNITS>,
    /// By column, the rows behind those of spaces.
    others: Vec<[i32; OTHERS]>,
}

impl Worths {
    /// Reads a table, if it has a network.
    pub(super) fn new(weights: &Weights) -> Option<Self> {
        let others = |column| std::array::from_fn(|row| weights.at(surroundings::ROWS + row, column));
        (weights.layer().neurons == UNITS).then(|| Self {
            network: Network::new(weights),
            others: (0..weights.buckets()).map(others).collect(),
        })
    }
}

/// What is seen of a position but its spaces, by rows behind theirs.
struct Rest {
    states: [usize; 7],
    counts: [i32; COUNTS.len()],
}

impl<B: Bitboard> Gravel<B> {
    #[inline(always)]
    fn rest(&self, position: &Position<B>) -> Rest {
        let of_side = |color: Color| {
            let (margin, spare) = self.distances(position, color);
            let pool = self.pool(position, color) as usize;
            [margin, MARGIN + spare, MARGIN + SPARE + pool.min(POOL - 1)]
        };
        let (own, enemy) = (position.side, !position.side);
        let [a, b, c] = of_side(own);
        let [d, e, f] = of_side(enemy);
        let (used, left) = (position.used, self.x.saturating_sub(position.used.total()) as usize);
        let may = match (used.may_place(), used.may_remove(self.x)) {
            (true, true) => 2,
            (false, _) => 1,
            (true, false) => 0,
        };
        let may = 2 * OF_SIDE + LEFT * may + left.clamp(1, LEFT) - 1;
        let count = |color: Color| {
            let spaces = position.spaces[color.index()].count();
            [spaces as i32, position.removed[color.index()] as i32]
        };
        let ([own_spaces, own_removed], [enemy_spaces, enemy_removed]) = (count(own), count(enemy));
        Rest {
            states: [a, b, c, OF_SIDE + d, OF_SIDE + e, OF_SIDE + f, may],
            counts: [own_spaces, own_removed, enemy_spaces, enemy_removed],
        }
    }

    /// Shows what there is in a position.
    pub(super) fn terms_of_network(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let column = column(position, self.pieces);
        let mut surroundings = Surroundings::default();
        surroundings.read(self, position);
        surroundings.for_each(self, position.side, |row| add(row.into(), column, 1));
        let Rest { states, counts } = self.rest(position);
        for &state in &states {
            add(surroundings::ROWS + state, column, 1);
        }
        for (row, count) in (surroundings::ROWS + STATES..).zip(counts) {
            add(row, column, count);
        }
    }

    /// What a position is worth.
    #[inline(always)]
    pub(super) fn value(&self, worths: &Worths, position: &Position<B>) -> i32 {
        let mut surroundings = Surroundings::default();
        surroundings.read(self, position);
        let mut sums = self.sums(worths, &surroundings, position.side);
        self.value_with(worths, position, &mut sums)
    }

    /// The sums over all spaces for a side.
    #[inline(always)]
    fn sums(&self, worths: &Worths, surroundings: &Surroundings, viewer: Color) -> Sums {
        let mut sums = worths.network.bias();
        surroundings.for_each(
            self,
            viewer,
            #[inline(always)]
            |row| sums.add(worths.network.feature(row)),
        );
        sums
    }

    /// What a position is worth with the sums over its spaces.
    #[inline(always)]
    fn value_with(&self, worths: &Worths, position: &Position<B>, sums: &mut Sums) -> i32 {
        let column = column(position, self.pieces);
        let others = &worths.others[column];
        let Rest { states, counts } = self.rest(position);
        let mut value = 0;
        for &state in &states {
            value += others[state];
            sums.add(worths.network.feature((surroundings::ROWS + state) as u16));
        }
        for count in 0..COUNTS.len() {
            value += counts[count] * others[STATES + count];
        }
        value + worths.network.output(sums, column)
    }
}

/// A position with the sums for each side, as far as they are known.
#[derive(Default)]
struct View {
    surroundings: Surroundings,
    sums: [Option<Sums>; 2],
}

impl View {
    #[inline(always)]
    fn read<B: Bitboard>(&mut self, game: &Gravel<B>, position: &Position<B>) {
        self.surroundings.read(game, position);
        self.sums = [None; 2];
    }

    #[inline(always)]
    fn sums<B: Bitboard>(&mut self, game: &Gravel<B>, worths: &Worths, viewer: Color) -> &Sums {
        let Self { surroundings, sums } = self;
        sums[viewer.index()].get_or_insert_with(|| game.sums(worths, surroundings, viewer))
    }

    /// Becomes a copy of another one, for one side.
    #[inline(always)]
    fn copy<B: Bitboard>(&mut self, other: &mut Self, game: &Gravel<B>, worths: &Worths, viewer: Color) {
        self.surroundings.copy(&other.surroundings);
        self.sums = [None; 2];
        self.sums[viewer.index()] = Some(*other.sums(game, worths, viewer));
    }

    /// Becomes what a change makes of it, for a side whose sums are known.
    #[inline(always)]
    fn go_on<B: Bitboard>(&mut self, game: &Gravel<B>, worths: &Worths, viewer: Color, change: Change) {
        if let Some(sums) = &mut self.sums[viewer.index()] {
            apply::<true, B>(&mut self.surroundings, sums, (game, worths), viewer, change);
        }
    }
}

/// Changes a stack and sums for a side.
#[inline(always)]
fn apply<const GOES_ON: bool, B: Bitboard>(
    surroundings: &mut Surroundings,
    sums: &mut Sums,
    (game, worths): (&Gravel<B>, &Worths),
    viewer: Color,
    change: Change,
) {
    surroundings.change::<GOES_ON, B>(
        game,
        viewer,
        change,
        #[inline(always)]
        |rows| {
            let [gone, come] = rows;
            sums.exchange(worths.network.feature(gone), worths.network.feature(come));
        },
    );
}

/// What is remembered of a position to see how a step changes it. All positions behind the one before it are seen from there.
pub struct Outlook<B: Bitboard> {
    /// The position before, where it is known, with the step from there.
    before: Option<(Position<B>, Step)>,
    /// The position that `view_before` was read of: the one before, once it was needed, or still that of an earlier outlook.
    made_before: Option<Position<B>>,
    view_before: View,
    /// Whether `view` is of this position: it is read when the first step is asked for.
    is_read: bool,
    view: View,
    /// A piece that was put onto a space of `view`, and for which side `with_put` are the sums with it: many relocations lead to
    /// the same space.
    put: Option<(Change, Color)>,
    with_put: Sums,
    /// The sums behind a step. (Here the compiler works on them in whole vectors, which it does not where they are a variable.)
    sums: Sums,
}

impl<B: Bitboard> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            before: None,
            made_before: None,
            view_before: View::default(),
            is_read: false,
            view: View::default(),
            put: None,
            with_put: Sums::default(),
            sums: Sums::default(),
        }
    }
}

/// How a step changes stacks: one that loses or gets a piece, and before that, one that a piece is moved onto.
struct Changes {
    onto: Option<Change>,
    other: Option<Change>,
}

impl<B: Bitboard> Outlook<B> {
    /// Says of what position it is. What there is to see is found when it is needed.
    #[inline(always)]
    pub(super) fn prepare(&mut self, before: Option<(&Position<B>, Step)>) {
        self.before = before.map(|(before, step)| (*before, step));
        self.is_read = false;
    }

    #[inline(always)]
    fn read(&mut self, game: &Gravel<B>, worths: &Worths, position: &Position<B>, viewer: Color) {
        let Self { before, made_before, view_before, is_read, view, put, .. } = self;
        if *is_read {
            return;
        }
        *put = None;
        match before {
            Some((before, step)) if step.action() != Action::Swap => {
                if *made_before != Some(*before) {
                    view_before.read(game, before);
                    *made_before = Some(*before);
                }
                view.copy(view_before, game, worths, viewer);
                let Changes { onto, other } = changes(before, *step);
                for change in onto.into_iter().chain(other) {
                    view.go_on(game, worths, viewer, change);
                }
            }
            _ => view.read(game, position),
        }
        *is_read = true;
    }

    /// Puts a piece onto a space, or none, and takes back the one that was put there before.
    #[inline(always)]
    fn put(&mut self, game: &Gravel<B>, worths: &Worths, viewer: Color, onto: Option<Change>) {
        let is_put = self.put.map(|(change, viewer)| (change.space, viewer));
        if is_put == onto.map(|change| (change.space, viewer)) {
            return;
        }
        let View { surroundings, .. } = &mut self.view;
        if let Some((change, viewer)) = self.put.take() {
            surroundings.change::<true, B>(game, viewer, change.reversed(), |_| {});
        }
        if let Some(change) = onto {
            self.with_put = *self.view.sums(game, worths, viewer);
            let View { surroundings, .. } = &mut self.view;
            apply::<true, B>(surroundings, &mut self.with_put, (game, worths), viewer, change);
            self.put = Some((change, viewer));
        }
    }

    /// What the position behind a step is worth.
    #[inline(always)]
    pub(super) fn value(
        &mut self,
        game: &Gravel<B>,
        worths: &Worths,
        (position, step): (&Position<B>, Step),
        next: &Position<B>,
    ) -> i32 {
        if step.action() == Action::Swap {
            return game.value(worths, next);
        }
        let viewer = next.side;
        self.read(game, worths, position, viewer);
        let Changes { onto, other } = changes(position, step);
        self.put(game, worths, viewer, onto);
        self.sums = match self.put {
            Some(_) => self.with_put,
            None => *self.view.sums(game, worths, viewer),
        };
        if let Some(change) = other {
            let View { surroundings, .. } = &mut self.view;
            apply::<false, B>(surroundings, &mut self.sums, (game, worths), viewer, change);
        }
        game.value_with(worths, next, &mut self.sums)
    }
}

/// How a step, which is no swap, changes the stacks of a position.
#[inline(always)]
fn changes<B: Bitboard>(position: &Position<B>, step: Step) -> Changes {
    let of = |space: Cell, color, by: i8| {
        let before = position.heights.get(space);
        Some(Change { space, color, before, after: before.wrapping_add_signed(by) })
    };
    let side = position.side;
    let (onto, other) = match step.action() {
        Action::Place(space) => (None, of(space, side, 1)),
        Action::Relocate(from, to) => (of(to, side, 1), of(from, side, -1)),
        Action::Retract(space) => (None, of(space, side, -1)),
        Action::Remove(space) => (None, of(space, !side, -1)),
        Action::End | Action::Swap => (None, None),
    };
    Changes { onto, other }
}
