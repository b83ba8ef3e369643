//! Tables of ratings.

use super::contents::report;
use super::tables::{stacking, table};
use crate::render::svg::escape;
use crate::statistics::{Grid, Ratings};

/// Returns a page with ratings and all comparisons, as HTML.
pub fn rating_page(ratings: &Ratings) -> String {
    let mut body = format!("<h2>Ratings</h2>\n{}", ratings_with(ratings, &ratings.matrices()));
    for note in ratings.notes() {
        body += &format!("<p class=\"note\">Note: {}</p>\n", escape(&note));
    }
    report("Ratings", &ratings.answers(), &body)
}

/// Writes the ratings of the engines of a page of statistics.
pub(super) fn ratings(ratings: &Ratings) -> String {
    format!("<h2>Ratings</h2>\n{}", ratings_with(ratings, &[]))
}

fn ratings_with(ratings: &Ratings, matrices: &[Grid]) -> String {
    let mut html = format!("<p class=\"legend\">{}</p>\n", escape(&ratings.title()));
    let (players, first_mover) = (ratings.player_table(), ratings.first_mover_table());
    for grid in [&players, &first_mover] {
        html += &stacking(&grid.heads.iter().map(String::as_str).collect::<Vec<_>>(), &grid.rows);
    }
    for grid in matrices {
        html += &format!("<h3>{}</h3>\n", escape(&grid.caption));
        html += &table(&grid.heads.iter().map(String::as_str).collect::<Vec<_>>(), &grid.rows);
    }
    html
}
