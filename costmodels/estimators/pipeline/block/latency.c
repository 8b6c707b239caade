/* The dependency graph of a block that repeats, and its critical cycle. */
#include <stdlib.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/block/block.h"
#include "costmodels/estimators/pipeline/block/cycle_ratio.h"
#include "costmodels/estimators/pipeline/block/dependences.h"

struct writer {
	uint32_t insn;
	uint32_t pass; /* 0: in the previous iteration, 1: in this one, or NO_WRITER: not yet written */
};
/* Value of writer.pass. */
#define NO_WRITER UINT32_MAX

struct builder {
	const struct machine_parameters *parameters;
	const struct block *block;
	struct ratio_graph graph;
	struct writer writers[N_LOCATIONS];
	uint32_t pass; /* pass over the block; pass 0 only records writers */
	uint32_t st_top;
};

static void add_edge(struct builder *builder, uint32_t from, uint32_t to, uint32_t weight, uint32_t distance)
{
	if (builder->pass)
		*ARRAY_ADD(&builder->graph, edges) = (struct ratio_edge){from, to, weight, distance};
}

static const struct writer *writer_of(const struct builder *builder, const struct dependence *read)
{
	return &builder->writers[location_resolve(read->location, builder->st_top)];
}

/* Returns whether another load loaded the base of this load's address. */
static bool is_chased(const struct builder *builder, const struct dependences *dependences)
{
	for (uint32_t i = 0; i < dependences->n_reads; i++) {
		const struct dependence *read = &dependences->reads[i];
		const struct writer *writer = writer_of(builder, read);

		if (read->is_base)
			return writer->pass != NO_WRITER && builder->block->insns[writer->insn].form->is_pure_move &&
			       builder->block->insns[writer->insn].form->loads;
	}
	return false;
}

/* Adds the edges from the load to the operation and from the store that forwards to the load. */
static void add_load_edges(struct builder *builder, const struct block_insn *insn, uint32_t first_node)
{
	const struct machine_parameters *parameters = builder->parameters;
	uint32_t load = first_node + PART_LOAD, forward;

	add_edge(builder, load, first_node + PART_OPERATION, insn->is_eliminated ? 0 : insn->form->latency_mcyc, 0);
	if (insn->forwarded_from == NO_INSN)
		return;
	forward = insn->is_vector ? parameters->vector_store_forward_latency : parameters->store_forward_latency;
	if (insn->forwarding_fails || (insn->is_page_alias && !parameters->forwards_by_page)) {
		/* A load whose forwarding fails waits until the store commits to the cache. Stores commit in program
		 * order after all earlier instructions, including the previous iteration's load. */
		add_edge(builder, load, load, parameters->failed_forward_cycles * MCYC_PER_CYCLE,
			 insn->forwarded_distance ? insn->forwarded_distance : 1);
		forward = parameters->failed_forward_cycles - parameters->load_latency;
	}
	if (insn->is_renamed && block_insn_is_renamed_load(parameters, insn))
		forward = 0;
	add_edge(builder, N_PARTS * insn->forwarded_from + PART_STORE, load, forward * MCYC_PER_CYCLE,
		 insn->forwarded_distance);
}

static void add_insn(struct builder *builder, uint32_t number)
{
	const struct block_insn *insn = &builder->block->insns[number];
	uint32_t first_node = N_PARTS * number, load_mcyc;
	struct dependences dependences;

	if (insn->form->flags & FORM_NOP)
		return;
	dependences_read(insn, &dependences);
	load_mcyc = MCYC_PER_CYCLE *
		    block_insn_load_latency(builder->parameters, insn, is_chased(builder, &dependences));
	if (insn->operands.writes_memory)
		add_edge(builder, first_node + PART_OPERATION, first_node + PART_STORE, 0, 0);
	if (insn->operands.reads_memory)
		add_load_edges(builder, insn, first_node);
	for (uint32_t i = 0; i < dependences.n_reads; i++) {
		const struct dependence *read = &dependences.reads[i];
		const struct writer *writer = writer_of(builder, read);
		uint32_t weight = read->weight_mcyc + (read->part == PART_LOAD ? load_mcyc : 0);

		if (insn->syncs_stack && read->location == LOCATION_GENERAL + GENERAL_RSP)
			weight += MCYC_PER_CYCLE;
		if (writer->pass != NO_WRITER)
			add_edge(builder, N_PARTS * writer->insn + PART_OPERATION, first_node + read->part, weight,
				 1 - writer->pass);
	}
	builder->st_top -= dependences.st_pushes;
	for (uint32_t i = 0; i < dependences.n_writes; i++)
		builder->writers[location_resolve(dependences.writes[i], builder->st_top)] =
			(struct writer){number, builder->pass};
	builder->st_top += dependences.st_pops;
}

mcyc_t block_bound_latency(const struct machine_parameters *parameters, const struct block *block, bool *is_critical)
{
	struct builder builder = {.parameters = parameters, .block = block};
	uint64_t weight, distance;
	bool *is_node_critical;

	builder.graph.n_nodes = N_PARTS * block->n_insns;
	for (size_t i = 0; i < N_LOCATIONS; i++)
		builder.writers[i].pass = NO_WRITER;
	for (builder.pass = 0; builder.pass < 2; builder.pass++)
		for (uint32_t i = 0; i < block->n_insns; i++)
			add_insn(&builder, i);
	is_node_critical = xcalloc(builder.graph.n_nodes, sizeof(*is_node_critical));
	ratio_graph_solve(&builder.graph, &weight, &distance, is_node_critical);
	for (size_t i = 0; i < block->n_insns; i++) {
		is_critical[i] = false;
		for (size_t j = 0; j < N_PARTS; j++)
			is_critical[i] |= is_node_critical[N_PARTS * i + j];
	}
	free(is_node_critical);
	free(builder.graph.edges);
	return distance ? (mcyc_t)((weight + distance / 2) / distance) : 0;
}
