"""Plays against the server's Slumbot API as the clients in use do.

usage: check_slumbot.py CARDROOM

Starts `CARDROOM serve`, then plays in the manner of the site's sample client (JSON bodies, an action string
that it parses and checks by itself, a token that is taken over whenever one comes) and in that of a shell
client that knows answers by their bytes only: fields in a fixed order, the token at the end of the first
body. Both check what every hand was worth: from cards, betting and rules, worked out here.
"""

import collections
import http.client
import itertools
import json
import random
import re
import sys
import tempfile

import programs

SMALL, BIG, STACK = 50, 100, 20_000
HEADERS = {"Content-Type": "application/json"}
RANKS, SUITS = "23456789TJQKA", "cdhs"


class Bad(Exception):
    """The action string is not what the rules allow."""


class Betting:
    """An action string, read street by street as the sample client does."""

    def __init__(self, text):
        self.street, self.total, self.pos = 0, [BIG, SMALL], 1
        self.last_bet, self.raised_by, self.checked, self.over = BIG, BIG - SMALL, False, False
        self.before = 0
        self.folded = None
        self.closed = False
        at = 0
        while at < len(text):
            letter = text[at]
            at += 1
            if self.over:
                raise Bad("something follows the end of the hand")
            if self.closed:
                if letter != "/":
                    raise Bad("a slash is missing")
                self.next_street()
            elif letter == "k":
                self.check()
            elif letter == "c":
                self.call()
            elif letter == "f":
                if self.owes() == 0:
                    raise Bad("a fold with nothing to call")
                self.folded, self.over = self.pos, True
            elif letter == "b":
                digits = re.match(r"[1-9][0-9]*", text[at:])
                if not digits:
                    raise Bad("a bet without a size")
                at += digits.end()
                self.bet(int(digits.group()))
            else:
                raise Bad(f"{letter!r} is not an action")
        if self.closed and self.all_in() and not self.over:
            raise Bad("after a called all-in slashes are missing")

    def owes(self):
        return self.total[1 - self.pos] - self.total[self.pos]

    def all_in(self):
        return self.total == [STACK, STACK]

    def check(self):
        if self.owes() != 0:
            raise Bad("a check where there is a bet")
        self.end_street() if self.checked else self.pass_on(True)

    def call(self):
        if self.owes() <= 0:
            raise Bad("a call with nothing to call")
        self.total[self.pos] = self.total[1 - self.pos]
        limp = self.street == 0 and self.total == [BIG, BIG] and not self.checked and self.pos == 1
        self.pass_on(True) if limp else self.end_street()

    def bet(self, to):
        size = self.before + to - self.total[1 - self.pos]
        least = max(BIG, self.raised_by)
        if self.before + to > STACK:
            raise Bad("a bet above the stack")
        if size < least and self.before + to != STACK or size <= 0:
            raise Bad("a bet below the minimum")
        if self.total[1 - self.pos] == STACK:
            raise Bad("a bet where there is nobody to call it")
        self.raised_by = size
        self.total[self.pos] = self.before + to
        self.pass_on(False)

    def pass_on(self, checked):
        self.checked, self.pos = checked, 1 - self.pos

    def end_street(self):
        if self.street == 3:
            self.over = True
        else:
            self.closed = True

    def next_street(self):
        self.street += 1
        self.before, self.raised_by, self.pos = self.total[0], BIG, 0
        self.checked = self.closed = False
        if self.all_in():
            self.closed, self.over = self.street < 3, self.street == 3


def strength(cards):
    """The best five of these cards, comparable."""
    def five(hand):
        ranks = sorted((RANKS.index(card[0]) for card in hand), reverse=True)
        counts = collections.Counter(ranks)
        order = sorted(ranks, key=lambda rank: (-counts[rank], -rank))
        shape = sorted(counts.values(), reverse=True)
        flush = len({card[1] for card in hand}) == 1
        straight = len(counts) == 5 and (ranks[0] - ranks[4] == 4 or ranks == [12, 3, 2, 1, 0])
        if straight and ranks[0] == 12 and ranks[1] == 3:
            order = [3, 2, 1, 0, -1]
        kind = (8 if straight and flush else 7 if shape[0] == 4 else 6 if shape == [3, 2] else
                5 if flush else 4 if straight else 3 if shape[0] == 3 else
                2 if shape == [2, 2, 1] else 1 if shape[0] == 2 else 0)
        return kind, order
    return max(five(hand) for hand in itertools.combinations(cards, 5))


def check_end(answer):
    """The chips of a finished hand, from its cards and betting."""
    betting = Betting(answer["action"])
    assert betting.over, answer
    pos = answer["client_pos"]
    pot = sum(betting.total)
    if betting.folded is not None:
        won = -betting.total[pos] if betting.folded == pos else betting.total[1 - pos]
    else:
        assert len(answer["board"]) == 5, answer
        mine = strength(answer["hole_cards"] + answer["board"])
        theirs = strength(answer["bot_hole_cards"] + answer["board"])
        won = betting.total[0] * ((mine > theirs) - (mine < theirs))
    assert answer["winnings"] == won, (won, answer)
    assert answer["won_pot"] == pot * ((won > 0) - (won < 0)), answer


def check_cards(answer):
    """Cards are distinct and in the order in which the site shows them."""
    key = lambda card: (RANKS.index(card[0]), SUITS.index(card[1]))
    hole, board = answer["hole_cards"], answer["board"]
    for group in (hole, board[:3], answer.get("bot_hole_cards", [])):
        assert group == sorted(group, key=key, reverse=True), answer
    shown = hole + board + answer.get("bot_hole_cards", [])
    assert len(set(shown)) == len(shown), answer


class Client:
    """In the manner of the site's sample client."""

    def __init__(self, address, prefix):
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.prefix, self.token = prefix, None

    def post(self, endpoint, data):
        self.connection.request("POST", f"{self.prefix}/{endpoint}", json.dumps(data), HEADERS)
        response = self.connection.getresponse()
        body = response.read().decode()
        assert response.status == 200, (response.status, body)
        answer = json.loads(body)
        self.token = answer.get("token") or self.token
        return answer, body

    def new_hand(self):
        return self.post("new_hand", {"token": self.token} if self.token else {})

    def act(self, incr):
        return self.post("act", {"token": self.token, "incr": incr})


def choose(rng, answer):
    """A legal action by the rules as they are known here."""
    betting = Betting(answer["action"])
    assert betting.pos == answer["client_pos"], answer
    owes, rest = betting.owes(), STACK - betting.total[betting.pos]
    choices = ["c", "c", "f"] if owes else ["k", "k"]
    if owes < rest and betting.total[1 - betting.pos] < STACK:
        # By how much a raise goes beyond the other player's chips.
        least, most = max(BIG, betting.raised_by), rest - owes
        size = rng.choice([least, 2 * least, rng.randint(min(least, most), most), most])
        choices.append(f"b{betting.total[1 - betting.pos] - betting.before + min(size, most)}")
    return rng.choice(choices)


def play_as_the_sample(address, prefix, hands, seed):
    rng = random.Random(seed)
    client = Client(address, prefix)
    total = baseline = 0
    for hand in range(hands):
        answer, _ = client.new_hand()
        assert answer["client_pos"] == hand % 2 and answer["old_action"] == "", answer
        assert ("token" in answer) == (hand == 0), answer
        while answer.get("winnings") is None:
            assert "error_msg" not in answer, answer
            check_cards(answer)
            old, incr = answer["action"], choose(rng, answer)
            answer, _ = client.act(incr)
            assert answer.get("old_action") == old, answer
            assert answer["action"].startswith(old + incr), answer
        check_cards(answer)
        check_end(answer)
        total += answer["winnings"]
        baseline += answer["baseline_winnings"]
        assert answer["session_num_hands"] == hand + 1, answer
        assert (answer["session_total"], answer["session_baseline_total"]) == (total, baseline), answer
    return total


# The patterns by which a shell client takes answers apart.
OPEN = re.compile(r'"action":"([^"]*)","client_pos":([01]),"hole_cards":\["..",".."\],"board":\[[^]]*\]')
OVER = re.compile(
    OPEN.pattern + r',"bot_hole_cards":\["..",".."\],"winnings":(-?\d+),"won_pot":(-?\d+),'
    r'"session_num_hands":(\d+),"baseline_winnings":(-?\d+),"session_total":(-?\d+),'
    r'"session_baseline_total":(-?\d+)')
TOKEN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def play_as_a_shell(address, hands):
    client = Client(address, "/api")
    _, body = client.new_hand()
    token = body[-38:-2]
    assert TOKEN.fullmatch(token) and body.endswith(f'"token":"{token}"}}'), body
    for hand in range(hands):
        if hand > 0:
            _, body = client.post("new_hand", {"token": token})
        while not OVER.search(body):
            found = OPEN.search(body)
            assert found, body
            last = re.sub(r"\d", "", found.group(1))[-1:]
            _, body = client.post("act", {"token": token, "incr": "c" if last in ("", "b") else "k"})
        assert OVER.search(body).group(5) == str(hand + 1), body
        assert " " not in body and "\n" not in body, body


def main():
    cardroom = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/cardroom.toml", "w", encoding="utf-8") as config:
            config.write('tables = []\n[slumbot]\nagent = "random"\n')
        with programs.serving(cardroom, folder) as (_, url):
            address = url.removeprefix("http://")
            totals = [play_as_the_sample(address, prefix, 400, seed)
                      for seed, prefix in enumerate(("/api", "/slumbot/api"))]
            play_as_a_shell(address, 100)
    print(f"900 hands as clients play them, all worth what they should be; results {totals}")


if __name__ == "__main__":
    main()
