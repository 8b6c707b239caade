#!/usr/bin/env python3
"""Measures the speed of the translate engine: steady state relative to native and to other tools, and the cost of
starting.

    translate_rate.py --itrace ITRACE --steady STEADY [--rounds N] [--modes MODES] [--others] [--part N]
                      [NAME ...]

Each workload has a short and a long form. Steady state is their difference under a tool divided by their difference
without it, in processor time of all processes, as alternated medians of --rounds. The long forms of the interpreters
take about two seconds, so that most instructions run in traces; --part N runs an N-th of each, for slow tools. --modes
adds the cost of counting transfers of control and of logging the order of execution, without and with addresses.
--others adds valgrind --tool=none, callgrind and qemu-x86_64, if installed. The cost of starting is per instruction
translated, each address once.
"""
import argparse
import math
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well  # noqa: E402

MODES = ["edges", "order", "addresses", "accesses"]
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "toy.cost")
PYTHON = """
import sys
def count(n):
    found = {}
    for i in range(n):
        found[i % 1000] = found.get(i % 1000, 0) + i * 3
    return sum(found.values())
class Item:
    def __init__(self, x): self.x = x
    def more(self): return self.x + 1
n = int(sys.argv[1])
print(count(n), sum(Item(i).more() for i in range(n // 3)))
"""
LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t, s = {}, 0
for i = 1, tonumber(arg[1]) do t[i % 1000] = (t[i % 1000] or 0) + i end
for _, v in ipairs(t) do s = s + v end
local n = 0
for i = 1, tonumber(arg[1]) // 100000 do n = n + fib(20) end
print(s, n)
"""
SQL = """
create table t(a integer primary key, b integer, c text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < {n})
  insert into t select i, (i * 7919) % 100003, 'x' || i from n;
create index ib on t(b);
select count(*), sum(b) from t where b % 7 = 3;
select substr(c, 1, 3), count(*) from t group by 1 order by 2 desc limit 3;
"""
# Steady state that is aimed at, by workload.
TARGETS = {"loop": 1.10, "qsort": 1.10, "gzip": 1.10, "xz": 1.30, "python3": 1.45, "lua": 1.45, "sqlite3": 1.60}


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def text_file(folder, name, n_bytes):
    source = random.Random(1)
    words = ["".join(source.choice("etaoinshrdlu") for _ in range(source.randint(2, 9))) for _ in range(3000)]
    parts, size = [], 0
    while size < n_bytes:
        parts.append(source.choice(words))
        size += len(parts[-1]) + 1
    return write(folder, name, " ".join(parts))


def workloads(steady, folder, part):
    """Name: (short command, long command)."""
    python = shutil.which("python3.11", path="/usr/bin:/usr/local/bin") or os.path.realpath(sys.executable)
    lua = shutil.which("lua5.4") or shutil.which("lua")
    small, large = text_file(folder, "small", 100000), text_file(folder, "large", 12000000 // part)
    script, lua_script = write(folder, "count.py", PYTHON), write(folder, "count.lua", LUA)
    sql = [write(folder, f"{n}.sql", SQL.format(n=n)) for n in (1000, 1600000 // part)]
    found = {
        "loop": ([steady, "loop", "1000"], [steady, "loop", str(500000000 // part)]),
        "qsort": ([steady, "qsort", "1000"], [steady, "qsort", str(6000000 // part)]),
        "gzip": (["gzip", "-nc", small], ["gzip", "-nc", large]),
        "xz": (["xz", "-cT1", "-2", small], ["xz", "-cT1", "-2", large]),
        "python3": ([python, "-IS", script, "3000"], [python, "-IS", script, str(12000000 // part)]),
        "lua": ([lua, lua_script, "100000"], [lua, lua_script, str(100000000 // part)]),
        "sqlite3": (["sqlite3", ":memory:", f".read {sql[0]}"], ["sqlite3", ":memory:", f".read {sql[1]}"]),
    }
    return {name: both for name, both in found.items() if both[0][0] and shutil.which(both[0][0])}


def cpu_s(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run_well(command, stdout=subprocess.DEVNULL, timeout=None)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tools(options, folder):
    report = os.path.join(folder, "report")
    found = {"itrace": [options.itrace, "--engine", "translate", "--model", MODEL, "-o", report, "--all"]}
    for mode in MODES if options.modes else []:
        found[mode] = [options.modes, mode]
    if options.others and shutil.which("valgrind"):
        found["valgrind"] = ["valgrind", "-q", "--tool=none"]
        found["callgrind"] = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if options.others and shutil.which("qemu-x86_64"):
        found["qemu"] = ["qemu-x86_64"]
    return found


def show_starts(modes, rounds):
    python = shutil.which("python3.11", path="/usr/bin:/usr/local/bin") or os.path.realpath(sys.executable)
    for command in (["/bin/true"], [python, "-IS", "-c", "pass"]):
        done = run_well([modes, "counts", *command])
        words = done.stderr.splitlines()[-1].split()
        n_executed, n_translated = int(words[0]), int(words[2])
        native = statistics.median(cpu_s(command) for _ in range(rounds))
        more = statistics.median(cpu_s([modes, "counts", *command]) for _ in range(rounds)) - native
        print(f"start of {' '.join(command)}: {more * 1e3:.1f} ms more, {more / n_translated * 1e6:.2f} us for each of "
              f"{n_translated} instructions translated, of which {n_executed} were executed")


def measure(commands, prefixes, rounds):
    """Returns, for each prefix, steady state relative to native, and seconds of the short form."""
    times = {tool: ([], []) for tool in ["native", *prefixes]}
    for _ in range(rounds):
        for tool, prefix in {"native": [], **prefixes}.items():
            for size in (0, 1):
                command = [shutil.which(commands[size][0]), *commands[size][1:]]
                times[tool][size].append(cpu_s(prefix + command))
    medians = {tool: [statistics.median(runs) for runs in both] for tool, both in times.items()}
    native = medians["native"][1] - medians["native"][0]
    return {tool: ((both[1] - both[0]) / native, both[0]) for tool, both in medians.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--steady", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--modes")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefixes = tools(options, folder)
        print(f"load {os.getloadavg()[0]:.2f}")
        print(f"{'':10}" + "".join(f"{tool:>11}" for tool in prefixes) + "     target  itrace's start, s")
        ratios = []
        for name, commands in workloads(options.steady, folder, options.part).items():
            if options.names and name not in options.names:
                continue
            found = measure(commands, prefixes, options.rounds)
            ratios.append(found["itrace"][0])
            print(f"{name:10}" + "".join(f"{found[tool][0]:11.2f}" for tool in prefixes) +
                  f"{TARGETS[name]:11.2f}{found['itrace'][1] - found['native'][1]:11.3f}", flush=True)
        mean = math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))
        print(f"{'geometric mean':10} {mean:.2f}, target 1.25")
        if options.modes:
            show_starts(options.modes, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
