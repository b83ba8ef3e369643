//! The frame of a page of figures: the answers, the contents, the parts.

use std::fmt::Write;

use super::PATTERNS;
use crate::render::html::Page;
use crate::render::svg::escape;

/// Minimum number of parts for a page to have a table of contents.
const MIN_PARTS: usize = 3;

/// Number of answers at the top of a page. The others follow below the contents.
const FIRST_ANSWERS: usize = 3;

/// Returns a page: its title, the answers in words, and the parts, of which each begins with a heading of the second rank.
pub(super) fn report(title: &str, answers: &[String], parts: &str) -> String {
    let mut body = format!("<h1>{}</h1>\n{PATTERNS}", escape(title));
    let (first, more) = answers.split_at(answers.len().min(FIRST_ANSWERS));
    let paragraphs = |body: &mut String, answers: &[String]| {
        for answer in answers {
            // Writing to a string can't fail.
            let _ = writeln!(body, "<p class=\"lead\">{}</p>", escape(answer));
        }
    };
    paragraphs(&mut body, first);
    let (parts, headings) = with_anchors(parts);
    if headings.len() >= MIN_PARTS {
        body += "<nav aria-label=\"Contents\"><ul class=\"contents\">\n";
        for (place, heading) in headings.iter().enumerate() {
            let _ = writeln!(body, "<li><a href=\"#part-{}\">{heading}</a></li>", place + 1);
        }
        body += "</ul></nav>\n";
    }
    if !more.is_empty() {
        body += "<details><summary>More answers</summary>\n";
        paragraphs(&mut body, more);
        body += "</details>\n";
    }
    body += &parts;
    let (style, script) = (include_str!("statistics.css"), include_str!("download.js"));
    Page { title: title.to_owned(), style, body, script }.html()
}

/// Gives each heading of the second rank a name to link to. Returns the headings, in HTML.
fn with_anchors(parts: &str) -> (String, Vec<&str>) {
    let (mut html, mut headings) = (String::with_capacity(parts.len()), Vec::new());
    let mut pieces = parts.split("<h2>");
    html += pieces.next().unwrap_or_default();
    for piece in pieces {
        headings.push(piece.split("</h2>").next().unwrap_or_default());
        let _ = write!(html, "<h2 id=\"part-{}\">{piece}", headings.len());
    }
    (html, headings)
}

/// Folds up a part of a page.
pub(super) fn folded(summary: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>\n{content}</details>\n", escape(summary))
}
