//! The meaning of the figures of a study: definition, source and known criticism. `docs/studies.md` says the same.

use crate::render::Term;

/// Name, definition, source and criticism.
type Row = [&'static str; 4];

const BROWNE: &str = "Browne 2008, Automatic Generation and Evaluation of Recombination Games.";

pub(super) const BALANCE: &[Row] = &[
    [
        "score of the first mover",
        "Points of the player who moves first, by games: a win 1, a draw one half. The interval has every mean that a \
         likelihood ratio test does not reject at 5 %, after a quarter of a game is added to each result.",
        "Van den Bergh, The Generalized Sequential Probability Ratio Test; \"advantage\" in Browne 2008.",
        "It is a property of these players, not of the game: with best play the score is 0, 50 or 100 %. Random play \
         often shows the opposite of strong play.",
    ],
    [
        "score of the stones that move first",
        "The same by color: points of the owner of the stones that made the first move, which a swap hands over.",
        "",
        "The first move is chosen in view of the swap, so this is not the balance without the pie.",
    ],
    [
        "draws and ends",
        "Games by the reason of the rules for which they ended.",
        "\"Drawishness\" in Browne 2008.",
        "A limit such as Gravel's stall is reached sooner by players without a plan.",
    ],
];

pub(super) const FAIRNESS: &[Row] = &[
    [
        "fair komi",
        "The komi at which the first mover scores 50 % when games are played at it, found by games at komis around it. \
         The interval is that of the profile likelihood of a probit curve, made wider because the search ends when it \
         is short.",
        "Finney, Probit Analysis, for the curve.",
        "Of these players: two strong ones need another komi than two weak ones.",
    ],
    [
        "spread",
        "Points of komi that turn a score of 50 % into 84 %.",
        "",
        "Small where results are sure, large where chance rules: it is not a quality.",
    ],
    [
        "first moves under the pie",
        "The score of the side that makes the move; in half of its games it is swapped. The score that the pie leaves \
         the first mover is the lower one of the scores with the swap and without; the fairest move is the one where it \
         is highest. It is found by successive halving, and its score comes from fresh games only.",
        "Karnin, Koren and Somekh 2013, for successive halving.",
        "Moves that dropped out early rest on few games.",
    ],
    [
        "decisive choices",
        "Choices within a turn, such as which of several hexes is inverted, for which the best step makes the player \
         lead and the worst one the opponent, searched to the strength of play. A leader expects more than 55 %.",
        "",
        "Searches err: some of these choices decided nothing. One decides for the moment, and the next may undo it; so \
         most even games have one.",
    ],
];

pub(super) const LENGTH: &[Row] = &[
    [
        "length",
        "Moves of both players together, the opening included. A move is all that a player does before the other one \
         does something; its steps are counted.",
        "\"Duration\" in Browne 2008.",
        "People resign, and these players never do.",
    ],
    [
        "branching",
        "Legal steps of the player to step, at every position of the games.",
        "Allis 1994, Searching for Solutions in Games and Artificial Intelligence.",
        "A mean over positions says little where the number falls steadily; see it by step. Games whose moves have \
         several steps have far more moves than steps.",
    ],
    [
        "forced steps",
        "Share of the steps after the opening that were the only legal one, by game.",
        "",
        "A step may be forced also by the threat of losing, which this does not count.",
    ],
];

pub(super) const COMPLEXITY: &[Row] = &[
    [
        "state space",
        "Number of positions that can arise. At least: the different positions in these records. At most: everything \
         that the cells of the board can hold, with either side to move, legal or not.",
        "Allis 1994.",
        "The bounds are far apart. Fields of a position beside the board, such as hands and counters, are left out of \
         the upper one.",
    ],
    [
        "game tree",
        "Number of different histories of a game. The mean product of the numbers of legal steps over uniformly random \
         games estimates it without bias. At least: a twentieth of the estimate, which exceeds the true number in at \
         most 5 % of studies (Markov's inequality). No upper bound follows from games.",
        "Knuth 1975, Estimating the Efficiency of Backtrack Programs.",
        "A few long games may make up nearly all of the sum: their share is beside the estimate. Where it is large, \
         the true number is probably larger.",
    ],
    [
        "usual game-tree estimate",
        "Product of the numbers of legal steps of a game: its logarithm, averaged over games.",
        "Allis 1994, as branching to the power of length.",
        "It is a custom, and neither an estimate nor a bound of the number of histories.",
    ],
];

pub(super) const TENSION: &[Row] = &[
    [
        "lead changes",
        "How often the lead passes from one player to the other in a game. A player leads whose expected score, by the \
         search that chose the move, is above 55 %.",
        BROWNE,
        "The judge is the player itself. A weak one changes its mind where nothing has changed.",
    ],
    [
        "drama",
        "Mean over the positions in which the later winner was behind of the square root of how far, that is of the \
         loser's expected score less the winner's; 0 for a game in which the winner was never behind.",
        BROWNE,
        "A long quiet disadvantage and one desperate moment can have the same drama.",
    ],
    [
        "decisiveness threshold",
        "Highest expected score that the loser of a game ever had.",
        BROWNE,
        "Errors of the players raise it as much as the game does.",
    ],
    [
        "decisive moves",
        "Share of the searched moves from the one on after which the winner's expected score stays above the \
         threshold.",
        "After Browne 2008, who asks how soon a game ends once it is decided.",
        "A game that is played to the end of a full board has more of them than one in which the loser would resign.",
    ],
    [
        "come-backs",
        "Share of the decided games in which the winner's expected score, by its own searches, was once below 40, 25 \
         and 10 %.",
        "",
        "If players judged perfectly there would be none at 10 %: what shows here also contains misjudgments.",
    ],
];

pub(super) const CHOICE: &[Row] = &[
    [
        "decisions",
        "Positions of a game, after the opening, in which the best step's static evaluation exceeds that of the median \
         legal step by 10 points in 100 of expected score.",
        "",
        "An evaluation without a search overlooks what is hidden deeper, and the median depends on how many pointless \
         steps are legal.",
    ],
    [
        "mirroring",
        "Replies of the second player that are the point reflection of the move before: where that was legal, and \
         where it was played.",
        "",
        "That mirroring is legal does not make it good; and a good mirroring strategy may use another symmetry.",
    ],
    [
        "mirroring strategy",
        "Score of a player who answers each move of the opponent by its point reflection, where that is a legal move, \
         and else plays like the program at the strength of the row. The opponent is the program. Seats alternate, so \
         that without mirroring the score would be 50 %. Random steps at the start are mirrored, \
         too.",
        "Berlekamp, Conway and Guy 1982, Winning Ways (Tweedledum and Tweedledee); mirror Go (mane-go).",
        "The opponent does not know that it is mirrored, and does not prepare a move that can't be. Where few replies \
         mirror, the score is mostly that of the program. A good mirroring strategy may use another symmetry, or stop \
         at the right moment.",
    ],
    [
        "shortest game",
        "The game with the fewest moves of all strengths, random moves included.",
        "",
        "It is one that was found: shorter ones may exist.",
    ],
];

/// Returns terms for the page.
pub(super) fn terms(rows: &[Row]) -> Vec<Term> {
    let term = |[name, definition, source, criticism]: &Row| Term {
        name: (*name).to_owned(),
        definition: (*definition).to_owned(),
        source: (*source).to_owned(),
        criticism: (*criticism).to_owned(),
    };
    rows.iter().map(term).collect()
}
