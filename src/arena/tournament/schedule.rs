//! The schedule of a match: a pure function of its settings.

/// Pairing of the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TournamentFormat {
    /// Every engine meets every other one.
    RoundRobin,
    /// The first engine meets every other one.
    Gauntlet,
}

/// A scheduled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// Number in the whole schedule, from 1.
    pub game: u64,
    /// Number of the opening, from 1.
    pub pair: u64,
    /// Index of the engine that makes the first move.
    pub first: usize,
    /// Index of the engine that makes the second move.
    pub second: usize,
    /// Games with the same number stay in one shard.
    pub unit: u64,
}

impl Scheduled {
    /// Returns the index of the engine that plays p1 or p2 of the variant.
    pub fn engine(&self, moves_first: bool) -> usize {
        if moves_first { self.first } else { self.second }
    }
}

/// Part of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Part {
    /// All games.
    #[default]
    All,
    /// Shard `number` of `of`, from 1.
    Shard {
        /// Number of the shard.
        number: u64,
        /// Number of shards.
        of: u64,
    },
    /// One game.
    Only(u64),
}

impl Part {
    fn has(self, game: &Scheduled) -> bool {
        match self {
            Self::All => true,
            Self::Shard { number, of } => game.unit % of.max(1) + 1 == number,
            Self::Only(number) => game.game == number,
        }
    }
}

/// Returns the games of a match, in order: `games` between any two engines that meet.
///
/// With `paired`, every opening is played twice, and each engine moves first once; the last opening is played once if
/// `games` is odd. Otherwise every game has its own opening, and the engines move first in turn.
pub fn schedule(engines: usize, format: TournamentFormat, games: u64, paired: bool, part: Part) -> Vec<Scheduled> {
    let hosts = match format {
        TournamentFormat::RoundRobin => 0..engines,
        TournamentFormat::Gauntlet => 0..1.min(engines),
    };
    let meetings: Vec<(usize, usize)> =
        hosts.flat_map(|host| (host + 1..engines).map(move |guest| (host, guest))).collect();
    let in_a_unit = if paired { 2 } else { 1 };
    let mut schedule = Vec::new();
    let (mut game, mut unit) = (0, 0);
    for round in 0..games.div_ceil(in_a_unit) {
        for &(host, guest) in &meetings {
            for i in 0..in_a_unit.min(games - round * in_a_unit) {
                game += 1;
                let exchanged = (if paired { i } else { round }) % 2 == 1;
                let (first, second) = if exchanged { (guest, host) } else { (host, guest) };
                let scheduled = Scheduled { game, pair: round + 1, first, second, unit };
                if part.has(&scheduled) {
                    schedule.push(scheduled);
                }
            }
            unit += 1;
        }
    }
    schedule
}
