//! A game as a record: what was brought, and what was played here.

use super::seats::{Limit, Recorded, Settings};
use super::{Brought, Cause, End, Node, NodeId, Player, Refusal, Remark, StoredGame, Table};
use crate::games;
use crate::record::{
    self, ANNOTATOR, GameRecord, GameResult, Line, MAX_DEPTH, MoveRecord, RESIGNATION, UNFINISHED, today,
};
use crate::rules::{Color, Outcome};
use crate::session::{HistoryError, SearchInformation, Session};

/// Returns the reason of a loss on time.
fn late(loser: Color) -> String {
    format!("{loser}'s clock ran out")
}

impl Table {
    /// Returns the start position; `None` for that of the variant.
    pub fn start_position(&self) -> Option<String> {
        let start = self.board().fork_at(0).position();
        let variant = self.session.variant();
        // A large board takes a while to open.
        let mut known = self.usual_start.borrow_mut();
        if known.as_ref().is_none_or(|(of, _)| of != variant) {
            *known = games::open(variant).map(|board| (variant.clone(), board.position()));
        }
        let is_usual = known.as_ref().is_some_and(|(_, usual)| *usual == start);
        (!is_usual).then_some(start)
    }

    /// Returns the seat of a side as its record has it.
    fn seat_record(&self, color: Color) -> record::Seat {
        self.seat(color).brought.clone().unwrap_or_else(|| self.new_seat_record(color))
    }

    /// Returns the seat of who plays a side here.
    fn new_seat_record(&self, color: Color) -> record::Seat {
        let settings = Settings {
            threads: self.session.option("Threads").unwrap_or_default(),
            nodes: self.nodes,
            time_ms: self.session.time().as_millis(),
        };
        self.seat(color).record(color, self.seat(!color), &settings)
    }

    /// Forgets the player of a side that a record brought, if another one, or another limit, plays here.
    pub(super) fn take_seat(&mut self, color: Color) {
        let parts = |seat: &record::Seat| (seat.engine.clone(), seat.options.clone(), seat.limit.clone());
        let new = parts(&self.new_seat_record(color));
        let seat = self.seat_mut(color);
        let is_same = seat.brought.as_ref().is_some_and(|brought| parts(brought) == new);
        if !is_same {
            seat.brought = None;
        }
    }

    /// Returns the record of the game up to the present position, which may be unfinished.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pentalith::{games, search::SystemClock, session::Session};
    /// # use pentalith::table::{Action, Player, Table};
    /// # let clock = Arc::new(SystemClock::default());
    /// # let variant = games::parse_variant("markane:4x4").unwrap();
    /// # let session = Session::new(&variant, clock.clone()).unwrap();
    /// let mut table = Table::new(session, [Player::Person; 2], clock);
    /// for step in ["a2", "c3", "d1"] {
    ///     table.apply(Action::Play(step.to_owned())).unwrap();
    /// }
    /// let record = table.record();
    /// assert!(record.to_text().contains("1. a2 c3 2. d1 *"));
    /// ```
    pub fn record(&self) -> GameRecord {
        let lost = |loser: Color| GameResult::of(Some(!loser));
        let [black, white] = Color::BOTH.map(|color| self.seat_record(color));
        let (result, cause, reason, fault) = match (self.end(), self.session.outcome()) {
            (Some(End::Resignation(loser)), _) => (lost(*loser), Cause::Normal, RESIGNATION.to_owned(), None),
            (Some(End::Time(loser)), _) => {
                let fault = if *loser == Color::Black { &black } else { &white };
                (lost(*loser), Cause::Time, late(*loser), Some(fault.name.clone()))
            }
            (Some(End::Recorded { result, cause, reason, fault }), _) => {
                (*result, *cause, reason.clone(), fault.clone())
            }
            (None, Some(Outcome { winner, reason })) => {
                (GameResult::of(winner), Cause::Normal, reason.to_owned(), None)
            }
            (None, None) => (GameResult::Unfinished, Cause::Aborted, UNFINISHED.to_owned(), None),
        };
        let seed = self.session.option("Seed").unwrap_or_default();
        let header = match self.brought.as_ref().and_then(|brought| brought.header.as_deref()) {
            Some(header) => header.clone(),
            None => GameRecord {
                game: 1,
                pair: 1,
                variant: self.session.variant().to_string(),
                date: today(),
                seed: seed.parse().unwrap_or_default(),
                conditions: None,
                start: self.start_position(),
                black: black.clone(),
                white: white.clone(),
                result,
                cause,
                reason: reason.clone(),
                fault: fault.clone(),
                comment: None,
                moves: Vec::new(),
                tags: Vec::new(),
            },
        };
        // An unfinished game that was not continued here keeps the reason that it came with.
        let is_unchanged = self.brought.as_ref().is_some_and(|brought| brought.end == self.current());
        let reason = if is_unchanged && header.result == result && cause == Cause::Aborted {
            header.reason.clone()
        } else {
            reason
        };
        let mut tags = header.tags;
        if let Some(annotator) = &self.annotator {
            tags.retain(|(name, _)| name != ANNOTATOR);
            tags.push((ANNOTATOR.to_owned(), annotator.clone()));
        }
        GameRecord { black, white, result, cause, reason, fault, tags, moves: self.moves(), ..header }
    }

    /// Returns the moves up to the present position, each with what is known of all its plays, and with the variations
    /// that branch off.
    fn moves(&self) -> Vec<MoveRecord> {
        self.line_record(self.path(), 0)
    }

    /// Returns the moves of a line, which is a variation if `depth` is not 0.
    fn line_record(&self, line: Vec<NodeId>, depth: usize) -> Vec<MoveRecord> {
        let mut moves: Vec<MoveRecord> = Vec::new();
        let mut before: Option<&Node> = None;
        for id in line {
            let Some(node) = self.node(id) else {
                break;
            };
            let mut made = MoveRecord::new(&node.text, node.information);
            (made.comment, made.nags) = (node.comment.clone(), node.nags.clone());
            // The first play of a variation is itself one of these.
            if (depth == 0 || before.is_some()) && depth < MAX_DEPTH {
                made.variations = self.variations(id, depth + 1);
            }
            let is_same =
                |last: &Node| (last.color, last.information.is_some()) == (node.color, node.information.is_some());
            match moves.last_mut().filter(|_| before.is_some_and(is_same)) {
                Some(last) => last.join(made),
                None => moves.push(made),
            }
            before = Some(node);
        }
        moves
    }

    /// Returns the lines that begin with other plays than that of a node.
    fn variations(&self, id: NodeId, depth: usize) -> Vec<Line> {
        let parent = self.parent(id).and_then(|parent| self.node(parent));
        let others = parent.map(Node::children).unwrap_or_default().iter().filter(|&&other| other != id);
        let line = |&first: &NodeId| {
            let next = |&id: &NodeId| self.node(id)?.children().first().copied();
            let line = std::iter::successors(Some(first), next).collect();
            let comment = self.node(first).and_then(|node| node.intro.clone());
            Line { comment, moves: self.line_record(line, depth) }
        };
        others.map(line).collect()
    }

    /// Names the program that has annotated the game.
    pub fn set_annotator(&mut self, name: String) {
        self.annotator = Some(name);
    }

    /// Notes what a review says of the move that these plays are, and adds its better line as a variation. Returns the
    /// first node of that line.
    ///
    /// # Errors
    /// If the better line can't be played.
    pub fn annotate(&mut self, plays: &[NodeId], remark: Remark) -> Result<Option<NodeId>, Refusal> {
        let Remark { information, nags, comment, better } = remark;
        let parent = plays.first().and_then(|&first| self.parent(first)).ok_or(Refusal::NoNode)?;
        if let Some(node) = plays.last().and_then(|&last| self.tree.get_mut(last)) {
            let time_ms = node.information.map_or(0, |known| known.time_ms);
            node.information = Some(SearchInformation { time_ms, ..information });
            if node.nags.is_empty() {
                node.nags = nags;
            }
            node.comment = match (node.comment.take(), comment) {
                (Some(known), Some(new)) if !known.contains(&new) => Some(format!("{known} {new}")),
                (known, new) => known.or(new),
            };
        }
        if better.is_empty() {
            return Ok(None);
        }
        let texts = self.tree.path(parent).into_iter().filter_map(|id| Some(self.node(id)?.text.clone()));
        let texts: Vec<String> = texts.collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let variant = self.session.variant();
        let trial = Session::new(variant, self.now.clone());
        let mut trial = trial.ok_or_else(|| Refusal::Variant(Box::new(variant.clone())))?;
        trial.set_history(self.start_position().as_deref(), &texts)?;
        let mut growth = Growth { session: trial, any_pass: true, plays: Vec::new() };
        growth.line(0, better)?;
        let ids = self.add_plays(parent, growth.plays);
        let first = ids.get(1).copied();
        if let Some(node) = first.and_then(|first| self.tree.get_mut(first)) {
            node.intro.get_or_insert_with(|| "better".to_owned());
        }
        Ok(first)
    }

    /// Adds plays behind a node, each with the place of the one before it. Returns the nodes, that one first.
    fn add_plays(&mut self, parent: NodeId, plays: Vec<(usize, Node)>) -> Vec<NodeId> {
        let mut ids = vec![parent];
        for (before, node) in plays {
            let before = ids.get(before).copied().unwrap_or(parent);
            ids.push(self.tree.add(before, node));
        }
        ids
    }

    /// Replaces the game by another one, at its end.
    pub(super) fn load(&mut self, game: StoredGame) -> Result<(), Refusal> {
        let StoredGame { variant, start, moves, header } = game;
        // The game is replayed apart, so that an error leaves the present one as it is.
        let trial = Session::new(&variant, self.now.clone());
        let mut trial = trial.ok_or_else(|| Refusal::Variant(Box::new(variant.clone())))?;
        trial.set_history(start.as_deref(), &[])?;
        let mut growth = Growth { session: trial, any_pass: header.is_some(), plays: Vec::new() };
        let main = growth.line(0, moves)?;
        let plays = growth.plays;
        let before = self.beginning();
        if variant != *self.session.variant() && !self.session.set_variant(&variant) {
            return Err(Refusal::Variant(Box::new(variant)));
        }
        let texts = main.iter().filter_map(|&place| plays.get(place - 1)).map(|(_, node)| node.text.as_str());
        let texts: Vec<&str> = texts.collect();
        self.session.set_history(start.as_deref(), &texts)?;
        self.begin_anew(before);
        let ids = self.add_plays(self.start(), plays);
        let end = main.last().and_then(|&place| ids.get(place));
        self.tree.go_to(end.copied().unwrap_or(self.start()));
        let goes_on = header.as_deref().is_some_and(|header| self.take_header(header));
        if header.is_some() || !main.is_empty() {
            self.brought = Some(Brought { header, end: self.current() });
        }
        let is_engines = self.player() == Player::Engine;
        self.is_paused = is_engines && !goes_on;
        Ok(())
    }

    /// Takes players, levels and the end of the game from its record. Returns true if one of the players was a person
    /// at a table, so that the game continues as it did.
    fn take_header(&mut self, header: &GameRecord) -> bool {
        let seats = [&header.black, &header.white];
        let recorded = seats.map(Recorded::read);
        let is_ours = recorded.contains(&Recorded::Person);
        for ((seat, recorded), brought) in self.seats.iter_mut().zip(recorded).zip(seats) {
            seat.brought = Some(brought.clone());
            if is_ours {
                seat.player = recorded.player();
            }
        }
        if is_ours {
            self.take_limits(recorded);
        }
        let outcome = self.session.outcome();
        let loser = match header.result {
            GameResult::Black => Some(Color::White),
            GameResult::White => Some(Color::Black),
            GameResult::Draw | GameResult::Unfinished => None,
        };
        self.tree.here_mut().end = match (header.cause, loser, outcome) {
            (Cause::Aborted, _, _) | (Cause::Normal, _, Some(_)) => None,
            (Cause::Normal, Some(loser), None) if header.reason == RESIGNATION => Some(End::Resignation(loser)),
            (Cause::Time, Some(loser), None) if header.reason == late(loser) => Some(End::Time(loser)),
            (cause, _, _) => Some(End::Recorded {
                result: header.result,
                cause,
                reason: header.reason.clone(),
                fault: header.fault.clone(),
            }),
        };
        is_ours
    }

    /// Takes the level and the limits of the engine. A limit in nodes that the command line gave stays.
    fn take_limits(&mut self, recorded: [Recorded; 2]) {
        for recorded in recorded {
            let Recorded::Engine { level, limit } = recorded else {
                continue;
            };
            self.set_level(level);
            let nodes = match limit {
                Some(Limit::Nodes(nodes)) => nodes,
                Some(Limit::MoveTime(time)) => {
                    self.session.set_time(time);
                    0
                }
                None => 0,
            };
            self.nodes = if self.own_nodes > 0 { self.own_nodes } else { nodes };
        }
    }
}

/// The tree of a game from elsewhere, as it is replayed.
struct Growth {
    session: Session,
    any_pass: bool,
    /// Plays, each with the place of the one before it: 0 for the start, or one more than its index here.
    plays: Vec<(usize, Node)>,
}

impl Growth {
    /// Plays a line from the present position, behind a play, and takes it back. Returns the places of its plays.
    fn line(&mut self, parent: usize, moves: Vec<MoveRecord>) -> Result<Vec<usize>, Refusal> {
        let mut line: Vec<usize> = Vec::new();
        let mut last_mover = None;
        for (index, made) in moves.into_iter().enumerate() {
            let before = line.last().copied().unwrap_or(parent);
            let (side, turn) = (self.session.side(), self.session.turn());
            let text = self.session.play_text(side, &made.text, self.any_pass);
            let text = text.map_err(|why| HistoryError::at(index, &made.text, side, last_mover, why))?;
            last_mover = Some(side);
            let mut node = Node::new(side, turn, text.clone());
            (node.information, node.comment, node.nags) = (made.information, made.comment, made.nags);
            self.plays.push((before, node));
            line.push(self.plays.len());
            if made.variations.is_empty() {
                continue;
            }
            self.session.undo();
            for Line { comment, moves } in made.variations {
                let variation = self.line(before, moves)?;
                if let Some((_, first)) = variation.first().and_then(|&place| self.plays.get_mut(place - 1)) {
                    first.intro = comment;
                }
            }
            let again = self.session.play(side, &text, false);
            again.map_err(|why| HistoryError::at(index, &text, side, last_mover, why))?;
        }
        for _ in 0..line.len() {
            self.session.undo();
        }
        Ok(line)
    }
}
