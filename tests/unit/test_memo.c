/* Decoding by the memo of an instruction's head equals decoding it again. Covers every opcode of every map, with the
 * prefixes, ModRM and SIB bytes that change its meaning, random values, truncated values, and random bytes from a
 * fixed seed. */
#include "decode/memo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "hex.h"

static uint64_t state = 1;

static uint32_t draw(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's MMIX */
	return (uint32_t)(state >> 33);
}

static void assert_same(const struct insn_known *found, const struct insn *insn, const struct insn_effects *effects)
{
	const struct insn *a = &found->insn;
	const struct insn_effects *b = &found->effects;

	assert_int_equal(a->length, insn->length);
	assert_memory_equal(a->bytes, insn->bytes, sizeof(a->bytes));
	assert_int_equal(a->displacement, insn->displacement);
	assert_int_equal(a->flow, insn->flow);
	assert_int_equal(a->rep_count_bits, insn->rep_count_bits);
	assert_int_equal(a->interrupt_vector, insn->interrupt_vector);
	assert_int_equal(a->delays_debug_trap, insn->delays_debug_trap);
	assert_int_equal(a->pushes_flags, insn->pushes_flags);
	assert_int_equal(a->pops_flags, insn->pops_flags);
	assert_int_equal(a->trailing_constant_bytes, insn->trailing_constant_bytes);
	assert_int_equal(b->rbp_displacement, effects->rbp_displacement);
	assert_int_equal(b->flags_read, effects->flags_read);
	assert_int_equal(b->flags_killed, effects->flags_killed);
	assert_int_equal(b->return_pop_bytes, effects->return_pop_bytes);
	assert_int_equal(b->copy, effects->copy);
	assert_int_equal(b->writes_only_flags, effects->writes_only_flags);
	assert_int_equal(b->is_multiword, effects->is_multiword);
	assert_int_equal(b->displacement_offset, effects->displacement_offset);
	assert_int_equal(b->condition, effects->condition);
	assert_int_equal(b->is_early_ending, effects->is_early_ending);
	assert_int_equal(b->reads_r11, effects->reads_r11);
	assert_int_equal(b->writes_r11, effects->writes_r11);
	assert_int_equal(b->depends_on_values, effects->depends_on_values);
}

static void check(struct insn_memo *memo, const uint8_t *bytes, size_t n_bytes)
{
	const struct insn_known *found = insn_memo_decode(memo, bytes, n_bytes);
	struct insn_effects effects;
	struct insn insn;

	if (!insn_decode_effects(bytes, n_bytes, &insn, &effects)) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_same(found, &insn, &effects);
}

/* Decodes twice with other values after the first n_head bytes, and once with too few bytes. */
static void check_values(struct insn_memo *memo, uint8_t *bytes, size_t n_head)
{
	for (int i = 0; i < 2; i++) {
		for (size_t j = n_head; j < INSN_MAX_BYTES; j++)
			bytes[j] = (uint8_t)draw();
		check(memo, bytes, INSN_MAX_BYTES);
	}
	check(memo, bytes, n_head + draw() % 4);
}

static void test_heads(void **unused)
{
	static const char *const before[] = {
		"",	    "48",	   "4c",	  "66",	      "67",	     "f2",
		"f3",	    "f0",	   "64",	  "65",	      "45",	     "66 49",
		"f3 48",    "0f",	   "48 0f",	  "41 0f",    "66 0f",	     "f2 0f",
		"f3 0f",    "0f 38",	   "66 0f 38",	  "66 0f 3a", "f2 48 0f 38", "c5 f8",
		"c5 71",    "c4 e2 79",	   "c4 42 f9",	  "c4 e3 79", "62 f1 7c 48", "3e",
		"2e",	    "62 72 fd 29", "8f e8 78",	  "0f 0f c1", "66 66 2e 0f", "f2 66 0f",
		"66 48 0f", "40",	   "62 f3 7d 08",
	};
	static const uint8_t modrms[] = {0x00, 0x04, 0x05, 0x1d, 0x23, 0x44, 0x65, 0x84, 0xa5, 0xc0,
					 0xc7, 0xd0, 0xd8, 0xe4, 0xec, 0xf8, 0xfb, 0x28, 0x10, 0x33};
	static const uint8_t sibs[] = {0x00, 0x24, 0x25, 0x9b};
	struct insn_memo memo = {0};

	(void)unused;
	for (size_t i = 0; i < ARRAY_LENGTH(before); i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		size_t n = hex_parse(before[i], bytes, sizeof(bytes));

		for (unsigned opcode = 0; opcode < 256; opcode++) {
			bytes[n] = (uint8_t)opcode;
			check_values(&memo, bytes, n + 1);
			for (size_t j = 0; j < ARRAY_LENGTH(modrms) * ARRAY_LENGTH(sibs); j++) {
				bytes[n + 1] = modrms[j / ARRAY_LENGTH(sibs)];
				bytes[n + 2] = sibs[j % ARRAY_LENGTH(sibs)];
				check_values(&memo, bytes, n + 3);
			}
		}
	}
	insn_memo_deinit(&memo);
}

static void test_random_bytes(void **unused)
{
	struct insn_memo memo = {0};
	uint8_t bytes[INSN_MAX_BYTES];

	(void)unused;
	for (int i = 0; i < 500000; i++) {
		for (size_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)draw();
		check(&memo, bytes, sizeof(bytes));
	}
	insn_memo_deinit(&memo);
}

/* MOV R64, IMM64 is one kind for all values; each count of a shift is a kind. */
static void test_kinds(void **unused)
{
	uint8_t move[] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, shift[] = {0x48, 0xc1, 0xe0, 0};
	struct insn_memo memo = {0};

	(void)unused;
	for (unsigned i = 0; i < 32; i++) {
		move[9] = (uint8_t)i;
		check(&memo, move, sizeof(move));
	}
	assert_int_equal(memo.n_known, 1);
	for (unsigned i = 0; i < 32; i++) {
		shift[3] = (uint8_t)i;
		check(&memo, shift, sizeof(shift));
	}
	assert_int_equal(memo.n_known, 1 + 32);
	insn_memo_deinit(&memo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
