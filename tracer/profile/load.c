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

bool format_follows(const struct profile *profile, uint32_t before, uint32_t insn)
{
	return profile->insns[before].va + profile->insns[before].length == profile->insns[insn].va;
}

static void get_program(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n_args = bytes_get_number(reader, 1, sizeof(*profile->argv));

	profile->argv = xcalloc(n_args + 1, sizeof(*profile->argv));
	for (size_t i = 0; i < n_args; i++)
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
		const uint8_t *build_id;

		module->path = bytes_get_text(reader);
		module->start_va = bytes_get_uint(reader);
		module->end_va = module->start_va + bytes_get_limited(reader, UINT64_MAX - module->start_va);
		module->bias = bytes_get_uint(reader);
		module->n_build_id = (uint8_t)bytes_get_limited(reader, sizeof(module->build_id));
		build_id = bytes_get_raw(reader, module->n_build_id);
		if (build_id)
			memcpy(module->build_id, build_id, module->n_build_id);
	}
	/* Of old, this was not known. */
	for (size_t i = 0; i < n && !reader->problem && reader->at < reader->end; i++)
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

uint32_t format_get_reference(struct byte_reader *reader, uint32_t before, uint64_t n)
{
	return format_reference(reader, bytes_get_uint(reader), before, n);
}

static void get_modules_of_insns(struct profile *profile, struct byte_reader *reader)
{
	uint32_t module = PROFILE_NONE;

	for (size_t i = 0; i < profile->n_insns; i++)
		profile->insns[i].module = module = format_get_reference(reader, module, profile->n_modules);
}

static void get_functions_of_insns(struct profile *profile, struct byte_reader *reader)
{
	uint32_t function = PROFILE_NONE, next = 0;

	for (size_t i = 0; i < profile->n_insns; i++) {
		uint64_t value = bytes_get_limited(reader, FIRST_INDEX + next);

		if (value >= FIRST_INDEX)
			function = next - (uint32_t)(value - FIRST_INDEX);
		else if (value == NONE_AT_ALL)
			function = PROFILE_NONE;
		if (function != PROFILE_NONE && function >= profile->n_functions) {
			bytes_fail(reader, "an instruction is in a function that is not there");
			function = PROFILE_NONE;
		}
		next += function == next;
		profile->insns[i].function = function;
	}
}

static void get_offsets(struct profile *profile, struct byte_reader *reader)
{
	uint64_t *starts = xcalloc(profile->n_functions, sizeof(*starts));
	bool *is_known = xcalloc(profile->n_functions, sizeof(*is_known));

	for (size_t i = 0; i < profile->n_insns; i++) {
		struct profile_insn *insn = &profile->insns[i];
		uint64_t offset;

		if (insn->function == PROFILE_NONE)
			continue;
		offset = (uint64_t)bytes_get_int(reader);
		if (is_known[insn->function])
			offset += insn->va - starts[insn->function];
		if (offset > UINT32_MAX)
			bytes_fail(reader, "an instruction is too far from its function");
		insn->function_offset = (uint32_t)offset;
		starts[insn->function] = insn->va - insn->function_offset;
		is_known[insn->function] = true;
	}
	free(starts);
	free(is_known);
}

static void get_insns(struct loader *loader, struct byte_reader *reader)
{
	struct profile *profile = loader->profile;
	size_t n = bytes_get_number(reader, 4, 2 * sizeof(*profile->insns) + sizeof(uint64_t));
	uint64_t expected_va = 0;

	profile->insns = array_reserve(profile->insns, &profile->insns_capacity, n, sizeof(*profile->insns));
	profile->n_insns = n;
	for (size_t i = 0; i < n; i++)
		profile->insns[i].va = (uint64_t)bytes_get_int(reader);
	for (size_t i = 0; i < n; i++) {
		struct profile_insn *insn = &profile->insns[i];
		const uint8_t *bytes;

		insn->length = (uint8_t)bytes_get_limited(reader, INSN_MAX_BYTES);
		bytes = bytes_get_raw(reader, insn->length);
		if (bytes)
			memcpy(insn->bytes, bytes, insn->length);
		insn->va += expected_va;
		expected_va = insn->va + insn->length;
	}
	get_modules_of_insns(profile, reader);
	get_functions_of_insns(profile, reader);
	get_offsets(profile, reader);
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

	for (size_t i = 0; i < n; i++)
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
	if (loader->profile->regions[loader->profile->n_regions - 1].contexts)
		bytes_fail(reader, "a region has two call trees");
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
	if (profile->has_calls && !region->contexts)
		bytes_fail(reader, "a region has no call tree, but others do");
	if (profile->has_paths && !region->n_pairs && profile_region_executions(region))
		bytes_fail(reader, "a region has no paths, but others do");
}

bool format_decode(const uint8_t *body, size_t n_bytes, struct profile *profile, const char **problem)
{
	struct byte_reader reader = {body, body + n_bytes, FORMAT_MAX_MEMORY_BYTES, NULL};
	struct loader loader = {.profile = profile};

	while (!reader.problem && !loader.has_end) {
		const uint8_t *tag = bytes_get_raw(&reader, FORMAT_TAG_BYTES);
		size_t payload_bytes = bytes_get_number(&reader, 1, 0);
		const uint8_t *payload = bytes_get_raw(&reader, payload_bytes);
		struct byte_reader section = {.memory_left_bytes = reader.memory_left_bytes};

		if (reader.problem)
			break;
		section.at = payload;
		section.end = payload + payload_bytes;
		get_section(&loader, tag, &section);
		reader.memory_left_bytes = section.memory_left_bytes;
		if (section.problem)
			bytes_fail(&reader, section.problem);
	}
	if (!reader.problem && (!loader.has_program || !loader.has_forms))
		bytes_fail(&reader, "a section is missing");
	for (size_t i = 0; i < profile->n_regions && !reader.problem; i++)
		check_region(profile, &profile->regions[i], &reader);
	if (!reader.problem && reader.at < reader.end)
		bytes_fail(&reader, "something follows its end");
	*problem = reader.problem;
	return !reader.problem;
}
