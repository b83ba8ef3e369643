#!/usr/bin/env bash
# Measures the figures of these pages and of docs/strategy.md anew, part by part, in tables that tests compare with the
# pages:
#
#     bash docs/results/measure.sh [PART…]
#
#     search, levels, first-mover    matches, into strength.tsv: half an hour each
#     time, baseline                 the same, by time: 25 minutes each, on two idle cores
#     speed       into speed.tsv: three minutes, idle
#     strategy    prints the figures of docs/strategy.md: an hour
#
# Without a PART all of them. Interrupt it at any time: it goes on from target/measure.
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo build --quiet --release
program=$PWD/target/release/pentalith
folder=target/measure
mkdir -p "$folder"
test $# -gt 0 || set -- search time baseline levels first-mover speed strategy
for part in "$@"; do
    case $part in
        speed) bash docs/results/speed.sh "$program" >"$folder/speed.tsv" && mv "$folder/speed.tsv" docs/results/ ;;
        strategy) PATH=${program%/*}:$PATH sh docs/strategy/measure.sh "$folder/strategy" ;;
        *) python3 docs/results/measure.py "$program" "$folder" "$part" ;;
    esac
done
# Writes the tables into the pages.
UPDATE_PAGES=1 cargo test --quiet --test all pages::tables
