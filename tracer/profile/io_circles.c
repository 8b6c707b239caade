#include <stdlib.h>

#include "base/array.h"
#include "profile/columns.h"
#include "profile/format.h"

/* How often the instructions of a run were executed while the function was under way. */
enum told {
	TOLD_ALL,    /* as often as in the region */
	TOLD_BEFORE, /* as while the function before, of those that had a run from there */
	TOLD_COUNT,  /* the difference from the first follows */
};

struct circle_io {
	const struct bytes_io *io;
	const uint64_t *executions; /* [n_insns] of the region */
	uint64_t *before;	    /* [n_insns] of the latest run that began there; 0: none */
	size_t n_insns;
};

static uint64_t io_executions(const struct circle_io *cio, const struct profile_context_run *run)
{
	uint64_t all = cio->executions[run->first], before = cio->before[run->first], told;
	struct hint hint = {COLUMN_CIRCLE_TOLD, 2, {hint_mix(run->first, 1), before == all}};

	told = run->executions == all ? TOLD_ALL : run->executions == before ? TOLD_BEFORE : TOLD_COUNT;
	told = bytes_io_uint(cio->io, &hint, told);
	if (told == TOLD_ALL)
		return all;
	if (told == TOLD_BEFORE)
		return before;
	hint = (struct hint){COLUMN_CIRCLE_COUNT, 1, {hint_mix(run->first, 1)}};
	return all + (uint64_t)bytes_io_int(cio->io, &hint, (int64_t)(run->executions - all));
}

/* Whether what was read can be: a part of what the region executed. */
static bool is_there(const struct circle_io *cio, uint64_t first, uint64_t n_insns, uint64_t executions)
{
	if (n_insns == 0 || n_insns > cio->n_insns - first || executions == 0)
		return false;
	for (uint64_t i = 0; i < n_insns; i++)
		if (cio->executions[first + i] < executions)
			return false;
	return true;
}

/* The next run, which begins at `next` or behind; false: there is none any more. */
static bool io_run(const struct circle_io *cio, uint64_t next, struct profile_context_run *run)
{
	struct hint hint = {COLUMN_CIRCLE_GAP, 2, {0, hint_mix(next, 1)}};
	uint64_t gap = bytes_io_uint(cio->io, &hint, run->n_insns ? run->first - next + 1 : 0), n_insns = 0;

	if (gap == 0)
		return false;
	if (gap <= cio->n_insns - next) {
		run->first = (uint32_t)(next + gap - 1);
		hint = (struct hint){COLUMN_CIRCLE_LENGTH, 2, {0, hint_mix(run->first, 1)}};
		n_insns = bytes_io_uint(cio->io, &hint, run->n_insns);
		run->executions = io_executions(cio, run);
	}
	if (cio->io->reader && !is_there(cio, run->first, n_insns, run->executions)) {
		bytes_fail(cio->io->reader, "what ran in a circle of calls was not executed");
		return false;
	}
	run->n_insns = (uint32_t)n_insns;
	cio->before[run->first] = run->executions;
	return true;
}

static void put_runs(const struct circle_io *cio, const struct format_run *runs, size_t n_runs)
{
	struct profile_context_run run = {0};

	for (size_t i = 0; i < n_runs;) {
		uint64_t next = run.first + run.n_insns;

		run = (struct profile_context_run){runs[i].insn, 0, runs[i].executions};
		do
			run.n_insns++, i++;
		while (i < n_runs && runs[i].insn == runs[i - 1].insn + 1 && runs[i].executions == run.executions);
		io_run(cio, next, &run);
	}
	io_run(cio, run.first + run.n_insns, &(struct profile_context_run){0});
}

struct numbered {
	uint32_t number; /* of the function in the file, plus 1; 0: none */
	const struct profile_circle *circle;
};

static int compare_numbered(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

void format_put_circles(const struct profile *profile, const struct profile_region *region, const uint32_t *functions,
			const uint32_t *positions, struct byte_writer *out)
{
	struct numbered *sorted = xcalloc(region->n_circles, sizeof(*sorted));
	uint64_t *executions = format_place_executions(profile, region, positions);
	struct circle_io cio = {.io = &(struct bytes_io){.writer = out},
				.executions = executions,
				.before = xcalloc(profile->n_insns, sizeof(*cio.before)),
				.n_insns = profile->n_insns};
	uint32_t next = 0;

	for (size_t i = 0; i < region->n_circles; i++) {
		uint32_t function = region->circles[i].function;

		sorted[i] = (struct numbered){function == PROFILE_NONE ? 0 : functions[function] + 1,
					      &region->circles[i]};
	}
	if (region->n_circles)
		qsort(sorted, region->n_circles, sizeof(*sorted), compare_numbered);
	bytes_put_uint(out, region->n_circles);
	for (size_t i = 0; i < region->n_circles; i++) {
		const struct profile_circle *circle = sorted[i].circle;
		struct format_runs placed = {0};

		bytes_put_uint(out, sorted[i].number - next);
		next = sorted[i].number + 1;
		format_place_runs(region, circle->first_run, circle->n_runs, positions, &placed);
		put_runs(&cio, placed.runs, placed.n_runs);
		free(placed.runs);
	}
	free(executions);
	free(cio.before);
	free(sorted);
}

static void get_runs(const struct circle_io *cio, struct profile_region *region, struct profile_circle *circle)
{
	struct profile_context_run run = {0};

	while (io_run(cio, run.first + run.n_insns, &run)) {
		if (!bytes_charge(cio->io->reader, 1, 2 * sizeof(run)))
			return;
		profile_add_circle_run(region, circle, run);
	}
}

void format_get_circles(struct byte_reader *reader, struct profile *profile)
{
	struct profile_region *region = &profile->regions[profile->n_regions - 1];
	size_t n = bytes_get_number(reader, 2, 2 * sizeof(*region->circles)), next = 0;
	struct circle_io cio = {.io = &(struct bytes_io){.reader = reader}, .n_insns = region->n_counts};

	if (!bytes_charge(reader, cio.n_insns + 1, sizeof(*cio.before)))
		return;
	cio.executions = region->executions;
	cio.before = xcalloc(cio.n_insns, sizeof(*cio.before));
	for (size_t i = 0; i < n && !reader->problem; i++) {
		size_t number = next + bytes_get_limited(reader, profile->n_functions);
		struct profile_circle *circle;

		if (number > profile->n_functions) {
			bytes_fail(reader, "a number is out of range");
			break;
		}
		circle = ARRAY_ADD(region, circles);
		circle->function = number ? (uint32_t)number - 1 : PROFILE_NONE;
		next = number + 1;
		get_runs(&cio, region, circle);
	}
	free(cio.before);
}
