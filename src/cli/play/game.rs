//! A game between a person and the engine: turns, searches, undo.

use std::io::{self, Write};
use std::sync::Arc;

use crossbeam_channel::select;

use super::Side;
use super::input::Person;
use super::terminal::Terminal;
use crate::cli::signals::Stop;
use crate::cli::{CliError, usage};
use crate::review::Evaluations;
use crate::rules::{Color, Narration};
use crate::search::Clock;
use crate::session::{SearchResult, Session, narrate_move};
use crate::table::{Action, Cause, Change, End, Node, NodeId, Player, Refusal, Span, StoredGame, Table};
use crate::text::{list, quote};

/// Maximum number of steps of a move that are described in words and marked.
pub(super) const MAX_TOLD: usize = 8;

/// Reason why a command is not done.
#[derive(Debug)]
pub(super) enum CommandError {
    /// It can't be done, for this reason.
    Refused(String),
    /// A signal asks the program to end.
    Ended,
    /// The output is gone.
    Io(io::Error),
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Refuses a command.
pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::Refused(why.into()))
}

/// With what a game begins.
pub(super) struct Setup {
    pub(super) session: Session,
    /// Side of the person; `None` is the one of the record, or the first to move.
    pub(super) side: Option<Side>,
    pub(super) given: StoredGame,
    pub(super) clock: Arc<dyn Clock>,
}

/// A game that is being played: a table, which what is typed drives.
pub(super) struct Game<'a> {
    pub(super) table: Table,
    /// Another session of the variant, to look at other positions.
    pub(super) aside: Session,
    /// The searches of reviews.
    pub(super) evaluations: Evaluations,
    /// True if the game has not changed since it was saved.
    pub(super) is_saved: bool,
    pub(super) is_shown: bool,
    /// True once the person leaves.
    pub(super) has_left: bool,
    /// True if Ctrl-C ended the last search.
    pub(super) is_interrupted: bool,
    pub(super) is_swap_declined: bool,
    pub(super) person: Person,
    /// True if Ctrl-C was pressed, and leaves the game if it is pressed again.
    pub(super) is_warned: bool,
    pub(super) terminal: Terminal,
    pub(super) output: &'a mut dyn Write,
}

impl<'a> Game<'a> {
    /// Begins a game.
    pub(super) fn new(
        setup: Setup,
        (person, terminal): (Person, Terminal),
        output: &'a mut dyn Write,
    ) -> Result<Self, CliError> {
        let Setup { session, side, given, clock } = setup;
        let variant = session.variant().clone();
        let aside = Session::new(&variant, Arc::clone(&clock));
        let aside = aside.ok_or_else(|| CliError::NotOpened(variant.clone()))?;
        let first = Side::of(variant.info().first);
        let mut table = Table::new(session, side.unwrap_or(first).players(), clock);
        let level = table.level();
        let mut begun = table.apply(Action::Load(Box::new(given)));
        // What the command line gives counts more than the record.
        let given =
            [side.map(|side| Action::Seats(side.players())), level.is_limited().then_some(Action::Level(level))];
        for action in given.into_iter().flatten().chain([Action::Continue]) {
            begun = begun.and_then(|_| table.apply(action));
        }
        begun.or_else(usage)?;
        Ok(Self {
            table,
            aside,
            evaluations: Evaluations::default(),
            is_saved: true,
            is_shown: false,
            has_left: false,
            is_interrupted: false,
            is_swap_declined: false,
            person,
            is_warned: false,
            terminal,
            output,
        })
    }

    pub(super) fn session(&self) -> &Session {
        self.table.session()
    }

    /// Returns the sides that the person plays.
    pub(super) fn side(&self) -> Side {
        Side::of_players(self.table.players())
    }

    /// Returns true if the person plays the side to move.
    pub(super) fn is_persons_turn(&self) -> bool {
        self.table.player() == Player::Person
    }

    /// Does something at the table.
    pub(super) fn apply(&mut self, action: Action) -> Result<Vec<Change>, CommandError> {
        self.table.apply(action).or_else(|refusal| refuse(sentence(&refusal)))
    }

    /// Notes that another game has begun, which is nowhere else.
    pub(super) fn note_begin(&mut self) {
        self.note_change();
        self.is_saved = true;
    }

    /// Notes that the game has changed.
    pub(super) fn note_change(&mut self) {
        self.is_saved = false;
        self.is_shown = false;
        self.is_swap_declined = false;
    }

    /// Plays what the person typed for the side to move.
    pub(super) fn person_moves(&mut self, typed: &str) -> Result<(), CommandError> {
        if let Some(end) = self.table.end() {
            let why = match end {
                End::Resignation(_) => "a player has resigned".to_owned(),
                end => reason(end),
            };
            return refuse(format!("The game is over: {why}. undo takes that back, new begins another game."));
        }
        let text = match self.read(typed) {
            Ok(text) => text,
            Err(error) => return refuse(self.explain(typed, &error)),
        };
        let before = self.session().position();
        match self.table.apply(Action::Play(text)) {
            Ok(_) => {}
            Err(Refusal::Play(error)) => return refuse(self.explain(typed, &error)),
            Err(refusal) => return refuse(sentence(&refusal)),
        }
        self.note_change();
        let told = self.told_since(&before);
        if told.iter().any(|told| told.has_effects) {
            let who = match self.side().only() {
                Some(_) => "You play".to_owned(),
                None => format!("{} plays", self.mover()),
            };
            self.narrate(&who, &told)?;
        }
        Ok(())
    }

    /// Returns the color of the last play.
    fn mover(&self) -> Color {
        let last = self.table.node(self.table.current()).map(|last| last.color);
        last.unwrap_or(self.session().side())
    }

    /// Sets the other session to a position of this game's variant.
    pub(super) fn set_scratch(&mut self, position: &str) {
        if self.aside.variant() != self.session().variant() {
            self.aside.set_variant(self.table.session().variant());
        }
        if let Err(error) = self.aside.set_position(position) {
            log::error!("{error}");
        }
    }

    /// Describes the steps of the last play, which was made in a position.
    fn told_since(&self, position: &str) -> Vec<Narration> {
        let last = self.table.node(self.table.current()).map(|last| last.text.as_str());
        self.told(position, last.unwrap_or_default())
    }

    /// Describes the steps of a move from a position.
    fn told(&self, position: &str, text: &str) -> Vec<Narration> {
        let mut board = self.session().board().fork();
        if let Err(error) = board.set_position(position) {
            log::error!("{error}");
        }
        narrate_move(&mut *board, text)
    }

    /// Lets the engine move for the side to move.
    pub(super) fn engine_moves(&mut self) -> Result<(), CommandError> {
        let (side, before) = (self.session().side(), self.session().position());
        let purpose = match self.side() {
            Side::None => "Ctrl-C: stop the game",
            _ => "Ctrl-C: move at once",
        };
        self.think(Action::EngineMove, &format!("{side} thinks; {purpose}"))?;
        self.note_change();
        let told = self.told_since(&before);
        self.narrate(&format!("{side} plays"), &told)?;
        Ok(())
    }

    /// Searches the position at the best level.
    pub(super) fn search(&mut self) -> Result<SearchResult, CommandError> {
        if self.table.is_over() {
            return refuse("The game is over.");
        }
        self.think(Action::Hint, "The engine thinks; Ctrl-C: answer at once")?;
        let found = self.table.hint().cloned();
        found.map_or_else(|| refuse(sentence(&Refusal::Search)), Ok)
    }

    /// Does something for which the engine searches, and waits for it. Ctrl-C ends the search early.
    fn think(&mut self, action: Action, what: &str) -> Result<(), CommandError> {
        // What came before was not meant for this search.
        self.drop_interrupts()?;
        self.apply(action)?;
        self.table.resume().or_else(|refusal| refuse(sentence(&refusal)))?;
        if self.terminal.is_terminal {
            write!(self.output, "{what} …")?;
            self.output.flush()?;
        }
        let (mut is_stopped, mut done) = (false, Ok(()));
        while let Some(events) = self.table.events().cloned() {
            select! {
                recv(events) -> event => for change in self.table.receive(event.ok()) {
                    if let Change::Failed(refusal) = change {
                        done = refuse(sentence(&refusal));
                    }
                },
                recv(self.person.stops) -> stop => {
                    is_stopped = true;
                    if stop == Ok(Stop::Interrupt) {
                        self.apply(Action::MoveNow)?;
                    } else {
                        self.table.stop();
                        done = Err(CommandError::Ended);
                    }
                }
            }
        }
        if self.terminal.is_terminal {
            // Back to the first column, and erase.
            write!(self.output, "\r\x1b[K")?;
        }
        self.terminal.measure();
        self.is_interrupted = is_stopped;
        for shortage in self.table.take_shortages() {
            self.say(&shortage)?;
        }
        done
    }

    /// Forgets each Ctrl-C until now.
    pub(super) fn drop_interrupts(&self) -> Result<(), CommandError> {
        while let Ok(stop) = self.person.stops.try_recv() {
            if stop == Stop::End {
                return Err(CommandError::Ended);
            }
        }
        Ok(())
    }

    /// Takes back the last turn of the person, and what the engine has played since; within an unfinished turn, what the
    /// person typed last. Does so a number of times.
    pub(super) fn undo(&mut self, times: u32) -> Result<(), CommandError> {
        let changes = self.table.apply(Action::Undo { span: Span::Turn, times });
        let changes = changes.or_else(|_| refuse("There is no move of yours to take back."))?;
        self.note_change();
        for change in changes {
            let text = match change {
                Change::Reopened(End::Resignation(loser)) => format!("{loser} has not resigned."),
                Change::Reopened(end) => format!("Taken back: {}.", reason(&end)),
                Change::Resumed => "Back at the game before this one. redo returns.".to_owned(),
                Change::Moved { from, to } => {
                    let turns: Vec<String> = turns(&self.table.between(to, from))
                        .into_iter()
                        .map(|(color, steps)| {
                            if steps.len() <= MAX_TOLD {
                                format!("{color} {}", steps.join(","))
                            } else {
                                format!("{color} {} steps", steps.len())
                            }
                        })
                        .collect();
                    format!("Taken back: {}. redo plays it again.", list(&turns, "and"))
                }
                _ => continue,
            };
            self.say(&text)?;
        }
        Ok(())
    }

    /// Plays again what the last `undo` took back, a number of times.
    pub(super) fn redo(&mut self, times: u32) -> Result<(), CommandError> {
        let changes = self.table.apply(Action::Redo { times });
        let changes = changes.or_else(|_| refuse("There is nothing to play again."))?;
        self.note_change();
        for change in changes {
            let Change::Moved { from, to } = change else {
                if matches!(change, Change::Resumed) {
                    self.say("At the later game again.")?;
                }
                continue;
            };
            let played = turns(&self.table.between(from, to));
            for (color, steps) in played {
                if steps.len() <= MAX_TOLD {
                    self.say(&format!("{color} plays {}.", steps.join(",")))?
                } else {
                    self.say(&format!("{color} plays {} steps.", steps.len()))?
                }
            }
        }
        Ok(())
    }

    /// Goes to the position after a number of moves: back, or forward through what was taken back.
    pub(super) fn go_to(&mut self, typed: &str) -> Result<(), CommandError> {
        let ends = self.ends_of_moves();
        let count = ends.len() - 1;
        let number = typed.parse::<usize>().ok();
        let Some((number, &node)) = number.and_then(|number| Some((number, ends.get(number)?))) else {
            return refuse(format!("goto {}: expected the number of a move, from 0 to {count}.", quote(typed)));
        };
        self.apply(Action::GoTo(node))?;
        self.note_change();
        self.say(&match number {
            0 => format!("The start; redo and goto go forward, to move {count} at most."),
            _ => format!("After move {number} of {count}."),
        })?;
        Ok(())
    }

    /// Returns the nodes behind the moves of the game and of what was taken back, the start first.
    fn ends_of_moves(&self) -> Vec<NodeId> {
        let mut ends = vec![self.table.start()];
        let mut last = None;
        for id in self.table.line() {
            let turn = self.table.node(id).map(|node| (node.color, node.turn));
            if turn == last {
                ends.pop();
            }
            ends.push(id);
            last = turn;
        }
        ends
    }

    /// Describes a move from the present position in words.
    pub(super) fn in_words(&self, text: &str) -> Vec<Narration> {
        self.told(&self.session().position(), text)
    }
}

/// Returns the steps of plays, those of one turn together.
fn turns(plays: &[&Node]) -> Vec<(Color, Vec<String>)> {
    let turns = plays.chunk_by(|a, b| (a.color, a.turn) == (b.color, b.turn));
    let steps = |plays: &[&Node]| plays.iter().flat_map(|play| play.steps()).map(str::to_owned).collect();
    turns.filter_map(|plays| Some((plays.first()?.color, steps(plays)))).collect()
}

/// Returns why a game has ended, if not by the rules.
pub(super) fn reason(end: &End) -> String {
    match end {
        End::Resignation(loser) => format!("{loser} has resigned"),
        End::Time(loser) => format!("{loser}'s clock has run out"),
        End::Recorded { cause: Cause::Normal, reason, .. } => reason.clone(),
        End::Recorded { cause, reason, .. } => format!("{cause}: {reason}"),
    }
}

/// Returns a refusal as a sentence.
fn sentence(refusal: &Refusal) -> String {
    let mut text = refusal.to_string();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text.push('.');
    text
}
