#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* What each takes in memory with its entry in the index. */
#define FILE_BYTES 256
#define INLINED_BYTES 256
#define LOCATION_BYTES 256

/* Of 16 bytes that tell a text: its hash, or an MD5 sum that debug information had, which nobody compares any more. */
enum { KIND_HASH = 1, KIND_MD5 = 2 };

static void get_files(struct byte_reader *reader, struct profile *profile)
{
	size_t n = bytes_get_number(reader, 3, FILE_BYTES);
	uint8_t *kinds;

	for (size_t i = 0; i < n && !reader->problem; i++) {
		char *path = bytes_get_text(reader);

		if (!reader->problem && profile_intern_file(profile, path) != i)
			bytes_fail(reader, "a source file occurs twice");
		free(path);
	}
	kinds = xcalloc(profile->n_files, 1);
	for (size_t i = 0; i < profile->n_files; i++)
		kinds[i] = (uint8_t)bytes_get_limited(reader, KIND_MD5);
	for (size_t i = 0; i < profile->n_files; i++)
		profile->files[i].is_newer = bytes_get_limited(reader, 1);
	for (size_t i = 0; i < profile->n_files; i++) {
		uint64_t words[2];

		if (kinds[i] == 0 || reader->problem)
			continue;
		bytes_get_raw(reader, words, sizeof(words));
		if (kinds[i] == KIND_HASH && !reader->problem)
			profile->files[i].text_hash = words[0];
	}
	free(kinds);
}

/* What reading takes for an inlined call and for an instruction. */
#define CALL_BYTES (INLINED_BYTES + sizeof(struct profile_inlined) + 2 * sizeof(struct profile_location))
#define PLACE_BYTES (sizeof(struct profile_location))

static void set_locations(struct byte_reader *reader, struct profile *profile, const struct format_lines *lines)
{
	uint32_t index = 0;

	for (size_t i = 0; i < lines->n_calls; i++)
		if (profile_intern_inlined(profile, &lines->calls[i]) != i) {
			bytes_fail(reader, "an inlined call occurs twice");
			return;
		}
	for (size_t i = 0; i < lines->n_insns; i++) {
		if (i == 0 || memcmp(&lines->locations[i], &lines->locations[i - 1], sizeof(*lines->locations)) != 0) {
			if (!bytes_charge(reader, 1, LOCATION_BYTES))
				return;
			index = profile_intern_location(profile, &lines->locations[i]);
		}
		profile->insns[i].location = index;
	}
}

void format_get_lines(struct byte_reader *reader, struct profile *profile)
{
	struct format_lines lines = {.insns = profile->insns,
				     .n_insns = profile->n_insns,
				     .n_functions = profile->n_functions};

	get_files(reader, profile);
	lines.n_files = profile->n_files;
	lines.n_calls = bytes_get_number(reader, 5, CALL_BYTES);
	if (reader->problem || !bytes_charge(reader, profile->n_insns, PLACE_BYTES) ||
	    !bytes_charge(reader, 2 * profile->n_functions + 1, sizeof(struct profile_location)))
		return;
	lines.calls = xcalloc(lines.n_calls, sizeof(*lines.calls));
	lines.locations = xcalloc(lines.n_insns, sizeof(*lines.locations));
	format_io_lines(&(struct bytes_io){.reader = reader}, &lines);
	if (!reader->problem)
		set_locations(reader, profile, &lines);
	free(lines.calls);
	free(lines.locations);
}
