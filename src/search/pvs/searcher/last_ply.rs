//! The last ply of a search, where every step leads to a position that is only evaluated.

use super::{Node, Searcher, bounded, end_value, through};
use crate::board::with_bit_instructions;
use crate::game::{Evaluate, NoKeys, Position, Step, Steps};
use crate::search::pvs::{NODES_A_LOOK, WIN};

impl<G: Evaluate> Searcher<'_, G> {
    /// [`Searcher::search`] where every step leads to a position that is only evaluated.
    pub(super) fn search_last_ply(
        &mut self,
        node: &Node<'_, G::Position, G::Step>,
        steps: &G::Steps,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let game = self.game;
        let side = node.position.side();
        let (mut best, mut best_step) = (-WIN - 1, 0);
        let count = steps.count();
        // What refuted the positions beside this one comes first.
        let legal = |bits: u32| Some(G::Step::from_bits(bits)).filter(|&step| steps.contains(step));
        let killers = self
            .order
            .killers(node.ply)
            .map(|killer| killer.and_then(legal));
        let mut first = killers.into_iter().flatten();
        let mut place = 0;
        let outlook = &mut self.outlook;
        with_bit_instructions(
            #[inline(always)]
            || game.prepare(node.before, node.position, outlook),
        );
        // In pieces, for there may be very many.
        while place < count && best < beta {
            let outlook = &mut self.outlook;
            let first = &mut first;
            let looked;
            (best, best_step, place, looked) = with_bit_instructions(
                #[inline(always)]
                || {
                    let (mut best, mut best_step, mut place) = (best, best_step, place);
                    let mut looked = 0;
                    while place < count && looked < NODES_A_LOOK && best < beta {
                        let killer = first.next();
                        let Some(step) = killer.or_else(|| steps.nth(place)) else {
                            place = count;
                            break;
                        };
                        if killer.is_none() {
                            place += 1;
                            if killers.contains(&Some(step)) {
                                continue;
                            }
                        }
                        looked += 1;
                        let mut next = *node.position;
                        game.play(&mut next, step, &mut NoKeys);
                        let passes = next.side() != side;
                        let value = match game.steps(&next).is_empty() {
                            true => end_value(game, &next),
                            false => {
                                bounded(game.evaluate_next(outlook, node.position, step, &next))
                            }
                        };
                        let value = through(if passes { -value } else { value }, passes);
                        if value > best {
                            (best, best_step) = (value, step.bits());
                        }
                    }
                    (best, best_step, place, looked)
                },
            );
            if !self.count(looked) {
                return 0;
            }
        }
        if best >= beta {
            self.order.kill(node.ply, best_step);
        }
        self.variations[node.ply].push(best_step);
        self.keep(node, best_step, best, alpha, beta);
        best
    }
}
