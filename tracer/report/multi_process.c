#include "report/multi_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"

void multi_process_deinit(struct multi_process *processes)
{
	for (size_t i = 0; i < processes->n_sums; i++)
		free(processes->sums[i].region);
	free(processes->sums);
	*processes = (struct multi_process){0};
}

static struct multi_process_sum *find_sum(struct multi_process *processes, const char *region)
{
	struct multi_process_sum *sum;

	for (size_t i = 0; i < processes->n_sums; i++)
		if (strcmp(processes->sums[i].region, region) == 0)
			return &processes->sums[i];
	sum = ARRAY_ADD(processes, sums);
	*sum = (struct multi_process_sum){.region = xstrdup(region)};
	return sum;
}

static void add_to_sums(struct multi_process *processes, const struct run_analysis *analysis)
{
	for (size_t i = 0; i < analysis->n_regions; i++) {
		const struct profile_region *region = analysis->regions[i].costed.region;
		struct multi_process_sum *sum;

		if (region->handlers_of != PROFILE_NONE || region->all_threads_region != PROFILE_NONE)
			continue;
		sum = find_sum(processes, region->name);
		sum->visits += region->visits;
		sum->instructions += analysis->regions[i].executions;
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

/* Adds the process as the first column. Only the first table has a header. */
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

static void write_csv(FILE *out, const struct report_options *options, const struct run_analysis *analysis,
		      bool is_first)
{
	size_t n_bytes = 0;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &n_bytes);

	if (!memory)
		return;
	report_write(memory, options, analysis);
	if (fclose(memory) == 0)
		write_table(out, text, analysis->profile->pid, is_first);
	free(text);
}

void multi_process_write(struct multi_process *processes, FILE *out, const struct report_options *options,
			 const struct run_analysis *analysis)
{
	bool is_first = processes->n_reports++ == 0;

	add_to_sums(processes, analysis);
	if (options->format == REPORT_CSV) {
		write_csv(out, options, analysis, is_first);
		return;
	}
	if (options->format == REPORT_JSON) {
		fputs(is_first ? "[\n" : ",\n", out);
	} else {
		fputs(is_first ? "" : "\n", out);
		write_heading(out, analysis->profile);
	}
	report_write(out, options, analysis);
}

static void write_sums(const struct multi_process *processes, FILE *out)
{
	fputc('\n', out);
	for (size_t i = 0; i < processes->n_sums; i++) {
		const struct multi_process_sum *sum = &processes->sums[i];
		char *region = escape_text(sum->region[0] ? sum->region : "(unnamed)", ESCAPE_FOR_TERMINAL);

		fprintf(out, "%s in %s process%s: %s visit%s", region, units_count(sum->n_processes).text,
			sum->n_processes == 1 ? "" : "es", units_count(sum->visits).text, sum->visits == 1 ? "" : "s");
		fprintf(out, ", %s instruction%s\n", units_count(sum->instructions).text,
			sum->instructions == 1 ? "" : "s");
		free(region);
	}
}

void multi_process_end(struct multi_process *processes, FILE *out, const struct report_options *options)
{
	if (options->format == REPORT_TEXT)
		write_sums(processes, out);
	else if (options->format == REPORT_JSON)
		fputs(processes->n_reports ? "]\n" : "[]\n", out);
}
