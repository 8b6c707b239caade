/* Lays out text for people: a table of right-aligned columns with a label at the end of each line, and paragraphs.
 *
 * Texts are UTF-8 without control characters: names are escaped before they come here.
 */
#ifndef ITRACE_REPORT_TEXT_LAYOUT_H
#define ITRACE_REPORT_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LAYOUT_BOLD "\033[1m"
#define LAYOUT_HIGHLIGHT "\033[1;33m"
#define LAYOUT_RESET "\033[0m"

/* In a paragraph: a space at which no line ends. */
#define LAYOUT_NO_BREAK "\x1f"

struct table_row {
	char **cells; /* [n_columns]; NULL: empty */
	char *label;  /* NULL: none */
	bool is_heading;
	size_t highlighted; /* column, or SIZE_MAX */
};

struct table {
	size_t n_columns;
	struct table_row *rows;
	size_t n_rows, rows_capacity;
};

void table_init(struct table *table, size_t n_columns);
void table_deinit(struct table *table);

/* Adds an empty line; the other two fill the last one. They copy the text. */
struct table_row *table_add_row(struct table *table);
void table_set_cell(struct table *table, size_t column, const char *text);
void table_set_label(struct table *table, const char *text);

/* Columns are as wide as their widest cell. Where a line is wider than `width` (0: unlimited) the end of its label is
 * cut and reads "..."; figures are never cut. Where they leave no room for labels, each has a line of its own above its
 * figures. */
void table_write(const struct table *table, FILE *out, unsigned width, bool color);

/* Breaks text between words so that lines fit `width` where possible; lines after the first are indented. The first
 * bold_bytes of the text are bold if color. */
void paragraph_write(FILE *out, const char *text, unsigned width, size_t bold_bytes, bool color);

#endif
