//! Completions, man pages and the version.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use pentalith::cli::{Cli, last_commit};
use pentalith::games::GAMES;

use crate::transcripts::run;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Runs a program on a text; `None` where it is not installed.
fn told(program: &str, arguments: &[&str], text: &str) -> Option<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, text).unwrap();
    let input = Stdio::from(fs::File::open(&file).unwrap());
    let output = Command::new(program).args(arguments).stdin(input).output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("{program} is not installed: skipped");
            return None;
        }
        Err(error) => panic!("{program}: {error}"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    assert_eq!(errors, "", "{program}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn every_shell_is_told_the_commands_and_the_games() {
    for shell in SHELLS {
        let script = run(&["completions", shell], b"");
        for command in Cli::command().get_subcommands() {
            assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
        }
        // These two don't complete values without an option before them.
        let games = !["elvish", "powershell"].contains(&shell);
        for game in GAMES {
            assert_eq!(script.contains(game.name), games, "{shell}: {}", game.name);
        }
    }
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        told(shell, &[check], &run(&["completions", shell], b""));
    }
}

#[test]
fn commands_keep_their_descriptions_when_their_options_are_added() {
    let (plain, mut built) = (Cli::command(), Cli::command());
    built.build();
    for command in plain.get_subcommands() {
        let name = command.get_name();
        let complete = built.find_subcommand(name).unwrap();
        assert!(command.get_about().is_some(), "{name}");
        assert_eq!(complete.get_about().map(ToString::to_string), command.get_about().map(ToString::to_string));
        assert_eq!(
            complete.get_long_about().map(ToString::to_string),
            command.get_long_about().map(ToString::to_string)
        );
    }
}

#[test]
fn bash_completes_commands_games_levels_and_files() {
    let script = run(&["completions", "bash"], b"");
    let completed = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [.., before, last] = words[..] else { panic!("too few words in {line}") };
        let (position, words) = (words.len() - 1, line.replace(" ", "' '"));
        let ask = format!(
            "{script}\nCOMP_WORDS=('{words}')\nCOMP_CWORD={position}\n\
             compopt() {{ :; }}\n_pentalith pentalith '{last}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        );
        told("bash", &["--norc"], &ask)
    };
    let Some(games) = completed("pentalith gtp in") else {
        return;
    };
    assert_eq!(games, "invector\ninversion\ninvictus\n");
    let all = |line: &str| completed(line).unwrap();
    assert_eq!(all("pentalith comp"), "completions\n");
    assert_eq!(all("pentalith mark"), "markane\n");
    assert_eq!(all("pentalith analyze mar"), "markane\n");
    assert_eq!(all("pentalith gogui --le"), "--level\n");
    assert_eq!(all("pentalith gogui --level be"), "beginner\nbest\n");
    assert_eq!(all("pentalith completions z"), "zsh\n");
    assert_eq!(all("pentalith --log Cargo.to"), "Cargo.toml\n");
    assert_eq!(all("pentalith match markane --record Cargo.to"), "Cargo.toml\n");
}

/// Names of the man pages of a command and of those below it.
fn names(command: &clap::Command, name: &str) -> Vec<String> {
    let below = command.get_subcommands();
    let below = below.flat_map(|below| names(below, &format!("{name}-{}", below.get_name())));
    [format!("{name}.1")].into_iter().chain(below).collect()
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    let shown = pages.to_str().unwrap();
    let paths: Vec<String> =
        names(&Cli::command(), "pentalith").iter().map(|name| format!("{shown}/{name}\n")).collect();
    // The second time they are replaced.
    for _ in 0..2 {
        assert_eq!(run(&["man", shown], b""), paths.concat());
    }
    for path in &paths {
        let path = path.trim_end();
        let page = fs::read_to_string(path).unwrap();
        for part in [".TH ", ".SH NAME\n", ".SH SYNOPSIS\n", ".SH DESCRIPTION\n"] {
            assert!(page.contains(part), "{path}: {part}");
        }
        assert!(!page.contains("processor"), "{path}: of this machine");
        // The formatter of `man`, with all its warnings.
        let formatted = told("groff", &["-man", "-Tutf8", "-ww", "-Kutf8"], &page);
        let name = Path::new(path).file_stem().unwrap().to_str().unwrap();
        assert!(formatted.is_none_or(|text| text.contains(name)), "{path}");
    }
    // A file where a folder should be.
    let file = pages.join("pentalith.1");
    let program = env!("CARGO_BIN_EXE_pentalith");
    let output = Command::new(program).arg("man").arg(&file).output();
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("pentalith.1 is not a folder"), "{errors}");
}

#[test]
fn an_unknown_shell_is_quoted_with_those_that_there_are() {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let output = Command::new(program).args(["completions", "tcsh"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("'tcsh'"), "{errors}");
    assert!(errors.contains(&SHELLS.join(", ")), "{errors}");
}

#[test]
fn the_commit_is_that_of_the_last_line_of_the_log() {
    let (old, new) = ("a".repeat(40), "0123456789abcdef".repeat(4));
    let log =
        format!("- {old} A. N. Other <a@b> 1 +0000\tcommit: one\n{old} {new} A. N. Other <a@b> 2 +0000\tcommit: two\n");
    assert_eq!(last_commit(log.as_bytes()), Some(*b"0123456789ab"));
    assert_eq!(last_commit(log.trim_end().as_bytes()), Some(*b"0123456789ab"));
    assert_eq!(last_commit(format!("- {old}\n").as_bytes()), Some([b'a'; 12]));
    for none in ["", "\n", "- \n", "- 0123456789a\n", "0123456789abcdef\n"] {
        assert_eq!(last_commit(none.as_bytes()), None, "{none:?}");
    }
}

#[test]
fn the_version_names_commit_target_and_instructions() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(run(&["-V"], b""), format!("pentalith {version}\n"));
    let long = run(&["--version"], b"");
    let lines: Vec<&str> = long.lines().collect();
    let [first, commit, target, processor] = lines[..] else { panic!("{long}") };
    assert_eq!(first, format!("pentalith {version}"));
    let commit = commit.strip_prefix("commit: ").unwrap();
    // Packages know the date, too.
    let commit = commit.split(' ').next().unwrap();
    let is_hash = commit.len() >= 12 && commit.chars().all(|c| c.is_ascii_hexdigit());
    assert!(is_hash || commit == "unknown", "{long}");
    let target = target.strip_prefix("target: ").unwrap();
    assert!(target.starts_with(std::env::consts::ARCH), "{long}");
    let known = ["avx2 bmi1 bmi2 lzcnt popcnt", "bmi2", "none"];
    let processor = processor.strip_prefix("processor: ").unwrap();
    assert!(known.contains(&processor), "{long}");
}
