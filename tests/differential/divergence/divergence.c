/* Reports where the two engines execute different instructions, and why. README.md explains the output.
 *
 *     divergence [--reference ENGINE] [--before COMMAND] [--quick] PROGRAM [ARGUMENT ...]
 *
 * The program runs without address-space randomization: first with the step engine, or ENGINE; then with the
 * translate engine, whose run is compared while it goes on; a third time with traces from the start; and a fourth
 * time without a consumer of the stream. With --quick, only the first two runs take place. The shell executes COMMAND
 * before each run, to create files again. The program's output goes to a file and is compared.
 *
 * Exit status: 0 if the runs are equal, 1 if not, 2 if the program could not run.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cause.h"

/* Runs, compares and reports differences. */
static bool check(const struct settings *settings, const struct other *other, const char *how,
		  struct reference *reference)
{
	struct flow_comparison comparison = {.source = source_create()};
	struct outcome outcome;
	bool is_alike;

	run_compare(settings, other, reference, &comparison, &outcome);
	is_alike = !comparison.parting.is_found && outcome_is_like(&reference->outcome, &outcome);
	if (!is_alike) {
		printf("%s: %s executed %s instructions, %s %s\n", settings->argv[0], engine_name(settings->reference),
		       units_count(reference->flow.n_insns).text, how, units_count(comparison.own.n_insns).text);
		cause_explain(settings, other, reference, &comparison, &outcome);
	}
	source_destroy(comparison.source);
	flow_comparison_deinit(&comparison);
	outcome_deinit(&outcome);
	return is_alike;
}

static uint64_t executions(const struct profile *profile)
{
	uint64_t n_insns = 0;

	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].all_threads_region == PROFILE_NONE)
			for (size_t k = 0; k < profile->regions[i].n_counts; k++)
				n_insns += flow_is_compared(profile, &profile->insns[k])
						   ? profile->regions[i].executions[k]
						   : 0;
	return n_insns;
}

static uint64_t count(const struct settings *settings)
{
	const struct other how = {.engine = ENGINE_TRANSLATE};
	struct outcome outcome;
	uint64_t n_insns;

	run_execute(settings, &how, NULL, &outcome);
	n_insns = executions(&outcome.profile);
	outcome_deinit(&outcome);
	return n_insns;
}

/* Without a consumer, translated code makes system calls itself. A difference by chance does not occur three times, and
 * one that time brings about shows in a run with a consumer as well. */
static bool check_counts(const struct settings *settings, const struct other *other, struct reference *reference)
{
	enum { TIMES = 3 };
	uint64_t expected = executions(&reference->outcome.profile), n_insns = 0;

	for (int i = 0; i < TIMES && n_insns != expected; i++)
		n_insns = count(settings);
	if (n_insns != expected && check(settings, other, "translate, now,", reference))
		printf("%s: %s counted %s instructions, translate without a consumer %s\n  cause: not found\n",
		       settings->argv[0], engine_name(settings->reference), units_count(expected).text,
		       units_count(n_insns).text);
	return n_insns == expected;
}

static void parse(int argc, char **argv, struct settings *settings)
{
	static const struct option names[] = {{"reference", required_argument, NULL, 'r'},
					      {"before", required_argument, NULL, 'b'},
					      {"quick", no_argument, NULL, 'q'},
					      {0}};
	int option;

	while ((option = getopt_long(argc, argv, "+", names, NULL)) != -1) {
		if (option == 'r')
			settings->reference = strcmp(optarg, "step") == 0 ? ENGINE_STEP : ENGINE_TRANSLATE;
		else if (option == 'b')
			settings->before = optarg;
		else if (option == 'q')
			settings->is_quick = true;
		else
			exit(2);
	}
	if (!argv[optind]) {
		fprintf(stderr,
			"usage: divergence [--reference ENGINE] [--before COMMAND] [--quick] PROGRAM [ARGUMENT ...]\n");
		exit(2);
	}
	settings->argv = (const char *const *)argv + optind;
}

int main(int argc, char **argv)
{
	const struct other translated = {.engine = ENGINE_TRANSLATE},
			   traced = {.engine = ENGINE_TRANSLATE, .traces_seed = 1};
	struct settings settings = {.reference = ENGINE_STEP};
	struct reference reference;
	bool is_alike;

	parse(argc, argv, &settings);
	run_record(&settings, false, &reference);
	is_alike = check(&settings, &translated, "translate", &reference) &&
		   (settings.is_quick || (check(&settings, &traced, "translate with traces", &reference) &&
					  check_counts(&settings, &translated, &reference)));
	if (is_alike)
		printf("%s: equal: %s instructions\n", settings.argv[0], units_count(reference.flow.n_insns).text);
	reference_deinit(&reference);
	return !is_alike;
}
