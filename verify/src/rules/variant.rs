//! Names of variants, such as `gravel:5,x=3`.

use super::*;

/// Who chooses the next hex of Inversion.
#[derive(Clone, Copy, PartialEq)]
pub enum Order {
    /// The player who completed them.
    Mover,
    /// Both players in turn, beginning with the one who completed them.
    Alternate,
    /// The player who completed them inverts one; the others stay as they are.
    Single,
}

const ORDERS: [(&str, Order); 3] =
    [("mover", Order::Mover), ("alternate", Order::Alternate), ("single", Order::Single)];

/// A variant; fields that its game does not have keep their defaults.
#[derive(Clone)]
pub struct Variant {
    /// The game.
    pub rules: &'static Rules,
    /// Columns; the size of Gravel; the cells per side of Inversion.
    pub columns: i8,
    /// Ranks.
    pub ranks: i8,
    /// True if the second player may swap.
    pub pie: bool,
    /// Actions of a turn and height of a full stack, in Gravel.
    pub x: i64,
    /// Turns without a removal or without progress that end the game.
    pub stall: i64,
    /// In half points.
    pub komi: i64,
    /// The order of inversions, in Inversion.
    pub order: Order,
}

impl Variant {
    fn default_of(rules: &'static Rules) -> Self {
        let (columns, ranks) = match rules.name {
            "invector" => (8, 7),
            "inversion" => (5, 5),
            "invictus" => (9, 9),
            _ => (8, 8),
        };
        let pie = rules.name == "invector";
        let mut variant = Self { rules, columns, ranks, pie, x: 4, stall: 0, komi: 0, order: Order::Mover };
        variant.stall = variant.default_stall();
        variant
    }

    fn default_stall(&self) -> i64 {
        if self.rules.name == "gravel" { 4 * i64::from(self.columns).pow(2) } else { 100 }
    }

    /// The keys of the game, in the order of the canonical name, with values: this variant's and the default.
    fn keys(&self) -> Vec<(&'static str, String, String)> {
        let on = |on: bool| if on { "on" } else { "off" }.to_owned();
        let pie = ("pie", on(self.pie), on(self.rules.name == "invector"));
        let x = ("x", self.x.to_string(), "4".to_owned());
        let stall = ("stall", self.stall.to_string(), self.default_stall().to_string());
        let komi = ("komi", half_points(self.komi), "0".to_owned());
        let name = ORDERS.iter().find(|(_, order)| *order == self.order).map_or("", |(name, _)| name);
        let order = ("order", name.to_owned(), "mover".to_owned());
        match self.rules.name {
            "gravel" => vec![x, pie, stall],
            "inversion" => vec![komi, order, pie],
            "invictus" => vec![stall],
            _ => vec![pie],
        }
    }

    /// Writes the size, then the keys that differ from their defaults.
    fn canonical(&self) -> String {
        let mut items = match self.rules.name {
            "invictus" => Vec::new(),
            "invector" | "markane" => vec![format!("{}x{}", self.columns, self.ranks)],
            _ => vec![self.columns.to_string()],
        };
        let differing = self.keys().into_iter().filter(|(_, value, default)| value != default);
        items.extend(differing.map(|(key, value, _)| format!("{key}={value}")));
        let colon = if items.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.rules.name, items.join(","))
    }

    /// Reads a canonical name, and refuses any other.
    pub fn read(text: &str) -> Result<Self, String> {
        let (name, items) = text.split_once(':').unwrap_or((text, ""));
        let rules = GAMES.into_iter().find(|rules| rules.name == name);
        let mut variant = Self::default_of(rules.ok_or_else(|| format!("`{name}` is none of the five games"))?);
        for item in items.split(',').filter(|item| !item.is_empty()) {
            variant.set(item).ok_or_else(|| format!("{name} has no `{item}`"))?;
        }
        let (least, most) = match name {
            "gravel" => (2, 25),
            "inversion" => (2, 13),
            _ => (1, 25),
        };
        let sizes = [variant.columns, variant.ranks].iter().all(|size| (least..=most).contains(size));
        let parity = name != "invector" || (variant.columns ^ variant.ranks) & 1 == 1;
        let fits = sizes && parity && (2..=99).contains(&variant.x) && (1..=9999).contains(&variant.stall);
        ensure(fits, || format!("`{text}` is beyond the limits of the game"))?;
        let canonical = variant.canonical();
        ensure(canonical == text, || format!("the canonical name of `{text}` is `{canonical}`"))?;
        Ok(variant)
    }

    fn set(&mut self, item: &str) -> Option<()> {
        let Some((key, value)) = item.split_once('=') else {
            let (columns, ranks) = item.split_once('x').unwrap_or((item, item));
            (self.columns, self.ranks) = (columns.parse().ok()?, ranks.parse().ok()?);
            self.stall = self.default_stall();
            return Some(());
        };
        self.keys().iter().find(|(name, ..)| *name == key)?;
        match key {
            "pie" => self.pie = value == "on",
            "x" => self.x = value.parse().ok()?,
            "stall" => self.stall = value.parse().ok()?,
            "order" => self.order = ORDERS.iter().find(|(name, _)| *name == value)?.1,
            _ => self.komi = read_half_points(value).filter(|komi| komi.abs() <= 1998)?,
        }
        Some(())
    }

    /// Returns true if the game counts points.
    pub fn has_points(&self) -> bool {
        ["inversion", "invictus"].contains(&self.rules.name)
    }

    /// Returns the position at the start.
    pub fn start(&self) -> Position {
        let board = match self.rules.name {
            "invector" => super::invector::checkerboard(self.columns, self.ranks),
            "gravel" => Board::rectangle(self.columns, self.ranks, self.x as i8),
            "markane" => Board::rectangle(self.columns, self.ranks, 1),
            "inversion" => Board::hexagon(self.columns),
            _ => Board::rectangle(9, 9, 6),
        };
        let (side, used, pending) = (self.rules.first, Used::default(), Vec::new());
        Position { board, side, owed: 1, used, pair: [0, 0], hand: 0, stall: 0, pending, turn: 1 }
    }
}

/// Writes half points: `3`, `-0.5`.
pub fn half_points(halves: i64) -> String {
    let sign = if halves < 0 { "-" } else { "" };
    let half = if halves % 2 == 0 { "" } else { ".5" };
    format!("{sign}{}{half}", halves.abs() / 2)
}

/// Reads what `half_points` writes.
pub fn read_half_points(text: &str) -> Option<i64> {
    let number = text.parse::<f64>().ok().filter(|number| number.abs() < 1e9)?;
    let halves = (2.0 * number) as i64;
    (half_points(halves) == text).then_some(halves)
}
