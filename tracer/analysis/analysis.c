#include "analysis/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "base/units.h"

static bool is_selected(const struct analysis_request *request, const char *name)
{
	for (size_t i = 0; i < request->n_only_regions; i++)
		if (strcmp(request->only_regions[i], name) == 0)
			return true;
	return request->n_only_regions == 0;
}

static void add_region(struct run_analysis *analysis, uint32_t index, char *title, char *name)
{
	const struct profile *profile = analysis->profile;
	const struct profile_region *profiled = &profile->regions[index];
	struct region_analysis *region = ARRAY_ADD(analysis, regions);

	region->title = title;
	region->name = name;
	region->executions = profile_region_executions(profiled);
	region->iterations = profile_region_iterations(profiled);
	region->estimates = xcalloc(analysis->n_models, sizeof(*region->estimates));
	for (size_t i = 0; i < analysis->n_models; i++)
		estimate_region_init(&region->estimates[i], analysis->models[i], profile, index);
	region->costed = (struct costed_region){profile, index, profiled, region->estimates, analysis->n_models};
}

/* Adds a region and the region of its signal handlers. `suffix` follows the name in the title. */
static void add_with_handlers(struct run_analysis *analysis, uint32_t index, const char *name, const char *suffix)
{
	const struct profile_region *regions = analysis->profile->regions;

	add_region(analysis, index, xasprintf("%s%s", name, suffix), xstrdup(name));
	for (uint32_t i = 0; i < analysis->profile->n_regions; i++)
		if (regions[i].handlers_of == index && regions[i].visits > 0)
			add_region(analysis, i, xasprintf("%s%s: in signal handlers", name, suffix),
				   xasprintf("%s: in signal handlers", name));
}

static int compare_threads(const void *left, const void *right, void *context)
{
	const struct profile_region *regions = context;

	return ORDER(regions[*(const uint32_t *)left].thread, regions[*(const uint32_t *)right].thread);
}

static void add_threads(struct run_analysis *analysis, uint32_t index, const char *name)
{
	const struct profile *profile = analysis->profile;
	uint32_t *threads = xcalloc(profile->n_regions, sizeof(*threads)); /* regions of single threads */
	size_t n_threads = 0;

	for (uint32_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].all_threads_region == index && profile->regions[i].visits > 0)
			threads[n_threads++] = i;
	qsort_r(threads, n_threads, sizeof(*threads), compare_threads, profile->regions);
	for (size_t i = 0; i < n_threads; i++) {
		char *thread = analysis_thread_name(profile, profile->regions[threads[i]].thread);
		char *suffix = xasprintf(", %s", thread);

		add_with_handlers(analysis, threads[i], name, suffix);
		free(suffix);
		free(thread);
	}
	free(threads);
}

static void add_regions(struct run_analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->profile->n_regions; i++) {
		const struct profile_region *region = &analysis->profile->regions[i];
		const char *name = region->name[0] ? region->name : "(unnamed)";

		if (region->handlers_of != PROFILE_NONE || region->all_threads_region != PROFILE_NONE ||
		    !is_selected(&analysis->request, region->name))
			continue;
		if (region->visits == 0) {
			*ARRAY_ADD(analysis, unreached) = i;
			continue;
		}
		add_with_handlers(analysis, i, name, "");
		if (analysis->request.per_thread)
			add_threads(analysis, i, name);
	}
}

static int compare_syscalls(const void *left, const void *right)
{
	const struct profile_syscall *a = *(struct profile_syscall *const *)left,
				     *b = *(struct profile_syscall *const *)right;

	return ORDER(b->count, a->count) ?: strcmp(a->name, b->name) ?: ORDER(a->is_int80, b->is_int80);
}

static void sort_syscalls(struct region_analysis *region)
{
	const struct profile_region *profiled = region->costed.region;

	region->syscalls = xcalloc(profiled->n_syscalls, sizeof(*region->syscalls));
	for (size_t i = 0; i < profiled->n_syscalls; i++)
		region->syscalls[i] = &profiled->syscalls[i];
	qsort(region->syscalls, profiled->n_syscalls, sizeof(*region->syscalls), compare_syscalls);
}

static void analyse(struct region_analysis *region, const struct analysis_request *request)
{
	const struct costed_region *costed = &region->costed;
	unsigned wanted = request->analyses;
	bool wants_inclusive = wanted & ANALYSIS_RANKING && request->by[0] == GROUP_BY_FUNCTION &&
			       costed->region->n_contexts > 0;

	sort_syscalls(region);
	ranking_init(&region->forms, costed, GROUP_BY_FORM);
	region->coverage = xcalloc(costed->n_models, sizeof(*region->coverage));
	for (size_t i = 0; i < costed->n_models; i++)
		coverage_init(&region->coverage[i], &costed->estimates[i], &region->forms.groups);
	if (wanted & ANALYSIS_RANKING && request->by[0] != GROUP_BY_FORM)
		ranking_init(&region->groups, costed, request->by[0]);
	for (size_t i = 0; wanted & ANALYSIS_COMPARISON && i < request->n_by; i++)
		comparison_init(&region->comparisons[i], costed, request->by[i]);
	if (wanted & (ANALYSIS_CALL_TREE | ANALYSIS_CALL_LINES | ANALYSIS_CHARGES) || wants_inclusive)
		call_tree_init(&region->call_tree, costed);
	if (wants_inclusive)
		inclusive_init(&region->inclusive, &region->call_tree);
	if (wanted & ANALYSIS_CALL_LINES)
		call_rows_init(&region->call_rows, &region->call_tree);
	if (wanted & ANALYSIS_CHARGES)
		charges_init(&region->charges, &region->call_tree, &request->charges);
	if (wanted & ANALYSIS_ANNOTATION)
		annotation_init(&region->annotation, costed, &request->annotation);
}

void analysis_init(struct run_analysis *analysis, const struct profile *profile, const struct model *const *models,
		   size_t n_models, const struct analysis_request *request)
{
	assert(n_models >= 1 && request->n_by >= 1);
	*analysis =
		(struct run_analysis){.profile = profile, .models = models, .n_models = n_models, .request = *request};
	add_regions(analysis);
	for (size_t i = 0; i < analysis->n_regions; i++)
		analyse(&analysis->regions[i], request);
}

static void region_deinit(struct region_analysis *region)
{
	for (size_t i = 0; i < region->costed.n_models; i++) {
		estimate_region_deinit(&region->estimates[i]);
		coverage_deinit(&region->coverage[i]);
	}
	for (size_t i = 0; i < ANALYSIS_MAX_BY; i++)
		comparison_deinit(&region->comparisons[i]);
	ranking_deinit(&region->forms);
	ranking_deinit(&region->groups);
	inclusive_deinit(&region->inclusive);
	annotation_deinit(&region->annotation);
	charges_deinit(&region->charges);
	call_rows_deinit(&region->call_rows);
	call_tree_deinit(&region->call_tree);
	free(region->syscalls);
	free(region->coverage);
	free(region->estimates);
	free(region->title);
	free(region->name);
}

void analysis_deinit(struct run_analysis *analysis)
{
	for (size_t i = 0; i < analysis->n_regions; i++)
		region_deinit(&analysis->regions[i]);
	free(analysis->regions);
	free(analysis->unreached);
	*analysis = (struct run_analysis){0};
}

const struct ranking *analysis_ranking(const struct run_analysis *analysis, const struct region_analysis *region)
{
	return analysis->request.by[0] == GROUP_BY_FORM ? &region->forms : &region->groups;
}

bool analysis_has_cost(const struct region_analysis *region)
{
	return region->executions + region->iterations > 0;
}

char *analysis_thread_name(const struct profile *profile, uint32_t thread)
{
	const struct profile_thread *named = &profile->threads[thread];
	const char *before = named->name[0] ? " (" : "", *after = named->name[0] ? ")" : "";

	if (named->n_threads > 1)
		return xasprintf("%s other threads%s%s%s", units_count(named->n_threads).text, before, named->name,
				 after);
	return xasprintf("thread %u%s%s%s", thread + 1, before, named->name, after);
}
