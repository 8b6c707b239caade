#include "report/text/labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/units.h"

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

/* The last name of a path and n_more before it. */
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

/* Lengthens those that occur several times by a name; false: there is none. */
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

/* A function is told apart from its namesakes by its module, unless its name begins with that. */
static char *label_in_module(const struct profile *profile, const struct profile_group *group)
{
	const char *module;

	if (group->module == PROFILE_NONE)
		return xstrdup(group->name);
	module = path_file_name(profile->modules[group->module].path);
	if (strncmp(group->name, module, strlen(module)) == 0)
		return xstrdup(group->name);
	return xasprintf("%s [%s]", group->name, module);
}

/* "a.c:12:7", and behind it the function. */
static char *label_place(const struct report *report, enum profile_group_by by, const struct profile_group *group)
{
	const struct profile *profile = report->profile;
	const struct profile_location *location = &profile->locations[group->location];
	const char *path = report->short_paths[location->file];
	const char *function = group->function == PROFILE_NONE ? "" : profile->functions[group->function].name;

	if (by == GROUP_BY_FILE)
		return xstrdup(path);
	if (by == GROUP_BY_LINE)
		return xasprintf("%s:%" PRIu32 "  %s", path, location->line, function);
	return xasprintf("%s:%" PRIu32 ":%" PRIu32 "  %s", path, location->line, location->column, function);
}

char *label_group(const struct report *report, enum profile_group_by by, const struct profile_group *group)
{
	if (by == GROUP_BY_FUNCTION || by == GROUP_BY_INLINED)
		return label_in_module(report->profile, group);
	if (!profile_group_by_is_source(by))
		return xstrdup(group->name);
	if (report->profile->locations[group->location].file == PROFILE_NONE)
		return label_in_module(report->profile, group);
	return label_place(report, by, group);
}

const char *label_source_state(const struct report *report, uint32_t file)
{
	static const char *const notes[] = {
		[SOURCE_MISSING] = "(the source is not there: --source-path may name its folder)",
		[SOURCE_CHANGED_SINCE_RUN] = "(changed since the run: lines may not fit)",
		[SOURCE_NEWER] = "(changed after the program was built: lines may not fit)",
		[SOURCE_SAME] = NULL,
	};
	const struct source_text *sources = report->options->sources;

	return notes[sources ? sources[file].state : SOURCE_MISSING];
}

char *label_thread(const struct profile *profile, uint32_t thread)
{
	const struct profile_thread *named = &profile->threads[thread];
	const char *before = named->name[0] ? " (" : "", *after = named->name[0] ? ")" : "";

	if (named->n_threads > 1)
		return xasprintf("%s other threads%s%s%s", units_count(named->n_threads).text, before, named->name,
				 after);
	return xasprintf("thread %u%s%s%s", thread + 1, before, named->name, after);
}
