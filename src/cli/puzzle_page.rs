//! Puzzles as a page: `pentalith puzzles --html`.

use std::sync::Arc;

use crate::puzzle::{LineStep, Puzzle, WrongStep};
use crate::render::{PageFrame, PageOption, PagePuzzle, PageStep, PuzzlePage};
use crate::rules::Board;
use crate::search::SystemClock;
use crate::session::{LastMove, Session};

/// Returns the page of puzzles.
pub(super) fn page(puzzles: &[&Puzzle]) -> Result<String, String> {
    let mut page = PuzzlePage::default();
    for puzzle in puzzles {
        page.add(page_puzzle(puzzle)?);
    }
    Ok(page.html())
}

fn page_puzzle(puzzle: &Puzzle) -> Result<PagePuzzle, String> {
    let session = Session::new(&puzzle.variant, Arc::new(SystemClock::default()));
    let mut session = session.ok_or_else(|| format!("{} can't be opened", puzzle.variant))?;
    session.set_position(&puzzle.position).map_err(|error| error.to_string())?;
    let hard = match puzzle.nodes {
        Some(nodes) => format!("a search finds it with {nodes} nodes"),
        None => "no search of ours has found it".to_owned(),
    };
    let about = if puzzle.source.is_empty() { hard } else { format!("{}; {hard}", puzzle.source) };
    let mut shown = PagePuzzle::new(session.board(), puzzle.task(), about);
    let mut board = session.board().fork();
    for step in &puzzle.line {
        let told = told(&session, step);
        let options = if step.wrong.is_empty() { Vec::new() } else { options(&session, step, &told)? };
        let last = play(&mut *board, &step.text)?;
        shown.add(&*board, last, PageStep { told, options });
        session.play(step.side, &step.text, false).map_err(|error| error.to_string())?;
    }
    Ok(shown)
}

/// Describes a step, as in `Black: c3, a stone on c3.`
pub(super) fn told(session: &Session, step: &LineStep) -> String {
    let board = session.board();
    let clause = board.find_step(&step.text).map(|found| board.narrate(found));
    match clause {
        Ok(narration) if narration.has_effects => format!("{}: {}, {}.", step.side, step.text, narration.clause),
        _ => format!("{}: {}.", step.side, step.text),
    }
}

/// Plays a step. Returns what it changed.
fn play(board: &mut dyn Board, text: &str) -> Result<LastMove, String> {
    let step = board.find_step(text).map_err(|_| format!("the step {text} is not legal"))?;
    let mut last = LastMove::default();
    last.play(board, step);
    Ok(last)
}

fn options(session: &Session, step: &LineStep, told: &str) -> Result<Vec<PageOption>, String> {
    let option = |text: &str, why: String, frames: Vec<PageFrame>| PageOption {
        text: text.to_owned(),
        clicks: session.clicks_of(text),
        why,
        frames,
    };
    let mut options = vec![option(&step.text, format!("Right. {told}"), Vec::new())];
    for wrong in &step.wrong {
        options.push(option(&wrong.text, wrong.told(), refutation(session, wrong)?));
    }
    Ok(options)
}

/// Draws a wrong step and the reply to it.
fn refutation(session: &Session, wrong: &WrongStep) -> Result<Vec<PageFrame>, String> {
    let mut board = session.board().fork();
    let steps = [&wrong.text].into_iter().chain(&wrong.reply);
    let frame = |text: &String| play(&mut *board, text).map(|last| PageFrame::new(&*board, last));
    steps.map(frame).collect()
}
