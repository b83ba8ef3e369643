//! Which players can be compared: pools of players between whom there are games.

/// Players whose games connect them, directly or through others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pool {
    /// All players, in order.
    pub(super) players: Vec<usize>,
    /// Players whose ratings relative to each other are finite, in order: everyone here has scored against everyone else
    /// here, directly or through others.
    pub(super) core: Vec<usize>,
    /// Players above the core, against whom it never scored.
    pub(super) above: Vec<usize>,
    /// Players below the core, who never scored against it.
    pub(super) below: Vec<usize>,
}

/// Returns the pools, that of the most players first. `scored` has, for each player, those against whom it has scored;
/// everyone is in one of the pools.
pub(super) fn pools(scored: &[Vec<usize>]) -> Vec<Pool> {
    let mut conceded: Vec<Vec<usize>> = vec![Vec::new(); scored.len()];
    for (winner, losers) in scored.iter().enumerate() {
        for &loser in losers {
            if let Some(list) = conceded.get_mut(loser) {
                list.push(winner);
            }
        }
    }
    let met: Vec<Vec<usize>> =
        scored.iter().zip(&conceded).map(|(a, b)| a.iter().chain(b).copied().collect()).collect();
    let mut is_placed = vec![false; scored.len()];
    let mut pools = Vec::new();
    for player in 0..scored.len() {
        if is_placed.get(player).copied().unwrap_or(true) {
            continue;
        }
        let players = reached(&met, player);
        for &one in &players {
            if let Some(placed) = is_placed.get_mut(one) {
                *placed = true;
            }
        }
        pools.push(pool(players, scored, &conceded));
    }
    // A stable sort keeps equal pools in order of appearance.
    pools.sort_by_key(|pool| std::cmp::Reverse(pool.players.len()));
    pools
}

/// Finds the largest core of a pool and the players on both sides of it.
fn pool(players: Vec<usize>, scored: &[Vec<usize>], conceded: &[Vec<usize>]) -> Pool {
    let mut left = players.clone();
    let (mut core, mut above, mut below) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(&player) = left.first() {
        let (beaten, unbeaten) = (reached(scored, player), reached(conceded, player));
        let both: Vec<usize> = beaten.iter().filter(|one| unbeaten.binary_search(one).is_ok()).copied().collect();
        left.retain(|one| both.binary_search(one).is_err());
        if both.len() > core.len() {
            let outside = |list: Vec<usize>| list.into_iter().filter(|one| both.binary_search(one).is_err()).collect();
            (below, above) = (outside(beaten), outside(unbeaten));
            core = both;
        }
    }
    Pool { players, core, above, below }
}

/// Returns everyone who is reached from a player, itself included, in order.
fn reached(next: &[Vec<usize>], player: usize) -> Vec<usize> {
    let mut is_seen = vec![false; next.len()];
    let mut stack = vec![player];
    let mut all = Vec::new();
    while let Some(one) = stack.pop() {
        match is_seen.get_mut(one) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        all.push(one);
        stack.extend(next.get(one).into_iter().flatten());
    }
    all.sort_unstable();
    all
}
