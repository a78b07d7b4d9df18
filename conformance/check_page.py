"""Looks at the server's pages with a real browser: headless Chromium.

usage: check_page.py CARDROOM [FOLDER]

Starts `CARDROOM serve`, lets a bot play a match, and opens the first page and the match's page at
two widths, in light and dark. Fails when the page's script did not run, when the browser reports an error
or a violation of the content policy, when anything but the server is asked for, or when a page is
wider than the window. Pictures are left in FOLDER.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

CHROMIUM = next((p for p in ("chromium", "chromium-browser", "google-chrome") if shutil.which(p)), None)
# Hosts that the browser itself asks for updates and dictionaries.
OF_THE_BROWSER = re.compile(r"https?://([a-z0-9.-]+\.)?(google|googleapis|gstatic|gvt1)\.com/")
GAME = "kuhn.limit.2p"
CONFIG = f"""
[[tables]]
name = "kuhn"
game = "{GAME}"
hands = 300
seats = [{{ agent = "random" }}, {{ port = 0 }}]
"""


def browser(profile, size, dark, *arguments):
    """Runs the browser on one page; its output and what it has to say."""
    return subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--no-first-run",
         # The names of all other hosts lead nowhere: whatever is asked for elsewhere shows as an error.
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
         f"--user-data-dir={profile}", f"--window-size={size}", "--enable-logging=stderr", "--v=0",
         f"--blink-settings=preferredColorScheme={0 if dark else 1}", *arguments],
        capture_output=True, text=True, timeout=120, check=True)


def console(text):
    """The lines that pages caused."""
    return [line for line in text.splitlines() if "CONSOLE" in line]


def check_page(address, path, folder, name):
    for size, dark in (("1200,1000", False), ("500,1000", True)):
        with tempfile.TemporaryDirectory() as profile:
            net_log = os.path.join(profile, "net.json")
            page = browser(profile, size, dark, "--timeout=4000", "--dump-dom", f"--log-net-log={net_log}",
                           address + path)
            assert not console(page.stderr), console(page.stderr)
            asked = set(re.findall(r'"url":"(https?://[^"]+)"', open(net_log, encoding="utf-8").read()))
            of_pages = {url for url in asked if not OF_THE_BROWSER.match(url)}
            assert all(url.startswith(address + "/") for url in of_pages), of_pages
            assert address + "/assets/style.css" in of_pages, of_pages
            assert path != "/" or address + "/live" in of_pages, "the live parts were not asked for"
            picture = os.path.join(folder, f"{name}-{size.split(',')[0]}{'-dark' if dark else ''}.png")
            browser(profile, size, dark, "--timeout=4000", f"--screenshot={picture}", address + path)
            assert os.path.getsize(picture) > 10_000, picture
            yield page.stdout


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
    if CHROMIUM is None:
        sys.exit("no chromium on this machine")
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "cardroom.toml"), "w", encoding="utf-8") as file:
            file.write(CONFIG)
        server = subprocess.Popen([cardroom, "serve", "--bind", "127.0.0.1:0", "--log", "warn"], cwd=work,
                                  stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[-1]
            ports = (re.search(r"open at 127\.0\.0\.1:(\d+)", line) for line in server.stdout)
            port = next(filter(None, ports))[1]
            subprocess.run([cardroom, "play", "acpc", "127.0.0.1", port, "--agent", "call", "--game", GAME],
                           check=True, stdout=subprocess.DEVNULL)
            table = wait_for(address + "/api/v1/tables", lambda tables: tables[0]["matches"] == 1)[0]
            name = table["last"]["id"]
            for html in check_page(address, "/", pictures, "index"):
                assert f"/matches/{name}" in html, "the finished match is not on the page"
                state = re.search(r'<span class="text">([^<]*)</span>', html)[1]
                assert state in ("connecting", "live"), f"the script did not run: {state}"
            for html in check_page(address, f"/matches/{name}", pictures, "match"):
                assert "Course of the match" in html and "<svg" in html
                assert html.count("<tr>") > 20, "the last hands are missing"
            print(f"both pages are right; pictures in {pictures}")
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(timeout=60)
        assert code == 0, f"the server ended with {code}"


main()
