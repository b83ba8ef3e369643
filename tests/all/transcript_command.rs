//! `pentalith transcript`: dialogues that are run again, compared, accepted and recorded.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::talk::Talk;

/// A GTP engine that knows few words.
const ENGINE: &str = r#"
count=0
while read -r command rest; do
    count=$((count + 1))
    case $command in
    name) printf '= Small\n\n' ;;
    count) printf '= %s of %s\nsecond line\nnodes/s 1%s\n\n' "$count" "$rest" "$count" ;;
    say) printf '= %s\n\n' "$rest" ;;
    error) printf '? %s\n\n' "$rest" ;;
    die) echo 'out of memory' >&2; exit 3 ;;
    hang) sleep 1000 ;;
    quit) printf '=\n\n'; exit 7 ;;
    *) printf '? unknown command\n\n' ;;
    esac
done
"#;

/// A run of the program: its status, its output and its errors.
fn run_with(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_pentalith"))
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that reads nothing may have ended.
    let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
    let output = program.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder with a transcript of the small engine.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(transcript: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("t.transcript", transcript);
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Runs the transcript with options and an engine. The folder's name is left out of the output.
    fn run_with(&self, options: &[&str], input: &str, engine: &[&str]) -> (i32, String) {
        let path = self.path("t.transcript");
        let patience: &[&str] = if options.contains(&"--timeout") { &[] } else { &["--timeout", "60"] };
        let (status, output, errors) =
            run_with(&[&["transcript", "run", &path], patience, options, &["--"], engine].concat(), input);
        assert!(!errors.contains("panicked"), "{errors}");
        (status, (output + &errors).replace(&self.path(""), ""))
    }

    fn run(&self, options: &[&str]) -> (i32, String) {
        self.run_with(options, "", &["sh", "-c", ENGINE])
    }
}

const DIFFERENT: &str = "\
# protocol: gtp
> name
< = Small
# Counts commands.
> count 9
< = 2 of 9
# The second line.
< second [..]
< nodes/s 5
> say a b c
< = a [..] d
> error no
< ? no
> say x
...
> count 5
< ...
< third line
";

#[test]
fn all_differences_are_shown_with_file_and_line() {
    let folder = Folder::new(DIFFERENT);
    let (status, output) = folder.run(&[]);
    assert_eq!(status, 1, "{output}");
    insta::assert_snapshot!(output, @r"
    t.transcript:10: say a b c
          > name
          < = Small
          > count 9
          < = 2 of 9
          < second line
          < nodes/s 12
          > say a b c
        - < = a [..] d
        + < = a b c
    t.transcript:16: count 5
          > error no
          < ? no
          > say x
          < = x
          > count 5
          < ...
        - < third line
        + < nodes/s 16
    1 transcript: 0 same, 1 different
    ");
}

#[test]
fn wildcards_survive_acceptance() {
    let folder = Folder::new(DIFFERENT);
    let (status, output) = folder.run(&["--accept"]);
    assert_eq!(status, 0, "{output}");
    assert!(output.ends_with("t.transcript: 2 differences accepted\n1 transcript: 0 same, 1 different\n"), "{output}");
    let expected = DIFFERENT.replace("= a [..] d", "= a [..] c").replace("< third line", "< nodes/s [..]");
    assert_eq!(folder.read("t.transcript"), expected);
    let (status, output) = folder.run(&[]);
    assert_eq!((status, output.as_str()), (0, "1 transcript: 1 same, 0 different\n"));
}

#[test]
fn commands_alone_become_a_transcript() {
    let folder =
        Folder::new("# protocol: gtp\n> name\n\n# Two answers at once.\n>> say [..] [legal]\n> count\n> # nothing\n");
    assert_eq!(folder.run(&["--accept"]).0, 0);
    assert_eq!(
        folder.read("t.transcript"),
        "# protocol: gtp\n> name\n< = Small\n\n# Two answers at once.\n>> say [..] [legal]\n> count\n< = \\[..] \\[legal]\n<\n< = 3 of\n< second line\n< nodes/s [..]\n> # nothing\n"
    );
    assert_eq!(folder.run(&[]).0, 0);
}

#[test]
fn a_person_accepts_one_by_one() {
    let folder = Folder::new("# protocol: gtp\n> say 1\n> say 2\n> say 3\n> say 4\n");
    let (status, output) = folder.run_with(&["--review"], "n\nperhaps\ny\nq\n", &["sh", "-c", ENGINE]);
    assert_eq!(status, 1);
    assert!(output.contains("\"perhaps\": expected y, n, a or q"), "{output}");
    assert_eq!(folder.read("t.transcript"), "# protocol: gtp\n> say 1\n> say 2\n< = 2\n> say 3\n> say 4\n");
    let (status, _) = folder.run_with(&["--review"], "n\na\n", &["sh", "-c", ENGINE]);
    assert_eq!(status, 1);
    let all = "# protocol: gtp\n> say 1\n> say 2\n< = 2\n> say 3\n< = 3\n> say 4\n< = 4\n";
    assert_eq!(folder.read("t.transcript"), all);
}

#[test]
fn an_engine_that_ends_or_hangs_is_reported_with_its_last_command() {
    let folder = Folder::new("# protocol: gtp\n> name\n< = Big\n> die\n< =\n> name\n< = Small\n");
    let (status, output) = folder.run(&[]);
    assert_eq!(status, 3);
    assert!(
        output.contains(
            "t.transcript:4: the engine ended (exit status: 3): no answer, after: die\n    ! out of memory\n"
        ),
        "{output}"
    );
    assert!(output.contains("    - < = Big\n"), "{output}");
    // What has been compared before is accepted, and the status stays.
    let (status, output) = folder.run(&["--accept"]);
    assert_eq!(status, 3, "{output}");
    assert!(folder.read("t.transcript").contains("< = Small\n> die"));

    let folder = Folder::new("# protocol: gtp\n> hang\n< =\n");
    let (status, output) = folder.run(&["--timeout", "0.3"]);
    assert_eq!(status, 3);
    assert!(output.contains("t.transcript:2: no answer within 300 ms, after: hang\n"), "{output}");
}

#[test]
fn the_exit_status_is_compared_if_it_is_written() {
    let folder = Folder::new("# protocol: gtp\n> quit\n< =\n! exit 0\n");
    let (status, output) = folder.run(&[]);
    assert_eq!(status, 1);
    assert!(output.contains("    - ! exit 0\n    + ! exit 7\n"), "{output}");
    assert_eq!(folder.run(&["--accept"]).0, 0);
    assert_eq!(folder.read("t.transcript"), "# protocol: gtp\n> quit\n< =\n! exit 7\n");
    let folder = Folder::new("# protocol: gtp\n> die\n! exit 3\n");
    assert_eq!(folder.run(&[]), (0, "1 transcript: 1 same, 0 different\n".to_owned()));
}

#[test]
fn what_is_no_transcript_is_named_by_its_line() {
    for (text, why) in [
        ("hello\n", "t.transcript:1: \"hello\": expected >, <, #, ... or ! exit at the beginning"),
        ("> name\n>name\n", "t.transcript:2: \">name\""),
        ("< x\n", "t.transcript:1: an answer before the first command"),
        ("> name\n! exit x\n", "t.transcript:2: \"! exit x\": expected ! exit and a number"),
        ("> name\n! exit 0\n> name\n", "t.transcript:3: a command behind ! exit"),
        ("# mask: speeds\n> name\n", "t.transcript:1: \"speeds\": expected none, time, nodes, speed and hashfull"),
        ("# mask: time\n# mask: /(/\n> name\n", "t.transcript:2: \"/(/\""),
        ("# protocol: chess\n", "t.transcript:1: \"chess\": expected gtp, ugi or lines"),
        ("# variant: chess\n", "t.transcript:1: bad variant: "),
        (">> name\n< =\n", "t.transcript:2: an answer behind >>"),
        ("> name\n<~ (\n", "t.transcript:2: \"(\""),
        ("> hello\n", "t.transcript:1: the protocol is not known"),
    ] {
        let (status, output) = Folder::new(text).run(&[]);
        assert_eq!(status, 2, "{text} {output}");
        assert!(output.starts_with(why), "{text}: {output}");
    }
    let folder = Folder::new("# protocol: gtp\n> name\n");
    let path = folder.path("t.transcript");
    let (status, output, _) = run_with(&["transcript", "run", &path], "");
    assert!(status == 2 && output.contains("no command line: expected $ COMMAND in the first line"), "{output}");
    let (status, output) = folder.run_with(&[], "", &["/no/such/engine"]);
    assert!(status == 2 && output.contains("the engine can't be started"), "{output}");
    let (status, output) = folder.run_with(&[], "", &["sh", "{variant}"]);
    assert!(status == 2 && output.contains("{variant} can't be replaced"), "{output}");
    let (status, _, errors) = run_with(&["transcript", "run", &folder.path("none")], "");
    assert_eq!((status, errors.as_str()), (2, ""));
    let empty = tempfile::tempdir().unwrap();
    let (status, _, errors) = run_with(&["transcript", "run", empty.path().to_str().unwrap()], "");
    assert!(status == 2 && errors.contains("no file in it ends in .transcript or .tst"), "{errors}");
}

#[test]
fn moves_are_judged_by_the_rules() {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let transcript = format!(
        "$ {program} gtp markane:3x3\n> play b b2\n< =\n> genmove w\n< = [legal]\n> say\n< ? [..]\n> undo\n< =\n> reg_genmove w\n< = [one of: yy | zz]\n"
    );
    let folder = Folder::new(&transcript);
    let path = folder.path("t.transcript");
    let (status, output, _) = run_with(&["transcript", "run", &path], "");
    assert!(status == 1 && output.contains("- < = [one of: yy | zz]"), "{output}");
    let (status, _, _) = run_with(&["transcript", "run", "--accept", &path], "");
    assert_eq!(status, 0);
    let accepted = folder.read("t.transcript");
    assert!(accepted.contains("< = [legal]\n"), "{accepted}");
    assert!(accepted.contains("< = [one of: yy | zz | "), "{accepted}");
    assert_eq!(run_with(&["transcript", "run", &path], "").0, 0);
    // A cell that is taken.
    let folder = Folder::new(
        "# variant: markane:3x3\n# protocol: gtp\n> say b2\n< = [legal]\n> clear_board\n< ? unknown command\n> say d4\n< = [legal]\n",
    );
    let (status, output) = folder.run(&[]);
    assert_eq!(status, 1);
    assert!(output.contains("7: say d4") && !output.contains("3: say b2"), "{output}");
}

#[test]
fn reports_are_read_by_other_tools() {
    let folder = Folder::new("# protocol: gtp\n> say <&>\n< = \"x\"\n> die\n< =\n");
    folder.write("u.transcript", "# protocol: gtp\n> name\n< = Small\n");
    let folder_path = folder.path("");
    let run = |format: &str| {
        let arguments = ["transcript", "run", &folder_path, "--format", format, "--", "sh", "-c", ENGINE];
        let (status, output, _) = run_with(&arguments, "");
        assert_eq!(status, 3);
        output.replace(&folder.path(""), "")
    };
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    assert_eq!((&json["same"], &json["different"], &json["failed"]), (&1.into(), &0.into(), &1.into()));
    let file = &json["files"][0];
    assert_eq!(file["differences"][0]["expected"][0], "< = \"x\"");
    assert_eq!(file["differences"][0]["answer"][0], "< = <&>");
    assert_eq!(file["failure"]["kind"], "crash");
    assert_eq!(file["failure"]["errors"][0], "out of memory");
    let xml = run("junit");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), 2);
    let error = cases[0].first_element_child().unwrap();
    assert!(error.has_tag_name("error") && error.text().unwrap().contains("+ < = <&>"), "{xml}");
    let tap = run("tap");
    assert!(tap.starts_with("TAP version 14\n1..2\nnot ok 1 - t.transcript\n  ---\n  message: "), "{tap}");
    assert!(tap.ends_with("  ...\nok 2 - u.transcript\n"), "{tap}");
}

#[test]
fn a_dialogue_in_no_protocol_is_compared_too() {
    let folder = Folder::new("# protocol: lines\n> hello\n< you said hello\n< twice: hello\n> bye\n");
    let engine = r#"while read -r line; do echo "you said $line"; echo "twice: $line"; done"#;
    let (status, output) = folder.run_with(&["--accept"], "", &["sh", "-c", engine]);
    assert_eq!(status, 0, "{output}");
    assert!(folder.read("t.transcript").ends_with("> bye\n< you said bye\n< twice: bye\n"));
}

/// Records what a client says to the program, as it comes.
fn recorded(folder: &Folder, arguments: &[&str], talk: impl FnOnce(&mut Talk)) -> String {
    let path = folder.path("r.transcript");
    let record = ["transcript", "record", &path, "--", env!("CARGO_BIN_EXE_pentalith")];
    let mut client = Talk::program(&[&record, arguments].concat());
    talk(&mut client);
    client.rest();
    folder.read("r.transcript").replace(env!("CARGO_BIN_EXE_pentalith"), "pentalith")
}

/// Runs a recording again.
fn is_repeated(folder: &Folder) {
    let path = folder.path("r.transcript");
    let (status, output, _) = run_with(&["transcript", "run", &path, "--timeout", "60"], "");
    assert_eq!(status, 0, "{output}");
}

#[test]
fn a_session_with_gogui_is_recorded_and_repeated() {
    let folder = Folder::new("");
    let text = recorded(&folder, &["gogui", "markane:4x4", "--nodes", "100"], |client| {
        for command in ["name", "gogui-rules_board_size", "1 gogui-rules_legal_moves", "play b c3", "play b c3"] {
            client.say(command);
            client.until("");
        }
        client.say("2 reg_genmove w\nquit");
    });
    assert!(text.starts_with("$ pentalith gogui markane:4x4 --nodes 100\n> name\n< = pentalith\n"), "{text}");
    assert!(text.ends_with("\n> quit\n< =\n! exit 0\n"), "{text}");
    is_repeated(&folder);
}

/// Each with an answer that is wrong, and one that may be any legal move or any text.
#[test]
fn engines_of_all_kinds_run_differ_and_are_accepted() {
    let python = concat!("python3 ", env!("CARGO_MANIFEST_DIR"), "/docs/examples/random_invector.py 3 2");
    let gogui = concat!(env!("CARGO_BIN_EXE_pentalith"), " gogui markane:3x3 --nodes 50");
    let gnugo = if Path::new("/usr/games/gnugo").exists() { "/usr/games/gnugo" } else { "gnugo" };
    let gnugo = format!("{gnugo} --mode gtp --level 1");
    let dialogues = [
        (
            python,
            "# protocol: ugi\n# variant: invector:3x2\n> ugi\n...\n< ugiok\n> position startpos\n> query gameover\n\
             < response true\n> go movetime 1\n...\n< bestmove [legal]\n> quit\n! exit 0\n",
            "< response false\n> go movetime 1\n...\n< bestmove [legal]\n",
        ),
        (
            gogui,
            "# protocol: gtp\n# variant: markane:3x3\n> gogui-rules_board_size\n< = 4\n> play b b2\n< =\n\
             > reg_genmove w\n< = [legal]\n> quit\n< =\n! exit 0\n",
            "> gogui-rules_board_size\n< = 3\n> play b b2\n< =\n> reg_genmove w\n< = [legal]\n",
        ),
        (
            &gnugo,
            "# protocol: gtp\n> name\n< = GNU Chess\n> version\n< = [..]\n> fly\n< ? [..]\n> quit\n< =\n! exit 0\n",
            "> name\n< = GNU Go\n> version\n< = [..]\n> fly\n< ? [..]\n",
        ),
    ];
    for (engine, dialogue, accepted) in dialogues {
        let program = engine.split(' ').next().unwrap();
        if let Err(error) = Command::new(program).arg("--version").output() {
            crate::clients::skip(&format!("{program} does not run"), &error.to_string());
            continue;
        }
        let folder = Folder::new(&format!("$ {engine}\n{dialogue}"));
        let path = folder.path("t.transcript");
        let run = |more: &[&str]| {
            let (status, output, errors) =
                run_with(&[&["transcript", "run", &path, "--timeout", "60"], more].concat(), "");
            (status, format!("{output}{errors}"))
        };
        let (status, output) = run(&[]);
        assert_eq!(status, 1, "{engine}: {output}");
        assert_eq!(run(&["--accept"]).0, 0, "{engine}");
        let text = folder.read("t.transcript");
        assert!(text.contains(accepted), "{engine}: {text}");
        let (status, output) = run(&[]);
        assert_eq!(status, 0, "{engine}: {output}");
    }
}

#[test]
fn a_search_that_is_stopped_is_recorded_and_repeated() {
    let folder = Folder::new("");
    let text = recorded(&folder, &["ugi", "markane:3x3"], |client| {
        client.ask("ugi", "ugiok");
        client.ask("isready", "readyok");
        client.say("position startpos moves b2 a1 c1 c3");
        client.ask("go nodes 5", "bestmove");
        // A proven win: the answer is the same after any time.
        client.say("position startpos moves b2 a1 c1 c3");
        client.say("go infinite");
        client.ask("isready", "readyok");
        client.ask("stop", "bestmove");
        client.say("quit");
    });
    let end = "moves b2 a1 c1 c3\n>> go infinite\n> isready\n...\n< readyok\n> stop\n...\n< bestmove [..]\n> quit\n! exit 0\n";
    assert!(text.ends_with(end), "{text}");
    is_repeated(&folder);
}

#[test]
fn a_log_becomes_a_transcript() {
    let folder = Folder::new("");
    let (log, path) = (folder.path("log"), folder.path("r.transcript"));
    let input = "1 showboard\nplay b zz\nperft 2\nquit\n";
    crate::transcripts::run(&["gtp", "markane:3x3", "--log", &log], input.as_bytes());
    let (status, _, errors) = run_with(&["transcript", "record", &path, "--from", &log], "");
    assert_eq!((status, errors.as_str()), (0, ""));
    let text = folder.read("r.transcript");
    assert!(text.contains("gtp markane:3x3\n> 1 showboard\n< =1\n"), "{text}");
    assert!(text.contains("> perft 2\n< = "), "{text}");
    is_repeated(&folder);
    let (status, _, errors) = run_with(&["transcript", "record", &path, "--from", &path], "");
    assert!(status == 2 && errors.contains("is the file to write"), "{errors}");
}

#[test]
fn commands_of_gtp_get_their_answers() {
    let folder = Folder::new("");
    folder.write("in.gtp", "# A comment\nname\n\nsay hello\n");
    let (from, path) = (folder.path("in.gtp"), folder.path("r.transcript"));
    let (status, _, errors) = run_with(
        &[
            "transcript",
            "record",
            &path,
            "--from",
            &from,
            "--",
            "sh",
            "-c",
            "exec \"$0\" gtp",
            env!("CARGO_BIN_EXE_pentalith"),
        ],
        "",
    );
    assert_eq!((status, errors.as_str()), (0, ""));
    let text = folder.read("r.transcript");
    assert!(text.contains("# A comment\n> name\n< = pentalith\n\n> say hello\n< ? unknown command"), "{text}");
    is_repeated(&folder);
    let (status, _, errors) = run_with(&["transcript", "record", &path, "--from", &from], "");
    assert!(status == 2 && errors.contains("expected the engine to answer them behind --"), "{errors}");
}

/// Runs a file of gogui-regress with an engine that says what it is told. Returns the commands that fail.
fn regress(file: &str) -> Vec<String> {
    let folder = Folder::new("");
    folder.write("r.tst", file);
    let path = folder.path("r.tst");
    let arguments = ["transcript", "run", &path, "--format", "json", "--", "sh", "-c", ENGINE];
    let (status, output, _) = run_with(&arguments, "");
    let json: Value = serde_json::from_str(&output).unwrap();
    let different = json["files"][0]["differences"].as_array().unwrap();
    assert_eq!(status, i32::from(!different.is_empty()), "{output}");
    different.iter().map(|difference| difference["command"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn patterns_are_judged_as_gogui_regress_judges_them() {
    for (pattern, command, passed) in [
        ("[]", "say", true),
        ("[]", "say c3", false),
        ("[c3]", "say c3", true),
        ("[ c3 ]", "say c3", true),
        ("[c]", "say c3", false),
        ("[.3.*]", "say c3,d4", true),
        (r"[B\+7]", "say B+7", true),
        ("[a1|c3]", "say c3", true),
        // A dot matches the end of a line, too.
        ("[1 of.second line.nodes/s .*]", "count", true),
        ("[!c3]", "say c3", false),
        ("[!c3]", "say d4", true),
        ("[.*]", "error illegal move: c3", false),
        ("[!c3]", "error illegal move: c3", false),
    ] {
        let test = |mark: &str| regress(&format!("{command}\n#? {pattern}{mark}\n")).is_empty();
        assert_eq!(test(""), passed, "{pattern} {command}");
        assert_eq!(test("*"), !passed, "{pattern}* {command}");
    }
    // A command without a pattern must succeed.
    assert_eq!(regress("\u{feff}# comment\nname\nsay x\nnonsense\n"), ["nonsense"]);
    let (status, output, _) = run_with(&["transcript", "run", "/dev/null"], "");
    assert_eq!((status, output.lines().count()), (2, 2), "{output}");
}

#[test]
fn tests_of_gogui_regress_are_converted_both_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = root.join("protocol/transcripts/regression.tst");
    let folder = Folder::new("");
    let (path, back) = (folder.path("r.transcript"), folder.path("back.tst"));
    let convert = |to: &str, from: &str| {
        let (status, _, errors) = run_with(&["transcript", "record", to, "--from", from], "");
        assert_eq!((status, errors.as_str()), (0, ""));
    };
    convert(&path, tests.to_str().unwrap());
    let text = folder.read("r.transcript");
    assert!(text.starts_with("$ pentalith gtp\n# Regression tests"), "{text}");
    convert(&back, &path);
    let plain = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("# "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(plain(&folder.read("back.tst")), plain(&fs::read_to_string(&tests).unwrap()));
    // Answers become patterns.
    folder.write(
        "t.transcript",
        "$ x\n> 7 say\n< =7 a+[..]\n> legal\n< = [legal]\n< second\n...\n> error\n< ? no\n> name\n< = [one of: a | b]\n",
    );
    convert(&back, &folder.path("t.transcript"));
    assert_eq!(
        folder.read("back.tst"),
        "# $ x\n7 say\n#? [a\\+.*]\n2 legal\n#? [\\S+\\nsecond\\n.*]\n3 error\n#? [.*]*\n4 name\n#? [(a|b)]\n"
    );
}
