#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"
#include "profile/line_guess.h"

/* What each takes in memory with its entry in the index. */
#define FILE_BYTES 256
#define INLINED_BYTES 256
#define LOCATION_BYTES 256

/* The difference of two numbers of 32 bits. */
#define MAX_FOLDED (2 * (uint64_t)UINT32_MAX + 1)

/* Inlined calls in each other. More would be damage, and whoever follows them up should not walk for ever. */
#define MAX_CALL_DEPTH 256

static void get_files(struct byte_reader *reader, struct profile *profile)
{
	size_t n = bytes_get_number(reader, 3, FILE_BYTES);

	for (size_t i = 0; i < n && !reader->problem; i++) {
		char *path = bytes_get_text(reader);

		if (!reader->problem && profile_intern_file(profile, path) != i)
			bytes_fail(reader, "a source file occurs twice");
		free(path);
	}
	for (size_t i = 0; i < profile->n_files; i++)
		profile->files[i].text = (enum profile_text)bytes_get_limited(reader, TEXT_COMPILED);
	for (size_t i = 0; i < profile->n_files; i++)
		profile->files[i].is_newer = bytes_get_limited(reader, 1);
	for (size_t i = 0; i < profile->n_files; i++) {
		const uint8_t *md5 = NULL;

		if (profile->files[i].text != TEXT_UNKNOWN)
			md5 = bytes_get_raw(reader, PROFILE_MD5_BYTES);
		if (md5)
			memcpy(profile->files[i].md5, md5, PROFILE_MD5_BYTES);
	}
}

static uint32_t add_line(struct byte_reader *reader, uint32_t before, uint64_t folded)
{
	int64_t line = before + bytes_unfold(folded);

	if (line >= 0 && line <= UINT32_MAX)
		return (uint32_t)line;
	bytes_fail(reader, "a line is out of range");
	return 0;
}

static void get_callers(struct byte_reader *reader, struct profile_inlined *calls, size_t n)
{
	uint16_t *depths = xcalloc(n, sizeof(*depths));

	for (size_t i = 0; i < n; i++) {
		uint64_t distance = bytes_get_limited(reader, i);

		calls[i].caller = distance == 0 ? PROFILE_NONE : (uint32_t)(i - distance);
		depths[i] = distance == 0 ? 1 : (uint16_t)(depths[i - distance] + 1);
		if (depths[i] > MAX_CALL_DEPTH) {
			bytes_fail(reader, "inlined calls are nested too deep");
			break;
		}
	}
	free(depths);
}

static void get_inlined(struct byte_reader *reader, struct profile *profile)
{
	size_t n = bytes_get_number(reader, 5, INLINED_BYTES);
	struct profile_inlined *calls = xcalloc(n, sizeof(*calls));
	uint32_t file = PROFILE_NONE, line = 0;

	get_callers(reader, calls, n);
	for (size_t i = 0; i < n; i++) {
		if (profile->n_functions == 0)
			bytes_fail(reader, "a call is of no function");
		else
			calls[i].function = (uint32_t)bytes_get_limited(reader, profile->n_functions - 1);
	}
	for (size_t i = 0; i < n; i++)
		calls[i].file = file = format_get_reference(reader, file, profile->n_files);
	for (size_t i = 0; i < n; i++)
		calls[i].line = line = add_line(reader, line, bytes_get_limited(reader, MAX_FOLDED));
	for (size_t i = 0; i < n; i++)
		calls[i].column = (uint32_t)bytes_get_limited(reader, UINT32_MAX);
	for (size_t i = 0; i < n && !reader->problem; i++)
		if (profile_intern_inlined(profile, &calls[i]) != i)
			bytes_fail(reader, "an inlined call occurs twice");
	free(calls);
}

/* Of instructions of one function at one location, as the columns have it. */
struct run {
	uint64_t n_more; /* instructions after the first */
	uint64_t inlined, file, line, column;
};

static bool get_runs(struct byte_reader *reader, struct run *runs, size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++)
		runs[i].n_more = bytes_get_uint(reader);
	for (size_t i = 0; i < n_runs; i++)
		runs[i].inlined = bytes_get_limited(reader, FIRST_INDEX + MAX_FOLDED);
	for (size_t i = 0; i < n_runs; i++)
		runs[i].file = bytes_get_uint(reader);
	for (size_t i = 0; i < n_runs; i++)
		runs[i].line = bytes_get_limited(reader, MAX_FOLDED);
	for (size_t i = 0; i < n_runs; i++)
		runs[i].column = bytes_get_limited(reader, UINT32_MAX);
	return !reader->problem;
}

static uint32_t find_inlined(struct byte_reader *reader, const struct profile *profile, uint64_t value, uint32_t before,
			     uint32_t *next)
{
	int64_t number;

	if (value == SAME_AS_BEFORE)
		return before;
	if (value == NONE_AT_ALL)
		return PROFILE_NONE;
	number = *next + bytes_unfold(value - FIRST_INDEX);
	if (number < 0 || (uint64_t)number >= profile->n_inlined) {
		bytes_fail(reader, "an instruction is of an inlined call that is not there");
		return PROFILE_NONE;
	}
	if (number >= *next)
		*next = (uint32_t)number + 1;
	return (uint32_t)number;
}

static void set_locations(struct byte_reader *reader, struct profile *profile, const struct run *runs, size_t n_runs)
{
	struct profile_location location = {.inlined = PROFILE_NONE};
	struct line_guess guess;
	uint32_t next = 0;
	size_t insn = 0;

	line_guess_init(&guess, profile);
	for (size_t i = 0; i < n_runs && !reader->problem; i++) {
		struct profile_location guessed;
		uint32_t function, index;

		if (insn >= profile->n_insns || runs[i].n_more >= profile->n_insns - insn) {
			bytes_fail(reader, "lines are of no instruction");
			break;
		}
		function = profile->insns[insn].function;
		location.inlined = find_inlined(reader, profile, runs[i].inlined, location.inlined, &next);
		guessed = line_guess_next(&guess, function, location.inlined);
		location.file = format_reference(reader, runs[i].file, guessed.file, profile->n_files);
		location.line = add_line(reader, guessed.line, runs[i].line);
		location.column = (uint32_t)runs[i].column;
		line_guess_add(&guess, function, &location);
		index = profile_intern_location(profile, &location);
		for (uint64_t k = 0; k <= runs[i].n_more; k++)
			profile->insns[insn++].location = index;
	}
	if (!reader->problem && insn < profile->n_insns)
		bytes_fail(reader, "an instruction has no line");
	line_guess_deinit(&guess);
}

static void get_locations(struct byte_reader *reader, struct profile *profile)
{
	size_t n_runs = bytes_get_number(reader, 5, sizeof(struct run) + LOCATION_BYTES);
	struct run *runs = xcalloc(n_runs, sizeof(*runs));

	if (get_runs(reader, runs, n_runs) &&
	    bytes_charge(reader, profile->n_inlined + 2 * profile->n_functions + 1, sizeof(struct profile_location)))
		set_locations(reader, profile, runs, n_runs);
	free(runs);
}

void format_get_lines(struct byte_reader *reader, struct profile *profile)
{
	get_files(reader, profile);
	get_inlined(reader, profile);
	get_locations(reader, profile);
}
