//! Answers to questions of balance as sentences.

use super::answers::{CompareAnswer, RuleAnswer};
use super::{FairKomi, SwapMap};
use crate::intervals::Estimate;
use crate::rules::Variant;
use crate::study::wording::{
    at_strength, capitalized, percent, points, range, short_strength, tells_komi, tells_share, tenths,
};
use crate::text::counted;

/// Points in 100 within which a score is called fair.
const FAIR: f64 = 10.0;

/// Says in one sentence what the pie does.
pub fn pie_sentence(variant: &Variant, map: &SwapMap) -> String {
    let (score, at) = (map.score, at_strength(map.nodes));
    // Where the seat counts, the pie may leave too much as well as too little.
    let within = (100.0 * (0.5 - score.low).max(score.high - 0.5).max(0.0)).ceil();
    if within <= FAIR {
        let points = counted(within as u64, "point");
        return format!("The pie makes {variant} fair to within {points} in 100 {at} (95 %).");
    }
    let leaves = format!(
        "it leaves the first mover {} (95 %: {} to {})",
        percent(score.value),
        percent(score.low),
        percent(score.high)
    );
    if !score.contains(0.5) {
        format!("The pie does not make {variant} fair {at}: {leaves}.")
    } else {
        format!("These games do not show whether the pie makes {variant} fair {at}: {leaves}.")
    }
}

/// Says how the fair komi changes from the first strength to the last; `None` for one strength.
pub fn trend(found: &[FairKomi]) -> Option<String> {
    let [first, .., last] = found else {
        return None;
    };
    let [from, to] = [first, last].map(|fair| fair.crossing.place);
    let (weak, strong) = (short_strength(first.nodes), short_strength(last.nodes));
    // The interval of the difference (Zou and Donner 2008).
    let change = to.value - from.value;
    let low = change - (to.value - to.low).hypot(from.high - from.value);
    let high = change + (to.high - to.value).hypot(from.value - from.low);
    let interval = format!("by {} (95 %: {} to {})", points(change.abs()), points(low), points(high));
    let trend = match (low > 0.0, high < 0.0) {
        (true, _) => format!("the fair komi rises {interval}"),
        (_, true) => format!("the fair komi falls {}", interval.replace("(95 %: ", "(95 %: change of ")),
        _ => format!(
            "these games do not tell whether the fair komi changes (95 %: by {} to {})",
            points(low),
            points(high)
        ),
    };
    Some(format!("From strength {weak} to {strong} {trend}."))
}

/// Says which komi is fair at the highest strength, and at the lowest one.
pub(super) fn komi_sentence(variant: &Variant, found: &[FairKomi]) -> Option<String> {
    let strongest = found.last()?;
    let second = !variant.info().first;
    let at = |fair: &FairKomi| {
        let place = fair.crossing.place;
        let games = counted(fair.curve.games(), "game");
        let interval = format!("95 % interval {}", range(place.low, place.high));
        let points = tenths(place.value);
        if !tells_komi(place, fair.crossing.spread) {
            return format!("what these {games} do not tell ({interval})");
        }
        format!("{points} points for {second}, who moves second ({interval}; {games})")
    };
    let mut words =
        format!("{}, the fair komi of {variant} is {}", capitalized(&at_strength(strongest.nodes)), at(strongest));
    if let [weakest, _, ..] = found {
        let place = weakest.crossing.place;
        let interval = range(place.low, place.high);
        let tells = tells_komi(place, weakest.crossing.spread);
        let value = if tells { format!("it is {}", tenths(place.value)) } else { "these games do not tell".to_owned() };
        words += &format!("; {} {value} ({interval})", at_strength(weakest.nodes));
    }
    Some(words + ".")
}

/// Says how a game plays under several rules, apart from the verdict. A fair komi of the variant itself is another question's.
pub(super) fn compare_sentences(text: &str, variant: &Variant, answer: &CompareAnswer) -> Vec<String> {
    let values = text.split_once('=').map_or("", |(_, values)| values);
    let key = text.split_once('=').map_or(text, |(key, _)| key);
    let rules: Vec<(String, &RuleAnswer)> =
        values.split(',').map(|value| format!("{key}={value}")).zip(&answer.rules).collect();
    let mut words = Vec::new();
    let variant = variant.to_string();
    let each = |of: &dyn Fn(&RuleAnswer) -> Option<String>| {
        let texts = rules.iter().filter_map(|(name, rule)| Some(format!("{} with {name}", of(rule)?)));
        texts.collect::<Vec<_>>().join(", ")
    };
    let at = capitalized(&at_strength(answer.strength));
    let komis = each(&|rule| {
        let komi = rule.fair_komi.filter(|_| rule.variant != variant)?;
        let interval = range(komi.low, komi.high);
        let tells = tells_komi(komi, rule.spread?);
        let value = if tells { tenths(komi.value) } else { "these games do not tell".to_owned() };
        Some(format!("{value} ({interval})"))
    });
    let has_komi = answer.rules.iter().any(|rule| rule.fair_komi.is_some());
    if !has_komi {
        let scores = each(&|rule| {
            let score = rule.score?;
            let interval = range(100.0 * score.low, 100.0 * score.high);
            let value = if tells_share(score) { percent(score.value) } else { "these games do not tell".to_owned() };
            Some(format!("{value} ({interval})"))
        });
        let draws = each(&|rule| Some(percent(rule.draws)));
        let with = if answer.rules.iter().any(|rule| rule.variant != rule.played) { " with the pie" } else { "" };
        words.push(format!("{at}{with}, the score of the first mover: {scores}; draw rates: {draws}."));
    } else if !komis.is_empty() {
        words.push(format!("{at}, the fair komi: {komis}."))
    }
    let choices = each(&|rule| {
        let choices = rule.choices.as_ref()?;
        let Estimate { value, low, high } = choices.decisive_number;
        let (all, interval) = (tenths(choices.number), range(low, high));
        Some(format!("{} ({interval}) of {all}", tenths(value)))
    });
    if !choices.is_empty() {
        words.push(format!("Choices of hexes that decided who leads, in a game at the fair komi: {choices}."));
    }
    words
}

/// Says what the pie does, with the fairest first move.
pub(super) fn swap_sentence(variant: &Variant, map: &SwapMap) -> String {
    let sentence = pie_sentence(variant, map);
    let drawn = if map.are_all { String::new() } else { format!(" of {} drawn at random", map.moves.len()) };
    format!("{sentence} {} {}", fairest_sentence(map, &drawn), both_scores(map).unwrap_or_default())
}

/// Says which first move is fairest, if the games of the finalists tell.
pub fn fairest_sentence(map: &SwapMap, drawn: &str) -> String {
    let fairest = map.fairest();
    if map.is_fairest_known() {
        return format!("The fairest first move{drawn} is {fairest}.");
    }
    format!("Which first move{drawn} is fairest these games do not tell; {fairest} is the one that they chose.")
}

/// Says what the first mover scores with the fairest first move, by the second player's answer.
pub fn both_scores(map: &SwapMap) -> Option<String> {
    let games = map.moves.first()?.games;
    let (kept, swapped) = (games.if_kept()?, games.if_swapped()?);
    let score = |score: Estimate| {
        let interval = range(100.0 * score.low, 100.0 * score.high);
        format!("{} (95 %: {interval})", percent(score.value))
    };
    if map.are_seats_alike {
        let side = games.side()?;
        return Some(format!(
            "The side that makes it scores {}, in the games of both answers together: the seats are alike, as far as \
             these games say.",
            score(side)
        ));
    }
    let either = if kept.high < 0.5 && swapped.high < 0.5 {
        ": less than half either way"
    } else if kept.low > 0.5 && swapped.low > 0.5 {
        ": more than half either way"
    } else {
        ""
    };
    let (if_kept, if_swapped) = (score(kept), score(swapped));
    Some(format!(
        "With it the first mover scores {if_kept} if the second player keeps the sides, and {if_swapped} if it swaps\
         {either}."
    ))
}
