#include "report/formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cost_split.h"
#include "analysis/inclusive.h"
#include "base/escape.h"
#include "base/units.h"

/* RFC 4180, 2.5 to 2.7, with a line feed for its CRLF. */
void csv_write_field(FILE *out, const char *raw)
{
	char *field = escape_text(raw, ESCAPE_FOR_TERMINAL);

	if (!field[strcspn(field, "\",")]) {
		fputs(field, out);
	} else {
		fputc('"', out);
		for (const char *at = field; *at; at++) {
			if (*at == '"')
				fputc('"', out);
			fputc(*at, out);
		}
		fputc('"', out);
	}
	free(field);
}

void csv_write_section_header(const struct report *report)
{
	fputs(report->options->per_thread ? "region,thread,thread_name" : "region", report->out);
}

void csv_write_section(const struct report *report, const struct section *section)
{
	uint32_t thread = section->region->thread;

	csv_write_field(report->out, section->region_title);
	if (!report->options->per_thread)
		return;
	fputc(',', report->out);
	if (thread != PROFILE_NONE)
		fprintf(report->out, "%" PRIu32, thread + 1);
	fputc(',', report->out);
	if (thread != PROFILE_NONE)
		csv_write_field(report->out, report->profile->threads[thread].name);
}

void csv_write_model_field(const struct report *report, const char *prefix, size_t model)
{
	fprintf(report->out, ",%s", prefix);
	csv_write_field(report->out, model_name(report->models[model]));
}

static void write_header(const struct report *report)
{
	static const char *const columns[] = {
		[GROUP_BY_FORM] = "form,mnemonic,category,isa_extension",
		[GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category",
		[GROUP_BY_ISA_EXTENSION] = "isa_extension",
		[GROUP_BY_FUNCTION] = "function,module",
		[GROUP_BY_FILE] = "file,module",
		[GROUP_BY_LINE] = "file,line,function,module",
		[GROUP_BY_COLUMN] = "file,line,column,function,module",
		[GROUP_BY_INLINED] = "calls,module",
	};

	csv_write_section_header(report);
	fprintf(report->out, ",%s,executions,iterations", columns[report->options->by]);
	for (size_t i = 0; i < report->n_models; i++) {
		csv_write_model_field(report, "cycles_", i);
		csv_write_model_field(report, "match_", i);
	}
	if (inclusive_is_shown(report))
		fputs(",executions_with_calls", report->out);
	for (size_t i = 0; i < report->n_models && inclusive_is_shown(report); i++) {
		csv_write_model_field(report, "cycles_with_calls_", i);
		csv_write_model_field(report, "match_with_calls_", i);
	}
	fputc('\n', report->out);
}

/* Empty fields where the place is not known. */
static void write_place(const struct report *report, const struct profile_group *group)
{
	const struct profile_location *location = &report->profile->locations[group->location];
	enum profile_group_by by = report->options->by;
	FILE *out = report->out;

	if (location->file != PROFILE_NONE)
		csv_write_field(out, report->profile->files[location->file].path);
	if (by == GROUP_BY_FILE)
		return;
	fputc(',', out);
	if (location->line > 0)
		fprintf(out, "%" PRIu32, location->line);
	if (by == GROUP_BY_COLUMN)
		fputc(',', out);
	if (by == GROUP_BY_COLUMN && location->column > 0)
		fprintf(out, "%" PRIu32, location->column);
	fputc(',', out);
	if (group->function != PROFILE_NONE)
		csv_write_field(out, report->profile->functions[group->function].name);
}

static void write_group(const struct report *report, const struct profile_group *group)
{
	enum profile_group_by by = report->options->by;
	FILE *out = report->out;

	if (profile_group_by_is_source(by) && by != GROUP_BY_INLINED)
		write_place(report, group);
	else
		csv_write_field(out, group->name);
	if (by == GROUP_BY_FORM) {
		const struct form *form = &report->profile->forms[group->parts[0].form].form;

		fputc(',', out);
		csv_write_field(out, form->mnemonic);
		fputc(',', out);
		csv_write_field(out, form->category);
		fputc(',', out);
		csv_write_field(out, form->isa_extension);
	} else if (by == GROUP_BY_FUNCTION || profile_group_by_is_source(by)) {
		fputc(',', out);
		if (group->module != PROFILE_NONE)
			csv_write_field(out, report->profile->modules[group->module].path);
	}
}

void csv_write_figure(FILE *out, struct figure figure)
{
	static const char *const matches[] = {
		[FIGURE_EXACT] = "exact",
		[FIGURE_FALLBACK] = "fallback",
		[FIGURE_PARTIAL] = "partial",
		[FIGURE_UNKNOWN] = "unknown",
	};
	bool has_cycles = figure.kind != FIGURE_UNKNOWN;

	fprintf(out, ",%s,%s", has_cycles ? units_cycles_exact(figure.mcyc).text : "", matches[figure.kind]);
}

/* Empty fields in a region without a call tree, as signal handlers have none. */
static void write_inclusive(const struct report *report, const uint64_t *costs)
{
	fputc(',', report->out);
	if (costs)
		fprintf(report->out, "%" PRIu64, costs[COST_EXECUTIONS]);
	for (size_t i = 0; i < report->n_models; i++) {
		if (costs)
			csv_write_figure(report->out, cost_figure(costs, report->n_models, i));
		else
			fputs(",,", report->out);
	}
}

static void write_row(const struct report *report, const struct section *section, const struct profile_group *group,
		      const struct inclusive *inclusive)
{
	FILE *out = report->out;

	csv_write_section(report, section);
	fputc(',', out);
	write_group(report, group);
	fprintf(out, ",%" PRIu64 ",%" PRIu64, group->executions, group->iterations);
	for (size_t i = 0; i < report->n_models; i++)
		csv_write_figure(out, figure_of_group(&section->estimates[i], group));
	if (inclusive_is_shown(report))
		write_inclusive(report, inclusive_of(inclusive, group));
	fputc('\n', out);
}

void report_write_csv(const struct report *report)
{
	if (report->options->view == REPORT_VIEW_TREE) {
		report_write_csv_tree(report);
		return;
	}
	if (report->options->view == REPORT_VIEW_CHARGES) {
		report_write_csv_charges(report);
		return;
	}
	if (report->options->view == REPORT_VIEW_MEMORY) {
		report_write_csv_memory(report);
		return;
	}
	write_header(report);
	for (size_t i = 0; i < report->sections->n_sections; i++) {
		const struct section *section = &report->sections->sections[i];
		struct inclusive inclusive;
		struct ranking ranking;

		inclusive_init(&inclusive, report, section);
		ranking_init(&ranking, report->profile, section, report->options->by);
		for (size_t k = 0; k < ranking.groups.n_groups; k++)
			write_row(report, section, ranking.rows[k].group, &inclusive);
		ranking_deinit(&ranking);
		inclusive_deinit(&inclusive);
	}
}
