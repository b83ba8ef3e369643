//! Looks for the smallest game that shows a difference.

use std::time::Duration;

use super::{Class, Fault, Found, Game, Play, Probe, Subject, examine};
use crate::client::connection::{ClientError, Deadline};
use crate::rules::Variant;

/// Time for the search of one smallest game.
const TIME: Duration = Duration::from_secs(20);

/// Maximum number of attempts.
const ATTEMPTS: usize = 3000;

/// Number of plays from the start of a game of which pairs are removed.
const PAIRED: usize = 24;

/// Number of short games that are tried at the end.
const SHORT: usize = 600;

/// Asks a question. An engine that ends or hangs differs.
pub(super) fn examined(subject: &mut dyn Subject, game: &Game, probe: &Probe) -> Result<Option<Fault>, ClientError> {
    match examine(subject, game, probe) {
        Err(error @ (ClientError::NotStarted(_) | ClientError::NoRoom(_) | ClientError::Interrupted)) => Err(error),
        Err(error) => {
            subject.restart();
            Ok(Some(Fault::new(probe.class(), game.plays.len(), error.to_string())))
        }
        examined => examined,
    }
}

/// A game and a question that show a difference.
struct Case {
    plays: Vec<String>,
    probe: Probe,
    fault: Fault,
}

struct Shrinker<'a> {
    subject: &'a mut dyn Subject,
    variant: Variant,
    class: Class,
    deadline: Deadline,
    attempts: usize,
}

impl Shrinker<'_> {
    fn is_done(&self) -> bool {
        self.attempts >= ATTEMPTS || self.deadline.is_past()
    }

    /// Returns the question about another game, if it makes sense there.
    fn adapted(&self, game: &Game, probe: &Probe) -> Option<Probe> {
        match probe {
            Probe::Illegal { step, .. } => {
                let reason = game.reason(step)?;
                Some(Probe::Illegal { step: step.clone(), reason })
            }
            Probe::Result => game.is_over().then_some(Probe::Result),
            Probe::Last => (!game.plays.is_empty()).then_some(Probe::Last),
            Probe::List | Probe::Perft(_) => Some(probe.clone()),
        }
    }

    /// Plays a game from the start and asks. Returns the case if it shows a difference of the same class.
    fn case(&mut self, plays: &[String], probe: &Probe) -> Result<Option<Case>, ClientError> {
        self.attempts += 1;
        let Some(game) = Game::replayed(&self.variant, plays.iter().cloned()) else {
            return Ok(None);
        };
        let Some(probe) = self.adapted(&game, probe) else {
            return Ok(None);
        };
        self.subject.forget();
        let Some(fault) = examined(self.subject, &game, &probe)?.filter(|fault| fault.class == self.class) else {
            return Ok(None);
        };
        let mut plays = plays.to_vec();
        // A step before the last one may be the one that is refused.
        let is_shorter = fault.plays < plays.len();
        plays.truncate(fault.plays);
        Ok(Some(Case { plays, probe: if is_shorter { Probe::Last } else { probe }, fault }))
    }

    /// Removes plays as long as the rest shows the difference: first many at once, then few.
    fn remove(&mut self, case: &mut Case) -> Result<(), ClientError> {
        let mut size = (case.plays.len() / 2).max(1);
        loop {
            let mut at = 0;
            let mut is_shorter = false;
            while at < case.plays.len() && !self.is_done() {
                let end = (at + size).min(case.plays.len());
                let kept: Vec<String> = case
                    .plays
                    .iter()
                    .enumerate()
                    .filter(|(number, _)| !(at..end).contains(number))
                    .map(|(_, play)| play.clone())
                    .collect();
                match self.case(&kept, &case.probe)? {
                    Some(smaller) => {
                        *case = smaller;
                        is_shorter = true;
                    }
                    None => at += 1,
                }
            }
            if self.is_done() || size == 1 && !is_shorter {
                return Ok(());
            }
            if !is_shorter {
                size = (size / 2).max(1);
            }
        }
    }

    /// Removes pairs of plays that are apart, too: as the sides take turns, one play of each side often has to go.
    fn remove_pairs(&mut self, case: &mut Case) -> Result<(), ClientError> {
        let mut first = 0;
        while first < case.plays.len().min(PAIRED) {
            let mut second = first + 2;
            while second < case.plays.len().min(PAIRED) && !self.is_done() {
                let mut kept = case.plays.clone();
                kept.remove(second);
                kept.remove(first);
                match self.case(&kept, &case.probe)? {
                    Some(smaller) => *case = smaller,
                    None => second += 1,
                }
            }
            first += 1;
        }
        Ok(())
    }

    /// Tries all games up to a number of plays, in the order of their length, that are shorter than a case.
    fn short(&mut self, case: &mut Case) -> Result<(), ClientError> {
        let mut level: Vec<Vec<String>> = vec![Vec::new()];
        let mut tried = 0;
        while let Some(length) = level.first().map(Vec::len) {
            if length >= case.plays.len() {
                return Ok(());
            }
            let mut next = Vec::new();
            for plays in &level {
                let Some(game) = Game::replayed(&self.variant, plays.iter().cloned()) else { continue };
                for probe in self.probes(&game, &case.probe) {
                    if tried >= SHORT || self.is_done() {
                        return Ok(());
                    }
                    tried += 1;
                    if let Some(smaller) = self.case(plays, &probe)? {
                        *case = smaller;
                        return Ok(());
                    }
                }
                if next.len() < SHORT {
                    next.extend(game.legal().into_iter().map(|step| [plays.as_slice(), &[step]].concat()));
                }
            }
            level = next;
        }
        Ok(())
    }

    /// Returns questions like the one of a case for a short game.
    fn probes(&self, game: &Game, probe: &Probe) -> Vec<Probe> {
        match probe {
            Probe::Illegal { reason, .. } => {
                let played = game.plays.iter().map(|Play { text, .. }| text.clone());
                let same = super::rule(reason);
                let played = played.filter_map(|step| Some((game.reason(&step)?, step)));
                let alike = played.filter(|(reason, _)| super::rule(reason) == same);
                let alike = alike.map(|(reason, step)| Probe::Illegal { step, reason });
                self.adapted(game, probe).into_iter().chain(alike).collect()
            }
            _ => self.adapted(game, probe).into_iter().collect(),
        }
    }
}

/// Returns the smallest game that shows a difference, as far as it is found in time.
pub(super) fn smallest(
    subject: &mut dyn Subject,
    game: &Game,
    probe: &Probe,
    fault: Fault,
) -> Result<Found, ClientError> {
    let variant = game.board.variant().clone();
    let class = fault.class;
    let deadline = Deadline::new(TIME);
    let mut shrinker = Shrinker { subject, variant: variant.clone(), class, deadline, attempts: 0 };
    let plays: Vec<String> = game.plays.iter().map(|play| play.text.clone()).collect();
    let case = match shrinker.case(&plays, probe)? {
        Some(mut case) => {
            shrinker.remove(&mut case)?;
            shrinker.remove_pairs(&mut case)?;
            shrinker.short(&mut case)?;
            case
        }
        None => {
            let note = "not from a new game: a step that was refused before may have changed the position";
            let what = format!("{} ({note})", fault.what);
            let fault = Fault { what, ..fault };
            Case { plays, probe: probe.clone(), fault }
        }
    };
    subject.forget();
    let what = match case.plays.len() {
        0 => format!("{}, at the start", case.fault.what),
        1 => format!("{}, after 1 play", case.fault.what),
        plays => format!("{}, after {plays} plays", case.fault.what),
    };
    let smallest = Game::replayed(&variant, case.plays.into_iter());
    let transcript = smallest.map(|game| subject.transcript(&game, &case.probe)).unwrap_or_default();
    Ok(Found { what, transcript })
}
