/* The timer: known answers, and children that die. */
#include "timing/clock.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "decode/encode.h"
#include "timing/child.h"

enum { ATTEMPTS = 20 };

/* Latencies of all x86-64 CPUs since 2013: Agner Fog, "Instruction tables". */
static void test_known_latencies(void **state)
{
	static const struct {
		const char *form_text;
		int64_t mcyc;
	} cases[] = {{"ADD r64, r64", 1000}, {"IMUL r64, r64", 3000}, {"ROL r64, imm8", 1000}};
	struct timed_code_state registers;
	struct error err = {0};
	struct timed_code code;
	struct clock clock;

	(void)state;
	assert_true(timed_code_init(&code, &err));
	if (!clock_init(&clock, &code, &err))
		skip();
	timed_code_state_init(&registers, 0, sizeof(uint64_t));
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct insn_choice choice = {.registers = {GENERAL_RAX, GENERAL_RBX}, .immediate = 3};
		struct timed_code_body body = {.n_copies = 100};
		struct clock_result result = {0};
		uint8_t bytes[INSN_MAX_BYTES];
		bool is_quiet = false;

		body.bytes = bytes;
		body.n_bytes = insn_encode(cases[i].form_text, &choice, bytes);
		assert_int_not_equal(body.n_bytes, 0);
		for (int attempt = 0; attempt < ATTEMPTS && !is_quiet; attempt++)
			is_quiet = clock_measure_body(&clock, &code, &body, &registers, &result) &&
				   result.spread_permille < 5;
		if (!is_quiet) {
			print_message("the clock is too noisy\n");
			timed_code_deinit(&code);
			skip();
		}
		print_message("%s: %d mcyc, spread %u permille\n", cases[i].form_text, (int)result.mcyc,
			      result.spread_permille);
		assert_in_range(result.mcyc, cases[i].mcyc * 97 / 100, cases[i].mcyc * 103 / 100);
	}
	timed_code_deinit(&code);
}

static void finish(void *argument)
{
	*(int *)argument = 42;
}

static void fault(void *argument)
{
	*(int *)argument = 42;
	__asm__ volatile("ud2");
}

static void hang(void *argument)
{
	*(int *)argument = 42;
	for (;;)
		pause();
}

static void test_children(void **state)
{
	static const struct {
		void (*function)(void *);
		enum child_end end;
	} cases[] = {{finish, CHILD_FINISHED}, {fault, CHILD_KILLED}, {hang, CHILD_TOO_LONG}};
	struct error err = {0};
	int *shared = child_allocate_shared(sizeof(*shared), &err);

	(void)state;
	assert_non_null(shared);
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		enum child_end end;

		*shared = 0;
		assert_true(child_run(cases[i].function, shared, 1, &end, &err));
		assert_int_equal(end, cases[i].end);
		assert_int_equal(*shared, 42);
	}
	child_free_shared(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_latencies),
		cmocka_unit_test(test_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
