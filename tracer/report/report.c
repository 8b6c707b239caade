#include "report/report.h"

#include <assert.h>

#include "report/formats.h"

void report_write(FILE *out, const struct profile *profile, const struct model *const *models, size_t n_models,
		  const struct report_options *options)
{
	struct sections sections;
	struct report report = {out, profile, models, n_models, options, &sections};

	assert(n_models >= 1);
	sections_init(&sections, profile, models, n_models, options);
	switch (options->format) {
	case REPORT_TEXT:
		report_write_text(&report);
		break;
	case REPORT_JSON:
		report_write_json(&report);
		break;
	case REPORT_CSV:
		report_write_csv(&report);
		break;
	}
	sections_deinit(&sections);
}
