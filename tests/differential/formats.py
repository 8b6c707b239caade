#!/usr/bin/env python3
"""Checks that the formats for other tools are valid, and that each adds up to the executions of the region.

    formats.py --itrace ITRACE --function FUNCTION PROGRAM

Folded stacks: the grammar of flamegraph.pl. speedscope: its documentation of weighted profiles
(github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources). callgrind: valgrind.org/docs/manual/cl-format.html.
"""
import argparse
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well

MODELS = ",".join(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", name)
                  for name in ("toy.cost", "slow-toy.cost"))


def check(condition, what):
    if not condition:
        sys.exit(what)


def check_folded(text, cycles):
    total = 0
    for line in text.splitlines():
        match = re.fullmatch(r"[^;]+(;[^;]+)* (\d+)", line)
        check(match, f"folded: {line!r}")
        total += int(match[2])
    check(abs(total - cycles) < 1, f"folded: {total} cycles, not {cycles}")


def check_speedscope(text, totals):
    root = json.loads(text)
    check(root["$schema"] == "https://www.speedscope.app/file-format-schema.json", "speedscope: $schema")
    check({"exporter", "name", "activeProfileIndex", "shared", "profiles", "$schema"} == set(root),
          "speedscope: members")
    frames = root["shared"]["frames"]
    for frame in frames:
        check(isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}, f"speedscope: {frame}")
        check(isinstance(frame.get("line", 1), int) and isinstance(frame.get("file", ""), str), f"speedscope: {frame}")
    check(0 <= root["activeProfileIndex"] < len(root["profiles"]), "speedscope: activeProfileIndex")
    check(len(root["profiles"]) == len(totals), "speedscope: a profile for each model and one of instructions")
    for profile, total in zip(root["profiles"], totals):
        check(set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"} and
              profile["type"] == "sampled" and profile["unit"] == "none" and profile["startValue"] == 0,
              f"speedscope: {profile['name']}")
        check(len(profile["samples"]) == len(profile["weights"]), "speedscope: as many weights as samples")
        check(all(stack and all(0 <= frame < len(frames) for frame in stack) for stack in profile["samples"]),
              "speedscope: a stack of frames that are not there")
        check(abs(sum(profile["weights"]) - total) < 1e-6 * total and abs(profile["endValue"] - total) < 1e-6 * total,
              f"speedscope: {profile['name']} is {sum(profile['weights'])}, not {total}")


def check_callgrind(text, totals):
    head, body = text.split("\n\n", 1)
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line and not line.startswith("event:"))
    events = fields["events"].split()
    check(fields["version"] == "1" and fields["positions"] == "instr line", "callgrind: head")
    check(len(events) == len(totals) and all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", event) for event in events),
          f"callgrind: {events}")
    known, sums, is_call = {}, [0] * len(events), False
    for line in body.splitlines():
        name = re.fullmatch(r"(c?)(ob|f[lien]|fn)=(\((\d+)\))( (.*))?", line)
        if name:
            space = {"ob": "object", "fn": "function"}.get(name[2], "file"), name[4]
            check((space in known) != bool(name[6]), f"callgrind: {line!r} names twice or never")
            known[space] = known.get(space) or name[6]
        elif line.startswith("calls="):
            check(re.fullmatch(r"calls=\d+ 0x[0-9a-f]+ \d+", line), f"callgrind: {line!r}")
        elif line:
            check(re.fullmatch(r"0x[0-9a-f]+ \d+( \d+){%d}" % len(events), line), f"callgrind: {line!r}")
            if not is_call:
                sums = [a + int(b) for a, b in zip(sums, line.split()[2:])]
        is_call = line.startswith("calls=")
    summary = [int(figure) for figure in fields["summary"].split()]
    check(sums == summary, f"callgrind: functions sum up to {sums}, not {summary}")
    check(all(abs(a - b) < 1 for a, b in zip(sums, totals)), f"callgrind: {sums}, not {totals}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--function", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "run.itrace")
        run_well([options.itrace, "record", "-o", saved, "--function", options.function, options.program])

        def report(form):
            return run_well([options.itrace, "report", "--model", MODELS, "--format", form, saved]).stdout

        region, = json.loads(report("json"))["regions"]
        cycles = [estimate["cycles"] for estimate in region["estimates"]]
        check_folded(report("folded"), cycles[0])
        check_speedscope(report("speedscope"), [*cycles, region["instructions"]])
        check_callgrind(report("callgrind"), [region["instructions"], *cycles])
    return 0


if __name__ == "__main__":
    sys.exit(main())
