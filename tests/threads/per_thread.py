#!/usr/bin/env python3
"""Tests the counts of a region by thread: known counts are exact, and the threads add up to the total.

    per_thread.py --itrace ITRACE --programs FOLDER [CASE ...]
    per_thread.py --list

Each function case_NAME is one case. FOLDER holds the built programs of tests/programs; shares.c documents what each
thread executes.
"""
import collections
import csv
import json
import os
import re
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import MODEL, expect, main
from child import PATIENCE_S, Failure, environment

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "check-json-schema")
ENGINES = ("step", "translate", "auto")


class Bench:
    def __init__(self, options, folder):
        self.itrace, self.programs = os.path.abspath(options.itrace), os.path.abspath(options.programs)
        self.folder = folder
        self.shares = os.path.join(self.programs, "shares")

    def run(self, *arguments, status=0):
        done = subprocess.run([self.itrace, *arguments], capture_output=True, text=True, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_S, env=environment())
        if done.returncode != status:
            raise Failure(f"itrace {' '.join(arguments)} ended with {done.returncode}, "
                          f"expected {status}: {done.stderr}")
        return done

    def json(self, *arguments, schema=()):
        head = [arguments[0]] if arguments[0] in ("report", "compare", "annotate") else []
        self.run(*head, "--model", MODEL, "--format", "json", "-o", "report.json", *arguments[len(head):])
        path = os.path.join(self.folder, "report.json")
        try:
            import jsonschema  # noqa: F401, only checks that it is installed
            done = subprocess.run([SCHEMA, *schema, path], capture_output=True, text=True)
            expect("breaches of the schema", done.stdout, "")
        except ImportError:
            pass
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def parts(report, region, handlers_of=None):
    """Returns regions by name of the thread; "" for all together."""
    found = {}
    for each in report["regions"]:
        if each["name"] == region and each["signal_handlers_of"] == handlers_of:
            found[each["thread"]["name"] if "thread" in each else ""] = each
    return found


def counts(regions, key="instructions"):
    return {name: region[key] for name, region in regions.items()}


def forms(region):
    return collections.Counter({form["form"]: form["executions"] for form in region["forms"]})


def check_sums(what, report):
    """Threads add up to the total, form by form, and have its properties."""
    for whole in report["regions"]:
        if "thread" in whole:
            continue
        mine = [each for each in report["regions"] if "thread" in each and each["name"] == whole["name"] and
                each["signal_handlers_of"] == whole["signal_handlers_of"]]
        title = f"{what}: {whole['name']}"
        for key in ("visits", "visits_cut", "visits_left", "instructions", "iterations"):
            expect(f"{title}: {key}", sum(each[key] for each in mine), whole[key])
        expect(f"{title}: forms", sum(map(forms, mine), collections.Counter()), forms(whole))
        expect(f"{title}: system calls",
               sum((collections.Counter({call["name"]: call["count"] for call in each["syscalls"]}) for each in mine),
                   collections.Counter()),
               collections.Counter({call["name"]: call["count"] for call in whole["syscalls"]}))
        shares = {each["number"]: (each["visits"], each["instructions"]) for each in whole["threads"]}
        expect(f"{title}: threads", {each["thread"]["number"]: (each["visits"], each["instructions"]) for each in mine},
               {number: share for number, share in shares.items() if share[0]})
        expect(f"{title}: shares", sum(each["instructions"] for each in whole["threads"]), whole["instructions"])


# Threads with known work.

def case_four_threads(bench):
    for engine in ENGINES:
        report = bench.json("--engine", engine, "--per-thread", bench.shares, "four")
        work = parts(report, "counted")
        expect(f"{engine}: instructions", counts(work),
               {"": 930, "work1": 93, "work2": 186, "work3": 279, "work4": 372})
        expect(f"{engine}: visits", counts(work, "visits"), {"": 16, "work1": 4, "work2": 4, "work3": 4, "work4": 4})
        expect(f"{engine}: forms", forms(work["work3"]), {"ADD r32, r32": 93, "DEC r32": 93, "JNZ rel8": 93})
        expect(f"{engine}: threads", work[""]["threads"],
               [{"number": n, "name": f"work{n}", "threads": 1, "visits": 4, "instructions": 93 * n}
                for n in range(1, 5)])
        check_sums(engine, report)


def case_without_the_option(bench):
    report = bench.json(bench.shares, "four")
    expect("regions", [each["name"] for each in report["regions"]], ["counted"])
    expect("shares", [each["instructions"] for each in report["regions"][0]["threads"]], [93, 186, 279, 372])
    said = bench.run("--model", MODEL, bench.shares, "four").stderr
    if "\n4 threads: 372 instructions in thread 4 (work4), 279 in thread 3 (work3), " not in said:
        raise Failure(f"threads are not told: {said}")
    said = bench.run("--model", MODEL, os.path.join(bench.programs, "visits")).stderr
    expect("threads of a program without", re.findall(".*thread.*", said), [])


def case_signal_handlers(bench):
    for engine in ENGINES:
        report = bench.json("--engine", engine, "--per-thread", bench.shares, "signals")
        expect(f"{engine}: visits of handlers", counts(parts(report, "outer", "outer"), "visits"),
               {"": 3, "sig1": 1, "sig2": 2})
        expect(f"{engine}: in handlers", counts(parts(report, "counted")), {"": 45, "sig1": 15, "sig2": 30})
        handlers = parts(report, "outer", "outer")
        expect(f"{engine}: handlers", handlers["sig2"]["instructions"], 2 * handlers["sig1"]["instructions"])
        check_sums(engine, report)


def case_more_threads_than_are_told_apart(bench):
    report = bench.json("--per-thread", bench.shares, "crowd", "130")
    shares = report["regions"][0]["threads"]
    expect("threads", [each["threads"] for each in shares], [1] * 100 + [30])
    expect("instructions", [each["instructions"] for each in shares], [3] * 100 + [90])
    expect("parts", len(report["regions"]), 102)
    check_sums("crowd", report)
    said = bench.run("--model", MODEL, "--per-thread", bench.shares, "crowd", "130").stderr
    if "counted, 30 other threads (crowd): 30 visits, 90 instructions" not in said:
        raise Failure(f"the rest is not told: {said[-2000:]}")


def case_functions_and_all(bench):
    """Threads created inside a region that call a function of libc."""
    for options in (["--all"], ["--function", "usleep"], ["--all", "--function", "counted"]):
        for engine in ("translate", "auto"):
            report = bench.json("--engine", engine, "--per-thread", *options, bench.shares, "four")
            check_sums(f"{options} {engine}", report)
            name = options[-1].lstrip("-")
            if not {"work1", "work2", "work3", "work4"} >= set(parts(report, name)) - {"", "shares"}:
                raise Failure(f"{options}: {sorted(parts(report, name))}")


def case_no_thread_disturbs_another(bench):
    """A thread that begins a visit makes the engine examine all code while the other one counts on. Transfers are
    counted too."""
    for _ in range(3):
        bench.run("record", "--per-thread", "--no-calls", "--engine", "translate", "-o", "run.itrace", bench.shares,
                  "race")
        report = bench.json("report", "--per-thread", "run.itrace")
        expect("instructions", counts(parts(report, "counted")), {"": 30300000, "long": 30000000, "often": 300000})


# Other reports.

def case_saved(bench):
    run = [bench.shares, "signals"]
    direct = bench.json("--per-thread", "--no-aslr", *run)
    bench.run("record", "--per-thread", "--no-aslr", "-o", "run.itrace", *run)
    saved = bench.json("report", "--per-thread", "run.itrace")
    for report in (direct, saved):
        for region in report["regions"]:
            region["tracing_ns"] = 0
    expect("regions of a saved run", saved["regions"], direct["regions"])
    expect("regions without the option", ["thread" in each for each in bench.json("report", "run.itrace")["regions"]],
           [False] * 3)
    bench.run("record", "-o", "merged.itrace", *run)
    said = bench.run("report", "--per-thread", "merged.itrace", status=125).stderr
    expect("what is said of a run without", said,
           "itrace: merged.itrace has no results by thread; 'itrace record --per-thread' keeps them\n")
    compared = bench.json("compare", "--per-thread", "run.itrace", schema=["--compare"])
    expect("compared", counts(parts(compared, "counted")), {"": 45, "sig1": 15, "sig2": 30})
    annotated = bench.json("annotate", "--per-thread", "run.itrace", schema=["--annotate"])
    expect("annotated", counts(parts(annotated, "counted")), {"": 45, "sig1": 15, "sig2": 30})


def case_csv(bench):
    bench.run("record", "--per-thread", "-o", "run.itrace", bench.shares, "four")
    for options in ([], ["--tree"], ["--charge-back"]):
        bench.run("report", "--per-thread", "--format", "csv", "--region", "counted", "-o", "report.csv", *options,
                  "run.itrace")
        with open(os.path.join(bench.folder, "report.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        key = "executions" if not options else "own_instructions" if options == ["--tree"] else "instructions"
        by_thread = collections.Counter()
        for row in rows:
            expect("its region", row["region"], "counted")
            by_thread[row["thread"], row["thread_name"]] += int(row[key])
        expect(f"{options}: by thread", by_thread,
               {("", ""): 930, **{(str(n), f"work{n}"): 93 * n for n in range(1, 5)}})


def case_trees_and_paths(bench):
    """Call trees and the pipeline work for threads as for whole regions. Each adds up to its executions."""
    bench.run("record", "--per-thread", "--pipeline", "--memory", "--all", "-o", "run.itrace", bench.shares, "four")
    report = bench.json("report", "--per-thread", "--tree", "run.itrace")
    check_sums("saved", report)
    for region in report["regions"]:
        roots = [node for node in region["call_tree"] if node["parent"] is None]
        expect(f"the roots of {region['name']}", sum(node["instructions"] for node in roots), region["instructions"])
    said = bench.run("report", "--per-thread", "--model", "skylake", "--top", "1", "run.itrace").stdout
    expect("pipelines of threads", len(re.findall("pipeline on skylake", said)), len(report["regions"]))


def case_memory_of_threads_that_ended(bench):
    """Simulated cores, predictors and stacks are released: 1,000 threads need hardly more memory than 100."""
    peaks = []
    for n_threads in ("100", "1000"):
        bench.run("--caches=skylake", "--calls", "--model", "skylake", "--per-thread", "-o", "/dev/null", bench.shares,
                  "crowd", n_threads)
        peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    if peaks[1] > peaks[0] + 20000:
        raise Failure(f"KB at most, with 100 and 1,000 threads: {peaks}")


def case_debian_program(bench):
    xz = shutil.which("xz")
    if not xz:
        return
    path = os.path.join(bench.folder, "data")
    with open(path, "wb") as file:
        file.write(b"".join(b"line %d\n" % (i * i) for i in range(8000)))
    report = bench.json("--per-thread", "--all", "--engine", "translate", "xz", "-0", "-T", "3", "--block-size",
                        "30000",
                        "-k", path)
    check_sums("xz", report)
    if len(parts(report, "all")) < 2 or sum(each["threads"] for each in report["regions"][0]["threads"]) < 4:
        raise Failure(f"threads of xz: {report['regions'][0]['threads']}")


if __name__ == "__main__":
    sys.exit(main(globals(), Bench))
