#include "costmodels/estimators/pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/block.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

const char *pipeline_bound_name(enum pipeline_bound bound)
{
	static const char *const names[] = {
		[BOUND_PREDECODE] = "predecode",     [BOUND_DECODE] = "decode", [BOUND_OP_CACHE] = "op-cache",
		[BOUND_LOOP_BUFFER] = "loop-buffer", [BOUND_ISSUE] = "issue",	[BOUND_PORTS] = "ports",
		[BOUND_LATENCY] = "latency",
	};

	return names[bound];
}

struct pipeline *pipeline_create(const struct model *model, struct error *err)
{
	struct pipeline *pipeline = xcalloc(1, sizeof(*pipeline));

	pipeline->model = model;
	pipeline->block = xcalloc(1, sizeof(*pipeline->block));
	if (!machine_read_rules(pipeline, err) || !machine_read(pipeline, err)) {
		pipeline_destroy(pipeline);
		return NULL;
	}
	return pipeline;
}

void pipeline_destroy(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (size_t i = 0; i < pipeline->n_forms; i++) {
		free(pipeline->forms[i]->text);
		free(pipeline->forms[i]);
	}
	for (size_t i = 0; i < pipeline->n_ports; i++)
		free(pipeline->port_names[i]);
	free(pipeline->forms);
	text_index_deinit(&pipeline->forms_by_text);
	free(pipeline->rules);
	text_file_close(&pipeline->rules_file);
	free(pipeline->rules_path);
	block_destroy(pipeline->block);
	simulator_destroy(pipeline->simulator);
	free(pipeline);
}

const struct model *pipeline_model(const struct pipeline *pipeline)
{
	return pipeline->model;
}

size_t pipeline_n_ports(const struct pipeline *pipeline)
{
	return pipeline->n_ports;
}

const char *pipeline_port_name(const struct pipeline *pipeline, size_t port)
{
	return pipeline->port_names[port];
}

/* Computes the bounds of the part of the front end that delivers the block: the loop buffer if it can hold the loop,
 * else the op cache if it can hold the block, else the decoders. On a CPU with a legacy decode pipeline, unrolled
 * code is assumed not to be in the op cache. */
static void bound_front_end(const struct machine_parameters *parameters, const struct block *block,
			    enum pipeline_mode mode, mcyc_t *bounds)
{
	bool unrolled = mode == PIPELINE_UNROLLED;

	if (!unrolled)
		bounds[BOUND_LOOP_BUFFER] = block_bound_loop_buffer(parameters, block);
	if (bounds[BOUND_LOOP_BUFFER] >= 0)
		return;
	if ((!unrolled && block_fits_op_cache(parameters, block, 0)) || !parameters->predecode_bytes) {
		bounds[BOUND_OP_CACHE] = block_bound_op_cache(parameters, block, unrolled);
		return;
	}
	bounds[BOUND_PREDECODE] = block_bound_predecode(parameters, block, unrolled);
	bounds[BOUND_DECODE] = block_bound_decode(parameters, block, unrolled);
}

static void describe(const struct block *block, const bool *is_critical, struct pipeline_result *result)
{
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct block_insn *insn = &block->insns[i];
		struct pipeline_insn *out = ARRAY_ADD(result, insns);

		*out = (struct pipeline_insn){.offset = insn->offset,
					      .length = insn->length,
					      .form = insn->form->text,
					      .match = insn->form->match,
					      .issue_slots = insn->issue_slots,
					      .is_fused = insn->is_fused,
					      .is_eliminated = insn->is_eliminated,
					      .is_critical = is_critical[i]};
		result->issue_slots += insn->issue_slots;
		result->n_unknown += insn->form->match == COST_UNKNOWN;
		result->n_fallback += insn->form->match == COST_FALLBACK;
	}
	block_spread_ports(block, result->insns);
}

static void make_timeline(struct pipeline *pipeline, const struct block *block, const struct pipeline_options *options,
			  struct pipeline_result *result)
{
	uint64_t begin;

	result->n_times = block->n_insns * options->timeline_iterations;
	result->times = array_reserve(result->times, &result->times_capacity, result->n_times, sizeof(*result->times));
	simulator_run_iterations(pipeline->simulator, block, options->mode, options->timeline_iterations,
				 result->times);
	begin = result->times[0].issued;
	for (size_t i = 0; i < result->n_times; i++) {
		struct pipeline_times *times = &result->times[i];

		times->issued -= begin;
		times->retired -= begin;
		for (int part = 0; part < N_PARTS; part++)
			if (times->parts[part].done) {
				times->parts[part].started -= begin;
				times->parts[part].done -= begin;
			}
	}
}

/* Bounds are rounded quotients. They count as equal if they differ by less than half a hundredth of a cycle. */
static uint32_t find_bottlenecks(const struct pipeline_result *result)
{
	uint32_t bottlenecks = 0;

	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= 0 && result->bounds_mcyc[i] + MCYC_PER_CYCLE / 200 > result->cycles_mcyc)
			bottlenecks |= 1u << i;
	return bottlenecks;
}

bool pipeline_estimate(struct pipeline *pipeline, const uint8_t *bytes, size_t n_bytes,
		       const struct pipeline_options *options, struct pipeline_result *result, struct error *err)
{
	const struct machine_parameters *parameters = &pipeline->parameters;
	struct block *block = pipeline->block;
	bool *is_critical;

	if (!block_read(pipeline, block, bytes, n_bytes, err))
		return false;
	block_find_forwarding(block, options->pointers);
	result->n_insns = result->n_times = 0;
	result->issue_slots = result->n_unknown = result->n_fallback = 0;
	result->cycles_mcyc = -1;
	for (size_t i = 0; i < N_BOUNDS; i++)
		result->bounds_mcyc[i] = -1;
	is_critical = xcalloc(block->n_insns, sizeof(*is_critical));
	bound_front_end(parameters, block, options->mode, result->bounds_mcyc);
	result->bounds_mcyc[BOUND_ISSUE] = block_bound_issue(parameters, block);
	result->bounds_mcyc[BOUND_PORTS] = block_bound_ports(block, &result->limiting_ports);
	result->bounds_mcyc[BOUND_LATENCY] = block_bound_latency(parameters, block, is_critical);
	for (size_t i = 0; i < N_BOUNDS; i++)
		if (result->bounds_mcyc[i] >= result->cycles_mcyc) {
			result->cycles_mcyc = result->bounds_mcyc[i];
			result->bottleneck = (enum pipeline_bound)i;
		}
	if (!pipeline->simulator)
		pipeline->simulator = simulator_create(pipeline);
	result->simulated_mcyc = simulator_run_block(pipeline->simulator, block, options->mode);
	if (result->simulated_mcyc > result->cycles_mcyc)
		result->cycles_mcyc = result->simulated_mcyc;
	result->bottlenecks = find_bottlenecks(result);
	if (options->timeline_iterations)
		make_timeline(pipeline, block, options, result);
	describe(block, is_critical, result);
	free(is_critical);
	return true;
}

void pipeline_result_deinit(struct pipeline_result *result)
{
	free(result->insns);
	free(result->times);
	*result = (struct pipeline_result){0};
}
