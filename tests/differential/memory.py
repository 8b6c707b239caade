#!/usr/bin/env python3
"""Compares allocations by line with the comments in a program's source: each line's allocator, calls, bytes and bytes
kept.

    memory.py --itrace ITRACE --source SOURCE PROGRAM
"""
import argparse
import csv
import io
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")


def expectations(path):
    """Returns calls, bytes and bytes kept by line and allocator."""
    expected = {}
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            comment = re.search(r"// ((?:\w+ \d+ \d+ \d+(?:, )?)+)$", line)
            for part in comment[1].split(", ") if comment else []:
                allocator, *figures = part.split()
                expected[number, allocator] = tuple(map(int, figures))
    return expected


def found_in(itrace, engine, program, source, folder):
    saved = os.path.join(folder, engine)
    run_well([itrace, "record", "--engine", engine, "--memory", "-o", saved, program])
    done = run_well([itrace, "report", "--model", MODEL, "--memory", "--format", "csv", saved])
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["allocator"] not in ("brk", "mmap", "mremap", "munmap") and not float(row["cycles_toy"]):
            sys.exit(f"{engine}: an allocator cost nothing: {row}")
        if os.path.basename(row["file"]) != os.path.basename(source):
            continue
        found[int(row["line"]), row["allocator"]] = tuple(int(row[name]) for name in ("calls", "bytes", "kept_bytes"))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    expected = expectations(options.source)
    problems = []
    for engine in ("step", "translate"):
        with tempfile.TemporaryDirectory() as folder:
            found = found_in(options.itrace, engine, options.program, options.source, folder)
        # The library determines the allocations of an exception, and when strings are freed.
        problems += [f"{engine}: line {line}: {allocator} {found.get((line, allocator))}, not {figures}"
                     for (line, allocator), figures in expected.items() if found.get((line, allocator)) != figures]
    print("\n".join(problems))
    return 1 if problems or len(expected) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
