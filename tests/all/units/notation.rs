//! Pieces of notation, errors, positions and diagrams.

use nom::character::complete::char;
use pentalith::board::{Cell, Shape, column_letter};
use pentalith::notation::diagram::diagram;
use pentalith::notation::pieces::{cell, color, expect, read};
use pentalith::notation::position::write_board;
use pentalith::notation::{PositionReader, form};
use pentalith::text::{cut, quote};

/// Marks the last move's cells, neighbors among them, on boards with narrow and with wide gaps.
#[test]
fn cells_of_the_last_move_are_in_parentheses() {
    let drawn = |shape: &Shape, width, labels: &[&str]| {
        let is_last = |cell| labels.contains(&shape.label(cell).as_str());
        diagram(shape, width, |_| ".".to_owned(), is_last)
    };
    insta::assert_snapshot!([
        drawn(&Shape::rectangle(4, 2), 1, &["a1", "b1", "d1", "b2"]),
        drawn(&Shape::rectangle(3, 1), 2, &["a1", "b1"]),
        drawn(&Shape::hexagon(2), 1, &["a1", "b1", "c3"]),
        drawn(&Shape::hexagon(2), 2, &["a1", "b1", "c3"]),
    ].join("\n\n"), @r"
      a b c d
    2 .(.). . 2
    1(.|.).(.)1
      a b c d

      a  b  c
    1(. |. ).  1
      a  b  c

     3 .(.)
    2 . . .
     1(.|.)\
        a b c

      3 .  (. )
    2 .   .   .
      1(. )(. ) \
          a   b   c
    ");
}

#[test]
fn the_diagrams_look_like_the_boards() {
    let stone = |cell: Cell| ["b", "w", "."][cell.index() % 3].to_owned();
    let die = |cell: Cell| format!("b{}", cell.index() % 7);
    let drawn = [
        diagram(&Shape::rectangle(11, 3), 1, stone, |_| false),
        diagram(&Shape::hexagon(3), 1, stone, |_| false),
        diagram(&Shape::hexagon(3), 2, die, |_| false),
    ];
    insta::assert_snapshot!(drawn.join("\n\n"), @r"
      a b c d e f g h j k l
    3 w . b w . b w . b w . 3
    2 . b w . b w . b w . b 2
    1 b w . b w . b w . b w 1
      a b c d e f g h j k l

      5 w . b
     4 b w . b
    3 w . b w .
     2 b w . b \
      1 b w . \ \
         a b c d e

        5 b2  b3  b4
      4 b5  b6  b0  b1
    3 b0  b1  b2  b3  b4
      2 b3  b4  b5  b6  \
        1 b0  b1  b2  \   \
            a   b   c   d   e
    ");
}

#[test]
fn every_column_of_a_hexagon_has_its_letter_in_one_row_below() {
    let middle = |cell: Cell| [".", "b"][usize::from(cell.index() == 30)].to_owned();
    let drawn = diagram(&Shape::hexagon(5), 1, middle, |_| false);
    insta::assert_snapshot!(drawn, @r"
         9 . . . . .
        8 . . . . . .
       7 . . . . . . .
      6 . . . . . . . .
     5 . . . . b . . . .
      4 . . . . . . . . \
       3 . . . . . . . \ \
        2 . . . . . . \ \ \
         1 . . . . . \ \ \ \
            a b c d e f g h j
    ");
}

#[test]
fn a_cell_of_a_hexagon_stands_on_the_line_from_its_letter() {
    for side in 1..=13 {
        let shape = Shape::hexagon(side);
        for width in 1..=3 {
            for cell in shape.cells() {
                let stone = |c| if c == cell { "b" } else { "." }.to_owned();
                let drawn = diagram(&shape, width, stone, |_| false);
                let lines: Vec<&str> = drawn.lines().rev().collect();
                let (x, y) = shape.coordinates(cell);
                let line = lines[usize::from(y) + 1];
                assert!(line.trim_start().starts_with(&format!("{} ", y + 1)));
                let right = usize::from(y + 1) * (width / 2 + 1);
                let column = line.find('b').unwrap() + right;
                assert_eq!(&lines[0][column..=column], column_letter(x).to_string());
            }
        }
    }
}

#[test]
fn long_texts_are_cut_between_characters() {
    let long = "é".repeat(1_000_000);
    assert_eq!(quote(&long).chars().count(), 80 + 3);
    assert_eq!(quote("a b"), "\"a b\"");
}

#[test]
fn what_nobody_sees_is_shown() {
    let quoted = quote("\u{feff}a\tb\u{200b}\u{a0}\r\u{1b}");
    assert_eq!(quoted, r#""\u{feff}a\tb\u{200b}\u{a0}\r\u{1b}""#);
    let seen = r#"é 😀 → \ ' " ÷"#;
    assert_eq!(cut(seen), seen);
}

#[test]
fn a_form_has_marks_for_cells_and_numbers() {
    for (text, expected) in [
        ("6@a2", "9@#"),
        ("c3", "#"),
        ("C13d4", "##"),
        ("-c3", "-#"),
        ("xc3", "x#"),
        ("xx3", "x#"),
        ("end", "end"),
        ("", ""),
        ("c", "c"),
        ("12", "9"),
    ] {
        assert_eq!(form(text), expected, "{text}");
    }
}

fn cell_error(shape: &Shape, text: &str) -> String {
    read(text, cell(shape)).unwrap_err().to_string()
}

#[test]
fn cells_read_in_any_case_and_say_what_is_wrong() {
    let board = Shape::rectangle(9, 7);
    for each in board.cells() {
        assert_eq!(read(&board.label(each), cell(&board)), Ok(each));
        assert_eq!(read(&board.label(each).to_uppercase(), cell(&board)), Ok(each));
    }
    let errors =
        ["i3", "c8", "c0", "c03", "c", "", "c3x", "é1", "c99999999999"].map(|text| cell_error(&board, text)).join("\n");
    insta::assert_snapshot!(errors, @r#"
    "i3", column 1: expected a column from a to j, without i, found "i3"
    "c8", column 2: expected a rank from 1 to 7 in column c, found "8"
    "c0", column 2: expected a rank from 1 to 7 in column c, found "0"
    "c03", column 2: expected a rank from 1 to 7 in column c, found "03"
    "c", column 2: expected a rank from 1 to 7 in column c, found the end
    "", column 1: expected a column from a to j, without i, found the end
    "c3x", column 3: expected the end, found "x"
    "é1", column 1: expected a column from a to j, without i, found "é1"
    "c99999999999", column 2: expected a rank from 1 to 7 in column c, found "99999999999"
    "#);
}

#[test]
fn no_error_expects_nothing() {
    for text in ["", "x", "tax"] {
        let error = read(text, nom::bytes::complete::tag("tag")).unwrap_err();
        assert_eq!(error.expected, "something else");
    }
    let error = read("b", (char('b'), expect("a c", char('c')))).unwrap_err();
    assert_eq!(error.expected, "a c");
}

#[test]
fn a_column_of_a_hexagon_has_its_own_ranks() {
    let board = Shape::hexagon(3);
    assert_eq!(cell_error(&board, "a4"), "\"a4\", column 2: expected a rank from 1 to 3 in column a, found \"4\"");
    assert_eq!(cell_error(&board, "e2"), "\"e2\", column 2: expected a rank from 3 to 5 in column e, found \"2\"");
}

#[test]
fn every_bad_rank_is_named_with_its_column() {
    let shape = Shape::hexagon(2);
    let mut reader = PositionReader::new("b./.w.w/b.b b", &["board", "side"]).unwrap();
    assert_eq!(reader.board(&shape, "b, w", color), None);
    insta::assert_snapshot!(reader.finish(None::<()>).unwrap_err(), @r#""b./.w.w/b.b b": board (column 4): rank 2 needs 3 cells, has 4; board (column 9): rank 1 needs 2 cells, has 3"#);
}

#[test]
fn a_board_reads_and_prints_the_same() {
    let shape = Shape::hexagon(2);
    let text = "b./.wb/w.";
    let mut reader = PositionReader::new(text, &["board"]).unwrap();
    let cells = reader.board(&shape, "b, w", color).unwrap();
    let printed = write_board(&shape, |cell| cells[cell.index()].map_or('.', |color| color.letter()));
    assert_eq!(printed, text);
}

#[test]
fn a_wrong_number_of_fields_says_which_there_should_be() {
    let error = PositionReader::new("b./ww  b", &["board", "side", "turn"]).err();
    insta::assert_snapshot!(error.unwrap(), @r#""b./ww  b": position (column 9): needs 3 fields (board, side, turn), has 2"#);
}
