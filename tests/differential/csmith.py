#!/usr/bin/env python3
"""Compares the engines on programs that csmith makes, the same ones each time.

    csmith.py --engines ENGINES --csmith CSMITH [--programs N] [--seconds S] [--first SEED]

Works on all processors, until N programs were compared and S seconds are over. Programs that never end (csmith makes some), or that
execute more instructions than can be stepped in a fraction of a second, do not count; others take their place.
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
import time

SKIPPED = 77
MOST_INSTRUCTIONS = 8000
CPU_SECONDS = 0.1
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
SMALL = ["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--float", "--max-array-dim", "2",
         "--max-array-len-per-dim", "4"]
# A table of checksums is the same in all programs, and longer than most of them: it is made before main.
MAKES_TABLE = "crc32_gentab();"
BEFORE_MAIN = "\n__attribute__((constructor)) static void make_table(void) { crc32_gentab(); }\n"


def include_folder():
    found = glob.glob("/usr/include/csmith*/csmith.h") + glob.glob("/usr/include/csmith.h")
    return os.path.dirname(found[0]) if found else None


def make_program(csmith, include, folder, seed):
    source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    # Csmith writes platform.info where it runs, unless it finds one, and fails on one that another csmith has not written yet.
    subprocess.run([csmith, "--seed", str(seed), *SMALL, "-o", source], check=True, capture_output=True, cwd=folder)
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(source, "w", encoding="utf-8") as file:
        file.write(text.replace(MAKES_TABLE, "", 1) + BEFORE_MAIN)
    subprocess.run(["gcc", "-w", LEVELS[seed % len(LEVELS)], "-I", include, source, "-o", program], check=True)
    return program


def limit_time():
    # Of the processor, so that it is the same programs on a loaded machine. It survives exec, and kills.
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)


def compare_program(options, program, seed):
    """What differs, or None when the program executes too much."""
    ends = subprocess.run([program], capture_output=True, check=False, preexec_fn=limit_time).returncode == 0
    # For a hang: far more than a loaded machine needs.
    done = ends and subprocess.run([options.engines, "--function", "main", "--most", str(MOST_INSTRUCTIONS),
                                    "--traces", str(seed), program], capture_output=True, text=True, timeout=300, check=False)
    if not done or done.returncode == SKIPPED:
        return None
    return done.stdout + done.stderr if done.returncode else ""


def compare(options, include, seed):
    with tempfile.TemporaryDirectory() as folder:
        return compare_program(options, make_program(options.csmith, include, folder, seed), seed)


def compare_all(options, include):
    """Numbers of programs that were compared, and of those that differ; the seed behind the last one."""
    n_cpus = len(os.sched_getaffinity(0))
    start, seeds, n_run, n_failed = time.monotonic(), itertools.count(options.first), 0, 0
    with concurrent.futures.ProcessPoolExecutor(n_cpus) as pool:
        waiting = []
        while True:
            is_enough = n_run >= options.programs and time.monotonic() - start >= options.seconds
            while not is_enough and len(waiting) < 2 * n_cpus:
                seed = next(seeds)
                waiting.append((seed, pool.submit(compare, options, include, seed)))
            if not waiting:
                return n_run, n_failed, next(seeds)
            seed, comparison = waiting.pop(0)
            outcome = comparison.result()
            n_run += outcome is not None
            n_failed += bool(outcome)
            if outcome:
                print(f"seed {seed} {LEVELS[seed % len(LEVELS)]}: {outcome}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("--csmith", required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    include = include_folder()
    if not include:
        print("skipped: csmith.h is not installed")
        return SKIPPED
    n_run, n_failed, end = compare_all(options, include)
    print(f"{n_run - n_failed} of {n_run} programs alike (seeds {options.first} to {end - 1})")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
