#include "analysis/annotation.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/user_code.h"
#include "base/array.h"
#include "base/order.h"

static void add_line(struct annotation *annotation, const struct profile *profile, const struct profile_group *group)
{
	const struct profile_location *location = &profile->locations[group->location];

	*ARRAY_ADD(annotation, lines) = (struct annotation_line){
		.file = location->file,
		.line = location->line,
		.insns = group->insns,
		.n_insns = group->n_insns,
		.runs = group->runs,
		.executions = group->executions,
		.iterations = group->iterations,
	};
}

static void add_insns(struct annotation *annotation, const struct profile_region *region,
		      const struct profile_group *group)
{
	for (size_t i = 0; i < group->n_insns; i++)
		*ARRAY_ADD(annotation, lines) = (struct annotation_line){
			.file = PROFILE_NONE,
			.insns = &group->insns[i],
			.n_insns = 1,
			.runs = region->executions[group->insns[i]],
			.executions = region->executions[group->insns[i]],
			.iterations = region->iterations[group->insns[i]],
		};
}

static int compare_lines(const void *left, const void *right, void *context)
{
	const struct annotation_line *a = left, *b = right;
	const struct profile *profile = context;
	const struct profile_insn *a_insn = &profile->insns[a->insns[0]], *b_insn = &profile->insns[b->insns[0]];

	if ((a->file == PROFILE_NONE) != (b->file == PROFILE_NONE))
		return a->file == PROFILE_NONE ? 1 : -1;
	if (a->file != b->file)
		return strcmp(profile->files[a->file].path, profile->files[b->file].path) ?: ORDER(a->file, b->file);
	if (a->file != PROFILE_NONE)
		return ORDER(a->line, b->line);
	return ORDER(a_insn->module, b_insn->module)
		       ?: ORDER(a_insn->function, b_insn->function)
		       ?: ORDER(a_insn->va, b_insn->va)
		       ?: ORDER(a->insns[0], b->insns[0]);
}

static void find_sums(struct annotation *annotation, const struct costed_region *costed)
{
	annotation->sums = xcalloc(annotation->n_lines * annotation->n_models, sizeof(*annotation->sums));
	for (size_t i = 0; i < annotation->n_lines; i++) {
		struct annotation_line *line = &annotation->lines[i];

		line->sums = &annotation->sums[i * annotation->n_models];
		for (size_t model = 0; model < annotation->n_models; model++) {
			line->sums[model] = cycle_sum_of_insn(costed, model, line->insns[0]);
			for (size_t k = 1; k < line->n_insns; k++)
				line->sums[model] = cycle_sum_add(line->sums[model],
								  cycle_sum_of_insn(costed, model, line->insns[k]));
		}
	}
}

/* Returns true if a glob matches the path, or its part after any '/'. */
static bool matches_glob(const struct annotation_options *options, const char *path)
{
	for (const char *tail = path; tail; tail = strchr(tail, '/') ? strchr(tail, '/') + 1 : NULL)
		for (size_t i = 0; i < options->n_file_globs; i++)
			if (fnmatch(options->file_globs[i], tail, 0) == 0)
				return true;
	return options->n_file_globs == 0;
}

static void select_lines(struct annotation *annotation, const struct profile *profile,
			 const struct annotation_options *options)
{
	struct user_code code;

	user_code_init(&code, profile, NULL, 0);
	for (size_t i = 0; i < annotation->n_lines; i++) {
		struct annotation_line *line = &annotation->lines[i];
		const char *path = line->file == PROFILE_NONE ? "" : profile->files[line->file].path;

		line->is_own = user_code_has_line(&code, line->insns[0]);
		line->is_selected = (line->is_own || !options->only_own) && matches_glob(options, path);
		annotation->n_selected += line->is_selected;
	}
	user_code_deinit(&code);
}

/* Orders lines with is_own first, then by descending cost. Lines without a cost follow, by descending executions.
 * Equal lines keep their order. */
static int compare_costs(const struct annotation_line *a, const struct annotation_line *b)
{
	return ORDER(b->is_own, a->is_own)
		       ?: ORDER(a->sums[0].kind == CYCLE_SUM_UNKNOWN, b->sums[0].kind == CYCLE_SUM_UNKNOWN)
		       ?: ORDER(b->sums[0].mcyc, a->sums[0].mcyc)
		       ?: ORDER(b->executions, a->executions)
		       ?: ORDER(a, b);
}

static int compare_ranks(const void *left, const void *right)
{
	return compare_costs(*(const struct annotation_line *const *)left,
			     *(const struct annotation_line *const *)right);
}

static void mark_top(struct annotation *annotation, size_t top)
{
	struct annotation_line **ranks = xcalloc(annotation->n_lines, sizeof(struct annotation_line *));
	size_t n_ranks = 0;

	for (size_t i = 0; i < annotation->n_lines; i++)
		if (annotation->lines[i].is_selected)
			ranks[n_ranks++] = &annotation->lines[i];
	qsort(ranks, n_ranks, sizeof(struct annotation_line *), compare_ranks);
	for (size_t i = 0; i < n_ranks && (top == 0 || i < top); i++)
		ranks[i]->is_top = true;
	free(ranks);
}

/* Returns the distance from one line to a later one in lines, or in instructions of one function. Returns SIZE_MAX if
 * no excerpt can contain both. */
static size_t distance(const struct annotation *annotation, const struct profile *profile, size_t first, size_t second)
{
	const struct annotation_line *a = &annotation->lines[first], *b = &annotation->lines[second];
	const struct profile_insn *a_insn = &profile->insns[a->insns[0]], *b_insn = &profile->insns[b->insns[0]];

	if (a->file != b->file)
		return SIZE_MAX;
	if (a->file != PROFILE_NONE)
		return b->line - a->line;
	return a_insn->module == b_insn->module && a_insn->function == b_insn->function ? second - first : SIZE_MAX;
}

static void add_sums(struct cycle_sum *sums, const struct cycle_sum *added, size_t n_models, bool is_first)
{
	for (size_t i = 0; i < n_models; i++)
		sums[i] = is_first ? added[i] : cycle_sum_add(sums[i], added[i]);
}

/* Adds an excerpt that begins at the top line `first` and ends at the last top line that the context connects with
 * it. Returns the index after the excerpt's last line. */
static size_t add_excerpt(struct annotation *annotation, const struct profile *profile, size_t first, size_t context)
{
	struct annotation_excerpt *excerpt = ARRAY_ADD(annotation, excerpts);
	const struct annotation_line *lines = annotation->lines;
	size_t begin = first, last = first, end;

	for (size_t i = first + 1; i < annotation->n_lines && distance(annotation, profile, last, i) <= 2 * context + 1;
	     i++)
		if (lines[i].is_top)
			last = i;
	while (begin > 0 && distance(annotation, profile, begin - 1, first) <= context)
		begin--;
	for (end = last + 1; end < annotation->n_lines && distance(annotation, profile, last, end) <= context;)
		end++;
	*excerpt = (struct annotation_excerpt){.first = begin, .n_lines = end - begin, .top = first};
	if (lines[first].file != PROFILE_NONE) {
		excerpt->first_line = lines[first].line > context ? lines[first].line - (uint32_t)context : 1;
		excerpt->last_line = (uint32_t)context > UINT32_MAX - lines[last].line
					     ? UINT32_MAX
					     : lines[last].line + (uint32_t)context;
	}
	excerpt->sums = xcalloc(annotation->n_models, sizeof(*excerpt->sums));
	for (size_t i = begin; i < end; i++) {
		excerpt->executions += lines[i].executions;
		add_sums(excerpt->sums, lines[i].sums, annotation->n_models, i == begin);
		if (compare_costs(&lines[i], &lines[excerpt->top]) < 0)
			excerpt->top = i;
	}
	excerpt->is_own = lines[excerpt->top].is_own;
	return end;
}

static int compare_excerpts(const void *left, const void *right)
{
	const struct annotation_excerpt *a = left, *b = right;

	return ORDER(b->is_own, a->is_own)
		       ?: ORDER(b->sums[0].mcyc, a->sums[0].mcyc)
		       ?: ORDER(b->executions, a->executions)
		       ?: ORDER(a->first, b->first);
}

static void find_excerpts(struct annotation *annotation, const struct profile *profile, size_t context)
{
	bool *is_shown = xcalloc(annotation->n_lines, sizeof(*is_shown));

	for (size_t i = 0; i < annotation->n_lines;)
		i = annotation->lines[i].is_top ? add_excerpt(annotation, profile, i, context) : i + 1;
	for (size_t i = 0; i < annotation->n_excerpts; i++)
		for (size_t k = 0; k < annotation->excerpts[i].n_lines; k++)
			is_shown[annotation->excerpts[i].first + k] = true;
	annotation->rest = xcalloc(annotation->n_models, sizeof(*annotation->rest));
	for (size_t i = 0; i < annotation->n_lines; i++) {
		if (is_shown[i])
			continue;
		add_sums(annotation->rest, annotation->lines[i].sums, annotation->n_models, annotation->n_rest == 0);
		annotation->rest_executions += annotation->lines[i].executions;
		annotation->n_rest++;
	}
	if (annotation->n_excerpts > 0)
		qsort(annotation->excerpts, annotation->n_excerpts, sizeof(*annotation->excerpts), compare_excerpts);
	free(is_shown);
}

void annotation_init(struct annotation *annotation, const struct costed_region *costed,
		     const struct annotation_options *options)
{
	const struct profile *profile = costed->profile;

	*annotation = (struct annotation){.n_models = costed->n_models};
	profile_group_init(&annotation->groups, profile, costed->index, GROUP_BY_LINE);
	for (size_t i = 0; i < annotation->groups.n_groups; i++) {
		const struct profile_group *group = &annotation->groups.groups[i];

		if (profile->locations[group->location].file == PROFILE_NONE)
			add_insns(annotation, costed->region, group);
		else
			add_line(annotation, profile, group);
	}
	if (annotation->n_lines > 0)
		qsort_r(annotation->lines, annotation->n_lines, sizeof(*annotation->lines), compare_lines,
			(void *)profile);
	find_sums(annotation, costed);
	select_lines(annotation, profile, options);
	mark_top(annotation, options->top);
	find_excerpts(annotation, profile, options->context);
}

void annotation_deinit(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_excerpts; i++)
		free(annotation->excerpts[i].sums);
	profile_group_deinit(&annotation->groups);
	free(annotation->lines);
	free(annotation->sums);
	free(annotation->excerpts);
	free(annotation->rest);
	*annotation = (struct annotation){0};
}
