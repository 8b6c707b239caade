#!/usr/bin/env python3
"""What --trace writes is the same, byte for byte, whichever engine ran the program.

    traces.py --itrace ITRACE PROGRAM ...
"""
import argparse
import os
import subprocess
import sys
import tempfile


def trace(itrace, engine, program, folder):
    path = os.path.join(folder, engine)
    subprocess.run([itrace, "--engine", engine, "--no-aslr", "--all", "--trace=" + path, program], timeout=100,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for program in options.programs:
            stepped, translated = (trace(options.itrace, engine, program, folder) for engine in ("step", "translate"))
            if not stepped or stepped != translated:
                same = len(os.path.commonprefix([stepped, translated]))
                print(f"{program}: {len(stepped)} bytes stepped, {len(translated)} translated, {same} alike")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
