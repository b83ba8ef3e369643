//! The games and their options, for the page's chooser.

use serde::Serialize;

use crate::games::{self, GAMES};
use crate::render::{self, Block};
use crate::rules::{GameInfo, SizeRule, ValueKind, VariantKey};

/// A game that can be chosen.
#[derive(Serialize)]
pub(super) struct GameChoice {
    name: &'static str,
    author: &'static str,
    about: &'static str,
    /// The default, and the rule of sizes in words; no sizes where the board is always the same.
    size: SizeChoice,
    options: Vec<OptionChoice>,
    rules: Vec<Block>,
}

#[derive(Serialize)]
struct SizeChoice {
    default: String,
    about: String,
    /// Usual sizes, the default among them.
    sizes: Vec<String>,
}

#[derive(Serialize)]
struct OptionChoice {
    name: &'static str,
    about: &'static str,
    default: String,
    /// The range of values in words.
    range: String,
    /// All values, if there are few.
    values: Option<Vec<String>>,
}

/// Returns the games of the catalogue.
pub(super) fn choices() -> Vec<GameChoice> {
    GAMES.iter().map(|info| choice(info)).collect()
}

fn choice(info: &'static GameInfo) -> GameChoice {
    let default = info.size.default();
    let option = |key: &VariantKey| OptionChoice {
        name: key.name,
        about: key.about,
        default: (key.default)(default).to_string(),
        range: key.kind.to_string(),
        values: match key.kind {
            ValueKind::Switch => Some(vec!["on".to_owned(), "off".to_owned()]),
            ValueKind::Choice(words) => Some(words.iter().map(|&word| word.to_owned()).collect()),
            ValueKind::Number { .. } | ValueKind::HalfPoints { .. } => None,
        },
    };
    GameChoice {
        name: info.name,
        author: info.author,
        about: info.about,
        size: SizeChoice { default: default.to_string(), about: info.size.to_string(), sizes: sizes(info) },
        options: info.keys.iter().map(option).collect(),
        rules: render::rules(info.name).unwrap_or_default(),
    }
}

/// Returns sizes that a person may want: up to the largest on which all cells can still be clicked well.
fn sizes(info: &GameInfo) -> Vec<String> {
    let candidates: Vec<String> = match info.size {
        SizeRule::Fixed { .. } => Vec::new(),
        SizeRule::Square { min, .. } => (min..=16).map(|n| n.to_string()).collect(),
        SizeRule::Hexagon { min, .. } => (min..=9).map(|n| n.to_string()).collect(),
        SizeRule::Rectangle { .. } => {
            let near = |n: u8| [format!("{n}x{n}"), format!("{}x{n}", n + 1)];
            (3..=15).flat_map(near).collect()
        }
    };
    let is_size = |size: &String| games::parse_variant(&format!("{}:{size}", info.name)).is_ok();
    candidates.into_iter().filter(is_size).collect()
}
