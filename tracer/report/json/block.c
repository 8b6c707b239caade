#include "report/block_formats.h"

#include <assert.h>

#include "report/json/json.h"

static json_t *json_insn(const struct pipeline *pipeline, const struct pipeline_insn *insn, const char *disassembly)
{
	json_t *ports = json_object();

	for (size_t i = 0; i < pipeline_n_ports(pipeline); i++)
		if (insn->port_mcyc[i])
			json_object_set_new(ports, pipeline_port_name(pipeline, i), json_cycles(insn->port_mcyc[i]));
	return json_pack("{s:I, s:s, s:s, s:s, s:I, s:b, s:b, s:b, s:o}", "offset", (json_int_t)insn->offset,
			 "disassembly", disassembly, "form", insn->form, "match", json_match_name(insn->match),
			 "issue_slots", (json_int_t)insn->issue_slots, "fused", insn->is_fused, "eliminated",
			 insn->is_eliminated, "critical", insn->is_critical, "ports", ports);
}

static json_t *json_timeline(const struct pipeline_result *result)
{
	json_t *list = json_array();

	for (size_t i = 0; i < result->n_times; i++) {
		const struct pipeline_times *times = &result->times[i];
		json_t *parts = json_array();

		for (enum pipeline_part part = 0; part < N_PARTS; part++)
			if (times->parts[part].done)
				json_array_append_new(parts,
						      json_pack("{s:s, s:I, s:I}", "part", block_part_name(part),
								"started", (json_int_t)times->parts[part].started,
								"done", (json_int_t)times->parts[part].done));
		json_array_append_new(list,
				      json_pack("{s:I, s:I, s:I, s:I, s:o}", "iteration",
						(json_int_t)(i / result->n_insns), "instruction",
						(json_int_t)(i % result->n_insns), "issued", (json_int_t)times->issued,
						"retired", (json_int_t)times->retired, "parts", parts));
	}
	return list;
}

static json_t *json_estimate(const struct block_report *report, const struct block_estimate *estimate)
{
	const struct pipeline_result *result = &estimate->result;
	const char *model = model_name(pipeline_model(estimate->pipeline));
	json_t *bounds, *bottlenecks, *insns;

	if (estimate->failed)
		return json_pack("{s:s, s:s}", "model", model, "error", estimate->problem);
	bounds = json_object();
	bottlenecks = json_array();
	insns = json_array();
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= 0)
			json_object_set_new(bounds, pipeline_bound_name((enum pipeline_bound)i),
					    json_cycles(result->bounds_mcyc[i]));
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bottlenecks >> i & 1)
			json_array_append_new(bottlenecks, json_string(pipeline_bound_name((enum pipeline_bound)i)));
	for (size_t i = 0; i < result->n_insns; i++)
		json_array_append_new(insns, json_insn(estimate->pipeline, &result->insns[i], report->disassembly[i]));
	return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o*}", "model", model,
			 "cycles_per_iteration", json_cycles(result->cycles_mcyc), "simulated_cycles",
			 json_cycles(result->simulated_mcyc), "bottleneck", pipeline_bound_name(result->bottleneck),
			 "bottlenecks", bottlenecks, "bounds", bounds, "issue_slots", (json_int_t)result->issue_slots,
			 "unknown_forms", (json_int_t)result->n_unknown, "fallback_forms",
			 (json_int_t)result->n_fallback, "instructions", insns, "timeline",
			 result->n_times ? json_timeline(result) : NULL);
}

static json_t *json_clock(const struct block_clock *clock)
{
	if (!clock->is_asked)
		return NULL;
	if (!clock->is_measured)
		return json_pack("{s:s}", "error", clock->problem);
	return json_pack("{s:o, s:f}", "cycles_per_iteration", json_cycles(clock->mcyc), "spread_percent",
			 clock->spread_permille / 10.0);
}

void json_block_write(struct block_writer *writer, const struct block_report *report)
{
	json_t *estimates = json_array();
	json_t *block;

	for (size_t i = 0; i < report->n_estimates; i++)
		json_array_append_new(estimates, json_estimate(report, &report->estimates[i]));
	block = json_pack("{s:s, s:s, s:s, s:o*, s:o}", "code_hex", report->code_hex, "name", report->name, "mode",
			  block_mode_name(report->mode), "clock", json_clock(&report->clock), "estimates", estimates);
	assert(block);
	fputs(writer->n_written ? ",\n" : "", writer->out);
	json_dumpf(block, writer->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(block);
}

void json_block_begin(struct block_writer *writer)
{
	fputs("[\n", writer->out);
}

void json_block_end(struct block_writer *writer)
{
	fputs("\n]\n", writer->out);
}
