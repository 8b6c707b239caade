"""The form (tracer/decode/FORMS.md) of an <instruction> of uops.info's instructions.xml."""

import re

from cost_file import MAX_FORM_BYTES

MAX_OPERANDS = 16
MAX_CHARACTERS = 63  # more than in any name of an instruction or register

# XED's names, which uops.info uses, that differ from Zydis's by more than an affix.
NAMES = {"CALL_NEAR": "CALL", "CALL_FAR": "CALL", "RET_NEAR": "RET", "RET_FAR": "RETF", "JMP_FAR": "JMP",
         "MOVSD_XMM": "MOVSD", "CMPSD_XMM": "CMPSD", "MOV_CR": "MOV", "MOV_DR": "MOV", "SYSRET64": "SYSRET",
         **{f"NOP{number}": "NOP" for number in range(2, 10)}}

# Their forms show the register that holds the count.
SHIFTS = ("SHL", "SHR", "SAR", "ROL", "ROR", "RCL", "RCR", "SHLD", "SHRD")

# The number of memory operands that their forms show and XED suppresses.
STRINGS = {"MOVS": 2, "CMPS": 2, "STOS": 1, "LODS": 1, "SCAS": 1}
STRING_WIDTHS = {"B": 8, "W": 16, "D": 32, "Q": 64}

KINDS = re.compile(r"(XMM|YMM|ZMM|TMM|MM|BND|CR|DR|ST|K)[0-9(]")


class NoForm(Exception):
    """The file does not determine a form of the instruction."""


class Operand:
    def __init__(self, element):
        width = element.get("width", "")
        self.type = element.get("type")
        self.idx = element.get("idx", "")
        self.width = int(width) if re.fullmatch("[0-9]{1,5}", width) else 0
        self.is_suppressed, self.is_implicit, self.is_mask, self.is_moffs, self.is_read, self.is_written = (
            element.get(name) == "1" for name in ("suppressed", "implicit", "opmask", "moffs", "r", "w"))
        self.vsib = element.get("VSIB", "")[:1] if element.get("VSIB", "")[:1] in ("X", "Y", "Z") else ""
        self.suffix = element.get("memory-suffix", "")
        # The first register represents all of them.
        self.first = re.sub("[\0- ]", "", element.text or "").split(",")[0][:MAX_CHARACTERS]
        self.position = 0  # in the form, from 1; 0: the form does not show it

    def label(self):
        """Returns the operand's name in the cell of latencies; "" for a register without a name."""
        if self.position:
            return str(self.position)
        if self.type == "flags":
            return "flags"
        if self.is_mask:
            return "k"
        return re.sub("[^A-Z0-9]", "", self.first).lower() if self.type == "reg" else "mem"


def register_text(operand, mnemonic):
    name = operand.first
    kind = KINDS.match(name)
    if kind:
        return kind[1].lower()
    if name in ("ES", "CS", "SS", "DS", "FS", "GS"):
        return "sreg"
    if name in ("AH", "BH", "CH", "DH"):
        return "r8h"
    if name == "CL" and operand.is_implicit and mnemonic in SHIFTS:
        return "cl"
    if name == "DX" and mnemonic in ("IN", "OUT"):
        return "dx"
    return f"r{operand.width}"


def address_text(string):
    """Returns the shape of LEA's address, which the instruction's name contains: "LEA_B_IS_D8 (R64)"."""
    match = re.match(r"LEA((?:_[^_ (]*)+)", string[:MAX_CHARACTERS])
    parts = []
    for word in match[1].split("_")[1:] if match else [""]:
        part = "i*s" if word.startswith("IS") else {"I": "i", "B": "b", "R": "rip", "D": "d"}.get(word[:1])
        if not part:
            raise NoForm
        parts.append(part)
    return f"[{'+'.join(parts)}]"


def memory_text(operand, mnemonic):
    if operand.vsib:
        match = re.search("GATHER(?:PF.)?(.?)", mnemonic) or re.search("SCATTER(?:PF.)?(.?)", mnemonic)
        if not match:
            raise NoForm
        return f"vm{64 if match[1] == 'Q' else 32}{operand.vsib.lower()}"
    return ("moffs" if operand.is_moffs else "m") + (str(operand.width) if operand.width else "") + operand.suffix


class Instruction:
    """An <instruction> with its operands and its form."""

    def __init__(self, element):
        self.iclass, self.string = element.get("iclass", ""), element.get("string", "")
        self.is_zeroing, self.is_rounding, self.is_sae = (
            element.get(name) == "1" for name in ("zeroing", "roundc", "sae"))
        self.operands = [Operand(operand) for operand in element.iter("operand")]
        # The form names a fixed register, like the short encodings for the accumulator.
        self.is_special = False
        try:
            self.form = self.make_form()  # or None
        except NoForm:
            self.form = None
        if self.form and len(self.form) + len(" (same)") > MAX_FORM_BYTES:
            self.form = None

    def operand(self, idx):
        return next((operand for operand in self.operands if operand.idx == str(idx)), None)

    def mnemonic(self):
        """Returns the prefix and the name. REP has no form: the file lacks the count that it was measured with."""
        if (not re.fullmatch("[A-Z][A-Z0-9_]*", self.iclass) or len(self.iclass) > MAX_CHARACTERS
                or self.iclass.startswith("REP")):
            raise NoForm
        is_locked = self.iclass.endswith("_LOCK") and len(self.iclass) > len("_LOCK")
        name = self.iclass[:-len("_LOCK")] if is_locked else self.iclass
        return "LOCK " if is_locked else "", NAMES.get(name, name)

    def string_form(self):
        """Returns the form of a string instruction with its memory operands: "STOSB m8". None for other
        instructions."""
        stem, suffix = self.iclass[:-1], self.iclass[-1:]
        if stem not in STRINGS or suffix not in STRING_WIDTHS:
            return None
        memory = [operand for operand in self.operands if operand.type == "mem"]
        for number, operand in enumerate(memory, 1):
            operand.position = number
        return f"{self.iclass} " + ", ".join([f"m{STRING_WIDTHS[suffix]}"] * STRINGS[stem])

    def shows(self, operand):
        if operand.type == "flags" or operand.is_suppressed or operand.is_mask:
            return False
        # "FADD (ST0, M32)" becomes FADD m32.
        return not (operand.type == "reg" and operand.is_implicit and operand.first.startswith("ST")
                    and any(other.type == "mem" for other in self.operands))

    def operand_text(self, operand, mnemonic):
        if operand.type == "reg":
            return register_text(operand, mnemonic)
        if operand.type == "mem":
            return memory_text(operand, mnemonic)
        if operand.type == "agen":
            return address_text(self.string) if mnemonic == "LEA" else "m"
        if operand.type == "imm":
            return "1" if operand.is_implicit else f"imm{operand.width}"
        if operand.type == "relbr":
            return f"rel{operand.width}"
        raise NoForm

    def make_form(self):
        for operand in self.operands:
            broadcast = re.fullmatch(r"\{1to([0-9]{1,2})\}", operand.suffix)
            if operand.suffix and not (broadcast and int(broadcast[1]) <= 64):
                raise NoForm
        if len(self.operands) > MAX_OPERANDS:
            raise NoForm
        prefix, mnemonic = self.mnemonic()
        form = self.string_form()
        if form:
            return form
        shown = [operand for operand in self.operands if self.shows(operand)]
        texts = []
        for number, operand in enumerate(shown, 1):
            operand.position = number
            texts.append(self.operand_text(operand, mnemonic))
            self.is_special |= operand.is_implicit
        if texts and any(operand.is_mask for operand in self.operands):
            texts[0] += "{k}{z}" if self.is_zeroing else "{k}"
        registers = [number for number, operand in enumerate(shown) if operand.type != "imm"]
        if registers and (self.is_rounding or self.is_sae):
            texts[registers[-1]] += "{er}" if self.is_rounding else "{sae}"
        return prefix + mnemonic + (" " + ", ".join(texts) if texts else "")
