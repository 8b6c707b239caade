/* The maximum cycle ratio of a graph: of all its cycles, the largest sum of weights over sum of distances.
 *
 * In a graph of dependencies, weights are latencies and a distance is how many iterations later the value is used: the
 * ratio is what an iteration takes at least.
 */
#ifndef ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_CYCLE_RATIO_H
#define ITRACE_COSTMODELS_ESTIMATORS_PIPELINE_BLOCK_CYCLE_RATIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ratio_edge {
	uint32_t from, to;
	uint32_t weight;
	uint32_t distance;
};

struct ratio_graph {
	size_t n_nodes;
	struct ratio_edge *edges;
	size_t n_edges, edges_capacity;
};

/* Every cycle must have a distance above 0. Yields sums over one cycle of the maximum ratio, and marks its nodes in
 * is_critical[n_nodes]; without any cycle *weight and *distance are 0. */
void ratio_graph_solve(const struct ratio_graph *graph, uint64_t *weight, uint64_t *distance, bool *is_critical);

#endif
