#include "report/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"

void report_series_deinit(struct report_series *series)
{
	for (size_t i = 0; i < series->n_sums; i++)
		free(series->sums[i].region);
	free(series->sums);
	*series = (struct report_series){0};
}

static struct report_series_sum *find_sum(struct report_series *series, const char *region)
{
	struct report_series_sum *sum;

	for (size_t i = 0; i < series->n_sums; i++)
		if (strcmp(series->sums[i].region, region) == 0)
			return &series->sums[i];
	sum = ARRAY_ADD(series, sums);
	*sum = (struct report_series_sum){.region = xstrdup(region)};
	return sum;
}

static bool is_selected(const struct profile_region *region, const struct report_options *options)
{
	bool selected = !options->n_only_regions;

	for (size_t i = 0; i < options->n_only_regions; i++)
		selected |= strcmp(options->only_regions[i], region->name) == 0;
	return selected && region->visits && region->handlers_of == PROFILE_NONE && region->part_of == PROFILE_NONE;
}

static void add_to_sums(struct report_series *series, const struct profile *profile,
			const struct report_options *options)
{
	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		struct report_series_sum *sum;

		if (!is_selected(region, options))
			continue;
		sum = find_sum(series, region->name);
		sum->visits += region->visits;
		sum->instructions += profile_region_executions(region);
		sum->n_processes++;
	}
}

static void write_heading(FILE *out, const struct profile *profile)
{
	fprintf(out, "process %d:", (int)profile->pid);
	for (char **arg = profile->argv; arg && *arg; arg++) {
		char *shown = escape_text(*arg, ESCAPE_FOR_TERMINAL);

		fprintf(out, " %s", shown);
		free(shown);
	}
	fputs("\n\n", out);
}

/* Every line gets a column in front; the header is written once. */
static void write_table(FILE *out, const char *table, int32_t pid, bool is_first)
{
	bool is_header = true;

	while (*table) {
		size_t length = strcspn(table, "\n");

		if (is_header && is_first)
			fprintf(out, "process,%.*s\n", (int)length, table);
		else if (!is_header)
			fprintf(out, "%" PRId32 ",%.*s\n", pid, (int)length, table);
		is_header = false;
		table += length + (table[length] == '\n');
	}
}

void report_series_write(struct report_series *series, FILE *out, const struct profile *profile,
			 const struct model *const *models, size_t n_models, const struct report_options *options)
{
	bool is_first = series->n_reports++ == 0;
	size_t n_bytes = 0;
	char *text = NULL;
	FILE *memory;

	add_to_sums(series, profile, options);
	switch (options->format) {
	case REPORT_JSON:
		fputs(is_first ? "[\n" : ",\n", out);
		report_write(out, profile, models, n_models, options);
		break;
	case REPORT_CSV:
		memory = open_memstream(&text, &n_bytes);
		if (!memory)
			break;
		report_write(memory, profile, models, n_models, options);
		if (fclose(memory) == 0)
			write_table(out, text, profile->pid, is_first);
		free(text);
		break;
	default:
		if (!is_first)
			fputc('\n', out);
		write_heading(out, profile);
		report_write(out, profile, models, n_models, options);
		break;
	}
}

static void write_sums(const struct report_series *series, FILE *out)
{
	fputc('\n', out);
	for (size_t i = 0; i < series->n_sums; i++) {
		const struct report_series_sum *sum = &series->sums[i];
		char *region = escape_text(sum->region[0] ? sum->region : "(unnamed)", ESCAPE_FOR_TERMINAL);

		fprintf(out, "%s in %s process%s: %s visit%s", region, units_count(sum->n_processes).text,
			sum->n_processes == 1 ? "" : "es", units_count(sum->visits).text, sum->visits == 1 ? "" : "s");
		fprintf(out, ", %s instruction%s\n", units_count(sum->instructions).text,
			sum->instructions == 1 ? "" : "s");
		free(region);
	}
}

void report_series_end(struct report_series *series, FILE *out, const struct report_options *options)
{
	if (options->format == REPORT_TEXT)
		write_sums(series, out);
	else if (options->format == REPORT_JSON)
		fputs(series->n_reports ? "]\n" : "[]\n", out);
}
