/* A region's call tree: the self cost and the inclusive cost of each calling context. */
#ifndef ITRACE_ANALYSIS_CALL_TREE_H
#define ITRACE_ANALYSIS_CALL_TREE_H

#include "analysis/costs.h"

/* A called function. In code without symbols, each called address is a function. */
struct call_function {
	char *name;	   /* "module+0xOFFSET" without a symbol */
	uint32_t function; /* index in the profile; PROFILE_NONE without a symbol */
	uint32_t module;   /* index or PROFILE_NONE */
	uint32_t entry;	   /* the called instruction; one of them if a symbol is called at several addresses */
};

/* All calls of one function from one node, by any instruction. Recursive calls are merged into the node of the
 * outermost call. */
struct call_node {
	uint32_t parent;   /* index of the parent, which is lower; PROFILE_NONE: a root */
	uint32_t function; /* index in tree->functions */
	uint32_t depth;	   /* 0: a root */
	uint64_t calls, recursive_calls;
	uint32_t *children; /* [n_children] indices by descending inclusive cycles, then executions, then by name */
	size_t n_children, children_capacity;
	uint64_t *self, *inclusive; /* cost rows */
};

struct call_tree {
	struct costed_region costed;
	size_t width;		/* of cost rows */
	uint64_t *self;		/* [n_contexts][width] */
	uint64_t *inclusive;	/* [n_contexts][width]; includes the costs of all calls from the context */
	uint32_t *functions_of; /* [n_contexts] index in functions */
	struct call_function *functions;
	size_t n_functions, functions_capacity;
	struct call_node *nodes;
	size_t n_nodes, nodes_capacity;
	uint32_t *roots; /* [n_roots] in the order of children */
	size_t n_roots, roots_capacity;
};

/* The result borrows all memory to which *costed points. It is empty for a region without calling contexts. */
void call_tree_init(struct call_tree *tree, const struct costed_region *costed);
void call_tree_deinit(struct call_tree *tree);

/* Returns the inclusive cost row of a context. */
const uint64_t *call_tree_inclusive(const struct call_tree *tree, size_t context);

#endif
