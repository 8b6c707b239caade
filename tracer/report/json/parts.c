#include "report/json/parts.h"

#include <assert.h>

#include "analysis/coverage.h"
#include "base/escape.h"

/* A double prints 15 digits exactly. Cycles from here on are rounded to whole ones, which are integers. */
#define MCYC_EXACT_LIMIT 1000000000000000

json_t *json_text(const char *raw)
{
	char *text = escape_text(raw, ESCAPE_FOR_JSON);
	json_t *value = json_string(text);

	assert(value);
	free(text);
	return value;
}

json_t *json_count(uint64_t n)
{
	assert(n <= INT64_MAX);
	return json_integer((json_int_t)n);
}

json_t *json_cycles(mcyc_t mcyc)
{
	if (mcyc % MCYC_PER_CYCLE == 0)
		return json_integer(mcyc / MCYC_PER_CYCLE);
	if (mcyc >= MCYC_EXACT_LIMIT)
		return json_integer((mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE);
	return json_real((double)mcyc / MCYC_PER_CYCLE);
}

json_t *json_figure(struct figure figure)
{
	return figure.kind == FIGURE_UNKNOWN ? json_null() : json_cycles(figure.mcyc);
}

void json_set(json_t *object, const char *key, json_t *value)
{
	int failed = json_object_set_new(object, key, value);

	assert(!failed);
	(void)failed;
}

void json_add(json_t *array, json_t *value)
{
	int failed = json_array_append_new(array, value);

	assert(!failed);
	(void)failed;
}

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
			 json_string(model_rank(model) == COST_LATENCY ? "latency" : "reciprocal_throughput"));
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

static json_t *json_coverage(const struct report *report, const struct section *section, size_t model)
{
	const struct estimate *estimate = &section->estimates[model];
	json_t *object = json_object(), *rules = json_array(), *unknown = json_array();
	struct coverage coverage;

	coverage_init(&coverage, estimate, report->profile, section->region_index);
	for (size_t i = 0; i < coverage.n_rules; i++) {
		json_t *rule = json_object();

		json_set(rule, "rule", json_text(coverage.rules[i].rule));
		json_set(rule, "executions", json_count(coverage.rules[i].executions));
		json_add(rules, rule);
	}
	for (size_t i = 0; i < coverage.n_unknown; i++) {
		json_t *form = json_object();

		json_set(form, "form", json_text(coverage.unknown[i].text));
		json_set(form, "executions", json_count(coverage.unknown[i].executions));
		json_add(unknown, form);
	}
	coverage_deinit(&coverage);
	json_set(object, "exact", json_count(estimate->exact));
	json_set(object, "fallback", json_count(estimate->fallback));
	json_set(object, "unknown", json_count(estimate->unknown));
	json_set(object, "fallback_by_rule", rules);
	json_set(object, "unknown_forms", unknown);
	return object;
}

json_t *json_estimates(const struct report *report, const struct section *section)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct estimate *estimate = &section->estimates[i];
		bool is_known = figure_of_region(estimate).kind != FIGURE_UNKNOWN;
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "estimator", json_text(estimate->estimator));
		json_set(object, "cycles", is_known ? json_cycles(estimate->ranked_mcyc) : json_null());
		json_set(object, "throughput_cycles", is_known ? json_cycles(estimate->throughput_mcyc) : json_null());
		json_set(object, "latency_cycles", is_known ? json_cycles(estimate->latency_mcyc) : json_null());
		json_set(object, "time_ns",
			 is_known && model_cycle_ps(report->models[i]) ? json_count(estimate->time_ns) : json_null());
		json_set(object, "coverage", json_coverage(report, section, i));
		if (estimate->n_figures > 0)
			json_set(object, "figures", json_figures(estimate));
		if (estimate->pipeline)
			json_set(object, "pipeline", json_pipeline(report->profile, estimate->pipeline));
		json_add(estimates, object);
	}
	return estimates;
}

static json_t *json_function(const struct profile *profile, uint32_t function)
{
	return function == PROFILE_NONE ? json_null() : json_text(profile->functions[function].name);
}

json_t *json_path(const struct profile *profile, uint32_t file)
{
	return file == PROFILE_NONE ? json_null() : json_text(profile->files[file].path);
}

json_t *json_number(uint32_t number)
{
	return number == 0 ? json_null() : json_count(number);
}

/* From the innermost one outwards. */
json_t *json_calls(const struct profile *profile, uint32_t inlined)
{
	json_t *calls = json_array();

	while (inlined != PROFILE_NONE) {
		const struct profile_inlined *call = &profile->inlined[inlined];
		json_t *object = json_object();

		json_set(object, "function", json_function(profile, call->function));
		json_set(object, "file", json_path(profile, call->file));
		json_set(object, "line", json_number(call->line));
		json_set(object, "column", json_number(call->column));
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
		json_set(object, "module",
			 group->module == PROFILE_NONE ? json_null() : json_text(profile->modules[group->module].path));
	if (by == GROUP_BY_INLINED)
		json_set(object, "calls", json_calls(profile, location->inlined));
	else if (is_source)
		json_set(object, "file", json_path(profile, location->file));
	if (by == GROUP_BY_LINE || by == GROUP_BY_COLUMN)
		json_set(object, "line", json_number(location->line));
	if (by == GROUP_BY_COLUMN)
		json_set(object, "column", json_number(location->column));
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

json_t *json_handled_region(const struct report *report, const struct section *section)
{
	uint32_t handled = section->region->handlers_of;

	return handled == PROFILE_NONE ? json_null() : json_text(report->profile->regions[handled].name);
}

json_t *json_thread(const struct profile *profile, uint32_t thread)
{
	json_t *object = json_object();

	json_set(object, "number", json_count((uint64_t)thread + 1));
	json_set(object, "name", json_text(profile->threads[thread].name));
	json_set(object, "threads", json_count(profile->threads[thread].n_threads));
	return object;
}

void json_set_thread(json_t *object, const struct report *report, const struct section *section)
{
	if (section->region->part_of != PROFILE_NONE)
		json_set(object, "thread", json_thread(report->profile, section->region->thread));
}

json_t *json_program(const struct profile *profile, const struct report_options *options)
{
	json_t *program = json_object();
	json_t *argv = json_array();

	for (char **arg = profile->argv; arg && *arg; arg++)
		json_add(argv, json_text(*arg));
	json_set(program, "argv", argv);
	if (options->is_one_of_several)
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

void json_write(json_t *root, FILE *out)
{
	/* A full disk shows in ferror(out), which is the caller's to check. */
	json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(root);
}

json_t *json_section(const struct report *report, const struct section *section)
{
	json_t *object = json_object();

	json_set(object, "name", json_text(section->region->name));
	json_set(object, "signal_handlers_of", json_handled_region(report, section));
	json_set_thread(object, report, section);
	json_set(object, "visits", json_count(section->region->visits));
	json_set(object, "instructions", json_count(section->executions));
	json_set(object, "iterations", json_count(section->iterations));
	json_set(object, "estimates", json_estimates(report, section));
	return object;
}

void json_write_sections(const struct report *report, int format,
			 json_t *(*section)(const struct report *, const struct section *))
{
	json_t *root = json_object(), *regions = json_array();

	for (size_t i = 0; i < report->sections->n_sections; i++)
		json_add(regions, section(report, &report->sections->sections[i]));
	json_set(root, "format", json_integer(format));
	json_set(root, "models", json_models(report));
	json_set(root, "regions", regions);
	json_set(root, "program", json_program(report->profile, report->options));
	json_set(root, "notes", json_notes(report->profile));
	json_write(root, report->out);
}
