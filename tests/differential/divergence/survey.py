#!/usr/bin/env python3
"""Runs Debian command lines with both engines, and reports which ones differ, where and why.

    survey.py --divergence DIVERGENCE [--quick] [--only TEXT] [--jobs N] [--verbose]

commands.list holds the command lines, and the causes that may make the engines differ. Fails if they differ for another
cause, or if no cause was found.
"""
import argparse
import collections
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from commands import PATH, lay_out

SKIPPED = 77
# The longest commands take about 3 million instructions, six times if the engines differ, at 50,000 a second or less.
PATIENCE_S = 1800
EQUAL, MISSING = "equal", "not installed"


class Command:
    def __init__(self, text, is_quick):
        self.text, self.is_quick = text, is_quick
        self.argv = shlex.split(text)
        self.expected = ()
        self.outcome = self.output = None

    def run(self, divergence, folder, pattern):
        if not shutil.which(self.argv[0], path=PATH):
            self.outcome, self.output = MISSING, ""
            return
        with tempfile.TemporaryDirectory(dir=folder) as place:
            lay_out_anew = f"find . -mindepth 1 -delete && cp -a {shlex.quote(pattern)}/. ."
            environment = {"PATH": PATH, "HOME": place, "TMPDIR": place, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb"}
            done = subprocess.run([divergence, "--before", lay_out_anew, *self.argv], cwd=place, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  check=False,
                                  timeout=PATIENCE_S)
        self.output = done.stdout.decode(errors="backslashreplace")
        causes = [line[len("  cause: "):] for line in self.output.splitlines() if line.startswith("  cause: ")]
        self.outcome = EQUAL if done.returncode == 0 else causes[-1] if causes else "no comparison"

    def is_expected(self):
        # What may be does not have to be when it is looked into.
        expected = (*self.expected, "it comes and goes") if self.expected else ()
        return self.outcome in (EQUAL, MISSING) or self.outcome.startswith(expected)


def read_list(path):
    commands, is_quick = [], False
    with open(path, encoding="utf-8") as lines:
        for line in lines.read().splitlines():
            if line.startswith("["):
                is_quick = "[quick]" in line
            elif line.startswith("$ "):
                commands.append(Command(line[2:], is_quick))
            elif line.startswith("! "):
                commands[-1].expected += (line[2:],)
    return commands


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--divergence", required=True)
    parser.add_argument("--quick", action="store_true", help="only what is marked so in the list")
    parser.add_argument("--only", help="only commands that contain this")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    commands = [command for command in read_list(os.path.join(HERE, "commands.list"))
                if (command.is_quick or not options.quick) and (not options.only or options.only in command.text)]
    divergence = os.path.abspath(options.divergence)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pattern = os.path.join(folder, "pattern")
        os.mkdir(pattern)
        lay_out(pattern)
        waiting = {pool.submit(command.run, divergence, folder, pattern): command for command in commands}
        for future in concurrent.futures.as_completed(waiting):
            future.result()
            command = waiting[future]
            if options.verbose or not command.is_expected():
                print(f"$ {command.text}\n{command.output}", end="", flush=True)
    outcomes = collections.Counter(command.outcome for command in commands)
    for command in commands:
        if command.outcome not in (EQUAL, MISSING):
            print(f"{command.text}: {command.outcome}")
    for outcome, count in outcomes.most_common():
        print(f"{count:4}  {outcome}")
    if all(command.outcome == MISSING for command in commands):
        return SKIPPED
    return 0 if all(command.is_expected() for command in commands) else 1


if __name__ == "__main__":
    sys.exit(main())
