/* Estimators: from a region's counts and a model to cycles, for the region and for each of its instructions.
 *
 * `table` adds up executions times a figure. It gives two bounds: the sum of latencies (nothing overlaps) and the sum of
 * reciprocal throughputs (everything overlaps). An in-order machine has one figure for both.
 * `pairing` lets what was executed run through the two pipes of a P5 (pairing.h).
 * `pipeline` simulates the paths that were executed on an out-of-order CPU (pipeline/region.h). It is used where the profile
 * has paths and the model has a pipeline; else the model's file says which is. All give each instruction the cycles that its executions added to the whole.
 *
 * Sums are checked: a total of 2^63 milli-cycles, 26 days at 4 GHz, is a failed assertion and never wraps.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_H
#define ITRACE_COSTMODELS_ESTIMATORS_ESTIMATE_H

#include "costmodels/model/model.h"
#include "profile/profile.h"

/* A named figure for the summary, beside cycles and coverage. */
struct estimate_figure {
	const char *key;  /* for programs: "v_pipe_instructions" */
	const char *text; /* for people, after the figure and its unit: "went through the V pipe" */
	enum { ESTIMATE_INSTRUCTIONS, ESTIMATE_CYCLES } unit;
	int64_t value; /* executions, or milli-cycles that are a part of ranked_mcyc */
};

#define ESTIMATE_MAX_FIGURES 8

struct estimate {
	const struct model *model; /* borrowed */
	const char *estimator;	   /* "table", "pairing", "pipeline" */
	struct cost *costs;	   /* [n_forms] of the profile, by form index */
	size_t n_forms;
	mcyc_t *insn_mcyc;   /* [n_insns] by instruction index; their sum is ranked_mcyc */
	size_t n_insns;	     /* n_counts of the region */
	mcyc_t latency_mcyc; /* sum over executions; unknown forms add nothing and are counted below */
	mcyc_t throughput_mcyc;
	mcyc_t ranked_mcyc; /* "the" cycles. table: the one of the two that the model ranks by */
	uint64_t exact, fallback,
		unknown;  /* executions by how they were costed; their sum is the region's executions */
	uint64_t time_ns; /* ranked_mcyc at the model's clock; 0 when it states none */
	struct estimate_figure figures[ESTIMATE_MAX_FIGURES]; /* [n_figures] */
	size_t n_figures;
	struct region_cycles *pipeline; /* estimator pipeline: what it found; else NULL */
	char *problem;			/* why the model's pipeline is not used though the profile has paths; or NULL */
};

/* Costs one region. The result borrows profile and model. */
void estimate_region_init(struct estimate *estimate, const struct model *model, const struct profile *profile,
			  uint32_t region);
void estimate_region_deinit(struct estimate *estimate);

/* A group's cycles of the ranked ones; *unknown_executions, if not NULL, gets those without a figure. */
mcyc_t estimate_group_mcyc(const struct estimate *estimate, const struct profile_group *group,
			   uint64_t *unknown_executions);

#endif
