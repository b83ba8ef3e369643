//! Variants: which game, on which board, with which options (`games.md`, "Variants").

use std::fmt::{self, Display};

use super::{Color, HalfPoints, Method};
use crate::board::{MAX_DIMENSION, MAX_SIDE, Shape};

/// What a game is, for the catalogue: everything that does not depend on the variant.
#[derive(Debug)]
pub struct GameInfo {
    /// The name in variants.
    pub name: &'static str,
    /// Who made it and when, as the sheet says it.
    pub author: &'static str,
    /// The rules in one sentence.
    pub about: &'static str,
    /// Who moves first.
    pub first: Color,
    /// Which boards there are.
    pub size: SizeRule,
    /// The options besides the size, in canonical order.
    pub keys: &'static [VariantKey],
    /// How it is searched best, by matches (`docs/results/strength.md`).
    pub method: Method,
    /// Nodes a move for weaker play, the strongest level first: each level is to win some three of four games against the
    /// next; `docs/results/strength.md` has what they win.
    pub levels: [u64; LEVELS],
}

/// How many levels of `Strength` there are below the best.
pub const LEVELS: usize = 5;

/// Which boards a game can be played on.
#[derive(Debug)]
pub enum SizeRule {
    /// Only one rectangle, which variants do not name.
    Fixed {
        /// Columns and ranks.
        size: (u8, u8),
    },
    /// `WxH`, 1 to 25 each.
    Rectangle {
        /// Columns and ranks.
        default: (u8, u8),
        /// Whether a size within the limits will do.
        check: fn(u8, u8) -> bool,
        /// What a size must have for that, or nothing.
        needs: &'static str,
    },
    /// `N`: N columns and ranks.
    Square {
        /// Columns.
        default: u8,
        /// The fewest columns.
        min: u8,
    },
    /// `n` cells a side.
    Hexagon {
        /// Cells a side.
        default: u8,
        /// The fewest cells a side.
        min: u8,
    },
}

/// A board's size, as its variant says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Columns and ranks of a board that variants do not name.
    Fixed(u8, u8),
    /// Columns and ranks.
    Rectangle(u8, u8),
    /// Columns, and as many ranks.
    Square(u8),
    /// Cells a side.
    Hexagon(u8),
}

/// One option of a game's variants.
#[derive(Debug)]
pub struct VariantKey {
    /// The word before `=`.
    pub name: &'static str,
    /// What it is, in one phrase.
    pub about: &'static str,
    /// Which values it takes.
    pub kind: ValueKind,
    /// The value where none is given.
    pub default: fn(Size) -> Value,
}

/// Which values an option takes.
#[derive(Debug)]
pub enum ValueKind {
    /// `on` or `off`.
    Switch,
    /// A whole number.
    Number {
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// A multiple of 0.5.
    HalfPoints {
        /// The least.
        min: HalfPoints,
        /// The greatest.
        max: HalfPoints,
    },
    /// One of some words.
    Choice(&'static [&'static str]),
}

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "as in ValueKind")]
pub enum Value {
    Switch(bool),
    Number(u32),
    HalfPoints(HalfPoints),
    Choice(&'static str),
}

/// A game on a board of one size with all its options. Its text is the canonical form.
#[derive(Clone, Debug)]
pub struct Variant {
    info: &'static GameInfo,
    size: Size,
    /// One for each of the game's keys.
    values: Vec<Value>,
}

impl SizeRule {
    /// The size where none is given.
    pub fn default(&self) -> Size {
        match *self {
            Self::Fixed { size: (w, h) } => Size::Fixed(w, h),
            Self::Rectangle {
                default: (w, h), ..
            } => Size::Rectangle(w, h),
            Self::Square { default, .. } => Size::Square(default),
            Self::Hexagon { default, .. } => Size::Hexagon(default),
        }
    }

    /// The size whose board has this many columns and ranks.
    ///
    /// # Errors
    /// Says what sizes there are.
    pub fn of_dimensions(&self, columns: u32, ranks: u32) -> Result<Size, String> {
        let wrong = Err(match self {
            Self::Hexagon { .. } => {
                let widest = 2 * MAX_SIDE - 1;
                format!(
                    "a hexagon with n cells a side has 2n-1 columns and ranks: 3, 5, … {widest}"
                )
            }
            _ => self.to_string(),
        });
        let (Ok(columns), Ok(ranks)) = (u8::try_from(columns), u8::try_from(ranks)) else {
            return wrong;
        };
        match *self {
            Self::Fixed { size } if size == (columns, ranks) => Ok(self.default()),
            Self::Rectangle { .. } => self.checked(Size::Rectangle(columns, ranks)),
            Self::Square { .. } if columns == ranks => self.checked(Size::Square(columns)),
            Self::Hexagon { .. } if columns == ranks && columns % 2 == 1 => {
                self.checked(Size::Hexagon(columns.div_ceil(2)))
            }
            _ => wrong,
        }
    }

    /// The size, if this rule has it.
    ///
    /// # Errors
    /// Says what sizes there are.
    pub fn checked(&self, size: Size) -> Result<Size, String> {
        let in_range = match (self, size) {
            (Self::Rectangle { check, needs, .. }, Size::Rectangle(w, h)) => {
                let range = 1..=MAX_DIMENSION;
                let in_range = range.contains(&w) && range.contains(&h);
                if in_range && !check(w, h) {
                    return Err(format!("needs {needs}"));
                }
                in_range
            }
            (Self::Square { min, .. }, Size::Square(n)) => (*min..=MAX_DIMENSION).contains(&n),
            (Self::Hexagon { min, .. }, Size::Hexagon(n)) => (*min..=MAX_SIDE).contains(&n),
            _ => false,
        };
        if in_range {
            Ok(size)
        } else {
            Err(self.to_string())
        }
    }
}

impl Display for SizeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed { size: (w, h) } => write!(f, "the board is always {w}x{h}"),
            Self::Rectangle {
                default: (w, h),
                needs,
                ..
            } => {
                write!(
                    f,
                    "a size is columns x ranks, as in {w}x{h}, from 1 to {MAX_DIMENSION} each"
                )?;
                if needs.is_empty() {
                    Ok(())
                } else {
                    write!(f, ", with {needs}")
                }
            }
            Self::Square { min, .. } => {
                write!(
                    f,
                    "a size is one number, of columns and of ranks, from {min} to {MAX_DIMENSION}"
                )
            }
            Self::Hexagon { min, .. } => {
                write!(
                    f,
                    "a size is one number, of cells a side, from {min} to {MAX_SIDE}"
                )
            }
        }
    }
}

impl Size {
    /// The board.
    pub fn shape(self) -> Shape {
        match self {
            Self::Fixed(w, h) | Self::Rectangle(w, h) => Shape::rectangle(w, h),
            Self::Square(n) => Shape::rectangle(n, n),
            Self::Hexagon(side) => Shape::hexagon(side),
        }
    }

    /// Columns and ranks of the board.
    pub fn dimensions(self) -> (u8, u8) {
        match self {
            Self::Fixed(w, h) | Self::Rectangle(w, h) => (w, h),
            Self::Square(n) => (n, n),
            Self::Hexagon(side) => (2 * side - 1, 2 * side - 1),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(..) => Ok(()),
            Self::Rectangle(w, h) => write!(f, "{w}x{h}"),
            Self::Square(n) | Self::Hexagon(n) => write!(f, "{n}"),
        }
    }
}

impl ValueKind {
    /// Whether an option of this kind takes a value.
    pub fn allows(&self, value: Value) -> bool {
        match (self, value) {
            (Self::Switch, Value::Switch(_)) => true,
            (Self::Number { min, max }, Value::Number(number)) => (min..=max).contains(&&number),
            (Self::HalfPoints { min, max }, Value::HalfPoints(half_points)) => {
                (min..=max).contains(&&half_points)
            }
            (Self::Choice(words), Value::Choice(word)) => words.contains(&word),
            _ => false,
        }
    }
}

impl Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch => f.write_str("on or off"),
            Self::Number { min, max } => write!(f, "a number from {min} to {max}"),
            Self::HalfPoints { min, max } => write!(f, "a multiple of 0.5 from {min} to {max}"),
            Self::Choice(words) => f.write_str(&words.join(" or ")),
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(true) => f.write_str("on"),
            Self::Switch(false) => f.write_str("off"),
            Self::Number(number) => write!(f, "{number}"),
            Self::HalfPoints(half_points) => write!(f, "{half_points}"),
            Self::Choice(word) => f.write_str(word),
        }
    }
}

impl Variant {
    /// A game's default variant.
    pub fn default_of(info: &'static GameInfo) -> Self {
        Self::new(info, info.size.default(), &[])
    }

    /// A variant of a game on a board of some size, with the values of some keys by their place in [`GameInfo::keys`].
    pub fn new(info: &'static GameInfo, size: Size, given: &[(usize, Value)]) -> Self {
        let mut values: Vec<Value> = info.keys.iter().map(|key| (key.default)(size)).collect();
        for &(i, value) in given {
            if let Some(slot) = values.get_mut(i) {
                *slot = value;
            }
        }
        Self { info, size, values }
    }

    /// The game.
    pub fn info(&self) -> &'static GameInfo {
        self.info
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The value of an option of this game.
    fn value(&self, name: &str) -> Option<Value> {
        let i = self.info.keys.iter().position(|key| key.name == name)?;
        self.values.get(i).copied()
    }

    /// Whether a switch is on; false where the game has no such switch.
    pub fn switch(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Switch(true))
    }

    /// The value of an option in half-points; 0 where the game has no such option.
    pub fn half_points(&self, name: &str) -> HalfPoints {
        match self.value(name) {
            Some(Value::HalfPoints(half_points)) => half_points,
            _ => HalfPoints(0),
        }
    }

    /// The word of an option; empty where the game has no such option.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(Value::Choice(word)) => word,
            _ => "",
        }
    }

    /// The value of a numeric option; 0 where the game has no such option.
    pub fn number(&self, name: &str) -> u32 {
        match self.value(name) {
            Some(Value::Number(number)) => number,
            _ => 0,
        }
    }

    /// The options that differ from their default, with their values, in canonical order.
    fn changed(&self) -> impl Iterator<Item = (usize, &'static VariantKey, Value)> + '_ {
        (self.info.keys.iter().zip(&self.values).enumerate())
            .filter(|(_, (key, value))| (key.default)(self.size) != **value)
            .map(|(i, (key, value))| (i, key, *value))
    }

    /// The same variant with another value of an option.
    ///
    /// # Errors
    /// Says what values the option takes, or `None` where the game has no such option.
    pub fn with(&self, name: &str, value: Value) -> Result<Self, Option<String>> {
        let keys = self.info.keys;
        let i = keys.iter().position(|key| key.name == name).ok_or(None)?;
        let (key, mut with) = (keys.get(i).ok_or(None)?, self.clone());
        if !key.kind.allows(value) {
            return Err(Some(format!("{name} is {}", key.kind)));
        }
        if let Some(slot) = with.values.get_mut(i) {
            *slot = value;
        }
        Ok(with)
    }

    /// The same game and options on a board of another size.
    pub fn resized(&self, size: Size) -> Self {
        let given: Vec<(usize, Value)> = self.changed().map(|(i, _, value)| (i, value)).collect();
        Self::new(self.info, size, &given)
    }
}

impl Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let size = Some(self.size.to_string()).filter(|size| !size.is_empty());
        let changed = self
            .changed()
            .map(|(_, key, value)| format!("{}={value}", key.name));
        let items: Vec<String> = size.into_iter().chain(changed).collect();
        if items.is_empty() {
            Ok(())
        } else {
            write!(f, ":{}", items.join(","))
        }
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.info, other.info)
            && self.size == other.size
            && self.values == other.values
    }
}
