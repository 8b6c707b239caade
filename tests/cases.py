"""Shared by scripts whose tests are functions case_NAME(bench): a temporary folder, itrace and the built programs.

    SCRIPT --itrace ITRACE --programs FOLDER [CASE ...]
    SCRIPT --list
"""
import argparse
import json
import os
import re
import subprocess
import tempfile
import time

from child import PATIENCE_S, Failure, environment

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden", "toy.cost")


class Skipped(Exception):
    pass


def expect(what, got, wanted):
    if got != wanted:
        raise Failure(f"{what}: {got!r}, expected {wanted!r}")


def expect_match(what, got, pattern):
    if not re.search(pattern, got):
        raise Failure(f"{what}: {got!r} does not match '{pattern}'")


class Bench:
    def __init__(self, options, folder):
        self.itrace = os.path.abspath(options.itrace)
        self.programs = os.path.abspath(options.programs)
        self.storm_path = self.program("storm")
        self.model = MODEL
        self.folder = folder

    def program(self, name):
        return os.path.join(self.programs, name)

    def path(self, name):
        return os.path.join(self.folder, name)

    def itrace_command(self, *arguments):
        has_model = arguments[0] not in ("record", "report", "--repeat")
        return [self.itrace, *(["--model", self.model] if has_model else []), *arguments]

    def run(self, *arguments, status=0, wrapper=(), **options):
        """Runs itrace to its end, and checks the exit status unless it is None."""
        done = subprocess.run([*wrapper, *self.itrace_command(*arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_S,
                              cwd=self.folder, stdin=subprocess.DEVNULL, env=environment(), **options)
        if status is not None and done.returncode != status:
            raise Failure(f"itrace {' '.join(arguments)} ended with {done.returncode}, "
                          f"expected {status}: {done.stderr}")
        return done

    def run_json(self, *arguments, **options):
        self.run("--format", "json", "-o", "report.json", *arguments, **options)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file)

    def start(self, *command):
        """Starts a program and waits until it prints "ready"."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder)
        expect("its first line", process.stdout.readline(), "ready\n")
        return process

    def storm(self, *arguments):
        return self.start(self.storm_path, *arguments)


def finish(process, text=""):
    """Ends the program's input with this text, and returns its output until its end."""
    out = process.communicate(text, timeout=PATIENCE_S)[0]
    expect("the program's exit status", process.returncode, 0)
    return out


def region(report, name):
    for each in report["regions"]:
        if each["name"] == name and each["signal_handlers_of"] is None:
            return each
    raise Failure(f"no region {name} in the report")


def state_of(pid):
    """Returns the letter of the state in /proc; Z for a process that is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"waited in vain: {what}")
        time.sleep(0.01)


def code_bytes(pid, path, *libraries):
    """Returns the bytes of the executable mappings of a file, and of files whose names contain one of these parts;
    nothing if the process is gone."""
    found = b""
    try:
        with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
            for line in maps:
                fields = line.split()
                if len(fields) > 5 and "x" in fields[1] and (
                        fields[5] == path or any(part in fields[5] for part in libraries)):
                    low, high = (int(end, 16) for end in fields[0].split("-"))
                    memory.seek(low)
                    found += memory.read(high - low)
    except OSError:
        return b""
    return found


def tracer_of(pid):
    """Returns the ID of the tracing process; 0 if there is none or the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return re.search(r"TracerPid:\s*(\d+)", file.read())[1]
    except OSError:
        return "0"


def main(names, make_bench=Bench):
    """Runs the cases among a script's global names, each with a bench from make_bench(options, folder)."""
    cases = {name[len("case_"):]: function for name, function in names.items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace")
    parser.add_argument("--programs")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    if options.list:
        print("\n".join(cases))
        return 0
    failed = skipped = 0
    for name in options.cases or cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                cases[name](make_bench(options, folder))
            except Skipped as reason:
                skipped += 1
                print(f"{name}: skipped: {reason}")
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"{name}: {failure}")
    return 1 if failed else 77 if skipped and skipped == len(options.cases or cases) else 0
