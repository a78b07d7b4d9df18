"""Plays at the server's table with a real browser: headless Chromium, by keyboard.

usage: check_play.py CARDROOM [FOLDER]

Starts `CARDROOM serve` and plays ten hands in a window of a desktop's size and ten in one of a phone's,
with keys only. Fails when the result on the page is not the one in the server's ledger, when the agent's
cards reach the browser before the hand is over, when a hand does not go on after a reload, when the
browser reports an error or a violation of the content policy, when anything but the server is asked for,
or when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import os
import random
import sqlite3
import tempfile

import chromium
import programs

HANDS = 10
WINDOWS = {"desktop": (1280, 900, False), "phone": (360, 740, True)}
CONFIG = """
tables = []
[slumbot]
agent = "equity"
"""


class Table:
    """The page in one window."""

    def __init__(self, browser, address, window, folder):
        self.browser, self.address, self.window, self.folder = browser, address, window, folder
        browser.open_tab(*WINDOWS[window])
        self.load()

    def load(self):
        self.browser.load(self.address + "/play", "document.querySelector('[data-key]')")
        self.settle()

    def settle(self):
        idle = "!document.querySelector('.game').hasAttribute('aria-busy')"
        self.browser.wait(f"{idle} && document.querySelector('[data-key]') && true", "idle")

    def picture(self, name):
        self.browser.pictures(os.path.join(self.folder, f"play-{name}-{self.window}"))

    def keys(self):
        return self.browser.value("[...document.querySelectorAll('#table [data-key]')].map(b => b.dataset.key)")

    def press(self, *keys):
        for key in keys:
            self.browser.press(key)
        self.settle()

    def over(self):
        return self.browser.value("!!document.querySelector('#table .end')")

    def cards_down(self):
        return self.browser.value("document.querySelectorAll('#table .back').length")

    def act(self, choose):
        """One action by keyboard."""
        keys = self.keys()
        can_raise = self.browser.value("!!document.getElementById('amount')")
        point = choose.random()
        if can_raise and point < 0.25:
            least = self.browser.value("Number(document.getElementById('amount').dataset.min)")
            most = self.browser.value("Number(document.getElementById('amount').dataset.max)")
            self.press("b", *str(min(least + choose.randrange(300), most)), "Enter")
        elif can_raise and point < 0.3:
            self.press("b", "p", "Enter")
        elif "f" in keys and point > 0.95:
            self.press("f")
        else:
            self.press("c" if "c" in keys else "k")

    def hand(self, number, choose):
        # Every way to begin the next hand.
        self.press(("n", "Enter", " ")[number % 3])
        while not self.over():
            assert self.cards_down() == 2, "the agent's cards are to be face down"
            if number == 3:
                before = self.browser.value("document.getElementById('table').innerText")
                self.load()
                after = self.browser.value("document.getElementById('table').innerText")
                assert before == after, f"after a reload:\n{after}\nbefore:\n{before}"
            if number in (0, 1):
                self.picture(f"turn-{number}")
            self.act(choose)
            wrong = self.browser.value("document.getElementById('wrong').textContent")
            assert not wrong, wrong
        assert self.cards_down() == 0, "the agent's cards are to be shown"

    def play(self):
        self.picture("empty")
        choose = random.Random(self.window)
        for number in range(HANDS):
            self.hand(number, choose)
        hands = f"document.querySelector('#total')?.dataset.hands === '{HANDS}'"
        self.browser.wait(hands, f"a result of {HANDS} hands")
        total = int(self.browser.value("document.getElementById('total').dataset.total"))
        shown = self.browser.value("document.querySelectorAll('.hands li').length")
        assert shown == HANDS, f"{shown} hands are listed"
        assert self.browser.value("!!document.querySelector('svg.course')"), "there is no curve"
        decisions = self.browser.value("document.querySelectorAll('.decision').length")
        taken = self.browser.value("document.querySelectorAll('.decision .taken').length")
        assert decisions == taken, f"{decisions} decisions, {taken} actions marked"
        self.browser.value("document.querySelector('.hands details').open = true")
        self.picture("over")
        # A key that means nothing now is answered in words.
        self.press("f")
        assert self.browser.value("!document.getElementById('wrong').hidden"), "a useless key is passed over"
        # Another session for the next window.
        self.browser.value("localStorage.clear()")
        return total


def recorded(work):
    """Hands and what the client won in them by the server's ledger, session by session, in chips."""
    ledger = sqlite3.connect(os.path.join(work, "data/matches/slumbot-equity/ledger.sqlite"))
    return ledger.execute("SELECT count(*), sum(chips) FROM results WHERE entrant = 0 "
                          "GROUP BY deal >> 32 ORDER BY deal >> 32").fetchall()


def main():
    cardroom, pictures = chromium.arguments()
    with tempfile.TemporaryDirectory() as work, programs.serving(cardroom, work, CONFIG) as (_, address):
        with chromium.running() as browser:
            totals = [Table(browser, address, window, pictures).play() for window in WINDOWS]
            browser.check_events(address)
        ledger = recorded(work)
        shown = [(HANDS, total) for total in totals]
        assert ledger == shown, f"by the ledger {ledger}, on the page {shown}"
        print(f"{HANDS} hands in each of {len(WINDOWS)} windows, results {totals}; pictures in {pictures}")


main()
