#include "report/html/page_data.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/units.h"
#include "report/html/page_tables.h"
#include "report/json/region.h"

static json_t *page_modules(const struct profile *profile)
{
	json_t *modules = json_array();

	for (size_t i = 0; i < profile->n_modules; i++)
		json_add(modules, json_text(profile->modules[i].path));
	return modules;
}

static json_t *page_forms(const struct profile *profile)
{
	json_t *forms = json_array();

	for (size_t i = 0; i < profile->n_forms; i++)
		json_add(forms, json_text(profile->forms[i].form.text));
	return forms;
}

static void add_pair(json_t *pairs, const char *name, uint64_t count)
{
	json_t *pair = json_array();

	json_add(pair, json_text(name));
	json_add(pair, json_count(count));
	json_add(pairs, pair);
}

static json_t *page_syscalls(const struct profile_region *region)
{
	json_t *syscalls = json_array();

	for (size_t i = 0; i < region->n_syscalls; i++)
		add_pair(syscalls, region->syscalls[i].name, region->syscalls[i].count);
	return syscalls;
}

static json_t *page_estimate(const struct estimate *estimate, const struct coverage *coverage)
{
	bool is_known = cycle_sum_of_region(estimate).kind != CYCLE_SUM_UNKNOWN;
	json_t *object = json_object(), *rules = json_array(), *unknown = json_array(), *figures = json_array();

	for (size_t i = 0; i < coverage->n_rules; i++)
		add_pair(rules, coverage->rules[i].text, coverage->rules[i].executions);
	for (size_t i = 0; i < coverage->n_unknown; i++)
		add_pair(unknown, coverage->unknown[i].text, coverage->unknown[i].executions);
	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];
		char *text = figure->unit == ESTIMATE_CYCLES
				     ? xasprintf("%s cycle%s %s", units_cycles(figure->value).text,
						 figure->value == MCYC_PER_CYCLE ? "" : "s", figure->text)
				     : xasprintf("%s instruction%s %s", units_count((uint64_t)figure->value).text,
						 figure->value == 1 ? "" : "s", figure->text);

		json_add(figures, json_text(text));
		free(text);
	}
	json_set(object, "estimator", json_string(estimate->estimator));
	json_set(object, "cycles", is_known ? json_cycles(estimate->total_mcyc) : json_null());
	json_set(object, "throughput_cycles", json_cycles(estimate->throughput_mcyc));
	json_set(object, "latency_cycles", json_cycles(estimate->latency_mcyc));
	json_set(object, "time_ns", json_count(is_known ? estimate->time_ns : 0));
	json_set(object, "exact", json_count(estimate->exact));
	json_set(object, "fallback", json_count(estimate->fallback));
	json_set(object, "unknown", json_count(estimate->unknown));
	json_set(object, "rules", rules);
	json_set(object, "unknown_forms", unknown);
	json_set(object, "figures", figures);
	return object;
}

static json_t *page_estimates(const struct region_analysis *region)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < region->costed.n_models; i++)
		json_add(estimates, page_estimate(&region->estimates[i], &region->coverage[i]));
	return estimates;
}

/* Sets self costs. The page's script adds them up. */
static void set_call_costs(json_t *object, const struct call_tree *tree)
{
	json_t *executions = json_array(), *cycles = json_array(), *unknown = json_array(), *fallback = json_array();
	size_t n_models = tree->costed.n_models;

	for (size_t i = 0; i < tree->n_nodes; i++)
		json_add(executions, json_count(tree->nodes[i].self[COST_EXECUTIONS]));
	for (size_t m = 0; m < n_models; m++) {
		json_t *columns[] = {json_array(), json_array(), json_array()};

		for (size_t i = 0; i < tree->n_nodes; i++) {
			const uint64_t *costs = tree->nodes[i].self;

			json_add(columns[0], json_cycles((mcyc_t)costs[COST_CYCLES + m]));
			json_add(columns[1], json_count(cost_unknown(costs, n_models, m)));
			json_add(columns[2], json_count(cost_fallback(costs, n_models, m)));
		}
		json_add(cycles, columns[0]);
		json_add(unknown, columns[1]);
		json_add(fallback, columns[2]);
	}
	json_set(object, "executions", executions);
	json_set(object, "cycles", cycles);
	json_set(object, "unknown", unknown);
	json_set(object, "fallback", fallback);
}

static json_t *page_calls(const struct call_tree *tree)
{
	json_t *parents = json_array(), *functions = json_array(), *names = json_array(), *calls = json_array(),
	       *object;

	for (size_t i = 0; i < tree->n_functions; i++)
		json_add(names, page_function(tree->functions[i].name, tree->functions[i].module));
	for (size_t i = 0; i < tree->n_nodes; i++) {
		json_add(parents, page_index(tree->nodes[i].parent));
		json_add(functions, json_count(tree->nodes[i].function));
		json_add(calls, json_count(tree->nodes[i].calls));
	}
	object = json_members("parent", parents, "function", functions, "functions", names, "calls", calls, NULL);
	set_call_costs(object, tree);
	return object;
}

static json_t *page_region(struct page_tables *tables, const struct region_analysis *region)
{
	const struct profile_region *profiled = region->costed.region;
	json_t *object = json_object();

	json_set(object, "title", json_text(region->title));
	json_set(object, "visits", json_count(profiled->visits));
	json_set(object, "instructions", json_count(region->executions));
	json_set(object, "iterations", json_count(region->iterations));
	json_set(object, "syscalls", page_syscalls(profiled));
	json_set(object, "estimates", page_estimates(region));
	json_set(object, "insns", page_insns(tables, region));
	json_set(object, "calls", profiled->n_contexts ? page_calls(&region->call_tree) : json_null());
	return object;
}

static char *command_line(const struct profile *profile)
{
	char *line = xstrdup("");

	for (char **arg = profile->argv; arg && *arg; arg++) {
		char *longer = xasprintf("%s%s%s", line, *line ? " " : "", *arg);

		free(line);
		line = longer;
	}
	return line;
}

json_t *page_data(const struct report *report)
{
	const struct profile *profile = report->profile;
	char *command = command_line(profile);
	json_t *root = json_object(), *regions = json_array();
	struct page_tables tables;

	page_tables_init(&tables, report);
	for (size_t i = 0; i < report->analysis->n_regions; i++)
		json_add(regions, page_region(&tables, &report->analysis->regions[i]));
	json_set(root, "command", json_text(command));
	json_set(root, "engine", json_text(profile->engine));
	json_set(root, "wall_ns", json_count(profile->wall_ns));
	json_set(root, "models", json_models(report));
	json_set(root, "notes", json_notes(profile));
	json_set(root, "modules", page_modules(profile));
	json_set(root, "functions", json_incref(tables.functions));
	json_set(root, "texts", json_incref(tables.texts));
	json_set(root, "files", page_files(&tables));
	json_set(root, "forms", page_forms(profile));
	json_set(root, "regions", regions);
	page_tables_deinit(&tables);
	free(command);
	return root;
}
