#!/usr/bin/env python3
"""Tests the trace of --trace: who executed what, from where to where, and what becomes of it without a reader.

    trace.py --itrace ITRACE --programs FOLDER [CASE ...]
    trace.py --list
"""
import collections
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Failure, expect, expect_match, main, region, tracer_of, wait_for  # noqa: E402
from child import PATIENCE_S, environment  # noqa: E402

INSN = re.compile(r"(\d+)/(\d+)  0x[0-9a-f]{16}  (\S+) +([0-9a-f]*) +(.*)")
BOUNDARY = re.compile(r"(\d+)/(\d+)  -- (begin|end) (.*)")


def instructions_by_region(lines):
    """Counts what each thread executed between the boundaries, which must match."""
    counts, opened = collections.Counter(), collections.defaultdict(list)
    for line in lines:
        boundary, insn = BOUNDARY.fullmatch(line), INSN.fullmatch(line)
        if boundary and boundary[3] == "begin":
            opened[boundary[2]].append(boundary[4])
        elif boundary:
            opened[boundary[2]].remove(boundary[4])
        elif insn and opened[insn[2]]:
            for name in opened[insn[2]]:
                counts[name] += 1
        else:
            raise Failure(f"outside all regions: {line!r}")
    expect("regions left open", [names for names in opened.values() if names], [])
    return counts


def read_trace(bench):
    with open(bench.path("trace"), encoding="utf-8") as file:
        return file.read().splitlines()


def case_boundaries_and_threads(bench):
    """Four threads at once, nested regions, a region that is cut, --all: the lines are the instructions counted."""
    for program, *options in (("threads_spin run", "--function", "spin0", "--function", "spin3"), ("nested",),
                              ("exit_inside",), ("left_region",), ("recursion", "--all", "--function", "nest"),
                              ("threads four", "--all")):
        path, *arguments = program.split()
        for engine in ("step", "translate"):
            report = bench.run_json("--trace=trace", "--engine", engine, *options, bench.program(path), *arguments,
                                    status=None)
            counts = instructions_by_region(read_trace(bench))
            for name, count in counts.items():
                handlers = sum(each["instructions"] for each in report["regions"]
                               if each["name"] == name and each["signal_handlers_of"] is not None)
                expect(f"{program}, {engine}: lines in {name}", count, region(report, name)["instructions"] + handlers)
            if not counts:
                raise Failure(f"{program}: no line")


def case_processes_and_threads_are_named(bench):
    bench.run("--trace=trace", "--function", "spin0", "--function", "spin3", "-o", "/dev/null",
              bench.program("threads_spin"), "run")
    found = [match for match in map(INSN.fullmatch, read_trace(bench)) if match]
    expect("processes", len({match[1] for match in found}), 1)
    expect("functions of each thread",
           sorted(len({each[3].split("+")[0] for each in found if each[2] == tid}) for tid in {m[2] for m in found}),
           [1, 1])
    bench.run("--trace=trace", "-f", "--all", "-o", "/dev/null", "sh", "-c", "true; /bin/true | /bin/true")
    if len({match[1] for match in map(INSN.fullmatch, read_trace(bench)) if match}) < 3:
        raise Failure("the processes are not told apart")


def case_targets_have_symbols(bench):
    bench.run("--trace=trace", "--function", "nest", "-o", "/dev/null", bench.program("recursion"))
    texts = {match[5] for match in map(INSN.fullmatch, read_trace(bench)) if match}
    for pattern in (r"call 0x[0-9a-f]+ <nest>", r"js 0x[0-9a-f]+ <nest\+0xa>"):
        if not any(re.fullmatch(pattern, text) for text in texts):
            raise Failure(f"no {pattern} in {texts}")


def case_slow_reader_gets_every_line(bench):
    """The pipe is full most of the time."""
    for engine in ("step", "translate"):
        command = bench.itrace_command("--trace", "--engine", engine, "--function", "main", "--format", "json", "-o",
                                       "report.json", bench.program("collatz"))
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=bench.folder,
                              env=environment()) as traced:
            text = b""
            while part := os.read(traced.stderr.fileno(), 65536):
                text += part
                time.sleep(0.03 if len(text) < 2000000 else 0)
            traced.wait(PATIENCE_S)
        lines = [line for line in text.decode().splitlines() if INSN.fullmatch(line)]
        with open(bench.path("report.json"), encoding="utf-8") as file:
            expect(f"{engine}: lines", len(lines), region(json.load(file), "main")["instructions"])


def case_reader_goes(bench):
    """As with `| head -1`: the program runs on untraced, and the report tells why."""
    for to in ("--trace", "--trace=/dev/fd/2"):
        command = bench.itrace_command(to, "-o", "report", bench.program("waits"), "stop")
        traced = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, cwd=bench.folder, env=environment())
        pid = int(BOUNDARY.match(traced.stderr.readline())[1])
        traced.stderr.close()
        wait_for(lambda: tracer_of(pid) == "0" or traced.poll() is not None, f"{to}: the program is let go")
        traced.stdin.close()
        expect_match(f"{to}: the program", traced.stdout.read(), "counted on\n")
        traced.stdout.close()
        expect(f"{to}: status", traced.wait(PATIENCE_S), 0)
        with open(bench.path("report"), encoding="utf-8") as file:
            expect_match(f"{to}: the report", file.read(),
                         "tracing stopped when its trace could not be written any more")


def case_full_disk(bench):
    done = bench.run("--trace=/dev/full", "--all", "-o", "report", bench.program("collatz"), status=125)
    expect_match("message", done.stderr, "cannot write the trace to '/dev/full': No space left on device")


def case_limit(bench):
    """The trace ends, and counting goes on."""
    for engine in ("step", "translate"):
        for limit in (1, 5, 1000000):
            report = bench.run_json("--trace=trace", "--trace-limit", str(limit), "--engine", engine, "--function",
                                    "main", bench.program("collatz"))
            executed = region(report, "main")["instructions"]
            lines = read_trace(bench)
            expect("lines", sum(1 for line in lines if INSN.fullmatch(line)), min(limit, executed))
            if executed > limit:
                expect("last line", lines[-1], f"-- end of the trace: --trace-limit {limit}")
            if executed < 5000:
                raise Failure(f"only {executed} instructions counted")
    expect_match("alone", bench.run("--trace-limit", "5", bench.program("hello"), status=125).stderr,
                 "--trace-limit limits --trace")


if __name__ == "__main__":
    sys.exit(main(globals()))
