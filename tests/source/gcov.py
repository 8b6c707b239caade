#!/usr/bin/env python3
"""Compares line counts with gcov's, line by line: gcov.py --itrace ITRACE --cc GCC --gcov GCOV PROGRAM.c

Checks how often each line ran ("runs"), at -O0. By design, the two differ in three ways, all of which are checked. gcov
puts the entry of a function on the line of its name, and DWARF on the line of its brace. gcov omits the exit, on the
line of the last brace. A line with only a label has no code.
"""
import argparse
import gzip
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

LABEL = re.compile(r"(case .*|\w+):")


def run(command, folder):
    return run_well(command, cwd=folder)


def counts_of_gcov(arguments, folder):
    run([arguments.cc, "-O0", "-g", "--coverage", arguments.program, "-o", "covered"], folder)
    run(["./covered"], folder)
    notes = next(name for name in os.listdir(folder) if name.endswith(".gcda"))
    run([arguments.gcov, "--json-format", notes], folder)
    path = next(name for name in os.listdir(folder) if name.endswith(".gcov.json.gz"))
    with gzip.open(os.path.join(folder, path), "rt") as file:
        covered = next(each for each in json.load(file)["files"] if each["file"].endswith(".c"))
    counts = {line["line_number"]: line["count"] for line in covered["lines"] if line["count"] > 0}
    return counts, [each for each in covered["functions"] if each["execution_count"] > 0]


def counts_of_itrace(arguments, folder):
    run([arguments.cc, "-O0", "-g", arguments.program, "-o", "plain"], folder)
    run([arguments.itrace, "annotate", "--function", "main", "--format", "json", "-o", "lines.json", "./plain"], folder)
    with open(os.path.join(folder, "lines.json"), encoding="utf-8") as file:
        region = json.load(file)["regions"][0]
    name = os.path.basename(arguments.program)
    traced = next(each for each in region["files"] if os.path.basename(each["path"]) == name)
    return {line["line"]: line["runs"] for line in traced["lines"]}


def align(expected, functions, program):
    with open(program, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for function in functions:
        expected[function["start_line"] + 1] = expected.pop(function["start_line"])
        expected[function["end_line"]] = function["execution_count"]
    for number in list(expected):
        if LABEL.fullmatch(lines[number - 1].strip()):
            del expected[number]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--itrace", "--cc", "--gcov", "program"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    arguments.itrace = os.path.abspath(arguments.itrace)
    arguments.program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        expected, functions = counts_of_gcov(arguments, folder)
        found = counts_of_itrace(arguments, folder)
    align(expected, functions, arguments.program)
    different = [line for line in sorted(expected.keys() | found.keys()) if expected.get(line) != found.get(line)]
    for line in different:
        print(f"line {line}: gcov {expected.get(line)}, itrace {found.get(line)}")
    print(f"{len(expected)} lines, {len(different)} different")
    return 1 if different or len(expected) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
