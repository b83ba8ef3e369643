//! Variants: a game, a board size and options (`protocol/notation.md`).

use std::fmt::{self, Display};

use super::{Color, EVALUATION_SCALE, HalfPoints, Method};
use crate::board::{MAX_DIMENSION, MAX_SIDE, Shape};

/// Constants of PUCT in a game.
#[derive(Clone, Copy, Debug)]
pub struct Puct {
    /// The exploration constant.
    pub exploration: f32,
    /// The positions that a descent expands, one below the other.
    pub expansions: u32,
    /// Points that a draw is worth less than one half to an engine that plays.
    pub contempt: f64,
    /// The evaluation for which a value stands for odds of ten to one: [`EVALUATION_SCALE`], or more where a search has
    /// to tell won positions apart.
    pub score_scale: f64,
}

impl Puct {
    /// Constants that serve most games.
    pub const DEFAULT: Self = Self { exploration: 0.3, expansions: 1, contempt: 0.0, score_scale: EVALUATION_SCALE };
}

/// A game's entry in the catalogue: everything that does not depend on the variant.
#[derive(Debug)]
pub struct GameInfo {
    /// The name in variants.
    pub name: &'static str,
    /// The author and the year, as the rule sheet gives them.
    pub author: &'static str,
    /// The rules in one sentence.
    pub about: &'static str,
    /// The color of the player who moves first.
    pub first: Color,
    /// The board sizes.
    pub size: SizeRule,
    /// The options besides the size, in canonical order.
    pub keys: &'static [VariantKey],
    /// The stronger search algorithm, by matches (`docs/results/strength.md`).
    pub method: Method,
    /// Constants of PUCT, by matches.
    pub puct: Puct,
    /// Turns of a game between strong players, for each cell of the board.
    pub turns_per_cell: f32,
    /// Options whose values are worth comparing, each with these values, as in `x=2,3,4`.
    pub comparisons: &'static [&'static str],
    /// Node limits a move of the levels of `Strength` below full strength, the strongest level first.
    ///
    /// They are chosen so that each level wins about three of four games against the next (`docs/results/strength.md`).
    pub levels: [u64; LEVELS],
}

/// Number of levels of `Strength` below full strength.
pub const LEVELS: usize = 5;

/// The board sizes of a game.
#[derive(Debug)]
pub enum SizeRule {
    /// A single rectangle. Variants do not name the size.
    Fixed {
        /// Columns and ranks.
        size: (u8, u8),
    },
    /// `WxH`: W columns and H ranks, 1 to 25 each.
    Rectangle {
        /// Default columns and ranks.
        default: (u8, u8),
        /// Returns true for the allowed sizes, among those within the limits.
        check: fn(u8, u8) -> bool,
        /// The condition of `check` for messages, or empty if all sizes are allowed.
        needs: &'static str,
    },
    /// `N`: N columns and N ranks.
    Square {
        /// Default number of columns.
        default: u8,
        /// Smallest number of columns.
        min: u8,
    },
    /// `n`: a hexagon with n cells a side.
    Hexagon {
        /// Default number of cells a side.
        default: u8,
        /// Smallest number of cells a side.
        min: u8,
    },
}

/// The board size of a variant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Columns and ranks of the only board of a game.
    Fixed(u8, u8),
    /// Columns and ranks of a rectangle.
    Rectangle(u8, u8),
    /// Columns and ranks of a square.
    Square(u8),
    /// Cells a side of a hexagon.
    Hexagon(u8),
}

/// One option of a game's variants.
#[derive(Debug)]
pub struct VariantKey {
    /// The word before `=`.
    pub name: &'static str,
    /// The meaning, in one phrase.
    pub about: &'static str,
    /// The allowed values.
    pub kind: ValueKind,
    /// Returns the default value, by board size.
    pub default: fn(Size) -> Value,
}

impl VariantKey {
    /// Creates the option `pie` of a game in which `first` moves first.
    pub const fn pie(first: Color, default: bool) -> Self {
        Self {
            name: "pie",
            about: match first {
                Color::Black => "White may swap colors instead of playing turn 2",
                Color::White => "Black may swap colors instead of playing turn 2",
            },
            kind: ValueKind::Switch,
            default: if default { |_| Value::Switch(true) } else { |_| Value::Switch(false) },
        }
    }
}

/// The type and range of an option's values.
#[derive(Debug)]
pub enum ValueKind {
    /// `on` or `off`.
    Switch,
    /// A whole number.
    Number {
        /// Smallest value.
        min: u32,
        /// Largest value.
        max: u32,
    },
    /// A multiple of 0.5.
    HalfPoints {
        /// Smallest value.
        min: HalfPoints,
        /// Largest value.
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

/// A variant: a game with a board size and the values of all its options. It prints in canonical form.
#[derive(Clone, Debug)]
pub struct Variant {
    info: &'static GameInfo,
    size: Size,
    /// One value for each key of the game.
    values: Vec<Value>,
}

impl SizeRule {
    /// Returns the default size.
    pub fn default(&self) -> Size {
        match *self {
            Self::Fixed { size: (w, h) } => Size::Fixed(w, h),
            Self::Rectangle { default: (w, h), .. } => Size::Rectangle(w, h),
            Self::Square { default, .. } => Size::Square(default),
            Self::Hexagon { default, .. } => Size::Hexagon(default),
        }
    }

    /// Returns the size whose board has this many columns and ranks.
    ///
    /// # Errors
    /// Describes the allowed sizes.
    pub fn of_dimensions(&self, columns: u32, ranks: u32) -> Result<Size, String> {
        let wrong = Err(match self {
            Self::Hexagon { .. } => {
                let widest = 2 * MAX_SIDE - 1;
                format!("a hexagon with n cells a side has 2n-1 columns and ranks: 3, 5, … {widest}")
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

    /// Returns `size` if this rule allows it.
    ///
    /// # Errors
    /// Describes the allowed sizes.
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
        if in_range { Ok(size) } else { Err(self.to_string()) }
    }
}

impl Display for SizeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed { size: (w, h) } => write!(f, "the board is always {w}x{h}"),
            Self::Rectangle { default: (w, h), needs, .. } => {
                write!(f, "a size is columns x ranks, as in {w}x{h}, from 1 to {MAX_DIMENSION} each")?;
                if needs.is_empty() { Ok(()) } else { write!(f, ", with {needs}") }
            }
            Self::Square { min, .. } => {
                write!(f, "a size is one number, of columns and of ranks, from {min} to {MAX_DIMENSION}")
            }
            Self::Hexagon { min, .. } => {
                write!(f, "a size is one number, of cells a side, from {min} to {MAX_SIDE}")
            }
        }
    }
}

impl Size {
    /// Creates the geometry of the board.
    pub fn shape(self) -> Shape {
        match self {
            Self::Fixed(w, h) | Self::Rectangle(w, h) => Shape::rectangle(w, h),
            Self::Square(n) => Shape::rectangle(n, n),
            Self::Hexagon(side) => Shape::hexagon(side),
        }
    }

    /// Returns the number of columns and of ranks of the board.
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
    /// Returns true if an option of this kind takes `value`.
    pub fn allows(&self, value: Value) -> bool {
        match (self, value) {
            (Self::Switch, Value::Switch(_)) => true,
            (Self::Number { min, max }, Value::Number(number)) => (min..=max).contains(&&number),
            (Self::HalfPoints { min, max }, Value::HalfPoints(half_points)) => (min..=max).contains(&&half_points),
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
    /// Creates the default variant of a game.
    pub fn default_of(info: &'static GameInfo) -> Self {
        Self::new(info, info.size.default(), &[])
    }

    /// Creates a variant from a size and some values, each with the index of its key in [`GameInfo::keys`].
    ///
    /// The other keys have their default values.
    pub fn new(info: &'static GameInfo, size: Size, given: &[(usize, Value)]) -> Self {
        let mut values: Vec<Value> = info.keys.iter().map(|key| (key.default)(size)).collect();
        for &(i, value) in given {
            if let Some(slot) = values.get_mut(i) {
                *slot = value;
            }
        }
        Self { info, size, values }
    }

    /// Returns the game's entry in the catalogue.
    pub fn info(&self) -> &'static GameInfo {
        self.info
    }

    /// Returns the board size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns true if the game has an option.
    pub fn has(&self, name: &str) -> bool {
        self.info.keys.iter().any(|key| key.name == name)
    }

    /// Returns the value of an option by name; `None` if the game has no such option.
    fn value(&self, name: &str) -> Option<Value> {
        let i = self.info.keys.iter().position(|key| key.name == name)?;
        self.values.get(i).copied()
    }

    /// Returns true if a switch is on; false if the game has no such switch.
    pub fn switch(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Switch(true))
    }

    /// Returns the value of an option in half-points; 0 if the game has no such option.
    pub fn half_points(&self, name: &str) -> HalfPoints {
        match self.value(name) {
            Some(Value::HalfPoints(half_points)) => half_points,
            _ => HalfPoints(0),
        }
    }

    /// Returns the word of an option; empty if the game has no such option.
    pub fn choice(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(Value::Choice(word)) => word,
            _ => "",
        }
    }

    /// Returns the value of a numeric option; 0 if the game has no such option.
    pub fn number(&self, name: &str) -> u32 {
        match self.value(name) {
            Some(Value::Number(number)) => number,
            _ => 0,
        }
    }

    /// Iterates over the options with other values than their defaults, in canonical order.
    fn changed(&self) -> impl Iterator<Item = (usize, &'static VariantKey, Value)> + '_ {
        (self.info.keys.iter().zip(&self.values).enumerate())
            .filter(|(_, (key, value))| (key.default)(self.size) != **value)
            .map(|(i, (key, value))| (i, key, *value))
    }

    /// Returns this variant with another value of an option.
    ///
    /// # Errors
    /// Describes the values that the option takes; `None` if the game has no such option.
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

    /// Returns this variant on a board of another size. Options with default values get the defaults of that size.
    pub fn resized(&self, size: Size) -> Self {
        let given: Vec<(usize, Value)> = self.changed().map(|(i, _, value)| (i, value)).collect();
        Self::new(self.info, size, &given)
    }
}

impl Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)?;
        let size = Some(self.size.to_string()).filter(|size| !size.is_empty());
        let changed = self.changed().map(|(_, key, value)| format!("{}={value}", key.name));
        let items: Vec<String> = size.into_iter().chain(changed).collect();
        if items.is_empty() { Ok(()) } else { write!(f, ":{}", items.join(",")) }
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.info, other.info) && self.size == other.size && self.values == other.values
    }
}
