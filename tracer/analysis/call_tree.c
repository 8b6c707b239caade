#include "analysis/call_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

const uint64_t *call_tree_exclusive(const struct call_tree *tree, size_t context)
{
	return tree->exclusive + context * tree->width;
}

const uint64_t *call_tree_inclusive(const struct call_tree *tree, size_t context)
{
	return tree->inclusive + context * tree->width;
}

/* Functions by what they were called for. */
struct function_entry {
	UT_hash_handle hh;
	uint64_t key; /* index of the function, or the address that was called with NO_SYMBOL */
	uint32_t index;
};
#define NO_SYMBOL (UINT64_C(1) << 63)

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

static void name_functions(struct call_tree *tree)
{
	struct function_entry *hash = NULL, *entry;

	for (size_t i = 0; i < tree->region->n_contexts; i++) {
		uint32_t insn_index = tree->region->contexts[i].entry;
		const struct profile_insn *insn = &tree->profile->insns[insn_index];
		bool is_named = has_symbol(tree->profile, insn);
		uint64_t key = is_named ? insn->function : insn->va | NO_SYMBOL;

		HASH_FIND(hh, hash, &key, sizeof(key), entry);
		if (!entry) {
			*ARRAY_ADD(tree, functions) = (struct call_function){
				.name = name_of(tree->profile, insn),
				.function = is_named ? insn->function : PROFILE_NONE,
				.module = insn->module,
				.entry = insn_index,
			};
			entry = xcalloc(1, sizeof(*entry));
			entry->key = key;
			entry->index = (uint32_t)tree->n_functions - 1;
			HASH_ADD(hh, hash, key, sizeof(key), entry);
		}
		tree->functions_of[i] = entry->index;
	}
	HASH_FREE(hash);
}

static void add_up(struct call_tree *tree)
{
	const struct profile_region *region = tree->region;

	memcpy(tree->inclusive, tree->exclusive, region->n_contexts * tree->width * sizeof(*tree->inclusive));
	for (size_t i = region->n_contexts; i-- > 0;) {
		uint32_t parent = region->contexts[i].parent;

		if (parent != PROFILE_NONE)
			cost_add(tree->inclusive + parent * tree->width, tree->inclusive + i * tree->width,
				 tree->n_models);
	}
}

void call_tree_init(struct call_tree *tree, const struct profile *profile, uint32_t region,
		    const struct estimate *estimates, size_t n_models)
{
	const struct profile_region *counted = &profile->regions[region];
	struct cost_split split;

	*tree = (struct call_tree){.profile = profile,
				   .region = counted,
				   .n_models = n_models,
				   .width = cost_width(n_models)};
	tree->exclusive = xcalloc(counted->n_contexts * tree->width, sizeof(*tree->exclusive));
	tree->inclusive = xcalloc(counted->n_contexts * tree->width, sizeof(*tree->inclusive));
	tree->functions_of = xcalloc(counted->n_contexts, sizeof(*tree->functions_of));
	cost_split_init(&split, profile, counted, estimates, n_models);
	for (size_t i = 0; i < counted->n_contexts; i++) {
		const struct profile_context *context = &counted->contexts[i];

		for (size_t k = 0; k < context->n_runs; k++) {
			const struct profile_context_run *run = &counted->context_runs[context->first_run + k];

			for (uint32_t n = 0; n < run->n_insns; n++)
				cost_split_add(&split, run->first + n, run->executions,
					       tree->exclusive + i * tree->width);
		}
	}
	cost_split_deinit(&split);
	add_up(tree);
	name_functions(tree);
}

void call_tree_deinit(struct call_tree *tree)
{
	for (size_t i = 0; i < tree->n_functions; i++)
		free(tree->functions[i].name);
	free(tree->functions);
	free(tree->functions_of);
	free(tree->exclusive);
	free(tree->inclusive);
	*tree = (struct call_tree){0};
}
