#include <stdlib.h>

#include "analysis/cost_split.h"
#include "analysis/inclusive.h"
#include "report/json/parts.h"

/* report.schema.json describes what is written here. */
#define FORMAT_VERSION 1

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

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "cycles", cost->match == COST_UNKNOWN ? json_null() : json_cycles(mcyc));
		json_set(object, "match", json_string(match_name(cost->match)));
		json_set(object, "via", cost->via ? json_text(cost->via) : json_null());
		json_set(object, "rule", cost->rule ? json_text(cost->rule) : json_null());
		json_add(estimates, object);
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

		json_set(object, "form", json_text(form->text));
		json_set(object, "mnemonic", json_text(form->mnemonic));
		json_set(object, "category", json_text(form->category));
		json_set(object, "isa_extension", json_text(form->isa_extension));
		json_set(object, "executions", json_count(group->executions));
		json_set(object, "iterations", json_count(group->iterations));
		json_set(object, "estimates", json_form_estimates(report, section, group));
		json_add(forms, object);
	}
	ranking_deinit(&ranking);
	return forms;
}

static json_t *json_group_estimates(const struct report *report, const struct section *section,
				    const struct profile_group *group, const struct inclusive *inclusive)
{
	const uint64_t *with_calls = inclusive_of(inclusive, group);
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		struct figure figure = figure_of_group(&section->estimates[i], group);
		json_t *object = json_object();
		uint64_t unknown;

		estimate_group_mcyc(&section->estimates[i], group, &unknown);
		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "cycles", json_figure(figure));
		json_set(object, "unknown", json_count(unknown));
		if (with_calls) {
			json_set(object, "cycles_with_calls",
				 json_figure(cost_figure(with_calls, report->n_models, i)));
			json_set(object, "unknown_with_calls",
				 json_count(cost_unknown(with_calls, report->n_models, i)));
		}
		json_add(estimates, object);
	}
	return estimates;
}

static json_t *json_groups(const struct report *report, const struct section *section)
{
	json_t *groups = json_array();
	struct inclusive inclusive;
	struct ranking ranking;

	inclusive_init(&inclusive, report, section);
	ranking_init(&ranking, report->profile, section, report->options->by);
	for (size_t i = 0; i < ranking.groups.n_groups; i++) {
		const struct profile_group *group = ranking.rows[i].group;
		const uint64_t *with_calls = inclusive_of(&inclusive, group);
		json_t *object = json_object();

		json_set(object, "name", json_text(group->name));
		json_set_group(object, report->profile, report->options->by, group);
		json_set(object, "executions", json_count(group->executions));
		json_set(object, "iterations", json_count(group->iterations));
		if (with_calls)
			json_set(object, "executions_with_calls", json_count(with_calls[COST_EXECUTIONS]));
		json_set(object, "estimates", json_group_estimates(report, section, group, &inclusive));
		json_add(groups, object);
	}
	ranking_deinit(&ranking);
	inclusive_deinit(&inclusive);
	return groups;
}

static json_t *json_syscalls(const struct profile_region *region)
{
	const struct profile_syscall **sorted = section_sort_syscalls(region);
	json_t *syscalls = json_array();

	for (size_t i = 0; i < region->n_syscalls; i++) {
		json_t *object = json_object();

		json_set(object, "name", json_text(sorted[i]->name));
		json_set(object, "number", json_integer(sorted[i]->number));
		json_set(object, "is_int80", json_boolean(sorted[i]->is_int80));
		json_set(object, "count", json_count(sorted[i]->count));
		json_add(syscalls, object);
	}
	free(sorted);
	return syscalls;
}

static json_t *json_shares(const struct profile *profile, const struct profile_region *region)
{
	json_t *shares = json_array();

	for (size_t i = 0; i < region->n_shares; i++) {
		const struct profile_share *share = &region->shares[i];
		json_t *object = json_thread(profile, share->thread);

		json_set(object, "visits", json_count(share->visits));
		json_set(object, "instructions", json_count(share->executions));
		json_add(shares, object);
	}
	return shares;
}

static json_t *json_region(const struct report *report, const struct section *section)
{
	const struct profile_region *region = section->region;
	json_t *object = json_object();

	json_set(object, "name", json_text(region->name));
	json_set(object, "signal_handlers_of", json_handled_region(report, section));
	json_set_thread(object, report, section);
	json_set(object, "markers", json_count(region->n_markers));
	json_set(object, "visits", json_count(region->visits));
	json_set(object, "visits_cut", json_count(region->visits_cut));
	json_set(object, "visits_left", json_count(region->visits_left));
	json_set(object, "unmatched_ends", json_count(region->unmatched_ends));
	json_set(object, "tracing_ns", json_count(region->tracing_ns));
	json_set(object, "instructions", json_count(section->executions));
	json_set(object, "iterations", json_count(section->iterations));
	if (region->n_shares > 0)
		json_set(object, "threads", json_shares(report->profile, region));
	json_set(object, "forms", json_forms(report, section));
	if (report->options->by != GROUP_BY_FORM) {
		json_set(object, "grouped_by", json_string(json_by_name(report->options->by)));
		json_set(object, "groups", json_groups(report, section));
	}
	if (report->options->view == REPORT_VIEW_TREE)
		json_set(object, "call_tree", json_call_tree(report, section));
	if (report->options->view == REPORT_VIEW_CHARGES)
		json_set(object, "charges", json_charges(report, section));
	if (report->options->view == REPORT_VIEW_MEMORY)
		json_set(object, "memory", json_memory(report, section));
	json_set(object, "syscalls", json_syscalls(region));
	json_set(object, "estimates", json_estimates(report, section));
	return object;
}

static json_t *json_unreached(const struct report *report)
{
	json_t *unreached = json_array();

	for (size_t i = 0; i < report->sections->n_unreached; i++) {
		const struct profile_region *region = &report->profile->regions[report->sections->unreached[i]];
		json_t *object = json_object();

		json_set(object, "name", json_text(region->name));
		json_set(object, "markers", json_count(region->n_markers));
		json_set(object, "unmatched_ends", json_count(region->unmatched_ends));
		json_add(unreached, object);
	}
	return unreached;
}

void report_write_json(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *root = json_object();
	json_t *regions = json_array();

	for (size_t i = 0; i < report->sections->n_sections; i++)
		json_add(regions, json_region(report, &report->sections->sections[i]));
	json_set(root, "format", json_integer(FORMAT_VERSION));
	json_set(root, "engine", profile->engine ? json_text(profile->engine) : json_null());
	json_set(root, "models", json_models(report));
	json_set(root, "regions", regions);
	json_set(root, "unreached_regions", json_unreached(report));
	json_set(root, "program", json_program(profile, report->options));
	json_set(root, "wall_ns", json_count(profile->wall_ns));
	json_set(root, "notes", json_notes(profile));
	json_write(root, report->out);
}
