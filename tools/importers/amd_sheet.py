"""Reads AMD's spreadsheets of instruction latencies, which come with its optimization guides (Zen 3, Zen 4, Zen 5).

costmodels/data/FORMAT.md, "Import", maps columns to cells.
"""

import os
import re

import amd_operands
from cost_file import MAX_CYCLES, MAX_FORM_BYTES, CostFile, Failure, milli_text
from xlsx import Workbook

MAX_HEADER_ROW = 100  # rows of text may precede the headings
MAX_OPERANDS = 6

HEADINGS = {  # column: pattern of its heading in lower case
    "instruction": r"instructions?|mnemonic",
    "operand": r"op(?:erand)? ?([1-9])",
    "ops": r"(?:#|number of|num)? ?(?:macro[- ]?)?ops|mops",
    "unit": r"(?:execution )?(?:units?|pipes?)",
    "latency": r"latency.*",
    "reciprocal": r"reciprocal throughput.*|throughput cycles.*|cycles per instruction",
    "throughput": r"throughput.*",
    "unused": r"apm vol.*|cpuid.*|notes?|comments?|description|encoding.*|opcode.*",
}

NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?"
FIGURE = re.compile(rf"(~|≈|<=?|>=?|≤|≥|up to|about)?\s*"
                    rf"({NUMBER}(?:\s*(?:-|–|to|/|,|;)\s*{NUMBER})*)\s*([+~*])?")
FRACTION = re.compile(r"([0-9]+)\s*/\s*([0-9]+)")


def column_of(heading):
    """Returns the column's name and the number of its operand, if any; None if the heading is unknown."""
    text = " ".join(re.sub(r"[^a-z0-9# -]", " ", heading.lower()).split())
    for name, pattern in HEADINGS.items():
        match = re.fullmatch(pattern, text)
        if match:
            return (name, int(match[1])) if name == "operand" else (name, 0)
    return None


def figures(text):
    """Returns the smallest and the largest number of a cell, and True if they are one number; None for "var", "ucode",
    "-"."""
    match = FIGURE.fullmatch(text.lower())
    if not match:
        return None
    numbers = [float(number) for number in re.findall(NUMBER, match[2])]
    is_exact = len(numbers) == 1 and not match[1] and match[3] in (None, "*")  # a star refers to a note
    return min(numbers), max(numbers), is_exact


def cycles_milli(low, high):
    """Returns the middle in thousandths; None beyond the limit of the format."""
    middle = (low + high) / 2
    return int(middle * 1000 + 0.5) if middle <= MAX_CYCLES else None


def read_latency(text):
    """Returns thousandths of a cycle or None, and True if that is exact."""
    found = figures(text)
    return (cycles_milli(found[0], found[1]), found[2]) if found else (None, True)


def read_throughput(text):
    """Like read_latency. The sheet states instructions per cycle."""
    fraction = FRACTION.fullmatch(text)
    if fraction and int(fraction[1]):
        return cycles_milli(*[int(fraction[2]) / int(fraction[1])] * 2), True
    found = figures(text)
    if not found or not found[0]:
        return None, True
    return cycles_milli(1 / found[1], 1 / found[0]), found[2]


def unit_name(alternatives):
    """Joins "FP0/FP1" and "FP0/1" to fp01, as in the models made from LLVM."""
    stems = {}
    for unit in alternatives:
        match = re.fullmatch(r"([a-z]*)([0-9]*)", unit)
        if not match or not (match[1] or stems):
            return None
        stem = match[1] or list(stems)[-1]
        stem = {"ld": "load", "st": "store"}.get(stem, stem)
        stems[stem] = stems.get(stem, "") + match[2]
    return "_".join(stem + "".join(dict.fromkeys(digits)) for stem, digits in stems.items())


def ports_text(units):
    """Turns "ALU0/ALU3, LD" into "alu03:1 load:1". Returns "" if any part is not a unit."""
    names = []
    for part in re.split(r"\s*(?:\+|,|;|&|\band\b)\s*", units.lower()):
        name = unit_name(re.split(r"\s*(?:/|\||\bor\b)\s*", part))
        if not name or name in ("na", "none", "n_a"):
            return ""
        names.append(name)
    return " ".join(f"{name}:{names.count(name)}" for name in dict.fromkeys(names))


class Columns:
    """The columns of a sheet by name."""

    def __init__(self, row):
        self.by_name, self.operands, self.unknown = {}, {}, []
        for number, heading in row.items():
            name, operand = column_of(heading) or (None, 0)
            if name is None:
                self.unknown.append(heading)
            elif name == "operand":
                self.operands.setdefault(operand, number)
            else:
                self.by_name.setdefault(name, number)

    def is_header(self):
        """A header has several headings. A row of text may contain one of them."""
        return "instruction" in self.by_name and len(self.by_name) + len(self.operands) > 1

    def has_figures(self):
        return any(name in self.by_name for name in ("latency", "throughput", "reciprocal"))

    def text(self, row, name):
        return row.get(self.by_name.get(name), "")

    def operand_texts(self, row):
        return [row.get(number, "") for _, number in sorted(self.operands.items())][:MAX_OPERANDS]


class Reader:
    def __init__(self, path):
        self.path = path
        self.cost_file = CostFile("AMD", f"AMD, instruction latencies, {os.path.basename(path)}")
        self.unknown = {}  # unused headings
        self.instruction = ""  # of the row above: only the first row of a merged cell holds its text

    def cells(self, columns, row):
        """Returns the cells after the form, with incomplete flags; None if there is no figure."""
        latency, is_latency_exact = read_latency(columns.text(row, "latency"))
        if "reciprocal" in columns.by_name:
            throughput, is_throughput_exact = read_latency(columns.text(row, "reciprocal"))
        else:
            throughput, is_throughput_exact = read_throughput(columns.text(row, "throughput"))
        if latency is None and throughput is None:
            return None
        ops = columns.text(row, "ops")
        ops = str(int(float(ops))) if re.fullmatch(r"[0-9]{1,4}(\.0*)?", ops) else ""
        flag = "" if is_latency_exact and is_throughput_exact else "range"
        return ["" if latency is None else milli_text(latency), "" if throughput is None else milli_text(throughput),
                ops, ports_text(columns.text(row, "unit")), flag]

    def read_row(self, columns, row):
        self.instruction = columns.text(row, "instruction") or self.instruction
        is_title = not any(columns.text(row, name) for name in columns.by_name if name != "instruction")
        if is_title or not self.instruction:
            return
        cells = self.cells(columns, row)
        try:
            forms = list(amd_operands.forms(self.instruction, columns.operand_texts(row)))
        except amd_operands.NoForm:
            self.cost_file.n_no_form += 1
            return
        if not cells:
            self.cost_file.n_no_figures += 1
            return
        for form, is_special, memory in forms:
            is_lea = form.startswith("LEA ")  # its memory operand is an address
            loads = memory and memory[-1] > 1 and not is_lea  # the sheet does not tell if the first operand is read
            flags = ("load " if loads else "") + ("range" if is_lea else cells[4])
            if len(form) <= MAX_FORM_BYTES:
                self.cost_file.add(form, [*cells[:4], flags.strip()], is_special)

    def read_sheet(self, name, rows):
        """Returns False if the sheet has no header."""
        columns = None
        for number, row in rows:
            if columns:
                self.read_row(columns, row)
                continue
            if number > MAX_HEADER_ROW:
                return False
            found = Columns(row)
            if not found.is_header():
                continue
            if not found.has_figures():
                raise Failure(f"{self.path}: sheet '{name}', row {number}: no column 'Latency' or 'Throughput'; "
                              f"its columns are: {', '.join(row.values())}")
            columns = found
            self.instruction = ""
            self.unknown.update(dict.fromkeys(found.unknown))
        return columns is not None

    def read(self, file):
        names, n_read = [], 0
        for name, rows in Workbook(file, self.path).sheets():
            names.append(name)
            n_read += self.read_sheet(name, rows)
        if not n_read:
            raise Failure(f"{self.path}: no sheet has a row of headings with 'Instruction' and 'Latency'; "
                          f"its sheets are: {', '.join(names) or 'none'}")
        if not self.cost_file.rows:
            raise Failure(f"{self.path}: no row has both an instruction that itrace has a form for and a figure")
        if self.unknown:
            self.cost_file.notes.append(f"unused columns: {', '.join(self.unknown)}")
        return self.cost_file


def read(file, path, _architecture):
    """Reads the rows of all sheets from an open file."""
    return Reader(path).read(file)
