#!/usr/bin/env python3
"""Compares the call trees of itrace with those of Valgrind's callgrind, both read by callgrind_annotate: inclusive and
exclusive instructions of each function in a program's own source. Compares itrace's report by function as well.

    inclusive.py --itrace ITRACE --function FUNCTION PROGRAM

The program is static, and the compared code does not depend on the processor.
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

SKIPPED = 77
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
ROW = re.compile(r"^ *([\d,]+) \(.*?\)  (?:[\d,]+ \(.*?\) +)?(\S+):(\S+)(?: \[.*)?$")


def annotate(path, source, *options):
    """Returns instructions by function, for the functions in the source file."""
    done = run_well(["callgrind_annotate", "--threshold=100", "--auto=no", "--show=Ir", *options, path],
                    cwd=os.path.dirname(path))
    if done.stderr:
        sys.exit(f"callgrind_annotate on {path}: {done.stderr}")
    functions = {}
    for line in done.stdout.splitlines():
        match = ROW.match(line)
        if match and os.path.basename(match[2]) == source:
            # callgrind gives recursive calls to a function NAME'2: a part of the cost of the outermost call.
            name, _, inner = match[3].partition("'")
            if not inner or "--inclusive=no" in options:
                functions[name] = functions.get(name, 0) + int(match[1].replace(",", ""))
    functions.pop("main", None)  # its other code is outside the region
    return functions


def by_function(itrace, path, function, program, inclusive):
    """Returns the figures of itrace's report by name."""
    run_well([itrace, "--model", MODEL, "--calls", "--by", "function", "--format", "json", "-o", path, "--function",
              function, program])
    with open(path, encoding="utf-8") as file:
        groups = json.load(file)["regions"][0]["groups"]
    return {group["name"]: group["executions_with_calls" if inclusive else "executions"] for group in groups}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    source = os.path.basename(options.program) + ".c"
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = os.path.join(folder, "valgrind"), os.path.join(folder, "itrace")
        run_well(["valgrind", "--tool=callgrind", f"--toggle-collect={options.function}",
                  f"--callgrind-out-file={theirs}",
                  options.program])
        run_well([options.itrace, "--model", MODEL, "--format", "callgrind", "-o", ours, "--function", options.function,
                  options.program])
        for mode in ("no", "yes"):
            expected = annotate(theirs, source, f"--inclusive={mode}")
            found = annotate(ours, source, f"--inclusive={mode}")
            print(f"inclusive={mode}: {len(expected)} functions")
            if len(expected) < 8:
                problems.append(f"callgrind shows only {sorted(expected)}")
            problems += [f"inclusive={mode}, {name}: callgrind {expected.get(name)}, itrace {found.get(name)}"
                         for name in sorted({*expected, *found}) if expected.get(name) != found.get(name)]
            reported = by_function(options.itrace, os.path.join(folder, "report"), options.function, options.program,
                                   mode == "yes")
            problems += [f"inclusive={mode}, {name}: callgrind {count}, --by function {reported.get(name)}"
                         for name, count in sorted(expected.items()) if count != reported.get(name)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
