//! Checks of searches: limits, moves and `info` lines.

use std::time::{Duration, Instant};

use super::super::{CheckResult, NoVerdict, failed, passed, skipped};
use super::Ugi;
use crate::client::connection::{ClientError, Deadline, QUIET, time};
use crate::client::output::info;
use crate::text::counted;

/// Grace period of a search after its time limit.
const SLACK: Duration = Duration::from_secs(1);

/// Time limit that is long enough to measure.
const MOVE_TIME: Duration = Duration::from_millis(200);

/// Node limit of a search.
const NODES: u32 = 100;

pub(super) fn one_bestmove(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    let text = ugi.think();
    if matches!(text, Err(NoVerdict::Client(ClientError::Late { .. }))) {
        ugi.silent = true;
    }
    let text = text?;
    if ugi.overhears_bestmove(QUIET)? { failed("a second bestmove") } else { passed(text) }
}

pub(super) fn bestmove_form(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    ugi.think()?;
    match &ugi.client.malformed {
        Some(error) => failed(error.clone()),
        None => passed(""),
    }
}

pub(super) fn movetime(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    let began = Instant::now();
    ugi.go(&format!("movetime {}", MOVE_TIME.as_millis()))?;
    ugi.bestmove()?;
    let took = began.elapsed();
    let figure = format!("{} for {}", time(took), time(MOVE_TIME));
    if took > MOVE_TIME + SLACK { failed(figure) } else { passed(figure) }
}

/// Runs a search that ends by its own limit.
fn limited(ugi: &mut Ugi, limits: &str) -> CheckResult {
    ugi.new_game()?;
    let began = Instant::now();
    ugi.go(limits)?;
    let text = ugi.bestmove()?;
    passed(format!("{text} in {}", time(began.elapsed())))
}

pub(super) fn nodes(ugi: &mut Ugi) -> CheckResult {
    limited(ugi, &format!("nodes {NODES}"))
}

pub(super) fn depth(ugi: &mut Ugi) -> CheckResult {
    limited(ugi, "depth 1")
}

pub(super) fn clocks(ugi: &mut Ugi) -> CheckResult {
    limited(ugi, "p1time 2000 p2time 2000 p1inc 10 p2inc 10")
}

/// Starts a search without limit. Returns true if it ends by itself.
fn goes_on(ugi: &mut Ugi) -> Result<bool, NoVerdict> {
    ugi.new_game()?;
    ugi.go("infinite")?;
    Ok(!ugi.overhears_bestmove(QUIET)?)
}

const EARLY: &str = "go infinite has ended before stop";

pub(super) fn infinite(ugi: &mut Ugi) -> CheckResult {
    if !goes_on(ugi)? {
        return failed(EARLY);
    }
    ugi.client.send("stop")?;
    passed(ugi.bestmove()?)
}

pub(super) fn stop(ugi: &mut Ugi) -> CheckResult {
    if !goes_on(ugi)? {
        return skipped(EARLY);
    }
    let began = Instant::now();
    ugi.client.send("stop")?;
    let deadline = Deadline::new(ugi.client.connection.timeout.max(SLACK));
    ugi.client.bestmove(deadline)?;
    let took = began.elapsed();
    if took > SLACK { failed(time(took)) } else { passed(time(took)) }
}

pub(super) fn no_second_bestmove(ugi: &mut Ugi) -> CheckResult {
    if !goes_on(ugi)? {
        return skipped(EARLY);
    }
    ugi.client.send("stop")?;
    ugi.bestmove()?;
    ugi.client.send("stop")?;
    ugi.client.ready()?;
    if ugi.overhears_bestmove(QUIET)? || ugi.client.surplus > 0 { failed("a second bestmove") } else { passed("") }
}

pub(super) fn stop_alone(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    ugi.client.surplus = 0;
    ugi.client.send("stop")?;
    ugi.client.ready()?;
    if ugi.overhears_bestmove(QUIET)? || ugi.client.surplus > 0 { failed("a bestmove") } else { passed("") }
}

pub(super) fn ready_while_searching(ugi: &mut Ugi) -> CheckResult {
    if !goes_on(ugi)? {
        return skipped(EARLY);
    }
    let began = Instant::now();
    ugi.client.ready()?;
    let took = began.elapsed();
    if ugi.client.surplus > 0 {
        return failed("isready has ended the search");
    }
    ugi.client.send("stop")?;
    ugi.bestmove()?;
    passed(time(took))
}

pub(super) fn query_while_searching(ugi: &mut Ugi) -> CheckResult {
    if !goes_on(ugi)? {
        return skipped(EARLY);
    }
    ugi.query_bool("gameover")?;
    ugi.query_bool("p1turn")?;
    if ugi.client.surplus > 0 {
        return failed("query has ended the search");
    }
    ugi.client.send("stop")?;
    ugi.bestmove()?;
    passed("")
}

pub(super) fn some_info(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    ugi.think()?;
    match ugi.client.infos.last() {
        Some(_) => passed(""),
        None => failed("none"),
    }
}

pub(super) fn info_lines(ugi: &mut Ugi) -> CheckResult {
    ugi.new_game()?;
    ugi.think()?;
    if ugi.client.infos.is_empty() {
        return skipped("there are none");
    }
    let mut infos = ugi.client.infos.iter();
    let wrong = infos.find_map(|line| info(line.trim_end()).err());
    match wrong {
        Some(error) => failed(error.to_string()),
        None => passed(counted(ugi.client.infos.len() as u64, "line")),
    }
}
