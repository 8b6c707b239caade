#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/json/region.h"

/* The version of annotate.schema.json. */
#define FORMAT_VERSION 1

static json_t *json_cycle_sums(const struct report *report, const struct cycle_sum *sums)
{
	json_t *estimates = json_array();

	for (size_t i = 0; i < report->n_models; i++)
		json_add(estimates, json_members("model", json_text(model_name(report->models[i])), "cycles",
						 json_cycle_sum(sums[i]), "is_partial",
						 json_boolean(sums[i].kind >= CYCLE_SUM_PARTIAL), NULL));
	return estimates;
}

static json_t *json_insn(const struct report *report, const struct region_analysis *region, uint32_t index)
{
	const struct profile *profile = report->profile;
	const struct profile_insn *insn = &profile->insns[index];
	const struct profile_location *location = &profile->locations[insn->location];
	uint64_t bias = insn->module == PROFILE_NONE ? 0 : profile->modules[insn->module].bias;
	struct cycle_sum *sums = xcalloc(report->n_models, sizeof(*sums));
	char address[32], bytes[2 * INSN_MAX_BYTES + 1] = "", text[256];
	json_t *object = json_object();

	for (size_t i = 0; i < report->n_models; i++)
		sums[i] = cycle_sum_of_insn(&region->costed, i, index);
	for (size_t i = 0; i < insn->length; i++)
		sprintf(bytes + 2 * i, "%02x", insn->bytes[i]);
	snprintf(address, sizeof(address), "0x%" PRIx64, insn->va - bias);
	insn_disassemble(insn->bytes, insn->length, insn->va - bias, text, sizeof(text));
	json_set(object, "module", json_module(profile, insn->module));
	json_set(object, "address", json_string(address));
	json_set(object, "bytes", json_string(bytes));
	json_set(object, "disassembly", json_string(text));
	json_set(object, "function", json_function(profile, insn->function));
	json_set(object, "column", json_nonzero(location->column));
	json_set(object, "calls", json_inlined(profile, location->inlined));
	json_set(object, "executions", json_count(region->costed.region->executions[index]));
	json_set(object, "iterations", json_count(region->costed.region->iterations[index]));
	json_set(object, "estimates", json_cycle_sums(report, sums));
	free(sums);
	return object;
}

static json_t *json_line(const struct report *report, const struct region_analysis *region,
			 const struct annotation_line *line)
{
	const struct source_text *sources = report->options->sources;
	const struct source_text *source = sources && sources[line->file].lines ? &sources[line->file] : NULL;
	bool has_text = source && line->line > 0 && line->line <= source->n_lines;
	json_t *object = json_object(), *insns = json_array();

	for (size_t i = 0; i < line->n_insns; i++)
		json_add(insns, json_insn(report, region, line->insns[i]));
	json_set(object, "line", json_nonzero(line->line));
	json_set(object, "text", json_text(has_text ? source->lines[line->line - 1] : NULL));
	json_set(object, "runs", json_count(line->runs));
	json_set(object, "executions", json_count(line->executions));
	json_set(object, "iterations", json_count(line->iterations));
	json_set(object, "estimates", json_cycle_sums(report, line->sums));
	json_set(object, "instructions", insns);
	return object;
}

static json_t *json_file(const struct report *report, uint32_t file, bool is_own, json_t *lines)
{
	static const char *const states[] = {
		[SOURCE_MISSING] = "missing",
		[SOURCE_SAME] = "same",
		[SOURCE_CHANGED_SINCE_RUN] = "changed_since_run",
		[SOURCE_NEWER] = "newer_than_program",
	};
	const struct source_text *sources = report->options->sources;

	return json_members("path", json_path(report->profile, file), "is_own", json_boolean(is_own), "text",
			    json_string(states[sources ? sources[file].state : SOURCE_MISSING]), "lines", lines, NULL);
}

static json_t *json_annotated_region(const struct report *report, const struct region_analysis *region)
{
	const struct annotation *annotation = &region->annotation;
	json_t *object = json_region(report, region), *files = json_array(), *without = json_array(), *lines = NULL;
	bool is_own = false;

	for (size_t i = 0; i < annotation->n_lines; i++) {
		const struct annotation_line *line = &annotation->lines[i];
		bool is_last = i + 1 == annotation->n_lines || line[1].file != line->file;

		if (line->is_selected && line->file == PROFILE_NONE)
			json_add(without, json_insn(report, region, line->insns[0]));
		if (line->file == PROFILE_NONE)
			continue;
		if (line->is_selected) {
			lines = lines ? lines : json_array();
			json_add(lines, json_line(report, region, line));
			is_own |= line->is_own;
		}
		if (!is_last || !lines)
			continue;
		json_add(files, json_file(report, line->file, is_own, lines));
		lines = NULL;
		is_own = false;
	}
	json_set(object, "files", files);
	json_set(object, "without_lines", without);
	return object;
}

void json_write_annotation(const struct report *report)
{
	json_write_regions(report, FORMAT_VERSION, json_annotated_region);
}
