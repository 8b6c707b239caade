#!/usr/bin/env python3
"""Checks every table on terminals of many widths, and --help: narrow.py --itrace ITRACE --programs FOLDER

No line is wider than the terminal, nothing is cut without "...", no name is cut to fewer than 30 columns, and each
column that is missing is named below its table.
"""
import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import tempfile
import termios
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import environment, run_well

NAME_COLUMNS = 30
WIDTHS = 60, 72, 80, 97, 120, 400
HEADINGS = "instruction|function|file|line|inlined function|source|model|mnemonic"
REPORTS = [
    ["report", "--by", by, "--model", models, "{run}"]
    for by in ("form", "function", "line", "inlined") for models in ("skylake", "skylake,zen4,vax8800", "all")
] + [
    ["report", "--tree", "{run}"],
    ["report", "--charge-back", "{run}"],
    ["report", "--memory", "{run}"],
    ["compare", "{run}"],
    ["compare", "--model", "all", "{run}"],
    ["annotate", "{run}"],
    ["annotate", "--model", "skylake,zen4,vax8800", "{run}"],
    ["block", "--model", "skylake,zen5", "--timeline", "--hex", "488b07480fafc3488947104801c375f1"],
]


def on_terminal(command, width):
    """The lines that a command writes to a terminal of a width."""
    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    parts = []

    def collect():
        try:
            while data := os.read(mine, 65536):
                parts.append(data)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=collect)
    reader.start()
    run_well(command, stdout=theirs, env=environment(NO_COLOR="1", COLUMNS=""))
    os.close(theirs)
    reader.join()
    os.close(mine)
    return b"".join(parts).decode().replace("\r\n", "\n").split("\n")


def check(line, name_at, width, told):
    if len(line) > width and " " in line.strip():  # a single word cannot be broken
        sys.exit(f"{told}: {len(line)} columns: {line}")
    if line != line.rstrip():
        sys.exit(f"{told}: spaces at the end: {line}")
    if not line.endswith("...") or name_at is None:
        return
    name = line[name_at:].lstrip() if "--tree" in told else line[name_at:]
    if len(name) < NAME_COLUMNS and len(line) < width - NAME_COLUMNS:
        sys.exit(f"{told}: cut although there is room: {line}")
    if len(re.sub(r"^\d+: ", "", name)) < NAME_COLUMNS:
        sys.exit(f"{told}: a name of {len(name)} columns: {line}")


def check_lines(lines, width, told):
    name_at = None
    for line in lines:
        # An annotated source has a column of line numbers.
        heading = re.search(rf"(?:^|  )({'source' if 'annotate' in told else HEADINGS})$", line)
        if heading:
            name_at = heading.start(1)
        elif not line:
            name_at = name_at if "annotate" in told else None
        check(line, name_at, width, told)


def check_columns(wide, narrow, told):
    """Each word of a heading of the wide table is in the narrow table, too, or in the line below it."""
    for line in wide:
        if not re.search(rf"  ({HEADINGS})$", line):
            continue
        for word in re.split(r"  +", line.strip()):
            if not any(word in each for each in narrow):
                sys.exit(f"{told}: the column '{word}' is missing, and nothing says so")


def check_help(itrace):
    for command in ([], ["record"], ["report"], ["compare"], ["annotate"], ["block"], ["models"], ["sample"]):
        for line in on_terminal([itrace, *command, "--help"], 80):
            if len(line) > 80:
                sys.exit(f"{' '.join(command)} --help: {len(line)} columns: {line}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    itrace, programs = os.path.abspath(options.itrace), os.path.abspath(options.programs)
    check_help(itrace)
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "run.itrace")
        run_well([itrace, "record", "--memory", "--all", "-o", run, os.path.join(programs, "exceptions_O2")])
        for report in REPORTS:
            command = [itrace] + [each.format(run=run) for each in report]
            wide = on_terminal(command, WIDTHS[-1])
            for width in WIDTHS:
                told = f"{' '.join(report)} at {width} columns"
                narrow = on_terminal(command, width)
                check_lines(narrow, width, told)
                check_columns(wide, narrow, told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
