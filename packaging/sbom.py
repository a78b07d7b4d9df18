"""The bill of materials of the program, as CycloneDX 1.5 JSON: every crate that is linked into it.

usage: sbom.py VERSION
"""

import json
import subprocess
import sys

TARGET = "x86_64-unknown-linux-musl"


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def checksums():
    """SHA-256 of every crate by name and version, from the lock file."""
    found, name, version = {}, None, None
    with open("Cargo.lock", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition(" = ")
            value = value.strip('"')
            if key == "name":
                name = value
            elif key == "version":
                version = value
            elif key == "checksum":
                found[name, version] = value
    return found


def linked(about):
    """The packages that the program needs when it runs, by their ids."""
    nodes = {node["id"]: node for node in about["resolve"]["nodes"]}
    root = next(package["id"] for package in about["packages"] if package["name"] == "cardroom")
    seen, todo = {root}, [root]
    while todo:
        for dependency in nodes[todo.pop()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                todo.append(dependency["pkg"])
    return root, seen


def component(package, sums):
    purl = f"pkg:cargo/{package['name']}@{package['version']}"
    entry = {"type": "library", "bom-ref": purl, "name": package["name"], "version": package["version"],
             "purl": purl}
    if package.get("license"):
        # Before SPDX had expressions, crates wrote `MIT/Apache-2.0`.
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = sums.get((package["name"], package["version"]))
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return entry


def main():
    version = sys.argv[1]
    about, sums = metadata(), checksums()
    root, ids = linked(about)
    packages = sorted((p for p in about["packages"] if p["id"] in ids and p["id"] != root),
                      key=lambda p: (p["name"], p["version"]))
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "cardroom", "version": version,
                                   "licenses": [{"expression": "MIT OR Apache-2.0"}]}},
        "components": [component(package, sums) for package in packages],
    }
    json.dump(bill, sys.stdout, indent=1)
    print()


main()
