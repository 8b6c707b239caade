/* Compact tables of a page. Regions share the tables of executed functions, disassembled instructions and source lines.
 * Private to html/. */
#ifndef ITRACE_REPORT_HTML_PAGE_TABLES_H
#define ITRACE_REPORT_HTML_PAGE_TABLES_H

#include <jansson.h>

#include "report/writer.h"

struct page_tables {
	const struct report *report;
	json_t *functions;	    /* array of [name, module] */
	uint32_t *function_indices; /* [profile->n_functions] index in `functions`, or PROFILE_NONE */
	json_t *texts;		    /* array of disassembled instructions */
	json_t *text_indices;	    /* object: index in `texts` by text */
	uint64_t *lines;	    /* executed lines: file << 32 | line */
	size_t n_lines, lines_capacity;
};

void page_tables_init(struct page_tables *tables, const struct report *report);
void page_tables_deinit(struct page_tables *tables);

/* Returns the columns of a region's instructions, sorted by address. Adds functions, texts and lines to the tables.
 *
 *   address            address in the file, as the signed difference from the previous one
 *   form, text         indices in the page's tables
 *   function, file, line, executions, runs
 *                      run-length encoded: value, number of instructions, value ...
 *                      no function or file: -1; no line: 0
 *   each[model]        cycles of one execution by form
 *   cycles[model]      instruction, cycles, instruction ...: instructions that do not cost `each` per execution
 *   match[model]       a letter for each form: '=' exact, '~' costed as a related form, '?' no cost */
json_t *page_insns(struct page_tables *tables, const struct region_analysis *region);

/* Returns the source files. Call it after page_insns() for all regions. A file without an executed line is null.
 * `lines`: excerpts [first line, text, text ...] around the executed lines; null: the text is missing. */
json_t *page_files(struct page_tables *tables);

json_t *page_function(const char *name, uint32_t module);
json_t *page_index(uint32_t index); /* -1 for PROFILE_NONE */

#endif
