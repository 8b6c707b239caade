/* The [forms] of a .cost file: figures by instruction form, with fallbacks for forms without a row. */
#ifndef ITRACE_COSTMODELS_MODEL_FORM_TABLE_H
#define ITRACE_COSTMODELS_MODEL_FORM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "costmodels/model/cost.h"
#include "costmodels/model/text_file.h"
#include "costmodels/model/text_index.h"

#define FORM_NOT_STATED (-1)

struct form_row {
	const char *form;
	const char *ports;	      /* NULL: not stated */
	const char *flags;	      /* NULL: not stated */
	const char *latencies;	      /* NULL: not stated */
	const struct text_file *file; /* file of the row */
	int32_t latency_mcyc;	      /* or FORM_NOT_STATED */
	int32_t throughput_mcyc;      /* reciprocal, or FORM_NOT_STATED */
	int32_t iteration_mcyc;	      /* 0: not stated */
	uint32_t next;		      /* an earlier row with the same mnemonic and prefixes, or TEXT_INDEX_NONE */
	uint32_t line;
	uint16_t uops, fused; /* 0: not stated */
};

struct form_table {
	struct form_row *rows;
	size_t n_rows, rows_capacity;
	struct text_index by_form;     /* index of the row of a form */
	struct text_index by_mnemonic; /* index of the last row with the mnemonic; `next` gives the others */
};

void form_table_deinit(struct form_table *table);

/* Reserves room for n_rows rows. */
void form_table_reserve(struct form_table *table, size_t n_rows);

/* Adds the row in the file's current line, or replaces a row of an inherited file. Modifies the line and keeps
 * references to it. */
bool form_table_add_row(struct form_table *table, const struct text_file *file, char *line, struct error *err);

/* Looks up a form (model_lookup). Leaves *out unchanged if no row fits. */
void form_table_lookup(const struct form_table *table, const char *form_text, enum cost_column rank, struct cost *out);

#endif
