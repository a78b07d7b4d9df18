#!/usr/bin/env python3
"""Have the sample bots of examples/bots/ verified: each reply legal and in time, and a match played.

usage: check_bots.py CARDROOM

The Python bot is the one that `cardroom init` writes; those in C++ and Rust are compiled with the
commands in their first lines, and the one for the engine of MIT Pokerbots is a folder that plays as
it is. The one that asks a language model asks a server of this check, which answers as such an
endpoint does: well, with nonsense, too late, and with errors. Exits 1 when a bot cannot be compiled,
a reply breaks the rules, or a key is printed.
"""

import http.server
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

GAME = "holdem.nolimit.2p.reverse_blinds"
BOTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "bots"


def run(folder, *words, env=None):
    """Runs a command in the folder; ends the check where it fails."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


KEY = "sk-not-to-be-printed"


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers chat completions in the way that the model's name asks for."""

    protocol_version = "HTTP/1.1"
    calls = 0
    seen = set()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        way = body["model"]
        Endpoint.calls += 1
        facts = body["messages"][1]["content"]
        if self.path != "/v1/chat/completions" or self.headers["Authorization"] != f"Bearer {KEY}":
            self.reply(401, {"error": f"wrong key {self.headers['Authorization']}"})
        elif way in ("429", "500"):
            self.reply(int(way), {"error": KEY})
        elif way == "once" and facts not in Endpoint.seen:
            Endpoint.seen.add(facts)
            self.reply(503, {"error": KEY})
        elif way == "late":
            time.sleep(1)
            self.reply(200, self.said("check"))
        elif way == "none":
            self.reply(200, {"choices": []})
        elif way == "nonsense":
            self.reply(200, self.said(random.choice(["", "I raise!", "raise 1", "raise 99999", "allin", "call\nbut why"])))
        else:
            self.reply(200, self.said("Thinking it over.\n" + choose(facts)))

    def said(self, text):
        return {"choices": [{"message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 200, "completion_tokens": 10}}

    def reply(self, code, document):
        body = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if code == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        try:
            self.wfile.write(body)
        except BrokenPipeError:
            pass  # The bot has not waited.

    def log_message(self, *_):
        pass


def choose(facts):
    """One of the legal actions that the facts name, as a model would answer."""
    legal = re.search(r"Legal actions: (.*)\.", facts)[1].split("; ")
    calls = [word for word in legal if word.startswith(("check", "call"))]
    word = random.choice(calls + legal)
    raises = re.match(r"raise N, with N from (\d+) to (\d+)", word)
    if raises:
        low, high = int(raises[1]), int(raises[2])
        return f"raise {random.choices([low, min(high, 2 * low), high], [10, 10, 1])[0]}"
    return word.split(" ")[0].upper()


def check_llm(cardroom, folder):
    """The bot that asks a language model, against an endpoint of each kind."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    for way, hands in [("well", 200), ("once", 40), ("429", 4), ("500", 2), ("none", 20), ("nonsense", 40), ("late", 2)]:
        env = dict(os.environ, LLM_URL=url, LLM_MODEL=way, LLM_KEY=KEY, LLM_TIMEOUT="0.3")
        Endpoint.calls = 0
        log = pathlib.Path(folder) / f"{way}.log"
        config = pathlib.Path(folder) / f"{way}.toml"
        config.write_text(f"[agents.model]\nkind = \"external\"\ncommand = \"python3 {BOTS / 'llm.py'}\"\n"
                          f"output = \"{log}\"\n")
        match = ["match", "model", "cfr", "--hands", str(hands), "--strict", "-q", "--threads", "2", "--out", way]
        told = run(folder, cardroom, *match, "--config", config, "--json", env=env)
        said = log.read_text()
        if KEY in said + told:
            sys.exit(f"llm.py, {way}: the key is printed")
        count = {name: sum(int(n) for n in re.findall(rf"(\d+) {name}", said))
                 for name in ("decisions", "calls", "replaced")}
        lines = len(re.findall(r"llm.py: (?:folded|checked): ", said))
        right = way in ("well", "once")
        expected = 0 if right else count["decisions"]
        tries = count["decisions"] * (1 if way == "well" else 2)
        if count["calls"] != Endpoint.calls or lines != count["replaced"] or not count["decisions"]:
            sys.exit(f"llm.py, {way}: {count}, {Endpoint.calls} calls, {lines} lines:\n{said}")
        # Where it is once, situations come again.
        enough = count["decisions"] < count["calls"] <= tries if way == "once" else count["calls"] == tries
        if count["replaced"] != expected or not enough:
            sys.exit(f"llm.py, {way}: {count}")
        per_hand = count["calls"] / hands
        print(f"llm.py, {way}: {hands} hands, {per_hand:.2f} calls a hand, {count['replaced']} of "
              f"{count['decisions']} actions played in the model's place")
    for name, value in [("LLM_KEY", "another"), ("LLM_URL", url + "/none")]:
        env = dict(os.environ, LLM_URL=url, LLM_MODEL="well", LLM_KEY=KEY) | {name: value}
        bot = ["match", f"external:python3 {BOTS / 'llm.py'}", "call", "--hands", "4", "--strict", "-q", "--record", "nothing"]
        done = subprocess.run([cardroom, *bot], cwd=folder, capture_output=True, text=True, timeout=300, env=env)
        if done.returncode != 5 or "401" not in done.stderr or KEY in done.stdout + done.stderr:
            sys.exit(f"llm.py, {name}: exit code {done.returncode}: {done.stderr}")
    print("llm.py: a refused key ends the match")
    server.shutdown()


def main():
    cardroom = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        run(folder, cardroom, "init", ".")
        run(folder, "c++", "-std=c++17", "-O2", "-Wall", "-Werror", BOTS / "bot.cpp", "-o", "cpp")
        run(folder, "rustc", "-O", BOTS / "bot.rs", "-o", "rust")
        for bot in ["python3 bot.py", "./cpp", "./rust"]:
            agent = f"external:{bot}"
            run(folder, cardroom, "agents", "verify", agent, "--game", GAME)
            run(folder, cardroom, "match", agent, "equity", "--hands", "400", "-q")
            print(f"{bot}: every reply legal and in time; 400 hands played")
        bots = [f"pokerbots:{BOTS / 'pokerbots'}", "equity"]
        game = ["--game", "pokerbots.nolimit.2p", "--strict"]
        run(folder, cardroom, "match", *bots, *game, "--hands", "1000", "-q")
        print("pokerbots: every reply legal and in time; 1,000 rounds played")
        check_llm(cardroom, folder)


if __name__ == "__main__":
    main()
