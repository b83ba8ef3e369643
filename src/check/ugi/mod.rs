//! The checks of UGI.

mod ending;
mod handshake;
mod positions;
mod rules;
mod searching;

use std::time::Duration;

use super::rules::{Class, Comparison, RuleSettings, verdict};
use super::{Check, Checker, Need, NoVerdict};
use crate::client::adjudicator::Adjudicator;
use crate::client::connection::{ClientError, Connection, Deadline};
use crate::client::output;
use crate::client::ugi::{UgiClient, position};
use crate::rules::Variant;
use crate::text::quote;

/// All checks, in order.
pub const CHECKS: &[Check<Ugi>] = &[
    Check {
        name: "ugi is answered with ugiok",
        need: Need::First,
        why: "nothing else may be said before",
        run: handshake::ugiok,
    },
    Check {
        name: "isready is answered with readyok",
        need: Need::First,
        why: "it is how a client waits for an engine",
        run: handshake::readyok,
    },
    Check {
        name: "id name and id author are given",
        need: Need::Required,
        why: "they identify the engine in records of games",
        run: handshake::identity,
    },
    Check {
        name: "options are well formed",
        need: Need::Required,
        why: "clients build their dialogs from them: a spin needs default, min and max, a combo its vars",
        run: handshake::options,
    },
    Check {
        name: "an unknown command is survived",
        need: Need::Required,
        why: "clients may know more than the engine",
        run: handshake::unknown_command,
    },
    Check {
        name: "an unknown option is survived",
        need: Need::Required,
        why: "tournaments send the same options to every engine",
        run: handshake::unknown_option,
    },
    Check {
        name: "an option out of its range is survived",
        need: Need::Required,
        why: "a typing mistake must not end a tournament",
        run: handshake::option_out_of_range,
    },
    Check {
        name: "carriage returns are dropped",
        need: Need::Required,
        why: "lines from Windows end with CR LF",
        run: handshake::carriage_returns,
    },
    Check {
        name: "tabs and blanks do not matter",
        need: Need::Recommended,
        why: "any white space separates words",
        run: handshake::blanks,
    },
    Check {
        name: "blank lines are survived",
        need: Need::Required,
        why: "people and scripts leave them there",
        run: handshake::blank_lines,
    },
    Check {
        name: "commands sent at once are all answered",
        need: Need::Required,
        why: "a client need not wait between commands",
        run: handshake::pipelined,
    },
    Check {
        name: "a command that comes in two parts is one command",
        need: Need::Required,
        why: "a pipe may deliver a line in parts",
        run: handshake::two_writes,
    },
    Check {
        name: "a line of 100 kB is survived",
        need: Need::Required,
        why: "no input may end an engine",
        run: handshake::long_line,
    },
    Check {
        name: "queries are answered well at the start",
        need: Need::Required,
        why: "response and one word: true or false; p1win, p2win, draw or none",
        run: positions::queries,
    },
    Check {
        name: "go movetime gives exactly one bestmove",
        need: Need::Required,
        why: "a client waits for one, and would take another one for the answer to its next go",
        run: searching::one_bestmove,
    },
    Check {
        name: "bestmove is followed by the move alone",
        need: Need::Required,
        why: "clients wait for exactly two words, without ponder, and a move has no blanks in it",
        run: searching::bestmove_form,
    },
    Check {
        name: "go movetime keeps to its time",
        need: Need::Required,
        why: "an engine that thinks longer loses on time; this check asks for 200 ms and fails if the move takes more than 1,200 ms; in a match an engine may be only 200 ms late (`--time-margin`)",
        run: searching::movetime,
    },
    Check {
        name: "go nodes gives a bestmove",
        need: Need::Required,
        why: "it is the limit for matches that should come out the same everywhere",
        run: searching::nodes,
    },
    Check {
        name: "go depth gives a bestmove",
        need: Need::Recommended,
        why: "one of the protocol's limits, though not every search has a depth",
        run: searching::depth,
    },
    Check {
        name: "go with clocks gives a bestmove",
        need: Need::Required,
        why: "p1time, p2time, p1inc and p2inc are how games are timed",
        run: searching::clocks,
    },
    Check {
        name: "go infinite waits for stop",
        need: Need::Recommended,
        why: "a bestmove that nobody asked for confuses a client that analyzes",
        run: searching::infinite,
    },
    Check {
        name: "stop gives the bestmove within a second",
        need: Need::Required,
        why: "a client that stops a search needs the move now",
        run: searching::stop,
    },
    Check {
        name: "no second bestmove comes after stop",
        need: Need::Required,
        why: "it would be taken for that of the next search",
        run: searching::no_second_bestmove,
    },
    Check {
        name: "stop without a search gives nothing",
        need: Need::Required,
        why: "a stop may be on its way when the search ends by itself",
        run: searching::stop_alone,
    },
    Check {
        name: "isready is answered while a search runs",
        need: Need::Required,
        why: "it is how a client finds out whether an engine still lives",
        run: searching::ready_while_searching,
    },
    Check {
        name: "query is answered while a search runs",
        need: Need::Recommended,
        why: "a client may ask at any time",
        run: searching::query_while_searching,
    },
    Check {
        name: "an info line comes before bestmove",
        need: Need::Recommended,
        why: "clients show what the engine thinks of the position",
        run: searching::some_info,
    },
    Check {
        name: "info lines are well formed",
        need: Need::Recommended,
        why: "a known key is followed by its number",
        run: searching::info_lines,
    },
    Check {
        name: "a bestmove can be played on",
        need: Need::Required,
        why: "the client plays it with position startpos moves",
        run: positions::played_on,
    },
    Check {
        name: "an illegal move is survived",
        need: Need::Required,
        why: "the opponent's engine may be wrong, and that must not end this one",
        run: positions::illegal_move,
    },
    Check {
        name: "after an illegal move the game is over",
        need: Need::Recommended,
        why: "clients that know no rules learn by query gameover that the game is over, and go still gets a bestmove",
        run: positions::over_after_illegal_move,
    },
    Check {
        name: "an unreadable position is survived",
        need: Need::Required,
        why: "the next good position must work",
        run: positions::unreadable,
    },
    Check {
        name: "position fen sets the position",
        need: Need::Required,
        why: "openings are given in this way; our rules judge the move",
        run: positions::fen,
    },
    Check {
        name: "a whole game comes to its end",
        need: Need::Required,
        why: "a client plays with position and go until query gameover says true",
        run: positions::whole_game,
    },
    Check {
        name: "every move of that game is legal",
        need: Need::Required,
        why: "our rules judge each move, and whose turn it is",
        run: positions::legal_game,
    },
    Check {
        name: "query result of that game is right",
        need: Need::Required,
        why: "clients ask both engines who won; in `pentalith match` a wrong answer is a failure of the engine",
        run: positions::result,
    },
    Check {
        name: "go in a finished game gives a bestmove",
        need: Need::Recommended,
        why: "every go has its bestmove, or the client waits for ever",
        run: positions::go_when_over,
    },
    Check {
        name: "every legal step is accepted",
        need: Need::Required,
        why: "random games by our rules are set up in it, with steps of every kind",
        run: |ugi| verdict(ugi, Class::Legal),
    },
    Check {
        name: "every illegal step is refused",
        need: Need::Required,
        why: "in these games, steps are tried that each rule forbids: query gameover must be true after one, or the same player to move",
        run: |ugi| verdict(ugi, Class::Illegal),
    },
    Check {
        name: "the end and the turn are right in every position",
        need: Need::Required,
        why: "query gameover and query p1turn are compared after each play",
        run: |ugi| verdict(ugi, Class::State),
    },
    Check {
        name: "the list of legal steps is right",
        need: Need::Required,
        why: "the answer to query legal, or to the command of `--legal-command`, is compared in each position",
        run: |ugi| verdict(ugi, Class::List),
    },
    Check {
        name: "perft is right",
        need: Need::Required,
        why: "counts of go perft in several positions are those of our rules",
        run: |ugi| verdict(ugi, Class::Perft),
    },
    Check {
        name: "query result is right in every game",
        need: Need::Required,
        why: "the winner is that of our rules",
        run: |ugi| verdict(ugi, Class::Result),
    },
    Check {
        name: "quit ends the process",
        need: Need::Required,
        why: "an engine that stays keeps memory and processors",
        run: ending::quit,
    },
    Check {
        name: "quit ends the process while a search runs",
        need: Need::Required,
        why: "a client does not wait for the search",
        run: ending::quit_while_searching,
    },
    Check {
        name: "the end of input ends the process",
        need: Need::Required,
        why: "when a client dies, its engines must not stay",
        run: ending::end_of_input,
    },
    Check {
        name: "the end of input ends the process while a search runs",
        need: Need::Required,
        why: "after go infinite: when a client dies, its engines must not go on thinking; other searches may be finished first",
        run: ending::end_of_input_while_searching,
    },
    Check {
        name: "one space separates the words of a line",
        need: Need::Recommended,
        why: "other white space is allowed, but some clients split at spaces alone",
        run: ending::plain_spaces,
    },
    Check {
        name: "only the protocol is on standard output",
        need: Need::Recommended,
        why: "clients skip other lines, but those belong on standard error",
        run: ending::only_protocol,
    },
];

/// The checker of an engine that speaks UGI.
pub struct Ugi {
    client: UgiClient,
    /// True once `go movetime` has timed out: later checks do not wait for it again.
    silent: bool,
    game: Option<Game>,
    rules: Comparison,
    known: rules::Known,
}

/// A game that the engine played against itself.
struct Game {
    moves: Vec<String>,
    /// Result according to the engine.
    result: String,
    /// Result according to the rules, if they are known; an error if the engine broke them.
    rules: Option<Result<Adjudicator, String>>,
}

/// Short time limit of a search.
const SHORT: Duration = Duration::from_millis(100);

impl Checker for Ugi {
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

impl Ugi {
    pub(super) fn new(connection: Connection, variant: Option<Variant>, rules: RuleSettings) -> Self {
        let client = UgiClient::new(connection);
        let rules = Comparison::new(variant, rules);
        Self { client, silent: false, game: None, rules, known: rules::Known::default() }
    }

    /// Waits for a time. Returns true if a `bestmove` came.
    fn overhears_bestmove(&mut self, within: Duration) -> Result<bool, ClientError> {
        let deadline = Deadline::new(within);
        let client = &mut self.client;
        let before = client.surplus;
        loop {
            match client.engine()?.unsolicited_line(deadline)? {
                Some(line) => client.heard(line.trim_end()),
                None => return Ok(client.surplus > before),
            }
        }
    }

    fn new_game(&mut self) -> Result<(), ClientError> {
        self.client.send("uginewgame")?;
        self.client.send("position startpos")?;
        self.client.ready()
    }

    /// Starts a search.
    fn go(&mut self, limits: &str) -> Result<(), NoVerdict> {
        if self.silent {
            return Err(NoVerdict::NotApplicable("go movetime gives no bestmove".to_owned()));
        }
        Ok(self.client.go(&format!("go {limits}\n"))?)
    }

    /// Returns the move of a `bestmove`. Another check looks at the rest of the line.
    fn bestmove(&mut self) -> Result<String, ClientError> {
        let deadline = self.client.connection.deadline();
        self.client.bestmove(deadline)
    }

    /// Searches for a short time.
    fn think(&mut self) -> Result<String, NoVerdict> {
        self.go(&format!("movetime {}", SHORT.as_millis()))?;
        Ok(self.bestmove()?)
    }

    fn query(&mut self, what: &str) -> Result<String, NoVerdict> {
        self.client.send(&format!("query {what}"))?;
        let deadline = self.client.connection.deadline();
        let line = self.client.until("response", deadline)?;
        output::response(line.trim_end()).map_err(|error| NoVerdict::malformed(error.to_string()))
    }

    /// Sends a query whose answer is true or false.
    fn query_bool(&mut self, what: &str) -> Result<bool, NoVerdict> {
        match self.query(what)?.as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => {
                let other = quote(other);
                let why = format!("query {what}: {other} is neither true nor false");
                Err(NoVerdict::malformed(why))
            }
        }
    }

    fn query_result(&mut self) -> Result<String, NoVerdict> {
        let result = self.query("result")?;
        if ["p1win", "p2win", "draw", "none"].contains(&&*result) {
            Ok(result)
        } else {
            let result = quote(&result);
            let why = format!("query result: {result} is none of p1win, p2win, draw, none");
            Err(NoVerdict::malformed(why))
        }
    }

    fn position(&mut self, moves: &[String]) -> Result<(), ClientError> {
        self.client.send(&position(None, moves))
    }
}
