#include "regions/visits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void visits_deinit(struct visits *visits)
{
	for (size_t i = 0; i < visits->n_visits; i++)
		free(visits->visits[i].nested_rsps);
	free(visits->visits);
	*visits = (struct visits){0};
}

static struct visit *find(struct visits *visits, uint32_t region)
{
	for (size_t i = 0; i < visits->n_visits; i++)
		if (visits->visits[i].region == region)
			return &visits->visits[i];
	return NULL;
}

enum visit_change visits_begin(struct visits *visits, uint32_t region, enum visit_end end, uint64_t rsp,
			       unsigned handler_depth, uint64_t now_ns, uint64_t *former_ns)
{
	struct visit *visit = find(visits, region);

	if (!visit) {
		*ARRAY_ADD(visits, visits) = (struct visit){.region = region,
							    .end = end,
							    .begin_rsp = rsp,
							    .handler_depth = handler_depth,
							    .begin_ns = now_ns};
		return VISIT_BEGUN;
	}
	/* The stack grows downwards: frames at or below rsp are gone. */
	while (visit->n_nested && visit->nested_rsps[visit->n_nested - 1] <= rsp)
		visit->n_nested--;
	if (rsp >= visit->begin_rsp && end == VISIT_ENDS_AT_MARKER) {
		*former_ns = visit->begin_ns;
		visit->begin_rsp = rsp;
		visit->begin_ns = now_ns;
		visit->handler_depth = handler_depth;
		return VISIT_BEGUN_ANEW;
	}
	if (end == VISIT_ENDS_AT_MARKER) {
		visit->nested_rsps = array_reserve(visit->nested_rsps, &visit->nested_rsps_capacity,
						   visit->n_nested + 1, sizeof(*visit->nested_rsps));
		visit->nested_rsps[visit->n_nested++] = rsp;
	}
	return VISIT_DEEPER;
}

enum visit_change visits_end(struct visits *visits, uint32_t region, uint64_t rsp, uint64_t *begin_ns)
{
	struct visit *visit = find(visits, region);

	if (!visit)
		return VISIT_UNMATCHED;
	/* Deeper begins whose frames are gone were left without an end. */
	while (visit->n_nested && visit->nested_rsps[visit->n_nested - 1] < rsp)
		visit->n_nested--;
	if (visit->n_nested) {
		visit->n_nested--;
		return VISIT_SHALLOWER;
	}
	*begin_ns = visit->begin_ns;
	visits_remove(visits, (size_t)(visit - visits->visits));
	return VISIT_ENDED;
}

void visits_remove(struct visits *visits, size_t i)
{
	free(visits->visits[i].nested_rsps);
	memmove(&visits->visits[i], &visits->visits[i + 1], (--visits->n_visits - i) * sizeof(*visits->visits));
}
