#!/usr/bin/env python3
"""Read exported Open Hand History with the models of ohh-pydantic and compare what every player wins.

usage: check_ohh.py HANDS.ohh HANDS.csv [HANDS.ohh HANDS.csv …]

The first file of each pair is a match as `cardroom export --format ohh` writes it, the second the same
match as `--format csv`, whose results are the ledger's. Every hand must be one that the models accept (fields, their types, names
of actions and of cards), every field of it must be known to them, actions must be numbered from 1, nobody may put in more than
a stack, and what the pots pay less what the actions put in must be the ledger's result. Where a pot was split with
fractions, a player may differ by fewer chips than there are players. Exits 1 when a hand is missing, is refused or differs,
and when there are no hands.

The models of ohh-pydantic 0.1.1 ask for a field `action` of `bet_limit` that the specification does not have; it
is put in before they are asked.
"""

import json
import sys

from open_hh_models.models import OpenHandHistory
from pydantic import ConfigDict, ValidationError

from exported import difference, pairs, report, results

ADDS = {"Post Ante", "Post SB", "Post BB", "Straddle", "Bet", "Raise", "Call"}


class Strict(OpenHandHistory):
    """The model, which knows no other fields than those of the specification."""

    model_config = ConfigDict(extra="forbid")


def played(hand):
    """What each player won by the pots and the actions, in chips."""
    names = {player.id: player.name for player in hand.players}
    stacks = {player.id: player.starting_stack for player in hand.players}
    paid = dict.fromkeys(names, 0)
    won = dict.fromkeys(names, 0)
    actions = [action for street in hand.rounds for action in street.actions]
    if [action.action_number for action in actions] != list(range(1, len(actions) + 1)):
        raise ValueError("its actions are not numbered from 1")
    for action in actions:
        if action.action in ADDS:
            paid[action.player_id] += action.amount
    for pot in hand.pots:
        for win in pot.player_wins or []:
            won[win.player_id] += win.win_amount
    # What nobody called goes back and is in no pot.
    back = sum(paid.values()) - sum(pot.amount for pot in hand.pots)
    most = max(paid, key=paid.get)
    for player, chips in paid.items():
        if chips > stacks[player]:
            raise ValueError(f"{names[player]} puts in {chips} of {stacks[player]}")
    paid[most] -= back
    return {names[player]: float(won[player] - paid[player]) for player in names}


def check(ohh_path, csv_path):
    """Checks a match: the name of its file, the number of its hands and a list of problems."""
    expected = results(csv_path)
    with open(ohh_path, encoding="utf-8") as file:
        texts = [text for text in file.read().split("\n\n") if text.strip()]
    problems = []
    if len(texts) != len(expected):
        problems.append(f"{len(expected)} hands in the ledger, {len(texts)} in the file")
    for text in texts:
        (key, content), = json.loads(text).items()
        number = content.get("game_number", "?")
        content["bet_limit"]["action"] = "Dealt Cards"
        try:
            if key != "ohh":
                raise ValueError(f"it stands under `{key}` and not under `ohh`")
            found = played(Strict.model_validate(content))
            expects = expected[int(number.rsplit("-", 1)[1])]
            problem = difference(found, expects, "by its pots")
        except (ValidationError, ValueError, KeyError) as error:
            problem = f"refused: {error}"
        if problem:
            problems.append(f"hand {number}: {problem}")
    return ohh_path, len(expected), problems


def main():
    verdict = "hands of Open Hand History accepted: every player wins what the ledger says"
    report((check(*pair) for pair in pairs(sys.argv[1:], __doc__)), verdict)


if __name__ == "__main__":
    main()
