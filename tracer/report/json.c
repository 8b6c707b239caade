#include "report/formats.h"

#include <assert.h>
#include <stdlib.h>

#include <jansson.h>

#include "base/escape.h"

/* report.schema.json describes what is written here. */
#define FORMAT_VERSION 1

/* A double prints 15 digits exactly. Cycles from here on are rounded to whole ones, which are integers. */
#define MCYC_EXACT_LIMIT 1000000000000000

static json_t *json_text(const char *raw)
{
	char *text = escape_text(raw, ESCAPE_FOR_JSON);
	json_t *value = json_string(text);

	assert(value);
	free(text);
	return value;
}

static json_t *json_count(uint64_t n)
{
	assert(n <= INT64_MAX);
	return json_integer((json_int_t)n);
}

static json_t *json_cycles(mcyc_t mcyc)
{
	if (mcyc % MCYC_PER_CYCLE == 0)
		return json_integer(mcyc / MCYC_PER_CYCLE);
	if (mcyc >= MCYC_EXACT_LIMIT)
		return json_integer((mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE);
	return json_real((double)mcyc / MCYC_PER_CYCLE);
}

static void set(json_t *object, const char *key, json_t *value)
{
	int failed = json_object_set_new(object, key, value);

	assert(!failed);
	(void)failed;
}

static void append(json_t *array, json_t *value)
{
	int failed = json_array_append_new(array, value);

	assert(!failed);
	(void)failed;
}

static json_t *json_models(const struct report *report)
{
	json_t *models = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct model *model = report->models[i];
		uint64_t cycle_ps = model_cycle_ps(model);
		json_t *object = json_object();

		set(object, "name", json_text(model_name(model)));
		set(object, "title", json_text(model_title(model)));
		set(object, "source", json_text(model_source(model)));
		set(object, "rank",
		    json_string(model_rank(model) == COST_LATENCY ? "latency" : "reciprocal_throughput"));
		set(object, "cycle_ps", cycle_ps ? json_count(cycle_ps) : json_null());
		if (model_note(model))
			set(object, "note", json_text(model_note(model)));
		append(models, object);
	}
	return models;
}

static const char *match_name(enum cost_match match)
{
	static const char *const names[] = {
		[COST_UNKNOWN] = "unknown", [COST_FALLBACK] = "fallback", [COST_EXACT] = "exact"};

	return names[match];
}

static json_t *json_form_estimates(const struct report *report, const struct section *section,
				   const struct profile_group *group)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct cost *cost = &section->estimates[i].costs[group->parts[0].form];
		mcyc_t mcyc = estimate_group_mcyc(&section->estimates[i], group, NULL);
		json_t *object = json_object();

		set(object, "model", json_text(model_name(report->models[i])));
		set(object, "cycles", cost->match == COST_UNKNOWN ? json_null() : json_cycles(mcyc));
		set(object, "match", json_string(match_name(cost->match)));
		set(object, "via", cost->via ? json_text(cost->via) : json_null());
		set(object, "rule", cost->rule ? json_text(cost->rule) : json_null());
		append(estimates, object);
	}
	return estimates;
}

static json_t *json_forms(const struct report *report, const struct section *section)
{
	json_t *forms = json_array();
	struct ranking ranking;

	ranking_init(&ranking, report->profile, section, GROUP_BY_FORM);
	for (size_t i = 0; i < ranking.groups.n_groups; i++) {
		const struct profile_group *group = ranking.rows[i].group;
		const struct form *form = &report->profile->forms[group->parts[0].form].form;
		json_t *object = json_object();

		set(object, "form", json_text(form->text));
		set(object, "mnemonic", json_text(form->mnemonic));
		set(object, "category", json_text(form->category));
		set(object, "isa_extension", json_text(form->isa_extension));
		set(object, "executions", json_count(group->executions));
		set(object, "iterations", json_count(group->iterations));
		set(object, "estimates", json_form_estimates(report, section, group));
		append(forms, object);
	}
	ranking_deinit(&ranking);
	return forms;
}

static json_t *json_group_estimates(const struct report *report, const struct section *section,
				    const struct profile_group *group)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		struct figure figure = figure_of_group(&section->estimates[i], group);
		json_t *object = json_object();
		uint64_t unknown;

		estimate_group_mcyc(&section->estimates[i], group, &unknown);
		set(object, "model", json_text(model_name(report->models[i])));
		set(object, "cycles", figure.kind == FIGURE_UNKNOWN ? json_null() : json_cycles(figure.mcyc));
		set(object, "unknown", json_count(unknown));
		append(estimates, object);
	}
	return estimates;
}

static json_t *json_groups(const struct report *report, const struct section *section)
{
	json_t *groups = json_array();
	struct ranking ranking;

	ranking_init(&ranking, report->profile, section, report->options->by);
	for (size_t i = 0; i < ranking.groups.n_groups; i++) {
		const struct profile_group *group = ranking.rows[i].group;
		json_t *object = json_object();

		set(object, "name", json_text(group->name));
		if (report->options->by == GROUP_BY_FUNCTION)
			set(object, "module",
			    group->module == PROFILE_NONE ? json_null()
							  : json_text(report->profile->modules[group->module].path));
		set(object, "executions", json_count(group->executions));
		set(object, "iterations", json_count(group->iterations));
		set(object, "estimates", json_group_estimates(report, section, group));
		append(groups, object);
	}
	ranking_deinit(&ranking);
	return groups;
}

static json_t *json_syscalls(const struct profile_region *region)
{
	json_t *syscalls = json_array();

	for (size_t i = 0; i < region->n_syscalls; i++) {
		json_t *object = json_object();

		set(object, "name", json_text(region->syscalls[i].name));
		set(object, "number", json_integer(region->syscalls[i].number));
		set(object, "is_int80", json_boolean(region->syscalls[i].is_int80));
		set(object, "count", json_count(region->syscalls[i].count));
		append(syscalls, object);
	}
	return syscalls;
}

static json_t *json_figures(const struct estimate *estimate)
{
	json_t *figures = json_object();

	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];

		set(figures, figure->key,
		    figure->unit == ESTIMATE_CYCLES ? json_cycles(figure->value) : json_count((uint64_t)figure->value));
	}
	return figures;
}

static json_t *json_estimates(const struct report *report, const struct section *section)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		const struct estimate *estimate = &section->estimates[i];
		json_t *object = json_object();
		json_t *coverage = json_object();

		set(coverage, "exact", json_count(estimate->exact));
		set(coverage, "fallback", json_count(estimate->fallback));
		set(coverage, "unknown", json_count(estimate->unknown));
		set(object, "model", json_text(model_name(report->models[i])));
		set(object, "estimator", json_text(estimate->estimator));
		set(object, "cycles", json_cycles(estimate->ranked_mcyc));
		set(object, "throughput_cycles", json_cycles(estimate->throughput_mcyc));
		set(object, "latency_cycles", json_cycles(estimate->latency_mcyc));
		set(object, "time_ns", model_cycle_ps(report->models[i]) ? json_count(estimate->time_ns) : json_null());
		set(object, "coverage", coverage);
		if (estimate->n_figures > 0)
			set(object, "figures", json_figures(estimate));
		append(estimates, object);
	}
	return estimates;
}

static json_t *json_region(const struct report *report, const struct section *section)
{
	static const char *const by_names[] = {
		[GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category",
		[GROUP_BY_ISA_EXTENSION] = "isa_extension",
		[GROUP_BY_FUNCTION] = "function",
	};
	const struct profile_region *region = section->region;
	json_t *object = json_object();

	set(object, "name", json_text(region->name));
	set(object, "signal_handlers_of",
	    region->handlers_of == PROFILE_NONE ? json_null()
						: json_text(report->profile->regions[region->handlers_of].name));
	set(object, "markers", json_count(region->n_markers));
	set(object, "visits", json_count(region->visits));
	set(object, "visits_cut", json_count(region->visits_cut));
	set(object, "visits_left", json_count(region->visits_left));
	set(object, "unmatched_ends", json_count(region->unmatched_ends));
	set(object, "tracing_ns", json_count(region->tracing_ns));
	set(object, "instructions", json_count(section->executions));
	set(object, "iterations", json_count(section->iterations));
	set(object, "forms", json_forms(report, section));
	if (report->options->by != GROUP_BY_FORM) {
		set(object, "grouped_by", json_string(by_names[report->options->by]));
		set(object, "groups", json_groups(report, section));
	}
	set(object, "syscalls", json_syscalls(region));
	set(object, "estimates", json_estimates(report, section));
	return object;
}

static json_t *json_unreached(const struct report *report)
{
	json_t *unreached = json_array();

	for (size_t i = 0; i < report->sections->n_unreached; i++) {
		const struct profile_region *region = &report->profile->regions[report->sections->unreached[i]];
		json_t *object = json_object();

		set(object, "name", json_text(region->name));
		set(object, "markers", json_count(region->n_markers));
		set(object, "unmatched_ends", json_count(region->unmatched_ends));
		append(unreached, object);
	}
	return unreached;
}

static json_t *json_program(const struct profile *profile)
{
	json_t *program = json_object();
	json_t *argv = json_array();

	for (char **arg = profile->argv; arg && *arg; arg++)
		append(argv, json_text(*arg));
	set(program, "argv", argv);
	set(program, "exit_status", profile->exited ? json_integer(profile->exit_status) : json_null());
	set(program, "signal", profile->signal ? json_integer(profile->signal) : json_null());
	return program;
}

void report_write_json(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *root = json_object();
	json_t *regions = json_array();
	json_t *notes = json_array();

	for (size_t i = 0; i < report->sections->n_sections; i++)
		append(regions, json_region(report, &report->sections->sections[i]));
	for (size_t i = 0; i < profile->n_notes; i++)
		append(notes, json_text(profile->notes[i]));
	set(root, "format", json_integer(FORMAT_VERSION));
	set(root, "engine", profile->engine ? json_text(profile->engine) : json_null());
	set(root, "models", json_models(report));
	set(root, "regions", regions);
	set(root, "unreached_regions", json_unreached(report));
	set(root, "program", json_program(profile));
	set(root, "wall_ns", json_count(profile->wall_ns));
	set(root, "notes", notes);
	/* A full disk shows in ferror(out), which is the caller's to check. */
	json_dumpf(root, report->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', report->out);
	json_decref(root);
}
