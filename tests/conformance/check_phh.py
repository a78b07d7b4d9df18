#!/usr/bin/env python3
"""Replay exported hands in pokerkit and compare what every player ends with.

usage: check_phh.py FILE.phhs [FILE.phhs …]

pokerkit reads `finishing_stacks` but does not compare it with the stacks that its own replay gives,
so this does. Whole numbers must be equal. Where a pot was split with fractions, which pokerkit
hands out as odd chips to one of the winners, they may differ by fewer chips than there are players,
and the sum must be the same. Exits 1 when a hand cannot be read, cannot be replayed to its end, or differs, and when there are no hands.
"""

import sys
import tomllib

from pokerkit import HandHistory

from exported import final_state, problem, report


def difference(history):
    """What differs between pokerkit's stacks and those in the file, or None."""
    written = history.finishing_stacks
    if written is None:
        raise ValueError("no finishing_stacks")
    stacks = final_state(history).stacks
    if len(stacks) != len(written):
        return f"{len(stacks)} stacks, {len(written)} written"
    whole = all(float(stack).is_integer() for stack in written)
    allowed = 1e-9 if whole else len(stacks) - 1
    if any(abs(a - b) > allowed for a, b in zip(stacks, written, strict=True)):
        return f"pokerkit ends with {stacks}, the file with {written}"
    if abs(sum(stacks) - sum(written)) > 1e-3:
        return f"{sum(stacks)} chips in all, {sum(written)} written"
    return None


def check(path):
    """Checks a file: its name, the number of its hands and a list of problems."""
    with open(path, "rb") as file:
        tables = tomllib.load(file)
    with open(path, "rb") as file:
        histories = list(HandHistory.load_all(file))
    problems = []
    if len(histories) != len(tables):
        problems.append(f"{len(tables)} hands, but pokerkit read {len(histories)}")
    for number, history in zip(tables, histories):
        found = problem(lambda: difference(history))
        if found:
            problems.append(f"hand [{number}]: {found}")
    return path, len(tables), problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    verdict = "hands replayed in pokerkit: every player ends with what the file says"
    report(map(check, sys.argv[1:]), verdict)


if __name__ == "__main__":
    main()
