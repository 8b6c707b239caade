/* The maximum cycle ratio of a directed graph. The ratio of a cycle is the sum of its weights divided by the sum of
 * its distances.
 *
 * In a dependency graph, a weight is a latency and a distance is a number of iterations. The maximum ratio is then a
 * lower bound on the time of an iteration.
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

/* Every cycle must have a distance above 0. Sets *weight and *distance to the sums over one cycle with the maximum
 * ratio, and is_critical[n_nodes] to whether a node is on that cycle. Without a cycle both sums are 0. */
void ratio_graph_solve(const struct ratio_graph *graph, uint64_t *weight, uint64_t *distance, bool *is_critical);

#endif
