#!/usr/bin/env python3
"""Compares the pipeline estimator with measured basic blocks: mean absolute percentage error and Kendall's tau per CPU;
on request, also those of llvm-mca-22 on these blocks.

    tests/accuracy/bhive.py --itrace build/itrace [--data FOLDER] [--half first|second] [--mca] [CPU ...]

FOLDER (or $ITRACE_ACCURACY_DATA, or ../shared/accuracy beside the tree) holds bhive-CPU.csv, of BHive (IISWC 2019, MIT
licence), and native-CPU.csv, measured by BHive's method. Exit status: 77, a skip, without the data; 1 if an error is
above its limit. Rules were developed on the first half, the blocks with even numbers; the second half judges them.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from child import run_well  # noqa: E402

# CPU: file, llvm-mca's name, greatest error in percent, least tau.
CPUS = {
    "haswell": ("bhive-haswell.csv", "haswell", 8.0, 0.92),
    "ivybridge": ("bhive-ivybridge.csv", "ivybridge", 8.5, 0.92),
    "skylake": ("bhive-skylake.csv", "skylake", 8.0, 0.92),
    "zen5": ("native-zen5.csv", "znver5", 14.0, 0.90),
}
SENTINEL = ("0f1f8078563412", "nopl\t305419896(%rax)")  # an instruction that no block contains, between blocks
LITTLE_TAU = 0.02  # tolerance for the tau of a few hundred blocks against that of all


def read_blocks(path, half):
    with open(path, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    rows = [row for i, row in enumerate(rows) if half is None or i % 2 == (half == "second")]
    rows = [row for row in rows if row.get("stable", "1") == "1"]
    return [(row["code_hex"], float(row["measured_cycles_per_iteration"])) for row in rows]


def tau_b(a, b):
    """Kendall's tau, corrected for ties."""
    score = only_a = only_b = 0
    for i, (x, y) in enumerate(zip(a, b)):
        for other_x, other_y in zip(a[:i], b[:i]):
            product = (x - other_x) * (y - other_y)
            if product:
                score += 1 if product > 0 else -1
            only_a += x != other_x
            only_b += y != other_y
    return score / (only_a * only_b) ** 0.5 if only_a and only_b else 0.0


def itrace_cycles(itrace, cpu, blocks):
    text = "code_hex\n" + "".join(f"{code}\n" for code, _ in blocks)
    start = time.monotonic()
    done = run_well([itrace, "block", "--model", cpu, "-"], input=text)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    unknown = sum(row["unknown_forms"] != "0" for row in rows)
    return [row["cycles_per_iteration"] for row in rows], unknown, len(blocks) / (time.monotonic() - start)


def mca_regions(mca_cpu, regions):
    """Returns the cycles of each assembly text; None if llvm-mca fails on it, found by bisection."""
    text = "".join(f"# LLVM-MCA-BEGIN b{i}\n{region}\n# LLVM-MCA-END\n" for i, region in enumerate(regions))
    done = subprocess.run(["llvm-mca-22", "--mtriple=x86_64", f"--mcpu={mca_cpu}", "--json", "--all-views=false",
                           "--summary-view", "--skip-unsupported-instructions=any"], input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        found = {region["Name"]: region["SummaryView"] for region in json.loads(done.stdout)["CodeRegions"]}
        views = [found.get(f"b{i}") for i in range(len(regions))]
        return [view and view["TotalCycles"] / view["Iterations"] for view in views]
    if len(regions) == 1:
        return [None]
    half = len(regions) // 2
    return mca_regions(mca_cpu, regions[:half]) + mca_regions(mca_cpu, regions[half:])


def mca_cycles(mca_cpu, blocks):
    separated = SENTINEL[0].join(code for code, _ in blocks)
    bytes_text = " ".join(f"0x{separated[i:i + 2]}" for i in range(0, len(separated), 2))
    output = subprocess.run(["llvm-mc-22", "--disassemble", "--triple=x86_64"], input=bytes_text, capture_output=True,
                            text=True, check=False).stdout
    regions = output.split("\t" + SENTINEL[1])
    assert len(regions) == len(blocks), "llvm-mc lost a block"
    return mca_regions(mca_cpu, regions)


def cached_mca(folder, cpu, mca_cpu, blocks):
    """Caches llvm-mca's results outside the tree by input, because llvm-mca takes minutes."""
    path = pathlib.Path(folder) / f"llvm-mca-22-{cpu}.json"
    known = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    missing = [block for block in blocks if block[0] not in known]
    if missing:
        known.update(zip((code for code, _ in missing), mca_cycles(mca_cpu, missing)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known), encoding="ascii")
    return [known[code] for code, _ in blocks]


def judge(blocks, cycles):
    """Returns the error in percent, tau, and the number of blocks with an estimate."""
    pairs = [(float(estimate), measured) for estimate, (_, measured) in zip(cycles, blocks)
             if estimate not in ("", None)]
    error = 100 * sum(abs(estimate - measured) / measured for estimate, measured in pairs) / len(pairs)
    return error, tau_b(*zip(*pairs)), len(pairs)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--data", default=os.environ.get("ITRACE_ACCURACY_DATA", root.parent / "shared/accuracy"))
    parser.add_argument("--half", choices=["first", "second"], help="of the blocks (default: all)")
    parser.add_argument("--subset", type=int, help="only so many blocks of each CPU, evenly spaced")
    parser.add_argument("--mca", action="store_true", help="llvm-mca-22 on the same blocks, too")
    parser.add_argument("--mca-cache", default=pathlib.Path.home() / ".cache/itrace", help="where its results are kept")
    parser.add_argument("cpus", nargs="*", metavar="CPU", help=f"default: {' '.join(CPUS)}")
    options = parser.parse_args()
    ok = True
    for cpu in options.cpus or CPUS:
        name, mca_cpu, most_error, least_tau = CPUS[cpu]
        path = pathlib.Path(options.data) / name
        if not path.exists():
            print(f"skipped: no measured blocks at {path}; --data or ITRACE_ACCURACY_DATA says where they are")
            return 77
        blocks = read_blocks(path, options.half)
        if options.subset and options.subset < len(blocks):
            blocks = [blocks[i * len(blocks) // options.subset] for i in range(options.subset)]
            least_tau -= LITTLE_TAU
        cycles, unknown, rate = itrace_cycles(options.itrace, cpu, blocks)
        error, tau, n = judge(blocks, cycles)
        missed = error > most_error or tau < least_tau or n < len(blocks)
        ok &= not missed
        print(f"{cpu:10} {n:5} of {len(blocks):5} blocks  error {error:5.2f} % (limit {most_error})  "
              f"tau {tau:.3f} (limit "
              f"{least_tau:.2f})  {unknown} with unknown forms  {rate:,.0f} a second{'  MISSED' if missed else ''}")
        if options.mca:
            error, tau, n = judge(blocks, cached_mca(options.mca_cache, cpu, mca_cpu, blocks))
            print(f"{'':10} {n:5} by llvm-mca-22    error {error:5.2f} %             tau {tau:.3f}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
