//! Records of games as text and as JSON.

use std::path::Path;

use pentalith::record::{
    Cause, FileGames, GameRecord, GameResult, Line, MoveRecord, ReadOptions, Score, SearchInformation, Seat,
    parse_games, read_damaged, read_games, read_move_list,
};
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
    let nags = proptest::collection::vec(any::<u8>(), 0..3);
    (text, proptest::option::of(information), comment, nags).prop_map(|(text, information, comment, nags)| MoveRecord {
        comment,
        nags,
        ..MoveRecord::new(text, information)
    })
}

/// A move with variations, which have variations.
fn one_branching() -> impl Strategy<Value = MoveRecord> {
    one_made().prop_recursive(3, 12, 3, |inner| {
        let comment = proptest::option::of("[a-z\\[]{1,6}( [a-z\\[\";%#]{1,6}){0,30}");
        let line = (comment, proptest::collection::vec(inner, 1..4));
        let line = line.prop_map(|(comment, moves)| Line { comment, moves });
        (one_made(), proptest::collection::vec(line, 0..3))
            .prop_map(|(made, variations)| MoveRecord { variations, ..made })
    })
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
        moves in proptest::collection::vec(one_branching(), 0..20),
        comment in proptest::option::of("[a-z.!?()]{1,9}"),
        annotator in proptest::option::of("[a-z\"\\\\é]{0,9}"),
        event in proptest::option::of("[A-Z][a-z]{0,9}"),
    ) -> GameRecord {
        let (game, pair, seed) = numbers;
        let (variant, date) = ("invector:5x4".to_owned(), "2026.01.31".to_owned());
        let tag = |name: &str, value: Option<String>| value.map(|value| (name.to_owned(), value));
        let tags = tag("Event", event).into_iter().chain(tag("Annotator", annotator)).collect();
        GameRecord {
            tags, game, pair, variant, date, seed, conditions, start, black, white, result, cause, reason, fault,
            comment, moves,
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
        // Also within the last result, whose 1 is not the number of a move.
        let result = text.trim_end().rfind(char::is_whitespace).map_or(0, |blank| blank + 2);
        for cut in [cut, result] {
            let read = parse_games(&text[..cut]);
            prop_assert!(read.games.len() < 2 || text[cut..].trim().is_empty());
            prop_assert_eq!(read.games.as_slice(), &games[..read.games.len()]);
            prop_assert!(read.error.is_none_or(|error| error.is_unfinished));
        }
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
        "1. c3 {bold, and good} d4 {1.500s} {0.500s?} *",
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
    assert_eq!(error.to_string(), "line 4, column 1: expected the tag Result before, found \"1.\"");
    assert!(!error.is_unfinished);
    let error = parse_games("my notes\n\n").error.unwrap();
    assert!(!error.is_unfinished);
    let error = parse_games("[Event x]\n\n").error.unwrap();
    assert!(!error.is_unfinished && error.line == 1);
}

/// Reads games of people, all of them whole.
fn people(text: &str) -> Vec<GameRecord> {
    let FileGames { games, is_cut, damaged } = read_damaged(text, &ReadOptions::default());
    assert!(!is_cut && damaged.is_empty(), "{damaged:?}");
    games
}

fn texts(moves: &[MoveRecord]) -> Vec<&str> {
    moves.iter().map(|made| made.text.as_str()).collect()
}

#[test]
fn people_number_moves_as_they_like() {
    let expected = ["c3", "d6", "a2", "f4"];
    for moves in [
        "1. c3 d6 2. a2 f4",
        "1.c3 d6 2.a2 f4",
        "1. c3 2. d6 3. a2 4. f4",
        "1) c3 d6 2) a2 f4",
        "c3 d6 a2 f4",
        "C3\r\nD6\r\nA2\r\nF4\r\n",
        "1 c3 d6\n2 a2 f4 *",
        "1. c3 1... d6 2. a2 2... f4",
        "1. c3\n1. ... d6\n2. a2\n2. … f4",
        "position startpos moves c3 d6 a2 f4",
        "1. c3! d6?! ; a remark\n2. a2 $1 {another} f4 (a6 {or} 3. b1)",
    ] {
        for text in [format!("[Variant \"markane:6x6\"]\n\n{moves}"), format!("markane:6x6\n{moves}")] {
            let games = people(&text);
            assert_eq!(texts(&games[0].moves), expected, "{text}");
            assert_eq!((games.len(), games[0].result), (1, GameResult::Unfinished), "{text}");
            assert_eq!(people(&games[0].to_text()), games, "{text}");
        }
        let list = read_move_list(moves.trim_start_matches("position startpos moves ")).unwrap();
        assert!(list.iter().map(|text| text.to_lowercase()).eq(expected), "{moves}: {list:?}");
    }
}

#[test]
fn annotations_and_variations_are_written_back() {
    let text = "[White \"Bo\"]\n[Game \"Markane 6x6\"]\n\n{A club game.} 1. c3!? {bold} ({instead} 1. d3 e6 \
                (1... a1 {sharp (very)} 2. f6 $14) 2. a5) (1. b2) d6 (1... f1) 2. a2 1-0\n";
    let game = people(text).pop().unwrap();
    assert_eq!((game.variant.as_str(), game.white.name.as_str()), ("markane:6x6", "Bo"));
    assert_eq!((game.result, game.cause, game.reason.as_str()), (GameResult::White, Cause::Normal, "resignation"));
    assert_eq!((game.comment.as_deref(), texts(&game.moves)), (Some("A club game."), vec!["c3", "d6", "a2"]));
    let first = &game.moves[0];
    assert_eq!((first.nags.as_slice(), first.comment.as_deref()), ([5].as_slice(), Some("bold")));
    let [instead, other] = first.variations.as_slice() else { panic!("{first:?}") };
    assert_eq!((instead.comment.as_deref(), texts(&instead.moves)), (Some("instead"), vec!["d3", "e6", "a5"]));
    let inner = &instead.moves[1].variations[0].moves;
    assert_eq!((texts(inner), inner[1].nags.as_slice()), (vec!["a1", "f6"], [14].as_slice()));
    assert_eq!(texts(&other.moves), ["b2"]);
    let written = game.to_text();
    let moves = written.split("\n\n").nth(1).unwrap().replace('\n', " ");
    assert_eq!(
        moves,
        "{A club game.} 1. c3 $5 {bold} ({instead} 1. d3 e6 (1... a1 {sharp (very)} 2. f6 $14) 2. a5) (1. b2) \
         1... d6 (1... f1) 2. a2 1-0"
    );
    assert_eq!(people(&written), std::slice::from_ref(&game));
    let line = serde_json::to_string(&game).unwrap();
    assert_eq!(read_games(Path::new("x"), &line).unwrap().games, [game]);
}

#[test]
fn moves_of_several_steps_are_put_together() {
    for moves in ["a1 b1 c3 end d4", "1. a1,b1 2. c3,end 3. d4", "1. a1, b1 c3 , end 2. d4"] {
        let game = people(&format!("gravel:4,x=2\n{moves}")).pop().unwrap();
        assert_eq!(texts(&game.moves), ["a1,b1", "c3,end", "d4"], "{moves}");
    }
    let game = people("gravel:4,x=2\na1 b1 (end c1 (d1,d2) c2) c3 (d3) end d4").pop().unwrap();
    let variations: Vec<_> = game.moves.iter().map(|made| &made.variations).collect();
    assert_eq!(texts(&variations[0][0].moves), ["a1,end", "c1,c2"]);
    assert_eq!(texts(&variations[0][0].moves[1].variations[0].moves), ["d1,d2"]);
    assert_eq!(texts(&variations[1][0].moves), ["d3"]);
    assert_eq!(people(&game.to_text()), [game]);
}

#[test]
fn the_rules_complete_what_is_left_out() {
    let over = people("invector:2x1\na1b1").pop().unwrap();
    assert_eq!((over.result, over.cause, over.reason.as_str()), (GameResult::Black, Cause::Normal, "annihilation"));
    for (result, termination, expected) in [
        ("1/2-1/2", "", (GameResult::Draw, Cause::Normal, "agreement")),
        ("0-1", "", (GameResult::Black, Cause::Normal, "resignation")),
        ("1-0", "time forfeit", (GameResult::White, Cause::Time, "time forfeit")),
        ("*", "unterminated", (GameResult::Unfinished, Cause::Aborted, "unfinished")),
    ] {
        let text = format!(
            "[Event \"Markane 6x6, round 3\"]\n[White \"A\"]\n[Black \"B\"]\n[Termination \"{termination}\"]\n\n\
             1. c3 d6 {result}"
        );
        let game = people(&text).pop().unwrap();
        assert_eq!((game.result, game.cause, game.reason.as_str()), expected);
        assert_eq!(pentalith::arena::replay::Replay::default().check(&game, |_| {}), Ok(()));
        assert_eq!(people(&game.to_text()), [game]);
    }
}

#[test]
fn what_is_wrong_is_named_by_its_place_and_other_games_are_read() {
    let text = "[Variant \"markane:6x6\"]\n[White \"A\"]\n\n1. c3 d6\n2. c3 a1 (a2) *\n\n\
                [Variant \"markane:6x6\"]\n\n1. a1 b5 *\n\n\
                [Variant \"chess\"]\n\n1. e4 e5\n\n\
                [Variant \"markane:6x6\"]\n\n1. a1 (b5 {oops *\n\n\
                [Event \"x\"]\n[Variant \"markane:6x6\"]\n\n1. a1 (f5 (what)) b6 0-1\n\n\
                [Variant \"markane:6x6\"]\n[Result 1-0]\n[FEN \"x b 1 1\"]\n1. a1\n\n\
                [Variant \"markane:6x6\"]\n\n1. f1 *";
    let FileGames { games, damaged, .. } = read_damaged(text, &ReadOptions::default());
    let firsts: Vec<&str> = games.iter().map(|game| game.moves[0].text.as_str()).collect();
    assert_eq!(firsts, ["a1", "f1"]);
    let errors: Vec<String> = damaged.iter().map(|game| game.errors[0].to_string()).collect();
    let expected = [
        "line 5, column 4: \"c3\": illegal move for Black: ",
        "line 11, column 1: \"chess\": game chess: expected one of invector",
        "line 17, column 11: expected } behind the comment",
        "line 22, column 12: expected a move, a comment in braces, or a result, found \"what\"",
        "line 25, column 9: expected the value of the tag in quotation marks, found \"1-0]\"",
    ];
    assert_eq!(errors.len(), expected.len(), "{errors:?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected), "{error}: {expected}");
    }
    let partial: Vec<Option<Vec<&str>>> =
        damaged.iter().map(|game| game.partial.as_ref().map(|game| texts(&game.moves))).collect();
    assert_eq!(partial, [Some(vec!["c3", "d6"]), None, Some(vec!["a1"]), Some(vec!["a1"]), None]);
    assert_eq!(damaged.iter().map(|game| game.place).collect::<Vec<_>>(), [0, 1, 1, 1, 1]);
    let options =
        ReadOptions { variant: pentalith::games::parse_variant("markane:5x5").ok(), ..ReadOptions::default() };
    let read = read_damaged("1. e5 e1\n\n1. a1 *\n\nmarkane:4x4\n\n1. d4 a1 *", &options);
    let variants: Vec<&str> = read.games.iter().map(|game| game.variant.as_str()).collect();
    assert_eq!(variants, ["markane:5x5", "markane:5x5", "markane:4x4"], "{read:?}");
}

#[test]
fn variations_are_bounded_and_large_files_are_read_in_linear_time() {
    let nested = |depth: usize| {
        let turns = ["f5", "a1"];
        let mut text = "[Variant \"markane:6x6\"]\n\na1 ".to_owned();
        (0..depth).for_each(|level| text.push_str(&format!("({} ", turns[level % 2])));
        text + &")".repeat(depth)
    };
    assert_eq!(people(&nested(24)).len(), 1);
    for depth in [25, 100_000] {
        let read = read_damaged(&nested(depth), &ReadOptions::default());
        let error = read.damaged[0].errors[0].to_string();
        assert!(error.starts_with("line 3, column ") && error.ends_with("more than 24 deep"), "{error}");
        assert_eq!(texts(&read.damaged[0].partial.as_ref().unwrap().moves), ["a1"]);
    }
    // Quadratic time would be that of minutes.
    let mut text = String::new();
    for game in 0..10_000 {
        let wrong = if game % 2 == 0 { "" } else { "c3 {<b>&amp;</b>}" };
        text.push_str(&format!("1. c3 d6 {wrong} ({} {{{}}}) * ", "e1", "word ".repeat(40)));
    }
    let options =
        ReadOptions { variant: pentalith::games::parse_variant("markane:6x6").ok(), ..ReadOptions::default() };
    let read = read_damaged(&text, &options);
    assert_eq!((read.games.len(), read.damaged.len()), (5_000, 5_000));
}
