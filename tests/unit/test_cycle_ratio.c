#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/cycle_ratio.h"

#define MAX_NODES 16

/* Solves a graph and checks the ratio and the nodes on the cycle, as a text: "01" for nodes 0 and 1. */
static void check(size_t n_nodes, struct ratio_edge *edges, size_t n_edges, uint64_t weight, uint64_t distance,
		  const char *critical)
{
	struct ratio_graph graph = {.n_nodes = n_nodes, .edges = edges, .n_edges = n_edges};
	bool is_critical[MAX_NODES];
	char found[MAX_NODES + 1];
	uint64_t found_weight, found_distance;
	size_t n = 0;

	ratio_graph_solve(&graph, &found_weight, &found_distance, is_critical);
	/* 4 over 2 is 2 over 1 */
	assert_int_equal(found_weight * (distance ? distance : 1), weight * (found_distance ? found_distance : 1));
	assert_int_equal(!found_distance, !distance);
	for (size_t i = 0; i < n_nodes; i++)
		if (is_critical[i])
			found[n++] = (char)('0' + i);
	found[n] = '\0';
	assert_string_equal(found, critical);
}

static void no_cycle(void **state)
{
	struct ratio_edge edges[] = {{0, 1, 5, 0}, {1, 2, 5, 1}, {0, 2, 7, 1}};

	(void)state;
	check(0, NULL, 0, 0, 0, "");
	check(3, edges, ARRAY_LENGTH(edges), 0, 0, "");
}

static void self_loop(void **state)
{
	struct ratio_edge edges[] = {{1, 1, 3, 1}, {0, 1, 100, 0}, {1, 2, 100, 0}};

	(void)state;
	check(3, edges, ARRAY_LENGTH(edges), 3, 1, "1");
}

/* 0 -> 1 -> 0 is (5 + 4) / 1; 2 -> 2 is 8 / 1; 3 -> 4 -> 3 is (10 + 9) / 2 = 9.5. */
static void best_of_three(void **state)
{
	struct ratio_edge edges[] = {{0, 1, 5, 0},  {1, 0, 4, 1}, {2, 2, 8, 1},
				     {3, 4, 10, 1}, {4, 3, 9, 1}, {0, 2, 50, 0}};

	(void)state;
	check(5, edges, ARRAY_LENGTH(edges), 19, 2, "34");
}

/* The heaviest edges into each node do not form the best cycle: 0 -> 1 -> 2 -> 0 is 9 / 3, 0 -> 1 -> 0 is 4 / 1. */
static void improves_on_the_first_choice(void **state)
{
	struct ratio_edge edges[] = {{0, 1, 2, 0}, {1, 2, 3, 1}, {2, 0, 4, 2}, {1, 0, 2, 1}};

	(void)state;
	check(3, edges, ARRAY_LENGTH(edges), 4, 1, "01");
}

/* Nodes that only lead to a cycle or follow it do not count. */
static void tails(void **state)
{
	struct ratio_edge edges[] = {{0, 1, 90, 1}, {1, 2, 1, 1}, {2, 1, 1, 1}, {2, 3, 90, 1}, {3, 4, 90, 1}};

	(void)state;
	check(5, edges, ARRAY_LENGTH(edges), 1, 1, "12");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_cycle),	 cmocka_unit_test(self_loop),
		cmocka_unit_test(best_of_three), cmocka_unit_test(improves_on_the_first_choice),
		cmocka_unit_test(tails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
