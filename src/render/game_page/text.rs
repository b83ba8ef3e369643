//! Texts of strangers, and data for a script.

use miniz_oxide::deflate::compress_to_vec;
use serde::Serialize;

use crate::render::svg::escape;
use crate::text::visible;

/// Makes characters visible that would not be seen or would turn the text around them.
pub(super) fn safe(text: &str) -> String {
    visible(text)
}

/// Writes a text as HTML. Its direction has no effect on what stands beside it.
pub(super) fn isolated(text: &str) -> String {
    let text = safe(text);
    if text.is_ascii() { escape(&text) } else { format!("<bdi>{}</bdi>", escape(&text)) }
}

/// Writes a value as JSON that may stand in a `script` element.
pub(in crate::render) fn json(value: &impl Serialize) -> String {
    // Serializing plain data can't fail.
    let text = serde_json::to_string(value).unwrap_or_default();
    text.replace('<', "\\u003c")
}

/// Effort of the compression: higher levels take three times as long for a hundredth of the size.
const LEVEL: u8 = 8;

/// Writes a value as JSON, deflated, in base 64.
pub(in crate::render) fn packed(value: &impl Serialize) -> String {
    base64(&compress_to_vec(json(value).as_bytes(), LEVEL))
}

/// Writes bytes in base 64.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| chunk.get(index).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let index = bits >> (18 - 6 * digit) & 63;
            let found = DIGITS.get(index as usize).filter(|_| digit <= chunk.len());
            text.push(found.map_or('=', |&digit| char::from(digit)));
        }
    }
    text
}
