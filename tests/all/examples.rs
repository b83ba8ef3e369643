//! The examples for users of the library.

use std::ffi::OsString;

#[expect(dead_code, reason = "an example has a main function")]
#[path = "../../examples/board.rs"]
mod board;
#[expect(dead_code, reason = "an example has a main function")]
#[path = "../../examples/client.rs"]
mod client;
#[expect(dead_code, reason = "an example has a main function")]
#[path = "../../examples/picture.rs"]
mod picture;

#[test]
fn a_board_is_driven() {
    let mut output = Vec::new();
    board::run(&mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains(" plays a2: ") && text.contains("c3") && text.contains(" wins by "), "{text}");
}

#[test]
fn a_client_plays_a_game() {
    let mut output = Vec::new();
    let words = [env!("CARGO_BIN_EXE_pentalith"), "ugi", "invector:5x4"].map(OsString::from);
    client::run(words, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.lines().count() > 2 && text.ends_with("win\n"), "{text}");
}

#[test]
fn a_picture_is_drawn() {
    let mut output = Vec::new();
    picture::run(&mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.starts_with("<svg ") && text.contains("A capture"), "{text}");
}
