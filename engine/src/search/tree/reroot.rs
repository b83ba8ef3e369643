//! Another root for the tree, in place.

use std::sync::atomic::Ordering;

use super::node::NodeIndex;
use super::{Place, ROOT, Tree};

/// Marks a header whose block is in the list of [`Tree::reroot`].
const IS_LISTED: u32 = 1 << 31;

impl Tree {
    /// Makes a node the root, in place: drops everything above and beside it and the children of nodes with fewer than
    /// `min_visits` visits, and compacts the rest.
    ///
    /// Returns false and changes nothing if more than `max_nodes` nodes would have to move, or if there is no memory
    /// for the list of them.
    pub fn reroot(&mut self, root: NodeIndex, max_nodes: usize, min_visits: u32) -> bool {
        let Some(mut blocks) = self.list_blocks(root, max_nodes, min_visits) else {
            return false;
        };
        blocks.sort_unstable_by_key(|block| block.first);
        let mut end = ROOT + 1;
        for block in &mut blocks {
            block.moved_to = end + 1;
            end += block.count + 1;
        }
        let moved = |first_child: NodeIndex| {
            let found = blocks.binary_search_by_key(&first_child, |block| block.first);
            found.map_or(0, |found| blocks[found].moved_to)
        };
        // In this order each block moves down or stays, so it overwrites nothing that is still needed.
        self.copy(root, ROOT);
        let moved_root = moved(*self.nodes[ROOT as usize].first_child.get_mut());
        *self.nodes[ROOT as usize].first_child.get_mut() = moved_root;
        for block in &blocks {
            // The header moves with its children.
            self.copy(block.first - 1, block.moved_to - 1);
            *self.nodes[block.moved_to as usize - 1].step.get_mut() &= !IS_LISTED;
            for offset in 0..block.count {
                self.copy(block.first + offset, block.moved_to + offset);
                let first_child = self.nodes[(block.moved_to + offset) as usize].first_child.get_mut();
                if *first_child != 0 {
                    *first_child = moved(*first_child);
                }
            }
        }
        for place in &mut self.places {
            if *place.key.get_mut() != 0 {
                let first_child = moved(*place.first_child.get_mut());
                let key = if first_child == 0 { 0 } else { *place.key.get_mut() };
                *place = Place { key: key.into(), first_child: first_child.into(), _padding: 0 };
            }
        }
        *self.used.get_mut() = end;
        *self.full.get_mut() = false;
        true
    }

    /// Lists the children that [`Tree::reroot`] keeps, each block once, and marks their headers.
    fn list_blocks(&mut self, root: NodeIndex, max_nodes: usize, min_visits: u32) -> Option<Vec<Block>> {
        // Reserve the upper bound, which only forced steps can exceed: a list that grows by doubling would exceed
        // [`NODE_BYTES`]. Pages that stay unused are never mapped.
        let mut blocks: Vec<Block> = Vec::new();
        blocks.try_reserve_exact(self.used() as usize / 2 + 1).ok()?;
        blocks.extend(self.list_block(root));
        let mut next = 0;
        let mut kept = 1;
        while let Some(&Block { first, count, .. }) = blocks.get(next) {
            kept += count as usize + 1;
            if kept > max_nodes {
                for block in blocks {
                    *self.nodes[block.first as usize - 1].step.get_mut() &= !IS_LISTED;
                }
                return None;
            }
            for child in first..first + count {
                if self.visits(child) >= min_visits {
                    blocks.extend(self.list_block(child));
                }
            }
            next += 1;
        }
        Some(blocks)
    }

    /// Returns the children of a node and marks them as listed; `None` if there are none, or they are listed.
    fn list_block(&mut self, parent: NodeIndex) -> Option<Block> {
        let first = *self.nodes[parent as usize].first_child.get_mut();
        let header = first.checked_sub(1).and_then(|header| self.nodes.get_mut(header as usize))?;
        let count = header.step.get_mut();
        if *count & IS_LISTED != 0 {
            return None;
        }
        let block = Block { first, count: *count, moved_to: 0 };
        *count |= IS_LISTED;
        Some(block)
    }

    fn copy(&self, from: NodeIndex, to: NodeIndex) {
        if from == to {
            return;
        }
        self.node(to).copy_from(self.node(from));
        if let (Some(from), Some(to)) = (self.values.get(from as usize), self.values.get(to as usize)) {
            to.0.store(from.0.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// The children of a node, in the list of [`Tree::reroot`].
struct Block {
    first: NodeIndex,
    count: u32,
    moved_to: NodeIndex,
}
