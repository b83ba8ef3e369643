//! Puzzles in the terminal: asks for the steps of each solution, and says why another step is wrong.

use super::game::{CommandError, Game, refuse};
use super::text::result;
use crate::puzzle::{LineStep, Puzzle};
use crate::table::{Action, StoredGame};
use crate::text::counted;

/// Help text: commands besides steps.
const HELP: &str = "Type a step, such as a1. solution shows the next step, next leaves the puzzle, an empty line shows \
                    the board again, quit ends.";

/// The person's choice after a puzzle.
#[derive(PartialEq, Eq)]
enum Then {
    Next { is_solved: bool },
    Quit,
}

impl Game<'_> {
    /// Asks puzzles until they are done, or the person leaves.
    pub(super) fn run_puzzles(&mut self, puzzles: &[Puzzle]) -> Result<(), CommandError> {
        self.say(HELP)?;
        let mut solved = 0_u64;
        for (number, puzzle) in (1..).zip(puzzles) {
            match self.run_puzzle(&format!("Puzzle {number} of {}", puzzles.len()), puzzle)? {
                Then::Quit => break,
                Then::Next { is_solved } => solved += u64::from(is_solved),
            }
        }
        let all = counted(puzzles.len() as u64, "puzzle");
        self.say(&format!("{solved} of {all} solved without a wrong step."))?;
        Ok(())
    }

    fn run_puzzle(&mut self, name: &str, puzzle: &Puzzle) -> Result<Then, CommandError> {
        let line = StoredGame::line(puzzle.variant.clone(), Some(puzzle.position.clone()), []);
        self.apply(Action::Load(Box::new(line)))?;
        self.note_begin();
        self.say(&format!("\n{name}, {}: {}.", puzzle.variant, puzzle.task()))?;
        let mut is_solved = true;
        let mut steps = puzzle.line.iter().peekable();
        while let Some(step) = steps.peek() {
            if step.wrong.is_empty() {
                self.play_step(step, "")?;
                steps.next();
                continue;
            }
            if !self.is_shown {
                self.show()?;
            }
            let Some(typed) = self.ask(&format!("{}> ", step.side), true)? else {
                return Ok(Then::Quit);
            };
            match typed.trim().to_lowercase().as_str() {
                "" => self.is_shown = false,
                "quit" | "exit" => return Ok(Then::Quit),
                "next" | "skip" => return Ok(Then::Next { is_solved: false }),
                "help" | "?" => self.say(HELP)?,
                "solution" | "hint" => {
                    is_solved = false;
                    self.play_step(step, "")?;
                    steps.next();
                }
                _ => {
                    let typed = typed.trim();
                    let read = match self.read(typed) {
                        Ok(read) => read,
                        Err(error) => {
                            let why = self.explain(typed, &error);
                            self.say(&why)?;
                            continue;
                        }
                    };
                    // A move may have several steps, of which the other player's forced ones are none.
                    for text in read.split(',') {
                        let Some(step) = steps.peek().filter(|step| step.side == puzzle.side) else {
                            break;
                        };
                        if step.text == text {
                            self.play_step(step, "Right. ")?;
                            steps.next();
                            continue;
                        }
                        is_solved = false;
                        let wrong = step.wrong.iter().find(|wrong| wrong.text == text);
                        let why = wrong.map_or_else(|| format!("{text} is wrong."), |wrong| wrong.told());
                        self.say(&why)?;
                        break;
                    }
                }
            }
        }
        let end = self.session().outcome().map(|outcome| result(self.session().board(), outcome));
        self.say(&format!("Solved. {}", end.unwrap_or_default()))?;
        Ok(Then::Next { is_solved })
    }

    /// Plays a step of the solution, and says what it does.
    fn play_step(&mut self, step: &LineStep, before: &str) -> Result<(), CommandError> {
        let board = self.session().board();
        let Ok(found) = board.find_step(&step.text) else {
            return refuse(format!("{} is not legal here: the file of puzzles was changed.", step.text));
        };
        let narration = board.narrate(found);
        let effects = if narration.has_effects { format!(", {}", narration.clause) } else { String::new() };
        let text = format!("{before}{} plays {}{effects}.", step.side, step.text);
        self.apply(Action::Play(step.text.clone()))?;
        self.note_change();
        self.say(&text)?;
        Ok(())
    }
}
