#include "report/json/region.h"

json_t *json_models(const struct report *report)
{
	json_t *models = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct model *model = report->models[i];
		uint64_t cycle_ps = model_cycle_ps(model);
		json_t *object = json_object();

		json_set(object, "name", json_text(model_name(model)));
		json_set(object, "title", json_text(model_title(model)));
		json_set(object, "source", json_text(model_source(model)));
		json_set(object, "rank",
			 json_string(model_ranking_column(model) == COST_LATENCY ? "latency"
										 : "reciprocal_throughput"));
		json_set(object, "cycle_ps", cycle_ps ? json_count(cycle_ps) : json_null());
		if (model_note(model))
			json_set(object, "note", json_text(model_note(model)));
		json_add(models, object);
	}
	return models;
}

static json_t *json_figures(const struct estimate *estimate)
{
	json_t *figures = json_object();

	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];

		json_set(figures, figure->key,
			 figure->unit == ESTIMATE_CYCLES ? json_cycles(figure->value)
							 : json_count((uint64_t)figure->value));
	}
	return figures;
}

static json_t *json_coverage(const struct estimate *estimate, const struct coverage *coverage)
{
	json_t *rules = json_array(), *unknown = json_array();

	for (size_t i = 0; i < coverage->n_rules; i++)
		json_add(rules, json_members("rule", json_text(coverage->rules[i].text), "executions",
					     json_count(coverage->rules[i].executions), NULL));
	for (size_t i = 0; i < coverage->n_unknown; i++)
		json_add(unknown, json_members("form", json_text(coverage->unknown[i].text), "executions",
					       json_count(coverage->unknown[i].executions), NULL));
	return json_members("exact", json_count(estimate->exact), "fallback", json_count(estimate->fallback), "unknown",
			    json_count(estimate->unknown), "fallback_by_rule", rules, "unknown_forms", unknown, NULL);
}

json_t *json_estimates(const struct report *report, const struct region_analysis *region)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct estimate *estimate = &region->estimates[i];
		bool is_known = cycle_sum_of_region(estimate).kind != CYCLE_SUM_UNKNOWN;
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "estimator", json_text(estimate->estimator));
		json_set(object, "cycles", is_known ? json_cycles(estimate->total_mcyc) : json_null());
		json_set(object, "throughput_cycles", is_known ? json_cycles(estimate->throughput_mcyc) : json_null());
		json_set(object, "latency_cycles", is_known ? json_cycles(estimate->latency_mcyc) : json_null());
		json_set(object, "time_ns",
			 is_known && model_cycle_ps(report->models[i]) ? json_count(estimate->time_ns) : json_null());
		json_set(object, "coverage", json_coverage(estimate, &region->coverage[i]));
		if (estimate->n_figures > 0)
			json_set(object, "figures", json_figures(estimate));
		if (estimate->pipeline)
			json_set(object, "pipeline", json_pipeline(report->profile, estimate->pipeline));
		json_add(estimates, object);
	}
	return estimates;
}

json_t *json_inlined(const struct profile *profile, uint32_t inlined)
{
	json_t *calls = json_array();

	while (inlined != PROFILE_NONE) {
		const struct profile_inlined *call = &profile->inlined[inlined];
		json_t *object = json_object();

		json_set(object, "function", json_function(profile, call->function));
		json_set(object, "file", json_path(profile, call->file));
		json_set(object, "line", json_nonzero(call->line));
		json_set(object, "column", json_nonzero(call->column));
		json_add(calls, object);
		inlined = call->caller;
	}
	return calls;
}

void json_set_group(json_t *object, const struct profile *profile, enum profile_group_by by,
		    const struct profile_group *group)
{
	const struct profile_location *location = &profile->locations[group->location];
	bool is_source = profile_group_by_is_source(by);

	if (by == GROUP_BY_FUNCTION || is_source)
		json_set(object, "module", json_module(profile, group->module));
	if (by == GROUP_BY_INLINED)
		json_set(object, "calls", json_inlined(profile, location->inlined));
	else if (is_source)
		json_set(object, "file", json_path(profile, location->file));
	if (by == GROUP_BY_LINE || by == GROUP_BY_COLUMN)
		json_set(object, "line", json_nonzero(location->line));
	if (by == GROUP_BY_COLUMN)
		json_set(object, "column", json_nonzero(location->column));
	if (is_source && by != GROUP_BY_FILE)
		json_set(object, "function", json_function(profile, group->function));
}

const char *json_by_name(enum profile_group_by by)
{
	static const char *const names[] = {
		[GROUP_BY_FORM] = "form",	  [GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category", [GROUP_BY_ISA_EXTENSION] = "isa_extension",
		[GROUP_BY_FUNCTION] = "function", [GROUP_BY_FILE] = "file",
		[GROUP_BY_LINE] = "line",	  [GROUP_BY_COLUMN] = "column",
		[GROUP_BY_INLINED] = "inlined",
	};

	return names[by];
}

json_t *json_thread(const struct profile *profile, uint32_t thread)
{
	return json_members("number", json_count((uint64_t)thread + 1), "name",
			    json_text(profile->threads[thread].name), "threads",
			    json_count(profile->threads[thread].n_threads), NULL);
}

void json_set_region_name(json_t *object, const struct profile *profile, const struct region_analysis *region)
{
	const struct profile_region *profiled = region->costed.region;
	uint32_t handled = profiled->handlers_of;

	json_set(object, "name", json_text(profiled->name));
	json_set(object, "signal_handlers_of",
		 json_text(handled == PROFILE_NONE ? NULL : profile->regions[handled].name));
	if (profiled->all_threads_region != PROFILE_NONE)
		json_set(object, "thread", json_thread(profile, profiled->thread));
}

json_t *json_program(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *program = json_object();
	json_t *argv = json_array();

	for (char **arg = profile->argv; arg && *arg; arg++)
		json_add(argv, json_text(*arg));
	json_set(program, "argv", argv);
	if (report->options->is_one_of_several)
		json_set(program, "pid", json_integer(profile->pid));
	json_set(program, "exit_status", profile->exited ? json_integer(profile->exit_status) : json_null());
	json_set(program, "signal", profile->signal ? json_integer(profile->signal) : json_null());
	return program;
}

json_t *json_notes(const struct profile *profile)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < profile->n_notes; i++)
		json_add(notes, json_text(profile->notes[i]));
	return notes;
}

json_t *json_region(const struct report *report, const struct region_analysis *region)
{
	json_t *object = json_object();

	json_set_region_name(object, report->profile, region);
	json_set(object, "visits", json_count(region->costed.region->visits));
	json_set(object, "instructions", json_count(region->executions));
	json_set(object, "iterations", json_count(region->iterations));
	json_set(object, "estimates", json_estimates(report, region));
	return object;
}

void json_write_regions(const struct report *report, int format,
			json_t *(*json_one)(const struct report *, const struct region_analysis *))
{
	json_t *root = json_object(), *regions = json_array();

	for (size_t i = 0; i < report->analysis->n_regions; i++)
		json_add(regions, json_one(report, &report->analysis->regions[i]));
	json_set(root, "format", json_integer(format));
	json_set(root, "models", json_models(report));
	json_set(root, "regions", regions);
	json_set(root, "program", json_program(report));
	json_set(root, "notes", json_notes(report->profile));
	json_write(root, report->out);
}
