//! The choice of a bitboard for a number of cells.

/// Runs an expression with `$board` standing for the narrowest bitboard type that holds `$cells` cells;
/// `None` where none does.
macro_rules! with_width {
    ($cells:expr, $board:ident => $run:expr) => {{
        use $crate::board::{Board64, Board128, BoardWide};
        macro_rules! run_with {
            ($type:ty) => {{
                type $board = $type;
                Some($run)
            }};
        }
        match $cells {
            0..=64 => run_with!(Board64),
            65..=128 => run_with!(Board128),
            129..=256 => run_with!(BoardWide<4>),
            257..=640 => run_with!(BoardWide<10>),
            _ => None,
        }
    }};
}
