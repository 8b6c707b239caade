#!/usr/bin/env python3
"""Finds what the pipeline estimator gets wrong on this machine: makes random blocks of instructions from real programs,
estimates and times them (itrace block --clock), and lists what the worst blocks share.

    tests/accuracy/search.py --itrace build/itrace [--model NAME] [--blocks N] [--seed N] [--keep FILE] [PROGRAM ...]

The instructions are those of `objdump -d PROGRAM ...`, as often as they occur there, without jumps, calls, system
instructions, divisions, stack instructions and addresses relative to RIP. Without --stores they do not write memory:
which store a load gets its data from is chance where registers are random. Half of the blocks is held out: it is
judged, but neither listed nor grouped, so that rules found in one half can be checked on the other. --keep writes each
block with its cycles, to judge later without a clock: search.py --judge FILE.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from bhive import tau_b  # noqa: E402
from child import run_well  # noqa: E402

PROGRAMS = ["/usr/bin/python3", "/usr/bin/perl", "/usr/bin/gzip", "/usr/bin/bash", "/usr/bin/git", "/usr/bin/awk",
            "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/lib/x86_64-linux-gnu/libm.so.6",
            "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0"]
INSTRUCTION = re.compile(r"^ +[0-9a-f]+:\t([0-9a-f ]+?) *\t(\S+)(.*)")
# Jumps and calls, the stack, divisions (their operands would overflow), strings, what enters the kernel or waits.
LEFT_OUT = re.compile(r"(j|call|ret|loop|push|pop|leave|enter|i?div|rep|lock|data16|cs|ds|bnd|notrack|addr32|fs|gs"
                      r"|syscall|int|ud|hlt|cpuid|rdtsc|xgetbv|x?save|xrstor|fx|f|(mov|cmp|sto|lod|sca)s[bwlqd]?$"
                      r"|std|cld|sti|cli|nop|endbr|[lms]fence|pause|prefetch|clflush|ldmxcsr|stmxcsr|vldmx|vstmx"
                      r"|emms|vzero|xchg|\(bad\)|in|out|xlat|rd|wr|v?maskmov|v[ps]?gather|vp?scatter"
                      r"|x(begin|end|test|abort)|sysenter|mov[nd]?t|vmovnt)")
KEPT = re.compile(r"(movs[bwl][wlq]|movsl?q|movsd|movss|cmpss|cmpsd|inc|fs)\b|movsbl")
READING = re.compile(r"cmp|test|bt[bwlq]?$|v?u?comis")  # with memory as the last operand
LEAST_INSNS, MOST_INSNS = 3, 12
SPREAD_PERCENT = 2.0  # of a time that counts
ROUNDS = 4
POINTERS = ["--pointers", "distinct"]  # one line at two virtual addresses costs time on Zen 4
AT_ONCE = 50  # blocks that one run of itrace times
MANY = 12  # blocks with a form, from which it is judged


def family(register):
    """The same name for all parts of a register: ax for al, eax and rax."""
    if re.match(r"r\d", register):
        return re.match(r"r\d+", register)[0]
    if re.fullmatch(r"[abcd][lh]|sil|dil|bpl|spl", register):
        return register[0] + "x" if len(register) == 2 else register[:2]
    return register[-2:]


def instructions(programs, has_stores):
    """Returns how often each encoding occurs, and the registers of its addresses and the one that it writes."""
    found, registers = collections.Counter(), {}
    for program in programs:
        if not pathlib.Path(program).exists():
            continue
        text = subprocess.run(["objdump", "-d", "-w", program],
                              capture_output=True, text=True, check=False).stdout
        for line in text.splitlines():
            match = INSTRUCTION.match(line)
            if not match or "rip" in match[3] or "%fs" in match[3] or "%gs" in match[3] or "%rsp" in match[3]:
                continue
            if LEFT_OUT.match(match[2]) and not KEPT.match(match[2]):
                continue
            if match[3].partition("#")[0].rstrip().endswith(")") and not has_stores and not READING.match(match[2]):
                continue
            code, operands = match[1].replace(" ", ""), match[3].partition("#")[0].strip()
            bases = {family(name) for part in re.findall(r"\(([^)]*)\)", operands)
                     for name in re.findall(r"%(\w+)", part)}
            target = re.search(r"%(\w+)$", operands)
            registers[code] = bases, {family(target[1])} if target and not READING.match(match[2]) else set()
            found[code] += 1
    return found, registers


def make_blocks(found, registers, n_blocks, seed):
    """One half of the instructions of a block is as frequent as in programs, the other one from all alike, so that rare
    ones occur, too. None changes a register of an address, which would then point anywhere."""
    chance = random.Random(seed)
    codes = sorted(found)
    weights = [found[code] for code in codes]
    blocks = []
    while len(blocks) < n_blocks:
        n = chance.randint(LEAST_INSNS, MOST_INSNS)
        common = chance.choices(codes, weights, k=n - n // 2)
        block = common + chance.choices(codes, k=n // 2)
        bases, targets = (set.union(*(registers[code][i] for code in block)) for i in range(2))
        if bases & targets:
            continue
        chance.shuffle(block)
        blocks.append("".join(block))
    return blocks


def estimates(itrace, model, blocks, *more):
    text = "code_hex\n" + "".join(f"{block}\n" for block in blocks)
    done = run_well([itrace, "block", "--model", model, *POINTERS, *more, "-"], input=text)
    return list(csv.DictReader(done.stdout.splitlines()))


def time_blocks(itrace, model, blocks):
    """Returns the cycles of the blocks that have two equal times: the smallest ones, because other programs lengthen
    times."""
    parts = [blocks[i:i + AT_ONCE] for i in range(0, len(blocks), AT_ONCE)]
    times, cycles = collections.defaultdict(list), {}
    for _ in range(ROUNDS):
        for row in (row for part in parts for row in estimates(itrace, model, part, "--clock")):
            if row["clock_cycles"] and float(row["clock_cycles"]) > 0:
                times[row["code_hex"]].append(float(row["clock_cycles"]))
    for block, found in times.items():
        found.sort()
        if len(found) > 1 and (found[1] - found[0]) * 100 <= found[0] * SPREAD_PERCENT:
            cycles[block] = found[0]
    return cycles


def judge(name, pairs):
    """Prints and returns the mean error in percent and tau."""
    errors = [100 * abs(estimate - measured) / measured for estimate, measured in pairs]
    error, tau = statistics.mean(errors), tau_b(*zip(*pairs))
    print(f"{name}: {len(pairs)} blocks, error mean {error:.2f} %, median {statistics.median(errors):.2f} %, "
          f"tau {tau:.3f}")
    return error, tau


def group(itrace, blocks, model):
    """Lists the forms whose blocks are worse than others, and the worst blocks."""
    by_form = collections.defaultdict(list)
    listed = []
    text = "".join(f"{block[0]}\n" for block in blocks)
    command = [itrace, "block", "--model", model, *POINTERS, "--format", "json", "-"]
    reports = json.loads(run_well(command, input=text).stdout)
    for (code, estimate, measured, bottleneck), report in zip(blocks, reports):
        forms = sorted({insn["form"] for insn in report["estimates"][0]["instructions"]})
        error = (estimate - measured) / measured
        listed.append((abs(error), error, code, measured, bottleneck))
        for form in forms + [f"bound by {bottleneck}"]:
            by_form[form].append(error)
    mean = statistics.mean(error for error, *_ in listed)
    found = [(statistics.mean(map(abs, errors)) - mean, form, errors) for form, errors in by_form.items()
             if len(errors) >= MANY]
    print(f"\nforms in at least {MANY} blocks that are worse than others (estimate too low: -, too high: +):")
    for more, form, errors in sorted(found, reverse=True)[:25]:
        print(f"  {100 * more:+6.1f} points  {100 * statistics.mean(errors):+6.1f} %  {len(errors):4} blocks  {form}")
    print("\nworst blocks:")
    for _, error, code, measured, bottleneck in sorted(listed, reverse=True)[:15]:
        print(f"  {100 * error:+7.1f} %  clock {measured:7.2f}  {bottleneck:10} {code}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--itrace", default="build/itrace")
    parser.add_argument("--model", default="host")
    parser.add_argument("--blocks", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stores", action="store_true", help="also instructions that write memory")
    parser.add_argument("--keep", metavar="FILE", help="write the blocks and their cycles")
    parser.add_argument("--judge", metavar="FILE", help="blocks that were kept; nothing is timed")
    parser.add_argument("--limits", type=float, nargs=2, metavar=("PERCENT", "TAU"),
                        help="fail if the held-out half has a greater mean error or a lesser tau")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", default=PROGRAMS)
    options = parser.parse_args()
    if options.judge:
        with open(options.judge, encoding="ascii") as file:
            cycles = {row["code_hex"]: float(row["measured_cycles_per_iteration"])
                      for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    else:
        found, registers = instructions(options.programs or PROGRAMS, options.stores)
        blocks = make_blocks(found, registers, options.blocks, options.seed)
        cycles = time_blocks(options.itrace, options.model, blocks)
        print(f"{len(found)} instructions; {len(cycles)} of {options.blocks} blocks with a steady time")
    if options.keep:
        with open(options.keep, "w", encoding="ascii") as file:
            file.write("code_hex,measured_cycles_per_iteration\n")
            file.writelines(f"{code},{time:.3f}\n" for code, time in cycles.items())
    rows = estimates(options.itrace, options.model, list(cycles))
    blocks = [(row["code_hex"], float(row["cycles_per_iteration"]), cycles[row["code_hex"]], row["bottleneck"])
              for row in rows if row["cycles_per_iteration"]]
    judge("searched half", [block[1:3] for block in blocks[::2]])
    error, tau = judge("held-out half", [block[1:3] for block in blocks[1::2]])
    if options.limits:
        return 0 if error <= options.limits[0] and tau >= options.limits[1] else 1
    group(options.itrace, blocks[::2], options.model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
