/* Estimators turn a region's counts and a model into cycles, for the region and for each instruction.
 *
 * `table` multiplies executions by a figure of the model's table. It gives two bounds: the sum of latencies (no
 * overlap) and the sum of reciprocal throughputs (full overlap). An in-order machine has one figure for both.
 *
 * `pairing` simulates the two pipes of a P5 (p5/pairing.h).
 *
 * `pipeline` simulates the executed paths on an out-of-order CPU (pipeline/region/region.h).
 *
 * The model file names `table` or `pairing`. `pipeline` replaces `table` if the profile has paths and the model has a
 * pipeline. Every estimator assigns each instruction the cycles that its executions added to the total.
 *
 * Sums are checked. A total that reaches 2^63 milli-cycles (26 days at 4 GHz) fails an assertion.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_H

#include "costmodels/model/model.h"
#include "profile/group.h"

/* A named figure of the summary, beside cycles and coverage. */
struct estimate_figure {
	const char *key;  /* for programs: "v_pipe_instructions" */
	const char *text; /* for people, after the figure and its unit: "went through the V pipe" */
	enum { ESTIMATE_INSTRUCTIONS, ESTIMATE_CYCLES } unit;
	int64_t value; /* executions, or milli-cycles that are a part of total_mcyc */
};

#define ESTIMATE_MAX_FIGURES 8

struct estimate {
	const struct model *model; /* borrowed */
	const char *estimator;	   /* "table", "pairing", "pipeline" */
	struct cost *costs;	   /* [n_forms] by the profile's form index */
	size_t n_forms;
	mcyc_t *insn_mcyc;		   /* [n_insns] by instruction index; the sum is total_mcyc */
	size_t n_insns;			   /* n_counts of the region */
	mcyc_t latency_mcyc;		   /* sum over executions; unknown forms add nothing */
	mcyc_t throughput_mcyc;		   /* sum over executions; unknown forms add nothing */
	mcyc_t total_mcyc;		   /* sum of insn_mcyc; `table`: the sum for the model's ranking column */
	uint64_t exact, fallback, unknown; /* executions by cost_match; their sum is the region's executions */
	uint64_t time_ns;		   /* total_mcyc at the model's clock; 0 when it states none */
	struct estimate_figure figures[ESTIMATE_MAX_FIGURES]; /* [n_figures] */
	size_t n_figures;
	struct region_cycles *pipeline; /* result of the pipeline estimator; else NULL */
	char *problem;			/* why the pipeline failed for a profile with paths; or NULL */
};

/* Costs one region. The result borrows profile and model. */
void estimate_region_init(struct estimate *estimate, const struct model *model, const struct profile *profile,
			  uint32_t region);
void estimate_region_deinit(struct estimate *estimate);

/* Returns false if a region's executions, or its cycles by latency or by throughput, overflow their types. Call it
 * before estimate_region_init, which asserts that nothing overflows. Counts may come from a damaged file. */
bool estimate_check_overflow(const struct model *model, const struct profile *profile, uint32_t region,
			     struct error *err);

/* Returns a group's part of total_mcyc. Sets *unknown_executions, unless NULL, to the executions of unknown forms. */
mcyc_t estimate_group_mcyc(const struct estimate *estimate, const struct profile_group *group,
			   uint64_t *unknown_executions);

#endif
