/* The interface of a writer: its input, and its row in the table of formats. Private to report/. */
#ifndef ITRACE_REPORT_WRITER_H
#define ITRACE_REPORT_WRITER_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/options.h"
#include "report/samples.h"

/* The input of a writer, and its output. */
struct report {
	FILE *out;
	const struct report_options *options;
	const struct sample_report *samples; /* of a report on samples; the members below are zero then */
	const struct run_analysis *analysis;
	const struct profile *profile;	    /* analysis->profile */
	const struct model *const *models;  /* [n_models] analysis->models */
	size_t n_models;		    /* analysis->n_models */
	char **short_paths;		    /* [profile->n_files] for text: see label_short_paths() */
	struct qualifiers_used *qualifiers; /* for text: see qualifiers.h */
};

typedef void report_writer(const struct report *report);

/* The writers of a format. NULL: the format has no such report. */
struct report_format_row {
	unsigned analyses; /* ANALYSIS_* that the format needs with any options */
	report_writer *report, *comparison, *annotation, *samples;
};

extern const struct report_format_row report_formats[N_REPORT_FORMATS];

report_writer text_write_report, text_write_comparison, text_write_annotation, text_write_samples;
report_writer json_write_report, json_write_comparison, json_write_annotation, json_write_samples;
report_writer csv_write_report, csv_write_comparison, csv_write_samples;
report_writer html_write_report;
report_writer callgrind_write_report, folded_write_report, speedscope_write_report;

#endif
