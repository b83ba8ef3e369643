//! Codes of positions: the numbers by which tables and certificates know them.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::{Symmetry, Zobrist};
use crate::rules::{Board, Color, DrawClock, Planes};

/// Number of bits for the goal of a search.
const GOAL_BITS: u32 = 8;

/// Number of bits for the kind of a code, the side to move and the class of the turn.
const HEAD_BITS: u32 = 2 + 1 + 2;

/// Largest number of goals whose codes differ. Each has two kinds of codes: with and without the clock.
pub const MAX_GOALS: usize = 1 << (GOAL_BITS - 1);

/// Number of bits of a piece in a list of pieces: cell, color and value.
const PIECE_BITS: u32 = 7 + 1 + 3;

/// Number of bits for the length of a list of pieces.
const COUNT_BITS: u32 = 4;

/// The way in which a code holds a position.
#[derive(Clone, Copy)]
enum Kind {
    /// All cells, some bits for each.
    Cells,
    /// A list of the pieces.
    Pieces,
    /// A hash: different positions may have the same one.
    Hash,
}

/// A symmetry of the board, applied to sets of cells.
struct Mapping {
    /// For each byte of a set, the images of its 256 values.
    images: Vec<[u128; 256]>,
}

impl Mapping {
    fn new(symmetry: &Symmetry) -> Self {
        let image = |start: usize, byte: usize| {
            let cells = symmetry.iter().skip(start).take(8).enumerate();
            let held = cells.filter(|(i, _)| byte >> i & 1 == 1);
            held.fold(0, |image, (_, cell)| image | 1 << cell.index())
        };
        let bytes = (0..symmetry.len()).step_by(8);
        Self { images: bytes.map(|start| std::array::from_fn(|byte| image(start, byte))).collect() }
    }

    #[inline]
    fn apply(&self, mut set: u128) -> u128 {
        let mut image = 0;
        for images in &self.images {
            image |= images.get((set & 0xff) as usize).copied().unwrap_or(0);
            set >>= 8;
        }
        image
    }
}

/// Makes the codes of the positions of one variant.
///
/// A code holds everything that decides how the game can go on. Of the turn number it holds whether it is 1, 2, odd or
/// even: turns 1 and 2 differ in the right to swap and in whether the game is judged, and in Inversion the parity of
/// the turn says who is next while hexes are pending.
pub struct Coder {
    cells: u32,
    mappings: Vec<Mapping>,
    mirrors: Vec<Mapping>,
    hashed: AtomicBool,
}

impl Coder {
    /// Prepares the codes of a board's variant.
    pub fn new(board: &dyn Board) -> Self {
        let shape = board.shape();
        let fits = shape.len() <= 128;
        let symmetries = shape.symmetries().into_iter().skip(1);
        let symmetries: Vec<Symmetry> = symmetries.filter(|_| fits).collect();
        let is_mirror = |symmetry: &&Symmetry| {
            let mut pairs = shape.cells().zip(symmetry.iter());
            pairs.all(|(from, &to)| shape.coordinates(from).1 == shape.coordinates(to).1)
        };
        Self {
            cells: shape.len() as u32,
            mirrors: symmetries.iter().filter(is_mirror).map(Mapping::new).collect(),
            mappings: symmetries.iter().map(Mapping::new).collect(),
            hashed: AtomicBool::new(false),
        }
    }

    /// Returns the clock of a position, and the code of the position without it, in games that have one.
    pub fn without_clock(&self, planes: Option<Planes>, side: Color, turn: u32, goal: usize) -> Option<(u32, u128)> {
        let mut planes = planes?;
        let mask = planes.clock.map(DrawClock::mask)?;
        let clock = (planes.state & mask) as u32;
        planes.state &= !mask;
        let code = self.canonical(Some(planes), side, turn, goal + MAX_GOALS, String::new);
        Some((clock, code))
    }

    /// Returns true if some code was a hash, so that two positions may have had the same one.
    pub fn has_hashed(&self) -> bool {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Returns the code of a position: different positions have different codes, unless it is a hash.
    pub fn exact(&self, board: &dyn Board) -> u128 {
        self.exact_of(board.planes(), board.side(), board.turn(), || board.position())
    }

    /// Returns the code of a position given by its planes, or by its text if there are none.
    pub fn exact_of(&self, planes: Option<Planes>, side: Color, turn: u32, text: impl FnOnce() -> String) -> u128 {
        match planes {
            Some(planes) => self.pack(&planes, side.index() as u32, turn_class(turn), 0),
            None => self.of_text(&text(), turn, 0),
        }
    }

    /// Returns the code of a class of equivalent positions: by a symmetry of the board, or with exchanged colors.
    pub fn canonical(
        &self,
        planes: Option<Planes>,
        side: Color,
        turn: u32,
        goal: usize,
        text: impl FnOnce() -> String,
    ) -> u128 {
        let Some(mut planes) = planes else {
            return self.of_text(&text(), turn, goal);
        };
        let (mut side, mut class) = (side, turn_class(turn));
        if planes.colors_alike && turn >= 3 {
            if side == Color::White {
                planes.pieces.swap(0, 1);
            }
            (side, class) = (Color::Black, turn_class(3));
        }
        let mappings = if planes.ranks_alike { &self.mappings } else { &self.mirrors };
        let original = planes;
        for mapping in mappings {
            let first = mapping.apply(original.pieces[0]);
            if first > planes.pieces[0] {
                continue;
            }
            let pieces = [first, mapping.apply(original.pieces[1])];
            let marks = match planes.mark_planes {
                0 => [0; 3],
                _ => original.marks.map(|set| mapping.apply(set)),
            };
            if (pieces, marks) < (planes.pieces, planes.marks) {
                (planes.pieces, planes.marks) = (pieces, marks);
            }
        }
        self.pack(&planes, side.index() as u32, class, goal)
    }

    #[inline]
    fn pack(&self, planes: &Planes, side: u32, class: u32, goal: usize) -> u128 {
        let others = GOAL_BITS + HEAD_BITS + planes.state_bits;
        let tail = u128::from(planes.state) << 3 | u128::from(side << 2 | class);
        let head = |kind: Kind| (goal as u128) << 2 | kind as u128;
        let [black, white] = planes.pieces;
        if others + self.cells * (2 + planes.mark_planes) <= u128::BITS {
            let mut code = tail << self.cells | black;
            code = code << self.cells | white;
            for mark in planes.marks.iter().take(planes.mark_planes as usize) {
                code = code << self.cells | mark;
            }
            return code << (GOAL_BITS + 2) | head(Kind::Cells);
        }
        let all = black | white;
        let of_pieces = planes.marks.iter().all(|mark| mark & !all == 0);
        if of_pieces && others + COUNT_BITS + PIECE_BITS * all.count_ones() <= u128::BITS {
            let mut code = tail;
            let mut rest = all;
            while rest != 0 {
                let cell = rest.trailing_zeros();
                let digits = planes.marks.iter().zip(0..);
                let value = digits.fold(0, |value, (mark, digit)| value | (mark >> cell & 1) << digit);
                code = code << PIECE_BITS | u128::from(cell) << 4 | value << 1 | (white >> cell & 1);
                rest &= rest - 1;
            }
            // The length of the list says where it begins.
            let count = u128::from(all.count_ones());
            return (code << COUNT_BITS | count) << (GOAL_BITS + 2) | head(Kind::Pieces);
        }
        let words = [black, white, tail].into_iter().chain(planes.marks);
        self.hash(words.flat_map(|word| [word as u64, (word >> 64) as u64]), goal)
    }

    /// Returns the planes, the side to move and a turn of a code that holds all cells; `None` of any other code.
    ///
    /// `like` are the planes of some position of the variant.
    pub fn unpack(&self, code: u128, like: &Planes) -> Option<(Planes, Color, u32)> {
        if code & 3 != Kind::Cells as u128 {
            return None;
        }
        let mut planes = Planes { marks: [0; 3], ..*like };
        let mut rest = code >> (GOAL_BITS + 2);
        let mut pop = || {
            let set = rest & ((1 << self.cells) - 1);
            rest >>= self.cells;
            set
        };
        for mark in planes.marks.iter_mut().take(like.mark_planes as usize).rev() {
            *mark = pop();
        }
        for pieces in planes.pieces.iter_mut().rev() {
            *pieces = pop();
        }
        planes.state = (rest >> 3) as u64;
        let side = if rest >> 2 & 1 == 0 { Color::Black } else { Color::White };
        Some((planes, side, (rest & 3) as u32 + 1))
    }

    fn of_text(&self, text: &str, turn: u32, goal: usize) -> u128 {
        let line = text.rsplit_once(' ').map_or(text, |(line, _)| line);
        let class = u64::from(turn_class(turn));
        self.hash(line.bytes().map(u64::from).chain([256 + class]), goal)
    }

    fn hash(&self, words: impl Iterator<Item = u64>, goal: usize) -> u128 {
        self.hashed.store(true, Ordering::Relaxed);
        let (mut low, mut high) = (1_u64, 2_u64);
        for word in words {
            low = Zobrist::state_key(low ^ word).0;
            high = Zobrist::state_key(high.rotate_left(29) ^ word ^ low).0;
        }
        let code = u128::from(high) << 64 | u128::from(low);
        code << (GOAL_BITS + 2) | (goal as u128) << 2 | Kind::Hash as u128
    }
}

/// Returns 0 for turn 1, 1 for turn 2, and 2 or 3 for later odd or even turns.
pub fn turn_class(turn: u32) -> u32 {
    match turn {
        0..=2 => turn.saturating_sub(1),
        _ => 3 - turn % 2,
    }
}
