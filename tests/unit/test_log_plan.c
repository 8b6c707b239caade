/* Which words a block logs, and what each is made from. */
#include "engine/translate/log_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hex.h"

enum { RCX = 1, RBX = 3, RSP = 4, RDI = 7 };

static struct log_plan plan;

/* Adds instructions up to NULL; each is taken to lie at 0x1000. */
static void plan_block(const char *const *hex)
{
	plan = (struct log_plan){.stolen = 15};
	for (size_t i = 0; hex[i]; i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		struct insn insn;

		assert_true(insn_decode(bytes, hex_parse(hex[i], bytes, sizeof(bytes)), &insn));
		assert_true(log_plan_add(&plan, i, 0x1000, &insn, true));
	}
}

static void expect_word(size_t i, size_t insn, uint8_t base, uint8_t index, uint64_t constant)
{
	assert_int_equal(plan.words[i].insn, insn);
	assert_int_equal(plan.words[i].base, base);
	assert_int_equal(plan.words[i].index, index);
	assert_int_equal(plan.words[i].constant, constant);
}

static void test_stack(void **state)
{
	const char *const hex[] = {
		"53",		  /* push rbx: at RSP - 8 */
		"41 57",	  /* push r15 */
		"48 8b 44 24 08", /* mov rax, [rsp + 8] */
		"58",		  /* pop rax */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_words, 4);
	expect_word(0, 0, RSP, LOG_NONE, (uint64_t)-8);
	expect_word(1, 1, RSP, LOG_NONE, (uint64_t)-8);
	expect_word(2, 2, RSP, LOG_NONE, 8);
	expect_word(3, 3, RSP, LOG_NONE, 0);
	assert_false(plan.uses_stolen[0]);
	assert_true(plan.uses_stolen[1]);
}

static void test_sums(void **state)
{
	const char *const hex[] = {
		"48 8d 03",		/* lea rax, [rbx]: no access */
		"48 8b 54 8b 10",	/* mov rdx, [rbx + rcx * 4 + 16] */
		"48 8b 15 10 00 00 00", /* mov rdx, [rip + 16], at 0x1000 */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_words, 2);
	expect_word(0, 1, RBX, RCX, 16);
	assert_int_equal(plan.words[0].scale, 4);
	expect_word(1, 2, LOG_NONE, LOG_NONE, 0x1000 + 7 + 16);
}

static void test_segments_and_sizes(void **state)
{
	const char *const hex[] = {
		"64 48 8b 04 25 28 00 00 00", /* mov rax, fs:[0x28] */
		"67 8b 40 80",		      /* mov eax, [eax - 0x80] */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_words, 2);
	expect_word(0, 0, LOG_NONE, LOG_NONE, 0x28);
	assert_true(plan.words[0].has_fs);
	assert_false(plan.words[0].is_cut);
	expect_word(1, 1, 0, LOG_NONE, (uint64_t)-0x80);
	assert_true(plan.words[1].is_cut);
}

/* rep stosw: RDI before, and how far it got. */
static void test_length(void **state)
{
	const char *const hex[] = {"66 f3 ab", NULL};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_words, 2);
	expect_word(0, 0, RDI, LOG_NONE, 0);
	expect_word(1, 0, RDI, LOG_NONE, 0);
	assert_false(plan.words[0].is_length);
	assert_true(plan.words[1].is_length);
}

static void expect_refused(const char *hex)
{
	uint8_t bytes[INSN_MAX_BYTES];
	struct insn insn;

	assert_true(insn_decode(bytes, hex_parse(hex, bytes, sizeof(bytes)), &insn));
	plan.n_words = 3;
	assert_false(log_plan_add(&plan, 0, 0x1000, &insn, true));
	assert_int_equal(plan.n_words, 3);
	assert_true(log_plan_add(&plan, 0, 0x1000, &insn, false));
	assert_int_equal(plan.n_words, 3);
}

static void test_cannot(void **state)
{
	(void)state;
	expect_refused("f3 48 0f ae d0");	/* wrfsbase rax */
	expect_refused("67 f3 a4");		/* rep movsb with ESI, EDI and ECX */
	expect_refused("64 f3 a4");		/* rep movsb from fs:[rsi] */
	expect_refused("8f 84 24 ff ff ff 7f"); /* pop [rsp + 0x7fffffff], which is 8 more than a displacement can be */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack),  cmocka_unit_test(test_sums),   cmocka_unit_test(test_segments_and_sizes),
		cmocka_unit_test(test_length), cmocka_unit_test(test_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
