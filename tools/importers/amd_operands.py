"""Forms (tracer/decode/FORMS.md) from the instructions and operands of AMD's spreadsheets.

A row stands for several forms. "reg16/32/64" and "xmm2/mem128" are alternatives; "reg", "mem" and "imm" without a
number stand for all widths; "{k1}{z}" says that a mask may be there.
"""

import collections
import itertools
import re

# Zydis's name of each condition: other names.
CONDITIONS = {"O": "", "NO": "", "B": "C NAE", "NB": "AE NC", "Z": "E", "NZ": "NE", "BE": "NA", "NBE": "A", "S": "",
              "NS": "", "P": "PE", "NP": "PO", "L": "NGE", "NL": "GE", "LE": "NG", "NLE": "G"}
ALIASES = {"SAL": "SHL", "LOOPZ": "LOOPE", "LOOPNZ": "LOOPNE", "WAIT": "FWAIT", "XLATB": "XLAT"}
ALIASES.update((verb + other, verb + condition) for verb in ("J", "CMOV", "SET")
               for condition, others in CONDITIONS.items() for other in others.split())

SHIFTS = ("SHL", "SHR", "SAR", "ROL", "ROR", "RCL", "RCR", "SHLD", "SHRD")
STRINGS = {"MOVS": 2, "CMPS": 2, "STOS": 1, "LODS": 1, "SCAS": 1}
STRING_WIDTHS = {"B": 8, "W": 16, "D": 32, "Q": 64}

# LEA's shapes of an address (FORMS.md).
LEA_SHAPES = ("[b]", "[b+d]", "[b+i]", "[b+i+d]", "[b+i*s]", "[b+i*s+d]", "[i*s+d]", "[i+d]", "[rip+d]", "[d]")

WIDTHS = (8, 16, 32, 64)
VECTOR_WIDTHS = {"xmm": 128, "ymm": 256, "zmm": 512}

# kind: "r", "m", "imm", "rel", a vector register, or "" for literal text. width: None if the sheet does not state it.
# element: the width of a broadcast element.
Operand = collections.namedtuple("Operand", "kind width text element is_fixed", defaults=(None, "", None, False))

FIXED = {"al": 8, "bl": 8, "dl": 8, "ax": 16, "eax": 32, "rax": 64, "ecx": 32, "rcx": 64, "edx": 32, "rdx": 64}
WORDS = [
    (r"(?:r|reg|gpr)(8|16|32|64)[a-d]?", lambda m: Operand("r", int(m[1]))),
    (r"(?:r|reg|gpr)[1-3]?", lambda m: Operand("r")),
    (r"m(?:em)?(16|32|64|128)(?:bcst|b)", lambda m: Operand("m", int(m[1]), element=int(m[1]))),
    (r"m(?:em)?(16:(?:16|32|64))", lambda m: Operand("", None, "m" + m[1])),
    (r"m(?:em)?([1-9]\d{0,3})(?:int|real|fp|dec|bcd)?", lambda m: Operand("m", int(m[1]))),
    (r"m(?:em)?", lambda m: Operand("m")),
    (r"([xyz]mm)\d*", lambda m: Operand(m[1], VECTOR_WIDTHS[m[1]])),
    (r"mmx?\d*", lambda m: Operand("", 64, "mm")),
    (r"(k|tmm|bnd|cr|dr)[\dn]*", lambda m: Operand("", None, m[1])),
    (r"st(?:\(?[\di]\)?)?", lambda m: Operand("st", None, "st")),
    (r"(?:imm|i)(8|16|32|64)", lambda m: Operand("imm", int(m[1]))),
    (r"imm", lambda m: Operand("imm")),
    (r"rel(8|16|32)(?:off)?", lambda m: Operand("", None, "rel" + m[1])),
    (r"rel", lambda m: Operand("rel")),
    (r"moff(?:s|set)(8|16|32|64)", lambda m: Operand("", int(m[1]), "moffs" + m[1])),
    (r"(vm(?:32|64)[xyz])\d*", lambda m: Operand("", None, m[1])),
    (r"segreg|sreg|seg|[c-gs]s", lambda m: Operand("", None, "sreg")),
    (r"ah", lambda m: Operand("", 8, "r8h", is_fixed=True)),
    (r"cl", lambda m: Operand("cl", 8)),
    (r"dx", lambda m: Operand("dx", 16)),
    ("|".join(FIXED), lambda m: Operand("r", FIXED[m[0]], is_fixed=True)),
    (r"1", lambda m: Operand("", None, "1")),
]


class NoForm(Exception):
    """The sheet does not state the form, or states it in unknown words."""


def mnemonics(text):
    """Returns the prefix and the names of the instructions in a cell: "JE/JZ", "CMOVcc", "LOCK XADD", "RET (near)"."""
    is_far = re.search(r"\bfar\b", text, re.I)
    text = re.sub(r"\(.*?\)|\b(near|far|short)\b", " ", text, flags=re.I).strip()
    prefix = "LOCK " if re.match(r"lock\s", text, re.I) else ""
    names = []
    for name in re.split(r"\s*[/,]\s*", text[len(prefix):].strip().upper()):
        condition = re.fullmatch(r"(J|CMOV|SET)CC", name)
        names += [condition[1] + suffix for suffix in CONDITIONS] if condition else [ALIASES.get(name, name)]
    if not all(re.fullmatch("[A-Z][A-Z0-9_]*", name) for name in names) or names[0].startswith("REP"):
        raise NoForm  # the cost of REP depends on a count that the sheet lacks
    return prefix, ["RETF" if name == "RET" and is_far else name for name in dict.fromkeys(names)]


def alternatives(cell):
    """Returns the operands that a cell stands for."""
    operands, stem = [], ""
    for word in re.split(r"\s*(?:/|\||,|\bor\b)\s*", cell.strip().lower()):
        if re.fullmatch(r"\d+", word) and stem:
            word = stem + word  # "reg16/32/64"
        match, make = next(((match, make) for pattern, make in WORDS if (match := re.fullmatch(pattern, word))),
                           (None, None))
        if not match:
            raise NoForm
        operands.append(make(match))
        stem = re.match("[a-z]*", word)[0]
    # In "reg/mem16/32" and "r/m32", the register has the widths of the memory.
    widths = list(dict.fromkeys(operand.width for operand in operands if operand.kind == "m" and operand.width))
    return [sized for operand in operands for sized in
            ([operand._replace(width=width) for width in widths] if operand == Operand("r") and widths else [operand])]


def agree(combination, operands):
    """Returns True if all operands with a choice of widths take one width: "reg16/32, reg/mem16/32, imm16/32"."""
    chosen = set()
    for operand, choice in zip(combination, operands):
        registers = {other.width for other in choice if other.kind in ("r", *VECTOR_WIDTHS)}
        widths = registers or {other.width for other in choice if other.kind == "m" and not other.element}
        if len(widths) > 1 and not operand.element:
            chosen.add(operand.width)
    size = max((operand.width or 0 for operand in combination if operand.kind in ("r", "m")), default=0)
    for operand, choice in zip(combination, operands):
        if operand.kind == "imm" and len(choice) > 1 and size and operand.width not in (8, min(size, 32), size):
            return False
    return len(chosen) <= 1


def with_widths(combination, vector_width):
    """Yields the operands with a width for each."""
    stated = next((operand.width for operand in combination if operand.kind == "r" and operand.width), None)
    is_open = any(operand.kind in ("r", "m") and not operand.width for operand in combination)
    for width in [stated] if stated or not is_open else filter(None, (*WIDTHS, vector_width)):
        sized = [operand._replace(width=width) if operand.kind in ("r", "m") and not operand.width else operand
                 for operand in combination]
        size = next((operand.width for operand in sized if operand.kind in ("r", "m")), 32)
        choices = {"imm": [8] if vector_width or size == 8 else [8, min(size, 32)], "rel": [8, 32]}
        yield from itertools.product(*(
            [operand._replace(width=each) for each in choices[operand.kind]]
            if operand.kind in choices and not operand.width else [operand] for operand in sized))


def operand_texts(operand, mnemonic, vector_width):
    if operand.kind == "m" and operand.element:
        if not vector_width:
            raise NoForm
        return [f"m{operand.width}{{1to{vector_width // operand.element}}}"]
    if operand.kind == "m" and mnemonic == "LEA":
        return list(LEA_SHAPES)  # the sheet does not distinguish them
    if operand.kind == "cl":
        return ["cl" if mnemonic in SHIFTS else "r8"]
    if operand.kind == "dx":
        return ["dx" if mnemonic in ("IN", "OUT") else "r16"]
    if operand.kind in ("r", "m", "imm", "rel"):
        return [f"{operand.kind}{operand.width}"]
    return [operand.text or operand.kind]


def string_form(mnemonic, operands):
    """Returns forms such as "STOSB m8", with the memory operands of a string instruction even if the sheet omits
    them."""
    if any(operand.kind != "m" for operand in operands):
        return None
    suffix = {width: suffix for suffix, width in STRING_WIDTHS.items()}.get(operands[0].width) if operands else None
    if mnemonic in STRINGS and suffix:
        mnemonic += suffix
    stem, suffix = mnemonic[:-1], mnemonic[-1]
    if stem not in STRINGS or suffix not in STRING_WIDTHS:
        return None
    return f"{mnemonic} " + ", ".join([f"m{STRING_WIDTHS[suffix]}"] * STRINGS[stem])


def decorated(texts, operands, marks):
    """Yields the operand texts with and without the mask, rounding and exception suppression that the sheet allows."""
    vm = any(text.startswith("vm") for text in texts)
    masks = [] if vm and "k" in marks else [""]
    masks += [mask for mark, mask in (("k", "{k}"), ("z", "{k}{z}")) if mark in marks]
    roundings = [""] + [f"{{{mark}}}" for mark in ("er", "sae") if mark in marks]
    last = max((number for number, operand in enumerate(operands) if operand.kind != "imm"), default=None)
    for mask, rounding in itertools.product(masks, roundings):
        if last is None or rounding and operands[last].kind == "m":
            if not mask and not rounding:
                yield list(texts)
            continue
        each = list(texts)
        each[0] += mask
        each[last] += rounding
        yield each


def forms(instruction, cells):
    """Yields (form, is_special, memory) for each form of a row. is_special: the row does not state exactly this form.
    memory: the numbers of the memory operands, from 1."""
    prefix, names = mnemonics(instruction)
    cells = [cell for cell in cells if cell and not re.fullmatch(r"<.*>|-", cell)]  # "<xmm0>" is implicit
    text = " ".join(cells).lower()
    marks = {mark.rstrip("0123456789n") for mark in re.findall(r"\{(k[\dn]?|z|er|sae)\}", text)}
    operands = [alternatives(re.sub(r"\s*\{[^}]*\}", "", cell)) for cell in cells]
    combinations = list(itertools.product(*operands))
    for stated in [each for each in combinations if agree(each, operands)] or combinations:
        if any(operand.kind == "m" for operand in stated):  # "FADD ST(0), mem32" is FADD m32
            stated = [operand for operand in stated if operand.kind != "st"]
        vector_width = max((operand.width for operand in stated if operand.kind in VECTOR_WIDTHS), default=0)
        for sized in with_widths(stated, vector_width):
            memory = [number for number, operand in enumerate(sized, 1)
                      if operand.kind == "m" or operand.text.startswith(("vm", "m16:", "moffs"))]
            is_special = list(sized) != list(stated) or any(operand.is_fixed for operand in sized)
            for name in names:
                form = string_form(name, sized)
                if form:
                    yield prefix + form, is_special, memory
                    continue
                for texts in itertools.product(*(operand_texts(operand, name, vector_width) for operand in sized)):
                    for each in decorated(texts, sized, marks):
                        yield (prefix + name + (" " + ", ".join(each) if each else ""),
                               is_special or each != list(texts) or name == "LEA", memory)
