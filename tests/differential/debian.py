#!/usr/bin/env python3
"""Compares the engines on 20 commands of Debian, per instruction; takes a few minutes, and is not part of tools/check.

    debian.py --engines ENGINES [COMMAND ...]

Left out are commands that read their memory map, in which translated code is seen, and those that differ from themselves from run
to run, because of time or random numbers.
"""
import argparse
import os
import shutil
import subprocess
import sys

MOST_INSTRUCTIONS = "600000"
TEXT = os.path.abspath(__file__)
COMMANDS = [
    ["true"], ["echo", "a"], ["cat", TEXT], ["wc", TEXT], ["head", "-3", TEXT], ["tail", "-3", TEXT],
    ["cut", "-c1-5", TEXT], ["tr", "a", "b"], ["nl", TEXT], ["fold", "-w9", TEXT], ["md5sum", TEXT],
    ["sha256sum", TEXT], ["cksum", TEXT], ["base64", TEXT], ["od", TEXT], ["uniq", TEXT], ["expr", "6", "*", "7"],
    ["seq", "50"], ["gzip", "-nc", TEXT], ["dash", "-c", "for i in 1 2 3; do echo $i; done"], ["basename", "/a/b"],
    ["factor", "1234567"], ["sed", "s/a/b/", TEXT],
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("commands", nargs="*")
    options = parser.parse_args()
    failed = n_run = n_long = 0
    for command in COMMANDS:
        path = shutil.which(command[0])
        if not path or (options.commands and command[0] not in options.commands):
            continue
        done = subprocess.run([options.engines, "--most", MOST_INSTRUCTIONS, path, *command[1:]], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=300)
        if done.returncode == 77:
            n_long += 1
            continue
        n_run += 1
        failed += done.returncode != 0
        print(done.stdout.rstrip(), flush=True)
    print(f"{n_run - failed} of {n_run} commands alike, {n_long} too long to be stepped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
