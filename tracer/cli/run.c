#include "cli/commands.h"
#include "cli/message.h"
#include "cli/report_writer.h"
#include "cli/tracing/repeat.h"
#include "cli/tracing/session.h"
#include "source/symbolize.h"
#include "source/text.h"

/* Adds the names and lines that the report shows. Symbols and lines of large programs take a while to read. */
static void add_source(struct profile *profile, struct source *source, const struct report_options *options)
{
	bool wants_texts = options->annotate || options->format == REPORT_HTML;
	bool wants_lines = wants_texts || profile_group_by_is_source(options->by) ||
			   options->view == REPORT_VIEW_CHARGES || options->view == REPORT_VIEW_MEMORY ||
			   options->format == REPORT_CALLGRIND || options->format == REPORT_SPEEDSCOPE;
	bool wants_functions = wants_lines || options->compare || options->by == GROUP_BY_FUNCTION ||
			       profile->has_calls || profile->has_paths;

	if (wants_functions)
		symbolize_functions(profile, source);
	if (wants_lines)
		symbolize_lines(profile, source);
	if (wants_texts)
		source_texts_record(profile);
}

static bool report_process(void *context, struct profile *profile, struct source *source)
{
	struct report_writer *writer = context;

	add_source(profile, source, &writer->report);
	return report_writer_write(writer, profile);
}

static int run_and_report(struct report_writer *writer)
{
	bool is_text = writer->report.format == REPORT_TEXT;
	const struct session_plan plan = {
		.options = writer->options,
		.wants_calls = report_writer_wants_calls(writer),
		.wants_edges = report_writer_wants_edges(writer),
		.report_shows_signal = !writer->options->output_path &&
				       !(is_text && (writer->report.annotate || writer->report.compare)),
		.take_profile = report_process,
		.context = writer,
	};
	struct session session;
	int status;

	if (!session_run(&session, &plan, &status))
		return status;
	return session_end(&session, report_writer_end(writer));
}

int command_run(const struct options *options)
{
	struct report_writer writer;
	struct error err = {0};
	int status;

	if (options->repeat)
		return repeat_run(options);
	if (report_writer_init(&writer, options, stderr, &err))
		status = run_and_report(&writer);
	else
		status = message_error(&err);
	report_writer_deinit(&writer);
	return status;
}
