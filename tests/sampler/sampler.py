#!/usr/bin/env python3
"""Tests `itrace sample` on programs whose shares are known.

    sampler.py --itrace ITRACE --programs FOLDER CASE
    sampler.py --list

Bounds are wide, because the machine may be busy. Checks that may fail by chance have three tries.
"""
import argparse
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, Failure, environment, run_well

SKIPPED = 77
TRIES = 3
DELAYS = ("delay_one delay_two delay_three delay_four delay_five delay_six delay_seven delay_eight delay_nine "
          "delay_ten delay_eleven delay_twelve delay_thirteen delay_fourteen delay_fifteen").split()


class Skipped(Exception):
    """This machine cannot show what is tested."""


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(options, arguments, status=0):
    done = subprocess.run([options.itrace, "sample", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=PATIENCE_S, env=environment())
    if "perf_event_open" in done.stderr and "does not let itrace sample" in done.stderr:
        raise Skipped("the kernel does not let this user sample (perf_event_paranoid)")
    expect(done.returncode == status, f"status {done.returncode}, not {status}: {done.stderr}")
    return done


def sample(options, arguments, status=0):
    """Returns the JSON report, which must conform to its schema."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        run(options, ["--format", "json", "-o", path, *arguments], status)
        schema = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check-json-schema")
        try:
            import jsonschema  # noqa: F401, only checks that it is installed
            done = subprocess.run([schema, "--sample", path], capture_output=True, text=True)
            expect(done.returncode == 0, done.stdout)
        except ImportError:
            pass
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def sample_undisturbed(options, arguments):
    """Repeats a sample in which other programs took most of the time: with each change of the program, sampler and
    program get out of step."""
    for _ in range(20):
        report = sample(options, arguments)
        if report["cpu_ns"] > report["wall_ns"] / 2:
            return report
    raise Skipped("other programs took most of the time in each of 20 samples")


def program(options, name):
    return os.path.join(options.programs, name)


def row(report, name):
    for candidate in report["rows"]:
        if candidate["name"] == name:
            return candidate
    return {"share": 0, "low": 0, "high": 0, "samples": [0]}


def most_of_three(check):
    """Repeats a check, because chance or other load may fail a correct sampler once."""
    failures = []
    for attempt in range(TRIES):
        try:
            check()
        except Failure as failure:
            failures.append(str(failure))
            print(f"try {attempt + 1}: {failure}")
        passed = attempt + 1 - len(failures)
        if passed >= 2 or len(failures) >= 2:
            break
    expect(len(failures) < 2, "failed most of three times")


def check_shares(options, method):
    """The delays of the ramp take 1, 2, 3 ... 15 of 120 parts of the time."""
    # Loops of 0.3 ms sampled each 0.997 ms are never in step.
    report = sample(options, ["--method", method, program(options, "in_step"), "--ramp", "--us", "300", "1500"])
    expect(report["method"] == method, f"method is {report['method']}")
    expect(sum(r["samples"][0] for r in report["rows"]) == report["series"][0]["samples"], "rows do not add up")
    inside = sum(row(report, name)["low"] <= (i + 1) / 120 <= row(report, name)["high"]
                 for i, name in enumerate(DELAYS))
    # Calibration takes 0.05 s of 0.5 s, and the kernel takes some time: 5 intervals may miss.
    expect(inside >= 10, f"only {inside} of 15 shares lie in their interval")
    later = sum(row(report, name)["share"] for name in DELAYS[10:])
    expect(abs(later - 65 / 120 * 0.9) < 0.12, f"delays 11 to 15 have {later:.2f}")


def case_perf(options):
    most_of_three(lambda: check_shares(options, "perf"))


def case_stops(options):
    most_of_three(lambda: check_shares(options, "stops"))


def case_cost(options):
    """The same work with a long and with a short period: the report tells what the samples cost, and judges it."""
    def run_with(method, period):
        return sample(options, ["--method", method, "--period", period, program(options, "in_step"), "--steps", "5000",
                                "2000"])

    def perf():
        long, short = run_with("perf", "10ms"), run_with("perf", "10us")
        added = 1 - long["cpu_ns"] / short["cpu_ns"]
        told = short["verdict"]["cost_share"]
        # On a machine of its own a sample takes less than a microsecond.
        expect(abs(told - added) < 0.25, f"samples added {added:.2f} of the CPU time, and the report tells {told:.2f}")
        grade = "good" if told <= 0.05 else "doubtful" if told <= 0.2 else "bad"
        expect(short["verdict"]["low_cost"] == grade, f"10us is {short['verdict']['low_cost']} with {told:.2f}")
        expect(long["verdict"]["low_cost"] == "good", f"10ms is {long['verdict']}")

    def stops():
        long, short = run_with("stops", "20ms"), run_with("stops", "20us")
        expect(short["cost_ns"] > 10 * long["cost_ns"], f"cost {short['cost_ns']} and {long['cost_ns']} ns")
        expect(short["cost_ns"] < short["wall_ns"], f"cost {short['cost_ns']} of {short['wall_ns']} ns")
        expect(short["verdict"]["low_cost"] == "bad", f"20us is {short['verdict']}")

    most_of_three(perf)
    most_of_three(stops)


def case_aliasing(options):
    """A loop of 1 ms sampled each 1 ms is reported, and one of 0.709 ms is not."""
    def bad():
        report = sample_undisturbed(options, ["--method", "perf", "--trials", "--period", "1ms",
                                              program(options, "in_step"), "--us", "1000", "600"])
        verdict = report["verdict"]
        expect(verdict["off_period"] == "bad", f"off_period is {verdict['off_period']}")
        names = [report["rows"][move["row"]]["name"] for move in verdict["moved"]]
        expect(sum(name in DELAYS for name in names) >= 3, f"moved: {names}")

    def good():
        report = sample(options, ["--method", "perf", "--trials", "--period", "1ms", program(options, "in_step"),
                                  "--us", "709", "900"])
        expect(report["verdict"]["off_period"] == "good", f"moved: {report['verdict']['moved']}")

    most_of_three(bad)
    most_of_three(good)


def case_threads(options):
    """The second thread computes three times as long as the first. The exit status is the program's."""
    def check():
        report = sample(options, ["--per-thread", program(options, "sampled_threads"), "60"], status=7)
        threads = report["threads"]
        expect(len(threads) >= 2, f"{len(threads)} threads")
        ratio = threads[0]["samples"] / max(1, threads[1]["samples"])
        expect(1.8 < ratio < 5, f"the threads' ratio is {ratio:.2f}")
        expect(row(report, "compute")["share"] > 0.8, f"compute has {row(report, 'compute')['share']}")
    most_of_three(check)


def case_signal(options):
    """If a signal kills the program, itrace dies of it as well, after its report."""
    done = run(options, [program(options, "sampled_threads"), "10", "die"], status=-15)
    expect("conditions for good statistics" in done.stderr, done.stderr)


def case_objects_and_maps(options):
    """By object, the program is one row. With a map, its code has the map's names. CSV has equal rows."""
    def check():
        target = program(options, "sampled_threads")
        report = sample(options, ["--by", "object", target, "30"], status=7)
        expect(row(report, "sampled_threads")["share"] > 0.8, "the program has not most of its samples")
        nm = run_well(["nm", target]).stdout
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "map")
            with open(path, "w", encoding="utf-8") as file:
                file.write(nm.replace(" compute", " renamed_by_the_map"))
            done = run(options, ["--map", path, "--format", "csv", target, "30"], status=7)
        first = next(csv.DictReader(io.StringIO(done.stderr)))
        expect(first["name"] == "renamed_by_the_map" and float(first["share"]) > 0.8, str(first))
    most_of_three(check)


def case_lines(options):
    """By line: the loop and its body have nearly all samples, and each sample is in one row."""
    def check():
        report = sample(options, ["--by", "line", program(options, "sampled_threads"), "30"], status=7)
        loop = [row for row in report["rows"] if "/sampled_threads.c:" in row["name"]]
        expect(sum(row["share"] for row in loop) > 0.8, "the program's lines have not most of its samples")
        expect(all(int(row["name"].rsplit(":", 1)[1]) in (11, 12, 13) for row in loop[:1]), loop[0]["name"])
        expect(abs(sum(row["share"] for row in report["rows"]) - 1) < 1e-6, "shares do not add up")
    most_of_three(check)


def case_check(options):
    """Equal delays have equal shares of the exact cycles. The report has both."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "map")
        done = run(options, ["--check", "--format", "csv", "-o", path, "--period", "10us",
                             program(options, "in_step"), "--steps", "100", "5"])
        expect(done.stderr == "", done.stderr)
        with open(path, encoding="utf-8") as file:
            rows = {line["function"]: line for line in csv.DictReader(file)}
    shares = [float(rows[name]["exact_share"]) for name in DELAYS]
    expect(min(shares) > 0.02 and max(shares) - min(shares) < 0.005, f"exact shares {shares}")


def case_interrupted_check(options):
    """^C during the sampled run leaves out the exact run, and the report says so."""
    with subprocess.Popen([options.itrace, "sample", "--check", "sleep", "1000"], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as running:
        children = f"/proc/{running.pid}/task/{running.pid}/children"
        while running.poll() is None and not open(children, encoding="ascii").read():
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=PATIENCE_S)[1]
    expect("no exact run for --check, because the sampled run was interrupted" in said, said)


def case_time(options):
    """--time ends sampling, but not the program."""
    begin = time.monotonic_ns()
    report = sample(options, ["--time", "100ms", program(options, "in_step"), "--us", "1000", "500"])
    took_ns = time.monotonic_ns() - begin
    expect(report["wall_ns"] < took_ns / 2, f"sampled for {report['wall_ns']} of {took_ns} ns")
    expect(report["program"]["exit_status"] == 0, "the program did not end well")


def case_running(options):
    """A running process is sampled with its threads until it ends."""
    def check():
        with subprocess.Popen([program(options, "sampled_threads"), "400"], stdin=subprocess.DEVNULL) as running:
            time.sleep(0.05)
            report = sample(options, ["--method", "perf", "--per-thread", "-p", str(running.pid)])
            expect(running.wait(timeout=PATIENCE_S) == 7, "the process did not end as it should")
        expect(row(report, "compute")["share"] > 0.8, f"compute has {row(report, 'compute')['share']}")
        expect(report["program"]["exit_status"] is None, "whose exit status was that?")
        expect(len([t for t in report["threads"] if t["samples"] > 10]) >= 1, "no thread has samples")
    most_of_three(check)


def case_wrong(options):
    """Errors have a message and status 125; a missing program has 127."""
    for arguments, text in (
            (["--period", "1us", "true"], "--period: expected at least 10 us, got '1us'"),
            (["--period", "fast", "true"], "--period: expected a time such as 250us, 1.5ms or 2 (seconds), got 'fast'"),
            (["--by", "color", "true"], "--by: expected object, function or line, got 'color'"),
            (["--function", "main", "true"], "--function chooses what --check traces"),
            (["--check", "--by", "object", "true"], "use it with --by function and without --map"),
            (["--check", "--function", "abort", "true"], "--check: the traced run did not reach function abort"),
            (["--check", "--region", "nowhere", "true"], "--check: the traced run did not reach region nowhere"),
            (["--model", "zen4", "true"], "--model is the cost model of --check; use both"),
            (["--map", "x.map", "--by", "line", "true"], "--map names functions"),
            (["--top", "5", "--format", "csv", "true"], "--top shortens the tables of --format text"),
            (["--per-thread", "--format", "csv", "true"], "--per-thread is for --format text and json"),
            (["--trials", "--check", "--format", "csv", "true"], "--trials cannot be combined with --check in csv"),
            (["--no-aslr", "-p", "1"], "does not work with --pid"),
            (["-p", "0"], "--pid: expected a whole number from 1 to 2,147,483,647, got '0'"),
            (["-p", "1", "true"], "'true' would not be run"),
            (["-p", "1", "--method", "stops"], "--pid works with --method perf only"),
            (["-p", "999999999"], "there is no process 999999999"),
            (["--map", "/nonexistent/map", "true"], "cannot read the map '/nonexistent/map'"),
            (["--map", "/dev/null", "true"], "not a map of names"),
            (["--nonsense", "true"], "unknown option --nonsense"),
            ([], "no program to run")):
        done = run(options, arguments, status=125)
        expect(text in done.stderr, f"{arguments}: {done.stderr}")
    done = run(options, ["itrace-no-such-program"], status=127)
    expect("no program named 'itrace-no-such-program'" in done.stderr, done.stderr)


CASES = {name[5:]: case for name, case in list(globals().items()) if name.startswith("case_")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace")
    parser.add_argument("--programs")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("name", nargs="?", choices=[*CASES, None])
    options = parser.parse_args()
    if options.list:
        print("\n".join(CASES))
        return 0
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except PermissionError:
        pass
    try:
        CASES[options.name](options)
    except Skipped as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
