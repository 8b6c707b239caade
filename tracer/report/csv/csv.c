#include "report/csv/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/units.h"

/* RFC 4180, 2.5 to 2.7, with a line feed for its CRLF. */
void csv_write_text(FILE *out, const char *raw)
{
	char *text = escape_text(raw, ESCAPE_FOR_TERMINAL);
	bool is_quoted = text[strcspn(text, "\",")];

	fputs(is_quoted ? "\"" : "", out);
	for (const char *c = text; *c; c++)
		fprintf(out, *c == '"' ? "\"%c" : "%c", *c);
	fputs(is_quoted ? "\"" : "", out);
	free(text);
}

void csv_write_field(FILE *out, const char *raw)
{
	fputc(',', out);
	csv_write_text(out, raw ? raw : "");
}

void csv_write_number(FILE *out, uint32_t number)
{
	if (number > 0)
		fprintf(out, ",%" PRIu32, number);
	else
		fputc(',', out);
}

void csv_write_cycle_sum(FILE *out, struct cycle_sum sum)
{
	static const char *const matches[] = {
		[CYCLE_SUM_EXACT] = "exact",
		[CYCLE_SUM_FALLBACK] = "fallback",
		[CYCLE_SUM_PARTIAL] = "partial",
		[CYCLE_SUM_UNKNOWN] = "unknown",
	};
	bool has_cycles = sum.kind != CYCLE_SUM_UNKNOWN;

	fprintf(out, ",%s,%s", has_cycles ? units_cycles_exact(sum.mcyc).text : "", matches[sum.kind]);
}

void csv_write_cycle_sum_names(const struct report *report, const char *prefix, const char *suffix)
{
	for (size_t i = 0; i < report->n_models; i++) {
		fprintf(report->out, ",%scycles%s_", prefix, suffix);
		csv_write_text(report->out, model_name(report->models[i]));
		fprintf(report->out, ",%smatch%s_", prefix, suffix);
		csv_write_text(report->out, model_name(report->models[i]));
	}
}

void csv_write_region_names(const struct report *report)
{
	fputs(report->options->per_thread ? "region,thread,thread_name" : "region", report->out);
}

void csv_write_region(const struct report *report, const struct region_analysis *region)
{
	uint32_t thread = region->costed.region->thread;

	csv_write_text(report->out, region->name);
	if (!report->options->per_thread)
		return;
	csv_write_number(report->out, thread + 1); /* PROFILE_NONE + 1 is 0 */
	csv_write_field(report->out, thread == PROFILE_NONE ? NULL : report->profile->threads[thread].name);
}

const char *csv_module(const struct report *report, uint32_t module)
{
	return module == PROFILE_NONE ? NULL : report->profile->modules[module].path;
}

const char *csv_function(const struct report *report, uint32_t function)
{
	return function == PROFILE_NONE ? NULL : report->profile->functions[function].name;
}

const char *csv_file(const struct report *report, uint32_t file)
{
	return file == PROFILE_NONE ? NULL : report->profile->files[file].path;
}
