/* What counts follow from others: code runs on unless a transfer leaves it, so most counts of a region need not be stored
 * (FORMAT.md, "Counts"). Private to profile/.
 *
 * The places of a region are its instructions by ascending address. They are visited in this order; each has its executions
 * set, then its edges added. A prediction is a guess that saving and loading share: any value may follow.
 */
#ifndef ITRACE_PROFILE_FLOW_H
#define ITRACE_PROFILE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow {
	uint64_t *into; /* [n_places] executions that are explained so far: by running on and by edges */
	uint64_t *left; /* [n_places] executions after which no known edge was taken; of places visited */
	uint64_t *need; /* [n_places] executions not explained yet; of places visited */
};

void flow_init(struct flow *flow, size_t n_places);
void flow_deinit(struct flow *flow);

/* follows: the place's instruction lies directly behind that of the place before it. */
uint64_t flow_predict_executions(const struct flow *flow, size_t place, bool follows);
void flow_set_executions(struct flow *flow, size_t place, bool follows, uint64_t executions);

uint64_t flow_predict_edge(const struct flow *flow, size_t from, size_t to);
void flow_add_edge(struct flow *flow, size_t from, size_t to, uint64_t count);

#endif
