/* A call tree as profilers for functions have it: what each instruction costs in each function, and what calls from there cost.
 * Private to report/. */
#ifndef ITRACE_ANALYSIS_CALL_LINES_H
#define ITRACE_ANALYSIS_CALL_LINES_H

#include "analysis/call_tree.h"

/* An instruction that a function executed, or a function that it called from there. */
struct call_line {
	uint32_t function; /* index in tree->functions */
	uint32_t insn;
	uint32_t callee;   /* index in tree->functions; PROFILE_NONE: the instruction itself */
	uint64_t count;	   /* executions, or calls */
	uint64_t *figures; /* [width] */
};

struct call_lines {
	struct call_line
		*lines; /* ascending by function, then address of the instruction; itself first, then its calls */
	size_t n_lines, lines_capacity;
	uint64_t *figures; /* of all lines */
};

void call_lines_init(struct call_lines *lines, const struct call_tree *tree, const struct estimate *estimates);
void call_lines_deinit(struct call_lines *lines);

#endif
