//! Studies: their games, figures, records and reports.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

use pentalith::games;
use pentalith::intervals::Estimate;
use pentalith::record::GameRecord;
use pentalith::render::{StudyFigure, StudyPage, StudySection, Term};
use pentalith::rules::{Board, Variant};
use pentalith::search::SystemClock;
use pentalith::study::figures::{GameTree, StrengthFigures, Study, decisive_moves, drama, lead_changes, threshold};
use pentalith::study::folder::Shard;
use pentalith::study::game_figures::GameFigures;
use pentalith::study::plan::Request;
use pentalith::study::player::{Conditions, Job, play};
use pentalith::study::reflection::mirrored;
use pentalith::study::score::{Quantiles, Score};
use pentalith::study::store::{Runner, Store};
use pentalith::study::{Run, RunEnd, StudyError, results};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use roxmltree::Document;

mod mirroring;
mod questions;

fn variant(text: &str) -> Variant {
    games::parse_variant(text).unwrap()
}

/// Plays games 1 to `games`.
fn played(conditions: &Conditions, games: u64, threads: usize) -> Vec<GameRecord> {
    let jobs: Vec<Job<'_>> = (1..=games).map(|number| Job { conditions, number }).collect();
    let mut records = Vec::new();
    let stop = AtomicBool::new(false);
    let (clock, on_progress, store) = (&SystemClock::default(), &mut |_, _| true, &mut Store::default());
    let mut runner = Runner { threads, stop: &stop, clock, on_progress, store };
    let played = runner.play(&jobs, (0, 0), |place, game| {
        assert_eq!(place, records.len());
        records.push(game.clone());
    });
    assert!(played.is_ok(), "{played:?}");
    records
}

fn histories(records: &[GameRecord], variant: &Variant) -> Vec<GameFigures> {
    let board = games::open(variant).unwrap();
    records.iter().map(|game| GameFigures::of(game, &*board).unwrap()).collect()
}

/// Exact figures of random play: score of the first mover, moves, draws; and the number of leaves.
fn exact(board: &mut dyn Board, probability: f64, sums: &mut [f64; 4]) {
    let count = board.count();
    if count == 0 {
        let first = board.variant().info().first;
        let points = match board.outcome().unwrap().winner {
            None => 0.5,
            Some(winner) => f64::from(u8::from(winner == first)),
        };
        let ply = board.ply();
        let sides = (1..ply).filter(|&at| board.side_at(at) != board.side_at(at - 1)).count();
        let parts = [points * probability, (sides + 1) as f64 * probability, 0.0, 1.0];
        for (sum, part) in sums.iter_mut().zip(parts) {
            *sum += part;
        }
        return;
    }
    for place in 0..count {
        let step = board.nth(place).unwrap();
        board.make(step);
        exact(board, probability / count as f64, sums);
        board.unmake();
    }
}

#[test]
fn random_play_agrees_with_exact_probabilities() {
    for (text, games) in [("markane:3x2", 4000), ("invector:3x2", 4000), ("inversion:2,komi=0.5", 500)] {
        let variant = variant(text);
        let mut sums = [0.0; 4];
        exact(&mut *games::open(&variant).unwrap(), 1.0, &mut sums);
        let [score, moves, _, leaves] = sums;
        for steps in [0, 2] {
            let conditions = Conditions::new(&variant, 0, steps, 5);
            let histories = histories(&played(&conditions, games, 1), &variant);
            let figures = StrengthFigures::of(0, &histories, variant.switch("pie")).unwrap();
            // Four standard errors, of intervals that have two on each side.
            let near = |estimate: &Estimate, exact: f64| {
                let room = 2.0 * (estimate.high - estimate.low) / 2.0 + 1e-6;
                (estimate.value - exact).abs() <= room
            };
            assert!(near(&figures.first_mover.estimate, score), "{text}: {score}: {figures:?}");
            assert!(near(&figures.moves.mean, moves), "{text}: {moves}: {:?}", figures.moves);
            let tree = GameTree::of(&histories).unwrap();
            let leaves = leaves.log10();
            assert!((tree.log10_estimate - leaves).abs() < 0.1, "{text}: {leaves}: {tree:?}");
            assert!(tree.log10_at_least <= leaves);
        }
    }
}

#[test]
fn games_are_functions_of_conditions_and_number() {
    let stop = AtomicBool::new(false);
    let clock = SystemClock::default();
    for text in ["invector:5x4", "gravel:3", "markane:4x4", "inversion:3,order=alternate", "invictus"] {
        let variant = variant(text);
        let conditions = Conditions::new(&variant, 20, 3, 9);
        let one = played(&conditions, 4, 1);
        assert_eq!(one, played(&conditions, 4, 3), "{text}");
        assert_eq!(one[2], play(&conditions, 3, &stop, &clock).unwrap(), "{text}");
        assert_ne!(one[0].moves, one[1].moves, "{text}");
        histories(&one, &variant);
        // A game at another strength begins alike, unless the moves before the random ones are searched.
        let other = play(&Conditions { nodes: 40, ..conditions.clone() }, 3, &stop, &clock).unwrap();
        if !variant.switch("pie") {
            assert_eq!(other.opening(), one[2].opening(), "{text}");
            let turns = other.opening().moves.len();
            assert!(turns >= 2 && turns.is_multiple_of(2), "{text}: {:?}", other.opening());
        }
        let seeded = Conditions { seed: 10, ..conditions };
        assert_ne!(played(&seeded, 1, 1)[0].moves, one[0].moves, "{text}");
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let conditions = Conditions::new(&variant("markane"), 20, 2, 1);
    assert_eq!(play(&conditions, 1, &stop, &clock), None);
}

#[test]
fn fixed_steps_come_first_and_the_pie_is_decided_by_players() {
    let variant = variant("invector:5x4");
    let board = games::open(&variant).unwrap();
    let step = board.find_step("a1b1").unwrap();
    let conditions = Conditions { opening: vec![step], ..Conditions::new(&variant, 50, 2, 1) };
    for game in played(&conditions, 3, 1) {
        assert_eq!(game.moves[0].text, "a1b1");
        assert!(game.moves[0].information.is_none());
        assert!(game.moves[1].information.is_some(), "the second turn may swap");
        assert!(game.moves[2].information.is_none() && game.moves[3].information.is_none());
        assert!(game.moves[4].information.is_some());
    }
}

fn request(text: &str, strengths: &[(u64, u64)]) -> Request {
    Request {
        variant: Some(variant(text)),
        strengths: strengths.iter().map(|&(nodes, games)| (nodes, Some(games))).collect(),
        ..Request::default()
    }
}

/// Plays a study without questions of balance.
fn run(folder: &Path, request: &Request, shard: Option<(u64, u64)>, threads: usize) -> Result<RunEnd, String> {
    run_with(folder, request, shard, threads, false)
}

fn run_with(
    folder: &Path,
    request: &Request,
    shard: Option<(u64, u64)>,
    threads: usize,
    balance: bool,
) -> Result<RunEnd, String> {
    let run = Run {
        request,
        folder,
        shard: shard.map(|(number, of)| Shard { number, of }),
        threads,
        balance: balance.then_some(1),
    };
    let (stop, clock) = (AtomicBool::new(false), SystemClock::default());
    let played = run.play(&stop, &clock, &mut |_| true);
    played.map(|(_, end)| end).map_err(|error| error.to_string())
}

/// Plays a study and writes its results.
fn study(folder: &Path, request: &Request, threads: usize) {
    assert_eq!(run(folder, request, None, threads), Ok(RunEnd::Complete));
    reported(folder, request, &mut |path| panic!("{}", path.display())).unwrap();
}

fn reported(folder: &Path, request: &Request, warn: &mut dyn FnMut(&Path)) -> Result<Study, StudyError> {
    results(folder, request, &SystemClock::default(), warn)
}

/// Plays a study with questions of balance, and writes its results.
fn balanced(folder: &Path, request: &Request, threads: usize) {
    let end = run_with(folder, request, None, threads, true);
    assert_eq!(end, Ok(RunEnd::Complete));
    reported(folder, request, &mut |path| panic!("{}", path.display())).unwrap();
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|path| (name(&path), fs::read(path).unwrap())).collect()
}

const SMALL: (&str, &[(u64, u64)]) = ("invector:4x3", &[(0, 13), (8, 11), (64, 5)]);

/// The files of the small study, as one thread writes them in one run.
fn small() -> (Request, BTreeMap<String, Vec<u8>>) {
    let (folder, request) = (tempfile::tempdir().unwrap(), request(SMALL.0, SMALL.1));
    study(folder.path(), &request, 1);
    let files = files(folder.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "games-0.txt",
        "games-64.txt",
        "games-8.txt",
        "mirror-0.txt",
        "mirror-64.txt",
        "mirror-8.txt",
        "report.html",
        "study.json",
    ];
    assert_eq!(names, expected);
    (request, files)
}

#[test]
fn threads_and_shards_give_the_same_files() {
    let (request, expected) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    study(path, &request, 3);
    assert_eq!(files(path), expected);
    // Once more: nothing is played, and nothing changes.
    study(path, &request, 1);
    assert_eq!(files(path), expected);
    fs::remove_file(path.join("report.html")).unwrap();
    fs::remove_file(path.join("study.json")).unwrap();
    reported(path, &Request::default(), &mut |_| ()).unwrap();
    assert_eq!(files(path), expected);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    run(path, &request, Some((1, 3)), 2).unwrap();
    let missing = reported(path, &Request::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(missing.contains("(no file of shard 2/3, 3/3)"), "{missing}");
    run(path, &request, Some((3, 3)), 1).unwrap();
    assert_eq!(files(path).len(), 12);
    let missing = reported(path, &Request::default(), &mut |_| ()).unwrap_err().to_string();
    let named = "at least 4 games (2, 5, 8, 11) are missing at strength 0 (no file of shard 2/3)";
    assert!(missing.contains(named), "{missing}");
    run(path, &request, Some((2, 3)), 1).unwrap();
    // A shard of another division has games that are there already, and adds none of them.
    run(path, &request, Some((1, 2)), 1).unwrap();
    study(path, &request, 1);
    assert_eq!(files(path), expected);

    // Shards that overlap count once, and what no shard has is played.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    run(path, &request, Some((2, 2)), 1).unwrap();
    let first = files(path);
    for name in first.keys() {
        fs::rename(path.join(name), path.join("kept")).unwrap();
        fs::create_dir_all(path.join("aside")).unwrap();
        fs::rename(path.join("kept"), path.join("aside").join(name)).unwrap();
    }
    let aside = files(&path.join("aside"));
    fs::remove_dir_all(path.join("aside")).unwrap();
    run(path, &request, Some((1, 3)), 1).unwrap();
    for (name, bytes) in aside {
        fs::write(path.join(name), bytes).unwrap();
    }
    study(path, &request, 1);
    assert_eq!(files(path), expected);
}

#[test]
fn more_games_and_strengths_are_added_to_a_folder() {
    let (request, expected) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for part in [&[(8, 2)][..], &[(0, 13)], &[(8, 11), (64, 1)], &[(64, 5)]] {
        study(path, &self::request(SMALL.0, part), 2);
    }
    assert_eq!(files(path), expected);
    // Fewer games are asked for than there are: none is lost.
    study(path, &self::request(SMALL.0, &[(0, 1)]), 1);
    assert_eq!(files(path), expected);
    drop(request);
}

#[test]
fn a_record_cut_anywhere_is_completed_to_the_same_bytes() {
    let (request, expected) = small();
    let whole = &expected["games-8.txt"];
    for end in (0..whole.len()).step_by(whole.len() / 9) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::write(path.join("games-8.txt"), &whole[..end]).unwrap();
        fs::write(path.join("games-0.txt"), &expected["games-0.txt"]).unwrap();
        // What an atomic write leaves behind when it is killed.
        fs::write(path.join(".pentalith-abc"), "half").unwrap();
        study(path, &request, 2);
        fs::remove_file(path.join(".pentalith-abc")).unwrap();
        assert_eq!(files(path), expected, "{end}");
    }
}

/// Asserts that a study of a folder is refused with words, and that the folder stays as it is.
fn refused(path: &Path, request: &Request, words: &str) {
    let before = files(path);
    let error = run(path, request, None, 1).unwrap_err();
    assert!(error.contains(words), "{words}: {error}");
    assert_eq!(files(path), before, "{words}");
}

#[test]
fn folders_of_others_are_refused_and_left_alone() {
    let (request, expected) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("letters.txt"), "Dear").unwrap();
    refused(path, &request, "holds letters.txt and no study");
    let fill = |name: &str, text: &str| {
        for (name, bytes) in &expected {
            fs::write(path.join(name), bytes).unwrap();
        }
        fs::write(path.join(name), text).unwrap();
    };
    let text = String::from_utf8(expected["games-8.txt"].clone()).unwrap();
    fill("games-8.txt", &text);
    let other = |change: &dyn Fn(&mut Request)| {
        let mut request = request.clone();
        change(&mut request);
        request
    };
    let cases = [
        (
            other(&|request| request.variant = Some(variant("invector:5x4"))),
            "the variant was invector:4x3 and is now invector:5x4",
        ),
        (other(&|request| request.seed = Some(7)), "the seed was 1 and is now 7"),
        (other(&|request| request.random_steps = Some(4)), "the number of random steps was 2 and is now 4"),
        (other(&|request| request.random_from = Some(1)), "the first turn of random steps was 3 and is now 1"),
    ];
    for (request, words) in cases {
        refused(path, &request, words);
    }
    let version = format!("pentalith {}", env!("CARGO_PKG_VERSION"));
    fill("games-8.txt", &text.replace(&version, "pentalith 0.0.9"));
    refused(path, &request, &format!("the program was pentalith 0.0.9 and is now {version}"));
    fill("games-8.txt", &text.replace("nodes 8", "nodes 9"));
    refused(path, &request, "the strength was nodes 9 and is now nodes 8");
    fill("games-8.txt", &text.replace("study, random-steps 2 from turn 3", "time-margin 200"));
    refused(path, &request, "games-8.txt: game 1 is another study's: the opening was time-margin 200");
    fill("games-8.txt", &text.replacen("n=", "n=1", 1));
    refused(path, &request, "games-8.txt: game 1 is not the one that this program plays");
    fill("games-8.txt", "Hello");
    refused(path, &request, "games-8.txt, line 1, column 1: ");
    let games: Vec<&str> = text.split("[Event").collect();
    let (second, third) = (format!("[Event{}", games[2]), format!("[Event{}", games[3]));
    fill("games-8.shard-2-of-2.txt", &second.replacen("n=", "n=1", 1));
    refused(path, &request, "games-8.shard-2-of-2.txt: game 2 is not the one of ");
    fill("games-8.shard-2-of-2.txt", &third);
    refused(path, &request, "games-8.shard-2-of-2.txt: game 3 belongs to another shard");
    fs::remove_file(path.join("games-8.shard-2-of-2.txt")).unwrap();
    let games = String::from_utf8(expected["games-64.txt"].clone()).unwrap();
    let exchanged: Vec<String> = games.split("1-0").map(|part| part.replace("0-1", "1-0")).collect();
    fill("games-64.txt", &exchanged.join("0-1"));
    let error = reported(path, &Request::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("games-64.txt: game ") && error.contains("by the rules"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    let error = reported(empty.path(), &Request::default(), &mut |_| ()).unwrap_err().to_string();
    assert!(error.contains("has no games of a study"), "{error}");
}

fn pentalith(folder: &Path, arguments: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    let program = program.args(arguments.split(' ')).env_remove("RUST_LOG");
    program.current_dir(folder).output().unwrap()
}

fn said(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = pentalith(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_plays_reports_and_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let (status, told, errors) =
        said(path, "study invector:4x3 --strength 0:13 --strength 8:11 --strength 64 --games 5 --quiet --no-balance");
    assert_eq!((status, errors.as_str()), (0, ""), "{told}");
    assert!(
        told.starts_with("invector:4x3: 29 games\n\nAt 64 nodes per move, Black, who moves first, scores "),
        "{told}"
    );
    let (_, expected) = small();
    let study = path.join("study-invector-4x3");
    assert_eq!(files(&study), expected);
    let (status, again, _) = said(path, "study --from-records --out study-invector-4x3");
    assert_eq!((status, again), (0, told));
    assert_eq!(files(&study), expected);
    // Another seed is another study, in a folder of its own.
    let (status, told, _) = said(path, "study invector:4x3 --strength 0:13 --quiet --no-balance --seed 2");
    assert_eq!(status, 0, "{told}");
    assert!(path.join("study-invector-4x3-seed-2").join("study.json").exists());
    assert_eq!(files(&study), expected);
    // The strengths that are not named are those of the first time, whatever the folder has already.
    for _ in 0..2 {
        let (status, told, errors) = said(path, "study markane:2x2 --games 3 --quiet --no-balance --out default");
        assert_eq!((status, errors.as_str()), (0, ""));
        assert!(told.starts_with("markane:2x2: 15 games"), "{told}");
        fs::remove_file(path.join("default").join("games-1024.txt")).unwrap();
    }
    // The command in the report plays the same study.
    let report = String::from_utf8(expected["report.html"].clone()).unwrap();
    let command = report.split("pentalith study ").nth(1).unwrap().split('<').next().unwrap();
    let (status, _, errors) = said(path, &format!("study {command} --out again --quiet"));
    assert_eq!((status, errors.as_str()), (0, ""), "{command}");
    assert_eq!(files(&path.join("again")), expected);
}

#[test]
fn bad_command_lines_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("file"), "x").unwrap();
    let cases = [
        ("study", "<VARIANT>"),
        ("study chess", "chess"),
        ("study markane --strength x", "NODES:GAMES as in 1024:100"),
        ("study markane --strength 1:0", "NODES:GAMES as in 1024:100"),
        ("study markane --strength 8 --strength 8:4", "--strength 8 is given twice"),
        ("study markane --shard 3/2", "expected I/N with I from 1 to N"),
        ("study markane --shard 1/2 --from-records", "cannot be used with"),
        ("study markane --games 5 --from-records", "cannot be used with"),
        ("study markane --games 0", "--games"),
        ("study --from-records", "expected a variant, or --out FOLDER"),
        ("study --from-records --out nowhere", "nowhere has no games of a study"),
        ("study markane:2x2 --games 1 --out file", "file: "),
        ("study markane:2x2 --games 1 --out file/below", "file/below: "),
    ];
    for (arguments, words) in cases {
        let (status, told, errors) = said(path, arguments);
        assert_eq!((status, told.as_str()), (2, ""), "{arguments}: {errors}");
        assert!(errors.contains(words), "{arguments}: {errors}");
        assert_eq!(files(path).len(), 1, "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_and_a_kill_lose_nothing() {
    let (_, expected) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let command = "study invector:4x3 --strength 0:13 --strength 8:11 --strength 64:5 --quiet --no-balance --out f";
    // Files of 4 KiB at most: one that is too long fails like a full disk.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"";
    let mut limited = Command::new("sh");
    let limited = limited.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_pentalith"));
    let limited = limited.args(command.split(' ')).current_dir(path).output().unwrap();
    let errors = String::from_utf8_lossy(&limited.stderr);
    assert_eq!(limited.status.code(), Some(1), "{errors}");
    assert!(errors.contains("games-0.txt: File too large"), "{errors}");
    let (status, _, errors) = said(path, command);
    assert_eq!(status, 0, "{errors}");
    assert_eq!(files(&path.join("f")), expected);
    fs::remove_dir_all(path.join("f")).unwrap();
    // Killed as soon as there is something to lose.
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    let mut child = program.args(command.split(' ')).current_dir(path).spawn().unwrap();
    let record = path.join("f").join("games-0.txt");
    while fs::metadata(&record).map_or(0, |found| found.len()) == 0 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert_eq!(said(path, command).0, 0);
    assert_eq!(files(&path.join("f")), expected);
    // Whole games are reported where the last one is cut off.
    let record = path.join("f").join("games-8.txt");
    let text = fs::read(&record).unwrap();
    fs::write(&record, &text[..text.len() - 40]).unwrap();
    let (status, told, errors) = said(path, "study --from-records --out f");
    assert!(status == 0 && told.starts_with("invector:4x3: 28 games"), "{told}");
    let cut = "pentalith: f/games-8.txt: its last game is incomplete and is left out\n";
    assert_eq!(errors, cut);
    assert_eq!(fs::read(&record).unwrap(), &text[..text.len() - 40]);
    // A signal ends a long search at once, and the program says how to go on. (A shell may have its jobs ignore Ctrl-C.)
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"));
    let long = "study inversion:9 --strength 900000000:2 --quiet --no-balance --out long";
    let program = program.args(long.split(' ')).current_dir(path);
    let mut child = program.stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !path.join("long").join("games-900000000.txt").exists() {
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut errors = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut errors).unwrap();
    assert_eq!(status.code(), Some(130), "{errors}");
    let kept = "interrupted; finished games are kept in long, and the same command resumes";
    assert!(errors.contains(kept), "{errors}");
}

/// The pictures of a page, and its text outside of them.
fn checked(html: &str) -> usize {
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    assert_eq!(html.matches("<script").count(), 1, "no program but the one that saves plots and tables");
    let outside = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("://") && !outside.contains("src="), "no network");
    let from = html.find("<main>").unwrap();
    let to = html.find("</main>").unwrap() + "</main>".len();
    let main = Document::parse(&html[from..to]).unwrap();
    let mut ids: Vec<&str> = main.descendants().filter_map(|node| node.attribute("id")).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are different");
    main.descendants().filter(|node| node.has_tag_name("svg")).count()
}

#[test]
fn a_report_is_one_page_without_a_network() {
    let (request, files) = small();
    let html = String::from_utf8(files["report.html"].clone()).unwrap();
    assert!(checked(&html) > 10);
    for words in ["A study of invector:4x3", "--strength 8:11", "score of the stones that move first", "Browne 2008"] {
        assert!(html.contains(words), "{words}");
    }
    let json: serde_json::Value = serde_json::from_slice(&files["study.json"]).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["strengths"].as_array().unwrap().len(), 3);
    for figures in json["strengths"].as_array().unwrap() {
        let score = &figures["first_mover"];
        let number = |name: &str| score[name].as_f64().unwrap();
        assert!(number("low") <= number("value") && number("value") <= number("high"));
        let counts: u64 = ["wins", "draws", "losses"].iter().map(|name| score[name].as_u64().unwrap()).sum();
        assert_eq!(score["wins"].is_u64().then_some(counts), figures["games"].as_u64());
        let ends = figures["ends"].as_array().unwrap().iter();
        assert_eq!(ends.map(|end| end["games"].as_u64().unwrap()).sum::<u64>(), counts);
    }
    drop(request);
    let strange = "<script>\"&'\u{1}".to_owned();
    let page = StudyPage {
        title: strange.clone(),
        summary: vec![strange.clone()],
        facts: vec![(strange.clone(), strange.clone())],
        sections: vec![StudySection {
            title: strange.clone(),
            text: vec![strange.clone()],
            figures: vec![StudyFigure::Counts {
                caption: strange.clone(),
                head: strange.clone(),
                counts: vec![(strange.clone(), 3)],
            }],
            tables: vec![(strange.clone(), vec![strange.clone()], vec![vec![strange.clone()]])],
            picture: None,
            terms: vec![Term {
                name: strange.clone(),
                definition: strange.clone(),
                source: strange.clone(),
                criticism: strange,
            }],
        }],
    };
    checked(&page.html());
}

/// Counts those of a thousand simulated studies that have the true mean in their interval.
fn covered(games: usize, win: f64, draw: f64) -> usize {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(games as u64);
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut study = || {
        let outcomes = (0..games).map(|_| match uniform() {
            luck if luck < win => 2,
            luck if luck < win + draw => 1,
            _ => 0,
        });
        Score::of(outcomes).unwrap().estimate.contains(win + 0.5 * draw)
    };
    (0..1000).filter(|_| study()).count()
}

#[test]
fn intervals_cover_at_their_rate() {
    // Four standard errors of a thousand studies below 95 %, and discrete outcomes, which make intervals too long.
    for (games, win, draw) in [
        (40, 0.5, 0.0),
        (20, 0.9, 0.0),
        (60, 0.3, 0.4),
        (200, 0.55, 0.05),
        (100, 0.02, 0.0),
        (50, 0.05, 0.9),
        (10, 0.5, 0.0),
        (100, 0.02, 0.96),
    ] {
        let covered = covered(games, win, draw);
        assert!((922..=999).contains(&covered), "{games} games, {win}, {draw}: {covered}");
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for games in [3, 10, 50] {
        let mut study = || {
            // Sums of uniform numbers are nearly normal.
            let mut value = || (0..12).map(|_| random.next_u32() as f64 / 4_294_967_296.0).sum::<f64>();
            let values: Vec<f64> = (0..games).map(|_| value()).collect();
            Estimate::of_mean(&values).unwrap().contains(6.0)
        };
        let covered = (0..1000).filter(|_| study()).count();
        assert!((922..=978).contains(&covered), "{games}: {covered}");
    }
}

#[test]
fn a_come_back_is_one_by_the_winners_own_expectation() {
    let start = games::open(&variant("markane:4x4")).unwrap();
    let conditions = Conditions::new(&variant("markane:4x4"), 32, 0, 1);
    let record = played(&conditions, 1, 1).remove(0);
    let figures = GameFigures::of(&record, &*start).unwrap();
    let (all, own) = (figures.winner_values().unwrap(), figures.winners_own_values().unwrap());
    assert_eq!(figures.values.len(), figures.is_firsts.len());
    assert!(own.len() < all.len() && own.len() >= all.len() / 2 - 1, "{own:?} of {all:?}");
    // The loser alone despairs of the other's winning.
    let told = |winner: f64, loser: f64| {
        let is_firsts: Vec<bool> = (0..8).map(|turn| turn % 2 == 0).collect();
        let values = is_firsts.iter().map(|&first| if first { winner } else { loser }).collect();
        let game = GameFigures { half_points: 2, values, is_firsts, ..figures.clone() };
        StrengthFigures::of(32, &[game], false).unwrap().comebacks[1].estimate.unwrap().value
    };
    assert_eq!((told(0.6, 0.1), told(0.1, 0.6)), (0.0, 1.0));
}

#[test]
fn shapes_of_games_are_those_of_their_definitions() {
    assert_eq!(lead_changes(&[0.5, 0.6, 0.52, 0.48, 0.4, 0.56]), 2.0);
    assert_eq!(lead_changes(&[0.5, 0.54, 0.46]), 0.0);
    assert_eq!(drama(&[0.6, 0.9]), 0.0);
    assert!((drama(&[0.5, 0.375, 0.0, 0.9]) - 0.75).abs() < 1e-12);
    assert!((threshold(&[0.5, 0.3, 0.8]) - 0.7).abs() < 1e-12);
    assert!((decisive_moves(&[0.5, 0.3, 0.6, 0.8, 0.9]) - 0.4).abs() < 1e-12);
    let quantiles = Quantiles::of((1..=100).rev().collect()).unwrap();
    assert_eq!(
        [quantiles.minimum, quantiles.p5, quantiles.median, quantiles.p95, quantiles.maximum],
        [1, 5, 50, 95, 100]
    );
    assert_eq!(Quantiles::of(Vec::new()), None);
    let mirror = |text: &str, board: &str| mirrored(games::open(&variant(board)).unwrap().shape(), text);
    assert_eq!(mirror("a1a2", "invector:8x7"), "h7h6");
    assert_eq!(mirror("-c3,xc4,d1,end", "gravel:5"), "-c3,xc2,b5,end");
    assert_eq!(mirror("6@b2", "invictus"), "6@h8");
    assert_eq!(mirror("swap", "invector:8x7"), "swap");
    assert_eq!(mirror("a1", "inversion:5"), "j9");
}
