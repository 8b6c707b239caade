/* The call tree by instruction: each instruction's cost in each function, and the cost of each call from it. */
#ifndef ITRACE_ANALYSIS_CALL_ROWS_H
#define ITRACE_ANALYSIS_CALL_ROWS_H

#include "analysis/call_tree.h"

/* The executions of an instruction in a function, or the calls of one function by the instruction. */
struct call_row {
	uint32_t function; /* index in tree->functions */
	uint32_t insn;
	uint32_t callee; /* index in tree->functions; PROFILE_NONE: the row is about the instruction itself */
	uint64_t count;	 /* executions, or calls */
	uint64_t *costs; /* cost row; all 0 for a recursive call: the cost is in the rows of the called function */
};

struct call_rows {
	/* By function, then address of the instruction. The calls from an instruction follow its executions. */
	struct call_row *rows;
	size_t n_rows, rows_capacity;
	uint64_t *costs; /* the cost rows of all rows */
};

void call_rows_init(struct call_rows *rows, const struct call_tree *tree);
void call_rows_deinit(struct call_rows *rows);

#endif
