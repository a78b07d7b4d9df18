#!/usr/bin/env python3
"""Replay random hands in OpenSpiel's universal_poker and demand that everything is equal.

usage: random_hands HANDS SEED | check_openspiel.py [LEAST]

Reads the JSON lines that the example `random_hands` of the crate `game` prints. For every decision
the acting player and the legal actions must be OpenSpiel's, and so must the payoffs at the end.
Exits 1 at the first hand that differs, and also when fewer than LEAST hands (default 10000) came.

OpenSpiel numbers no-limit actions of the full game as 0 fold, 1 call, n raise to n; limit actions
as 0 fold, 1 call, 2 raise. Cards are dealt by chance nodes: each player's hole cards together, in
seat order, then the board; a card is numbered rank * suits + suit, and small decks hold the lowest
ranks and suits where the ACPC server's hold the highest.
"""

import collections
import json
import sys

import pyspiel

PARTS_PER_CHIP = 2520
RANKS, SUITS = "23456789TJQKA", "cdhs"


def load(game):
    """The OpenSpiel game of an ACPC definition."""
    words = lambda numbers: " ".join(str(number) for number in numbers)
    parameters = {
        "betting": "limit" if game["betting"] == "limit" else "nolimit",
        "bettingAbstraction": "fcpa" if game["betting"] == "limit" else "fullgame",
        "numPlayers": game["players"],
        "numRounds": game["streets"],
        "stack": words(game["stacks"]),
        "blind": words(game["blinds"]),
        "firstPlayer": words(seat + 1 for seat in game["first_to_act"]),
        "maxRaises": words(game["max_raises"]),
        "numSuits": game["suits"],
        "numRanks": game["ranks"],
        "numHoleCards": game["hole_cards"],
        "numBoardCards": words(game["board_cards"]),
    }
    if game["betting"] == "limit":
        # OpenSpiel leaves the stacks out of the definition of a limit game; a second line smuggles
        # them in (without them the definition cannot even be read for five players and more).
        parameters["raiseSize"] = words(game["raise_sizes"]) + "\nstack = " + words(game["stacks"])
    return pyspiel.load_game("universal_poker", parameters)


def card_number(game, text):
    rank = RANKS.index(text[0]) - (13 - game["ranks"])
    suit = SUITS.index(text[1]) - (4 - game["suits"])
    return rank * game["suits"] + suit


def legal_actions(game, decision):
    """The decision's legal actions as OpenSpiel numbers them."""
    actions = [0] if decision["fold"] else []
    actions.append(1)
    if decision["raise"]:
        least, most = decision["raise"]
        actions.extend([2] if game["betting"] == "limit" else range(least, most + 1))
    return actions


def action_number(game, action):
    if action in "fc":
        return "fc".index(action)
    return 2 if game["betting"] == "limit" else int(action)


def deal(state, cards):
    while state.is_chance_node():
        state.apply_action(next(cards))


def difference(hand, spiel):
    """What differs between the hand and OpenSpiel's replay of it, or None."""
    game = hand["game"]
    dealt = [card for hole in hand["hole"] for card in hole] + hand["board"]
    cards = iter([card_number(game, card) for card in dealt])
    state = spiel.new_initial_state()
    deal(state, cards)
    for number, decision in enumerate(hand["decisions"]):
        if state.is_terminal():
            return f"decision {number}: OpenSpiel's hand is over"
        if state.current_player() != decision["seat"]:
            return f"decision {number}: OpenSpiel's turn is player {state.current_player()}"
        theirs, ours = state.legal_actions(), legal_actions(game, decision)
        if theirs != ours:
            return f"decision {number}: OpenSpiel's legal actions are {summary(theirs)}, ours {summary(ours)}"
        state.apply_action(action_number(game, decision["action"]))
        deal(state, cards)
    if not state.is_terminal():
        return f"OpenSpiel's hand is not over: player {state.current_player()} acts"
    ours = [parts / PARTS_PER_CHIP for parts in hand["payoffs"]]
    theirs = state.returns()
    if sum(hand["payoffs"]) != 0:
        return f"our payoffs {ours} do not sum to zero"
    seats = range(game["players"])
    if loses_chips(theirs):
        seats = [seat for seat in seats if seat not in folded(hand)]
    if any(abs(ours[seat] - theirs[seat]) > 1e-9 * max(1.0, abs(ours[seat])) for seat in seats):
        return f"OpenSpiel's returns are {theirs}, ours {ours}"
    return None


def loses_chips(returns):
    """Whether the ACPC server's code has lost chips: in a limit game a player whose stack is below
    the bet may lower it, and when one who had put in more then folds, nobody gets the difference.
    We give it back to the player who folded."""
    return sum(returns) < -1e-6


def folded(hand):
    return {decision["seat"] for decision in hand["decisions"] if decision["action"] == "f"}


def summary(actions):
    return actions if len(actions) < 8 else f"{actions[:4]} to {actions[-1]}"


def main():
    least = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    counts = collections.Counter()
    text, spiel, hands = None, None, 0
    for number, line in enumerate(sys.stdin):
        hand = json.loads(line)
        game = hand["game"]
        if json.dumps(game) != text:
            text, spiel = json.dumps(game), load(game)
        problem = difference(hand, spiel)
        if problem:
            sys.exit(f"hand {number}: {problem}\n{line}")
        hands += 1
        counts[f"{game['players']} players {game['betting']}"] += 1
        counts["decisions"] += len(hand["decisions"])
        counts["with an uneven stack"] += len(set(game["stacks"])) > 1
        counts["split with fractions"] += any(p % PARTS_PER_CHIP for p in hand["payoffs"])
    for name, count in sorted(counts.items()):
        print(f"  {count:>8} {name}")
    if hands < least:
        sys.exit(f"only {hands} hands came, fewer than {least}")
    print(f"{hands} hands equal in OpenSpiel's universal_poker: turns, legal actions, returns")


if __name__ == "__main__":
    main()
