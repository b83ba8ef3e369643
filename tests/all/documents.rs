//! The documentation says what the program does.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use pentalith::cli::Cli;
use pentalith::games::GAMES;
use pentalith::protocol::{gogui, gtp, ugi};
use pentalith::record::Cause;
use pentalith::session::{NO_FILE, OPTIONS, OptionInfo, OptionKind};

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the tables of a page that begin with a name in code.
fn rows(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(str::to_owned).collect()
}

/// The rows of the table of commands of a page.
fn commands(name: &str) -> Vec<String> {
    let page = page(name);
    let mut parts = page.split("\n## ");
    let commands = parts.find(|part| part.starts_with("Commands\n"));
    rows(commands.unwrap())
}

/// The row of a command.
fn row(name: &str, arguments: &str, help: &str) -> String {
    let call = format!("{name} {}", arguments.replace('|', "\\|"));
    format!("| `{}` | {help} |", call.trim_end())
}

#[test]
fn the_page_on_gtp_has_every_command_and_no_other() {
    let rows = gtp::COMMANDS.iter();
    let rows = rows.map(|command| row(command.name, command.arguments, command.help));
    assert_eq!(commands("protocol/gtp.md"), rows.collect::<Vec<_>>());
}

#[test]
fn the_page_on_gogui_has_every_command_and_no_other() {
    let rows = gogui::COMMANDS.iter();
    let rows = rows.map(|command| row(command.name, command.arguments, command.help));
    assert_eq!(commands("protocol/gogui.md"), rows.collect::<Vec<_>>());
}

#[test]
fn the_page_on_ugi_has_every_command_and_no_other() {
    let rows = ugi::COMMANDS.iter();
    let rows = rows.map(|command| row(command.name, command.arguments, command.help));
    assert_eq!(commands("protocol/ugi.md"), rows.collect::<Vec<_>>());
}

#[test]
fn the_page_on_options_has_every_option_and_no_other() {
    let row = |option: &OptionInfo| {
        let (default, values) = match option.kind {
            OptionKind::Spin { default, min, max } => (default.to_string(), format!("{min} to {max}")),
            OptionKind::Combo(words) => (words[0].to_owned(), words.join(", ")),
            OptionKind::Variant => ("as called".to_owned(), "any variant".to_owned()),
            OptionKind::File => (format!("`{NO_FILE}`"), format!("a file, or `{NO_FILE}`")),
        };
        format!("| `{}` | {default} | {values} | {} |", option.name, option.about)
    };
    let expected: Vec<String> = OPTIONS.iter().map(row).collect();
    assert_eq!(rows(&page("protocol/options.md")), expected);
}

#[test]
fn every_game_has_a_page_that_names_its_author() {
    for info in GAMES {
        let page = page(&format!("protocol/games/{}.md", info.name));
        assert!(page.contains(info.author.split(',').next().unwrap()));
        for key in info.keys {
            assert!(page.contains(&format!("`{}=", key.name)), "{}: {}", info.name, key.name);
        }
    }
}

#[test]
fn the_page_on_matches_has_every_option_and_cause() {
    let page = page("docs/matches.md");
    let mut cli = Cli::command();
    cli.build();
    for name in ["match", "openings", "stats", "rate", "replay"] {
        let command = cli.find_subcommand(name).unwrap();
        assert!(page.contains(&format!("pentalith {name}")), "{name}");
        // Those of all commands are elsewhere.
        let options = command.get_arguments().filter(|option| !option.is_global_set());
        let options = options.filter_map(|option| option.get_long()).filter(|&option| option != "help");
        let mut count = 0;
        for option in options {
            count += 1;
            assert!(page.contains(&format!("--{option}")), "{name} --{option}");
        }
        assert!(count > 1, "{name}");
    }
    for cause in Cause::ALL {
        assert!(page.contains(&format!("| `{cause}` |")), "{cause}");
    }
}

#[test]
fn every_line_of_the_tables_of_results_has_all_columns() {
    for name in ["experiments", "networks", "solved"] {
        let table = page(&format!("docs/results/{name}.tsv"));
        let columns = table.lines().next().unwrap().split('\t').count();
        for line in table.lines() {
            assert_eq!(line.split('\t').count(), columns, "{name}: {line}");
        }
    }
    // An interval contains its score, and is in percent like it.
    for line in page("docs/results/experiments.tsv").lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (Ok(score), Some((low, high))) = (cells[6].parse::<f64>(), cells[7].split_once('-')) else {
            continue;
        };
        let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
        assert!(low - 0.5 <= score && score <= high + 0.5 && high <= 100.0, "{line}");
    }
}
