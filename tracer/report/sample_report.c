#include "report/sample_report.h"

#include <assert.h>

void report_write_samples(FILE *out, const struct sample_report *report, const struct report_options *options)
{
	switch (options->format) {
	case REPORT_TEXT:
		sample_report_write_text(out, report, options);
		break;
	case REPORT_JSON:
		sample_report_write_json(out, report);
		break;
	case REPORT_CSV:
		sample_report_write_csv(out, report);
		break;
	default:
		assert(!"a format of samples");
	}
}
