#include "report/text/marks.h"

#include <stdlib.h>

#include "base/array.h"

/* Of the executions of a region: where both sides of a ratio lack less, it is still worth reading. */
#define LITTLE_PERCENT 1

enum text_mark mark_of_figure(struct figure figure)
{
	static const enum text_mark marks[] = {
		[FIGURE_EXACT] = MARK_NONE,
		[FIGURE_FALLBACK] = MARK_FALLBACK,
		[FIGURE_PARTIAL] = MARK_AT_LEAST,
		[FIGURE_UNKNOWN] = MARK_UNKNOWN,
	};

	return marks[figure.kind];
}

enum text_mark mark_of_total(const struct estimate *estimate)
{
	enum text_mark mark = mark_of_figure(figure_of_region(estimate));

	return mark == MARK_FALLBACK ? MARK_NONE : mark;
}

static bool lacks_little(const struct estimate *estimate)
{
	uint64_t executions = estimate->exact + estimate->fallback + estimate->unknown;

	return (__int128)estimate->unknown * 100 < (__int128)executions * LITTLE_PERCENT;
}

/* What is missing on one side makes the quotient a bound; much of it on both sides makes it worthless. */
enum text_mark mark_of_ratio(const struct estimate *estimate, const struct estimate *first)
{
	struct figure figure = figure_of_region(estimate), first_figure = figure_of_region(first);
	bool lacks = figure.kind == FIGURE_PARTIAL, first_lacks = first_figure.kind == FIGURE_PARTIAL;

	if (figure.kind == FIGURE_UNKNOWN || first_figure.kind == FIGURE_UNKNOWN)
		return MARK_UNKNOWN;
	if (lacks && first_lacks)
		return lacks_little(estimate) && lacks_little(first) ? MARK_ABOUT : MARK_UNKNOWN;
	return lacks ? MARK_AT_LEAST : first_lacks ? MARK_AT_MOST : MARK_NONE;
}

void mark_set_cell(struct table *table, size_t column, enum text_mark mark, const char *text,
		   bool marks_used[N_TEXT_MARKS])
{
	static const char *const marks[] = {
		[MARK_NONE] = "",      [MARK_FALLBACK] = "~", [MARK_ABOUT] = "\u2248",
		[MARK_AT_LEAST] = ">", [MARK_AT_MOST] = "<",  [MARK_UNKNOWN] = "?",
	};
	char *marked = xasprintf("%s%s", marks[mark], mark == MARK_UNKNOWN ? "" : text);

	marks_used[mark] = true;
	table_set_cell(table, column, marked);
	free(marked);
}

void marks_write_legend(const struct report *report, const bool marks_used[N_TEXT_MARKS])
{
	static const char *const meanings[] = {
		[MARK_NONE] = NULL,
		[MARK_FALLBACK] = "~ a related form's figure",
		[MARK_ABOUT] = "\u2248 about: both lack figures for less than 1% of the executions",
		[MARK_AT_LEAST] = "> at least: a part has no figure",
		[MARK_AT_MOST] = "< at most, likewise",
		[MARK_UNKNOWN] = "? no figure",
	};
	char *legend = xstrdup("");

	for (int mark = 0; mark < N_TEXT_MARKS; mark++) {
		char *longer;

		if (!marks_used[mark] || !meanings[mark])
			continue;
		longer = xasprintf("%s%s%s", legend, *legend ? "; " : "", meanings[mark]);
		free(legend);
		legend = longer;
	}
	if (*legend)
		paragraph_write(report->out, legend, report->options->width, 0, false);
	free(legend);
}
