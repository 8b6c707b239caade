#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "base/units.h"
#include "report/text/cost_table.h"
#include "report/text/labels.h"
#include "report/text/tables.h"

enum { COLUMN_TOTAL, COLUMN_TOTAL_SHARE, COLUMN_SELF, COLUMN_SELF_SHARE, COLUMN_CALLS, N_COLUMNS };

/* One row sums up the calls of a function that are not shown if they have at least this share of the whole. */
#define REST_PERCENT 1

struct tree_writer {
	const struct report *report;
	const struct call_tree *tree;
	struct table table;
	struct cost_cells cells;
	bool *is_shown; /* [n_nodes] */
};

static void set_costs(struct tree_writer *writer, size_t column, const uint64_t *costs)
{
	cost_cells_set(&writer->cells, &writer->table, column, costs);
	cost_cells_set_share(&writer->cells, &writer->table, column + 1, costs);
}

static void set_node_label(struct tree_writer *writer, const struct call_node *node)
{
	const struct call_function *function = &writer->tree->functions[node->function];
	char *name = label_function(writer->report->profile, function->name, function->module);

	if (node->recursive_calls)
		table_set_label(&writer->table, "%s (%s recursive call%s)", name,
				units_count(node->recursive_calls).text, node->recursive_calls == 1 ? "" : "s");
	else
		table_set_label(&writer->table, "%s", name);
	free(name);
}

static void add_rest(struct tree_writer *writer, const uint32_t *children, size_t n_children, uint32_t depth)
{
	uint64_t *rest = xcalloc(writer->tree->width, sizeof(*rest)), calls = 0;
	size_t shown = writer->cells.shown;

	for (size_t i = 0; i < n_children; i++) {
		cost_add(rest, writer->tree->nodes[children[i]].inclusive, writer->report->n_models);
		calls += writer->tree->nodes[children[i]].calls;
	}
	if (rest[shown] > 0 && rest[shown] >= writer->cells.whole / 100 * REST_PERCENT) {
		table_add_row(&writer->table)->depth = depth;
		set_costs(writer, COLUMN_TOTAL, rest);
		table_set_cell(&writer->table, COLUMN_CALLS, "%s", units_count(calls).text);
		table_set_label(&writer->table, "%s more", units_count(n_children).text);
	}
	free(rest);
}

static void add_nodes(struct tree_writer *writer, const uint32_t *children, size_t n_children, uint32_t depth)
{
	size_t i;

	for (i = 0; i < n_children && writer->is_shown[children[i]]; i++) {
		const struct call_node *node = &writer->tree->nodes[children[i]];

		table_add_row(&writer->table)->depth = node->depth;
		set_costs(writer, COLUMN_TOTAL, node->inclusive);
		set_costs(writer, COLUMN_SELF, node->self);
		table_set_cell(&writer->table, COLUMN_CALLS, "%s", units_count(node->calls).text);
		set_node_label(writer, node);
		add_nodes(writer, node->children, node->n_children, depth + 1);
	}
	if (i < n_children)
		add_rest(writer, children + i, n_children - i, depth);
}

/* By descending inclusive cost, callers before callees. */
static int compare_inclusive(const void *left, const void *right, void *context)
{
	const struct tree_writer *writer = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	size_t shown = writer->cells.shown;

	return ORDER(writer->tree->nodes[b].inclusive[shown], writer->tree->nodes[a].inclusive[shown]) ?: ORDER(a, b);
}

/* Marks the most expensive nodes as shown. The callers of a shown node cost no less and are shown, too. Adds the self
 * cost of all other nodes to `others` and returns their number. */
static size_t choose_nodes(struct tree_writer *writer, uint64_t *others)
{
	size_t n_nodes = writer->tree->n_nodes, n_shown = label_n_shown(writer->report, n_nodes);
	uint32_t *order = xcalloc(n_nodes, sizeof(*order));

	for (uint32_t i = 0; i < n_nodes; i++)
		order[i] = i;
	qsort_r(order, n_nodes, sizeof(*order), compare_inclusive, writer);
	for (size_t i = 0; i < n_shown; i++)
		writer->is_shown[order[i]] = true;
	for (size_t i = n_shown; i < n_nodes; i++)
		cost_add(others, writer->tree->nodes[order[i]].self, writer->report->n_models);
	free(order);
	return n_nodes - n_shown;
}

void table_write_call_tree(const struct report *report, const struct region_analysis *region)
{
	static const char *const headings[N_COLUMNS] = {"total", "share", "self", "share", "calls"};
	const struct call_tree *tree = &region->call_tree;
	struct tree_writer writer = {.report = report, .tree = tree};
	uint64_t *others;
	size_t n_others;

	if (!region->costed.region->n_contexts)
		return;
	others = xcalloc(tree->width, sizeof(*others));
	writer.is_shown = xcalloc(tree->n_nodes, sizeof(*writer.is_shown));
	cost_cells_init(&writer.cells, report, region);
	n_others = choose_nodes(&writer, others);
	table_init(&writer.table, N_COLUMNS);
	table_add_heading(&writer.table, "function", headings);
	table_set_optional(&writer.table, COLUMN_SELF_SHARE, "share of self");
	table_set_optional(&writer.table, COLUMN_CALLS, "calls");
	add_nodes(&writer, tree->roots, tree->n_roots, 0);
	if (n_others) {
		table_add_row(&writer.table);
		set_costs(&writer, COLUMN_SELF, others);
		table_set_label(&writer.table, "%s more in total (--top 0 for all)", units_count(n_others).text);
	}
	table_end(&writer.table, report->out, report->options->width, report->options->color);
	free(writer.is_shown);
	free(others);
}
