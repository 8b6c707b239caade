"""Parameters of the pipeline estimator (costmodels/data/FORMAT.md, "Parameters of the pipeline"): facts that LLVM does
not have, each with its source. Other CPUs have no pipeline."""

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
    """Each tuple holds KiB or entries, then ways. Tuples from the L2 on add the cycles from a load's address to its
    value; the second TLB adds the extra cycles of a hit."""
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
    """uop_lines: the op cache's window in bytes and its lines. loads: the latency of a simple pointer-chasing load (0:
    not faster), and the extra latency of a miss in the first TLB. forwarding: the latency from store to load, and of a
    failed forwarding. store_address: the ports for addresses without and with an index."""
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


def zen(agus, op_cache_width, rob):
    """Zen 1 and 2. LLVM has only the ports of their address generation."""
    return [
        ("pipeline_rules", "zen.rules", "the file of rules beside this one"),
        ("issue_width", 5, f"{FOG}: five instructions a cycle"), ("retire_width", 8, AMD), ("rob", rob, AMD),
        ("op_cache_width", op_cache_width, f"{AMD}: macro-operations a cycle"),
        ("op_cache_fetch_bytes", 64, f"{AMD}: an entry has instructions that end in one block; as measured on Zen 4"),
        ("counts_fused", 1, "LLVM's rows count macro-operations"), ("stack_sync", 1, "as measured on Zen 5"),
        ("vector_load_latency", 7, AMD), ("wide_load_latency", 7 if agus == "agu012" else 8, AMD),
        ("scaled_index_cycles", 1, "as measured on Zen 4"),
        ("store_forward_latency", 7, FOG), ("vector_store_forward_latency", 9, "as measured on Zen 4"),
        ("failed_forward_cycles", 19, "as measured on Zen 4"),
        ("load_ports", agus, "LLVM's names, as the next three"), ("store_address_ports", agus, "loads and stores"),
        ("store_data_ports", "store", "one store a cycle"), ("store_cycles", 1, AMD),
        ("alu_ports", "alu0123", "integer operations"), ("divider_ports", "div", "LLVM's name of the divider")]


def golden_cove(issue, retire, rob, op_cache, decoders, loads, store_data, alu, simple):
    """Alder Lake and later. Unpublished parameters of the front end are those of Ice Lake."""
    as_icelake = "not published; as Ice Lake"
    return [
        ("pipeline_rules", "core.rules", "the file of rules beside this one"),
        ("issue_width", issue, INTEL), ("retire_width", retire, INTEL), ("rob", rob, INTEL),
        ("op_cache_width", op_cache, INTEL), ("predecode_bytes", 32, INTEL),
        ("predecode_width", decoders, f"{INTEL} has the decoders'"), ("lcp_cycles", 3, as_icelake),
        ("decoders", decoders, INTEL), ("complex_uops", 4, as_icelake), ("last_decoder_fuses", 1, as_icelake),
        ("op_cache_window_bytes", 64, as_icelake), ("op_cache_lines", 6, as_icelake),
        ("op_cache_line_uops", 8, f"{INTEL}: 8 a cycle"), ("unlamination", "destructive_stays", as_icelake),
        ("stack_sync", 1, f'{INTEL}, "Stack Pointer Tracker"'),
        ("vector_load_latency", simple + 2, f'{INTEL}, "L1 DCache"'),
        ("wide_load_latency", simple + 3, f'{INTEL}, "L1 DCache"'),
        ("tlb_miss_latency", 9, as_icelake),
        ("store_forward_latency", 5, as_icelake), ("vector_store_forward_latency", 6, as_icelake),
        ("failed_forward_cycles", 15, as_icelake),
        ("load_ports", loads[0], INTEL), ("store_address_ports", loads[1], INTEL),
        ("store_address_indexed_ports", loads[1], INTEL), ("store_data_ports", store_data, INTEL),
        ("alu_ports", alu, INTEL), ("port_choice", "at_issue", f"{UICA}, of the CPUs before")]


# uiCA (ICS 2022) lets Intel's CPUs choose a port at issue. This increases the error on blocks of Haswell and Ivy
# Bridge.
AT_ISSUE = [("port_choice", "at_issue", f"{UICA}; {BHIVE}: 0.1 % of error less on Skylake")]

_HASWELL = intel((32, 3), 0, 56, "destructive_stays", (4, 8), (5, 16), ("p237", "p23"), "p4", "p0156")
_SKYLAKE_TLBS = (64, 4), (1536, 12, 9)
_CORE_L2 = (256, 8, 12)

_GOLDEN_COVE = golden_cove(6, 8, 512, 8, 6, ("p23A", "p78"), "p49", "p0156B", 5)

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
    "alderlake": _GOLDEN_COVE + mispredicts(14, "AlderlakePModel")
    + caches(INTEL, (48, 12), (1280, 10, 15), (30 * MIB, 12, 68, f"{INTEL}; Core i9-12900K"), (96, 6), (2048, 16, 9)),
    "sapphirerapids": _GOLDEN_COVE + mispredicts(14, "SapphireRapidsModel")
    + caches(INTEL, (48, 12), (2 * MIB, 16, 16), (105 * MIB, 15, 124, f"{INTEL}; Xeon Platinum 8480+"),
             (96, 6), (2048, 16, 9)),
    "lunarlake": golden_cove(8, 12, 576, 12, 8, ("p20.p21.p22", "p25.p26.p27"), "p10.p11",
                             "p00.p01.p02.p03.p04.p05", 4)
    + mispredicts(14, "LunarlakePModel")
    + caches(INTEL, (48, 12), (192, 12, 9), (2560, 10, 17, f"{INTEL}: L1 and L2 of the core; the L3 is left out"),
             (128, 8), (2048, 16, 9)),
    "zen1": zen("agu01", 8, 192) + mispredicts(17, "Znver1Model")
    + caches(AMD, (32, 8), (512, 8, 12), (8 * MIB, 16, 39, AMD), (64, 64), (1536, 12, 8)),
    "zen2": zen("agu012", 8, 224) + mispredicts(17, "Znver2Model")
    + caches(AMD, (32, 8), (512, 8, 12), (16 * MIB, 16, 39, AMD), (64, 64), (2048, 16, 7)),
    "zen3": amd(8) + mispredicts(13, "Znver3Model")
    + caches(AMD, (32, 8), (512, 8, 12), (32 * MIB, 16, 46, AMD), (64, 64), (2048, 16, 7)),
    "zen4": amd(9) + [("mispredict_cycles", 15, f"{ZEN4} by the kernels random_branch*; LLVM Znver4Model: 13")]
    + caches(AMD, (32, 8), (MIB, 8, 14), (32 * MIB, 16, 50, AMD), (72, 72), (3072, 24, 7)),
}
