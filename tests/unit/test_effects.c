#include "decode/effects.h"
#include "decode/reencode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "hex.h"

enum {
	LOGIC = FLAGS_ALL,
	SHIFTED = FLAG_CF | FLAG_PF | FLAG_ZF | FLAG_SF,
};

/* From the Intel SDM, vol. 2 and vol. 1 appendix A. */
static const struct {
	const char *hex;
	enum insn_copy copy;
	uint16_t read, killed;
	uint8_t displacement_offset;
} rows[] = {
	{"48 01 d8", COPY_SAME, 0, FLAGS_ALL, 0},	       /* add rax, rbx */
	{"48 ff c0", COPY_SAME, 0, FLAGS_ALL & ~FLAG_CF, 0},   /* inc rax */
	{"48 11 d8", COPY_SAME, FLAG_CF, FLAGS_ALL, 0},	       /* adc rax, rbx */
	{"48 21 d8", COPY_SAME, 0, LOGIC, 0},		       /* and rax, rbx */
	{"48 d3 e0", COPY_SAME, 0, 0, 0},		       /* shl rax, cl */
	{"48 c1 e0 03", COPY_SAME, 0, SHIFTED, 0},	       /* shl rax, 3 */
	{"48 c1 e0 00", COPY_SAME, 0, 0, 0},		       /* shl rax, 0 */
	{"48 c1 e0 20", COPY_SAME, 0, SHIFTED, 0},	       /* shl rax, 32 */
	{"c1 e0 20", COPY_SAME, 0, 0, 0},		       /* shl eax, 32 */
	{"f3 a6", COPY_SAME, FLAG_ZF, 0, 0},		       /* repe cmpsb */
	{"67 f3 a4", COPY_NEVER, 0, 0, 0},		       /* rep movsb with ECX */
	{"9c", COPY_SAME, FLAGS_ALL, 0, 0},		       /* pushf */
	{"9d", COPY_NEVER, 0, FLAGS_ALL, 0},		       /* popf */
	{"48 8b 05 10 00 00 00", COPY_SAME, 0, 0, 3},	       /* mov rax, [rip+0x10] */
	{"c7 05 10 00 00 00 01 00 00 00", COPY_SAME, 0, 0, 2}, /* mov dword [rip+0x10], 1 */
	{"67 8b 05 10 00 00 00", COPY_NEVER, 0, 0, 0},	       /* mov eax, [eip+0x10] */
	{"65 48 8b 04 25 28 00 00 00", COPY_SAME, 0, 0, 0},    /* mov rax, gs:[0x28] */
	{"64 48 8b 04 25 28 00 00 00", COPY_SAME, 0, 0, 0},    /* mov rax, fs:[0x28] */
	{"f3 48 0f ae c8", COPY_NEVER, 0, 0, 0},	       /* rdgsbase rax */
	{"0f b5 07", COPY_NEVER, 0, 0, 0},		       /* lgs eax, [rdi] */
	{"65 a4", COPY_NEVER, 0, 0, 0},			       /* movsb with GS */
	{"8e d0", COPY_NEVER, 0, 0, 0},			       /* mov ss, eax */
	{"48 89 ec", COPY_RBP_TO_RSP, 0, 0, 0},		       /* mov rsp, rbp */
	{"48 8d 65 d8", COPY_RBP_TO_RSP, 0, 0, 0},	       /* lea rsp, [rbp-0x28] */
	{"4c 89 c4", COPY_MOVES_RSP, 0, 0, 0},		       /* mov rsp, r8 */
	{"5c", COPY_MOVES_RSP, 0, 0, 0},		       /* pop rsp */
	{"48 83 c4 08", COPY_SAME, 0, FLAGS_ALL, 0},	       /* add rsp, 8 */
	{"74 05", COPY_TRANSFER, FLAG_ZF, 0, 0},	       /* jz */
	{"e2 fe", COPY_TRANSFER, 0, 0, 0},		       /* loop */
	{"67 e2 fe", COPY_NEVER, 0, 0, 0},		       /* loop with ECX */
	{"c7 f8 00 00 00 00", COPY_NEVER, 0, 0, 0},	       /* xbegin */
	{"c3", COPY_TRANSFER, 0, 0, 0},			       /* ret */
	{"cb", COPY_NEVER, 0, 0, 0},			       /* retf */
	{"ff 25 10 00 00 00", COPY_TRANSFER, 0, 0, 2},	       /* jmp [rip+0x10] */
	{"ff 2c 24", COPY_NEVER, 0, 0, 0},		       /* jmp far [rsp] */
	{"0f 05", COPY_SYSCALL, 0, 0, 0},		       /* syscall */
	{"cd 80", COPY_NEVER, 0, 0, 0},			       /* int 0x80 */
};

static struct insn_effects decode(const char *hex)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes));
	struct insn_effects found;
	struct insn insn;

	assert_true(insn_decode_effects(bytes, n_bytes, &insn, &found));
	return found;
}

static void effects(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct insn_effects found = decode(rows[i].hex);

		if (found.copy != rows[i].copy || found.displacement_offset != rows[i].displacement_offset)
			fail_msg("%s: copy %d, displacement at %u", rows[i].hex, (int)found.copy,
				 found.displacement_offset);
		if (found.copy == COPY_NEVER)
			continue;
		if (found.copy != COPY_SYSCALL && found.flags_read != rows[i].read)
			fail_msg("%s reads 0x%x", rows[i].hex, found.flags_read);
		if (found.copy != COPY_SYSCALL && found.flags_killed != rows[i].killed)
			fail_msg("%s kills 0x%x", rows[i].hex, found.flags_killed);
	}
}

static void details(void **state)
{
	(void)state;
	assert_int_equal(decode("48 8d 65 d8").rbp_displacement, -0x28);
	assert_int_equal(decode("c2 08 00").return_pop_bytes, 8);
	/* The displacement of the long form contains bytes that look like a short form's opcode. */
	assert_int_equal(decode("0f 85 72 72 73 e0").condition, 5);
	assert_int_equal(decode("7e ee").condition, 14);
	assert_int_equal(decode("e3 ee").condition, CONDITION_COUNTER);
	assert_true(decode("48 11 d8").is_multiword);  /* adc rax, rbx */
	assert_true(decode("48 f7 d8").is_multiword);  /* neg rax */
	assert_false(decode("48 f7 d0").is_multiword); /* not rax */
	assert_false(decode("48 01 d8").is_multiword); /* add rax, rbx */
}

static const struct {
	const char *insn;
	bool reads, writes;
} uses_of_r11[] = {
	{"4c 89 d8", true, false},	 /* mov rax, r11 */
	{"49 89 c3", false, true},	 /* mov r11, rax */
	{"41 89 c3", false, true},	 /* mov r11d, eax */
	{"66 41 89 c3", true, true},	 /* mov r11w, ax: the rest stays */
	{"41 b3 01", true, true},	 /* mov r11b, 1 */
	{"49 83 c3 08", true, true},	 /* add r11, 8 */
	{"45 31 db", true, true},	 /* xor r11d, r11d */
	{"4c 0f 44 d8", true, true},	 /* cmove r11, rax */
	{"4c 0f bc d8", true, true},	 /* bsf r11, rax: it stays if RAX is 0 */
	{"f3 4c 0f bd d8", true, true},	 /* lzcnt r11, rax */
	{"f3 49 0f 1e cb", true, true},	 /* rdsspq r11: without a shadow stack it stays */
	{"41 5b", false, true},		 /* pop r11 */
	{"41 53", true, false},		 /* push r11 */
	{"4d 8b 1b", true, true},	 /* mov r11, [r11] */
	{"4a 8d 04 18", true, false},	 /* lea rax, [rax+r11] */
	{"41 ff 23", true, false},	 /* jmp [r11] */
	{"4c 0f b1 1f", true, false},	 /* cmpxchg [rdi], r11 */
	{"4c 0f c1 1f", true, true},	 /* xadd [rdi], r11 */
	{"4c 89 d1", false, false},	 /* mov rcx, r10 */
	{"c4 c2 79 f7 c3", true, false}, /* shlx eax, r11d, eax */
};

static void register_11(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(uses_of_r11); i++) {
		struct insn_effects found = decode(uses_of_r11[i].insn);

		if (found.reads_r11 != uses_of_r11[i].reads || found.writes_r11 != uses_of_r11[i].writes)
			print_error("%s\n", uses_of_r11[i].insn);
		assert_int_equal(found.reads_r11, uses_of_r11[i].reads);
		assert_int_equal(found.writes_r11, uses_of_r11[i].writes);
	}
}

/* Each transfer, and the load of its target into R11. */
static const struct {
	const char *transfer, *load;
	uint8_t displacement_offset;
} loads[] = {
	{"ff e0", "4c 8b d8", 0},				      /* jmp rax */
	{"41 ff e3", "4d 8b db", 0},				      /* jmp r11 */
	{"ff d1", "4c 8b d9", 0},				      /* call rcx */
	{"ff 25 10 00 00 00", "4c 8b 1d 10 00 00 00", 3},	      /* jmp [rip+0x10] */
	{"f2 ff 25 10 00 00 00", "4c 8b 1d 10 00 00 00", 3},	      /* bnd jmp [rip+0x10] */
	{"43 ff 54 ac 20", "4f 8b 5c ac 20", 0},		      /* call [r12+r13*4+0x20] */
	{"64 ff 14 25 10 00 00 00", "64 4c 8b 1c 25 10 00 00 00", 0}, /* call fs:[0x10] */
	{"3e ff e0", "4c 8b d8", 0},				      /* notrack jmp rax */
};

static void load_target(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(loads); i++) {
		uint8_t transfer[INSN_MAX_BYTES], bytes[INSN_MAX_BYTES], expected[INSN_MAX_BYTES], offset;
		size_t n_transfer = hex_parse(loads[i].transfer, transfer, sizeof(transfer));
		size_t n_expected = hex_parse(loads[i].load, expected, sizeof(expected));
		struct insn insn;

		assert_true(insn_decode(transfer, n_transfer, &insn));

		assert_int_equal(insn_encode_target_load(&insn, bytes, &offset), n_expected);
		assert_memory_equal(bytes, expected, n_expected);
		assert_int_equal(offset, loads[i].displacement_offset);
	}
}

/* Each instruction, and its copy with [r11] or [rcx]; "": there is none. */
static const struct {
	const char *far, *changed;
	uint8_t reg;
} far_operands[] = {
	{"48 8b 05 10 00 00 00", "49 8b 03", INSN_R11},			     /* mov rax, [rip+0x10] */
	{"8b 05 10 00 00 00", "41 8b 03", INSN_R11},			     /* mov eax, [rip+0x10] */
	{"44 8b 05 10 00 00 00", "45 8b 03", INSN_R11},			     /* mov r8d, [rip+0x10] */
	{"c7 05 10 00 00 00 01 00 00 00", "41 c7 03 01 00 00 00", INSN_R11}, /* mov dword [rip+0x10], 1 */
	{"f0 ff 05 10 00 00 00", "f0 41 ff 03", INSN_R11},		     /* lock inc dword [rip+0x10] */
	{"66 0f 6f 0d 10 00 00 00", "66 41 0f 6f 0b", INSN_R11},	     /* movdqa xmm1, [rip+0x10] */
	{"66 0f 38 00 05 10 00 00 00", "66 41 0f 38 00 03", INSN_R11},	     /* pshufb xmm0, [rip+0x10] */
	{"c5 f9 6f 05 10 00 00 00", "c4 c1 79 6f 03", INSN_R11},	     /* vmovdqa xmm0, [rip+0x10] */
	{"c4 e2 7d 58 05 10 00 00 00", "c4 c2 7d 58 03", INSN_R11},	     /* vpbroadcastd ymm0, [rip+0x10] */
	{"62 f1 7c 48 28 05 10 00 00 00", "62 d1 7c 48 28 03", INSN_R11},    /* vmovaps zmm0, [rip+0x10] */
	{"40 8a 25 10 00 00 00", "41 8a 23", INSN_R11},			     /* mov spl, [rip+0x10] */
	{"8a 25 10 00 00 00", "", INSN_R11},			    /* mov ah, [rip+0x10]: not with a REX prefix */
	{"0f 0f 05 10 00 00 00 9e", "", INSN_R11},		    /* pfadd mm0, [rip+0x10] */
	{"48 8b 03", "", INSN_R11},				    /* mov rax, [rbx] */
	{"48 01 d8", "", INSN_R11},				    /* add rax, rbx */
	{"65 48 8b 04 25 28 00 00 00", "49 8b 03", INSN_R11},	    /* mov rax, gs:[0x28] */
	{"65 4a 8b 44 e3 10", "4b 8b 03", INSN_R11},		    /* mov rax, gs:[rbx+r12*8+0x10] */
	{"65 4d 8b 5c 24 08", "4c 8b 19", INSN_RCX},		    /* mov r11, gs:[r12+8] */
	{"66 65 41 c7 03 01 00", "66 40 c7 01 01 00", INSN_RCX},    /* mov word gs:[r11], 1 */
	{"65 c4 c1 79 6f 43 10", "c4 e1 79 6f 01", INSN_RCX},	    /* vmovdqa xmm0, gs:[r11+0x10] */
	{"65 62 d1 7c 48 28 43 01", "62 f1 7c 48 28 01", INSN_RCX}, /* vmovaps zmm0, gs:[r11+0x40] */
	{"65 c5 f9 6f 03", "c4 c1 79 6f 03", INSN_R11},		    /* vmovdqa xmm0, gs:[rbx] */
	{"44 8b 1d 10 00 00 00", "44 8b 19", INSN_RCX},		    /* mov r11d, [rip+0x10] */
	{"8a 25 10 00 00 00", "8a 21", INSN_RCX},		    /* mov ah, [rip+0x10] */
	{"48 8b 0d 10 00 00 00", "", INSN_RCX},			    /* mov rcx, [rip+0x10] */
	{"65 4c 8b 1c 08", "", INSN_RCX},			    /* mov r11, gs:[rax+rcx] */
	{"65 44 d3 1c 25 10 00 00 00", "", INSN_RCX},		    /* rcr dword gs:[0x10], cl */
};

static void address_by_register(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(far_operands); i++) {
		uint8_t far[INSN_MAX_BYTES], bytes[INSN_MAX_BYTES], expected[INSN_MAX_BYTES];
		size_t n_far = hex_parse(far_operands[i].far, far, sizeof(far));
		size_t n_expected = hex_parse(far_operands[i].changed, expected, sizeof(expected));
		struct insn insn;

		assert_true(insn_decode(far, n_far, &insn));
		assert_int_equal(insn_encode_with_base(&insn, far_operands[i].reg, bytes), n_expected);
		assert_memory_equal(bytes, expected, n_expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effects),
		cmocka_unit_test(details),
		cmocka_unit_test(register_11),
		cmocka_unit_test(load_target),
		cmocka_unit_test(address_by_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
