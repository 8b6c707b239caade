#include "report/fields.h"
#include "report/json/region.h"

json_t *json_call_tree(const struct report *report, const struct region_analysis *region)
{
	const struct call_tree *tree = &region->call_tree;
	json_t *rows = json_array();

	for (size_t i = 0; i < tree->n_nodes; i++) {
		const struct fields fields = {.report = report, .object = json_object()};

		fields_set_node(&fields, &tree->nodes[i], &tree->functions[tree->nodes[i].function]);
		json_add(rows, fields.object);
	}
	return rows;
}

static json_t *json_charge_columns(const struct report *report, const struct charges *charges,
				   const struct charge_row *row)
{
	json_t *columns = json_array();

	for (size_t i = 0; i < charges->n_used_columns; i++) {
		uint32_t column = charges->columns[i];
		const uint64_t *costs = charges_costs(charges, row, column);
		struct fields fields = {.report = report};

		if (!costs[COST_EXECUTIONS])
			continue;
		fields.object = json_object();
		json_set(fields.object, "is_own", json_boolean(column == CHARGE_SELF));
		fields_set_text(&fields, "module", column == CHARGE_SELF ? NULL : charges_module(charges, column));
		fields_set_count(&fields, "instructions", costs[COST_EXECUTIONS]);
		fields_set_costs(&fields, "", costs);
		json_add(columns, fields.object);
	}
	return columns;
}

static json_t *json_charge_syscalls(const struct charges *charges, uint32_t row)
{
	json_t *syscalls = json_array();

	for (size_t i = 0; i < charges->n_syscalls; i++) {
		const struct charge_syscall *call = &charges->syscalls[i];
		const char *name = charges->costed.region->syscalls[call->syscall].name;

		if (call->row == row)
			json_add(syscalls,
				 json_members("name", json_text(name), "count", json_count(call->count), NULL));
	}
	return syscalls;
}

json_t *json_charges(const struct report *report, const struct region_analysis *region)
{
	const struct charges *charges = &region->charges;
	json_t *rows = json_array();

	for (uint32_t i = 0; i < charges->n_rows; i++) {
		const struct charge_row *row = &charges->rows[i];
		const struct fields fields = {.report = report, .object = json_object()};

		fields_set_line(&fields, row);
		fields_set_count(&fields, "instructions", row->total[COST_EXECUTIONS]);
		fields_set_costs(&fields, "", row->total);
		json_set(fields.object, "by_module", json_charge_columns(report, charges, row));
		json_set(fields.object, "syscalls", json_charge_syscalls(charges, i));
		json_add(rows, fields.object);
	}
	return rows;
}

json_t *json_memory(const struct report *report, const struct region_analysis *region)
{
	const struct charges *charges = &region->charges;
	json_t *rows = json_array();

	for (size_t i = 0; i < charges->n_memory; i++) {
		const struct fields fields = {.report = report, .object = json_object()};

		fields_set_memory(&fields, &charges->memory[i], &charges->rows[charges->memory[i].row]);
		json_add(rows, fields.object);
	}
	return rows;
}
