#!/usr/bin/env python3
"""The pipeline estimator against kernels that this machine runs: measured core cycles of one call, what itrace makes of
the traced region, and what llvm-mca-22 makes of the loop.

    tests/accuracy/kernels/kernels.py --itrace build/itrace --kernels build/tests/accuracy/kernels/kernels
        [--model NAME] [--visits N] [--mca] [--most-median PERCENT] [--most PERCENT] [KERNEL ...]

itrace traces N calls with --pipeline, so that branches are predicted from what came before, and their mean counts.
llvm-mca gets the loop that most instructions are executed in: those between the target of its jump and the jump that at
least half of its iterations execute, in a row, for it knows no branches; its cycles are those of one iteration times
the iterations. Exit status 1 if the median error is above --most-median, or one that NOTES does not explain is above
--most; 77, skipped, if itrace has no pipeline of this machine or its clock changes too much.
"""
import argparse
import collections
import csv
import json
import os
import re
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import bhive  # noqa: E402
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from child import run_well  # noqa: E402

# Why an estimate is off that may be off by more than the limit.
NOTES = {
    "binary_search": "mispredicts: the CPU has seen the same searches a thousand times, the estimate --visits times",
    "tree": "mispredicts: the CPU has seen the same searches a thousand times, the estimate --visits times",
    "mixed_branches": "mispredicts: the CPU has seen the same bytes a thousand times, the estimate --visits times",
}

# The model: llvm-mca's name.
MCA_CPUS = {"zen1": "znver1", "zen2": "znver2", "zen3": "znver3", "zen4": "znver4", "zen5": "znver5",
            "lunarlake": "lunarlake", "icelake": "icelake-server"}

TRACE_LINE = re.compile(r"0x([0-9a-f]+) +\S+ +([0-9a-f]+) +(\S+)(?: 0x([0-9a-f]+))?")


def run(command):
    return run_well(command).stdout


def measure(kernels):
    rows = csv.reader(run([kernels]).splitlines())
    return {name: (float(cycles), float(spread)) for name, cycles, spread in rows}


def host_model(itrace):
    for line in run([itrace, "models"]).splitlines():
        if line.startswith("host is "):
            return line.split()[2].rstrip(",;")
    return None


def estimate(itrace, model, kernels, name, visits):
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        run([itrace, "--pipeline", "--model", model, "--function", f"kernel_{name}", "--format", "json", "-o",
             output.name, kernels, name, str(visits)])
        region = json.load(open(output.name, encoding="utf-8"))["regions"][0]
    found = region["estimates"][0]
    return found["cycles"] / region["visits"] if found["estimator"] == "pipeline" else None


def hot_loop(itrace, kernels, name):
    """(Bytes in hexadecimal, iterations) of the loop that most instructions of a call are executed in."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as output:
        run([itrace, f"--trace={output.name}", "--function", f"kernel_{name}", "-o", "/dev/null", kernels, name, "1"])
        text = open(output.name, encoding="utf-8").read()
    counts, code = collections.Counter(), {}
    jumps = {}
    for address, encoded, mnemonic, target in TRACE_LINE.findall(text):
        address = int(address, 16)
        counts[address] += 1
        code[address] = encoded
        if target and mnemonic.startswith("j") and int(target, 16) <= address:
            jumps[address] = int(target, 16)
    best, best_weight = None, 0
    for jump, target in jumps.items():
        body = [address for address in sorted(code)
                if target <= address <= jump and 2 * counts[address] >= counts[jump]]
        weight = len(body) * counts[jump]
        # of an outer loop and the inner one that lies in it, the inner one has more iterations
        if counts[jump] > 1 and (weight > best_weight or (best and counts[jump] > 4 * best[1])):
            best, best_weight = (body, counts[jump]), weight
    if not best:
        return None
    return "".join(code[address] for address in best[0]), best[1]


def mca_estimate(itrace, model, kernels, name):
    loop = hot_loop(itrace, kernels, name)
    if not loop:
        return None
    cycles, = bhive.mca_cycles(MCA_CPUS.get(model, model), [(loop[0], 0)])
    return cycles and cycles * loop[1]


def percent(estimated, measured):
    return f"{100 * (estimated - measured) / measured:+.1f} %" if estimated else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--model", help="default: this machine's")
    parser.add_argument("--visits", type=int, default=16)
    parser.add_argument("--mca", action="store_true")
    parser.add_argument("--most-median", type=float, default=12.0)
    parser.add_argument("--most", type=float, default=40.0)
    parser.add_argument("names", nargs="*", metavar="KERNEL", help="default: all")
    options = parser.parse_args()
    model = options.model or host_model(options.itrace)
    measured = {name: found for name, found in measure(options.kernels).items() if name in (options.names or [name])}
    if not model or not measured or not estimate(options.itrace, model, options.kernels, next(iter(measured)), 1):
        print("skipped: itrace has no pipeline of this machine, or the machine's clock changes too much")
        return 77
    errors, mca_errors, missed = [], [], []
    print(f"{'kernel':20} {'measured':>9} {'spread':>7} {model:>9} {'error':>9}"
          + (f" {'mca-22':>9} {'error':>9}" if options.mca else ""))
    for name, (cycles, spread) in measured.items():
        ours = estimate(options.itrace, model, options.kernels, name, options.visits)
        errors.append(100 * abs(ours - cycles) / cycles)
        line = f"{name:20} {cycles:9.0f} {spread:5.1f} % {ours:9.0f} {percent(ours, cycles):>9}"
        if options.mca:
            mca = mca_estimate(options.itrace, model, options.kernels, name)
            line += f" {mca or 0:9.0f} {percent(mca, cycles):>9}"
            if mca:
                mca_errors.append(100 * abs(mca - cycles) / cycles)
        if errors[-1] > options.most:
            line += f"  {NOTES.get(name, 'not explained')}"
            missed += [name] if name not in NOTES else []
        print(line, flush=True)
    median = statistics.median(errors)
    print(f"{len(errors)} kernels: median error {median:.1f} %, mean {statistics.mean(errors):.1f} %"
          + (f"; llvm-mca-22: median {statistics.median(mca_errors):.1f} %, mean {statistics.mean(mca_errors):.1f} %"
             if mca_errors else ""))
    if median > options.most_median or missed:
        print(f"MISSED: median at most {options.most_median} %, none above {options.most} % unexplained: "
              f"{' '.join(missed)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
