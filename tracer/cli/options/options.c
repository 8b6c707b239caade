#include "cli/options/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/message.h"
#include "cli/options/option.h"
#include "costmodels/model/host.h"
#include "savefile/savefile.h"

/* The options of a command as getopt_long takes them. */
struct getopt_table {
	struct option longs[MAX_OPTION_ROWS + 1];
	char letters[2 * MAX_OPTION_ROWS + 3]; /* such as "+:m:o:h" */
};

static void make_table(enum command command, struct getopt_table *table)
{
	size_t n_longs = 0;
	char *letters = table->letters;

	*table = (struct getopt_table){0};
	if (command_rows[command].runs_program)
		*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		int has_argument = !row->placeholder  ? no_argument
				   : row->is_optional ? optional_argument
						      : required_argument;

		if (!option_row_is_of(row, command))
			continue;
		table->longs[n_longs++] = (struct option){row->name, has_argument, NULL, OPTION_FIRST_LONG + (int)i};
		if (row->letter)
			*letters++ = row->letter;
		if (row->letter && row->placeholder)
			*letters++ = ':';
	}
}

/* Returns the index of the row for a result of getopt_long. */
static size_t find_row(enum command command, int found)
{
	size_t i = 0;

	if (found >= OPTION_FIRST_LONG)
		return (size_t)(found - OPTION_FIRST_LONG);
	while (option_rows[i].letter != found || !option_row_is_of(&option_rows[i], command))
		i++;
	return i;
}

static void set_defaults(struct options *options)
{
	struct error err;

	for (size_t i = 0; i < n_option_rows; i++) {
		struct option_row row = option_rows[i];

		row.flag = 0; /* a default does not set the option */
		if (row.default_value && option_row_is_of(&row, options->command))
			option_set(&row, options, row.default_value, row.name, &err);
	}
}

/* ITRACE_NO_ASLR=1 stands for --no-aslr. An empty value sets nothing. "0" sets no flag and no option whose argument
 * may be left out. */
static bool read_environment(struct options *options, struct option_marks *marks, struct error *err)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		char variable[MAX_OPTION_NAME + 1];
		bool needs_argument = row->placeholder && !row->is_optional;
		const char *value;

		if (!option_row_is_of(row, options->command))
			continue;
		option_row_variable(row, variable);
		value = getenv(variable);
		if (!value || !*value || (!needs_argument && strcmp(value, "0") == 0))
			continue;
		if (row->is_optional && strcmp(value, "1") == 0)
			value = NULL;
		if (!option_set(row, options, value, variable, err))
			return false;
		marks->set[i] = true;
	}
	return true;
}

static bool read_command_line(struct options *options, int argc, char **argv, struct option_marks *marks,
			      struct error *err)
{
	struct getopt_table table;
	int found;

	make_table(options->command, &table);
	opterr = 0;
	optind = 0; /* starts anew: a test reads several command lines */
	while ((found = getopt_long(argc, argv, table.letters, table.longs, NULL)) != -1) {
		char source[MAX_OPTION_NAME + 3];
		size_t i;

		if (found == '?' || found == ':')
			return option_refuse(options->command, found, argv[optind - 1], err);
		i = find_row(options->command, found);
		snprintf(source, sizeof(source), "--%s", option_rows[i].name);
		if (option_rows[i].kind == OPTION_ADDRESS && !marks->given[i]) /* addresses come in pairs */
			((struct option_list *)((char *)options + option_rows[i].value))->n_items = 0;
		if (!option_set(&option_rows[i], options, optarg, source, err))
			return false;
		marks->given[i] = marks->set[i] = true;
		if (options->wants_help || options->wants_version)
			return true;
	}
	options->arguments = (const char *const *)argv + optind;
	options->n_arguments = (size_t)(argc - optind);
	return true;
}

static bool check_program(const struct options *options, struct error *err)
{
	const char *words = command_rows[options->command].words;

	if (options->pid && options->n_arguments)
		return error_set(err, ERROR_USAGE,
				 "--pid watches a running program, so '%.80s' would not be run; leave out one of them",
				 options->arguments[0]);
	if (!options->pid && !options->n_arguments)
		return error_set(err, ERROR_USAGE, "no %sprogram to run; try '%s --help'",
				 options->command == COMMAND_ANNOTATE ? "saved run to show, and no " : "", words);
	if (options->starts.n_items && options->stops.n_items && options->starts.n_items != options->stops.n_items)
		return error_set(
			err, ERROR_USAGE,
			"the numbers of --start (%zu) and --stop (%zu) differ; give each --start its own --stop",
			options->starts.n_items, options->stops.n_items);
	return true;
}

static bool check_file(struct options *options, struct error *err)
{
	if (!options->n_arguments)
		return error_set(err, ERROR_USAGE, "no file to report on; 'itrace record' makes one");
	if (options->n_arguments > 1)
		return error_set(
			err, ERROR_USAGE, "expected one file, got '%.80s' and '%.80s'; %s; try '%s --help'",
			options->arguments[0], options->arguments[1],
			options->arguments[1][0] == '-' ? "options go before the file"
			: options->command == COMMAND_COMPARE
				? "it compares the costs of one run on several CPUs; for two runs, report on each"
				: "report on one at a time",
			command_rows[options->command].words);
	options->profile_path = options->arguments[0];
	return true;
}

static bool check_block(const struct options *options, struct error *err)
{
	bool has_input = options->n_arguments == 1 && strcmp(options->arguments[0], "-") == 0;

	if (options->n_arguments && !has_input)
		return error_set(err, ERROR_USAGE, "block: unexpected argument '%.80s'; try 'itrace block --help'",
				 options->arguments[0]);
	if (!!options->hex + !!options->csv + !!(options->object || options->functions.n_items) + has_input != 1)
		return error_set(err, ERROR_USAGE,
				 "block: expected one of --hex, --csv, --object and -; try 'itrace block --help'");
	return true;
}

static bool check_arguments(struct options *options, struct error *err)
{
	switch (options->command) {
	case COMMAND_REPORT:
	case COMMAND_COMPARE:
		return check_file(options, err);
	case COMMAND_ANNOTATE:
		if (!options->pid && options->n_arguments && savefile_detect(options->arguments[0]))
			return check_file(options, err);
		return check_program(options, err);
	case COMMAND_BLOCK:
		return check_block(options, err);
	case COMMAND_MEASURE:
		return !options->n_arguments ||
		       error_set(err, ERROR_USAGE, "measure: unexpected argument '%.80s'; try 'itrace measure --help'",
				 options->arguments[0]);
	case COMMAND_MODELS:
		return true;
	default:
		return check_program(options, err);
	}
}

static bool is_set(const struct options *options, const struct option_marks *marks, const char *name)
{
	const struct option_row *row = option_row_find(options->command, name);

	return row && marks->set[row - option_rows];
}

/* Returns the default models, without "host" if this machine has no model. */
static const char *default_models(const char *models)
{
	const char *rest = strchr(models, ',');

	if (strncmp(models, "host", strlen("host")) != 0 || host_has_model())
		return models;
	return rest ? rest + 1 : "skylake";
}

/* Defaults that depend on other options. */
static void set_dependent_defaults(struct options *options, const struct option_marks *marks)
{
	struct report_options *report = &options->report;

	report->annotate = options->command == COMMAND_ANNOTATE;
	if (options->command == COMMAND_RECORD) /* --caches without models simulates those of a report */
		options->models = option_row_find(COMMAND_REPORT, "model")->default_value;
	if (report->compare && !is_set(options, marks, "model"))
		options->models = option_row_find(COMMAND_COMPARE, "model")->default_value;
	if (report->compare && !is_set(options, marks, "top"))
		report->top = strtoul(option_row_find(COMMAND_COMPARE, "top")->default_value, NULL, 10);
	if (options->models && !is_set(options, marks, "model"))
		options->models = default_models(options->models);
	report->compare |= options->command == COMMAND_COMPARE;
	if (options->command == COMMAND_BLOCK && !is_set(options, marks, "format"))
		report->format = options->csv || options->n_arguments ? REPORT_CSV : REPORT_TEXT;
	options->pipeline |= options->caches;
	report->view = options->tree	      ? REPORT_VIEW_TREE
		       : options->charge_back ? REPORT_VIEW_CHARGES
		       : options->memory      ? REPORT_VIEW_MEMORY
					      : REPORT_VIEW_TABLE;
	report->per_thread = options->per_thread;
	report->is_one_of_several = options->follow;
	report->only_regions = options->regions.items;
	report->n_only_regions = options->regions.n_items;
	report->user_modules = options->user_modules.items;
	report->n_user_modules = options->user_modules.n_items;
	report->file_globs = options->file_globs.items;
	report->n_file_globs = options->file_globs.n_items;
}

static bool parse(struct options *options, int argc, char **argv, struct error *err)
{
	bool has_variables = command_rows[options->command].has_variables;
	struct option_marks marks = {0};

	set_defaults(options);
	if (has_variables && !read_environment(options, &marks, err))
		return false;
	if (!read_command_line(options, argc, argv, &marks, err))
		return false;
	if (options->wants_help || options->wants_version)
		return true;
	set_dependent_defaults(options, &marks);
	if (!check_arguments(options, err) || !option_check_conflicts(options, &marks, err))
		return false;
	if (has_variables)
		option_warn_of_variables();
	return true;
}

bool options_read(struct options *options, enum command command, int argc, char **argv, int *status)
{
	struct error err = {0};

	*options = (struct options){.command = command};
	if (!parse(options, argc, argv, &err)) {
		*status = message_error(&err);
		return false;
	}
	if (!options->wants_help && !options->wants_version)
		return true;
	if (options->wants_help)
		option_write_help(stdout, command);
	else
		puts("itrace " ITRACE_VERSION);
	*status = message_end_output();
	return false;
}

void options_deinit(struct options *options)
{
	free(options->functions.items);
	free(options->regions.items);
	free(options->starts.items);
	free(options->stops.items);
	free(options->user_modules.items);
	free(options->source_folders.items);
	free(options->file_globs.items);
	free(options->maps.items);
}
