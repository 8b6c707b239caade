#include "costmodels/estimators/p5/runs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"

/* Executions of an instruction that no run accounts for yet. */
struct flow {
	uint64_t n_without_next;   /* executions without a known successor; in add_runs(): visits that end after it */
	uint64_t n_without_before; /* executions without a known predecessor */
	bool is_transfer;	   /* may transfer control */
};

struct located_insn {
	uint64_t va;
	uint32_t insn;
};

struct builder {
	const struct profile *profile;
	const struct profile_region *region;
	struct flow *flows;	      /* [n_counts] */
	struct located_insn *located; /* [n_located] of executed instructions, by address */
	size_t n_located;
	struct run *entries; /* starts of runs, except at starts of visits; n_insns is not set */
	size_t n_entries, entries_capacity;
	struct runs *runs;
};

static uint64_t min_count(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int compare_located(const void *left, const void *right)
{
	const struct located_insn *a = left, *b = right;

	return ORDER(a->va, b->va) ?: ORDER(a->insn, b->insn);
}

static void find_located_insns(struct builder *builder)
{
	builder->located = xcalloc(builder->region->n_counts, sizeof(*builder->located));
	for (uint32_t i = 0; i < builder->region->n_counts; i++)
		if (builder->region->executions[i])
			builder->located[builder->n_located++] = (struct located_insn){builder->profile->insns[i].va,
										       i};
	qsort(builder->located, builder->n_located, sizeof(*builder->located), compare_located);
}

/* Returns the index of the first instruction at or above an address. */
static size_t find_located(const struct builder *builder, uint64_t va)
{
	return ARRAY_SEARCH(builder->n_located, i, builder->located[i].va < va);
}

static void find_flows(struct builder *builder)
{
	const struct profile_region *region = builder->region;
	struct insn insn;

	builder->flows = xcalloc(region->n_counts, sizeof(*builder->flows));
	for (size_t i = 0; i < region->n_counts; i++) {
		const struct profile_insn *from = &builder->profile->insns[i];
		struct flow *flow = &builder->flows[i];

		flow->n_without_next = flow->n_without_before = region->executions[i];
		flow->is_transfer = !insn_decode(from->bytes, from->length, &insn) || insn.flow != FLOW_NEXT;
	}
}

/* Makes `to` the successor of at most `count` executions of `from`. Returns their number. */
static uint64_t connect(struct builder *builder, uint32_t from, uint32_t to, uint64_t count)
{
	count = min_count(count, min_count(builder->flows[from].n_without_next, builder->flows[to].n_without_before));
	builder->flows[from].n_without_next -= count;
	builder->flows[to].n_without_before -= count;
	return count;
}

static void add_entry(struct builder *builder, uint32_t from, uint32_t to, uint64_t count)
{
	if (count)
		*ARRAY_ADD(builder, entries) = (struct run){from, to, 0, count};
}

static void find_edges(struct builder *builder)
{
	for (size_t i = 0; i < builder->region->edges.n_rows; i++) {
		const struct profile_transition *edge = &builder->region->edges.rows[i];

		if (edge->from < builder->region->n_counts && edge->to < builder->region->n_counts)
			add_entry(builder, edge->from, edge->to, connect(builder, edge->from, edge->to, edge->count));
	}
}

/* Adds the runs that start `count` times at `first`. Several runs result if visits ended inside. */
static void add_runs(struct builder *builder, uint32_t from, uint32_t first, uint64_t count)
{
	uint32_t n_insns = 0;

	for (uint32_t at = first; count; at = builder->runs->next[at]) {
		bool is_last = builder->runs->next[at] == PROFILE_NONE;
		uint64_t ended = is_last ? count : min_count(count, builder->flows[at].n_without_next);

		n_insns++;
		if (!ended)
			continue;
		*ARRAY_ADD(builder->runs, runs) = (struct run){from, first, n_insns, ended};
		builder->flows[at].n_without_next -= min_count(builder->flows[at].n_without_next, ended);
		count -= ended;
	}
}

static void find_fall_throughs(struct builder *builder)
{
	for (size_t i = 0; i < builder->n_located; i++) {
		uint32_t from = builder->located[i].insn;
		uint64_t next_va = builder->located[i].va + builder->profile->insns[from].length;
		uint32_t *next = &builder->runs->next[from];

		if (next_va <= builder->located[i].va)
			continue;
		for (size_t k = find_located(builder, next_va);
		     k < builder->n_located && builder->located[k].va == next_va && *next == PROFILE_NONE; k++) {
			uint32_t to = builder->located[k].insn;
			uint64_t count = connect(builder, from, to, UINT64_MAX);

			if (builder->flows[from].is_transfer)
				add_entry(builder, from, to, count);
			else if (count)
				*next = to;
		}
	}
}

void runs_init(struct runs *runs, const struct profile *profile, uint32_t region)
{
	struct builder builder = {.profile = profile, .region = &profile->regions[region], .runs = runs};
	const struct profile_region *counted = builder.region;

	*runs = (struct runs){.next = xcalloc(counted->n_counts, sizeof(*runs->next))};
	for (size_t i = 0; i < counted->n_counts; i++)
		runs->next[i] = PROFILE_NONE;
	find_located_insns(&builder);
	find_flows(&builder);
	find_edges(&builder);
	find_fall_throughs(&builder);
	for (size_t i = 0; i < builder.n_entries; i++)
		add_runs(&builder, builder.entries[i].from, builder.entries[i].first, builder.entries[i].count);
	for (size_t i = 0; i < builder.n_located; i++)
		add_runs(&builder, PROFILE_NONE, builder.located[i].insn,
			 builder.flows[builder.located[i].insn].n_without_before);
	free(builder.entries);
	free(builder.flows);
	free(builder.located);
}

void runs_deinit(struct runs *runs)
{
	free(runs->runs);
	free(runs->next);
	*runs = (struct runs){0};
}
