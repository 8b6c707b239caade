#include "report/text/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/layout.h"

#define MORE_FUNCTIONS " and others" /* for a line with code of several functions, such as instances of a template */

const char *label_noun(enum profile_group_by by)
{
	static const char *const nouns[] = {
		[GROUP_BY_FORM] = "instruction",
		[GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category",
		[GROUP_BY_ISA_EXTENSION] = "ISA extension",
		[GROUP_BY_FUNCTION] = "function",
		[GROUP_BY_FILE] = "file",
		[GROUP_BY_LINE] = "line",
		[GROUP_BY_COLUMN] = "line and column",
		[GROUP_BY_INLINED] = "inlined function",
	};

	return nouns[by];
}

/* Returns the last 1 + n_more names of a path. */
static const char *tail_of(const char *path, size_t n_more)
{
	const char *tail = path + strlen(path);

	for (size_t i = 0; i <= n_more && tail > path; i++)
		for (tail--; tail > path && tail[-1] != '/';)
			tail--;
	return tail;
}

static int compare_tails(const void *left, const void *right)
{
	return strcmp(**(const char **const *)left, **(const char **const *)right);
}

/* Adds one more name to each tail that several files share. Returns false if there is none. */
static bool lengthen(const struct profile *profile, const char **tails, const char ***sorted, size_t n_more)
{
	bool any = false;

	qsort(sorted, profile->n_files, sizeof(*sorted), compare_tails);
	for (size_t i = 0, end; i < profile->n_files; i = end) {
		const char *same = *sorted[i];

		for (end = i + 1; end < profile->n_files && strcmp(same, *sorted[end]) == 0;)
			end++;
		if (end - i == 1)
			continue;
		any = true;
		for (size_t k = i; k < end; k++)
			*sorted[k] = tail_of(profile->files[sorted[k] - tails].path, n_more);
	}
	return any;
}

char **label_short_paths(const struct profile *profile)
{
	enum { MAX_NAMES = 64 };
	const char **tails = xcalloc(profile->n_files, sizeof(*tails));
	const char ***sorted = xcalloc(profile->n_files, sizeof(*sorted));
	char **paths = xcalloc(profile->n_files, sizeof(*paths));

	for (size_t i = 0; i < profile->n_files; i++) {
		tails[i] = tail_of(profile->files[i].path, 0);
		sorted[i] = &tails[i];
	}
	for (size_t n_more = 1; n_more < MAX_NAMES && lengthen(profile, tails, sorted, n_more);)
		n_more++;
	for (size_t i = 0; i < profile->n_files; i++)
		paths[i] = xstrdup(tails[i]);
	free(sorted);
	free(tails);
	return paths;
}

void label_short_paths_free(char **paths, const struct profile *profile)
{
	for (size_t i = 0; paths && i < profile->n_files; i++)
		free(paths[i]);
	free(paths);
}

char *label_function(const struct profile *profile, const char *name, uint32_t module)
{
	const char *file = module == PROFILE_NONE ? "" : path_file_name(profile->modules[module].path);

	if (strncmp(name, file, strlen(file)) == 0)
		return xstrdup(name);
	return xasprintf(file[0] == '[' ? "%s %s" : "%s [%s]", name, file); /* "[vdso]" */
}

char *label_group(const struct report *report, enum profile_group_by by, const struct profile_group *group)
{
	const struct profile *profile = report->profile;
	const struct profile_location *location = &profile->locations[group->location];
	const char *function = group->function == PROFILE_NONE ? "" : profile->functions[group->function].name, *path;
	const char *more = group->has_more_functions ? MORE_FUNCTIONS : "";

	if (by == GROUP_BY_FUNCTION || by == GROUP_BY_INLINED ||
	    (profile_group_by_is_source(by) && location->file == PROFILE_NONE))
		return label_function(profile, group->name, group->module);
	if (!profile_group_by_is_source(by))
		return xstrdup(group->name);
	path = report->short_paths[location->file];
	if (by == GROUP_BY_FILE)
		return xstrdup(path);
	if (by == GROUP_BY_LINE)
		return xasprintf("%s:%" PRIu32 "  %s%s", path, location->line, function, more);
	return xasprintf("%s:%" PRIu32 ":%" PRIu32 "  %s%s", path, location->line, location->column, function, more);
}

char *label_charge(const struct report *report, const struct charge_row *row)
{
	const char *function = row->function == PROFILE_NONE ? "?" : report->profile->functions[row->function].name;

	if (row->is_outside)
		return xstrdup("(no caller in the program)");
	if (row->file == PROFILE_NONE)
		return xstrdup(function);
	return xasprintf("%s:%" PRIu32 " %s%s", report->short_paths[row->file], row->line, function,
			 row->has_more_functions ? MORE_FUNCTIONS : "");
}

const char *label_source_state(const struct report *report, uint32_t file)
{
	static const char *const notes[] = {
		[SOURCE_MISSING] = "(source file not found; --source-path can name its folder)",
		[SOURCE_CHANGED_SINCE_RUN] = "(changed since the run: lines may not match)",
		[SOURCE_NEWER] = "(changed after the program was built: lines may not match)",
		[SOURCE_SAME] = NULL,
	};
	const struct source_text *sources = report->options->sources;

	return notes[sources ? sources[file].state : SOURCE_MISSING];
}

void label_set_more(struct table *table, size_t n_rows)
{
	table_set_label(table, "%s more (--top 0 for all)", units_count(n_rows).text);
}

size_t label_n_shown(const struct report *report, size_t n_rows)
{
	size_t top = report->options->top;

	return top > 0 && top < n_rows ? top : n_rows;
}
