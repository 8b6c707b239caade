/* Effective addresses of single instructions. */
#include "decode/insn_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "decode/insn.h"
#include "hex.h"

/* Each register holds 0x10000 times its number plus 1: RAX 0x10000, RSP 0x50000, R8 0x90000. */
#define REGISTER(number) (UINT64_C(0x10000) * ((number) + 1))
#define RSP REGISTER(GENERAL_RSP)
#define NEXT UINT64_C(0x7000)
#define FS UINT64_C(0x1000000000)
#define GS UINT64_C(0x2000000000)

static const struct row {
	const char *hex;
	size_t n_words; /* including the iterations of REP */
	uint64_t words[3];
} rows[] = {
	{"48 01 d8", 0, {0}},						/* add rax, rbx */
	{"48 8d 00", 0, {0}},						/* lea rax, [rax] */
	{"0f 1f 00", 0, {0}},						/* nop [rax] */
	{"48 8b 44 c8 f8", 1, {REGISTER(0) + REGISTER(1) * 8 - 8}},	/* mov rax, [rax + rcx * 8 - 8] */
	{"01 18", 1, {REGISTER(0)}},					/* add [rax], ebx: once, read and written */
	{"8b 05 10 00 00 00", 1, {NEXT + 16}},				/* mov eax, [rip + 16] */
	{"48 8b 04 25 28 00 00 80", 1, {UINT64_C(0xffffffff80000028)}}, /* mov rax, [-0x7fffffd8] */
	{"64 48 8b 04 25 28 00 00 00", 1, {FS + 0x28}},			/* mov rax, fs:[0x28] */
	{"65 8b 00", 1, {GS + REGISTER(0)}},				/* mov eax, gs:[rax] */
	{"67 8b 40 80", 1, {REGISTER(0) - 0x80}},			/* mov eax, [eax - 0x80] */
	{"67 8b 80 00 00 ff ff", 1, {0}},				/* mov eax, [eax - 0x10000] */
	{"67 8b 80 00 00 fe ff", 1, {0xffff0000}},			/* mov eax, [eax - 0x20000] */
	{"64 67 8b 80 00 00 fe ff", 1, {FS + 0xffff0000}},
	{"50", 1, {RSP - 8}},			  /* push rax */
	{"66 50", 1, {RSP - 2}},		  /* push ax */
	{"67 50", 1, {RSP - 8}},		  /* the prefix does not affect the stack */
	{"58", 1, {RSP}},			  /* pop rax */
	{"ff 74 24 08", 2, {RSP + 8, RSP - 8}},	  /* push [rsp + 8] */
	{"8f 44 24 08", 2, {RSP + 16, RSP}},	  /* pop [rsp + 8]: RSP is higher by then */
	{"8f 40 08", 2, {REGISTER(0) + 8, RSP}},  /* pop [rax + 8] */
	{"e8 00 00 00 00", 1, {RSP - 8}},	  /* call */
	{"ff 54 24 08", 2, {RSP + 8, RSP - 8}},	  /* call [rsp + 8] */
	{"c3", 1, {RSP}},			  /* ret */
	{"c9", 1, {REGISTER(GENERAL_RBP)}},	  /* leave */
	{"9c", 1, {RSP - 8}},			  /* pushf */
	{"a4", 2, {REGISTER(7), REGISTER(6)}},	  /* movsb: to RDI, from RSI */
	{"f3 a4", 3, {REGISTER(7), REGISTER(6)}}, /* rep movsb */
	{"67 f3 a4", 3, {REGISTER(7), REGISTER(6)}},
	{"a6", 2, {REGISTER(6), REGISTER(7)}},	 /* cmpsb */
	{"0f a3 18", 1, {REGISTER(0)}},		 /* bt [rax], ebx: without the bit offset */
	{"d7", 1, {REGISTER(3)}},		 /* xlat: without AL */
	{"c4 e2 69 90 04 8b", 1, {REGISTER(3)}}, /* vpgatherdd xmm0, [rbx + xmm1 * 4], xmm2 */
	{"49 8b 00", 1, {REGISTER(8)}},		 /* mov rax, [r8] */
	{"48 a1 88 77 66 55 44 33 22 11", 1, {UINT64_C(0x1122334455667788)}}, /* mov rax, [...] */
};

static void each_instruction_has_its_words(void **state)
{
	struct insn_registers registers = {.next_va = NEXT, .fs_base = FS, .gs_base = GS};

	(void)state;
	for (size_t i = 0; i < INSN_N_GENERAL; i++)
		registers.general[i] = REGISTER(i);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		uint64_t words[INSN_MAX_OPERANDS];
		struct insn_operands operands;
		uint8_t bytes[INSN_MAX_BYTES];
		size_t n_bytes = hex_parse(rows[i].hex, bytes, sizeof(bytes)), n_words;

		assert_true(insn_operands_decode(bytes, n_bytes, &operands));
		if (insn_count_address_entries(&operands) != rows[i].n_words)
			fail_msg("%s: %zu words", rows[i].hex, insn_count_address_entries(&operands));
		n_words = insn_find_addresses(&operands, &registers, words);
		assert_int_equal(n_words, rows[i].n_words - operands.is_repeated);
		for (size_t k = 0; k < n_words; k++)
			if (words[k] != rows[i].words[k])
				fail_msg("%s: word %zu is %#lx", rows[i].hex, k, (unsigned long)words[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_instruction_has_its_words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
