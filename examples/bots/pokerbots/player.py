#!/usr/bin/env python3
"""A bot for the engine of MIT Pokerbots: python3 player.py PORT

Raises with a pair or two cards from ten up before the flop, then checks and calls. Change `decide`.
"""
import socket
import sys


class Round:
    """What is known of a round."""

    def __init__(self, index):
        self.index = index  # 0 is the small blind, which has the button
        self.hand = []
        self.board = []
        self.chips = [1, 2] if index == 0 else [2, 1]  # ours and theirs, on this street
        self.ours = index == 0  # whose turn it is
        self.raised = False

    def take(self, clause):
        """Takes in a clause of the engine's line."""
        letter, rest = clause[0], clause[1:]
        if letter == "H":
            self.hand = rest.split(",")
        elif letter == "B":
            self.board = rest.split(",")
            self.chips = [0, 0]
            self.ours = self.index == 1
        elif letter in "CKR":
            who = 0 if self.ours else 1
            if letter == "C":
                self.chips[who] = self.chips[1 - who]
            if letter == "R":
                self.chips[who] = int(rest)
                self.raised = True
            self.ours = not self.ours

    def owed(self):
        return self.chips[1] - self.chips[0]


def decide(game):
    """F folds, K checks, C calls, R6 raises to 6 chips on this street."""
    ranks = [card[0] for card in game.hand]
    strong = ranks[0] == ranks[1] or all(rank in "TJQKA" for rank in ranks)
    if not game.board and not game.raised and strong:
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
            elif clause[0] == "D":
                over = True  # the result is acknowledged by a check
            elif clause[0] != "T":  # the time that is left
                game.take(clause)
        answer = "K" if over else decide(game)
        engine.sendall(f"{answer}\n".encode())


if __name__ == "__main__":
    main()
