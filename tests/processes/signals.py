#!/usr/bin/env python3
"""Checks that a program sees its signals and threads as without itrace: tests/programs/signalling.c and crowd.c

    signals.py --itrace ITRACE --programs FOLDER [--program NAME] CASE ...

Runs with each engine, in a region and in the whole program, with and without following forks.
"""
import argparse
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
WAYS = (("--engine", "step"), ("--engine", "translate"), ("--all", "--engine", "translate"), ("-f", "--all"))


def run(command):
    """Runs a command in its own session, which is killed after a timeout."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True, env=environment()) as process:
        try:
            out, said = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, said = process.communicate()
            said += "(killed: it took too long)"
    return process.returncode, out, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--program", default="signalling")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    program = os.path.join(options.programs, options.program)
    problems = 0
    for case in options.cases or run([program])[1].split():
        status, printed, said = run([program, case])
        if status or not printed:
            print(f"{case}: alone it ends with {status}: {printed}{said}")
            problems += 1
            continue
        for way in WAYS:
            traced = run([options.itrace, "--model", MODEL, "-o", "/dev/null", *way, program, case])
            if traced[:2] != (0, printed):
                print(f"{case}, {' '.join(way)}: ended with {traced[0]} {traced[2]}\n{traced[1]}-- alone:\n{printed}")
                problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
