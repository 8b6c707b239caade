#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "savefile/content.h"

struct sorting {
	const struct profile *profile;
	uint32_t *order;       /* [n_insns] old index by new index */
	uint32_t *new_indices; /* [n_insns] new index by old index */
};

static int compare_insns(const void *left, const void *right, void *context)
{
	const struct profile_insn *insns = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return ORDER(insns[a].va, insns[b].va) ?: ORDER(a, b);
}

static void sort_insns(struct sorting *sorting, struct profile *sorted)
{
	const struct profile *profile = sorting->profile;
	size_t n = profile->n_insns;

	sorting->order = xcalloc(n, sizeof(*sorting->order));
	sorting->new_indices = xcalloc(n, sizeof(*sorting->new_indices));
	for (uint32_t i = 0; i < n; i++)
		sorting->order[i] = i;
	qsort_r(sorting->order, n, sizeof(*sorting->order), compare_insns, profile->insns);
	sorted->insns = xcalloc(n, sizeof(*sorted->insns));
	for (uint32_t i = 0; i < n; i++) {
		sorting->new_indices[sorting->order[i]] = i;
		sorted->insns[i] = profile->insns[sorting->order[i]];
	}
}

/* Returns a new array of counts by instruction, and sets *n_sorted to its length up to the last nonzero count. */
static uint64_t *sort_counts(const struct sorting *sorting, const uint64_t *counts, size_t n_counts, size_t *n_sorted)
{
	uint64_t *sorted = xcalloc(sorting->profile->n_insns, sizeof(*sorted));

	for (size_t i = 0; i < n_counts; i++) {
		sorted[sorting->new_indices[i]] = counts[i];
		if (counts[i] && sorting->new_indices[i] >= *n_sorted)
			*n_sorted = (size_t)sorting->new_indices[i] + 1;
	}
	return sorted;
}

static void *copy(const void *rows, size_t n_rows, size_t row_bytes)
{
	void *result = xcalloc(n_rows, row_bytes);

	if (n_rows > 0)
		memcpy(result, rows, n_rows * row_bytes);
	return result;
}

static int compare_transitions(const void *left, const void *right)
{
	const struct profile_transition *a = left, *b = right;

	/* PROFILE_NONE + 1 wraps to 0 and sorts first. */
	return ORDER(a->from + 1, b->from + 1) ?: ORDER(a->to, b->to);
}

/* Replaces the rows with sorted ones. `new_indices` renumbers `from` and `to`, unless NULL. */
static void sort_transitions(struct profile_transitions *counts, const uint32_t *new_indices)
{
	counts->rows = copy(counts->rows, counts->n_rows, sizeof(*counts->rows));
	for (size_t i = 0; new_indices && i < counts->n_rows; i++) {
		counts->rows[i].from = new_indices[counts->rows[i].from];
		counts->rows[i].to = new_indices[counts->rows[i].to];
	}
	qsort(counts->rows, counts->n_rows, sizeof(*counts->rows), compare_transitions);
}

static int compare_runs(const void *left, const void *right)
{
	const struct profile_context_run *a = left, *b = right;

	return ORDER(a->first, b->first);
}

/* Sorting gives instructions other neighbours. Therefore this splits the runs of a context into single instructions
 * (`singles`), sorts them, and joins them again. */
static void sort_runs_of(const struct sorting *sorting, const struct profile_region *from,
			 const struct profile_context *context, struct profile_region *to,
			 struct profile_region *singles)
{
	struct profile_context *made = &to->contexts[context - from->contexts];

	singles->n_context_runs = 0;
	for (size_t k = 0; k < context->n_runs; k++) {
		const struct profile_context_run *run = &from->context_runs[context->first_run + k];

		for (uint32_t i = 0; i < run->n_insns; i++)
			*ARRAY_ADD(singles, context_runs) =
				(struct profile_context_run){sorting->new_indices[run->first + i], 1, run->executions};
	}
	if (singles->n_context_runs > 0)
		qsort(singles->context_runs, singles->n_context_runs, sizeof(*singles->context_runs), compare_runs);
	made->first_run = to->n_context_runs;
	made->n_runs = 0;
	for (size_t i = 0; i < singles->n_context_runs; i++)
		profile_add_context_run(to, made, singles->context_runs[i]);
}

static void sort_calls(const struct sorting *sorting, const struct profile_region *from, struct profile_region *to)
{
	struct profile_region singles = {0};

	to->contexts = copy(from->contexts, from->n_contexts, sizeof(*from->contexts));
	to->context_runs = NULL;
	to->n_context_runs = to->context_runs_capacity = 0;
	for (size_t i = 0; i < from->n_contexts; i++) {
		struct profile_context *context = &to->contexts[i];

		context->entry = sorting->new_indices[context->entry];
		if (context->site != PROFILE_NONE)
			context->site = sorting->new_indices[context->site];
		sort_runs_of(sorting, from, &from->contexts[i], to, &singles);
	}
	free(singles.context_runs);
	to->syscall_sites = copy(from->syscall_sites, from->n_syscall_sites, sizeof(*from->syscall_sites));
	for (size_t i = 0; i < to->n_syscall_sites; i++)
		to->syscall_sites[i].insn = sorting->new_indices[to->syscall_sites[i].insn];
	to->allocations = copy(from->allocations, from->n_allocations, sizeof(*from->allocations));
	for (size_t i = 0; i < to->n_allocations; i++)
		to->allocations[i].insn = sorting->new_indices[to->allocations[i].insn];
	profile_sort_call_sites(to);
}

static void sort_tally(const struct sorting *sorting, struct profile_tally *tally)
{
	size_t n_sorted = 0;

	tally->counts = sort_counts(sorting, tally->counts, tally->n_counts, &n_sorted);
	tally->n_counts = n_sorted;
}

static void sort_region(const struct sorting *sorting, const struct profile_region *from, struct profile_region *to)
{
	size_t n_misses = sorting->profile->n_caches * N_PROFILE_MISSES, n_sorted = 0;

	*to = *from;
	to->executions = sort_counts(sorting, from->executions, from->n_counts, &n_sorted);
	to->iterations = sort_counts(sorting, from->iterations, from->n_counts, &n_sorted);
	to->n_counts = n_sorted;
	sort_transitions(&to->edges, sorting->new_indices);
	sort_transitions(&to->pairs, NULL);
	sort_tally(sorting, &to->mispredicts);
	if (from->misses)
		to->misses = copy(from->misses, n_misses, sizeof(*from->misses));
	for (size_t i = 0; from->misses && i < n_misses; i++)
		sort_tally(sorting, &to->misses[i]);
	sort_calls(sorting, from, to);
}

void sorted_init(struct profile *sorted, const struct profile *profile)
{
	struct sorting sorting = {.profile = profile};

	*sorted = *profile;
	sort_insns(&sorting, sorted);
	sorted->path_insns = copy(profile->path_insns, profile->n_path_insns, sizeof(*profile->path_insns));
	for (size_t i = 0; i < profile->n_path_insns; i++)
		sorted->path_insns[i] = sorting.new_indices[profile->path_insns[i]];
	sorted->regions = xcalloc(profile->n_regions, sizeof(*sorted->regions));
	for (size_t i = 0; i < profile->n_regions; i++)
		sort_region(&sorting, &profile->regions[i], &sorted->regions[i]);
	free(sorting.order);
	free(sorting.new_indices);
}

void sorted_deinit(struct profile *sorted)
{
	for (size_t i = 0; i < sorted->n_regions; i++) {
		struct profile_region *region = &sorted->regions[i];

		for (size_t k = 0; region->misses && k < sorted->n_caches * N_PROFILE_MISSES; k++)
			free(region->misses[k].counts);
		free(region->misses);
		free(region->mispredicts.counts);
		free(region->executions);
		free(region->iterations);
		free(region->edges.rows);
		free(region->pairs.rows);
		free(region->contexts);
		free(region->context_runs);
		free(region->syscall_sites);
		free(region->allocations);
	}
	free(sorted->regions);
	free(sorted->path_insns);
	free(sorted->insns);
}
