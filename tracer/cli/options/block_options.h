/* The command line of `itrace block`. */
#ifndef ITRACE_CLI_OPTIONS_BLOCK_OPTIONS_H
#define ITRACE_CLI_OPTIONS_BLOCK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "report/report.h"

enum block_mode { BLOCK_MODE_BY_BLOCK, BLOCK_MODE_UNROLLED, BLOCK_MODE_LOOP };
enum block_pointers { BLOCK_POINTERS_BY_MODE, BLOCK_POINTERS_DISTINCT, BLOCK_POINTERS_SAME };

/* Strings point into argv or constants. */
struct block_options {
	const char *models;
	const char *hex, *csv, *object, *function; /* where blocks come from: one of hex, csv, object and the input */
	bool from_stdin, has_format, wants_help, wants_timeline;
	uint32_t iterations; /* of the timeline; 0: as many as are good to read */
	enum block_mode mode;
	enum block_pointers pointers;
	enum report_format format; /* text, JSON or CSV */
};

bool block_options_parse(struct block_options *options, int argc, char **argv, struct error *err);

/* What --help prints. */
extern const char block_options_help[];

#endif
