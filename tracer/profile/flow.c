#include "profile/flow.h"

#include <stdlib.h>

#include "base/array.h"

void flow_init(struct flow *flow, size_t n_places)
{
	flow->into = xcalloc(n_places, sizeof(*flow->into));
	flow->left = xcalloc(n_places, sizeof(*flow->left));
	flow->need = xcalloc(n_places, sizeof(*flow->need));
}

void flow_deinit(struct flow *flow)
{
	free(flow->into);
	free(flow->left);
	free(flow->need);
	*flow = (struct flow){0};
}

uint64_t flow_predict_executions(const struct flow *flow, size_t place, bool follows)
{
	return flow->into[place] + (follows ? flow->left[place - 1] : 0);
}

void flow_set_executions(struct flow *flow, size_t place, bool follows, uint64_t executions)
{
	flow->left[place] = executions;
	flow->need[place] = executions - flow_predict_executions(flow, place, follows);
}

uint64_t flow_predict_edge(const struct flow *flow, size_t from, size_t to)
{
	/* Backwards, the target is known and this edge may be all that it lacks. */
	if (to <= from && flow->need[to] < flow->left[from])
		return flow->need[to];
	return flow->left[from];
}

void flow_add_edge(struct flow *flow, size_t from, size_t to, uint64_t count)
{
	flow->left[from] -= count;
	if (to <= from)
		flow->need[to] -= count;
	else
		flow->into[to] += count;
}
