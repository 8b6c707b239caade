#include "report/inclusive.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/call_tree.h"

/* What a context executed of another function than its own: code that is run into without a jump or call. */
struct stray {
	uint32_t context;
	size_t row; /* of the function */
	uint64_t *figures;
};

struct walk {
	struct inclusive *inclusive;
	const struct profile *profile;
	const struct profile_region *region;
	const struct estimate *estimates; /* [n_models] */
	struct call_tree tree;
	uint64_t *lacking;    /* [n_contexts][2 * n_models] as in inclusive.h; with all that the context called */
	struct stray *strays; /* ascending by context */
	size_t n_strays, strays_capacity;
	uint32_t *first_child, *next_sibling; /* [n_contexts] PROFILE_NONE: none */
	uint32_t *n_active;		      /* [n_functions + 1] calls under way, by row */
	size_t *latest;			      /* [n_functions + 1] index in strays of the latest one of a row, plus 1 */
};

/* Of the function that an instruction is in. */
static size_t row_of(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function == PROFILE_NONE ? profile->n_functions : function;
}

static size_t row_of_context(const struct walk *walk, uint32_t context)
{
	return row_of(walk->profile, walk->region->contexts[context].entry);
}

static uint64_t *get_stray(struct walk *walk, uint32_t context, size_t row)
{
	size_t latest = walk->latest[row];
	struct stray *stray;

	if (latest > 0 && walk->strays[latest - 1].context == context)
		return walk->strays[latest - 1].figures;
	stray = ARRAY_ADD(walk, strays);
	*stray = (struct stray){context, row, xcalloc(walk->inclusive->width, sizeof(*stray->figures))};
	walk->latest[row] = walk->n_strays;
	return stray->figures;
}

static void count_lacking(const struct walk *walk, uint32_t insn, uint64_t executions, uint64_t *lacking)
{
	size_t n_models = walk->inclusive->n_models;

	for (size_t i = 0; i < n_models; i++) {
		enum cost_match match = walk->estimates[i].costs[walk->profile->insns[insn].form].match;

		lacking[i] += match == COST_UNKNOWN ? executions : 0;
		lacking[n_models + i] += match == COST_FALLBACK ? executions : 0;
	}
}

/* In the order in which the tree splits costs, so that the parts are the same to the last digit. */
static void split_contexts(struct walk *walk)
{
	size_t n_models = walk->inclusive->n_models;
	uint64_t *ignored = xcalloc(walk->inclusive->width, sizeof(*ignored));
	struct cost_split split;

	cost_split_init(&split, walk->region, walk->estimates, n_models);
	for (uint32_t i = 0; i < walk->region->n_contexts; i++) {
		const struct profile_context *context = &walk->region->contexts[i];
		size_t own = row_of_context(walk, i);

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &walk->region->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++) {
				size_t row = row_of(walk->profile, run->first + n);
				uint64_t *figures = row == own ? ignored : get_stray(walk, i, row);

				cost_split_add(&split, run->first + n, run->executions, figures);
				count_lacking(walk, run->first + n, run->executions, figures + 1 + n_models);
				count_lacking(walk, run->first + n, run->executions, walk->lacking + i * 2 * n_models);
			}
		}
	}
	cost_split_deinit(&split);
	free(ignored);
}

/* A context stands behind its parent. */
static void add_up_lacking(struct walk *walk)
{
	size_t width = 2 * walk->inclusive->n_models;

	for (size_t i = walk->region->n_contexts; i-- > 0;) {
		uint32_t parent = walk->region->contexts[i].parent;

		for (size_t k = 0; parent != PROFILE_NONE && k < width; k++)
			walk->lacking[parent * width + k] += walk->lacking[i * width + k];
	}
}

static void find_children(struct walk *walk)
{
	size_t n = walk->region->n_contexts;

	walk->first_child = xcalloc(n, sizeof(*walk->first_child));
	walk->next_sibling = xcalloc(n, sizeof(*walk->next_sibling));
	memset(walk->first_child, 0xff, n * sizeof(*walk->first_child));
	memset(walk->next_sibling, 0xff, n * sizeof(*walk->next_sibling));
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		uint32_t parent = walk->region->contexts[i].parent;

		if (parent == PROFILE_NONE)
			continue;
		walk->next_sibling[i] = walk->first_child[parent];
		walk->first_child[parent] = i;
	}
}

static void add(struct walk *walk, size_t row, size_t first, const uint64_t *figures, size_t n)
{
	for (size_t i = 0; i < n; i++)
		walk->inclusive->figures[row * walk->inclusive->width + first + i] += figures[i];
}

static void enter(struct walk *walk, uint32_t context)
{
	size_t row = row_of_context(walk, context);
	size_t n_models = walk->inclusive->n_models;
	size_t low = 0, high = walk->n_strays;

	if (walk->n_active[row]++ == 0) {
		add(walk, row, 0, call_tree_inclusive(&walk->tree, context), 1 + n_models);
		add(walk, row, 1 + n_models, walk->lacking + context * 2 * n_models, 2 * n_models);
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (walk->strays[middle].context < context)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < walk->n_strays && walk->strays[low].context == context; low++)
		if (!walk->n_active[walk->strays[low].row])
			add(walk, walk->strays[low].row, 0, walk->strays[low].figures, walk->inclusive->width);
}

/* Depth first, without recursion: what is under way are the contexts from a root to the one that is visited. */
static void visit(struct walk *walk, uint32_t root)
{
	uint32_t at = root;

	enter(walk, at);
	while (true) {
		if (walk->first_child[at] != PROFILE_NONE) {
			at = walk->first_child[at];
			enter(walk, at);
			continue;
		}
		while (true) {
			walk->n_active[row_of_context(walk, at)]--;
			if (at == root)
				return;
			if (walk->next_sibling[at] != PROFILE_NONE)
				break;
			at = walk->region->contexts[at].parent;
		}
		at = walk->next_sibling[at];
		enter(walk, at);
	}
}

static void release(struct walk *walk)
{
	for (size_t i = 0; i < walk->n_strays; i++)
		free(walk->strays[i].figures);
	free(walk->strays);
	free(walk->latest);
	free(walk->lacking);
	free(walk->first_child);
	free(walk->next_sibling);
	free(walk->n_active);
	call_tree_deinit(&walk->tree);
}

void inclusive_init(struct inclusive *inclusive, const struct report *report, const struct section *section)
{
	const struct profile *profile = report->profile;
	struct walk walk = {.inclusive = inclusive,
			    .profile = profile,
			    .region = section->region,
			    .estimates = section->estimates};
	size_t n_rows = profile->n_functions + 1;

	*inclusive =
		(struct inclusive){.profile = profile, .n_models = report->n_models, .width = 1 + 3 * report->n_models};
	if (report->options->by != GROUP_BY_FUNCTION || !section->region->n_contexts)
		return;
	inclusive->figures = xcalloc(n_rows * inclusive->width, sizeof(*inclusive->figures));
	walk.n_active = xcalloc(n_rows, sizeof(*walk.n_active));
	walk.latest = xcalloc(n_rows, sizeof(*walk.latest));
	call_tree_init(&walk.tree, profile, section->region_index, section->estimates, report->n_models);
	walk.lacking = xcalloc(walk.region->n_contexts * 2 * report->n_models, sizeof(*walk.lacking));
	split_contexts(&walk);
	add_up_lacking(&walk);
	find_children(&walk);
	for (uint32_t i = 0; i < walk.region->n_contexts; i++)
		if (walk.region->contexts[i].parent == PROFILE_NONE)
			visit(&walk, i);
	release(&walk);
}

void inclusive_deinit(struct inclusive *inclusive)
{
	free(inclusive->figures);
	*inclusive = (struct inclusive){0};
}

const uint64_t *inclusive_of(const struct inclusive *inclusive, const struct profile_group *group)
{
	if (!inclusive->figures)
		return NULL;
	return inclusive->figures + row_of(inclusive->profile, group->insns[0]) * inclusive->width;
}

uint64_t inclusive_unknown(const struct inclusive *inclusive, const uint64_t *figures, size_t model)
{
	return figures[1 + inclusive->n_models + model];
}

struct figure inclusive_figure(const struct inclusive *inclusive, const uint64_t *figures, size_t model)
{
	return figure_of_counts((mcyc_t)figures[1 + model], figures[0], inclusive_unknown(inclusive, figures, model),
				figures[1 + 2 * inclusive->n_models + model]);
}

bool inclusive_is_shown(const struct report *report)
{
	return report->options->by == GROUP_BY_FUNCTION && report->profile->has_calls;
}
