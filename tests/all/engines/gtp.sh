# A GTP engine for a pile of seven stones: take one or two. The first argument says what is wrong with it.
bad=$1
CR=$(printf '\r') SOH=$(printf '\001') BEL=$(printf '\007')
commands='protocol_version name version list_commands known_command quit boardsize clear_board komi play genmove
showboard undo'
moves=

drop() {
    while :; do
        case $line in
        *"$1"*) line=${line%%"$1"*}${line#*"$1"} ;;
        *) return ;;
        esac
    done
}
answer() {
    [ "$bad" = stray ] && echo 'thinking...'
    if [ "$bad" = no-empty-line ]; then
        printf '%s%s %s\n' "$1" "$id" "$2"
    else
        printf '%s%s %s\n\n' "$1" "$id" "$2"
    fi
    [ "$bad" = twice ] && printf '%s%s %s\n\n' "$1" "$id" "$2"
    [ "$bad" = two-empty-lines ] && echo
}
pile() {
    pile=7
    for move in $moves; do pile=$((pile - move)); done
}
color() {
    case $1 in
    [bB] | [wW] | [bB][lL][aA][cC][kK] | [wW][hH][iI][tT][eE]) return 0 ;;
    esac
    answer '?' 'syntax error'
    return 1
}

case $bad in
hangs) sleep 1000 ;;
dies) echo 'no license' >&2; exit 3 ;;
floods) while :; do echo flood; done ;;
floods-one-line) exec tr '\0' x </dev/zero ;;
answers-without-end) echo '= Pile'; exec yes 'and so on' ;;
leaves-a-child) sleep "$2" & ;;
esac
count=0
while read -r line || [ -n "$line" ]; do
    count=$((count + 1))
    if [ "$count" = 20 ]; then
        case $bad in
        stops-reading) sleep 1000 ;;
        floods-later) while :; do echo flood; done ;;
        dies-later) kill -9 $$ ;;
        esac
    fi
    drop "$CR"; drop "$SOH"; drop "$BEL"
    line=${line%%#*}
    set -f
    set -- $line
    [ $# -gt 0 ] || continue
    id=
    case $1 in
    *[!0-9]*) ;;
    *) id=$1; shift ;;
    esac
    [ "$bad" = no-ids ] && id=
    command=$1
    [ $# -gt 0 ] && shift
    case $command in
    protocol_version) answer = 2 ;;
    name) answer = Pile ;;
    version) answer = 1 ;;
    list_commands) answer = "$(printf '%s\n' $commands)" ;;
    known_command)
        case " $(echo $commands) " in
        *" $1 "*) answer = true ;;
        *) [ "$bad" = knows-all ] && answer = true || answer = false ;;
        esac ;;
    quit)
        answer = ''
        [ "$bad" = stays ] || exit 0 ;;
    boardsize)
        case $1 in
        7) answer = '' ;;
        '' | *[!0-9]*) answer '?' 'syntax error' ;;
        *) answer '?' 'unacceptable size' ;;
        esac ;;
    clear_board) moves=; answer = '' ;;
    komi)
        case $1 in
        0) answer = '' ;;
        *) answer '?' 'syntax error' ;;
        esac ;;
    play)
        color "$1" || continue
        pile
        case $2 in
        1 | 2)
            if [ "$2" -le "$pile" ]; then
                moves="$moves $2"; answer = ''
            else
                answer '?' 'illegal move'
            fi ;;
        *)
            [ "$bad" = plays-anything ] && moves="$moves 1"
            answer '?' 'syntax error' ;;
        esac ;;
    genmove)
        color "$1" || continue
        [ "$bad" = never-moves ] && sleep 1000
        [ "$bad" = dies-before-its-child ] && { sleep 1000 & kill -SEGV $$; }
        pile
        if [ "$pile" -gt 0 ]; then
            moves="$moves 1"; answer = 1
        else
            answer = pass
        fi ;;
    showboard) pile; answer = "$pile stones" ;;
    undo)
        if [ -n "$moves" ]; then
            [ "$bad" = no-undo ] || moves=${moves% *}
            answer = ''
        else
            answer '?' 'cannot undo'
        fi ;;
    '') answer '?' 'syntax error' ;;
    *) answer '?' 'unknown command' ;;
    esac
done
[ "$bad" = stays ] && while :; do sleep 1; done
exit 0
