#!/usr/bin/env python3
"""Merges runs of `itrace measure` on one host into a file of this folder.

    keep.py MODEL A.cost B.cost [C.cost ...] >HOST.csv

MODEL is the model of the host's CPU. Other programs only lengthen times, so each figure is the smallest one that two
runs agree on within 2 %. A form whose runs do not agree is left out.
"""
import csv
import re
import sys

AGREE = 0.02


def read(path):
    """Returns the comments at the top, the lines of the header, parameters, and the cells and spread of forms."""
    comments, header, parameters, forms = [], {}, {}, {}
    section = ""
    with open(path, encoding="ascii") as file:
        for line in file:
            body, _, comment = line.rstrip("\n").partition("#")
            if body.startswith("["):
                section = body.strip()
            elif not body.strip():
                comments += [comment.strip()] if not section else []
            elif section == "[forms]":
                cells = [cell.strip() for cell in body.split("|")]
                forms[cells[0]] = cells, re.search(r"[\d.]+", comment)[0]
            elif " = " in body:
                key, value = body.split(" = ", 1)
                (parameters if section else header)[key] = value.strip(), comment.strip()
    return comments, header, parameters, forms


def agreed(values):
    values = sorted(values)
    for low, high in zip(values, values[1:]):
        if high - low <= AGREE * low:
            return low
    return None


def latencies(rows):
    """Returns the agreed latency of each pair of places."""
    pairs = [dict(pair.rsplit(":", 1) for pair in row[7].split()) if len(row) > 7 else {} for row in rows]
    found = {name: agreed([float(each[name]) for each in pairs if name in each]) for name in pairs[0]}
    return {name: value for name, value in found.items() if value is not None}


def main():
    model, *paths = sys.argv[1:]
    runs = [read(path) for path in paths]
    comments, header, parameters, _ = runs[-1]
    print(f"# model: {model}")
    for comment in comments:
        key, colon, value = comment.partition(": ")
        if not colon:
            key, value = "machine" if "family" in comment else "system", comment
        print(f"# {key}: {value}")
    print(f"# measured: {header['source'][0]}; {len(paths)} runs")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["kind", "name", "latency or value", "throughput", "spread in percent", "latencies by operands"])
    for key, (value, comment) in parameters.items():
        out.writerow(["parameter", key, value, "", "", comment.partition(";")[0]])
    for form in sorted(set.intersection(*(set(run[3]) for run in runs))):
        rows = [run[3][form][0] for run in runs]
        throughput, by_pair = agreed([float(row[2]) for row in rows]), latencies(rows)
        if throughput is None:
            continue
        # As in model_writer.c: a mask does not count.
        counted = [value for pair, value in by_pair.items() if not pair.startswith("k>")]
        out.writerow(["form", form, f"{max(counted):g}" if counted else "", f"{throughput:g}",
                      min((run[3][form][1] for run in runs), key=float),
                      " ".join(f"{pair}:{value:g}" for pair, value in by_pair.items())])


if __name__ == "__main__":
    main()
