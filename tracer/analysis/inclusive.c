#include "analysis/inclusive.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The cost of a context in a function that is not its own. Execution fell through into that function: without a call
 * or jump there is no new context. */
struct stray {
	uint32_t context;
	size_t row; /* of that function, in inclusive->costs */
	uint64_t *costs;
};

struct walk {
	struct inclusive *inclusive;
	const struct call_tree *tree;
	const struct profile_region *counts;
	struct stray *strays; /* ascending by context */
	size_t n_strays, strays_capacity;
	uint32_t *first_child, *next_sibling; /* [n_contexts] PROFILE_NONE: none */
	uint32_t *n_active;		      /* [n_functions + 1] calls in progress, by row */
	size_t *latest; /* [n_functions + 1] by row: 1 + the index in strays of its latest one; 0: none yet */
};

/* Returns the index of the function's row in inclusive->costs; n_functions for code in no function. */
static size_t row_of(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function == PROFILE_NONE ? profile->n_functions : function;
}

static size_t row_of_context(const struct walk *walk, uint32_t context)
{
	return row_of(walk->tree->costed.profile, walk->counts->contexts[context].entry);
}

static uint64_t *get_stray_costs(struct walk *walk, uint32_t context, size_t row)
{
	size_t latest = walk->latest[row];
	struct stray *stray;

	if (latest > 0 && walk->strays[latest - 1].context == context)
		return walk->strays[latest - 1].costs;
	stray = ARRAY_ADD(walk, strays);
	*stray = (struct stray){context, row, xcalloc(walk->tree->width, sizeof(*stray->costs))};
	walk->latest[row] = walk->n_strays;
	return stray->costs;
}

/* Visits all runs in the order of call_tree_init(), because the rounding of cost_split depends on the order. So the
 * cost of a context's own instructions is split, too, and ignored. */
static void find_strays(struct walk *walk)
{
	uint64_t *ignored = xcalloc(walk->tree->width, sizeof(*ignored));
	struct cost_split split;

	cost_split_init(&split, &walk->tree->costed);
	for (uint32_t i = 0; i < walk->counts->n_contexts; i++) {
		const struct profile_context *context = &walk->counts->contexts[i];
		size_t own = row_of_context(walk, i);

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &walk->counts->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++) {
				size_t row = row_of(walk->tree->costed.profile, run->first + n);

				cost_split_add(&split, run->first + n, run->executions,
					       row == own ? ignored : get_stray_costs(walk, i, row));
			}
		}
	}
	cost_split_deinit(&split);
	free(ignored);
}

static void find_children(struct walk *walk)
{
	size_t n = walk->counts->n_contexts;

	walk->first_child = xcalloc(n, sizeof(*walk->first_child));
	walk->next_sibling = xcalloc(n, sizeof(*walk->next_sibling));
	memset(walk->first_child, 0xff, n * sizeof(*walk->first_child));
	memset(walk->next_sibling, 0xff, n * sizeof(*walk->next_sibling));
	for (uint32_t i = (uint32_t)n; i-- > 0;) {
		uint32_t parent = walk->counts->contexts[i].parent;

		if (parent == PROFILE_NONE)
			continue;
		walk->next_sibling[i] = walk->first_child[parent];
		walk->first_child[parent] = i;
	}
}

static void add_to_row(struct walk *walk, size_t row, const uint64_t *costs)
{
	cost_add(walk->inclusive->costs + row * walk->tree->width, costs, walk->tree->costed.n_models);
}

static void enter(struct walk *walk, uint32_t context)
{
	size_t row = row_of_context(walk, context);
	size_t stray = ARRAY_SEARCH(walk->n_strays, i, walk->strays[i].context < context);

	if (walk->n_active[row]++ == 0)
		add_to_row(walk, row, call_tree_inclusive(walk->tree, context));
	for (; stray < walk->n_strays && walk->strays[stray].context == context; stray++)
		if (!walk->n_active[walk->strays[stray].row])
			add_to_row(walk, walk->strays[stray].row, walk->strays[stray].costs);
}

/* Depth first, without recursion. The contexts from the root to the current one are in progress. */
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
			at = walk->counts->contexts[at].parent;
		}
		at = walk->next_sibling[at];
		enter(walk, at);
	}
}

static void release(struct walk *walk)
{
	for (size_t i = 0; i < walk->n_strays; i++)
		free(walk->strays[i].costs);
	free(walk->strays);
	free(walk->latest);
	free(walk->first_child);
	free(walk->next_sibling);
	free(walk->n_active);
}

void inclusive_init(struct inclusive *inclusive, const struct call_tree *tree)
{
	struct walk walk = {.inclusive = inclusive, .tree = tree, .counts = tree->costed.counts};
	size_t n_rows = tree->costed.profile->n_functions + 1;

	*inclusive = (struct inclusive){tree->costed.profile, tree->width,
					xcalloc(n_rows * tree->width, sizeof(*inclusive->costs))};
	walk.n_active = xcalloc(n_rows, sizeof(*walk.n_active));
	walk.latest = xcalloc(n_rows, sizeof(*walk.latest));
	find_strays(&walk);
	find_children(&walk);
	for (uint32_t i = 0; i < walk.counts->n_contexts; i++)
		if (walk.counts->contexts[i].parent == PROFILE_NONE)
			visit(&walk, i);
	release(&walk);
}

void inclusive_deinit(struct inclusive *inclusive)
{
	free(inclusive->costs);
	*inclusive = (struct inclusive){0};
}

const uint64_t *inclusive_of(const struct inclusive *inclusive, const struct profile_group *group)
{
	if (!inclusive->costs)
		return NULL;
	return inclusive->costs + row_of(inclusive->profile, group->insns[0]) * inclusive->width;
}
