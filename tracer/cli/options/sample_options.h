/* The command line of `itrace sample [options] program [arguments]`. */
#ifndef ITRACE_CLI_OPTIONS_SAMPLE_OPTIONS_H
#define ITRACE_CLI_OPTIONS_SAMPLE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/sampling.h"
#include "report/report.h"
#include "sampler/sampler.h"

/* Strings point into argv or constants; arrays are the options'. */
struct sample_options {
	const char *const *program; /* argv of the program, NULL-terminated; empty with pid */
	int32_t pid;		    /* 0: the program is launched */
	enum sampler_method method;
	uint64_t period_ns, duration_ns; /* duration 0: to the end */
	enum sampling_by by;
	bool per_thread, trials, check, disable_aslr;
	const char *model;	       /* of --check */
	const char *function, *region; /* of --check, at most one; neither: the whole program */
	const char **maps;	       /* [n_maps] */
	size_t n_maps, maps_capacity;
	const char *output_path; /* NULL: stderr */
	struct report_options report;
};

enum sample_options_result { SAMPLE_OPTIONS_RUN, SAMPLE_OPTIONS_HELP, SAMPLE_OPTIONS_WRONG };

/* sample_options_deinit is due whatever the result. */
enum sample_options_result sample_options_parse(struct sample_options *options, int argc, char **argv,
						struct error *err);
void sample_options_deinit(struct sample_options *options);

/* What --help prints. */
extern const char sample_options_help[];

#endif
