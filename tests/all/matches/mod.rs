//! `pentalith match`: bad engines lose and never stop it, a killed match goes on, and its parts make the whole.
#![cfg(unix)]

mod engine_file;
mod kept;
mod peers;
mod referee;
mod screen;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use pentalith::record::{Cause, GameRecord, GameResult, Score, parse_games};

const PROGRAM: &str = env!("CARGO_BIN_EXE_pentalith");

/// A folder of a test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    let arguments = shlex::split(arguments).unwrap();
    command.args(arguments).current_dir(folder).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

/// Runs the program; the words of its command line as a shell reads them.
pub fn run(folder: &Path, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The games of a record, which must be whole.
pub fn games(path: &Path) -> Vec<GameRecord> {
    let read = parse_games(&fs::read_to_string(path).unwrap());
    assert_eq!(read.error, None);
    read.games
}

/// Returns the text without dates and times, which depend on the machine.
fn same_everywhere(games: &[GameRecord]) -> Vec<GameRecord> {
    let mut games = games.to_vec();
    for game in &mut games {
        game.date.clear();
        for made in &mut game.moves {
            if let Some(information) = &mut made.information {
                information.time_ms = 0;
            }
        }
    }
    games
}

const MATCH: &str = "match invector:5x4 --engine a=uct --engine b=uct --nodes a:300 --nodes b:60 --concurrency 2 \
                     --quiet --seed 7";

#[test]
fn a_match_that_is_killed_at_any_moment_goes_on() {
    let folder = folder("killed");
    let arguments = format!("{MATCH} --games 60");
    let whole = run(&folder, &format!("{arguments} --record whole.pgn"));
    assert!(whole.status.success());
    let whole = same_everywhere(&games(&folder.join("whole.pgn")));
    assert_eq!(whole.len(), 60);

    let resumed = format!("{arguments} --record killed.pgn --json killed.json");
    let mut wait = Duration::from_millis(3);
    for _ in 0..20 {
        let mut child = command(&folder, &resumed).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(wait);
        wait = Duration::from_millis((wait.as_millis() as u64 * 7 + 5) % 41);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = run(&folder, &resumed);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(same_everywhere(&games(&folder.join("killed.pgn"))), whole);
    let json = fs::read_to_string(folder.join("killed.json")).unwrap();
    let json: Vec<GameRecord> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(same_everywhere(&json), whole);
    assert!(!folder.join("killed.pgn.waiting").exists());
    // Once more changes nothing, and reports the same.
    let again = run(&folder, &resumed);
    assert_eq!(again.stdout, output.stdout);
}

#[test]
fn what_is_cut_off_is_played_again_and_what_is_another_match_is_refused() {
    let folder = folder("cut");
    let record = folder.join("games.pgn");
    let arguments = format!("{MATCH} --games 6 --record games.pgn");
    assert!(run(&folder, &arguments).status.success());
    let whole = fs::read_to_string(&record).unwrap();
    let expected = same_everywhere(&games(&record));
    for length in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 3, whole.len() - 1] {
        fs::write(&record, &whole[..length]).unwrap();
        assert!(run(&folder, &arguments).status.success(), "{length}");
        assert_eq!(same_everywhere(&games(&record)), expected, "{length}");
    }
    for (other, what) in [
        ("--seed 8", "the seed was 7 and is now 8"),
        ("--games 4", "its place in the schedule"),
        ("--option a:Threads=2", "an engine's options"),
        ("--openings start", "the opening"),
        (
            "--max-moves 80 --resign 500,3",
            "the conditions of the match was time-margin 200 balance 0.1 and is now time-margin 200 balance 0.1 max-moves 80 resign 500,3",
        ),
        ("--balance 0.2", "and is now time-margin 200 balance 0.2"),
    ] {
        let output = run(
            &folder,
            &format!(
                "{} {other}",
                arguments.replace("--seed 7", "").replace(
                    "--games 6",
                    match other {
                        "--games 4" => "--seed 7",
                        "--seed 8" => "--games 6",
                        _ => "--games 6 --seed 7",
                    }
                )
            ),
        );
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(what), "{errors}");
    }
    assert_eq!(same_everywhere(&games(&record)), expected);
    // Older records do not say what held for every game.
    let conditions = "[Conditions \"time-margin 200 balance 0.1\"]\n";
    assert_eq!(whole.matches(conditions).count(), 6);
    fs::write(&record, whole.replace(conditions, "")).unwrap();
    assert!(run(&folder, &arguments).status.success());
    // Whoever reads such a file is told.
    fs::write(&record, &whole[..whole.len() - 30]).unwrap();
    for (reading, status) in [("stats", 0), ("replay", 1)] {
        let output = run(&folder, &format!("{reading} games.pgn"));
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(told.contains("is incomplete"), "{told}");
    }
    fs::write(&record, &whole).unwrap();
    // A line of JSON that is to be written on is whole with its end only.
    let json = arguments.replace("--record", "--json");
    assert!(run(&folder, &json.replace("games.pgn", "games.json")).status.success());
    let path = folder.join("games.json");
    let lines = fs::read_to_string(&path).unwrap();
    fs::write(&path, &lines[..lines.len() - 1]).unwrap();
    let output = text(&run(&folder, "replay games.json").stdout);
    assert!(output.starts_with("6 games, "), "{output}");
    assert!(output.ends_with(": all as the rules say\n"), "{output}");
    for length in [lines.len() - 1, lines.len() / 2] {
        fs::write(&path, &lines[..length]).unwrap();
        assert!(run(&folder, &json.replace("games.pgn", "games.json")).status.success(), "{length}");
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 6);
    }
    // Two files must agree.
    let both = format!("{arguments} --json games.json");
    fs::write(&path, lines.replacen("\"result\":\"black\"", "\"result\":\"draw\"", 1)).unwrap();
    let output = run(&folder, &both);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("is not the one of the other files"), "{output:?}");
    let output = run(&folder, &arguments.replace("games.pgn", "/dev/stdin"));
    assert!(text(&output.stderr).contains("/dev/stdin: a record must be a plain file"), "{output:?}");
    // What is no record at all is left alone.
    fs::write(&record, "my notes\nline two\n").unwrap();
    assert_eq!(run(&folder, &arguments).status.code(), Some(2));
    assert_eq!(run(&folder, "stats games.pgn").status.code(), Some(2));
    assert_eq!(fs::read_to_string(&record).unwrap(), "my notes\nline two\n");
    fs::write(&record, "my notes\n\n").unwrap();
    let output = run(&folder, &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("games.pgn, line 1, column 1: expected"), "{output:?}");
    assert_eq!(fs::read_to_string(&record).unwrap(), "my notes\n\n");
}

fn interrupt(child: &Child) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
}

#[test]
fn the_first_interrupt_finishes_games_and_the_second_stops_at_once() {
    let folder = folder("interrupted");
    let record = folder.join("games.pgn");
    let arguments = "match invector:5x4 --engine a=uct --engine b=uct --nodes 3000 --games 100000 --concurrency 2 \
                     --record games.pgn";
    let begin = || {
        let mut child = command(&folder, arguments);
        let child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let before = fs::read_to_string(&record).unwrap_or_default().len();
        let deadline = Instant::now() + Duration::from_secs(60);
        while fs::read_to_string(&record).unwrap_or_default().len() <= before {
            assert!(Instant::now() < deadline, "no game ends");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    };
    let end = |child: Child| {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let numbers: Vec<u64> = games(&record).iter().map(|game| game.game).collect();
        let all: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, all);
        text(&output.stderr)
    };
    let child = begin();
    interrupt(&child);
    let errors = end(child);
    assert!(errors.contains("running games are finished"), "{errors}");
    assert!(errors.contains("interrupted; 0 running games were aborted"), "{errors}");
    assert!(!folder.join("games.pgn.waiting").exists());

    let mut child = begin();
    interrupt(&child);
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    while !line.contains("running games are finished") {
        line.clear();
        assert_ne!(errors.read_line(&mut line).unwrap(), 0);
    }
    interrupt(&child);
    end(child);
}

#[test]
fn parts_of_a_match_make_the_whole() {
    let folder = folder("shards");
    let whole = run(&folder, &format!("{MATCH} --games 30 --record whole.pgn"));
    for part in 1..=3 {
        let part = format!("{MATCH} --games 30 --record part{part}.pgn --shard {part}/3");
        assert!(run(&folder, &part).status.success());
    }
    let stats = run(&folder, "stats part3.pgn part1.pgn part2.pgn");
    assert_eq!(text(&stats.stdout), text(&whole.stdout));
    // Pairs are made within a file, and two runs are the sum of both.
    let other = format!("{MATCH} --games 30 --record other.pgn").replace("--seed 7", "--seed 7 --option a:Seed=5");
    assert!(run(&folder, &other).status.success());
    let pairs = |files: &str| -> Vec<u64> {
        let report = text(&run(&folder, &format!("stats {files}")).stdout);
        let line = report.lines().find(|line| line.contains("pairs")).unwrap().to_owned();
        let counts = line.split(", ").map(|part| part.rsplit(' ').next().unwrap().parse().unwrap());
        counts.collect()
    };
    let (one, two) = (pairs("whole.pgn"), pairs("other.pgn"));
    let sum: Vec<u64> = one.iter().zip(two).map(|(a, b)| a + b).collect();
    assert_eq!(pairs("whole.pgn other.pgn"), sum);
    // A game without its partner is said to be left out.
    let text_of_whole = fs::read_to_string(folder.join("whole.pgn")).unwrap();
    let second = text_of_whole.match_indices("[Event").nth(1).unwrap().0;
    fs::write(folder.join("odd.pgn"), &text_of_whole[second..]).unwrap();
    let odd = text(&run(&folder, "stats odd.pgn").stdout);
    assert!(odd.contains("\na against b\n"), "{odd}");
    assert!(odd.contains("left out below   1 game without the other half of a pair"), "{odd}");
    // Games that are given twice count once.
    let twice = run(&folder, "stats whole.pgn part2.pgn");
    let twice = text(&twice.stdout);
    let note = "note: 10 games given more than once and counted once\n";
    assert_eq!(twice.replace(note, ""), text(&whole.stdout));
    assert!(twice.contains(note), "{twice}");
    // Also where the other half of a pair is in another file.
    let third = text_of_whole.match_indices("[Event").nth(3).unwrap().0;
    fs::write(folder.join("three.pgn"), &text_of_whole[..third]).unwrap();
    let twice = text(&run(&folder, "stats three.pgn whole.pgn").stdout);
    let note = "note: 3 games given more than once and counted once\n";
    assert_eq!(twice.replace(note, ""), text(&whole.stdout));
}

#[test]
fn gnu_parallel_spreads_a_match() {
    let folder = folder("parallel");
    let whole = run(&folder, &format!("{MATCH} --games 12 --record whole.pgn"));
    let line = format!("{PROGRAM} {MATCH} --games 12 --record part{{}}.pgn --shard {{}}/3 >/dev/null");
    let parallel = Command::new("parallel")
        .args(["--will-cite", "-j", "2", &line, ":::", "1", "2", "3"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output();
    let parallel = match parallel {
        Ok(output) => output,
        Err(error) => return crate::clients::skip("GNU parallel does not run", &error.to_string()),
    };
    assert!(parallel.status.success(), "{parallel:?}");
    let stats = run(&folder, "stats part1.pgn part2.pgn part3.pgn");
    assert_eq!(text(&stats.stdout), text(&whole.stdout));
}

#[test]
fn processes_of_both_protocols_play_every_game() {
    let folder = folder("all-games");
    for variant in ["invector:5x4", "gravel:4,x=2", "markane:4x4", "inversion:3", "invictus"] {
        let engines = format!(
            "--engine 'steps=ugi:{PROGRAM} ugi' --option steps:Moves=step --engine 'whole=gtp:{PROGRAM} gtp' \
             --engine 'found={PROGRAM} gtp invector'"
        );
        let record = format!("{}.pgn", variant.replace([':', ','], "-"));
        let arguments =
            format!("match {variant} {engines} --nodes 5 --games 2 --format gauntlet --timeout 60 --record {record}");
        let output = run(&folder, &arguments);
        let report = text(&output.stdout);
        assert!(report.contains("\nends  normal 4\n"), "{report}{}", text(&output.stderr));
        let replay = text(&run(&folder, &format!("replay {record}")).stdout);
        assert!(replay.ends_with(": all as the rules say\n"), "{replay}");
    }
}

#[test]
fn a_test_of_strength_ends_the_match_and_says_so() {
    let folder = folder("sprt");
    let two = |a: u32, b: u32, more: &str| {
        let arguments =
            format!("match invector:5x4 --engine a=uct --engine b=uct --nodes a:{a} --nodes b:{b} --quiet {more}");
        let output = run(&folder, &arguments);
        (output.status.code().unwrap(), text(&output.stdout))
    };
    let (status, report) = two(500, 5, "--games 400 --sprt 0,200 --record h1.pgn");
    assert_eq!(status, 0, "{report}");
    assert!(report.contains("H1 is accepted"), "{report}");
    assert!(games(&folder.join("h1.pgn")).len() < 400);
    // Run again, it is over at once; its record says the same.
    assert_eq!(two(500, 5, "--games 400 --sprt 0,200 --record h1.pgn"), (0, report.clone()));
    let stats = run(&folder, "stats h1.pgn --sprt 0,200");
    assert_eq!(text(&stats.stdout), report);
    // Without pairs there is nothing to test.
    let (status, _) = two(5, 5, "--games 2 --no-pairs --record single.pgn");
    assert_eq!(status, 0);
    let stats = run(&folder, "stats single.pgn --sprt 0,200");
    assert_eq!(stats.status.code(), Some(2), "{stats:?}");
    assert!(text(&stats.stderr).contains("--sprt compares two engines by pairs of games"));
    fs::write(folder.join("empty.pgn"), "").unwrap();
    let stats = run(&folder, "stats empty.pgn --sprt 0,200");
    assert_eq!(stats.status.code(), Some(2), "{stats:?}");

    let (status, report) = two(5, 500, "--games 400 --sprt -200,0");
    assert_eq!(status, 4, "{report}");
    let (status, report) = two(5, 5, "--games 2 --sprt 0,5");
    assert_eq!(status, 5, "{report}");
    assert!(report.contains("undecided"), "{report}");
}

/// After how many moves of a game of Invector, before its end, one player has thought itself behind in each of its last few
/// moves and the other ahead, and who is ahead.
fn decided(game: &GameRecord, centipawns: u32, long_enough: usize) -> Option<(usize, GameResult)> {
    (1..game.moves.len()).find_map(|count| {
        let last = |color: usize| -> Vec<i64> {
            let own = game.moves[..count].iter().skip(color).step_by(2);
            let information =
                own.filter_map(|made| made.information).filter(|information| information.nodes != Some(0));
            let mut scores: Vec<i64> = information
                .filter_map(|information| information.score)
                .map(|score| match score {
                    Score::Cp(cp) => i64::from(cp),
                    Score::Mate(moves) => i64::from(moves.signum()) * 10_000_000,
                })
                .collect();
            scores.split_off(scores.len().saturating_sub(long_enough))
        };
        let all = |scores: &[i64], sign: i64| {
            scores.len() == long_enough && scores.iter().all(|score| sign * score >= centipawns.into())
        };
        let (black, white) = (last(0), last(1));
        match () {
            () if all(&black, 1) && all(&white, -1) => Some((count, GameResult::Black)),
            () if all(&black, -1) && all(&white, 1) => Some((count, GameResult::White)),
            () => None,
        }
    })
}

#[test]
fn a_game_that_both_think_decided_is_cut_off_and_nothing_else_changes() {
    let folder = folder("resigned");
    let arguments = "match invector:5x4 --engine a=pvs --engine b=pvs --nodes 400 --games 20 --quiet --seed 3";
    let play = |more: &str| {
        let output = run(&folder, &format!("{arguments} {more}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    play("--record whole.pgn");
    let whole = same_everywhere(&games(&folder.join("whole.pgn")));
    for (centipawns, least, long_enough) in [(500, 10, 2), (300, 1, 4), (1_000_000, 1, 1), (1, 0, 1000)] {
        let record = format!("{centipawns}.pgn");
        let report = play(&format!("--record {record} --resign {centipawns},{long_enough}"));
        let short = same_everywhere(&games(&folder.join(&record)));
        assert_eq!(short.len(), whole.len());
        let mut cut_off = 0;
        for (short, whole) in short.iter().zip(&whole) {
            let Some((moves, winner)) = decided(whole, centipawns, long_enough) else {
                let conditions = short.conditions.clone();
                let whole = whole.clone();
                assert_eq!(*short, GameRecord { conditions, ..whole });
                continue;
            };
            assert_eq!(short.moves, whole.moves[..moves]);
            assert_eq!((short.cause, short.result), (Cause::Adjudication, winner));
            assert_eq!(short.fault, None);
            cut_off += 1;
        }
        assert!(cut_off >= least, "{report}");
        assert!(report.contains(&format!("adjudication {cut_off}")) == (cut_off > 0), "{report}");
        assert!(run(&folder, &format!("replay {record}")).status.success());
    }
    let refused = run(&folder, &format!("{arguments} --resign 500"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("expected a comma"), "{refused:?}");
}

#[test]
fn the_report_of_a_match_is_read_before_it_is_accepted() {
    let folder = folder("report");
    let arguments = "match invector:5x4 --engine a=uct --engine b=uct --engine c=best:Strength=beginner \
                     --nodes a:200 --nodes b:50 --nodes c:1000 --games 8 --quiet --openings start";
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    insta::assert_snapshot!("match-of-three", text(&run(&folder, arguments).stdout));
    let one = "match markane:2x1 --engine a=uct --engine b=uct --nodes 5 --games 1 --quiet --openings start";
    insta::assert_snapshot!("match-of-one-game", text(&run(&folder, one).stdout));
}

#[test]
fn both_players_have_equally_many_random_turns_where_turns_have_several_steps() {
    let folder = folder("even openings");
    for steps in [1, 4, 6, 9] {
        let output = run(&folder, &format!("openings gravel:6 --count 4 --steps {steps} --balance 0.5 --seed 3"));
        let list = text(&output.stdout);
        for line in list.lines().skip(1) {
            let moves: Vec<&str> = line.strip_prefix("startpos moves ").unwrap().split(' ').collect();
            assert!(moves.len().is_multiple_of(2) || moves.iter().all(|made| !made.contains(',')), "{line}");
        }
    }
}

#[test]
fn openings_are_balanced_and_do_not_repeat() {
    let folder = folder("openings");
    let output = run(&folder, "openings invector:8x7 --count 12 --steps 3 --seed 5");
    let list = text(&output.stdout);
    let openings: Vec<&str> = list.lines().skip(1).collect();
    assert_eq!(openings.len(), 12);
    let distinct: std::collections::BTreeSet<&&str> = openings.iter().collect();
    assert_eq!(distinct.len(), 12);
    fs::write(folder.join("book.txt"), &list).unwrap();
    let arguments = "match invector:8x7 --engine a=uct --engine b=uct --nodes 5 --games 24 --quiet --record";
    assert!(run(&folder, &format!("{arguments} book.pgn --openings book.txt")).status.success());
    let random = "--openings random:3 --seed 5";
    assert!(run(&folder, &format!("{arguments} random.pgn {random}")).status.success());
    // A book that was made beforehand gives the same openings as one made on the spot.
    let (book, random) = (games(&folder.join("book.pgn")), games(&folder.join("random.pgn")));
    for (a, b) in book.iter().zip(&random) {
        assert_eq!(a.opening(), b.opening());
        assert!(a.opening().moves.len() >= 3);
    }
    // Where there are few positions, they come again; where games end at once, openings are shorter.
    for tiny in ["markane:2x1", "invector:2x1", "gravel:2", "inversion:2", "markane:1x1"] {
        let output = run(&folder, &format!("openings {tiny} --count 20 --steps 9"));
        assert_eq!(text(&output.stdout).lines().count(), 21, "{tiny}");
    }
}

#[test]
fn openings_of_played_games_are_those_that_both_sides_won_as_often() {
    let folder = folder("played");
    let book = run(&folder, "openings invector:5x4 --count 12 --seed 3");
    fs::write(folder.join("book.txt"), book.stdout).unwrap();
    for nodes in [40, 60, 80] {
        let arguments = format!(
            "match invector:5x4 --engine a=uct --engine b=uct --nodes {nodes} --games 12 --no-pairs --quiet \
             --openings book.txt --record {nodes}.pgn"
        );
        assert!(run(&folder, &arguments).status.success());
    }
    let list = |arguments: &str| -> Vec<String> {
        let output = run(&folder, &format!("openings {arguments}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect()
    };
    let played: Vec<GameRecord> =
        [40, 60].iter().flat_map(|nodes| games(&folder.join(format!("{nodes}.pgn")))).collect();
    // Twelve openings with two games each: one of each side, or both of one.
    let (first, second) = played.split_at(12);
    let split = first.iter().zip(second).filter(|(a, b)| a.result != b.result);
    let expected: Vec<String> = split.map(|(game, _)| game.opening().to_string()).collect();
    assert!((1..12).contains(&expected.len()), "{expected:?}");
    let shown = list("invector:5x4 --data 40.pgn 60.pgn --balance 0");
    let about = format!("# invector:5x4: {} of 12 openings, 24 games, recorded balance 0", expected.len());
    assert_eq!(shown[0], about);
    assert_eq!(shown[1..], expected);
    assert_eq!(list("invector:5x4 --data 40.pgn 60.pgn --balance 0.5").len(), 13);
    // One or two of three is a sixth away from one half.
    let third = games(&folder.join("80.pgn"));
    let mixed = first.iter().zip(second).zip(&third);
    let mixed = mixed.filter(|((a, b), c)| a.result != b.result || b.result != c.result);
    let expected: Vec<String> = mixed.map(|((game, _), _)| game.opening().to_string()).collect();
    assert!((1..12).contains(&expected.len()), "{expected:?}");
    let shown = list("invector:5x4 --data 40.pgn 60.pgn 80.pgn --balance 0.17");
    assert_eq!(shown[1..], expected);

    // A failure is no game.
    let mut failed = played.clone();
    for game in &mut failed[12..] {
        game.cause = Cause::Crash;
        game.fault = Some("a".to_owned());
    }
    let failed: String = failed.iter().map(GameRecord::to_text).collect();
    fs::write(folder.join("failed.pgn"), failed).unwrap();
    for (arguments, status, why) in [
        (
            "invector:5x4 --data failed.pgn --balance 0.5",
            2,
            "no even opening among 12 openings in 12 games: expected one within 0.5 of 0.5",
        ),
        ("invector:5x6 --data 40.pgn", 2, "40.pgn: game 1 is of invector:5x4, not of invector:5x6"),
        ("invector:5x4 --data nowhere.pgn", 2, "nowhere.pgn: No such file"),
        ("invector:5x4 --data 40.pgn --steps 3", 2, "cannot be used with"),
    ] {
        let output = run(&folder, &format!("openings {arguments}"));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{errors}");
        assert!(errors.contains(why) && output.stdout.is_empty(), "{errors}");
    }
}

#[test]
fn openings_from_a_file_are_read_in_every_form_or_refused_by_line() {
    let folder = folder("opening-files");
    let book = folder.join("book.txt");
    let good = "# comment\nstartpos\n\nstartpos moves a1 b2\na1 b2 # two stones\nfen b.../..../..../.... w 1 2\n\
                b.../..../..../.... w 1 2\nfen b.../..../..../.... w 1 2 moves d1\n";
    fs::write(&book, good).unwrap();
    let arguments = "match markane:4x4 --engine a=uct --engine b=uct --nodes 5 --games 12 --quiet --openings book.txt \
                     --record games.pgn";
    let output = run(&folder, arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let games = games(&folder.join("games.pgn"));
    let starts = games.iter().step_by(2).map(|game| game.start.as_deref());
    let fen = Some("b.../..../..../.... w 1 2");
    assert_eq!(starts.collect::<Vec<_>>(), [None, None, None, fen, fen, fen]);
    for (bad, why) in [
        ("", "no opening in it"),
        ("startpos\nfen x", "line 2: \"fen x\": bad position"),
        ("startpos moves a1 a1", "move 2, \"a1\""),
        ("nonsense", "no position"),
        ("fen bw/.. b 1 1", "line 1"),
    ] {
        fs::write(&book, bad).unwrap();
        let output = run(&folder, arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains("book.txt: ") && errors.contains(why), "{errors}");
    }
}

#[test]
fn replay_finds_what_is_wrong_with_a_record() {
    let folder = folder("replay");
    let record = folder.join("games.pgn");
    assert!(run(&folder, &format!("{MATCH} --games 2 --record games.pgn")).status.success());
    let whole = fs::read_to_string(&record).unwrap();
    let shown = text(&run(&folder, "replay games.pgn --game 2 --positions").stdout);
    assert!(
        shown.starts_with("game 2: invector:5x4, Black b, White a\nstart  wbwbw/bwbwb/wbwbw/bwbwb b 1\n"),
        "{shown}"
    );
    let first = games(&record)[0].clone();
    let changed = |change: &dyn Fn(&mut GameRecord), why: &str| {
        let mut game = first.clone();
        change(&mut game);
        fs::write(&record, game.to_text()).unwrap();
        let output = run(&folder, "replay games.pgn");
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{shown}");
        assert!(shown.contains(why), "{shown}");
    };
    changed(&|game| game.moves[3].text = "a1a5".to_owned(), "move 4, \"a1a5\"");
    changed(&|game| drop(game.moves.pop()), "the game is not over by the rules");
    changed(&|game| game.reason = "stalemate".to_owned(), "the reason is annihilation by the rules");
    changed(&|game| game.variant = "invector:2x1".to_owned(), "move 1");
    changed(
        &|game| {
            game.moves.pop();
            game.cause = Cause::Adjudication;
            game.result = GameResult::Draw;
        },
        "an adjudication needs a winner",
    );
    changed(
        &|game| {
            game.moves.pop();
            game.cause = Cause::Crash;
            game.fault = Some(
                game.seat(if game.half_points(pentalith::rules::Color::Black) == 2 {
                    pentalith::rules::Color::Black
                } else {
                    pentalith::rules::Color::White
                })
                .name
                .clone(),
            );
        },
        "who fails loses",
    );
    let other = match first.result {
        GameResult::Black => "[Result \"1-0\"]",
        _ => "[Result \"0-1\"]",
    };
    let result = format!("[Result \"{}\"]", first.result);
    fs::write(&record, whole.replace(&result, other)).unwrap();
    let output = run(&folder, "replay games.pgn");
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout);
    assert!(shown.contains("games.pgn, line ") && shown.contains("in the tag Result\n1 game can't be read"), "{shown}");
    let output = run(&folder, "replay nowhere.pgn");
    assert!(text(&output.stderr).contains("nowhere.pgn: "), "{output:?}");
}

#[test]
fn a_forced_step_has_the_score_that_was_known_or_none() {
    use pentalith::record::Score;
    let folder = folder("forced");
    let mut known = 0;
    for (variant, search) in [("invector:4x3", "pvs"), ("invector:4x3", "uct"), ("invector:5x4", "uct")] {
        let file = format!("{search}-{}.pgn", variant.replace(':', "-"));
        let arguments = format!(
            "match {variant} --engine a={search} --engine b={search} --games 40 --nodes 400 --record {file} --quiet"
        );
        assert!(run(&folder, &arguments).status.success());
        for game in games(&folder.join(file)) {
            // Of each side whether it has seen a proof that the other one wins.
            let mut lost = [false; 2];
            for (number, made) in game.moves.iter().enumerate() {
                let Some(information) = made.information else {
                    continue;
                };
                let lost = &mut lost[number % 2];
                if information.nodes.is_some_and(|nodes| nodes <= 1) {
                    let score = information.score;
                    assert!(matches!(score, None | Some(Score::Mate(_))), "{made:?}");
                    known += u32::from(score.is_some());
                }
                let loses = matches!(information.score, Some(Score::Mate(moves)) if moves < 0);
                // One step after such a proof nobody says that it is nearly sure.
                let nearly = matches!(information.score, Some(Score::Cp(cp)) if cp <= -9999);
                assert!(!(*lost && nearly), "{game:?}");
                *lost = loses;
            }
        }
    }
    assert!(known > 0);
}
