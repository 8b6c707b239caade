#include <stdio.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/report_writer.h"
#include "cli/tracing/no_region.h"
#include "savefile/savefile.h"

static bool check_regions(const struct options *options, const struct profile *profile, struct error *err)
{
	for (size_t i = 0; i < options->regions.n_items; i++)
		if (!profile_has_region(profile, options->regions.items[i]))
			return error_set(err, ERROR_USAGE, "%.400s has no region named '%.80s'", options->profile_path,
					 options->regions.items[i]);
	return true;
}

static bool check_calls(const struct options *options, const struct profile *profile, struct error *err)
{
	if (options->report.view == REPORT_VIEW_MEMORY && !profile->has_memory)
		return error_set(
			err, ERROR_USAGE,
			"%.400s has no allocations: the program made none, or 'itrace record --memory' was not used",
			options->profile_path);
	if (profile->has_calls || !report_requires_calls(&options->report))
		return true;
	return error_set(err, ERROR_USAGE,
			 "%.400s has no call trees; record it without --no-calls: 'itrace record' then makes them",
			 options->profile_path);
}

static bool check_threads(const struct options *options, const struct profile *profile, struct error *err)
{
	return !options->per_thread || profile_has_thread_regions(profile) ||
	       error_set(err, ERROR_USAGE, "%.400s has no results by thread; 'itrace record --per-thread' keeps them",
			 options->profile_path);
}

int command_report(const struct options *options)
{
	struct report_writer writer = {0};
	struct profile profile;
	struct error err = {0};
	int status = 0;

	/* The output may be the same file, so the profile is read first. */
	if (!savefile_read(options->profile_path, &profile, &err))
		return message_error(&err);
	if (!check_regions(options, &profile, &err) || !check_calls(options, &profile, &err) ||
	    !check_threads(options, &profile, &err) || !report_writer_init(&writer, options, stdout, &err))
		status = message_error(&err);
	else if (!report_writer_write(&writer, &profile))
		status = EXIT_FAILED;
	report_writer_deinit(&writer);
	profile_deinit(&profile);
	return status;
}
