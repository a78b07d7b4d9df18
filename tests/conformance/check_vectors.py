#!/usr/bin/env python3
"""Checks that the subgame solver's inner loops have no gathers and no scatters.

AMD processors up to Zen 4 take gathers and scatters apart into one load or store for each number and more, so that one of
them makes a loop slower than the same in half as wide registers. The compiler puts them in by itself wherever it may
assume AVX-512.

    check_vectors.py target/release/cardroom

Disassembles, with nm and objdump (binutils), the functions of `solvers::holdem::subgame::vector` and looks at those that are compiled
for wider registers. Ends with 0 when all is well, with 1 when it is not, and with 77 where it cannot be said: no objdump, or
a program for another processor.
"""

import collections
import re
import shutil
import subprocess
import sys

NAMES = "nm", "--demangle", "--print-size"
SYMBOL = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) . solvers::holdem::subgame::vector::", re.MULTILINE)
HEAD = re.compile(r"^[0-9a-f]+ <solvers::holdem::subgame::vector::(\w+)::(avx\d+)\b")
FOUND = re.compile(r"\tv?p?(gather|scatter)[a-z]*\b")
CANNOT_SAY = 77


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    objdump = shutil.which("objdump")
    if objdump is None:
        print("no objdump here")
        return CANNOT_SAY
    symbols = subprocess.run([*NAMES, sys.argv[1]], stdout=subprocess.PIPE, text=True, errors="replace").stdout
    ours = [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in SYMBOL.findall(symbols)]
    starts, stops = zip(*ours) if ours else ([0], [1])
    part = f"--start-address={min(starts)}", f"--stop-address={max(stops)}"
    command = [objdump, "-d", "-C", "--no-show-raw-insn", *part, sys.argv[1]]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    functions = set()
    found = collections.Counter()
    current = None
    for line in child.stdout:
        if "file format" in line and "x86-64" not in line:
            print(f"not for x86-64: {line.strip()}")
            child.kill()
            return CANNOT_SAY
        if line.endswith(">:\n"):
            head = HEAD.match(line)
            current = head and head.groups()
            if current:
                functions.add(current)
        elif current and (match := FOUND.search(line)):
            found[(*current, match[1])] += 1
    if child.wait() != 0:
        print(f"{' '.join(command)} ended with {child.returncode}")
        return 1
    widths = collections.Counter(width for _, width in functions)
    print(", ".join(f"{count} functions for {width}" for width, count in sorted(widths.items())))
    for (function, width, what), count in sorted(found.items()):
        print(f"{function} for {width}: {count} {what}s")
    # Without symbols, or where they are named in another way, nothing has been looked at.
    if not {"avx2", "avx512"} <= widths.keys() or ("show", "avx2") not in functions:
        print("the functions looked for are not there: was the program stripped?")
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
