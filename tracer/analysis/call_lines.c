#include "analysis/call_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

static void add_executions(struct call_lines *lines, const struct call_tree *tree, size_t context)
{
	const struct profile_context *executed = &tree->costed.region->contexts[context];

	for (size_t k = 0; k < executed->n_runs; k++) {
		const struct profile_context_run *run = &tree->costed.region->context_runs[executed->first_run + k];

		for (uint32_t i = 0; i < run->n_insns; i++)
			*ARRAY_ADD(lines, lines) = (struct call_line){.function = tree->functions_of[context],
								      .insn = run->first + i,
								      .callee = PROFILE_NONE,
								      .count = run->executions};
	}
}

static void add_call(struct call_lines *lines, const struct call_tree *tree, size_t context)
{
	const struct profile_context *called = &tree->costed.region->contexts[context];

	*ARRAY_ADD(lines, lines) = (struct call_line){.function = tree->functions_of[called->parent],
						      .insn = called->site,
						      .callee = tree->functions_of[context],
						      .count = called->calls,
						      .costs = tree->inclusive + context * tree->width};
}

static int compare_lines(const void *left, const void *right, void *context)
{
	const struct call_line *a = left, *b = right;
	const struct profile_insn *insns = context;

	/* PROFILE_NONE + 1 is 0: the instruction comes before the calls from it. */
	return ORDER(a->function, b->function)
		       ?: ORDER(insns[a->insn].va, insns[b->insn].va)
		       ?: ORDER(a->insn, b->insn)
		       ?: ORDER(a->callee + 1, b->callee + 1);
}

static bool is_same_line(const struct call_line *a, const struct call_line *b)
{
	return a->function == b->function && a->insn == b->insn && a->callee == b->callee;
}

/* Merges lines that differ only in their counts, and gives each merged line a cost row. */
static void merge(struct call_lines *lines, const struct call_tree *tree)
{
	struct cost_split split;
	size_t n_merged = 0;

	cost_split_init(&split, &tree->costed);
	for (size_t i = 0; i < lines->n_lines;) {
		struct call_line merged = lines->lines[i];

		merged.costs = lines->costs + n_merged * tree->width;
		merged.count = 0;
		for (size_t first = i; i < lines->n_lines && is_same_line(&lines->lines[first], &lines->lines[i]);
		     i++) {
			merged.count += lines->lines[i].count;
			if (lines->lines[i].costs)
				cost_add(merged.costs, lines->lines[i].costs, tree->costed.n_models);
		}
		if (merged.callee == PROFILE_NONE)
			cost_split_add(&split, merged.insn, merged.count, merged.costs);
		lines->lines[n_merged++] = merged;
	}
	lines->n_lines = n_merged;
	cost_split_deinit(&split);
}

void call_lines_init(struct call_lines *lines, const struct call_tree *tree)
{
	const struct profile_region *region = tree->costed.region;

	*lines = (struct call_lines){0};
	for (size_t i = 0; i < region->n_contexts; i++) {
		add_executions(lines, tree, i);
		if (region->contexts[i].parent != PROFILE_NONE)
			add_call(lines, tree, i);
	}
	lines->costs = xcalloc(lines->n_lines * tree->width, sizeof(*lines->costs));
	if (lines->n_lines)
		qsort_r(lines->lines, lines->n_lines, sizeof(*lines->lines), compare_lines,
			tree->costed.profile->insns);
	merge(lines, tree);
}

void call_lines_deinit(struct call_lines *lines)
{
	free(lines->lines);
	free(lines->costs);
	*lines = (struct call_lines){0};
}
