#!/usr/bin/env bash
# Prints speed.tsv: bash docs/results/speed.sh PROGRAM. Takes five minutes on an idle machine; needs valgrind.
set -euo pipefail
program=${1:-pentalith}
games=(invector markane gravel inversion invictus)
# Invictus after its set-up.
setup="........./w6w5w4w3w2w1w6w5w4/w3w2w1w6w5w4w3w2w1/........./........./........./b6b5b4b3b2b1b6b5b4"
setup="$setup/b3b2b1b6b5b4b3b2b1/......... b 0,0 - 0 3"

# Rounds to three digits and groups the others: ROW's COLUMN of a TABLE, and the value from standard input.
row() {
    awk -v key="$1"$'\t'"$2"$'\t'"$3" '{
        unit = 10 ^ (int(log($1) / log(10)) - 2)
        n = int($1 / unit + 0.5) * unit
        if (n >= 1000) { for (text = ""; n >= 1000; n = int(n / 1000)) text = sprintf(",%03d%s", n % 1000, text) } else text = ""
        print key "\t" (text == "" ? sprintf("%g", n) : int(n) text)
    }'
}
# The median of three runs.
median() { for _ in 1 2 3; do "$@"; done | sort -g | sed -n 2p; }

# Commands of a search: VARIANT METHOD THREADS LIMIT. The tree of a second does not fill this memory.
commands() {
    local at=startpos
    test "$1" != invictus || at="fen $setup"
    printf 'ugi\nsetoption name Search value %s\nsetoption name Threads value %s\nsetoption name Hash value 1024\nposition %s\ngo %s\n' "$2" "$3" "$at" "$4"
}
# Nodes or playouts per second of the first second.
search() {
    commands "$1" "$2" "$3" "movetime 1000" | "$program" ugi "$1" | awk '
        /^info / { for (i = 1; i < NF; i++) { if ($i == "nodes") n = $(i + 1); if ($i == "time") t = $(i + 1) } }
        END { print n / t * 1000 }'
}
playouts() {
    local at=()
    test "$1" != invictus || at=(--position "$setup")
    "$program" bench playouts "$1" --seconds 1 "${at[@]}" | awk -v what="$2" '$1 == what { print $2 }'
}
perft() {
    local at=()
    test "$1" != invictus || at=(--position "$setup")
    "$program" perft "$@" "${at[@]}" 2>&1 | awk '/nodes\/s/ { print $2 }'
}
# Instructions of a command that reads standard input.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}
per_node() {
    local low high
    low=$(commands "$1" "$2" 1 "nodes 10000" | instructions "$program" ugi "$1")
    high=$(commands "$1" "$2" 1 "nodes 30000" | instructions "$program" ugi "$1")
    echo $(((high - low) / 20000))
}

printf 'table\trow\tcolumn\tvalue\n'
for game in "${games[@]}"; do
    name="\`$game\`"
    for method in puct pvs uct; do
        median search "$game" $method 1 | row search "$name" "\`$method\`"
        median search "$game" $method 2 | row search "$name" "\`$method\`, 2 threads"
    done
    median playouts "$game" playouts/s | row search "$name" "random games"
    for method in puct pvs; do per_node "$game" $method | row instructions "$name" "\`$method\`"; done
done
for depth in "invector 5" "markane 5" "gravel 3" "inversion 4" "invictus 4"; do
    # shellcheck disable=SC2086
    median perft $depth | row perft "\`$depth\`" "leaves per second"
done
for depth in "invector 4" "markane 4" "gravel 3" "inversion 4" "invictus 4"; do
    # shellcheck disable=SC2086
    median perft $depth --every-leaf | row perft "\`$depth\`" "with \`--every-leaf\`"
done
for variant in invector:8x7 invector:12x11 markane:8x8 markane:12x12 gravel:8 gravel:13 inversion:5 inversion:9; do
    median playouts $variant steps/s | row boards "\`$variant\`" "random steps per second"
    median search $variant puct 1 | row boards "\`$variant\`" "nodes of \`puct\` per second"
done
