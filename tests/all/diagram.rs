//! `pentalith diagram` as a whole program.

use std::fs;
use std::path::Path;
use std::process::Command;

use pentalith::games;
use pentalith::rules::Board;

use crate::talk::session;
use crate::transcripts::run;

/// Status and standard error of a call that must fail and say nothing else.
fn failure(arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_pentalith");
    let arguments = [&["diagram"], arguments].concat();
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8(output.stderr).unwrap();
    let status = output.status.code().unwrap();
    // What clap adds is not ours.
    let errors = errors.split("\n\nUsage").next().unwrap_or_default();
    let errors = errors.split("\n\nFor more").next().unwrap_or_default();
    format!("{status}: {}", errors.trim())
}

fn diagram(arguments: &[&str]) -> String {
    run(&[&["diagram"], arguments].concat(), b"")
}

/// Counts the groups of a class in a picture.
fn count(picture: &str, class: &str) -> usize {
    picture.matches(&format!("class=\"{class}\"")).count()
}

#[test]
fn a_picture_goes_to_standard_output_or_to_a_file() {
    let picture = diagram(&["inversion:3"]);
    assert!(picture.starts_with("<svg xmlns") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("<title>inversion:3: White to move, turn 1</title>"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a picture.SVG");
    for option in ["-o", "--output"] {
        assert_eq!(diagram(&["inversion:3", option, "-"]), picture);
        let said = diagram(&["inversion:3", option, file.to_str().unwrap()]);
        assert_eq!(said, "");
        assert_eq!(fs::read_to_string(&file).unwrap(), picture);
    }
}

#[test]
fn options_change_the_picture() {
    let played = ["markane:5x5", "--moves", "c3 b5", "e1"];
    let with = |more: &[&str]| diagram(&[&played[..], more].concat());
    let picture = diagram(&played);
    assert!(picture.contains("White to move, turn 4"), "{picture}");
    assert_eq!(picture.matches(">a</text>").count(), 1);
    assert!(!with(&["--coordinates", "off"]).contains(">a</text>"));
    assert_eq!(with(&["--coordinates", "on"]), picture);
    assert_eq!(count(&picture, "last"), 0);
    assert_eq!(count(&with(&["--last"]), "last"), 1);
    let numbers = with(&["--numbers"]);
    for number in ["1", "2", "3"] {
        let more = numbers.matches(&format!(">{number}</text>")).count();
        let fewer = picture.matches(&format!(">{number}</text>")).count();
        assert_eq!(more, fewer + 1, "{number}");
    }
    assert_eq!(count(&with(&["--marks", "a1,b2"]), "marks"), 1);
    assert_eq!(count(&with(&["--crosses", "a1, B2"]), "crosses"), 1);
    let arrows = with(&["--arrows", "a1-b2,c3-c3"]);
    assert_eq!((count(&arrows, "arrows"), count(&arrows, "circles")), (1, 1));
    assert!(!with(&["--letters", "strokes"]).contains("<text"));
    let size = with(&["--size", "240"]);
    assert!(size.contains("\"240\""));
    assert_eq!(with(&["--size", "480"]), picture);
    assert!(with(&["--theme", "auto"]).contains("prefers-color-scheme"));
    let themes = ["light", "dark", "auto", "print"].map(|theme| with(&["--theme", theme]));
    for (index, theme) in themes.iter().enumerate() {
        assert!(!themes[..index].contains(theme));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heat");
    fs::write(&file, "a1 0.5\r\n\n  b2\t-1  \n").unwrap();
    let heat = with(&["--heat", file.to_str().unwrap()]);
    assert_eq!((count(&heat, "heat"), count(&heat, "cold")), (1, 1));
    assert!(heat.contains(">0.5</text>") && heat.contains(">-1</text>"));
}

#[test]
fn the_last_move_has_a_direction_and_its_captures_a_sign() {
    let groups = ["origin", "last", "paths", "captured"];
    let counts = |arguments: &[&str]| {
        let picture = diagram(arguments);
        groups.map(|class| count(&picture, class))
    };
    // A stone moves onto another one.
    let position = "...../ww.../wb.../.w... b 21";
    let invector = ["invector:5x4", "--position", position, "--moves", "b2a2"];
    assert_eq!(counts(&[&invector[..], &["--last"]].concat()), [1, 1, 1, 1]);
    assert_eq!(counts(&invector), [0; 4]);
    // A placement captures beside it, and a second one does not.
    let markane = ["markane:5x5", "--position", "...b./...w./..b../...../w.... b 1 5"];
    let chain = diagram(&[&markane[..], &["--moves", "d3,b1", "--last"]].concat());
    assert_eq!(groups.map(|class| count(&chain, class)), [0, 1, 0, 1]);
    // Two frames, one for each placement.
    let (_, frames) = chain.split_once("class=\"last\"").unwrap();
    assert_eq!(frames.split_once("</g>").unwrap().0.matches("<polygon").count(), 2);
    // Stones that change their color are not captured.
    let inversion = ["inversion:3", "--position", "ww./bw.w/wbbww/w.bw/.b. w - 15"];
    let moves = [&inversion[..], &["--moves", "d4,d3", "--last"]].concat();
    assert_eq!(counts(&moves), [0, 1, 0, 0]);
}

#[test]
fn cells_that_a_move_only_changed_are_framed() {
    // The frames of the group `changed`, by the middles of their cells.
    let changed = |arguments: &[&str]| {
        let picture = diagram(arguments);
        let frames = picture.split_once("class=\"changed\"").map(|(_, rest)| rest.split("</g>").next().unwrap());
        frames.unwrap_or_default().matches("<polygon").count()
    };
    // The three white stones around the hex turn.
    let inversion = ["inversion:3", "--position", ".../.w../.bbw./.bw./... w - 7", "--last", "--moves"];
    assert_eq!(changed(&[&inversion[..], &["d4"]].concat()), 3);
    // A captured stone beside the placement.
    let markane = ["markane:5x5", "--position", "...b./...w./..b../...../w.... b 1 5", "--last", "--moves"];
    assert_eq!(changed(&[&markane[..], &["d3,b1"]].concat()), 1);
    // A swap changes every piece, and ends nowhere.
    assert_eq!(changed(&["markane:5x5,pie=on", "--moves", "c3 swap", "--last"]), 1);
    // A relocation is an arrow between frames.
    assert_eq!(
        changed(&["invector:5x4", "--position", ".b.../..bw./...../...b. b 21", "--moves", "c3d3", "--last"]),
        0
    );
}

#[test]
fn labels_and_regions_are_drawn_and_described() {
    let picture = diagram(&["markane:5x5", "--moves", "c3", "--labels", "a1=A,c3=xy", "--marks", "b2"]);
    assert!(picture.contains(">A</text>") && picture.contains(">xy</text>"), "{picture}");
    assert!(picture.contains("Labels: A on a1, xy on c3."), "{picture}");
    // A label takes the place of its pit.
    let pits = |picture: &str| picture.matches("r=\"24\"").count();
    assert_eq!(pits(&picture), pits(&diagram(&["markane:5x5", "--moves", "c3", "--marks", "b2"])) - 1);
    // A square of four cells has eight sides, and a hexagon and its neighbor ten.
    for (variant, regions, sides) in
        [("invector:5x4", "a1,a2,b1,b2", 8), ("inversion:3", "c3,d3", 10), ("markane:5x5", "a1, a1", 4)]
    {
        let picture = diagram(&[variant, "--regions", regions]);
        let (_, edges) = picture.split_once("class=\"region-edges\"").unwrap();
        let edges = edges.split("</g>").next().unwrap();
        assert_eq!(edges.matches('m').count(), sides, "{variant}: {edges}");
    }
    let picture = diagram(&["markane:5x5", "--regions", "a1,b1;c3"]);
    assert_eq!(count(&picture, "region-edges"), 2);
    assert!(picture.contains("Region: a1, b1. Region: c3."), "{picture}");
}

#[test]
fn the_caption_is_that_of_the_caller_or_none() {
    let height = |picture: &str| {
        let (_, rest) = picture.split_once("viewBox=\"0 0 ").unwrap();
        let height = rest.split(['"', ' ']).nth(1).unwrap();
        height.parse::<u32>().unwrap()
    };
    let usual = diagram(&["invictus"]);
    let off = diagram(&["invictus", "--caption", "off"]);
    assert!(!off.contains("to move, turn 1</text>") && height(&off) < height(&usual));
    // Nothing is below the board, whose lowest line has the letters of the columns.
    assert_eq!(off.matches("</text>").count(), 18);
    let own = diagram(&["invictus", "--caption", "Figure 1: <all> & more"]);
    assert!(own.contains(">Figure 1: &lt;all&gt; &amp; more</text>") && !own.contains("to move, turn 1</text>"));
    // A long one is broken into lines, one without spaces, too.
    let long = "W".repeat(100);
    let lines = diagram(&["markane:3x3", "--caption", &long]).matches("WW</text>").count();
    assert!(lines > 3, "{lines}");
}

#[test]
fn a_position_of_a_recorded_game_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games#1.pgn");
    let file = file.to_str().unwrap();
    let engines = ["--engine", "a=pvs", "--engine", "b=uct", "--nodes", "30", "--games", "2"];
    run(&[&["match", "markane:4x4"][..], &engines, &["--record", file]].concat(), b"");
    let shown = run(&["replay", file, "--game", "2", "--positions"], b"");
    let positions: Vec<&str> =
        shown.lines().skip(1).filter_map(|line| line.split_once("  ")).map(|(_, at)| at).collect();
    let last = positions.len() - 1;
    for (move_number, position) in positions.iter().enumerate() {
        let picture = diagram(&[&format!("{file}#2:{move_number}")]);
        assert!(picture.contains(&format!("Position: {position}</desc>")), "{picture}");
    }
    let analyzed = run(&["analyze", &format!("{file}#2:3"), "--nodes", "10", "--json"], b"");
    assert!(analyzed.contains(&format!("\"position\":\"{}\"", positions[3])), "{analyzed}");
    let whole = diagram(&[&format!("{file}#2"), "--last"]);
    assert_eq!(whole, diagram(&[&format!("{file}#2:{last}"), "--last"]));
    assert!(count(&whole, "last") == 1);
    let fail = |place: &str, more: &[&str]| {
        let said = failure(&[&[format!("{file}{place}").as_str()][..], more].concat());
        said.replace(file, "FILE").replace(&format!(" {last} "), " LAST ").replace(&format!("to {last},"), "to LAST,")
    };
    let said = [
        fail("#3", &[]),
        fail("#", &[]),
        fail("#2:", &[]),
        fail("#2:x", &[]),
        fail("#+2", &[]),
        fail("#2:999", &[]),
        fail("#2", &["--position", "x"]),
        fail("#2:0", &["--last"]),
        failure(&["#1"]),
        failure(&["no-such-file#1"]),
    ];
    insta::assert_snapshot!(said.join("\n"), @r##"
    2: pentalith: FILE has no game 3
    2: pentalith: "FILE#": expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17
    2: pentalith: "FILE#2:": expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17
    2: pentalith: "FILE#2:x": expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17
    2: pentalith: "FILE#+2": expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17
    2: pentalith: game 2 of FILE has LAST moves: expected a number up to LAST, found 999
    2: pentalith: --position and "FILE#2" both give a position: expected one of them
    2: pentalith: --last needs a move: expected --moves, or a record
    2: pentalith: "#1": expected FILE#GAME or FILE#GAME:MOVE, such as games.pgn#3:17
    2: pentalith: no-such-file: No such file or directory (os error 2)
    "##);
}

#[test]
fn stones_are_counted_below_the_board() {
    let invector = diagram(&["invector:5x4", "--position", "...../ww.../wb.../.w... b 21"]);
    assert!(invector.contains(">stones: Black 1, White 4</text>"), "{invector}");
    let markane = diagram(&["markane:5x5", "--moves", "c3 b5 e1"]);
    assert!(markane.contains(">stones: Black 2, White 1</text>"), "{markane}");
}

#[test]
fn moves_are_played_from_a_position_as_ugi_does() {
    let position = ".../w.b/b.w b 1 5";
    let from = ["markane:3x3", "--position", position];
    let whole = diagram(&[&from[..], &["--moves", "a3"]].concat());
    assert!(whole.contains("Black: a1, c2, a3. White: c1."), "{whole}");
    // Half a move, and one that begins with a hyphen.
    let position = "...../.b1b1../b2w1w1b1./.w1w1w1./..... w - 0,0 4 5";
    let from = ["gravel:5", "--position", position];
    let half = diagram(&[&from[..], &["--moves=-b2", "--numbers"]].concat());
    assert!(half.contains("this turn: 1 of 4 placements and removals"), "{half}");
}

#[test]
fn bad_input_is_quoted_with_what_was_expected() {
    let calls: &[&[&str]] = &[
        &["invectr"],
        &["markane:3x3", "--position", "x"],
        &["markane:3x3", "--moves", "a1 a1"],
        &["markane:3x3", "--moves", "a1", "hello"],
        &["markane:3x3", "--marks", "a1,d4"],
        &["markane:3x3", "--marks", ""],
        &["inversion:3", "--crosses", "a5"],
        &["markane:3x3", "--arrows", "a1-b2,c3"],
        &["markane:3x3", "--last"],
        &["markane:3x3", "--numbers"],
        &["markane:3x3", "--labels", "a1"],
        &["markane:3x3", "--labels", "a1="],
        &["markane:3x3", "--labels", "a1=word"],
        &["markane:3x3", "--labels", "a1=A,a1=B"],
        &["markane:3x3", "--regions", "a1;"],
        &["markane:3x3", "--coordinates", "yes"],
        &["markane:3x3", "--theme", "pink"],
        &["markane:3x3", "--size", "5"],
        &["markane:3x3", "-o", "x.gif"],
        &["markane:3x3", "--letters", "none"],
        &["markane:3x3", "-o", "no/such/folder/x.svg"],
        &["markane:3x3", "--heat", "no-such-file"],
    ];
    let said: Vec<String> = calls.iter().map(|call| failure(call)).collect();
    let without = "FILE.svg (FILE.png needs the feature png)";
    let said = said.join("\n").replace("FILE.svg or FILE.png", without);
    insta::assert_snapshot!(said, @r#"
    2: pentalith: bad variant: "invectr": game invectr: expected one of invector, gravel, markane, inversion, invictus (pentalith --help lists the commands)
    2: pentalith: bad position: "x": position (column 2): needs 4 fields (board, side, owed, turn), has 1
    2: pentalith: illegal move: move 2, "a1": a1: the pit is occupied
    2: pentalith: illegal move: move 2, "hello": "hello", column 1: expected swap or a column from a to c, found "hello"
    2: pentalith: --marks: "d4", column 1: expected a column from a to c, found "d4"
    2: pentalith: --marks: "", column 1: expected a column from a to c, found the end
    2: pentalith: --crosses: "a5", column 2: expected a rank from 1 to 3 in column a, found "5"
    2: pentalith: --arrows: "c3", column 3: expected a hyphen, found the end
    2: pentalith: --last needs a move: expected --moves, or a record
    2: pentalith: --numbers needs a move: expected --moves, or a record
    2: pentalith: --labels: "a1", column 3: expected an equals sign, found the end
    2: pentalith: --labels: "a1=", column 4: expected one to three characters, found the end
    2: pentalith: --labels: "a1=word", column 4: expected one to three characters, found "word"
    2: pentalith: --labels: "a1=B": the cell has a label already
    2: pentalith: --regions: "", column 1: expected a column from a to c, found the end
    2: error: invalid value 'yes' for '--coordinates <on|off>': expected on or off
    2: error: invalid value 'pink' for '--theme <THEME>': expected one of light, dark, auto, print
    2: error: invalid value '5' for '--size <PIXELS>': 5 is not in 16..=10000
    2: pentalith: --output "x.gif": expected FILE.svg (FILE.png needs the feature png)
    2: error: invalid value 'none' for '--letters <LETTERS>': expected text or strokes
    1: pentalith: can't write to no/such/folder/x.svg: no such folder: no/such/folder
    2: pentalith: can't read no-such-file: No such file or directory (os error 2)
    "#);
}

#[test]
fn bad_lines_of_a_heat_file_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heat");
    let mut said = Vec::new();
    for text in ["a1 1\nd4 1", "a1", "a1 x", "a1 inf", "a1 1e9", "a1 123456789", "a1 1 2", "a1 1\n\na1 2", "<script> 1"]
    {
        fs::write(&file, text).unwrap();
        let error = failure(&["markane:3x3", "--heat", file.to_str().unwrap()]);
        said.push(error.replace(folder.path().to_str().unwrap(), "DIR"));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    2: pentalith: DIR/heat, line 2: "d4", column 1: expected a column from a to c, found "d4"
    2: pentalith: DIR/heat, line 1: "a1": expected a cell and a number of at most 8 characters, such as a1 0.25, found no number
    2: pentalith: DIR/heat, line 1: "a1 x": expected a cell and a number of at most 8 characters, such as a1 0.25, found "x"
    2: pentalith: DIR/heat, line 1: "a1 inf": expected a cell and a number of at most 8 characters, such as a1 0.25, found "inf"
    2: pentalith: DIR/heat, line 1: "a1 1e9": expected a cell and a number of at most 8 characters, such as a1 0.25, found "1e9"
    2: pentalith: DIR/heat, line 1: "a1 123456789": expected a cell and a number of at most 8 characters, such as a1 0.25, found "123456789"
    2: pentalith: DIR/heat, line 1: "a1 1 2": expected a cell and a number of at most 8 characters, such as a1 0.25, found "1 2"
    2: pentalith: DIR/heat, line 3: "a1 2": the cell has a value already
    2: pentalith: DIR/heat, line 1: "<script>", column 1: expected a column from a to c, found "<script>"
    "#);
}

#[cfg(unix)]
#[test]
fn the_pictures_of_the_pages_are_what_the_program_draws() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("sh")
        .args([pages.join("draw.sh").as_path(), folder.path()])
        .env("PENTALITH", env!("CARGO_BIN_EXE_pentalith"))
        .status()
        .unwrap();
    assert!(status.success());
    let pictures = |folder: &Path| {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let pictures = files.filter(|file| file.extension().is_some_and(|end| end == "svg"));
        let named = pictures.map(|file| {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(file).unwrap())
        });
        let mut named: Vec<(String, String)> = named.collect();
        named.sort();
        named
    };
    let (drawn, kept) = (pictures(folder.path()), pictures(&pages));
    let names = |pictures: &[(String, String)]| {
        let names = pictures.iter().map(|(name, _)| name.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&drawn), names(&kept));
    for ((name, drawn), (_, kept)) in drawn.iter().zip(&kept) {
        assert!(drawn == kept, "{name} differs: sh docs/pictures/draw.sh");
    }
}

#[cfg(unix)]
fn open(variant: &str) -> Box<dyn Board> {
    games::open(&games::parse_variant(variant).unwrap()).unwrap()
}

/// A picture of the pages: its name, and the arguments of its call.
#[cfg(unix)]
struct Drawn {
    name: String,
    arguments: Vec<String>,
}

#[cfg(unix)]
impl Drawn {
    /// The values of an option, split at commas; none without the option.
    fn list(&self, option: &str) -> Vec<&str> {
        let mut from = self.arguments.iter().skip_while(|text| *text != option);
        let list = from.nth(1).map(|text| text.split(',').collect());
        list.unwrap_or_default()
    }

    /// The legal steps of its position, each with its source, if it has one, and its target.
    fn legal(&self) -> Vec<(Option<String>, String)> {
        let text = |option: &str| {
            let mut from = self.arguments.iter().skip_while(|text| *text != option);
            from.nth(1).map(String::as_str)
        };
        let from = self.arguments.iter().skip_while(|text| *text != "--moves");
        let moves = from.skip(1).take_while(|text| !text.starts_with("--"));
        let moves: Vec<&str> = moves.flat_map(|text| text.split(' ')).collect();
        let mut session = session(&self.arguments[1]);
        session.set_history(text("--position"), &moves).unwrap();
        let legal = session.legal();
        legal.iter().filter_map(|step| cells(step)).collect()
    }
}

/// Source and target of a step; `None` if it is no step onto a cell.
#[cfg(unix)]
fn cells(step: &str) -> Option<(Option<String>, String)> {
    if step.starts_with('-') || !step.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let step = step.rsplit('@').next().unwrap();
    let step = step.strip_prefix('x').unwrap_or(step);
    let second = step.rfind(|c: char| c.is_ascii_lowercase()).unwrap();
    let (from, to) = step.split_at(second);
    let from = (!from.is_empty()).then(|| from.to_owned());
    Some((from, to.to_owned()))
}

#[cfg(unix)]
#[test]
fn the_marks_of_the_pages_are_what_the_rules_allow() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let [program, log] = ["program", "log"].map(|name| folder.path().join(name));
    let script = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" '' >> '{}'\n", log.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let status = Command::new("sh")
        .args([pages.join("draw.sh").as_path(), folder.path()])
        .env("PENTALITH", &program)
        .status()
        .unwrap();
    assert!(status.success());
    let calls = fs::read_to_string(&log).unwrap();
    let pictures = calls.split("\n\n").filter(|call| call.starts_with("diagram"));
    let pictures = pictures.map(|call| {
        let arguments: Vec<String> = call.lines().map(str::to_owned).collect();
        let file = Path::new(arguments.last().unwrap());
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        Drawn { name, arguments }
    });
    let mut compared = 0;
    for picture in pictures {
        let name = picture.name.as_str();
        let (marks, crosses) = (picture.list("--marks"), picture.list("--crosses"));
        let arrows = picture.list("--arrows");
        if name == "inversion-centers" {
            let board = open("inversion:3");
            let is_center = |label: &&str| {
                let shape = board.shape();
                let cell = shape.cells().find(|&cell| shape.label(cell) == **label);
                let neighbors = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)];
                let mut neighbors = neighbors.iter();
                neighbors.all(|&(dx, dy)| shape.offset(cell.unwrap(), dx, dy).is_some())
            };
            assert!(marks.iter().all(is_center) && !crosses.iter().any(is_center));
            assert_eq!(marks.len() + crosses.len(), board.shape().len());
            continue;
        }
        if marks.is_empty() && crosses.is_empty() && arrows.is_empty() {
            continue;
        }
        compared += 1;
        let legal = picture.legal();
        let is_target = |label: &&str| legal.iter().any(|(_, to)| to == *label);
        assert!(marks.iter().all(is_target), "{name}: {marks:?} of {legal:?}");
        let allowed = crosses.iter().find(|label| is_target(label));
        assert_eq!(allowed, None, "{name}: {legal:?}");
        let mut shown: Vec<String> = marks.iter().map(|label| (*label).to_owned()).collect();
        for arrow in arrows {
            let (from, to) = arrow.split_once('-').unwrap();
            let step = match from == to {
                true => (None, to.to_owned()),
                false => (Some(from.to_owned()), to.to_owned()),
            };
            // A circle without more is only an example of how one looks.
            let is_example = name == "invector-arrows" && from == to;
            assert!(legal.contains(&step) || is_example, "{name}: {arrow}");
            shown.extend((from == to).then(|| to.to_owned()));
        }
        // These show all that there is.
        if ["gravel-placing", "invictus-setup", "invictus-returned"].contains(&name) {
            let placed = legal.iter().filter(|(from, _)| from.is_none());
            let mut placed: Vec<String> = placed.map(|(_, to)| to.clone()).collect();
            placed.sort();
            shown.sort();
            assert_eq!(placed, shown, "{name}");
        }
        if name == "gravel-relocations" {
            let moved = legal.iter().filter(|(from, _)| from.is_some());
            assert_eq!(moved.count(), picture.list("--arrows").len());
        }
    }
    assert!(compared > 12, "{compared}");
}
