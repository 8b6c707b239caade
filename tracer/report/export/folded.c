/* Folded stacks, for flame graphs (github.com/brendangregg/FlameGraph): the names from the region down to a function
 * with semicolons between them, a space, and the function's self cost in whole cycles on the first model. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/escape.h"
#include "report/writer.h"

static void write_name(FILE *out, const char *raw)
{
	char *name = escape_text(raw, ESCAPE_FOR_TERMINAL);

	for (const char *c = name; *c; c++)
		fputc(*c == ';' ? ':' : *c, out);
	free(name);
}

static void write_path(FILE *out, const struct call_tree *tree, uint32_t node)
{
	if (node == PROFILE_NONE)
		return;
	write_path(out, tree, tree->nodes[node].parent);
	fputc(';', out);
	write_name(out, tree->functions[tree->nodes[node].function].name);
}

struct folded {
	FILE *out;
	const struct region_analysis *region;
	bool has_cycles; /* false: executions are written */
	uint64_t rest;	 /* remainder of rounding, carried over so that the sum of all is rounded once */
};

static void write_nodes(struct folded *folded, const uint32_t *children, size_t n_children)
{
	const struct call_tree *tree = &folded->region->call_tree;
	uint64_t unit = folded->has_cycles ? MCYC_PER_CYCLE : 1;

	for (size_t i = 0; i < n_children; i++) {
		const struct call_node *node = &tree->nodes[children[i]];
		uint64_t sum = folded->rest + node->self[folded->has_cycles ? COST_CYCLES : COST_EXECUTIONS];

		folded->rest = sum % unit;
		if (sum / unit > 0) {
			write_name(folded->out, folded->region->title);
			write_path(folded->out, tree, children[i]);
			fprintf(folded->out, " %" PRIu64 "\n", sum / unit);
		}
		write_nodes(folded, node->children, node->n_children);
	}
}

void folded_write_report(const struct report *report)
{
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];
		bool has_cycles = region->estimates[0].total_mcyc > 0;
		struct folded folded = {report->out, region, has_cycles, has_cycles ? MCYC_PER_CYCLE / 2 : 0};

		write_nodes(&folded, region->call_tree.roots, region->call_tree.n_roots);
	}
}
