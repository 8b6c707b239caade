"""Runs llvm-mca on instructions, parses its tables and reverts the changes that LLVM's table generator makes."""

import collections
import re
import subprocess

Resource = collections.namedtuple("Resource", "units members")  # members: names of single units, or its own name
Machine = collections.namedtuple("Machine", "dispatch_width rob schedulers resources")  # schedulers: (units, entries)
Row = collections.namedtuple("Row", "latency throughput_milli uops ports load store")


class Llvm:
    """The tools of one LLVM version. Debian appends `suffix` to their names ("-22")."""

    def __init__(self, suffix):
        self.suffix = suffix
        self.version = re.search(r"LLVM version (\S+)", self.run("llvm-mca", ["--version"], "").stdout)[1]
        self.crashing = set()  # lines that crash llvm-mca

    def run(self, tool, options, text):
        return subprocess.run([tool + self.suffix] + options, input=text, capture_output=True, text=True, check=False)

    def disassemble(self, encodings):
        """Returns assembly lines for encodings in hex. A line has no fixed encoding: the assembler may choose another
        one, and llvm-mca's figures belong to that one."""
        # Brackets keep invalid bytes from joining the next line.
        text = "".join("[" + ",".join(f"0x{e[i:i + 2]}" for i in range(0, len(e), 2)) + "]\n" for e in encodings)
        output = self.run("llvm-mc", ["--disassemble", "--triple=x86_64"], text).stdout
        output = output.replace("\tlock\n", "\tlock")  # a prefix alone on its line would be lost
        lines = [line for line in dict.fromkeys(output.splitlines()) if re.match(r"\t[a-z{]", line)]
        # The assembler chooses the short form of a branch unless told otherwise.
        return lines + [f"\t{{disp32}}{line}" for line in lines if re.match(r"\tj\w+\t-?\d+", line)]

    def tables(self, cpu, lines):
        """Returns llvm-mca's outputs for all lines. If it crashes, finds the lines that crash it by bisection, once."""
        lines = [line for line in lines if line not in self.crashing]
        result = self.run("llvm-mca", ["--mtriple=x86_64", f"--mcpu={cpu.llvm}", "--instruction-tables=full",
                                       "--show-encoding", "--skip-unsupported-instructions=any"],
                          "\n".join(lines) + "\n")
        if result.returncode == 0:
            return [result.stdout]
        if result.returncode > 0:  # an error message, not a crash
            if "no assembly instructions found" in result.stderr:
                return []
            raise RuntimeError(f"llvm-mca: {result.stderr[-500:]}")
        if len(lines) < 2:
            self.crashing.update(lines)
            return []
        half = len(lines) // 2
        return self.tables(cpu, lines[:half]) + self.tables(cpu, lines[half:])

    def cost(self, cpu, machine, lines):
        """Returns (encoding in hex, Row) for each line that the CPU's model costs."""
        pairs = []
        for output in self.tables(cpu, lines):
            table = output[output.index("\n[1]    [2]"):].split("\n\n")[0]
            pairs += [parse_row(cpu, machine, line) for line in table.splitlines()[2:]]
        return pairs

    def machine(self, cpu):
        resources = parse_resources(self.tables(cpu, ["\tnop"])[0])
        text = self.run("llvm-mca", ["--mtriple=x86_64", f"--mcpu={cpu.llvm}", "--retire-stats", "--scheduler-stats"],
                        "addl %eax, (%rdi)\n").stdout  # lists resources only if one is used
        rob = re.search(r"^Total ROB Entries: +(\d+)", text, re.MULTILINE)
        schedulers = re.findall(r"^(\w+) +\d+ +\d+ +(\d+) *$", text, re.MULTILINE)
        return Machine(int(re.search(r"^Dispatch Width: +(\d+)", text, re.MULTILINE).group(1)),
                       int(rob.group(1)) if rob else None,
                       [(port_name(cpu, resources[name].members), int(entries)) for name, entries in schedulers],
                       resources)


def parse_resources(output):
    """Returns a map from name to Resource, from lines such as "[10]  - SKLPort01:2 SKLPort0, SKLPort1"."""
    resources = {}
    for name, units, members in re.findall(r"^\[\d+\] +- (\w+):(\d+)(.*)$", output, re.MULTILINE):
        resources[name] = Resource(int(units), frozenset(re.findall(r"\w+", members)) or frozenset([name]))
    return resources


def parse_row(cpu, machine, line):
    """Parses a line of "Instruction Info": figures, three flags at fixed offsets, then columns separated by blanks."""
    figures = re.match(r" (\d+) +(\d+) +(\d+\.\d\d|-) +", line)
    flags = line[figures.start(3) + (6 if figures.group(3) == "-" else 7):]
    columns = flags[21:].split()  # bypass latency, resources if there are any, opcode, bytes, encoding, text
    listed = {}
    if not columns[2].isdigit():
        for name, cycles in re.findall(r"(\w+)(?:\[(\d+)\])?(?:,|$)", columns.pop(1)):
            listed[name] = int(cycles or 1)
    uops = int(figures.group(1))
    # LLVM rounds the quotient to two decimals.
    shares = [(cycles, machine.resources[name].units) for name, cycles in listed.items()]
    shares = shares or [(uops, machine.dispatch_width)]
    cycles, units = max(shares, key=lambda share: share[0] / share[1])
    if figures.group(3) != "-" and abs(cycles / units - float(figures.group(3))) > 0.0051:
        raise ValueError(f"the reciprocal throughput is not {cycles}/{units}: {line}")
    encoding = "".join(columns[3:3 + int(columns[2])])
    return encoding, Row(int(figures.group(2)), (1000 * cycles + units // 2) // units, uops,
                         own_ports(cpu, listed, machine.resources), flags[1] == "*", flags[8] == "*")


def own_ports(cpu, listed, resources):
    """Returns cycles by the set of units that can run a micro-operation, such as "p0156:1 p23:1". LLVM's table
    generator adds the cycles of a resource to its Super and to each group that contains it. This function subtracts
    them again, from the smallest set up. Groups with equal units count as one."""
    left = dict(listed)
    for part, whole in cpu.supers.items():
        if cpu.prefix + part in left:
            left[cpu.prefix + whole] -= left[cpu.prefix + part]
    cycles = {resources[name].members: count for name, count in left.items()}
    own = {}
    for members in sorted(cycles, key=len):
        own[members] = cycles[members] - sum(count for inner, count in own.items() if inner < members)
        if own[members] < 0:
            raise ValueError(f"the cycles of the resources do not add up: {listed}")
    return " ".join(sorted(f"{port_name(cpu, members)}:{count}" for members, count in own.items() if count))


def short_unit(name):
    """"Port06", "FPDivider", "FPC_RSV0" without the model's prefix: "p06", "fpdiv", "fpc0"."""
    name = name.lower().replace("_rsv", "")
    return name.replace("port", "p").replace("divider", "div").replace("multiplier", "mul")


def port_name(cpu, members):
    """Joins units of one kind by their numbers, as in p0156 or alu03, with 10 and 11 as A and B. Dots join other
    units."""
    kinds = collections.defaultdict(list)
    for member in members:
        kind, number = re.fullmatch(r"(.*?)(\d*)", short_unit(re.sub(f"^{cpu.prefix}_?", "", member))).groups()
        kinds[kind].append(f"{int(number):X}" if cpu.hex_ports and number else number)
    names = []
    for kind, numbers in sorted(kinds.items()):
        one_digit = all(len(number) == 1 for number in numbers)
        names += [kind + "".join(sorted(numbers))] if one_digit else [kind + number for number in sorted(numbers)]
    return ".".join(names)
