//! A sixth game, added as `docs/adding-a-game.md` says, here outside the library: Breakthrough (Dan Troyka,
//! 2000). Everything that works for the five must work for it.

use std::ops::ControlFlow;
use std::sync::Arc;

use pentalith::board::{Bitboard, Board64, Cell, Instructions, Key, Portable, Shape, Zobrist};
use pentalith::nnue::{Features, HiddenLayer, Weights};
use pentalith::notation::{PositionReader, pieces};
use pentalith::protocol::{gtp::Gtp, serve};
use pentalith::rules::perft::Perft;
use pentalith::rules::{
    self, Board, Click, Clicks, Color, Evaluate, Game, GameInfo, HalfPoints, Keys, Method, Notation, Opened, Outcome,
    Piece, PositionError, PositionErrors, SizeRule, Variant,
};
use pentalith::search::SystemClock;
use pentalith::session::Session;
use pentalith::text::ParseError;

use crate::laws;

static INFO: GameInfo = GameInfo {
    name: "breakthrough",
    author: "Dan Troyka, 2000",
    about: "Reach the other side.",
    first: Color::Black,
    size: SizeRule::Rectangle {
        default: (8, 8),
        check: |columns, ranks| ranks >= 5 && u32::from(columns) * u32::from(ranks) <= 64,
        needs: "five ranks and at most 64 cells",
    },
    keys: &[],
    comparisons: &[],
    method: Method::Pvs,
    levels: [16, 8, 4, 2, 1],
};

struct Breakthrough {
    variant: Variant,
    shape: Shape,
    weights: Weights,
    zobrist: Zobrist,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Position {
    stones: [Board64; 2],
    side: Color,
    turn: u32,
}

/// From and to, six bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step(u16);

impl Step {
    fn cells(self) -> (Cell, Cell) {
        (Cell::new(usize::from(self.0 >> 6)), Cell::new(usize::from(self.0 & 63)))
    }
}

impl rules::PackedStep for Step {
    fn bits(self) -> u32 {
        self.0.into()
    }

    fn from_bits(bits: u32) -> Self {
        Self(bits as u16)
    }
}

/// At most 16 stones with three ways each: a list of fixed length serves.
#[derive(Clone, Copy)]
struct Steps([Step; 48], usize);

impl rules::Steps for Steps {
    type Step = Step;

    fn count(&self) -> usize {
        self.1
    }

    fn nth(&self, n: usize, _instructions: impl Instructions) -> Option<Step> {
        self.0[..self.1].get(n).copied()
    }

    fn visit<T>(&self, visitor: impl FnMut(Step) -> ControlFlow<T>) -> ControlFlow<T> {
        self.0[..self.1].iter().copied().try_for_each(visitor)
    }
}

impl rules::Position for Position {
    fn side(&self) -> Color {
        self.side
    }

    fn turn(&self) -> u32 {
        self.turn
    }
}

impl Breakthrough {
    fn new(variant: &Variant) -> Self {
        let shape = variant.size().shape();
        Self {
            variant: variant.clone(),
            weights: Weights::from_text(vec!["stone".to_owned()], 1, HiddenLayer::default(), "stone 100").unwrap(),
            zobrist: Zobrist::new(2, shape.len()),
            shape,
        }
    }

    fn rank(&self, y: u8) -> Board64 {
        Board64::from_cells(self.shape.rank(y))
    }
}

impl Game for Breakthrough {
    type Position = Position;
    type Step = Step;
    type Steps = Steps;

    fn variant(&self) -> &Variant {
        &self.variant
    }

    fn start(&self) -> Position {
        let top = self.shape.ranks() - 1;
        Position {
            stones: [self.rank(0) | self.rank(1), self.rank(top - 1) | self.rank(top)],
            side: Color::Black,
            turn: 1,
        }
    }

    fn steps(&self, position: &Position) -> Steps {
        let mut steps = Steps([Step(0); 48], 0);
        if self.outcome(position).is_some() {
            return steps;
        }
        let own = position.stones[position.side.index()];
        let enemy = position.stones[(!position.side).index()];
        let forward = if position.side == Color::Black { 1 } else { -1 };
        for from in own.cells() {
            for dx in [-1, 0, 1] {
                let Some(to) = self.shape.offset(from, dx, forward) else {
                    continue;
                };
                if !(own.has(to) || dx == 0 && enemy.has(to)) {
                    steps.0[steps.1] = Step((from.index() << 6 | to.index()) as u16);
                    steps.1 += 1;
                }
            }
        }
        steps
    }

    fn play(&self, position: &mut Position, step: Step, keys: &mut impl Keys) {
        let before = *position;
        let (from, to) = step.cells();
        let (own, enemy) = (position.side.index(), (!position.side).index());
        position.stones[own] = position.stones[own] & !Board64::of(from) | Board64::of(to);
        position.stones[enemy] = position.stones[enemy] & !Board64::of(to);
        position.side = !position.side;
        position.turn += 1;
        let after = *position;
        keys.toggle(|| self.key(&before) ^ self.key(&after));
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        let [black, white] = position.stones;
        let top = self.rank(self.shape.ranks() - 1);
        if !(black & top).is_empty() || white.is_empty() {
            return Some(Outcome::win(Color::Black, "breakthrough"));
        }
        let bottom = self.rank(0);
        let lost = !(white & bottom).is_empty() || black.is_empty();
        lost.then(|| Outcome::win(Color::White, "breakthrough"))
    }

    fn key(&self, position: &Position) -> Key {
        let side = Zobrist::state_key((1 << 32) + position.side.index() as u64);
        self.zobrist.sets_key(&position.stones) ^ side
    }

    fn validate(&self, position: &Position) -> Vec<PositionError> {
        let [black, white] = position.stones;
        let overlap = !(black & white).is_empty();
        let overlap = overlap.then(|| PositionError::new("board", "stones overlap"));
        overlap.into_iter().chain(rules::side_error(position, INFO.first)).collect()
    }
}

/// It is evaluated as a whole.
impl Features<Position, Step> for Breakthrough {
    type Parameters = ();
    type State = ();
    type Accumulator = ();

    fn parameters(&self) -> &() {
        &()
    }
}

impl Evaluate for Breakthrough {
    fn terms(&self, position: &Position, mut add: impl FnMut(usize, usize, i32)) {
        let [black, white] = position.stones.map(|stones| stones.count() as i32);
        let more = black - white;
        add(0, 0, if position.side == Color::Black { more } else { -more });
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }
}

impl Notation for Breakthrough {
    type ParsedStep = (Cell, Cell);

    fn parse_step(&self, text: &str) -> Result<(Cell, Cell), ParseError> {
        pieces::read(text, (pieces::cell(&self.shape), pieces::cell(&self.shape)))
    }

    fn resolve(&self, _position: &Position, (from, to): (Cell, Cell)) -> Option<Step> {
        Some(Step((from.index() << 6 | to.index()) as u16))
    }

    fn illegal_reason(&self, _position: &Position, _written: (Cell, Cell)) -> String {
        "no stone can go that way".to_owned()
    }

    fn write_step(&self, step: Step) -> String {
        let (from, to) = step.cells();
        self.shape.label(from) + &self.shape.label(to)
    }

    fn parse_position(&self, text: &str) -> Result<Position, PositionErrors> {
        let mut reader = PositionReader::new(text, &["board", "side", "turn"])?;
        let (stones, side) = (reader.stones(&self.shape), reader.side());
        let turn = reader.count("turn", 1);
        let position = stones.zip(side).zip(turn);
        let position = position.map(|((stones, side), turn)| Position { stones, side, turn });
        if let Some(position) = &position {
            reader.add_errors(self.validate(position));
        }
        reader.finish(position)
    }

    fn write_fields(&self, position: &Position) -> String {
        format!("{} {}", position.side.letter(), position.turn)
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn piece(&self, position: &Position, cell: Cell) -> Option<Piece> {
        Piece::stone(&position.stones, cell)
    }

    fn clicks(&self, _position: &Position, step: Step) -> Clicks {
        let (from, to) = step.cells();
        Clicks::two(Click::Cell(from), Click::Cell(to))
    }

    fn explain(&self, _end: &Position, outcome: Outcome) -> String {
        outcome.winner.map_or_else(String::new, |winner| format!("{winner} has reached the other side"))
    }

    fn counts(&self, position: &Position) -> Vec<(&'static str, HalfPoints)> {
        let [black, white] = position.stones.map(|stones| HalfPoints::whole(stones.count()));
        vec![("b", black), ("w", white)]
    }
}

fn open(variant: &str) -> Box<dyn Board> {
    let game = Breakthrough::new(&Variant::parse(variant, &[&INFO]).unwrap());
    Box::new(Opened::new(game, Portable))
}

/// Worked out by a slow program apart from this one.
#[test]
fn its_perft_is_right() {
    let tables: [(&str, &[u64]); 2] =
        [("breakthrough", &[22, 484, 11132, 256036]), ("breakthrough:5x5", &[13, 156, 1924, 23084, 289828])];
    for (variant, counts) in tables {
        let board = open(variant);
        for (depth, &expected) in (1..).zip(counts) {
            let counted = Perft::default().count(&*board, depth, &|| false);
            assert_eq!(counted, Some(expected), "{variant} depth {depth}");
        }
    }
}

#[test]
fn the_laws_hold_for_it() {
    for seed in 0..20 {
        laws::walk(&*open("breakthrough:6x7"), None, None, seed);
    }
}

#[test]
fn it_is_played_over_gtp() {
    let session = Session::on(open("breakthrough:5x5"), Arc::new(SystemClock::default()));
    let input = "set Nodes 200\nvariant\nplay b c2b3\nplay b a1a9\nundo\n".to_owned()
        + &"genmove b\ngenmove w\n".repeat(40)
        + "score\n";
    let mut output = Vec::new();
    serve(Gtp::new(session), std::io::Cursor::new(input.into_bytes()), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("= breakthrough:5x5\n"));
    assert!(output.contains("reason=breakthrough"), "{output}");
}
