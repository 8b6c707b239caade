#include "analysis/call_tree.h"
#include "analysis/charges.h"
#include "report/json/parts.h"

/* For each model the cycles, and the executions that are not in them. */
static void set_costs(json_t *object, const struct report *report, const char *cycles_key, const char *unknown_key,
		      const uint64_t *costs)
{
	json_t *cycles = json_array(), *unknown = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		json_add(cycles, json_figure(cost_figure(costs, report->n_models, i)));
		json_add(unknown, json_count(cost_unknown(costs, report->n_models, i)));
	}
	json_set(object, cycles_key, cycles);
	json_set(object, unknown_key, unknown);
}

static json_t *json_module(const struct profile *profile, uint32_t module)
{
	return module == PROFILE_NONE ? json_null() : json_text(profile->modules[module].path);
}

json_t *json_call_tree(const struct report *report, const struct section *section)
{
	json_t *rows = json_array();
	struct call_nodes nodes;
	struct call_tree tree;

	call_tree_init(&tree, report->profile, section->region_index, section->estimates, report->n_models);
	call_nodes_init(&nodes, &tree);
	for (size_t i = 0; i < nodes.n_nodes; i++) {
		const struct call_node *node = &nodes.nodes[i];
		const struct call_function *function = &tree.functions[node->function];
		json_t *row = json_object();

		json_set(row, "parent", node->parent == PROFILE_NONE ? json_null() : json_count(node->parent));
		json_set(row, "function", json_text(function->name));
		json_set(row, "module", json_module(report->profile, function->module));
		json_set(row, "calls", json_count(node->calls));
		json_set(row, "recursive_calls", json_count(node->recursive_calls));
		json_set(row, "own_instructions", json_count(node->exclusive[0]));
		json_set(row, "instructions", json_count(node->inclusive[0]));
		set_costs(row, report, "own_cycles", "own_unknown", node->exclusive);
		set_costs(row, report, "cycles", "unknown", node->inclusive);
		json_add(rows, row);
	}
	call_nodes_deinit(&nodes);
	call_tree_deinit(&tree);
	return rows;
}

static json_t *json_charge_parts(const struct report *report, const struct charges *charges,
				 const struct charge_row *row)
{
	json_t *parts = json_array();

	for (size_t i = 0; i < charges->n_used_columns; i++) {
		uint32_t column = charges->columns[i];
		const uint64_t *figures = charges_figures(charges, row, column);
		const char *module = column == CHARGE_OWN ? NULL : charges_module(charges, column);
		json_t *part;

		if (!figures[0])
			continue;
		part = json_object();
		json_set(part, "is_own", json_boolean(column == CHARGE_OWN));
		json_set(part, "module", module ? json_text(module) : json_null());
		json_set(part, "instructions", json_count(figures[0]));
		set_costs(part, report, "cycles", "unknown", figures);
		json_add(parts, part);
	}
	return parts;
}

static json_t *json_charge_syscalls(const struct charges *charges, uint32_t row)
{
	json_t *syscalls = json_array();

	for (size_t i = 0; i < charges->n_syscalls; i++) {
		const struct charge_syscall *call = &charges->syscalls[i];
		json_t *object;

		if (call->row != row)
			continue;
		object = json_object();
		json_set(object, "name", json_text(charges->region->syscalls[call->syscall].name));
		json_set(object, "count", json_count(call->count));
		json_add(syscalls, object);
	}
	return syscalls;
}

static void set_place(json_t *object, const struct profile *profile, const struct charge_row *row)
{
	json_set(object, "file", row->file == PROFILE_NONE ? json_null() : json_text(profile->files[row->file].path));
	json_set(object, "line", row->file == PROFILE_NONE ? json_null() : json_integer(row->line));
	json_set(object, "function",
		 row->function == PROFILE_NONE ? json_null() : json_text(profile->functions[row->function].name));
}

json_t *json_charges(const struct report *report, const struct section *section)
{
	const struct profile *profile = report->profile;
	json_t *rows = json_array();
	struct charges charges;

	charges_init(&charges, profile, section->region_index, section->estimates, report->n_models, report->options);
	for (uint32_t i = 0; i < charges.n_rows; i++) {
		const struct charge_row *row = &charges.rows[i];
		json_t *object = json_object();

		set_place(object, profile, row);
		json_set(object, "instructions", json_count(row->total[0]));
		set_costs(object, report, "cycles", "unknown", row->total);
		json_set(object, "by_module", json_charge_parts(report, &charges, row));
		json_set(object, "syscalls", json_charge_syscalls(&charges, i));
		json_add(rows, object);
	}
	charges_deinit(&charges);
	return rows;
}

json_t *json_memory(const struct report *report, const struct section *section)
{
	json_t *rows = json_array();
	struct charges charges;

	charges_init(&charges, report->profile, section->region_index, section->estimates, report->n_models,
		     report->options);
	for (size_t i = 0; i < charges.n_memory; i++) {
		const struct charge_memory *row = &charges.memory[i];
		json_t *object = json_object();

		set_place(object, report->profile, &charges.rows[row->row]);
		json_set(object, "allocator", json_string(profile_allocator_name(row->allocator)));
		json_set(object, "calls", json_count(row->calls));
		json_set(object, "bytes", json_count(row->bytes));
		json_set(object, "kept_calls", json_count(row->kept_calls));
		json_set(object, "kept_bytes", json_count(row->kept_bytes));
		json_set(object, "instructions", json_count(row->figures[0]));
		set_costs(object, report, "cycles", "unknown", row->figures);
		json_add(rows, object);
	}
	charges_deinit(&charges);
	return rows;
}
