#include "timing/instruction.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "timing/instruction_operands.h"

enum {
	DATA_BYTES = 16384,
	/* Bytes of the repeated code of a loop. The code fits into op caches and is much longer than the loop's end. */
	LOOP_BYTES = 1024,
	LOOP_INSNS = 120,
	/* With a shorter time, the instruction is a renamed move, or the result does not depend on the source (the
	 * second source of XADD). */
	LEAST_LATENCY_MCYC = 750,
	LEAST_DIFFERENCE_MCYC = 100, /* by which one loop must be longer than another */
};

bool instruction_timer_init(struct instruction_timer *timer, int64_t vector_load_mcyc, struct error *err)
{
	*timer = (struct instruction_timer){0};
	if (!timed_code_init(&timer->code, err))
		return false;
	if (!clock_init(&timer->clock, &timer->code, err) ||
	    !chain_measure_costs(&timer->clock, &timer->code, vector_load_mcyc, &timer->costs, err)) {
		timed_code_deinit(&timer->code);
		return false;
	}
	timer->data = aligned_alloc(4096, DATA_BYTES);
	if (!timer->data)
		abort();
	return true;
}

void instruction_timer_deinit(struct instruction_timer *timer)
{
	timed_code_deinit(&timer->code);
	free(timer->data);
}

/* Measures a sequence with n_insns instructions under test. *out is the time of the sequence divided by n_insns. */
static bool measure_sequence(struct instruction_timer *timer, const struct form_layout *layout,
			     const struct timed_code_state *state, const struct sequence *sequence, size_t n_insns,
			     struct clock_result *out)
{
	size_t by_bytes = LOOP_BYTES / sequence->n_bytes, by_insns = LOOP_INSNS / n_insns;
	struct timed_code_body body = {
		.bytes = sequence->bytes,
		.n_bytes = sequence->n_bytes,
		.n_copies = by_bytes < by_insns ? by_bytes : by_insns,
		.vectors = layout->vectors,
	};

	if (!body.n_copies)
		body.n_copies = 1;
	if (!clock_measure_body(&timer->clock, &timer->code, &body, state, out))
		return false;
	out->mcyc = (out->mcyc + (int64_t)n_insns / 2) / (int64_t)n_insns;
	return true;
}

/* Makes the places that the instruction both reads and writes independent of earlier instructions, except
 * `except` and `also_except`, which may be NULL. */
static bool append_breaks(struct sequence *sequence, const struct form_layout *layout,
			  const struct timed_code_state *state, const struct insn_choice *choice,
			  const struct used_place *except, const struct used_place *also_except)
{
	for (size_t i = 0; i < layout->n_places; i++) {
		const struct used_place *used = &layout->places[i];
		struct place place = used->place;

		if (!used->is_read || !used->is_written || used == except || used == also_except)
			continue;
		if (used->operand >= 0)
			place.number = choice->registers[used->operand];
		if (!chain_append_break(sequence, state, &place, layout->operands.encoding,
					except && except->place.kind == PLACE_FLAGS))
			return false;
	}
	return true;
}

/* Returns true if copies depend on each other through the flags or hidden registers, even if they name different
 * registers. */
static bool has_hidden_chain(const struct form_layout *layout)
{
	for (size_t i = 0; i < layout->n_places; i++)
		if (layout->places[i].operand < 0 && layout->places[i].is_read && layout->places[i].is_written)
			return true;
	return false;
}

/* A gather clears its mask, and does nothing without one. */
static bool append_gather_mask(struct sequence *sequence, const struct form_layout *layout,
			       const struct timed_code_state *state, const struct insn_choice *choice)
{
	struct insn_choice ones = {.registers = {choice->registers[2], choice->registers[2], choice->registers[2]}};

	if (layout->operands.encoding == ENCODING_EVEX)
		return chain_append_break(sequence, state, &(struct place){.kind = PLACE_MASK, .number = choice->mask},
					  ENCODING_EVEX, false);
	return sequence_append(sequence,
			       layout->vectors == TIMED_CODE_XMM ? "VPCMPEQD xmm, xmm, xmm (same)"
								 : "VPCMPEQD ymm, ymm, ymm (same)",
			       &ones);
}

static bool measure_throughput(struct instruction_timer *timer, const struct form_layout *layout,
			       const struct timed_code_state *state, bool breaks, struct clock_result *out)
{
	struct sequence sequence = {.n_bytes = 0};
	size_t n_copies = form_layout_n_copies(layout);

	for (size_t i = 0; i < n_copies; i++) {
		struct insn_choice choice;

		form_layout_choose_copy(layout, i, &choice);
		if ((layout->has_gather && !append_gather_mask(&sequence, layout, state, &choice)) ||
		    (breaks && !append_breaks(&sequence, layout, state, &choice, NULL, NULL)) ||
		    !sequence_append(&sequence, layout->form_text, &choice))
			return false;
	}
	return measure_sequence(timer, layout, state, &sequence, n_copies, out);
}

static void time_throughput(struct instruction_timer *timer, const struct form_layout *layout,
			    const struct timed_code_state *state, struct instruction_timing *timing)
{
	struct clock_result plain, broken;
	bool has_plain = measure_throughput(timer, layout, state, false, &plain);

	if (has_hidden_chain(layout) && !layout->has_gather &&
	    measure_throughput(timer, layout, state, true, &broken) && (!has_plain || broken.mcyc < plain.mcyc)) {
		plain = broken;
		has_plain = true;
	}
	if (!has_plain)
		return;
	timing->throughput_mcyc = plain.mcyc;
	timing->throughput_spread_permille = plain.spread_permille;
	timing->has_throughput = true;
}

/* A pair of places, and the registers that its loop uses for them. */
struct pair {
	const struct used_place *from, *to;
	struct insn_choice choice;
	struct place from_place, to_place;
	bool is_direct; /* the result is the source of the next copy */
	enum chain_domain domain;
	bool keeps_target; /* the destination is not renewed */
};

static bool is_same_file(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->kind != PLACE_ADDRESS;
}

/* Chooses registers: the same one for both, if the instruction does not also read what it writes. */
static void choose_registers(const struct form_layout *layout, struct pair *pair)
{
	const struct used_place *from = pair->from, *to = pair->to;

	form_layout_choose_copy(layout, 0, &pair->choice);
	pair->choice.displacement = 0;
	pair->from_place = from->place;
	pair->to_place = to->place;
	if (to->operand >= 0)
		pair->to_place.number = pair->choice.registers[to->operand];
	else if (strcmp(to->name, "k") == 0)
		pair->to_place.number = pair->choice.mask;
	pair->is_direct = from == to;
	if (from->operand >= 0 && from != to && from->place.kind != PLACE_ADDRESS) {
		struct insn_choice next;

		form_layout_choose_copy(layout, 3, &next); /* a destination that copy 0 does not use */
		if (is_same_file(&from->place, &to->place) && !to->is_read && from->place.kind != PLACE_HIGH)
			pair->choice.registers[from->operand] = pair->to_place.number;
		else if (!from->is_written && from->place.kind == PLACE_GENERAL && !layout->has_high_bytes)
			pair->choice.registers[from->operand] = layout->general_pool[3];
		else if (!from->is_written && from->place.kind != PLACE_GENERAL && from->place.kind != PLACE_HIGH)
			pair->choice.registers[from->operand] = 4;
	} else if (strcmp(from->name, "k") == 0) {
		pair->choice.mask = 4;
	}
	if (from->operand >= 0)
		pair->from_place.number = pair->choice.registers[from->operand];
	else if (strcmp(from->name, "k") == 0)
		pair->from_place.number = pair->choice.mask;
	pair->is_direct |= is_same_file(&pair->from_place, &pair->to_place) &&
			   pair->from_place.number == pair->to_place.number;
}

/* Returns the cycles of the loop without the instruction, or -1. The loop ends with a register if it can, because the
 * loop's own count changes the flags. */
static int64_t append_loop(struct sequence *sequence, const struct instruction_timer *timer,
			   const struct form_layout *layout, const struct timed_code_state *state,
			   const struct pair *pair)
{
	enum insn_encoding encoding = layout->operands.encoding;
	bool is_last = pair->from->place.kind != PLACE_FLAGS;
	int64_t added = 0;

	if (!pair->is_direct && !is_last)
		added = chain_append(sequence, &timer->costs, &pair->to_place, &pair->from_place, encoding,
				     pair->domain);
	if (added < 0 ||
	    !append_breaks(sequence, layout, state, &pair->choice, pair->from, pair->keeps_target ? pair->to : NULL) ||
	    !sequence_append(sequence, layout->form_text, &pair->choice))
		return -1;
	if (!pair->is_direct && is_last)
		added = chain_append(sequence, &timer->costs, &pair->to_place, &pair->from_place, encoding,
				     pair->domain);
	return added;
}

/* Measures one loop. If the instruction also reads its destination, there is a second dependence loop, from the
 * destination to itself, which takes self_mcyc (-1: unknown). A shorter second loop does not change the result.
 * Otherwise an added instruction gives the destination a new value each time, although it may compete for the same
 * units. */
static bool measure_loop(struct instruction_timer *timer, const struct form_layout *layout,
			 const struct timed_code_state *state, struct pair *pair, int64_t self_mcyc,
			 struct clock_result *out)
{
	*out = (struct clock_result){0};
	pair->keeps_target = self_mcyc >= 0;
	for (;;) {
		struct sequence sequence = {.n_bytes = 0};
		int64_t added = append_loop(&sequence, timer, layout, state, pair);

		if (added < 0 || !measure_sequence(timer, layout, state, &sequence, 1, out))
			return false;
		if (!pair->keeps_target || out->mcyc > self_mcyc + LEAST_DIFFERENCE_MCYC) {
			out->mcyc = out->mcyc > added ? out->mcyc - added : 0;
			return true;
		}
		pair->keeps_target = false;
	}
}

static bool measure_pair(struct instruction_timer *timer, const struct form_layout *layout,
			 const struct timed_code_state *state, struct pair *pair, int64_t self_mcyc,
			 struct clock_result *out)
{
	bool moves_vector = !pair->is_direct && pair->from_place.kind == PLACE_VECTOR &&
			    pair->to_place.kind == PLACE_VECTOR;
	bool is_measured = false;

	*out = (struct clock_result){0};
	for (int domain = CHAIN_INTEGER; domain <= (moves_vector ? CHAIN_FLOAT : CHAIN_INTEGER); domain++) {
		struct clock_result result = {0};

		pair->domain = (enum chain_domain)domain;
		if (!measure_loop(timer, layout, state, pair, self_mcyc, &result))
			continue;
		if (!is_measured || result.mcyc < out->mcyc)
			*out = result;
		is_measured = true;
	}
	return is_measured;
}

/* Returns the latency from a place to itself, or -1 if it is not known. */
static int64_t find_self_latency(const struct instruction_timing *timing, const char *name)
{
	for (size_t i = 0; i < timing->n_latencies; i++)
		if (strcmp(timing->latencies[i].from, name) == 0 && strcmp(timing->latencies[i].to, name) == 0)
			return timing->latencies[i].mcyc;
	return -1;
}

static void time_pair(struct instruction_timer *timer, const struct form_layout *layout,
		      const struct timed_code_state *state, struct pair *pair, struct instruction_timing *timing)
{
	struct instruction_latency *latency = &timing->latencies[timing->n_latencies];
	struct clock_result result;

	choose_registers(layout, pair);
	if (timing->n_latencies == INSTRUCTION_MAX_LATENCIES ||
	    !measure_pair(timer, layout, state, pair, find_self_latency(timing, pair->to->name), &result) ||
	    result.mcyc < LEAST_LATENCY_MCYC)
		return;
	memcpy(latency->from, pair->from->name, sizeof(latency->from));
	memcpy(latency->to, pair->to->name, sizeof(latency->to));
	latency->mcyc = result.mcyc;
	latency->spread_permille = result.spread_permille;
	timing->n_latencies++;
}

/* A loop through registers shows a latency only if the result depends on registers. */
static bool has_latencies(const struct form_layout *layout)
{
	return !layout->parts.is_same && !layout->has_gather && !layout->writes_memory &&
	       (*layout->form_text != 'F' || !strstr(layout->form_text, "st"));
}

static void time_latencies(struct instruction_timer *timer, const struct form_layout *layout,
			   const struct timed_code_state *state, struct instruction_timing *timing)
{
	size_t number = 0;

	for (size_t i = 0; i < layout->n_places; i++)
		for (size_t j = 0; j < layout->n_places; j++) {
			struct pair pair = {.from = &layout->places[i], .to = &layout->places[j]};

			if (!pair.from->is_read || !pair.to->is_written || number++ < timing->n_tried)
				continue;
			timing->n_tried++;
			time_pair(timer, layout, state, &pair, timing);
		}
}

void instruction_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing)
{
	struct timed_code_state state;
	struct form_layout layout;

	timing->is_encoded = form_layout_init(&layout, form_text);
	if (!timing->is_encoded)
		return;
	timing->reads_memory = layout.reads_memory;
	timing->writes_memory = layout.writes_memory;
	form_layout_fill(&layout, timer->data, DATA_BYTES, &state);
	if (!timing->has_throughput)
		time_throughput(timer, &layout, &state, timing);
	if (timing->has_throughput && has_latencies(&layout))
		time_latencies(timer, &layout, &state, timing);
}
