#!/usr/bin/env python3
"""Compares the engines on programs that csmith generates from fixed seeds.

    csmith.py --engines ENGINES --csmith CSMITH [--programs N] [--first SEED] [--list]

Uses all processors until N programs are compared. Programs that never end (csmith generates some), or that take more
than a fraction of a second to step, do not count, and others replace them. Nearly half are of this kind, so the seeds
in csmith.seeds come first: they give programs that count with the csmith and gcc of Debian 12. --first uses all seeds
from SEED on instead, and --list prints the seeds that count, to write that file again.
"""
import argparse
import concurrent.futures
import glob
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, Failure, run_well

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "csmith.seeds")
SKIPPED = 77
MOST_INSTRUCTIONS = 8000
CPU_SECONDS = 0.1
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
SMALL = ["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--float", "--max-array-dim", "2",
         "--max-array-len-per-dim", "4"]
# The table of checksums, which is equal in all programs and longer than most of them, is computed before main.
MAKES_TABLE = "crc32_gentab();"
BEFORE_MAIN = "\n__attribute__((constructor)) static void make_table(void) { crc32_gentab(); }\n"


def include_folder():
    found = glob.glob("/usr/include/csmith*/csmith.h") + glob.glob("/usr/include/csmith.h")
    return os.path.dirname(found[0]) if found else None


def make_program(csmith, include, folder, seed):
    source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    # csmith writes platform.info to its folder unless it finds one, and fails on one that another csmith is still
    # writing.
    run_well([csmith, "--seed", str(seed), *SMALL, "-o", source], cwd=folder)
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace(MAKES_TABLE, "", 1) + BEFORE_MAIN)
    run_well(["gcc", "-w", LEVELS[seed % len(LEVELS)], "-I", include, source, "-o", program])
    return program


def limit_time():
    # A limit of processor time does not depend on load. It survives exec, and kills.
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)


def compare_program(options, program, seed):
    """Returns the differences, or None if the program executes too much."""
    ends = subprocess.run([program], capture_output=True, check=False, preexec_fn=limit_time).returncode == 0
    done = ends and subprocess.run([options.engines, "--function", "main", "--most", str(MOST_INSTRUCTIONS), "--traces",
                                    str(seed),
                                    program], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if not done or done.returncode == SKIPPED:
        return None
    return done.stdout + done.stderr if done.returncode else ""


def compare(options, include, seed):
    with tempfile.TemporaryDirectory() as folder:
        return compare_program(options, make_program(options.csmith, include, folder, seed), seed)


def all_seeds(first):
    if first:
        return itertools.count(first)
    with open(SEEDS, encoding="ascii") as file:
        known = [int(word) for word in file.read().split()]
    return itertools.chain(known, itertools.count(max(known) + 1))


def compare_all(options, include):
    """Returns the seeds of the programs that were compared, and of those that differ."""
    n_cpus = len(os.sched_getaffinity(0))
    seeds, compared, different, waiting = all_seeds(options.first), [], [], []
    with concurrent.futures.ProcessPoolExecutor(n_cpus) as pool:
        while len(compared) < options.programs:
            while len(waiting) < min(2 * n_cpus, options.programs - len(compared)):
                seed = next(seeds)
                waiting.append((seed, pool.submit(compare, options, include, seed)))
            seed, comparison = waiting.pop(0)
            try:
                outcome = comparison.result()
            except (Failure, subprocess.TimeoutExpired) as failure:
                outcome = str(failure)
            if outcome is not None:
                compared.append(seed)
            if outcome:
                different.append(seed)
                print(f"seed {seed} {LEVELS[seed % len(LEVELS)]}: {outcome}", flush=True)
    return compared, different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("--csmith", required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--first", type=int)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    include = include_folder()
    if not include:
        print("skipped: csmith.h is not installed")
        return SKIPPED
    compared, different = compare_all(options, include)
    if options.list:
        print(textwrap.fill(" ".join(map(str, compared)), 120))
    print(f"{len(compared) - len(different)} of {len(compared)} programs alike (seeds {compared[0]} to {compared[-1]})")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
