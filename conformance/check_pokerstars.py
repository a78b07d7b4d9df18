#!/usr/bin/env python3
"""Read exported PokerStars text with pokerkit and compare what every player wins.

usage: check_pokerstars.py HANDS.txt HANDS.csv [HANDS.txt HANDS.csv …]

The first file of each pair is a no-limit match as `cardroom export --format pokerstars` writes it, the second
the same match as `--format csv`, whose results are the ledger's. pokerkit replays each hand of the
text by its own rules; 100 chips are a dollar. Where a pot was split with fractions, a player may differ by fewer chips than
there are players. Exits 1 when a hand is missing, cannot be read or differs, and when there are no hands.
"""

import csv
import sys
import warnings
from collections import defaultdict

from pokerkit import HandHistory

from replays import final_state, problem, report


def results(path):
    """What each player won in chips, by hand and name."""
    won = defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            won[int(row["hand"])][row["name"]] = float(row["chips"])
    return won


def played(history):
    """What each player won by pokerkit's replay, in chips."""
    stacks = final_state(history).stacks
    pairs = zip(history.players, history.starting_stacks, stacks, strict=True)
    return {name: round(100 * float(end - start)) for name, start, end in pairs}


def difference(found, expected):
    """What differs, or None."""
    whole = all(chips.is_integer() for chips in expected.values())
    allowed = 0 if whole else len(expected) - 1
    # pokerkit knows only who does something; who folds nothing in did not pay a blind either.
    for name, chips in expected.items():
        if abs(found.get(name, 0) - chips) > allowed:
            return f"{name} wins {found.get(name, 0)} in pokerkit, {chips} in the ledger"
    return None


def check(text_path, csv_path):
    """Checks a match: the name of its text, the number of its hands and a list of problems."""
    expected = results(csv_path)
    with open(text_path, encoding="utf-8") as file:
        text = file.read()
    problems = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        histories = list(HandHistory.from_pokerstars(text, error_status=True))
    if len(histories) != len(expected):
        problems.append(f"{len(expected)} hands, but pokerkit read {len(histories)}")
    for history in histories:
        number = history.hand & 0xFFFFFFFF
        found = problem(lambda: difference(played(history), expected[number]))
        if found:
            problems.append(f"hand {number}: {found}")
    return text_path, len(expected), problems


def main():
    paths = sys.argv[1:]
    if not paths or len(paths) % 2:
        sys.exit(__doc__)
    verdict = "hands of PokerStars text replayed in pokerkit: every player wins what the ledger says"
    report(map(check, paths[::2], paths[1::2]), verdict)


if __name__ == "__main__":
    main()
