/* Serializes regions. */
#include <stdlib.h>

#include "base/array.h"
#include "savefile/content.h"

static void serialize_name(struct io *io, const struct profile *profile, struct profile_region *region)
{
	uint32_t i = (uint32_t)(region - profile->regions);

	IO_TEXT(io, COLUMN_REGIONS, region->name);
	IO_INDEX(io, COLUMN_REGIONS, region->handlers_of, PROFILE_NONE, i);
	IO_INDEX(io, COLUMN_REGIONS, region->all_threads_region, PROFILE_NONE, i);
	IO_INDEX(io, COLUMN_REGIONS, region->thread, PROFILE_NONE, profile->n_threads);
	io_require(io, (region->all_threads_region == PROFILE_NONE) == (region->thread == PROFILE_NONE),
		   "a per-thread region names no thread");
	if (region->all_threads_region != PROFILE_NONE)
		io_require(io, profile->regions[region->all_threads_region].all_threads_region == PROFILE_NONE,
			   "a per-thread region names another per-thread region");
	IO_UINT(io, COLUMN_REGIONS, region->n_markers, UINT32_MAX);
	IO_COUNT(io, COLUMN_REGIONS, region->visits);
	IO_COUNT(io, COLUMN_REGIONS, region->visits_cut);
	IO_COUNT(io, COLUMN_REGIONS, region->visits_left);
	IO_COUNT(io, COLUMN_REGIONS, region->unmatched_ends);
	IO_COUNT(io, COLUMN_REGIONS, region->tracing_ns);
}

static void serialize_syscall(struct io *io, struct profile_syscall *call)
{
	IO_INT(io, COLUMN_SYSCALLS, call->number);
	IO_UINT(io, COLUMN_SYSCALLS, call->is_int80, 1);
	IO_TEXT(io, COLUMN_SYSCALLS, call->name);
	IO_COUNT(io, COLUMN_SYSCALLS, call->count);
}

static void serialize_thread_totals(struct io *io, const struct profile *profile, struct profile_thread_totals *totals,
				    uint32_t next)
{
	IO_VALID_INDEX(io, COLUMN_THREAD_TOTALS, totals->thread, next, profile->n_threads);
	io_require(io, totals->thread >= next, "threads are not in order");
	IO_COUNT(io, COLUMN_THREAD_TOTALS, totals->visits);
	IO_COUNT(io, COLUMN_THREAD_TOTALS, totals->executions);
}

/* Executions are stored as differences, because most neighbours execute equally often. */
static void serialize_execution(struct io *io, struct profile_region *region)
{
	uint64_t total = 0, before = 0;

	for (size_t i = 0; i < region->n_counts && !io->problem; i++) {
		IO_DIFFERENCE(io, COLUMN_EXECUTIONS, region->executions[i], before);
		before = region->executions[i];
		IO_UINT(io, COLUMN_ITERATIONS, region->iterations[i], INT64_MAX);
		/* The sums of a region must not overflow. */
		io_require(io, before <= INT64_MAX - total, "its counts are too large");
		total += before;
		io_require(io, region->iterations[i] <= INT64_MAX - total, "its counts are too large");
		total += region->iterations[i];
	}
}

static void serialize_counts(struct io *io, const struct profile *profile, struct profile_region *region)
{
	size_t n = region->n_counts;

	IO_UINT(io, COLUMN_REGIONS, n, profile->n_insns);
	if (io->is_reading && n > 0 && io_charge(io, n, 2 * sizeof(uint64_t))) {
		region->executions = xcalloc(n, sizeof(*region->executions));
		region->iterations = xcalloc(n, sizeof(*region->iterations));
		region->n_counts = region->counts_capacity = n;
	}
	serialize_execution(io, region);
}

static void serialize_edge(struct io *io, const struct profile *profile, struct profile_transition *edge,
			   const struct profile_transition *before)
{
	IO_VALID_INDEX(io, COLUMN_EDGE_FROM, edge->from, before ? before->from : 0, profile->n_insns);
	IO_VALID_INDEX(io, COLUMN_EDGE_TO, edge->to, edge->from, profile->n_insns);
	io_require(io, !before || edge->from > before->from || (edge->from == before->from && edge->to > before->to),
		   "edges are not in order");
	IO_COUNT(io, COLUMN_EDGE_COUNT, edge->count);
}

static void serialize_region(struct io *io, const struct profile *profile, struct profile_region *region)
{
	serialize_name(io, profile, region);
	IO_ROWS(io, COLUMN_REGIONS, region, syscalls);
	for (size_t i = 0; i < region->n_syscalls && !io->problem; i++)
		serialize_syscall(io, &region->syscalls[i]);
	IO_ROWS(io, COLUMN_REGIONS, region, thread_totals);
	for (size_t i = 0; i < region->n_thread_totals && !io->problem; i++)
		serialize_thread_totals(io, profile, &region->thread_totals[i],
					i > 0 ? region->thread_totals[i - 1].thread + 1 : 0);
	serialize_counts(io, profile, region);
	IO_ROWS(io, COLUMN_REGIONS, &region->edges, rows);
	for (size_t i = 0; i < region->edges.n_rows && !io->problem; i++)
		serialize_edge(io, profile, &region->edges.rows[i], i > 0 ? &region->edges.rows[i - 1] : NULL);
	if (profile->has_calls)
		content_serialize_calls(io, profile, region);
	if (profile->has_paths)
		content_serialize_pairs(io, profile, region);
	if (profile->n_caches)
		content_serialize_misses(io, profile, region);
}

void content_serialize_regions(struct io *io, struct profile *profile)
{
	IO_ROWS(io, COLUMN_REGIONS, profile, regions);
	for (size_t i = 0; i < profile->n_regions && !io->problem; i++)
		serialize_region(io, profile, &profile->regions[i]);
}
