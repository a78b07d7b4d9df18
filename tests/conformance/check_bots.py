#!/usr/bin/env python3
"""Have the sample bots of examples/bots/ verified: each reply legal and in time, and a match played.

usage: check_bots.py CARDROOM

The Python bot is the one that `cardroom init` writes; those in C++ and Rust are compiled with the
commands in their first lines, and the one for the engine of MIT Pokerbots is a folder that plays as
it is. Exits 1 when a bot cannot be compiled or a reply breaks the rules.
"""

import pathlib
import subprocess
import sys
import tempfile

GAME = "holdem.nolimit.2p.reverse_blinds"
BOTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "bots"


def run(folder, *words):
    """Runs a command in the folder; ends the check where it fails."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


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


if __name__ == "__main__":
    main()
