//! Pages of recorded games: a board to step through, the expected score as a graph, and a list of the games.
//!
//! A page is one file. Without scripts it shows the final position and the moves of every game. The script knows
//! neither rules nor drawing: pieces, words and changes of the board are all in the page.

mod record;
mod sheet;
pub(super) mod text;

use std::collections::HashSet;
use std::fmt::Write;

use serde::Serialize;

use super::html::Page;
use super::theme;
use crate::rules::{Board, Color};
use crate::session::Score;
use crate::text::counted;
use record::Parts;
use sheet::{BoardData, Sheet};
use text::{isolated, json, packed, safe};

pub use record::GameLine;

/// A page of games.
#[derive(Default, Debug)]
pub struct GamePage {
    games: Vec<PageGame>,
    /// The different boards of the games.
    sheets: Vec<Sheet>,
}

/// A game of a page. Its texts are untrusted.
#[derive(Clone, Debug)]
pub struct PageGame {
    /// Number of the game, from 1.
    pub number: u64,
    /// Names of the players, Black first.
    pub names: [String; 2],
    /// The winner; `None` for a draw and for a game that goes on.
    pub winner: Option<Color>,
    /// False if the game was saved before its end.
    pub is_over: bool,
    /// The reason of the end, such as `stalemate` or `time: 0.3 s for a move that may take 0.1 s`.
    pub end: String,
    /// Further facts with their names: the date, the engines, their limits.
    pub details: Vec<(String, String)>,
    /// True if one engine has searched all positions: then its scores are one line.
    pub is_reviewed: bool,
    /// The reason why the rules do not allow this game, if they do not.
    pub error: Option<String>,
    /// The positions; `None` if not even the first one can be shown.
    pub line: Option<GameLine>,
}

/// The search information of a move.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SearchNote {
    /// Time until the answer, in milliseconds.
    pub time_ms: u64,
    /// Time left on the clock of the player behind the move, in milliseconds.
    pub clock_ms: Option<u64>,
    /// Depth, in steps.
    pub depth: Option<u32>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Score for the player.
    pub score: Option<Score>,
}

/// The data of the script, as JSON.
#[derive(Serialize)]
struct PageData<'a> {
    boards: Vec<BoardData<'a>>,
    games: Vec<GameData>,
}

#[derive(Serialize)]
struct GameData {
    /// Number in links.
    number: u64,
    /// Index of the board.
    board: Option<usize>,
    names: [String; 2],
    /// Result, cause and reason.
    over: String,
    /// True if the last position does not say how the game ended.
    unfinished: bool,
    /// Number of the winner.
    winner: Option<usize>,
    details: Vec<(String, String)>,
    reviewed: bool,
    error: Option<String>,
    /// Positions and moves: JSON, deflated, in base 64.
    line: Option<String>,
}

impl GamePage {
    /// Starts the line of a game at the position of a board.
    pub fn begin_line(&mut self, board: &dyn Board) -> GameLine {
        let variant = board.variant().to_string();
        let known = self.sheets.iter();
        let known = known.map(|sheet| &sheet.variant).position(|known| *known == variant);
        let index = known.unwrap_or_else(|| {
            self.sheets.push(Sheet::new(board));
            self.sheets.len() - 1
        });
        GameLine::new(index, board)
    }

    /// Adds a game. Its line must be of this page.
    pub fn add_game(&mut self, game: PageGame) {
        self.games.push(game);
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let pieces = self.pieces();
        let drawn: Vec<(&Sheet, &Parts)> = self.sheets.iter().zip(&pieces).collect();
        let (title, heading) = self.title();
        let mut body = format!("<h1>{heading}</h1>\n");
        body.push_str(include_str!("app.html"));
        if self.games.len() > 1 {
            self.write_list(&mut body);
        }
        write_definitions(&mut body, &drawn);
        let numbers = self.numbers();
        body.push_str("<div id=\"games\">\n");
        for (game, &number) in self.games.iter().zip(&numbers) {
            game.write(&mut body, number, &drawn);
        }
        body.push_str("</div>\n");
        let games = self.games.iter().zip(&numbers);
        let data = PageData {
            games: games.map(|(game, &number)| game.data(number, &drawn)).collect(),
            boards: drawn.iter().map(|(sheet, pieces)| sheet.data(pieces)).collect(),
        };
        // Writing to a string can't fail.
        let _ = writeln!(body, "<script type=\"application/json\" id=\"data\">{}</script>", json(&data));
        let style = concat!(include_str!("../viewer.css"), include_str!("page.css"));
        let script = concat!(include_str!("../viewer.js"), include_str!("page.js"));
        let page = Page { title, style, body, script };
        page.html()
    }

    /// Returns for each board the pieces that stand on it in any game.
    fn pieces(&self) -> Vec<Parts> {
        let mut pieces = vec![Parts::default(); self.sheets.len()];
        for line in self.games.iter().filter_map(|game| game.line.as_ref()) {
            if let Some(pieces) = pieces.get_mut(line.sheet) {
                line.collect(pieces);
            }
        }
        pieces
    }

    /// Returns the title as text and as HTML.
    fn title(&self) -> (String, String) {
        let variants = self.sheets.iter().map(|sheet| sheet.variant.as_str());
        let variants: Vec<&str> = variants.collect();
        let variants = variants.join(", ");
        if let [game] = self.games.as_slice() {
            let text = format!("{}, {variants}", game.versus(safe));
            return (text, format!("{}, {variants}", game.versus(isolated)));
        }
        let games = counted(self.games.len() as u64, "game");
        let text = format!("{games} of {variants}");
        (text.clone(), text)
    }

    /// Returns the numbers of the games in links: their own, or their places on the page if two have the same.
    fn numbers(&self) -> Vec<u64> {
        let numbers: Vec<u64> = self.games.iter().map(|game| game.number).collect();
        let different: HashSet<u64> = numbers.iter().copied().collect();
        if different.len() == numbers.len() { numbers } else { (1..).take(numbers.len()).collect() }
    }

    /// Writes the list of the games. Its links work with and without scripts.
    fn write_list(&self, body: &mut String) {
        body.push_str(
            "<section id=\"list\" aria-labelledby=\"list-title\">\n<h2 id=\"list-title\">All games</h2>\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"list-title\">\n<table>\n\
             <thead><tr><th scope=\"col\">game</th><th scope=\"col\">Black</th><th scope=\"col\">White</th>\
             <th scope=\"col\">winner</th><th scope=\"col\">moves</th><th scope=\"col\">reason</th></tr></thead>\n<tbody>\n",
        );
        for (game, number) in self.games.iter().zip(self.numbers()) {
            let [black, white] = game.names.each_ref().map(|name| isolated(name));
            let end = isolated(&game.end);
            let mut winner = match game.winner {
                None if !game.is_over => "–".to_owned(),
                None => "draw".to_owned(),
                Some(winner) => winner.to_string(),
            };
            if game.error.is_some() {
                winner += " (not confirmed)";
            }
            let moves = game.line.as_ref().map_or(0, GameLine::moves);
            let _ = writeln!(
                body,
                "<tr><td><a href=\"#game={number}\">{number}</a></td><td>{black}</td><td>{white}</td><td>{winner}</td>\
                 <td>{moves}</td><td>{end}</td></tr>"
            );
        }
        body.push_str("</tbody>\n</table>\n</div>\n</section>\n");
    }
}

impl PageGame {
    /// Writes what is there without scripts: the players, the result, the final position and the moves.
    fn write(&self, body: &mut String, number: u64, drawn: &[(&Sheet, &Parts)]) {
        let versus = self.versus(isolated);
        let over = isolated(&self.over());
        let _ = write!(body, "<section id=\"game={number}\">\n<h2>Game {number}: {versus}</h2>\n<p>{over}</p>\n");
        if let Some(error) = self.error_text() {
            let _ = writeln!(body, "<p class=\"error\">{}</p>", isolated(&error));
        }
        if let Some(line) = &self.line
            && let Some((sheet, pieces)) = drawn.get(line.sheet)
        {
            line.write_end(body, sheet, pieces);
        }
        body.push_str("</section>\n");
    }

    fn data(&self, number: u64, drawn: &[(&Sheet, &Parts)]) -> GameData {
        let line = self.line.as_ref().and_then(|line| {
            let (_, pieces) = drawn.get(line.sheet)?;
            Some(packed(&line.data(pieces)))
        });
        let details = self.details.iter();
        GameData {
            number,
            board: self.line.as_ref().map(|line| line.sheet),
            names: self.names.each_ref().map(|name| safe(name)),
            over: safe(&self.over()),
            unfinished: self.error.is_none() && !self.line.as_ref().is_some_and(GameLine::is_over),
            winner: self.winner.map(Color::index),
            details: details.map(|(name, text)| (safe(name), safe(text))).collect(),
            reviewed: self.is_reviewed,
            error: self.error_text().as_deref().map(safe),
            line,
        }
    }

    /// Names the players, their names written by `write`.
    fn versus(&self, write: fn(&str) -> String) -> String {
        let [black, white] = self.names.each_ref().map(|name| write(name));
        format!("{black} (Black) – {white} (White)")
    }

    fn error_text(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        Some(format!("The record breaks the rules: {error}. The page shows the game up to there."))
    }

    /// Returns the result with its cause and reason.
    fn over(&self) -> String {
        let end = &self.end;
        let over = match self.winner {
            None if !self.is_over => "Unfinished".to_owned(),
            None => format!("Draw: {end}"),
            Some(winner) => format!("{winner} wins: {end}"),
        };
        // Nobody has checked what a record says that breaks the rules.
        match &self.error {
            None => over,
            Some(_) => format!("Recorded result, not confirmed: {over}"),
        }
    }
}

/// Writes what the boards of the page are made of: surfaces, pieces and marks, to be used by their names.
fn write_definitions(body: &mut String, drawn: &[(&Sheet, &Parts)]) {
    let _ = write!(
        body,
        "<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\" font-family=\"sans-serif\">\n\
         <style>{}</style>\n<defs>\n",
        theme::dark_rules("g")
    );
    body.push_str(&sheet::signs());
    for (board, (sheet, pieces)) in drawn.iter().enumerate() {
        body.push_str(&sheet.definitions(board, pieces));
    }
    body.push_str("</defs>\n</svg>\n");
}
