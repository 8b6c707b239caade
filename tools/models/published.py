"""Figures that LLVM's scheduling models lack or guess: of locked, repeated and system instructions, with sources.

LLVM's models have no figures for most of them, or those of a simple instruction."""

import collections

import cpus

Figure = collections.namedtuple("Figure", "names forms cycles ports flags source")

CORE = "sandybridge haswell broadwell skylake skylake-avx512 icelake alderlake sapphirerapids lunarlake"
LATER_CORE = CORE.replace("sandybridge ", "")
SKYLAKE = "skylake skylake-avx512"
SMALL = "atom silvermont"
OLD_AMD = "jaguar piledriver"
OLD_ZEN = "zen1 zen2 zen3"
ZEN = f"{OLD_ZEN} zen4"
ALL = f"{CORE} {SMALL} {OLD_AMD} {ZEN}"

AGNER = "Agner Fog's instruction tables"
ZEN4 = "measured on Zen 4 in a virtual machine: RDTSC against a chain of dependent additions"
INTEL_REP = "Intel's optimization manual, \"REP String Enhancement\": some 40 cycles and 4 for each 64 bytes"
K8 = "AMD, Software Optimization Guide for AMD64 Processors (25112), appendix C: entry to the kernel"

XCHG = "XCHG m8, r8; XCHG m8, r8h; XCHG m16, r16; XCHG m32, r32; XCHG m64, r64"
SAVES = "XSAVE m4608; XSAVE64 m4608; XSAVEC m4608; XSAVEC64 m4608; XSAVEOPT m4608; XSAVEOPT64 m4608"
RESTORES = "XRSTOR m4608; XRSTOR64 m4608"
WIDTHS = {"B": 8, "W": 16, "D": 32, "Q": 64}

FIGURES = []


def add(names, forms, cycles, ports, flags, source):
    """names: of CPUs. cycles: latency and reciprocal throughput; None: LLVM's latency."""
    FIGURES.append(Figure(names, forms, cycles, ports, flags, source))


def add_string(names, name, operands, cycles, per_iteration, flags, source):
    """Adds a repeated string instruction. per_iteration: cycles by letter of the width."""
    for letter, bits in WIDTHS.items():
        add(names, f"{name}{letter} " + ", ".join([f"m{bits}"] * operands), cycles[letter], "ucode:%s" % cycles[letter],
            f"{flags} iteration:{per_iteration[letter]}".strip(), source)


def every(value):
    return dict.fromkeys(WIDTHS, value)


# Locked instructions. XCHG with memory locks without a prefix.
add("sandybridge", f"{XCHG}; LOCK * m*", 22, "lock:22", "load store", AGNER)
add(LATER_CORE, f"{XCHG}; LOCK * m*", 18, "lock:18", "load store", f"{AGNER}: 18 to 19")
add(SMALL, f"{XCHG}; LOCK * m*", 18, "lock:18", "load store relative", "not published; as Haswell")
add("jaguar", f"{XCHG}; LOCK * m*", 19, "lock:19", "load store relative", "as LOCK INC and LOCK NOT, LLVM BtVer2Model")
add("piledriver", f"{XCHG}; LOCK * m*", 19, "lock:19", "load store relative", "not published; as Jaguar")
add(OLD_ZEN, f"{XCHG}; LOCK * m*", 20, "lock:20", "load store relative", "not published; as measured on Zen 5")
add("zen4", f"{XCHG}; LOCK * m*", 8, "lock:8", "load store", ZEN4)
for forms, cycles in (("LOCK ADD m32, r32; LOCK ADD m64, r64; LOCK ADD m32, imm8; LOCK ADD m64, imm8; "
                       "LOCK OR m32, imm8; LOCK BTS m32, imm8; LOCK XADD m32, r32; LOCK XADD m64, r64", 8),
                      ("LOCK INC m32; LOCK INC m64; LOCK DEC m32; LOCK DEC m64", 6.5),
                      ("LOCK CMPXCHG m32, r32; LOCK CMPXCHG m64, r64", 9), ("LOCK CMPXCHG8B m64", 10),
                      ("LOCK CMPXCHG16B m128", 14)):
    add("zen4", forms, cycles, f"lock:{cycles}", "load store", "as above")

# Repeated string instructions. Their time depends on count, alignment and cache, so that each figure is a stand-in.
add_string(CORE, "REP MOVS", 2, every(40), {"B": 0.063, "W": 0.125, "D": 0.25, "Q": 0.5}, "load store range", INTEL_REP)
add_string(CORE, "REP STOS", 1, every(40), {"B": 0.063, "W": 0.125, "D": 0.25, "Q": 0.5}, "store relative",
           "not published; as REP MOVS")
for names, flag, source in (("zen4", "range", ZEN4), (OLD_ZEN, "relative", "not published; as measured on Zen 4")):
    add_string(names, "REP MOVS", 2, {"B": 20, "W": 24, "D": 26, "Q": 26},
               {"B": 0.034, "W": 0.064, "D": 0.126, "Q": 0.253}, f"load store {flag}", source)
    add_string(names, "REP STOS", 1, {"B": 18, "W": 20, "D": 24, "Q": 26},
               {"B": 0.028, "W": 0.053, "D": 0.106, "Q": 0.228}, f"store {flag}", source)
K8_REP = "not published; as AMD, Software Optimization Guide for AMD64 Processors (25112), table 6"
add_string(f"{SMALL} {OLD_AMD}", "REP MOVS", 2, every(15), every(1), "load store relative", K8_REP)
add_string(f"{SMALL} {OLD_AMD}", "REP STOS", 1, every(14), every(1), "store relative", K8_REP)
for names, flag, source in (("zen4", "range", ZEN4),
                           (ALL.replace(" zen4", ""), "relative", "not published; as measured on Zen 4")):
    add_string(names, "REP LODS", 1, every(24), every(2), f"load {flag}", source)
    for prefix in ("REPE", "REPNE"):
        add_string(names, f"{prefix} SCAS", 1, every(25), every(2), f"load {flag}", source)
        add_string(names, f"{prefix} CMPS", 2, every(26), {"B": 0.6, "W": 3, "D": 3, "Q": 3}, f"load {flag}", source)
for names, flag, source in (("zen4", "", ZEN4), (OLD_ZEN, " relative", "not published; as measured on Zen 4")):
    add(names, "MOVSB m8, m8; MOVSW m16, m16; MOVSD m32, m32; MOVSQ m64, m64", 3, "", f"load store{flag}", source)
    add(names, "STOSB m8; STOSW m16; STOSD m32; STOSQ m64", 3, "", f"store{flag}", source)
    add(names, "LODSB m8; LODSW m16; LODSD m32; LODSQ m64; SCASB m8; SCASW m16; SCASD m32; SCASQ m64; CMPSB m8, m8; "
        "CMPSW m16, m16; CMPSD m32, m32; CMPSQ m64, m64", 3, "", f"load{flag}", source)
BROADWELL_ON = "broadwell skylake skylake-avx512 icelake"
for forms, cycles, flags in (("MOVSB m8, m8; MOVSW m16, m16; MOVSD m32, m32; MOVSQ m64, m64", 4, "load store relative"),
                             ("LODSB m8; LODSW m16; LODSD m32; LODSQ m64", 1, "load relative"),
                             ("CMPSB m8, m8; CMPSW m16, m16; CMPSD m32, m32; CMPSQ m64, m64", 4, "load relative")):
    add(BROADWELL_ON, forms, cycles, "", flags, "not published; as Haswell")

# Clocks, identification and state
add(CORE, "CPUID", 175, "ucode:175", "range", f"{AGNER}, Sandy Bridge to Skylake: 100 to 250")
add(f"{SMALL} {OLD_AMD} {ZEN}", "CPUID", 175, "ucode:175", "relative", "not published; as Intel's Core CPUs")
add(SKYLAKE, "RDTSC", 25, "ucode:25", "", AGNER)
add(SKYLAKE, "RDTSCP", 32, "ucode:32", "", AGNER)
add(" ".join(cpu for cpu in CORE.split() if cpu not in SKYLAKE.split()), "RDTSC; RDTSCP", 30, "ucode:30", "range",
    "J. McCalpin in Intel's forum, Software Tuning: 25 to 35 cycles")
add(f"{SMALL} {OLD_AMD}", "RDTSC; RDTSCP", 30, "ucode:30", "relative", "not published; as Intel's Core CPUs")
for names, flag, source in (("zen4", "", ZEN4), (OLD_ZEN, "relative", "not published; as measured on Zen 4")):
    add(names, "RDTSC", 35, "ucode:35", flag, source)
    add(names, "RDTSCP", 65, "ucode:65", flag, source)
    add(names, "XGETBV", 48, "ucode:48", flag, source)
    add(names, "FXSAVE m4096; FXSAVE64 m4096", 84, "ucode:84", f"store {flag}".strip(), source)
    add(names, "FXRSTOR m4096; FXRSTOR64 m4096", 190, "ucode:190", f"load {flag}".strip(), source)
    add(names, SAVES, 175, "ucode:175", f"load store {flag}".strip(), f"{source}; x87, SSE, AVX and AVX-512")
    add(names, RESTORES, 175, "ucode:175", f"load {flag}".strip(), f"{source}; x87, SSE, AVX and AVX-512")
add(CORE, f"{SAVES}; {RESTORES}", None, "", "load store relative", "not published; LLVM's latency, without overlap")
for names in ("sandybridge", OLD_AMD):
    add(names, SAVES, 31, "ucode:31", "load store relative", "not published; as Haswell")
    add(names, RESTORES, 23, "ucode:23", "load relative", "not published; as Haswell")
add(ALL, "SYSCALL", 27, "ucode:27", "relative", K8)

# SHLD and SHRD of one register are rotations.
for name in ("SHLD", "SHRD"):
    for bits in (16, 32, 64):
        add(SKYLAKE, f"{name} r{bits}, r{bits}, imm8 (same)", 1, "p1:1", "", "uops.info paper (ASPLOS 2019)")


# Instruction sets of those forms that not every CPU here has.
ISA = {"RDTSCP": "RDTSCP", "XGETBV": "XSAVE", "XSAVE": "XSAVE", "XSAVE64": "XSAVE", "XRSTOR": "XSAVE",
       "XRSTOR64": "XSAVE", "XSAVEC": "XSAVEC", "XSAVEC64": "XSAVEC", "XSAVEOPT": "XSAVEOPT", "XSAVEOPT64": "XSAVEOPT"}


def number(value):
    return f"{value:.3f}".rstrip("0").rstrip(".")


def rows(cpu, table):
    """Returns a map from a form or a pattern to the CPU's line. `table`: LLVM's rows by form, whose micro-operations
    are kept."""
    lines = {}
    for figure in FIGURES:
        if cpu.name not in figure.names.split():
            continue
        for form in figure.forms.split("; "):
            isa = ISA.get(form.split()[0])
            llvm = table.get(form)
            if isa and not cpus.has_isa(cpu, isa) or figure.cycles is None and not llvm:
                continue
            cycles = number(llvm.latency if figure.cycles is None else figure.cycles)
            ports = figure.ports or (f"ucode:{cycles}" if figure.cycles is None else "-")
            uops = llvm.uops if llvm else "-"
            lines[form] = (f"{form} | {cycles} | {cycles} | {uops} | {ports} | {figure.flags or '-'} | {uops}"
                           f"  # {figure.source}").replace(" | -  #", "  #")
    return lines
