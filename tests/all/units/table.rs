//! A game at a table: the tree of moves, undo, clocks, records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use pentalith::games;
use pentalith::record::{Cause, GameRecord, GameResult, parse_games};
use pentalith::review::{Budget, Evaluations, Settings, TableGame, review};
use pentalith::rules::Color;
use pentalith::search::Clock;
use pentalith::session::{Level, Overtime, Session, TimeSettings};
use pentalith::table::{Action, Change, End, NewGame, Player, Purpose, Refusal, Span, StoredGame, Table};

/// A clock that tests put forward, in milliseconds.
#[derive(Default)]
struct Hands(AtomicU64);

impl Hands {
    fn pass(&self, seconds: u64) {
        self.0.fetch_add(1000 * seconds, Ordering::Relaxed);
    }
}

impl Clock for Hands {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

const PEOPLE: [Player; 2] = [Player::Person; 2];

/// Black is a person, White the engine.
const MIXED: [Player; 2] = [Player::Person, Player::Engine];

fn timed(variant: &str, players: [Player; 2]) -> (Table, Arc<Hands>) {
    let hands = Arc::<Hands>::default();
    let variant = games::parse_variant(variant).unwrap();
    let mut session = Session::new(&variant, hands.clone()).unwrap();
    session.set_option("Nodes", "50").unwrap();
    (Table::new(session, players, hands.clone()), hands)
}

fn table(variant: &str, players: [Player; 2]) -> Table {
    timed(variant, players).0
}

fn play(table: &mut Table, moves: &[&str]) {
    for text in moves {
        table.apply(Action::Play((*text).to_owned())).unwrap();
    }
}

/// Plays the first legal step of a person.
fn play_any(table: &mut Table) {
    let first = table.session().legal().remove(0);
    play(table, &[&first]);
}

/// Lets the engine play what is due.
fn wait(table: &mut Table) -> Vec<Change> {
    let mut changes = table.resume().unwrap();
    while let Some(events) = table.events().cloned() {
        changes.extend(table.receive(events.recv().ok()));
        changes.extend(table.resume().unwrap());
    }
    changes
}

fn undo(times: u32) -> Action {
    Action::Undo { span: Span::Play, times }
}

fn redo(times: u32) -> Action {
    Action::Redo { times }
}

fn load(table: &mut Table, record: &GameRecord) {
    let variant = games::parse_variant(&record.variant).unwrap();
    table.apply(Action::Load(Box::new(StoredGame::of(variant, record.clone())))).unwrap();
}

/// The texts of the moves that the record has.
fn texts(table: &Table) -> Vec<String> {
    table.record().moves.into_iter().map(|made| made.text).collect()
}

#[test]
fn a_new_move_never_throws_an_old_line_away() {
    let mut table = table("markane:4x4", PEOPLE);
    play(&mut table, &["a2", "b1", "c4"]);
    let old = table.path();
    table.apply(undo(2)).unwrap();
    assert_eq!(texts(&table), ["a2"]);
    // What was taken back is still what comes next.
    assert_eq!(table.line(), old);
    play(&mut table, &["d1"]);
    assert_eq!(texts(&table), ["a2", "d1"]);
    let first = table.node(old[0]).unwrap();
    assert_eq!(first.children(), [old[1], table.current()], "the main line stays first");
    table.apply(Action::GoTo(old[2])).unwrap();
    assert_eq!(texts(&table), ["a2", "b1", "c4"]);
    // The same move again is the same node.
    table.apply(undo(2)).unwrap();
    play(&mut table, &["d1"]);
    assert_eq!(table.node(old[0]).unwrap().children().len(), 2);
    let refused = table.apply(redo(1));
    assert_eq!(refused.unwrap_err(), Refusal::NothingToRedo);
}

#[test]
fn lines_are_promoted_and_removed() {
    let mut table = table("markane:4x4", PEOPLE);
    play(&mut table, &["a2", "b1", "c4"]);
    let old = table.path();
    table.apply(undo(2)).unwrap();
    play(&mut table, &["d1"]);
    let new = table.current();
    table.apply(Action::Promote(new)).unwrap();
    assert_eq!(table.node(old[0]).unwrap().children(), [new, old[1]]);
    // A line that was left is removed, and then the one that the game follows.
    table.apply(Action::Remove(old[1])).unwrap();
    assert_eq!(texts(&table), ["a2", "d1"]);
    table.apply(Action::Remove(new)).unwrap();
    assert_eq!((texts(&table), table.can_redo()), (vec!["a2".to_owned()], false));
    assert!(table.node(old[0]).unwrap().children().is_empty());
    assert_eq!(table.apply(Action::Remove(table.start())).unwrap_err(), Refusal::NoNode);
    assert!(table.apply(Action::Promote(pentalith::table::NodeId(99))).is_err());
}

#[test]
fn a_new_game_a_position_and_a_load_can_be_taken_back() {
    let mut table = table("markane:4x4", MIXED);
    play(&mut table, &["a2"]);
    wait(&mut table);
    let game = texts(&table);
    let other = NewGame { variant: games::parse_variant("gravel:3").ok(), players: Some(PEOPLE), ..NewGame::default() };
    table.apply(Action::New(Box::new(other))).unwrap();
    play(&mut table, &["b2"]);
    let position = table.session().position();
    table.apply(Action::Position(position.clone())).unwrap();
    assert!(!table.can_redo());
    // One game after the other, with its players; an undo within a game comes first.
    table.apply(undo(1)).unwrap();
    assert_eq!((texts(&table), table.players()), (vec!["b2".to_owned()], PEOPLE));
    table.apply(undo(1)).unwrap();
    assert_eq!(texts(&table), [""; 0]);
    assert!(matches!(table.apply(undo(1)).unwrap().as_slice(), [Change::Resumed]));
    assert_eq!((texts(&table), table.players()), (game, MIXED));
    assert_eq!(table.session().variant().to_string(), "markane:4x4");
    // And forward again, with what was played there.
    assert!(matches!(table.apply(redo(1)).unwrap().as_slice(), [Change::Resumed]));
    table.apply(redo(1)).unwrap();
    assert_eq!(texts(&table), ["b2"]);
    table.apply(redo(1)).unwrap();
    assert_eq!((table.session().position(), table.can_redo()), (position, false));
}

#[test]
fn undo_and_redo_take_any_number_and_stop_where_a_person_decides() {
    let mut table = table("markane:4x4", MIXED);
    for text in ["a2", "d1"] {
        play(&mut table, &[text]);
        wait(&mut table);
    }
    let end = table.current();
    assert_eq!(table.apply(undo(1)).unwrap().len(), 1);
    assert_eq!(table.path().len(), 2);
    assert!(table.is_persons_turn());
    table.apply(undo(9)).unwrap();
    assert_eq!((table.current(), table.can_undo()), (table.start(), false));
    assert_eq!(table.apply(undo(1)).unwrap_err(), Refusal::NothingToUndo);
    assert_eq!(table.apply(redo(9)).unwrap().len(), 2);
    assert_eq!(table.current(), end);
    // Turns of several steps: one of them, or the whole turn.
    let mut table = self::table("gravel:3", PEOPLE);
    play(&mut table, &["b2", "b2", "-b2", "end", "a1"]);
    table.apply(Action::Undo { span: Span::Turn, times: 1 }).unwrap();
    assert_eq!(texts(&table), ["b2,b2,-b2,end"]);
    table.apply(Action::Undo { span: Span::Turn, times: 1 }).unwrap();
    assert_eq!(table.current(), table.start());
    table.apply(redo(1)).unwrap();
    assert_eq!(texts(&table), ["b2,b2,-b2,end"]);
    table.apply(undo(1)).unwrap();
    assert_eq!(texts(&table), ["b2,b2,-b2"]);
}

#[test]
fn clicks_select_let_go_and_play() {
    let mut table = table("gravel:3", PEOPLE);
    let click = |table: &mut Table, point: &str| table.apply(Action::Click(point.to_owned()));
    click(&mut table, "b2").unwrap();
    click(&mut table, "b2").unwrap();
    assert_eq!(table.selected(), Some("b2"));
    // Undo gives the selection up first.
    table.apply(undo(1)).unwrap();
    assert_eq!((table.selected(), table.path().len()), (None, 1));
    let before = table.session().position();
    assert!(matches!(click(&mut table, "z9").unwrap_err(), Refusal::Play(_)));
    assert_eq!(table.session().position(), before);
}

#[test]
fn the_engine_answers_and_waits_behind_an_undo() {
    let mut table = table("markane:4x4", MIXED);
    play(&mut table, &["a2"]);
    assert_eq!(table.apply(Action::Play("b1".to_owned())).unwrap_err(), Refusal::EnginesTurn(Color::White));
    let changes = wait(&mut table);
    assert!(matches!(
        changes.as_slice(),
        [Change::Searches(Purpose::Move), .., Change::Played { by: Player::Engine, .. }]
    ));
    let made = table.record().moves.pop().unwrap();
    assert!(made.information.unwrap().score.is_some() && made.information.unwrap().nodes.unwrap() > 0);
    let first = table.path()[0];
    table.apply(Action::GoTo(first)).unwrap();
    assert!(table.is_waiting() && wait(&mut table).is_empty());
    // While it waits, a person may move for it; then it answers for the other side, if it plays it.
    table.apply(Action::Continue).unwrap();
    wait(&mut table);
    assert_eq!(table.path().len(), 2);
    table.apply(Action::Hint).unwrap();
    wait(&mut table);
    assert!(table.session().check(&table.hint().unwrap().text()).is_ok());
}

#[test]
fn a_game_comes_back_as_it_was_saved() {
    let mut saved = table("invector:5x4,pie=off", [Player::Engine, Player::Person]);
    saved.apply(Action::Level("weak".parse().unwrap())).unwrap();
    wait(&mut saved);
    play_any(&mut saved);
    wait(&mut saved);
    play_any(&mut saved);
    let mut record = saved.record();
    assert!(record.black.options.contains("Strength=weak"), "{record:?}");
    record.date = "1999.12.31".to_owned();
    record.white.name = "Ada".to_owned();
    record.seed = 7;
    record.moves[0].comment = Some("well begun".to_owned());
    record.tags = vec![("Event".to_owned(), "Club evening".to_owned()), ("Annotator".to_owned(), "B".to_owned())];
    let mut table = table("invictus", MIXED);
    load(&mut table, &record);
    assert_eq!(table.record(), record);
    assert_eq!(parse_games(&table.record().to_text()).games, [record.clone()]);
    assert_eq!(table.players(), [Player::Engine, Player::Person]);
    assert_eq!(table.level().to_string(), "weak");
    // It goes on as it did: the engine is to move.
    wait(&mut table);
    let later = table.record();
    assert_eq!(later.moves.len(), record.moves.len() + 1);
    assert_eq!(later.moves[..record.moves.len()], record.moves);
    assert_eq!((&later.white, &later.black, &later.tags), (&record.white, &record.black, &record.tags));
    // Of another level that plays, the record is told.
    table.apply(Action::Level(Level::default())).unwrap();
    assert_eq!(table.record().black, record.black);
    while table.session().side() == Color::White {
        play_any(&mut table);
    }
    wait(&mut table);
    assert!(table.record().black.options.contains("Strength=best"));
    assert_eq!(table.record().white, record.white);
}

#[test]
fn variations_are_loaded_played_and_saved() {
    let text = "markane:4x4\n{first} 1. a2! {good} ({instead} 1. b2 d1 (1... d4 $2)) b1 2. d4 (2. c4)\n";
    let read = pentalith::record::read_games(std::path::Path::new("x"), text).unwrap();
    let record = read.games[0].clone();
    let mut table = table("invictus", PEOPLE);
    load(&mut table, &record);
    assert_eq!(table.record().moves, record.moves);
    assert_eq!(table.record().comment.as_deref(), Some("first"));
    // What is played behind an undo is another variation.
    table.apply(undo(1)).unwrap();
    play(&mut table, &["d3"]);
    let moves = table.record().moves;
    let others: Vec<&str> = moves[2].variations.iter().map(|line| line.moves[0].text.as_str()).collect();
    assert_eq!((moves[2].text.as_str(), others), ("d3", vec!["d4", "c4"]));
    assert_eq!(moves[..2], record.moves[..2]);
    let mut wrong = record.clone();
    wrong.moves[0].variations[0].moves[0].text = "a9".to_owned();
    let variant = games::parse_variant("markane:4x4").unwrap();
    table.apply(Action::Load(Box::new(StoredGame::of(variant, wrong)))).unwrap_err();
    assert_eq!(table.record().moves, moves);
}

#[test]
fn a_match_is_shown_with_its_players_and_its_end() {
    let mut saved = table("markane:4x4", PEOPLE);
    play(&mut saved, &["a2", "b1"]);
    let mut record = saved.record();
    for seat in [&mut record.black, &mut record.white] {
        (seat.engine, seat.limit) = ("gtp other".to_owned(), "tc 10+0.1".to_owned());
    }
    record.white.name = "Other".to_owned();
    (record.result, record.cause, record.reason) = (GameResult::Black, Cause::Time, "3.1 s for a move".to_owned());
    record.fault = Some("Other".to_owned());
    let mut table = table("markane:4x4", MIXED);
    load(&mut table, &record);
    assert_eq!(table.record(), record);
    assert_eq!((table.players(), table.winner()), (MIXED, Some(Some(Color::Black))));
    assert!(wait(&mut table).is_empty());
    // Who looks back and forth finds the end again.
    let end = table.current();
    table.apply(Action::GoTo(table.start())).unwrap();
    assert!(!table.is_over());
    table.apply(Action::GoTo(end)).unwrap();
    assert_eq!(table.record(), record);
    // Another move is by who sits here.
    table.apply(undo(1)).unwrap();
    play(&mut table, &["c4"]);
    assert_eq!(table.record().black.engine, "person");
    assert_eq!(table.record().white, record.white);
}

#[test]
fn what_can_not_be_loaded_changes_nothing() {
    let mut table = table("markane:4x4", PEOPLE);
    play(&mut table, &["a2", "b1"]);
    let before = table.record();
    let mut wrong = before.clone();
    wrong.moves[1].text = "a2".to_owned();
    let variant = games::parse_variant("markane:4x4").unwrap();
    let refused = table.apply(Action::Load(Box::new(StoredGame::of(variant, wrong)))).unwrap_err();
    assert!(refused.to_string().starts_with("illegal move: move 2, \"a2\": "), "{refused}");
    assert_eq!(table.record(), before);
}

/// A clock of ten seconds, with two for each move.
const CLOCKS: TimeSettings =
    TimeSettings { main: Duration::from_secs(10), overtime: Overtime::Increment(Duration::from_secs(2)) };

fn left(table: &Table) -> [u64; 2] {
    let clock = table.clock().unwrap();
    Color::BOTH.map(|color| clock.left(color).time.as_secs())
}

#[test]
fn undo_gives_the_clocks_of_the_position_back() {
    let (mut table, hands) = timed("markane:4x4", PEOPLE);
    table.apply(Action::Clocks(Some(CLOCKS))).unwrap();
    hands.pass(100);
    assert!(!table.is_clock_running());
    // The clocks start with the first play.
    play(&mut table, &["a2"]);
    assert_eq!(left(&table), [12, 10]);
    hands.pass(3);
    assert_eq!(left(&table), [12, 7]);
    play(&mut table, &["b1"]);
    assert_eq!(left(&table), [12, 9]);
    hands.pass(5);
    play(&mut table, &["c4"]);
    assert_eq!(left(&table), [9, 9]);
    table.apply(undo(1)).unwrap();
    assert_eq!((left(&table), table.is_clock_running()), ([12, 9], false));
    table.apply(redo(1)).unwrap();
    assert_eq!(left(&table), [9, 9]);
    let times: Vec<u64> = table.record().moves.iter().map(|made| made.information.unwrap().time_ms).collect();
    assert_eq!(times, [100_000, 3_000, 5_000]);
}

#[test]
fn a_loss_on_time_that_is_taken_back_gives_the_time_back() {
    let (mut table, hands) = timed("markane:4x4", PEOPLE);
    table.apply(Action::Clocks(Some(CLOCKS))).unwrap();
    play(&mut table, &["a2"]);
    assert!(table.check_clock().is_none());
    hands.pass(11);
    assert!(matches!(table.check_clock(), Some(Change::Ended(End::Time(Color::White)))));
    assert_eq!((left(&table), table.winner()), ([12, 0], Some(Some(Color::Black))));
    assert_eq!(table.record().cause, Cause::Time);
    assert_eq!(table.apply(Action::Play("b1".to_owned())).unwrap_err(), Refusal::Over);
    table.apply(undo(1)).unwrap();
    assert_eq!((left(&table), table.is_over()), ([12, 10], false));
    hands.pass(50);
    play(&mut table, &["b1"]);
    assert!(table.check_clock().is_none());
    assert_eq!(left(&table), [12, 12]);
}

#[test]
fn who_can_not_resign_is_told() {
    let mut table = table("markane:4x4", [Player::Engine; 2]);
    assert_eq!(table.apply(Action::Resign).unwrap_err(), Refusal::NobodyResigns);
    table.apply(Action::Seats(MIXED)).unwrap();
    play(&mut table, &["a2"]);
    // It is the engine's turn, and the person may give up all the same.
    table.apply(Action::Resign).unwrap();
    let record = table.record();
    assert_eq!((record.result, record.reason.as_str()), (GameResult::White, "resignation"));
    table.apply(undo(1)).unwrap();
    assert_eq!(table.record().result, GameResult::Unfinished);
}

#[test]
fn a_review_is_noted_in_the_tree() {
    let mut table = table("gravel:4,x=3", PEOPLE);
    for text in ["a1", "b2", "c3", "d4", "a4", "b1"] {
        play(&mut table, &[text]);
    }
    let game = TableGame::of(&table);
    let settings = Settings { budget: Budget::Nodes(300), jobs: 1, hash: 1 };
    let stop = AtomicBool::new(false);
    let mut review = review(&game.record, &settings, &mut Evaluations::default(), &stop, &mut |_, _| {}).unwrap();
    assert_eq!(review.moves.iter().map(|made| made.text.as_str()).collect::<Vec<_>>(), ["a1,b2,c3", "d4,a4,b1"]);
    assert_eq!(game.plays(1).len(), 3);
    // As if the second move had been a mistake.
    let second = &mut review.moves[1];
    second.is_mistake = true;
    second.loss = 0.3;
    let best = second.best.clone();
    let better = game.annotate(&mut table, &review)[1].unwrap();
    let text = table.record().to_text();
    assert_eq!(parse_games(&text).games[0], table.record());
    assert!(text.contains("became") && text.contains("(") && text.contains("$4"), "{text}");
    table.apply(Action::GoTo(better)).unwrap();
    assert_eq!(table.session().moves(), ["a1,b2,c3".to_owned(), best]);
    // The same review again changes nothing.
    let before = table.record();
    game.annotate(&mut table, &review);
    assert_eq!(table.record(), before);
}
