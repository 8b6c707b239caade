#include "report/json/region.h"

/* The version of report.schema.json. */
#define FORMAT_VERSION 1

static json_t *json_form_estimates(const struct report *report, const struct region_analysis *region,
				   const struct profile_group *group)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct cost *cost = &region->estimates[i].costs[group->forms[0].form];
		struct cycle_sum sum = cycle_sum_of_group(&region->estimates[i], group);

		json_add(estimates,
			 json_members("model", json_text(model_name(report->models[i])), "cycles", json_cycle_sum(sum),
				      "match", json_string(json_match_name(cost->match)), "via", json_text(cost->via),
				      "rule", json_text(cost->rule), NULL));
	}
	return estimates;
}

static json_t *json_forms(const struct report *report, const struct region_analysis *region)
{
	json_t *forms = json_array();

	for (size_t i = 0; i < region->forms.groups.n_groups; i++) {
		const struct profile_group *group = region->forms.rows[i].group;
		const struct form *form = &report->profile->forms[group->forms[0].form].form;
		json_t *object = json_object();

		json_set(object, "form", json_text(form->text));
		json_set(object, "mnemonic", json_text(form->mnemonic));
		json_set(object, "category", json_text(form->category));
		json_set(object, "isa_extension", json_text(form->isa_extension));
		json_set(object, "executions", json_count(group->executions));
		json_set(object, "iterations", json_count(group->iterations));
		json_set(object, "estimates", json_form_estimates(report, region, group));
		json_add(forms, object);
	}
	return forms;
}

/* with_calls: the inclusive cost row, or NULL. */
static json_t *json_group_estimates(const struct report *report, const struct region_analysis *region,
				    const struct profile_group *group, const uint64_t *with_calls)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		struct cycle_sum sum = cycle_sum_of_group(&region->estimates[i], group);
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "cycles", json_cycle_sum(sum));
		json_set(object, "unknown", json_count(sum.unknown));
		if (with_calls) {
			sum = cost_cycle_sum(with_calls, report->n_models, i);
			json_set(object, "cycles_with_calls", json_cycle_sum(sum));
			json_set(object, "unknown_with_calls", json_count(sum.unknown));
		}
		json_add(estimates, object);
	}
	return estimates;
}

static json_t *json_groups(const struct report *report, const struct region_analysis *region)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < region->groups.groups.n_groups; i++) {
		const struct profile_group *group = region->groups.rows[i].group;
		const uint64_t *with_calls = inclusive_of(&region->inclusive, group);
		json_t *object = json_object();

		json_set(object, "name", json_text(group->name));
		json_set_group(object, report->profile, report->options->by, group);
		if (profile_group_has_runs(report->options->by))
			json_set(object, "runs", json_count(group->runs));
		json_set(object, "executions", json_count(group->executions));
		json_set(object, "iterations", json_count(group->iterations));
		if (with_calls)
			json_set(object, "executions_with_calls", json_count(with_calls[COST_EXECUTIONS]));
		json_set(object, "estimates", json_group_estimates(report, region, group, with_calls));
		json_add(groups, object);
	}
	return groups;
}

static json_t *json_syscalls(const struct region_analysis *region)
{
	json_t *syscalls = json_array();

	for (size_t i = 0; i < region->costed.region->n_syscalls; i++) {
		const struct profile_syscall *call = region->syscalls[i];

		json_add(syscalls,
			 json_members("name", json_text(call->name), "number", json_integer(call->number), "is_int80",
				      json_boolean(call->is_int80), "count", json_count(call->count), NULL));
	}
	return syscalls;
}

static json_t *json_threads(const struct profile *profile, const struct profile_region *region)
{
	json_t *threads = json_array();

	for (size_t i = 0; i < region->n_thread_totals; i++) {
		const struct profile_thread_totals *totals = &region->thread_totals[i];
		json_t *object = json_thread(profile, totals->thread);

		json_set(object, "visits", json_count(totals->visits));
		json_set(object, "instructions", json_count(totals->executions));
		json_add(threads, object);
	}
	return threads;
}

static json_t *json_reported_region(const struct report *report, const struct region_analysis *region)
{
	const struct profile_region *profiled = region->costed.region;
	json_t *object = json_object();

	json_set_region_name(object, report->profile, region);
	json_set(object, "markers", json_count(profiled->n_markers));
	json_set(object, "visits", json_count(profiled->visits));
	json_set(object, "visits_cut", json_count(profiled->visits_cut));
	json_set(object, "visits_left", json_count(profiled->visits_left));
	json_set(object, "unmatched_ends", json_count(profiled->unmatched_ends));
	json_set(object, "tracing_ns", json_count(profiled->tracing_ns));
	json_set(object, "instructions", json_count(region->executions));
	json_set(object, "iterations", json_count(region->iterations));
	if (profiled->n_thread_totals > 0)
		json_set(object, "threads", json_threads(report->profile, profiled));
	json_set(object, "forms", json_forms(report, region));
	if (report->options->by != GROUP_BY_FORM) {
		json_set(object, "grouped_by", json_string(json_by_name(report->options->by)));
		json_set(object, "groups", json_groups(report, region));
	}
	if (report->options->view == REPORT_VIEW_TREE)
		json_set(object, "call_tree", json_call_tree(report, region));
	if (report->options->view == REPORT_VIEW_CHARGES)
		json_set(object, "charges", json_charges(report, region));
	if (report->options->view == REPORT_VIEW_MEMORY)
		json_set(object, "memory", json_memory(report, region));
	json_set(object, "syscalls", json_syscalls(region));
	json_set(object, "estimates", json_estimates(report, region));
	return object;
}

static json_t *json_unreached(const struct report *report)
{
	json_t *unreached = json_array();

	for (size_t i = 0; i < report->analysis->n_unreached; i++) {
		const struct profile_region *region = &report->profile->regions[report->analysis->unreached[i]];

		json_add(unreached,
			 json_members("name", json_text(region->name), "markers", json_count(region->n_markers),
				      "unmatched_ends", json_count(region->unmatched_ends), NULL));
	}
	return unreached;
}

void json_write_report(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *root = json_object();
	json_t *regions = json_array();

	for (size_t i = 0; i < report->analysis->n_regions; i++)
		json_add(regions, json_reported_region(report, &report->analysis->regions[i]));
	json_set(root, "format", json_integer(FORMAT_VERSION));
	json_set(root, "engine", json_text(profile->engine));
	json_set(root, "models", json_models(report));
	json_set(root, "regions", regions);
	json_set(root, "unreached_regions", json_unreached(report));
	json_set(root, "program", json_program(report));
	json_set(root, "wall_ns", json_count(profile->wall_ns));
	json_set(root, "notes", json_notes(profile));
	json_write(root, report->out);
}
