"""Programs that checks start: a port for them, waiting for them, and a `cardroom serve`."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait(what, so, patience):
    begun = time.monotonic()
    while not so():
        if time.monotonic() - begun > patience:
            sys.exit(f"waited in vain until {what}")
        time.sleep(0.02)


@contextlib.contextmanager
def serving(cardroom, folder, config=None):
    """A `cardroom serve` in this folder, with this configuration, and its address; it must end well when it is told to."""
    if config is not None:
        with open(os.path.join(folder, "cardroom.toml"), "w", encoding="utf-8") as file:
            file.write(config)
    command = [cardroom, "serve", "--bind", "127.0.0.1:0", "--log", "warn"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        yield server, re.fullmatch(r"listening on (http://\S+)\n", server.stdout.readline()).group(1)
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(timeout=60)
    assert code == 0, f"the server ended with {code}"
