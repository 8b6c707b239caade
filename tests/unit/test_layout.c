/* How tables fit the width of a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/text/layout.h"

#define LONG_NAME "_dl_runtime_resolve_xsavec [ld-linux-x86-64.so.2]" /* 49 columns */

/* Three models: 2 + 9, 2 + 5, 2 + 7, 2 + 5, 2 + 7, 2 + 8 columns of figures. */
static void fill(struct table *table)
{
	static const char *const headings[] = {"count", "each", "skylake", "share", "zen4", "vax8800"};
	static const char *const figures[] = {"1,109,256", ">0.49", ">53,623", "100.0", ">45,190", ">577,637"};

	table_init(table, 6);
	table_add_heading(table, "function", headings);
	table_set_optional(table, 1, "each");
	table_set_optional(table, 3, "share");
	table_set_optional(table, 5, "vax8800");
	table_set_optional(table, 4, "zen4");
	table_add_row(table);
	for (size_t i = 0; i < 6; i++)
		table_set_cell(table, i, "%s", figures[i]);
	table_set_label(table, "%s", LONG_NAME);
}

/* noinline: gcc 12 takes the result for a pointer to the local variable. */
static __attribute__((noinline)) char *write_table(struct table *table, unsigned width)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	assert_non_null(out);
	table_end(table, out, width, false);
	fclose(out);
	return text;
}

static char *write_at(unsigned width)
{
	struct table table;

	fill(&table);
	return write_table(&table, width);
}

static void assert_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

/* A label may be cut to 30 columns; then "each" goes, the share, and models, the last first. A share fits again where a
 * model made room. */
static void columns_go_before_names(void **state)
{
	(void)state;
	assert_text(write_at(0), "      count   each  skylake  share     zen4   vax8800  function\n"
				 "  1,109,256  >0.49  >53,623  100.0  >45,190  >577,637  " LONG_NAME "\n");
	assert_text(write_at(85),
		    "      count   each  skylake  share     zen4   vax8800  function\n"
		    "  1,109,256  >0.49  >53,623  100.0  >45,190  >577,637  _dl_runtime_resolve_xsavec ...\n");
	assert_text(write_at(80), "      count  skylake  share     zen4   vax8800  function\n"
				  "  1,109,256  >53,623  100.0  >45,190  >577,637  _dl_runtime_resolve_xsavec [l...\n"
				  "(not shown in this width: each)\n");
	assert_text(write_at(72), "      count  skylake     zen4   vax8800  function\n"
				  "  1,109,256  >53,623  >45,190  >577,637  _dl_runtime_resolve_xsavec [...\n"
				  "(not shown in this width: each, share)\n");
	assert_text(write_at(68), "      count  skylake  share     zen4  function\n"
				  "  1,109,256  >53,623  100.0  >45,190  _dl_runtime_resolve_xsavec ...\n"
				  "(not shown in this width: each, vax8800)\n");
	assert_text(write_at(52), "      count  skylake  function\n"
				  "  1,109,256  >53,623  _dl_runtime_resolve_xsavec ...\n"
				  "(not shown in this width: each, share, vax8800,\n  zen4)\n");
}

/* If no column is left to go, labels are above the figures. */
static void labels_above_are_the_last_resort(void **state)
{
	(void)state;
	assert_text(write_at(51), "  function\n"
				  "      count  skylake  share     zen4   vax8800\n"
				  "  " LONG_NAME "\n"
				  "  1,109,256  >53,623  100.0  >45,190  >577,637\n"
				  "(not shown in this width: each)\n");
}

static size_t name_columns(const char *text)
{
	const char *name = strstr(text, "_dl");

	assert_non_null(name);
	assert_true(strstr(name, LONG_NAME "\n") || strstr(name, "...\n"));
	return strcspn(name, "\n");
}

/* At every width no line is wider, and no name is shorter than 30 columns. */
static void every_width_fits(void **state)
{
	(void)state;
	for (unsigned width = 33; width < 120; width++) {
		char *text = write_at(width);

		assert_true(name_columns(text) >= LAYOUT_LABEL_COLUMNS);
		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			assert_true(strcspn(line, "\n") <= width);
		free(text);
	}
}

/* Deep rows keep 30 columns of their names, too: their depth stands for a part of the indentation. */
static void depth_for_indentation(void **state)
{
	struct table table;

	(void)state;
	table_init(&table, 1);
	for (size_t depth = 3; depth < 22; depth += 6) {
		table_add_row(&table)->depth = depth;
		table_set_cell(&table, 0, "%zu", depth);
		table_set_label(&table, depth == 21 ? "leaf" : LONG_NAME);
	}
	assert_text(write_table(&table, 46), "   3        _dl_runtime_resolve_xsavec [ld-...\n"
					     "   9         9: _dl_runtime_resolve_xsavec ...\n"
					     "  15        15: _dl_runtime_resolve_xsavec ...\n"
					     "  21                                  21: leaf\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_go_before_names),
		cmocka_unit_test(labels_above_are_the_last_resort),
		cmocka_unit_test(every_width_fits),
		cmocka_unit_test(depth_for_indentation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
