#include "cli/run.h"

#include "cli/message.h"
#include "cli/tracing/repeat.h"
#include "cli/tracing/reporting.h"
#include "cli/tracing/tracing.h"
#include "source/text.h"
#include "source/symbolize.h"

static bool write_report(void *context, struct profile *profile, struct source *source)
{
	struct reporting *reporting = context;
	const struct report_options *options = &reporting->options->report;
	bool want_texts = options->annotate || options->format == REPORT_HTML;
	bool want_lines = want_texts || profile_group_by_is_source(options->by) ||
			  options->view == REPORT_VIEW_CHARGES || options->view == REPORT_VIEW_MEMORY ||
			  options->format == REPORT_CALLGRIND || options->format == REPORT_SPEEDSCOPE;

	/* Symbols and lines of large programs take a while to read. */
	if (options->compare || options->by == GROUP_BY_FUNCTION || want_lines || profile->has_calls ||
	    profile->has_paths)
		symbolize_functions(profile, source);
	if (want_lines)
		symbolize_lines(profile, source);
	if (want_texts)
		source_texts_record(profile);
	return reporting_write(reporting, profile);
}

static bool end_reports(void *context)
{
	return reporting_end(context);
}

int run_and_report(struct options *options)
{
	struct reporting reporting = {0};
	struct error err = {0};
	int status;

	if (reporting_init(&reporting, options, stderr, &err)) {
		options->want_edges = reporting_wants_edges(&reporting);
		options->calls |= report_wants_calls(&options->report) || options->report.format == REPORT_HTML;
		status = tracing_run(options, write_report, end_reports, &reporting);
	} else {
		status = message_error(&err);
	}
	reporting_deinit(&reporting);
	return status;
}

int command_run(int argc, char **argv)
{
	struct options options;
	int status;

	if (options_read(&options, COMMAND_RUN, argc, argv, &status))
		status = options.repeat ? repeat_run(&options) : run_and_report(&options);
	options_deinit(&options);
	return status;
}
