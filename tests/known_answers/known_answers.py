#!/usr/bin/env python3
"""Runs a program under itrace and compares with the answers that its source states.

    known_answers.py --itrace ITRACE [--engine ENGINE] [--set NAME=VALUE ...] SOURCE PROGRAM

An answer is a block of lines in the comment on top of SOURCE, worked out by hand:

    ANSWER [itrace options]     begins an answer; {NAME} is what --set gave for NAME, else the address of that symbol,
                                {+NAME} its distance from the lowest segment
      args TEXT ...             the program's arguments
      stdin TEXT                its standard input, one line; otherwise empty
      closed FD ...             descriptors that are closed when it (or itrace) starts
      needs TEXT                skip unless /proc/self/maps has TEXT
      exit N, signal SIGNAME    how it ends under itrace, and without unless `native` says otherwise; default exit 0
      native N|SIGNAME          how it ends without itrace
      stdout TEXT               its output, one line; otherwise whatever it prints without itrace
      region NAME: KEY N, ...   visits, cut, left, unmatched, markers, instructions; N, or >= N
      handlers NAME: KEY N, ... the same for the signal handlers that ran in region NAME
        N  FORM [iterations N]  executions and iterations of one form; no other form may be there ...
        ...                     unless this stands for the rest
        syscall NAME N          how often; no other system call may be there
      absent NAME               no such region in the report

The program is run without itrace, too: its output and its end must be the same under itrace. A program that then ends
with status 77 cannot run on this machine: the test is skipped.
"""
import argparse
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment, run_well

# Counts do not depend on the model, so this is the one that loads fastest.
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
SKIPPED = 77
KEYS = {"visits": "visits", "cut": "visits_cut", "left": "visits_left", "unmatched": "unmatched_ends",
        "markers": "markers", "instructions": "instructions"}


class Region:
    def __init__(self, name, is_handlers):
        self.name = name
        self.is_handlers = is_handlers
        self.numbers = {}
        self.forms = {}
        self.has_other_forms = False
        self.syscalls = {}

    def title(self):
        return ("handlers of " if self.is_handlers else "region ") + self.name


class Answer:
    def __init__(self, line, options):
        self.line, self.options = line, options
        self.args, self.closed, self.needs, self.absent, self.regions = [], [], [], [], []
        self.stdin = b""
        self.stdout = None
        self.end = self.native_end = 0


def end_of(text):
    return -signal.Signals[text] if text.startswith("SIG") else int(text)


def parse_region(text, is_handlers, replace):
    name, _, numbers = text.rpartition(":")
    region = Region(replace(name), is_handlers)
    for item in numbers.split(","):
        key, least, number = re.fullmatch(r"\s*(\w+) (>= )?(\d+)", item).groups()
        region.numbers[key] = (int(number), bool(least))
        if key not in KEYS:
            raise ValueError(f"no key '{key}'")
    return region


def parse_line(answer, text, replace):
    """Parses one line of an answer. Returns False if it is not one."""
    word, _, rest = text.partition(" ")
    region = answer.regions[-1] if answer.regions else None
    form = re.fullmatch(r"(\d+)  +(.+?)(?: iterations (\d+))?", text)
    if word in ("region", "handlers"):
        answer.regions.append(parse_region(rest, word == "handlers", replace))
    elif form and region:
        region.forms[form[2]] = (int(form[1]), int(form[3] or 0))
    elif word == "..." and region:
        region.has_other_forms = True
    elif word == "syscall" and region:
        name, number = rest.split()
        region.syscalls[name] = int(number)
    elif word in ("args", "closed", "absent"):
        getattr(answer, word).extend(replace(item) for item in rest.split())
    elif word == "needs":
        answer.needs.append(rest)
    elif word == "stdin":
        answer.stdin = rest.encode() + b"\n"
    elif word == "stdout":
        answer.stdout = rest.encode() + b"\n"
    elif word in ("exit", "signal"):
        answer.end = answer.native_end = end_of(rest)
    elif word == "native":
        answer.native_end = end_of(rest)
    else:
        return False
    return True


def parse_answers(source, replace):
    answers = []
    inside = False
    with open(source, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if "*/" in line:
                break
            text = re.sub(r"^\s*\*", "", line.rstrip())
            if text.strip().startswith("ANSWER"):
                options = shlex.split(text.strip()[len("ANSWER"):])
                answers.append(Answer(number, [replace(option) for option in options]))
                inside = True
            elif not text.strip():
                inside = False
            elif inside and not parse_line(answers[-1], text.strip(), replace):
                raise ValueError(f"{source}:{number}: not a line of an answer: {text.strip()}")
    if not answers:
        raise ValueError(f"{source}: no ANSWER in its first comment")
    return answers


def make_replace(settings, program):
    symbols = {}

    def replace_one(match):
        if match[1] in settings:
            return settings[match[1]]
        if not symbols:
            for line in run_well(["nm", "--defined-only", program]).stdout.splitlines():
                address, _, name = line.split()
                symbols[name] = int(address, 16)
            segments = run_well(["readelf", "-lW", program]).stdout
            symbols[""] = min(int(va, 16) for va in re.findall(r"LOAD +0x\w+ (0x\w+)", segments))
        name = match[1].lstrip("+")
        return hex(symbols[name] - (symbols[""] if match[1].startswith("+") else 0))

    return lambda text: re.sub(r"\{([^}]+)\}", replace_one, text)


def run(answer, command, folder):
    """Returns the command's status (negative: signal), its standard output and its standard error."""
    answer_file = os.path.join(folder, "answer")
    settings = {"ANSWER_FILE": answer_file} if answer.closed else {}

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for fd in answer.closed:
            os.close(int(fd))

    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment(**settings), preexec_fn=prepare, start_new_session=True)
    try:
        stdout, stderr = process.communicate(answer.stdin, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        stderr += b"(killed: it took more than %d s)" % PATIENCE_S
    if os.path.exists(answer_file):
        with open(answer_file, "rb") as written:
            stdout += written.read()
        os.remove(answer_file)
    return process.returncode, stdout, stderr


def compare_region(expected, found, problems):
    def check(what, want, got):
        if want != got:
            problems.append(f"{expected.title()}: {what} {got}, expected {want}")

    for key, (number, is_least) in expected.numbers.items():
        got = found.get(KEYS[key])
        if not is_least:
            check(key, number, got)
        elif got is None or got < number:
            problems.append(f"{expected.title()}: {key} {got}, expected at least {number}")
    forms = {form["form"]: (form["executions"], form["iterations"]) for form in found["forms"]}
    if expected.forms:
        for form in [*expected.forms, *(form for form in forms if form not in expected.forms)]:
            if form in expected.forms or not expected.has_other_forms:
                check(f"{form} (executions, iterations)", expected.forms.get(form, "none"), forms.get(form, "none"))
        check("system calls", expected.syscalls, {call["name"]: call["count"] for call in found["syscalls"]})


def compare(answer, report, problems):
    regions = {}
    for region in report["regions"]:
        outer = region["signal_handlers_of"]
        regions[(region["name"] if outer is None else outer, outer is not None)] = region
    for name, region in regions.items():
        executions = sum(form["executions"] for form in region["forms"])
        if executions != region["instructions"]:
            problems.append(f"{name[0]}: its forms sum up to {executions}, not {region['instructions']} instructions")
    for expected in answer.regions:
        found = regions.get((expected.name, expected.is_handlers))
        if found:
            compare_region(expected, found, problems)
        else:
            problems.append(f"{expected.title()}: not in the report")
    for name in answer.absent:
        if (name, False) in regions:
            problems.append(f"region {name} is in the report")
    program = report["program"]
    told = -program["signal"] if program.get("signal") else program["exit_status"]
    if told != answer.end:
        problems.append(f"the report says that the program ended with {told}, expected {answer.end}")


def check(answer, itrace, engine, program, folder):
    """Returns the problems of one answer, or None if the program reports that it cannot run here."""
    command = [program, *answer.args]
    end, native_stdout, stderr = run(answer, command, folder)
    if end == SKIPPED:
        return None
    problems = []
    if end != answer.native_end:
        problems.append(f"without itrace it ended with {end}, expected {answer.native_end}: {stderr.decode()}")
    wanted = native_stdout if answer.stdout is None else answer.stdout
    if native_stdout != wanted and answer.native_end == answer.end:
        problems.append(f"without itrace it printed {native_stdout!r}, expected {wanted!r}")

    out = os.path.join(folder, "report.json")
    traced = [itrace, "--engine", engine, "--model", MODEL, "--format", "json", "-o", out, *answer.options, *command]
    end, stdout, stderr = run(answer, traced, folder)
    if end != answer.end:
        problems.append(f"under itrace it ended with {end}, expected {answer.end}")
    if stdout != wanted:
        problems.append(f"under itrace it printed {stdout!r}, expected {wanted!r}")
    try:
        with open(out, encoding="utf-8") as file:
            compare(answer, json.load(file), problems)
    except (OSError, ValueError, KeyError) as error:
        problems.append(f"the report: {error!r}")
    if problems and stderr:
        problems.append("standard error: " + stderr.decode(errors="replace").strip())
    return problems


def main():
    parser = argparse.ArgumentParser(description="Compares itrace with the answers that a program's source states.")
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("source")
    parser.add_argument("program")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    answers = parse_answers(options.source, make_replace(dict(item.split("=", 1) for item in options.set), program))
    with open("/proc/self/maps", encoding="utf-8") as file:
        maps = file.read()

    failed = n_run = 0
    reason = ""
    for answer in answers:
        place = f"{options.source}:{answer.line}"
        missing = [text for text in answer.needs if text not in maps]
        with tempfile.TemporaryDirectory() as folder:
            problems = None if missing else check(answer, os.path.abspath(options.itrace), options.engine, program,
                                                  folder)
        if problems is None:
            reason = f"no {missing[0]} on this machine" if missing else "the program says that it cannot run here"
            continue
        n_run += 1
        failed += bool(problems)
        for problem in problems:
            print(f"{place}: {problem}")
    if not n_run:
        print(f"skipped: {reason}")
        return SKIPPED
    print(f"{n_run - failed} of {n_run} answers right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
