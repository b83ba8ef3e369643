//! What a player of Invictus would look at before counting variations: where the dice are and what captures what, the points, and
//! the race: whoever brings the last die home ends the game.

use once_cell::sync::Lazy;

use super::stands::{self, Change, Row, Stands, VALUES};
use super::{Action, Invictus, Position, Step, WAYS};
use crate::board::{Bitboard, Cell};
use crate::nnue::{Layer, Network, Weights};
use crate::rules::{Color, Evaluate};

/// Parts of the game for the dice of a side, the last one first: by how many steps the other side still needs to bring all
/// of its own home, at most; what is more is one part more. Dice that have not crossed the Divide by then are worth nothing.
const PARTS: [u32; 3] = [6, 26, 70];

/// A column for each part for the side to move and each for the other.
const COLUMNS: usize = (PARTS.len() + 1) * (PARTS.len() + 1);

/// So many steps are needed from where a die is set again.
const FROM_HAND: u32 = 7;

/// How clearly a game was won: so many points more make the odds e times as good.
const POINTS: f64 = 6.0;

/// Points beyond these are not told apart.
const MOST_POINTS: u32 = 1000;

/// Units of the network.
const UNITS: usize = 32;

/// Inputs behind those of the dice of both sides: the values of a die in hand. A one that is captured is gone.
const HELD: usize = 2 * stands::ROWS;
const INPUTS: usize = HELD + VALUES - 1;

/// Rows behind the inputs: points scored more than the other side, and to be the one to move.
const POINT: usize = INPUTS;
const MOVE: usize = POINT + 1;

static WEIGHTS: Lazy<Weights> = Lazy::new(|| {
    let sides = ["own", "enemy"].iter();
    let mut rows: Vec<String> =
        sides.flat_map(|side| stands::names().into_iter().map(move |name| format!("{side}.{name}"))).collect();
    rows.extend((1..VALUES).map(|value| format!("held.{value}")));
    rows.extend(["point", "move"].map(str::to_owned));
    let layer = Layer { only: 0, features: INPUTS, neurons: UNITS };
    Weights::built_in(rows, COLUMNS, layer, "invictus", include_bytes!("weights.net"))
});

/// What is remembered of the sums over inputs.
type Sums = crate::nnue::Accumulator<COLUMNS, UNITS>;

/// The weights as a search reads them.
pub(super) struct Worths {
    network: Network<COLUMNS, UNITS>,
    /// By column, a point and the move.
    others: [[i32; 2]; COLUMNS],
}

impl Worths {
    fn new(weights: &Weights) -> Self {
        let others = |column| [POINT, MOVE].map(|row| weights.at(row, column));
        Self {
            network: Network::new(weights),
            others: std::array::from_fn(others),
        }
    }
}

/// The input of a row of a die for a side.
#[inline(always)]
fn input(viewer: Color, Row { color, row }: Row) -> u16 {
    if color == viewer.index() { row } else { row + stands::ROWS as u16 }
}

/// A position as the network sees it.
#[derive(Clone, Copy, Default)]
struct View {
    stands: Stands,
    /// For Black and for White, the sums over its dice, as far as they are known.
    sums: [Option<Sums>; 2],
    /// How many steps each needs to bring all dice home.
    races: [u32; 2],
}

impl View {
    /// Looks at a position.
    #[inline(always)]
    fn read<B: Bitboard>(&mut self, game: &Invictus<B>, position: &Position<B>) {
        self.stands.read(position);
        self.sums = [None; 2];
        self.races = game.races(position);
    }

    /// The sums for a side.
    #[inline(always)]
    fn sums<B: Bitboard>(
        &mut self,
        game: &Invictus<B>,
        position: &Position<B>,
        viewer: Color,
    ) -> Sums {
        let Self { stands, sums: known, .. } = self;
        let known = &mut known[viewer.index()];
        *known.get_or_insert_with(|| sums_of(&game.worths().network, stands, position, viewer))
    }

    /// The position behind a step, with the sums for one side: those of this position are found once for all its steps.
    #[inline(always)]
    fn after<B: Bitboard>(
        &mut self,
        game: &Invictus<B>,
        position: &Position<B>,
        step: Step,
        viewer: Color,
    ) -> Self {
        let network = &game.worths().network;
        let mut sums = self.sums(game, position, viewer);
        let mut stands = self.stands;
        stands.change::<true, B>(game, position, step, #[inline(always)] |change| {
            apply(&mut sums, network, viewer, change);
        });
        let mut known = [None; 2];
        known[viewer.index()] = Some(sums);
        Self {
            stands,
            sums: known,
            races: game.races_after(position, step, self.races),
        }
    }
}

/// What is remembered of a position to see how a step changes it. All positions behind the one before it are seen from there.
pub struct Outlook<B> {
    /// The position before, where it is known, with the step from there.
    before: Option<(Position<B>, Step)>,
    /// The position that `view_before` was read of: the one before, once it was needed, or still that of an earlier outlook.
    made_before: Option<Position<B>>,
    view_before: View,
    /// Whether `view` is of this position: it is read when the first step is asked for.
    is_read: bool,
    view: View,
}

impl<B> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            before: None,
            made_before: None,
            view_before: View::default(),
            is_read: false,
            view: View::default(),
        }
    }
}

impl<B: Bitboard> Invictus<B> {
    fn worths(&self) -> &Worths {
        self.weights.parameters(|| WEIGHTS.clone(), Worths::new)
    }

    /// How many steps a side needs to bring its dice home.
    #[inline(always)]
    fn race(&self, dice: B, color: Color) -> u32 {
        let ranks = &self.ranks_forward[color.index()];
        let mut race = 0;
        for steps in 0..ranks.len() {
            race += steps as u32 * (dice & ranks[ranks.len() - 1 - steps]).count();
        }
        race
    }

    /// The column of the weights of a position in which Black and White need so many steps.
    #[inline(always)]
    fn column(&self, position: &Position<B>, races: [u32; 2]) -> usize {
        let (own_race, enemy_race) = (races[position.side.index()], races[(!position.side).index()]);
        let in_hand = if position.hand > 0 { FROM_HAND } else { 0 };
        let part = |race: u32| {
            let mut part = 0;
            for &most in &PARTS {
                part += usize::from(race > most);
            }
            part
        };
        (PARTS.len() + 1) * part(enemy_race) + part(own_race + in_hand)
    }

    /// How many steps Black and White need.
    #[inline(always)]
    fn races(&self, position: &Position<B>) -> [u32; 2] {
        let [black, white] = position.by_color();
        [self.race(black, Color::Black), self.race(white, Color::White)]
    }

    /// The same behind a step from a position where they need so many.
    #[inline(always)]
    fn races_after(&self, position: &Position<B>, step: Step, mut races: [u32; 2]) -> [u32; 2] {
        let side = position.side;
        let home = |color: Color, cell: Cell| 8 - u32::from(self.rank_forward[color.index()][cell.index()]);
        match step.action() {
            Action::Set { cell, .. } => races[side.index()] += home(side, cell),
            Action::Move { from, way } => {
                let to = self.target(from, way);
                races[side.index()] -= u32::from(WAYS[way].1 != 0);
                if position.dice.enemy.has(to) {
                    races[(!side).index()] -= home(!side, to);
                }
            }
            Action::Pass => {}
        }
        races
    }

    /// How many points the side to move has scored more than the other.
    #[inline(always)]
    fn lead(&self, position: &Position<B>) -> i32 {
        let score = |color: Color| position.scored[color.index()].min(MOST_POINTS) as i32;
        let (black, white) = (score(Color::Black), score(Color::White));
        if position.side == Color::Black { black - white } else { white - black }
    }

    /// The input of a die in hand.
    #[inline(always)]
    fn held(&self, position: &Position<B>) -> Option<u16> {
        (position.hand > 0).then(|| (HELD + usize::from(position.hand) - 1) as u16)
    }

    /// What sums over dice are worth with all else.
    #[inline(always)]
    fn value(&self, position: &Position<B>, mut sums: Sums, column: usize) -> i32 {
        let Worths { network, others } = self.worths();
        if let Some(held) = self.held(position) {
            sums.add(network.feature(held));
        }
        let [point, to_move] = others[column];
        network.output(&sums, column) + self.lead(position) * point + to_move
    }
}

/// The sums over the dice of a position for a side.
#[inline(always)]
fn sums_of<B: Bitboard>(
    network: &Network<COLUMNS, UNITS>,
    stands: &Stands,
    position: &Position<B>,
    viewer: Color,
) -> Sums {
    let mut sums = network.bias();
    stands.for_each(position, #[inline(always)] |row| sums.add(network.feature(input(viewer, row))));
    sums
}

/// Puts into sums for a side what changes.
#[inline(always)]
fn apply(sums: &mut Sums, network: &Network<COLUMNS, UNITS>, viewer: Color, change: Change) {
    match change {
        Change::Gone(row) => sums.remove(network.feature(input(viewer, row))),
        Change::Come(row) => sums.add(network.feature(input(viewer, row))),
        Change::Other(rows) => {
            let [gone, come] = rows;
            sums.exchange(network.feature(input(viewer, gone)), network.feature(input(viewer, come)));
        }
    }
}

impl<B: Bitboard> Evaluate for Invictus<B> {
    type Outlook = Outlook<B>;

    fn weights(&self) -> &Weights {
        self.weights.weights(|| WEIGHTS.clone())
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights.set(weights);
    }

    /// Clear wins count more than narrow ones: the points say more than who won.
    fn worth(&self, end: &Position<B>) -> f64 {
        let [black, white] = Color::BOTH.map(|color| f64::from(self.points(end, color)));
        1.0 / (1.0 + libm::exp((white - black) / POINTS))
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let column = self.column(position, self.races(position));
        let mut stands = Stands::default();
        stands.read(position);
        stands.for_each(position, |row| add(input(position.side, row).into(), column, 1));
        if let Some(held) = self.held(position) {
            add(held.into(), column, 1);
        }
        add(POINT, column, self.lead(position));
        add(MOVE, column, 1);
    }

    #[inline(always)]
    fn evaluate(&self, position: &Position<B>) -> i32 {
        let mut stands = Stands::default();
        stands.read(position);
        let sums = sums_of(&self.worths().network, &stands, position, position.side);
        self.value(position, sums, self.column(position, self.races(position)))
    }

    #[inline(always)]
    fn prepare(
        &self,
        before: Option<(&Position<B>, Step)>,
        _position: &Position<B>,
        outlook: &mut Outlook<B>,
    ) {
        outlook.before = before.map(|(before, step)| (*before, step));
        outlook.is_read = false;
    }

    /// A step changes where one die or two are, and how those about them stand.
    #[inline(always)]
    fn evaluate_next(
        &self,
        outlook: &mut Outlook<B>,
        position: &Position<B>,
        step: Step,
        next: &Position<B>,
    ) -> i32 {
        let viewer = next.side;
        let Outlook { before, made_before, view_before, is_read, view } = outlook;
        if !*is_read {
            match before {
                Some((before, last_step)) => {
                    if *made_before != Some(*before) {
                        view_before.read(self, before);
                        *made_before = Some(*before);
                    }
                    *view = view_before.after(self, before, *last_step, viewer);
                }
                None => view.read(self, position),
            }
            *is_read = true;
        }
        let network = &self.worths().network;
        let mut sums = view.sums(self, position, viewer);
        view.stands.change::<false, B>(self, position, step, #[inline(always)] |change| {
            apply(&mut sums, network, viewer, change);
        });
        let races = self.races_after(position, step, view.races);
        self.value(next, sums, self.column(next, races))
    }

    /// The value of the die that a step captures.
    #[inline(always)]
    fn promise(&self, position: &Position<B>, step: Step) -> i32 {
        match step.action() {
            Action::Move { from, way } => position.value_at(self.target(from, way)).into(),
            Action::Set { .. } | Action::Pass => 0,
        }
    }
}
