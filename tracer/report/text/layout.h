/* Lays out text for people: tables of right-aligned columns with a label at the end of each row, and paragraphs.
 *
 * All texts are escaped here, so callers pass the names of a traced program as they are.
 */
#ifndef ITRACE_REPORT_TEXT_LAYOUT_H
#define ITRACE_REPORT_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A space at which no line ends (U+00A0). Paragraphs show it as a plain space. */
#define LAYOUT_NO_BREAK "\xc2\xa0"

/* No name is cut to fewer columns. */
enum { LAYOUT_LABEL_COLUMNS = 30 };

struct table_row {
	char **cells; /* [n_columns]; NULL: empty */
	char *label;  /* NULL: none */
	size_t depth; /* the label is indented by two spaces for each level */
	bool is_heading;
	size_t highlighted; /* column, or SIZE_MAX */
};

/* Columns that go together when a table is too wide. */
struct table_option {
	char *name;
	bool is_left_out;
};

struct table {
	size_t n_columns;
	struct table_row *rows;
	size_t n_rows, rows_capacity;
	size_t *options_of;	      /* [n_columns] 1 + index in `options`; 0: the column is never left out */
	struct table_option *options; /* in the order in which they are left out */
	size_t n_options, options_capacity;
	bool prefers_labels_above; /* to leaving out columns */
	size_t label_columns;	   /* that a label keeps; table_init() sets LAYOUT_LABEL_COLUMNS */
};

void table_init(struct table *table, size_t n_columns);

/* cells[n_columns]; NULL: an empty cell. Label and cells may be NULL. */
void table_add_heading(struct table *table, const char *label, const char *const *cells);

/* Adds an empty row; the other two fill the last row. The result is valid until the next row is added. */
struct table_row *table_add_row(struct table *table);
void table_set_cell(struct table *table, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
void table_set_label(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Allows table_end() to leave out a column. Columns that are named first are left out first. name: what the reader is
 * told that is missing; NULL: the column goes with the one of the call before. */
void table_set_optional(struct table *table, size_t column, const char *name);

/* Writes the table and releases it. A column is as wide as its widest cell. Lines fit `width` (0: unlimited) if that
 * is possible. First, long labels end with "..." after at least `label_columns` columns. Then optional columns are left
 * out, as few as possible, and a line below the table names them. Then a deep label has its depth for a part of its
 * indentation. At last each label has a line of its own above its figures. */
void table_end(struct table *table, FILE *out, unsigned width, bool color);

/* Breaks text between words so that lines fit `width` if possible. Indents the lines after the first. The first
 * bold_bytes of the escaped text are bold if color. */
void paragraph_write(FILE *out, const char *text, unsigned width, size_t bold_bytes, bool color);

#endif
