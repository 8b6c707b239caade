#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/annotation.h"
#include "base/array.h"
#include "report/json/parts.h"

/* annotate.schema.json describes what is written here. */
#define FORMAT_VERSION 1

static json_t *json_figures(const struct report *report, const struct figure *figures)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++) {
		json_t *object = json_object();

		json_set(object, "model", json_text(model_name(report->models[i])));
		json_set(object, "cycles", json_figure(figures[i]));
		json_set(object, "is_partial", json_boolean(figures[i].kind >= FIGURE_PARTIAL));
		json_add(estimates, object);
	}
	return estimates;
}

static json_t *json_hex(uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_string(text);
}

static json_t *json_insn(const struct report *report, const struct section *section, uint32_t index)
{
	const struct profile *profile = report->profile;
	const struct profile_insn *insn = &profile->insns[index];
	const struct profile_location *location = &profile->locations[insn->location];
	bool has_module = insn->module != PROFILE_NONE;
	uint64_t bias = has_module ? profile->modules[insn->module].bias : 0;
	struct figure *figures = xcalloc(report->n_models, sizeof(*figures));
	char bytes[2 * INSN_MAX_BYTES + 1] = "", text[256];
	json_t *object = json_object();

	for (size_t i = 0; i < report->n_models; i++)
		figures[i] = annotate_insn_figure(&section->estimates[i], profile, index);
	for (size_t i = 0; i < insn->length; i++)
		sprintf(bytes + 2 * i, "%02x", insn->bytes[i]);
	insn_disassemble(insn->bytes, insn->length, insn->va - bias, text, sizeof(text));
	json_set(object, "module", has_module ? json_text(profile->modules[insn->module].path) : json_null());
	json_set(object, "address", json_hex(insn->va - bias));
	json_set(object, "bytes", json_string(bytes));
	json_set(object, "disassembly", json_string(text));
	json_set(object, "function",
		 insn->function == PROFILE_NONE ? json_null() : json_text(profile->functions[insn->function].name));
	json_set(object, "column", json_number(location->column));
	json_set(object, "calls", json_calls(profile, location->inlined));
	json_set(object, "executions", json_count(section->region->executions[index]));
	json_set(object, "iterations", json_count(section->region->iterations[index]));
	json_set(object, "estimates", json_figures(report, figures));
	free(figures);
	return object;
}

static json_t *json_line(const struct report *report, const struct section *section, const struct annotate_place *place)
{
	const struct source_text *sources = report->options->sources;
	const struct source_text *source = sources && sources[place->file].lines ? &sources[place->file] : NULL;
	bool has_text = source && place->line > 0 && place->line <= source->n_lines;
	json_t *object = json_object(), *insns = json_array();

	for (size_t i = 0; i < place->n_insns; i++)
		json_add(insns, json_insn(report, section, place->insns[i]));
	json_set(object, "line", json_number(place->line));
	json_set(object, "text", has_text ? json_text(source->lines[place->line - 1]) : json_null());
	json_set(object, "executions", json_count(place->executions));
	json_set(object, "iterations", json_count(place->iterations));
	json_set(object, "estimates", json_figures(report, place->figures));
	json_set(object, "instructions", insns);
	return object;
}

static json_t *json_file(const struct report *report, uint32_t file, json_t *lines)
{
	static const char *const states[] = {
		[SOURCE_MISSING] = "missing",
		[SOURCE_SAME] = "same",
		[SOURCE_CHANGED_SINCE_RUN] = "changed_since_run",
		[SOURCE_NEWER] = "newer_than_program",
	};
	const struct source_text *sources = report->options->sources;
	json_t *object = json_object();

	json_set(object, "path", json_path(report->profile, file));
	json_set(object, "text", json_string(states[sources ? sources[file].state : SOURCE_MISSING]));
	json_set(object, "lines", lines);
	return object;
}

static json_t *json_region(const struct report *report, const struct section *section)
{
	json_t *object = json_section(report, section), *files = json_array(), *without = json_array(), *lines = NULL;
	struct annotation annotation;

	annotation_init(&annotation, report, section);
	for (size_t i = 0; i < annotation.n_places; i++) {
		const struct annotate_place *place = &annotation.places[i];

		if (place->file == PROFILE_NONE) {
			json_add(without, json_insn(report, section, place->insn));
			continue;
		}
		if (i == 0 || place[-1].file != place->file)
			lines = json_array();
		json_add(lines, json_line(report, section, place));
		if (i + 1 == annotation.n_places || place[1].file != place->file)
			json_add(files, json_file(report, place->file, lines));
	}
	annotation_deinit(&annotation);
	json_set(object, "files", files);
	json_set(object, "without_lines", without);
	return object;
}

void report_write_annotate_json(const struct report *report)
{
	json_write_sections(report, FORMAT_VERSION, json_region);
}
