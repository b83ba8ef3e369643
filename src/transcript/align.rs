//! Aligns what was expected with what came, with wildcards that take any number of items.

/// Costs of differences. A wildcard takes an item for less than any difference costs, and a changed item costs less than
/// to lose it and let a wildcard take the new one: a wildcard must not hide a change.
const MISSING: u32 = 20;
const SURPLUS: u32 = 20;
const SIMILAR: u32 = 10;
const CHANGED: u32 = 20;
const TAKEN: u32 = 1;

/// Maximum size of the table of costs.
const MAX_TABLE: usize = 4_000_000;

/// A step of an alignment. Numbers are places in the list of what was expected, and of what came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edit {
    /// An expected item and one that matches it.
    Same(usize, usize),
    /// An expected item in whose place another one came.
    Changed(usize, usize),
    /// An expected item that did not come.
    Missing(usize),
    /// An item that was not expected.
    Surplus(usize),
    /// An item that the next wildcard takes.
    Taken(usize),
    /// A wildcard.
    Wildcard(usize),
}

/// Likeness of an expected item and one that came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    Same,
    Similar,
    Different,
}

/// Aligns two lists of the given lengths at the lowest cost.
pub(super) fn align(
    expected: usize,
    came: usize,
    is_wildcard: impl Fn(usize) -> bool,
    mut fit: impl FnMut(usize, usize) -> Fit,
) -> Vec<Edit> {
    let mut edits = Vec::new();
    // Most answers are as expected, and need no table.
    let mut first = 0;
    while first < expected.min(came) && !is_wildcard(first) && fit(first, first) == Fit::Same {
        edits.push(Edit::Same(first, first));
        first += 1;
    }
    let (rows, columns) = (expected - first, came - first);
    if (rows + 1).saturating_mul(columns + 1) > MAX_TABLE {
        edits.extend((first..expected).map(Edit::Missing));
        edits.extend((first..came).map(Edit::Surplus));
        return edits;
    }
    let width = columns + 1;
    // Costs of the rest from each place on, and the best first step there.
    let mut table: Vec<(u32, Option<Edit>)> = vec![(0, None); (rows + 1) * width];
    let cost_at = |table: &[(u32, Option<Edit>)], row: usize, column: usize| {
        table.get(row * width + column).map_or(u32::MAX, |(cost, _)| *cost)
    };
    for row in (0..=rows).rev() {
        for column in (0..=columns).rev() {
            let (e, c) = (first + row, first + column);
            let mut best: (u32, Option<Edit>) = (u32::MAX, None);
            let mut offer = |cost: u32, edit: Edit| {
                if cost < best.0 {
                    best = (cost, Some(edit));
                }
            };
            let (more_rows, more_columns) = (row < rows, column < columns);
            if !more_rows && !more_columns {
                continue;
            }
            if more_rows && is_wildcard(e) {
                offer(cost_at(&table, row + 1, column), Edit::Wildcard(e));
                if more_columns {
                    offer(cost_at(&table, row, column + 1).saturating_add(TAKEN), Edit::Taken(c));
                }
            } else {
                if more_rows && more_columns {
                    let rest = cost_at(&table, row + 1, column + 1);
                    match fit(e, c) {
                        Fit::Same => offer(rest, Edit::Same(e, c)),
                        Fit::Similar => offer(rest.saturating_add(SIMILAR), Edit::Changed(e, c)),
                        Fit::Different => offer(rest.saturating_add(CHANGED), Edit::Changed(e, c)),
                    }
                }
                if more_rows {
                    offer(cost_at(&table, row + 1, column).saturating_add(MISSING), Edit::Missing(e));
                }
                if more_columns {
                    offer(cost_at(&table, row, column + 1).saturating_add(SURPLUS), Edit::Surplus(c));
                }
            }
            if let Some(place) = table.get_mut(row * width + column) {
                *place = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    while let Some((_, Some(edit))) = table.get(row * width + column) {
        edits.push(*edit);
        match edit {
            Edit::Same(..) | Edit::Changed(..) => (row, column) = (row + 1, column + 1),
            Edit::Missing(_) | Edit::Wildcard(_) => row += 1,
            Edit::Surplus(_) | Edit::Taken(_) => column += 1,
        }
    }
    edits
}

/// Returns true if nothing differs.
pub(super) fn is_same(edits: &[Edit]) -> bool {
    !edits.iter().any(|edit| matches!(edit, Edit::Changed(..) | Edit::Missing(_) | Edit::Surplus(_)))
}
