//! The sets of occupied cells of a board by layers, those that a symmetry maps onto each other as one.

use crate::board::{Bitboard, Board64, Pext, Symmetry};
use crate::rules::Layers;

/// Maximum number of cells of a board whose sets are listed.
pub const MAX_CELLS: usize = 24;

/// Bits of a place for the symmetry.
const SYMMETRY_BITS: u32 = 4;

/// The place of a set that is not listed.
const NOWHERE: u32 = u32::MAX;

/// Bytes of memory for a set besides the table of its positions.
const SET_BYTES: u64 = 96;

/// A symmetry of the board, applied to sets of cells: for each byte of a set, the images of its 256 values.
struct Mapping([[u32; 256]; 3]);

impl Mapping {
    fn new(symmetry: &Symmetry) -> Self {
        let image = |start: usize, byte: usize| {
            let cells = symmetry.iter().skip(start).take(8).enumerate();
            let held = cells.filter(|(i, _)| byte >> i & 1 == 1);
            held.fold(0, |image, (_, cell)| image | 1 << cell.index())
        };
        Self([0, 8, 16].map(|start| std::array::from_fn(|byte| image(start, byte))))
    }

    #[inline(always)]
    fn apply(&self, set: u32) -> u32 {
        let [low, middle, high] = &self.0;
        let of = |images: &[u32; 256], byte: u8| images.get(usize::from(byte)).copied();
        of(low, set as u8).unwrap_or(0)
            | of(middle, (set >> 8) as u8).unwrap_or(0)
            | of(high, (set >> 16) as u8).unwrap_or(0)
    }
}

/// A listed set of occupied cells. Its positions are numbered by the stones of the side to move: their cells, as bits
/// packed from bit 0 up.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// The occupied cells.
    pub cells: u32,
    /// The symmetries, as bits, that map the set onto itself; not the identity.
    fixed_by: u16,
}

impl Set {
    /// Returns the number of ways to color the stones.
    pub fn positions(self) -> usize {
        1 << self.cells.count_ones()
    }

    /// Returns the stones of the side to move in a position: the bits of its number, deposited at the occupied cells.
    pub fn stones(self, number: usize) -> u32 {
        let (mut stones, mut rest, mut number) = (0, self.cells, number);
        while number != 0 && rest != 0 {
            let cell = rest & rest.wrapping_neg();
            stones |= cell * (number as u32 & 1);
            rest ^= cell;
            number >>= 1;
        }
        stones
    }

    /// Returns the stones of the side to move in the position with the next number.
    #[inline]
    pub fn next(self, stones: u32) -> u32 {
        stones.wrapping_sub(self.cells) & self.cells
    }
}

/// The sets of a board that weigh no more than a limit, each with a number: lighter ones come first.
pub struct Sets {
    /// The symmetries but the identity.
    mappings: Vec<Mapping>,
    sets: Vec<Set>,
    /// For each set of cells the number of the listed one, and the symmetry that maps it onto that; 0 is the identity.
    places: Vec<u32>,
    /// For each weight the number of the first listed set that is heavier.
    ends: Vec<usize>,
    pext: Option<Pext>,
}

/// Returns the image of a set of cells under each symmetry, without the identity, by `symmetries`.
fn mappings(symmetries: &[Symmetry]) -> Vec<Mapping> {
    symmetries.iter().skip(1).map(Mapping::new).collect()
}

/// Reserves memory; `None` if there is none.
fn filled<T: Clone>(value: T, length: usize) -> Option<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).ok()?;
    list.resize(length, value);
    Some(list)
}

/// Returns the bytes of memory that the table of all positions takes whose sets weigh at most `limit`, and the lists.
///
/// A position takes a byte and an eighth. Boards have at most [`MAX_CELLS`] cells.
pub fn bytes(layers: &Layers, symmetries: &[Symmetry], limit: u32) -> u64 {
    // Burnside: the mean over all symmetries of the numbers of sets, and of positions, that each maps onto themselves,
    // where a position is mapped with its set. Each is a product over the cycles of the symmetry.
    let limit = limit as usize;
    let (mut sets, mut positions) = (0, 0);
    for symmetry in symmetries {
        // The number of sets and of positions by weight.
        let mut by_weight = vec![[0_u64; 2]; limit + 1];
        if let Some(empty) = by_weight.first_mut() {
            *empty = [1, 1];
        }
        let mut seen = 0_u32;
        for (start, &weight) in layers.weights.iter().enumerate() {
            let (mut cell, mut length) = (start, 0);
            while seen >> cell & 1 == 0 {
                seen |= 1 << cell;
                length += 1;
                cell = symmetry.get(cell).map_or(cell, |image| image.index());
            }
            let weight = weight as usize * length;
            for sum in (weight..=limit).rev().filter(|_| length > 0) {
                let [sets, positions] = by_weight.get(sum - weight).copied().unwrap_or([0; 2]);
                if let Some(here) = by_weight.get_mut(sum) {
                    let [all_sets, all_positions] = *here;
                    *here = [all_sets + sets, all_positions + (positions << length)];
                }
            }
        }
        sets += by_weight.iter().map(|[sets, _]| sets).sum::<u64>();
        positions += by_weight.iter().map(|[_, positions]| positions).sum::<u64>();
    }
    let count = symmetries.len().max(1) as u64;
    let lists = (size_of::<u32>() + size_of::<u16>()) as u64;
    positions / count * 9 / 8 + sets / count * SET_BYTES + (lists << layers.weights.len())
}

impl Sets {
    /// Lists the sets that weigh at most `limit`. `symmetries` is a group of at most 16, the identity first.
    ///
    /// `None` if there is no memory, or if the board has more than [`MAX_CELLS`] cells.
    pub fn new(layers: &Layers, symmetries: &[Symmetry], limit: u32) -> Option<Self> {
        let cells = layers.weights.len();
        if cells > MAX_CELLS || symmetries.len() > 1 << SYMMETRY_BITS {
            return None;
        }
        let mappings = mappings(symmetries);
        let mut weights = filled(0_u16, 1 << cells)?;
        let mut listed: Vec<(u16, Set)> = Vec::new();
        for set in 0..1_u32 << cells {
            let first = set.trailing_zeros() as usize;
            let rest = weights.get((set & set.wrapping_sub(1)) as usize).copied();
            let weight = layers.weights.get(first).copied().unwrap_or(0);
            let weight = u32::from(rest.unwrap_or(0)) + weight;
            *weights.get_mut(set as usize)? = u16::try_from(weight).ok()?;
            if weight > limit {
                continue;
            }
            let mut fixed_by = 0;
            let mut images = mappings.iter().zip(0..);
            let is_least = images.all(|(mapping, i)| {
                let image = mapping.apply(set);
                fixed_by |= u16::from(image == set) << i;
                image >= set
            });
            if is_least {
                listed.try_reserve(1).ok()?;
                listed.push((weight as u16, Set { cells: set, fixed_by }));
            }
        }
        drop(weights);
        listed.sort_unstable_by_key(|&(weight, set)| (weight, set.cells));
        let mut places = filled(NOWHERE, 1 << cells)?;
        for (&(_, set), number) in listed.iter().zip(0_u32..) {
            // Numbers have 27 bits at most, because a board that large has no memory.
            *places.get_mut(set.cells as usize)? = number << SYMMETRY_BITS;
        }
        for set in 0..1_u32 << cells {
            let images = mappings.iter().map(|mapping| mapping.apply(set)).zip(1..);
            let Some((image, symmetry)) = images.min().filter(|&(image, _)| image < set) else {
                continue;
            };
            let place = places.get(image as usize).copied()?;
            if place != NOWHERE {
                *places.get_mut(set as usize)? = place | symmetry;
            }
        }
        let end = |weight| listed.partition_point(|&(own, _)| u32::from(own) <= weight);
        Some(Self {
            ends: (0..=limit).map(end).collect(),
            sets: listed.into_iter().map(|(_, set)| set).collect(),
            mappings,
            places,
            pext: Pext::detect(),
        })
    }

    /// Returns the number of listed sets of each weight, from 0 on, as ranges of their numbers.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let layers: Vec<_> = starts.zip(self.ends.iter().copied()).map(|(start, end)| start..end).collect();
        layers.into_iter()
    }

    /// Returns the listed set with a number.
    pub fn get(&self, number: usize) -> Option<Set> {
        self.sets.get(number).copied()
    }

    /// Returns the number of listed sets.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns true if no set is listed.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the size of the lists in bytes.
    pub fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<u32>() + self.sets.capacity() * size_of::<Set>()
    }

    /// Returns the number of the set of a position, and the position's number among those of the set.
    ///
    /// Alike positions have the same numbers. No set has the first number if the position's set is not listed.
    #[inline(always)]
    pub fn locate(&self, [own, other]: [u32; 2]) -> (usize, usize) {
        let place = self.places.get((own | other) as usize).copied();
        let place = place.unwrap_or(NOWHERE);
        let symmetry = (place & ((1 << SYMMETRY_BITS) - 1)) as usize;
        let number = (place >> SYMMETRY_BITS) as usize;
        let Some(&set) = self.sets.get(number) else {
            return (number, 0);
        };
        let mapping = self.mappings.get(symmetry.wrapping_sub(1));
        let own = mapping.map_or(own, |mapping| mapping.apply(own));
        let index = self.extract(own, set.cells);
        match set.fixed_by {
            0 => (number, index),
            _ => (number, self.least(set, own, index)),
        }
    }

    /// Returns the number of positions equivalent to one, that one included; 0 if one of those has a lower number.
    pub fn alike(&self, set: Set, number: usize) -> u64 {
        let all = self.mappings.len() as u64 + 1;
        if set.fixed_by == 0 {
            return all;
        }
        let own = set.stones(number);
        let mut same = 1;
        for image in self.images(set, own) {
            match image.cmp(&number) {
                std::cmp::Ordering::Less => return 0,
                std::cmp::Ordering::Equal => same += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        all / same
    }

    /// Returns the numbers of the images of a position under the symmetries that map its set onto itself.
    fn images(&self, set: Set, own: u32) -> impl Iterator<Item = usize> {
        let mappings = self.mappings.iter().zip(0..);
        let fixing = mappings.filter(move |&(_, i)| set.fixed_by >> i & 1 == 1);
        fixing.map(move |(mapping, _)| self.extract(mapping.apply(own), set.cells))
    }

    #[cold]
    fn least(&self, set: Set, own: u32, number: usize) -> usize {
        self.images(set, own).fold(number, usize::min)
    }

    /// Packs the bits of `own` at the set bits of `mask`.
    #[inline(always)]
    fn extract(&self, own: u32, mask: u32) -> usize {
        if let Some(pext) = self.pext {
            let [own, mask] = [own, mask].map(|set| Board64::from_bits(set.into()));
            return own.pext(mask, pext).unwrap_or(0) as usize;
        }
        let (mut packed, mut rest, mut place) = (0, mask, 0);
        while rest != 0 {
            packed |= usize::from(own & rest & rest.wrapping_neg() != 0) << place;
            rest &= rest - 1;
            place += 1;
        }
        packed
    }
}
