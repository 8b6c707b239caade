#!/usr/bin/env python3
"""Compares the whole output of commands: NAME.txt next to this file is the output of `itrace ARGUMENTS`.

    golden.py --itrace ITRACE --programs FOLDER NAME

If ITRACE_UPDATE_GOLDEN is set, as by tests/golden/update, NAME.txt is written again. <time> replaces the time spent
tracing, <programs> the folder of the programs, and <pid> the IDs of processes and threads.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment

# NAME: arguments. {programs}: the folder of the built tests/programs; {models}: the two models next to this file.
CASES = {
    "ranking": ["--model", "{models}", "--function", "factorial", "--region", "factorial", "{programs}/recursion"],
    "handlers": ["--model", "{models}", "--top", "2", "{programs}/signal_self"],
    "threads": ["--model", "{models}", "--per-thread", "--top", "1", "{programs}/shares", "four"],
    "visits": ["--model", "{models}", "{programs}/left_region"],
    "compare": ["--model", "{models}", "--compare", "--function", "factorial", "--region", "factorial",
                "{programs}/recursion"],
    # Equal rows are in order of first execution, which only stepping provides.
    "csv": ["--engine", "step", "--model", "{models}", "--format", "csv", "{programs}/rep"],
    "trace": ["--model", "{models}", "--trace", "--region", "unmatched", "{programs}/unmatched"],
    "tree": ["--model", "{models}", "--tree", "--all", "--region", "all", "{programs}/recursion"],
    # factorial is called twice and calls itself 8 times: its inclusive cost is its own cost.
    "functions": ["--model", "{models}", "--calls", "--by", "function", "--all", "--region", "all",
                  "{programs}/recursion"],
    "pipeline": ["--pipeline", "--model", "skylake", "--no-aslr", "{programs}/pipelines"],
    "pairing": ["--model", "pentium", "{programs}/pairs"],
    "block_beyond_bounds": ["block", "--model", "skylake", "--hex", "48f7f1 480fafc3"],
    "block": ["block", "--model", "skylake,zen5", "--hex", "488b07 480fafc3 48 89 47 10 482bd6 75f1 9b "],
    "block_json": ["block", "--model", "haswell", "--mode", "loop", "--format", "json", "--hex", "48 39 c3 75 fb"],
    "block_function": ["block", "--model", "skylake,zen5", "--format", "csv", "--object", "{programs}/recursion",
                       "--function", "factorial"],
    "no_region": ["--model", "{models}", "--region", "nothing", "{programs}/visits"],
}


def filtered(text, programs):
    text = text.replace(programs, "<programs>")
    text = re.sub(r"^(\d+)/\1  ", "<pid>/<pid>  ", text, flags=re.MULTILINE)
    return re.sub(r"tracing took .*", "tracing took <time>", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("name", choices=CASES)
    options = parser.parse_args()
    programs = os.path.abspath(options.programs)
    here = os.path.dirname(os.path.abspath(__file__))
    models = ",".join(os.path.join(here, name) for name in ("toy.cost", "slow-toy.cost"))
    arguments = [argument.format(programs=programs, models=models) for argument in CASES[options.name]]
    done = subprocess.run([options.itrace, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=environment(), timeout=PATIENCE_S)
    found = filtered(done.stdout + done.stderr, programs) + f"(status {done.returncode})\n"
    path = os.path.join(here, options.name + ".txt")
    if os.environ.get("ITRACE_UPDATE_GOLDEN"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(found)
    with open(path, encoding="utf-8") as file:
        expected = file.read()
    if found == expected:
        return 0
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), found.splitlines(True), path, "now"))
    return 1


if __name__ == "__main__":
    sys.exit(main())
