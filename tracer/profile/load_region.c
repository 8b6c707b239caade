#include <stdlib.h>

#include "base/array.h"
#include "profile/flow.h"
#include "profile/format.h"

/* What a place takes while its region is read, and an edge for good. */
#define PLACE_BYTES (sizeof(uint32_t) + sizeof(uint32_t) + 3 * sizeof(uint64_t))
#define EDGE_BYTES (sizeof(uint32_t) + 2 * sizeof(struct profile_edge) + 4 * sizeof(uint32_t))

struct region_loader {
	struct byte_reader *reader;
	struct profile *profile;
	uint32_t region;
	uint32_t *insns;   /* [n_places] index of the instruction; ascending */
	uint32_t *degrees; /* [n_places] edges that leave from it */
	size_t n_places;
	uint32_t *targets; /* [n_edges] places */
	size_t n_edges;
	uint64_t total; /* of executions and iterations so far */
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
	size_t capacity = 0;

	for (size_t i = 0; i < n_runs && !reader->problem; i++) {
		size_t start = next + bytes_get_limited(reader, n_insns - next);
		size_t n = bytes_get_limited(reader, n_insns - start);

		if (!bytes_charge(reader, n, PLACE_BYTES))
			break;
		loader->insns = array_reserve(loader->insns, &capacity, loader->n_places + n, sizeof(*loader->insns));
		for (next = start; next < start + n; next++)
			loader->insns[loader->n_places++] = (uint32_t)next;
	}
}

static void get_edges(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	size_t edge = 0;

	loader->degrees = xcalloc(loader->n_places, sizeof(*loader->degrees));
	for (size_t place = 0; place < loader->n_places && !reader->problem; place++) {
		/* A target and a count of at least a byte each follow. */
		loader->degrees[place] = (uint32_t)bytes_get_number(reader, 2, EDGE_BYTES);
		loader->n_edges += loader->degrees[place];
	}
	if (reader->problem)
		return;
	loader->targets = xcalloc(loader->n_edges, sizeof(*loader->targets));
	for (size_t place = 0; place < loader->n_places; place++) {
		for (size_t i = 0; i < loader->degrees[place]; i++, edge++) {
			uint64_t to = i == 0 ? place + (uint64_t)bytes_get_int(reader)
					     : loader->targets[edge - 1] + bytes_get_uint(reader);

			if (to >= loader->n_places) {
				bytes_fail(reader, "an edge leads nowhere");
				return;
			}
			loader->targets[edge] = (uint32_t)to;
		}
	}
}

/* Sums of a region must not wrap, nor its counts. */
static void add_count(struct region_loader *loader, size_t place, uint64_t executions, uint64_t iterations)
{
	if (executions > INT64_MAX - loader->total || iterations > INT64_MAX - loader->total - executions) {
		bytes_fail(loader->reader, "its counts are too large");
		return;
	}
	loader->total += executions + iterations;
	if (executions || iterations)
		profile_count(loader->profile, loader->region, loader->insns[place], executions, iterations);
}

static void get_counts(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	struct flow flow;
	size_t edge = 0;

	flow_init(&flow, loader->n_places);
	for (size_t place = 0; place < loader->n_places && !reader->problem; place++) {
		uint32_t insn = loader->insns[place];
		bool follows = place > 0 && format_follows(loader->profile, loader->insns[place - 1], insn);
		uint64_t executions = flow_predict_executions(&flow, place, follows) + (uint64_t)bytes_get_int(reader);

		add_count(loader, place, executions, 0);
		flow_set_executions(&flow, place, follows, executions);
		for (size_t i = 0; i < loader->degrees[place] && !reader->problem; i++, edge++) {
			size_t to = loader->targets[edge];
			uint64_t count = flow_predict_edge(&flow, place, to) + (uint64_t)bytes_get_int(reader);

			if (count > INT64_MAX)
				bytes_fail(reader, "its counts are too large");
			flow_add_edge(&flow, place, to, count);
			profile_count_edge(loader->profile, loader->region, insn, loader->insns[to], count);
		}
	}
	flow_deinit(&flow);
}

static void get_iterations(struct region_loader *loader)
{
	struct byte_reader *reader = loader->reader;
	size_t n = bytes_get_number(reader, 2, 0), next = 0;

	for (size_t i = 0; i < n && !reader->problem; i++) {
		size_t place = next + bytes_get_limited(reader, loader->n_places - next);
		uint64_t iterations = bytes_get_uint(reader);

		if (place == loader->n_places) {
			bytes_fail(reader, "iterations are of no instruction");
			return;
		}
		add_count(loader, place, 0, iterations);
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
		get_edges(&loader);
	if (!reader->problem)
		get_counts(&loader);
	if (!reader->problem)
		get_iterations(&loader);
	if (!reader->problem) {
		reader->memory_left_bytes = memory_left_bytes;
		bytes_charge(reader, loader.n_edges, EDGE_BYTES);
	}
	free(loader.insns);
	free(loader.degrees);
	free(loader.targets);
}
