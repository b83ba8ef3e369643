//! Puzzles as records, and records as puzzles.

use super::{LineStep, Puzzle, Target, WrongStep};
use crate::games;
use crate::record::{Cause, GameRecord, GameResult, Line, MoveRecord, SearchInformation, Seat, UNFINISHED};
use crate::rules::{Board, Step};
use crate::text::quote;

/// Tag of a puzzle: the result to reach.
const PUZZLE: &str = "Puzzle";

/// Tag of the number of nodes that a search needs.
const NODES: &str = "Nodes";

/// Tag of the game that the position is from.
const SOURCE: &str = "Source";

/// Text of the tag `Event`.
const EVENT: &str = "pentalith puzzle";

fn made(text: String) -> MoveRecord {
    MoveRecord::new(text, Some(SearchInformation::default()))
}

/// Joins steps to moves: a move is what one player does in a row.
fn moves<'a>(steps: impl Iterator<Item = (bool, &'a str)>) -> Vec<MoveRecord> {
    let mut moves: Vec<MoveRecord> = Vec::new();
    for (is_new, step) in steps {
        match moves.last_mut().filter(|_| !is_new) {
            Some(last) => {
                last.text.push(',');
                last.text.push_str(step);
            }
            None => moves.push(made(step.to_owned())),
        }
    }
    moves
}

impl Puzzle {
    /// Writes the puzzle as a record with this number.
    ///
    /// # Errors
    /// If its variant can't be opened, or a step is not legal.
    pub fn record(&self, number: u64) -> Result<GameRecord, String> {
        let mut board = games::open(&self.variant).ok_or_else(|| format!("{} can't be opened", self.variant))?;
        board.set_position(&self.position).map_err(|error| error.to_string())?;
        let mut moves_made: Vec<MoveRecord> = Vec::new();
        let mut mover = None;
        for step in &self.line {
            let is_new = mover != Some(step.side);
            mover = Some(step.side);
            let prefix = if is_new {
                String::new()
            } else {
                moves_made.last().map_or(String::new(), |last| last.text.clone() + ",")
            };
            let mut variations = Vec::new();
            for wrong in &step.wrong {
                let mut tried = board.fork();
                let steps = [&wrong.text].into_iter().chain(&wrong.reply);
                let mut last = tried.side();
                let mut joined = Vec::new();
                for text in steps {
                    let side = tried.side();
                    let found = legal(&*tried, text)?;
                    joined.push((side != last, text.as_str()));
                    last = side;
                    tried.make(found);
                }
                let mut line = moves(joined.into_iter());
                if let Some(first) = line.first_mut() {
                    first.text = format!("{prefix}{}", first.text);
                    first.comment = Some(wrong.verb().to_owned());
                }
                variations.push(Line { comment: None, moves: line });
            }
            let found = legal(&*board, &step.text)?;
            board.make(found);
            match moves_made.last_mut().filter(|_| !is_new) {
                Some(last) => {
                    last.text.push(',');
                    last.text.push_str(&step.text);
                    last.variations.extend(variations);
                }
                None => moves_made.push(MoveRecord { variations, ..made(step.text.clone()) }),
            }
        }
        let (result, cause, reason) = match board.outcome() {
            Some(outcome) => (GameResult::of(outcome.winner), Cause::Normal, outcome.reason),
            None => (GameResult::Unfinished, Cause::Aborted, UNFINISHED),
        };
        let tag = |name: &str, value: String| (name.to_owned(), value);
        let mut tags = vec![tag("Event", EVENT.to_owned()), tag(PUZZLE, self.target.word().to_owned())];
        tags.extend(self.nodes.map(|nodes| tag(NODES, nodes.to_string())));
        tags.push(tag(SOURCE, self.source.clone()));
        let none = String::new;
        let seat = || Seat { name: "?".to_owned(), engine: none(), options: none(), version: none(), limit: none() };
        Ok(GameRecord {
            game: number,
            pair: number,
            variant: self.variant.to_string(),
            date: "????.??.??".to_owned(),
            seed: 0,
            conditions: None,
            start: Some(self.position.clone()),
            black: seat(),
            white: seat(),
            result,
            cause,
            reason: reason.to_owned(),
            fault: None,
            comment: Some(self.task()),
            moves: moves_made,
            tags,
        })
    }

    /// Reads a puzzle from its record.
    ///
    /// # Errors
    /// If the record is none, or a step of it is not legal.
    pub fn of(record: &GameRecord) -> Result<Self, String> {
        let tag = |name: &str| record.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let target = match tag(PUZZLE) {
            Some("win") => Target::Win,
            Some("draw") => Target::Draw,
            Some(other) => return Err(format!("expected win or draw in the tag {PUZZLE}, found {}", quote(other))),
            None => return Err(format!("it is no puzzle: expected the tag {PUZZLE}")),
        };
        let variant = games::parse_variant(&record.variant).map_err(|error| error.to_string())?;
        let mut board = games::open(&variant).ok_or_else(|| format!("{variant} can't be opened"))?;
        if let Some(start) = &record.start {
            board.set_position(start).map_err(|error| error.to_string())?;
        }
        let (position, side) = (board.position(), board.side());
        let mut line = Vec::new();
        for made in &record.moves {
            let steps: Vec<&str> = made.text.split(',').collect();
            for (number, step) in steps.iter().enumerate() {
                let before = steps.get(..number).unwrap_or_default();
                let found = legal(&*board, step)?;
                let mut wrong = Vec::new();
                if board.side() == side {
                    let others = made.variations.iter().filter_map(|variation| wrong_step(variation, before));
                    for other in others.filter(|other| other.text != *step) {
                        wrong.push(checked(board.fork(), other)?);
                    }
                }
                line.push(LineStep { side: board.side(), text: board.write_step(found), wrong });
                board.make(found);
            }
        }
        if !line.first().is_some_and(|first| first.side == side) {
            return Err("it has no solution".to_owned());
        }
        let nodes = tag(NODES).and_then(|nodes| nodes.parse().ok());
        let source = tag(SOURCE).unwrap_or_default().to_owned();
        Ok(Self { variant, position, side, target, nodes, source, line })
    }
}

fn legal(board: &dyn Board, step: &str) -> Result<Step, String> {
    board.find_step(step).map_err(|_| format!("{}: the step is not legal", quote(step)))
}

/// Returns a wrong step of the position of a board as the notation writes it.
fn checked(mut board: Box<dyn Board>, wrong: WrongStep) -> Result<WrongStep, String> {
    let mut play = |text: &String| {
        let step = legal(&*board, text)?;
        let text = board.write_step(step);
        board.make(step);
        Ok::<_, String>(text)
    };
    let text = play(&wrong.text)?;
    let reply = wrong.reply.iter().map(play).collect::<Result<_, _>>()?;
    Ok(WrongStep { text, reply, ..wrong })
}

/// Returns the wrong step of a variation that leaves a move behind these steps.
fn wrong_step(variation: &Line, before: &[&str]) -> Option<WrongStep> {
    let (first, later) = variation.moves.split_first()?;
    let mut steps = first.text.split(',');
    if !before.iter().all(|&step| steps.next() == Some(step)) {
        return None;
    }
    let text = steps.next()?.to_owned();
    let rest = steps.chain(later.iter().flat_map(|made| made.text.split(',')));
    let draws = first.comment.as_deref().is_some_and(|comment| comment.starts_with("draw"));
    Some(WrongStep { text, draws, reply: rest.map(str::to_owned).collect() })
}
