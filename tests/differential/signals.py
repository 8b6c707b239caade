#!/usr/bin/env python3
"""Compares the counts of one piece of work with few and with many signals: signals.py --itrace ITRACE PROGRAM"""
import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
NEVER_US = 2000000000
OFTEN_US = 300


def count(itrace, program, interval_us, folder):
    out = os.path.join(folder, "report.json")
    command = [itrace, "--engine", "translate", "--no-aslr", "--model", MODEL, "--format", "json", "-o", out, program]
    printed = run_well(command + [str(interval_us)]).stdout
    with open(out, encoding="utf-8") as file:
        regions = {region["signal_handlers_of"]: region for region in json.load(file)["regions"]}
    forms = {form["form"]: (form["executions"], form["iterations"]) for form in regions[None]["forms"]}
    calls = {call["name"]: call["count"] for call in regions[None]["syscalls"]}
    return printed, forms, calls, regions["work"]["visits"] if "work" in regions else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        never = count(options.itrace, options.program, NEVER_US, folder)
        often = count(options.itrace, options.program, OFTEN_US, folder)
    for form in sorted(set(never[1]) | set(often[1])):
        if never[1].get(form) != often[1].get(form):
            print(f"{form}: {never[1].get(form)} without signals, {often[1].get(form)} with them")
    if never[0] != often[0]:
        print("it prints something else")
    if never[2] != often[2]:
        print(f"system calls: {never[2]} without signals, {often[2]} with them")
    print(f"{often[3]} signals")
    return 0 if never[:3] == often[:3] and often[3] > 10 else 1


if __name__ == "__main__":
    sys.exit(main())
