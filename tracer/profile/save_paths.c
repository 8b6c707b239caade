#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/columns.h"
#include "profile/format.h"

void format_io_path_run(const struct bytes_io *io, uint64_t next, uint64_t before, uint64_t *first, uint64_t *n_insns)
{
	struct hint hint = {COLUMN_PATH_FIRST, 3, {0, next, hint_mix(next, before)}};

	*first = next + (uint64_t)bytes_io_int(io, &hint, (int64_t)(*first - next));
	hint = (struct hint){COLUMN_PATH_LENGTH,
			     3,
			     {*first, hint_mix(*first, next), hint_mix(hint_mix(*first, next), before)}};
	*n_insns = bytes_io_uint(io, &hint, *n_insns);
}

void format_io_path_alias(const struct bytes_io *io, const uint64_t *before, uint64_t *numbers)
{
	uint64_t known = 0;

	for (unsigned i = 0; i < FORMAT_ALIAS_NUMBERS; i++) {
		struct hint hint = {COLUMN_PATH_ALIAS,
				    4,
				    {i, hint_mix(i, before[i] + 1), hint_mix(hint_mix(i, before[i] + 1), known),
				     hint_mix(hint_mix(i, numbers[i > 0 ? i - 1 : 0] * (i > 0)), 2)}};

		numbers[i] = bytes_io_uint(io, &hint, numbers[i]);
		known = hint_mix(known, numbers[i] - before[i]);
	}
}

/* Runs of neighbouring positions. */
static void put_insns(const struct profile *profile, const struct profile_path *path, const uint32_t *positions,
		      struct byte_writer *out)
{
	const uint32_t *insns = &profile->path_insns[path->first_insn];
	uint64_t next = 0, before = 0, first, n;
	uint32_t n_runs = 0;

	for (uint32_t i = 0; i < path->n_insns; i++)
		n_runs += i == 0 || positions[insns[i]] != positions[insns[i - 1]] + 1;
	bytes_put_uint(out, n_runs);
	for (uint32_t i = 0; i < path->n_insns;) {
		uint32_t start = i;

		do
			i++;
		while (i < path->n_insns && positions[insns[i]] == positions[insns[i - 1]] + 1);
		first = positions[insns[start]];
		n = i - start;
		format_io_path_run(&(struct bytes_io){.writer = out}, next, before, &first, &n);
		before = first;
		next = positions[insns[i - 1]] + 1;
	}
}

void format_put_paths(const struct profile *profile, const uint32_t *positions, struct byte_writer *out)
{
	bytes_put_uint(out, profile->has_addresses);
	bytes_put_uint(out, profile->n_paths);
	for (size_t i = 0; i < profile->n_paths; i++) {
		const struct profile_path *path = &profile->paths[i];
		uint64_t before[FORMAT_ALIAS_NUMBERS] = {0};

		put_insns(profile, path, positions, out);
		bytes_put_uint(out, path->n_aliases);
		for (uint32_t k = 0; k < path->n_aliases; k++) {
			const struct profile_alias *alias = &profile->path_aliases[path->first_alias + k];

			uint64_t numbers[] = {alias->load, alias->paths_back, alias->store, bytes_fold(alias->offset)};

			format_io_path_alias(&(struct bytes_io){.writer = out}, before, numbers);
			memcpy(before, numbers, sizeof(before));
		}
	}
}

static int compare_pairs(const void *left, const void *right)
{
	const struct profile_pair *a = left, *b = right;
	/* PROFILE_NONE comes first. */
	uint32_t a_from = a->from + 1, b_from = b->from + 1;

	if (a_from != b_from)
		return a_from < b_from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void put_pairs(const struct profile_region *region, struct byte_writer *out)
{
	struct profile_pair *pairs = xcalloc(region->n_pairs, sizeof(*pairs));
	uint32_t from = 0, to = 0;

	if (region->n_pairs)
		memcpy(pairs, region->pairs, region->n_pairs * sizeof(*pairs));
	qsort(pairs, region->n_pairs, sizeof(*pairs), compare_pairs);
	bytes_put_uint(out, region->n_pairs);
	for (size_t i = 0; i < region->n_pairs; i++) {
		bytes_put_uint(out, pairs[i].from + 1 - from);
		bytes_put_int(out, (int64_t)pairs[i].to - to);
		bytes_put_uint(out, pairs[i].count);
		from = pairs[i].from + 1;
		to = pairs[i].to;
	}
	free(pairs);
}

void format_put_tally(const struct profile *profile, const struct profile_tally *tally, const uint32_t *order,
		      struct byte_writer *out)
{
	size_t n_rows = 0, next = 0;

	for (size_t position = 0; position < profile->n_insns; position++)
		n_rows += profile_tally_of(tally, order[position]) != 0;
	bytes_put_uint(out, n_rows);
	for (size_t position = 0; position < profile->n_insns; position++) {
		uint64_t count = profile_tally_of(tally, order[position]);

		if (!count)
			continue;
		bytes_put_uint(out, position - next);
		bytes_put_uint(out, count);
		next = position + 1;
	}
}

void format_put_pairs(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		      struct byte_writer *out)
{
	put_pairs(region, out);
	format_put_tally(profile, &region->mispredicts, order, out);
}

void format_put_caches(const struct profile *profile, struct byte_writer *out)
{
	bytes_put_uint(out, profile->n_caches);
	for (size_t i = 0; i < profile->n_caches; i++)
		bytes_put_text(out, profile->caches[i]);
}

void format_put_misses(const struct profile *profile, const struct profile_region *region, const uint32_t *order,
		       struct byte_writer *out)
{
	static const struct profile_tally none;

	for (size_t i = 0; i < profile->n_caches * N_PROFILE_MISSES; i++)
		format_put_tally(profile, region->misses ? &region->misses[i] : &none, order, out);
}
