#include "cli/options/idle_options.h"

#include <string.h>

#include "base/array.h"

static bool is_without_table(const struct options *options)
{
	/* JSON has the table beside what --tree and the like show. */
	return options->report.view != REPORT_VIEW_TABLE && options->report.format != REPORT_JSON;
}

static bool is_for_tools(const struct options *options)
{
	return options->report.format >= REPORT_HTML;
}

static bool is_cut(const struct options *options)
{
	return options->report.top > 0 && options->report.format != REPORT_TEXT;
}

static bool is_json(const struct options *options)
{
	return options->report.format == REPORT_JSON;
}

static bool is_without_memory(const struct options *options)
{
	return options->report.view != REPORT_VIEW_MEMORY;
}

static bool is_without_lines_of_users(const struct options *options)
{
	return options->report.view != REPORT_VIEW_CHARGES && options->report.view != REPORT_VIEW_MEMORY;
}

static bool is_without_sources(const struct options *options)
{
	return !options->report.annotate && options->report.format != REPORT_HTML;
}

static bool is_annotation(const struct options *options)
{
	return options->report.annotate;
}

static const struct {
	const char *option;
	bool (*is_idle)(const struct options *options);
	const char *sentence;
} rules[] = {
	{"by", is_for_tools, "--by is for --format text, json and csv"},
	{"by", is_without_table,
	 "--by is for the table, and --tree, --charge-back and --memory show something else in its place"},
	{"top", is_cut, "--top shortens the tables of text: the other formats have all rows"},
	{"charge-back", is_for_tools, "--charge-back is for --format text, json and csv"},
	{"memory", is_for_tools, "--memory is for --format text, json and csv"},
	{"memory", is_annotation, "annotated source has no allocations; 'itrace report --memory' shows their lines"},
	{"calls", is_annotation, "--calls makes call trees, which annotated source does not show"},
	{"share-allocator", is_without_memory, "--share-allocator shares out what --memory shows: give both"},
	{"user", is_without_lines_of_users,
	 "--user says whose lines --charge-back and --memory show: give one of them"},
	{"source-path", is_without_sources,
	 "--source-path is for what shows sources: 'itrace annotate' and --format html"},
	{"context", is_json, "--context is for text: json has all lines that were executed"},
};

/* --repeat says which counts differ in place of a report, and of the counts' regions alone. */
static bool is_idle_in_repetition(const struct option_row *row)
{
	static const char *const others[] = {"calls", "pipeline", "caches", "trace"};

	for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
		if (strcmp(row->name, others[i]) == 0)
			return true;
	return (row->commands & OF_REPORT) && strcmp(row->name, "region") != 0 && strcmp(row->name, "top") != 0;
}

static bool check_row(const struct options *options, const struct option_row *row, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
		if (strcmp(row->name, rules[i].option) == 0 && rules[i].is_idle(options))
			return error_set(err, ERROR_USAGE, "%s", rules[i].sentence);
	if (options->repeat && is_idle_in_repetition(row))
		return error_set(err, ERROR_USAGE,
				 "--repeat says what differs between runs in place of a report: it goes without --%s",
				 row->name);
	if (options->profile_path && row->commands == OF_RUN)
		return error_set(err, ERROR_USAGE, "--%s is for running a program, and %.400s is a run that was saved",
				 row->name, options->profile_path);
	return true;
}

bool idle_options_check(const struct options *options, const bool *given, struct error *err)
{
	for (size_t i = 0; i < N_OPTION_ROWS; i++)
		if (given[i] && !check_row(options, &option_rows[i], err))
			return false;
	return true;
}
