//! Words of a record: tags, moves, numbers, comments, and where each of them begins.

use super::GameResult;
use crate::files::BYTE_ORDER_MARK;

/// A place in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A token of a record.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, String),
    /// A line that begins as a tag does, and what it lacks.
    BadTag(&'static str),
    /// The text of a comment.
    Comment(&'a str),
    /// A comment in braces that nothing ends.
    OpenComment,
    /// `$6` or `?!`.
    Nag(u8),
    /// `(`.
    Open,
    /// `)`.
    Close,
    Result(GameResult),
    /// The number of a move, and whether the first player's move follows, as behind `3.` but not `3...`.
    Number(u64, bool),
    /// A move, or anything else.
    Word(&'a str),
}

/// Returns the sign of a numeric annotation glyph, such as `?` for 2.
pub fn sign(nag: u8) -> Option<&'static str> {
    SIGNS.iter().find(|(_, known)| *known == nag).map(|(sign, _)| *sign)
}

/// Signs of annotators with their numbers in PGN.
const SIGNS: [(&str, u8); 15] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("??", 4),
    ("!?", 5),
    ("?!", 6),
    ("=", 10),
    ("∞", 13),
    ("⩲", 14),
    ("⩱", 15),
    ("±", 16),
    ("∓", 17),
    ("+-", 18),
    ("-+", 19),
    ("N", 146),
];

/// Results as people write them.
const RESULTS: [(&str, GameResult); 9] = [
    ("0-1", GameResult::Black),
    ("1-0", GameResult::White),
    ("1/2-1/2", GameResult::Draw),
    ("*", GameResult::Unfinished),
    ("½-½", GameResult::Draw),
    ("1/2", GameResult::Draw),
    ("0–1", GameResult::Black),
    ("1–0", GameResult::White),
    ("0.5-0.5", GameResult::Draw),
];

/// Returns the result that a word means.
pub(super) fn result_of(word: &str) -> Option<GameResult> {
    RESULTS.iter().find(|(known, _)| *known == word).map(|&(_, result)| result)
}

/// Divides a text into tokens, in linear time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
    place: Place,
    /// True within a variation, where a parenthesis is not part of a number.
    pub(super) is_nested: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, place: Place { line: 1, column: 1 }, is_nested: false }
    }

    /// Returns the text that was not read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Returns the place of the text that was not read yet.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// Returns the next word for an error message; `None` at the end.
    pub(super) fn found(&self) -> Option<&'a str> {
        self.rest.split_whitespace().next()
    }

    /// Takes a number of bytes, which end at a character.
    pub(super) fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        for c in taken.chars() {
            if c == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else if c != BYTE_ORDER_MARK {
                self.place.column += 1;
            }
        }
        self.rest = rest;
        taken
    }

    /// Takes characters while a condition holds.
    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !holds(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Skips blanks. Returns true if the rest begins a line.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let begins = self.place.column == 1;
        let blanks = self.take_while(|c| c.is_whitespace() || c == BYTE_ORDER_MARK);
        begins || blanks.contains('\n')
    }

    /// Returns true if the text begins with a comment in braces, and not with an object of JSON.
    pub(super) fn begins_with_comment(mut self) -> bool {
        self.skip_blanks();
        let inside = self.rest.strip_prefix('{').map(str::trim_start);
        inside.is_some_and(|inside| !inside.starts_with(['"', '}']))
    }

    /// Skips the rest of the line.
    pub(super) fn skip_line(&mut self) -> &'a str {
        let line = self.take_while(|c| c != '\n');
        line.trim_end()
    }

    /// Returns true if the rest begins with a tag.
    pub(super) fn is_at_tag(&self) -> bool {
        let name = self.rest.strip_prefix('[');
        name.is_some_and(|name| name.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_ascii_alphabetic()))
    }

    /// Returns the next token with its place; `None` at the end of the text. Each token takes a character or more.
    pub(super) fn next(&mut self) -> Option<(Place, Token<'a>)> {
        let begins_line = self.skip_blanks();
        let place = self.place;
        let first = self.rest.chars().next()?;
        let token = match first {
            '[' if begins_line && self.is_at_tag() => self.tag(),
            '{' => self.comment(),
            ';' => self.line_comment(),
            '%' | '#' if begins_line => self.line_comment(),
            '(' => {
                self.take(1);
                Token::Open
            }
            ')' => {
                self.take(1);
                Token::Close
            }
            '$' => {
                self.take(1);
                let number = self.take_while(|c| c.is_ascii_digit()).parse();
                number.map_or(Token::Word("$"), Token::Nag)
            }
            '!' | '?' => {
                let signs = self.take_while(|c| "!?".contains(c));
                // Longer ones are no stronger.
                let sign = SIGNS.iter().rev().find(|(known, _)| signs.starts_with(known));
                Token::Nag(sign.map_or(1, |&(_, nag)| nag))
            }
            _ => self.word(),
        };
        Some((place, token))
    }

    fn tag(&mut self) -> Token<'a> {
        self.take(1);
        self.take_while(|c| c == ' ' || c == '\t');
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        self.take_while(|c| c == ' ' || c == '\t');
        if !self.rest.starts_with('"') {
            return Token::BadTag("the value of the tag in quotation marks");
        }
        self.take(1);
        let mut value = String::new();
        loop {
            value.push_str(self.take_while(|c| !matches!(c, '"' | '\\' | '\n' | '\r')));
            let escaped = self.rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
            match (self.rest.chars().next(), escaped) {
                (Some('"'), _) => break,
                (_, Some(c @ ('"' | '\\'))) => {
                    self.take(2);
                    value.push(c);
                }
                (Some('\\'), _) => {
                    self.take(1);
                    value.push('\\');
                }
                _ => return Token::BadTag("\""),
            }
        }
        self.take(1);
        self.take_while(|c| c == ' ' || c == '\t');
        if !self.rest.starts_with(']') {
            return Token::BadTag("]");
        }
        self.take(1);
        Token::Tag(name, value)
    }

    fn comment(&mut self) -> Token<'a> {
        let inside = self.rest.get(1..).unwrap_or_default();
        match inside.find('}') {
            // Of a brace that was forgotten the one of a later game is not the end.
            Some(end) if inside.get(..end).is_some_and(|text| !text.contains("\n[Event \"")) => {
                self.take(end + 2);
                Token::Comment(inside.get(..end).unwrap_or_default())
            }
            _ => {
                self.take(1);
                Token::OpenComment
            }
        }
    }

    fn line_comment(&mut self) -> Token<'a> {
        let line = self.skip_line();
        Token::Comment(line.get(1..).unwrap_or_default())
    }

    fn word(&mut self) -> Token<'a> {
        let mut ahead = *self;
        let word = ahead.take_while(|c| !c.is_whitespace() && !"{}[]();\"$!?".contains(c));
        if word.is_empty() {
            // A bracket or a quotation mark out of place.
            return Token::Word(self.take(1));
        }
        if let Some(result) = result_of(word) {
            *self = ahead;
            return Token::Result(result);
        }
        if let Some(&(_, nag)) = SIGNS.iter().find(|(sign, _)| *sign == word) {
            *self = ahead;
            return Token::Nag(nag);
        }
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let dots = word.get(digits..).unwrap_or_default();
        let dots = dots.len() - dots.trim_start_matches(['.', '…']).len();
        if dots == 0 && (digits == 0 || digits < word.len()) {
            *self = ahead;
            return Token::Word(word);
        }
        // The move may follow its number at once, and a parenthesis may end the number.
        let number = self.take(digits).parse().unwrap_or(0);
        let dots = self.take(dots);
        if dots.is_empty() && self.rest.starts_with(')') && !self.is_nested {
            self.take(1);
        }
        Token::Number(number, dots == "." || dots.is_empty())
    }
}
