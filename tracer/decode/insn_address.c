#include "decode/insn_address.h"

bool insn_operand_is_access(const struct insn_operand *operand)
{
	return operand->kind == OPERAND_MEMORY && (operand->is_read || operand->is_written);
}

uint32_t insn_iteration_bytes(const struct insn_operands *operands)
{
	uint32_t n_bytes = 0;

	for (size_t i = 0; i < operands->n_operands; i++)
		if (insn_operand_is_access(&operands->operands[i]))
			n_bytes = operands->operands[i].bits / 8u;
	return n_bytes;
}

size_t insn_count_address_entries(const struct insn_operands *operands)
{
	size_t n_addresses = operands->is_repeated;

	for (size_t i = 0; i < operands->n_operands; i++)
		n_addresses += insn_operand_is_access(&operands->operands[i]);
	return n_addresses;
}

static uint64_t register_value(const struct insn_registers *registers, struct insn_register reg)
{
	switch (reg.file) {
	case REGISTER_GENERAL:
		return registers->general[reg.number];
	case REGISTER_IP:
		return registers->next_va;
	default:
		return 0;
	}
}

static bool is_based_on_stack(const struct insn_operand *operand)
{
	return operand->base.file == REGISTER_GENERAL && operand->base.number == GENERAL_RSP;
}

/* Intel SDM vol. 2, POP: the destination's address is computed after RSP is incremented. */
static uint64_t pop_rsp_increment(const struct insn_operands *operands, const struct insn_operand *operand)
{
	if (operand->is_hidden || !operand->is_written || !is_based_on_stack(operand))
		return 0;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *other = &operands->operands[i];

		if (insn_operand_is_access(other) && other->is_hidden && other->is_read && is_based_on_stack(other))
			return other->bits / 8;
	}
	return 0;
}

uint64_t insn_operand_va(const struct insn_operands *operands, const struct insn_operand *operand,
			 const struct insn_registers *registers)
{
	uint64_t va = (uint64_t)operand->displacement + register_value(registers, operand->base) +
		      register_value(registers, operand->index) * operand->scale;

	if (operand->is_hidden && is_based_on_stack(operand))
		return operand->is_written ? va - operand->bits / 8 : va;
	va += pop_rsp_increment(operands, operand);
	if (operands->has_address_size_prefix)
		va &= UINT32_MAX;
	if (operand->segment == SEGMENT_FS)
		va += registers->fs_base;
	if (operand->segment == SEGMENT_GS)
		va += registers->gs_base;
	return va;
}

size_t insn_find_addresses(const struct insn_operands *operands, const struct insn_registers *registers,
			   uint64_t addresses[INSN_MAX_OPERANDS])
{
	size_t n_addresses = 0;

	for (size_t i = 0; i < operands->n_operands; i++)
		if (insn_operand_is_access(&operands->operands[i]))
			addresses[n_addresses++] = insn_operand_va(operands, &operands->operands[i], registers);
	return n_addresses;
}
