"""Runs on many machines, with a real nats-server on this one: nothing is lost, whoever is killed.

usage: check_queue.py CARDROOM

CARDROOM must be built with the feature `queue`. A match is played by one process, and again by four
workers, of which one is killed with SIGKILL in the middle of a part, one is stopped with SIGSTOP for
longer than its lease, and one has a slow disk, while the server is ended and started again on its store.
The collected ledger must hold the same rows, and so must that of a match of short parts during which the
server is killed with SIGKILL again and again. Also tried: a measurement, a tournament and its page, wrong
credentials, a full store, a missing server, a command that cannot be cut, a worker whose clock is wrong
(where there is `faketime`). Where there is no nats-server, says so and ends with 0.
"""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

import chromium
import programs
from programs import free_port

# The first hand of `cfr` alone takes a worker longer than it takes to say what it does.
MATCH = "match cfr call --hands 60000 --seed 5 --record hands"
PARTS = 24
TIMEOUT = 180


# Each write to a file, and each wait for the disk, takes 30 ms longer.
SLOW_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
static void wait(int fd) {
    struct stat what;
    if (fstat(fd, &what) == 0 && S_ISREG(what.st_mode)) usleep(30000);
}
#define SLOW(result, name, arguments, ...) \
    result name arguments { \
        static result (*real) arguments; \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
        wait(fd); \
        return real(__VA_ARGS__); \
    }
SLOW(ssize_t, write, (int fd, const void *data, size_t size), fd, data, size)
SLOW(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), fd, data, size, at)
SLOW(int, fsync, (int fd), fd)
SLOW(int, fdatasync, (int fd), fd)
"""


def slow_disk(home):
    """A library that makes a program's disk slow; none where it cannot be built."""
    source, library = (os.path.join(home, name) for name in ("slow_disk.c", "slow_disk.so"))
    with open(source, "w") as file:
        file.write(SLOW_DISK)
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Nats:
    def __init__(self, folder, config=""):
        self.folder, self.config, self.port = folder, config, free_port()
        self.start()

    def start(self):
        path = os.path.join(self.folder, "nats.conf")
        with open(path, "w") as file:
            file.write(self.config)
        command = ["nats-server", "-js", "-a", "127.0.0.1", "-p", str(self.port), "-sd", self.folder]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([*command, "-c", path], **quiet)
        wait("nats-server listens", self.listens)

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def end(self):
        self.process.terminate()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"


def wait(what, so):
    programs.wait(what, so, TIMEOUT)


def rows(folder):
    """The rows of a ledger, without what tells who wrote them, when, and how long agents took."""
    with sqlite3.connect(os.path.join(folder, "ledger.sqlite")) as ledger:
        tables = [name for (name,) in ledger.execute("select name from sqlite_master where type = 'table'")]
        skipped = {"match", "notes", "sqlite_sequence"}
        return {
            table: sorted(map(repr, ledger.execute(f"select * from \"{table}\"")))
            for table in tables
            if table not in skipped
        }


def look(address, run):
    """The page in a browser, on a desk and on a telephone, where there is a browser."""
    if chromium.NAME is None:
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = chromium.Browser(profile)
        try:
            for width, mobile in ((1200, False), (360, True)):
                browser.open_tab(width, 800, mobile)
                browser.load(address + "/runs", f"document.querySelector('[aria-label=\"Run {run}\"]')")
                browser.wait("!!document.querySelector('#live-state .on')", "live")
                browser.pictures(os.path.join(profile, str(width)))
            browser.check_events(address)
            browser.close()
        finally:
            browser.end()


def same_rate(run, rate):
    """The rate of a run's table is that of the whole match."""
    table = run["crosstable"]["results"][0][1]
    for key in ("mbb", "standard_error", "hands", "groups"):
        if abs(table[key] - rate[key]) > 1e-6:
            sys.exit(f"the table of a run has {table} where its match has {rate}")


def main():
    program = os.path.abspath(sys.argv[1])
    if shutil.which("nats-server") is None:
        print("not checked: there is no nats-server on this machine")
        return
    children = []
    with tempfile.TemporaryDirectory() as home:
        try:
            check(program, home, children)
        finally:
            for child in children:
                if child.poll() is None:
                    child.kill()


def check(program, home, children):
    def cardroom(*arguments, code=0, says=""):
        done = subprocess.run([program, *arguments], cwd=home, capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != code or says not in said:
            sys.exit(f"{arguments}: {done.returncode} instead of {code}, or not `{says}`: {said}")
        return done.stdout

    def write(name, text):
        with open(os.path.join(home, name), "w") as file:
            file.write(text)

    cardroom(*MATCH.split(), "--out", "single", "--quiet")
    store = os.path.join(home, "store")
    os.mkdir(store)
    nats = Nats(store)
    children.append(nats.process)
    write("run.toml", f'command = "{MATCH}"\nparts = {PARTS}\n')
    put = json.loads(cardroom("enqueue", "run.toml", "--nats", nats.url, "--lease", "2s", "--json"))
    run = put["run"]
    assert put["put_in"] == PARTS, put
    again = json.loads(cardroom("enqueue", "run.toml", "--nats", nats.url, "--json"))
    assert again["run"] == run and again["put_in"] == 0, again

    def state():
        return json.loads(cardroom("runs", "--nats", nats.url, "show", run, "--json"))

    def worker(name, library=None):
        command = [program, "worker", "--nats", nats.url, "--drain", "--threads", "1", "--cache", name]
        log = open(os.path.join(home, name + ".log"), "w")
        environment = {**os.environ, "LD_PRELOAD": library} if library else None
        child = subprocess.Popen(command, cwd=home, stdout=log, stderr=log, env=environment)
        children.append(child)
        return child

    def log_of(name):
        with open(os.path.join(home, name + ".log")) as log:
            return log.read()

    library = slow_disk(home)
    names = ["killed", "silent", "steady", "slow"]
    workers = [worker(name, library if name == "slow" else None) for name in names]

    def at_work(child):
        return any(
            f"-{child.pid}-" in one["name"].replace("_", "-") and one["part"] for one in state()["workers"]
        )

    wait("the first is at work", lambda: at_work(workers[0]))
    workers[0].send_signal(signal.SIGKILL)
    wait("the second is at work", lambda: at_work(workers[1]))
    workers[1].send_signal(signal.SIGSTOP)
    stopped = time.monotonic()
    wait("a few parts are done", lambda: len(state()["runs"][0]["done"]) >= 4)
    nats.end()
    time.sleep(1)
    nats.start()
    children.append(nats.process)
    wait("it was silent for longer than its lease", lambda: time.monotonic() - stopped > 6)
    workers[1].send_signal(signal.SIGCONT)
    for name, child in zip(names[1:], workers[1:]):
        if child.wait(TIMEOUT) != 0:
            sys.exit(f"the {name} worker ended with {child.returncode}: {log_of(name)}")
    done = state()["runs"][0]
    assert [one["part"] for one in done["done"]] == list(range(1, PARTS + 1)), done
    assert not done["dead"], done

    # As the worker says it: of a part that took longer than its lease, another's result may count.
    steady, slow = (
        [float(seconds) for seconds in re.findall(r"done in ([0-9.]+) s", log_of(name))]
        for name in ("steady", "slow")
    )
    if library and (not slow or min(slow) < max(0.5, min(steady, default=0))):
        sys.exit(f"the disk was not slow: {slow} beside {steady} s a part: {log_of('slow')}")
    report = json.loads(cardroom("runs", "--nats", nats.url, "collect", run, "--out", "whole", "--quiet", "--json"))
    same_rate(done, report["entrants"][0]["rate"])
    single, whole = (rows(os.path.join(home, name)) for name in ("single", "whole"))
    assert single.keys() == whole.keys(), (single.keys(), whole.keys())
    differing = [table for table in single if single[table] != whole[table]]
    if differing or not any(len(table) >= 60000 for table in single.values()):
        sys.exit(f"the collected ledger differs in {differing}")
    cardroom("runs", "--nats", nats.url, "cancel", run, says="removed")
    cardroom("runs", "--nats", nats.url, "show", run, code=3, says="there is no run")

    # Short parts and a server that is killed: workers end when all is recorded, and only then.
    short = "match random call --hands 25600 --seed 5 --record hands"
    cardroom(*short.split(), "--out", "short", "--quiet")
    write("short.toml", f'command = "{short}"\nparts = 100\n')
    run = json.loads(cardroom("enqueue", "short.toml", "--nats", nats.url, "--lease", "2s", "--json"))["run"]
    workers = [worker(name) for name in ("first", "second")]
    for pause in (0.3, 0.7, 1.1):
        time.sleep(pause)
        nats.kill()
        nats.start()
        children.append(nats.process)
    for child in workers:
        if child.wait(TIMEOUT) != 0:
            sys.exit(f"a worker of a killed server ended with {child.returncode}")
    done = state()["runs"][0]
    assert len(done["done"]) == 100 and not done["dead"], done
    collect = ["runs", "--nats", nats.url, "collect", run, "--out", "joined", "--quiet"]
    if subprocess.run([program, *collect], cwd=home, capture_output=True).returncode == 4:
        # The server has lost results with its last writes; their parts are enqueued again.
        cardroom("worker", "--drain", "--threads", "1", "--nats", nats.url)
        cardroom(*collect)
    if rows(os.path.join(home, "short")) != rows(os.path.join(home, "joined")):
        sys.exit("the ledger collected from a killed server differs")
    cardroom("runs", "--nats", nats.url, "cancel", run, says="removed")

    # A measurement: local best response in three parts.
    lbr = "evaluate lbr equity --hands 60 --seed 3"
    write("lbr.toml", f'command = "{lbr}"\nparts = 3\n')
    run = json.loads(cardroom("enqueue", "lbr.toml", "--nats", nats.url, "--json"))["run"]
    cardroom("worker", "--drain", "--threads", "1", "--nats", nats.url)
    whole = json.loads(cardroom("runs", "--nats", nats.url, "collect", run, "--out", "lbr", "--json"))
    single = json.loads(cardroom(*lbr.split(), "--json"))
    if whole != single:
        sys.exit(f"three parts of a measurement differ from one: {whole} {single}")

    # A tournament while it goes on: its table is of the parts that are done, and at the end that of the whole.
    tournament = "tournament random call raise --hands 2000 --seed 4"
    write("tournament.toml", f'command = "{tournament}"\nparts = 4\n')
    run = json.loads(cardroom("enqueue", "tournament.toml", "--nats", nats.url, "--json"))["run"]
    write("serve.toml", f'tables = []\n[queue]\nnats = "{nats.url}"\n')
    page = subprocess.Popen(
        [program, "serve", "--config", "serve.toml", "--bind", "127.0.0.1:0", "--log", "warn"],
        cwd=home, stdout=subprocess.PIPE, text=True,
    )
    children.append(page)
    address = page.stdout.readline().split()[-1]

    def seen():
        queue = json.load(urllib.request.urlopen(address + "/api/v1/runs"))["queue"]
        return next(one for one in queue["runs"] if one["run"] == run)

    assert seen()["crosstable"] is None and not seen()["done"], seen()
    cardroom("worker", "--drain", "--threads", "1", "--nats", nats.url)
    wait("the page knows of all parts", lambda: len(seen()["done"]) == 4)
    shown = cardroom("runs", "--nats", nats.url, "show", run)
    whole = json.loads(cardroom("runs", "--nats", nats.url, "collect", run, "--out", "games", "--json"))
    for one in (seen(), json.loads(cardroom("runs", "--nats", nats.url, "show", run, "--json"))["runs"][0]):
        rates, expected = (table["results"] for table in (one["crosstable"], whole["crosstable"]))
        assert one["crosstable"]["names"] == whole["crosstable"]["names"], one
        for row, expected_row in zip(rates, expected):
            for rate, other in zip(row, expected_row):
                assert (rate is None) == (other is None), (rates, expected)
                same = rate is None or all(abs(rate[key] - other[key]) < 1e-6 for key in ("mbb", "standard_error"))
                assert same and (rate is None or rate["hands"] == other["hands"]), (rate, other)
        assert one["hands"] == 3 * 2000, one
    assert "not separated" in shown and "hands/s" in shown, shown
    html = urllib.request.urlopen(address + "/runs").read().decode()
    assert run in html and "mbb/hand" in html and "<progress" in html, html
    look(address, run)
    page.terminate()
    assert page.wait(TIMEOUT) == 0

    # A clock that is an hour ahead.
    if shutil.which("faketime"):
        command = ["faketime", "-f", "+3600s", program, "worker", "--drain", "--nats", nats.url]
        late = subprocess.run(command, cwd=home, capture_output=True, text=True)
        if late.returncode != 3 or "s ahead of the NATS server's" not in late.stderr:
            sys.exit(f"a wrong clock: {late.returncode} {late.stderr}")
    nats.end()

    # Whatever is refused names the thing and the remedy.
    cardroom("runs", "--nats", nats.url, "list", code=4, says="does not answer")
    write("bad.toml", 'command = "stats data"\nparts = 2\n')
    cardroom("enqueue", "bad.toml", "--nats", nats.url, code=3, says="cannot be cut")
    closed = os.path.join(home, "closed")
    os.mkdir(closed)
    nats = Nats(closed, "authorization { user: a, password: b }\n")
    children.append(nats.process)
    cardroom("worker", "--nats", nats.url, code=3, says="--nats-creds")
    cardroom("runs", "--nats", f"nats://a:b@127.0.0.1:{nats.port}", "list", says="no runs")
    nats.end()
    small = os.path.join(home, "small")
    os.mkdir(small)
    nats = Nats(small, "jetstream { max_file_store: 100KB }\n")
    children.append(nats.process)
    cardroom("enqueue", "run.toml", "--nats", nats.url)
    cardroom("worker", "--drain", "--threads", "1", "--nats", nats.url, code=4, says="no room")
    nats.end()
    print(f"{PARTS} parts by four workers, one killed, one silent, one slow, the server started again: same rows")


main()
