#include "commands/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "regions/triggers.h"

#define DEFAULT_MODELS "skylake,zen4,vax8800"
#define DEFAULT_TOP 20

const char options_help[] = "Usage: itrace [options] [--] program [arguments]\n"
			    "       itrace models [show NAME FORM | form HEX]\n"
			    "\n"
			    "Counts the instructions that regions of a program execute and says what they would cost.\n"
			    "\n"
			    "Regions are marked in the source with PA_BEGIN(\"name\") and PA_END(\"name\") of\n"
			    "<itrace/markers.h>, or named here:\n"
			    "      --function NAME   each call of a function, until it has returned (repeatable)\n"
			    "      --start ADDR      from the instruction at ADDR (0xADDR or module+0xOFFSET) ...\n"
			    "      --stop ADDR       ... up to the one at ADDR\n"
			    "      --all             from the program's entry point to its end\n"
			    "      --region NAME     heed and report only this region (repeatable)\n"
			    "      --scopes          each PA_SCOPE of <itrace/scopes.h> is a region, too\n"
			    "\n"
			    "What to report:\n"
			    "  -m, --model A,B,C     cost models, the first one ranks [" DEFAULT_MODELS "]\n"
			    "      --by WHAT         form, mnemonic, category, isa-extension or function [form]\n"
			    "      --top N           rows of each table, 0 for all [20]\n"
			    "      --format FORMAT   text, json or csv [text]\n"
			    "  -o, --output FILE     write the report to FILE instead of stderr\n"
			    "      --trace[=FILE]    write each instruction as it is executed (to stderr)\n"
			    "\n"
			    "How to run:\n"
			    "      --no-aslr         the same addresses in every run\n"
			    "\n"
			    "  -h, --help            this text\n"
			    "      --version         the version\n"
			    "\n"
			    "Every option can also be set as ITRACE_<OPTION>, as in ITRACE_MODEL=zen4.\n"
			    "Exit status: the program's; 125 when itrace itself fails, 126 when the program cannot be\n"
			    "executed, 127 when there is no such program. More: man itrace\n";

enum {
	OPTION_FUNCTION = 256,
	OPTION_START,
	OPTION_STOP,
	OPTION_ALL,
	OPTION_REGION,
	OPTION_SCOPES,
	OPTION_BY,
	OPTION_TOP,
	OPTION_FORMAT,
	OPTION_TRACE,
	OPTION_NO_ASLR,
	OPTION_VERSION,
};

static const struct option long_options[] = {
	{"model", required_argument, NULL, 'm'},
	{"by", required_argument, NULL, OPTION_BY},
	{"top", required_argument, NULL, OPTION_TOP},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"trace", optional_argument, NULL, OPTION_TRACE},
	{"function", required_argument, NULL, OPTION_FUNCTION},
	{"start", required_argument, NULL, OPTION_START},
	{"stop", required_argument, NULL, OPTION_STOP},
	{"all", no_argument, NULL, OPTION_ALL},
	{"region", required_argument, NULL, OPTION_REGION},
	{"scopes", no_argument, NULL, OPTION_SCOPES},
	{"no-aslr", no_argument, NULL, OPTION_NO_ASLR},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPTION_VERSION},
	{0},
};

static bool parse_format(const char *text, enum report_format *format, struct error *err)
{
	static const char *const names[] = {[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_CSV] = "csv"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*format = (enum report_format)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE, "--format %s: there are text, json and csv", text);
}

static bool parse_by(const char *text, enum profile_group_by *by, struct error *err)
{
	static const char *const names[] = {
		[GROUP_BY_FORM] = "form",	  [GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category", [GROUP_BY_ISA_EXTENSION] = "isa-extension",
		[GROUP_BY_FUNCTION] = "function",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*by = (enum profile_group_by)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE, "--by %s: there are form, mnemonic, category, isa-extension and function",
			 text);
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

static bool parse_address(const char *text, const char **address, struct error *err)
{
	*address = text;
	return trigger_address_check(text, err);
}

static bool apply(struct options *options, int option, const char *argument, struct error *err)
{
	switch (option) {
	case 'm':
		free(options->models);
		options->models = xstrdup(argument);
		return true;
	case 'o':
		options->output_path = argument;
		return true;
	case OPTION_BY:
		return parse_by(argument, &options->report.by, err);
	case OPTION_TOP:
		return parse_count("top", argument, &options->report.top, err);
	case OPTION_FORMAT:
		return parse_format(argument, &options->report.format, err);
	case OPTION_TRACE:
		options->trace = true;
		options->trace_path = argument;
		return true;
	case OPTION_FUNCTION:
		*ARRAY_ADD(options, functions) = argument;
		return true;
	case OPTION_START:
		return parse_address(argument, &options->start, err);
	case OPTION_STOP:
		return parse_address(argument, &options->stop, err);
	case OPTION_ALL:
		options->whole_program = true;
		return true;
	case OPTION_REGION:
		*ARRAY_ADD(options, regions) = argument;
		return true;
	case OPTION_SCOPES:
		options->scopes = true;
		return true;
	case OPTION_NO_ASLR:
		options->disable_aslr = true;
		return true;
	default:
		return error_set(err, ERROR_USAGE, "option %d is not handled", option);
	}
}

/* ITRACE_NO_ASLR=1 for --no-aslr; "" and "0" turn a flag off. */
static bool apply_environment(struct options *options, struct error *err)
{
	for (const struct option *option = long_options; option->name; option++) {
		char name[64] = "ITRACE_";
		const char *value;
		size_t n = strlen(name);

		if (option->val == 'h' || option->val == OPTION_VERSION)
			continue;
		for (const char *c = option->name; *c && n < sizeof(name) - 1; c++)
			name[n++] = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
		name[n] = '\0';
		value = getenv(name);
		if (!value || !*value || (option->has_arg != required_argument && strcmp(value, "0") == 0))
			continue;
		if (option->has_arg == optional_argument && strcmp(value, "1") == 0)
			value = NULL;
		if (!apply(options, option->val, value, err))
			return false;
	}
	return true;
}

static void split_models(struct options *options)
{
	char *rest, *name;

	if (!options->models)
		options->models = xstrdup(DEFAULT_MODELS);
	rest = options->models;
	while ((name = strsep(&rest, ",")))
		if (*name)
			*ARRAY_ADD(options, model_names) = name;
}

static bool check(struct options *options, struct error *err)
{
	split_models(options);
	if (!options->n_model_names)
		return error_set(err, ERROR_USAGE, "--model names no model; 'itrace models' lists them");
	if (!options->start != !options->stop)
		return error_set(err, ERROR_USAGE, "--start and --stop are given together or not at all");
	if (!options->program[0])
		return error_set(err, ERROR_USAGE, "no program to run; try 'itrace --help'");
	return true;
}

enum options_result options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	int option;

	*options = (struct options){.report = {.top = DEFAULT_TOP}};
	if (!apply_environment(options, err))
		return OPTIONS_WRONG;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:m:o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return OPTIONS_HELP;
		case OPTION_VERSION:
			return OPTIONS_VERSION;
		case '?':
			error_set(err, ERROR_USAGE, "there is no option %s; try 'itrace --help'", argv[optind - 1]);
			return OPTIONS_WRONG;
		case ':':
			error_set(err, ERROR_USAGE, "%s wants a value; try 'itrace --help'", argv[optind - 1]);
			return OPTIONS_WRONG;
		default:
			if (!apply(options, option, optarg, err))
				return OPTIONS_WRONG;
		}
	}
	options->program = (const char *const *)argv + optind;
	if (!check(options, err))
		return OPTIONS_WRONG;
	options->report.only_regions = options->regions;
	options->report.n_only_regions = options->n_regions;
	return OPTIONS_RUN;
}

void options_deinit(struct options *options)
{
	free(options->models);
	free(options->model_names);
	free(options->functions);
	free(options->regions);
}
