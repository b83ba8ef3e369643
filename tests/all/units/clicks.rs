//! Clicks: each legal step has clicks that play it from any selection, and a selection can be taken back.

use std::collections::BTreeSet;

use crate::clicks::{VARIANTS, session};
use pentalith::session::{Clicked, Session};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn at(variant: &str, position: &str) -> Session {
    let mut session = session(variant);
    session.set_position(position).unwrap();
    session
}

/// Makes clicks, from a selection on. Returns the last one's meaning and what is selected after it.
fn make(session: &Session, mut selected: Option<String>, clicks: &[String]) -> (Clicked, Option<String>) {
    let mut last = Clicked::LetsGo;
    for (i, click) in clicks.iter().enumerate() {
        last = session
            .click(selected.as_deref(), click)
            .unwrap_or_else(|error| panic!("{clicks:?} in {}: {error}", session.position()));
        selected = match &last {
            Clicked::Selects(point) => Some(point.clone()),
            Clicked::LetsGo => None,
            Clicked::Completes(_) => {
                assert_eq!(i + 1, clicks.len(), "{clicks:?} in {}", session.position());
                None
            }
        };
    }
    (last, selected)
}

/// Checks the clicks of a position.
fn check(session: &Session) {
    let position = session.position();
    let picture = session.picture();
    let cells = picture.ranks.iter().flatten().flatten();
    let everywhere: Vec<String> =
        cells.map(|square| square.label.clone()).chain(["pool".to_owned(), "pass".to_owned()]).collect();
    let legal = session.legal();
    let selectable: Vec<&String> =
        everywhere.iter().filter(|point| matches!(session.click(None, point), Ok(Clicked::Selects(_)))).collect();
    let selections = selectable.iter().map(|point| Some(point.as_str()));
    for selected in [None].into_iter().chain(selections) {
        // Exactly the points that are listed can be clicked.
        let points = session.points(selected);
        let mut completed = BTreeSet::new();
        for point in &everywhere {
            let clicked = session.click(selected, point);
            assert_eq!(clicked.is_ok(), points.contains(point), "{point} with {selected:?} in {position}");
            if let Ok(Clicked::Completes(step)) = clicked {
                assert!(legal.contains(&step), "{step} in {position}");
                assert!(completed.insert(step));
                let is_target =
                    selected.is_none_or(|selected| point == "pass" || session.targets(selected).contains(point));
                assert!(is_target, "{point} with {selected:?} in {position}");
            }
        }
        // Its own clicks play each step, whatever is selected: with one click more where a selection must go first.
        for step in &legal {
            let clicks = session.clicks_of(step);
            assert!((1..=2).contains(&clicks.len()), "{step} in {position}");
            let goes_on = match selected {
                None => true,
                Some(selected) => {
                    clicks.len() == 1 && clicks[0] == "pass"
                        || clicks.len() == 2 && !session.targets(selected).contains(&clicks[0]) && clicks[0] != selected
                }
            };
            let let_go = selected.filter(|_| !goes_on).map(str::to_owned);
            let clicks: Vec<String> = let_go.into_iter().chain(clicks).collect();
            let (last, _) = make(session, selected.map(str::to_owned), &clicks);
            assert_eq!(last, Clicked::Completes(step.clone()), "{clicks:?} in {position}");
        }
        if let Some(selected) = selected {
            assert_eq!(session.click(Some(selected), selected), Ok(Clicked::LetsGo));
            let shout = selected.to_uppercase();
            assert_eq!(session.click(Some(selected), &shout), Ok(Clicked::LetsGo));
            assert!(!session.targets(selected).is_empty(), "{selected} in {position}");
            assert!(!session.steps_from(selected).is_empty());
        }
    }
}

#[test]
fn each_legal_step_is_played_by_its_clicks_from_any_selection() {
    for variant in VARIANTS {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(48);
        let mut session = session(variant);
        let mut selected: Option<String> = None;
        let mut steps = 0;
        for click in 0.. {
            let points = session.points(selected.as_deref());
            if points.is_empty() || click == 200 {
                break;
            }
            if selected.is_none() && steps % 4 == 0 {
                check(&session);
            }
            let point = &points[random.next_u32() as usize % points.len()];
            match session.click(selected.as_deref(), point).unwrap() {
                Clicked::Selects(point) => selected = Some(point),
                Clicked::LetsGo => selected = None,
                Clicked::Completes(step) => {
                    session.play(session.side(), &step, false).unwrap();
                    (selected, steps) = (None, steps + 1);
                }
            }
        }
        assert!(steps > 10, "{variant}: {steps} steps");
    }
}

fn selects(point: &str) -> Clicked {
    Clicked::Selects(point.to_owned())
}

fn completes(step: &str) -> Clicked {
    Clicked::Completes(step.to_owned())
}

#[test]
fn a_wrong_selection_is_taken_back_by_a_click() {
    let invector = session("invector:5x4");
    assert_eq!(invector.click(None, "A1"), Ok(selects("a1")));
    assert_eq!(invector.click(Some("a1"), "a1"), Ok(Clicked::LetsGo));
    assert_eq!(invector.click(Some("a1"), "b2"), Ok(selects("b2")));
    assert_eq!(invector.click(Some("b2"), "b1"), Ok(completes("b2b1")));
    let error = invector.click(Some("a1"), "e4").unwrap_err();
    assert_eq!(error.to_string(), "e4: e4 is not next to a1; Black after a1 may click b1, a2; a1 again lets go of it");
}

#[test]
fn the_pool_and_the_end_of_a_turn_have_their_own_clicks() {
    // White has placed one piece of three.
    let gravel = at("gravel:3,x=3", "w1../.w3./b1.. w p1 0,0 0 5");
    let click = |selected, point| gravel.click(selected, point);
    assert_eq!(click(None, "pass"), Ok(completes("end")));
    assert_eq!(click(None, "c3"), Ok(completes("c3")));
    assert_eq!(click(None, "b2"), Ok(selects("b2")));
    assert_eq!(click(Some("b2"), "pool"), Ok(completes("-b2")));
    assert_eq!(click(Some("b2"), "a3"), Ok(completes("b2a3")));
    // The stack on b2 is full.
    assert_eq!(click(Some("a3"), "b2"), Ok(selects("b2")));
    assert_eq!(click(None, "pool"), Ok(selects("pool")));
    assert_eq!(click(Some("pool"), "pool"), Ok(Clicked::LetsGo));
    assert_eq!(click(Some("pool"), "a3"), Ok(completes("a3")));
    assert_eq!(click(Some("pool"), "c3"), Ok(completes("c3")));
    assert_eq!(click(Some("pool"), "b2"), Ok(selects("b2")));
    // A selection does not make another click than a pass complete a step that does not begin with it.
    assert_eq!(click(Some("b2"), "pass"), Ok(completes("end")));
    assert!(click(Some("b2"), "c3").is_err());
    assert!(click(None, "a1").is_err());
}

#[test]
fn a_swap_is_a_pass_and_no_stone() {
    let mut invector = session("invector:5x4");
    assert!(invector.click(None, "pass").is_err());
    invector.play(invector.side(), "a1b1", false).unwrap();
    assert_eq!(invector.click(None, "pass"), Ok(completes("swap")));
    assert_eq!(invector.click(Some("a2"), "pass"), Ok(completes("swap")));
    assert!(invector.click(None, "b1").is_err());
    let marked = invector.points(None);
    assert_eq!(marked.last().map(String::as_str), Some("pass"));
}

#[test]
fn what_is_no_point_is_quoted() {
    let invector = session("invector:5x4");
    for text in ["z9", "", "pools", "a1a2", "é"] {
        let error = invector.click(None, text).unwrap_err().to_string();
        assert!(error.contains(&format!("{text:?}")), "{error}");
    }
    assert_eq!(
        session("markane:5x5").click(None, "pool").unwrap_err().to_string(),
        "pool: Black may click a1, b1, c1, d1, e1, a2, b2, c2, …"
    );
}

#[test]
fn numbers_stand_beside_the_board() {
    for (variant, position, tally) in [
        ("invector:3x2", "w.b/bw. b 5", [1, 1]),
        ("gravel:3,x=3", "w1../.w2./b1.. w p1 1,2 0 5", [1, 2]),
        ("inversion:2", "bw/w.b/.. w - 5", [2, 2]),
        (
            "invictus",
            "........./..w4..b5.../.w2.....w6./.....w1.../...w3b4..../..b3...w2../.......b1./b6......../......... b 9,12 - 0 41",
            [14, 14],
        ),
    ] {
        assert_eq!(at(variant, position).tally(), tally, "{variant}");
    }
    let mut markane = session("markane:5x5");
    assert_eq!(markane.tally(), [1, 0]);
    markane.play(markane.side(), "c3", false).unwrap();
    assert_eq!(markane.tally(), [0, 1]);
}
