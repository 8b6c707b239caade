#include "report/report.h"

#include <assert.h>

#include "report/formats.h"
#include "report/text/labels.h"

void report_write(FILE *out, const struct profile *profile, const struct model *const *models, size_t n_models,
		  const struct report_options *options)
{
	struct sections sections;
	struct report report = {out, profile, models, n_models, options, &sections, NULL};

	static void (*const writers[][2])(const struct report *) = {
		[REPORT_TEXT] = {report_write_text, report_write_compare_text},
		[REPORT_JSON] = {report_write_json, report_write_compare_json},
		[REPORT_CSV] = {report_write_csv, report_write_compare_csv},
		[REPORT_HTML] = {report_write_html, report_write_html},
		[REPORT_CALLGRIND] = {report_write_callgrind},
		[REPORT_FOLDED] = {report_write_folded},
		[REPORT_SPEEDSCOPE] = {report_write_speedscope},
	};

	assert(n_models >= 1);
	sections_init(&sections, profile, models, n_models, options);
	if (profile_group_by_is_source(options->by) || options->annotate)
		report.short_paths = label_short_paths(profile);
	if (options->annotate && options->format == REPORT_JSON)
		report_write_annotate_json(&report);
	else if (options->annotate)
		report_write_annotate_text(&report);
	else
		writers[options->format][options->compare](&report);
	label_short_paths_free(report.short_paths, profile);
	sections_deinit(&sections);
}

bool report_wants_calls(const struct report_options *options)
{
	return options->view != REPORT_VIEW_TABLE || options->format >= REPORT_CALLGRIND;
}

size_t report_compare_by(const struct report_options *options, enum profile_group_by by[COMPARE_MAX_BY])
{
	by[0] = options->by;
	if (options->is_by_given)
		return 1;
	by[1] = GROUP_BY_FUNCTION;
	return 2;
}
