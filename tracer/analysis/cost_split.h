/* What parts of a region's executions cost: figures that add up. Private to report/.
 *
 * They come in rows of cost_width(n_models): executions, then thousandths of a cycle on each model, then the executions that each
 * model has no figure for, then those that it has a fallback for.
 */
#ifndef ITRACE_ANALYSIS_COST_SPLIT_H
#define ITRACE_ANALYSIS_COST_SPLIT_H

#include "analysis/sections.h"

enum { COST_EXECUTIONS, COST_CYCLES /* on the first model, by which reports rank */ };

size_t cost_width(size_t n_models);

void cost_add(uint64_t *sums, const uint64_t *costs, size_t n_models);

/* whole * part / all, rounded down. */
uint64_t cost_part(uint64_t whole, uint64_t part, uint64_t all);

/* Of a row on a model: the cycles and how far to trust them; the executions that they do not have, or by a fallback. */
struct figure cost_figure(const uint64_t *costs, size_t n_models, size_t model);
uint64_t cost_unknown(const uint64_t *costs, size_t n_models, size_t model);
uint64_t cost_fallback(const uint64_t *costs, size_t n_models, size_t model);

/* Splits what instructions cost: parts are asked for one after the other, and all of them make the whole. A part of an instruction's
 * cycles is in proportion to the executions, rounded so that all parts add up. */
struct cost_split {
	const struct profile *profile;
	const struct profile_region *region;
	const struct estimate *estimates; /* [n_models] */
	size_t n_models;
	uint64_t *given; /* [n_counts] executions that had their part */
};

void cost_split_init(struct cost_split *split, const struct profile *profile, const struct profile_region *region,
		     const struct estimate *estimates, size_t n_models);
void cost_split_deinit(struct cost_split *split);

/* Adds the costs of so many executions of an instruction to a row. */
void cost_split_add(struct cost_split *split, uint32_t insn, uint64_t executions, uint64_t *sums);

#endif
