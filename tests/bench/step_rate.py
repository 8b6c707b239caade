#!/usr/bin/env python3
"""Measures the speed of stepping relative to a bare PTRACE_SINGLESTEP loop, and the cost of a small region.

    step_rate.py --itrace ITRACE --bare BARE_STEP --steps PROGRAM --whole PROGRAM --small PROGRAM [--rounds N]

All figures are of whole runs, start and report included. Both sides run in turns, so that they see one state of the
machine. The script prints medians, and the median of the ratios of neighbours, which load affects least. --steps has
one region that is nearly all of it; --whole is stepped from its entry point (--all); --small has a region of 100
instructions. Exit status 1 if a target is missed.
"""
import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well  # noqa: E402

TARGET_RATIO = 0.9
TARGET_SMALL_MS = 30
# Few models, because a rate is that of stepping. The cost of a small region includes itrace's default models.
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")


def conditions():
    model = hypervisor = "?"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                model = value.strip()
            elif key.strip() == "flags":
                hypervisor = "a virtual machine" if "hypervisor" in value.split() else "no virtual machine"
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} processors, {hypervisor}, Linux {platform.release()}, load {load:.2f}"


def timed(command):
    start = time.monotonic()
    done = run_well(command)
    return time.monotonic() - start, done.stdout


def instructions(report):
    with open(report, encoding="utf-8") as file:
        return sum(region["instructions"] for region in json.load(file)["regions"])


def step_rates(options, program, arguments, report):
    """Returns the steps per second of the bare loop and of itrace, and their ratio."""
    bare, ours = [], []
    for _ in range(options.rounds):
        seconds, stdout = timed([options.bare, program])
        bare.append(int(stdout) / seconds)
        seconds, _ = timed([options.itrace, "--engine", "step", "--model", MODEL, "--format", "json", "-o", report,
                            *arguments, program])
        ours.append(instructions(report) / seconds)
    ratio = statistics.median(mine / its for mine, its in zip(ours, bare))
    return statistics.median(bare), statistics.median(ours), ratio


def main():
    parser = argparse.ArgumentParser()
    for name in ("itrace", "bare", "steps", "whole", "small"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(conditions())
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        print(f"\n{'':24}{'bare loop':>12}{'itrace':>12}{'ratio':>8}   target {TARGET_RATIO}")
        for name, program, arguments in (("a region that is a loop", options.steps, []),
                                         ("a whole program, --all", options.whole, ["--all"])):
            bare, ours, ratio = step_rates(options, program, arguments, report)
            missed |= ratio < TARGET_RATIO
            print(f"{name:24}{bare:10,.0f}/s{ours:10,.0f}/s{ratio:8.2f}")

        alone, traced = [], []
        for _ in range(2 * options.rounds):
            alone.append(timed([options.small])[0] * 1000)
            traced.append(timed([options.itrace, "-o", report, options.small])[0] * 1000)
        alone, traced = statistics.median(alone), statistics.median(traced)
        missed |= traced - alone > TARGET_SMALL_MS
        print(f"\n{'':24}{'alone':>12}{'itrace':>12}{'more':>8}   target {TARGET_SMALL_MS} ms")
        print(f"{'100 instructions':24}{alone:9.1f} ms{traced:9.1f} ms{traced - alone:5.1f} ms")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
