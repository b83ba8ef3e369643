//! Matches between engines.

mod adjudication;
mod engine;
mod engine_file;
mod failures;
mod openings;
mod pace;
mod player;
mod referee;
mod run;
mod schedule;
mod walks;
mod worker;

pub use adjudication::{Resignation, ScoreHistory};
pub use engine::{Engine, EngineError, EngineKind, For, TimeControl};
pub use engine_file::{EngineFileError, parse_engines, read_engines};
pub use openings::{OpeningError, OpeningSource, Openings, read_openings};
pub use pace::Pace;
pub use player::Warning;
pub use referee::{Conditions, Timing};
pub use run::{Ending, Interrupts, Match, MatchError, MatchEvent, State, run};
pub use schedule::{Part, Scheduled, TournamentFormat, schedule};
