# A UGI engine for markane:2x1: Black takes one of two pits, White the other, and Black has lost. The first argument
# says what is wrong with it.
bad=$1
moves= over=false result=none searching=

play() {
    for move; do
        [ "$over" = true ] && { result=none; return; }
        case "$move/$moves" in
        a1/ | b1/) moves=$move ;;
        a1/b1 | b1/a1) moves="$moves $move" over=true result=p2win ;;
        *) over=true result=p1win; return ;;
        esac
    done
}
position() {
    moves= over=false result=none
    kind=$1
    [ $# -gt 0 ] && shift
    if [ "$kind" = fen ]; then
        case "$*" in
        '.. b 1 1'*) ;;
        'b. w 1 2'*) play a1 ;;
        '.b w 1 2'*) play b1 ;;
        'bw b 1 3'*) play a1 b1 ;;
        'wb b 1 3'*) play b1 a1 ;;
        *) over=true; return ;;
        esac
        [ $# -gt 4 ] && shift 4 || shift $#
    elif [ "$kind" != startpos ]; then
        over=true
        return
    fi
    [ "$1" = moves ] && shift
    play "$@"
}
best() {
    echo info nodes 1
    case "$over/$moves" in
    true/*) echo bestmove none ;;
    */a1) [ "$bad" = cheats ] && echo bestmove a1 || echo bestmove b1 ;;
    *) echo bestmove a1 ;;
    esac
}

position startpos
while read -r line; do
    line=${line%"$(printf '\r')"}
    set -f
    set -- $line
    [ $# -gt 0 ] || continue
    command=$1
    shift
    case $command in
    ugi) printf 'id name Two pits\nid author nobody\nugiok\n' ;;
    isready) echo readyok ;;
    uginewgame) position startpos ;;
    position) position "$@" ;;
    go) [ "$1" = infinite ] && searching=yes || best ;;
    stop)
        [ -n "$searching" ] && best
        searching= ;;
    query)
        case $1 in
        gameover) echo response $over ;;
        p1turn)
            set -- $moves
            [ $(($# % 2)) = 0 ] && echo response true || echo response false ;;
        result) [ "$bad" = boasts ] && [ $over = true ] && result=p1win; echo response $result ;;
        esac ;;
    quit) exit 0 ;;
    esac
done
exit 0
