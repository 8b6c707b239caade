#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/insn.h"
#include "profile/code_fields.h"

struct row {
	const char *bytes;
	unsigned n_bytes;
	struct code_fields expected;
};

/* By the encoding of each: Intel SDM vol. 2, 2.1. */
static void fields_are_found(void **state)
{
	static const struct row rows[] = {
		{"\x90", 1, {.opcode_end = 1, .length = 1}}, /* nop */
		{"\x48\x8b\x44\x24\x08",
		 5, /* mov rax, [rsp+8] */
		 {.opcode_end = 2, .modrm = 2, .sib = 3, .displacement = 4, .n_displacement = 1, .length = 5}},
		{"\x48\x8d\x3d\x01\x02\x03\x04",
		 7, /* lea rdi, [rip+0x4030201] */
		 {.opcode_end = 2,
		  .modrm = 2,
		  .displacement = 3,
		  .n_displacement = 4,
		  .length = 7,
		  .is_rip_relative = true}},
		{"\xe8\x01\x02\x03\x04",
		 5, /* call */
		 {.opcode_end = 1,
		  .immediate = 1,
		  .n_immediate = 4,
		  .length = 5,
		  .has_target = true,
		  .transfer = CODE_CALL}},
		{"\x0f\x84\x01\x02\x03\x04",
		 6, /* jz rel32 */
		 {.opcode_end = 2,
		  .immediate = 2,
		  .n_immediate = 4,
		  .length = 6,
		  .has_target = true,
		  .transfer = CODE_CONDITIONAL}},
		{"\x66\xb8\x01\x02",
		 4,
		 {.opcode_end = 2, .immediate = 2, .n_immediate = 2, .length = 4}}, /* mov ax, imm16 */
		{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08",
		 10, /* mov rax, imm64 */
		 {.opcode_end = 2, .immediate = 2, .n_immediate = 8, .length = 10}},
		{"\xf6\xc0\x01",
		 3,
		 {.opcode_end = 1, .modrm = 1, .immediate = 2, .n_immediate = 1, .length = 3}}, /* test al, 1 */
		{"\xf6\xd0", 2, {.opcode_end = 1, .modrm = 1, .length = 2}},			/* not al */
		{"\xc5\xf8\x77", 3, {.opcode_end = 3, .length = 3}},				/* vzeroupper */
		{"\x62\xf1\x7c\x48\x28\x47\x01",
		 7, /* vmovaps zmm0, [rdi+64] */
		 {.opcode_end = 5, .modrm = 5, .displacement = 6, .n_displacement = 1, .length = 7}},
		{"\xff\xe0",
		 2,
		 {.opcode_end = 1, .modrm = 1, .length = 2, .transfer = CODE_INDIRECT_JUMP}}, /* jmp rax */
		{"\xc3", 1, {.opcode_end = 1, .length = 1, .transfer = CODE_RETURN}},
		{"\x48\x8b\x44", 3, {.opcode_end = 2, .modrm = 2, .sib = 3, .n_displacement = 1}}, /* cut */
		{"\x66", 1, {0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct code_fields fields;

		code_fields_find((const uint8_t *)rows[i].bytes, rows[i].n_bytes, &fields);
		assert_memory_equal(&fields, &rows[i].expected, sizeof(fields));
	}
}

static bool is_prefix_or_escape(unsigned byte)
{
	return (byte & 0xf0) == 0x40 || (byte & 0xe7) == 0x26 || (byte >= 0x64 && byte <= 0x67) || byte == 0xf0 ||
	       byte == 0xf2 || byte == 0xf3 || byte == 0x0f;
}

/* All that has an opcode of one or two bytes is as long as the decoder says, but for moves of control and debug registers
 * (0f 20 to 23), which take any mod of ModRM for 3. */
static void lengths_are_the_decoders(void **state)
{
	unsigned n_known = 0;

	(void)state;
	for (unsigned i = 0; i < 512 * 256; i++) {
		uint8_t opcode = (uint8_t)(i >> 8), bytes[INSN_MAX_BYTES] = {0x0f, opcode, (uint8_t)i, 0x24};
		const uint8_t *start = i >> 8 < 256 ? bytes + 1 : bytes;
		struct code_fields fields;
		struct insn insn;

		if (start == bytes ? opcode >= 0x20 && opcode <= 0x23 : is_prefix_or_escape(opcode))
			continue;
		if (!insn_decode(start, INSN_MAX_BYTES - 1, &insn))
			continue;
		code_fields_find(start, INSN_MAX_BYTES - 1, &fields);
		assert_int_equal(fields.length, insn.length);
		n_known++;
	}
	assert_in_range(n_known, 90000, 512 * 256);
}

static void targets_are_found(void **state)
{
	enum code_transfer transfer;
	uint64_t va = 0;

	(void)state;
	assert_true(code_fields_target((const uint8_t *)"\xeb\xfe", 2, 0x1000, &transfer, &va));
	assert_int_equal(va, 0x1000);
	assert_int_equal(transfer, CODE_JUMP);
	assert_true(code_fields_target((const uint8_t *)"\xe8\x00\x01\x00\x00", 5, 0x1000, &transfer, &va));
	assert_int_equal(va, 0x1105);
	assert_false(code_fields_target((const uint8_t *)"\xff\xd0", 2, 0x1000, &transfer, &va));
	assert_int_equal(transfer, CODE_INDIRECT_CALL);
	assert_false(code_fields_target((const uint8_t *)"\xe8\x00", 2, 0x1000, &transfer, &va));
	assert_int_equal(transfer, CODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_found),
		cmocka_unit_test(lengths_are_the_decoders),
		cmocka_unit_test(targets_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
