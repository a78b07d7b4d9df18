"""Two `cardroom serve` behind one address: sessions stay with their process, whichever is killed.

usage: check_processes.py CARDROOM [SESSIONS [HANDS [AGENT]]]

Starts two processes and HAProxy with packaging/haproxy.cfg (the ports aside), and plays SESSIONS sessions of
HANDS hands of the Slumbot API through the one address. In the middle one process is killed with SIGKILL and
started again: sessions of the other notice nothing, its own go on. Every hand that a client saw end is in the
ledger of its session's process, once, and the sums of clients and server agree. Also tried: two processes on
one folder, a proxy that is believed and one that is not, the limit of sessions for one user. Ends with the
rates of the run. Where there is no haproxy, says so and ends with 77.
"""

import http.client
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import programs
from programs import free_port

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = 16
TIMEOUT = 60


def wait(what, so):
    programs.wait(what, so, TIMEOUT)


class Serve:
    """A process with a folder of its own."""

    def __init__(self, program, home, number, agent, more=""):
        self.program, self.home, self.number = program, home, number
        self.port = free_port()
        self.config = os.path.join(home, f"{number}.toml")
        with open(self.config, "w") as file:
            file.write(
                f'[server]\nbind = "127.0.0.1:{self.port}"\ndata = "data{number}"\n'
                f'proxies = ["127.0.0.1"]\nmax_connections = 4096\n'
                f'[slumbot]\nprocess = {number}\nagent = "{agent}"\n{more}'
            )
        self.cpu = 0.0
        self.start()

    def start(self):
        log = open(os.path.join(self.home, f"{self.number}.log"), "a")
        command = [self.program, "serve", "--config", self.config]
        self.process = subprocess.Popen(command, cwd=self.home, stdout=log, stderr=log)
        wait(f"process {self.number} answers", self.ready)

    def ready(self):
        if self.process.poll() is not None:
            sys.exit(f"process {self.number} ended: {open(os.path.join(self.home, f'{self.number}.log')).read()}")
        try:
            return ask(self.port, "GET", "/readyz")[0] == 200
        except OSError:
            return False

    def kill(self):
        self.cpu += cpu(self.process.pid)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.cpu += cpu(self.process.pid)
        self.process.terminate()
        if self.process.wait(TIMEOUT) != 0:
            sys.exit(f"process {self.number} ended with {self.process.returncode}")

    def hands(self):
        """The hands in its ledgers."""
        folder = os.path.join(self.home, f"data{self.number}", "matches")
        counts = []
        for name in os.listdir(folder):
            with sqlite3.connect(os.path.join(folder, name, "ledger.sqlite")) as ledger:
                counts += ledger.execute("select count(*) from hands").fetchone()
        return sum(counts)


def cpu(pid):
    """Processor seconds of a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Megabytes that a process has in memory."""
    with open(f"/proc/{pid}/status") as file:
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def ask(port, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        return send(connection, method, path, body, headers)
    finally:
        connection.close()


def send(connection, method, path, body=None, headers=None):
    headers = {"Content-Type": "application/json", **(headers or {})}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    data = answer.read()
    is_json = "json" in answer.getheader("Content-Type", "")
    return answer.status, json.loads(data) if is_json else data


class Session:
    """What a client knows of its session."""

    def __init__(self):
        self.token = None
        self.begun = self.ended = self.won = self.failures = 0
        self.last = None

    def process(self):
        return int(self.token[:2], 16)


class Client(threading.Thread):
    """Plays its sessions in turns over one connection, those first whose process is there."""

    def __init__(self, port, sessions, hands, seed):
        super().__init__(daemon=True)
        self.port, self.hands, self.rng = port, hands, random.Random(seed)
        self.sessions = [Session() for _ in range(sessions)]
        self.times, self.bad = [], None

    def run(self):
        try:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
            while waiting := [session for session in self.sessions if session.begun < self.hands]:
                for session in waiting:
                    self.hand(session)
        except Exception as error:  # noqa: BLE001
            self.bad = repr(error)

    def call(self, session, what, body):
        """An answer, or none where the process was away."""
        begun = time.monotonic()
        try:
            code, answer = send(self.connection, "POST", f"/slumbot/api/{what}", body)
        except (OSError, http.client.HTTPException):
            self.connection.close()
            code, answer = 0, None
        if code != 200:
            if code not in (0, 502, 503, 504):
                raise RuntimeError(f"{code} {answer}")
            session.failures += 1
            time.sleep(0.1)
            return None
        self.times.append(time.monotonic() - begun)
        if "error_msg" in answer:
            raise RuntimeError(f"{session.token}: {answer}")
        return answer

    def hand(self, session):
        answer = self.call(session, "new_hand", {"token": session.token} if session.token else {})
        if answer is None:
            return
        session.begun += 1
        session.token = answer.get("token", session.token)
        while "winnings" not in answer:
            action = answer["action"]
            letter = action.rstrip("0123456789")[-1:]
            owes = letter in ("", "b")
            incr = ("f" if self.rng.random() < 0.1 else "c") if owes else "k"
            answer = self.call(session, "act", {"token": session.token, "incr": incr})
            if answer is None:
                # Whether it was played shows in the session's sums.
                return
        session.ended += 1
        session.won += answer["winnings"]
        session.last = answer


def main():
    program = os.path.abspath(sys.argv[1])
    sessions, hands, agent = (sys.argv[2:] + ["160", "20", "call"][len(sys.argv) - 2 :])[:3]
    haproxy = shutil.which("haproxy") or shutil.which("/usr/sbin/haproxy")
    if haproxy is None:
        print("not checked: there is no haproxy on this machine")
        sys.exit(77)
    children = []
    with tempfile.TemporaryDirectory() as home:
        try:
            check(program, haproxy, home, children, int(sessions), int(hands), agent)
        finally:
            for child in children:
                if child.poll() is None:
                    child.kill()


def check(program, haproxy, home, children, sessions, hands, agent):
    servers = [Serve(program, home, number, agent) for number in (1, 2)]
    children += [server.process for server in servers]
    port = free_port()
    with open(os.path.join(HERE, "..", "..", "packaging", "haproxy.cfg")) as file:
        config = file.read()
    for written, real in ((5253, servers[0].port), (5254, servers[1].port), (8080, port)):
        config = config.replace(f"127.0.0.1:{written}", f"127.0.0.1:{real}")
    path = os.path.join(home, "haproxy.cfg")
    with open(path, "w") as file:
        file.write(config)
    log = open(os.path.join(home, "haproxy.log"), "w")
    proxy = subprocess.Popen([haproxy, "-f", path, "-db"], stdout=log, stderr=log)
    children.append(proxy)

    def answers():
        try:
            return ask(port, "GET", "/readyz")[0] == 200
        except OSError:
            return False

    wait("the proxy answers", answers)
    empty = [memory(server.process.pid) for server in servers]
    clients = [Client(port, sessions // THREADS, hands, seed) for seed in range(THREADS)]
    begun = time.monotonic()
    for client in clients:
        client.start()
    every = [session for client in clients for session in client.sessions]
    total = len(every) * hands

    def played():
        return sum(session.ended for session in every)

    wait("a third is played", lambda: played() > total / 3 or any(client.bad for client in clients))
    servers[1].kill()
    away = time.monotonic()

    def of_first():
        return sum(session.ended for session in every if session.token and session.process() == 1)

    before = of_first()
    wait("the other goes on", lambda: of_first() > before + 5 or any(client.bad for client in clients))
    servers[1].start()
    children.append(servers[1].process)
    away = time.monotonic() - away
    for client in clients:
        client.join(600)
    seconds = time.monotonic() - begun
    for client in clients:
        if client.bad or client.is_alive():
            sys.exit(f"a client failed: {client.bad or 'it waits'}")
    full = [memory(server.process.pid) for server in servers]

    # Where sessions are, and what they have come to.
    shares = [sum(session.process() == number for session in every) for number in (1, 2)]
    if min(shares) < len(every) // 5:
        sys.exit(f"sessions lie {shares}")
    for session in every:
        last, failures = session.last, session.failures
        if session.process() == 1 and failures:
            sys.exit(f"a session of the process that stayed failed {failures} times")
        count = last["session_num_hands"]
        if not session.ended <= count <= session.ended + failures:
            sys.exit(f"{session.token}: {count} hands where {session.ended} ended and {failures} requests failed")
        if not failures and last["session_total"] != session.won:
            sys.exit(f"{session.token}: {last['session_total']} where {session.won} was won")
    counted = [
        sum(session.last["session_num_hands"] for session in every if session.process() == number)
        for number in (1, 2)
    ]

    # Two processes on one folder.
    other = os.path.join(home, "same.toml")
    with open(servers[0].config) as file:
        config = file.read().replace(f":{servers[0].port}", f":{free_port()}")
    with open(other, "w") as file:
        file.write(config)
    second = subprocess.run([program, "serve", "--config", other], cwd=home, capture_output=True, text=True)
    if second.returncode != 3 or "in use by another process" not in second.stderr:
        sys.exit(f"a second process on one folder: {second.returncode} {second.stderr}")

    for server in servers:
        server.end()
    recorded = [server.hands() for server in servers]
    if recorded != counted:
        sys.exit(f"ledgers hold {recorded} hands where sessions have {counted}")
    ledgers = [os.path.join(f"data{server.number}", "matches", f"slumbot-{agent}") for server in servers]
    joined = subprocess.run(
        [program, "import", *ledgers, "--out", "both"], cwd=home, capture_output=True, text=True
    )
    if joined.returncode != 0 or f"{sum(recorded):,} hands" not in joined.stdout:
        sys.exit(f"the two ledgers cannot be made one: {joined.stdout} {joined.stderr}")
    limits(program, home, children)

    times = sorted(moment for client in clients for moment in client.times)
    each = 1000 * sum(server.cpu for server in servers) / sum(recorded)
    more = [after - before for after, before in zip(full, empty)]
    print(
        f"{len(every)} sessions, {shares[0]} and {shares[1]} in two processes, one killed for {away:.1f} s: "
        f"{sum(recorded):,} hands, each recorded once\n"
        f"{sum(recorded) / seconds:,.0f} hands and {len(times) / seconds:,.0f} requests a second; half of them "
        f"within {1000 * times[len(times) // 2]:.1f} ms, 99 % within {1000 * times[len(times) * 99 // 100]:.1f} ms\n"
        f"{each:.2f} ms of a processor for a hand; {full[0]:.0f} and {full[1]:.0f} MB of memory, "
        f"{more[0]:.0f} and {more[1]:.0f} more than before the first session"
    )


def limits(program, home, children):
    """One user's sessions; a proxy is believed when it is named, and nobody else."""
    server = Serve(program, home, 3, "call", "max_sessions_of_user = 2\nrate = 1000\n")
    children.append(server.process)

    def begin(address, what="new_hand", **body):
        headers = {"X-Forwarded-For": address} if address else {}
        return ask(server.port, "POST", f"/api/{what}", body, headers)[0]

    asked = [begin("192.0.2.1"), begin("192.0.2.1"), begin("192.0.2.1"), begin("192.0.2.2")]
    asked += [begin("192.0.2.1, 192.0.2.3"), begin("192.0.2.1", "login", username="ann", password="x")]
    asked += [begin(None, "login", username="ann", password="x"), begin("x", "login", username="ann", password="x")]
    if asked != [200, 200, 429, 200, 200, 200, 200, 429]:
        sys.exit(f"sessions of users: {asked}")
    server.end()
    with open(server.config) as file:
        config = file.read().replace("proxies = ", "# proxies = ")
    with open(server.config, "w") as file:
        file.write(config)
    server.start()
    children.append(server.process)
    asked = [begin("192.0.2.1"), begin("192.0.2.2"), begin("192.0.2.4")]
    if asked != [200, 200, 429]:
        sys.exit(f"a proxy that is not named is believed: {asked}")
    server.end()


main()
