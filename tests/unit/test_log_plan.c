/* The words that a block logs, how the others follow from them, and the addresses that they give. */
#include "engine/translate/log/log_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hex.h"

enum { RAX = 0, RCX = 1, RBX = 3, RSP = 4, RDI = 7 };

static struct log_plan plan;
static size_t insns[LOG_ADDRESSES_MAX]; /* the instructions that added an address */

/* Adds instructions up to NULL. Each is at 0x1000. */
static void plan_block(const char *const *hex)
{
	plan = (struct log_plan){.stolen = 15};
	log_plan_begin(&plan);
	for (size_t i = 0; hex[i]; i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		size_t n_before = plan.n_addresses;
		struct insn insn;

		assert_true(insn_decode(bytes, hex_parse(hex[i], bytes, sizeof(bytes)), &insn));
		assert_true(log_plan_add(&plan, i, 0x1000, &insn, true));
		for (size_t k = n_before; k < plan.n_addresses; k++)
			insns[k] = i;
	}
}

static void expect_word(size_t i, size_t insn, uint8_t base, uint8_t index, uint64_t constant)
{
	assert_int_equal(plan.logged[i].insn, insn);
	assert_int_equal(plan.logged[i].base, base);
	assert_int_equal(plan.logged[i].index, index);
	assert_int_equal(plan.logged[i].constant, constant);
}

static void expect_address(size_t i, size_t insn, uint8_t word, uint64_t offset)
{
	assert_int_equal(insns[i], insn);
	assert_int_equal(plan.addresses[i].logged, word);
	assert_int_equal(plan.addresses[i].offset, offset);
}

static void test_stack(void **state)
{
	const char *const hex[] = {
		"53",		  /* push rbx: at RSP - 8 */
		"41 57",	  /* push r15 */
		"48 8b 44 24 08", /* mov rax, [rsp + 8] */
		"58",		  /* pop rax */
		"5c",		  /* pop rsp */
		"58",		  /* pop rax: from a new address */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_logged, 2);
	expect_word(0, 0, RSP, LOG_NO_REG, 0);
	expect_word(1, 5, RSP, LOG_NO_REG, 0);
	assert_int_equal(plan.n_addresses, 6);
	expect_address(0, 0, 0, (uint64_t)-8);
	expect_address(1, 1, 0, (uint64_t)-16);
	expect_address(2, 2, 0, (uint64_t)-8);
	expect_address(3, 3, 0, (uint64_t)-16);
	expect_address(4, 4, 0, (uint64_t)-8);
	expect_address(5, 5, 1, 0);
	assert_false(plan.uses_stolen[0]);
	assert_true(plan.uses_stolen[1]);
	/* The first of these log the same words as a part of all. */
	plan_block((const char *const[]){hex[0], hex[1], hex[2], hex[3], hex[4], NULL});
	assert_int_equal(plan.n_logged, 1);
}

static void test_sums(void **state)
{
	const char *const hex[] = {
		"48 8d 03",		/* lea rax, [rbx]: no access */
		"48 8b 54 8b 10",	/* mov rdx, [rbx + rcx * 4 + 16] */
		"48 8b 15 10 00 00 00", /* mov rdx, [rip + 16], at 0x1000 */
		"48 8b 54 88 f0",	/* mov rdx, [rax + rcx * 4 - 16] */
		"48 ff c1",		/* inc rcx */
		"8b 54 88 20",		/* mov edx, [rax + rcx * 4 + 32] */
		"8b 54 c8 20",		/* mov edx, [rax + rcx * 8 + 32]: another sum */
		"8b 50 08",		/* mov edx, [rax + 8] */
		"8b 13",		/* mov edx, [rbx] */
		"48 8b 1b",		/* mov rbx, [rbx] */
		"8b 13",		/* mov edx, [rbx], which is new */
		"31 c9",		/* xor ecx, ecx */
		"8b 54 8b 04",		/* mov edx, [rbx + rcx * 4 + 4] */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_logged, 4);
	expect_word(0, 1, RBX, RCX, 16);
	assert_int_equal(plan.logged[0].scale, 4);
	expect_word(1, 6, RAX, RCX, 0x20);
	assert_int_equal(plan.logged[1].scale, 8);
	expect_word(2, 7, RAX, LOG_NO_REG, 0);
	expect_word(3, 10, RBX, LOG_NO_REG, 0);
	assert_int_equal(plan.n_addresses, 10);
	expect_address(0, 1, 0, 0);
	expect_address(1, 2, LOG_NO_REG, 0x1000 + 7 + 16);
	expect_address(2, 3, 0, (uint64_t)-32);
	expect_address(3, 5, 0, 4 + 16);
	expect_address(4, 6, 1, 0);
	expect_address(5, 7, 2, 8);
	expect_address(6, 8, 2, 0);
	expect_address(7, 9, 2, 0);
	expect_address(8, 10, 3, 0);
	expect_address(9, 12, 3, 4);
}

static void test_segments_and_sizes(void **state)
{
	const char *const hex[] = {
		"64 48 8b 04 25 28 00 00 00", /* mov rax, fs:[0x28] */
		"64 48 8b 04 25 30 00 00 00", /* mov rax, fs:[0x30] */
		"67 8b 40 80",		      /* mov eax, [eax - 0x80] */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_logged, 2);
	expect_word(0, 0, LOG_NO_REG, LOG_NO_REG, 0x28);
	assert_true(plan.logged[0].segment_base == AREA_FS);
	assert_false(plan.logged[0].is_32_bit);
	expect_word(1, 2, 0, LOG_NO_REG, (uint64_t)-0x80);
	assert_true(plan.logged[1].is_32_bit);
	expect_address(1, 1, 0, 8);
}

/* An address cut to 32 bits says nothing about one that is not cut. */
static void test_cut_is_alone(void **state)
{
	const char *const hex[] = {
		"67 8b 10", /* mov edx, [eax] */
		"67 8b 10", /* mov edx, [eax] */
		"8b 10",    /* mov edx, [rax] */
		NULL,
	};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_logged, 3);
}

/* rep stosw: RDI before, and its progress. */
static void test_length(void **state)
{
	const char *const hex[] = {"66 f3 ab", NULL};

	(void)state;
	plan_block(hex);
	assert_int_equal(plan.n_logged, 2);
	expect_word(0, 0, RDI, LOG_NO_REG, 0);
	expect_word(1, 0, RDI, LOG_NO_REG, 0);
	assert_false(plan.logged[0].is_length);
	assert_true(plan.logged[1].is_length);
}

static void expect_refused(const char *hex)
{
	uint8_t bytes[INSN_MAX_BYTES];
	struct insn insn;

	assert_true(insn_decode(bytes, hex_parse(hex, bytes, sizeof(bytes)), &insn));
	log_plan_begin(&plan);
	plan.n_logged = 3;
	assert_false(log_plan_add(&plan, 0, 0x1000, &insn, true));
	assert_int_equal(plan.n_logged, 3);
	assert_true(log_plan_add(&plan, 0, 0x1000, &insn, false));
	assert_int_equal(plan.n_logged, 3);
}

/* mov rax, [rax]: each one logs a word, up to the most that a record holds. */
static void test_full(void **state)
{
	static const uint8_t bytes[] = {0x48, 0x8b, 0x00};
	struct insn insn;

	(void)state;
	assert_true(insn_decode(bytes, sizeof(bytes), &insn));
	log_plan_begin(&plan);
	for (size_t i = 0; i < LOG_LOGGED_MAX; i++)
		assert_true(log_plan_add(&plan, i, 0x1000, &insn, true));
	assert_false(log_plan_add(&plan, LOG_LOGGED_MAX, 0x1000, &insn, true));
	assert_int_equal(plan.n_logged, LOG_LOGGED_MAX);
	assert_int_equal(plan.n_addresses, LOG_LOGGED_MAX);
}

static void test_cannot(void **state)
{
	(void)state;
	expect_refused("f3 48 0f ae d0"); /* wrfsbase rax */
	expect_refused("67 f3 a4");	  /* rep movsb with ESI, EDI and ECX */
	expect_refused("64 f3 a4");	  /* rep movsb from fs:[rsi] */
	expect_refused(
		"8f 84 0c ff ff ff 7f"); /* pop [rsp + rcx + 0x7fffffff] needs a displacement that is 8 too large */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_segments_and_sizes),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_cannot),
		cmocka_unit_test(test_cut_is_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
