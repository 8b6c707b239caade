#include "cli/options/sample_options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/options/option_refusal.h"
#include "cli/options/option_values.h"

#define DEFAULT_MODEL "skylake"
#define DEFAULT_TOP 20
#define TOP_NOT_GIVEN SIZE_MAX
/* Some thousand samples a second, and out of step with the kernel's own ticks at 100, 250, 300 or 1000 Hz. */
#define DEFAULT_PERIOD_NS 997000

const char sample_options_help[] =
	"Usage: itrace sample [options] [--] program [arguments]\n"
	"\n"
	"Looks where a program is, once in each period of its CPU time, and says how far to trust that.\n"
	"\n"
	"How to sample:\n"
	"      --period TIME     CPU time between samples of a thread, as 250us or 2ms [997us]\n"
	"      --time TIME       sample only so long (wall time); the program runs on to its end\n"
	"      --method METHOD   perf (the kernel's clock), stops (ptrace) or auto [auto]\n"
	"      --no-aslr         the same addresses in every run\n"
	"  -p PID                sample a running program instead, until it ends, --time or ^C; perf only\n"
	"\n"
	"What to report:\n"
	"      --by WHAT         function, line or object [function]\n"
	"      --map FILE        names from a linker map, the output of nm, or a perf-PID.map (repeatable)\n"
	"      --per-thread      a table for each thread as well\n"
	"      --trials          sample the same run at pi/2, e and pi times the period too, and compare\n"
	"      --check           trace the program exactly in a second run, and compare\n"
	"      --model NAME      cost model of --check [" DEFAULT_MODEL "]\n"
	"      --function NAME, --region NAME\n"
	"                        what --check traces [the whole program]\n"
	"      --top N           rows of each table, 0 for all [20]\n"
	"      --format FORMAT   text, json or csv [text]\n"
	"  -o, --output FILE     write the report to FILE instead of stderr\n"
	"  -h, --help            this text\n"
	"\n"
	"Exit status: the program's; 125 when itrace itself fails. More: man itrace-sample\n";

enum {
	OPTION_PERIOD = 256,
	OPTION_TIME,
	OPTION_METHOD,
	OPTION_NO_ASLR,
	OPTION_BY,
	OPTION_MAP,
	OPTION_PER_THREAD,
	OPTION_TRIALS,
	OPTION_CHECK,
	OPTION_MODEL,
	OPTION_FUNCTION,
	OPTION_REGION,
	OPTION_TOP,
	OPTION_FORMAT,
};

static const struct option long_options[] = {
	{"period", required_argument, NULL, OPTION_PERIOD},
	{"time", required_argument, NULL, OPTION_TIME},
	{"method", required_argument, NULL, OPTION_METHOD},
	{"no-aslr", no_argument, NULL, OPTION_NO_ASLR},
	{"by", required_argument, NULL, OPTION_BY},
	{"map", required_argument, NULL, OPTION_MAP},
	{"per-thread", no_argument, NULL, OPTION_PER_THREAD},
	{"trials", no_argument, NULL, OPTION_TRIALS},
	{"check", no_argument, NULL, OPTION_CHECK},
	{"model", required_argument, NULL, OPTION_MODEL},
	{"function", required_argument, NULL, OPTION_FUNCTION},
	{"region", required_argument, NULL, OPTION_REGION},
	{"top", required_argument, NULL, OPTION_TOP},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* The index of `text` among names[n_names], which become the sentence of what there is. */
static bool parse_name(const char *option, const char *text, const char *const *names, size_t n_names, int *index,
		       struct error *err)
{
	char there_is[256] = "";

	for (size_t i = 0; i < n_names; i++) {
		size_t used = strlen(there_is);

		if (strcmp(text, names[i]) == 0) {
			*index = (int)i;
			return true;
		}
		snprintf(there_is + used, sizeof(there_is) - used, "%s%s",
			 i == 0		    ? ""
			 : i + 1 == n_names ? " and "
					    : ", ",
			 names[i]);
	}
	return error_set(err, ERROR_USAGE, "--%s %s: there are %s", option, text, there_is);
}

static bool parse_time(const char *option, const char *text, uint64_t *ns, struct error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *unit;
	double value = strtod(text, &unit);

	for (size_t i = 0; i < ARRAY_LENGTH(units) && isdigit((unsigned char)text[0]); i++) {
		if (strcmp(unit, units[i].name) != 0 || !(value > 0) || value * units[i].ns > 1e15)
			continue;
		*ns = (uint64_t)(value * units[i].ns + 0.5);
		return true;
	}
	return error_set(err, ERROR_USAGE, "--%s %s: a time is wanted, such as 250us, 1.5ms or 2s", option, text);
}

static bool parse_period(const char *text, uint64_t *ns, struct error *err)
{
	uint64_t period_ns;

	if (!parse_time("period", text, &period_ns, err))
		return false;
	if (period_ns < SAMPLER_PERIOD_MIN_NS)
		return error_set(err, ERROR_USAGE,
				 "--period %s: the shortest is 10us; the kernel's clock goes no finer", text);
	*ns = period_ns;
	return true;
}

static bool apply(struct sample_options *options, int option, const char *argument, struct error *err)
{
	static const char *const methods[] = {
		[SAMPLER_AUTO] = "auto", [SAMPLER_PERF] = "perf", [SAMPLER_STOPS] = "stops"};
	static const char *const bys[] = {
		[SAMPLING_BY_OBJECT] = "object", [SAMPLING_BY_FUNCTION] = "function", [SAMPLING_BY_LINE] = "line"};
	static const char *const formats[] = {[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_CSV] = "csv"};
	int index;

	switch (option) {
	case OPTION_PERIOD:
		return parse_period(argument, &options->period_ns, err);
	case OPTION_TIME:
		return parse_time("time", argument, &options->duration_ns, err);
	case OPTION_METHOD:
		if (!parse_name("method", argument, methods, ARRAY_LENGTH(methods), &index, err))
			return false;
		options->method = (enum sampler_method)index;
		return true;
	case OPTION_BY:
		if (!parse_name("by", argument, bys, ARRAY_LENGTH(bys), &index, err))
			return false;
		options->by = (enum sampling_by)index;
		return true;
	case OPTION_FORMAT:
		if (!parse_name("format", argument, formats, ARRAY_LENGTH(formats), &index, err))
			return false;
		options->report.format = (enum report_format)index;
		return true;
	case OPTION_TOP:
		return option_parse_count("top", argument, &options->report.top, err);
	case OPTION_MAP:
		*ARRAY_ADD(options, maps) = argument;
		return true;
	case OPTION_NO_ASLR:
		options->disable_aslr = true;
		return true;
	case OPTION_PER_THREAD:
		options->per_thread = true;
		return true;
	case OPTION_TRIALS:
		options->trials = true;
		return true;
	case OPTION_CHECK:
		options->check = true;
		return true;
	case OPTION_MODEL:
		options->model = argument;
		return true;
	case OPTION_FUNCTION:
		options->function = argument;
		return true;
	case OPTION_REGION:
		options->region = argument;
		return true;
	case 'o':
		options->output_path = argument;
		return true;
	case 'p':
		return option_parse_pid(argument, &options->pid, err);
	default:
		return error_set(err, ERROR_USAGE, "option %d is not handled", option);
	}
}

/* What was given on the command line and does nothing beside the rest of it. */
static bool check_idle(const struct sample_options *options, struct error *err)
{
	enum report_format format = options->report.format;

	if (options->model && !options->check)
		return error_set(err, ERROR_USAGE, "--model says what --check costs the exact counts on: give both");
	if (options->pid && options->disable_aslr)
		return error_set(err, ERROR_USAGE, "--no-aslr is for programs that itrace starts: it goes without -p");
	if (options->n_maps && options->by != SAMPLING_BY_FUNCTION)
		return error_set(err, ERROR_USAGE, "--map names functions: it goes without --by line or object");
	if (options->report.top != TOP_NOT_GIVEN && options->report.top > 0 && format != REPORT_TEXT)
		return error_set(err, ERROR_USAGE,
				 "--top shortens the tables of text: the other formats have all rows");
	if (options->per_thread && format == REPORT_CSV)
		return error_set(err, ERROR_USAGE, "--per-thread is for --format text and json: csv is one table");
	if (options->trials && options->check && format == REPORT_CSV)
		return error_set(err, ERROR_USAGE,
				 "--format csv is one table, that of --check or that of --trials: give one of them");
	return true;
}

static bool check(const struct sample_options *options, struct error *err)
{
	if (options->pid && options->program[0])
		return error_set(err, ERROR_USAGE, "-p samples a running program: '%s' would not be run",
				 options->program[0]);
	if (options->pid && options->method == SAMPLER_STOPS)
		return error_set(err, ERROR_USAGE, "-p samples by perf only");
	if (options->pid && options->check)
		return error_set(err, ERROR_USAGE, "--check runs the program a second time: it goes without -p");
	if (!options->pid && !options->program[0])
		return error_set(err, ERROR_USAGE, "no program to sample; try 'itrace sample --help'");
	if (!options->check && (options->function || options->region))
		return error_set(err, ERROR_USAGE,
				 "--function and --region say what --check traces: without it a program is "
				 "sampled as a whole");
	if (options->function && options->region)
		return error_set(err, ERROR_USAGE, "--check traces one function or one region, not both");
	if (options->check && options->n_maps)
		return error_set(err, ERROR_USAGE,
				 "--check compares functions by their symbols: it goes without --map");
	if (options->check && options->by != SAMPLING_BY_FUNCTION)
		return error_set(err, ERROR_USAGE, "--check compares functions: it goes without --by line or object");
	return true;
}

enum sample_options_result sample_options_parse(struct sample_options *options, int argc, char **argv,
						struct error *err)
{
	int option;

	*options = (struct sample_options){
		.period_ns = DEFAULT_PERIOD_NS,
		.by = SAMPLING_BY_FUNCTION,
		.report = {.top = TOP_NOT_GIVEN},
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:o:p:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return SAMPLE_OPTIONS_HELP;
		case '?':
		case ':':
			option_refuse(option, argv[optind - 1], long_options, "itrace sample --help", err);
			return SAMPLE_OPTIONS_WRONG;
		default:
			if (!apply(options, option, optarg, err))
				return SAMPLE_OPTIONS_WRONG;
		}
	}
	options->program = (const char *const *)argv + optind;
	if (!check(options, err) || !check_idle(options, err))
		return SAMPLE_OPTIONS_WRONG;
	if (!options->model)
		options->model = DEFAULT_MODEL;
	if (options->report.top == TOP_NOT_GIVEN)
		options->report.top = DEFAULT_TOP;
	return SAMPLE_OPTIONS_RUN;
}

void sample_options_deinit(struct sample_options *options)
{
	free(options->maps);
}
