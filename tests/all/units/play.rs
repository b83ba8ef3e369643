//! The terminal of `pentalith play`: its terminal, its board and its words.

use std::collections::HashMap;

use pentalith::cli::play::board::{Marks, cells, draw};
use pentalith::cli::play::terminal::{Colors, Terminal, Window};
use pentalith::cli::play::text::{table, wrap};
use pentalith::cli::progress::with_time_left;
use pentalith::rules::Color;
use pentalith::text::list;

use crate::talk::session;

#[test]
fn lines_break_between_words() {
    assert_eq!(wrap("", 10, 0), [""]);
    assert_eq!(wrap("one two three", 80, 2), ["one two three"]);
    assert_eq!(wrap("one two three four", 9, 2), ["one two", "  three", "  four"]);
    assert_eq!(wrap("  a  b", 80, 0), ["  a  b"]);
    assert_eq!(wrap("  name   some words", 14, 9), ["  name   some", "         words"]);
    // A long word stands alone, and a letter may have more bytes than one.
    assert_eq!(wrap("a veryverylongword b", 8, 0), ["a", "veryverylongword", "b"]);
    assert_eq!(wrap("●●● ○○○", 7, 0), ["●●● ○○○"]);
    for width in 1..40 {
        for line in wrap("c3 d4 e5 f6 g7 h8 the stone on c3 takes the stone on c4", width, 0) {
            assert!(line.chars().count() <= width.max(5), "{width}: {line}");
        }
    }
}

#[test]
fn words_are_joined() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(list(&words(""), "and"), "");
    assert_eq!(list(&words("a"), "and"), "a");
    assert_eq!(list(&words("a b c"), "or"), "a, b or c");
}

fn terminal(is_terminal: bool, variables: &[(&str, &str)]) -> Terminal {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    Terminal::of(is_terminal, Some(Window { columns: 100, rows: 24 }), |name| {
        variables.get(name).map(|&value| value.to_owned())
    })
}

#[test]
fn the_environment_chooses_the_look() {
    let utf8 = ("LANG", "en_US.UTF-8");
    let term = ("TERM", "xterm-256color");
    assert_eq!(terminal(false, &[term, utf8]), Terminal::PLAIN);
    assert_eq!(terminal(true, &[("TERM", "dumb"), utf8]), Terminal::PLAIN);
    assert_eq!(terminal(true, &[utf8]), Terminal::PLAIN);
    let full = terminal(true, &[term, utf8]);
    assert_eq!((full.colors, full.is_unicode, full.width), (Colors::Many, true, 100));
    assert_eq!(terminal(true, &[("TERM", "linux"), utf8]).colors, Colors::Few);
    assert_eq!(terminal(true, &[("TERM", "xterm"), ("COLORTERM", "truecolor")]).colors, Colors::Many);
    // Terminals without colors, whatever another variable says.
    for name in ["vt100", "vt220", "xterm-mono", "linux-m"] {
        assert_eq!(terminal(true, &[("TERM", name), ("COLORTERM", "truecolor")]).colors, Colors::None, "{name}");
    }
    // NO_COLOR counts if it is not empty.
    assert_eq!(terminal(true, &[term, utf8, ("NO_COLOR", "1")]).colors, Colors::None);
    assert_eq!(terminal(true, &[term, utf8, ("NO_COLOR", "")]).colors, Colors::Many);
    // The first variable of the locale that is set counts.
    for (variables, is_unicode) in [
        (&[("LC_ALL", "C"), utf8][..], false),
        (&[("LC_ALL", ""), utf8][..], true),
        (&[("LC_CTYPE", "de_DE.utf8"), ("LANG", "C")][..], true),
        (&[("LANG", "de_DE.ISO-8859-1")][..], false),
        (&[("LANG", "ja_JP.UTF-8")][..], false),
        (&[][..], false),
    ] {
        let variables: Vec<(&str, &str)> = variables.iter().copied().chain([term]).collect();
        assert_eq!(terminal(true, &variables).is_unicode, is_unicode, "{variables:?}");
    }
}

#[test]
fn tables_have_columns_that_fit() {
    let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let rows = [
        row(&["step", "meaning"]),
        row(&["c3", "a piece from the Pool into c3"]),
        row(&["end", "the end of the turn before X actions are used"]),
    ];
    insta::assert_snapshot!(table(&rows, 80).join("\n"), @r"
    step  meaning
    ----  ---------------------------------------------
    c3    a piece from the Pool into c3
    end   the end of the turn before X actions are used
    ");
    insta::assert_snapshot!(table(&rows, 30).join("\n"), @r"
    step  meaning
    ----  ------------------------
    c3    a piece from the Pool
          into c3
    end   the end of the turn
          before X actions are
          used
    ");
    assert_eq!(table(&[], 80), [""; 0]);
    for width in 0..20 {
        assert!(table(&rows, width).len() >= 4);
    }
}

#[test]
fn progress_names_its_numbers() {
    use std::time::Duration;
    let text = |played, left, is_limit| {
        with_time_left("1,024 nodes per move".to_owned(), played, Duration::from_secs(10), left, is_limit)
    };
    assert_eq!(text(10, 72, true), "1,024 nodes per move, at most 72 s left");
    assert_eq!(text(10, 720, false), "1,024 nodes per move, about 12 min left");
    assert_eq!(text(0, 72, true), "1,024 nodes per move");
    assert_eq!(text(72, 0, true), "1,024 nodes per move");
}

#[test]
fn boards_fit_the_window() {
    for variant in ["markane:25x3", "markane:12x12", "gravel:9", "invector:8x7", "invictus", "inversion:5"] {
        let session = session(variant);
        for columns in 8..100 {
            let window = Some(Window { columns, rows: 24 });
            for is_unicode in [false, true] {
                let terminal = Terminal { is_unicode, window, ..Terminal::PLAIN };
                let drawn = draw(&session.picture(), &Marks::of(["a1", "b1"]), terminal);
                let words = ["needs", "window", "columns", "Black,"];
                for line in &drawn {
                    let fits = line.chars().count() <= columns || words.iter().any(|word| line.contains(word));
                    assert!(fits, "{variant} in {columns}: {line}");
                }
                let must_fit = columns >= 40 || columns >= 9 && variant != "inversion:5";
                assert!(!must_fit || !drawn.join(" ").contains("needs"), "{variant} in {columns}: {drawn:?}");
            }
        }
    }
    let mut game = session("gravel:8");
    game.play(Color::White, "a1,a1,b1,end", false).unwrap();
    game.play(Color::Black, "b2,b2,h1", false).unwrap();
    let picture = game.picture();
    let narrow = |columns| {
        let terminal = Terminal { window: Some(Window { columns, rows: 24 }), ..Terminal::PLAIN };
        draw(&picture, &Marks::of(["b2", "h1"]), terminal)
            .into_iter()
            .rev()
            .take(4)
            .rev()
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(narrow(37), @r"
    3  .   .   .   .   .   .   .   .   3
    2  .  (b2) .   .   .   .   .   .   2
    1  w2  w1  .   .   .   .   .  (b1) 1
       a   b   c   d   e   f   g   h
    ");
    insta::assert_snapshot!(narrow(30), @r"
    3  .  .  .  .  .  .  .  .   3
    2  . (b2).  .  .  .  .  .   2
    1  w2 w1 .  .  .  .  . (b1) 1
       a  b  c  d  e  f  g  h
    ");
    insta::assert_snapshot!(narrow(20), @r"
    3  .  .  .  .   3
    2  .  .  .  .   2
    1  .  .  . (b1) 1
       e  f  g  h
    ");
    let terminal = Terminal { window: Some(Window { columns: 24, rows: 24 }), ..Terminal::PLAIN };
    let drawn = draw(&session("inversion:4").picture(), &Marks::of(["d4", "e4", "a1"]), terminal);
    insta::assert_snapshot!(drawn.join("\n"), @r"
       d7  . . . .
      c6  . . . . .
     b5  . . . . . .
    a4  . . .(.|.). .
     a3  . . . . . . \
      a2  . . . . . \ \
       a1 (.). . . \ \ \
            a b c d e f g
    ");
}

#[test]
fn steps_name_their_cells() {
    assert_eq!(cells("c3d14"), ["c3", "d14"]);
    assert_eq!(cells("xx3"), ["x3"]);
    assert_eq!(cells("6@B2"), ["b2"]);
    assert_eq!(cells("-c3"), ["c3"]);
    assert_eq!(cells("swap"), [""; 0]);
    let marks = Marks::of(["c3d4", "xc3", "end"]);
    assert_eq!((marks.targets, marks.origins), (vec!["d4".to_owned(), "c3".to_owned()], vec!["c3".to_owned()]));
}

#[test]
fn boards_are_drawn_as_the_terminal_can() {
    let mut game = session("inversion:3");
    game.set_position("ww./bw.w/wbbww/w.bw/.b. w - 15").unwrap();
    game.play(Color::White, "d4", false).unwrap();
    let unicode = Terminal { is_unicode: true, is_terminal: true, ..Terminal::PLAIN };
    let marks = Marks::of(["d4"]);
    let drawn = draw(&game.picture(), &marks, Terminal::PLAIN);
    insta::assert_snapshot!(drawn.join("\n"), @r"
        c5  w   w   .
      b4  b  [w] (w)  w
    a3  w   b   b  [w]  w
      a2  w   .   b   w   \
        a1  .   b   .   \   \
              a   b   c   d   e
    ");
    let drawn = draw(&game.picture(), &marks, unicode);
    insta::assert_snapshot!(drawn.join("\n"), @r"
         c5  ○   ○   ·
       b4  ●  [○] (○)  ○
     a3  ○   ●   ●  [○]  ○
       a2  ○   ·   ●   ○   \
         a1  ·   ●   ·   \   \
               a   b   c   d   e
    ● Black, ○ White
    ");

    let mut game = session("gravel:2");
    game.play(Color::White, "a1,a1,b1,end", false).unwrap();
    game.play(Color::Black, "b2,end", false).unwrap();
    for colors in [Colors::Few, Colors::Many] {
        let colored = Terminal { colors, ..unicode };
        let drawn = draw(&game.picture(), &Marks::of(["b2", "end"]), colored).join("\n");
        // Every line ends without colors, and without them it is the plain one.
        let mut plain = String::new();
        for part in drawn.split('\x1b') {
            let text = part.split_once('m').filter(|_| part.starts_with('['));
            plain.push_str(text.map_or(part, |(_, text)| text));
        }
        assert!(drawn.lines().all(|line| line.matches('\x1b').count() == 0 || line.contains("\x1b[0m ")), "{drawn}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(plain, @r"
                a   b
             2  ·  (●1) 2
             1  ●2  ●1  1
                a   b
            ");
        }
        let [black, white] = match colors {
            Colors::Few => ["\x1b[30;42m(●1)", "\x1b[1;37;43m ●2 "],
            _ => ["\x1b[38;5;16;48;5;71m(●1)", "\x1b[38;5;231;48;5;179m ●2 "],
        };
        assert!(drawn.contains(black) && drawn.contains(white), "{drawn:?}");
    }
}

#[test]
fn steps_are_told_in_words() {
    let mut told = Vec::new();
    for (variant, position, moves) in [
        ("invector:5x4", None, "c3c4"),
        ("invector:5x4", None, "c3c4 swap"),
        ("markane:4x4", Some("b..w/.bw./b..w/.bw. b 1 9"), "d1,d3,c4"),
        ("gravel:4", None, "b2,b2,end b1,a2,c2"),
        ("gravel:4", None, "b2,b3,b2b3,-b3"),
        ("gravel:5", None, "c3,c3,end d3,b3,xc3,xc3"),
        ("inversion:3", Some("ww./bw.w/wbbww/w.bw/.b. w - 15"), "d4,d3"),
        ("invictus", None, "6@c2"),
        (
            "invictus",
            Some(
                "..w3w1w1..../...b5...../........./........./........./........./........./b1......../......... b 1,2 - 7 41",
            ),
            "d8c9 2@c9",
        ),
        (
            "invictus",
            Some(
                "..w3w1w1..../...b5...../........./........./........./........./........./b1......../......... b 1,2 - 7 41",
            ),
            "d8e9",
        ),
    ] {
        let mut game = session(variant);
        if let Some(position) = position {
            game.set_position(position).unwrap();
        }
        for made in moves.split(' ') {
            let side = game.side();
            for step in made.split(',') {
                let found = game.board().find_step(step).unwrap();
                let said = game.board().narrate(found);
                game.play(side, step, false).unwrap();
                let effects = if said.has_effects { " !" } else { "" };
                told.push(format!("{side} {step}: {}{effects}", said.clause));
            }
        }
    }
    insta::assert_snapshot!(told.join("\n"), @r"
    Black c3c4: the stone on c3 takes the stone on c4 !
    Black c3c4: the stone on c3 takes the stone on c4 !
    White swap: every piece changes its color, so White has the position of Black !
    Black d1: a stone on d1, which captures c1 !
    Black d3: a stone on d3, which captures d2 and c3 !
    Black c4: a stone on c4, which captures d4 !
    White b2: a piece from the Pool to b2
    White b2: a piece from the Pool to b2, which now holds 2
    White end: the turn ends
    Black b1: a piece from the Pool to b1
    Black a2: a piece from the Pool to a2
    Black c2: a piece from the Pool to c2
    White b2: a piece from the Pool to b2
    White b3: a piece from the Pool to b3
    White b2b3: a piece from b2 to b3, which now holds 2 !
    White -b3: a piece from b3 back to the Pool !
    White c3: a piece from the Pool to c3
    White c3: a piece from the Pool to c3, which now holds 2
    White end: the turn ends
    Black d3: a piece from the Pool to d3
    Black b3: a piece from the Pool to b3
    Black xc3: removes a piece of White's from c3, which still holds 1 !
    Black xc3: removes White's piece from c3, which is empty now !
    White d4: a stone on d4, which completes the hexes around d3 and c4 !
    White d3: inverts the hex around d3, then the last one, around c4; together this turns d2, d3, e3 and e4 black and turns b3, c3 and b4 white !
    Black 6@c2: a 6 on c2
    Black d8c9: the 5 on d8 takes the 3 on c9, which White sets again as a 2; the 5 arrives and scores 5 !
    White 2@c9: a 2 on c9
    Black d8e9: the 5 on d8 takes the 1 on e9, which leaves play and scores 1; the 5 arrives and scores 5 !
    ");
}
