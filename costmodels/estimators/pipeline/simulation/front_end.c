/* Delivery of instructions by the op cache, the loop buffer, or the legacy decode pipeline of predecoder and
 * decoders. */
#include <string.h>

#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

void front_end_stall(struct simulator *simulator, uint64_t cycle)
{
	struct sim_front *front = &simulator->front;

	if (cycle <= front->cycle)
		return;
	front->cycle = cycle;
	front->delivered = 0;
}

void front_end_jump(struct simulator *simulator, uint64_t va)
{
	struct sim_front *front = &simulator->front;

	front->position = va;
	front->window = UINT64_MAX;
	if (front->delivered)
		front_end_stall(simulator, front->cycle + 1);
	front->last_jump = front->cycle;
}

void front_end_replay(struct simulator *simulator)
{
	struct sim_front *front = &simulator->front;

	if (front->delivered)
		front_end_stall(simulator, front->last_jump + 1);
	front->last_jump = front->cycle;
}

/* A micro-operation leaves the micro-operation queue when it issues. */
static void wait_for_queue(struct simulator *simulator)
{
	uint32_t entries = simulator->parameters->uop_queue;

	if (entries && simulator->n_slots >= entries)
		front_end_stall(simulator, simulator->slot_issued[(simulator->n_slots - entries) % MAX_WINDOW]);
}

static uint64_t deliver_cached(struct simulator *simulator, const struct sim_insn *insn, uint32_t width,
			       uint32_t fetch_bytes)
{
	struct sim_front *front = &simulator->front;
	uint32_t uops = insn->decoded_uops;

	wait_for_queue(simulator);
	front->position += insn->length;
	if (fetch_bytes && (front->position - 1) / fetch_bytes != front->window) {
		if (front->delivered)
			front_end_stall(simulator, front->cycle + 1);
		front->window = (front->position - 1) / fetch_bytes;
		/* A fetch block takes a cycle even if it has no further micro-operation. */
		front->delivered += !uops;
	}
	for (uint32_t i = 0; i < uops; i++) {
		if (front->delivered == width)
			front_end_stall(simulator, front->cycle + 1);
		front->delivered++;
	}
	return front->cycle;
}

static void enter_window(struct simulator *simulator, uint64_t window)
{
	struct sim_front *front = &simulator->front;

	if (window == front->window)
		return;
	front->window = window;
	front->window_before = front->window_cycles;
	front->window_cycle++;
	front->window_cycles = 1;
	front->window_insns = 0;
}

static void count_in_window(struct simulator *simulator)
{
	struct sim_front *front = &simulator->front;

	if (front->window_insns == simulator->parameters->predecode_width) {
		front->window_cycle++;
		front->window_cycles++;
		front->window_insns = 0;
	}
	front->window_insns++;
}

/* Returns the cycle in which the predecoder finds the instruction's end. The rules are those of block/front_end.c. */
static uint64_t predecode(struct simulator *simulator, const struct sim_insn *insn)
{
	const struct machine_parameters *parameters = simulator->parameters;
	struct sim_front *front = &simulator->front;
	uint64_t opcode = (front->position + insn->opcode_offset) / parameters->predecode_bytes;
	uint64_t last = (front->position + insn->length - 1) / parameters->predecode_bytes;
	uint32_t entries = parameters->instruction_queue;

	if (entries && entries <= sizeof(front->decoded) / sizeof(front->decoded[0]) && front->n_decoded >= entries) {
		uint64_t free = front->decoded[(front->n_decoded - entries) % 64];

		if (front->window_cycle < free) {
			front->window_cycle = free;
			front->window_insns = 0;
		}
	}
	enter_window(simulator, opcode);
	if (opcode != last)
		count_in_window(simulator);
	if (insn->has_lcp) {
		uint32_t hidden = front->window_before > 1 ? front->window_before - 1 : 0;

		if (parameters->lcp_cycles > hidden)
			front->window_cycle += parameters->lcp_cycles - hidden;
	}
	enter_window(simulator, last);
	count_in_window(simulator);
	front->position += insn->length;
	return front->window_cycle;
}

static uint64_t decode(struct simulator *simulator, const struct sim_insn *insn)
{
	const struct machine_parameters *parameters = simulator->parameters;
	struct sim_front *front = &simulator->front;
	uint64_t predecoded = predecode(simulator, insn);
	bool is_complex = insn->decoded_uops > 1 || insn->is_complex;

	if (insn->is_fused) /* A fused pair is decoded when the predecoder has found its second instruction. */
		return front->cycle > predecoded ? front->cycle : predecoded + 1;
	wait_for_queue(simulator);
	front_end_stall(simulator, predecoded + 1);
	if (front->delivered >= parameters->decoders || (front->delivered && is_complex) ||
	    (front->delivered == parameters->decoders - 1 && !parameters->last_decoder_fuses && insn->could_fuse))
		front_end_stall(simulator, front->cycle + 1);
	front->delivered++;
	if (insn->decoded_uops > parameters->complex_uops) {
		/* The microcode sequencer delivers the instruction alone. */
		front->cycle += (insn->decoded_uops + parameters->complex_uops - 1) / parameters->complex_uops;
		front->delivered = parameters->decoders;
	}
	front->decoded[front->n_decoded++ % 64] = front->cycle;
	return front->cycle;
}

uint64_t front_end_deliver(struct simulator *simulator, const struct sim_block *block, const struct sim_insn *insn)
{
	const struct machine_parameters *parameters = simulator->parameters;

	switch (block->source) {
	case SOURCE_DECODERS:
		return decode(simulator, insn);
	case SOURCE_LOOP_BUFFER:
		return deliver_cached(simulator, insn, parameters->issue_width, 0);
	case SOURCE_OP_CACHE:
		break;
	}
	return deliver_cached(simulator, insn, parameters->op_cache_width, parameters->op_cache_fetch_bytes);
}
