#include "report/report.h"

#include <assert.h>

#include "report/writer.h"
#include "report/text/labels.h"
#include "report/text/qualifiers.h"

bool report_requires_calls(const struct report_options *options)
{
	return options->view != REPORT_VIEW_TABLE || options->format >= REPORT_CALLGRIND;
}

static unsigned analyses_of(const struct report_options *options)
{
	static const unsigned of_views[] = {
		[REPORT_VIEW_TABLE] = ANALYSIS_RANKING,
		[REPORT_VIEW_TREE] = ANALYSIS_CALL_TREE,
		[REPORT_VIEW_CHARGES] = ANALYSIS_CHARGES,
		[REPORT_VIEW_MEMORY] = ANALYSIS_CHARGES,
	};
	unsigned analyses = report_formats[options->format].analyses;

	/* HTML and the formats of other tools ignore the options below. */
	if (options->format > REPORT_CSV)
		return analyses;
	if (options->annotate)
		return analyses | ANALYSIS_ANNOTATION;
	if (options->compare)
		return analyses | ANALYSIS_COMPARISON;
	/* JSON contains the ranking in addition to the chosen view. */
	return analyses | of_views[options->view] | (options->format == REPORT_JSON ? ANALYSIS_RANKING : 0);
}

struct analysis_request report_request(const struct report_options *options)
{
	return (struct analysis_request){
		.analyses = analyses_of(options),
		.by = {options->by, GROUP_BY_FUNCTION},
		.n_by = options->compare && !options->is_by_given ? 2 : 1,
		.only_regions = options->only_regions,
		.n_only_regions = options->n_only_regions,
		.per_thread = options->per_thread,
		.annotation = {options->top, options->context, options->only_own, options->file_globs,
			       options->n_file_globs},
		.charges = {options->user_modules, options->n_user_modules, options->share_by_bytes},
	};
}

void report_write(FILE *out, const struct report_options *options, const struct run_analysis *analysis)
{
	const struct report_format_row *format = &report_formats[options->format];
	report_writer *write = options->annotate  ? format->annotation
			       : options->compare ? format->comparison
						  : format->report;
	struct qualifiers_used qualifiers = {0};
	struct report report = {
		.out = out,
		.options = options,
		.analysis = analysis,
		.profile = analysis->profile,
		.models = analysis->models,
		.n_models = analysis->n_models,
		.qualifiers = &qualifiers,
	};

	assert(write);
	if (options->format == REPORT_TEXT)
		report.short_paths = label_short_paths(report.profile);
	write(&report);
	label_short_paths_free(report.short_paths, report.profile);
}

void report_write_samples(FILE *out, const struct sample_report *samples, const struct report_options *options)
{
	assert(report_formats[options->format].samples);
	report_formats[options->format].samples(&(struct report){.out = out, .options = options, .samples = samples});
}

double report_sample_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

const char *report_trust_name(enum trust trust)
{
	static const char *const names[] = {[TRUST_GOOD] = "good", [TRUST_DOUBTFUL] = "doubtful", [TRUST_BAD] = "bad"};

	return names[trust];
}
