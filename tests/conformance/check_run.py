"""Starts runs with a real browser: headless Chromium.

usage: check_run.py CARDROOM [FOLDER]

Starts `CARDROOM serve` and opens its page /run in a window of each size: a command is put together from the form, what is wrong with
it is said in the words of the command, a match is started by keyboard, watched, stopped and taken up again, another waits and is
cancelled, and a tournament is played to its table, whose cells lead to matches. What the page says must be what the commands say.
Fails when the browser reports an error or a violation of the content policy, when anything but the server is asked for, when a text
has too little contrast, or when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import json
import os
import shlex
import subprocess
import tempfile
import urllib.request

import chromium
import programs

CONFIG = """
tables = []
[slumbot]
enabled = false
[run]
threads = 1
"""
STATE = "document.querySelector('.run .tag')?.innerText"


def fetch(address, path):
    with urllib.request.urlopen(address + path) as answer:
        return json.load(answer)


class Page(chromium.Window):
    """The page in one window."""

    def __init__(self, browser, address, window, folder, cardroom, work):
        super().__init__(browser, window, folder, "run")
        self.address, self.cardroom, self.work = address, cardroom, work

    def checked(self, part):
        """The command as the server completes it, once it has this part."""
        self.has(f"document.getElementById('checked').innerText.includes({json.dumps(part)}) && !document.getElementById('start').disabled", part)
        return self.text("#checked code")

    def choose(self, name, value):
        self.value(f"""(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input', {{ bubbles: true }})) }})(
            document.getElementById({json.dumps(name)}))""")

    def kind(self, name):
        self.click(f"#order [name=what][value={name}]")
        self.has(f"document.querySelector('#order [name=what][value={name}]').checked", name)

    def agents(self, *names):
        for place, name in enumerate(names):
            self.value(f"""(e => {{ e.value = {json.dumps(name)}; e.dispatchEvent(new Event('input', {{ bubbles: true }})) }})(
                document.querySelectorAll('#agents input')[{place}])""")

    def start(self):
        """Starts it by keyboard; the newest run."""
        before = len(fetch(self.address, "/api/v1/run")["runs"])
        self.value("document.getElementById('start').focus()")
        self.browser.press("Enter")
        self.has(f"document.querySelectorAll('.run').length === {before + 1}", "a run in the list")
        return fetch(self.address, "/api/v1/run")["runs"][0]

    def match(self, seed):
        self.browser.load(f"{self.address}/run", "document.querySelectorAll('#agents input').length === 2")
        self.checked("match cfr oct")
        self.picture("form")
        # What the command says is said here.
        self.choose("hands", "333")
        self.has("!document.getElementById('wrong').hidden && document.getElementById('wrong').innerText.includes('duplicate groups')", "odd hands refused")
        assert self.value("document.getElementById('start').disabled")
        self.picture("wrong")
        self.agents("equity", "random")
        self.choose("hands", "2000000")
        self.choose("seed", str(seed))
        shown = self.checked("equity random --hands 2000000")
        run = self.start()
        assert run["command"] == shown, (run, shown)
        self.has(f"{STATE} === 'running' && !!document.querySelector('.run progress') && /of 2,000,000 hands/.test(document.querySelector('.run .far').innerText) && !!document.querySelector('.run .moves a')", "progress")
        # Another one waits, and is cancelled.
        self.agents("call", "fold")
        self.choose("hands", "200")
        self.checked("call fold")
        waiting = self.start()
        self.has(f"{STATE} === 'waits, next'", "a run that waits")
        self.picture("running")
        self.click(f'[data-run="{waiting["id"]}"][data-do=stop]')
        self.has(f"{STATE} === 'stopped'", "cancelled")
        link = self.value(f"""document.querySelector('[data-run="{run["id"]}"]').closest('.run').querySelector('.moves a').getAttribute('href')""")
        assert link.startswith("/matches/equity-vs-random"), link
        # Stopped by keyboard, it can be taken up again.
        self.value(f"""document.querySelector('[data-run="{run["id"]}"][data-do=stop]').focus()""")
        self.browser.press("Enter")
        self.has(f"""[...document.querySelectorAll('[data-run="{run["id"]}"]')].some(e => e.dataset.do === 'resume')""", "stopped")
        self.picture("stopped")
        self.browser.load(f"{self.address}/run/{run['id']}", "document.querySelector('.run .command')")
        assert self.text(".command code") == shown
        self.picture("one")
        self.click('[data-do=resume]')
        self.has(f"document.querySelector('h1 .tag')?.innerText === 'running'", "taken up again")
        self.click('[data-do=stop]')
        self.has(f"document.querySelector('h1 .tag')?.innerText === 'stopped'", "stopped again")
        self.click('[data-do=forget]')
        self.has("location.pathname === '/run'", "removed")

    def tournament(self, seed):
        self.browser.load(f"{self.address}/run", "document.querySelectorAll('#agents input').length === 2")
        self.kind("tournament")
        self.click("#another")
        self.click("#another")
        self.agents("equity", "random", "call", "fold")
        self.choose("hands", "2000")
        self.choose("seed", str(seed))
        self.checked("equity random call fold --hands 2000")
        run = self.start()
        self.has("!!document.querySelector('.run .moves a')", "a link to the table")
        run = fetch(self.address, f"/api/v1/run/{run['id']}")
        self.browser.load(self.address + run["page"], "document.querySelector('main progress')")
        self.has("document.querySelector('main p.soft').innerText === 'finished'", "the end of the tournament")
        name = run["page"].rsplit("/", 1)[1]
        view = fetch(self.address, f"/api/v1/tournaments/{name}")
        words = shlex.split(run["command"])
        printed = subprocess.run([self.cardroom, *words[1:], "--json"], cwd=self.work, check=True, capture_output=True, text=True)
        assert json.loads(printed.stdout)["crosstable"] == view["crosstable"]
        assert self.value("document.querySelectorAll('section td a').length") == 12 + 6
        groups = [standing["letters"] for standing in view["standings"]]
        assert self.value("[...document.querySelectorAll('section:first-of-type tbody tr td:nth-child(2)')].map(e => e.innerText)") == groups
        self.picture("tournament")
        self.click("section td a")
        self.has("location.pathname.startsWith('/matches/') && !!document.querySelector('h1')?.innerText.includes('-vs-')", "a match")
        self.browser.load(f"{self.address}/run/{run['id']}", "document.querySelector('.output')")
        self.has("document.querySelector('h1 .tag')?.innerText === 'finished'", "finished")
        self.picture("one-tournament")

    def evaluation(self):
        self.browser.load(f"{self.address}/run", "document.querySelectorAll('#agents input').length === 2")
        self.kind("evaluate")
        self.choose("measure", "best-response")
        self.choose("measured", "equity")
        self.choose("game", "kuhn.limit.2p")
        self.checked("best-response equity --game kuhn.limit.2p")
        self.picture("evaluation")
        if self.window == "desktop":
            run = self.start()
            self.has(f"{STATE} === 'finished'", "the result")
            found = fetch(self.address, f"/api/v1/run/{run['id']}")["output"]
            words = shlex.split(run["command"])
            printed = subprocess.run([self.cardroom, *words[1:]], cwd=self.work, check=True, capture_output=True, text=True)
            assert printed.stdout == found, (printed.stdout, found)


def main():
    cardroom, pictures = chromium.arguments()
    cardroom = os.path.abspath(cardroom)
    with (tempfile.TemporaryDirectory() as work, programs.serving(cardroom, work, CONFIG) as (_, address),
          chromium.running() as browser):
        for seed, window in enumerate(chromium.WINDOWS):
            page = Page(browser, address, window, pictures, cardroom, work)
            page.match(seed)
            page.tournament(seed)
            page.evaluation()
        # Commands that are refused are answered with 400, which the browser reports.
        refused = f"{address}/api/v1/run/check"
        browser.events = [event for event in browser.events if event["params"].get("entry", {}).get("url") != refused]
        browser.check_events(address)
    print(f"runs started and stopped in {len(chromium.WINDOWS)} windows; pictures in {pictures}")


main()
