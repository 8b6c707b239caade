"""What the pipeline estimator needs to know of a CPU (costmodels/data/FORMAT.md, "Parameters of the pipeline"): facts
that LLVM does not have, each with its source. CPUs that are not here have no pipeline."""

UICA = "uiCA paper (ICS 2022)"
INTEL = "Intel's optimization manual"
AMD = "AMD's optimization guide for the family"
FOG = 'Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs"'
BHIVE = "measured blocks of BHive, the development half"
ZEN5 = "measured on Zen 5"
ASSUMED = "assumed: it depends on the system"


def mispredicts(cycles, model):
    return [("mispredict_cycles", cycles, f"LLVM {model}: MispredictPenalty")]


def caches(source, l1d, l2, l3, dtlb, stlb):
    """Each: KiB or entries, ways, and from the second on the cycles from a load's address to its value; of the second
    TLB, the cycles that it adds."""
    return [
        ("l1d_kib", l1d[0], source), ("l1d_ways", l1d[1], source),
        ("l2_kib", l2[0], source), ("l2_ways", l2[1], source), ("l2_latency", l2[2], source),
        ("l3_kib", l3[0], l3[3]), ("l3_ways", l3[1], l3[3]), ("l3_latency", l3[2], l3[3]),
        ("memory_ns", 80, ASSUMED),
        ("dtlb_entries", dtlb[0], source), ("dtlb_ways", dtlb[1], source),
        ("stlb_entries", stlb[0], source), ("stlb_ways", stlb[1], source), ("stlb_latency", stlb[2], source),
        ("page_walk_latency", 25, "assumed: the tables are in the L2 cache")]


MIB = 1 << 10
ZEN4 = "measured on Zen 4"


def intel(uop_lines, jump_window, loop_buffer, unlamination, loads, forwarding, store_address, store_data, alu,
          last_decoder=0):
    """uop_lines: the op cache's window in bytes and its lines. loads: the latency of a simple chased load, 0 if none
    is faster, and what a miss of the first TLB adds. forwarding: store to load, and of one that fails. store_address:
    ports for any address without index, and with one."""
    failed_source = f"{BHIVE}: cycles an iteration"
    return [
        ("pipeline_rules", "core.rules", "the file of rules beside this one"),
        ("predecode_bytes", 16, UICA), ("predecode_width", 5, UICA), ("lcp_cycles", 3, UICA),
        ("decoders", 4, UICA), ("complex_uops", 4, UICA),
        ("last_decoder_fuses", last_decoder, f"{BHIVE}: else 0.8 % of error more on Haswell, 1.0 on Skylake"),
        ("op_cache_window_bytes", uop_lines[0], UICA), ("op_cache_lines", uop_lines[1], UICA),
        ("op_cache_line_uops", 6, UICA), ("jump_window_bytes", jump_window, f"{UICA}; 0: no matter"),
        ("loop_buffer", loop_buffer, f"{UICA}; 0: none"),
        ("unlamination", unlamination, f'{INTEL}, "Micro-Fusion"; {UICA}'),
        ("stack_sync", 1, f'{INTEL}, "Stack Pointer Tracker"'),
        ("simple_load_latency", loads[0], f'{INTEL}, "L1 DCache"; 0: none is faster'),
        ("vector_load_latency", 6, f'{INTEL}, "L1 DCache"'), ("wide_load_latency", 7, f'{INTEL}, "L1 DCache"'),
        ("tlb_miss_latency", loads[1], BHIVE),
        ("store_forward_latency", forwarding[0], FOG), ("vector_store_forward_latency", forwarding[0] + 1, FOG),
        ("failed_forward_cycles", forwarding[1], failed_source),
        ("load_ports", "p23", INTEL), ("store_address_ports", store_address[0], INTEL),
        ("store_address_indexed_ports", store_address[1], INTEL), ("store_data_ports", store_data, INTEL),
        ("alu_ports", alu, INTEL), ("divider_ports", "div fpdiv", "LLVM's names of the dividers")]


def amd(op_cache_width):
    return [
        ("pipeline_rules", "zen.rules", "the file of rules beside this one"),
        ("op_cache_width", op_cache_width, f"{AMD}: macro-operations a cycle"),
        ("counts_fused", 1, "LLVM's rows count macro-operations"),
        ("stack_sync", 1, ZEN5),
        ("vector_load_latency", 7, AMD), ("wide_load_latency", 8, AMD),
        ("store_forward_latency", 7, FOG), ("vector_store_forward_latency", 9, ZEN4),
        ("failed_forward_cycles", 19, ZEN4),
        ("load_ports", "load", "LLVM's names, as the next three"), ("store_data_ports", "store", "loads and stores"),
        ("alu_ports", "alu0123", "integer operations"),
        ("memory_ports", "agu012 load store lsu fpst fp45", "what only moves data"),
        ("op_cache_fetch_bytes", 64, f"{ZEN4}: loops take a cycle for each block that they lie in"),
        ("load_latency", 4, f"{AMD}; {ZEN4}"), ("scaled_index_cycles", 1, ZEN4),
        ("memory_renaming", "index", f"{ZEN4}: ADD [m], r of 32 or 64 bits takes 1 cycle, of 8 or 16 bits 6"),
        ("store_cycles", 1, f"{ZEN4}: 2 stores a cycle to one line, of vectors 1"),
        ("fused_jump_ports", "alu03", f"{ZEN4}: DEC and JNZ share the ALUs of CMOV"),
        ("retire_width", 8, AMD)]


# uiCA (ICS 2022) has Intel's CPUs choose a port at issue. On blocks of Haswell and Ivy Bridge that gives more error.
AT_ISSUE = [("port_choice", "at_issue", f"{UICA}; {BHIVE}: 0.1 % of error less on Skylake")]

_HASWELL = intel((32, 3), 0, 56, "destructive_stays", (4, 8), (5, 16), ("p237", "p23"), "p4", "p0156")
_SKYLAKE_TLBS = (64, 4), (1536, 12, 9)
_CORE_L2 = (256, 8, 12)

PARAMETERS = {
    "sandybridge": intel((32, 3), 0, 28, "indexed", (4, 7), (5, 16), ("p23", "p23"), "p4", "p015")
    + mispredicts(16, "SandyBridgeModel")
    + caches(INTEL, (32, 8), _CORE_L2, (8 * MIB, 16, 30, f"{INTEL}; Core i7-2600K"), (64, 4), (512, 4, 7)),
    "haswell": _HASWELL + mispredicts(16, "HaswellModel")
    + caches(INTEL, (32, 8), _CORE_L2, (8 * MIB, 16, 36, f"{INTEL}; Core i7-4770K"), (64, 4), (1024, 8, 8)),
    "broadwell": _HASWELL + mispredicts(16, "BroadwellModel")
    + caches(INTEL, (32, 8), _CORE_L2, (6 * MIB, 12, 38, f"{INTEL}; Core i7-5775C"), (64, 4), (1536, 6, 8)),
    "skylake": intel((32, 3), 32, 0, "destructive_stays", (4, 9), (4, 15), ("p237", "p23"), "p4", "p0156", 1)
    + AT_ISSUE + mispredicts(14, "SkylakeClientModel")
    + caches(INTEL, (32, 8), (256, 4, 12), (8 * MIB, 16, 44, f"{INTEL}; Core i7-6700K"), *_SKYLAKE_TLBS),
    "skylake-avx512": intel((32, 3), 32, 64, "destructive_stays", (4, 9), (4, 15), ("p237", "p23"), "p4", "p0156", 1)
    + AT_ISSUE + mispredicts(14, "SkylakeServerModel")
    + caches(INTEL, (32, 8), (MIB, 16, 14), (13 * MIB + 768, 11, 68, f"{INTEL}; Core i9-7900X"),
             *_SKYLAKE_TLBS),
    "icelake": intel((64, 6), 0, 70, "destructive_stays", (0, 9), (5, 15), ("p78", "p78"), "p49", "p0156", 1)
    + AT_ISSUE + mispredicts(14, "IceLakeModel")
    + caches(INTEL, (48, 12), (1280, 20, 14), (60 * MIB, 12, 70, f"{INTEL}; Xeon Platinum 8380"),
             (64, 4), (2048, 16, 9)),
    "zen3": amd(8) + mispredicts(13, "Znver3Model")
    + caches(AMD, (32, 8), (512, 8, 12), (32 * MIB, 16, 46, AMD), (64, 64), (2048, 16, 7)),
    "zen4": amd(9) + mispredicts(13, "Znver4Model")
    + caches(AMD, (32, 8), (MIB, 8, 14), (32 * MIB, 16, 50, AMD), (72, 72), (3072, 24, 7)),
}
