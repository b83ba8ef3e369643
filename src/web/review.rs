//! The review of the game of a tab, and its mistakes, which the person tries again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};
use serde::Serialize;

use crate::record::{GameRecord, GameResult, MoveRecord};
use crate::review::{Evaluations, MISTAKE, Review, ReviewedMove, Settings, TableGame, review};
use crate::search::STACK_BYTES;
use crate::table::{Action, Change, NodeId, Player, Table};
use crate::threads;

/// An event of a running review.
pub(super) enum Event {
    /// This number of searches is done, and of those that are known to be needed.
    Progress(usize, usize),
    /// The review, or why there is none; and the searches that are done.
    Done(Result<Box<Review>, String>, Box<Evaluations>),
}

/// Subject of a running review.
enum Subject {
    /// The game.
    Game(Box<TableGame>),
    /// The move that the person tried instead of a mistake.
    Trial,
}

struct Running {
    subject: Subject,
    stop: Arc<AtomicBool>,
    events: Receiver<Event>,
    progress: (usize, usize),
}

struct Finished {
    game: Box<TableGame>,
    review: Box<Review>,
    /// For each move the first node of its better line.
    better: Vec<Option<NodeId>>,
}

/// The mistakes that are tried again.
struct Retry {
    /// Indexes of the mistakes among the moves, in the order of the game.
    mistakes: Vec<usize>,
    /// The present one.
    place: usize,
    /// Where the game was.
    back: NodeId,
    /// The move that was tried, and what was found.
    tried: Option<(String, Option<Verdict>)>,
}

/// Judgement of a move that was tried.
#[derive(Clone, Copy, Serialize, Debug)]
struct Verdict {
    keeps: bool,
    /// Expected scores for the side that moved, before and behind the move.
    before: f64,
    after: f64,
}

impl Verdict {
    fn of(tried: &ReviewedMove) -> Self {
        Self { keeps: tried.loss < MISTAKE, before: tried.before, after: tried.after }
    }
}

/// The reviews of a tab.
#[derive(Default)]
pub(super) struct Reviews {
    evaluations: Box<Evaluations>,
    running: Option<Running>,
    finished: Option<Finished>,
    retry: Option<Retry>,
}

/// A reviewed game as a page gets it.
#[derive(Serialize)]
pub(super) struct ReviewState {
    /// Searches that are done, and those that are needed, while the game is reviewed.
    running: Option<(usize, usize)>,
    /// True if this game is reviewed.
    done: bool,
    /// The mistakes that decided the game.
    decided: Vec<MistakeState>,
    /// Number of mistakes that can be tried again.
    mistakes: usize,
    retry: Option<RetryState>,
}

#[derive(Serialize)]
struct MistakeState {
    /// The position before it, and the first node of the better line.
    node: usize,
    better: Option<usize>,
    text: String,
    advice: String,
}

#[derive(Serialize)]
struct RetryState {
    place: usize,
    count: usize,
    headline: String,
    /// The move that was tried.
    tried: Option<String>,
    verdict: Option<Verdict>,
    advice: String,
    better: Option<usize>,
}

impl Reviews {
    /// Returns the events of the running review.
    pub(super) fn events(&self) -> Option<&Receiver<Event>> {
        self.running.as_ref().map(|running| &running.events)
    }

    /// Returns true while a mistake is tried again: then the engine does not answer.
    pub(super) fn is_retrying(&self) -> bool {
        self.retry.is_some()
    }

    /// Forgets all, as another game has begun.
    pub(super) fn forget(&mut self) {
        self.stop();
        (self.finished, self.retry) = (None, None);
    }

    /// Stops the running review, and keeps the searches that are done.
    pub(super) fn stop(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        running.stop.store(true, Ordering::Relaxed);
        while let Ok(event) = running.events.recv() {
            if let Event::Done(_, evaluations) = event {
                self.evaluations = evaluations;
            }
        }
    }

    /// Starts the review of the game.
    pub(super) fn start(&mut self, table: &Table) -> Result<(), String> {
        let game = TableGame::of(table);
        if game.is_empty() {
            return Err("no move has been played".to_owned());
        }
        let record = game.record.clone();
        self.run(Subject::Game(Box::new(game)), record, table)
    }

    fn run(&mut self, subject: Subject, record: GameRecord, table: &Table) -> Result<(), String> {
        self.stop();
        let settings = Settings::of_table(table);
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, events) = unbounded();
        let evaluations = std::mem::take(&mut self.evaluations);
        let work = work(record, settings, evaluations, Arc::clone(&stop), sender);
        let started = threads::spawn("review", STACK_BYTES, work);
        started.map_err(|error| format!("no thread for the review: {error}"))?;
        self.running = Some(Running { subject, stop, events, progress: (0, 0) });
        Ok(())
    }

    /// Takes an event of the running review. Returns a message for the person.
    pub(super) fn handle(&mut self, event: Option<Event>, table: &mut Table) -> Option<String> {
        match event {
            Some(Event::Progress(done, all)) => {
                if let Some(running) = &mut self.running {
                    running.progress = (done, all);
                }
                None
            }
            Some(Event::Done(reviewed, evaluations)) => {
                let running = self.running.take()?;
                self.evaluations = evaluations;
                match (reviewed, running.subject) {
                    (Err(error), _) => return Some(format!("The review has failed: {error}")),
                    (Ok(review), Subject::Game(game)) => {
                        let better = game.annotate(table, &review);
                        self.finished = Some(Finished { game, review, better });
                    }
                    (Ok(review), Subject::Trial) => {
                        let tried = self.retry.as_mut().and_then(|retry| retry.tried.as_mut());
                        if let Some(((text, verdict), made)) = tried.zip(review.moves.first())
                            && *text == made.text
                        {
                            *verdict = Some(Verdict::of(made));
                        }
                    }
                }
                None
            }
            None => {
                self.running = None;
                Some("The review has failed; see the log".to_owned())
            }
        }
    }

    /// Returns the indexes of the mistakes of persons, or of all if the engine plays both sides.
    fn mistakes(&self, table: &Table) -> Vec<usize> {
        let is_persons = |made: &ReviewedMove| table.player_of(made.side) == Player::Person;
        let moves = self.finished.iter().flat_map(|finished| finished.review.moves.iter().enumerate());
        let mistakes: Vec<(usize, &ReviewedMove)> = moves.filter(|(_, made)| made.is_mistake).collect();
        let is_game_of_persons = table.players().contains(&Player::Person);
        let tried = mistakes.into_iter().filter(|(_, made)| !is_game_of_persons || is_persons(made));
        tried.map(|(index, _)| index).collect()
    }

    /// Goes to the position before the first mistake.
    pub(super) fn begin_retry(&mut self, table: &mut Table) -> Result<(), String> {
        let mistakes = self.mistakes(table);
        if mistakes.is_empty() {
            return Err("the review has found no mistake of yours".to_owned());
        }
        self.retry = Some(Retry { mistakes, place: 0, back: table.current(), tried: None });
        self.ask(table)
    }

    /// Goes to the position before the next mistake, or back to where the game was.
    pub(super) fn next(&mut self, table: &mut Table) -> Result<(), String> {
        let retry = self.retry.as_mut().ok_or("no mistake is tried")?;
        retry.place += 1;
        if retry.place < retry.mistakes.len() {
            return self.ask(table);
        }
        self.end_retry(table)
    }

    /// Ends it, and goes back to where the game was.
    pub(super) fn end_retry(&mut self, table: &mut Table) -> Result<(), String> {
        let Some(retry) = self.retry.take() else {
            return Ok(());
        };
        table.apply(Action::GoTo(retry.back)).map(drop).map_err(|refusal| refusal.to_string())
    }

    /// Goes to the position before the present mistake.
    pub(super) fn ask(&mut self, table: &mut Table) -> Result<(), String> {
        if let Some(Running { subject: Subject::Trial, .. }) = &self.running {
            self.stop();
        }
        let base = self.base(table).ok_or("no mistake is tried")?;
        if let Some(retry) = &mut self.retry {
            retry.tried = None;
        }
        table.apply(Action::GoTo(base)).map(drop).map_err(|refusal| refusal.to_string())
    }

    /// Returns the present mistake.
    fn mistake(&self) -> Option<(usize, &ReviewedMove, &Finished)> {
        let (retry, finished) = self.retry.as_ref().zip(self.finished.as_ref())?;
        let index = *retry.mistakes.get(retry.place)?;
        Some((index, finished.review.moves.get(index)?, finished))
    }

    /// Returns the position before the present mistake.
    fn base(&self, table: &Table) -> Option<NodeId> {
        let (index, _, finished) = self.mistake()?;
        finished.game.plays(index).first().and_then(|&first| table.parent(first))
    }

    /// Looks at what an action changed: whether a mistake was tried again, or left.
    pub(super) fn note(&mut self, changes: &[Change], table: &mut Table) -> Result<(), String> {
        if changes.iter().any(|change| matches!(change, Change::Began | Change::Resumed)) {
            self.forget();
            return Ok(());
        }
        let Some(((_, mistake, _), base)) = self.mistake().zip(self.base(table)) else {
            return Ok(());
        };
        let path = table.path();
        let is_behind = base == table.start() || path.contains(&base);
        if !is_behind {
            self.retry = None;
            return Ok(());
        }
        // The engine is not to answer.
        if table.player() == Player::Engine && !table.is_paused() {
            table.apply(Action::Pause).map_err(|refusal| refusal.to_string())?;
        }
        let plays = table.between(base, table.current());
        let of_move = plays.iter().take_while(|play| play.color == mistake.side);
        let texts: Vec<&str> = of_move.map(|play| play.text.as_str()).collect();
        let is_whole = table.is_over() || texts.len() < plays.len() || table.session().side() != mistake.side;
        let text = texts.join(",");
        let tried = self.retry.as_ref().and_then(|retry| retry.tried.as_ref());
        if texts.is_empty() || !is_whole || tried.is_some_and(|(known, _)| *known == text) {
            if texts.is_empty()
                && let Some(retry) = &mut self.retry
            {
                retry.tried = None;
            }
            return Ok(());
        }
        let known = [mistake.best.as_str(), &mistake.text].contains(&text.as_str());
        let after = if text == mistake.best { mistake.before } else { mistake.after };
        let verdict = Verdict { keeps: text == mistake.best, before: mistake.before, after };
        let made = MoveRecord::new(text.clone(), None);
        let record = GameRecord {
            start: Some(mistake.position.clone()),
            moves: vec![made],
            result: GameResult::Unfinished,
            ..table.record()
        };
        if let Some(retry) = &mut self.retry {
            retry.tried = Some((text, known.then_some(verdict)));
        }
        if known { Ok(()) } else { self.run(Subject::Trial, record, table) }
    }

    /// Returns what a page shows.
    pub(super) fn state(&self, table: &Table) -> Option<ReviewState> {
        let running = self.running.as_ref().filter(|running| matches!(running.subject, Subject::Game(_)));
        let is_offered = table.is_over() || table.is_loaded();
        if !is_offered && running.is_none() && self.finished.is_none() || table.line().is_empty() {
            return None;
        }
        let decided = self.finished.iter().flat_map(|finished| {
            let moves = finished.review.moves.iter().enumerate();
            let decisive: Vec<u32> = finished.review.decisive().map(|made| made.turn).collect();
            let decided = moves.filter(move |(_, made)| made.is_mistake && decisive.contains(&made.turn));
            decided.filter_map(|(index, made)| {
                let node = finished.game.plays(index).first().and_then(|&first| table.parent(first))?;
                Some(MistakeState {
                    node: node.0,
                    better: finished.better.get(index).copied().flatten().map(|node| node.0),
                    text: made.headline(),
                    advice: made.better(),
                })
            })
        });
        let retry = self.retry.as_ref().zip(self.mistake()).map(|(retry, (index, made, finished))| RetryState {
            place: retry.place + 1,
            count: retry.mistakes.len(),
            headline: made.headline(),
            tried: retry.tried.as_ref().map(|(text, _)| text.clone()),
            verdict: retry.tried.as_ref().and_then(|(_, verdict)| *verdict),
            advice: made.better(),
            better: finished.better.get(index).copied().flatten().map(|node| node.0),
        });
        Some(ReviewState {
            running: running.map(|running| running.progress),
            done: self.finished.is_some(),
            decided: decided.collect(),
            mistakes: self.mistakes(table).len(),
            retry,
        })
    }
}

/// Returns the work of the thread of a review.
fn work(
    record: GameRecord,
    settings: Settings,
    mut evaluations: Box<Evaluations>,
    stop: Arc<AtomicBool>,
    sender: Sender<Event>,
) -> impl FnOnce() + Send {
    move || {
        // Nobody may be there to receive what comes.
        let mut progress = |done, all| drop(sender.send(Event::Progress(done, all)));
        let reviewed = review(&record, &settings, &mut evaluations, &stop, &mut progress);
        let reviewed = reviewed.map(Box::new).map_err(|error| error.to_string());
        let _ = sender.send(Event::Done(reviewed, evaluations));
    }
}

impl Drop for Reviews {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }
}
