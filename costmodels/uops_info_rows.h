/* The rows of a .cost file as uops.info's measurements come in. Private to costmodels/. */
#ifndef ITRACE_COSTMODELS_UOPS_INFO_ROWS_H
#define ITRACE_COSTMODELS_UOPS_INFO_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "costmodels/model/text_index.h"
#include "costmodels/uops_info_form.h"

#define UOPS_MAX_LATENCIES 64
#define UOPS_MAX_ROWS 100000 /* the largest instruction set has a sixth of it */

struct uops_latency {
	unsigned source, target;
	char kind;     /* of the source: 'a' its address, 'i' the index of its address; 0: itself */
	bool is_same;  /* measured with one register for all operands */
	int64_t milli; /* cycles */
};

/* A measurement with different registers, or with one for all. Below 0: not stated. */
struct uops_measurement {
	int64_t throughput_milli;
	int64_t uops, fused;
	char ports[256];
};

struct uops_latencies {
	struct uops_latency items[UOPS_MAX_LATENCIES];
	size_t n_items;
};

struct uops_row {
	char *form, *cells;
	bool is_special; /* uops_form */
};

struct uops_rows {
	struct uops_row *rows;
	size_t n_rows, rows_capacity;
	struct text_index by_form;
	size_t n_twice; /* how many were not added because the form has one */
};
void uops_rows_deinit(struct uops_rows *rows);

/* Adds what was measured of an instruction whose form is known, for different registers or, with is_same, for one. A
 * row takes the place of a special one. False, and nothing added, beyond UOPS_MAX_ROWS. */
bool uops_rows_add(struct uops_rows *rows, const char *form, bool is_special, bool is_same,
		   const struct uops_instruction *instruction, const struct uops_measurement *measurement,
		   const struct uops_latencies *latencies);

/* Writes the whole file, sorted by form. */
void uops_rows_write(struct uops_rows *rows, const char *architecture, const char *name, FILE *out);

#endif
