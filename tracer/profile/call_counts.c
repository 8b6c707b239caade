#include "profile/call_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void call_counts_deinit(struct call_counts *counts)
{
	free(counts->contexts);
	free(counts->keys);
	free(counts->depths);
	free(counts->context_slots);
	free(counts->functions);
	call_tally_deinit(&counts->tally);
	call_circles_deinit(&counts->circles);
	free(counts->sites);
	free(counts->site_slots);
	call_memory_deinit(&counts->memory);
	*counts = (struct call_counts){0};
}

static uint32_t *context_slot(const struct call_counts *counts, uint32_t parent, uint32_t site, uint32_t key)
{
	uint64_t hash = (((uint64_t)parent << 32 | site) * CALL_HASH_FACTOR ^ key) * CALL_HASH_FACTOR;
	size_t mask = counts->n_context_slots - 1;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; counts->context_slots[i]; i = (i + 1) & mask) {
		uint32_t index = counts->context_slots[i] - 1;
		const struct profile_context *context = &counts->contexts[index];

		if (context->parent == parent && context->site == site && counts->keys[index] == key)
			break;
	}
	return &counts->context_slots[i];
}

static void grow_context_slots(struct call_counts *counts)
{
	free(counts->context_slots);
	counts->n_context_slots = counts->n_context_slots ? counts->n_context_slots * 2 : 64;
	counts->context_slots = xcalloc(counts->n_context_slots, sizeof(*counts->context_slots));
	for (size_t i = 0; i < counts->n_contexts; i++) {
		const struct profile_context *context = &counts->contexts[i];

		*context_slot(counts, context->parent, context->site, counts->keys[i]) = (uint32_t)i + 1;
	}
}

/* The context at or above `context` that was entered for the same, or PROFILE_NONE. */
static uint32_t find_recursion(const struct call_counts *counts, uint32_t context, uint32_t key)
{
	while (context != PROFILE_NONE && counts->keys[context] != key)
		context = counts->contexts[context].parent;
	return context;
}

static uint32_t add_context(struct call_counts *counts, uint32_t parent, uint32_t site,
			    const struct call_callee *callee)
{
	uint32_t index = (uint32_t)counts->n_contexts;

	*ARRAY_ADD(counts, contexts) = (struct profile_context){
		.parent = parent,
		.site = site,
		.entry = callee->entry,
		.recursion_of = find_recursion(counts, parent, callee->key),
	};
	counts->keys = array_reserve(counts->keys, &counts->keys_capacity, counts->n_contexts, sizeof(*counts->keys));
	counts->keys[index] = callee->key;
	counts->functions = array_reserve(counts->functions, &counts->functions_capacity, counts->n_contexts,
					  sizeof(*counts->functions));
	counts->functions[index] = callee->function;
	counts->depths = array_reserve(counts->depths, &counts->depths_capacity, counts->n_contexts,
				       sizeof(*counts->depths));
	counts->depths[index] = parent == PROFILE_NONE ? 0 : counts->depths[parent] + 1;
	return index;
}

struct call_position call_counts_enter(struct call_counts *counts, struct call_position from, uint32_t site,
				       const struct call_callee *callee)
{
	uint32_t *slot, index, set, parent = from.context;
	uint32_t depth = parent == PROFILE_NONE ? 0 : counts->depths[parent] + 1;
	struct profile_context *context;

	if (counts->n_contexts * 2 >= counts->n_context_slots)
		grow_context_slots(counts);
	slot = context_slot(counts, parent, site, callee->key);
	if (!*slot) {
		if (parent != PROFILE_NONE &&
		    (counts->n_contexts >= CALL_CONTEXTS_MAX || depth >= PROFILE_MAX_CALL_DEPTH)) {
			counts->is_full = true;
			return from;
		}
		*slot = add_context(counts, parent, site, callee) + 1;
	}
	index = *slot - 1;
	context = &counts->contexts[index];
	context->calls++;
	set = call_circles_enter(&counts->circles, counts->contexts, counts->functions, from.set, index);
	return (struct call_position){context->recursion_of == PROFILE_NONE ? index : context->recursion_of, set};
}

static uint32_t *site_slot(const struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall)
{
	uint64_t hash = (((uint64_t)context << 32 | insn) * CALL_HASH_FACTOR ^ syscall) * CALL_HASH_FACTOR;
	size_t mask = counts->n_site_slots - 1;
	size_t i = (size_t)(hash >> 32) & mask;

	for (; counts->site_slots[i]; i = (i + 1) & mask) {
		const struct profile_syscall_site *site = &counts->sites[counts->site_slots[i] - 1];

		if (site->context == context && site->insn == insn && site->syscall == syscall)
			break;
	}
	return &counts->site_slots[i];
}

static void grow_site_slots(struct call_counts *counts)
{
	free(counts->site_slots);
	counts->n_site_slots = counts->n_site_slots ? counts->n_site_slots * 2 : 64;
	counts->site_slots = xcalloc(counts->n_site_slots, sizeof(*counts->site_slots));
	for (size_t i = 0; i < counts->n_sites; i++)
		*site_slot(counts, counts->sites[i].context, counts->sites[i].insn,
			   counts->sites[i].syscall) = (uint32_t)i + 1;
}

void call_counts_add_syscall(struct call_counts *counts, uint32_t context, uint32_t insn, uint32_t syscall)
{
	uint32_t *slot;

	if (counts->n_sites * 2 >= counts->n_site_slots)
		grow_site_slots(counts);
	slot = site_slot(counts, context, insn, syscall);
	if (!*slot) {
		*ARRAY_ADD(counts,
			   sites) = (struct profile_syscall_site){.context = context, .insn = insn, .syscall = syscall};
		*slot = (uint32_t)counts->n_sites;
	}
	counts->sites[*slot - 1].count++;
}

static int compare_indices(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The instructions that one context executed, and how often. */
struct executed {
	uint64_t *executions; /* [n_insns], 0 but for those listed */
	uint32_t *insns;
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

static void sort(struct executed *executed)
{
	if (executed->n_insns)
		qsort(executed->insns, executed->n_insns, sizeof(*executed->insns), compare_indices);
}

/* One of those executed, of which nothing is left then. */
static struct profile_context_run take_run(struct executed *executed, size_t i)
{
	uint32_t insn = executed->insns[i];
	struct profile_context_run run = {insn, 1, executed->executions[insn]};

	executed->executions[insn] = 0;
	return run;
}

static void finish_contexts(struct call_counts *counts, const struct profile *profile, struct profile_region *region,
			    struct executed *executed)
{
	const struct call_tally *tally = &counts->tally;
	size_t next = 0;

	region->contexts = counts->contexts;
	region->n_contexts = counts->n_contexts;
	region->contexts_capacity = counts->contexts_capacity;
	counts->contexts = NULL;
	call_tally_sort(&counts->tally);
	for (size_t i = 0; i < region->n_contexts; i++) {
		for (; next < tally->n_counters && tally->counters[next].number == i; next++)
			add_block(executed, profile, &tally->counters[next]);
		sort(executed);
		for (size_t k = 0; k < executed->n_insns; k++)
			profile_add_context_run(region, &region->contexts[i], take_run(executed, k));
		executed->n_insns = 0;
	}
}

struct membership {
	uint32_t function, set;
};

static int compare_memberships(const void *left, const void *right)
{
	const struct membership *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->set < b->set ? -1 : a->set > b->set;
}

static struct membership *sort_memberships(const struct call_circles *circles)
{
	struct membership *memberships = xcalloc(circles->n_members, sizeof(*memberships));
	size_t n = 0;

	for (uint32_t set = 0; set < circles->n_sets; set++)
		for (uint32_t i = 0; i < circles->sets[set].n_members; i++)
			memberships[n++] = (struct membership){circles->members[circles->sets[set].first + i], set};
	if (n)
		qsort(memberships, n, sizeof(*memberships), compare_memberships);
	return memberships;
}

/* What ran under all sets that a function is in. */
static void finish_circles(struct call_counts *counts, const struct profile *profile, struct profile_region *region,
			   struct executed *executed)
{
	struct call_circles *circles = &counts->circles;
	struct membership *memberships = sort_memberships(circles);
	size_t *first = xcalloc(circles->n_sets + 1, sizeof(*first)); /* counter, by set */
	size_t next = 0;

	call_tally_sort(&circles->tally);
	for (size_t set = 0; set <= circles->n_sets; set++) {
		while (next < circles->tally.n_counters && circles->tally.counters[next].number < set)
			next++;
		first[set] = next;
	}
	for (size_t i = 0; i < circles->n_members;) {
		struct profile_circle *circle = ARRAY_ADD(region, circles);

		circle->function = memberships[i].function;
		for (; i < circles->n_members && memberships[i].function == circle->function; i++)
			for (size_t k = first[memberships[i].set]; k < first[memberships[i].set + 1]; k++)
				add_block(executed, profile, &circles->tally.counters[k]);
		sort(executed);
		for (size_t k = 0; k < executed->n_insns; k++)
			profile_add_circle_run(region, circle, take_run(executed, k));
		executed->n_insns = 0;
	}
	free(first);
	free(memberships);
}

void call_counts_finish(struct call_counts *counts, const struct profile *profile, struct profile_region *region)
{
	struct executed executed = {.executions = xcalloc(profile->n_insns, sizeof(*executed.executions))};

	finish_contexts(counts, profile, region, &executed);
	finish_circles(counts, profile, region, &executed);
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
