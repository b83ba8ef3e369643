#!/bin/sh
# Plays the games behind docs/strategy.md: about an hour on one core.
#
#     sh measure.sh FOLDER
#
# Writes records (*.jsonl) and openings (*.txt) to FOLDER, then prints the figures of the page.
# Needs `pentalith` on the PATH, and python3.
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

# NAME VARIANT [OPTIONS]: plays games of the program against itself.
play() {
    name=$1
    variant=$2
    shift 2
    pentalith match "$variant" --engine a=best --engine b=best --no-pairs --quiet --json "$name.jsonl" "$@"
}

# Games from random openings, good or bad.
play markane markane:8x8 --nodes 4000 --games 1000 --openings random:2 --balance 0.5
play gravel gravel:8 --nodes 4000 --games 1000 --openings random:5 --balance 0.5
play inversion inversion:5,komi=8 --nodes 10000 --games 1000 --openings random:2 --balance 0.5
play invector invector:8x7 --nodes 4000 --games 1000 --openings random:2 --balance 0.5
play invictus invictus --nodes 1000 --games 1000 --openings random:19 --balance 0.5
play inversion-no-komi inversion:5 --nodes 10000 --games 300 --openings random:2 --balance 0.5
play markane-7x7 markane:7x7 --nodes 4000 --games 400 --openings random:2 --balance 0.5

# Games from the start, in which both sides choose everything.
play gravel-start gravel:8 --nodes 4000 --games 300 --openings start
play invector-start invector:8x7 --nodes 2000 --games 300 --openings start
play inversion-start inversion:5,komi=8 --nodes 5000 --games 200 --openings start
play invictus-start invictus --nodes 1000 --games 200 --openings start

# Games in which one choice was forced.
python3 "$here/figures.py" openings .
for name in markane-capture markane-quiet markane-touch markane-apart; do
    play $name markane:8x8 --nodes 4000 --games "$(grep -c . $name.txt)" --openings $name.txt
done
for name in markane-first-corner markane-first-edge markane-first-center; do
    play $name markane:8x8 --nodes 4000 --games 300 --openings $name.txt
done
for name in inversion-white-corners inversion-black-corners; do
    play $name inversion:5,komi=8 --nodes 5000 --games 400 --openings $name.txt
done
for side in white black; do
    for shape in block line diamond scattered stacks; do
        play gravel-$side-$shape gravel:8 --nodes 2000 --games 200 --openings gravel-$side-$shape.txt
    done
done
for name in invector-capture invector-quiet; do
    play $name invector:8x7 --nodes 2000 --games 200 --openings $name.txt
done
for name in invector-from-edge invector-from-inside; do
    play $name invector:8x7 --nodes 2000 --games 400 --openings $name.txt
done
for name in invictus-high-front invictus-low-front; do
    play $name invictus --nodes 1000 --games 200 --openings $name.txt
done

python3 "$here/figures.py" figures .
