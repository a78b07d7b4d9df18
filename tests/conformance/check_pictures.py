"""Looks at what `cardroom explain` draws with a real browser: headless Chromium.

usage: check_pictures.py CARDROOM [FOLDER]

Makes playbooks, trees and a chart, and opens them in windows of a phone's, a tablet's and a desktop's width, with
narrow letters (Liberation Sans, as Arial) and wide ones (DejaVu Sans), in light and dark. Fails when a page is wider
than the window or a part of it is cut off, when a text of a picture leaves the picture or the box it stands in, when
text lies under a bar or on another text, or when a playbook takes more than a page of A4. Pictures are left in FOLDER.
"""

import base64
import os
import re
import subprocess
import tempfile

import chromium

WIDTHS = [390, 820, 1280]
FONTS = {"narrow": "'Liberation Sans', Arial", "wide": "'DejaVu Sans', Verdana"}
DRAWN = [
    ("oct.html", ["playbook", "oct"]), ("small.html", ["playbook", "oct:model=small"]),
    ("deep.html", ["playbook", "cart", "--depth", "5"]),
    *((f"tree-{street}.svg", ["tree", "oct", "--street", street])
      for street in ("preflop", "flop", "turn", "river")),
    ("small-river.svg", ["tree", "oct:model=small", "--street", "river", "--depth", "9"]),
    ("below.svg", ["tree", "oct", "--street", "flop", "--node", "460"]),
]

# Parts of a page whose right edge is beyond the window, or beyond a part that cuts it off.
OUTSIDE = """[...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  if (!box.width || getComputedStyle(e).display === 'none') return false;
  if (box.right > innerWidth + 0.5 || box.left < -0.5) return true;
  return e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible' && !e.closest('.bar');
}).map(e => `${e.tagName} ${e.className}: ${e.textContent.slice(0, 60)}`)"""

# Texts that leave the picture or their box, that lie on one another, or under a bar.
CROWDED = """(() => {
  const svg = document.documentElement, view = svg.viewBox.baseVal, found = [];
  const box = e => e.getBBox(), said = e => e.textContent.slice(0, 60);
  const texts = [...svg.querySelectorAll('text')].map(e => [e, box(e)]);
  for (const [e, b] of texts) {
    if (b.x < 0 || b.y < 0 || b.x + b.width > view.width || b.y + b.height > view.height) found.push('out: ' + said(e));
    const frame = e.parentNode.querySelector?.(':scope > rect.box');
    if (frame) {
      const f = box(frame);
      if (b.x < f.x + 2 || b.x + b.width > f.x + f.width - 2 || b.y + b.height > f.y + f.height)
        found.push('over its box: ' + said(e));
    }
  }
  const meet = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 0.5
    && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 4;
  for (let i = 0; i < texts.length; i++)
    for (let j = i + 1; j < texts.length; j++)
      if (meet(texts[i][1], texts[j][1])) found.push(`on another: ${said(texts[i][0])} | ${said(texts[j][0])}`);
  for (const bar of svg.querySelectorAll('rect:not(.box):not(.cell)'))
    for (const [e, b] of texts)
      if (meet(b, box(bar))) found.push('under a bar: ' + said(e));
  return found;
})()"""


def check(browser, path, name, width, font, folder):
    url = "file://" + path
    browser.open_tab(width, 900, width < 500)
    browser.load(url)
    wrong = browser.value(CROWDED if name.endswith(".svg") else OUTSIDE)
    assert not wrong, f"{name}, {width} px, {font}:\n  " + "\n  ".join(sorted(set(wrong))[:20])
    if name.endswith(".html"):
        browser.pictures(os.path.join(folder, f"{name}-{width}-{font}"))
        return
    size = browser.do("Page.getLayoutMetrics")["cssContentSize"]
    shot = browser.do("Page.captureScreenshot", captureBeyondViewport=True, clip={**size, "scale": 1})["data"]
    with open(os.path.join(folder, f"{name}-{font}.png"), "wb") as file:
        file.write(base64.b64decode(shot))


def pages(browser):
    """How many pages of paper the tab's page takes."""
    paper = browser.do("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
    return len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(paper)))


def main():
    cardroom, folder = chromium.arguments()
    with tempfile.TemporaryDirectory() as work, chromium.running() as browser:
        for name, command in DRAWN:
            path = os.path.join(work, name)
            option = "--out" if name.endswith(".html") else "--svg"
            subprocess.run([cardroom, "explain", *command, option, path], check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for font, family in FONTS.items():
                lettered = re.sub(r'font-family="[^"]*"', f'font-family="{family}"', text)
                lettered = re.sub(r"Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif",
                                  family, lettered)
                assert lettered != text, f"{name} names no font"
                with open(path, "w", encoding="utf-8") as file:
                    file.write(lettered)
                for width in WIDTHS if name.endswith(".html") else [1280]:
                    check(browser, path, name, width, font, folder)
                if name == "oct.html" and font == "narrow":
                    assert pages(browser) == 1, f"{name} takes {pages(browser)} pages of A4"
        print(f"{len(DRAWN)} pictures are right; they are in {folder}")


main()
