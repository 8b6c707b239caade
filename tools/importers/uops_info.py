"""Reads uops.info's instructions.xml. costmodels/data/FORMAT.md, "Import", maps attributes to cells.

The file is read as a stream: memory holds one <instruction> and the rows of one CPU, however large the file is.
"""

import re
import xml.etree.ElementTree as ElementTree
from xml.parsers import expat

from cost_file import MAX_CYCLES, CostFile, Failure, milli_text
from uops_info_form import Instruction

PIECE_BYTES = 1 << 16
MAX_LATENCIES = 64  # per form, so that a row fits into a line of the format
MAX_PORTS_CHARACTERS = 255
MAX_ARCHITECTURES = 64  # in a message

CUT_SHORT = (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN,
             expat.errors.XML_ERROR_PARTIAL_CHAR, expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION)

# Attributes of a <latency>: the suffix of its source operand, and True if all operands were one register.
LATENCIES = (("cycles", "", False), ("cycles_mem", "", False), ("cycles_addr", "a", False),
             ("cycles_addr_index", "i", False), ("cycles_same_reg", "", True))


def milli(element, name):
    """Returns an attribute in thousandths, rounded; None if it is missing or not a number."""
    value = element.get(name, "")
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?", value):
        return None
    figure = float(value)
    return int(figure * 1000 + 0.5) if figure <= MAX_CYCLES else None


def operand_number(element, name):
    value = element.get(name, "")
    return int(value) if re.fullmatch("[0-9]{1,3}", value) else 0


class Latency:
    def __init__(self, source, kind, target, is_same, cycles_milli):
        self.source, self.kind, self.target = source, kind, target
        self.is_same, self.milli = is_same, cycles_milli


def read_latencies(measurement):
    found = []
    for element in measurement.iter("latency"):
        source, target = operand_number(element, "start_op"), operand_number(element, "target_op")
        for name, kind, is_same in LATENCIES:
            cycles = milli(element, name)
            if cycles is None:
                cycles = milli(element, "max_" + name)
            if cycles is not None and source and target:
                found.append(Latency(source, kind, target, is_same, cycles))
    return found[:MAX_LATENCIES]


def longest_latency(instruction, latencies):
    """Returns the latency to a register or the flags. A latency to memory includes the store buffer, and counts only if
    there is no other."""
    to_memory = {True: [], False: []}
    for latency in latencies:
        target = instruction.operand(latency.target)
        to_memory[target is not None and target.type == "mem"].append(latency.milli)
    return max(to_memory[False] or to_memory[True], default=None)


def latency_texts(instruction, latencies):
    for latency in latencies:
        source, target = instruction.operand(latency.source), instruction.operand(latency.target)
        if source and target and source.label() and target.label():
            yield f"{source.label()}{latency.kind}>{target.label()}:{milli_text(latency.milli)}"


def ports_text(ports):
    """Turns "1*p0156+1*p23" into "p0156:1 p23:1". Text of another shape ends the list."""
    texts = []
    for part in ports.split("+") if len(ports) <= MAX_PORTS_CHARACTERS else []:
        match = re.fullmatch(r"([0-9]{1,4})\*([A-Za-z0-9_]+)", part)
        if not match:
            break
        texts.append(f"{match[2]}:{match[1]}")
    return " ".join(texts)


def count_text(value):
    return "" if value is None else str((value + 500) // 1000)


def flags_text(instruction):
    memory = [operand for operand in instruction.operands if operand.type == "mem"]
    flags = [flag for flag, attribute in (("load", "is_read"), ("store", "is_written"))
             if any(getattr(operand, attribute) for operand in memory)]
    return " ".join(flags)


def row_cells(instruction, measurement, latencies, is_same):
    """Returns the cells after the form; None if there is no figure."""
    suffix = "_same_reg" if is_same else ""
    latencies = [latency for latency in latencies if latency.is_same == is_same]
    latency = longest_latency(instruction, latencies)
    throughputs = [milli(measurement, name + suffix) for name in ("TP", "TP_loop", "TP_unrolled")]
    throughput = min((figure for figure in throughputs if figure is not None), default=None)
    if latency is None and throughput is None or is_same and throughput is None:
        return None
    return ["" if latency is None else milli_text(latency), "" if throughput is None else milli_text(throughput),
            count_text(milli(measurement, "uops" + suffix)), ports_text(measurement.get("ports" + suffix, "")),
            flags_text(instruction), count_text(milli(measurement, "uops_retire_slots" + suffix)),
            " ".join(latency_texts(instruction, latencies))]


class Reader:
    def __init__(self, path, architecture):
        self.path, self.architecture = path, architecture
        self.line = 1
        self.cost_file = CostFile("uops.info", f"uops.info, instructions.xml, measurements of {architecture}")
        self.architectures = {}  # of the file, in its order
        self.has_instructions = False
        self.open_elements = []
        self.instruction = None  # the current element

    def failure(self, text, line=None):
        return Failure(f"{self.path}:{line or self.line}: {re.sub('[^ -~]', '?', text)}")

    def read_instruction(self, element):
        measurements = [measurement for architecture in element.iter("architecture")
                        if architecture.get("name") == self.architecture
                        for measurement in architecture.iter("measurement")]
        if not measurements:
            return
        instruction = Instruction(element)
        if not instruction.form:
            self.cost_file.n_no_form += 1
            return
        latencies = read_latencies(measurements[-1])
        for is_same in (False, True):
            cells = row_cells(instruction, measurements[-1], latencies, is_same)
            if cells:
                form = instruction.form + (" (same)" if is_same else "")
                self.cost_file.add(form, cells, instruction.is_special)

    def begin(self, element):
        if not self.open_elements and element.tag != "root":
            raise self.failure("this is not uops.info's instructions.xml: its first element is "
                               f"<{element.tag[:40]}>, not <root>")
        self.open_elements.append(element)
        if self.instruction is None and element.tag == "instruction":
            self.instruction = element
            self.has_instructions = True
        elif self.instruction is not None and element.tag == "architecture":
            name = element.get("name")
            if name is None:
                raise self.failure("an <architecture> without a name")
            if len(self.architectures) < MAX_ARCHITECTURES and len(name) <= 15:
                self.architectures[name] = True

    def end(self, element):
        self.open_elements.pop()
        if element is self.instruction:
            self.read_instruction(element)
            self.instruction = None
        if self.instruction is None and self.open_elements:
            self.open_elements[-1].remove(element)  # which frees it

    def feed(self, parser, piece):
        """Takes a piece of the file. An empty piece is the end."""
        try:
            parser.feed(piece) if piece else parser.close()
        except (LookupError, ValueError) as error:  # Python's reader lacks the encoding
            raise self.failure(f"{error}: the file is not XML or is damaged") from None

    def read(self, file):
        parser = ElementTree.XMLPullParser(("start", "end"))
        handlers = {"start": self.begin, "end": self.end}
        piece = b" "
        try:
            while piece:
                piece = file.readline(PIECE_BYTES)
                self.feed(parser, piece)
                for event, element in parser.read_events():
                    handlers[event](element)
                self.line += piece.endswith(b"\n")
        except ElementTree.ParseError as error:
            text = expat.ErrorString(error.code)
            why = "the file is not complete" if text in CUT_SHORT else "the file is not XML or is damaged"
            raise self.failure(f"{text}: {why}", error.position[0]) from None
        if not self.has_instructions:
            raise self.failure("no <instruction>: this is not uops.info's instructions.xml")
        if not self.cost_file.rows:
            raise Failure(f"{self.path} has no measurements of '{self.architecture}'; "
                          f"it has: {', '.join(self.architectures) or 'none of any'}")
        return self.cost_file


def read(file, path, architecture):
    """Reads the measurements of one CPU from an open file."""
    return Reader(path, architecture).read(file)
