#include <stdlib.h>

#include "base/array.h"
#include "profile/format.h"

/* The instructions that the region executed are its places, by ascending position in the file. */
struct region_saver {
	const struct profile_region *region;
	struct format_counts counts;
	uint32_t *insns; /* [n_places] indices */
};

static int compare_edges(const void *left, const void *right)
{
	const struct flow_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

struct flow_edge *format_sort_edges(const struct profile_region *region, const uint32_t *places)
{
	struct flow_edge *edges = xcalloc(region->n_edges, sizeof(*edges));

	for (size_t i = 0; i < region->n_edges; i++)
		edges[i] = (struct flow_edge){places ? places[region->edges[i].from] : region->edges[i].from,
					      places ? places[region->edges[i].to] : region->edges[i].to,
					      region->edges[i].count};
	if (region->n_edges > 0)
		qsort(edges, region->n_edges, sizeof(*edges), compare_edges);
	return edges;
}

static void find_places(struct region_saver *saver, size_t n_insns, const uint32_t *positions)
{
	const struct profile_region *region = saver->region;
	struct format_counts *counts = &saver->counts;
	uint32_t *places = xcalloc(n_insns, sizeof(*places)); /* by position; 1: to be one */
	uint32_t *insns = xcalloc(n_insns, sizeof(*insns));   /* by position */

	for (uint32_t i = 0; i < n_insns; i++)
		insns[positions[i]] = i;
	for (size_t i = 0; i < region->n_counts; i++)
		if (region->executions[i] || region->iterations[i])
			places[positions[i]] = 1;
	for (size_t i = 0; i < region->n_edges; i++)
		places[positions[region->edges[i].from]] = places[positions[region->edges[i].to]] = 1;
	counts->places = xcalloc(n_insns, sizeof(*counts->places));
	counts->executions = xcalloc(n_insns, sizeof(*counts->executions));
	saver->insns = xcalloc(n_insns, sizeof(*saver->insns));
	for (uint32_t i = 0; i < n_insns; i++) {
		if (!places[i])
			continue;
		places[i] = (uint32_t)counts->n_places;
		saver->insns[counts->n_places] = insns[i];
		counts->executions[counts->n_places] = insns[i] < region->n_counts ? region->executions[insns[i]] : 0;
		counts->places[counts->n_places++] = i;
	}
	for (uint32_t i = 0; i < n_insns; i++)
		insns[i] = places[positions[i]];
	counts->edges = format_sort_edges(region, insns);
	counts->n_edges = region->n_edges;
	free(places);
	free(insns);
}

/* Runs of neighbouring positions: how many are left out, how many follow. */
static void put_places(const struct format_counts *counts, struct byte_writer *out)
{
	size_t n_runs = 0, next = 0;

	for (size_t i = 0; i < counts->n_places; i++)
		n_runs += i == 0 || counts->places[i] != counts->places[i - 1] + 1;
	bytes_put_uint(out, n_runs);
	for (size_t i = 0; i < counts->n_places;) {
		size_t start = i;

		do
			i++;
		while (i < counts->n_places && counts->places[i] == counts->places[i - 1] + 1);
		bytes_put_uint(out, counts->places[start] - next);
		bytes_put_uint(out, i - start);
		next = counts->places[i - 1] + 1;
	}
}

static uint64_t iterations_at(const struct region_saver *saver, size_t place)
{
	uint32_t insn = saver->insns[place];

	return insn < saver->region->n_counts ? saver->region->iterations[insn] : 0;
}

static void put_iterations(const struct region_saver *saver, struct byte_writer *out)
{
	size_t n_rows = 0, next = 0;

	for (size_t place = 0; place < saver->counts.n_places; place++)
		n_rows += iterations_at(saver, place) > 0;
	bytes_put_uint(out, n_rows);
	for (size_t place = 0; place < saver->counts.n_places; place++) {
		uint64_t iterations = iterations_at(saver, place);

		if (!iterations)
			continue;
		bytes_put_uint(out, place - next);
		bytes_put_uint(out, iterations);
		next = place + 1;
	}
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

void format_put_region(const struct profile *profile, const struct profile_region *region,
		       const struct profile_insn *insns, const uint32_t *positions, struct byte_writer *out)
{
	struct region_saver saver = {.region = region, .counts = {.insns = insns}};

	find_places(&saver, profile->n_insns, positions);
	put_facts(region, out);
	put_places(&saver.counts, out);
	format_io_counts(&(struct bytes_io){.writer = out}, &saver.counts);
	put_iterations(&saver, out);
	free(saver.counts.places);
	free(saver.counts.executions);
	free(saver.counts.edges);
	free(saver.insns);
}
