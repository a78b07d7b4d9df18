#!/usr/bin/env python3
"""A bot for the ACPC dealer protocol: python3 bot.py HOST PORT

Raises with a pair or two cards from ten up before the flop, then checks and calls. Change `decide`.
"""
import socket
import sys

FIRST = [1, 0, 0, 0]  # who acts first on each street heads-up: 0 is the big blind, 1 the button


def read_state(line):
    """What a state says: our position, the betting of each street, our cards, the board."""
    _, position, _, betting, cards = line.split(":")
    holes, *board = cards.split("/")
    return int(position), betting.split("/"), holes.split("|"), board


def actions(street):
    """The actions of a street, such as ["c", "r300", "f"]."""
    found = []
    for letter in street:
        if letter in "cfr":
            found.append(letter)
        else:
            found[-1] += letter
    return found


def to_act(betting, holes):
    """Whose turn it is, or None when the hand is over."""
    done = actions(betting[-1])
    if all(holes) or any("f" in street for street in betting):
        return None
    return (FIRST[len(betting) - 1] + len(done)) % 2


def decide(cards, board, done):
    """c checks or calls, f folds, rN raises to N chips in the whole hand."""
    high = [card for card in (cards[:2], cards[2:]) if card[0] in "TJQKA"]
    raised = any(action.startswith("r") for action in done)
    if not board and not raised and (cards[0] == cards[2] or len(high) == 2):
        return "r300"
    return "c"


def main():
    dealer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    dealer.sendall(b"VERSION:2.0.0\r\n")
    for line in dealer.makefile("r"):
        line = line.strip()
        if not line.startswith("MATCHSTATE"):
            continue
        position, betting, holes, board = read_state(line)
        if to_act(betting, holes) == position:
            action = decide(holes[position], board, actions(betting[-1]))
            dealer.sendall(f"{line}:{action}\r\n".encode())


if __name__ == "__main__":
    main()
