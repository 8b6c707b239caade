#include "report/html/page_data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "base/units.h"
#include "report/json/region.h"
#include "report/text/labels.h"

struct page {
	const struct report *report;
	const struct region_analysis *region;
	uint32_t *insns; /* [n_insns] executed in the section, ascending by address */
	size_t n_insns;
};

static json_t *index_or_minus_one(uint32_t index)
{
	return index == PROFILE_NONE ? json_integer(-1) : json_count(index);
}

static json_t *page_modules(const struct profile *profile)
{
	json_t *modules = json_array();

	for (size_t i = 0; i < profile->n_modules; i++)
		json_add(modules, json_text(profile->modules[i].path));
	return modules;
}

static json_t *page_functions(const struct profile *profile)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < profile->n_functions; i++) {
		json_t *function = json_array();

		json_add(function, json_text(profile->functions[i].name));
		json_add(function, index_or_minus_one(profile->functions[i].module));
		json_add(functions, function);
	}
	return functions;
}

static json_t *page_forms(const struct profile *profile)
{
	json_t *forms = json_array();

	for (size_t i = 0; i < profile->n_forms; i++)
		json_add(forms, json_text(profile->forms[i].form.text));
	return forms;
}

static json_t *page_lines(const struct source_text *source)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < source->n_lines; i++)
		json_add(lines, json_text(source->lines[i]));
	return lines;
}

static json_t *page_files(const struct report *report)
{
	const struct profile *profile = report->profile;
	json_t *files = json_array();

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct source_text *source = report->options->sources ? &report->options->sources[i] : NULL;

		json_add(files, json_members("path", json_text(profile->files[i].path), "lines",
					     source && source->lines ? page_lines(source) : json_null(), "note",
					     json_text(label_source_state(report, (uint32_t)i)), NULL));
	}
	return files;
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
	bool is_known = figure_of_region(estimate).kind != FIGURE_UNKNOWN;
	json_t *object = json_object(), *rules = json_array(), *unknown = json_array(), *figures = json_array();

	for (size_t i = 0; i < coverage->n_rules; i++)
		add_pair(rules, coverage->rules[i].text, coverage->rules[i].executions);
	for (size_t i = 0; i < coverage->n_unknown; i++)
		add_pair(unknown, coverage->unknown[i].text, coverage->unknown[i].executions);
	for (size_t i = 0; i < estimate->n_figures; i++) {
		const struct estimate_figure *figure = &estimate->figures[i];
		char *text = figure->unit == ESTIMATE_CYCLES
				     ? xasprintf("%s cycles %s", units_cycles(figure->value).text, figure->text)
				     : xasprintf("%s instructions %s", units_count((uint64_t)figure->value).text,
						 figure->text);

		json_add(figures, json_text(text));
		free(text);
	}
	json_set(object, "estimator", json_string(estimate->estimator));
	json_set(object, "cycles", is_known ? json_cycles(estimate->ranked_mcyc) : json_null());
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

static json_t *page_estimates(const struct page *page)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < page->report->n_models; i++)
		json_add(estimates, page_estimate(&page->region->estimates[i], &page->region->coverage[i]));
	return estimates;
}

static int by_address(const void *a, const void *b, void *context)
{
	const struct profile *profile = context;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;

	return ORDER(profile->insns[i].va, profile->insns[k].va) ?: ORDER(i, k);
}

static void find_insns(struct page *page)
{
	const struct profile_region *region = page->region->costed.counts;

	page->insns = xcalloc(region->n_counts, sizeof(*page->insns));
	page->n_insns = 0;
	for (uint32_t i = 0; i < region->n_counts; i++)
		if (region->executions[i] || region->iterations[i])
			page->insns[page->n_insns++] = i;
	qsort_r(page->insns, page->n_insns, sizeof(*page->insns), by_address, (void *)page->report->profile);
}

/* The address as linked, which is the same in each run. */
static json_t *page_address(const struct profile *profile, const struct profile_insn *insn)
{
	uint64_t bias = insn->module == PROFILE_NONE ? 0 : profile->modules[insn->module].bias;
	char text[sizeof("0x") + 16];

	sprintf(text, "0x%" PRIx64, insn->va - bias);
	return json_string(text);
}

static json_t *page_disassembly(const struct profile_insn *insn)
{
	char text[256];

	insn_disassemble(insn->bytes, insn->length, insn->va, text, sizeof(text));
	return json_text(text);
}

static json_t *page_cycles(const struct page *page)
{
	json_t *models = json_array();

	for (size_t m = 0; m < page->report->n_models; m++) {
		const struct estimate *estimate = &page->region->estimates[m];
		json_t *cycles = json_array();

		for (size_t i = 0; i < page->n_insns; i++)
			json_add(cycles, json_cycles(estimate->insn_mcyc[page->insns[i]]));
		json_add(models, cycles);
	}
	return models;
}

/* A text for each model with a letter for each instruction: '=' exact, '~' costed as a related form, '?' no cost. */
static json_t *page_matches(const struct page *page)
{
	static const char letters[] = {[COST_UNKNOWN] = '?', [COST_FALLBACK] = '~', [COST_EXACT] = '='};
	char *text = xcalloc(page->n_insns + 1, 1);
	json_t *models = json_array();

	for (size_t m = 0; m < page->report->n_models; m++) {
		const struct cost *costs = page->region->estimates[m].costs;

		for (size_t i = 0; i < page->n_insns; i++)
			text[i] = letters[costs[page->report->profile->insns[page->insns[i]].form].match];
		json_add(models, json_string(text));
	}
	free(text);
	return models;
}

static json_t *page_insns(const struct page *page)
{
	const struct profile *profile = page->report->profile;
	json_t *address = json_array(), *function = json_array(), *form = json_array(), *file = json_array(),
	       *line = json_array(), *executions = json_array(), *runs = json_array(), *text = json_array();
	uint64_t *line_runs = xcalloc(page->region->costed.counts->n_counts, sizeof(*line_runs));

	profile_count_runs(profile, page->region->costed.index, false, line_runs);

	for (size_t i = 0; i < page->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[page->insns[i]];
		const struct profile_location *location = &profile->locations[insn->location];

		json_add(address, page_address(profile, insn));
		json_add(function, index_or_minus_one(insn->function));
		json_add(form, json_count(insn->form));
		json_add(file, index_or_minus_one(insn->location ? location->file : PROFILE_NONE));
		json_add(line, json_count(insn->location ? location->line : 0));
		json_add(executions, json_count(page->region->costed.counts->executions[page->insns[i]]));
		json_add(runs, json_count(line_runs[page->insns[i]]));
		json_add(text, page_disassembly(insn));
	}
	free(line_runs);
	return json_members("address", address, "function", function, "form", form, "file", file, "line", line,
			    "executions", executions, "runs", runs, "text", text, "cycles", page_cycles(page), "match",
			    page_matches(page), NULL);
}

/* Self costs; the page adds them up. */
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
	json_t *parents = json_array(), *names = json_array(), *modules = json_array(), *calls = json_array(), *object;

	for (size_t i = 0; i < tree->n_nodes; i++) {
		const struct call_function *function = &tree->functions[tree->nodes[i].function];

		json_add(parents, index_or_minus_one(tree->nodes[i].parent));
		json_add(names, json_text(function->name));
		json_add(modules, index_or_minus_one(function->module));
		json_add(calls, json_count(tree->nodes[i].calls));
	}
	object = json_members("parent", parents, "name", names, "module", modules, "calls", calls, NULL);
	set_call_costs(object, tree);
	return object;
}

static json_t *page_region(const struct report *report, const struct region_analysis *region)
{
	const struct profile_region *counts = region->costed.counts;
	struct page page = {.report = report, .region = region};
	json_t *object = json_object();

	find_insns(&page);
	json_set(object, "title", json_text(region->title));
	json_set(object, "visits", json_count(counts->visits));
	json_set(object, "instructions", json_count(region->executions));
	json_set(object, "iterations", json_count(region->iterations));
	json_set(object, "syscalls", page_syscalls(counts));
	json_set(object, "estimates", page_estimates(&page));
	json_set(object, "insns", page_insns(&page));
	json_set(object, "calls", counts->n_contexts ? page_calls(&region->call_tree) : json_null());
	free(page.insns);
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

	for (size_t i = 0; i < report->analysis->n_regions; i++)
		json_add(regions, page_region(report, &report->analysis->regions[i]));
	json_set(root, "command", json_text(command));
	json_set(root, "engine", json_text(profile->engine));
	json_set(root, "wall_ns", json_count(profile->wall_ns));
	json_set(root, "models", json_models(report));
	json_set(root, "notes", json_notes(profile));
	json_set(root, "modules", page_modules(profile));
	json_set(root, "functions", page_functions(profile));
	json_set(root, "files", page_files(report));
	json_set(root, "forms", page_forms(profile));
	json_set(root, "regions", regions);
	free(command);
	return root;
}
