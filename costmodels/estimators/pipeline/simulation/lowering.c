/* Translates the instructions of a block to struct sim_insn. */
#include <assert.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/simulation/simulator_private.h"

static uint16_t to_cycles(uint32_t mcyc)
{
	uint32_t cycles = (mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE;

	return cycles < UINT16_MAX ? (uint16_t)cycles : UINT16_MAX;
}

static uint8_t to_byte(uint32_t value)
{
	return value < UINT8_MAX ? (uint8_t)value : UINT8_MAX;
}

/* Returns the part of the instruction that a port use belongs to. */
static enum pipeline_part part_of(const struct machine_parameters *parameters, const struct block_insn *insn,
				  port_set_t ports, bool *is_store_address)
{
	*is_store_address = false;
	if (insn->operands.reads_memory &&
	    (ports == parameters->load_ports || !(ports & ~(parameters->memory_ports | parameters->load_ports))) &&
	    ports != parameters->store_data_ports)
		return PART_LOAD;
	if (!insn->operands.writes_memory)
		return PART_OPERATION;
	if (ports == parameters->store_data_ports)
		return PART_STORE;
	if (ports == parameters->store_address_ports || ports == parameters->store_address_indexed_ports ||
	    !(ports & ~parameters->memory_ports)) {
		*is_store_address = true;
		return PART_STORE;
	}
	return PART_OPERATION;
}

static void lower_use(struct simulator *simulator, const struct block_insn *insn, const struct port_use *use)
{
	const struct machine_parameters *parameters = simulator->parameters;
	struct sim_use *out = ARRAY_ADD(simulator, uses);
	/* True: one micro-operation however long the use lasts. False: one for each cycle. */
	bool is_single_uop = parameters->counts_fused ||
			     use->ports & (parameters->divider_ports | parameters->memory_ports);
	uint32_t cycles = use->mcyc / MCYC_PER_CYCLE;

	out->ports = use->ports;
	out->cycles = cycles < UINT16_MAX ? (uint16_t)cycles : UINT16_MAX;
	out->fraction_mcyc = (uint16_t)(use->mcyc % MCYC_PER_CYCLE);
	out->part = part_of(parameters, insn, use->ports, &out->is_store_address);
	out->n_scheduler_entries = is_single_uop ? 1 : to_byte(cycles);
	/* A divider works for a micro-operation of another use. */
	if (use->ports & parameters->divider_ports)
		out->n_scheduler_entries = 0;
}

static bool reads_rsp(const struct block_insn *insn)
{
	return (insn->operands.read.general | insn->operands.address) & 1u << GENERAL_RSP;
}

static void lower_accesses(struct simulator *simulator, const struct block_insn *insn, struct sim_insn *out)
{
	const struct insn_operands *operands = &insn->operands;

	out->first_access = (uint32_t)simulator->n_accesses;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		bool has_base;

		if (operand->kind != OPERAND_MEMORY || (!operand->is_read && !operand->is_written))
			continue;
		has_base = operand->base.file == REGISTER_GENERAL;
		*ARRAY_ADD(simulator, accesses) = (struct sim_access){
			.address_index = out->n_addresses++,
			.bytes = to_byte(operand->bits < 8 ? 1 : operand->bits / 8),
			.is_read = operand->is_read,
			.is_written = operand->is_written,
			.base = has_base ? operand->base.number : NO_REGISTER,
			.index = operand->index.file == REGISTER_GENERAL ? operand->index.number : NO_REGISTER,
			.can_be_renamed = has_base && block_insn_is_renamed_load(simulator->parameters, insn),
		};
		out->n_accesses++;
	}
	out->n_addresses = (uint8_t)(out->n_addresses + operands->is_repeated);
}

static void lower_dependences(struct simulator *simulator, const struct block_insn *insn, struct sim_insn *out)
{
	struct dependences dependences;

	dependences_read(insn, &dependences);
	out->first_read = (uint32_t)simulator->n_reads;
	out->first_write = (uint32_t)simulator->n_writes;
	out->n_reads = (uint8_t)dependences.n_reads;
	out->n_writes = (uint8_t)dependences.n_writes;
	out->base = NO_REGISTER;
	for (uint32_t i = 0; i < dependences.n_reads; i++) {
		const struct dependence *read = &dependences.reads[i];

		*ARRAY_ADD(simulator, reads) = (struct sim_read){read->location, read->part,
								 to_cycles(read->weight_mcyc)};
		if (read->is_base)
			out->base = read->location;
	}
	for (uint32_t i = 0; i < dependences.n_writes; i++)
		*ARRAY_ADD(simulator, writes) = dependences.writes[i];
	out->st_pushes = dependences.st_pushes;
	out->st_pops = dependences.st_pops;
}

static void lower(struct simulator *simulator, const struct block_insn *insn)
{
	const struct machine_parameters *parameters = simulator->parameters;
	const struct form_attributes *form = insn->form;
	/* If syncs_stack is set, the last use is the stack engine's. simulator_step() adds that use itself. */
	uint32_t n_uses = insn->n_uses - insn->syncs_stack;
	struct sim_insn out = {
		.load_latency = to_byte(block_insn_load_latency(parameters, insn, false)),
		.chased_latency = to_byte(block_insn_load_latency(parameters, insn, true)),
		.forward_latency = to_byte(insn->is_vector ? parameters->vector_store_forward_latency
							   : parameters->store_forward_latency),
		.length = insn->length,
		.opcode_offset = insn->opcode_offset,
		.latency = insn->is_eliminated ? 0 : to_cycles(form->latency_mcyc),
		.issue_slots = (uint16_t)(insn->issue_slots - insn->syncs_stack),
		.decoded_uops = (uint16_t)insn->decoded_uops,
		.reads_memory = insn->operands.reads_memory && !(form->flags & FORM_NOP),
		.writes_memory = insn->operands.writes_memory && !(form->flags & FORM_NOP),
		.is_fused = insn->is_fused,
		.could_fuse = form->flags & (FORM_FUSE_TEST | FORM_FUSE_COMPARE | FORM_FUSE_COUNT),
		.is_complex = form->flags & FORM_COMPLEX,
		.has_lcp = insn->has_lcp,
		.uses_rsp = insn->uses_rsp,
		.reads_rsp = reads_rsp(insn),
		.moves_stack = insn->operands.moves_stack,
		.is_pure_load = form->is_pure_move && form->loads,
		.forwarded_from = insn->forwarded_from,
		.forwarded_distance = insn->forwarded_distance,
		.forwarding_fails = insn->forwarding_fails || (insn->is_page_alias && !parameters->forwards_by_page),
		.is_renamed = insn->is_renamed && block_insn_is_renamed_load(parameters, insn),
	};

	lower_dependences(simulator, insn, &out);
	lower_accesses(simulator, insn, &out);
	out.first_use = (uint32_t)simulator->n_uses;
	for (uint32_t i = 0; i < n_uses; i++)
		if (insn->uses[i].mcyc)
			lower_use(simulator, insn, &insn->uses[i]);
	out.n_uses = (uint8_t)(simulator->n_uses - out.first_use);
	*ARRAY_ADD(simulator, insns) = out;
	*ARRAY_ADD(simulator, charges) = (struct simulator_charge){0};
}

uint32_t simulator_lower(struct simulator *simulator, const struct block *block, uint64_t va, enum sim_source source)
{
	struct sim_block *out = ARRAY_ADD(simulator, blocks);

	out->va = va;
	out->n_bytes = (uint32_t)block->n_bytes;
	out->first_insn = (uint32_t)simulator->n_insns;
	out->n_insns = (uint32_t)block->n_insns;
	out->source = source;
	for (size_t i = 0; i < block->n_insns; i++)
		lower(simulator, &block->insns[i]);
	for (size_t i = 1; i < block->n_insns; i++)
		if (block->insns[i].is_fused)
			simulator->insns[out->first_insn + i - 1].could_fuse = false;
	return (uint32_t)(simulator->n_blocks - 1);
}
