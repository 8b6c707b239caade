#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/tracing/reporting.h"
#include "savefile/savefile.h"

#define EXIT_FAILED 125

static bool has_region(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (strcmp(profile->regions[i].name, name) == 0)
			return true;
	return false;
}

static bool check_regions(const struct options *options, const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < options->n_regions; i++)
		if (!has_region(profile, options->regions[i]))
			return error_set(err, ERROR_USAGE, "%.400s has no region named '%.80s'", options->profile_path,
					 options->regions[i]);
	return true;
}

static bool check_calls(const struct options *options, const struct profile *profile, struct error *err)
{
	if (options->report.view == REPORT_VIEW_MEMORY && !profile->has_memory)
		return error_set(
			err, ERROR_USAGE,
			"%.400s has no allocations: none were made, or it was recorded without 'itrace record --memory'",
			options->profile_path);
	if (profile->has_calls || !report_wants_calls(&options->report))
		return true;
	return error_set(err, ERROR_USAGE, "%.400s has no call trees; 'itrace record' makes them without --no-calls",
			 options->profile_path);
}

static bool check_parts(const struct options *options, const struct profile *profile, struct error *err)
{
	return !options->per_thread || profile_has_parts(profile) ||
	       error_set(err, ERROR_USAGE, "%.400s has no results by thread; 'itrace record --per-thread' keeps them",
			 options->profile_path);
}

int report_saved(struct options *options)
{
	struct reporting reporting = {0};
	struct profile profile;
	struct error err = {0};
	int status = 0;

	/* First, for the output may be the same file. */
	if (!savefile_read(options->profile_path, &profile, &err))
		return message_error(&err);
	if (!check_regions(options, &profile, &err) || !check_calls(options, &profile, &err) ||
	    !check_parts(options, &profile, &err) || !reporting_init(&reporting, options, stdout, &err))
		status = message_error(&err);
	else if (!reporting_write(&reporting, &profile))
		status = EXIT_FAILED;
	reporting_deinit(&reporting);
	profile_deinit(&profile);
	return status;
}

static int command(enum options_command command, int argc, char **argv)
{
	struct options options;
	int status;

	if (options_read(&options, command, argc, argv, &status))
		status = report_saved(&options);
	options_deinit(&options);
	return status;
}

int command_report(int argc, char **argv)
{
	return command(COMMAND_REPORT, argc, argv);
}

int command_compare(int argc, char **argv)
{
	return command(COMMAND_COMPARE, argc, argv);
}
