#include "model_fixture.h"

#define ROWS                                          \
	HEADER "[forms]\n"                            \
	       "ADD r64, m64 | 6 | 0.5\n"             \
	       "ADD r64, imm32 | 1 | 0.25\n"          \
	       "ADD r32, imm32 | 1.1 | 0.26\n"        \
	       "ADD r16, r16 | 2 | 1\n"               \
	       "ADD m32, imm8 | 7 | 1\n"              \
	       "LOCK ADD m64, imm8 | 20 | 20\n"       \
	       "XOR r32, r32 | 1 | 0.25\n"            \
	       "SUB r64, r64 | 1 | 0.25\n"            \
	       "SUB r64, r64 (same) | 0 | 0.2\n"      \
	       "JZ rel32 | 1 | 0.5\n"                 \
	       "SHL r32, 1 | 1 | 0.5\n"               \
	       "SHL r32, cl | 3 | 2\n"                \
	       "MOVSB m8, m8 | 5 | 5\n"               \
	       "REPE CMPSB m8, m8 | 30 | 30\n"        \
	       "LOCK * m* | 17 | 17\n"                \
	       "LOCK XADD * | 19 | 19\n"              \
	       "X* | 1 | 1\n"                         \
	       "XSAVE* | - | -\n"                     \
	       "MOV m64, imm32 | - | -\n"             \
	       "MOV m32, imm32 | 4 | 1\n"             \
	       "MOV r8, r8 | 1 | 0.25\n"              \
	       "LEA r64, [b+d] | 1 | 0.5\n"           \
	       "LEA r64, [i*s+d] | 1 | 0.5\n"         \
	       "VADDPS zmm, zmm, zmm | 4 | 1\n"       \
	       "VADDPS zmm, zmm, m512 | 11 | 1\n"     \
	       "VADDPS zmm{k}, zmm, zmm | 5 | 1\n"    \
	       "VMULPS zmm{k}{z}, zmm, zmm | 5 | 1\n" \
	       "VMULPS ymm, ymm, m256 | 9 | 1\n"

struct expected {
	const char *form, *via, *rule; /* rule NULL: exact; via NULL: unknown */
};

#define RULE_1 "as if of different registers"
#define RULE_2 "immediate of another width"
#define RULE_3 "branch distance of another width"
#define RULE_4 "operand of another width"
#define RULE_4_AS_32 "as 32-bit"
#define RULE_5 "without mask, rounding or broadcast"
#define RULE_6 "same mnemonic, same kinds of operands"
#define RULE_7 "one figure for many forms"

static const struct expected expectations[] = {
	{"ADD r64, m64", "ADD r64, m64", NULL},
	{"ADD r64,m64", "ADD r64, m64", NULL},
	/* rule 1 */
	{"XOR r32, r32 (same)", "XOR r32, r32", RULE_1},
	{"SUB r64, r64 (same)", "SUB r64, r64 (same)", NULL},
	{"SUB r32, r32", "SUB r64, r64", RULE_4}, /* not the (same) form, which is as wide */
	{"SUB r32, r32 (same)", "SUB r64, r64 (same)", RULE_4},
	/* rule 2; precedes a narrower register with this immediate */
	{"ADD r64, imm8", "ADD r64, imm32", RULE_2},
	{"ADD m32, imm32", "ADD m32, imm8", RULE_2},
	{"SHL r32, imm8", "SHL r32, 1", RULE_2},
	/* rule 3 */
	{"JZ rel8", "JZ rel32", RULE_3},
	/* rule 4: wider forms, even if further away, precede narrower ones */
	{"ADD r8, r8", "ADD r16, r16", RULE_4},
	{"ADD r64, r64", "ADD r16, r16", RULE_4},
	{"ADD r16, imm32", "ADD r32, imm32", RULE_4},
	{"ADD r32, m32", "ADD r64, m64", RULE_4},
	{"ADD m64, imm8", "ADD m32, imm8", RULE_4_AS_32},
	{"ADD r16, imm16", "ADD r32, imm32", RULE_4},
	{"SHL r64, cl", "SHL r32, cl", RULE_4_AS_32},
	{"MOV r8h, r8", "MOV r8, r8", RULE_4},
	/* rule 5 */
	{"VADDPS zmm{k}{z}, zmm, zmm", "VADDPS zmm, zmm, zmm", RULE_5},
	{"VADDPS zmm, zmm, zmm{er}", "VADDPS zmm, zmm, zmm", RULE_5},
	{"VADDPS zmm, zmm, m32{1to16}", "VADDPS zmm, zmm, m512", RULE_5},
	{"VADDPS zmm{k}, zmm, m32{1to16}", "VADDPS zmm, zmm, m512", RULE_5},
	/* rule 6 */
	{"LEA r64, [b+i*s+d]", "LEA r64, [b+d]", RULE_6},
	{"LEA r32, [i*s+d]", "LEA r64, [i*s+d]", RULE_4},
	{"LEA r32, [b]", "LEA r64, [b+d]", RULE_6},
	/* rule 7: the last pattern that matches */
	{"LOCK ADD m32, r32", "LOCK * m*", RULE_7},
	{"LOCK SUB m64, imm8", "LOCK * m*", RULE_7},
	{"lock xadd m64, r64", "LOCK XADD *", RULE_7},
	{"XSAVE m4608", NULL, NULL},
	{"XLAT", "X*", RULE_7},
	/* a row without figures states that there are none */
	{"MOV m64, imm32", NULL, NULL},
	{"MOV m16, imm16", "MOV m32, imm32", RULE_4},
	/* these never fall back */
	{"LOCK ADD m32, imm8", "LOCK ADD m64, imm8", RULE_4},
	{"LOCK ADD r32, r32", NULL, NULL},
	{"REP MOVSB m8, m8", NULL, NULL},
	{"REPNE CMPSB m8, m8", NULL, NULL},
	{"CMPSB m8, m8", NULL, NULL},
	{"VADDPS ymm, ymm, ymm", NULL, NULL},
	{"VADDPS zmm, zmm, m64{1to16}", NULL, NULL},
	{"VMULPS zmm, zmm, zmm", NULL, NULL}, /* the row has an extra mask */
	{"VMULPS ymm, ymm, m32{1to4}", NULL, NULL},
	{"ADD r64, r64, r64", NULL, NULL},
	{"ADD", NULL, NULL},
	{"ADD r64, xmm", NULL, NULL},
	{"SHL r32, r32", NULL, NULL},
	{"ADD r64, m64, r8, r8, r8, r8, r8", NULL, NULL},
	{"ADD r64, ", NULL, NULL},
	{"ADD {k}, {", NULL, NULL},
	{"(undecodable)", NULL, NULL},
	{"", NULL, NULL},
};

static void lookups(void **state)
{
	struct model *model = load_text(ROWS);

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(expectations); i++) {
		const struct expected *expected = &expectations[i];
		enum cost_match match = !expected->via ? COST_UNKNOWN : expected->rule ? COST_FALLBACK : COST_EXACT;
		struct cost cost;

		model_lookup(model, expected->form, &cost);
		if (cost.match != match)
			fail_msg("%s: match %d via %s", expected->form, cost.match, cost.via);
		if (!expected->via) {
			assert_null(cost.via);
			check_figures(&cost, COST_UNKNOWN, 0, 0);
			continue;
		}
		assert_string_equal(cost.via, expected->via);
		if (expected->rule)
			assert_string_equal(cost.rule, expected->rule);
		else
			assert_null(cost.rule);
	}
	model_destroy(model);
}

static void figures_of_a_fallback(void **state)
{
	struct model *model = load_text(ROWS);
	struct cost cost;

	(void)state;
	model_lookup(model, "ADD r16, imm32", &cost);
	check_figures(&cost, COST_FALLBACK, 1100, 260);
	model_destroy(model);
}

/* Flags that mark a row's own figures as a fallback, the pairing class, and iterations. */
static void flags(void **state)
{
	struct model *model = load_text(HEADER "[forms]\n"
					       "CDQE | 3 | 3 | | | NP as32\n"
					       "LOOP rel8 | 5.5 | 5.5 | | | range NP\n"
					       "REP STOSB m8 | 9 | 9 | | | NP iteration:1.5\n"
					       "CPUID | 100 | 100 | | | relative\n"
					       "NOP | 1 | 1 | | | NPX\n");
	struct cost cost;

	(void)state;
	model_lookup(model, "CDQE", &cost);
	check_figures(&cost, COST_FALLBACK, 3000, 3000);
	assert_string_equal(cost.rule, "as 32-bit");
	assert_true(cost_has_flag(cost.flags, "NP"));
	assert_false(cost_has_flag(cost.flags, "as"));
	model_lookup(model, "LOOP rel8", &cost);
	check_figures(&cost, COST_FALLBACK, 5500, 5500);
	assert_string_equal(cost.rule, "the middle of a range");
	assert_true(cost_has_flag(cost.flags, "NP"));
	model_lookup(model, "CPUID", &cost);
	check_figures(&cost, COST_FALLBACK, 100000, 100000);
	assert_string_equal(cost.rule, "a relative's figures");
	model_lookup(model, "REP STOSB m8", &cost);
	check_figures(&cost, COST_EXACT, 9000, 9000);
	assert_int_equal(cost_total_mcyc(&cost, COST_LATENCY, 2, 10), 33000);
	model_lookup(model, "NOP", &cost);
	assert_int_equal(cost.match, COST_EXACT);
	assert_false(cost_has_flag(cost.flags, "NP"));
	model_lookup(model, "RET", &cost);
	assert_false(cost_has_flag(cost.flags, "NP"));
	model_destroy(model);
}

/* More rows than the table has room for at first. Each is found. */
static void many_rows(void **state)
{
	char *text = xcalloc(1, 4000 * 40), *at = text;
	struct model *model;

	(void)state;
	at += sprintf(at, HEADER "[forms]\n");
	for (int i = 0; i < 4000; i++)
		at += sprintf(at, "X%d r8|%d\n", i, i);
	model = load_text(text);
	assert_int_equal(model_n_rows(model), 4000);
	for (int i = 0; i < 4000; i++) {
		char form[16];
		struct cost cost;

		snprintf(form, sizeof(form), "x%d r8", i);
		model_lookup(model, form, &cost);
		assert_int_equal(cost.latency_mcyc, i * 1000);
	}
	model_destroy(model);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookups),
		cmocka_unit_test(figures_of_a_fallback),
		cmocka_unit_test(flags),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
