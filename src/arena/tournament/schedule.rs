//! Who plays whom, and from which opening: a pure function of what the match is.

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TournamentFormat {
    /// Every engine meets every other.
    RoundRobin,
    /// The first engine meets every other.
    Gauntlet,
}

/// A game that is to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// Its number in the whole schedule, from 1.
    pub game: u64,
    /// The number of its opening, from 1.
    pub pair: u64,
    /// Which engine makes the first move.
    pub first: usize,
    /// Which engine makes the second.
    pub second: usize,
    /// Games with the same number stay together when the schedule is split.
    pub unit: u64,
}

impl Scheduled {
    /// Which engine plays for whoever makes the first move of the variant, or for the other.
    pub fn engine(&self, moves_first: bool) -> usize {
        if moves_first { self.first } else { self.second }
    }
}

/// Which part of a schedule to play.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Part {
    /// All of it.
    #[default]
    All,
    /// The `number`-th of `of` equal parts, from 1.
    Shard {
        /// Which one.
        number: u64,
        /// Of how many.
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

/// The games of a match, in order: `games` of every two engines that meet. With `paired` every opening is played
/// twice, each engine having the first move once; the last one only once where `games` is odd. Without, every game
/// has an opening of its own, and the engines take the first move in turn.
pub fn schedule(
    engines: usize,
    format: TournamentFormat,
    games: u64,
    paired: bool,
    part: Part,
) -> Vec<Scheduled> {
    let hosts = match format {
        TournamentFormat::RoundRobin => 0..engines,
        TournamentFormat::Gauntlet => 0..1.min(engines),
    };
    let meetings: Vec<(usize, usize)> = hosts
        .flat_map(|host| (host + 1..engines).map(move |guest| (host, guest)))
        .collect();
    let in_a_unit = if paired { 2 } else { 1 };
    let mut schedule = Vec::new();
    let (mut game, mut unit) = (0, 0);
    for round in 0..games.div_ceil(in_a_unit) {
        for &(host, guest) in &meetings {
            for i in 0..in_a_unit.min(games - round * in_a_unit) {
                game += 1;
                let exchanged = (if paired { i } else { round }) % 2 == 1;
                let (first, second) = if exchanged {
                    (guest, host)
                } else {
                    (host, guest)
                };
                let scheduled = Scheduled {
                    game,
                    pair: round + 1,
                    first,
                    second,
                    unit,
                };
                if part.has(&scheduled) {
                    schedule.push(scheduled);
                }
            }
            unit += 1;
        }
    }
    schedule
}
