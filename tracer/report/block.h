/* Writes the pipeline estimator's results for basic blocks, for people (text) or for tools (JSON, CSV). */
#ifndef ITRACE_REPORT_BLOCK_H
#define ITRACE_REPORT_BLOCK_H

#include <stdbool.h>
#include <stdio.h>

#include "costmodels/estimators/pipeline/pipeline.h"
#include "report/options.h"

struct block_estimate {
	const struct pipeline *pipeline;
	struct pipeline_result result;
	bool failed;	     /* the bytes are not whole instructions */
	const char *problem; /* if failed: the error's text */
};

/* The time of a block on this machine. */
struct block_clock {
	bool is_asked, is_measured;
	int64_t mcyc; /* of one iteration */
	uint32_t spread_permille;
	const char *problem; /* why it was not measured */
};

struct block_report {
	const char *code_hex;
	const char *name; /* "factorial+0x12"; "" for a block from the command line or a file */
	enum pipeline_mode mode;
	const char *const *disassembly;		/* [n_insns] of each result */
	const struct block_estimate *estimates; /* [n_estimates] one for each model, at least one */
	size_t n_estimates;
	struct block_clock clock;
};

/* Call begin, then write for each block, then end; check `out` for write errors. JSON and CSV show failed estimates.
 * The text omits them, and the caller reports them. The CSV has the columns code_hex, cycles_per_iteration, bottleneck,
 * unknown_forms and bottlenecks. With several models, `model` is its first column; with has_clock, `clock_cycles` is
 * its last one. block.schema.json describes the JSON. */
struct block_writer {
	FILE *out;
	enum report_format format; /* text, JSON or CSV */
	unsigned width;		   /* columns of the terminal, for text; 0: unlimited */
	bool color;		   /* ANSI attributes, for text */
	bool has_clock;		   /* blocks were timed */
	size_t n_models;
	size_t n_written; /* blocks; 0 at first */
	size_t n_tables;  /* estimates that the text shows; 0 at first */
};
void report_block_begin(struct block_writer *writer);
void report_block_write(struct block_writer *writer, const struct block_report *report);
void report_block_end(struct block_writer *writer);

#endif
