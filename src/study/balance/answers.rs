//! Answers to questions of balance as `--json` and `study.json` have them; `docs/balance.md` describes the keys.

use serde::Serialize;

use super::swap::Answer;
use super::{Choices, FairKomi, Question, QuestionPlan, RuleReport, ScoredMove, SwapMap, Verdict, verdict};
use crate::intervals::{Estimate, Results, rounded};
use crate::rules::Variant;

/// Decimal places of the answers.
pub const PLACES: i32 = 4;

/// The fair komi at one strength.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct KomiAnswer {
    /// Variant, without komi.
    pub variant: String,
    /// Nodes of each search; 0 for random play.
    pub strength: u64,
    /// Number of games.
    pub games: u64,
    /// Number of different games among them.
    pub distinct_games: u64,
    /// Points for the second player at which the first mover scores one half.
    pub fair_komi: Estimate,
    /// True if the interval is at most one point long.
    pub precise: bool,
    /// Points of komi that turn a score of 50 % into 84 %.
    pub spread: f64,
    /// `probit`, or `local` where the games contradict that curve.
    pub fit: &'static str,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Seed; the first one, if there are several.
    pub seed: u64,
    /// The answer of each of several seeds, which are pooled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<SeedAnswer>,
    /// Results by komi.
    pub curve: Vec<KomiPoint>,
}

/// The fair komi by the games of one of several seeds.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SeedAnswer {
    /// Seed.
    pub seed: u64,
    /// Number of games.
    pub games: u64,
    /// Points for the second player at which the first mover scores one half.
    pub fair_komi: Estimate,
}

/// Results of the first mover at one komi.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct KomiPoint {
    /// Points for the second player.
    pub komi: f64,
    /// Number of games.
    pub games: u64,
    /// Results of the first mover.
    #[serde(flatten)]
    pub results: Results,
}

impl KomiAnswer {
    /// Describes the answer to a question.
    pub fn new(variant: &Variant, fair: &FairKomi, plan: &QuestionPlan) -> Self {
        let points = fair.curve.points().iter();
        let points = points.map(|point| KomiPoint { komi: point.x, games: point.games(), results: point.results });
        let seeds = fair.seeds.iter().map(|of| SeedAnswer {
            seed: of.seed,
            games: of.games,
            fair_komi: of.place.rounded(PLACES),
        });
        Self {
            variant: variant.to_string(),
            strength: fair.nodes,
            games: fair.curve.games(),
            distinct_games: fair.distinct,
            fair_komi: fair.crossing.place.rounded(PLACES),
            precise: fair.is_precise,
            spread: rounded(fair.crossing.spread, PLACES),
            random_steps: plan.random_steps,
            fit: if fair.crossing.is_local { "local" } else { "probit" },
            seed: plan.seed,
            seeds: seeds.collect(),
            curve: points.collect(),
        }
    }
}

/// Several rules side by side, at one strength.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct CompareAnswer {
    /// Nodes of each search; 0 for random play.
    pub strength: u64,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// Seed.
    pub seed: u64,
    /// The game under each rule.
    pub rules: Vec<RuleAnswer>,
    /// Index of the rule that is nearest to fair without komi and pie, if games tell.
    pub fairest: Option<usize>,
    /// Verdict, in one sentence.
    pub verdict: String,
}

/// A game under one rule.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct RuleAnswer {
    /// Variant with this rule.
    pub variant: String,
    /// Variant that was played: at the fair komi, or with the pie.
    pub played: String,
    /// Random steps at the beginning of each game.
    pub random_steps: u32,
    /// The fair komi, if the game has one.
    pub fair_komi: Option<Estimate>,
    /// Points of komi that turn a score of 50 % into 84 %, if the game has a komi.
    pub spread: Option<f64>,
    /// Score of the first mover in as many games without komi and pie.
    pub score_without_help: Option<Estimate>,
    /// The same, less that under the first rule; `None` for the first rule.
    pub difference: Option<Estimate>,
    /// Number of games of `played`.
    pub games: u64,
    /// Number of different games among them.
    pub distinct_games: u64,
    /// Score of the first mover in them.
    pub score: Option<Estimate>,
    /// Share of draws.
    pub draws: f64,
    /// 10 %, 50 % and 90 % quantiles of the number of moves of both players.
    pub moves: [usize; 3],
    /// Openings that another player won than under the first rule.
    pub other_winner: Option<OtherWinner>,
    /// Choices within a turn that mattered.
    pub choices: Option<ChoicesAnswer>,
}

/// Share of openings that another player won than under the first rule.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct OtherWinner {
    /// The share.
    #[serde(flatten)]
    pub share: Estimate,
    /// The share if results under the two rules were unrelated.
    pub by_chance: f64,
}

/// Choices within a turn, such as which hex is inverted first.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct ChoicesAnswer {
    /// Number of games looked at.
    pub games: u64,
    /// Choices in a game.
    pub number: f64,
    /// Decisive choices in a game.
    pub decisive_number: Estimate,
    /// Share of games with a decisive choice.
    pub decisive: Estimate,
}

impl CompareAnswer {
    /// Describes the answer to a question.
    pub fn new(reports: &[RuleReport], plan: &QuestionPlan) -> Self {
        let verdict = verdict(reports);
        let differences = verdict.iter().flat_map(|verdict| &verdict.differences);
        let differences = std::iter::once(None).chain(differences.map(|of| Some(of.score.rounded(PLACES))));
        let rules = reports.iter().zip(differences);
        let without = reports.first().and_then(RuleReport::help);
        let sentence = |verdict: &Verdict| verdict.sentence(&rule_names(reports, plan), plan.nodes, without);
        Self {
            strength: plan.nodes,
            random_steps: plan.random_steps,
            seed: plan.seed,
            rules: rules.map(|(report, difference)| RuleAnswer::new(report, difference)).collect(),
            fairest: verdict.as_ref().and_then(|verdict| verdict.fairest),
            verdict: verdict.as_ref().map(sentence).unwrap_or_default(),
        }
    }
}

impl RuleAnswer {
    fn new(report: &RuleReport, difference: Option<Estimate>) -> Self {
        let crossing = report.fair.as_ref().map(|fair| fair.crossing);
        let choices = |choices: Choices| ChoicesAnswer {
            games: choices.games,
            number: rounded(choices.choices, PLACES),
            decisive_number: choices.decisive.rounded(PLACES),
            decisive: choices.decided.rounded(PLACES),
        };
        Self {
            variant: report.variant.to_string(),
            played: report.played.to_string(),
            random_steps: report.random_steps,
            fair_komi: crossing.map(|crossing| crossing.place.rounded(PLACES)),
            spread: crossing.map(|crossing| rounded(crossing.spread, PLACES)),
            score_without_help: report.unaided_score().map(places),
            difference,
            games: report.games(),
            distinct_games: report.distinct,
            score: report.score().map(places),
            draws: rounded(report.results.draw_rate(), PLACES),
            moves: [0.1, 0.5, 0.9].map(|share| report.moves_at(share)),
            other_winner: report.other_winner.map(|(share, by_chance)| OtherWinner {
                share: share.rounded(PLACES),
                by_chance: rounded(by_chance, PLACES),
            }),
            choices: report.choices.map(choices),
        }
    }
}

/// Returns the name of each rule of a comparison, such as `order=single`.
pub fn rule_names(reports: &[RuleReport], plan: &QuestionPlan) -> Vec<String> {
    let Question::Compare(text) = &plan.question else {
        return reports.iter().map(|report| report.variant.to_string()).collect();
    };
    let (key, values) = text.split_once('=').unwrap_or((text, ""));
    values.split(',').map(|value| format!("{key}={value}")).collect()
}

fn places(estimate: Estimate) -> Estimate {
    estimate.rounded(PLACES)
}

/// The swap map at one strength.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct SwapAnswer {
    /// Variant, with the pie.
    pub variant: String,
    /// Nodes of each search; 0 for random play.
    pub strength: u64,
    /// Number of games.
    pub games: u64,
    /// Number of different games among them.
    pub distinct_games: u64,
    /// Score that the pie leaves the first mover with the fairest first move.
    pub score: Estimate,
    /// Score of the first mover with it if the second player keeps the sides.
    pub score_if_kept: Option<Estimate>,
    /// Score of the first mover with it if the second player swaps.
    pub score_if_swapped: Option<Estimate>,
    /// The fairest first move.
    #[serde(rename = "move")]
    pub fairest: String,
    /// False if first moves were drawn at random.
    pub complete: bool,
    /// Random steps after the second player's answer.
    pub random_steps: u32,
    /// Seed.
    pub seed: u64,
    /// First moves, the fairest first.
    pub moves: Vec<MoveAnswer>,
}

/// A first move under the pie.
#[derive(Clone, PartialEq, Serialize, Debug)]
pub struct MoveAnswer {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Number of games.
    pub games: u64,
    /// Score of the side that made the move.
    pub score: Option<Estimate>,
    /// Score of the first mover if the second player keeps the sides.
    pub score_if_kept: Option<Estimate>,
    /// Score of the first mover if the second player swaps.
    pub score_if_swapped: Option<Estimate>,
    /// The second player's best answer: `swap`, `keep`, or `either` where games do not tell.
    pub answer: &'static str,
    /// True if these games had no part in the choice of the fairest move.
    pub fresh: bool,
}

impl SwapAnswer {
    /// Describes the answer to a question.
    pub fn new(variant: &Variant, map: &SwapMap, plan: &QuestionPlan) -> Self {
        let games = map.moves.first().map(|fairest| fairest.games);
        let moves = map.moves.iter().map(|scored| MoveAnswer {
            text: scored.first_move.text.clone(),
            games: scored.games.games(),
            score: scored.games.side().map(places),
            score_if_kept: scored.games.if_kept().map(places),
            score_if_swapped: scored.games.if_swapped().map(places),
            answer: scored.answer(),
            fresh: scored.is_fresh,
        });
        Self {
            variant: variant.to_string(),
            strength: map.nodes,
            games: map.games,
            distinct_games: map.distinct,
            score: map.score.rounded(PLACES),
            score_if_kept: games.and_then(|games| games.if_kept()).map(places),
            score_if_swapped: games.and_then(|games| games.if_swapped()).map(places),
            fairest: map.fairest().to_owned(),
            complete: map.are_all,
            random_steps: plan.random_steps,
            seed: plan.seed,
            moves: moves.collect(),
        }
    }
}

impl SwapMap {
    /// Returns the text of the fairest first move.
    pub fn fairest(&self) -> &str {
        let first = self.moves.first();
        first.map_or("", |scored| &scored.first_move.text)
    }

    /// Returns true if the games tell that no other first move is as fair: the interval of what it leaves the first mover
    /// lies above those of all others.
    pub fn is_fairest_known(&self) -> bool {
        let left = |scored: &ScoredMove| scored.games.under_pie(self.are_seats_alike);
        let is_less = |scored: &ScoredMove| left(scored).is_some_and(|other| other.high < self.score.low);
        self.are_all && self.moves.iter().skip(1).all(is_less)
    }
}

impl ScoredMove {
    /// Returns the second player's best answer: `swap`, `keep`, or `either` where games do not tell.
    pub fn answer(&self) -> &'static str {
        match self.best_answer {
            Some(Answer::Swap) => "swap",
            Some(Answer::Keep) => "keep",
            None => "either",
        }
    }
}
