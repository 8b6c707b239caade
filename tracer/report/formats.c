#include "report/writer.h"

/* To add a format, write a file with its writers, declare them in writer.h, and add a row here and a value of enum
 * report_format. */
const struct report_format_row report_formats[N_REPORT_FORMATS] = {
	[REPORT_TEXT] = {0, text_write_report, text_write_comparison, text_write_annotation, text_write_samples},
	[REPORT_JSON] = {0, json_write_report, json_write_comparison, json_write_annotation, json_write_samples},
	[REPORT_CSV] = {0, csv_write_report, csv_write_comparison, NULL, csv_write_samples},
	/* The page itself compares models. */
	[REPORT_HTML] = {ANALYSIS_CALL_TREE, html_write_report, html_write_report, NULL, NULL},
	[REPORT_CALLGRIND] = {ANALYSIS_CALL_LINES, callgrind_write_report, NULL, NULL, NULL},
	[REPORT_FOLDED] = {ANALYSIS_CALL_TREE, folded_write_report, NULL, NULL, NULL},
	[REPORT_SPEEDSCOPE] = {ANALYSIS_CALL_TREE, speedscope_write_report, NULL, NULL, NULL},
};
