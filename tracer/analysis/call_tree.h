/* What each context of a region's call tree costs, with and without what it called. Private to report/. */
#ifndef ITRACE_ANALYSIS_CALL_TREE_H
#define ITRACE_ANALYSIS_CALL_TREE_H

#include "analysis/cost_split.h"

/* A function that was called: a symbol, or, in code without symbols, each address that was called. */
struct call_function {
	char *name;	   /* "module+0xOFFSET" without a symbol */
	uint32_t function; /* index in the profile; PROFILE_NONE without a symbol */
	uint32_t module;   /* index or PROFILE_NONE */
	uint32_t entry;	   /* instruction; of a symbol any that it was entered at */
};

struct call_tree {
	const struct profile *profile;
	const struct profile_region *region;
	size_t n_models, width; /* of rows of costs */
	uint64_t *exclusive;	/* [n_contexts][width] */
	uint64_t *inclusive;	/* [n_contexts][width]; with all that the context called */
	uint32_t *functions_of; /* [n_contexts] index in functions */
	struct call_function *functions;
	size_t n_functions, functions_capacity;
};

/* estimates[n_models] are of the region. The result borrows the profile. */
void call_tree_init(struct call_tree *tree, const struct profile *profile, uint32_t region,
		    const struct estimate *estimates, size_t n_models);
void call_tree_deinit(struct call_tree *tree);

const uint64_t *call_tree_exclusive(const struct call_tree *tree, size_t context);
const uint64_t *call_tree_inclusive(const struct call_tree *tree, size_t context);

/* The tree with all calls of one function from one place of the tree, whatever the instruction, made one node. */
struct call_node {
	uint32_t parent;   /* index, lower than this one's; PROFILE_NONE: a root */
	uint32_t function; /* index in tree->functions */
	uint32_t depth;	   /* 0: a root */
	uint64_t calls, recursive_calls;
	uint32_t *children; /* [n_children] indices by descending inclusive cycles, then by name */
	size_t n_children, children_capacity;
	uint64_t *exclusive, *inclusive; /* [width] */
};

struct call_nodes {
	const struct call_tree *tree;
	struct call_node *nodes;
	size_t n_nodes, nodes_capacity;
	uint32_t *roots; /* [n_roots] sorted as children are */
	size_t n_roots, roots_capacity;
	uint32_t *nodes_of; /* [n_contexts] index in nodes; of a recursive call that of the function above */
};

void call_nodes_init(struct call_nodes *nodes, const struct call_tree *tree);
void call_nodes_deinit(struct call_nodes *nodes);

#endif
