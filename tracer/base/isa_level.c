#include "base/isa_level.h"

#include <stdlib.h>

#include "base/array.h"

const char *const isa_level_names[] = {
	[ISA_X86_64] = "x86-64",
	[ISA_X86_64_V2] = "x86-64-v2",
	[ISA_X86_64_V3] = "x86-64-v3",
	[ISA_X86_64_V4] = "x86-64-v4",
};

/* These settings disable the features that each level adds (x86-64 psABI, "Microarchitecture levels"). The names are
 * glibc's (sysdeps/x86/cpu-features.c of 2.36 and later). AVX_Fast_Unaligned_Load is no feature: glibc sets this
 * preference if the CPU has AVX2. */
#define HWCAPS "glibc.cpu.hwcaps="
#define WITHOUT_V4 "-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ"
#define WITHOUT_V3 "-AVX2,-AVX,-FMA,-FMA4,-BMI1,-BMI2,-LZCNT,-MOVBE,-AVX_Fast_Unaligned_Load"
#define WITHOUT_V2 "-SSE4_2,-SSE4_1,-SSSE3,-POPCNT"

const char *isa_level_tunables(enum isa_level level)
{
	static const char *const tunables[] = {
		[ISA_X86_64] = HWCAPS WITHOUT_V4 "," WITHOUT_V3 "," WITHOUT_V2,
		[ISA_X86_64_V2] = HWCAPS WITHOUT_V4 "," WITHOUT_V3,
		[ISA_X86_64_V3] = HWCAPS WITHOUT_V4,
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
	/* If a tunable is set twice, glibc takes the last value. */
	both = xasprintf("%s%s%s", old ? old : "", old && *old ? ":" : "", own);
	setenv("GLIBC_TUNABLES", both, 1);
	free(both);
}
