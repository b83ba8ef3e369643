//! Capabilities of the terminal: colours, Unicode, its width.

use std::io::{self, IsTerminal};

/// Width of lines where no terminal says otherwise, in characters.
const DEFAULT_WIDTH: usize = 80;

/// Least width of lines, in characters.
const MIN_WIDTH: usize = 40;

/// Colours of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    /// None: text only.
    None,
    /// The 16 colours that every terminal has.
    Few,
    /// A palette of 256 colours.
    Many,
}

/// The means by which a board is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Colours.
    pub colors: Colors,
    /// True if stones may be drawn as circles.
    pub is_unicode: bool,
    /// Width of lines, in characters.
    pub width: usize,
    /// True if lines can be erased and edited.
    pub is_terminal: bool,
}

impl Look {
    /// Plain text, for pipes and files.
    pub const PLAIN: Self = Self { colors: Colors::None, is_unicode: false, width: DEFAULT_WIDTH, is_terminal: false };

    /// Chooses the look of standard output by the environment.
    pub fn detect() -> Self {
        let variable = |name: &str| {
            let value = std::env::var_os(name)?;
            Some(value.to_string_lossy().into_owned())
        };
        let is_terminal = io::stdout().is_terminal();
        let width = if is_terminal { terminal_width() } else { None };
        Self::of(is_terminal, width, variable)
    }

    /// Chooses the look of a terminal, or of something else, by variables of the environment.
    ///
    /// `NO_COLOR`, `TERM`, `COLORTERM` and the locale (`LC_ALL`, `LC_CTYPE`, `LANG`) count. An empty variable counts as
    /// one that is not set.
    pub fn of(is_terminal: bool, width: Option<usize>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let terminal = variable("TERM").unwrap_or_default();
        if !is_terminal || terminal.is_empty() || terminal == "dumb" {
            return Self::PLAIN;
        }
        let many = variable("COLORTERM").is_some()
            || ["256color", "direct", "kitty", "alacritty"].iter().any(|word| terminal.contains(word));
        let colors = match variable("NO_COLOR") {
            Some(_) => Colors::None,
            None if many => Colors::Many,
            None => Colors::Few,
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let locale = locale.unwrap_or_default().to_lowercase();
        let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
        // Terminals for these languages may draw a circle two columns wide.
        let is_wide = ["ja", "ko", "zh"].iter().any(|word| locale.starts_with(word));
        Self {
            colors,
            is_unicode: is_utf8 && !is_wide,
            width: width.unwrap_or(DEFAULT_WIDTH).max(MIN_WIDTH),
            is_terminal: true,
        }
    }
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}
