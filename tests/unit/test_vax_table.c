/* The installed VAX 8800 model against the printed table, and its map against sequences worked out by hand. */
#include "model_fixture.h"

#include "costmodels/model/text_file.h"
#include "vax8800_reference.h"

static void all_opcodes(void **state)
{
	struct text_file file;
	struct error err = {0};
	char *line, *cells[3];
	unsigned n_rows = 0;

	(void)state;
	assert_true(text_file_open(&file, MODELS_DIR "/vax8800.cost", 0, &err));
	do
		assert_true(text_file_next(&file, &line, &err));
	while (strcmp(line, "[opcodes]") != 0);
	for (;;) {
		uint64_t opcode;

		assert_true(text_file_next(&file, &line, &err));
		if (!line)
			break;
		assert_true(text_cut_cells(line, cells, 3));
		assert_true(text_parse_uint(cells[0], 255, &opcode));
		assert_int_equal(opcode, n_rows);
		assert_string_equal(cells[1], vax8800_reference[n_rows].mnemonic);
		assert_int_equal(atoi(cells[2]), vax8800_reference[n_rows].cycles);
		n_rows++;
	}
	assert_int_equal(n_rows, 256);
	text_file_close(&file);
}

static void header(void **state)
{
	const struct model *model = *state;
	size_t n_figures = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(vax8800_reference); i++)
		n_figures += vax8800_reference[i].cycles != 0;
	assert_string_equal(model_name(model), "vax8800");
	assert_int_equal(model_n_rows(model), n_figures);
	assert_int_equal(model_ranking_column(model), COST_LATENCY);
	assert_int_equal(model_cycle_ps(model), 45000);
	assert_int_equal(model_time_ns(model, 1000000), 45000);
	assert_true(model_is_mapped(model));
}

struct expected {
	const char *form, *via; /* via NULL: unknown */
	enum cost_match match;
	mcyc_t mcyc, per_iteration_mcyc;
};

#define E COST_EXACT
#define F COST_FALLBACK
#define U COST_UNKNOWN

static const struct expected expectations[] = {
	/* the reference's figures for exactly these operands */
	{"MOV r32, r32", "MOVL", E, 2000, 0},
	{"MOV r32, m32", "MOVL", E, 3000, 0},
	{"MOV m32, r32", "MOVL", E, 3000, 0},
	{"MOVSD m32, m32", "MOVL", E, 6000, 0},
	{"ADD r32, r32", "ADDL2", E, 3000, 0},
	{"XOR r32, r32 (same)", "CLRL", E, 2000, 0},
	{"XOR r64, r64 (same)", "CLRQ", E, 3000, 0},
	{"ADDSS xmm, xmm", "ADDF2", E, 7000, 0},
	{"VADDSS xmm, xmm, xmm", "ADDF3", E, 8000, 0},
	{"MULSS xmm, xmm", "MULF2", E, 11000, 0},
	{"VDIVSS xmm, xmm, xmm", "DIVF3", E, 36000, 0},
	{"SHL r32, imm8", "ASHL", E, 12000, 0},
	{"IMUL r32, r32", "MULL2", E, 17000, 0},
	{"IMUL r32", "EMUL", E, 21000, 0},
	{"IDIV r32", "EDIV", E, 74000, 0},
	{"JMP rel32", "BRW", E, 6000, 0},
	/* calls: JSB and RSB are 16 together */
	{"CALL rel32", "BSBW", E, 6000, 0},
	{"CALL r64", "JSB", E, 10000, 0},
	{"CALL m64", "JSB", E, 11000, 0},
	{"RET", "RSB", E, 6000, 0},
	{"PUSH r64", "PUSHL", E, 3000, 0},
	{"POP r64", "MOVL", E, 3000, 0},
	{"LEAVE", "2*MOVL", E, 5000, 0},
	{"LEA r64, [b+i*s+d]", "MOVAL", E, 2000, 0},
	{"LEA r64, [rip+d]", "MOVAB", E, 2000, 0},
	/* 64 bits */
	{"MOV r64, r64", "MOVQ", E, 3000, 0},
	{"MOV r64, m64", "MOVQ", E, 5000, 0},
	{"ADD r64, r64", "ADDL2+ADWC", E, 6000, 0},
	{"ADD m64, r64", "ADDL2+ADWC", E, 10000, 0}, /* two longwords read and written */
	{"SUB r64, imm8", "SUBL2+SBWC", E, 6000, 0},
	{"CMP r64, r64", "CMPL+BNEQ+CMPL", E, 20000, 0},
	{"NEG r64", "2*MNEGL+SBWC", E, 9000, 0},
	{"SHR r64, imm8", "2*EXTZV+ASHL+BISL2", F, 39000, 0},
	{"IMUL r64, r64", "EMUL+2*MULL3+2*ADDL2", F, 63000, 0},
	/* no equivalent instruction */
	{"AND r32, r32", "MCOML+BICL2", E, 6000, 0},
	{"AND r32, imm8", "BICL2", E, 4000, 0},
	{"SETZ r8", "CLRB+BNEQ+INCB", E, 10000, 0},
	{"CMOVZ r32, r32", "BNEQ+MOVL", E, 8000, 0},
	{"XCHG r32, r32", "3*MOVL", E, 6000, 0},
	{"BT r32, imm8", "BBS", E, 9000, 0},
	{"TEST r8, imm8", "BICB3", E, 5000, 0},
	{"BSWAP r32", "2*ROTL+BICL3+BICL2+BISL2", E, 28000, 0},
	{"LOCK CMPXCHG m32, r32", "BBSSI+CMPL+BNEQ+MOVL+BBCCI", F, 37000, 0},
	/* strings: (247 - 52) / 512 cycles a byte */
	{"REP STOSB m8", "MOVC5", E, 52000, 381},
	{"REP MOVSB m8, m8", "MOVC3", F, 69000, 381},
	{"REP MOVSW m16, m16", "MOVC3", F, 69000, 762},
	{"REP MOVSD m32, m32", "MOVC3", F, 69000, 1524},
	{"REP MOVSQ m64, m64", "MOVC3", F, 69000, 3048},
	{"REPE CMPSB m8, m8", "CMPC5", F, 17000, 4300},
	{"REPNE SCASB m8", "LOCC", F, 9000, 4300},
	{"MOVSB m8, m8", "MOVB", E, 6000, 0},
	{"STOSQ m64", "MOVQ", E, 5000, 0},
	/* doubles with F_float's figures */
	{"ADDSD xmm, xmm", "ADDF2", F, 7000, 0},
	{"COMISD xmm, m64", "CMPF", F, 10000, 0},
	{"CVTTSD2SI r32, xmm", "CVTFL", F, 15000, 0},
	{"CVTSI2SS xmm, r32", "CVTLF", E, 6000, 0},
	/* packed */
	{"MOVAPS xmm, m128", "2*MOVQ", E, 10000, 0},
	{"MOVDQU m128, xmm", "2*MOVQ", E, 10000, 0},
	{"PADDB xmm, xmm", "16*ADDB2", E, 48000, 0},
	{"PADDD xmm, m128", "4*ADDL2", E, 16000, 0},
	{"VPADDD ymm, ymm, ymm", "8*ADDL3", E, 40000, 0},
	{"ADDPS xmm, xmm", "4*ADDF2", E, 28000, 0},
	{"MULPD xmm, xmm", "2*MULF2", F, 22000, 0},
	{"PXOR xmm, xmm (same)", "2*CLRQ", E, 6000, 0},
	{"PXOR xmm, xmm", "4*XORL2", E, 12000, 0},
	{"VPXOR ymm, ymm, ymm (same)", "4*CLRQ", E, 12000, 0},
	{"PCMPEQB xmm, xmm", "16*CMPB+16*BNEQ+16*MOVB", E, 160000, 0},
	{"VPCMPEQB ymm, ymm, m256", "32*CMPB+32*BNEQ+32*MOVB", E, 328000, 0},
	{"PMOVMSKB r32, xmm", "16*TSTB+16*BGEQ+16*BISL2", E, 224000, 0},
	{"PSHUFD xmm, xmm, imm8", "4*MOVL", E, 8000, 0},
	/* instructions that a VAX does not need, and unknown ones */
	{"ENDBR64", "nothing", E, 0, 0},
	{"NOP", "MOVL", F, 2000, 0},
	{"NOP m32, r32", "MOVL", F, 2000, 0},
	{"SYSCALL", NULL, U, 0, 0}, /* CHMK was not timed */
	{"DIV r64", NULL, U, 0, 0},
	{"SQRTSD xmm, xmm", NULL, U, 0, 0},
	{"AESENC xmm, xmm", NULL, U, 0, 0},
	{"MOV r64, sreg", NULL, U, 0, 0},
	{"REPE SCASB m8", NULL, U, 0, 0}, /* SKPC was not timed */
};

static void forms(void **state)
{
	const struct model *model = *state;

	for (size_t i = 0; i < ARRAY_LENGTH(expectations); i++) {
		const struct expected *expected = &expectations[i];
		struct cost cost;

		model_lookup(model, expected->form, &cost);
		if (!cost.via != !expected->via || cost.match != expected->match || cost.latency_mcyc != expected->mcyc)
			fail_msg("%s: match %d via %s, %d mcyc", expected->form, cost.match, cost.via ? cost.via : "-",
				 (int)cost.latency_mcyc);
		check_figures(&cost, expected->match, expected->mcyc, expected->mcyc);
		assert_int_equal(cost.per_iteration_mcyc, expected->per_iteration_mcyc);
		if (expected->via)
			assert_string_equal(cost.via, expected->via);
	}
}

/* Instructions that ordinary programs and the C library's string functions (SSE2, AVX2, AVX-512) execute. */
static void common_forms_are_known(void **state)
{
	static const char *const common[] = {
		"MOV r8, m8",
		"MOV m8, imm8",
		"MOV r64, imm32",
		"MOVZX r32, m8",
		"MOVZX r32, r8h",
		"MOVSX r64, m8",
		"MOVSXD r64, r32",
		"ADD r8h, imm8",
		"ADC r64, imm8",
		"SBB r32, r32 (same)",
		"CMP m8, imm8",
		"CMP r16, m16",
		"TEST r8, r8",
		"TEST r64, r64",
		"TEST m32, imm32",
		"INC m32",
		"DEC r64",
		"NOT r8",
		"SHL r8, imm8",
		"SAR r16, imm8",
		"SHLD r64, r64, imm8",
		"ROL r16, imm8",
		"ROR r64, imm8",
		"BTS r64, r64",
		"TZCNT r32, m32",
		"JP rel8",
		"JRCXZ rel8",
		"JMP m64",
		"CALL r64",
		"RET imm16",
		"CDQE",
		"CQO",
		"XADD m32, r32",
		"LOCK XADD m64, r64",
		"LOCK INC m32",
		"MOVUPS m128, xmm",
		"MOVQ xmm, r64",
		"MOVHPS xmm, m64",
		"PUNPCKLBW xmm, xmm",
		"PSHUFD xmm, xmm, imm8",
		"PSUBB xmm, xmm",
		"PMINUB xmm, m128",
		"PMINUB xmm, xmm",
		"POR xmm, xmm",
		"PSLLDQ xmm, imm8",
		"VMOVDQU ymm, m256",
		"VPMINUB ymm, ymm, ymm",
		"VPMOVMSKB r32, ymm",
		"VZEROUPPER",
		"VPBROADCASTB ymm, xmm",
		"VPCMPB k, ymm, m256, imm8",
		"VPTESTNMB k, ymm, ymm",
		"KMOVD r32, k",
		"KORTESTD k, k",
		"VMOVDQU64 m512, zmm",
		"CVTSI2SD xmm, r64",
		"UCOMISS xmm, m32",
		"MAXSD xmm, xmm",
		"ANDPD xmm, m128",
		"UNPCKLPS xmm, xmm",
		"VFMADD231SD xmm, xmm, xmm",
		"FLD m80",
		"FSTP m64",
		"FADD st, st",
		"FXCH st",
	};
	const struct model *model = *state;

	for (size_t i = 0; i < ARRAY_LENGTH(common); i++) {
		struct cost cost;

		model_lookup(model, common[i], &cost);
		if (cost.match == COST_UNKNOWN)
			fail_msg("%s is unknown", common[i]);
		assert_true(cost.latency_mcyc > 0 || strcmp(cost.via, "nothing") == 0);
		assert_non_null(cost.reason);
	}
}

static int load_vax(void **state)
{
	struct error err = {0};

	*state = model_load(MODELS_DIR "/vax8800.cost", &err);
	if (!*state)
		fail_msg("%s", err.text);
	return 0;
}

static int destroy_vax(void **state)
{
	model_destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_opcodes),
		cmocka_unit_test_setup_teardown(header, load_vax, destroy_vax),
		cmocka_unit_test_setup_teardown(forms, load_vax, destroy_vax),
		cmocka_unit_test_setup_teardown(common_forms_are_known, load_vax, destroy_vax),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
