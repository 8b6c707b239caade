#include <stdlib.h>
#include <string.h>

#include "analysis/call_tree.h"
#include "base/array.h"
#include "base/hash.h"

struct node_entry {
	UT_hash_handle hh;
	struct node_key {
		uint32_t parent, function;
	} key;
	uint32_t node;
};

static uint32_t get_node(struct call_nodes *nodes, struct node_entry **hash, uint32_t parent, uint32_t function)
{
	struct node_key key = {parent, function};
	struct node_entry *entry;
	struct call_node *node;

	HASH_FIND(hh, *hash, &key, sizeof(key), entry);
	if (entry)
		return entry->node;
	entry = xcalloc(1, sizeof(*entry));
	*entry = (struct node_entry){.key = key, .node = (uint32_t)nodes->n_nodes};
	HASH_ADD(hh, *hash, key, sizeof(key), entry);
	node = ARRAY_ADD(nodes, nodes);
	node->parent = parent;
	node->function = function;
	node->depth = parent == PROFILE_NONE ? 0 : nodes->nodes[parent].depth + 1;
	node->exclusive = xcalloc(2 * nodes->tree->width, sizeof(*node->exclusive));
	node->inclusive = node->exclusive + nodes->tree->width;
	return entry->node;
}

static void merge(struct call_nodes *nodes)
{
	const struct call_tree *tree = nodes->tree;
	struct node_entry *hash = NULL;

	for (size_t i = 0; i < tree->region->n_contexts; i++) {
		const struct profile_context *context = &tree->region->contexts[i];
		uint32_t parent = context->parent == PROFILE_NONE ? PROFILE_NONE : nodes->nodes_of[context->parent];
		struct call_node *node;

		if (context->recursion_of != PROFILE_NONE) {
			nodes->nodes_of[i] = nodes->nodes_of[context->recursion_of];
			nodes->nodes[nodes->nodes_of[i]].recursive_calls += context->calls;
			continue;
		}
		nodes->nodes_of[i] = get_node(nodes, &hash, parent, tree->functions_of[i]);
		node = &nodes->nodes[nodes->nodes_of[i]];
		node->calls += context->calls;
		cost_add(node->exclusive, call_tree_exclusive(tree, i), tree->n_models);
		cost_add(node->inclusive, call_tree_inclusive(tree, i), tree->n_models);
	}
	HASH_FREE(hash);
}

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct call_nodes *nodes = context;
	const struct call_node *a = &nodes->nodes[*(const uint32_t *)left],
			       *b = &nodes->nodes[*(const uint32_t *)right];
	int order;

	/* The first model's cycles, then executions. */
	for (size_t i = COST_CYCLES + 1; i-- > COST_EXECUTIONS;)
		if (a->inclusive[i] != b->inclusive[i])
			return a->inclusive[i] < b->inclusive[i] ? 1 : -1;
	order = strcmp(nodes->tree->functions[a->function].name, nodes->tree->functions[b->function].name);
	return order ? order : a < b ? -1 : a > b;
}

static void sort(struct call_nodes *nodes, uint32_t *children, size_t n_children)
{
	/* There may be no array. */
	if (n_children)
		qsort_r(children, n_children, sizeof(*children), compare_nodes, nodes);
}

void call_nodes_init(struct call_nodes *nodes, const struct call_tree *tree)
{
	*nodes = (struct call_nodes){.tree = tree};
	nodes->nodes_of = xcalloc(tree->region->n_contexts, sizeof(*nodes->nodes_of));
	merge(nodes);
	for (uint32_t i = 0; i < nodes->n_nodes; i++) {
		uint32_t parent = nodes->nodes[i].parent;

		if (parent == PROFILE_NONE)
			*ARRAY_ADD(nodes, roots) = i;
		else
			*ARRAY_ADD(&nodes->nodes[parent], children) = i;
	}
	sort(nodes, nodes->roots, nodes->n_roots);
	for (size_t i = 0; i < nodes->n_nodes; i++)
		sort(nodes, nodes->nodes[i].children, nodes->nodes[i].n_children);
}

void call_nodes_deinit(struct call_nodes *nodes)
{
	for (size_t i = 0; i < nodes->n_nodes; i++) {
		free(nodes->nodes[i].exclusive);
		free(nodes->nodes[i].children);
	}
	free(nodes->nodes);
	free(nodes->roots);
	free(nodes->nodes_of);
	*nodes = (struct call_nodes){0};
}
