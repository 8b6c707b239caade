/* The graph of dependencies of a block that repeats, and its longest cycle. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/pipeline/block.h"
#include "costmodels/pipeline/cycle_ratio.h"

/* Each instruction has three nodes: when its load, its result and its store's data are there. */
enum { NODE_LOAD, NODE_RESULT, NODE_STORE, N_NODES };

/* What a value can be in. High bytes are renamed apart from the rest of their register. */
enum location {
	LOCATION_GENERAL,
	LOCATION_HIGH_BYTE = LOCATION_GENERAL + INSN_N_GENERAL,
	LOCATION_VECTOR = LOCATION_HIGH_BYTE + 4,
	LOCATION_MMX = LOCATION_VECTOR + 32,
	LOCATION_ST = LOCATION_MMX + 8,
	LOCATION_MASK = LOCATION_ST + 8,
	LOCATION_CARRY = LOCATION_MASK + 8,
	LOCATION_OVERFLOW,
	LOCATION_OTHER_FLAGS, /* zero, sign, parity, adjust */
	N_LOCATIONS,
};

#define FLAG_CF 0x001
#define FLAG_OF 0x800
#define OTHER_FLAGS 0x0d4

struct writer {
	uint32_t insn;
	uint32_t pass; /* 0: the iteration before; or NO_WRITER */
};
#define NO_WRITER UINT32_MAX

struct builder {
	const struct machine_parameters *parameters;
	const struct block *block;
	struct ratio_graph graph;
	struct writer writers[N_LOCATIONS];
	uint32_t pass; /* the first only notes who writes what */
	int st_top;
};

static void add_edge(struct builder *builder, uint32_t from, uint32_t to, uint32_t weight, uint32_t distance)
{
	if (builder->pass)
		*ARRAY_ADD(&builder->graph, edges) = (struct ratio_edge){from, to, weight, distance};
}

static void read_location(struct builder *builder, uint32_t location, uint32_t to, uint32_t weight)
{
	const struct writer *writer = &builder->writers[location];

	if (writer->pass != NO_WRITER)
		add_edge(builder, N_NODES * writer->insn + NODE_RESULT, to, weight, 1 - writer->pass);
}

/* The first location of a register, and how many it has: a whole general register has its high byte, too. */
static uint32_t locations_of(const struct builder *builder, const struct insn_register *reg, uint32_t locations[2])
{
	switch (reg->file) {
	case REGISTER_GENERAL:
		if (reg->first_bit) {
			locations[0] = LOCATION_HIGH_BYTE + reg->number;
			return 1;
		}
		locations[0] = LOCATION_GENERAL + reg->number;
		locations[1] = LOCATION_HIGH_BYTE + reg->number;
		return reg->number < 4 && reg->bits > 8 ? 2 : 1;
	case REGISTER_VECTOR:
		locations[0] = LOCATION_VECTOR + reg->number;
		return 1;
	case REGISTER_MMX:
		locations[0] = LOCATION_MMX + reg->number;
		return 1;
	case REGISTER_ST:
		locations[0] = LOCATION_ST + (((uint32_t)builder->st_top + reg->number) & 7);
		return 1;
	case REGISTER_MASK:
		locations[0] = LOCATION_MASK + reg->number;
		return 1;
	default:
		return 0;
	}
}

static void read_register(struct builder *builder, const struct insn_register *reg, uint32_t to, uint32_t weight)
{
	uint32_t locations[2], n = locations_of(builder, reg, locations);

	for (uint32_t i = 0; i < n; i++)
		read_location(builder, locations[i], to, weight);
}

static void read_flags(struct builder *builder, uint32_t flags, uint32_t to, uint32_t weight)
{
	if (flags & FLAG_CF)
		read_location(builder, LOCATION_CARRY, to, weight);
	if (flags & FLAG_OF)
		read_location(builder, LOCATION_OVERFLOW, to, weight);
	if (flags & OTHER_FLAGS)
		read_location(builder, LOCATION_OTHER_FLAGS, to, weight);
}

static bool is_stack_pointer(const struct insn_operands *operands, const struct insn_operand *operand)
{
	return operands->moves_stack && operand->is_hidden && operand->kind == OPERAND_REGISTER &&
	       operand->reg.file == REGISTER_GENERAL && operand->reg.number == GENERAL_RSP;
}

/* Whether the base comes straight from another load. */
static bool is_chased(const struct builder *builder, const struct block_insn *insn)
{
	for (size_t i = 0; i < insn->operands.n_operands; i++) {
		const struct insn_operand *operand = &insn->operands.operands[i];
		const struct writer *writer;

		if (operand->kind != OPERAND_MEMORY || !operand->is_read || operand->base.file != REGISTER_GENERAL)
			continue;
		writer = &builder->writers[LOCATION_GENERAL + operand->base.number];
		return writer->pass != NO_WRITER && builder->block->insns[writer->insn].facts->is_pure_move &&
		       builder->block->insns[writer->insn].facts->loads;
	}
	return false;
}

static uint32_t load_latency(const struct builder *builder, const struct block_insn *insn)
{
	const struct machine_parameters *parameters = builder->parameters;

	if (insn->misses_tlb)
		return parameters->load_latency + parameters->tlb_miss_latency;
	if (insn->is_vector)
		return insn->access_bits > 128 ? parameters->wide_load_latency : parameters->vector_load_latency;
	if (parameters->simple_load_latency && insn->has_simple_address && is_chased(builder, insn))
		return parameters->simple_load_latency;
	return parameters->load_latency;
}

static void read_memory(struct builder *builder, const struct block_insn *insn, uint32_t first_node, uint32_t latency)
{
	const struct machine_parameters *parameters = builder->parameters;
	uint32_t load = first_node + NODE_LOAD, forward;

	add_edge(builder, load, first_node + NODE_RESULT, latency, 0);
	if (insn->forwarded_from == NO_INSN)
		return;
	forward = insn->is_vector ? parameters->vector_store_forward_latency : parameters->store_forward_latency;
	if (insn->forwarding_fails || (insn->has_other_name && !parameters->forwards_by_page)) {
		/* The load waits until the store has left for the cache, which it does in its turn: not before earlier
		 * instructions have retired, and among them is the load before this one. */
		add_edge(builder, load, load, parameters->failed_forward_cycles * MCYC_PER_CYCLE,
			 insn->forwarded_distance ? insn->forwarded_distance : 1);
		forward = parameters->failed_forward_cycles - parameters->load_latency;
	}
	if (parameters->memory_renaming && insn->is_renamed && !insn->is_vector)
		forward = 0;
	add_edge(builder, N_NODES * insn->forwarded_from + NODE_STORE, load, forward * MCYC_PER_CYCLE,
		 insn->forwarded_distance);
}

/* What the last micro-operation adds the new part to: one cycle for general registers, however long the part takes. */
static uint32_t merge_latency(const struct block_insn *insn)
{
	if (insn->facts->merge_mcyc)
		return insn->facts->merge_mcyc;
	if (!insn->is_vector || !insn->facts->latency_mcyc)
		return MCYC_PER_CYCLE;
	return insn->facts->latency_mcyc;
}

static void read_operands(struct builder *builder, const struct block_insn *insn, uint32_t first_node)
{
	const struct insn_operands *operands = &insn->operands;
	uint32_t result = first_node + NODE_RESULT, sync = insn->syncs_stack ? MCYC_PER_CYCLE : 0;
	uint32_t latency = insn->is_eliminated ? 0 : insn->facts->latency_mcyc;
	uint32_t load = load_latency(builder, insn) * MCYC_PER_CYCLE;

	if (operands->writes_memory)
		add_edge(builder, result, first_node + NODE_STORE, 0, 0);
	if (operands->reads_memory)
		read_memory(builder, insn, first_node, latency);
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		bool is_partial = operand->kind == OPERAND_REGISTER && operand->is_written &&
				  operand->reg.file == REGISTER_GENERAL && operand->reg.bits < 32;

		if (is_stack_pointer(operands, operand))
			continue;
		if (operand->kind == OPERAND_REGISTER && operand->is_read && !insn->ignores_sources) {
			bool is_merged = insn->facts->merge_mcyc && operand->reg.file == REGISTER_VECTOR;

			read_register(builder, &operand->reg, result,
				      is_merged ? insn->facts->merge_mcyc : latency + sync);
		} else if (operand->kind == OPERAND_REGISTER && operand->is_written &&
			   (is_partial || insn->facts->flags & FORM_MERGES)) {
			read_register(builder, &operand->reg, result, merge_latency(insn));
		} else if (operand->kind == OPERAND_MEMORY) {
			/* The address of a store is there before its data in most code, and a load does not wait for it
			 * longer than for them. */
			uint32_t to = operand->is_read	    ? first_node + NODE_LOAD
				      : operand->is_written ? first_node + NODE_STORE
							    : result;
			uint32_t weight = operand->is_read ? load : operand->is_written ? MCYC_PER_CYCLE : latency;

			read_register(builder, &operand->base, to, weight + sync);
			read_register(builder, &operand->index, to, weight);
		}
	}
	if (!insn->ignores_sources || insn->facts->flags & FORM_FLAGS_ONLY)
		read_flags(builder, operands->read.flags, result, latency);
}

static void write_location(struct builder *builder, uint32_t location, uint32_t insn)
{
	builder->writers[location] = (struct writer){insn, builder->pass};
}

static void write_operands(struct builder *builder, const struct block_insn *insn, uint32_t number)
{
	const struct insn_operands *operands = &insn->operands;

	if (operands->st_pushes > 0)
		builder->st_top -= operands->st_pushes;
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		uint32_t locations[2], n;

		if (operand->kind != OPERAND_REGISTER || !operand->is_written || is_stack_pointer(operands, operand))
			continue;
		n = locations_of(builder, &operand->reg, locations);
		for (uint32_t j = 0; j < n; j++)
			write_location(builder, locations[j], number);
	}
	if (operands->st_pushes < 0)
		builder->st_top -= operands->st_pushes;
	if (operands->written.flags & FLAG_CF)
		write_location(builder, LOCATION_CARRY, number);
	if (operands->written.flags & FLAG_OF)
		write_location(builder, LOCATION_OVERFLOW, number);
	if (operands->written.flags & OTHER_FLAGS)
		write_location(builder, LOCATION_OTHER_FLAGS, number);
}

mcyc_t latency_bound(const struct machine_parameters *parameters, const struct block *block, bool *is_critical)
{
	struct builder builder = {.parameters = parameters, .block = block};
	uint64_t weight, distance;
	bool *is_node_critical;

	builder.graph.n_nodes = N_NODES * block->n_insns;
	for (size_t i = 0; i < N_LOCATIONS; i++)
		builder.writers[i].pass = NO_WRITER;
	for (builder.pass = 0; builder.pass < 2; builder.pass++)
		for (uint32_t i = 0; i < block->n_insns; i++) {
			const struct block_insn *insn = &block->insns[i];

			if (insn->facts->flags & FORM_NOP)
				continue;
			read_operands(&builder, insn, N_NODES * i);
			write_operands(&builder, insn, i);
		}
	is_node_critical = xcalloc(builder.graph.n_nodes, sizeof(*is_node_critical));
	ratio_graph_solve(&builder.graph, &weight, &distance, is_node_critical);
	for (size_t i = 0; i < block->n_insns; i++) {
		is_critical[i] = false;
		for (size_t j = 0; j < N_NODES; j++)
			is_critical[i] |= is_node_critical[N_NODES * i + j];
	}
	free(is_node_critical);
	free(builder.graph.edges);
	return distance ? (mcyc_t)((weight + distance / 2) / distance) : 0;
}
