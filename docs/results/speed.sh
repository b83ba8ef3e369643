#!/bin/bash
# Prints the rows of the tables of speed.md. Takes three minutes on an idle machine: bash docs/results/speed.sh [PROGRAM]
P=${1:-pentalith}
SETUP="........./w6w5w4w3w2w1w6w5w4/w3w2w1w6w5w4w3w2w1/........./........./........./b6b5b4b3b2b1b6b5b4/b3b2b1b6b5b4b3b2b1/......... b 0,0 - 0 3"
median() { sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
of() { for i in $(seq "$1"); do "${@:2}"; done | median; }
group() { awk '{ n = int($1 + 0.5); s = ""; while (n >= 1000) { s = sprintf(",%03d%s", n % 1000, s); n = int(n / 1000) } print n s }'; }
three() { awk '{ e = int(log($1) / log(10)); f = 10 ^ (e - 2); print int($1 / f + 0.5) * f }' | group; }
# nodes or playouts a second of one search of a second: VARIANT METHOD THREADS
search() {
    local at=startpos; [ "$1" = invictus ] && at="fen $SETUP"
    printf 'ugi\nsetoption name Search value %s\nsetoption name Threads value %s\nposition %s\ngo movetime 1000\n' \
        "$2" "$3" "$at" | "$P" ugi "$1" | awk '/^info depth/ { for (i = 1; i < NF; i++) { if ($i == "nodes") n = $(i + 1); if ($i == "time") t = $(i + 1) } } END { print n / t * 1000 }'
}
playouts() {
    if [ "$1" = invictus ]; then "$P" bench playouts "$1" --seconds 1 --position "$SETUP"; else "$P" bench playouts "$1" --seconds 1; fi |
        awk -v what="$2" '$1 == what { print $2 }'
}
perft() { if [ "$1" = invictus ]; then "$P" perft "$@" --position "$SETUP"; else "$P" perft "$@"; fi 2>&1 | awk '/nodes\/s/ { print $2 }'; }

date; lscpu 2>/dev/null | awk -F: '/Model name/ { print $2 }'; nproc; uptime
echo; echo "## one game a row: pvs 1 thread, 2 threads, ratio; uct 1 thread, 2 threads, ratio; random playouts/s"
for v in invector markane gravel inversion invictus; do
    a=$(of 3 search $v pvs 1); b=$(of 3 search $v pvs 2); c=$(of 3 search $v uct 1); d=$(of 3 search $v uct 2)
    p=$(of 3 playouts $v playouts/s)
    r() { awk -v x="$1" -v y="$2" 'BEGIN { printf "%.1f", y / x }'; }
    echo "| \`$v\` | $(echo $a | three) | $(echo $b | three) | $(r $a $b) | $(echo $c | three) | $(echo $d | three) | $(r $c $d) | $(echo $p | three) |"
done
echo; echo "## perft"
row() { echo "| \`pentalith perft $*\` | $(of 3 perft "$@" | three) |"; }
row invector 5; row markane 5; row gravel 3; row inversion 4; row invictus 4
row invector 4 --every-leaf; row markane 4 --every-leaf; row gravel 3 --every-leaf; row inversion 4 --every-leaf; row invictus 4 --every-leaf
echo; echo "## boards: random steps/s, pvs positions/s"
for v in invector:8x7 invector:12x11 invector:16x15 invector:24x25 markane:8x8 markane:12x12 inversion:5 inversion:7 inversion:9 gravel:8 gravel:13 gravel:19; do
    echo "| \`$v\` | $(of 3 playouts $v steps/s | three) | $(search $v pvs 1 | three) |"
done
echo; echo "## start-up: milliseconds of a process that answers one command, mean of 50"
for v in invector markane gravel inversion invictus; do
    s=$(date +%s%N)
    for i in $(seq 50); do printf 'name\nquit\n' | "$P" gtp $v >/dev/null; done
    echo "| \`$v\` | $(( ($(date +%s%N) - s) / 50000000 )).$(( ($(date +%s%N) - s) / 5000000 % 10 )) |"
done
