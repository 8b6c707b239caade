/* Howard's policy iteration. The policy of a node is one of its incoming edges. A walk backwards along policies ends
 * in a cycle. The value of a node is the sum of weight - ratio * distance along the policies from a cycle to the node,
 * for the highest ratio of all cycles. An edge that raises the value of its node becomes the node's policy. The
 * iteration ends when no edge does. Dasdan, "Experimental analysis of the fastest
 * optimum cycle ratio and mean algorithms", ACM TODAES 9(4), 2004. */
#include "costmodels/estimators/pipeline/block/cycle_ratio.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NO_EDGE UINT32_MAX
#define NOT_CHOSEN UINT32_MAX
#define MAX_ROUNDS 1000 /* a few are enough; the limit guards against rounding */
#define EPSILON 1e-6	/* in the unit of weights: below any real improvement, above rounding errors */

struct solver {
	const struct ratio_graph *graph;
	uint32_t *policy;   /* [n_nodes] index of an edge, or NO_EDGE for a node that cannot be reached from a cycle */
	uint32_t *visited;  /* [n_nodes] number of the walk that visited the node, or NOT_CHOSEN: its policy */
	double *values;	    /* [n_nodes] */
	uint32_t best_node; /* on the best cycle */
	uint64_t best_weight, best_distance;
};

/* Only nodes that can be reached from a cycle get a policy. */
static void choose_first_policy(struct solver *solver)
{
	const struct ratio_graph *graph = solver->graph;
	bool changed = true;

	for (size_t i = 0; i < graph->n_nodes; i++)
		solver->policy[i] = 0; /* any edge: the node may be reachable from a cycle */
	while (changed) {
		changed = false;
		for (size_t i = 0; i < graph->n_nodes; i++)
			solver->visited[i] = 0;
		for (size_t i = 0; i < graph->n_edges; i++)
			if (solver->policy[graph->edges[i].from] != NO_EDGE)
				solver->visited[graph->edges[i].to] = 1;
		for (size_t i = 0; i < graph->n_nodes; i++)
			if (!solver->visited[i] && solver->policy[i] != NO_EDGE) {
				solver->policy[i] = NO_EDGE;
				changed = true;
			}
	}
	for (size_t i = 0; i < graph->n_nodes; i++)
		if (solver->policy[i] != NO_EDGE)
			solver->visited[i] = NOT_CHOSEN;
	for (size_t i = 0; i < graph->n_edges; i++) {
		const struct ratio_edge *edge = &graph->edges[i];

		if (solver->policy[edge->from] == NO_EDGE || solver->policy[edge->to] == NO_EDGE)
			continue;
		if (solver->visited[edge->to] == NOT_CHOSEN ||
		    edge->weight > graph->edges[solver->policy[edge->to]].weight) {
			solver->policy[edge->to] = (uint32_t)i;
			solver->visited[edge->to] = 0;
		}
	}
}

static const struct ratio_edge *policy_of(const struct solver *solver, uint32_t node)
{
	return &solver->graph->edges[solver->policy[node]];
}

/* Finds the cycle of the policy with the highest ratio. Returns false if the policy has no cycle. */
static bool find_best_cycle(struct solver *solver)
{
	size_t n = solver->graph->n_nodes;
	bool found = false;

	memset(solver->visited, 0, n * sizeof(*solver->visited));
	for (uint32_t start = 0; start < n; start++) {
		uint32_t node = start, end;
		uint64_t weight = 0, distance = 0;

		if (solver->policy[start] == NO_EDGE || solver->visited[start])
			continue;
		while (!solver->visited[node]) {
			solver->visited[node] = start + 1;
			node = policy_of(solver, node)->from;
		}
		if (solver->visited[node] != start + 1)
			continue;
		end = node;
		do {
			weight += policy_of(solver, node)->weight;
			distance += policy_of(solver, node)->distance;
			node = policy_of(solver, node)->from;
		} while (node != end);
		assert(distance > 0);
		if (!found || weight * solver->best_distance > solver->best_weight * distance) {
			solver->best_weight = weight;
			solver->best_distance = distance;
			solver->best_node = node;
			found = true;
		}
	}
	return found;
}

static double reduced(const struct ratio_edge *edge, double ratio)
{
	return (double)edge->weight - ratio * (double)edge->distance;
}

/* Updates the values of all nodes. Nodes from which policies lead back to another cycle than the best get values
 * relative to an old one. The value of a node depends on that of its predecessor. Each walk is evaluated in reverse. */
static void evaluate(struct solver *solver, double ratio, uint32_t *stack)
{
	size_t n = solver->graph->n_nodes;

	memset(solver->visited, 0, n * sizeof(*solver->visited));
	solver->visited[solver->best_node] = 1;
	for (uint32_t start = 0; start < n; start++) {
		uint32_t node = start;
		size_t depth = 0;

		if (solver->policy[start] == NO_EDGE)
			continue;
		while (!solver->visited[node]) {
			solver->visited[node] = 1;
			stack[depth++] = node;
			node = policy_of(solver, node)->from;
		}
		while (depth) {
			node = stack[--depth];
			solver->values[node] = solver->values[policy_of(solver, node)->from] +
					       reduced(policy_of(solver, node), ratio);
		}
	}
}

static bool improve(struct solver *solver, double ratio)
{
	bool improved = false;

	for (size_t i = 0; i < solver->graph->n_edges; i++) {
		const struct ratio_edge *edge = &solver->graph->edges[i];
		double value;

		if (solver->policy[edge->from] == NO_EDGE || solver->policy[edge->to] == NO_EDGE)
			continue;
		value = solver->values[edge->from] + reduced(edge, ratio);
		if (value > solver->values[edge->to] + EPSILON) {
			solver->values[edge->to] = value;
			solver->policy[edge->to] = (uint32_t)i;
			improved = true;
		}
	}
	return improved;
}

void ratio_graph_solve(const struct ratio_graph *graph, uint64_t *weight, uint64_t *distance, bool *is_critical)
{
	struct solver solver = {.graph = graph};
	size_t n = graph->n_nodes;
	uint32_t *stack, node;
	bool any;

	memset(is_critical, 0, n * sizeof(*is_critical));
	*weight = *distance = 0;
	if (!n)
		return;
	solver.policy = xcalloc(n, sizeof(*solver.policy));
	solver.visited = xcalloc(n, sizeof(*solver.visited));
	solver.values = xcalloc(n, sizeof(*solver.values));
	stack = xcalloc(n, sizeof(*stack));
	choose_first_policy(&solver);
	any = find_best_cycle(&solver);
	for (unsigned round = 0; any && round < MAX_ROUNDS; round++) {
		double ratio = (double)solver.best_weight / (double)solver.best_distance;

		evaluate(&solver, ratio, stack);
		if (!improve(&solver, ratio))
			break;
		find_best_cycle(&solver);
	}
	if (any) {
		*weight = solver.best_weight;
		*distance = solver.best_distance;
		node = solver.best_node;
		do {
			is_critical[node] = true;
			node = policy_of(&solver, node)->from;
		} while (node != solver.best_node);
	}
	free(solver.policy);
	free(solver.visited);
	free(solver.values);
	free(stack);
}
