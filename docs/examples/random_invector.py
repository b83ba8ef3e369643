#!/usr/bin/env python3
"""A whole UGI engine for Invector, as short as it can be: it plays a random legal step.

    python3 random_invector.py [COLUMNS RANKS]
"""

import random
import sys

COLUMNS, RANKS = map(int, sys.argv[1:3] or (8, 7))
CELLS = [(x, y) for y in range(RANKS) for x in range(COLUMNS)]


def name(cell):
    return "abcdefghjklmnopqrstuvwxyz"[cell[0]] + str(cell[1] + 1)


def distance(cell):
    """Orthogonal steps to the nearest of the two center pits; the even dimension has two middle lines."""
    return abs(2 * cell[0] - COLUMNS + 1) // 2 + abs(2 * cell[1] - RANKS + 1) // 2


class Position:
    def __init__(self, text=None):
        if text is None:  # the start
            self.stones = {(x, y): "bw"[(x + y) % 2] for x, y in CELLS}
            self.side, self.turn = "b", 1
            return
        board, self.side, turn = text.split()
        rows = board.split("/")[::-1]
        if [len(row) for row in rows] != [COLUMNS] * RANKS or self.side not in ("b", "w"):
            raise ValueError(text)
        self.stones = {(x, y): rows[y][x] for x, y in CELLS if rows[y][x] in "bw"}
        self.turn = int(turn)

    def over(self):
        return len(set(self.stones.values())) < 2

    def steps(self):
        """The legal steps by their names, each with the cells that it goes from and to."""
        if self.over():
            return {}
        steps = {}
        for (x, y), color in self.stones.items():
            for to in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if color != self.side or to not in CELLS:
                    continue
                empty = to not in self.stones
                if distance(to) < distance((x, y)) if empty else self.stones[to] != color:
                    steps[name((x, y)) + name(to)] = ((x, y), to)
        if steps and self.turn == 2:
            steps["swap"] = None
        return steps or {"pass": None}

    def play(self, step):
        cells = self.steps()[step]  # KeyError where the step is not legal
        if step == "swap":
            self.stones = {cell: "bw"[color == "b"] for cell, color in self.stones.items()}
        elif cells:
            self.stones[cells[1]] = self.stones.pop(cells[0])
        self.side = "bw"[self.side == "b"]
        self.turn += 1


def read_position(words):
    """Reads what follows `position`: startpos or fen POSITION, then perhaps moves."""
    setup, _, moves = " ".join(words).partition("moves")
    setup = setup.split()
    position = Position(None if setup == ["startpos"] else " ".join(setup[1:]))
    for move in moves.split():
        position.play(move)
    return position


def main():
    position, waiting = Position(), None
    for line in sys.stdin:
        command, *words = line.split() or [""]
        answer = []
        if command == "ugi":
            answer = ["id name Random Invector", "id author Example", "ugiok"]
        elif command == "isready":
            answer = ["readyok"]
        elif command == "uginewgame":
            position = Position()
        elif command == "position":
            try:
                position = read_position(words)
            except (KeyError, ValueError, IndexError):
                position = None  # the game is over: see query and go
        elif command == "go":
            steps = list(position.steps()) if position else []
            waiting = f"bestmove {random.choice(steps) if steps else 'none'}"
            if "infinite" not in words:
                answer, waiting = ["info depth 1", waiting], None
        elif command == "stop" and waiting:
            answer, waiting = ["info depth 1", waiting], None
        elif command == "query" and words == ["gameover"]:
            answer = ["response " + str(position is None or position.over()).lower()]
        elif command == "query" and words == ["p1turn"]:
            answer = ["response " + str(position is not None and position.side == "b").lower()]
        elif command == "query" and words == ["result"]:
            won = position and position.over() and set(position.stones.values())
            answer = ["response " + ("none" if not won else "p1win" if won == {"b"} else "p2win")]
        elif command == "quit":
            break
        if answer:
            print("\n".join(answer), flush=True)


main()
