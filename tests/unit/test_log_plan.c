/* Which registers a block logs, and how addresses follow from them. */
#include "engine/translate/log_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hex.h"

enum { RCX = 1, RBX = 3, RSP = 4 };

static struct log_plan plan;

/* Adds instructions up to NULL; each is taken to lie at 0x1000. */
static void plan_block(const char *const *hex)
{
	log_plan_init(&plan);
	for (size_t i = 0; hex[i]; i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		struct insn insn;

		assert_true(insn_decode(bytes, hex_parse(hex[i], bytes, sizeof(bytes)), &insn));
		assert_true(log_plan_add(&plan, i, 0x1000, &insn));
	}
}

static void expect_word(size_t i, enum log_word_kind kind, size_t slot, uint64_t constant)
{
	assert_int_equal(plan.words[i].kind, kind);
	if (plan.words[i].has_slot)
		assert_int_equal(plan.words[i].slot, slot);
	assert_int_equal(plan.words[i].constant, constant);
}

/* RSP is logged once: its changes are known. */
static void test_stack(void **state)
{
	const char *const hex[] = {
		"53",		  /* push rbx: at RSP - 8 */
		"41 57",	  /* push r15: at RSP - 16 */
		"48 83 ec 20",	  /* sub rsp, 0x20: RSP - 48 from here on */
		"48 8b 44 24 08", /* mov rax, [rsp + 8] */
		"58",		  /* pop rax: at RSP - 48, then RSP - 40 */
		"48 89 04 24",	  /* mov [rsp], rax */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_slots, 1);
	assert_int_equal(plan.slots[0].base, RSP);
	assert_int_equal(plan.slots[0].insn, 0);
	assert_int_equal(plan.n_words, 5);
	expect_word(0, WORD_SLOT, 0, (uint64_t)-8);
	expect_word(1, WORD_SLOT, 0, (uint64_t)-16);
	expect_word(2, WORD_SLOT, 0, (uint64_t)-40);
	expect_word(3, WORD_SLOT, 0, (uint64_t)-48);
	expect_word(4, WORD_SLOT, 0, (uint64_t)-40);
}

/* What is written is logged anew; sums are always. */
static void test_registers(void **state)
{
	const char *const hex[] = {
		"48 8b 03",		/* mov rax, [rbx] */
		"48 8b 4b 08",		/* mov rcx, [rbx + 8] */
		"48 8b 1b",		/* mov rbx, [rbx] */
		"48 8b 13",		/* mov rdx, [rbx] */
		"48 8b 54 8b 10",	/* mov rdx, [rbx + rcx * 4 + 16] */
		"48 8b 15 10 00 00 00", /* mov rdx, [rip + 16], at 0x1000 */
		"5c",			/* pop rsp */
		"58",			/* pop rax */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_slots, 5);
	expect_word(0, WORD_SLOT, 0, 0);
	expect_word(1, WORD_SLOT, 0, 8);
	expect_word(2, WORD_SLOT, 0, 0);
	expect_word(3, WORD_SLOT, 1, 0);
	expect_word(4, WORD_SLOT, 2, 16);
	expect_word(5, WORD_CONSTANT, 0, 0x1000 + 7 + 16);
	expect_word(6, WORD_SLOT, 3, 0);
	expect_word(7, WORD_SLOT, 4, 0);
	assert_int_equal(plan.slots[2].base, RBX);
	assert_int_equal(plan.slots[2].index, RCX);
	assert_int_equal(plan.slots[2].scale, 4);
	assert_int_equal(plan.slots[4].insn, 7);
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
	assert_int_equal(plan.n_slots, 1);
	expect_word(0, WORD_FS, 0, 0x28);
	assert_false(plan.words[0].has_slot);
	assert_int_equal(plan.words[1].kind, WORD_CUT);
	assert_int_equal((uint32_t)plan.words[1].constant, (uint32_t)-0x80);
}

/* rep movsw: RSI and RDI before, and how far one of them got. */
static void test_repetitions(void **state)
{
	const char *const hex[] = {"66 f3 a5", NULL};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_slots, 3);
	assert_int_equal(plan.n_words, 3);
	assert_true(plan.slots[2].is_after);
	expect_word(2, WORD_REPETITIONS, 2, 2);
	assert_int_equal(plan.slots[plan.words[2].before].base, plan.slots[2].base);
}

static void test_cannot(void **state)
{
	static const uint8_t sum[] = {0x4b, 0x8b, 0x04, 0x3b};		  /* mov rax, [r11 + r15] */
	static const uint8_t wrfsbase[] = {0xf3, 0x48, 0x0f, 0xae, 0xd0}; /* wrfsbase rax */
	struct insn insn;

	(void)state;
	log_plan_init(&plan);
	assert_true(insn_decode(sum, sizeof(sum), &insn));
	assert_false(log_plan_add(&plan, 0, 0x1000, &insn));
	assert_true(insn_decode(wrfsbase, sizeof(wrfsbase), &insn));
	assert_false(log_plan_add(&plan, 0, 0x1000, &insn));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_segments_and_sizes),
		cmocka_unit_test(test_repetitions),
		cmocka_unit_test(test_cannot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
