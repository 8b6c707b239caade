#include "stream/block_attributes.h"

#include <stdlib.h>

#include "base/array.h"
#include "decode/insn_address.h"

void block_attributes_deinit(struct block_attributes *attributes)
{
	free(attributes->attributes);
	free(attributes->accesses);
	*attributes = (struct block_attributes){0};
}

static void add_accesses(struct block_attributes *attributes, struct block_attribute *attribute,
			 const struct profile_insn *insn, uint32_t index)
{
	struct insn_operands operands;
	uint32_t length_index;

	if (!insn->length || !insn_operands_decode(insn->bytes, insn->length, &operands))
		return;
	length_index = attribute->n_addresses + (uint32_t)insn_count_address_entries(&operands) - 1;
	for (size_t i = 0; i < operands.n_operands; i++) {
		const struct insn_operand *operand = &operands.operands[i];

		if (!insn_operand_is_access(operand))
			continue;
		*ARRAY_ADD(attributes, accesses) = (struct block_access){
			.insn = index,
			.address_index = attribute->n_addresses++,
			.n_bytes = operand->bits / 8u,
			.is_read = operand->is_read,
			.is_written = operand->is_written,
			.is_repeated = operands.is_repeated,
			.length_index = length_index,
		};
	}
	attribute->n_addresses += operands.is_repeated;
}

static void add_block(struct block_attributes *attributes, const struct profile *profile,
		      const struct profile_block *block)
{
	const uint32_t *insns = &profile->block_insns[block->first];
	const struct profile_insn *last = &profile->insns[insns[block->n_insns - 1]];
	struct block_attribute attribute = {
		.first_va = profile->insns[insns[0]].va,
		.last_va = last->va,
		.end_va = last->va + last->length,
		.last_insn = insns[block->n_insns - 1],
		.n_insns = block->n_insns,
		.first_access = (uint32_t)attributes->n_accesses,
	};
	struct insn decoded;

	if (last->length && insn_decode(last->bytes, last->length, &decoded))
		attribute.flow = decoded.flow;
	for (uint32_t i = 0; i < block->n_insns; i++)
		add_accesses(attributes, &attribute, &profile->insns[insns[i]], i);
	attribute.n_accesses = (uint32_t)attributes->n_accesses - attribute.first_access;
	*ARRAY_ADD(attributes, attributes) = attribute;
}

void block_attributes_update(struct block_attributes *attributes, const struct profile *profile)
{
	while (attributes->n_attributes < profile->n_blocks)
		add_block(attributes, profile, &profile->blocks[attributes->n_attributes]);
}
