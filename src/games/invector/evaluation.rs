//! What a player of Invector would look at before counting variations: the shapes that stones make with the pits around
//! them, what could be captured, and how far all are from the centre.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a part of the game for each number of stones, and a row for each pit"
)]

use once_cell::sync::Lazy;

use super::{Invector, Position, Step, off_centre};
use crate::board::{Bitboard, Direction, Shape, map_array};
use crate::nnue::{Layer, Network, Weights};
use crate::rules::{Evaluate, Sides};
use crate::games::shapes::{Codes, PartOfTwo, SHAPES, Windows};

/// Parts of the game, the last one first: by how many tenths of the pits have stones, from each of these numbers on.
const PARTS: [u32; 3] = [3, 5, 7];
const COLUMNS: usize = PARTS.len() + 1;

/// So many columns and ranks beside the middle ones are told apart; what is farther counts as the last.
const FAR: usize = 6;

/// What is counted of either side, the own one first.
const OF_EACH: [&str; 7] = ["stone", "hit", "loose", "alone", "quiet", "safe", "far"];

/// And of both: whether stones touch, when the first to strike gains; and to be the one to move.
const OF_BOTH: [&str; 2] = ["contact", "move"];

const OTHERS: usize = 2 * OF_EACH.len() + OF_BOTH.len();

/// Units of the network on top of the shapes and of where stones are.
const UNITS: usize = 32;

/// Boards with more pits than this, about 14x14, have no network: what it learned on smaller ones is wrong there.
const MOST_PITS: usize = 200;

/// The tables of boards with a network, and of those without.
static SMALL: Lazy<Weights> = Lazy::new(|| {
    let mut rows = SHAPES.names.clone();
    for side in SIDES {
        rows.extend((0..FAR).flat_map(|x| (0..FAR).map(move |y| format!("{side}.{x}.{y}"))));
    }
    let layer = Layer { only: 0, features: rows.len(), neurons: UNITS };
    rows.extend(names_of_others());
    Weights::built_in(rows, COLUMNS, layer, "invector, up to 200 pits", include_bytes!("weights/small.net"))
});
static LARGE: Lazy<Weights> = Lazy::new(|| {
    let (rows, file) = (names_of_others().collect(), include_bytes!("weights/large.net"));
    Weights::built_in(rows, COLUMNS, Layer::default(), "invector, more than 200 pits", file)
});

const SIDES: [&str; 2] = ["own", "enemy"];

/// The rows behind the inputs of the network.
fn names_of_others() -> impl Iterator<Item = String> {
    let of_each = SIDES.iter().flat_map(|side| OF_EACH.map(|what| format!("{side}.{what}")));
    of_each.chain(OF_BOTH.map(str::to_owned))
}

/// What is remembered of the sums over shapes and stones.
type Sums = crate::nnue::Accumulator<COLUMNS, UNITS>;

/// The weights as a search reads them.
pub(super) struct Worths {
    located: Option<Located>,
    /// By column, what all but inputs of the network is worth.
    others: [[i32; OTHERS]; COLUMNS],
}

impl Worths {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let Layer { features: first, neurons: units, .. } = weights.layer();
        let others = |column| std::array::from_fn(|other| weights.at(first + other, column));
        Self {
            located: (units > 0).then(|| Located::new(weights, shape)),
            others: std::array::from_fn(others),
        }
    }
}

/// The network of a board, and what its inputs are there.
struct Located {
    network: Network<COLUMNS, UNITS>,
    windows: Windows,
    /// By pit, the row of an own stone and of an enemy one.
    places: Vec<[u16; 2]>,
    /// By pit and direction, the shapes that a step changes.
    steps: Vec<[Vec<PartOfTwo>; 4]>,
}

impl Located {
    fn new(weights: &Weights, shape: &Shape) -> Self {
        let windows = Windows::new(shape);
        let place = |cell| {
            let [x, y] = off_centre(shape, cell).map(|off| usize::from(off).min(FAR - 1));
            [0, 1].map(|side| (SHAPES.names.len() + (side * FAR + x) * FAR + y) as u16)
        };
        let step = |from, direction| {
            let to = shape.neighbor(from, direction);
            to.map_or_else(Vec::new, |to| windows.parts_of_two([from, to]))
        };
        Self {
            network: Network::new(weights),
            places: shape.cells().map(place).collect(),
            steps: shape.cells().map(|from| Direction::ALL.map(|direction| step(from, direction))).collect(),
            windows,
        }
    }

    /// The shapes that a step changes.
    #[inline(always)]
    fn parts(&self, step: Step) -> &[PartOfTwo] {
        &self.steps[step.from().index()][step.direction()]
    }

    /// Shows the rows of all stones, for a side.
    #[inline(always)]
    fn stones<B: Bitboard>(&self, own: B, enemy: B, mut show: impl FnMut(u16)) {
        for &(stones, side) in &[(own, MOVER), (enemy, OTHER)] {
            for cell in stones.cells() {
                show(self.places[cell.index()][side]);
            }
        }
    }
}

/// What is remembered of a position to see how a step changes it: what all positions behind the one before it have in
/// common, and what they have not.
pub struct Outlook<B> {
    /// The position before, or this one where that is not known, and in which view the side that moves next sees it.
    base: Option<(Position<B>, usize)>,
    /// The step from there.
    step: Option<Step>,
    /// The shapes of the base, and all sums in this view, once they are known.
    base_codes: Codes,
    base_sums: Option<Sums>,
    /// The same of the position.
    codes: Codes,
    sums: Option<Sums>,
}

/// The views of a position, and whose a stone is in one of them: the side to move there, or the other.
const MOVER: usize = 0;
const OTHER: usize = 1;

impl<B> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            base: None,
            step: None,
            base_codes: Codes::default(),
            base_sums: None,
            codes: Codes::default(),
            sums: None,
        }
    }
}

/// A step as one view sees it.
#[derive(Clone, Copy)]
struct Moving {
    step: Step,
    /// Whose stone it is there.
    mover: usize,
    captures: bool,
}

impl Moving {
    /// What it adds to the codes in the pit it starts from, and in the one it leads to.
    #[inline(always)]
    fn digits(self) -> [i16; 2] {
        let stones = [1, 2];
        let taken = if self.captures { stones[1 - self.mover] } else { 0 };
        [-stones[self.mover], stones[self.mover] - taken]
    }
}

impl<B: Bitboard> Invector<B> {
    #[inline(always)]
    fn worths(&self) -> &Worths {
        self.weights.parameters(|| self.own_weights(), |weights| Worths::new(weights, &self.shape))
    }

    fn own_weights(&self) -> Weights {
        if self.shape.len() > MOST_PITS { LARGE.clone() } else { SMALL.clone() }
    }

    /// How often there is of one side what [`OF_EACH`] names.
    #[inline(always)]
    fn seen(&self, own: B, enemy: B) -> [i32; OF_EACH.len()] {
        let (near, near_enemy) = (self.grid.next_to(own), self.grid.next_to(enemy));
        // What the other side could capture, and of that what nobody stands next to who could strike back.
        let hit = own & near_enemy;
        let empty = self.grid.cells() & !(own | enemy);
        let (mut quiet, mut safe) = (0, 0);
        for &direction in &Direction::ALL {
            let to = self.grid.shift(own, direction) & self.inward[direction as usize] & empty;
            quiet += to.count();
            safe += (to & !near_enemy).count();
        }
        let mut far = 0;
        for &pits in &self.distant {
            far += (own & pits).count();
        }
        let seen = [own.count(), hit.count(), (hit & !near).count(), (own & !near).count(), quiet, safe, far];
        map_array(seen, #[inline(always)] |count| count as i32)
    }

    /// The column of the weights with these stones.
    #[inline(always)]
    fn column(&self, stones: B) -> usize {
        let tenths = 10 * stones.count() / self.shape.len() as u32;
        let mut column = 0;
        for &least in &PARTS {
            column += usize::from(tenths >= least);
        }
        column
    }

    /// How often there is what the rows behind the inputs of the network are for.
    #[inline(always)]
    fn others(&self, own: B, enemy: B) -> [i32; OTHERS] {
        let (ours, theirs) = (self.seen(own, enemy), self.seen(enemy, own));
        let mut others = [1; OTHERS];
        for i in 0..OF_EACH.len() {
            others[i] = ours[i];
            others[OF_EACH.len() + i] = theirs[i];
        }
        others[2 * OF_EACH.len()] = i32::from(ours[1] > 0);
        others
    }

    /// The sums of the position that an outlook is of, in the view of the side that moves next; its codes are known then, too.
    #[inline(always)]
    fn sums(&self, outlook: &mut Outlook<B>, located: &Located) -> Sums {
        let Outlook { base, step, base_codes, base_sums, codes, sums } = outlook;
        if let Some(sums) = sums {
            return *sums;
        }
        let network = &located.network;
        let Some((base, view)) = base else {
            return network.bias();
        };
        let Sides { own, enemy } = base.stones;
        let mut found = match base_sums {
            Some(sums) => *sums,
            None => {
                located.windows.read(own, enemy, base_codes);
                let mut sums = located.windows.sums_of(base_codes, *view, network);
                let [own, enemy] = if *view == MOVER { [own, enemy] } else { [enemy, own] };
                located.stones(own, enemy, #[inline(always)] |row| sums.add(network.feature(row)));
                *base_sums = Some(sums);
                sums
            }
        };
        codes.copy(base_codes);
        if let Some(step) = *step {
            let moving = Moving { step, mover: MOVER, captures: enemy.has(self.target(step)) };
            self.change_sums(&mut found, codes, *view, moving, located);
            Windows::change_two(codes, located.parts(step), *view, moving.digits());
        }
        *sums = Some(found);
        found
    }

    /// Changes sums as a step does from a position with these codes.
    #[inline(always)]
    fn change_sums(
        &self,
        sums: &mut Sums,
        codes: &Codes,
        view: usize,
        moving: Moving,
        located: &Located,
    ) {
        let Moving { step, mover, captures } = moving;
        let Located { network, places, .. } = located;
        let (from, to) = (step.from().index(), self.target(step).index());
        sums.exchange(network.feature(places[from][mover]), network.feature(places[to][mover]));
        if captures {
            sums.remove(network.feature(places[to][1 - mover]));
        }
        Windows::exchange_two(sums, codes, located.parts(step), view, moving.digits(), network);
    }

    /// What all but the inputs of the network is worth in a column.
    #[inline(always)]
    fn worth_of_others(&self, Sides { own, enemy }: Sides<B>, column: usize) -> i32 {
        let (times, worth) = (self.others(own, enemy), &self.worths().others[column]);
        let mut value = 0;
        for other in 0..OTHERS {
            value += times[other] * worth[other];
        }
        value
    }
}

impl<B: Bitboard> Evaluate for Invector<B> {
    type Outlook = Outlook<B>;

    fn weights(&self) -> &Weights {
        self.weights.weights(|| self.own_weights())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let Sides { own, enemy } = position.stones;
        let column = self.column(own | enemy);
        if let Some(located) = &self.worths().located {
            let mut add_row = |row: u16| add(row.into(), column, 1);
            located.windows.rows(own, enemy, &mut add_row);
            located.stones(own, enemy, &mut add_row);
        }
        let first = self.weights().layer().features;
        (first..).zip(self.others(own, enemy)).for_each(|(row, times)| add(row, column, times));
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let Sides { own, enemy } = position.stones;
        let column = self.column(own | enemy);
        let sum = self.worth_of_others(position.stones, column);
        let Some(located) = &self.worths().located else {
            return sum;
        };
        let network = &located.network;
        let mut sums = located.windows.sums(own, enemy, network);
        located.stones(own, enemy, #[inline(always)] |row| sums.add(network.feature(row)));
        sum + network.output(&sums, column)
    }

    #[inline(always)]
    fn prepare(
        &self,
        before: Option<(&Position<B>, Step)>,
        position: &Position<B>,
        outlook: &mut Outlook<B>,
    ) {
        let before = before.filter(|(_, step)| !step.is_special());
        let base = match before {
            Some((before, _)) => (*before, MOVER),
            None => (*position, OTHER),
        };
        if outlook.base != Some(base) {
            outlook.base = Some(base);
            outlook.base_sums = None;
        }
        outlook.step = before.map(|(_, step)| step);
        outlook.sums = None;
    }

    /// A step changes the twelve shapes about the two pits.
    #[inline(always)]
    fn evaluate_next(
        &self,
        outlook: &mut Outlook<B>,
        position: &Position<B>,
        step: Step,
        next: &Position<B>,
    ) -> i32 {
        let located = match &self.worths().located {
            Some(located) if !step.is_special() => located,
            _ => return self.evaluate(next),
        };
        let mut sums = self.sums(outlook, located);
        let view = outlook.base.map_or(OTHER, |(_, view)| view);
        let moving = Moving { step, mover: OTHER, captures: position.stones.enemy.has(self.target(step)) };
        self.change_sums(&mut sums, &outlook.codes, view, moving, located);
        let column = self.column(next.stones.own | next.stones.enemy);
        located.network.output(&sums, column) + self.worth_of_others(next.stones, column)
    }
}
