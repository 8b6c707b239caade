#include "costmodels/estimators/pipeline/block/dependences.h"

#include <assert.h>

#include "base/array.h"

#define FLAG_CF 0x001 /* RFLAGS, Intel SDM vol. 1, 3.4.3 */
#define FLAG_OF 0x800
#define OTHER_FLAGS 0x0d4 /* PF, AF, ZF, SF */

/* Flags that are renamed together. */
static const struct {
	uint32_t flags;
	enum location location;
} flag_groups[] = {{FLAG_CF, LOCATION_CARRY}, {FLAG_OF, LOCATION_OVERFLOW}, {OTHER_FLAGS, LOCATION_OTHER_FLAGS}};

/* Sets locations[] and returns their number. 0: the register is not renamed. RAX, RCX, RDX, RBX and their parts of 16
 * and 32 bits include the high byte. */
static uint32_t locations_of(const struct insn_register *reg, uint8_t locations[2])
{
	static const uint8_t first[] = {[REGISTER_VECTOR] = LOCATION_VECTOR,
					[REGISTER_MMX] = LOCATION_MMX,
					[REGISTER_ST] = LOCATION_ST,
					[REGISTER_MASK] = LOCATION_MASK};

	if (reg->file == REGISTER_GENERAL && !reg->first_bit) {
		locations[0] = (uint8_t)(LOCATION_GENERAL + reg->number);
		locations[1] = (uint8_t)(LOCATION_HIGH_BYTE + reg->number);
		return reg->number < 4 && reg->bits > 8 ? 2 : 1;
	}
	if (reg->file == REGISTER_GENERAL)
		locations[0] = (uint8_t)(LOCATION_HIGH_BYTE + reg->number);
	else if (reg->file < ARRAY_LENGTH(first) && first[reg->file])
		locations[0] = (uint8_t)(first[reg->file] + reg->number);
	else
		return 0;
	return 1;
}

static void add_location_read(struct dependences *out, uint32_t location, enum pipeline_part part, uint32_t weight_mcyc)
{
	assert(out->n_reads < MAX_DEPENDENCES);
	out->reads[out->n_reads++] =
		(struct dependence){.location = (uint8_t)location, .part = (uint8_t)part, .weight_mcyc = weight_mcyc};
}

static void add_register_read(struct dependences *out, const struct insn_register *reg, enum pipeline_part part,
			      uint32_t weight_mcyc)
{
	uint8_t locations[2];
	uint32_t n = locations_of(reg, locations);

	for (uint32_t i = 0; i < n; i++)
		add_location_read(out, locations[i], part, weight_mcyc);
}

static void add_flag_reads(struct dependences *out, uint32_t flags, uint32_t weight_mcyc)
{
	for (size_t i = 0; i < ARRAY_LENGTH(flag_groups); i++)
		if (flags & flag_groups[i].flags)
			add_location_read(out, flag_groups[i].location, PART_OPERATION, weight_mcyc);
}

static bool is_stack_pointer(const struct insn_operands *operands, const struct insn_operand *operand)
{
	return operands->moves_stack && operand->is_hidden && operand->kind == OPERAND_REGISTER &&
	       operand->reg.file == REGISTER_GENERAL && operand->reg.number == GENERAL_RSP;
}

/* Returns the latency from the old value of a register of which the instruction writes a part. */
static uint32_t merge_latency(const struct block_insn *insn)
{
	if (insn->form->merge_mcyc)
		return insn->form->merge_mcyc;
	if (!insn->is_vector || !insn->form->latency_mcyc)
		return MCYC_PER_CYCLE;
	return insn->form->latency_mcyc;
}

/* The latency from a store's address is taken as one cycle. It rarely matters, because in most code the data are ready
 * later than the address. */
static void add_address_reads(struct dependences *out, const struct insn_operand *memory, uint32_t latency_mcyc)
{
	enum pipeline_part part = memory->is_read ? PART_LOAD : memory->is_written ? PART_STORE : PART_OPERATION;
	uint32_t weight_mcyc = memory->is_read ? 0 : memory->is_written ? MCYC_PER_CYCLE : latency_mcyc;
	uint32_t n_before = out->n_reads;

	add_register_read(out, &memory->base, part, weight_mcyc);
	if (memory->is_read && out->n_reads > n_before && memory->base.file == REGISTER_GENERAL)
		out->reads[n_before].is_base = true;
	add_register_read(out, &memory->index, part, weight_mcyc);
}

static uint32_t stated_or(uint32_t stated_mcyc, uint32_t latency_mcyc)
{
	return stated_mcyc == NOT_STATED ? latency_mcyc : stated_mcyc;
}

static void add_operand_reads(struct dependences *out, const struct block_insn *insn)
{
	const struct insn_operands *operands = &insn->operands;
	const struct form_attributes *form = insn->form;
	uint32_t latency_mcyc = insn->is_eliminated ? 0 : form->latency_mcyc, explicit_index = 0;

	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		bool is_partial = operand->kind == OPERAND_REGISTER && operand->is_written &&
				  operand->reg.file == REGISTER_GENERAL && operand->reg.bits < 32;

		explicit_index += i && !operands->operands[i - 1].is_hidden;
		if (is_stack_pointer(operands, operand))
			continue;
		if (operand->kind == OPERAND_REGISTER && operand->is_read && !insn->ignores_sources) {
			bool may_be_stated = !operand->is_hidden && explicit_index < MAX_FORM_OPERANDS &&
					     !insn->is_eliminated;
			uint32_t weight_mcyc = may_be_stated
						       ? stated_or(form->operand_mcyc[explicit_index], latency_mcyc)
						       : latency_mcyc;

			if (form->merge_mcyc && operand->reg.file == REGISTER_VECTOR)
				weight_mcyc = form->merge_mcyc;
			add_register_read(out, &operand->reg, PART_OPERATION, weight_mcyc);
		} else if (operand->kind == OPERAND_REGISTER && operand->is_written &&
			   (is_partial || insn->form->flags & FORM_MERGES)) {
			add_register_read(out, &operand->reg, PART_OPERATION, merge_latency(insn));
		} else if (operand->kind == OPERAND_MEMORY) {
			add_address_reads(out, operand, latency_mcyc);
		}
	}
	if (!insn->ignores_sources || insn->form->flags & FORM_FLAGS_ONLY)
		add_flag_reads(out, operands->read.flags,
			       insn->is_eliminated ? 0 : stated_or(form->flags_mcyc, latency_mcyc));
}

static void add_location_write(struct dependences *out, uint32_t location)
{
	assert(out->n_writes < MAX_DEPENDENCES);
	out->writes[out->n_writes++] = (uint8_t)location;
}

static void add_operand_writes(struct dependences *out, const struct insn_operands *operands)
{
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		uint8_t locations[2];
		uint32_t n;

		if (operand->kind != OPERAND_REGISTER || !operand->is_written || is_stack_pointer(operands, operand))
			continue;
		n = locations_of(&operand->reg, locations);
		for (uint32_t j = 0; j < n; j++)
			add_location_write(out, locations[j]);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(flag_groups); i++)
		if (operands->written.flags & flag_groups[i].flags)
			add_location_write(out, flag_groups[i].location);
}

void dependences_read(const struct block_insn *insn, struct dependences *out)
{
	out->n_reads = out->n_writes = 0;
	out->st_pushes = out->st_pops = 0;
	if (insn->form->flags & FORM_NOP)
		return;
	add_operand_reads(out, insn);
	add_operand_writes(out, &insn->operands);
	if (insn->operands.st_pushes > 0)
		out->st_pushes = (uint8_t)insn->operands.st_pushes;
	else
		out->st_pops = (uint8_t)-insn->operands.st_pushes;
}

bool block_insn_is_renamed_load(const struct machine_parameters *parameters, const struct block_insn *insn)
{
	if (insn->is_vector)
		return false;
	switch (parameters->memory_renaming) {
	case RENAMES_NOTHING:
		return false;
	case RENAMES_BASE:
		return !insn->is_indexed && (insn->access_bits >= 32 || insn->operands.writes_memory);
	case RENAMES_INDEX:
		break;
	}
	return insn->access_bits >= 32;
}

uint32_t block_insn_load_latency(const struct machine_parameters *parameters, const struct block_insn *insn,
				 bool is_chased)
{
	uint32_t more = insn->is_scaled ? parameters->scaled_index_cycles : 0;

	if (insn->misses_tlb)
		more += parameters->tlb_miss_latency;
	else if (insn->is_vector)
		return more +
		       (insn->access_bits > 128 ? parameters->wide_load_latency : parameters->vector_load_latency);
	else if (parameters->simple_load_latency && insn->has_simple_address && is_chased)
		return parameters->simple_load_latency;
	return parameters->load_latency + more;
}
