#!/usr/bin/env python3
"""Makes the openings and prints the figures of docs/strategy.md.

    python3 figures.py openings FOLDER    write the openings (*.txt) of the games with a forced choice
    python3 figures.py figures FOLDER     read the records (*.jsonl) and print the figures

measure.sh plays the games. Needs `pentalith` on the PATH, or its path in the variable PENTALITH.
Intervals are Wilson's at 95 %; a draw counts one half. "thirds" sorts the games by the difference
of a number, Black's less White's, and gives Black's score in the lowest and the highest third:
so Black is compared with Black, and the advantage of a seat does not count.
"""
import collections
import json
import math
import os
import random
import subprocess
import sys

PROGRAM = os.environ.get("PENTALITH", "pentalith")
LETTERS = "abcdefghjklmn"  # boards of nine columns or more leave out i
SCORE = {"black": 1, "white": 0, "draw": 0.5}  # for Black
FOLDER = "."


# --- records ---------------------------------------------------------------------------------

def load(name):
    """The games of a record: (record, [(move, [board, side, ...]) for the start and each turn])."""
    path = os.path.join(FOLDER, name + ".jsonl")
    with open(path) as file:
        records = [json.loads(line) for line in file]
    replay = subprocess.run([PROGRAM, "replay", path, "--positions"], capture_output=True, text=True, check=True)
    games = []
    for line in replay.stdout.splitlines():
        if line.startswith("game "):
            games.append([])
        elif "  " in line and games:
            move, position = line.split("  ", 1)
            games[-1].append((move, position.split()))
    assert len(records) == len(games)
    return list(zip(records, games))


def black(record):
    return SCORE[record["result"]]


# --- statistics ------------------------------------------------------------------------------

def share(label, scores):
    """Prints a mean of scores between 0 and 1 with Wilson's interval."""
    scores = list(scores)
    n, z = len(scores), 1.96
    if not n:
        return print(f"{label:<66} no games")
    p = sum(scores) / n
    center = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    print(f"{label:<66} {100 * p:5.1f} %  {100 * (center - half):5.1f} to {100 * (center + half):5.1f}  of {n}")


def mean(label, values):
    values = list(values)
    m = sum(values) / len(values)
    error = math.sqrt(sum((v - m) ** 2 for v in values) / (len(values) - 1) / len(values))
    print(f"{label:<66} {m:.2f} ± {1.96 * error:.2f}  of {len(values)}")


def more(label, rows):
    """Prints the score of the side that has more; rows: (Black's number, White's number, Black's score)."""
    share("has more: " + label, [s if b > w else 1 - s for b, w, s in rows if b != w])


def thirds(label, rows):
    rows = sorted(rows, key=lambda row: row[0] - row[1])
    n = len(rows) // 3
    for name, part in (("lowest", rows[:n]), ("highest", rows[-n:])):
        low, high = part[0][0] - part[0][1], part[-1][0] - part[-1][1]
        share(f"thirds, {name} ({low:+.3g} to {high:+.3g}): {label}", [s for _, _, s in part])


# --- boards ----------------------------------------------------------------------------------

def cell(name):
    """The column and the rank of a cell, both from 0."""
    return LETTERS.index(name[0]), int(name[1:]) - 1


def squares(text, stacked):
    """The occupied cells of a rectangular board: {cell: color}, or {cell: (color, number)}."""
    rows, board = text.split("/"), {}
    for y, row in enumerate(reversed(rows)):
        x = i = 0
        while i < len(row):
            if row[i] != ".":
                board[x, y] = (row[i], int(row[i + 1])) if stacked else row[i]
                i += stacked
            i += 1
            x += 1
    return board


def around(c):
    return [(c[0] + dx, c[1] + dy) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))]


def other(side):
    return "w" if side == "b" else "b"


# --- Invector --------------------------------------------------------------------------------

def invector_distance(c):
    return min(abs(c[0] - 3), abs(c[0] - 4)) + abs(c[1] - 3)


def invector_quiet(board, side):
    """Steps onto empty pits that a side has."""
    return sum(
        n not in board and 0 <= n[0] < 8 and 0 <= n[1] < 7 and invector_distance(n) < invector_distance(c)
        for c, s in board.items() if s == side for n in around(c))


def invector_labels(board, side, move):
    if move in ("pass", "swap"):
        return {move}
    start, end = cell(move[:2]), cell(move[2:])
    kind = "capture" if end in board else "quiet"
    return {kind, kind + "-from-" + ("edge" if start[0] in (0, 7) or start[1] in (0, 6) else "inside")}


def count(board, side):
    return sum(s == side for s in board.values())


def invector():
    games = load("invector")
    share("Black", map(black, (r for r, _ in games)))
    start = load("invector-start")
    swapped = [r for r, _ in start if r["moves"][1]["move"] == "swap"]
    share("from the start: swapped", [r in swapped for r, _ in start])
    share("from the start, swapped: the player who swapped", [1 - black(r) for r in swapped])
    games = [(r, g) for r, g in games if all(m["move"] != "swap" for m in r["moves"])]
    quiet = total = 0
    first, ends, lead, late = [], [], collections.defaultdict(list), []
    for record, game in games:
        mine = None
        for turn in range(3, len(game)):
            move, board = game[turn][0], squares(game[turn - 1][1][0], 0)
            is_quiet = move != "pass" and cell(move[2:]) not in board
            quiet += is_quiet and turn <= 30
            total += turn <= 30
            mine = mine or (is_quiet and turn)
        first.append(mine)
        for turn, (_, position) in enumerate(game):
            board = squares(position[0], 0)
            if not any(board.get(n, s) != s for c, s in board.items() for n in around(c)):
                ends.append((turn, len(board)))
                lead[count(board, "b") - count(board, "w")].append(black(record))
                break
        board = squares(game[60][1][0], 0) if len(game) > 61 else {}
        if count(board, "b") == count(board, "w"):
            late.append((invector_quiet(board, "b"), invector_quiet(board, "w"), black(record)))
    share("turns 3 to 30: quiet moves", [1] * quiet + [0] * (total - quiet))
    mean("turn of the first quiet move", first)
    mean("turn at which no stones touch", [t for t, _ in ends])
    mean("stones left then", [s for _, s in ends])
    for d in sorted(lead):
        share(f"Black's lead then is {d:+d} in {len(lead[d])} games: Black", lead[d])
    for turn in (40, 50, 60):
        rows = []
        for record, game in games:
            if len(game) > turn:
                board = squares(game[turn][1][0], 0)
                rows.append((count(board, "b"), count(board, "w"), black(record)))
        more(f"stones at turn {turn}", rows)
    more("quiet moves at turn 60 with equal stones", late)
    for label, test in (
            ("stones on the edge", lambda b, c, s: c[0] in (0, 7) or c[1] in (0, 6)),
            ("stones without a neighbor of their color", lambda b, c, s: s not in map(b.get, around(c)))):
        rows = []
        for record, game in games:
            board = squares(game[20][1][0], 0)
            has = {side: sum(s == side and test(board, c, s) for c, s in board.items()) for side in "bw"}
            rows.append((has["b"], has["w"], black(record)))
        thirds(label + " at turn 20", rows)
    forced("invector-capture", "invector-quiet")
    forced("invector-from-edge", "invector-from-inside")


# --- Markane ---------------------------------------------------------------------------------

def markane_labels(board, side, move):
    if "," in move:
        return {"capture"}
    touches = other(side) in map(board.get, around(cell(move)))
    return {"quiet", "touch" if touches else "apart"}


def markane_legal(board, side, size):
    """The pits in which a side may place."""
    def strikes(c):
        return any(side in [board.get(m) for m in around(n) if m != c]
                   for n in around(c) if board.get(n) == other(side))
    pits = [(x, y) for x in range(size) for y in range(size) if (x, y) not in board]
    return {c for c in pits if strikes(c) or (
        side not in map(board.get, around(c)) and [board.get(n) for n in around(c)].count(other(side)) <= 1)}


def markane():
    games = load("markane")
    share("Black, 8x8", map(black, (r for r, _ in games)))
    share("Black, 7x7", map(black, (r for r, _ in load("markane-7x7"))))
    touch = [black(r) for r, g in games if "," not in g[2][0] and cell(g[2][0]) in around(cell(g[1][0]))]
    share("White's first stone touches Black's: White", [1 - s for s in touch])
    share("ends by stalemate", [r["reason"] == "stalemate" for r, _ in games])
    mean("turns", [len(r["moves"]) for r, _ in games])
    share("stalemate: White's and even number of stones", [
        (r["result"] == "white") and g[-1][1][0].count(".") % 2 == 0 for r, g in games if r["reason"] == "stalemate"])
    chains = [[len(m.split(",")) - 1 for m, _ in g[1:]] for _, g in games]
    mean("captures a game", map(sum, chains))
    mean("captures in the last four turns of a game", [sum(c[-4:]) for c in chains])
    for label, cells in (("corner", (0, 7)), ("center", (3, 4))):
        share(f"random first stone in the {label}, random reply: Black", [
            black(r) for r, g in games if all(k in cells for k in cell(g[1][0]))])
    share("turns 3 to 20 with a capture", [n > 0 for c in chains for n in c[2:20]])
    share("some chain of 5 or more", [max(c) >= 5 for c in chains])
    share("largest chain is 5 or more: its player", [
        black(r) if c.index(max(c)) % 2 == 0 else 1 - black(r) for (r, _), c in zip(games, chains) if max(c) >= 5])
    for turn in (20, 24, 26):
        stones, pits = [], []
        for record, game in games:
            if len(game) > turn + 1:
                board = squares(game[turn][1][0], 0)
                b, w = markane_legal(board, "b", 8), markane_legal(board, "w", 8)
                stones.append((count(board, "b"), count(board, "w"), black(record)))
                pits.append((len(b - w), len(w - b), black(record)))
        thirds(f"stones at turn {turn}", stones)
        thirds(f"pits for one's own stones alone at turn {turn}", pits)
    forced("markane-capture", "markane-quiet")
    forced("markane-touch", "markane-apart")
    for name in ("corner", "edge", "center"):
        forced("markane-first-" + name)


# --- Gravel ----------------------------------------------------------------------------------

def gravel():
    games = load("gravel")
    share("Black", map(black, (r for r, _ in games)))
    start = load("gravel-start")
    share("from the start: Black", map(black, (r for r, _ in start)))
    for reason in ("territory", "attrition", "mutual"):
        share("ends by " + reason, [r["reason"] == reason for r, _ in games])
    kinds = {side: collections.defaultdict(list) for side in ("winner", "loser")}
    order = []
    for record, game in games:
        turns = {"white": [], "black": []}
        for turn in range(3, len(game)):
            steps = game[turn][0].split(",")
            removals = sum(s[0] == "x" for s in steps)
            if removals:
                order.append(steps[0][0] != "x")
            turns["black" if turn % 2 == 0 else "white"].append(removals)
        if record["result"] != "draw" and all(turns.values()):
            for side, numbers in turns.items():
                who = "winner" if side == record["result"] else "loser"
                for n in range(4):
                    kinds[who][n].append(100 * numbers.count(n) / len(numbers))
    share("turns with a removal: pieces are placed first", order)
    for side, counts in kinds.items():
        for n, shares in counts.items():
            mean(f"{side}: % of turns with {n} removals, by game", shares)
    for turn in (12, 16):
        rows = collections.defaultdict(list)
        for record, game in games:
            if len(game) > turn + 1:
                position = game[turn][1]
                board, lost = squares(position[0], 1), dict(zip("bw", map(int, position[3].split(","))))
                for side in "bw":
                    stacks = {c: n for c, (s, n) in board.items() if s == side}
                    pool = 33 - sum(stacks.values()) - lost[side]
                    for label, number in (
                            ("spaces", len(stacks)), ("pieces lost", lost[side]),
                            ("spaces less pieces lost", len(stacks) - lost[side]),
                            ("stacks of two or more", sum(n > 1 for n in stacks.values())), ("pool", pool),
                            ("spaces on the edge", sum(c[0] in (0, 7) or c[1] in (0, 7) for c in stacks))):
                        if side == "b":
                            rows[label].append([number])
                        else:
                            rows[label][-1] += [number, black(record)]
        for label, values in rows.items():
            thirds(f"{label} at turn {turn}", values)
    for side in ("white", "black"):
        for shape in ("block", "line", "diamond", "scattered", "stacks"):
            forced(f"gravel-{side}-{shape}")


# --- Inversion -------------------------------------------------------------------------------

HEXAGON = [(c, r) for r in range(9) for c in range(max(0, r - 4), min(8, r + 4) + 1)]
TURNS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))
HEXES = {c: [(c[0] + a, c[1] + b) for a, b in TURNS] for c in HEXAGON
         if all((c[0] + a, c[1] + b) in HEXAGON for a, b in TURNS)}


def ring(c):
    """Steps from the center: 4 at the edge."""
    return max(abs(c[0] - 4), abs(c[1] - 4), abs(c[0] - c[1]))


CORNERS = [c for c in HEXAGON if ring(c) == 4 and c[0] in (0, 4, 8) and c[1] in (0, 4, 8)]


def hexagon(text):
    board = {}
    for i, row in enumerate(text.split("/")):
        rank = 8 - i
        for k, s in enumerate(row):
            if s != ".":
                board[max(0, rank - 4) + k, rank] = s
    return board


def last_turn(game):
    """White's stones at the end after each order in which the hexes of the last stone can be inverted."""
    index = {c: 1 << i for i, c in enumerate(HEXAGON)}
    before = hexagon(game[60][1][0])
    last = next(c for c in HEXAGON if c not in before)
    white = sum(index[c] for c, s in before.items() if s == "w") | index[last]
    hexes = [sum(index[c] for c in cells) for cells in HEXES.values() if last in cells]
    todo, done, ends = [(white, (1 << len(hexes)) - 1)], set(), set()
    while todo:
        state = todo.pop()
        if state in done:
            continue
        done.add(state)
        white, pending = state
        if not pending:
            ends.add(bin(white).count("1"))
        for i, mask in enumerate(hexes):
            if pending >> i & 1:
                more_white = bin(white & mask).count("1") >= 4
                todo.append((white & ~mask if more_white else white | mask, pending & ~(1 << i)))
    return ends


def inversion():
    games = load("inversion")
    share("komi 8: White", [1 - black(r) for r, _ in games])
    plain = load("inversion-no-komi")
    share("no komi: White", [1 - black(r) for r, _ in plain])
    boards = [[hexagon(p[0]) for _, p in g] for _, g in games]
    mean("komi 8: White's stones less Black's", [count(b[-1], "w") - count(b[-1], "b") for b in boards])
    for low, high in ((3, 8), (9, 16), (17, 30)):
        cells = [cell(m.split(",")[0]) for _, g in games for m, _ in g[low:high + 1]]
        share(f"turns {low} to {high}: stones in a corner", [c in CORNERS for c in cells])
        share(f"turns {low} to {high}: stones on or next to the center", [ring(c) <= 1 for c in cells])
    for turn in (16, 20, 40, 50, 56, 58, 60):
        more(f"stones at turn {turn}", [
            (count(b[turn], "b"), count(b[turn], "w"), black(r)) for (r, _), b in zip(games, boards)])
    filled = []
    for (_, game), b in zip(games, boards):
        c = cell(game[61][0].split(",")[0])
        filled.append(sum(all(x in b[60] for x in cells if x != c) for cells in HEXES.values() if c in cells))
    mean("hexes that the last stone fills", filled)
    mean("stones that the last turn gains White", [
        count(b[61], "w") - count(b[60], "w") for b in boards])
    ends = [last_turn(g) for _, g in games]
    mean("last turn: stones between White's best and worst order", [max(e) - min(e) for e in ends])
    share("last turn: the order decides who wins", [2 * max(e) - 61 > 8 > 2 * min(e) - 61 for e in ends])
    known = collections.defaultdict(list)
    for record, _ in games:
        for turn in (50, 54, 56, 58, 59):
            score = record["moves"][turn].get("score", {})
            known[turn].append("mate" in score or abs(score.get("cp", 0)) >= 800)
    for turn, values in known.items():
        share(f"the program is sure of the winner (100 to 1) after turn {turn}", values)
    corners = []
    for record, game in load("inversion-start"):
        corners += [cell(m) in CORNERS for m, _ in game[1:4]]
    share("from the start: first three stones in a corner", corners)
    for side in ("white", "black"):
        records = load(f"inversion-{side}-corners")
        share(f"inversion-{side}-corners: White", [1 - black(r) for r, _ in records])
        last = [hexagon(g[-1][1][0]) for _, g in records]
        mean("  White's stones less Black's", [count(b, "w") - count(b, "b") for b in last])


# --- Invictus --------------------------------------------------------------------------------

def forward(c, side):
    """The rank of a cell from a side's own first row, from 1."""
    return c[1] + 1 if side == "b" else 9 - c[1]


def invictus():
    games = load("invictus")
    share("random set-ups: Black", map(black, (r for r, _ in games)))
    share("from the start: Black", [black(r) for r, _ in load("invictus-start")])
    rows, numbers = collections.defaultdict(list), collections.defaultdict(list)
    captured, returned, striker = collections.Counter(), collections.Counter(), collections.Counter()
    enders, stranded = [], []
    for record, game in games:
        s = black(record)
        takes, first, crossed = collections.Counter(), None, {}
        for turn in range(3, len(game)):
            board, side = squares(game[turn - 1][1][0], 1), game[turn - 1][1][1]
            for step in game[turn][0].split(","):
                if "@" in step:
                    board[cell(step[2:])] = (side, int(step[0]))
                    returned[forward(cell(step[2:]), side)] += 1
                elif step != "pass":
                    a, b = cell(step[:2]), cell(step[2:])
                    if b in board:
                        takes[side] += 1
                        first = first or side
                        captured[board[b][1]] += 1
                        striker[board[b][1] == board[a][1]] += 1
                    if forward(b, side) >= 6:
                        crossed.setdefault(side, turn)
        position = game[-1][1]
        board, points = squares(position[0], 1), dict(zip("bw", map(int, position[2].split(","))))
        left = {side: sum(o == side for o, _ in board.values()) for side in "bw"}
        totals = {}
        for side in "bw":
            over = sum(v for c, (o, v) in board.items() if o == side and forward(c, side) >= 6)
            numbers["score"].append(points[side] + over)
            totals[side] = numbers["score"][-1]
            numbers["captures"].append(takes[side])
            if not left[side]:
                own = s if side == "b" else 1 - s
                enders.append(own)
                stranded.append(len([v for c, (o, v) in board.items() if forward(c, o) <= 5]))
        numbers["difference of the scores"].append(abs(totals["b"] - totals["w"]))
        numbers["turns"].append(len(game) - 1)
        rows["captures"].append((takes["b"], takes["w"], s))
        rows["first capture"].append((first == "b", first == "w", s))
        rows["first over the Divide"].append((crossed["b"] < crossed["w"], crossed["w"] < crossed["b"], s))
        setup = squares(game[2][1][0], 1)
        for label, test in (("5s and 6s in the front row", lambda v: v >= 5),
                            ("1s and 2s in the front row", lambda v: v <= 2)):
            front = collections.Counter(o for c, (o, v) in setup.items() if test(v) and forward(c, o) == 3)
            rows[label].append((front["b"], front["w"], s))
        for turn in (60, 100, 140):
            if len(game) > turn:
                position = game[turn][1]
                board, points = squares(position[0], 1), dict(zip("bw", map(int, position[2].split(","))))
                total, steps = dict(points), collections.Counter()
                for c, (o, v) in board.items():
                    total[o] += v
                    steps[o] += forward(c, o)
                    steps[o] -= 9
                rows[f"points and dice on the board at turn {turn}"].append((total["b"], total["w"], s))
                rows[f"steps already made at turn {turn}"].append((steps["b"], steps["w"], s))
    for label, values in numbers.items():
        mean(label, values)
    share("the player who ended the game won (draw: half)", enders)
    share("games ended with no die of the other left on or before the Divide", [n == 0 for n in stranded])
    def part(label, counts, key):
        share(label, [1] * counts[key] + [0] * (sum(counts.values()) - counts[key]))

    part("captured dice: 1s", captured, 1)
    part("captured dice: 2s", captured, 2)
    part("captured dice: by an equal die", striker, True)
    part("returned dice: on the own fourth rank", returned, 4)
    part("returned dice: on the own first rank", returned, 1)
    for label, values in rows.items():
        more(label, values)
    front = collections.Counter()
    for record, game in load("invictus-start"):
        for c, (o, v) in squares(game[2][1][0], 1).items():
            front[o, v, forward(c, o) == 3] += 1
    for o in "bw":
        print("from the start, share of the dice in the front row,", o, {
            v: round(front[o, v, True] / (front[o, v, True] + front[o, v, False]), 2) for v in range(1, 7)})
    for name in ("high-front", "low-front"):
        share(f"invictus-{name}: the side that is set up so, against random", [
            black(r) if r["game"] % 2 else 1 - black(r) for r, _ in load("invictus-" + name)])


# --- forced choices --------------------------------------------------------------------------

def forced(*names):
    """Prints the score of the side that made the last move of each opening."""
    for name in names:
        scores = []
        for record, game in load(name):
            book = next(i for i, m in enumerate(record["moves"]) if "time_ms" in m)
            side = game[book - 1][1][1]
            scores.append(black(record) if side == "b" else 1 - black(record))
        share(name + ": the side that chose", scores)


class Engine:
    """Tells how good each move of a position is."""

    def __init__(self, variant):
        self.process = subprocess.Popen([PROGRAM, "ugi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ask("ugiok", "ugi")
        self.ask("readyok", f"setoption name Variant value {variant}", "setoption name Seed value 1",
                 "setoption name MultiPV value 500", "setoption name Hash value 16", "isready")

    def ask(self, end, *lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()
        answer = []
        while not answer or not answer[-1].startswith(end):
            answer.append(self.process.stdout.readline().strip())
        return answer

    def moves(self, position, nodes):
        """(move, score in centipawns), best first."""
        best = {}
        for line in self.ask("bestmove", "uginewgame", "position fen " + position, f"go nodes {nodes}"):
            words = line.split()
            if "multipv" in words and "upperbound" not in words:
                i, score = words.index("multipv"), words.index("score")
                value = int(words[score + 2]) * (1 if words[score + 1] == "cp" else 1000000)
                best[int(words[i + 1])] = (words[words.index("pv") + 1], value)
        return [best[k] for k in sorted(best)]


def choices(variant, record, turns, labels, a, b, most):
    """Writes 400 positions that look even, with the best move of kind a, and with that of kind b."""
    random.seed(1)
    games, engine, out = load(record), Engine(variant), {a: [], b: []}
    random.shuffle(games)
    for _, game in games:
        if len(out[a]) >= 400:
            break
        turn = random.choice(turns)
        if len(game) <= turn + 2:
            continue
        position = game[turn][1]
        moves = engine.moves(" ".join(position), 20000)
        if not moves or abs(moves[0][1]) > most:
            continue
        best = {}
        for move, _ in moves:
            for label in labels(squares(position[0], 0), position[1], move):
                best.setdefault(label, move)
        if a in best and b in best:
            for label in (a, b):
                out[label].append(f"fen {' '.join(position)} moves {best[label]}")
    engine.ask("", "quit")
    for label, lines in out.items():
        write(f"{record}-{label.replace('capture-from', 'from')}", lines)


def write(name, lines):
    with open(os.path.join(FOLDER, name + ".txt"), "w") as file:
        file.write("\n".join(lines) + "\n")


def gravel_shape(kind):
    pick = random.randrange
    if kind == "block":
        x, y = pick(7), pick(7)
        return [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
    if kind == "line":
        x, y = pick(5), pick(8)
        cells = [(x + i, y) for i in range(4)]
        return cells if random.random() < 0.5 else [(b, a) for a, b in cells]
    if kind == "diamond":
        x, y = pick(1, 7), pick(1, 7)
        return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    while kind == "scattered":
        cells = random.sample([(x, y) for x in range(8) for y in range(8)], 4)
        if all(abs(a[0] - b[0]) + abs(a[1] - b[1]) > 2 for i, a in enumerate(cells) for b in cells[:i]):
            return cells
    while kind == "stacks":
        a, b = [(pick(8), pick(8)) for _ in range(2)]
        if abs(a[0] - b[0]) == 1 and abs(a[1] - b[1]) == 1:
            return [a, a, b, b]


def invictus_setup(side, kind):
    front, back = (3, 2) if side == "b" else (7, 8)
    columns = list(range(9))
    random.shuffle(columns)
    others = columns[:]
    random.shuffle(others)
    if kind == "high-front":
        cells = [(x, front) for x in columns] + [(x, back) for x in others]
    elif kind == "low-front":
        cells = [(x, back) for x in columns] + [(x, front) for x in others]
    else:
        cells = [(x, y) for x in columns for y in (front, back)]
        random.shuffle(cells)
    values = [v for v in (6, 5, 4, 3, 2, 1) for _ in range(3)]
    return ",".join(f"{v}@{LETTERS[x]}{y}" for v, (x, y) in zip(values, cells))


def openings():
    def label(c):
        return LETTERS[c[0]] + str(c[1] + 1)

    def turn(cells):
        return ",".join(map(label, cells))

    random.seed(1)
    edge = "a3 a4 a5 a6 h3 h4 h5 h6 c1 d1 e1 f1 c8 d8 e8 f8"
    for name, cells in (("corner", "a1 a8 h1 h8"), ("edge", edge), ("center", "d4 d5 e4 e5")):
        write("markane-first-" + name, ["startpos moves " + random.choice(cells.split()) for _ in range(300)])
    inner = [c for c in HEXAGON if ring(c) <= 2]
    for name, white, black_ in (("white", CORNERS, inner), ("black", inner, CORNERS)):
        lines = []
        for _ in range(400):
            pairs = list(zip(random.sample(white, 3), random.sample(black_, 3)))
            lines.append("startpos moves " + " ".join(f"{label(w)} {label(b)}" for w, b in pairs))
        write(f"inversion-{name}-corners", lines)
    shapes = ("block", "line", "diamond", "scattered", "stacks")
    for shape in shapes:
        write("gravel-white-" + shape, ["startpos moves " + turn(gravel_shape(shape)) for _ in range(300)])
    for shape in shapes:
        lines = []
        while len(lines) < 300:
            white, reply = gravel_shape(random.choice(shapes[:3])), gravel_shape(shape)
            if not set(white) & set(reply):
                lines.append(f"startpos moves {turn(white)} {turn(reply)}")
        write("gravel-black-" + shape, lines)
    for kind in ("high-front", "low-front"):
        kinds = [(kind, "random"), ("random", kind)]
        write("invictus-" + kind, ["startpos moves %s %s" % tuple(
            invictus_setup(side, k) for side, k in zip("bw", kinds[i % 2])) for i in range(300)])
    early = list(range(8, 15))
    choices("markane:8x8", "markane", early, markane_labels, "touch", "apart", 100)
    choices("markane:8x8", "markane", early, markane_labels, "capture", "quiet", 100)
    early = list(range(8, 21))
    choices("invector:8x7", "invector", early, invector_labels, "capture", "quiet", 150)
    choices("invector:8x7", "invector", early, invector_labels, "capture-from-edge", "capture-from-inside", 150)


if __name__ == "__main__":
    task, FOLDER = sys.argv[1:]
    if task == "openings":
        openings()
    else:
        for game in (invector, markane, gravel, inversion, invictus):
            print("---", game.__name__)
            game()
