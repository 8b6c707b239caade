#include "analysis/call_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void add_executions(struct call_lines *lines, const struct call_tree *tree, size_t context)
{
	const struct profile_context *executed = &tree->region->contexts[context];

	for (size_t k = 0; k < executed->n_runs; k++) {
		const struct profile_context_run *run = &tree->region->context_runs[executed->first_run + k];

		for (uint32_t i = 0; i < run->n_insns; i++)
			*ARRAY_ADD(lines, lines) = (struct call_line){.function = tree->functions_of[context],
								      .insn = run->first + i,
								      .callee = PROFILE_NONE,
								      .count = run->executions};
	}
}

/* What a recursive call costs is in the function already. */
static void add_call(struct call_lines *lines, const struct call_tree *tree, size_t context)
{
	const struct profile_context *called = &tree->region->contexts[context];
	struct call_line *line = ARRAY_ADD(lines, lines);

	line->function = tree->functions_of[called->parent];
	line->insn = called->site;
	line->callee = tree->functions_of[context];
	line->count = called->calls;
	line->figures = tree->inclusive + context * tree->width;
}

static int compare_lines(const void *left, const void *right, void *context)
{
	const struct call_line *a = left, *b = right;
	const struct profile_insn *insns = context;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (insns[a->insn].va != insns[b->insn].va)
		return insns[a->insn].va < insns[b->insn].va ? -1 : 1;
	if (a->insn != b->insn)
		return a->insn < b->insn ? -1 : 1;
	/* PROFILE_NONE + 1 is 0. */
	return a->callee + 1 < b->callee + 1 ? -1 : a->callee + 1 > b->callee + 1;
}

static bool is_same_line(const struct call_line *a, const struct call_line *b)
{
	return a->function == b->function && a->insn == b->insn && a->callee == b->callee;
}

/* Sums up those that are equal but for their counts, which have room for their own figures then. */
static void merge(struct call_lines *lines, const struct call_tree *tree, struct cost_split *split)
{
	size_t n_merged = 0;

	for (size_t i = 0; i < lines->n_lines;) {
		struct call_line merged = lines->lines[i];

		merged.figures = lines->figures + n_merged * tree->width;
		merged.count = 0;
		for (size_t first = i; i < lines->n_lines && is_same_line(&lines->lines[first], &lines->lines[i]);
		     i++) {
			merged.count += lines->lines[i].count;
			if (lines->lines[i].figures)
				cost_add(merged.figures, lines->lines[i].figures, tree->n_models);
		}
		if (merged.callee == PROFILE_NONE)
			cost_split_add(split, merged.insn, merged.count, merged.figures);
		lines->lines[n_merged++] = merged;
	}
	lines->n_lines = n_merged;
}

void call_lines_init(struct call_lines *lines, const struct call_tree *tree, const struct estimate *estimates)
{
	struct cost_split split;

	*lines = (struct call_lines){0};
	for (size_t i = 0; i < tree->region->n_contexts; i++) {
		add_executions(lines, tree, i);
		if (tree->region->contexts[i].parent != PROFILE_NONE)
			add_call(lines, tree, i);
	}
	lines->figures = xcalloc(lines->n_lines * tree->width, sizeof(*lines->figures));
	if (lines->n_lines)
		qsort_r(lines->lines, lines->n_lines, sizeof(*lines->lines), compare_lines, tree->profile->insns);
	cost_split_init(&split, tree->profile, tree->region, estimates, tree->n_models);
	merge(lines, tree, &split);
	cost_split_deinit(&split);
}

void call_lines_deinit(struct call_lines *lines)
{
	free(lines->lines);
	free(lines->figures);
	*lines = (struct call_lines){0};
}
