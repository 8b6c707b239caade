#!/usr/bin/env python3
"""Checks that the output of --trace is identical, byte for byte except for the IDs of threads, for both engines and for
code with traces from the start (seeded.c).

    traces.py --itrace ITRACE --seeded ITRACE_SEEDED PROGRAM ...
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment


def trace(itrace, engine, program, folder):
    path = os.path.join(folder, engine)
    subprocess.run([itrace, "--engine", engine, "--no-aslr", "--all", "--trace=" + path, program], timeout=PATIENCE_S,
                   env=environment(),
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(path, "rb") as file:
        return re.sub(rb"^\d+/\d+  ", b"", file.read(), flags=re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--seeded", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in options.programs:
            stepped = trace(options.itrace, "step", program, folder)
            for itrace in (options.itrace, options.seeded):
                translated = trace(itrace, "translate", program, folder)
                if not stepped or stepped != translated:
                    same = len(os.path.commonprefix([stepped, translated]))
                    print(f"{program}: {len(stepped)} bytes stepped, {len(translated)} by {os.path.basename(itrace)}, "
                          f"{same} alike")
                    failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
