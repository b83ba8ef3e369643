//! Lines that a person may type in the terminal, and the answers of the program.

use std::fs;

use super::{expect, play_in, talk};
use crate::matches::folder;

/// A position of Invictus in which a die of White's waits after `d8c9`.
const RETURNED: &str = "invictus --as both --nodes 200 \
     --position '..w3w1w1..../...b5...../........./........./........./........./........./b1......../......... b 1,2 - 7 41'";

/// A position of Inversion in which `d4` completes two hexes.
const TWO_HEXES: &str = "inversion:3 --nodes 200 --as both --position 'ww./bw.w/wbbww/w.bw/.b. w - 15'";

#[test]
fn legal_says_what_has_to_come_first() {
    expect(
        RETURNED,
        &["legal d8", "d8c9", "legal d9", "d9d8", "legal a2", "legal d5", "2 a6", "legal a2", "legal d5"],
        &[
            "At d8: d8",
            "White has no step at d9: a 2 has to be set first.",
            "Illegal: d9d8: a 2 has to be set first; expected",
            "White has no step at a2: the die there is Black's.",
            "White has no step at d5: White sets a die on an empty space of ranks 6 to 9.",
            "White has no step at a2: the die there is Black's.",
            "White has no step at d5: it is empty.",
        ],
    );
    expect(
        "invictus --as both",
        &["a2", "legal a2", "legal a1"],
        &[
            "Black has no step at a2: a 6 has to be set first.",
            "Black has no step at a1: Black sets up on empty spaces of ranks 2 and 3.",
        ],
    );
    expect(
        TWO_HEXES,
        &["d4", "legal a1", "legal d4", "legal c4"],
        &[
            "White has no step at a1: no hex to invert has this center; pending are d3+c4.",
            "White has no step at d4: no hex to invert has this center; pending are d3+c4.",
            "At c4: c4",
        ],
    );
    expect(
        "gravel:4 --as both --moves 'b2,b2,end c2,c3,d2,b3'",
        &["legal c2", "xc2", "xc2", "xc2", "legal b2", "legal c2", "b2"],
        &["White has no step at c2: White does not control c2: 2 of the"],
    );
}

#[test]
fn what_is_taken_alone_is_taken_within_a_move() {
    // Dice, with and without value, blanks, dashes and crosses.
    expect(
        "invictus --as both",
        &["6a3,3 g3", "1e4", "6a3", "6 b3 6@ c3", "a2", "5-b2 , set c2", "set 4 on d2,place 4@e2", "moves", "3"],
        &[
            "Illegal: 3@g3: the die to set now is a 6. None of these steps was played.",
            "Illegal: 1@e4: the die to set now is a 6.",
            "after 6@a3:",
            "after 6@a3,6@b3,6@c3:",
            "after 6@a3,6@b3,6@c3,5@a2:",
            "after 6@a3,6@b3,6@c3,5@a2,5@b2,5@c2:",
            "after 8 steps: a step that sets a 4",
        ]
        .map(|part| part.replace("after 8 steps", "after 6@a3,6@b3,6@c3,5@a2,5@b2,5@c2,4@d2,4@e2"))
        .each_ref()
        .map(String::as_str),
    );
    for typed in [
        "a6,e9xd8",
        "a6,e9-d8",
        "2a6 e9 d8",
        "a6 , e9 x d8",
        "a6 e9 - d8",
        "2 on a6, move e9 to d8",
        "set a6,move e9-d8",
    ] {
        expect(RETURNED, &["d8c9", typed, "moves"], &["1. d8c9 2. 2@a6,e9d8"]);
    }
    expect(
        RETURNED,
        &["d8c9", "a6,e9xk8", "a6,e9xh9", "a6 e9-e8,d9d8", "f4,e9d8", "d9 c8"],
        &[
            "Not a move: \"a6,e9xk8\", column 6: expected a column from a to j, without i, found \"xk8\". None of",
            "Illegal: e9h9: ",
            "None of these steps was played.",
            "Illegal: d9d8: White's move is complete before it. Leave it out. None of",
            "Illegal: 2@f4: White sets a die on an empty space of ranks 6 to 9. None of",
            "Illegal: d9c8: a 2 has to be set first;",
        ],
    );
    // Two cells may be two placements or one relocation.
    expect(
        "gravel:4 --as both",
        &["b2 c2", "b2-c2", "return c2", "moves", "remove b2", "move b2 a1"],
        &["1. b2,c2,b2c2,-c2", "Illegal: xb2: there is no enemy piece on b2."],
    );
}

#[test]
fn words_say_what_a_step_does() {
    expect(
        TWO_HEXES,
        &["invert d4", "place d4", "place d3", "invert d6", "invert d3", "moves"],
        &[
            "Not a step now: \"invert d4\". Expected: place a stone, such as a1.",
            "after d4: the center of the hex to invert next",
            "Not a step now: \"place d3\". Expected: the center of the hex to invert next, such as d3.",
            "Not a step now: \"invert d6\". Expected: the center",
            "1. d4,d3",
        ],
    );
    expect(
        "markane:4x4 --as both",
        &["place c3", "place c3", "remove c3", "moves"],
        &["Illegal: c3: the pit is occupied.", "Not a step now: \"remove c3\". Expected: place a stone", "1. c3"],
    );
    expect("invector:5x4 --as both", &["move c3 to c4", "move d1 c1", "moves"], &["1. c3c4 2. d1c1"]);
}

#[test]
fn errors_offer_only_what_is_legal() {
    expect(
        "gravel:4,pie=on --as both --moves 'b2,b2,end'",
        &["n", "n", "a1", "n", "z9", "a1,n", "c9", ","],
        &[
            "column 1: expected a step such as a1 or swap, found \"n\"",
            "column 1: expected a step such as a1, -a1 or end, found \"n\"",
            "Not a move: \"z9\", column 1: expected a column from a to d, found \"z9\".",
            "\"a1,n\", column 4: expected a step such as a1, -a1 or end, found \"n\". None of",
            "\"c9\", column 2: expected a rank from 1 to 4 in column c, found \"9\".",
            "\",\", column 1: expected a step such as a1, -a1 or end, found \",\".",
        ],
    );
}

#[test]
fn options_alone_change_the_present_variant() {
    expect(
        "markane:6x6,pie=on --as both",
        &[
            "new 4x4",
            "new pie=off",
            "new 5x5 pie=on",
            "new pie=maybe",
            "new x=3",
            "new 99x1",
            "new chess 4x4",
            "new markane",
            "new Pie=ON",
            "new invictus stall=5",
            "new 6x6",
        ],
        &[
            "> new 4x4 markane:4x4,pie=on: ",
            "> new pie=off markane:4x4: ",
            "> new 5x5 pie=on markane:5x5,pie=on: ",
            "Bad variant: \"pie=maybe\": \"pie=maybe\": pie is on or off",
            "Bad variant: \"x=3\": item \"x=3\": expected an item of markane: ",
            "Bad variant: \"99x1\": size 99x1: a size is",
            "Bad variant: \"chess 4x4\": game chess: expected one of invector,",
            "> new markane markane:8x8: ",
            "> new Pie=ON markane:8x8,pie=on: ",
            "> new invictus stall=5 invictus:stall=5: ",
            "Bad variant: \"6x6\": item \"6x6\": expected an item of invictus: the board is always 9x9",
        ],
    );
}

#[test]
fn the_next_game_begins_without_the_last_ones_moves() {
    // A finished game is left without a word.
    let over = talk(
        "markane:4x4 --as both --moves 'a2 d4 b1 c3 a4 d2 b3 c1'",
        &["d1,d3,c4", "new", "a1", "resign", "new 5x5", "quit"],
    );
    assert!(over.contains("You have won") || over.contains("Black wins"), "{over}");
    assert!(!over.contains("--moves"), "{over}");
    // One that goes on is not lost, unless its command would fill the screen: then the person is asked.
    let moves = "c3 d5 a1 f6 a3 d3 e1 b5";
    expect(
        &format!("markane:6x6 --as both --moves '{moves}'"),
        &["c1", "new"],
        &["To go on later with the game that you leave, quit the program and type: pentalith play markane:6x6 --as \
             both --moves 'c3 d5 a1 f6 a3 d3 e1 b5 c1' markane:6x6: Place"],
    );
    let setups = "invictus --as both --nodes 50";
    expect(
        setups,
        &["go", "go", "go", "go", "go", "go", "go", "go", "new", "n", "moves", "new", "y", "moves"],
        &[
            "This game is not over, and save FILE has not saved it. Leave it? [y/N] n The game continues.",
            "1. 6@",
            "Leave it? [y/N] y invictus: March",
            "No move has been played.",
        ],
    );
}

#[test]
fn the_command_that_goes_on_breaks_only_between_steps() {
    let folder = folder("play-long");
    let said = play_in(&folder, "play invictus --as both --nodes 50", "go\ngo\ngo\n");
    let (_, command_lines) = said.split_once("To resume this game, type:\n").unwrap();
    let lines: Vec<&str> = command_lines.lines().collect();
    assert!(lines.len() > 2, "{said}");
    for line in &lines {
        assert!(line.len() <= 80, "{line}");
        assert!(!line.ends_with([',', '@']), "{line}");
    }
    let arguments = command_lines.trim_end().strip_prefix("pentalith ").unwrap();
    let again = play_in(&folder, arguments, "moves\n");
    let moves = |said: &str| {
        let (_, moves) = said.split_once("> moves\n").unwrap();
        let (moves, _) = moves.split_once("\n\nTurn").unwrap_or((moves, ""));
        moves.lines().take_while(|line| !line.starts_with("White>")).collect::<String>()
    };
    let before = play_in(&folder, "play invictus --as both --nodes 50", "go\ngo\ngo\nmoves\n");
    assert_eq!(moves(&before), moves(&again));
}

#[test]
fn undo_takes_back_whole_turns() {
    let typed = ["b3", "b4", "b4b3", "-b3"];
    let steps = "b3,b4,b4b3,-b3";
    // Step by step and on one line.
    let one_by_one: Vec<&str> = typed.iter().copied().chain(["undo", "moves", "redo", "moves", "undo 3"]).collect();
    for lines in [&one_by_one[..], &[steps, "undo", "moves", "redo", "moves", "undo 3"]] {
        expect(
            "gravel:4,x=4 --nodes 50",
            lines,
            &[
                &format!("Taken back: White {steps} and Black "),
                "redo plays it again.",
                "No move has been played.",
                &format!("White plays {steps}. Black plays "),
                &format!("1. {steps} 2. "),
                &format!("Taken back: White {steps} and Black "),
            ],
        );
    }
    // Within a turn, what was typed last.
    expect(
        "gravel:4,x=4 --as both",
        &["b2,end", "b3", "c3,b3", "undo", "moves", "undo 2", "moves", "redo", "redo", "redo", "moves"],
        &[
            "Taken back: Black c3,b3.",
            "1. b2,end 2. b3",
            "Taken back: Black b3.",
            "Taken back: White b2,end.",
            "No move has been played.",
            "White plays b2,end.",
            "Black plays b3.",
            "Black plays c3,b3.",
            "1. b2,end 2. b3,c3,b3",
        ],
    );
}

#[test]
fn rules_need_no_pictures_and_name_commands_of_play() {
    let commands = talk("markane:4x4", &["help"]);
    for game in ["invector", "gravel", "markane", "inversion", "invictus"] {
        let page = fs::read_to_string(format!("protocol/games/{game}.md")).unwrap();
        let said = talk(game, &["rules"]);
        let rules = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for side in ["on the left", "on the right", "On the left", "On the right"] {
            // Ranks of a hexagonal board are on the left of the drawing.
            let known = if game == "inversion" { 1 } else { 0 };
            assert!(rules.matches(side).count() <= known, "{game}: {side}");
        }
        // Commands that the page of GTP has are commands of play, too.
        if page.contains("`position`") {
            assert!(commands.contains("\n  position "), "{commands}");
        }
        for (command, answer) in [("showboard", "Turn "), ("position", "\n")] {
            let said = talk(game, &[command]);
            assert!(!said.contains("command"), "{said}");
            assert!(said.contains(answer), "{said}");
        }
    }
    expect(TWO_HEXES, &["d4", "position"], &["ww./bwww/wbbww/w.bw/.b. w d3+c4 15"]);
}

#[test]
fn go_plays_the_turn_that_hint_shows() {
    let said = talk(RETURNED, &["d8c9", "hint", "go", "moves"]);
    let (_, rest) = said.split_once("The engine would play ").unwrap();
    let (hinted, rest) = rest.split_once(":\n").unwrap();
    assert!(hinted.starts_with("2@") && hinted.contains(','), "{said}");
    assert!(rest.contains(&format!("1. d8c9 2. {hinted}\n")), "{said}");
}

#[test]
fn proofs_and_ends_are_told_exactly() {
    expect(
        "inversion:3 --nodes 20000 --as both --position 'ww./bw.w/wbbww/w.bw/.b. w - 15'",
        &["hint"],
        &["Then ", " wins within ", " moves, counting those of both players, which is proven."],
    );
    // The end of a game with dice.
    expect(
        "invictus --as both --position '........./.......b2./........./........./........./........./........./w2......../......... b 9,12 - 0 41'",
        &["h8h9"],
        &[": the higher score when Black has no die left on the board (score)."],
    );
    expect(
        "invictus:stall=1 --as both --position '........./.......b2./........./........./........./........./........./w2......../......... b 9,12 - 0 41'",
        &["h8g8"],
        &[" after 1 turn in a row without a capture or a step forward (score)."],
    );
    expect(
        "invector:5x4 --as w --nodes 100",
        &["swap"],
        &["You play swap: ", "You are still White: the white pieces are yours now, and were Black's."],
    );
}

#[test]
fn advice_has_not_happened_and_a_finished_game_keeps_its_result() {
    let joined = |said: String| said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = joined(talk("invector:5x4 --as w --nodes 100", &["hint"]));
    let pieces = "You are still White: the white pieces would be yours, and are Black's.";
    assert!(said.contains("would play swap") && said.contains(pieces), "{said}");
    assert!(!said.contains("are yours now"), "{said}");
    let said = joined(talk("markane:3x3 --as b --nodes 20", &["resign", "as w"]));
    let (_, after) = said.split_once("The engine has won").unwrap();
    let words = "You are White from now on. new begins another game, undo goes back.";
    assert!(after.contains(words), "{said}");
    assert!(!after.contains("won"), "{said}");
}

#[test]
fn signs_between_two_cells_are_left_out() {
    for sign in ["", "-", "x", "X", "×", ":", "->", "=>", ">", "→", "–", "—", "/", "="] {
        for typed in [format!("a1{sign}b1"), format!("A1 {sign} B1"), format!("a1{sign} b1"), format!("a1 {sign}b1")] {
            expect("invector:5x4 --as both", &[&typed, "moves"], &["1. a1b1"]);
        }
    }
    expect("invictus --as both", &["6:a2", "6 = b2", "moves"], &["1. 6@a2,6@b2"]);
    // A column may be called x.
    expect("gravel:25 --as both", &["x2", "x3", "x2xx3", "moves"], &["1. x2,x3,x2x3"]);
    expect("gravel:25 --as both", &["a1", "xx3"], &["Illegal: xx3: there is no enemy piece on x3."]);
    expect("markane:4x4 --as both", &["a1:b1"], &["Not a move: \"a1:b1\", column 3: expected"]);
}

#[test]
fn errors_quote_whole_words() {
    for (word, shown) in [("foo", "foo"), ("Bar", "Bar"), ("foo,c3", "foo"), ("  foo bar", "foo"), ("each b1", "each")]
    {
        let neither = format!("\"{shown}\" is neither a move nor a command: help lists");
        expect("markane:6x6 --as both", &[word], &[&neither]);
    }
    expect("markane:6x6 --as both", &["boar"], &["\"boar\" is neither a move nor a command: did you mean \"board\"?"]);
}

#[test]
fn files_are_named_as_in_a_shell() {
    let folder = folder("play-names");
    let said = play_in(
        &folder,
        "play markane:6x6 --as both",
        "c3\nsave ~/home.pgn\nsave \"two words.pgn\"\nsave 'it is.pgn'\nsave a\\ b.pgn\nsave Bob's.pgn\nsave \"open\n\
         load \"two words.pgn\" 1\nload ~/home.pgn\n",
    );
    for file in ["home.pgn", "two words.pgn", "it is.pgn", "a b.pgn", "Bob's.pgn"] {
        assert!(folder.join(file).is_file(), "{file}: {said}");
    }
    assert!(said.contains("\"\"open\": a quotation mark at the end is missing."), "{said}");
    assert_eq!(said.matches(", 1 move.").count(), 2, "{said}");
}

#[test]
fn the_dice_that_are_left_are_listed() {
    expect(
        "invictus --as both",
        &["a2", "b2,c2,a3,b3"],
        &[
            "to be set up: 6 dice left to set: 6 6 6 5 5 5 4 4 4 3 3 3 2 2 2 1 1 1",
            "dice left to set: 6 6 5 5 5",
            "to be set up: 5 dice left to set: 5 4 4 4",
        ],
    );
    // One that returned is named by the status.
    let said = talk(RETURNED, &["d8c9"]);
    assert!(said.contains("to be set again: 2\n") && !said.contains("dice left"), "{said}");
}

#[test]
fn center_pits_are_marked() {
    expect(
        "invector:5x4 --as both",
        &["c1c2"],
        &["2 w b {w} b w 2", "{ } the center pits", "3 b w {b} w b 3 2 w b (b) b w 2"],
    );
    let said = talk("invector:3x2 --as both --moves 'b2c2 a2a1'", &["board"]);
    assert!(said.contains("{.}"), "{said}");
    assert!(!talk("markane:4x4", &["board"]).contains("center"));
}

#[test]
fn a_review_names_what_decided_the_game() {
    let joined = |said: String| said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = joined(talk("markane:4x4 --as both --nodes 300", &["review", "a1", "d4", "a4", "d1", "b2", "review"]));
    assert!(said.contains("No move has been played."), "{said}");
    let decided = said.contains("What decided it:") && said.contains(" became a");
    assert!(decided || said.contains("No mistake was found."), "{said}");
}
