#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn_address.h"
#include "profile/format.h"

/* What one pair takes, with its slots. */
#define PAIR_BYTES (2 * sizeof(struct profile_pair) + 4 * sizeof(uint32_t))

static uint8_t *count_words(const struct profile *profile)
{
	uint8_t *n_words = xcalloc(profile->n_insns, sizeof(*n_words));

	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];
		struct insn_operands operands;

		if (insn->length && insn_operands_decode(insn->bytes, insn->length, &operands))
			n_words[i] = (uint8_t)insn_n_words(&operands);
	}
	return n_words;
}

static void get_insns(struct byte_reader *reader, struct profile *profile, struct profile_path *path,
		      const uint8_t *n_words)
{
	size_t n_runs = bytes_get_number(reader, 2, 0);
	uint64_t next = 0, before = 0;

	for (size_t i = 0; i < n_runs && !reader->problem; i++) {
		uint64_t first = 0, n = 0;

		format_io_path_run(&(struct bytes_io){.reader = reader}, next, before, &first, &n);
		if (first >= profile->n_insns) {
			bytes_fail(reader, "a path has an instruction that is not there");
			return;
		}
		if (n > profile->n_insns - first) {
			bytes_fail(reader, "a number is out of range");
			return;
		}
		if (!bytes_charge(reader, n, 2 * sizeof(*profile->path_insns)))
			return;
		for (uint64_t k = first; k < first + n; k++) {
			*ARRAY_ADD(profile, path_insns) = (uint32_t)k;
			path->n_words += n_words[k];
		}
		path->n_insns += (uint32_t)n;
		before = first;
		next = first + n;
		if (path->n_insns > FORMAT_MAX_PATH_INSNS)
			bytes_fail(reader, "a path is too long");
	}
	if (!path->n_insns)
		bytes_fail(reader, "a path has no instructions");
}

static void get_aliases(struct byte_reader *reader, struct profile *profile, struct profile_path *path)
{
	size_t n = bytes_get_number(reader, 4, 2 * sizeof(*profile->path_aliases));
	uint64_t before[FORMAT_ALIAS_NUMBERS] = {0};

	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_alias *alias = ARRAY_ADD(profile, path_aliases);
		uint64_t numbers[FORMAT_ALIAS_NUMBERS] = {0};
		int64_t offset;

		format_io_path_alias(&(struct bytes_io){.reader = reader}, before, numbers);
		memcpy(before, numbers, sizeof(before));
		for (unsigned k = 0; k < 3; k++)
			if (numbers[k] > UINT32_MAX)
				bytes_fail(reader, "a number is out of range");
		alias->load = (uint32_t)numbers[0];
		alias->paths_back = (uint32_t)numbers[1];
		alias->store = (uint32_t)numbers[2];
		offset = bytes_unfold(numbers[3]);
		alias->offset = (int32_t)offset;
		if (alias->load >= path->n_words || (!alias->paths_back && alias->store >= path->n_words) ||
		    alias->offset != offset)
			bytes_fail(reader, "a path takes a value that is not there");
	}
	path->n_aliases = (uint32_t)n;
}

void format_get_paths(struct byte_reader *reader, struct profile *profile)
{
	uint8_t *n_words = count_words(profile);
	size_t n;

	profile->has_paths = true;
	profile->has_addresses = bytes_get_limited(reader, 1);
	n = bytes_get_number(reader, 4, 2 * sizeof(*profile->paths));
	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_path *path = ARRAY_ADD(profile, paths);

		path->first_insn = profile->n_path_insns;
		path->first_alias = profile->n_path_aliases;
		get_insns(reader, profile, path, n_words);
		get_aliases(reader, profile, path);
	}
	free(n_words);
}

static void get_pairs(struct byte_reader *reader, struct profile *profile, uint32_t region)
{
	size_t n = bytes_get_number(reader, 3, PAIR_BYTES);
	uint64_t left = profile_region_executions(&profile->regions[region]);
	uint64_t from = 0, to = 0;

	for (size_t i = 0; i < n && !reader->problem; i++) {
		uint64_t from_before = from, to_before = to, count;

		from += bytes_get_limited(reader, profile->n_paths - from);
		to += (uint64_t)bytes_get_int(reader);
		count = format_get_count(reader);
		if (reader->problem)
			return;
		if (to >= profile->n_paths || (i > 0 && from == from_before && to <= to_before)) {
			bytes_fail(reader, "its paths are not in order");
			return;
		}
		if (count > left / profile->paths[to].n_insns) {
			bytes_fail(reader, "its paths are more than its instructions");
			return;
		}
		left -= count * profile->paths[to].n_insns;
		profile_count_pair(profile, region, (uint32_t)from - 1, (uint32_t)to, count);
	}
	if (left)
		bytes_fail(reader, "its paths are less than its instructions");
}

void format_get_tally(struct byte_reader *reader, const struct profile *profile, struct profile_tally *tally)
{
	size_t n = bytes_get_number(reader, 2, 0), next = 0;

	if (!n || !bytes_charge(reader, profile->n_insns, 2 * sizeof(*tally->counts)))
		return;
	for (size_t i = 0; i < n && next < profile->n_insns && !reader->problem; i++) {
		size_t insn = next + bytes_get_limited(reader, profile->n_insns - 1 - next);

		profile_tally(tally, (uint32_t)insn, format_get_count(reader));
		next = insn + 1;
	}
}

void format_get_pairs(struct byte_reader *reader, struct profile *profile)
{
	uint32_t region = (uint32_t)profile->n_regions - 1;
	struct profile_region *counted = &profile->regions[region];

	get_pairs(reader, profile, region);
	format_get_tally(reader, profile, &counted->mispredicts);
	for (uint32_t i = 0; i < counted->mispredicts.n_counts && !reader->problem; i++)
		if (counted->mispredicts.counts[i] > (i < counted->n_counts ? counted->executions[i] : 0))
			bytes_fail(reader, "a branch is mispredicted more often than executed");
}

void format_get_caches(struct byte_reader *reader, struct profile *profile)
{
	size_t n = bytes_get_number(reader, 1, 2 * sizeof(*profile->caches));

	for (size_t i = 0; i < n && !reader->problem; i++)
		*ARRAY_ADD(profile, caches) = bytes_get_text(reader);
}

void format_get_misses(struct byte_reader *reader, struct profile *profile)
{
	struct profile_region *region = &profile->regions[profile->n_regions - 1];
	size_t n = profile->n_caches * N_PROFILE_MISSES;

	if (!n || !bytes_charge(reader, n, sizeof(*region->misses)))
		return;
	region->misses = xcalloc(n, sizeof(*region->misses));
	for (size_t i = 0; i < n && !reader->problem; i++)
		format_get_tally(reader, profile, &region->misses[i]);
}
