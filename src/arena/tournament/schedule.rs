//! Who plays whom, and from which opening: a pure function of what the match is.

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
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
    unit: u64,
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
    format: Format,
    games: u64,
    paired: bool,
    part: Part,
) -> Vec<Scheduled> {
    let hosts = match format {
        Format::RoundRobin => 0..engines,
        Format::Gauntlet => 0..1.min(engines),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(format: Format, engines: usize, games: u64, paired: bool) -> Vec<(u64, usize, usize)> {
        let games = schedule(engines, format, games, paired, Part::All);
        games
            .iter()
            .map(|game| (game.pair, game.first, game.second))
            .collect()
    }

    #[test]
    fn games_come_in_pairs_with_seats_exchanged() {
        let pairs = [(1, 0, 1), (1, 1, 0), (2, 0, 1), (2, 1, 0), (3, 0, 1)];
        assert_eq!(seats(Format::RoundRobin, 2, 5, true), pairs);
        let singles = [(1, 0, 1), (2, 1, 0), (3, 0, 1)];
        assert_eq!(seats(Format::RoundRobin, 2, 3, false), singles);
        let gauntlet = [(1, 0, 1), (1, 1, 0), (1, 0, 2), (1, 2, 0)];
        assert_eq!(seats(Format::Gauntlet, 3, 2, true), gauntlet);
    }

    #[test]
    fn everybody_meets_everybody_equally_often() {
        let games = seats(Format::RoundRobin, 5, 6, true);
        assert_eq!(games.len(), 10 * 6);
        for a in 0..5 {
            for b in 0..5 {
                let met = games
                    .iter()
                    .filter(|game| (game.1, game.2) == (a, b))
                    .count();
                assert_eq!(met, if a == b { 0 } else { 3 });
            }
        }
    }

    #[test]
    fn shards_are_the_whole_schedule_and_keep_pairs_together() {
        let all = schedule(3, Format::RoundRobin, 7, true, Part::All);
        let shard = |number| {
            schedule(
                3,
                Format::RoundRobin,
                7,
                true,
                Part::Shard { number, of: 4 },
            )
        };
        let mut merged: Vec<Scheduled> = (1..=4).flat_map(shard).collect();
        merged.sort_by_key(|game| game.game);
        assert_eq!(merged, all);
        for number in 1..=4 {
            let units: Vec<u64> = shard(number).iter().map(|game| game.unit).collect();
            assert!(units.iter().all(|unit| unit % 4 + 1 == number));
        }
        let only = schedule(3, Format::RoundRobin, 7, true, Part::Only(9));
        assert_eq!(only.iter().map(|game| game.game).collect::<Vec<_>>(), [9]);
    }
}
