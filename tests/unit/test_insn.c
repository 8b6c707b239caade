/* The properties of an instruction that stepping needs, and its disassembly. */
#include "decode/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "hex.h"

static struct insn decode(const char *hex)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes));
	struct insn insn;

	if (!insn_decode(bytes, n_bytes, &insn))
		fail_msg("%s is not decoded", hex);
	if (insn.length != n_bytes || memcmp(insn.bytes, bytes, n_bytes) != 0)
		fail_msg("%s is decoded with length %d", hex, insn.length);
	return insn;
}

static void test_flow(void **state)
{
	static const struct {
		const char *hex;
		enum insn_flow flow;
		int64_t displacement;
	} rows[] = {
		{"90", FLOW_NEXT, 0},
		{"48 8b 05 10 00 00 00", FLOW_NEXT, 0}, /* RIP-relative data is not a transfer */
		{"0f 44 c1", FLOW_NEXT, 0},		/* CMOVZ */
		{"74 10", FLOW_BRANCH, 16},
		{"74 fe", FLOW_BRANCH, -2},
		{"0f 85 00 01 00 00", FLOW_BRANCH, 256},
		{"0f 85 00 ff ff ff", FLOW_BRANCH, -256},
		{"e2 fe", FLOW_BRANCH, -2},		 /* LOOP */
		{"e0 10", FLOW_BRANCH, 16},		 /* LOOPNE */
		{"e3 10", FLOW_BRANCH, 16},		 /* JRCXZ */
		{"67 e3 10", FLOW_BRANCH, 16},		 /* JECXZ */
		{"c7 f8 00 01 00 00", FLOW_BRANCH, 256}, /* XBEGIN */
		{"c6 f8 01", FLOW_NEXT, 0},		 /* XABORT */
		{"0f 01 d5", FLOW_NEXT, 0},		 /* XEND */
		{"eb 80", FLOW_JUMP, -128},
		{"e9 ff ff ff 7f", FLOW_JUMP, INT32_MAX},
		{"66 e9 00 00 00 80", FLOW_JUMP, INT32_MIN}, /* Intel: 0x66 has no effect */
		{"ff e0", FLOW_JUMP_INDIRECT, 0},
		{"3e ff e0", FLOW_JUMP_INDIRECT, 0},	      /* NOTRACK */
		{"ff 25 10 00 00 00", FLOW_JUMP_INDIRECT, 0}, /* [rip+0x10] */
		{"ff 2f", FLOW_JUMP_INDIRECT, 0},	      /* far */
		{"e8 00 00 00 00", FLOW_CALL, 0},
		{"66 66 48 e8 04 00 00 00", FLOW_CALL, 4}, /* of a thread-local access */
		{"ff d0", FLOW_CALL_INDIRECT, 0},
		{"ff 15 10 00 00 00", FLOW_CALL_INDIRECT, 0},
		{"48 ff 1f", FLOW_CALL_INDIRECT, 0}, /* far */
		{"c3", FLOW_RETURN, 0},
		{"f3 c3", FLOW_RETURN, 0},
		{"c2 08 00", FLOW_RETURN, 0},
		{"cb", FLOW_RETURN, 0},
		{"48 cf", FLOW_RETURN, 0},	 /* IRETQ */
		{"48 0f 07", FLOW_RETURN, 0},	 /* SYSRET */
		{"f3 0f 01 ec", FLOW_RETURN, 0}, /* UIRET */
		{"0f 05", FLOW_SYSCALL, 0},
		{"0f 34", FLOW_SYSCALL, 0}, /* SYSENTER */
		{"cd 80", FLOW_INTERRUPT, 0},
		{"cc", FLOW_INTERRUPT, 0},
		{"f1", FLOW_INTERRUPT, 0},
		{"f4", FLOW_STOP, 0},	    /* HLT */
		{"0f 0b", FLOW_STOP, 0},    /* UD2 */
		{"0f b9 c0", FLOW_STOP, 0}, /* UD1 */
		{"0f ff c0", FLOW_STOP, 0}, /* UD0 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct insn insn = decode(rows[i].hex);

		if (insn.flow != rows[i].flow || insn.displacement != rows[i].displacement)
			fail_msg("%s: flow %d, displacement %lld", rows[i].hex, insn.flow,
				 (long long)insn.displacement);
	}
}

static void test_repeat(void **state)
{
	static const struct {
		const char *hex;
		uint8_t bits;
	} rows[] = {
		{"a4", 0},	    {"f3 a4", 64},    {"f2 a4", 64}, /* MOVS repeats for either prefix */
		{"f3 48 a5", 64},   {"67 f3 a4", 32}, {"f3 67 66 a5", 32}, {"f3 aa", 64},
		{"f3 ac", 64},	    {"f2 ae", 64},    {"f3 a6", 64},	   {"f2 67 a7", 32},
		{"f3 6c", 64},	    {"f2 6e", 64},    {"2e f3 a4", 64},	   {"f3 c3", 0}, /* REP RET */
		{"f3 90", 0},								 /* PAUSE */
		{"f2 0f 10 c1", 0},							 /* the MOVSD of SSE2 */
		{"f3 0f 6f 07", 0},							 /* MOVDQU */
		{"f3 0f b8 c1", 0},							 /* POPCNT */
		{"f3 01 c8", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct insn insn = decode(rows[i].hex);

		if (insn.rep_count_bits != rows[i].bits)
			fail_msg("%s: counter of %d bits", rows[i].hex, insn.rep_count_bits);
	}
}

static void test_interrupt_vector(void **state)
{
	(void)state;
	assert_int_equal(decode("cd 80").interrupt_vector, 0x80);
	assert_int_equal(decode("cd ff").interrupt_vector, 0xff);
	assert_int_equal(decode("cd 03").interrupt_vector, 3);
	assert_int_equal(decode("cc").interrupt_vector, 3);
	assert_int_equal(decode("f1").interrupt_vector, 1);
	assert_int_equal(decode("6a 80").interrupt_vector, 0);
}

static void test_delays_debug_trap(void **state)
{
	(void)state;
	assert_true(decode("8e d0").delays_debug_trap); /* mov ss, eax */
	assert_true(decode("48 8e d0").delays_debug_trap);
	assert_true(decode("8e 17").delays_debug_trap);	    /* mov ss, [rdi] */
	assert_false(decode("8e d8").delays_debug_trap);    /* mov ds, eax */
	assert_false(decode("8c d0").delays_debug_trap);    /* mov eax, ss */
	assert_false(decode("8b d0").delays_debug_trap);    /* mov edx, eax */
	assert_false(decode("0f b2 0f").delays_debug_trap); /* LSS does not delay the trap */
}

static void test_flags_on_stack(void **state)
{
	(void)state;
	assert_true(decode("9c").pushes_flags);
	assert_true(decode("66 9c").pushes_flags);
	assert_false(decode("9c").pops_flags);
	assert_false(decode("50").pushes_flags);
	assert_true(decode("9d").pops_flags);
	assert_true(decode("66 9d").pops_flags);
	assert_true(decode("48 cf").pops_flags);
	assert_true(decode("cf").pops_flags);
	assert_false(decode("9d").pushes_flags);
	assert_false(decode("c3").pops_flags);
	assert_false(decode("9e").pops_flags); /* SAHF does not touch TF */
}

static void test_rejected_leaves_output(void **state)
{
	static const uint8_t bytes[] = {0x48, 0x8b, 0x07, 0x06};
	struct insn insn, before;

	(void)state;
	memset(&insn, 0xa5, sizeof(insn));
	memcpy(&before, &insn, sizeof(before));
	assert_false(insn_decode(bytes, 0, &insn));
	assert_false(insn_decode(bytes, 2, &insn));
	assert_false(insn_decode(bytes + 3, 1, &insn));
	assert_memory_equal(&insn, &before, sizeof(insn));
	assert_true(insn_decode(bytes, 4, &insn));
	assert_int_equal(insn.length, 3);
}

static void test_disassembly(void **state)
{
	static const struct {
		const char *hex, *text;
	} rows[] = {
		{"48 8b 45 f8", "mov rax, [rbp-0x8]"},
		{"c7 07 0f 00 00 00", "mov dword ptr [rdi], 0xf"},
		{"74 fe", "jz 0x401000"},
		{"e8 fb 0f 00 00", "call 0x402000"},
		{"48 8d 05 f9 0f 00 00", "lea rax, [0x402000]"},
		{"f0 48 0f b1 0f", "lock cmpxchg [rdi], rcx"},
		{"f3 a4", "rep movsb"},
		{"64 48 8b 04 25 28 00 00 00", "mov rax, fs:[0x28]"},
		{"06", "(undecodable)"},
	};
	char text[64];
	uint8_t bytes[INSN_MAX_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		insn_disassemble(bytes, hex_parse(rows[i].hex, bytes, sizeof(bytes)), 0x401000, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
	insn_disassemble(bytes, hex_parse("48 8b 45 f8", bytes, sizeof(bytes)), 0, text, 8);
	assert_string_equal(text, "mov rax");
	insn_disassemble(bytes, hex_parse("06", bytes, sizeof(bytes)), 0, text, 4);
	assert_string_equal(text, "(un");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_interrupt_vector),
		cmocka_unit_test(test_delays_debug_trap),
		cmocka_unit_test(test_flags_on_stack),
		cmocka_unit_test(test_rejected_leaves_output),
		cmocka_unit_test(test_disassembly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
