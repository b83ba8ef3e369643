//! Records of games as text and as JSON.

use pentalith::record::{Cause, GameRecord, GameResult, MoveRecord, Score, SearchInformation, Seat, parse_games};
use proptest::prelude::*;

fn seat() -> impl Strategy<Value = Seat> {
    let word = "[a-z\"\\\\é=:. -]{0,12}";
    (word, word, word, word, word).prop_map(|(name, engine, options, version, limit)| {
        let trimmed = |text: String| text.trim().to_owned();
        Seat {
            name: trimmed(name),
            engine: trimmed(engine),
            options: trimmed(options),
            version: trimmed(version),
            limit: trimmed(limit),
        }
    })
}

fn one_made() -> impl Strategy<Value = MoveRecord> {
    let score = prop_oneof![
        (-30_000..30_000).prop_map(Score::Cp),
        any::<i32>().prop_map(Score::Cp),
        Just(Score::Cp(i32::MIN)),
        Just(Score::Mate(i32::MIN)),
        (-500..500).prop_filter("none is 0", |&moves| moves != 0).prop_map(Score::Mate),
    ];
    let information = (0..10_000_000_u64, score, any::<u32>(), any::<u64>(), 0..5_u8);
    let information = information.prop_map(|(time_ms, score, depth, nodes, known)| SearchInformation {
        time_ms,
        score: (known > 0).then_some(score),
        depth: (known > 1).then_some(depth),
        nodes: (known % 2 == 1).then_some(nodes),
    });
    let text = "[a-z@-]{1,4}[0-9](,[a-z][0-9]){0,30}";
    // A remark may look like what is known of a search.
    let comment = proptest::option::of("[a-z0-9./+=]{1,6}( [a-z0-9.]{1,6}){0,3}");
    (text, proptest::option::of(information), comment)
        .prop_map(|(text, information, comment)| MoveRecord { comment, ..MoveRecord::new(text, information) })
}

prop_compose! {
    fn record()(
        numbers in any::<(u64, u64, u64)>(),
        start in proptest::option::of("[bw./]{1,30} b 1"),
        conditions in proptest::option::of("time-margin [1-9]{1,4}"),
        (black, white) in (seat(), seat()),
        result in prop_oneof![Just(GameResult::Black), Just(GameResult::White), Just(GameResult::Draw)],
        cause in proptest::sample::select(Cause::ALL.to_vec()),
        reason in "[a-z]{0,9}",
        fault in proptest::option::of("[a-z]{1,9}"),
        moves in proptest::collection::vec(one_made(), 0..40),
        annotator in proptest::option::of("[a-z\"\\\\é]{0,9}"),
        event in proptest::option::of("[A-Z][a-z]{0,9}"),
    ) -> GameRecord {
        let (game, pair, seed) = numbers;
        let (variant, date) = ("invector:5x4".to_owned(), "2026.01.31".to_owned());
        let tag = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
        let tags = tag("Event", event).into_iter().chain(tag("Annotator", annotator)).collect();
        GameRecord {
            tags, game, pair, variant, date, seed, conditions, start, black, white, result, cause, reason, fault, moves,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(games in proptest::collection::vec(record(), 0..4)) {
        let text: String = games.iter().map(GameRecord::to_text).collect();
        let read = parse_games(&text);
        prop_assert_eq!(&read.error, &None);
        prop_assert_eq!(&read.games, &games);
        prop_assert_eq!(read.end, text.len());
        // The last line needs no end.
        let read = parse_games(text.trim_end());
        prop_assert_eq!((&read.games, &read.error), (&games, &None));
        // Moves are broken into lines as PGN wants it; a tag has one.
        let mut moves = text.lines().filter(|line| !line.starts_with('['));
        prop_assert!(moves.all(|line| line.chars().count() < 255));
        for game in &games {
            let json = serde_json::to_string(game).unwrap();
            prop_assert_eq!(&serde_json::from_str::<GameRecord>(&json).unwrap(), game);
        }
    }

    /// A file that was cut off at any byte gives its whole games, and what is left is told from other faults.
    #[test]
    fn what_was_cut_off_is_unfinished(games in proptest::collection::vec(record(), 2..3), cut in 0.0..1.0_f64) {
        // A game that somebody else has named is not one that a match will go on with.
        let ours = |game: &GameRecord| {
            let tags = game.tags.iter().filter(|(name, _)| name != "Event");
            GameRecord { tags: tags.cloned().collect(), ..game.clone() }
        };
        let games: Vec<GameRecord> = games.iter().map(ours).collect();
        let text: String = games.iter().map(GameRecord::to_text).collect();
        let mut cut = (cut * text.len() as f64) as usize;
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let read = parse_games(&text[..cut]);
        prop_assert!(read.games.len() < 2 || text[cut..].trim().is_empty());
        prop_assert_eq!(read.games.as_slice(), &games[..read.games.len()]);
        prop_assert!(read.error.is_none_or(|error| error.is_unfinished));
    }
}

#[test]
fn what_others_wrote_is_written_back() {
    let game = GameRecord {
        tags: Vec::new(),
        moves: vec![MoveRecord::new("c3", None), MoveRecord::new("d4", Some(SearchInformation::default()))],
        ..parse_games(PLAIN).games.pop().unwrap()
    };
    assert_eq!(parse_games(&game.to_text()).games, [game]);
    let read = parse_games(PLAIN).games.pop().unwrap();
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(read.tags, [tag("Event", "Club evening"), tag("Site", "Bern"), tag("Annotator", "A \"B\" C")]);
    let comments: Vec<_> = read.moves.iter().map(|made| made.comment.as_deref()).collect();
    assert_eq!(comments, [Some("bold, and good"), Some("0.500s?")]);
    assert_eq!(read.moves[1].information.map(|information| information.time_ms), Some(1500));
    let written = read.to_text();
    for part in [
        "[Event \"Club evening\"]\n[Site \"Bern\"]\n",
        "[PlyCount \"2\"]\n[Annotator \"A \\\"B\\\" C\"]\n",
        "1. c3 {book} {bold, and good} d4 {1.500s} {0.500s?} *",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    assert_eq!(parse_games(&written).games, [read]);
}

/// A record that somebody has edited.
const PLAIN: &str = r#"[Event "Club evening"]
[Site "Bern"]
[Date "2026.01.31"]
[Round "1"]
[White "Bo"]
[Black "Al"]
[Result "*"]
[Variant "markane:6x6"]
[Annotator "A \"B\" C"]
[Pair "1"]
[Seed "0"]
[WhiteEngine "person"]
[WhiteOptions ""]
[WhiteVersion ""]
[WhiteLimit ""]
[BlackEngine "person"]
[BlackOptions ""]
[BlackVersion ""]
[BlackLimit ""]
[Termination "aborted"]
[Reason "unfinished"]

1. c3 {bold,
and good} d4 {1.500s} {0.500s?} *

"#;

#[test]
fn faults_are_named_by_line_and_are_not_taken_for_an_end() {
    let text = "[Event \"x\"]\n[Round \"1\"]\n\n1. a1 1-0\n\n";
    let error = parse_games(text).error.unwrap();
    assert_eq!(error.to_string(), "line 4: expected the tag Result before, found \"1.\"");
    assert!(!error.is_unfinished);
    let error = parse_games("my notes\n\n").error.unwrap();
    assert!(!error.is_unfinished);
    let error = parse_games("[Event x]\n\n").error.unwrap();
    assert!(!error.is_unfinished && error.line == 1);
}
