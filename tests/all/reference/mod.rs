//! The rules once more, written from the sheets as plainly as they can be: coordinates, loops, no bit
//! tricks, nothing shared with the library.

mod gravel;
mod invector;
mod inversion;
mod invictus;
mod markane;

/// A coordinate: column, then rank, from 0.
pub type Pit = (i32, i32);

/// A board of single stones.
#[derive(Clone)]
pub struct Stones {
    pub columns: i32,
    pub ranks: i32,
    /// Rank by rank; nothing is `.`.
    at: Vec<char>,
}

/// A position in the slow rules.
pub trait Reference {
    fn legal(&self) -> Vec<String>;
    fn play(&mut self, step: &str);
    fn text(&self) -> String;
    /// `none`, or the winner and the reason: `b annihilation`.
    fn outcome(&self) -> String;
    fn copy(&self) -> Box<dyn Reference>;
}

/// Opens a position of a variant, or its start.
pub fn open(variant: &str, position: Option<&str>) -> Box<dyn Reference> {
    let (name, items) = variant.split_once(':').unwrap_or((variant, ""));
    let mut size = items
        .split(',')
        .next()
        .unwrap()
        .split('x')
        .map(|n| n.parse().unwrap_or(0));
    let columns = size.next().unwrap();
    let ranks = size.next().unwrap_or(0);
    let value = |key: &str| {
        let items = items.split(',').filter_map(|item| item.split_once('='));
        items
            .into_iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    };
    let number = |key, default| value(key).map_or(default, |text| text.parse().unwrap());
    let pie = value("pie").map_or(name == "invector", |value| value == "on");
    let half_points = value("komi").map_or(0.0, |text| 2.0 * text.parse::<f64>().unwrap()) as i32;
    match name {
        "gravel" => {
            let stall = number("stall", 4 * (columns * columns) as u32);
            Box::new(gravel::Gravel::open(
                columns,
                number("x", 4),
                pie,
                stall,
                position,
            ))
        }
        "inversion" => {
            let order = value("order").unwrap_or("mover");
            Box::new(inversion::Inversion::open(
                columns,
                half_points,
                order,
                pie,
                position,
            ))
        }
        "invector" => Box::new(invector::Invector::open(columns, ranks, pie, position)),
        "invictus" => Box::new(invictus::Invictus::open(number("stall", 100), position)),
        "markane" => Box::new(markane::Markane::open(columns, ranks, pie, position)),
        _ => panic!("no slow rules for {variant}"),
    }
}

impl Stones {
    pub fn inside(&self, (x, y): Pit) -> bool {
        (0..self.columns).contains(&x) && (0..self.ranks).contains(&y)
    }

    pub fn pits(&self) -> Vec<Pit> {
        let rank = |y| (0..self.columns).map(move |x| (x, y));
        (0..self.ranks).flat_map(rank).collect()
    }

    pub fn neighbors(&self, (x, y): Pit) -> Vec<Pit> {
        let mut all = vec![(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)];
        all.retain(|&pit| self.inside(pit));
        all
    }

    pub fn has(&self, color: char) -> bool {
        self.at.contains(&color)
    }

    pub fn exchange_colors(&mut self) {
        for stone in &mut self.at {
            *stone = match *stone {
                '.' => '.',
                stone => other(stone),
            };
        }
    }

    pub fn text(&self) -> String {
        let rank = |y| {
            (0..self.columns)
                .map(|x| self.at((x, y)))
                .collect::<String>()
        };
        (0..self.ranks)
            .rev()
            .map(rank)
            .collect::<Vec<_>>()
            .join("/")
    }

    pub fn read(columns: i32, ranks: i32, text: &str) -> Self {
        let at = vec!['.'; (columns * ranks) as usize];
        let mut stones = Self { columns, ranks, at };
        for (y, rank) in (0..ranks).rev().zip(text.split('/')) {
            for (x, piece) in (0..columns).zip(rank.chars()) {
                stones.put((x, y), piece);
            }
        }
        stones
    }

    fn place(&self, (x, y): Pit) -> usize {
        assert!(self.inside((x, y)));
        (y * self.columns + x) as usize
    }

    /// The content of a pit: `.`, `b` or `w`.
    pub fn at(&self, pit: Pit) -> char {
        self.at[self.place(pit)]
    }

    pub fn put(&mut self, pit: Pit, piece: char) {
        let place = self.place(pit);
        self.at[place] = piece;
    }
}

pub fn other(color: char) -> char {
    if color == 'b' { 'w' } else { 'b' }
}

pub fn label((x, y): Pit) -> String {
    let letter = "abcdefghjklmnopqrstuvwxyz".chars().nth(x as usize).unwrap();
    format!("{letter}{}", y + 1)
}

pub fn pit(label: &str) -> Pit {
    let x = "abcdefghjklmnopqrstuvwxyz".find(&label[..1]).unwrap();
    (x as i32, label[1..].parse::<i32>().unwrap() - 1)
}

/// Splits `c3c4` into its two labels.
pub fn two_labels(step: &str) -> (&str, &str) {
    let second = 1 + step[1..].find(|c: char| c.is_ascii_alphabetic()).unwrap();
    step.split_at(second)
}

pub fn perft(position: &dyn Reference, depth: usize) -> u64 {
    let steps = position.legal();
    if depth == 1 {
        return steps.len() as u64;
    }
    let mut total = 0;
    for step in steps {
        let mut next = position.copy();
        next.play(&step);
        total += perft(next.as_ref(), depth - 1);
    }
    total
}
