/* The cost of an instruction form on one CPU. */
#ifndef ITRACE_COSTMODELS_MODEL_COST_H
#define ITRACE_COSTMODELS_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Cycles are integer thousandths, so that sums do not depend on order. */
typedef int64_t mcyc_t;
#define MCYC_PER_CYCLE 1000

enum cost_match {
	COST_UNKNOWN,  /* the model has no figure; counted as unknown, never as zero */
	COST_FALLBACK, /* the figures of a related row; see `via` and `rule` */
	COST_EXACT,
};

/* A column of a model's table. `rank` in the model's file names the column that reports add up and sort by. */
enum cost_column {
	COST_LATENCY,		    /* from operands ready to result ready */
	COST_RECIPROCAL_THROUGHPUT, /* cycles per instruction in a long sequence of independent instructions */
};

/* `estimator` in a model's file. With `pipeline_rules` in the file, regions get the pipeline estimator if the run
 * recorded their paths (--pipeline). */
enum model_estimator {
	ESTIMATOR_TABLE,   /* executions times a figure */
	ESTIMATOR_PAIRING, /* two in-order pipes, simulated: pairing.h */
};

struct cost {
	enum cost_match match;
	mcyc_t latency_mcyc;	/* per execution */
	mcyc_t throughput_mcyc; /* reciprocal throughput, per execution; equal to latency if a row states one figure */
	mcyc_t per_iteration_mcyc; /* added per iteration of a REP string instruction; 0: unknown or irrelevant */
	uint16_t uops;		   /* 0: not stated */
	const char *ports;	   /* as in the file, e.g. "p0156:1 p23:1"; NULL: not stated */
	const char *flags;	   /* as in the file, e.g. "load store" or "UV"; NULL: not stated */
	const char *via;    /* matching row, e.g. "ADD r64, m64", or rows by an opcode map, "ADDL2+ADWC"; or NULL */
	const char *rule;   /* COST_FALLBACK: how that row differs, e.g. "immediate of another width"; else NULL */
	const char *reason; /* explanation in the opcode map (opcode_map.h), even if the cost is unknown; else NULL */
	uint16_t fused;	    /* micro-operations of the fused domain; 0: not stated */
	const char *latencies; /* by operands, e.g. "1>1:1 2>1:6" (data/FORMAT.md); NULL: not stated */
	const char *path;      /* file of the row; NULL: no row */
	unsigned line;	       /* of the row, from 1 */
};

/* Returns true if `word` is one of the flags. Flags may be NULL. */
bool cost_has_flag(const char *flags, const char *word);

/* Returns the cost of executions and iterations, by one column. Overflow is a failed assertion. */
mcyc_t cost_total_mcyc(const struct cost *cost, enum cost_column column, uint64_t executions, uint64_t iterations);

#endif
