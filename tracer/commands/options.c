#include "commands/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "commands/help.h"
#include "commands/message.h"
#include "profile/file.h"
#include "regions/triggers.h"

#define DEFAULT_TOP 20
#define DEFAULT_TOP_COMPARED 10
#define DEFAULT_CONTEXT 2
#define MAX_CONTEXT 1000000

/* Which commands have an option. */
enum { OF_RUN = 1, OF_REPORT = 2, OF_ANNOTATE = 4, OF_REPEAT = 8, OF_ALL = OF_RUN | OF_REPORT };

static bool parse_format(const char *text, enum report_format *format, struct error *err)
{
	static const char *const names[N_REPORT_FORMATS] = {
		[REPORT_TEXT] = "text",
		[REPORT_JSON] = "json",
		[REPORT_CSV] = "csv",
		[REPORT_HTML] = "html",
		[REPORT_CALLGRIND] = "callgrind",
		[REPORT_FOLDED] = "folded",
		[REPORT_SPEEDSCOPE] = "speedscope",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*format = (enum report_format)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "--format %s: there are text, json, csv, html, callgrind, folded and speedscope", text);
}

static bool parse_by(const char *text, enum profile_group_by *by, struct error *err)
{
	static const char *const names[] = {
		[GROUP_BY_FORM] = "form",	  [GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category", [GROUP_BY_ISA_EXTENSION] = "isa-extension",
		[GROUP_BY_FUNCTION] = "function", [GROUP_BY_FILE] = "file",
		[GROUP_BY_LINE] = "line",	  [GROUP_BY_COLUMN] = "column",
		[GROUP_BY_INLINED] = "inlined",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*by = (enum profile_group_by)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "--by %s: there are form, mnemonic, category, isa-extension, function, file, line, column and "
			 "inlined",
			 text);
}

static bool parse_engine(const char *text, enum engine_kind *engine, struct error *err)
{
	static const char *const names[] = {
		[ENGINE_AUTO] = "auto", [ENGINE_STEP] = "step", [ENGINE_TRANSLATE] = "translate"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*engine = (enum engine_kind)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE, "--engine %s: there are step, translate and auto", text);
}

static bool parse_count(const char *option, const char *text, size_t *count, struct error *err)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)text[0]) || *end || value > SIZE_MAX / 2)
		return error_set(err, ERROR_USAGE, "--%s %s: a whole number is wanted", option, text);
	*count = (size_t)value;
	return true;
}

/* Not 0, which would mean that there is no limit. */
static bool parse_limit(const char *option, const char *text, uint64_t *limit, struct error *err)
{
	size_t count;

	if (!parse_count(option, text, &count, err))
		return false;
	if (!count)
		return error_set(err, ERROR_USAGE, "--%s 0: the least is 1", option);
	*limit = count;
	return true;
}

static bool parse_seconds(const char *option, const char *text, uint64_t *ns, struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!isdigit((unsigned char)text[0]) || *end || !(seconds > 0) || seconds > 1e9)
		return error_set(err, ERROR_USAGE, "--%s %s: seconds are wanted, such as 10 or 0.5", option, text);
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}

static bool parse_address(const char *text, const char **address, struct error *err)
{
	*address = text;
	return trigger_address_check(text, err);
}

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
	return parse_by(argument, &options->report.by, err);
}

static bool set_top(struct options *options, const char *argument, struct error *err)
{
	return parse_count("top", argument, &options->report.top, err);
}

static bool set_format(struct options *options, const char *argument, struct error *err)
{
	return parse_format(argument, &options->report.format, err);
}

static bool set_compare(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->report.compare = true;
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
	return parse_address(argument, &options->start, err);
}

static bool set_stop(struct options *options, const char *argument, struct error *err)
{
	return parse_address(argument, &options->stop, err);
}

static bool set_all(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->whole_program = true;
}

static bool set_scopes(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->scopes = true;
}

static bool add_region(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, regions) = argument;
	return true;
}

static bool set_calls(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->calls = true;
}

static bool set_pipeline(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->pipeline = true;
}

static bool set_caches(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	options->cache_models = argument;
	return options->pipeline = options->caches = true;
}

static bool set_no_calls(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->no_calls = true;
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
	return parse_engine(argument, &options->engine, err);
}

static bool set_no_aslr(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->disable_aslr = true;
}

static bool set_pid(struct options *options, const char *argument, struct error *err)
{
	size_t pid = 0;

	if (!parse_count("pid", argument, &pid, err) || pid == 0 || pid > INT32_MAX)
		return error_set(err, ERROR_USAGE, "-p %s: the ID of a process is wanted", argument);
	options->pid = (int32_t)pid;
	return true;
}

static bool set_follow(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->follow = true;
}

static bool set_max_instructions(struct options *options, const char *argument, struct error *err)
{
	return parse_limit("max-instructions", argument, &options->max_instructions, err);
}

static bool set_max_visits(struct options *options, const char *argument, struct error *err)
{
	return parse_limit("max-visits", argument, &options->max_visits, err);
}

static bool set_every(struct options *options, const char *argument, struct error *err)
{
	return parse_limit("every", argument, &options->every, err);
}

static bool set_repeat(struct options *options, const char *argument, struct error *err)
{
	if (!parse_limit("repeat", argument, &options->repeat, err))
		return false;
	if (options->repeat == 1 || options->repeat > 10000)
		return error_set(err, ERROR_USAGE, "--repeat %s: 2 to 10,000 runs can be compared", argument);
	return true;
}

static bool set_timeout(struct options *options, const char *argument, struct error *err)
{
	return parse_seconds("timeout", argument, &options->timeout_ns, err);
}

static bool set_context(struct options *options, const char *argument, struct error *err)
{
	if (!parse_count("context", argument, &options->report.context, err))
		return false;
	if (options->report.context > MAX_CONTEXT)
		return error_set(err, ERROR_USAGE, "--context %s: at most %d lines", argument, MAX_CONTEXT);
	return true;
}

static bool set_instructions(struct options *options, const char *argument, struct error *err)
{
	(void)argument;
	(void)err;
	return options->report.insns = true;
}

static bool add_source_folder(struct options *options, const char *argument, struct error *err)
{
	(void)err;
	*ARRAY_ADD(options, source_folders) = argument;
	return true;
}

static const struct option_row {
	const char *name;
	char letter; /* or 0 */
	int has_argument;
	unsigned commands;
	/* argument is NULL where an optional one is missing. */
	bool (*set)(struct options *options, const char *argument, struct error *err);
} rows[] = {
	{"function", 0, required_argument, OF_RUN, add_function},
	{"start", 0, required_argument, OF_RUN, set_start},
	{"stop", 0, required_argument, OF_RUN, set_stop},
	{"all", 0, no_argument, OF_RUN, set_all},
	{"scopes", 0, no_argument, OF_RUN, set_scopes},
	{"calls", 0, no_argument, OF_RUN, set_calls},
	{"no-calls", 0, no_argument, OF_RUN, set_no_calls},
	{"pipeline", 0, no_argument, OF_RUN, set_pipeline},
	{"caches", 0, optional_argument, OF_RUN, set_caches},
	{"engine", 0, required_argument, OF_RUN, set_engine},
	{"no-aslr", 0, no_argument, OF_RUN, set_no_aslr},
	{"pid", 'p', required_argument, OF_RUN, set_pid},
	{"follow", 'f', no_argument, OF_RUN, set_follow},
	{"max-instructions", 0, required_argument, OF_RUN, set_max_instructions},
	{"max-visits", 0, required_argument, OF_RUN, set_max_visits},
	{"every", 0, required_argument, OF_RUN, set_every},
	{"repeat", 0, required_argument, OF_REPEAT, set_repeat},
	{"timeout", 0, required_argument, OF_RUN, set_timeout},
	{"trace", 0, optional_argument, OF_RUN, set_trace},
	{"region", 0, required_argument, OF_ALL, add_region},
	{"per-thread", 0, no_argument, OF_ALL | OF_ANNOTATE, set_per_thread},
	{"output", 'o', required_argument, OF_ALL, set_output},
	{"model", 'm', required_argument, OF_REPORT | OF_ANNOTATE, set_model},
	{"by", 0, required_argument, OF_REPORT, set_by},
	{"top", 0, required_argument, OF_REPORT | OF_ANNOTATE, set_top},
	{"format", 0, required_argument, OF_REPORT | OF_ANNOTATE, set_format},
	{"tree", 0, no_argument, OF_REPORT, set_tree},
	{"charge-back", 0, no_argument, OF_REPORT, set_charge_back},
	{"memory", 0, no_argument, OF_ALL, set_memory},
	{"share-allocator", 0, required_argument, OF_REPORT, set_share_allocator},
	{"user", 0, required_argument, OF_REPORT, add_user_module},
	{"compare", 0, no_argument, OF_REPORT, set_compare},
	{"context", 0, required_argument, OF_ANNOTATE, set_context},
	{"instructions", 0, no_argument, OF_ANNOTATE, set_instructions},
	{"source-path", 0, required_argument, OF_REPORT | OF_ANNOTATE, add_source_folder},
};

/* What getopt_long says; rows and letters have values of their own. */
enum { FOUND_HELP = 'h', FOUND_VERSION = 256, FOUND_ROW };

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
	struct option longs[ARRAY_LENGTH(rows) + 3];
	char letters[2 * ARRAY_LENGTH(rows) + 4];
};

static void make_table(const struct command *command, struct getopt_table *table)
{
	size_t n_longs = 0, n_letters = 0;

	*table = (struct getopt_table){0};
	if (command->runs)
		table->letters[n_letters++] = '+';
	table->letters[n_letters++] = ':';
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct option_row *row = &rows[i];

		if (!(row->commands & command->options))
			continue;
		table->longs[n_longs++] = (struct option){row->name, row->has_argument, NULL,
							  row->letter ? row->letter : FOUND_ROW + (int)i};
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

static const struct option_row *find_row(int found)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (found == rows[i].letter || found == FOUND_ROW + (int)i)
			return &rows[i];
	return NULL;
}

/* ITRACE_NO_ASLR=1 for --no-aslr; "" and "0" turn a flag off. */
static bool read_environment(struct options *options, const struct command *command, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct option_row *row = &rows[i];
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
		if (!row->set(options, value, err)) {
			struct error option_error = *err;

			return error_set(err, option_error.kind, "%s is set to '%s': %.900s", name, value ? value : "1",
					 option_error.text);
		}
	}
	return true;
}

static void split_models(struct options *options)
{
	char *rest, *name;

	if (!options->models)
		options->models = xstrdup(options->report.compare    ? DEFAULT_COMPARED
					  : options->report.annotate ? DEFAULT_ANNOTATED
								     : DEFAULT_MODELS);
	rest = options->models;
	while ((name = strsep(&rest, ",")))
		if (*name)
			*ARRAY_ADD(options, model_names) = name;
}

static bool read_arguments(struct options *options, const struct command *command, char **arguments, struct error *err)
{
	if (options->pid && arguments[0])
		return error_set(err, ERROR_USAGE, "-p traces a running program: '%.80s' would not be run",
				 arguments[0]);
	if (command->runs && !arguments[0] && !options->pid)
		return error_set(err, ERROR_USAGE, "no program to run; try '%s'", command->help);
	if (options->report.annotate && arguments[0] && profile_is_saved(arguments[0])) {
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
	split_models(options);
	if (!options->n_model_names)
		return error_set(err, ERROR_USAGE, "--model names no model; 'itrace models' lists them");
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

enum options_result options_parse(struct options *options, enum options_command command, int argc, char **argv,
				  struct error *err)
{
	const struct command *parsed = &commands[command];
	struct getopt_table table;
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
			error_set(err, ERROR_USAGE, "there is no option %s; try '%s'", argv[optind - 1], parsed->help);
			return OPTIONS_WRONG;
		case ':':
			error_set(err, ERROR_USAGE, "%s wants a value; try '%s'", argv[optind - 1], parsed->help);
			return OPTIONS_WRONG;
		default:
			if (!find_row(found)->set(options, optarg, err))
				return OPTIONS_WRONG;
		}
	}
	if (!finish(options, command, err) || !read_arguments(options, parsed, argv + optind, err))
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
		*status = 0;
		break;
	case OPTIONS_VERSION:
		puts("itrace " ITRACE_VERSION);
		*status = 0;
		break;
	case OPTIONS_WRONG:
		*status = message_error(&err);
		break;
	}
	return false;
}

char *options_expand_path(const char *path, int32_t pid)
{
	char *expanded = xstrdup("");

	for (const char *at = path; *at;) {
		size_t length = strcspn(at, "%");
		bool is_pid = at[length] == '%' && at[length + 1] == 'p';
		char *longer;

		if (is_pid) {
			longer = xasprintf("%s%.*s%d", expanded, (int)length, at, (int)pid);
			length += 2;
		} else {
			length += at[length] == '%';
			longer = xasprintf("%s%.*s", expanded, (int)length, at);
		}
		free(expanded);
		expanded = longer;
		at += length;
	}
	return expanded;
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
