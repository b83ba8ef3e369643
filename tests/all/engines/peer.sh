# A player of markane:2x1 for matches: Black takes one of the two pits, White the other, and Black has lost. The first
# argument is the protocol, the second says what is wrong with it.
protocol=$1 bad=$2
a1= b1= moves=0 games=0

place() {
    case $1 in
    a1) a1=x ;;
    b1) b1=x ;;
    esac
    moves=$((moves + 1))
}
clear() { a1= b1= moves=0; }
# Another game begins.
begin() {
    games=$((games + 1))
    [ "$bad" = dies-between ] && [ "$games" -gt 1 ] && exit 3
    [ "$bad" = dies-at-first-game ] && exit 3
    clear
}
# Says a move behind a word.
best() {
    if [ "$bad" = illegal ] || [ "$bad" = whole-seconds ]; then
        move=c1
    elif [ "$bad" = taken ] && [ -n "$a1$b1" ]; then
        [ -n "$a1" ] && move=a1 || move=b1
    else
        [ -z "$a1" ] && move=a1 || move=b1
    fi
    case $bad in
    hangs) sleep 1000 ;;
    hangs-once) [ -e "$3" ] || { : >"$3"; sleep 1000; } ;;
    dies | dies-alone | dies-and-never-starts) echo 'out of memory' >&2; exit 3 ;;
    dies-before-its-child) sleep 4321 & printf 'last words'; kill -SEGV $$ ;;
    dies-before-its-far-child) setsid sleep 30 & sleep 0.2; kill -SEGV $$ ;;
    garbage) echo 'Thinking...'; echo '???'; return ;;
    floods) while :; do echo flood; done ;;
    floods-one-line) while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done ;;
    format) move="($move)" ;;
    upper) move=$(echo "$move" | tr a-z A-Z) ;;
    late) sleep 0.6 ;;
    resigns) [ "$protocol" = gtp ] && move=resign ;;
    leaves-a-child) sleep 1000 >/dev/null 2>&1 </dev/null & ;;
    no-move) move= ;;
    esac
    echo "$1$move"
    [ "$protocol" = gtp ] && { echo; place "$move"; }
}
ugi() {
    case $1 in
    ugi) printf 'id name Two pits\nid author nobody\noption name Level type spin default 1 min 1 max 3\nugiok\n' ;;
    uginewgame) begin ;;
    isready) echo readyok ;;
    position)
        clear
        shift
        for word; do place "$word"; done
        moves=$(($# > 1 ? $# - 2 : 0)) ;;
    go)
        [ "$bad" = extreme ] && echo 'info depth 1 score cp -2147483648 pv a1'
        best 'bestmove ' ;;
    query)
        result=p2win
        [ "$bad" = boasts ] && result=p1win
        [ "$bad" = unsure ] && result=none
        [ "$bad" = silent ] || echo "response $result" ;;
    quit) [ "$bad" = stays ] || exit 0 ;;
    esac
}
gtp() {
    case $1 in
    list_commands) [ "$bad" = whole-seconds ] && printf '= time_settings\n' || printf '= name\n'; printf 'clear_board\nplay\ngenmove\nfinal_score\nquit\n\n' ;;
    name) printf '= Two pits\n\n' ;;
    version) printf '= 1\n\n' ;;
    clear_board) begin; printf '=\n\n' ;;
    time_settings)
        case $3 in
        *.*) printf '? whole seconds\n\n' ;;
        *) printf '=\n\n' ;;
        esac ;;
    play)
        if [ "$bad" = refuses ]; then
            printf '? illegal move\n\n'
        else
            place "$3"
            printf '=\n\n'
        fi ;;
    genmove) if [ "$bad" = errors ]; then printf '? no idea\n\n'; else best '= '; fi ;;
    final_score) [ "$bad" = two-lines ] && printf '= B+1\ntouch x\n\n' && return; [ "$bad" = boasts ] && printf '= B+1\n\n' || printf '= W+\n\n' ;;
    quit) printf '=\n\n'; [ "$bad" = stays ] || exit 0 ;;
    *) printf '? unknown command\n\n' ;;
    esac
}

case $bad in
# White space of every kind.
spread)
    sh "$0" "$protocol" nothing | while IFS= read -r line; do
        printf ' \t%s \t\r\n' "$(printf %s "$line" | sed "s/ /$(printf ' \t\f')/g")"
    done
    exit ;;
hangs-at-start) sleep 1000 ;;
dies-at-start) exit 3 ;;
dies-and-never-starts) [ -e "$3/started" ] && exit 4; : >"$3/started" ;;
floods-at-start) while :; do echo flood; done ;;
esac
[ "$bad" = stays ] && trap '' TERM INT HUP
while read -r line; do
    set -f
    "$protocol" $line
done
[ "$bad" = stays ] && while :; do sleep 1; done
exit 0
