//! Queries for analyses: a line of JSON each.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::games;
use crate::record::{read_move_list, split_opening};
use crate::rules::Variant;
use crate::text::{cut, quote};

/// Maximum number of positions of a query.
const MAX_POSITIONS: usize = 10_000;

/// Maximum of limits in nodes.
const MAX_NODES: u64 = 1_000_000_000_000;

/// Maximum of limits in time, in milliseconds: one day.
const MAX_TIME: u64 = 86_400_000;

/// Maximum number of lines.
const MAX_LINES: u64 = 500;

/// Error in a query. Nothing was begun.
#[derive(Clone, PartialEq, Debug)]
pub struct QueryError {
    /// The id of the query, as far as it could be read.
    pub id: Option<Value>,
    /// The field that is wrong.
    pub field: Option<String>,
    /// Description of the error, and of what would be right.
    pub error: String,
}

/// A query for an analysis of one game, at one position or several.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Id that the answers repeat: a string or an integer.
    pub id: Value,
    /// Variant; `None` for that of the command line.
    pub variant: Option<Variant>,
    /// Start position; `None` for the start of the variant.
    pub position: Option<String>,
    /// Moves from there.
    pub moves: Vec<String>,
    /// The positions: numbers of moves after which each is reached, with its priority.
    pub positions: Vec<(usize, i64)>,
    /// Limit in nodes.
    pub nodes: Option<u64>,
    /// Limit in time.
    pub time: Option<Duration>,
    /// Limit in depth, in steps.
    pub depth: Option<u32>,
    /// Maximum number of lines.
    pub lines: Option<u16>,
    /// Beginnings of moves to which the search is restricted.
    pub search_moves: Vec<String>,
    /// Time between reports during the search.
    pub report_every: Option<Duration>,
}

/// An action in place of an analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Cancel a query, or its positions after these numbers of moves.
    Terminate(Value, Vec<usize>),
    /// Cancel all queries.
    TerminateAll,
    /// Name the version.
    QueryVersion,
}

/// A line of the input.
#[derive(Clone, PartialEq, Debug)]
pub enum Request {
    /// Analyze.
    Analyze(Box<Query>),
    /// Do something else. The line is answered by itself.
    Act {
        /// Id of the action.
        id: Value,
        /// The line as it came.
        fields: Map<String, Value>,
        /// The action.
        action: Action,
    },
}

/// Reads a line.
///
/// # Errors
/// Names the field that is wrong, and what would be right.
pub fn read_request(line: &str) -> Result<Request, QueryError> {
    let unnamed = |error: String| QueryError { id: None, field: None, error };
    let value: Value = serde_json::from_str(line)
        .map_err(|error| unnamed(format!("{}: expected a JSON object on one line: {error}", quote(&cut(line)))))?;
    let Value::Object(fields) = value else {
        return Err(unnamed(format!("{}: expected a JSON object", quote(&cut(line)))));
    };
    let id = fields.get("id").filter(|id| is_id(id)).cloned();
    let request = Fields { fields: &fields }.read();
    request.map_err(|Wrong { field, error }| QueryError { id, field: Some(field), error })
}

/// An id is a string or an integer.
fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64() || value.is_u64()
}

/// A field that is wrong.
struct Wrong {
    field: String,
    error: String,
}

/// The fields of a query.
struct Fields<'a> {
    fields: &'a Map<String, Value>,
}

/// Fields of queries: the name, and the name that KataGo's analysis engine has for the same.
const FIELDS: [(&str, &str); 14] = [
    ("id", ""),
    ("variant", ""),
    ("position", ""),
    ("moves", ""),
    ("after", "analyzeTurns"),
    ("nodes", "maxVisits"),
    ("movetime", ""),
    ("depth", ""),
    ("lines", ""),
    ("search_moves", ""),
    ("priority", ""),
    ("priorities", ""),
    ("report_every", "reportDuringSearchEvery"),
    ("action", ""),
];

/// Fields of actions.
const ACTION_FIELDS: [(&str, &str); 4] =
    [("id", ""), ("action", ""), ("terminate_id", "terminateId"), ("after", "turnNumbers")];

impl<'a> Fields<'a> {
    /// Returns the value of a field and the name under which it was given.
    fn get(&self, name: &'a str, other: &'a str) -> Result<Option<(&'a str, &'a Value)>, Wrong> {
        let found = [name, other].map(|name| self.fields.get(name).map(|value| (name, value)));
        match found {
            [Some(_), Some(_)] => self.wrong(other, &format!("it is {name} by another name: expected one of them")),
            [Some(found), None] | [None, Some(found)] => Ok(Some(found).filter(|(_, value)| !value.is_null())),
            [None, None] => Ok(None),
        }
    }

    /// Returns the value of a field that has one name.
    fn field(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn wrong<T>(&self, field: &str, error: &str) -> Result<T, Wrong> {
        Err(Wrong { field: field.to_owned(), error: error.to_owned() })
    }

    /// Refuses a value, and says what would be right.
    fn expected<T>(&self, field: &str, value: &Value, what: &str) -> Result<T, Wrong> {
        self.wrong(field, &format!("{}: expected {what}", cut(&value.to_string())))
    }

    fn read(&self) -> Result<Request, Wrong> {
        let id = match self.field("id") {
            Some(id) if is_id(id) => id.clone(),
            Some(other) => return self.expected("id", other, "a string or an integer"),
            None => return self.wrong("id", "missing: expected a string or an integer, which the answers repeat"),
        };
        if let Some(action) = self.field("action") {
            let action = self.action(action)?;
            return Ok(Request::Act { id, fields: self.fields.clone(), action });
        }
        self.check_names(&FIELDS)?;
        let (position, moves) = self.game()?;
        let positions = self.positions(moves.len())?;
        let number = |name, other, most, what| self.number(name, other, 1, most, what);
        let query = Query {
            id,
            variant: self.variant()?,
            position,
            moves,
            positions,
            nodes: number("nodes", "maxVisits", MAX_NODES, "a number of nodes from 1 to 1000000000000")?,
            time: number("movetime", "", MAX_TIME, "a number of milliseconds from 1 to 86400000")?
                .map(Duration::from_millis),
            depth: number("depth", "", 1000, "a number of steps from 1 to 1000")?
                .and_then(|depth| depth.try_into().ok()),
            lines: number("lines", "", MAX_LINES, "a number of lines from 1 to 500")?
                .and_then(|lines| lines.try_into().ok()),
            search_moves: self.moves("search_moves")?,
            report_every: self.report_every()?,
        };
        Ok(Request::Analyze(Box::new(query)))
    }

    /// Refuses fields that are unknown: a client that is not told would wait for what they ask.
    fn check_names(&self, known: &[(&str, &str)]) -> Result<(), Wrong> {
        let is_known = |field: &str| known.iter().any(|(name, other)| field == *name || field == *other);
        match self.fields.keys().find(|field| !is_known(field)) {
            None => Ok(()),
            Some(field) => {
                let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
                self.wrong(field, &format!("unknown: expected {}", names.join(", ")))
            }
        }
    }

    fn action(&self, action: &Value) -> Result<Action, Wrong> {
        self.check_names(&ACTION_FIELDS)?;
        match action.as_str() {
            Some("terminate" | "cancel") => {
                let query = self.get("terminate_id", "terminateId")?;
                let Some((name, query)) = query else {
                    return self.wrong("terminate_id", "missing: expected the id of a query");
                };
                if !is_id(query) {
                    return self.expected(name, query, "the id of a query: a string or an integer");
                }
                let after = self.numbers("after", "turnNumbers")?;
                let after = after.map(|(_, after)| after).unwrap_or_default();
                let after = after.into_iter().filter_map(|after| after.try_into().ok()).collect();
                Ok(Action::Terminate(query.clone(), after))
            }
            Some("terminate_all" | "cancel_all") => Ok(Action::TerminateAll),
            Some("query_version") => Ok(Action::QueryVersion),
            _ => self.expected("action", action, "terminate, terminate_all or query_version"),
        }
    }

    fn variant(&self) -> Result<Option<Variant>, Wrong> {
        let Some(value) = self.field("variant") else {
            return Ok(None);
        };
        let Some(text) = value.as_str() else {
            return self.expected("variant", value, "a string, such as \"invector:5x4\"");
        };
        match games::parse_variant(text) {
            Ok(variant) => Ok(Some(variant)),
            Err(error) => self.wrong("variant", &error.to_string()),
        }
    }

    /// Returns the start position and the moves, of which a position may have the first ones.
    fn game(&self) -> Result<(Option<String>, Vec<String>), Wrong> {
        let text = match self.field("position") {
            None => None,
            Some(Value::String(text)) => Some(text.as_str()),
            Some(other) => return self.expected("position", other, "a string"),
        };
        let (start, mut moves) = match text.and_then(split_opening) {
            None => (text, Vec::new()),
            Some((start, moves)) => {
                let read = read_move_list(moves);
                (start, read.or_else(|error| self.wrong("position", &error.to_string()))?)
            }
        };
        moves.extend(self.moves("moves")?);
        Ok((start.map(str::to_owned), moves))
    }

    /// Returns moves, which are given as a list of strings, or as one string.
    fn moves(&self, name: &str) -> Result<Vec<String>, Wrong> {
        let what = "a string such as \"c3 e5\", or an array of strings";
        match self.field(name) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => read_move_list(text).or_else(|error| self.wrong(name, &error.to_string())),
            Some(Value::Array(moves)) => {
                let text = |value: &Value| match value.as_str() {
                    Some(text) => Ok(text.to_owned()),
                    None => self.expected(name, value, what),
                };
                moves.iter().map(text).collect()
            }
            Some(other) => self.expected(name, other, what),
        }
    }

    /// Returns an array of integers, and the name under which it was given.
    fn numbers(&self, name: &'a str, other: &'a str) -> Result<Option<(&'a str, Vec<i64>)>, Wrong> {
        let Some((name, value)) = self.get(name, other)? else {
            return Ok(None);
        };
        let numbers: Option<Vec<i64>> =
            value.as_array().and_then(|numbers| numbers.iter().map(Value::as_i64).collect());
        match numbers {
            Some(numbers) if numbers.len() <= MAX_POSITIONS => Ok(Some((name, numbers))),
            _ => self.expected(name, value, &format!("an array of at most {MAX_POSITIONS} integers")),
        }
    }

    /// Returns the numbers of moves after which the positions are reached, with their priorities.
    fn positions(&self, moves: usize) -> Result<Vec<(usize, i64)>, Wrong> {
        let (name, after) = match self.numbers("after", "analyzeTurns")? {
            None => ("after", vec![moves]),
            Some((name, numbers)) => {
                let fits = |number: &i64| usize::try_from(*number).ok().filter(|number| *number <= moves);
                let after: Option<Vec<usize>> = numbers.iter().map(fits).collect();
                match after.filter(|after| !after.is_empty()) {
                    Some(after) => (name, after),
                    None => return self.wrong(name, &format!("expected numbers of moves from 0 to {moves}")),
                }
            }
        };
        let mut sorted = after.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return self.wrong(name, "expected each number of moves once");
        }
        let priority = match self.field("priority") {
            None => 0,
            Some(value) => match value.as_i64() {
                Some(priority) => priority,
                None => return self.expected("priority", value, "an integer; higher ones are searched first"),
            },
        };
        let priorities = match self.numbers("priorities", "")? {
            None => vec![priority; after.len()],
            Some(_) if self.field("priority").is_some() => {
                return self.wrong("priorities", "expected priority or priorities, not both");
            }
            Some((_, priorities)) if priorities.len() == after.len() => priorities,
            Some((_, priorities)) => {
                let (given, positions) = (priorities.len(), after.len());
                return self.wrong("priorities", &format!("{given} for {positions} positions: expected as many"));
            }
        };
        Ok(after.into_iter().zip(priorities).collect())
    }

    fn number(&self, name: &'a str, other: &'a str, least: u64, most: u64, what: &str) -> Result<Option<u64>, Wrong> {
        let Some((name, value)) = self.get(name, other)? else {
            return Ok(None);
        };
        match value.as_u64().filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => self.expected(name, value, what),
        }
    }

    fn report_every(&self) -> Result<Option<Duration>, Wrong> {
        let Some((name, value)) = self.get("report_every", "reportDuringSearchEvery")? else {
            return Ok(None);
        };
        match value.as_f64().filter(|seconds| (0.01..=86_400.0).contains(seconds)) {
            Some(seconds) => Ok(Some(Duration::from_secs_f64(seconds))),
            None => self.expected(name, value, "a number of seconds from 0.01 to 86400"),
        }
    }
}
