#!/usr/bin/env python3
"""Compares the pipeline estimator with kernels whose core cycles were measured.

    kernels.py --itrace build/itrace --kernels build/tests/accuracy/kernels/kernels
        [--measure [--keep] | --keep-estimates] [--model NAME] [--visits N] [--mca] [KERNEL ...]

Without --measure, the script judges measured/MODEL.csv of this folder, on any machine: for each file, itrace traces N
calls of each kernel with --pipeline and that model, and the mean of the calls is compared with the measured cycles. A
kernel is skipped if this machine cannot run it, or if it executes other instructions than the measured one, for example
because of another compiler. With --measure, the kernels are timed here and this machine's model is compared.

--keep writes measurements and estimates to the file of this machine's model. --keep-estimates writes the estimates
again after a change that is meant to change them; read the difference before you commit it.

--mca adds llvm-mca-22's cycles of each kernel's loop: the one that executes most instructions, without the instructions
that less than half of its iterations execute, because llvm-mca ignores branches.

Exit status: 1 if an error exceeds LIMITS or the error of the kept estimate; 77, a skip, if there is nothing to judge.
"""
import argparse
import collections
import csv
import datetime
import glob
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import bhive  # noqa: E402
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from child import run_well  # noqa: E402

SKIP = 77
MEASURED = os.path.join(HERE, "measured")
COLUMNS = ["kernel", "cycles", "spread_percent", "code", "estimate"]
# The run with the second lowest median counts: other load adds cycles, or slows the clock of one run.
N_RUNS = 9

FAR_PERCENT = 40
WORSE_POINTS = 2  # stack addresses differ between machines and may change an estimate

Limits = collections.namedtuple("Limits", "median_percent mean_percent n_far")

# By model: limits for the errors over all kernels, and for the number of kernels FAR_PERCENT off without a NOTE.
LIMITS = {
    "zen4": Limits(6, 9, 0),
    # 14.4 %, 24 % and 5 on an EPYC of family 1Ah, model 2: the model has Zen 4's figures for most forms, like LLVM 22.
    "zen5": Limits(16, 27, 5),
}

# errors in percent; kept_error: that of the kept estimate, or None
Row = collections.namedtuple("Row", "name error kept_error")

# The reasons why an estimate may exceed the limit.
NOTES = {
    "binary_search": "mispredicts: the CPU has seen the same searches a thousand times, the estimate --visits times",
    "tree": "mispredicts: the CPU has seen the same searches a thousand times, the estimate --visits times",
    "mixed_branches": "mispredicts: the CPU has seen the same bytes a thousand times, the estimate --visits times",
    "interpreter": "indirect jumps: the layout of the code decides which of them share entries of a predictor",
}

# Model: llvm-mca's name.
MCA_CPUS = {"zen1": "znver1", "zen2": "znver2", "zen3": "znver3", "zen4": "znver4", "zen5": "znver5",
            "lunarlake": "lunarlake", "icelake": "icelake-server"}

TRACE_LINE = re.compile(r"0x([0-9a-f]+) +\S+ +([0-9a-f]+) +(\S+)(?: 0x([0-9a-f]+))?")


class NoPipeline(Exception):
    pass


def run(command):
    return run_well(command).stdout


def measure(kernels):
    """Returns ({name: (cycles of a call, spread in percent)}, the compiler)."""
    measured, compiler = {}, ""
    for _ in range(N_RUNS):
        first, *lines = run(["setarch", "--addr-no-randomize", kernels]).splitlines()
        compiler = first.removeprefix("# ")
        for name, cycles, spread in csv.reader(lines):
            measured.setdefault(name, []).append((float(cycles), float(spread)))
    return {name: sorted(found)[1] for name, found in measured.items()}, compiler


def host_model(itrace):
    """Returns the name of this machine's model, or None."""
    return json.loads(run([itrace, "models", "--format", "json"]))["host"]["name"]


def is_supported(kernels, name):
    return subprocess.run([kernels, name, "0"], check=False, stderr=subprocess.DEVNULL).returncode == 0


def estimate(options, model, name):
    """Returns (cycles of a call, a checksum of the forms executed in a call)."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        # at the addresses of the measurement, which branch predictors depend on
        run([options.itrace, "--no-aslr", "--pipeline", "--model", model, "--function", f"kernel_{name}", "--format",
             "json", "-o", output.name, options.kernels, name, str(options.visits)])
        region = json.load(open(output.name, encoding="utf-8"))["regions"][0]
    found = region["estimates"][0]
    if found["estimator"] != "pipeline":
        raise NoPipeline(f"model {model} has no pipeline")
    executed = sorted((form["form"], form["executions"] / region["visits"]) for form in region["forms"])
    return found["cycles"] / region["visits"], f"{zlib.crc32(repr(executed).encode()):08x}"


def kept_path(model):
    return os.path.join(MEASURED, model + ".csv")


def read_kept(model):
    """Reads ({name: row}, the comment lines)."""
    with open(kept_path(model), encoding="utf-8") as file:
        lines = file.readlines()
    comments = [line for line in lines if line.startswith("#")]
    return {row["kernel"]: row for row in csv.DictReader(lines[len(comments):])}, comments


def write_kept(model, rows, comments):
    with open(kept_path(model), "w", encoding="utf-8", newline="") as file:
        file.writelines(comments)
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def conditions(compiler):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = dict(re.findall(r"^(model name|cpu family|model|flags)\s*: (.*)$", file.read(), re.M))
    machine = "a virtual machine" if "hypervisor" in cpu["flags"].split() else "a machine of its own"
    return [f"# {cpu['model name']}, family {int(cpu['cpu family']):X}h, model {int(cpu['model']):X}h; {machine} with "
            f"{os.cpu_count()} processors; Linux {platform.release().split('-')[0]}; {compiler}\n",
            f"# {datetime.date.today()}; core cycles of a call, "
             f"second lowest of the medians of {N_RUNS} runs of kernels.c\n"]


def hot_loop(options, name):
    """Returns (bytes in hexadecimal, iterations) of the loop that executes most instructions of a call."""
    with tempfile.NamedTemporaryFile(suffix=".txt") as output:
        run([options.itrace, f"--trace={output.name}", "--function", f"kernel_{name}", "-o", "/dev/null",
             options.kernels, name, "1"])
        text = open(output.name, encoding="utf-8").read()
    counts, code = collections.Counter(), {}
    jumps = {}
    for address, encoded, mnemonic, target in TRACE_LINE.findall(text):
        address = int(address, 16)
        counts[address] += 1
        code[address] = encoded
        if target and mnemonic.startswith("j") and int(target, 16) <= address:
            jumps[address] = int(target, 16)
    best, best_weight = None, 0
    for jump, target in jumps.items():
        body = [address for address in sorted(code)
                if target <= address <= jump and 2 * counts[address] >= counts[jump]]
        weight = len(body) * counts[jump]
        # an inner loop has more iterations than its outer loop
        if counts[jump] > 1 and (weight > best_weight or (best and counts[jump] > 4 * best[1])):
            best, best_weight = (body, counts[jump]), weight
    if not best:
        return None
    return "".join(code[address] for address in best[0]), best[1]


def mca_estimate(options, model, name):
    loop = hot_loop(options, name)
    if not loop:
        return None
    cycles, = bhive.mca_cycles(MCA_CPUS.get(model, model), [(loop[0], 0)])
    return cycles and cycles * loop[1]


def percent(estimated, measured):
    return 100 * (estimated - measured) / measured


def judge(model, rows):
    """Returns a message for each limit that the rows of a model exceed."""
    problems = [f"{row.name}: {row.error:+.1f} %, {row.kept_error:+.1f} % when it was kept" for row in rows
                if row.kept_error is not None and abs(row.error) > abs(row.kept_error) + WORSE_POINTS]
    limits = LIMITS.get(model)
    if not limits:
        return problems
    errors = [abs(row.error) for row in rows]
    if statistics.median(errors) > limits.median_percent:
        problems.append(f"the median error is above {limits.median_percent} %")
    if statistics.mean(errors) > limits.mean_percent:
        problems.append(f"the mean error is above {limits.mean_percent} %")
    far = [row.name for row in rows if abs(row.error) > FAR_PERCENT and row.name not in NOTES]
    if len(far) > limits.n_far:
        problems.append(f"more than {limits.n_far} are off by more than {FAR_PERCENT} %: {' '.join(far)}")
    return problems


def compare(options, model, measured):
    """Prints a line for each kernel of {name: kept row}. Returns ({name: row with today's estimate}, Rows to judge)."""
    now, rows, mca_errors = {}, [], []
    print(f"{'kernel':20} {'measured':>9} {'spread':>7} {model:>9} {'error':>9}"
          + (f" {'mca-22':>9} {'error':>9}" if options.mca else ""))
    for name, row in measured.items():
        if not is_supported(options.kernels, name):
            print(f"{name:20} skipped: this CPU cannot run it")
            continue
        ours, code = estimate(options, model, name)
        if row["code"] not in ("", code):
            print(f"{name:20} skipped: not the code that was measured")
            continue
        cycles = float(row["cycles"])
        now[name] = {**row, "code": code, "estimate": f"{ours:.0f}"}
        rows.append(Row(name, percent(ours, cycles),
                        percent(float(row["estimate"]), cycles) if row["estimate"] else None))
        line = f"{name:20} {cycles:9.0f} {float(row['spread_percent']):5.1f} % {ours:9.0f} {rows[-1].error:+7.1f} %"
        if options.mca:
            mca = mca_estimate(options, model, name)
            line += f" {mca:9.0f} {percent(mca, cycles):+7.1f} %" if mca else f" {'-':>9} {'-':>9}"
            mca_errors += [abs(percent(mca, cycles))] if mca else []
        if abs(rows[-1].error) > FAR_PERCENT:
            line += f"  {NOTES.get(name, 'not explained')}"
        print(line, flush=True)
    for title, errors in ((model, [abs(row.error) for row in rows]), ("llvm-mca-22", mca_errors)):
        if errors:
            print(f"{title}: {len(errors)} kernels, median error {statistics.median(errors):.1f} %, "
                  f"mean {statistics.mean(errors):.1f} %")
    return now, rows


def judge_measured_here(options):
    model = options.model or host_model(options.itrace)
    if not model:
        print("skipped: itrace has no model of this CPU")
        return SKIP
    timed, compiler = measure(options.kernels)
    measured = {name: {"kernel": name, "cycles": f"{cycles:.1f}", "spread_percent": f"{spread:.1f}",
                       "code": "", "estimate": ""}
                for name, (cycles, spread) in timed.items() if name in (options.names or [name])}
    try:
        now, rows = compare(options, model, measured)
    except NoPipeline as error:
        print(f"skipped: {error}")
        return SKIP
    if not rows:
        print("skipped: nothing was measured, as the clock changes too much")
        return SKIP
    if options.keep:
        write_kept(model, now.values(), conditions(compiler))
    return report_problems(judge(model, rows))


def judge_kept(options):
    """Judges each CPU that was measured."""
    problems, n_judged = [], 0
    for path in sorted(glob.glob(os.path.join(MEASURED, "*.csv"))):
        cpu = os.path.basename(path).removesuffix(".csv")
        kept, comments = read_kept(cpu)
        measured = {name: row for name, row in kept.items() if name in (options.names or [name])}
        now, rows = compare(options, options.model or cpu, measured)
        n_judged += len(rows)
        if options.keep_estimates:
            write_kept(cpu, {**kept, **now}.values(), comments)
        elif rows:
            problems += judge(cpu, rows)
    return report_problems(problems) if n_judged else SKIP


def report_problems(problems):
    for problem in problems:
        print(f"MISSED: {problem}")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--keep-estimates", action="store_true")
    parser.add_argument("--model", help="default: that of the CPU that was measured")
    parser.add_argument("--visits", type=int, default=16)
    parser.add_argument("--mca", action="store_true")
    parser.add_argument("names", nargs="*", metavar="KERNEL", help="default: all")
    options = parser.parse_args()
    return judge_measured_here(options) if options.measure else judge_kept(options)


if __name__ == "__main__":
    sys.exit(main())
