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


def results(path):
    """What each player won in chips, by hand and name."""
    won = defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            won[int(row["hand"])][row["name"]] = float(row["chips"])
    return won


def played(history):
    """What each player won by pokerkit's replay, in chips."""
    for state in history:
        pass
    if state.status:
        raise ValueError("the hand is not over after its last action")
    pairs = zip(history.players, history.starting_stacks, state.stacks, strict=True)
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
    """Checks a match: the number of its hands and a list of problems."""
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
        try:
            problem = difference(played(history), expected[number])
        except (ValueError, KeyError, IndexError, TypeError, AssertionError) as error:
            problem = f"cannot be replayed: {error}"
        if problem:
            problems.append(f"hand {number}: {problem}")
    return len(expected), problems


def main():
    paths = sys.argv[1:]
    if not paths or len(paths) % 2:
        sys.exit(__doc__)
    hands, failed = 0, 0
    for text_path, csv_path in zip(paths[::2], paths[1::2], strict=True):
        count, problems = check(text_path, csv_path)
        hands += count
        failed += len(problems)
        for problem in problems[:10]:
            print(f"{text_path}: {problem}")
    if hands == 0:
        sys.exit("no hands to check")
    if failed:
        sys.exit(f"{failed} problems in {hands} hands")
    print(f"{hands} hands of PokerStars text replayed in pokerkit: every player wins what the ledger says")


if __name__ == "__main__":
    main()
