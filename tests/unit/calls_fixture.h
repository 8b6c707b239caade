/* Profiles with call trees, made by hand for tests of reports. */
#ifndef ITRACE_TESTS_UNIT_CALLS_FIXTURE_H
#define ITRACE_TESTS_UNIT_CALLS_FIXTURE_H

#include "report_fixture.h"

#include <jansson.h>

static inline void add_context(struct profile_region *region, uint32_t parent, uint32_t site, uint32_t entry,
			       uint32_t recursion_of, uint64_t calls)
{
	*ARRAY_ADD(region, contexts) = (struct profile_context){
		.parent = parent, .site = site, .entry = entry, .recursion_of = recursion_of, .calls = calls};
}

static inline void add_run(struct profile_region *region, uint32_t context, uint32_t insn, uint64_t executions)
{
	profile_add_context_run(region, &region->contexts[context], (struct profile_context_run){insn, 1, executions});
}

/* Makes a run of /bin/prog with calls in one region. Returns the region's index. */
static inline uint32_t make_calls_of_one_region(struct profile *profile)
{
	profile_init(profile);
	profile->exited = profile->has_calls = true;
	*ARRAY_ADD(profile, modules) = (struct profile_module){.path = xstrdup("/bin/prog")};
	return make_region(profile, "r", PROFILE_NONE);
}

/* main (2 ADD) of /bin/prog calls shift (4 SHL) and mask (5 PXOR) of a library; mask falls through into tail (3
 * PXOR). `fast` has 0.25 cycles for ADD, a fallback of 0.5 for SHL and nothing for PXOR, `careful` 1 cycle for each. */
static inline void make_lacking_profile(struct profile *profile)
{
	enum { INSN_FIRST, INSN_SECOND, INSN_SHIFT, INSN_TAIL, INSN_MASK };
	uint32_t index = make_calls_of_one_region(profile), main, module;
	struct profile_region *region;

	profile->modules[0].is_program = true;
	module = (uint32_t)profile->n_modules;
	*ARRAY_ADD(profile, modules) = (struct profile_module){.path = xstrdup("/lib/libm.so")};
	main = profile_intern_function(profile, "main", 0);
	make_insn(profile, "ADD r64, r64", "binary", "base", main);
	make_insn(profile, "ADD r64, r64", "binary", "base", main);
	make_insn(profile, "SHL r64, imm8", "shift", "base", profile_intern_function(profile, "shift", module));
	make_insn(profile, "PXOR xmm, xmm", "logical", "sse2", profile_intern_function(profile, "tail", module));
	make_insn(profile, "PXOR xmm, xmm", "logical", "sse2", profile_intern_function(profile, "mask", module));
	for (size_t i = 0; i < profile->n_insns; i++)
		profile->insns[i].module = i < INSN_SHIFT ? 0 : module;
	profile_count(profile, index, INSN_FIRST, 1, 0);
	profile_count(profile, index, INSN_SECOND, 1, 0);
	profile_count(profile, index, INSN_SHIFT, 4, 0);
	profile_count(profile, index, INSN_TAIL, 3, 0);
	profile_count(profile, index, INSN_MASK, 5, 0);
	region = &profile->regions[index];
	add_context(region, PROFILE_NONE, PROFILE_NONE, INSN_FIRST, PROFILE_NONE, 1);
	add_context(region, 0, INSN_FIRST, INSN_SHIFT, PROFILE_NONE, 1);
	add_context(region, 0, INSN_SECOND, INSN_MASK, PROFILE_NONE, 1);
	add_run(region, 0, INSN_FIRST, 1);
	add_run(region, 0, INSN_SECOND, 1);
	add_run(region, 1, INSN_SHIFT, 4);
	add_run(region, 2, INSN_TAIL, 3);
	add_run(region, 2, INSN_MASK, 5);
	/* shift and mask both allocate memory. */
	profile->has_memory = true;
	*ARRAY_ADD(region, allocations) = (struct profile_allocation){0, INSN_FIRST, ALLOCATOR_MALLOC, 1, 300, 0, 0};
	*ARRAY_ADD(region, allocations) = (struct profile_allocation){0, INSN_SECOND, ALLOCATOR_CALLOC, 1, 100, 0, 0};
}

#endif
