#include "analysis/call_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/order.h"

const uint64_t *call_tree_inclusive(const struct call_tree *tree, size_t context)
{
	return tree->inclusive + context * tree->width;
}

struct key_index {
	UT_hash_handle hh;
	uint64_t key;
	uint32_t index;
};

/* Returns the index of a key in the hash. Adds a new key with the index `next`. */
static uint32_t intern(struct key_index **hash, uint64_t key, size_t next)
{
	struct key_index *entry;

	HASH_FIND(hh, *hash, &key, sizeof(key), entry);
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		entry->key = key;
		entry->index = (uint32_t)next;
		HASH_ADD(hh, *hash, key, sizeof(key), entry);
	}
	return entry->index;
}

static bool has_symbol(const struct profile *profile, const struct profile_insn *insn)
{
	return insn->function != PROFILE_NONE && !profile_function_is_module(profile, insn->function);
}

static char *name_of(const struct profile *profile, const struct profile_insn *insn)
{
	if (insn->function == PROFILE_NONE)
		return xasprintf("0x%" PRIx64, insn->va);
	if (!has_symbol(profile, insn))
		return xasprintf("%s+0x%" PRIx32, profile->functions[insn->function].name, insn->function_offset);
	return xstrdup(profile->functions[insn->function].name);
}

static void find_functions(struct call_tree *tree)
{
	const uint64_t is_address = UINT64_C(1) << 63; /* tells addresses from indices of functions in keys */
	const struct profile *profile = tree->costed.profile;
	struct key_index *hash = NULL;

	for (size_t i = 0; i < tree->costed.region->n_contexts; i++) {
		uint32_t entry = tree->costed.region->contexts[i].entry;
		const struct profile_insn *insn = &profile->insns[entry];
		bool is_named = has_symbol(profile, insn);
		uint64_t key = is_named ? insn->function : insn->va | is_address;

		tree->functions_of[i] = intern(&hash, key, tree->n_functions);
		if (tree->functions_of[i] == tree->n_functions)
			*ARRAY_ADD(tree, functions) = (struct call_function){
				.name = name_of(profile, insn),
				.function = is_named ? insn->function : PROFILE_NONE,
				.module = insn->module,
				.entry = entry,
			};
	}
	HASH_FREE(hash);
}

static void find_self_costs(struct call_tree *tree)
{
	const struct profile_region *region = tree->costed.region;
	struct cost_split split;

	cost_split_init(&split, &tree->costed);
	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &region->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++)
				cost_split_add(&split, run->first + n, run->executions, tree->self + i * tree->width);
		}
	}
	cost_split_deinit(&split);
}

static void find_inclusive_costs(struct call_tree *tree)
{
	const struct profile_region *region = tree->costed.region;

	memcpy(tree->inclusive, tree->self, region->n_contexts * tree->width * sizeof(*tree->inclusive));
	for (size_t i = region->n_contexts; i-- > 0;) {
		uint32_t parent = region->contexts[i].parent;

		if (parent != PROFILE_NONE)
			cost_add(tree->inclusive + parent * tree->width, tree->inclusive + i * tree->width,
				 tree->costed.n_models);
	}
}

static void add_node(struct call_tree *tree, uint32_t parent, uint32_t function)
{
	struct call_node *node = ARRAY_ADD(tree, nodes);

	node->parent = parent;
	node->function = function;
	node->depth = parent == PROFILE_NONE ? 0 : tree->nodes[parent].depth + 1;
	node->self = xcalloc(2 * tree->width, sizeof(*node->self));
	node->inclusive = node->self + tree->width;
}

static void merge_contexts(struct call_tree *tree)
{
	const struct profile_region *region = tree->costed.region;
	uint32_t *nodes_of = xcalloc(region->n_contexts, sizeof(*nodes_of)); /* index in nodes */
	struct key_index *hash = NULL;

	for (size_t i = 0; i < region->n_contexts; i++) {
		const struct profile_context *context = &region->contexts[i];
		uint32_t parent = context->parent == PROFILE_NONE ? PROFILE_NONE : nodes_of[context->parent];
		struct call_node *node;

		if (context->recursion_of != PROFILE_NONE) {
			nodes_of[i] = nodes_of[context->recursion_of];
			/* Its instructions count in the context of the outermost call, so it has no cost to add. */
			tree->nodes[nodes_of[i]].recursive_calls += context->calls;
			continue;
		}
		nodes_of[i] = intern(&hash, (uint64_t)parent << 32 | tree->functions_of[i], tree->n_nodes);
		if (nodes_of[i] == tree->n_nodes)
			add_node(tree, parent, tree->functions_of[i]);
		node = &tree->nodes[nodes_of[i]];
		node->calls += context->calls;
		cost_add(node->self, tree->self + i * tree->width, tree->costed.n_models);
		cost_add(node->inclusive, call_tree_inclusive(tree, i), tree->costed.n_models);
	}
	HASH_FREE(hash);
	free(nodes_of);
}

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct call_tree *tree = context;
	const struct call_node *a = &tree->nodes[*(const uint32_t *)left], *b = &tree->nodes[*(const uint32_t *)right];

	return ORDER(b->inclusive[COST_CYCLES], a->inclusive[COST_CYCLES])
		       ?: ORDER(b->inclusive[COST_EXECUTIONS], a->inclusive[COST_EXECUTIONS])
		       ?: strcmp(tree->functions[a->function].name, tree->functions[b->function].name)
		       ?: ORDER(a, b);
}

static void sort(struct call_tree *tree, uint32_t *children, size_t n_children)
{
	if (n_children)
		qsort_r(children, n_children, sizeof(*children), compare_nodes, tree);
}

static void link_nodes(struct call_tree *tree)
{
	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		uint32_t parent = tree->nodes[i].parent;

		if (parent == PROFILE_NONE)
			*ARRAY_ADD(tree, roots) = i;
		else
			*ARRAY_ADD(&tree->nodes[parent], children) = i;
	}
	sort(tree, tree->roots, tree->n_roots);
	for (size_t i = 0; i < tree->n_nodes; i++)
		sort(tree, tree->nodes[i].children, tree->nodes[i].n_children);
}

void call_tree_init(struct call_tree *tree, const struct costed_region *costed)
{
	size_t n_contexts = costed->region->n_contexts;

	*tree = (struct call_tree){.costed = *costed, .width = cost_width(costed->n_models)};
	tree->self = xcalloc(n_contexts * tree->width, sizeof(*tree->self));
	tree->inclusive = xcalloc(n_contexts * tree->width, sizeof(*tree->inclusive));
	tree->functions_of = xcalloc(n_contexts, sizeof(*tree->functions_of));
	find_self_costs(tree);
	find_inclusive_costs(tree);
	find_functions(tree);
	merge_contexts(tree);
	link_nodes(tree);
}

void call_tree_deinit(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->n_functions; i++)
		free(tree->functions[i].name);
	for (size_t i = 0; i < tree->n_nodes; i++) {
		free(tree->nodes[i].self);
		free(tree->nodes[i].children);
	}
	free(tree->functions);
	free(tree->functions_of);
	free(tree->self);
	free(tree->inclusive);
	free(tree->nodes);
	free(tree->roots);
	*tree = (struct call_tree){0};
}
