#include "analysis/inclusive.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Execution may fall through into the next function without a call, and no new context begins. This is the cost of
 * such a context's instructions in that other function. */
struct fall_through {
	uint32_t context;
	size_t row; /* of the other function, in inclusive->costs */
	uint64_t *costs;
};

struct walk {
	struct inclusive *inclusive;
	const struct call_tree *tree;
	const struct profile_region *region;
	struct fall_through *fall_throughs; /* ascending by context */
	size_t n_fall_throughs, fall_throughs_capacity;
	uint32_t *first_child, *next_sibling; /* [n_contexts] PROFILE_NONE: none */
	uint32_t *n_active;		      /* [n_functions + 1] calls in progress, by row */
	size_t *latest; /* [n_functions + 1] by row: 1 + the index of its latest fall_through; 0: none */
};

/* Returns the index of the instruction's function in inclusive->costs, which is n_functions for code in no function. */
static size_t row_of(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile->insns[insn].function;

	return function == PROFILE_NONE ? profile->n_functions : function;
}

static size_t row_of_context(const struct walk *walk, uint32_t context)
{
	return row_of(walk->tree->costed.profile, walk->region->contexts[context].entry);
}

static uint64_t *get_fall_through_costs(struct walk *walk, uint32_t context, size_t row)
{
	size_t latest = walk->latest[row];
	struct fall_through *fall_through;

	if (latest > 0 && walk->fall_throughs[latest - 1].context == context)
		return walk->fall_throughs[latest - 1].costs;
	fall_through = ARRAY_ADD(walk, fall_throughs);
	*fall_through = (struct fall_through){context, row, xcalloc(walk->tree->width, sizeof(*fall_through->costs))};
	walk->latest[row] = walk->n_fall_throughs;
	return fall_through->costs;
}

/* The rounding of cost_split depends on the order. Therefore this visits all runs in the order of call_tree_init(),
 * and also splits the cost of a context's instructions in its own function, which is not needed. */
static void find_fall_throughs(struct walk *walk)
{
	uint64_t *ignored = xcalloc(walk->tree->width, sizeof(*ignored));
	struct cost_split split;

	cost_split_init(&split, &walk->tree->costed);
	for (uint32_t i = 0; i < walk->region->n_contexts; i++) {
		const struct profile_context *context = &walk->region->contexts[i];
		size_t own = row_of_context(walk, i);

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &walk->region->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++) {
				size_t row = row_of(walk->tree->costed.profile, run->first + n);

				cost_split_add(&split, run->first + n, run->executions,
					       row == own ? ignored : get_fall_through_costs(walk, i, row));
			}
		}
	}
	cost_split_deinit(&split);
	free(ignored);
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

static void add_to_row(struct walk *walk, size_t row, const uint64_t *costs)
{
	cost_add(walk->inclusive->costs + row * walk->tree->width, costs, walk->tree->costed.n_models);
}

static void enter(struct walk *walk, uint32_t context)
{
	size_t row = row_of_context(walk, context);
	size_t fall_through = ARRAY_SEARCH(walk->n_fall_throughs, i, walk->fall_throughs[i].context < context);

	if (walk->n_active[row]++ == 0)
		add_to_row(walk, row, call_tree_inclusive(walk->tree, context));
	for (; fall_through < walk->n_fall_throughs && walk->fall_throughs[fall_through].context == context;
	     fall_through++)
		if (!walk->n_active[walk->fall_throughs[fall_through].row])
			add_to_row(walk, walk->fall_throughs[fall_through].row,
				   walk->fall_throughs[fall_through].costs);
}

/* Visits the contexts below a root depth first, without recursion. The calls of all contexts from the root to the
 * current one are in progress. */
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
	for (size_t i = 0; i < walk->n_fall_throughs; i++)
		free(walk->fall_throughs[i].costs);
	free(walk->fall_throughs);
	free(walk->latest);
	free(walk->first_child);
	free(walk->next_sibling);
	free(walk->n_active);
}

void inclusive_init(struct inclusive *inclusive, const struct call_tree *tree)
{
	struct walk walk = {.inclusive = inclusive, .tree = tree, .region = tree->costed.region};
	size_t n_rows = tree->costed.profile->n_functions + 1;

	*inclusive = (struct inclusive){tree->costed.profile, tree->width,
					xcalloc(n_rows * tree->width, sizeof(*inclusive->costs))};
	walk.n_active = xcalloc(n_rows, sizeof(*walk.n_active));
	walk.latest = xcalloc(n_rows, sizeof(*walk.latest));
	find_fall_throughs(&walk);
	find_children(&walk);
	for (uint32_t i = 0; i < walk.region->n_contexts; i++)
		if (walk.region->contexts[i].parent == PROFILE_NONE)
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
