#include "analysis/sections.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/text/labels.h"

static bool is_selected(const struct report_options *options, const char *name)
{
	for (size_t i = 0; i < options->n_only_regions; i++)
		if (strcmp(options->only_regions[i], name) == 0)
			return true;
	return options->n_only_regions == 0;
}

static void add_section(struct sections *sections, const struct profile *profile, const struct model *const *models,
			uint32_t region_index, char *title, char *region_title)
{
	struct section *section = ARRAY_ADD(sections, sections);

	section->title = title;
	section->region_title = region_title;
	section->region = &profile->regions[region_index];
	section->region_index = region_index;
	section->executions = profile_region_executions(section->region);
	section->iterations = profile_region_iterations(section->region);
	section->estimates = xcalloc(sections->n_models, sizeof(*section->estimates));
	for (size_t i = 0; i < sections->n_models; i++)
		estimate_region_init(&section->estimates[i], models[i], profile, region_index);
}

/* `thread`: how its title goes on. */
static void add_with_handlers(struct sections *sections, const struct profile *profile,
			      const struct model *const *models, uint32_t region, const char *name, const char *thread)
{
	add_section(sections, profile, models, region, xasprintf("%s%s", name, thread), xstrdup(name));
	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == region && profile->regions[i].visits > 0)
			add_section(sections, profile, models, i, xasprintf("%s%s: in signal handlers", name, thread),
				    xasprintf("%s: in signal handlers", name));
}

struct part {
	uint32_t region, thread;
};

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void add_parts(struct sections *sections, const struct profile *profile, const struct model *const *models,
		      uint32_t region, const char *name)
{
	struct part *parts = xcalloc(profile->n_regions, sizeof(*parts));
	size_t n_parts = 0;

	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].part_of == region && profile->regions[i].visits > 0)
			parts[n_parts++] = (struct part){i, profile->regions[i].thread};
	qsort(parts, n_parts, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < n_parts; i++) {
		char *label = label_thread(profile, parts[i].thread), *thread = xasprintf(", %s", label);

		add_with_handlers(sections, profile, models, parts[i].region, name, thread);
		free(thread);
		free(label);
	}
	free(parts);
}

void sections_init(struct sections *sections, const struct profile *profile, const struct model *const *models,
		   size_t n_models, const struct report_options *options)
{
	*sections = (struct sections){.n_models = n_models};
	for (uint32_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		const char *name = region->name[0] ? region->name : "(unnamed)";

		if (region->handlers_of != PROFILE_NONE || region->part_of != PROFILE_NONE ||
		    !is_selected(options, region->name))
			continue;
		if (region->visits == 0) {
			*ARRAY_ADD(sections, unreached) = i;
			continue;
		}
		add_with_handlers(sections, profile, models, i, name, "");
		if (options->per_thread)
			add_parts(sections, profile, models, i, name);
	}
}

void sections_deinit(struct sections *sections)
{
	for (size_t i = 0; i < sections->n_sections; i++) {
		for (size_t k = 0; k < sections->n_models; k++)
			estimate_region_deinit(&sections->sections[i].estimates[k]);
		free(sections->sections[i].estimates);
		free(sections->sections[i].title);
		free(sections->sections[i].region_title);
	}
	free(sections->sections);
	free(sections->unreached);
	*sections = (struct sections){0};
}

static int compare_syscalls(const void *left, const void *right)
{
	const struct profile_syscall *a = *(struct profile_syscall *const *)left;
	const struct profile_syscall *b = *(struct profile_syscall *const *)right;
	int order;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	order = strcmp(a->name, b->name);
	return order ? order : (int)a->is_int80 - (int)b->is_int80;
}

const struct profile_syscall **section_sort_syscalls(const struct profile_region *region)
{
	const struct profile_syscall **sorted = xcalloc(region->n_syscalls, sizeof(*sorted));

	for (size_t i = 0; i < region->n_syscalls; i++)
		sorted[i] = &region->syscalls[i];
	qsort(sorted, region->n_syscalls, sizeof(*sorted), compare_syscalls);
	return sorted;
}

struct figure figure_add(struct figure a, struct figure b)
{
	struct figure sum = {.kind = a.kind > b.kind ? a.kind : b.kind, .mcyc = a.mcyc + b.mcyc};

	if (sum.kind == FIGURE_UNKNOWN && a.kind != b.kind)
		sum.kind = FIGURE_PARTIAL;
	return sum;
}

struct figure figure_of_group(const struct estimate *estimate, const struct profile_group *group)
{
	static const enum figure_kind kinds[] = {
		[COST_UNKNOWN] = FIGURE_UNKNOWN, [COST_FALLBACK] = FIGURE_FALLBACK, [COST_EXACT] = FIGURE_EXACT};
	struct figure figure = {.kind = kinds[estimate->costs[group->parts[0].form].match]};

	for (size_t i = 1; i < group->n_parts; i++)
		figure = figure_add(figure,
				    (struct figure){.kind = kinds[estimate->costs[group->parts[i].form].match]});
	figure.mcyc = estimate_group_mcyc(estimate, group, NULL);
	return figure;
}

struct figure figure_of_counts(mcyc_t mcyc, uint64_t executions, uint64_t unknown, uint64_t fallback)
{
	struct figure figure = {.mcyc = mcyc};

	if (unknown > 0)
		figure.kind = unknown < executions ? FIGURE_PARTIAL : FIGURE_UNKNOWN;
	else if (fallback > 0)
		figure.kind = FIGURE_FALLBACK;
	return figure;
}

struct figure figure_of_region(const struct estimate *estimate)
{
	return figure_of_counts(estimate->ranked_mcyc, estimate->exact + estimate->fallback + estimate->unknown,
				estimate->unknown, estimate->fallback);
}

static int compare_rows(const void *left, const void *right)
{
	const struct ranking_row *a = left, *b = right;
	bool a_unknown = a->figure.kind == FIGURE_UNKNOWN, b_unknown = b->figure.kind == FIGURE_UNKNOWN;
	int order;

	if (a_unknown != b_unknown)
		return a_unknown ? 1 : -1;
	if (a->figure.mcyc != b->figure.mcyc)
		return a->figure.mcyc < b->figure.mcyc ? 1 : -1;
	if (a->group->executions != b->group->executions)
		return a->group->executions < b->group->executions ? 1 : -1;
	/* Names do not depend on the order in which the instructions stand in the profile. */
	order = strcmp(a->group->name, b->group->name);
	return order ? order : a->group->module < b->group->module ? -1 : a->group->module > b->group->module;
}

void ranking_init(struct ranking *ranking, const struct profile *profile, const struct section *section,
		  enum profile_group_by by)
{
	profile_group_init(&ranking->groups, profile, section->region_index, by);
	ranking->rows = xcalloc(ranking->groups.n_groups, sizeof(*ranking->rows));
	for (size_t i = 0; i < ranking->groups.n_groups; i++) {
		ranking->rows[i].group = &ranking->groups.groups[i];
		ranking->rows[i].figure = figure_of_group(&section->estimates[0], &ranking->groups.groups[i]);
	}
	qsort(ranking->rows, ranking->groups.n_groups, sizeof(*ranking->rows), compare_rows);
}

void ranking_deinit(struct ranking *ranking)
{
	profile_group_deinit(&ranking->groups);
	free(ranking->rows);
}
