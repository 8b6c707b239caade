#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/block.h"

/* Returns the number of copies after which the block's alignment repeats. */
static size_t period(size_t n_bytes, size_t window)
{
	size_t a = n_bytes, b = window;

	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return window / a;
}

/* Numbers of instructions in one window of the predecoder, an aligned piece of code. Facile (IISWC 2023), section on
 * the predecoder: an instruction counts in the window where it ends. If its opcode is in another window, it counts
 * there, too. A length-changing prefix costs extra cycles. A previous window that took n cycles hides n - 1 of these
 * cycles. */
struct window {
	uint32_t n_ending, n_crossing, n_lcp;
};

static void count_windows(const struct machine_parameters *parameters, const struct block *block, size_t n_copies,
			  struct window *windows)
{
	size_t window_bytes = parameters->predecode_bytes;

	for (size_t copy = 0; copy < n_copies; copy++)
		for (size_t i = 0; i < block->n_insns; i++) {
			const struct block_insn *insn = &block->insns[i];
			size_t begin = copy * block->n_bytes + insn->offset;
			size_t opcode = (begin + insn->opcode_offset) / window_bytes;
			size_t last = (begin + insn->length - 1) / window_bytes;

			windows[last].n_ending++;
			if (opcode != last)
				windows[opcode].n_crossing++;
			if (insn->has_lcp)
				windows[opcode].n_lcp++;
		}
}

static uint32_t plain_cycles(const struct machine_parameters *parameters, const struct window *window)
{
	return (window->n_ending + window->n_crossing + parameters->predecode_width - 1) / parameters->predecode_width;
}

mcyc_t block_bound_predecode(const struct machine_parameters *parameters, const struct block *block, bool unrolled)
{
	size_t n_copies, n_windows;
	struct window *windows;
	uint64_t cycles = 0;

	if (!parameters->predecode_bytes)
		return -1;
	/* A loop restarts at its target, which is assumed to be aligned. */
	n_copies = unrolled ? period(block->n_bytes, parameters->predecode_bytes) : 1;
	n_windows = (n_copies * block->n_bytes + parameters->predecode_bytes - 1) / parameters->predecode_bytes;
	windows = xcalloc(n_windows, sizeof(*windows));
	count_windows(parameters, block, n_copies, windows);
	for (size_t i = 0; i < n_windows; i++) {
		uint32_t before = plain_cycles(parameters, &windows[i ? i - 1 : n_windows - 1]);
		uint32_t stall = parameters->lcp_cycles * windows[i].n_lcp;

		cycles += plain_cycles(parameters, &windows[i]);
		if (before > 1)
			stall = stall > before - 1 ? stall - (before - 1) : 0;
		cycles += stall;
	}
	free(windows);
	return (mcyc_t)((cycles * MCYC_PER_CYCLE + n_copies / 2) / n_copies);
}

#define MAX_DECODERS 8

/* Returns whether the instruction may fuse with a jump but does not. It waits for the next instruction, so it cannot
 * be the last one that is decoded in a cycle. */
static bool could_fuse(const struct block *block, size_t number)
{
	bool has_fused = number + 1 < block->n_insns && block->insns[number + 1].is_fused;

	return !has_fused && block->insns[number].form->flags & (FORM_FUSE_TEST | FORM_FUSE_COMPARE | FORM_FUSE_COUNT);
}

/* Decodes copies of the block until a copy starts at the same decoder as an earlier one. From then on the cycles
 * repeat. */
mcyc_t block_bound_decode(const struct machine_parameters *parameters, const struct block *block, bool unrolled)
{
	uint64_t cycle = 0, first_cycle[MAX_DECODERS + 1];
	uint64_t first_copy[MAX_DECODERS + 1];
	uint32_t at = parameters->decoders; /* index of the next free decoder; n: none is free in this cycle */
	bool seen[MAX_DECODERS + 1] = {false};

	if (!parameters->decoders || parameters->decoders > MAX_DECODERS)
		return -1;
	for (uint64_t copy = 0;; copy++) {
		if (seen[at])
			return (mcyc_t)(((cycle - first_cycle[at]) * MCYC_PER_CYCLE) / (copy - first_copy[at]));
		seen[at] = true;
		first_cycle[at] = cycle;
		first_copy[at] = copy;
		for (size_t i = 0; i < block->n_insns; i++) {
			const struct block_insn *insn = &block->insns[i];
			bool is_complex = insn->decoded_uops > 1 || insn->form->flags & FORM_COMPLEX;

			if (insn->is_fused)
				continue;
			if (at == parameters->decoders || (at && is_complex) ||
			    (at == parameters->decoders - 1 && !parameters->last_decoder_fuses &&
			     could_fuse(block, i))) {
				cycle++;
				at = 0;
			}
			at++;
			if (insn->decoded_uops > parameters->complex_uops) {
				/* The microcode sequencer delivers the instruction alone. */
				cycle += (insn->decoded_uops + parameters->complex_uops - 1) / parameters->complex_uops;
				at = parameters->decoders;
			}
		}
		if (!unrolled || block->ends_with_branch)
			at = parameters->decoders;
	}
}

/* Optimization manuals of Intel and, for Zen, of AMD: at most one jump is taken per cycle. */
#define TAKEN_JUMP_MCYC MCYC_PER_CYCLE

static uint32_t decoded_uops(const struct block *block)
{
	uint32_t n = 0;

	for (size_t i = 0; i < block->n_insns; i++)
		n += block->insns[i].decoded_uops;
	return n;
}

static mcyc_t divide_mcyc(uint64_t uops, uint64_t width, uint64_t copies)
{
	return (mcyc_t)((uops * MCYC_PER_CYCLE + width * copies / 2) / (width * copies));
}

bool block_fits_op_cache(const struct machine_parameters *parameters, const struct block *block, uint64_t va)
{
	uint64_t window_bytes = parameters->op_cache_window_bytes, window = window_bytes ? va / window_bytes : 0;
	uint32_t slots = 0;

	if (!window_bytes)
		return true;
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct block_insn *insn = &block->insns[i];
		bool is_jump = i + 1 == block->n_insns && block->ends_with_branch;
		uint64_t begin = va + (insn->is_fused ? block->insns[i - 1].offset : insn->offset);

		if ((va + insn->offset) / window_bytes != window) {
			window = (va + insn->offset) / window_bytes;
			slots = 0;
		}
		/* An instruction with a 64-bit immediate takes a further slot. */
		slots += insn->decoded_uops + (insn->operands.immediate_bytes > 4);
		if (slots > parameters->op_cache_lines * parameters->op_cache_line_uops)
			return false;
		if (is_jump && parameters->jump_window_bytes &&
		    begin / parameters->jump_window_bytes !=
			    (va + insn->offset + insn->length) / parameters->jump_window_bytes)
			return false;
	}
	return true;
}

/* Returns the milli-cycles to fetch the code, one aligned block per cycle. A loop is assumed to start at an aligned
 * address. */
static mcyc_t fetch_mcyc(const struct machine_parameters *parameters, const struct block *block, bool unrolled)
{
	uint32_t fetched = parameters->op_cache_fetch_bytes;

	if (!fetched)
		return 0;
	if (unrolled)
		return divide_mcyc(block->n_bytes, fetched, 1);
	return (mcyc_t)((block->n_bytes + fetched - 1) / fetched) * MCYC_PER_CYCLE;
}

mcyc_t block_bound_op_cache(const struct machine_parameters *parameters, const struct block *block, bool unrolled)
{
	uint32_t uops = decoded_uops(block), width = parameters->op_cache_width;
	mcyc_t mcyc = divide_mcyc(uops, width, 1), fetch = fetch_mcyc(parameters, block, unrolled);

	/* All lines of one window are read in one cycle. A short loop enters its window again in each iteration. */
	if (!unrolled && block->n_bytes < parameters->op_cache_window_bytes)
		mcyc = (mcyc_t)((uops + width - 1) / width) * MCYC_PER_CYCLE;
	if (mcyc < fetch)
		mcyc = fetch;
	return unrolled || mcyc > TAKEN_JUMP_MCYC ? mcyc : TAKEN_JUMP_MCYC;
}

uint32_t block_loop_buffer_copies(const struct machine_parameters *parameters, const struct block *block)
{
	uint32_t uops = decoded_uops(block), copies;

	if (!parameters->loop_buffer || !uops || uops > parameters->loop_buffer)
		return 0;
	copies = parameters->loop_buffer / 2 / uops;
	return copies > 8 ? 8 : copies ? copies : 1;
}

/* A cycle never delivers micro-operations of two replays of the buffer, so the last cycle of a replay may be partly
 * empty. A replay is several iterations of a small loop. */
mcyc_t block_bound_loop_buffer(const struct machine_parameters *parameters, const struct block *block)
{
	uint32_t uops = decoded_uops(block), copies = block_loop_buffer_copies(parameters, block);
	mcyc_t mcyc;

	if (!copies)
		return -1;
	uops = (uops * copies + parameters->issue_width - 1) / parameters->issue_width;
	mcyc = (mcyc_t)uops * MCYC_PER_CYCLE / copies;
	return mcyc > TAKEN_JUMP_MCYC ? mcyc : TAKEN_JUMP_MCYC;
}

mcyc_t block_bound_issue(const struct machine_parameters *parameters, const struct block *block)
{
	uint32_t slots = 0;

	for (size_t i = 0; i < block->n_insns; i++)
		slots += block->insns[i].issue_slots;
	return divide_mcyc(slots, parameters->issue_width, 1);
}
