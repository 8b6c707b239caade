#include "analysis/call_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"

static void add_executions(struct call_rows *rows, const struct call_tree *tree, size_t context)
{
	const struct profile_context *executed = &tree->costed.region->contexts[context];

	for (size_t k = 0; k < executed->n_runs; k++) {
		const struct profile_context_run *run = &tree->costed.region->context_runs[executed->first_run + k];

		for (uint32_t i = 0; i < run->n_insns; i++)
			*ARRAY_ADD(rows, rows) = (struct call_row){.function = tree->functions_of[context],
								   .insn = run->first + i,
								   .callee = PROFILE_NONE,
								   .count = run->executions};
	}
}

static void add_call(struct call_rows *rows, const struct call_tree *tree, size_t context)
{
	const struct profile_context *called = &tree->costed.region->contexts[context];

	*ARRAY_ADD(rows, rows) = (struct call_row){.function = tree->functions_of[called->parent],
						   .insn = called->site,
						   .callee = tree->functions_of[context],
						   .count = called->calls,
						   .costs = tree->inclusive + context * tree->width};
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct call_row *a = left, *b = right;
	const struct profile_insn *insns = context;

	/* PROFILE_NONE + 1 is 0: the instruction comes before the calls from it. */
	return ORDER(a->function, b->function)
		       ?: ORDER(insns[a->insn].va, insns[b->insn].va)
		       ?: ORDER(a->insn, b->insn)
		       ?: ORDER(a->callee + 1, b->callee + 1);
}

static bool is_same_row(const struct call_row *a, const struct call_row *b)
{
	return a->function == b->function && a->insn == b->insn && a->callee == b->callee;
}

/* Merges rows that differ only in their counts, and gives each merged line a cost row. */
static void merge(struct call_rows *rows, const struct call_tree *tree)
{
	struct cost_split split;
	size_t n_merged = 0;

	cost_split_init(&split, &tree->costed);
	for (size_t i = 0; i < rows->n_rows;) {
		struct call_row merged = rows->rows[i];

		merged.costs = rows->costs + n_merged * tree->width;
		merged.count = 0;
		for (size_t first = i; i < rows->n_rows && is_same_row(&rows->rows[first], &rows->rows[i]); i++) {
			merged.count += rows->rows[i].count;
			if (rows->rows[i].costs)
				cost_add(merged.costs, rows->rows[i].costs, tree->costed.n_models);
		}
		if (merged.callee == PROFILE_NONE)
			cost_split_add(&split, merged.insn, merged.count, merged.costs);
		rows->rows[n_merged++] = merged;
	}
	rows->n_rows = n_merged;
	cost_split_deinit(&split);
}

void call_rows_init(struct call_rows *rows, const struct call_tree *tree)
{
	const struct profile_region *region = tree->costed.region;

	*rows = (struct call_rows){0};
	for (size_t i = 0; i < region->n_contexts; i++) {
		add_executions(rows, tree, i);
		if (region->contexts[i].parent != PROFILE_NONE)
			add_call(rows, tree, i);
	}
	rows->costs = xcalloc(rows->n_rows * tree->width, sizeof(*rows->costs));
	if (rows->n_rows)
		qsort_r(rows->rows, rows->n_rows, sizeof(*rows->rows), compare_rows, tree->costed.profile->insns);
	merge(rows, tree);
}

void call_rows_deinit(struct call_rows *rows)
{
	free(rows->rows);
	free(rows->costs);
	*rows = (struct call_rows){0};
}
