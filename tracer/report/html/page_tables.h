/* The data of a page in few bytes. Regions share tables of functions, disassembled instructions and source lines, which
 * have only what a region executed. Private to html/. */
#ifndef ITRACE_REPORT_HTML_PAGE_TABLES_H
#define ITRACE_REPORT_HTML_PAGE_TABLES_H

#include <jansson.h>

#include "report/writer.h"

struct page_tables {
	const struct report *report;
	json_t *functions;	   /* array of [name, module] */
	uint32_t *function_places; /* [profile->n_functions] place in `functions`; PROFILE_NONE: not there yet */
	json_t *texts;		   /* array of disassembled instructions */
	json_t *text_places;	   /* object: place in `texts` by text */
	uint64_t *lines;	   /* executed lines: file << 32 | line */
	size_t n_lines, lines_capacity;
};

void page_tables_init(struct page_tables *tables, const struct report *report);
void page_tables_deinit(struct page_tables *tables);

/* The columns of a region's instructions, which are ascending by address; adds to the tables:
 *
 *   address            differences to the address before, of addresses as linked and taken as signed
 *   form, text         places in the page's tables
 *   function, file, line, executions, runs
 *                      value, number of instructions that have it in a row, value, ...; -1: none
 *   each[model]        cycles of one execution by form
 *   cycles[model]      instruction, cycles, instruction ...: those that cost another amount
 *   match[model]       a letter for each form: '=' exact, '~' costed as a related form, '?' no cost */
json_t *page_insns(struct page_tables *tables, const struct region_analysis *region);

/* The source files, after all regions. A file of which nothing was executed is null. `lines`: excerpts [first line,
 * text, text ...] around the executed lines; null: the text is missing. */
json_t *page_files(struct page_tables *tables);

json_t *page_function(const char *name, uint32_t module);
json_t *page_index(uint32_t index); /* -1 for PROFILE_NONE */

#endif
