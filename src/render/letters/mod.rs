//! Letters and digits of pictures: their form, the widths of texts, and breaking them into lines.

mod strokes;

pub(super) use strokes::Strokes;

/// The form of the letters and digits in a picture.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Letters {
    /// Text in a font of the reader's machine, which can be searched and copied.
    #[default]
    Text,
    /// Strokes that look the same everywhere. Characters outside ASCII become boxes.
    Strokes,
}

/// Widths of the characters from space to `~`, in hundredths of the font size: those of DejaVu Sans and Verdana, the
/// widest of the common fonts, whichever is larger. Our own strokes are narrower.
const WIDTHS: [u8; 95] = [
    36, 41, 46, 84, 64, 108, 78, 28, 46, 46, 64, 84, 37, 46, 37, 46, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 46, 46,
    84, 84, 84, 55, 102, 69, 69, 70, 78, 64, 58, 78, 76, 43, 46, 70, 56, 87, 75, 79, 61, 79, 70, 69, 62, 74, 69, 99,
    69, 62, 69, 46, 46, 46, 84, 64, 64, 62, 64, 55, 64, 62, 36, 64, 64, 28, 35, 60, 28, 98, 64, 62, 64, 64, 43, 53, 40,
    64, 60, 82, 60, 60, 53, 64, 46, 64, 84,
];

/// Returns the width of a character, in hundredths of the font size.
fn width_of(c: char) -> i32 {
    let known = u32::from(c).checked_sub(32).and_then(|index| WIDTHS.get(index as usize));
    match (known, c) {
        (Some(&width), _) => width.into(),
        (None, '\u{a0}') => 36,
        (None, '–') => 72,
        (None, '…') => 100,
        (None, ..'\u{1100}' | '≤') => 95,
        // Scripts of wide signs, and pictures.
        (None, _) => 125,
    }
}

/// Returns a width that a text does not exceed in any common font.
pub(in crate::render) fn text_width(text: &str, size: i32) -> i32 {
    let width = text.chars().map(width_of).fold(0, i32::saturating_add);
    let (width, size) = (i64::from(width), i64::from(size));
    i32::try_from((width * size + 99) / 100).unwrap_or(i32::MAX)
}

/// Breaks a text into lines that are no wider than `room`: behind semicolons where it can, within a word where it must.
pub(super) fn wrapped(text: &str, size: i32, room: i32) -> Vec<String> {
    let fits = |text: &str| text_width(text, size) <= room;
    if fits(text) {
        return vec![text.to_owned()];
    }
    if let Some((first, rest)) = text.split_once("; ") {
        let mut lines = wrapped(&format!("{first};"), size, room);
        lines.extend(wrapped(rest, size, room));
        return lines;
    }
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else {
            continue;
        };
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&longer) {
            *line = longer;
        } else if fits(word) {
            lines.push(word.to_owned());
        } else {
            lines.extend(broken(word, fits));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Breaks a word into pieces that fit.
fn broken(word: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let Some(piece) = pieces.last_mut() else {
            continue;
        };
        piece.push(c);
        if !fits(piece) && piece.chars().nth(1).is_some() {
            piece.pop();
            pieces.push(c.to_string());
        }
    }
    pieces
}
