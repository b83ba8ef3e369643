//! Progress of a match on standard error: a bar on a terminal, else a line every ten seconds.

use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::arena::tournament::{MatchEvent, State};
use crate::record::GameRecord;
use crate::statistics::{Sample, Tally, elo_text};
use crate::text::counted;

/// Interval between progress lines without a terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// Progress through a number of games, with a message.
pub struct Bar<E> {
    errors: E,
    bar: Option<ProgressBar>,
    /// Noun of the things counted, such as `games`.
    what: &'static str,
    shown: Instant,
}

impl<E: Write> Bar<E> {
    /// Creates a bar on a terminal, else lines.
    pub fn new(errors: E, is_terminal: bool) -> Self {
        Self::of(errors, is_terminal, "games")
    }

    /// Creates a bar that counts something else than games.
    pub fn of(errors: E, is_terminal: bool, what: &'static str) -> Self {
        let style = ProgressStyle::with_template(&format!("{{bar:20}} {{pos}}/{{len}} {what}  {{msg}}"));
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = is_terminal.then(|| ProgressBar::new(0).with_style(style));
        Self { errors, bar, what, shown: Instant::now() }
    }

    /// Updates the bar.
    fn set(&self, played: u64, total: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(played);
            bar.set_message(message());
        }
    }

    /// Writes a progress line if there is no bar and ten seconds have passed.
    fn tick(&mut self, played: u64, total: u64, message: impl FnOnce() -> String) {
        if self.bar.is_none() && self.shown.elapsed() >= INTERVAL {
            self.shown = Instant::now();
            self.line(&format!("{played}/{total} {}  {}", self.what, message()));
        }
    }

    /// Updates the bar, or writes a progress line where there is none.
    pub fn show(&mut self, played: u64, total: u64, message: impl Fn() -> String) {
        self.set(played, total, &message);
        self.tick(played, total, &message);
    }

    /// Removes the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Writes a permanent line.
    pub fn line(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            // Standard error may be closed.
            None => drop(writeln!(self.errors, "{text}")),
        }
    }
}

/// Shows a match on standard error.
pub struct Progress<E> {
    bar: Bar<E>,
    /// True to print a line for each game.
    verbose: bool,
}

impl<E: Write> Progress<E> {
    /// Creates a bar on a terminal, else lines.
    pub fn new(errors: E, is_terminal: bool, verbose: bool) -> Self {
        Self { bar: Bar::new(errors, is_terminal), verbose }
    }

    /// Shows an event of the match.
    pub fn show(&mut self, news: &MatchEvent<'_>, state: &State<'_>) {
        let bar = &mut self.bar;
        let (played, scheduled) = (state.played, state.scheduled);
        bar.set(played, scheduled, || summary(state));
        match news {
            MatchEvent::Resumed => bar.line(&resumed(state)),
            MatchEvent::Game(game) if self.verbose => bar.line(&game_line(game)),
            MatchEvent::Game(game) if game.cause.is_failure() => {
                let fault = game.fault.as_deref().unwrap_or("?");
                bar.line(&format!("game {}: {fault}: {}: {}", game.game, game.cause, game.reason));
            }
            MatchEvent::FailureFiles(Ok(path)) => bar.line(&format!("its transcripts are in {}", path.display())),
            MatchEvent::FailureFiles(Err(error)) => bar.line(&format!("its transcripts can't be written: {error}")),
            MatchEvent::Void { game, paused } => {
                let seconds = paused.as_secs_f64();
                bar.line(&format!(
                    "game {game} is void and is played again: the referee did not run for {seconds:.1} s"
                ));
            }
            MatchEvent::Warning(warning) => bar.line(&format!("pentalith: {}: {}", warning.engine, warning.why)),
            MatchEvent::Finishing => bar.line("running games are finished; once more to stop at once"),
            MatchEvent::Tick => bar.tick(played, scheduled, || summary(state)),
            MatchEvent::Game(_) => {}
        }
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.end();
    }
}

/// Says at which game the match of a record goes on.
fn resumed(state: &State<'_>) -> String {
    let (played, scheduled) = (state.played, state.scheduled);
    if state.statistics.decision().is_some() {
        return format!("nothing is left to play: the SPRT was decided by {played} games");
    }
    if played < scheduled {
        format!("resuming at game {} of {scheduled}", played + 1)
    } else {
        format!("nothing is left to play: {played} of {scheduled} games are recorded")
    }
}

/// Describes a finished game, White first as in its result.
fn game_line(game: &GameRecord) -> String {
    let (white, black) = (&game.white.name, &game.black.name);
    let moves = counted(game.moves.len() as u64, "move");
    let fault = game.fault.as_ref();
    let fault = fault.map_or(String::new(), |name| format!("{name}: "));
    format!(
        "game {}: {white} (White) vs {black} (Black): {}, {fault}{}: {}, {moves}",
        game.game, game.result, game.cause, game.reason
    )
}

/// Summarizes elapsed and remaining time, score, Elo difference and SPRT.
fn summary(state: &State<'_>) -> String {
    let pace = &state.pace;
    let mut text = format!("elapsed {}", time(pace.elapsed.as_secs_f64()));
    let left = state.scheduled.saturating_sub(state.played);
    if let Some(left) = pace.remaining(left) {
        let about = match state.statistics.sprt() {
            Some(_) => "at most",
            None => "about",
        };
        // Writing to a string can't fail.
        let _ = write!(text, ", {about} {} left", time(left.as_secs_f64()));
    }
    if let Some((_, tally)) = state.statistics.variants().first() {
        text.push_str("  ");
        leader(&mut text, state, tally);
    }
    text
}

/// Appends to `work` the time that `left` games will take, estimated from the games played: `work, about 12 min left`.
///
/// With `is_limit`, fewer games may be enough: `at most 12 min left`.
pub fn with_time_left(work: String, played: u64, took: Duration, left: u64, is_limit: bool) -> String {
    if played == 0 || left == 0 {
        return work;
    }
    let bound = if is_limit { "at most" } else { "about" };
    let seconds = took.as_secs_f64() * left as f64 / played as f64;
    format!("{work}, {bound} {} left", time(seconds))
}

/// Writes the score of two engines, or the best of several. Writing to a string can't fail.
fn leader(text: &mut String, state: &State<'_>, tally: &Tally) {
    let names = &tally.names;
    if let ([name, _], Some(head_to_head)) = (names.as_slice(), tally.head_to_heads.get(&(0, 1))) {
        let (results, sample) = (head_to_head.results(), head_to_head.sample());
        let mean = sample.mean().unwrap_or(0.5);
        let _ = write!(text, "{name} {:.1} %  Elo {}", 100.0 * results.share(), elo_text(mean));
        if let Some(error) = sample.elo_error() {
            let _ = write!(text, " ± {error:.0}");
        }
        if let Some(sprt) = state.statistics.sprt() {
            let ratio = sprt.log_likelihood_ratio(&Sample::new(&head_to_head.pairs));
            let (low, high) = sprt.bounds();
            let _ = write!(text, "  LLR {ratio:.2} ({low:.2} to {high:.2})");
        }
        return;
    }
    let shares = (0..names.len()).map(|i| tally.results_of(i).share());
    let best = shares.zip(names).max_by(|(a, _), (b, _)| a.total_cmp(b));
    if let Some((share, name)) = best {
        let _ = write!(text, "{name} leads with {:.1} %", 100.0 * share);
    }
}

/// `45 s`, `12 min`, `3 h 20 min`.
fn time(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0 | 1 => format!("{} s", seconds.round()),
        2..=99 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}
