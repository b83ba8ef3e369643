#!/bin/sh
# Plays a whole game with one engine process: genmove until legal is empty. Prints the moves and the score.
#     sh protocol/play-a-game.sh [VARIANT] [MILLISECONDS A MOVE]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT PIPE TERM
mkfifo "$folder/commands" "$folder/answers"
${PENTALITH:-cargo run --release -q --} gtp "${1:-invector:5x4}" <"$folder/commands" >"$folder/answers" &
exec 3>"$folder/commands" 4<"$folder/answers"

# Sends a command and leaves the text of its one-line answer in $answer.
ask() {
    echo "$*" >&3
    read -r answer <&4
    read -r empty <&4
    case $answer in
        =*) answer=${answer#=}; answer=${answer# } ;;
        *) echo "$*: $answer" >&2; exit 1 ;;
    esac
}

ask time "${2:-100}"
while ask legal; [ -n "$answer" ]; do
    ask position
    set -- $answer                # board, side to move, …
    ask genmove "$2"
done
ask moves
echo "$answer"
ask score
echo "$answer"
ask quit
