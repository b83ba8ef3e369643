//! What a player of Gravel would look at before counting variations.
#![expect(
    clippy::indexing_slicing,
    reason = "tables have an entry for each colour, and are indexed by those"
)]

use once_cell::sync::Lazy;

use super::{Gravel, INFO, Position};
use crate::board::Bitboard;
use crate::game::{Color, Evaluate, Weights};

/// Parts of the game: by how many tenths of one player's pieces both together have lost, from each of these numbers on.
const PARTS: [u32; 3] = [1, 3, 5];

/// Each part for the player who moves first in a round and for the other one, behind whose turn the game is judged.
const COLUMNS: usize = 2 * (PARTS.len() + 1);

/// What is counted of either side, the own one first: the spaces that it occupies; pieces that it has lost; enemy spaces that it
/// controls, and those that it has pieces at two sides of; vacant ones next to it; its spaces that are full; pieces in its pool.
const OF_EACH: [&str; 7] = ["space", "removed", "controlled", "flanked", "room", "full", "pool"];

/// So many numbers of spaces more than pieces lost are told apart, from the number on that loses: near it, one counts for more.
const MARGIN: usize = 12;

/// So many numbers of pieces that can be lost until half are gone.
const SPARE: usize = 8;

/// And of both: to be the one to move, and actions left in this turn.
const OF_BOTH: [&str; 2] = ["move", "left"];

/// The names of the rows.
static NAMES: Lazy<Vec<String>> = Lazy::new(|| {
    let of_side = |side: &str| {
        let mut rows: Vec<String> = OF_EACH.map(|what| format!("{side}.{what}")).to_vec();
        rows.extend((0..MARGIN).map(|margin| format!("{side}.margin.{margin}")));
        rows.extend((0..SPARE).map(|spare| format!("{side}.spare.{spare}")));
        rows
    };
    let mut rows = [of_side("own"), of_side("enemy")].concat();
    rows.extend(OF_BOTH.map(str::to_owned));
    rows
});

/// The weights for a board with so many spaces a side: those learned on boards of up to eight, which win on up to thirteen where a
/// move has some 100,000 nodes, and on larger ones, where nothing was played, those by hand.
pub(super) fn weights(side: u8) -> Weights {
    static SMALL: Lazy<Weights> = Lazy::new(|| table(include_str!("weights/small.txt")));
    static LARGE: Lazy<Weights> = Lazy::new(|| table(include_str!("weights/large.txt")));
    if side <= 13 { SMALL.clone() } else { LARGE.clone() }
}

fn table(text: &str) -> Weights {
    Weights::built_in(NAMES.clone(), COLUMNS, text)
}

impl<B: Bitboard> Gravel<B> {
    /// How often there is of one side what [`OF_EACH`] names, and its margin and what it has to spare.
    #[inline(always)]
    fn seen(&self, position: &Position<B>, color: Color) -> ([i32; OF_EACH.len()], [usize; 2]) {
        let (own, enemy) = (position.spaces[color.index()], position.spaces[(!color).index()]);
        let vacant = self.grid.cells() & !(own | enemy);
        let (spaces, removed) = (own.count(), position.removed[color.index()]);
        let counts = [
            spaces,
            removed,
            self.controlled(position, color).count(),
            (enemy & self.grid.next_to_two(own)).count(),
            (vacant & self.grid.next_to(own)).count(),
            (own & position.full).count(),
            self.pool(position, color),
        ];
        let margin = (spaces + 1).saturating_sub(removed) as usize;
        let spare = (self.pieces / 2).saturating_sub(removed) as usize;
        (counts.map(|count| count as i32), [margin.min(MARGIN - 1), spare.min(SPARE - 1)])
    }
}

impl<B: Bitboard> Evaluate for Gravel<B> {
    type Outlook = ();

    fn weights(&self) -> &Weights {
        &self.weights
    }

    fn set_weights(&mut self, weights: Weights) {
        self.weights = weights;
    }

    #[inline(always)]
    fn terms(&self, position: &Position<B>, mut add: impl FnMut(usize, usize, i32)) {
        let [black, white] = position.removed;
        let tenths = 10 * (black + white) / self.pieces;
        let part = PARTS.iter().filter(|&&least| tenths >= least).count();
        let column = 2 * part + usize::from(position.side != INFO.first);
        let mut row = 0;
        for color in [position.side, !position.side] {
            let (counts, [margin, spare]) = self.seen(position, color);
            for count in counts {
                add(row, column, count);
                row += 1;
            }
            add(row + margin, column, 1);
            add(row + MARGIN + spare, column, 1);
            row += MARGIN + SPARE;
        }
        add(row, column, 1);
        add(row + 1, column, self.x.saturating_sub(position.used.total()) as i32);
    }
}
