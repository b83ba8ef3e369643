//! Names of variants, such as `gravel:5,x=3`.

use super::ensure;

/// Who chooses the next hex of Inversion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Mover,
    Alternate,
    Single,
}

/// A variant; fields that its game does not have keep their defaults.
#[derive(Clone)]
pub struct Variant {
    pub name: &'static str,
    /// Columns; the size of Gravel; the cells per side of Inversion.
    pub columns: i8,
    pub ranks: i8,
    pub pie: bool,
    pub x: i64,
    pub stall: i64,
    /// In half points.
    pub komi: i64,
    pub order: Order,
}

const ORDERS: [(Order, &str); 3] = [
    (Order::Mover, "mover"),
    (Order::Alternate, "alternate"),
    (Order::Single, "single"),
];

impl Variant {
    fn default_of(name: &str) -> Option<Self> {
        let (name, columns, ranks) = match name {
            "invector" => ("invector", 8, 7),
            "gravel" => ("gravel", 8, 8),
            "markane" => ("markane", 8, 8),
            "inversion" => ("inversion", 5, 5),
            "invictus" => ("invictus", 9, 9),
            _ => return None,
        };
        let pie = name == "invector";
        let mut variant = Self {
            name,
            columns,
            ranks,
            pie,
            x: 4,
            stall: 0,
            komi: 0,
            order: Order::Mover,
        };
        variant.stall = variant.default_stall();
        Some(variant)
    }

    fn default_stall(&self) -> i64 {
        if self.name == "gravel" {
            4 * i64::from(self.columns).pow(2)
        } else {
            100
        }
    }

    fn keys(&self) -> &'static [&'static str] {
        match self.name {
            "gravel" => &["x", "pie", "stall"],
            "inversion" => &["komi", "order", "pie"],
            "invictus" => &["stall"],
            _ => &["pie"],
        }
    }

    /// Reads a canonical name, and refuses any other.
    pub fn read(text: &str) -> Result<Self, String> {
        let (name, items) = text.split_once(':').unwrap_or((text, ""));
        let mut variant =
            Self::default_of(name).ok_or_else(|| format!("`{name}` is none of the five games"))?;
        for (place, item) in items.split(',').filter(|item| !item.is_empty()).enumerate() {
            variant
                .set(place, item)
                .ok_or_else(|| format!("{name} has no `{item}`"))?;
        }
        variant.check_sizes()?;
        let canonical = variant.canonical();
        ensure(canonical == text, || {
            format!("the canonical name of `{text}` is `{canonical}`")
        })?;
        Ok(variant)
    }

    fn set(&mut self, place: usize, item: &str) -> Option<()> {
        let Some((key, value)) = item.split_once('=') else {
            if place > 0 || self.name == "invictus" {
                return None;
            }
            let two = item.split_once('x');
            let rectangle = ["invector", "markane"].contains(&self.name);
            let (columns, ranks) = if rectangle { two? } else { (item, item) };
            (self.columns, self.ranks) = (columns.parse().ok()?, ranks.parse().ok()?);
            self.stall = self.default_stall();
            return Some(());
        };
        if !self.keys().contains(&key) {
            return None;
        }
        match key {
            "pie" => self.pie = ["off", "on"].iter().position(|&name| name == value)? == 1,
            "x" => self.x = value.parse().ok()?,
            "stall" => self.stall = value.parse().ok()?,
            "order" => self.order = ORDERS.iter().find(|(_, name)| *name == value)?.0,
            _ => {
                let komi = value
                    .parse::<f64>()
                    .ok()
                    .filter(|komi| komi.abs() <= 999.0)?;
                self.komi = (2.0 * komi) as i64;
            }
        }
        Some(())
    }

    fn check_sizes(&self) -> Result<(), String> {
        let (least, most) = match self.name {
            "gravel" => (2, 25),
            "inversion" => (2, 13),
            _ => (1, 25),
        };
        let sizes = [self.columns, self.ranks]
            .iter()
            .all(|size| (least..=most).contains(size));
        let parity = self.name != "invector" || (self.columns % 2 == 0) != (self.ranks % 2 == 0);
        let numbers = (2..=99).contains(&self.x) && (1..=9999).contains(&self.stall);
        ensure(sizes && parity && numbers, || {
            format!("`{}` is beyond the limits of the game", self.canonical())
        })
    }

    pub fn has_points(&self) -> bool {
        ["inversion", "invictus"].contains(&self.name)
    }

    /// Writes the size, then the keys that differ from their defaults.
    fn canonical(&self) -> String {
        let mut items = match self.name {
            "invictus" => Vec::new(),
            "invector" | "markane" => vec![format!("{}x{}", self.columns, self.ranks)],
            _ => vec![self.columns.to_string()],
        };
        for &key in self.keys() {
            let (differs, value) = match key {
                "pie" => (
                    self.pie != (self.name == "invector"),
                    if self.pie { "on" } else { "off" }.to_owned(),
                ),
                "x" => (self.x != 4, self.x.to_string()),
                "stall" => (self.stall != self.default_stall(), self.stall.to_string()),
                "komi" => (self.komi != 0, half_points(self.komi)),
                _ => {
                    let name = ORDERS
                        .iter()
                        .find(|(order, _)| *order == self.order)
                        .map_or("", |(_, name)| name);
                    (self.order != Order::Mover, name.to_owned())
                }
            };
            if differs {
                items.push(format!("{key}={value}"));
            }
        }
        let colon = if items.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", self.name, items.join(","))
    }
}

/// Writes half points: `3`, `-0.5`.
pub fn half_points(halves: i64) -> String {
    let sign = if halves < 0 { "-" } else { "" };
    let half = if halves % 2 == 0 { "" } else { ".5" };
    format!("{sign}{}{half}", halves.abs() / 2)
}
