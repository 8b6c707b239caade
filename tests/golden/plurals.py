#!/usr/bin/env python3
"""No text says "1 uops": plurals.py --itrace ITRACE --programs FOLDER

Looks through the expected texts of this folder, and through reports on as little as possible.
"""
import argparse
import glob
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from child import run_well

# Words behind a 1 that end in "s" and are no plurals, and 1 as a part of a name or table.
SINGULAR = "is|was|has|us|ms|ns|s|process|changes|class|uses|less|misses"


def problems(text):
    """Each "1 ...s" in the sentences of a text."""
    return [found for found in re.findall(r"(?<![\w.,:+-])1 [a-z]+(?:-[a-z]+)*s\b", text)
            if not re.fullmatch(f"1 ({SINGULAR})", found)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    texts = {}
    for path in glob.glob(os.path.join(HERE, "*.txt")) + glob.glob(os.path.join(HERE, "unit", "*.txt")):
        with open(path, encoding="utf-8") as file:
            texts[os.path.basename(path)] = file.read()
    hello, programs = os.path.join(options.programs, "hello"), options.programs
    small = ["--max-instructions", "1", "--all"]
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run.itrace")
        run_well([options.itrace, "record", *small, "-o", run, hello])
        commands = [["report", *more, run] for more in
                    ([], ["--tree"], ["--charge-back"], ["--by", "function"], ["--model", "pentium,vax8800"],
                     ["--model", "all"])]
        commands += [["compare", run], ["annotate", run], ["annotate", "--own", run], ["compare", "--top", "1", run],
                     ["--pipeline", *small, hello], ["--per-thread", *small, hello], ["-f", *small, hello],
                     ["annotate", "--top", "1", "--file", "nothing", os.path.join(programs, "collatz")],
                     ["block", "--hex", "90"], ["block", "--hex", "0fa2", "--model", "zen4", "--timeline=1"],
                     ["--function", "factorial", "--max-visits", "1", os.path.join(programs, "recursion")]]
        for command in commands:
            done = run_well([options.itrace, *command])
            texts["itrace " + " ".join(command)] = done.stdout + done.stderr
    wrong = {name: problems(text) for name, text in texts.items() if problems(text)}
    for name, found in wrong.items():
        print(f"{name}: {', '.join(found)}")
    if not any("1 instruction" in text for text in texts.values()):
        print("no report is on 1 instruction")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
