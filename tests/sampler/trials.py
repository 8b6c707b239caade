#!/usr/bin/env python3
"""Samples fifteen equal delays repeatedly, with a good period and with one in step with the program.

    trials.py --itrace ITRACE --programs FOLDER [--trials 20] [--method perf|stops]

Prints the number of trials in which all fifteen shares lie in their printed intervals, and in which itrace reports
aliasing and names rows. This is not a test: the results depend on the machine, and it takes minutes.
"""
import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

NAMES = ["delay_" + name for name in ("one two three four five six seven eight nine ten eleven twelve thirteen "
                                      "fourteen "
                                      "fifteen").split()]


def sample(options, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        run_well([options.itrace, "sample", "--method", options.method, "--format", "json", "-o", report, *arguments])
        with open(report, encoding="utf-8") as file:
            return json.load(file)


def good(options):
    """Returns True if all delays agree, and the widest interval and the furthest share in percent."""
    report = sample(options, "--period", "1ms", os.path.join(options.programs, "patest"), "150000", "9", "5")
    rows = [row for row in report["rows"] if row["name"] in NAMES]
    delays = sum(row["samples"][0] for row in rows) / report["series"][0]["samples"]
    inside = sum(row["low"] <= delays / 15 <= row["high"] for row in rows)
    return inside == 15, inside, max((abs(row["share"] - delays / 15) for row in rows), default=1)


def bad(options):
    report = sample(options, "--trials", "--period", "1ms", os.path.join(options.programs, "in_step"), "--us", "1000",
                    "600")
    names = {report["rows"][move["row"]]["name"] for move in report["verdict"]["moved"]}
    return report["verdict"]["off_period"] == "bad" and bool(names & set(NAMES))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--method", default="perf", choices=["perf", "stops"])
    options = parser.parse_args()
    options.itrace = os.path.abspath(options.itrace)
    n_good = n_bad = 0
    for trial in range(options.trials):
        agree, inside, furthest = good(options)
        aliasing = bad(options)
        n_good += agree
        n_bad += aliasing
        print(f"{trial + 1:3}: {inside} of 15 in their intervals, furthest {100 * furthest:.2f} %; "
              f"in step: {'aliasing' if aliasing else 'not seen'}", flush=True)
    print(f"good period: all fifteen agree in {n_good} of {options.trials} trials; in step: aliasing said in {n_bad}")


if __name__ == "__main__":
    main()
