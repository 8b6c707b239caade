/* The call tree by instruction: each instruction's cost in each function, and the cost of each call from it. */
#ifndef ITRACE_ANALYSIS_CALL_LINES_H
#define ITRACE_ANALYSIS_CALL_LINES_H

#include "analysis/call_tree.h"

/* The executions of an instruction in a function, or the calls of one function by the instruction. */
struct call_line {
	uint32_t function; /* index in tree->functions */
	uint32_t insn;
	uint32_t callee; /* index in tree->functions; PROFILE_NONE: the instruction itself */
	uint64_t count;	 /* executions, or calls */
	uint64_t *costs; /* cost row; all 0 for a recursive call, because the lines of the function have the cost */
};

struct call_lines {
	/* By function, then address of the instruction. The calls from an instruction follow its executions. */
	struct call_line *lines;
	size_t n_lines, lines_capacity;
	uint64_t *costs; /* of all lines */
};

void call_lines_init(struct call_lines *lines, const struct call_tree *tree);
void call_lines_deinit(struct call_lines *lines);

#endif
