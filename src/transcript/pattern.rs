//! Pattern of one line of an answer: text with wildcards and moves.

use std::ops::Range;

/// Stands for any text within a line.
const ANY: &str = "[..]";

/// Stands for one legal move.
const LEGAL: &str = "[legal]";

/// Begins a list of texts, of which one must stand there: `[one of: a1 | b2]`.
const ONE_OF: &str = "[one of:";

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// Exactly this text.
    Text(String),
    /// Any text.
    Any,
    /// One word that is a legal move.
    Legal,
    /// One of several texts.
    OneOf(Vec<String>),
}

impl Piece {
    /// Parses the wildcard at the beginning of a text. Returns it with its length.
    fn wildcard(text: &str) -> Option<(Self, usize)> {
        if text.starts_with(ANY) {
            return Some((Self::Any, ANY.len()));
        }
        if text.starts_with(LEGAL) {
            return Some((Self::Legal, LEGAL.len()));
        }
        let (inside, _) = text.strip_prefix(ONE_OF)?.split_once(']')?;
        let texts = inside.split('|').map(|text| text.trim().to_owned());
        Some((Self::OneOf(texts.collect()), ONE_OF.len() + inside.len() + 1))
    }

    fn write(&self) -> String {
        match self {
            Self::Text(text) => escape(text),
            Self::Any => ANY.to_owned(),
            Self::Legal => LEGAL.to_owned(),
            Self::OneOf(texts) => format!("{ONE_OF} {}]", texts.join(" | ")),
        }
    }
}

/// Puts a backslash before everything that would be read as a wildcard.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c == '[' && text.get(at..).is_some_and(|rest| Piece::wildcard(rest).is_some()) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A pattern of one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
}

impl Pattern {
    /// Parses a pattern. Every text is one.
    pub(super) fn new(text: &str) -> Self {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text.trim_end();
        while let Some(c) = rest.chars().next() {
            let behind = rest.get(c.len_utf8()..).unwrap_or_default();
            if c == '\\' && Piece::wildcard(behind).is_some() {
                plain.push('[');
                rest = behind.get(1..).unwrap_or_default();
            } else if let Some((piece, length)) = Piece::wildcard(rest) {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(piece);
                rest = rest.get(length..).unwrap_or_default();
            } else {
                plain.push(c);
                rest = behind;
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Self { pieces }
    }

    /// Creates a pattern of one of several texts.
    pub(super) fn one_of(texts: impl Iterator<Item = String>) -> Self {
        Self { pieces: vec![Piece::OneOf(texts.collect())] }
    }

    /// Returns the text that [`Self::new`] reads.
    pub(super) fn write(&self) -> String {
        self.pieces.iter().map(Piece::write).collect()
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns true if nothing in the pattern is a wildcard.
    pub(super) fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }

    /// Returns the first word of a pattern that begins with text.
    pub(super) fn first_word(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text.split_whitespace().next().unwrap_or_default(),
            _ => "",
        }
    }

    /// Returns true if a whole line matches. `is_legal` judges moves. White space at the end does not count.
    pub(super) fn matches(&self, line: &str, is_legal: &mut dyn FnMut(&str) -> bool) -> bool {
        let line = line.trim_end();
        // The places at which the pieces so far may end.
        let mut ends = vec![0];
        for piece in &self.pieces {
            let mut next: Vec<usize> = Vec::new();
            match piece {
                Piece::Any => {
                    let first = ends.iter().min().copied().unwrap_or(line.len());
                    next.extend((first..=line.len()).filter(|&at| line.is_char_boundary(at)));
                }
                Piece::Text(text) => next.extend(ends.iter().filter_map(|&at| behind(line, at, text))),
                Piece::OneOf(texts) => {
                    next.extend(
                        ends.iter().flat_map(|&at| texts.iter().filter_map(move |text| behind(line, at, text))),
                    );
                    next.sort_unstable();
                    next.dedup();
                }
                Piece::Legal => {
                    for &at in &ends {
                        let word = word_at(line, at);
                        if line.get(word.clone()).is_some_and(|word| !word.is_empty() && is_legal(word)) {
                            next.push(word.end);
                        }
                    }
                }
            }
            if next.is_empty() {
                return false;
            }
            ends = next;
        }
        ends.contains(&line.len())
    }

    /// Splits the pattern at its spaces.
    pub(super) fn words(&self) -> Vec<Self> {
        let mut words = Vec::new();
        let mut word = Vec::new();
        for piece in &self.pieces {
            let Piece::Text(text) = piece else {
                word.push(piece.clone());
                continue;
            };
            for (number, part) in text.split(' ').enumerate() {
                if number > 0 {
                    words.push(Self { pieces: std::mem::take(&mut word) });
                }
                if !part.is_empty() {
                    word.push(Piece::Text(part.to_owned()));
                }
            }
        }
        words.push(Self { pieces: word });
        words
    }
}

/// Returns the place behind a text that stands at a place.
fn behind(line: &str, at: usize, text: &str) -> Option<usize> {
    line.get(at..)?.starts_with(text).then_some(at + text.len())
}

/// Returns the range from a place to the next white space.
fn word_at(line: &str, at: usize) -> Range<usize> {
    let rest = line.get(at..).unwrap_or_default();
    at..at + rest.find(char::is_whitespace).unwrap_or(rest.len())
}
