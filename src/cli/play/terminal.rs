//! Capabilities of the terminal: colors, Unicode, its width.

use std::io::{self, IsTerminal};

use termini::{NumberCapability, TermInfo};

/// Width of lines where no terminal says otherwise, in characters.
const DEFAULT_WIDTH: usize = 80;

/// Minimum width of lines, in characters.
const MIN_WIDTH: usize = 20;

/// Colors of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    /// None: text only.
    None,
    /// The 16 colors that every terminal has.
    Few,
    /// A palette of 256 colors.
    Many,
}

/// The size of a window, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

/// The means by which a board is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terminal {
    /// Colors.
    pub colors: Colors,
    /// True if stones may be drawn as circles.
    pub is_unicode: bool,
    /// Width of lines, in characters.
    pub width: usize,
    /// The window; `None` if there is none, or its size is unknown.
    pub window: Option<Window>,
    /// True if lines can be erased and edited.
    pub is_terminal: bool,
}

impl Terminal {
    /// Plain text, for pipes and files.
    pub const PLAIN: Self =
        Self { colors: Colors::None, is_unicode: false, width: DEFAULT_WIDTH, window: None, is_terminal: false };

    /// Detects the terminal at standard output by the environment.
    pub fn detect() -> Self {
        let is_terminal = io::stdout().is_terminal();
        let window = if is_terminal { window() } else { None };
        Self::of(is_terminal, window, environment)
    }

    /// Detects a terminal, or something else, by variables of the environment.
    ///
    /// `NO_COLOR`, `TERM`, `COLORTERM` and the locale (`LC_ALL`, `LC_CTYPE`, `LANG`) count. An empty variable counts as
    /// one that is not set.
    pub fn of(is_terminal: bool, window: Option<Window>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let terminal = variable("TERM").unwrap_or_default();
        if !is_terminal || terminal.is_empty() || terminal == "dumb" {
            return Self::PLAIN;
        }
        let colors = match variable("NO_COLOR") {
            Some(_) => Colors::None,
            None => Colors::of(&terminal, variable("COLORTERM").is_some()),
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let locale = locale.unwrap_or_default().to_lowercase();
        let is_utf8 = locale.contains("utf-8") || locale.contains("utf8");
        // Terminals for these languages may draw a circle two columns wide.
        let is_wide = ["ja", "ko", "zh"].iter().any(|word| locale.starts_with(word));
        Self { colors, is_unicode: is_utf8 && !is_wide, is_terminal: true, ..Self::PLAIN }.in_window(window)
    }

    fn in_window(self, window: Option<Window>) -> Self {
        let width = window.map_or(DEFAULT_WIDTH, |window| window.columns.max(MIN_WIDTH));
        Self { width, window, ..self }
    }

    /// Adapts to the present size of the window.
    pub(super) fn measure(&mut self) {
        if self.is_terminal {
            *self = self.in_window(window());
        }
    }
}

impl Colors {
    /// Returns the colors of a type of terminal. `has_many`: if it has any, it has a palette.
    fn of(terminal: &str, has_many: bool) -> Self {
        let name = |part: &str| terminal.contains(part);
        let many = has_many || ["256color", "direct", "kitty", "alacritty"].into_iter().any(name);
        let number = TermInfo::from_name(terminal).ok().map(|info| info.number_cap(NumberCapability::MaxColors));
        // A terminal that the database does not list has colors, unless its name says otherwise.
        let is_plain = terminal.starts_with("vt") || ["-m", "-mono"].iter().any(|end| terminal.ends_with(end));
        match number.map(|number| number.unwrap_or(0)) {
            Some(..8) => Self::None,
            None if is_plain => Self::None,
            Some(256..) => Self::Many,
            _ if many => Self::Many,
            _ => Self::Few,
        }
    }

    /// Returns whether the terminal of this process has colors, as far as `TERM` says.
    pub(in crate::cli) fn has_any() -> bool {
        let terminal = environment("TERM").unwrap_or_default();
        Self::of(&terminal, false) != Self::None
    }
}

/// Returns a variable of the environment.
fn environment(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    Some(value.to_string_lossy().into_owned())
}

#[cfg(unix)]
fn window() -> Option<Window> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    let window = Window { columns: size.ws_col.into(), rows: size.ws_row.into() };
    Some(window).filter(|window| window.columns > 0)
}

#[cfg(not(unix))]
fn window() -> Option<Window> {
    None
}
