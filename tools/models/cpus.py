"""Facts about the CPUs with an own scheduling model in LLVM 22 that no tool prints, each with its source."""

import collections

Cpu = collections.namedtuple("Cpu", "name llvm llvm_model aliases stand_ins title vendor year clock_mhz clock_source "
                                    "isa prefix hex_ports supers parameters")

# Instruction sets by Zydis's names. A name that ends in "_" stands for all names that begin with it. These sets decide
# which rows a CPU gets, because LLVM's assembler and most of its models accept instructions that the CPU lacks. Source:
# llvm::X86::getFeaturesForCPU of LLVM 22.1.8. Added are AES and RTM, which LLVM omits because some parts disable them,
# and the sets of aliases: Ivy Bridge F16C, RDRAND and FSGSBASE; Cascade Lake VNNI; Tiger Lake VP2INTERSECT, MOVDIR and
# CET.
BASE = """I86 I186 I286REAL I286PROTECTED I386 I486 I486REAL PENTIUMREAL PENTIUMMMX PPRO CMOV X87 FCMOV FAT_NOP
    PREFETCH_NOP LONGMODE FXSAVE FXSAVE64 SSE SSEMXCSR SSE_PREFETCH SSE2 SSE2MMX CLFSH PAUSE RDPMC CMPXCHG16B LAHF SSE3
    SSE3X87 SSSE3 SSSE3MMX MONITOR"""
SSE4 = "SSE4 SSE42 POPCNT PCLMULQDQ AES RDTSCP"
AVX = "AVX AVXAES XSAVE"
AVX2 = "AVX2 AVX2GATHER FMA BMI1 BMI2 LZCNT MOVBE F16C RDRAND RDWRFSGS"

SANDYBRIDGE = f"{BASE} {SSE4} {AVX} XSAVEOPT F16C RDRAND RDWRFSGS"
HASWELL = f"{SANDYBRIDGE} {AVX2} INVPCID RTM"
BROADWELL = f"{HASWELL} ADOX_ADCX RDSEED SMAP"
SKYLAKE = f"{BROADWELL} CLFLUSHOPT XSAVEC XSAVES"
SKYLAKE_AVX512 = f"{SKYLAKE} AVX512F_ AVX512CD_ AVX512BW_ AVX512DQ_ AVX512_VNNI_ PKU CLWB"
SUNNY_COVE_VECTOR = "GFNI AVX_GFNI VAES VPCLMULQDQ SHA"
ICELAKE = f"""{SKYLAKE_AVX512} {SUNNY_COVE_VECTOR} AVX512_IFMA_ AVX512_VBMI_ AVX512_VBMI2_ AVX512_BITALG_
    AVX512_VPOPCNTDQ_ AVX512_GFNI_ AVX512_VAES_ AVX512_VPCLMULQDQ_ AVX512_VP2INTERSECT_ RDPID MOVDIR CET"""
GOLDEN_COVE = f"{SUNNY_COVE_VECTOR} AVX_VNNI PKU CLWB RDPID MOVDIR WAITPKG SERIALIZE PT CET"
ALDERLAKE = f"{SKYLAKE} {GOLDEN_COVE}".replace(" RTM", "")
LUNARLAKE = f"{ALDERLAKE} ENQCMD UINTR"
SAPPHIRERAPIDS = f"""{ICELAKE} {GOLDEN_COVE} AVX512_FP16_ AVX512_BF16_ AMX_ CLDEMOTE ENQCMD TSX_LDTRK UINTR
    """.replace("AVX512_VP2INTERSECT_", "")
JAGUAR = f"{BASE} {SSE4} {AVX} XSAVEOPT SSE4A F16C BMI1 LZCNT MOVBE"
PILEDRIVER = f"{BASE} {SSE4} {AVX} SSE4A F16C BMI1 LZCNT FMA FMA4 XOP TBM LWP"
ZEN1 = f"""{BASE} {SSE4} {AVX} {AVX2} SSE4A ADOX_ADCX RDSEED SMAP SHA CLFLUSHOPT XSAVEOPT XSAVEC XSAVES CLZERO
    MONITORX"""
ZEN2 = f"{ZEN1} CLWB RDPID RDPRU"
ZEN3 = f"{ZEN2} VAES VPCLMULQDQ INVPCID PKU"
ZEN4 = f"""{ZEN3} CET GFNI AVX_GFNI AVX512F_ AVX512CD_ AVX512BW_ AVX512DQ_ AVX512_VNNI_ AVX512_IFMA_ AVX512_VBMI_
    AVX512_VBMI2_ AVX512_BITALG_ AVX512_VPOPCNTDQ_ AVX512_GFNI_ AVX512_VAES_ AVX512_VPCLMULQDQ_ AVX512_BF16_"""


def core(instruction_queue, op_cache, issue, retire, uop_queue, rob, scheduler):
    """Published widths (per cycle) and sizes (entries)."""
    source = "uiCA paper (ICS 2022), table of microarchitectures"
    return [("instruction_queue", instruction_queue, source), ("op_cache_width", op_cache, source),
            ("issue_width", issue, source), ("retire_width", retire, source), ("uop_queue", uop_queue, source),
            ("rob", rob, source), ("scheduler", scheduler, source)]


# Resources that are part of another one (ProcResource's Super in LLVM's models). Their use counts for the other
# resource, but not for its groups.
ZEN_SUPERS = {"Load": "LSU", "Store": "LSU", "FPSt": "FP45"}
PILEDRIVER_SUPERS = {"Load": "AGLU01", "Store": "AGLU01"}

CPUS = [
    Cpu("sandybridge", "sandybridge", "SandyBridgeModel", "snb corei7-avx",
        "nehalem corei7 westmere penryn core2",
        "Intel Sandy Bridge", "Intel", 2011, 3400, "Core i7-2600K, base clock",
        SANDYBRIDGE, "SB", False, {}, core(20, 4, 4, 4, 28, 168, 54)),
    Cpu("haswell", "haswell", "HaswellModel", "hsw core-avx2", "knl knm",
        "Intel Haswell", "Intel", 2013, 3500, "Core i7-4770K, base clock",
        HASWELL, "HW", False, {}, core(20, 4, 4, 4, 56, 192, 60)),
    Cpu("broadwell", "broadwell", "BroadwellModel", "bdw", "",
        "Intel Broadwell", "Intel", 2014, 3300, "Core i7-5775C, base clock",
        BROADWELL, "BW", False, {}, core(20, 4, 4, 4, 56, 192, 60)),
    Cpu("skylake", "skylake", "SkylakeClientModel",
        "skl kabylake kbl", "",
        "Intel Skylake (client)", "Intel", 2015, 4000, "Core i7-6700K, base clock",
        SKYLAKE, "SKL", False, {}, core(25, 6, 4, 4, 64, 224, 97)),
    Cpu("skylake-avx512", "skylake-avx512", "SkylakeServerModel", "skx", "cooperlake cannonlake",
        "Intel Skylake (server)", "Intel", 2017, 3300, "Core i9-7900X, base clock",
        SKYLAKE_AVX512, "SKX", False, {}, core(25, 6, 4, 4, 64, 224, 97)),
    Cpu("icelake", "icelake-server", "IceLakeModel", "icl icx icelake-client icelake-server",
        "rocketlake rkl",
        "Intel Ice Lake (client and server)", "Intel", 2019, 2300, "Xeon Platinum 8380, base clock",
        ICELAKE, "ICX", False, {}, core(25, 6, 5, 8, 70, 352, 160)),
    Cpu("alderlake", "alderlake", "AlderlakePModel", "adl adl-p goldencove",
        "meteorlake arrowlake arrowlake-s pantherlake wildcatlake novalake gracemont sierraforest grandridge "
        "clearwaterforest",
        "Intel Alder Lake (P-core)", "Intel", 2021, 3200, "Core i9-12900K, base clock of the P-cores",
        ALDERLAKE, "ADLP", True, {}, []),
    Cpu("sapphirerapids", "sapphirerapids", "SapphireRapidsModel", "spr emeraldrapids emr",
        "graniterapids graniterapids-d diamondrapids",
        "Intel Sapphire Rapids", "Intel", 2023, 2000, "Xeon Platinum 8480+, base clock",
        SAPPHIRERAPIDS, "SPR", True, {}, []),
    Cpu("lunarlake", "lunarlake", "LunarlakePModel", "lnl lioncove", "",
        "Intel Lunar Lake (P-core)", "Intel", 2024, 3300, "Core Ultra 9 288V, base clock of the P-cores",
        LUNARLAKE, "LNLP", False, {}, []),
    Cpu("atom", "atom", "AtomModel", "bonnell", "",
        "Intel Atom (Bonnell)", "Intel", 2008, 1600, "Atom N270, nominal clock",
        f"{BASE} MOVBE", "Atom", False, {}, []),
    Cpu("silvermont", "slm", "SLMModel", "slm", "goldmont goldmont-plus tremont",
        "Intel Atom (Silvermont)", "Intel", 2013, 2400, "Atom C2750, base clock",
        f"{BASE} {SSE4} MOVBE RDRAND", "SLM", False, {}, []),
    Cpu("jaguar", "btver2", "BtVer2Model", "btver2", "btver1 bobcat",
        "AMD Jaguar", "AMD", 2013, 2050, "Athlon 5350, nominal clock",
        JAGUAR, "J", False, {}, []),
    Cpu("piledriver", "bdver2", "BdVer2Model", "bdver2", "bdver1 bulldozer bdver3 steamroller bdver4 excavator",
        "AMD Piledriver", "AMD", 2012, 4000, "FX-8350, base clock",
        PILEDRIVER, "Pd", False, PILEDRIVER_SUPERS, []),
    Cpu("zen1", "znver1", "Znver1Model", "zen znver1", "",
        "AMD Zen", "AMD", 2017, 3600, "Ryzen 7 1800X, base clock",
        ZEN1, "Zn", False, {}, []),
    Cpu("zen2", "znver2", "Znver2Model", "znver2", "",
        "AMD Zen 2", "AMD", 2019, 3600, "Ryzen 7 3700X, base clock",
        ZEN2, "Zn2", False, {}, []),
    Cpu("zen3", "znver3", "Znver3Model", "znver3", "",
        "AMD Zen 3", "AMD", 2020, 3400, "Ryzen 9 5950X, base clock",
        ZEN3, "Zn3", False, ZEN_SUPERS, []),
    Cpu("zen4", "znver4", "Znver4Model", "znver4", "",
        "AMD Zen 4", "AMD", 2022, 4500, "Ryzen 9 7950X, base clock",
        ZEN4, "Zn4", False, ZEN_SUPERS, []),
]


def has_isa(cpu, isa_set):
    return any(isa_set == name or name[-1] == "_" and isa_set.startswith(name) for name in cpu.isa.split())
