//! Records that were edited, removed or grew large.

use std::fs;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use pentalith::arena::tournament::{OpeningSource, Openings};
use pentalith::games::parse_variant;
use pentalith::record::{GameRecord, Opening};

use super::{MATCH, PROGRAM, folder, games, run, text};

#[test]
fn the_last_game_is_whole_without_a_line_end() {
    let folder = folder("no-line-end");
    let arguments = |games: u32| {
        let one_by_one = MATCH.replace("--concurrency 2 --quiet", "");
        format!("{one_by_one} --games {games} --record games.pgn --json games.json")
    };
    assert!(run(&folder, &arguments(6)).status.success());
    let [text_file, json_file] = ["games.pgn", "games.json"].map(|name| folder.join(name));
    let [whole, json] = [&text_file, &json_file].map(|path| fs::read_to_string(path).unwrap());
    // An editor, a shell's $(…) or a mailer may have taken the line ends.
    for (text_end, json_end) in [("", ""), ("\n", "\n"), ("\r\n", ""), ("  ", " "), ("\n\n\n", "\n\n")] {
        fs::write(&text_file, format!("{}{text_end}", whole.trim_end())).unwrap();
        fs::write(&json_file, format!("{}{json_end}", json.trim_end())).unwrap();
        for file in ["games.pgn", "games.json"] {
            let stats = run(&folder, &format!("stats {file}"));
            assert!(text(&stats.stdout).starts_with("invector:5x4: 6 games, "), "{stats:?}");
            assert_eq!(text(&stats.stderr), "");
            let replay = run(&folder, &format!("replay {file}"));
            assert!(replay.status.success(), "{replay:?}");
        }
        let resumed = run(&folder, &arguments(8));
        assert!(resumed.status.success(), "{resumed:?}");
        assert!(text(&resumed.stderr).starts_with("resuming at game 7 of 8\n"), "{resumed:?}");
        let after = fs::read_to_string(&text_file).unwrap();
        assert!(after.starts_with(whole.trim_end()), "{after}");
        assert_eq!(games(&text_file).len(), 8);
        // Every game begins a paragraph.
        assert_eq!(after.matches("\n\n[Event ").count(), 7, "{after}");
        let lines = fs::read_to_string(&json_file).unwrap();
        let read: Vec<GameRecord> =
            lines.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, games(&text_file));
    }
}

#[test]
fn a_record_that_was_removed_or_replaced_is_an_error() {
    // The second game removes the record of the first one.
    for (remove, name) in [("rm games.pgn", "removed"), ("mv games.pgn x; cp x games.pgn", "replaced")] {
        let folder = folder(&format!("record-{name}"));
        let engine = format!(
            "n=0\nwhile read -r l; do\n  case \"$l\" in uginewgame) n=$((n + 1)); [ $n != 2 ] || {{ {remove}; }} ;; esac\n  echo \
             \"$l\"\ndone | {PROGRAM} ugi\n"
        );
        fs::write(folder.join("removes.sh"), engine).unwrap();
        let arguments = "match markane:2x1 --engine a=uct --engine 'b=ugi:sh removes.sh' --nodes 5 --games 2 --openings start \
                         --timeout 60 --record games.pgn";
        let output = run(&folder, arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let why = "pentalith: games.pgn: it was removed or replaced while games were written to it\n";
        assert!(errors.ends_with(why), "{errors}");
    }
}

#[test]
fn openings_of_a_small_board_are_found_again_quickly() {
    let variant = parse_variant("markane:2x2").unwrap();
    let source = OpeningSource::Random { steps: 2, bound: 0.1 };
    let mut openings = Openings::new(source, &variant, 1).unwrap();
    let (_sender, never) = bounded(0);
    let began = Instant::now();
    // Hundreds of walks for each candidate took an hour when each was played by its text.
    assert_eq!(openings.take(20_000, &Opening::default(), &never), Some(false));
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
}
