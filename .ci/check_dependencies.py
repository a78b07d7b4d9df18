#!/usr/bin/env python3
"""Check licences, banned crates, wildcards and sources of all dependencies, as .deny.toml says.

usage: check_dependencies.py .deny.toml

For machines without cargo-deny, which takes minutes to compile and checks licence texts and
advisories as well. Run it in the root of the workspace, after `cargo fetch`.
"""

import json
import re
import subprocess
import sys
import tomllib

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def met(expression, allowed):
    """Whether an SPDX expression is met by the allowed licences. A slash is an old OR."""
    words = iter(re.findall(r"[()]|[^\s()/]+|/", expression) + [None])
    word = next(words)

    def take():
        nonlocal word
        taken, word = word, next(words, None)
        return taken

    def single():
        if word == "(":
            take()
            inside = either()
            if take() != ")":
                raise ValueError(expression)
            return inside
        name = take()
        if name is None or name in (")", "/", "AND", "OR", "WITH"):
            raise ValueError(expression)
        if word == "WITH":
            name = f"{name} {take()} {take()}"
        return name in allowed

    def both():
        value = single()
        while word == "AND":
            take()
            value = single() and value
        return value

    def either():
        value = both()
        while word in ("OR", "/"):
            take()
            value = both() or value
        return value

    value = either()
    if word is not None:
        raise ValueError(expression)
    return value


def in_use(*edges):
    """Name, version and licence of all packages but our own, with all features on all systems."""
    command = "cargo tree --workspace --all-features --target all --locked --prefix none".split()
    command += ["--format", "{p}|{l}", *edges]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in sorted({line.removesuffix(" (*)") for line in told.splitlines() if line}):
        package, licence = line.split("|")
        if "(/" not in package:
            yield package.split()[0], package.removesuffix(" (proc-macro)"), licence


def problems(rules):
    allowed = set(rules["licenses"]["allow"])
    for _, package, licence in in_use("--edges", "no-dev"):
        try:
            if not met(licence, allowed):
                yield f"{package}: its licence is {licence}"
        except ValueError:
            yield f"{package}: its licence cannot be read: {licence!r}"
    banned = {ban["crate"]: ban["reason"] for ban in rules["bans"]["deny"]}
    for name, package, _ in in_use():
        if name in banned:
            yield f"{package} is banned: {banned[name]}"
    with open("Cargo.lock", "rb") as file:
        for package in tomllib.load(file)["package"]:
            if package.get("source", REGISTRY) != REGISTRY:
                yield f"{package['name']} comes from {package['source']}"
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--no-deps"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    for package in json.loads(told.stdout)["packages"]:
        for need in package["dependencies"]:
            if need["req"] == "*" and need.get("path") is None:
                yield f"{package['name']} takes any version of {need['name']}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        rules = tomllib.load(file)
    found = list(problems(rules))
    for problem in found:
        print(problem, file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"{len(list(in_use()))} packages: licences, bans and sources are as {sys.argv[1]} says")


if __name__ == "__main__":
    main()
