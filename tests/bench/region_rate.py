#!/usr/bin/env python3
"""Measures the cost of the pipeline over a region: the processor time of `itrace record` with and without --pipeline
and --caches, and of the report, for gzip and, if it is installed, lua. Fails if --caches and the report take longer
than the target for 100 million instructions.

    region_rate.py --itrace ITRACE [--target SECONDS]
"""
import argparse
import os
import re
import resource
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well  # noqa: E402

LUA = """local t = {}
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for i = 1, 60000 do t[i] = (i * 7919) % 10007 end
table.sort(t)
print(fib(20))
"""


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run_well(command, timeout=None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(itrace, program, folder):
    saved = os.path.join(folder, "run.itrace")
    seconds = [cpu_seconds([itrace, "record", "--all", *options, "-o", saved, *program])[0]
               for options in ([], ["--pipeline"], ["--caches=skylake"])]
    report, text = cpu_seconds([itrace, "report", "--model", "skylake", "--top", "1", saved])
    instructions = int(re.search(r"([\d,]+) instructions", text).group(1).replace(",", ""))
    return instructions, seconds, report


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--target", type=float, default=10.0)
    options = parser.parse_args()
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        text, script = os.path.join(folder, "text"), os.path.join(folder, "script.lua")
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"line {i * 7919 % 10007} of {i} lines, {i * i % 4093} and so on\n" for i in range(20000))
        with open(script, "w", encoding="utf-8") as file:
            file.write(LUA)
        print("| | instructions | record | --pipeline | --caches | report | extra for 100 million |")
        print("|---|---|---|---|---|---|---|")
        for program in (["gzip", "-c", text], ["lua", script]):
            if not shutil.which(program[0]):
                continue
            instructions, (plain, paths, caches), report = measure(options.itrace, program, folder)
            extra = (caches - plain + report) * 1e8 / instructions
            slow |= extra > options.target
            print(f"| {program[0]} | {instructions:,} | {plain:.2f} s | {paths:.2f} s | {caches:.2f} s "
                  f"| {report:.2f} s | {extra:.2f} s |", flush=True)
    return slow


if __name__ == "__main__":
    sys.exit(main())
