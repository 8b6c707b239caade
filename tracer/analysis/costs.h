/* Cycles of a region's executions on several models. Each sum has a kind, which states how reliable it is. */
#ifndef ITRACE_ANALYSIS_COSTS_H
#define ITRACE_ANALYSIS_COSTS_H

#include "costmodels/estimators/estimate.h"
#include "profile/group.h"

/* A region and its estimates: the input of all analyses of one region. All members are borrowed. */
struct costed_region {
	const struct profile *profile;
	uint32_t index; /* of the region in the profile */
	const struct profile_region *region;
	const struct estimate *estimates; /* [n_models] */
	size_t n_models;
};

/* A higher value is worse. */
enum cycle_sum_kind {
	CYCLE_SUM_EXACT,
	CYCLE_SUM_FALLBACK, /* a part is costed as a related form */
	CYCLE_SUM_PARTIAL,  /* a part has no cost: the cycles are a lower bound */
	CYCLE_SUM_UNKNOWN,  /* no part has a cost */
};

struct cycle_sum {
	enum cycle_sum_kind kind;
	mcyc_t mcyc;	  /* part of estimate.total_mcyc */
	uint64_t unknown; /* executions without a cost */
};

struct cycle_sum cycle_sum_of_group(const struct estimate *estimate, const struct profile_group *group);
struct cycle_sum cycle_sum_of_insn(const struct costed_region *costed, size_t model, uint32_t insn);
struct cycle_sum cycle_sum_of_region(const struct estimate *estimate);
struct cycle_sum cycle_sum_add(struct cycle_sum a, struct cycle_sum b);

/* A cost row is an array uint64_t[cost_width(n_models)]: executions, milli-cycles on each model, executions without a
 * cost on each model, and executions costed as a related form on each model. */
enum { COST_EXECUTIONS, COST_CYCLES /* on the first model */ };

size_t cost_width(size_t n_models);
void cost_add(uint64_t *sums, const uint64_t *costs, size_t n_models);
uint64_t cost_unknown(const uint64_t *costs, size_t n_models, size_t model);
uint64_t cost_fallback(const uint64_t *costs, size_t n_models, size_t model);
struct cycle_sum cost_cycle_sum(const uint64_t *costs, size_t n_models, size_t model);

/* Returns whole * part / all, rounded down. */
uint64_t cost_part(uint64_t whole, uint64_t part, uint64_t all);

/* Distributes the cost of each instruction over its executions. The parts add up to the whole: each part includes the
 * amount by which the previous parts were rounded down. */
struct cost_split {
	const struct costed_region *costed;
	uint64_t *n_split; /* [n_counts] number of executions of which the cost is distributed already */
};

void cost_split_init(struct cost_split *split, const struct costed_region *costed);
void cost_split_deinit(struct cost_split *split);

/* Adds the cost of the next `executions` executions of an instruction to a cost row. */
void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums);

#endif
