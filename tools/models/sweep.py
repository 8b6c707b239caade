"""Sweeps the opcode maps and generates every instruction encoding that may have a form of its own.

The first encodings of an opcode have different registers, because a model may treat equal registers specially.
Encodings with equal registers follow. All encodings are hex text. The decoder cuts off the padding after an
instruction.
"""

from itertools import product

# Immediates and displacements. The low 8 bits are not 1, and 32 bits do not fit in 8, so that LLVM keeps the wide form.
PADDING = "112233445566778899"

# Bytes of the one-byte map that are prefixes, the escape to two bytes, or the first bytes of VEX and EVEX.
PREFIX_OPCODES = {0x26, 0x2e, 0x36, 0x3e, *range(0x40, 0x50), 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x0f, 0xc4,
                  0xc5, 0x62}


def register(reg, rm):
    return f"{0xc0 | reg << 3 | rm:02x}"


def memory(reg):
    return f"{reg << 3 | 7:02x}"  # [rdi]


def indexed(reg):
    return f"{reg << 3 | 4:02x}37"  # [rdi+rsi], or vector 6 as index


REGS = (1, 0, 3, 4, 5, 6, 7, 2)  # in order of use with 2 as the other register
MEMORIES = [memory(reg) for reg in range(8)]


def legacy():
    # All pairs cover the x87 stack, high bytes, accumulators, and opcodes that extend into ModRM.
    modrms = [register(reg, rm) for rm, reg in product((2, 1, 0, 3, 4, 5, 6, 7), REGS)] + MEMORIES
    prefixes = ("", "66", "f3", "f2", "66f3", "66f2", "67", "f0", "66f0")
    for escape, prefix, rex, opcode in product(("", "0f", "0f38", "0f3a"), prefixes, ("", "48"), range(256)):
        if escape or opcode not in PREFIX_OPCODES:
            for modrm in modrms:
                yield f"{prefix}{rex}{escape}{opcode:02x}{modrm}{PADDING}"


def lea():
    """Yields LEA with every shape of address: with and without base, index, scale and displacement."""
    for prefix in ("", "66", "48"):
        for mod, displacement in ((0x00, ""), (0x40, "11"), (0x80, "11223344")):
            yield f"{prefix}8d{mod | 0x0f:02x}{displacement}{PADDING}"
            # Index rsi times 1 or 4; base rdi, or rbp, which means no base if there is no displacement.
            for sib in ("37", "b7", "35", "b5"):
                yield f"{prefix}8d{mod | 0x0c:02x}{sib}{displacement}{PADDING}"
        yield f"{prefix}8d0c25{PADDING}"  # neither base nor index
        yield f"{prefix}8d0d{PADDING}"  # rip


def vex_like(first, opcode_maps, pps):
    """Yields encodings with VEX of 3 bytes, or XOP, which has the same layout. vvvv: a third register; none; equal to
    r/m."""
    modrms = [register(reg, 2) for reg in REGS] + [register(reg, 0) for reg in (0, 1)] + MEMORIES + [indexed(1)]
    for opcode_map, w, vvvv, length, pp, opcode in product(opcode_maps, (0, 1), (3, 0, 2), (0, 1), pps, range(256)):
        start = f"{first}{0xe0 | opcode_map:02x}{w << 7 | (15 - vvvv) << 3 | length << 2 | pp:02x}{opcode:02x}"
        for modrm in modrms:
            yield f"{start}{modrm}{PADDING}"


def evex():
    plain = [register(1, 2), memory(1), indexed(1)]
    groups = [modrm(reg) for reg in range(8) for modrm in (lambda reg: register(reg, 2), memory, indexed)]
    group_opcodes = {(1, 0x71), (1, 0x72), (1, 0x73), (2, 0xc6), (2, 0xc7)}
    masks = ((0, 0), (0, 1), (1, 1))  # zeroing, mask register
    for opcode_map, pp, w, vvvv, length, broadcast, (z, mask), opcode in product(
            (1, 2, 3, 5, 6), range(4), (0, 1), (3, 0, 2), range(3), (0, 1), masks, range(256)):
        start = (f"62{0xf0 | opcode_map:02x}{w << 7 | (15 - vvvv) << 3 | 4 | pp:02x}"
                 f"{z << 7 | length << 5 | broadcast << 4 | 8 | mask:02x}{opcode:02x}")
        for modrm in groups if (opcode_map, opcode) in group_opcodes else plain:
            yield f"{start}{modrm}{PADDING}"


def sweep():
    yield from legacy()
    yield from lea()
    yield from vex_like("c4", (1, 2, 3), range(4))
    yield from vex_like("8f", (8, 9, 10), (0,))
    yield from evex()
