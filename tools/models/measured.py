"""Figures that `itrace measure` has found on real CPUs: tests/accuracy/hosts/*.csv (README.md there). They replace
LLVM's where the clock differs."""

import collections
import csv
import pathlib
import re

HOSTS = pathlib.Path(__file__).resolve().parent.parent.parent / "tests/accuracy/hosts"
# LLVM's figure stays where the clock is nearer than this: what a busy machine adds.
LATENCY_CYCLES = 0.5
THROUGHPUT_SHARE = 0.1

# Memory takes part in these throughputs: other lines, and other programs that use the cache. So ports stay where the
# clock is less than this share slower than LLVM.
MEMORY_SHARE = 0.5
# Alone, these run twice a cycle. In a loop with CVTTSD2SI the clock says what LLVM's ports give (kernel `convert`).
KEEP_PORTS = re.compile(r"V?CVTU?SI2S[SD] ")

Host = collections.namedtuple("Host", "about parameters forms")  # texts by key; texts by key; Measured by form
Measured = collections.namedtuple("Measured", "latency throughput latencies")  # cycles; latency None: not measured


def read_host(path):
    """Reads one host's file."""
    about, parameters, forms = {}, {}, {}
    with open(path, encoding="ascii", newline="") as file:
        for line in file:
            if not line.startswith("#"):
                break
            key, _, value = line.strip("# \n").partition(": ")
            about[key] = value
        for row in csv.reader(file):  # `line` was the heading
            if row[0] == "parameter":
                parameters[row[1]] = row[2]
            else:
                forms[row[1]] = Measured(float(row[2]) if row[2] else None, float(row[3]), row[5])
    return Host(about, parameters, forms)


def find_host(cpu_name):
    """The host that measured this CPU, or None."""
    hosts = (read_host(path) for path in sorted(HOSTS.glob("*.csv")))
    return next((host for host in hosts if host.about["model"] == cpu_name), None)


def units_of(name, n_units):
    """How many units a name of ports stands for: 3 for alu012, 2 for fp0.fp1."""
    if name in n_units:
        return n_units[name]
    return sum(len(re.sub(r"^[a-z]+", "", part)) or 1 for part in name.split("."))


def scale_ports(ports, throughput, n_units):
    """Returns the ports with the cycles that allow the throughput and no more. Ports that allow more stay if another
    one, the busiest, is what limits it."""
    entries = [(name, float(cycles)) for name, cycles in (entry.split(":") for entry in ports.split())]
    shares = [cycles / units_of(name, n_units) for name, cycles in entries]
    scaled = []
    for (name, cycles), share in zip(entries, shares):
        if share > throughput or (share == max(shares) and share < throughput):
            cycles = max(throughput * units_of(name, n_units), 1)
        scaled.append(f"{name}:{round(cycles, 2):g}")
    return " ".join(scaled)


def is_chained(measured):
    """True for a form whose copies depend on each other through the flags or a fixed register. The instructions that
    break this cost time, so that its throughput is an upper bound."""
    pairs = [pair.split(":")[0].split(">") for pair in measured.latencies.split()]
    return any(source == target and not source[0].isdigit() for source, target in pairs)


def figures(form, measured, row):
    """Returns the latency, the throughput and whether the ports are to follow it; row: LLVM's."""
    latency, throughput, follows = row.latency, row.throughput_milli / 1000, False
    if measured.latency is not None and abs(measured.latency - latency) >= LATENCY_CYCLES:
        latency = measured.latency
    is_bound = is_chained(measured) and measured.throughput > throughput
    if not is_bound and abs(measured.throughput - throughput) > THROUGHPUT_SHARE * throughput:
        follows = not KEEP_PORTS.match(form) and (
            measured.throughput < throughput or not (row.load or row.store)
            or (row.load and not row.store and measured.throughput > (1 + MEMORY_SHARE) * throughput))
        throughput = measured.throughput
    return latency, throughput, follows
