# A UGI engine for a pile of seven stones: take one or two, and who takes the last one wins. The first argument says
# what is wrong with it.
bad=$1
CR=$(printf '\r')
moves= over=false result=none searching=

position() {
    moves= over=false result=none
    case $1 in
    startpos) shift ;;
    *) over=true; return ;;
    esac
    [ "$1" = moves ] && shift
    pile=7 side=1
    for move; do
        case $move in
        1 | 2) ;;
        *) move=9 ;;
        esac
        if [ "$move" -gt "$pile" ]; then
            [ "$bad" = dies-of-illegal-moves ] && exit 1
            over=true result=p$((3 - side))win
            return
        fi
        pile=$((pile - move)) moves="$moves $move"
        [ "$pile" = 0 ] && over=true result=p${side}win
        side=$((3 - side))
    done
    [ "$bad" = no-winner ] && result=none
    return 0
}
best() {
    [ "$bad" = no-bestmove ] && return
    [ "$bad" = dies-before-its-child ] && { sleep 1000 & kill -SEGV $$; }
    [ "$bad" = no-info ] || echo 'info depth 1 nodes 1 score cp 0 pv 1'
    [ "$bad" = odd-info ] && echo 'info depth one'
    if [ "$over" = true ]; then
        echo bestmove none
    elif [ "$bad" = ponders ]; then
        echo bestmove 1 ponder 1
    else
        echo bestmove 1
    fi
    [ "$bad" = two-bestmoves ] && echo bestmove 1
    return 0
}

case $bad in
hangs) sleep 1000 ;;
dies) exit 3 ;;
floods) while :; do echo flood; done ;;
esac
position startpos
while read -r line || [ -n "$line" ]; do
    line=${line%"$CR"}
    set -f
    set -- $line
    [ $# -gt 0 ] || continue
    command=$1
    shift
    case $command in
    ugi)
        echo id name Pile
        [ "$bad" = no-author ] || echo id author nobody
        echo option name Hash type spin default 16 min 1 max 64
        [ "$bad" = odd-option ] && echo option name Level type combo default low
        echo ugiok ;;
    isready)
        [ "$bad" = deaf ] && [ -n "$searching" ] || echo readyok ;;
    uginewgame) position startpos ;;
    position) position "$@" ;;
    go)
        case $1 in
        infinite) searching=yes ;;
        *) [ "$bad" = late ] && [ "$2" = 200 ] && sleep 1.5; best ;;
        esac ;;
    stop)
        [ -n "$searching" ] || [ "$bad" = always-stops ] && best
        searching= ;;
    query)
        case $1 in
        gameover) echo response $over ;;
        p1turn)
            set -- $moves
            [ $(($# % 2)) = 0 ] && echo response true || echo response false ;;
        result)
            [ "$bad" = odd-result ] && echo response "$result" certainly || echo response $result ;;
        esac ;;
    quit) [ "$bad" = stays ] || exit 0 ;;
    *) [ "$bad" = chatty ] && echo "Unknown command: $line" ;;
    esac
done
[ "$bad" = stays ] && while :; do sleep 1; done
exit 0
