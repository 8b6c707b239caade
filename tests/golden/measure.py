#!/usr/bin/env python3
"""Checks `itrace measure`: the model that it writes is valid, loads, is found as the host's model, and states what this
CPU is known to take. How exact the figures are depends on what else the machine does, so wide limits hold here.

    measure.py --itrace ITRACE --programs FOLDER [CASE ...]
    measure.py --list
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Skipped, main
from child import PATIENCE_S, Failure, environment

UNFIT = r"disturb the clock|does not tick at a constant rate|has no model"


def run(bench, *arguments, status=0, **changes):
    done = subprocess.run([bench.itrace, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                          cwd=bench.folder, env={**environment(), "HOME": bench.folder, **changes})
    if re.search(UNFIT, done.stderr):
        raise Skipped(done.stderr)
    if done.returncode != status:
        raise Failure(f"itrace {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done


def rows(path):
    with open(path, encoding="ascii") as file:
        text = file.read()
    table = text[text.index("[forms]"):].split("\n")[1:]
    cells = [[cell.strip() for cell in line.partition("#")[0].split("|")] for line in table]
    return {row[0]: row for row in cells if row[0]}


def case_measure_file(bench):
    run(bench, "measure", "--forms", "IMUL r64, *", "-o", "mine.cost")
    run(bench, "models", "check", "mine.cost")
    table = rows(bench.path("mine.cost"))
    latency, throughput = (float(cell) for cell in table["IMUL r64, r64"][1:3])
    if not 2.5 < latency < 4 or not 0.2 < throughput < 2:
        raise Failure(f"IMUL r64, r64: {table['IMUL r64, r64']}")
    run(bench, "measure", "--forms", "P[UO]* r64", "-o", "stack.cost")
    for form in "PUSH r64", "POP r64":
        if not 0.2 < float(rows(bench.path("stack.cost"))[form][2]) < 2.2:
            raise Failure(f"{form}: {rows(bench.path('stack.cost'))}")
    shown = run(bench, "models", "show", "./mine.cost", "IMUL r64, r64").stdout
    if "measured on this machine" not in shown or "exact" not in shown:
        raise Failure(shown)
    run(bench, "block", "--model", "./mine.cost", "--hex", "480fafc3")


def case_measure_install(bench):
    run(bench, "measure", "--quick", "--forms", "ADD r64, r64", "--install", XDG_CONFIG_HOME="")
    if "host.cost" not in run(bench, "models", "show", "host", "ADD r64, r64", XDG_CONFIG_HOME="").stdout:
        raise Failure("the installed model is not the host's")


def case_measure_interrupted(bench):
    """^C keeps what was measured."""
    path = bench.path("mine.cost")
    run(bench, "measure", "--quick", "--forms", "NOP*", "-o", "mine.cost")  # skips the case on unfit machines
    os.remove(path)
    with subprocess.Popen([bench.itrace, "measure", "-o", "mine.cost"], cwd=bench.folder, env=environment(),
                          stderr=subprocess.PIPE, text=True) as child:
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        said = child.communicate(timeout=PATIENCE_S)[1]
    if re.search(UNFIT, said):
        raise Skipped(said)
    if child.returncode != -signal.SIGINT or "interrupted" not in said:
        raise Failure(f"ended with {child.returncode}: {said}")
    run(bench, "models", "check", "mine.cost")
    if not rows(path):
        raise Failure("nothing was kept")


def case_measure_compare(bench):
    """A table beside models, and no file."""
    table = run(bench, "measure", "--forms", "ADD r64, r64", "--compare", "vax8800,vax780").stdout
    if os.path.exists(bench.path("host.cost")):
        raise Failure("a model was written")
    heading, row = table.splitlines()[:2]
    if not re.search(r"this machine +its latency +vax8800 +vax780 +instruction", heading):
        raise Failure(heading)
    # The VAX 8800 takes 6 cycles of 45 ns for two additions of 32 bits.
    match = re.search(r"^ *0\.0\d+ \([\d.]+\) +(0\.0\d+) \(([\d.]+)\) +0\.270 \(6\) .* ADD r64, r64$", row)
    if not match or not 0.9 < float(match[2]) < 1.2 or not 5e-5 < float(match[1]) < 2e-3:
        raise Failure(row)
    run(bench, "measure", "--forms", "ADD r64, r64", "--compare", "vax8800", "-o", "mine.cost")
    if "ADD r64, r64" not in rows(bench.path("mine.cost")):
        raise Failure("no model was written")
    if "nonsense" not in run(bench, "measure", "--forms", "ADD *", "--compare", "nonsense", status=125).stderr:
        raise Failure("an unknown model is no error")


def case_block_clock(bench):
    """Blocks with known times, and some that cannot be timed."""
    for code, expected in [
            ("480fafc3", 3),  # imul rax, rbx: a chain of multiplications
            ("4801d8" * 8, 8),  # add rax, rbx
            ("4801074883c70848ffc975f4", None),  # add [rdi], rax; add rdi, 8; dec rcx; jnz: as it is
            ("4883c7084839f775f7", 1),  # add rdi, 8; cmp rdi, rsi; jne: with a counter
            ("488b36", None),  # mov rsi, [rsi]: as many cycles as a load takes
            ("e800000000", "call"), ("48f7f1", "overflows"), ("488b042500f0ffff", "cannot be mapped")]:
        times = []
        for _ in range(8):
            block, = json.loads(run(bench, "block", "--model", "zen4", "--clock", "--format", "json", "--hex",
                                    code).stdout)
            error = block["clock"].get("error", "")
            if "disturb" in error or block["clock"].get("spread_percent", 0) >= 1:
                continue
            if isinstance(expected, str) != bool(error) or (error and expected not in error):
                raise Failure(f"{code}: {block['clock']}")
            times.append(block["clock"].get("cycles_per_iteration", 0))
            # A program on the core's other thread slows a block down and never speeds it up.
            if error or expected is None or min(times) < expected * 1.05:
                break
        if not times:
            raise Skipped("the clock is too noisy")
        if isinstance(expected, int) and not expected * 0.95 < min(times) < expected * 1.05:
            raise Failure(f"{code}: {min(times)} cycles, expected {expected}")
        if expected is None and not 0.4 < min(times) < 8:
            raise Failure(f"{code}: {min(times)} cycles")
    with open(bench.path("blocks.csv"), "w", encoding="ascii") as file:
        file.write("480fafc3\ne800000000\n")
    rows = [line.split(",") for line in run(bench, "block", "--model", "zen4", "--clock", "--csv",
                                            "blocks.csv").stdout.splitlines()]
    if [row[-1] for row in rows[::2]] != ["clock_cycles", ""] or not 2.5 < float(rows[1][-1]) < 4:
        raise Failure(f"{rows}")
    text = run(bench, "block", "--model", "zen4", "--clock", "--hex", "480fafc3").stdout
    if "this machine: " not in text:
        raise Failure(text)


def case_measure_errors(bench):
    for arguments, pattern in [
            (["-o", "mine.txt"], "NAME.cost"),
            (["-o", "nowhere/mine.cost"], "nowhere/mine.cost"),
            (["-o", "a b.cost"], "NAME.cost"),
            (["-o", "mine.cost", "--install"], "--install"),
            (["--forms", "FROBNICATE *", "-o", "mine.cost"], "FROBNICATE"),
            (["./program"], "unexpected argument './program'")]:
        said = run(bench, "measure", *arguments, status=125).stderr
        if not re.search(pattern, said) or len(said.splitlines()) != 1:
            raise Failure(f"{arguments}: {said}")
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", bench.path("full.cost"))
        said = run(bench, "measure", "--quick", "--forms", "ADD r64, r64", "-o", "full.cost", status=125).stderr
        if "No space left" not in said:
            raise Failure(said)


if __name__ == "__main__":
    sys.exit(main(globals()))
