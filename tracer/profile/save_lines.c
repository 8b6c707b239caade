#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"
#include "profile/line_guess.h"

/* Numbers in the file by index: as they occur in the order of the instructions, then the others. */
struct line_saver {
	const struct profile *profile;
	const uint32_t *order, *functions;
	uint32_t *files;   /* [n_files] */
	uint32_t *inlined; /* [n_inlined] */
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
		bytes_put_uint(out, profile->files[indices[i]].text);
	for (size_t i = 0; i < profile->n_files; i++)
		bytes_put_uint(out, profile->files[indices[i]].is_newer);
	for (size_t i = 0; i < profile->n_files; i++)
		if (profile->files[indices[i]].text != TEXT_UNKNOWN)
			bytes_put_raw(out, profile->files[indices[i]].md5, PROFILE_MD5_BYTES);
	free(indices);
}

static uint32_t number_of(const uint32_t *numbers, uint32_t index)
{
	return index == PROFILE_NONE ? PROFILE_NONE : numbers[index];
}

static void put_inlined(const struct line_saver *saver, struct byte_writer *out)
{
	const struct profile *profile = saver->profile;
	const struct profile_inlined **calls = xcalloc(profile->n_inlined, sizeof(*calls));
	uint32_t file = PROFILE_NONE, line = 0;

	for (size_t i = 0; i < profile->n_inlined; i++)
		calls[i] = &profile->inlined[saver->inlined_order[i]];
	bytes_put_uint(out, profile->n_inlined);
	/* The distance to the caller: most are the call before or near it. */
	for (size_t i = 0; i < profile->n_inlined; i++)
		bytes_put_uint(out, calls[i]->caller == PROFILE_NONE ? 0 : i - saver->inlined[calls[i]->caller]);
	for (size_t i = 0; i < profile->n_inlined; i++)
		bytes_put_uint(out, saver->functions[calls[i]->function]);
	for (size_t i = 0; i < profile->n_inlined; i++) {
		format_put_reference(out, number_of(saver->files, calls[i]->file), file);
		file = number_of(saver->files, calls[i]->file);
	}
	for (size_t i = 0; i < profile->n_inlined; i++) {
		bytes_put_int(out, (int64_t)calls[i]->line - line);
		line = calls[i]->line;
	}
	for (size_t i = 0; i < profile->n_inlined; i++)
		bytes_put_uint(out, calls[i]->column);
	free(calls);
}

/* The columns of the runs of instructions at one location. */
struct runs {
	struct byte_writer lengths, inlined, files, lines, columns;
	size_t n_runs;
};

static void put_run(const struct line_saver *saver, const struct line_guess *guess, uint32_t function,
		    const struct profile_location *location, uint32_t inlined_before, uint32_t next, struct runs *runs)
{
	struct profile_location guessed = line_guess_next(guess, function, location->inlined);
	uint32_t number = number_of(saver->inlined, location->inlined);

	/* Around the next that has not occurred, so that new calls and those met of late have low numbers. */
	if (location->inlined == inlined_before || location->inlined == PROFILE_NONE)
		format_put_reference(&runs->inlined, number, number_of(saver->inlined, inlined_before));
	else
		bytes_put_uint(&runs->inlined, FIRST_INDEX + bytes_fold((int64_t)number - next));
	format_put_reference(&runs->files, number_of(saver->files, location->file),
			     number_of(saver->files, guessed.file));
	bytes_put_int(&runs->lines, (int64_t)location->line - guessed.line);
	bytes_put_uint(&runs->columns, location->column);
	runs->n_runs++;
}

static void put_locations(const struct line_saver *saver, struct byte_writer *out)
{
	const struct profile *profile = saver->profile;
	uint32_t inlined_before = PROFILE_NONE, next = 0;
	struct runs runs = {0};
	struct line_guess guess;

	line_guess_init(&guess, profile);
	for (size_t i = 0; i < profile->n_insns;) {
		uint32_t function = profile->insns[saver->order[i]].function;
		const struct profile_location *location = location_of(saver, i);
		size_t start = i;

		do
			i++;
		while (i < profile->n_insns && location_of(saver, i) == location &&
		       profile->insns[saver->order[i]].function == function);
		bytes_put_uint(&runs.lengths, i - start - 1);
		put_run(saver, &guess, function, location, inlined_before, next, &runs);
		line_guess_add(&guess, function, location);
		inlined_before = location->inlined;
		if (inlined_before != PROFILE_NONE && saver->inlined[inlined_before] >= next)
			next = saver->inlined[inlined_before] + 1;
	}
	line_guess_deinit(&guess);
	bytes_put_uint(out, runs.n_runs);
	for (struct byte_writer *column = &runs.lengths; column <= &runs.columns; column++) {
		bytes_put_raw(out, column->bytes, column->n_bytes);
		free(column->bytes);
	}
}

void format_put_lines(const struct profile *profile, const uint32_t *order, const uint32_t *functions,
		      struct byte_writer *out)
{
	struct line_saver saver = {.profile = profile, .order = order, .functions = functions};

	number_all(&saver);
	put_files(&saver, out);
	put_inlined(&saver, out);
	put_locations(&saver, out);
	free(saver.files);
	free(saver.inlined);
	free(saver.inlined_order);
}
