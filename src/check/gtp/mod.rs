//! The checks of GTP, version 2.

mod administration;
mod ending;
mod lines;
pub mod playing;
mod rules;

use super::rules::{Class, Comparison, RuleSettings, verdict};
use super::{Check, CheckResult, Checker, Need, NoVerdict, failed, passed};
use crate::client::adjudicator::Adjudicator;
use crate::client::connection::{ClientError, Connection, MAX_LINES};
use crate::client::gtp::{Answer, GtpClient, genmove};
use crate::rules::{Color, Variant};
use crate::text::quote;

/// All checks, in order.
pub const CHECKS: &[Check<Gtp>] = &[
    Check {
        name: "the first command is answered",
        need: Need::First,
        why: "an answer is a line that begins with = or ?, and it must come in time",
        run: lines::first_answer,
    },
    Check {
        name: "an empty line ends an answer",
        need: Need::First,
        why: "it is how a controller knows that an answer is complete",
        run: lines::frame,
    },
    Check {
        name: "only one empty line ends an answer",
        need: Need::Required,
        why: "a second empty line belongs to no answer",
        run: lines::one_empty_line,
    },
    Check {
        name: "a command gets one answer and no more",
        need: Need::Required,
        why: "a second answer would be taken for the answer to the next command",
        run: lines::one_answer,
    },
    Check {
        name: "an id is echoed",
        need: Need::Required,
        why: "controllers match answers to commands by their ids, errors too",
        run: lines::ids,
    },
    Check {
        name: "the ids 0 and 2147483647 are echoed",
        need: Need::Required,
        why: "every whole number from 0 to 2^31-1 may be an id",
        run: lines::extreme_ids,
    },
    Check {
        name: "an id without a command gets an error",
        need: Need::Recommended,
        why: "the client waits for an answer to the id",
        run: lines::lonely_id,
    },
    Check { name: "tabs separate words", need: Need::Required, why: "a tab counts as a space", run: lines::tabs },
    Check {
        name: "carriage returns are dropped",
        need: Need::Required,
        why: "lines from Windows end with CR LF",
        run: lines::carriage_returns,
    },
    Check {
        name: "spaces around a command do not matter",
        need: Need::Recommended,
        why: "people and scripts leave them there",
        run: lines::spaces,
    },
    Check {
        name: "control characters are dropped",
        need: Need::Required,
        why: "the standard discards them before a line is read",
        run: lines::control_characters,
    },
    Check {
        name: "comments and blank lines get no answer",
        need: Need::Required,
        why: "after one answer too many, each later answer is taken for that of another command",
        run: lines::comments,
    },
    Check {
        name: "commands sent at once are answered in order",
        need: Need::Required,
        why: "controllers need not wait for one answer before they send the next command",
        run: lines::pipelined,
    },
    Check {
        name: "a command that comes in two parts is one command",
        need: Need::Required,
        why: "a pipe may deliver a line in parts",
        run: lines::two_writes,
    },
    Check {
        name: "2000 commands at once are answered",
        need: Need::Required,
        why: "neither side may block the other when much is sent",
        run: lines::flood,
    },
    Check {
        name: "a line of 100 kB is survived",
        need: Need::Required,
        why: "no input may end or confuse an engine; one error is the right answer",
        run: lines::long_line,
    },
    Check {
        name: "an unknown command gets the error `unknown command`",
        need: Need::Required,
        why: "controllers try commands out and rely on this answer",
        run: administration::unknown_command,
    },
    Check {
        name: "protocol_version is 2",
        need: Need::Required,
        why: "version 1 has other commands",
        run: administration::protocol_version,
    },
    Check {
        name: "name and version are answered",
        need: Need::Required,
        why: "they identify the engine in records of games",
        run: administration::name_and_version,
    },
    Check {
        name: "list_commands gives one command on each line",
        need: Need::Required,
        why: "controllers read the list line by line",
        run: administration::list,
    },
    Check {
        name: "every required command is listed",
        need: Need::Required,
        why: "the standard has eleven commands that every engine must have",
        run: administration::required_commands,
    },
    Check {
        name: "known_command agrees with the list",
        need: Need::Required,
        why: "true for every command listed, false for nonsense",
        run: administration::known_commands,
    },
    Check {
        name: "wrong arguments get errors",
        need: Need::Required,
        why: "an engine that guesses plays another game than its controller",
        run: administration::wrong_arguments,
    },
    Check {
        name: "an absurd size gets the error `unacceptable size`",
        need: Need::Required,
        why: "an engine that plays on another board than its controller plays another game",
        run: administration::absurd_size,
    },
    Check {
        name: "a move of genmove can be played in a new game",
        need: Need::Required,
        why: "the opponent's engine is told of it by play",
        run: playing::generated_move,
    },
    Check {
        name: "colors are read in any case, short and long",
        need: Need::Required,
        why: "b, B, black and BLACK are the same",
        run: playing::colors,
    },
    Check {
        name: "moves are read in any case",
        need: Need::Required,
        why: "the standard says so: D4 is d4",
        run: playing::move_case,
    },
    Check {
        name: "nonsense for a move gets an error and changes nothing",
        need: Need::Required,
        why: "after an error the controller continues from the same position",
        run: playing::nonsense,
    },
    Check {
        name: "an illegal move gets an error and changes nothing",
        need: Need::Required,
        why: "a referee learns in this way who broke the rules",
        run: playing::illegal_move,
    },
    Check {
        name: "clear_board leads back to the start",
        need: Need::Required,
        why: "the next game begins with it",
        run: playing::clear_board,
    },
    Check {
        name: "undo takes a move back",
        need: Need::Required,
        why: "the position must be the one before the move",
        run: playing::undo,
    },
    Check {
        name: "undo at the start gets the error `cannot undo`",
        need: Need::Required,
        why: "it must not silently do nothing",
        run: playing::undo_at_the_start,
    },
    Check {
        name: "reg_genmove leaves the position alone",
        need: Need::Required,
        why: "it answers a move without playing it",
        run: playing::reg_genmove,
    },
    Check {
        name: "every move of a whole game is legal",
        need: Need::Required,
        why: "our rules judge each move of a game that the engine plays with itself",
        run: playing::whole_game,
    },
    Check {
        name: "final_score of that game is right",
        need: Need::Required,
        why: "controllers ask the engines who won",
        run: playing::final_score,
    },
    Check {
        name: "every legal step is accepted",
        need: Need::Required,
        why: "random games by our rules are played with it, with steps of every kind",
        run: |gtp| verdict(gtp, Class::Legal),
    },
    Check {
        name: "every illegal step gets an error",
        need: Need::Required,
        why: "in these games, steps are tried that each rule forbids",
        run: |gtp| verdict(gtp, Class::Illegal),
    },
    Check {
        name: "the list of legal steps is right",
        need: Need::Required,
        why: "the answer to legal, or to the command of `--legal-command`, is compared in each position",
        run: |gtp| verdict(gtp, Class::List),
    },
    Check {
        name: "perft is right",
        need: Need::Required,
        why: "counts in several positions are those of our rules",
        run: |gtp| verdict(gtp, Class::Perft),
    },
    Check {
        name: "final_score is right in every game",
        need: Need::Required,
        why: "the winner, and the margin if it is given, are those of our rules",
        run: |gtp| verdict(gtp, Class::Result),
    },
    Check {
        name: "quit is answered and ends the process",
        need: Need::Required,
        why: "an engine that stays keeps memory and processors",
        run: ending::quit,
    },
    Check {
        name: "the end of input ends the process",
        need: Need::Required,
        why: "when a controller dies, its engines must not stay",
        run: ending::end_of_input,
    },
    Check {
        name: "a last line without a line feed is answered",
        need: Need::Recommended,
        why: "many scripts end this way",
        run: ending::last_line,
    },
    Check {
        name: "genmove is answered when the input ends after it",
        need: Need::Recommended,
        why: "in a pipe the input is often over before the search is",
        run: ending::end_of_input_while_thinking,
    },
    Check {
        name: "only answers are on standard output",
        need: Need::Required,
        why: "all else is for standard error",
        run: ending::only_answers,
    },
    Check {
        name: "answers hold no control characters",
        need: Need::Recommended,
        why: "the standard has only spaces and line feeds in answers",
        run: ending::plain_answers,
    },
];

/// Maximum total length of a series of answers, in bytes.
const MAX_ANSWERS: usize = 8 << 20;

/// A command that no engine knows.
const UNKNOWN: &str = "no_such_command";

/// The checker of an engine that speaks GTP.
pub struct Gtp {
    client: GtpClient,
    /// True once `genmove` has timed out: later checks do not wait for it again.
    silent: bool,
    /// The rules at the end of the game that was played, if it ended.
    game: Option<Adjudicator>,
    rules: Comparison,
    known: rules::Known,
}

impl Checker for Gtp {
    fn connection(&mut self) -> &mut Connection {
        &mut self.client.connection
    }

    fn checks() -> &'static [Check<Self>] {
        CHECKS
    }

    fn take_proof(&mut self) -> Option<String> {
        self.rules.proof.take()
    }
}

/// Checks that an answer is the standard's error.
fn expect_error(answer: &Answer, error: &str) -> CheckResult {
    if answer.ok {
        failed("accepted")
    } else if answer.text.starts_with(error) {
        passed("")
    } else {
        failed(format!("another error: {}", answer.quoted()))
    }
}

impl Gtp {
    pub(super) fn new(connection: Connection, variant: Option<Variant>, rules: RuleSettings) -> Self {
        let client = GtpClient::new(connection, true);
        let rules = Comparison::new(variant, rules);
        Self { client, silent: false, game: None, rules, known: rules::Known::default() }
    }

    /// Returns the answer to a line that the engine may misread: the next one with its id or without any id.
    fn reply(&mut self, id: &str, what: &str) -> Result<Answer, ClientError> {
        let deadline = self.client.connection.deadline();
        let is_it = |answer: &Answer| answer.id.is_empty() || answer.id == id;
        self.client.answer(what, deadline, is_it)
    }

    /// Returns all answers up to the one with an id.
    fn answers_until(&mut self, id: &str, what: &str) -> Result<Vec<Answer>, ClientError> {
        let deadline = self.client.connection.deadline();
        let mut answers = Vec::new();
        let mut length = 0;
        while answers.len() < MAX_LINES && length < MAX_ANSWERS {
            let answer = self.client.next_answer(what, deadline)?;
            let last = answer.id == id;
            length += answer.text.len();
            answers.push(answer);
            if last {
                return Ok(answers);
            }
        }
        Err(ClientError::Endless(what.to_owned()))
    }

    /// Starts a new game with a tenth of a second per move, if the engine supports clocks.
    fn new_game(&mut self) -> Result<(), NoVerdict> {
        self.client.demand("clear_board")?;
        if self.client.has("time_settings")? {
            self.client.ask("time_settings 0 1 10")?;
        }
        Ok(())
    }

    /// Lets the engine make the first move of a new game, for the color that it accepts. Returns its error if none.
    fn opening(&mut self) -> Result<Result<(Color, String), String>, NoVerdict> {
        if self.silent {
            return Err(NoVerdict::NotApplicable("genmove is not answered".to_owned()));
        }
        self.new_game()?;
        let rules = Adjudicator::new(self.rules.variant.as_ref());
        let colors = match rules {
            Some(rules) => vec![rules.side()],
            None => Color::BOTH.to_vec(),
        };
        let mut refused = String::new();
        for color in colors {
            let answer = self.client.ask(&genmove(color));
            if matches!(answer, Err(ClientError::Late { .. })) {
                self.silent = true;
            }
            let answer = answer?;
            if answer.ok {
                return Ok(Ok((color, answer.text.trim().to_owned())));
            }
            refused = answer.quoted();
        }
        Ok(Err(refused))
    }

    /// Returns the first move for checks that continue from it. They do not apply after `resign` and `pass`.
    fn first_move(&mut self) -> Result<(Color, String), NoVerdict> {
        match self.opening()? {
            Ok((_, text)) if ["resign", "pass"].contains(&&*text.to_lowercase()) => {
                Err(NoVerdict::NotApplicable(format!("genmove answers {} at the start", quote(&text))))
            }
            Ok(made) => Ok(made),
            Err(why) => Err(NoVerdict::NotApplicable(format!("genmove is refused at the start: {why}"))),
        }
    }

    /// Returns the diagram of the position; `None` if the engine has no `showboard`.
    fn diagram(&mut self) -> Result<Option<String>, NoVerdict> {
        if self.client.has("showboard")? { Ok(Some(self.client.demand("showboard")?)) } else { Ok(None) }
    }
}
