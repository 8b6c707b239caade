#include "model_fixture.h"

#define BAD_ROW                                                                                \
	"toy.map:2: a row is 'patterns | sequence | per iteration | why' in printable ASCII; " \
	"only the third may be empty"

#define MAPPED                  \
	"itrace-cost-model 1\n" \
	"name = toy\n"          \
	"title = A toy\n"       \
	"rank = latency\n"      \
	"source = made up\n"    \
	"map = toy.map\n"       \
	"[parameters]\n"        \
	"memory_read = 1\n"     \
	"memory_write = 0.5\n"  \
	"byte = 0.381\n"        \
	"words = many\n"        \
	"[opcodes]\n"           \
	"0x00 | | 0\n"          \
	"0x01 | NOP | 0\n"      \
	"0x10 | MOVE | 2\n"     \
	"0x11 | ADD | 3.5\n"    \
	"0xFD10 | CARRY | 4\n"

static struct model *load_map(const char *rows)
{
	char *text = xasprintf("itrace-opcode-map 1\n%s", rows);
	struct model *model;

	write_file("toy.map", text);
	model = load_text(MAPPED);
	free(text);
	return model;
}

struct expected {
	const char *form, *via; /* via NULL: unknown */
	mcyc_t mcyc, per_iteration_mcyc;
};

static const char rows[] = "MOV r32, * | MOVE + read | | moves\n"
			   "MOV m*, * | MOVE + write | | moves\n"
			   "MOV r32, sreg | unknown | | the form itself wins\n"
			   "ADD r64, *; SUB r64, * | ADD + CARRY + read | | two\n"
			   "ADD m64, * | ADD + CARRY + modify | | two\n"
			   "PADDB * | n8 * ADD + read | | each\n"
			   "PADDQ * | n64 * ADD + n64 * CARRY + read | | each\n"
			   "PUSH r64 | MOVE + memory_read | | one longword\n"
			   "REP STOS* | 3 * MOVE | n8 * byte | fills\n"
			   "XCHG r*, r* | ~ 2 * MOVE | | stands in\n"
			   "ENDBR* | nothing | | leaves it out\n"
			   "NOP | NOP | | has no figure\n"
			   "CPUID | MOVE + NOP | | has no figure in part\n"
			   "V*PS x* | MOVE | | a pattern\n"
			   "V*PS * | ADD | | comes later\n";

static const struct expected expectations[] = {
	{"MOV r32, r32", "MOVE", 2000, 0},
	{"mov r32, m32", "MOVE", 3000, 0},
	{"MOV m64, r64", "MOVE", 3000, 0},
	{"MOV m8, r8", "MOVE", 2500, 0},
	{"MOV r32, sreg", NULL, 0, 0},
	{"MOV r64, r64", NULL, 0, 0},
	{"ADD r64, imm8", "ADD+CARRY", 7500, 0},
	{"SUB r64, m64", "ADD+CARRY", 9500, 0},
	{"ADD m64, r64", "ADD+CARRY", 10500, 0}, /* two longwords read and written: 3 */
	{"PADDB xmm, xmm", "16*ADD", 56000, 0},
	{"PADDB mm, m64", "8*ADD", 30000, 0},
	{"PADDB zmm{k}, zmm", "64*ADD", 224000, 0},
	{"PADDB r32", NULL, 0, 0}, /* has no elements */
	{"PADDQ mm, mm", "ADD+CARRY", 7500, 0},
	{"PADDQ ymm, m256", "4*ADD+4*CARRY", 38000, 0},
	{"PUSH r64", "MOVE", 3000, 0},
	{"REP STOSB m8", "3*MOVE", 6000, 381},
	{"REP STOSQ m64", "3*MOVE", 6000, 3048},
	{"STOSB m8", NULL, 0, 0},
	{"ENDBR64", "nothing", 0, 0},
	{"NOP", NULL, 0, 0},
	{"CPUID", NULL, 0, 0},
	{"VADDPS xmm, xmm", "MOVE", 2000, 0},
	{"VADDPSPS xmm, xmm", "MOVE", 2000, 0}, /* the first PS is not the one before the space */
	{"VADDPS ymm, xmm", "ADD", 3500, 0},	/* a '*' that is not last stops at a space */
	{"VADDPS", NULL, 0, 0},
	{"", NULL, 0, 0},
};

static void lookups(void **state)
{
	struct model *model = load_map(rows);

	(void)state;
	assert_true(model_is_mapped(model));
	assert_int_equal(model_n_rows(model), 3); /* opcodes with a figure */
	for (size_t i = 0; i < ARRAY_LENGTH(expectations); i++) {
		const struct expected *expected = &expectations[i];
		struct cost cost;

		model_lookup(model, expected->form, &cost);
		if (!expected->via != !cost.via)
			fail_msg("%s: via %s", expected->form, cost.via);
		if (expected->via)
			assert_string_equal(cost.via, expected->via);
		check_figures(&cost, expected->via ? COST_EXACT : COST_UNKNOWN, expected->mcyc, expected->mcyc);
		assert_int_equal(cost.per_iteration_mcyc, expected->per_iteration_mcyc);
	}
	model_destroy(model);
}

static void approximation(void **state)
{
	struct model *model = load_map(rows);
	struct cost cost;

	(void)state;
	model_lookup(model, "XCHG r64, r64", &cost);
	check_figures(&cost, COST_FALLBACK, 4000, 4000);
	assert_string_equal(cost.via, "2*MOVE");
	assert_string_equal(cost.rule, "approximation");
	assert_string_equal(cost.reason, "stands in");
	model_lookup(model, "NOP", &cost);
	assert_string_equal(cost.reason, "has no figure");
	assert_null(cost.rule);
	model_destroy(model);
}

static void refused_opcodes(void **state)
{
	static const char head[] = HEADER "map = toy.map\n[opcodes]\n";
	static const struct {
		const char *row, *message;
	} bad[] = {
		{"0x10 | A | 1 | x\n", "toy.cost:8: a row must be up to 3 cells of printable ASCII"},
		{"0x10 | \x1b | 1\n", "toy.cost:8: a row must be up to 3 cells of printable ASCII"},
		{"16.5 | A | 1\n", "toy.cost:8: opcode '16.5': must be 0 to 0xffff"},
		{"0x | A | 1\n", "toy.cost:8: opcode '0x': must be 0 to 0xffff"},
		{"0x10000 | A | 1\n", "toy.cost:8: opcode '0x10000': must be 0 to 0xffff"},
		{"99999999999999999999 | A | 1\n", "toy.cost:8: opcode '99999999999999999999': must be 0 to 0xffff"},
		{"0x10 | A | x\n",
		 "toy.cost:8: cycles 'x': must be 0 to 1000000 with at most 3 places, after '~' also a mnemonic"},
		{"0x10 | A | 1\n16 | B | 1\n", "toy.cost:9: opcode 0x10 already has a row in line 8"},
		{"0x10 | A | 1\n0x11 | a | 1\n", "toy.cost:9: 'a' already has a row in line 8"},
		{"0x10 | | 1\n", "toy.cost:8: opcode 0x10 has cycles but no mnemonic"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
		char *text = xasprintf("%s%s", head, bad[i].row);

		check_refused("toy.cost", text, bad[i].message);
		free(text);
	}
}

static void refused_maps(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "toy.map:1: not an opcode map: the first line must be 'itrace-opcode-map 1'"},
		{"itrace-opcode-map 2\n", "toy.map:1: not an opcode map: the first line must be 'itrace-opcode-map 1'"},
		{"itrace-opcode-map 1\nRET | MOVE\n",
		 "toy.map:2: a row is 'patterns | sequence | per iteration | why' in printable ASCII; only the third "
		 "may be empty"},
		{"itrace-opcode-map 1\nRET | - | | why\n",
		 "toy.map:2: a row is 'patterns | sequence | per iteration | why' in printable ASCII; only the third "
		 "may be empty"},
		{"itrace-opcode-map 1\nRET | MOVE | | a | b\n",
		 "toy.map:2: a row is 'patterns | sequence | per iteration | why' in printable ASCII; only the third "
		 "may be empty"},
		{"itrace-opcode-map 1\nRET | MOVE | | \x1b\n",
		 "toy.map:2: a row is 'patterns | sequence | per iteration | why' in printable ASCII; only the third "
		 "may be empty"},
		{"itrace-opcode-map 1\n | MOVE | | why\n", "toy.map:2: empty pattern"},
		{"itrace-opcode-map 1\nRET; | MOVE | | why\n", "toy.map:2: empty pattern"},
		{"itrace-opcode-map 1\nRET | ~ | | why\n", "toy.map:2: '~' has no sequence"},
		{"itrace-opcode-map 1\nRET | MOVES | | why\n",
		 "toy.map:2: 'MOVES' is neither an opcode nor a parameter of model toy"},
		{"itrace-opcode-map 1\nRET | MOVE +  + ADD | | why\n",
		 "toy.map:2: '' is neither an opcode nor a parameter of model toy"},
		{"itrace-opcode-map 1\nRET | words | | why\n",
		 "toy.map:2: parameter 'words' of model toy is 'many', which is not a number"},
		{"itrace-opcode-map 1\nRET | 0 * MOVE | | why\n",
		 "toy.map:2: count '0': must be 1 to 1000 or n8, n16, n32, n64"},
		{"itrace-opcode-map 1\nRET | 1001 * MOVE | | why\n",
		 "toy.map:2: count '1001': must be 1 to 1000 or n8, n16, n32, n64"},
		{"itrace-opcode-map 1\nRET | n12 * MOVE | | why\n",
		 "toy.map:2: count 'n12': must be 1 to 1000 or n8, n16, n32, n64"},
		{"itrace-opcode-map 1\nRET | MOVE | n * ADD | why\n",
		 "toy.map:2: count 'n': must be 1 to 1000 or n8, n16, n32, n64"},
		{"itrace-opcode-map 1\nRET | ADD + ADD + ADD + ADD + ADD + ADD + ADD + ADD + ADD | | why\n",
		 "toy.map:2: sequence has more than 8 terms"},
		{"itrace-opcode-map 1\n\nRET | ADD | | why\nCALL r64; ret | ADD | | why\n",
		 "toy.map:4: 'ret' already has a row in line 3"},
		{"itrace-opcode-map 1\nRET* | ADD | | why\nRET* | ADD | | why\n",
		 "toy.map:3: 'RET*' already has a row in line 2"},
	};

	(void)state;
	write_file("toy.cost", MAPPED);
	for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
		check_refused("toy.map", bad[i].text, bad[i].message);
}

static void missing_map(void **state)
{
	struct error err = {0};
	char *path = xasprintf("%s/toy.map", folder);
	char *expected = xasprintf("cannot read %s/toy.map: No such file or directory", folder);

	(void)state;
	write_file("toy.cost", MAPPED);
	assert_int_equal(unlink(path), 0);
	assert_null(load_file("toy.cost", &err));
	assert_string_equal(err.text, expected);
	free(path);
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookups),	cmocka_unit_test(approximation), cmocka_unit_test(refused_opcodes),
		cmocka_unit_test(refused_maps), cmocka_unit_test(missing_map),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
