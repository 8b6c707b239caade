#!/usr/bin/env python3
"""Compares the model of each host's CPU with what the clock of that host said: hosts.py [--list] [HOST.csv ...]

Any machine can judge: the figures were measured before (README.md). Exit status 1 if the model misses a limit. --list
prints each form that differs.
"""
import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/models"))
import measured  # noqa: E402

# A latency differs by half a cycle, a throughput by a tenth: what a busy machine adds.
LEAST_LATENCIES, LEAST_THROUGHPUTS, LEAST_PARAMETERS = 99.5, 94.0, 80.0
PARAMETER_SHARE = 0.15
# What the system decides, and not the CPU.
OF_THE_SYSTEM = ("memory_ns", "page_walk_latency")


def read_model(name):
    """The parameters and the latency and throughput of each form."""
    parameters, forms, section = {}, {}, ""
    with open(ROOT / f"costmodels/data/{name}.cost", encoding="ascii") as file:
        for line in file:
            body = line.partition("#")[0].strip()
            if body.startswith("["):
                section = body
            elif section == "[parameters]" and " = " in body:
                parameters.update([body.split(" = ", 1)])
            elif section == "[forms]" and body:
                cells = [cell.strip() for cell in body.split("|")]
                forms[cells[0]] = cells[1:3]
    return parameters, forms


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def percent(differing, total):
    return 100 * (1 - len(differing) / total) if total else 100.0


def compare(path):
    """Yields for each kind of figure: its name, what differs, how many there are, the least share in percent."""
    host = measured.read_host(path)
    parameters, forms = read_model(host.about["model"])
    latencies, throughputs, n_latencies, n_throughputs = [], [], 0, 0
    for form, found in host.forms.items():
        latency, throughput = map(number, forms.get(form, ("", "")))
        if latency is not None and found.latency is not None:
            n_latencies += 1
            if abs(latency - found.latency) >= measured.LATENCY_CYCLES:
                latencies.append(f"{form}: latency {latency:g}, clock {found.latency:g}")
        if throughput:
            n_throughputs += 1
            is_bound = measured.is_chained(found) and found.throughput > throughput
            if not is_bound and abs(throughput - found.throughput) > measured.THROUGHPUT_SHARE * throughput + 0.001:
                throughputs.append(f"{form}: throughput {throughput:g}, clock {found.throughput:g}")
    pairs = [(key, number(parameters[key]), number(value)) for key, value in host.parameters.items()
             if key in parameters and key not in OF_THE_SYSTEM]
    others = [f"{key}: {stated:g}, clock {value:g}" for key, stated, value in pairs
              if stated is not None and value is not None and abs(stated - value) > PARAMETER_SHARE * stated]
    yield "latencies", latencies, n_latencies, LEAST_LATENCIES
    yield "throughputs", throughputs, n_throughputs, LEAST_THROUGHPUTS
    yield "parameters", others, len(pairs), LEAST_PARAMETERS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("paths", nargs="*", metavar="HOST.csv", default=sorted(FOLDER.glob("*.csv")))
    options = parser.parse_args()
    ok = bool(options.paths)
    for path in options.paths:
        for name, differing, total, least in compare(path):
            missed = not total or percent(differing, total) < least
            ok &= not missed
            print(f"{path.stem}: {name}: {percent(differing, total):.1f} % of {total} as the clock says (least "
                  f"{least} %){'  MISSED' if missed else ''}")
            for line in differing if options.list else []:
                print(f"  {line}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
