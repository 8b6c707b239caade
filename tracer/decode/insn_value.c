#include "decode/insn_value.h"

#include <string.h>

/* Opcodes (Intel SDM vol. 2). ModRM has three more bits of the opcode of a group. */
enum {
	XOR_TO_MODRM = 0x31,
	XOR_FROM_MODRM = 0x33,
	GROUP_1_32 = 0x81,
	GROUP_1_8 = 0x83,
	MOV_TO_MODRM = 0x89,
	MOV_FROM_MODRM = 0x8b,
	LEA = 0x8d,
	MOV_IMMEDIATE_FIRST = 0xb8,
	MOV_IMMEDIATE_LAST = 0xbf,
	MOV_IMMEDIATE_MODRM = 0xc7,
	ENTER = 0xc8,
	LEAVE = 0xc9,
	GROUP_5 = 0xff,

	ADD_OF_GROUP_1 = 0,
	SUB_OF_GROUP_1 = 5,
	INC_OF_GROUP_5 = 0,
	DEC_OF_GROUP_5 = 1,
};

static bool is_general(const struct insn_operand *operand, unsigned bits)
{
	return operand->kind == OPERAND_REGISTER && operand->reg.file == REGISTER_GENERAL && operand->reg.bits == bits;
}

/* Returns the immediate at the end of the instruction, sign-extended unless it has 64 bits. */
static uint64_t immediate_of(const uint8_t *bytes, size_t length, const struct insn_operands *operands)
{
	const uint8_t *at = bytes + length - operands->immediate_bytes;
	uint64_t value = 0;
	unsigned bits = 8u * operands->immediate_bytes;

	memcpy(&value, at, operands->immediate_bytes);
	return bits == 64 ? value : (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* Finds the number that PUSH, POP, CALL, RET and the like add to RSP. */
static bool stack_change(const struct insn_operands *operands, uint8_t opcode, uint64_t *change)
{
	const struct insn_operand *first = &operands->operands[0];
	bool is_to_rsp = first->kind == OPERAND_REGISTER && first->reg.file == REGISTER_GENERAL &&
			 first->reg.number == GENERAL_RSP && first->is_written && !first->is_hidden;

	*change = 0;
	if (is_to_rsp)
		return false;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (operand->kind != OPERAND_MEMORY || !operand->is_hidden)
			continue;
		if (*change || operand->base.file != REGISTER_GENERAL || operand->base.number != GENERAL_RSP)
			return false;
		*change = operand->is_written ? -(uint64_t)(operand->bits / 8) : operand->bits / 8;
	}
	/* RET with an immediate also pops that many bytes. Its result is not computed. */
	return *change && opcode != ENTER && opcode != LEAVE && !(operands->immediate_bytes && (int64_t)*change > 0);
}

static bool address_value(const struct insn_operands *operands, uint64_t next_va, struct insn_value *out)
{
	const struct insn_operand *memory = &operands->operands[1];

	if (operands->has_address_size_prefix || memory->index.file != REGISTER_NONE)
		return false;
	out->addend = (uint64_t)memory->displacement + (memory->base.file == REGISTER_IP ? next_va : 0);
	out->from = memory->base.file == REGISTER_GENERAL ? memory->base.number : INSN_VALUE_CONSTANT;
	return true;
}

static bool sum_value(struct insn_value *out, uint64_t addend)
{
	out->from = out->reg;
	out->addend = addend;
	return true;
}

static bool constant_value(struct insn_value *out, uint64_t value)
{
	out->from = INSN_VALUE_CONSTANT;
	out->addend = value;
	return true;
}

bool insn_find_value(const uint8_t *bytes, size_t length, const struct insn_operands *operands, uint64_t next_va,
		     struct insn_value *out)
{
	const struct insn_operand *first = &operands->operands[0], *second = &operands->operands[1];
	size_t at = operands->n_prefixes + operands->has_rex;
	uint8_t opcode = bytes[at], group = operands->has_modrm ? bytes[at + 1] >> 3 & 7 : 0;

	if (operands->encoding != ENCODING_LEGACY || operands->opcode_map != 0 || !operands->n_operands)
		return false;
	if (operands->moves_stack) {
		out->reg = out->from = GENERAL_RSP;
		return stack_change(operands, opcode, &out->addend);
	}
	if (opcode >= MOV_IMMEDIATE_FIRST && opcode <= MOV_IMMEDIATE_LAST && is_general(first, 32)) {
		out->reg = first->reg.number;
		return constant_value(out, (uint32_t)immediate_of(bytes, length, operands));
	}
	if ((opcode == XOR_TO_MODRM || opcode == XOR_FROM_MODRM) && (is_general(first, 32) || is_general(first, 64)) &&
	    second->kind == OPERAND_REGISTER && second->reg.number == first->reg.number) {
		out->reg = first->reg.number;
		return constant_value(out, 0);
	}
	if (!is_general(first, 64) || !first->is_written)
		return false;
	out->reg = first->reg.number;
	switch (opcode) {
	case MOV_TO_MODRM:
	case MOV_FROM_MODRM:
		if (!is_general(second, 64))
			return false;
		out->from = second->reg.number;
		out->addend = 0;
		return true;
	case LEA:
		return address_value(operands, next_va, out);
	case GROUP_1_8:
	case GROUP_1_32:
		if (group == ADD_OF_GROUP_1)
			return sum_value(out, immediate_of(bytes, length, operands));
		return group == SUB_OF_GROUP_1 && sum_value(out, -immediate_of(bytes, length, operands));
	case GROUP_5:
		if (group == INC_OF_GROUP_5)
			return sum_value(out, 1);
		return group == DEC_OF_GROUP_5 && sum_value(out, UINT64_MAX);
	case MOV_IMMEDIATE_MODRM:
		return group == 0 && constant_value(out, immediate_of(bytes, length, operands));
	default:
		if (opcode >= MOV_IMMEDIATE_FIRST && opcode <= MOV_IMMEDIATE_LAST)
			return constant_value(out, immediate_of(bytes, length, operands));
		return false;
	}
}
