//! Invictus, from the sheet by Rey Alicea.

use super::*;

const FIELDS: &[Field] = &[Field::Scored, Field::Hand, Field::Stall];
pub const RULES: Rules = Rules { name: "invictus", first: BLACK, fields: FIELDS, check, legal, play, outcome };

/// "3 of their 18 dice pieces so that the top faces show all ones then 3-twos, [...] and 3-sixes", set in the order
/// from the sixes to the ones.
const SET_UP: [i8; 18] = [6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1];

/// The rank as the player counts it: 1 is the row closest to him, 9 the opponent's first row.
fn rank_for(color: Color, (_, y): Cell) -> i8 {
    if color == BLACK { y + 1 } else { 9 - y }
}

fn setting_up(position: &Position) -> bool {
    position.turn <= 2
}

fn has_in_hand(position: &Position, color: Color) -> bool {
    position.hand > 0 && color == position.side
}

fn check(variant: &Variant, position: &Position) -> Result<(), String> {
    check_dice(position, BLACK)?;
    check_dice(position, WHITE)?;
    ensure(!setting_up(position) || position.pair == [0, 0], || "there is no score in turns 1 and 2".to_owned())?;
    let captured = position.hand == 0 || position.hand <= 5 && position.turn > 3 && position.stall == 0;
    ensure(captured, || "no such die can have been captured in the turn before".to_owned())?;
    let most = variant.stall.min((position.turn - 3).max(0));
    ensure(position.stall <= most, || format!("`stall` is at most {most} here"))
}

fn check_dice(position: &Position, color: Color) -> Result<(), String> {
    let Position { ref board, turn, hand, .. } = *position;
    let name = letter(color);
    let held = if has_in_hand(position, color) { hand } else { 0 };
    for value in 1..=6 {
        let on_board = board.cells_of(color).filter(|&space| board.of(space, color) >= value).count();
        let fits = on_board + usize::from(held >= value) <= 3 * (7 - value as usize);
        ensure(fits, || format!("{name} has too many dice of value {value} or more"))?;
    }
    let arrived = board.cells_of(color).any(|space| rank_for(color, space) == 9);
    ensure(!arrived, || format!("{name} has a die that has arrived and would have left the board"))?;
    if !setting_up(position) {
        return Ok(());
    }
    // Black sets up in turn 1, White in turn 2.
    let own_turn = if color == BLACK { 1 } else { 2 };
    let ranks = board.cells_of(color).all(|space| (2..=3).contains(&rank_for(color, space)));
    let mut values: Vec<i8> = board.cells_of(color).map(|space| board.of(space, color)).collect();
    values.sort_unstable_by_key(|&value| -value);
    let dice = values.len();
    let number = if turn == own_turn { dice < 18 } else { dice == if turn < own_turn { 0 } else { 18 } };
    let fits = number && ranks && SET_UP.starts_with(&values);
    ensure(fits, || format!("{name}'s dice are no set-up in the order from 6 to 1"))
}

/// The moves and captures that a player has with the dice on the board.
fn moves(position: &Position, color: Color, steps: &mut Vec<Step>) {
    let board = &position.board;
    for (x, y) in board.cells_of(color) {
        for (up, right) in (-1..=1).flat_map(|up| (-1..=1).map(move |right| (up, right))) {
            let to = (x + right, y + up);
            let (ahead, aside) = (up * color == 1, up == 0 && right != 0);
            let captured = board.of(to, -color);
            // "Move a die one space either forward, left, right or diagonally forward, never backwards onto an empty
            // space."
            let moves = board.at(to) == 0 && (ahead || aside);
            // "Capture a die one space diagonally forward"; "A friendly die may only capture an opponent's die of equal
            // face value or less".
            let captures = captured > 0 && captured <= board.of((x, y), color) && ahead && right != 0;
            if board.inside(to) && (moves || captures) {
                steps.push(Step::Move((x, y), to));
            }
        }
    }
}

fn can_step(position: &Position, color: Color) -> bool {
    let mut steps = Vec::new();
    moves(position, color, &mut steps);
    has_in_hand(position, color) || !steps.is_empty()
}

/// "The game ends when a player moves all of his remaining dice onto his opponent's first row."
fn is_over(variant: &Variant, position: &Position) -> bool {
    let left_with_nothing = |color| !position.board.has(color) && !has_in_hand(position, color);
    let finished = left_with_nothing(BLACK) || left_with_nothing(WHITE);
    let blocked = || !can_step(position, BLACK) && !can_step(position, WHITE);
    !setting_up(position) && (finished || position.stall >= variant.stall || blocked())
}

fn legal(variant: &Variant, position: &Position, steps: &mut Vec<Step>) {
    let Position { ref board, side, hand, .. } = *position;
    let empty = |first, last| board.empty_cells().filter(move |&at| (first..=last).contains(&rank_for(side, at)));
    if is_over(variant, position) {
        return;
    }
    if setting_up(position) {
        // "any space of the second and third rows of the board that are closest to him"
        let value = SET_UP.get(board.count(side) as usize).copied().unwrap_or(0);
        steps.extend(empty(2, 3).map(|space| Step::Set(value, space)));
    } else if hand > 0 {
        // "then place this die onto an empty space on your side of the Divide."
        steps.extend(empty(1, 4).map(|space| Step::Set(hand, space)));
    } else {
        let before = steps.len();
        moves(position, side, steps);
        if steps.len() == before {
            steps.push(Step::Pass);
        }
    }
}

fn play(_: &Variant, position: &mut Position, step: Step) {
    match step {
        Step::Set(value, space) => {
            position.board.put(space, value * position.side);
            // The returned die is set; his own turn is still to come.
            position.hand = 0;
            if !setting_up(position) || position.board.count(position.side) < 18 {
                return;
            }
        }
        Step::Move(from, to) => move_die(position, from, to),
        _ => position.stall += 1,
    }
    position.side = -position.side;
    position.turn += 1;
}

fn move_die(position: &mut Position, from: Cell, to: Cell) {
    let side = position.side;
    let (die, captured) = (position.board.at(from), position.board.at(to).abs());
    position.board.put(from, 0);
    position.board.put(to, die);
    if captured == 1 {
        // "Any captured dice that have a face value of (1) are removed from play and kept for scoring"
        add_to(&mut position.pair, side, 1);
    } else if captured > 1 {
        // "you must turn that die so that the face value of the die now reads one less"
        position.hand = captured - 1;
    }
    if rank_for(side, to) == 9 {
        // "When any friendly dice reach an opponent's first row, they are removed from play and used in scoring at
        // endgame."
        position.board.put(to, 0);
        add_to(&mut position.pair, side, i64::from(die.abs()));
    }
    let forward = rank_for(side, to) > rank_for(side, from);
    position.stall = if captured > 0 || forward { 0 } else { position.stall + 1 };
}

/// "Add up all of the top face values of your dice that reached you're opponents first row, any captured dice and any
/// of your dice that were within enemy territory."
fn score(position: &Position, color: Color) -> i64 {
    let beyond = position.board.cells_of(color).filter(|&space| rank_for(color, space) > 5);
    of(position.pair, color) + beyond.map(|space| i64::from(position.board.of(space, color))).sum::<i64>()
}

/// "Highest score wins!"
fn outcome(variant: &Variant, position: &Position) -> Option<Outcome> {
    let margin = score(position, BLACK) - score(position, WHITE);
    is_over(variant, position).then(|| Outcome::points(2 * margin, "score"))
}
