/* The command line: the command to run, and the values of its options. */
#ifndef ITRACE_CLI_OPTIONS_OPTIONS_H
#define ITRACE_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/isa_level.h"
#include "engine/engine.h"
#include "profile/sampling.h"
#include "report/report.h"
#include "sampler/sampler.h"

enum command {
	COMMAND_RUN, /* itrace PROGRAM: no subcommand is named */
	COMMAND_RECORD,
	COMMAND_REPORT,
	COMMAND_COMPARE,
	COMMAND_ANNOTATE,
	COMMAND_MODELS,
	COMMAND_BLOCK,
	COMMAND_SAMPLE,
	COMMAND_MEASURE,
	N_COMMANDS,
};

enum block_mode { BLOCK_MODE_AUTO, BLOCK_MODE_UNROLLED, BLOCK_MODE_LOOP };
enum block_pointers { BLOCK_POINTERS_AUTO, BLOCK_POINTERS_DISTINCT, BLOCK_POINTERS_SAME };

/* The values of an option that may be repeated. */
struct option_list {
	const char **items; /* [n_items] */
	size_t n_items, items_capacity;
};

static inline const char *option_list_last(const struct option_list *list) /* NULL: empty */
{
	return list->n_items ? list->items[list->n_items - 1] : NULL;
}

/* Strings point into argv, the environment or constants. */
struct options {
	enum command command;
	const char *const *arguments; /* [n_arguments] after the options, such as a program and its own; then NULL */
	size_t n_arguments;
	const char *profile_path; /* of the saved run to report on; NULL: a program is run */
	bool wants_help, wants_version;

	/* Regions to trace. */
	struct option_list functions, regions;
	struct option_list starts, stops; /* of equal length */
	bool whole_program, scopes;

	/* How to run the program. */
	uint64_t pid; /* of the running program to trace; 0: one is started */
	bool disable_aslr, follow, per_thread, limits_isa;
	enum isa_level isa; /* if limits_isa: the level whose functions the C library chooses */
	enum engine_kind engine;
	bool calls, no_calls;	       /* make call trees; make none, although the command does by default */
	bool memory, pipeline, caches; /* caches implies pipeline */
	const char *cache_models;      /* "A,B,C", whose caches are simulated; NULL: those of `models` */
	uint64_t max_instructions, max_visits, timeout_ns; /* 0: no limit */
	uint64_t every;					   /* every Nth visit is counted; 0: all */
	uint64_t repeat; /* runs to compare with each other; 0: one run, with a report */
	bool trace;
	const char *trace_path; /* NULL: stderr */
	uint64_t trace_limit;	/* instructions to write; 0: all */

	/* What to report. */
	const char *models; /* "A,B,C" */
	struct report_options report;
	bool tree, charge_back; /* with memory: at most one */
	struct option_list user_modules, source_folders, file_globs;
	const char *output_path; /* of the report or the saved run, with %p for the process; NULL: the default */

	/* itrace measure */
	const char *forms;   /* a pattern; NULL: all */
	const char *compare; /* models; NULL: none */
	bool quick, install;

	/* itrace sample */
	uint64_t period_ns, duration_ns; /* duration 0: to the program's end */
	enum sampler_method method;
	enum sampling_by sample_by;
	struct option_list maps;
	bool trials, check;

	/* itrace block */
	const char *hex, *csv, *object;
	enum block_mode mode;
	enum block_pointers pointers;
	bool clock, timeline;
	uint64_t timeline_iterations; /* 0: as many as fit */
};

/* Reads argv and the ITRACE_* variables, over which argv takes precedence. argv[0] is the name of itrace or of the
 * command. Returns true if the command is to be run. Otherwise help, the version or an error message was printed, and
 * *status is the exit status. The caller calls options_deinit in both cases. */
bool options_read(struct options *options, enum command command, int argc, char **argv, int *status);
void options_deinit(struct options *options);

/* Returns the command with this name, or COMMAND_RUN. */
enum command command_find(const char *name);

/* Returns the name of the command that a mistyped word may mean; NULL: none is near. */
const char *command_suggest(const char *word);

#endif
