#include "costmodels/estimators/pipeline/block/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"

/* RFLAGS, Intel SDM vol. 1, 3.4.3 */
#define FLAG_CF 0x001
#define FLAG_PF 0x004
#define FLAG_ZF 0x040
#define FLAG_SF 0x080
#define FLAG_OF 0x800

/* Returns the accessed memory operand, or NULL. PUSH m64 has two, of which this returns the explicit one. */
static const struct insn_operand *memory_of(const struct insn_operands *operands)
{
	const struct insn_operand *found = NULL;

	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind == OPERAND_MEMORY && (operand->is_read || operand->is_written) &&
		    (!found || found->is_hidden))
			found = operand;
	}
	return found;
}

static bool has_vector(const struct insn_operands *operands)
{
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind == OPERAND_REGISTER &&
		    (operand->reg.file == REGISTER_VECTOR || operand->reg.file == REGISTER_MMX))
			return true;
	}
	return false;
}

static void read_memory_operand(struct block_insn *insn)
{
	const struct insn_operand *memory = memory_of(&insn->operands);

	insn->is_vector = has_vector(&insn->operands);
	if (!memory)
		return;
	insn->is_indexed = memory->index.file != REGISTER_NONE;
	insn->is_scaled = insn->is_indexed && memory->scale > 1;
	/* Intel 64 and IA-32 Architectures Optimization Reference Manual, "L1 DCache": base plus offset below 2048 */
	insn->has_simple_address = !insn->is_indexed && memory->base.file == REGISTER_GENERAL &&
				   memory->displacement >= 0 && memory->displacement < 2048;
	insn->access_bits = memory->bits;
}

static bool is_prefixed(const uint8_t *bytes, uint8_t n_prefixes, uint8_t prefix)
{
	for (uint8_t i = 0; i < n_prefixes; i++)
		if (bytes[i] == prefix)
			return true;
	return false;
}

static void read_encoding(struct block_insn *insn, const uint8_t *bytes)
{
	static const uint8_t escape_bytes[] = {0, 1, 2, 2};
	const struct insn_operands *operands = &insn->operands;

	insn->opcode_offset = operands->n_prefixes;
	if (operands->encoding != ENCODING_LEGACY)
		return;
	insn->opcode_offset = (uint8_t)(insn->opcode_offset + operands->has_rex +
					(operands->opcode_map < 4 ? escape_bytes[operands->opcode_map] : 2));
	/* RET and ENTER have a 16-bit immediate with or without the prefix. */
	insn->has_lcp = operands->immediate_bytes == 2 && is_prefixed(bytes, operands->n_prefixes, 0x66) &&
			bytes[insn->opcode_offset] != 0xc2 && bytes[insn->opcode_offset] != 0xc8;
}

/* A move from a register to itself is not eliminated. */
static bool moves_to_itself(const struct insn_operands *operands)
{
	const struct insn_operand *to = &operands->operands[0], *from = &operands->operands[1];

	return operands->n_operands >= 2 && to->kind == OPERAND_REGISTER && from->kind == OPERAND_REGISTER &&
	       to->reg.file == from->reg.file && to->reg.number == from->reg.number;
}

static bool stays_fused(const struct machine_parameters *parameters, const struct block_insn *insn)
{
	const struct insn_operands *operands = &insn->operands;
	const struct insn_operand *first = &operands->operands[0];

	if (!insn->is_indexed || parameters->unlamination == UNLAMINATE_NEVER)
		return true;
	if (parameters->unlamination == UNLAMINATE_INDEXED)
		return false;
	if (insn->form->stores)
		return true;
	/* This includes compares, which only read their first register. */
	return operands->n_operands && first->kind == OPERAND_REGISTER && first->is_read &&
	       operands->encoding == ENCODING_LEGACY;
}

static void add_use(struct block_insn *insn, port_set_t ports, uint32_t mcyc)
{
	if (mcyc)
		insn->uses[insn->n_uses++] = (struct port_use){ports, mcyc};
}

static void lower(const struct pipeline *pipeline, struct block_insn *insn)
{
	const struct machine_parameters *parameters = &pipeline->parameters;
	const struct form_attributes *form = insn->form;
	uint32_t pairs;

	insn->ignores_sources = form->flags & (FORM_ZERO | FORM_INDEPENDENT | FORM_FLAGS_ONLY);
	insn->is_eliminated = form->flags & (FORM_ZERO | FORM_NOP) ||
			      (form->flags & FORM_MOVE && !moves_to_itself(&insn->operands));
	insn->decoded_uops = form->fused_uops;
	insn->issue_slots = insn->decoded_uops;
	if (insn->is_eliminated)
		return;
	if (!parameters->counts_fused && !stays_fused(parameters, insn)) {
		pairs = (form->loads && form->operation_uops) + form->stores;
		insn->issue_slots = form->fused_uops + pairs;
		if (insn->issue_slots > form->operation_uops + form->loads + 2 * form->stores)
			insn->issue_slots = form->operation_uops + form->loads + 2 * form->stores;
	}
	for (uint32_t i = 0; i < form->n_uses; i++)
		add_use(insn, form->uses[i].ports, form->uses[i].mcyc);
	add_use(insn, parameters->load_ports, form->load_mcyc);
	add_use(insn,
		insn->is_indexed && parameters->store_address_indexed_ports ? parameters->store_address_indexed_ports
									    : parameters->store_address_ports,
		form->store_address_mcyc);
	add_use(insn, parameters->store_data_ports, form->store_data_mcyc);
}

static bool jump_fuses(const struct block_insn *insn, const struct block_insn *jump)
{
	uint32_t flags = jump->operands.read.flags;
	bool tests_carry = flags & FLAG_CF;
	bool tests_sign_overflow_or_parity = flags == FLAG_SF || flags == FLAG_OF || flags == FLAG_PF;
	const struct insn_operand *memory = memory_of(&insn->operands);

	if (!(jump->form->flags & FORM_JUMP) || !flags)
		return false;
	/* Intel's manual, "Macro-Fusion": no fusion with an immediate and a memory operand, or with a write to
	 * memory. */
	if (memory && (memory->is_written || insn->operands.immediate_bytes))
		return false;
	if (insn->form->flags & FORM_FUSE_TEST)
		return true;
	if (insn->form->flags & FORM_FUSE_COMPARE)
		return !tests_sign_overflow_or_parity;
	if (insn->form->flags & FORM_FUSE_COUNT)
		return !tests_sign_overflow_or_parity && !tests_carry;
	return false;
}

static void fuse_jumps(const struct machine_parameters *parameters, struct block *block)
{
	for (size_t i = 1; i < block->n_insns; i++) {
		struct block_insn *insn = &block->insns[i];

		if (block->insns[i - 1].is_fused || !jump_fuses(&block->insns[i - 1], insn))
			continue;
		insn->is_fused = true;
		insn->decoded_uops = insn->issue_slots = 0;
		/* The fused pair executes on fused_jump_ports or, if the model states none, on the jump's ports. */
		if (block->insns[i - 1].form->n_uses)
			block->insns[i - 1].uses[0].mcyc = 0;
		if (parameters->fused_jump_ports && insn->n_uses)
			insn->uses[0].ports = parameters->fused_jump_ports;
	}
}

/* Fuses a register move with the next instruction if that instruction reads and writes the destination of the move. */
static void fuse_moves(struct block *block)
{
	for (size_t i = 0; i + 1 < block->n_insns; i++) {
		struct block_insn *move = &block->insns[i];
		const struct block_insn *next = &block->insns[i + 1];
		const struct insn_operand *to = &move->operands.operands[0], *target = &next->operands.operands[0];

		if (!(move->form->flags & FORM_MOVE) || !move->is_eliminated || to->reg.file != REGISTER_GENERAL ||
		    !next->operands.n_operands || next->is_eliminated || next->issue_slots != 1)
			continue;
		if (target->kind == OPERAND_REGISTER && target->reg.file == REGISTER_GENERAL && target->is_read &&
		    target->is_written && target->reg.number == to->reg.number && !next->operands.reads_memory) {
			move->issue_slots = 0;
			move->decoded_uops = 0;
			move->is_fused_move = true;
		}
	}
}

static bool uses_rsp(const struct insn_operands *operands)
{
	const uint16_t rsp = 1u << GENERAL_RSP;

	/* Of the instructions that move the stack, only those with RSP as an operand count, such as PUSH RSP, and
	 * LEAVE. */
	if (operands->moves_stack)
		return insn_operands_name_stack(operands);
	return (operands->read.general | operands->written.general | operands->address) & rsp;
}

/* Intel's manual, "Stack Pointer Tracker": an explicit use of RSP after an implicit change costs a micro-operation.
 * The state at the end of the block is that at the beginning of the next iteration. Therefore only the second pass
 * adds micro-operations. */
static void sync_stack(const struct machine_parameters *parameters, struct block *block)
{
	bool is_moved = false;

	for (size_t n = 0; n < 2 * block->n_insns; n++) {
		struct block_insn *insn = &block->insns[n % block->n_insns];
		const uint16_t rsp = 1u << GENERAL_RSP;

		if (insn->uses_rsp) {
			bool reads = (insn->operands.read.general | insn->operands.address) & rsp;
			bool is_second_pass = n >= block->n_insns;

			if (is_moved && reads && is_second_pass) {
				insn->syncs_stack = true;
				insn->issue_slots++;
				add_use(insn, parameters->alu_ports, MCYC_PER_CYCLE);
			}
			is_moved = false;
		}
		if (insn->operands.moves_stack)
			is_moved = true;
	}
}

/* On CPUs with paired_alu_percent, an ALU operation that depends on another one, or on which another one depends,
 * occupies its port longer. */
static void stretch_dependent_alu(const struct pipeline *pipeline, struct block *block)
{
	port_set_t alu = pipeline->parameters.alu_ports;
	struct block_insn *writers[INSN_N_GENERAL] = {NULL};

	for (size_t i = 0; i < block->n_insns; i++)
		block->insns[i].is_paired = false;
	for (size_t i = 0; i < block->n_insns; i++) {
		struct block_insn *insn = &block->insns[i];
		bool is_alu = insn->n_uses && insn->uses[0].ports == alu;
		uint16_t read = insn->operands.read.general;

		if (!insn->operands.reads_memory && !insn->operands.writes_memory)
			read |= insn->operands.address;
		for (unsigned reg = 0; reg < INSN_N_GENERAL; reg++) {
			bool reads = read >> reg & 1, writes = insn->operands.written.general >> reg & 1;

			if (reads && is_alu && writers[reg] && !insn->ignores_sources)
				insn->is_paired = writers[reg]->is_paired = true;
			if (writes)
				writers[reg] = is_alu ? insn : NULL;
		}
	}
	for (size_t i = 0; i < block->n_insns; i++)
		if (block->insns[i].is_paired)
			block->insns[i].uses[0].mcyc = block->insns[i].uses[0].mcyc *
						       pipeline->parameters.paired_alu_percent / 100;
}

bool block_read(struct pipeline *pipeline, struct block *block, const uint8_t *bytes, size_t n_bytes, struct error *err)
{
	size_t at = 0;

	block->bytes = bytes;
	block->n_bytes = n_bytes;
	block->n_insns = 0;
	block->ends_with_branch = false;
	while (at < n_bytes) {
		struct block_insn *insn;
		struct insn decoded;
		struct form form;

		if (!insn_decode(bytes + at, n_bytes - at, &decoded))
			return error_set(err, ERROR_USAGE,
					 "byte %zu of the block does not begin a complete instruction", at);
		form_of_bytes(bytes + at, n_bytes - at, &form);
		insn = ARRAY_ADD(block, insns);
		*insn = (struct block_insn){.offset = at, .length = decoded.length, .forwarded_from = NO_INSN};
		insn_operands_decode(bytes + at, n_bytes - at, &insn->operands);
		insn->form = machine_find_form(pipeline, form.text, &insn->operands);
		read_encoding(insn, bytes + at);
		read_memory_operand(insn);
		insn->uses_rsp = pipeline->parameters.stack_sync && uses_rsp(&insn->operands);
		lower(pipeline, insn);
		at += decoded.length;
		block->ends_with_branch = decoded.flow >= FLOW_BRANCH && decoded.flow <= FLOW_RETURN;
	}
	if (!block->n_insns)
		return error_set(err, ERROR_USAGE, "the block has no instructions");
	fuse_jumps(&pipeline->parameters, block);
	if (pipeline->parameters.move_fusion)
		fuse_moves(block);
	if (pipeline->parameters.stack_sync)
		sync_stack(&pipeline->parameters, block);
	if (pipeline->parameters.paired_alu_percent)
		stretch_dependent_alu(pipeline, block);
	return true;
}

void block_destroy(struct block *block)
{
	if (!block)
		return;
	free(block->insns);
	free(block);
}
