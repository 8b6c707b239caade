#include "base/isa_level.h"

#include <stdlib.h>

#include "base/array.h"

const char *const isa_level_names[] = {
	[ISA_X86_64] = "x86-64",
	[ISA_X86_64_V2] = "x86-64-v2",
	[ISA_X86_64_V3] = "x86-64-v3",
	[ISA_X86_64_V4] = "x86-64-v4",
};

/* The features that each level lacks (x86-64 psABI, "Microarchitecture levels"), by their names in the C library
 * (sysdeps/x86/cpu-features.c of glibc 2.36 and later). The last of v3 is a preference that follows from AVX2. */
#define HWCAPS "glibc.cpu.hwcaps="
#define OF_V4 "-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ"
#define OF_V3 "-AVX2,-AVX,-FMA,-FMA4,-BMI1,-BMI2,-LZCNT,-MOVBE,-AVX_Fast_Unaligned_Load"
#define OF_V2 "-SSE4_2,-SSE4_1,-SSSE3,-POPCNT"

const char *isa_level_tunables(enum isa_level level)
{
	static const char *const tunables[] = {
		[ISA_X86_64] = HWCAPS OF_V4 "," OF_V3 "," OF_V2,
		[ISA_X86_64_V2] = HWCAPS OF_V4 "," OF_V3,
		[ISA_X86_64_V3] = HWCAPS OF_V4,
		[ISA_X86_64_V4] = "",
	};

	return tunables[level];
}

void isa_level_export(enum isa_level level)
{
	const char *own = isa_level_tunables(level), *old = getenv("GLIBC_TUNABLES");
	char *both;

	if (!*own)
		return;
	both = xasprintf("%s%s%s", old ? old : "", old && *old ? ":" : "", own); /* the last one counts */
	setenv("GLIBC_TUNABLES", both, 1);
	free(both);
}
