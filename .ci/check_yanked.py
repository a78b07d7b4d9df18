#!/usr/bin/env python3
"""Check that no crate in Cargo.lock has been yanked from the registry.

usage: check_yanked.py Cargo.lock

Reads what cargo has fetched of the registry's index, so run `cargo fetch` before it. A crate whose
index entry is not found is an error: nothing is passed over in silence.
"""

import json
import os
import pathlib
import sys
import tomllib


def index_path(name):
    """Where the index keeps a crate: 1/a, 2/ab, 3/a/abc, ab/cd/abcd…"""
    name = name.lower()
    if len(name) <= 2:
        return f"{len(name)}/{name}"
    if len(name) == 3:
        return f"3/{name[0]}/{name}"
    return f"{name[:2]}/{name[2:4]}/{name}"


def versions(data):
    """The entries in a file of cargo's index cache: JSON texts among fields ended by zero bytes."""
    entries = (json.loads(field) for field in data.split(b"\0") if field.startswith(b"{"))
    return {entry["vers"]: entry.get("yanked", False) for entry in entries}


def main():
    packages = tomllib.loads(pathlib.Path(sys.argv[1]).read_text())["package"]
    packages = [package for package in packages if "source" in package]
    home = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    caches = list(home.glob("registry/index/*/.cache"))
    problems = []
    for package in packages:
        name, version = package["name"], package["version"]
        found = {}
        for path in (cache / index_path(name) for cache in caches):
            if path.exists():
                found |= versions(path.read_bytes())
        if version not in found:
            problems.append(f"{name} {version} is not in cargo's copy of the index")
        elif found[version]:
            problems.append(f"{name} {version} has been yanked")
    print("\n".join(problems) or f"{len(packages)} crates, none yanked")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
