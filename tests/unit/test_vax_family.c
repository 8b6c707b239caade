/* The other VAX models against the printed table: every measured figure, the sums of pairs, and the rules for the
 * rest (costmodels/README.md, "The VAX family"). */
#include "model_fixture.h"

#include "costmodels/model/text_file.h"
#include "vax_family_reference.h"

static const char *const names[N_FAMILY] = {"microvax2", "vax780", "vax8200", "vax8600"};
static const unsigned cycle_ns[N_FAMILY] = {200, 200, 200, 80};

/* The last cells of a model's rows, and its parameters, by name. */
struct cells {
	struct text_file file;
	const char *keys[300], *values[300];
	size_t n;
};

static void read_cells(struct cells *cells, const char *name)
{
	char *path = xasprintf(MODELS_DIR "/%s.cost", name);
	struct error err = {0};
	char *line, *row[3];

	*cells = (struct cells){0};
	assert_true(text_file_open(&cells->file, path, 0, &err));
	for (;;) {
		assert_true(text_file_next(&cells->file, &line, &err));
		if (!line)
			break;
		if (!strchr(line, '|') && !text_cut_assignment(line, &row[1], &row[2]))
			continue;
		if (strchr(line, '|'))
			assert_true(text_cut_cells(line, row, 3));
		assert_true(cells->n < ARRAY_LENGTH(cells->keys));
		cells->keys[cells->n] = row[1];
		cells->values[cells->n++] = row[2];
	}
	free(path);
}

static const char *cell(const struct cells *cells, const char *key)
{
	for (size_t i = 0; i < cells->n; i++)
		if (strcmp(cells->keys[i], key) == 0)
			return cells->values[i];
	fail_msg("no %s", key);
	return NULL;
}

/* Thousandths of a microsecond. Figures that were not measured must be marked, and no others. */
static int64_t figure(const struct cells *cells, const char *key, bool is_measured)
{
	const char *text = cell(cells, key);
	int64_t milli = -1;

	if (*text == '~' ? is_measured : !is_measured)
		fail_msg("%s of %s: '%s'", key, cells->file.path, text);
	assert_true(text_parse_milli(text + (is_measured ? 0 : 2), &milli));
	return milli;
}

static int64_t printed(const char *text, size_t machine)
{
	for (size_t i = 0; i < ARRAY_LENGTH(vax_family_reference); i++)
		if (strcmp(vax_family_reference[i].text, text) == 0)
			return vax_family_reference[i].centi_us[machine] * 10;
	fail_msg("no %s", text);
	return 0;
}

/* A share of a printed figure, rounded half up. */
static int64_t share(int64_t milli, int64_t part, int64_t whole)
{
	return (milli * part * 2 + whole) / (whole * 2);
}

static void measured(void **state)
{
	size_t n_single = 0;

	(void)state;
	for (size_t machine = 0; machine < N_FAMILY; machine++) {
		struct cells cells;

		read_cells(&cells, names[machine]);
		for (size_t i = 0; i < ARRAY_LENGTH(vax_family_reference); i++) {
			const char *text = vax_family_reference[i].text;
			char mnemonic[16] = "";

			/* MOVL with memory operands and MOVC5 with a length are parameters. '+' joins a pair. */
			if (strchr(text, '+') || strstr(text, "Mem") || strstr(text, "MOVC5"))
				continue;
			strncat(mnemonic, text, strcspn(text, " "));
			assert_int_equal(figure(&cells, mnemonic, true),
					 vax_family_reference[i].centi_us[machine] * 10);
			n_single++;
		}
		text_file_close(&cells.file);
	}
	assert_int_equal(n_single, 24 * N_FAMILY);
}

static void split_pairs(void **state)
{
	/* The cycles of each part in vax8800's table, and the cycles of the pair that remain for the first part. */
	static const struct {
		const char *pair, *first, *second;
		int first_cycles, cycles;
	} pairs[] = {
		{"TSTL + BLEQ", "TSTL", "BLEQ", 5, 11},
		{"JSB + RSB", "JSB", "RSB", 10, 16},
		{"INSQUE + REMQUE", "INSQUE", "REMQUE", 28, 43},
		{"INSQHI + REMQHI", "INSQHI", "REMQHI", 150, 224},
		{"CALLS #0,Rtn + RET, 5 GPRs", "CALLS", "RET", 50, 61},
	};

	(void)state;
	for (size_t machine = 0; machine < N_FAMILY; machine++) {
		struct cells cells;

		read_cells(&cells, names[machine]);
		for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
			int64_t both = printed(pairs[i].pair, machine);
			int64_t first = figure(&cells, pairs[i].first, false);

			assert_int_equal(first, share(both, pairs[i].first_cycles, pairs[i].cycles));
			assert_int_equal(first + figure(&cells, pairs[i].second, false), both);
		}
		assert_int_equal(figure(&cells, "CMPL", false) + figure(&cells, "BLEQ", false),
				 printed("CMPL + BLEQ", machine));
		assert_int_equal(figure(&cells, "CALLS", false) - figure(&cells, "CALLG", false),
				 printed("CALLS #0,Rtn + RET, 0 GPRs", machine) -
					 printed("CALLG #0,Rtn + RET, 0 GPRs", machine));
		text_file_close(&cells.file);
	}
}

static int64_t parameter(const struct cells *cells, const char *key)
{
	int64_t milli = -1;

	assert_true(text_parse_milli(cell(cells, key), &milli));
	return milli;
}

static void memory_and_strings(void **state)
{
	(void)state;
	for (size_t machine = 0; machine < N_FAMILY; machine++) {
		int64_t move = printed("MOVL Reg,Reg", machine);
		int64_t fill = printed("MOVC5 #0,(R1),#0,#512,BLOCK", machine);
		int64_t compare = printed("CMPC3 Reg,(Reg),(Reg), 10 chr", machine);
		struct cells cells;

		read_cells(&cells, names[machine]);
		assert_int_equal(parameter(&cells, "memory_read"), printed("MOVL Mem,Reg", machine) - move);
		assert_int_equal(parameter(&cells, "memory_write"), printed("MOVL Reg,Mem", machine) - move);
		assert_int_equal(parameter(&cells, "memory_move"), printed("MOVL Mem,Mem", machine) - move);
		assert_int_equal(figure(&cells, "PUSHL", false), printed("MOVL Reg,Mem", machine));
		assert_int_equal(figure(&cells, "MOVC5", false), share(fill, 52, 247));
		assert_int_equal(parameter(&cells, "string_byte"), share(fill - share(fill, 52, 247), 1, 512));
		assert_int_equal(figure(&cells, "CMPC5", false), share(compare, 17, 60));
		assert_int_equal(parameter(&cells, "compare_byte"), share(compare - share(compare, 17, 60), 1, 10));
		text_file_close(&cells.file);
	}
}

static void check_form(const struct model *model, const char *form, enum cost_match match, mcyc_t mcyc)
{
	struct cost cost;

	model_lookup(model, form, &cost);
	if (cost.match != match || cost.latency_mcyc != mcyc)
		fail_msg("%s on %s: match %d, %d mcyc", form, model_name(model), (int)cost.match,
			 (int)cost.latency_mcyc);
}

static void loaded(void **state)
{
	(void)state;
	for (size_t machine = 0; machine < N_FAMILY; machine++) {
		char *path = xasprintf(MODELS_DIR "/%s.cost", names[machine]);
		struct error err = {0};
		struct model *model = model_load(path, &err);
		/* Microseconds to cycles: 0.44 us are 2.2 cycles of 200 ns. */
		mcyc_t mcyc_per_us = 1000000 / cycle_ns[machine];
		struct cost cost;

		if (!model)
			fail_msg("%s", err.text);
		assert_int_equal(model_cycle_ps(model), cycle_ns[machine] * 1000);
		check_form(model, "MOV r32, r32", COST_EXACT, printed("MOVL Reg,Reg", machine) * mcyc_per_us / 1000);
		check_form(model, "MOV r32, m32", COST_EXACT, printed("MOVL Mem,Reg", machine) * mcyc_per_us / 1000);
		check_form(model, "ADD m32, r32", COST_EXACT,
			   (printed("ADDL2 Reg,Reg", machine) + printed("MOVL Mem,Reg", machine) +
			    printed("MOVL Reg,Mem", machine) - 2 * printed("MOVL Reg,Reg", machine)) *
				   mcyc_per_us / 1000);
		check_form(model, "SUB r32, r32", COST_FALLBACK,
			   printed("ADDL2 Reg,Reg", machine) * mcyc_per_us / 1000);
		check_form(model, "BSF r32, r32", COST_UNKNOWN,
			   0); /* neither FFS nor a similar instruction was measured */
		model_lookup(model, "SUB r32, r32", &cost);
		assert_string_equal(cost.rule, "by the figure of a like opcode");
		model_destroy(model);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured),
		cmocka_unit_test(split_pairs),
		cmocka_unit_test(memory_and_strings),
		cmocka_unit_test(loaded),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
