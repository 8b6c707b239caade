#include "costmodels/model/cost.h"

#include <assert.h>
#include <stddef.h>

#include "costmodels/model/text_file.h"

bool cost_has_flag(const char *flags, const char *word)
{
	return flags && text_list_has(flags, word);
}

mcyc_t cost_total_mcyc(const struct cost *cost, enum cost_column column, uint64_t executions, uint64_t iterations)
{
	mcyc_t each = column == COST_LATENCY ? cost->latency_mcyc : cost->throughput_mcyc;
	__int128 total;
	bool overflow;

	/* Both products are below 2^127: figures are below 2^63 and counts below 2^64. */
	overflow = __builtin_add_overflow((__int128)executions * each, (__int128)iterations * cost->per_iteration_mcyc,
					  &total);
	assert(!overflow && total <= INT64_MAX);
	return (mcyc_t)total;
}
