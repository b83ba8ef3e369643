#!/bin/sh
# Draws every picture of this folder again: sh docs/pictures/draw.sh [FOLDER]
# PENTALITH is the program; FOLDER takes the pictures instead of this folder.
set -eu
folder=${1:-$(dirname "$0")}

# Draws a picture: its name, then the arguments of `pentalith diagram`.
draw() {
    name=$1
    shift
    "${PENTALITH:-pentalith}" diagram "$@" --output "$folder/$name.svg"
}

for game in invector gravel markane inversion invictus; do
    draw "$game" "$game"
done

captures='...b./...w./..b../...../w.... b 1 5'
draw markane-captures markane:5x5 --position "$captures" --marks c4,d3,e4 --crosses c2,b3
draw markane-chain markane:5x5 --position "$captures" --moves d3,b1 --last --numbers
draw invector-arrows invector:5x4 --arrows c1-c2,b2-a2,e1-e1
