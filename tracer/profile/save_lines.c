#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* Numbers in the file by index: as they occur in the order of the instructions, then the others. */
struct line_saver {
	const struct profile *profile;
	const uint32_t *order, *functions;
	const struct profile_insn *insns; /* in the order of the file */
	uint32_t *files;		  /* [n_files] */
	uint32_t *inlined;		  /* [n_inlined] */
	uint32_t n_files, n_inlined;
	uint32_t *inlined_order; /* [n_inlined] index by number */
};

static void number_file(struct line_saver *saver, uint32_t file)
{
	if (file != PROFILE_NONE && saver->files[file] == PROFILE_NONE)
		saver->files[file] = saver->n_files++;
}

/* Callers first: they have lower numbers too. */
static void number_inlined(struct line_saver *saver, uint32_t index)
{
	const struct profile_inlined *inlined;

	if (index == PROFILE_NONE || saver->inlined[index] != PROFILE_NONE)
		return;
	inlined = &saver->profile->inlined[index];
	number_inlined(saver, inlined->caller);
	number_file(saver, inlined->file);
	saver->inlined_order[saver->n_inlined] = index;
	saver->inlined[index] = saver->n_inlined++;
}

static uint32_t *make_numbers(size_t n)
{
	uint32_t *numbers = xcalloc(n, sizeof(*numbers));

	for (size_t i = 0; i < n; i++)
		numbers[i] = PROFILE_NONE;
	return numbers;
}

static const struct profile_location *location_of(const struct line_saver *saver, size_t position)
{
	const struct profile *profile = saver->profile;

	return &profile->locations[profile->insns[saver->order[position]].location];
}

static void number_all(struct line_saver *saver)
{
	const struct profile *profile = saver->profile;

	saver->files = make_numbers(profile->n_files);
	saver->inlined = make_numbers(profile->n_inlined);
	saver->inlined_order = make_numbers(profile->n_inlined);
	for (size_t i = 0; i < profile->n_insns; i++) {
		number_inlined(saver, location_of(saver, i)->inlined);
		number_file(saver, location_of(saver, i)->file);
	}
	for (uint32_t i = 0; i < profile->n_inlined; i++)
		number_inlined(saver, i);
	for (uint32_t i = 0; i < profile->n_files; i++)
		number_file(saver, i);
}

static void put_files(const struct line_saver *saver, struct byte_writer *out)
{
	const struct profile *profile = saver->profile;
	uint32_t *indices = xcalloc(profile->n_files, sizeof(*indices));

	for (uint32_t i = 0; i < profile->n_files; i++)
		indices[saver->files[i]] = i;
	bytes_put_uint(out, profile->n_files);
	for (size_t i = 0; i < profile->n_files; i++)
		bytes_put_text(out, profile->files[indices[i]].path);
	for (size_t i = 0; i < profile->n_files; i++)
		bytes_put_uint(out, profile->files[indices[i]].text_hash != 0);
	for (size_t i = 0; i < profile->n_files; i++)
		bytes_put_uint(out, profile->files[indices[i]].is_newer);
	for (size_t i = 0; i < profile->n_files; i++) {
		const uint64_t words[] = {profile->files[indices[i]].text_hash, 0};

		if (words[0])
			bytes_put_raw(out, words, sizeof(words));
	}
	free(indices);
}

static uint32_t number_of(const uint32_t *numbers, uint32_t index)
{
	return index == PROFILE_NONE ? PROFILE_NONE : numbers[index];
}

static void number_lines(const struct line_saver *saver, struct format_lines *lines)
{
	const struct profile *profile = saver->profile;

	*lines = (struct format_lines){.insns = saver->insns,
				       .n_insns = profile->n_insns,
				       .n_calls = profile->n_inlined,
				       .n_functions = profile->n_functions,
				       .n_files = profile->n_files};
	lines->calls = xcalloc(lines->n_calls, sizeof(*lines->calls));
	for (size_t i = 0; i < lines->n_calls; i++) {
		struct profile_inlined *call = &lines->calls[i];

		*call = profile->inlined[saver->inlined_order[i]];
		call->function = saver->functions[call->function];
		call->caller = number_of(saver->inlined, call->caller);
		call->file = number_of(saver->files, call->file);
	}
	lines->locations = xcalloc(lines->n_insns, sizeof(*lines->locations));
	for (size_t i = 0; i < lines->n_insns; i++) {
		lines->locations[i] = *location_of(saver, i);
		lines->locations[i].file = number_of(saver->files, lines->locations[i].file);
		lines->locations[i].inlined = number_of(saver->inlined, lines->locations[i].inlined);
	}
}

void format_put_lines(const struct profile *profile, const uint32_t *order, const struct profile_insn *insns,
		      const uint32_t *functions, struct byte_writer *out)
{
	struct line_saver saver = {.profile = profile, .order = order, .functions = functions, .insns = insns};
	struct format_lines lines;

	number_all(&saver);
	number_lines(&saver, &lines);
	put_files(&saver, out);
	bytes_put_uint(out, lines.n_calls);
	format_io_lines(&(struct bytes_io){.writer = out}, &lines);
	free(lines.calls);
	free(lines.locations);
	free(saver.files);
	free(saver.inlined);
	free(saver.inlined_order);
}
