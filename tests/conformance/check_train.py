"""Trains with a real browser: headless Chromium, by mouse and by keyboard.

usage: check_train.py CARDROOM [FOLDER]

Starts `CARDROOM serve`, has a river spot solved, and in a window of each size answers ten decisions of all-in or fold, one of the
last bet, a hand against the solution, one by rules, a hand against an agent and one of a match, by keys; then makes a sheet,
gives it to a class and answers its questions. Fails when a price on the page is not that of the server's interface or of
`CARDROOM solve shove-fold`, when what was answered is not counted, when an exercise does not come again by its address, when a
wrong place is not answered in words, when the browser reports an error or a violation of the content policy, when anything but
the server is asked for, when a text has too little contrast, or when the page is wider than the window, in light or dark.
Pictures are left in FOLDER.
"""

import json
import re
import subprocess
import tempfile
import time
import urllib.request

import chromium
import programs

CONFIG = """
tables = []
[slumbot]
enabled = false
"""
RANGE = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
SPOT = {"board": "Ks8h3d7cTs", "pot": 120, "stacks": [300], "ranges": [RANGE, RANGE], "until": "0.1%",
        "menus": ["river 1: 33% 75% allin; river 2+: allin"]}
STACK = 8


def ask(address, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def solved(address):
    """The name of a river that is solved."""
    made = ask(address, "/api/v1/study/solutions", SPOT)["id"]
    while ask(address, f"/api/v1/study/solutions/{made}")["state"] != "solved":
        time.sleep(0.1)
    return made


def ranges(cardroom):
    """How often each starting hand moves all-in, and calls, by the command."""
    words = [cardroom, "--json", "--quiet", "solve", "shove-fold", "--stack", str(STACK)]
    report = json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    [solved] = report["stacks"]
    return {hand: (jam, solved["call"][hand]) for hand, jam in solved["jam"].items()}


def starting_hand(cards):
    """The name of two cards, the higher of which is first: AKs."""
    pair, suited = cards[0] == cards[2], cards[1] == cards[3]
    return cards[0] + cards[2] + ("" if pair else "s" if suited else "o")


class Page(chromium.Window):
    """The page in one window."""

    def __init__(self, browser, address, window, folder):
        super().__init__(browser, window, folder, "train")
        self.address = address

    def exercise(self):
        """The exercise that is shown, as the server's interface has it."""
        query = dict(re.findall(r"(\w+)=([^&]*)", self.value("location.search")))
        what = query.pop("what")
        made = query.pop("id", None)
        query.pop("length", None)
        named = {"spot": f"/api/v1/study/solutions/{made}/exercise", "match": f"/api/v1/matches/{made}/exercise"}
        path = named.get(what, f"/api/v1/exercises/{what}")
        return ask(self.address, f"{path}?" + "&".join(f"{name}={value}" for name, value in query.items()))

    def ready(self, what):
        self.has("document.querySelectorAll('#answers button').length > 1 && !document.querySelector('#answers button:disabled')", what)

    def verdict(self, exercise, at):
        """What the page says about an answer is what the server does."""
        answer = exercise["answers"][at]
        self.has("!document.getElementById('priced').hidden", "a price")
        digits = 2 if exercise["unit"] == "chips" else 3
        rows = self.value("[...document.querySelectorAll('#priced tbody tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))")
        for row, expected in zip(rows, exercise["answers"], strict=True):
            assert row[0].split(",")[0].strip() == expected["name"], (row, expected)
            assert row[1] == f"{100 * expected['share']:.0f} %", (row, expected)
            for text, number in zip(row[2:4], (expected["value"], expected["price"])):
                assert abs(float(text) - number) <= 0.51 * 10 ** -digits, (row, expected)
        said = self.text("#verdict")
        assert said.lower().startswith(answer["grade"]), (said, answer)

    def shove_or_fold(self, expected):
        self.browser.load(f"{self.address}/train?what=shove-or-fold&seed=5&stack={STACK}", "document.querySelectorAll('#answers button').length === 2")
        self.value("localStorage.clear()")
        first = self.text("#about")
        assert not self.value("document.getElementById('from').checkVisibility()"), "choices of another kind are shown"
        self.picture("question")
        for number in range(10):
            self.ready(f"question {number}")
            exercise = self.exercise()
            small = exercise["player"] == 1
            played = expected[starting_hand(exercise["cards"])][0 if small else 1]
            assert abs(exercise["answers"][1]["share"] - played) < 1e-6, (exercise, played)
            # Half of the answers are as wrong as can be.
            costs = [answer["price"] for answer in exercise["answers"]]
            at = costs.index(min(costs) if number % 2 else max(costs))
            self.browser.press(str(at + 1))
            self.verdict(exercise, at)
            if number == 0:
                self.picture("answered")
            self.browser.press("Enter")
        self.ready("another question")
        assert "10 answers" in self.text("#so-far"), self.text("#so-far")
        counts = self.value("[...document.querySelectorAll('#grades .count')].map(e => Number(e.innerText))")
        assert sum(counts) == 10, counts
        # The same address asks the same.
        self.browser.load(f"{self.address}/train?what=shove-or-fold&seed=5&stack={STACK}", "document.querySelectorAll('#answers button').length === 2")
        assert self.text("#about") == first
        assert "10 answers" in self.text("#so-far"), "what was answered is not kept"

    def last_bet(self):
        self.click("[name=what][value=last-bet]")
        self.has("location.search.includes('last-bet') && document.querySelectorAll('#shares li').length === 20", "ten cards for each")
        self.ready("the last bet")
        exercise = self.exercise()
        self.picture("last-bet")
        self.click("#answers button:nth-child(2)")
        self.verdict(exercise, 1)
        for _ in range(10):
            self.browser.press("Enter")
            self.ready("the next")
            self.browser.press("1")
            self.has("!document.getElementById('priced').hidden", "a price")
        assert "21 answers" in self.text("#so-far"), self.text("#so-far")
        self.has("!!document.querySelector('#trend svg polyline')", "a trend")

    def spot(self, made):
        self.browser.load(f"{self.address}/train?what=spot&id={made}&length=hand&seed=3&player=1", "document.querySelectorAll('#answers button').length > 1")
        exercise = self.exercise()
        assert exercise["player"] == 1 and exercise["board"] == SPOT["board"], exercise
        self.picture("spot")
        self.browser.press("1")
        self.verdict(exercise, 0)
        self.picture("spot-answered")
        for _ in range(4):
            self.browser.press("Enter")
            self.has("!document.getElementById('next').disabled", "an answer")
            if self.value("document.querySelectorAll('#answers button').length === 0"):
                break
            self.browser.press("2")
            self.has("!document.getElementById('next').hidden", "a price")
        self.has("document.getElementById('verdict').innerText.includes('of the pot') || document.getElementById('verdict').innerText.includes('nothing')", "the end")
        self.picture("spot-end")
        link = self.value("document.getElementById('study-link').href")
        assert f"/study/{made}?line=" in link, link
        # A place that is none is answered in words, and the next one works.
        self.value("document.getElementById('from').value = 'b7'; document.getElementById('from').dispatchEvent(new Event('change', { bubbles: true }))")
        self.has("!document.getElementById('wrong').hidden && document.getElementById('wrong').innerText.includes('b7')", "named the mistake")
        self.value("document.getElementById('from').value = 'x'; document.getElementById('from').dispatchEvent(new Event('change', { bubbles: true }))")
        self.has("document.getElementById('wrong').hidden", "corrected")

    def rules(self):
        self.browser.load(f"{self.address}/train?what=rules&seed=7&list=novice&street=flop", "document.querySelectorAll('#answers button').length > 1")
        exercise = self.exercise()
        assert "one street" in self.text("#about"), self.text("#about")
        self.browser.press("1")
        self.verdict(exercise, 0)
        assert exercise["rule"] in self.text("#verdict"), self.text("#verdict")
        self.picture("rules-answered")

    def hand(self):
        self.browser.load(f"{self.address}/train?what=hand&length=hand&seed=11&agent=oct&position=button", "document.querySelectorAll('#answers button').length > 1")
        asked = 0
        while self.value("document.querySelectorAll('#answers button').length > 0"):
            exercise = self.exercise() if asked == 0 else None
            words = self.value("[...document.querySelectorAll('#answers button')].map(button => button.innerText)")
            at = next(at for at, word in enumerate(words) if word.startswith(("call", "check")))
            self.browser.press(str(at + 1))
            if exercise:
                self.verdict(exercise, at)
                self.picture("hand-answered")
            self.has("!document.getElementById('next').hidden", "a price")
            asked += 1
            self.browser.press("Enter")
            self.has("!document.getElementById('next').disabled && document.querySelectorAll('#answers button:disabled').length === 0", "the next")
        assert asked > 1 and "big blinds" in self.text("#verdict"), self.text("#verdict")
        self.picture("hand-end")

    def match(self):
        self.browser.load(f"{self.address}/train?what=match&id=a&seed=3&player=bob&agent=cfr&of=all", "document.querySelectorAll('#answers button').length > 1")
        assert self.value("document.getElementById('match-player').value") == "bob"
        exercise = self.exercise()
        self.browser.press("1")
        self.verdict(exercise, 0)
        assert "When the hand was played" in self.text("#verdict"), self.text("#verdict")
        assert self.value("document.getElementById('hand-link').getAttribute('href')") == exercise["hand"]
        self.picture("match-answered")
        self.click("#forget")
        assert self.text("#so-far") == "Nothing answered yet."

    def sheet(self, made):
        """What is trained as a sheet, with its answers, given to a class that answers it by its page."""
        self.browser.load(f"{self.address}/train?what=spot&id={made}&length=one&seed=21&player=1", "document.querySelectorAll('#answers button').length > 1")
        self.value("document.getElementById('sheet').click()")
        self.has("location.pathname === '/train/sheet' && document.querySelectorAll('.key .prices').length === 12", "a sheet of twelve")
        self.value("document.querySelector('input[name=count]').value = 3")
        self.click(".acts form .plain")
        self.has("document.querySelectorAll('.key .prices').length === 3", "a sheet of three")
        assert "Range of player 1" in self.text(".fact"), "a sheet without ranges"
        self.picture("sheet")
        prices = self.value("[...document.querySelectorAll('.key .prices')].map(e => [...e.querySelectorAll('tbody tr')].map(e => e.children[2].innerText))")
        boxes = self.value("[...document.querySelectorAll('.boxes')].map(e => e.querySelectorAll('.box').length)")
        assert boxes == [len(each) for each in prices], boxes
        name = f"class-{self.window}"
        self.value(f"document.querySelector('input[name=class]').value = '{name}'")
        self.click(".acts form:nth-of-type(2) .plain")
        self.has(f"location.pathname === '/train/class/{name}'", "a class")
        self.value("document.querySelector('input[name=student]').value = 'Ada'")
        self.click("form .main")
        for number in range(3):
            self.has(f"document.querySelector('form.answers input[name=question]')?.value === '{number}'", f"question {number}")
            before = self.value("document.querySelector('form.answers').closest('section').innerText")
            assert "Costs" not in before and "best" not in before.lower(), before
            self.click("form.answers button")
            self.has(f"document.querySelector('section[aria-label=\"Your answer\"] h2')?.innerText === 'Question {number + 1}'", "answered")
            shown = self.value("[...document.querySelectorAll('.prices tbody tr')].map(e => e.children[2].innerText)")
            assert shown == prices[number], (shown, prices[number])
            if number == 0:
                self.picture("class")
        board = json.loads(self.value(f"fetch('/api/v1/classes/{name}').then(a => a.text())"))
        [line] = board["students"]
        self.has("document.querySelectorAll('[data-part=board] td.num')[1].innerText === '3 of 3'", "on the board")
        assert f"{100 * line['mean']:.2f} %" in self.text("[data-part=board]"), line


def main():
    cardroom, pictures = chromium.arguments()
    expected = ranges(cardroom)
    with (tempfile.TemporaryDirectory() as work, programs.serving(cardroom, work, CONFIG) as (_, address),
          chromium.running() as browser):
        made = solved(address)
        run = [cardroom, "match", "cfr", "oct", "--hands", "20", "--name", "ann", "--name", "bob", "--seed", "5", "--quiet"]
        subprocess.run([*run, "--out", f"{work}/data/matches/a"], check=True, capture_output=True)
        for window in chromium.WINDOWS:
            page = Page(browser, address, window, pictures)
            page.shove_or_fold(expected)
            page.last_bet()
            page.spot(made)
            page.rules()
            page.hand()
            page.match()
            page.sheet(made)
        wrong = re.compile(r"/exercise\?.*b7")
        browser.events = [event for event in browser.events if not wrong.search(event["params"].get("entry", {}).get("url", ""))]
        browser.check_events(address)
    print(f"decisions answered in {len(chromium.WINDOWS)} windows; pictures in {pictures}")


main()
