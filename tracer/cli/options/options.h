/* The command lines of `itrace`, `itrace record`, `itrace report`, `itrace compare` and `itrace annotate`: one table of options for all. */
#ifndef ITRACE_CLI_OPTIONS_OPTIONS_H
#define ITRACE_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "engine/engine.h"
#include "report/report.h"

enum options_command {
	COMMAND_RUN,	  /* itrace [run and report options] PROGRAM */
	COMMAND_RECORD,	  /* itrace record [run options] PROGRAM */
	COMMAND_REPORT,	  /* itrace report [report options] FILE */
	COMMAND_COMPARE,  /* itrace compare [report options] FILE */
	COMMAND_ANNOTATE, /* itrace annotate [run and report options] FILE or PROGRAM */
};

/* Strings point into argv, the environment or constants; arrays are the options'. */
struct options {
	/* How to run. */
	const char *const *program; /* argv of the program, NULL-terminated; NULL: none is run */
	int32_t pid;		    /* of the running program to trace; 0: none */
	const char **functions;	    /* [n_functions] */
	size_t n_functions, functions_capacity;
	const char *start, *stop;
	bool whole_program;
	bool scopes;
	bool disable_aslr;
	enum engine_kind engine;
	bool calls;    /* make call trees */
	bool memory;   /* watch allocations; needs call trees */
	bool no_calls; /* not even when recording */
	bool follow;
	uint64_t max_instructions, max_visits, timeout_ns; /* when to let the program go; 0: never */
	uint64_t repeat;				   /* runs to compare; 0: one, which is reported on */
	uint64_t every;					   /* so-manieth visit to count; 0: all */
	bool pipeline;		  /* record the paths that are executed, and predict their branches */
	bool caches;		  /* and simulate caches */
	const char *cache_models; /* "A,B,C": whose; NULL: those of model_names, or the host's */
	bool per_thread;	  /* what each thread has of each region, too */
	bool want_edges;	  /* not an option: what is done with the run needs transfers of control */
	bool trace;
	const char *trace_path; /* NULL: stderr */

	/* What to report. */
	const char *profile_path; /* of the file to report on; NULL: what was run */
	char *models;		  /* "A,B,C"; split in place */
	const char **model_names; /* [n_model_names]; "all" is one of them */
	size_t n_model_names;
	const char **user_modules; /* [n_user_modules] */
	size_t n_user_modules, user_modules_capacity;
	struct report_options report;
	const char **source_folders; /* [n_source_folders] */
	size_t n_source_folders, source_folders_capacity;

	/* Both. */
	const char **regions; /* [n_regions] */
	size_t n_regions, regions_capacity;
	const char *
		output_path; /* of the report, or of the profile that is recorded, with %p for the process; NULL: not given */
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
	OPTIONS_WRONG,
};

/* Reads ITRACE_* variables, then argv, which overrides them. options_deinit is due whatever the result. */
enum options_result options_parse(struct options *options, enum options_command command, int argc, char **argv,
				  struct error *err);
void options_deinit(struct options *options);

/* As options_parse, but does what is to be done for all results but OPTIONS_RUN: prints the help, the version or what is
 * wrong. True for OPTIONS_RUN; else *status is the exit status. */
bool options_read(struct options *options, enum options_command command, int argc, char **argv, int *status);

#endif
