//! The questions of balance of a study: its games are kept, and its answers come from them alone.

use std::fs;
use std::sync::atomic::AtomicBool;

use pentalith::intervals::Results;
use pentalith::record::read_games;
use pentalith::search::SystemClock;
use pentalith::study::balance::{Answers, OwnGames, Question, answer, questions};
use pentalith::study::plan::{Request, Strength, StudyPlan};
use pentalith::study::store::{Runner, Store};

use super::{balanced, files, reported, request, variant};

/// The files of a small study with questions of balance: a komi, rules side by side, and the pie.
fn with_balance(threads: usize) -> (tempfile::TempDir, Request) {
    let folder = tempfile::tempdir().unwrap();
    let request = request("inversion:2", &[(0, 5), (4, 4)]);
    balanced(folder.path(), &request, threads);
    (folder, request)
}

#[test]
fn questions_of_balance_are_answered_from_records() {
    let (folder, request) = with_balance(1);
    let path = folder.path();
    let expected = files(path);
    assert!(expected.contains_key("balance.txt"));
    let json: serde_json::Value = serde_json::from_slice(&expected["study.json"]).unwrap();
    let answers = &json["balance"];
    let strengths = answers["komi"].as_array().unwrap().iter();
    let strengths: Vec<u64> = strengths.map(|komi| komi["strength"].as_u64().unwrap()).collect();
    assert_eq!(strengths, [0, 4]);
    assert_eq!(answers["compare"][0]["rules"].as_array().unwrap().len(), 3);
    assert!(answers["swap"][0]["score"]["value"].is_number());
    let said = json["summary"][0].as_str().unwrap();
    assert!(said.starts_with("At 4 nodes, the fair komi of inversion:2 is "), "{said}");
    // Any number of threads gives the same bytes, and so do the records alone.
    assert_eq!(files(with_balance(3).0.path()), expected);
    fs::remove_file(path.join("study.json")).unwrap();
    fs::remove_file(path.join("report.html")).unwrap();
    reported(path, &Request::default(), &mut |_| ()).unwrap();
    assert_eq!(files(path), expected);
    // Every game has a number of its own, so that other commands can read the file.
    let text = String::from_utf8(expected["balance.txt"].clone()).unwrap();
    let games = read_games(path, &text).unwrap().games;
    let numbers: Vec<u64> = games.iter().map(|game| game.game).collect();
    assert_eq!(numbers, (1..=games.len() as u64).collect::<Vec<_>>());
    // Cut anywhere, the games are completed to the same bytes; until then they are said to be missing.
    let whole = &expected["balance.txt"];
    let mut missed = 0;
    for end in (0..whole.len() - 1).step_by(whole.len() / 5) {
        fs::write(path.join("balance.txt"), &whole[..end]).unwrap();
        let known = reported(path, &Request::default(), &mut |_| ());
        // Where the cut is between two questions, those that are left are answered.
        if let Err(error) = known {
            missed += 1;
            let error = error.to_string();
            assert!(error.contains("balance.txt: at least ") && error.contains(" missing"), "{error}");
        }
        balanced(path, &request, 2);
        assert_eq!(files(path), expected, "{end}");
    }
    assert!(missed >= 2, "{missed}");
    // Games of another program, of another study or of none are refused, and nothing is changed.
    let refusals = [
        (
            text.replace("balance komi, ", "balance fun, "),
            "game 1 is for no question of balance and no ladder: expected",
        ),
        (text.replace("[Conditions \"balance", "[Conditions \"unbalance"), "game 1 is for no question of balance"),
        (text.replace("pentalith 0", "pentalith 9"), "game 1 is not the one that this program plays"),
        (text.replace("inversion:2", "inversion:3"), "its games are not all about inversion:2 with seed 1"),
    ];
    for (text, words) in refusals {
        fs::write(path.join("balance.txt"), &text).unwrap();
        let before = files(path);
        let error = reported(path, &Request::default(), &mut |_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(files(path), before);
    }
}

#[test]
fn choices_are_searched_only_where_they_are_asked_for() {
    let variant = variant("inversion:3");
    let strengths = vec![Strength::new(6, 6)];
    let plan = StudyPlan { variant: variant.clone(), random_steps: 0, random_from: 1, seed: 1, strengths };
    let compare = questions(&plan, 1).into_iter().find(|asked| matches!(asked.question, Question::Compare(_)));
    let compare = [compare.unwrap()];
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let answers = |searches_choices: bool| -> Answers {
        let (on_progress, store) = (&mut |_, _| true, &mut Store::default());
        let mut runner = Runner { threads: 2, stop: &stop, clock: &clock, on_progress, store };
        answer(&variant, &compare, searches_choices, &mut Vec::new(), None, &mut runner).unwrap()
    };
    let (games, with_choices) = (answers(false), answers(true));
    let rules = games.compare[0].rules.iter().zip(&with_choices.compare[0].rules);
    let mut decisive = 0.0;
    for (without, with) in rules {
        assert_eq!(without.choices, None);
        assert_eq!((without.score, without.moves), (with.score, with.moves));
        let choices = with.choices.as_ref().unwrap();
        assert_eq!(choices.games, with.games);
        let number = choices.decisive_number;
        // A game with a decisive choice has at least one, and no more than it has choices.
        assert!(choices.decisive.value <= number.value && number.value <= choices.number);
        assert!(0.0 <= number.low && number.low <= number.value && number.value <= number.high);
        decisive += number.value;
    }
    assert!(decisive > 0.0);
    let said = with_choices.sentences.iter().find(|sentence| sentence.contains("decided who leads"));
    assert!(said.unwrap().contains("with order=single"), "{said:?}");
}

/// The study's own games and those that compare rules answer one question: who is ahead without komi?
#[test]
fn evidence_on_one_quantity_is_pooled_and_said_once() {
    let variant = variant("inversion:2");
    let strengths = vec![Strength::new(4, 6)];
    let plan = StudyPlan { variant: variant.clone(), random_steps: 0, random_from: 1, seed: 1, strengths };
    let compare = questions(&plan, 1).into_iter().find(|asked| matches!(asked.question, Question::Compare(_)));
    let compare = [compare.unwrap()];
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let answers = |own: Option<&OwnGames>| -> Answers {
        let (on_progress, store) = (&mut |_, _| true, &mut Store::default());
        let mut runner = Runner { threads: 1, stop: &stop, clock: &clock, on_progress, store };
        answer(&variant, &compare, false, &mut Vec::new(), own, &mut runner).unwrap()
    };
    let own = |random_steps: u32| OwnGames {
        random_steps,
        results: vec![(0, Results { wins: 0, draws: 0, losses: 90 }), (4, Results { wins: 50, draws: 0, losses: 50 })],
    };
    let (alone, pooled, others) = (answers(None), answers(Some(&own(0))), answers(Some(&own(2))));
    assert_eq!((alone.pooled, pooled.pooled, others.pooled), (None, Some(4), None));
    assert_eq!(alone, others);
    let score = |answers: &Answers, rule: usize| answers.compare[0].rules[rule].score_without_help.unwrap();
    let (few, many) = (score(&alone, 0), score(&pooled, 0));
    assert!(many.width() < 0.6 * few.width(), "{few:?} {many:?}");
    assert!((many.value - 0.5).abs() < 0.1);
    assert_eq!(score(&alone, 1), score(&pooled, 1));
    // The sentence gives the pooled score; openings that rules share are compared as before.
    let shown = format!("{:.1} to {:.1}", 100.0 * many.low, 100.0 * many.high);
    assert!(pooled.compare[0].verdict.contains(&shown), "{shown}: {}", pooled.compare[0].verdict);
    assert_eq!(alone.compare[0].rules[1].difference, pooled.compare[0].rules[1].difference);
}

#[test]
fn a_study_gives_the_score_without_komi_once() {
    for (steps, times) in [(0, 0), (2, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let mut request = request("inversion:2", &[(0, 5), (4, 4)]);
        request.random_steps = Some(steps);
        balanced(folder.path(), &request, 1);
        let json: serde_json::Value = serde_json::from_slice(&files(folder.path())["study.json"]).unwrap();
        let summary = json["summary"].as_array().unwrap().iter().map(|said| said.as_str().unwrap());
        let summary: Vec<&str> = summary.collect();
        let of_rules = summary.iter().filter(|said| said.starts_with("At 4 nodes and without komi, ")).count();
        let own: Vec<&&str> =
            summary.iter().filter(|said| said.contains(", White, who moves first, scores ")).collect();
        assert_eq!((of_rules, own.len()), (1, times), "{summary:?}");
        // Games that begin otherwise are named.
        assert!(own.iter().all(|said| said.contains(" and after 2 random steps, ")), "{own:?}");
    }
}
