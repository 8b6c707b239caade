#include "analysis/inclusive.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/call_tree.h"
#include "base/array.h"

/* What a context executed of another function than its own: code that is run into without a jump or call. */
struct stray {
	uint32_t context;
	size_t row; /* of the function */
	uint64_t *costs;
};

struct walk {
	struct inclusive *inclusive;
	const struct profile *profile;
	const struct profile_region *region;
	const struct estimate *estimates; /* [n_models] */
	struct call_tree tree;
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
		return walk->strays[latest - 1].costs;
	stray = ARRAY_ADD(walk, strays);
	*stray = (struct stray){context, row, xcalloc(walk->inclusive->width, sizeof(*stray->costs))};
	walk->latest[row] = walk->n_strays;
	return stray->costs;
}

/* In the order in which the tree splits costs, so that the parts are the same to the last digit. */
static void find_strays(struct walk *walk)
{
	uint64_t *ignored = xcalloc(walk->inclusive->width, sizeof(*ignored));
	struct cost_split split;

	cost_split_init(&split, walk->profile, walk->region, walk->estimates, walk->inclusive->n_models);
	for (uint32_t i = 0; i < walk->region->n_contexts; i++) {
		const struct profile_context *context = &walk->region->contexts[i];
		size_t own = row_of_context(walk, i);

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &walk->region->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++) {
				size_t row = row_of(walk->profile, run->first + n);

				cost_split_add(&split, run->first + n, run->executions,
					       row == own ? ignored : get_stray(walk, i, row));
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

static void add(struct walk *walk, size_t row, const uint64_t *costs)
{
	cost_add(walk->inclusive->costs + row * walk->inclusive->width, costs, walk->inclusive->n_models);
}

static void enter(struct walk *walk, uint32_t context)
{
	size_t row = row_of_context(walk, context);
	size_t stray = ARRAY_SEARCH(walk->n_strays, i, walk->strays[i].context < context);

	if (walk->n_active[row]++ == 0)
		add(walk, row, call_tree_inclusive(&walk->tree, context));
	for (; stray < walk->n_strays && walk->strays[stray].context == context; stray++)
		if (!walk->n_active[walk->strays[stray].row])
			add(walk, walk->strays[stray].row, walk->strays[stray].costs);
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
		free(walk->strays[i].costs);
	free(walk->strays);
	free(walk->latest);
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

	*inclusive = (struct inclusive){.profile = profile,
					.n_models = report->n_models,
					.width = cost_width(report->n_models)};
	if (report->options->by != GROUP_BY_FUNCTION || !section->region->n_contexts)
		return;
	inclusive->costs = xcalloc(n_rows * inclusive->width, sizeof(*inclusive->costs));
	walk.n_active = xcalloc(n_rows, sizeof(*walk.n_active));
	walk.latest = xcalloc(n_rows, sizeof(*walk.latest));
	call_tree_init(&walk.tree, profile, section->region_index, section->estimates, report->n_models);
	find_strays(&walk);
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

bool inclusive_is_shown(const struct report *report)
{
	return report->options->by == GROUP_BY_FUNCTION && report->profile->has_calls;
}
