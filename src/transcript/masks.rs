//! Masks: regular expressions for what differs from run to run, such as times.

use regex_lite::Regex;

use crate::text::{list, quote};

/// The default masks, with their names. The parentheses hold what is masked.
const DEFAULTS: &[(&str, &[&str])] = &[
    ("time", &[r"^info .*?\btime (\d+)"]),
    ("nodes", &[r"^info .*?\bnodes (\d+)"]),
    ("speed", &[r"^info .*?\bnps (\d+)", r"\bnodes/s (\d+)"]),
    ("hashfull", &[r"^info .*?\bhashfull (\d+)"]),
];

/// Wildcard for masked text.
const MASKED: &str = "[..]";

/// The masks of a transcript.
pub(super) struct Masks {
    masks: Vec<Regex>,
}

impl Masks {
    /// Parses the values of all `# mask:` lines. Without any, all default masks hold.
    ///
    /// A value is `none`, names of default masks, or a regular expression between slashes. Once a line has names or
    /// `none`, only the default masks that are named hold.
    ///
    /// # Errors
    /// Returns the number of the value that is wrong, from 0, and describes what is.
    pub(super) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, (usize, String)> {
        let mut own = Vec::new();
        let mut named: Option<Vec<&str>> = None;
        for (number, value) in values.into_iter().enumerate() {
            let value = value.trim();
            if let Some(expression) = value.strip_prefix('/').and_then(|value| value.strip_suffix('/')) {
                own.push(Regex::new(expression).map_err(|error| (number, format!("{}: {error}", quote(value))))?);
                continue;
            }
            let names = named.get_or_insert_default();
            for name in value.split([' ', ',']).filter(|name| !name.is_empty() && *name != "none") {
                if !DEFAULTS.iter().any(|(known, _)| *known == name) {
                    let known: Vec<String> = DEFAULTS.iter().map(|(name, _)| (*name).to_owned()).collect();
                    let why = format!(
                        "{}: expected none, {}, or a regular expression between slashes",
                        quote(name),
                        list(&known, "and")
                    );
                    return Err((number, why));
                }
                names.push(name);
            }
        }
        let defaults = DEFAULTS.iter().filter(|(name, _)| named.as_ref().is_none_or(|named| named.contains(name)));
        let defaults = defaults.flat_map(|(_, masks)| masks.iter()).filter_map(|mask| Regex::new(mask).ok());
        Ok(Self { masks: defaults.chain(own).collect() })
    }

    /// Replaces what is masked in a line by a wildcard: what the parentheses of a mask hold, or all that it matches.
    pub(super) fn apply(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for mask in &self.masks {
            let mut masked = String::with_capacity(line.len());
            let mut at = 0;
            for found in mask.captures_iter(&line) {
                let first = usize::from(found.len() > 1);
                for group in found.iter().skip(first).flatten() {
                    if group.start() < at {
                        continue;
                    }
                    masked.push_str(line.get(at..group.start()).unwrap_or_default());
                    masked.push_str(MASKED);
                    at = group.end();
                }
            }
            masked.push_str(line.get(at..).unwrap_or_default());
            line = masked;
        }
        line
    }
}
