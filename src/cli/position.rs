//! The commands `legal`, `score` and `position`: one question about a position.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::CliError;
use super::given_position;
use super::open_session::open_at;
use crate::protocol::score;
use crate::search::Clock;

/// A question about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Question {
    Legal,
    Score,
    Position,
}

#[derive(Args, Debug)]
pub struct PositionArgs {
    /// Variant, or a recorded game: FILE, FILE#GAME, or FILE#GAME:MOVE, as in games.pgn#3:17 for game 3 after move 17
    variant: String,

    /// Start position, quoted because it holds spaces [default: the start of the variant]
    #[arg(long)]
    position: Option<String>,

    /// Moves from there, with spaces between, as in "c3 e5"
    #[arg(long)]
    moves: Option<String>,

    /// Print all that is known of the position as one JSON object
    #[arg(long)]
    json: bool,
}

/// Answers a question about a position.
pub(super) fn ask(
    question: Question,
    arguments: &PositionArgs,
    clock: Arc<dyn Clock>,
    output: &mut impl Write,
) -> Result<ExitCode, CliError> {
    let PositionArgs { variant, position, moves, json } = arguments;
    let from = given_position::read(variant, position.as_deref(), moves.as_deref())?;
    let session = open_at(&from, clock)?;
    if *json {
        let object = json!({
            "variant": session.variant().to_string(),
            "position": session.position(),
            "side": session.side().to_string().to_lowercase(),
            "over": session.outcome().is_some(),
            "score": score(&session),
            "legal": session.legal(),
        });
        writeln!(output, "{object}")?;
        return Ok(ExitCode::SUCCESS);
    }
    match question {
        Question::Legal => session.legal().iter().try_for_each(|step| writeln!(output, "{step}"))?,
        Question::Score => writeln!(output, "{}", score(&session))?,
        Question::Position => writeln!(output, "{}", session.position())?,
    }
    Ok(ExitCode::SUCCESS)
}
