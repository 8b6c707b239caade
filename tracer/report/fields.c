#include "report/fields.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/csv/csv.h"
#include "report/json/json.h"

void fields_set_text(const struct fields *fields, const char *name, const char *text)
{
	if (fields->object)
		json_set(fields->object, name, json_text(text));
	else
		csv_write_field(fields->report->out, fields->is_header ? name : text);
}

void fields_set_count(const struct fields *fields, const char *name, uint64_t count)
{
	if (fields->object)
		json_set(fields->object, name, json_count(count));
	else if (fields->is_header)
		csv_write_field(fields->report->out, name);
	else
		fprintf(fields->report->out, ",%" PRIu64, count);
}

static void set_number(const struct fields *fields, const char *name, uint32_t number, bool is_known)
{
	if (is_known)
		fields_set_count(fields, name, number);
	else
		fields_set_text(fields, name, NULL);
}

static void set_json_costs(const struct fields *fields, const char *prefix, const uint64_t *costs)
{
	json_t *cycles = json_array(), *unknown = json_array();
	char *cycles_name = xasprintf("%scycles", prefix), *unknown_name = xasprintf("%sunknown", prefix);

	for (size_t i = 0; i < fields->report->n_models; i++) {
		struct cycle_sum sum = cost_cycle_sum(costs, fields->report->n_models, i);

		json_add(cycles, json_cycle_sum(sum));
		json_add(unknown, json_count(sum.unknown));
	}
	json_set(fields->object, cycles_name, cycles);
	json_set(fields->object, unknown_name, unknown);
	free(cycles_name);
	free(unknown_name);
}

void fields_set_costs(const struct fields *fields, const char *prefix, const uint64_t *costs)
{
	const struct report *report = fields->report;

	if (fields->object)
		set_json_costs(fields, prefix, costs);
	else if (fields->is_header)
		csv_write_cycle_sum_names(report, prefix, "");
	for (size_t i = 0; !fields->object && !fields->is_header && i < report->n_models; i++)
		csv_write_cycle_sum(report->out, cost_cycle_sum(costs, report->n_models, i));
}

static uint64_t executions_of(const uint64_t *costs)
{
	return costs ? costs[COST_EXECUTIONS] : 0;
}

void fields_set_node(const struct fields *fields, const struct call_node *node, const struct call_function *function)
{
	set_number(fields, "parent", node->parent, node->parent != PROFILE_NONE);
	fields_set_text(fields, "function", function->name);
	fields_set_text(fields, "module", csv_module(fields->report, function->module));
	fields_set_count(fields, "calls", node->calls);
	fields_set_count(fields, "recursive_calls", node->recursive_calls);
	fields_set_count(fields, "own_instructions", executions_of(node->self));
	fields_set_count(fields, "instructions", executions_of(node->inclusive));
	fields_set_costs(fields, "own_", node->self);
	fields_set_costs(fields, "", node->inclusive);
}

void fields_set_line(const struct fields *fields, const struct charge_row *row)
{
	fields_set_text(fields, "file", csv_file(fields->report, row->file));
	set_number(fields, "line", row->line, row->file != PROFILE_NONE);
	fields_set_text(fields, "function", csv_function(fields->report, row->function));
}

void fields_set_memory(const struct fields *fields, const struct charge_memory *memory, const struct charge_row *row)
{
	fields_set_line(fields, row);
	fields_set_text(fields, "allocator", profile_allocator_name(memory->allocator));
	fields_set_count(fields, "calls", memory->calls);
	fields_set_count(fields, "bytes", memory->bytes);
	fields_set_count(fields, "kept_calls", memory->kept_calls);
	fields_set_count(fields, "kept_bytes", memory->kept_bytes);
	fields_set_count(fields, "instructions", executions_of(memory->costs));
	fields_set_costs(fields, "", memory->costs);
}
