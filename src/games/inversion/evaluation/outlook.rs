//! What positions beside each other have in common, so that each takes only a look at what sets it apart.
#![expect(
    clippy::indexing_slicing,
    reason = "there is an entry for each hex and cell"
)]

use super::super::{CellStep, Inversion, Position};
use super::hexes::{Counts, HEX, Hex, Part};
use super::network::Sums;
use super::Column;
use crate::board::{Bitboard, Cell, Gather};
use crate::rules::{Color, Sides};

/// A hex and what it is worth to who comes next.
#[derive(Clone, Copy)]
struct SeenHex {
    hex: Hex,
    worth: i32,
    /// What changes, wherever in it another enemy stone comes, but for its pattern then.
    but_for_pattern: i32,
}

impl SeenHex {
    #[inline(always)]
    fn new(column: &Column, hex: Hex) -> Self {
        let worth = column.worth(&hex);
        // A full hex gets no stone.
        let with = column.fates(&hex, hex.empty.saturating_sub(1));
        Self { hex, worth, but_for_pattern: with - worth }
    }
}

/// What all positions behind one have in common, from the view of who comes next there.
struct Common<B> {
    /// The position that it was made for.
    made: Option<Position<B>>,
    /// What the hexes are worth, and what all the rest is.
    sum: i32,
    rest: i32,
    hexes: Vec<SeenHex>,
    /// How many open hexes lie over each cell.
    covers: Counts<B>,
    /// How far the units of the network are filled.
    filled: Sums,
}

impl<B: Bitboard> Default for Common<B> {
    fn default() -> Self {
        let filled = Sums::default();
        Self { made: None, sum: 0, rest: 0, hexes: Vec::new(), covers: Counts::NONE, filled }
    }
}

/// An own stone that was added to the hexes.
#[derive(Default)]
struct Added {
    cell: Option<Cell>,
    /// The hexes that it belongs to, without it.
    without: [Option<SeenHex>; HEX],
    /// What it changes in the worth of the hexes and of the rest.
    sum: i32,
    rest: i32,
    /// How far the units are filled with it.
    filled: Sums,
}

/// What is remembered of a position to see how a placement changes it.
pub struct Outlook<B> {
    /// The position; where a placement that completed nothing has led to it, the one before it and where the stone came.
    base: Option<Position<B>>,
    stone: Option<Cell>,
    /// Of a position, and of one before, whose stones come and go: they take turns.
    of_this: Common<B>,
    of_before: Common<B>,
    added: Added,
}

impl<B: Bitboard> Default for Outlook<B> {
    fn default() -> Self {
        Self {
            base: None,
            stone: None,
            of_this: Common::default(),
            of_before: Common::default(),
            added: Added::default(),
        }
    }
}

impl<B: Bitboard> Outlook<B> {
    /// Says of what position it is. What there is to see is found when it is needed.
    #[inline(always)]
    pub(super) fn prepare(&mut self, before: Option<(&Position<B>, CellStep)>, position: &Position<B>) {
        let placed = before.filter(|(before, step)| {
            let enemy = (!before.side).index();
            let inverted = before.stones[enemy] != position.stones[enemy];
            let settled = before.pending.is_empty() && position.pending.is_empty();
            settled && !inverted && *step != CellStep::SWAP
        });
        self.base = Some(placed.map_or(*position, |(before, _)| *before));
        self.stone = placed.map(|(_, step)| step.cell());
    }
}

/// What there is to see of a position.
pub(super) struct Seen<'a, B> {
    common: &'a Common<B>,
    sum: i32,
    rest: i32,
    filled: &'a Sums,
}

impl<B: Bitboard> Seen<'_, B> {
    #[inline(always)]
    fn hex(&self, part: &Part) -> &SeenHex {
        &self.common.hexes[usize::from(part.window)]
    }
}

impl<B: Bitboard> Inversion<B> {
    /// What there is to see of the position of an outlook, for the side that comes after another placement.
    #[inline(always)]
    pub(super) fn seen<'a>(&self, outlook: &'a mut Outlook<B>, column: &Column, side: Color) -> Option<Seen<'a, B>> {
        let base = outlook.base?;
        let Some(cell) = outlook.stone else {
            let common = &mut outlook.of_this;
            if common.made != Some(base) {
                self.see(common, column, side, &base);
            }
            return Some(Seen { common, sum: common.sum, rest: common.rest, filled: &common.filled });
        };
        let (common, added) = (&mut outlook.of_before, &mut outlook.added);
        if common.made != Some(base) {
            self.see(common, column, side, &base);
            added.cell = None;
        }
        if added.cell != Some(cell) {
            self.add_stone(common, added, column, cell);
        }
        let (sum, rest) = (common.sum + added.sum, common.rest + added.rest);
        Some(Seen { common, sum, rest, filled: &added.filled })
    }

    #[inline(always)]
    fn see(&self, common: &mut Common<B>, column: &Column, side: Color, base: &Position<B>) {
        let Sides { own, enemy } = Sides::new(base.stones, side);
        let covers = self.covers(own | enemy, B::EMPTY);
        common.rest = self.rest_of_sum(column, side, own, enemy, &covers);
        common.hexes.clear();
        let (mut sum, hexes) = (0, &mut common.hexes);
        self.hexes(
            own,
            enemy,
            &covers,
            #[inline(always)]
            |_, hex| {
                let seen = SeenHex::new(column, hex);
                sum += seen.worth;
                hexes.push(seen);
            },
        );
        if let Some(located) = &self.worths().located {
            common.filled = located.sums_of_cells(Sides { own, enemy }, B::EMPTY);
            for number in 0..common.hexes.len() {
                located.add_hex(&mut common.filled, number, common.hexes[number].hex.code);
            }
        }
        common.sum = sum;
        common.covers = covers;
        common.made = Some(*base);
    }

    /// Takes back the stone that was added to the hexes, and adds another one.
    #[inline(always)]
    fn add_stone(&self, common: &mut Common<B>, added: &mut Added, column: &Column, cell: Cell) {
        if let Some(last) = added.cell {
            let parts = &self.parts[last.index()];
            for place in 0..parts.len() {
                if let Some(without) = added.without[place] {
                    common.hexes[usize::from(parts[place].window)] = without;
                }
            }
        }
        let mut change = 0;
        added.filled = common.filled;
        let parts = &self.parts[cell.index()];
        for place in 0..parts.len() {
            let part = &parts[place];
            let seen = &mut common.hexes[usize::from(part.window)];
            added.without[place] = Some(*seen);
            let mut hex = seen.hex;
            hex.code += part.digit;
            hex.empty -= 1;
            hex.own += 1;
            let with = SeenHex::new(column, hex);
            change += with.worth - seen.worth;
            if let Some(located) = &self.worths().located {
                let codes = [seen.hex.code, hex.code];
                located.exchange_hex(&mut added.filled, part.window.into(), codes);
            }
            *seen = with;
        }
        if let Some(located) = &self.worths().located {
            located.add_stone(&mut added.filled, cell, true);
        }
        let [own, _] = column.stones[usize::from(common.covers.at(cell))];
        added.cell = Some(cell);
        added.sum = change;
        added.rest = own;
    }

    /// What the position is worth with another enemy stone in a cell, which completes no hex.
    #[inline(always)]
    pub(super) fn with_stone(&self, seen: &Seen<'_, B>, column: &Column, cell: Cell) -> i32 {
        let parts = &self.parts[cell.index()];
        let [_, enemy] = column.stones[usize::from(seen.common.covers.at(cell))];
        let mut value = seen.sum + seen.rest + enemy;
        for part in parts {
            let hex = seen.hex(part);
            value += hex.but_for_pattern + column.pattern(hex.hex.code + 2 * part.digit);
        }
        if let Some(located) = &self.worths().located {
            let mut filled = *seen.filled;
            for part in parts {
                let code = seen.hex(part).hex.code;
                let codes = [code, code + 2 * part.digit];
                located.exchange_hex(&mut filled, part.window.into(), codes);
            }
            located.add_stone(&mut filled, cell, false);
            value += located.value(&filled, column.number);
        }
        value
    }

    /// What a position is worth where a stone in a cell has completed a single hex: that one is settled, and all that
    /// have a cell in common with it look different.
    #[inline(always)]
    pub(super) fn with_inversion(
        &self,
        seen: &Seen<'_, B>,
        (column, side): (&Column, Color),
        [before, after]: [Sides<B>; 2],
        cell: Cell,
    ) -> i32 {
        let Sides { own, enemy } = after;
        let mut covers = seen.common.covers;
        let completed = self.parts[cell.index()].iter().find(|part| seen.hex(part).hex.empty == 1);
        let near = completed.map_or(&[][..], |part| {
            let window = &self.windows[usize::from(part.window)];
            covers.take(window.cells);
            &window.near
        });
        let (covered, gather) = (covers.fates(), Gather::detect());
        let mut value = seen.sum + self.rest_of_sum(column, side, own, enemy, &covers);
        let mut filled = *seen.filled;
        for &number in near {
            let number = usize::from(number);
            let hex = self.windows[number].hex(own, enemy, covered, gather);
            let gone = &seen.common.hexes[number];
            value += column.worth(&hex) - gone.worth;
            if let Some(located) = &self.worths().located {
                located.exchange_hex(&mut filled, number, [gone.hex.code, hex.code]);
            }
        }
        if let Some(located) = &self.worths().located {
            located.change_stones(&mut filled, before, after);
            value += located.value(&filled, column.number);
        }
        value
    }
}
