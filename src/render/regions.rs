//! Groups of cells: shades below the board's lines, and outlines around whole groups.

use std::collections::{BTreeMap, BTreeSet};

use super::Annotations;
use super::layout::Layout;
use super::svg::{Point, Svg};
use super::theme::{REGION_EDGES, REGIONS};

/// Dashes of the outlines in turn, which distinguish regions that touch.
const DASHES: [&str; 3] = ["none", "24 14", "8 10"];

/// Shades the cells.
pub(super) fn draw_shades(svg: &mut Svg, layout: &Layout<'_>, annotations: &Annotations) {
    svg.group_with(&REGIONS, "fill-opacity=\"0.16\"", |svg| {
        for &cell in annotations.regions.iter().flatten() {
            svg.polygon(layout.around(cell, layout.outline_shape()));
        }
    });
}

/// Draws the outlines.
pub(super) fn draw_outlines(svg: &mut Svg, layout: &Layout<'_>, annotations: &Annotations) {
    for (region, dashes) in annotations.regions.iter().zip(DASHES.iter().cycle()) {
        // A side of two cells of the region lies within it.
        let mut sides: BTreeMap<(Point, Point), u32> = BTreeMap::new();
        for cell in BTreeSet::from_iter(region) {
            let corners: Vec<Point> = layout.around(*cell, layout.outline_shape()).collect();
            let next = corners.iter().cycle().skip(1);
            for (&from, &to) in corners.iter().zip(next) {
                *sides.entry((from.min(to), from.max(to))).or_default() += 1;
            }
        }
        let look = format!("stroke-dasharray=\"{dashes}\" stroke-linecap=\"round\"");
        svg.group_with(&REGION_EDGES, &look, |svg| {
            svg.lines(sides.into_iter().filter(|(_, count)| *count == 1).map(|(side, _)| side));
        });
    }
}
