#!/usr/bin/env python3
"""Compares the engines on more than 20 commands of Debian, per instruction, transfer, address and order of execution.

    debian.py --engines ENGINES [COMMAND ...]

Each command is stepped, so it has little to do: a few lines of text, and the C locale, because loading another one
takes 150,000 instructions. Commands whose runs differ because of time or random numbers are omitted.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S

SKIPPED = 77
TEXT = "one two three\ntwo three\n\ntwo three\nfour, five: six\nseven\n"
SCRIPT = "i=0; while [ $i -lt 9 ]; do i=$((i+1)); done; echo $i"
COMMANDS = [
    ["gzip", "-nc", "TEXT"], ["sed", "s/two/2/", "TEXT"], ["true"], ["echo", "a"], ["cat", "TEXT"], ["wc", "TEXT"],
    ["head", "-3", "TEXT"], ["tail", "-3", "TEXT"], ["cut", "-c1-5", "TEXT"], ["tr", "a", "b"], ["nl", "TEXT"],
    ["fold", "-w9", "TEXT"],
    ["md5sum", "TEXT"], ["sha256sum", "TEXT"], ["cksum", "TEXT"], ["base64", "TEXT"], ["od", "TEXT"], ["uniq", "TEXT"],
    ["expr", "6", "*", "7"], ["grep", "-c", "two", "TEXT"], ["seq", "50"], ["dash", "-c", SCRIPT], ["basename", "/a/b"],
    ["factor", "1234567"],
]


def compare(engines, command, text):
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    path = shutil.which(command[0], path=environment["PATH"])
    if not path:
        return None
    arguments = [text if argument == "TEXT" else argument for argument in command[1:]]
    return subprocess.run([engines, path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=environment, text=True, check=False, timeout=PATIENCE_S)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("commands", nargs="*")
    options = parser.parse_args()
    commands = [command for command in COMMANDS if not options.commands or command[0] in options.commands]
    n_workers = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(n_workers) as pool:
        text = os.path.join(folder, "text")
        with open(text, "w", encoding="utf-8") as file:
            file.write(TEXT)
        waiting = [pool.submit(compare, os.path.abspath(options.engines), command, text) for command in commands]
        outcomes = [future.result() for future in waiting]
    missing = [command[0] for command, done in zip(commands, outcomes) if not done]
    run = [done for done in outcomes if done]
    failed = sum(done.returncode != 0 for done in run)
    for done in run:
        print(done.stdout.rstrip())
    if missing:
        print(f"not installed: {' '.join(missing)}")
    print(f"{len(run) - failed} of {len(run)} commands alike")
    return 1 if failed else 0 if run else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
