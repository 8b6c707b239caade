/* Timing of forms: known figures of all recent CPUs, and forms that are not timed. */
#include "timing/instruction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

enum { ATTEMPTS = 20 };

static const struct instruction_latency *find(const struct instruction_timing *timing, const char *from, const char *to)
{
	for (size_t i = 0; i < timing->n_latencies; i++)
		if (strcmp(timing->latencies[i].from, from) == 0 && strcmp(timing->latencies[i].to, to) == 0)
			return &timing->latencies[i];
	return NULL;
}

/* Agner Fog, "Instruction tables": the same on all x86-64 CPUs since Haswell and Zen 1. */
static void test_known_latencies(void **state)
{
	static const struct {
		const char *form_text, *from, *to;
		int64_t mcyc;
	} cases[] = {
		{"ADD r64, r64", "1", "1", 1000},
		{"ADD r64, r64", "2", "1", 1000},
		{"SUB r32, imm8", "1", "1", 1000},
		{"CMP r64, r64", "2", "flags", 1000},
		{"IMUL r64, r64", "2", "1", 3000},
		{"IMUL r32, r32, imm8", "2", "1", 3000},
		{"SHL r64, imm8", "1", "1", 1000},
		{"AND r64, r64", "2", "1", 1000},
		{"PSHUFD xmm, xmm, imm8", "2", "1", 1000},
		/* Needs AVX-512. The mask is as early as the other sources. */
		{"VPBLENDMD xmm{k}, xmm, xmm", "k", "1", 1000},
	};
	struct instruction_timer timer;
	struct error err = {0};

	(void)state;
	if (!instruction_timer_init(&timer, 0, &err)) {
		print_message("%s\n", err.text);
		skip();
	}
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		int64_t least_mcyc = cases[i].mcyc * 96 / 100, most_mcyc = cases[i].mcyc * 104 / 100, mcyc = 0;

		if (strchr(cases[i].form_text, '{') && timed_code_widest_vectors() < TIMED_CODE_ZMM)
			continue;
		/* A busy machine disturbs even a time with a small spread. A wrong method is wrong in each attempt. */
		for (int j = 0; j < ATTEMPTS && (mcyc < least_mcyc || mcyc > most_mcyc); j++) {
			const struct instruction_latency *latency;
			struct instruction_timing timing = {0};

			instruction_measure(&timer, cases[i].form_text, &timing);
			assert_true(timing.is_encoded);
			latency = find(&timing, cases[i].from, cases[i].to);
			if (timing.has_throughput && !latency)
				fail_msg("%s has no latency %s>%s", cases[i].form_text, cases[i].from, cases[i].to);
			if (latency && latency->spread_permille < 5)
				mcyc = latency->mcyc;
		}
		if (!mcyc) {
			print_message("the clock is too noisy\n");
			instruction_timer_deinit(&timer);
			skip();
		}
		if (mcyc < least_mcyc || mcyc > most_mcyc)
			fail_msg("%s, %s>%s: %d mcyc", cases[i].form_text, cases[i].from, cases[i].to, (int)mcyc);
	}
	instruction_timer_deinit(&timer);
}

static void test_not_timed(void **state)
{
	static const char *const forms[] = {"JMP rel32",
					    "JZ rel8",
					    "RET",
					    "CALL r64",
					    "PUSH r64",
					    "POP r64",
					    "HLT",
					    "SYSCALL",
					    "CPUID",
					    "REP MOVSB m8, m8",
					    "LDMXCSR m32",
					    "FXRSTOR m4096",
					    "XRSTOR m4608",
					    "FLD m64",
					    "MOV r64, moffs64",
					    "LOCK * m*",
					    "",
					    "NONSENSE"};
	struct instruction_timer timer;
	struct error err = {0};

	(void)state;
	if (!instruction_timer_init(&timer, 0, &err))
		skip();
	for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
		struct instruction_timing timing = {0};

		instruction_measure(&timer, forms[i], &timing);
		if (timing.is_encoded || timing.has_throughput)
			fail_msg("%s is timed", forms[i]);
	}
	instruction_timer_deinit(&timer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_latencies),
		cmocka_unit_test(test_not_timed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
