//! Web pages: one file each, without network and without a framework.

use super::svg::escape;

/// A web page in one file.
///
/// Whoever fills it escapes the text of strangers with [`escape`], and keeps it out of `style` and `script`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Page {
    /// Title, as plain text.
    pub title: String,
    /// Style sheet, after the one of all pages.
    pub style: &'static str,
    /// Content of `<main>`, as HTML.
    pub body: String,
    /// Program, which runs once the page is there; empty for none.
    pub script: &'static str,
}

/// The style sheet of all pages: light or dark as the reader's system prefers, and readable on a telephone.
pub const PAGE_STYLE: &str = include_str!("page.css");

/// The style sheet and the module of the pages that show games.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
/// The same: elements, words, and the list of moves.
pub const VIEWER_SCRIPT: &str = include_str!("viewer.js");

/// Nothing is loaded from anywhere, and nothing is sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'";

impl Page {
    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let Self { style, body, script, .. } = self;
        let title = escape(&self.title);
        let script =
            if script.is_empty() { String::new() } else { format!("<script type=\"module\">\n{script}</script>\n") };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{PAGE_STYLE}{style}</style>\n</head>\n<body>\n\
             <main>\n{body}</main>\n{script}</body>\n</html>\n"
        )
    }
}
