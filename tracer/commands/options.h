/* The command line of `itrace [options] program [arguments]`. */
#ifndef ITRACE_COMMANDS_OPTIONS_H
#define ITRACE_COMMANDS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/report.h"

/* Strings point into argv, the environment or constants; arrays are the options'. */
struct options {
	const char *const *program; /* argv of the program, NULL-terminated */
	char *models;		    /* "A,B,C"; split in place */
	const char **model_names;   /* [n_model_names] */
	size_t n_model_names, model_names_capacity;
	const char **functions; /* [n_functions] */
	size_t n_functions, functions_capacity;
	const char **regions; /* [n_regions] */
	size_t n_regions, regions_capacity;
	const char *start, *stop;
	bool whole_program;
	bool scopes;
	bool disable_aslr;
	const char *output_path; /* NULL: stderr */
	bool trace;
	const char *trace_path; /* NULL: stderr */
	struct report_options report;
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_WRONG,
};

/* Reads ITRACE_* variables, then argv, which overrides them. options_deinit is due whatever the result. */
enum options_result options_parse(struct options *options, int argc, char **argv, struct error *err);
void options_deinit(struct options *options);

/* What --help prints. */
extern const char options_help[];

#endif
