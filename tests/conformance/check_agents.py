"""Looks at agents with a real browser: headless Chromium.

usage: check_agents.py CARDROOM [FOLDER]

Starts `CARDROOM serve` and opens the pages of a tree, of a blueprint and of an agent that cannot be asked, in a window of each
size: the chart before the flop by its links, the difference from another agent, a situation's way through the tree, the tree's
nodes and its rules as a card. Fails when a picture does not load, when a mistake is not answered in words, when the browser reports
an error or a violation of the content policy, when anything but the server is asked for, when a text has too little contrast, or
when the page is wider than the window, in light or dark. Pictures are left in FOLDER.
"""

import tempfile

import chromium
import programs

CONFIG = """
tables = []
[slumbot]
enabled = false
"""
LOADED = "[...document.images].every(image => image.complete && image.naturalWidth > 100)"


def look(page, address):
    browser = page.browser
    browser.load(f"{address}/", "document.querySelector('#agents a[href=\"/agents/oct\"]')")
    page.click('#agents a[href="/agents/oct"]')
    page.has(f"location.pathname === '/agents/oct' && document.images.length === 2 && {LOADED}", "its page with two pictures")
    page.picture("oct")
    # The chart by its links: a raise, and back to the beginning.
    raise_ = page.value("[...document.querySelectorAll('#chart .way a')].find(e => e.innerText.startsWith('raise')).getAttribute('href')")
    browser.load(f"{address}/agents/oct{raise_}", LOADED)
    assert "after r" in page.text("#chart"), page.text("#chart")[:200]
    page.value("document.querySelector('[name=with]').value = 'cfr'; document.querySelector('#chart form').submit()")
    page.has("document.querySelectorAll('.differ span').length === 169", "the difference of both")
    assert "of all hands they do not do the same" in page.text("#difference")
    page.picture("difference")
    browser.load(f"{address}/agents/oct?hand=Ad3s&board=KcQd8h&betting=r250c%2Fc#situation", LOADED)
    assert "Its way through the tree on the flop" in page.text("#situation"), page.text("#situation")
    page.picture("situation")
    browser.load(f"{address}/agents/oct?hand=Ad3s&board=Kc&betting=r250c%2Fc", LOADED)
    assert page.text("#situation [role=alert]"), "a mistake is not answered"
    browser.load(f"{address}/agents/oct?street=river&node=1#tree", LOADED)
    page.click("#tree pre + p a, #tree details + p a")
    page.has(f"/node=\\d+/.test(location.search) && !location.search.includes('node=1#') && {LOADED}", "below")
    browser.load(f"{address}/agents/oct/card", "document.querySelector('h1')")
    browser.load(f"{address}/agents/cfr", LOADED)
    assert not page.value("!!document.getElementById('tree')")
    page.picture("cfr")
    browser.load(f"{address}/agents/external")
    assert "cannot be asked" in page.text("main")


def main():
    cardroom, pictures = chromium.arguments()
    with (tempfile.TemporaryDirectory() as work, programs.serving(cardroom, work, CONFIG) as (_, address),
          chromium.running() as browser):
        for window in chromium.WINDOWS:
            look(chromium.Window(browser, window, pictures, "agents"), address)
        browser.check_events(address)
    print(f"agents looked at in {len(chromium.WINDOWS)} windows; pictures in {pictures}")


main()
