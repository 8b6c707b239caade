#!/usr/bin/env python3
"""Compares lines and inlined calls of every instruction of a program with binutils: addr2line.py --lines LINES PROGRAM

If the two differ, addr2line knows less: it reports the file of the unit for a function or an inlined one (2 to 3 % with
DWARF 5, none with DWARF 4). All its other answers must be equal.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well


def addresses(program):
    listing = run_well(["objdump", "-d", program]).stdout
    return re.findall(r"^\s+([0-9a-f]+):\t", listing, re.M)


def clean(place):
    path, line = re.sub(r" \(discriminator \d+\)", "", place).rsplit(":", 1)
    return (os.path.normpath(path), line) if line not in ("0", "?") else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines")
    parser.add_argument("program")
    arguments = parser.parse_args()
    asked = addresses(arguments.program)
    text = "\n".join(asked) + "\n"
    ours = {}
    for line in run_well([arguments.lines, arguments.program], input=text).stdout.splitlines():
        address, *places = line.split(" ")
        ours[address] = [clean(place) for place in places]
    theirs = {}
    for line in run_well(["addr2line", "-i", "-a", "-e", arguments.program], input=text).stdout.splitlines():
        if line.startswith("0x"):
            address = f"{int(line, 16):x}"
            theirs[address] = []
        else:
            theirs[address].append(clean(line))
    known = [each for each in asked if theirs[each][0]]
    different = [each for each in known if ours[each] != theirs[each]]
    fewer = [each for each in asked if theirs[each][0] and not ours[each][0]]
    for each in different[:10]:
        print(each, "itrace", ours[each], "addr2line", theirs[each])
    print(f"{len(known)} known to addr2line, {len(different)} different, {len(fewer)} not known here")
    return 1 if len(known) < 500 or fewer or len(different) * 20 > len(known) else 0


if __name__ == "__main__":
    sys.exit(main())
