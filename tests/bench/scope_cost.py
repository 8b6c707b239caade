#!/usr/bin/env python3
"""Measures the cost of PA_SCOPE relative to an empty pair of RDTSC, with one thread and with one per processor, and the
accuracy of a scope on known work.

    scope_cost.py --scopes SCOPE_COST --known-work KNOWN_WORK [--rounds N]

Uses medians of whole runs in turns. Exit status 1 if a target is missed.
"""
import argparse
import os
import statistics
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "..")]
from child import environment, run_well
from step_rate import conditions

TARGET_NS = 25
TARGET_SLOWDOWN = 1.1
TARGET_DIFFERENCE = 0.02


def figures(*command):
    done = run_well(command, env=environment(PA_SCOPE_REPORT="off"))
    return [float(word) for word in done.stdout.split()]


def medians(rows):
    return [statistics.median(column) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scopes", required=True)
    parser.add_argument("--known-work", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(conditions())
    missed = False

    numbers = sorted({1, os.cpu_count()})
    runs = {number: [] for number in numbers}
    for _ in range(options.rounds):
        for number in numbers:
            runs[number].append(figures(options.scopes, str(number)))
    print(f"\n{'ns a pair':16}{'RDTSC':>10}{'PA_SCOPE':>10}{'with work':>11}   target {TARGET_NS} ns")
    for number in numbers:
        rdtsc, empty, around = medians(runs[number])
        missed |= max(empty, around) > TARGET_NS or empty > TARGET_SLOWDOWN * medians(runs[1])[1]
        print(f"{number:3} thread{'s' if number > 1 else ' ':6}{rdtsc:10.1f}{empty:10.1f}{around:11.1f}")

    print(f"\n{'additions':16}{'ticks':>10}{'reported':>10}{'difference':>12}   target {TARGET_DIFFERENCE:.0%}")
    for blocks in (3, 10, 30, 100):
        outside, inside = medians([figures(options.known_work, str(blocks)) for _ in range(options.rounds)])
        missed |= blocks >= 10 and abs(inside / outside - 1) > TARGET_DIFFERENCE
        print(f"{blocks * 100:<16,}{outside:10.1f}{inside:10.1f}{inside / outside - 1:+12.1%}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
