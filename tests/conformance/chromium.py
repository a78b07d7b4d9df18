"""A real browser for the checks of the pages: headless Chromium over its debugging pipe."""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

# The browser's program, or None where there is none.
NAME = next((p for p in ("chromium", "chromium-browser", "google-chrome") if shutil.which(p)), None)
# Longer than anything takes on a busy machine, in seconds.
TIMEOUT = 60
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "End": (35, ""), "Home": (36, ""),
        "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""), "ArrowDown": (40, ""), "Backspace": (8, "")}

# Width, height, and whether it is touched.
WINDOWS = {"desktop": (1200, 900, False), "large": (2560, 1300, False), "phone": (360, 740, True)}

# Texts with less contrast than 4.5 to what is behind them, where that has one colour.
CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const light = (c) => { const [r, g, b] = c.map(x => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const wrong = [];
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const box = e.getBoundingClientRect();
    if (!own || !box.width || e.closest(':disabled, [hidden], template') || !e.checkVisibility({ opacityProperty: true })) continue;
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== 'none' && !at.matches('.wide, .cell')) break;
      layers.push(rgba(style.backgroundColor));
    }
    const behind = layers.reverse().reduce((below, top) => over(top, below), rgba('canvas'));
    const text = over(rgba(getComputedStyle(e).color), behind);
    const [a, b] = [light(text), light(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) wrong.push(`${ratio.toFixed(2)}: ${e.className} ${e.textContent.slice(0, 30)}`);
  }
  return wrong;
})()"""


def arguments():
    """The program and the folder for pictures that a check is started with; it ends here where there is no browser."""
    cardroom = os.path.abspath(sys.argv[1])
    pictures = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else tempfile.mkdtemp()
    os.makedirs(pictures, exist_ok=True)
    if NAME is None:
        sys.exit("not checked: no chromium on this machine")
    return cardroom, pictures


@contextlib.contextmanager
def running():
    """A browser with a profile of its own, which is closed if all goes well and ended in any case."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            yield browser
            browser.close()
        finally:
            browser.end()


class Browser:
    """A browser over its debugging pipe: messages are JSON, each ended by a zero byte."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        command = [NAME, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
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

    def open_tab(self, width, height, mobile=False):
        """A tab with a window of this size; everything that is asked for afterwards is about it."""
        self.session = None
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.do(f"{domain}.enable")
        self.width = width
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, mobile=mobile,
                deviceScaleFactor=2 if mobile else 1)
        if mobile:
            self.do("Emulation.setTouchEmulationEnabled", enabled=True)

    def load(self, url, ready="true"):
        """Opens a page, and waits for it and for what the script `ready` says."""
        self.do("Page.navigate", url=url)
        there = f"location.href === {json.dumps(url)} && document.readyState === 'complete'"
        self.wait(f"{there} && !!({ready})", f"loaded {url}")

    def value(self, script):
        result = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (script, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, script, what, timeout=TIMEOUT):
        until = time.monotonic() + timeout
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

    def pictures(self, path):
        """Pictures in light and dark; the page must not be wider than the window in either."""
        for scheme in ("light", "dark"):
            self.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            wide = self.value("document.documentElement.scrollWidth") - self.width
            assert wide <= 0, f"{path}: {wide} px too wide"
            size = self.do("Page.getLayoutMetrics")["cssContentSize"]
            shot = self.do("Page.captureScreenshot", captureBeyondViewport=True, clip={**size, "scale": 1})["data"]
            with open(f"{path}-{scheme}.png", "wb") as file:
                file.write(base64.b64decode(shot))

    def asked_for(self):
        """Every address that was asked for so far."""
        return {event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"}

    def check_events(self, address):
        """Nothing from elsewhere was asked for, and nothing went wrong in the pages."""
        of_page = re.compile(r"^(%s/|about:|data:)" % re.escape(address))
        for url in self.asked_for():
            assert of_page.match(url), f"the page asks for {url}"
        for event in self.events:
            method, params = event["method"], event["params"]
            assert method != "Runtime.exceptionThrown", params
            if method == "Runtime.consoleAPICalled":
                assert params["type"] not in ("error", "warning", "assert"), params
            if method == "Log.entryAdded":
                assert params["entry"]["level"] not in ("error", "warning"), params["entry"]

    def close(self):
        self.session = None
        self.do("Browser.close")
        self.process.wait(timeout=TIMEOUT)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Window:
    """A tab in a window of one of the usual sizes, whose pictures are named after a page."""

    def __init__(self, browser, window, folder, name):
        self.browser, self.window, self.folder, self.name = browser, window, folder, name
        browser.open_tab(*WINDOWS[window])

    def value(self, script):
        return self.browser.value(script)

    def picture(self, name):
        """Pictures in light and dark; in both all texts have contrast, and nothing is beyond the edge."""
        path = os.path.join(self.folder, f"{self.name}-{name}-{self.window}")
        self.browser.pictures(path)
        for scheme in ("light", "dark"):
            self.browser.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            assert not (wrong := self.value(CONTRAST)), f"{name}, {scheme}: too little contrast: {wrong}"
        beyond = self.value("""[...document.querySelectorAll('main *, header *')].filter(e =>
            e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest('.wide, .skip, .way, [hidden]') && e.checkVisibility())
            .map(e => `${e.tagName} ${e.className} ${e.textContent.slice(0, 50)}`)""")
        assert not beyond, f"{name}: beyond the edge: {beyond}"

    def click(self, selector):
        """A click with the mouse on the middle of what is there."""
        self.value(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        x, y = self.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def mouse(self, kind, x, y, buttons=1):
        self.browser.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def fill(self, name, text):
        self.value(f"""(e => {{ e.focus(); e.value = {json.dumps(text)};
            e.dispatchEvent(new Event('input', {{ bubbles: true }})) }})(document.getElementById({json.dumps(name)}))""")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def has(self, script, what):
        self.browser.wait(script, what)
