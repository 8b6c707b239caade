#include <inttypes.h>
#include <stdlib.h>

#include "analysis/call_tree.h"
#include "analysis/charges.h"
#include "base/array.h"
#include "report/formats.h"

/* `whose`: "own_", or nothing. */
static void write_cost_columns(const struct report *report, const char *whose)
{
	char *cycles = xasprintf("%scycles_", whose), *match = xasprintf("%smatch_", whose);

	for (size_t i = 0; i < report->n_models; i++) {
		csv_write_model_field(report, cycles, i);
		csv_write_model_field(report, match, i);
	}
	free(cycles);
	free(match);
}

static void write_costs(const struct report *report, const uint64_t *costs)
{
	for (size_t i = 0; i < report->n_models; i++)
		csv_write_figure(report->out, cost_figure(costs, report->n_models, i));
}

static void write_field(FILE *out, const char *raw)
{
	fputc(',', out);
	if (raw)
		csv_write_field(out, raw);
}

static const char *module_path(const struct profile *profile, uint32_t module)
{
	return module == PROFILE_NONE ? NULL : profile->modules[module].path;
}

static void write_tree(const struct report *report, const struct section *section)
{
	struct call_nodes nodes;
	struct call_tree tree;

	call_tree_init(&tree, report->profile, section->region_index, section->estimates, report->n_models);
	call_nodes_init(&nodes, &tree);
	for (size_t i = 0; i < nodes.n_nodes; i++) {
		const struct call_node *node = &nodes.nodes[i];
		const struct call_function *function = &tree.functions[node->function];

		csv_write_section(report, section);
		fprintf(report->out, ",%zu,", i);
		if (node->parent != PROFILE_NONE)
			fprintf(report->out, "%" PRIu32, node->parent);
		write_field(report->out, function->name);
		write_field(report->out, module_path(report->profile, function->module));
		fprintf(report->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, node->calls,
			node->recursive_calls, node->exclusive[0], node->inclusive[0]);
		write_costs(report, node->exclusive);
		write_costs(report, node->inclusive);
		fputc('\n', report->out);
	}
	call_nodes_deinit(&nodes);
	call_tree_deinit(&tree);
}

void report_write_csv_tree(const struct report *report)
{
	csv_write_section_header(report);
	fputs(",node,parent,function,module,calls,recursive_calls,own_instructions,instructions", report->out);
	write_cost_columns(report, "own_");
	write_cost_columns(report, "");
	fputc('\n', report->out);
	for (size_t i = 0; i < report->sections->n_sections; i++)
		write_tree(report, &report->sections->sections[i]);
}

static void write_place(const struct report *report, const struct charge_row *row)
{
	const struct profile *profile = report->profile;

	write_field(report->out, row->file == PROFILE_NONE ? NULL : profile->files[row->file].path);
	fputc(',', report->out);
	if (row->file != PROFILE_NONE)
		fprintf(report->out, "%" PRIu32, row->line);
	write_field(report->out, row->function == PROFILE_NONE ? NULL : profile->functions[row->function].name);
}

static void write_charges(const struct report *report, const struct section *section)
{
	struct charges charges;

	charges_init(&charges, report->profile, section->region_index, section->estimates, report->n_models,
		     report->options);
	for (size_t i = 0; i < charges.n_rows * charges.n_used_columns; i++) {
		const struct charge_row *row = &charges.rows[i / charges.n_used_columns];
		uint32_t column = charges.columns[i % charges.n_used_columns];
		const uint64_t *figures = charges_figures(&charges, row, column);

		if (!figures[0])
			continue;
		csv_write_section(report, section);
		write_place(report, row);
		write_field(report->out, column == CHARGE_OWN ? "(own code)" : charges_module(&charges, column));
		fprintf(report->out, ",%" PRIu64, figures[0]);
		write_costs(report, figures);
		fputc('\n', report->out);
	}
	charges_deinit(&charges);
}

void report_write_csv_charges(const struct report *report)
{
	csv_write_section_header(report);
	fputs(",file,line,function,module,instructions", report->out);
	write_cost_columns(report, "");
	fputc('\n', report->out);
	for (size_t i = 0; i < report->sections->n_sections; i++)
		write_charges(report, &report->sections->sections[i]);
}

static void write_memory(const struct report *report, const struct section *section)
{
	struct charges charges;

	charges_init(&charges, report->profile, section->region_index, section->estimates, report->n_models,
		     report->options);
	for (size_t i = 0; i < charges.n_memory; i++) {
		const struct charge_memory *row = &charges.memory[i];

		csv_write_section(report, section);
		write_place(report, &charges.rows[row->row]);
		write_field(report->out, profile_allocator_name(row->allocator));
		fprintf(report->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, row->calls,
			row->bytes, row->kept_calls, row->kept_bytes, row->figures[0]);
		write_costs(report, row->figures);
		fputc('\n', report->out);
	}
	charges_deinit(&charges);
}

void report_write_csv_memory(const struct report *report)
{
	csv_write_section_header(report);
	fputs(",file,line,function,allocator,calls,bytes,kept_calls,kept_bytes,instructions", report->out);
	write_cost_columns(report, "");
	fputc('\n', report->out);
	for (size_t i = 0; i < report->sections->n_sections; i++)
		write_memory(report, &report->sections->sections[i]);
}
