#!/usr/bin/env python3
"""A bot for the engine of MIT Pokerbots 2026, three cards and a discard: python3 player.py PORT

Keeps a pair or the two highest cards, bets with a pair of its own, then checks and calls. Change `decide`.
"""
import socket
import sys

RANKS = "23456789TJQKA"


class Round:
    """What is known of a round."""

    def __init__(self, index):
        self.index = index  # 0 is the small blind, which has the button
        self.hand = []
        self.board = []
        self.chips = [1, 2] if index == 0 else [2, 1]  # ours and theirs, on this street
        self.ours = index == 0  # whose turn it is to bet
        self.street = 0  # 0, 2 and 3 (the discards), 4, 5, 6
        self.acted = 0  # actions on this street
        self.raised = False  # on this street
        self.behind = 400  # the chips that either has left at the beginning of the street

    def discards(self):
        """Whether we put a card away now: the big blind first. The other one checks."""
        return self.acted == 0 and self.index == (1 if self.street == 2 else 0)

    def next_street(self):
        self.street = 2 if self.street == 0 else self.street + 1
        self.behind -= self.chips[0]
        self.chips = [0, 0]
        self.acted = 0
        self.ours = self.index == 1
        self.raised = False

    def take(self, clause):
        """Takes in a clause of the engine's line."""
        letter, rest = clause[0], clause[1:]
        if letter == "H":
            self.hand = rest.split(",")
        elif letter == "B":
            self.board = rest.split(",")
        elif letter == "D":
            if self.discards():
                del self.hand[int(rest)]
            self.acted += 1
        elif letter in "CKR":
            if self.street in (2, 3):
                self.next_street()
                return
            who = 0 if self.ours else 1
            if letter == "C":
                self.chips[who] = self.chips[1 - who]
            if letter == "R":
                self.chips[who] = int(rest)
                self.raised = True
            self.ours = not self.ours
            self.acted += 1
            if self.acted > 1 and self.chips[0] == self.chips[1]:
                self.next_street()

    def owed(self):
        return self.chips[1] - self.chips[0]


def discard(hand):
    """The number of the card to put on the board: the one that makes no pair, or else the lowest."""
    ranks = [card[0] for card in hand]
    alone = [place for place, rank in enumerate(ranks) if ranks.count(rank) == 1]
    return min(alone or range(3), key=lambda place: RANKS.index(ranks[place]))


def decide(game):
    """D0 to D2 put a card away; F folds, K checks, C calls, R6 raises to 6 chips on this street."""
    if game.street in (2, 3):
        return f"D{discard(game.hand)}" if game.discards() else "K"
    ranks = [card[0] for card in game.hand]
    if game.street == 4 and len(set(ranks)) < len(ranks) and not game.raised and game.behind >= 6:
        return "R6"
    return "C" if game.owed() > 0 else "K"


def main():
    engine = socket.create_connection(("localhost", int(sys.argv[-1])))
    game = None
    for line in engine.makefile("r"):
        over = False
        for clause in line.split():
            if clause[0] == "Q":
                return
            if clause[0] == "P":
                game = Round(int(clause[1:]))
            elif clause[0] == "A":
                over = True  # the result is acknowledged by a check
            elif clause[0] not in "TGO":  # the clock, a mark without meaning, the other's cards
                game.take(clause)
        answer = "K" if over else decide(game)
        engine.sendall(f"{answer}\n".encode())


if __name__ == "__main__":
    main()
