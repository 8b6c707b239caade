/* Serializes paths, mispredicted branches and cache misses. */
#include <stdlib.h>

#include "base/array.h"
#include "savefile/content.h"

#define COUNT_UNKNOWN UINT8_MAX

/* Returns the number of operand addresses of an instruction. counts[n_insns] caches the numbers, or has
 * COUNT_UNKNOWN. */
static uint32_t count_addresses(const struct profile *profile, uint32_t insn, uint8_t *counts)
{
	if (counts[insn] == COUNT_UNKNOWN)
		counts[insn] = (uint8_t)profile_insn_n_addresses(&profile->insns[insn]);
	return counts[insn];
}

static void serialize_path_insn(struct io *io, const struct profile *profile, struct profile_path *path, size_t *next,
				uint8_t *counts)
{
	IO_UINT(io, COLUMN_PATHS, path->n_insns, CONTENT_MAX_PATH_INSNS);
	io_require(io, path->n_insns > 0, "a path has no instructions");
	io_require(io, path->n_insns <= profile->n_path_insns - *next, "a number is out of range");
	io_require(io, io->is_reading || path->first_insn == *next, "paths are not in order");
	if (io->problem)
		return;
	path->first_insn = *next;
	for (uint32_t i = 0; i < path->n_insns && !io->problem; i++) {
		uint32_t *insn = &profile->path_insns[*next];

		IO_VALID_INDEX(io, COLUMN_PATH_INSN, *insn, *next > 0 ? insn[-1] + 1 : 0, profile->n_insns);
		++*next;
		if (io->is_reading && !io->problem)
			path->n_addresses += count_addresses(profile, *insn, counts);
	}
}

static void serialize_load(struct io *io, const struct profile_path *path, struct profile_dependence *load)
{
	IO_UINT(io, COLUMN_PATH_DEPENDENCES, load->load, UINT32_MAX);
	IO_UINT(io, COLUMN_PATH_DEPENDENCES, load->store, UINT32_MAX);
	IO_UINT(io, COLUMN_PATH_DEPENDENCES, load->paths_back, UINT32_MAX);
	IO_INT(io, COLUMN_PATH_DEPENDENCES, load->offset);
	io_require(io, load->load < path->n_addresses && (load->paths_back > 0 || load->store < path->n_addresses),
		   "a path loads from a store that does not exist");
}

static void serialize_path_load(struct io *io, const struct profile *profile, struct profile_path *path, size_t *next)
{
	IO_UINT(io, COLUMN_PATHS, path->n_dependences, UINT32_MAX);
	io_require(io, path->n_dependences <= profile->n_path_dependences - *next, "a number is out of range");
	io_require(io, io->is_reading || path->first_dependence == *next, "paths are not in order");
	if (io->problem)
		return;
	path->first_dependence = *next;
	for (uint32_t i = 0; i < path->n_dependences && !io->problem; i++)
		serialize_load(io, path, &profile->path_dependences[*next + i]);
	*next += path->n_dependences;
}

void content_serialize_paths(struct io *io, struct profile *profile)
{
	size_t next_insn = 0, next_load = 0;
	uint8_t *counts;

	IO_ROWS(io, COLUMN_PATHS, profile, paths);
	IO_ROWS(io, COLUMN_PATHS, profile, path_insns);
	IO_ROWS(io, COLUMN_PATHS, profile, path_dependences);
	counts = xcalloc(profile->n_insns, sizeof(*counts));
	memset(counts, COUNT_UNKNOWN, profile->n_insns);
	for (size_t i = 0; i < profile->n_paths && !io->problem; i++) {
		serialize_path_insn(io, profile, &profile->paths[i], &next_insn, counts);
		if (!io->problem)
			serialize_path_load(io, profile, &profile->paths[i], &next_load);
	}
	free(counts);
	io_require(io, io->problem || (next_insn == profile->n_path_insns && next_load == profile->n_path_dependences),
		   "an instruction belongs to no path");
}

static void serialize_tally(struct io *io, const struct profile *profile, enum column column,
			    struct profile_tally *tally)
{
	size_t n = tally->n_counts;

	IO_UINT(io, column, n, profile->n_insns);
	if (io->is_reading && n > 0 && io_charge(io, n, sizeof(*tally->counts))) {
		tally->counts = xcalloc(n, sizeof(*tally->counts));
		tally->n_counts = tally->counts_capacity = n;
	}
	for (size_t i = 0; i < tally->n_counts && !io->problem; i++)
		IO_COUNT(io, column, tally->counts[i]);
}

static void serialize_pair(struct io *io, const struct profile *profile, struct profile_transition *pair,
			   const struct profile_transition *before)
{
	IO_INDEX(io, COLUMN_PAIR_FROM, pair->from, before ? before->from : PROFILE_NONE, profile->n_paths);
	IO_VALID_INDEX(io, COLUMN_PAIR_TO, pair->to, before ? before->to : 0, profile->n_paths);
	/* PROFILE_NONE + 1 wraps to 0 and sorts first. */
	io_require(io,
		   !before || pair->from + 1 > before->from + 1 ||
			   (pair->from == before->from && pair->to > before->to),
		   "pairs of paths are not in order");
	IO_COUNT(io, COLUMN_PAIR_COUNT, pair->count);
}

void content_serialize_pairs(struct io *io, const struct profile *profile, struct profile_region *region)
{
	uint64_t left = profile_region_executions(region);

	IO_ROWS(io, COLUMN_REGIONS, &region->pairs, rows);
	for (size_t i = 0; i < region->pairs.n_rows && !io->problem; i++) {
		struct profile_transition *pair = &region->pairs.rows[i];
		uint64_t n_insns;

		serialize_pair(io, profile, pair, i > 0 ? pair - 1 : NULL);
		if (io->problem)
			return;
		n_insns = profile->paths[pair->to].n_insns;
		io_require(io, pair->count <= left / n_insns, "paths execute more than their region");
		left -= pair->count * n_insns;
	}
	io_require(io, io->problem || left == 0, "paths execute less than their region");
	serialize_tally(io, profile, COLUMN_MISPREDICTS, &region->mispredicts);
	for (size_t i = 0; i < region->mispredicts.n_counts && !io->problem; i++)
		io_require(io, region->mispredicts.counts[i] <= (i < region->n_counts ? region->executions[i] : 0),
			   "a branch is mispredicted more often than executed");
}

void content_serialize_misses(struct io *io, const struct profile *profile, struct profile_region *region)
{
	size_t n = profile->n_caches * N_PROFILE_MISSES;
	bool has_misses = region->misses;

	IO_UINT(io, COLUMN_REGIONS, has_misses, 1);
	if (!has_misses)
		return;
	if (io->is_reading && io_charge(io, n, sizeof(*region->misses)))
		region->misses = xcalloc(n, sizeof(*region->misses));
	for (size_t i = 0; i < n && !io->problem; i++)
		serialize_tally(io, profile, COLUMN_MISSES, &region->misses[i]);
}
