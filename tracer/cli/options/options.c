#include "cli/options/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/message.h"
#include "cli/options/help.h"
#include "cli/options/idle_options.h"
#include "cli/options/model_names.h"
#include "cli/options/option_refusal.h"
#include "cli/options/option_rows.h"
#include "savefile/savefile.h"

#define DEFAULT_TOP 20
#define DEFAULT_TOP_COMPARED 10
#define DEFAULT_CONTEXT 2

/* What getopt_long says of options that all commands have. */
enum { FOUND_HELP = 'h', FOUND_VERSION = 256 };

static const struct command {
	unsigned options;
	bool runs; /* a program, whose own options follow it; else it reads a file */
	const char *help;
} commands[] = {
	[COMMAND_RUN] = {OF_RUN | OF_REPORT | OF_REPEAT, true, "itrace --help"},
	[COMMAND_RECORD] = {OF_RUN, true, "itrace record --help"},
	[COMMAND_REPORT] = {OF_REPORT, false, "itrace report --help"},
	[COMMAND_COMPARE] = {OF_REPORT, false, "itrace compare --help"},
	[COMMAND_ANNOTATE] = {OF_RUN | OF_ANNOTATE, true, "itrace annotate --help"},
};

/* The rows of a command for getopt_long: the long ones, and such as "+:m:o:h". */
struct getopt_table {
	struct option longs[N_OPTION_ROWS + 3];
	char letters[2 * N_OPTION_ROWS + 4];
};

static void make_table(const struct command *command, struct getopt_table *table)
{
	size_t n_longs = 0, n_letters = 0;

	*table = (struct getopt_table){0};
	if (command->runs)
		table->letters[n_letters++] = '+';
	table->letters[n_letters++] = ':';
	for (size_t i = 0; i < N_OPTION_ROWS; i++) {
		const struct option_row *row = &option_rows[i];

		if (!(row->commands & command->options))
			continue;
		table->longs[n_longs++] = (struct option){row->name, row->has_argument, NULL,
							  row->letter ? row->letter : OPTION_ROW_FIRST + (int)i};
		if (!row->letter)
			continue;
		table->letters[n_letters++] = row->letter;
		if (row->has_argument == required_argument)
			table->letters[n_letters++] = ':';
	}
	table->longs[n_longs++] = (struct option){"help", no_argument, NULL, FOUND_HELP};
	table->longs[n_longs++] = (struct option){"version", no_argument, NULL, FOUND_VERSION};
	table->letters[n_letters++] = 'h';
}

/* ITRACE_NO_ASLR=1 for --no-aslr; "" and "0" turn a flag off. */
static bool read_environment(struct options *options, const struct command *command, struct error *err)
{
	for (size_t i = 0; i < N_OPTION_ROWS; i++) {
		const struct option_row *row = &option_rows[i];
		char name[64] = "ITRACE_";
		const char *value;
		size_t n = strlen(name);

		if (!(row->commands & command->options))
			continue;
		for (const char *c = row->name; *c && n < sizeof(name) - 1; c++)
			name[n++] = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
		name[n] = '\0';
		value = getenv(name);
		if (!value || !*value || (row->has_argument != required_argument && strcmp(value, "0") == 0))
			continue;
		if (row->has_argument == optional_argument && strcmp(value, "1") == 0)
			value = NULL;
		if (!option_row_set(row, options, value, err)) {
			struct error option_error = *err;

			return error_set(err, option_error.kind, "%s is set to '%s': %.900s", name, value ? value : "1",
					 option_error.text);
		}
	}
	return true;
}

static bool split_models(struct options *options, struct error *err)
{
	if (!options->models)
		options->models = xstrdup(options->report.compare    ? DEFAULT_COMPARED
					  : options->report.annotate ? DEFAULT_ANNOTATED
								     : DEFAULT_MODELS);
	options->model_names = model_names_split(options->models, "--model", &options->n_model_names, err);
	return options->model_names;
}

static bool read_arguments(struct options *options, const struct command *command, char **arguments, struct error *err)
{
	if (options->pid && arguments[0])
		return error_set(err, ERROR_USAGE, "-p traces a running program: '%.80s' would not be run",
				 arguments[0]);
	if (command->runs && !arguments[0] && !options->pid)
		return error_set(err, ERROR_USAGE, "no program to run; try '%s'", command->help);
	if (options->report.annotate && arguments[0] && savefile_is_one(arguments[0])) {
		if (arguments[1])
			return error_set(err, ERROR_USAGE,
					 "one file at a time, not '%.80s' too; options come before it; try '%s'",
					 arguments[1], command->help);
		options->profile_path = arguments[0];
		return true;
	}
	if (command->runs) {
		options->program = options->pid ? NULL : (const char *const *)arguments;
		return true;
	}
	if (!arguments[0])
		return error_set(err, ERROR_USAGE, "no file to report on; 'itrace record' makes one");
	if (arguments[1])
		return error_set(err, ERROR_USAGE, "one file at a time, not '%.80s' too; try '%s'", arguments[1],
				 command->help);
	options->profile_path = arguments[0];
	return true;
}

static bool finish(struct options *options, enum options_command command, struct error *err)
{
	options->report.compare |= command == COMMAND_COMPARE;
	if (options->report.top == SIZE_MAX)
		options->report.top = options->report.compare ? DEFAULT_TOP_COMPARED : DEFAULT_TOP;
	if (!split_models(options, err))
		return false;
	if (options->report.annotate && options->report.format != REPORT_TEXT && options->report.format != REPORT_JSON)
		return error_set(err, ERROR_USAGE,
				 "annotated source is text or json; 'itrace report --by line' has lines as csv");
	if (options->no_calls && (options->calls || report_wants_calls(&options->report)))
		return error_set(err, ERROR_USAGE, "--no-calls makes no call trees, but they are asked for");
	if (report_wants_calls(&options->report) && options->report.compare)
		return error_set(err, ERROR_USAGE, "call trees do not go with a comparison of models");
	if (!options->start != !options->stop)
		return error_set(err, ERROR_USAGE, "--start and --stop are given together or not at all");
	if (options->follow && options->report.format >= REPORT_HTML &&
	    !(options->output_path && strstr(options->output_path, "%p")))
		return error_set(
			err, ERROR_USAGE,
			"-f with --format html, callgrind, folded or speedscope writes a file for each process: give -o a "
			"name with %%p for its ID");
	if (options->repeat && (options->pid || options->follow || options->output_path))
		return error_set(
			err, ERROR_USAGE,
			"--repeat says on standard error what differs between runs of a program: it goes without "
			"-p, -f and -o");
	if (options->every > 1 && options->scopes)
		return error_set(err, ERROR_USAGE,
				 "--every tells visits apart by their ends, which all scopes share: it goes "
				 "without --scopes");
	if (options->pid && options->disable_aslr)
		return error_set(err, ERROR_USAGE, "--no-aslr is for programs that itrace starts: it goes without -p");
	return true;
}

/* Whether an argument is --NAME or --NAME=VALUE. */
static bool is_option(const char *argument, const char *name)
{
	size_t n = strlen(name);

	return strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, name, n) == 0 &&
	       (!argument[n + 2] || argument[n + 2] == '=');
}

static bool refuse(int found, const char *before, const struct command *command, const struct getopt_table *table,
		   struct error *err)
{
	for (size_t i = 0; i < N_OPTION_ROWS && !optopt; i++)
		if (is_option(before, option_rows[i].name) && !(option_rows[i].commands & command->options))
			return error_set(err, ERROR_USAGE, "there is no option --%s for this command; try '%s'",
					 option_rows[i].name, command->help);
	return option_refuse(found, before, table->longs, command->help, err);
}

enum options_result options_parse(struct options *options, enum options_command command, int argc, char **argv,
				  struct error *err)
{
	const struct command *parsed = &commands[command];
	bool given[N_OPTION_ROWS] = {false};
	struct getopt_table table;
	const struct option_row *row;
	int found;

	*options = (struct options){.report = {.top = SIZE_MAX, .context = DEFAULT_CONTEXT}};
	options->report.annotate = command == COMMAND_ANNOTATE;
	make_table(parsed, &table);
	if (!read_environment(options, parsed, err))
		return OPTIONS_WRONG;
	opterr = 0;
	while ((found = getopt_long(argc, argv, table.letters, table.longs, NULL)) != -1) {
		switch (found) {
		case FOUND_HELP:
			return OPTIONS_HELP;
		case FOUND_VERSION:
			return OPTIONS_VERSION;
		case '?':
		case ':':
			refuse(found, argv[optind - 1], parsed, &table, err);
			return OPTIONS_WRONG;
		default:
			row = option_row_find(found);
			given[row - option_rows] = true;
			if (!option_row_set(row, options, optarg, err))
				return OPTIONS_WRONG;
		}
	}
	if (!finish(options, command, err) || !read_arguments(options, parsed, argv + optind, err) ||
	    !idle_options_check(options, given, err))
		return OPTIONS_WRONG;
	options->report.is_one_of_several = options->follow;
	options->report.only_regions = options->regions;
	options->report.n_only_regions = options->n_regions;
	options->report.user_modules = options->user_modules;
	options->report.n_user_modules = options->n_user_modules;
	return OPTIONS_RUN;
}

bool options_read(struct options *options, enum options_command command, int argc, char **argv, int *status)
{
	struct error err = {0};

	switch (options_parse(options, command, argc, argv, &err)) {
	case OPTIONS_RUN:
		return true;
	case OPTIONS_HELP:
		help_write(stdout, command);
		*status = message_end_output();
		break;
	case OPTIONS_VERSION:
		puts("itrace " ITRACE_VERSION);
		*status = message_end_output();
		break;
	case OPTIONS_WRONG:
		*status = message_error(&err);
		break;
	}
	return false;
}

void options_deinit(struct options *options)
{
	free(options->models);
	free(options->model_names);
	free(options->functions);
	free(options->regions);
	free(options->source_folders);
	free(options->user_modules);
}
