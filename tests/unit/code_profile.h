/* Profiles of code written as bytes, for tests of estimators. */
#ifndef ITRACE_TESTS_UNIT_CODE_PROFILE_H
#define ITRACE_TESTS_UNIT_CODE_PROFILE_H

#include "base/array.h"
#include "hex.h"
#include "profile/profile.h"

/* Adds an instruction and its executions. Returns its index. */
static inline uint32_t add_code(struct profile *profile, uint32_t region, uint64_t va, const char *hex,
				uint64_t executions)
{
	struct profile_insn insn = {.va = va, .module = PROFILE_NONE, .function = PROFILE_NONE};
	uint32_t index = (uint32_t)profile->n_insns;

	insn.length = (uint8_t)hex_parse(hex, insn.bytes, sizeof(insn.bytes));
	insn.form = profile_intern_form(profile, insn.bytes, insn.length);
	*ARRAY_ADD(profile, insns) = insn;
	profile_count(profile, region, index, executions, 0);
	return index;
}

#endif
