#include <stdlib.h>

#include "base/array.h"
#include "profile/flow.h"
#include "profile/format.h"

/* What a place takes while its region is read. */
#define PLACE_BYTES (2 * sizeof(uint32_t) + 4 * sizeof(uint64_t) + sizeof(struct flow_place))

struct region_loader {
	struct byte_reader *reader;
	struct profile *profile;
	uint32_t region;
	struct format_counts counts;
};

static void get_syscalls(struct byte_reader *reader, struct profile_region *region)
{
	size_t n = bytes_get_number(reader, 4, 2 * sizeof(*region->syscalls));

	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_syscall *call = ARRAY_ADD(region, syscalls);

		call->number = bytes_get_int(reader);
		call->is_int80 = bytes_get_limited(reader, 1);
		call->name = bytes_get_text(reader);
		call->count = format_get_count(reader);
	}
}

static void get_facts(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	struct profile *profile = loader->profile;
	struct profile_region *region;

	bytes_charge(reader, 1, 2 * sizeof(*region));
	region = ARRAY_ADD(profile, regions);
	region->part_of = region->thread = PROFILE_NONE;
	loader->region = (uint32_t)profile->n_regions - 1;
	region->name = bytes_get_text(reader);
	region->handlers_of = format_get_index(reader, loader->region);
	region->n_markers = (uint32_t)bytes_get_limited(reader, UINT32_MAX);
	region->visits = format_get_count(reader);
	region->visits_cut = format_get_count(reader);
	region->visits_left = format_get_count(reader);
	region->unmatched_ends = format_get_count(reader);
	region->tracing_ns = format_get_count(reader);
	get_syscalls(reader, region);
}

static void get_places(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	size_t n_insns = loader->profile->n_insns, n_runs = bytes_get_number(reader, 2, 0), next = 0;
	struct format_counts *counts = &loader->counts;
	size_t capacity = 0;

	for (size_t i = 0; i < n_runs && !reader->problem; i++) {
		size_t start = next + bytes_get_limited(reader, n_insns - next);
		size_t n = bytes_get_limited(reader, n_insns - start);

		if (!bytes_charge(reader, n, PLACE_BYTES))
			break;
		counts->places = array_reserve(counts->places, &capacity, counts->n_places + n,
					       sizeof(*counts->places));
		for (next = start; next < start + n; next++)
			counts->places[counts->n_places++] = (uint32_t)next;
	}
}

static void get_counts(struct region_loader *loader)
{
	struct format_counts *counts = &loader->counts;

	counts->insns = loader->profile->insns;
	counts->executions = xcalloc(counts->n_places, sizeof(*counts->executions));
	format_io_counts(&(struct bytes_io){.reader = loader->reader}, counts);
	if (loader->reader->problem)
		return;
	for (size_t i = 0; i < counts->n_places; i++)
		if (counts->executions[i])
			profile_count(loader->profile, loader->region, counts->places[i], counts->executions[i], 0);
	for (size_t i = 0; i < counts->n_edges; i++)
		profile_count_edge(loader->profile, loader->region, counts->places[counts->edges[i].from],
				   counts->places[counts->edges[i].to], counts->edges[i].count);
}

static void get_iterations(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	size_t n = bytes_get_number(reader, 2, 0), next = 0;

	for (size_t i = 0; i < n && !reader->problem; i++) {
		size_t place = next + bytes_get_limited(reader, loader->counts.n_places - next);
		uint64_t iterations = bytes_get_uint(reader);

		if (place == loader->counts.n_places) {
			bytes_fail(reader, "iterations are of no instruction");
			return;
		}
		/* Sums of a region must not wrap. */
		if (iterations > INT64_MAX - loader->counts.total) {
			bytes_fail(reader, "its counts are too large");
			return;
		}
		loader->counts.total += iterations;
		profile_count(loader->profile, loader->region, loader->counts.places[place], 0, iterations);
		next = place + 1;
	}
}

void format_get_region(struct byte_reader *reader, struct profile *profile)
{
	struct region_loader loader = {.reader = reader, .profile = profile};
	size_t memory_left_bytes;

	get_facts(&loader);
	if (profile->n_insns > 0)
		bytes_charge(reader, 2 * profile->n_insns, 2 * sizeof(uint64_t));
	memory_left_bytes = reader->memory_left_bytes;
	get_places(&loader);
	if (!reader->problem)
		get_counts(&loader);
	if (!reader->problem)
		get_iterations(&loader);
	if (!reader->problem) {
		reader->memory_left_bytes = memory_left_bytes;
		bytes_charge(reader, loader.counts.n_edges, FORMAT_EDGE_BYTES);
	}
	free(loader.counts.places);
	free(loader.counts.executions);
	free(loader.counts.edges);
}
