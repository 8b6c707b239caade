#!/usr/bin/env python3
"""Checks that a saved run gives identical reports: `itrace PROGRAM` prints the output of `itrace record` followed by
`itrace report`, in every format.

    saved.py --itrace ITRACE --programs FOLDER
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment

# Options of the run, options of the report, and the program. A report by function also contains data of call trees,
# which `record` makes by default.
CASES = [
    (["--function", "factorial"], ["--region", "factorial"], "recursion"),
    (["--calls"], ["--by", "function"], "signal_self"),
    (["--per-thread"], ["--per-thread"], "signal_self"),
    (["--all"], ["--by", "column", "--top", "0"], "kinds_static"),
    (["--all"], ["--by", "inlined", "--format", "json"], "kinds_static"),
    (["--no-calls"], ["--format", "json", "--by", "function"], "rep"),
    ([], ["--format", "csv"], "self_modifying"),
    ([], ["--compare", "--top", "3"], "left_region"),
    (["--all"], ["--compare", "--format", "json"], "unmatched"),
    (["--all"], ["--compare", "--format", "csv", "--by", "mnemonic"], "kinds_static"),
    ([], ["--format", "json"], "vsyscall"),
    (["--calls"], ["--model", "pentium,vax8800", "--by", "function"], "pairs"),
    ([], ["--model", "pentium"], "self_modifying"),
]


def run(itrace, arguments, folder):
    settings = environment(ITRACE_ENGINE="translate")  # counts transfers, as for a saved run, and changes nothing else
    return subprocess.run([itrace, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder,
                          env=settings, timeout=PATIENCE_S)


def filtered(text):
    """Removes times, which differ between runs."""
    return re.sub(r'tracing took .*|"(tracing|wall)_ns": \d+', "<time>", text)


def check(itrace, programs, folder, case):
    run_options, report_options, program = case
    here = os.path.dirname(os.path.abspath(__file__))
    models = ",".join(os.path.join(here, name) for name in ("toy.cost", "slow-toy.cost"))
    report_options = ["--model", models, *report_options]
    command = ["--no-aslr", *run_options]
    program = os.path.join(programs, program)
    direct = run(itrace, [*command, *report_options, program], folder)
    recorded = run(itrace, ["record", "-o", "run.itrace", *command, program], folder)
    reported = run(itrace, ["report", *report_options, "run.itrace"], folder)
    problems = []
    if recorded.stdout != direct.stdout or recorded.returncode != direct.returncode:
        problems.append(f"record ended with {recorded.returncode} and wrote {recorded.stdout!r}")
    if recorded.stderr != "itrace: saved; 'itrace report run.itrace' shows it\n":
        problems.append(f"record said {recorded.stderr!r}")
    if reported.returncode or reported.stderr:
        problems.append(f"report ended with {reported.returncode} and said {reported.stderr!r}")
    problems += difflib.unified_diff(filtered(direct.stderr).splitlines(), filtered(reported.stdout).splitlines(),
                                     "itrace", "itrace report", lineterm="")
    if "--compare" in report_options:
        options = [option for option in report_options if option != "--compare"]
        compared = run(itrace, ["compare", "run.itrace", *options], folder)
        if compared.stdout != reported.stdout:
            problems.append("itrace compare differs from itrace report --compare")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            problems = check(os.path.abspath(options.itrace), os.path.abspath(options.programs), folder, case)
        if problems:
            failed += 1
            print(case, *problems, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
