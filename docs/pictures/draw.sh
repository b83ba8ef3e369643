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

# Marks: what a rule allows and what it forbids.
draw invector-moves invector:5x4 --position '.b.../..bw./...../...b. b 21' --arrows b4-b3,c3-d3,d1-d2 --crosses c2
draw invector-arrows invector:5x4 --arrows c1-c2,b2-a2,e1-e1
captures='...b./...w./..b../...../w.... b 1 5'
draw markane-captures markane:5x5 --position "$captures" --marks c4,d3,e4 --crosses c2,b3
draw markane-chain markane:5x5 --position "$captures" --moves d3,b1 --last --numbers

# The examples of the pages on the games, before and after.
example='w.b..b/...bw./.w...b/w...b./...w../..b.bw w 1 14'
draw markane-example markane:6x6 --position "$example"
draw markane-example-after markane:6x6 --position "$example" --moves d1,b1,d6,c3 --last --numbers

example='...../.b1b1../b2w1w1b1./.w1w1w1./..... b - 0,0 5 6'
draw gravel-control gravel:5 --position "$example" --marks b3 --crosses c3
draw gravel-removals gravel:5 --position "$example" --moves d1,xd2,xb3,xc3 --last --numbers

example='ww./bw.w/wbbww/w.bw/.b. w - 15'
draw inversion-two-hexes inversion:3 --position "$example" --moves d4 --last
draw inversion-two-hexes-d3 inversion:3 --position "$example" --moves d4,d3 --last --numbers
draw inversion-two-hexes-c4 inversion:3 --position "$example" --moves d4,c4 --last --numbers

example='........./..w4..b5.../.w2.....w6./.....w1.../...w3b4..../..b3...w2../.......b1./b6......../......... b 9,12 - 0 41'
draw invictus-example invictus --position "$example"
draw invictus-moves invictus --position "$example" --arrows c4-b4,c4-d4,c4-b5,c4-c5,c4-d5
draw invictus-capture invictus --position "$example" --moves c4d5 --last
draw invictus-set-again invictus --position "$example" --moves c4d5 2@d6,g4g3 --last --numbers

# The moves of an analysis. A limit in nodes makes it the same everywhere.
"${PENTALITH:-pentalith}" analyze markane:6x6 --moves 'c3 e5' --nodes 20000 --svg "$folder/analysis.svg" > /dev/null
