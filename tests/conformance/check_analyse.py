"""Looks at the page that analyses hands with a real browser: headless Chromium.

usage: check_analyse.py CARDROOM [FOLDER]

Plays a match, exports it, and starts `CARDROOM serve`. In a window of each size a file is chosen as by a person, imported, asked
who "you" are, and analysed; the decisions are filtered, one is opened on the page of its hand, and the analysis is made again by the
keyboard alone. Fails when a mistake is not answered in words, when the lines of the ledger do not add up to the result as they are
written, when the browser reports an error or a violation of the content policy, when anything but the server is asked for, when a
text has too little contrast, or when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import os
import subprocess
import tempfile
import time

import chromium
import programs

CONFIG = """
tables = []
[slumbot]
enabled = false
"""
HANDS = 12
NUMBERS = """(() => { const number = (e) => Number(e.innerText.replaceAll(',', '').replace('−', '-').replace('+', ''));
  const parts = [...document.querySelectorAll('#ledger tbody td')].map(number);
  return [parts.reduce((a, b) => a + b, 0), number(document.getElementById('together'))]; })()"""


def choose(page, files):
    """Puts files into the field, as a person does with the system's dialog."""
    browser = page.browser
    root = browser.do("DOM.getDocument")["root"]["nodeId"]
    field = browser.do("DOM.querySelector", nodeId=root, selector="#files")["nodeId"]
    browser.do("DOM.setFileInputFiles", nodeId=field, files=files)


def has(page, script, what):
    """Waits for something on a page that may load itself again meanwhile, until its scripts have run."""
    until = time.monotonic() + chromium.TIMEOUT
    while time.monotonic() < until:
        try:
            if page.value(f"document.readyState === 'complete' && !!({script})"):
                return
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
        time.sleep(0.05)
    raise AssertionError(f"never {what}; the page says: {page.text('main')}")


def look(page, address, work):
    browser = page.browser
    browser.load(f"{address}/", "document.querySelector('nav a[href=\"/analyse\"]')")
    page.click('nav a[href="/analyse"]')
    has(page, "location.pathname === '/analyse' && document.getElementById('send')", "the page that takes files")
    page.click("#send")
    has(page, "document.getElementById('wrong').innerText.includes('no file is chosen')", "told to choose a file")
    page.picture("empty")
    choose(page, [os.path.join(work, "bad.log")])
    page.click("#send")
    has(page, "document.getElementById('wrong').innerText.includes('bad.log')", "told what is wrong with a file")
    page.picture("wrong")
    choose(page, [os.path.join(work, "hands.phhs")])
    page.click("#send")
    has(page, "!document.getElementById('imported').hidden", "imported")
    assert f"{HANDS} hands of 1 file" in page.text("#notes"), page.text("#notes")
    page.picture("imported")
    page.click("#analyse")
    has(page, "location.pathname.endsWith('/analysis') && document.getElementById('ledger')", "analysed")
    parts, together = page.value(NUMBERS)
    assert abs(parts - together) < 0.05, (parts, together)
    assert page.value("document.querySelectorAll('#ledger svg rect').length") == 10
    page.picture("analysis")
    page.value("document.querySelector('[name=price]').value = 'all'; document.querySelector('#decisions form').submit()")
    has(page, "location.search.includes('price=all') && document.querySelector('.dear tbody tr')", "all decisions")
    prices = page.value("[...document.querySelectorAll('.dear td[data-label=Price] b')].map(e => Number(e.innerText))")
    assert prices == sorted(prices, reverse=True), prices
    page.value("document.querySelector('[name=street]').value = 'preflop'; document.querySelector('#decisions form').submit()")
    has(page, "location.search.includes('street=preflop') && document.querySelector('.dear tbody tr')", "those before the flop")
    assert page.value("[...document.querySelectorAll('.dear td[data-label=Where]')].every(e => e.innerText.startsWith('preflop'))")
    page.click(".dear tbody a")
    has(page, "/\\/hands\\/\\d+$/.test(location.pathname) && document.querySelector('main h1')", "the page of a hand")
    browser.value("history.back()")
    has(page, "location.pathname.endsWith('/analysis') && document.querySelector('#again button')", "back")
    # Again, by the keyboard alone.
    page.value("document.querySelector('#again button').focus()")
    page.value("window.before = true")
    browser.press("Enter")
    has(page, "!window.before && document.getElementById('ledger') && document.querySelector('#again button')", "analysed again")


def main():
    cardroom, pictures = chromium.arguments()
    with tempfile.TemporaryDirectory() as work:
        def run(*words):
            subprocess.run([cardroom, *words], cwd=work, check=True, stdout=subprocess.DEVNULL)
        run("match", "oct", "cfr", "--hands", str(HANDS), "--out", "played", "--quiet")
        run("export", "played", "--format", "phhs", "--out", "hands.phhs")
        with open(os.path.join(work, "bad.log"), "w", encoding="utf-8") as file:
            file.write("no hands at all\n")
        with programs.serving(cardroom, work, CONFIG) as (_, address), chromium.running() as browser:
            for window in chromium.WINDOWS:
                look(chromium.Window(browser, window, pictures, "analyse"), address, work)
            browser.check_events(address)
    print(f"an analysis looked at in {len(chromium.WINDOWS)} windows; pictures in {pictures}")


main()
