//! Pages of puzzles, which are solved by clicks.
//!
//! A page is one file. It knows no rules: the boards along the solution, and all legal steps with their clicks, what is
//! wrong with them and the boards that show it, are in the page.

use serde::Serialize;

use super::Annotations;
use super::embedded::{board_svg, dark_rules};
use super::game_page::text::{json, packed};
use super::html::Page;
use super::svg::{Point, escape};
use crate::rules::Board;
use crate::session::LastMove;
use crate::text::counted;

/// A page of puzzles.
#[derive(Default, Debug)]
pub struct PuzzlePage {
    puzzles: Vec<PagePuzzle>,
}

/// A puzzle of a page. Its texts are untrusted.
#[derive(Clone, Serialize, Debug)]
pub struct PagePuzzle {
    /// Variant.
    pub variant: String,
    /// The task, as in `Black to move and win`.
    pub task: String,
    /// The position as text.
    pub position: String,
    /// Further facts: the game that it is from, and how hard it is.
    pub about: String,
    /// The boards of the solution, one more than it has steps.
    scenes: Vec<Scene>,
    /// The steps of the solution.
    steps: Vec<PageStep>,
}

#[derive(Clone, Serialize, Debug)]
struct Scene {
    #[serde(flatten)]
    frame: PageFrame,
    size: (i32, i32),
    middles: Vec<Point>,
    labels: Vec<String>,
}

/// Picture of a position.
#[derive(Clone, Serialize, Debug)]
pub struct PageFrame {
    svg: String,
    headline: String,
}

impl PageFrame {
    /// Draws the position of a board, with marks on what led to it.
    pub fn new(board: &dyn Board, last: LastMove) -> Self {
        Scene::new(board, last).frame
    }
}

/// A step of a solution.
#[derive(Clone, Serialize, Debug)]
pub struct PageStep {
    /// The step in words.
    pub told: String,
    /// The legal steps, if it is one to be found; the right one is the first.
    pub options: Vec<PageOption>,
}

/// A legal step.
#[derive(Clone, Serialize, Debug)]
pub struct PageOption {
    /// The step.
    pub text: String,
    /// The points that are clicked: cells, and buttons such as `pass`.
    pub clicks: Vec<String>,
    /// Why it is wrong, or that it is right.
    pub why: String,
    /// The positions behind it that show why it is wrong: after the step, and after each step of the reply.
    pub frames: Vec<PageFrame>,
}

impl PagePuzzle {
    /// Starts a puzzle at the position of a board.
    pub fn new(board: &dyn Board, task: String, about: String) -> Self {
        Self {
            variant: board.variant().to_string(),
            task,
            position: board.position(),
            about,
            scenes: vec![Scene::new(board, LastMove::default())],
            steps: Vec::new(),
        }
    }

    /// Adds a step of the solution that was played on a board.
    pub fn add(&mut self, board: &dyn Board, last: LastMove, step: PageStep) {
        self.scenes.push(Scene::new(board, last));
        self.steps.push(step);
    }
}

impl Scene {
    fn new(board: &dyn Board, last_move: LastMove) -> Self {
        let shape = board.shape();
        let annotations = Annotations { last_move, ..Annotations::default() };
        let picture = board_svg(board, &annotations, false);
        Self {
            frame: PageFrame { svg: picture.svg, headline: super::headline(board) },
            size: picture.size,
            middles: picture.middles,
            labels: shape.cells().map(|cell| shape.label(cell)).collect(),
        }
    }
}

impl PuzzlePage {
    /// Adds a puzzle.
    pub fn add(&mut self, puzzle: PagePuzzle) {
        self.puzzles.push(puzzle);
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let title = counted(self.puzzles.len() as u64, "puzzle");
        let mut body = format!("<h1>{title}</h1>\n<style>{}</style>\n", dark_rules());
        body.push_str(include_str!("app.html"));
        // Without scripts the positions can be set up elsewhere.
        body.push_str("<noscript><ol>\n");
        for puzzle in &self.puzzles {
            let [variant, task, position] = [&puzzle.variant, &puzzle.task, &puzzle.position].map(|text| escape(text));
            body.push_str(&format!("<li>{variant}: {task}. <code>{position}</code></li>\n"));
        }
        body.push_str("</ol></noscript>\n");
        let data: Vec<String> = self.puzzles.iter().map(packed).collect();
        body.push_str(&format!("<script type=\"application/json\" id=\"data\">{}</script>\n", json(&data)));
        let script = concat!(include_str!("../viewer.js"), include_str!("page.js"));
        Page { title, style: include_str!("page.css"), body, script }.html()
    }
}
