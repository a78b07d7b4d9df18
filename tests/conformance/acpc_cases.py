#!/usr/bin/env python3
"""Check a dealer against conversations with the original ACPC dealer.

usage: acpc_cases.py PROGRAM [FILTER]      (PROGRAM is called as PROGRAM dealer NAME GAME HANDS SEED P1 P2 ...)

tests/conformance/acpc/*.cases hold conversations, one block each, read top to bottom:

    case NAME             begins a block; the lines up to `match` that are indented are its game file,
    game NAME             or it is played with this file of protocol/games/
    match HANDS SEED [OPTION ...]
    2> TEXT               seat 2 sends; {S} is the last state that was sent to it, {S0} the one before;
                          \\r \\n \\0 \\xNN stand for bytes, {1000*x} for a thousand x; nothing is added
    1< LINE               seat 1 must receive this line next, ending in CR LF
    close 1, end 1        seat 1 closes its connection, or only its sending side
    wait MS               nothing may arrive meanwhile
    err TEXT              the error stream must hold this line next (T stands for a time), others may precede
    log LINE              the STATE and SCORE lines of the log, in order (all of them)
    out LINE              the output after the ports (all of it)
    ends ok|fail          exit status 0 or not, within a few seconds of the last step

Before the first step every seat sends VERSION:2.0.0, unless the block sends `N> VERSION...` first.

tests/conformance/acpc/*.hands hold whole matches: a header `GAME HANDS SEED PLAYERS`, then a line for each hand: the log's STATE line
without values and names, the position that acted at each action, the values. Every line to every seat, and the log, are
derived from these and compared.
"""
import concurrent.futures
import os
import re
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GAMES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "protocol", "games")
TIMEOUT = 20.0
QUIET = 0.15


class Failed(Exception):
    pass


class Seat:
    """One player's connection."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.states = []

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def line(self, patience=TIMEOUT):
        """The next line, None when none comes in time, '' at the end."""
        self.socket.settimeout(patience)
        while b"\n" not in self.buffer:
            try:
                chunk = self.socket.recv(65536)
            except TimeoutError:
                return None
            except OSError:
                chunk = b""
            if not chunk:
                return self.buffer.decode("latin-1")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        text = line.decode("latin-1") + "\n"
        if text.startswith("MATCHSTATE"):
            self.states.append(text[:-2])
        return text


class Dealer:
    """A dealer in a folder of its own."""

    def __init__(self, program, game, hands, seed, options, names):
        self.folder = tempfile.TemporaryDirectory()
        self.err = open(os.path.join(self.folder.name, "err"), "wb")
        if "\n" in game:
            with open(os.path.join(self.folder.name, "g.game"), "w") as file:
                file.write(game)
            game = "g.game"
        self.process = subprocess.Popen(
            [program, "dealer", "m", game, hands, seed, *names, *options],
            cwd=self.folder.name, stdout=subprocess.PIPE, stderr=self.err, text=True)
        self.ports = [int(port) for port in self.process.stdout.readline().split()]

    def read(self, name):
        try:
            with open(os.path.join(self.folder.name, name), encoding="latin-1", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def end(self):
        """Waits for the end: (status, rest of the output, log lines, error lines)."""
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed("the dealer hangs") from None
        out = self.process.stdout.read()
        self.process.stdout.close()
        self.err.close()
        log = [line for line in self.read("m.log").split("\n") if line.startswith(("STATE", "SCORE"))]
        err = re.sub(r"\d{9,}\.\d{6}", "T", self.read("err")).replace("\r", "").split("\n")
        self.folder.cleanup()
        return self.process.returncode, out, log, err

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.err.close()
        self.folder.cleanup()


def unescape(text, seat):
    states = seat.states
    text = text.replace("{S}", states[-1] if states else "").replace("{S0}", states[-2] if len(states) > 1 else "")
    text = re.sub(r"\{(\d+)\*(.)\}", lambda m: int(m[1]) * m[2], text)
    byte = lambda m: {"r": "\r", "n": "\n", "0": "\0"}.get(m[1]) or chr(int(m[1][1:], 16))
    return re.sub(r"\\(x[0-9a-f]{2}|[rn0])", byte, text).encode("latin-1")


def expect(what, got, wanted):
    if got != wanted:
        raise Failed("%s: got %r, expected %r" % (what, got, wanted))


def steps_of(block):
    """A block as (game, match arguments, steps)."""
    game, match, steps = "", [], []
    for line in block[1:]:
        if line.startswith("  ") and not match:
            game += line.strip() + "\n"
        elif line.startswith("game "):
            game = os.path.join(GAMES, line[5:] + ".game")
        elif line.startswith("match "):
            match = line.split()[1:]
        else:
            steps.append(line)
    return game, match, steps


def players(game):
    text = game if "\n" in game else open(game).read()
    return int(re.search(r"(?im)^numplayers[\s=]*(\d+)", text)[1]) % 256


def run_case(program, block):
    game, (hands, seed, *options), steps = steps_of(block)
    count = players(game)
    dealer = Dealer(program, game, hands, seed, options, ["p%d" % (i + 1) for i in range(count)])
    seats = []
    try:
        seats = [Seat(port) for port in dealer.ports]
        expect("number of ports", len(seats), count)
        if not any(re.match(r"\d+> VERSION|\d+> version", step) for step in steps):
            for seat in seats:
                seat.send(b"VERSION:2.0.0\r\n")
        wanted = {"log": [], "out": [], "err": []}
        status = None
        for step in steps:
            word, _, rest = step.partition(" ")
            if word[-1] in "<>":
                seat = seats[int(word[:-1]) - 1]
                if word[-1] == ">":
                    seat.send(unescape(rest, seat))
                else:
                    expect(step, seat.line(), rest + "\r\n")
            elif word == "close":
                seats[int(rest) - 1].socket.close()
            elif word == "end":
                seats[int(rest) - 1].socket.shutdown(socket.SHUT_WR)
            elif word == "wait":
                for number, seat in enumerate(seats, 1):
                    if seat.socket.fileno() >= 0:
                        expect("seat %d" % number, seat.line(int(rest) / 1000) or "", "")
            elif word in wanted:
                wanted[word].append(rest)
            elif word == "ends":
                status = rest
            else:
                raise Failed("unknown step " + step)
        for number, seat in enumerate(seats, 1):
            if seat.socket.fileno() >= 0:
                expect("seat %d after the last step" % number, seat.line(QUIET) or "", "")
                seat.socket.close()
        code, out, log, err = dealer.end()
        expect("exit status", "ok" if code == 0 else "fail", status)
        expect("output", out.split("\n")[:-1], wanted["out"])
        if "-l" not in options:
            expect("log", log, wanted["log"])
        rest = iter(err)
        for line in wanted["err"]:
            if line not in rest:
                raise Failed("the error stream lacks %r (or has it earlier): %r" % (line, err[:40]))
    finally:
        for seat in seats:
            seat.socket.close()
        dealer.kill()


def views(hand, position, betting, actors, cards, count):
    """Every line that this position is sent in a hand, and its own action after each where it acts."""
    hole, *board = cards.split("/")
    hole = hole.split("|")
    tokens = re.findall(r"r\d+|[fcr]|/+$|/", betting)
    actions = [token for token in tokens if token[0] != "/"]
    folded = {actor for actor, action in zip(actors, actions) if action == "f"}
    prefix, done, lines = "", 0, []

    def line(text, over):
        shown = [h if p == position or (over and len(folded) + 1 < count and p not in folded) else ""
                 for p, h in enumerate(hole)]
        return "MATCHSTATE:%d:%d:%s:%s" % (position, hand, text, "/".join(["|".join(shown)] + board[:text.count("/")]))

    for index, token in enumerate(tokens):
        if token[0] == "/":
            continue
        own = actors[done] == position
        lines.append((line(prefix, False), token if own else None))
        prefix += token
        done += 1
        if index + 1 < len(tokens) and tokens[index + 1][0] == "/":
            prefix += tokens[index + 1]
    lines.append((line(prefix, True), None))
    return lines


def run_match(program, path):
    with open(path) as file:
        (game, hands, seed, count), *records = [line.split() for line in file if not line.startswith("#")]
    count = int(count)
    names = ["p%d" % (i + 1) for i in range(count)]
    dealer = Dealer(program, os.path.join(GAMES, game + ".game"), hands, seed, ["-q"], names)

    def play(number):
        seat = Seat(dealer.ports[number])
        seat.send(b"VERSION:2.0.0\r\n")
        seen = 0
        for hand, (state, actors, _) in enumerate(records):
            _, _, betting, cards = state.split(":")
            position = (number - hand) % count
            for line, action in views(hand, position, betting, [int(a) for a in actors], cards, count):
                expect("seat %d, hand %d" % (number + 1, hand), seat.line(), line + "\r\n")
                seen += 1
                if action:
                    seat.send((line + ":" + action + "\r\n").encode())
        expect("seat %d at the end" % (number + 1), seat.line(), "")
        return seen

    try:
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            lines = sum(pool.map(play, range(count)))
        code, out, log, _ = dealer.end()
    finally:
        dealer.kill()
    expect("exit status", code, 0)
    totals, wanted = [0.0] * count, []
    for hand, (state, _, values) in enumerate(records):
        order = [(position + hand) % count for position in range(count)]
        wanted.append("%s:%s:%s" % (state, values, "|".join(names[i] for i in order)))
        for entrant, value in zip(order, values.split("|")):
            totals[entrant] += float(value)
    text = lambda value: ("%.6f" % value).rstrip("0").rstrip(".")
    wanted.append("SCORE:%s:%s" % ("|".join(map(text, totals)), "|".join(names)))
    expect("output", out, wanted[-1] + "\n")
    expect("log", log, wanted)
    return lines


def blocks(path):
    block = []
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("case "):
                if block:
                    yield block
                block = [line]
            elif line.strip() and not line.startswith("#"):
                block.append(line)
    if block:
        yield block


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    chosen = re.compile(sys.argv[2] if len(sys.argv) > 2 else "")
    folder = os.path.join(HERE, "acpc")
    files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    cases = [block for path in files if path.endswith(".cases") for block in blocks(path) if chosen.search(block[0])]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = [(block[0][5:], pool.submit(run_case, program, block)) for block in cases]
        for name, result in results:
            error = result.exception()
            if isinstance(error, Failed):
                bad += 1
                print("DIFFERS %s: %s" % (name, error))
            elif error:
                raise error
    print("%d of %d conversations identical" % (len(cases) - bad, len(cases)))
    for path in files:
        if path.endswith(".hands") and chosen.search(path):
            try:
                print("%s: %d lines identical" % (os.path.basename(path), run_match(program, path)))
            except Failed as error:
                bad += 1
                print("DIFFERS %s: %s" % (os.path.basename(path), error))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
