#include "report/block.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/array.h"
#include "base/units.h"
#include "report/text/block_timeline.h"
#include "report/text/layout.h"

static const char *mode_name(enum pipeline_mode mode)
{
	return mode == PIPELINE_LOOP ? "loop" : "unrolled";
}

static void write_csv(struct block_writer *writer, const struct block_report *report)
{
	for (size_t i = 0; i < report->n_estimates; i++) {
		const struct block_estimate *estimate = &report->estimates[i];

		if (writer->n_models > 1)
			fprintf(writer->out, "%s,", model_name(pipeline_model(estimate->pipeline)));
		if (estimate->failed)
			fprintf(writer->out, "%s,,undecodable,\n", report->code_hex);
		else
			fprintf(writer->out, "%s,%s,%s,%" PRIu32 "\n", report->code_hex,
				units_cycles_exact(estimate->result.cycles_mcyc).text,
				pipeline_bound_name(estimate->result.bottleneck), estimate->result.n_unknown);
	}
}

static json_t *json_cycles(mcyc_t mcyc)
{
	return mcyc % MCYC_PER_CYCLE ? json_real((double)mcyc / MCYC_PER_CYCLE) : json_integer(mcyc / MCYC_PER_CYCLE);
}

static const char *match_name(enum cost_match match)
{
	return match == COST_EXACT ? "exact" : match == COST_FALLBACK ? "fallback" : "unknown";
}

static json_t *json_insn(const struct pipeline *pipeline, const struct pipeline_insn *insn, const char *disassembly)
{
	json_t *ports = json_object();

	for (size_t i = 0; i < pipeline_n_ports(pipeline); i++)
		if (insn->port_mcyc[i])
			json_object_set_new(ports, pipeline_port_name(pipeline, i), json_cycles(insn->port_mcyc[i]));
	return json_pack("{s:I, s:s, s:s, s:s, s:I, s:b, s:b, s:b, s:o}", "offset", (json_int_t)insn->offset,
			 "disassembly", disassembly, "form", insn->form, "match", match_name(insn->match),
			 "issue_slots", (json_int_t)insn->issue_slots, "fused", insn->is_fused, "eliminated",
			 insn->is_eliminated, "critical", insn->is_critical, "ports", ports);
}

static json_t *json_estimate(const struct block_report *report, const struct block_estimate *estimate)
{
	const struct pipeline_result *result = &estimate->result;
	const char *model = model_name(pipeline_model(estimate->pipeline));
	json_t *bounds, *insns;

	if (estimate->failed)
		return json_pack("{s:s, s:s}", "model", model, "error", estimate->problem);
	bounds = json_object();
	insns = json_array();
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= 0)
			json_object_set_new(bounds, pipeline_bound_name((enum pipeline_bound)i),
					    json_cycles(result->bounds_mcyc[i]));
	for (size_t i = 0; i < result->n_insns; i++)
		json_array_append_new(insns, json_insn(estimate->pipeline, &result->insns[i], report->disassembly[i]));
	return json_pack("{s:s, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:o, s:o*}", "model", model, "cycles_per_iteration",
			 json_cycles(result->cycles_mcyc), "simulated_cycles", json_cycles(result->simulated_mcyc),
			 "bottleneck", pipeline_bound_name(result->bottleneck), "bounds", bounds, "issue_slots",
			 (json_int_t)result->issue_slots, "unknown_forms", (json_int_t)result->n_unknown,
			 "fallback_forms", (json_int_t)result->n_fallback, "instructions", insns, "timeline",
			 result->n_times ? block_timeline_json(result) : NULL);
}

static void write_json(struct block_writer *writer, const struct block_report *report)
{
	json_t *estimates = json_array();
	json_t *block;

	for (size_t i = 0; i < report->n_estimates; i++)
		json_array_append_new(estimates, json_estimate(report, &report->estimates[i]));
	block = json_pack("{s:s, s:s, s:s, s:o}", "code_hex", report->code_hex, "name", report->name, "mode",
			  mode_name(report->mode), "estimates", estimates);
	assert(block);
	fputs(writer->n_written ? ",\n" : "", writer->out);
	json_dumpf(block, writer->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(block);
}

/* The ports that the block uses, by name. */
static size_t columns_of(const struct pipeline *pipeline, const struct pipeline_result *result,
			 size_t columns[PIPELINE_MAX_PORTS])
{
	size_t n = 0, at;

	for (size_t port = 0; port < pipeline_n_ports(pipeline); port++) {
		bool is_used = false;

		for (size_t i = 0; i < result->n_insns; i++)
			is_used |= result->insns[i].port_mcyc[port] > 0;
		if (!is_used)
			continue;
		for (at = n++; at && strcmp(pipeline_port_name(pipeline, port),
					    pipeline_port_name(pipeline, columns[at - 1])) < 0;
		     at--)
			columns[at] = columns[at - 1];
		columns[at] = port;
	}
	return n;
}

static void set_pressure(struct table *table, size_t column, uint64_t mcyc)
{
	if (mcyc >= MCYC_PER_CYCLE / 200) /* what does not round to 0.00 */
		table_set_cell(table, column, units_cycles_each((int64_t)mcyc, 1).text);
}

static void write_table(FILE *out, const struct block_report *report, const struct block_estimate *estimate)
{
	const struct pipeline_result *result = &estimate->result;
	size_t columns[PIPELINE_MAX_PORTS], n = columns_of(estimate->pipeline, result, columns);
	struct table table;

	table_init(&table, n + 2);
	table_add_row(&table);
	table_set_cell(&table, 0, "uops");
	for (size_t i = 0; i < n; i++)
		table_set_cell(&table, i + 1, pipeline_port_name(estimate->pipeline, columns[i]));
	table_set_label(&table, "instruction");
	for (size_t i = 0; i < result->n_insns; i++) {
		const struct pipeline_insn *insn = &result->insns[i];
		char *label;

		table_add_row(&table);
		table_set_cell(&table, 0, insn->is_fused ? "+" : units_count(insn->issue_slots).text);
		for (size_t j = 0; j < n; j++)
			set_pressure(&table, j + 1, insn->port_mcyc[columns[j]]);
		table_set_cell(&table, n + 1, insn->is_critical ? "*" : "");
		label = xasprintf("%s%s", report->disassembly[i],
				  insn->match == COST_UNKNOWN	 ? "   (unknown: assumed)"
				  : insn->match == COST_FALLBACK ? "   (figures of a related form)"
								 : "");
		table_set_label(&table, label);
		free(label);
	}
	table_write(&table, out, 0, false);
	table_deinit(&table);
}

static void write_bounds(FILE *out, const struct block_estimate *estimate)
{
	const struct pipeline_result *result = &estimate->result;

	fputs("bounds:", out);
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= 0)
			fprintf(out, " %s %s", pipeline_bound_name((enum pipeline_bound)i),
				units_cycles_each(result->bounds_mcyc[i], 1).text);
	if (result->bottleneck == BOUND_PORTS) {
		const char *separator = "; the ports that hold: ";

		for (size_t i = 0; i < pipeline_n_ports(estimate->pipeline); i++)
			if (result->limiting_ports >> i & 1) {
				fprintf(out, "%s%s", separator, pipeline_port_name(estimate->pipeline, i));
				separator = " ";
			}
	}
	fprintf(out, "; simulated %s\n", units_cycles_each(result->simulated_mcyc, 1).text);
}

static void write_assumptions(FILE *out, const struct pipeline_result *result)
{
	if (result->n_unknown)
		fprintf(out,
			"assumed: %" PRIu32
			" of %zu instructions have no figures and are taken as one micro-operation of one "
			"cycle\n",
			result->n_unknown, result->n_insns);
	if (result->n_fallback)
		fprintf(out, "%" PRIu32 " of %zu instructions have the figures of a related form\n", result->n_fallback,
			result->n_insns);
}

static void write_text(struct block_writer *writer, const struct block_report *report)
{
	FILE *out = writer->out;

	for (size_t i = 0; i < report->n_estimates; i++) {
		const struct block_estimate *estimate = &report->estimates[i];
		const struct pipeline_result *result = &estimate->result;
		const char *model = model_name(pipeline_model(estimate->pipeline));

		if (estimate->failed)
			continue;
		fputs(writer->n_tables ? "\n" : "", out);
		fprintf(out, "%s%s%s, %s: %s cycles per iteration, bound by %s; %zu instruction%s, %" PRIu32 " uops\n",
			report->name, *report->name ? " on " : "", model, mode_name(report->mode),
			units_cycles_each(result->cycles_mcyc, 1).text, pipeline_bound_name(result->bottleneck),
			result->n_insns, result->n_insns == 1 ? "" : "s", result->issue_slots);
		write_bounds(out, estimate);
		write_assumptions(out, result);
		fputc('\n', out);
		write_table(out, report, estimate);
		if (result->n_times)
			block_timeline_write(out, result, report->disassembly);
		writer->n_tables++;
	}
}

void report_block_begin(struct block_writer *writer)
{
	if (writer->format == REPORT_CSV)
		fprintf(writer->out, "%scode_hex,cycles_per_iteration,bottleneck,unknown_forms\n",
			writer->n_models > 1 ? "model," : "");
	else if (writer->format == REPORT_JSON)
		fputs("[\n", writer->out);
}

void report_block_write(struct block_writer *writer, const struct block_report *report)
{
	if (writer->format == REPORT_CSV)
		write_csv(writer, report);
	else if (writer->format == REPORT_JSON)
		write_json(writer, report);
	else
		write_text(writer, report);
	writer->n_written++;
}

void report_block_end(struct block_writer *writer)
{
	if (writer->format == REPORT_JSON)
		fputs("\n]\n", writer->out);
	else if (writer->format == REPORT_TEXT && writer->n_tables)
		fputs("\nuops: as issued, + fused with the one before; then cycles on each port; *: on the longest cycle of "
		      "dependencies\n",
		      writer->out);
}
