#include "timing/chain.h"

#include <string.h>

#include "base/array.h"
#include "costmodels/model/cost.h"
#include "decode/effects.h"
#include "decode/encode.h"

#define COPIES 100
#define LOOP_INSNS 4
#define MAX_ATTEMPTS 50 /* some seconds on a busy machine */

bool sequence_append(struct sequence *sequence, const char *form_text, const struct insn_choice *choice)
{
	uint8_t bytes[INSN_MAX_BYTES];
	size_t length = insn_encode(form_text, choice, bytes);

	if (!length || sequence->n_bytes + length > sizeof(sequence->bytes))
		return false;
	memcpy(sequence->bytes + sequence->n_bytes, bytes, length);
	sequence->n_bytes += length;
	return true;
}

static bool append_two(struct sequence *sequence, const char *form_text, uint8_t first, uint8_t second)
{
	/* The immediate 4 shifts by 4 or orders elements as 0, 1, 0, 0, so that no form is a mere move. */
	const struct insn_choice choice = {.registers = {first, second, second},
					   .mask = CHAIN_FIRST_MASK,
					   .immediate = 4};

	return sequence_append(sequence, form_text, &choice);
}

/* From a register of another file to a general one, and back. */
static const char *const from_file_forms[][2] = {
	[PLACE_VECTOR] = {"MOVQ r64, xmm", "VMOVQ r64, xmm"},
	[PLACE_MMX] = {"MOVQ r64, mm", "MOVQ r64, mm"},
	[PLACE_MASK] = {"KMOVD r32, k", "KMOVD r32, k"},
};
static const char *const to_file_forms[][2] = {
	[PLACE_VECTOR] = {"MOVQ xmm, r64", "VMOVQ xmm, r64"},
	[PLACE_MMX] = {"MOVQ mm, r64", "MOVQ mm, r64"},
	[PLACE_MASK] = {"KMOVD k, r32", "KMOVD k, r32"},
};

/* Returns a conditional move that depends on one of the flags. A move that depends on both CF and ZF takes longer on
 * some CPUs. */
static const char *move_by_flags(uint32_t flags)
{
	return flags & FLAG_CF	 ? "CMOVB r64, r64"
	       : flags & FLAG_ZF ? "CMOVZ r64, r64"
	       : flags & FLAG_SF ? "CMOVS r64, r64"
	       : flags & FLAG_OF ? "CMOVO r64, r64"
	       : flags & FLAG_PF ? "CMOVP r64, r64"
				 : NULL;
}

/* Appends a step within one register file. */
static int64_t append_within(struct sequence *sequence, const struct chain_costs *costs, const struct place *from,
			     const struct place *to, bool is_avx, enum chain_domain domain)
{
	static const char *const shuffles[2][2] = {{"PSHUFD xmm, xmm, imm8", "VPSHUFD xmm, xmm, imm8"},
						   {"MOVSHDUP xmm, xmm", "VPERMILPS xmm, xmm, imm8"}};

	switch (to->kind) {
	case PLACE_GENERAL:
		return append_two(sequence, "MOVSX r64, r8", to->number, from->number) ? costs->general : -1;
	case PLACE_VECTOR:
		return append_two(sequence, shuffles[domain][is_avx], to->number, from->number) ? costs->vector : -1;
	case PLACE_MMX:
		return append_two(sequence, "PSHUFW mm, mm, imm8", to->number, from->number) ? costs->mmx : -1;
	case PLACE_MASK:
		return append_two(sequence, "KANDQ k, k, k", to->number, from->number) ? costs->mask : -1;
	default:
		return -1;
	}
}

/* Appends a step into a general register and sets *number to it. */
static int64_t append_to_general(struct sequence *sequence, const struct chain_costs *costs, const struct place *from,
				 bool is_avx, uint8_t *number)
{
	const char *form_text;

	switch (from->kind) {
	case PLACE_GENERAL:
		*number = from->number;
		return 0;
	case PLACE_HIGH:
		/* No REX prefix can be used with a high byte. */
		*number = GENERAL_RBP;
		return append_two(sequence, "MOVSX r32, r8h", *number, from->number) ? costs->high : -1;
	case PLACE_FLAGS:
		form_text = move_by_flags(from->flags);
		return form_text && append_two(sequence, form_text, *number, CHAIN_CONSTANT) ? costs->from_flags : -1;
	case PLACE_ADDRESS:
		return -1;
	default:
		return append_two(sequence, from_file_forms[from->kind][is_avx], *number, from->number)
			       ? costs->from_file[from->kind]
			       : -1;
	}
}

static int64_t append_from_general(struct sequence *sequence, const struct chain_costs *costs, uint8_t number,
				   const struct place *to, bool is_avx)
{
	switch (to->kind) {
	case PLACE_GENERAL:
		return number == to->number || append_two(sequence, "MOVSX r64, r8", to->number, number)
			       ? (number == to->number ? 0 : costs->general)
			       : -1;
	case PLACE_FLAGS:
		return append_two(sequence, "TEST r64, r64", number, number) ? costs->to_flags : -1;
	case PLACE_ADDRESS:
		return append_two(sequence, "MOVSX r64, r8", CHAIN_CARRIER, number) &&
				       append_two(sequence, "AND r64, r64", CHAIN_CARRIER, CHAIN_ZERO) &&
				       append_two(sequence, "ADD r64, r64", CHAIN_BASE, CHAIN_CARRIER)
			       ? costs->general + costs->to_address
			       : -1;
	case PLACE_HIGH:
		return -1;
	default:
		return append_two(sequence, to_file_forms[to->kind][is_avx], to->number, number)
			       ? (is_avx && to->kind == PLACE_VECTOR ? costs->to_vector_avx : costs->to_file[to->kind])
			       : -1;
	}
}

int64_t chain_append(struct sequence *sequence, const struct chain_costs *costs, const struct place *from,
		     const struct place *to, enum insn_encoding encoding, enum chain_domain domain)
{
	bool is_avx = encoding == ENCODING_VEX || encoding == ENCODING_EVEX;
	/* A conditional move into the target needs no second step. */
	uint8_t number = from->kind == PLACE_FLAGS && to->kind == PLACE_GENERAL ? to->number : CHAIN_CARRIER;
	int64_t first, second;

	if (from->kind == to->kind && from->kind != PLACE_FLAGS)
		return append_within(sequence, costs, from, to, is_avx, domain);
	first = append_to_general(sequence, costs, from, is_avx, &number);
	second = first < 0 ? -1 : append_from_general(sequence, costs, number, to, is_avx);
	return second < 0 ? -1 : first + second;
}

/* Appends MOV r32, imm32, or XOR, which needs no execution unit but changes the flags. */
static bool append_constant(struct sequence *sequence, uint8_t number, uint64_t value, bool keeps_flags)
{
	uint8_t load_constant[] = {(uint8_t)(number < 8 ? 0x40 : 0x41), (uint8_t)(0xb8 + number % 8), 0, 0, 0, 0};

	if (!value && !keeps_flags)
		return append_two(sequence, "XOR r32, r32 (same)", number, number);
	memcpy(&load_constant[2], &value, 4);
	if (sequence->n_bytes + sizeof(load_constant) > sizeof(sequence->bytes))
		return false;
	memcpy(sequence->bytes + sequence->n_bytes, load_constant, sizeof(load_constant));
	sequence->n_bytes += sizeof(load_constant);
	return true;
}

bool chain_append_break(struct sequence *sequence, const struct timed_code_state *state, const struct place *place,
			enum insn_encoding encoding, bool keeps_flags)
{
	switch (place->kind) {
	case PLACE_GENERAL:
	case PLACE_HIGH:
		return append_constant(sequence, place->number, state->general[place->number], keeps_flags);
	case PLACE_VECTOR:
		/* A dividend of SSE must not become 0. AVX instructions that read their destination only merge it or
		 * add to it. */
		if (encoding == ENCODING_LEGACY)
			return append_two(sequence, "MOVAPS xmm, xmm", place->number, CHAIN_CONSTANT);
		return append_two(sequence, "VPXOR xmm, xmm, xmm (same)", place->number, place->number);
	case PLACE_MMX:
		return append_two(sequence, "MOVQ mm, mm", place->number, CHAIN_CONSTANT_MASK_MMX);
	case PLACE_MASK:
		return append_two(sequence, "KMOVQ k, k", place->number, CHAIN_CONSTANT_MASK_MMX);
	case PLACE_FLAGS:
		return append_two(sequence, "TEST r64, r64", CHAIN_CONSTANT, CHAIN_CONSTANT);
	default:
		return false;
	}
}

/* Measures a loop of up to LOOP_INSNS instructions from a register into itself. */
static bool measure_loop(struct clock *clock, struct timed_code *code, const char *const form_texts[LOOP_INSNS],
			 const uint8_t registers[LOOP_INSNS][2], int64_t *out)
{
	struct timed_code_state state;
	struct sequence sequence = {.n_bytes = 0};
	struct timed_code_body body = {.n_copies = COPIES};
	struct clock_result result;
	int64_t cycles = -1;

	for (int i = 0; i < LOOP_INSNS && form_texts[i]; i++)
		if (!append_two(&sequence, form_texts[i], registers[i][0], registers[i][1]))
			return false;
	timed_code_state_init(&state, 0, sizeof(uint64_t));
	state.general[CHAIN_BASE] = (uint64_t)(uintptr_t)&state;
	state.general[CHAIN_ZERO] = 0;
	body.bytes = sequence.bytes;
	body.n_bytes = sequence.n_bytes;
	/* All latencies depend on these steps, so two measurements must agree. Latencies are whole cycles. */
	for (int i = 0; i < MAX_ATTEMPTS; i++) {
		int64_t before = cycles;

		if (!clock_measure_body(clock, code, &body, &state, &result))
			continue;
		cycles = (result.mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE * MCYC_PER_CYCLE;
		if (cycles == before) {
			*out = cycles;
			return true;
		}
	}
	return false;
}

/* The loops from a register to itself, the cost that each loop measures, and the vectors that it needs. */
static const struct {
	const char *form_texts[LOOP_INSNS];
	uint8_t registers[LOOP_INSNS][2];
	size_t cost_offset;
	enum timed_code_vectors least;
} steps[] = {
	{{"MOVSX r64, r8"}, {{3, 3}}, offsetof(struct chain_costs, general), TIMED_CODE_XMM},
	{{"MOVSX r32, r8h"}, {{3, 3}}, offsetof(struct chain_costs, high), TIMED_CODE_XMM},
	{{"PSHUFD xmm, xmm, imm8"}, {{1, 1}}, offsetof(struct chain_costs, vector), TIMED_CODE_XMM},
	{{"PSHUFW mm, mm, imm8"}, {{1, 1}}, offsetof(struct chain_costs, mmx), TIMED_CODE_XMM},
	{{"KANDQ k, k, k"}, {{1, 1}}, offsetof(struct chain_costs, mask), TIMED_CODE_ZMM},
	{{"TEST r64, r64", "CMOVZ r64, r64"},
	 {{3, 3}, {3, 14}},
	 offsetof(struct chain_costs, from_flags),
	 TIMED_CODE_XMM},
	{{"AND r64, r64", "ADD r64, r64"},
	 {{3, 13}, {3, 14}},
	 offsetof(struct chain_costs, to_address),
	 TIMED_CODE_XMM},
	{{"MOVQ xmm, m64", "MOVQ r64, xmm", "AND r64, r64", "ADD r64, r64"},
	 {{1, CHAIN_BASE}, {3, 1}, {3, CHAIN_ZERO}, {CHAIN_BASE, 3}},
	 offsetof(struct chain_costs, vector_load),
	 TIMED_CODE_XMM},
	{{"MOVQ xmm, r64", "MOVQ r64, xmm"},
	 {{1, 3}, {3, 1}},
	 offsetof(struct chain_costs, from_file[PLACE_VECTOR]),
	 TIMED_CODE_XMM},
	{{"VMOVQ xmm, r64", "VMOVQ r64, xmm"},
	 {{1, 3}, {3, 1}},
	 offsetof(struct chain_costs, to_vector_avx),
	 TIMED_CODE_YMM},
	{{"MOVQ mm, r64", "MOVQ r64, mm"},
	 {{1, 3}, {3, 1}},
	 offsetof(struct chain_costs, from_file[PLACE_MMX]),
	 TIMED_CODE_XMM},
	{{"KMOVD k, r32", "KMOVD r32, k"},
	 {{CHAIN_FIRST_MASK, 3}, {3, CHAIN_FIRST_MASK}},
	 offsetof(struct chain_costs, from_file[PLACE_MASK]),
	 TIMED_CODE_ZMM},
	{{"VPBLENDMD xmm{k}, xmm, xmm"}, {{1, 1}}, offsetof(struct chain_costs, blend), TIMED_CODE_ZMM},
	{{"KMOVD k, r32", "VPBLENDMD xmm{k}, xmm, xmm", "VMOVQ r64, xmm"},
	 {{CHAIN_FIRST_MASK, 3}, {1, 2}, {3, 1}},
	 offsetof(struct chain_costs, to_blend),
	 TIMED_CODE_ZMM},
};

/* Only the sum of both ways can be measured. The latency of a load to a vector register, which AMD and Intel document,
 * tells how long the way back is. Without it, half of the sum is at most a cycle or two off. A blend waits for its mask
 * as long as for its other sources, which divides the ways to a mask and back. */
static void split_round_trips(struct chain_costs *costs, int64_t vector_load_mcyc)
{
	int64_t back = costs->vector_load - costs->to_address - vector_load_mcyc, to_mask;

	for (int i = PLACE_VECTOR; i <= PLACE_MASK; i++) {
		int64_t round_trip = costs->from_file[i];

		costs->to_file[i] = round_trip / 2 / MCYC_PER_CYCLE * MCYC_PER_CYCLE;
		if (i != PLACE_MASK && vector_load_mcyc && back >= MCYC_PER_CYCLE && back < round_trip)
			costs->to_file[i] = round_trip - back;
		costs->from_file[i] = round_trip - costs->to_file[i];
	}
	costs->to_vector_avx -= costs->from_file[PLACE_VECTOR];
	to_mask = costs->to_blend - costs->blend - costs->from_file[PLACE_VECTOR];
	if (to_mask >= MCYC_PER_CYCLE && to_mask < costs->to_file[PLACE_MASK] + costs->from_file[PLACE_MASK]) {
		costs->from_file[PLACE_MASK] += costs->to_file[PLACE_MASK] - to_mask;
		costs->to_file[PLACE_MASK] = to_mask;
	}
}

bool chain_measure_costs(struct clock *clock, struct timed_code *code, int64_t vector_load_mcyc,
			 struct chain_costs *out, struct error *err)
{
	struct chain_costs costs = {.to_flags = MCYC_PER_CYCLE};

	for (size_t i = 0; i < ARRAY_LENGTH(steps); i++) {
		int64_t *cost = (int64_t *)((char *)&costs + steps[i].cost_offset);

		if (steps[i].least <= timed_code_widest_vectors() &&
		    !measure_loop(clock, code, steps[i].form_texts, steps[i].registers, cost))
			return error_set(err, ERROR_ENVIRONMENT,
					 "cannot measure: other programs or the virtual machine disturb the clock too "
					 "much; stop other programs and try again");
	}
	costs.from_flags -= costs.to_flags;
	split_round_trips(&costs, vector_load_mcyc);
	*out = costs;
	return true;
}
