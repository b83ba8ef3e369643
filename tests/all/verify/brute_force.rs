//! Certificates that are written by brute force over the boards of the library, and a plain replay of them.

use std::collections::{HashMap, HashSet};

use pentalith::games;
use pentalith::rules::{Board, Color, Step};

/// A side of a game in a certificate: p1 or p2.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Seat {
    P1,
    P2,
}

pub const SEATS: [Seat; 2] = [Seat::P1, Seat::P2];

impl Seat {
    pub fn name(self) -> &'static str {
        match self {
            Seat::P1 => "p1",
            Seat::P2 => "p2",
        }
    }

    pub fn color(self, board: &dyn Board) -> Color {
        let first = first(board);
        if self == Seat::P1 { first } else { !first }
    }
}

pub fn first(board: &dyn Board) -> Color {
    let mut start = board.fork();
    start.restart();
    start.side()
}

/// A claim, with the lead in half points that the side reaches at least; a win without points is a lead of 2.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub text: String,
    pub least: i32,
}

pub fn claim(text: &str) -> Claim {
    let least = match text {
        "win" => 1,
        "draw" => 0,
        margin => {
            let number = margin.strip_prefix("margin ").unwrap();
            (2.0 * number.parse::<f64>().unwrap()) as i32
        }
    };
    Claim { text: text.to_owned(), least }
}

pub fn open(variant: &str, position: &str) -> Box<dyn Board> {
    let variant: pentalith::rules::Variant = games::parse_variant(variant).unwrap();
    let mut board = games::open(&variant).unwrap();
    if position != "start" {
        board.set_position(position).unwrap();
    }
    board
}

pub fn legal(board: &dyn Board) -> Vec<Step> {
    let mut steps = Vec::new();
    board.steps(&mut steps);
    steps
}

/// A position line with what matters of the turn number.
pub fn identity(line: &str) -> String {
    let (rest, turn) = line.rsplit_once(' ').unwrap();
    let turn: u32 = turn.parse().unwrap();
    let turn = if turn > 4 { 4 - turn % 2 } else { turn };
    format!("{rest} {turn}")
}

/// The lead of a color at the end of a game, in half points.
pub fn lead(board: &dyn Board, color: Color) -> Option<i32> {
    let outcome = board.outcome()?;
    let lead = board.margin().map_or(2, |margin| margin.0);
    Some(match outcome.winner {
        None => 0,
        Some(winner) if winner == color => lead,
        Some(_) => -lead,
    })
}

/// The leads of Black with best play, found by trying everything.
#[derive(Default)]
pub struct Truth(HashMap<String, i32>);

impl Truth {
    pub fn black(&mut self, board: &mut dyn Board) -> i32 {
        if let Some(lead) = lead(board, Color::Black) {
            return lead;
        }
        let identity = identity(&board.position());
        if let Some(&lead) = self.0.get(&identity) {
            return lead;
        }
        let side = board.side();
        let leads = legal(board).into_iter().map(|step| {
            board.make(step);
            let lead = self.black(board);
            board.unmake();
            lead
        });
        let best = match side {
            Color::Black => leads.max(),
            Color::White => leads.min(),
        };
        self.0.insert(identity, best.unwrap());
        best.unwrap()
    }

    pub fn of(&mut self, board: &mut dyn Board, seat: Seat) -> i32 {
        let (color, black) = (seat.color(board), self.black(board));
        if color == Color::Black { black } else { -black }
    }
}

/// Writes the choices of a strategy for `color`: the first step that reaches `least`, or one that loses least.
pub struct Writer<'a> {
    pub truth: &'a mut Truth,
    pub seat: Seat,
    pub color: Color,
    pub least: i32,
    pub seen: HashSet<String>,
    pub choices: Vec<u64>,
}

impl Writer<'_> {
    pub fn walk(&mut self, board: &mut dyn Board) {
        let over = board.is_over();
        if over || !self.seen.insert(identity(&board.position())) {
            return;
        }
        let mut steps = legal(board);
        if board.side() == self.color && steps.len() > 1 {
            let choice = self.choose(board, &steps);
            self.choices.push(choice as u64);
            steps = vec![steps[choice]];
        }
        for step in steps {
            board.make(step);
            self.walk(board);
            board.unmake();
        }
    }
}

impl Writer<'_> {
    pub fn choose(&mut self, board: &mut dyn Board, steps: &[Step]) -> usize {
        let lead = |&step: &Step| {
            board.make(step);
            let lead = self.truth.of(board, self.seat);
            board.unmake();
            lead
        };
        let leads: Vec<i32> = steps.iter().map(lead).collect();
        let good = leads.iter().position(|&lead| lead >= self.least);
        let best = || leads.iter().position(|lead| Some(lead) == leads.iter().max());
        good.or_else(best).unwrap()
    }
}

/// Replays choices as plainly as can be, by the library's rules. Tells whether they prove that `color` reaches `least`.
pub fn proves(board: &mut dyn Board, color: Color, least: i32, choices: &[u64]) -> bool {
    fn walk(
        board: &mut dyn Board,
        color: Color,
        least: i32,
        rest: &mut std::slice::Iter<u64>,
        seen: &mut HashSet<String>,
    ) -> bool {
        if let Some(lead) = lead(board, color) {
            return lead >= least;
        }
        if !seen.insert(identity(&board.position())) {
            return true;
        }
        let mut steps = legal(board);
        if board.side() == color && steps.len() > 1 {
            let step = rest.next().and_then(|&choice| steps.get(choice as usize));
            let Some(&step) = step else {
                return false;
            };
            steps = vec![step];
        }
        steps.into_iter().all(|step| {
            board.make(step);
            let holds = walk(board, color, least, rest, seen);
            board.unmake();
            holds
        })
    }
    let mut rest = choices.iter();
    walk(board, color, least, &mut rest, &mut HashSet::new()) && rest.next().is_none()
}

pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

pub fn leb128(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Cuts choices into blocks with their checksums.
pub fn blocks(bytes: &[u8]) -> Vec<u8> {
    let block = |block: &[u8]| [block, &crc32(block).to_le_bytes()].concat();
    bytes.chunks(65_536).flat_map(block).collect()
}

#[derive(Clone)]
pub struct Strategy {
    pub seat: Seat,
    pub claim: Claim,
    pub choices: Vec<u64>,
}

#[derive(Clone)]
pub struct Certificate {
    pub variant: String,
    pub position: String,
    pub strategies: Vec<Strategy>,
}

impl Certificate {
    /// Writes the strategies of the given claims, true or not.
    pub fn new(variant: &str, position: &str, truth: &mut Truth, claims: &[(Seat, Claim)]) -> Self {
        let mut board = open(variant, position);
        let strategies = claims.iter().map(|(seat, claim)| {
            let color = seat.color(&*board);
            let mut writer =
                Writer { truth, seat: *seat, color, least: claim.least, seen: HashSet::new(), choices: Vec::new() };
            writer.walk(&mut *board);
            Strategy { seat: *seat, claim: claim.clone(), choices: writer.choices }
        });
        let strategies = strategies.collect();
        Self { variant: variant.to_owned(), position: board.position(), strategies }
    }

    pub fn header(&self) -> String {
        format!(
            "pentalith certificate 1\nvariant {}\nposition {}\nstrategies {}\n",
            self.variant,
            self.position,
            self.strategies.len()
        )
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.header().into_bytes();
        for strategy in &self.strategies {
            let Strategy { seat, claim, choices } = strategy;
            let line = format!("strategy {} {} {}\n", seat.name(), claim.text, choices.len());
            bytes.extend(line.into_bytes());
            let choices: Vec<u8> = choices.iter().flat_map(|&choice| leb128(choice)).collect();
            bytes.extend(blocks(&choices));
        }
        bytes
    }

    /// Tells whether all strategies prove their claims, by the library's rules.
    pub fn holds(&self) -> bool {
        let mut board = open(&self.variant, &self.position);
        self.strategies.iter().all(|strategy| {
            let color = strategy.seat.color(&*board);
            proves(&mut *board, color, strategy.claim.least, &strategy.choices)
        })
    }
}

/// Variants and positions that brute force solves in no time, of all games.
pub const SMALL: &[(&str, &str)] = &[
    ("invector:2x1", "start"),
    ("invector:3x2", "start"),
    ("invector:2x3,pie=off", "start"),
    ("invector:5x2,pie=off", "start"),
    ("markane:3x2,pie=on", "start"),
    ("markane:3x3", "start"),
    ("markane:4x2", "start"),
    ("gravel:2,x=2,stall=2", "start"),
    ("gravel:2,x=2,pie=on,stall=3", "start"),
    ("gravel:3,x=2,stall=2", "w1w1b1/w1b1b1/w1b1. b - 1,1 1 10"),
    ("inversion:2", "start"),
    ("inversion:2,komi=-1.5,pie=on", "start"),
    ("inversion:3,order=alternate", "wbw/bwb./wbwbw/..bw/.bw b - 16"),
    ("inversion:3,komi=3", "wbw/bwb./wbwbw/..bw/.bw b - 16"),
    ("inversion:3,order=single,pie=on", "wbw/bwb./wbwbw/..bw/.bw b - 16"),
    (
        "invictus:stall=2",
        "........./...b2...../........./....b1..../........./........./..w3....../.w2......./......... b 3,5 - 0 41",
    ),
];

/// The claims that hold and cannot be improved.
pub fn best_claims(board: &mut dyn Board, truth: &mut Truth) -> Vec<(Seat, Claim)> {
    let points = board.margin().is_some();
    let mut claims = Vec::new();
    for seat in SEATS {
        let lead = truth.of(board, seat);
        if points {
            claims.push((seat, claim(&format!("margin {}", half_points(lead)))));
        } else if lead >= 0 {
            claims.push((seat, claim(if lead == 0 { "draw" } else { "win" })));
        }
    }
    claims
}

pub fn half_points(lead: i32) -> String {
    (f64::from(lead) / 2.0).to_string()
}

/// Small positions with their truths.
pub fn each(mut test: impl FnMut(&str, &str, &mut dyn Board, &mut Truth)) {
    for (variant, position) in SMALL {
        let mut board = open(variant, position);
        test(variant, position, &mut *board, &mut Truth::default());
    }
}
