#include <stdlib.h>
#include <string.h>

#include "analysis/call_tree.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/cost_cells.h"

enum { COLUMN_TOTAL, COLUMN_TOTAL_SHARE, COLUMN_SELF, COLUMN_SELF_SHARE, COLUMN_CALLS, N_COLUMNS };

/* A function's calls that are left out get a line of their own from this share of the whole on. */
#define REST_PERCENT 1

struct tree_writer {
	const struct report *report;
	struct call_nodes nodes;
	struct table table;
	struct cost_cells cells;
	bool *is_shown; /* [n_nodes] */
	size_t n_left_out;
	uint64_t *left_out; /* what those cost themselves */
};

static void set_costs(struct tree_writer *writer, size_t column, const uint64_t *costs)
{
	cost_cells_set(&writer->cells, &writer->table, column, costs);
	cost_cells_set_share(&writer->cells, &writer->table, column + 1, costs);
}

char *report_function_label(const struct profile *profile, const char *name, uint32_t module)
{
	const char *file = module == PROFILE_NONE ? "" : path_file_name(profile->modules[module].path);
	char *raw, *label;

	/* The module tells a function apart from its namesakes, unless its name begins with that. */
	if (module == PROFILE_NONE || strncmp(name, file, strlen(file)) == 0)
		raw = xstrdup(name);
	else
		raw = xasprintf("%s [%s]", name, file);
	label = escape_text(raw, ESCAPE_FOR_TERMINAL);
	free(raw);
	return label;
}

static void set_node_label(struct tree_writer *writer, const struct call_node *node)
{
	const struct call_function *function = &writer->nodes.tree->functions[node->function];
	char *name = report_function_label(writer->report->profile, function->name, function->module);
	char *recursion = node->recursive_calls
				  ? xasprintf(" (calls itself %s time%s)", units_count(node->recursive_calls).text,
					      node->recursive_calls == 1 ? "" : "s")
				  : xstrdup("");
	char *label = xasprintf("%*s%s%s", (int)(2 * node->depth), "", name, recursion);

	table_set_label(&writer->table, label);
	free(label);
	free(recursion);
	free(name);
}

static void add_rest(struct tree_writer *writer, const uint32_t *children, size_t n_children, uint32_t depth)
{
	uint64_t *rest = xcalloc(writer->nodes.tree->width, sizeof(*rest)), calls = 0;
	size_t shown = writer->cells.shown;

	for (size_t i = 0; i < n_children; i++) {
		cost_add(rest, writer->nodes.nodes[children[i]].inclusive, writer->cells.n_models);
		calls += writer->nodes.nodes[children[i]].calls;
	}
	if (rest[shown] > 0 && rest[shown] >= writer->cells.whole / 100 * REST_PERCENT) {
		char *label = xasprintf("%*s%s more", (int)(2 * depth), "", units_count(n_children).text);

		table_add_row(&writer->table);
		set_costs(writer, COLUMN_TOTAL, rest);
		table_set_cell(&writer->table, COLUMN_CALLS, units_count(calls).text);
		table_set_label(&writer->table, label);
		free(label);
	}
	free(rest);
}

static void add_nodes(struct tree_writer *writer, const uint32_t *children, size_t n_children, uint32_t depth)
{
	size_t i;

	if (!n_children)
		return; /* and no array */
	for (i = 0; i < n_children && writer->is_shown[children[i]]; i++) {
		const struct call_node *node = &writer->nodes.nodes[children[i]];

		table_add_row(&writer->table);
		set_costs(writer, COLUMN_TOTAL, node->inclusive);
		set_costs(writer, COLUMN_SELF, node->exclusive);
		table_set_cell(&writer->table, COLUMN_CALLS, units_count(node->calls).text);
		set_node_label(writer, node);
		add_nodes(writer, node->children, node->n_children, depth + 1);
	}
	if (i < n_children)
		add_rest(writer, children + i, n_children - i, depth);
}

static const struct tree_writer *sorting; /* qsort has no context */

/* By what is in it; a function before those that it calls. */
static int compare_weights(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint64_t in_a = sorting->nodes.nodes[a].inclusive[sorting->cells.shown];
	uint64_t in_b = sorting->nodes.nodes[b].inclusive[sorting->cells.shown];

	if (in_a != in_b)
		return in_a < in_b ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* The heaviest, so that none is shown without its callers. */
static void choose(struct tree_writer *writer)
{
	size_t n_nodes = writer->nodes.n_nodes, top = writer->report->options->top;
	size_t n_shown = top > 0 && top < n_nodes ? top : n_nodes;
	uint32_t *order = xcalloc(n_nodes, sizeof(*order));

	writer->is_shown = xcalloc(n_nodes, sizeof(*writer->is_shown));
	writer->left_out = xcalloc(writer->nodes.tree->width, sizeof(*writer->left_out));
	for (uint32_t i = 0; i < n_nodes; i++)
		order[i] = i;
	sorting = writer;
	qsort(order, n_nodes, sizeof(*order), compare_weights);
	for (size_t i = 0; i < n_nodes; i++) {
		if (i < n_shown) {
			writer->is_shown[order[i]] = true;
			continue;
		}
		writer->n_left_out++;
		cost_add(writer->left_out, writer->nodes.nodes[order[i]].exclusive, writer->cells.n_models);
	}
	free(order);
}

static void add_heading(struct tree_writer *writer)
{
	table_add_row(&writer->table)->is_heading = true;
	table_set_cell(&writer->table, COLUMN_TOTAL, "in all");
	table_set_cell(&writer->table, COLUMN_TOTAL_SHARE, "share");
	table_set_cell(&writer->table, COLUMN_SELF, "itself");
	table_set_cell(&writer->table, COLUMN_SELF_SHARE, "share");
	table_set_cell(&writer->table, COLUMN_CALLS, "calls");
	table_set_label(&writer->table, "function");
}

static void add_left_out(struct tree_writer *writer)
{
	char *label;

	if (!writer->n_left_out)
		return;
	label = xasprintf("%s more in all (--top 0 shows them)", units_count(writer->n_left_out).text);
	table_add_row(&writer->table);
	set_costs(writer, COLUMN_SELF, writer->left_out);
	table_set_label(&writer->table, label);
	free(label);
}

void report_write_text_tree(const struct report *report, const struct section *section, bool marks_used[N_TEXT_MARKS])
{
	struct tree_writer writer = {.report = report};
	struct call_tree tree;

	if (!section->region->n_contexts)
		return;
	cost_cells_init(&writer.cells, report, section, marks_used);
	call_tree_init(&tree, report->profile, section->region_index, section->estimates, report->n_models);
	call_nodes_init(&writer.nodes, &tree);
	table_init(&writer.table, N_COLUMNS);
	choose(&writer);
	add_heading(&writer);
	add_nodes(&writer, writer.nodes.roots, writer.nodes.n_roots, 0);
	add_left_out(&writer);
	table_write(&writer.table, report->out, report->options->width, report->options->color);
	table_deinit(&writer.table);
	free(writer.is_shown);
	free(writer.left_out);
	call_nodes_deinit(&writer.nodes);
	call_tree_deinit(&tree);
}
