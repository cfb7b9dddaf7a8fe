#!/usr/bin/env python3
"""Reads what ptxas -v said of the kernels, prints a summary, and fails for a kernel that spills registers.

    check_ptxas.py LOG sm_80 sm_90...      the architectures that it must speak of

Kernels for heads 128 wide may: no model that the project presets has them (tiny 32, base 64). And a few words of short
attention's backward pass, which has fewer registers than it would take, so that more sentences are worked on at a time."""
import collections
import pathlib
import re
import subprocess
import sys

HEADS_128_WIDE = re.compile(r"attention\w*<[^>]*\b128\b")
FEW_REGISTERS, FEW_BYTES = re.compile(r"attention_short_backward<"), 128
KERNEL = re.compile(r"Compiling entry function '(\w+)' for '(sm_\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def kernels(text):
    """(name, architecture, bytes spilled, registers) of each kernel."""
    name = architecture = spilled = None
    for line in text.splitlines():
        if match := KERNEL.search(line):
            name, architecture = match.groups()
        elif match := SPILLS.search(line):
            spilled = max(int(match[2]), int(match[3]))
        elif (match := REGISTERS.search(line)) and name:
            yield name, architecture, spilled, int(match[1])
            name = spilled = None


def main():
    found = list(kernels(pathlib.Path(sys.argv[1]).read_text(errors="replace")))
    names = subprocess.run(["c++filt"], input="\n".join(k[0] for k in found), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    counts, most, failures = collections.Counter(), collections.Counter(), []
    for name, (_, architecture, spilled, registers) in zip(names, found):
        counts[architecture] += 1
        most[architecture] = max(most[architecture], registers)
        if spilled is None:
            print(f"no word about spills, {architecture}: {name}")
            failures.append(name)
        if spilled:
            allowed = HEADS_128_WIDE.search(name) or (FEW_REGISTERS.search(name) and spilled <= FEW_BYTES)
            print(f"{'allowed' if allowed else 'SPILLS'}: {spilled} bytes, {architecture}: {name}")
            failures += [] if allowed else [name]
    for architecture in sorted(counts):
        print(f"{architecture}: {counts[architecture]} kernels, at most {most[architecture]} registers")
    expected = set(sys.argv[2:])
    if set(counts) != expected:
        print(f"expected kernels for {sorted(expected)}, got {sorted(counts)}: build from scratch for a full report")
        return 1
    print(f"{len(failures)} spill, or may")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
