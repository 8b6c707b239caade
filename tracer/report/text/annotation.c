#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/annotation.h"
#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/labels.h"
#include "report/text/layout.h"
#include "report/text/marks.h"
#include "report/text/sentences.h"

/* The share of the cycles from which on a row stands out. */
#define HIGHLIGHT_PERCENT 10

#define TAB_COLUMNS 8

struct writer {
	const struct report *report;
	const struct section *section;
	const struct annotation *annotation;
	struct table table;
	bool *marks_used;
};

/* Count, cycles on the first model, share, cycles on the others, line. */
enum { COLUMN_COUNT, COLUMN_CYCLES, COLUMN_SHARE, N_FIXED_COLUMNS };

static size_t model_column(size_t model)
{
	return model == 0 ? COLUMN_CYCLES : N_FIXED_COLUMNS + model - 1;
}

static size_t line_column(const struct writer *writer)
{
	return N_FIXED_COLUMNS + writer->report->n_models - 1;
}

static void set_label(struct writer *writer, const char *raw)
{
	char *label = escape_text(raw, ESCAPE_FOR_TERMINAL);

	table_set_label(&writer->table, label);
	free(label);
}

static void add_headings(struct writer *writer)
{
	size_t n_models = writer->report->n_models;

	table_add_row(&writer->table)->is_heading = true;
	for (size_t i = 0; i < n_models; i++)
		table_set_cell(&writer->table, model_column(i), "cycles");
	if (n_models > 1)
		table_add_row(&writer->table)->is_heading = true;
	for (size_t i = 0; i < n_models && n_models > 1; i++) {
		char *name = escape_text(model_name(writer->report->models[i]), ESCAPE_FOR_TERMINAL);

		table_set_cell(&writer->table, model_column(i), name);
		free(name);
	}
	table_set_cell(&writer->table, COLUMN_COUNT, "count");
	table_set_cell(&writer->table, COLUMN_SHARE, "share");
	table_set_cell(&writer->table, line_column(writer), "line");
	table_set_label(&writer->table, "source");
}

static void add_row(struct writer *writer, uint64_t executions, const struct figure *figures, bool with_share)
{
	mcyc_t whole = writer->section->estimates[0].ranked_mcyc;
	struct table_row *row = table_add_row(&writer->table);

	table_set_cell(&writer->table, COLUMN_COUNT, units_count(executions).text);
	for (size_t i = 0; i < writer->report->n_models; i++)
		mark_set_cell(&writer->table, model_column(i), mark_of_figure(figures[i]),
			      units_cycles(figures[i].mcyc).text, writer->marks_used);
	if (!with_share)
		return;
	mark_set_cell(&writer->table, COLUMN_SHARE, figures[0].kind == FIGURE_UNKNOWN ? MARK_UNKNOWN : MARK_NONE,
		      units_share((uint64_t)figures[0].mcyc, (uint64_t)whole).text, writer->marks_used);
	if (figures[0].mcyc > 0 && figures[0].mcyc >= whole / 100 * HIGHLIGHT_PERCENT)
		row->highlighted = COLUMN_SHARE;
}

/* As a terminal shows it, to be freed. */
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

static const struct source_text *source_of(const struct writer *writer, uint32_t file)
{
	const struct source_text *sources = writer->report->options->sources;

	return file != PROFILE_NONE && sources && sources[file].lines ? &sources[file] : NULL;
}

static char *function_label(const struct writer *writer, uint32_t insn)
{
	const struct profile *profile = writer->report->profile;
	uint32_t function = profile_source_function(profile, &profile->insns[insn]);

	return xstrdup(function == PROFILE_NONE ? "(no function)" : profile->functions[function].name);
}

static char *excerpt_label(const struct writer *writer, const struct annotate_excerpt *excerpt)
{
	const struct profile *profile = writer->report->profile;
	const struct annotate_place *top = &writer->annotation->places[excerpt->top];
	const struct profile_insn *insn = &profile->insns[top->insn];
	char *function = function_label(writer, top->insn), *label;
	uint32_t module = insn->module;

	if (top->file != PROFILE_NONE) {
		label = xasprintf("%s, %s", writer->report->short_paths[top->file], function);
	} else if (insn->function != PROFILE_NONE && profile_function_is_module(profile, insn->function)) {
		label = xasprintf("%s, outside any symbol", function);
	} else if (module != PROFILE_NONE) {
		label = xasprintf("%s [%s]", function, path_file_name(profile->modules[module].path));
	} else {
		label = xstrdup(function);
	}
	free(function);
	return label;
}

static const char *state_note(const struct writer *writer, uint32_t file)
{
	return file == PROFILE_NONE ? NULL : label_source_state(writer->report, file);
}

static void add_insn(struct writer *writer, uint32_t index, bool with_share)
{
	const struct profile *profile = writer->report->profile;
	const struct profile_insn *insn = &profile->insns[index];
	uint64_t bias = insn->module == PROFILE_NONE ? 0 : profile->modules[insn->module].bias;
	struct figure *figures = xcalloc(writer->report->n_models, sizeof(*figures));
	char text[256], *label;

	for (size_t i = 0; i < writer->report->n_models; i++)
		figures[i] = annotate_insn_figure(&writer->section->estimates[i], profile, index);
	add_row(writer, writer->section->region->executions[index], figures, with_share);
	insn_disassemble(insn->bytes, insn->length, insn->va - bias, text, sizeof(text));
	label = xasprintf("%s%8" PRIx64 "  %s", with_share ? "" : "  ", insn->va - bias, text);
	set_label(writer, label);
	free(label);
	free(figures);
}

static void add_line(struct writer *writer, uint32_t line, const struct annotate_place *place,
		     const struct source_text *source)
{
	char number[16];

	if (place)
		add_row(writer, place->executions, place->figures, true);
	else
		table_add_row(&writer->table);
	snprintf(number, sizeof(number), "%" PRIu32, line);
	table_set_cell(&writer->table, line_column(writer), number);
	if (source && line <= source->n_lines && line > 0) {
		char *text = expand_tabs(source->lines[line - 1]);

		if (text[0])
			set_label(writer, text);
		free(text);
	} else if (place) {
		char *function = function_label(writer, place->insn);

		set_label(writer, function);
		free(function);
	}
	/* Without the text the instructions are all that there is to see. */
	for (size_t i = 0; place && i < place->n_insns && (writer->report->options->insns || !source); i++)
		add_insn(writer, place->insns[i], false);
}

static void add_lines(struct writer *writer, const struct annotate_excerpt *excerpt, uint32_t file)
{
	const struct annotate_place *place = &writer->annotation->places[excerpt->first],
				    *end = place + excerpt->n_places;
	const struct source_text *source = source_of(writer, file);
	uint32_t last_line = excerpt->last_line;

	if (source && last_line > source->n_lines)
		last_line = source->n_lines > end[-1].line ? (uint32_t)source->n_lines : end[-1].line;
	if (!source) {
		for (; place < end; place++)
			add_line(writer, place->line, place, NULL);
		return;
	}
	for (uint32_t line = excerpt->first_line; line <= last_line; line++) {
		bool has_place = place < end && place->line == line;

		/* Of a text that has grown shorter only the lines that ran. */
		if (has_place || line <= source->n_lines)
			add_line(writer, line, has_place ? place : NULL, source);
		place += has_place;
		if (line > source->n_lines && place < end)
			line = place->line - 1;
	}
}

static void add_excerpt(struct writer *writer, const struct annotate_excerpt *excerpt)
{
	const struct annotate_place *places = &writer->annotation->places[excerpt->first];
	const char *note = state_note(writer, places->file);
	char *label = excerpt_label(writer, excerpt);

	table_add_row(&writer->table);
	add_row(writer, excerpt->executions, excerpt->figures, true);
	writer->table.rows[writer->table.n_rows - 1].is_heading = true;
	set_label(writer, label);
	free(label);
	if (note) {
		table_add_row(&writer->table);
		table_set_label(&writer->table, note);
	}
	if (places->file != PROFILE_NONE) {
		add_lines(writer, excerpt, places->file);
		return;
	}
	for (size_t i = 0; i < excerpt->n_places; i++)
		add_insn(writer, places[i].insn, true);
}

static void add_totals(struct writer *writer)
{
	const struct annotation *annotation = writer->annotation;
	const struct estimate *estimates = writer->section->estimates;

	table_add_row(&writer->table);
	if (annotation->n_rest > 0) {
		char *label = xasprintf("%s more lines and instructions without one (--top 0 for all)",
					units_count(annotation->n_rest).text);

		add_row(writer, annotation->rest_executions, annotation->rest, true);
		table_set_label(&writer->table, label);
		free(label);
	}
	table_add_row(&writer->table);
	table_set_cell(&writer->table, COLUMN_COUNT, units_count(writer->section->executions).text);
	for (size_t i = 0; i < writer->report->n_models; i++)
		mark_set_cell(&writer->table, model_column(i), mark_of_total(&estimates[i]),
			      units_cycles(estimates[i].ranked_mcyc).text, writer->marks_used);
	table_set_label(&writer->table, "in all");
}

static void write_section(const struct report *report, const struct section *section, bool *marks_used)
{
	struct annotation annotation;
	struct writer writer = {.report = report,
				.section = section,
				.annotation = &annotation,
				.marks_used = marks_used};

	sentence_write_headline(report, section);
	fputc('\n', report->out);
	if (section->executions + section->iterations == 0)
		return;
	annotation_init(&annotation, report, section);
	table_init(&writer.table, N_FIXED_COLUMNS + report->n_models);
	add_headings(&writer);
	for (size_t i = 0; i < annotation.n_excerpts; i++)
		add_excerpt(&writer, &annotation.excerpts[i]);
	add_totals(&writer);
	table_write(&writer.table, report->out, report->options->width, report->options->color);
	table_deinit(&writer.table);
	annotation_deinit(&annotation);
	fputc('\n', report->out);
}

void report_write_annotate_text(const struct report *report)
{
	bool marks_used[N_TEXT_MARKS] = {false};

	for (size_t i = 0; i < report->sections->n_sections; i++)
		write_section(report, &report->sections->sections[i], marks_used);
	if (report->sections->n_sections == 0)
		sentence_write(report, "no region was reached");
	sentence_write(report,
		       "cycles on %s are computed from tables, not measured; the most expensive lines come first, "
		       "with those around them",
		       model_name(report->models[0]));
	sentence_write_notes(report);
	marks_write_legend(report, marks_used);
}
