#include "cli/options/option_rows.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/options/option_values.h"
#include "regions/triggers.h"

#define MAX_CONTEXT 1000000

static bool set_model(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	free(options->models);
	options->models = xstrdup(argument);
	return true;
}

static bool set_by(struct options *options, const char *argument, struct error *err)
{
	options->report.is_by_given = true;
	return option_parse_by(argument, &options->report.by, err);
}

static bool set_top(struct options *options, const char *argument, struct error *err)
{
	return option_parse_count("top", argument, &options->report.top, err);
}

static bool set_format(struct options *options, const char *argument, struct error *err)
{
	return option_parse_format(argument, &options->report.format, err);
}

static bool set_output(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	options->output_path = argument;
	return true;
}

static bool set_trace(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	options->trace_path = argument;
	return options->trace = true;
}

static bool add_function(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, functions) = argument;
	return true;
}

static bool set_start(struct options *options, const char *argument, struct error *err)
{
	options->start = argument;
	return trigger_address_check(argument, err);
}

static bool set_stop(struct options *options, const char *argument, struct error *err)
{
	options->stop = argument;
	return trigger_address_check(argument, err);
}

static bool add_region(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, regions) = argument;
	return true;
}

static bool set_caches(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	options->cache_models = argument;
	return options->pipeline = options->caches = true;
}

static bool set_view(struct options *options, enum report_view view, struct error *err)
{
	if (options->report.view != REPORT_VIEW_TABLE && options->report.view != view)
		return error_set(err, ERROR_USAGE,
				 "--tree, --charge-back and --memory are several reports: give one of them");
	options->report.view = view;
	return true;
}

static bool set_tree(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	return set_view(options, REPORT_VIEW_TREE, err);
}

static bool set_charge_back(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	return set_view(options, REPORT_VIEW_CHARGES, err);
}

/* For a command that runs a program, to watch its memory; for one that reports, to show it. */
static bool set_memory(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	options->memory = true;
	return set_view(options, REPORT_VIEW_MEMORY, err);
}

static bool set_share_allocator(struct options *options, const char *argument, struct error *err)
{
	if (strcmp(argument, "bytes") != 0)
		return error_set(err, ERROR_USAGE, "--share-allocator %s: there is bytes", argument);
	return options->report.share_by_bytes = true;
}

static bool add_user_module(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, user_modules) = argument;
	return true;
}

/* For a command that runs a program, to tell them apart; for one that reports, to show them. */
static bool set_per_thread(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->per_thread = options->report.per_thread = true;
}

static bool set_engine(struct options *options, const char *argument, struct error *err)
{
	return option_parse_engine(argument, &options->engine, err);
}

static bool set_pid(struct options *options, const char *argument, struct error *err)
{
	return option_parse_pid(argument, &options->pid, err);
}

static bool set_max_instructions(struct options *options, const char *argument, struct error *err)
{
	return option_parse_limit("max-instructions", argument, &options->max_instructions, err);
}

static bool set_max_visits(struct options *options, const char *argument, struct error *err)
{
	return option_parse_limit("max-visits", argument, &options->max_visits, err);
}

static bool set_every(struct options *options, const char *argument, struct error *err)
{
	return option_parse_limit("every", argument, &options->every, err);
}

static bool set_repeat(struct options *options, const char *argument, struct error *err)
{
	if (!option_parse_limit("repeat", argument, &options->repeat, err))
		return false;
	if (options->repeat == 1 || options->repeat > 10000)
		return error_set(err, ERROR_USAGE, "--repeat %s: 2 to 10,000 runs can be compared", argument);
	return true;
}

static bool set_timeout(struct options *options, const char *argument, struct error *err)
{
	return option_parse_seconds("timeout", argument, &options->timeout_ns, err);
}

static bool set_context(struct options *options, const char *argument, struct error *err)
{
	if (!option_parse_count("context", argument, &options->report.context, err))
		return false;
	if (options->report.context > MAX_CONTEXT)
		return error_set(err, ERROR_USAGE, "--context %s: at most %d lines", argument, MAX_CONTEXT);
	return true;
}

static bool add_source_folder(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, source_folders) = argument;
	return true;
}

const struct option_row option_rows[] = {
	{"function", 0, required_argument, OF_RUN, add_function, 0},
	{"start", 0, required_argument, OF_RUN, set_start, 0},
	{"stop", 0, required_argument, OF_RUN, set_stop, 0},
	{"all", 0, no_argument, OF_RUN, NULL, offsetof(struct options, whole_program)},
	{"scopes", 0, no_argument, OF_RUN, NULL, offsetof(struct options, scopes)},
	{"calls", 0, no_argument, OF_RUN, NULL, offsetof(struct options, calls)},
	{"no-calls", 0, no_argument, OF_RUN, NULL, offsetof(struct options, no_calls)},
	{"pipeline", 0, no_argument, OF_RUN, NULL, offsetof(struct options, pipeline)},
	{"caches", 0, optional_argument, OF_RUN, set_caches, 0},
	{"engine", 0, required_argument, OF_RUN, set_engine, 0},
	{"no-aslr", 0, no_argument, OF_RUN, NULL, offsetof(struct options, disable_aslr)},
	{"pid", 'p', required_argument, OF_RUN, set_pid, 0},
	{"follow", 'f', no_argument, OF_RUN, NULL, offsetof(struct options, follow)},
	{"max-instructions", 0, required_argument, OF_RUN, set_max_instructions, 0},
	{"max-visits", 0, required_argument, OF_RUN, set_max_visits, 0},
	{"every", 0, required_argument, OF_RUN, set_every, 0},
	{"repeat", 0, required_argument, OF_REPEAT, set_repeat, 0},
	{"timeout", 0, required_argument, OF_RUN, set_timeout, 0},
	{"trace", 0, optional_argument, OF_RUN, set_trace, 0},
	{"region", 0, required_argument, OF_ALL, add_region, 0},
	{"per-thread", 0, no_argument, OF_ALL | OF_ANNOTATE, set_per_thread, 0},
	{"output", 'o', required_argument, OF_ALL, set_output, 0},
	{"model", 'm', required_argument, OF_REPORT | OF_ANNOTATE, set_model, 0},
	{"by", 0, required_argument, OF_REPORT, set_by, 0},
	{"top", 0, required_argument, OF_REPORT | OF_ANNOTATE, set_top, 0},
	{"format", 0, required_argument, OF_REPORT | OF_ANNOTATE, set_format, 0},
	{"tree", 0, no_argument, OF_REPORT, set_tree, 0},
	{"charge-back", 0, no_argument, OF_REPORT, set_charge_back, 0},
	{"memory", 0, no_argument, OF_ALL, set_memory, 0},
	{"share-allocator", 0, required_argument, OF_REPORT, set_share_allocator, 0},
	{"user", 0, required_argument, OF_REPORT, add_user_module, 0},
	{"compare", 0, no_argument, OF_REPORT, NULL, offsetof(struct options, report.compare)},
	{"context", 0, required_argument, OF_ANNOTATE, set_context, 0},
	{"instructions", 0, no_argument, OF_ANNOTATE, NULL, offsetof(struct options, report.insns)},
	{"source-path", 0, required_argument, OF_REPORT | OF_ANNOTATE, add_source_folder, 0},
};

const struct option_row *option_row_find(int found)
{
	for (size_t i = 0; i < N_OPTION_ROWS; i++)
		if (found == option_rows[i].letter || found == OPTION_ROW_FIRST + (int)i)
			return &option_rows[i];
	return NULL;
}

bool option_row_set(const struct option_row *row, struct options *options, const char *argument, struct error *err)
{
	if (row->set)
		return row->set(options, argument, err);
	*(bool *)((char *)options + row->flag) = true;
	return true;
}
