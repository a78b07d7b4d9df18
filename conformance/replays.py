"""Replays of exported hands in pokerkit: what the checks of both formats share."""

import sys


def final_state(history):
    """The state after the last action of a replay, which must have ended the hand."""
    for state in history:
        pass
    if state.status:
        raise ValueError("the hand is not over after its last action")
    return state


def problem(difference):
    """What differs in a hand, or why it cannot be replayed; None where neither is so."""
    try:
        return difference()
    except (ValueError, KeyError, IndexError, TypeError, AssertionError) as error:
        return f"cannot be replayed: {error}"


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
