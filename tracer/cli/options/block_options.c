#include "cli/options/block_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/option_refusal.h"

#define ITERATIONS_MAX 1000 /* of a timeline */

const char block_options_help[] =
	"usage: itrace block [options] --hex HEX                     one basic block, in hexadecimal\n"
	"       itrace block [options] --csv FILE                    the first column of each line but the header\n"
	"       itrace block [options] -                             the same from the input\n"
	"       itrace block [options] --object FILE --function NAME the blocks of a function\n"
	"\n"
	"What one iteration costs on an out-of-order CPU in the steady state, and what bounds it.\n"
	"\n"
	"  -m, --model A,B       cost models [skylake]\n"
	"      --mode MODE       unrolled, copies of the block in a row, or loop [loop for a block that ends\n"
	"                        with a jump to its begin, else unrolled]\n"
	"      --pointers WHAT   distinct: registers point to different places, or same: all registers and all memory\n"
	"                        hold one address, as measured blocks are set up [same if unrolled, else distinct]\n"
	"      --timeline[=N]    when each instruction of N iterations was issued, executed and retired [some 24\n"
	"                        instructions]\n"
	"      --format FORMAT   text, json or csv [csv for --csv and -, else text]\n"
	"  -h, --help            this text\n";

enum {
	OPTION_HEX = 256,
	OPTION_CSV,
	OPTION_OBJECT,
	OPTION_FUNCTION,
	OPTION_MODE,
	OPTION_POINTERS,
	OPTION_TIMELINE,
	OPTION_FORMAT
};

static const struct option long_options[] = {
	{"model", required_argument, NULL, 'm'},
	{"hex", required_argument, NULL, OPTION_HEX},
	{"csv", required_argument, NULL, OPTION_CSV},
	{"object", required_argument, NULL, OPTION_OBJECT},
	{"function", required_argument, NULL, OPTION_FUNCTION},
	{"mode", required_argument, NULL, OPTION_MODE},
	{"pointers", required_argument, NULL, OPTION_POINTERS},
	{"timeline", optional_argument, NULL, OPTION_TIMELINE},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static bool parse_mode(const char *text, enum block_mode *mode, struct error *err)
{
	if (strcmp(text, "unrolled") == 0)
		*mode = BLOCK_MODE_UNROLLED;
	else if (strcmp(text, "loop") == 0)
		*mode = BLOCK_MODE_LOOP;
	else
		return error_set(err, ERROR_USAGE, "--mode %s: there are unrolled and loop", text);
	return true;
}

static bool parse_pointers(const char *text, enum block_pointers *pointers, struct error *err)
{
	if (strcmp(text, "distinct") == 0)
		*pointers = BLOCK_POINTERS_DISTINCT;
	else if (strcmp(text, "same") == 0)
		*pointers = BLOCK_POINTERS_SAME;
	else
		return error_set(err, ERROR_USAGE, "--pointers %s: there are distinct and same", text);
	return true;
}

static bool parse_format(const char *text, enum report_format *format, struct error *err)
{
	if (strcmp(text, "text") == 0)
		*format = REPORT_TEXT;
	else if (strcmp(text, "json") == 0)
		*format = REPORT_JSON;
	else if (strcmp(text, "csv") == 0)
		*format = REPORT_CSV;
	else
		return error_set(err, ERROR_USAGE, "--format %s: there are text, json and csv", text);
	return true;
}

static bool parse_iterations(const char *text, uint32_t *iterations, struct error *err)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !number || number > ITERATIONS_MAX)
		return error_set(err, ERROR_USAGE, "--timeline=%.80s: give a number of iterations, 1 to %d", text,
				 ITERATIONS_MAX);
	*iterations = (uint32_t)number;
	return true;
}

static bool apply(struct block_options *options, int option, const char *value, struct error *err)
{
	switch (option) {
	case 'm':
		options->models = value;
		return true;
	case OPTION_HEX:
		options->hex = value;
		return true;
	case OPTION_CSV:
		options->csv = value;
		return true;
	case OPTION_OBJECT:
		options->object = value;
		return true;
	case OPTION_FUNCTION:
		options->function = value;
		return true;
	case OPTION_MODE:
		return parse_mode(value, &options->mode, err);
	case OPTION_POINTERS:
		return parse_pointers(value, &options->pointers, err);
	case OPTION_TIMELINE:
		options->wants_timeline = true;
		return !value || parse_iterations(value, &options->iterations, err);
	case OPTION_FORMAT:
		options->has_format = true;
		return parse_format(value, &options->format, err);
	default:
		options->wants_help = true;
		return true;
	}
}

static bool check(struct block_options *options, int n_rest, char **rest, struct error *err)
{
	options->from_stdin = n_rest == 1 && strcmp(rest[0], "-") == 0;
	if (n_rest && !options->from_stdin)
		return error_set(err, ERROR_USAGE, "block: '%.80s' is no option; try 'itrace block --help'", rest[0]);
	if (!options->object != !options->function)
		return error_set(err, ERROR_USAGE, "--object and --function are given together or not at all");
	if (!!options->hex + !!options->csv + !!options->object + options->from_stdin != 1)
		return error_set(err, ERROR_USAGE,
				 "block: give one of --hex, --csv, --object and -; try 'itrace block --help'");
	if (!options->has_format)
		options->format = options->csv || options->from_stdin ? REPORT_CSV : REPORT_TEXT;
	if (options->wants_timeline && options->format == REPORT_CSV)
		return error_set(
			err, ERROR_USAGE,
			"--timeline is for --format text and json; many blocks are csv unless another is given");
	return true;
}

bool block_options_parse(struct block_options *options, int argc, char **argv, struct error *err)
{
	int option;

	*options = (struct block_options){.models = "skylake"};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":m:h", long_options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return option_refuse(option, argv[optind - 1], long_options, "itrace block --help", err);
		if (!apply(options, option, optarg, err))
			return false;
	}
	return options->wants_help || check(options, argc - optind, argv + optind, err);
}
