#include "recorders/call_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "base/order.h"

void call_counts_deinit(struct call_counts *counts)
{
	free(counts->contexts);
	free(counts->keys);
	free(counts->depths);
	free(counts->context_index.slots);
	free(counts->counters);
	free(counts->counter_index.slots);
	free(counts->recent);
	free(counts->sites);
	free(counts->site_index.slots);
	call_memory_deinit(&counts->memory);
	*counts = (struct call_counts){0};
}

static bool is_context(const struct call_counts *counts, size_t index, uint32_t parent, uint32_t site, uint32_t key)
{
	const struct profile_context *context = &counts->contexts[index];

	return context->parent == parent && context->site == site && counts->keys[index] == key;
}

static uint32_t *context_slot(const struct call_counts *counts, uint32_t parent, uint32_t site, uint32_t key)
{
	return INDEX_SLOT(&counts->context_index, index_hash_three(parent, site, key), i,
			  is_context(counts, i, parent, site, key));
}

/* Returns the nearest context with `key`, from `context` upwards, or PROFILE_NONE. */
static uint32_t find_recursion(const struct call_counts *counts, uint32_t context, uint32_t key)
{
	while (context != PROFILE_NONE && counts->keys[context] != key)
		context = counts->contexts[context].parent;
	return context;
}

static uint32_t add_context(struct call_counts *counts, uint32_t parent, uint32_t site, uint32_t key, uint32_t entry)
{
	uint32_t index = (uint32_t)counts->n_contexts;

	*ARRAY_ADD(counts, contexts) = (struct profile_context){
		.parent = parent,
		.site = site,
		.entry = entry,
		.recursion_of = find_recursion(counts, parent, key),
	};
	counts->keys = array_reserve(counts->keys, &counts->keys_capacity, counts->n_contexts, sizeof(*counts->keys));
	counts->keys[index] = key;
	counts->depths = array_reserve(counts->depths, &counts->depths_capacity, counts->n_contexts,
				       sizeof(*counts->depths));
	counts->depths[index] = parent == PROFILE_NONE ? 0 : counts->depths[parent] + 1;
	return index;
}

uint32_t call_counts_enter(struct call_counts *counts, uint32_t parent, uint32_t site, uint32_t key, uint32_t entry)
{
	struct profile_context *context;
	uint32_t *slot, index, depth = parent == PROFILE_NONE ? 0 : counts->depths[parent] + 1;

	INDEX_RESERVE(&counts->context_index, counts->n_contexts, i,
		      context_slot(counts, counts->contexts[i].parent, counts->contexts[i].site, counts->keys[i]));
	slot = context_slot(counts, parent, site, key);
	if (!*slot) {
		if (parent != PROFILE_NONE &&
		    (counts->n_contexts >= CALL_CONTEXTS_MAX || depth >= PROFILE_MAX_CALL_DEPTH)) {
			counts->is_full = true;
			return parent;
		}
		*slot = add_context(counts, parent, site, key, entry) + 1;
	}
	index = *slot - 1;
	context = &counts->contexts[index];
	context->calls++;
	return context->recursion_of == PROFILE_NONE ? index : context->recursion_of;
}

static uint32_t *counter_slot(const struct call_counts *counts, uint32_t context, uint32_t block)
{
	return INDEX_SLOT(&counts->counter_index, index_hash_pair(context, block), i,
			  counts->counters[i].context == context && counts->counters[i].block == block);
}

uint32_t call_counts_find_counter(struct call_counts *counts, uint32_t context, uint32_t block)
{
	uint32_t *slot;

	INDEX_RESERVE(&counts->counter_index, counts->n_counters, i,
		      counter_slot(counts, counts->counters[i].context, counts->counters[i].block));
	slot = counter_slot(counts, context, block);
	if (!*slot) {
		*ARRAY_ADD(counts, counters) = (struct call_counter){.context = context, .block = block};
		*slot = (uint32_t)counts->n_counters;
	}
	counts->recent = array_reserve(counts->recent, &counts->recent_capacity, (size_t)block + 1,
				       sizeof(*counts->recent));
	counts->recent[block] = (struct call_recent){.context_plus_1 = context + 1, .counter = *slot - 1};
	return *slot - 1;
}

static bool is_syscall_site(const struct profile_syscall_site *site, uint32_t context, uint32_t insn, uint32_t syscall)
{
	return site->context == context && site->insn == insn && site->syscall == syscall;
}

static uint32_t *syscall_site_slot(const struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall)
{
	return INDEX_SLOT(&counts->site_index, index_hash_three(context, insn, syscall), i,
			  is_syscall_site(&counts->sites[i], context, insn, syscall));
}

void call_counts_add_syscall(struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall)
{
	uint32_t *slot;

	INDEX_RESERVE(&counts->site_index, counts->n_sites, i,
		      syscall_site_slot(counts, counts->sites[i].context, counts->sites[i].insn,
					counts->sites[i].syscall));
	slot = syscall_site_slot(counts, context, insn, syscall);
	if (!*slot) {
		*ARRAY_ADD(counts,
			   sites) = (struct profile_syscall_site){.context = context, .insn = insn, .syscall = syscall};
		*slot = (uint32_t)counts->n_sites;
	}
	counts->sites[*slot - 1].count++;
}

static int compare_counters(const void *left, const void *right)
{
	const struct call_counter *a = left, *b = right;

	return ORDER(a->context, b->context) ?: ORDER(a->block, b->block);
}

static int compare_indices(const void *left, const void *right)
{
	return ORDER(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* Executions of the instructions of one context. */
struct executed {
	uint64_t *executions; /* [n_insns of the profile] */
	uint32_t *insns;      /* [n_insns] the instructions with executions */
	size_t n_insns, insns_capacity;
};

static void add_block(struct executed *executed, const struct profile *profile, const struct call_counter *counter)
{
	const struct profile_block *block = &profile->blocks[counter->block];

	for (size_t i = 0; i < block->n_insns; i++) {
		uint32_t insn = profile->block_insns[block->first + i];

		if (!executed->executions[insn])
			*ARRAY_ADD(executed, insns) = insn;
		executed->executions[insn] += counter->executions;
	}
}

static void put_runs(struct executed *executed, struct profile_region *region, struct profile_context *context)
{
	qsort(executed->insns, executed->n_insns, sizeof(*executed->insns), compare_indices);
	for (size_t i = 0; i < executed->n_insns; i++) {
		uint32_t insn = executed->insns[i];

		profile_add_context_run(region, context,
					(struct profile_context_run){insn, 1, executed->executions[insn]});
		executed->executions[insn] = 0;
	}
	executed->n_insns = 0;
}

void call_counts_finish(struct call_counts *counts, const struct profile *profile, struct profile_region *region)
{
	struct executed executed = {.executions = xcalloc(profile->n_insns, sizeof(*executed.executions))};
	size_t next = 0;

	region->contexts = counts->contexts;
	region->n_contexts = counts->n_contexts;
	region->contexts_capacity = counts->contexts_capacity;
	if (counts->n_counters)
		qsort(counts->counters, counts->n_counters, sizeof(*counts->counters), compare_counters);
	for (size_t i = 0; i < region->n_contexts; i++) {
		for (; next < counts->n_counters && counts->counters[next].context == i; next++)
			add_block(&executed, profile, &counts->counters[next]);
		put_runs(&executed, region, &region->contexts[i]);
	}
	counts->contexts = NULL;
	region->syscall_sites = counts->sites;
	region->n_syscall_sites = counts->n_sites;
	region->syscall_sites_capacity = counts->sites_capacity;
	counts->sites = NULL;
	call_memory_finish(&counts->memory, region);
	profile_sort_call_sites(region);
	call_counts_deinit(counts);
	free(executed.executions);
	free(executed.insns);
}
