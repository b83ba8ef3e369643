//! Pictures: what they show, that they are valid XML, and that nothing in them depends on color alone.

use pentalith::board::Cell;
use pentalith::games;
use pentalith::render::{Annotations, Candidate, CaptionText, Letters, Style, Theme, escape, svg};
use pentalith::rules::{Board, Color, Equipment, Piece};
use pentalith::session::{LastMove, PlayedStep};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use roxmltree::{Document, Node};

fn open(variant: &str) -> Box<dyn Board> {
    games::open(&games::parse_variant(variant).unwrap()).unwrap()
}

fn at(variant: &str, position: &str) -> Box<dyn Board> {
    let mut board = open(variant);
    board.set_position(position).unwrap();
    board
}

fn plain(board: &dyn Board) -> String {
    svg(board, &Annotations::default(), &Style::default())
}

fn cell(board: &dyn Board, label: &str) -> Cell {
    let shape = board.shape();
    let mut cells = shape.cells();
    cells.find(|&cell| shape.label(cell) == label).unwrap()
}

/// The groups of a class, those within other groups included.
fn groups<'a>(picture: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let nodes = picture.descendants();
    nodes.filter(|node| node.attribute("class") == Some(class)).collect()
}

/// The texts of a picture in their order.
fn texts(picture: &str) -> Vec<String> {
    let picture = Document::parse(picture).unwrap();
    let texts = picture.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

fn step(cells: Vec<Cell>, text: &str) -> PlayedStep {
    PlayedStep { text: text.to_owned(), cells }
}

/// Everything that a picture can have, somewhere on the board.
fn annotated(board: &dyn Board, random: &mut Xoshiro256PlusPlus) -> Annotations {
    let cells: Vec<Cell> = board.shape().cells().collect();
    let mut some = |most: u64| -> Vec<Cell> {
        let count = random.next_u64() % (most + 1);
        let mut pick = || cells[(random.next_u64() % cells.len() as u64) as usize];
        (0..count).map(|_| pick()).collect()
    };
    let steps =
        some(20).into_iter().map(|cell| step(if cell.index() % 5 > 0 { vec![cell] } else { Vec::new() }, "<step>"));
    let steps = steps.collect();
    let heat = some(30).into_iter().enumerate();
    let heat = heat.map(|(index, cell)| (cell, index as f64 - 9.5, format!("{index} & <")));
    let heat = heat.collect();
    let candidates = some(8).into_iter().zip(some(8)).zip(0..);
    let candidates = candidates.map(|((from, to), number)| Candidate {
        from: (from.index() % 3 > 0).then_some(from),
        to,
        strength: number * 2,
        text: ["", "≤48", "100", "<&>"][usize::from(number) % 4].to_owned(),
    });
    let candidates = candidates.collect();
    let labels = some(6).into_iter().zip(["A", "b", "WWW", "ij", "<&>", "é"].map(str::to_owned));
    let labels = labels.collect();
    let caption = match some(2).len() {
        0 => CaptionText::Position,
        1 => CaptionText::Own("Minimum wages: 100 % WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW & more\nof it".to_owned()),
        _ => CaptionText::Off,
    };
    Annotations {
        caption,
        labels,
        regions: vec![some(6), some(6)],
        candidates,
        notes: vec!["Black scores ≤ 48.1 % with c3,… & <script>".to_owned()],
        last_move: LastMove {
            steps: some(3).into_iter().zip(some(3)).map(|(from, to)| step(vec![from, to], "")).collect(),
            captured: some(3).into_iter().map(|cell| (cell, Color::White)).collect(),
            changed: some(9),
            ..LastMove::default()
        },
        marks: some(5),
        crosses: some(5),
        steps,
        arrows: some(6).into_iter().zip(some(6)).collect(),
        heat,
        pieces: None,
    }
}

/// Widths of the characters from space to `~` in DejaVu Sans, in thousandths of the font size.
const DEJAVU: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// Checks that every text is within the picture, in a font as wide as DejaVu Sans. `usual` is the font size of texts that
/// have none.
pub fn assert_texts_fit(picture: Node<'_, '_>, usual: &str, what: &str) {
    let view = picture.attribute("viewBox").unwrap();
    let width: f64 = view.split(' ').nth(2).unwrap().parse().unwrap();
    for node in picture.descendants().filter(|node| node.has_tag_name("text")) {
        let inherited = |name| node.ancestors().find_map(|node| node.attribute(name));
        let size: f64 = inherited("font-size").unwrap_or(usual).parse().unwrap();
        let x: f64 = node.attribute("x").unwrap().parse().unwrap();
        let text = node.text().unwrap_or_default();
        let width_of = |c: char| match u32::from(c) {
            code @ 32..=126 => f64::from(DEJAVU[code as usize - 32]) / 1000.0,
            0xa0 => f64::from(DEJAVU[0]) / 1000.0,
            0x2066..=0x2069 => 0.0,
            _ => 0.84,
        };
        let length = size * text.chars().map(width_of).sum::<f64>();
        let (left, right) = match inherited("text-anchor") {
            Some("middle") => (x - length / 2.0, x + length / 2.0),
            Some("end") => (x - length, x),
            _ => (x, x + length),
        };
        assert!(left >= 0.0 && right <= width, "{what}: {text} from {left} to {right} of {width}");
    }
}

/// Draws a position and checks what any picture must be. Returns its size in bytes.
fn check(board: &dyn Board, annotations: &Annotations, style: &Style) -> usize {
    let text = svg(board, annotations, style);
    let what = board.position();
    let picture = Document::parse(&text).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    let root = picture.root_element();
    let pixels = |side| root.attribute(side).unwrap().parse::<u32>().unwrap();
    assert_eq!(pixels("width").max(pixels("height")), style.size, "{what}");
    let children: Vec<&str> =
        root.children().filter(|node| node.is_element()).map(|node| node.tag_name().name()).collect();
    assert_eq!(&children[..2], ["title", "desc"], "{what}");
    assert!(text.contains(&escape(&what)), "{what}");
    // No decimal comma, no exponent, and nothing that is no number: the coordinates are integers.
    for node in picture.descendants() {
        for name in ["x", "y", "cx", "cy", "r", "width", "height", "font-size"] {
            if let Some(value) = node.attribute(name) {
                assert!(value.parse::<i32>().is_ok(), "{what}: {name}={value}");
            }
        }
    }
    assert_texts_fit(picture.root_element(), "", &what);
    assert!(!text.contains("NaN") && !text.contains("inf\""), "{what}");
    // Every piece is there, each of a stack up to five (one on large boards). The sign, a die to set and those of
    // captured pieces come on top.
    let has_words = annotations.caption == CaptionText::Position;
    let sign = match board.outcome() {
        _ if !has_words => None,
        None => Some(board.side()),
        Some(outcome) => outcome.winner,
    };
    let to_set = board.value_to_set().filter(|_| has_words).map(|_| board.side());
    let shapes = |class: &str| -> usize {
        let groups = groups(&picture, class);
        let children = groups.iter().flat_map(|group| group.children());
        let children = children.filter(Node::is_element);
        // A path has many circles.
        let count = |node: Node<'_, '_>| node.attribute("d").map_or(1, |d| d.matches('m').count());
        children.map(count).sum()
    };
    let layers = |piece: Piece| match board.equipment() {
        Equipment::Stacks if board.shape().len() > 144 => 1,
        Equipment::Stacks => usize::from(piece.value.unwrap().min(5)),
        _ => 1,
    };
    let on_board = board.shape().cells().filter_map(|cell| board.piece(cell));
    let on_board: Vec<Piece> = on_board.collect();
    for (color, class) in [(Color::Black, "black"), (Color::White, "white")] {
        let captured = annotations.last_move.captured.iter();
        let more = usize::from(sign == Some(color))
            + usize::from(to_set == Some(color))
            + captured.filter(|found| found.1 == color).count();
        let is_large = |piece: &Piece| {
            board.equipment() == Equipment::Stacks && board.shape().len() > 144 && piece.value > Some(1)
        };
        let own = on_board.iter().copied().filter(|piece| piece.color == color);
        let (with_rings, bodies) =
            (own.clone().filter(|piece| !is_large(piece)).count(), own.map(layers).sum::<usize>());
        assert_eq!(shapes(class), bodies + more, "{what}");
        // Each piece of White has a ring or a frame, except a stack on a large board. Pieces of Black have none.
        if color == Color::White {
            assert_eq!(shapes("rings"), with_rings + more, "{what}");
        }
    }
    text.len()
}

#[test]
fn random_positions_of_every_variant_are_drawn() {
    const VARIANTS: &[&str] = &[
        "invector:1x2",
        "invector:2x1",
        "invector:5x4,pie=off",
        "invector",
        "invector:3x24",
        "invector:25x2",
        "invector:16x15",
        "invector:25x24",
        "gravel:2,x=2",
        "gravel:3,x=2,stall=9,pie=on",
        "gravel:5,x=99",
        "gravel",
        "gravel:25",
        "gravel:25,x=99,stall=9999",
        "markane:1x1",
        "markane:1x25",
        "markane:25x1",
        "markane:3x4,pie=on",
        "markane",
        "markane:25x25",
        "inversion:2",
        "inversion:3,order=alternate",
        "inversion:4,order=single,pie=on",
        "inversion:5,komi=0.5",
        "inversion:6,komi=-999",
        "inversion:13",
        "invictus",
        "invictus:stall=1",
        "invictus:stall=9999",
    ];
    let mut looks = Vec::new();
    for (_, theme) in Theme::ALL {
        looks.extend([Letters::Text, Letters::Strokes].map(|letters| (theme, letters)));
    }
    let draw = |(seed, variant): (u64, &&str)| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut board = open(variant);
        let often = 1 + board.shape().len() / 10;
        for ply in 0..1200 {
            let mut steps = Vec::new();
            board.steps(&mut steps);
            let is_over = steps.is_empty();
            if ply % often == 0 || is_over {
                let nth = (ply / often) % looks.len();
                let nths = if is_over { 0..looks.len() } else { nth..nth + 1 };
                for &(theme, letters) in &looks[nths] {
                    let style = Style {
                        theme,
                        size: 16 + (random.next_u32() % 1000),
                        coordinates: !ply.is_multiple_of(3),
                        letters,
                    };
                    let size = check(&*board, &Annotations::default(), &style);
                    assert!(size < 30_000, "{size}: {}", board.position());
                    check(&*board, &annotated(&*board, &mut random), &style);
                }
            }
            if is_over {
                break;
            }
            board.make(steps[(random.next_u64() % steps.len() as u64) as usize]);
        }
    };
    (0..).zip(VARIANTS).for_each(draw);
}

/// A position of Gravel on the largest board with all pieces of both sides, in stacks of `height` and a last lower one.
fn full_of_stacks(height: u32) -> Box<dyn Board> {
    const PIECES: u32 = 313;
    let stacks = |color: char| {
        let whole = vec![format!("{color}{height}"); (PIECES / height) as usize];
        let rest = PIECES % height;
        whole.into_iter().chain((rest > 0).then(|| format!("{color}{rest}")))
    };
    let mut stacks: Vec<String> = stacks('b').zip(stacks('w')).flat_map(|(b, w)| [b, w]).collect();
    stacks.resize(stacks.len().max(625), ".".to_owned());
    // One piece more than there are cells.
    stacks.truncate(625);
    // Digits in every rank and column: 8 is coprime to 625.
    let cells: Vec<&str> = (0..625).map(|index| stacks[index * 8 % 625].as_str()).collect();
    let ranks: Vec<String> = cells.chunks(25).map(|rank| rank.concat()).collect();
    at("gravel:25,x=99,stall=9999,pie=on", &format!("{} w - 0,0 0 90001", ranks.join("/")))
}

#[test]
fn full_boards_of_stacks_are_small_files() {
    for height in [1, 2, 3, 4, 5, 8, 9, 10, 11, 20] {
        let board = full_of_stacks(height);
        for (_, theme) in Theme::ALL {
            for letters in [Letters::Text, Letters::Strokes] {
                let style = Style { theme, letters, ..Style::default() };
                let size = check(&*board, &Annotations::default(), &style);
                assert!(size < 30_000, "{height}, {theme:?}, {letters:?}: {size}");
            }
        }
    }
}

#[test]
fn digits_of_stacks_are_as_large_as_their_cells_on_large_boards() {
    let digits = |board: &dyn Board, group: usize| -> i32 {
        let picture = plain(board);
        let picture = Document::parse(&picture).unwrap();
        let groups = groups(&picture, "on-white");
        groups[group].attribute("font-size").unwrap().parse().unwrap()
    };
    let large = full_of_stacks(9);
    assert!(digits(&*large, 0) >= 90);
    assert!(digits(&*full_of_stacks(11), 0) >= 70);
    // At 240 pixels a digit has more than 5 of them, of which it takes 0.72.
    let picture = svg(&*large, &Annotations::default(), &Style { size: 240, ..Style::default() });
    let picture = Document::parse(&picture).unwrap();
    let height = picture.root_element().attribute("viewBox").unwrap().rsplit(' ').next();
    let height: i32 = height.unwrap().parse().unwrap();
    assert!(90 * 240 * 72 / 100 / height >= 4, "{height}");
}

#[test]
fn pending_hexes_are_named_and_their_outlines_differ() {
    let board = at("inversion:3,order=alternate", "bww/.bbw/.wwwb/www./wwb w c3+d4 16");
    for letters in [Letters::Text, Letters::Strokes] {
        let picture = svg(&*board, &Annotations::default(), &Style { letters, ..Style::default() });
        let document = Document::parse(&picture).unwrap();
        let outlines = groups(&document, "pending");
        assert_eq!(outlines.len(), 2);
        assert_ne!(outlines[0].attribute("stroke-dasharray"), outlines[1].attribute("stroke-dasharray"));
        assert_eq!(groups(&document, "choices")[0].children().filter(Node::is_element).count(), 2);
        if letters == Letters::Text {
            let texts = texts(&picture);
            assert!(texts.contains(&"c3".to_owned()) && texts.contains(&"d4".to_owned()), "{texts:?}");
        }
    }
}

#[test]
fn the_same_position_gives_the_same_bytes() {
    for info in games::GAMES {
        let mut board = open(info.name);
        let picture = plain(&*board);
        assert!(picture.len() < 30_000, "{}: {}", info.name, picture.len());
        assert_eq!(plain(&*board.fork()), picture);
        let mut steps = Vec::new();
        board.steps(&mut steps);
        board.make(steps[0]);
        assert_ne!(plain(&*board), picture);
        board.unmake();
        assert_eq!(plain(&*board), picture);
    }
}

#[test]
fn pictures_of_every_game() {
    let positions = [
        ("invector:5x4", "w.b../..bw./..w../..... b 21"),
        ("gravel:5", "...../.b1b1../b3w2w1b1./.w1w2w1./..... w - 0,0 4 5"),
        ("markane:6x6", "w.b..b/...bw./.w...b/w...b./...w../..b.bw w 1 14"),
        ("inversion:3", "ww./bwww/wbbww/w.bw/.b. w d3+c4 15"),
        (
            "invictus",
            "........./........./w2w1......./........./....w3..../..b6b4b5..../.b1...b2.../........./......... b 3,2 b3 0 41",
        ),
    ];
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (variant, position) in positions {
        let board = at(variant, position);
        let name = format!("picture-{}", variant.split(':').next().unwrap());
        settings.bind(|| insta::assert_snapshot!(name, plain(&*board)));
    }
}

#[test]
fn annotations_in_a_picture() {
    let board = at("invector:5x4", "w.b../..bw./..w../..... b 21");
    let cell = |label| cell(&*board, label);
    let numbered = |label, text: &str| step(vec![cell(label)], text);
    let annotations = Annotations {
        last_move: LastMove {
            steps: vec![step(vec![cell("c2"), cell("c3")], "c2c3")],
            captured: vec![(cell("c3"), Color::White), (cell("d2"), Color::Black)],
            changed: vec![cell("c2"), cell("c3"), cell("d2")],
            ..LastMove::default()
        },
        labels: vec![(cell("e2"), "A".to_owned()), (cell("b4"), "x1".to_owned()), (cell("a4"), "B".to_owned())],
        regions: vec![vec![cell("a1"), cell("b1"), cell("b2")], vec![cell("e3"), cell("e4")]],
        marks: vec![cell("a4")],
        crosses: vec![cell("b1")],
        steps: vec![numbered("c4", "b4c4"), numbered("d3", "d4d3"), numbered("c4", "c3c4")],
        arrows: vec![(cell("a1"), cell("c2")), (cell("e1"), cell("e1"))],
        heat: vec![(cell("e4"), 0.5, "0.5".to_owned()), (cell("e3"), -0.25, "-0.25".to_owned())],
        ..Annotations::default()
    };
    let style = Style { theme: Theme::Print, size: 240, coordinates: false, letters: Letters::Text };
    let picture = svg(&*board, &annotations, &style);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("picture-annotations", picture));
}

#[test]
fn what_is_not_on_the_board_stands_below_it() {
    let lines = |variant, position| {
        let texts = texts(&plain(&*at(variant, position)));
        let first = texts.iter().position(|text| text.len() > 2).unwrap();
        texts[first..].join("\n")
    };
    insta::assert_snapshot!(lines("gravel:5", "...../.b1b1../b2w1w1b1./.w1w1w1./..... w p1 0,0 4 5"), @"
    White to move, turn 5
    White: 8 in the Pool, 0 lost
    Black: 8 in the Pool, 0 lost
    this turn: 1 of 4 placements and removals
    ");
    insta::assert_snapshot!(
        lines("invictus", "........./........./........./........./........./..w2b3w3..../........./........./......... b 0,0 b4 0 41"), @"
    Black to move, turn 41
    Black: 0 points, 0 off the board
    White: 5 points, 0 off the board
    Black has to set again: 4
    ");
    insta::assert_snapshot!(lines("inversion:2,komi=0.5", "wb/bww/bb b - 8"), @"
    Black wins by 1.5: majority
    stones: White 3, Black 4 and komi 0.5
    ");
    insta::assert_snapshot!(lines("markane:5x5", ".w.../.b.../...../...../..... b 1 3"), @"
    Black to move, turn 3
    stones: Black 1, White 1
    owed: 1 placement
    ");
}

#[test]
fn a_picture_is_described_for_those_who_cannot_see_it() {
    let picture = plain(&*at("gravel:5", "...../.b1b1../b2w1w1b1./.w1w1w1./..... w p1 0,0 4 5"));
    let picture = Document::parse(&picture).unwrap();
    let text = |name| {
        let mut nodes = picture.descendants();
        let node = nodes.find(|node| node.has_tag_name(name)).unwrap();
        node.text().unwrap().to_owned()
    };
    insta::assert_snapshot!(text("title"), @"gravel:5: White to move, turn 5");
    insta::assert_snapshot!(text("desc"), @"Black: a3 (2), d3 (1), b4 (1), c4 (1). White: b2 (1), c2 (1), d2 (1), b3 (1), c3 (1). White: 8 in the Pool, 0 lost. Black: 8 in the Pool, 0 lost. this turn: 1 of 4 placements and removals. Position: ...../.b1b1../b2w1w1b1./.w1w1w1./..... w p1 0,0 4 5");
    assert_eq!(picture.root_element().attribute("role"), Some("img"));
}

#[test]
fn only_a_limited_number_of_hidden_steps_is_named() {
    let board = open("markane:3x3");
    let pass = step(Vec::new(), "<script>alert('pass') & \u{1}");
    let annotations = Annotations { steps: vec![pass; 1000], ..Annotations::default() };
    let picture = svg(&*board, &annotations, &Style::default());
    assert!(!picture.contains("<script"));
    let texts = texts(&picture).join(" ");
    assert!(texts.contains("1:\u{a0}<script>alert('pass') & \u{fffd}, 2:"), "{texts}");
    assert!(texts.contains("and 994 more"), "{texts}");
}

#[test]
fn text_is_escaped() {
    let text = "<a href=\"x\">'&'</a>\u{0}\n\u{fffe}é𝄞";
    let escaped = "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;\u{fffd} \u{fffd}é𝄞";
    assert_eq!(escape(text), escaped);
}

#[test]
fn heat_of_any_size_is_drawn() {
    let board = open("markane:3x3");
    let cells: Vec<Cell> = board.shape().cells().collect();
    for value in [0.0, f64::MIN_POSITIVE, 1e308, f64::MAX, -f64::MAX] {
        let heat = vec![(cells[0], value, "a".to_owned()), (cells[1], -value / 3.0, "b".to_owned())];
        let annotations = Annotations { heat, ..Annotations::default() };
        let picture = svg(&*board, &annotations, &Style::default());
        let picture = Document::parse(&picture).unwrap();
        let shaded = usize::from(value != 0.0);
        assert_eq!(groups(&picture, "heat").len(), shaded, "{value}");
        assert_eq!(groups(&picture, "cold").len(), shaded, "{value}");
    }
}

#[test]
fn strokes_take_the_place_of_text() {
    let style = Style { letters: Letters::Strokes, ..Style::default() };
    for info in games::GAMES {
        let board = open(info.name);
        let picture = svg(&*board, &Annotations::default(), &style);
        assert!(picture.len() < 30_000, "{}: {}", info.name, picture.len());
        assert!(!picture.contains("<text"));
        // The strokes of a group are one path: those of the coordinates, of the lines below, and of what is on pieces.
        let paths = picture.matches("stroke-linejoin=\"round\"").count();
        assert!((2..5).contains(&paths), "{}: {paths}", info.name);
    }
}

#[cfg(feature = "png")]
#[test]
fn a_picture_is_drawn_as_png() {
    use pentalith::render::png;
    for info in games::GAMES {
        let board = open(info.name);
        let style = Style { size: 240, ..Style::default() };
        let picture = png(&*board, &Annotations::default(), &style).unwrap();
        assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"), "{}", info.name);
        // Width and height are the first numbers of the header.
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
        assert_eq!(number(16).max(number(20)), 240, "{}", info.name);
        assert_eq!(png(&*board, &Annotations::default(), &style).unwrap(), picture);
    }
}
