"""Studies a spot with a real browser: headless Chromium, by mouse and by keyboard.

usage: check_study.py CARDROOM [FOLDER]

Starts `CARDROOM serve`, puts a river spot together in a window of a desktop's size and in one of a phone's, has it solved,
and walks through the solution by keys and links. Fails when the numbers on the page are not those of `CARDROOM solve
subgame`, `solve river` and `solve simple`, when a mistake is not answered in words at its field, when a solve cannot be stopped and resumed, when the browser
reports an error or a violation of the content policy, when anything but the server is asked for, when a text has too
little contrast, or when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import json
import os
import re
import subprocess
import tempfile

import chromium
import programs

CONFIG = """
tables = []
[slumbot]
enabled = false
"""
BOARD = "Ks8h3d7cTs"
RANGE = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
MENU = "river 1: 33% 75% allin\nriver 2+: allin"
BIG = {"board": "Ks8h3d", "pot": 60, "stacks": [300], "ranges": [RANGE, RANGE], "until": "0.0001%",
       "menus": ["flop turn river 1: 50%; flop turn river 2+: allin"], "iterations": 100000}


class Page(chromium.Window):
    """The study in one window."""

    def __init__(self, browser, address, window, folder):
        super().__init__(browser, window, folder, "study")
        self.address = address

    def build(self):
        """A spot: the board by mouse, one range as text, the other painted."""
        self.browser.load(self.address + "/study", "document.querySelector('#paint-2 .cell') && document.getElementById('cost').textContent.includes('hands')")
        self.picture("form")
        self.click("#board-clear")
        self.has("document.getElementById('cost').textContent.includes('cards')", "asked for a board")
        for at in range(0, len(BOARD), 2):
            self.click(f"#deck [data-card='{BOARD[at:at + 2]}']")
        assert self.value("document.getElementById('board').value") == BOARD
        self.play()
        # A mistake in a range is answered at its field.
        self.fill("range-1", "22+,KX")
        self.has("document.getElementById('range-1').getAttribute('aria-invalid') === 'true'", "marked as wrong")
        self.has("document.getElementById('cost').textContent.includes('KX')", "named the mistake")
        assert self.value("document.getElementById('solve').disabled"), "a spot with a mistake could be solved"
        self.fill("range-1", RANGE)
        self.has("document.getElementById('range-1').getAttribute('aria-invalid') === 'false'", "read")
        self.fill("range-2", "")
        self.paint()
        self.fill("range-2", RANGE)
        self.fill("pot", "120")
        self.fill("stack-1", "300")
        self.fill("stack-2", "300")
        self.fill("menu-1", MENU)
        self.has("document.getElementById('cost').textContent.includes('33 nodes')", "said what it takes")

    def play(self):
        """Ranges, pot and stacks from the blueprint's play: a raise to 250 that is called."""
        self.click(".played summary")
        for name in ("raise to 250", "call"):
            find = f"[...document.querySelectorAll('#played-actions button')].find(e => e.innerText.startsWith('{name}'))"
            self.has(f"!!{find}", name)
            self.value(f"{find}.click()")
            self.has(f"document.getElementById('played-way').innerText.includes('{name}')", f"after {name}")
        self.has("document.getElementById('pot').value === '500' && document.getElementById('stack-1').value === '19750'", "filled in")
        self.has("['range-1', 'range-2'].every(id => document.getElementById(id).value.includes('A2s'))", "ranges of the blueprint")
        self.picture("played")
        self.click(".played summary")

    def paint(self):
        """Pairs with the mouse, and some hands by keys with weights."""
        self.has("document.querySelectorAll('#paint-2 .some').length === 0", "empty")
        places = self.value("""[...document.querySelectorAll('#paint-2 .cell')].slice(0, 3).map(e => {
            e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })""")
        self.mouse("mousePressed", *places[0])
        for place in places[1:]:
            self.mouse("mouseMoved", *place)
        self.mouse("mouseReleased", *places[-1])
        self.has("document.getElementById('range-2').value === 'AA,AQs+'", "painted as text")
        self.value("document.querySelector('#paint-2 .cell:nth-child(3)').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("5")
        self.has("document.getElementById('range-2').value === 'AA,AQs+,KQs:0.5'", "weighed by a key")
        self.browser.press(" ")
        self.browser.press(" ")
        self.has("document.getElementById('range-2').value === 'AA,AQs+'", "taken out by a key")

    def solve(self):
        self.picture("ready")
        self.value("document.getElementById('solve').focus()")
        self.browser.press("Enter")
        self.has("location.pathname.length > '/study/'.length && document.getElementById('state')?.textContent.startsWith('solved')", "solved")
        self.has("document.querySelectorAll('#actions .act').length === 4", "four actions")
        self.picture("root")

    def walk(self, report):
        """By keys to the answer to a bet, and back by a link."""
        bound = self.text("#bound-share")
        expected = f"{100 * report['result']['share_of_pot']:.2f} % of the pot"
        assert bound == expected, f"exploitable for {bound}, not {expected}"
        self.check_spot(report["spots"][0])
        self.browser.press("1")
        self.has("location.search === '?line=x'", "after a check")
        self.browser.press("2")
        self.has("location.search === '?line=x+b40' && document.querySelectorAll('#way .step').length === 3", "after a bet")
        self.has("!document.getElementById('walk').hasAttribute('aria-busy')", "idle")
        self.check_spot(report["spots"][1])
        for metric in ("gets", "equity", "realised", "weight", "difference", "strategy"):
            self.browser.press("m")
            self.has(f"document.querySelector('[data-metric={metric}]').getAttribute('aria-checked') === 'true'", metric)
            if metric == "gets":
                self.picture("ev")
        self.value("document.querySelector('#grid .cell').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowRight")
        assert self.text("#cell-name") == "KK", self.text("#cell-name")
        self.has("document.querySelector('#needs li:not(.over)')?.innerText.includes('of his line')", "what he must do")
        wins = [need["words"] for hand in report["river"]["decision"]["hands"] for need in hand["needs"]]
        shown = self.value("[...document.querySelectorAll('#needs li:not(.over)')].map(e => e.textContent)")
        assert shown == wins, f"on the page {shown}, by the command {wins}"
        self.picture("answer")
        self.browser.press("o")
        assert self.text("#who").startswith("Player 2"), self.text("#who")
        self.click("#way .step:nth-child(2) .option:nth-child(2)")
        self.has("location.search === '?line=x+x'", "at the end")
        self.has("document.getElementById('actions').textContent.includes('The end')", "the end")
        self.picture("end")
        self.value("history.back()")
        self.has("location.search === '?line=x+b40' && document.querySelectorAll('#actions .act').length === 3", "back")
        self.filter()
        self.browser.press("Backspace")
        self.has("location.search === '?line=x'", "one step back")
        self.browser.press("Backspace")
        self.has("location.search === ''", "at the beginning")
        # A link leads to the place.
        self.browser.load(self.address + self.value("location.pathname") + "?line=b90", "document.querySelectorAll('#way .step').length === 2")
        self.browser.load(self.address + self.value("location.pathname"), "document.querySelectorAll('#actions .act').length === 4")

    def filter(self):
        """By the class of the made hand; the grid and the actions follow."""
        whole = self.text("#actions .act .share")
        # What the other must do may still come in above, and move what a mouse would aim at.
        self.value("document.querySelector('.kind').click()")
        assert self.value("document.querySelector('.kind').getAttribute('aria-pressed')") == "true"
        self.has("document.getElementById('actions').textContent.includes('chosen below')", "filtered")
        assert self.text("#actions .act .share") != whole, "the actions do not follow the filter"
        made = self.value("[...new Set([...document.querySelectorAll('.all-hands td:nth-child(2)')].map(e => e.innerText))]")
        assert made == [self.text(".kind .what")], made
        self.value("document.querySelector('.all-hands th:last-child button').click()")
        weights = self.value("[...document.querySelectorAll('.all-hands td:last-child')].map(e => parseFloat(e.innerText))")
        assert weights == sorted(weights, reverse=True), weights
        self.picture("filter")
        self.value("document.querySelector('#hands header button').click()")
        self.has("!document.getElementById('actions').textContent.includes('chosen below')", "unfiltered")

    def lock(self):
        """A decision is locked, and the spot solved around it."""
        before = self.value("location.pathname")
        self.click(".lock summary")
        for at, share in enumerate((0, 100, 0, 0)):
            self.value(f"""(e => {{ e.value = {share}; e.dispatchEvent(new Event('input')) }})(document.querySelectorAll('.lock input')[{at}])""")
        self.click(".lock button")
        self.has(f"location.pathname !== '{before}' && document.getElementById('compare-gains')?.innerText.includes('the other solution')", "locked and compared")
        self.has("document.querySelector('#actions li:nth-child(2) .share').innerText === '100.0 %'", "the given strategy")
        self.picture("locked")
        self.compare(before)
        self.click("#locks li button")
        self.has(f"location.pathname === '{before}' && document.querySelectorAll('#actions .act').length", "unlocked")

    def compare(self, before):
        """What players get and do here and in the solution without the lock, at the beginning and after a check."""
        here, there = self.value("location.pathname").rsplit("/", 1)[1], before.rsplit("/", 1)[1]

        def ask(path):
            return json.loads(self.value(f"fetch('/api/v1/study/solutions/{path}').then(a => a.text())"))
        gets = [[player["gets"] for player in ask(name)["result"]["players"]] for name in (here, there)]
        said = self.text("#compare-gains")
        for player in (0, 1):
            change = gets[0][player] - gets[1][player]
            words = f"player {player + 1} gets {gets[0][player]:.2f}, {abs(change):.2f} {'less' if change < 0 else 'more'}"
            assert words in said, f"{words} is not in {said}"
        for line in ("", "x"):
            if line:
                self.click("#actions li:first-child .act")
                self.has("location.search === '?line=x'", "after a check")
            self.has(f"document.querySelectorAll('#compare-actions tbody tr').length > 0 && !document.getElementById('walk').hasAttribute('aria-busy')", "compared")
            places = [ask(f"{name}/place?line={line}") for name in (here, there)]
            share = [{action["name"]: action["frequency"] for action in place["actions"]} for place in places]
            rows = self.value("[...document.querySelectorAll('#compare-actions tbody tr')].map(e => [...e.children].map(e => e.innerText))")
            expected = [[name, f"{100 * share[0][name]:.1f} %", f"{100 * share[1][name]:.1f} %"] for name in share[0]]
            assert [row[:3] for row in rows] == expected, f"on the page {rows}, by the interface {expected}"
        # The difference of a cell is that of its hands' means.
        self.click("#compare-what .tab:first-child")
        name = self.text("#compare-what [aria-pressed=true]")
        means = []
        for place in places:
            view = place["hands"][place["way"][-1]["player"] - 1]
            number = [action["name"] for action in place["actions"]].index(name)
            hands = [at for at, hand in enumerate(view["hands"]) if hand[0] == hand[2] == "K"]
            weight = sum(view["weights"][at] for at in hands)
            means.append(sum(view["weights"][at] * view["strategy"][number][at] for at in hands) / weight)
        title = self.value("document.querySelectorAll('#compare-grid .cell')[14].title")
        assert title == f"KK: {name} here {100 * means[0]:.1f} %, there {100 * means[1]:.1f} %", f"{title} is not {means}"
        self.picture("compared")
        self.browser.press("Backspace")
        self.has("location.search === ''", "at the beginning")
        self.value("(e => { e.value = ''; e.dispatchEvent(new Event('change')) })(document.getElementById('compare-with'))")
        self.has("document.getElementById('compare-body').hidden", "not compared")

    def simplify(self, report):
        """What simpler strategies of a decision cost is what the command says."""
        self.browser.load(self.address + self.value("location.pathname") + "?line=x+b40", "document.querySelector('#simplify')")
        self.value("document.querySelector('#simplify').click()")
        self.browser.wait("!!document.querySelector('#simple .curves svg')", "priced", 60)
        shown = self.value("[...document.querySelectorAll('#simple tbody tr')].map(e => [...e.children].map(e => e.innerText))")
        expected = [[str(it["remember"]), f"{it['exploited']:.3f}"] for it in report["decision"]["strategies"]]
        assert [row[1:3] for row in shown] == expected, f"on the page {shown}, by the command {expected}"
        assert {"always fold", "always call"} <= {row[0] for row in shown}, f"{shown} is not in the words of poker"
        self.picture("simple")

    def river(self, report):
        """Which frequencies are real, and what simple strategies cost, are those of the commands."""
        self.browser.load(self.address + self.value("location.pathname") + "?line=x+b40", "document.querySelector('#analyse, #river .curves')")
        # It is worked out once for all windows.
        if self.value("!!document.querySelector('#analyse')"):
            self.value("document.querySelector('#analyse').click()")
        self.browser.wait("document.querySelectorAll('#river .curves svg').length === 2", "worked out", 600)
        shown = self.value("[...document.querySelectorAll('#river .player-part')].map(e => [...e.querySelectorAll('tbody tr')].map(e => [...e.children].map(e => e.innerText)))")
        expected = [[[str(it["remember"]), f"{it['exploited']:.3f}"] for it in found["strategies"]] for found in report["simple"]]
        assert [[row[1:3] for row in rows] for rows in shown] == expected, f"on the page {shown}, by the command {expected}"
        # The page has words of poker where the command has those of its menu.
        words = self.text("#river-body")
        letters = re.findall(r"\b(?:[bra]\d+|x|c|f)\b", words)
        assert not letters and "only bet 40" in words, f"{letters} in {words}"
        self.value("document.querySelector('#grid .cell').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowRight")
        self.has("document.querySelector('#needs li.over')?.innerText.match(/equilibri|Forced|as good/)", "how often over all equilibria")
        self.click("#river details summary")
        self.picture("river")
        # A hand that mixes says on request between what.
        self.browser.load(self.address + self.value("location.pathname") + "?line=b40", "document.querySelector('#river .curves')")
        self.value("[...document.querySelectorAll('#grid .cell')].find(e => e.innerText.trim().startsWith('AA')).focus()")
        ranks = "document.querySelector('#needs summary')?.innerText.replace(/[^2-9TJQKA]/g, '')"
        self.has(f"{ranks} === 'AA' && document.querySelector('#needs details[open] li.over')?.innerText.match(/may|Forced|as good/)", "a hand that mixes")
        # What was worked out in one window is there in the next.
        if self.value("!!document.querySelector('#needs details[open] .how-often')"):
            self.click("#needs details[open] .how-often")
        self.browser.wait("document.querySelector('#needs details[open] li.over')?.innerText.match(/Forced|as good/)", "between what", 120)
        self.picture("how-often")
        self.browser.load(self.address + self.value("location.pathname"), "document.querySelectorAll('#actions .act').length === 4")

    def check_spot(self, spot):
        shown = self.value("[...document.querySelectorAll('#actions .act')].map(e => [e.querySelector('strong').innerText, e.querySelector('.share').innerText])")
        expected = [[choice["name"], f"{100 * choice['frequency']:.1f} %"] for choice in spot["actions"]]
        assert shown == expected, f"on the page {shown}, by the command {expected}"
        place = json.loads(self.value("fetch(document.getElementById('json').href).then(a => a.text())"))
        for player, view in enumerate(place["hands"]):
            assert f"player {player + 1}, on average {100 * place['equities'][player]:.1f} %" in self.text("#equities-key")
            corners = self.value(f"document.querySelectorAll('#equities polyline')[{player}].getAttribute('points').split(' ').length")
            met = [at for at, weight in enumerate(view["weights"]) if weight > 0 and view["equities"][at] is not None]
            assert corners == 2 * len(met), f"{corners} corners for {len(met)} hands"
        gets = self.text("#who") + self.text("#other-who")
        for player in (0, 1):
            assert f"EV {spot['gets'][player]:.2f}" in gets, f"{spot['gets']} are not in {gets}"

    def card_table(self):
        """The cards as a table, sorted and by what they do: the numbers are those of the interface."""
        self.click(".as-table summary")
        rows = "[...document.querySelectorAll('.cards-table tbody tr')].map(e => [...e.children].map(e => e.innerText))"
        line = self.value("new URLSearchParams(location.search).get('line')")
        found = json.loads(self.value(f"fetch(location.pathname.replace('/study/', '/api/v1/study/solutions/') + '/cards?line={line.replace(' ', '+')}').then(a => a.text())"))["cards"]
        names = self.value("[...document.querySelectorAll('.cards-table thead button')].map(e => e.innerText)")
        at = names.index("EV 1")
        shown = self.value(rows)
        assert len(shown) == 50, f"{len(shown)} lines for {len(found)} cards"
        means = sorted((it["gets"][0] for it in found), reverse=True)
        mean = sum(it["chance"] * it["gets"][0] for it in found)
        assert abs(sum(it["chance"] for it in found) - 1) < 1e-9
        for row, gets in zip(shown, [mean, *means]):
            # The solve goes on meanwhile.
            assert abs(float(row[at]) - gets) < 0.02 * 60, (row, gets)
        self.value(f"document.querySelectorAll('.cards-table thead button')[{at}].click()")
        again = [float(row[at]) for row in self.value(rows)][1:]
        assert again == sorted(again), again
        self.value("(e => { e.value = 'by what it does'; e.dispatchEvent(new Event('change')) })(document.querySelector('.as-table select'))")
        groups = [row[0] for row in self.value(rows)]
        assert any("pairs the board" in name for name in groups) and any("highest card" in name for name in groups), groups

    def call_it(self):
        """A solution gets a name, which is there the next time, and by which it is found."""
        name = f"AKs on the {self.window}"
        self.fill("name", name)
        self.click("#name-keep")
        self.has("document.getElementById('name-keep').disabled", "named")
        here = self.value("location.pathname")
        self.browser.load(self.address + here, "document.querySelectorAll('#actions .act').length === 4")
        assert self.value("document.getElementById('name').value") == name
        self.browser.load(self.address + "/study", "document.querySelectorAll('#library tr[data-words]').length > 1")
        visible = "[...document.querySelectorAll('#library tr[data-words]:not([hidden])')].map(e => e.querySelector('.called').innerText)"
        self.fill("library-find", f"{BOARD.lower()} aks")
        self.has(f"{visible}.every(e => e.startsWith('AKs on'))", "found by board and name")
        assert self.value(visible), "nothing is found"
        self.fill("library-find", "no such thing")
        self.has(f"{visible}.length === 0", "nothing is found")
        self.fill("library-find", "")
        self.browser.load(self.address + here, "document.querySelectorAll('#actions .act').length === 4")

    def from_hand(self):
        """The address of a hand's decision: bets in chips, a line and a hand, at which the solution opens; and one with a mistake."""
        here = f"/study?board={BOARD}&pot=120&stack=300&range={RANGE.replace('+', '%2B')}&range={RANGE.replace('+', '%2B')}"
        self.browser.load(self.address + here + "&menu=river%201%3A%2047c%20allin%3B%20river%202%2B%3A%20allin&until=0.4%25&line=x+b47&hand=AhKd",
                          "document.getElementById('cost').textContent.includes('nodes')")
        assert self.value("document.getElementById('until').value") == "0.4%"
        self.click("#solve")
        self.has("location.search === '?line=x+b47&hand=AhKd' && document.getElementById('state')?.textContent.startsWith('solved')", "solved")
        self.has("document.querySelectorAll('#way .step').length === 3 && document.getElementById('cell-name').innerText === 'AKo'", "opened at the hand")
        shown = self.value("document.querySelector('#cell tr.mine td').innerText.replace(/[^2-9TJQKA]/g, '')")
        assert shown == "AK", shown
        self.browser.load(self.address + here + "&untill=1%25", "document.getElementById('strange').innerText.includes('untill')")

    def stop_and_resume(self):
        order = json.dumps(json.dumps(BIG))
        made = self.value(f"""fetch('/api/v1/study/solutions', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json' }},
            body: {order} }}).then(a => a.json()).then(a => a.id)""")
        self.browser.load(f"{self.address}/study/{made}", "document.querySelectorAll('#actions .act').length === 2")
        self.picture("solving")
        self.browser.press("1")
        self.browser.wait("document.querySelectorAll('#way .step').length === 2", "walked while it is solved")
        self.click("#stop")
        self.has("document.getElementById('state').textContent.startsWith('stopped')", "stopped")
        self.browser.press("1")
        self.has("document.querySelectorAll('#actions .pick').length === 52", "the cards to come")
        self.value("document.querySelector('#actions > p button')?.click()")
        self.has("document.querySelector('#actions .drawn') && document.getElementById('actions').innerText.includes('Best for player 1')", "compared cards")
        self.card_table()
        self.picture("cards")
        assert self.value("document.querySelector('#actions .pick[data-card^=K][data-card$=s]').disabled"), "a card of the board could be dealt"
        self.click("#actions [data-card='Kd']")
        self.has("location.search === '?line=x+x+Kd'", "a card was dealt")
        self.click("#resume")
        self.has("document.getElementById('state').textContent.startsWith('solving')", "resumed")
        self.click(".about-spot summary")
        self.click("#forget")
        self.has("location.pathname === '/study'", "forgotten")


class ShoveFold(chromium.Window):
    """All-in or fold in one window."""

    def check(self, cardroom, address):
        """What the page has is what both commands say; a stack that is none is answered in words."""
        def answer(*words):
            words = [cardroom, "--json", "--quiet", "solve", *words, "--stack", "3.5", "--ante", "0.1"]
            return json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
        [solved] = answer("shove-fold")["stacks"]
        trees = answer("trees", "--depth", "4")["blinds"]
        self.browser.load(address + "/study/shove-fold?stack=3.5&ante=0.1")
        for blind, tree, action in zip(("small", "big"), trees, ("jam", "call")):
            frames = self.value(f"[...document.querySelectorAll('#{blind} .mixes')].map(e => e.innerText).sort()")
            assert frames == sorted(it["hand"] for it in solved["mixed"] if it["blind"] == blind), frames
            full = self.value(f"document.querySelectorAll('#{blind} .d10').length")
            assert full == sum(share >= 0.95 for share in solved[action].values()), full
            rows = self.value(f"[...document.querySelectorAll('#{blind} .rule')].map(e => [e.parentNode.children[1].innerText, e.innerText])")
            assert rows == [[f"{it['loses_mbb']:.2f}", it["tree"]] for it in tree["trees"]], f"{rows} for {tree}"
        self.picture("all-in")
        self.value("document.body.dataset.before = 'yes'")
        self.click("form button")
        self.has("location.search === '?stack=3.5&ante=0.1' && !document.body.dataset.before && document.readyState === 'complete'", "asked by the form")
        found = json.loads(self.value("fetch('/api/v1/study/shove-fold?stack=3.5&ante=0.1').then(a => a.text())"))
        assert found["equilibrium"]["mixed"] == solved["mixed"] and found["simple"]["blinds"] == trees
        self.browser.load(address + "/study/shove-fold?stack=0.5", "document.querySelector('main').innerText.includes('0.5 big blinds')")


def is_answer(event):
    """Whether the browser logs that the server has answered a mistake, or a question that came too early, in words."""
    entry = event["params"].get("entry", {}) if event["method"] == "Log.entryAdded" else {}
    return re.search(r"/study/(estimate|range|shove-fold|.*/place|.*/hands)", entry.get("url", "")) and re.search("40[09]|503", entry["text"])


def command(cardroom):
    """What the commands say about the same spot."""
    spot = ["--board", BOARD, "--pot", "120", "--stack", "300", "--ranges", RANGE, RANGE, "--menu", MENU.replace("\n", "; ")]

    def answer(name, *rest):
        words = [cardroom, "--json", "--quiet", "solve", name, *spot, *rest]
        return json.loads(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
    report = answer("subgame", "--no-keep", "--at", "", "--at", "x b40")
    report["decision"] = answer("simple", "--at", "x b40")
    report["river"] = answer("river", "--at", "x b40", "--hands", "KK")
    report["simple"] = [answer("simple", "--player", str(player)) for player in (1, 2)]
    return report


def main():
    cardroom, pictures = chromium.arguments()
    report = command(cardroom)
    with (tempfile.TemporaryDirectory() as work, programs.serving(cardroom, work, CONFIG) as (_, address),
          chromium.running() as browser):
        for window in chromium.WINDOWS:
            page = Page(browser, address, window, pictures)
            page.build()
            page.solve()
            page.walk(report)
            page.simplify(report)
            page.river(report)
            page.lock()
            page.call_it()
            page.stop_and_resume()
            page.from_hand()
            ShoveFold(browser, window, pictures, "study").check(cardroom, address)
        browser.events = [event for event in browser.events if not is_answer(event)]
        browser.check_events(address)
    print(f"a spot built, solved and walked through in {len(chromium.WINDOWS)} windows; pictures in {pictures}")


main()
