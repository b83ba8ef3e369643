//! Records as a page: `pentalith replay --html`.

use std::time::Duration;

use crate::arena::replay::Replay;
use crate::arena::tournament::{For, TimeControl};
use crate::games;
use crate::record::{ANNOTATOR, Cause, GameRecord, GameResult, Line, MoveRecord, SearchInformation, sign};
use crate::render::{GameLine, GamePage, PageGame, SearchNote};
use crate::review::REVIEWER;
use crate::rules::{Board, Color};
use crate::session::GameClock;

/// Returns the page of one game, which the rules allow.
pub(super) fn page_of(game: &GameRecord) -> String {
    let mut page = GamePage::default();
    add_game(&mut page, &mut Replay::default(), game, None);
    page.html()
}

/// Adds a game to the page, as far as the rules allow it. `error` says why they do not.
pub(super) fn add_game(page: &mut GamePage, replay: &mut Replay, game: &GameRecord, error: Option<&str>) {
    let line = line(page, replay, game);
    let seats = [&game.black, &game.white];
    let mut details = vec![
        ("variant".to_owned(), game.variant.clone()),
        ("date".to_owned(), game.date.clone()),
        ("cause of the end".to_owned(), game.cause.to_string()),
        ("reason".to_owned(), game.reason.clone()),
    ];
    for (color, seat) in Color::BOTH.into_iter().zip(seats) {
        let parts = [&seat.engine, &seat.options, &seat.version, &seat.limit];
        let parts: Vec<&str> = parts.map(String::as_str).into();
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        details.push((color.to_string(), format!("{}: {}", seat.name, parts.join(", "))));
    }
    details.push(("opening".to_owned(), game.opening().to_string()));
    details.push(("seed".to_owned(), game.seed.to_string()));
    if let Some(conditions) = &game.conditions {
        details.push(("conditions".to_owned(), conditions.clone()));
    }
    if let Some(name) = &game.fault {
        details.push(("at fault".to_owned(), name.clone()));
    }
    page.add_game(PageGame {
        number: game.game,
        names: seats.map(|seat| seat.name.clone()),
        winner: match game.result {
            GameResult::Black => Some(Color::Black),
            GameResult::White => Some(Color::White),
            GameResult::Draw | GameResult::Unfinished => None,
        },
        is_over: game.result != GameResult::Unfinished,
        end: match game.cause {
            Cause::Normal => game.reason.clone(),
            _ if game.result == GameResult::Unfinished => game.reason.clone(),
            cause => format!("{cause}: {}", game.reason),
        },
        details,
        is_reviewed: is_reviewed(game),
        error: error.map(str::to_owned),
        line,
    });
}

/// Replays the legal moves of a game step by step; `None` if it has no board or no start.
fn line(page: &mut GamePage, replay: &mut Replay, game: &GameRecord) -> Option<GameLine> {
    let variant = games::parse_variant(&game.variant).ok()?;
    let mut board = games::open(&variant)?;
    if let Some(start) = &game.start {
        board.set_position(start).ok()?;
    }
    let mut line = page.begin_line(&*board);
    let mut clocks = Clocks::new(game);
    let mut moves = game.moves.iter();
    // What is wrong with the game was found before.
    let _ = replay.check(game, |shown| {
        if let Some(steps) = shown.played()
            && let Some(made) = moves.next()
        {
            play(&mut *board, page, &mut line, &steps, made, &mut clocks);
        }
    });
    Some(line)
}

/// Returns true if a review has annotated the game.
fn is_reviewed(game: &GameRecord) -> bool {
    game.tags.iter().any(|(name, value)| name == ANNOTATOR && value.starts_with(REVIEWER))
}

/// Plays a legal move.
fn play(
    board: &mut dyn Board,
    page: &mut GamePage,
    line: &mut GameLine,
    steps: &str,
    made: &MoveRecord,
    clocks: &mut Clocks,
) {
    let side = board.side();
    line.begin_move(board);
    let signs = made.nags.iter().filter_map(|&nag| sign(nag)).collect();
    line.annotate(signs, made.comment.clone().unwrap_or_default());
    for Line { comment, moves } in &made.variations {
        let mut board = board.fork();
        let mut variation = page.begin_line(&*board);
        for made in moves {
            // The rules have read it before; a part that they don't know is left out with what follows.
            if !are_legal(&*board, &made.text) {
                break;
            }
            play(&mut *board, page, &mut variation, &made.text, made, &mut Clocks([None, None]));
        }
        line.add_variation(comment.clone().unwrap_or_default(), variation);
    }
    for text in steps.split(',') {
        // The rules have read it before.
        let Ok(step) = board.read_step(text) else {
            return;
        };
        line.play(board, step);
    }
    if let Some(SearchInformation { time_ms, score, depth, nodes }) = made.information {
        line.note_move(SearchNote {
            time_ms,
            clock_ms: clocks.spend(side, time_ms, board.side() != side),
            depth,
            nodes,
            score,
        });
    }
}

/// Returns true if steps, joined by commas, can be played one after the other.
fn are_legal(board: &dyn Board, steps: &str) -> bool {
    let mut board = board.fork();
    steps.split(',').all(|step| match board.find_step(step) {
        Ok(step) => {
            board.make(step);
            true
        }
        Err(_) => false,
    })
}

/// The clocks of a game, computed from the limits and the recorded times.
struct Clocks([Option<GameClock>; 2]);

impl Clocks {
    fn new(game: &GameRecord) -> Self {
        Self([&game.black, &game.white].map(|seat| {
            let limit = For::<TimeControl>::clock(seat.limit.strip_prefix("tc ")?);
            limit.ok()?.what.settings().map(GameClock::new)
        }))
    }

    /// Takes the time of an answer from a clock as the referee does. Returns what is left, in milliseconds.
    fn spend(&mut self, side: Color, time_ms: u64, passed: bool) -> Option<u64> {
        let [black, white] = &mut self.0;
        let clock = match side {
            Color::Black => black,
            Color::White => white,
        };
        let (clock, time) = (clock.as_mut()?, Duration::from_millis(time_ms));
        clock.spend_play(side, time, passed);
        clock.left(side).time.as_millis().try_into().ok()
    }
}
