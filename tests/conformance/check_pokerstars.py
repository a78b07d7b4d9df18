#!/usr/bin/env python3
"""Read exported PokerStars text with pokerkit and compare what every player wins.

usage: check_pokerstars.py HANDS.txt HANDS.csv [HANDS.txt HANDS.csv …]

The first file of each pair is a no-limit match as `cardroom export --format pokerstars` writes it, the second
the same match as `--format csv`, whose results are the ledger's. pokerkit replays each hand of the
text by its own rules; 100 chips are a dollar. Where a pot was split with fractions, a player may differ by fewer chips than
there are players. Exits 1 when a hand is missing, cannot be read or differs, and when there are no hands.
"""

import sys
import warnings

from pokerkit import HandHistory

from exported import difference, final_state, pairs, problem, report, results


def played(history):
    """What each player won by pokerkit's replay, in chips, of those who do something."""
    stacks = final_state(history).stacks
    players = zip(history.players, history.starting_stacks, stacks, strict=True)
    return {name: round(100 * float(end - start)) for name, start, end in players}


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
        found = problem(lambda: difference(played(history), expected[number], "in pokerkit"))
        if found:
            problems.append(f"hand {number}: {found}")
    return text_path, len(expected), problems


def main():
    verdict = "hands of PokerStars text replayed in pokerkit: every player wins what the ledger says"
    report((check(*pair) for pair in pairs(sys.argv[1:], __doc__)), verdict)


if __name__ == "__main__":
    main()
