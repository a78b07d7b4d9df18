"""Looks at the server's pages with a real browser: headless Chromium.

usage: check_page.py CARDROOM [FOLDER]

Starts `CARDROOM serve`, lets a bot play a match, and opens the first page and the match's page in windows of
a desktop's and a phone's size, in light and dark. Fails when the page's script did not run or its live parts
never come, when the browser reports an error or a violation of the content policy, when anything but the
server is asked for, or when a page is wider than the window. Pictures are left in FOLDER.
"""

import json
import os
import re
import subprocess
import sys
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
"""


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
    """Both pages in one window."""
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
    assert address + "/assets/style.css" in browser.asked_for()


def wait_for(url, condition):
    for _ in range(600):
        value = json.load(urllib.request.urlopen(url))
        if condition(value):
            return value
        time.sleep(0.05)
    raise AssertionError(f"{url}: {value}")


def main():
    cardroom = os.path.abspath(sys.argv[1])
    pictures = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp()
    os.makedirs(pictures, exist_ok=True)
    if chromium.NAME is None:
        sys.exit("no chromium on this machine")
    with (tempfile.TemporaryDirectory() as work,
          tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile):
        with open(os.path.join(work, "cardroom.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIG)
        with programs.serving(cardroom, work) as (server, address):
            browser = chromium.Browser(profile)
            try:
                ports = (re.search(r"open at 127\.0\.0\.1:(\d+)", line) for line in server.stdout)
                port = next(filter(None, ports))[1]
                subprocess.run([cardroom, "play", "acpc", "127.0.0.1", port, "--agent", "call", "--game", GAME],
                               check=True, stdout=subprocess.DEVNULL)
                table = wait_for(address + "/api/v1/tables", lambda tables: tables[0]["matches"] == 1)[0]
                for window in WINDOWS:
                    check_page(browser, address, table["last"]["id"], pictures, window)
                browser.check_events(address)
                browser.close()
                print(f"both pages are right; pictures in {pictures}")
            finally:
                browser.end()


main()
