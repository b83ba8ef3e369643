#!/usr/bin/env python3
"""Plays the matches of strength.tsv and writes their scores into it.

    python3 measure.py PROGRAM FOLDER PART…    PART as in the first column, or with a row of it: levels:Gravel

Rows that this program has measured are left alone, and an interrupted match goes on where it was: its record is in
FOLDER. The score is that of the first engine, in the part first-mover that of the first mover. The matches of the
levels of a game also give their ratings, in the part scale.
"""
import json
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("strength.tsv")


def percent(elo):
    """The expected score of an Elo difference; JSON has no infinity, so the score of all or nothing stands for it."""
    return 100 / (1 + 10 ** (-elo / 400))


def measured(program, record, arguments, part):
    subprocess.run([program, "match", *arguments, "--quiet", "--record", record], check=True, stdout=subprocess.DEVNULL)
    stats = subprocess.run([program, "stats", record, "--json"], check=True, capture_output=True)
    [variant] = json.loads(stats.stdout)["variants"]
    if part == "first-mover":
        interval = variant["first_mover_interval"]
        return [100 * interval[name] for name in ("value", "low", "high")]
    [pairing] = variant["pairings"]
    score, elo = 100 * pairing["score"], pairing["elo"]
    bounds = [score if elo[name] is None else percent(elo[name]) for name in ("low", "high")]
    return [score, *bounds]


def scale(program, name, records):
    """The rows of a game's ratings: Elo above the weakest level, and the first mover's advantage."""
    rate = [program, "rate", *records, "--json", "--anchor", "beginner=0"]
    ratings = json.loads(subprocess.run(rate, check=True, capture_output=True).stdout)
    [first] = ratings["first_mover"]
    entries = [(player["name"], player, "rating") for player in ratings["players"]] + [("first mover", first, "elo")]
    for column, entry, value in entries:
        if column != "beginner":
            yield ["scale", name, column, "", "", *(f"{entry[key]:.0f}" for key in (value, "low", "high"))]


def main(program, folder, *parts):
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    commit = next(line.split()[1] for line in version.splitlines() if line.startswith("commit:"))
    header, *rows = [line.split("\t") for line in TABLE.read_text().splitlines()]

    def record(number, row):
        return str(pathlib.Path(folder, f"{commit}-{row[0]}-{number}.pgn"))

    def write():
        TABLE.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n")

    for number, row in enumerate(rows):
        part, name, column, match, games = row[:5]
        if {part, f"{part}:{name}"}.isdisjoint(parts) or row[8] == commit:
            continue
        score = measured(program, record(number, row), [*match.split(), "--games", games], part)
        row[5:] = [*(f"{value:.1f}" for value in score), commit]
        write()
        print(f"{part}: {name}, {column}: {row[5]} % [{row[6]}, {row[7]}]", flush=True)
    levels = {}
    for number, row in enumerate(rows):
        if row[0] == "levels":
            levels.setdefault(row[1], []).append(record(number, row))
    for name, records in levels.items():
        # Of other programs there are no records.
        if all(pathlib.Path(record).exists() for record in records):
            rows = [row for row in rows if row[:2] != ["scale", name]]
            rows += [[*row, commit] for row in scale(program, name, records)]
    write()


main(*sys.argv[1:])
