/* Operands that instructions read and write. Flags are bits of RFLAGS. */
#include "decode/insn_operands.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "decode/insn.h"
#include "hex.h"

#define AX 0x1
#define CX 0x2
#define DX 0x4
#define BX 0x8
#define SP 0x10
#define SI 0x40
#define DI 0x80
#define R8 0x100
#define R12 0x1000
#define ARITHMETIC 0x8d5 /* CF PF AF ZF SF OF */

static struct insn_operands decode(const char *hex)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes));
	struct insn_operands operands;

	if (!insn_operands_decode(bytes, n_bytes, &operands))
		fail_msg("%s is not decoded", hex);
	return operands;
}

static void general_registers(void **state)
{
	static const struct {
		const char *hex;
		uint16_t read, written, address;
		uint32_t flags_read, flags_written;
		const char *memory; /* r, w */
	} rows[] = {
		{"01 c8", AX | CX, AX, 0, 0, ARITHMETIC, ""},	       /* add eax, ecx */
		{"48 01 c8", AX | CX, AX, 0, 0, ARITHMETIC, ""},       /* add rax, rcx */
		{"00 e1", AX | CX, CX, 0, 0, ARITHMETIC, ""},	       /* add cl, ah */
		{"b4 01", 0, AX, 0, 0, 0, ""},			       /* mov ah, 1 */
		{"11 c8", AX | CX, AX, 0, 1, ARITHMETIC, ""},	       /* adc eax, ecx */
		{"ff c0", AX, AX, 0, 0, ARITHMETIC & ~1, ""},	       /* inc eax */
		{"8b 04 8b", 0, AX, BX | CX, 0, 0, "r"},	       /* mov eax, [rbx+rcx*4] */
		{"89 03", AX, 0, BX, 0, 0, "w"},		       /* mov [rbx], eax */
		{"01 03", AX, 0, BX, 0, ARITHMETIC, "rw"},	       /* add [rbx], eax */
		{"8d 04 0b", 0, AX, BX | CX, 0, 0, ""},		       /* lea eax, [rbx+rcx] */
		{"4f 8b 04 e1", 0, R8, R12 | 0x200, 0, 0, "r"},	       /* mov r8, [r9+r12*8] */
		{"42 8b 04 25 00 00 00 00", 0, AX, R12, 0, 0, "r"},    /* mov eax, [r12*1+0] */
		{"67 43 8b 04 25 00 00 00 00", 0, AX, R12, 0, 0, "r"}, /* mov eax, [r12d*1+0], REX.B too */
		{"50", AX | SP, SP, SP, 0, 0, "w"},		       /* push rax */
		{"59", SP, CX | SP, SP, 0, 0, "r"},		       /* pop rcx */
		{"f7 e1", AX | CX, AX | DX, 0, 0, ARITHMETIC, ""},     /* mul ecx */
		{"75 00", 0, 0, 0, 0x40, 0, ""},		       /* jnz */
		{"0f 44 c1", CX, AX, 0, 0x40, 0, ""},		       /* cmovz eax, ecx */
		{"a4", SI | DI, SI | DI, SI | DI, 0x400, 0, "rw"},     /* movsb */
		{"9c", SP, SP, SP, 0, 0, "w"},			       /* pushf */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct insn_operands got = decode(rows[i].hex);

		if (got.read.general != rows[i].read || got.written.general != rows[i].written ||
		    got.address != rows[i].address)
			fail_msg("%s: reads %#x, writes %#x, address %#x", rows[i].hex, got.read.general,
				 got.written.general, got.address);
		if (rows[i].hex[0] != '9' &&
		    (got.read.flags != rows[i].flags_read || got.written.flags != rows[i].flags_written))
			fail_msg("%s: reads flags %#x, writes %#x", rows[i].hex, got.read.flags, got.written.flags);
		assert_int_equal(got.reads_memory, strchr(rows[i].memory, 'r') != NULL);
		assert_int_equal(got.writes_memory, strchr(rows[i].memory, 'w') != NULL);
	}
	assert_true(decode("9c").read.flags & 1); /* PUSHF reads them all */
}

static void encoding(void **state)
{
	static const struct {
		const char *hex;
		uint8_t displacement, immediate, relative, prefixes, map;
		bool has_rex, has_modrm;
	} rows[] = {
		{"c7 40 04 01 00 00 00", 1, 4, 0, 0, 0, false, true}, /* mov dword [rax+4], 1 */
		{"48 8b 05 00 00 00 00", 4, 0, 0, 0, 0, true, true},  /* mov rax, [rip+0] */
		{"75 00", 0, 0, 1, 0, 0, false, false},
		{"0f 85 00 00 00 00", 0, 0, 4, 0, 1, false, false},
		{"66 05 01 00", 0, 2, 0, 1, 0, false, false}, /* add ax, 1 */
		{"64 66 8b 03", 0, 0, 0, 2, 0, false, true},  /* mov ax, fs:[rbx] */
		{"c8 10 00 01", 0, 3, 0, 0, 0, false, false}, /* enter 16, 1 */
		{"48 b8 00 00 00 00 00 00 00 00", 0, 8, 0, 0, 0, true, false},
		{"a8 01", 0, 1, 0, 0, 0, false, false},	  /* test al, 1 */
		{"f6 c0 01", 0, 1, 0, 0, 0, false, true}, /* test al, 1 by ModRM */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct insn_operands got = decode(rows[i].hex);

		if (got.displacement_bytes != rows[i].displacement || got.immediate_bytes != rows[i].immediate ||
		    got.relative_bytes != rows[i].relative || got.n_prefixes != rows[i].prefixes)
			fail_msg("%s: displacement %d, immediate %d, relative %d, prefixes %d", rows[i].hex,
				 got.displacement_bytes, got.immediate_bytes, got.relative_bytes, got.n_prefixes);
		assert_int_equal(got.opcode_map, rows[i].map);
		assert_int_equal(got.has_rex, rows[i].has_rex);
		assert_int_equal(got.has_modrm, rows[i].has_modrm);
		assert_int_equal(got.encoding, ENCODING_LEGACY);
	}
	assert_true(decode("67 8b 03").has_address_size_prefix);
	assert_true(decode("f3 a4").is_repeated);
	assert_false(decode("f3 c3").is_repeated); /* REP RET */
	assert_int_equal(decode("c5 f9 6f c1").encoding, ENCODING_VEX);
	assert_int_equal(decode("62 f1 7d 48 6f c1").encoding, ENCODING_EVEX);
}

static void operands(void **state)
{
	struct insn_operands add = decode("66 44 01 44 8b 10"); /* add [rbx+rcx*4+16], r8w */
	struct insn_operands push = decode("50");
	struct insn_operands high = decode("88 e1"); /* mov cl, ah */

	(void)state;
	assert_int_equal(add.operands[0].kind, OPERAND_MEMORY);
	assert_true(add.operands[0].is_read && add.operands[0].is_written && !add.operands[0].is_hidden);
	assert_int_equal(add.operands[0].bits, 16);
	assert_int_equal(add.operands[0].base.number, GENERAL_RBX);
	assert_int_equal(add.operands[0].index.number, GENERAL_RCX);
	assert_int_equal(add.operands[0].scale, 4);
	assert_int_equal(add.operands[0].displacement, 16);
	assert_int_equal(add.operands[1].kind, OPERAND_REGISTER);
	assert_true(add.operands[1].is_read && !add.operands[1].is_written);
	assert_int_equal(add.operands[1].reg.file, REGISTER_GENERAL);
	assert_int_equal(add.operands[1].reg.number, 8);
	assert_int_equal(add.operands[1].reg.bits, 16);
	assert_false(add.moves_stack);

	assert_true(push.moves_stack);
	assert_false(push.operands[0].is_hidden);
	assert_true(push.operands[1].is_hidden && push.operands[1].is_written);
	assert_int_equal(push.operands[1].reg.number, GENERAL_RSP);
	assert_int_equal(push.operands[2].kind, OPERAND_MEMORY);

	assert_int_equal(high.operands[0].reg.first_bit, 0);
	assert_int_equal(high.operands[1].reg.number, GENERAL_RAX);
	assert_int_equal(high.operands[1].reg.first_bit, 8);
	assert_int_equal(high.operands[1].reg.bits, 8);
}

static void other_files(void **state)
{
	struct insn_operands got;

	(void)state;
	got = decode("0f 58 c8"); /* addps xmm1, xmm0 */
	assert_int_equal(got.read.vector, 3);
	assert_int_equal(got.written.vector, 2);
	got = decode("c4 e2 6d 90 04 8b"); /* vpgatherdd ymm0, [rbx+ymm1*4], ymm2 */
	assert_true(got.read.vector & 2);
	assert_int_equal(got.address, BX);
	got = decode("0f fc c8"); /* paddb mm1, mm0 */
	assert_int_equal(got.read.mmx, 3);
	assert_int_equal(got.written.mmx, 2);
	got = decode("62 f1 7d 4a 6f c1"); /* vmovdqa32 zmm0{k2}, zmm1 */
	assert_int_equal(got.read.mask, 4);
	got = decode("d8 c1"); /* fadd st0, st1 */
	assert_int_equal(got.read.st, 3);
	assert_int_equal(got.written.st, 1);
	assert_int_equal(got.st_pushes, 0);
	got = decode("de c1"); /* faddp st1, st0 */
	assert_int_equal(got.written.st, 2);
	assert_int_equal(got.st_pushes, -1);
	assert_int_equal(decode("d9 06").st_pushes, 1);	 /* fld dword [rsi] */
	assert_int_equal(decode("de d9").st_pushes, -2); /* fcompp */
	got = decode("df e0");				 /* fnstsw ax */
	assert_true(got.read.x87_status && !got.written.x87_status);
	assert_int_equal(got.written.general, AX);
}

static void refused(void **state)
{
	static const uint8_t bytes[] = {0x0f, 0x0b, 0x06}; /* UD2 decodes; 06 is invalid in 64-bit mode */
	struct insn_operands got = {.n_prefixes = 99};

	(void)state;
	assert_true(insn_operands_decode(bytes, 2, &got));
	got.n_prefixes = 99;
	assert_false(insn_operands_decode(bytes + 2, 1, &got));
	assert_false(insn_operands_decode(bytes, 1, &got));
	assert_false(insn_operands_decode(bytes, 0, &got));
	assert_int_equal(got.n_prefixes, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(general_registers), cmocka_unit_test(encoding), cmocka_unit_test(operands),
		cmocka_unit_test(other_files),	     cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
