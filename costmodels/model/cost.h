/* The cost of an instruction form on one CPU. */
#ifndef ITRACE_COSTMODELS_MODEL_COST_H
#define ITRACE_COSTMODELS_MODEL_COST_H

#include <stdbool.h>
#include <stdint.h>

/* Cycles inside itrace are integer thousandths, so that sums do not depend on order. */
typedef int64_t mcyc_t;
#define MCYC_PER_CYCLE 1000

enum cost_match {
	COST_UNKNOWN,  /* the model has no figure: counted as unknown, never as zero */
	COST_FALLBACK, /* taken from a related row, named in `via`; how it is related, in `rule` */
	COST_EXACT,
};

/* What the model ranks by; a model file declares one of them as `rank`. */
enum cost_column {
	COST_LATENCY,		    /* from operands ready to result ready */
	COST_RECIPROCAL_THROUGHPUT, /* cycles per instruction when many independent ones run */
};

enum model_estimator {
	ESTIMATOR_TABLE,   /* executions times a figure */
	ESTIMATOR_PAIRING, /* two in-order pipes, simulated: pairing.h */
};

struct cost {
	enum cost_match match;
	mcyc_t latency_mcyc;	   /* per execution */
	mcyc_t throughput_mcyc;	   /* reciprocal throughput, per execution; in-order machines: equal to latency */
	mcyc_t per_iteration_mcyc; /* added for each iteration of a REP string instruction; 0 if not known to matter */
	uint16_t uops;		   /* 0: not stated */
	const char *ports;	   /* as in the file, e.g. "p0156:1 p23:1"; NULL: not stated */
	const char *flags;	   /* as in the file, e.g. "load store" or "UV"; NULL: not stated */
	const char *via;	   /* the row that matched, e.g. "ADD r64, m64" or "ADDL2+ADWC"; NULL if unknown */
	const char *rule;	   /* COST_FALLBACK: why that row, e.g. "immediate of another width"; else NULL */
	const char *reason;	   /* a map row's why, also for an unknown one; or NULL */
	uint16_t fused;		   /* micro-operations of the fused domain; 0: not stated */
	const char *latencies;	   /* by operands, e.g. "1>1:1 2>1:6" (data/FORMAT.md); NULL: not stated */
	const char *path;	   /* where the row stands, as the next; NULL if there is none */
	unsigned line;
};

/* Whether a word is among the flags; they may be NULL. */
bool cost_has_flag(const char *flags, const char *word);

/* The figure that the model ranks by, for so many executions and iterations. */
mcyc_t cost_total_mcyc(const struct cost *cost, enum cost_column column, uint64_t executions, uint64_t iterations);

#endif
