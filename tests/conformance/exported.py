"""What the checks of exported hands share: replays in pokerkit, results by the ledger, the verdict."""

import csv
import sys
from collections import defaultdict


def results(path):
    """What each player won in chips by `cardroom export --format csv`, by hand and name."""
    won = defaultdict(dict)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            won[int(row["hand"])][row["name"]] = float(row["chips"])
    return won


def difference(found, expected, where):
    """What differs between results found there and the ledger's, or None.

    Fractions of a split pot may be fewer chips than there are players; whoever is not found won 0.
    """
    whole = all(chips.is_integer() for chips in expected.values())
    allowed = 0 if whole else len(expected) - 1
    for name, chips in expected.items():
        if abs(found.get(name, 0) - chips) > allowed:
            return f"{name} wins {found.get(name, 0)} {where}, {chips} in the ledger"
    return None


def final_state(history):
    """The state after the last action of a replay, which must have ended the hand."""
    for state in history:
        pass
    if state.status:
        raise ValueError("the hand is not over after its last action")
    return state


def problem(found):
    """What differs in a hand, or why it cannot be replayed; None where neither is so."""
    try:
        return found()
    except (ValueError, KeyError, IndexError, TypeError, AssertionError) as error:
        return f"cannot be replayed: {error}"


def pairs(paths, usage):
    """The paths two by two; ends with how the check is used where they are not pairs."""
    if not paths or len(paths) % 2:
        sys.exit(usage)
    return zip(paths[::2], paths[1::2], strict=True)


def report(checks, verdict):
    """Prints the problems of each match, and exits with 1 where there are any or no hands.

    Each check has the name of a file, the number of its hands and a list of problems.
    """
    hands, failed = 0, 0
    for name, count, problems in checks:
        hands += count
        failed += len(problems)
        for found in problems[:10]:
            print(f"{name}: {found}")
    if hands == 0:
        sys.exit("no hands to check")
    if failed:
        sys.exit(f"{failed} problems in {hands} hands")
    print(f"{hands} {verdict}")
