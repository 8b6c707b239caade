#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* Runs of neighbouring positions. */
static void put_insns(const struct profile *profile, const struct profile_path *path, const uint32_t *positions,
		      struct byte_writer *out)
{
	const uint32_t *insns = &profile->path_insns[path->first_insn];
	uint32_t n_runs = 0, next = 0;

	for (uint32_t i = 0; i < path->n_insns; i++)
		n_runs += i == 0 || positions[insns[i]] != positions[insns[i - 1]] + 1;
	bytes_put_uint(out, n_runs);
	for (uint32_t i = 0; i < path->n_insns;) {
		uint32_t start = i;

		do
			i++;
		while (i < path->n_insns && positions[insns[i]] == positions[insns[i - 1]] + 1);
		bytes_put_int(out, (int64_t)positions[insns[start]] - next);
		bytes_put_uint(out, i - start);
		next = positions[insns[i - 1]] + 1;
	}
}

void format_put_paths(const struct profile *profile, const uint32_t *positions, struct byte_writer *out)
{
	bytes_put_uint(out, profile->has_addresses);
	bytes_put_uint(out, profile->n_paths);
	for (size_t i = 0; i < profile->n_paths; i++) {
		const struct profile_path *path = &profile->paths[i];

		put_insns(profile, path, positions, out);
		bytes_put_uint(out, path->n_aliases);
		for (uint32_t k = 0; k < path->n_aliases; k++) {
			const struct profile_alias *alias = &profile->path_aliases[path->first_alias + k];

			bytes_put_uint(out, alias->load);
			bytes_put_uint(out, alias->paths_back);
			bytes_put_uint(out, alias->store);
			bytes_put_int(out, alias->offset);
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
