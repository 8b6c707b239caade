/* The profile format of Valgrind's callgrind (valgrind.org/docs/manual/cl-format.html), for KCachegrind and
 * callgrind_annotate. Executions and the cycles on each model are events. Each region is a part. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "report/writer.h"

#define UNKNOWN_NAME "???" /* callgrind's own word */

struct callgrind {
	const struct report *report;
	const struct call_tree *tree;
	/* True if the name has been written; later references are numbers. The last file and the last module are the
	 * unknown ones. */
	bool *has_function, *has_file, *has_module;
	uint64_t *rest_mcyc; /* [n_models] remainder of rounding, initially half a cycle */
	uint32_t file;	     /* file of the rows that are written next */
};

/* Rounds to whole cycles and carries the remainder over, so that a sum over consecutive costs is rounded once. */
static uint64_t round_cycles(uint64_t mcyc, uint64_t *rest_mcyc)
{
	uint64_t sum = mcyc + *rest_mcyc;

	*rest_mcyc = sum % MCYC_PER_CYCLE;
	return sum / MCYC_PER_CYCLE;
}

static void write_costs(const struct callgrind *callgrind, const uint64_t *costs, uint64_t *rests_mcyc)
{
	FILE *out = callgrind->report->out;

	fprintf(out, " %" PRIu64, costs[0]);
	for (size_t i = 0; i < callgrind->report->n_models; i++) {
		uint64_t half_mcyc = MCYC_PER_CYCLE / 2;

		fprintf(out, " %" PRIu64, round_cycles(costs[1 + i], rests_mcyc ? &rests_mcyc[i] : &half_mcyc));
	}
	fputc('\n', out);
}

static void write_name(const struct callgrind *callgrind, const char *key, bool *is_written, size_t number,
		       const char *raw)
{
	FILE *out = callgrind->report->out;
	char *name;

	fprintf(out, "%s=(%zu)", key, number + 1);
	if (!is_written[number]) {
		name = escape_text(raw, ESCAPE_FOR_TERMINAL);
		fprintf(out, " %s", name);
		free(name);
		is_written[number] = true;
	}
	fputc('\n', out);
}

static void write_module(struct callgrind *callgrind, const char *key, uint32_t module)
{
	const struct profile *profile = callgrind->report->profile;

	if (module == PROFILE_NONE)
		write_name(callgrind, key, callgrind->has_module, profile->n_modules, UNKNOWN_NAME);
	else
		write_name(callgrind, key, callgrind->has_module, module, profile->modules[module].path);
}

static void write_file(struct callgrind *callgrind, const char *key, uint32_t file)
{
	const struct profile *profile = callgrind->report->profile;

	if (file == PROFILE_NONE)
		write_name(callgrind, key, callgrind->has_file, profile->n_files, UNKNOWN_NAME);
	else
		write_name(callgrind, key, callgrind->has_file, file, profile->files[file].path);
}

static const struct profile_location *location_of(const struct callgrind *callgrind, uint32_t insn)
{
	const struct profile *profile = callgrind->report->profile;
	uint32_t location = profile->insns[insn].location;

	return location < profile->n_locations ? &profile->locations[location] : NULL;
}

/* Returns the file of the function itself, not that of an inlined body. */
static uint32_t file_of_function(const struct callgrind *callgrind, uint32_t function)
{
	const struct profile_location *location = location_of(callgrind, callgrind->tree->functions[function].entry);
	const struct profile_inlined *inlined = callgrind->report->profile->inlined;
	uint32_t call;

	if (!location || location->inlined == PROFILE_NONE)
		return location ? location->file : PROFILE_NONE;
	for (call = location->inlined; inlined[call].caller != PROFILE_NONE; call = inlined[call].caller)
		;
	return inlined[call].file;
}

static void write_position(const struct callgrind *callgrind, uint32_t insn)
{
	const struct profile *profile = callgrind->report->profile;
	const struct profile_insn *at = &profile->insns[insn];
	const struct profile_location *location = location_of(callgrind, insn);
	uint64_t bias = at->module == PROFILE_NONE ? 0 : profile->modules[at->module].bias;

	fprintf(callgrind->report->out, "0x%" PRIx64 " %" PRIu32, at->va - bias, location ? location->line : 0);
}

static void write_call(struct callgrind *callgrind, const struct call_row *row)
{
	const struct call_function *callee = &callgrind->tree->functions[row->callee];

	write_module(callgrind, "cob", callee->module);
	write_file(callgrind, "cfi", file_of_function(callgrind, row->callee));
	write_name(callgrind, "cfn", callgrind->has_function, row->callee, callee->name);
	fprintf(callgrind->report->out, "calls=%" PRIu64 " ", row->count);
	write_position(callgrind, callee->entry);
	fputc('\n', callgrind->report->out);
	write_position(callgrind, row->insn);
	write_costs(callgrind, row->costs, NULL);
}

static void begin_function(struct callgrind *callgrind, uint32_t function)
{
	const struct call_function *begun = &callgrind->tree->functions[function];

	fputc('\n', callgrind->report->out);
	callgrind->file = file_of_function(callgrind, function);
	write_module(callgrind, "ob", begun->module);
	write_file(callgrind, "fl", callgrind->file);
	write_name(callgrind, "fn", callgrind->has_function, function, begun->name);
}

static void write_row(struct callgrind *callgrind, const struct call_row *row)
{
	const struct profile_location *location = location_of(callgrind, row->insn);
	uint32_t own_file = file_of_function(callgrind, row->function);
	uint32_t file = location && location->file != PROFILE_NONE ? location->file : own_file;

	if (file != callgrind->file)
		write_file(callgrind, file == own_file ? "fe" : "fi", file);
	callgrind->file = file;
	if (row->callee != PROFILE_NONE) {
		write_call(callgrind, row);
		return;
	}
	write_position(callgrind, row->insn);
	write_costs(callgrind, row->costs, callgrind->rest_mcyc);
}

/* An event's name has letters, digits and underscores. */
static void write_event(FILE *out, const char *model)
{
	if (!isalpha((unsigned char)model[0]))
		fputc('m', out);
	for (const char *c = model; *c; c++)
		fputc(isalnum((unsigned char)*c) ? *c : '_', out);
}

static void write_text(FILE *out, const char *key, const char *raw)
{
	char *text = escape_text(raw, ESCAPE_FOR_TERMINAL);

	fprintf(out, "%s%s", key, text);
	free(text);
}

static void write_part_head(struct callgrind *callgrind, const struct region_analysis *region, size_t part)
{
	const struct report *report = callgrind->report;
	uint64_t *costs = xcalloc(1 + report->n_models, sizeof(*costs));
	FILE *out = report->out;

	fprintf(out, "part: %zu\n", part);
	write_text(out, "desc: Trigger: region ", region->title);
	fputs("\npositions: instr line\nevent: Ir : instructions executed\n", out);
	for (size_t i = 0; i < report->n_models; i++) {
		fputs("event: ", out);
		write_event(out, model_name(report->models[i]));
		write_text(out, " : cycles on ", model_title(report->models[i]));
		fputc('\n', out);
		costs[1 + i] = (uint64_t)region->estimates[i].total_mcyc;
	}
	fputs("events: Ir", out);
	for (size_t i = 0; i < report->n_models; i++) {
		fputc(' ', out);
		write_event(out, model_name(report->models[i]));
	}
	fputs("\nsummary:", out);
	costs[0] = region->executions;
	write_costs(callgrind, costs, NULL);
	free(costs);
}

static void write_part(const struct report *report, const struct region_analysis *region, size_t part)
{
	struct callgrind callgrind = {.report = report, .tree = &region->call_tree};
	const struct call_rows *rows = &region->call_rows;

	callgrind.rest_mcyc = xcalloc(report->n_models, sizeof(*callgrind.rest_mcyc));
	for (size_t i = 0; i < report->n_models; i++)
		callgrind.rest_mcyc[i] = MCYC_PER_CYCLE / 2;
	callgrind.has_function = xcalloc(callgrind.tree->n_functions, sizeof(bool));
	callgrind.has_file = xcalloc(report->profile->n_files + 1, sizeof(bool));
	callgrind.has_module = xcalloc(report->profile->n_modules + 1, sizeof(bool));
	write_part_head(&callgrind, region, part);
	for (size_t i = 0; i < rows->n_rows; i++) {
		if (i == 0 || rows->rows[i].function != rows->rows[i - 1].function)
			begin_function(&callgrind, rows->rows[i].function);
		write_row(&callgrind, &rows->rows[i]);
	}
	free(callgrind.has_function);
	free(callgrind.has_file);
	free(callgrind.has_module);
	free(callgrind.rest_mcyc);
}

void callgrind_write_report(const struct report *report)
{
	size_t n_parts = 0;

	fputs("# callgrind format\nversion: 1\ncreator: itrace-" ITRACE_VERSION "\npid: 0\ncmd:", report->out);
	for (char **arg = report->profile->argv; arg && *arg; arg++)
		write_text(report->out, " ", *arg);
	fputc('\n', report->out);
	for (size_t i = 0; i < report->analysis->n_regions; i++) {
		const struct region_analysis *region = &report->analysis->regions[i];

		if (!region->costed.region->n_contexts)
			continue;
		if (n_parts++)
			fputc('\n', report->out);
		write_part(report, region, n_parts);
	}
}
