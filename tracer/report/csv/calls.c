#include "report/csv/csv.h"
#include "report/fields.h"

static const struct charge_row no_line = {.file = PROFILE_NONE, .function = PROFILE_NONE};

void csv_write_call_tree(const struct report *report)
{
	const struct fields names = {.report = report, .is_header = true}, values = {.report = report};

	csv_write_region_names(report);
	fputs(",node", report->out);
	fields_set_node(&names, &(struct call_node){.parent = PROFILE_NONE},
			&(struct call_function){.module = PROFILE_NONE});
	fputc('\n', report->out);
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];
		const struct call_tree *tree = &region->call_tree;

		for (size_t k = 0; k < tree->n_nodes; k++) {
			csv_write_region(report, region);
			fprintf(report->out, ",%zu", k);
			fields_set_node(&values, &tree->nodes[k], &tree->functions[tree->nodes[k].function]);
			fputc('\n', report->out);
		}
	}
}

static void write_charges(const struct report *report, const struct region_analysis *region)
{
	const struct fields values = {.report = report};
	const struct charges *charges = &region->charges;

	for (size_t i = 0; i < charges->n_rows * charges->n_used_columns; i++) {
		const struct charge_row *row = &charges->rows[i / charges->n_used_columns];
		uint32_t column = charges->columns[i % charges->n_used_columns];
		const uint64_t *costs = charges_costs(charges, row, column);

		if (!costs[COST_EXECUTIONS])
			continue;
		csv_write_region(report, region);
		fields_set_line(&values, row);
		fields_set_text(&values, "module",
				column == CHARGE_SELF ? "(own code)" : charges_module(charges, column));
		fields_set_count(&values, "instructions", costs[COST_EXECUTIONS]);
		fields_set_costs(&values, "", costs);
		fputc('\n', report->out);
	}
}

void csv_write_charges(const struct report *report)
{
	csv_write_region_names(report);
	fputs(",file,line,function,module,instructions", report->out);
	csv_write_cycle_sum_names(report, "", "");
	fputc('\n', report->out);
	for (size_t i = 0; i < report->analysis->n_regions; i++)
		write_charges(report, &report->analysis->regions[i]);
}

void csv_write_memory(const struct report *report)
{
	const struct fields names = {.report = report, .is_header = true}, values = {.report = report};

	csv_write_region_names(report);
	fields_set_memory(&names, &(struct charge_memory){0}, &no_line);
	fputc('\n', report->out);
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];
		const struct charges *charges = &region->charges;

		for (size_t k = 0; k < charges->n_memory; k++) {
			csv_write_region(report, region);
			fields_set_memory(&values, &charges->memory[k], &charges->rows[charges->memory[k].row]);
			fputc('\n', report->out);
		}
	}
}
