//! Ratings as tables: for a terminal, as Markdown, as CSV and as JSON.

use std::fmt::Write;

use serde::Serialize;

use super::super::grid::Grid;
use super::rated::{FirstMover, RatedPlayer, Ratings, SideAdvantage};
use crate::intervals::{DIGITS, Estimate, rounded};
use crate::text::{counted, grouped, shortened};

/// Maximum number of players who are compared with each other in a table of text.
const MAX_COMPARED: usize = 16;

/// Maximum number of players who are compared with each other in JSON.
const MAX_IN_JSON: usize = 200;

/// Maximum number of characters of a name.
const MAX_NAME: usize = 32;

/// Likelihood from which on a player is called the stronger one.
const SURE: f64 = 0.975;

/// Number of games from which on more of them are as good as infinitely many.
const MANY: f64 = 1e6;

/// Formats a number of Elo.
fn elo(value: f64) -> String {
    match value {
        value if value.is_nan() => "unknown".to_owned(),
        f64::INFINITY => "+inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        value => format!("{:+.1}", rounded(value, 1)),
    }
}

fn interval(estimate: &Estimate) -> String {
    if estimate.value.is_finite() {
        format!("{} to {}", elo(estimate.low), elo(estimate.high))
    } else {
        "none".to_owned()
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

impl Ratings {
    fn is_named_by_pool(&self) -> bool {
        self.pools > 1
    }

    /// Returns the table of players.
    pub fn player_table(&self) -> Grid {
        let mut heads =
            vec!["player", "rating", "95 % interval", "games", "score", "above the next", "games to show it"];
        if self.is_named_by_pool() {
            heads.push("pool");
        }
        let row = |player: &RatedPlayer| {
            let RatedPlayer { name, pool, rating, results, next } = player;
            let (superiority, more) = match next {
                None => ("-".to_owned(), "-".to_owned()),
                Some(next) => (percent(next.superiority), needed(next.games)),
            };
            let mut row = vec![
                shortened(name, MAX_NAME),
                elo(rating.value),
                interval(rating),
                results.games().to_string(),
                percent(results.share()),
                superiority,
                more,
            ];
            if self.is_named_by_pool() {
                row.push(pool.to_string());
            }
            row
        };
        Grid::new("", &heads, self.players.iter().map(row).collect())
    }

    /// Returns the table of the advantages of the first mover.
    pub fn first_mover_table(&self) -> Grid {
        let mut rows = Vec::new();
        let row = |name: String, estimate: &Estimate, results: &crate::intervals::Results| {
            let score = if results.games() == 0 { "-".to_owned() } else { percent(results.share()) };
            vec![name, elo(estimate.value), interval(estimate), results.games().to_string(), score]
        };
        for of in &self.first_mover {
            rows.push(row(of.variant.clone(), &of.advantage, &of.results));
            for (side, name) in of.sides.iter().flatten().zip(["not swapped", "swapped"]) {
                rows.push(row(format!("  {name}"), &side.advantage, &side.results));
            }
        }
        Grid::new("", &["moving first", "advantage", "95 % interval", "games", "score"], rows)
    }

    /// Returns the tables of everyone against everyone; nothing for two players and for many.
    pub fn matrices(&self) -> Vec<Grid> {
        let count = self.players.len();
        if !(3..=MAX_COMPARED).contains(&count) {
            return Vec::new();
        }
        let numbers: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        let matrix = |caption: &str, cell: &dyn Fn(usize, usize) -> Option<f64>| {
            let mut heads = vec!["percent"];
            heads.extend(numbers.iter().map(String::as_str));
            let rows = self.players.iter().enumerate().map(|(a, player)| {
                let mut row = vec![format!("{} {}", a + 1, shortened(&player.name, MAX_NAME))];
                row.extend((0..count).map(|b| {
                    let value = if a == b { None } else { cell(a, b) };
                    value.map_or_else(|| "-".to_owned(), |share| format!("{:.1}", 100.0 * share))
                }));
                row
            });
            Grid::new(caption, &heads, rows.collect())
        };
        vec![
            matrix("likelihood that the player of the row is stronger than that of the column", &|a, b| {
                self.superiority(a, b)
            }),
            matrix("expected score of the player of the row against that of the column", &|a, b| {
                self.expected_score(a, b)
            }),
        ]
    }

    /// Returns what the tables are about, in a line.
    pub fn title(&self) -> String {
        let games = if self.games == 1 { "1 game".to_owned() } else { format!("{} games", grouped(self.games)) };
        let players = counted(self.players.len() as u64, "player");
        let scale = match self.options.anchors.as_slice() {
            [] => "mean 0".to_owned(),
            anchors => {
                let anchors: Vec<String> =
                    anchors.iter().map(|anchor| format!("{} at {}", anchor.name, anchor.rating)).collect();
                anchors.join(", ")
            }
        };
        let prior = match self.options.prior {
            prior if prior <= 0.0 => "no prior".to_owned(),
            prior => format!("prior {prior}"),
        };
        let draws = if self.options.has_draws { ", draws after Davidson" } else { "" };
        format!("{games}, {players}; Elo, {scale}, {prior}{draws}")
    }

    /// Returns the answers in words: who is the strongest, and what moving first is worth, with its interval.
    pub fn answers(&self) -> Vec<String> {
        let mut answers = Vec::new();
        if let (Some(first), 1) = (self.players.first(), self.pools) {
            let name = shortened(&first.name, MAX_NAME);
            let above = match self.players.get(1).zip(first.next) {
                Some((second, next)) if next.superiority >= SURE => {
                    format!("{name} is stronger than {}, the next one", shortened(&second.name, MAX_NAME))
                }
                Some((second, next)) => format!(
                    "these games do not tell whether {name} is stronger than {} ({})",
                    shortened(&second.name, MAX_NAME),
                    percent(next.superiority)
                ),
                None => "nobody is compared".to_owned(),
            };
            let rating = elo(first.rating.value);
            answers.push(format!(
                "{name} is first with {rating} Elo (95 % interval {}): {above}.",
                interval(&first.rating)
            ));
        }
        answers.extend(self.first_mover.iter().take(2).map(|of| {
            let FirstMover { variant, advantage, .. } = of;
            let verdict = match () {
                () if advantage.low > 0.0 => "an advantage",
                () if advantage.high < 0.0 => "a disadvantage",
                () => "these games do not tell whether it is an advantage",
            };
            let (value, interval) = (elo(advantage.value), interval(advantage));
            format!("Moving first in {variant} is worth {value} Elo (95 % interval {interval}): {verdict}.")
        }));
        answers
    }

    /// Formats the ratings and advantages, as the reports of matches and statistics have them.
    pub fn short_text(&self) -> String {
        format!("ratings: {}\n{}", self.title(), self.tables(&[]))
    }

    /// Formats everything for a terminal.
    pub fn text(&self) -> String {
        format!("{}\n\n{}", self.title(), self.tables(&self.matrices()))
    }

    /// Formats the tables and notes for a terminal.
    fn tables(&self, matrices: &[Grid]) -> String {
        let mut text = self.player_table().text();
        for grid in [&self.first_mover_table()].into_iter().chain(matrices) {
            let _ = write!(text, "\n{}", grid.text());
        }
        for note in self.notes() {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    /// Formats everything as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\n{}", self.title(), self.player_table().markdown());
        let _ = write!(text, "\n{}", self.first_mover_table().markdown());
        for matrix in self.matrices() {
            let _ = write!(text, "\n{}", matrix.markdown());
        }
        for note in self.notes() {
            let _ = write!(text, "\nNote: {note}.\n");
        }
        text
    }

    /// Formats the players as CSV.
    pub fn csv(&self) -> String {
        let heads = ["player", "rating", "low", "high", "games", "score", "wins", "draws", "losses", "pool"];
        let row = |player: &RatedPlayer| {
            let RatedPlayer { name, pool, rating, results, .. } = player;
            let numbers = [rating.value, rating.low, rating.high].map(|value| match value {
                value if value.is_nan() => String::new(),
                value if value.is_infinite() => elo(value),
                value => format!("{:.4}", rounded(value, 4)),
            });
            let counts = [results.wins, results.draws, results.losses].map(|count| count.to_string());
            let mut row = vec![name.clone()];
            row.extend(numbers);
            row.extend([results.games().to_string(), format!("{:.6}", results.share())]);
            row.extend(counts);
            row.push(pool.to_string());
            row
        };
        Grid::new("", &heads, self.players.iter().map(row).collect()).csv()
    }

    /// Returns everything for JSON.
    pub fn json(&self) -> impl Serialize + use<> {
        let matrix = |cell: &dyn Fn(usize, usize) -> Option<f64>| -> Vec<Vec<Option<f64>>> {
            let count = if self.players.len() > MAX_IN_JSON { 0 } else { self.players.len() };
            let row = |a: usize| (0..count).map(|b| cell(a, b).map(|share| rounded(share, DIGITS))).collect();
            (0..count).map(row).collect()
        };
        JsonRatings {
            games: self.games,
            pools: self.pools,
            prior: self.options.prior,
            players: self.players.iter().map(JsonPlayer::new).collect(),
            first_mover: self.first_mover.iter().map(JsonFirstMover::new).collect(),
            superiority: matrix(&|a, b| if a == b { None } else { self.superiority(a, b) }),
            expected_score: matrix(&|a, b| if a == b { None } else { self.expected_score(a, b) }),
            notes: self.notes(),
        }
    }
}

/// Formats a number of games that are still needed.
fn needed(games: f64) -> String {
    match games {
        0.0 => "none".to_owned(),
        games if games > MANY => format!("over {}", grouped(MANY as u64)),
        games => grouped(games as u64),
    }
}

/// Numbers that are not finite become `null`.
#[derive(Serialize)]
struct JsonRatings {
    games: u64,
    pools: usize,
    prior: f64,
    players: Vec<JsonPlayer>,
    first_mover: Vec<JsonFirstMover>,
    superiority: Vec<Vec<Option<f64>>>,
    expected_score: Vec<Vec<Option<f64>>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct JsonPlayer {
    name: String,
    rating: f64,
    low: f64,
    high: f64,
    games: u64,
    score: f64,
    wins: u64,
    draws: u64,
    losses: u64,
    pool: usize,
    games_to_show_next: Option<f64>,
}

impl JsonPlayer {
    fn new(player: &RatedPlayer) -> Self {
        let RatedPlayer { name, pool, rating, results, next } = player;
        let rating = rating.rounded(DIGITS);
        Self {
            name: name.clone(),
            rating: rating.value,
            low: rating.low,
            high: rating.high,
            games: results.games(),
            score: rounded(results.share(), DIGITS),
            wins: results.wins,
            draws: results.draws,
            losses: results.losses,
            pool: *pool,
            games_to_show_next: next.map(|next| next.games),
        }
    }
}

#[derive(Serialize)]
struct JsonFirstMover {
    variant: String,
    elo: f64,
    low: f64,
    high: f64,
    games: u64,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws_between_equals: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_swapped: Option<JsonSide>,
    #[serde(skip_serializing_if = "Option::is_none")]
    swapped: Option<JsonSide>,
}

#[derive(Serialize)]
struct JsonSide {
    elo: f64,
    low: f64,
    high: f64,
    games: u64,
    score: f64,
}

impl JsonSide {
    fn new(side: &SideAdvantage) -> Self {
        let Estimate { value, low, high } = side.advantage.rounded(DIGITS);
        let results = side.results;
        Self { elo: value, low, high, games: results.games(), score: rounded(results.share(), DIGITS) }
    }
}

impl JsonFirstMover {
    fn new(of: &FirstMover) -> Self {
        let Estimate { value, low, high } = of.advantage.rounded(DIGITS);
        let [kept, swapped] = match &of.sides {
            Some([kept, swapped]) => [Some(JsonSide::new(kept)), Some(JsonSide::new(swapped))],
            None => [None, None],
        };
        Self {
            variant: of.variant.clone(),
            elo: value,
            low,
            high,
            games: of.results.games(),
            score: rounded(of.results.share(), DIGITS),
            draws_between_equals: of.draws.map(|share| rounded(share, DIGITS)),
            not_swapped: kept,
            swapped,
        }
    }
}
