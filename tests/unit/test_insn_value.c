/* Values of general registers after an instruction. */
#include "decode/insn_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "decode/insn.h"
#include "hex.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R15 = 15, CONSTANT = INSN_VALUE_CONSTANT, NEXT_VA = 0x1000 };

static bool value_of(const char *hex, struct insn_value *value)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes));
	struct insn_operands operands;

	if (!insn_operands_decode(bytes, n_bytes, &operands))
		fail_msg("%s is not decoded", hex);
	return insn_find_value(bytes, n_bytes, &operands, NEXT_VA, value);
}

static void test_known(void **state)
{
	static const struct {
		const char *hex;
		uint8_t reg, from;
		uint64_t more;
	} cases[] = {
		{"48 89 d8", RAX, RBX, 0},				/* mov rax, rbx */
		{"4c 8b c6", R8, RSI, 0},				/* mov r8, rsi */
		{"48 8d 43 10", RAX, RBX, 0x10},			/* lea rax, [rbx + 16] */
		{"48 8d 05 f0 ff ff ff", RAX, CONSTANT, 0xff0},		/* lea rax, [rip - 16] */
		{"48 83 c0 80", RAX, RAX, (uint64_t)-0x80},		/* add rax, -128 */
		{"49 81 ef 00 01 00 00", R15, R15, (uint64_t)-0x100},	/* sub r15, 256 */
		{"48 ff c1", RCX, RCX, 1},				/* inc rcx */
		{"48 ff c9", RCX, RCX, (uint64_t)-1},			/* dec rcx */
		{"b8 f0 ff ff ff", RAX, CONSTANT, 0xfffffff0},		/* mov eax, 0xfffffff0: zero-extended */
		{"48 c7 c0 f0 ff ff ff", RAX, CONSTANT, (uint64_t)-16}, /* mov rax, -16 */
		{"48 b8 88 77 66 55 44 33 22 11", RAX, CONSTANT, 0x1122334455667788}, /* mov rax, imm64 */
		{"31 d2", RDX, CONSTANT, 0},					      /* xor edx, edx */
		{"48 33 d2", RDX, CONSTANT, 0},					      /* xor rdx, rdx */
		{"53", RSP, RSP, (uint64_t)-8},					      /* push rbx */
		{"66 53", RSP, RSP, (uint64_t)-2},				      /* push bx */
		{"54", RSP, RSP, (uint64_t)-8},					      /* push rsp */
		{"6a 01", RSP, RSP, (uint64_t)-8},				      /* push 1 */
		{"ff 73 10", RSP, RSP, (uint64_t)-8},				      /* push [rbx + 16] */
		{"5b", RSP, RSP, 8},						      /* pop rbx */
		{"8f 44 24 08", RSP, RSP, 8},					      /* pop [rsp + 8] */
		{"e8 00 00 00 00", RSP, RSP, (uint64_t)-8},			      /* call */
		{"ff d0", RSP, RSP, (uint64_t)-8},				      /* call rax */
		{"c3", RSP, RSP, 8},						      /* ret */
		{"f3 c3", RSP, RSP, 8},						      /* rep ret */
		{"9c", RSP, RSP, (uint64_t)-8},					      /* pushfq */
		{"48 89 ec", RSP, RBP, 0},					      /* mov rsp, rbp */
		{"48 83 ec 28", RSP, RSP, (uint64_t)-0x28},			      /* sub rsp, 40 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct insn_value value = {0};

		if (!value_of(cases[i].hex, &value))
			fail_msg("nothing is known of %s", cases[i].hex);
		if (value.reg != cases[i].reg || value.from != cases[i].from || value.addend != cases[i].more)
			fail_msg("%s: register %u is %u and %#lx", cases[i].hex, value.reg, value.from, value.addend);
	}
}

static void test_unknown(void **state)
{
	static const char *const cases[] = {
		"48 8b 03",	  /* mov rax, [rbx] */
		"89 d8",	  /* mov eax, ebx */
		"66 b8 01 00",	  /* mov ax, 1 */
		"b0 01",	  /* mov al, 1 */
		"48 8d 04 8b",	  /* lea rax, [rbx + rcx * 4] */
		"8d 43 10",	  /* lea eax, [rbx + 16] */
		"67 48 8d 43 10", /* lea rax, [ebx + 16] */
		"83 c0 01",	  /* add eax, 1 */
		"48 83 d0 01",	  /* adc rax, 1 */
		"48 83 f8 01",	  /* cmp rax, 1 */
		"48 83 00 01",	  /* add qword [rax], 1 */
		"48 01 d8",	  /* add rax, rbx */
		"31 d0",	  /* xor eax, edx */
		"30 c0",	  /* xor al, al */
		"48 0f 44 c3",	  /* cmovz rax, rbx */
		"48 87 d8",	  /* xchg rax, rbx */
		"5c",		  /* pop rsp */
		"c2 08 00",	  /* ret 8 */
		"c8 10 00 00",	  /* enter 16, 0 */
		"c9",		  /* leave */
		"c4 e2 78 f3 c8", /* blsr eax, eax */
		"f3 48 0f ae c0", /* rdfsbase rax */
		"90",		  /* nop */
	};
	struct insn_value value;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		if (value_of(cases[i], &value))
			fail_msg("%s", cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_unknown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
