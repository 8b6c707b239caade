#include "profile/code_guess.h"

#include <string.h>

#include "profile/code_fields.h"
#include "profile/columns.h"

/* How the address of an instruction is told. */
enum gap {
	GAP_NONE,    /* it lies behind the one before */
	GAP_ALIGNED, /* so many times 16 bytes behind the next multiple of 16 */
	GAP_ANY,
	GAP_TARGETS, /* plus how many targets of jumps before it lie between: it is the next one */
};

#define MAX_GAP_TARGETS 8
#define ALIGNMENT 16

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where the targets at and behind an address begin: below this index they do. */
static size_t n_ahead_of(const struct code_guess *guess, uint64_t va)
{
	size_t n = guess->n_ahead;

	while (n > 0 && guess->ahead[n - 1] < va)
		n--;
	return n;
}

static enum gap gap_of(const struct code_guess *guess, uint64_t va, uint64_t aligned_va)
{
	size_t n_before = n_ahead_of(guess, guess->end_va + 1), n = n_ahead_of(guess, va);

	if (va == guess->end_va)
		return GAP_NONE;
	if (va > guess->end_va && n > 0 && guess->ahead[n - 1] == va && n_before - n < MAX_GAP_TARGETS)
		return (enum gap)(GAP_TARGETS + (n_before - n));
	return va >= aligned_va && (va - aligned_va) % ALIGNMENT == 0 ? GAP_ALIGNED : GAP_ANY;
}

void code_guess_address(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn)
{
	uint64_t aligned_va = (guess->end_va + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	enum gap gap = gap_of(guess, insn->va, aligned_va);
	size_t n_before = n_ahead_of(guess, guess->end_va + 1);
	uint64_t distance = n_before > 0 ? guess->ahead[n_before - 1] - guess->end_va : 0;
	bool is_target = n_ahead_of(guess, guess->end_va) > n_before;
	struct hint hint = {COLUMN_GAP,
			    5,
			    {guess->opcode, hint_mix(guess->opcode, is_target), hint_mix(guess->opcodes, 0),
			     hint_mix(guess->opcode, smaller(n_before, 6) + 2), hint_mix(guess->opcode, distance + 9)}};

	gap = (enum gap)bytes_io_uint(io, &hint, gap);
	hint = (struct hint){COLUMN_GAP_SIZE,
			     3,
			     {gap, hint_mix(gap, guess->opcode), hint_mix(gap, guess->end_va % ALIGNMENT)}};
	if (gap == GAP_NONE)
		insn->va = guess->end_va;
	else if (gap == GAP_ALIGNED)
		insn->va = aligned_va + ALIGNMENT * bytes_io_uint(io, &hint, (insn->va - aligned_va) / ALIGNMENT);
	else if (gap == GAP_ANY)
		insn->va = guess->end_va + (uint64_t)bytes_io_int(io, &hint, (int64_t)(insn->va - guess->end_va));
	else if (gap - GAP_TARGETS < n_before)
		insn->va = guess->ahead[n_before - 1 - (gap - GAP_TARGETS)];
	else if (io->reader)
		bytes_fail(io->reader, "an instruction is at a jump's target that is not there");
	guess->n_ahead = n_ahead_of(guess, insn->va);
	guess->is_at_target = guess->n_ahead > 0 && guess->ahead[guess->n_ahead - 1] == insn->va;
}

/* What came before, for the bytes of one field. `known` is what of the instruction is known. */
static struct hint hint_after(const struct code_guess *guess, enum column column, uint64_t known)
{
	return (struct hint){(uint8_t)column,
			     3,
			     {known, hint_mix(hint_mix(known, guess->opcode), guess->operand),
			      hint_mix(known, guess->opcodes + 1)}};
}

static void add_context(struct hint *hint, uint64_t context)
{
	hint->contexts[hint->n_contexts++] = context;
}

static uint64_t code_opcode(const struct code_guess *guess, const struct bytes_io *io, uint8_t *bytes,
			    struct code_fields *fields)
{
	uint64_t opcode = 1;
	unsigned n = 0;

	for (; !fields->opcode_end && n < INSN_MAX_BYTES; n++) {
		struct hint hint = hint_after(guess, COLUMN_OPCODE, opcode);

		add_context(&hint, hint_mix(hint_mix(opcode, guess->opcode), guess->opcode_before + 3));
		add_context(&hint, hint_mix(hint_mix(hint_mix(opcode, guess->opcode), guess->operand),
					    hint_mix(guess->opcode_before, guess->operand_before)));
		bytes[n] = bytes_io_byte(io, &hint, bytes[n]);
		opcode = hint_mix(opcode, bytes[n] + 1);
		code_fields_find(bytes, n + 1, fields);
	}
	return opcode;
}

static uint64_t code_operand(const struct code_guess *guess, const struct bytes_io *io, uint8_t *bytes, uint64_t opcode,
			     struct code_fields *fields)
{
	struct hint hint = hint_after(guess, COLUMN_MODRM, opcode);
	uint64_t operand;

	add_context(&hint, hint_mix(opcode, guess->operand + 4));
	add_context(&hint, hint_mix(opcode, guess->last_operand[opcode % 256] + 5));
	add_context(&hint, hint_mix(hint_mix(hint_mix(opcode, guess->opcode), guess->operand),
				    hint_mix(guess->opcode_before, guess->operand_before)));
	operand = bytes[fields->modrm] = bytes_io_byte(io, &hint, bytes[fields->modrm]);
	code_fields_find(bytes, fields->modrm + 1u, fields);
	if (fields->sib) {
		hint = hint_after(guess, COLUMN_SIB, hint_mix(opcode, operand));
		add_context(&hint, operand);
		add_context(&hint, hint_mix(operand, guess->operand + 7));
		bytes[fields->sib] = bytes_io_byte(io, &hint, bytes[fields->sib]);
		operand |= (uint64_t)bytes[fields->sib] << 8;
		code_fields_find(bytes, fields->sib + 1u, fields);
	}
	return operand;
}

/* Bytes from the upper one, each predicted with those above it; the upper half of four, which hardly changes, with few contexts. */
static void code_value(const struct bytes_io *io, const struct hint *hint, uint8_t *bytes, unsigned n_bytes)
{
	uint64_t known = n_bytes;

	for (unsigned i = n_bytes; i > 0; i--) {
		struct hint with = *hint;

		if (n_bytes == 4 && i > 2)
			with.n_contexts = 2;

		for (unsigned k = 0; k < with.n_contexts; k++)
			with.contexts[k] = hint_mix(with.contexts[k], known);
		bytes[i - 1] = bytes_io_byte(io, &with, bytes[i - 1]);
		known = hint_mix(known, bytes[i - 1] + 1);
	}
}

/* An address, stored as its distance from the end of the instruction. Returns its lower half. */
static uint64_t code_address(const struct bytes_io *io, const struct hint *hint, uint8_t *bytes, uint64_t end_va)
{
	uint32_t va = (uint32_t)(end_va + (uint64_t)code_fields_value(bytes, 4));
	uint8_t absolute[4];

	for (unsigned i = 0; i < 4; i++)
		absolute[i] = (uint8_t)(va >> 8 * i);
	code_value(io, hint, absolute, 4);
	va = (uint32_t)code_fields_value(absolute, 4);
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)((va - (uint32_t)end_va) >> 8 * i);
	return va;
}

static void code_displacement(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn,
			      uint64_t opcode, uint64_t operand, const struct code_fields *fields)
{
	uint64_t base = (operand & 0xffc7) + 1, end_va = insn->va + fields->length;
	uint64_t *last = &guess->last_displacement[hint_mix(base, 0) % 256];
	uint8_t *bytes = insn->bytes + fields->displacement;
	struct hint hint;

	if (fields->is_rip_relative) {
		hint = hint_after(guess, COLUMN_RIP_ADDRESS, opcode);
		add_context(&hint, 0);
		add_context(&hint, hint_mix(end_va >> 14, 8));
		add_context(&hint, hint_mix(guess->last_address, 9));
		add_context(&hint, hint_mix(insn->function, 10));
		guess->last_address = code_address(io, &hint, bytes, end_va);
		return;
	}
	hint = hint_after(guess, COLUMN_DISPLACEMENT, hint_mix(opcode, operand));
	add_context(&hint, base);
	add_context(&hint, hint_mix(base, opcode));
	add_context(&hint, hint_mix(base, *last));
	add_context(&hint, hint_mix(base, hint_mix(insn->function, 11)));
	code_value(io, &hint, bytes, fields->n_displacement);
	*last = (uint64_t)code_fields_value(bytes, fields->n_displacement);
}

static void add_target(struct code_guess *guess, uint64_t va, uint64_t end_va)
{
	unsigned at = 0;
	size_t ahead = guess->n_ahead;

	while (at < guess->n_targets && guess->targets[at] != va)
		at++;
	if (at == guess->n_targets && guess->n_targets < CODE_GUESS_TARGETS)
		guess->n_targets++;
	if (at == CODE_GUESS_TARGETS)
		at--;
	memmove(guess->targets + 1, guess->targets, at * sizeof(*guess->targets));
	guess->targets[0] = va;
	while (ahead > 0 && guess->ahead[ahead - 1] < va)
		ahead--;
	if (va < end_va || (ahead > 0 && guess->ahead[ahead - 1] == va))
		return;
	/* The farthest one makes room. */
	if (guess->n_ahead == CODE_GUESS_AHEAD) {
		if (ahead == 0)
			return;
		memmove(guess->ahead, guess->ahead + 1, --ahead * sizeof(*guess->ahead));
	} else {
		memmove(guess->ahead + ahead + 1, guess->ahead + ahead,
			(guess->n_ahead - ahead) * sizeof(*guess->ahead));
		guess->n_ahead++;
	}
	guess->ahead[ahead] = va;
}

/* Which target that jumps before it had, by rank among those on its side: 0 is the nearest one. */
static uint64_t rank_of(const struct code_guess *guess, uint64_t end_va, uint64_t va)
{
	uint64_t rank = 0;

	for (unsigned i = 0; i < guess->n_targets; i++)
		rank += va < end_va ? guess->targets[i] < end_va && guess->targets[i] > va
				    : guess->targets[i] >= end_va && guess->targets[i] < va;
	return rank;
}

static uint64_t target_of_rank(const struct code_guess *guess, uint64_t end_va, bool is_back, uint64_t rank)
{
	for (unsigned i = 0; i < guess->n_targets; i++)
		if ((guess->targets[i] < end_va) == is_back && rank_of(guess, end_va, guess->targets[i]) == rank)
			return guess->targets[i];
	return end_va;
}

static bool code_known_target(struct code_guess *guess, const struct bytes_io *io, uint64_t opcode, uint64_t end_va,
			      uint64_t *va)
{
	struct hint hint = hint_after(guess, COLUMN_TARGET_IS_KNOWN, opcode);
	bool is_known = false, is_back;
	unsigned n_back = 0, n_side;

	for (unsigned i = 0; i < guess->n_targets; i++) {
		is_known |= guess->targets[i] == *va;
		n_back += guess->targets[i] < end_va;
	}
	add_context(&hint, hint_mix(guess->known_targets, 12));
	is_known = bytes_io_uint(io, &hint, is_known);
	guess->known_targets = (guess->known_targets << 1 | is_known) & 7;
	if (!is_known)
		return false;
	hint = (struct hint){COLUMN_TARGET_IS_BACK, 2, {opcode, hint_mix(opcode, guess->known_targets)}};
	is_back = bytes_io_uint(io, &hint, *va < end_va);
	n_side = is_back ? n_back : guess->n_targets - n_back;
	hint = (struct hint){COLUMN_TARGET_RANK,
			     4,
			     {is_back, hint_mix(is_back, n_side), hint_mix(hint_mix(is_back, n_side), opcode),
			      hint_mix(is_back, hint_mix(guess->opcode, guess->operand))}};
	*va = target_of_rank(guess, end_va, is_back, bytes_io_uint(io, &hint, rank_of(guess, end_va, *va)));
	return true;
}

static void code_jump(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn, uint64_t opcode,
		      const struct code_fields *fields)
{
	uint64_t end_va = insn->va + fields->length, va;
	uint8_t *bytes = insn->bytes + fields->immediate;
	size_t n_before = n_ahead_of(guess, end_va + 1);

	va = end_va + (uint64_t)code_fields_value(bytes, fields->n_immediate);
	if (code_known_target(guess, io, opcode, end_va, &va)) {
		for (unsigned i = 0; i < fields->n_immediate; i++)
			bytes[i] = (uint8_t)((va - end_va) >> 8 * i);
	} else {
		struct hint hint = hint_after(guess, COLUMN_DISTANCE, opcode);

		add_context(&hint, n_before > 0 ? guess->ahead[n_before - 1] - end_va : 0);
		add_context(&hint, hint_mix(guess->n_targets > 0 ? guess->targets[0] - end_va : 0, 13));
		add_context(&hint, hint_mix(end_va % ALIGNMENT, 14));
		code_value(io, &hint, bytes, fields->n_immediate);
	}
	add_target(guess, end_va + (uint64_t)code_fields_value(bytes, fields->n_immediate), end_va);
}

static void code_immediate(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn,
			   uint64_t opcode, uint64_t operand, const struct code_fields *fields)
{
	uint64_t end_va = insn->va + fields->length;
	uint8_t *bytes = insn->bytes + fields->immediate;
	struct hint hint;

	if (fields->transfer == CODE_CALL) {
		hint = hint_after(guess, COLUMN_CALL_ADDRESS, 0);
		add_context(&hint, hint_mix(end_va >> 12, 15));
		add_context(&hint, hint_mix(insn->function, 16));
		add_context(&hint, hint_mix(guess->last_call, 17));
		guess->last_call = code_address(io, &hint, bytes, end_va);
	} else if (fields->has_target) {
		code_jump(guess, io, insn, opcode, fields);
	} else {
		hint = hint_after(guess, COLUMN_IMMEDIATE, hint_mix(opcode, operand));
		add_context(&hint, 0);
		add_context(&hint, hint_mix(opcode, 18));
		add_context(&hint, hint_mix(opcode, guess->operand + 19));
		code_value(io, &hint, bytes, fields->n_immediate);
	}
}

static void remember(struct code_guess *guess, uint64_t opcode, uint64_t operand)
{
	uint64_t before = hint_mix(guess->opcode_before, guess->operand_before);

	guess->opcodes = hint_mix(hint_mix(hint_mix(opcode, operand), hint_mix(guess->opcode, guess->operand)), before);
	guess->last_operand[opcode % 256] = operand;
	guess->opcode_before = guess->opcode;
	guess->operand_before = guess->operand;
	guess->opcode = opcode;
	guess->operand = operand;
}

static void code_regular(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn)
{
	struct code_fields fields = {0};
	uint64_t opcode = code_opcode(guess, io, insn->bytes, &fields), operand = 0;

	if (fields.modrm)
		operand = code_operand(guess, io, insn->bytes, opcode, &fields);
	if (fields.length == 0 || fields.length > INSN_MAX_BYTES) {
		if (io->reader)
			bytes_fail(io->reader, "an instruction is too long");
		return;
	}
	if (fields.n_displacement)
		code_displacement(guess, io, insn, opcode, operand, &fields);
	if (fields.n_immediate)
		code_immediate(guess, io, insn, opcode, operand, &fields);
	insn->length = fields.length;
	remember(guess, opcode, operand);
}

void code_guess_bytes(struct code_guess *guess, const struct bytes_io *io, struct profile_insn *insn)
{
	static const struct hint regular = {COLUMN_IS_REGULAR, 1, {0}}, length = {COLUMN_LENGTH, 1, {0}};
	struct code_fields fields;
	uint64_t n;

	code_fields_find(insn->bytes, insn->length, &fields);
	if (bytes_io_uint(io, &regular, insn->length > 0 && fields.length == insn->length)) {
		code_regular(guess, io, insn);
	} else {
		n = bytes_io_uint(io, &length, insn->length);
		if (n > INSN_MAX_BYTES) {
			bytes_fail(io->reader, "an instruction is too long");
			n = 0;
		}
		insn->length = (uint8_t)n;
		for (unsigned i = 0; i < n; i++)
			insn->bytes[i] = bytes_io_byte(io, &length, insn->bytes[i]);
	}
	guess->end_va = insn->va + insn->length;
}
