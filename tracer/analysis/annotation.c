#include "analysis/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct figure annotate_insn_figure(const struct estimate *estimate, const struct profile *profile, uint32_t insn)
{
	struct profile_group_part part = {.form = profile->insns[insn].form};
	struct profile_group group = {.parts = &part, .n_parts = 1, .insns = &insn, .n_insns = 1};

	return figure_of_group(estimate, &group);
}

static void add_line(struct annotation *annotation, const struct profile *profile, const struct profile_group *group)
{
	const struct profile_location *location = &profile->locations[group->location];

	*ARRAY_ADD(annotation, places) = (struct annotate_place){
		.file = location->file,
		.line = location->line,
		.insn = group->insns[0],
		.insns = group->insns,
		.n_insns = group->n_insns,
		.executions = group->executions,
		.iterations = group->iterations,
	};
}

static void add_insns(struct annotation *annotation, const struct profile_region *region,
		      const struct profile_group *group)
{
	for (size_t i = 0; i < group->n_insns; i++)
		*ARRAY_ADD(annotation, places) = (struct annotate_place){
			.file = PROFILE_NONE,
			.insn = group->insns[i],
			.insns = &group->insns[i],
			.n_insns = 1,
			.executions = region->executions[group->insns[i]],
			.iterations = region->iterations[group->insns[i]],
		};
}

/* qsort has no context. */
static const struct profile *sorted_profile;

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_places(const void *left, const void *right)
{
	const struct annotate_place *a = left, *b = right;
	const struct profile_insn *a_insn = &sorted_profile->insns[a->insn], *b_insn = &sorted_profile->insns[b->insn];
	int order = 0;

	if (a->file != b->file) {
		if (a->file == PROFILE_NONE || b->file == PROFILE_NONE)
			return a->file == PROFILE_NONE ? 1 : -1;
		order = strcmp(sorted_profile->files[a->file].path, sorted_profile->files[b->file].path);
		return order ? order : compare_numbers(a->file, b->file);
	}
	if (a->file != PROFILE_NONE)
		return compare_numbers(a->line, b->line);
	order = compare_numbers(a_insn->module, b_insn->module);
	if (order == 0)
		order = compare_numbers(a_insn->function, b_insn->function);
	if (order == 0)
		order = compare_numbers(a_insn->va, b_insn->va);
	return order ? order : compare_numbers(a->insn, b->insn);
}

static void find_figures(struct annotation *annotation, const struct report *report, const struct section *section)
{
	annotation->figures = xcalloc(annotation->n_places * annotation->n_models, sizeof(*annotation->figures));
	for (size_t i = 0; i < annotation->n_places; i++) {
		struct annotate_place *place = &annotation->places[i];

		place->figures = &annotation->figures[i * annotation->n_models];
		for (size_t model = 0; model < annotation->n_models; model++)
			for (size_t k = 0; k < place->n_insns; k++) {
				struct figure figure = annotate_insn_figure(&section->estimates[model], report->profile,
									    place->insns[k]);

				place->figures[model] = k == 0 ? figure : figure_add(place->figures[model], figure);
			}
	}
}

/* By descending cost; those without any figure last, by executions; else as they stand. */
static int compare_costs(const struct annotate_place *a, const struct annotate_place *b)
{
	bool a_unknown = a->figures[0].kind == FIGURE_UNKNOWN, b_unknown = b->figures[0].kind == FIGURE_UNKNOWN;

	if (a_unknown != b_unknown)
		return a_unknown ? 1 : -1;
	if (a->figures[0].mcyc != b->figures[0].mcyc)
		return a->figures[0].mcyc < b->figures[0].mcyc ? 1 : -1;
	if (a->executions != b->executions)
		return a->executions < b->executions ? 1 : -1;
	return a < b ? -1 : a > b;
}

static int compare_ranks(const void *left, const void *right)
{
	return compare_costs(*(const struct annotate_place *const *)left, *(const struct annotate_place *const *)right);
}

static void mark_top(struct annotation *annotation, size_t top)
{
	struct annotate_place **ranks = xcalloc(annotation->n_places, sizeof(struct annotate_place *));

	for (size_t i = 0; i < annotation->n_places; i++)
		ranks[i] = &annotation->places[i];
	if (annotation->n_places > 0)
		qsort(ranks, annotation->n_places, sizeof(struct annotate_place *), compare_ranks);
	for (size_t i = 0; i < annotation->n_places && (top == 0 || i < top); i++)
		ranks[i]->is_top = true;
	free(ranks);
}

/* Whether the context of one reaches that of another, later place: then no lines are left out between them. */
static bool are_close(const struct annotation *annotation, const struct profile *profile, size_t first, size_t second,
		      size_t context)
{
	const struct annotate_place *a = &annotation->places[first], *b = &annotation->places[second];

	if (a->file != b->file)
		return false;
	if (a->file != PROFILE_NONE)
		return b->line - a->line <= 2 * context + 1;
	return profile->insns[a->insn].module == profile->insns[b->insn].module &&
	       profile->insns[a->insn].function == profile->insns[b->insn].function &&
	       second - first <= 2 * context + 1;
}

static bool are_together(const struct annotation *annotation, const struct profile *profile, size_t first,
			 size_t second, size_t context)
{
	const struct annotate_place *a = &annotation->places[first], *b = &annotation->places[second];

	if (a->file != b->file)
		return false;
	if (a->file != PROFILE_NONE)
		return a->line < b->line ? b->line - a->line <= context : a->line - b->line <= context;
	return are_close(annotation, profile, first < second ? first : second, first < second ? second : first,
			 context) &&
	       (first < second ? second - first : first - second) <= context;
}

static void add_figures(struct figure *sums, const struct figure *figures, size_t n_models, bool is_first)
{
	for (size_t i = 0; i < n_models; i++)
		sums[i] = is_first ? figures[i] : figure_add(sums[i], figures[i]);
}

/* From the place at `first`, which is a top one, to the last one close to it. */
static size_t add_excerpt(struct annotation *annotation, const struct profile *profile, size_t first, size_t context)
{
	struct annotate_excerpt *excerpt = ARRAY_ADD(annotation, excerpts);
	const struct annotate_place *places = annotation->places;
	size_t begin = first, last = first, end;

	for (size_t i = first + 1; i < annotation->n_places && are_close(annotation, profile, last, i, context); i++)
		if (places[i].is_top)
			last = i;
	while (begin > 0 && are_together(annotation, profile, first, begin - 1, context))
		begin--;
	for (end = last + 1; end < annotation->n_places && are_together(annotation, profile, last, end, context);)
		end++;
	*excerpt = (struct annotate_excerpt){.first = begin, .n_places = end - begin, .top = first};
	if (places[first].file != PROFILE_NONE) {
		excerpt->first_line = places[first].line > context ? places[first].line - (uint32_t)context : 1;
		excerpt->last_line = (uint32_t)context > UINT32_MAX - places[last].line
					     ? UINT32_MAX
					     : places[last].line + (uint32_t)context;
	}
	excerpt->figures = xcalloc(annotation->n_models, sizeof(*excerpt->figures));
	for (size_t i = begin; i < end; i++) {
		excerpt->executions += places[i].executions;
		add_figures(excerpt->figures, places[i].figures, annotation->n_models, i == begin);
		if (compare_costs(&places[i], &places[excerpt->top]) < 0)
			excerpt->top = i;
	}
	return end;
}

static int compare_excerpts(const void *left, const void *right)
{
	const struct annotate_excerpt *a = left, *b = right;

	if (a->figures[0].mcyc != b->figures[0].mcyc)
		return a->figures[0].mcyc < b->figures[0].mcyc ? 1 : -1;
	if (a->executions != b->executions)
		return a->executions < b->executions ? 1 : -1;
	return compare_numbers(a->first, b->first);
}

static void cut(struct annotation *annotation, const struct profile *profile, size_t context)
{
	bool *is_shown = xcalloc(annotation->n_places, sizeof(*is_shown));

	for (size_t i = 0; i < annotation->n_places;)
		i = annotation->places[i].is_top ? add_excerpt(annotation, profile, i, context) : i + 1;
	for (size_t i = 0; i < annotation->n_excerpts; i++)
		for (size_t k = 0; k < annotation->excerpts[i].n_places; k++)
			is_shown[annotation->excerpts[i].first + k] = true;
	annotation->rest = xcalloc(annotation->n_models, sizeof(*annotation->rest));
	for (size_t i = 0; i < annotation->n_places; i++) {
		if (is_shown[i])
			continue;
		add_figures(annotation->rest, annotation->places[i].figures, annotation->n_models,
			    annotation->n_rest == 0);
		annotation->rest_executions += annotation->places[i].executions;
		annotation->n_rest++;
	}
	if (annotation->n_excerpts > 0)
		qsort(annotation->excerpts, annotation->n_excerpts, sizeof(*annotation->excerpts), compare_excerpts);
	free(is_shown);
}

void annotation_init(struct annotation *annotation, const struct report *report, const struct section *section)
{
	*annotation = (struct annotation){.n_models = report->n_models};
	profile_group_init(&annotation->groups, report->profile, section->region_index, GROUP_BY_LINE);
	for (size_t i = 0; i < annotation->groups.n_groups; i++) {
		const struct profile_group *group = &annotation->groups.groups[i];

		if (report->profile->locations[group->location].file == PROFILE_NONE)
			add_insns(annotation, section->region, group);
		else
			add_line(annotation, report->profile, group);
	}
	sorted_profile = report->profile;
	if (annotation->n_places > 0)
		qsort(annotation->places, annotation->n_places, sizeof(*annotation->places), compare_places);
	find_figures(annotation, report, section);
	mark_top(annotation, report->options->top);
	cut(annotation, report->profile, report->options->context);
}

void annotation_deinit(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_excerpts; i++)
		free(annotation->excerpts[i].figures);
	profile_group_deinit(&annotation->groups);
	free(annotation->places);
	free(annotation->figures);
	free(annotation->excerpts);
	free(annotation->rest);
	*annotation = (struct annotation){0};
}
