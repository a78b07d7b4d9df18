#!/usr/bin/env python3
"""Refuses programs in whose hottest loops the compiler left calls that should have been inlined.

usage: check_calls.py PROGRAM...

A `map` over an array may become a call of `core::array::try_map`, which hands the array over in memory: the
evaluator was once six times as slow for it, with every test passing. No clock tells that on a busy machine, but the
program's code does. Needs line tables in the programs, and `objdump`, `addr2line` and `readelf` of binutils.
"""

import pathlib
import re
import subprocess
import sys
import tomllib

# What must not be called, and from which sources, whatever function they were inlined into.
ARRAYS = re.compile(r"core::array.*(try_map|try_from_fn)")
COPIES = re.compile(r"\bmem(cpy|move|set)(@|\b)")
HOT = {
    ARRAYS: re.compile(
        r"/cards/src/(evaluate/|equity/|isomorphism\.rs)"
        r"|/solvers/src/(abstracted/blueprint/(walk|tables)|holdem/subgame/(rows|vector|terminal))\.rs"
        r"|/models/src/network/(gemm|mod)\.rs"
    ),
    COPIES: re.compile(r"/cards/src/evaluate/(mod|partial|tables|rank)\.rs"),
}


# The crates of this workspace that the profile of tests compiles with optimisation. Into others nothing is inlined.
ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTED = tomllib.loads((ROOT / "Cargo.toml").read_text())["profile"]["dev"]["package"]
OURS = {
    manifest.parent.name
    for pattern in ("*/Cargo.toml", "crates/*/Cargo.toml")
    for manifest in ROOT.glob(pattern)
}
OPTIMISED = {
    crate
    for crate, profile in TESTED.items()
    if profile.get("opt-level") == 3 and crate in OURS
}

# Functions begin at multiples of this.
ALIGNMENT = 16


def lines(*command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout
    if process.returncode != 0:
        sys.exit(f"check_calls: `{' '.join(command[:3])} …` failed")


def calls(program, start, stop):
    """Address and name of each call of a function that hot code must not call, from these addresses."""
    call = re.compile(r"^\s*([0-9a-f]+):\s+(?:call|jmp)q?\s.*?<(.*)>\s*$")
    part = f"--start-address={start}", f"--stop-address={stop}"
    for line in lines("objdump", "-d", "--no-show-raw-insn", "-C", *part, program):
        if found := call.match(line):
            inside = re.search(r"\+0x[0-9a-f]+$", found[2])
            if not inside and (ARRAYS.search(found[2]) or COPIES.search(found[2])):
                yield int(found[1], 16), found[2]


def optimised(program):
    """The ranges of addresses of optimised crates, which lie beside each other in the program."""
    crates = {}
    for line in lines("readelf", "--debug-dump=info", "--dwarf-depth=1", program):
        if found := re.search(r"Compilation Unit @ offset (?:0x)?([0-9a-f]+):", line):
            unit = int(found[1], 16)
        elif found := re.search(r"DW_AT_name.*/@/(\w+)\.", line):
            crates[unit] = found[1]
    functions, crate = [], None
    for line in lines("readelf", "--debug-dump=aranges", program):
        if found := re.search(r"Offset into .debug_info:\s+(?:0x)?([0-9a-f]+)", line):
            crate = crates.get(int(found[1], 16))
        elif crate in OPTIMISED and (found := re.match(r"\s+([0-9a-f]{16}) ([0-9a-f]{16})$", line)):
            functions.append((int(found[1], 16), int(found[1], 16) + int(found[2], 16)))
    if not functions:
        sys.exit(f"check_calls: {program} has no optimised crates by its debug information; build it as tests are")
    ranges = []
    for start, stop in sorted(functions):
        if ranges and start <= ranges[-1][1] + ALIGNMENT:
            ranges[-1][1] = max(stop, ranges[-1][1])
        else:
            ranges.append([start, stop])
    return ranges


def sources(program, addresses):
    """For each address the places in sources that its instruction comes from, innermost first."""
    places = {}
    for start in range(0, len(addresses), 5000):
        for line in lines("addr2line", "-i", "-a", "-e", program, *addresses[start:start + 5000]):
            if line.startswith("0x"):
                places[int(line, 16)] = here = []
            else:
                here.append(line.strip())
    return places


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wrong = 0
    for program in sys.argv[1:]:
        names = dict(call for within in optimised(program) for call in calls(program, *within))
        places = sources(program, [f"{address:x}" for address in names])
        for address, name in names.items():
            rule = ARRAYS if ARRAYS.search(name) else COPIES
            if hot := [place for place in places[address] if HOT[rule].search(place)]:
                wrong += 1
                print(f"{program}: {address:x} calls {name}, from {hot[0]}")
        print(f"{program}: {len(names)} calls looked at")
    if wrong:
        sys.exit(f"check_calls: {wrong} calls in hot code; write the array out, or a loop over it")


if __name__ == "__main__":
    main()
