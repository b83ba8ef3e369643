//! Invictus, from the sheet by Rey Alicea.

use super::{
    BLACK, Board, Cell, Color, Fields, Key, LARGEST, Outcome, Position, Step, Variant, WHITE,
    check_side, ensure, letter, number, of, of_mut, turn_digit,
};

#[derive(Clone)]
pub struct Invictus {
    stall_limit: i64,
    dice: Board,
    side: Color,
    /// The points of Black and of White, without the dice on the board.
    scored: [i64; 2],
    /// "On receiving the captured die from your opponent": the die to be set by the side to move, already turned, or 0.
    hand: i8,
    stall: i64,
    turn: i64,
}

/// "3 of their 18 dice pieces so that the top faces show all ones then 3-twos, [...] and 3-sixes", set in the order
/// from the sixes to the ones.
const SET_UP: [i8; 18] = [6, 6, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1];

/// The rank as the player counts it: 1 is the row closest to him, 9 the opponent's first row.
fn rank_for(color: Color, (_, y): Cell) -> i8 {
    if color == BLACK { y + 1 } else { 9 - y }
}

impl Invictus {
    fn setting_up(&self) -> bool {
        self.turn <= 2
    }

    /// Dice of a value may be set on the empty spaces of the player's own ranks from `first` to `last`.
    fn set(&self, value: i8, first: i8, last: i8, steps: &mut Vec<Step>) {
        let empty = self.dice.cells().filter(|&space| self.dice.at(space) == 0);
        let own = empty.filter(|&space| (first..=last).contains(&rank_for(self.side, space)));
        steps.extend(own.map(|space| Step::Set(value, space)));
    }

    /// The moves and captures that a player has with the dice on the board.
    fn moves(&self, color: Color, steps: &mut Vec<Step>) {
        for (x, y) in self.dice.cells() {
            let value = self.dice.of((x, y), color);
            let around = (-1..=1).flat_map(|up| (-1..=1).map(move |right| (right, up)));
            for (right, up) in around.filter(|_| value > 0) {
                let to = (x + right, y + up);
                let (ahead, aside) = (up * color == 1, up == 0 && right != 0);
                let captured = self.dice.of(to, -color);
                // "Move a die one space either forward, left, right or diagonally forward, never backwards onto an
                // empty space."
                let moves = self.dice.at(to) == 0 && (ahead || aside);
                // "Capture a die one space diagonally forward"; "A friendly die may only capture an opponent's die of
                // equal face value or less".
                let captures = captured > 0 && captured <= value && ahead && right != 0;
                if self.dice.inside(to) && (moves || captures) {
                    steps.push(Step::Move((x, y), to));
                }
            }
        }
    }

    fn can_step(&self, color: Color) -> bool {
        let mut steps = Vec::new();
        self.moves(color, &mut steps);
        self.has_in_hand(color) || !steps.is_empty()
    }

    fn has_in_hand(&self, color: Color) -> bool {
        self.hand > 0 && color == self.side
    }

    /// "The game ends when a player moves all of his remaining dice onto his opponent's first row."
    fn left_with_nothing(&self, color: Color) -> bool {
        !self.dice.has(color) && !self.has_in_hand(color)
    }

    fn over(&self) -> bool {
        let finished = self.left_with_nothing(BLACK) || self.left_with_nothing(WHITE);
        let over = finished
            || self.stall >= self.stall_limit
            || !self.can_step(BLACK) && !self.can_step(WHITE);
        over && !self.setting_up()
    }

    fn end_turn(&mut self) {
        self.side = -self.side;
        self.turn += 1;
    }

    /// "Add up all of the top face values of your dice that reached you're opponents first row, any captured dice and
    /// any of your dice that were within enemy territory."
    fn score(&self, color: Color) -> i64 {
        let beyond = self
            .dice
            .cells()
            .filter(|&space| rank_for(color, space) > 5);
        of(self.scored, color)
            + beyond
                .map(|space| i64::from(self.dice.of(space, color)))
                .sum::<i64>()
    }

    fn check_dice(&self, color: Color) -> Result<(), String> {
        let name = letter(color);
        let spaces = || {
            self.dice
                .cells()
                .filter(|&space| self.dice.of(space, color) > 0)
        };
        let held = if self.has_in_hand(color) {
            self.hand
        } else {
            0
        };
        for value in 1..=6 {
            let on_board = spaces()
                .filter(|&space| self.dice.of(space, color) >= value)
                .count();
            let fits = on_board + usize::from(held >= value) <= 3 * (7 - value as usize);
            ensure(fits, || {
                format!("{name} has too many dice of value {value} or more")
            })?;
        }
        ensure(spaces().all(|space| rank_for(color, space) < 9), || {
            format!("{name} has a die that has arrived")
        })?;
        if !self.setting_up() {
            return Ok(());
        }
        // Black sets up in turn 1, White in turn 2.
        let first = if color == BLACK { 1 } else { 2 };
        let count = self.dice.count(color) as usize;
        let number = if self.turn == first {
            count < 18
        } else {
            count == if self.turn > first { 18 } else { 0 }
        };
        let ranks = spaces().all(|space| (2..=3).contains(&rank_for(color, space)));
        let mut values: Vec<i8> = spaces().map(|space| self.dice.of(space, color)).collect();
        values.sort_unstable_by_key(|&value| -value);
        ensure(number && ranks && SET_UP.starts_with(&values), || {
            format!("{name}'s dice are no set-up")
        })
    }
}

impl Position for Invictus {
    fn start(variant: &Variant) -> Self {
        let (dice, stall_limit) = (Board::rectangle(9, 9), variant.stall);
        Self {
            stall_limit,
            dice,
            side: BLACK,
            scored: [0, 0],
            hand: 0,
            stall: 0,
            turn: 1,
        }
    }

    fn read(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.dice.read(fields.text("board")?, true, 6)?;
        self.side = fields.side()?;
        self.scored = fields.pair("scored")?;
        let hand = fields.text("hand")?;
        if hand != "-" {
            let value = hand
                .strip_prefix(letter(self.side))
                .ok_or("the die in hand is not of the side to move")?;
            let value = number(value, "hand")?;
            ensure((1..=5).contains(&value), || {
                "a captured die shows 1 to 5".to_owned()
            })?;
            self.hand = value as i8;
        }
        self.stall = fields.number("stall")?;
        self.turn = fields.number("turn")?;
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check_side(BLACK, self.side, self.turn)?;
        self.check_dice(BLACK)?;
        self.check_dice(WHITE)?;
        ensure(!self.setting_up() || self.scored == [0, 0], || {
            "nobody scores in turns 1 and 2".to_owned()
        })?;
        let captured = self.hand == 0 || self.turn > 3 && self.stall == 0;
        ensure(captured, || {
            "no die can have been captured in the turn before".to_owned()
        })?;
        let most = self.stall_limit.min((self.turn - 3).max(0));
        ensure(self.stall <= most, || {
            format!("`stall` is at most {most} here")
        })
    }

    fn text(&self) -> String {
        let (board, side, [black, white]) = (self.dice.text(true), letter(self.side), self.scored);
        let hand = if self.hand > 0 {
            format!("{side}{}", self.hand)
        } else {
            "-".to_owned()
        };
        format!(
            "{board} {side} {black},{white} {hand} {} {}",
            self.stall, self.turn
        )
    }

    fn key(&self, key: &mut Key) {
        self.dice.key(6, key);
        // Nobody can score more than a few hundred points from here.
        let [black, white] = self.scored;
        key.push(black, 2 * LARGEST);
        key.push(white, 2 * LARGEST);
        key.push(i64::from(self.hand), 6);
        key.push(self.stall, 10_000);
        key.push(turn_digit(self.turn), 5);
    }

    fn side(&self) -> Color {
        self.side
    }

    fn legal(&self, steps: &mut Vec<Step>) {
        if self.over() {
            return;
        }
        if self.setting_up() {
            // "any space of the second and third rows of the board that are closest to him"
            let value = SET_UP.get(self.dice.count(self.side) as usize);
            self.set(value.copied().unwrap_or(0), 2, 3, steps);
        } else if self.hand > 0 {
            // "then place this die onto an empty space on your side of the Divide."
            self.set(self.hand, 1, 4, steps);
        } else {
            let before = steps.len();
            self.moves(self.side, steps);
            if steps.len() == before {
                steps.push(Step::Pass);
            }
        }
    }

    fn play(&mut self, step: Step) {
        match step {
            Step::Set(value, space) => {
                self.dice.put(space, value * self.side);
                // The returned die is set; his own turn is still to come.
                self.hand = 0;
                if self.setting_up() && self.dice.count(self.side) == 18 {
                    self.end_turn();
                }
            }
            Step::Move(from, to) => self.move_die(from, to),
            _ => {
                self.stall += 1;
                self.end_turn();
            }
        }
    }

    /// "Highest score wins!"
    fn outcome(&self) -> Option<Outcome> {
        let margin = self.score(BLACK) - self.score(WHITE);
        self.over().then(|| Outcome::points(2 * margin, "score"))
    }
}

impl Invictus {
    fn move_die(&mut self, from: Cell, to: Cell) {
        let die = self.dice.at(from);
        let captured = self.dice.at(to).abs();
        self.dice.put(from, 0);
        self.dice.put(to, die);
        if captured == 1 {
            // "Any captured dice that have a face value of (1) are removed from play and kept for scoring"
            *of_mut(&mut self.scored, self.side) += 1;
        } else if captured > 1 {
            // "you must turn that die so that the face value of the die now reads one less"
            self.hand = captured - 1;
        }
        if rank_for(self.side, to) == 9 {
            // "When any friendly dice reach an opponent's first row, they are removed from play and used in scoring at
            // endgame."
            self.dice.put(to, 0);
            *of_mut(&mut self.scored, self.side) += i64::from(die.abs());
        }
        let forward = rank_for(self.side, to) > rank_for(self.side, from);
        self.stall = if captured > 0 || forward {
            0
        } else {
            self.stall + 1
        };
        self.end_turn();
    }
}
