#!/usr/bin/env python3
"""Compares the engines on programs that csmith makes, the same ones each time.

    csmith.py --engines ENGINES --csmith CSMITH [--programs N] [--first SEED]

Programs that never end (csmith makes some), or that execute more instructions than can be stepped in a second or two, do
not count; another one takes the place.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

SKIPPED = 77
MOST_INSTRUCTIONS = 30000
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
SMALL = ["--max-funcs", "4", "--max-block-depth", "3", "--max-expr-complexity", "6", "--float"]


def include_folder():
    found = glob.glob("/usr/include/csmith*/csmith.h") + glob.glob("/usr/include/csmith.h")
    return os.path.dirname(found[0]) if found else None


def ends(program):
    try:
        subprocess.run([program], capture_output=True, timeout=1, check=False)
        return True
    except subprocess.TimeoutExpired:
        return False


def compare(engines, program):
    """What differs, or None when the program executes too much."""
    command = [engines, "--function", "main", "--most", str(MOST_INSTRUCTIONS), program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode == SKIPPED:
        return None
    return done.stdout + done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("--csmith", required=True)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    include = include_folder()
    if not include:
        print("skipped: csmith.h is not installed")
        return SKIPPED
    failed = n_run = 0
    seed = options.first
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "random.c"), os.path.join(folder, "random")
        while n_run < options.programs:
            level = LEVELS[seed % len(LEVELS)]
            subprocess.run([options.csmith, "--seed", str(seed), *SMALL, "-o", source], check=True, capture_output=True)
            subprocess.run(["gcc", "-w", level, "-I", include, source, "-o", program], check=True)
            outcome = compare(options.engines, program) if ends(program) else None
            if outcome is not None:
                n_run += 1
                failed += outcome != ""
                if outcome:
                    print(f"seed {seed} {level}: {outcome}", flush=True)
            seed += 1
    print(f"{n_run - failed} of {n_run} programs alike (seeds {options.first} to {seed - 1})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
