#!/usr/bin/env python3
"""Measure what people wait for on the pages: solves, clicks in a solved tree, and a match that is watched.

usage: measure_page.py CARDROOM [viewers=100] [seconds=20]

- A river with all hands for both players, and a turn with usual ranges, from the press of *Solve* until the strategies
  stand on the page (headless Chromium, 1200 px).
- The bytes of the page of each solution with its styles, scripts and first place, as they are sent, none of it known before.
- Clicks through the solved river and turn, from the press until the next place is shown, the median and the slowest.
- Hands a second of a match of another process while nobody looks and while so many look at its page as it goes on,
  in turn, each for so many seconds.

Prints a line for each. Run it on an idle machine.
"""

import contextlib
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import chromium
import programs

CARDROOM = os.path.abspath(sys.argv[1])
GIVEN = dict(pair.split("=", 1) for pair in sys.argv[2:])
VIEWERS, SECONDS = int(GIVEN.get("viewers", 100)), float(GIVEN.get("seconds", 20))
ROUNDS = 3
CONFIG = "tables = []\n[slumbot]\nenabled = false\n"
USUAL = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
SPOTS = {
    "river, all hands": {"board": "Ks8h3d7cTs", "pot": 120, "stack": 300, "range": "random", "menu": "small", "until": "0.5%"},
    "turn, usual ranges": {"board": "Ks8h3d7c", "pot": 120, "stack": 300, "range": USUAL, "menu": "small", "until": "0.5%"},
}
SHOWN = "document.querySelectorAll('#actions .act').length > 1 && !document.getElementById('walk').hasAttribute('aria-busy')"


def solve(browser, address, name, spot):
    """Solves a spot by the page; prints what it took, and what clicks take."""
    query = "&".join(f"{key}={value.replace('%', '%25').replace('+', '%2B') if isinstance(value, str) else value}"
                     for key, value in spot.items() if key not in ("stack", "range"))
    both = f"&stack={spot['stack']}&stack={spot['stack']}" + 2 * f"&range={spot['range'].replace('+', '%2B')}"
    ready = "document.getElementById('solve') && !document.getElementById('solve').disabled && document.getElementById('cost').textContent.includes('hands')"
    browser.load(f"{address}/study?{query}{both}", ready)
    begun = time.monotonic()
    browser.value("document.getElementById('solve').click()")
    browser.wait("location.pathname.length > '/study/'.length && document.getElementById('state')?.textContent.startsWith('solved') && " + SHOWN, "solved")
    print(f"{name}: {time.monotonic() - begun:.2f} s from the press to the strategies", flush=True)
    browser.do("Network.clearBrowserCache")
    seen = len(browser.events)
    browser.load(address + browser.value("location.pathname"), SHOWN)
    sent = [event["params"]["encodedDataLength"] for event in browser.events[seen:] if event["method"] == "Network.loadingFinished"]
    print(f"  the page: {sum(sent) / 1000:.0f} kB in {len(sent)} answers", flush=True)
    times = []
    for _ in range(ROUNDS):
        for key in ("1", "2", "Backspace", "Backspace"):
            before = browser.value("location.search")
            begun = time.monotonic()
            browser.press(key)
            browser.wait(f"location.search !== '{before}' && {SHOWN}", "shown")
            times.append(1000 * (time.monotonic() - begun))
    print(f"  a click: {statistics.median(times):.0f} ms, the slowest {max(times):.0f} ms", flush=True)


def look(address, path, stop):
    """Reads a page's live part until told to stop."""
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    with contextlib.suppress(OSError, http.client.HTTPException):
        while not stop.is_set():
            answer.fp.readline()
    connection.close()


def watched(server, address, folder):
    """The hands a second of a match with and without viewers."""
    command = [CARDROOM, "match", "call", "random", "--hands", "2000000000", "--record", "hands", "--threads", "1", "--quiet",
               "--out", "data/matches/watched"]
    match = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        host = address.removeprefix("http://")

        def hands():
            connection = http.client.HTTPConnection(host, timeout=30)
            connection.request("GET", "/api/v1/overview")
            text = connection.getresponse().read()
            connection.close()
            found = json.loads(text)["played_elsewhere"]
            return found[0]["hands"] if found else 0

        programs.wait("hands are played", lambda: hands() > 0, 60)

        def speed():
            first, begun = hands(), time.monotonic()
            time.sleep(SECONDS)
            return (hands() - first) / (time.monotonic() - begun)

        rates = {0: [], VIEWERS: []}
        for _ in range(ROUNDS):
            rates[0].append(speed())
            stop = threading.Event()
            viewers = [threading.Thread(target=look, args=(address, "/matches/watched/live", stop), daemon=True)
                       for _ in range(VIEWERS)]
            for viewer in viewers:
                viewer.start()
            time.sleep(2)
            rates[VIEWERS].append(speed())
            stop.set()
            for viewer in viewers:
                viewer.join(timeout=10)
        alone, seen = (statistics.median(rates[count]) for count in (0, VIEWERS))
        print(f"match: {alone:,.0f} hands/s unseen, {seen:,.0f} with {VIEWERS} viewers, {100 * (seen / alone - 1):+.1f} %")
    finally:
        match.kill()
        match.wait()
    assert server.poll() is None


def main():
    if chromium.NAME is None:
        sys.exit("not measured: no chromium on this machine")
    folder = tempfile.mkdtemp()
    try:
        with programs.serving(CARDROOM, folder, CONFIG) as (server, address):
            with chromium.running() as browser:
                browser.open_tab(1200, 900)
                for name, spot in SPOTS.items():
                    solve(browser, address, name, spot)
            watched(server, address, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
