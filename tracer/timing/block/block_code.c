#include "timing/block/block_code.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"

enum {
	/* More than any reorder buffer holds, so that the copies reach the steady state. */
	LEAST_INSNS = 600,
	LEAST_ITERATIONS = 64, /* of a loop: the exit is mispredicted, which the difference of two counts removes */
	LINE_BYTES = 64,
	OP_MOV_TO_MEMORY = 0x89,
	OP_MOV_FROM_MEMORY = 0x8b,
};

/* What the block is made of. */
struct parts {
	size_t n_insns, jump_at, before_jump_at; /* offsets of the last two instructions */
	struct insn last;
	uint16_t used; /* general registers */
	enum timed_code_vectors vectors;
};

static void append(uint8_t *bytes, size_t *n_bytes, const void *added, size_t n_added)
{
	memcpy(bytes + *n_bytes, added, n_added);
	*n_bytes += n_added;
}

/* Appends a MOV between a register and the context. */
static void append_move(uint8_t *bytes, size_t *n_bytes, uint8_t opcode, unsigned int number, size_t offset)
{
	uint8_t move[] = {(uint8_t)(number < 8 ? 0x48 : 0x4c), opcode, (uint8_t)(0x04 | (number & 7) << 3), 0x25};
	int32_t address = (int32_t)(BLOCK_CONTEXT_ADDRESS + offset);

	append(bytes, n_bytes, move, sizeof(move));
	append(bytes, n_bytes, &address, sizeof(address));
}

static void note_insn(struct parts *parts, const uint8_t *bytes, size_t n_bytes)
{
	struct insn_operands operands;
	struct form form;

	form_of_bytes(bytes, n_bytes, &form);
	if (strstr(form.text, "zmm"))
		parts->vectors = TIMED_CODE_ZMM;
	else if (parts->vectors == TIMED_CODE_XMM && strstr(form.text, "ymm"))
		parts->vectors = TIMED_CODE_YMM;
	if (insn_operands_decode(bytes, n_bytes, &operands))
		parts->used |= operands.read.general | operands.written.general | operands.address;
}

static bool find_parts(struct parts *parts, const struct block_to_time *block, struct error *err)
{
	*parts = (struct parts){0};
	for (size_t at = 0; at < block->n_bytes; at += parts->last.length) {
		if (!insn_decode(block->bytes + at, block->n_bytes - at, &parts->last))
			return error_set(err, ERROR_FORMAT, "not whole instructions");
		if (parts->last.flow != FLOW_NEXT &&
		    ((parts->last.flow != FLOW_BRANCH && parts->last.flow != FLOW_JUMP) ||
		     at + parts->last.length < block->n_bytes))
			return error_set(err, ERROR_USAGE, "it has a call, a system call or a jump before its end");
		note_insn(parts, block->bytes + at, parts->last.length);
		parts->before_jump_at = parts->jump_at;
		parts->jump_at = at;
		parts->n_insns++;
	}
	return parts->vectors <= timed_code_widest_vectors() ||
	       error_set(err, ERROR_ENVIRONMENT, "this CPU lacks its vector registers");
}

/* Lets the copies begin at a cache line, because timed_code's loop does. */
static size_t pad(uint8_t *before, size_t n_before)
{
	static const uint8_t nop = 0x90;

	while (n_before % LINE_BYTES)
		append(before, &n_before, &nop, 1);
	return n_before;
}

static void make_setup(struct block_code *code)
{
	static const uint8_t lfence[] = {0x0f, 0xae, 0xe8}, cld = 0xfc;
	size_t n_before = 0, n_after = 0;

	append_move(code->before[0], &n_before, OP_MOV_TO_MEMORY, GENERAL_RSP,
		    offsetof(struct block_context, saved_rsp));
	append_move(code->before[0], &n_before, OP_MOV_TO_MEMORY, 15, offsetof(struct block_context, saved_r15));
	for (unsigned int i = 0; i < INSN_N_GENERAL; i++)
		append_move(code->before[0], &n_before, OP_MOV_FROM_MEMORY, i,
			    offsetof(struct block_context, general) + 8 * i);
	/* Else a run would overlap with the one before. */
	append(code->before[0], &n_before, lfence, sizeof(lfence));
	append_move(code->after, &n_after, OP_MOV_FROM_MEMORY, GENERAL_RSP, offsetof(struct block_context, saved_rsp));
	append_move(code->after, &n_after, OP_MOV_FROM_MEMORY, 15, offsetof(struct block_context, saved_r15));
	append(code->after, &n_after, &cld, 1);
	memcpy(code->before[1], code->before[0], n_before);
	code->once = (struct timed_code_body){.bytes = code->bytes,
					      .before = code->before[0],
					      .n_before = n_before,
					      .after = code->after,
					      .n_after = n_after};
}

/* Copies in a row. A jump at the end goes to the next copy. */
static void make_copies(struct block_code *code, const struct block_to_time *block, const struct parts *parts)
{
	size_t n_copies = (LEAST_INSNS + parts->n_insns - 1) / parts->n_insns;

	memcpy(code->bytes, block->bytes, block->n_bytes);
	if (parts->last.flow != FLOW_NEXT)
		memset(code->bytes + block->n_bytes - parts->last.trailing_constant_bytes, 0,
		       parts->last.trailing_constant_bytes);
	code->once.n_bytes = block->n_bytes;
	code->once.n_copies = n_copies;
	code->once.n_before = pad(code->before[0], code->once.n_before);
	code->twice = code->once;
	code->twice.n_copies *= 2;
	code->n_iterations = n_copies;
}

/* Finds whether the loop counts a register down by 1 to 0 and does not else write it. Such a loop runs as it is. */
static bool counts_down(const struct block_to_time *block, const struct parts *parts, unsigned int *counter)
{
	const uint8_t *bytes = block->bytes + parts->before_jump_at;
	struct insn_operands operands;
	struct form form;
	struct insn insn;
	uint16_t used = 0;

	form_of_bytes(block->bytes + parts->jump_at, parts->last.length, &form);
	if (parts->n_insns < 2 || strcmp(form.mnemonic, "JNZ") != 0)
		return false;
	form_of_bytes(bytes, block->n_bytes - parts->before_jump_at, &form);
	if (strcmp(form.text, "DEC r64") != 0 && strcmp(form.text, "DEC r32") != 0)
		return false;
	insn_operands_decode(bytes, block->n_bytes - parts->before_jump_at, &operands);
	*counter = operands.operands[0].reg.number;
	for (size_t at = 0; at < parts->before_jump_at; at += insn.length) {
		insn_decode(block->bytes + at, block->n_bytes - at, &insn);
		if (insn_operands_decode(block->bytes + at, insn.length, &operands))
			used |= operands.written.general;
	}
	return !(used >> *counter & 1);
}

/* Finds a register that the block leaves alone. */
static bool find_counter(const struct parts *parts, unsigned int *counter)
{
	for (unsigned int i = INSN_N_GENERAL - 1; i > 0; i--)
		if (i != GENERAL_RSP && !(parts->used >> i & 1)) {
			*counter = i;
			return true;
		}
	return false;
}

/* Writes the end of the loop: DEC and JNZ instead of the block's own comparison and jump. Both pairs fuse. */
static size_t replace_end(struct block_code *code, const struct block_to_time *block, const struct parts *parts,
			  unsigned int counter)
{
	uint8_t end[] = {(uint8_t)(counter < 8 ? 0x48 : 0x49), 0xff, (uint8_t)(0xc8 | (counter & 7)), 0x0f, 0x85};
	size_t n_bytes = parts->last.flow == FLOW_NEXT ? block->n_bytes : parts->jump_at;
	struct form form;
	int32_t distance;

	if (parts->last.flow == FLOW_BRANCH && parts->n_insns > 1) {
		form_of_bytes(block->bytes + parts->before_jump_at, parts->jump_at - parts->before_jump_at, &form);
		if ((strcmp(form.mnemonic, "CMP") == 0 || strcmp(form.mnemonic, "TEST") == 0) &&
		    !strstr(form.text, " m") && !strstr(form.text, ", m"))
			n_bytes = parts->before_jump_at;
	}
	memcpy(code->bytes, block->bytes, n_bytes);
	append(code->bytes, &n_bytes, end, sizeof(end));
	distance = -(int32_t)(n_bytes + sizeof(distance));
	append(code->bytes, &n_bytes, &distance, sizeof(distance));
	return n_bytes;
}

static bool make_loop(struct block_code *code, const struct block_to_time *block, const struct parts *parts,
		      struct error *err)
{
	size_t n_iterations = LEAST_INSNS / parts->n_insns;
	unsigned int counter;

	if (n_iterations < LEAST_ITERATIONS)
		n_iterations = LEAST_ITERATIONS;
	code->once.n_copies = 1;
	if (counts_down(block, parts, &counter)) {
		memcpy(code->bytes, block->bytes, block->n_bytes);
		code->once.n_bytes = block->n_bytes;
	} else if (find_counter(parts, &counter)) {
		code->once.n_bytes = replace_end(code, block, parts, counter);
	} else {
		return error_set(err, ERROR_USAGE, "the loop leaves no register for a counter");
	}
	code->twice = code->once;
	code->twice.before = code->before[1];
	for (uint32_t i = 0; i < 2; i++) {
		uint8_t set[] = {(uint8_t)(counter < 8 ? 0x40 : 0x41), (uint8_t)(0xb8 + counter % 8)};
		uint32_t count = (uint32_t)n_iterations * (i + 1);
		size_t n_before = code->once.n_before;

		append(code->before[i], &n_before, set, sizeof(set));
		append(code->before[i], &n_before, &count, sizeof(count));
		code->twice.n_before = pad(code->before[i], n_before);
	}
	code->once.n_before = code->twice.n_before;
	code->n_iterations = n_iterations;
	return true;
}

bool block_code_init(struct block_code *code, const struct block_to_time *block, struct error *err)
{
	struct parts parts;

	*code = (struct block_code){.bytes = xcalloc(block->n_bytes + 2 * INSN_MAX_BYTES, 1)};
	if (!find_parts(&parts, block, err))
		return false;
	make_setup(code);
	code->once.vectors = parts.vectors;
	if (block->is_loop)
		return make_loop(code, block, &parts, err);
	make_copies(code, block, &parts);
	return true;
}

void block_code_deinit(struct block_code *code)
{
	free(code->bytes);
}
