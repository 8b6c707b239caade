/* What counts follow from others: code runs on unless a transfer leaves it, calls return behind themselves, direct jumps and calls
 * lead where their bytes say. So most counts of a region need hardly be stored (FORMAT.md, "Counts"). Private to profile/.
 *
 * The places of a region are the instructions that it executed, by ascending address. All sums wrap.
 */
#ifndef ITRACE_PROFILE_FLOW_H
#define ITRACE_PROFILE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/code_fields.h"
#include "profile/profile.h"

#define FLOW_NO_PLACE UINT32_MAX

/* What the code alone tells. */
struct flow_place {
	enum code_transfer transfer;
	bool follows;	 /* it lies directly behind the place before it */
	uint32_t target; /* place that it jumps to or calls; FLOW_NO_PLACE: none, or one that was not executed */
	uint8_t n_jumps_earlier; /* direct ones to it, at places before it; at most 3 */
	uint8_t n_jumps_later;
	uint8_t n_calls_earlier, n_calls_later;
	uint64_t opcode; /* a value for each kind of instruction */
};

/* A place that control comes back to from a function. */
struct flow_return {
	uint32_t function, place;
};

struct flow {
	size_t n_places;
	struct flow_place *places;
	uint64_t *executions;	     /* [n_places] */
	uint64_t *left;		     /* [n_places] executions after which no known edge was taken */
	uint64_t *explained;	     /* [n_places] executions that come by known edges, or from the place before */
	struct flow_return *returns; /* ascending */
	size_t n_returns, returns_capacity;
	uint32_t *
		wanting; /* ascending places of which executions are not explained yet, but for those that calls return to */
	size_t n_wanting;
};

/* places[n_places]: indices in insns. */
void flow_init(struct flow *flow, const struct profile_insn *insns, const uint32_t *places, size_t n_places);
void flow_deinit(struct flow *flow);

/* Whether, and how often, a place is entered from the one before it, as far as the edges are known that leave that. */
bool flow_runs_on(const struct flow *flow, size_t place);

/* What is known before the executions of a place are: of earlier places and their direct edges. */
uint64_t flow_predict_executions(const struct flow *flow, size_t place);
void flow_set_executions(struct flow *flow, size_t place, uint64_t executions);

void flow_add_edge(struct flow *flow, size_t from, size_t to, uint64_t count);

/* Executions of a place that are not explained; 0 if there are too many explanations. */
uint64_t flow_need(const struct flow *flow, size_t place);

/* To be called when all executions and the edges to direct targets are known. */
void flow_find_wanting(struct flow *flow);

/* Where functions return to: edges[n_edges] are those of calls and jumps. At most so many as make sense for the size of the region. */
struct flow_edge {
	uint32_t from, to; /* places */
	uint64_t count;
};
void flow_find_returns(struct flow *flow, const struct profile_insn *insns, const uint32_t *places,
		       const struct flow_edge *edges, size_t n_edges);

/* Index of the first one of a function, or where it would be, of the first n_returns. */
size_t flow_first_return(const struct flow *flow, size_t n_returns, uint32_t function);

#endif
