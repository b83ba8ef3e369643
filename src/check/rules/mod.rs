//! Compares an engine's rules with ours: plays random games with it, tries illegal steps, and looks for the smallest
//! game that shows a difference.

mod game;
mod shrink;

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::{CheckResult, Checker, NoVerdict, failed, game_deadline, passed, skipped};
use crate::client::connection::{ClientError, Deadline};
use crate::rules::{Color, Variant};
use crate::text::{counted, grouped, list};
pub(super) use game::{Game, Play};
use game::{WORDS, below, rule, texts};

/// Maximum number of plays of a game.
const MAX_PLAYS: usize = 400;

/// Number of texts that are looked at in each position for illegal steps.
const LOOKED_AT: usize = 400;

/// Maximum number of illegal steps that are tried in each position.
const TRIED: usize = 6;

/// Maximum number of illegal steps that are tried for each rule that they break, in each part of a game.
const TRIED_OF_A_KIND: u32 = 8;

/// Plays at which the parts of a game begin, but the first: restrictions of the first moves are easily missed.
const PARTS: [usize; 6] = [1, 2, 3, 4, 8, 24];

/// Number of legal steps of which others are made by changing a cell.
const CHANGED: usize = 40;

/// Maximum number of steps that are compared to make a game close or one-sided.
const COMPARED: usize = 12;

/// Maximum count that an engine has to count, and the maximum depth.
const MAX_COUNT: u64 = 20_000;
const MAX_DEPTH: u32 = 4;

/// Number of positions in which an engine counts.
const COUNTS: u32 = 8;

/// Of this number of games one is played in whole moves and not in steps.
const WHOLE: u32 = 3;

/// A preference in the choice of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slant {
    /// Steps of rare kinds.
    Rare,
    /// Equal counts: a close game shows whether ties and komi are counted right.
    Close,
    /// The counts of Black, or of White: a one-sided game comes to ends that are rare.
    OneSided(Color),
}

impl Slant {
    /// Returns the slant of the game with a number, from 0.
    fn of(number: u32) -> Self {
        match number % 8 {
            1 | 2 | 5 | 6 => Self::Close,
            3 => Self::OneSided(Color::Black),
            7 => Self::OneSided(Color::White),
            _ => Self::Rare,
        }
    }
}

/// A part of the rules in which an engine may be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Class {
    /// A legal step is refused.
    Legal,
    /// An illegal step is accepted.
    Illegal,
    /// The game ends too late, or it is the wrong player's turn.
    State,
    /// The list of legal steps is wrong.
    List,
    /// A perft is wrong.
    Perft,
    /// The result is wrong.
    Result,
}

/// A question about the position that a game has reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Probe {
    /// Asks whether the last play is accepted, and what state it leads to.
    Last,
    /// Asks whether an illegal step is refused.
    Illegal { step: String, reason: String },
    /// Asks for the legal steps.
    List,
    /// Asks for the number of sequences of steps.
    Perft(u32),
    /// Asks who has won a finished game.
    Result,
}

impl Probe {
    /// Returns the class of a wrong answer.
    fn class(&self) -> Class {
        match self {
            Self::Last => Class::Legal,
            Self::Illegal { .. } => Class::Illegal,
            Self::List => Class::List,
            Self::Perft(_) => Class::Perft,
            Self::Result => Class::Result,
        }
    }
}

/// A difference between an engine and our rules.
pub(super) struct Fault {
    pub(super) class: Class,
    /// The number of plays that show it.
    pub(super) plays: usize,
    pub(super) what: String,
}

impl Fault {
    pub(super) fn new(class: Class, plays: usize, what: impl Into<String>) -> Self {
        Self { class, plays, what: what.into() }
    }
}

/// An engine whose rules are compared.
pub(super) trait Subject {
    /// Returns the comparison of its rules.
    fn comparison(&mut self) -> &mut Comparison;

    /// Finds out which questions the engine can answer.
    fn prepare(&mut self, variant: &Variant) -> Result<(), NoVerdict>;

    /// Brings the engine to the position of a game. Returns the first difference.
    fn go_to(&mut self, game: &Game) -> Result<Option<Fault>, ClientError>;

    /// Tries an illegal step in the position. Returns how an error names it if the engine accepts it.
    fn accepts(&mut self, game: &Game, step: &str) -> Result<Option<String>, ClientError>;

    /// Asks for the legal steps. Returns how an error names the question, and the answer.
    fn legal(&mut self) -> Result<Option<(String, String)>, ClientError>;

    /// Asks for the number of sequences of steps.
    fn perft(&mut self, depth: u32) -> Result<Option<u64>, ClientError>;

    /// Asks for the result of a finished game. Returns what is wrong with it.
    fn wrong_result(&mut self, game: &Game) -> Result<Option<String>, ClientError>;

    /// Forgets what position the engine has.
    fn forget(&mut self);

    /// Ends the engine, which is started again when it is asked.
    fn restart(&mut self);

    /// Returns false if the engine can't answer questions of a class.
    fn answers(&self, class: Class) -> bool;

    /// Writes a transcript of a game and a question, with the right answers.
    fn transcript(&self, game: &Game, probe: &Probe) -> String;
}

/// Brings an engine to the position of a game and asks it about that. Returns the first difference.
fn examine(subject: &mut dyn Subject, game: &Game, probe: &Probe) -> Result<Option<Fault>, ClientError> {
    let fault = subject.go_to(game)?;
    if fault.is_some() {
        return Ok(fault);
    }
    let what = match probe {
        Probe::Last => None,
        Probe::Illegal { step, reason } => {
            let accepted = subject.accepts(game, step)?;
            accepted.map(|step| format!("{step} is accepted, and is illegal: {reason}"))
        }
        Probe::List => {
            let asked = subject.legal()?;
            asked.and_then(|(question, answer)| listed(game, &answer).map(|what| format!("{question}: {what}")))
        }
        Probe::Perft(depth) => {
            let right = game.board.perft(*depth, false, &|| false);
            let wrong = subject.perft(*depth)?.filter(|&count| right != Some(count));
            wrong.map(|count| format!("perft {depth} is {count}, not {}", right.unwrap_or_default()))
        }
        Probe::Result => subject.wrong_result(game)?,
    };
    Ok(what.map(|what| Fault::new(probe.class(), game.plays.len(), what)))
}

/// The comparison of an engine's rules with ours, which is made once for all checks.
pub(super) struct Comparison {
    /// Variant that the engine plays, if it is one of ours.
    pub(super) variant: Option<Variant>,
    pub(super) settings: RuleSettings,
    survey: Option<Survey>,
    /// Transcript that shows what the last check found.
    pub(super) proof: Option<String>,
}

impl Comparison {
    pub(super) fn new(variant: Option<Variant>, settings: RuleSettings) -> Self {
        Self { variant, settings, survey: None, proof: None }
    }
}

/// Returns the verdict about a part of the rules. The first call compares all parts.
pub(super) fn verdict<T: Checker + Subject>(engine: &mut T, class: Class) -> CheckResult {
    let Some(variant) = engine.comparison().variant.clone() else {
        return Err(no_variant());
    };
    let survey = match engine.comparison().survey.take() {
        Some(survey) => survey,
        None => {
            engine.prepare(&variant)?;
            let (settings, deadline) = (engine.comparison().settings.clone(), game_deadline(engine.connection()));
            Survey::run(engine, &variant, &settings, deadline)?
        }
    };
    let verdict = survey.verdict(class, engine);
    let comparison = engine.comparison();
    comparison.proof = survey.transcript(class).map(str::to_owned);
    comparison.survey = Some(survey);
    verdict
}

/// A difference, with the smallest game that shows it.
pub(super) struct Found {
    pub(super) what: String,
    pub(super) transcript: String,
}

/// The way in which a game is played.
#[derive(Clone, Copy)]
struct Style {
    /// True for whole moves, false for steps.
    is_whole: bool,
    slant: Slant,
}

/// Configuration of the comparison.
#[derive(Clone, Debug)]
pub struct RuleSettings {
    /// Number of games.
    pub games: u32,
    /// Seed of the random games.
    pub seed: u64,
    /// Command by which the engine lists legal steps; `None` for one that is commonly known.
    pub legal_command: Option<String>,
}

/// All that was found out about an engine's rules.
#[derive(Default)]
struct Survey {
    found: BTreeMap<Class, Found>,
    games: u32,
    plays: u64,
    /// Number of plays by kind.
    kinds: BTreeMap<String, u32>,
    /// Number of illegal steps by rule, and by part of the game.
    illegal: BTreeMap<(String, usize), u32>,
    asked: BTreeMap<Class, u32>,
    reasons: BTreeSet<&'static str>,
    is_cut: bool,
}

impl Survey {
    /// Compares the rules of an engine with ours.
    fn run(
        subject: &mut dyn Subject,
        variant: &Variant,
        settings: &RuleSettings,
        deadline: Deadline,
    ) -> Result<Self, ClientError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        let texts = texts(variant, &mut random);
        let mut survey = Self::default();
        for number in 0..settings.games {
            if deadline.is_past() {
                survey.is_cut = true;
                break;
            }
            let is_whole = number % WHOLE == WHOLE - 1;
            let style = Style { is_whole, slant: Slant::of(number) };
            survey.game(subject, variant, &texts, style, &mut random, deadline)?;
            survey.games += 1;
        }
        Ok(survey)
    }

    fn game(
        &mut self,
        subject: &mut dyn Subject,
        variant: &Variant,
        texts: &[String],
        style: Style,
        random: &mut Xoshiro256PlusPlus,
        deadline: Deadline,
    ) -> Result<(), ClientError> {
        let Some(mut game) = Game::new(variant) else {
            return Ok(());
        };
        let mut before: [Vec<String>; 2] = [Vec::new(), Vec::new()];
        loop {
            let legal = game.legal();
            let side = usize::from(game.board.side() == Color::White);
            let earlier =
                before.get_mut(side).map(|before| std::mem::replace(before, legal.clone())).unwrap_or_default();
            for probe in self.probes(subject, &game, texts, &earlier, random) {
                self.ask(subject, &game, &probe)?;
            }
            if let Some(outcome) = game.board.outcome() {
                self.reasons.insert(outcome.reason);
                return Ok(());
            }
            if game.plays.len() >= MAX_PLAYS || deadline.is_past() {
                return Ok(());
            }
            let text = self.choose(&game, &legal, &earlier, style, random);
            if !game.play(&text) {
                return Ok(());
            }
            self.plays += 1;
            if let Some(Class::Legal) = self.ask(subject, &game, &Probe::Last)? {
                return Ok(());
            }
        }
    }

    /// Asks a question. Returns the class of the difference, if there is one. Stores the first one of each class, with
    /// the smallest game that shows it.
    fn ask(&mut self, subject: &mut dyn Subject, game: &Game, probe: &Probe) -> Result<Option<Class>, ClientError> {
        let class = probe.class();
        *self.asked.entry(class).or_default() += 1;
        let Some(fault) = shrink::examined(subject, game, probe)? else {
            return Ok(None);
        };
        let class = fault.class;
        if let Entry::Vacant(place) = self.found.entry(class) {
            place.insert(shrink::smallest(subject, game, probe, fault)?);
        }
        subject.forget();
        Ok(Some(class))
    }

    /// Returns the questions to ask in a position. `earlier` holds the steps that the side to move had before.
    fn probes(
        &mut self,
        subject: &dyn Subject,
        game: &Game,
        texts: &[String],
        earlier: &[String],
        random: &mut Xoshiro256PlusPlus,
    ) -> Vec<Probe> {
        let mut probes = Vec::new();
        let is_open = |class: Class| !self.found.contains_key(&class) && subject.answers(class);
        if is_open(Class::List) {
            probes.push(Probe::List);
        }
        let has_asked = self.asked.get(&Class::Perft).copied().unwrap_or_default();
        // At the start, and later now and then.
        let counts = game.plays.is_empty() && has_asked == 0 || below(random, 12) == 0;
        if is_open(Class::Perft) && counts && has_asked < COUNTS {
            let depth = (1..=MAX_DEPTH)
                .take_while(|&depth| game.board.perft(depth, false, &|| false).is_some_and(|count| count <= MAX_COUNT));
            probes.extend(depth.last().map(Probe::Perft));
        }
        if game.is_over() && is_open(Class::Result) {
            probes.push(Probe::Result);
        }
        if is_open(Class::Illegal) {
            probes.extend(self.illegal_probes(game, texts, earlier, random));
        }
        probes
    }

    /// Returns illegal steps to try, those first whose rule was tried least in this part of a game.
    fn illegal_probes(
        &mut self,
        game: &Game,
        texts: &[String],
        earlier: &[String],
        random: &mut Xoshiro256PlusPlus,
    ) -> Vec<Probe> {
        // What was legal before is likely to be forgotten, and what is almost legal to be overlooked.
        let mut all: Vec<String> = earlier.iter().cloned().chain(WORDS.map(str::to_owned)).collect();
        all.extend(game.changed(CHANGED, random));
        all.extend((0..LOOKED_AT).filter_map(|_| texts.get(below(random, texts.len()))).cloned());
        let part = PARTS.iter().filter(|&&first| game.plays.len() >= first).count();
        let mut by_rule: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for step in all {
            if let Some(reason) = game.reason(&step) {
                let steps = by_rule.entry(rule(&reason)).or_default();
                if !steps.iter().any(|(other, _)| *other == step) {
                    steps.push((step, reason));
                }
            }
        }
        let mut probes = Vec::new();
        while probes.len() < TRIED {
            let count = |rule: &String| self.illegal.get(&(rule.clone(), part)).copied().unwrap_or_default();
            let rarest =
                by_rule.iter().filter(|(_, steps)| !steps.is_empty()).map(|(rule, _)| (count(rule), rule)).min();
            let Some((_, rule)) = rarest.filter(|(count, _)| *count < TRIED_OF_A_KIND) else {
                break;
            };
            let rule = rule.clone();
            let Some(steps) = by_rule.get_mut(&rule) else { break };
            // The first ones are the likely ones.
            let place = if below(random, 2) == 0 { 0 } else { below(random, steps.len()) };
            let (step, reason) = steps.remove(place);
            *self.illegal.entry((rule, part)).or_default() += 1;
            probes.push(Probe::Illegal { step, reason });
        }
        probes
    }

    /// Chooses the next play: often a step of a rare kind, or one that was not legal before.
    fn choose(
        &mut self,
        game: &Game,
        legal: &[String],
        earlier: &[String],
        style: Style,
        random: &mut Xoshiro256PlusPlus,
    ) -> String {
        let slanted = slanted(game, legal, style.slant, random);
        let new: Vec<&String> = legal.iter().filter(|step| !earlier.contains(step)).collect();
        let step = match below(random, 4) {
            _ if slanted.is_some() => slanted,
            0 if !new.is_empty() => new.get(below(random, new.len())).copied(),
            1 | 2 => legal.get(below(random, legal.len())),
            _ => {
                let count = |step: &&String| self.kinds.get(&game.kind(step)).copied().unwrap_or_default();
                let rarest = legal.iter().map(|step| count(&step)).min();
                let rare: Vec<&String> = legal.iter().filter(|step| Some(count(step)) == rarest).collect();
                rare.get(below(random, rare.len())).copied()
            }
        };
        let mut text = step.cloned().unwrap_or_default();
        *self.kinds.entry(game.kind(&text)).or_default() += 1;
        if style.is_whole {
            let side = game.board.side();
            let mut board = game.board.fork();
            let mut last = text.clone();
            while let Ok(step) = board.find_step(&last) {
                board.make(step);
                let mut steps = Vec::new();
                board.steps(&mut steps);
                let Some(next) = steps.get(below(random, steps.len())).filter(|_| board.side() == side) else {
                    break;
                };
                last = board.write_step(*next);
                text = format!("{text},{last}");
            }
        }
        text
    }

    /// Returns the verdict about a part of the rules.
    fn verdict(&self, class: Class, subject: &dyn Subject) -> CheckResult {
        if let Some(found) = self.found.get(&class) {
            return failed(found.what.clone());
        }
        if !subject.answers(class) {
            return skipped(match class {
                Class::List => "the engine has no command that lists legal steps; --legal-command names one",
                Class::Perft => "the engine has no perft",
                Class::Result => "the engine does not say who has won",
                Class::Illegal => "the engine does not say whether a move is illegal",
                Class::Legal | Class::State => "the engine does not say what state the game is in",
            });
        }
        let games = counted(u64::from(self.games), "game");
        let count = |class: Class| u64::from(self.asked.get(&class).copied().unwrap_or_default());
        if self.found.contains_key(&Class::Legal) && count(class) == 0 {
            return skipped("no game came so far");
        }
        let positions = || format!("{} positions of {games}", grouped(count(class)));
        let cut = if self.is_cut { ", then time was up" } else { "" };
        passed(match class {
            Class::Legal => {
                let kinds = self.kinds.keys().map(|kind| kind.to_string()).collect::<Vec<_>>();
                format!("{} plays in {games}{cut}: {}", grouped(self.plays), kinds.join("; "))
            }
            Class::Illegal => {
                let rules: BTreeSet<&String> = self.illegal.keys().map(|(rule, _)| rule).collect();
                format!("{} steps, {}", grouped(count(class)), counted(rules.len() as u64, "reason"))
            }
            Class::State => format!("{} plays in {games}", grouped(self.plays)),
            Class::List | Class::Perft => positions(),
            Class::Result => {
                let reasons: Vec<String> = self.reasons.iter().map(|reason| (*reason).to_owned()).collect();
                match count(class) {
                    0 => return skipped("no game has come to its end"),
                    _ => format!("{}: {}", counted(count(class), "game"), list(&reasons, "and")),
                }
            }
        })
    }

    /// Takes the transcript of the smallest game that shows what is wrong.
    fn transcript(&self, class: Class) -> Option<&str> {
        self.found.get(&class).map(|found| found.transcript.as_str())
    }
}

/// Returns a step that makes the counts of a game close or one-sided, now and then. Where points decide, the last
/// steps of a close game are always the closest: an engine that is wrong by a point is wrong in a tie alone. Equally
/// close steps are drawn, for the point may be wrong on one side alone.
fn slanted<'a>(game: &Game, legal: &'a [String], slant: Slant, random: &mut Xoshiro256PlusPlus) -> Option<&'a String> {
    let is_decisive = slant == Slant::Close && legal.len() <= COMPARED && game.board.margin().is_some();
    if slant == Slant::Rare || !is_decisive && below(random, 3) == 0 {
        return None;
    }
    let value = |step: &&String| {
        let mut board = game.board.fork();
        let found = board.find_step(step).ok()?;
        board.make(found);
        // Where points decide, the komi is among them.
        if let (Slant::Close, Some(margin)) = (slant, board.margin()) {
            return Some(margin.0.into());
        }
        let counts = board.counts();
        let count = |name: &str| counts.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| count.0);
        let difference = i64::from(count("b")) - i64::from(count("w"));
        Some(match slant {
            Slant::Rare | Slant::Close => difference.abs(),
            Slant::OneSided(Color::Black) => -difference,
            Slant::OneSided(Color::White) => difference,
        })
    };
    let some: Vec<&String> = if is_decisive {
        legal.iter().collect()
    } else {
        (0..COMPARED).filter_map(|_| legal.get(below(random, legal.len()))).collect()
    };
    some.into_iter().min_by_key(|step| (value(step), below(random, COMPARED)))
}

/// Compares a list of steps or moves with the legal ones, in any order. Of a move its first step counts.
pub(super) fn listed(game: &Game, answer: &str) -> Option<String> {
    let ours: BTreeSet<String> = game.legal().into_iter().collect();
    let words = answer.split_whitespace().filter_map(|word| word.split(',').next());
    let theirs: BTreeSet<String> = words.map(str::to_lowercase).collect();
    let join = |words: Vec<&String>| {
        let first: Vec<&str> = words.iter().take(5).map(|word| word.as_str()).collect();
        format!("{}{}", first.join(" "), if words.len() > first.len() { " …" } else { "" })
    };
    let missing = join(ours.difference(&theirs).collect());
    let surplus = join(theirs.difference(&ours).collect());
    match (missing.as_str(), surplus.as_str()) {
        ("", "") => None,
        (missing, "") => Some(format!("{missing} is missing")),
        ("", surplus) => Some(format!("{surplus} is not legal")),
        (missing, surplus) => Some(format!("{missing} is missing, and {surplus} is not legal")),
    }
}

/// Returns the reason why there is nothing to compare.
pub(super) fn no_variant() -> NoVerdict {
    NoVerdict::NotApplicable("the rules are only known with --variant".to_owned())
}
