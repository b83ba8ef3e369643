//! Records of AbstractPlay, by the schema `gamerecord` of its `recranks`.
//!
//! They have no field for the swap of the pie rule: the players are listed by their seats at the end of the game, and
//! the moves before the swap count as those of the seat. Columns run to i and j without a gap.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lexer::Place;
use super::reader::{Places, Reader, UNKNOWN_DATE, finish};
use super::{AGREEMENT, Cause, GameRecord, GameResult, MoveRecord, PERSON, RESIGNATION, RecordError, SWAP, Seat};
use crate::board::{column_letter, column_of_letter};
use crate::games;
use crate::rules::{Color, Size, Variant};

/// Site of our games.
const OWN_SITE: &str = "pentalith";

/// Time of games whose date is unknown, which the schema requires.
const UNKNOWN_TIME: &str = "1970-01-01T00:00:00Z";

/// Time of day of games of which the date alone is known.
const MIDNIGHT: &str = "T00:00:00Z";

/// Words in place of a move where a game ends otherwise than by one.
const ENDS: [&str; 4] = ["resign", "timeout", "draw", ABANDONED];

/// End of a game without a winner, which is also the reason in a record of ours.
const ABANDONED: &str = "abandoned";

/// Tags of what a record of ours has no field for.
const GAME_ID: &str = "GameId";
const DATE_START: &str = "DateStart";
const DATE_END: &str = "DateEnd";
const UNRATED: &str = "Unrated";

/// The tag of a round, unless it is the number of the game.
const ROUND: &str = "Round";

/// Tags of players, behind the color.
const USER_ID: &str = "UserId";
const SCORE: &str = "Score";

/// Engine of a player of whom only that is known.
const AI: &str = "ai";

/// The game that AbstractPlay has.
const INVECTOR: &str = "invector";

/// A record.
#[derive(Serialize, Deserialize, Debug)]
pub struct AbstractPlayRecord {
    pub(super) header: Header,
    #[serde(default)]
    moves: Vec<Vec<Option<Entry>>>,
}

/// The header of a record: all but its moves.
#[derive(Serialize, Deserialize, Debug)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Header {
    game: Game,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    site: Option<Site>,
    date_start: Option<String>,
    date_end: Option<String>,
    date_generated: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    unrated: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pied: bool,
    /// Another name of `pied`, which records of the site have.
    #[serde(default, skip_serializing)]
    pie_invoked: bool,
    players: Vec<Player>,
    #[serde(rename = "startingPosition", default, skip_serializing_if = "Option::is_none")]
    starting_position: Option<String>,
}

#[derive(Serialize, Deserialize, Debug)]
struct Game {
    name: String,
    #[serde(default)]
    variants: Vec<String>,
}

#[derive(Serialize, Deserialize, Debug)]
struct Site {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gameid: Option<Value>,
}

#[derive(Serialize, Deserialize, Debug)]
pub(super) struct Player {
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    userid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_ai: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    result: Option<Number>,
    /// Color in records of ours. Without it two players of one name and result would be equal, which the schema forbids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<String>,
}

/// An integer where we write it.
#[derive(Clone, Copy, Serialize, Deserialize, Debug)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Broken(f64),
}

impl Number {
    fn value(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Broken(number) => number,
        }
    }
}

/// The move of a player in a round.
#[derive(Serialize, Deserialize, Debug)]
#[serde(untagged)]
enum Entry {
    Text(String),
    Move {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sequence: Option<i64>,
        #[serde(rename = "move")]
        text: String,
        /// A remark, or a list of what happened.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
    },
}

impl Entry {
    /// Returns an entry with a remark, if there is one.
    fn new(text: String, remark: Option<&str>) -> Self {
        match remark {
            Some(remark) => Self::Move { sequence: None, text, result: Some(remark.into()) },
            None => Self::Text(text),
        }
    }

    fn sequence(&self) -> i64 {
        match self {
            Self::Move { sequence: Some(sequence), .. } => *sequence,
            _ => 0,
        }
    }

    /// Returns the move and the remark on it.
    fn parts(self) -> (String, Option<String>) {
        match self {
            Self::Text(text) => (text, None),
            Self::Move { text, result: Some(Value::String(remark)), .. } => (text, Some(remark)),
            Self::Move { text, .. } => (text, None),
        }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Header {
    /// Returns true if the players took the other one's seat by the pie rule.
    pub(super) fn is_pied(&self) -> bool {
        self.pied || self.pie_invoked
    }

    /// Returns the variant.
    ///
    /// # Errors
    /// If this program doesn't play it.
    fn variant(&self) -> Result<Variant, String> {
        let name = self.game.name.trim().to_lowercase();
        let items: Vec<String> = self.game.variants.iter().filter_map(|text| item(&name, text)).collect();
        let text = if items.is_empty() { name } else { format!("{name}:{}", items.join(",")) };
        games::parse_variant(&text).map_err(|error| error.to_string())
    }

    /// Returns the canonical variant, or a name of it where this program doesn't play it.
    pub(super) fn variant_name(&self) -> String {
        let name = self.game.name.to_lowercase();
        match (self.variant(), self.game.variants.is_empty()) {
            (Ok(variant), _) => variant.to_string(),
            (Err(_), true) => name,
            (Err(_), false) => format!("{name} ({})", self.game.variants.join(", ")),
        }
    }

    /// Returns the two players, the one who moved first at the beginning.
    ///
    /// # Errors
    /// If they are not two, with names and results.
    pub(super) fn players(&self) -> Result<[&Player; 2], String> {
        let seats = match self.players.as_slice() {
            [one, two] if self.is_pied() => [two, one],
            [one, two] => [one, two],
            other => return Err(format!("expected two players in the header, found {}", other.len())),
        };
        let is_known = |player: &&Player| player.result.is_some() && (player.name.is_some() || player.userid.is_some());
        if seats.iter().all(is_known) {
            Ok(seats)
        } else {
            Err("expected the name and the result of each player in the header".to_owned())
        }
    }
}

impl Player {
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().or(self.userid.as_deref()).unwrap_or_default()
    }

    /// Returns a number that is greater for who has won.
    pub(super) fn result(&self) -> f64 {
        self.result.map_or(0.0, Number::value)
    }

    fn seat(&self) -> Seat {
        let engine = if self.is_ai == Some(true) { AI } else { "" };
        let none = String::new;
        Seat {
            name: self.name().to_owned(),
            engine: engine.to_owned(),
            options: none(),
            version: none(),
            limit: none(),
        }
    }

    /// Returns the tags of what a record of ours has no field for.
    fn tags(&self, color: Color) -> impl Iterator<Item = (String, String)> {
        let known = [(USER_ID, self.userid.clone()), (SCORE, self.score.map(|score| score.to_string()))];
        known.into_iter().filter_map(move |(name, value)| Some((format!("{color}{name}"), value?)))
    }
}

/// Returns an item of a variant of ours for one of AbstractPlay; `None` for the default.
fn item(game: &str, text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    if text.is_empty() || text.starts_with('#') || text.starts_with("default") {
        return None;
    }
    if game != INVECTOR {
        return Some(text);
    }
    // A size is its number of columns, of which there is one more than of ranks.
    if let Some(columns) = text.strip_prefix("size-").and_then(|size| size.parse::<u8>().ok()) {
        return Some(format!("{columns}x{}", columns.saturating_sub(1)));
    }
    // The site writes the title of the size: ranks and columns.
    let title = text.strip_suffix(" board").and_then(|size| size.split_once('x'));
    Some(title.map_or(text.clone(), |(ranks, columns)| format!("{columns}x{ranks}")))
}

/// Returns the variants of AbstractPlay for a variant of ours; without items it is the default one.
fn items(variant: &Variant) -> Vec<String> {
    let text = variant.to_string();
    let (game, items) = text.split_once(':').unwrap_or((&text, ""));
    let is_default = |item: &str| item == variant.info().size.default().to_string();
    let write = |item: &str| match (game, variant.size()) {
        (INVECTOR, Size::Rectangle(columns, ranks)) if item.contains('x') && columns == ranks + 1 => {
            format!("size-{columns}")
        }
        _ => item.to_owned(),
    };
    items.split(',').filter(|item| !item.is_empty() && !is_default(item)).map(write).collect()
}

/// Returns a move with the column letters of its cells exchanged. A letter before a digit belongs to a cell.
fn with_columns(text: &str, exchange: impl Fn(char) -> Option<char>) -> String {
    let next = text.chars().skip(1).map(Some).chain([None]);
    let letter = |(c, next): (char, Option<char>)| match next {
        Some(next) if c.is_ascii_alphabetic() && next.is_ascii_digit() => exchange(c.to_ascii_lowercase()).unwrap_or(c),
        _ => c,
    };
    text.chars().zip(next).map(letter).collect()
}

/// Returns a move of AbstractPlay as ours.
fn own_move(text: &str) -> String {
    let column = |letter: char| u8::try_from(u32::from(letter) - u32::from('a')).ok().map(column_letter);
    let text: String = text.split_whitespace().collect();
    with_columns(&text, |letter| column(letter).filter(|&own| column_of_letter(own).is_some()))
}

/// Returns a move of ours as AbstractPlay writes it.
fn foreign_move(game: &str, text: &str) -> String {
    let text = with_columns(text, |letter| char::from_u32(u32::from('a') + u32::from(column_of_letter(letter)?)));
    // Two cells, from and to.
    match text.rfind(|c: char| c.is_ascii_alphabetic()) {
        Some(second) if game == INVECTOR && second > 0 && text.contains(|c: char| c.is_ascii_digit()) => {
            let (from, to) = text.split_at(second);
            format!("{from}-{to}")
        }
        _ => text,
    }
}

impl AbstractPlayRecord {
    /// Returns true if both players have left the game.
    pub(super) fn is_abandoned(&self) -> bool {
        let text = |entry: &Entry| match entry {
            Entry::Text(text) | Entry::Move { text, .. } => text.trim() == ABANDONED,
        };
        self.moves.last().is_some_and(|round| round.iter().flatten().any(text))
    }

    /// Completes a record by the rules.
    pub(super) fn complete(
        self,
        number: u64,
        place: Place,
        reader: &mut Reader<'_>,
        errors: &mut Vec<RecordError>,
    ) -> Option<GameRecord> {
        let mut fail = |why: String| {
            errors.push(RecordError::new(place, why));
            None
        };
        let Self { header, moves } = self;
        let variant = match header.variant() {
            Ok(variant) => variant,
            Err(why) => return fail(why),
        };
        let [one, two] = match header.players() {
            Ok(players) => players,
            Err(why) => return fail(why),
        };
        let first = variant.info().first;
        let mut played: Vec<MoveRecord> = Vec::new();
        let mut end = None;
        for mut round in moves {
            round.sort_by_key(|entry| entry.as_ref().map_or(0, Entry::sequence));
            for entry in round.into_iter().flatten() {
                let (text, remark) = entry.parts();
                if ENDS.contains(&text.trim()) {
                    end = Some(remark.unwrap_or_else(|| text.trim().to_owned()));
                    continue;
                }
                let mut made = MoveRecord::new(own_move(&text), Some(Default::default()));
                made.comment = remark;
                played.push(made);
            }
        }
        if header.is_pied() {
            // It is the first move of turn 2.
            let is_later = header.starting_position.as_deref().is_some_and(|start| start.ends_with(" 2"));
            let before = usize::from(!is_later);
            if before <= played.len() {
                played.insert(before, MoveRecord::new(SWAP, Some(Default::default())));
            }
        }
        let winner = match one.result().total_cmp(&two.result()) {
            std::cmp::Ordering::Less => Some(!first),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(first),
        };
        let is_abandoned = winner.is_none() && end.as_deref() == Some(ABANDONED);
        let (black, white) = if first == Color::Black { (one, two) } else { (two, one) };
        let (start, end_time) = (header.date_start.clone(), header.date_end.clone());
        let start = start.filter(|time| time != UNKNOWN_TIME);
        let date = start.as_deref().and_then(|time| Some(time.split_once('T')?.0.replace('-', ".")));
        // What the date says already needs no tag.
        let end_time = end_time.filter(|time| header.date_start.as_ref() != Some(time));
        let start = start.filter(|time| !time.ends_with(MIDNIGHT));
        let gameid = header.site.as_ref().and_then(|site| match site.gameid.as_ref()? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        });
        let fields = [
            ("Event", header.event.clone()),
            ("Site", header.site.as_ref().map(|site| site.name.clone()).filter(|name| name != OWN_SITE)),
            (ROUND, header.round.clone()),
            (GAME_ID, gameid),
            (DATE_START, start),
            (DATE_END, end_time),
            (UNRATED, header.unrated.then(|| "true".to_owned())),
        ];
        let tags = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let mut record = GameRecord {
            game: number,
            pair: number,
            variant: variant.to_string(),
            date: date.unwrap_or_else(|| UNKNOWN_DATE.to_owned()),
            seed: 0,
            conditions: None,
            start: header.starting_position.clone().filter(|start| !start.is_empty()),
            black: black.seat(),
            white: white.seat(),
            result: if is_abandoned { GameResult::Unfinished } else { GameResult::of(winner) },
            cause: Cause::Aborted,
            reason: String::new(),
            fault: None,
            comment: None,
            moves: played,
            tags: tags.chain(black.tags(Color::Black)).chain(white.tags(Color::White)).collect(),
        };
        let places = Places { begin: place, start: place, moves: Vec::new() };
        let outcome = reader.play(&mut record, &variant, places, errors)?;
        if errors.is_empty() {
            finish(&mut record, None, end.as_deref().unwrap_or_default(), outcome);
            if is_abandoned && outcome.is_none() {
                record.reason = ABANDONED.to_owned();
            }
        }
        Some(record)
    }

    /// Writes a finished game. `now` is the time, as in `2026-01-31T00:00:00Z`.
    ///
    /// # Errors
    /// If its variant is unknown, or it goes on: there are no records of unfinished games.
    pub fn of(record: &GameRecord, now: &str) -> Result<Self, String> {
        let variant = games::parse_variant(&record.variant).map_err(|error| error.to_string())?;
        let is_abandoned = record.result == GameResult::Unfinished && record.reason == ABANDONED;
        if record.result == GameResult::Unfinished && !is_abandoned {
            return Err("it is unfinished".to_owned());
        }
        let info = variant.info();
        let tag = |name: &str| record.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let is_swap = |made: &MoveRecord| made.text == SWAP;
        let pied = record.moves.iter().take(2).any(is_swap);
        let seats = if pied { [!info.first, info.first] } else { [info.first, !info.first] };
        let player = |color: Color| {
            let seat = record.seat(color);
            let is_ai = !seat.engine.is_empty() && seat.engine != PERSON;
            let won = record.half_points(color) > 0 && !is_abandoned;
            Player {
                name: Some(seat.name.clone()),
                userid: tag(&format!("{color}{USER_ID}")),
                is_ai: is_ai.then_some(true),
                score: tag(&format!("{color}{SCORE}")).and_then(|score| score.parse().ok()),
                result: Some(Number::Whole(won.into())),
                color: Some(color.to_string().to_lowercase()),
            }
        };
        let is_time = |text: &String| humantime::parse_rfc3339(text).is_ok();
        let date = Some(record.date.replace('.', "-") + MIDNIGHT).filter(is_time);
        let time = tag(DATE_START).filter(is_time).or(date);
        let time = time.unwrap_or_else(|| UNKNOWN_TIME.to_owned());
        let event = tag("Event");
        let header = Header {
            game: Game { name: capitalized(info.name), variants: items(&variant) },
            // Neither is without the other.
            round: event.as_ref().map(|_| tag(ROUND).unwrap_or_else(|| record.game.to_string())),
            event,
            site: Some(Site {
                name: tag("Site").unwrap_or_else(|| OWN_SITE.to_owned()),
                gameid: tag(GAME_ID).map(Value::String),
            }),
            date_end: Some(tag(DATE_END).filter(is_time).unwrap_or_else(|| time.clone())),
            date_start: Some(time),
            date_generated: Some(now.to_owned()),
            unrated: tag(UNRATED).is_some(),
            pied,
            pie_invoked: false,
            players: seats.map(player).into(),
            starting_position: record.start.clone(),
        };
        let mut entries: Vec<Option<Entry>> = Vec::new();
        // The second player to move begins.
        let side = record.start.as_deref().and_then(|start| start.split_whitespace().nth(1));
        if side.is_some_and(|side| side != info.first.to_string().to_lowercase().get(..1).unwrap_or_default()) {
            entries.push(None);
        }
        let entry = |made: &MoveRecord| Entry::new(foreign_move(info.name, &made.text), made.comment.as_deref());
        entries.extend(record.moves.iter().filter(|made| !is_swap(made)).map(|made| Some(entry(made))));
        entries.extend(end(record).map(Some));
        if entries.len() % 2 == 1 {
            entries.push(None);
        }
        let mut moves: Vec<Vec<Option<Entry>>> = Vec::new();
        let mut entries = entries.into_iter();
        while let Some(first) = entries.next() {
            moves.push(vec![first, entries.next().flatten()]);
        }
        Ok(Self { header, moves })
    }
}

/// Returns what stands for the end of a game that no move has ended.
fn end(record: &GameRecord) -> Option<Entry> {
    let said = Some(record.reason.as_str()).filter(|reason| !reason.is_empty());
    let (text, remark) = match record.cause {
        _ if record.result == GameResult::Unfinished => (ABANDONED, None),
        Cause::Normal if record.reason == RESIGNATION => ("resign", None),
        Cause::Normal if record.reason == AGREEMENT => ("draw", None),
        Cause::Normal => return None,
        Cause::Time => ("timeout", said),
        _ if record.result == GameResult::Draw => ("draw", said),
        _ => ("resign", said),
    };
    Some(Entry::new(text.to_owned(), remark.filter(|&remark| remark != text)))
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
