/* Folded stacks, for flame graphs (github.com/brendangregg/FlameGraph): the names from the region down to a function, with semicolons
 * between them, a space, and the whole cycles on the first model that are its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/call_tree.h"
#include "base/escape.h"
#include "report/formats.h"

static void write_name(FILE *out, const char *raw)
{
	char *name = escape_text(raw, ESCAPE_FOR_TERMINAL);

	for (const char *c = name; *c; c++)
		fputc(*c == ';' ? ':' : *c, out);
	free(name);
}

static void write_path(FILE *out, const struct call_nodes *nodes, uint32_t node)
{
	if (node == PROFILE_NONE)
		return;
	write_path(out, nodes, nodes->nodes[node].parent);
	fputc(';', out);
	write_name(out, nodes->tree->functions[nodes->nodes[node].function].name);
}

/* Rounded so that the sum of all is rounded once. */
static void write_nodes(const struct report *report, const struct section *section, const struct call_nodes *nodes,
			const uint32_t *children, size_t n_children, uint64_t *rest)
{
	for (size_t i = 0; i < n_children; i++) {
		const struct call_node *node = &nodes->nodes[children[i]];
		bool has_cycles = section->estimates[0].ranked_mcyc > 0;
		uint64_t unit = has_cycles ? MCYC_PER_CYCLE : 1, sum = *rest + node->exclusive[has_cycles];

		*rest = sum % unit;
		if (sum / unit > 0) {
			write_name(report->out, section->title);
			write_path(report->out, nodes, children[i]);
			fprintf(report->out, " %" PRIu64 "\n", sum / unit);
		}
		write_nodes(report, section, nodes, node->children, node->n_children, rest);
	}
}

void report_write_folded(const struct report *report)
{
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct section *section = &report->sections->sections[i];
		uint64_t rest = section->estimates[0].ranked_mcyc > 0 ? MCYC_PER_CYCLE / 2 : 0;
		struct call_nodes nodes;
		struct call_tree tree;

		call_tree_init(&tree, report->profile, section->region_index, section->estimates, report->n_models);
		call_nodes_init(&nodes, &tree);
		write_nodes(report, section, &nodes, nodes.roots, nodes.n_roots, &rest);
		call_nodes_deinit(&nodes);
		call_tree_deinit(&tree);
	}
}
