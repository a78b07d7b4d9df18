"""Looks at the server's pages with a real browser: headless Chromium.

usage: check_page.py CARDROOM [FOLDER]

Starts `CARDROOM serve`, lets a bot play a match and eight others a round of a scrimmage, and opens the first page, the
match's page and the scrimmage's in windows of a desktop's and a phone's size, in light and dark; and a list of hands and a hand,
which it steps through by keyboard, and reads without the script. Fails when the page's script did not run or its live parts
never come, when text on the pages of hands has too little contrast, when the browser reports an error or a violation of the content policy, when anything but the
server is asked for, or when a page is wider than the window. Pictures are left in FOLDER.
"""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

import chromium
import programs

WINDOWS = {"desktop": (1200, 1000, False), "tablet": (820, 1000, True), "phone": (360, 780, True)}
GAME = "kuhn.limit.2p"
CONFIG = f"""
[[tables]]
name = "kuhn"
game = "{GAME}"
hands = 300
seats = [{{ agent = "random" }}, {{ port = 0 }}]

[scrimmage]
enabled = true
teams = "bots"
hands = 20
"""
# A bot that calls, and one that ends in the middle of a round.
CALLS = """exec 3<>/dev/tcp/localhost/$1
while read -r line <&3; do
last=${line##* }; case $last in R* | H*) a=C ;; *) a=K ;; esac
printf '%s\\n' "$a" >&3
done
"""
DIES = CALLS.replace("last=", "n=$((n + 1)); [ $n -gt 14 ] && { echo 'a last word' >&2; exit 7; }; last=")
TEAMS = [f"a-team-with-a-long-name-{number}" for number in range(7)] + ["dies"]


def write_bots(folder):
    """A folder for each team."""
    for team in TEAMS:
        path = os.path.join(folder, team)
        os.makedirs(path)
        with open(os.path.join(path, "commands.json"), "w", encoding="utf-8") as file:
            file.write('{"build": [], "run": ["bash", "bot.sh"]}')
        with open(os.path.join(path, "bot.sh"), "w", encoding="utf-8") as file:
            file.write(DIES if team == "dies" else CALLS)


def check_edges(browser):
    """No part is beyond the window's right edge, but for what can be moved into sight."""
    beyond = browser.value("""[...document.querySelectorAll('main *, header *, footer *')].filter(e =>
        e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest('.wide, .skip'))
        .map(e => `${e.tagName} ${e.textContent.slice(0, 50)}`)""")
    assert not beyond, f"beyond the edge: {beyond}"
    hidden = browser.value("""[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth &&
        !(getComputedStyle(e).backgroundImage.includes('gradient') && e.tabIndex === 0)).map(e => e.textContent)""")
    assert not hidden, f"goes on beyond an edge without a sign, or cannot be moved by keys: {hidden}"


def check_page(browser, address, match, folder, window):
    """The pages in one window."""
    browser.open_tab(*WINDOWS[window])
    browser.load(address + "/")
    browser.wait("document.querySelector('#live-state .text')?.textContent === 'live'", "live")
    assert address + "/live" in browser.asked_for(), "the live parts were not asked for"
    assert browser.value(f"!!document.querySelector('a[href=\"/matches/{match}\"]')"), "the finished match is not there"
    check_edges(browser)
    browser.pictures(os.path.join(folder, f"index-{window}"))

    browser.load(f"{address}/matches/{match}")
    assert "Course of the match" in browser.value("document.body.innerText")
    check_edges(browser)
    assert browser.value("!!document.querySelector('svg')"), "there is no curve"
    assert browser.value("document.querySelectorAll('tr').length") > 20, "the last hands are missing"
    browser.pictures(os.path.join(folder, f"match-{window}"))

    browser.load(f"{address}/scrimmage")
    browser.wait("document.querySelector('#live-state .text')?.textContent === 'live'", "live")
    text = browser.value("document.body.innerText")
    assert "Round 1" in text and "a last word" in text, text
    assert browser.value("document.querySelectorAll('section table tbody tr').length") == len(TEAMS), "a team is missing"
    check_edges(browser)
    browser.pictures(os.path.join(folder, f"scrimmage-{window}"))
    assert address + "/assets/style.css" in browser.asked_for()


# Every text whose colour is too near to that of its ground: a ratio below 4.5, or 3 where it is large (WCAG 2.2, 1.4.3).
CONTRAST = """(() => {
  const parse = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map((one) => one * scale), numbers[3] ?? 1];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (text) => { probe.style.setProperty('color', text); return parse(getComputedStyle(probe).color); };
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    const style = getComputedStyle(element);
    // The cloth is a gradient around this colour.
    if (element.matches('.felt')) return colour(style.getPropertyValue('--cloth'));
    const own = parse(style.backgroundColor);
    return own[3] === 1 ? own : over(own, ground(element.parentElement));
  };
  const light = (rgb) => rgb.slice(0, 3).map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const wrong = [];
  for (const element of document.querySelectorAll('main *')) {
    const said = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!said || element.closest(':disabled, .sr, kbd, svg, option') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), under = ground(element);
    const [a, b] = [light(over(parse(style.color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) wrong.push(`${ratio.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  probe.remove();
  return wrong;
})()"""


def check_contrast(browser):
    for scheme in ("light", "dark"):
        browser.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        wrong = browser.value(CONTRAST)
        assert not wrong, f"too little contrast in {scheme}: {wrong[:5]}"


def check_hands(browser, address, folder, window):
    """A list of hands and one of them, in one window."""
    browser.open_tab(*WINDOWS[window])
    browser.load(f"{address}/matches/hands/hands?sort=pot")
    assert browser.value("document.querySelectorAll('tbody tr').length") == 50, "a page has fifty hands"
    assert browser.value("!!document.querySelector('a[rel=next]')"), "there is no way on"
    check_edges(browser)
    check_contrast(browser)
    browser.pictures(os.path.join(folder, f"hands-{window}"))
    # The form asks for what is chosen.
    browser.value("document.querySelector('[name=street]').value = 'river'; document.querySelector('form').requestSubmit()")
    browser.wait("location.search.includes('street=river') && document.readyState === 'complete'", "asked for by the form")
    hand = browser.value("document.querySelector('tbody a').getAttribute('href')")

    browser.load(f"{address}{hand}#3")
    steps = browser.value("document.querySelectorAll('.acts li[data-at]').length")
    place = lambda: browser.value("[document.getElementById('at').textContent, location.hash]")
    away = lambda: browser.value("document.querySelectorAll('.place.away').length")
    assert place() == [f"3 of {steps}", "#3"], place()
    for key, step in (("ArrowRight", 4), ("ArrowLeft", 3), ("End", steps), ("ArrowRight", steps), ("Home", 1), ("ArrowLeft", 1)):
        browser.press(key)
        assert place() == [f"{step} of {steps}", f"#{step}"], (key, place())
        assert away() == {1: 5, steps: 0}.get(step, away()), f"{away()} cards of the board are to come"
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    open_now = browser.value("[...document.querySelectorAll('.more')].filter(e => e.checkVisibility()).length")
    assert open_now == 1, f"{open_now} actions are open"
    assert browser.value("!!document.querySelector('.acts .decision .taken')"), "there is no strategy"
    browser.value("document.querySelector('.acts li.now a').focus()")
    check_edges(browser)
    check_contrast(browser)
    browser.pictures(os.path.join(folder, f"hand-{window}"))
    browser.value("document.querySelector('[data-step=on]').focus({focusVisible: true})")
    outline = browser.value("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", f"the focus is {outline}"
    browser.press("n")
    browser.wait(f"location.pathname + location.search !== {json.dumps(hand)} && document.readyState === 'complete'", "on the next hand")

    # Without the script the whole hand can be read.
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    browser.load(address + hand)
    shown = browser.value("[...document.querySelectorAll('.more')].filter(e => e.checkVisibility()).length")
    assert shown == steps - 1, f"{shown} of {steps - 1} actions can be read"
    assert browser.value("[...document.querySelectorAll('.stepper, [data-copy]')].every(e => !e.checkVisibility())")
    check_edges(browser)
    browser.pictures(os.path.join(folder, f"hand-without-script-{window}"))
    browser.do("Emulation.setScriptExecutionDisabled", value=False)


def wait_for(url, condition):
    for _ in range(600):
        value = json.load(urllib.request.urlopen(url))
        if condition(value):
            return value
        time.sleep(0.05)
    raise AssertionError(f"{url}: {value}")


def main():
    cardroom, pictures = chromium.arguments()
    with tempfile.TemporaryDirectory() as work:
        write_bots(os.path.join(work, "bots"))
        with programs.serving(cardroom, work, CONFIG) as (server, address), chromium.running() as browser:
            ports = (re.search(r"open at 127\.0\.0\.1:(\d+)", line) for line in server.stdout)
            port = next(filter(None, ports))[1]
            subprocess.run([cardroom, "play", "acpc", "127.0.0.1", port, "--agent", "call", "--game", GAME],
                           check=True, stdout=subprocess.DEVNULL)
            table = wait_for(address + "/api/v1/tables", lambda tables: tables[0]["matches"] == 1)[0]
            round_path = address + "/api/v1/scrimmage"
            wait_for(round_path, lambda view: sum(team["plays"] is not None for team in view["teams"]) == len(TEAMS))
            urllib.request.urlopen(urllib.request.Request(round_path + "/round", method="PUT"))
            wait_for(round_path, lambda view: view["rounds"] and view["rounds"][0]["ended"])
            for window in WINDOWS:
                check_page(browser, address, table["last"]["id"], pictures, window)
            subprocess.run([cardroom, "match", "oct", "cfr", "--hands", "60", "--out", "data/matches/hands", "--quiet"],
                           check=True, stdout=subprocess.DEVNULL, cwd=work)
            for window in WINDOWS:
                check_hands(browser, address, pictures, window)
            browser.check_events(address)
            print(f"the pages are right; pictures in {pictures}")


main()
