#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* What one named function takes in memory beside its name, with its entry in the index. */
#define FUNCTION_BYTES 256

/* Sections that were met. */
struct loader {
	struct profile *profile;
	bool has_program, has_modules, has_functions, has_insns, has_forms, has_lines, has_paths, has_caches,
		has_threads, has_notes, has_end;
	size_t n_call_trees;
};

uint64_t format_get_count(struct byte_reader *reader)
{
	return bytes_get_limited(reader, INT64_MAX);
}

uint32_t format_get_index(struct byte_reader *reader, size_t n)
{
	uint64_t value = bytes_get_limited(reader, n);

	return value == 0 ? PROFILE_NONE : (uint32_t)(value - 1);
}

static void get_program(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n_args = bytes_get_number(reader, 1, sizeof(*profile->argv));

	profile->argv = xcalloc(n_args + 1, sizeof(*profile->argv));
	for (size_t i = 0; i < n_args && !reader->problem; i++)
		profile->argv[i] = bytes_get_text(reader);
	profile->exited = bytes_get_limited(reader, 1);
	profile->exit_status = (int)bytes_get_int(reader);
	profile->signal = (int)bytes_get_int(reader);
	profile->engine = bytes_get_text(reader);
	profile->has_edges = true; /* nothing is saved without */
	profile->wall_ns = format_get_count(reader);
	free(bytes_get_text(reader)); /* the version of itrace that wrote it */
}

static void get_modules(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 5, sizeof(*profile->modules));

	for (size_t i = 0; i < n && !reader->problem; i++) {
		struct profile_module *module = ARRAY_ADD(profile, modules);

		module->path = bytes_get_text(reader);
		module->start_va = bytes_get_uint(reader);
		module->end_va = module->start_va + bytes_get_limited(reader, UINT64_MAX - module->start_va);
		module->bias = bytes_get_uint(reader);
		module->n_build_id = (uint8_t)bytes_get_limited(reader, sizeof(module->build_id));
		bytes_get_raw(reader, module->build_id, module->n_build_id);
	}
	for (size_t i = 0; i < n && !reader->problem; i++)
		profile->modules[i].is_program = bytes_get_limited(reader, 1);
}

static void get_functions(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 2, FUNCTION_BYTES);

	for (size_t i = 0; i < n && !reader->problem; i++) {
		uint32_t module = format_get_index(reader, profile->n_modules);
		char *name = bytes_get_text(reader);

		if (!reader->problem && profile_intern_function(profile, name, module) != i)
			bytes_fail(reader, "a function occurs twice");
		free(name);
	}
}

uint32_t format_reference(struct byte_reader *reader, uint64_t value, uint32_t before, uint64_t n)
{
	if (value >= FIRST_INDEX + n) {
		bytes_fail(reader, "a number is out of range");
		return PROFILE_NONE;
	}
	if (value == SAME_AS_BEFORE)
		return before;
	return value == NONE_AT_ALL ? PROFILE_NONE : (uint32_t)(value - FIRST_INDEX);
}

static void get_insns(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 4, 2 * sizeof(*profile->insns) + sizeof(uint64_t));

	profile->insns = array_reserve(profile->insns, &profile->insns_capacity, n, sizeof(*profile->insns));
	profile->n_insns = n;
	format_io_insns(&(struct bytes_io){.reader = reader}, profile->insns, n, profile->n_functions,
			profile->n_modules);
}

/* Forms are made from the bytes, so that an old profile profits from a new decoder. */
static void get_forms(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 2, 0), next = 0;

	for (size_t i = 0; i <= n && !reader->problem; i++) {
		bool is_last = i == n;
		size_t end = profile->n_insns;
		char *text;

		if (!is_last)
			end = next + bytes_get_limited(reader, profile->n_insns - next);
		for (; next < end; next++)
			profile->insns[next].form = profile_intern_form(profile, profile->insns[next].bytes,
									profile->insns[next].length);
		if (is_last)
			break;
		text = bytes_get_text(reader);
		if (next == profile->n_insns)
			bytes_fail(reader, "a form is of no instruction");
		else
			profile->insns[next++].form = profile_intern_named_form(profile, text);
		free(text);
	}
}

static void get_lines(struct loader *loader, struct byte_reader *reader)
{
	format_get_lines(reader, loader->profile);
}

static void get_notes(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 1, 2 * sizeof(*profile->notes));

	for (size_t i = 0; i < n && !reader->problem; i++)
		*ARRAY_ADD(profile, notes) = bytes_get_text(reader);
}

static void get_region(struct loader *loader, struct byte_reader *reader)
{
	format_get_region(reader, loader->profile);
}

static void get_threads(struct loader *loader, struct byte_reader *reader)
{
	format_get_threads(reader, loader->profile);
}

static void get_shares(struct loader *loader, struct byte_reader *reader)
{
	const struct profile_region *region = &loader->profile->regions[loader->profile->n_regions - 1];

	if (region->n_shares || region->part_of != PROFILE_NONE)
		bytes_fail(reader, "a region has two lists of threads");
	else
		format_get_shares(reader, loader->profile);
}

static void get_calls(struct loader *loader, struct byte_reader *reader)
{
	if (++loader->n_call_trees > loader->profile->n_regions)
		bytes_fail(reader, "a region has two call trees");
	else if (loader->n_call_trees < loader->profile->n_regions)
		bytes_fail(reader, "a region has no call tree, but others do");
	else
		format_get_calls(reader, loader->profile);
}

static void get_paths(struct loader *loader, struct byte_reader *reader)
{
	format_get_paths(reader, loader->profile);
}

static void get_pairs(struct loader *loader, struct byte_reader *reader)
{
	if (loader->profile->regions[loader->profile->n_regions - 1].n_pairs)
		bytes_fail(reader, "a region has two lists of paths");
	else
		format_get_pairs(reader, loader->profile);
}

static void get_caches(struct loader *loader, struct byte_reader *reader)
{
	format_get_caches(reader, loader->profile);
}

static void get_misses(struct loader *loader, struct byte_reader *reader)
{
	if (loader->profile->regions[loader->profile->n_regions - 1].misses)
		bytes_fail(reader, "a region has two lists of misses");
	else
		format_get_misses(reader, loader->profile);
}

static void get_end(struct loader *loader, struct byte_reader *reader)
{
	(void)loader;
	(void)reader;
}

/* Each kind of section but regions occurs once, and after what it refers to. */
static void get_section(struct loader *loader, const uint8_t *tag, struct byte_reader *reader)
{
	const struct {
		const char *tag;
		bool *is_there, is_ready;
		void (*get)(struct loader *loader, struct byte_reader *reader);
	} kinds[] = {
		{TAG_PROGRAM, &loader->has_program, true, get_program},
		{TAG_MODULES, &loader->has_modules, true, get_modules},
		{TAG_FUNCTIONS, &loader->has_functions, loader->has_modules, get_functions},
		{TAG_INSNS, &loader->has_insns, loader->has_functions, get_insns},
		{TAG_FORMS, &loader->has_forms, loader->has_insns, get_forms},
		{TAG_LINES, &loader->has_lines, loader->has_insns, get_lines},
		{TAG_PATHS, &loader->has_paths, loader->has_forms && !loader->profile->n_regions, get_paths},
		{TAG_CACHES, &loader->has_caches, loader->has_forms && !loader->profile->n_regions, get_caches},
		{TAG_THREADS, &loader->has_threads, !loader->profile->n_regions, get_threads},
		{TAG_REGION, NULL, loader->has_forms, get_region},
		{TAG_SHARES, NULL, loader->has_threads && loader->profile->n_regions > 0, get_shares},
		{TAG_CALLS, NULL, loader->profile->n_regions > 0, get_calls},
		{TAG_PAIRS, NULL, loader->has_paths && loader->profile->n_regions > 0, get_pairs},
		{TAG_MISSES, NULL, loader->has_caches && loader->profile->n_regions > 0, get_misses},
		{TAG_NOTES, &loader->has_notes, true, get_notes},
		{TAG_END, &loader->has_end, true, get_end},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		if (memcmp(tag, kinds[i].tag, FORMAT_TAG_BYTES) != 0)
			continue;
		if (!kinds[i].is_ready || (kinds[i].is_there && *kinds[i].is_there)) {
			bytes_fail(reader, "its sections are not in order");
			return;
		}
		if (kinds[i].is_there)
			*kinds[i].is_there = true;
		kinds[i].get(loader, reader);
	}
}

static void check_region(const struct profile *profile, const struct profile_region *region, struct byte_reader *reader)
{
	if (profile->has_paths && !region->n_pairs && profile_region_executions(region))
		bytes_fail(reader, "a region has no paths, but others do");
}

/* Reads one section; a coded one begins with the size of the coder's table. */
static void get_payload(struct loader *loader, const uint8_t *tag, struct byte_reader *payload, bool is_coded)
{
	uint8_t slot_bits = 0;

	if (is_coded) {
		bytes_get_raw(payload, &slot_bits, 1);
		if (payload->problem)
			return;
		if (slot_bits < CODER_MIN_SLOT_BITS || slot_bits > CODER_MAX_SLOT_BITS) {
			bytes_fail(payload, "a number is out of range");
			return;
		}
		payload->coder = coder_create(slot_bits, payload->at, (size_t)(payload->end - payload->at));
	}
	get_section(loader, tag, payload);
	if (payload->coder)
		payload->max_decisions -= coder_decisions(payload->coder);
	coder_destroy(payload->coder);
}

bool format_decode(const uint8_t *body, size_t n_bytes, bool is_coded, struct profile *profile, const char **problem)
{
	struct byte_reader reader = {.at = body,
				     .end = body + n_bytes,
				     .memory_left_bytes = FORMAT_MAX_MEMORY_BYTES,
				     .max_decisions = FORMAT_MAX_DECISIONS};
	struct loader loader = {.profile = profile};

	while (!reader.problem && !loader.has_end) {
		uint8_t tag[FORMAT_TAG_BYTES];
		struct byte_reader payload = {0};
		size_t n_payload;

		bytes_get_raw(&reader, tag, FORMAT_TAG_BYTES);
		n_payload = bytes_get_number(&reader, 1, 0);
		if (reader.problem)
			break;
		payload.at = reader.at;
		payload.end = reader.at += n_payload;
		payload.memory_left_bytes = reader.memory_left_bytes;
		payload.max_decisions = reader.max_decisions;
		get_payload(&loader, tag, &payload, is_coded);
		reader.memory_left_bytes = payload.memory_left_bytes;
		reader.max_decisions = payload.max_decisions;
		if (payload.problem)
			bytes_fail(&reader, payload.problem);
	}
	if (!reader.problem && (!loader.has_program || !loader.has_forms))
		bytes_fail(&reader, "a section is missing");
	if (!reader.problem && loader.n_call_trees > 0 && loader.n_call_trees < profile->n_regions)
		bytes_fail(&reader, "a region has no call tree, but others do");
	for (size_t i = 0; i < profile->n_regions && !reader.problem; i++)
		check_region(profile, &profile->regions[i], &reader);
	if (!reader.problem && reader.at < reader.end)
		bytes_fail(&reader, "something follows its end");
	*problem = reader.problem;
	return !reader.problem;
}
