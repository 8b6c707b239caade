/* The microarchitecture levels of the x86-64 psABI, and the setting that limits the GNU C library to one. */
#ifndef ITRACE_BASE_ISA_LEVEL_H
#define ITRACE_BASE_ISA_LEVEL_H

enum isa_level { ISA_X86_64, ISA_X86_64_V2, ISA_X86_64_V3, ISA_X86_64_V4, N_ISA_LEVELS };

/* Such as "x86-64-v3". */
extern const char *const isa_level_names[N_ISA_LEVELS];

/* Returns the part of GLIBC_TUNABLES that makes the C library choose functions of the level, such as
 * "glibc.cpu.hwcaps=-AVX512F,-AVX512VL". "" for the highest level, which needs none. */
const char *isa_level_tunables(enum isa_level level);

/* Adds isa_level_tunables(level) to GLIBC_TUNABLES in the environment of this process. Programs that it starts
 * inherit them. */
void isa_level_export(enum isa_level level);

#endif
