//! The plan of a study: its variant, conditions and numbers of games, from a command line and from records.

use thiserror::Error;

use crate::games;
use crate::record::GameRecord;
use crate::rules::Variant;

use super::player::{Conditions, Description, MIRRORING, RANDOM, STUDY, first_random_turn};
use super::store::{GameKey, Group};

/// Strengths of a study, in nodes per move, with the number of games at each, where none are asked for.
pub const DEFAULT_STRENGTHS: [Strength; 5] = [
    Strength::new(0, 400),
    Strength::new(32, 400),
    Strength::new(1024, 400),
    Strength::new(32_768, 100),
    Strength::new(262_144, 20),
];

/// Returns the default strengths as a request has them, with this number of games at each, if it is asked for.
pub fn default_strengths(games: Option<u64>) -> Vec<(u64, Option<u64>)> {
    let strengths = DEFAULT_STRENGTHS.iter();
    strengths.map(|strength| (strength.nodes, games.or(Some(strength.games)))).collect()
}

/// Random steps at the start of a game, where none are asked for.
pub const DEFAULT_RANDOM_STEPS: u32 = 2;

/// Seed, where none is asked for.
pub const DEFAULT_SEED: u64 = 1;

/// A strength with its number of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strength {
    /// Nodes a move; 0 for random play.
    pub nodes: u64,
    /// Number of games.
    pub games: u64,
}

impl Strength {
    /// Creates a strength.
    pub const fn new(nodes: u64, games: u64) -> Self {
        Self { nodes, games }
    }
}

/// Maximum number of nodes per move of the games against a player who mirrors.
const MOST_FOR_MIRRORING: u64 = 32_768;

/// Games of a study at a strength for each pair of games there against a player who mirrors, who has each seat once.
const GAMES_PER_PAIR: u64 = 8;

/// A kind of games of a study.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Series {
    /// The program against itself.
    Play,
    /// The program against a player who mirrors.
    Mirroring,
}

/// A part of a study: games of one kind at one strength.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// Kind of the games.
    pub series: Series,
    /// Nodes a move; 0 for random play.
    pub nodes: u64,
}

impl Part {
    /// Returns the purpose of its games, as records have it.
    pub fn purpose(self) -> &'static str {
        match self.series {
            Series::Play => STUDY,
            Series::Mirroring => MIRRORING,
        }
    }

    /// Returns the part of a study that a key belongs to.
    pub(super) fn of(key: &GameKey) -> Option<Self> {
        let series = [Series::Play, Series::Mirroring].into_iter();
        let mut parts = series.map(|series| Self { series, nodes: key.nodes });
        parts.find(|part| part.purpose() == key.purpose)
    }

    /// Returns what a store calls its games.
    pub(super) fn group(self) -> Group {
        (self.purpose().to_owned(), self.nodes)
    }

    /// Returns the key of a game of this part, from its record.
    pub(super) fn key_of(self, game: &GameRecord) -> GameKey {
        let begins = Description::of(game).map_or("", |read| read.beginning);
        let (purpose, nodes) = self.group();
        GameKey {
            purpose,
            nodes,
            variant: game.variant.clone(),
            opening: begins.to_owned(),
            seed: game.seed,
            number: game.game,
        }
    }
}

/// A study that is asked for. What is `None` is taken from the records of the folder, else from the defaults.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Request {
    /// Variant.
    pub variant: Option<Variant>,
    /// Strengths, in nodes per move, each with its number of games; empty for those of the records alone.
    pub strengths: Vec<(u64, Option<u64>)>,
    /// Number of games at each strength that has no number of its own.
    pub games: Option<u64>,
    /// Random steps at the start of a game.
    pub random_steps: Option<u32>,
    /// First turn of random steps.
    pub random_from: Option<u32>,
    /// Seed.
    pub seed: Option<u64>,
}

/// A study: what every game of it has in common, and how many games there are.
#[derive(Clone, PartialEq, Debug)]
pub struct StudyPlan {
    /// Variant.
    pub variant: Variant,
    /// Random steps at the start of a game.
    pub random_steps: u32,
    /// First turn of random steps.
    pub random_from: u32,
    /// Seed.
    pub seed: u64,
    /// Strengths, the weakest first.
    pub strengths: Vec<Strength>,
}

/// A difference between what is asked for and the records, which completes a sentence about a game.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
#[error("is another study's: {what} was {was} and is now {is}; take another folder or the same settings")]
pub struct Difference {
    /// The differing condition.
    pub what: &'static str,
    /// Its value in the records.
    pub was: String,
    /// The other value.
    pub is: String,
}

impl Difference {
    /// Compares two values of a condition.
    ///
    /// # Errors
    /// If they differ.
    pub fn check<T: ToString + ?Sized>(what: &'static str, was: &T, is: &T) -> Result<(), Self> {
        let (was, is) = (was.to_string(), is.to_string());
        if was == is { Ok(()) } else { Err(Self { what, was, is }) }
    }
}

impl StudyPlan {
    /// Plans the study that is asked for, without records. `None` if there is no variant.
    pub fn new(request: &Request) -> Option<Self> {
        let variant = request.variant.clone()?;
        let random_from = request.random_from;
        let mut plan = Self {
            random_steps: request.random_steps.unwrap_or(DEFAULT_RANDOM_STEPS),
            random_from: random_from.unwrap_or_else(|| first_random_turn(&variant)),
            seed: request.seed.unwrap_or(DEFAULT_SEED),
            strengths: Vec::new(),
            variant,
        };
        plan.add_strengths(request);
        Some(plan)
    }

    /// Plans the study that a record belongs to, without strengths.
    ///
    /// # Errors
    /// Names what is no part of a study.
    pub fn of_record(game: &GameRecord) -> Result<Self, String> {
        let variant = games::parse_variant(&game.variant).map_err(|error| format!("belongs to no study: {error}"))?;
        let of_study = Description::of(game).filter(|read| [STUDY, MIRRORING].contains(&read.purpose));
        let begins = of_study.and_then(|read| {
            let (steps, turn) = read.beginning.split_once(" from turn ")?;
            Some((steps.parse().ok()?, turn.parse().ok()?))
        });
        let (random_steps, random_from) = begins.ok_or_else(|| {
            let conditions = game.conditions.as_deref().unwrap_or_default();
            format!("belongs to no study: its conditions are {conditions:?}, which no study has")
        })?;
        Ok(Self { variant, random_steps, random_from, seed: game.seed, strengths: Vec::new() })
    }

    /// Adds the strengths that are asked for.
    ///
    /// # Errors
    /// If other conditions are asked for than this plan's.
    pub fn agree(&mut self, request: &Request) -> Result<(), Difference> {
        if let Some(variant) = &request.variant {
            Difference::check("the variant", &self.variant, variant)?;
        }
        if let Some(seed) = request.seed {
            Difference::check("the seed", &self.seed, &seed)?;
        }
        if let Some(steps) = request.random_steps {
            Difference::check("the number of random steps", &self.random_steps, &steps)?;
        }
        if let Some(turn) = request.random_from {
            Difference::check("the first turn of random steps", &self.random_from, &turn)?;
        }
        self.add_strengths(request);
        Ok(())
    }

    fn add_strengths(&mut self, request: &Request) {
        for &(nodes, games) in &request.strengths {
            // As many as at the next default strength that is not weaker, or at the strongest one.
            let next = DEFAULT_STRENGTHS.iter().find(|strength| strength.nodes >= nodes);
            let next = next.or(DEFAULT_STRENGTHS.last());
            let default = next.map_or(1, |strength| strength.games);
            self.need(nodes, games.or(request.games).unwrap_or(default));
        }
    }

    /// Plans at least this number of games at a strength.
    pub fn need(&mut self, nodes: u64, games: u64) {
        let place = self.strengths.binary_search_by_key(&nodes, |strength| strength.nodes);
        match place {
            Ok(place) => {
                if let Some(strength) = self.strengths.get_mut(place) {
                    strength.games = strength.games.max(games);
                }
            }
            Err(place) => self.strengths.insert(place, Strength::new(nodes, games)),
        }
    }

    /// Plans the fewest games at a strength that go with a number of games there against a player who mirrors.
    pub fn need_for_mirroring(&mut self, nodes: u64, games: u64) {
        let pairs_before = games.saturating_sub(1) / 2;
        self.need(nodes, pairs_before.saturating_mul(GAMES_PER_PAIR) + 1);
    }

    /// Returns the parts with their numbers of games: those of each strength, then those against a player who mirrors.
    pub fn parts(&self) -> Vec<(Part, u64)> {
        let part = |series, &Strength { nodes, games }: &Strength| (Part { series, nodes }, games);
        let strengths = self.strengths.iter();
        let play = strengths.clone().map(|strength| part(Series::Play, strength));
        let mirroring = strengths.filter(|strength| strength.nodes <= MOST_FOR_MIRRORING).map(|strength| {
            let (part, games) = part(Series::Mirroring, strength);
            (part, 2 * games.div_ceil(GAMES_PER_PAIR))
        });
        play.chain(mirroring).collect()
    }

    /// Returns the conditions of the games of a part.
    pub fn conditions(&self, part: Part) -> Conditions {
        Conditions {
            purpose: part.purpose().to_owned(),
            random_from: self.random_from,
            mirroring: part.series == Series::Mirroring,
            ..Conditions::new(&self.variant, part.nodes, self.random_steps, self.seed)
        }
    }

    /// Checks that a record belongs to this study, to a part of it.
    ///
    /// # Errors
    /// Names what differs.
    pub fn check(&self, game: &GameRecord, part: Part) -> Result<(), Difference> {
        let conditions = self.conditions(part);
        Difference::check("the variant", &game.variant, &self.variant.to_string())?;
        Difference::check("the seed", &game.seed, &self.seed)?;
        let was = game.conditions.as_deref().unwrap_or("none");
        Difference::check("the opening", was, &conditions.description())?;
        for (seat, now) in [&game.black, &game.white].into_iter().zip(conditions.seats(game.game)) {
            Difference::check("the program", &seat.version, &now.version)?;
            let strength = |limit: &str| if limit.is_empty() { RANDOM } else { limit }.to_owned();
            Difference::check("the strength", &strength(&seat.limit), &strength(&now.limit))?;
            let player = |engine: &str, options: &str| format!("{engine} {options}").trim().to_owned();
            let was = player(&seat.engine, &seat.options);
            Difference::check("the player", &was, &player(&now.engine, &now.options))?;
        }
        match &game.start {
            Some(start) => Difference::check("the start position", start.as_str(), "the usual one"),
            None => Ok(()),
        }
    }

    /// Returns the command that plays this study.
    pub fn command(&self) -> String {
        let mut words = vec!["pentalith study".to_owned(), quoted(&self.variant.to_string())];
        for Strength { nodes, games } in &self.strengths {
            words.push(format!("--strength {nodes}:{games}"));
        }
        words.push(format!("--random-steps {}", self.random_steps));
        if self.random_from != first_random_turn(&self.variant) {
            words.push(format!("--random-from {}", self.random_from));
        }
        words.push(format!("--seed {}", self.seed));
        words.join(" ")
    }

    /// Says how the games begin.
    pub fn opening(&self) -> String {
        let Self { random_steps, random_from, .. } = self;
        if *random_steps == 0 {
            return "No step is random: games of one strength and seed are all the same, except at strength 0."
                .to_owned();
        }
        let steps = match random_steps {
            1 => "a uniformly random step".to_owned(),
            steps => format!("{steps} uniformly random steps"),
        };
        let begin = match random_from {
            0 | 1 => format!("Each game begins with {steps}"),
            turn => format!("Turns before turn {turn} are searched; then come {steps}"),
        };
        format!(
            "{begin}, continued until both players have had equally many random turns. No opening is left out, however \
             uneven. Games of equal numbers share their random numbers at all strengths."
        )
    }
}

/// Quotes a word for a shell.
fn quoted(text: &str) -> String {
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), |quoted| quoted.into_owned())
}
