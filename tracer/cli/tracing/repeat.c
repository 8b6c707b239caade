#include "cli/tracing/repeat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "base/escape.h"
#include "base/units.h"
#include "cli/tracing/nondeterminism.h"
#include "cli/tracing/session.h"
#include "source/symbolize.h"

/* The instructions that a region executed in each run. */
struct counted {
	char *region, *function; /* function NULL: in all functions together */
	uint64_t *executions;	 /* [n_runs] */
};

struct spread {
	const struct counted *counted;
	uint64_t size; /* difference of the largest and the smallest count */
};

struct runs {
	size_t n_runs, run; /* run: index of the current one */
	struct counted *counted;
	size_t n_counted, counted_capacity;
	struct nondeterminism nondeterminism;
	uint64_t program_bias; /* of the last run */
	bool is_moved;	       /* the program's address differs between runs */
};

static bool is_same_name(const char *name, const char *wanted)
{
	return name == wanted || (name && wanted && strcmp(name, wanted) == 0);
}

static void count(struct runs *runs, const char *region, const char *function, uint64_t executions)
{
	struct counted *counted = NULL;

	for (size_t i = 0; i < runs->n_counted && !counted; i++)
		if (is_same_name(runs->counted[i].function, function) && strcmp(runs->counted[i].region, region) == 0)
			counted = &runs->counted[i];
	if (!counted) {
		counted = ARRAY_ADD(runs, counted);
		counted->region = xstrdup(region);
		counted->function = function ? xstrdup(function) : NULL;
		counted->executions = xcalloc(runs->n_runs, sizeof(*counted->executions));
	}
	counted->executions[runs->run] += executions;
}

static void compare_bias(struct runs *runs, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_modules; i++) {
		if (!profile->modules[i].is_program)
			continue;
		if (runs->program_bias && runs->program_bias != profile->modules[i].bias)
			runs->is_moved = true;
		runs->program_bias = profile->modules[i].bias;
	}
}

static bool count_profile(void *context, struct profile *profile, struct source *source)
{
	struct runs *runs = context;

	symbolize_functions(profile, source);
	compare_bias(runs, profile);
	for (uint32_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		struct profile_groups groups;

		/* Signals arrive at other moments in each run. */
		if (!region->visits || region->handlers_of != PROFILE_NONE ||
		    region->all_threads_region != PROFILE_NONE)
			continue;
		nondeterminism_add(&runs->nondeterminism, profile, i);
		count(runs, region->name, NULL, profile_region_executions(region));
		profile_group_init(&groups, profile, i, GROUP_BY_FUNCTION);
		for (size_t k = 0; k < groups.n_groups; k++)
			count(runs, region->name, groups.groups[k].name, groups.groups[k].executions);
		profile_group_deinit(&groups);
	}
	return true;
}

static void find_range(const struct runs *runs, const struct counted *counted, uint64_t *low, uint64_t *high)
{
	*low = *high = counted->executions[0];
	for (size_t i = 1; i < runs->n_runs; i++) {
		if (counted->executions[i] < *low)
			*low = counted->executions[i];
		if (counted->executions[i] > *high)
			*high = counted->executions[i];
	}
}

static bool differs(const struct runs *runs, const struct counted *counted)
{
	uint64_t low, high;

	find_range(runs, counted, &low, &high);
	return low != high;
}

static bool any_differs(const struct runs *runs)
{
	for (size_t i = 0; i < runs->n_counted; i++)
		if (differs(runs, &runs->counted[i]))
			return true;
	return false;
}

/* Functions of a region may differ although their sum does not. */
static bool region_differs(const void *context, const char *region)
{
	const struct runs *runs = context;

	for (size_t i = 0; i < runs->n_counted; i++)
		if (strcmp(runs->counted[i].region, region) == 0 && differs(runs, &runs->counted[i]))
			return true;
	return false;
}

/* Stops if a run fails, or if a signal asks itrace to end. Returns the exit status of the last run. */
static int run_all(struct runs *runs, const struct options *options)
{
	const struct session_plan plan = {.options = options, .take_profile = count_profile, .context = runs};
	struct session session;
	int status = 0;

	while (runs->run < runs->n_runs && session_run(&session, &plan, &status)) {
		/* session_end dies of the program's signal. */
		if (session.profile.signal)
			fprintf(stderr, "itrace: signal %d (%s) ended run %zu of %zu, so there is nothing to compare\n",
				session.profile.signal, strsignal(session.profile.signal), runs->run + 1, runs->n_runs);
		status = session_end(&session, true);
		if (session.was_interrupted)
			break;
		runs->run++;
	}
	return status;
}

static void deinit(struct runs *runs)
{
	for (size_t i = 0; i < runs->n_counted; i++) {
		free(runs->counted[i].region);
		free(runs->counted[i].function);
		free(runs->counted[i].executions);
	}
	free(runs->counted);
	nondeterminism_deinit(&runs->nondeterminism);
}

static void write_counted(const struct runs *runs, const struct counted *counted)
{
	const char *name = counted->function ? counted->function : counted->region;
	char *shown = escape_text(name[0] ? name : "(unnamed)", ESCAPE_FOR_TERMINAL);
	const char *indent = counted->function ? "  " : "";
	uint64_t low, high;

	find_range(runs, counted, &low, &high);
	if (low == high)
		fprintf(stderr, "%s%s: %s instruction%s in each of %zu runs\n", indent, shown, units_count(low).text,
			low == 1 ? "" : "s", runs->n_runs);
	else
		fprintf(stderr, "%s%s: differs: %s to %s instructions\n", indent, shown, units_count(low).text,
			units_count(high).text);
	free(shown);
}

/* Functions that differ most come first. */
static int compare_spreads(const void *left, const void *right)
{
	const struct spread *a = left, *b = right;

	return ORDER(b->size, a->size) ?: ORDER(a->counted, b->counted);
}

static void write_functions(const struct runs *runs, const char *region, size_t top)
{
	struct spread *spreads = xcalloc(runs->n_counted, sizeof(*spreads));
	size_t n = 0;

	for (size_t i = 0; i < runs->n_counted; i++) {
		uint64_t low, high;

		if (!runs->counted[i].function || strcmp(runs->counted[i].region, region) != 0)
			continue;
		find_range(runs, &runs->counted[i], &low, &high);
		if (low != high)
			spreads[n++] = (struct spread){&runs->counted[i], high - low};
	}
	qsort(spreads, n, sizeof(*spreads), compare_spreads);
	for (size_t i = 0; i < n && (!top || i < top); i++)
		write_counted(runs, spreads[i].counted);
	if (top && n > top)
		fprintf(stderr, "  %s more function%s (--top 0 for all)\n", units_count(n - top).text,
			n - top == 1 ? " differs" : "s differ");
	free(spreads);
}

static void write_runs(const struct runs *runs, size_t top)
{
	for (size_t i = 0; i < runs->n_counted; i++) {
		if (runs->counted[i].function)
			continue;
		write_counted(runs, &runs->counted[i]);
		write_functions(runs, runs->counted[i].region, top);
	}
}

static void write_causes(const struct runs *runs, const char *sentence)
{
	if (runs->is_moved)
		sentence = "--no-aslr has no effect on the program, so the address-space layout may be the cause\n";
	fputs(sentence, stderr);
	nondeterminism_write(&runs->nondeterminism, stderr, region_differs, runs);
}

/* Runs twice without address-space randomization to tell whether the layout is the cause. */
static void find_cause(const struct options *options)
{
	struct options fixed = *options;
	struct runs runs = {.n_runs = 2};

	fixed.disable_aslr = true;
	run_all(&runs, &fixed);
	if (runs.run < runs.n_runs)
		fputs("the cause is unknown: two runs without address-space randomization failed\n", stderr);
	else if (any_differs(&runs))
		write_causes(
			&runs,
			"two runs with --no-aslr differ, too, so the address-space layout is not the only cause\n");
	else
		fputs("two runs with --no-aslr agree: the likely cause is the address-space layout\n", stderr);
	deinit(&runs);
}

int repeat_run(const struct options *options)
{
	struct runs runs = {.n_runs = options->repeat};
	int status = run_all(&runs, options);

	if (runs.run == runs.n_runs && runs.n_counted) {
		write_runs(&runs, options->report.top);
		if (any_differs(&runs) && options->disable_aslr)
			write_causes(&runs, "");
		else if (any_differs(&runs))
			find_cause(options);
	}
	deinit(&runs);
	return status;
}
