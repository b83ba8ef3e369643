//! Validation of positions of Invictus.

use super::{DICE, FIRST_MOVING_TURN, INFO, Invictus, Position, set_up_value};
use crate::board::Bitboard;
use crate::rules::{Color, Position as _, PositionError, side_error};

impl<B: Bitboard> Invictus<B> {
    /// Finds every error of a position.
    pub(super) fn errors(&self, position: &Position<B>) -> Vec<PositionError> {
        let mut errors = Vec::new();
        let [black, white] = position.pieces();
        let [ones, twos, fours] = position.bits;
        let (valued, seven) = (ones | twos | fours, ones & twos & fours);
        let overlap = !(black & white).is_empty() || !seven.is_empty();
        if overlap || valued != black | white || !(valued & !self.grid.cells()).is_empty() {
            errors.push(PositionError::new("board", "dice overlap or lie off the board"));
        }
        errors.extend(side_error(position, INFO.first));
        for color in Color::BOTH {
            self.dice_errors(position, color, &mut errors);
        }
        if position.turn < FIRST_MOVING_TURN {
            self.set_up_errors(position, &mut errors);
        }
        self.counter_errors(position, &mut errors);
        errors
    }

    /// Checks for too many dice, and for dice on the rank where they would have left the board.
    fn dice_errors(&self, position: &Position<B>, color: Color, errors: &mut Vec<PositionError>) {
        let dice = position.pieces()[color.index()];
        let in_hand = if color == position.side { position.hand } else { 0 };
        let mut count = 0;
        for value in (1..=6).rev() {
            count += (dice & position.of_value(value)).count() + u32::from(in_hand == value);
            let most = 3 * (7 - u32::from(value));
            if count > most {
                let hand = if in_hand >= value { ", the one in hand with them," } else { "" };
                let message =
                    format!("{color} has {count} dice of value {value} or more{hand} and can have at most {most}");
                errors.push(PositionError::new("board", message));
            }
        }
        if let Some(cell) = (dice & self.last_rank[color.index()]).first() {
            let label = self.shape.label(cell);
            let message = format!("{color}'s die on {label} has arrived and would have left the board");
            errors.push(PositionError::new("board", message));
        }
    }

    /// Checks the number, the values and the ranks of the dice in turns 1 and 2.
    fn set_up_errors(&self, position: &Position<B>, errors: &mut Vec<PositionError>) {
        for color in Color::BOTH {
            let dice = position.pieces()[color.index()];
            let count = dice.count();
            let own_turn = if color == INFO.first { 1 } else { 2 };
            let range = match position.turn.cmp(&own_turn) {
                std::cmp::Ordering::Less => 0..=0,
                std::cmp::Ordering::Equal => 0..=DICE - 1,
                std::cmp::Ordering::Greater => DICE..=DICE,
            };
            if !range.contains(&count) {
                let (least, most, turn) = (range.start(), range.end(), position.turn);
                let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
                let message = format!("{color} must have {range} dice at turn {turn}, has {count}");
                errors.push(PositionError::new("board", message));
            }
            if !(dice & !self.home[color.index()]).is_empty() {
                let message = format!("{color} sets up on his second and third ranks only");
                errors.push(PositionError::new("board", message));
            }
            let expected = |value: u8| (0..count).filter(|&n| set_up_value(n) == value).count();
            let set = |value: u8| (dice & position.of_value(value)).count() as usize;
            if (1..=6).any(|value| set(value) != expected(value)) {
                let message = format!("{color}'s dice are set up in the order 6, 6, 6, 5, 5, 5, …, 1");
                errors.push(PositionError::new("board", message));
            }
        }
        if position.scored != [0, 0] {
            errors.push(PositionError::new("scored", "there is no score in turns 1 and 2"));
        }
    }

    /// Checks the die in hand and the number of turns without progress.
    fn counter_errors(&self, position: &Position<B>, errors: &mut Vec<PositionError>) {
        // The first capture is made in turn 3, and a captured die shows one less than it did.
        if position.hand > 0 {
            if position.turn <= FIRST_MOVING_TURN || position.stall > 0 {
                let message = "no die can have been captured in the turn before";
                errors.push(PositionError::new("hand", message));
            }
            if position.hand > 5 {
                errors.push(PositionError::new("hand", "a captured die shows one less: 1 to 5"));
            }
        }
        let played = position.turn.saturating_sub(FIRST_MOVING_TURN);
        if position.stall > self.stall.min(played) {
            let message =
                format!("can be at most {} (the limit) and {played} (the turns of moving so far)", self.stall);
            errors.push(PositionError::new("stall", message));
        }
    }
}
