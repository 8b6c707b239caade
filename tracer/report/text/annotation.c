#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/cost_table.h"
#include "report/text/labels.h"
#include "report/text/sentences.h"

#define TAB_COLUMNS 8

/* Source lines are cut to no fewer columns. They are indented, so they need more columns than names. */
#define SOURCE_LEAST_COLUMNS 40

/* Returns a copy with spaces for tabs and without spaces and carriage returns at the end. The caller frees it. */
static char *expand_tabs(const char *line)
{
	char *text = xcalloc(strlen(line) * TAB_COLUMNS + 1, 1), *out = text;
	size_t column = 0;

	for (; *line; line++) {
		bool continues = ((unsigned char)*line & 0xc0) == 0x80;

		if (*line == '\t') {
			do
				*out++ = ' ';
			while (++column % TAB_COLUMNS != 0);
			continue;
		}
		*out++ = *line;
		column += !continues;
	}
	while (out > text && (out[-1] == ' ' || out[-1] == '\r'))
		out--;
	*out = '\0';
	return text;
}

static const struct source_text *source_of(const struct report *report, uint32_t file)
{
	const struct source_text *sources = report->options->sources;

	return file != PROFILE_NONE && sources && sources[file].lines ? &sources[file] : NULL;
}

static const char *function_of(const struct profile *profile, uint32_t insn)
{
	uint32_t function = profile_source_function(profile, &profile->insns[insn]);

	return function == PROFILE_NONE ? "(no function)" : profile->functions[function].name;
}

static void set_excerpt_label(struct cost_table *costs, const struct annotation_excerpt *excerpt)
{
	const struct profile *profile = costs->report->profile;
	const struct annotation_line *top = &costs->region->annotation.lines[excerpt->top];
	const struct profile_insn *insn = &profile->insns[top->insns[0]];
	const char *function = function_of(profile, top->insns[0]);

	if (top->file != PROFILE_NONE)
		table_set_label(&costs->table, "%s, %s", costs->report->short_paths[top->file], function);
	else if (insn->function != PROFILE_NONE && profile_function_is_module(profile, insn->function))
		table_set_label(&costs->table, "%s, outside any symbol", function);
	else if (insn->module != PROFILE_NONE)
		table_set_label(&costs->table, "%s [%s]", function,
				path_file_name(profile->modules[insn->module].path));
	else
		table_set_label(&costs->table, "%s", function);
}

static void add_row(struct cost_table *costs, uint64_t executions, const struct cycle_sum *sums)
{
	table_add_row(&costs->table);
	cost_table_set_row(costs, executions, sums);
	cost_table_set_row_share(costs, sums[0]);
	cost_table_highlight(costs, sums[0]);
}

static void add_insn(struct cost_table *costs, uint32_t index, bool is_below_line)
{
	const struct profile *profile = costs->report->profile;
	const struct profile_insn *insn = &profile->insns[index];
	uint64_t bias = insn->module == PROFILE_NONE ? 0 : profile->modules[insn->module].bias;
	uint64_t executions = costs->region->costed.region->executions[index];
	char text[256];

	for (size_t i = 0; i < costs->report->n_models; i++)
		costs->sums[i] = cycle_sum_of_insn(&costs->region->costed, i, index);
	if (is_below_line) {
		table_add_row(&costs->table);
		cost_table_set_row(costs, executions, costs->sums);
	} else {
		add_row(costs, executions, costs->sums);
	}
	cost_table_set_runs(costs, executions, costs->sums[0]);
	insn_disassemble(insn->bytes, insn->length, insn->va - bias, text, sizeof(text));
	table_set_label(&costs->table, "%s%8" PRIx64 "  %s", is_below_line ? "  " : "", insn->va - bias, text);
}

/* `executed` is NULL for a line that has not run. `source` is NULL if the file's text is missing. */
static void add_line(struct cost_table *costs, uint32_t number, const struct annotation_line *executed,
		     const struct source_text *source)
{
	const struct report *report = costs->report;

	if (executed) {
		add_row(costs, executed->executions, executed->sums);
		cost_table_set_runs(costs, executed->runs, executed->sums[0]);
	} else {
		table_add_row(&costs->table);
	}
	table_set_cell(&costs->table, costs->n_columns, "%" PRIu32, number);
	if (source && number <= source->n_lines && number > 0) {
		char *text = expand_tabs(source->lines[number - 1]);

		if (text[0])
			table_set_label(&costs->table, "%s", text);
		free(text);
	} else if (executed) {
		table_set_label(&costs->table, "%s", function_of(report->profile, executed->insns[0]));
	}
	/* Instructions replace a missing text. */
	for (size_t i = 0; executed && i < executed->n_insns && (report->options->insns || !source); i++)
		add_insn(costs, executed->insns[i], true);
}

static void add_lines(struct cost_table *costs, const struct annotation_excerpt *excerpt, uint32_t file)
{
	const struct annotation_line *next = &costs->region->annotation.lines[excerpt->first],
				     *end = next + excerpt->n_lines;
	const struct source_text *source = source_of(costs->report, file);
	uint32_t last_line = excerpt->last_line;

	if (!source) {
		for (; next < end; next++)
			add_line(costs, next->line, next, NULL);
		return;
	}
	if (last_line > source->n_lines)
		last_line = source->n_lines > end[-1].line ? (uint32_t)source->n_lines : end[-1].line;
	for (uint32_t line = excerpt->first_line; line <= last_line; line++) {
		bool is_executed = next < end && next->line == line;

		/* After the end of a file that has become shorter, only executed lines are shown. */
		if (is_executed || line <= source->n_lines)
			add_line(costs, line, is_executed ? next : NULL, source);
		next += is_executed;
		if (line > source->n_lines && next < end)
			line = next->line - 1;
	}
}

static void add_excerpt(struct cost_table *costs, const struct annotation_excerpt *excerpt)
{
	const struct annotation_line *lines = &costs->region->annotation.lines[excerpt->first];
	const char *note = lines->file == PROFILE_NONE ? NULL : label_source_state(costs->report, lines->file);

	table_add_row(&costs->table);
	add_row(costs, excerpt->executions, excerpt->sums);
	costs->table.rows[costs->table.n_rows - 1].is_heading = true;
	set_excerpt_label(costs, excerpt);
	if (note) {
		table_add_row(&costs->table);
		table_set_label(&costs->table, "%s", note);
	}
	if (lines->file != PROFILE_NONE) {
		add_lines(costs, excerpt, lines->file);
		return;
	}
	for (size_t i = 0; i < excerpt->n_lines; i++)
		add_insn(costs, lines[i].insns[0], false);
}

static void write_table(const struct report *report, const struct region_analysis *region)
{
	const struct annotation *annotation = &region->annotation;
	bool is_filtered = report->options->only_own || report->options->n_file_globs > 0;
	struct cost_table costs;

	cost_table_init(&costs, report, region, COST_TABLE_RUNS, 1);
	costs.table.label_columns = SOURCE_LEAST_COLUMNS;
	cost_table_add_heading(&costs, "source");
	table_set_cell(&costs.table, costs.n_columns, "line");
	for (size_t i = 0; i < annotation->n_excerpts; i++)
		add_excerpt(&costs, &annotation->excerpts[i]);
	table_add_row(&costs.table);
	if (annotation->n_rest > 0) {
		add_row(&costs, annotation->rest_executions, annotation->rest);
		if (is_filtered)
			table_set_label(&costs.table, "%s more", units_count(annotation->n_rest).text);
		else
			label_set_more(&costs.table, annotation->n_rest);
	}
	cost_table_add_total(&costs);
	cost_table_end(&costs);
	fputc('\n', report->out);
	if (annotation->n_selected == 0)
		sentence_write(report, "no executed line is %s",
			       report->options->n_file_globs == 0
				       ? "known to be in the program's own files; build them with -g"
			       : report->options->only_own ? "in one of the program's own files that match --file"
							   : "in a file that matches --file");
}

void text_write_annotation(const struct report *report)
{
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];

		sentence_write_headline(report, region);
		fputc('\n', report->out);
		if (analysis_has_cost(region))
			write_table(report, region);
	}
	if (report->analysis->n_regions == 0)
		sentence_write(report, "no region was reached");
	sentence_write(report,
		       "cycles are computed from models, not measured; the program's own files come first; "
		       "the most expensive lines are shown%s",
		       report->options->context ? " with the lines around them" : "");
	sentence_write_notes(report);
	qualifiers_write_legend(report);
}
