//! Command lines in pages are such that the program takes them.

use std::collections::HashMap;
use std::iter::Peekable;
use std::str::Chars;

use clap::{Command, CommandFactory, Parser};
use pentalith::cli::Cli;
use pentalith::games;

use super::{Item, pages, report};

/// A shell script taken apart, as far as pages need it.
#[derive(Default)]
struct Script {
    /// The words of every simple command, without redirections.
    commands: Vec<Vec<String>>,
    /// Values of variables. All others are `1`, which most options accept.
    variables: HashMap<String, String>,
}

impl Script {
    fn new(text: &str) -> Self {
        let mut script = Self::default();
        script.read(&without_documents(text));
        script
    }

    fn read(&mut self, text: &str) {
        let mut chars = text.chars().peekable();
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        while let Some(c) = chars.next() {
            match c {
                ' ' | '\t' => words.extend(word.take()),
                '\\' if chars.next_if_eq(&'\n').is_some() => {}
                '\n' | ';' | '|' | '&' | '(' | ')' | '`' => {
                    words.extend(word.take());
                    self.end(&mut words);
                }
                '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
                '>' | '<' if chars.peek() == Some(&'(') => {}
                '>' | '<' => {
                    // A number in front of it is a descriptor. The target is no word of the command.
                    let number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
                    words.extend(word.take().filter(|word| !number(word)));
                    while chars.next_if(|c| ">&| ".contains(*c)).is_some() {}
                    while chars.next_if(|c| !";|&) \n".contains(*c)).is_some() {}
                }
                _ => {
                    let word = word.get_or_insert_default();
                    match c {
                        '\\' => word.extend(chars.next()),
                        '\'' => word.extend(chars.by_ref().take_while(|c| *c != '\'')),
                        '"' => {
                            while let Some(c) = chars.next().filter(|c| *c != '"') {
                                match c {
                                    '\\' => word.extend(chars.next().filter(|c| *c != '\n')),
                                    '$' => self.expand(&mut chars, word),
                                    _ => word.push(c),
                                }
                            }
                        }
                        '$' => self.expand(&mut chars, word),
                        _ => word.push(c),
                    }
                }
            }
        }
        words.extend(word);
        self.end(&mut words);
    }

    /// Replaces what follows a `$` by its value.
    fn expand(&mut self, chars: &mut Peekable<Chars>, word: &mut String) {
        let in_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        match chars.peek() {
            Some('(') => {
                let mut depth = 0;
                let mut inner = String::new();
                for c in chars.by_ref() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    if depth == 0 {
                        break;
                    }
                    inner.push(c);
                }
                self.read(&inner);
                word.push('1');
            }
            Some('{') => {
                let name: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                word.push_str(self.value(&name));
            }
            Some('@' | '*' | '#' | '?' | '$' | '!') => {
                chars.next();
                word.push('1');
            }
            _ => {
                let mut name = String::new();
                while let Some(c) = chars.next_if(in_name) {
                    name.push(c);
                }
                word.push_str(self.value(&name));
            }
        }
    }

    fn value(&self, name: &str) -> &str {
        self.variables.get(name).map_or("1", String::as_str)
    }

    /// Ends a simple command, and remembers the first value of the variable that it sets.
    fn end(&mut self, words: &mut Vec<String>) {
        let words = std::mem::take(words);
        match &words[..] {
            [first, name, within, value, ..] if first == "for" && within == "in" => {
                self.variables.insert(name.clone(), value.clone());
            }
            [only] => {
                if let Some((name, value)) = only.split_once('=') {
                    self.variables.insert(name.to_owned(), value.to_owned());
                }
            }
            _ => {}
        }
        if !words.is_empty() {
            self.commands.push(words);
        }
    }
}

/// Removes the texts between `<<EOF` and `EOF` from a script.
fn without_documents(text: &str) -> String {
    let mut kept = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        kept.push(line);
        if let Some((_, end)) = line.split_once("<<") {
            let end = end.split_whitespace().next().unwrap_or_default();
            let end = end.trim_start_matches('-').trim_matches(['\'', '"']);
            lines.by_ref().find(|line| line.trim() == end);
        }
    }
    kept.join("\n")
}

/// Finds the calls of the program in a simple command: its own, and those in its arguments, as in
/// `pentalith check -- pentalith gtp` and `--engine 'a=gtp:pentalith gtp'`.
fn calls(words: &[String]) -> Vec<Vec<String>> {
    let arguments = match words.first().map(String::as_str) {
        Some("cargo") if words.get(1).is_some_and(|word| word == "run") => {
            let from = words.iter().position(|word| word == "--");
            let own = from.map_or(&[][..], |from| &words[from + 1..]);
            return calls(&[&["pentalith".to_owned()], own].concat());
        }
        Some("cargo") => return Vec::new(),
        // GNU parallel: the command ends where its inputs begin, one of which takes the place of `{}`.
        _ => words
            .split(|word| word == ":::" || word == ">")
            .next()
            .unwrap_or_default()
            .iter()
            .map(|word| word.replace("{}", "1"))
            .collect::<Vec<_>>(),
    };
    let is_program = |word: &String| word == "pentalith" || word.ends_with("/pentalith") && !word.contains('=');
    let mut calls = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        if is_program(word) && (at == 0 || arguments[at - 1] != "-p") {
            calls.push(arguments[at..].to_vec());
        }
        if let Some(at) = word.find("pentalith ") {
            calls.extend(shlex::split(&word[at..]));
        }
    }
    calls
}

/// Says what is wrong with a call.
fn refusal(call: &[String]) -> Option<String> {
    let error = Cli::try_parse_from(call).err().filter(clap::Error::use_stderr)?;
    let error = error.to_string();
    let line = error.lines().next().unwrap_or_default();
    Some(format!("{}: {line}", shlex::try_join(call.iter().map(String::as_str)).unwrap()))
}

/// Returns the script in a block, if it has one: all of `sh`, and the lines behind `$` elsewhere.
fn script(language: &str, text: &str) -> Option<String> {
    match language {
        "sh" => Some(text.to_owned()),
        "console" | "text" => {
            let mut script = String::new();
            let mut in_command = false;
            for line in text.lines() {
                let more = line.strip_prefix("> ").filter(|_| in_command);
                let command = line.strip_prefix("$ ").or(more);
                in_command = command.is_some();
                script.extend(command.into_iter().chain(in_command.then_some("\n")));
            }
            Some(script)
        }
        _ => None,
    }
}

#[test]
fn the_program_takes_every_command_line() {
    let mut complaints = Vec::new();
    for page in pages() {
        for (line, item) in page.items() {
            let Item::Block(language, text) = item else {
                continue;
            };
            let Some(script) = script(&language, &text) else {
                continue;
            };
            for command in Script::new(&script).commands {
                let refused = calls(&command).into_iter().filter_map(|call| refusal(&call));
                complaints.extend(refused.map(|why| format!("{}:{line}: {why}", page.name)));
            }
        }
    }
    report(&complaints);
}

/// Options that clap adds, and options of cargo.
const OTHERS: [&str; 5] = ["help", "version", "locked", "profile", "release"];

/// Tells if one of these commands has an option.
fn have_option(commands: &[&Command], name: &str) -> bool {
    let mut options = commands.iter().flat_map(|command| command.get_arguments());
    OTHERS.contains(&name) || options.any(|option| option.get_long() == Some(name))
}

/// Returns the command and all commands below it.
fn with_subcommands(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().flat_map(with_subcommands);
    [command].into_iter().chain(below).collect()
}

/// Says what is wrong with a command line that may have placeholders: a command or an option that does not exist.
fn unknown(cli: &Command, line: &str) -> Option<String> {
    let words = line.split(|c: char| c.is_whitespace() || "[]()|,=…".contains(c));
    let mut words = words.filter(|word| !word.is_empty()).skip(1).peekable();
    let mut commands = vec![cli];
    while let Some(below) = words.peek().and_then(|word| commands[0].find_subcommand(word)) {
        commands.insert(0, below);
        words.next();
    }
    if let ([_], Some(first)) = (&commands[..], words.peek()) {
        let is_placeholder = first.starts_with(|c: char| c.is_uppercase() || c == '-');
        if !is_placeholder && games::parse_variant(first).is_err() {
            return Some(format!("no command {first}"));
        }
    }
    words
        .take_while(|word| *word != "--")
        .filter_map(|word| word.strip_prefix("--"))
        .find(|name| !have_option(&commands, name))
        .map(|name| format!("no option --{name}"))
}

#[test]
fn commands_and_options_that_a_page_names_exist() {
    let mut cli = Cli::command();
    cli.build();
    let mut complaints = Vec::new();
    for page in pages() {
        for (line, item) in page.items() {
            let text = match item {
                Item::Code(code) => code,
                // `none` is the text of a file.
                Item::Block(language, text) if language != "none" => text.replace("\\\n", " "),
                _ => continue,
            };
            for code_line in text.lines() {
                let why = if code_line.starts_with("pentalith ") {
                    unknown(&cli, code_line)
                } else if let Some(option) = code_line.strip_prefix("--") {
                    let name = option.split([' ', '=']).next().unwrap_or_default();
                    let known = name.is_empty() || have_option(&with_subcommands(&cli), name);
                    (!known).then(|| "no command has this option".to_owned())
                } else {
                    None
                };
                let place = format!("{}:{line}: `{code_line}`", page.name);
                complaints.extend(why.map(|why| format!("{place}: {why}")));
            }
        }
    }
    report(&complaints);
}

#[test]
fn scripts_are_taken_apart_as_a_shell_does() {
    let script = "
# A comment with 'one quote
SIZE=6x6; for N in 1 2; do
    pentalith match \"markane:$SIZE\" --engine 'a=gtp:pentalith gtp' \\
        --seed $N 2>&1 >out-$N.txt | tail -n 1 && echo $(pentalith games)
done
parallel -j 2 pentalith perft markane {} '>' out ::: 1 2
PENTALITH=target/release/pentalith sh play.sh
cat > script.sh <<'EOF'
pentalith not a command
EOF
RUST_LOG=debug target/release/pentalith gtp </dev/null
cargo run --release -- bench
cargo build -p pentalith";
    let found: Vec<String> = Script::new(script)
        .commands
        .iter()
        .flat_map(|command| calls(command))
        .map(|call| shlex::try_join(call.iter().map(String::as_str)).unwrap())
        .collect();
    let expected = [
        "pentalith match markane:6x6 --engine 'a=gtp:pentalith gtp' --seed 1",
        "pentalith gtp",
        "pentalith games",
        "pentalith perft markane 1",
        "target/release/pentalith gtp",
        "pentalith bench",
    ];
    assert_eq!(found, expected);
}
