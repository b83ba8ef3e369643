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

# Marks: what a rule allows and what it forbids. A test compares them with the legal steps.
draw invector-moves invector:5x4 --position '.b.../..bw./...../...b. b 21' --arrows b4-b3,c3-d3,d1-d2 --crosses c2
draw invector-start invector:5x4
draw invector-captures invector:5x4 --position '...../ww.../wb.../.w... b 21' --arrows b2-a2,b2-b1,b2-b3 --crosses a3
distances=$(mktemp)
printf '%s\n' 'a1 3' 'b1 2' 'c1 1' 'd1 2' 'e1 3' 'a2 2' 'b2 1' 'c2 0' 'd2 1' 'e2 2' \
    'a3 2' 'b3 1' 'c3 0' 'd3 1' 'e3 2' 'a4 3' 'b4 2' 'c4 1' 'd4 2' 'e4 3' > "$distances"
draw invector-distances invector:5x4 --position '.b.../..bw./...../...b. b 21' --heat "$distances"
rm "$distances"
draw invector-skipped invector:5x4 --position 'w..../..b../..b../....w b 41' --crosses c4,b3,d3,b2,d2,c1
draw invector-end invector:5x4 --position '.b.../..bw./...../...b. b 21' --moves c3d3 --last
draw invector-arrows invector:5x4 --arrows c1-c2,b2-a2,e1-e1
captures='...b./...w./..b../...../w.... b 1 5'
draw markane-captures markane:5x5 --position "$captures" --marks c4,d3,e4 --crosses c2,b3
draw markane-enemies markane:5x5 --position '.b.b./b..w./....w/w..w./.w... b 1 9' --marks d3 --crosses a1,b2
draw markane-stalemate markane:4x4 --position '.w.w/w.w./.b.b/b.b. b 1 9' --crosses b1,d1,a2,c2,b3,d3,a4,c4
draw markane-before markane:4x4 --position 'b..w/.bw./b..w/.bw. b 1 9'
draw markane-annihilation markane:4x4 --position 'b..w/.bw./b..w/.bw. b 1 9' --moves d1,d3,c4 --last --numbers
draw markane-chain markane:5x5 --position "$captures" --moves d3,b1 --last --numbers

# The examples of the pages on the games, before and after.
example='w.b..b/...bw./.w...b/w...b./...w../..b.bw w 1 14'
draw markane-example markane:6x6 --position "$example"
draw markane-example-after markane:6x6 --position "$example" --moves d1,b1,d6,c3 --last --numbers

example='..b1../w4..w1./..b2../.w2.../....b1 w - 0,0 0 5'
draw gravel-placing gravel:5 --position "$example" --crosses e1,c3,a4,c5 --arrows b2-b2,d4-d4 \
    --marks a1,b1,c1,d1,a2,c2,d2,e2,a3,b3,d3,e3,b4,c4,e4,a5,b5,d5,e5
draw gravel-relocations gravel:5 --position "$example" --arrows b2-d4,d4-b2,a4-b2,a4-d4

example='...../.b1b1../b2w1w1b1./.w1w1w1./..... b - 0,0 5 6'
draw gravel-control gravel:5 --position "$example" --marks b3 --crosses c3
draw gravel-removing-first gravel:5 --position "$example" --moves xb3,xc3,b3,c3 --last --numbers
draw gravel-deadlock gravel:3,x=2 --position 'b1.b1/b1.w1/w1w1w1 w - 2,1 0 15'
draw gravel-mutual gravel:3,x=2 --position '..b1/..b1/w2.. w - 3,2 0 15'
draw gravel-removals gravel:5 --position "$example" --moves d1,xd2,xb3,xc3 --last --numbers

draw inversion-centers inversion:3 --marks b2,c2,b3,c3,d3,c4,d4 --crosses a1,b1,c1,a2,d2,a3,e3,b4,e4,c5,d5,e5
example='.../.w../.bbw./.bw./... w - 7'
draw inversion-one-hex inversion:3 --position "$example" --marks d4
draw inversion-one-hex-after inversion:3 --position "$example" --moves d4 --last
draw inversion-end inversion:3,komi=1.5 --position 'wbb/wbbb/bbwww/bwww/www b - 20'
example='ww./bw.w/wbbww/w.bw/.b. w - 15'
draw inversion-two-hexes inversion:3 --position "$example" --moves d4 --last
draw inversion-two-hexes-d3 inversion:3 --position "$example" --moves d4,d3 --last --numbers
draw inversion-single inversion:3,order=single --position "$example" --moves d4,d3 --last --numbers
alternate='bww/.bbw/.b.wb/bww./bbb b - 16'
draw inversion-alternate inversion:3,order=alternate --position "$alternate" --moves c3,b2 --last
draw inversion-alternate-c3 inversion:3,order=alternate --position "$alternate" --moves c3,b2 c3 --last
draw inversion-two-hexes-c4 inversion:3 --position "$example" --moves d4,c4 --last --numbers

example='........./..w4..b5.../.w2.....w6./.....w1.../...w3b4..../..b3...w2../.......b1./b6......../......... b 9,12 - 0 41'
draw invictus-setup invictus --marks a2,b2,c2,d2,e2,f2,g2,h2,j2,a3,b3,c3,d3,e3,f3,g3,h3,j3
captures='........./........./........./........./..w3w1w4..../...b3...../........./........./......... b 0,0 - 0 41'
draw invictus-captures invictus --position "$captures" --arrows d4-c5 --crosses d5,e5
draw invictus-end invictus --moves c8c9 --last \
    --position '........./..b5....../.....w2.../........./........./........./.w4......./........./......... b 9,7 - 0 61'
draw invictus-example invictus --position "$example"
draw invictus-moves invictus --position "$example" --arrows c4-b4,c4-d4,c4-b5,c4-c5,c4-d5
draw invictus-capture invictus --position "$example" --moves c4d5 --last
draw invictus-returned invictus --position "$example" --moves c4d5 \
    --marks a6,b6,c6,d6,e6,g6,h6,j6,a7,c7,d7,e7,f7,g7,j7,a8,b8,d8,e8,g8,h8,j8,a9,b9,c9,d9,e9,f9,g9,h9,j9
draw invictus-arrival invictus --position "$example" --moves c4d5 2@d6,g4g3 f8f9 --last
draw invictus-set-again invictus --position "$example" --moves c4d5 2@d6,g4g3 --last --numbers

# The moves of an analysis. A limit in nodes makes it the same everywhere.
"${PENTALITH:-pentalith}" analyze markane:6x6 --moves 'c3 e5' --nodes 20000 --svg "$folder/analysis.svg" > /dev/null
