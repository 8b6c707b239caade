#include <stdlib.h>

#include "base/array.h"
#include "profile/flow.h"
#include "profile/format.h"

/* An edge by the places of its ends. */
struct place_edge {
	uint32_t from, to;
	uint64_t count;
};

/* The instructions that the region executed are its places, by ascending position in the file. */
struct region_saver {
	const struct profile *profile;
	const struct profile_region *region;
	const uint32_t *order;
	uint32_t *positions; /* [n_places] of its instructions in the file */
	size_t n_places;
	struct place_edge *edges; /* [region->n_edges] by from and to */
};

static uint64_t count_at(const struct region_saver *saver, const uint64_t *counts, size_t place)
{
	uint32_t insn = saver->order[saver->positions[place]];

	return insn < saver->region->n_counts ? counts[insn] : 0;
}

static int compare_edges(const void *left, const void *right)
{
	const struct place_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void find_places(struct region_saver *saver, const uint32_t *positions)
{
	const struct profile_region *region = saver->region;
	size_t n_insns = saver->profile->n_insns;
	uint32_t *places = xcalloc(n_insns, sizeof(*places)); /* by position; 1: to be one */

	for (size_t i = 0; i < region->n_counts; i++)
		if (region->executions[i] || region->iterations[i])
			places[positions[i]] = 1;
	for (size_t i = 0; i < region->n_edges; i++)
		places[positions[region->edges[i].from]] = places[positions[region->edges[i].to]] = 1;
	saver->positions = xcalloc(n_insns, sizeof(*saver->positions));
	for (uint32_t i = 0; i < n_insns; i++) {
		if (!places[i])
			continue;
		places[i] = (uint32_t)saver->n_places;
		saver->positions[saver->n_places++] = i;
	}
	saver->edges = xcalloc(region->n_edges, sizeof(*saver->edges));
	for (size_t i = 0; i < region->n_edges; i++)
		saver->edges[i] = (struct place_edge){places[positions[region->edges[i].from]],
						      places[positions[region->edges[i].to]], region->edges[i].count};
	qsort(saver->edges, region->n_edges, sizeof(*saver->edges), compare_edges);
	free(places);
}

/* Runs of neighbouring positions: how many are left out, how many follow. */
static void put_places(const struct region_saver *saver, struct byte_writer *out)
{
	struct byte_writer runs = {0};
	size_t n_runs = 0, next = 0;

	for (size_t i = 0; i < saver->n_places;) {
		size_t start = i;

		do
			i++;
		while (i < saver->n_places && saver->positions[i] == saver->positions[i - 1] + 1);
		bytes_put_uint(&runs, saver->positions[start] - next);
		bytes_put_uint(&runs, i - start);
		next = saver->positions[i - 1] + 1;
		n_runs++;
	}
	bytes_put_uint(out, n_runs);
	bytes_put_raw(out, runs.bytes, runs.n_bytes);
	free(runs.bytes);
}

static void put_edges(const struct region_saver *saver, struct byte_writer *out)
{
	size_t n_edges = saver->region->n_edges;

	for (size_t place = 0, edge = 0; place < saver->n_places; place++) {
		size_t first = edge;

		while (edge < n_edges && saver->edges[edge].from == place)
			edge++;
		bytes_put_uint(out, edge - first);
	}
	for (size_t i = 0; i < n_edges; i++) {
		const struct place_edge *edge = &saver->edges[i];

		if (i > 0 && edge[-1].from == edge->from)
			bytes_put_uint(out, edge->to - edge[-1].to);
		else
			bytes_put_int(out, (int64_t)edge->to - edge->from);
	}
}

static void put_counts(const struct region_saver *saver, struct byte_writer *out)
{
	size_t n_edges = saver->region->n_edges, edge = 0;
	struct flow flow;

	flow_init(&flow, saver->n_places);
	for (size_t place = 0; place < saver->n_places; place++) {
		uint64_t executions = count_at(saver, saver->region->executions, place);
		bool follows = place > 0 && format_follows(saver->profile, saver->order[saver->positions[place - 1]],
							   saver->order[saver->positions[place]]);

		bytes_put_int(out, (int64_t)(executions - flow_predict_executions(&flow, place, follows)));
		flow_set_executions(&flow, place, follows, executions);
		for (; edge < n_edges && saver->edges[edge].from == place; edge++) {
			const struct place_edge *added = &saver->edges[edge];

			bytes_put_int(out, (int64_t)(added->count - flow_predict_edge(&flow, place, added->to)));
			flow_add_edge(&flow, place, added->to, added->count);
		}
	}
	flow_deinit(&flow);
}

static void put_iterations(const struct region_saver *saver, struct byte_writer *out)
{
	struct byte_writer rows = {0};
	size_t n_rows = 0, next = 0;

	for (size_t place = 0; place < saver->n_places; place++) {
		uint64_t iterations = count_at(saver, saver->region->iterations, place);

		if (!iterations)
			continue;
		bytes_put_uint(&rows, place - next);
		bytes_put_uint(&rows, iterations);
		next = place + 1;
		n_rows++;
	}
	bytes_put_uint(out, n_rows);
	bytes_put_raw(out, rows.bytes, rows.n_bytes);
	free(rows.bytes);
}

static void put_facts(const struct profile_region *region, struct byte_writer *out)
{
	bytes_put_text(out, region->name);
	bytes_put_uint(out, region->handlers_of == PROFILE_NONE ? 0 : (uint64_t)region->handlers_of + 1);
	bytes_put_uint(out, region->n_markers);
	bytes_put_uint(out, region->visits);
	bytes_put_uint(out, region->visits_cut);
	bytes_put_uint(out, region->visits_left);
	bytes_put_uint(out, region->unmatched_ends);
	bytes_put_uint(out, region->tracing_ns);
	bytes_put_uint(out, region->n_syscalls);
	for (size_t i = 0; i < region->n_syscalls; i++) {
		bytes_put_int(out, region->syscalls[i].number);
		bytes_put_uint(out, region->syscalls[i].is_int80);
		bytes_put_text(out, region->syscalls[i].name);
		bytes_put_uint(out, region->syscalls[i].count);
	}
}

void format_put_region(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		       const uint32_t *positions, struct byte_writer *out)
{
	struct region_saver saver = {.profile = profile, .region = region, .order = order};

	find_places(&saver, positions);
	put_facts(region, out);
	put_places(&saver, out);
	put_edges(&saver, out);
	put_counts(&saver, out);
	put_iterations(&saver, out);
	free(saver.positions);
	free(saver.edges);
}
