#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "cli/tracing/nondeterminism.h"

static uint32_t add_insn(struct profile *profile, const char *bytes, uint8_t length, uint32_t module)
{
	struct profile_insn *insn = ARRAY_ADD(profile, insns);

	insn->va = 0x1000 + profile->n_insns * 16;
	insn->length = length;
	memcpy(insn->bytes, bytes, length);
	insn->form = profile_intern_form(profile, insn->bytes, length);
	insn->module = module;
	insn->function = PROFILE_NONE;
	return (uint32_t)profile->n_insns - 1;
}

static bool is_in(const void *context, const char *region)
{
	return strchr(context, region[0]);
}

/* Checks the text for the regions with these first letters. */
static void check(const struct nondeterminism *all, const char *regions, const char *expected)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	nondeterminism_write(all, out, is_in, regions);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void a_region_tells_what_it_depends_on(void **state)
{
	struct nondeterminism all = {0};
	struct profile profile;
	uint32_t clock, threads, handlers, plain, nop;

	(void)state;
	profile_init(&profile);
	clock = profile_intern_region(&profile, "clock", PROFILE_NONE);
	threads = profile_intern_region(&profile, "threads", PROFILE_NONE);
	plain = profile_intern_region(&profile, "plain", PROFILE_NONE);
	handlers = profile_intern_region(&profile, "threads", threads);
	*ARRAY_ADD(&profile, modules) = (struct profile_module){.path = xstrdup("[vdso]")};
	*ARRAY_ADD(&profile, threads) = (struct profile_thread){xstrdup("a"), 1};
	*ARRAY_ADD(&profile, threads) = (struct profile_thread){xstrdup("b"), 3};
	profile_count(&profile, clock, add_insn(&profile, "\x0f\x31", 2, PROFILE_NONE), 1, 0); /* rdtsc */
	nop = add_insn(&profile, "\x90", 1, 0);
	profile_count(&profile, plain, add_insn(&profile, "\x90", 1, PROFILE_NONE), 1, 0);
	profile_count_syscall(&profile, clock, 318, false, 1);				       /* getrandom */
	profile_count_syscall(&profile, clock, 1, false, 1);				       /* write */
	profile_count_syscall(&profile, clock, 262, false, 1);				       /* newfstatat */
	profile_count(&profile, clock, add_insn(&profile, "\x0f\xa2", 2, PROFILE_NONE), 1, 0); /* cpuid */
	profile_add_thread_totals(&profile, clock, 0, 1, 1);
	profile_add_thread_totals(&profile, threads, 0, 1, 1);
	profile_add_thread_totals(&profile, threads, 1, 1, 1);
	profile.regions[handlers].visits = 1;
	for (uint32_t i = 0; i < 3; i++)
		nondeterminism_add(&all, &profile, i);
	check(&all, "c",
	      "possible causes in these regions: the time (RDTSC), random numbers (getrandom), "
	      "inodes, times and sizes of files (newfstatat), the processor that it runs on (CPUID)\n");
	check(&all, "t",
	      "possible causes in these regions: the order in which threads run (4 of them), when signals come "
	      "(handlers ran)\n");
	check(&all, "p",
	      "possible causes in these regions: none that itrace can see: they use no threads, signals, time, "
	      "random numbers or input, but data from before them may differ\n");
	/* Another run of the region. */
	profile_count(&profile, clock, nop, 1, 0);
	nondeterminism_add(&all, &profile, clock);
	check(&all, "c",
	      "possible causes in these regions: the time (RDTSC, the vDSO), random numbers (getrandom), "
	      "inodes, times and sizes of files (newfstatat), the processor that it runs on (CPUID)\n");
	nondeterminism_deinit(&all);
	profile_deinit(&profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_region_tells_what_it_depends_on)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
