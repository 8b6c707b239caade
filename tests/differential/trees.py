#!/usr/bin/env python3
"""Checks that the call trees, charges and system calls by line of a program are identical for both engines, and that
each adds up to the executions of its regions.

    trees.py --itrace ITRACE PROGRAM
"""
import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment, run_well

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
VIEWS = (["--tree"], ["--charge-back"])


def reports(itrace, engine, program, folder):
    """Returns the rows of the CSV by view, and the regions of the JSON."""
    saved = os.path.join(folder, engine)
    # itrace ends with the program's own status.
    subprocess.run([itrace, "record", "--no-aslr", "--engine", engine, "-o", saved, "--all", program],
                   capture_output=True,
                   timeout=PATIENCE_S, env=environment(), check=False)
    found = []
    for view in VIEWS:
        texts = [run_well([itrace, "report", "--model", MODEL, *view, "--format", form, saved]).stdout
                 for form in ("csv", "json")]
        found.append((list(csv.DictReader(io.StringIO(texts[0]))), json.loads(texts[1])["regions"]))
    return found


def own_sums(regions, rows, instructions):
    """Returns instructions of each region by its own count and by the sum of the rows."""
    sums = [0] * len(regions)
    for region, found in enumerate(regions):
        sums[region] = sum(row[instructions] for row in found[rows])
    return [region["instructions"] for region in regions], sums


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stepped, translated = (reports(options.itrace, engine, options.program, folder)
                               for engine in ("step", "translate"))
    problems = []
    for view, one, other in zip(VIEWS, stepped, translated):
        if one[0] != other[0] or not one[0]:
            problems += [f"{view}: {len(one[0])} rows stepped, {len(other[0])} translated",
                         *[f"  {row}" for row in one[0] if row not in other[0]][:5],
                         *[f"  {row}" for row in other[0] if row not in one[0]][:5]]
    for view, rows, instructions in ((0, "call_tree", "own_instructions"), (1, "charges", "instructions")):
        expected, found = own_sums(stepped[view][1], rows, instructions)
        if expected != found:
            problems.append(f"{rows}: {found} instructions, the regions have {expected}")
    for region in stepped[1][1]:
        counts = {}
        for row in region["charges"]:
            for call in row["syscalls"]:
                counts[call["name"]] = counts.get(call["name"], 0) + call["count"]
        expected = {call["name"]: call["count"] for call in region["syscalls"]}
        if counts != expected:
            problems.append(f"system calls by line {counts}, in all {expected}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
