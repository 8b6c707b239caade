#!/usr/bin/env python3
"""Compares itrace's count of a function's instructions with that of Valgrind's callgrind: they must be equal.

    callgrind.py --itrace ITRACE PROGRAM FUNCTION

The program must be static, without REP string instructions (callgrind counts their iterations as instructions) and
without code that depends on the processor (Valgrind simulates its own).
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

SKIPPED = 77
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")


def count_by_callgrind(program, function, folder):
    out = os.path.join(folder, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={function}", f"--callgrind-out-file={out}", program]
    run_well(command)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^(?:totals|summary): (\d+)$", file.read(), re.MULTILINE)[1])


def count_by_itrace(itrace, program, function, folder):
    out = os.path.join(folder, "report.json")
    command = [itrace, "--model", MODEL, "--format", "json", "-o", out, "--function", function, program]
    run_well(command)
    with open(out, encoding="utf-8") as file:
        region, = json.load(file)["regions"]
    return region["instructions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("program")
    parser.add_argument("function")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        callgrind = count_by_callgrind(options.program, options.function, folder)
        itrace = count_by_itrace(options.itrace, options.program, options.function, folder)
    print(f"{options.function}: callgrind {callgrind}, itrace {itrace} instructions")
    return 0 if callgrind == itrace else 1


if __name__ == "__main__":
    sys.exit(main())
