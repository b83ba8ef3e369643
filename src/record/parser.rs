//! Reads the games of a text: their tags and the tree of their moves, without the rules.

use super::lexer::{Lexer, Place, Token};
use super::text::{self, Annotation};
use super::{GameResult, Line, MoveRecord, RecordError};
use crate::games;
use crate::rules::Variant;
use crate::text::quote;

/// Maximum depth of variations within variations. JSON of deeper ones could not be read.
pub const MAX_DEPTH: usize = 24;

/// Something that a text may say, with its place.
pub(super) type Found<T> = Option<(Place, T)>;

/// A game as it stands in a text.
#[derive(Debug)]
pub(super) struct ParsedGame<'a> {
    /// Place of its first word.
    pub(super) begin: Place,
    /// Place behind its tags.
    pub(super) movetext: Place,
    /// The first word behind its tags.
    pub(super) found: Option<&'a str>,
    pub(super) tags: Vec<(Place, &'a str, String)>,
    /// A variant that is written before the moves without a tag.
    pub(super) variant: Found<Variant>,
    /// A position that is written before the moves without a tag.
    pub(super) start: Found<String>,
    pub(super) line: Line,
    /// Places of all moves, in the order of the text.
    pub(super) places: Vec<Place>,
    /// The result behind the moves, as it is written.
    pub(super) result: Found<(GameResult, &'a str)>,
    /// Text that can't be read.
    pub(super) errors: Vec<RecordError>,
    /// The place at which the game ends.
    pub(super) end: Place,
    /// The text from its first word on.
    pub(super) text: &'a str,
    /// The text behind the game.
    pub(super) rest: &'a str,
}

impl<'a> ParsedGame<'a> {
    /// Returns the value of a tag.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tag_with_place(name).map(|(_, value)| value)
    }

    pub(super) fn tag_with_place(&self, name: &str) -> Option<(Place, &str)> {
        let found = self.tags.iter().find(|(_, known, _)| *known == name);
        found.map(|(place, _, value)| (*place, value.as_str()))
    }

    /// Returns the result by the tag; `None` if it names none.
    pub(super) fn result_by_tag(&self) -> Option<GameResult> {
        self.tag("Result").and_then(super::lexer::result_of)
    }
}

/// Returns true if a word may be a move: everything else that people write between moves is no move in any game.
fn is_move(word: &str) -> bool {
    let known = ["pass", "swap", "end"];
    let step =
        |step: &str| step.contains(|c: char| c.is_ascii_digit()) || known.iter().any(|k| step.eq_ignore_ascii_case(k));
    word.split(',').all(|part| part.is_empty() || step(part)) && !names_game(word)
}

/// Returns true if a word begins with the name of a game, as every variant does.
fn names_game(word: &str) -> bool {
    let begins = |name: &str| word.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    games::GAMES.iter().any(|game| begins(game.name))
}

/// Reads a variant such as `markane:6x6`, or `markane`, which a size may follow as the next word.
fn variant(word: &str, lexer: &mut Lexer<'_>) -> Option<Variant> {
    if !names_game(word) {
        return None;
    }
    let word = word.trim_end_matches([',', ':', '.']);
    let variant = games::parse_variant(word).ok()?;
    let mut ahead = *lexer;
    if let Some((_, Token::Word(size))) = ahead.next()
        && size.starts_with(|c: char| c.is_ascii_digit())
        && let Ok(sized) = games::parse_variant(&format!("{word}:{size}"))
    {
        *lexer = ahead;
        return Some(sized);
    }
    Some(variant)
}

/// Returns the first variant that a text names.
pub(super) fn variant_in(text: &str) -> Option<Variant> {
    let mut lexer = Lexer::new(text);
    while let Some((_, token)) = lexer.next() {
        if let Token::Word(word) = token
            && let Some(variant) = variant(word, &mut lexer)
        {
            return Some(variant);
        }
    }
    None
}

/// State of reading one game.
struct Parser<'a> {
    lexer: Lexer<'a>,
    game: ParsedGame<'a>,
    /// Lines that are being read: the main line, and variations within it.
    open: Vec<Line>,
    /// Number of further opened variations that are too deep.
    too_deep: usize,
    /// Annotations before the move that they belong to.
    nags: Vec<u8>,
    /// True behind a move until its first comment, which may say what is known of its search.
    is_fresh: bool,
    /// True behind a comma, which the next step of the move follows.
    is_joined: bool,
    /// True if every word is a move, and nothing but moves is expected.
    is_list: bool,
    /// True once a word was read that can't be understood: what follows of this game has no meaning.
    is_lost: bool,
}

/// Reads the next game of a text; `None` at the end.
pub(super) fn next_game<'a>(lexer: &mut Lexer<'a>) -> Option<ParsedGame<'a>> {
    read_game(lexer, false)
}

/// Reads a list of moves, and takes every word for a move; `None` at the end.
pub(super) fn move_list<'a>(lexer: &mut Lexer<'a>) -> Option<ParsedGame<'a>> {
    read_game(lexer, true)
}

fn read_game<'a>(lexer: &mut Lexer<'a>, is_list: bool) -> Option<ParsedGame<'a>> {
    let mut parser = Parser::new(lexer, is_list)?;
    parser.tags();
    parser.moves();
    Some(parser.finish(lexer))
}

/// Reads the tags of the next game, and the words behind them, whatever they are; `None` at the end.
///
/// The words end at the next tag. Numbers, comments, variations and results are not among them.
pub(super) fn next_outline<'a>(lexer: &mut Lexer<'a>) -> Option<(ParsedGame<'a>, Vec<&'a str>)> {
    let mut parser = Parser::new(lexer, false)?;
    parser.tags();
    let words = parser.words();
    Some((parser.finish(lexer), words))
}

impl<'a> Parser<'a> {
    fn new(lexer: &mut Lexer<'a>, is_list: bool) -> Option<Self> {
        lexer.skip_blanks();
        if lexer.rest().is_empty() {
            return None;
        }
        let game = ParsedGame {
            begin: lexer.place(),
            movetext: lexer.place(),
            found: None,
            tags: Vec::new(),
            variant: None,
            start: None,
            line: Line::default(),
            places: Vec::new(),
            result: None,
            errors: Vec::new(),
            end: lexer.place(),
            text: lexer.rest(),
            rest: lexer.rest(),
        };
        Some(Self {
            lexer: *lexer,
            game,
            open: vec![Line::default()],
            too_deep: 0,
            nags: Vec::new(),
            is_fresh: false,
            is_joined: false,
            is_list,
            is_lost: false,
        })
    }

    fn error(&mut self, place: Place, why: String) {
        self.game.errors.push(RecordError::new(place, why));
    }

    fn expected(&mut self, place: Place, expected: &str, found: Option<&str>) {
        let found = found.map_or("the end".to_owned(), quote);
        self.error(place, format!("expected {expected}, found {found}"));
    }

    /// Reads the tags. A name that comes again begins another game.
    fn tags(&mut self) {
        loop {
            let mut ahead = self.lexer;
            match ahead.next() {
                Some((place, Token::Tag(name, value))) => {
                    if self.game.tag(name).is_some() {
                        break;
                    }
                    self.game.tags.push((place, name, value));
                }
                Some((_, Token::BadTag(expected))) => {
                    let (place, found) = (ahead.place(), ahead.found().filter(|_| !ahead.rest().starts_with('\n')));
                    let found = found.or(Some("").filter(|_| !ahead.rest().is_empty()));
                    match found {
                        Some("") => self.error(place, format!("expected {expected}, found the end of the line")),
                        found => self.expected(place, expected, found),
                    }
                    ahead.skip_line();
                }
                _ => break,
            }
            self.lexer = ahead;
        }
        self.lexer.skip_blanks();
        self.game.movetext = self.lexer.place();
        self.game.found = self.lexer.found();
    }

    /// Reads the words of the main line up to the next tag, and the last result among them.
    fn words(&mut self) -> Vec<&'a str> {
        let mut words = Vec::new();
        let mut depth = 0_usize;
        loop {
            self.lexer.is_nested = depth > 0;
            let mut ahead = self.lexer;
            match ahead.next() {
                None | Some((_, Token::Tag(..) | Token::BadTag(_))) => return words,
                Some((_, Token::Open)) => depth += 1,
                Some((_, Token::Close)) => depth = depth.saturating_sub(1),
                Some((_, Token::Word(word))) if depth == 0 => words.push(word),
                Some((place, Token::Result(result))) if depth == 0 => self.game.result = Some((place, (result, ""))),
                // What follows may be another game.
                Some((_, Token::OpenComment)) => {
                    ahead.skip_line();
                }
                Some(_) => {}
            }
            self.lexer = ahead;
        }
    }

    /// Reads the moves up to the result, or to the beginning of another game.
    fn moves(&mut self) {
        loop {
            self.lexer.is_nested = self.open.len() + self.too_deep > 1;
            let mut ahead = self.lexer;
            let Some((place, token)) = ahead.next() else {
                break;
            };
            match token {
                Token::Tag(..) | Token::BadTag(_) => break,
                // At the end of the text it is the beginning of a result.
                Token::Number(1, true)
                    if self.begins_again() && !self.is_list && !ahead.rest().trim_start().is_empty() =>
                {
                    break;
                }
                Token::Word(word) if self.is_main_line() && self.has_moves() && !self.is_list && names_game(word) => {
                    if variant(word, &mut ahead).is_some() {
                        break;
                    }
                    self.lexer = ahead;
                    self.word(place, word);
                }
                Token::Result(result) if self.is_main_line() && self.too_deep == 0 => {
                    let mut word = self.lexer;
                    word.skip_blanks();
                    self.game.result = Some((place, (result, word.found().unwrap_or_default())));
                    self.lexer = ahead;
                    return;
                }
                token => {
                    self.lexer = ahead;
                    self.token(place, token);
                }
            }
        }
    }

    fn is_main_line(&self) -> bool {
        self.open.len() == 1
    }

    fn has_moves(&self) -> bool {
        self.is_lost || self.open.first().is_some_and(|line| !line.moves.is_empty())
    }

    /// Returns true if the number 1 is that of another game.
    fn begins_again(&self) -> bool {
        let both = self.open.first().is_some_and(|line| line.moves.len() > 1);
        self.is_main_line() && (both || self.is_lost)
    }

    fn token(&mut self, place: Place, token: Token<'a>) {
        match token {
            Token::Open => self.open_variation(place),
            Token::Close => self.close_variation(place),
            Token::OpenComment => {
                self.error(place, "expected } behind the comment that begins here".to_owned());
                self.lose();
                // What follows may be another game.
                self.lexer.skip_line();
            }
            _ if self.is_lost || self.too_deep > 0 => {}
            Token::Comment(text) => self.comment(text),
            Token::Nag(nag) => match self.last_move() {
                Some(last) => last.nags.push(nag),
                None => self.nags.push(nag),
            },
            Token::Word(word) => self.word(place, word),
            // Within a variation it says no more than its moves.
            Token::Result(_) | Token::Number(..) | Token::Tag(..) | Token::BadTag(_) => {}
        }
    }

    /// Gives up the rest of the game, and keeps what was read.
    fn lose(&mut self) {
        while !self.is_main_line() {
            self.end_variation();
        }
        self.too_deep = 0;
        self.is_lost = true;
    }

    fn last_move(&mut self) -> Option<&mut MoveRecord> {
        self.open.last_mut()?.moves.last_mut()
    }

    fn open_variation(&mut self, place: Place) {
        self.is_joined = false;
        if self.is_lost {
            return;
        }
        if self.too_deep > 0 || self.open.len() > MAX_DEPTH {
            if self.too_deep == 0 {
                self.error(place, format!("variations are nested more than {MAX_DEPTH} deep"));
            }
            self.too_deep += 1;
            return;
        }
        if self.last_move().is_none() {
            self.expected(place, "a move before its variations", Some("("));
            self.too_deep += 1;
            return;
        }
        self.open.push(Line::default());
        self.is_fresh = false;
    }

    fn close_variation(&mut self, place: Place) {
        if self.is_lost {
            return;
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        self.is_joined = false;
        if self.is_main_line() {
            self.expected(place, "a move, or ( before it", Some(")"));
            return self.lose();
        }
        self.end_variation();
    }

    fn end_variation(&mut self) {
        let line = self.open.pop().unwrap_or_default();
        if line != Line::default()
            && let Some(last) = self.last_move()
        {
            last.variations.push(line);
        }
        self.is_fresh = false;
    }

    fn comment(&mut self, text: &str) {
        let is_first = std::mem::take(&mut self.is_fresh);
        let Some(line) = self.open.last_mut() else {
            return;
        };
        let Some(last) = line.moves.last_mut() else {
            return append(&mut line.comment, text);
        };
        match Annotation::read(text) {
            Annotation::Information(information) if is_first => last.information = Some(information),
            Annotation::Book if is_first => last.information = None,
            _ => append(&mut last.comment, text),
        }
    }

    fn word(&mut self, place: Place, word: &'a str) {
        if !self.has_moves() && self.is_main_line() && !self.is_list && self.header(place, word) {
            return;
        }
        if self.is_lost {
            return;
        }
        if !is_move(word) && !self.is_list {
            let expected = match self.game.result_by_tag() {
                Some(result) => format!("a move or {result}"),
                None => "a move, a comment in braces, or a result".to_owned(),
            };
            self.expected(place, &expected, Some(word));
            return self.lose();
        }
        let joins = std::mem::replace(&mut self.is_joined, word.ends_with(',')) || word.starts_with(',');
        let text = word.trim_matches(',');
        let nags = std::mem::take(&mut self.nags);
        if let Some(last) = self.last_move().filter(|_| joins) {
            if !text.is_empty() {
                last.text.push(',');
                last.text.push_str(text);
            }
            return;
        }
        if let Some(line) = self.open.last_mut() {
            let information = Some(Default::default());
            line.moves.push(MoveRecord { nags, ..MoveRecord::new(text, information) });
            self.game.places.push(place);
            self.is_fresh = true;
        }
    }

    /// Reads a word before the moves that is not one: the variant, or words of UGI's `position`.
    fn header(&mut self, place: Place, word: &str) -> bool {
        if word.eq_ignore_ascii_case("moves") || word.eq_ignore_ascii_case("startpos") {
            return true;
        }
        if word.eq_ignore_ascii_case("position") || word.eq_ignore_ascii_case("fen") {
            self.lexer.skip_blanks();
            let place = self.lexer.place();
            let mut ahead = self.lexer;
            let line = ahead.skip_line();
            let position = line.split_once(" moves").map_or(line, |(position, _)| position);
            // Behind `position startpos` moves follow.
            if !position.starts_with("startpos") && !position.starts_with("fen ") {
                self.game.start = Some((place, position.trim().to_owned()));
                self.lexer.take(position.len());
            }
            return true;
        }
        match variant(word, &mut self.lexer) {
            Some(variant) => {
                self.game.variant.get_or_insert((place, variant));
                true
            }
            None => false,
        }
    }

    fn finish(mut self, lexer: &mut Lexer<'a>) -> ParsedGame<'a> {
        if !self.is_main_line() || self.too_deep > 0 {
            self.lexer.skip_blanks();
            let (place, found) = (self.lexer.place(), self.lexer.found());
            self.expected(place, ") behind a variation", found);
            self.lose();
        }
        self.game.line = self.open.pop().unwrap_or_default();
        self.game.end = self.lexer.place();
        self.game.rest = self.lexer.rest();
        *lexer = self.lexer;
        lexer.is_nested = false;
        self.game
    }
}

/// Adds a comment to those before.
fn append(comment: &mut Option<String>, text: &str) {
    let text = text::remark(text);
    match comment {
        _ if text.is_empty() => {}
        Some(comment) => {
            comment.push(' ');
            comment.push_str(&text);
        }
        None => *comment = Some(text),
    }
}
