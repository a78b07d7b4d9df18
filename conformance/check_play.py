"""Plays at the server's table with a real browser: headless Chromium, by keyboard.

usage: check_play.py CARDROOM [FOLDER]

Starts `CARDROOM serve` and plays ten hands in a window of a desktop's size and ten in one of a phone's,
with keys only. Fails when the result on the page is not the one in the server's ledger, when the agent's
cards reach the browser before the hand is over, when a hand does not go on after a reload, when the
browser reports an error or a violation of the content policy, when anything but the server is asked for,
or when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import base64
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

CHROMIUM = next((p for p in ("chromium", "chromium-browser", "google-chrome") if shutil.which(p)), None)
HANDS = 10
WINDOWS = {"desktop": (1280, 900, False), "phone": (360, 740, True)}
# Longer than anything takes on a busy machine.
PATIENCE = 60
CONFIG = """
tables = []
[slumbot]
agent = "equity"
"""
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "ArrowUp": (38, "")}


class Browser:
    """A browser over its debugging pipe: messages are JSON, each ended by a zero byte."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
                   # The names of all other hosts lead nowhere.
                   "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", f"--user-data-dir={profile}"]
        # The browser reads from 3 and writes to 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", *command], stderr=subprocess.DEVNULL,
                                        pass_fds=(to_browser, from_browser))
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.last, self.session, self.events = b"", 0, None, []

    def receive(self):
        while b"\0" not in self.buffer:
            more = os.read(self.into, 1 << 16)
            assert more, "the browser is gone"
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def do(self, method, **params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.last:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open_tab(self):
        self.session = None
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def value(self, script):
        result = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (script, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, script, what):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            value = self.value(script)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"never {what}; the page says: {self.value('document.body.innerText')}")

    def press(self, key):
        code, text = KEYS[key] if key in KEYS else (ord(key.upper()), key)
        event = {"key": key, "text": text, "windowsVirtualKeyCode": code}
        self.do("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event)
        self.do("Input.dispatchKeyEvent", type="keyUp", **event)

    def close(self):
        self.session = None
        self.do("Browser.close")
        self.process.wait(timeout=PATIENCE)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Table:
    """The page in one window."""

    def __init__(self, browser, address, window, folder):
        self.browser, self.address, self.window, self.folder = browser, address, window, folder
        width, height, mobile = WINDOWS[window]
        browser.open_tab()
        browser.do("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=mobile,
                   deviceScaleFactor=2 if mobile else 1)
        if mobile:
            browser.do("Emulation.setTouchEmulationEnabled", enabled=True)
        self.load()

    def load(self):
        self.browser.do("Page.navigate", url=self.address + "/play")
        self.browser.wait("document.readyState === 'complete' && !!document.querySelector('[data-key]')", "loaded")
        self.settle()

    def settle(self):
        idle = "!document.querySelector('.game').hasAttribute('aria-busy')"
        self.browser.wait(f"{idle} && document.querySelector('[data-key]') && true", "idle")

    def picture(self, name):
        """Pictures in light and dark; the page must not be wider than the window in either."""
        browser = self.browser
        for scheme in ("light", "dark"):
            browser.do("Emulation.setEmulatedMedia",
                       features=[{"name": "prefers-color-scheme", "value": scheme}])
            wide = browser.value("document.documentElement.scrollWidth") - WINDOWS[self.window][0]
            assert wide <= 0, f"{self.window}, {name}: {wide} px too wide"
            size = browser.do("Page.getLayoutMetrics")["cssContentSize"]
            shot = browser.do("Page.captureScreenshot", captureBeyondViewport=True,
                              clip={**size, "scale": 1})["data"]
            path = os.path.join(self.folder, f"play-{name}-{self.window}-{scheme}.png")
            with open(path, "wb") as file:
                file.write(base64.b64decode(shot))

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


def check_events(browser, address):
    """Nothing from elsewhere was asked for, and nothing went wrong in the page."""
    of_page = re.compile(r"^(%s/|about:|data:)" % re.escape(address))
    for event in browser.events:
        method, params = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            assert of_page.match(url), f"the page asks for {url}"
        assert method != "Runtime.exceptionThrown", params
        if method == "Runtime.consoleAPICalled":
            assert params["type"] not in ("error", "warning", "assert"), params
        if method == "Log.entryAdded":
            assert params["entry"]["level"] not in ("error", "warning"), params["entry"]


def main():
    cardroom = os.path.abspath(sys.argv[1])
    pictures = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp()
    os.makedirs(pictures, exist_ok=True)
    if CHROMIUM is None:
        print("not checked: no chromium on this machine")
        return
    with (tempfile.TemporaryDirectory() as work,
          tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile):
        with open(os.path.join(work, "cardroom.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIG)
        server = subprocess.Popen([cardroom, "serve", "--bind", "127.0.0.1:0", "--log", "warn"], cwd=work,
                                  stdout=subprocess.PIPE, text=True)
        browser = Browser(profile)
        try:
            address = server.stdout.readline().split()[-1]
            totals = []
            for window in WINDOWS:
                totals.append(Table(browser, address, window, pictures).play())
            check_events(browser, address)
            browser.close()
            ledger = recorded(work)
            shown = [(HANDS, total) for total in totals]
            assert ledger == shown, f"by the ledger {ledger}, on the page {shown}"
            print(f"{HANDS} hands in each of {len(WINDOWS)} windows, results {totals}; pictures in {pictures}")
        finally:
            browser.end()
            server.send_signal(signal.SIGTERM)
            code = server.wait(timeout=PATIENCE)
        assert code == 0, f"the server ended with {code}"


main()
